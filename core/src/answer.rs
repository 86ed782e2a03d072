//! Floor 1. The outcome of a call: a response or an error, its record, and the views of both for
//! bindings and logs.

pub(crate) mod accessors;
pub(crate) mod bottleneck;
pub(crate) mod error;
pub(crate) mod error_kind;
pub(crate) mod head;
pub(crate) mod json_view;
pub(crate) mod parsed;
pub(crate) mod rate_limits;
pub(crate) mod record;
pub(crate) mod redactor;
pub(crate) mod response;
mod serialized;
pub(crate) mod usage_sums;
