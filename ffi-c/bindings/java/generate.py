"""Writes Library.java: libmodelwire for the foreign function interface of Java.

It reads include/modelwire.json and prints; `make generate` keeps the result.  What a parameter is for
decides how Java sees it: a handle is a `long`, a text a String whose length nobody has to give, a
failure is thrown, and what comes back through a pointer is returned.
"""
# writes: src/main/java/dev/modelwire/Library.java

import json
import pathlib
import textwrap

DESCRIPTION = pathlib.Path(__file__).resolve().parents[3] / "include" / "modelwire.json"
#: What stands before the declarations.
HEAD = pathlib.Path(__file__).with_name("Library.head")

#: Java's type, its layout and its boxed type for each scalar of C.
SCALARS = {
    "int32_t": ("int", "JAVA_INT", "Integer"),
    "uint32_t": ("int", "JAVA_INT", "Integer"),
    "int64_t": ("long", "JAVA_LONG", "Long"),
    "uint64_t": ("long", "JAVA_LONG", "Long"),
    "size_t": ("long", "JAVA_LONG", "Long"),
    "double": ("double", "JAVA_DOUBLE", "Double"),
}
#: What nobody changes any more, so that to read it waits for nothing.
IMMUTABLE = {"modelwire_event", "modelwire_response", "modelwire_error"}


class Writer:
    """Java's declarations of what one description has."""

    def __init__(self, description: dict) -> None:
        self.description = description
        self.handles = {handle["name"] for handle in description["handles"]}
        self.scalars = {of["name"]: SCALARS[of["is"]] for of in description["types"]} | SCALARS

    def of(self, place: dict) -> tuple[str, str]:
        """Java's type and layout of a parameter or a result as it is."""
        bare = place["type"].removeprefix("const ").removesuffix(" *")
        if place["type"] in self.scalars:
            return self.scalars[place["type"]][:2]
        return ("long", "JAVA_LONG") if bare in self.handles else ("MemorySegment", "ADDRESS")

    def is_critical(self, function: dict) -> bool:
        """Whether it reads what is immutable, or frees an event."""
        first, *others = function["parameters"] or [{}]
        return function["name"] == "modelwire_event_free" or (
            first.get("handle") in IMMUTABLE
            and all(place["role"] == "out_length" for place in others)
            and function["returns"]["role"] in ("text", "number", "status")
            and function["blocks"] == "no"
        )

    def constant(self, constant: dict) -> str:
        kind = self.scalars[constant["type"]][0]
        value = "-1" if constant["value"] == "SIZE_MAX" else constant["value"]
        return f"    static final {kind} {bare(constant['name'])} = {value};\n"

    def handle(self, function: dict) -> str:
        """The method handle, in a class of its own, so that it is made at its first use."""
        layouts = [self.of(place)[1] for place in function["parameters"]]
        shape, returns = "FunctionDescriptor.ofVoid", function["returns"]
        if returns["type"] != "void":
            # A text comes back as its address: the length says how much of it there is.
            layout = "JAVA_LONG" if returns["role"] == "text" else self.of(returns)[1]
            shape, layouts = "FunctionDescriptor.of", [layout, *layouts]
        option = ", READS" if self.is_critical(function) else ""
        return f"""
    private static final class {bare(function["name"])} {{
        static final MethodHandle HANDLE =
                link("{function["name"]}",
                        {shape}({wrapped(layouts, 32)}){option});
    }}
"""

    def function(self, function: dict) -> str:
        """The method that calls it."""
        places, returns = function["parameters"], function["returns"]
        roles = [place["role"] for place in places]
        # Several at once, and what is no failure if it is missing, stay as they are in C.
        is_raw = any("max_in" in place for place in places) or (
            "error" not in roles and any("handle" in p for p in places if p["role"] == "out")
        )
        taken, passed, locals_ = [], [], []
        for place in places:
            name, role = place["name"], place["role"]
            if role == "text":
                taken.append(f"String {name}")
                passed.append(f"{name}_")
                locals_.append(f"{name}_ = text(arena, {name})")
            elif role == "length":
                passed.append(f"length({place['length_of']}_)")
            elif role == "out_length" and self.is_critical(function):
                passed.append(f"MemorySegment.ofArray({name})")
            elif role in ("error", "out_length") or role == "out" and not is_raw:
                passed.append(name)
                locals_.append(f"{name} = arena.allocate(JAVA_LONG)")
            else:
                taken.append(f"{self.of(place)[0]} {name}")
                passed.append(name)
        kind = "long" if returns["role"] == "text" else self.of(returns)[0]
        call = f"{bare(function['name'])}.HANDLE.invokeExact({wrapped(passed, 24)})"
        call = call if returns["type"] == "void" else f"({kind}) {call}"
        kind, body = self.body(function, call, is_raw)
        head = "try {"
        if locals_:
            head = "try (Arena arena = Arena.ofConfined()) {"
            body = [f"MemorySegment {local};" for local in locals_] + body
        lines = "".join(f"            {line}\n" for line in body)
        return f"""
    static {kind} {bare(function["name"])}({wrapped(taken, 12)}) {{
        {head}
{lines}        }} catch (Throwable fault) {{
            throw thrown(fault);
        }}
    }}
"""

    def body(self, function: dict, call: str, is_raw: bool) -> tuple[str, list[str]]:
        """What the method returns, and the lines that do it."""
        places, returns = function["parameters"], function["returns"]
        out = next((place for place in places if place["role"] == "out" and not is_raw), None)
        if any(place["role"] == "error" for place in places):
            if out is None:
                return "int", [f"return checked({call}, err);"]
            return "long", [f"checked({call}, err);", "return out.get(JAVA_LONG, 0);"]
        if out is not None:
            _, layout, boxed = self.scalars[out["is"]]
            return boxed, [f"int status = {call};",
                           f"return status == OK ? out.get({layout}, 0) : null;"]  # fmt: skip
        if returns["role"] == "text":
            length = next((p["name"] for p in places if p["role"] == "out_length"), None)
            if length is None:
                return "String", [f"return MEMORY.getString({call});"]
            if self.is_critical(function):
                return "String", [f"long[] {length} = new long[1];", f"long address = {call};",
                                  f"return copied(address, {length}[0]);"]  # fmt: skip
            return "String", [f"long address = {call};",
                              f"return copied(address, {length}.get(JAVA_LONG, 0));"]  # fmt: skip
        if returns["type"] == "void":
            return "void", [f"{call};"]
        return self.of(returns)[0], [f"return {call};"]

    def file(self) -> str:
        """The whole file."""
        text = HEAD.read_text().replace("$soname", self.description["soname"])
        text += "".join(map(self.constant, self.description["constants"]))
        for function in self.description["functions"]:
            text += self.handle(function) + self.function(function)
        return text + "}"


def bare(name: str) -> str:
    """A name without the library's."""
    return name.removeprefix("modelwire_").removeprefix("MODELWIRE_")


def wrapped(items: list[str], indent: int) -> str:
    """Joined by commas; on lines of their own where they are long."""
    joined = ", ".join(items)
    if len(joined) <= 28:
        return joined
    lines = textwrap.wrap(joined, 96 - indent)
    return "".join("\n" + " " * indent + line for line in lines)


if __name__ == "__main__":
    print(Writer(json.loads(DESCRIPTION.read_text())).file())
