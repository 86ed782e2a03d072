//! The input of the checks, and what they have found so far.

use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use modelwire::Response;
use url::Url;

use crate::connection::Connection;
use crate::doctor::calls::{CallResult, Caller};
use crate::doctor::proxy::Hop;
use crate::doctor::settings::Variables;

/// The input of the checks.
pub(crate) struct Asked<'a> {
    pub(crate) connection: &'a Connection,
    pub(crate) variables: Variables<'a>,
    pub(crate) model: Option<&'a str>,
    /// Whether to skip metered calls.
    pub(crate) no_calls: bool,
    /// Approximate maximum time of a single step.
    pub(crate) time_max: Duration,
}

/// What earlier checks found and later ones need.
pub(crate) struct Context<'a> {
    pub(crate) asked: &'a Asked<'a>,
    pub(crate) url: Option<Url>,
    pub(crate) hop: Option<Hop>,
    pub(crate) addresses: Vec<SocketAddr>,
    pub(crate) socket: Option<TcpStream>,
    pub(crate) caller: Option<Caller>,
    pub(crate) models: Option<CallResult<Response>>,
    /// The models that the service lists.
    pub(crate) listed: Vec<String>,
    pub(crate) model: Option<String>,
    pub(crate) streams_only: bool,
    /// Why the network cannot be checked.
    pub(crate) no_network: Option<String>,
    /// Why the service cannot be checked.
    pub(crate) no_service: Option<String>,
    /// Why its models cannot be checked.
    pub(crate) no_model: Option<String>,
}

/// What a check needs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    Nothing,
    Network,
    Service,
    Model,
}

impl<'a> Context<'a> {
    /// Whether the service is at a Unix socket: there is no name, address or proxy.
    pub(crate) fn is_at_socket(&self) -> bool {
        self.url.as_ref().is_some_and(|url| url.scheme() == "http+unix")
    }

    /// The state before the first check.
    pub(crate) fn new(asked: &'a Asked<'a>) -> Context<'a> {
        Context {
            asked,
            url: None,
            hop: None,
            addresses: Vec::new(),
            socket: None,
            caller: None,
            models: None,
            listed: Vec::new(),
            model: None,
            streams_only: false,
            no_network: None,
            no_service: None,
            no_model: None,
        }
    }

    /// Why a check with these needs must be skipped.
    pub(crate) fn missing(&self, needs: Needs) -> Option<&str> {
        let (network, service) = (self.no_network.as_deref(), self.no_service.as_deref());
        match needs {
            Needs::Nothing => None,
            Needs::Network if self.is_at_socket() => Some("the base URL names a Unix socket"),
            Needs::Network => network,
            Needs::Service => network.or(service),
            Needs::Model => network.or(service).or(self.no_model.as_deref()),
        }
    }

    /// Skips the later checks of the network, and so of the service.
    pub(crate) fn end_network(&mut self, why: &str) {
        self.no_network.get_or_insert_with(|| why.to_owned());
    }

    /// Skips the later checks of the service.
    pub(crate) fn end_service(&mut self, why: &str) {
        self.no_service.get_or_insert_with(|| why.to_owned());
    }
}
