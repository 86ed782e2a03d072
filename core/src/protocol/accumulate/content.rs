//! The content of a message: a text, a list of parts, or one after the other.

use super::tree::{Gathered, MERGE_DEPTH_MAX, Node, Room, inner, is_blank};
use crate::protocol::value::{Kind, Value};

/// A text as a part in a list.
const TEXT_PART: [&str; 2] = [r#"{"type":"text","text":""#, r#""}"#];
/// The maximum depth at which the text of a part is searched.
const PART_DEPTH_MAX: usize = 4;

/// The number of bytes before and after the text in a part.
type Around = (usize, usize);

/// The growth of a content. Texts and parts may come in any order, and nothing is replaced.
#[derive(Debug, Default)]
pub(super) struct Growing {
    /// The start of the last part in the text of all parts, and the size around its text.
    last: Option<(usize, Around)>,
}

impl Growing {
    /// Adds the content of a chunk.
    pub(super) fn add(&mut self, content: &mut Node, sent: Value<'_>, room: &mut Room) -> Gathered {
        if is_blank(sent.text()) && !content.is_blank() {
            return Ok(());
        }
        if let Node::Text(text) = &*content
            && sent.kind() == Kind::Array
            && !text.is_empty()
        {
            let part = TEXT_PART.join(text);
            room.swap(text.len(), part.len())?;
            self.last = Some((0, TEXT_PART.map(str::len).into()));
            *content = Node::Items(part);
        }
        match (&mut *content, sent.kind()) {
            (Node::Items(parts), Kind::String) => {
                let part = TEXT_PART.join(inner(sent.text()));
                self.part(parts, &part, Some(TEXT_PART.map(str::len).into()), room)
            }
            (Node::Items(parts), Kind::Array) if !parts.is_empty() => {
                let (mut is_first, mut added) = (true, Ok(()));
                sent.any_item(|part| {
                    if !std::mem::take(&mut is_first) {
                        self.last = None; // parts of the same chunk are separate
                    }
                    added = self.part(parts, part.text(), around(part, PART_DEPTH_MAX), room);
                    added.is_err()
                });
                added
            }
            (Node::List(parts), Kind::String) => {
                let part = TEXT_PART.join(inner(sent.text()));
                room.part(part.len())?;
                parts.add(None, None, Node::Raw(part));
                Ok(())
            }
            _ => {
                content.merge(sent, MERGE_DEPTH_MAX, room)?;
                let mut last = None;
                sent.each_item(|item| last = Some(item));
                self.last = match (&*content, last) {
                    (Node::Items(parts), Some(last)) => {
                        let start = parts.len().saturating_sub(last.text().len());
                        around(last, PART_DEPTH_MAX).map(|around| (start, around))
                    }
                    _ => None,
                };
                Ok(())
            }
        }
    }

    /// Adds a part. Services that send parts send most of them in pieces, so a part that differs from the
    /// last one only in its text continues it.
    fn part(
        &mut self,
        parts: &mut String,
        part: &str,
        own: Option<Around>,
        room: &mut Room,
    ) -> Gathered {
        if let (Some((start, last)), Some(own)) = (self.last, own)
            && last == own
            && let Some(end) = parts.len().checked_sub(last.1)
            && let Some(own_end) = part.len().checked_sub(own.1)
            && parts.get(start..start + last.0) == part.get(..own.0)
            && parts.get(end..) == part.get(own_end..)
        {
            let text = part.get(own.0..own_end).unwrap_or_default();
            room.take(text.len())?;
            parts.insert_str(end, text);
            return Ok(());
        }
        room.take(part.len() + 1)?;
        if !parts.is_empty() {
            parts.push(',');
        }
        self.last = own.map(|around| (parts.len(), around));
        parts.push_str(part);
        Ok(())
    }
}

/// The position of the text in a part: in `text`, or in the member named like its type, as a text or a list
/// of one part. `None` if there is no text.
fn around(part: Value<'_>, depth: usize) -> Option<Around> {
    let named = || part.get(&part.text_at("/type")?);
    let value = part.get("text").or_else(named)?;
    let start = value.text().as_ptr() as usize - part.text().as_ptr() as usize;
    let behind = part.text().len() - start - value.text().len();
    match value.kind() {
        Kind::String => Some((start + 1, behind + 1)),
        Kind::Array if depth > 0 && value.count() == 1 => {
            let (in_item, item) = (value.at(0)?, value.text().as_ptr() as usize);
            let item_start = in_item.text().as_ptr() as usize - item;
            let item_behind = value.text().len() - item_start - in_item.text().len();
            let (before, after) = around(in_item, depth - 1)?;
            Some((start + item_start + before, behind + item_behind + after))
        }
        _ => None,
    }
}
