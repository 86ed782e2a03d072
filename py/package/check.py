"""Looks at what is to be published: `python3 py/package/check.py dist`. Says what is wrong with
each file, and fails. Builds nothing, and knows no call.

auditwheel tells which machines a wheel runs on, abi3audit which Pythons; twine and
check-wheel-contents say what PyPI and pip would. The rest is ours: the size, the list of
components, no folder of this machine, and what wheels for Windows and macOS ask for.
"""

import json
import os
import re
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WHEEL_BYTES_MAX = 4_500_000
SDIST = r"modelwire-[0-9.]+\.tar\.gz"
# What a build on this machine might leave in a file.
CARGO = os.environ.get("CARGO_HOME", Path.home() / ".cargo")
RUSTUP = os.environ.get("RUSTUP_HOME", Path.home() / ".rustup")
FOLDERS = (f"{ROOT}/core", f"{ROOT}/py", f"{ROOT}/target", f"{CARGO}/registry", f"{RUSTUP}/")
# What macOS has for everybody; commands of its loader: a library that is asked for, in the ways to
# ask, the oldest version, and the signature, without which no program for arm64 runs.
FRAMEWORKS = "/System/Library/Frameworks"
MACOS = {
    "/usr/lib/libSystem.B.dylib",
    f"{FRAMEWORKS}/CoreFoundation.framework/Versions/A/CoreFoundation",
    f"{FRAMEWORKS}/Security.framework/Versions/A/Security",
}
DYLIBS, MACOS_VERSION, SIGNATURE = (0x0C, 0x18, 0x1F), 0x32, 0x1D


def tool(name, *arguments):
    """What a tool of this environment says, and whether it was content."""
    command = [Path(sys.executable).parent / name, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return done.returncode == 0, (done.stdout + done.stderr).strip()


def said(name, *arguments):
    """What a tool has against a file."""
    is_content, text = tool(name, *arguments)
    return [] if is_content else [f"{name}: {text}"]


def of_windows(wheel):
    """Its extension takes the stable ABI of Python, and of the rest what every Windows has."""
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".pyd")]
        content = archive.read(name)
    found = re.findall(rb"[\w.-]+\.dll(?=\0)", content, re.IGNORECASE)
    asked = {name.decode().lower() for name in found}
    wrong = [] if "python3.dll" in asked else [f"{name} does not ask for python3.dll"]
    # What comes with a compiler, not with Windows; and another Python than the stable one.
    brought = [name for name in sorted(asked) if re.match(r"lib|python3\d|vcruntime|msvcp", name)]
    return wrong + [f"{name} asks for {one}" for one in brought]


def commands(content):
    """What a Mach-O file of 64 bits tells the loader: pairs of a command's number and its bytes."""
    count, at = int.from_bytes(content[16:20], "little"), 32
    for _ in range(count):
        number, size = struct.unpack_from("<II", content, at)
        yield number, content[at : at + size]
        at += size


def of_macos(wheel):
    """Its extension takes what every macOS has, of the version in its name, and is signed."""
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".so")]
        content = archive.read(name)
    told = list(commands(content))
    wrong = []
    for command in (command for number, command in told if number & 0xFFFF in DYLIBS):
        asked = command[int.from_bytes(command[8:12], "little") :].split(b"\0")[0].decode()
        if asked not in MACOS:
            wrong.append(f"{name} asks for {asked}")
    # The smallest part of the version comes first.
    _, minor, major, _ = dict(told).get(MACOS_VERSION, bytes(16))[12:16]
    tag = f"macosx_{major}_{minor}"
    if f"-{tag}_" not in wheel.name:
        wrong.append(f"{name} is for {tag}")
    if SIGNATURE not in dict(told):
        wrong.append(f"{name} is not signed")
    return wrong


def platform(wheel):
    """The oldest C library that the wheel runs on is the one that its name promises."""
    if wheel.stem.endswith("-win_amd64"):
        return of_windows(wheel)
    if "-macosx_" in wheel.stem:
        return of_macos(wheel)
    # It need not look at this machine's C library, which is another one than the wheel's.
    command = ["show", "--json", "--ldpaths", str(wheel.parent), wheel]
    is_content, text = tool("auditwheel", *command)
    if not is_content:
        return [f"auditwheel: {text}"]
    found = json.loads(text[text.index("{\n") : text.rindex("}") + 1])
    tag = found["overall_tag"]
    # musl's loader takes each name of its C library as itself; auditwheel knows Alpine's alone.
    if list(found["external_libs"]) == ["libc.so"]:
        tag = found["sym_tag"]
    promised = wheel.stem.split("-")[-1].split(".")
    wrong = [] if tag in promised else [f"auditwheel: this is a wheel for {tag}\n{text}"]
    # Python before 3.14 ends daemon threads by unwinding them, through our frames as well.
    if "manylinux" in wheel.stem and "libgcc_s.so.1" not in found["versioned_symbols"]:
        wrong.append("it brings an unwinder of its own, which knows nothing of the process's")
    return wrong


def components(archive, names):
    """The list of components is there, and names the crates that surely are inside."""
    found = [name for name in names if re.fullmatch(r"[^/]*\.dist-info/sboms/.*\.json", name)]
    if len(found) != 1:
        return [f"{len(found)} lists of components"]
    bill = json.loads(archive.read(found[0]))
    listed = {one["name"]: one["version"] for one in bill["components"]}
    wrong = [f"its components lack {name}" for name in ("modelwire", "ring") if name not in listed]
    # Of tests and of other machines.
    wrong += [f"its components list {name}" for name in ("loom", "vt100") if name in listed]
    if f"modelwire-{listed.get('modelwire')}.dist-info" != found[0].partition("/")[0]:
        wrong.append("its components are of another version")
    return wrong


def inside(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        wrong = components(archive, names)
        for name in names:
            content = archive.read(name)
            wrong += [f"{name} names {folder}" for folder in FOLDERS if folder.encode() in content]
    return wrong


def of_wheel(wheel):
    wrong = inside(wheel) + platform(wheel) + said("check-wheel-contents", wheel)
    if "-abi3-" in wheel.name:
        wrong += said("abi3audit", "--strict", wheel)
    if wheel.stat().st_size > WHEEL_BYTES_MAX:
        wrong.append(f"{wheel.stat().st_size:,} bytes; at most {WHEEL_BYTES_MAX:,}")
    return wrong


def main():
    folder = Path(sys.argv[1])
    wheels = sorted(folder.glob("*.whl"))
    # The archives of the C library, which may stand there too, also name a machine.
    archives = [one for one in folder.glob("*.tar.gz") if re.fullmatch(SDIST, one.name)]
    if not wheels:
        sys.exit(f"no wheel in {folder}: tests/release/wheels")
    failed = 0
    for file in [*wheels, *archives]:
        wrong = said("twine", "check", "--strict", file)
        wrong += of_wheel(file) if file.suffix == ".whl" else []
        failed += bool(wrong)
        print(f"{file.name}: {file.stat().st_size:,} bytes, {'wrong' if wrong else 'fine'}")
        for line in wrong:
            print("   ", line.replace("\n", "\n    "))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
