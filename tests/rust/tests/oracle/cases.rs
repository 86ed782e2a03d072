//! Made-up answers: bodies put together from good and bad pieces, then changed and cut, all of a seed.

use crate::oracle::Operation;

/// SplitMix64.
pub struct Random(u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

/// How the end of a body is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    ContentLength,
    /// Of pieces of this many bytes.
    Chunks(usize),
    Close,
}

/// What becomes of the connection behind the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Whole,
    Closed,
    Reset,
}

#[derive(Debug)]
pub struct Case {
    pub operation: Operation,
    pub is_streamed: bool,
    pub choices: usize,
    pub status: u16,
    pub content_type: Option<&'static str>,
    pub framing: Framing,
    pub ending: Ending,
    pub body: Vec<u8>,
    /// The pieces and changes that it was made of.
    pub pieces: Vec<&'static str>,
}

/// Name and data of events; `@` stands for a word.
const CHAT: &[(&str, &str)] = &[
    ("content", r#"{"choices":[{"index":0,"delta":{"content":"@"}}]}"#),
    (
        "content",
        r#"{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"@ "},"finish_reason":null}]}"#,
    ),
    (
        "content",
        r#"{"choices":[{"delta":{"content":"@"},"index":0,"logprobs":null}],"usage":null}"#,
    ),
    ("role", r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}"#),
    (
        "null_content",
        r#"{"choices":[{"index":0,"delta":{"content":null,"reasoning_content":"@"}}]}"#,
    ),
    ("finish", r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#),
    (
        "finish_with_content",
        r#"{"choices":[{"index":0,"delta":{"content":"@"},"finish_reason":"length"}]}"#,
    ),
    ("finish_empty", r#"{"choices":[{"index":0,"delta":{},"finish_reason":""}]}"#),
    ("second_choice", r#"{"choices":[{"index":1,"delta":{"content":"@"}}]}"#),
    ("second_finish", r#"{"choices":[{"index":1,"delta":{},"finish_reason":"stop"}]}"#),
    (
        "both_choices",
        r#"{"choices":[{"index":0,"delta":{"content":"@"}},{"index":1,"delta":{"content":"@"}}]}"#,
    ),
    (
        "both_finish",
        r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"},{"index":1,"delta":{},"finish_reason":"stop"}]}"#,
    ),
    (
        "usage_only",
        r#"{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}"#,
    ),
    ("empty_choices", r#"{"id":"c","choices":[]}"#),
    ("filter", r#"{"choices":[],"prompt_filter_results":[{"prompt_index":0}]}"#),
    (
        "tool_call",
        r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"t","function":{"name":"f","arguments":"{}"}}]}}]}"#,
    ),
    ("error_null", r#"{"choices":[{"index":0,"delta":{"content":"@"}}],"error":null}"#),
];

const RESPONSE: &[(&str, &str)] = &[
    (
        "created",
        r#"{"type":"response.created","response":{"id":"r","object":"response","status":"in_progress","output":[]}}"#,
    ),
    (
        "item_added",
        r#"{"type":"response.output_item.added","output_index":0,"item":{"id":"m","type":"message","role":"assistant","content":[]}}"#,
    ),
    (
        "text_delta",
        r#"{"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"@"}"#,
    ),
    (
        "text_delta",
        r#"{"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":" @"}"#,
    ),
    (
        "text_delta",
        r#"{"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"@@"}"#,
    ),
    (
        "reasoning_delta",
        r#"{"type":"response.reasoning_summary_text.delta","item_id":"s","output_index":1,"summary_index":0,"delta":"@"}"#,
    ),
    (
        "completed",
        r#"{"type":"response.completed","response":{"id":"r","object":"response","status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"@"}]}]}}"#,
    ),
    (
        "completed_without_output",
        r#"{"type":"response.completed","response":{"id":"r","status":"completed"}}"#,
    ),
    (
        "failed",
        r#"{"type":"response.failed","response":{"id":"r","status":"failed","error":{"code":"server_error","message":"@"}}}"#,
    ),
    (
        "incomplete",
        r#"{"type":"response.incomplete","response":{"id":"r","status":"incomplete","output":[]}}"#,
    ),
];

const MODELS: &[(&str, &str)] = &[
    ("list", r#"{"object":"list","data":[{"id":"@"},{"id":"@","object":"model"}]}"#),
    ("list", r#"{"data":[{"id":"@","created":1}]}"#),
    ("empty_list", r#"{"object":"list","data":[]}"#),
    ("list_of_texts", r#"{"data":["@","@"]}"#),
    ("top_level_list", r#"[{"id":"@"},{"identifier":"@"},{"name":"@"},{"model":"@"}]"#),
    ("top_level_list", r#"["@"]"#),
    ("unnamed_entry", r#"{"data":[{"id":"@"},{"object":"model"}]}"#),
    ("data_null", r#"{"object":"list","data":null}"#),
];

const CHAT_DOCUMENTS: &[(&str, &str)] = &[
    (
        "answer",
        r#"{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"@ @"},"finish_reason":"stop"}]}"#,
    ),
    (
        "answer",
        "{\n  \"choices\": [\n    {\"index\": 0, \"message\": {\"content\": \"@\"}}\n  ],\n  \"usage\": {\"total_tokens\": 3}\n}\n",
    ),
    (
        "two_answers",
        r#"{"choices":[{"index":0,"message":{"content":"@"}},{"index":1,"message":{"content":"@"}}]}"#,
    ),
    (
        "answer_without_content",
        r#"{"choices":[{"index":0,"message":{"role":"assistant","content":null},"finish_reason":"stop"}]}"#,
    ),
    (
        "answer_beside_error",
        r#"{"choices":[{"index":0,"message":{"content":"@"}}],"error":{"message":"@"}}"#,
    ),
    ("empty_object", "{}"),
    ("no_choices", r#"{"id":"c","choices":[]}"#),
    ("choices_null", r#"{"choices":null,"usage":{"total_tokens":3}}"#),
    ("choices_of_null", r#"{"choices":[null]}"#),
    ("other_interface", r#"{"message":{"role":"assistant","content":"@"},"done":true}"#),
];

const RESPONSE_DOCUMENTS: &[(&str, &str)] = &[
    (
        "answer",
        r#"{"id":"r","object":"response","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"@"},{"type":"output_text","text":"@"}]}]}"#,
    ),
    (
        "answer",
        r#"{"output":[{"type":"reasoning","summary":[]},{"type":"message","content":[{"type":"output_text","text":"@"},{"type":"refusal","refusal":"@"}]}]}"#,
    ),
    (
        "answer_failed",
        r#"{"object":"response","status":"failed","output":[],"error":{"code":"server_error","message":"@"}}"#,
    ),
    ("answer_without_output", r#"{"object":"response","status":"incomplete"}"#),
    ("empty_object", "{}"),
    ("other_interface", r#"{"choices":[{"message":{"content":"@"}}]}"#),
];

/// Errors of every envelope, in a stream, as a document or under a bad status.
const ERRORS: &[(&str, &str)] = &[
    ("error_object", r#"{"error":{"message":"@ @","type":"t","code":"c","param":null}}"#),
    ("error_object", r#"{"error":{"message":"@","type":"server_error","code":500}}"#),
    ("error_text", r#"{"error":"@"}"#),
    ("error_text_beside_message", r#"{"error":"Bad Gateway","message":"@"}"#),
    ("error_without_fields", r#"{"error":{}}"#),
    ("error_without_message", r#"{"error":{"type":"t","code":"c"}}"#),
    ("error_nested", r#"{"error":{"error":{"message":"@"}}}"#),
    ("error_list", r#"{"error":[{"message":"@","code":"c"}]}"#),
    (
        "error_beside_choices",
        r#"{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}],"error":{"code":502,"message":"@"}}"#,
    ),
    ("errors", r#"{"errors":[{"message":"@","code":7},{"message":"n"}]}"#),
    ("errors_object", r#"{"errors":{"message":"@"}}"#),
    ("flat", r#"{"message":"@","type":"server_error","code":"c"}"#),
    ("flat_message", r#"{"message":"@"}"#),
    ("flat_object_error", r#"{"object":"error","message":"@","type":"t","code":404}"#),
    ("flat_type_error", r#"{"type":"error","code":"c","message":"@","param":null}"#),
    ("type_error_wrapped", r#"{"type":"error","error":{"type":"overloaded_error","message":"@"}}"#),
    ("detail", r#"{"detail":"@"}"#),
    ("detail_object", r#"{"detail":{"message":"@","code":"c"}}"#),
    ("detail_list", r#"{"detail":[{"loc":["body"],"msg":"@","type":"missing"}]}"#),
    ("success_false", r#"{"success":false,"message":"@","code":1001}"#),
    ("msg", r#"{"code":1001,"msg":"@"}"#),
    ("error_msg", r#"{"error_code":336003,"error_msg":"@"}"#),
    ("error_message", r#"{"error_message":"@","error_type":"t"}"#),
    ("error_code_and_text", r#"{"text":"@ @","error_code":50002}"#),
    ("data_error", r#"{"data":{"error":{"message":"@"}},"success":false}"#),
    ("error_array", r#"[{"error":{"message":"@"}}]"#),
];

/// Events that are neither a part of an answer nor an error: name and data.
const OTHERS: &[(&str, &str, &str)] = &[
    ("ping_event", "ping", r#"{"type":"ping"}"#),
    ("ping_event", "", r#"{"type":"ping","message":"@"}"#),
    ("vendor_event", "progress", r#"{"message":"@"}"#),
    ("vendor_event", "x", r#"{"n":1}"#),
    ("vendor_event", "", r#"{"timings":{"ms":1},"error":null}"#),
    ("array", "", "[1,2]"),
    ("number", "", "7"),
    ("string", "", r#""@""#),
    ("empty_data", "", ""),
    ("empty_data", "", " "),
    ("text_data", "", "@ @"),
    ("broken_data", "", r#"{"choices":[{"index":0,"delta":{"content":"@}}]}"#),
];

/// Lines that are no event, or leave the grammar.
const LINES: &[(&str, &str)] = &[
    ("comment", ": keep-alive"),
    ("comment", ":"),
    ("id_and_retry", "id: 7"),
    ("id_and_retry", "retry: 100"),
    ("unknown_word", "ping"),
    ("unknown_word", "OK"),
    ("unknown_field", "x-trace: 1"),
    ("unknown_field", "meta: {}"),
    ("html_line", "<html><body>502 Bad Gateway</body></html>"),
    ("event_name_alone", "event: x"),
    ("capital_data", r#"Data: {"choices":[{"index":0,"delta":{"content":"@"}}]}"#),
    ("space_before_data", r#" data: {"choices":[{"index":0,"delta":{"content":"@"}}]}"#),
    ("space_before_colon", r#"data : {"choices":[{"index":0,"delta":{"content":"@"}}]}"#),
    ("broken_line", r#"{"choices":[{"index":0,"delta":{"content":"@"#),
    ("broken_line", r#""@ @"#),
];

const MARKS: &[(&str, &str)] = &[
    ("mark", "data: [DONE]"),
    ("mark", "data: [DONE]"),
    ("mark", "data: [DONE]"),
    ("mark_without_space", "data:[DONE]"),
    ("mark_bare", "[DONE]"),
    ("mark_and_more", "data: [DONE] @"),
];

/// Bodies that are neither JSON nor a stream.
const PAGES: &[(&str, &str)] = &[
    ("empty_body", ""),
    ("blank_body", " \r\n\t"),
    (
        "page",
        "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>@</body>\r\n</html>\r\n",
    ),
    ("plain_text", "upstream connect error\n  or disconnect: @"),
    ("json_null", "null"),
    ("json_number", "42"),
    ("json_text", r#""@""#),
    ("json_array", "[]"),
    ("two_documents", r#"{"choices":[{"message":{"content":"@"}}]} {"x":1}"#),
];

const WORDS: &[&str] = &[
    "one",
    "two",
    "three",
    "größer",
    "模型",
    "😀",
    "a\\nb",
    "\\u00e9t\\u00e9",
    "[DONE]",
    "data: x",
    "error",
    "\\\"q\\\"",
];
const STATUSES: &[u16] = &[400, 401, 403, 404, 409, 422, 429, 500, 502, 503, 529, 201, 302];
const KINDS: &[Option<&str>] = &[
    None,
    Some("application/json"),
    Some("text/event-stream"),
    Some("text/event-stream; charset=utf-8"),
    Some("text/html"),
    Some("text/plain"),
];

struct Maker {
    random: Random,
    body: Vec<u8>,
    pieces: Vec<&'static str>,
}

impl Maker {
    fn text(&mut self, (name, text): (&'static str, &str)) -> String {
        self.pieces.push(name);
        let mut filled = String::new();
        for (at, part) in text.split('@').enumerate() {
            if at > 0 {
                filled += self.random.of(WORDS);
            }
            filled += part;
        }
        filled
    }

    fn line(&mut self, line: &str, end: &str) {
        self.body.extend(line.bytes().chain(end.bytes()));
    }

    fn event(&mut self, name: &str, data: &str, end: &str) {
        let random = &mut self.random;
        let (is_bare, is_split) = (random.percent(5) && !data.trim().is_empty(), random.percent(4));
        let (has_space, has_blank) = (random.percent(90), random.percent(92));
        if !name.is_empty() {
            self.line(&format!("event: {name}"), end);
        }
        let field = if has_space { "data: " } else { "data:" };
        let at = data.find([',', ':']).filter(|_| is_split).map_or(0, |at| at + 1);
        if is_bare {
            self.pieces.push("bare_line");
            self.line(data, end);
        } else if at > 0 {
            self.pieces.push("several_lines");
            self.line(&format!("{field}{}", &data[..at]), end);
            self.line(&format!("{field}{}", &data[at..]), end);
        } else {
            self.line(&format!("{field}{data}"), end);
        }
        if has_blank {
            self.line("", end);
        } else {
            self.pieces.push("no_blank_line");
        }
    }

    fn stream(&mut self, operation: Operation) {
        let end = self.random.of(&["\n", "\n", "\n", "\r\n", "\r"]);
        self.pieces.push(match end {
            "\n" => "lf",
            "\r" => "cr",
            _ => "crlf",
        });
        if self.random.percent(5) {
            self.pieces.push("byte_order_mark");
            self.body.extend(b"\xef\xbb\xbf");
        }
        let parts = match operation {
            Operation::Models => MODELS,
            Operation::Chat => CHAT,
            Operation::Response => RESPONSE,
        };
        for _ in 0..self.random.below(7) {
            match self.random.below(100) {
                0..70 => {
                    let part = self.random.of(parts);
                    let data = self.text(part);
                    let is_named = operation == Operation::Response && self.random.percent(50);
                    let kind = data.split('"').nth(3).unwrap_or_default().to_owned();
                    self.event(if is_named { &kind } else { "" }, &data, end);
                }
                70..80 => {
                    let (piece, name, data) = self.random.of(OTHERS);
                    let data = self.text((piece, data));
                    self.event(name, &data, end);
                }
                80..93 => {
                    // Most lines are harmless, or few streams would come to their end.
                    let harmless = if self.random.percent(70) { 10 } else { LINES.len() };
                    let line = self.random.of(&LINES[..harmless]);
                    let line = self.text(line);
                    self.line(&line, end);
                    if self.random.percent(60) {
                        self.line("", end);
                    }
                }
                _ => self.error(end),
            }
        }
        if operation == Operation::Chat && self.random.percent(50) {
            let data = self.text(CHAT[5]);
            self.event("", &data, end);
        }
        if self.random.percent(8) {
            self.error(end);
        }
        if self.random.percent(55) {
            let mark = self.random.of(MARKS);
            let mark = self.text(mark);
            let ends = self.random.below(3);
            self.line(&mark, &end.repeat(ends));
            if self.random.percent(10) {
                self.pieces.push("behind_mark");
                self.error("\n");
            }
        }
    }

    fn error(&mut self, end: &str) {
        if self.random.percent(15) {
            let data = self.random.of(&["", "@ @", r#"{"x":1}"#, r#""@""#]);
            let data = self.text(("error_event", data));
            return self.event("error", &data, end);
        }
        let error = self.random.of(ERRORS);
        let data = self.text(error);
        let name = if self.random.percent(25) { "error" } else { "" };
        self.event(name, &data, end);
    }

    /// Changes some bytes or lines.
    fn change(&mut self) {
        for _ in 0..=self.random.below(2) {
            let length = self.body.len();
            if length == 0 {
                return;
            }
            let at = self.random.below(length);
            let byte = self.random.of(b"\n\r :{}[]\",0dx\xff\xef");
            let name = match self.random.below(5) {
                0 => {
                    self.body.remove(at);
                    "byte_removed"
                }
                1 => {
                    self.body.insert(at, byte);
                    "byte_added"
                }
                2 => {
                    self.body[at] = byte;
                    "byte_changed"
                }
                3 => {
                    let line_end = self.body[at..].iter().position(|byte| b"\r\n".contains(byte));
                    line_end.map(|end| self.body.remove(at + end));
                    "line_end_removed"
                }
                _ => {
                    let end = self.random.below(length - at) + at;
                    let again = self.body[at..=end].to_vec();
                    self.body.splice(at..at, again);
                    "bytes_repeated"
                }
            };
            self.pieces.push(name);
        }
    }
}

/// The case of this number.
pub fn case(seed: u64, number: u64) -> Case {
    let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ number);
    random.next();
    let operation = random.of(&[
        Operation::Models,
        Operation::Chat,
        Operation::Chat,
        Operation::Chat,
        Operation::Response,
        Operation::Response,
    ]);
    let is_streamed = operation != Operation::Models && random.percent(60);
    let choices = if operation == Operation::Chat && random.percent(15) { 2 } else { 1 };
    let mut status = if random.percent(85) { 200 } else { random.of(STATUSES) };
    let mut maker = Maker { random, body: Vec::new(), pieces: Vec::new() };
    let usual = match maker.random.below(100) {
        0..60 if operation != Operation::Models || maker.random.percent(20) => {
            maker.stream(operation);
            KINDS[2]
        }
        0..82 => {
            let documents = match operation {
                Operation::Models => MODELS,
                Operation::Chat => CHAT_DOCUMENTS,
                Operation::Response => RESPONSE_DOCUMENTS,
            };
            let document = maker.random.of(documents);
            maker.body = maker.text(document).into_bytes();
            KINDS[1]
        }
        82..94 => {
            let error = maker.random.of(ERRORS);
            maker.body = maker.text(error).into_bytes();
            if maker.random.percent(50) {
                status = maker.random.of(STATUSES);
            }
            KINDS[1]
        }
        _ => {
            let page = maker.random.of(PAGES);
            maker.body = maker.text(page).into_bytes();
            KINDS[4]
        }
    };
    if maker.random.percent(15) {
        maker.change();
    }
    let Maker { mut random, mut body, mut pieces } = maker;
    let content_type = if random.percent(85) { usual } else { random.of(KINDS) };
    if random.percent(15) {
        let at = random.below(body.len() + 1);
        body.truncate(at);
        pieces.push("cut_body");
    }
    let size = 1 + random.below(80);
    let framing = random.of(&[
        Framing::ContentLength,
        Framing::Chunks(size),
        Framing::Chunks(size),
        Framing::ContentLength,
        Framing::ContentLength,
        Framing::Close,
    ]);
    let ending = match framing {
        Framing::Close => Ending::Whole,
        _ if random.percent(90) => Ending::Whole,
        _ => random.of(&[Ending::Closed, Ending::Reset]),
    };
    pieces.push(match (framing, ending) {
        (Framing::Close, _) => "until_close",
        (Framing::Chunks(_), Ending::Whole) => "chunked",
        (Framing::Chunks(_), Ending::Closed) => "chunked_closed",
        (Framing::Chunks(_), Ending::Reset) => "chunked_reset",
        (Framing::ContentLength, Ending::Whole) => "content_length",
        (Framing::ContentLength, Ending::Closed) => "content_length_closed",
        (Framing::ContentLength, Ending::Reset) => "content_length_reset",
    });
    Case { operation, is_streamed, choices, status, content_type, framing, ending, body, pieces }
}

impl Case {
    /// The bytes of the whole answer.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = format!("HTTP/1.1 {} X\r\n", self.status).into_bytes();
        if let Some(content_type) = self.content_type {
            bytes.extend(format!("Content-Type: {content_type}\r\n").bytes());
        }
        match self.framing {
            Framing::ContentLength => {
                let missing = if self.ending == Ending::Whole { 0 } else { 9 };
                let length = self.body.len() + missing;
                bytes.extend(format!("Content-Length: {length}\r\n\r\n").bytes());
                bytes.extend(&self.body);
            }
            Framing::Chunks(size) => {
                bytes.extend(b"Transfer-Encoding: chunked\r\n\r\n");
                for piece in self.body.chunks(size) {
                    bytes.extend(format!("{:x}\r\n", piece.len()).bytes());
                    bytes.extend(piece);
                    bytes.extend(b"\r\n");
                }
                if self.ending == Ending::Whole {
                    bytes.extend(b"0\r\n\r\n");
                }
            }
            Framing::Close => {
                bytes.extend(b"Connection: close\r\n\r\n");
                bytes.extend(&self.body);
            }
        }
        bytes
    }

    pub fn closes(&self) -> bool {
        self.framing == Framing::Close || self.ending != Ending::Whole
    }

    /// Names of every piece that a case can be made of.
    pub fn all_pieces() -> Vec<&'static str> {
        let tables = [
            CHAT,
            RESPONSE,
            MODELS,
            CHAT_DOCUMENTS,
            RESPONSE_DOCUMENTS,
            ERRORS,
            LINES,
            MARKS,
            PAGES,
        ];
        let mut names: Vec<_> = tables.into_iter().flatten().map(|(name, _)| *name).collect();
        names.extend(OTHERS.iter().map(|(name, ..)| *name));
        names.extend(OWN_NAMES);
        names.sort_unstable();
        names.dedup();
        names
    }
}

const OWN_NAMES: [&str; 23] = [
    "lf",
    "cr",
    "crlf",
    "byte_order_mark",
    "bare_line",
    "several_lines",
    "no_blank_line",
    "behind_mark",
    "error_event",
    "byte_removed",
    "byte_added",
    "byte_changed",
    "line_end_removed",
    "bytes_repeated",
    "cut_body",
    "until_close",
    "chunked",
    "chunked_closed",
    "chunked_reset",
    "content_length",
    "content_length_closed",
    "content_length_reset",
    "mark",
];
