//! Headers that a program sets, for a client or for a call.

use std::fmt;

use crate::answer::error::{Error, Result};

/// Shows headers by name: their values may be secret.
pub(crate) struct HeaderNames<'a>(pub(crate) &'a [(String, String)]);

impl fmt::Debug for HeaderNames<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

/// Headers that the library itself sets and a caller may not.
const OWN_HEADERS: [&str; 5] =
    ["authorization", "content-type", "content-length", "transfer-encoding", "host"];

/// Rejects headers that cannot be sent, and those that the library itself sets.
pub(crate) fn check_headers(headers: &[(String, String)]) -> Result<()> {
    for (name, value) in headers {
        let is_token =
            |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if name.is_empty() || !name.bytes().all(is_token) {
            return Err(Error::config(format!("{name:?} is not a header name (RFC 9110)")));
        }
        if !value.bytes().all(|byte| byte == b'\t' || (0x20..0x7F).contains(&byte)) {
            let message =
                format!("the value of header {name} has a character outside visible ASCII");
            return Err(Error::config(message));
        }
        if is_own(name) && !is_content_type_of_all(name, value) {
            let error = Error::config(format!("header {name} cannot be set"));
            return Err(error.with_hint(own_hint(name)));
        }
    }
    Ok(())
}

/// Rejects the removal of headers that the library itself sets.
pub(crate) fn check_removed(names: &[String]) -> Result<()> {
    match names.iter().find(|name| is_own(name)) {
        Some(name) => {
            let error = Error::config(format!("header {name} cannot be left out"));
            Err(error.with_hint(own_hint(name)))
        }
        None => Ok(()),
    }
}

fn own_hint(name: &str) -> &'static str {
    match name.eq_ignore_ascii_case("authorization") {
        true => "modelwire sets it from the key passed as api_key.",
        false => "modelwire sets it itself.",
    }
}

/// The content type that every request with a body has anyway; many programs set it. It is never sent
/// twice, nor without a body.
pub(crate) fn is_content_type_of_all(name: &str, value: &str) -> bool {
    name.eq_ignore_ascii_case("content-type")
        && value.trim().eq_ignore_ascii_case("application/json")
}

fn is_own(name: &str) -> bool {
    OWN_HEADERS.iter().any(|own| name.eq_ignore_ascii_case(own))
}
