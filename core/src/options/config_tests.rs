//! Which configurations are accepted and which are rejected.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

use std::borrow::Cow;
use std::time::Duration;

use super::*;
use crate::answer::error_kind::ErrorKind;
use crate::key_id;

impl Settings {
    /// Those of a client with this key, for unit tests.
    pub(crate) fn for_tests(key: &str) -> Settings {
        given("http://127.0.0.1/v1", key).unwrap()
    }
}

fn given(base_url: &str, key: &str) -> Result<Settings> {
    Config::new().base_url(base_url).api_key(key).validate()
}

#[test]
fn white_space_around_a_key_is_removed() {
    for key in ["sk-test", " sk-test\n", "\u{a0}sk-test\u{2003}", "\tsk-test\r\n"] {
        assert_eq!(
            *given("http://h/v1", key).unwrap().api_key.bearer(),
            "Bearer sk-test",
            "{key:?}"
        );
    }
}

#[test]
fn a_malformed_key_is_refused_and_not_shown() {
    for (key, said) in [
        ("", "empty"),
        (" \n", "empty"),
        ("sk-secret part", "byte 9"),
        ("sk-secret\u{7f}", "byte 9"),
        ("sk-secrét", "byte 7"),
        ("Bearer sk-secret", "Bearer"),
        ("bearer sk-secret", "Bearer"),
    ] {
        let error = given("http://h/v1", key).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Config);
        assert!(error.message().contains(said), "{key:?}: {error}");
        assert!(!error.report().contains("sk-secr"), "{error:?}");
    }
}

#[test]
fn a_key_copied_with_extra_characters_is_explained() {
    for (key, said) in [
        ("\"sk-secret\"", "quotes"),
        ("'sk-secret'", "quotes"),
        ("`sk-secret`", "quotes"),
        ("\u{201c}sk-secret\u{201d}", "quotes"),
        ("\u{2018}sk-secret\u{2019}", "quotes"),
        (" 'sk-secret' ", "quotes"),
        ("sk-secret\"", "quotes"),
        ("'OPENAI_API_KEY=sk-secret'", "quotes"),
        ("<sk-secret>", "angle brackets"),
        ("<API_KEY>", "angle brackets"),
        ("<sk-secret", "angle brackets"),
        ("sk-secret>", "angle brackets"),
        ("OPENAI_API_KEY=sk-secret", "name and an equals sign"),
        ("export OPENAI_API_KEY=sk-secret", "name and an equals sign"),
        ("MODELWIRE_API_KEY = sk-secret", "name and an equals sign"),
        ("OPENAI_API_KEY=\"sk-secret\"", "name and an equals sign"),
        ("api_token=sk-secret==", "name and an equals sign"),
        ("$OPENAI_API_KEY", "variable"),
        ("${OPENAI_API_KEY}", "variable"),
        ("%OPENAI_API_KEY%", "variable"),
        ("{API_KEY}", "variable"),
        ("$env:OPENAI_API_KEY", "variable"),
        ("$(cat key)", "variable"),
        ("Bearer", "alone"),
        ("${OPENAI_API_KEY:-sk-secret}", "variable"),
        ("sk-secr...cret", "incomplete"),
        ("sk-secr\u{2026}cret", "incomplete"),
        ("sk-secr****cret", "incomplete"),
        ("sk-secr\u{2022}\u{2022}cret", "incomplete"),
    ] {
        let error = given("http://h/v1", key).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Config);
        assert!(error.message().contains(said), "{key:?}: {error}");
        assert!(error.hint().contains("control panel"), "{key:?}: {}", error.hint());
        assert!(error.hint().contains("MODELWIRE_API_KEY"), "{key:?}: {}", error.hint());
        for part in [error.report(), format!("{error:?}")] {
            assert!(!part.contains("secr") && !part.contains("cret"), "{part}");
        }
    }
}

#[test]
fn a_key_may_hold_what_keys_hold() {
    // These only look like variables that were not replaced.
    for key in ["$sk-test", "%a-b-cdefg%", "$1abcdefg"] {
        given("http://h/v1", key).unwrap();
    }
    for key in [
        "c2VjcmV0a2V5==",
        "sk-secret=",
        "mykey=",
        "mytokenkey==",
        "sk-key=abc",
        "abc=def=",
        "Zm9v/key+bar==",
        "$2b$10$abc",
        "sk.a..b",
        "a**b",
        "sk/te\"st\\u",
        "a'b<c>d",
        "[key]",
    ] {
        let bearer = given("http://h/v1", key).unwrap().api_key.bearer();
        assert_eq!(*bearer, format!("Bearer {key}"));
    }
}

#[test]
fn the_hint_of_a_refused_key_says_where_it_is_given() {
    for key in ["", "Bearer sk-secret", "sk-secret part", "sk-secret\u{7f}"] {
        let error = given("http://h/v1", key).err().unwrap();
        for place in ["api_key", "MODELWIRE_API_KEY"] {
            assert!(error.hint().contains(place), "{key:?}: {}", error.hint());
        }
    }
}

#[test]
fn a_base_url_is_checked() {
    for (url, said) in [
        ("", "empty"),
        (" ", "empty"),
        ("host/v1", "not a URL"),
        ("ftp://h/v1", "\"ftp\""),
        ("http://user:secret@h/v1", "user information"),
        ("http://secret@h/v1", "user information"),
        ("http://:secret@h/v1", "user information"),
        ("http:///v1", "no host"),
        ("https:/v1", "no host"),
        ("http:v1", "no host"),
        ("http://\\v1", "no host"),
    ] {
        let error = given(url, "sk-test").err().unwrap();
        assert!(error.message().contains(said), "{url:?}: {error}");
        assert!(!error.report().contains("secret"));
    }
}

#[test]
fn the_path_of_a_base_url_ends_in_its_version_once() {
    for (path, fault) in [
        ("/v1", None),
        ("/v1/ ", None),
        ("/api/v1", None),
        ("/v1beta/openai/v1", None),
        ("", Some(PathFault::NoVersion)),
        ("/V1", Some(PathFault::NoVersion)),
        ("/v1/v1", Some(PathFault::VersionTwice)),
        ("/v1/v1/", Some(PathFault::VersionTwice)),
        ("/v1/chat/completions", Some(PathFault::Operation("/chat/completions"))),
        ("/v1/completions", Some(PathFault::Operation("/completions"))),
        ("/v1/models/", Some(PathFault::Operation("/models"))),
        ("/responses", Some(PathFault::Operation("/responses"))),
    ] {
        let settings = given(&format!("http://h{path}"), "sk-test").unwrap();
        assert_eq!(settings.path_fault(), fault, "{path:?}");
    }
}

#[test]
fn loopback_addresses_are_recognized() {
    for (url, loopback) in [
        ("http://127.0.0.2:1/v1", true),
        ("http://[::1]/v1", true),
        ("http://localhost/v1", true),
        ("http://10.0.0.1/v1", false),
        ("http://localhost.example/v1", false),
    ] {
        assert_eq!(given(url, "sk-test").unwrap().is_loopback(), loopback, "{url}");
    }
}

#[test]
fn the_key_is_masked_wherever_it_stands() {
    let settings = given("http://h/v1", "sk-test").unwrap();
    assert_eq!(settings.api_key.redact("a sk-test and sk-test!"), "a [key] and [key]!");
    assert_eq!(settings.api_key.redact("nothing"), "nothing");
    let odd = given("http://h/v1", "sk/a+b").unwrap().api_key;
    for written in ["sk/a+b", "sk\\/a+b", "sk\\/a\\u002bb", "\\u0073k/a\\u002Bb"] {
        assert_eq!(odd.redact(&format!("é {written}\\n {written}")), "é [key]\\n [key]");
    }
    assert_eq!(odd.redact("sk\\/a+bsk\\/a+bsk\\/a+é"), "[key][key]sk\\/a+é");
    for other in ["sk\\/a+ é\\u00", r"s\\\\/a+b", r"sk\\\u0030a+b"] {
        assert_eq!(odd.redact(other), other);
        assert!(matches!(odd.redact(other), Cow::Borrowed(_)), "it is not copied");
    }
    let odd = given("http://h/v1", r"sk\a\b").unwrap().api_key;
    for written in [r"sk\a\b", r"sk\\a\\b", r"sk\u005ca\\b"] {
        assert_eq!(odd.redact(&format!("x{written}x")), "x[key]x");
    }
    assert!(!format!("{:?}", Config::new().api_key("sk-test")).contains("sk-test"));
}

/// As in JSON that is a string of other JSON, in a URL, and in HTML.
#[test]
fn a_key_is_masked_in_every_escape() {
    let key = given("http://h/v1", "sk-test/0+1'2&3").unwrap().api_key;
    for written in [
        r"sk-test\\/0\\u002b1\\u00272\\u00263",
        r"\\\\u0073k-test\\\/0\\\\\\\+1'2&3",
        "sk-test%2F0%2B1%272%263",
        "%73k%2dtest%2f0+1'2%263",
        "sk-test&#x2F;0&#43;1&#39;2&amp;3",
        "sk-test/0&#x0002b;1&apos;2&#x26;3",
    ] {
        assert_eq!(key.redact(&format!("é{written}é")), "é[key]é", "{written}");
    }
    for other in [
        "sk-test%2F0%2B1%272%2",
        "sk-test&#x2F;0&#43;1&#39;2&lt;3",
        "100% & \\",
        r"sk-test\\\\\\\\/0+1'2&3",
    ] {
        assert_eq!(key.redact(other), other);
    }
    let key = given("http://h/v1", "%25&amp;%").unwrap().api_key;
    assert_eq!(key.redact("%25&amp;% %2525%26amp%3B%25"), "[key] [key]");
}

/// A model's output keeps what may be a word, and has no key of eight bytes or more.
#[test]
fn only_what_may_be_a_key_is_masked_in_answers() {
    for (key, masked) in [("sk-12345", true), ("sk-1234", false), ("not needed", false)] {
        let settings = given("http://h/v1", key).unwrap();
        let text = format!("it says {key}.");
        let expected = if masked { "it says [key].".to_owned() } else { text.clone() };
        assert_eq!(settings.api_key.mask_answer(&text), expected, "{key}");
        assert_eq!(settings.api_key.redact(&text), "it says [key].", "{key}");
        let header = Config::new().base_url("http://h/v1").api_key(key).header(key, "\n");
        let error = header.validate().err().unwrap();
        assert_eq!(error.message().contains(key), key.len() < 8, "{error}");
    }
}

#[test]
fn as_many_base_urls_as_the_bound_says() {
    let with = |count: usize| {
        let of = |at| BaseUrl::new(format!("http://h{at}/v1")).api_key("sk-test");
        Config::new().base_urls((0..count).map(of)).validate()
    };
    assert!(with(BASE_URLS_MAX).is_ok());
    let error = with(BASE_URLS_MAX + 1).err().unwrap();
    assert!(error.message().contains("BASE_URLS_MAX = 64"), "{error}");
    let read = set_of_several(r#"[{"url":"http://a/v1","api_key":null},{"url":"http://b/v1"}]"#);
    assert!(read.api_key("sk-test").validate().is_ok(), "null is no key");
}

fn set_of_several(json: &str) -> Config {
    let mut config = Config::new();
    config.set_options(&format!(r#"{{"base_urls":{json}}}"#)).unwrap();
    config
}

#[test]
fn a_location_is_shown_without_secrets() {
    for (location, shown) in [
        ("https://user:secret@h:8/v1/x?token=secret", "https://h:8/v1/x?[query]"),
        ("//user@h", "//h"),
        ("/v1/models?x@y", "/v1/models?[query]"),
        ("http://h/a@b", "http://h/a@b"),
    ] {
        assert_eq!(without_secrets(location), shown);
    }
}

#[test]
fn headers_are_checked() {
    let with = |name: &str, value: &str| {
        Config::new().base_url("http://h/v1").api_key("sk-test").header(name, value).validate()
    };
    assert!(with("X-Team", "blue").is_ok());
    for (name, value, said) in [
        ("", "x", "not a header name"),
        ("a b", "x", "not a header name"),
        ("X-A", "a\nb", "X-A"),
        ("Authorization", "x", "cannot be set"),
    ] {
        assert!(with(name, value).err().unwrap().message().contains(said), "{name:?}");
    }
}

#[test]
fn bounds_are_checked_by_name() {
    let settings = |timeouts, limits| {
        Config::new()
            .base_url("http://h/v1")
            .api_key("k")
            .timeouts(timeouts)
            .limits(limits)
            .validate()
    };
    let zero = Timeouts::default().idle(Some(Duration::ZERO));
    assert!(settings(zero, Limits::default()).err().unwrap().message().contains("idle_timeout"));
    let none = Limits::default().queue_events_max(0);
    assert!(
        settings(Timeouts::default(), none).err().unwrap().message().contains("queue_events_max")
    );
}

#[test]
fn a_key_has_a_name_that_does_not_change() {
    let settings = given("http://h/v1", " sk-test\n").unwrap();
    assert_eq!(settings.api_key.id(), "ff95f1fb950e0b2b"); // by sha256sum
    assert_eq!(key_id("sk-test"), settings.api_key.id());
}

/// The certificates are read where they may be needed, and not for the demo on loopback.
#[test]
fn tls_is_needed_where_a_connection_may_speak_it() {
    let needs = |url: &str, change: fn(Config) -> Config| {
        let config = Config::new().base_url(url).api_key("sk-test");
        change(config).validate().unwrap().needs_tls()
    };
    for (url, is_needed) in
        [("https://h/v1", true), ("http://h/v1", false), ("http://127.0.0.1/v1", false)]
    {
        assert_eq!(needs(url, Config::no_proxy), is_needed, "{url}");
        assert!(needs(url, |config| config.proxy(" HTTPS://proxy:1")), "{url}");
        assert_eq!(needs(url, |config| config.proxy("http://proxy:1")), is_needed, "{url}");
    }
    assert!(!needs("http://127.0.0.1/v1", |config| config), "whatever the environment says");
    for (url, is_needed) in [("http://127.0.0.1/v1", false), ("http://h/v1", true)] {
        let settings = given(url, "sk-test").unwrap();
        for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
            let with = |value: &'static str| {
                settings.needs_tls_in(|asked| (asked == name).then(|| value.to_owned()))
            };
            assert_eq!(with("https://proxy:1"), is_needed, "{url} {name}");
            assert!(!with("http://proxy:1"), "{url} {name}");
        }
    }
}

/// That of the program's runtime, and those of the library's threads.
#[tokio::test(flavor = "multi_thread")]
async fn each_runtime_has_its_own_pool() {
    let home = IoPlace::Default.of_client();
    assert!(matches!(home, IoPlace::Home { .. }));
    let runtime = IoPlace::Runtime(ExternalRuntime::new(tokio::runtime::Handle::current()));
    for (place, pools) in [(home, 4), (runtime, 1), (IoPlace::IoThread, 3), (IoPlace::Default, 3)] {
        assert_eq!(place.pools(|| Ok(3)).unwrap(), pools);
    }
}

#[test]
fn what_is_off_by_default_is_set_by_its_function() {
    let config = || Config::new().base_url("http://h/v1").api_key("sk-test");
    let set = |config: Config| {
        let settings = config.validate().unwrap();
        (settings.http2, settings.chunk_times, settings.stream_only)
    };
    assert_eq!(set(config()), (false, false, false));
    assert_eq!(set(config().http2(true)), (true, false, false));
    assert_eq!(set(config().chunk_times(true)), (false, true, false));
    assert_eq!(set(config().stream_only(true)), (false, false, true));
}
