//! What a check of a value against a schema takes: references may multiply with each level of the schema or of
//! the value, and nest without end. Pure.

use std::collections::HashMap;

use serde_json::{Map, Value as Json};

/// A check of fewer steps is always made. They take about a second: 16 levels of expressions of two forms.
const STEPS_FREE: u64 = 1 << 20;

/// How often each part of a value may be compared with each part of its schema, on average.
const REPEATS_MAX: u64 = 32;

/// The maximum number of schemas within each other.
pub(super) const DEPTH_MAX: u32 = 512;

/// The steps of a check, and how deep they nest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Effort {
    pub(super) steps: u64,
    pub(super) depth: u32,
}

/// What a check of this value takes at most; the error says why it is not made.
pub(super) fn effort(schema: &Json, root: &Json, value: &Json) -> Result<Effort, String> {
    let mut search = Search { root, known: HashMap::new() };
    let effort = search.of(schema, value, DEPTH_MAX);
    if effort.depth > DEPTH_MAX {
        return Err(format!("more than {DEPTH_MAX} levels of the schema apply within each other"));
    }
    let pairs = search.known.len() as u64;
    let most = STEPS_FREE.max(pairs.saturating_mul(REPEATS_MAX));
    match effort.steps > most {
        true => Err(format!(
            "its check takes more than {most} steps, because the references of the schema multiply"
        )),
        false => Ok(effort),
    }
}

struct Search<'a> {
    root: &'a Json,
    /// By the addresses of a schema and a value.
    known: HashMap<(*const Json, *const Json), Effort>,
}

impl<'a> Search<'a> {
    fn of(&mut self, schema: &'a Json, value: &'a Json, levels: u32) -> Effort {
        let pair = (std::ptr::from_ref(schema), std::ptr::from_ref(value));
        if let Some(known) = self.known.get(&pair) {
            return *known;
        }
        // A reference to what applies already ends there.
        self.known.insert(pair, Effort::default());
        let mut effort = Effort { steps: 1, depth: 1 };
        let Json::Object(schema) = schema else { return effort };
        let Some(levels) = levels.checked_sub(1) else {
            return Effort { steps: 1, depth: DEPTH_MAX + 1 };
        };
        let mut parts = Vec::new();
        parts_of(self.root, schema, value, &mut parts);
        for (part, value) in parts {
            let found = self.of(part, value, levels);
            effort.steps = effort.steps.saturating_add(found.steps);
            effort.depth = effort.depth.max(found.depth.saturating_add(1));
        }
        self.known.insert(pair, effort);
        effort
    }
}

/// The schemas within a schema, each with the value that it applies to.
fn parts_of<'a>(
    root: &'a Json,
    schema: &'a Map<String, Json>,
    value: &'a Json,
    parts: &mut Vec<(&'a Json, &'a Json)>,
) {
    let is_named = |name: &String| {
        schema.get("properties").is_some_and(|properties| properties.get(name).is_some())
    };
    for (keyword, part) in schema {
        match (keyword.as_str(), part, value) {
            ("$ref" | "$dynamicRef" | "$recursiveRef", Json::String(reference), _) => {
                parts.extend(target(root, reference).map(|part| (part, value)));
            }
            ("allOf" | "anyOf" | "oneOf", Json::Array(all), _) => {
                parts.extend(all.iter().map(|part| (part, value)));
            }
            ("not" | "if" | "then" | "else", _, _) => parts.push((part, value)),
            ("dependentSchemas" | "dependencies", Json::Object(all), Json::Object(_)) => {
                parts.extend(all.values().map(|part| (part, value)));
            }
            ("properties", Json::Object(all), Json::Object(members)) => {
                let of = |(name, value)| Some((all.get(name)?, value));
                parts.extend(members.iter().filter_map(of));
            }
            ("patternProperties", Json::Object(all), Json::Object(members)) => {
                let of = |value| all.values().map(move |part| (part, value));
                parts.extend(members.values().flat_map(of));
            }
            ("additionalProperties" | "unevaluatedProperties", _, Json::Object(members)) => {
                let others = members.iter().filter(|(name, _)| !is_named(name));
                parts.extend(others.map(|(_, value)| (part, value)));
            }
            ("prefixItems" | "items", Json::Array(all), Json::Array(values)) => {
                parts.extend(all.iter().zip(values));
            }
            (
                "items" | "contains" | "unevaluatedItems" | "additionalItems",
                _,
                Json::Array(values),
            ) => parts.extend(values.iter().map(|value| (part, value))),
            _ => {}
        }
    }
}

/// What a reference within a schema refers to, by its place or its anchor.
fn target<'a>(root: &'a Json, reference: &str) -> Option<&'a Json> {
    let place = reference.strip_prefix('#')?;
    match place.is_empty() || place.starts_with('/') {
        true => root.pointer(place),
        false => anchored(root, place),
    }
}

fn anchored<'a>(schema: &'a Json, anchor: &str) -> Option<&'a Json> {
    let is_it = |name| schema.get(name).and_then(Json::as_str) == Some(anchor);
    if is_it("$anchor") || is_it("$dynamicAnchor") {
        return Some(schema);
    }
    match schema {
        Json::Object(members) => members.values().find_map(|part| anchored(part, anchor)),
        Json::Array(items) => items.iter().find_map(|part| anchored(part, anchor)),
        _ => None,
    }
}
