//! The shapes of a response, plain and streamed, as OpenAI sends them. Decides nothing.

use crate::answer::{Answer, Usage};
use crate::ask::Ask;
use crate::event_stream::EventStream;
use crate::json::{array, null, object, quoted};
use crate::model::Ending;
use crate::problem::Problem;
use crate::script::Exchange;
use crate::ticket::Ticket;

const IN_PROGRESS: &str = "in_progress";

/// One response on its way out.
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
        let text = part(&self.answer.text());
        self.response(self.status(), &[self.item(self.status(), &[text])], true)
    }

    /// The streamed answer, however its model ends it. There is no `[DONE]`.
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
        }
        events.stream.end()
    }

    fn begin(&self, events: &mut Events) {
        let response = self.response(IN_PROGRESS, &[], false);
        events.send("response.created", &[("response", response.clone())]);
        events.send("response.in_progress", &[("response", response)]);
        let item = self.item(IN_PROGRESS, &[]);
        events.send("response.output_item.added", &[output_index(), ("item", item)]);
        self.part_event(events, "response.content_part.added", &[("part", part(""))]);
    }

    fn finish(&self, events: &mut Events) {
        let text = self.answer.text();
        let done = [("text", quoted(&text)), ("logprobs", array(&[]))];
        self.part_event(events, "response.output_text.done", &done);
        self.part_event(events, "response.content_part.done", &[("part", part(&text))]);
        let item = self.item(self.status(), &[part(&text)]);
        events.send("response.output_item.done", &[output_index(), ("item", item)]);
        let kind = format!("response.{}", self.status());
        events.send(&kind, &[("response", self.body())]);
    }

    /// An event about the one part of the one item.
    fn part_event(&self, events: &mut Events, kind: &str, fields: &[(&str, String)]) {
        let item_id = ("item_id", quoted(&self.item_id()));
        let mut all = vec![item_id, output_index(), ("content_index", "0".to_owned())];
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
        let cut_short = is_over && self.answer.is_truncated;
        let incomplete = object(&[("reason", quoted("max_output_tokens"))]);
        let truth = || "true".to_owned();
        let format = object(&[("format", object(&[("type", quoted("text"))]))]);
        object(&[
            ("id", quoted(&format!("resp_{}", self.ticket.number))),
            ("object", quoted("response")),
            ("created_at", self.ticket.created.to_string()),
            ("status", quoted(status)),
            ("background", "false".to_owned()),
            ("error", null()),
            ("incomplete_details", if cut_short { incomplete } else { null() }),
            ("instructions", null()),
            ("max_output_tokens", words_max),
            ("model", quoted(self.ask.model.name())),
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
            ("usage", if is_over { usage(&self.answer.usage) } else { null() }),
            ("user", null()),
            ("metadata", object(&[])),
        ])
    }

    fn status(&self) -> &'static str {
        if self.answer.is_truncated { "incomplete" } else { "completed" }
    }

    fn item_id(&self) -> String {
        format!("msg_{}", self.ticket.number)
    }
}

fn output_index() -> (&'static str, String) {
    ("output_index", "0".to_owned())
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
