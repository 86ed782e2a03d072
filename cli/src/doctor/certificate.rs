//! A TLS handshake for diagnosis: the version, the server's certificate, and the verdict of the real
//! verifier. Sends nothing after the handshake: no key is sent over an unverified connection.

use std::io;
use std::net::TcpStream;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{
    ClientConfig, ClientConnection, DigitallySignedStruct, RootCertStore, SignatureScheme,
};
use x509_parser::extensions::GeneralName;
use x509_parser::prelude::{FromDer, X509Certificate};

/// Maximum time of a handshake.
pub(crate) const HANDSHAKE_TIME_MAX: Duration = Duration::from_secs(10);

/// Maximum names shown of a certificate.
const NAMES_MAX: usize = 8;

/// The roots that calls trust, and their origin.
pub(crate) struct Roots {
    pub(crate) store: RootCertStore,
    pub(crate) from: String,
    /// What could not be read.
    pub(crate) faults: Vec<String>,
}

/// Reads the same roots as the core: the system's store, or SSL_CERT_FILE and SSL_CERT_DIR instead, plus
/// those of an option.
pub(crate) fn roots(added_pem: Option<&str>, variable: impl Fn(&str) -> Option<String>) -> Roots {
    let found = rustls_native_certs::load_native_certs();
    let mut faults: Vec<String> = found.errors.iter().map(ToString::to_string).collect();
    let mut store = RootCertStore::empty();
    store.add_parsable_certificates(found.certs);
    let named = ["SSL_CERT_FILE", "SSL_CERT_DIR"].into_iter().filter_map(|name| {
        let value = variable(name).filter(|value| !value.is_empty())?;
        Some(format!("{name}={value}"))
    });
    let named: Vec<String> = named.collect();
    let mut from = match named.is_empty() {
        true => "the system's store".to_owned(),
        false => named.join(" and "),
    };
    if let Some(pem) = added_pem {
        from.push_str(" and the option ca_pem");
        for certificate in CertificateDer::pem_slice_iter(pem.as_bytes()) {
            let added = certificate.map_err(|error| error.to_string());
            let added = added.and_then(|one| store.add(one).map_err(|error| error.to_string()));
            faults.extend(added.err().map(|error| format!("ca_pem: {error}")));
        }
    }
    Roots { store, from, faults }
}

/// The contents of a certificate.
#[derive(Clone, Debug)]
pub(crate) struct Described {
    pub(crate) subject: String,
    pub(crate) issuer: String,
    pub(crate) names: Vec<String>,
    pub(crate) begins: SystemTime,
    pub(crate) ends: SystemTime,
    pub(crate) is_self_signed: bool,
}

/// Parses a certificate in DER form.
pub(crate) fn describe(der: &[u8]) -> Option<Described> {
    let (_, certificate) = X509Certificate::from_der(der).ok()?;
    let (subject, issuer) = (certificate.subject(), certificate.issuer());
    let at = |seconds: i64| match u64::try_from(seconds) {
        Ok(seconds) => SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds)),
        Err(_) => Some(SystemTime::UNIX_EPOCH),
    };
    let validity = certificate.validity();
    let alternatives = certificate.subject_alternative_name().ok().flatten();
    let names = alternatives.iter().flat_map(|names| &names.value.general_names);
    let names: Vec<String> = names.filter_map(name_of).take(NAMES_MAX).collect();
    Some(Described {
        subject: subject.to_string(),
        issuer: issuer.to_string(),
        names,
        begins: at(validity.not_before.timestamp())?,
        ends: at(validity.not_after.timestamp())?,
        is_self_signed: subject.as_raw() == issuer.as_raw(),
    })
}

fn name_of(name: &GeneralName<'_>) -> Option<String> {
    match name {
        GeneralName::DNSName(name) => Some((*name).to_owned()),
        GeneralName::IPAddress(bytes) => {
            let four = <[u8; 4]>::try_from(*bytes).map(std::net::IpAddr::from);
            let sixteen = || <[u8; 16]>::try_from(*bytes).map(std::net::IpAddr::from);
            four.or_else(|_| sixteen()).ok().map(|address| address.to_string())
        }
        _ => None,
    }
}

/// The result of a handshake.
pub(crate) struct Shaken {
    /// `TLSv1.3` for instance, if the handshake completed.
    pub(crate) version: Option<String>,
    /// The server's certificate.
    pub(crate) certificate: Option<Described>,
    /// The verdict of the real verifier; `None` if there was no certificate.
    pub(crate) verdict: Option<Result<(), rustls::Error>>,
    /// Why the handshake did not complete.
    pub(crate) broken: Option<Broken>,
}

/// Why a handshake failed.
pub(crate) enum Broken {
    /// There are no roots.
    NoRoots,
    /// The host name is not valid in a certificate.
    Name,
    /// It timed out.
    TimedOut,
    /// The server closed or reset the connection.
    Cut(io::Error),
    /// The data was not TLS, or an alert arrived.
    Tls(rustls::Error),
}

/// Does a handshake on this connection, with a client certificate if given.
pub(crate) fn shake(
    socket: &mut TcpStream,
    host: &str,
    roots: RootCertStore,
    own_pem: Option<&str>,
    time_max: Duration,
) -> Shaken {
    let mut shaken = Shaken { version: None, certificate: None, verdict: None, broken: None };
    let recorder = match Recorder::new(roots) {
        Ok(recorder) => Arc::new(recorder),
        Err(broken) => return Shaken { broken: Some(broken), ..shaken },
    };
    let deadline = Instant::now() + time_max.min(HANDSHAKE_TIME_MAX);
    let ended = connection(host, &recorder, own_pem).and_then(|mut tls| {
        let ended = handshake(&mut tls, socket, deadline);
        shaken.version = tls.protocol_version().and_then(|version| {
            Some(version.as_str()?.replace('_', ".").replace("TLSv1.", "TLS 1."))
        });
        tls.send_close_notify();
        let _ = tls.write_tls(socket); // a courtesy; its failure does not matter
        ended
    });
    shaken.broken = ended.err();
    let seen = recorder.seen.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some((der, verdict)) = seen {
        shaken.certificate = describe(&der);
        shaken.verdict = Some(verdict);
    }
    shaken
}

/// Whether a server on this connection speaks TLS.
pub(crate) fn speaks_tls(socket: &mut TcpStream, host: &str, time_max: Duration) -> bool {
    // Any roots will do: nothing is trusted because of them.
    let roots = roots(None, |_| None).store;
    let shaken = shake(socket, host, roots, None, time_max);
    shaken.certificate.is_some() || shaken.version.is_some()
}

fn connection(
    host: &str,
    recorder: &Arc<Recorder>,
    own_pem: Option<&str>,
) -> Result<ClientConnection, Broken> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(Broken::Tls)?
        .dangerous()
        .with_custom_certificate_verifier(recorder.clone());
    let config = match own_pem.and_then(own_certificate) {
        Some((chain, key)) => config.with_client_auth_cert(chain, key).map_err(Broken::Tls)?,
        None => config.with_no_client_auth(),
    };
    let name = host.trim_matches(['[', ']']).to_owned();
    let name = ServerName::try_from(name).map_err(|_| Broken::Name)?;
    ClientConnection::new(Arc::new(config), name).map_err(Broken::Tls)
}

/// Parses the option client_certificate_pem; the configuration check reports its errors.
fn own_certificate(pem: &str) -> Option<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>)> {
    let chain = CertificateDer::pem_slice_iter(pem.as_bytes()).collect::<Result<_, _>>().ok()?;
    Some((chain, PrivateKeyDer::from_pem_slice(pem.as_bytes()).ok()?))
}

fn handshake(
    tls: &mut ClientConnection,
    socket: &mut TcpStream,
    deadline: Instant,
) -> Result<(), Broken> {
    let cut = |error: io::Error| match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Broken::TimedOut,
        _ => Broken::Cut(error),
    };
    while tls.is_handshaking() {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Broken::TimedOut);
        }
        socket.set_read_timeout(Some(left)).map_err(cut)?;
        socket.set_write_timeout(Some(left)).map_err(cut)?;
        write(tls, socket).map_err(cut)?;
        if !tls.is_handshaking() {
            break;
        }
        match tls.read_tls(socket) {
            Ok(0) => return Err(Broken::Cut(io::ErrorKind::UnexpectedEof.into())),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(cut(error)),
        }
        if let Err(error) = tls.process_new_packets() {
            let _ = tls.write_tls(socket); // the alert, if it still arrives
            return Err(Broken::Tls(error));
        }
    }
    write(tls, socket).map_err(cut)
}

/// Sends what TLS has to send.
fn write(tls: &mut ClientConnection, socket: &mut TcpStream) -> io::Result<()> {
    while tls.wants_write() {
        match tls.write_tls(socket) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
            Ok(_) | Err(_) => {}
        }
    }
    Ok(())
}

/// Records the verdict of the real verifier, and continues in any case: otherwise the handshake would end
/// before the certificate can be described.
#[derive(Debug)]
struct Recorder {
    real: Arc<WebPkiServerVerifier>,
    seen: Mutex<Option<(CertificateDer<'static>, Result<(), rustls::Error>)>>,
}

impl Recorder {
    fn new(roots: RootCertStore) -> Result<Recorder, Broken> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let built = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build();
        let real = built.map_err(|_| Broken::NoRoots)?;
        Ok(Recorder { real, seen: Mutex::new(None) })
    }
}

impl ServerCertVerifier for Recorder {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let verdict = self.real.verify_server_cert(
            end_entity,
            intermediates,
            server_name,
            ocsp_response,
            now,
        );
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        *seen = Some((end_entity.clone().into_owned(), verdict.map(drop)));
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.real.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.real.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.real.supported_verify_schemes()
    }
}
