//! The JSON schema of a type as services take it for strict output. Does no I/O.

use serde_json::{Map, Value};

/// The schema of a type where each object has exactly its members: all are required, and no others are
/// allowed. Optional members are null where they are absent.
pub(crate) fn strict_schema<T: schemars::JsonSchema>() -> Value {
    let mut schema = schemars::SchemaGenerator::default().into_root_schema_for::<T>().to_value();
    if let Value::Object(root) = &mut schema {
        root.remove("$schema");
    }
    make_strict(&mut schema);
    schema
}

fn make_strict(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::Object(properties)) = members.get("properties") {
                let names = properties.keys().cloned().map(Value::String).collect();
                members.insert("required".to_owned(), Value::Array(names));
                members.insert("additionalProperties".to_owned(), Value::Bool(false));
            }
            members.remove("default"); // a required member has none
            below(members);
        }
        Value::Array(items) => items.iter_mut().for_each(make_strict),
        _ => {}
    }
}

/// Goes on in the schemas below this one: also in `properties`, whose members' names are the type's own.
fn below(members: &mut Map<String, Value>) {
    for (name, value) in members {
        match (&**name, value) {
            ("properties" | "$defs", Value::Object(named)) => {
                named.values_mut().for_each(make_strict);
            }
            ("enum" | "const" | "examples" | "required", _) => {}
            (_, value) => make_strict(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schemas_in_a_list_are_strict() {
        #[derive(schemars::JsonSchema)]
        #[allow(dead_code, reason = "only its schema is used")]
        enum Shape {
            Circle { radius: u8 },
            Square { side: u8 },
        }
        let schema = strict_schema::<Shape>();
        for (place, name) in ["Circle", "Square"].into_iter().enumerate() {
            let inner = schema.pointer(&format!("/oneOf/{place}/properties/{name}"));
            let is_closed = inner.and_then(|inner| inner.get("additionalProperties"));
            assert_eq!(is_closed, Some(&Value::Bool(false)), "{schema}");
        }
    }
}
