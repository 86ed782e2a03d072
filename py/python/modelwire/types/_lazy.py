"""Imports names of types on demand, to keep the import of the package fast. The names of a package
are in its `__all__`, those of a module for a single type in `_modules.py`."""

# mypy: disallow_untyped_defs = False, disallow_untyped_calls = False

from __future__ import annotations

import sys
from importlib import import_module

_ROOT = __name__.removesuffix("._lazy")
"""`modelwire.types`, unless a program has its copy of the package under another name."""
_PACKAGES = ("", "chat", "responses", "shared", "shared_params")


def package(package):
    """`__getattr__` and `__dir__` of a package."""
    path = _path(package)

    def __getattr__(name):
        module = sys.modules[package]
        if name in _PACKAGES and not path:
            return import_module(f"{package}.{name}")
        if name not in module.__all__:
            return part(package, name)
        found = _find(path, name)
        setattr(module, name, found)
        return found

    def __dir__():
        module = sys.modules[package]
        return sorted({*vars(module), *module.__all__})

    return __getattr__, __dir__


def part(package, name):
    """The module of this name in a package, as an attribute of it."""
    if name.islower() and not name.startswith("_"):
        try:
            return import_module(f"{package}.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"{package}.{name}":
                raise
    raise AttributeError(f"module {package!r} has no attribute {name!r}")


def own_names(module):
    """The names that a module for a single type exports; None if there is no such module."""
    names, _ = _modules().get(_path(module), (None, None))
    return names and [*names]


def lookup(module):
    """`__getattr__` of a module for a single type: also any type that this may import."""
    path = _path(module)
    names, renamed = _modules()[path]

    def __getattr__(name):
        if name not in names and name not in renamed and name not in _every():
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        found = _find(path, name)
        setattr(sys.modules[module], name, found)
        return found

    return __getattr__


def _path(module):
    return module[len(_ROOT) + 1 :]


def _find(path, local):
    """The type with this name in a module, from the file that defines it."""
    _, renamed = _modules().get(path, ((), {}))
    name = renamed.get(local, local)
    kinds = ("._params", "._parts")
    if "Param" not in name and "param" not in path:
        kinds = kinds[::-1]
    files = ("._object",) if name == "Object" else ("._parsed",) if name[:6] == "Parsed" else ()
    for file in (*files, ".._native", "._literals", *kinds):
        found = vars(import_module(file, _ROOT)).get(name)
        if found is not None:
            return found
    raise AttributeError(f"module {_ROOT}.{path!r} has no attribute {local!r}")


_KNOWN: dict[str, tuple[list[str], dict[str, str]]] = {}
_NAMES: set[str] = set()


def _modules():
    if not _KNOWN:
        from ._modules import MODULES  # noqa: TID252  # visible to tools that freeze programs

        _KNOWN.update(parsed(MODULES))
    return _KNOWN


def _every():
    """The names of all types."""
    if not _NAMES:
        packages = (import_module(f"{_ROOT}.{path}".strip(".")) for path in _PACKAGES)
        found = {name for package in packages for name in package.__all__}
        for own, renamed in _modules().values():
            found.update(renamed.get(name, name) for name in own)
        _NAMES.update(found)  # at once, for other threads
    return _NAMES


def parsed(text):
    """Parses a list of modules: for each path, its exported names, and the types that it renames.
    See `_modules.py`."""
    found = {}
    alone, _, others = text.strip().replace("\n    ", " ").partition("\n\n")
    for line in [*alone.split(), *others.splitlines()]:
        path, _, words = line.partition(":")
        words = words.split()
        tail = path.rpartition(".")[2]
        wanted = tail.replace("_", "")
        locals_ = (word.lstrip("~+").partition("=")[0] for word in words)
        main = next((name for name in locals_ if name.lower() == wanted), None)
        if main is None and "-" not in words and path not in _PACKAGES:
            main = tail.title().replace("_", "")
            words.insert(0, main)
        own, renamed = [], {}
        for word in words:
            if word == "-":
                continue
            is_import = word.startswith("~")
            name, is_renamed, there = word.lstrip("~+").partition("=")
            if word.startswith("+"):
                renamed[name] = f"{main}{name}"
            elif is_renamed:
                renamed[name] = there
            if not is_import:
                own.append(name)
        found[path] = own, renamed
    return found
