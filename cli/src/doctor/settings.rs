//! The origin and validity of base URL, key, model and proxy. Reads nothing but the key file; variables
//! come from a function.

use modelwire::{API_KEY_VARIABLES, BASE_URL_VARIABLES, Client, Config, Error, ErrorKind};
use url::Url;

use crate::connection::Connection;
use crate::doctor::causes::Fault;
use crate::doctor::report::Finding;

/// Looks up an environment variable; invalid UTF-8 reads as U+FFFD.
pub(crate) type Variables<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The variable with the model.
pub(crate) const MODEL_VARIABLE: &str = "MODELWIRE_MODEL";

/// A value and its origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Given {
    pub(crate) text: String,
    pub(crate) from: String,
    /// A variable that is set to something else, but ignored.
    pub(crate) beaten: Option<&'static str>,
}

/// The first of these variables with more than white space, as in the client.
fn of_variables(names: &[&'static str], variables: Variables<'_>) -> Option<Given> {
    let set = |name: &&'static str| {
        let text = variables(name).filter(|text| !text.trim().is_empty())?;
        Some((*name, text))
    };
    let mut found = names.iter().filter_map(set);
    let (name, text) = found.next()?;
    let beaten = found.find(|(_, other)| other.trim() != text.trim()).map(|(name, _)| name);
    Some(Given { text, from: name.to_owned(), beaten })
}

fn of_argument(text: &str, from: &str) -> Given {
    Given { text: text.to_owned(), from: from.to_owned(), beaten: None }
}

/// The base URL.
pub(crate) fn base_url(connection: &Connection, variables: Variables<'_>) -> Option<Given> {
    let argument = connection.base_url.as_deref().map(|url| of_argument(url, "--base-url"));
    let option = || Some(of_argument(&option(connection, "base_url")?, "--option base_url"));
    argument.or_else(option).or_else(|| of_variables(&BASE_URL_VARIABLES, variables))
}

/// The key; its text is only for counting characters.
fn key(connection: &Connection, variables: Variables<'_>) -> Option<Given> {
    match connection.key_source() {
        // The configuration check reports one that gives no key.
        Some(source) => Some(Given {
            text: source.key().unwrap_or_default(),
            from: source.shown(),
            beaten: None,
        }),
        None => of_variables(&API_KEY_VARIABLES, variables),
    }
}

/// The model, if one is named.
pub(crate) fn model(argument: Option<&str>, variables: Variables<'_>) -> Option<Given> {
    let argument = argument.map(|model| of_argument(model, "--model"));
    argument.or_else(|| of_variables(&[MODEL_VARIABLE], variables))
}

/// The text of a client option; the configuration check reports its errors.
pub(crate) fn option(connection: &Connection, name: &str) -> Option<String> {
    connection.option_text(name).ok().flatten()
}

/// A base URL of no service, to check everything else.
const ANY_PLACE: &str = "http://127.0.0.1/v1";
/// A key of nobody, to check everything else.
const ANY_KEY: &str = "any-key-will-do";

/// The origin of all settings, and whether key and options are usable.
pub(crate) fn look(connection: &Connection, variables: Variables<'_>) -> Finding {
    let url = base_url(connection, variables);
    let key = key(connection, variables);
    let saw = format!("{}; {}", url_from(url.as_ref()), key_from(key.as_ref()));
    let Some(key) = key else { return Finding::failed(Fault::KeyMissing, saw) };
    let config = match connection.config() {
        Ok(config) => config,
        Err(failure) => {
            let is_of_key = failure.message.contains("--key-");
            let fault = if is_of_key { Fault::KeyMalformed } else { Fault::OptionWrong };
            return Finding::failed(fault, saw).because(failure.message);
        }
    };
    if let Err(error) = Client::new(config.clone().base_url(ANY_PLACE)) {
        let is_of_key = Client::new(config.base_url(ANY_PLACE).api_key(ANY_KEY)).is_ok();
        let fault = match is_of_key {
            true => Fault::KeyMalformed,
            false if error.message().starts_with("proxy") => Fault::ProxyMalformed,
            false => Fault::OptionWrong,
        };
        return Finding::failed(fault, saw).because(error.message()).so_do(error.hint());
    }
    let beaten = url.as_ref().and_then(|url| url.beaten).or(key.beaten);
    if let Some(beaten) = beaten {
        let saw = format!("{saw}; {beaten} has a different value, which is not used");
        return Finding::warning(Fault::TwoValues, saw);
    }
    if url.is_some_and(|url| are_of_two_families(&url.from, &key.from)) {
        return Finding::warning(Fault::KeyOfAnother, saw);
    }
    Finding::ok(saw)
}

fn url_from(url: Option<&Given>) -> String {
    url.map_or("no base URL".to_owned(), |url| format!("base URL from {}", url.from))
}

/// Shows only the length: users share this output.
fn key_from(key: Option<&Given>) -> String {
    let Some(key) = key else { return "no key".to_owned() };
    let trimmed = key.text.trim();
    let count = trimmed.chars().count();
    let line_end = |text: &str| text.trim_end_matches(['\n', '\r']).len();
    let is_padded = line_end(&key.text) != trimmed.len();
    let padded = if is_padded { ", surrounding white space removed" } else { "" };
    let beside = if trimmed.is_ascii() { "" } else { ", not all ASCII" };
    format!("key from {} ({count} characters{padded}{beside})", key.from)
}

fn are_of_two_families(first: &str, second: &str) -> bool {
    let family = |name: &str| {
        let families = ["MODELWIRE_", "OPENAI_"];
        families.iter().position(|prefix| name.starts_with(prefix))
    };
    matches!((family(first), family(second)), (Some(one), Some(other)) if one != other)
}

/// The base URL, and whether its form is right.
pub(crate) fn look_at_url(given: Option<&Given>) -> (Finding, Option<Url>) {
    let Some(given) = given else {
        return (Finding::failed(Fault::BaseUrlMissing, "no base URL"), None);
    };
    let text = given.text.trim();
    // The client's own check comes first, without a proxy or options.
    match Client::new(Config::new().base_url(text).api_key(ANY_KEY).no_proxy()) {
        Ok(_) => {}
        Err(error) => return (malformed(text, &error), None),
    }
    match Url::parse(text) {
        Ok(url) => (judge(&url), Some(url)),
        Err(error) => (Finding::failed(Fault::BaseUrlMalformed, error.to_string()), None),
    }
}

/// The finding about an invalid URL. It may be anything, even a key put there by mistake: only what looks
/// like an address is shown.
fn malformed(text: &str, error: &Error) -> Finding {
    const QUOTES: [char; 5] = ['"', '\'', '`', '\u{201C}', '\u{201D}'];
    let is_place = text.contains(['.', '/', ':']) && !text.contains(['@', '?']);
    let saw = match is_place {
        true => text.to_owned(),
        false => format!("a value of {} characters, not shown", text.chars().count()),
    };
    let has_scheme = text.contains("://");
    let is_quoted = text.starts_with(QUOTES) || text.ends_with(QUOTES);
    let fault = match error.kind() {
        _ if is_quoted => Fault::BaseUrlMalformed,
        ErrorKind::Config if is_place && !has_scheme => Fault::SchemeMissing,
        _ => Fault::BaseUrlMalformed,
    };
    let finding = Finding::failed(fault, saw).because(error.message());
    match fault {
        Fault::SchemeMissing => {
            let better =
                format!("Write it as https://{text} (http:// for a service on this machine).");
            finding.because(Fault::SchemeMissing.cause()).so_do(better)
        }
        // The client rejects the URL for another reason, which its hint explains.
        _ if has_scheme && !is_quoted => finding.so_do(error.hint()),
        _ if !is_place => finding
            .because("the base URL is not a URL")
            .so_do("Write it as https://host/v1; if this is the key, it is in the wrong variable."),
        _ => finding,
    }
}

/// The URL without parts that may be secret.
pub(crate) fn shown_url(url: &Url) -> String {
    let mut shown = url.clone();
    if shown.password().is_some() || !shown.username().is_empty() {
        let _ = shown.set_password(None); // fails for a URL that cannot have one
        let _ = shown.set_username("***");
    }
    if shown.query().is_some() {
        shown.set_query(Some("***"));
    }
    shown.to_string()
}

/// Whether the path ends in the API version.
pub(crate) fn has_version(url: &Url) -> bool {
    url.path().trim_end_matches('/').ends_with("/v1")
}

/// Whether the host is this machine, which bypasses the environment's proxies.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => false,
    }
}

/// Paths that the client appends itself.
const OPERATIONS: [&str; 4] = ["/chat/completions", "/completions", "/responses", "/models"];

/// The problems of a usable URL.
fn judge(url: &Url) -> Finding {
    let saw = shown_url(url);
    let path = url.path().trim_end_matches('/');
    if let Some(operation) = OPERATIONS.into_iter().find(|operation| path.ends_with(operation)) {
        let better = url_with_path(url, path.strip_suffix(operation).unwrap_or(path));
        return Finding::failed(Fault::OperationInPath, saw)
            .so_do(format!("Remove {operation}: {better}"));
    }
    if path.contains("/v1/v1") {
        let better = url_with_path(url, &path.replacen("/v1/v1", "/v1", 1));
        return Finding::failed(Fault::VersionTwice, saw).so_do(format!("Write {better}"));
    }
    if path.contains("//") {
        let better = url_with_path(url, &path.replace("//", "/"));
        return Finding::warning(Fault::SlashesDoubled, saw).so_do(format!("Write {better}"));
    }
    if let ("http", Some(443)) | ("https", Some(80)) = (url.scheme(), url.port()) {
        return Finding::warning(Fault::PortUnusual, saw);
    }
    if !has_version(url) {
        let better = url_with_path(url, &format!("{path}/v1"));
        return Finding::warning(Fault::VersionMissing, saw)
            .so_do(format!("Try {better}, unless the service's documentation says otherwise."));
    }
    if url.scheme() == "http" && !is_loopback(url) {
        return Finding::warning(Fault::KeyUnencrypted, saw);
    }
    Finding::ok(saw)
}

fn url_with_path(url: &Url, path: &str) -> String {
    let mut better = url.clone();
    better.set_path(path);
    shown_url(&better)
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
