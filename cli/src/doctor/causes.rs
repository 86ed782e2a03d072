//! What is wrong, why, and what to do: one table of faults, and which of them an error is. Pure: knows no
//! socket and no text of a report.

use std::io;

use modelwire::{Error, ErrorKind, TimeoutPhase};
use rustls::CertificateError;

/// The enum, the names, causes and actions follow from one table: to add a fault is to add a row, and a
/// script in tests/cli/doctor.rs that has it.
macro_rules! faults {
    ($($fault:ident: $name:literal, cause $cause:literal, action $action:literal;)+) => {
        /// Everything that the doctor recognises.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Fault {
            $($fault,)+
        }

        /// The stable names of all faults, as the JSON report has them.
        pub const FAULTS: &[&str] = &[$($name),+];

        impl Fault {
            /// A stable name in snake case.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Fault::$fault => $name,)+
                }
            }

            /// Why it is so.
            pub(crate) fn cause(self) -> &'static str {
                match self {
                    $(Fault::$fault => $cause,)+
                }
            }

            /// What to do about it.
            pub(crate) fn action(self) -> &'static str {
                match self {
                    $(Fault::$fault => $action,)+
                }
            }
        }
    };
}

faults! {
    // Configuration.
    KeyMissing: "key_missing",
        cause "no API key is configured",
        action "Create a key in the service's control panel and set MODELWIRE_API_KEY to it, or give a file with --key-file.";
    KeyMalformed: "key_malformed",
        cause "the API key was not copied as it is",
        action "Copy the whole key again from the service's control panel, and give it alone.";
    KeyOfAnother: "key_of_another",
        cause "base URL and key come from different families of variables, and may belong to different services",
        action "Set MODELWIRE_BASE_URL and MODELWIRE_API_KEY both, or OPENAI_BASE_URL and OPENAI_API_KEY both.";
    TwoValues: "two_values",
        cause "two variables are set to different things, and only the first counts",
        action "Unset the one that is not meant.";
    OptionWrong: "option_wrong",
        cause "an option of the client is wrong",
        action "Correct the option that is named.";
    BaseUrlMissing: "base_url_missing",
        cause "no base URL is configured, and none is built in",
        action "Set MODELWIRE_BASE_URL, or give --base-url https://host/v1.";
    BaseUrlMalformed: "base_url_malformed",
        cause "the base URL is not one",
        action "Give it like https://host/v1, without quotes.";
    SchemeMissing: "scheme_missing",
        cause "the base URL does not begin with https:// or http://",
        action "Put https:// before it (http:// for a service on this machine).";
    OperationInPath: "operation_in_path",
        cause "the base URL names an operation, which is added to it by every call",
        action "Leave out what stands behind /v1.";
    VersionTwice: "version_twice",
        cause "/v1 stands twice in the path of the base URL",
        action "Leave out one of them.";
    VersionMissing: "version_missing",
        cause "the path of the base URL does not end in /v1, as the service's does",
        action "Add /v1, unless the service's own pages say otherwise.";
    SlashesDoubled: "slashes_doubled",
        cause "the path of the base URL has two slashes side by side, which many servers take for another path",
        action "Leave out one of them.";
    PortUnusual: "port_unusual",
        cause "scheme and port of the base URL do not go together: http is spoken on 80, https on 443",
        action "Leave out the port, or correct the scheme.";
    KeyUnencrypted: "key_unencrypted",
        cause "the base URL is plain http to another machine: the key travels unencrypted",
        action "Use https://, unless the network between is trusted.";

    // Proxy.
    ProxyMalformed: "proxy_malformed",
        cause "the proxy that is configured is not the URL of one",
        action "Give it like http://host:port or socks5h://host:port.";
    ProxyAuthentication: "proxy_authentication",
        cause "the proxy wants a name and a password, and got none or wrong ones (407)",
        action "Put them into the proxy's URL: http://name:password@host:port; signs in them percent-encoded.";
    ProxyRefuses: "proxy_refuses",
        cause "the proxy took the connection, but opened none to the service",
        action "Ask who runs the proxy whether it may reach this host, or name the host in NO_PROXY.";

    // DNS.
    NameNotFound: "name_not_found",
        cause "there is no address for this name: a typing error, or a name that only another network or a VPN knows",
        action "Check the host name in the base URL; connect the VPN if the service needs one.";
    NameServerSilent: "name_server_silent",
        cause "the name servers of this machine do not answer: no network, or name lookup is broken here",
        action "Check that this machine is online, and its name servers (/etc/resolv.conf).";
    NameSlow: "name_slow",
        cause "looking up the name takes long, which every new connection pays: a name server that does not answer, mostly",
        action "Check the name servers of this machine (/etc/resolv.conf); put one that answers first.";

    // TCP.
    Refused: "refused",
        cause "the machine is there, but nothing listens on this port",
        action "Check the port in the base URL, and that the service runs.";
    Unreachable: "unreachable",
        cause "there is no way to this address from here: no network, no route, or a firewall that says no",
        action "Check that this machine is online, VPN and firewall; where only IPv6 fails, that IPv6 works here.";
    ConnectTimeout: "connect_timeout",
        cause "no answer to the attempt to connect: a firewall that drops it, a wrong address, or a machine that is off or overloaded",
        action "Check host and port, firewall and VPN; where a proxy is needed, set HTTPS_PROXY.";
    ConnectFailed: "connect_failed",
        cause "no connection",
        action "Check host and port in the base URL, and that the service is reachable from here.";
    AddressesFail: "addresses_fail",
        cause "some addresses of the host take no connection: calls that try those first are slow to start",
        action "Where only IPv6 fails, repair or switch off IPv6 here; otherwise tell the service.";

    // TLS.
    NoRoots: "no_roots",
        cause "no certificates of authorities were found, so that no server can be trusted",
        action "Install the package ca-certificates, or set SSL_CERT_FILE to a file of them.";
    CertificateExpired: "certificate_expired",
        cause "the server's certificate has expired, or the clock of this machine is ahead",
        action "Check the date of this machine; if it is right, the service has to renew its certificate.";
    CertificateEarly: "certificate_early",
        cause "the server's certificate is not valid yet: mostly the clock of this machine is behind",
        action "Check the date of this machine, and set the clock.";
    CertificateSelfSigned: "certificate_self_signed",
        cause "the server's certificate is signed by itself: nobody vouches for it",
        action "If it is your own server, add its certificate (SSL_CERT_FILE, or the option ca_pem); otherwise do not trust it.";
    CertificateUnknownIssuer: "certificate_unknown_issuer",
        cause "whoever signed the server's certificate is not trusted here: an authority of your organisation, a proxy that reads TLS, or a server that leaves out the certificates between",
        action "Add the authority's certificate (SSL_CERT_FILE, or the option ca_pem); verification cannot be switched off.";
    CertificateWrongName: "certificate_wrong_name",
        cause "the server's certificate is for other names than the host in the base URL",
        action "Use one of the names that it is for; or another server answers here than was meant.";
    CertificateRefused: "certificate_refused",
        cause "the server's certificate cannot be accepted",
        action "Tell who runs the service; the words of the check are above.";
    CertificateEnds: "certificate_ends",
        cause "the server's certificate ends soon",
        action "Tell who runs the service, if that is not renewed by itself.";
    NotTls: "not_tls",
        cause "what answers on this port does not speak TLS: a server of plain http, or a proxy",
        action "Check the port; for a server of plain http the base URL begins with http://.";
    TlsCut: "tls_cut",
        cause "the connection was closed in the TLS handshake: a firewall that looks into TLS, or a server that does not know the host name",
        action "Check the host name in the base URL, and firewall or VPN on the way.";
    TlsTimeout: "tls_timeout",
        cause "the TLS handshake got no answer in time: another protocol on this port, or something on the way that swallows it",
        action "Check the port in the base URL, and firewall or VPN on the way.";
    TlsFailed: "tls_failed",
        cause "the TLS handshake failed",
        action "Check that the server speaks TLS 1.2 or 1.3; where it wants a client certificate, configure one (the option client_certificate_pem).";
    TlsOnThisPort: "tls_on_this_port",
        cause "this port speaks TLS, and the base URL is plain http",
        action "Begin the base URL with https://.";

    // Answers.
    Status400: "status_400",
        cause "the service refuses the request (400): invalid JSON, a field that is missing, or a parameter that it does not accept",
        action "Reproduce it with a minimal request, then add parameters one by one; the service's words are above.";
    Status401: "status_401",
        cause "the service does not accept the key (401): no key, an invalid key, or a malformed Bearer header",
        action "Copy the whole key again from the service's control panel, and check that it is of this service and not revoked.";
    Status403: "status_403",
        cause "the service forbids it (403): a condition of account, key, permission, balance or model is not met",
        action "Check in the control panel: balance, state and restrictions of the account, what the key may do, and whether the model is available.";
    Status404: "status_404",
        cause "nothing is there (404): a wrong path, or a model that is not available",
        action "Check the base URL, its path and the model name, as the control panel shows them.";
    Status404NoVersion: "status_404_no_version",
        cause "nothing is there (404), and the base URL does not end in /v1",
        action "Add /v1 to the base URL.";
    Status405: "status_405",
        cause "the path exists, but not for this kind of call (405): the base URL points to another page of the service",
        action "Check the path of the base URL: it ends in /v1.";
    Status429: "status_429",
        cause "a limit is exceeded (429): of rate, concurrency, quota or resources",
        action "Lower the request rate and retry with backoff; look up limits and quota in the control panel.";
    Status5xx: "status_5xx",
        cause "a temporary fault of the service or of an upstream provider (5xx)",
        action "Note the time and the error and retry later, or contact support.";
    StatusOther: "status_other",
        cause "a status that the service's specification does not name",
        action "Check the base URL and any proxy between.";
    Redirect: "redirect",
        cause "the service sends to another place, which is not followed: the key would go there",
        action "If the place is right, put it into the base URL, up to /v1; a login page means a wrong host or a captive portal.";
    Page: "page",
        cause "a web page came instead of JSON: another host or path than the API's, a login page, or a captive portal",
        action "Check host and path of the base URL; open it in a browser to see the page.";
    NotJson: "not_json",
        cause "what came is no JSON that the specification promises: no OpenAI-compatible service, or an answer that was changed on its way",
        action "Check that the base URL names the API, and any proxy between.";
    NotHttp: "not_http",
        cause "what listens on this port does not speak HTTP",
        action "Check the port in the base URL.";
    ClosedWithoutAnswer: "closed_without_answer",
        cause "the connection was closed before an answer came: a server that crashed or restarts, or something on the way that cut it",
        action "Try again; if it stays so, look at the server's log, and at proxy, load balancer or firewall on the way.";
    BrokenOff: "broken_off",
        cause "the connection broke off in the middle of the answer: a server that crashed, or something on the way that cut it",
        action "Try again; if it stays so, look at the server's log, and at proxy, load balancer or firewall on the way.";
    FirstByteTimeout: "first_byte_timeout",
        cause "the connection stands and the request was sent, but no answer began in time: an overloaded service, a model that is being loaded, or a proxy that swallows requests",
        action "Try again with a longer --timeout; look at the load of the service.";
    FirstByteSlow: "first_byte_slow",
        cause "the answer took long to begin: an overloaded service, or a model that was being loaded",
        action "Run it again to see whether it stays so; keep first_byte_timeout_ms well above this.";
    Stalled: "stalled",
        cause "the answer began and then stopped: a service that hangs, or something on the way that holds it back",
        action "Try again with a longer --timeout; look at the service's load and at proxies between.";

    // Models.
    NoModel: "no_model",
        cause "no model is known to call",
        action "Name one with --model or MODELWIRE_MODEL, as the control panel shows it.";
    ModelNotListed: "model_not_listed",
        cause "the model is not in the list of the service",
        action "Give a name exactly as the control panel shows it.";
    OnlyStreams: "only_streams",
        cause "this model answers only by streaming",
        action "Stream the calls, or set the option stream_only: then a plain call streams underneath and the answer still comes whole.";
    ErrorInAnswer: "error_in_answer",
        cause "the service reports an error under a good status",
        action "Judge by type and code of the error above; retry later, or contact support.";

    // Streams.
    StreamCut: "stream_cut",
        cause "the stream broke off in the middle: a server that crashed, or a proxy or load balancer with a time limit",
        action "Look at the server's log and at time limits on the way; what arrived is a part of the answer.";
    NoEndMark: "no_end_mark",
        cause "the stream ended without its end mark: it may be cut, and cannot be taken as whole",
        action "Look at the server's log and at time limits of proxies; a compatible service ends with data: [DONE].";
    ErrorInStream: "error_in_stream",
        cause "the service reported an error inside the stream: what came before is a part of the answer",
        action "Judge by type and code of the error above; retry later, or contact support.";
    HeldBack: "held_back",
        cause "the chunks came all at once at the end: a proxy between buffers the stream (or the service does not really stream)",
        action "Switch buffering off on the way, for instance proxy_buffering off in nginx, or X-Accel-Buffering: no; no compression of text/event-stream.";
    NotStreamed: "not_streamed",
        cause "a stream was asked for, and one whole document came: the service or a gateway ignores stream",
        action "Programs work, but see nothing before the end; ask the service whether this model streams.";
    WrongContentType: "wrong_content_type",
        cause "a stream came under another content type than text/event-stream: proxies may buffer it, and other clients refuse it",
        action "Tell who runs the service; this client reads it all the same.";
    EndMarkMissing: "end_mark_missing",
        cause "the stream ended whole, but without data: [DONE]: other clients may wait or complain",
        action "Tell who runs the service; this client takes the finish reason for the end.";

    // This machine.
    ClockSkewed: "clock_skewed",
        cause "the clock of this machine and that of the service differ",
        action "Set the clock, or switch on time synchronisation (timedatectl set-ntp true).";
    ClientFailed: "client_failed",
        cause "the client could not make the call",
        action "If this is not explained by the words above, report it.";
}

/// How a call was made that failed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scene {
    /// A proxy stands between.
    pub(crate) through_proxy: bool,
    /// The base URL ends in /v1.
    pub(crate) has_version: bool,
    /// The base URL is plain http, and its port speaks TLS.
    pub(crate) speaks_tls: bool,
    /// Chunks of a stream had come.
    pub(crate) has_chunks: bool,
}

/// What an error of a call is.
pub(crate) fn of_error(error: &Error, scene: Scene) -> Fault {
    let is_ours = matches!(
        error.kind(),
        ErrorKind::InvalidRequest | ErrorKind::Protocol | ErrorKind::Disconnected
    );
    if scene.speaks_tls && is_ours {
        return Fault::TlsOnThisPort;
    }
    match error.kind() {
        ErrorKind::Authentication => Fault::Status401,
        ErrorKind::Permission if !is_page(error) => Fault::Status403,
        ErrorKind::RateLimited => Fault::Status429,
        ErrorKind::Server => Fault::Status5xx,
        ErrorKind::InvalidRequest if !is_page(error) => Fault::Status400,
        ErrorKind::NotFound if !scene.has_version => Fault::Status404NoVersion,
        ErrorKind::NotFound if !is_page(error) => Fault::Status404,
        ErrorKind::InvalidRequest | ErrorKind::Permission | ErrorKind::NotFound => Fault::Page,
        ErrorKind::Status | ErrorKind::Protocol => of_odd_answer(error),
        ErrorKind::Connect => of_no_connection(error, scene),
        ErrorKind::Tls => of_tls_words(error.message()),
        ErrorKind::Timeout => match error.timeout() {
            Some(TimeoutPhase::Pool | TimeoutPhase::Connect) => Fault::ConnectTimeout,
            Some(TimeoutPhase::Idle) => Fault::Stalled,
            Some(TimeoutPhase::Total) if error.status().is_some() || scene.has_chunks => {
                Fault::Stalled
            }
            Some(TimeoutPhase::FirstByte | TimeoutPhase::Total) | None => Fault::FirstByteTimeout,
        },
        // Something that speaks first, mail or SSH for instance, is told by the transport's words alone.
        ErrorKind::Disconnected if error.message().contains("unexpected message") => Fault::NotHttp,
        ErrorKind::Disconnected if scene.has_chunks => Fault::StreamCut,
        ErrorKind::Disconnected if error.status().is_some() => Fault::BrokenOff,
        ErrorKind::Disconnected => Fault::ClosedWithoutAnswer,
        ErrorKind::Incomplete => Fault::NoEndMark,
        ErrorKind::Stream if scene.has_chunks => Fault::ErrorInStream,
        ErrorKind::Stream => Fault::ErrorInAnswer,
        ErrorKind::Config => Fault::OptionWrong,
        ErrorKind::Cancelled
        | ErrorKind::Argument
        | ErrorKind::Closed
        | ErrorKind::Forked
        | ErrorKind::Shutdown
        | ErrorKind::Callback
        | ErrorKind::Internal => Fault::ClientFailed,
    }
}

/// What is no answer of the API at all, and what has a status that its specification does not name.
fn of_odd_answer(error: &Error) -> Fault {
    match error.status() {
        Some(407) => Fault::ProxyAuthentication,
        Some(300..400) => Fault::Redirect,
        Some(_) if is_page(error) => Fault::Page,
        Some(405) => Fault::Status405,
        Some(200..300) => Fault::NotJson,
        Some(_) => Fault::StatusOther,
        // Too many redirects have no status; what has no head is no HTTP.
        None if error.message().contains("redirect") => Fault::Redirect,
        None => Fault::NotHttp,
    }
}

/// The transport tells what a proxy said to CONNECT in words alone.
fn of_no_connection(error: &Error, scene: Scene) -> Fault {
    let words = error.message().to_ascii_lowercase();
    match scene.through_proxy {
        true if words.contains("proxy auth") => Fault::ProxyAuthentication,
        true => Fault::ProxyRefuses,
        false if words.contains("unexpected message") => Fault::NotHttp,
        false if words.contains("refused") => Fault::Refused,
        false if words.contains("closed the connection") => Fault::ClosedWithoutAnswer,
        false => Fault::ConnectFailed,
    }
}

/// The words of the check of a certificate, where nobody but the core saw it.
fn of_tls_words(words: &str) -> Fault {
    const WORDS: [(&str, Fault); 6] = [
        ("UnknownIssuer", Fault::CertificateUnknownIssuer),
        ("CaUsedAsEndEntity", Fault::CertificateSelfSigned),
        ("expired", Fault::CertificateExpired),
        ("not valid yet", Fault::CertificateEarly),
        ("not valid for name", Fault::CertificateWrongName),
        ("corrupt message", Fault::NotTls),
    ];
    let found = WORDS.into_iter().find(|(part, _)| words.contains(part));
    found.map_or(Fault::TlsFailed, |(_, fault)| fault)
}

/// Whether a page came where JSON is promised.
fn is_page(error: &Error) -> bool {
    let is_html = |(name, value): &(String, String)| {
        name == "content-type" && value.trim_start().to_ascii_lowercase().starts_with("text/html")
    };
    let begins_so = error.body().is_some_and(|body| body.trim_start().starts_with('<'));
    begins_so || error.headers().iter().any(is_html)
}

/// What a failed attempt to connect is.
pub(crate) fn of_connect(error: &io::Error) -> Fault {
    use io::ErrorKind as Kind;
    match error.kind() {
        Kind::ConnectionRefused => Fault::Refused,
        Kind::TimedOut | Kind::WouldBlock => Fault::ConnectTimeout,
        Kind::HostUnreachable
        | Kind::NetworkUnreachable
        | Kind::NetworkDown
        | Kind::AddrNotAvailable
        | Kind::PermissionDenied
        | Kind::Unsupported => Fault::Unreachable,
        _ => Fault::ConnectFailed,
    }
}

/// What a failed look-up is. The system tells in words alone whether the name is unknown or nobody was
/// there to be asked.
pub(crate) fn of_look_up(error: &io::Error) -> Fault {
    let words = error.to_string();
    let is_silence = ["Temporary failure", "try again", "Try again", "System error"];
    match is_silence.iter().any(|part| words.contains(part)) {
        true => Fault::NameServerSilent,
        false => Fault::NameNotFound,
    }
}

/// What the check of a certificate, or a handshake, failed at.
pub(crate) fn of_tls(error: &rustls::Error, is_self_signed: bool) -> Fault {
    use CertificateError as Bad;
    match error {
        rustls::Error::InvalidCertificate(bad) => match bad {
            Bad::Expired | Bad::ExpiredContext { .. } => Fault::CertificateExpired,
            Bad::NotValidYet | Bad::NotValidYetContext { .. } => Fault::CertificateEarly,
            Bad::NotValidForName | Bad::NotValidForNameContext { .. } => {
                Fault::CertificateWrongName
            }
            _ if is_self_signed => Fault::CertificateSelfSigned,
            Bad::UnknownIssuer => Fault::CertificateUnknownIssuer,
            _ => Fault::CertificateRefused,
        },
        rustls::Error::InvalidMessage(_) => Fault::NotTls,
        _ => Fault::TlsFailed,
    }
}

#[cfg(test)]
#[path = "causes_tests.rs"]
mod tests;
