//! What the deep scenarios share: calls, children, memory, waiting.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use modelwire::{Client, Config, Request, Result};

/// How long a condition may take to come true; far beyond what it should take.
const PATIENCE: Duration = Duration::from_secs(60);
const MARKER: &str = "MODELWIRE_TEST_DEEP_CHILD";
pub const KEY: &str = "sk-test";
pub const SAID: &str = "Hello from both sides.";
pub const DONE: &str = "[DONE]";

pub fn config(base_url: impl Into<String>) -> Config {
    Config::new().base_url(base_url).api_key(KEY)
}

pub fn hello() -> Request {
    Request::chat("echo").user(SAID)
}

/// A chat chunk that adds a piece of text.
pub fn piece(text: &str) -> String {
    let text = serde_json::to_string(text).unwrap();
    format!(r#"{{"choices":[{{"index":0,"delta":{{"content":{text}}},"finish_reason":null}}]}}"#)
}

/// The text of a stream, read to its end.
pub fn read(client: &Client, request: Request) -> Result<String> {
    let chunks = client.blocking().stream(request)?;
    chunks.map(|chunk| Ok(chunk?.text().into_owned())).collect()
}

/// A list, a plain call and a stream, each right.
pub fn works(client: &Client) {
    assert!(client.blocking().models().unwrap().json().contains("echo"));
    assert_eq!(client.blocking().send(hello()).unwrap().text(), SAID);
    assert_eq!(read(client, hello()).unwrap(), SAID);
}

pub fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        // clock: bounds a hang
        assert!(start.elapsed() < PATIENCE, "never came true: {what}");
        // clock: between two looks
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub fn is_child() -> bool {
    std::env::var_os(MARKER).is_some()
}

/// This program again, running only the test of this name; what it says is piped.
pub fn myself(test: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([test, "--exact", "--nocapture", "--test-threads=1"]).env(MARKER, "1");
    command
}

/// Runs `test`, which is the rest of the test function of this name, in a process of its own with
/// these variables more (an empty value removes one); what it wrote, or `None` in the child.
pub fn in_child(name: &str, variables: &[(&str, &str)], test: impl FnOnce()) -> Option<String> {
    if is_child() {
        test();
        return None;
    }
    let mut command = myself(name);
    for (variable, value) in variables {
        match *value {
            "" => command.env_remove(variable),
            value => command.env(variable, value),
        };
    }
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    let end: String = told.lines().rev().take(40).collect::<Vec<_>>().join("\n");
    assert!(output.status.success(), "{} (last line first): {end}", output.status);
    assert!(told.contains("1 passed"), "the test {name} did not run: {told}");
    // What a scenario measured is for the log of the run.
    told.lines().filter(|line| line.starts_with("measured: ")).for_each(|line| println!("{line}"));
    Some(told.into_owned())
}

/// Another process of this program that lives until it is dropped, and the first line that it said
/// with this beginning.
pub struct Helper {
    child: Child,
    pub said: String,
}

impl Helper {
    pub fn start(test: &str, beginning: &str) -> Helper {
        let mut command = myself(test);
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        // The test harness may have begun the line.
        let mut said = lines.filter_map(|line| Some(line.split_once(beginning)?.1.to_owned()));
        let said = said.next().expect("the helper said nothing");
        Helper { child, said }
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The memory that this process has now, in bytes.
pub fn memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() << 10
}
