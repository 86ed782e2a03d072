//! Sends a request, and prints its answer.

use std::borrow::Cow;

use modelwire::{Call, Chunk, Client, Event, Pop, Request, Response, Usage, Value};

use crate::console::{self, Output};
use crate::failure::{Exit, Failure};

/// How to request and print an answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Print each piece as it arrives.
    pub(crate) stream: bool,
    /// Print the service's JSON, not only the text.
    pub(crate) json: bool,
    /// Print the tokens used to standard error.
    pub(crate) usage: bool,
}

/// Sends the request and prints its answer.
pub(crate) fn print(client: &Client, request: Request, shape: Shape) -> Result<(), Failure> {
    let mut printer = Printer { output: Output::standard(), shape, ending: AnswerEnd::default() };
    let done = match shape.stream {
        true => printer.stream(client, request),
        false => client.blocking().send(request).map_err(Failure::from),
    };
    // End the line before anything is printed below it.
    let ended = printer.output.end_line();
    let answer = match done {
        Ok(answer) => answer,
        Err(failure) if printer.output.has_begun() && !failure.message.is_empty() => {
            return Err(failure.and("The printed answer is incomplete."));
        }
        Err(failure) => return Err(failure),
    };
    ended?;
    printer.finish(&answer)
}

struct Printer {
    output: Output,
    shape: Shape,
    ending: AnswerEnd,
}

/// How an answer ended, apart from its text.
#[derive(Debug, Default)]
struct AnswerEnd {
    /// `finish_reason` of a chat's first choice, or `status` of a response.
    reason: Option<String>,
    /// The model's refusal to answer.
    refusal: String,
    /// Whether the model asks for tool calls.
    calls_tools: bool,
    /// The error that a response reports.
    error: Option<String>,
}

impl Printer {
    fn stream(&mut self, client: &Client, request: Request) -> Result<Response, Failure> {
        let call = Call::new(client, request);
        call.start_to_wait(true)?;
        loop {
            let popped = match call.try_pop()? {
                Pop::Empty => {
                    // The queue is empty: show what arrived before waiting for more.
                    self.output.flush()?;
                    call.pop(None)?
                }
                popped @ (Pop::Event(_) | Pop::End) => popped,
            };
            match popped {
                Pop::Event(Event::Chunk(chunk)) => self.chunk(&chunk)?,
                Pop::Event(Event::Done(done)) => return done.map_err(Failure::from),
                Pop::Event(Event::Open(_)) | Pop::Empty => {}
                Pop::End => return Err(Failure::new(Exit::Internal, "the stream has no end")),
            }
        }
    }

    fn chunk(&mut self, chunk: &Chunk) -> Result<(), Failure> {
        self.ending.see_chunk(chunk);
        if self.shape.json {
            return self.output.line(&in_a_line(chunk.json()));
        }
        // Of several choices, the first is printed; chunks of all of them are interleaved.
        match chunk.choices().next() {
            Some(_) => {
                let first = chunk.choices().find(|choice| choice.index() == 0);
                let text = first.and_then(|choice| choice.content()).unwrap_or_default();
                self.output.text(&text)
            }
            None => self.output.text(&chunk.text()),
        }
    }

    /// Prints a whole answer, and reports how it ended.
    fn finish(&mut self, answer: &Response) -> Result<(), Failure> {
        if !self.shape.stream {
            let text = if self.shape.json { Cow::Borrowed(answer.json()) } else { answer.text() };
            self.ending.see_answer(answer);
            self.output.text(&text)?;
            self.output.end_line()?;
        }
        if self.shape.usage {
            console::say(&match answer.usage() {
                Some(usage) => told(usage),
                None => "the service reported no usage".to_owned(),
            });
        }
        self.ending.tell(self.shape.json)
    }
}

impl AnswerEnd {
    fn see_chunk(&mut self, chunk: &Chunk) {
        if let Some(first) = chunk.choices().find(|choice| choice.index() == 0) {
            self.see_reason(first.finish_reason());
            self.calls_tools |= first.tool_calls().next().is_some();
            let refusal = first.value().get("delta").and_then(|delta| text_of(delta, "refusal"));
            self.refusal.push_str(&refusal.unwrap_or_default());
        } else if let Some(kind) = chunk.kind() {
            if kind == "response.refusal.delta" {
                self.refusal.push_str(&text_of(chunk.value(), "delta").unwrap_or_default());
            }
            if let Some(response) = chunk.response() {
                self.see_response(response);
            }
        }
    }

    fn see_answer(&mut self, answer: &Response) {
        self.see_reason(answer.finish_reason());
        self.calls_tools = !answer.tool_calls().is_empty();
        let Some(document) = answer.document() else { return };
        let refusal = |choice: Value<'_>| text_of(choice.get("message")?, "refusal");
        if let Some(first) = document.choices().next() {
            self.refusal = refusal(first.value()).unwrap_or_default();
        } else {
            self.see_response(document.value());
            self.refusal = refusals_of(document.value());
        }
    }

    fn see_response(&mut self, response: Value<'_>) {
        self.see_reason(text_of(response, "status").map(Cow::Owned));
        let calls = |item: &Value<'_>| text_of(*item, "type").as_deref() == Some("function_call");
        let output = response.get("output").map(Value::items).unwrap_or_default();
        self.calls_tools |= output.iter().any(calls);
        self.error = response.get("error").and_then(|error| text_of(error, "message"));
        if self.reason.as_deref() == Some("incomplete") {
            let details = response.get("incomplete_details");
            let why = details.and_then(|details| text_of(details, "reason"));
            self.see_reason(why.map(Cow::Owned));
        }
    }

    fn see_reason(&mut self, reason: Option<Cow<'_, str>>) {
        if let Some(reason) = reason {
            self.reason = Some(reason.into_owned());
        }
    }

    /// Reports on standard error what the printed text does not show. A failed answer and a refusal are
    /// failures; a truncated answer is not.
    fn tell(&self, json: bool) -> Result<(), Failure> {
        let reason = self.reason.as_deref().unwrap_or_default();
        if reason == "failed" {
            let why = self.error.as_deref().unwrap_or("the service gave no reason");
            return Err(Failure::new(Exit::Stream, format!("the answer failed: {why}")));
        }
        if !self.refusal.is_empty() {
            let message = format!("the model refused: {}", self.refusal);
            return Err(Failure::new(Exit::Refused, message));
        }
        match reason {
            "length" | "max_output_tokens" => {
                console::say(&format!("the answer was cut at its token limit ({reason})"));
            }
            "content_filter" => {
                console::say("the service's content filter cut the answer short (content_filter)");
            }
            _ if self.calls_tools && !json => {
                console::say("the model called tools: --json shows the calls");
            }
            _ => {}
        }
        Ok(())
    }
}

fn text_of(value: Value<'_>, name: &str) -> Option<String> {
    Some(value.get(name)?.as_str()?.into_owned())
}

/// The refusals in the output of a whole response.
fn refusals_of(response: Value<'_>) -> String {
    let output = response.get("output").map(Value::items).unwrap_or_default();
    let contents = output.into_iter().filter_map(|item| item.get("content")).flat_map(Value::items);
    contents.filter_map(|content| text_of(content, "refusal")).collect()
}

/// JSON on one line: line ends can only be between values.
fn in_a_line(json: &str) -> Cow<'_, str> {
    match json.contains(['\n', '\r']) {
        true => Cow::Owned(json.replace(['\n', '\r'], " ")),
        false => Cow::Borrowed(json),
    }
}

fn told(usage: Usage) -> String {
    let Usage { input_tokens, output_tokens, total_tokens, .. } = usage;
    format!("{input_tokens} tokens in, {output_tokens} out, {total_tokens} in all")
}
