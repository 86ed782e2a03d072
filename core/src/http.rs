//! Floor 2. One request on the wire and its answer back, over connections that are pooled and
//! counted.

pub(crate) mod connections;
pub(crate) mod failure;
pub(crate) mod inflate;
pub(crate) mod opening;
pub(crate) mod returns;
pub(crate) mod reuse;
pub(crate) mod timing;
pub(crate) mod tls;
pub(crate) mod transport;
