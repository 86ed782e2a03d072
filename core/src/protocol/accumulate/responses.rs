//! Gathers the events of a response into the response.

use super::tree::{
    Gathered, List, Node, Object, ResponseTooLarge, Room, without_duplicates, write_name,
};
use crate::protocol::escapes::write_str;
use crate::protocol::value::{Kind, Value};

/// A response: the one in its final event, or the one built from the events before it.
#[derive(Debug, Default)]
pub(super) struct Response {
    /// The last response object, as it was sent.
    text: String,
    /// The status of the final event.
    ended: Option<&'static str>,
    /// The items built from events, unless the final response has its own output.
    output: List,
}

/// The events that end a response; each has the name of its status.
const FINAL: [&str; 3] = ["completed", "failed", "incomplete"];

/// The destination of a text that arrives in pieces: an item's own member, or a part in one of its lists.
struct Piece {
    event: &'static str,
    item: &'static str,
    part: Option<Part>,
    field: &'static str,
}

struct Part {
    list: &'static str,
    index: &'static str,
    new: &'static str,
}

const MESSAGE: &str = "\"type\":\"message\",\"status\":\"in_progress\",\"role\":\"assistant\"";
const CALL: &str = "\"type\":\"function_call\",\"status\":\"in_progress\"";
const REASONING: &str = "\"type\":\"reasoning\",\"summary\":[]";

const fn content(new: &'static str) -> Option<Part> {
    Some(Part { list: "content", index: "content_index", new })
}

const fn summary(new: &'static str) -> Option<Part> {
    Some(Part { list: "summary", index: "summary_index", new })
}

#[rustfmt::skip]
const PIECES: [Piece; 8] = [
    Piece { event: "output_text", item: MESSAGE, field: "text",
            part: content(r#"{"type":"output_text","annotations":[],"text":""}"#) },
    Piece { event: "refusal", item: MESSAGE, field: "refusal",
            part: content(r#"{"type":"refusal","refusal":""}"#) },
    Piece { event: "reasoning_text", item: REASONING, field: "text",
            part: content(r#"{"type":"reasoning_text","text":""}"#) },
    Piece { event: "reasoning_summary_text", item: REASONING, field: "text",
            part: summary(r#"{"type":"summary_text","text":""}"#) },
    Piece { event: "function_call_arguments", item: CALL,
            field: "arguments", part: None },
    Piece { event: "custom_tool_call_input", item: "\"type\":\"custom_tool_call\"",
            field: "input", part: None },
    Piece { event: "mcp_call_arguments", item: "\"type\":\"mcp_call\"",
            field: "arguments", part: None },
    Piece { event: "code_interpreter_call_code", item: "\"type\":\"code_interpreter_call\"",
            field: "code", part: None },
];
/// The events that contain whole parts.
const PARTS: [(&str, &str, Option<Part>); 2] = [
    ("content_part", MESSAGE, content("null")),
    ("reasoning_summary_part", REASONING, summary("null")),
];

impl Response {
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.output.items.is_empty()
    }

    pub(super) fn add(&mut self, event: Value<'_>, room: &mut Room) -> Gathered {
        let kind = event.text_at("/type").unwrap_or_default();
        let Some((subject, step)) = kind.strip_prefix("response.").map(|kind| {
            // `response.completed` has no step.
            kind.rsplit_once('.').unwrap_or((kind, ""))
        }) else {
            return Ok(());
        };
        if self.ended.is_some() {
            return Ok(());
        }
        let ended = FINAL.into_iter().find(|name| *name == subject);
        if let Some(response) = object(event, "response") {
            self.response(ended.is_some(), response, room)?;
        }
        self.ended = ended;
        if let Some(ended) = ended {
            return self.end_items(ended, room);
        }
        if object(event, "response").is_some() {
            return Ok(());
        }
        if let ("output_item", Some(item)) = (subject, object(event, "item")) {
            return self.item(event, item, step == "done", room);
        }
        for (name, item, part) in &PARTS {
            if let (true, Some(part), Some(whole)) = (*name == subject, part, object(event, "part"))
            {
                let Some(object) = self.item_of(event, item, room)? else { return Ok(()) };
                let is_new = step == "added";
                let Some(node) = part_of(object, event, part, is_new, room)? else { return Ok(()) };
                return if is_new { node.begin(whole, room) } else { node.put(whole, room) };
            }
        }
        let Some(piece) = PIECES.iter().find(|piece| piece.event == subject) else {
            return Ok(());
        };
        self.piece(event, piece, step, room)
    }

    fn response(&mut self, is_final: bool, response: Value<'_>, room: &mut Room) -> Gathered {
        // Some services send a final response without the output that they sent before.
        let replaces = is_final && has_output(response);
        let old = if replaces { room.used } else { self.text.len() };
        room.swap(old, response.text().len())?;
        if replaces {
            self.output = List::default();
        }
        self.text = response.text().to_owned();
        Ok(())
    }

    /// Sets the status of items in progress: they ended with the response, even without an event.
    fn end_items(&mut self, ended: &str, room: &mut Room) -> Gathered {
        let ended = if ended == "completed" { ended } else { "incomplete" };
        for item in &mut self.output.items {
            let goes_on = match &item.node {
                Node::Raw(text) => Value::validated(text)
                    .get("status")
                    .is_some_and(|status| status.text() == IN_PROGRESS),
                Node::Object(_) => true,
                Node::Text(_) | Node::Items(_) | Node::List(_) => false,
            };
            if !goes_on {
                continue;
            }
            let Some(object) = item.node.as_object(room)? else { continue };
            if let Some(Node::Text(status)) = object.get_mut("status")
                && status == "in_progress"
            {
                room.swap(status.len(), ended.len())?;
                *status = ended.to_owned();
            }
        }
        Ok(())
    }

    /// Adds a whole item, or replaces what was built. The start of an item that already exists only adds
    /// what is missing, so no text is lost.
    fn item(
        &mut self,
        event: Value<'_>,
        item: Value<'_>,
        is_done: bool,
        room: &mut Room,
    ) -> Gathered {
        let id = item.text_at("/id");
        let index = event.get("output_index").and_then(Value::as_i64);
        let known = self.output.find(index, id.as_deref(), is_done);
        let at = match known {
            Some(at) => at,
            None => {
                room.part(0)?;
                self.output.add(index, id.as_deref(), Node::NULL)
            }
        };
        self.output.identify(at, id.as_deref());
        match self.output.items.get_mut(at) {
            Some(known) if is_done => known.node.put(item, room),
            Some(known) => known.node.begin(item, room),
            None => Ok(()),
        }
    }

    /// The item of an event; created if its start never arrived.
    fn item_of(
        &mut self,
        event: Value<'_>,
        new: &str,
        room: &mut Room,
    ) -> Result<Option<&mut Object>, ResponseTooLarge> {
        let id = event.text_at("/item_id");
        let index = event.get("output_index").and_then(Value::as_i64);
        let known = match (index, &id) {
            (None, None) => self.output.items.len().checked_sub(1).map(|_| self.output.last),
            (index, id) => self.output.find(index, id.as_deref(), true),
        };
        let at = match known {
            Some(at) => at,
            None => {
                let mut text = "{".to_owned();
                if let Some(id) = &id {
                    write_name("id", &mut text);
                    write_str(id, &mut text);
                    text.push(',');
                }
                text.push_str(new);
                text.push('}');
                room.part(text.len())?;
                self.output.add(index, id.as_deref(), Node::Raw(text))
            }
        };
        match self.output.items.get_mut(at) {
            Some(item) => item.node.as_object(room),
            None => Ok(None),
        }
    }

    fn piece(&mut self, event: Value<'_>, piece: &Piece, step: &str, room: &mut Room) -> Gathered {
        if !matches!(step, "delta" | "done") {
            return Ok(()); // an unknown kind of event
        }
        let whole = step == "done";
        let text = event.get(if whole { piece.field } else { "delta" });
        let is_arguments = piece.field == "arguments";
        let Some(text) = text.filter(|text| is_arguments || text.kind() == Kind::String) else {
            return Ok(());
        };
        let Some(item) = self.item_of(event, piece.item, room)? else { return Ok(()) };
        let holder = match &piece.part {
            None => Some(item),
            Some(part) => match part_of(item, event, part, false, room)? {
                Some(node) => node.as_object(room)?,
                None => None,
            },
        };
        match holder {
            Some(holder) => match holder.slot(piece.field, room)? {
                Some(node) if is_arguments && !(whole && text.kind() == Kind::String) => {
                    node.merge_arguments(text, room)
                }
                Some(node) if whole => node.put(text, room),
                Some(node) => node.merge(text, 0, room),
                None => Ok(()),
            },
            None => Ok(()),
        }
    }

    pub(super) fn write(&self, out: &mut String) {
        if self.ended.is_some() && self.output.items.is_empty() && !self.text.is_empty() {
            return out.push_str(&self.text);
        }
        let started = if self.text.is_empty() {
            r#"{"object":"response","status":"in_progress"}"#
        } else {
            &self.text
        };
        let mut has_output = false;
        out.push('{');
        for (name, value) in without_duplicates(Value::validated(started).members()) {
            write_name(&name, out);
            has_output |= name == "output";
            match (&*name, self.ended) {
                ("output", _) if !self.output.items.is_empty() => self.output.write(out),
                ("status", Some(ended)) if [QUEUED, IN_PROGRESS].contains(&value.text()) => {
                    out.extend(["\"", ended, "\""]);
                }
                _ => out.push_str(value.text()),
            }
        }
        if !has_output {
            write_name("output", out);
            self.output.write(out);
        }
        out.push('}');
    }
}

/// The status of a response that has not begun.
const QUEUED: &str = r#""queued""#;

/// The status of an item or a response that is not complete.
const IN_PROGRESS: &str = r#""in_progress""#;

fn has_output(response: Value<'_>) -> bool {
    response.get("output").is_some_and(|output| output.count() > 0)
}

fn object<'a>(event: Value<'a>, name: &str) -> Option<Value<'a>> {
    event.get(name).filter(|value| value.kind() == Kind::Object)
}

/// The part of an item for an event: by index, otherwise the last one.
fn part_of<'a>(
    item: &'a mut Object,
    event: Value<'_>,
    part: &Part,
    is_new: bool,
    room: &mut Room,
) -> Result<Option<&'a mut Node>, ResponseTooLarge> {
    let Some(node) = item.slot(part.list, room)? else { return Ok(None) };
    if node.is_blank() {
        *node = Node::List(List::default());
    }
    let Some(parts) = node.as_list(List::by_place, room)? else { return Ok(None) };
    let index = event.get(part.index).and_then(Value::as_i64);
    let known = match index {
        Some(index) => parts.by_index.get(&index).copied(),
        None if is_new => None,
        None => parts.items.len().checked_sub(1),
    };
    let at = match known {
        Some(at) => at,
        None => {
            room.part(part.new.len())?;
            parts.add(index, None, Node::Raw(part.new.to_owned()))
        }
    };
    Ok(parts.items.get_mut(at).map(|part| &mut part.node))
}
