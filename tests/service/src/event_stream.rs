//! Builds a streamed answer in steps, with one event per HTTP chunk.

use std::time::Duration;

use crate::script::{Exchange, Step};

/// The end mark of a chat stream.
pub(crate) const DONE: &str = "[DONE]";
/// The last chunk of a chunked body.
pub(crate) const LAST_CHUNK: &[u8] = b"0\r\n\r\n";

/// A streamed answer under construction. Each event is a separate write, as from real servers.
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

    /// Adds an event with only data.
    pub(crate) fn data(&mut self, data: &str) {
        self.steps.push(Step::send(http_chunk(&event(data))));
    }

    /// Adds an event with only data, without the blank line that ends it.
    pub(crate) fn unended(&mut self, data: &str) {
        self.steps.push(Step::send(http_chunk(&format!("data: {data}\n"))));
    }

    /// Adds an event with a name.
    pub(crate) fn named(&mut self, name: &str, data: &str) {
        let event = format!("event: {name}\n{}", event(data));
        self.steps.push(Step::send(http_chunk(&event)));
    }

    /// Adds rendered HTTP chunks that are sent `times` times.
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

    /// Ends the body regularly, so that the connection can be reused.
    pub(crate) fn end(self) -> Exchange {
        self.end_with(Step::send(LAST_CHUNK))
    }

    /// Closes the connection without the last chunk.
    pub(crate) fn cut(self) -> Exchange {
        self.end_with(Step::Close)
    }

    /// Resets the connection without the last chunk.
    pub(crate) fn reset(self) -> Exchange {
        self.end_with(Step::Reset)
    }

    fn end_with(mut self, last: Step) -> Exchange {
        self.steps.push(last);
        Exchange { steps: self.steps }
    }
}

/// One event. The data is sent unchanged: a script may violate the format on purpose.
pub(crate) fn event(data: &str) -> String {
    format!("data: {data}\n\n")
}

pub(crate) fn http_chunk(payload: &str) -> Vec<u8> {
    format!("{:x}\r\n{payload}\r\n", payload.len()).into_bytes()
}
