//! The vectors of records, for every language that replays them from Rust: what each call is, and whether
//! its record is right.

use std::path::Path;

use modelwire_testing::{Script, Service};
use serde_json::{Value, json};

/// A scripted call.
pub struct Ended {
    pub name: String,
    pub operation: String,
    pub way: String,
    /// Options of the call, as JSON.
    pub options: String,
    /// The request, as JSON; of a list of models null.
    pub body: String,
    exchanges: Value,
    record: Value,
}

pub fn vectors() -> Vec<Ended> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors/records/calls.json");
    let all: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let all: Vec<Ended> = all.as_array().unwrap().iter().map(read).collect();
    assert!(all.len() >= 10);
    all
}

fn read(vector: &Value) -> Ended {
    let text = |name: &str| vector[name].as_str().unwrap().to_owned();
    Ended {
        name: text("name"),
        operation: text("operation"),
        way: text("way"),
        options: vector.get("options").unwrap_or(&json!({})).to_string(),
        body: vector["body"].to_string(),
        exchanges: vector["exchanges"].clone(),
        record: vector["record"].clone(),
    }
}

impl Ended {
    /// Lets the service answer as the vector says, under this name; gives the base URL.
    pub fn script(&self, service: &Service, name: &str) -> String {
        let script = json!({ "exchanges": self.exchanges }).to_string();
        service.script(name, Script::from_json(script.as_bytes()).unwrap())
    }

    /// What is wrong with the record.
    pub fn judge(&self, json: &str) -> Option<String> {
        let record: Value = serde_json::from_str(json).unwrap();
        let wrong = |what: &str| Some(format!("{}: {what} in {record}", self.name));
        for (name, expected) in self.record.as_object().unwrap() {
            let found = member(&record, name, expected);
            if found != *expected {
                return wrong(&format!("{name} is {found}, not {expected}"));
            }
        }
        if json.contains("sk-test") {
            return wrong("a key");
        }
        let time = |of: &Value, name: &str| of[name].as_u64().unwrap_or(0);
        let attempts = record["attempts"].as_array().unwrap();
        let mut times: Vec<u64> = attempts
            .iter()
            .flat_map(|one| ["start_us", "end_us"].map(|name| time(one, name)))
            .collect();
        times.push(time(&record, "elapsed_us"));
        if !times.is_sorted() || time(&record, "last_chunk_us") > time(&record, "elapsed_us") {
            return wrong("a time that runs backwards");
        }
        let has_first = record["first_chunk_us"].is_u64() && record["last_chunk_us"].is_u64();
        (has_first != (record["chunks"] != 0)).then(|| wrong("the first chunk")).flatten()
    }
}

/// Every vector through a program, which reads five lines for each (base URL, operation, way, options, body) and
/// prints its record in one.
#[allow(dead_code, reason = "who is in Rust makes the calls itself")]
pub fn check(run: impl FnOnce(Vec<u8>) -> String) {
    let (service, vectors) = (Service::start().unwrap(), vectors());
    let mut input = String::new();
    for (number, vector) in vectors.iter().enumerate() {
        let Ended { operation, way, options, body, .. } = vector;
        let base_url = vector.script(&service, &format!("s{number}"));
        input += &format!("{base_url}\n{operation}\n{way}\n{options}\n{body}\n");
    }
    let printed = run(input.into_bytes());
    let records: Vec<&str> = printed.lines().collect();
    assert_eq!(records.len(), vectors.len());
    let judged = vectors.iter().zip(records).filter_map(|(vector, record)| vector.judge(record));
    let wrong: Vec<String> = judged.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A member of a record, as the vectors write it.
fn member(record: &Value, name: &str, expected: &Value) -> Value {
    let each = |of: &Value, write: &dyn Fn(&Value) -> Value| -> Value {
        of.as_array().unwrap().iter().map(write).collect()
    };
    match (name, expected) {
        ("attempts", _) => each(&record[name], &|one| json!([one["status"], one["kind"]])),
        ("waits", _) => each(&record[name], &|one| one["reason"].clone()),
        ("path", Value::String(end)) => {
            let is_right = record["path"].as_str().unwrap().ends_with(end.as_str());
            if is_right { expected.clone() } else { record["path"].clone() }
        }
        ("chunk_times", _) => json!(record["chunk_times_us"].as_array().unwrap().len()),
        ("usage", Value::Object(known)) => {
            known.keys().map(|name| (name.clone(), record["usage"][name].clone())).collect()
        }
        _ => record[name].clone(),
    }
}
