"""Reads the types in `python/modelwire/types`: typed dicts in `_params.py`, parts of answers in
`_parts.py`, literals in `_literals.py`. These files are the table; from_openai.py writes them. Makes
the packages that export them, and the modules that programs import them from most."""

import ast
import re
from pathlib import Path

HERE = Path(__file__).parent
TYPES = HERE.parent / "python" / "modelwire" / "types"
PACKAGES = ("chat", "responses", "shared", "shared_params")
FILES = ("_literals", "_params", "_parts")
UNIONS = {"ResponseStreamEvent", "ResponseOutputItem"}
"""One class at run time; a union of many for type checkers."""
MESSAGES = "ChatCompletionMessageParam | ChatCompletionMessage"
ITEMS = "ResponseInputItemParam | ResponseOutputItem"
WIDTH = 100

# Modules for single types that have a file, for type checkers. All others are resolved at run time
# only.
FILED = """
completion_usage model
chat.chat_completion chat.chat_completion_assistant_message_param chat.chat_completion_chunk
chat.chat_completion_content_part_image_param
chat.chat_completion_content_part_input_audio_param chat.chat_completion_content_part_param
chat.chat_completion_content_part_text_param chat.chat_completion_function_tool_param
chat.chat_completion_message chat.chat_completion_message_custom_tool_call
chat.chat_completion_message_function_tool_call
chat.chat_completion_message_function_tool_call_param chat.chat_completion_message_param
chat.chat_completion_message_tool_call chat.chat_completion_message_tool_call_param
chat.chat_completion_named_tool_choice_param chat.chat_completion_system_message_param
chat.chat_completion_token_logprob chat.chat_completion_tool_choice_option_param
chat.chat_completion_tool_message_param chat.chat_completion_tool_param
chat.chat_completion_user_message_param chat.completion_create_params chat.parsed_chat_completion
responses.easy_input_message_param responses.function_tool_param responses.parsed_response
responses.response responses.response_create_params
responses.response_format_text_config_param responses.response_function_tool_call
responses.response_function_tool_call_param responses.response_includable
responses.response_input_item_param responses.response_input_param responses.response_output_item
responses.response_output_message responses.response_output_message_param
responses.response_output_refusal responses.response_output_text
responses.response_reasoning_item responses.response_stream_event
responses.response_text_config_param responses.response_text_delta_event responses.response_usage
responses.tool responses.tool_param
shared.function_definition shared.reasoning shared_params.function_definition
shared_params.metadata shared_params.reasoning shared_params.response_format_json_schema
""".split()
AT_RUN_TIME = r"(^|\.)_|\bbeta\b|^resources\.(chat\.)?(\w+)\.\2$"
"""Modules that are not types, and are resolved at run time only."""


def parsed():
    """The names of `modelwire.types._parsed`, which is written by hand."""
    text = (TYPES / "_parsed.py").read_text()
    return set(re.findall(r"^    (?:class )?(Parsed\w+)", text, re.MULTILINE))


def mentioned(text, known):
    """The types that an annotation names."""
    text = re.sub('"[^"]*"', "", text)
    return [one for one in re.findall(r"[A-Za-z_]\w*", text) if one in known]


class Table:
    """The types, their fields, and the file that defines each."""

    def __init__(self, native):
        self.native = native
        self.types, self.bases = {}, {}
        """By name: ("dict" or "object", fields as (name, is needed, type)), or ("alias", type)."""
        self.places = {**dict.fromkeys(native, "_native"), "Object": "_object"}
        self.places |= dict.fromkeys(("EVENTS", "ITEMS"), "_parts")
        self.places |= dict.fromkeys(parsed(), "_parsed")
        for file in FILES:
            self._lines = (TYPES / f"{file}.py").read_text().splitlines()
            self._needed, self._keywords = {}, {}
            tree = ast.parse("\n".join(self._lines))
            for node in tree.body:
                inside = node.body if isinstance(node, ast.If) else [node]
                for one in inside:
                    self._read(one, file)

    def _read(self, node, file):
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias":
            self._add(node.target.id, file, "alias", self._text(node.value))
        elif isinstance(node, ast.Assign) and node.targets[0].id.endswith("Keywords"):
            keys = node.value.args[1]
            self._keywords[node.targets[0].id] = [
                (key.value, False, self._text(value)) for key, value in zip(keys.keys, keys.values)
            ]
        elif isinstance(node, ast.ClassDef):
            is_dict, is_needed = file == "_params", not node.keywords
            bases = [base.id for base in node.bases]
            fields = [field for base in bases for field in self._needed.get(base, ())]
            fields += [
                (one.target.id, is_needed, self._text(one.annotation))
                for one in node.body
                if isinstance(one, ast.AnnAssign)
            ]
            fields += [field for base in bases for field in self._keywords.get(base, ())]
            # A keyword is no name of an attribute.
            if found := re.search(r"# (\w+): (.+)$", self._lines[node.lineno - 1]):
                fields.append((found[1], False, found[2]))
            if node.name.startswith("_"):
                self._needed[node.name] = fields
                return
            self._add(node.name, file, "dict" if is_dict else "object", fields)
            above = [base for base in bases if base in self.types]
            self.bases[node.name] = above[0] if above else None

    def _add(self, name, file, kind, what):
        self.types[name] = (kind, what)
        self.places[name] = file

    def _text(self, node):
        """An annotation as it is written, in one line."""
        first, last = node.lineno - 1, node.end_lineno
        lines = self._lines[first:last]
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        return " ".join(line.strip() for line in lines)

    def mentioned(self, text):
        return mentioned(text, self.types.keys() | self.native)

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


def fill(entries, indent, by=", "):
    """Entries in lines of a hundred characters, each line ended by the separator but for the last."""
    lines, line = [], ""
    for entry in entries:
        longer = f"{line}{by}{entry}" if line else entry
        if line and len(indent + longer) + len(by.rstrip()) > WIDTH:
            lines.append(line + by.rstrip())
            longer = entry
        line = longer
    return [indent + one for one in [*lines, line] if one]


def listed(head, names, indent=""):
    """`from x import a, b`, in lines of a hundred characters."""
    names = sorted(names, key=lambda name: (name.lower(), name))
    line = f"{indent}{head} {', '.join(names)}"
    if len(line) <= WIDTH:
        return [line]
    return [f"{indent}{head} (", *fill(names, f"{indent}    "), f"{indent})"]


def imports(table, texts, but=()):
    """The imports of what annotations name, but for what a file defines itself."""
    names = {one for text in texts for one in table.mentioned(text) if one not in but}
    return [
        line
        for source, own in by_source(table, {name: name for name in names})
        for line in listed(f"from {source} import", [name for name, _ in own])
    ]


def by_source(table, names):
    """Names as they are imported here, by the modules that define them: `names` has, for the name
    here, the name there."""
    found = {}
    for local, name in sorted(names.items()):
        found.setdefault(table.source(name), []).append((local, name))
    return sorted(found.items())


def exported(path):
    """The names that the package in this folder exports."""
    tree = ast.parse((TYPES / path / "__init__.py").read_text())
    for node in tree.body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "__all__":
            return ast.literal_eval(node.value)
    return []


def package(table, path, names, renamed):
    """A package: its names are looked up when they are asked for."""
    inside = PACKAGES if not path else ()
    text = [
        f'"""The types that openai-python has in `types{f".{path}" if path else ""}`. Each is imported when it is asked for.',
        "",
        "Written by `make generate`; `__all__` is written by py/stubs/from_openai.py, too.",
        '"""',
        "",
        "from modelwire.types import _lazy",
        "",
        "TYPE_CHECKING = False",
        "",
        "if TYPE_CHECKING:",
    ]
    if inside:
        text += listed("from modelwire.types import", inside, "    ")
    of_names = {name: renamed.get(name, name) for name in names if name not in inside}
    for source, own in by_source(table, of_names):
        shown = [local if local == name else f"{name} as {local}" for local, name in own]
        text += listed(f"from {source} import", shown, "    ")
    text += ["else:", "    __getattr__, __dir__ = _lazy.package(__name__)"]
    return "\n".join([*text, *exports(names), ""])


def exports(names):
    names = [f'"{name}"' for name in sorted(names)]
    line = f"__all__ = [{', '.join(names)}]"
    return ["", *([line] if len(line) <= WIDTH else ["__all__ = [", *fill(names, "    "), "]"])]


def module(sources, inside=(), package=""):
    """A module that only has names from elsewhere: `sources` has them by the modules that they are
    from, as (name here, name there). They are looked up when they are asked for."""
    text = [
        '"""Names that openai-python has here. Written by `make generate`."""',
        "",
        "from modelwire._openai import paths as _openai_paths",
        "",
        "TYPE_CHECKING = False",
        "if TYPE_CHECKING:",
    ]
    text += listed(f"from {package} import", inside, "    ") if inside else []
    for source, own in sources:
        shown = [local if local == name else f"{name} as {local}" for local, name in own]
        text += listed(f"from {source} import", shown, "    ")
    text += ["else:", "    _openai_paths.fill(__name__, globals())"]
    names = [local for _, own in sources for local, _ in own]
    return "\n".join([*text, *exports([*names, *inside]), ""])


def modules():
    """The modules for single types: by path the names that each has, and what they are called in
    the files of types."""
    found = {"__name__": "modelwire.types._lazy"}
    exec((TYPES / "_modules.py").read_text(), found)
    exec((TYPES / "_lazy.py").read_text(), found)
    return found["parsed"](found["MODULES"])


def files(table, own):
    """The packages and the stubs by their paths below `modelwire/types`; `own` has the names of
    fields.txt that each package exports as well."""
    known = modules()
    found = {}
    for path in ("", *PACKAGES):
        names = {*exported(path), *own.get(path, ()), *(() if path else PACKAGES)}
        _, renamed = known.get(path, ((), {}))
        found[f"{path}/__init__.py".strip("/")] = package(table, path, names, renamed)
    for path in FILED:
        names, renamed = known[path]
        sources = by_source(table, {name: renamed.get(name, name) for name in names})
        found[path.replace(".", "/") + ".py"] = module(sources)
    return found


def named_modules():
    """The public modules of `modelwire._openai.paths`, by their paths below `modelwire`."""
    found = {"__name__": "modelwire._openai.paths"}
    exec((TYPES.parent / "_openai" / "paths.py").read_text(), found)
    known = found["parsed"](found["MODULES"])
    folders = {path.rpartition(".")[0] for path in known}
    made = {}
    for path, names in known.items():
        if not re.search(AT_RUN_TIME, path):
            own = [one.rpartition(".")[2] for one in known if one.rpartition(".")[0] == path]
            inside = [name for name in own if not re.search(AT_RUN_TIME, f"{path}.{name}")]
            sources = {}
            for local, (source, there) in names.items():
                sources.setdefault(source, []).append((local, there))
            end = "/__init__.py" if path in folders else ".py"
            text = module(sorted(sources.items()), inside, f"modelwire.{path}")
            made[path.replace(".", "/") + end] = text
    return made
