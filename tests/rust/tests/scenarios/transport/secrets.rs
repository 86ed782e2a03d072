//! What is shown of the key: in logs of every library, in every Debug and Display.

use std::fmt::Debug;
use std::fs::File;
use std::hint::black_box;
use std::io::{Read, Seek, SeekFrom};

use modelwire::{BaseUrl, Client, Config, Request};
use modelwire_testing::{Exchange, Script, Service, Step};

use super::in_child;
use crate::support::{CHAT_ANSWER, DONE, WAYS, eventually, hello, piece, respond};

const KEY: &str = "sk-never-to-be-seen-0123456789";

/// Answers that echo the key wherever a service can.
fn echoes() -> Vec<Exchange> {
    let body = format!(r#"{{"error":{{"message":"bad key {KEY}","code":"{KEY}"}}}}"#);
    let headers = [("x-request-id", KEY), ("x-echo", KEY)];
    vec![
        Exchange::json_with_headers(401, &headers, &body),
        Exchange::json_with_headers(500, &headers, &body),
        Exchange::json_with_headers(302, &[("Location", &format!("http://x/?k={KEY}"))], ""),
        Exchange::json_with_headers(200, &headers, format!("no JSON {KEY}")),
        Exchange::events(&[body.as_str()]),
        Exchange::raw(format!("no HTTP {KEY}\r\n\r\n")),
        Exchange { steps: vec![Step::Reset] },
    ]
}

/// Not one line of any library below says the key, at the finest level.
#[test]
fn the_trace_log_does_not_contain_the_key() {
    let told = in_child("secrets::the_trace_log_does_not_contain_the_key", || {
        tracing_subscriber::fmt()
            .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
            .with_ansi(false)
            .with_writer(std::io::stderr)
            .init();
        let service = Service::start_with(modelwire_testing::Options {
            key: KEY.to_owned(),
            ..modelwire_testing::Options::default()
        });
        let service = service.unwrap();
        let with_key = |base_url| Client::new(Config::new().base_url(base_url).api_key(KEY));
        let good = with_key(service.base_url()).unwrap();
        for way in WAYS {
            way.models(&good).unwrap();
            way.send(&good, hello()).unwrap();
            way.read(&good, respond()).response();
            for (number, exchange) in echoes().into_iter().enumerate() {
                let base_url = service.script(&format!("s{number}"), Script::one(exchange));
                let client = with_key(base_url).unwrap();
                eprintln!("{:?}", way.send(&client, hello()).unwrap_err());
                eprintln!("{:?}", way.read(&client, hello()).error());
            }
            let nobody = with_key("http://127.0.0.1:1/v1".to_owned()).unwrap();
            eprintln!("{:?}", way.send(&nobody, hello()).unwrap_err());
        }
    });
    if let Some(told) = told {
        for library in ["modelwire", "hyper", "reqwest"] {
            assert!(told.contains(&format!(" {library}")), "{library} said nothing at all");
        }
        let leak = told.lines().find(|line| line.contains(KEY) || line.contains(&KEY[10..]));
        assert_eq!(leak, None);
    }
}

fn hides(what: &str, shown: &dyn Debug, secrets: &[&str]) {
    for text in [format!("{shown:?}"), format!("{shown:#?}")] {
        for secret in secrets {
            assert!(!text.contains(secret), "{what} shows {secret:?}: {text}");
        }
    }
}

/// The key, and what else a configuration keeps secret.
#[test]
fn a_configuration_hides_its_secrets() {
    let config = || Config::new().base_url("http://127.0.0.1:1/v1").api_key(KEY);
    hides("Config", &config(), &[KEY]);
    let wrong_key = config().api_key(format!("{KEY} {KEY}"));
    hides("Error", &Client::new(wrong_key).unwrap_err(), &[KEY]);
    let proxied = config().proxy("http://user:hush-hush@127.0.0.1:3128");
    hides("Config with a proxy", &proxied, &["hush-hush"]);
    hides("Client", &Client::new(config()).unwrap(), &[KEY]);
    hides("Blocking", &Client::new(config()).unwrap().blocking(), &[KEY]);
}

/// A header may be a second key.
#[test]
fn the_values_of_headers_are_not_shown() {
    let config = Config::new().base_url("http://127.0.0.1:1/v1").api_key(KEY);
    hides("Config with a header", &config.header("api-key", KEY), &[KEY]);
    hides("Request", &hello().header("api-key", KEY), &[KEY]);
}

/// User info and query of a URL are masked likewise.
#[test]
fn a_base_url_is_shown_without_its_secrets() {
    for base_url in
        ["http://user:hush-hush@127.0.0.1:1/v1", "http://127.0.0.1:1/v1?token=hush-hush"]
    {
        let config = || Config::new().base_url(base_url).api_key(KEY);
        hides("Config", &config(), &["hush-hush"]);
        match Client::new(config()) {
            Ok(client) => {
                hides("Client", &client, &["hush-hush"]);
                assert!(!client.base_url().contains("hush-hush"));
                hides("Error", &client.blocking().models().unwrap_err(), &["hush-hush"]);
            }
            Err(error) => hides("Error", &error, &["hush-hush"]),
        }
    }
}

/// A private key is a secret, as text or as numbers.
#[test]
fn a_client_certificate_is_not_shown() {
    let pem = "-----BEGIN PRIVATE KEY-----\nSECRET\n-----END PRIVATE KEY-----\n";
    let config = Config::new().base_url("https://127.0.0.1:1/v1").api_key(KEY);
    let config = config.client_certificate_pem(pem);
    // "SECRET" as a list of numbers, in both forms of Debug.
    let numbers = ["83, 69, 67, 82, 69, 84", "83,\n        69,", "SECRET"];
    hides("Config with a client certificate", &config, &numbers);
}

/// Answers, heads and errors, in all their forms.
#[test]
fn answers_and_errors_hide_an_echoed_key() {
    let service = Service::start().unwrap();
    let headers = [("x-echo", KEY), ("x-request-id", KEY)];
    let answer = Exchange::json_with_headers(200, &headers, CHAT_ANSWER);
    let with_key = |base_url| Client::new(Config::new().base_url(base_url).api_key(KEY)).unwrap();
    let client = with_key(service.script("s", Script::one(answer)));
    let head =
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nx-echo: {KEY}\r\n\r\n");
    let events = format!("data: {}\n\ndata: {DONE}\n\n", piece("a"));
    let streamed = Exchange { steps: vec![Step::send(head + &events), Step::Close] };
    let streaming = with_key(service.script("t", Script::one(streamed)));
    for way in WAYS {
        let answer = way.send(&client, hello()).unwrap();
        hides("Response", &answer, &[KEY]);
        hides("Head", answer.head(), &[KEY]);
        assert_eq!(answer.head().header("x-echo"), Some("[key]"));
        let read = way.read(&streaming, hello());
        hides("Response of a stream", read.response(), &[KEY]);
        let stream = streaming.blocking().stream(hello()).unwrap();
        hides("Head of a stream", stream.head(), &[KEY]);
        for exchange in echoes() {
            let client = with_key(service.script("u", Script::one(exchange)));
            let error = way.send(&client, hello()).unwrap_err();
            hides("Error", &error, &[KEY, &KEY[10..]]);
            assert!(!format!("{error} {error:#} {}", error.report()).contains(KEY));
        }
    }
    hides("Request", &Request::chat("m").user("a"), &[KEY]);
}

/// An error as JSON is JSON, and has no key in it, whatever a service echoed where: in what was
/// gathered of its answer, too.
#[test]
fn the_json_of_an_error_hides_an_echoed_key() {
    let service = Service::start().unwrap();
    let with_key = |base_url| Client::new(Config::new().base_url(base_url).api_key(KEY)).unwrap();
    let odd = [
        Exchange::events_cut(&[piece(&format!("a {KEY} b"))]),
        Exchange::events_cut(&[piece(KEY), piece("\0\u{1}\"")]),
        Exchange::json(418, r#"{"error":{"message":"\ud800 \u0000","code":"\u0001\ufffe"}}"#),
        Exchange::json(418, b"\xff\xfe \0"),
        Exchange::json(500, format!("\"{}\"", KEY.replace('-', "\\u002d"))),
        Exchange::events(&["\0"]),
    ];
    let mut masked = 0;
    for exchange in echoes().into_iter().chain(odd) {
        let client = with_key(service.script("s", Script::one(exchange)));
        for way in WAYS {
            let sent = way.send(&client, hello().set("user", KEY));
            let streamed = way.read(&client, hello().gather(true));
            for error in [sent.unwrap_err(), streamed.error().clone()] {
                let json = error.to_json();
                assert!(!json.contains(KEY) && !json.contains(&KEY[10..]), "{json}");
                let found: serde_json::Value = serde_json::from_str(&json).unwrap();
                assert_eq!(found["kind"], error.kind().name());
                assert_eq!(found["message"], error.message());
                assert_eq!(found["partial"].as_str(), error.partial());
                assert_eq!(found["headers"].as_array().unwrap().len(), error.headers().len());
                let partial = error.partial().unwrap_or("{}");
                serde_json::from_str::<serde_json::Value>(partial).unwrap();
                masked += usize::from(partial.contains("[key]"));
            }
        }
    }
    assert_eq!(masked, 8, "two streams, each gathered by sending and by reading, in two ways");
}

/// Some services have the key in the path of the base URL.
#[test]
fn a_key_in_the_path_of_the_base_url_is_not_shown() {
    let service = Service::start().unwrap();
    let answers = || Script::one(Exchange::json(200, CHAT_ANSWER));
    let refuses = || Script::one(Exchange::json(401, "{}"));
    let place = |script: Script| service.script("s", script).replace("/v1", &format!("/{KEY}/v1"));
    for way in WAYS {
        for is_one_of_several in [false, true] {
            let client = |base_url: String| {
                let config = Config::new().api_key(KEY);
                let client = Client::new(match is_one_of_several {
                    true => config.base_urls([BaseUrl::new(base_url)]),
                    false => config.base_url(base_url),
                });
                client.unwrap()
            };
            let refused = client(place(refuses()));
            hides("Client", &refused, &[KEY]);
            assert!(refused.base_url().contains("/[key]/v1"), "{}", refused.base_url());
            let error = way.send(&refused, hello()).unwrap_err();
            hides("Error", &error, &[KEY]);
            assert!(error.path().contains("/[key]/v1/chat"), "{}", error.path());
            assert!(!error.to_json().contains(KEY));
            let answered = client(place(answers()));
            let answer = way.send(&answered, hello()).unwrap();
            hides("CallRecord", answer.record().unwrap(), &[KEY]);
            assert!(!answer.record().unwrap().to_json().contains(KEY));
        }
    }
}

/// It was given in place of the name of a model.
#[test]
fn a_key_as_the_name_of_a_model_is_not_in_the_usage() {
    let service = Service::start().unwrap();
    let url = service.script("s", Script::one(Exchange::json(200, CHAT_ANSWER)));
    let client = Client::new(Config::new().base_url(url).api_key(KEY)).unwrap();
    WAYS[0].send(&client, Request::chat(KEY).user("Hello")).unwrap();
    let usage = client.usage();
    hides("UsageByModel", &usage, &[KEY]);
    assert!(format!("{usage:?}").contains("[key]"), "{usage:?}");
}

/// A word that is given to a service which asks for no key may stand in any answer.
#[test]
fn a_short_key_is_not_masked_in_the_text_of_a_model() {
    let service = Service::start().unwrap();
    let url = service.script("s", Script::one(Exchange::events_cut(&[piece("none of index")])));
    for key in ["none", "x", "index"] {
        let client = Client::new(Config::new().base_url(&url).api_key(key)).unwrap();
        let read = WAYS[1].read(&client, hello().gather(true));
        let partial = read.error().partial().unwrap().to_owned();
        assert!(partial.contains(r#""content":"none of index""#), "{partial}");
    }
}

/// A key that stands nowhere in memory but where it is put: it is kept turned round.
struct Hidden(Vec<u8>);

impl Hidden {
    const TURNED: u8 = 0x55;

    fn new(number: u64) -> Hidden {
        let mut state = number + 1;
        let letters = (0..80).map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            b'a' + ((state >> 33) % 26) as u8
        });
        Hidden(letters.map(|letter| letter ^ Hidden::TURNED).collect())
    }

    /// A text with the key between two others, in one allocation.
    fn between(&self, start: &str, end: &str) -> String {
        let mut text = String::with_capacity(start.len() + self.0.len() + end.len());
        text.push_str(start);
        self.0.iter().for_each(|byte| text.push(char::from(byte ^ Hidden::TURNED)));
        text.push_str(end);
        text
    }

    /// How often its end stands in the memory of this process: an allocator writes over the beginning
    /// of what was given back to it.
    fn copies(&self) -> usize {
        let end_of_key = &self.0[40..];
        let mut memory = File::open("/proc/self/mem").unwrap();
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let mut page = vec![0; 1 << 20];
        // What is read here is in memory, too.
        let own = page.as_ptr() as u64..page.as_ptr() as u64 + page.len() as u64;
        let mut copies = 0;
        for line in maps.lines().filter(|line| line.split(' ').nth(1) == Some("rw-p")) {
            let (start, end) = line.split_once(' ').unwrap().0.split_once('-').unwrap();
            let number = |hex| u64::from_str_radix(hex, 16).unwrap();
            let (mut at, end) = (number(start), number(end));
            while at < end {
                let wanted = usize::try_from(end - at).unwrap().min(page.len());
                memory.seek(SeekFrom::Start(at)).unwrap();
                let Ok(read @ 1..) = memory.read(&mut page[..wanted]) else { break };
                let parts = page[..read].windows(end_of_key.len()).enumerate();
                let found = parts.filter(|(place, part)| {
                    let is_this = |(byte, turned): (&u8, &u8)| *byte == turned ^ Hidden::TURNED;
                    part.iter().zip(end_of_key).all(is_this) && !own.contains(&(at + *place as u64))
                });
                copies += found.count();
                // One that lies across the end is seen with the next part.
                let again = if read == page.len() { end_of_key.len() } else { 0 };
                at += (read - again) as u64;
            }
        }
        copies
    }
}

/// What a program does with a key of its own when it is done with it.
fn wipe(text: String) {
    let mut bytes = text.into_bytes();
    bytes.fill(0);
    black_box(&bytes);
}

/// No copy of the key stays in memory that is ours: of one that was set by name, for a client or
/// for a call, and of options that were refused; nor of the header, where it was not sent yet.
#[test]
fn the_key_is_wiped_from_memory() {
    let told = in_child("secrets::the_key_is_wiped_from_memory", || {
        let nowhere = "http://127.0.0.1:1/v1";
        let keys: Vec<Hidden> = (0..7).map(Hidden::new).collect();
        let given = |number: usize, start: &str, end: &str, to: &mut dyn FnMut(&str)| {
            let text = keys[number].between(start, end);
            to(&text);
            wipe(text);
        };
        let mut config = Config::new().base_url(nowhere);
        given(0, r#"{"api_key":""#, r#""}"#, &mut |json| config.set_options(json).unwrap());
        given(1, r#"{"api_key":""#, r#"","no_such":1}"#, &mut |json| {
            Config::new().set_options(json).unwrap_err();
        });
        given(2, r#"{"api_key":"two words "#, r#""}"#, &mut |json| {
            let mut config = Config::new().base_url(nowhere);
            config.set_options(json).unwrap();
            Client::new(config).unwrap_err();
        });
        let mut request = hello();
        given(3, r#"{"api_key":"\u0061"#, r#"\n"}"#, &mut |json| {
            request.set_options(json).unwrap()
        });
        given(4, r#"{"api_key":"two words "#, r#""}"#, &mut |json| {
            hello().set_options(json).unwrap_err();
        });
        given(5, r#"{"api_key":""#, r#"","retry_jitter":7}"#, &mut |json| {
            hello().set_options(json).unwrap_err();
        });
        for refused in [1, 2, 4, 5] {
            assert_eq!(keys[refused].copies(), 0, "key {refused} was refused");
        }
        let typed = Config::new().base_url(nowhere).api_key(keys[6].between(" ", "\n"));
        // The search finds what is there.
        for used in [0, 3, 6] {
            assert!(keys[used].copies() > 0, "key {used} is nowhere before it was used");
        }
        let clones = vec![typed.clone(); 20];
        let client = Client::new(config).unwrap();
        let other = Client::new(typed).unwrap();
        drop(clones);
        for way in WAYS {
            way.send(&client, hello()).unwrap_err();
            way.read(&client, request.clone()).error();
            way.models(&other).unwrap_err();
        }
        drop((client, other, request));
        for (number, key) in keys.iter().enumerate() {
            // A connection that failed may be cleaned up behind the call.
            eventually(&format!("no copy of key {number}"), || key.copies() == 0);
        }
    });
    drop(told);
}
