//! The tables of options in the documents, from the core's own tables.

use std::fs;

use modelwire::{Config, Limits, NamedOption, OptionKind, Request, RetryPolicy, Timeouts};

use super::{read, root};

const TABLE: &str = "docs/options.md";

fn takes(kind: OptionKind) -> &'static str {
    match kind {
        OptionKind::Text => "text",
        OptionKind::Flag => "true or false",
        OptionKind::Count => "whole number",
        OptionKind::Milliseconds => "milliseconds",
        OptionKind::Timeout => "milliseconds, null is off",
        OptionKind::Part => "0 to 1",
        OptionKind::Statuses => "array of numbers",
        OptionKind::Names => "array of texts",
        OptionKind::Pairs => "object of texts",
        _ => panic!("docs/options.md has no word for {kind:?}"),
    }
}

fn rows<'a>(rows: impl IntoIterator<Item = (String, &'a str, &'a str)>) -> String {
    let rows =
        rows.into_iter().map(|(name, takes, doc)| format!("| `{name}` | {takes} | {doc} |\n"));
    format!("| option | takes | what it does |\n|---|---|---|\n{}", rows.collect::<String>())
}

fn named(options: &[NamedOption]) -> impl Iterator<Item = (String, &str, &str)> {
    options.iter().map(|option| (option.name.to_owned(), takes(option.kind), option.doc))
}

fn timeouts(are_per_call: bool) -> impl Iterator<Item = (String, &'static str, &'static str)> {
    let these = Timeouts::ALL.iter().filter(move |timeout| timeout.is_per_call || !are_per_call);
    these.map(|timeout| {
        let name = format!("{}_timeout_ms", timeout.name);
        (name, takes(OptionKind::Timeout), timeout.doc)
    })
}

fn table() -> String {
    let limits = Limits::ALL.iter();
    let limits = limits.map(|limit| (limit.name.to_owned(), "1 to 2147483647", limit.doc));
    let of_client = named(Config::OPTIONS).chain(named(RetryPolicy::OPTIONS));
    let of_client = rows(of_client.chain(timeouts(false)).chain(limits));
    let of_call = named(Request::OPTIONS).chain(named(RetryPolicy::OPTIONS));
    let of_call = rows(of_call.chain(timeouts(true)));
    format!(
        "# Options by name\n\n\
         <!-- Written by `make generate` from the tables in core/src. -->\n\n\
         Options are the members of one JSON object. Either all of them are set or none: an unknown name is\n\
         refused with a suggestion, and so is a value that an option does not accept. No error shows a\n\
         value. Python has the same options as arguments of its clients and calls, in seconds instead of\n\
         milliseconds.\n\n\
         ## Of a client\n\n\
         For `modelwire_client_new` (C), `modelwire::client` (C++) and `Config::set_options` (Rust).\n\
         Options that are not set have their default; base URL and key then come from the environment.\n\n{of_client}\n\
         ## Of a call\n\n\
         For `modelwire_request_set_options` (C), `modelwire::request::options` (C++) and\n\
         `Request::set_options` (Rust). Options that are not set have the client's value, for each part of\n\
         the retry policy separately: the defaults named here are those of a client.\n\n{of_call}"
    )
}

#[test]
fn the_table_of_options_is_fresh() {
    let table = table();
    if std::env::var_os("UPDATE_RULES").is_some() {
        fs::write(root().join(TABLE), &table).unwrap();
    }
    assert!(read(TABLE) == table, "{TABLE} is stale: run `make generate`");
}
