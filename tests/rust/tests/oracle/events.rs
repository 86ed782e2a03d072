//! The events of a stream: the WHATWG event-stream grammar, and what R-STR2 and R-STR3 add to it.

use serde_json::Value;

pub enum Item {
    Event { name: String, data: String },
    Mark,
    Broken,
    Unfinished,
}

impl Item {
    pub fn is_event(&self) -> bool {
        matches!(self, Item::Event { .. } | Item::Mark)
    }
}

pub fn json(text: &str) -> Option<Value> {
    serde_json::from_str(text.trim_matches([' ', '\t', '\r', '\n'])).ok()
}

fn lines(text: &str) -> Vec<(&str, bool)> {
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = Vec::new();
    while let Some(at) = rest.find(['\r', '\n']) {
        lines.push((&rest[..at], true));
        rest = &rest[at + if rest[at..].starts_with("\r\n") { 2 } else { 1 }..];
    }
    if !rest.is_empty() {
        lines.push((rest, false));
    }
    lines
}

/// The events of a stream: WHATWG's, and what R-STR2 and R-STR3 add to the grammar.
pub fn items(text: &str) -> Vec<Item> {
    let (mut items, mut name, mut data) = (Vec::new(), String::new(), None::<String>);
    let mut next_name = None::<String>;
    for (line, is_ended) in lines(text) {
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        let is_whole =
            data.as_deref().is_some_and(|data| !data.trim().contains('\n') && json(data).is_some());
        let bare = line.trim();
        let letters = |letter: &char| letter.is_ascii_alphanumeric();
        let is_near =
            field.chars().filter(letters).collect::<String>().eq_ignore_ascii_case("data");
        let is_broken = bare.starts_with(['{', '[', '"']) || is_near && line.contains(':');
        let marks = |value: &str| value.starts_with("[DONE]");
        let is_first = data.is_none() || is_whole;
        let is_mark = bare == "[DONE]"
            || field == "data" && (marks(value) || is_first && marks(value.trim_start()));
        let is_json = field != "data" && json(line).is_some();
        match field {
            "data" if !is_mark && is_whole && value.trim().is_empty() => {}
            "data" if !is_mark && !is_whole => {
                data = Some(data.map_or(value.to_owned(), |data| data + "\n" + value));
            }
            "event" if data.is_none() => value.clone_into(&mut name),
            "event" => next_name = Some(value.to_owned()),
            "" if !line.is_empty() => {}
            "id" | "retry" => {}
            "" if is_ended => {
                let name = next_name.take().unwrap_or(std::mem::take(&mut name));
                items.extend(data.take().map(|data| Item::Event { name, data }));
            }
            _ if field != "data" && !is_mark && !is_json && !is_broken => {}
            _ => {
                if let Some(data) = data.take() {
                    items.push(Item::Event { name: std::mem::take(&mut name), data });
                    name = next_name.take().unwrap_or_default();
                }
                if is_mark {
                    items.push(Item::Mark);
                    return items;
                } else if field == "data" {
                    data = Some(value.to_owned());
                } else if is_json {
                    items.push(Item::Event {
                        name: std::mem::take(&mut name),
                        data: line.to_owned(),
                    });
                } else {
                    items.push(if is_ended { Item::Broken } else { Item::Unfinished });
                    return items;
                }
            }
        }
    }
    if let Some(data) = data.filter(|data| !data.trim().is_empty() || name == "error") {
        let name = next_name.unwrap_or(name);
        let is_whole = json(&data).is_some() || name == "error";
        items.push(if is_whole { Item::Event { name, data } } else { Item::Unfinished });
    }
    items
}
