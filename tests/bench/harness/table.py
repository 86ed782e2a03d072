"""Medians, differences to the floor and bars as text."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from harness.child import Run
from harness.scenarios import Bar, Scenario

#: Above this share of a core the server sets the pace; CPU per operation is still the client's.
SERVER_BUSY = 0.95


@dataclass
class Row:
    """One client at one scenario: medians over the runs."""

    client: str
    value: float
    value_min: float
    value_max: float
    cpu_us: float
    wall_us: float
    client_share: float
    server_share: float
    operations: int

    @staticmethod
    def of(client: str, runs: Sequence[Run]) -> "Row":
        """The median of each figure on its own."""

        def median(name: str) -> float:
            return float(statistics.median(getattr(run, name) for run in runs))

        values = [run.value for run in runs]
        shares = median("client_share"), median("server_share")
        spread = median("value"), min(values), max(values)
        return Row(client, *spread, median("cpu_us"), median("wall_us"), *shares, runs[0].operations)


def verdict(
    bars: Sequence[Bar], row: Row, rows: dict[str, Row]
) -> tuple[str, bool | None]:
    """What to say of bars, and whether all are met; `None` where there is nothing to say."""
    said: dict[str, list[str]] = {}
    is_met: bool | None = None
    for bar in bars:
        if bar.of is not None and bar.of not in rows:
            said[f"{bar.of} is missing"] = ["not judged"]
            continue
        beside = getattr(rows[bar.of], bar.figure) if bar.of is not None else 0.0
        cost = getattr(row, bar.figure)
        bound = {"beyond": beside + bar.limit, "times": beside * bar.limit, "in all": bar.limit}[bar.kind]
        named = {"beyond": "+", "times": "x", "in all": ""}[bar.kind] + f"{bar.limit:g}"
        of = f" {bar.of}" if bar.kind == "times" else ""
        word = ("wall " if bar.figure == "wall_us" else "") + ("met" if cost <= bound else "not met")
        said.setdefault(f"≤ {named}{of}", []).append(word)
        is_met = cost <= bound and is_met is not False
    return "; ".join(f"{', '.join(words)} ({what})" for what, words in said.items()), is_met


def lines(scenario: Scenario, rows: dict[str, Row]) -> list[str]:
    """The table of one scenario."""
    table = [["", scenario.unit, "min", "beyond", "ratio", "wall µs", "server", "bar"]]
    floor = rows.get(scenario.floor or "")
    for name, row in rows.items():
        beyond = ratio = ""
        if floor is not None and row is not floor:
            beyond = f"{row.value - floor.value:+.2f}"
            ratio = f"x{row.value / floor.value:.2f}" if floor.value > 0 else ""
        server = f"{row.server_share:.0%}" + ("!" if row.server_share > SERVER_BUSY else "")
        said, _ = verdict(scenario.bars.get(name, ()), row, rows)
        numbers = [f"{row.value:.2f}", f"{row.value_min:.2f}", beyond, ratio]
        table.append([name, *numbers, f"{row.wall_us:.2f}", server, said])
    return [f"{scenario.name}: {scenario.title}", *aligned(table)]


def family_lines(name: str, members: list[tuple[Scenario, dict[str, Row]]]) -> list[str]:
    """One table for scenarios that differ in one number."""
    clients = list(dict.fromkeys(client for _, rows in members for client in rows))
    unit = members[0][0].unit
    table = [[unit, *(scenario.point for scenario, _ in members)]]
    for client in clients:
        row = [client]
        for _, rows in members:
            row.append(f"{rows[client].value:.2f}" if client in rows else "")
        table.append(row)
    return [f"{name}: client CPU per operation", *aligned(table)]


def aligned(table: list[list[str]]) -> list[str]:
    """Columns of equal width; the first and the last to the left."""
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    last = len(widths) - 1
    made = []
    for row in table:
        cells = [
            cell.ljust(width) if i == 0 or (i == last and last > 5) else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        made.append(("  " + "  ".join(cells)).rstrip())
    return made
