"""What is measured of a whole process or of a file: imports, sizes, and the time of one large
event."""

import json
import pathlib
import shutil
import statistics
import subprocess
import tempfile

from harness.child import spawn
from harness.clients import PYTHON, RELEASE
from harness.environments import BUILD, ROOT, VENV_PYTHON, output_of, prepare
from harness.table import aligned

IMPORT_BAR_MS = 10
# A program that has an answer parsed into a class; nobody listens at that port.
PARSE = """
import {package}, pydantic
class City(pydantic.BaseModel):
    name: str
client = {package}.OpenAI(base_url="http://127.0.0.1:9/v1", api_key="sk-test", max_retries=0)
messages = [{{"role": "user", "content": "hello"}}]
try:
    client.chat.completions.parse(model="bench", messages=messages, response_format=City)
except {package}.APIConnectionError:
    pass
"""
IMPORTS = {
    "modelwire-python": (PYTHON, "from modelwire import OpenAI"),
    "modelwire-python, parse": (PYTHON, PARSE.format(package="modelwire")),
    "aiohttp-orjson": (VENV_PYTHON, "import aiohttp, orjson"),
    "liter-llm": (VENV_PYTHON, "import liter_llm"),
    "openai": (VENV_PYTHON, "from openai import OpenAI"),
    "openai, parse": (VENV_PYTHON, PARSE.format(package="openai")),
}
RESIDENT = "\nprint(next(l for l in open('/proc/self/status') if l[:6] == 'VmRSS:').split()[1])"


def imports(clients: list[str], runs: int) -> tuple[list[str], object]:
    """CPU time of an import beyond an empty program's, and the memory that is resident after it."""
    chosen = [name for name in IMPORTS if name.split(",")[0] in clients]
    if {"aiohttp-orjson", "liter-llm", "openai"} & set(chosen):
        prepare({"venv"})
    # Once before, so that no run writes the bytecode files; what fails is not measured.
    failed = [name for name in chosen if output_of([IMPORTS[name][0], "-c", IMPORTS[name][1]]) is None]
    chosen = [name for name in chosen if name not in failed]
    costs: dict[str, list[tuple[float, float]]] = {name: [] for name in chosen}
    for _ in range(runs):
        for name in chosen:
            python, statement = IMPORTS[name]
            _, empty = spawn([python, "-c", "pass"])
            _, cpu_us = spawn([python, "-c", statement])
            resident, _ = spawn([python, "-c", statement + RESIDENT])
            costs[name].append(((cpu_us - empty) / 1000, int(resident) / 1024))
    table = [["", "CPU ms", "RSS MiB", "bar"]]
    found = {}
    for name in chosen:
        ms, mib = (statistics.median(cost[i] for cost in costs[name]) for i in (0, 1))
        is_met = ms <= IMPORT_BAR_MS
        bar = f"{'met' if is_met else 'not met'} (≤ {IMPORT_BAR_MS})"
        table.append(
            [name, f"{ms:.1f}", f"{mib:.1f}", bar if name == "modelwire-python" else ""]
        )
        found[name] = {"cpu_ms": ms, "rss_mib": mib}
    table += [[name, "", "", "not measured: it failed"] for name in failed]
    return ["import: beyond `python -c pass`", *aligned(table)], found


def linear(runs: int) -> tuple[list[str], object]:
    """Parsing one event of growing size and gathering, without a network."""
    program = RELEASE / "linear"
    all_rows = [json.loads(spawn([program])[0]) for _ in range(runs)]
    found = {
        rows[0][0]: statistics.median(row[1] for row in rows)
        for rows in zip(*all_rows, strict=True)
    }
    table = [[name, f"{value:.2f}"] for name, value in found.items()]
    return ["linear: stays the same where the time is linear", *aligned(table)], found


def sizes() -> tuple[list[str], object]:
    """Bytes of what is shipped."""
    found = {"libmodelwire.so, stripped": stripped(RELEASE / "libmodelwire.so")}
    folder = output_of([PYTHON, "-c", "import modelwire; print(modelwire.__path__[0])"])
    if folder:
        for extension in pathlib.Path(folder).glob("_native*.so"):
            found[f"{extension.name}, stripped"] = stripped(extension)
    wheels = BUILD / "bench" / "wheel"
    shutil.rmtree(wheels, ignore_errors=True)
    profile = "--config-settings=build-args=--profile=wheel"  # that of what is published
    flags = ["--quiet", "--no-deps", profile, "--wheel-dir", str(wheels), "."]
    if subprocess.run([PYTHON, "-m", "pip", "wheel", *flags], cwd=ROOT).returncode == 0:
        for wheel in wheels.glob("*.whl"):
            found["wheel"] = wheel.stat().st_size
    table = [[name, f"{size / (1 << 20):.2f} MiB"] for name, size in found.items()]
    return ["sizes", *aligned(table)], found


def stripped(library: pathlib.Path) -> int:
    """The size of a library without its symbols."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / library.name
        subprocess.run(["strip", "--strip-unneeded", "-o", copy, library], check=True)
        return copy.stat().st_size
