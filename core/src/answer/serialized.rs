//! Answers, errors and records for serde.

use std::collections::HashMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::answer::error::Error;
use crate::answer::record::CallRecord;
use crate::answer::response::{CalledTool, Response};
use crate::protocol::value::Value;

/// The JSON of the whole answer; null at the end of a stream that was not gathered.
impl Serialize for Response {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.document().serialize(serializer)
    }
}

/// As [`Error::to_json`].
impl Serialize for Error {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Value::validated(&self.to_json()).serialize(serializer)
    }
}

/// As [`CallRecord::to_json`].
impl Serialize for CallRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Value::validated(&self.to_json()).serialize(serializer)
    }
}

impl Serialize for CalledTool {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let members = [("id", &self.id), ("name", &self.name), ("arguments", &self.arguments)];
        serializer.collect_map(members)
    }
}

impl<'de> Deserialize<'de> for CalledTool {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<CalledTool, D::Error> {
        let mut members = HashMap::<String, String>::deserialize(deserializer)?;
        let mut take = |name| members.remove(name).ok_or_else(|| D::Error::missing_field(name));
        Ok(CalledTool { id: take("id")?, name: take("name")?, arguments: take("arguments")? })
    }
}

#[cfg(test)]
#[path = "serialized_tests.rs"]
mod tests;
