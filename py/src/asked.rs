//! What a call asked for, for programs that look at it later: the address, the query and the
//! headers of this call beside those of its client. Knows no key and no answer.

use std::sync::Arc;

use modelwire::Endpoint;

/// What all calls of a client have in common.
pub(crate) struct Common {
    pub(crate) base_url: String,
    pub(crate) headers: Vec<(String, String)>,
}

/// What one call asked for.
pub(crate) struct Asked {
    pub(crate) common: Arc<Common>,
    pub(crate) endpoint: Endpoint,
    pub(crate) streams: bool,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) headers: Vec<(String, String)>,
}
