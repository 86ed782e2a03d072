//! One table of faults with their causes and remedies, and the classification of errors as faults. Pure.

use std::io;

use modelwire::{Error, ErrorKind, TimeoutPhase};
use rustls::CertificateError;

/// Generates the enum, the names, causes and actions from one table. A new fault needs a row here, and a
/// script in tests/cli/doctor.rs that triggers it.
macro_rules! faults {
    ($($fault:ident: $name:literal, cause $cause:literal, action $action:literal;)+) => {
        /// The faults that the doctor recognizes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Fault {
            $($fault,)+
        }

        /// The stable names of all faults, as in the JSON report.
        pub const FAULTS: &[&str] = &[$($name),+];

        impl Fault {
            /// A stable name in snake case.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Fault::$fault => $name,)+
                }
            }

            /// The cause.
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
        action "Create a key in the service's control panel and set MODELWIRE_API_KEY to it, or name a file with --key-file.";
    KeyMalformed: "key_malformed",
        cause "the API key was not copied exactly",
        action "Copy the whole key again from the service's control panel, and nothing else.";
    KeyOfAnother: "key_of_another",
        cause "the base URL and the key come from different sets of variables, and may belong to different services",
        action "Set both MODELWIRE_BASE_URL and MODELWIRE_API_KEY, or both OPENAI_BASE_URL and OPENAI_API_KEY.";
    TwoValues: "two_values",
        cause "two variables are set to different values, and only the first is used",
        action "Unset the wrong one.";
    OptionWrong: "option_wrong",
        cause "a client option is invalid",
        action "Correct the option named above.";
    BaseUrlMissing: "base_url_missing",
        cause "no base URL is configured, and there is no default",
        action "Set MODELWIRE_BASE_URL, or give --base-url https://host/v1.";
    BaseUrlMalformed: "base_url_malformed",
        cause "the base URL is not a URL",
        action "Write it as https://host/v1, without quotes.";
    SchemeMissing: "scheme_missing",
        cause "the base URL does not begin with https:// or http://",
        action "Put https:// before it (http:// for a service on this machine).";
    OperationInPath: "operation_in_path",
        cause "the base URL includes an operation, which every call adds",
        action "Remove everything after /v1.";
    VersionTwice: "version_twice",
        cause "the path of the base URL has /v1 twice",
        action "Remove one of them.";
    VersionMissing: "version_missing",
        cause "the path of the base URL does not end in /v1, but the service's does",
        action "Add /v1, unless the service's documentation says otherwise.";
    SlashesDoubled: "slashes_doubled",
        cause "the path of the base URL has a double slash, which many servers treat as a different path",
        action "Remove one of them.";
    PortUnusual: "port_unusual",
        cause "the scheme and port of the base URL do not match: http uses 80, https 443",
        action "Remove the port, or correct the scheme.";
    KeyUnencrypted: "key_unencrypted",
        cause "the base URL uses plain http to another machine: the key is sent unencrypted",
        action "Use https://, unless you trust the network in between.";

    // Proxy.
    ProxyMalformed: "proxy_malformed",
        cause "the configured proxy is not a proxy URL",
        action "Write it as http://host:port or socks5h://host:port.";
    ProxyAuthentication: "proxy_authentication",
        cause "the proxy requires a user name and password, and got none or wrong ones (407)",
        action "Put them into the proxy's URL: http://name:password@host:port, with special characters percent-encoded.";
    ProxyRefuses: "proxy_refuses",
        cause "the proxy accepted the connection, but refused to connect to the service",
        action "Ask the proxy's administrator to allow this host, or list the host in NO_PROXY.";

    // DNS.
    NameNotFound: "name_not_found",
        cause "the host name has no address: a typo, or a name that resolves only in another network or a VPN",
        action "Check the host name in the base URL; connect the VPN if the service needs one.";
    NameServerSilent: "name_server_silent",
        cause "this machine's name servers do not answer: no network, or DNS is broken here",
        action "Check that this machine is online, and check its name servers (/etc/resolv.conf).";
    NameSlow: "name_slow",
        cause "the DNS lookup is slow, which delays every new connection: usually a name server that does not answer",
        action "Check this machine's name servers (/etc/resolv.conf); list one that answers first.";

    // TCP.
    Refused: "refused",
        cause "the host is up, but nothing listens on this port",
        action "Check the port in the base URL, and that the service is running.";
    Unreachable: "unreachable",
        cause "this address is unreachable from here: no network, no route, or a firewall that rejects it",
        action "Check that this machine is online, and check VPN and firewall; if only IPv6 fails, check that IPv6 works here.";
    ConnectTimeout: "connect_timeout",
        cause "the connection attempt timed out: a firewall that drops it, a wrong address, or a host that is off or overloaded",
        action "Check host and port, firewall and VPN; if a proxy is needed, set HTTPS_PROXY.";
    ConnectFailed: "connect_failed",
        cause "no connection",
        action "Check host and port in the base URL, and that the service is reachable from here.";
    AddressesFail: "addresses_fail",
        cause "some of the host's addresses accept no connections: calls that try those first are slow to start",
        action "If only IPv6 fails, fix or disable IPv6 here; otherwise tell the service.";

    // TLS.
    NoRoots: "no_roots",
        cause "no CA certificates were found, so no server can be trusted",
        action "Install the package ca-certificates, or set SSL_CERT_FILE to a file of CA certificates.";
    CertificateExpired: "certificate_expired",
        cause "the server's certificate has expired, or the clock of this machine is ahead",
        action "Check this machine's date; if it is right, the service has to renew its certificate.";
    CertificateNotYetValid: "certificate_not_yet_valid",
        cause "the server's certificate is not valid yet: usually the clock of this machine is behind",
        action "Check this machine's date, and set the clock.";
    CertificateSelfSigned: "certificate_self_signed",
        cause "the server's certificate is self-signed",
        action "If it is your own server, add its certificate (SSL_CERT_FILE, or the option ca_pem); otherwise do not trust it.";
    CertificateUnknownIssuer: "certificate_unknown_issuer",
        cause "the issuer of the server's certificate is not trusted here: your organisation's CA, a proxy that intercepts TLS, or a server that omits the intermediate certificates",
        action "Add the CA's certificate (SSL_CERT_FILE, or the option ca_pem); verification cannot be disabled.";
    CertificateWrongName: "certificate_wrong_name",
        cause "the server's certificate is for other names than the host in the base URL",
        action "Use one of the names in the certificate; or the wrong server answers here.";
    CertificateRefused: "certificate_refused",
        cause "the server's certificate is not acceptable",
        action "Tell the service's operator; the reason is above.";
    CertificateExpiresSoon: "certificate_expires_soon",
        cause "the server's certificate expires soon",
        action "Tell the service's operator, unless it is renewed automatically.";
    NotTls: "not_tls",
        cause "the server on this port does not speak TLS: a plain http server, or a proxy",
        action "Check the port; for a plain http server the base URL begins with http://.";
    TlsCut: "tls_cut",
        cause "the connection was closed during the TLS handshake: a firewall that inspects TLS, or a server that does not know the host name",
        action "Check the host name in the base URL, and any firewall or VPN in between.";
    TlsTimeout: "tls_timeout",
        cause "the TLS handshake timed out: another protocol on this port, or a firewall that drops it",
        action "Check the port in the base URL, and any firewall or VPN in between.";
    TlsFailed: "tls_failed",
        cause "the TLS handshake failed",
        action "Check that the server supports TLS 1.2 or 1.3; if it requires a client certificate, configure one (the option client_certificate_pem).";
    TlsOnThisPort: "tls_on_this_port",
        cause "this port uses TLS, but the base URL is plain http",
        action "Begin the base URL with https://.";

    // Answers.
    Status400: "status_400",
        cause "the service rejected the request (400): invalid JSON, a missing field, or a parameter that it does not accept",
        action "Reproduce it with a minimal request, then add parameters one by one; the service's message is above.";
    Status401: "status_401",
        cause "the service rejected the key (401): no key, an invalid key, or a malformed Bearer header",
        action "Copy the whole key again from the service's control panel, and check that it belongs to this service and is not revoked.";
    Status403: "status_403",
        cause "access is forbidden (403): because of the account, key, permissions, balance or model",
        action "Check in the control panel: the account's balance, status and restrictions, the key's permissions, and whether the model is available.";
    Status404: "status_404",
        cause "not found (404): a wrong path, or a model that is not available",
        action "Check the base URL, its path and the model name against the control panel.";
    Status404NoVersion: "status_404_no_version",
        cause "not found (404), and the base URL does not end in /v1",
        action "Add /v1 to the base URL.";
    Status405: "status_405",
        cause "method not allowed (405): the base URL points to another page of the service",
        action "Check the path of the base URL: it ends in /v1.";
    Status429: "status_429",
        cause "a limit is exceeded (429): of rate, concurrency, quota or resources",
        action "Lower the request rate and retry with backoff; check limits and quota in the control panel.";
    Status429Quota: "status_429_quota",
        cause "a quota of the account is exhausted (429)",
        action "Raise or renew the quota in the control panel; retries fail until then.";
    Status5xx: "status_5xx",
        cause "a temporary failure of the service or an upstream provider (5xx)",
        action "Note the time and the error and retry later, or contact support.";
    StatusOther: "status_other",
        cause "a status that the service's specification does not name",
        action "Check the base URL and any proxy in between.";
    Redirect: "redirect",
        cause "the service redirects elsewhere, which is not followed: the key would be sent there",
        action "If the target is right, use it as the base URL, up to /v1; a login page means a wrong host or a captive portal.";
    Page: "page",
        cause "the service returned a web page instead of JSON: not the API's host or path, a login page, or a captive portal",
        action "Check the host and path of the base URL; open it in a browser to see the page.";
    NotJson: "not_json",
        cause "the answer is not the JSON that the specification requires: not an OpenAI-compatible service, or an answer altered in transit",
        action "Check that the base URL names the API, and check any proxy in between.";
    NotHttp: "not_http",
        cause "the server on this port does not speak HTTP",
        action "Check the port in the base URL.";
    ClosedWithoutAnswer: "closed_without_answer",
        cause "the connection was closed before an answer arrived: a server that crashed or is restarting, or a proxy or firewall that closed it",
        action "Try again; if it persists, check the server's log and any proxy, load balancer or firewall in between.";
    BrokenOff: "broken_off",
        cause "the connection was lost in the middle of the answer: a server that crashed, or a proxy or firewall that closed it",
        action "Try again; if it persists, check the server's log and any proxy, load balancer or firewall in between.";
    FirstByteTimeout: "first_byte_timeout",
        cause "the request was sent, but no answer began in time: an overloaded service, a model that is loading, or a proxy that drops requests",
        action "Try again with a longer --timeout; check the load of the service.";
    FirstByteSlow: "first_byte_slow",
        cause "the answer was slow to begin: an overloaded service, or a model that was loading",
        action "Run it again to see whether it persists; keep first_byte_timeout_ms well above this time.";
    Stalled: "stalled",
        cause "the answer began and then stalled: a service that hangs, or a proxy that buffers it",
        action "Try again with a longer --timeout; check the service's load and any proxies in between.";

    // Models.
    NoModel: "no_model",
        cause "there is no model to call",
        action "Name one with --model or MODELWIRE_MODEL, exactly as in the control panel.";
    ModelNotListed: "model_not_listed",
        cause "the model is not in the service's list",
        action "Write the name exactly as in the control panel.";
    OnlyStreams: "only_streams",
        cause "this model only supports streaming",
        action "Stream the calls, or set the option stream_only: then a plain call streams internally and still returns the whole answer.";
    ErrorInAnswer: "error_in_answer",
        cause "the service reported an error with a success status",
        action "See the type and code of the error above; retry later, or contact support.";

    // Streams.
    StreamCut: "stream_cut",
        cause "the stream was cut off in the middle: a server that crashed, or a proxy or load balancer with a time limit",
        action "Check the server's log and the time limits of proxies; only part of the answer arrived.";
    NoEndMark: "no_end_mark",
        cause "the stream ended without its end mark: it may be truncated",
        action "Check the server's log and the time limits of proxies; a compatible service ends with data: [DONE].";
    ErrorInStream: "error_in_stream",
        cause "the service reported an error inside the stream: only part of the answer arrived",
        action "See the type and code of the error above; retry later, or contact support.";
    HeldBack: "held_back",
        cause "the chunks arrived all at once at the end: a proxy in between buffers the stream (or the service does not really stream)",
        action "Disable buffering in the proxy, for instance proxy_buffering off in nginx, or X-Accel-Buffering: no; do not compress text/event-stream.";
    NotStreamed: "not_streamed",
        cause "the service returned one whole document instead of a stream: it or a gateway ignores stream",
        action "Programs work, but get nothing before the end; ask the service whether this model streams.";
    WrongContentType: "wrong_content_type",
        cause "the stream's content type is not text/event-stream: proxies may buffer it, and other clients reject it",
        action "Tell the service's operator; this client reads it anyway.";
    EndMarkMissing: "end_mark_missing",
        cause "the stream is complete, but has no data: [DONE]: other clients may hang or fail",
        action "Tell the service's operator; this client takes the finish reason as the end.";

    // This machine.
    ClockSkewed: "clock_skewed",
        cause "the clocks of this machine and the service differ",
        action "Set the clock, or enable time synchronisation (timedatectl set-ntp true).";
    ClientFailed: "client_failed",
        cause "the client could not make the call",
        action "If the message above does not explain it, report it.";
}

/// The circumstances of a failed call.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scene {
    /// The call went through a proxy.
    pub(crate) through_proxy: bool,
    /// The base URL ends in /v1.
    pub(crate) has_version: bool,
    /// The base URL is plain http, and its port speaks TLS.
    pub(crate) speaks_tls: bool,
    /// Chunks of a stream had arrived.
    pub(crate) has_chunks: bool,
}

/// Classifies an error of a call.
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
        ErrorKind::RateLimited if names_a_quota(error) => Fault::Status429Quota,
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
            Some(TimeoutPhase::FirstByte | TimeoutPhase::FirstContent | TimeoutPhase::Total)
            | None => Fault::FirstByteTimeout,
        },
        // A server that speaks first, such as mail or SSH, is recognized only by the transport's message.
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

/// Classifies an answer that is not the API's, or whose status its specification does not list.
fn of_odd_answer(error: &Error) -> Fault {
    match error.status() {
        Some(407) => Fault::ProxyAuthentication,
        Some(300..400) => Fault::Redirect,
        Some(_) if is_page(error) => Fault::Page,
        Some(405) => Fault::Status405,
        Some(200..300) => Fault::NotJson,
        Some(_) => Fault::StatusOther,
        // Too many redirects have no status; an answer without a head is not HTTP.
        None if error.message().contains("redirect") => Fault::Redirect,
        None => Fault::NotHttp,
    }
}

/// Classifies a failure to connect. The transport reports a proxy's reply to CONNECT only as text.
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

/// Classifies the message of a failed certificate check that only the core saw.
fn of_tls_words(words: &str) -> Fault {
    const WORDS: [(&str, Fault); 6] = [
        ("UnknownIssuer", Fault::CertificateUnknownIssuer),
        ("CaUsedAsEndEntity", Fault::CertificateSelfSigned),
        ("expired", Fault::CertificateExpired),
        ("not valid yet", Fault::CertificateNotYetValid),
        ("not valid for name", Fault::CertificateWrongName),
        ("corrupt message", Fault::NotTls),
    ];
    let found = WORDS.into_iter().find(|(part, _)| words.contains(part));
    found.map_or(Fault::TlsFailed, |(_, fault)| fault)
}

/// Whether the service names a quota, and not a rate, in the code or type of its error.
fn names_a_quota(error: &Error) -> bool {
    [error.code(), error.error_type()].into_iter().flatten().any(|name| name.contains("quota"))
}

/// Whether an HTML page arrived instead of JSON.
fn is_page(error: &Error) -> bool {
    let is_html = |(name, value): &(String, String)| {
        name == "content-type" && value.trim_start().to_ascii_lowercase().starts_with("text/html")
    };
    let begins_so = error.body().is_some_and(|body| body.trim_start().starts_with('<'));
    begins_so || error.headers().iter().any(is_html)
}

/// Classifies a failed connection attempt.
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

/// Classifies a failed look-up. Only the system's message distinguishes an unknown name from silent name
/// servers.
pub(crate) fn of_look_up(error: &io::Error) -> Fault {
    let words = error.to_string();
    let is_silence = ["Temporary failure", "try again", "Try again", "System error"];
    match is_silence.iter().any(|part| words.contains(part)) {
        true => Fault::NameServerSilent,
        false => Fault::NameNotFound,
    }
}

/// Classifies a failed certificate check or handshake.
pub(crate) fn of_tls(error: &rustls::Error, is_self_signed: bool) -> Fault {
    use CertificateError as Bad;
    match error {
        rustls::Error::InvalidCertificate(bad) => match bad {
            Bad::Expired | Bad::ExpiredContext { .. } => Fault::CertificateExpired,
            Bad::NotValidYet | Bad::NotValidYetContext { .. } => Fault::CertificateNotYetValid,
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
