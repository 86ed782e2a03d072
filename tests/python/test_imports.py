"""Who imports whom in the package, as its files say: no module imports itself by way of others."""

import ast
from importlib.util import resolve_name
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2] / "py" / "python" / "modelwire"


def module_of(path, root=ROOT):
    parts = [root.name, *path.relative_to(root).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def runs(tree):
    """The nodes that run: not what stands under `if TYPE_CHECKING:` for type checkers alone."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            for other in node.orelse:
                yield other
                yield from runs(other)
            continue
        yield node
        yield from runs(node)


def imported(text, package, known):
    """The modules that a text in a package imports anywhere, also within a function."""
    for node in runs(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names if one.name in known)
        elif isinstance(node, ast.ImportFrom):
            module = resolve_name("." * node.level + (node.module or ""), package)
            for one in node.names:
                below = f"{module}.{one.name}"
                yield below if below in known else module


def graph(files):
    """Each module with those that it imports. The package itself gives names to programs, and is no
    part of a circle: it may import all, and what imports names from it is not looked at."""
    known = files.keys() - {"modelwire"}
    packages = {name.rpartition(".")[0] for name in files}
    package_of = {name: name if name in packages else name.rpartition(".")[0] for name in known}
    return {name: known & set(imported(files[name], package_of[name], known)) for name in known}


def circle(arrows):
    """Modules each of which imports the next, and the last one the first; none if there is none."""
    done = set()

    def visit(name, way):
        if name in way:
            return way[way.index(name) :]
        if name in done:
            return None
        done.add(name)
        return next(filter(None, (visit(to, [*way, name]) for to in sorted(arrows[name]))), None)

    return next(filter(None, (visit(name, []) for name in sorted(arrows))), None)


def test_no_module_is_in_an_import_cycle():
    files = {module_of(path): path.read_text() for path in ROOT.rglob("*.py")}
    arrows = graph(files)
    # These stand in the files, at the top and within a function.
    assert "modelwire._resources" in arrows["modelwire._client"]
    assert "modelwire._answers.raw" in arrows["modelwire._client"]
    assert "modelwire.types._lazy" in arrows["modelwire._openai.paths"]
    assert circle(arrows) is None


def test_an_import_cycle_is_found():
    text = "from m import b\ndef f():\n    import m.c\nif TYPE_CHECKING:\n    import m.d\n"
    files = {"m.a": text, "m.b": "", "m.c": "from m.a import f", "m.d": ""}
    arrows = graph(files)
    assert arrows["m.a"] == {"m.b", "m.c"}
    assert circle(arrows) == ["m.a", "m.c"]


def test_relative_imports_are_followed():
    files = {"m": "", "m.p": "from .a import x", "m.p.a": "from ..b import x\nfrom . import c"}
    arrows = graph({**files, "m.p.c": "from .. import b", "m.b": "from .p import y"})
    assert arrows["m.p"] == {"m.p.a"} and arrows["m.p.a"] == {"m.b", "m.p.c"}
    assert arrows["m.p.c"] == {"m.b"} and arrows["m.b"] == {"m.p"}
    assert circle(arrows) == ["m.b", "m.p", "m.p.a"]
