//! The checks of the path to the service: configuration, base URL, proxy, names, connections, TLS.

use std::time::{Instant, SystemTime};

use crate::doctor::causes::{Fault, of_connect, of_look_up, of_tls};
use crate::doctor::certificate::{self, Broken, Described, Shaken};
use crate::doctor::context::Context;
use crate::doctor::network::{self, LOOK_UP_SLOW, LookedUp, Tried};
use crate::doctor::proxy as proxies;
use crate::doctor::report::{Finding, State, time};
use crate::doctor::settings;

/// Remaining days below which a certificate causes a warning.
const CERTIFICATE_DAYS_MIN: u64 = 14;

/// The origin of the settings.
pub(crate) fn configuration(seen: &mut Context<'_>) -> Finding {
    let finding = settings::look(seen.asked.connection, seen.asked.variables);
    if finding.state == State::Failed {
        seen.end_service("the configuration is invalid");
    }
    finding
}

/// The form of the base URL.
pub(crate) fn base_url(seen: &mut Context<'_>) -> Finding {
    let given = settings::base_url(seen.asked.connection, seen.asked.variables);
    let (finding, url) = settings::look_at_url(given.as_ref());
    match url {
        None => seen.end_network("no base URL"),
        Some(_) if finding.state == State::Failed => {
            seen.end_service("the base URL above is wrong");
        }
        Some(_) => {}
    }
    seen.url = url;
    if seen.is_at_socket() {
        seen.hop = Some(proxies::Hop { host: "localhost".to_owned(), port: 0, is_proxy: false });
    }
    finding
}

/// The proxy.
pub(crate) fn proxy(seen: &mut Context<'_>) -> Finding {
    let Some(url) = &seen.url else { return Finding::skipped("no base URL") };
    let option = settings::option(seen.asked.connection, "proxy");
    let (finding, hop) = proxies::look(url, option.as_deref(), seen.asked.variables);
    seen.hop = hop;
    if seen.hop.is_none() {
        seen.end_network("the proxy above is wrong");
    }
    finding
}

/// The addresses of the host to connect to.
pub(crate) fn dns(seen: &mut Context<'_>) -> Finding {
    let Some(hop) = &seen.hop else { return Finding::skipped("no host") };
    let of_proxy = if hop.is_proxy { " (of the proxy, which looks up the service)" } else { "" };
    let start = Instant::now();
    let found = network::look_up(&hop.host, hop.port, seen.asked.time_max);
    let took = start.elapsed();
    let host = hop.host.clone();
    match found {
        LookedUp::Literal(address) => {
            seen.addresses = vec![address];
            Finding::ok(format!("{} is already an address{of_proxy}", address.ip()))
        }
        LookedUp::Found(addresses) => {
            let shown: Vec<String> = addresses.iter().map(|one| one.ip().to_string()).collect();
            let saw = format!("{host}: {} in {}{of_proxy}", shown.join(", "), time(took));
            seen.addresses = addresses;
            match took >= LOOK_UP_SLOW {
                true => Finding::warning(Fault::NameSlow, saw),
                false => Finding::ok(saw),
            }
        }
        LookedUp::Failed(error) => {
            seen.end_network("the name has no address");
            Finding::failed(of_look_up(&error), format!("{host}: {error}{of_proxy}"))
        }
        LookedUp::TimedOut => {
            seen.end_network("the name has no address");
            let saw = format!("{host}: no answer within {}{of_proxy}", time(took));
            Finding::failed(Fault::NameServerSilent, saw)
        }
    }
}

/// Connections to these addresses.
pub(crate) fn tcp(seen: &mut Context<'_>) -> Finding {
    let tried = network::connect(&seen.addresses, seen.asked.time_max);
    let of_proxy = seen.hop.as_ref().is_some_and(|hop| hop.is_proxy);
    let words: Vec<String> = tried.iter().map(words_of_attempt).collect();
    let place = if of_proxy { "the proxy: " } else { "" };
    let saw = format!("{place}{}", words.join("; "));
    let first_fault = tried.iter().find_map(|one| one.connection.as_ref().err()).map(of_connect);
    // Calls try the addresses in this order.
    let taken = tried.into_iter().find_map(|one| Some((one.address, one.connection.ok()?)));
    match (taken, first_fault) {
        (Some((address, socket)), fault) => {
            seen.addresses = vec![address];
            seen.socket = Some(socket);
            match fault {
                Some(_) => Finding::warning(Fault::AddressesFail, saw),
                None => Finding::ok(saw),
            }
        }
        (None, fault) => {
            seen.end_network("no connection");
            let fault = fault.unwrap_or(Fault::ConnectFailed);
            let finding = Finding::failed(fault, saw);
            match of_proxy {
                true => finding.so_do(format!(
                    "This is the proxy: check its host and port, and that it is running. {}",
                    fault.action()
                )),
                false => finding,
            }
        }
    }
}

fn words_of_attempt(tried: &Tried) -> String {
    match &tried.connection {
        Ok(_) => format!("{} in {}", tried.address, time(tried.took)),
        Err(error) => format!("{}: {error} after {}", tried.address, time(tried.took)),
    }
}

/// The handshake and the certificate.
pub(crate) fn tls(seen: &mut Context<'_>) -> Finding {
    let (Some(url), Some(hop)) = (&seen.url, &seen.hop) else {
        return Finding::skipped("no host");
    };
    if url.scheme() != "https" {
        return Finding::skipped("the base URL is plain http");
    }
    if hop.is_proxy {
        return Finding::skipped("not visible through the proxy; see models");
    }
    let Some(mut socket) = seen.socket.take() else {
        return Finding::skipped("no connection");
    };
    let pem = settings::option(seen.asked.connection, "ca_pem");
    let roots = certificate::roots(pem.as_deref(), seen.asked.variables);
    let count = roots.store.len();
    let from = format!("{count} trusted CAs from {}", roots.from);
    let unread = match roots.faults.first() {
        Some(fault) => format!("; not read: {fault}"),
        None => String::new(),
    };
    let own = settings::option(seen.asked.connection, "client_certificate_pem");
    let time_max = seen.asked.time_max;
    let shaken = certificate::shake(&mut socket, &hop.host, roots.store, own.as_deref(), time_max);
    let finding = judge_tls(&shaken, &format!("{from}{unread}"));
    if finding.state == State::Failed {
        seen.end_service("TLS failed");
    }
    finding
}

fn judge_tls(shaken: &Shaken, trusted: &str) -> Finding {
    let mut parts = Vec::new();
    parts.extend(shaken.version.clone());
    let now = SystemTime::now();
    parts.extend(
        shaken.certificate.as_ref().map(|certificate| words_of_certificate(certificate, now)),
    );
    let is_self_signed = shaken.certificate.as_ref().is_some_and(|one| one.is_self_signed);
    if let Some(Err(error)) = &shaken.verdict {
        parts.push(error.to_string());
        parts.push(trusted.to_owned());
        let finding = Finding::failed(of_tls(error, is_self_signed), parts.join("; "));
        // Trusting it would not help: by default, openssl creates such certificates.
        if error.to_string().contains("CaUsedAsEndEntity") {
            return finding.so_do(
                "It is marked as a CA certificate (CA:TRUE), which a server must not use: create it again \
                 with basicConstraints=CA:FALSE, then add it (SSL_CERT_FILE, or the option ca_pem).",
            );
        }
        return with_clock(finding, now);
    }
    let fault = match &shaken.broken {
        Some(Broken::NoRoots) => Fault::NoRoots,
        Some(Broken::Name) => Fault::TlsFailed,
        Some(Broken::TimedOut) => Fault::TlsTimeout,
        Some(Broken::Cut(error)) => {
            parts.push(error.to_string());
            Fault::TlsCut
        }
        Some(Broken::Tls(error)) => {
            parts.push(error.to_string());
            of_tls(error, is_self_signed)
        }
        None => {
            let ends_soon = shaken.certificate.as_ref().is_some_and(|certificate| {
                days_between(now, certificate.ends) < CERTIFICATE_DAYS_MIN
            });
            parts.push(trusted.to_owned());
            return match ends_soon {
                true => Finding::warning(Fault::CertificateExpiresSoon, parts.join("; ")),
                false => Finding::ok(parts.join("; ")),
            };
        }
    };
    parts.push(trusted.to_owned());
    Finding::failed(fault, parts.join("; "))
}

/// If dates matter, the clock of this machine may be the cause.
fn with_clock(finding: Finding, now: SystemTime) -> Finding {
    match finding.fault {
        Some(Fault::CertificateExpired | Fault::CertificateNotYetValid) => {
            let now = httpdate::fmt_http_date(now);
            let cause = format!("{}; this machine's clock says {now}", finding.cause);
            finding.because(cause)
        }
        _ => finding,
    }
}

fn days_between(from: SystemTime, to: SystemTime) -> u64 {
    const DAY_SECONDS: u64 = 24 * 60 * 60;
    to.duration_since(from).map_or(0, |left| left.as_secs() / DAY_SECONDS)
}

fn words_of_certificate(certificate: &Described, now: SystemTime) -> String {
    let Described { subject, issuer, names, begins, ends, is_self_signed } = certificate;
    let names = match names.is_empty() {
        true => String::new(),
        false => format!(" for {}", names.join(", ")),
    };
    let issuer = match is_self_signed {
        true => "itself".to_owned(),
        false => issuer.clone(),
    };
    let days = days_between(now, *ends);
    let (begins, ends) = (httpdate::fmt_http_date(*begins), httpdate::fmt_http_date(*ends));
    format!(
        "certificate {subject}{names}, signed by {issuer}, valid from {begins} to {ends} ({days} days left)"
    )
}
