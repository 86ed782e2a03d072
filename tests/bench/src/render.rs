//! What the byte server sends, rendered once: streams of equal events and a whole chat answer.

use std::time::Duration;

/// Full-speed streams are written in blocks of about this size, so that writing costs the server
/// less than reading costs any client.
const BLOCK_BYTES: usize = 64 << 10;

/// From this size on an event has all fields that a real chunk has; a smaller one only the text.
const FULL_CHUNK_BYTES: usize = 200;

/// What one base URL answers; read from its path.
pub struct Route {
    kind: Kind,
    events: usize,
    events_per_http_chunk: usize,
    bytes_per_event: usize,
    pause: Duration,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Chat,
    Responses,
    Plain,
    Closing,
}

impl Route {
    /// Reads `/KIND/EVENTS/PER/BYTES/PAUSE_MS`; `None` where it is none of ours.
    pub fn parse(path: &str) -> Option<Route> {
        let mut parts = path.trim_matches('/').split('/');
        let kind = match parts.next()? {
            "chat" => Kind::Chat,
            "responses" => Kind::Responses,
            "plain" => Kind::Plain,
            "closing" => Kind::Closing,
            _ => return None,
        };
        let mut number = || parts.next()?.parse::<usize>().ok();
        Some(Route {
            kind,
            events: number()?,
            events_per_http_chunk: number()?.max(1),
            bytes_per_event: number()?,
            pause: Duration::from_millis(number()? as u64),
        })
    }
}

/// The bytes of one answer, and what is to be found in them.
pub struct Rendered {
    /// Each is written so many times, in this order.
    pub blocks: Vec<(Vec<u8>, usize)>,
    /// Between two writes of a stream; zero for full speed.
    pub pause: Duration,
    /// Whether the connection is closed after it.
    pub is_closing: bool,
    /// An HTTP answer that tells the number of events and of bytes of text.
    pub expected: Vec<u8>,
}

impl Rendered {
    /// Renders a route.
    pub fn new(route: &Route) -> Rendered {
        let is_closing = route.kind == Kind::Closing;
        if is_closing || route.kind == Kind::Plain {
            let header = if is_closing { "Connection: close\r\n" } else { "" };
            let blocks = vec![(json_answer(header, PLAIN_ANSWER), 1)];
            let expected = expected(1, PLAIN_TEXT.len());
            return Rendered { blocks, pause: Duration::ZERO, is_closing, expected };
        }
        let (event, text_bytes) = route.event();
        let piece = http_chunk(&event.repeat(route.events_per_http_chunk));
        let mut blocks = vec![(STREAM_HEAD.as_bytes().to_vec(), 1)];
        let times = route.events / route.events_per_http_chunk;
        if route.pause.is_zero() {
            let per_block = (BLOCK_BYTES / piece.len()).clamp(1, times.max(1));
            blocks.push((piece.repeat(per_block).into_bytes(), times / per_block));
            blocks.push((piece.repeat(times % per_block).into_bytes(), 1));
        } else {
            blocks.push((piece.into_bytes(), times));
        }
        let rest = route.events % route.events_per_http_chunk;
        let rest = if rest > 0 { http_chunk(&event.repeat(rest)) } else { String::new() };
        let last: String = route.last().iter().map(|event| http_chunk(event)).collect();
        blocks.push((format!("{rest}{last}0\r\n\r\n").into_bytes(), 1));
        blocks.retain(|(bytes, times)| !bytes.is_empty() && *times > 0);
        let expected = expected(route.events + 1, route.events * text_bytes);
        Rendered { blocks, pause: route.pause, is_closing, expected }
    }
}

impl Route {
    /// One event of the wanted size, and how many bytes of text it carries.
    fn event(&self) -> (String, usize) {
        let frame = |text: &str| match self.kind {
            Kind::Responses => response_event(text),
            _ if self.bytes_per_event < FULL_CHUNK_BYTES => small_chunk(text),
            _ => chat_chunk(text, "null"),
        };
        let room = self.bytes_per_event.saturating_sub(frame("").len()).max(1);
        let text: String = " hello there".chars().cycle().take(room).collect();
        let name = match self.kind {
            Kind::Responses => "event: response.output_text.delta\n",
            Kind::Chat | Kind::Plain | Kind::Closing => "",
        };
        (format!("{name}data: {}\n\n", frame(&text)), text.len())
    }

    /// The events that end the stream; one of them counts.
    fn last(&self) -> Vec<String> {
        match self.kind {
            Kind::Responses => {
                vec![format!("event: response.completed\ndata: {COMPLETED}\n\n")]
            }
            Kind::Chat | Kind::Plain | Kind::Closing => {
                let finish = chat_chunk("", "\"stop\"");
                vec![format!("data: {finish}\n\n"), "data: [DONE]\n\n".to_owned()]
            }
        }
    }
}

const STREAM_HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\
     x-request-id: req_0123456789\r\nTransfer-Encoding: chunked\r\n\r\n";

const PLAIN_TEXT: &str = "Hello there, how are you?";
const PLAIN_ANSWER: &str = "{\"id\":\"chatcmpl-1234567890\",\"object\":\"chat.completion\",\
     \"created\":1700000000,\"model\":\"bench\",\"choices\":[{\"index\":0,\"message\":\
     {\"role\":\"assistant\",\"content\":\"Hello there, how are you?\"},\"logprobs\":null,\
     \"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":6,\
     \"total_tokens\":11}}";
const COMPLETED: &str = "{\"type\":\"response.completed\",\"sequence_number\":8,\"response\":\
     {\"id\":\"resp_1\",\"object\":\"response\",\"created_at\":1700000000,\"status\":\"completed\",\
     \"model\":\"bench\",\"output\":[],\"parallel_tool_calls\":true,\"tool_choice\":\"auto\",\
     \"tools\":[],\"usage\":{\"input_tokens\":5,\"output_tokens\":6,\"total_tokens\":11,\
     \"input_tokens_details\":{\"cached_tokens\":0},\
     \"output_tokens_details\":{\"reasoning_tokens\":0}}}}";

/// What a real service sends: 224 bytes and the text.
fn chat_chunk(text: &str, finish_reason: &str) -> String {
    format!(
        "{{\"id\":\"chatcmpl-BdVq3zT7\",\"object\":\"chat.completion.chunk\",\
         \"created\":1700000000,\"model\":\"bench-model\",\
         \"system_fingerprint\":\"fp_0123456789\",\"choices\":[{{\"index\":0,\
         \"delta\":{{\"content\":\"{text}\"}},\"logprobs\":null,\
         \"finish_reason\":{finish_reason}}}]}}"
    )
}

/// The least that is a chunk: 48 bytes and the text.
fn small_chunk(text: &str) -> String {
    format!("{{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}}}}]}}")
}

fn response_event(text: &str) -> String {
    format!(
        "{{\"type\":\"response.output_text.delta\",\"sequence_number\":7,\
         \"item_id\":\"msg_68af4030592c81938ec0a5fbab4a3e9f05438e46b5f69a3b\",\
         \"output_index\":0,\"content_index\":0,\"delta\":\"{text}\",\"logprobs\":[],\
         \"obfuscation\":\"aW2rC9\"}}"
    )
}

fn http_chunk(text: &str) -> String {
    format!("{:x}\r\n{text}\r\n", text.len())
}

fn json_answer(header: &str, body: &str) -> Vec<u8> {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\
                x-request-id: req_0123456789\r\n";
    format!("{head}{header}Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

fn expected(events: usize, text_bytes: usize) -> Vec<u8> {
    json_answer("", &format!("{{\"events\":{events},\"text_bytes\":{text_bytes}}}"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    #[test]
    fn an_event_has_the_size_that_was_asked_for() {
        for (path, bytes) in [
            ("/chat/100/1/230/0", 230),
            ("/chat/100/1/50/0", 50),
            ("/chat/100/1/4096/0", 4096),
            ("/responses/100/1/230/0", 230),
        ] {
            let (event, _) = Route::parse(path).unwrap().event();
            let data = event.split("data: ").nth(1).unwrap().trim_end();
            assert_eq!(data.len(), bytes, "{data}");
        }
    }

    #[test]
    fn every_event_is_sent_whatever_the_framing() {
        for (events, per, pause) in [(1000, 1, 0), (1000, 64, 0), (1000, 64, 5), (3, 64, 0)] {
            let route = Route::parse(&format!("/chat/{events}/{per}/230/{pause}")).unwrap();
            let rendered = Rendered::new(&route);
            let mut sent = String::new();
            for (bytes, times) in &rendered.blocks {
                sent.push_str(&String::from_utf8(bytes.repeat(*times)).unwrap());
            }
            assert_eq!(sent.matches("data: {").count(), events + 1);
            assert!(sent.ends_with("data: [DONE]\n\n\r\n0\r\n\r\n"));
        }
    }
}
