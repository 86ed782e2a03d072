//! What the vectors of gathering say that accessors tell, for every language that replays them from
//! Rust, and how it is read from what a program printed.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// How many vectors say it.
pub const COUNT: usize = 30;

/// A vector, and its name.
pub struct Vector {
    pub name: String,
    /// "chat" or "responses".
    pub endpoint: &'static str,
    pub chunks: Vec<String>,
    pub expected: String,
    /// Of each chunk, and of the answer.
    pub told: (Vec<Value>, Value),
}

/// The vectors that say what accessors tell.
pub fn vectors() -> Vec<Vector> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors/gather");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let is_vector = |path: &PathBuf| path.extension().is_some_and(|end| end == "json");
    let vectors: Vec<Vector> = paths.into_iter().filter(is_vector).filter_map(read).collect();
    assert_eq!(vectors.len(), COUNT);
    vectors
}

fn read(path: PathBuf) -> Option<Vector> {
    let file: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let told = file.get("told")?;
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    Some(Vector {
        name: path.file_stem().unwrap().to_string_lossy().into_owned(),
        endpoint: if file["endpoint"] == "chat" { "chat" } else { "responses" },
        chunks: file["chunks"].as_array().unwrap().iter().map(text).collect(),
        expected: text(&file["expected"]),
        told: (told["chunks"].as_array().unwrap().clone(), told["answer"].clone()),
    })
}

impl Vector {
    /// What is wrong with what was told of its chunks and its answer.
    pub fn judge(&self, chunks: &[Value], answer: &Value) -> Option<String> {
        let (expected, found) = (json!([self.told.0, self.told.1]), json!([chunks, answer]));
        let name = &self.name;
        (found != expected).then(|| format!("{name}\n  expected {expected}\n  found    {found}"))
    }

    /// The same of what a program printed of a call: a chunk's fields stand behind it, the answer's behind
    /// its text, and a tool call's behind its index.
    #[allow(dead_code, reason = "who reads accessors itself prints nothing")]
    pub fn judge_fields<'a>(
        &self,
        fields: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> Option<String> {
        let (mut chunks, mut answer) = (Vec::new(), None);
        for (name, value) in fields {
            if name == "chunk" {
                chunks.push(Told::default());
            } else if name == "json" {
                assert_eq!(value, self.expected, "{}", self.name);
                answer = Some(Told::default());
            }
            match (&mut answer, chunks.last_mut()) {
                (Some(told), _) => told.read(name, value, false),
                (None, Some(told)) => {
                    told.read(name.strip_prefix("chunk_").unwrap_or(name), value, true)
                }
                (None, None) => panic!("{}: {name} before any chunk: {value}", self.name),
            }
        }
        let chunks: Vec<Value> = chunks.iter().map(Told::to_json).collect();
        self.judge(&chunks, &answer.expect("an answer").to_json())
    }
}

/// What was told of a chunk or of an answer, in the words of the vectors.
#[derive(Default)]
pub struct Told {
    pub text: String,
    pub finish_reason: Option<String>,
    pub usage: Option<[u64; 3]>,
    pub calls: Vec<Value>,
}

impl Told {
    /// What is absent is left out.
    pub fn to_json(&self) -> Value {
        let mut told = json!({});
        if !self.text.is_empty() {
            told["text"] = json!(self.text);
        }
        if let Some(reason) = &self.finish_reason {
            told["finish_reason"] = json!(reason);
        }
        if let Some(usage) = self.usage {
            told["usage"] = json!(usage);
        }
        if !self.calls.is_empty() {
            told["calls"] = json!(self.calls);
        }
        told
    }

    fn read(&mut self, name: &str, value: &str, is_chunk: bool) {
        let members = ["call_id", "call_name", "call_arguments"];
        match name {
            "text" => self.text = value.to_owned(),
            "reason" | "finish_reason" => self.finish_reason = Some(value.to_owned()),
            "usage" => self.usage = Some(serde_json::from_str(value).unwrap()),
            "call" if is_chunk => {
                self.calls.push(json!([value.parse::<u32>().ok(), null, null, null]));
            }
            "call" => self.calls.push(json!(["", "", ""])),
            _ => {
                let Some(at) = members.iter().position(|member| *member == name) else { return };
                self.calls.last_mut().unwrap()[usize::from(is_chunk) + at] = json!(value);
            }
        }
    }
}
