//! Environments, and the proxy that each selects.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
use super::*;
use crate::doctor::report::State;

fn looked(url: &str, option: Option<&str>, set: &[(&str, &str)]) -> (Finding, Option<Hop>) {
    let variables =
        |name: &str| set.iter().find(|(one, _)| *one == name).map(|(_, value)| (*value).to_owned());
    look(&Url::parse(url).unwrap(), option, &variables)
}

const FAR: &str = "https://host.example/v1";

#[test]
fn the_proxy_is_named_with_the_variable_that_says_so() {
    for (url, option, set, says, hop) in [
        (FAR, None, &[][..], "none", "host.example:443"),
        ("http://host.example/v1", None, &[], "none", "host.example:80"),
        (
            FAR,
            None,
            &[("HTTPS_PROXY", "http://p.example:3128")],
            "http://p.example:3128 from HTTPS_PROXY",
            "p.example:3128",
        ),
        (FAR, None, &[("https_proxy", "http://p.example")], "from https_proxy", "p.example:80"),
        (FAR, None, &[("ALL_PROXY", "socks5h://p.example")], "from ALL_PROXY", "p.example:1080"),
        (FAR, None, &[("HTTPS_PROXY", "p.example:3128")], "from HTTPS_PROXY", "p.example:3128"),
        (FAR, None, &[("HTTP_PROXY", "http://p.example:3128")], "none", "host.example:443"),
        (
            FAR,
            None,
            &[("HTTPS_PROXY", "http://p.example:3128"), ("NO_PROXY", "host.example")],
            "none: NO_PROXY names this host (HTTPS_PROXY is set)",
            "host.example:443",
        ),
        (
            "http://127.0.0.1:8/v1",
            None,
            &[("HTTP_PROXY", "http://p.example:3128")],
            "none (HTTP_PROXY is set; loopback bypasses it)",
            "127.0.0.1:8",
        ),
        (
            FAR,
            Some(""),
            &[("HTTPS_PROXY", "http://p.example:3128")],
            "none: the option",
            "host.example:443",
        ),
        (
            "http://127.0.0.1:8/v1",
            Some("http://p.example:1"),
            &[],
            "the option proxy",
            "p.example:1",
        ),
    ] {
        let (finding, found) = looked(url, option, set);
        assert_eq!(finding.state, State::Ok, "{finding:?}");
        assert!(finding.saw.contains(says), "{finding:?}");
        let found = found.unwrap();
        assert_eq!(format!("{}:{}", found.host, found.port), hop, "{finding:?}");
        assert_eq!(found.is_proxy, hop.starts_with("p."), "{finding:?}");
    }
}

#[test]
fn a_password_is_not_shown() {
    for (option, set) in [
        (None, &[("HTTPS_PROXY", "http://name:secret-word@p.example:3128")][..]),
        (None, &[("ALL_PROXY", "socks5://name:secret-word@p.example:3128")][..]),
        (Some("http://name:secret-word@p.example:3128"), &[][..]),
        (Some("http://name:secret-word@"), &[][..]),
    ] {
        let (finding, _) = looked(FAR, option, set);
        assert!(!finding.saw.contains("secret-word"), "{finding:?}");
        assert!(!finding.saw.contains("name:"), "{finding:?}");
    }
}

#[test]
fn a_malformed_proxy_url_is_reported() {
    let (finding, hop) = looked(FAR, Some("nothing"), &[]);
    assert_eq!((finding.fault, hop), (Some(Fault::ProxyMalformed), None));
    let (finding, hop) = looked(FAR, None, &[("HTTPS_PROXY", "http://")]);
    assert_eq!(finding.fault, Some(Fault::ProxyMalformed), "{finding:?}");
    assert!(hop.is_none_or(|hop| !hop.is_proxy));
}
