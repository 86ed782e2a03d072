"""`python -m harness [--scenario NAME] [--client NAME] [--runs N] [--pin] [--quick] [--list]`: builds what is
needed, lets the clients take turns, prints tables and writes target/bench.json."""

import argparse
import json
import os
import resource
import sys
from dataclasses import asdict

from harness import whole
from harness.child import measure
from harness.clients import CLIENTS, RELEASE, Client
from harness.environments import BUILD, ROOT, prepare, run
from harness.machine import description
from harness.scenarios import SCENARIOS, Scenario
from harness.server import Server
from harness.table import Row, family_lines, lines, verdict

WHOLE = ("import", "linear", "sizes")
MADE_OF_ALL = (*WHOLE, *(scenario.name for scenario in SCENARIOS))
FAMILIES = tuple(dict.fromkeys(scenario.family for scenario in SCENARIOS if scenario.family))


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="make bench ARGS=...")
    parser.add_argument("--scenario", action="append", choices=[*MADE_OF_ALL, *FAMILIES])
    parser.add_argument("--client", action="append", choices=list(CLIENTS))
    parser.add_argument("--runs", type=int, default=5, help="fresh processes for each median")
    parser.add_argument("--pin", action="store_true", help="client on one core, server on another")
    parser.add_argument("--quick", action="store_true", help="one run of a tenth of the work")
    parser.add_argument("--list", action="store_true", help="names of scenarios and clients")
    return parser.parse_args()


def chosen_clients(scenario: Scenario, wanted: list[str] | None) -> list[Client]:
    """Those that take part: the wanted ones, and the floor, without which there is no ratio."""
    names = [
        name
        for name in scenario.clients
        if wanted is None or name in wanted or name == scenario.floor
    ]
    if wanted is not None and not set(names) & set(wanted):
        return []
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


def main() -> None:
    """The whole run."""
    asked = arguments()
    if asked.list:
        print(f"scenarios: {' '.join(MADE_OF_ALL)}\nfamilies: {' '.join(FAMILIES)}")
        sys.exit(f"clients: {' '.join(CLIENTS)}")
    runs, scale = (1, 0.1) if asked.quick else (asked.runs, 1.0)
    wanted = set(asked.scenario or MADE_OF_ALL)
    work = [
        (scenario, chosen_clients(scenario, asked.client))
        for scenario in SCENARIOS
        if {scenario.name, scenario.family} & wanted
    ]
    # Thousands of connections; children inherit the limit.
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))

    machine = description()
    if asked.pin:
        machine["pinned"] = "client on one core, server on another"
    missing = {
        name: why
        for name in dict.fromkeys(client.name for _, clients in work for client in clients)
        if (why := CLIENTS[name].missing()) is not None
    }
    needs = {"cargo"} | {
        part
        for _, clients in work
        for client in clients
        if client.name not in missing
        for part in client.needs
    }
    run(["tests/tools", "cargo", "cc", "python3", "venv", "strip"])
    prepare(needs)
    print("\n".join(f"{name}: {value}" for name, value in machine.items()))
    print(f"medians of {runs} fresh processes, clients in turns; client CPU in µs per operation")
    for name, why in missing.items():
        print(f"not measured: {name}: {why}")

    results: dict[str, object] = {}
    met: dict[str, bool] = {}
    families: dict[str, list[tuple[Scenario, dict[str, Row]]]] = {}
    clients_of_whole = asked.client or list(CLIENTS)
    if "import" in wanted and set(whole.IMPORTS) & set(clients_of_whole):
        results["import"] = told(whole.imports(clients_of_whole, runs))
    server = Server(RELEASE / "bench-server")
    if asked.pin:
        first, *_, last = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(server.process.pid, {last})
        os.sched_setaffinity(0, {first})  # the clients are our children
    for scenario, clients in work:
        clients = [client for client in clients if client.name not in missing]
        if not clients:
            continue
        rows = take_turns(scenario, clients, server, runs, scale)
        results[scenario.name] = {name: asdict(row) for name, row in rows.items()}
        for name, row in rows.items():
            is_met = verdict(scenario.bars.get(name), row, rows)[1]
            if is_met is not None:
                met[f"{scenario.name} {name}"] = is_met
        if scenario.family:
            families.setdefault(scenario.family, []).append((scenario, rows))
        else:
            show(lines(scenario, rows))
    server.close()
    for name, members in families.items():
        show(family_lines(name, members))
    if "linear" in wanted and asked.client is None:
        results["linear"] = told(whole.linear(runs))
    if "sizes" in wanted and asked.client is None:
        results["sizes"] = told(whole.sizes())

    not_met = [name for name, is_met in met.items() if not is_met]
    print(f"\nbars: {len(met) - len(not_met)} of {len(met)} met"
          + (f"; not met: {', '.join(not_met)}" if not_met else ""))  # fmt: skip
    path = BUILD / "bench.json"
    whole_run = {"machine": machine, "runs": runs, "not_measured": missing, "results": results}
    path.write_text(json.dumps({**whole_run, "bars": met}, indent=1) + "\n")
    print(f"written to {path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}")


def told(found: tuple[list[str], object]) -> object:
    """Shows a table and gives back what is kept of it."""
    show(found[0])
    return found[1]


def show(table: list[str]) -> None:
    """One table, at once: a run takes minutes."""
    print("\n" + "\n".join(table), flush=True)


main()
