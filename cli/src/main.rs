//! The binary: hands its arguments to the library, and exits with what that returns.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(modelwire_cli::run(std::env::args_os().collect()))
}
