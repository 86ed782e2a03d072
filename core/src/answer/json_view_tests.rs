//! Usage sums as JSON, by model and in total.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

use serde_json::{Value as Json, json};

use super::*;
use crate::answer::error_kind::Metered;
use crate::answer::record::{Answered, Recorded, WaitReason};
use crate::protocol::endpoint::Endpoint;
use crate::protocol::value::Value;

/// Parsed by the core and by serde_json, which agree.
pub(crate) fn read(text: &str) -> Json {
    let found: Json = serde_json::from_str(text).unwrap();
    Value::parse(text).unwrap();
    found
}

/// The members in order.
pub(crate) fn names(text: &str) -> Vec<String> {
    Value::parse(text).unwrap().members().into_iter().map(|(name, _)| name.into()).collect()
}

#[test]
fn the_json_of_a_call_record_has_every_field() {
    let us = Duration::from_micros;
    let attempt = AttemptRecord {
        start: us(5),
        base_url: Some("http://127.0.0.1/v1".into()),
        address: Some(([127, 0, 0, 1], 80).into()),
        reused: Some(false),
        dns: Some(us(1)),
        connect: Some(us(2)),
        tls: Some(us(3)),
        head: Some(us(40)),
        first_byte: Some(us(41)),
        end: us(50),
        status: Some(429),
        kind: Some(ErrorKind::RateLimited),
        is_opening: false,
        is_proxied: false,
    };
    let recorded = Recorded {
        start: UNIX_EPOCH + Duration::from_millis(7),
        operation: Endpoint::Chat,
        path: "/v1/chat/completions".into(),
        model: Some("m\"".to_owned()),
        streamed: true,
        attempts: vec![attempt, AttemptRecord::default()],
        attempts_count: 3,
        waits: vec![WaitRecord { reason: WaitReason::Retry, start: us(50), length: us(9) }],
        waits_count: 1,
        first_chunk: Some(us(60)),
        last_chunk: Some(us(70)),
        chunks: 2,
        chunk_times: vec![us(60), us(70)],
        consumer_wait: us(4),
        elapsed: us(80),
        kind: Some(ErrorKind::Cancelled),
        status: Some(200),
        request_id: Some("req".to_owned()),
        answered: Answered {
            response_id: Some("id".to_owned()),
            response_model: Some("m-1".to_owned()),
            finish_reason: Some("stop".to_owned()),
            usage: Usage::read(Value::validated("{\"total_tokens\":5}")),
        },
        metered: Metered::Entered,
        bytes_out: 10,
        bytes_in: 20,
        cancelled_by: Some(CancelledBy::Dropped),
    };
    let first = r#"{"start_us":5,"base_url":"http://127.0.0.1/v1","address":"127.0.0.1:80","reused":false,"dns_us":1,"connect_us":2,"tls_us":3,"head_us":40,"first_byte_us":41,"end_us":50,"status":429,"kind":"rate_limited"}"#;
    let empty = r#"{"start_us":0,"base_url":null,"address":null,"reused":null,"dns_us":null,"connect_us":null,"tls_us":null,"head_us":null,"first_byte_us":null,"end_us":0,"status":null,"kind":null}"#;
    let told = CallRecord::new(recorded).to_json();
    let usage = &read(&told)["usage"];
    assert_eq!(usage["total_tokens"], 5);
    let (before, behind) = told.split_once("\"usage\":").unwrap();
    assert_eq!(
        before,
        format!(
            r#"{{"start_unix_ms":7,"operation":"chat","path":"/v1/chat/completions","model":"m\"","streamed":true,"attempts":[{first},{empty}],"attempts_count":3,"waits":[{{"reason":"retry","start_us":50,"length_us":9}}],"waits_count":1,"first_chunk_us":60,"last_chunk_us":70,"chunks":2,"chunk_times_us":[60,70],"consumer_wait_us":4,"elapsed_us":80,"bottleneck":"service","kind":"cancelled","status":200,"request_id":"req","response_id":"id","response_model":"m-1","finish_reason":"stop","#
        )
    );
    let end = r#"},"metered":"entered","bytes_out":10,"bytes_in":20,"cancelled_by":"dropped"}"#;
    assert!(behind.ends_with(end), "{behind}");
}

/// Nor do the sums over all models and keys overflow.
#[test]
fn the_json_of_usage_has_sums_by_model_by_key_and_in_total() {
    let mut sums = UsageByKey::new();
    let nothing = read(&usage_json(&sums, "id"));
    let counts = ["calls", "calls_without_usage", "input_tokens", "output_tokens", "total_tokens"];
    let parts = ["cached_input_tokens", "cache_write_tokens", "reasoning_tokens"];
    let audio = ["audio_input_tokens", "audio_output_tokens"];
    let members = [counts.as_slice(), &parts, &audio, &["models", "keys", "key_id"]].concat();
    assert_eq!(names(&usage_json(&sums, "id")), members);
    assert_eq!((&nothing["calls"], &nothing["models"]), (&json!(0), &json!({})));
    assert_eq!((&nothing["keys"], &nothing["key_id"]), (&json!({}), &json!("id")));
    let mut tokens = Usage::default();
    (tokens.input_tokens, tokens.output_tokens, tokens.total_tokens) = (1, 2, u64::MAX - 1);
    tokens.reasoning_tokens = 3;
    let sum = UsageSum { calls: 2, calls_without_usage: 1, tokens };
    for (key, model) in [("k-1", "b\""), ("k-1", "a"), ("k-2", "a")] {
        sums.entry(key.to_owned()).or_default().insert(model.to_owned(), sum);
    }
    let found = read(&usage_json(&sums, "k-1"));
    assert_eq!((&found["calls"], &found["calls_without_usage"]), (&json!(6), &json!(3)));
    assert_eq!((&found["input_tokens"], &found["output_tokens"]), (&json!(3), &json!(6)));
    assert_eq!(found["reasoning_tokens"], 9);
    let models = [&found["models"]["a"], &found["keys"]["k-1"]["models"]["a"]];
    for sum in [&found, &found["keys"]["k-1"], models[0], models[1]] {
        assert_eq!(sum["total_tokens"].as_i64(), Some(i64::MAX));
    }
    assert_eq!((&models[0]["calls"], &models[1]["calls"]), (&json!(4), &json!(2)));
    assert_eq!(found["models"]["b\""]["calls"], 2);
    assert_eq!(
        (&found["keys"]["k-1"]["calls"], &found["keys"]["k-2"]["calls"]),
        (&json!(4), &json!(2))
    );
}
