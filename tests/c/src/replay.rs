//! Runs calls through the scenario `replay`, and reads what it printed of each.

use crate::{Program, scenario};

/// One call that the scenario makes.
pub struct Case {
    /// Where the service is.
    pub base_url: String,
    /// "models", "chat" or "responses".
    pub operation: &'static str,
    /// "whole", "stream", "gather" (a stream that gathers) or "underneath" (a whole call that
    /// streams underneath).
    pub way: &'static str,
    /// The bound on one event; 0 leaves the default.
    pub event_bytes_max: u64,
    /// The request as JSON text.
    pub body: String,
}

/// What the library told of one call: names and texts, in the order in which they came.
pub struct Told(Vec<(String, String)>);

impl Told {
    /// The first field of a name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.fields().find(|(found, _)| *found == name).map(|(_, text)| text)
    }

    /// Every field of a name.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.fields().filter(move |(found, _)| *found == name).map(|(_, text)| text)
    }

    /// Every field.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }
}

/// Runs all cases in one program, one after another.
pub fn replay(cases: &[Case]) -> Vec<Told> {
    let mut input = String::new();
    for case in cases {
        let Case { base_url, operation, way, event_bytes_max, body } = case;
        let length = body.len();
        input += &format!("{base_url} {operation} {way} {event_bytes_max} {length}\n{body}\n");
    }
    let program: Program = scenario("replay");
    let told = told(&program.run_with_input(input.into_bytes()).succeeded().stdout);
    assert_eq!(told.len(), cases.len());
    told
}

/// What a program printed of each call.
pub fn told(stdout: &str) -> Vec<Told> {
    let (mut told, mut fields, mut left) = (Vec::new(), Vec::new(), stdout);
    while let Some((head, rest)) = left.split_once('\n') {
        let (name, length) = head.split_once(' ').unwrap();
        let (text, rest) = rest.split_at(length.parse().unwrap());
        left = rest.strip_prefix('\n').unwrap();
        match name {
            "over" => told.push(Told(std::mem::take(&mut fields))),
            _ => fields.push((name.to_owned(), text.to_owned())),
        }
    }
    told
}
