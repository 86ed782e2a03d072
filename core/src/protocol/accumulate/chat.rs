//! Gathers the chunks of a chat into its completion.

use std::collections::HashMap;

use super::content::Growing;
use super::tree::{
    Gathered, List, MERGE_DEPTH_MAX, Node, Object, Room, inner, is_blank, members, place_of,
    write_member, write_name,
};
use crate::protocol::shape::adds_to_message;
use crate::protocol::usage::Usage;
use crate::protocol::value::{Kind, Value};

/// Members of a chat chunk that are the same in each: the first non-blank one wins.
const HEADING: [&str; 4] = ["id", "object", "created", "model"];

/// A chat completion.
#[derive(Debug, Default)]
pub(super) struct Chat {
    /// All members except the choices, whose position it keeps.
    top: Object,
    choices: Vec<Choice>,
    by_index: HashMap<i64, usize>,
    has_tokens: bool,
}

#[derive(Debug)]
struct Choice {
    index: i64,
    message: Object,
    content: Growing,
    /// Fragments of the message arrived.
    has_pieces: bool,
    /// All members except `index` and the message.
    rest: Object,
}

impl Chat {
    pub(super) fn is_empty(&self) -> bool {
        self.top.members.is_empty()
    }

    pub(super) fn add(&mut self, chunk: Value<'_>, room: &mut Room) -> Gathered {
        for (name, value) in members(chunk, room)? {
            let Some(node) = self.top.slot(&name, room)? else { continue };
            if name == "choices" {
                self.choices(value, room)?;
                continue;
            }
            let sent = if let Node::Raw(text) = node { text.as_str() } else { "" };
            let wins = match &*name {
                "created" if sent == "0" => true,
                name if HEADING.contains(&name) => is_blank(sent),
                "usage" if Usage::read(value).is_some() => {
                    self.has_tokens = true;
                    true
                }
                "usage" => !self.has_tokens,
                _ => true,
            };
            if wins && !value.is_null() && sent != value.text() {
                // Replaced as a whole: these are repeated, not continued.
                room.swap(sent.len(), value.text().len())?;
                *node = Node::Raw(value.text().to_owned());
            }
        }
        Ok(())
    }

    fn choices(&mut self, choices: Value<'_>, room: &mut Room) -> Gathered {
        for (place, sent) in choices.items().into_iter().enumerate() {
            if sent.kind() != Kind::Object {
                continue;
            }
            let index = place_of(sent).unwrap_or(place as i64);
            let at = *self.by_index.entry(index).or_insert(self.choices.len());
            if at == self.choices.len() {
                room.part("{index:,message:{}}".len())?;
                self.choices.push(Choice {
                    index,
                    message: new_message(),
                    content: Growing::default(),
                    has_pieces: false,
                    rest: Object::default(),
                });
            }
            if let Some(choice) = self.choices.get_mut(at) {
                choice.add(sent, room)?;
            }
        }
        Ok(())
    }

    pub(super) fn write(&self, out: &mut String) {
        let mut choices: Vec<&Choice> = self.choices.iter().collect();
        choices.sort_by_key(|choice| choice.index);
        let write_choices = |out: &mut String| {
            write_name("choices", out);
            for (place, choice) in choices.iter().enumerate() {
                out.push(if place == 0 { '[' } else { ',' });
                choice.write(out);
            }
            out.push_str(if choices.is_empty() { "[]" } else { "]" });
        };
        let mut has_choices = false;
        out.push('{');
        for (name, node) in &self.top.members {
            match (name.as_str(), node) {
                ("choices", _) => {
                    has_choices = true;
                    write_choices(out);
                }
                ("object", Node::Raw(text)) if text == "\"chat.completion.chunk\"" => {
                    write_name("object", out);
                    out.push_str("\"chat.completion\"");
                }
                (name, node) => write_member(name, node, out),
            }
        }
        if !has_choices {
            write_choices(out);
        }
        out.push('}');
    }
}

impl Choice {
    fn add(&mut self, sent: Value<'_>, room: &mut Room) -> Gathered {
        let said = |name| sent.get(name).is_some_and(adds_to_message);
        let has_delta = said("delta");
        for (name, value) in members(sent, room)? {
            match (&*name, value.kind()) {
                ("index", _) => {}
                ("delta", Kind::Object) => {
                    self.has_pieces |= has_delta;
                    self.delta(value, room)?;
                }
                // A chunk's delta is what it adds, whatever message it also has.
                ("message", Kind::Object) if has_delta => {}
                ("message", Kind::Object) => {
                    if adds_to_message(value) && (self.has_pieces || self.goes_on(value, sent)) {
                        // A whole message, not a fragment: it replaces the fragments.
                        let new = new_message();
                        room.swap(self.message.bytes(), new.bytes())?;
                        (self.message, self.content) = (new, Growing::default());
                    }
                    self.delta(value, room)?;
                }
                ("delta" | "message", _) => {}
                ("logprobs", _) => {
                    self.rest.merge(&name, value, MERGE_DEPTH_MAX, room)?;
                }
                (_, Kind::Array) => self.rest.merge(&name, value, MERGE_DEPTH_MAX, room)?,
                (_, kind) => match self.rest.slot(&name, room)? {
                    // An empty finish reason means: not yet.
                    Some(node) if kind != Kind::Null => {
                        if node.is_blank() || !is_blank(value.text()) {
                            node.put(value, room)?;
                        }
                    }
                    Some(_) | None => {}
                },
            }
        }
        Ok(())
    }

    /// Whether a message contains everything so far and more, and is not another fragment: some services send
    /// messages instead of deltas.
    fn goes_on(&mut self, message: Value<'_>, choice: Value<'_>) -> bool {
        let (Some(Node::Text(own)), Some(sent)) =
            (self.message.get_mut("content"), message.get("content"))
        else {
            return false;
        };
        let sent = inner(sent.text());
        let is_end = choice.text_at("/finish_reason").is_some();
        sent.starts_with(&**own) && (is_end || sent.len() > own.len())
    }

    fn delta(&mut self, delta: Value<'_>, room: &mut Room) -> Gathered {
        for (name, value) in members(delta, room)? {
            if name == "content" {
                if let Some(content) = self.message.slot(&name, room)? {
                    self.content.add(content, value, room)?;
                }
                continue;
            }
            if name == "function_call" {
                if let Some(function) = self.message.slot(&name, room)? {
                    function.merge_function(value, room)?;
                }
                continue;
            }
            if name == "tool_calls" && value.kind() == Kind::Array {
                match self.message.slot(&name, room)? {
                    Some(Node::List(calls)) => calls.merge_calls(value, room)?,
                    Some(node) => {
                        room.swap(node.bytes(), 0)?;
                        let mut calls = List::default();
                        let merged = calls.merge_calls(value, room);
                        *node = Node::List(calls);
                        merged?;
                    }
                    None => {}
                }
            } else {
                self.message.merge(&name, value, MERGE_DEPTH_MAX, room)?;
            }
        }
        Ok(())
    }

    fn write(&self, out: &mut String) {
        out.push_str("{\"index\":");
        out.push_str(&self.index.to_string());
        write_name("message", out);
        out.push('{');
        for (name, node) in &self.message.members {
            if name == "role" && node.is_blank() {
                out.push_str("\"role\":\"assistant\"");
            } else {
                write_member(name, node, out);
            }
        }
        out.push('}');
        let known = ["logprobs", "finish_reason"];
        let find = |wanted: &str| self.rest.members.iter().find(|(name, _)| name == wanted);
        for name in known {
            match find(name) {
                Some((_, node)) => write_member(name, node, out),
                None if name == "finish_reason" => write_member(name, &Node::NULL, out),
                None => {}
            }
        }
        for (name, node) in &self.rest.members {
            if !known.contains(&name.as_str()) {
                write_member(name, node, out);
            }
        }
        out.push('}');
    }
}

/// Every message has a role and a content, even if they are null.
fn new_message() -> Object {
    let mut message = Object::default();
    message.push("role", Node::NULL);
    message.push("content", Node::NULL);
    message
}
