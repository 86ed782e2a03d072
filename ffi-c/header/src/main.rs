//! `make header`: writes what is generated from ffi-c/src, and says what changed.

use std::process::ExitCode;

use modelwire_header::{HEADER, SYMBOLS, functions, generate, root, with_new_symbols};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(cause) => {
            eprintln!("make header: {cause}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let header = generate()?;
    write(HEADER, &header)?;
    let listed = std::fs::read_to_string(root().join(SYMBOLS))
        .map_err(|cause| format!("{SYMBOLS}: {cause}"))?;
    let names: Vec<String> = functions(&header).into_iter().map(|one| one.name).collect();
    for gone in listed.lines().filter(|line| !line.starts_with('#')) {
        if !names.iter().any(|name| name == gone) {
            println!("{gone} is gone from {HEADER} and stays in {SYMBOLS}: tests will fail");
        }
    }
    write(SYMBOLS, &with_new_symbols(&listed, &names))
}

/// Leaves alone what is right already, so that nothing is compiled again because of it.
fn write(path: &str, text: &str) -> Result<(), String> {
    let place = root().join(path);
    if std::fs::read_to_string(&place).is_ok_and(|old| old == text) {
        println!("{path} is up to date");
        return Ok(());
    }
    println!("{path} is written");
    std::fs::write(&place, text).map_err(|cause| format!("{path}: {cause}"))
}
