//! Client options as arguments, and key files.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use super::*;

fn with(options: &[&str]) -> Connection {
    let options = options.iter().map(|&option| option.to_owned()).collect();
    Connection { options, ..Connection::default() }
}

#[test]
fn an_option_is_json_or_text() {
    for (options, expected) in [
        (&[][..], "{}"),
        (&["http2=true"], r#"{"http2":true}"#),
        (&["total_timeout_ms=null"], r#"{"total_timeout_ms":null}"#),
        (&["proxy="], r#"{"proxy":""}"#),
        (&["proxy=http://a:1/?b=c"], r#"{"proxy":"http://a:1/?b=c"}"#),
        (&["proxy=\"http://a\""], r#"{"proxy":"http://a"}"#),
        (&["base_url=1"], r#"{"base_url":"1"}"#),
        (
            &["headers={\"x-a\": \"b\"}", "max_retries= 2"],
            r#"{"headers":{"x-a": "b"},"max_retries":2}"#,
        ),
    ] {
        assert_eq!(with(options).options_json().unwrap(), expected);
    }
}

#[test]
fn a_wrong_option_says_what_to_do() {
    for (option, expected) in [
        ("http2", "--option takes NAME=VALUE, not \"http2\""),
        ("=1", "--option takes NAME=VALUE, not \"=1\""),
        ("api_key=sk-test", "--option api_key: the key must not be an argument"),
        ("client_certificate_pem=x", "--option client_certificate_pem takes @FILE"),
        ("headers={x", "--option headers: the value is not JSON"),
        ("ca_pem=@/none/such", "--option ca_pem: /none/such cannot be read: No such file"),
        ("htp2=true", "--option: unknown option \"htp2\": did you mean \"http2\"?"),
        ("http2=7", "--option: http2 takes true or false. Correct the option; nothing was sent."),
    ] {
        let failure = with(&[option]).config().unwrap_err();
        assert!(failure.message.starts_with(expected), "{}", failure.message);
        assert!(!failure.message.contains("sk-test"));
        assert!(matches!(failure.exit, Exit::Usage | Exit::File));
    }
}

#[test]
fn a_file_of_a_key_has_the_key_alone() {
    let folder = std::env::temp_dir().join(format!("modelwire-key-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("key");
    for (content, expected) in [
        ("sk-test", Ok(())),
        ("sk-test\n", Ok(())),
        ("sk-test\r\n", Ok(())),
        ("", Err("is empty")),
        ("\n", Err("is empty")),
        (" \t\n", Err("has white space only")),
        ("sk-test\n\n", Err("has more than one line")),
        ("sk-test\nsk-test\n", Err("has more than one line")),
        (" sk-test\n", Err("has white space in its line")),
        ("Bearer sk-test", Err("has white space in its line")),
    ] {
        std::fs::write(&file, content).unwrap();
        match (KeySource::File(file.clone()).key(), expected) {
            (Ok(key), Ok(())) => assert_eq!(key, "sk-test"),
            (Err(failure), Err(expected)) => {
                assert!(failure.message.contains(expected), "{content:?}: {}", failure.message);
                assert!(failure.message.contains("key"), "{}", failure.message);
                assert!(!failure.message.contains("sk-test"));
                assert_eq!(failure.exit, Exit::Config);
            }
            (found, expected) => panic!("{content:?}: {found:?}, not {expected:?}"),
        }
    }
    std::fs::write(&file, vec![b'x'; 20_000]).unwrap();
    assert!(
        KeySource::File(file.clone())
            .key()
            .unwrap_err()
            .message
            .contains("is larger than 16384 bytes")
    );
    std::fs::write(&file, b"sk-\xff").unwrap();
    assert!(KeySource::File(file.clone()).key().unwrap_err().message.contains("is not UTF-8 text"));
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(KeySource::File(file.clone()).key().unwrap_err().exit, Exit::File);
}

#[test]
fn a_key_in_place_of_the_name_of_its_file_is_not_shown() {
    for (file, is_shown) in [
        ("sk-test-0123456789", false),
        ("sk-test/0123456789", false),
        ("sk.test.0123456789", false),
        ("/no-such-place/key", true),
        ("../no-such-key", true),
    ] {
        let source = KeySource::File(file.into());
        let message = source.key().unwrap_err().message;
        assert_eq!(message.contains(file), is_shown, "{message}");
        assert_eq!(source.shown().contains(file), is_shown);
    }
}

#[test]
fn a_text_has_no_key_that_was_read() {
    let connection = Connection::default();
    assert_eq!(without_key(Some(&connection), "a sk-test-0123"), "a sk-test-0123");
    let _ = connection.first_key.set("sk-test-0123".to_owned());
    assert_eq!(without_key(Some(&connection), "a sk-test-0123"), "a [key]");
    let connection = Connection::default();
    let _ = connection.first_key.set("none".to_owned());
    assert_eq!(without_key(Some(&connection), "there is none"), "there is none");
}
