//! The timeouts, in one table. Knows no clock.

use std::time::Duration;

use crate::answer::error::{Error, Result};
use crate::answer::error_kind::TimeoutPhase;

/// Longest time that an option takes; about 49 days.
pub(crate) const TIMEOUT_MAX: Duration = Duration::from_millis(u32::MAX as u64);

/// One timeout, for bindings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timeout {
    /// Its name: the field of [`Timeouts`] and the option of a binding.
    pub name: &'static str,
    /// What the error says that it causes.
    pub phase: TimeoutPhase,
    /// Its value where nothing is set; `None` is off.
    pub default: Option<Duration>,
    /// Whether a call can set it for itself.
    pub is_per_call: bool,
    /// What it bounds.
    pub doc: &'static str,
}

/// The struct, its setters and what bindings need follow from one table: to add a timeout is to add
/// a row and a [`TimeoutPhase`].
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
            /// Whether comments and keep-alives put the idle timeout off as well.
            pub pings_reset_idle: bool,
        }

        impl Default for Timeouts {
            fn default() -> Timeouts {
                Timeouts { $($name: $default,)+ pings_reset_idle: false }
            }
        }

        impl Timeouts {
            /// Nothing is bounded: a call may wait for ever.
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
    /// Waiting for a connection where `connections_max` are in use, before each attempt. Off by
    /// default: the call waits its turn, under its deadline alone.
    pool: Pool = None, per call true;

    /// Opening a connection, TLS included; of the client only. 10 s by default.
    connect: Connect = Some(Duration::from_secs(10)), per call false;

    /// From the start of an attempt to the complete head of its answer. 600 s by default.
    first_byte: FirstByte = Some(Duration::from_secs(600)), per call true;

    /// Between two pieces of substance of an answer; comments and keep-alives do not count, and the
    /// time that a full queue waits for its consumer does not either. 300 s by default.
    idle: Idle = Some(Duration::from_secs(300)), per call true;

    /// Over all attempts and every wait, from the call's start. Off by default.
    total: Total = None, per call true;
}

impl Timeouts {
    /// Whether whatever comes of an answer puts the idle timeout off, comments and keep-alives
    /// included; for services that say by those that they are at work. Off by default: one that
    /// hangs may send them for ever.
    #[must_use]
    pub fn pings_reset_idle(mut self, on: bool) -> Timeouts {
        self.pings_reset_idle = on;
        self
    }

    /// Sets one of them; `None` is off. A time that it does not take is refused, and changes
    /// nothing.
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

/// What one call sets for itself; what it does not set is the client's.
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
                return Err(Error::config(format!("{} is the client's alone", phase.name())));
            }
            check_time(phase.name(), *time)
        })
    }

    /// The client's with what the call sets.
    pub(crate) fn over(&self, mut client: Timeouts) -> Timeouts {
        for (phase, time) in &self.times {
            *client.field(*phase) = *time;
        }
        client.pings_reset_idle = self.pings_reset_idle.unwrap_or(client.pings_reset_idle);
        client
    }
}

/// A time that an option takes.
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
    fn a_call_sets_what_is_its_own() {
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
        assert!(own.check().unwrap_err().message().contains("the client's alone"));
    }
}
