//! The named limits: those that a client can set, in one table, and fixed ones.

use std::time::Duration;

use crate::answer::error::{Error, Result};
use crate::protocol::json::JSON_BYTES_MAX;

/// How long the body is read after its end mark, so that the connection can be reused.
pub const DRAIN_TIME_MAX: Duration = Duration::from_millis(250);
/// How much of the body is read after its end mark, in bytes.
pub const DRAIN_BYTES_MAX: usize = 64 << 10;
/// How long to wait for the body of a failed answer; the error has what arrived by then.
pub const ERROR_BODY_TIME_MAX: Duration = Duration::from_secs(5);

/// One limit that a client can set, for bindings.
///
/// ```
/// for limit in modelwire::Limits::ALL {
///     println!("{}: {} by default. {}", limit.name, limit.default, limit.doc);
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limit {
    /// Its name: the field of [`Limits`] and the option of a binding.
    pub name: &'static str,
    /// Its number in C, which never changes.
    pub number: i32,
    /// Its default value.
    pub default: usize,
    /// What it limits, with the unit.
    pub doc: &'static str,
}

/// The struct, its setters and what bindings need follow from one table: to add a limit, add a row with
/// its own number.
macro_rules! limits {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident: $constant:ident = $default:expr, number $number:literal;
    )+) => {
        $(
            #[doc = concat!("The default of `", stringify!($name), "`.")]
            ///
            $(#[doc = $doc])+
            pub const $constant: usize = $default;
        )+

        /// The limits that a client can set; an error names the limit that caused it. Each is 1 to
        /// 2,147,483,647.
        ///
        /// ```
        /// let limits = modelwire::Limits::default().event_bytes_max(1 << 20).headers_max(50);
        /// let config = modelwire::Config::new().limits(limits);
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Limits {
            $(
                $(#[doc = $doc])+
                pub $name: usize,
            )+
        }

        impl Default for Limits {
            fn default() -> Limits {
                Limits { $($name: $constant,)+ }
            }
        }

        impl Limits {
            /// Every limit, by its number; for bindings.
            #[doc(hidden)]
            pub const ALL: &'static [Limit] = &[$(Limit {
                name: stringify!($name),
                number: $number,
                default: $constant,
                doc: concat!($($doc),+).trim_ascii(),
            },)+];

            $(
                $(#[doc = $doc])+
                #[must_use]
                pub fn $name(mut self, $name: usize) -> Limits {
                    self.$name = $name;
                    self
                }
            )+

            fn field(&mut self, name: &str) -> Option<&mut usize> {
                match name {
                    $(stringify!($name) => Some(&mut self.$name),)+
                    _ => None,
                }
            }
        }
    };
}

limits! {
    /// The largest server-sent event, in bytes; 16 MiB by default.
    event_bytes_max: EVENT_BYTES_MAX = 16 << 20, number 1;

    /// The largest answer kept in memory, in bytes; 256 MiB by default.
    response_bytes_max: RESPONSE_BYTES_MAX = 256 << 20, number 2;

    /// The part of a failed answer's body that is read and kept, in bytes; 64 KiB by default.
    error_body_bytes_max: ERROR_BODY_BYTES_MAX = 64 << 10, number 3;

    /// The maximum number of headers of an answer; 100 by default.
    headers_max: HEADERS_MAX = 100, number 4;

    /// The maximum bytes of one call in its queue; beyond it the library stops reading the body; 256
    /// KiB by default. A single larger event is queued alone.
    queue_bytes_max: QUEUE_BYTES_MAX = 256 << 10, number 5;

    /// The maximum events of one call in its queue; beyond it the library stops reading the body; 1024
    /// by default.
    queue_events_max: QUEUE_EVENTS_MAX = 1024, number 6;

    /// The maximum number of connections in use by calls of the client; 1000 by default, and never more
    /// than 3/8 of the process's descriptor limit (RLIMIT_NOFILE, read at the first call), which the
    /// calls of all clients share. In addition, each client may have up to 1/16 idle and 1/16 opening:
    /// one client uses at most half. Further calls wait in order, and take the first connection that
    /// becomes idle. Calls that share a connection (HTTP/2) are not counted.
    connections_max: CONNECTIONS_MAX = 1000, number 7;

    /// The maximum number of idle connections kept for later calls; 1000 by default, and never more
    /// than `connections_max` and 1/16 of the descriptor limit.
    idle_connections_max: IDLE_CONNECTIONS_MAX = 1000, number 8;

    /// How long an idle connection is kept, in milliseconds; 4000 by default, because many servers
    /// close theirs after 5 s.
    idle_connection_ms_max: IDLE_CONNECTION_MS_MAX = 4000, number 9;
}

impl Limits {
    /// Sets the limit with this name. Rejects an unknown name or an invalid value, and then changes
    /// nothing.
    ///
    /// ```
    /// let mut limits = modelwire::Limits::default();
    /// limits.set("headers_max", 50)?;
    /// assert_eq!(limits.headers_max, 50);
    /// assert!(limits.set("headers_max", 0).is_err());
    /// # Ok::<(), modelwire::Error>(())
    /// ```
    pub fn set(&mut self, name: &str, value: usize) -> Result<()> {
        let Some(field) = self.field(name) else {
            let known: Vec<_> = Limits::ALL.iter().map(|limit| limit.name).collect();
            let message = format!("unknown limit {name:?}; the limits are {}", known.join(", "));
            return Err(Error::config(message));
        };
        check(name, value)?;
        *field = value;
        Ok(())
    }

    pub(crate) fn check(mut self) -> Result<()> {
        for limit in Limits::ALL {
            if let Some(value) = self.field(limit.name) {
                check(limit.name, *value)?;
            }
        }
        Ok(())
    }
}

fn check(name: &str, value: usize) -> Result<()> {
    if value == 0 || value > JSON_BYTES_MAX {
        return Err(Error::config(format!(
            "{name} is {value}: it must be from 1 to {JSON_BYTES_MAX}"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    #[test]
    fn every_limit_has_a_unique_number_and_documents_its_default() {
        for (place, limit) in Limits::ALL.iter().enumerate() {
            assert_eq!(limit.number, place as i32 + 1, "{}", limit.name);
            assert!(limit.name.ends_with("_max"));
            assert!(limit.doc.contains("by default"), "{limit:?}");
            assert_eq!(Limits::default().field(limit.name), Some(&mut { limit.default }));
        }
    }

    /// The documents say 2147483647: spans have 31 bits.
    #[test]
    fn the_largest_bound_is_the_longest_json() {
        assert_eq!(JSON_BYTES_MAX, 2_147_483_647);
        Limits::default().set("event_bytes_max", JSON_BYTES_MAX).unwrap();
    }

    #[test]
    fn what_is_refused_changes_nothing() {
        for limit in Limits::ALL {
            let mut limits = Limits::default();
            for value in [0, JSON_BYTES_MAX + 1, usize::MAX] {
                let error = limits.set(limit.name, value).unwrap_err();
                assert!(error.message().starts_with(limit.name), "{error}");
                assert_eq!(limits, Limits::default());
            }
            limits.set(limit.name, 7).unwrap();
            assert_eq!(limits.field(limit.name), Some(&mut 7));
            limits.check().unwrap();
        }
        let error = Limits::default().set("bytes", 1).unwrap_err();
        assert!(error.message().contains("event_bytes_max"), "{error}");
        assert!(Limits::default().headers_max(0).check().is_err());
    }
}
