#!/usr/bin/env python3
"""Writes what is said once and needed in several places: the stubs of the native module and of the
operations, the arguments of the operations, the Rust tables of the classes of answers, and the
packages of `modelwire.types`. They come from ../fields.txt, from the types in
../python/modelwire/types, and from the tables below.

    make generate                         writes them all
    python py/stubs/write.py --check   says which of them is stale, and in what
"""

import ast
import difflib
import functools
import re
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple

import types_table

HERE = Path(__file__).parent
PACKAGE = HERE.parent / "python" / "modelwire"
RUST = HERE.parent / "src" / "object"

# The options of a call: of every operation, of `create` and `parse`, and of `create` alone. Those that
# `Call` does not convert have the core's names.
EXTRA = """
extra_headers: Mapping[str, str | Omit] | None = None
extra_query: Mapping[str, object] | None = None
extra_body: Mapping[str, object] | None = None
timeout: float | Timeout | _HttpxTimeout | None | NotGiven = ...
"""
NOT_STREAMED = """
idempotency_key: _Maybe[str] = ...
stream_only: _Maybe[bool] = ...
"""
CREATED = """
gather: _Maybe[bool] = ...
"""
OF_CALL = EXTRA + NOT_STREAMED + CREATED
PARSED = """
text_format: _Maybe[_Value]
"""
PARSED_AS = """
parse_as: _Maybe[_Value]
stream: Literal[False] | None | NotGiven | Omit = ...
verbosity: _Maybe[Literal["low", "medium", "high"]]
"""


def lines(table):
    return [line for line in table.strip().splitlines() if line]


class Field(NamedTuple):
    name: str
    type: str
    """A group of classes, or "plain"; empty where the type says it all."""
    group: str
    is_extra: bool
    """The function of computed.rs that reads it; empty where nothing is to be computed."""
    function: str


class Class(NamedTuple):
    module: str
    name: str
    """"streamed", "no class" or empty."""
    form: str
    doc: str
    fields: list

    @property
    def shape(self):
        """What its table is called in Rust."""
        return constant(self.name)


def constant(name):
    return re.sub("(?<=[a-z])(?=[A-Z])", "_", name).upper()


FIELD = re.compile(r"    (\w+): (.+?)(?: @ (\w+))?( \?)?(?: = (\w+))?")
CLASS = re.compile(r"(\w+)(?: \((streamed|no class)\))?: (.+)")
GROUP = re.compile(r"group (\w+): (.+, )?else (\w+)")


def fields():
    """The classes and the groups of fields.txt, by their names."""
    classes, groups, module = {}, {}, ""
    for number, line in enumerate((HERE.parent / "fields.txt").read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            module = line.strip("[]")
        elif found := GROUP.fullmatch(line):
            groups[found[1]] = ((found[2] or "").split(", ")[:-1], found[3])
        elif found := FIELD.fullmatch(line):
            name, kind, group, extra, function = found.groups()
            field = Field(name, kind, group or "", bool(extra), function or "")
            list(classes.values())[-1].fields.append(field)
        elif found := CLASS.fullmatch(line):
            classes[found[1]] = Class(module, found[1], found[2] or "", found[3], [])
        else:
            sys.exit(f"py/fields.txt:{number}: this is no class, field or group: {line}")
    return classes, groups


PARAMETERS = """
def {name}(
    self,
    *,
{written}
):
    \"\"\"The parameters of {of}\"\"\"
    return {made}(locals())

"""
CONVERTED = ("extra_headers", "extra_query", "extra_body", "timeout")


def table_of_types():
    classes = fields()[0].values()
    return types_table.Table(
        {one.name for one in classes if one.form != "no class"} - types_table.UNIONS
    )


# The parameters of the operations; _Maybe is what may be left out or None.
CHAT = table_of_types().parameters("CompletionCreateParamsBase", ("messages", "model"))
RESPONSE = table_of_types().parameters("ResponseCreateParamsBase", ("input", "model"))
RESPONSE_PARSE = RESPONSE.replace("stream: STREAM\n", "") + PARSED + PARSED_AS


def parameter_functions():
    """_parameters.py with the functions whose arguments are the tables'."""
    path = PACKAGE / "_parameters.py"
    begin = "# What follows is written by `make generate` from the tables of py/stubs/write.py.\n"
    before, _, rest = path.read_text().partition(begin)
    _, _, after = rest.partition("# Here ends what is written.\n")
    parsed = EXTRA + NOT_STREAMED
    names = [line.partition(": ")[0] for line in lines(OF_CALL)]
    names = [f'    "{name}",' for name in names if name not in CONVERTED]
    text = "\n".join(["OPTIONS = (", *names, ")", "", ""])
    for name, table, of, made in (
        ("chat", CHAT + OF_CALL, "chat.completions.create.", "_taken_apart"),
        ("response", RESPONSE + OF_CALL, "responses.create.", "_taken_apart"),
        ("chat_parse", CHAT + parsed, "chat.completions.parse.", "_taken_apart"),
        ("response_parse", RESPONSE_PARSE + parsed, "responses.parse.", "_taken_apart"),
        ("chat_stream", CHAT + EXTRA, "chat.completions.stream: those of create.", "_helper"),
        (
            "response_stream",
            RESPONSE + PARSED + EXTRA,
            "responses.stream: those of create.",
            "_helper",
        ),
        ("models", EXTRA, "models.list.", "_listed"),
    ):
        written = []
        for line in lines(table):
            parameter, kind = line.split(": ", 1)
            _, _, default = kind.partition(" = ")
            if parameter == "stream" and name not in ("chat", "response", "response_parse"):
                continue
            if default == "None":
                written.append(f"    {parameter}=None,")
            elif default or parameter == "stream" or kind.startswith("_Maybe"):
                written.append(f"    {parameter}=NOT_GIVEN,")
            else:
                written.append(f"    {parameter},")
        text += PARAMETERS.format(name=name, written="\n".join(written), of=of, made=made)
    text += shown_types()
    return f"{before}{begin}\n{text.rstrip()}\n\n\n# Here ends what is written.\n{after}"


def shown_types():
    """The types of the parameters as `inspect.signature` and help() show them: texts that nobody
    evaluates."""
    said = []
    for name, table in (("chat", CHAT), ("response", RESPONSE + PARSED + PARSED_AS)):
        written = {}
        for parameter, kind in (line.split(": ", 1) for line in lines(table + OF_CALL)):
            kind = re.sub(r"^_Maybe\[(.*)\]$", r"\1 | None", kind.partition(" = ")[0])
            for ours, shown in SHOWN.items():
                kind = kind.replace(ours, shown)
            written.setdefault(parameter, kind)
        entries = (f'    "{parameter}": {quoted(kind)},' for parameter, kind in written.items())
        said += [f"{name}.__annotations__ = {{", *entries, "}"]
    return "\n".join(["", *said, PARSED_TYPES, ""])


SHOWN = {
    "STREAM": "bool | None",
    "_Value": "type | TypeAdapter",
    "_HttpxTimeout": "httpx.Timeout",
    "SequenceNotStr": "Sequence",
    " | NotGiven": "",
}
PARSED_TYPES = """\
chat_parse.__annotations__ = chat_stream.__annotations__ = {
    **chat.__annotations__,
    "response_format": "type | TypeAdapter | ResponseFormat | None",
}
response_parse.__annotations__ = response_stream.__annotations__ = response.__annotations__"""


def stub_classes():
    text = []
    for one in fields()[0].values():
        if one.form == "no class":
            continue
        base = "_View" if one.form == "streamed" else "_Answer"
        head = "@final\n" if one.form == "streamed" else ""
        if one.name == "ResponseStreamEvent":
            head = "@disjoint_base\n"  # the classes of single types of events are below it
        text.append(f'\n{head}class {one.name}({base}):\n    """{one.doc}"""\n')
        for field in one.fields:
            if field.name.startswith("_"):
                text.append(f"    @property\n    def {field.name}(self) -> {field.type}: ...")
        text.append("    def __new__(cls, **fields: Any) -> Self: ...")
        for field in one.fields:
            kind = field.type
            if kind.startswith(("list[", "dict[")):
                kind = f"builtins.{kind}"
            if not field.name.startswith("_"):
                text.append(f"    {field.name}: {kind}")
    return "\n".join(text) + "\n"


class Shapes:
    """The Rust tables of fields: of the classes, and of the parts that have none and are in one of
    their fields."""

    def __init__(self):
        self.classes, self.groups = fields()
        self.table = table_of_types()
        """Names of types, and their fields as (name, child)."""
        self.parts = {}
        """Names of groups, and the shapes that they choose among."""
        self.choices = {
            name: [shape for one in members for shape in self.with_type(one)]
            for name, (members, _) in self.groups.items()
        }
        # Items have no class of their own, and fields as the others.
        items = [one for one in self.table.items() if one not in self.classes]
        self.choices["OutputItem"] += [shape for one in items for shape in self.with_type(one)]
        self.items = [constant(one) for one in items]
        self.of_classes = {
            one.name: [
                (field.name, self.child(field)) for field in one.fields if not field.is_extra
            ]
            for one in self.classes.values()
        }

    def types(self, name):
        """The literals of its `type`."""
        if name in self.classes:
            own = next((one.type for one in self.classes[name].fields if one.name == "type"), "")
        else:
            own = next((what for key, _, what in self.table.types[name][1] if key == "type"), "")
        return re.findall('"([^"]+)"', own) if own.startswith("Literal[") else []

    def with_type(self, name):
        """Its shape, if its `type` tells it from others."""
        self.add(name)
        return [constant(name)] if self.types(name) else []

    def add(self, name):
        """Has a table made of the fields of a part."""
        if name not in self.parts and name not in self.classes:
            self.parts[name] = ()  # it may be a part of itself
            self.parts[name] = [
                (key, self.of_text(text)) for key, _, text in self.table.types[name][1]
            ]

    def child(self, field):
        """What the objects in a field are, as the macro `shapes` has it."""
        if field.group == "plain":
            return "{}"
        if field.group:
            last = self.classes[self.groups[field.group][1]].shape
            return f"({constant(field.group)}, {last})" if self.choices[field.group] else last
        return self.of_text(field.type)

    def of_text(self, text):
        """The same, of an annotation of the table of types."""
        if re.match(r"dict\[|FunctionParameters\b|Metadata\b", text):
            return "{}"
        found = self.members(text)
        if len(found) == 1:
            self.add(found[0])
            return constant(found[0])
        shapes = [shape for one in found for shape in self.with_type(one)]
        return f"[{', '.join(shapes)}]" if shapes else ""

    def members(self, text):
        """The parts and classes of a union."""
        found = []
        for name in self.table.mentioned(text.replace("_OutputItem", "")):
            if name in self.classes:
                found.append(name)
            elif name in self.table.types:
                kind, what = self.table.types[name]
                found += self.members(what) if kind == "alias" else [name]
        return list(dict.fromkeys(found))


def wrapped(entries, indent):
    """Entries of a Rust list in lines of a hundred characters."""
    return textwrap.fill(
        " ".join(f"{entry}," for entry in entries),
        100,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


WRITTEN = "Written from\n//! py/fields.txt and the types in `modelwire.types` by `make generate`"


def rust_fields():
    shapes = Shapes()
    text = [
        f"//! The fields of every class, and what the objects in them are: a table. {WRITTEN}.",
        "",
        "use crate::object::shape::{Shape, shapes};",
        "",
        "shapes! {",
    ]
    for name, entries in [*shapes.of_classes.items(), *shapes.parts.items()]:
        types = " | ".join(f'"{one}"' for one in shapes.types(name))
        entries = ", ".join(f"{key}: {child}" if child else key for key, child in entries)
        row = f'{constant(name)} "{name}"{types and f" as {types}"} {{ {entries} }}'
        text += textwrap.wrap(
            row,
            100,
            initial_indent="    ",
            subsequent_indent="        ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    text += ["}", ""]
    lists = {constant(name): members for name, members in shapes.choices.items() if members}
    docs = {"ITEMS": "/// Items of a response that have no class of their own."}
    for name, members in {**lists, "ITEMS": shapes.items}.items():
        text += [docs[name]] if name in docs else []
        visible = "pub(crate) " if name in docs else ""
        text += [
            "#[rustfmt::skip]",
            f"{visible}static {name}: &[&Shape] = &[",
            wrapped([f"&{one}" for one in members], "    "),
            "];",
            "",
        ]
    return "\n".join(text)


def computed_docs():
    """The functions of computed.rs, and what they say of themselves."""
    text = (RUST / "computed.rs").read_text()
    found = re.findall(r"((?:/// .*\n)+)pub\(crate\) fn (\w+)\(", text)
    return {name: doc.splitlines() for doc, name in found}


def rust_classes():
    docs = computed_docs()
    classes = [one for one in fields()[0].values() if one.form != "no class"]
    text = [
        "//! The Python classes of answers, chunks and events. Written from py/fields.txt by `make generate`.",
        "",
        "use pyo3::prelude::*;",
        "",
        "use crate::object::class::{object_class, streamed_class};",
        "use crate::object::document::{ChatCompletionChunk, ResponseStreamEvent};",
        "use crate::object::fields::ITEMS;",
        "use crate::object::node::{ChoiceDelta, ChunkChoice};",
        "use crate::object::shape::Object;",
        "",
    ]
    for one in classes:
        macro = "streamed_class" if one.form else "object_class"
        text += [
            f"{macro}! {{",
            f"    /// {one.doc}",
            f'    {one.name} = {one.shape} in "{one.module}" {{',
        ]
        others = [field for field in one.fields if not field.function]
        plain = [rust_name(field) for field in others if not field.is_extra]
        extra = [rust_name(field) for field in others if field.is_extra]
        text += ["        {", wrapped(plain, " " * 12), "        }"] if plain else ["        {}"]
        if extra:
            text += ["        extra {", wrapped(extra, " " * 12), "        }"]
        computed = [field for field in one.fields if field.function]
        if computed:
            text.append("        computed {")
            for field in computed:
                if field.function not in docs:
                    sys.exit(f"{field.name}: py/src/object/computed.rs has no fn {field.function}")
                text += [f"            {line}" for line in docs[field.function]]
                text.append(f"            {rust_name(field)} = {field.function},")
            text.append("        }")
        text += ["    }", "}", ""]
    text += [
        "/// Adds the classes to the module, and tells the tables of fields which class is theirs.",
        "pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {",
        *(f"    {one.name}::register(module)?;" for one in classes),
        "    for shape in ITEMS {",
        "        shape.has_class(item, item);",
        "    }",
        "    Ok(())",
        "}",
        "",
        "/// An item that has no class of its own.",
        "fn item(py: Python<'_>, object: Object) -> PyResult<Py<PyAny>> {",
        "    let made = object.initializer().add_subclass(ResponseOutputItem);",
        "    Py::new(py, made).map(Py::into_any)",
        "}",
        "",
    ]
    return "\n".join(text)


def rust_name(field):
    return "r#type" if field.name == "type" else field.name


def method(head, arguments, result, doc=""):
    """A method whose other arguments are those of a TypedDict."""
    end = f':\n    """{doc}"""' if doc else ": ..."
    line = f"@overload\n{head}(self, *, {arguments}) -> {result}{end}"
    if max(map(len, line.splitlines()[:2])) > 96:
        written = textwrap.fill(
            f"self, *, {arguments}", 92, initial_indent="    ", subsequent_indent="    "
        )
        line = f"@overload\n{head}(\n{written}\n) -> {result}{end}"
    return textwrap.indent(line, "    ") + "\n"


def operation(given, plain, streamed, is_async, doc):
    """The three forms of an operation: whole, streamed, and whichever `stream` says."""
    head = "async def create" if is_async else "def create"
    forms = (
        ("Literal[False] | None | NotGiven | Omit = ...", plain, ""),
        ("Literal[True]", streamed, ""),
        ("bool", f"{plain} | {streamed}", doc),
    )
    return "".join(
        method(head, f"stream: {stream}, **params: Unpack[_{given}Params]", result, said)
        for stream, result, said in forms
    )


def typed_dicts():
    """The arguments of each operation, and of what is made of it."""
    not_streamed = lines(NOT_STREAMED)
    text = []
    for name, table, of_create, of_parse in (
        ("Chat", CHAT, [line for line in lines(CHAT) if line.startswith("response_format")], []),
        ("Response", RESPONSE, [], lines(PARSED_AS)),
    ):
        [tools] = [line for line in lines(table) if line.startswith("tools:")]
        others = [line for line in lines(table) if not line.startswith("stream:")]
        others = [line for line in others if line != tools and line not in of_create]
        for kind, base, own in (
            ("", "_CallParams", others),
            ("Stream", f"_{name}BaseParams", [tools]),
            ("Parse", f"_{name}StreamParams", [*not_streamed, *of_parse]),
            (
                "Create",
                f"_{name}StreamParams",
                [*not_streamed, *of_create, *lines(CREATED)],
            ),
            ("Run", f"_{name}BaseParams", not_streamed),
        ):
            text += ["", f"class _{name}{kind or 'Base'}Params({base}, total=False):"]
            text += map(key_of_dict, own)
    return [
        "",
        "class _CallParams(TypedDict, total=False):",
        *map(key_of_dict, lines(EXTRA)),
        *text,
    ]


def key_of_dict(line):
    key, kind = line.split(": ", 1)
    kind, has_default, _ = kind.partition(" = ")
    is_needed = not has_default and not kind.startswith("_Maybe")
    return f"    {key}: {f'Required[{kind}]' if is_needed else kind}"


RAW = """
class _{name}:
    @overload
    def create(
        self, *, stream: Literal[False] | None | NotGiven | Omit = ..., **params: Unpack[_{given}CreateParams]
    ) -> {plain}: ...
    @overload
    def create(self, *, stream: Literal[True], **params: Unpack[_{given}CreateParams]) -> {streamed}: ...
    @overload
    def create(self, *, stream: bool, **params: Unpack[_{given}CreateParams]) -> {either}: ...
    @overload
    def parse(self, *, {asked}: type[_P], **params: Unpack[_{given}ParseParams]) -> {parsed_as}: ...
    @overload
    def parse(self, *, {asked}: _Adapter[_P], **params: Unpack[_{given}ParseParams]) -> {parsed_as}: ...
    @overload
    def parse(self, *, {asked}: _Maybe[_Value] = ..., **params: Unpack[_{given}ParseParams]) -> {parsed_any}: ...
"""
RAW_MODELS = """
class _{name}:
    def list(self, **params: Unpack[_CallParams]) -> {plain}: ...
"""
RAW_CLIENT = """
class _{chat}:
    completions: _{completions}

class _{client}:
    models: _{models}
    chat: _{chat}
    responses: _{responses}
"""


def wrapped_raw(form, is_async, kind):
    """What a raw method returns, by what the plain one does."""
    if form == "WithStreamingResponse":
        return f"_{is_async}Opening[{kind}]"
    whole = f"LegacyAPIResponse[{kind}]"
    return f"Coroutine[Any, Any, {whole}]" if is_async else whole


def raw():
    """The resources whose methods return answers with their status and headers."""
    text = typed_dicts()
    for form in ("WithRawResponse", "WithStreamingResponse"):
        for is_async in ("", "Async"):
            names = {
                one.lower(): f"{is_async}{one}{form}"
                for one in ("Chat", "Completions", "Responses", "Models", "Client")
            }
            stream = f"{is_async}Stream"
            wrapped = functools.partial(wrapped_raw, form, is_async)
            for resource, given, plain, event, asked in (
                (
                    "completions",
                    "Chat",
                    "ChatCompletion",
                    "ChatCompletionChunk",
                    "response_format",
                ),
                ("responses", "Response", "Response", "ResponseStreamEvent", "text_format"),
            ):
                text.append(
                    RAW.format(
                        name=names[resource],
                        given=given,
                        plain=wrapped(plain),
                        streamed=wrapped(f"{stream}[{event}]"),
                        either=wrapped(f"{plain} | {stream}[{event}]"),
                        asked=asked,
                        parsed_as=wrapped(f"Parsed{plain}[_P]"),
                        parsed_any=wrapped(f"Parsed{plain}[Any]"),
                    ).rstrip()
                )
            plain = wrapped(f"{is_async}ModelList[Model]")
            text.append(RAW_MODELS.format(name=names["models"], plain=plain).rstrip())
            text.append(RAW_CLIENT.format(**names).rstrip())
    return "\n".join(text) + "\n"


def with_imports(text, named, but=()):
    """A stub with what it names of the types, where it says `# TYPES`."""
    found = types_table.imports(table_of_types(), [named], but)
    return text.replace("# TYPES\n", "\n".join(found) + "\n")


def parsed_forms(given, asked, head, result, doc, more=""):
    """The forms of an operation whose answer is parsed: by the type that `asked` is given."""
    kinds = ("type[_P]", "_Adapter[_P]", "_Maybe[_Value] = ...")
    return "".join(
        method(
            head,
            f"{asked}: {kind}, {more}**params: Unpack[_{given}Params]",
            result.replace("_P", "Any") if kind == kinds[-1] else result,
            doc if kind == kinds[-1] else "",
        )
        for kind in kinds
    )


RUN = "tools: Iterable[Any], max_turns: int | None = None, raise_errors: bool = False, "


def parsing(text):
    """The methods that parse, and the loops over tools."""
    parse = "Creates it and parses it: the answer, with values of the type that was asked for."
    stream = "Streams it as events, with snapshots and the whole answer, parsed, at the end."
    run = "Runs tools until the model answers; iterate its turns, or ask for the final answer."
    forms = {
        "CHAT": ("Chat", "response_format", "ParsedChatCompletion", "ChatCompletionStream"),
        "RESPONSE": ("Response", "text_format", "ParsedResponse", "ResponseStream"),
    }
    for name, (given, asked, parsed, streamed) in forms.items():
        for prefix, keyword, kind in (("", "def", ""), ("ASYNC_", "async def", "Async")):
            manager = f"{kind}StreamManager[{kind}{streamed}[_P]]"
            turns = f"{kind}Run[{parsed}[_P]]"
            written = (
                parsed_forms(f"{given}Parse", asked, f"{keyword} parse", f"{parsed}[_P]", parse)
                + parsed_forms(f"{given}Stream", asked, "def stream", manager, stream)
                + parsed_forms(f"{given}Run", asked, "def run_tools", turns, run, RUN)
            )
            text = text.replace(f"    # {prefix}{name}_PARSED\n", written)
    return text


def native():
    classes = stub_classes()
    text = (HERE / "_native.pyi.in").read_text().replace("# CLASSES\n", classes)
    own = {*fields()[0], "Object"}
    return with_imports(text, classes, own)


def resources():
    text = (HERE / "_resources.pyi.in").read_text()
    whole = (
        "Creates a chat completion: the answer, or with stream=True its chunks.\n\n"
        "    A higher max_tokens may consume more; longer messages generally cost more and take\n"
        "    longer. stream changes only how the answer comes: it is not free.\n    "
    )
    response = (
        "Creates a response: the answer, or with stream=True its events.\n\n"
        "    A higher max_output_tokens may consume more; a longer input generally costs more and\n"
        "    takes longer. stream changes only how the answer comes: it is not free.\n    "
    )
    forms = {
        "CHAT": ("ChatCreate", "ChatCompletion", "Stream[ChatCompletionChunk]", False, whole),
        "ASYNC_CHAT": (
            "ChatCreate",
            "ChatCompletion",
            "AsyncStream[ChatCompletionChunk]",
            True,
            whole,
        ),
        "RESPONSE": ("ResponseCreate", "Response", "Stream[ResponseStreamEvent]", False, response),
        "ASYNC_RESPONSE": (
            "ResponseCreate",
            "Response",
            "AsyncStream[ResponseStreamEvent]",
            True,
            response,
        ),
    }
    for name, form in forms.items():
        text = text.replace(f"    # {name}\n", operation(*form))
    extra = textwrap.indent("\n".join(f"{line}," for line in lines(EXTRA)), " " * 8)
    text = text.replace("        # EXTRA\n", extra + "\n")
    text = parsing(text.replace("# RAW\n", raw()))
    return with_imports(text, text)


def types():
    """The modules of `modelwire.types`, by their paths."""
    classes, _ = fields()
    seen = [one for one in classes.values() if one.form != "no class"]
    table = table_of_types()
    own = {"": {"Object": "Object"}, "responses": {name: name for name in table.kinds()}}
    for one in seen:
        path = one.module.removeprefix("modelwire.types").strip(".")
        own.setdefault(path, {})[one.name] = one.name
    own["chat"]["ChatCompletionMessageFunctionToolCall"] = "ChatCompletionMessageToolCall"
    texts = types_table.files(table, own)
    return {PACKAGE / "types" / path: text for path, text in texts.items()}


def quoted(text):
    """As Python code has it, formatted."""
    return f"'{text}'" if '"' in text else f'"{text}"'


def python_fields():
    """The types of the fields, for JSON schemas."""
    lines = [
        '"""The types of the fields of every class, as JSON schemas are made of them: a table. Written',
        'from py/fields.txt by `make generate`."""',
        "",
        "# ruff: noqa",
        "",
        "ALIASES = {",
    ]
    form = ast.parse((HERE / "_native.pyi.in").read_text())
    for one in form.body:
        if isinstance(one, ast.AnnAssign) and ast.unparse(one.annotation) == "TypeAlias":
            lines.append(f'    "{one.target.id}": {quoted(ast.unparse(one.value))},')
    # Unions of many parts are anything here; a schema of each would be longer than anybody reads.
    items = " | ".join([*fields()[1]["OutputItem"][0], "ResponseOutputItem"])
    lines.append(f'    "_OutputItem": "{items}",')
    table = table_of_types()
    texts = [field.type for one in fields()[0].values() for field in one.fields]
    for name in sorted({name for text in texts for name in table.mentioned(text)}):
        if name not in table.native and table.types[name][0] == "alias":
            lines.append(f'    "{name}": "Any",')
    lines += ["}", "", "FIELDS = {"]
    for one in fields()[0].values():
        known = {field.name: field.type for field in one.fields if not field.is_extra}
        entries = [f'"{name}": {quoted(kind)}' for name, kind in known.items()]
        lines += types_table.fill([f'"{one.name}": {{{entries[0]}', *entries[1:]], "    ")
        lines[-1] += "},"
    return "\n".join([*lines, "}", ""])


FILES = {
    PACKAGE / "_native.pyi": native,
    PACKAGE / "_answers" / "fields.py": python_fields,
    PACKAGE / "_resources.pyi": resources,
    PACKAGE / "_parameters.py": parameter_functions,
    RUST / "fields.rs": rust_fields,
    RUST / "classes.rs": rust_classes,
}


def texts():
    """What each file is to be."""
    made = {path: make() for path, make in FILES.items()}
    made |= {PACKAGE / path: text for path, text in types_table.named_modules().items()}
    return {**made, **types()}


def superfluous(paths):
    """Modules that no table has."""
    folders = {
        path.parent for path in paths if path.parent not in (PACKAGE, PACKAGE / "_answers", RUST)
    }
    return sorted({path for folder in folders for path in folder.glob("[a-z]*.py")} - set(paths))


def differences():
    """How the files differ from what the tables say."""
    wanted = texts()
    found = [f"{path} is in no table" for path in superfluous(wanted)]
    for path, text in wanted.items():
        is_there = path.read_text().splitlines() if path.exists() else []
        found += difflib.unified_diff(
            is_there,
            text.splitlines(),
            f"{path.name} as it is",
            "as its tables say",
            "",
            "",
            1,
            "",
        )
    return found


def main():
    if "--check" in sys.argv:
        found = differences()
        sys.exit("\n".join([*found, "stale: run `make generate`"]) if found else 0)
    wanted = texts()
    for path in superfluous(wanted):
        path.unlink()
    for path, text in wanted.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    main()
