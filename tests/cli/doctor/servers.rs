//! Servers that do what no real one does when asked to, certificates for them, and the answers of a healthy
//! service as bytes.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use modelwire_testing::{Exchange, Script, Step};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, Stream};

use crate::support::Folder;

/// The model that scripts list.
pub const MODEL: &str = "a-model";

/// A list of that model.
pub fn models() -> Exchange {
    Exchange::json(200, models_body())
}

pub fn models_body() -> String {
    format!(r#"{{"object":"list","data":[{{"id":"{MODEL}","object":"model"}}]}}"#)
}

pub fn chat() -> Exchange {
    Exchange::json(200, chat_body())
}

pub fn chat_body() -> String {
    r#"{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"length"}],"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4}}"#.to_owned()
}

pub fn response() -> Exchange {
    Exchange::json(200, response_body())
}

pub fn response_body() -> String {
    r#"{"id":"r","object":"response","status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hello"}]}],"usage":{"input_tokens":3,"output_tokens":1,"total_tokens":4}}"#.to_owned()
}

/// One chunk of a stream.
pub fn chunk(content: &str) -> String {
    format!(
        r#"{{"id":"c","object":"chat.completion.chunk","choices":[{{"index":0,"delta":{{"content":"{content}"}}}}]}}"#
    )
}

/// The chunk that says why the model stopped.
pub fn finish() -> String {
    r#"{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#.to_owned()
}

/// So many chunks.
pub fn chunks(count: usize) -> Vec<String> {
    (0..count).map(|at| chunk(&format!("{at} "))).collect()
}

/// The events of a whole stream.
pub fn whole_stream() -> Vec<String> {
    [chunks(20), vec![finish(), "[DONE]".to_owned()]].concat()
}

/// A stream whose events come one by one.
pub fn stream() -> Exchange {
    slowly(Exchange::events(&whole_stream()), Duration::from_millis(20))
}

/// An exchange with pauses between its steps.
pub fn slowly(exchange: Exchange, pause: Duration) -> Exchange {
    let steps = exchange.steps.into_iter().flat_map(|step| [Step::Pause(pause), step]).collect();
    Exchange { steps }
}

/// An exchange that begins after this time.
pub fn late(exchange: Exchange, wait: Duration) -> Exchange {
    let mut steps = exchange.steps;
    steps.insert(0, Step::Pause(wait));
    Exchange { steps }
}

/// The beginning of an exchange and then these steps.
pub fn then(beginning: impl Into<Vec<u8>>, steps: impl IntoIterator<Item = Step>) -> Exchange {
    let steps = std::iter::once(Step::send(beginning)).chain(steps).collect();
    Exchange { steps }
}

/// One step only.
pub fn only(step: Step) -> Exchange {
    Exchange { steps: vec![step] }
}

/// A script that is healthy up to what these answer.
pub fn after_models(exchange: Exchange) -> Script {
    Script::sequence(vec![models(), exchange])
}

pub fn after_chat(exchange: Exchange) -> Script {
    Script::sequence(vec![models(), chat(), exchange, response()])
}

/// Serves every connection in a thread of its own, until the process ends.
pub fn serve(
    handle: impl Fn(TcpStream) -> std::io::Result<()> + Send + Sync + 'static,
) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let handle = Arc::new(handle);
    thread::spawn(move || {
        for peer in listener.incoming() {
            let handle = handle.clone();
            // A peer that goes away is no fault of this server.
            thread::spawn(move || handle(peer?));
        }
    });
    address
}

/// Reads one request; `None` at the end of the connection.
pub fn request(from: &mut impl Read) -> Option<String> {
    let (mut said, mut some) = (Vec::new(), [0; 4096]);
    loop {
        let text = String::from_utf8_lossy(&said);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let head = head.to_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
                return Some(text.into_owned());
            }
        }
        match from.read(&mut some) {
            Ok(0) | Err(_) => return None,
            Ok(count) => said.extend_from_slice(&some[..count]),
        }
    }
}

/// Answers every request over this with these bytes.
pub fn answering(bytes: &'static str) -> SocketAddr {
    serve(move |mut peer| {
        while request(&mut peer).is_some() {
            peer.write_all(bytes.as_bytes())?;
        }
        Ok(())
    })
}

/// A proxy that opens every tunnel to this address.
pub fn tunnel(to: SocketAddr) -> SocketAddr {
    serve(move |mut peer| {
        if request(&mut peer).is_none() {
            return Ok(());
        }
        let mut there = TcpStream::connect(to)?;
        peer.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?;
        let (mut from, mut into) = (peer.try_clone()?, there.try_clone()?);
        thread::spawn(move || std::io::copy(&mut from, &mut into));
        std::io::copy(&mut there, &mut peer)?;
        Ok(())
    })
}

/// A server of TLS with this certificate that plays a healthy service.
pub fn secure(made: &Certificates, name: &str) -> SocketAddr {
    secure_for(made, name, false)
}

/// The same; it may want a certificate of its client's, which the authority signed. It speaks TLS 1.2
/// then, in which that is a matter of the handshake.
pub fn secure_for(made: &Certificates, name: &str, wants_certificate: bool) -> SocketAddr {
    let chain = CertificateDer::pem_file_iter(made.path(&format!("{name}.pem"))).unwrap();
    let chain = chain.map(Result::unwrap).collect();
    let key = PrivateKeyDer::from_pem_file(made.path(&format!("{name}.key"))).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider.clone());
    let builder = match wants_certificate {
        false => builder.with_safe_default_protocol_versions().unwrap().with_no_client_auth(),
        true => {
            let mut roots = RootCertStore::empty();
            roots.add(CertificateDer::from_pem_file(made.path("ca.pem")).unwrap()).unwrap();
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            builder
                .with_protocol_versions(&[&rustls::version::TLS12])
                .unwrap()
                .with_client_cert_verifier(verifier.build().unwrap())
        }
    };
    let config = Arc::new(builder.with_single_cert(chain, key).unwrap());
    serve(move |mut peer| {
        let mut tls = ServerConnection::new(config.clone()).unwrap();
        let mut stream = Stream::new(&mut tls, &mut peer);
        while let Some(asked) = request(&mut stream) {
            healthy(&asked, &mut stream)?;
        }
        Ok(())
    })
}

fn healthy(asked: &str, to: &mut impl Write) -> std::io::Result<()> {
    let is_stream = asked.contains("\"stream\":true");
    let body = match asked {
        asked if asked.starts_with("GET") => models_body(),
        asked if asked.contains("/responses") => response_body(),
        _ if is_stream => whole_stream().iter().map(|data| format!("data: {data}\n\n")).collect(),
        _ => chat_body(),
    };
    let content_type = if is_stream { "text/event-stream" } else { "application/json" };
    let length = body.len();
    write!(
        to,
        "HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\n\r\n{body}"
    )?;
    to.flush()
}

/// Certificates made for one test: an authority and what it signed.
pub struct Certificates(Folder);

/// A span of time that holds the present for long.
pub const VALID: [&str; 2] = ["200101000000Z", "491231000000Z"];
/// One that is over.
pub const EXPIRED: [&str; 2] = ["200101000000Z", "200201000000Z"];
/// One that is to come.
pub const EARLY: [&str; 2] = ["490101000000Z", "491231000000Z"];

const OPENSSL: &str = "\
[req]\ndistinguished_name = dn\nprompt = no\n[dn]\nCN = modelwire test\n\
[root]\nbasicConstraints = critical,CA:TRUE\nkeyUsage = critical,keyCertSign,cRLSign\n\
[self]\nsubjectAltName = IP:127.0.0.1\n";
const AUTHORITY: &str = "[ca]\ndefault_ca = a\n[a]\ndatabase = index.txt\nserial = serial\n\
    new_certs_dir = .\ndefault_md = sha256\npolicy = p\nunique_subject = no\n[p]\ncommonName = supplied\n";

impl Certificates {
    pub fn new() -> Certificates {
        let made = Certificates(Folder::new());
        for (name, content) in
            [("openssl.cnf", OPENSSL), ("ca.cnf", AUTHORITY), ("index.txt", ""), ("serial", "01\n")]
        {
            made.0.file(name, content);
        }
        made.self_signed("ca", "root", 10);
        made
    }

    /// A certificate and its key in one file.
    pub fn pair(&self, name: &str) -> String {
        let [certificate, key] =
            ["pem", "key"].map(|end| std::fs::read(self.path(&format!("{name}.{end}"))).unwrap());
        let path = self.0.file(&format!("{name}.pair"), [certificate, key].concat());
        path.to_str().unwrap().to_owned()
    }

    pub fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    /// A certificate that nobody else signed.
    pub fn self_signed(&self, name: &str, extensions: &str, days: u32) {
        self.run(&format!(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days {days} -config openssl.cnf \
             -extensions {extensions} -subj /CN={name} -keyout {name}.key -out {name}.pem"
        ));
    }

    /// A certificate that the authority signed, with these extensions and times.
    pub fn sign(&self, name: &str, extensions: &str, [start, end]: [&str; 2]) {
        self.signed(name, extensions, &format!("-startdate {start} -enddate {end}"));
    }

    /// One that ends in so many days.
    pub fn sign_for_days(&self, name: &str, extensions: &str, days: u32) {
        self.signed(name, extensions, &format!("-days {days}"));
    }

    fn signed(&self, name: &str, extensions: &str, times: &str) {
        self.0.file(&format!("{name}.cnf"), extensions);
        self.run(&format!(
            "req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -config openssl.cnf \
             -subj /CN={name} -keyout {name}.key -out {name}.csr"
        ));
        self.run(&format!(
            "ca -batch -notext -config ca.cnf -cert ca.pem -keyfile ca.key {times} -extfile {name}.cnf \
             -in {name}.csr -out {name}.pem"
        ));
    }

    fn run(&self, arguments: &str) {
        let mut command = Command::new("openssl");
        command.args(arguments.split_whitespace()).current_dir(self.0.path());
        let output = command.output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "openssl {arguments}: {told}");
    }
}

/// A listening socket whose queue is full: whoever connects next gets no answer. The connections that fill
/// it live as long as it.
pub struct Full {
    pub address: SocketAddr,
    _listener: socket2::Socket,
    _waiting: Vec<socket2::Socket>,
}

impl Full {
    pub fn new() -> Full {
        let kind = (socket2::Domain::IPV4, socket2::Type::STREAM);
        let listener = socket2::Socket::new(kind.0, kind.1, None).unwrap();
        listener.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
        listener.listen(0).unwrap();
        let address = listener.local_addr().unwrap().as_socket().unwrap();
        let waiting = (0..8).map(|_| {
            let one = socket2::Socket::new(kind.0, kind.1, None).unwrap();
            one.set_nonblocking(true).unwrap();
            let _ = one.connect(&address.into()); // under way, or waiting for ever
            one
        });
        let waiting = waiting.collect();
        // clock: connections of the kernel that nothing tells of
        thread::sleep(Duration::from_millis(50));
        Full { address, _listener: listener, _waiting: waiting }
    }
}

/// Whether this machine lets a test put other files in place of /etc/resolv.conf and /etc/hosts.
pub fn can_replace_files() -> bool {
    let folder = Folder::new();
    let file = folder.file("hosts", "");
    let mount = format!("mount --bind {} /etc/hosts", file.display());
    Command::new("unshare")
        .args(["-rm", "sh", "-c", &mount])
        .status()
        .is_ok_and(|ended| ended.success())
}
