"""Names of a package that are looked up when they are asked for, so that nobody waits for types he
does not use. Knows no type."""

# mypy: disallow_untyped_defs = False, disallow_untyped_calls = False

from __future__ import annotations

import sys
from importlib import import_module

_ROOT = __name__.removesuffix(".types._lazy")
"""`modelwire`, unless a program has its copy of the package under another name."""


def names(package, places, packages=()):
    """`__getattr__` and `__dir__` of a package: `places` has, for each module, the names that come
    from there, as `name` or as `name=its name there`."""
    known = {}
    for place, words in places.items():
        for word in words.split():
            name, _, there = word.partition("=")
            known[name] = place, there or name

    def __getattr__(name):
        if name in packages:
            return import_module(f"{package}.{name}")
        if name not in known:
            return part(package, name)
        place, there = known[name]
        found = getattr(import_module(_ROOT + place.removeprefix("modelwire")), there)
        setattr(sys.modules[package], name, found)
        return found

    def __dir__():
        return sorted({*vars(sys.modules[package]), *known, *packages})

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
