"""The C reference as pages of markdown, from include/modelwire.json and modelwire.h."""

import json
import re
import textwrap
from pathlib import Path

INCLUDE = Path(__file__).parents[2] / "include"
FOLDER = "reference/c"
LINE = 90  # of a declaration

THREADS = {"any": "any, at any time", "one": "one at a time for each handle"}
BLOCKS = {"no": "no", "timeout_ms": "for at most `timeout_ms`", "call": "until the call ends"}
# Of a constant, by how its name begins; the first that fits.
CONSTANTS = {
    "Status codes that are no errors": r"OK$|STOPPED|TIMEOUT|ABSENT|CLOSED|INTERRUPTED",
    "Error codes": r"E_",
    "Operations": r"OPERATION_",
    "Kinds of events": r"EVENT_",
    "Levels of the log": r"LOG_",
    "Flags and numbers": r"",
}


def pages() -> dict[str, str]:
    """The markdown of each page, by its place in the site."""
    api = json.loads((INCLUDE / "modelwire.json").read_text())
    handles = {handle["name"].removeprefix("modelwire_"): handle for handle in api["handles"]}
    functions: dict[str, list] = {}
    for function in api["functions"]:
        first = function["name"].split("_")[1]
        functions.setdefault(first if first in handles else "library", []).append(function)
    places = {f["name"]: f"{page}.md#{f['name']}" for page, some in functions.items() for f in some}
    places |= {f["name"]: f"types.md#{f['name']}" for f in api["callbacks"] + api["types"]}
    places |= {handle["name"]: f"{name}.md" for name, handle in handles.items()}
    places |= {c["name"]: f"constants.md#{c['name'].lower()}" for c in api["constants"]}

    found = {"index": index(api, functions)}
    for page, some in functions.items():
        title = f"modelwire_{page}" if page in handles else "The library"
        said = handles[page]["doc"] if page in handles else "Functions of the whole process."
        found[page] = f"# {title}\n\n{paragraphs(said)}\n" + "".join(map(function_text, some))
    found["types"] = "# Types and callbacks\n"
    for one in api["types"]:
        code = f"typedef {one['is']} {one['name']};"
        found["types"] += f"\n## {one['name']}\n\n```c\n{code}\n```\n\n{paragraphs(one['doc'])}\n"
    found["types"] += "".join(map(function_text, api["callbacks"]))
    found["constants"] = constants(api)
    return {f"{FOLDER}/{page}.md": linked(text, places, page) for page, text in found.items()}


def linked(text: str, places: dict[str, str], page: str) -> str:
    """Names of the library in sentences and tables lead to where they are described."""

    def link(match):
        place = places.get(match[1])
        if place is None:
            return match[0] if match[0].startswith("`") else f"`{match[0]}`"
        file, mark, heading = place.partition("#")
        place = mark + heading if file == f"{page}.md" and mark else place
        return f"[`{match[1]}`]({place})" if place != f"{page}.md" else f"`{match[1]}`"

    code = r"^```.*?^```$|`[^`\n]* [^`\n]*`|<code id=.*?</code>"
    as_is = rf"({code}|^#[^\n]*$|\[[^\]\n]*\]\([^)\n]*\))"
    parts = re.split(as_is, text, flags=re.DOTALL | re.MULTILINE)
    names = r"`?\b((?:modelwire|MODELWIRE)_\w*[A-Za-z0-9])\b(?!\.\w)`?"
    return "".join(part if at % 2 else re.sub(names, link, part) for at, part in enumerate(parts))


def plain(text: str) -> str:
    """Stars outside of code are no emphasis."""
    return re.sub(r"(`[^`]*`)|\*", lambda part: part[1] or "\\*", text)


def paragraphs(doc: str) -> str:
    return plain(doc).replace("\n", "\n\n")


def cell(text: str) -> str:
    return plain(text).replace("\n", " ").replace("|", "\\|")


def declared(type_: str, name: str) -> str:
    return f"{type_}{name}" if type_.endswith("*") else f"{type_} {name}"


def signature(function: dict) -> str:
    head = declared(function["returns"]["type"], function["name"]) + "("
    parts = [declared(p["type"], p["name"]) for p in function["parameters"]] or ["void"]
    if len(line := f"{head}{', '.join(parts)});") <= LINE:
        return line
    return (
        textwrap.fill(
            " ".join(part.replace(" ", "\0") + "," for part in parts)[:-1],
            LINE,
            initial_indent=head,
            subsequent_indent=" " * min(len(head), 8),
            break_long_words=False,
        ).replace("\0", " ")
        + ");"
    )


def function_text(function: dict) -> str:
    text = f"\n## {function['name']}\n\n```c\n{signature(function)}\n```\n\n"
    text += f"{paragraphs(function['doc'])}\n\n"
    if function["parameters"]:
        text += "| parameter | meaning | ownership |\n|---|---|---|\n"
        for one in function["parameters"]:
            text += f"| `{one['name']}` | {cell(meaning(one))} | {cell(ownership(one))} |\n"
    facts = []
    if function["returns"]["role"] != "none":
        facts.append(("Returns", result(function["returns"])))
    facts.append(("Threads", THREADS[function["threads"]]))
    facts.append(("Blocks", BLOCKS[function["blocks"]]))
    if function["interruptible"]:
        facts.append(("Signals", "an interruptible handle returns MODELWIRE_INTERRUPTED after one"))
    if function["signal_safe"]:
        facts.append(("Signals", "a signal handler may call it"))
    if function["since"]:
        facts.append(("Since", function["since"]))
    return text + "\n" + "".join(f"- **{name}:** {plain(said)}\n" for name, said in facts)


def result(returns: dict) -> str:
    said = returns["doc"]
    if not said and returns["role"] == "status":
        said = "`MODELWIRE_OK` or another status"
    return "; ".join(
        filter(None, [f"`{returns['type']}`" + (said and f": {said}"), owned(returns)])
    )


def meaning(one: dict) -> str:
    kind = one.get("handle", one["role"]).removeprefix("modelwire_").replace("_", " ")
    said = one["doc"] or f"the {kind}"
    if one.get("nullable") and "NULL" not in said:
        said += "; may be NULL"
    return said


def owned(one: dict) -> str:
    if one.get("owned") and one.get("free"):
        return "you own it" if one["free"] in one["doc"] else f"you own it: {one['free']}"
    if one.get("owned") is False and one.get("from"):
        return f"borrowed from `{one['from']}`, valid until that is freed"
    return ""


def ownership(one: dict) -> str:
    match one["role"]:
        case "error":
            return "you own it: modelwire_error_free"
        case "text":
            return f"copied; its length is `{one['length_in']}`"
        case "out":
            return owned(one)
    return ""


def constants(api: dict) -> str:
    text = "# Constants\n"
    left = list(api["constants"])
    for title, begins in CONSTANTS.items():
        some = [one for one in left if re.match(begins, one["name"].removeprefix("MODELWIRE_"))]
        left = [one for one in left if one not in some]
        text += f"\n## {title}\n\n| name | value | meaning |\n|---|---|---|\n"
        for one in some:
            name = f'<code id="{one["name"].lower()}">{one["name"]}</code>'
            text += f"| {name} | `{one['value']}` | {cell(one['doc'])} |\n"
    return text


def index(api: dict, functions: dict) -> str:
    """The comment at the top of the header, and the functions by what they are for."""
    text = "# C reference\n\nThe header `modelwire.h` and the library `libmodelwire`, ABI "
    text += f"{api['abi']}. The [guide](../../c.md) shows how to start.\n\n"
    for page, some in functions.items():
        name = "The library" if page == "library" else f"modelwire_{page}"
        names = [f["name"].removeprefix("modelwire_") for f in some]
        short = ", ".join(f"[`{one}`]({page}.md#modelwire_{one})" for one in names)
        text += f"- [{name}]({page}.md): {short}\n"
    text += "- [Types and callbacks](types.md)\n- [Constants](constants.md)\n"
    comment = re.search(r"/\*\n(.*?)\n \*/", (INCLUDE / "modelwire.h").read_text(), re.DOTALL)[1]
    blocks = re.sub(r"^ \* ?", "", comment, flags=re.MULTILINE)
    for block in re.split(r"\n\s*\n", blocks[blocks.index("WAYS TO RUN") :]):
        text += comment_block(block)
    return text


def comment_block(block: str) -> str:
    """A block of the header's comment: a heading in capitals, indented text, or paragraphs."""
    if re.fullmatch(r"[A-Z ]+", block):
        return f"\n## {block.capitalize()}\n"
    lines = block.splitlines()
    if len(lines) > 2 and all(line.startswith("  ") for line in lines):
        return f"\n```text\n{textwrap.dedent(block)}\n```\n"
    text = ""
    for part in re.split(r"\n(?=\S)", block.strip()):
        part = plain(re.sub(r"\s+", " ", part))
        text += "\n" + re.sub(r"^([A-Z]\w+)\. ", r"**\1.** ", part) + "\n"
    return text
