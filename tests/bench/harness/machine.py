"""What machine the figures are from."""

import datetime
import os
import pathlib
import platform

from harness.environments import output_of


def description() -> dict[str, str]:
    """The processor, the system and the tools, and how busy the machine was at the start."""
    cpuinfo = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    models = [line.split(":", 1)[1].strip() for line in cpuinfo if line.startswith("model name")]
    memory = pathlib.Path("/proc/meminfo").read_text().split()[1]
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": f"{os.cpu_count()} x {models[0] if models else platform.machine()}",
        "memory": f"{int(memory) / (1 << 20):.0f} GiB",
        "system": f"{platform.system()} {platform.release()}",
        "rust": output_of(["rustc", "--version"]) or "",
        "python": platform.python_version(),
        "cc": (output_of(["cc", "--version"]) or "").split("\n")[0],
        "load before": f"{os.getloadavg()[0]:.2f}",
    }
