//! `make generate`: writes the files generated from ffi-c/src and the table of accessors, and reports
//! what changed.

use std::process::ExitCode;

use modelwire_header::{
    DESCRIPTION, HEADER, PLAIN, TABLE, abi, accessors, described, generate, plain, root,
    with_new_lines,
};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(cause) => {
            eprintln!("make generate: {cause}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let header = generate()?;
    let listed =
        std::fs::read_to_string(root().join(TABLE)).map_err(|cause| format!("{TABLE}: {cause}"))?;
    let table =
        with_new_lines(&listed, &abi(&header), env!("CARGO_PKG_VERSION")).map_err(|changes| {
            format!(
                "nothing is written, for compiled programs rely on what is changed:\n{changes}\
             Add a function or a constant beside it. If it was never released, take its line out \
             of {TABLE} by hand first."
            )
        })?;
    let description = described(&header, &table)?;
    write(HEADER, &header)?;
    write(DESCRIPTION, &description.json()?)?;
    write(PLAIN, &plain(&description))?;
    for (path, text) in accessors()? {
        write(path, &text)?;
    }
    write(TABLE, &table)
}

/// Does not touch files that are up to date, so that nothing is recompiled.
fn write(path: &str, text: &str) -> Result<(), String> {
    let place = root().join(path);
    if std::fs::read_to_string(&place).is_ok_and(|old| old == text) {
        println!("{path} is up to date");
        return Ok(());
    }
    println!("{path} is written");
    std::fs::write(&place, text).map_err(|cause| format!("{path}: {cause}"))
}
