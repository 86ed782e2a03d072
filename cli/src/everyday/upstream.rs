//! The real service that `modelwire serve --record` stands before: its address, key and connections.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use modelwire_testing::{Connection, Upstream};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};
use url::Url;

use crate::connection::{KeySource, set_variable};
use crate::doctor::roots;
use crate::failure::{Exit, Failure};
use crate::system::private;

/// The longest time to open a connection, and the longest silence of the service.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(10);
const SILENCE_MAX: Duration = Duration::from_secs(600);

/// The service at this base URL, whose exchanges are appended to a file.
pub(super) fn upstream(
    base_url: &str,
    key_file: Option<&Path>,
    to: &Path,
) -> Result<Upstream, Failure> {
    let refused = |what: &str| Failure::usage(format!("--record: {what}"));
    let url = Url::parse(base_url.trim()).map_err(|cause| refused(&cause.to_string()))?;
    let is_tls = match url.scheme() {
        "https" => true,
        "http" => false,
        _ => return Err(refused("write it as https://host/v1")),
    };
    if !url.username().is_empty() || url.password().is_some() || url.query().is_some() {
        return Err(refused("leave out user, password and query"));
    }
    let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
        return Err(refused("it has no host"));
    };
    let (address, named) = (host.trim_matches(['[', ']']).to_owned(), url.port());
    let tls = match is_tls {
        true => Some(tls(&address)?),
        false => None,
    };
    let connect = move || {
        let tcp = tcp(&address, port)?;
        let Some((config, name)) = &tls else { return Ok(Box::new(tcp) as Box<dyn Connection>) };
        let session =
            ClientConnection::new(config.clone(), name.clone()).map_err(io::Error::other)?;
        Ok(Box::new(StreamOwned::new(session, tcp)) as Box<dyn Connection>)
    };
    let mut open = OpenOptions::new();
    open.append(true).create(true);
    private(&mut open);
    open.read(true);
    let mut file = open.open(to).map_err(|cause| {
        Failure::file(format!("--to {} cannot be written: {cause}", to.display()))
    })?;
    begin_line(&mut file)
        .map_err(|cause| Failure::file(format!("--to {}: {cause}", to.display())))?;
    Ok(Upstream {
        host: named.map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")),
        path: url.path().trim_end_matches('/').to_owned(),
        key: key(key_file)?,
        connect: Box::new(connect),
        to: Mutex::new(file),
    })
}

/// Ends a last line that an earlier recorder could not finish.
fn begin_line(file: &mut File) -> io::Result<()> {
    let mut last = [b'\n'];
    if file.seek(SeekFrom::End(0))? > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    match last {
        [b'\n'] => Ok(()),
        _ => file.write_all(b"\n"),
    }
}

/// The key of the service.
fn key(file: Option<&Path>) -> Result<String, Failure> {
    if let Some(file) = file {
        return KeySource::File(file.to_owned()).key();
    }
    let variable = set_variable(&modelwire::API_KEY_VARIABLES).ok_or_else(|| {
        let message = "no API key of the recorded service: set MODELWIRE_API_KEY (or OPENAI_API_KEY), or \
                       give --key-file FILE";
        Failure::new(Exit::Config, message)
    })?;
    let key = std::env::var(variable).unwrap_or_default().trim().to_owned();
    match !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic()) {
        true => Ok(key),
        false => Err(Failure::new(Exit::Config, format!("{variable} is no key that can be sent"))),
    }
}

fn tls(host: &str) -> Result<(Arc<ClientConfig>, ServerName<'static>), Failure> {
    let refused = |cause: String| Failure::new(Exit::Config, format!("--record: {cause}"));
    let name = ServerName::try_from(host.to_owned()).map_err(|cause| refused(cause.to_string()))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|cause| refused(cause.to_string()))?
        .with_root_certificates(roots(None, |_| None).store)
        .with_no_client_auth();
    Ok((Arc::new(config), name))
}

/// The first address that accepts a connection.
fn tcp(host: &str, port: u16) -> io::Result<TcpStream> {
    let mut last = io::Error::other("the name has no address");
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, CONNECT_TIME_MAX) {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(SILENCE_MAX))?;
                stream.set_write_timeout(Some(SILENCE_MAX))?;
                return Ok(stream);
            }
            Err(cause) => last = cause,
        }
    }
    Err(last)
}
