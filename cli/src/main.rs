//! The binary: passes its arguments to the library, and exits with the returned code.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(modelwire_cli::run(std::env::args_os().collect()))
}
