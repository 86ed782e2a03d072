"""The byte server in a process of its own, and how much of a core it uses."""

import json
import pathlib
import subprocess
import urllib.request
from typing import Any


class Server:
    """Started with the run, ends with it."""

    def __init__(self, program: pathlib.Path) -> None:
        self.process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout
        self.address = self.process.stdout.readline().strip()

    def base_url(self, route: str) -> str:
        """Where this route is answered."""
        return f"http://{self.address}/{route}/v1"

    def expected(self, route: str) -> dict[str, Any]:
        """How many events and bytes of text one answer of this route holds."""
        with urllib.request.urlopen(f"{self.base_url(route)}/expected") as answer:
            found: dict[str, Any] = json.load(answer)
            return found

    def cpu_us(self) -> float:
        """CPU time of its one busy thread so far, to the nanosecond."""
        spent = pathlib.Path(f"/proc/{self.process.pid}/schedstat").read_text().split()[0]
        return int(spent) / 1000

    def close(self) -> None:
        """Ends it: it watches its standard input."""
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()
