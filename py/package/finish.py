"""The last step of a wheel: its list of components says what is in it, and nothing in it tells
where and when it was built. Compressed as far as the format goes.

maturin lists every crate of the lock file, for all platforms and for tests, with the folder of the
checkout and a number by chance.
"""

import base64
import hashlib
import json
import subprocess
import uuid
import zipfile
from datetime import datetime, timezone

# Crates by a folder have no address of their own.
FOLDER = "/modelwire"


def wheel(raw, folder, root, target, epoch):
    """Writes the finished wheel into the folder, and returns where."""
    with zipfile.ZipFile(raw) as archive:
        files = {info.filename: archive.read(info) for info in archive.infolist()}
    [record] = [name for name in files if name.endswith(".dist-info/RECORD")]
    [components] = [name for name in files if name.endswith(".cyclonedx.json")]
    files[components] = bill(files[components], root, target, epoch)
    files[record] = listed(files, record)
    out = folder / raw.name
    write(out, files, epoch)
    return out


def bill(text, root, target, epoch):
    """What is linked into the extension for this target, the standard library of Rust included."""
    made = json.loads(text.decode().replace(f"file://{root}", f"file://{FOLDER}"))
    inside = crates(root, target)
    kept = [one for one in made["components"] if (one["name"], one["version"]) in inside]
    missing = inside - {(one["name"], one["version"]) for one in kept}
    missing.discard(("modelwire-py", made["metadata"]["component"]["version"]))
    assert not missing, f"no word of {sorted(missing)} in maturin's list of components"
    for one in [*kept, made["metadata"]["component"]]:
        one["purl"] = one["purl"].partition("?")[0]
    made["metadata"]["component"].pop("components", None)
    made["components"] = [*kept, standard_library()]
    names = {one["bom-ref"] for one in made["components"]}
    whole = made["metadata"]["component"]["bom-ref"]
    made["dependencies"] = [
        {**one, "dependsOn": [name for name in one.get("dependsOn", []) if name in names]}
        for one in made["dependencies"]
        if one["ref"] in names | {whole}
    ]
    made["metadata"]["properties"] = [{"name": "cdx:rustc:sbom:target:triple", "value": target}]
    time = datetime.fromtimestamp(epoch, timezone.utc)
    made["metadata"]["timestamp"] = time.strftime("%Y-%m-%dT%H:%M:%SZ")
    made.pop("serialNumber", None)
    same = json.dumps(made, sort_keys=True)
    number = uuid.uuid5(uuid.NAMESPACE_URL, hashlib.sha256(same.encode()).hexdigest())
    return json.dumps({"serialNumber": f"urn:uuid:{number}", **made}, indent=1).encode()


def crates(root, target):
    """Name and version of each crate whose code is in the extension."""
    command = ["cargo", "tree", "--locked", "--package", "modelwire-py", "--target", target]
    command += ["--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}"]
    done = subprocess.run(command, check=True, cwd=root, capture_output=True, text=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    return {(line[0], line[1].removeprefix("v")) for line in lines}


def standard_library():
    done = subprocess.run(["rustc", "--version"], check=True, capture_output=True, text=True)
    version = done.stdout.split()[1]
    return {
        "type": "library",
        "bom-ref": f"rust-std@{version}",
        "name": "rust-std",
        "version": version,
        "description": "The standard library of Rust",
        "scope": "required",
        "licenses": [{"expression": "MIT OR Apache-2.0"}],
        "purl": f"pkg:generic/rust-std@{version}",
    }


def listed(files, record):
    """RECORD: each file with its hash and its size."""
    lines = []
    for name in sorted(files):
        if name == record:
            continue
        hashed = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=")
        lines.append(f"{name},sha256={hashed.decode()},{len(files[name])}\n")
    return "".join([*lines, f"{record},,\n"]).encode()


def write(out, files, epoch):
    # A zip archive has no time before 1980.
    time = datetime.fromtimestamp(max(epoch, 315_532_800), timezone.utc).timetuple()[:6]
    # What pip reads first stands at the end, as the format asks for; RECORD last.
    order = sorted(files, key=lambda name: (".dist-info/" in name, name.endswith("/RECORD"), name))
    with zipfile.ZipFile(out, "w") as archive:
        for name in order:
            info = zipfile.ZipInfo(name, time)
            info.create_system = 3  # Unix, whose permissions follow
            info.external_attr = (0o100755 if name.endswith((".so", ".pyd")) else 0o100644) << 16
            archive.writestr(info, files[name], zipfile.ZIP_DEFLATED, compresslevel=9)
