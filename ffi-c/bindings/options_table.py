"""The tables of docs/options.md, from which generators write typed options."""

import dataclasses
import pathlib

TABLES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "options.md"


@dataclasses.dataclass(frozen=True)
class Option:
    """A row of a table."""

    name: str
    takes: str
    doc: str

    @property
    def is_time(self) -> bool:
        """Whether it is a number of milliseconds, which languages have a type for."""
        return self.takes.startswith("milliseconds")

    @property
    def can_be_off(self) -> bool:
        """Whether null switches it off."""
        return self.takes.endswith("null is off")

    @property
    def words(self) -> list[str]:
        """The words of its name, without the unit that a type says."""
        return (self.name.removesuffix("_ms") if self.is_time else self.name).split("_")


def _rows(section: str) -> list[Option]:
    lines = [line for line in section.splitlines() if line.startswith("| `")]
    cells = [[cell.strip() for cell in line.strip("|").split("|", 2)] for line in lines]
    return [Option(name.strip("`"), takes, doc) for name, takes, doc in cells]


def tables() -> tuple[list[Option], list[Option]]:
    """The options of a client, and those of a call."""
    _, of_client, of_call = TABLES.read_text().split("\n## ")
    return _rows(of_client), _rows(of_call)


def together() -> list[Option]:
    """The options of a client, then those that a call alone has."""
    of_client, of_call = tables()
    names = {option.name for option in of_client}
    return [*of_client, *(option for option in of_call if option.name not in names)]
