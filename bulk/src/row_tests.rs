//! Names of rows, and which failures may be metered.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

use modelwire::Endpoint;

use modelwire::{Client, Config, Request, RetryPolicy};
use modelwire_testing::{Reply, Says, Service};

use super::*;

#[test]
fn a_name_is_the_sha_256_of_operation_and_body() {
    // printf '/chat/completions\n{}' | sha256sum
    let hash = BodyHash::of(Endpoint::Chat, "{}");
    let key = hash.key(7);
    assert_eq!(key.text(), "sha256-89e73d64f559e9bd92f59e3ca37f93d1-7");
    assert_eq!((key.check(), hash.check()), (0x0a37_f93d, 0x0a37_f93d));
    assert_eq!(BodyHash::of_key(key.text(), key.check()), Some((hash, 7)));
    assert_ne!(hash, BodyHash::of(Endpoint::Responses, "{}"));
    assert_ne!(hash, BodyHash::of(Endpoint::Chat, "{ }"));
}

#[test]
fn a_key_that_only_looks_generated_is_not_one() {
    let hash = BodyHash::of(Endpoint::Chat, "{}");
    let name = hash.key(0).text().to_owned();
    assert_eq!(BodyHash::of_key(&name, hash.check()), Some((hash, 0)));
    assert_eq!(BodyHash::of_key(&name, hash.check() ^ 1), None, "another body's check");
    let digits = &name[HASH_PREFIX.len()..name.len() - 2];
    for other in [
        "",
        "a",
        "sha256-",
        "sha256-1-0",
        &format!("sha256-{digits}"),
        &format!("sha256-{digits}-"),
        &format!("sha256-{digits}-+1"),
        &format!("sha256-{digits}-01"),
        &format!("sha256-{digits}-x"),
        &format!("sha256-{digits}-4294967296"),
        &format!("sha256-{}-0", digits.to_uppercase()),
        &format!("sha256-+{}-0", &digits[1..]),
        &format!("sha256-{}é-0", &digits[1..]),
    ] {
        assert_eq!(BodyHash::of_key(other, hash.check()), None, "{other}");
    }
}

#[test]
fn each_row_is_in_exactly_one_part() {
    for count in [1, 2, 3, 8, 1000] {
        let mut sizes = vec![0; count as usize];
        for row in 0..2000 {
            let id = format!("row-{row}");
            let hash = BodyHash::of(Endpoint::Chat, &id);
            let parts = || (1..=count).map(|index| Shard::new(index, count).unwrap());
            let by_id: Vec<_> = parts().filter(|part| part.has_custom_id(&id)).collect();
            let by_hash = parts().filter(|part| part.has_hash(hash)).count();
            assert_eq!((by_id.len(), by_hash), (1, 1), "{id} of {count}");
            sizes[by_id[0].index as usize - 1] += 1;
        }
        if count <= 8 {
            let even = 2000 / count;
            assert!(
                sizes.iter().all(|size| (even * 7 / 10..=even * 13 / 10).contains(size)),
                "{sizes:?}"
            );
        }
    }
}

#[test]
fn a_part_is_written_as_i_of_n() {
    let check = |text: &str, expected: Option<(u32, u32)>| {
        let part = text.parse::<Shard>();
        assert_eq!(part.as_ref().ok().map(|part| (part.index, part.count)), expected, "{text}");
        if let Err(message) = part {
            assert!(message.contains(&format!("{text:?}")) && message.contains("i/n"), "{message}");
        }
    };
    check("1/1", Some((1, 1)));
    check("2/8", Some((2, 8)));
    for wrong in ["", "1", "0/4", "5/4", "1/0", "a/b", "1/4/2", "-1/4", "1/ 4", "1/99999999999"] {
        check(wrong, None);
    }
}

/// By the service's own meter: rows that are not paid for raise no warning.
#[test]
fn refused_requests_are_not_metered() {
    let service = Service::start().unwrap();
    let config = Config::new().base_url(service.base_url()).api_key("sk-test");
    let client = Client::new(config).unwrap();
    let cases = [
        (429, false),
        (404, false),
        (401, false),
        (400, false),
        (422, false),
        (301, false),
        (402, false),
        (405, false),
        (413, false),
        (408, true),
        (409, true),
        (499, true),
        (500, true),
        (503, true),
    ];
    for (status, may_be) in cases {
        let says = Says::Document { status, headers: Vec::new(), body: b"{}".to_vec() };
        service.queue(vec![Reply { says, faults: Vec::new() }]);
        let request =
            Request::chat("echo").user("Hello").retry(RetryPolicy::default().max_retries(0));
        let error = client.blocking().send(request).unwrap_err();
        assert_eq!(may_be_metered(&error), may_be, "{status} {:?}", error.metered());
    }
}
