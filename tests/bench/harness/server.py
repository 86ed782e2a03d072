"""The byte server in a process of its own, and how much of a core it uses; the certificate that it
shows."""

import json
import pathlib
import subprocess
import tempfile
import urllib.request
from typing import Any


NEW = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj"


def make_certificates(folder: pathlib.Path) -> None:
    """An authority, and a certificate of it for the loopback address."""
    authority, server = [*NEW.split(), "/CN=bench authority"], [*NEW.split(), "/CN=127.0.0.1"]
    made = ["-keyout", "authority.key", "-out", "authority.pem"]
    signed = ["-CA", "authority.pem", "-CAkey", "authority.key", "-keyout", "server.key", "-out", "server.pem"]
    of_server = ["subjectAltName=IP:127.0.0.1", "basicConstraints=critical,CA:FALSE"]
    extensions = [part for extension in of_server for part in ("-addext", extension)]
    for command in ([*authority, *made], [*server, *signed, *extensions]):
        subprocess.run(command, cwd=folder, check=True, capture_output=True)


class Server:
    """Started with the run, ends with it."""

    def __init__(self, program: pathlib.Path) -> None:
        self.folder = tempfile.TemporaryDirectory()
        folder = pathlib.Path(self.folder.name)
        make_certificates(folder)
        #: For SSL_CERT_FILE of the clients that speak TLS with it: one certificate, which loads faster than a
        #: system's.
        self.authority = str(folder / "authority.pem")
        self.process = subprocess.Popen(
            [program, folder / "server.pem", folder / "server.key"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout
        self.address, self.tls_address = (self.process.stdout.readline().strip() for _ in "12")

    def base_url(self, route: str, is_tls: bool = False) -> str:
        """Where this route is answered."""
        origin = f"https://{self.tls_address}" if is_tls else f"http://{self.address}"
        return f"{origin}/{route}/v1"

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
        self.folder.cleanup()
