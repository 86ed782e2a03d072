//! The timeouts, in one table.

use std::time::Duration;

use crate::answer::error::{Error, Result};
use crate::answer::error_kind::TimeoutPhase;

/// The longest time that an option accepts; about 49 days.
pub(crate) const TIMEOUT_MAX: Duration = Duration::from_millis(u32::MAX as u64);

/// One timeout, for bindings.
///
/// ```
/// for timeout in modelwire::Timeouts::ALL {
///     println!("{}: {:?} by default. {}", timeout.name, timeout.default, timeout.doc);
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timeout {
    /// Its name: the field of [`Timeouts`] and the option of a binding.
    pub name: &'static str,
    /// The phase in the error that it causes.
    pub phase: TimeoutPhase,
    /// Its default value; `None` is off.
    pub default: Option<Duration>,
    /// Whether a call can override it.
    pub is_per_call: bool,
    /// What it limits.
    pub doc: &'static str,
}

/// The struct, its setters and what bindings need follow from one table: to add a timeout, add a row
/// and a [`TimeoutPhase`].
macro_rules! timeouts {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident: $phase:ident = $default:expr, per call $is_per_call:literal;
    )+) => {
        /// The timeouts; `None` is off.
        ///
        /// ```
        /// use std::time::Duration;
        ///
        /// let timeouts = modelwire::Timeouts::default().idle(Duration::from_secs(30)).connect(None);
        /// let config = modelwire::Config::new().timeouts(timeouts);
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Timeouts {
            $(
                $(#[doc = $doc])+
                pub $name: Option<Duration>,
            )+
            /// Whether pings (SSE comments, blank lines) also reset the idle timeout.
            pub pings_reset_idle: bool,
        }

        impl Default for Timeouts {
            fn default() -> Timeouts {
                Timeouts { $($name: $default,)+ pings_reset_idle: false }
            }
        }

        impl Timeouts {
            /// No timeouts: a call may wait forever.
            pub const OFF: Timeouts = Timeouts { $($name: None,)+ pings_reset_idle: false };

            /// Every timeout.
            pub const ALL: &'static [Timeout] = &[$(Timeout {
                name: stringify!($name),
                phase: TimeoutPhase::$phase,
                default: $default,
                is_per_call: $is_per_call,
                doc: concat!($($doc),+).trim_ascii(),
            },)+];

            $(
                $(#[doc = $doc])+
                #[must_use]
                pub fn $name(mut self, $name: impl Into<Option<Duration>>) -> Timeouts {
                    self.$name = $name.into();
                    self
                }
            )+

            fn field(&mut self, phase: TimeoutPhase) -> &mut Option<Duration> {
                match phase {
                    $(TimeoutPhase::$phase => &mut self.$name,)+
                }
            }
        }
    };
}

timeouts! {
    /// The longest wait for a connection while `connections_max` are in use, and for the call's turn with
    /// `retry_adaptive`, before each attempt. Off by default.
    pool: Pool = None, per call true;

    /// The longest time to open a connection, including TLS; for clients only. 10 s by default.
    connect: Connect = Some(Duration::from_secs(10)), per call false;

    /// The time from the start of an attempt until the response headers are complete. 600 s by default.
    first_byte: FirstByte = Some(Duration::from_secs(600)), per call true;

    /// The time from the start of an attempt until the first content of its answer: text, reasoning or a
    /// tool call of a stream, or the first byte of a document. Response headers, pings, roles and empty
    /// deltas do not count, and the idle timeout starts with the first content. Off by default.
    first_content: FirstContent = None, per call true;

    /// The longest pause in the content of an answer's body; pings (SSE comments, blank lines) do
    /// not count, nor does the time that a full queue waits for its consumer. 300 s by default.
    idle: Idle = Some(Duration::from_secs(300)), per call true;

    /// The longest time for all attempts and the delays between them, from the start of the call. Off
    /// by default.
    total: Total = None, per call true;
}

impl Timeouts {
    /// Whether any received data resets the idle timeout, including pings (SSE comments, blank lines);
    /// for services that signal progress with them. Off by default: a service that hangs may send them
    /// forever.
    ///
    /// ```
    /// let timeouts = modelwire::Timeouts::default().pings_reset_idle(true);
    /// assert!(timeouts.pings_reset_idle);
    /// ```
    #[must_use]
    pub fn pings_reset_idle(mut self, on: bool) -> Timeouts {
        self.pings_reset_idle = on;
        self
    }

    /// Sets one timeout; `None` is off. Rejects an invalid time, and then changes nothing.
    ///
    /// ```
    /// use std::time::Duration;
    /// use modelwire::{TimeoutPhase, Timeouts};
    ///
    /// let mut timeouts = Timeouts::default();
    /// timeouts.set(TimeoutPhase::Total, Some(Duration::from_secs(60)))?;
    /// assert_eq!(timeouts.total, Some(Duration::from_secs(60)));
    /// assert!(timeouts.set(TimeoutPhase::Total, Some(Duration::ZERO)).is_err()); // `None` is off
    /// # Ok::<(), modelwire::Error>(())
    /// ```
    pub fn set(&mut self, phase: TimeoutPhase, time: Option<Duration>) -> Result<()> {
        check_time(phase.name(), time)?;
        *self.field(phase) = time;
        Ok(())
    }

    pub(crate) fn check(mut self) -> Result<()> {
        Timeouts::ALL
            .iter()
            .try_for_each(|timeout| check_time(timeout.phase.name(), *self.field(timeout.phase)))
    }
}

/// The timeouts that one call sets; the others come from the client.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallTimeouts {
    times: Vec<(TimeoutPhase, Option<Duration>)>,
    pings_reset_idle: Option<bool>,
}

impl CallTimeouts {
    pub(crate) fn set(&mut self, phase: TimeoutPhase, time: Option<Duration>) {
        self.times.push((phase, time));
    }

    pub(crate) fn set_pings_reset_idle(&mut self, on: bool) {
        self.pings_reset_idle = Some(on);
    }

    pub(crate) fn check(&self) -> Result<()> {
        self.times.iter().try_for_each(|(phase, time)| {
            if Timeouts::ALL.iter().any(|known| known.phase == *phase && !known.is_per_call) {
                return Err(Error::config(format!(
                    "{} can only be set on the client",
                    phase.name()
                )));
            }
            check_time(phase.name(), *time)
        })
    }

    /// The client's timeouts with those that the call sets.
    pub(crate) fn over(&self, mut client: Timeouts) -> Timeouts {
        for (phase, time) in &self.times {
            *client.field(*phase) = *time;
        }
        client.pings_reset_idle = self.pings_reset_idle.unwrap_or(client.pings_reset_idle);
        client
    }
}

/// Checks a time for an option.
pub(crate) fn check_time(name: &str, time: Option<Duration>) -> Result<()> {
    match time {
        Some(Duration::ZERO) => {
            let hint = "None (null in JSON) switches a timeout off.";
            Err(Error::config(format!("{name} is zero")).with_hint(hint))
        }
        Some(time) if time > TIMEOUT_MAX => {
            Err(Error::config(format!("{name} is over {} ms", TIMEOUT_MAX.as_millis())))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    #[test]
    fn every_timeout_has_the_name_of_its_phase_and_says_its_default() {
        for timeout in Timeouts::ALL {
            assert_eq!(timeout.phase.name(), format!("{}_timeout", timeout.name));
            assert!(timeout.doc.contains("by default"), "{timeout:?}");
            assert_eq!(*Timeouts::default().field(timeout.phase), timeout.default);
        }
    }

    #[test]
    fn what_is_refused_changes_nothing() {
        for timeout in Timeouts::ALL {
            let mut timeouts = Timeouts::default();
            for time in [Duration::ZERO, TIMEOUT_MAX + Duration::from_millis(1), Duration::MAX] {
                let error = timeouts.set(timeout.phase, Some(time)).unwrap_err();
                assert!(error.message().starts_with(timeout.phase.name()), "{error}");
                assert_eq!(timeouts, Timeouts::default());
            }
            timeouts.set(timeout.phase, Some(TIMEOUT_MAX)).unwrap();
            assert_eq!(*timeouts.field(timeout.phase), Some(TIMEOUT_MAX));
            timeouts.check().unwrap();
        }
        assert!(Timeouts::default().idle(Duration::ZERO).check().is_err());
    }

    #[test]
    fn timeouts_of_a_call_override_those_of_its_client() {
        let mut own = CallTimeouts::default();
        own.set(TimeoutPhase::Idle, None);
        own.set(TimeoutPhase::Total, Some(Duration::from_secs(1)));
        own.check().unwrap();
        let client = Timeouts::default().total(Duration::from_secs(9));
        assert_eq!(own.over(client), client.idle(None).total(Duration::from_secs(1)));
        let pinged = client.pings_reset_idle(true);
        assert!(own.over(pinged).pings_reset_idle, "the client's, where the call says nothing");
        own.set_pings_reset_idle(false);
        assert!(!own.over(pinged).pings_reset_idle);
        own.set(TimeoutPhase::Connect, None);
        assert!(own.check().unwrap_err().message().contains("can only be set on the client"));
    }
}
