//! The command: starts the service and says where it is. Knows no request.

use std::io::{Read, Write};
use std::process::ExitCode;
use std::time::Duration;

use modelwire_service::{Options, Reported, Service};

const USAGE: &str = "\
usage: modelwire-service [options]

A loopback stand-in for an OpenAI-compatible inference service. For tests only.
Prints one line when it is ready: modelwire-service listening on http://127.0.0.1:PORT/v1

  --port N           listen on this port of 127.0.0.1 (default: a free one)
  --key KEY          the API key to accept (default: sk-test)
  --usage WHEN       report usage: asked (in streamed chats by stream_options only; the default),
                     always, or never
  --word-pause-ms N  wait between streamed words (default: 0)
  --exit-with-stdin  exit when stdin ends, so as to die with the parent
  --help             print this
";
const EXIT_USAGE: u8 = 2;

/// What the command line asks for.
enum Asked {
    Run { options: Options, exit_with_stdin: bool },
    Help,
}

fn main() -> ExitCode {
    match parse(std::env::args().skip(1)) {
        Ok(Asked::Help) => {
            print!("{USAGE}");
            ExitCode::SUCCESS
        }
        Ok(Asked::Run { options, exit_with_stdin }) => match run(options, exit_with_stdin) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("modelwire-service: {error}");
                ExitCode::FAILURE
            }
        },
        Err(reason) => {
            eprint!("modelwire-service: {reason}\n\n{USAGE}");
            ExitCode::from(EXIT_USAGE)
        }
    }
}

fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Asked, String> {
    let mut options = Options::default();
    let mut exit_with_stdin = false;
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        match argument.as_str() {
            "--port" => options.port = number(&argument, &value()?)?,
            "--key" => options.key = value()?,
            "--word-pause-ms" => {
                options.word_pause = Duration::from_millis(number(&argument, &value()?)?);
            }
            "--usage" => {
                options.usage = match value()?.as_str() {
                    "asked" => Reported::AsAsked,
                    "always" => Reported::Always,
                    "never" => Reported::Never,
                    other => {
                        return Err(format!("--usage takes asked, always or never, not {other}"));
                    }
                };
            }
            "--exit-with-stdin" => exit_with_stdin = true,
            "--help" => return Ok(Asked::Help),
            _ => return Err(format!("unknown argument {argument}")),
        }
    }
    Ok(Asked::Run { options, exit_with_stdin })
}

fn number<T: std::str::FromStr>(argument: &str, value: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("{argument} needs a number, not {value:?}"))
}

fn run(options: Options, exit_with_stdin: bool) -> std::io::Result<()> {
    let service = Service::start_with(options)?;
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
