//! JSON under construction: values into which later values are merged, with a limit on their size.
//!
//! Texts are kept as they were sent, including escapes and digits, and a value sent once stays byte for byte
//! the same; so the gathered JSON is the same in every language. Work is linear in the input.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;

use crate::protocol::escapes::write_str;
use crate::protocol::offsets::ELEMENTS_MAX;
use crate::protocol::value::{Kind, Value};

/// Deltas are merged down to this depth; deeper values are replaced as a whole. Bounds the recursion.
pub(super) const MERGE_DEPTH_MAX: usize = 16;
/// An object with more members uses a map to find them.
const SCANNED_MEMBERS_MAX: usize = 16;
/// Members of a delta that identify something: the first non-blank value wins, because servers repeat them
/// in every chunk. Every other string is a piece of a text.
const NAMING: [&str; 7] = ["role", "id", "type", "name", "object", "index", "format"];

/// The gathered answer reached its limit.
///
/// ```
/// use modelwire::{Endpoint, Value, parse::Gatherer};
///
/// let mut gatherer = Gatherer::new(Endpoint::Chat, 4); // bytes
/// let chunk = Value::validated(r#"{"choices":[{"delta":{"content":"Hello"}}]}"#);
/// let error = gatherer.add(chunk).unwrap_err();
/// assert_eq!(error.to_string(), "the accumulated answer exceeds response_bytes_max = 4 bytes");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResponseTooLarge {
    /// The limit in bytes.
    pub(crate) bytes_max: usize,
    /// The number of its parts is too large, not its size.
    has_too_many_parts: bool,
}

impl fmt::Display for ResponseTooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.has_too_many_parts {
            return write!(
                f,
                "the accumulated answer has more than ELEMENTS_MAX = {ELEMENTS_MAX} parts"
            );
        }
        write!(f, "the accumulated answer exceeds response_bytes_max = {} bytes", self.bytes_max)
    }
}

impl std::error::Error for ResponseTooLarge {}

pub(super) type Gathered = Result<(), ResponseTooLarge>;

/// The used and the maximum size. Parts that are stored separately (choices, items, members) take more memory
/// than the few bytes in which they may be sent, so they are counted too.
#[derive(Debug)]
pub(super) struct Room {
    pub(super) used: usize,
    pub(super) bytes_max: usize,
    parts: usize,
}

impl Room {
    pub(super) fn new(bytes_max: usize) -> Room {
        Room { used: 0, bytes_max, parts: 0 }
    }

    /// Adds a part of this size.
    pub(super) fn part(&mut self, bytes: usize) -> Gathered {
        self.more_parts(1)?;
        self.take(bytes)
    }

    /// Counts the parts of a text that is split up.
    pub(super) fn more_parts(&mut self, count: usize) -> Gathered {
        let parts = self.parts.saturating_add(count);
        if parts > ELEMENTS_MAX {
            return Err(self.too_large(true));
        }
        self.parts = parts;
        Ok(())
    }

    pub(super) fn too_large(&self, has_too_many_parts: bool) -> ResponseTooLarge {
        ResponseTooLarge { bytes_max: self.bytes_max, has_too_many_parts }
    }

    pub(super) fn take(&mut self, bytes: usize) -> Gathered {
        self.swap(0, bytes)
    }

    /// Replaces `old` bytes by `new` bytes; on an error, the old count remains.
    pub(super) fn swap(&mut self, old: usize, new: usize) -> Gathered {
        let used = self.used.saturating_sub(old).saturating_add(new);
        if used > self.bytes_max {
            return Err(self.too_large(false));
        }
        self.used = used;
        Ok(())
    }
}

/// A value under construction. An object is only split up when something is merged into it.
#[derive(Debug)]
pub(super) enum Node {
    /// Any value, as it was sent.
    Raw(String),
    /// A string, as it was sent, without its quotes: pieces are appended, which also joins the two halves
    /// of a surrogate pair from two chunks.
    Text(String),
    /// An array without its brackets, whose items have no index.
    Items(String),
    /// An array whose items are found by index.
    List(List),
    Object(Object),
}

impl Node {
    pub(super) fn new(value: Value<'_>, room: &mut Room) -> Result<Node, ResponseTooLarge> {
        Ok(match value.kind() {
            Kind::String => Node::Text(inner(value.text()).to_owned()),
            Kind::Array if is_indexed(value) => {
                room.more_parts(value.count())?;
                Node::List(List::by_own_index(value))
            }
            Kind::Array => Node::Items(inner(value.text()).trim_ascii().to_owned()),
            Kind::Null | Kind::Bool | Kind::Number | Kind::Object => {
                Node::Raw(value.text().to_owned())
            }
        })
    }

    pub(super) const NULL: Node = Node::Raw(String::new());

    /// The size to give back when it is removed: never more than was taken for it.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Node::Raw(text) | Node::Text(text) | Node::Items(text) => text.len(),
            Node::List(list) => list.items.iter().map(|item| item.node.bytes()).sum(),
            Node::Object(object) => object.bytes(),
        }
    }

    /// Null and the empty string are blank.
    pub(super) fn is_blank(&self) -> bool {
        match self {
            Node::Raw(text) => is_blank(text),
            Node::Text(text) => text.is_empty(),
            Node::Items(_) | Node::List(_) | Node::Object(_) => false,
        }
    }

    pub(super) fn put(&mut self, value: Value<'_>, room: &mut Room) -> Gathered {
        room.swap(self.bytes(), value.text().len())?;
        *self = Node::new(value, room)?;
        Ok(())
    }

    /// The start of an object: what arrived before it, out of order or twice, remains. An object with
    /// another type and id replaces it.
    pub(super) fn begin(&mut self, value: Value<'_>, room: &mut Room) -> Gathered {
        let own = self.as_object(room)?;
        let is_same = own.is_some_and(|own| {
            ["id", "type"].into_iter().any(|name| match (own.get_mut(name), value.get(name)) {
                (Some(Node::Text(own)), Some(given)) => *own == inner(given.text()),
                _ => false,
            })
        });
        match self.as_object(room)? {
            Some(object) if is_same => {
                for (name, value) in members(value, room)? {
                    if let Some(slot) = object.slot(&name, room)?
                        && slot.is_blank()
                    {
                        slot.put(value, room)?;
                    }
                }
                Ok(())
            }
            _ => self.put(value, room),
        }
    }

    /// Joins texts and arrays, and merges objects; any other value replaces the old one, but null never does.
    pub(super) fn merge(&mut self, value: Value<'_>, depth: usize, room: &mut Room) -> Gathered {
        if value.is_null() {
            return Ok(());
        }
        match value.kind() {
            Kind::Object if depth > 0 => {
                self.as_object(room)?;
            }
            Kind::Array if is_indexed(value) => {
                self.as_list(List::by_own_index, room)?;
            }
            _ => {}
        }
        match (self, value.kind()) {
            (Node::Text(text), Kind::String) => {
                room.take(inner(value.text()).len())?;
                text.push_str(inner(value.text()));
            }
            (Node::Items(items), Kind::Array) => {
                let more = inner(value.text()).trim_ascii();
                room.take(more.len() + 1)?;
                if !items.is_empty() && !more.is_empty() {
                    items.push(',');
                }
                items.push_str(more);
            }
            (Node::List(list), Kind::Array) => list.merge(value, depth, room)?,
            (Node::Object(object), Kind::Object) => {
                for (name, value) in members(value, room)? {
                    object.merge(&name, value, depth.saturating_sub(1), room)?;
                }
            }
            (node, _) => node.put(value, room)?,
        }
        Ok(())
    }

    /// The function of a tool call. Its arguments become a text, whatever form they were sent in.
    pub(super) fn merge_function(&mut self, function: Value<'_>, room: &mut Room) -> Gathered {
        let is_text = |value: Value<'_>| matches!(value.kind(), Kind::String | Kind::Null);
        let arguments = function.get("arguments");
        if !arguments.is_none_or(is_text) && self.is_blank() {
            *self = Node::Object(Object::default());
        }
        match self.as_object(room)? {
            Some(own) if function.kind() == Kind::Object => {
                for (name, value) in members(function, room)? {
                    if name != "arguments" {
                        own.merge(&name, value, MERGE_DEPTH_MAX, room)?;
                    } else if let Some(arguments) = own.slot(&name, room)? {
                        arguments.merge_arguments(value, room)?;
                    }
                }
                Ok(())
            }
            Some(_) | None => self.merge(function, MERGE_DEPTH_MAX, room),
        }
    }

    /// A piece of the arguments' text, or the arguments as a value instead of a text, which is complete and
    /// replaces any pieces. An empty value is ignored.
    pub(super) fn merge_arguments(&mut self, value: Value<'_>, room: &mut Room) -> Gathered {
        let is_empty = is_blank(value.text()) || value.kind() == Kind::Object && value.count() == 0;
        if is_empty && !self.is_blank() {
            return Ok(());
        }
        if matches!(value.kind(), Kind::String | Kind::Null) {
            return self.merge(value, 0, room);
        }
        let mut text = String::new();
        write_str(value.text(), &mut text);
        room.swap(self.bytes(), text.len())?;
        *self = Node::Raw(text);
        Ok(())
    }

    /// The object, converted to members.
    pub(super) fn as_object(
        &mut self,
        room: &mut Room,
    ) -> Result<Option<&mut Object>, ResponseTooLarge> {
        if let Node::Raw(text) = self
            && text.starts_with('{')
        {
            room.more_parts(Value::validated(text).count())?;
            let mut object = Object::default();
            for (name, value) in members(Value::validated(text), room)? {
                object.push(&name, Node::new(value, room)?);
            }
            *self = Node::Object(object);
        }
        Ok(if let Node::Object(object) = self { Some(object) } else { None })
    }

    /// The array, converted to items.
    pub(super) fn as_list(
        &mut self,
        take_apart: fn(Value<'_>) -> List,
        room: &mut Room,
    ) -> Result<Option<&mut List>, ResponseTooLarge> {
        if let Node::Items(items) = self {
            let array = format!("[{items}]");
            let array = Value::validated(&array);
            room.more_parts(array.count())?;
            *self = Node::List(take_apart(array));
        }
        Ok(if let Node::List(list) = self { Some(list) } else { None })
    }

    pub(super) fn write(&self, out: &mut String) {
        match self {
            Node::Raw(text) if text.is_empty() => out.push_str("null"),
            Node::Raw(text) => out.push_str(text),
            Node::Text(text) => out.extend(["\"", text, "\""]),
            Node::Items(items) => out.extend(["[", items, "]"]),
            Node::List(list) => list.write(out),
            Node::Object(object) => {
                out.push('{');
                for (name, node) in &object.members {
                    write_member(name, node, out);
                }
                out.push('}');
            }
        }
    }
}

/// Members in the order of their first appearance.
#[derive(Debug, Default)]
pub(super) struct Object {
    pub(super) members: Vec<(String, Node)>,
    /// The indexes of the members; used if there are too many for a linear search.
    places: HashMap<String, usize>,
}

impl Object {
    pub(super) fn bytes(&self) -> usize {
        self.members.iter().map(|(name, node)| name.len() + node.bytes()).sum()
    }

    pub(super) fn push(&mut self, name: &str, node: Node) {
        self.members.push((name.to_owned(), node));
        if self.members.len() > SCANNED_MEMBERS_MAX {
            let new = self.members.iter().enumerate().skip(self.places.len());
            self.places.extend(new.map(|(at, (name, _))| (name.clone(), at)));
        }
    }

    pub(super) fn get_mut(&mut self, name: &str) -> Option<&mut Node> {
        if self.members.len() > SCANNED_MEMBERS_MAX {
            return self.members.get_mut(*self.places.get(name)?).map(|(_, node)| node);
        }
        self.members.iter_mut().find(|(own, _)| own == name).map(|(_, node)| node)
    }

    /// The member of that name; created if absent, so it always exists.
    pub(super) fn slot(
        &mut self,
        name: &str,
        room: &mut Room,
    ) -> Result<Option<&mut Node>, ResponseTooLarge> {
        if self.get_mut(name).is_none() {
            room.part(name.len() + 4)?;
            self.push(name, Node::NULL);
        }
        Ok(self.get_mut(name))
    }

    pub(super) fn merge(
        &mut self,
        name: &str,
        value: Value<'_>,
        depth: usize,
        room: &mut Room,
    ) -> Gathered {
        match self.slot(name, room)? {
            Some(node) if !NAMING.contains(&name) => node.merge(value, depth, room),
            Some(node) if node.is_blank() && !value.is_null() => node.put(value, room),
            Some(_) | None => Ok(()),
        }
    }
}

#[derive(Debug)]
pub(super) struct Item {
    /// Items are written in the order of their indexes.
    index: i64,
    id: Option<String>,
    name: Option<String>,
    pub(super) node: Node,
}

/// Items that later chunks continue.
#[derive(Debug, Default)]
pub(super) struct List {
    pub(super) items: Vec<Item>,
    pub(super) by_index: HashMap<i64, usize>,
    pub(super) by_id: HashMap<String, usize>,
    pub(super) last: usize,
}

impl List {
    /// Items with an `index` member.
    pub(super) fn by_own_index(array: Value<'_>) -> List {
        let mut list = List::default();
        // What was held before stays within its limit.
        let mut room = Room::new(usize::MAX);
        let _ = list.merge(array, 1, &mut room);
        list
    }

    /// Items whose index is their position.
    pub(super) fn by_place(array: Value<'_>) -> List {
        let mut list = List::default();
        for item in array.items() {
            list.add(None, None, Node::Raw(item.text().to_owned()));
        }
        list
    }

    pub(super) fn merge(&mut self, array: Value<'_>, depth: usize, room: &mut Room) -> Gathered {
        for item in array.items() {
            let index = own_index(item);
            let known = index.and_then(|index| self.by_index.get(&index).copied());
            match known.and_then(|at| self.items.get_mut(at)) {
                Some(known) => known.node.merge(item, depth.saturating_sub(1), room)?,
                None => {
                    room.part(item.text().len() + 1)?;
                    let place = self.items.len();
                    // An item without an index is complete: nothing continues it,
                    if let Some(index) = index {
                        self.by_index.insert(index, place);
                    }
                    let node = Node::Raw(item.text().to_owned());
                    // and it keeps its position after the item before it.
                    let before = self.items.last().map_or(i64::MIN, |item| item.index);
                    let index = index.unwrap_or(before);
                    self.items.push(Item { index, id: None, name: None, node });
                }
            }
        }
        Ok(())
    }

    pub(super) fn add(&mut self, index: Option<i64>, id: Option<&str>, node: Node) -> usize {
        let at = self.items.len();
        match index {
            Some(index) => drop(self.by_index.insert(index, at)),
            // An item with its own index has priority for this index.
            None => drop(self.by_index.entry(at as i64).or_insert(at)),
        }
        let index = index.unwrap_or(at as i64);
        self.items.push(Item { index, id: None, name: None, node });
        self.identify(at, id);
        at
    }

    /// The first id wins.
    pub(super) fn identify(&mut self, at: usize, id: Option<&str>) {
        self.last = at;
        if let (Some(item), Some(id)) = (self.items.get_mut(at), id)
            && item.id.is_none()
        {
            item.id = Some(id.to_owned());
            self.by_id.insert(id.to_owned(), at);
        }
    }

    /// Tool calls: by index, otherwise by id, otherwise by position if several came, otherwise the last one.
    pub(super) fn merge_calls(&mut self, array: Value<'_>, room: &mut Room) -> Gathered {
        let calls = array.items();
        for (place, call) in calls.iter().enumerate().filter(|(_, c)| c.kind() == Kind::Object) {
            let index = place_of(*call);
            let (id, name) = (call.text_at("/id"), call.text_at("/function/name"));
            let place = (calls.len() > 1).then_some(place as i64);
            let at = match self.meant(index, place, id.as_deref(), name.as_deref()) {
                Some(at) => at,
                None => {
                    room.part(0)?;
                    self.add(index, None, Node::Object(Object::default()))
                }
            };
            self.identify(at, id.as_deref());
            if let Some(index) = index {
                self.by_index.insert(index, at);
            }
            let Some(item) = self.items.get_mut(at) else { continue };
            item.name = item.name.take().or(name.map(Cow::into_owned));
            let Some(object) = item.node.as_object(room)? else { continue };
            // Tool calls of a whole answer have no index.
            let sent = members(*call, room)?.into_iter();
            for (name, value) in sent.filter(|(name, _)| name != "index") {
                if name != "function" {
                    object.merge(&name, value, MERGE_DEPTH_MAX, room)?;
                } else if let Some(function) = object.slot(&name, room)? {
                    function.merge_function(value, room)?;
                }
            }
        }
        Ok(())
    }

    /// The known call that continues; another id, or without an id another name, is another call.
    pub(super) fn meant(
        &self,
        index: Option<i64>,
        place: Option<i64>,
        id: Option<&str>,
        name: Option<&str>,
    ) -> Option<usize> {
        let of_id = id.and_then(|id| self.by_id.get(id).copied());
        let meant = match (index, id, place) {
            (Some(index), ..) | (None, None, Some(index)) => self.by_index.get(&index).copied(),
            (None, Some(_), Some(_)) => of_id,
            (None, Some(_), None) => of_id.or(Some(self.last)),
            (None, None, None) => Some(self.last),
        };
        let item = self.items.get(meant?)?;
        let differs = |own: &Option<String>, sent: Option<&str>| {
            sent.is_some_and(|sent| own.as_deref().is_some_and(|own| own != sent))
        };
        if differs(&item.id, id) {
            return of_id;
        }
        if id.is_none() && differs(&item.name, name) { None } else { meant }
    }

    /// The item of an event. `by_place`: the one at that index, even with another id.
    pub(super) fn find(
        &self,
        index: Option<i64>,
        id: Option<&str>,
        by_place: bool,
    ) -> Option<usize> {
        let of_id = id.and_then(|id| self.by_id.get(id).copied());
        let of_index = index.and_then(|index| self.by_index.get(&index).copied());
        let own = of_index.and_then(|at| self.items.get(at)).and_then(|item| item.id.as_deref());
        let is_other = own.is_some_and(|own| id.is_some_and(|id| own != id));
        of_id.or(of_index.filter(|_| by_place || !is_other))
    }

    pub(super) fn write(&self, out: &mut String) {
        let mut items: Vec<&Item> = self.items.iter().collect();
        items.sort_by_key(|item| item.index);
        out.push('[');
        for item in items {
            separate(out);
            item.node.write(out);
        }
        out.push(']');
    }
}

/// The members of an object; the last duplicate wins. Too many are an error before all of them are held,
/// which takes many times the text.
pub(super) fn members<'a>(
    object: Value<'a>,
    room: &Room,
) -> Result<Vec<(Cow<'a, str>, Value<'a>)>, ResponseTooLarge> {
    let mut members = Vec::new();
    object.find_members(|name, value| {
        members.push((Cow::Owned(name.to_owned()), value));
        members.len() > ELEMENTS_MAX
    });
    match members.len() > ELEMENTS_MAX {
        true => Err(room.too_large(true)),
        false => Ok(without_duplicates(members)),
    }
}

/// The last duplicate wins.
pub(super) fn without_duplicates<'a>(
    mut members: Vec<(Cow<'a, str>, Value<'a>)>,
) -> Vec<(Cow<'a, str>, Value<'a>)> {
    let mut seen = HashSet::new();
    if members.len() > SCANNED_MEMBERS_MAX {
        members.reverse();
        members.retain(|(name, _)| seen.insert(name.clone()));
        members.reverse();
        return members;
    }
    let repeated = |at: usize, name: &str| members.iter().skip(at + 1).any(|(n, _)| n == name);
    let kept: Vec<bool> =
        members.iter().enumerate().map(|(at, (name, _))| !repeated(at, name)).collect();
    let mut kept = kept.into_iter();
    members.retain(|_| kept.next().unwrap_or(true));
    members
}

/// The text between the quotes of a string or the brackets of an array.
pub(super) fn inner(text: &str) -> &str {
    text.get(1..text.len().saturating_sub(1)).unwrap_or_default()
}

/// Null and the empty string are blank.
pub(super) fn is_blank(text: &str) -> bool {
    matches!(text, "" | "null" | "\"\"")
}

/// `index` of a choice or a tool call, in any form that services use.
pub(super) fn place_of(value: Value<'_>) -> Option<i64> {
    let index = value.get("index")?;
    index.as_i64().or_else(|| index.as_index().map(i64::from))
}

/// `index`, if it is an integer.
pub(super) fn own_index(value: Value<'_>) -> Option<i64> {
    value.get("index")?.as_i64()
}

fn is_indexed(array: Value<'_>) -> bool {
    array.any_item(|item| own_index(item).is_some())
}

/// No JSON value ends in an opening bracket.
fn separate(out: &mut String) {
    if !out.ends_with(['[', '{']) {
        out.push(',');
    }
}

pub(super) fn write_name(name: &str, out: &mut String) {
    separate(out);
    write_str(name, out);
    out.push(':');
}

pub(super) fn write_member(name: &str, node: &Node, out: &mut String) {
    write_name(name, out);
    node.write(out);
}
