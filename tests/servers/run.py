#!/usr/bin/env python3
"""Runs the cases against real servers: `make test-servers`, ARGS="fastchat -k stream -v" for some.

openai-python's outcome is compared with that of modelwire in Python, and that with the outcomes of
all other clients. A difference that differences.txt does not list, and a line there that no longer
holds, fail the run.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "real")]

import servers  # noqa: E402
from cases import CASES  # noqa: E402
from compare import differences  # noqa: E402

CLIENTS = servers.TARGET / "clients"
OPENAI_PYTHON = "openai==3.52.0"
# Other ones in each answer.
VOLATILE = {"id", "created", "created_at", "completed_at", "item_id", "call_id", "request_id"}
SHOWN = 160  # characters of a difference


def in_environment():
    """Goes on in an environment with openai-python and the debug build, which it makes first."""
    python = CLIENTS / "bin/python"
    if pathlib.Path(sys.prefix) != CLIENTS:
        if not (CLIENTS / "installed").exists():
            subprocess.run([sys.executable, "-m", "venv", CLIENTS], check=True)
            pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            subprocess.run([*pip, OPENAI_PYTHON], check=True)
            (CLIENTS / "installed").touch()
        extension = servers.TARGET.parent / "debug/lib_native.so"
        subprocess.run([python, HERE.parents[1] / "py/install_dev.py", extension], check=True)
        os.execv(python, [python, *sys.argv])


def steady(value, name=""):
    """Without what is null, and without what is another in each answer."""
    if isinstance(value, dict):
        return {key: steady(one, key) for key, one in value.items() if one is not None}
    if isinstance(value, list):
        return [steady(one) for one in value]
    return "..." if name in VOLATILE else value


def compared(expected, got, names, loses):
    """Where two lists of outcomes differ, errors by these names; of what loses its
    beginning, whether it failed, and the last item."""
    for call, (one, other) in enumerate(zip(expected, got, strict=True)):
        at = f"[{call}]" if len(expected) > 1 else ""
        errors = [outcome["error"] and {name: outcome["error"].get(name) for name in names}
                  for outcome in (one, other)]  # fmt: skip
        if bool(errors[0]) != bool(errors[1]):
            ends = [shown(outcome["error"]) for outcome in (one, other)]
            yield f"{at}: {ends[1]}, not {ends[0]}"
            continue
        items = [steady(outcome["items"]) for outcome in (one, other)]
        if loses and errors[0]:
            continue
        yield from differences(steady(errors[0]), steady(errors[1]), f"{at}.error")
        yield from differences(*(got[-1:] if loses else got for got in items), f"{at}.items")


def shown(error):
    if error is None:
        return "an answer"
    told = (error.get("class") or error["kind"], error["http_status"])
    return " ".join(str(one) for one in told if one)


BESIDE_OPENAI = ("class", "http_status", "type", "code", "param", "body")
AMONG_OURS = ("kind", "http_status", "message", "type", "code", "param")
OF_THE_COMMAND = ("kind", "http_status", "type", "code", "param")


def found(case, running):
    """Where the clients differ, each line with the name of the one that does."""
    import clients

    key = case.key or servers.KEY
    loses = case.loses and running.server.upstream

    def ask(client):
        if case.kills:
            running.wait()
        return client.ask(case, running, key)

    python = ask(clients.PYTHON)
    for line in compared(ask(clients.OPENAI), python, BESIDE_OPENAI, loses):
        yield f"openai {line}"
    for name, client in clients.OTHERS.items():
        names = OF_THE_COMMAND if name == "command" else AMONG_OURS
        for line in compared(python, ask(client), names, loses):
            yield f"{name} {line}"


class Listed:
    """differences.txt: SERVER | CASE | WHAT | REASON, of which `*` in the first three is anything."""

    def __init__(self):
        self.lines, self.used = [], set()
        for text in (HERE / "differences.txt").read_text().splitlines():
            if text and not text.startswith("#"):
                *patterns, reason = (part.strip() for part in text.split(" | ", 3))
                assert reason, text
                self.lines.append((text, [self.pattern(one) for one in patterns]))

    def pattern(self, text):
        return re.compile(".*".join(re.escape(part) for part in text.split("*")), re.DOTALL)

    def has(self, *place):
        for text, patterns in self.lines:
            if all(pattern.fullmatch(part) for pattern, part in zip(patterns, place, strict=True)):
                self.used.add(text)
                return True
        return False


def play(server, upstream, cases, listed, verbose):
    """Runs the cases against one server; gives a line of the table, and what is new."""
    began, new, known = time.monotonic(), [], 0
    running = servers.Running(server, upstream)
    try:
        for case in cases:
            lines = [line[:SHOWN] for line in found(case, running)]
            fresh = [line for line in lines if not listed.has(server.name, case.name, line)]
            known += bool(lines) and not fresh
            new += [f"{server.name} | {case.name} | {line} |" for line in fresh]
            if verbose:
                print(f"{server.name} {case.name}: {'DIFFERS' if fresh else 'ok'}", flush=True)
    finally:
        running.stop()
    seconds = time.monotonic() - began
    differ = len({line.split(" | ")[1] for line in new})
    alike = len(cases) - known - differ
    row = f"| {server.name} {server.version} | {len(cases)} | {alike} | {known} | {differ} | {seconds:.0f} s |"
    return row, new


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "servers", nargs="*", help="some of: " + " ".join(s.name for s in servers.SERVERS)
    )
    parser.add_argument("-k", default="", help="cases whose name has this in it")
    parser.add_argument("-v", action="store_true", help="each case as it ends")
    arguments = parser.parse_args()
    chosen = [
        one for one in servers.SERVERS if not arguments.servers or one.name in arguments.servers
    ]
    if not chosen:
        parser.error("no such server")
    for server in {one.name: one for one in [servers.AIMOCK, *chosen]}.values():
        server.install()
    in_environment()
    cases = [case for case in CASES if arguments.k in case.name]
    listed, rows, new = Listed(), [], []
    upstream = servers.Running(servers.AIMOCK)
    try:
        for server in chosen:
            row, lines = play(
                server, server.upstream and upstream.base_url, cases, listed, arguments.v
            )
            rows.append(row)
            new += lines
    finally:
        upstream.stop()
    print(
        "| server | cases | alike | differ as listed | differ otherwise | took |\n|---|---|---|---|---|---|"
    )
    print("\n".join(rows))
    everything = len(chosen) == len(servers.SERVERS) and len(cases) == len(CASES)
    old = [text for text, _ in listed.lines if text not in listed.used] if everything else []
    for line in new:
        print(f"not listed: {line}")
    for line in old:
        print(f"no longer so: {line}")
    sys.exit(bool(new or old))


if __name__ == "__main__":
    main()
