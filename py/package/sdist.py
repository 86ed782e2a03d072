"""Writes the source archive into a folder: `python3 py/package/sdist.py dist`. It holds the crates
that it is built from, so that it needs no network, and is the same bytes wherever it is made.

The lock file names crates for tests and for machines that no wheel is for. Cargo wants to see those
too, and finds their manifests over no code.
"""

import gzip
import hashlib
import io
import json
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import wheels

# Whoever builds on another one takes the crates from the network: without .cargo/config.toml.
TARGETS = [
    *sorted({target for target, _, _ in wheels.WHEELS.values()}),
    "x86_64-pc-windows-msvc",
]

# Of a crate, what no build of it looks at, unless its documentation includes it.
NOT_BUILT = {"tests", "test-macros", "benches", "examples", "fuzz", "ci", ".github"}
NOT_BUILT |= {"Cargo.toml.orig", "Cargo.lock", "CHANGELOG.md", "branding", "uv.lock"}
NOT_BUILT_SECTIONS = ("[[bin]]", "[[example]]", "[[test]]", "[[bench]]")

CONFIG = """\
# The crates that this archive brings: it is built without a network.
[source.crates-io]
replace-with = "vendored-sources"

[source.vendored-sources]
directory = "vendor"
"""


def run(*command, **options):
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options)
    return done.stdout


def needed(folder):
    """Name and version of each crate that some target compiles, or a build script."""
    command = ["cargo", "tree", "--offline", "--package", "modelwire-py", "--edges", "normal,build"]
    targets = [f"--target={target}" for target in TARGETS]
    listed = run(*command, *targets, "--prefix", "none", "--format", "{p}", cwd=folder)
    lines = [line.split() for line in listed.splitlines() if line]
    return {(line[0], line[1].removeprefix("v")) for line in lines}


def without_sections(manifest, sections):
    """A manifest, but for the sections that begin so."""
    parts = re.split(r"^(?=\[)", manifest, flags=re.MULTILINE)
    return "".join(part for part in parts if not part.startswith(sections))


def emptied(crate):
    """Leaves of a crate what the resolver reads."""
    manifest = (crate / "Cargo.toml").read_text()
    manifest = without_sections(manifest, (*NOT_BUILT_SECTIONS, "[lib]", "[profile", "[lints"))
    of_code = r"^(build|readme|license-file|autolib|links) = .*\n"
    manifest = re.sub(of_code, "", manifest, flags=re.MULTILINE)
    for entry in crate.iterdir():
        shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    (crate / "Cargo.toml").write_text(manifest)
    (crate / "src").mkdir()
    (crate / "src" / "lib.rs").write_text("")


def trimmed(crate):
    """Leaves of a crate what is built, and its licences."""
    manifest = (crate / "Cargo.toml").read_text()
    (crate / "Cargo.toml").write_text(without_sections(manifest, NOT_BUILT_SECTIONS))
    sources = [file.read_text() for file in (crate / "src").rglob("*.rs")]
    for entry in [entry for entry in crate.iterdir() if entry.name in NOT_BUILT]:
        if not any(f"../{entry.name}" in source for source in sources):
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()


def vendor(folder):
    run("cargo", "vendor", "--quiet", "--versioned-dirs", "vendor", cwd=folder)
    compiled = needed(folder)
    for crate in sorted((folder / "vendor").iterdir()):
        checksums = crate / ".cargo-checksum.json"
        package = json.loads(checksums.read_text())["package"]
        manifest = (crate / "Cargo.toml").read_text()
        section = manifest.partition("[package]")[2]
        name, version = (
            re.search(rf'^{key} = "(.*)"', section, re.MULTILINE)[1] for key in ("name", "version")
        )
        trimmed(crate) if (name, version) in compiled else emptied(crate)
        # Cargo compares the files that are listed; which crate it was says the archive's own sum.
        files = {
            file.relative_to(crate).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
            for file in sorted(crate.rglob("*"))
            if file.is_file() and file != checksums
        }
        checksums.write_text(json.dumps({"files": files, "package": package}, sort_keys=True))
    (folder / ".cargo").mkdir()
    (folder / ".cargo" / "config.toml").write_text(CONFIG)
    # Nothing is missing, and the lock file is the one of these crates.
    run("cargo", "metadata", "--format-version", "1", "--offline", "--locked", cwd=folder)


def write(folder, out, epoch):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for file in sorted(file for file in folder.rglob("*") if file.is_file()):
            info = tarfile.TarInfo(f"{folder.name}/{file.relative_to(folder).as_posix()}")
            content = file.read_bytes()
            info.size, info.mtime, info.mode = len(content), epoch, 0o644
            archive.addfile(info, io.BytesIO(content))
    with out.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=epoch) as zipped:
        zipped.write(packed.getvalue())


def main():
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    work = wheels.BUILD / "sdist"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    command = [sys.executable, "-m", "maturin", "sdist", "--out", work]
    subprocess.run(command, check=True, cwd=wheels.ROOT, env=wheels.environment())
    [raw] = work.glob("*.tar.gz")
    with tarfile.open(raw) as archive:
        archive.extractall(work, filter="data")
    [folder] = [entry for entry in work.iterdir() if entry.is_dir()]
    # Cargo takes hidden files along in a checkout alone.
    for file in folder.rglob(".*"):
        file.unlink()
    vendor(folder)
    made = out / raw.name
    write(folder, made, int(wheels.epoch()))
    print(f"{made} {made.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
