//! The idempotency key of a call.

use modelwire::{Client, ErrorKind, Request};
use modelwire_testing::Service;

use crate::support::{WAYS, at_once, config, hello};

fn keys(service: &Service, header: &str) -> Vec<Option<String>> {
    let sent = service.recorded("");
    sent.iter().map(|request| request.header(header).map(str::to_owned)).collect()
}

fn recovers() -> Request {
    Request::chat("recovers").user("a b")
}

#[test]
fn all_attempts_of_a_call_have_one_key() {
    let service = Service::start().unwrap();
    let named = config(service.base_url()).idempotency_header("Idempotency-Key").retry(at_once());
    let client = Client::new(named).unwrap();
    for way in WAYS {
        way.send(&client, recovers()).unwrap();
        way.read(&client, recovers()).response();
        way.models(&client).unwrap();
    }
    let keys = keys(&service, "idempotency-key");
    let calls: Vec<_> = keys.chunk_by(|one, other| one == other).collect();
    let lengths: Vec<_> = calls.iter().map(|call| (call.len(), call[0].is_some())).collect();
    let of_one_way = [(3, true), (3, true), (1, false)];
    assert_eq!(lengths, [of_one_way, of_one_way].concat());
    let mut distinct: Vec<_> = keys.iter().flatten().collect();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), 4, "each call has its own");
}

#[test]
fn a_call_may_give_its_own_key() {
    let service = Service::start().unwrap();
    let plain = Client::new(config(service.base_url())).unwrap();
    plain.blocking().send(hello()).unwrap();
    plain.blocking().send(hello().idempotency_key("row-7")).unwrap();
    assert_eq!(keys(&service, "idempotency-key"), [None, Some("row-7".to_owned())]);
    let named = config(service.base_url()).idempotency_header("X-Once");
    let client = Client::new(named).unwrap();
    client.blocking().send(hello().idempotency_key("row-8")).unwrap();
    client.blocking().send(hello().header("x-once", "mine")).unwrap();
    let of_two = keys(&service, "x-once").split_off(2);
    assert_eq!(of_two, [Some("row-8".to_owned()), Some("mine".to_owned())]);
}

#[test]
fn what_cannot_be_sent_is_refused_where_it_is_given() {
    for name in ["", "a b", "Authorization"] {
        let named = config("http://127.0.0.1:9/v1").idempotency_header(name);
        assert_eq!(Client::new(named).unwrap_err().kind(), ErrorKind::Config, "{name:?}");
    }
    for key in ["", " ", "a\nb", "é"] {
        let error = hello().idempotency_key(key).check().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Argument, "{key:?}");
    }
}
