"""One measurement: a client in a fresh process, its answer checked against what was sent."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

from harness.clients import Client
from harness.environments import Command
from harness.scenarios import Scenario
from harness.server import Server

TIMEOUT_S = 300


@dataclass
class Run:
    """What one process cost, per operation, and the server's part in it."""

    operations: int
    cpu_us: float
    wall_us: float
    #: The scenario's own figure; the CPU time where it has none.
    value: float
    #: CPU of the whole process with its start and end, in all.
    process_cpu_us: float
    server_share: float
    client_share: float


def spawn(command: Command, **environment: str) -> tuple[str, float]:
    """Runs a process to its end; what it printed and the CPU time that the kernel counted."""
    whole = {**os.environ, **environment}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=whole) as process:
        assert process.stdout
        printed = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"failed ({process.returncode}): {' '.join(map(str, command))}")
    return printed, (usage.ru_utime + usage.ru_stime) * 1e6


def operations_of(scenario: Scenario, client: Client, scale: float) -> int:
    """As many as the scenario says; fewer for slow clients and quick runs, in whole rounds."""
    if not scenario.may_shorten:
        return scenario.operations
    round_ = scenario.at_once * (64 if scenario.at_once == 1 and scenario.operations > 64 else 1)
    wanted = scenario.operations * client.part * scale
    return max(1, round(wanted / round_)) * round_


def measure(scenario: Scenario, client: Client, server: Server, scale: float) -> Run:
    """One fresh process at the whole work of a scenario."""
    operations = operations_of(scenario, client, scale)
    route = scenario.route.format(events=operations // scenario.at_once)
    base_url = server.base_url(route, scenario.is_tls)
    arguments = [scenario.work, base_url, str(operations), str(scenario.at_once)]
    spent = server.cpu_us()
    trusted = {"SSL_CERT_FILE": server.authority} if scenario.is_tls else {}
    command = ["timeout", str(TIMEOUT_S), *client.command, *arguments]
    printed, process_cpu_us = spawn(command, **trusted)
    spent = server.cpu_us() - spent
    told = json.loads(printed)
    check(scenario, client, told, server.expected(route), operations)
    cpu_us, wall_us = told["cpu_us"] / operations, told["wall_us"] / operations
    value = cpu_us if scenario.metric == "cpu_us" else told[scenario.metric]
    return Run(
        operations=operations,
        cpu_us=cpu_us,
        wall_us=wall_us,
        value=value,
        process_cpu_us=process_cpu_us,
        server_share=spent / told["wall_us"],
        client_share=told["cpu_us"] / told["wall_us"],
    )


def check(
    scenario: Scenario,
    client: Client,
    told: dict[str, Any],
    sent: dict[str, Any],
    operations: int,
) -> None:
    """Ends the run if a client did not receive everything."""
    answers = {"chat": operations, "stream": scenario.at_once, "first": operations}
    times = answers.get(scenario.work, 1)
    events, text_bytes = times * sent["events"], times * sent["text_bytes"]
    if scenario.work == "gather":
        events = 1
    if scenario.work in ("new", "fields", "dump"):
        events, text_bytes = operations, 0
    if scenario.work == "open":
        return  # it tells its own failure
    if "body_bytes" in told:  # a bare drain knows no events
        is_whole = told["body_bytes"] > text_bytes
    elif client.name == "socket":
        is_whole = told["events"] == events
    else:
        is_whole = (told["events"], told["text_bytes"]) == (events, text_bytes)
    if not is_whole:
        sys.exit(f"{client.name} at {scenario.name}: {events} events and {text_bytes} bytes of text "
                 f"were sent, it received {told}")  # fmt: skip
