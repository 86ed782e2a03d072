//! The code generated from the table of accessors: the JSON objects for programs in other languages,
//! and the Rust accessors of rows that have only a path.
//!
//! The members and their order are fixed, and absent values are null. No number exceeds 63 bits.

use std::borrow::Cow;

use crate::answer::error::Error;
use crate::answer::json_view::Object;
use crate::answer::response::Response;
use crate::protocol::chunk::Chunk;
use crate::protocol::value::Value;

impl Response {
    /// For the rows that have only a path; those of a chunk read it themselves.
    fn field(&self, path: &str) -> Option<Value<'_>> {
        self.document()?.value().pointer(path)
    }
}

/// The functions of one kind of object, from its rows; accessor_table.rs describes the rows.
macro_rules! accessors {
    (
        $(#[$json_meta:meta])*
        $of:ident::$json:ident;
        $(
            $(#[doc = $doc:literal])+
            $name:ident: $kind:ident $(|$this:ident| $read:expr,)? $(at $path:literal,)?
                sent $sent:literal gives $gives:literal;
        )*
    ) => {
        const _: () = {
            use $crate::answer::accessors::*;

            impl $of {
                $(#[$json_meta])*
                pub fn $json(&self) -> String {
                    let object = Object::new();
                    $(
                        $(let object = {
                            let $this = self;
                            object.$kind(stringify!($name), $read)
                        };)?
                        $(let object = {
                            let found = self.field($path);
                            object.$kind(stringify!($name), accessor!(found as $kind))
                        };)?
                    )*
                    object.finish()
                }
            }
            $(accessor! { $of, $name, $kind, [$($doc)+] $(, at $path)? })*

            #[cfg(test)]
            impl $of {
                /// Each row: its name, what is sent and the result.
                pub(crate) const ROWS: &[(&str, &str, &str)] =
                    &[$((stringify!($name), $sent, $gives)),*];
            }
        };
    };
}

/// The accessor of a row that has only a path; nothing for other rows.
macro_rules! accessor {
    ($found:ident as text) => { $found.and_then(Value::as_str) };
    ($found:ident as number) => {
        $found.and_then(|value| u64::try_from(value.as_i64()?).ok())
    };
    ($of:ident, $name:ident, $kind:ident, $doc:tt) => {};
    ($of:ident, $name:ident, text, [$($doc:literal)+], at $path:literal) => {
        impl $of {
            $(#[doc = $doc])+
            pub fn $name(&self) -> Option<Cow<'_, str>> {
                let found = self.field($path);
                accessor!(found as text)
            }
        }
    };
    ($of:ident, $name:ident, number, [$($doc:literal)+], at $path:literal) => {
        impl $of {
            $(#[doc = $doc])+
            pub fn $name(&self) -> Option<u64> {
                let found = self.field($path);
                accessor!(found as number)
            }
        }
    };
}

#[path = "accessor_table.rs"]
mod table;

#[cfg(test)]
#[path = "accessors_tests.rs"]
mod tests;
