//! What a call sent, for later inspection: the address, the query and the headers of this call, in addition
//! to those of its client.

use std::sync::Arc;

use modelwire::{CallRecord, Endpoint};

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

impl RequestInfo {
    /// The parts of its address: the base URL of the last attempt, the path below it, and the query.
    pub(crate) fn address<'a>(
        &'a self,
        record: Option<&'a CallRecord>,
    ) -> (&'a str, &'static str, &'a [(String, String)]) {
        let last = record.and_then(|record| record.attempts().last());
        let base = last.and_then(|attempt| attempt.base_url.as_deref());
        (base.unwrap_or(&self.client.base_url), self.endpoint.path(), &self.query)
    }
}
