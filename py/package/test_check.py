"""The checks of what is to be published: each refuses a wheel that is wrong in one way. Needs the
wheels in dist/; `tests/release/test-wheels` runs it.
"""

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import check
import finish
import pytest

ROOT = Path(__file__).resolve().parents[2]
CHECK = ROOT / "py" / "package" / "check.py"


def found(end):
    [wheel] = (ROOT / "dist").glob(f"modelwire-*{end}.whl")
    return wheel


def checked(folder):
    done = subprocess.run([sys.executable, CHECK, folder], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def spoiled(tmp_path):
    """What the checks say of the wheel for x86-64 after this was done to its files."""

    def spoil(change, name=None, end="-abi3-manylinux*_x86_64"):
        wheel = found(end)
        with zipfile.ZipFile(wheel) as archive:
            files = {entry: archive.read(entry) for entry in archive.namelist()}
        change(files)
        record = of(files, ".dist-info/RECORD")
        files[record] = finish.listed(files, record)
        out = tmp_path / (name(wheel.name) if name else wheel.name)
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for entry, content in files.items():
                archive.writestr(entry, content)
        code, said = checked(tmp_path)
        assert code == 1, said
        return said

    return spoil


def of(files, end):
    [name] = [name for name in files if name.endswith(end)]
    return name


def test_the_built_artefacts_pass():
    """A wheel for every platform, and the source archive."""
    code, said = checked(ROOT / "dist")
    assert code == 0, said


def test_an_empty_folder_is_not_fine(tmp_path):
    assert checked(tmp_path)[0] == 1


def test_a_newer_libc(spoiled):
    """auditwheel sees that the name promises too much."""
    older = "manylinux_2_5_x86_64.whl"
    said = spoiled(lambda files: None, lambda name: re.sub("manylinux.*", older, name))
    assert "this is a wheel for" in said


def test_another_abi(spoiled):
    """abi3audit sees what the stable ABI does not have."""
    other = found("-cp314t-manylinux*_x86_64")

    def change(files):
        with zipfile.ZipFile(other) as archive:
            extension = of(archive.namelist(), ".so")
            files[of(files, ".so")] = archive.read(extension)

    assert "abi3audit" in spoiled(change)


def test_a_bundled_unwinder_is_refused(spoiled):
    """It asks for another library in place of that which unwinds."""

    def change(files):
        name = of(files, ".so")
        files[name] = files[name].replace(b"libgcc_s.so.1\0", b"libm.so.6\0\0\0\0\0")

    assert "an unwinder of its own" in spoiled(change)


def test_a_library_missing_on_windows_is_refused(spoiled):
    """An extension asks for what comes with mingw, in place of the stable ABI of Python."""

    def change(files):
        name = of(files, ".pyd")
        files[name] = files[name].replace(b"python3.dll\0", b"libgcc_.dll\0")

    said = spoiled(change, end="-abi3-win_amd64")
    assert "does not ask for python3.dll" in said and "asks for libgcc_.dll" in said


def test_a_library_missing_on_macos_is_refused(spoiled):
    """An extension asks for another library in place of the system's."""

    def change(files):
        name = of(files, ".so")
        files[name] = files[name].replace(b"/libSystem.B.dylib\0", b"/libPython.dylib\0\0\0")

    assert "asks for /usr/lib/libPython.dylib" in spoiled(change, end="-macosx_11_0_arm64")


def test_an_older_macos(spoiled):
    """The name promises too much."""
    said = spoiled(
        lambda files: None, lambda name: name.replace("11_0", "10_9"), end="-macosx_11_0_x86_64"
    )
    assert "is for macosx_11_0" in said


def test_an_unsigned_wheel_is_refused(spoiled):
    """The loader is told of something else in place of the signature."""

    def change(files):
        name = of(files, ".so")
        number, size = check.SIGNATURE.to_bytes(4, "little"), (16).to_bytes(4, "little")
        assert files[name].count(number + size) == 1
        files[name] = files[name].replace(number + size, b"\x1e\0\0\0" + size)

    assert "is not signed" in spoiled(change, end="-macosx_11_0_arm64")


def test_no_list_of_components(spoiled):
    said = spoiled(lambda files: files.pop(of(files, ".cyclonedx.json")))
    assert "0 lists of components" in said


def test_components_of_something_else(spoiled):
    def change(files):
        name = of(files, ".cyclonedx.json")
        bill = json.loads(files[name])
        bill["components"] = [one for one in bill["components"] if one["name"] != "ring"]
        files[name] = json.dumps(bill).encode()

    assert "its components lack ring" in spoiled(change)


def test_a_folder_of_this_machine(spoiled):
    def change(files):
        files["modelwire/_home.py"] = f"# {ROOT}/core/src/lib.rs\n".encode()

    assert "modelwire/_home.py names" in spoiled(change)


def test_an_invalid_readme_type_is_refused(spoiled):
    """twine sees what PyPI would refuse to show."""

    def change(files):
        name = of(files, ".dist-info/METADATA")
        kind = b"Description-Content-Type: "
        files[name] = re.sub(kind + b".*", kind + b"text/what", files[name])

    assert "twine" in spoiled(change)


def test_an_unexpected_package_is_refused(spoiled):
    """check-wheel-contents sees a second package."""
    said = spoiled(lambda files: files.update({"tests/__init__.py": b"# tests\n"}))
    assert "check-wheel-contents" in said


def test_too_large(spoiled):
    noise = os.urandom(2_000_000)
    assert "at most 4,500,000" in spoiled(lambda files: files.update({"modelwire/noise": noise}))
