//! A bulk job in a folder of its own, and its service.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use modelwire_testing::Service;
use serde_json::Value;

use super::{Folder, Ran, modelwire_to, run};

/// The job; its input is `in.jsonl`, and its results are `out.jsonl`, unless its arguments name others.
pub struct Job {
    pub folder: Folder,
    pub service: Service,
}

impl Job {
    pub fn new(input: &str) -> Job {
        Job::at(Service::start().unwrap(), input)
    }

    pub fn at(service: Service, input: &str) -> Job {
        let folder = Folder::new();
        folder.file("in.jsonl", input);
        Job { folder, service }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let names_input =
            arguments.first().is_some_and(|first| !first.starts_with("--") && *first != "-o");
        let input = if names_input { &[][..] } else { &["in.jsonl"] };
        let output = if arguments.contains(&"-o") { &[][..] } else { &["-o", "out.jsonl"] };
        let mut command =
            modelwire_to(&self.service, &[&["bulk"], input, output, arguments].concat());
        command.current_dir(self.folder.path());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        run(&mut self.command(arguments))
    }

    /// Begins it; what it says goes into a file.
    pub fn begin(&self, arguments: &[&str]) -> Child {
        let said = std::fs::File::create(self.path("said")).unwrap();
        self.command(arguments).stderr(said).spawn().unwrap()
    }

    pub fn said(&self) -> String {
        self.text("said")
    }

    /// Its results.
    pub fn results(&self) -> BTreeMap<String, Value> {
        results(&self.path("out.jsonl"))
    }
}

/// Results by their keys; each key may come once.
pub fn results(path: &Path) -> BTreeMap<String, Value> {
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'));
    let mut results = BTreeMap::new();
    for line in text.lines() {
        let result: Value = serde_json::from_str(line).unwrap();
        let key = result["custom_id"].as_str().unwrap().to_owned();
        assert!(results.insert(key.clone(), result).is_none(), "{key} twice");
    }
    results
}
