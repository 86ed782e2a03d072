//! The idempotency key of a call: the same for all its attempts, so that a service that knows such keys
//! processes only one of them.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use crate::answer::error::{Error, Result};
use crate::options::headers::check_headers;

/// The header of a call's own key if its client names none.
const IDEMPOTENCY_KEY: &str = "Idempotency-Key";

/// Rejects a key that cannot be sent.
pub(crate) fn check_idempotency_key(key: &str) -> Result<()> {
    if key.trim().is_empty() {
        return Err(Error::config("idempotency_key is empty"));
    }
    check_headers(&[(IDEMPOTENCY_KEY.to_owned(), key.to_owned())])
}

/// Adds the header with the key of a call to its headers, if it or its client has one. A header that the call
/// sets itself stays.
pub(crate) fn add_idempotency_key(
    headers: &mut Vec<(String, String)>,
    key: Option<String>,
    of_client: Option<&str>,
) {
    let name = match (of_client, &key) {
        (None, None) => return,
        (Some(name), _) => name,
        (None, Some(_)) => IDEMPOTENCY_KEY,
    };
    if !headers.iter().any(|(own, _)| own.eq_ignore_ascii_case(name)) {
        headers.push((name.to_owned(), key.unwrap_or_else(random_key)));
    }
}

/// 32 hexadecimal digits. The seed alone does not make them unique: a forked child inherits it.
fn random_key() -> String {
    static KEYS: AtomicU64 = AtomicU64::new(0);
    let seed = RandomState::new();
    let moment = (
        std::process::id(),
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default(),
        KEYS.fetch_add(1, Ordering::Relaxed),
    );
    format!("{:016x}{:016x}", seed.hash_one(moment), seed.hash_one((moment, "second half")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_keys_differ() {
        let keys: std::collections::HashSet<String> = (0..1000).map(|_| random_key()).collect();
        assert_eq!(keys.len(), 1000);
        assert!(keys.iter().all(|key| key.len() == 32));
    }
}
