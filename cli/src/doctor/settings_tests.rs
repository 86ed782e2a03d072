//! Configurations and URLs, and their findings.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
use super::*;
use crate::doctor::report::State;

fn variables<'a>(set: &'a [(&'a str, &'a str)]) -> impl Fn(&str) -> Option<String> + 'a {
    |name| set.iter().find(|(one, _)| *one == name).map(|(_, value)| (*value).to_owned())
}

#[test]
fn the_first_variable_that_is_set_counts() {
    let connection = Connection::default();
    let of = |set: &[(&str, &str)]| base_url(&connection, &variables(set));
    assert_eq!(of(&[]), None);
    assert_eq!(of(&[("MODELWIRE_BASE_URL", "  ")]), None);
    let given = of(&[("MODELWIRE_BASE_URL", " "), ("OPENAI_BASE_URL", "u")]).unwrap();
    assert_eq!((given.from.as_str(), given.beaten), ("OPENAI_BASE_URL", None));
    let given = of(&[("MODELWIRE_BASE_URL", "m"), ("OPENAI_BASE_URL", "u")]).unwrap();
    assert_eq!((given.text.as_str(), given.beaten), ("m", Some("OPENAI_BASE_URL")));
    let given = of(&[("MODELWIRE_BASE_URL", "m"), ("OPENAI_BASE_URL", "m")]).unwrap();
    assert_eq!(given.beaten, None);
}

#[test]
fn arguments_and_options_win_over_variables() {
    let set = [("MODELWIRE_BASE_URL", "variable"), (MODEL_VARIABLE, "of-variable")];
    let options = vec!["base_url=option".to_owned()];
    let mut connection = Connection { options, ..Connection::default() };
    assert_eq!(base_url(&connection, &variables(&set)).unwrap().text, "option");
    connection.base_url = Some("argument".to_owned());
    assert_eq!(base_url(&connection, &variables(&set)).unwrap().from, "--base-url");
    assert_eq!(model(Some("given"), &variables(&set)).unwrap().from, "--model");
    assert_eq!(model(None, &variables(&set)).unwrap().from, MODEL_VARIABLE);
}

#[test]
fn urls_are_judged_by_their_shape() {
    for (url, state, fault, says) in [
        ("https://host.example/v1", State::Ok, None, ""),
        ("https://host.example/v1/", State::Ok, None, ""),
        ("https://host.example:8443/api/v1", State::Ok, None, ""),
        ("http://127.0.0.1:8080/v1", State::Ok, None, ""),
        ("http://[::1]:8080/v1", State::Ok, None, ""),
        ("http://localhost:8080/v1", State::Ok, None, ""),
        ("http://host.example/v1", State::Warning, Some(Fault::KeyUnencrypted), "https://"),
        (
            "https://host.example",
            State::Warning,
            Some(Fault::VersionMissing),
            "https://host.example/v1",
        ),
        (
            "https://host.example//v1",
            State::Warning,
            Some(Fault::SlashesDoubled),
            "https://host.example/v1",
        ),
        ("https://host.example:80/v1", State::Warning, Some(Fault::PortUnusual), "port"),
        ("http://127.0.0.1:443/v1", State::Warning, Some(Fault::PortUnusual), "port"),
        (
            "https://host.example/v1/v1",
            State::Failed,
            Some(Fault::VersionTwice),
            "https://host.example/v1",
        ),
        (
            "https://host.example/v1/chat/completions",
            State::Failed,
            Some(Fault::OperationInPath),
            "Remove /chat/completions: https://host.example/v1",
        ),
        ("https://host.example/v1/models/", State::Failed, Some(Fault::OperationInPath), "/models"),
        ("host.example/v1", State::Failed, Some(Fault::SchemeMissing), "https://host.example/v1"),
        ("localhost:8080/v1", State::Failed, Some(Fault::SchemeMissing), "http://"),
        ("127.0.0.1:8080/v1", State::Failed, Some(Fault::SchemeMissing), "http://"),
        ("ftp://host.example/v1", State::Failed, Some(Fault::BaseUrlMalformed), "https://host/v1"),
        (
            "\"https://host.example/v1\"",
            State::Failed,
            Some(Fault::BaseUrlMalformed),
            "without quotes",
        ),
        (
            "https://name:word@host.example/v1",
            State::Failed,
            Some(Fault::BaseUrlMalformed),
            "Pass the key as api_key",
        ),
        ("https://", State::Failed, Some(Fault::BaseUrlMalformed), "https://host/v1"),
    ] {
        let (finding, _) = look_at_url(Some(&of_argument(url, "--base-url")));
        assert_eq!((finding.state, finding.fault), (state, fault), "{url}: {finding:?}");
        assert!(finding.action.contains(says), "{url}: {finding:?}");
    }
    assert_eq!(look_at_url(None).0.fault, Some(Fault::BaseUrlMissing));
}

#[test]
fn secrets_in_a_url_are_not_shown() {
    for url in [
        "sk-a-secret",
        "https://name:sk-a-secret@host.example/v1",
        "https://host.example/v1?key=sk-a-secret",
        "host.example/v1?key=sk-a-secret",
    ] {
        let (finding, _) = look_at_url(Some(&of_argument(url, "--base-url")));
        let all = format!("{finding:?}");
        assert!(!all.contains("sk-a-secret"), "{all}");
    }
    let (finding, _) = look_at_url(Some(&of_argument("sk-a-secret", "x")));
    assert!(finding.action.contains("wrong variable"), "{finding:?}");
}

/// The client reports an invalid key: see tests/cli/doctor.rs.
#[test]
fn a_missing_key_is_reported() {
    for set in [&[][..], &[("MODELWIRE_API_KEY", "  ")]] {
        let finding = look(&Connection::default(), &variables(set));
        assert_eq!(finding.fault, Some(Fault::KeyMissing), "{finding:?}");
    }
}
