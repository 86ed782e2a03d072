//! The value kinds of named options, how their values are read from JSON, and the form of their tables.
//!
//! Values are never shown: one may be the key.

use std::time::Duration;

use crate::answer::error::{Error, Result};
use crate::options::api_key::{redact_given, without_key};
use crate::options::base_urls::BaseUrl;
use crate::options::suggestion::suggestion;
use crate::protocol::text::cut;
use crate::protocol::value::{Kind, Value};

/// The kind of value that an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OptionKind {
    /// A string.
    Text,
    /// `true` or `false`.
    Flag,
    /// A whole number that is not negative.
    Count,
    /// A whole number of milliseconds.
    Milliseconds,
    /// A whole number of milliseconds; `null` is off.
    Timeout,
    /// A number from 0 to 1.
    Part,
    /// An array of status numbers.
    Statuses,
    /// An array of strings.
    Names,
    /// An object of strings.
    Pairs,
    /// An array of base URLs, each a string or an object.
    BaseUrls,
}

/// One option by name, for bindings.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct NamedOption {
    /// Its name in JSON.
    pub name: &'static str,
    /// What it takes.
    pub kind: OptionKind,
    /// What it does.
    pub doc: &'static str,
}

/// A parsed value of an option.
pub(crate) enum Given {
    Text(String),
    Flag(bool),
    Count(u64),
    Milliseconds(Duration),
    Timeout(Option<Duration>),
    Part(f64),
    Statuses(Vec<u16>),
    Names(Vec<String>),
    Pairs(Vec<(String, String)>),
    BaseUrls(Vec<BaseUrl>),
}

impl OptionKind {
    /// What an option of this kind takes, for the error message.
    fn takes(self) -> &'static str {
        match self {
            OptionKind::Text => "a string",
            OptionKind::Flag => "true or false",
            OptionKind::Count => "a whole number",
            OptionKind::Milliseconds => "a whole number of milliseconds",
            OptionKind::Timeout => "a whole number of milliseconds, or null for none",
            OptionKind::Part => "a number from 0 to 1",
            OptionKind::Statuses => "an array of status numbers",
            OptionKind::Names => "an array of strings",
            OptionKind::Pairs => "an object of strings",
            OptionKind::BaseUrls => "an array of base URLs",
        }
    }

    fn find(self, value: Value<'_>) -> Option<Given> {
        let count = || value.as_i64().and_then(|count| u64::try_from(count).ok());
        let text = |value: Value<'_>| Some(value.as_str()?.into_owned());
        let milliseconds = || Some(Duration::from_millis(count()?));
        Some(match self {
            OptionKind::Text => Given::Text(text(value)?),
            OptionKind::Flag => Given::Flag(value.as_bool()?),
            OptionKind::Count => Given::Count(count()?),
            OptionKind::Milliseconds => Given::Milliseconds(milliseconds()?),
            OptionKind::Timeout if value.is_null() => Given::Timeout(None),
            OptionKind::Timeout => Given::Timeout(Some(milliseconds()?)),
            OptionKind::Part => {
                Given::Part(value.as_f64().filter(|part| (0.0..=1.0).contains(part))?)
            }
            OptionKind::Statuses if value.kind() == Kind::Array => {
                let status = |item: Value<'_>| u16::try_from(item.as_i64()?).ok();
                Given::Statuses(value.items().into_iter().map(status).collect::<Option<_>>()?)
            }
            OptionKind::Names if value.kind() == Kind::Array => {
                Given::Names(value.items().into_iter().map(text).collect::<Option<_>>()?)
            }
            OptionKind::Pairs if value.kind() == Kind::Object => {
                let pair = |(name, value): (_, _)| Some((String::from(name), text(value)?));
                Given::Pairs(value.members().into_iter().map(pair).collect::<Option<_>>()?)
            }
            OptionKind::Statuses | OptionKind::Names | OptionKind::Pairs | OptionKind::BaseUrls => {
                return None;
            }
        })
    }

    /// Parses a value for an option of this kind.
    pub(crate) fn read(self, name: &str, value: Value<'_>) -> Result<Given> {
        if self == OptionKind::BaseUrls
            && let Some(read) = BaseUrl::read_all(value)
        {
            return read.map(Given::BaseUrls);
        }
        self.find(value).ok_or_else(|| self.refused(name))
    }

    pub(crate) fn refused(self, name: &str) -> Error {
        Error::config(format!("{name} takes {}", self.takes()))
    }
}

/// A table of named options. A row is a name, the kind of its value, its documentation, and the code that
/// sets it. `and setters of` a struct gives it a setter for each row of one text, flag or number.
macro_rules! options {
    (
        $table:ident, set by $set:ident of $target:ty, and setters of $holder:ident;
        $(
            $(#[doc = $doc:literal])+
            $name:ident: $kind:ident |$to:ident, $given:ident| $edit:expr;
        )+
    ) => {
        options! {
            $table, set by $set of $target;
            $($(#[doc = $doc])+ $name: $kind |$to, $given| $edit;)+
        }

        impl $holder {
            $(setter! { $kind $holder [$(#[doc = $doc])+] $name |$to, $given| $edit })+
        }
    };
    (
        $table:ident, set by $set:ident of $target:ty;
        $(
            $(#[doc = $doc:literal])+
            $name:ident: $kind:ident |$to:ident, $given:ident| $edit:expr;
        )+
    ) => {
        const $table: &[NamedOption] = &[$(NamedOption {
            name: stringify!($name),
            kind: OptionKind::$kind,
            doc: concat!($($doc),+).trim_ascii(),
        },)+];

        /// Sets an option of this table; false if it has no option of this name.
        fn $set(name: &str, value: Value<'_>, to: &mut $target) -> Result<bool> {
            match name {
                $(stringify!($name) => {
                    let Given::$kind($given) = OptionKind::$kind.read(name, value)? else {
                        return Err(OptionKind::$kind.refused(name));
                    };
                    let $to = to;
                    $edit;
                })+
                _ => return Ok(false),
            }
            Ok(true)
        }
    };
}
pub(crate) use options;

/// The setter of an option; none for the kinds of several values.
macro_rules! setter {
    (Text $($row:tt)+) => { setter! { (impl Into<String>, String) $($row)+ } };
    (Flag $($row:tt)+) => { setter! { (bool, bool) $($row)+ } };
    (Count $($row:tt)+) => { setter! { (u64, u64) $($row)+ } };
    (
        ($taken:ty, $type:ty) $holder:ident [$($doc:tt)+] $name:ident
        |$to:ident, $given:ident| $edit:expr
    ) => {
        $($doc)+
        pub fn $name(mut self, $given: $taken) -> $holder {
            let $given: $type = $given.into();
            let $to = self.options_mut();
            $edit;
            self
        }
    };
    ($($other:tt)+) => {};
}
pub(crate) use setter;

/// Passes each member of a JSON object of options to `set`, which returns whether it knows the name.
pub(crate) fn each_option(
    json: &str,
    mut set: impl FnMut(&str, Value<'_>) -> Result<bool>,
    unknown: impl FnOnce(&str) -> Error,
) -> Result<()> {
    let options = Value::parse(json)
        .map_err(|cause| Error::config(format!("the options are not JSON: {cause}")))?;
    if options.kind() != Kind::Object {
        return Err(Error::config("the options are JSON, but not an object"));
    }
    let key = options.get("api_key").and_then(Value::as_str).unwrap_or_default();
    for (name, value) in options.members() {
        if !set(&name, value).map_err(|error| without_key(error, &key))? {
            return Err(unknown(&redact_given(&key, &name)));
        }
    }
    Ok(())
}

/// The longest name that a message shows whole, in bytes.
const NAME_BYTES_MAX: usize = 64;

/// The error for an unknown name: it suggests a known name, or says that the name is known `elsewhere`.
pub(crate) fn unknown(name: &str, known: &[String], elsewhere: &[String], whose: &str) -> Error {
    let name = cut(name, NAME_BYTES_MAX);
    let message = if elsewhere.iter().any(|other| other == name) {
        format!("{name} is only an option of {whose}")
    } else {
        match suggestion(name, known.iter().map(String::as_str)) {
            Some(near) => format!("unknown option {name:?}: did you mean {near:?}?"),
            None => format!("unknown option {name:?}"),
        }
    };
    Error::config(message).with_hint(format!("The options are {}.", known.join(", ")))
}
