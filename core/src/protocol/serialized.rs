//! What is read, for serde: every value serializes as the JSON that was sent, with the digits of its
//! numbers as far as 64 bits keep them, and whole documents and chunks deserialize.

use std::collections::HashMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::protocol::chunk::Chunk;
use crate::protocol::document::Document;
use crate::protocol::outline::{Outline, Part};
use crate::protocol::usage::Usage;
use crate::protocol::value::{Kind, Value};

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Outline::of(*self).whole().serialize(serializer)
    }
}

impl Serialize for Part<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = self.value();
        match value.kind() {
            Kind::Null => serializer.serialize_unit(),
            Kind::Bool => serializer.serialize_bool(value.as_bool().unwrap_or_default()),
            Kind::String => serializer.serialize_str(&value.as_str().unwrap_or_default()),
            Kind::Number => match (value.as_i64(), value.text().parse()) {
                (Some(number), _) => serializer.serialize_i64(number),
                (None, Ok(number)) => serializer.serialize_u64(number),
                (None, Err(_)) => serializer.serialize_f64(value.as_f64().unwrap_or_default()),
            },
            Kind::Array => serializer.collect_seq(self.items()),
            Kind::Object => serializer.collect_map(self.members()),
        }
    }
}

impl Serialize for Document {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Document, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        Document::scan(&value.to_string()).map_err(D::Error::custom)
    }
}

impl Serialize for Chunk {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value().serialize(serializer)
    }
}

/// Without the name of its event, which a chunk of a response repeats as its type.
impl<'de> Deserialize<'de> for Chunk {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Chunk, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        let event = value.get("type").and_then(serde_json::Value::as_str).unwrap_or_default();
        Chunk::scan(event, &value.to_string()).map_err(D::Error::custom)
    }
}

impl Serialize for Usage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.counts())
    }
}

/// Counts that are absent are 0, and unknown ones are skipped.
impl<'de> Deserialize<'de> for Usage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Usage, D::Error> {
        Ok(Usage::of_counts(&HashMap::<String, u64>::deserialize(deserializer)?))
    }
}
