//! How failures are told: by status, by envelope, by what broke on the way.

use modelwire::{Client, Config, Error, ErrorKind, Limits, Metered, Request};
use modelwire_testing::{Exchange, Script, Service, Step};

use crate::support::{DONE, WAYS, Way, client, config, hello, http_chunk, respond, stream_head};

fn contains(text: &str, part: &str) {
    assert!(text.to_lowercase().contains(&part.to_lowercase()), "{part:?} in {text:?}");
}

/// The same error from every way of calling.
fn each(client: &Client, request: &Request, check: impl Fn(&Error)) {
    for way in WAYS {
        check(&way.send(client, request.clone()).unwrap_err());
        let read = way.read(client, request.clone());
        assert!(read.chunks.is_empty());
        check(read.error());
    }
}

#[test]
fn a_wrong_key_is_an_authentication_error() {
    let service = Service::start().unwrap();
    let config = Config::new().base_url(service.base_url()).api_key("sk-wrong");
    let client = Client::new(config).unwrap();
    let check = |error: &Error| {
        assert_eq!((error.kind(), error.status()), (ErrorKind::Authentication, Some(401)));
        assert_eq!(error.code(), Some("invalid_api_key"));
        assert_eq!(error.error_type(), Some("invalid_request_error"));
        assert_eq!((error.metered(), error.attempts()), (Metered::NormallyNot, 1));
        contains(error.message(), "Incorrect API key");
        contains(error.hint(), "key");
        assert!(error.request_id().unwrap().starts_with("req-"));
        assert!(error.request_time().is_some());
        assert!(!error.report().contains("sk-wrong"));
    };
    each(&client, &hello(), |error| {
        check(error);
        assert_eq!(error.path(), "/v1/chat/completions");
        assert_eq!(error.model(), Some("echo"));
    });
    each(&client, &respond(), check);
    for way in WAYS {
        let error = way.models(&client).unwrap_err();
        check(&error);
        assert_eq!((error.path(), error.model()), ("/v1/models", None));
    }
}

#[test]
fn a_forbidden_model_is_a_permission_error() {
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    each(&client, &Request::chat("forbidden").user("a"), |error| {
        assert_eq!((error.kind(), error.status()), (ErrorKind::Permission, Some(403)));
        assert_eq!(error.code(), Some("insufficient_balance"));
        assert_eq!((error.metered(), error.attempts()), (Metered::Unknown, 1));
        contains(error.hint(), "balance");
        contains(error.hint(), "account");
        contains(error.hint(), "model");
    });
}

#[test]
fn a_not_found_error_hints_at_model_and_path() {
    let service = Service::start().unwrap();
    each(&client(service.base_url()), &Request::chat("no-such-model").user("a"), |error| {
        assert_eq!((error.kind(), error.status()), (ErrorKind::NotFound, Some(404)));
        contains(error.hint(), "model name");
        contains(error.hint(), "path");
        assert!(!error.hint().contains("does not end"), "{}", error.hint());
    });
    for path in ["", "/", "/v2", "/v1/chat"] {
        let client = client(format!("http://{}{path}", service.address()));
        each(&client, &hello(), |error| {
            let status = error.status();
            if status == Some(401) {
                return; // the service asks for a key that is right before it looks at a path
            }
            assert_eq!((error.kind(), status), (ErrorKind::NotFound, Some(404)), "{path}");
            contains(error.hint(), "does not end in /v1");
        });
    }
}

/// The remedy is named, and only where it can help.
#[test]
fn a_stream_only_model_is_explained_in_the_hint() {
    let service = Service::start().unwrap();
    let played = client(service.base_url());
    for way in WAYS {
        let request = Request::chat("echo-stream-only").user("a b");
        let error = way.send(&played, request.clone()).unwrap_err();
        assert_eq!((error.kind(), error.status()), (ErrorKind::InvalidRequest, Some(400)));
        assert_eq!(error.param(), Some("stream"));
        contains(error.hint(), "set stream_only");
        contains(error.hint(), "stream the call");
        assert_eq!(way.read(&played, request.clone()).text(), "a b");
        assert_eq!(way.send(&played, request.stream_only(true)).unwrap().text(), "a b");
    }
    let statuses = [400, 401, 403, 404, 422, 500, 503].into_iter();
    for (status, words) in statuses.flat_map(|status| [(status, "not so"), (status, "stream it")]) {
        let script = Script::one(Exchange::json(status, format!(r#"{{"error":"{words}"}}"#)));
        let client = client(service.script("s", script));
        for way in WAYS {
            let helps = words == "stream it" && ![401, 503].contains(&status);
            let error = way.send(&client, hello()).unwrap_err();
            assert_eq!(error.hint().contains("stream_only"), helps, "{error:?}");
            for error in [
                way.read(&client, hello()).error().clone(),
                way.send(&client, hello().stream_only(true)).unwrap_err(),
                way.models(&client).unwrap_err(),
            ] {
                assert!(!error.hint().contains("stream_only"), "{error:?}");
            }
        }
    }
}

/// Whatever stands at a wrong place answers in its own way.
#[test]
fn a_base_url_without_version_is_named_as_a_possible_cause() {
    let service = Service::start().unwrap();
    let page = [("Content-Type", "text/html")];
    for (answer, is_told) in [
        (Exchange::json(404, "no"), true),
        (Exchange::json(405, "no"), true),
        (Exchange::json_with_headers(200, &page, "<html>hello</html>"), true),
        (Exchange::events(&["words"]), true),
        (Exchange::json(400, "no"), false),
        (Exchange::json(500, "no"), false),
    ] {
        let base_url = service.script("s", Script::one(answer));
        let without = base_url.strip_suffix("/v1").unwrap();
        for (base_url, is_told) in [(without, is_told), (&base_url, false)] {
            each(&client(base_url), &hello(), |error| {
                let hint = error.hint();
                assert_eq!(
                    hint.starts_with("The base URL does not end in /v1. "),
                    is_told,
                    "{error:?}"
                );
            });
        }
    }
}

/// The version twice, or the path of an operation behind it.
#[test]
fn a_base_url_with_an_extra_path_is_explained() {
    let service = Service::start().unwrap();
    for (more, words) in [
        ("/v1", "The base URL has /v1 twice. "),
        ("/chat/completions", "The base URL ends in /chat/completions, which each call adds: "),
        ("/models", "The base URL ends in /models, which each call adds: end it with /v1. "),
        ("/responses", "The base URL ends in /responses, which each call adds: end it with /v1. "),
    ] {
        each(&client(format!("{}{more}", service.base_url())), &hello(), |error| {
            assert_eq!(error.kind(), ErrorKind::NotFound, "{error:?}");
            assert!(error.hint().starts_with(words), "{error:?}");
        });
    }
}

/// What to do is part of what an error says.
#[test]
fn the_hint_is_in_the_text() {
    let service = Service::start().unwrap();
    let played = client(service.base_url());
    let error = played.blocking().send(Request::chat("none").user("a")).unwrap_err();
    let text = error.to_string();
    assert_eq!(text, format!("{} (status 404). Hint: {}", error.message(), error.hint()));
    assert_eq!(error.report().matches(error.hint()).count(), 1, "{}", error.report());
    let error = played.blocking().send(hello().set("max_tokens", "many")).unwrap_err();
    assert!(error.to_string().ends_with(&format!(". Hint: {}", error.hint())), "{error}");
}

/// Entered is what part of an answer came of; what is no answer is not known to be.
#[test]
fn only_part_of_an_answer_is_entered() {
    let service = Service::start().unwrap();
    let answers = |answer: Exchange| client(service.script("s", Script::one(answer)));
    let page = Exchange::json_with_headers(200, &[("Content-Type", "text/html")], "<p>Log in</p>");
    let nothing = Exchange::raw("HTTP/1.1 204 No Content\r\n\r\n");
    let refused = Exchange::json(200, r#"{"error":{"message":"m"}}"#);
    for answer in [page, nothing, refused, Exchange::json(200, "[]"), Exchange::events(&[DONE])] {
        each(&answers(answer), &hello(), |error| {
            assert_eq!(error.metered(), Metered::Unknown, "{error:?}");
        });
    }
    let broken = Exchange::json(200, r#"{"choices":[{"#);
    each(&answers(broken), &hello(), |error| {
        assert_eq!((error.kind(), error.metered()), (ErrorKind::Protocol, Metered::Entered));
    });
    // To list models is no processing by one.
    let lists = [
        Exchange::json(200, r#"{"models":[]}"#),
        Exchange::json(200, "<html>"),
        Exchange::json(500, "no"),
        Exchange::json(401, "no"),
        Exchange {
            steps: vec![
                Step::send("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{\"data\":["),
                Step::Close,
            ],
        },
    ];
    for list in lists {
        let client = answers(list);
        for way in WAYS {
            let error = way.models(&client).unwrap_err();
            assert_eq!(error.metered(), Metered::NormallyNot, "{error:?}");
        }
    }
    let refused = client("http://127.0.0.1:1/v1").blocking().models().unwrap_err();
    assert_eq!(refused.metered(), Metered::NotSent);
}

/// Status, content type, body, and the kind, message and type that are told.
type Envelope = (u16, &'static str, &'static str, ErrorKind, &'static str, Option<&'static str>);

const PAGE: &str = "<html>\n<body>\n  <h1>502 Bad Gateway</h1></body></html>";
const PAGE_SHOWN: &str = "<html> <body> <h1>502 Bad Gateway</h1></body></html>";
const EVENTS: &str =
    "data: {\"error\":{\"message\":\"in an event\",\"type\":\"t\"}}\n\ndata: [DONE]\n\n";

const ENVELOPES: [Envelope; 11] = [
    (
        400,
        "application/json",
        r#"{"error":{"message":"m","type":"t"}}"#,
        ErrorKind::InvalidRequest,
        "m",
        Some("t"),
    ),
    (403, "application/json", r#"{"error":"text"}"#, ErrorKind::Permission, "text", None),
    (
        404,
        "application/json",
        r#"{"message":"flat","type":"t"}"#,
        ErrorKind::NotFound,
        "flat",
        Some("t"),
    ),
    (
        401,
        "application/json",
        r#"{"detail":"Not here"}"#,
        ErrorKind::Authentication,
        "Not here",
        None,
    ),
    (
        422,
        "application/json",
        r#"{"detail":[{"loc":["body"]}]}"#,
        ErrorKind::Status,
        r#"[{"loc":["body"]}]"#,
        None,
    ),
    (
        400,
        "application/json",
        r#"[{"error":{"message":"in an array"}}]"#,
        ErrorKind::InvalidRequest,
        "in an array",
        None,
    ),
    (500, "text/plain", "Internal Server Error", ErrorKind::Server, "Internal Server Error", None),
    (502, "text/html", PAGE, ErrorKind::Server, PAGE_SHOWN, None),
    (
        503,
        "text/plain",
        "",
        ErrorKind::Server,
        "the service returned status 503 without a body",
        None,
    ),
    (500, "text/event-stream", EVENTS, ErrorKind::Server, "in an event", Some("t")),
    (418, "text/plain", "teapot", ErrorKind::Status, "teapot", None),
];

#[test]
fn every_envelope_gives_the_kind_of_its_status_and_the_best_message() {
    let service = Service::start().unwrap();
    for (status, content_type, body, kind, message, error_type) in ENVELOPES {
        let headers = [("Content-Type", content_type)];
        let answer = Exchange::json_with_headers(status, &headers, body);
        let client = client(service.script("s", Script::one(answer)));
        each(&client, &hello(), |error| {
            assert_eq!((error.kind(), error.status()), (kind, Some(status)), "{body}");
            assert_eq!((error.message(), error.error_type()), (message, error_type), "{body}");
            assert_eq!((error.body(), error.attempts()), (Some(body), 1));
        });
        assert_eq!(service.recorded("s").len(), 4, "not retried");
    }
}

/// An error says why its body has no message, if there is one.
#[test]
fn a_body_that_cannot_be_read_is_not_said_to_be_missing() {
    let service = Service::start().unwrap();
    let brotli = [("Content-Encoding", "br")];
    let packed = Exchange::json_with_headers(500, &brotli, "xxxxxx");
    let cut = Exchange {
        steps: vec![Step::send("HTTP/1.1 500 E\r\nContent-Length: 100\r\n\r\n"), Step::Close],
    };
    for (exchange, reason) in [(packed, "br"), (cut, "the connection")] {
        let client = client(service.script("s", Script::one(exchange)));
        each(&client, &hello(), |error| {
            assert_eq!((error.kind(), error.status()), (ErrorKind::Server, Some(500)));
            contains(error.message(), "status 500, and its body cannot be read: ");
            contains(error.message(), reason);
        });
    }
}

#[test]
fn a_key_that_the_service_echoes_is_masked() {
    let key = "sk-very/secret+1";
    let service = Service::start().unwrap();
    let body = format!(r#"{{"error":{{"message":"bad key {key}","code":"{key}"}}}}"#);
    let headers = [("x-request-id", key), ("x-echo", key)];
    let answers = [
        Exchange::json_with_headers(401, &headers, &body),
        Exchange::events(&[body.as_str()]),
        Exchange::events(&[format!("not JSON {key}")]),
        Exchange::json_with_headers(200, &headers, format!("not JSON {key}")),
        Exchange::json_with_headers(200, &headers, &body),
        Exchange::json_with_headers(302, &[("Location", &format!("http://x/?k={key}"))], ""),
    ];
    for (number, answer) in answers.into_iter().enumerate() {
        leaks(&service, key, answer, &format!("answer {number}"), |text| text.contains(key));
    }
    assert!(!format!("{:?}", config("http://127.0.0.1:1/v1").api_key(key)).contains(key));
}

/// Fails if an error of this answer shows the key, whether it is the client's or the call's.
fn leaks(
    service: &Service,
    key: &str,
    answer: Exchange,
    what: &str,
    is_leak: impl Fn(&str) -> bool,
) {
    let limits = Limits::default().error_body_bytes_max(BODY_BYTES_MAX);
    let base_url = service.script("s", Script::one(answer));
    let config = |key| Config::new().base_url(&base_url).api_key(key).limits(limits);
    for (config, request) in [(config(key), hello()), (config("sk-test"), hello().api_key(key))] {
        each(&Client::new(config).unwrap(), &request, |error| {
            let shown = format!("{error} {} {:?} {:?}", error.report(), error.body(), error.code());
            assert!(!is_leak(&shown), "{what}: {shown}");
        });
    }
}

const BODY_BYTES_MAX: usize = 1000;

/// JSON may write a key in other bytes than its own.
#[test]
fn a_key_that_is_echoed_with_escapes_is_masked() {
    let service = Service::start().unwrap();
    let key = "sk-very/secret+1";
    for escaped in [r"sk-very\/secret+1", r"sk-very/secret\u002b1", r"\u0073k-very/secret+1"] {
        let body = format!(r#"{{"error":{{"message":"bad key {escaped}","code":"{escaped}"}}}}"#);
        for answer in [Exchange::json(401, &body), Exchange::json(400, format!("[{body}]"))] {
            leaks(&service, key, answer, escaped, |text| text.contains(key));
        }
        let client = service.script("s", Script::one(Exchange::events(&[body.as_str()])));
        let client = Client::new(Config::new().base_url(client).api_key(key)).unwrap();
        for way in WAYS {
            let read = way.read(&client, hello());
            assert!(!read.error().message().contains(key), "{:?}", read.error());
        }
    }
}

/// A bound that cuts a text in the middle of the key leaves no part of it.
#[test]
fn a_key_that_is_cut_by_a_bound_is_masked() {
    let service = Service::start().unwrap();
    let key = "sk-very-secret-1234567890";
    let part = |text: &str| text.contains(&key[..12]);
    for bound in [200, BODY_BYTES_MAX] {
        // The bound falls after the twentieth byte of the key.
        let body = format!("{}{key}, so there.", "x ".repeat((bound - 20) / 2));
        leaks(&service, key, Exchange::json(500, &body), "a status", part);
        leaks(&service, key, Exchange::json(200, &body), "a document", part);
        leaks(&service, key, Exchange::events(&[&body]), "an event", part);
    }
}

#[test]
fn a_refused_connection_was_never_sent() {
    let address = format!("127.0.0.1:{}", crate::system::closed_port());
    each(&client(format!("http://{address}/v1")), &hello(), |error| {
        assert_eq!((error.kind(), error.status()), (ErrorKind::Connect, None));
        contains(error.message(), "refused");
        contains(error.message(), &address);
        contains(error.hint(), "base_url");
        assert_eq!((error.metered(), error.attempts()), (Metered::NotSent, 1));
    });
}

#[test]
fn a_name_that_does_not_exist_was_never_sent() {
    // RFC 6761 reserves the name: no resolver knows it.
    each(&client("http://modelwire.invalid/v1"), &hello(), |error| {
        assert_eq!(error.kind(), ErrorKind::Connect, "{error:?}");
        contains(error.message(), "modelwire.invalid");
        assert_eq!(error.metered(), Metered::NotSent);
    });
}

/// What was written is not sent again.
#[test]
fn a_service_that_breaks_off_before_it_answers() {
    let service = Service::start().unwrap();
    for end in [Step::Close, Step::Reset] {
        let script = Script::one(Exchange { steps: vec![end] });
        let client = client(service.script("s", script));
        each(&client, &hello(), |error| {
            assert_eq!((error.kind(), error.status()), (ErrorKind::Disconnected, None));
            assert_eq!((error.metered(), error.attempts()), (Metered::Unknown, 1));
        });
        assert_eq!(service.recorded("s").len(), 4);
    }
}

#[test]
fn a_truncated_plain_answer_is_an_error() {
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    for way in WAYS {
        let error = way.send(&client, Request::chat("cut").user("a b c d")).unwrap_err();
        assert_eq!((error.kind(), error.metered()), (ErrorKind::Disconnected, Metered::Entered));
    }
}

#[test]
fn html_under_a_good_status_is_a_protocol_error() {
    let service = Service::start().unwrap();
    let page = "<!doctype html><html><body>Please log in</body></html>";
    let headers = [("Content-Type", "text/html; charset=utf-8")];
    let script = Script::one(Exchange::json_with_headers(200, &headers, page));
    each(&client(service.script("s", script)), &hello(), |error| {
        assert_eq!((error.kind(), error.status()), (ErrorKind::Protocol, Some(200)));
        contains(error.message(), "<!doctype html>");
        contains(error.hint(), "base_url");
        assert_eq!(error.metered(), Metered::Unknown, "a page is no part of an answer");
        assert!(error.body().unwrap().starts_with("<!doctype html>"));
    });
}

#[test]
fn an_error_object_under_a_good_status_is_raised() {
    let service = Service::start().unwrap();
    let error = r#""error":{"message":"m","type":"t","code":7,"param":"p"}"#;
    // A field that is null says as little as one that is absent.
    for others in ["", r#","data":null"#, r#","choices":null,"usage":null"#, r#","output":null"#] {
        let body = format!("{{{error}{others}}}");
        let client = client(service.script("s", Script::one(Exchange::json(200, &body))));
        for way in WAYS {
            let error = way.send(&client, hello()).expect_err(&body);
            assert_eq!((error.kind(), error.status()), (ErrorKind::Stream, Some(200)));
            assert_eq!((error.message(), error.error_type()), ("m", Some("t")));
            assert_eq!((error.code(), error.param()), (Some("7"), Some("p")));
            assert_eq!(error.body(), Some(body.as_str()));
        }
    }
}

/// A redirect would carry the key elsewhere.
#[test]
fn a_redirect_to_another_origin_is_an_error() {
    let service = Service::start().unwrap();
    let elsewhere = service.base_url().replace("127.0.0.1", "localhost");
    let location = format!("{elsewhere}/chat/completions");
    for status in [301, 302, 303, 307, 308] {
        let answer = Exchange::json_with_headers(status, &[("Location", &location)], "moved");
        each(&client(service.script("s", Script::one(answer))), &hello(), |error| {
            assert_eq!((error.kind(), error.status()), (ErrorKind::Status, Some(status)));
            contains(error.message(), &location);
            assert_eq!(error.body(), Some("moved"));
        });
    }
    assert!(service.recorded("").is_empty());
}

/// Bounds are told by name.
#[test]
fn exceeded_limits_are_named() {
    let service = Service::start().unwrap();
    let limits = Limits::default()
        .event_bytes_max(100)
        .response_bytes_max(100)
        .error_body_bytes_max(100)
        .headers_max(5);
    let bounded = |exchange| {
        let base_url = service.script("s", Script::one(exchange));
        Client::new(config(base_url).limits(limits)).unwrap()
    };
    let long = format!("{{\"x\":\"{}\"}}", "x".repeat(200));
    let protocol = |error: &Error, named: &str| {
        assert_eq!(error.kind(), ErrorKind::Protocol);
        contains(error.message(), named);
    };
    for way in WAYS {
        let error = way.send(&bounded(Exchange::json(200, &long)), hello()).unwrap_err();
        protocol(&error, "response_bytes_max = 100");
        let steps = vec![stream_head(), http_chunk(&format!("data: {long}\n\n"))];
        let read = way.read(&bounded(Exchange { steps }), hello());
        protocol(read.error(), "event_bytes_max = 100");
        let many: Vec<String> = (0..9).map(|number| format!("x-{number}")).collect();
        let many: Vec<(&str, &str)> = many.iter().map(|name| (name.as_str(), "1")).collect();
        let error = way.send(&bounded(Exchange::json_with_headers(200, &many, "{}")), hello());
        protocol(&error.unwrap_err(), "headers_max = 5");
        let error = way.send(&bounded(Exchange::json(500, &long)), hello()).unwrap_err();
        assert_eq!((error.kind(), error.body().unwrap().len()), (ErrorKind::Server, 100));
    }
    // Exactly at the bound is within it.
    let fits = format!("{{\"choices\":[{{}}],\"x\":\"{}\"}}", "x".repeat(77));
    assert_eq!(fits.len(), 100);
    Way::Blocking.send(&bounded(Exchange::json(200, &fits)), hello()).unwrap();
}

/// JSON under a good status that is no object is no answer to a chat or a response, however it was
/// asked for.
#[test]
fn json_that_is_not_an_object_is_an_error() {
    let service = Service::start().unwrap();
    for text in ["null", "5", r#""hi""#, "true", "[1,2]", "[]"] {
        let client = client(service.script("s", Script::one(Exchange::json(200, text))));
        for request in [hello(), respond()] {
            for way in WAYS {
                let plain =
                    way.send(&client, request.clone()).map(|answer| answer.json().to_owned());
                let streamed = way.read(&client, request.clone());
                let streamed = streamed.outcome.map(|answer| answer.json().to_owned());
                for (outcome, how) in [(plain, "plain"), (streamed, "streamed")] {
                    let Err(error) = outcome else { panic!("{how}: {text} is an answer") };
                    assert_eq!(error.kind(), ErrorKind::Protocol, "{how}: {text}: {error:?}");
                    assert_eq!(error.status(), Some(200), "{how}: {text}: {error:?}");
                    contains(error.message(), text);
                }
            }
        }
    }
}

/// A list of models is a document, whatever its content type says: a stream of chunks is none (R-OP2).
#[test]
fn an_event_stream_is_not_a_model_list() {
    let service = Service::start().unwrap();
    let chunk = r#"{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}"#;
    let answered = |answer: Exchange, check: &dyn Fn(modelwire::Result<modelwire::Response>)| {
        let client = client(service.script("s", Script::one(answer)));
        WAYS.iter().for_each(|way| check(way.models(&client)));
    };
    answered(Exchange::events(&[chunk, DONE]), &|answer| {
        let error = answer.unwrap_err();
        assert_eq!((error.kind(), error.metered()), (ErrorKind::Protocol, Metered::NormallyNot));
        contains(error.message(), "the answer is not JSON");
        contains(error.message(), "choices");
    });
    let headers = [("content-type", "text/event-stream")];
    answered(Exchange::json_with_headers(200, &headers, r#"{"data":[{"id":"m"}]}"#), &|answer| {
        assert_eq!(answer.unwrap().model_ids(), ["m"]);
    });
}
