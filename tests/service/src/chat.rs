//! The shapes of a chat completion, plain and streamed, as OpenAI sends them. Decides nothing.

use crate::answer::{Answer, Usage, words_of};
use crate::ask::Ask;
use crate::event_stream::{DONE, EventStream};
use crate::json::{array, null, object, quoted};
use crate::model::Ending;
use crate::problem::Problem;
use crate::script::Exchange;
use crate::ticket::Ticket;

const FINGERPRINT: &str = "fp_modelwire_service";
/// The function that `echo-tools` calls.
const TOOL: &str = "echo";

/// One chat on its way out.
pub(crate) struct Chat<'a> {
    pub(crate) ask: &'a Ask,
    pub(crate) answer: &'a Answer,
    pub(crate) ticket: &'a Ticket,
}

impl Chat<'_> {
    /// The body of a plain answer.
    pub(crate) fn body(&self) -> String {
        let choices: Vec<String> = (0..self.ask.choices)
            .map(|index| {
                object(&[
                    ("index", index.to_string()),
                    ("message", self.message(index)),
                    ("logprobs", null()),
                    ("finish_reason", quoted(self.finish_reason())),
                ])
            })
            .collect();
        object(&[
            ("id", quoted(&self.id())),
            ("object", quoted("chat.completion")),
            ("created", self.ticket.created.to_string()),
            ("model", quoted(self.ask.model.name())),
            ("choices", array(&choices)),
            ("usage", usage(&self.answer.usage)),
            ("service_tier", quoted("default")),
            ("system_fingerprint", quoted(FINGERPRINT)),
        ])
    }

    fn message(&self, index: usize) -> String {
        let text = self.answer.text();
        let mut fields = vec![("role", quoted("assistant"))];
        if self.answer.is_tool_call {
            fields.push(("content", null()));
            let call = object(&[
                ("id", quoted(&self.call_id(index))),
                ("type", quoted("function")),
                ("function", function(&arguments(&text))),
            ]);
            fields.push(("tool_calls", array(&[call])));
        } else {
            fields.push(("content", quoted(&text)));
        }
        if !self.answer.reasoning.is_empty() {
            fields.push(("reasoning_content", quoted(&self.answer.reasoning.concat())));
        }
        fields.push(("refusal", null()));
        fields.push(("annotations", array(&[])));
        object(&fields)
    }

    /// The streamed answer, however its model ends it.
    pub(crate) fn stream(&self) -> Exchange {
        let mut stream = EventStream::open(&[("x-request-id", &self.ticket.request_id())]);
        for index in 0..self.ask.choices {
            stream.data(&self.delta(index, self.opening(index)));
        }
        for (count, word) in self.words().into_iter().enumerate() {
            if count > 0 {
                stream.pause(self.ticket.word_pause);
            }
            for index in 0..self.ask.choices {
                stream.data(&self.delta(index, word.clone()));
            }
        }
        match self.ask.model.ending() {
            Ending::Whole => self.finish(&mut stream),
            Ending::Cut => return stream.cut(),
            Ending::Error => stream.data(&Problem::upstream_failed().envelope()),
        }
        stream.end()
    }

    /// The first delta of a choice.
    fn opening(&self, index: usize) -> String {
        let role = ("role", quoted("assistant"));
        if !self.answer.is_tool_call {
            return object(&[role, ("content", quoted("")), ("refusal", null())]);
        }
        let call = object(&[
            ("index", "0".to_owned()),
            ("id", quoted(&self.call_id(index))),
            ("type", quoted("function")),
            ("function", function("")),
        ]);
        let calls = array(&[call]);
        object(&[role, ("content", null()), ("tool_calls", calls), ("refusal", null())])
    }

    /// The deltas of a choice between its first and its finish.
    fn words(&self) -> Vec<String> {
        if self.answer.is_tool_call {
            return argument_pieces(&self.answer.text())
                .iter()
                .map(|piece| arguments_delta(piece))
                .collect();
        }
        let reasoning = self.answer.reasoning.iter();
        let reasoning = reasoning.map(|piece| object(&[("reasoning_content", quoted(piece))]));
        let words = self.answer.words.iter();
        let words = words.map(|piece| object(&[("content", quoted(piece))]));
        reasoning.chain(words).collect()
    }

    /// Finish reasons, usage, end mark. A caller who did not ask for the usage chunk finds the
    /// usage in the last chunk with a finish reason: streams of this service always report it.
    fn finish(&self, stream: &mut EventStream) {
        let usage = usage(&self.answer.usage);
        let asked = self.ask.include_usage;
        for index in 0..self.ask.choices {
            let choice = choice(index, object(&[]), quoted(self.finish_reason()));
            let reports = !asked && index + 1 == self.ask.choices;
            stream.data(&self.chunk(&[choice], reports.then(|| usage.clone())));
        }
        if asked {
            stream.data(&self.chunk(&[], Some(usage)));
        }
        stream.data(DONE);
    }

    fn delta(&self, index: usize, delta: String) -> String {
        self.chunk(&[choice(index, delta, null())], None)
    }

    fn chunk(&self, choices: &[String], usage: Option<String>) -> String {
        let mut fields = vec![
            ("id", quoted(&self.id())),
            ("object", quoted("chat.completion.chunk")),
            ("created", self.ticket.created.to_string()),
            ("model", quoted(self.ask.model.name())),
            ("service_tier", quoted("default")),
            ("system_fingerprint", quoted(FINGERPRINT)),
            ("choices", array(choices)),
        ];
        // Whoever asked for usage sees the field in every chunk, null until the last.
        if usage.is_some() || self.ask.include_usage {
            fields.push(("usage", usage.unwrap_or_else(null)));
        }
        object(&fields)
    }

    fn finish_reason(&self) -> &'static str {
        match (self.answer.is_tool_call, self.answer.is_truncated) {
            (true, _) => "tool_calls",
            (false, true) => "length",
            (false, false) => "stop",
        }
    }

    fn id(&self) -> String {
        format!("chatcmpl-{}", self.ticket.number)
    }

    fn call_id(&self, index: usize) -> String {
        format!("call_{}_{index}", self.ticket.number)
    }
}

fn choice(index: usize, delta: String, finish_reason: String) -> String {
    object(&[
        ("index", index.to_string()),
        ("delta", delta),
        ("logprobs", null()),
        ("finish_reason", finish_reason),
    ])
}

fn function(arguments: &str) -> String {
    object(&[("name", quoted(TOOL)), ("arguments", quoted(arguments))])
}

fn arguments(text: &str) -> String {
    object(&[("text", quoted(text))])
}

/// Several pieces even of a short text, and never one that is JSON by itself.
fn argument_pieces(text: &str) -> Vec<String> {
    let arguments = arguments(text);
    let (front, back) = arguments.split_at(r#"{"text":"#.len());
    let mut pieces = vec![front.to_owned()];
    pieces.extend(words_of(back));
    pieces
}

fn arguments_delta(piece: &str) -> String {
    let function = object(&[("arguments", quoted(piece))]);
    let call = object(&[("index", "0".to_owned()), ("function", function)]);
    object(&[("tool_calls", array(&[call]))])
}

fn usage(usage: &Usage) -> String {
    let zero = || "0".to_owned();
    let input = object(&[("cached_tokens", zero()), ("audio_tokens", zero())]);
    let output = object(&[
        ("reasoning_tokens", usage.reasoning.to_string()),
        ("audio_tokens", zero()),
        ("accepted_prediction_tokens", zero()),
        ("rejected_prediction_tokens", zero()),
    ]);
    object(&[
        ("prompt_tokens", usage.input.to_string()),
        ("completion_tokens", usage.output.to_string()),
        ("total_tokens", (usage.input + usage.output).to_string()),
        ("prompt_tokens_details", input),
        ("completion_tokens_details", output),
    ])
}
