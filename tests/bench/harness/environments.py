"""Builds what clients need, each part once: the release build, the C programs, the peers' own
environments."""

import hashlib
import os
import pathlib
import subprocess
import sys
from collections.abc import Callable, Sequence

BENCH = pathlib.Path(__file__).resolve().parent.parent
ROOT = BENCH.parent.parent
BUILD = (ROOT / os.environ.get("CARGO_TARGET_DIR", "target")).resolve()
VENV = BUILD / "bench" / "venv"
VENV_PYTHON = VENV / "bin" / "python"
SONAME = "libmodelwire.so.0.1"
Command = Sequence[str | pathlib.Path]


def run(command: Command, **environment: str | pathlib.Path) -> None:
    """Runs a build step; its failure ends the run."""
    values = {name: str(value) for name, value in environment.items()}
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **values})
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}")


def output_of(command: Command) -> str | None:
    """What a command prints; `None` if it fails."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def _cargo() -> None:
    packages = ["-p", "modelwire-ffi", "-p", "modelwire-bench"]
    run(["cargo", "build", "--quiet", "--locked", "--release", *packages])
    link = BUILD / "release" / SONAME
    if not link.is_symlink():
        link.symlink_to("libmodelwire.so")


def _peers() -> None:
    manifest = BENCH / "peers" / "Cargo.toml"
    if not (BUILD / "bench" / "peers" / "release").exists():
        print("building the Rust peers: some minutes", flush=True)
    flags = ["--quiet", "--locked", "--release", "--manifest-path", str(manifest)]
    run(["cargo", "build", *flags], CARGO_TARGET_DIR=BUILD / "bench" / "peers")


def _venv() -> None:
    wanted = BENCH / "peers" / "requirements.txt"
    digest = hashlib.sha256(wanted.read_bytes()).hexdigest()
    stamp = VENV / "installed"
    if stamp.exists() and stamp.read_text() == digest:
        return
    print(f"installing the Python peers into {VENV.relative_to(ROOT)}", flush=True)
    run([sys.executable, "-m", "venv", "--clear", VENV])
    quiet = ["--quiet", "--disable-pip-version-check"]
    run([VENV_PYTHON, "-m", "pip", "install", *quiet, "-r", wanted])
    stamp.write_text(digest)


def _otel() -> None:
    if output_of([sys.executable, "-c", "import opentelemetry.sdk"]) is None:
        quiet = ["--quiet", "--disable-pip-version-check"]
        run([sys.executable, "-m", "pip", "install", *quiet, "opentelemetry-sdk"])


def _compile(name: str, flags: list[str]) -> None:
    source = BENCH / "c" / f"{name}.c"
    if not source.exists():
        return
    program = BUILD / "bench" / "c" / name
    program.parent.mkdir(parents=True, exist_ok=True)
    run(["cc", "-std=c11", "-O2", "-Wall", "-Wextra", "-pedantic", source, "-o", program, *flags])


def _c() -> None:
    flags = ["-Iinclude", f"-L{BUILD}/release", "-lmodelwire", f"-Wl,-rpath,{BUILD}/release"]
    for source in sorted((BENCH / "c").glob("modelwire-*.c")):
        _compile(source.stem, flags)


def _libcurl() -> None:
    run(["tests/tools", "libcurl", "jansson"])
    for name in ("libcurl-jansson", "libcurl-multi"):
        _compile(name, ["-lcurl", "-ljansson"])


def runtime_environment(language: str) -> list[str]:
    """What the programs of another runtime are told: the library, and a folder for what is built."""
    library, build = BUILD / "release" / "libmodelwire.so", BUILD / "bench" / language
    return ["env", f"MODELWIRE_LIBRARY={library}", f"BUILD={build}"]


def _runtime(language: str) -> Callable[[], None]:
    def prepare_it() -> None:
        (BUILD / "bench" / language).mkdir(parents=True, exist_ok=True)
        run([*runtime_environment(language), BENCH / "runtimes" / language / "prepare"])

    return prepare_it


#: Runtimes that embed the C library: each has its clients in a folder of runtimes/.
RUNTIMES = (
    *("go", "node", "java", "dotnet", "ruby"),
    *("luajit", "php", "python-cffi", "elixir", "perl"),
)

#: In the order in which they are built.
PARTS: dict[str, Callable[[], None]] = {
    "cargo": _cargo,
    "peers": _peers,
    "venv": _venv,
    "otel": _otel,
    "c": _c,
    "libcurl": _libcurl,
    **{language: _runtime(language) for language in RUNTIMES},
}


def prepare(needs: set[str]) -> None:
    """Builds the parts that are needed."""
    for name, build in PARTS.items():
        if name in needs:
            build()
