//! Floor 1. The options of clients and calls, and the tables from which bindings set them by name.

pub(crate) mod api_key;
pub(crate) mod base_urls;
pub(crate) mod bounds;
pub(crate) mod call_options;
pub(crate) mod config;
pub(crate) mod headers;
pub(crate) mod idempotency;
pub(crate) mod kinds;
pub(crate) mod retry_policy;
pub(crate) mod suggestion;
pub(crate) mod tables;
pub(crate) mod timeouts;
