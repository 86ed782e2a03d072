//! The arrays and objects of a value, found in one pass. What follows a value to its leaves reads each part
//! only once with it; without it, it passes over all that is below for each level of nesting.

use std::borrow::Cow;

use crate::protocol::json::Cursor;
use crate::protocol::steps::{Step, Steps};
use crate::protocol::value::{Kind, Value};

/// A value and where its arrays and objects end.
pub struct Outline<'a> {
    value: Value<'a>,
    /// In the order in which they begin.
    nested: Vec<Nested>,
}

/// An array or an object.
#[derive(Clone, Copy)]
struct Nested {
    end: u32,
    /// The number of its items or members.
    count: u32,
    /// The number of those in it, at any depth.
    inside: u32,
}

impl<'a> Outline<'a> {
    /// That of a value.
    pub fn of(value: Value<'a>) -> Outline<'a> {
        let (mut nested, mut open) = (Vec::<Nested>::new(), Vec::<usize>::new());
        let mut steps = Steps::of(value);
        while let Some(step) = steps.next() {
            if let (Step::Begin(_) | Step::Scalar(_), Some(outer)) = (&step, open.last())
                && let Some(outer) = nested.get_mut(*outer)
            {
                outer.count += 1;
            }
            match step {
                Step::Begin(_) => {
                    open.push(nested.len());
                    nested.push(Nested { end: 0, count: 0, inside: 0 });
                }
                Step::End => {
                    let inside = |at: usize| (nested.len() - at - 1) as u32;
                    if let Some(at) = open.pop()
                        && let (inside, Some(ended)) = (inside(at), nested.get_mut(at))
                    {
                        (ended.end, ended.inside) = (steps.place() as u32, inside);
                    }
                }
                Step::Name(_) | Step::Scalar(_) => {}
            }
        }
        Outline { value, nested }
    }

    /// The whole value.
    pub fn whole(&self) -> Part<'a, '_> {
        Part { outline: self, value: self.value, start: 0, at: 0 }
    }
}

/// A value in an outline.
#[derive(Clone, Copy)]
pub struct Part<'a, 'o> {
    outline: &'o Outline<'a>,
    value: Value<'a>,
    start: usize,
    /// The place of an array or an object among those of the outline.
    at: usize,
}

impl<'a, 'o> Part<'a, 'o> {
    /// The value.
    pub fn value(self) -> Value<'a> {
        self.value
    }

    /// The number of items or members, duplicates included.
    pub(crate) fn count(self) -> usize {
        let is_nested = matches!(self.value.kind(), Kind::Array | Kind::Object);
        let nested = self.outline.nested.get(self.at).filter(|_| is_nested);
        nested.map_or(0, |nested| nested.count as usize)
    }

    /// The items of an array, see [`Value::items`].
    pub fn items(self) -> Vec<Part<'a, 'o>> {
        let mut items = Vec::new();
        if self.value.kind() == Kind::Array {
            items.reserve(self.count());
            self.each(|_, part| items.push(part));
        }
        items
    }

    /// The members of an object, see [`Value::members`].
    pub fn members(self) -> Vec<(Cow<'a, str>, Part<'a, 'o>)> {
        let mut members = Vec::new();
        if self.value.kind() == Kind::Object {
            members.reserve(self.count());
            self.each(|name, part| members.push((name, part)));
        }
        members
    }

    /// Visits the items or members of an array or an object; items have no name.
    fn each(self, mut visit: impl FnMut(Cow<'a, str>, Part<'a, 'o>)) {
        let (outline, text) = (self.outline, self.outline.value.text());
        let in_object = self.value.kind() == Kind::Object;
        let Ok(mut cursor) = Cursor::new(text) else { return };
        cursor.jump(self.start + 1);
        let mut next = self.at + 1;
        for place in 0..self.count() {
            cursor.blank();
            if place > 0 {
                cursor.takes(b',');
                cursor.blank();
            }
            let name = match in_object {
                true => cursor.key().map(|key| key.read(text)),
                false => Ok(Cow::Borrowed("")),
            };
            let Ok(name) = name else { return };
            let (start, at) = (cursor.place(), next);
            match (cursor.peek(), outline.nested.get(next)) {
                (Some(b'{' | b'['), Some(nested)) => {
                    cursor.jump(nested.end as usize);
                    next += 1 + nested.inside as usize;
                }
                _ if cursor.skip().is_ok() => {}
                _ => return,
            }
            visit(name, Part { outline, value: cursor.since(start).of(text), start, at });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything below a part, as JSON.
    fn written(part: Part<'_, '_>) -> String {
        let list = |parts: Vec<String>| parts.join(",");
        match part.value().kind() {
            Kind::Array => format!("[{}]", list(part.items().into_iter().map(written).collect())),
            Kind::Object => {
                let member =
                    |(name, part): (Cow<'_, str>, _)| format!("{name:?}:{}", written(part));
                format!("{{{}}}", list(part.members().into_iter().map(member).collect()))
            }
            _ => part.value().text().to_owned(),
        }
    }

    #[test]
    fn each_part_is_where_it_was_found() {
        for text in [
            "7",
            "[]",
            "{}",
            r#"[1,[2,[],[3]],{},{"a":[{"b":"]"}],"c":4},5]"#,
            r#"{"a":1,"a":{"b":[[],[[]],{}]},"d":"e"}"#,
        ] {
            let blanks = text.replace(',', " , ").replace(':', " : ").replace('[', " [ ");
            for sent in [text, &blanks] {
                let outline = Outline::of(Value::validated(sent));
                assert_eq!(written(outline.whole()), text, "{sent}");
            }
        }
        let value = Value::validated(r#" [1,{"a":[2]}] "#);
        let outline = Outline::of(value);
        let items = outline.whole().items();
        assert_eq!(items.iter().map(|item| item.value()).collect::<Vec<_>>(), value.items());
        assert!(items.iter().all(|item| item.items().is_empty()));
        let counts: Vec<_> =
            items.iter().map(|item| (item.count(), item.members().len())).collect();
        assert_eq!((outline.whole().count(), counts), (2, vec![(0, 0), (1, 1)]));
        // What is not JSON has no parts, or fewer.
        for broken in ["", "[1", "[1 2]", "{\"a\" 1}", "[[1]"] {
            written(Outline::of(Value::validated(broken)).whole());
        }
    }
}
