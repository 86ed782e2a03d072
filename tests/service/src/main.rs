//! The command: starts the service and prints its address.

use std::io::{Read, Write};
use std::process::ExitCode;

use modelwire_testing::{ARGUMENTS, Options, Service};

const USAGE: &str = "\
usage: modelwire-service [options]

A loopback mock of an OpenAI-compatible inference service. For tests only.
Prints one line when it is ready: modelwire-service listening on http://127.0.0.1:PORT/v1

";
const OF_COMMAND: &str = "  --exit-with-stdin
      Exit when stdin ends, so as to die with the parent
  --help
      Print this
";
const EXIT_USAGE: u8 = 2;

/// The parsed command line.
enum Asked {
    Run { options: Box<Options>, exit_with_stdin: bool },
    Help,
}

fn main() -> ExitCode {
    match parse(std::env::args().skip(1)) {
        Ok(Asked::Help) => {
            print!("{}", usage());
            ExitCode::SUCCESS
        }
        Ok(Asked::Run { options, exit_with_stdin }) => match run(*options, exit_with_stdin) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("modelwire-service: {error}");
                ExitCode::FAILURE
            }
        },
        Err(reason) => {
            eprint!("modelwire-service: {reason}\n\n{}", usage());
            ExitCode::from(EXIT_USAGE)
        }
    }
}

fn usage() -> String {
    let of_table = ARGUMENTS.iter().map(|argument| {
        format!("  --{} {}\n      {}\n", argument.name, argument.value, argument.doc)
    });
    USAGE.to_owned() + &of_table.collect::<String>() + OF_COMMAND
}

fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Asked, String> {
    let mut options = Options::default();
    let mut exit_with_stdin = false;
    while let Some(given) = arguments.next() {
        match given.as_str() {
            "--exit-with-stdin" => exit_with_stdin = true,
            "--help" => return Ok(Asked::Help),
            _ => {
                let is_meant = |name: &str| given.strip_prefix("--") == Some(name);
                let argument = ARGUMENTS
                    .iter()
                    .find(|argument| is_meant(argument.name))
                    .ok_or_else(|| format!("unknown argument {given}"))?;
                let value = arguments.next().ok_or_else(|| format!("{given} needs a value"))?;
                (argument.set)(&mut options, &value).map_err(|wrong| format!("{given} {wrong}"))?;
            }
        }
    }
    Ok(Asked::Run { options: Box::new(options), exit_with_stdin })
}

fn run(options: Options, exit_with_stdin: bool) -> std::io::Result<()> {
    let port = options.port;
    let service = Service::start_with(options).map_err(|cause| {
        let hint = match cause.kind() {
            std::io::ErrorKind::AddrInUse => "; choose another --port, or 0 for any that is free",
            _ => "",
        };
        std::io::Error::other(format!("port {port} of 127.0.0.1 cannot be had: {cause}{hint}"))
    })?;
    let mut stdout = std::io::stdout();
    writeln!(stdout, "modelwire-service listening on {}", service.base_url())?;
    stdout.flush()?;
    if exit_with_stdin {
        let mut ignored = [0; 1024];
        while std::io::stdin().read(&mut ignored)? > 0 {}
        return Ok(());
    }
    loop {
        std::thread::park();
    }
}
