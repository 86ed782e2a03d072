//! gzip: when it is asked for, how it is read, and what it cannot do to the reader.

use std::io::Write;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use modelwire::{Client, End, ErrorKind, Limits, Metered, Request};
use modelwire_testing::{Exchange, Script, Service, Step};

use super::in_child;
use crate::support::{CHAT_ANSWER, DONE, WAYS, client, config, hello, piece, respond};
use crate::system::memory;

fn packed(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

const GZIP: [(&str, &str); 1] = [("Content-Encoding", "gzip")];

/// One flushed gzip block for each of these events, each in an HTTP chunk of its own; whether the
/// gzip coding and the body come to their end.
fn packed_stream(events: &[&str], is_whole: bool) -> Vec<Step> {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: gzip\r\n\
                Transfer-Encoding: chunked\r\n\r\n";
    let mut steps = vec![Step::send(head)];
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let mut chunk = |bytes: Vec<u8>| {
        let size = format!("{:x}\r\n", bytes.len());
        steps.push(Step::send([size.as_bytes(), &bytes, b"\r\n"].concat()));
    };
    for event in events {
        write!(encoder, "data: {event}\n\n").unwrap();
        encoder.flush().unwrap();
        chunk(std::mem::take(encoder.get_mut()));
    }
    if is_whole {
        chunk(encoder.finish().unwrap());
        steps.push(Step::send("0\r\n\r\n"));
    }
    steps
}

/// A packed stream arrives in lumps, so that none is asked for.
#[test]
fn gzip_is_asked_for_on_plain_calls_and_not_on_streams() {
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    for way in WAYS {
        service.clear();
        way.models(&client).unwrap();
        way.send(&client, hello()).unwrap();
        way.send(&client, respond()).unwrap();
        way.read(&client, hello()).response();
        way.read(&client, respond()).response();
        way.send(&client, hello().stream_only(true)).unwrap();
        let asked = service.recorded("");
        let asked: Vec<_> = asked.iter().map(|sent| sent.header("accept-encoding")).collect();
        let gzip = Some("gzip");
        assert_eq!(asked, [gzip, gzip, gzip, None, None, None], "{way:?}");
    }
}

/// The text is what it was before it was packed, under a good status and a bad one.
#[test]
fn a_compressed_answer_is_read() {
    let service = Service::start().unwrap();
    let whole = packed(CHAT_ANSWER.as_bytes());
    let halves: Vec<Step> = {
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Encoding: GZip\r\nContent-Length: {}\r\n\r\n",
            whole.len()
        );
        let pause = Step::Pause(Duration::from_millis(20));
        let (first, last) = whole.split_at(whole.len() / 2);
        vec![Step::send(head), Step::send(first), pause, Step::send(last)]
    };
    let answers = [Exchange::json_with_headers(200, &GZIP, &whole), Exchange { steps: halves }];
    for answer in answers {
        let client = client(service.script("s", Script::one(answer)));
        for way in WAYS {
            let answer = way.send(&client, hello()).unwrap();
            assert_eq!((answer.text().as_ref(), answer.json()), ("Yes.", CHAT_ANSWER));
        }
    }
    let refused = packed(br#"{"error":{"message":"too hot","code":"t"}}"#);
    let answer = Exchange::json_with_headers(400, &GZIP, refused);
    let client = client(service.script("s", Script::one(answer)));
    for way in WAYS {
        for error in
            [way.send(&client, hello()).unwrap_err(), way.read(&client, hello()).error().clone()]
        {
            assert_eq!((error.kind(), error.status()), (ErrorKind::InvalidRequest, Some(400)));
            assert_eq!((error.message(), error.code()), ("too hot", Some("t")));
        }
    }
}

/// What the service flushed is here while it says nothing more.
#[test]
fn a_compressed_stream_is_delivered_event_by_event() {
    let service = Service::start().unwrap();
    let mut steps = packed_stream(&[&piece("a")], false);
    steps.push(Step::StallForever);
    let stalled = client(service.script("stalled", Script::one(Exchange { steps })));
    let mut stream = stalled.blocking().stream(hello()).unwrap();
    assert_eq!(stream.next().unwrap().unwrap().text(), "a");
    drop(stream);
    let steps = packed_stream(&[&piece("a"), &piece("b"), DONE], true);
    let whole = client(service.script("whole", Script::one(Exchange { steps })));
    for way in WAYS {
        let read = way.read(&whole, hello());
        assert_eq!((read.text().as_str(), read.response().end()), ("ab", End::DoneMark));
    }
}

/// What was cut never looks whole, also where only gzip itself can tell.
#[test]
fn a_truncated_compressed_answer_is_an_error() {
    let service = Service::start().unwrap();
    let whole = packed(CHAT_ANSWER.as_bytes());
    for length in [1, 5, 15, whole.len() / 2, whole.len() - 9, whole.len() - 1] {
        let answer = Exchange::json_with_headers(200, &GZIP, &whole[..length]);
        let client = client(service.script("s", Script::one(answer)));
        for way in WAYS {
            let error = way.send(&client, hello()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Protocol, "{length}: {error:?}");
            // A part of the answer came only where some of it could be unpacked.
            let is_unpacked = length >= whole.len() / 2;
            let metered = if is_unpacked { Metered::Entered } else { Metered::Unknown };
            assert_eq!(error.metered(), metered, "{length}");
            assert!(error.message().contains("gzip"), "{error:?}");
        }
    }
    let mut steps = packed_stream(&[&piece("a")], false);
    steps.push(Step::send("0\r\n\r\n"));
    let client = client(service.script("s", Script::one(Exchange { steps })));
    for way in WAYS {
        let read = way.read(&client, hello());
        assert_eq!((read.text().as_str(), read.error().kind()), ("a", ErrorKind::Protocol));
    }
}

/// An answer has a status, also one that cannot be unpacked.
#[test]
fn a_coding_that_was_not_asked_for_is_refused() {
    let service = Service::start().unwrap();
    for coding in ["br", "zstd", "deflate", "gzip, br"] {
        let headers = [("Content-Encoding", coding)];
        let answer = Exchange::json_with_headers(200, &headers, CHAT_ANSWER);
        let client = client(service.script("s", Script::one(answer)));
        for way in WAYS {
            for error in [
                way.send(&client, hello()).unwrap_err(),
                way.read(&client, hello()).error().clone(),
            ] {
                assert_eq!(error.kind(), ErrorKind::Protocol, "{coding}");
                assert!(error.message().contains(coding), "{error:?}");
                assert_eq!((error.metered(), error.attempts()), (Metered::Unknown, 1));
                assert_eq!(error.status(), Some(200), "{coding}: {error:?}");
            }
        }
    }
}

/// A coding that says that there is none (RFC 9110 section 8.4.1) is none.
#[test]
fn an_answer_that_is_not_packed_may_say_so() {
    let service = Service::start().unwrap();
    for coding in ["identity", "Identity", ""] {
        let answer = Exchange::json_with_headers(200, &[("Content-Encoding", coding)], CHAT_ANSWER);
        let client = client(service.script("s", Script::one(answer)));
        for way in WAYS {
            let answer = way.send(&client, hello());
            assert!(answer.is_ok(), "{coding:?}: {answer:?}");
        }
    }
}

/// The kind of an error is that of its status, whatever its body is packed in.
#[test]
fn an_error_status_wins_over_an_unknown_encoding() {
    let service = Service::start().unwrap();
    let kinds = [
        (401, ErrorKind::Authentication, Metered::NormallyNot),
        (503, ErrorKind::Server, Metered::Unknown),
    ];
    for (status, kind, metered) in kinds {
        let answer = Exchange::json_with_headers(status, &[("Content-Encoding", "br")], "\x0b\x01");
        let client = client(service.script("s", Script::one(answer)));
        for way in WAYS {
            let error = way.send(&client, hello()).unwrap_err();
            assert_eq!((error.kind(), error.status()), (kind, Some(status)), "{error:?}");
            assert_eq!(error.metered(), metered);
        }
    }
}

/// The bounds hold for what is unpacked, and no more than a step beyond them is ever held.
#[test]
fn a_gzip_bomb_meets_the_named_bound() {
    const BOMB_BYTES: usize = 64 << 20;
    const GROWTH_MAX: usize = 32 << 20;
    in_child("packing::a_gzip_bomb_meets_the_named_bound", || {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        for _ in 0..BOMB_BYTES / (64 << 10) {
            encoder.write_all(&[0; 64 << 10]).unwrap();
        }
        let bomb = encoder.finish().unwrap();
        let service = Service::start().unwrap();
        let limits = Limits::default().response_bytes_max(1 << 20).event_bytes_max(1 << 20);
        let bounded = |status, content_type| {
            let headers = [GZIP[0], ("Content-Type", content_type)];
            let answer = Exchange::json_with_headers(status, &headers, &bomb);
            let base_url = service.script("s", Script::one(answer));
            Client::new(config(base_url).limits(limits)).unwrap()
        };
        client(service.base_url()).blocking().models().unwrap();
        let before = memory().1;
        for way in WAYS {
            let error = way.send(&bounded(200, "application/json"), hello()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Protocol, "{error:?}");
            assert!(error.message().contains("response_bytes_max = 1048576"), "{error:?}");
            let error = way.send(&bounded(500, "application/json"), hello()).unwrap_err();
            assert_eq!((error.kind(), error.status()), (ErrorKind::Server, Some(500)));
            assert!(error.body().unwrap().len() <= limits.error_body_bytes_max);
            let read = way.read(&bounded(200, "text/event-stream"), Request::chat("m").user("a"));
            assert_eq!(read.error().kind(), ErrorKind::Protocol);
            assert!(read.error().message().contains("event_bytes_max = 1048576"));
        }
        let growth = memory().1.saturating_sub(before);
        assert!(growth < GROWTH_MAX, "{growth} bytes more at the peak");
    });
}
