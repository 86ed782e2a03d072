//! Converts a document into the chunks that a stream would have sent for it (R-STR5).

use crate::protocol::document::reasoning_list;
use crate::protocol::endpoint::Endpoint;
use crate::protocol::json::{Cursor, JsonError};
use crate::protocol::offsets::ELEMENTS_MAX;
use crate::protocol::text::Edited;
use crate::protocol::value::{Kind, Value};

/// The chunks that a stream would have sent for this document: the name of each event, empty for
/// chat, and its JSON.
pub(crate) fn document_chunks(endpoint: Endpoint, document: Value<'_>) -> Vec<(String, String)> {
    match endpoint {
        Endpoint::Models => vec![(String::new(), document.text().to_owned())],
        Endpoint::Chat => vec![(String::new(), chunk_of_completion(document.text()))],
        Endpoint::Responses => events_of_response(document),
    }
}

/// Item ids longer than this are omitted from the events of a document.
const ITEM_ID_BYTES_MAX: usize = 1024;

/// The text with three edits: the type of the object, each `message` renamed to `delta` unless its choice has
/// one, and an `index` for each tool call, which consumers of streams need to join the pieces.
fn chunk_of_completion(text: &str) -> String {
    let mut edited = Edited::new(text);
    let walked = Cursor::new(text).and_then(|mut cursor| {
        cursor.object(|cursor, name| match (name, cursor.peek()) {
            ("object", _) => {
                edited.put(cursor.skip()?.range(), "\"chat.completion.chunk\"");
                Ok(())
            }
            ("choices", Some(b'[')) => cursor.array(|cursor| {
                if cursor.peek() != Some(b'{') {
                    return cursor.skip().map(drop);
                }
                let inside = cursor.place();
                let mut has_delta = false;
                cursor.object(|cursor, name| {
                    has_delta |= name == "delta";
                    cursor.skip().map(drop)
                })?;
                cursor.jump(inside);
                cursor.object(|cursor, name| {
                    let is_message = name == "message" && !has_delta;
                    if is_message {
                        let before = text.get(..cursor.place()).unwrap_or_default();
                        // The name is the string before the colon; it contains no quote.
                        let end = before.rfind('"').unwrap_or_default();
                        let start = before.get(..end).and_then(|name| name.rfind('"'));
                        edited.put(start.unwrap_or_default()..end + 1, "\"delta\"");
                    }
                    if !is_message || cursor.peek() != Some(b'{') {
                        return cursor.skip().map(drop);
                    }
                    cursor.object(|cursor, name| match (name, cursor.peek()) {
                        ("tool_calls", Some(b'[')) => number_tool_calls(cursor, &mut edited),
                        _ => cursor.skip().map(drop),
                    })
                })
            }),
            _ => cursor.skip().map(drop),
        })
    });
    if walked.is_err() {
        return text.to_owned(); // not an object
    }
    edited.finish()
}

fn number_tool_calls(cursor: &mut Cursor<'_>, edited: &mut Edited<'_>) -> Result<(), JsonError> {
    let mut index = 0;
    cursor.array(|cursor| {
        if cursor.peek() != Some(b'{') {
            return cursor.skip().map(drop);
        }
        let inside = cursor.place() + 1;
        let (mut has_index, mut comma) = (false, "");
        cursor.object(|cursor, name| {
            has_index |= name == "index";
            comma = ",";
            cursor.skip().map(drop)
        })?;
        if !has_index {
            edited.put(inside..inside, &format!("\"index\":{index}{comma}"));
        }
        index += 1;
        Ok(())
    })
}

/// Visits the items of a member that is an array.
fn each<'a>(value: Value<'a>, name: &str, mut visit: impl FnMut(usize, Value<'a>)) {
    let mut place = 0;
    let list = value.get(name).unwrap_or(Value::NULL);
    list.each_item(|item| {
        visit(place, item);
        place += 1;
    });
}

/// A list of an item whose parts have text, and how a stream sends it.
struct TextList {
    name: &'static str,
    part: &'static str,
    index: &'static str,
    event: &'static str,
}

#[rustfmt::skip]
const LISTS: [TextList; 3] = [
    TextList { name: "summary", part: "summary_text", index: "summary_index",
               event: "response.reasoning_summary_text.delta" },
    TextList { name: "content", part: "reasoning_text", index: "content_index",
               event: "response.reasoning_text.delta" },
    TextList { name: "content", part: "output_text", index: "content_index",
               event: "response.output_text.delta" },
];

fn events_of_response(document: Value<'_>) -> Vec<(String, String)> {
    let mut events = Vec::new();
    each(document, "output", |output_index, item| {
        let id = item.get("id").filter(|id| id.kind() == Kind::String);
        // A very long id is not repeated in each event.
        let id = id.filter(|id| id.text().len() <= ITEM_ID_BYTES_MAX);
        let id = id.map(|id| format!("\"item_id\":{},", id.text())).unwrap_or_default();
        let is_reasoning = item.text_at("/type").as_deref() == Some("reasoning");
        let tells = |list: &&TextList| match list.part {
            "output_text" => true,
            _ => is_reasoning && list.name == reasoning_list(item),
        };
        for list in LISTS.iter().filter(tells) {
            each(item, list.name, |index, part| {
                if events.len() > ELEMENTS_MAX {
                    return; // too many; the caller checks
                }
                let text = part.get("text").filter(|text| text.kind() == Kind::String);
                let Some(text) =
                    text.filter(|_| part.text_at("/type").as_deref() == Some(list.part))
                else {
                    return;
                };
                let (name, place) = (list.event, list.index);
                let place = format!("\"output_index\":{output_index},\"{place}\":{index}");
                let delta = text.text();
                let json = format!(r#"{{"type":"{name}",{id}{place},"delta":{delta}}}"#);
                events.push((name.to_owned(), json));
            });
        }
    });
    let name = match document.text_at("/status").as_deref() {
        Some("failed") => "response.failed",
        Some("incomplete") => "response.incomplete",
        _ => "response.completed",
    };
    let json = format!(r#"{{"type":"{name}","response":{}}}"#, document.text());
    events.push((name.to_owned(), json));
    events
}
