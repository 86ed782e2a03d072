"""Builds the wheels of this checkout into a folder: `python3 py/package/wheels.py dist [NAME...]`.
The same bytes wherever it is checked out.

Runs in the environment of py/package/requirements.txt, which `tests/release/wheels` makes. No
interpreter of the target is needed: what PyO3 wants to know of a free-threaded one stands here.
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

import finish

ROOT = Path(__file__).resolve().parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).absolute()
BUILD = TARGET / "python"
PACKAGE = ROOT / "ffi-c/package"

# What pip on a machine takes its wheel by: the target of Rust, the oldest C library (of Linux),
# and the ABI of Python, which is the stable one of 3.10 and later, or that of one free-threaded
# version.
WHEELS = {
    "x86_64": ("x86_64-unknown-linux-gnu", "manylinux2014", None),
    "x86_64-threads": ("x86_64-unknown-linux-gnu", "manylinux2014", "3.14"),
    "aarch64": ("aarch64-unknown-linux-gnu", "manylinux2014", None),
    "aarch64-threads": ("aarch64-unknown-linux-gnu", "manylinux2014", "3.14"),
    "x86_64-musl": ("x86_64-unknown-linux-musl", "musllinux_1_2", None),
    "aarch64-musl": ("aarch64-unknown-linux-musl", "musllinux_1_2", None),
    "x86_64-windows": ("x86_64-pc-windows-gnu", None, None),
    "aarch64-macos": ("aarch64-apple-darwin", None, None),
    "x86_64-macos": ("x86_64-apple-darwin", None, None),
}


def said(*command, env=None):
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=env)
    return done.stdout.strip()


def epoch():
    """Seconds of the last commit, where nobody says anything else."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return os.environ["SOURCE_DATE_EPOCH"]
    return said("git", "-C", ROOT, "log", "-1", "--format=%ct")


def linking(target, options):
    """What is to be told to rustc of its linker, more than maturin does."""
    if target.endswith("-linux-gnu"):
        # zig would link an unwinder of its own, which takes the state of the process's for its own:
        # a daemon thread that Python ends, before 3.14, at the end of a program would crash it.
        compiler = "cc" if target.startswith("x86_64") else "aarch64-linux-gnu-gcc"
        return [f"-Clink-arg={said(compiler, '-print-file-name=libgcc_s.so.1')}"]
    if target.endswith("-windows-gnu"):
        # mingw's linker writes the time otherwise.
        return ["-Clink-arg=-Wl,--no-insert-timestamp"]
    if target.endswith("-apple-darwin"):
        return said(PACKAGE / "macos/prepare", options["SDKROOT"], env=options).splitlines()
    return []


def environment():
    """What makes a build the same in every folder, and keeps what it leaves below target/."""
    cargo = os.environ.get("CARGO_HOME", Path.home() / ".cargo")
    # Where rustup put the sources of the standard library too, their paths are those.
    library = Path(said("rustc", "--print", "sysroot")) / "lib/rustlib/src/rust"
    commit = re.search(r"^commit-hash: (.*)$", said("rustc", "-vV"), re.MULTILINE)[1]
    places = {ROOT: "/modelwire", TARGET: "/modelwire/target", cargo: "/cargo"}
    places[library] = f"/rustc/{commit}"
    remap = [f"--remap-path-prefix={place}={name}" for place, name in places.items()]
    prefixes = [f"-ffile-prefix-map={place}={name}" for place, name in places.items()]
    given = {name: value for name, value in os.environ.items() if name != "RUSTFLAGS"}
    return given | {
        # maturin and cargo-zigbuild look for zig, and for a Python, there.
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "SOURCE_DATE_EPOCH": epoch(),
        "CARGO_TARGET_DIR": str(BUILD / "cargo"),
        "CARGO_INCREMENTAL": "0",
        "CARGO_ENCODED_RUSTFLAGS": "\x1f".join(remap),
        "CFLAGS": " ".join(prefixes),
        "XDG_CACHE_HOME": str(BUILD / "cache"),
        "ZIG_GLOBAL_CACHE_DIR": str(BUILD / "zig"),
    }


def free_threaded(version):
    """A file that tells PyO3 and maturin of an interpreter that need not be here."""
    config = BUILD / f"python{version}t.txt"
    config.write_text(
        "implementation=CPython\n"
        f"version={version}\n"
        "shared=true\n"
        "pointer_width=64\n"
        "build_flags=Py_GIL_DISABLED\n"
        "suppress_build_script_link_lines=true\n"
    )
    return config


def build(name, folder):
    target, libc, threads = WHEELS[name]
    subprocess.run(["rustup", "--quiet", "target", "add", target], check=True)
    raw = BUILD / "raw" / name
    raw.mkdir(parents=True, exist_ok=True)
    for old in raw.glob("*.whl"):
        old.unlink()
    options = environment()
    if target.endswith("-apple-darwin"):
        options["MACOSX_DEPLOYMENT_TARGET"] = said(PACKAGE / "floor", target)
        options["SDKROOT"] = str(BUILD / "macos")
    flags = [options["CARGO_ENCODED_RUSTFLAGS"], *linking(target, options)]
    options["CARGO_ENCODED_RUSTFLAGS"] = "\x1f".join(flags)
    if threads:
        options["PYO3_CONFIG_FILE"] = str(free_threaded(threads))
    command = [sys.executable, "-m", "maturin", "build", "--profile", "wheel", "--locked"]
    command += ["--target", target, "--out", raw]
    command += [] if target.endswith("-windows-gnu") else ["--zig"]
    command += ["--compatibility", libc] if libc else []
    subprocess.run(command, check=True, cwd=ROOT, env=options)
    [wheel] = raw.glob("*.whl")
    return finish.wheel(wheel, folder, ROOT, target, int(options["SOURCE_DATE_EPOCH"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", choices=[[], *WHEELS], metavar="NAME")
    arguments = parser.parse_args()
    BUILD.mkdir(parents=True, exist_ok=True)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name in arguments.names or WHEELS:
        made = build(name, arguments.folder)
        print(f"{made} {made.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
