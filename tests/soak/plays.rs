//! What the soak's server plays: answers whose content follows from the name of the call, and every way to spoil
//! one. Each play names the outcomes that a call may have after it, and whether its options let the client retry it.

use std::io::Write;

/// Words of which answers are made, each another one; how many of them are in an answer of `n` chunks: `n - 1`.
const WORDS: u32 = 4096;
/// What a client of the soak sets as `event_bytes_max` and `response_bytes_max`; more is played.
const OVERSIZE: usize = 300_000;
/// A second answer behind the first.
const SECOND: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 49\r\n\r\n{\"choices\":[{\"message\":{\"content\":\"not asked\"}}]}";
/// The maximum bytes of an answer with which it arrives together.
const SECOND_WITHIN: usize = 4096;
/// What a refusal asks to wait.
pub const RETRY_AFTER_MS: u64 = 50;

/// When a client may send again after a play.
#[derive(Clone, Copy, PartialEq)]
pub enum Told {
    Never,
    Always,
    /// If the client of the call has the options for it.
    IfGenerous,
    /// If the reset overtook the head, which then never came.
    PerhapsIfGenerous,
}

pub struct Play {
    pub name: &'static str,
    /// Of 100,000 plain calls, of 100,000 streams. What is left is the first play.
    weights: (u32, u32),
    /// The ends of a call whose last attempt this is.
    pub ends: &'static [&'static str],
    pub told: Told,
}

const fn play(
    name: &'static str,
    weights: (u32, u32),
    ends: &'static [&'static str],
    told: Told,
) -> Play {
    Play { name, weights, ends, told }
}

pub const PLAYS: [Play; 20] = [
    play("good", (0, 0), &["ok"], Told::Never),
    play("429", (2000, 2000), &["rate_limited"], Told::Always),
    play("429 with Retry-After", (500, 500), &["rate_limited"], Told::Always),
    play("429 for an hour", (300, 300), &["rate_limited"], Told::Never),
    play("404", (300, 300), &["not_found"], Told::Never),
    play("500", (500, 500), &["server"], Told::Never),
    play("503", (500, 500), &["server"], Told::IfGenerous),
    play("cut head", (400, 400), &["disconnected"], Told::IfGenerous),
    play("closed", (500, 500), &["disconnected"], Told::IfGenerous),
    play("reset", (300, 300), &["disconnected"], Told::IfGenerous),
    play("garbage", (300, 300), &["protocol"], Told::Never),
    play("many headers", (100, 100), &["protocol"], Told::Never),
    play("cut body", (600, 600), &["disconnected"], Told::Never),
    play("reset body", (300, 300), &["disconnected"], Told::PerhapsIfGenerous),
    play("no end mark", (0, 600), &["incomplete"], Told::Never),
    play("error event", (500, 500), &["stream"], Told::Never),
    play("bad JSON", (300, 300), &["protocol"], Told::Never),
    play("oversized", (50, 50), &["protocol"], Told::Never),
    play("silence", (25, 25), &["timeout"], Told::IfGenerous),
    play("silence within", (25, 25), &["timeout"], Told::Never),
];

/// What happens to the connection after the last byte.
#[derive(Clone, Copy, PartialEq)]
pub enum After {
    Keep,
    Close,
    Reset,
    /// Nothing more comes, until the client leaves.
    Hold,
}

/// One answer, ready to be written.
pub struct Script {
    pub play: usize,
    pub wire: Vec<u8>,
    /// The wire is written in pieces that end here, with pauses between.
    pub pieces: Vec<usize>,
    pub after: After,
    /// Chunks with text that are whole in it.
    pub texts: u32,
}

/// What a request asked for.
#[derive(Clone, Copy)]
pub struct Asked {
    pub id: u64,
    pub chunks: u32,
    pub is_stream: bool,
    pub is_responses: bool,
    pub is_bulk: bool,
    /// Streams underneath; the program gets the whole.
    pub is_stream_only: bool,
}

/// Random numbers (splitmix64).
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % below
    }
}

/// The checksum of zlib, which Python has.
pub fn crc32(sum: u32, bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut i = 0;
        while i < 256 {
            let (mut value, mut bit) = (i as u32, 0);
            while bit < 8 {
                value = (value >> 1) ^ (0xedb8_8320 & (0_u32.wrapping_sub(value & 1)));
                bit += 1;
            }
            table[i] = value;
            i += 1;
        }
        table
    };
    !bytes.iter().fold(!sum, |sum, byte| (sum >> 8) ^ TABLE[usize::from(sum as u8 ^ byte)])
}

/// The name of a call, as it is in its request and at the start of its answer: program, number, chunks.
pub fn name(id: u64, chunks: u32) -> String {
    format!("{}.{}.{chunks}", id >> 40, id & ((1 << 40) - 1))
}

/// A word: its text, and how JSON has it.
fn word(index: u32) -> (String, String) {
    let tails = [
        ("", ""),
        ("ä", "ä"),
        ("\n", "\\n"),
        ("\"", "\\\""),
        ("漢", "漢"),
        ("\u{1f600}", "\\ud83d\\ude00"),
        ("\u{1f600}", "\u{1f600}"),
        ("é", "\\u00e9"),
    ];
    let (text, json) = tails[index as usize % tails.len()];
    (format!(" {index:x}{text}"), format!(" {index:x}{json}"))
}

fn first_word(id: u64) -> u32 {
    Dice(id).roll(u64::from(WORDS)) as u32
}

/// Tokens of an answer, in and out; none for some calls, whose answers do not say it.
pub fn usage(id: u64, chunks: u32) -> Option<(u64, u64)> {
    (id % 16 != 5).then_some((1 + id % 97, u64::from(chunks)))
}

/// Events of all words, one after another, and again, so that each run of them is one piece.
struct Events {
    bytes: Vec<u8>,
    starts: Vec<usize>,
}

impl Events {
    fn new(event: impl Fn(&str) -> String) -> Events {
        let (mut bytes, mut starts) = (Vec::new(), vec![0]);
        for index in 0..2 * WORDS {
            bytes.extend(event(&word(index % WORDS).1).as_bytes());
            starts.push(bytes.len());
        }
        Events { bytes, starts }
    }

    /// This number of events from this word on; at most WORDS.
    fn run(&self, first: u32, count: u32) -> &[u8] {
        &self.bytes[self.starts[first as usize]..self.starts[(first + count) as usize]]
    }
}

fn chat_event(text: &str) -> String {
    format!(
        "data: {{\"id\":\"soak\",\"object\":\"chat.completion.chunk\",\"created\":1790000000,\"model\":\"soak\",\
         \"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}},\"finish_reason\":null}}]}}\n\n"
    )
}

fn responses_event(text: &str) -> String {
    let name = "response.output_text.delta";
    format!(
        "event: {name}\ndata: {{\"type\":\"{name}\",\"item_id\":\"m\",\"output_index\":0,\"content_index\":0,\
         \"delta\":\"{text}\"}}\n\n"
    )
}

/// Everything that answers are made of.
pub struct Plays {
    seed: u64,
    texts: Vec<String>,
    chat: Events,
    responses: Events,
    /// Broken on purpose: leaves a chunk out.
    pub drops_chunks: bool,
}

impl Plays {
    pub fn new(seed: u64) -> Plays {
        let texts = (0..WORDS).map(|index| word(index).0).collect();
        let (chat, responses) = (Events::new(chat_event), Events::new(responses_event));
        Plays { seed, texts, chat, responses, drops_chunks: false }
    }

    /// The checksum of the first chunks of an answer.
    pub fn checksum(&self, id: u64, of: u32, chunks: u32) -> u32 {
        let (mut sum, first) = (0, first_word(id));
        for chunk in 0..chunks {
            sum = match chunk {
                0 => crc32(0, name(id, of).as_bytes()),
                _ => crc32(sum, self.texts[((first + chunk - 1) % WORDS) as usize].as_bytes()),
            };
        }
        sum
    }

    /// Rolls the play of an attempt.
    fn pick(dice: &mut Dice, asked: &Asked) -> usize {
        let mut rolled = dice.roll(100_000) as u32;
        for (index, play) in PLAYS.iter().enumerate() {
            let weight = if asked.is_stream { play.weights.1 } else { play.weights.0 };
            if rolled < weight {
                // A job ends if its first rows are not found, and pauses for an hour if asked to.
                return if asked.is_bulk && (3..=4).contains(&index) { 0 } else { index };
            }
            rolled -= weight;
        }
        0
    }

    /// The answer to an attempt of a call, with its fault if it has one.
    pub fn script(&self, asked: &Asked, attempt: u32) -> Script {
        let mut dice =
            Dice(self.seed ^ asked.id.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ u64::from(attempt));
        let index = Self::pick(&mut dice, asked);
        let play = PLAYS[index].name;
        let mut script = Script {
            play: index,
            wire: Vec::new(),
            pieces: Vec::new(),
            after: After::Keep,
            texts: 0,
        };
        let refusal = |status: &str, headers: &str| {
            let body = "{\"error\":{\"message\":\"played\",\"type\":\"played\"}}";
            format!(
                "HTTP/1.1 {status}\r\nContent-Type: application/json\r\n{headers}Content-Length: {}\r\n\r\n{body}",
                body.len()
            )
        };
        let refused = match play {
            "429" => refusal("429 Too Many Requests", ""),
            "429 with Retry-After" => {
                refusal("429 Too Many Requests", &format!("Retry-After-Ms: {RETRY_AFTER_MS}\r\n"))
            }
            "429 for an hour" => refusal("429 Too Many Requests", "Retry-After: 3600\r\n"),
            "404" => refusal("404 Not Found", ""),
            "500" => refusal("500 Internal Server Error", ""),
            "503" => refusal("503 Service Unavailable", ""),
            "garbage" => "\u{0}garbage\r\n\r\n".to_owned(),
            _ => String::new(),
        };
        if !refused.is_empty() {
            script.wire = refused.into_bytes();
            if play == "garbage" {
                script.after = After::Close;
            }
            return script;
        }
        match play {
            "closed" => script.after = After::Close,
            "reset" => script.after = After::Reset,
            "silence" => script.after = After::Hold,
            _ => self.answer(asked, play, &mut dice, &mut script),
        }
        script
    }

    /// An answer with status 200, whole or spoilt.
    fn answer(&self, asked: &Asked, play: &str, dice: &mut Dice, script: &mut Script) {
        let is_cut = matches!(play, "cut body" | "reset body" | "silence within");
        let mut body = Vec::new();
        if asked.is_stream {
            let spoils =
                is_cut || matches!(play, "no end mark" | "error event" | "bad JSON" | "oversized");
            script.texts = asked.chunks;
            if spoils {
                script.texts = 1 + dice.roll(u64::from(asked.chunks)) as u32;
            }
            self.events(asked, script.texts, dice, &mut body);
            match play {
                "no end mark" => {}
                "error event" => body.extend(b"data: {\"error\":{\"message\":\"played\"}}\n\n"),
                "bad JSON" => body.extend(b"data: {\"choices\":[{\"ind\n\n"),
                "oversized" => {
                    body.extend(b"data: {\"x\":\"");
                    body.resize(body.len() + OVERSIZE, b'x');
                    body.extend(b"\"}\n\n");
                }
                _ if is_cut => body.extend(b"data: {\"choices\":[{\"index\":0,\"de"),
                _ => self.end_of_stream(asked, &mut body),
            }
        } else {
            self.document(asked, &mut body);
            match play {
                "error event" => body = b"{\"error\":{\"message\":\"played\"}}".to_vec(),
                "bad JSON" => body.truncate(1 + dice.roll(body.len() as u64 - 1) as usize),
                "oversized" => body.resize(body.len() + OVERSIZE, b' '),
                _ => {}
            }
        }
        let wire = &mut script.wire;
        if dice.roll(50) == 0 {
            wire.extend(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n");
        }
        let kind = if asked.is_stream { "text/event-stream" } else { "application/json" };
        let _ = write!(wire, "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n");
        if play == "many headers" {
            (0..200).for_each(|number| drop(write!(wire, "x-{number}: y\r\n")));
        }
        if play == "many headers" || play == "cut head" {
            script.texts = 0; // what follows is not read
        }
        if play == "cut head" {
            script.after = After::Close;
            return;
        }
        let framing = dice.roll(16);
        let mut has_second = false;
        let is_closing = framing == 0 && !is_cut;
        if is_closing {
            wire.extend(b"Connection: close\r\n\r\n");
            wire.extend(&body);
            script.after = After::Close;
        } else if framing < 6 && !asked.is_stream {
            let _ = write!(wire, "Content-Length: {}\r\n\r\n", body.len());
            wire.extend(&body);
            // An answer without a request. If it came later, it could not be distinguished from the next answer.
            has_second = dice.roll(16) == 0 && !is_cut && wire.len() < SECOND_WITHIN;
            wire.extend(if has_second { SECOND } else { b"" });
        } else {
            wire.extend(b"Transfer-Encoding: chunked\r\n\r\n");
            let size = [body.len(), 1000, 170, 60][dice.roll(4) as usize].max(1);
            let (extension, trailer) = match dice.roll(16) {
                0 if !is_cut && body.len() / size < 1000 => (";a=b", "x-trailer: y\r\n"),
                _ => ("", ""),
            };
            for piece in body.chunks(size) {
                let _ = write!(wire, "{:X}{extension}\r\n", piece.len());
                wire.extend(piece);
                wire.extend(b"\r\n");
            }
            let _ = write!(wire, "0\r\n{trailer}\r\n");
        }
        if is_cut {
            // In a stream nothing is cut off but the end, so that what is whole in it is known.
            let cut =
                if asked.is_stream { 7 } else { 10 + dice.roll(body.len() as u64 - 10) as usize };
            wire.truncate(wire.len() - cut);
            script.after = match play {
                "cut body" => After::Close,
                "reset body" => After::Reset,
                _ => After::Hold,
            };
        }
        // Some are slow, in pieces that end anywhere.
        let slow = if has_second { 2 } else { dice.roll(40) };
        if slow == 0 || (slow == 1 && wire.len() < 400) {
            let count = if slow == 0 { 1 + dice.roll(8) } else { wire.len() as u64 };
            let length = wire.len() as u64;
            script.pieces = (0..count).map(|_| dice.roll(length) as usize).collect();
            script.pieces.sort_unstable();
        }
    }

    /// The first chunks of a stream: the name, and words.
    fn events(&self, asked: &Asked, texts: u32, dice: &mut Dice, body: &mut Vec<u8>) {
        let (pool, event): (_, fn(&str) -> String) = match asked.is_responses {
            true => (&self.responses, responses_event),
            false => (&self.chat, chat_event),
        };
        let first = first_word(asked.id);
        let (mut done, mut words) = (0, texts - 1);
        if self.drops_chunks && asked.id % 50 == 7 && words > 1 {
            words -= 1;
        }
        body.extend(event(&name(asked.id, asked.chunks)).as_bytes());
        while done < words {
            let most = if dice.roll(8) == 0 { 1 + dice.roll(8) as u32 } else { WORDS };
            let count = most.min(words - done);
            body.extend(pool.run((first + done) % WORDS, count));
            done += count;
            match dice.roll(64) {
                0 => body.extend(b": ping\n\n"),
                1 => body.extend(b"\r\n\r\n"),
                _ => {}
            }
        }
    }

    fn end_of_stream(&self, asked: &Asked, body: &mut Vec<u8>) {
        let usage = usage_json(asked);
        let _ = if asked.is_responses {
            write!(
                body,
                "event: response.completed\ndata: {{\"type\":\"response.completed\",\"response\":{{\"id\":\"soak\",\"object\":\"response\",\"status\":\"completed\",\"model\":\"soak\",\"output\":[]{usage}}}}}\n\n"
            )
        } else {
            write!(
                body,
                "data: {{\"id\":\"soak\",\"object\":\"chat.completion.chunk\",\"model\":\"soak\",\"choices\":[{{\"index\":0,\"delta\":{{}},\"finish_reason\":\"stop\"}}]{usage}}}\n\ndata: [DONE]\n\n"
            )
        };
    }

    /// The same as one JSON text.
    fn document(&self, asked: &Asked, body: &mut Vec<u8>) {
        let _ = body.write_all(match asked.is_responses {
            true => b"{\"id\":\"soak\",\"object\":\"response\",\"status\":\"completed\",\"model\":\"soak\",\"output\":[{\"type\":\"message\",\"id\":\"m\",\"role\":\"assistant\",\"status\":\"completed\",\"content\":[{\"type\":\"output_text\",\"annotations\":[],\"text\":\"",
            false => b"{\"id\":\"soak\",\"object\":\"chat.completion\",\"created\":1790000000,\"model\":\"soak\",\"choices\":[{\"index\":0,\"finish_reason\":\"stop\",\"message\":{\"role\":\"assistant\",\"content\":\"" as &[u8],
        });
        body.extend(name(asked.id, asked.chunks).as_bytes());
        let first = first_word(asked.id);
        (0..asked.chunks - 1)
            .for_each(|chunk| body.extend(word((first + chunk) % WORDS).1.as_bytes()));
        body.extend(if asked.is_responses { b"\"}]}]" as &[u8] } else { b"\"}}]" });
        body.extend(usage_json(asked).as_bytes());
        body.push(b'}');
    }

    /// One chunk of a stream that is paced, framed.
    pub fn paced(&self, asked: &Asked, chunk: u32) -> Vec<u8> {
        let mut body = Vec::new();
        match chunk {
            0 => body.extend(chat_event(&name(asked.id, asked.chunks)).as_bytes()),
            _ => body.extend(self.chat.run((first_word(asked.id) + chunk - 1) % WORDS, 1)),
        }
        let is_last = chunk + 1 == asked.chunks;
        if is_last {
            self.end_of_stream(asked, &mut body);
        }
        let mut wire = format!("{:x}\r\n", body.len()).into_bytes();
        wire.extend(body);
        wire.extend(if is_last { b"\r\n0\r\n\r\n" as &[u8] } else { b"\r\n" });
        wire
    }
}

fn usage_json(asked: &Asked) -> String {
    let Some((input, output)) = usage(asked.id, asked.chunks) else { return String::new() };
    let names = if asked.is_responses {
        ["input_tokens", "output_tokens"]
    } else {
        ["prompt_tokens", "completion_tokens"]
    };
    format!(
        ",\"usage\":{{\"{}\":{input},\"{}\":{output},\"total_tokens\":{}}}",
        names[0],
        names[1],
        input + output
    )
}
