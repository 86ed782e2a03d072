//! Generates include/modelwire.h from ffi-c/src; from that the machine-readable description and the
//! header for FFI parsers; and the files that follow from the table of accessors. Does not compile the
//! library.
//!
//! cbindgen does the work. A test compares the header with its ABI table and with the symbols of the
//! library.

mod abi;
mod accessors;
mod declarations;
mod description;
mod plain;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub use abi::{abi, lines, name, since, with_new_lines};
pub use description::{Description, describe};
pub use plain::plain;

/// The generated header, relative to `root()`.
pub const HEADER: &str = "include/modelwire.h";
/// The header as data.
pub const DESCRIPTION: &str = "include/modelwire.json";
/// The header without directives.
pub const PLAIN: &str = "include/modelwire.ffi.h";
/// Every signature and constant, relative to `root()`; lines are only ever added.
pub const TABLE: &str = "tests/c/abi.txt";

/// The C++ wrapper: written by hand, except for its accessors.
pub const WRAPPER: &str = "include/modelwire.hpp";
/// The table of accessors for the C and C++ tests.
pub const LISTS: &str = "tests/c/accessors.h";
/// The table of accessors as a document.
pub const DOCUMENT: &str = "docs/accessors.md";

/// The files that follow from the table of accessors alone, with their texts. Writes nothing.
pub fn accessors() -> Result<Vec<(&'static str, String)>, String> {
    let wrapper = accessors::with_functions(&read(&root().join(WRAPPER))?)?;
    Ok(vec![(WRAPPER, wrapper), (LISTS, accessors::lists()), (DOCUMENT, accessors::document())])
}

/// The root of the project.
pub fn root() -> PathBuf {
    // Not "../..", which the kernel would resolve through a symbolic link.
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_owned()
}

/// The text of the header. Writes nothing below `root()`.
pub fn generate() -> Result<String, String> {
    let ffi = root().join("ffi-c");
    let config = cbindgen::Config::from_file(ffi.join("cbindgen.toml"))?;
    // Source files, not the crate: no `cargo metadata`, and no build output.
    let mut builder = cbindgen::Builder::new().with_config(config);
    for module in modules(&read(&ffi.join("src/lib.rs"))?) {
        builder = builder.with_src(ffi.join("src").join(module));
    }
    let mut header = Vec::new();
    builder.generate().map_err(|cause| cause.to_string())?.write(&mut header);
    let header = String::from_utf8(header).map_err(|cause| cause.to_string())?;
    // Negative numbers in parentheses, which cbindgen omits.
    let line = |line: &str| match line.strip_prefix("#define ").and_then(|d| d.split_once(" -")) {
        Some((name, number)) => format!("#define {name} (-{number})\n"),
        None => format!("{line}\n"),
    };
    Ok(accessors::listed(&header.lines().map(line).collect::<String>()))
}

/// The contents of include/modelwire.json for a header and its ABI table.
pub fn described(header: &str, table: &str) -> Result<Description, String> {
    let sources = root().join("ffi-c/src");
    let mut constants = BTreeMap::new();
    for module in modules(&read(&sources.join("lib.rs"))?) {
        let source = read(&sources.join(module))?;
        constants.extend(source.lines().filter_map(|line| {
            let (name, rest) = line.strip_prefix("pub const ")?.split_once(": ")?;
            Some((name.to_owned(), c_type(rest.split_once(" = ")?.0).to_owned()))
        }));
    }
    describe(header, &constants, &since(table))
}

/// The C name of a Rust type.
fn c_type(rust: &str) -> &str {
    match rust {
        "u32" => "uint32_t",
        "i32" => "int32_t",
        other => other,
    }
}

/// The files of ffi-c in the order in which `lib.rs` names them, which is the header's order.
fn modules(lib: &str) -> Vec<String> {
    lib.lines()
        .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'))
        .map(|name| format!("{name}.rs"))
        .collect()
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|cause| format!("{}: {cause}", path.display()))
}

/// A function that a header declares.
#[derive(Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its return type, "const char *" for instance.
    pub returns: String,
    /// Each with its type and its name, "size_t *length" for instance; none for `void`.
    pub parameters: Vec<String>,
}

/// The functions that a header declares: each follows MODELWIRE_API on its line or the next.
pub fn functions(header: &str) -> Vec<Function> {
    let code = abi::without_comments(header);
    let code: Vec<&str> = code.lines().filter(|line| !line.starts_with('#')).collect();
    let code = code.join(" ");
    let declared = |text: &str| {
        let (before, rest) = text.split_once('(')?;
        if before.contains(';') {
            return None; // no function
        }
        let before = before.trim();
        let start = before.rfind([' ', '*']).map_or(0, |at| at + 1);
        let (returns, name) = before.split_at(start);
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let parameters = rest.split_once(");")?.0.split(',').map(words);
        Some(Function {
            name: name.to_owned(),
            returns: words(returns),
            parameters: parameters.filter(|one| one != "void").collect(),
        })
    };
    // The space distinguishes it from MODELWIRE_API_KEY.
    code.split("MODELWIRE_API ").skip(1).filter_map(declared).collect()
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
