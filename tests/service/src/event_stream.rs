//! Builds streamed answers step by step, one event to an HTTP chunk.

use std::time::Duration;

use crate::script::{Exchange, Step};

/// The end mark of a chat stream.
pub(crate) const DONE: &str = "[DONE]";
/// The end of a body of HTTP chunks.
pub(crate) const LAST_CHUNK: &[u8] = b"0\r\n\r\n";

/// A streamed answer in the making. Each event becomes a write of its own, as real servers do it.
pub(crate) struct EventStream {
    steps: Vec<Step>,
}

impl EventStream {
    pub(crate) fn open(headers: &[(&str, &str)]) -> EventStream {
        let mut head = String::from(
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n",
        );
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("Transfer-Encoding: chunked\r\n\r\n");
        EventStream { steps: vec![Step::send(head)] }
    }

    /// An event of data alone.
    pub(crate) fn data(&mut self, data: &str) {
        self.steps.push(Step::send(http_chunk(&event(data))));
    }

    /// An event of data alone, without the blank line that ends it.
    pub(crate) fn unended(&mut self, data: &str) {
        self.steps.push(Step::send(http_chunk(&format!("data: {data}\n"))));
    }

    /// An event with a name.
    pub(crate) fn named(&mut self, name: &str, data: &str) {
        let event = format!("event: {name}\n{}", event(data));
        self.steps.push(Step::send(http_chunk(&event)));
    }

    /// Whole HTTP chunks, already rendered, to be sent so many times.
    pub(crate) fn rendered(&mut self, bytes: Vec<u8>, times: usize) {
        if times > 0 {
            self.steps.push(Step::Send { bytes, times });
        }
    }

    pub(crate) fn pause(&mut self, pause: Duration) {
        if !pause.is_zero() {
            self.steps.push(Step::Pause(pause));
        }
    }

    /// Ends as HTTP asks for it: the connection can be used again.
    pub(crate) fn end(self) -> Exchange {
        self.end_with(Step::send(LAST_CHUNK))
    }

    /// Ends without the last chunk, by closing the connection.
    pub(crate) fn cut(self) -> Exchange {
        self.end_with(Step::Close)
    }

    /// Ends without the last chunk, by resetting the connection.
    pub(crate) fn reset(self) -> Exchange {
        self.end_with(Step::Reset)
    }

    fn end_with(mut self, last: Step) -> Exchange {
        self.steps.push(last);
        Exchange { steps: self.steps }
    }
}

/// One event. The data is put on the wire as it is: a script may break the grammar on purpose.
pub(crate) fn event(data: &str) -> String {
    format!("data: {data}\n\n")
}

pub(crate) fn http_chunk(payload: &str) -> Vec<u8> {
    format!("{:x}\r\n{payload}\r\n", payload.len()).into_bytes()
}
