//! A request as a curl command to copy: what the client would send, with the key as a variable. Sends
//! nothing.

use std::fmt::Write;

use modelwire::{API_KEY_VARIABLES, Client, Endpoint};

use crate::connection::{Connection, set_variable};
use crate::console;
use crate::failure::Failure;

/// Maximum bytes of a body as a curl argument; a larger one goes to standard input. Linux limits one
/// argument to 128 KiB.
const ARGUMENT_BYTES_MAX: usize = 100 * 1024;

/// The command for this request with a JSON body.
pub(crate) fn command(
    connection: &Connection,
    endpoint: Endpoint,
    body: Option<&str>,
    streams: bool,
) -> Result<String, Failure> {
    connection.require_one_service("modelwire curl")?;
    let base_url = connection.require_base_url()?;
    check(connection)?;
    let (base, query) = match base_url.split_once('?') {
        Some((base, query)) => (base, format!("?{query}")),
        None => (base_url.as_str(), String::new()),
    };
    let url = format!("{}{}{query}", base.trim_end_matches('/'), endpoint.path());
    // Silent except for errors; unbuffered for a stream, so that it is shown as it arrives.
    let how = if streams { "-sSN" } else { "-sS" };
    let mut parts = vec![format!("curl {how} {}", shell_quoted(&url)), key_header(connection)];
    if body.is_some() {
        parts.push("-H 'Content-Type: application/json'".to_owned());
    }
    for (name, value) in connection.option_pairs("headers")? {
        parts.push(format!("-H {}", shell_quoted(&format!("{name}: {value}"))));
    }
    for (name, value) in connection.option_pairs("query")? {
        parts.push(format!("--url-query {}", shell_quoted(&format!("{name}={value}"))));
    }
    parts.extend(files_and_proxy(connection)?);
    if let Some(timeout) = connection.timeout {
        parts.push(format!("--max-time {}", timeout.as_secs_f64()));
    }
    let mut after = String::new();
    match body {
        Some(body) if body.len() > ARGUMENT_BYTES_MAX => {
            let end = end_mark(body);
            parts.push(format!("--data-binary @- <<'{end}'"));
            // Writing to a string cannot fail.
            let _ = write!(after, "\n{body}\n{end}");
        }
        Some(body) => parts.push(format!("--data-binary {}", shell_quoted(body))),
        None => {}
    }
    Ok(parts.join(" \\\n  ") + &after)
}

/// Rejects what a client would reject, except for a missing key.
fn check(connection: &Connection) -> Result<(), Failure> {
    let config = connection.config()?;
    let has_key = connection.key_file.is_some() || set_variable(&API_KEY_VARIABLES).is_some();
    let config = if has_key { config } else { config.api_key("none") };
    Client::new(config)?;
    Ok(())
}

/// The header with the key, from its variable or file.
fn key_header(connection: &Connection) -> String {
    let key = match &connection.key_file {
        Some(file) => format!("$(cat {})", shell_quoted(&file.to_string_lossy())),
        None => format!("${}", set_variable(&API_KEY_VARIABLES).unwrap_or(API_KEY_VARIABLES[0])),
    };
    format!("-H \"Authorization: Bearer {key}\"")
}

/// The curl arguments for certificates and the proxy.
fn files_and_proxy(connection: &Connection) -> Result<Vec<String>, Failure> {
    let mut parts = Vec::new();
    for (name, argument) in [("ca_pem", "--cacert"), ("client_certificate_pem", "--cert")] {
        match connection.option(name).map(|value| value.strip_prefix('@')) {
            Some(Some(file)) => parts.push(format!("{argument} {}", shell_quoted(file))),
            Some(None) => console::say(&format!("the command leaves out --option {name}")),
            None => {}
        }
    }
    match connection.option_text("proxy")?.as_deref() {
        Some("") => parts.push("--noproxy '*'".to_owned()),
        Some(proxy) => parts.push(format!("--proxy {}", shell_quoted(proxy))),
        None => {}
    }
    Ok(parts)
}

/// Quotes text as one word for a shell.
fn shell_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A here-document mark that does not occur in the body.
fn end_mark(body: &str) -> String {
    let mut end = "END_OF_REQUEST".to_owned();
    while body.contains(&end) {
        end.push('_');
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_word_is_one_word() {
        for (text, expected) in [
            ("plain", "'plain'"),
            ("", "''"),
            ("it's", r"'it'\''s'"),
            ("$HOME `date` \\ \"x\" !", "'$HOME `date` \\ \"x\" !'"),
        ] {
            assert_eq!(shell_quoted(text), expected);
        }
    }

    #[test]
    fn an_end_mark_is_in_no_body() {
        for body in ["", "END_OF_REQUEST", "END_OF_REQUEST_ END_OF_REQUEST"] {
            assert!(!body.contains(&end_mark(body)));
        }
    }
}
