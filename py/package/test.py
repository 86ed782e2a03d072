"""Puts what dist/ holds to use, as far as this machine can: `python3 py/package/test.py dist
[ROOM...]`. Says of each room what ran there, and of what could not run why. Builds no wheel but to
compare it.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import check
import wheels

HERE = Path(__file__).resolve().parent
ROOMS = wheels.BUILD / "rooms"
PYTHONS = ("3.10", "3.11", "3.12", "3.13")
# What a program may need of Python, unpacked and not installed: nothing of it is run but Python.
DEBIAN = "python3,libpython3-stdlib,libc6,libgcc-s1,musl"
# As py/package/free_threaded.py builds it.
FREE_THREADED = wheels.BUILD / "free-threaded/bin/python3.14t"
SUITE = wheels.ROOT / "tests/python"
# What of the suite a free-threaded Python cannot run, or shows nothing of: a part of a test's name.
NOT_OF_THREADS = {
    "test_stubs": "mypy and pyright read sources, whatever runs them",
    "test_types": "mypy and pyright read sources, whatever runs them",
    "typed_program": "mypy and pyright read sources, whatever runs them",
    "gevent": "has no build for free-threaded Python",
    "eventlet": "warns of a lock that Python 3.14 creates before eventlet is imported",
    "greenlet": "is a test of gevent",
    "first_programs_have_types": "mypy and pyright read sources, whatever runs them",
}


class NotRun(Exception):
    """A room that this machine does not have."""


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def clean():
    """The environment of somebody who has set nothing."""
    ours = ("MODELWIRE_", "OPENAI_", "PYTHON", "VIRTUAL_ENV")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}


def wheel(folder, end):
    found = sorted(folder.glob(f"modelwire-*{end}.whl"))
    if len(found) != 1:
        raise AssertionError(f"{len(found)} wheels are named so: *{end}.whl")
    return found[0]


def fresh(name):
    room = ROOMS / name
    shutil.rmtree(room, ignore_errors=True)
    room.mkdir(parents=True)
    return room


def unpacked(file, room):
    """The package of a wheel as pip would put it there, where no pip runs."""
    with zipfile.ZipFile(file) as archive:
        archive.extractall(room / "site")
    return room / "site"


def interpreter(version):
    """A Python of this version: on the path, or one that pyenv made."""
    home = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    by_pyenv = sorted(home.glob(f"versions/{version}.*/bin/python{version}"))
    candidates = [*by_pyenv, shutil.which(f"python{version}")]
    for candidate in filter(None, candidates):
        asked = subprocess.run([candidate, "-c", "import venv, ssl"], capture_output=True)
        if asked.returncode == 0:
            return candidate
    raise NotRun(f"no Python {version} here: pyenv install {version}")


def installed(python, file, name):
    """The Python of a new environment that has nothing but this wheel."""
    room = fresh(name)
    run(python, "-m", "venv", room, env=clean())
    ours = room / "bin" / "python"
    pip = [ours, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run(*pip, "--no-index", "--no-deps", file, env=clean())
    return ours


def native(folder):
    """The wheel in a new environment of each Python."""
    file = wheel(folder, "-abi3-manylinux*_x86_64")
    for version in PYTHONS:
        python = installed(interpreter(version), file, f"python{version}")
        yield run(python, HERE / "smoke.py", env=clean(), cwd=ROOMS)
        line = [python.parent / "modelwire", "--version"]
        yield f"  the command: {run(*line, env=clean(), cwd=ROOMS)}"


def debian(architecture):
    """A folder with Debian's Python for another machine."""
    room = wheels.BUILD / f"debian-{architecture}"
    if not (room / "done").exists():
        shutil.rmtree(room, ignore_errors=True)
        run("mmdebstrap", "--quiet", "--variant=extract", f"--architectures={architecture}",
            f"--include={DEBIAN}", "bookworm", room)  # fmt: skip
        (room / "done").touch()
    return room


def aarch64(folder):
    """The wheel for arm64 in Debian's Python for arm64, emulated."""
    root = debian("arm64")
    site = unpacked(wheel(folder, "-abi3-manylinux*_aarch64"), fresh("aarch64"))
    [python] = (root / "usr/bin").glob("python3.[0-9]*[0-9]")
    variables = ["-E", f"PYTHONHOME={root}/usr", "-E", f"PYTHONPATH={site}"]
    emulated = ["qemu-aarch64", "-L", root, *variables, python]
    yield run(*emulated, HERE / "smoke.py", "--alone", env=clean(), cwd=ROOMS)


def loaded_by_musl(file, loader):
    """musl's loader finds all that the extension asks for, but Python."""
    site = unpacked(file, fresh(file.stem))
    [extension] = site.glob("modelwire/_native*.so")
    done = subprocess.run([*loader, "--list", extension], capture_output=True, text=True)
    missing = re.findall(r"Error relocating [^:]*: (\S+): symbol not found", done.stderr)
    others = [name for name in missing if not re.match(r"_?Py", name)]
    errors = [line for line in done.stderr.splitlines() if "symbol not found" not in line]
    assert missing, f"the loader did not look:\n{done.stdout}{done.stderr}"
    assert not others and not errors, f"{file.name}: {others} {errors}"
    return f"{file.name}: musl has all that it asks for, but {len(missing)} names of Python"


def musl(folder):
    """Whether it would load: Debian has musl, and no Python over it."""
    loader = debian("arm64") / "lib/ld-musl-aarch64.so.1"
    yield loaded_by_musl(wheel(folder, "musllinux*_aarch64"), ["qemu-aarch64", loader])
    loader = debian("amd64") / "lib/ld-musl-x86_64.so.1"
    yield loaded_by_musl(wheel(folder, "musllinux*_x86_64"), [loader])


def suite(python, *command):
    """Runs something of the suite; its last lines tell what."""
    kept = {name: value for name, value in os.environ.items() if name == "MODELWIRE_SERVICE"}
    return run(python, *command, env=clean() | kept, cwd=wheels.ROOT).splitlines()


def threads(folder):
    """The free-threaded wheel: the suite, then as much of it in threads of one process at once."""
    if not FREE_THREADED.exists():
        raise NotRun("no free-threaded Python 3.14 here: tests/release/free-threaded")
    ours = installed(FREE_THREADED, wheel(folder, "-cp314t-manylinux*_x86_64"), "threads")
    yield run(ours, HERE / "smoke.py", env=clean(), cwd=ROOMS)
    pip = [ours, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run(*pip, "--only-binary", ":all:", "-r", HERE / "requirements-threads.txt", env=clean())
    for name, reason in NOT_OF_THREADS.items():
        yield f"not run: {name}: {reason}"
    left_out = ["-k", " and ".join(f"not {name}" for name in NOT_OF_THREADS)]
    lines = suite(ours, "-m", "pytest", "-rs", SUITE, *left_out)
    for line in [*(one for one in lines if one.startswith("SKIPPED")), lines[-1]]:
        yield f"the suite: {line}"
    for line in suite(ours, SUITE / "in_threads.py", "4", SUITE, *left_out):
        if line.startswith("left out") or " passed" in line:
            yield f"in four threads at once: {line}"


def sdist(folder):
    """The source archive, built and installed where there is no network."""
    [archive] = [one for one in folder.iterdir() if re.fullmatch(check.SDIST, one.name)]
    room = fresh("sdist")
    with tarfile.open(archive) as packed:
        packed.extractall(room, filter="data")
    [source] = [entry for entry in room.iterdir() if entry.is_dir()]
    tools = Path(sys.executable).parent
    # Of this environment nothing is taken but maturin. An empty home: no crate is there already.
    home = room / "cargo"
    variables = clean() | {
        "PATH": f"{tools}:{os.environ['PATH']}",
        "CARGO_HOME": str(home),
        "CARGO_TARGET_DIR": str(wheels.BUILD / "sdist-cargo"),
        "RUSTUP_HOME": os.environ.get("RUSTUP_HOME", str(Path.home() / ".rustup")),
    }
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"]
    pip += ["--no-index", "--no-deps", "--no-build-isolation", "--wheel-dir", room, source]
    run("unshare", "--map-root-user", "--net", *pip, env=variables)
    [made] = room.glob("*.whl")
    yield f"{archive.name}: built without a network"
    python = installed(interpreter("3.11"), made, "sdist-installed")
    yield run(python, HERE / "smoke.py", env=clean(), cwd=ROOMS)


def twice(folder):
    """The same bytes from a copy of what is committed, in another folder."""
    room = fresh("twice")
    copy, out = room / "elsewhere", room / "dist"
    packed = room / "packed.tar"
    run("git", "-C", wheels.ROOT, "archive", "--output", packed, "HEAD")
    with tarfile.open(packed) as archive:
        archive.extractall(copy, filter="data")
    variables = clean() | {"SOURCE_DATE_EPOCH": wheels.epoch()}
    variables.pop("CARGO_TARGET_DIR", None)
    run(sys.executable, copy / "py/package/sdist.py", out, env=variables)
    run(sys.executable, copy / "py/package/wheels.py", out, env=variables)
    made = sorted(out.iterdir())
    assert len(made) == len(wheels.WHEELS) + 1, made
    for file in made:
        assert (folder / file.name).read_bytes() == file.read_bytes(), f"{file.name} differs"
        yield f"{file.name}: the same {file.stat().st_size:,} bytes from another folder"
    shutil.rmtree(room)


TESTS = {one.__name__: one for one in (native, aarch64, musl, threads, sdist, twice)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help=", ".join(TESTS))
    arguments = parser.parse_args()
    ROOMS.mkdir(parents=True, exist_ok=True)
    failed = False
    for name in arguments.rooms or TESTS:
        print(f"{name}: {TESTS[name].__doc__}", flush=True)
        try:
            for line in TESTS[name](arguments.folder.resolve()):
                print(f"  {line}", flush=True)
        except NotRun as reason:
            print(f"not checked: {name}: {reason}", flush=True)
        except AssertionError as reason:
            failed = True
            print(f"  FAILED: {reason}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
