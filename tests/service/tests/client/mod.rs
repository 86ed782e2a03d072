//! A client of plain sockets for the tests of the service.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

const PATIENCE: Duration = Duration::from_secs(120);

/// How a body ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Length,
    LastChunk,
    Eof,
    Reset,
}

/// One answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// The HTTP chunks of a chunked body.
    pub chunks: Vec<String>,
    pub end: End,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(found, _)| found.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// The data of each event of a stream, one event an HTTP chunk.
    pub fn data(&self) -> Vec<String> {
        let of = |chunk: &String| {
            assert!(chunk.ends_with("\n\n"), "{chunk:?} is not one event");
            let data: Vec<&str> =
                chunk.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
            assert_eq!(data.len(), 1, "{chunk:?} is not one event");
            data[0].to_owned()
        };
        self.chunks.iter().map(of).collect()
    }

    /// The data of each event but the end mark, as JSON.
    pub fn events(&self) -> Vec<Value> {
        let data = self.data();
        let json = data.iter().filter(|data| *data != "[DONE]");
        json.map(|data| serde_json::from_str(data).unwrap()).collect()
    }

    pub fn error(&self, field: &str) -> String {
        self.json()["error"][field].as_str().unwrap_or_default().to_owned()
    }
}

/// One connection.
pub struct Client {
    pub stream: TcpStream,
    unused: Vec<u8>,
}

impl Client {
    pub fn connect(address: SocketAddr) -> Client {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        Client { stream, unused: Vec::new() }
    }

    /// Sends a request and reads the whole answer.
    pub fn call(
        &mut self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Answer {
        self.send(method, target, headers, body);
        self.answer()
    }

    pub fn send(&mut self, method: &str, target: &str, headers: &[(&str, &str)], body: &str) {
        let mut head = format!("{method} {target} HTTP/1.1\r\nHost: test\r\n");
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
        self.stream.write_all(head.as_bytes()).unwrap();
    }

    /// What one read gives; empty at the end of the connection.
    pub fn read(&mut self) -> Result<Vec<u8>, ErrorKind> {
        let mut bytes = vec![0; 64 << 10];
        loop {
            match self.stream.read(&mut bytes) {
                Ok(read) => {
                    bytes.truncate(read);
                    return Ok(bytes);
                }
                // Linux ends a read that has a timeout so, whatever the signal was.
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.kind()),
            }
        }
    }

    /// Everything until the connection ends, and how it ended.
    pub fn drain(&mut self) -> (Vec<u8>, End) {
        let mut bytes = std::mem::take(&mut self.unused);
        let end = loop {
            match self.fill() {
                None => bytes.append(&mut self.unused),
                Some(end) => break end,
            }
        };
        (bytes, end)
    }

    fn fill(&mut self) -> Option<End> {
        match self.read() {
            Ok(bytes) if bytes.is_empty() => Some(End::Eof),
            Ok(mut bytes) => {
                self.unused.append(&mut bytes);
                None
            }
            Err(ErrorKind::ConnectionReset) => Some(End::Reset),
            Err(error) => panic!("{error}"),
        }
    }

    fn line(&mut self) -> Result<String, End> {
        loop {
            if let Some(end) = self.unused.windows(2).position(|pair| pair == b"\r\n") {
                let line: Vec<u8> = self.unused.drain(..end + 2).collect();
                return Ok(String::from_utf8(line[..end].to_vec()).unwrap());
            }
            if let Some(end) = self.fill() {
                return Err(end);
            }
        }
    }

    fn exactly(&mut self, length: usize) -> (Vec<u8>, Option<End>) {
        while self.unused.len() < length {
            if let Some(end) = self.fill() {
                return (std::mem::take(&mut self.unused), Some(end));
            }
        }
        (self.unused.drain(..length).collect(), None)
    }

    pub fn answer(&mut self) -> Answer {
        let status_line = self.line().unwrap();
        assert!(status_line.starts_with("HTTP/1.1 "), "{status_line:?}");
        let status = status_line[9..12].parse().unwrap();
        let mut headers = Vec::new();
        loop {
            let line = self.line().unwrap();
            let Some((name, value)) = line.split_once(": ") else {
                break;
            };
            headers.push((name.to_owned(), value.to_owned()));
        }
        let end = End::Length;
        let mut answer = Answer { status, headers, body: Vec::new(), chunks: Vec::new(), end };
        if answer.header("transfer-encoding") == Some("chunked") {
            answer.end = self.chunks(&mut answer.chunks);
            answer.body = answer.chunks.concat().into_bytes();
        } else {
            let length = answer.header("content-length").unwrap().parse().unwrap();
            let (body, end) = self.exactly(length);
            answer.body = body;
            answer.end = end.unwrap_or(End::Length);
        }
        answer
    }

    fn chunks(&mut self, chunks: &mut Vec<String>) -> End {
        loop {
            let size = match self.line() {
                Ok(line) => usize::from_str_radix(&line, 16).unwrap(),
                Err(end) => return end,
            };
            let (chunk, end) = self.exactly(size);
            if let Some(end) = end {
                return end;
            }
            assert_eq!(self.line().unwrap(), "");
            if size == 0 {
                return End::LastChunk;
            }
            chunks.push(String::from_utf8(chunk).unwrap());
        }
    }
}

/// One request on a connection of its own.
pub fn call(
    address: SocketAddr,
    method: &str,
    target: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Answer {
    Client::connect(address).call(method, target, headers, body)
}

/// The header that the played service asks for.
pub const AUTH: &[(&str, &str)] = &[("Authorization", "Bearer sk-test")];

/// Posts to the played service with the key.
pub fn post(address: SocketAddr, path: &str, body: &Value) -> Answer {
    call(address, "POST", path, AUTH, &body.to_string())
}

/// Waits until `holds`, or fails.
pub fn eventually(what: &str, holds: impl Fn() -> bool) {
    let start = std::time::Instant::now();
    while !holds() {
        // clock: bounds a hang
        assert!(start.elapsed() < PATIENCE, "never: {what}");
        // clock: between two looks
        std::thread::sleep(Duration::from_millis(2));
    }
}
