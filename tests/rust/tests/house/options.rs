//! The table of options in the documents, from the core's own tables. Knows no option.

use std::fs;

use modelwire::{Config, Limits, OptionKind, Timeouts};

use super::{read, root};

const TABLE: &str = "docs/options.md";

fn takes(kind: OptionKind) -> &'static str {
    match kind {
        OptionKind::Text => "text",
        OptionKind::Flag => "true or false",
        OptionKind::Count => "whole number",
        OptionKind::Milliseconds => "milliseconds",
        OptionKind::Part => "0 to 1",
        OptionKind::Statuses => "array of numbers",
        OptionKind::Headers => "object of texts",
        _ => panic!("docs/options.md has no word for {kind:?}"),
    }
}

fn table() -> String {
    let mut text = String::from(
        "# Options of a client by name\n\n\
         <!-- Written by `make rules` from the tables in core/src. -->\n\n\
         These names are the members of the JSON object that `modelwire_config_set_options` (C),\n\
         `config::options` (C++) and `Config::set_options` (Rust) take. Python has the same options as\n\
         arguments of its clients, in seconds where it says milliseconds here.\n\n\
         | option | takes | what it does |\n|---|---|---|\n",
    );
    let mut row = |name: &str, takes: &str, doc: &str| {
        text.push_str(&format!("| `{name}` | {takes} | {doc} |\n"));
    };
    for option in Config::OPTIONS {
        row(option.name, takes(option.kind), option.doc);
    }
    for timeout in Timeouts::ALL {
        row(&format!("{}_timeout_ms", timeout.name), "milliseconds, null is off", timeout.doc);
    }
    for limit in Limits::ALL {
        row(limit.name, "1 to 2147483647", limit.doc);
    }
    text
}

#[test]
fn the_table_of_options_is_fresh() {
    let table = table();
    if std::env::var_os("UPDATE_RULES").is_some() {
        fs::write(root().join(TABLE), &table).unwrap();
    }
    assert!(read(TABLE) == table, "{TABLE} is stale: run `make rules`");
}
