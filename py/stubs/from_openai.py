#!/usr/bin/env python3
"""Writes ../types.txt, the table of what programs annotate with, from an installed openai-python:
names of modules, of types and of their fields, and nothing else of it. For whoever brings the table
up to a newer release; nothing here runs at a build or in a test. Knows no behaviour.

    an-environment-with-openai/bin/python py/stubs/from_openai.py
"""

import ast
import importlib.util
import json
import re
import sys
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).parent
TYPES = Path(importlib.util.find_spec("openai").origin).parent / "types"

# What is not taken, each with its reason.
LEFT_OUT = {
    r"chat\.completion_(list|update)_params|chat\.chat_completion_(deleted|store_message)"
    r"|chat\.completions.*": "chats that the service stored; it stores none",
    r"responses\.(input_item_list_params|response_item_list|response_item|response_input_message_item"
    r"|response_retrieve_params)": "responses that the service stored; it stores none",
    r"responses\.input_token_count_.*": "another operation: counting tokens",
    r"responses\.(response_compact_params|compacted_response)": "another operation: compacting",
    r"responses\.(response_steer_.*|responses_(client|server)_event.*)": "responses over a websocket",
    r"shared(_params)?\.(decision_.*|oauth_error_code)": "other operations",
    r"shared\.response_format_text_(grammar|python)": "another operation: graders",
    r"(chat|responses)\.parsed_.*": "made by parse(), which has generic classes of its own",
}
PACKAGES = ("chat", "responses", "shared", "shared_params")
ALONE = ("chat_model", "completion_usage", "model")

# Ours that exist already, with a class of their own in fields.txt.
NATIVE = {
    "chat.chat_completion.Choice": "Choice",
    "chat.chat_completion.ChoiceLogprobs": "ChoiceLogprobs",
    "chat.chat_completion_chunk.Choice": "ChunkChoice",
    "chat.chat_completion_chunk.ChoiceLogprobs": "ChoiceLogprobs",
    "chat.chat_completion_chunk.ChoiceDeltaFunctionCall": "ChoiceDeltaToolCallFunction",
    "chat.chat_completion_message.FunctionCall": "Function",
    "chat.chat_completion_message_function_tool_call.Function": "Function",
    "chat.chat_completion_message_function_tool_call.ChatCompletionMessageFunctionToolCall": (
        "ChatCompletionMessageToolCall"
    ),
    "chat.chat_completion_message_custom_tool_call.Custom": "Custom",
    "chat.chat_completion_token_logprob.TopLogprob": "TopLogprob",
    "responses.response.IncompleteDetails": "IncompleteDetails",
    "responses.response_usage.InputTokensDetails": "InputTokensDetails",
    "responses.response_usage.OutputTokensDetails": "OutputTokensDetails",
}
BUILT_IN = {"str", "int", "float", "bool", "bytes", "object", "None", "Any", "Literal"}
CONTAINERS = {
    "List": "list",
    "Dict": "dict",
    "Iterable": "Iterable",
    "SequenceNotStr": "SequenceNotStr",
    "Sequence": "Sequence",
    "list": "list",
    "dict": "dict",
}


def left_out(path):
    return next((why for what, why in LEFT_OUT.items() if re.fullmatch(what, path)), None)


class Module:
    def __init__(self, path, file):
        self.path, self.file = path, file
        self.tree = ast.parse(file.read_text())
        self.imports, self.nodes = {}, {}
        package = path if file.name == "__init__.py" else path.rpartition(".")[0]
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ImportFrom) and node.level:
                base = package.split(".") if package else []
                base = base[: len(base) - node.level + 1] if node.level > 1 else base
                if node.level > len(package.split(".") if package else []) + 1:
                    continue  # from above types: machinery
                where = ".".join([*base, *(node.module or "").split(".")]).strip(".")
                for name in node.names:
                    self.imports[name.asname or name.name] = (where, name.name)
        for node in self.tree.body:
            if isinstance(node, ast.ClassDef):
                self.nodes[node.name] = node
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                self.nodes[node.target.id] = node
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                name = node.targets[0].id
                if name.startswith("_") and not name.startswith("__"):
                    self.nodes[name] = node  # keys that are no names
                elif name[0].isupper():
                    self.nodes[name] = node


def modules():
    found = {}
    for file in sorted(TYPES.rglob("*.py")):
        parts = file.relative_to(TYPES).with_suffix("").parts
        if file.name == "__init__.py":
            parts = parts[:-1]
        path = ".".join(parts)
        if parts and (parts[0] in PACKAGES or path in ALONE):
            found[path] = Module(path, file)
    return found


ALL = modules()
KNOWN_NATIVE = {
    found[1]
    for found in re.finditer(
        r"(?m)^(\w+)(?: \(streamed\))?: ", (HERE.parent / "fields.txt").read_text()
    )
} - {"ResponseStreamEvent", "ResponseOutputItem"}  # a class that serves many, a union of them there


def resolved(path, name):
    """Where a name of a module is defined; None where it is nothing of the types."""
    module = ALL.get(path)
    if module is None:
        return None
    if name in module.nodes:
        node = module.nodes[name]
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(
            node.value, (ast.Name, ast.Attribute)
        ):
            target = node.value
            if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
                where = module.imports.get(target.value.id)
                if where:
                    return resolved(f"{where[0]}.{where[1]}".strip("."), target.attr)
            elif isinstance(target, ast.Name):
                return resolved(path, target.id) or (path, name)
        return path, name
    if name in module.imports:
        return resolved(*module.imports[name])
    return None


def native(where):
    path, name = where
    given = NATIVE.get(f"{path}.{name}")
    if given:
        return given
    main = "".join(part.capitalize() for part in path.rpartition(".")[2].split("_"))
    is_own = name in KNOWN_NATIVE
    if (
        is_own
        and (
            main.lower() == name.lower()
            or path
            in (
                "completion_usage",
                "model",
                "chat.chat_completion_chunk",
                "chat.chat_completion_message",
            )
        )
        and "param" not in path
    ):
        return name
    return None


REFERENCES = {}  # key -> set of keys


class Text(str):
    pass


def expression(module, node, refs):
    """An annotation in our words; names of types as {path:name}."""
    if isinstance(node, ast.Constant):
        if node.value is None:
            return "None"
        if isinstance(node.value, str):
            return expression(module, ast.parse(node.value, mode="eval").body, refs)
    if isinstance(node, ast.Name):
        where = resolved(module.path, node.id)
        if where:
            refs.add(where)
            return f"{{{where[0]}:{where[1]}}}"
        if node.id in BUILT_IN:
            return node.id
        sys.exit(f"{module.path}: what is {node.id}?")
    if isinstance(node, ast.Attribute):
        if isinstance(node.value, ast.Name):
            if node.value.id == "builtins":
                return node.attr
            where = module.imports.get(node.value.id)
            if where:
                found = resolved(f"{where[0]}.{where[1]}".strip("."), node.attr)
                if found:
                    refs.add(found)
                    return f"{{{found[0]}:{found[1]}}}"
        sys.exit(f"{module.path}: what is {ast.unparse(node)}?")
    if isinstance(node, ast.BinOp):
        return f"{expression(module, node.left, refs)} | {expression(module, node.right, refs)}"
    if isinstance(node, ast.Subscript):
        head = node.value.id if isinstance(node.value, ast.Name) else node.value.attr
        inner = node.slice
        several = inner.elts if isinstance(inner, ast.Tuple) else [inner]
        if head == "Literal":
            return (
                "Literal["
                + ", ".join(
                    json.dumps(one.value) if isinstance(one.value, str) else repr(one.value)
                    for one in several
                )
                + "]"
            )
        if head == "Annotated":
            return expression(module, several[0], refs)
        if head in ("Required",):
            return expression(module, several[0], refs)
        if head == "Optional":
            inside = expression(module, several[0], refs)
            return inside if inside.endswith("| None") else f"{inside} | None"
        if head == "Union":
            return " | ".join(expression(module, one, refs) for one in several)
        if head in CONTAINERS:
            return (
                f"{CONTAINERS[head]}[{', '.join(expression(module, one, refs) for one in several)}]"
            )
    sys.exit(f"{module.path}: what is {ast.unparse(node)}?")


class Definition:
    def __init__(self, module, name):
        self.where = (module.path, name)
        self.refs, self.fields, self.bases, self.text = set(), [], [], ""
        node = module.nodes[name]
        if isinstance(node, ast.ClassDef):
            bases = [ast.unparse(base) for base in node.bases]
            total = True
            for keyword in node.keywords:
                if keyword.arg == "total":
                    total = keyword.value.value
            self.kind = "dict"
            for base in bases:
                if base in ("TypedDict",):
                    continue
                if base.rpartition(".")[2] in ("BaseModel", "GenericModel"):
                    self.kind = "object"
                    continue
                above = ALL[module.path].nodes.get(base) if base in module.nodes else None
                if isinstance(above, ast.Assign):  # TypedDict("...", {...})
                    for key, value in zip(above.value.args[1].keys, above.value.args[1].values):
                        self.fields.append((key.value, False, expression(module, value, self.refs)))
                    continue
                where = resolved(module.path, base)
                if where is None:
                    sys.exit(f"{self.where}: what is {base}?")
                self.refs.add(where)
                self.bases.append(where)
            for one in node.body:
                if not isinstance(one, ast.AnnAssign):
                    continue
                key = one.target.id
                text = expression(module, one.annotation, self.refs)
                if one.value is not None and isinstance(one.value, ast.Call):
                    for keyword in one.value.keywords:
                        if keyword.arg == "alias":
                            key = keyword.value.value
                annotated = ast.unparse(one.annotation)
                required = annotated.startswith("Required[") or (self.kind == "dict" and total)
                if self.kind == "object":
                    required = one.value is None
                self.fields.append((key, required, text))
        else:
            self.kind = "alias"
            self.text = expression(module, node.value, self.refs)


def main():
    definitions = {}
    for path, module in ALL.items():
        if module.file.name == "__init__.py" or left_out(path):
            continue
        for name in module.nodes:
            if name.startswith("_") or resolved(path, name) != (path, name):
                continue
            if native((path, name)):
                continue
            definitions[path, name] = Definition(module, name)
    # What is referred to elsewhere.
    todo = [ref for one in definitions.values() for ref in one.refs]
    while todo:
        where = todo.pop()
        if where in definitions or native(where):
            continue
        print("also", where, file=sys.stderr)
        definitions[where] = Definition(ALL[where[0]], where[1])
        todo += definitions[where].refs

    # A dict with a base has the base's fields.
    def inherited(one):
        own = []
        for base in one.bases:
            above = definitions.get(base) or Definition(ALL[base[0]], base[1])
            own += inherited(above)
            one.refs |= above.refs
        names = {field[0] for field in one.fields}
        return [field for field in own if field[0] not in names] + one.fields

    for one in definitions.values():
        one.all_fields = inherited(one)
        for base in one.bases:
            above = definitions.get(base) or Definition(ALL[base[0]], base[1])
            one.kind = "object" if above.kind == "object" else one.kind
    # The same definition under the same name is the same type.
    ids = {where: where[1] for where in definitions}

    def put(text, ids):
        def name(found):
            where = (found[1], found[2])
            return native(where) or ids[where]

        return re.sub(r"\{([\w.]*):(\w+)\}", name, text)

    while True:
        grouped = defaultdict(list)
        for where, one in definitions.items():
            content = (
                one.kind,
                put(one.text, ids),
                tuple((n, r, put(t, ids)) for n, r, t in one.all_fields),
            )
            grouped[where[1], content].append(where)
        fresh = {}
        for number, (key, members) in enumerate(grouped.items()):
            for where in members:
                fresh[where] = f"{key[0]}#{number}"
        if len(set(fresh.values())) == len(set(ids.values())):
            break
        ids = fresh
    members = defaultdict(list)
    for where, number in ids.items():
        members[number].append(where)
    for places in members.values():
        places.sort(key=lambda place: place[0] != "responses.response_output_item")
    # Unique names.
    by_local = defaultdict(list)
    for number, places in members.items():
        by_local[places[0][1]].append(number)
    names, taken = {}, set(KNOWN_NATIVE)

    def main_name(path):
        exported = [n for n in ALL[path].nodes if not n.startswith("_")]
        camel = path.rpartition(".")[2].replace("_", "").lower()
        return next((n for n in exported if n.lower() == camel), exported[0])

    for local, numbers in by_local.items():
        for number in numbers:
            path = members[number][0][0]
            is_main = any(main_name(place[0]) == local for place in members[number])
            is_main = is_main or path == "responses.response_output_item"
            name = local
            if (len(numbers) > 1 or local in taken) and not (
                is_main and local not in taken and not path.startswith("shared_params")
            ):
                prefix = main_name(path)
                name = f"{prefix}{local}" if not local.startswith(prefix) else local
                if path.startswith("shared_params"):
                    name = f"{local}Param"
                elif name in taken or name == local:
                    name = (
                        f"{name}Param"
                        if definitions[members[number][0]].kind == "dict"
                        else f"{name}_"
                    )
            if name in taken:
                sys.exit(f"{name} is taken: {members[number]}")
            taken.add(name)
            names[number] = name
    final = {where: names[number] for where, number in ids.items()}
    # Pure aliases of the same text in shared and shared_params are one already.
    out, written = [], set()
    for path, module in sorted(ALL.items()):
        why = left_out(path)
        if module.file.name == "__init__.py":
            exported = []
            for local, _ in module.imports.items():
                where = resolved(path, local)
                if where and not left_out(where[0]) and (where in final or native(where)):
                    name = native(where) or final[where]
                    exported.append(name if name == local else f"{name} as {local}")
            lines = [f"[{path}]"]
            lines += ["    has " + one for one in exported]
            out.append("\n".join(lines))
            continue
        if why:
            out.append(f"[{path}] left out: {why}")
            continue
        lines = [f"[{path}]"]
        for local in [*module.nodes, *module.imports]:
            if local.startswith("_"):
                continue
            where = resolved(path, local)
            if where is None or not (where in final or native(where)):
                continue
            name = native(where) or final[where]
            if local not in module.nodes and not local[0].isupper():
                continue
            lines.append(f"    has {name}" + ("" if name == local else f" as {local}"))
        for local in module.nodes:
            where = (path, local)
            if where not in definitions or final[where] in written:
                continue
            written.add(final[where])
            one = definitions[where]
            if one.kind == "alias":
                lines.append(f"{final[where]} = {put(one.text, final)}")
            else:
                above = [final[base] for base in one.bases if base in final and one.kind == "dict"]
                lines.append(f"{one.kind} {final[where]}" + (f"({above[0]})" if above else ""))
                for key, required, text in one.fields if above else one.all_fields:
                    lines.append(f"    {key}{'' if required else '?'}: {put(text, final)}")
        out.append("\n".join(lines))
    (HERE.parent / "types.txt").write_text("\n\n".join(out) + "\n")


if __name__ == "__main__":
    main()
