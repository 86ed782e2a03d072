"""Bulk runners beside each other: rows a second, CPU a row, the same where one call in a hundred is
refused by chance, and what one SIGKILL in mid-run loses or pays twice. Each runner is a program that takes
IN.jsonl OUT.jsonl BASE_URL.

The speed is measured on the byte server, that with refusals on the loopback service; what was paid for is
counted by the requests that this service recorded.
"""

import collections
import json
import os
import pathlib
import resource
import shutil
import signal
import statistics
import subprocess
import tempfile
import time
import urllib.request
from dataclasses import dataclass

from harness.clients import PYTHON, RELEASE
from harness.environments import BENCH, BUILD, VENV_PYTHON, Command, output_of, run
from harness.server import Server
from harness.table import aligned

KEY = "sk-test"
ROWS = 20_000
ROWS_REFUSED = 8_000
#: Of the loopback service: 429 for one call in a hundred, whatever the rate.
REFUSALS = "refused-share=0.01,latency-ms=20"
#: The service remembers the latest 10,000 requests.
ROWS_OF_KILL = 2_000
TIMEOUT_S = 300
ROUTE = "plain/1/1/1/0"
FLOOR = "modelwire-bulk"
PROGRAMS = BENCH / "bulk"


def _environment(name: str) -> pathlib.Path:
    """The Python of an environment of its own, for what gets on with nobody else."""
    return BUILD / "bench" / f"venv-{name}" / "bin" / "python"


#: By runner: the environment that it needs, whose list of packages is in peers/, and a module of it.
OWN_ENVIRONMENTS = {
    "litellm-batch": ("litellm", "litellm"),
    "ray-data-http": ("ray", "ray.data.llm"),
}


@dataclass(frozen=True)
class Runner:
    """A program, and the part of the rows that it does, because it is slow."""

    command: tuple[pathlib.Path | str, ...]
    part: float = 1.0


def _python(python: pathlib.Path, file: str, part: float = 1.0) -> Runner:
    return Runner((python, PROGRAMS / file), part)


RUNNERS = {
    "modelwire-bulk": Runner((RELEASE / "modelwire", "bulk")),
    "modelwire-python-bulk": _python(PYTHON, "modelwire_python.py"),
    "modelwire-python-iterator": _python(PYTHON, "modelwire_iterator.py"),
    "aiohttp-by-hand": _python(VENV_PYTHON, "aiohttp_by_hand.py", 0.5),
    "cookbook-like": _python(VENV_PYTHON, "cookbook_like.py", 0.1),
    "litellm-batch": _python(_environment("litellm"), "litellm_batch.py", 0.05),
    "ray-data-http": _python(_environment("ray"), "ray_data_http.py", 0.1),
}


def prepare(names: list[str]) -> dict[str, str]:
    """Builds the command and the environments; says who cannot be measured, and why."""
    packages = ["-p", "modelwire-cli", "-p", "modelwire-testing"]
    run(["cargo", "build", "--quiet", "--locked", "--release", *packages])
    missing = {}
    for name in names:
        if name not in OWN_ENVIRONMENTS:
            continue
        environment, module = OWN_ENVIRONMENTS[name]
        python = _environment(environment)
        if not python.exists():
            print(f"installing {environment} into an environment of its own", flush=True)
            run([PYTHON, "-m", "venv", python.parent.parent])
            quiet = ["--quiet", "--disable-pip-version-check"]
            wanted = BENCH / "peers" / f"{environment}.txt"
            run([python, "-m", "pip", "install", *quiet, "-r", wanted])
        if output_of([python, "-c", f"import {module}"]) is None:
            missing[name] = f"{module} cannot be imported"
    return missing


def command_of(name: str, source: pathlib.Path, target: pathlib.Path, base_url: str) -> Command:
    """How a runner is started; the command has its own form."""
    if name == FLOOR:
        return [*RUNNERS[name].command, source, "-o", target, "--base-url", base_url, "--yes"]
    return [*RUNNERS[name].command, source, target, base_url]


def rows_into(path: pathlib.Path, count: int, model: str) -> None:
    """Lines of a batch file; each row says its name."""
    with path.open("w") as file:
        for number in range(count):
            name = f"row-{number}"
            body = {"model": model, "messages": [{"role": "user", "content": name}]}
            line = {
                "custom_id": name,
                "method": "POST",
                "url": "/v1/chat/completions",
                "body": body,
            }
            file.write(json.dumps(line) + "\n")


ENVIRONMENT = {**os.environ, "MODELWIRE_API_KEY": KEY, "PYTHONPATH": str(PROGRAMS)}


def speed(name: str, base_url: str, rows: float, folder: pathlib.Path) -> tuple[float, float]:
    """Rows a second, and CPU a row in µs."""
    count = max(100, int(rows * RUNNERS[name].part))
    source, target = folder / "in.jsonl", folder / "out.jsonl"
    rows_into(source, count, "echo")
    command = ["timeout", str(TIMEOUT_S), *command_of(name, source, target, base_url)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
    ) as process:
        printed, complaints = process.communicate()
    wall_us = (time.perf_counter() - began) * 1e6
    if process.returncode != 0:
        raise RuntimeError(f"{name} failed ({process.returncode}): {complaints[-500:]}")
    written = named_in(target)
    if len(written) != count or len(set(written)) != count:
        raise RuntimeError(
            f"{name}: {count} rows, {len(written)} results, {len(set(written))} names"
        )
    if name == FLOOR:
        # It tells nothing of itself: the whole process counts, its start among it.
        spent = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu_us = (spent.ru_utime + spent.ru_stime - before.ru_utime - before.ru_stime) * 1e6
        return count / wall_us * 1e6, cpu_us / count
    told = json.loads(printed.splitlines()[-1])
    return count / told["wall_us"] * 1e6, told["cpu_us"] / count


def named_in(path: pathlib.Path) -> list[str]:
    """The rows whose results stand whole in a file."""
    found = []
    if path.exists():
        for line in path.read_text().splitlines():
            try:
                found.append(json.loads(line)["custom_id"])
            except ValueError:
                continue
    return found


class Service:
    """The loopback service, which records what it was asked."""

    def __init__(self, load: str | None = None) -> None:
        program = RELEASE / "modelwire-service"
        self.process = subprocess.Popen(
            [program, "--key", KEY, "--exit-with-stdin", *(["--load", load] if load else [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout
        self.base_url = self.process.stdout.readline().split()[-1]
        self.control = self.base_url.removesuffix("/v1") + "/_control"

    def asked(self) -> list[str]:
        """The rows of all requests, in their order."""
        with urllib.request.urlopen(f"{self.control}/requests/") as answer:
            seen = json.load(answer)
        bodies = [one["body"] for one in seen]
        bodies = [json.loads(body) if isinstance(body, str) else body for body in bodies]
        return [body["messages"][-1]["content"] for body in bodies if body and "messages" in body]

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


def kill(name: str, scale: float, folder: pathlib.Path) -> tuple[int, int, int]:
    """Rows, those without a result, and requests that were made for a row that had one before: after one
    SIGKILL in mid-run, and a second start to the end."""
    count = max(100, int(ROWS_OF_KILL * min(1.0, 4 * RUNNERS[name].part) * scale))
    source, target = folder / "in.jsonl", folder / "out.jsonl"
    rows_into(source, count, "echo")
    service = Service()
    try:
        command = command_of(name, source, target, service.base_url)
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": ENVIRONMENT}
        process = subprocess.Popen(command, start_new_session=True, **quiet)
        deadline = time.monotonic() + TIMEOUT_S
        while process.poll() is None and len(service.asked()) < count // 3:
            if time.monotonic() > deadline:
                break
            time.sleep(0.005)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        time.sleep(0.5)  # what was on its way is recorded
        subprocess.run(command, timeout=TIMEOUT_S, check=False, **quiet)
        asked = collections.Counter(service.asked())
    finally:
        service.close()
    lost = count - len(set(named_in(target)))
    return count, lost, sum(times - 1 for times in asked.values())


def speed_refused(name: str, scale: float, folder: pathlib.Path) -> tuple[float, float]:
    """The same where calls are refused by chance."""
    service = Service(REFUSALS)
    try:
        return speed(name, service.base_url, ROWS_REFUSED * scale, folder)
    finally:
        service.close()


def bulk(runs: int, scale: float, wanted: list[str] | None) -> tuple[list[str], object]:
    """The table of all runners."""
    names = [name for name in RUNNERS if wanted is None or name in wanted or name == FLOOR]
    missing = prepare(names)
    found: dict[str, dict[str, object]] = {}
    server = Server(RELEASE / "bench-server")
    measured: dict[str, list[tuple[float, ...]]] = collections.defaultdict(list)
    for _ in range(runs):
        for name in names:
            if name not in missing:
                folder = pathlib.Path(tempfile.mkdtemp(prefix="bulk-", dir=BUILD))
                try:
                    calm = speed(name, server.base_url(ROUTE), ROWS * scale, folder)
                    for file in folder.iterdir():
                        file.unlink()
                    measured[name].append((*calm, *speed_refused(name, scale, folder)))
                except (RuntimeError, OSError, ValueError, KeyError) as failed:
                    missing[name] = str(failed)
                finally:
                    shutil.rmtree(folder)
    server.close()
    for name in names:
        if name in missing:
            continue
        folder = pathlib.Path(tempfile.mkdtemp(prefix="bulk-", dir=BUILD))
        rows, lost, twice = kill(name, scale, folder)
        shutil.rmtree(folder)
        rate, cpu, refused_rate, refused_cpu = map(statistics.median, zip(*measured[name]))
        found[name] = {
            "rows_per_s": rate,
            "cpu_us": cpu,
            "refused_rows_per_s": refused_rate,
            "refused_cpu_us": refused_cpu,
            "rows": rows,
            "lost": lost,
            "twice": twice,
        }
    floor = found.get(FLOOR)
    table = [
        ["", "rows/s", "ratio", "CPU µs/row", "ratio", "1 % refused: rows/s", "ratio"]
        + ["CPU µs/row", "killed: lost", "paid twice", "of"]
    ]
    for name, one in found.items():
        ratios = [
            f"x{one[key] / floor[key]:.3g}" if floor else ""
            for key in ("rows_per_s", "cpu_us", "refused_rows_per_s")
        ]
        table.append(
            [
                *(name, f"{one['rows_per_s']:.0f}", ratios[0], f"{one['cpu_us']:.1f}", ratios[1]),
                *(f"{one['refused_rows_per_s']:.0f}", ratios[2], f"{one['refused_cpu_us']:.1f}"),
                *(str(one["lost"]), str(one["twice"]), str(one["rows"])),
            ]
        )
    made = ["bulk: rows of a file into a file", *aligned(table)]
    made += [f"  {name}: not measured: {why}" for name, why in missing.items()]
    return made, found
