//! Makes an archive private where it stands: modelwire-hide FILE. Knows no object file.

use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(path) = std::env::args_os().nth(1) else {
        eprintln!("usage: modelwire-hide FILE");
        return ExitCode::FAILURE;
    };
    let hidden = std::fs::read(&path)
        .map_err(|cause| cause.to_string())
        .and_then(|archive| modelwire_hide::hide(&archive))
        .and_then(|archive| std::fs::write(&path, archive).map_err(|cause| cause.to_string()));
    match hidden {
        Ok(()) => ExitCode::SUCCESS,
        Err(cause) => {
            eprintln!("{}: {cause}", path.display());
            ExitCode::FAILURE
        }
    }
}
