//! Reads the recorded exchanges and turns each into a script that puts the same bytes on the wire.

use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use modelwire_testing::{Exchange, Script, Step};
use serde_json::Value;

/// One exchange with a real server, as `tests/captures` keeps it.
pub struct Record {
    pub case: String,
    /// The file as it stands.
    pub json: Value,
}

/// Where the replayed bytes are cut into writes of their own.
pub enum Cuts {
    Nowhere,
    /// Where a read of the recording ended.
    AtReads,
    At(usize),
}

fn folder(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", "captures", name].iter().collect()
}

/// Every exchange recorded of one server, by name.
pub fn records(server: &str) -> Vec<Record> {
    let entries = std::fs::read_dir(folder(server)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    let read = |path: PathBuf| {
        let case = path.file_stem().unwrap().to_str().unwrap().to_owned();
        Record { case, json: serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap() }
    };
    paths.into_iter().map(read).collect()
}

/// What a client must make of them: `left_out` and `exchanges`.
pub fn expected(server: &str) -> Value {
    let path = folder("expected").join(format!("{server}.json"));
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn bytes(piece: &Value) -> Vec<u8> {
    STANDARD.decode(piece.as_str().unwrap()).unwrap()
}

fn pieces(list: &Value) -> Vec<Vec<u8>> {
    let list = list.as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter().map(|read| bytes(&read["data_base64"])).collect()
}

impl Record {
    pub fn method(&self) -> &str {
        self.json["request"]["method"].as_str().unwrap()
    }

    /// The path below the base URL.
    pub fn path(&self) -> &str {
        let path = self.json["request"]["path"].as_str().unwrap();
        // One recorded server also has a flavour under /api.
        let path = path.strip_prefix("/api").unwrap_or(path);
        path.strip_prefix("/v1").unwrap_or(path)
    }

    /// The body of the request where it was text.
    pub fn request_body(&self) -> Option<&str> {
        self.json["request"]["body"].as_str()
    }

    /// Whether the recorded request asked for a stream.
    pub fn asks_for_stream(&self) -> bool {
        let body = serde_json::from_str::<Value>(self.request_body().unwrap_or_default());
        body.is_ok_and(|body| body["stream"] == true)
    }

    pub fn is_event_stream(&self) -> bool {
        self.json["response"]["chunks"].is_array()
    }

    /// The body of the answer, its transfer coding removed.
    pub fn answer_body(&self) -> Vec<u8> {
        match &self.json["response"] {
            response if self.is_event_stream() => pieces(&response["chunks"]).concat(),
            response if response["body_base64"].is_string() => bytes(&response["body_base64"]),
            _ => Vec::new(),
        }
    }

    /// The data of the stream's events in order. Found by line, which the recorded servers allow:
    /// LF alone ends their lines, and each event has one line of data.
    pub fn data_lines(&self) -> Vec<String> {
        let body = String::from_utf8_lossy(&self.answer_body()).into_owned();
        let lines = body.split('\n').filter_map(|line| line.strip_prefix("data: "));
        lines.map(str::to_owned).collect()
    }

    /// How many bytes the answer has on the wire.
    pub fn wire_bytes(&self) -> usize {
        pieces(&self.json["response"]["raw"]).iter().map(Vec::len).sum()
    }

    /// The recorded bytes, and then the recorded end.
    pub fn script(&self, cuts: &Cuts) -> Script {
        let response = &self.json["response"];
        let reads = pieces(&response["raw"]);
        let at = match cuts {
            Cuts::Nowhere => Vec::new(),
            Cuts::At(at) => vec![*at],
            Cuts::AtReads => {
                let ends = reads.iter().scan(0, |end, read| {
                    *end += read.len();
                    Some(*end)
                });
                ends.collect()
            }
        };
        let mut steps = vec![Step::SendSplit { bytes: reads.concat(), at }];
        match response["end"].as_str().unwrap() {
            // "client closed": with nobody left to hang up on, the server does it.
            "eof" | "client closed" | "timeout" => steps.push(Step::Close),
            "reset" => steps.push(Step::Reset),
            "last-chunk" | "content-length" | "no body" => {
                if response["connection_after"] == "closed" {
                    steps.push(Step::Close);
                }
            }
            other => panic!("{}: unknown end {other:?}", self.case),
        }
        Script::one(Exchange { steps })
    }
}
