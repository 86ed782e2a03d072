//! What a call sent, for later inspection: the address, the query and the headers of this call, in addition
//! to those of its client.

use std::sync::Arc;

use modelwire::Endpoint;

/// What all calls of a client have in common.
pub(crate) struct ClientInfo {
    pub(crate) base_url: String,
    pub(crate) headers: Vec<(String, String)>,
}

/// What one call sent.
pub(crate) struct RequestInfo {
    pub(crate) client: Arc<ClientInfo>,
    pub(crate) endpoint: Endpoint,
    pub(crate) streams: bool,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) headers: Vec<(String, String)>,
    /// Its stream is gathered for an observer, but not for the program.
    pub(crate) hides_answer: bool,
    /// Names of the client's headers that it omitted.
    pub(crate) without_headers: Vec<String>,
}
