"""`python -m harness [--scenario NAME] [--client NAME] [--runs N] [--pin] [--quick] [--list]`: builds what is
needed, lets the clients take turns, prints tables and writes target/bench.json."""

import argparse
import json
import os
import pathlib
import resource
import sys
from dataclasses import asdict, dataclass, field
from typing import Any

from harness import bulk, whole
from harness.child import measure
from harness.clients import CLIENTS, RELEASE, Client
from harness.environments import BUILD, prepare, run
from harness.machine import description
from harness.scenarios import SCENARIOS, Scenario
from harness.server import Server
from harness.table import Row, family_lines, lines, verdict

WHOLE = ("import", "linear", "sizes", "bulk")
MADE_OF_ALL = (*WHOLE, *(scenario.name for scenario in SCENARIOS))
FAMILIES = tuple(dict.fromkeys(scenario.family for scenario in SCENARIOS if scenario.family))


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="make bench ARGS=...")
    parser.add_argument("--scenario", action="append", choices=[*MADE_OF_ALL, *FAMILIES])
    parser.add_argument("--client", action="append", choices=[*CLIENTS, *bulk.RUNNERS])
    parser.add_argument("--runs", type=int, default=5, help="fresh processes for each median")
    parser.add_argument("--pin", action="store_true", help="client on one core, server on another")
    parser.add_argument("--quick", action="store_true", help="one run of a tenth of the work")
    parser.add_argument("--list", action="store_true", help="names of scenarios and clients")
    return parser.parse_args()


def chosen_clients(scenario: Scenario, wanted: list[str] | None) -> list[Client]:
    """Those that take part: the wanted ones, and those that their ratios and bars refer to."""
    names = list(scenario.clients)
    if wanted is not None:
        taken = [name for name in names if name in wanted]
        beside = {bar.of for name in taken for bar in scenario.bars.get(name, ())} | {scenario.floor}
        names = [name for name in names if name in taken or name in beside] if taken else []
    return [CLIENTS[name] for name in names]


def take_turns(
    scenario: Scenario, clients: list[Client], server: Server, runs: int, scale: float
) -> dict[str, Row]:
    """Every client once, then every client again, so that a change of the machine meets all."""
    measured = {client.name: [measure(scenario, client, server, scale)] for client in clients}
    for _ in range(runs - 1):
        for client in clients:
            measured[client.name].append(measure(scenario, client, server, scale))
    return {name: Row.of(name, of) for name, of in measured.items()}


@dataclass
class Report:
    """What was found so far; written after each step, so that a run that is cut short tells too."""

    machine: dict[str, str]
    runs: int
    not_measured: dict[str, str]
    results: dict[str, Any] = field(default_factory=dict)
    bars: dict[str, bool] = field(default_factory=dict)

    def add(self, name: str, found: tuple[list[str], object]) -> None:
        """Shows a table at once and keeps its figures."""
        table, figures = found
        self.results[name] = figures
        print("\n" + "\n".join(table), flush=True)
        path().write_text(json.dumps(asdict(self), indent=1) + "\n")

    def judge(self, scenario: Scenario, rows: dict[str, Row]) -> None:
        """Keeps which bars are met."""
        for name, row in rows.items():
            is_met = verdict(scenario.bars.get(name, ()), row, rows)[1]
            if is_met is not None:
                self.bars[f"{scenario.name} {name}"] = is_met

    def close(self) -> None:
        """The last lines."""
        not_met = [name for name, is_met in self.bars.items() if not is_met]
        of = f"{len(self.bars) - len(not_met)} of {len(self.bars)}"
        print(f"\nbars: {of} met" + (f"; not met: {', '.join(not_met)}" if not_met else ""))
        print(f"written to {path()}")


def path() -> pathlib.Path:
    """Where the figures go."""
    return BUILD / "bench.json"


def measure_all(
    report: Report, work: list[tuple[Scenario, list[Client]]], is_pinned: bool, scale: float
) -> None:
    """Every scenario with its clients; scenarios of one family share a table."""
    server = Server(RELEASE / "bench-server")
    if is_pinned:
        first, *_, last = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(server.process.pid, {last})
        os.sched_setaffinity(0, {first})  # the clients are our children
    families: dict[str, list[tuple[Scenario, dict[str, Row]]]] = {}
    for scenario, clients in work:
        rows = take_turns(scenario, clients, server, report.runs, scale)
        report.judge(scenario, rows)
        figures = {name: asdict(row) for name, row in rows.items()}
        if scenario.family is None:
            report.add(scenario.name, (lines(scenario, rows), figures))
        else:
            report.results[scenario.name] = figures
            families.setdefault(scenario.family, []).append((scenario, rows))
    server.close()
    for name, members in families.items():
        report.add(name, (family_lines(name, members), [row.point for row, _ in members]))


def main() -> None:
    """The whole run."""
    asked = arguments()
    if asked.list:
        print(f"scenarios: {' '.join(MADE_OF_ALL)}\nfamilies: {' '.join(FAMILIES)}")
        print(f"clients: {' '.join([*CLIENTS, *bulk.RUNNERS])}")
        return
    wanted = set(asked.scenario or MADE_OF_ALL)
    work = [
        (scenario, chosen_clients(scenario, asked.client))
        for scenario in SCENARIOS
        if {scenario.name, scenario.family} & wanted
    ]
    names = dict.fromkeys(client.name for _, clients in work for client in clients)
    missing = {name: why for name in names if (why := CLIENTS[name].missing()) is not None}
    work = [(scenario, [one for one in of if one.name not in missing]) for scenario, of in work]
    work = [(scenario, of) for scenario, of in work if of]

    machine = description()
    if asked.pin:
        machine["pinned"] = "client on one core, server on another"
    run(["tests/tools", "cargo", "cc", "python3", "venv", "strip", "openssl"])
    needs = {"venv"} if "bulk" in wanted else set()
    prepare({"cargo"} | needs | {part for _, of in work for client in of for part in client.needs})
    # Thousands of connections; children inherit the limit.
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))

    runs, scale = (1, 0.1) if asked.quick else (asked.runs, 1.0)
    print("\n".join(f"{name}: {value}" for name, value in machine.items()))
    print(f"medians of {runs} fresh processes, clients in turns; client CPU in µs per operation")
    for name, why in missing.items():
        print(f"not measured: {name}: {why}")

    report = Report(machine, runs, missing)
    importing = asked.client or list(CLIENTS)
    if "import" in wanted and set(whole.IMPORTS) & set(importing):
        report.add("import", whole.imports(importing, runs))
    measure_all(report, work, asked.pin, scale)
    if "linear" in wanted and asked.client is None:
        report.add("linear", whole.linear(runs))
    if "sizes" in wanted and asked.client is None:
        report.add("sizes", whole.sizes())
    if "bulk" in wanted and (asked.client is None or set(bulk.RUNNERS) & set(asked.client)):
        report.add("bulk", bulk.bulk(runs, scale, asked.client))
    report.close()


main()
