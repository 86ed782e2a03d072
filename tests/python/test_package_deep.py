"""The package as it is shipped: source archive and wheel, built and installed anew. Takes minutes:
runs where `-m deep` asks for it."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WHEEL_BYTES_MAX = 5_000_000
SHOWN_OF_OUTPUT = 4_000  # why it failed stands at the end
pytestmark = pytest.mark.deep


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    assert done.returncode == 0, (done.stdout + done.stderr)[-SHOWN_OF_OUTPUT:]
    return done.stdout


@pytest.fixture(scope="module")
def shipped(tmp_path_factory):
    """A source archive, and the wheel that was built from it."""
    folder = tmp_path_factory.mktemp("shipped")
    run(sys.executable, "-m", "build", "--sdist", "--outdir", folder, ROOT)
    [archive] = folder.glob("*.tar.gz")
    profile = "--config-settings=build-args=--profile=wheel"  # that of what is published
    run(sys.executable, "-m", "pip", "wheel", "--no-deps", profile, "-w", folder, archive)
    [wheel] = folder.glob("*.whl")
    return archive, wheel


def test_the_source_archive(shipped):
    """Licences, the lock file and the types are in it; nothing that was built is."""
    with tarfile.open(shipped[0]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"Cargo.lock", "LICENSE-MIT", "LICENSE-APACHE", "README.md", "pyproject.toml"} <= names
    assert {"core/src/lib.rs", "py/src/lib.rs", "py/python/modelwire/py.typed"} <= names
    assert not [name for name in names if name.endswith((".so", ".pyc"))]


def test_the_wheel(shipped):
    """For every Python from 3.10 on, small, typed, and with no dependency."""
    wheel = shipped[1]
    assert "-cp310-abi3-" in wheel.name and wheel.stat().st_size < WHEEL_BYTES_MAX
    with zipfile.ZipFile(wheel) as files:
        names = set(files.namelist())
        [metadata] = [name for name in names if name.endswith(".dist-info/METADATA")]
        needs = [
            line
            for line in files.read(metadata).decode().splitlines()
            if line.startswith("Requires-Dist") and "extra ==" not in line
        ]
    assert needs == []
    package = {
        "__init__.py",
        "py.typed",
        "_native.pyi",
        "_native.abi3.so",
        "types/chat/__init__.py",
    }
    assert {f"modelwire/{name}" for name in package} <= names
    others = [name for name in names if not name.startswith(("modelwire/", "modelwire-"))]
    assert others == []


@pytest.mark.thread_unsafe("it is a program of its own")
def test_the_wheel_works_by_itself(shipped, service, tmp_path):
    """In an environment that has nothing else."""
    run(sys.executable, "-m", "venv", tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", shipped[1])
    source = f"""
import asyncio, modelwire
settings = dict(base_url={service.base_url!r}, api_key="sk-test")
print(len(modelwire.Client(**settings).models.list()) > 0)
async def main():
    async with modelwire.AsyncClient(**settings) as client:
        return [text async for text in
            (await client.responses.create(model="echo", input="a b", stream=True)).text_deltas()]
print(asyncio.run(main()))
"""
    assert run(python, "-c", source) == "True\n['a ', 'b']\n"
