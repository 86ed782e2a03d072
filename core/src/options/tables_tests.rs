//! Named options of a client and of a call: what they set, and what they reject.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

use super::*;
use crate::options::retry_policy::RetryPolicy;

fn set(json: &str) -> Result<Config> {
    let mut config = Config::new();
    config.set_options(json).map(|()| config)
}

#[test]
fn options_are_set_by_name() {
    let config = set(r#"{"base_url":"http://h/v1","api_key":"sk-test","headers":{"x-a":"b"},
        "idle_timeout_ms":5,"connect_timeout_ms":null,"headers_max":7,"retry_statuses":[429,503],
        "max_retries":9,"retry_first_wait_ms":0,"retry_jitter":0.5,"retry_connect_errors":true,
        "retry_lost_connections":true,"retry_after_max_ms":1000,"retry_adaptive":true,
        "retry_wait_max_ms":3000,"retry_first_byte_timeouts":true,"retry_after_exact":true,
        "pings_reset_idle":true,"stream_only":true}"#)
    .unwrap();
    let settings = config.validate().unwrap();
    assert_eq!(settings.base_url.as_str(), "http://h/v1");
    assert_eq!(settings.headers, [("x-a".to_owned(), "b".to_owned())]);
    assert!(settings.stream_only && !settings.http2);
    let idle = Timeouts::default().idle(Duration::from_millis(5)).connect(None);
    assert_eq!(settings.timeouts, idle.pings_reset_idle(true));
    assert_eq!(settings.limits, Limits::default().headers_max(7));
    let retry = RetryPolicy::default().max_retries(9).first_wait(Duration::ZERO).jitter(0.5);
    let retry = retry.statuses(vec![429, 503]).connect_errors(true).lost_connections(true);
    let retry = retry.adaptive(true).wait_max(Duration::from_secs(3));
    let retry = retry.first_byte_timeouts(true).retry_after_exact(true);
    assert_eq!(settings.retry, retry.retry_after_max(Duration::from_secs(1)));
}

/// Every option rejects a value of a kind that it does not take, and shows nothing of it.
#[test]
fn a_value_of_the_wrong_kind_is_refused_and_not_shown() {
    let timeouts = Timeouts::ALL.iter().map(|timeout| timeout.name.to_owned() + TIMEOUT_MS);
    let limits = Limits::ALL.iter().map(|limit| limit.name.to_owned());
    let own = OF_CLIENT.iter().chain(OF_RETRIES).map(|option| option.name.to_owned());
    for name in own.chain(timeouts).chain(limits) {
        for wrong in [r#"["sk-secret"]"#, r#"{"sk-secret":7}"#, "-1.5"] {
            if name == "base_urls" && wrong.starts_with('[') {
                continue; // the right kind, and checked when a client is made
            }
            let error = set(&format!(r#"{{"{name}":{wrong}}}"#)).unwrap_err();
            assert!(error.message().starts_with(&format!("{name} takes ")), "{error}");
            assert!(!error.report().contains("secret"), "{error:?}");
        }
    }
}

#[test]
fn what_is_refused_changes_nothing() {
    let mut config = set(r#"{"headers_max":7}"#).unwrap();
    for json in [
        r#"{"headers_max":8,"events_max":1}"#,
        r#"{"headers_max":8,"event_bytes_max":0}"#,
        r#"{"headers_max":8,"idle_timeout_ms":0}"#,
        r#"{"headers_max":8,"http2":1}"#,
        "[]",
        "{",
    ] {
        let before = format!("{config:?}");
        config.set_options(json).unwrap_err();
        assert_eq!(format!("{config:?}"), before, "{json}");
    }
    let error = config.set_options(r#"{"event_max":1}"#).unwrap_err();
    assert!(error.hint().contains("event_bytes_max") && error.hint().contains("http2"));
}

/// Bindings could not reach a part of the retry policy without an option.
#[test]
fn every_part_of_the_retry_policy_has_its_option() {
    for part in RetryPolicy::NAMES {
        let found = OF_RETRIES.iter().any(|option| {
            let name = option.name.trim_end_matches("_ms");
            name == *part || name == format!("retry_{part}")
        });
        assert!(found, "no option for RetryPolicy::{part}");
    }
}

fn set_of(json: &str) -> Result<CallOptions> {
    let mut call = CallOptions::default();
    call.set(json).map(|()| call)
}

fn settings() -> crate::options::config::Settings {
    let retry = RetryPolicy::default().max_retries(7).statuses(vec![503]);
    let config = Config::new().base_url("http://h/v1").api_key("sk-client").retry(retry);
    config.validate().unwrap()
}

#[test]
fn options_of_a_call_are_set_by_name() {
    let call = set_of(
        r#"{"headers":{"x-a":"b","x-c":"d"},"without_headers":["x-e"],"query":{"q":"1 2"},
        "api_key":" sk-c\u0061ll ","stream_only":true,"gather":true,"pings_reset_idle":true,
        "pool_timeout_ms":1,"first_byte_timeout_ms":2,"idle_timeout_ms":null,
        "total_timeout_ms":4}"#,
    )
    .unwrap();
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(call.headers, [pair("x-a", "b"), pair("x-c", "d")]);
    assert_eq!(call.without_headers, ["x-e"]);
    assert_eq!(call.query, [pair("q", "1 2")]);
    assert_eq!(*call.api_key().unwrap().bearer(), "Bearer sk-call");
    assert_eq!((call.stream_only, call.gather), (Some(true), Some(true)));
    let ms = Duration::from_millis;
    let timeouts = Timeouts::default().pool(ms(1)).first_byte(ms(2)).idle(None).total(ms(4));
    assert_eq!(call.timeouts.over(Timeouts::default()), timeouts.pings_reset_idle(true));
    assert_eq!(*call.retry(&settings()), settings().retry, "the client's");
}

/// A call changes only the named parts of the client's policy.
#[test]
fn a_part_of_the_retry_policy_is_changed_alone() {
    let mut call = set_of(r#"{"max_retries":2,"retry_jitter":0}"#).unwrap();
    let expected = settings().retry.max_retries(2).jitter(0.0);
    assert_eq!(*call.retry(&settings()), expected);
    call.set(r#"{"retry_connect_errors":true,"max_retries":4}"#).unwrap();
    assert_eq!(*call.retry(&settings()), expected.clone().max_retries(4).connect_errors(true));
    call.retry = RetryPolicy::default().into();
    assert_eq!(*call.retry(&settings()), RetryPolicy::default(), "a whole policy is that");
    call.set(r#"{"retry_statuses":[]}"#).unwrap();
    assert_eq!(*call.retry(&settings()), RetryPolicy::default().statuses(Vec::new()));
}

#[test]
fn every_option_of_a_call_refuses_what_it_does_not_take() {
    for name in names_of_call() {
        for wrong in [r#"[["sk-secret"]]"#, r#"{"a":["sk-secret"]}"#, "-1.5"] {
            let error = set_of(&format!(r#"{{"{name}":{wrong}}}"#)).err().unwrap();
            assert_eq!(error.kind(), crate::answer::error_kind::ErrorKind::Argument);
            assert!(error.message().starts_with(&format!("{name} takes ")), "{error}");
            assert!(!error.report().contains("secret"), "{error:?}");
        }
    }
}

/// Values are checked at once, and not shown.
#[test]
fn refused_options_of_a_call_change_nothing() {
    let mut call = set_of(r#"{"max_retries":2}"#).unwrap();
    for (json, said, hinted) in [
        ("", "the options are not JSON", ""),
        (r#"["sk-secret"]"#, "not an object", ""),
        (r#"{"max_retries":9,"idle_timeout_ms":0}"#, "idle_timeout is zero", "null"),
        (r#"{"max_retries":9,"retry_jitter":1.5}"#, "retry_jitter takes a number", ""),
        (r#"{"max_retries":9,"retry_wait_max_ms":99999999999}"#, "retry_wait_max", ""),
        (r#"{"max_retries":9,"headers":{"a b":"sk-secret"}}"#, "not a header name", ""),
        (r#"{"max_retries":9,"headers":{"host":"sk-secret"}}"#, "header host", "sets it itself"),
        (r#"{"max_retries":9,"without_headers":["Host"]}"#, "header Host", "sets it itself"),
        (r#"{"max_retries":9,"api_key":"Bearer sk-secret"}"#, "begins with", "leave out the word"),
        (r#"{"max_retries":9,"api_key":"sk-secret part"}"#, "at byte 9", "control panel"),
        (
            r#"{"max_retries":9,"connect_timeout_ms":5}"#,
            "only an option of the client",
            "idle_timeout_ms",
        ),
        (
            r#"{"max_retries":9,"base_url":"sk-secret"}"#,
            "only an option of the client",
            "max_retries",
        ),
        (r#"{"max_retries":9,"headers_max":5}"#, "only an option of the client", "without_headers"),
        (r#"{"max_retries":9,"sk":"sk-secret"}"#, "unknown option", "without_headers"),
    ] {
        let error = call.set(json).unwrap_err();
        assert_eq!(error.kind(), crate::answer::error_kind::ErrorKind::Argument, "{json}");
        assert!(error.message().contains(said), "{json}: {error}");
        assert!(error.hint().to_lowercase().contains(hinted), "{json}: {}", error.hint());
        assert!(!error.report().contains("secret"), "{error:?}");
        assert_eq!(call.retry(&settings()).max_retries, 2, "{json}");
    }
}

#[test]
fn an_unknown_option_gets_a_suggestion() {
    for (name, meant) in [
        ("idle_timeout", "idle_timeout_ms"),
        ("timeout_total_ms", "total_timeout_ms"),
        ("retries_max", "max_retries"),
        ("retry_status", "retry_statuses"),
        ("header", "headers"),
        ("apikey", "api_key"),
    ] {
        let json = format!(r#"{{"{name}":1}}"#);
        for error in [set(&json).unwrap_err(), set_of(&json).err().unwrap()] {
            let said = format!("unknown option {name:?}: did you mean {meant:?}?");
            assert_eq!(error.message(), said);
            assert!(error.hint().contains("retry_adaptive, "), "{}", error.hint());
        }
    }
    let error = set(r#"{"gather":true}"#).unwrap_err();
    assert_eq!(error.message(), "gather is only an option of a call");
    let long = format!(r#"{{"{}":1}}"#, "é".repeat(10_000));
    assert!(set(&long).unwrap_err().message().len() < 200);
}

#[test]
fn a_key_in_a_name_is_not_shown() {
    let key = "sk-test-0123456789";
    let mut shown = Vec::new();
    for (rest, said) in [
        (format!(r#""{key}":1"#), r#"unknown option "[key]""#),
        (format!(r#""a{key}b":1"#), r#"unknown option "a[key]b""#),
        (format!(r#""{}{key}":1"#, "a".repeat(60)), "unknown option"),
        (format!(r#""headers":{{"{key} a":"b"}}"#), "not a header name"),
        (format!(r#""headers":{{"{key}":"a\n"}}"#), "header"),
        (format!(r#""without_headers":["{key} a"]"#), "not a header name"),
        (format!(r#""query":{{"{key}":1}}"#), "query"),
        (format!(r#""retry_jitter":"{key}""#), "retry_jitter takes"),
    ] {
        for json in
            [format!(r#"{{"api_key":"{key}",{rest}}}"#), format!(r#"{{{rest},"api_key":"{key}"}}"#)]
        {
            let client = set(&json).and_then(|config| config.base_url("http://a/v1").validate());
            for error in [client.err(), set_of(&json).err()].into_iter().flatten() {
                let only_there = error.message().contains("only an option");
                if !(error.message().contains(said) || only_there)
                    || error.message().contains("sk-test-")
                {
                    shown.push(format!("{json}: {}", error.message()));
                }
            }
        }
    }
    assert_eq!(shown, Vec::<String>::new());
}
