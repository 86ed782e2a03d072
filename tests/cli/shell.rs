//! What the command writes for shells and for people: curl commands, completions, the manual page, the help.
//! Runs what can be run.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod support;

use std::process::Command;

use modelwire_testing::{Exchange, Recorded, Script, Service};
use support::{
    Folder, KEY, Ran, modelwire, modelwire_at, modelwire_to, run, run_on_terminal, run_with_input,
};

/// Most columns of a line of the help.
const HELP_COLUMNS_MAX: usize = 100;
/// Most of a processor's time that the help takes.
const HELP_SECONDS_MAX: f64 = 0.02;
/// A certificate of an authority that signed nothing.
const AUTHORITY: &str = "\
-----BEGIN CERTIFICATE-----
MIIBfjCCASWgAwIBAgIUEfMl8gS5PJQ1zNQjV6zaO4luby4wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJYXV0aG9yaXR5MCAXDTI2MTEyMjE4MzIxNFoYDzIxMjYxMDI5
MTgzMjE0WjAUMRIwEAYDVQQDDAlhdXRob3JpdHkwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAROx7hiTyhNHkRJ8vxMlizDxJy031gihVo0d7Ic1XPg6CdksrKeeFSX
pkvlTdhH6y8O36cqXz1IZIsYFffDPwC8o1MwUTAdBgNVHQ4EFgQUB1TP6iUUeN7m
DDUKGMMwjskmpeAwHwYDVR0jBBgwFoAUB1TP6iUUeN7mDDUKGMMwjskmpeAwDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiB5+b3QChDZH6Rr0KA4Nhxd
tVTZ7dPfLfdey9FPOcLpVgIgUJdRgsKopnVdxRYBzzv3NYUtCOrwtVsU4BZKO9v9
jdk=
-----END CERTIFICATE-----
";
const COMMANDS: [&str; 10] = [
    "chat",
    "respond",
    "models",
    "bulk",
    "bulk status",
    "bulk set",
    "doctor",
    "serve",
    "completion",
    "man",
];

/// The help of a command, asked for in this way.
fn help(command: &str, option: &str) -> Ran {
    run(&mut modelwire(command.split(' ').chain([option])))
}

/// Runs a line in a shell that has the key.
fn in_shell(line: &str) -> Ran {
    let mut shell = Command::new("sh");
    shell.arg("-s").env("MODELWIRE_API_KEY", KEY).env("OPENAI_API_KEY", KEY);
    run_with_input(&mut shell, line.as_bytes().to_vec())
}

/// Whether curl is here. Where it is not, what a shell makes of the command is looked at instead.
fn has_curl() -> bool {
    Command::new("curl").arg("--version").output().is_ok_and(|ran| ran.status.success())
}

/// What counts of a request: where it went, the named headers, and what it said.
fn counts(request: &Recorded) -> (String, String, Vec<String>, String) {
    let header = |wanted: &str| {
        let found = request.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
        found.map(|(_, value)| value.clone()).unwrap_or_default()
    };
    let headers = ["authorization", "content-type", "x-one"].map(header).to_vec();
    let body = String::from_utf8(request.body.clone()).unwrap();
    (request.method.clone(), request.target.clone(), headers, body)
}

#[test]
fn a_curl_command_sends_what_the_command_would() {
    let service = Service::start().unwrap();
    let folder = Folder::new();
    let key = folder.file("it's a key", "sk-test\n");
    let key = key.to_str().unwrap();
    let nasty = "it's \"quoted\" \\ $HOME `id` $(id) !! %s \u{e9}\u{1f600}\n'''\tend";
    let long = "it's long ".repeat(20_000);
    for (arguments, input) in [
        (&["models"][..], ""),
        (&["chat", "-m", "echo", "Hello"], ""),
        (&["chat", "-m", "echo", "-s", nasty, nasty], ""),
        (&["respond", "-m", "echo", "--no-stream", nasty], ""),
        (&["respond", "-m", "echo", "--set", "user=o'brien", "--max-tokens", "9", "-"], nasty),
        (&["chat", "-m", "echo", "--option", "headers={\"x-one\": \"it's 1\"}", "Hello"], ""),
        (&["chat", "-m", "echo", "--key-file", key, "--timeout", "30", "Hello"], ""),
        (&["chat", "-m", "echo", "-"], &long),
    ] {
        service.clear();
        let ask = |more: &[&str]| {
            let mut command = modelwire_to(&service, &[arguments, more].concat());
            if arguments.contains(&"--key-file") {
                command.env_remove("MODELWIRE_API_KEY");
            }
            run_with_input(&mut command, input)
        };
        let printed = ask(&["--curl"]);
        assert_eq!((printed.code(), &*printed.stderr), (0, ""));
        assert!(service.recorded("").is_empty(), "nothing is sent");
        let line = printed.text();
        assert!(!line.contains(KEY), "{line}");
        assert_eq!(
            line.contains("-sSN"),
            arguments[0] != "models" && !arguments.contains(&"--no-stream")
        );
        assert_eq!(ask(&[]).code(), 0);
        if !has_curl() {
            let words = in_shell(&line.replacen("curl", "printf '%s\\n'", 1));
            assert!(words.text().contains(nasty) || !arguments.contains(&nasty), "{line}");
            continue;
        }
        let ran = in_shell(line);
        assert_eq!((ran.code(), &*ran.stderr), (0, ""), "{line}");
        let sent: Vec<_> = service.recorded("").iter().map(counts).collect();
        let [ours, theirs] = &sent[..] else { panic!("{} requests: {line}", sent.len()) };
        // What goes through a file of the shell has a line end behind it.
        let body = theirs.3.strip_suffix('\n').unwrap_or(&theirs.3);
        assert_eq!(
            (&theirs.0, &theirs.1, &theirs.2[..]),
            (&ours.0, &ours.1, &ours.2[..]),
            "{line}"
        );
        assert_eq!(body, ours.3);
    }
}

#[test]
fn a_curl_command_has_the_whole_url_and_the_key_that_is_there() {
    let folder = Folder::new();
    let ask = ["models", "--curl"];
    let line = |command: &mut Command| run(command).text().to_owned();
    let url = "http://127.0.0.1:1/v1/?api-version=1";
    assert_eq!(
        line(modelwire(ask).args(["--base-url", url])),
        "curl -sS 'http://127.0.0.1:1/v1/models?api-version=1' \\\n  -H \"Authorization: Bearer $MODELWIRE_API_KEY\"\n"
    );
    let mut other = modelwire(ask);
    other.env("OPENAI_BASE_URL", "http://127.0.0.1:1/v1").env("OPENAI_API_KEY", KEY);
    assert!(line(&mut other).contains("Bearer $OPENAI_API_KEY\""));
    let authority = folder.file("authority.pem", AUTHORITY);
    let ca = format!("ca_pem=@{}", authority.display());
    let options = ["--option", "proxy=http://127.0.0.1:2", "--option", &ca, "--timeout", "1.5"];
    let more = line(other.args(options).args(["--option", "query={\"a\":\"b c\"}"]));
    for expected in
        ["--proxy 'http://127.0.0.1:2'", "--cacert '/", "--max-time 1.5", "--url-query 'a=b c'"]
    {
        assert!(more.contains(expected), "{more}");
    }
    for (arguments, expected) in [
        (&["models", "--curl"][..], "no base URL"),
        (&["models", "--curl", "--base-url", "host"], "base_url is not a URL"),
        (&["chat", "--curl", "--base-url", url, "Hello"], "name one with --model"),
        (&["chat", "--curl", "--json", "Hello"], "cannot be used with"),
    ] {
        let ran = run(&mut modelwire(arguments));
        assert!(ran.code() != 0 && ran.stderr.contains(expected), "{}", ran.stderr);
    }
}

/// The long options that the help of a command has.
fn options_of(command: &str) -> Vec<String> {
    let help = help(command, "--help");
    assert_eq!(help.code(), 0);
    let lines = help.text().lines().map(str::trim_start);
    let options = lines.filter(|line| line.starts_with('-')).flat_map(|line| {
        line.split([' ', ',']).find(|word| word.starts_with("--")).map(str::to_owned)
    });
    options.filter(|option| option != "--help").collect()
}

/// A step of doctor has another limit than a call of the other commands.
#[test]
fn doctor_has_its_own_help_for_timeout() {
    let help = |command| {
        let page = run(&mut modelwire([command, "--help"])).text().to_owned();
        page.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let (of_call, of_step) = ("The longest that a call may take", "The timeout of one step");
    assert!(help("chat").contains(of_call) && !help("chat").contains(of_step));
    assert!(help("doctor").contains(of_step) && !help("doctor").contains(of_call));
}

#[test]
fn completions_have_every_argument() {
    for shell in ["bash", "zsh", "fish"] {
        let ran = run(&mut modelwire(["completion", shell]));
        assert_eq!((ran.code(), &*ran.stderr), (0, ""));
        let script = ran.text();
        for command in COMMANDS {
            assert!(command.split(' ').all(|word| script.contains(word)), "{shell}: {command}");
            for option in options_of(command) {
                let written = if shell == "fish" { format!("-l {}", &option[2..]) } else { option };
                assert!(script.contains(&written), "{shell}: {command} {written}");
            }
        }
        // Looked at by the shell itself, where it is here.
        if let Ok(found) = Command::new(shell).arg("-c").arg("true").output() {
            assert!(found.status.success());
            let checked = run_with_input(Command::new(shell).args(["-n", "/dev/stdin"]), script);
            assert_eq!((checked.code(), &*checked.stderr), (0, ""), "{shell}");
        }
    }
}

#[test]
fn bash_uses_the_completions() {
    let folder = Folder::new();
    let script = folder.file("completion", &run(&mut modelwire(["completion", "bash"])).stdout);
    let complete = |words: &str, count: usize| {
        let line = format!(
            "source '{}'; COMP_WORDS=({words}); COMP_CWORD={count}; _modelwire modelwire \"${{COMP_WORDS[{count}]}}\" \"${{COMP_WORDS[{}]}}\"; echo \"${{COMPREPLY[@]}}\"",
            script.display(),
            count - 1
        );
        let ran = run(Command::new("bash").args(["--norc", "-c", &line]));
        ran.text().trim().to_owned()
    };
    assert_eq!(complete("modelwire cha", 1), "chat");
    assert_eq!(complete("modelwire chat --no", 2), "--no-stream");
    assert_eq!(complete("modelwire completion z", 2), "zsh");
}

#[test]
fn the_manual_page_has_every_argument() {
    let ran = run(&mut modelwire(["man"]));
    assert_eq!((ran.code(), &*ran.stderr), (0, ""));
    let page = ran.text().replace("\\-", "-");
    assert!(page.contains(".TH modelwire 1"), "{page}");
    for command in COMMANDS {
        let title = format!(".SH \"MODELWIRE {}\"", command.to_uppercase());
        let section = page.split(&title).nth(1).expect(command);
        let section = section.split(".SH ").next().unwrap();
        for option in options_of(command) {
            assert!(section.contains(&option), "{command}: {option}");
        }
    }
    for exit in modelwire_cli::Exit::ALL {
        assert!(page.contains(exit.meaning()), "{exit:?}");
    }
}

#[test]
fn the_help_fits_its_columns() {
    let mut pages = vec![run(&mut modelwire(["--help"])), run(&mut modelwire(["-h"]))];
    for command in COMMANDS {
        pages.push(help(command, "--help"));
        pages.push(help(command, "-h"));
        pages.push(run(&mut modelwire(["help"].into_iter().chain(command.split(' ')))));
    }
    for page in pages {
        assert_eq!((page.code(), &*page.stderr), (0, ""));
        for line in page.text().lines() {
            assert!(line.chars().count() <= HELP_COLUMNS_MAX, "{line}");
        }
    }
}

/// What children of a shell used of processors, in seconds, as `times` tells it.
fn seconds_of(times: &str) -> f64 {
    let of_children = times.lines().nth(1).unwrap();
    let seconds = |time: &str| {
        let (minutes, seconds) = time.split_once('m').unwrap();
        let part = |text: &str| text.trim_end_matches('s').parse::<f64>().unwrap();
        part(minutes) * 60.0 + part(seconds)
    };
    of_children.split_whitespace().map(seconds).sum()
}

#[test]
fn the_help_is_there_at_once() {
    let runs = 20;
    let binary = env!("CARGO_BIN_EXE_modelwire");
    let line =
        format!("for i in $(seq {runs}); do '{binary}' chat --help > /dev/null; done; times");
    let ran = in_shell(&line);
    let each = seconds_of(ran.text()) / f64::from(runs);
    assert!(each < HELP_SECONDS_MAX, "{each} s of a processor for --help");
}

#[test]
fn without_arguments_the_help_is_short() {
    let ran = run(&mut modelwire::<&str>([]));
    assert_eq!((ran.code(), ran.text()), (2, ""));
    assert!(ran.stderr.lines().count() < 30 && ran.stderr.contains("Usage: modelwire <COMMAND>"));
    let version = run(&mut modelwire(["--version"]));
    assert_eq!(version.text(), concat!("modelwire ", env!("CARGO_PKG_VERSION"), "\n"));
    let unknown = run(&mut modelwire(["chta"]));
    assert_eq!(unknown.code(), 2);
    let said = "modelwire: unrecognized subcommand 'chta'; tip: a similar subcommand exists: 'chat' (see `modelwire --help`)\n";
    assert_eq!(unknown.stderr, said);
    for (arguments, said) in [
        (
            &["bulk", "set", "a.jsonl", "b.jsonl", "--rpm", "5"][..],
            "unexpected argument 'b.jsonl' found; quote a value that contains spaces (see `modelwire bulk set --help`)",
        ),
        (
            &["bulk", "stat", "out.jsonl"],
            "the following required arguments were not provided: --output <OUT.jsonl>; tip: a similar subcommand exists: 'status' (see `modelwire bulk --help`)",
        ),
        (
            // After an input, the name of a subcommand is one more input.
            &["bulk", "a.jsonl", "status"],
            "the following required arguments were not provided: --output <OUT.jsonl> (see `modelwire bulk --help`)",
        ),
        (
            &["bulk", "set", "out.jsonl", "--max-row", "5"],
            "unexpected argument '--max-row' found; tip: a similar argument exists: '--max-rows' (see `modelwire bulk set --help`)",
        ),
    ] {
        let ran = run(&mut modelwire(arguments));
        assert_eq!((ran.code(), ran.stderr), (2, format!("modelwire: {said}\n")));
    }
    let unknown = run(&mut modelwire(["chat", "--modle", "echo"]));
    let said = "modelwire: unexpected argument '--modle' found; tip: a similar argument exists: '--model' (see `modelwire chat --help`)\n";
    assert_eq!(unknown.stderr, said);
}

#[test]
fn colours_are_for_terminals_and_can_be_refused() {
    let has_colour = |ran: &Ran| ran.text().contains('\u{1b}');
    let mut command = modelwire(["chat", "--help"]);
    assert!(!has_colour(&run(&mut command)));
    command.env("TERM", "xterm");
    assert!(has_colour(&run_on_terminal(&mut command)));
    command.env("NO_COLOR", "1");
    assert!(!has_colour(&run_on_terminal(&mut command)));
}

#[test]
fn help_needs_no_service_and_no_sane_environment() {
    let url = "not a URL at all";
    let mut command = modelwire_at(url, &["chat", "--help"]);
    command.env("MODELWIRE_API_KEY", "two words").env("HTTPS_PROXY", "::");
    assert_eq!(run(&mut command).code(), 0);
    let service = Service::start().unwrap();
    let url = service.script("none", Script::one(Exchange::json(200, "{}")));
    assert_eq!(run(&mut modelwire_at(&url, &["--help"])).code(), 0);
    assert!(service.recorded("none").is_empty());
}
