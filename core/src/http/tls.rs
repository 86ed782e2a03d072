//! The TLS configuration of a client: root certificates, an added CA, a client certificate, and the session
//! cache. With `failure` the only file that names rustls.

use std::sync::Arc;

use rustls::client::{
    ClientSessionMemoryCache, ClientSessionStore, Resumption, Tls12ClientSessionValue,
    Tls13ClientSessionValue,
};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, NamedGroup, RootCertStore};

use crate::answer::error::{Error, Result};
use crate::answer::error_kind::ErrorKind;
use crate::http::timing::Opening;
use crate::options::config::Settings;
use crate::system::process::PerProcess;

/// Certificates from the system's store, SSL_CERT_FILE and SSL_CERT_DIR, read once per process at its first
/// https call. Not in a plain static: a child forked during the read would wait for a thread that it does
/// not have.
fn system_roots() -> Result<&'static Arc<RootCertStore>> {
    static ROOTS: PerProcess<Arc<RootCertStore>> = PerProcess::new();
    ROOTS.get_or_try_init(|| {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        Ok(Arc::new(roots))
    })
}

/// The configuration shared by all https clients with default settings.
fn shared() -> Result<ClientConfig> {
    static SHARED: PerProcess<ClientConfig> = PerProcess::new();
    let made = SHARED.get_or_try_init(|| {
        let roots = system_roots()?.clone();
        Ok(with_watched_sessions(builder()?.with_root_certificates(roots).with_no_client_auth()))
    });
    made.cloned()
}

/// Checks the certificates of the settings without reading the system's.
pub(crate) fn check(settings: &Settings) -> Result<()> {
    let mut roots = RootCertStore::empty();
    add_own(&mut roots, settings)?;
    with_client_certificate(settings, roots).map(drop)
}

/// The configuration for a client's settings. A client of plain http reads no certificate store: it builds in
/// microseconds, even on a system without a store. For https, reading it takes milliseconds.
pub(crate) fn config(settings: &Settings) -> Result<ClientConfig> {
    let is_plain = settings.ca_pem.is_none() && settings.client_pem.is_none();
    let mut config = if is_plain && !settings.needs_tls() {
        builder()?.with_root_certificates(RootCertStore::empty()).with_no_client_auth()
    } else if is_plain {
        require_roots(system_roots()?)?;
        shared()?
    } else {
        own(settings)?
    };
    if settings.http2 {
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    }
    Ok(config)
}

fn own(settings: &Settings) -> Result<ClientConfig> {
    let mut roots = RootCertStore::clone(system_roots()?);
    add_own(&mut roots, settings)?;
    require_roots(&roots)?;
    with_client_certificate(settings, roots)
}

fn add_own(roots: &mut RootCertStore, settings: &Settings) -> Result<()> {
    if let Some(pem) = &settings.ca_pem {
        for certificate in certificates("ca_pem", pem)? {
            roots.add(certificate).map_err(|cause| refused("ca_pem", cause))?;
        }
    }
    Ok(())
}

fn with_client_certificate(settings: &Settings, roots: RootCertStore) -> Result<ClientConfig> {
    let builder = builder()?.with_root_certificates(roots);
    let Some(pem) = &settings.client_pem else {
        return Ok(with_watched_sessions(builder.with_no_client_auth()));
    };
    let chain = certificates("client_certificate_pem", pem)?;
    let key = PrivateKeyDer::from_pem_slice(pem)
        .map_err(|cause| refused("client_certificate_pem contains no private key", cause))?;
    builder
        .with_client_auth_cert(chain, key)
        .map(with_watched_sessions)
        .map_err(|cause| refused("client_certificate_pem", cause))
}

/// The default of rustls.
const SESSIONS_MAX: usize = 256;

/// Each handshake first looks for a session to resume: this is how its start is observed.
#[derive(Debug)]
struct WatchedSessions(ClientSessionMemoryCache);

fn with_watched_sessions(mut config: ClientConfig) -> ClientConfig {
    let sessions = WatchedSessions(ClientSessionMemoryCache::new(SESSIONS_MAX));
    config.resumption = Resumption::store(Arc::new(sessions));
    config
}

impl ClientSessionStore for WatchedSessions {
    fn take_tls13_ticket(&self, name: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        if let Some(opening) = Opening::current() {
            opening.tls_begins();
        }
        self.0.take_tls13_ticket(name)
    }

    fn set_kx_hint(&self, name: ServerName<'static>, group: NamedGroup) {
        self.0.set_kx_hint(name, group);
    }

    fn kx_hint(&self, name: &ServerName<'_>) -> Option<NamedGroup> {
        self.0.kx_hint(name)
    }

    fn set_tls12_session(&self, name: ServerName<'static>, session: Tls12ClientSessionValue) {
        self.0.set_tls12_session(name, session);
    }

    fn tls12_session(&self, name: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        self.0.tls12_session(name)
    }

    fn remove_tls12_session(&self, name: &ServerName<'static>) {
        self.0.remove_tls12_session(name);
    }

    fn insert_tls13_ticket(&self, name: ServerName<'static>, ticket: Tls13ClientSessionValue) {
        self.0.insert_tls13_ticket(name, ticket);
    }
}

fn builder() -> Result<rustls::ConfigBuilder<ClientConfig, rustls::WantsVerifier>> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|cause| refused("the TLS versions", cause))
}

fn certificates(name: &str, pem: &[u8]) -> Result<Vec<CertificateDer<'static>>> {
    let found: Vec<_> = CertificateDer::pem_slice_iter(pem)
        .collect::<Result<_, _>>()
        .map_err(|cause| refused(name, cause))?;
    if found.is_empty() {
        return Err(refused(name, "it contains no certificate in PEM format"));
    }
    Ok(found)
}

fn require_roots(roots: &RootCertStore) -> Result<()> {
    if roots.is_empty() {
        let hint = "Install the package ca-certificates, or set SSL_CERT_FILE, or add a CA.";
        let message = "https needs CA certificates, and none was found";
        return Err(Error::new(ErrorKind::Config, message).with_hint(hint));
    }
    Ok(())
}

fn refused(name: &str, cause: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Config, format!("{name}: {cause}"))
        .with_hint("Pass certificates and the private key as text in PEM format (RFC 7468).")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    #[test]
    fn certificates_that_were_passed_are_read_for_plain_http_too() {
        let plain = Settings::for_tests("sk-test");
        assert!(config(&plain).is_ok());
        let wrong = b"no certificate".to_vec();
        for settings in [
            Settings { ca_pem: Some(wrong.clone()), ..Settings::for_tests("sk-test") },
            Settings { client_pem: Some(wrong.into()), ..Settings::for_tests("sk-test") },
        ] {
            assert_eq!(config(&settings).unwrap_err().kind(), ErrorKind::Config);
        }
    }

    #[test]
    fn https_without_any_root_certificate_is_refused() {
        let refused = require_roots(&RootCertStore::empty()).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Config);
    }

    #[test]
    fn the_group_for_the_next_handshake_is_remembered() {
        let sessions = WatchedSessions(ClientSessionMemoryCache::new(2));
        let name = ServerName::try_from("service.test").unwrap();
        assert_eq!(sessions.kx_hint(&name), None);
        sessions.set_kx_hint(name.clone(), NamedGroup::X25519);
        assert_eq!(sessions.kx_hint(&name), Some(NamedGroup::X25519));
    }
}
