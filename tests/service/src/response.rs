//! The JSON of a response, plain and streamed, in OpenAI's form.

use crate::answer::{Answer, Finish, Reported, ToolCall, Usage};
use crate::ask::Ask;
use crate::chat::argument_pieces;
use crate::event_stream::EventStream;
use crate::json::{array, null, object, quoted};
use crate::model::{Ending, LATE_END_PAUSE};
use crate::problem::Problem;
use crate::script::Exchange;
use crate::ticket::Ticket;

const IN_PROGRESS: &str = "in_progress";

/// A response to send.
pub(crate) struct Response<'a> {
    pub(crate) ask: &'a Ask,
    pub(crate) answer: &'a Answer,
    pub(crate) ticket: &'a Ticket,
}

/// Numbers the events of a stream.
struct Events {
    stream: EventStream,
    sequence_number: u64,
}

impl Events {
    fn send(&mut self, kind: &str, fields: &[(&str, String)]) {
        let mut all =
            vec![("type", quoted(kind)), ("sequence_number", self.sequence_number.to_string())];
        all.extend(fields.iter().cloned());
        self.stream.named(kind, &object(&all));
        self.sequence_number += 1;
    }
}

impl Response<'_> {
    /// The body of a plain answer.
    pub(crate) fn body(&self) -> String {
        let mut items = Vec::new();
        if self.speaks() {
            items.push(self.item(self.status(), &[part(&self.answer.text())]));
        }
        let calls = self.answer.tool_calls.iter().enumerate();
        items.extend(calls.map(|(at, call)| self.call(at, call, "completed", &call.arguments)));
        self.response(self.status(), &items, true)
    }

    /// The streamed answer, with the ending of its model. There is no `[DONE]`.
    pub(crate) fn stream(&self) -> Exchange {
        let stream = EventStream::open(&[("x-request-id", &self.ticket.request_id())]);
        let mut events = Events { stream, sequence_number: 0 };
        self.begin(&mut events);
        for (count, word) in self.answer.words.iter().enumerate() {
            if count > 0 {
                events.stream.pause(self.ticket.word_pause);
            }
            let text = [("delta", quoted(word)), ("logprobs", array(&[]))];
            self.part_event(&mut events, "response.output_text.delta", &text);
        }
        match self.ask.model.ending() {
            Ending::Whole => self.finish(&mut events),
            Ending::Cut => return events.stream.cut(),
            Ending::Error => {
                let error = Problem::upstream_failed().response_event(events.sequence_number);
                events.stream.named("error", &error);
            }
            Ending::LateEnd => {
                self.finish(&mut events);
                events.stream.pause(LATE_END_PAUSE);
            }
            broken => broken.write_to(&mut events.stream),
        }
        events.stream.end()
    }

    fn begin(&self, events: &mut Events) {
        let response = self.response(IN_PROGRESS, &[], false);
        events.send("response.created", &[("response", response.clone())]);
        events.send("response.in_progress", &[("response", response)]);
        if self.speaks() {
            let item = self.item(IN_PROGRESS, &[]);
            events.send("response.output_item.added", &[output_index(0), ("item", item)]);
            self.part_event(events, "response.content_part.added", &[("part", part(""))]);
        }
    }

    fn finish(&self, events: &mut Events) {
        if self.speaks() {
            self.finish_message(events);
        }
        for (at, call) in self.answer.tool_calls.iter().enumerate() {
            self.stream_call(events, at, call);
        }
        let kind = format!("response.{}", self.status());
        events.send(&kind, &[("response", self.body())]);
    }

    fn finish_message(&self, events: &mut Events) {
        let text = self.answer.text();
        let done = [("text", quoted(&text)), ("logprobs", array(&[]))];
        self.part_event(events, "response.output_text.done", &done);
        self.part_event(events, "response.content_part.done", &[("part", part(&text))]);
        let item = self.item(self.status(), &[part(&text)]);
        events.send("response.output_item.done", &[output_index(0), ("item", item)]);
    }

    /// Sends a tool call, which is a separate item after the message.
    fn stream_call(&self, events: &mut Events, at: usize, call: &ToolCall) {
        let index = || output_index(at + usize::from(self.speaks()));
        let item_id = || ("item_id", quoted(&self.call_item_id(at)));
        let begun = self.call(at, call, IN_PROGRESS, "");
        events.send("response.output_item.added", &[index(), ("item", begun)]);
        for piece in argument_pieces(&call.arguments) {
            events.stream.pause(self.ticket.word_pause);
            let delta = [item_id(), index(), ("delta", quoted(&piece))];
            events.send("response.function_call_arguments.delta", &delta);
        }
        let done = [item_id(), index(), ("arguments", quoted(&call.arguments))];
        events.send("response.function_call_arguments.done", &done);
        let item = self.call(at, call, "completed", &call.arguments);
        events.send("response.output_item.done", &[index(), ("item", item)]);
    }

    fn call(&self, at: usize, call: &ToolCall, status: &str, arguments: &str) -> String {
        object(&[
            ("id", quoted(&self.call_item_id(at))),
            ("type", quoted("function_call")),
            ("status", quoted(status)),
            ("arguments", quoted(arguments)),
            ("call_id", quoted(&format!("call_{}_{at}", self.ticket.number))),
            ("name", quoted(&call.name)),
        ])
    }

    /// Whether there is a message; an answer may consist of tool calls only.
    fn speaks(&self) -> bool {
        self.answer.tool_calls.is_empty() || !self.answer.words.is_empty()
    }

    /// Sends an event about the only part of the only message.
    fn part_event(&self, events: &mut Events, kind: &str, fields: &[(&str, String)]) {
        let item_id = ("item_id", quoted(&self.item_id()));
        let mut all = vec![item_id, output_index(0), ("content_index", "0".to_owned())];
        all.extend(fields.iter().cloned());
        events.send(kind, &all);
    }

    fn item(&self, status: &str, parts: &[String]) -> String {
        object(&[
            ("id", quoted(&self.item_id())),
            ("type", quoted("message")),
            ("status", quoted(status)),
            ("content", array(parts)),
            ("role", quoted("assistant")),
        ])
    }

    fn response(&self, status: &str, output: &[String], is_over: bool) -> String {
        let words_max = self.ask.words_max.map_or_else(null, |bound| bound.to_string());
        let incomplete = match self.answer.finish {
            Finish::Stop => None,
            Finish::Length => Some("max_output_tokens"),
            Finish::ContentFilter => Some("content_filter"),
        };
        let incomplete = incomplete.filter(|_| is_over);
        let incomplete = incomplete.map(|reason| object(&[("reason", quoted(reason))]));
        let truth = || "true".to_owned();
        let format = object(&[("format", object(&[("type", quoted("text"))]))]);
        object(&[
            ("id", quoted(&format!("resp_{}", self.ticket.number))),
            ("object", quoted("response")),
            ("created_at", self.ticket.created.to_string()),
            ("status", quoted(status)),
            ("background", "false".to_owned()),
            ("error", null()),
            ("incomplete_details", incomplete.unwrap_or_else(null)),
            ("instructions", null()),
            ("max_output_tokens", words_max),
            ("model", quoted(&self.ask.name)),
            ("output", array(output)),
            ("parallel_tool_calls", truth()),
            ("previous_response_id", null()),
            ("reasoning", object(&[("effort", null()), ("summary", null())])),
            ("service_tier", quoted("default")),
            ("store", truth()),
            ("temperature", "1.0".to_owned()),
            ("text", format),
            ("tool_choice", quoted("auto")),
            ("tools", array(&[])),
            ("top_p", "1.0".to_owned()),
            ("truncation", quoted("disabled")),
            (
                "usage",
                if is_over && self.answer.reported != Reported::Never {
                    usage(&self.answer.usage)
                } else {
                    null()
                },
            ),
            ("user", null()),
            ("metadata", object(&[])),
        ])
    }

    fn status(&self) -> &'static str {
        if self.answer.finish == Finish::Stop { "completed" } else { "incomplete" }
    }

    fn call_item_id(&self, at: usize) -> String {
        format!("fc_{}_{at}", self.ticket.number)
    }

    fn item_id(&self) -> String {
        format!("msg_{}", self.ticket.number)
    }
}

fn output_index(index: usize) -> (&'static str, String) {
    ("output_index", index.to_string())
}

fn part(text: &str) -> String {
    object(&[
        ("type", quoted("output_text")),
        ("annotations", array(&[])),
        ("logprobs", array(&[])),
        ("text", quoted(text)),
    ])
}

fn usage(usage: &Usage) -> String {
    object(&[
        ("input_tokens", usage.input.to_string()),
        ("input_tokens_details", object(&[("cached_tokens", "0".to_owned())])),
        ("output_tokens", usage.output.to_string()),
        ("output_tokens_details", object(&[("reasoning_tokens", usage.reasoning.to_string())])),
        ("total_tokens", (usage.input + usage.output).to_string()),
    ])
}
