//! Where a 307 or 308 leads, and where no redirect may: another origin never sees the key.

use modelwire::{Client, Error, ErrorKind, Metered};
use modelwire_testing::{Exchange, Script, Service};

use crate::support::{CHAT_ANSWER, DONE, WAYS, client, config, hello, piece};

fn moved(status: u16, location: &str) -> Exchange {
    Exchange::json_with_headers(status, &[("Location", location)], "moved")
}

/// The same method, body and headers go where the service points within its origin; a relative
/// place counts from the URL that was asked.
#[test]
fn a_redirect_within_the_origin_is_followed() {
    let service = Service::start().unwrap();
    let target = service.script("target", Script::one(Exchange::json(200, CHAT_ANSWER)));
    let whole = format!("{target}/chat/completions");
    let places = [
        "../../../target/v1/chat/completions",
        "/scripts/target/v1/chat/completions?page=2",
        whole.as_str(),
    ];
    for status in [307, 308] {
        for place in places {
            let base_url = service.script("start", Script::one(moved(status, place)));
            let client = Client::new(config(base_url).header("x-tenant", "t")).unwrap();
            service.clear();
            for way in WAYS {
                let answer = way.send(&client, hello()).expect(place);
                assert_eq!(answer.text(), "Yes.");
            }
            let (asked, followed) = (service.recorded("start"), service.recorded("target"));
            assert_eq!((asked.len(), followed.len()), (2, 2), "{place}");
            for (asked, followed) in asked.iter().zip(&followed) {
                assert_eq!(followed.method, "POST");
                assert_eq!(followed.body, asked.body);
                assert_eq!(followed.headers, asked.headers);
                assert_eq!(followed.header("authorization"), Some("Bearer sk-test"));
                assert_eq!(followed.header("x-tenant"), Some("t"));
                assert_eq!(followed.target.contains("?page=2"), place.contains('?'));
            }
        }
    }
}

/// Streams and lists are followed alike.
#[test]
fn streams_and_lists_follow_redirects() {
    let service = Service::start().unwrap();
    service.script("stream", Script::one(Exchange::events(&[&piece("a"), DONE])));
    let place = "/scripts/stream/v1/chat/completions";
    let streaming = client(service.script("a", Script::one(moved(307, place))));
    service.script("list", Script::one(Exchange::json(200, r#"[{"id":"m"}]"#)));
    let listing = client(service.script("b", Script::one(moved(308, "/scripts/list/v1/models"))));
    for way in WAYS {
        assert_eq!(way.read(&streaming, hello()).text(), "a");
        assert!(way.models(&listing).unwrap().json().contains("\"m\""));
    }
    let followed = service.recorded("list");
    assert!(followed.iter().all(|sent| sent.method == "GET" && sent.body.is_empty()));
}

/// A place counts from the last URL that was asked, not from the first.
#[test]
fn a_chain_of_relative_places_is_followed() {
    let service = Service::start().unwrap();
    service.script("c", Script::one(Exchange::json(200, CHAT_ANSWER)));
    service.script("b", Script::one(moved(308, "../../c/v1/chat")));
    let first = service.script("a", Script::one(moved(307, "../../../b/v1/chat")));
    let client = client(first);
    for way in WAYS {
        assert_eq!(way.send(&client, hello()).unwrap().text(), "Yes.");
    }
    assert_eq!(service.recorded("c").len(), 2);
    assert_eq!(service.recorded("c")[0].target, "/scripts/c/v1/chat");
}

fn refused(client: &Client, check: impl Fn(&Error)) {
    for way in WAYS {
        check(&way.send(client, hello()).unwrap_err());
        check(way.read(client, hello()).error());
    }
}

/// Neither another port nor another scheme nor another name is the same origin.
#[test]
fn the_key_never_reaches_another_origin() {
    let (service, other) = (Service::start().unwrap(), Service::start().unwrap());
    let other_port = other.base_url();
    let own = service.base_url();
    let places = [
        format!("{other_port}/chat/completions"),
        format!("//{}/v1/chat/completions", other.address()),
        format!("{}/chat/completions", own.replace("http:", "https:")),
        format!("{}/chat/completions", own.replace("127.0.0.1", "localhost")),
    ];
    for status in [301, 302, 303, 307, 308] {
        for place in &places {
            let client = client(service.script("s", Script::one(moved(status, place))));
            refused(&client, |error| {
                assert_eq!((error.kind(), error.status()), (ErrorKind::Status, Some(status)));
                assert!(error.message().contains(place.as_str()), "{error:?}");
                assert!(error.hint().contains("base_url"), "{error:?}");
            });
            assert_eq!(service.recorded("s").len(), 4);
        }
    }
    assert_eq!((other.connections(), service.recorded("").len()), (0, 0));
}

/// What would change the method is not followed, not even at home.
#[test]
fn a_redirect_that_changes_the_method_is_an_error() {
    let service = Service::start().unwrap();
    service.script("target", Script::one(Exchange::json(200, CHAT_ANSWER)));
    let place = "/scripts/target/v1/chat/completions";
    for status in [300, 301, 302, 303, 304, 305] {
        let client = client(service.script("s", Script::one(moved(status, place))));
        refused(&client, |error| {
            assert_eq!((error.kind(), error.status()), (ErrorKind::Status, Some(status)));
            assert!(error.message().contains(place), "{error:?}");
        });
    }
    let client = client(service.script("s", Script::one(Exchange::json(307, "nowhere"))));
    refused(&client, |error| {
        assert_eq!((error.kind(), error.status()), (ErrorKind::Status, Some(307)));
        assert_eq!(error.message(), "nowhere");
    });
    assert!(service.recorded("target").is_empty());
}

/// What answered before the redirect may have been accepted.
#[test]
fn a_key_refused_after_a_redirect_may_have_been_accepted_before() {
    let service = Service::start().unwrap();
    let refusal = || Script::one(Exchange::json(401, "{\"error\":{\"message\":\"no\"}}"));
    service.script("target", refusal());
    let at_once = client(service.script("at_once", refusal()));
    let place = "/scripts/target/v1/chat/completions";
    let after = client(service.script("s", Script::one(moved(307, place))));
    for (client, metered) in [(at_once, Metered::NormallyNot), (after, Metered::Unknown)] {
        refused(&client, |error| {
            assert_eq!((error.status(), error.metered()), (Some(401), metered), "{error:?}");
        });
    }
}

/// The bound is named, and so is the place where it goes in circles.
#[test]
fn a_loop_of_redirects_ends_and_names_its_place() {
    let service = Service::start().unwrap();
    let place = "/scripts/s/v1/chat/completions";
    let client = client(service.script("s", Script::one(moved(307, place))));
    refused(&client, |error| {
        assert_eq!(error.kind(), ErrorKind::Protocol, "{error:?}");
        assert!(error.message().contains("REDIRECTS_MAX = 5"), "{error:?}");
        assert!(error.message().contains(place), "{error:?}");
    });
    // Each way calls twice: the request itself, and five redirects that are followed.
    assert_eq!(service.recorded("s").len(), 2 * WAYS.len() * 6);
}
