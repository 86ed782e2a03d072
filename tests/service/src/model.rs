//! The played models: their names, and how their streams end.

use std::time::Duration;

use crate::event_stream::{DONE, EventStream};
use crate::json::{array, object, quoted};
use crate::problem::Problem;

/// The creation time of every played model in `GET /v1/models`.
const CREATED: u64 = 1_700_000_000;
/// The pause between the words of model `slow`, regardless of the options.
const SLOW_WORD_PAUSE: Duration = Duration::from_millis(200);

/// The models, each with one behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Model {
    Echo,
    EchoStreamOnly,
    EchoReasoning,
    EchoTools,
    Limited,
    Recovers,
    Forbidden,
    Broken,
    Cut,
    ErrorInStream,
    Slow,
    FlatError,
    UnendedError,
    NoMark,
    NoReason,
    LateEnd,
}

/// The pause between the end mark and the end of the body of model `late-end`.
pub(crate) const LATE_END_PAUSE: Duration = Duration::from_millis(2);

/// How a streamed answer ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Completely.
    Whole,
    /// The connection is closed after a few words.
    Cut,
    /// An error event arrives after a few words.
    Error,
    /// After a few words, an error without an `error` member, then the end mark, as from FastChat.
    FlatError,
    /// After a few words, an error event without the blank line that ends an event, as from LitServe.
    UnendedError,
    /// After a few words, the body ends regularly, as from Portkey if its upstream was cut off.
    NoMark,
    /// After a few words, the end mark without a finish reason.
    NoReason,
    /// Completely, with the end of the body a moment after the end mark.
    LateEnd,
}

impl Ending {
    /// Writes the part that is the same in chats and responses: what a real server sent when a stream
    /// failed.
    pub(crate) fn write_to(self, stream: &mut EventStream) {
        match self {
            Ending::FlatError => {
                stream.data(&Problem::upstream_failed().flat_event());
                stream.data(DONE);
            }
            Ending::UnendedError => stream.unended(&Problem::upstream_failed().envelope()),
            Ending::NoReason => stream.data(DONE),
            Ending::NoMark | Ending::Whole | Ending::LateEnd | Ending::Cut | Ending::Error => {}
        }
    }
}

impl Model {
    /// The models that `GET /v1/models` lists.
    const LISTED: [Model; 11] = [
        Model::Echo,
        Model::EchoStreamOnly,
        Model::EchoReasoning,
        Model::EchoTools,
        Model::Limited,
        Model::Recovers,
        Model::Forbidden,
        Model::Broken,
        Model::Cut,
        Model::ErrorInStream,
        Model::Slow,
    ];

    /// Faults that were observed in other servers.
    const FAULTS: [Model; 5] =
        [Model::FlatError, Model::UnendedError, Model::NoMark, Model::NoReason, Model::LateEnd];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Model::Echo => "echo",
            Model::EchoStreamOnly => "echo-stream-only",
            Model::EchoReasoning => "echo-reasoning",
            Model::EchoTools => "echo-tools",
            Model::Limited => "limited",
            Model::Recovers => "recovers",
            Model::Forbidden => "forbidden",
            Model::Broken => "broken",
            Model::Cut => "cut",
            Model::ErrorInStream => "error-in-stream",
            Model::Slow => "slow",
            Model::FlatError => "flat-error",
            Model::UnendedError => "unended-error",
            Model::NoMark => "no-mark",
            Model::NoReason => "no-reason",
            Model::LateEnd => "late-end",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Model> {
        let mut all = Model::LISTED.into_iter().chain(Model::FAULTS);
        all.find(|model| model.name() == name)
    }

    pub(crate) fn ending(self) -> Ending {
        match self {
            Model::Cut => Ending::Cut,
            Model::ErrorInStream => Ending::Error,
            Model::FlatError => Ending::FlatError,
            Model::UnendedError => Ending::UnendedError,
            Model::NoMark => Ending::NoMark,
            Model::NoReason => Ending::NoReason,
            Model::LateEnd => Ending::LateEnd,
            Model::Echo
            | Model::EchoStreamOnly
            | Model::EchoReasoning
            | Model::EchoTools
            | Model::Limited
            | Model::Recovers
            | Model::Forbidden
            | Model::Broken
            | Model::Slow => Ending::Whole,
        }
    }

    /// The pause between streamed words; `otherwise` is that of the options.
    pub(crate) fn word_pause(self, otherwise: Duration) -> Duration {
        if self == Model::Slow { SLOW_WORD_PAUSE } else { otherwise }
    }

    /// The body of `GET /v1/models`.
    pub(crate) fn list() -> String {
        let models = Model::LISTED.map(|model| {
            object(&[
                ("id", quoted(model.name())),
                ("object", quoted("model")),
                ("created", CREATED.to_string()),
                ("owned_by", quoted("modelwire-service")),
            ])
        });
        object(&[("object", quoted("list")), ("data", array(&models))])
    }
}
