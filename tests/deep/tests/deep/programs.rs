//! Starts nginx, proxies and openssl, each with a configuration in a folder of its own.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(20);

/// Where a program is; a missing one fails the test with the command that installs it.
pub fn program(name: &str, package: &str) -> PathBuf {
    let path = std::env::var("PATH").unwrap_or_default() + ":/usr/sbin:/sbin";
    let found = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|p| p.is_file());
    found.unwrap_or_else(|| panic!("{name} is missing: apt-get install {package}"))
}

/// A folder that goes away with its owner.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("modelwire-deep-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    pub fn file(&self, name: &str) -> String {
        self.0.join(name).to_string_lossy().into_owned()
    }

    pub fn write(&self, name: &str, text: &str) -> String {
        std::fs::write(self.0.join(name), text).unwrap();
        self.file(name)
    }

    pub fn read(&self, name: &str) -> String {
        String::from_utf8_lossy(&std::fs::read(self.0.join(name)).unwrap_or_default()).into_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// An address of this machine that is not loopback, where it has one.
pub fn own_address() -> Option<String> {
    let output = Command::new("hostname").arg("-I").output().ok()?;
    let told = String::from_utf8(output.stdout).ok()?;
    told.split_whitespace().find(|word| word.contains('.')).map(str::to_owned)
}

/// Where nobody listens now.
pub fn free_port(host: &str) -> u16 {
    TcpListener::bind((host, 0)).unwrap().local_addr().unwrap().port()
}

/// A program in the foreground that ends with its owner.
pub struct Running {
    child: Child,
    pub folder: Folder,
    pub address: SocketAddr,
}

impl Running {
    /// Starts it and waits until it accepts connections at its address.
    fn start(mut command: Command, folder: Folder, address: SocketAddr) -> Running {
        let output = std::fs::File::create(folder.file("output")).unwrap();
        command.stdin(Stdio::null()).stdout(output.try_clone().unwrap()).stderr(output);
        let child = command.spawn().unwrap();
        let mut running = Running { child, folder, address };
        let start = Instant::now();
        while TcpStream::connect(address).is_err() {
            let ended = running.child.try_wait().unwrap();
            let told = running.log();
            assert!(ended.is_none(), "{command:?} ended: {told}");
            // clock: bounds a hang
            assert!(start.elapsed() < PATIENCE, "{command:?} does not listen: {told}");
            // clock: between two looks
            std::thread::sleep(Duration::from_millis(10));
        }
        running
    }

    /// Everything that it logged so far.
    pub fn log(&self) -> String {
        let logs = ["output", "error.log", "access.log"];
        logs.map(|name| self.folder.read(name)).join("\n")
    }

    /// The lines of nginx's access log: protocol, method, target, status, connection number.
    pub fn accesses(&self) -> Vec<Vec<String>> {
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect();
        self.folder.read("access.log").lines().map(words).collect()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// nginx in front of a service: `server` goes into its server block, after `listen`.
pub fn nginx(host: &str, listen: &str, service: SocketAddr, server: &str) -> Running {
    let path = program("nginx", "nginx-light");
    let (folder, port) = (Folder::new(), free_port(host));
    let temp: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|kind| format!("{kind}_temp_path {};\n", folder.file(kind)))
        .concat();
    let (pid, access) = (folder.file("pid"), folder.file("access.log"));
    let text = format!(
        "daemon off; master_process off; user root; pid {pid};\n\
         events {{ worker_connections 4096; }}\n\
         http {{\n{temp}\
         log_format short '$server_protocol $request_method $request_uri $status $connection $ssl_session_reused';\n\
         access_log {access} short;\n\
         server {{\nlisten {host}:{port} {listen};\n{server}\n\
         location / {{ proxy_pass http://{service}; proxy_http_version 1.1; proxy_buffering off;\n\
         proxy_set_header Connection ''; }}\n}}\n}}\n"
    );
    let file = folder.write("nginx.conf", &text);
    let mut command = Command::new(path);
    command.args(["-e", &folder.file("error.log"), "-p", &folder.file("."), "-c", &file]);
    let address = format!("{host}:{port}").parse().unwrap();
    Running::start(command, folder, address)
}

/// An HTTP proxy; `more` goes into its configuration.
pub fn tinyproxy(more: &str) -> Running {
    let path = program("tinyproxy", "tinyproxy");
    let (folder, port) = (Folder::new(), free_port("127.0.0.1"));
    let pid = folder.file("pid");
    let text = format!(
        "Port {port}\nListen 127.0.0.1\nTimeout 60\nMaxClients 50\nLogLevel Connect\n\
         PidFile \"{pid}\"\n{more}\n"
    );
    let file = folder.write("tinyproxy.conf", &text);
    let mut command = Command::new(path);
    command.args(["-d", "-c", &file]);
    Running::start(command, folder, SocketAddr::from(([127, 0, 0, 1], port)))
}

/// A SOCKS5 proxy.
pub fn microsocks(more: &[&str]) -> Running {
    let path = program("microsocks", "microsocks");
    let (folder, port) = (Folder::new(), free_port("127.0.0.1"));
    let mut command = Command::new(path);
    command.args(["-i", "127.0.0.1", "-p", &port.to_string()]).args(more);
    Running::start(command, folder, SocketAddr::from(([127, 0, 0, 1], port)))
}

const OPENSSL: &str = "\
[req]\ndistinguished_name = dn\nprompt = no\n[dn]\nCN = modelwire test\n\
[root]\nbasicConstraints = critical,CA:TRUE\nkeyUsage = critical,keyCertSign,cRLSign\n";

/// Certificates made for one test: an authority and what it signed.
pub struct Certificates {
    pub folder: Folder,
    openssl: PathBuf,
}

impl Certificates {
    pub fn new() -> Certificates {
        let made = Certificates { folder: Folder::new(), openssl: program("openssl", "openssl") };
        made.folder.write("openssl.cnf", OPENSSL);
        made.folder.write("index.txt", "");
        made.folder.write("serial", "01\n");
        for authority in ["ca", "other"] {
            let (key, certificate) = (format!("{authority}.key"), format!("{authority}.pem"));
            made.run(&format!(
                "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 10 \
                 -config openssl.cnf -extensions root -subj /CN={authority} \
                 -keyout {key} -out {certificate}"
            ));
        }
        made
    }

    fn run(&self, arguments: &str) {
        let mut command = Command::new(&self.openssl);
        command.args(arguments.split_whitespace()).current_dir(&self.folder.0);
        let output = command.output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "openssl {arguments}: {told}");
    }

    /// A certificate with these names, valid between these times (`YYMMDDHHMMSSZ`).
    pub fn sign(&self, name: &str, extensions: &str, times: [&str; 2]) {
        let [start, end] = times;
        self.folder.write(&format!("{name}.cnf"), extensions);
        self.run(&format!(
            "req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -config openssl.cnf \
             -subj /CN={name} -keyout {name}.key -out {name}.csr"
        ));
        let ca = "[ca]\ndefault_ca = a\n[a]\ndatabase = index.txt\nserial = serial\n\
                  new_certs_dir = .\ndefault_md = sha256\npolicy = p\nunique_subject = no\n\
                  [p]\ncommonName = supplied\n";
        self.folder.write("ca.cnf", ca);
        self.run(&format!(
            "ca -batch -notext -config ca.cnf -cert ca.pem -keyfile ca.key -startdate {start} \
             -enddate {end} -extfile {name}.cnf -in {name}.csr -out {name}.pem"
        ));
    }

    /// The lines of nginx that serve this certificate.
    pub fn server(&self, name: &str) -> String {
        let (certificate, key) = (self.path(name, "pem"), self.path(name, "key"));
        format!("ssl_certificate {certificate};\nssl_certificate_key {key};\n")
    }

    pub fn path(&self, name: &str, end: &str) -> String {
        self.folder.file(&format!("{name}.{end}"))
    }

    pub fn pem(&self, name: &str) -> String {
        self.folder.read(&format!("{name}.pem"))
    }

    /// Certificate and private key in one.
    pub fn pair(&self, name: &str) -> String {
        self.pem(name) + &self.folder.read(&format!("{name}.key"))
    }
}

/// A span of time that holds the present for long.
pub const VALID: [&str; 2] = ["200101000000Z", "491231000000Z"];
/// One that is over.
pub const EXPIRED: [&str; 2] = ["200101000000Z", "200201000000Z"];

/// Certificates with one for every address that these tests serve on, named `server`.
pub fn certificates() -> Certificates {
    let made = Certificates::new();
    let own = own_address().map(|address| format!(",IP:{address}")).unwrap_or_default();
    let names = format!("subjectAltName = DNS:localhost,IP:127.0.0.1{own}\n");
    made.sign("server", &names, VALID);
    made
}
