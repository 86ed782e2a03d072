//! The TLS configuration of a client: roots, an added CA, a client certificate. With `transport`
//! the only file that names rustls. Knows no HTTP beyond the names of its versions.

use std::sync::Arc;

use once_cell::sync::Lazy;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};

use crate::config::Settings;
use crate::error::{Error, ErrorKind, Result};

/// Certificates of the system's store, of SSL_CERT_FILE and of SSL_CERT_DIR; read once, at the
/// first https client.
static SYSTEM_ROOTS: Lazy<Arc<RootCertStore>> = Lazy::new(|| {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    Arc::new(roots)
});

/// The configuration that https clients with default settings share.
static SHARED: Lazy<Result<ClientConfig>> = Lazy::new(|| {
    let roots = SYSTEM_ROOTS.clone();
    Ok(builder()?.with_root_certificates(roots).with_no_client_auth())
});

/// The configuration for a client's settings. One that speaks plain http reads no certificate
/// store: it builds in microseconds, and where there is no store at all.
pub(crate) fn config(settings: &Settings) -> Result<ClientConfig> {
    let is_plain = settings.ca_pem.is_none() && settings.client_pem.is_none();
    let mut config = if is_plain && !settings.needs_tls() {
        builder()?.with_root_certificates(RootCertStore::empty()).with_no_client_auth()
    } else if is_plain {
        require_roots(&SYSTEM_ROOTS)?;
        SHARED.clone()?
    } else {
        own(settings)?
    };
    if settings.http2 {
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    }
    Ok(config)
}

fn own(settings: &Settings) -> Result<ClientConfig> {
    let mut roots = RootCertStore::clone(&SYSTEM_ROOTS);
    if let Some(pem) = &settings.ca_pem {
        for certificate in certificates("ca_pem", pem)? {
            roots.add(certificate).map_err(|cause| refused("ca_pem", cause))?;
        }
    }
    require_roots(&roots)?;
    let builder = builder()?.with_root_certificates(roots);
    let Some(pem) = &settings.client_pem else { return Ok(builder.with_no_client_auth()) };
    let chain = certificates("client_certificate_pem", pem)?;
    let key = PrivateKeyDer::from_pem_slice(pem)
        .map_err(|cause| refused("client_certificate_pem holds no private key", cause))?;
    builder
        .with_client_auth_cert(chain, key)
        .map_err(|cause| refused("client_certificate_pem", cause))
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
        return Err(refused(name, "it holds no certificate in PEM form"));
    }
    Ok(found)
}

fn require_roots(roots: &RootCertStore) -> Result<()> {
    if roots.is_empty() {
        let hint = "Install the package ca-certificates, or set SSL_CERT_FILE, or add a CA.";
        let message = "https needs certificates of authorities, and none was found";
        return Err(Error::new(ErrorKind::Config, message).with_hint(hint));
    }
    Ok(())
}

fn refused(name: &str, cause: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Config, format!("{name}: {cause}"))
        .with_hint("Give certificates and the private key as text in PEM form (RFC 7468).")
}
