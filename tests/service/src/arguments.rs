//! The service's options as command-line arguments: one table for every command that runs it.

use std::fmt::Display;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use crate::answer::Reported;
use crate::load::Load;
use crate::recording::{Pace, Replay};
use crate::service::Options;

/// An argument of a command that runs the service: `--NAME VALUE`.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    /// Its name, without the leading hyphens.
    pub name: &'static str,
    /// The name of its value.
    pub value: &'static str,
    /// Its help text.
    pub doc: &'static str,
    /// Sets it; the error says what the value must be, in words that follow the argument's name.
    pub set: fn(&mut Options, &str) -> Result<(), String>,
}

/// All arguments.
pub const ARGUMENTS: &[Argument] = &[
    Argument {
        name: "port",
        value: "N",
        doc: "Listen on this port of 127.0.0.1 [default: a free one]",
        set: |options, value| number(value).map(|port| options.port = port),
    },
    Argument {
        name: "key",
        value: "KEY",
        doc: "The API key to accept [default: sk-test]",
        set: |options, value| {
            value.clone_into(&mut options.key);
            Ok(())
        },
    },
    Argument {
        name: "usage",
        value: "WHEN",
        doc: "Report usage: asked (in streamed chats by stream_options only), always, or never [default: asked]",
        set: |options, value| {
            options.usage = match value {
                "asked" => Reported::AsAsked,
                "always" => Reported::Always,
                "never" => Reported::Never,
                other => return Err(format!("takes asked, always or never, not {other:?}")),
            };
            Ok(())
        },
    },
    Argument {
        name: "word-pause-ms",
        value: "N",
        doc: "Wait between streamed words [default: 0]",
        set: |options, value| {
            number(value).map(|wait| options.word_pause = Duration::from_millis(wait))
        },
    },
    Argument {
        name: "load",
        value: "LIST",
        doc: "Simulate limits, NAME=VALUE,NAME=VALUE of: requests-per-second, burst, tokens-per-minute, tokens-burst, at-once (the maximum of concurrent calls), slope-window-ms, slope-over-ms, slope-factor, slope-floor, queue, queue-slowed, retry-after (exact, none or seconds), retry-after-share, refused-share, fault-share, neighbour (the requests per second of another client), latency-ms, latency-per-token-us, seed",
        set: |options, value| {
            let load = Load::parse(value).map_err(|wrong| format!("is wrong: {wrong}"))?;
            options.load = load;
            Ok(())
        },
    },
    Argument {
        name: "replay",
        value: "FILE",
        doc: "Answer with recorded exchanges instead: a request gets the next one with its path and body, else the next one with its path",
        set: |options, value| {
            let replay = Replay::read(Path::new(value))
                .map_err(|wrong| format!("cannot be replayed: {value}: {wrong}"))?;
            options.replay = Some(Arc::new(replay));
            Ok(())
        },
    },
    Argument {
        name: "pace",
        value: "PACE",
        doc: "Replay with the recorded pauses (exact) or without (fast) [default: exact]",
        set: |options, value| {
            options.pace = match value {
                "exact" => Pace::Exact,
                "fast" => Pace::Fast,
                other => return Err(format!("takes exact or fast, not {other:?}")),
            };
            Ok(())
        },
    },
    Argument {
        name: "cut-after",
        value: "N",
        doc: "Cut answers after this many events, plain ones halfway",
        set: |options, value| number(value).map(|events| options.cut_after = Some(events)),
    },
    Argument {
        name: "status",
        value: "N",
        doc: "Answer with this error status instead",
        set: |options, value| match number(value)? {
            status @ 400..=599 => {
                options.status = Some(status);
                Ok(())
            }
            other => Err(format!("takes an error status from 400 to 599, not {other}")),
        },
    },
    Argument {
        name: "every",
        value: "N",
        doc: "Let --cut-after and --status strike only each Nth request [default: 1]",
        set: |options, value| match number(value)? {
            0 => Err("takes a number above 0".to_owned()),
            every => {
                options.every = every;
                Ok(())
            }
        },
    },
];

/// Parses a number of any type.
pub(crate) fn number<T: FromStr<Err: Display>>(value: &str) -> Result<T, String> {
    value.parse().map_err(|wrong| format!("needs a number, not {value:?}: {wrong}"))
}
