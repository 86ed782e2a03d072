//! The JSON of a chat completion, plain and streamed, in OpenAI's form.

use crate::answer::{Answer, Finish, Reported, ToolCall, Usage, words_of};
use crate::ask::Ask;
use crate::event_stream::{DONE, EventStream};
use crate::json::{array, null, object, quoted};
use crate::model::{Ending, LATE_END_PAUSE};
use crate::problem::Problem;
use crate::script::Exchange;
use crate::ticket::Ticket;

const FINGERPRINT: &str = "fp_modelwire_testing";

/// A chat completion to send.
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
        let mut fields = vec![
            ("id", quoted(&self.id())),
            ("object", quoted("chat.completion")),
            ("created", self.ticket.created.to_string()),
            ("model", quoted(&self.ask.name)),
            ("choices", array(&choices)),
        ];
        if self.answer.reported != Reported::Never {
            fields.push(("usage", usage(&self.answer.usage)));
        }
        fields.push(("service_tier", quoted("default")));
        fields.push(("system_fingerprint", quoted(FINGERPRINT)));
        object(&fields)
    }

    fn message(&self, index: usize) -> String {
        let text = self.answer.text();
        let mut fields = vec![("role", quoted("assistant"))];
        let calls = self.answer.tool_calls.iter().enumerate();
        let calls: Vec<String> = calls.map(|(at, call)| self.call(index, at, call)).collect();
        let only_calls = self.opens_with_call();
        fields.push(("content", if only_calls { null() } else { quoted(&text) }));
        if !calls.is_empty() {
            fields.push(("tool_calls", array(&calls)));
        }
        if !self.answer.reasoning.is_empty() {
            fields.push(("reasoning_content", quoted(&self.answer.reasoning.concat())));
        }
        fields.push(("refusal", null()));
        fields.push(("annotations", array(&[])));
        object(&fields)
    }

    /// The streamed answer, with the ending of its model.
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
                stream.data(&self.delta(index, word.delta(self, index)));
            }
        }
        match self.ask.model.ending() {
            Ending::Whole => self.finish(&mut stream),
            Ending::Cut => return stream.cut(),
            Ending::Error => stream.data(&Problem::upstream_failed().envelope()),
            Ending::LateEnd => {
                self.finish(&mut stream);
                stream.pause(LATE_END_PAUSE);
            }
            broken => broken.write_to(&mut stream),
        }
        stream.end()
    }

    /// The first delta of a choice.
    fn opening(&self, index: usize) -> String {
        let role = ("role", quoted("assistant"));
        match self.answer.tool_calls.first() {
            Some(call) if self.opens_with_call() => {
                let calls = array(&[self.call_begins(index, 0, call)]);
                object(&[role, ("content", null()), ("tool_calls", calls), ("refusal", null())])
            }
            _ => object(&[role, ("content", quoted("")), ("refusal", null())]),
        }
    }

    /// Whether the first tool call comes before any text.
    fn opens_with_call(&self) -> bool {
        let answer = self.answer;
        !answer.tool_calls.is_empty() && answer.words.is_empty() && answer.reasoning.is_empty()
    }

    /// A tool call of a plain answer.
    fn call(&self, index: usize, at: usize, call: &ToolCall) -> String {
        object(&[
            ("id", quoted(&self.call_id(index, at))),
            ("type", quoted("function")),
            ("function", function(&call.name, &call.arguments)),
        ])
    }

    /// A tool call of a stream, before its arguments.
    fn call_begins(&self, index: usize, at: usize, call: &ToolCall) -> String {
        object(&[
            ("index", at.to_string()),
            ("id", quoted(&self.call_id(index, at))),
            ("type", quoted("function")),
            ("function", function(&call.name, "")),
        ])
    }

    /// The deltas of a choice between the first one and its finish.
    fn words(&self) -> Vec<Word<'_>> {
        let reasoning = self.answer.reasoning.iter();
        let reasoning = reasoning.map(|piece| object(&[("reasoning_content", quoted(piece))]));
        let words = self.answer.words.iter();
        let words = words.map(|piece| object(&[("content", quoted(piece))]));
        let mut words: Vec<Word<'_>> = reasoning.chain(words).map(Word::Said).collect();
        for (at, call) in self.answer.tool_calls.iter().enumerate() {
            if at > 0 || !self.opens_with_call() {
                words.push(Word::Calls(at, call));
            }
            let pieces = argument_pieces(&call.arguments);
            words.extend(pieces.iter().map(|piece| Word::Said(arguments_delta(at, piece))));
        }
        words
    }

    /// Sends finish reasons, usage and the end mark. Requested usage is in a separate chunk, as in OpenAI's
    /// API; unrequested usage is in the last chunk with a finish reason, as some services send it.
    fn finish(&self, stream: &mut EventStream) {
        let reported = self.answer.reported;
        let usage = usage(&self.answer.usage);
        for index in 0..self.ask.choices {
            let choice = choice(index, object(&[]), quoted(self.finish_reason()));
            let is_last = index + 1 == self.ask.choices;
            let reports = reported == Reported::Always && is_last && !self.ask.include_usage;
            stream.data(&self.chunk(&[choice], reports.then(|| usage.clone())));
        }
        if self.ask.include_usage && reported != Reported::Never {
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
            ("model", quoted(&self.ask.name)),
            ("service_tier", quoted("default")),
            ("system_fingerprint", quoted(FINGERPRINT)),
            ("choices", array(choices)),
        ];
        // If usage was requested, every chunk has the field; it is null until the last.
        if usage.is_some() || self.ask.include_usage {
            fields.push(("usage", usage.unwrap_or_else(null)));
        }
        object(&fields)
    }

    fn finish_reason(&self) -> &'static str {
        match self.answer.finish {
            Finish::Stop if !self.answer.tool_calls.is_empty() => "tool_calls",
            Finish::Stop => "stop",
            Finish::Length => "length",
            Finish::ContentFilter => "content_filter",
        }
    }

    fn id(&self) -> String {
        format!("chatcmpl-{}", self.ticket.number)
    }

    fn call_id(&self, index: usize, at: usize) -> String {
        match at {
            0 => format!("call_{}_{index}", self.ticket.number),
            _ => format!("call_{}_{index}_{at}", self.ticket.number),
        }
    }
}

/// The content between the first delta of every choice and its finish.
enum Word<'a> {
    /// A delta that is the same in all choices.
    Said(String),
    /// The start of a tool call, whose id differs between choices.
    Calls(usize, &'a ToolCall),
}

impl Word<'_> {
    fn delta(&self, chat: &Chat<'_>, index: usize) -> String {
        match self {
            Word::Said(delta) => delta.clone(),
            Word::Calls(at, call) => {
                object(&[("tool_calls", array(&[chat.call_begins(index, *at, call)]))])
            }
        }
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

fn function(name: &str, arguments: &str) -> String {
    object(&[("name", quoted(name)), ("arguments", quoted(arguments))])
}

/// Several pieces even for short arguments, none of which is valid JSON alone.
pub(crate) fn argument_pieces(arguments: &str) -> Vec<String> {
    let Some((name, rest)) = arguments.split_once(':') else {
        return vec![arguments.to_owned()];
    };
    let mut pieces = vec![format!("{name}:")];
    pieces.extend(words_of(rest));
    pieces
}

fn arguments_delta(at: usize, piece: &str) -> String {
    let function = object(&[("arguments", quoted(piece))]);
    let call = object(&[("index", at.to_string()), ("function", function)]);
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
