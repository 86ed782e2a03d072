"""Builds all that a release has into dist/, by the scripts that artefacts.txt names, and writes
SHA256SUMS and manifest.json of it. A part that fails ends it, with its name.

    python3 tests/release/release.py [PART ...]    all parts, or these alone, to try them
"""

import hashlib
import json
import shutil
import subprocess
import sys

from artefacts import ROOT, Wrong, artefacts, command, row_of_each, said, version

DIST = ROOT / "dist"
WRITTEN = ("SHA256SUMS", "manifest.json")


def main(parts):
    rows = artefacts()
    known = list(dict.fromkeys(row.made_by for row in rows if row.file != "-"))
    for part in parts:
        if part not in known:
            raise Wrong(f"there is no part {part!r}, but {', '.join(known)}")
    parts = parts or known
    if subprocess.run(
        ["git", "status", "--porcelain"], cwd=ROOT, capture_output=True, check=True
    ).stdout:
        raise Wrong("there are changes that are not committed: the manifest names a commit")
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    for part in parts:
        print(f"release: {part}", flush=True)
        if subprocess.run([f"tests/release/{part}"], cwd=ROOT).returncode != 0:
            raise Wrong(f"the part {part!r} failed")
    of_files = row_of_each(
        [path.name for path in DIST.iterdir()], [r for r in rows if r.made_by in parts]
    )
    write(of_files)
    print(f"release: {len(of_files)} files in dist/, see dist/manifest.json")


def write(of_files):
    """The sums and the manifest of these files of dist/."""
    entries = []
    for name, row in of_files.items():
        content = (DIST / name).read_bytes()
        entries.append(
            {
                "file": name,
                "bytes": len(content),
                "sha256": hashlib.sha256(content).hexdigest(),
                "is": row.what,
                "for": row.platform,
                "tested": {"run": "run natively", "built": "built only"}.get(
                    row.tested, said(row.tested)
                ),
                "by": row.run_by and command(row.run_by),
            }
        )
    sums = "".join(f"{entry['sha256']}  {entry['file']}\n" for entry in entries)
    (DIST / "SHA256SUMS").write_text(sums)
    head = ["git", "rev-parse", "HEAD"]
    commit = subprocess.run(
        head, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()
    manifest = {"name": "modelwire", "version": version(), "commit": commit, "files": entries}
    (DIST / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Wrong as wrong:
        sys.exit(f"release: {wrong}")
