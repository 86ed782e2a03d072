#!/usr/bin/env python3
"""Writes what is said once and needed in several places: the stubs of the native module, of the
operations and of the types of responses, the arguments of the operations, and the Rust tables of
the classes of answers. They come from ../fields.txt, from the tables below, and from those of the
package. Knows no behaviour.

    make stubs                         writes them all
    python py/stubs/write.py --check   says which of them is stale, and in what
"""

import ast
import difflib
import re
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
PACKAGE = HERE.parent / "python" / "modelwire"
RUST = HERE.parent / "src" / "object"

# The parameters of the operations; _Maybe is what may be left out or None.
CHAT = """
messages: Iterable[Any]
model: str
audio: _Maybe[_Value]
frequency_penalty: _Maybe[float]
function_call: _Maybe[_Value]
functions: _Maybe[Iterable[_Value]]
logit_bias: _Maybe[Mapping[str, int]]
logprobs: _Maybe[bool]
max_completion_tokens: _Maybe[int]
max_tokens: _Maybe[int]
metadata: _Maybe[_Value]
modalities: _Maybe[Sequence[str]]
moderation: _Maybe[_Value]
n: _Maybe[int]
parallel_tool_calls: _Maybe[bool]
prediction: _Maybe[_Value]
presence_penalty: _Maybe[float]
prompt_cache_key: _Maybe[str]
prompt_cache_options: _Maybe[_Value]
prompt_cache_retention: _Maybe[str]
reasoning_effort: _Maybe[str]
response_format: _Maybe[_Value]
safety_identifier: _Maybe[str]
seed: _Maybe[int]
service_tier: _Maybe[str]
stop: _Maybe[str | Sequence[str]]
store: _Maybe[bool]
stream: STREAM
stream_options: _Maybe[_Value]
temperature: _Maybe[float]
tool_choice: _Maybe[str | _Value]
tools: _Maybe[Iterable[_Value]]
top_logprobs: _Maybe[int]
top_p: _Maybe[float]
user: _Maybe[str]
verbosity: _Maybe[str]
web_search_options: _Maybe[_Value]
"""
RESPONSE = """
input: _Maybe[str | Iterable[Any]]
model: _Maybe[str]
access_programs: _Maybe[_Value]
background: _Maybe[bool]
context_management: _Maybe[_Value]
conversation: _Maybe[str | _Value]
image: _Maybe[_Value]
include: _Maybe[Sequence[str]]
instructions: _Maybe[str]
max_output_tokens: _Maybe[int]
max_tool_calls: _Maybe[int]
metadata: _Maybe[_Value]
moderation: _Maybe[_Value]
parallel_tool_calls: _Maybe[bool]
previous_response_id: _Maybe[str]
prompt: _Maybe[_Value]
prompt_cache_key: _Maybe[str]
prompt_cache_options: _Maybe[_Value]
prompt_cache_retention: _Maybe[str]
reasoning: _Maybe[_Value]
safety_identifier: _Maybe[str]
service_tier: _Maybe[str]
store: _Maybe[bool]
stream: STREAM
stream_options: _Maybe[_Value]
temperature: _Maybe[float]
text: _Maybe[_Value]
tool_choice: _Maybe[str | _Value]
tools: _Maybe[Iterable[_Value]]
top_logprobs: _Maybe[int]
top_p: _Maybe[float]
truncation: _Maybe[str]
user: _Maybe[str]
"""
EXTRA = """
extra_headers: Mapping[str, str | Omit] | None = None
extra_query: Mapping[str, object] | None = None
extra_body: Mapping[str, object] | None = None
timeout: float | Timeout | _HttpxTimeout | None | NotGiven = ...
"""
PARSED = """
text_format: _Maybe[_Value]
"""
PARSED_AS = """
parse_as: _Maybe[_Value]
stream: Literal[False] | None | NotGiven | Omit = ...
"""
RESPONSE_PARSE = RESPONSE.replace("stream: STREAM\n", "") + PARSED + PARSED_AS
OWN = """
stream_only: bool | NotGiven = ...
gather: bool = False
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


def parameter_functions():
    """_parameters.py with the functions whose arguments are the tables'."""
    path = PACKAGE / "_parameters.py"
    begin = "# What follows is written by `make stubs` from the tables of py/stubs/write.py.\n"
    before, _, rest = path.read_text().partition(begin)
    _, _, after = rest.partition("# Here ends what is written.\n")
    whole = EXTRA + OWN
    # How OWN's stream_only goes with parse; gather is of streams.
    parsed = EXTRA + OWN.strip().splitlines()[0]
    text = ""
    for name, table, of, made in (
        ("chat", CHAT + whole, "chat.completions.create.", "_taken_apart"),
        ("response", RESPONSE + whole, "responses.create.", "_taken_apart"),
        ("chat_parse", CHAT + parsed, "chat.completions.parse.", "_taken_apart"),
        ("response_parse", RESPONSE_PARSE + parsed, "responses.parse.", "_taken_apart"),
        ("chat_stream", CHAT + EXTRA, "chat.completions.stream: those of create.", "_helper"),
        (
            "response_stream",
            RESPONSE + PARSED + EXTRA,
            "responses.stream: those of create.",
            "_helper",
        ),
    ):
        written = []
        for line in lines(table):
            parameter, kind = line.split(": ", 1)
            _, _, default = kind.partition(" = ")
            if parameter == "stream" and name not in ("chat", "response", "response_parse"):
                continue
            if default in ("None", "False"):
                written.append(f"    {parameter}={default},")
            elif default or parameter == "stream" or kind.startswith("_Maybe"):
                written.append(f"    {parameter}=NOT_GIVEN,")
            else:
                written.append(f"    {parameter},")
        text += PARAMETERS.format(name=name, written="\n".join(written), of=of, made=made)
    return f"{before}{begin}\n{text.rstrip()}\n\n\n# Here ends what is written.\n{after}"


def stub_classes():
    text = []
    for one in fields()[0].values():
        if one.form == "no class":
            continue
        base = "_View" if one.form == "streamed" else "Object"
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


def child(field, classes):
    """What the objects in a field are, as Rust says it."""
    if field.group == "plain":
        return "Plain"
    if field.group:
        last = fields()[1][field.group][1]
        return f"ByType(&{constant(field.group)}, &{classes[last].shape})"
    found = [
        name for name in re.findall(r"\w+", re.sub('"[^"]*"', "", field.type)) if name in classes
    ]
    if len(found) > 1:
        sys.exit(f"py/fields.txt: {field.name} is of {found}: name a group of them, @ Group")
    return f"Of(&{classes[found[0]].shape})" if found else "Any"


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


WRITTEN = "Written from py/fields.txt\n//! by `make stubs`"


def rust_fields():
    classes, groups = fields()
    text = [
        f"//! The fields of every class, and what stands in them: a table. {WRITTEN}. Knows no class.",
        "",
        "use crate::object::shape::Child::{Any, ByType, Of, Plain};",
        "use crate::object::shape::Shape;",
        "",
    ]
    for name, (members, _) in groups.items():
        kinds = []
        for member in members:
            own = next(field.type for field in classes[member].fields if field.name == "type")
            kinds.append(
                f"({own.removeprefix('Literal[').removesuffix(']')}, &{classes[member].shape})"
            )
        text.append(f"static {constant(name)}: [(&str, &Shape); {len(kinds)}] = [")
        text += [wrapped(kinds, "    "), "];", ""]
    for one in classes.values():
        entries = [
            f'("{field.name}", {child(field, classes)})'
            for field in one.fields
            if not field.is_extra
        ]
        text.append(f'pub(crate) static {one.shape}: Shape = Shape::new("{one.name}", &[')
        text += [*(f"    {entry}," for entry in entries), "]);", ""]
    text.append(f"static ALL: [&Shape; {len(classes)}] = [")
    text += [wrapped([f"&{one.shape}" for one in classes.values()], "    "), "];", ""]
    text += [
        "/// The shape of the class of this name.",
        "pub(crate) fn by_name(name: &str) -> Option<&'static Shape> {",
        "    ALL.iter().find(|shape| shape.name == name).copied()",
        "}",
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
        f"//! The Python classes of answers, chunks and events. {WRITTEN}. Knows no JSON.",
        "",
        "use pyo3::prelude::*;",
        "",
        "use crate::object::class::{object_class, streamed_class};",
        "use crate::object::document::{ChatCompletionChunk, ResponseStreamEvent};",
        "use crate::object::node::{ChoiceDelta, ChunkChoice};",
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
        "    Ok(())",
        "}",
        "",
    ]
    return "\n".join(text)


def rust_name(field):
    return "r#type" if field.name == "type" else field.name


def parameters(table, stream):
    written = []
    for line in lines(table):
        name, kind = line.split(": ", 1)
        if name == "stream":
            written.append(f"stream: {stream},")
        elif kind.startswith("_Maybe"):
            written.append(f"{name}: {kind} = ...,")
        else:
            written.append(f"{name}: {kind},")
    return written


def operation(table, plain, streamed, is_async, doc):
    """The three forms of an operation: whole, streamed, and whichever `stream` says."""
    forms = [
        ("Literal[False] | None | NotGiven | Omit = ...", plain),
        ("Literal[True]", streamed),
        ("bool", f"{plain} | {streamed}"),
    ]
    text = []
    for stream, result in forms:
        written = parameters(table, stream) + [f"{line}," for line in lines(EXTRA) + lines(OWN)]
        body = textwrap.indent("\n".join(["self,", "*,", *written]), "    ")
        keyword = "async def" if is_async else "def"
        told = f'\n    """{doc}"""' if stream == "bool" else " ..."
        text.append(f"@overload\n{keyword} create(\n{body}\n) -> {result}:{told}")
    return textwrap.indent("\n".join(text), "    ") + "\n"


def parsed_forms(table, asked, head, result, doc, more=""):
    """The forms of an operation whose answer is parsed: by the type that `asked` is given."""
    kinds = ("type[_P]", "_Adapter[_P]", "_Maybe[_Value]")
    text = []
    for kind in kinds:
        written = [one for one in parameters(table, "") if not one.startswith("stream:")]
        default = " = ..." if kind == kinds[-1] else ""
        written = [one for one in written if not one.startswith(f"{asked}:")]
        written.append(f"{asked}: {kind}{default},")
        written += [f"{line} = ...," if ": _Maybe" in line else f"{line}," for line in lines(more)]
        written += [f"{line}," for line in lines(EXTRA)]
        body = textwrap.indent("\n".join(["self,", "*,", *written]), "    ")
        returned = result.replace("_P", "_P" if kind != kinds[-1] else "Any")
        told = f'\n    """{doc}"""' if kind == kinds[-1] else " ..."
        text.append(f"@overload\n{head}(\n{body}\n) -> {returned}:{told}")
    return textwrap.indent("\n".join(text), "    ") + "\n"


STREAM_ONLY = OWN.strip().splitlines()[0]
RUN = """
tools: Iterable[Any]
max_turns: int | None = None
raise_errors: bool = False
"""


def parsing(text):
    """The methods that parse, and the loops over tools."""
    parse = "Creates it and parses it: the answer, with values of the type that was asked for."
    stream = "Streams it as events, with snapshots and the whole answer, parsed, at the end."
    run = "Runs tools until the model answers; iterate its turns, or ask for the final answer."
    forms = {
        "CHAT": (CHAT, "response_format", "ParsedChatCompletion", "ChatCompletionStream", ""),
        "RESPONSE": (RESPONSE, "text_format", "ParsedResponse", "ResponseStream", PARSED_AS),
    }
    for name, (table, asked, parsed, streamed, more) in forms.items():
        without_tools = "\n".join(line for line in lines(table) if not line.startswith("tools:"))
        for prefix, keyword, kind in (("", "def", ""), ("ASYNC_", "async def", "Async")):
            manager = f"{kind}StreamManager[{kind}{streamed}[_P]]"
            written = (
                parsed_forms(
                    table, asked, f"{keyword} parse", f"{parsed}[_P]", parse, more + STREAM_ONLY
                )
                + parsed_forms(table, asked, "def stream", manager, stream)
                + parsed_forms(
                    without_tools,
                    asked,
                    "def run_tools",
                    f"{kind}Run[{parsed}[_P]]",
                    run,
                    RUN + STREAM_ONLY,
                )
            )
            text = text.replace(f"    # {prefix}{name}_PARSED\n", written)
    return text


def native():
    return (HERE / "_native.pyi.in").read_text().replace("# CLASSES\n", stub_classes())


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
        "CHAT": (CHAT, "ChatCompletion", "Stream[ChatCompletionChunk]", False, whole),
        "ASYNC_CHAT": (CHAT, "ChatCompletion", "AsyncStream[ChatCompletionChunk]", True, whole),
        "RESPONSE": (RESPONSE, "Response", "Stream[ResponseStreamEvent]", False, response),
        "ASYNC_RESPONSE": (
            RESPONSE,
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
    return parsing(text)


def responses():
    """The classes of single types of events and items."""
    tree = ast.parse((PACKAGE / "types" / "_kinds.py").read_text())
    tables = (node for node in tree.body if isinstance(node, ast.Assign))
    kinds = {node.targets[0].id: ast.literal_eval(node.value) for node in tables}
    text = [
        f'class {name}({base}, metaclass=_OfType):\n    type: Literal["{kind}"]{ignored}\n'
        for table, base, ignored in (
            ("EVENTS", "ResponseStreamEvent", ""),
            ("ITEMS", "ResponseOutputItem", "  # type: ignore[assignment, unused-ignore]"),
        )
        for name, kind in kinds[table].items()
    ]
    form = (HERE / "_responses.pyi.in").read_text()
    exported = re.findall(r"^    (\w+) as \w+,$|^(\w+): TypeAlias", form, re.MULTILINE)
    exported = [*map("".join, exported), *kinds["EVENTS"], *kinds["ITEMS"]]
    listed = "".join(f'    "{name}",\n' for name in exported)
    return form.replace("# CLASSES\n", "\n".join([*text, f"__all__ = [\n{listed}]\n"]))


def quoted(text):
    """As Python code has it, formatted."""
    return f"'{text}'" if '"' in text else f'"{text}"'


def python_fields():
    """The types of the fields, for JSON schemas."""
    lines = [
        '"""The types of the fields of every class, as JSON schemas are made of them: a table. Written',
        'from py/fields.txt by `make stubs`. Knows no schema."""',
        "",
        "# ruff: noqa",
        "",
        "ALIASES = {",
    ]
    form = ast.parse((HERE / "_native.pyi.in").read_text())
    for one in form.body:
        if isinstance(one, ast.AnnAssign) and ast.unparse(one.annotation) == "TypeAlias":
            lines.append(f'    "{one.target.id}": {quoted(ast.unparse(one.value))},')
    lines += ["}", "", "FIELDS = {"]
    for one in fields()[0].values():
        known = {field.name: field.type for field in one.fields if not field.is_extra}
        lines.append(f'    "{one.name}": {{')
        lines += [f'        "{name}": {quoted(kind)},' for name, kind in known.items()]
        lines.append("    },")
    return "\n".join([*lines, "}", ""])


FILES = {
    PACKAGE / "_native.pyi": native,
    PACKAGE / "_fields.py": python_fields,
    PACKAGE / "_resources.pyi": resources,
    PACKAGE / "types" / "responses.pyi": responses,
    PACKAGE / "_parameters.py": parameter_functions,
    RUST / "fields.rs": rust_fields,
    RUST / "classes.rs": rust_classes,
}


def differences():
    """How the files differ from what the tables say."""
    found = []
    for path, make in FILES.items():
        is_there = path.read_text().splitlines() if path.exists() else []
        found += difflib.unified_diff(
            is_there,
            make().splitlines(),
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
        sys.exit("\n".join([*found, "stale: run `make stubs`"]) if found else 0)
    for path, make in FILES.items():
        path.write_text(make())


if __name__ == "__main__":
    main()
