//! Rate limit headers in the spellings of services, and random ones.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

use super::*;

/// 2026-01-02T03:04:05Z.
const NOW: u64 = 1_767_323_045;

fn read(headers: &[(&str, &str)]) -> Option<RateLimits> {
    let headers: Vec<(String, String)> =
        headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    RateLimits::read(&headers, UNIX_EPOCH + Duration::from_secs(NOW))
}

fn limit(limit: u64, remaining: u64, reset_ms: u64) -> RateLimit {
    let reset = Some(Duration::from_millis(reset_ms));
    RateLimit { limit: Some(limit), remaining: Some(remaining), reset }
}

#[test]
fn limits_in_the_spellings_of_services() {
    let found = read(&[
        ("x-ratelimit-limit-requests", "60"),
        ("X-RateLimit-Remaining-Requests", " 59 "),
        ("x-ratelimit-reset-requests", "1s"),
        ("x-ratelimit-limit-tokens", "150000"),
        ("x-ratelimit-remaining-tokens", "149984"),
        ("x-ratelimit-reset-tokens", "6m0s"),
        ("x-ratelimit-limit-input-tokens", "3"),
        ("x-ratelimit-limit-tokens-per-day", "4"),
        ("retry-after-ms", "20"),
    ]);
    let found = found.unwrap();
    assert_eq!(found.requests, limit(60, 59, 1000));
    assert_eq!(found.tokens, limit(150_000, 149_984, 360_000));
    assert_eq!(found.others["input_tokens"].limit, Some(3));
    assert_eq!(found.others["tokens_per_day"].limit, Some(4));
    assert_eq!(found.retry_after, Some(Duration::from_millis(20)));

    let found = read(&[
        ("anthropic-ratelimit-requests-limit", "60"),
        ("anthropic-ratelimit-requests-remaining", "59"),
        ("anthropic-ratelimit-requests-reset", "2026-01-02T03:04:06Z"),
        ("anthropic-ratelimit-input-tokens-limit", "5"),
        ("anthropic-ratelimit-input-tokens-remaining", "4"),
        ("anthropic-ratelimit-input-tokens-reset", "2026-01-02T05:04:06.5+02:00"),
    ]);
    let found = found.unwrap();
    assert_eq!(found.requests, limit(60, 59, 1000));
    assert_eq!(found.others["input_tokens"], limit(5, 4, 1500));

    let of_requests = [
        ("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"),
        ("x-rate-limit-limit", "x-rate-limit-remaining", "x-rate-limit-reset"),
    ];
    for (all, left, reset) in of_requests {
        let found = read(&[(all, "60, 60;w=60"), (left, "59"), (reset, "1")]).unwrap();
        assert_eq!(found.requests, limit(60, 59, 1000));
    }
    let found = read(&[("ratelimit", "limit=60, remaining=59, reset=1")]).unwrap();
    assert_eq!(found.requests, limit(60, 59, 1000));
    let found = read(&[
        ("ratelimit-policy", "\"requests\";q=60;w=60, \"by-hour\";q=7;w=3600"),
        ("ratelimit", "\"requests\";r=59;t=1, \"by-hour\";r=6;t=2"),
    ]);
    let found = found.unwrap();
    assert_eq!(found.requests, limit(60, 59, 1000));
    assert_eq!(found.others["by_hour"], limit(7, 6, 2000));
}

#[test]
fn times_of_a_reset() {
    let from = UNIX_EPOCH + Duration::from_secs(NOW);
    let ms = |text| reset(text, from).map(|time| time.as_millis());
    for (text, expected) in [
        ("6m0s", 360_000),
        ("1h2m", 3_720_000),
        ("1s", 1000),
        ("20ms", 20),
        ("1.5s", 1500),
        ("2d", 172_800_000),
        ("250us", 0),
        ("12", 12_000),
        ("0.25", 250),
        ("0", 0),
        ("1767323046", 1000),
        ("1767323046500", 1500),
        ("1767323000", 0),
        ("2026-01-02T03:04:06Z", 1000),
        ("2026-01-02t03:04:06.25z", 1250),
        ("2026-01-01T22:04:06-05:00", 1000),
        ("2020-02-29T00:00:00Z", 0),
        ("2026-01-02T08:34:06+05:30", 1000),
        ("2026-01-01T21:34:06-05:30", 1000),
        ("2026-01-02T03:04:60Z", 55_000),
        ("1h1000000ns", 3_600_001),
        ("Fri, 02 Jan 2026 03:04:06 GMT", 1000),
    ] {
        assert_eq!(ms(text), Some(expected), "{text:?}");
    }
    for text in [
        "",
        "soon",
        "-1",
        "1x",
        "s",
        "1s2",
        "1..2s",
        "inf",
        "nan",
        "1e400",
        "2026-13-01T00:00:00Z",
        "2026-01-02",
        "2026-01-02T03:04:06",
        "2026-01-02T03:04:06+5",
        "9999-01-01T00:00:00Z",
        "+1",
        "99999999999999999999d",
        "9007199254740993",
        "é",
        "2026-01-0éT03:04:06Z",
        "2026/01-02T03:04:06Z",
        "2026-01/02T03:04:06Z",
        "2026-01-02_03:04:06Z",
        "2026-01-02T03.04:06Z",
        "2026-01-02T03:04.06Z",
        "2026-01-32T03:04:06Z",
        "2026-01-02T24:04:06Z",
        "2026-01-02T03:60:06Z",
        "2026-01-02T03:04:61Z",
        "2026-01-02T03:04:06+0530",
        "2026-01-02T03:04:06+05-30",
        "2026-01-02T03:04:06+05:300",
    ] {
        assert_eq!(ms(text), None, "{text:?}");
    }
}

#[test]
fn a_wait_is_read_from_the_header_that_has_one() {
    let wait = |ms: Option<&'static str>, after: Option<&'static str>| {
        let header = |name: &str| match name {
            "retry-after-ms" => ms,
            "retry-after" => after,
            _ => None,
        };
        retry_after(header, UNIX_EPOCH)
    };
    let seconds = |number| Some(Duration::from_secs(number));
    assert_eq!(wait(Some("3000"), Some("2")), seconds(3));
    assert_eq!(wait(Some("soon"), Some("2")), seconds(2));
    assert_eq!(wait(Some(""), Some("2")), seconds(2));
    assert_eq!(wait(Some("99999999999999999999"), Some("2")), Some(Duration::MAX));
    assert_eq!(wait(None, Some("99999999999999999999")), Some(Duration::MAX));
    assert_eq!(wait(None, Some("-1")), None);
    assert_eq!(wait(None, Some("Thu, 01 Jan 1970 00:00:05 GMT")), seconds(5));
}

#[test]
fn a_count_is_a_whole_number() {
    for (text, expected) in [
        ("60", Some(60)),
        ("60.0", Some(60)),
        ("60;w=1", Some(60)),
        ("60.x", None),
        ("+60", None),
        (".5", None),
        ("", None),
    ] {
        assert_eq!(count(text), expected, "{text:?}");
    }
}

/// By the calendar of another parser: each day of some years, leap years of each kind among them.
#[test]
fn days_of_every_kind_of_year() {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    for year in [1970, 1999, 2000, 2023, 2024, 2100, 2400] {
        let first = (year - 1970) * 146_097 / 400;
        for day in first..first + 366 {
            let time = UNIX_EPOCH + Duration::from_secs(day * 86_400 + 3600);
            let text = httpdate::fmt_http_date(time);
            let parts: Vec<_> = text.split(' ').collect();
            let month = 1 + MONTHS.iter().position(|month| *month == parts[2]).unwrap();
            let text = format!("{}-{month:02}-{}T01:00:00Z", parts[3], parts[1]);
            assert_eq!(date(&text), Some(time), "{text}");
        }
    }
}

/// Counted from the service's own clock, if it is known.
#[test]
fn a_time_is_counted_from_the_answers_date() {
    let found = read(&[
        ("date", "Fri, 02 Jan 2026 02:04:05 GMT"),
        ("x-ratelimit-reset-requests", "2026-01-02T02:04:06Z"),
    ]);
    assert_eq!(found.unwrap().requests.reset, Some(Duration::from_secs(1)));
}

#[test]
fn unreadable_headers_are_ignored() {
    assert_eq!(read(&[]), None);
    for headers in [
        [("x-ratelimit-limit-requests", "many")],
        [("x-ratelimit-limit-requests", "-1")],
        [("x-ratelimit-limit-requests", "99999999999999999999999")],
        [("x-ratelimit-reset-requests", "soon")],
        [("x-ratelimit-unlimited", "1")],
        [("notratelimit-limit", "1")],
        [("ratelimit", ";;,=,\"")],
        [("retry-after", "soon")],
    ] {
        assert_eq!(read(&headers), None, "{headers:?}");
    }
    let many: Vec<(String, String)> = (0..OTHER_LIMITS_MAX + 5)
        .map(|at| (format!("x-ratelimit-limit-n{at}"), "1".to_owned()))
        .collect();
    let found = RateLimits::read(&many, UNIX_EPOCH).unwrap();
    assert_eq!(found.others.len(), OTHER_LIMITS_MAX);
}

/// Whatever a service sends, nothing panics, and results are within the limits.
#[test]
fn any_header_is_read_or_absent() {
    const PIECES: [&str; 30] = [
        "1",
        "0",
        "9999999999",
        "1767323046",
        ".",
        ":",
        "-",
        "+",
        "T",
        "Z",
        "2026-01-02",
        "03:04:05",
        "h",
        "m",
        "s",
        "ms",
        ";",
        ",",
        "=",
        "\"",
        "q=",
        "r=1",
        "t=",
        " ",
        "é",
        "limit",
        "reset",
        "remaining",
        "e9",
        "\u{fffd}",
    ];
    let names =
        ["x-ratelimit-limit-a", "ratelimit", "ratelimit-policy", "x-ratelimit-reset-requests"];
    let names =
        names.into_iter().chain(["retry-after", "ratelimit-reset", "a-ratelimit-b-remaining"]);
    let names: Vec<&str> = names.collect();
    let mut seed = 7_u64;
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    let mut found_any = 0;
    for _ in 0..20_000 {
        let value: String = (0..next(9)).map(|_| PIECES[next(PIECES.len())]).collect();
        let name = names[next(names.len())];
        let Some(found) = read(&[(name, &value)]) else { continue };
        found_any += 1;
        let all = [found.requests, found.tokens].into_iter().chain(found.others.into_values());
        assert!(all.into_iter().all(|one| one.reset.is_none_or(|time| time <= RESET_MAX)));
    }
    assert!(found_any > 100, "{found_any}");
}
