//! What is shown of the key: in logs of every library, in every Debug and Display. Knows no
//! feature.

use std::fmt::Debug;

use modelwire::{Client, Config, Request};
use modelwire_service::{Exchange, Script, Service, Step};

use super::in_child;
use crate::support::{CHAT_ANSWER, DONE, WAYS, hello, piece, respond};

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

/// R-AUTH4: not one line of any library below says the key, at the finest level.
#[test]
fn the_finest_log_does_not_say_the_key() {
    let told = in_child("secrets::the_finest_log_does_not_say_the_key", || {
        tracing_subscriber::fmt()
            .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
            .with_ansi(false)
            .with_writer(std::io::stderr)
            .init();
        let service = Service::start_with(modelwire_service::Options {
            key: KEY.to_owned(),
            ..modelwire_service::Options::default()
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

/// R-AUTH4: the key, and what else a configuration keeps secret.
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

/// R-AUTH4: a header may be a second key.
#[test]
fn the_values_of_headers_are_not_shown() {
    let config = Config::new().base_url("http://127.0.0.1:1/v1").api_key(KEY);
    hides("Config with a header", &config.header("api-key", KEY), &[KEY]);
    hides("Request", &hello().header("api-key", KEY), &[KEY]);
}

/// R-AUTH4: user info and query of a URL are masked likewise.
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

/// R-AUTH4: a private key is a secret, as text or as numbers.
#[test]
fn a_client_certificate_is_not_shown() {
    let pem = "-----BEGIN PRIVATE KEY-----\nSECRET\n-----END PRIVATE KEY-----\n";
    let config = Config::new().base_url("https://127.0.0.1:1/v1").api_key(KEY);
    let config = config.client_certificate_pem(pem);
    // "SECRET" as a list of numbers, in both forms of Debug.
    let numbers = ["83, 69, 67, 82, 69, 84", "83,\n        69,", "SECRET"];
    hides("Config with a client certificate", &config, &numbers);
}

/// R-AUTH4: answers, heads and errors, in all their forms.
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

/// R-AUTH4 R-ERR3: an error as JSON is JSON, and has no key in it, whatever a service echoed where:
/// in what was gathered of its answer, too.
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
            let sent = way.send(&client, hello().field("user", KEY));
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

/// A word that is given to a service which asks for no key may stand in any answer.
#[test]
fn a_short_key_leaves_what_a_model_wrote() {
    let service = Service::start().unwrap();
    let url = service.script("s", Script::one(Exchange::events_cut(&[piece("none of index")])));
    for key in ["none", "x", "index"] {
        let client = Client::new(Config::new().base_url(&url).api_key(key)).unwrap();
        let read = WAYS[1].read(&client, hello().gather(true));
        let partial = read.error().partial().unwrap().to_owned();
        assert!(partial.contains(r#""content":"none of index""#), "{partial}");
    }
}
