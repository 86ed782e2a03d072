//! Writes JSON objects with their fields in the given order.
//!
//! serde_json's own map sorts its keys; clients that scan for fields must see them in the order of real
//! services.

use serde_json::Value;

/// One JSON object. The values are already JSON.
pub(crate) fn object(fields: &[(&str, String)]) -> String {
    let fields: Vec<String> =
        fields.iter().map(|(name, value)| format!("{}:{value}", quoted(name))).collect();
    format!("{{{}}}", fields.join(","))
}

/// One JSON array. The items are already JSON.
pub(crate) fn array(items: &[String]) -> String {
    format!("[{}]", items.join(","))
}

/// A JSON string.
pub(crate) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// A JSON string, or null.
pub(crate) fn quoted_or_null(text: Option<&str>) -> String {
    text.map_or_else(null, quoted)
}

pub(crate) fn null() -> String {
    "null".to_owned()
}
