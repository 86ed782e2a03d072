//! The body of a request: whole JSON text, or built of fields and the messages of a conversation. Does no
//! I/O.

use crate::answer::response::Response;
use crate::protocol::endpoint::Endpoint;
use crate::protocol::escapes::write_str;
use crate::protocol::steps::{Step, Steps};
use crate::protocol::value::{Kind, Value};
use crate::request::message::{Message, Part};

#[derive(Clone, Debug)]
pub(crate) enum Body {
    None,
    /// Whole JSON text.
    Text(String),
    Built(Built),
}

/// Fields by name, in order, each as JSON text; and the messages of a chat or the input items of a
/// response.
#[derive(Clone, Debug)]
pub(crate) struct Built {
    endpoint: Endpoint,
    members: Vec<(String, String)>,
    items: Vec<Item>,
}

#[derive(Clone, Debug)]
enum Item {
    Message(Message),
    Json(String),
}

/// Why something cannot be added; the body is as it was.
type Refused = Result<(), String>;

impl Built {
    pub(crate) fn new(endpoint: Endpoint) -> Built {
        Built { endpoint, members: Vec::new(), items: Vec::new() }
    }

    /// Sets a field to JSON text; a second value replaces the first.
    pub(crate) fn set(&mut self, name: &str, text: &str) {
        if name == self.endpoint.content_field() {
            self.items.clear();
        }
        match self.member(name) {
            Some(value) => text.clone_into(value),
            None => self.members.push((name.to_owned(), text.to_owned())),
        }
    }

    fn member(&mut self, name: &str) -> Option<&mut String> {
        self.members.iter_mut().find(|(given, _)| given == name).map(|(_, value)| value)
    }

    /// Appends JSON text to an array.
    pub(crate) fn append(&mut self, name: &str, text: &str) -> Refused {
        if let Err(cause) = Value::parse(text) {
            return Err(format!("the value for {name} is not JSON: {cause}"));
        }
        if name == self.endpoint.content_field() {
            return self.add(Item::Json(text.to_owned()));
        }
        let Some(array) = self.member(name) else {
            self.set(name, &format!("[{text}]"));
            return Ok(());
        };
        let is_array = Value::parse(array).is_ok_and(|value| value.kind() == Kind::Array);
        let end = array.rfind(']').filter(|_| is_array);
        let end = end.ok_or_else(|| format!("{name} is not an array"))?;
        array.truncate(end);
        if !array.trim_end().ends_with('[') {
            array.push(',');
        }
        array.push_str(text);
        array.push(']');
        Ok(())
    }

    pub(crate) fn add_message(&mut self, message: Message) -> Refused {
        message.check()?;
        self.add(Item::Message(message))
    }

    fn add(&mut self, item: Item) -> Refused {
        self.take_content()?;
        self.items.push(item);
        Ok(())
    }

    /// Messages that were set as a field become items, so that more can follow them.
    fn take_content(&mut self) -> Refused {
        let name = self.endpoint.content_field();
        let Some(at) = self.members.iter().position(|(given, _)| given == name) else {
            return Ok(());
        };
        let text = self.members.get(at).map(|(_, text)| text.clone()).unwrap_or_default();
        self.items = match Value::parse(&text) {
            Ok(value) if value.kind() == Kind::Array => {
                let own = |item: Value<'_>| Item::Json(item.text().to_owned());
                value.items().into_iter().map(own).collect()
            }
            Ok(value) if value.kind() == Kind::String && self.endpoint == Endpoint::Responses => {
                vec![Item::Message(Message::user(value.as_str().unwrap_or_default()))]
            }
            _ => return Err(format!("{name} is not an array")),
        };
        self.members.remove(at);
        Ok(())
    }

    /// Adds a part to the last message.
    pub(crate) fn add_part(&mut self, part: Part) -> Refused {
        match self.items.last_mut() {
            Some(Item::Message(message)) => {
                message.push(part);
                message.check().inspect_err(|_| message.pop())
            }
            _ => Err("add the message first, then its parts".to_owned()),
        }
    }

    /// Adds what the model answered: a chat's message with its tool calls, or all items of a response.
    pub(crate) fn add_response(&mut self, response: &Response) -> Refused {
        let (theirs, ours) = (response.endpoint().name(), self.endpoint.name());
        if theirs != ours {
            return Err(format!("the operation of the answer is {theirs}, of this request {ours}"));
        }
        let Some(document) = response.document() else {
            return Err(
                "the stream was not gathered: set the option gather for its call".to_owned()
            );
        };
        let value = document.value();
        let said = match self.endpoint {
            Endpoint::Chat => value.pointer("/choices/0/message").into_iter().collect(),
            Endpoint::Responses | Endpoint::Models => {
                value.get("output").map(Value::items).unwrap_or_default()
            }
        };
        if said.is_empty() {
            return Err("the answer has no message".to_owned());
        }
        self.take_content()?;
        let said: Vec<_> = said.into_iter().map(|item| Item::Json(self.sendable(item))).collect();
        self.items.extend(said);
        Ok(())
    }

    /// An item of an answer as JSON that every service reads: with a role in a chat, and without halves
    /// of surrogate pairs, which a model may write but no UTF-8 text can have.
    fn sendable(&self, item: Value<'_>) -> String {
        let may_have_halves = item.text().contains("\\ud") || item.text().contains("\\uD");
        let mut text = if may_have_halves { rewritten(item) } else { item.text().to_owned() };
        if self.endpoint == Endpoint::Chat && item.get("role").is_none() && text.starts_with('{') {
            let comma = if item.count() == 0 { "" } else { "," };
            text.replace_range(..1, &format!("{{\"role\":\"assistant\"{comma}"));
        }
        text
    }

    /// Adds the result of a tool call, by the call's id, which is empty where the service omitted it.
    pub(crate) fn add_tool_result(&mut self, id: &str, output: &str) -> Refused {
        let (start, middle) = match self.endpoint {
            Endpoint::Responses => ("{\"type\":\"function_call_output\",\"call_id\":", "output"),
            Endpoint::Chat | Endpoint::Models => {
                ("{\"role\":\"tool\",\"tool_call_id\":", "content")
            }
        };
        let mut text = String::from(start);
        write_str(id, &mut text);
        text.push_str(&format!(",\"{middle}\":"));
        write_str(output, &mut text);
        text.push('}');
        self.add(Item::Json(text))
    }

    /// Requires that the output matches a JSON schema.
    pub(crate) fn set_schema(&mut self, name: &str, schema: &str) -> Refused {
        let mut format = String::from("\"name\":");
        write_str(name, &mut format);
        format.push_str(&format!(",\"strict\":true,\"schema\":{schema}}}"));
        if self.endpoint == Endpoint::Chat {
            let wrapped = format!("{{\"type\":\"json_schema\",\"json_schema\":{{{format}}}");
            self.set("response_format", &wrapped);
            return Ok(());
        }
        let format = format!("\"format\":{{\"type\":\"json_schema\",{format}");
        let given = self.member("text").map_or("{}", |text| text.trim());
        let value = Value::validated(given);
        if value.kind() != Kind::Object || value.get("format").is_some() {
            return Err(format!("text is already {given}"));
        }
        let rest = given.strip_prefix('{').unwrap_or_default().trim_start();
        let comma = if rest == "}" { "" } else { "," };
        let text = format!("{{{format}{comma}{rest}");
        self.set("text", &text);
        Ok(())
    }

    /// The text of the whole body.
    pub(crate) fn text(&self) -> String {
        let mut text = String::from("{");
        for (name, value) in &self.members {
            write_str(name, &mut text);
            text.push(':');
            text.push_str(value);
            text.push(',');
        }
        for (index, item) in self.items.iter().enumerate() {
            if index == 0 {
                text.push_str(&format!("\"{}\":[", self.endpoint.content_field()));
            }
            match item {
                Item::Message(message) => message.write(self.endpoint, &mut text),
                Item::Json(json) => text.push_str(json),
            }
            text.push(',');
        }
        text.truncate(text.trim_end_matches(',').len());
        text.push_str(if self.items.is_empty() { "}" } else { "]}" });
        text
    }
}

/// Writes a value again, with U+FFFD in place of each lone surrogate. In one pass: it may be nested deep.
fn rewritten(value: Value<'_>) -> String {
    let mut out = String::with_capacity(value.text().len());
    // How each open level ends.
    let mut ends = Vec::new();
    let mut is_behind = false;
    for step in Steps::of(value) {
        if is_behind && !matches!(step, Step::End) {
            out.push(',');
        }
        is_behind = matches!(step, Step::Scalar(_) | Step::End);
        match step {
            Step::Begin(kind) => {
                let (begin, end) = if kind == Kind::Object { ('{', '}') } else { ('[', ']') };
                out.push(begin);
                ends.push(end);
            }
            Step::Name(name) => {
                write_str(&name, &mut out);
                out.push(':');
            }
            Step::Scalar(scalar) => match scalar.as_str() {
                Some(text) => write_str(&text, &mut out),
                None => out.push_str(scalar.text()),
            },
            Step::End => out.extend(ends.pop()),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::system::with_signals_blocked;

    #[test]
    fn a_value_is_written_again_without_halves_of_pairs() {
        let value =
            r#" {"a\ud800":[ 1, "\udc00x", [], {} ],"b":{"c":null,"d":true} ,"e":"\ud83d\ude00"}"#;
        let again = "{\"a\u{fffd}\":[1,\"\u{fffd}x\",[],{}],\"b\":{\"c\":null,\"d\":true},\"e\":\"\u{1f600}\"}";
        assert_eq!(rewritten(Value::validated(value)), again);
        assert_eq!(rewritten(Value::validated(r#""\ud800""#)), "\"\u{fffd}\"");
    }

    /// To write each level by itself would take minutes, and a recursion more stack than this.
    #[test]
    fn a_value_is_written_again_in_one_pass_whatever_its_nesting() {
        let value = format!("{}{}0{}", "[".repeat(1000), "0,".repeat(1 << 20), "]".repeat(1000));
        let (stack, write) = (128 << 10, move || rewritten(Value::validated(&value)) == value);
        let run = with_signals_blocked(|| thread::Builder::new().stack_size(stack).spawn(write));
        assert!(run.is_ok_and(|run| run.join().is_ok_and(|is_same| is_same)));
    }
}
