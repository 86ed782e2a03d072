"""The tables of what a release has and of what tests it, as data: read, checked and written into
the documents.

    python3 tests/release/artefacts.py    writes their tables anew
"""

import re
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "tests/release"
ANY = "any"
HOWS = ("run", "loaded", "compiled", "built")
IN_CI = "test"
"""What runs what `.ci/run` runs anyway: `make test`."""


class Artefact(NamedTuple):
    """A file of a release, or what is built from its source on a platform: that has no file. In its
    name stars stand for what the packers choose."""

    file: str
    platform: str
    what: str
    tested: str
    made_by: str
    run_by: str | None

    def is_name_of(self, name: str) -> bool:
        return fnmatchcase(name, self.file.replace("{version}", version()))


class Check(NamedTuple):
    """A script that tests what the rest does not, and what tells the versions of its tools."""

    target: str
    shows: str
    versions: list[str]


class Wrong(Exception):
    """What the tables and the files say differs."""


def version() -> str:
    found = re.search(r'(?m)^version = "(.+)"$', (ROOT / "Cargo.toml").read_text())
    return found[1]


def _rows(file: str, columns: int) -> list[list[str]]:
    lines = (HERE / file).read_text().splitlines()
    rows = [
        [cell.strip() for cell in line.split("|")] for line in lines if line[:1] not in ("", "#")
    ]
    for row in rows:
        if len(row) != columns:
            raise Wrong(f"{file}: {len(row)} columns instead of {columns}: {row[0]}")
    return rows


def artefacts() -> list[Artefact]:
    """Every row says how it was tested, and names what ran it exactly if it was run."""
    rows = [
        Artefact(*row[:5], None if row[5] == "-" else row[5]) for row in _rows("artefacts.txt", 6)
    ]
    for row in rows:
        if row.tested not in HOWS and not row.tested.startswith("under "):
            raise Wrong(f"{row.file}: nobody knows what {row.tested!r} is")
        if (row.tested == "built") != (row.run_by is None):
            raise Wrong(f"{row.file} is {row.tested!r}, and what runs it is {row.run_by!r}")
    return rows


def checks() -> list[Check]:
    return [
        Check(target, shows, [one.strip() for one in versions.split(";")])
        for target, shows, versions in _rows("checks.txt", 3)
    ]


def row_of_each(names: list[str], rows: list[Artefact]) -> dict[str, Artefact]:
    """The row of every file; each file has one, and each row a file."""
    found = {}
    for name in sorted(names):
        of_name = [row for row in rows if row.is_name_of(name)]
        if len(of_name) != 1:
            raise Wrong(f"{name} has {len(of_name)} rows in tests/release/artefacts.txt, not one")
        found[name] = of_name[0]
    for row in rows:
        if row.file != "-" and row not in found.values():
            raise Wrong(f"{command(row.made_by)} made no {row.file}")
    return found


def command(name: str) -> str:
    """What a person types to make or to run it."""
    return f"make {name}" if name == IN_CI else f"tests/release/{name}"


def said(tested: str) -> str:
    """How a person is told what was run."""
    if tested in ("loaded", "compiled", "built"):
        return f"{tested}, not run"
    return "run" if tested == "run" else f"run {tested}"


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(
        f"| {' | '.join(line)} |".replace("| --- ", "|---").replace("--- |", "---|")
        for line in lines
    )


def platforms(rows: list[Artefact]) -> str:
    """A line for each platform: what there is for it, and how that was tested."""
    whats = ["Python wheel", "free-threaded Python wheel", "C library", "Rust crate"]
    lines = []
    for platform in dict.fromkeys(row.platform for row in rows if row.platform != ANY):
        cells = [platform]
        for what in whats:
            hows = dict.fromkeys(
                said(r.tested) for r in rows if (r.platform, r.what) == (platform, what)
            )
            cells.append(", ".join(hows) or "-")
        lines.append(cells)
    shown = [0, *(at for at in range(1, len(whats) + 1) if any(line[at] != "-" for line in lines))]
    head = ["platform", *whats]
    return _table([head[at] for at in shown], [[line[at] for at in shown] for line in lines])


def files(rows: list[Artefact]) -> str:
    """A line for each file of a release."""
    lines = [
        [f"`{row.file.replace('{version}', 'VERSION')}`", row.platform, row.what, said(row.tested)]
        + [f"`{command(row.made_by)}`", f"`{command(row.run_by)}`" if row.run_by else "-"]
        for row in rows
        if row.file != "-"
    ]
    return _table(["file", "for", "is", "tested", "made by", "run by"], lines)


def filled(text: str, name: str, table: str) -> str:
    """A document with this table between the marks of this name."""
    marks = re.compile(rf"(<!-- {name}: .*? -->\n).*?(<!-- /{name} -->)", re.DOTALL)
    if not marks.search(text):
        raise Wrong(f"no place for the table {name}")
    return marks.sub(lambda found: f"{found[1]}{table}\n{found[2]}", text)


def documents() -> dict[Path, str]:
    """The documents as they have to be."""
    rows = artefacts()
    page = ROOT / "docs/platforms.md"
    text = filled(page.read_text(), "platforms", platforms(rows))
    return {page: filled(text, "files", files(rows))}


if __name__ == "__main__":
    try:
        for path, text in documents().items():
            path.write_text(text)
    except Wrong as wrong:
        sys.exit(f"platforms: {wrong}")
