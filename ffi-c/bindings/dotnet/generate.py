"""Writes Native.cs: the functions and constants of libmodelwire as C# declares them.

It reads include/modelwire.json and prints; `make generate` keeps the result.  A handle is an
IntPtr, a text that is passed an array of bytes in UTF-8, and what comes back through a pointer an
`out` parameter.
"""
# writes: src/Native.cs

import json
import pathlib
import textwrap

DESCRIPTION = pathlib.Path(__file__).resolve().parents[3] / "include" / "modelwire.json"
#: What stands before the declarations.
HEAD = pathlib.Path(__file__).with_name("Native.head")

#: C#'s type for each scalar of C. Packages are for 64-bit platforms alone.
SCALARS = {
    "int32_t": "int",
    "uint32_t": "uint",
    "int64_t": "long",
    "uint64_t": "ulong",
    "size_t": "long",
    "double": "double",
    "char": "byte",
}
#: Names of parameters that are words of C#.
KEYWORDS = {"event", "out"}


def scalar(description: dict, kind: str) -> str:
    """C#'s type of a scalar, or of a handle."""
    kinds = {of["name"]: SCALARS[of["is"]] for of in description["types"]} | SCALARS
    return kinds.get(kind, "IntPtr")


def parameter(description: dict, place: dict) -> str:
    """C#'s declaration of a parameter."""
    name, role = place["name"], place["role"]
    name = f"@{name}" if name in KEYWORDS else name
    if role == "text":
        return f"byte[]? {name}"
    if "max_in" in place:
        return f"IntPtr[] {name}"
    if role == "array":
        return f"{scalar(description, place['is'])}[]? {name}"
    if role in ("error", "out", "out_length"):
        kind = "long" if role == "out_length" else scalar(description, place.get("is", "handle"))
        return f"out {kind} {name}"
    return f"{scalar(description, place['type'])} {name}"


def function(description: dict, of: dict) -> str:
    """The declaration of a function."""
    returns = of["returns"]["type"]
    kind = "void" if returns == "void" else scalar(description, returns)
    # Lines break between parameters only.
    parameters = (parameter(description, place).replace(" ", "\0") for place in of["parameters"])
    line = f"internal static extern {kind} {of['name']}({', '.join(parameters)});"
    lines = textwrap.wrap(line, 92, subsequent_indent="            ")
    lines = [line.replace("\0", " ") for line in lines]
    return "\n        [DllImport(Library)]\n        " + "\n".join(lines) + "\n"


def constant(description: dict, of: dict) -> str:
    """The declaration of a constant."""
    value = "-1" if of["value"] == "SIZE_MAX" else of["value"]
    return f"        internal const {scalar(description, of['type'])} {of['name']} = {value};\n"


def main() -> None:
    """Prints the file."""
    description = json.loads(DESCRIPTION.read_text())
    text = HEAD.read_text().replace("$soname", description["soname"])
    text += "".join(constant(description, of) for of in description["constants"])
    text += "".join(function(description, of) for of in description["functions"])
    print(text + "    }\n}")


if __name__ == "__main__":
    main()
