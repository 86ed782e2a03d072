"""Writes Modelwire.java: libmodelwire for the foreign function interface of Java.

It reads include/modelwire.json and prints; `make header` keeps the result.  What a parameter is for
decides how Java sees it: a handle is a `long`, a text a String whose length nobody has to give, a
failure is thrown, and what comes back through a pointer is returned.  Errors and JSON values are
classes that programs see too.
"""
# writes: Modelwire.java

import json
import pathlib
import textwrap

DESCRIPTION = pathlib.Path(__file__).resolve().parents[3] / "include" / "modelwire.json"

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
#: The members of an error, as modelwire_error_json names them.
MEMBERS = {
    **dict.fromkeys(["kind", "message", "hint", "type", "code", "param", "request_id"], "text"),
    **dict.fromkeys(["path", "model", "timeout", "metered", "body", "partial"], "text"),
    **dict.fromkeys(["http_status", "attempts", "request_time_unix_ms"], "integer"),
    **dict.fromkeys(["elapsed_ms", "retry_after_ms"], "integer"),
}
#: Names of methods where Java has a word for itself.
WORDS = {"int": "integer", "bool": "truth"}

HEAD = """\
// Generated from include/modelwire.json by generate.py (`make header`); do not edit.
package modelwire;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.ref.Cleaner;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * libmodelwire as include/modelwire.h declares it, each function linked when it is first called. A
 * handle is a {@code long}; a failure is thrown; what comes back through a pointer is returned.
 */
public final class Modelwire {
    private static final SymbolLookup LIBRARY =
            SymbolLookup.libraryLookup(
                    System.getenv().getOrDefault("MODELWIRE_LIBRARY", "%s"),
                    Arena.global());
    static final Cleaner CLEANER = Cleaner.create();
    private static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    /** Of functions that are short and wait for nothing: they may see Java's own arrays. */
    private static final Linker.Option READS = Linker.Option.critical(true);

    private Modelwire() {}

    private static MethodHandle link(String name, FunctionDescriptor of, Linker.Option... options) {
        return Linker.nativeLinker().downcallHandle(LIBRARY.findOrThrow(name), of, options);
    }

    private static MemorySegment text(Arena arena, String text) {
        return text == null ? MemorySegment.NULL : arena.allocateFrom(text);
    }

    /** Without the NUL at its end. */
    private static long length(MemorySegment text) {
        return Math.max(0, text.byteSize() - 1);
    }

    private static String copied(long address, long length) {
        if (address == 0) return null;
        byte[] bytes = new byte[Math.toIntExact(length)];
        MemorySegment.copy(MEMORY, JAVA_BYTE, address, bytes, 0, bytes.length);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static int checked(int status, MemorySegment err) {
        if (status >= 0) return status;
        long error = err.get(JAVA_LONG, 0);
        String known = error_json(error);
        error_free(error);
        throw new Failure(known);
    }

    private static RuntimeException thrown(Throwable fault) {
        if (fault instanceof Error error) throw error;
        return (RuntimeException) fault;
    }

"""

FAILURE = """\
    /** What went wrong, with all that is known of it; null where there is nothing. */
    public static final class Failure extends RuntimeException {
        static final String CLOSED =
                "{\\"kind\\":\\"closed\\",\\"message\\":\\"the client or the stream is closed\\"}";
        public final String json;
%s        /** Of the response, objects with a name and a value. */
        public final transient Json headers;

        Failure(String json) {
            this.json = json;
            Json of = new Json(json);
%s            headers = new Json(of.json("/headers"));
        }

        @Override public String getMessage() {
            return kind + ": " + message + (hint == null ? "" : "\\n" + hint);
        }
    }

"""

JSON = """\
    /** JSON text, read by path, "/choices/0/index" for instance; null where there is no value. */
    public static final class Json {
        private final String json;
        private long value;

        public Json(String json) {
            this.json = json == null || json.isEmpty() ? "null" : json;
        }
%s
        /** As it was sent. */
        @Override public String toString() { return json; }

        private long value() {
            if (value != 0) return value;
            long made = value = value_new(json);
            CLEANER.register(this, () -> value_free(made));
            return made;
        }

        /** Maps, collections, texts, numbers and truths as JSON text. */
        static String of(Object value) {
            return switch (value) {
                case null -> "null";
                case Map<?, ?> map -> map.entrySet().stream()
                        .map(one -> of(one.getKey().toString()) + ":" + of(one.getValue()))
                        .collect(Collectors.joining(",", "{", "}"));
                case Collection<?> list ->
                    list.stream().map(Json::of).collect(Collectors.joining(",", "[", "]"));
                case CharSequence text ->
                    '"' + text.codePoints().mapToObj(Json::escaped).collect(Collectors.joining()) + '"';
                default -> value.toString();
            };
        }

        private static String escaped(int point) {
            boolean isPlain = point >= ' ' && point != '"' && point != '\\\\';
            return isPlain ? Character.toString(point) : String.format("\\\\u%%04x", point);
        }
    }

"""


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

    def failure(self) -> str:
        """The class of what is thrown."""
        boxed = {"text": "String", "integer": "Long"}
        names = [(name, camel(name), how) for name, how in MEMBERS.items()]
        fields = "".join(f"        public final {boxed[how]} {java};\n" for _, java, how in names)
        read = "".join(f'            {java} = of.{how}("/{name}");\n' for name, java, how in names)
        return FAILURE % (fields, read)

    def json(self) -> str:
        """The class of a JSON value, with a method for each function that reads one by path."""
        methods = ""
        for function in self.description["functions"]:
            name = bare(function["name"])
            if any(place["name"] == "path" for place in function["parameters"]):
                short = name.removeprefix("value_")
                kind = self.function(function).split("static ")[1].split()[0]
                methods += f"""
        public synchronized {kind} {WORDS.get(short, short)}(String path) {{
            return {name}(value(), path);
        }}
"""
        return JSON % methods

    def file(self) -> str:
        """The whole file."""
        head = HEAD % self.description["soname"] + self.failure() + self.json()
        head += "".join(map(self.constant, self.description["constants"]))
        for function in self.description["functions"]:
            head += self.handle(function) + self.function(function)
        return head + "}"


def bare(name: str) -> str:
    """A name without the library's."""
    return name.removeprefix("modelwire_").removeprefix("MODELWIRE_")


def camel(name: str) -> str:
    """A name as Java writes it."""
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def wrapped(items: list[str], indent: int) -> str:
    """Joined by commas; on lines of their own where they are long."""
    joined = ", ".join(items)
    if len(joined) <= 28:
        return joined
    lines = textwrap.wrap(joined, 96 - indent)
    return "".join("\n" + " " * indent + line for line in lines)


if __name__ == "__main__":
    print(Writer(json.loads(DESCRIPTION.read_text())).file())
