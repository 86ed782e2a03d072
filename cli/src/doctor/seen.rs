//! What the checks are asked and what they have seen so far.

use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use modelwire::Response;
use url::Url;

use crate::connection::Connection;
use crate::doctor::calls::{Caller, Told};
use crate::doctor::proxy::Hop;
use crate::doctor::settings::Variables;

/// What is asked for.
pub(crate) struct Asked<'a> {
    pub(crate) connection: &'a Connection,
    pub(crate) variables: Variables<'a>,
    pub(crate) model: Option<&'a str>,
    /// Whatever is metered is left out.
    pub(crate) no_calls: bool,
    /// Longest single step, about.
    pub(crate) time_max: Duration,
}

/// What earlier checks found and later ones need.
pub(crate) struct Seen<'a> {
    pub(crate) asked: &'a Asked<'a>,
    pub(crate) url: Option<Url>,
    pub(crate) hop: Option<Hop>,
    pub(crate) addresses: Vec<SocketAddr>,
    pub(crate) socket: Option<TcpStream>,
    pub(crate) caller: Option<Caller>,
    pub(crate) models: Option<Told<Response>>,
    /// The names that the service lists.
    pub(crate) listed: Vec<String>,
    pub(crate) model: Option<String>,
    pub(crate) streams_only: bool,
    /// Why there is nothing to be seen of the network.
    pub(crate) no_network: Option<String>,
    /// Why there is nothing to be seen of the service.
    pub(crate) no_service: Option<String>,
    /// Why there is nothing to be seen of its models.
    pub(crate) no_model: Option<String>,
}

/// What has to be there for a look.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    Nothing,
    Network,
    Service,
    Model,
}

impl<'a> Seen<'a> {
    /// Nothing was seen yet.
    pub(crate) fn new(asked: &'a Asked<'a>) -> Seen<'a> {
        Seen {
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

    /// Why a look that needs this has nothing to see.
    pub(crate) fn missing(&self, needs: Needs) -> Option<&str> {
        let (network, service) = (self.no_network.as_deref(), self.no_service.as_deref());
        match needs {
            Needs::Nothing => None,
            Needs::Network => network,
            Needs::Service => network.or(service),
            Needs::Model => network.or(service).or(self.no_model.as_deref()),
        }
    }

    /// The later ones of the network, and so of the service, have nothing to see.
    pub(crate) fn end_network(&mut self, why: &str) {
        self.no_network.get_or_insert_with(|| why.to_owned());
    }

    /// The later ones of the service have nothing to see.
    pub(crate) fn end_service(&mut self, why: &str) {
        self.no_service.get_or_insert_with(|| why.to_owned());
    }
}
