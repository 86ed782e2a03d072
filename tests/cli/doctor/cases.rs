//! What goes wrong, case by case: the script, server, certificate or setting that makes it, and the finding
//! that has to come of it.

use std::io::Write;
use std::net::SocketAddr;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use modelwire_testing::{Exchange, Script, Service, Step};
use serde_json::Value;

use crate::servers::*;
use crate::support::{self, Folder, closed_port, modelwire, run};

/// A key that no output may have.
const KEY: &str = "sk-very-secret-0123456789";

/// The timeout of those that run into one, in seconds: what comes before the fault is done within it.
const SHORT_S: &str = "4";

const FAILED: &str = "failed";
const WARNING: &str = "warning";
const OK: &str = "ok";

/// What a run is given, and what has to come of it.
pub struct Case {
    pub what: String,
    arguments: Vec<String>,
    variables: Vec<(String, String)>,
    /// The check, its state and its fault.
    expected: (&'static str, &'static str, &'static str),
    /// Words of cause or action.
    says: &'static str,
    /// Files that stand in place of the system's.
    files: Vec<(String, &'static str)>,
    /// A script whose answers are judged by the time at which they arrive.
    paced: Option<(String, Script)>,
}

/// How often a finding is looked for that the pace decides: a machine that is busy holds answers back, or
/// pulls them apart. Unit tests prove how a pace is judged.
pub const PACED_TRIES: usize = 3;

fn case(
    what: &str,
    expected: (&'static str, &'static str, &'static str),
    says: &'static str,
) -> Case {
    Case {
        what: what.to_owned(),
        arguments: vec!["doctor".to_owned(), "--json".to_owned()],
        variables: vec![("MODELWIRE_API_KEY".to_owned(), KEY.to_owned())],
        expected,
        says,
        files: Vec::new(),
        paced: None,
    }
}

impl Case {
    fn at(self, base_url: impl Into<String>) -> Case {
        self.with("MODELWIRE_BASE_URL", base_url)
    }

    fn with(mut self, name: &str, value: impl Into<String>) -> Case {
        self.variables.retain(|(known, _)| known != name);
        self.variables.push((name.to_owned(), value.into()));
        self
    }

    /// At a script that is registered again for each try.
    fn paced(mut self, service: &Service, name: &str, script: Script) -> Case {
        let url = service.script(name, script.clone());
        self.paced = Some((name.to_owned(), script));
        self.at(url)
    }

    fn without_key(mut self) -> Case {
        self.variables.retain(|(known, _)| known != "MODELWIRE_API_KEY");
        self
    }

    fn arguments(mut self, arguments: &[&str]) -> Case {
        self.arguments.extend(arguments.iter().map(|&one| one.to_owned()));
        self
    }

    fn file(mut self, ours: impl Into<String>, place: &'static str) -> Case {
        self.files.push((ours.into(), place));
        self
    }

    fn command(&self) -> Command {
        let mut command = modelwire(&self.arguments);
        if !self.files.is_empty() {
            let mounts: Vec<String> = self
                .files
                .iter()
                .map(|(ours, place)| format!("mount --bind {ours} {place}"))
                .collect();
            let script = format!("{} && exec \"$0\" \"$@\"", mounts.join(" && "));
            let ours = command;
            command = Command::new("unshare");
            command
                .args(["-rm", "sh", "-c", &script])
                .arg(ours.get_program())
                .args(ours.get_args());
            command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).stdin(Stdio::null());
        }
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs it; what is wrong with what came, if anything, and the faults that were seen.
    pub fn check(&self, service: &Service) -> (Option<String>, Vec<String>) {
        let mut found = self.check_once();
        let mut tries = 1;
        while let (Some(_), Some((name, script))) = (&found.0, &self.paced)
            && tries < PACED_TRIES
        {
            service.script(name, script.clone());
            found = self.check_once();
            tries += 1;
        }
        found
    }

    fn check_once(&self) -> (Option<String>, Vec<String>) {
        let ran = run(&mut self.command());
        let text = ran.text().to_owned();
        let Ok(document) = serde_json::from_str::<Value>(&text) else {
            return (Some(format!("no document: {text}{}", ran.stderr)), Vec::new());
        };
        let checks = document["checks"].as_array().unwrap();
        let faults = checks.iter().filter_map(|check| Some(check["fault"].as_str()?.to_owned()));
        let (name, state, fault) = self.expected;
        let check = checks.iter().find(|check| check["name"] == name).unwrap();
        let is_ok = checks.iter().all(|check| check["state"] != "failed");
        let said = format!("{} {} {}", check["saw"], check["cause"], check["action"]);
        let has_fault = check["fault"].as_str() == Some(fault).filter(|fault| !fault.is_empty());
        let wrong = if check["state"] != state || !has_fault {
            Some("another finding")
        } else if !said.contains(self.says) {
            Some("other words")
        } else if ran.code() != if is_ok { 0 } else { 6 } || document["ok"] != is_ok {
            Some("another verdict")
        } else if text.contains(KEY) || ran.stderr.contains(KEY) {
            Some("the key is shown")
        } else if text.contains("a-password") {
            Some("the password is shown")
        } else {
            None
        };
        let faults = faults.collect();
        (wrong.map(|wrong| format!("{wrong}: {document:#}")), faults)
    }
}

/// Certificates of every kind, for 127.0.0.1.
pub fn certificates() -> Certificates {
    let made = Certificates::new();
    let here = "subjectAltName = IP:127.0.0.1,DNS:localhost,DNS:service.example\n";
    made.sign("good", here, VALID);
    made.sign("expired", here, EXPIRED);
    made.sign("early", here, EARLY);
    made.sign("elsewhere", "subjectAltName = DNS:elsewhere.example\n", VALID);
    made.sign("client", &format!("{here}extendedKeyUsage = clientAuth\n"), VALID);
    made.sign_for_days("ending", here, 5);
    made.self_signed("alone", "self", 10);
    made
}

pub fn configurations(service: &Service, folder: &Folder) -> Vec<Case> {
    let url = service.script("configurations", healthy());
    let key = |text: &str| {
        case(&format!("the key {text:?}"), ("configuration", FAILED, "key_malformed"), "")
            .with("MODELWIRE_API_KEY", text)
            .at(&url)
    };
    let lines = folder.file("lines", format!("{KEY}\n{KEY}\n"));
    let good = folder.file("good", format!("{KEY}\n"));
    let base = |text: &str, fault, says| {
        case(&format!("the base URL {text}"), ("base_url", FAILED, fault), says).at(text)
    };
    let at = service.address();
    vec![
        case("no key", ("configuration", FAILED, "key_missing"), "--key-file")
            .without_key()
            .at(&url),
        key(&format!("\"{KEY}\"")),
        key(&format!("Bearer {KEY}")),
        key(&format!("{KEY} {KEY}")),
        key(&format!("{KEY}\u{e4}")),
        key(&format!("MODELWIRE_API_KEY={KEY}")),
        case("white space around the key", ("configuration", OK, ""), "white space")
            .with("MODELWIRE_API_KEY", format!(" {KEY}\n"))
            .at(&url),
        case("a key file", ("configuration", OK, ""), "--key-file")
            .without_key()
            .arguments(&["--key-file", good.to_str().unwrap()])
            .at(&url),
        case("a key file of two lines", ("configuration", FAILED, "key_malformed"), "--key-file")
            .without_key()
            .arguments(&["--key-file", lines.to_str().unwrap()])
            .at(&url),
        case("two keys", ("configuration", WARNING, "two_values"), "OPENAI_API_KEY")
            .with("OPENAI_API_KEY", "sk-another")
            .at(&url),
        case(
            "a key of another family",
            ("configuration", WARNING, "key_of_another"),
            "MODELWIRE_BASE_URL",
        )
        .without_key()
        .with("OPENAI_API_KEY", KEY)
        .at(&url),
        case("an unknown option", ("configuration", FAILED, "option_wrong"), "htp2")
            .arguments(&["--option", "htp2=true"])
            .at(&url),
        case("no base URL", ("base_url", FAILED, "base_url_missing"), "--base-url"),
        base("nothing", "base_url_malformed", "https://host/v1"),
        base("\"https://service.example/v1\"", "base_url_malformed", "quotes"),
        base(KEY, "base_url_malformed", "wrong variable"),
        base(&format!("{at}/v1"), "scheme_missing", "https://"),
        base(&format!("http://{at}/v1/chat/completions"), "operation_in_path", "/chat/completions"),
        base(&format!("http://{at}/v1/v1"), "version_twice", "/v1"),
        case("two slashes", ("base_url", WARNING, "slashes_doubled"), "/v1")
            .at(format!("http://{at}//v1")),
        case("the port of https", ("base_url", WARNING, "port_unusual"), "443")
            .at("http://127.0.0.1:443/v1"),
        case("no version", ("base_url", WARNING, "version_missing"), "/v1")
            .at(format!("http://{at}")),
        case("no version, 404", ("models", FAILED, "status_404_no_version"), "/v1")
            .at(format!("http://{at}")),
        case("plain http to another machine", ("base_url", WARNING, "key_unencrypted"), "https://")
            .at("http://nothing.invalid/v1"),
        case("a healthy script", ("streaming", OK, ""), "it streams").paced(
            service,
            "healthy",
            healthy(),
        ),
    ]
}

/// A service that is well.
fn healthy() -> Script {
    Script::sequence(vec![models(), chat(), stream(), response()])
}

/// Names and sockets.
pub fn places(service: &Service, full: &Full) -> Vec<Case> {
    let at = |address: SocketAddr| format!("http://{address}/v1");
    vec![
        case("a name that is not", ("dns", FAILED, "name_not_found"), "host name")
            .at("http://nothing.invalid/v1"),
        case("a closed port", ("tcp", FAILED, "refused"), "port")
            .at(format!("http://127.0.0.1:{}/v1", closed_port())),
        case("a full queue", ("tcp", FAILED, "connect_timeout"), "firewall")
            .at(at(full.address))
            .arguments(&["--timeout", SHORT_S]),
        case("no way", ("tcp", FAILED, "unreachable"), "online").at("http://255.255.255.255/v1"),
        case("a port of TLS", ("models", FAILED, "tls_on_this_port"), "https://")
            .at(at(secure(&certificates(), "good"))),
        case("something else that speaks first", ("models", FAILED, "not_http"), "port").at(at(
            serve(|mut peer| {
                peer.write_all(b"SSH-2.0-a-server\r\n\r\n")?;
                while request(&mut peer).is_some() {}
                Ok(())
            }),
        )),
        case("something else that is spoken to", ("models", FAILED, "not_http"), "port")
            .at(at(answering("220 a server of mail\r\n"))),
        case("closed at once", ("models", FAILED, "closed_without_answer"), "log")
            .at(service.script("close", Script::one(only(Step::Close)))),
        case("reset at once", ("models", FAILED, "closed_without_answer"), "log")
            .at(service.script("reset", Script::one(only(Step::Reset)))),
    ]
}

/// What is judged by other files than the system's.
pub fn named(service: &Service, folder: &Folder) -> Vec<Case> {
    let silent = folder.file("resolv.conf", "nameserver 192.0.2.1\noptions timeout:1 attempts:1\n");
    let two = folder.file("hosts", "127.0.0.1 two.localhost\n127.0.0.2 two.localhost\n");
    let script = service.script("two", healthy());
    vec![
        case("name servers that are silent", ("dns", FAILED, "name_server_silent"), "resolv.conf")
            .at("http://service.example/v1")
            .arguments(&["--timeout", "8"])
            .file(silent.to_str().unwrap(), "/etc/resolv.conf"),
        case("one of two addresses", ("tcp", WARNING, "addresses_fail"), "127.0.0.2")
            .at(script.replace("127.0.0.1", "two.localhost"))
            .file(two.to_str().unwrap(), "/etc/hosts"),
    ]
}

pub fn secured(service: &Service, made: &Certificates, folder: &Folder) -> Vec<Case> {
    let of = |name: &str, state: &'static str, fault: &'static str, says: &'static str| {
        case(&format!("the certificate {name}"), ("tls", state, fault), says)
            .at(format!("https://{}/v1", secure(made, name)))
            .with("SSL_CERT_FILE", made.path("ca.pem"))
            .with("SSL_CERT_DIR", "")
    };
    let tls = |what: &str, fault, says, address: SocketAddr| {
        case(what, ("tls", FAILED, fault), says)
            .at(format!("https://{address}/v1"))
            .arguments(&["--timeout", SHORT_S])
    };
    let empty = folder.file("empty.pem", "");
    let wanting = || format!("https://{}/v1", secure_for(made, "good", true));
    let silent = |mut peer: std::net::TcpStream| {
        let _ = request(&mut peer); // never whole
        Ok(())
    };
    let alert = |mut peer: std::net::TcpStream| peer.write_all(&[21, 3, 3, 0, 2, 2, 40]);
    vec![
        of("good", OK, "", "TLS 1.3"),
        of("good", OK, "", "days left"),
        of("good", OK, "", "SSL_CERT_FILE"),
        case("the certificate good, added", ("tls", OK, ""), "the option ca_pem")
            .at(format!("https://{}/v1", secure(made, "good")))
            .arguments(&["--option", &format!("ca_pem=@{}", made.path("ca.pem"))]),
        of("ending", WARNING, "certificate_expires_soon", "4 days left"),
        of("expired", FAILED, "certificate_expired", "clock"),
        of("early", FAILED, "certificate_not_yet_valid", "clock"),
        of("elsewhere", FAILED, "certificate_wrong_name", "elsewhere.example"),
        of("client", FAILED, "certificate_refused", "extended key usage"),
        of("alone", FAILED, "certificate_self_signed", "self-signed"),
        of("ca", FAILED, "certificate_self_signed", "CA:FALSE"),
        of("good", FAILED, "certificate_unknown_issuer", "signed by CN=ca")
            .with("SSL_CERT_FILE", made.path("alone.pem")),
        of("good", FAILED, "no_roots", "ca-certificates")
            .with("SSL_CERT_FILE", empty.to_str().unwrap()),
        of("good", FAILED, "tls_failed", "client_certificate_pem").at(wanting()),
        of("good", OK, "", "TLS 1.2")
            .at(wanting())
            .arguments(&["--option", &format!("client_certificate_pem=@{}", made.pair("client"))]),
        tls("plain http on a port of https", "not_tls", "http://", service.address()),
        tls("closed in the handshake", "tls_cut", "firewall", serve(|_| Ok(()))),
        tls("silent in the handshake", "tls_timeout", "port", serve(silent)),
        tls("an alert in the handshake", "tls_failed", "TLS 1.2", serve(alert)),
    ]
}

pub fn proxied(made: &Certificates) -> Vec<Case> {
    let through = |what: &str, expected, says, url: &str, proxy: SocketAddr| {
        case(what, expected, says)
            .at(url)
            .with("ALL_PROXY", format!("http://a-name:a-password@{proxy}"))
    };
    let (plain, far) = ("http://service.example/v1", "https://service.example/v1");
    let refusing = |status: &'static str| answering(status);
    let wants = "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n";
    let forbids = "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n";
    let down = SocketAddr::from(([127, 0, 0, 1], closed_port()));
    let tunnel = |name| tunnel(secure(made, name));
    vec![
        case("no proxy", ("proxy", FAILED, "proxy_malformed"), "http://host:port")
            .at(far)
            .arguments(&["--option", "proxy=nothing"]),
        through("a proxy that is down", ("tcp", FAILED, "refused"), "This is the proxy", far, down),
        through(
            "407 to a request",
            ("models", FAILED, "proxy_authentication"),
            "name:password",
            plain,
            refusing(wants),
        ),
        through(
            "407 to CONNECT",
            ("models", FAILED, "proxy_authentication"),
            "name:password",
            far,
            refusing(wants),
        ),
        through(
            "403 to CONNECT",
            ("models", FAILED, "proxy_refuses"),
            "NO_PROXY",
            far,
            refusing(forbids),
        ),
        through("a proxy that is named", ("proxy", OK, ""), "ALL_PROXY", far, refusing(forbids)),
        through("seen by the proxy", ("tls", "skipped", ""), "proxy", far, refusing(forbids)),
        through(
            "not trusted, through a proxy",
            ("models", FAILED, "certificate_unknown_issuer"),
            "ca_pem",
            far,
            tunnel("good"),
        ),
        through(
            "expired, through a proxy",
            ("models", FAILED, "certificate_expired"),
            "date",
            far,
            tunnel("expired"),
        )
        .with("SSL_CERT_FILE", made.path("ca.pem")),
        through("trusted, through a proxy", ("models", OK, ""), "1 model", far, tunnel("good"))
            .with("SSL_CERT_FILE", made.path("ca.pem")),
        through(
            "a host without proxy",
            ("proxy", OK, ""),
            "NO_PROXY",
            "http://service.invalid/v1",
            down,
        )
        .with("NO_PROXY", "service.invalid"),
    ]
}

fn error(status: u16) -> Exchange {
    let body = r#"{"error":{"message":"the service's words","type":"a_type","code":"a_code"}}"#;
    Exchange::json(status, body)
}

/// Every row of the specification's table of errors, and what is no answer.
pub fn answers(service: &Service) -> Vec<Case> {
    let mut cases = Vec::new();
    let scripted = |name: &str, script: Script| service.script(name, script);
    let rows = [
        (400, "status_400", "minimal request"),
        (401, "status_401", "control panel"),
        (403, "status_403", "balance"),
        (404, "status_404", "path"),
        (405, "status_405", "/v1"),
        (418, "status_other", "base URL"),
        (429, "status_429", "backoff"),
        (500, "status_5xx", "retry later"),
        (503, "status_5xx", "retry later"),
    ];
    for (status, fault, says) in rows {
        let check = match status {
            401 => "key",
            403 => "permission",
            _ => "models",
        };
        let url = scripted(&format!("models-{status}"), Script::one(error(status)));
        cases.push(case(&format!("{status} to the list"), (check, FAILED, fault), says).at(&url));
        cases.push(
            case(&format!("{status} and its words"), (check, FAILED, fault), "a_code").at(url),
        );
        let url = scripted(&format!("chat-{status}"), after_models(error(status)));
        let says = if status == 404 { "model's name" } else { says };
        cases.push(case(&format!("{status} to a chat"), ("chat", FAILED, fault), says).at(url));
        let url = scripted(&format!("stream-{status}"), after_chat(error(status)));
        cases
            .push(case(&format!("{status} to a stream"), ("streaming", FAILED, fault), "").at(url));
    }
    let half = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{\"data\":[";
    let page = |status| {
        let html = "<!DOCTYPE html><html><title>Log in</title></html>";
        Exchange::json_with_headers(status, &[("Content-Type", "text/html")], html)
    };
    let moved = |status, place| Exchange::json_with_headers(status, &[("Location", place)], "");
    let slow = Duration::from_millis(5200);
    let hour_ago = httpdate::fmt_http_date(SystemTime::now() - Duration::from_secs(3600));
    let dated = Exchange::json_with_headers(200, &[("Date", &hour_ago)], models_body());
    let now = httpdate::fmt_http_date(SystemTime::now());
    let dated_now = Exchange::json_with_headers(200, &[("Date", &now)], models_body());
    let wait = Exchange::json_with_headers(429, &[("Retry-After", "7")], "{}");
    let quota = r#"{"error":{"message":"m","type":"t","code":"insufficient_quota"}}"#;
    let list = |exchange: Exchange| Script::one(exchange);
    for (name, script, expected, says) in [
        ("wait", list(wait), ("models", FAILED, "status_429"), "7 s"),
        (
            "quota",
            list(Exchange::json(429, quota)),
            ("models", FAILED, "status_429_quota"),
            "Raise or renew",
        ),
        ("page", list(page(200)), ("models", FAILED, "page"), "login page"),
        ("page-404", list(page(404)), ("models", FAILED, "page"), "captive portal"),
        (
            "moved-302",
            list(moved(302, "https://login.example/")),
            ("models", FAILED, "redirect"),
            "login.example",
        ),
        (
            "moved-308",
            list(moved(308, "/scripts/moved-308/v1/models")),
            ("models", FAILED, "redirect"),
            "base URL",
        ),
        ("no-json", list(Exchange::json(200, "well?")), ("models", FAILED, "not_json"), "well?"),
        ("no-list", list(Exchange::json(200, "{}")), ("models", FAILED, "not_json"), "API"),
        (
            "cut-json",
            list(Exchange::json(200, "{\"data\":[")),
            ("models", FAILED, "not_json"),
            "API",
        ),
        ("broken-off", list(then(half, [Step::Close])), ("models", FAILED, "broken_off"), "log"),
        (
            "reset-in-answer",
            list(then(half, [Step::Pause(Duration::from_millis(100)), Step::Reset])),
            ("models", FAILED, "broken_off"),
            "log",
        ),
        (
            "silent",
            list(only(Step::StallForever)),
            ("models", FAILED, "first_byte_timeout"),
            "--timeout",
        ),
        (
            "stalled",
            list(then(half, [Step::StallForever])),
            ("models", FAILED, "stalled"),
            "--timeout",
        ),
        ("error-200", list(error(200)), ("models", FAILED, "error_in_answer"), "a_type"),
        ("dated", list(dated), ("clock", WARNING, "clock_skewed"), "ahead of"),
        ("dated-now", list(dated_now), ("clock", OK, ""), "within"),
        (
            "no-models",
            list(Exchange::json(200, r#"{"object":"list","data":[]}"#)),
            ("model", FAILED, "no_model"),
            "--model",
        ),
        (
            "slow-chat",
            after_models(late(chat(), slow)),
            ("chat", WARNING, "first_byte_slow"),
            "first_byte_timeout_ms",
        ),
        (
            "silent-chat",
            after_models(only(Step::StallForever)),
            ("chat", FAILED, "first_byte_timeout"),
            "--timeout",
        ),
        ("page-chat", after_models(page(502)), ("chat", FAILED, "status_5xx"), "502"),
        (
            "no-choices",
            after_models(Exchange::json(200, "{}")),
            ("chat", FAILED, "not_json"),
            "choices",
        ),
        (
            "no-responses",
            Script::sequence(vec![models(), chat(), stream(), error(404)]),
            ("responses", OK, ""),
            "not supported",
        ),
        (
            "broken-responses",
            Script::sequence(vec![models(), chat(), stream(), error(500)]),
            ("responses", FAILED, "status_5xx"),
            "",
        ),
    ] {
        let url = service.script(name, script);
        let found = case(name, expected, says).at(url);
        let is_bounded = name.starts_with("silent") || name == "stalled";
        cases.push(if is_bounded { found.arguments(&["--timeout", SHORT_S]) } else { found });
    }
    let played = |what: &str, expected, says| {
        case(what, expected, says).at(service.base_url()).with("MODELWIRE_API_KEY", support::KEY)
    };
    cases.extend([
        played("a model that only streams", ("chat", WARNING, "only_streams"), "stream_only")
            .arguments(&["--model", "echo-stream-only"]),
        played("a model that is forbidden", ("chat", FAILED, "status_403"), "insufficient")
            .arguments(&["--model", "forbidden"]),
        played("a model that is broken", ("chat", FAILED, "status_5xx"), "")
            .arguments(&["--model", "broken"]),
        played(
            "a slip in the model's name",
            ("model", WARNING, "model_not_listed"),
            "Did you mean echo?",
        )
        .with("MODELWIRE_MODEL", "ehco"),
        played(
            "the same, without calls",
            ("model", FAILED, "model_not_listed"),
            "Did you mean echo?",
        )
        .arguments(&["--model", "ehco", "--no-calls"]),
        played("a model that is not", ("chat", FAILED, "status_404"), "model's name")
            .arguments(&["--model", "ehco"]),
        played("a wrong key", ("key", FAILED, "status_401"), "control panel")
            .with("MODELWIRE_API_KEY", KEY),
    ]);
    cases
}

pub fn streams(service: &Service) -> Vec<Case> {
    let cut_after =
        |events: &[String]| slowly(Exchange::events_cut(events), Duration::from_millis(5));
    let held = |wait| {
        // As a proxy does: head and events at once, when the last of them has come.
        let steps = Exchange::events(&whole_stream()).steps;
        let all = steps.into_iter().filter_map(|step| match step {
            Step::Send { bytes, .. } => Some(bytes),
            _ => None,
        });
        late(Exchange::raw(all.flatten().collect::<Vec<u8>>()), wait)
    };
    let body: String = whole_stream().iter().map(|data| format!("data: {data}\n\n")).collect();
    let error =
        r#"{"error":{"message":"the upstream failed","type":"server_error","code":"upstream"}}"#;
    let some = chunks(3);
    let mut stalled = Exchange::events(&some);
    stalled.steps.pop(); // the end of the body
    stalled.steps.push(Step::StallForever);
    let with =
        |more: &[&str]| [some.clone(), more.iter().map(|&one| one.to_owned()).collect()].concat();
    let finished = [chunks(3), vec![finish()]].concat();
    let plain = Exchange::json_with_headers(200, &[("Content-Type", "text/plain")], &body);
    let mut cases = Vec::new();
    for (name, exchange, expected, says) in [
        ("held-back", held(Duration::from_millis(700)), (WARNING, "held_back"), "proxy_buffering"),
        ("too-fast", held(Duration::ZERO), (OK, ""), "cannot tell"),
        (
            "few-chunks",
            Exchange::events(&[chunks(2), vec![finish(), "[DONE]".to_owned()]].concat()),
            (OK, ""),
            "cannot tell",
        ),
        ("stream-cut", cut_after(&some), (FAILED, "stream_cut"), "3 chunks"),
        (
            "stream-reset",
            slowly(Exchange::events_reset(&some), Duration::from_millis(50)),
            (FAILED, "stream_cut"),
            "time limit",
        ),
        ("no-end", Exchange::events(&some), (FAILED, "no_end_mark"), "[DONE]"),
        ("no-done", Exchange::events(&finished), (WARNING, "end_mark_missing"), "finish reason"),
        (
            "stream-error",
            Exchange::events(&with(&[error, "[DONE]"])),
            (FAILED, "error_in_stream"),
            "the upstream failed",
        ),
        (
            "stream-no-json",
            Exchange::events(&with(&["{\"broken\": <", "[DONE]"])),
            (FAILED, "not_json"),
            "proxy",
        ),
        ("one-document", chat(), (WARNING, "not_streamed"), "application/json"),
        ("content-type", plain, (WARNING, "wrong_content_type"), "text/plain"),
        ("stream-stalls", stalled, (FAILED, "stalled"), "3 chunks"),
    ] {
        let (script_name, script) = (format!("streams-{name}"), after_chat(exchange));
        let (state, fault) = expected;
        let found = case(name, ("streaming", state, fault), says);
        let found = match (state, fault) {
            (OK, _) | (_, "held_back") => found.paced(service, &script_name, script),
            _ => found.at(service.script(&script_name, script)),
        };
        let is_bounded = name == "stream-stalls";
        cases.push(if is_bounded { found.arguments(&["--timeout", SHORT_S]) } else { found });
    }
    cases
}
