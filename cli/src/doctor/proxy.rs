//! Finds the proxy and the variable that sets it, by the same rules as the client's transport.

use hyper_util::client::proxy::matcher::Matcher;
use url::Url;

use crate::doctor::causes::Fault;
use crate::doctor::report::Finding;
use crate::doctor::settings::{Variables, is_loopback, shown_url};

/// The machine that calls connect to first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hop {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) is_proxy: bool,
}

/// The default port of a proxy.
fn port_of_proxy(scheme: &str) -> u16 {
    match scheme {
        "https" => 443,
        "socks4" | "socks4a" | "socks5" | "socks5h" => 1080,
        _ => 80,
    }
}

/// A direct connection to the service.
pub(crate) fn direct(url: &Url) -> Hop {
    let host = url.host_str().unwrap_or_default().to_owned();
    Hop { host, port: url.port_or_known_default().unwrap_or_default(), is_proxy: false }
}

/// The variables for each scheme, in order of precedence.
fn variables_of(scheme: &str) -> [&'static str; 4] {
    match scheme {
        "https" => ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"],
        _ => ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"],
    }
}

/// The proxy for the service, from the option `proxy` and the environment. An invalid proxy gives no hop.
pub(crate) fn look(
    url: &Url,
    option: Option<&str>,
    variables: Variables<'_>,
) -> (Finding, Option<Hop>) {
    let by_variable = variables_of(url.scheme())
        .into_iter()
        .find(|name| variables(name).is_some_and(|value| !value.trim().is_empty()));
    match option {
        Some("") => (Finding::ok("none: the option proxy is empty"), Some(direct(url))),
        Some(given) => match Url::parse(given.trim()) {
            Ok(proxy) => through(&proxy, "the option proxy"),
            Err(_) => (Finding::failed(Fault::ProxyMalformed, "the option proxy"), None),
        },
        None if is_loopback(url) => {
            let bypassed = by_variable
                .map_or(String::new(), |name| format!(" ({name} is set; loopback bypasses it)"));
            (Finding::ok(format!("none{bypassed}")), Some(direct(url)))
        }
        None => of_environment(url, by_variable, variables),
    }
}

fn of_environment(
    url: &Url,
    by_variable: Option<&'static str>,
    variables: Variables<'_>,
) -> (Finding, Option<Hop>) {
    let Some(name) = by_variable else {
        return (Finding::ok("none"), Some(direct(url)));
    };
    let value = variables(name).unwrap_or_default();
    let meant = url.as_str().parse::<http::Uri>().ok();
    // The environment's proxy as the transport chooses it; if there is none, check whether NO_PROXY is the
    // reason.
    let chosen = meant.as_ref().and_then(|meant| matcher(variables, true).intercept(meant));
    if let Some(chosen) = chosen {
        return match Url::parse(&chosen.uri().to_string()) {
            Ok(mut proxy) => {
                let has_login = chosen.basic_auth().is_some() || chosen.raw_auth().is_some();
                if has_login {
                    let _ = proxy.set_username("***");
                }
                through(&proxy, name)
            }
            Err(_) => (Finding::failed(Fault::ProxyMalformed, name), None),
        };
    }
    let without_exceptions =
        meant.as_ref().and_then(|meant| matcher(variables, false).intercept(meant));
    if without_exceptions.is_some() {
        let saw = format!("none: NO_PROXY names this host ({name} is set)");
        return (Finding::ok(saw), Some(direct(url)));
    }
    let hint = match value.contains("://") {
        true => "cannot be parsed, so no proxy is used",
        false => "is not used: its value cannot be parsed",
    };
    (Finding::warning(Fault::ProxyMalformed, format!("{name} {hint}")), Some(direct(url)))
}

/// The transport's own matcher, with or without the exceptions of NO_PROXY.
fn matcher(variables: Variables<'_>, has_exceptions: bool) -> Matcher {
    let first = |names: [&str; 2]| names.into_iter().find_map(variables).unwrap_or_default();
    let mut builder = Matcher::builder()
        .all(first(["ALL_PROXY", "all_proxy"]))
        .http(first(["HTTP_PROXY", "http_proxy"]))
        .https(first(["HTTPS_PROXY", "https_proxy"]));
    if has_exceptions {
        builder = builder.no(first(["NO_PROXY", "no_proxy"]));
    }
    builder.build()
}

fn through(proxy: &Url, from: &str) -> (Finding, Option<Hop>) {
    let Some(host) = proxy.host_str().filter(|host| !host.is_empty()) else {
        return (Finding::failed(Fault::ProxyMalformed, from.to_owned()), None);
    };
    let port = proxy.port_or_known_default().unwrap_or_else(|| port_of_proxy(proxy.scheme()));
    let hop = Hop { host: host.to_owned(), port, is_proxy: true };
    let shown = shown_url(proxy);
    (Finding::ok(format!("{} from {from}", shown.trim_end_matches('/'))), Some(hop))
}

#[cfg(test)]
#[path = "proxy_tests.rs"]
mod tests;
