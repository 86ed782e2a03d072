#!/usr/bin/env python3
"""Puts the package into the environment of this Python as links: to its Python sources, which may
be edited without another run, and to an extension that cargo built. What users get is what
`pip install .` makes.

    .venv/bin/python py/install_dev.py target/debug/lib_native.so
"""

import re
import shutil
import sys
import sysconfig
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]


def main(extension):
    site = Path(sysconfig.get_path("purelib"))
    package = site / "modelwire"
    shutil.rmtree(package, ignore_errors=True)
    package.mkdir()
    for source in (PROJECT / "py" / "python" / "modelwire").iterdir():
        if source.name != "__pycache__":
            (package / source.name).symlink_to(source)
    (package / "_native.abi3.so").symlink_to(extension.resolve(strict=True))
    # What an installer writes down, as far as anybody looks at it.
    version = re.search(r'(?m)^version = "(.+)"$', (PROJECT / "Cargo.toml").read_text())[1]
    for old in site.glob("modelwire-*.dist-info"):
        shutil.rmtree(old)
    info = site / f"modelwire-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: modelwire\nVersion: {version}\n")
    settings = (PROJECT / "pyproject.toml").read_text()
    named = dict(re.findall(r'(?m)^\[project\.(\S+)\]\nmodelwire = "(.+)"$', settings))
    command = named.pop("scripts")
    groups = {name.removeprefix("entry-points."): one for name, one in named.items()}
    (info / "entry_points.txt").write_text(
        "".join(
            f"[{group}]\nmodelwire = {one}\n\n"
            for group, one in {"console_scripts": command, **groups}.items()
        )
    )
    module, _, function = command.partition(":")
    script = Path(sysconfig.get_path("scripts")) / "modelwire"
    start = f"import sys\nfrom {module} import {function}\nsys.exit({function}())\n"
    script.write_text(f"#!{sys.executable}\n{start}")
    script.chmod(0o755)
    files = [*package.rglob("*"), *info.iterdir(), info / "RECORD"]
    (info / "RECORD").write_text("".join(f"{file.relative_to(site)},,\n" for file in files))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
