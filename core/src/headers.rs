//! Headers that a program sets, for a client or for a call. Knows no header of the service.

use std::fmt;

use crate::error::{Error, Result};

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

/// Refuses what cannot be sent, and what the library itself sets.
pub(crate) fn check_headers(headers: &[(String, String)]) -> Result<()> {
    for (name, value) in headers {
        let is_token =
            |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if name.is_empty() || !name.bytes().all(is_token) {
            return Err(Error::config(format!("{name:?} is not a header name (RFC 9110)")));
        }
        if !value.bytes().all(|byte| byte == b'\t' || (0x20..0x7F).contains(&byte)) {
            let message =
                format!("the value of header {name} has a character beyond visible ASCII");
            return Err(Error::config(message));
        }
        if is_own(name) {
            return Err(Error::config(format!("header {name} cannot be set")).with_hint(OWN_HINT));
        }
    }
    Ok(())
}

/// Refuses to go without what the library itself sets.
pub(crate) fn check_removed(names: &[String]) -> Result<()> {
    match names.iter().find(|name| is_own(name)) {
        Some(name) => {
            Err(Error::config(format!("header {name} cannot be left out")).with_hint(OWN_HINT))
        }
        None => Ok(()),
    }
}

const OWN_HINT: &str = "modelwire sets it itself; the key is configured as api_key.";

fn is_own(name: &str) -> bool {
    OWN_HEADERS.iter().any(|own| name.eq_ignore_ascii_case(own))
}
