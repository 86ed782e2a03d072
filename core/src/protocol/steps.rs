//! Everything in a value, step by step: one pass, without recursion. To read each part by itself costs a pass
//! for each level of nesting, and the nesting is the service's.

use std::borrow::Cow;

use crate::protocol::json::{Cursor, DEPTH_WORDS, JSON_DEPTH_MAX, bit, set_bit};
use crate::protocol::value::{Kind, Value};

/// One step of the way through a value.
#[derive(Debug)]
pub(crate) enum Step<'a> {
    /// An array or an object begins.
    Begin(Kind),
    /// The name of a member, whose value follows.
    Name(Cow<'a, str>),
    /// A value without parts.
    Scalar(Value<'a>),
    /// An array or an object ended.
    End,
}

/// Where the way goes on.
enum Place {
    /// Before a value.
    Value,
    /// Behind the opening bracket of an array or an object.
    First,
    /// Behind a value.
    Behind,
}

/// The way through a value. In a text that is not JSON it ends early.
pub(crate) struct Steps<'a> {
    cursor: Option<Cursor<'a>>,
    place: Place,
    /// Which of the open levels are objects.
    objects: [u64; DEPTH_WORDS],
    depth: usize,
}

impl<'a> Steps<'a> {
    pub(crate) fn of(value: Value<'a>) -> Steps<'a> {
        let cursor = Cursor::new(value.text()).ok();
        Steps { cursor, place: Place::Value, objects: [0; DEPTH_WORDS], depth: 0 }
    }

    /// Passes over the value that follows.
    pub(crate) fn pass_over(&mut self) {
        if self.cursor.as_mut().is_some_and(|cursor| cursor.skip().is_err()) {
            self.cursor = None;
        }
        self.place = Place::Behind;
    }

    /// The position in the text of the value, behind the last step.
    pub(crate) fn place(&self) -> usize {
        self.cursor.as_ref().map_or(0, Cursor::place)
    }

    fn step(&mut self) -> Option<Step<'a>> {
        let cursor = self.cursor.as_mut()?;
        let in_object = self.depth > 0 && bit(&self.objects, self.depth - 1);
        let close = if in_object { b'}' } else { b']' };
        let goes_on = match self.place {
            Place::Value => false,
            Place::First => !cursor.takes(close),
            Place::Behind if self.depth == 0 => return None,
            Place::Behind => {
                cursor.blank();
                let goes_on = cursor.takes(b',');
                if !goes_on && !cursor.takes(close) {
                    return None; // not JSON
                }
                goes_on
            }
        };
        if !matches!(self.place, Place::Value) {
            if !goes_on {
                self.depth -= 1;
                self.place = Place::Behind;
                return Some(Step::End);
            }
            cursor.blank();
            self.place = Place::Value;
            if in_object {
                return Some(Step::Name(cursor.key().ok()?.read(cursor.text)));
            }
        }
        let is_object = cursor.takes(b'{');
        if !is_object && !cursor.takes(b'[') {
            self.place = Place::Behind;
            return Some(Step::Scalar(cursor.skip().ok()?.of(cursor.text)));
        }
        if self.depth == JSON_DEPTH_MAX {
            return None;
        }
        set_bit(&mut self.objects, self.depth, is_object);
        self.depth += 1;
        self.place = Place::First;
        cursor.blank();
        Some(Step::Begin(if is_object { Kind::Object } else { Kind::Array }))
    }
}

impl<'a> Iterator for Steps<'a> {
    type Item = Step<'a>;

    fn next(&mut self) -> Option<Step<'a>> {
        let step = self.step();
        if step.is_none() {
            self.cursor = None;
        }
        step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(text: &str) -> String {
        let written = Steps::of(Value::validated(text)).map(|step| match step {
            Step::Begin(Kind::Array) => "[".to_owned(),
            Step::Begin(_) => "{".to_owned(),
            Step::Name(name) => format!("{name}="),
            Step::Scalar(value) => format!("{} ", value.text()),
            Step::End => ")".to_owned(),
        });
        written.collect()
    }

    #[test]
    fn each_part_is_met_once_and_in_order() {
        for (text, steps) in [
            ("7", "7 "),
            (" [ ] ", "[)"),
            ("{}", "{)"),
            (r#"[ 1 , "a,]" , [ ] , { } ]"#, r#"[1 "a,]" [){))"#),
            (r#"{ "a" : { "b\u0063" : [ null ] } , "d" : true }"#, "{a={bc=[null ))d=true )"),
            (r#"[[[1],2],{"a":[{}]},3]"#, "[[[1 )2 ){a=[{)))3 )"),
        ] {
            assert_eq!(way(text), steps, "{text}");
        }
        for (text, steps) in
            [("", ""), ("1]", "1 "), ("[1", "[1 "), (r#"{"a" 1}"#, "{"), ("[1 2]", "[1 ")]
        {
            assert_eq!(way(text), steps, "{text}");
        }
        let deep = |depth: usize| way(&("[".repeat(depth) + &"]".repeat(depth)));
        assert_eq!(deep(JSON_DEPTH_MAX).len(), 2 * JSON_DEPTH_MAX);
        assert_eq!(deep(JSON_DEPTH_MAX + 1), "[".repeat(JSON_DEPTH_MAX));
    }

    #[test]
    fn a_value_can_be_passed_over() {
        let mut steps = Steps::of(Value::validated(r#"{"a":[1,{"b":2}],"c":3}"#));
        let mut met = String::new();
        while let Some(step) = steps.next() {
            if matches!(&step, Step::Name(name) if name == "a") {
                steps.pass_over();
            } else {
                met.push_str(&format!("{step:?} "));
            }
        }
        assert_eq!(met, r#"Begin(Object) Name("c") Scalar(3) End "#);
    }
}
