"""Makes the modules of `modelwire.types` out of ../types.txt: dicts, classes of parts, names of
literals, and a module for each path that programs import them from. Knows no file of the rest.

    [path]                     a module below `modelwire.types`; what it offers follows
    [path] left out: why       one that openai-python has and this package does not
        has Name               a name that can be imported from it
        has Name as Other      the same under another name
    dict Name, object Name     a typed dict, or a part of an answer; its fields follow
    dict Name(Other)           one that has the fields of another, too
        name: type             a field that is always there
        name?: type            one that may be left out
    Name = type                a union, or the literals that a field takes
"""

import keyword
import re
import textwrap
from pathlib import Path

HERE = Path(__file__).parent
PACKAGES = ("chat", "responses", "shared", "shared_params")
PARSED_EVENTS = (
    "ResponseTextDeltaEvent",
    "ResponseFunctionCallArgumentsDeltaEvent",
    "ResponseReasoningTextDeltaEvent",
    "ResponseReasoningSummaryTextDeltaEvent",
    "ResponseTextDoneEvent",
    "ResponseCompletedEvent",
)
PARSED_ITEMS = ("ResponseOutputMessage", "ResponseFunctionToolCall")
UNIONS = {"ResponseStreamEvent", "ResponseOutputItem"}
"""What is one class where it runs, and a union of many where it is read."""
MESSAGES = "ChatCompletionMessageParam | ChatCompletionMessage"
ITEMS = "ResponseInputItemParam | ResponseOutputItem"


TYPED_DICT = """\
if TYPE_CHECKING or sys.version_info >= (3, 12):
    from typing import TypedDict
else:
    try:  # pydantic takes no other one there
        from typing_extensions import TypedDict
    except ImportError:
        from typing import TypedDict

"""


def parsed():
    """The names of `modelwire.types._parsed`, which is written by hand."""
    path = HERE.parent / "python" / "modelwire" / "types" / "_parsed.py"
    return set(re.findall(r"^    (?:class )?(Parsed\w+)", path.read_text(), re.MULTILINE))


class Table:
    """What ../types.txt says, and which file of the package each name is defined in."""

    def __init__(self, native):
        self.native = native
        self.modules, self.left_out, self.types, self.bases = {}, {}, {}, {}
        for line in (HERE.parent / "types.txt").read_text().splitlines():
            self._read(line)
        self.places = {**dict.fromkeys(native, "_native"), "Object": "_object"}
        self.places |= dict.fromkeys(("EVENTS", "ITEMS"), "_parts")
        self.places |= dict.fromkeys(parsed(), "_parsed")
        for name in self.types:
            self._place(name)

    def _read(self, line):
        if found := re.fullmatch(r"\[([\w.]+)\] left out: (.+)", line):
            self.left_out[found[1]] = found[2]
        elif found := re.fullmatch(r"\[([\w.]+)\]", line):
            self.modules[found[1]] = self._names = {}
        elif found := re.fullmatch(r"    has (\w+)(?: as (\w+))?", line):
            self._names[found[2] or found[1]] = found[1]
        elif found := re.fullmatch(r"(dict|object) (\w+)(?:\((\w+)\))?", line):
            self._fields = []
            self.types[found[2]] = (found[1], self._fields)
            self.bases[found[2]] = found[3]
        elif found := re.fullmatch(r"    (\w+)(\??): (.+)", line):
            self._fields.append((found[1], not found[2], found[3]))
        elif found := re.fullmatch(r"(\w+) = (.+)", line):
            self.types[found[1]] = ("alias", found[2])
        elif line:
            raise SystemExit(f"py/types.txt: this is nothing of its grammar: {line}")

    def mentioned(self, text):
        """The types that an annotation names."""
        text = re.sub('"[^"]*"', "", text)
        known = self.types.keys() | self.native
        return [one for one in re.findall(r"[A-Za-z_]\w*", text) if one in known]

    def _place(self, name):
        if name in self.places:
            return self.places[name]
        kind, text = self.types[name]
        if kind == "alias":
            found = {self._place(one) for one in self.mentioned(text)}
            place = (
                "_params"
                if "_params" in found
                else "_parts"
                if found - {"_literals"}
                else "_literals"
            )
        else:
            place = "_params" if kind == "dict" else "_parts"
        self.places[name] = place
        return place

    def kinds(self):
        """The events and items, and the tables of them."""
        found = [self.mentioned(self.types[name][1]) for name in sorted(UNIONS)]
        return [*(name for names in found for name in names), "EVENTS", "ITEMS"]

    def parameters(self, name, first):
        """The fields of a dict as named parameters, a table of `name: type`; `stream` among them,
        whose type says which form of the operation it is."""
        found = {"stream": "STREAM"}
        for key, is_needed, text in self.types[name][1]:
            text = "str" if key == "model" else text.replace("list[", "Sequence[")
            # Answers can be sent back as they came.
            text = text.replace("[ChatCompletionMessageParam]", f"[{MESSAGES}]")
            text = text.replace("ResponseInputParam", f"Iterable[{ITEMS}]")
            text = text.removesuffix(" | None")
            found[key] = text if is_needed else f"_Maybe[{text}]"
        names = [*first, *sorted(found.keys() - set(first))]
        return "".join(f"{key}: {found[key]}\n" for key in names)

    def items(self):
        return self.mentioned(self.types["ResponseOutputItem"][1])

    def source(self, name):
        """The module that a name is defined in."""
        place = self.places[name]
        return "modelwire._native" if place == "_native" else f"modelwire.types.{place}"

    def defined_in(self, place):
        return [name for name in self.types if self.places[name] == place]

    def aliases(self, place):
        """The unions of a file, each after those that it names."""
        done = []

        def put(name):
            kind, text = self.types[name]
            if kind != "alias" or name in done:
                return
            for one in self.mentioned(text):
                if one in self.types and self.places[one] == place:
                    put(one)
            done.append(name)

        for name in self.defined_in(place):
            put(name)
        return done


def listed(head, names, indent=""):
    """`from x import a, b`, in lines of a hundred characters."""
    names = sorted(names, key=lambda name: (name.lower(), name))
    line = f"{indent}{head} {', '.join(names)}"
    if len(line) <= 100:
        return line
    return "\n".join(
        [f"{indent}{head} (", *(f"{indent}    {name}," for name in names), f"{indent})"]
    )


def union(name, text):
    members = split(text)
    line = f"{name}: TypeAlias = {text}"
    if len(line) <= 100:
        return line
    if len(members) == 1 and (found := re.fullmatch(r"(\w+)\[(.+)\]", text)):
        inner = [f"    {one}," for one in split(found[2], ", ")]
        return "\n".join([f"{name}: TypeAlias = {found[1]}[", *inner, "]"])
    rows = [members[0], *(f"| {one}" for one in members[1:])]
    return "\n".join([f"{name}: TypeAlias = (", *(f"    {row}" for row in rows), ")"])


def split(text, by=" | "):
    """The members of a union, not those of what stands in brackets."""
    parts, depth, start = [], 0, 0
    for at, sign in enumerate(text):
        depth += (sign == "[") - (sign == "]")
        if depth == 0 and text.startswith(by, at):
            parts.append(text[start:at])
            start = at + len(by)
    return [*parts, text[start:]]


def head(doc, imports, typing):
    lines = [
        f'"""{doc}\n\nWritten by py/stubs/write.py.\n"""',
        "",
        "from __future__ import annotations",
        "",
    ]
    lines += ["import sys"] if "sys" in typing else []
    typing = [one for one in typing if one != "sys"]
    lines += imports[:1] if imports and imports[0].startswith("from collections") else []
    lines.append(f"from typing import {', '.join(typing)}")
    rest = [one for one in imports if not one.startswith("from collections")]
    return "\n".join([*lines, "", *rest, *([""] if rest else [])])


def imports(table, texts, but=()):
    """The imports of what annotations name, but for what a file defines itself."""
    found = {}
    for text in texts:
        for one in table.mentioned(text):
            if one not in but:
                found.setdefault(table.source(one), set()).add(one)
    return [listed(f"from {source} import", found[source]) for source in sorted(found)]


def outside(table, place):
    """The imports of what a file names and does not define."""
    texts = []
    for name in table.defined_in(place):
        kind, what = table.types[name]
        texts += [what] if kind == "alias" else [text for _, _, text in what]
    return imports(table, texts, table.defined_in(place))


def literals(table):
    text = [
        head("What fields take one of, as types. Knows no field.", [], ["Literal", "TypeAlias"])
    ]
    text += [union(name, table.types[name][1]) for name in table.aliases("_literals")]
    return "\n".join(text) + "\n"


def params(table):
    """Typed dicts. Keys that may be left out stand in a class of their own: Python 3.10 has no
    `NotRequired`."""
    names = table.defined_in("_params")
    needed_from = [
        "from collections.abc import Iterable",
        "from modelwire._types import SequenceNotStr",
        *outside(table, "_params"),
    ]
    doc = (
        "The dicts that the operations take, as types; any mapping, dataclass or pydantic model does as\n"
        "well where it runs. Knows no call."
    )
    text = [head(doc, needed_from, ["sys", "TYPE_CHECKING", "Literal", "TypeAlias"]), TYPED_DICT]
    for name in names:
        kind, fields = table.types[name]
        if kind == "alias":
            continue
        bases = [table.bases[name]] if table.bases[name] else []
        odd = [one for one in fields if keyword.iskeyword(one[0])]
        if odd:
            keys = ", ".join(f'"{key}": {what}' for key, _, what in odd)
            text += [
                f'_{name}Keywords = TypedDict("_{name}Keywords", {{{keys}}}, total=False)',
                "",
                "",
            ]
            bases.append(f"_{name}Keywords")
        fields = [one for one in fields if one not in odd]
        needed = [one for one in fields if one[1]]
        optional = [one for one in fields if not one[1]]
        if needed and optional:
            text += [f"class _{name}(TypedDict):", *rows(needed), "", ""]
            bases.insert(0, f"_{name}")
            needed = []
        is_partial = optional or not needed
        bases = bases or ["TypedDict"]
        text.append(f"class {name}({', '.join(bases)}{', total=False' if is_partial else ''}):")
        text += [*rows(needed or optional), "", ""]
    text += [union(name, table.types[name][1]) for name in table.aliases("_params")]
    return "\n".join(text) + "\n"


def rows(fields):
    return [row(name, text) for name, _, text in fields]


def row(name, text):
    line = f"    {name}: {text}"
    if len(line) <= 100:
        return line
    members = split(text)
    if len(members) > 1:
        return "\n".join(
            [
                f"    {name}: (",
                f"        {members[0]}",
                *(f"        | {one}" for one in members[1:]),
                "    )",
            ]
        )
    found = re.fullmatch(r"(\w+)\[(.+)\]", text)
    if found is None:
        return line
    inner = [f"        {one}," for one in split(found[2], ", ")]
    return "\n".join([f"    {name}: {found[1]}[", *inner, "    ]"])


def parts(table):
    """The classes of parts of answers that have none in Rust."""
    events = set(table.mentioned(table.types["ResponseStreamEvent"][1]))
    items = set(table.mentioned(table.types["ResponseOutputItem"][1]))
    needed_from = [
        "from modelwire.types._kinds import Event, Item, Part",
        *outside(table, "_parts"),
    ]
    doc = (
        "The parts of answers whose class the native module does not have: names to annotate with and to\n"
        "ask `isinstance` for, which looks at `type`, or at the fields where there is none. Knows no call."
    )
    text = [head(doc, needed_from, ["TYPE_CHECKING", "Literal", "TypeAlias"]), ""]
    kinds = {"EVENTS": {}, "ITEMS": {}}
    for name in table.defined_in("_parts"):
        kind, fields = table.types[name]
        if kind == "alias":
            continue
        base = "Event" if name in events else "Item" if name in items else "Part"
        own = next((what for key, _, what in fields if key == "type"), "")
        if base != "Part":
            kinds["EVENTS" if base == "Event" else "ITEMS"][name] = own.removeprefix(
                "Literal["
            ).rstrip("]")
        text += [f"class {name}({base}):"]
        text += [*rows([one for one in fields if not keyword.iskeyword(one[0])]), "", ""]
    for name in table.aliases("_parts"):
        made = union(name, table.types[name][1])
        if name in UNIONS:
            made = textwrap.indent(made, "    ")
            made = f"if TYPE_CHECKING:\n{made}\nelse:\n    from modelwire._native import {name}"
        text.append(made)
    for name, all_, but in (
        ("OtherEvent", "ResponseStreamEvent", PARSED_EVENTS),
        ("OtherItem", "ResponseOutputItem", PARSED_ITEMS),
    ):
        rest = [one for one in table.mentioned(table.types[all_][1]) if one not in but]
        text += [
            union(name, " | ".join(rest)),
            f'"""A {all_} that is the same where it was parsed."""',
        ]
    for name, doc in (
        ("EVENTS", "Events of a response's stream, each of them a ResponseStreamEvent."),
        ("ITEMS", "Items of a response's output, each of them a ResponseOutputItem."),
    ):
        text += [
            "",
            f"{name} = {{",
            *(f'    "{one}": {what},' for one, what in kinds[name].items()),
            "}",
        ]
        text.append(f'"""{doc}"""')
    return "\n".join(text) + "\n"


def module(found, inside=()):
    """A module that only has names from elsewhere: `found` has them by the modules that they are
    from, and by the names that they have here. `inside` are the modules of a package."""
    names = sorted(name for own in found.values() for name in own)
    text = [
        '"""Names that openai-python has here. Knows nothing of its own.\n\nWritten by py/stubs/write.py.\n"""',
        "",
    ]
    for source, own in sorted(found.items()):
        shown = [local if local == name else f"{name} as {local}" for local, name in own.items()]
        text.append(listed(f"from {source} import", shown))
    for folder, _, name in (f"modelwire.{one}".rpartition(".") for one in inside):
        text.append(f"from {folder} import {name} as {name}")
    text += ["", "__all__ = [", *(f'    "{name}",' for name in names), "]"] if names else []
    return "\n".join(text).rstrip() + "\n"


def module_of_types(table, path):
    found = {}
    for local, name in table.modules[path].items():
        found.setdefault(table.source(name), {})[local] = name
    return module(found)


def paths():
    """The modules of ../paths.txt, by their paths below `modelwire`."""
    found = {}
    for line in (HERE.parent / "paths.txt").read_text().splitlines():
        if one := re.fullmatch(r"\[([\w.]+)\]", line):
            names = found[one[1]] = {}
        elif one := re.fullmatch(r"    ([\w.]+): (.+)", line):
            for word in one[2].split():
                local, _, there = word.partition("=")
                names.setdefault(one[1], {})[local] = there or local
        elif line and not line.startswith("#"):
            raise SystemExit(f"py/paths.txt: this is nothing of its grammar: {line}")
    folders = {path.rpartition(".")[0] for path in found}
    ends = {path: "/__init__.py" if path in folders else ".py" for path in found}
    made = {}
    for path, own in found.items():
        inside = sorted(one for one in found if one.rpartition(".")[0] == path)
        made[path.replace(".", "/") + ends[path]] = module(own, inside)
    return made


def package(table, path, more):
    """A package: its names are looked up when they are asked for."""
    names = {**table.modules.get(path, {}), **more}
    found = {}
    for local, name in names.items():
        found.setdefault(table.source(name), {})[local] = name
    inside = PACKAGES if not path else ()
    text = [
        '"""Names of types, which are looked up when they are asked for. Knows no type.\n\n'
        'Written by py/stubs/write.py.\n"""',
        "",
        "from modelwire.types import _lazy",
        "",
        "TYPE_CHECKING = False",
        "",
        "if TYPE_CHECKING:",
    ]
    if inside:
        text.append(
            listed("from modelwire.types import", [f"{one} as {one}" for one in inside], "    ")
        )
    for source, own in sorted(found.items()):
        shown = [f"{name} as {local}" for local, name in own.items()]
        text.append(listed(f"from {source} import", shown, "    "))
    text += ["else:", "    __getattr__, __dir__ = _lazy.names(", "        __name__,", "        {"]
    for source, own in sorted(found.items()):
        shown = [
            local if local == name else f"{local}={name}" for local, name in sorted(own.items())
        ]
        body = textwrap.wrap(" ".join(shown), 80, break_long_words=False, break_on_hyphens=False)
        body = [f"                {line}" for line in body]
        text += [f'            "{source}": """', *body, '            """,']
    text += ["        },", f"        {inside!r},", "    )", ""]
    text += ["__all__ = [", *(f'    "{name}",' for name in sorted([*names, *inside])), "]"]
    return "\n".join(text) + "\n"


def files(table, own):
    """All modules by their paths below `modelwire/types`; `own` has the names of our own that each
    package offers as well."""
    found = {
        "_literals.py": literals(table),
        "_params.py": params(table),
        "_parts.py": parts(table),
    }
    everything = {}
    for path in table.modules:
        if path not in PACKAGES and path.partition(".")[0] not in PACKAGES or path == "shared":
            everything.update(table.modules[path])
    found["__init__.py"] = package(table, "", {**everything, **own.get("", {})})
    for path in table.modules:
        if path in PACKAGES:
            found[f"{path}/__init__.py"] = package(table, path, own.get(path, {}))
        else:
            found[path.replace(".", "/") + ".py"] = module_of_types(table, path)
    return found
