//! A lazy view over validated JSON text: any value by key, index or pointer.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use crate::protocol::json::{Cursor, JsonError, Walk};
use crate::protocol::span::Span;

/// The kind of a JSON value.
///
/// ```
/// use modelwire::{Kind, Value};
///
/// assert_eq!(Value::parse(r#"["a", 1]"#)?.kind(), Kind::Array);
/// assert_eq!(Value::NULL.kind(), Kind::Null);
/// # Ok::<(), modelwire::JsonError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number; its text has every digit.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

/// A value within JSON text, borrowed from it and parsed on demand.
///
/// Wrong types read as `None`, never as an error. Of duplicate keys the last one wins.
///
/// ```
/// use modelwire::Value;
///
/// let text = r#"{"id": "a-model", "size": 7, "free": true, "tags": ["chat", "code"], "cost": 0.5}"#;
/// let value = Value::parse(text)?;
/// assert_eq!(value.get("id").and_then(Value::as_str).as_deref(), Some("a-model"));
/// assert_eq!(value.get("size").and_then(Value::as_i64), Some(7));
/// assert_eq!(value.get("free").and_then(Value::as_bool), Some(true));
/// assert_eq!(value.get("cost").and_then(Value::as_f64), Some(0.5));
/// assert_eq!(value.pointer("/tags/1").and_then(Value::as_str).as_deref(), Some("code"));
/// assert_eq!(value.get("size").and_then(Value::as_str), None); // not a string
/// # Ok::<(), modelwire::JsonError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Value<'a> {
    /// Exactly the text of one valid value, without surrounding white space.
    text: &'a str,
}

/// The range of a text without the white space of JSON around it, of which it has none as a rule.
pub(crate) fn without_blanks(text: &[u8]) -> Range<usize> {
    let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    let start = text.iter().take_while(is_blank).count();
    let behind = text.iter().rev().take_while(is_blank).count();
    start..text.len().saturating_sub(behind)
}

impl<'a> Value<'a> {
    /// Validates a whole text and views it.
    pub fn parse(text: &'a str) -> Result<Value<'a>, JsonError> {
        let mut cursor = Cursor::new(text)?;
        let span = cursor.skip()?;
        cursor.finish()?;
        Ok(span.of(text))
    }

    /// `null`
    pub const NULL: Value<'static> = Value { text: "null" };

    /// Views a validated text: a whole answer, or the [`text`](Value::text) of a part. In a text that
    /// is not JSON nothing is found; it never panics.
    pub fn validated(text: &'a str) -> Value<'a> {
        Value { text: text.get(without_blanks(text.as_bytes())).unwrap_or_default() }
    }

    /// The text of this value, as it was sent.
    pub fn text(self) -> &'a str {
        self.text
    }

    /// The kind of this value.
    pub fn kind(self) -> Kind {
        match self.text.bytes().next() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            Some(b't' | b'f') => Kind::Bool,
            Some(b'-' | b'0'..=b'9') => Kind::Number,
            _ => Kind::Null,
        }
    }

    /// True for `null`.
    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// The member of an object.
    pub fn get(self, key: &str) -> Option<Value<'a>> {
        let mut found = None;
        self.each_member(|name, value| {
            if name == key {
                found = Some(value);
            }
        });
        found
    }

    /// The item of an array.
    pub fn at(self, index: usize) -> Option<Value<'a>> {
        let mut before = index;
        self.find_item(|_| {
            let is_it = before == 0;
            before = before.saturating_sub(1);
            is_it
        })
    }

    /// The value at a JSON Pointer (RFC 6901), `/choices/0/delta/content` for instance. The empty pointer
    /// is the value itself.
    pub fn pointer(self, pointer: &str) -> Option<Value<'a>> {
        let Some(path) = pointer.strip_prefix('/') else {
            return pointer.is_empty().then_some(self);
        };
        path.split('/').try_fold(self, |value, step| {
            let key = step.replace("~1", "/").replace("~0", "~");
            match value.kind() {
                Kind::Object => value.get(&key),
                // A sign or a leading zero is not part of an index (RFC 6901).
                Kind::Array if key != "0" && key.starts_with(['0', '+']) => None,
                Kind::Array => value.at(key.parse().ok()?),
                Kind::Null | Kind::Bool | Kind::Number | Kind::String => None,
            }
        })
    }

    /// Whether an item of an array matches; stops at the first one that does.
    pub(crate) fn any_item(self, is_like_this: impl FnMut(Value<'a>) -> bool) -> bool {
        self.find_item(is_like_this).is_some()
    }

    /// The first item of an array that matches. Without a list of all, which may take eight times the text.
    pub(crate) fn find_item(
        self,
        mut is_like_this: impl FnMut(Value<'a>) -> bool,
    ) -> Option<Value<'a>> {
        let mut found = None;
        if self.kind() == Kind::Array {
            let text = self.text;
            self.walk(|cursor| {
                cursor.array(|cursor| {
                    found = Some(cursor.skip()?.of(text)).filter(|item| is_like_this(*item));
                    // Any error ends the walk.
                    match found {
                        Some(_) => Err(JsonError { offset: 0, expected: "" }),
                        None => Ok(()),
                    }
                })
            });
        }
        found
    }

    /// The items of an array; empty for other kinds.
    ///
    /// ```
    /// let value = modelwire::Value::parse(r#"["chat", "code"]"#)?;
    /// assert_eq!(value.items().len(), 2);
    /// assert_eq!(value.at(1).map(|tag| tag.text()), Some("\"code\""));
    /// # Ok::<(), modelwire::JsonError>(())
    /// ```
    pub fn items(self) -> Vec<Value<'a>> {
        let mut items = Vec::new();
        self.each_item(|item| items.push(item));
        items
    }

    /// Visits the items of an array.
    pub(crate) fn each_item(self, mut visit: impl FnMut(Value<'a>)) {
        if self.kind() == Kind::Array {
            self.walk(|cursor| {
                let text = cursor.text;
                cursor.array(|cursor| {
                    visit(cursor.skip()?.of(text));
                    Ok(())
                })
            });
        }
    }

    /// The number of items of an array, or of members of an object, including duplicates.
    #[doc(hidden)]
    pub fn count(self) -> usize {
        let mut count = 0;
        self.each_item(|_| count += 1);
        self.each_member(|_, _| count += 1);
        count
    }

    /// The members of an object in order, including duplicates; empty for other kinds.
    ///
    /// ```
    /// let value = modelwire::Value::parse(r#"{"model": "a-model", "seed": 7}"#)?;
    /// for (name, value) in value.members() {
    ///     println!("{name} is {value:?}");
    /// }
    /// assert_eq!(value.member_name(1).as_deref(), Some("seed"));
    /// # Ok::<(), modelwire::JsonError>(())
    /// ```
    pub fn members(self) -> Vec<(Cow<'a, str>, Value<'a>)> {
        let mut members = Vec::new();
        self.each_member(|name, value| members.push((Cow::Owned(name.to_owned()), value)));
        members
    }

    /// The name of the member of an object at this position, including duplicates.
    pub fn member_name(self, index: usize) -> Option<String> {
        let (mut name, mut place) = (None, 0);
        self.each_member(|found, _| {
            if place == index {
                name = Some(found.to_owned());
            }
            place += 1;
        });
        name
    }

    /// Like `members`, without a list.
    pub(crate) fn each_member(self, mut visit: impl FnMut(&str, Value<'a>)) {
        self.find_members(|name, value| {
            visit(name, value);
            false
        });
    }

    /// Visits the members of an object until `is_last` returns true.
    pub(crate) fn find_members(self, mut is_last: impl FnMut(&str, Value<'a>) -> bool) {
        if self.kind() == Kind::Object {
            self.walk(|cursor| {
                let text = cursor.text;
                cursor.object(|cursor, name| {
                    let value = cursor.skip()?.of(text);
                    // Any error ends the walk.
                    match is_last(name, value) {
                        true => Err(JsonError { offset: 0, expected: "" }),
                        false => Ok(()),
                    }
                })
            });
        }
    }

    fn walk(self, walk: impl FnOnce(&mut Cursor<'a>) -> Walk<()>) {
        // The text was validated as a whole before any value of it was created.
        if let Ok(mut cursor) = Cursor::new(self.text) {
            let _ = walk(&mut cursor);
        }
    }

    /// The string, with escapes resolved.
    pub fn as_str(self) -> Option<Cow<'a, str>> {
        let mut cursor = Cursor::new(self.text).ok()?;
        cursor.string().ok().map(|span| span.read(self.text))
    }

    /// The string at a JSON Pointer, unless it is empty.
    pub(crate) fn text_at(self, pointer: &str) -> Option<Cow<'a, str>> {
        self.pointer(pointer)?.as_str().filter(|text| !text.is_empty())
    }

    /// The string, with escapes resolved; any other value except null as its JSON text. For members
    /// that should be a text but that some services send as a value, such as the arguments of a tool
    /// call as an object.
    ///
    /// ```
    /// use modelwire::Value;
    ///
    /// let as_text = |json| Value::validated(json).as_text();
    /// assert_eq!(as_text(r#""{\"city\":\"Rome\"}""#).as_deref(), Some(r#"{"city":"Rome"}"#));
    /// assert_eq!(as_text(r#"{"city":"Rome"}"#).as_deref(), Some(r#"{"city":"Rome"}"#));
    /// assert_eq!(as_text("null"), None);
    /// ```
    pub fn as_text(self) -> Option<Cow<'a, str>> {
        match self.kind() {
            Kind::Null => None,
            Kind::String => self.as_str(),
            Kind::Bool | Kind::Number | Kind::Array | Kind::Object => Some(self.text.into()),
        }
    }

    /// An index, in every form in which services write it: `5`, `5.0` and `"5"`.
    ///
    /// ```
    /// use modelwire::Value;
    ///
    /// for index in ["5", "5.0", r#""5""#] {
    ///     assert_eq!(Value::validated(index).as_index(), Some(5));
    /// }
    /// ```
    pub fn as_index(self) -> Option<u32> {
        if let Ok(index) = self.text.parse() {
            return Some(index);
        }
        let digits = self.text.trim_matches('"');
        let number: f64 = digits.parse().ok()?;
        let is_index = number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number);
        is_index.then_some(number as u32)
    }

    /// The integer, if it fits. `5.0` is not an integer here.
    pub fn as_i64(self) -> Option<i64> {
        self.text.parse().ok()
    }

    /// The number as binary floating point.
    pub fn as_f64(self) -> Option<f64> {
        (self.kind() == Kind::Number).then(|| self.text.parse().ok()).flatten()
    }

    /// The boolean.
    pub fn as_bool(self) -> Option<bool> {
        match self.text {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }
}

impl Span {
    /// The value at this span.
    pub(crate) fn of(self, text: &str) -> Value<'_> {
        Value::validated(text.get(self.range()).unwrap_or("null"))
    }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::Value;

    /// Whole numbers from 0 to 2^32 - 1, in whatever form services write them.
    #[test]
    fn an_index_is_a_whole_number() {
        for (text, index) in [
            ("0", Some(0)),
            ("\"7\"", Some(7)),
            ("1e2", Some(100)),
            ("4294967295", Some(u32::MAX)),
            ("4294967295.0", Some(u32::MAX)),
            ("4294967296", None),
            ("4294967296.0", None),
            ("-1", None),
            ("-1.0", None),
            ("1.5", None),
            ("1e99", None),
            ("\"x\"", None),
            ("null", None),
            ("[1]", None),
        ] {
            assert_eq!(Value::validated(text).as_index(), index, "{text}");
        }
    }

    /// To list all items for each would take minutes, and eight times the memory of the text.
    #[test]
    fn an_item_is_found_without_a_list_of_all() {
        let text = format!("[{}9]", "0,".repeat(1 << 20));
        let value = Value::validated(&text);
        for index in 0..1000 {
            assert_eq!(value.at(index), Some(Value::validated("0")));
        }
        assert_eq!(value.at(1 << 20), Some(Value::validated("9")));
        assert_eq!(value.at((1 << 20) + 1), None);
        assert_eq!(Value::validated("{}").at(0), None);
    }
}
