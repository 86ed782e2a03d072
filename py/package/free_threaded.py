"""Builds CPython without the interpreter's lock into a folder: `python3 py/package/free_threaded.py
target/python/free-threaded`. Says nothing and does nothing where it is already.

Debian packages no such interpreter, and neither does PyPI: it is made of the sources.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import urllib.error
import urllib.request
from pathlib import Path

# The sources as CPython published them. Ubuntu's LTS keeps what it was released with, where
# Debian's archive drops a version with the next one.
VERSION = "3.14.4"
SOURCES = "http://archive.ubuntu.com/ubuntu/pool/main/p/python3.14/python3.14_3.14.4.orig.tar.xz"
SHA256 = "d923c51303e38e249136fc1bdf3568d56ecb03214efdef48516176d3d7faaef8"
GONE = f"""\
{{error}}
This file of CPython's sources is gone: {SOURCES}
Name another one of 3.14, and its SHA-256, at the top of {Path(__file__).name}. Where there is a
deb-src line, `apt-get source --print-uris python3.14` says where a distribution has it, and
`apt-cache showsrc python3.14` its sum."""


def sources(work):
    """The archive, from the network where it is not here yet, and unpacked."""
    archive = work / SOURCES.rpartition("/")[2]
    if not archive.exists():
        try:
            with urllib.request.urlopen(SOURCES, timeout=60) as answer:
                archive.write_bytes(answer.read())
        except urllib.error.URLError as error:
            sys.exit(GONE.format(error=error))
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != SHA256:
        archive.unlink()
        sys.exit(f"{SOURCES} is another file: its SHA-256 is {found}, and not {SHA256}")
    with tarfile.open(archive) as packed:
        packed.extractall(work, filter="data")
    return work / f"Python-{VERSION}"


def logged(log, *command, folder):
    with log.open("ab") as out:
        done = subprocess.run(command, cwd=folder, stdout=out, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        end = "\n".join(log.read_text(errors="replace").splitlines()[-20:])
        sys.exit(f"{' '.join(map(str, command))} failed, of which {log} says:\n{end}")


def main():
    prefix = Path(sys.argv[1]).absolute()
    built = prefix / f"is-{VERSION}"
    if built.exists():
        return
    print(f"building a free-threaded Python {VERSION} (ten minutes on two cores)", flush=True)
    shutil.rmtree(prefix, ignore_errors=True)
    work = prefix.with_name(f"{prefix.name}-build")
    work.mkdir(parents=True, exist_ok=True)
    folder = sources(work)
    log = work / "log"
    log.unlink(missing_ok=True)
    # Neither of its own tests nor of pip a copy: environments bring their pip from ensurepip.
    options = ["--disable-gil", "--disable-test-modules", "--without-ensurepip"]
    logged(log, "./configure", "--quiet", f"--prefix={prefix}", *options, folder=folder)
    logged(log, "make", "--silent", f"--jobs={os.cpu_count()}", folder=folder)
    logged(log, "make", "--silent", "install", folder=folder)
    # What a machine has no headers for, CPython leaves out and says nothing.
    check = "import ctypes, lzma, sqlite3, ssl, sys, zlib; sys.exit(sys._is_gil_enabled())"
    logged(log, prefix / "bin/python3.14t", "-c", check, folder=prefix)
    shutil.rmtree(folder)
    built.touch()


if __name__ == "__main__":
    main()
