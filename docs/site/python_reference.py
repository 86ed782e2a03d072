"""The Python reference: which names are on which page, and how their docstrings become markdown.

mkdocstrings reads signatures and docstrings from the sources and stubs, and imports nothing.
"""

import re
from pathlib import Path

import griffe

SOURCES = Path(__file__).parents[2] / "py/python"
FOLDER = "reference/python"
OWN = "inherited_members: false"  # what they inherit is described once
# Of a page: title, first sentence, and groups of names, each with options of mkdocstrings.
PAGES = {
    "clients": (
        "Clients",
        "`Client` and `AsyncClient` are other names of these two classes. Each option of a client has a row in the"
        " [list of options](../../python/reference.md).",
        ("OpenAI AsyncOpenAI", ""),
        ("set_io_threads flush_calls register_openai_classes enable_logging disable_logging", ""),
    ),
    "operations": (
        "Operations",
        "Methods of `client.models`, `client.chat.completions` and `client.responses`. `AsyncOpenAI` has the same"
        " ones, to await. The last section lists the parameters.",
        ("_resources.Models _resources.Completions _resources.Responses", ""),
        ("_resources._CallParams _resources._ChatBaseParams _resources._ChatStreamParams", OWN),
        ("_resources._ChatCreateParams _resources._ChatParseParams _resources._ChatRunParams", OWN),
        ("_resources._ResponseBaseParams _resources._ResponseStreamParams", OWN),
        ("_resources._ResponseCreateParams _resources._ResponseParseParams _resources._ResponseRunParams", OWN),
    ),
    "settings": (
        "Timeouts, retries, limits",
        "The [reliability guide](../../python/reliability.md) shows their use.",
        ("Timeout Retry Limits DEFAULT_TIMEOUT DEFAULT_MAX_RETRIES", ""),
        ("NotGiven NOT_GIVEN not_given Omit omit", ""),
    ),
    "streams": (
        "Streams",
        "`create(stream=True)` returns the first two; `stream()` returns the helpers after them.",
        ("Stream AsyncStream", ""),
        ("streaming.ChatCompletionStream streaming.ResponseStream", ""),
        ("streaming.AsyncChatCompletionStream streaming.AsyncResponseStream", ""),
    ),
    "answers": (
        "Answers",
        "Every answer, and every object in one, has the methods of the first class here.",
        ("_native._View", ""),
        ("_native.ChatCompletion _native.Choice _native.ChatCompletionMessage _native.ChatCompletionChunk", OWN),
        ("_native.ChunkChoice _native.ChoiceDelta _native.CompletionUsage", OWN),
        ("_native.Response _native.ResponseOutputItem _native.ResponseUsage _native.ResponseStreamEvent", OWN),
        ("_native.Model _resources.ModelList", OWN),
        ("CallRecord Usage UsageSum RateLimits RateLimit APIResponse AsyncAPIResponse", ""),
    ),
    "errors": (
        "Errors",
        "All are subclasses of `OpenAIError`. The [page on errors](../../errors.md) says which failure raises which.",
        ("OpenAIError RequestError APIError APIStatusError BadRequestError AuthenticationError", OWN),
        ("PermissionDeniedError NotFoundError ConflictError UnprocessableEntityError RateLimitError", OWN),
        ("InternalServerError APIConnectionError APITimeoutError APIResponseValidationError", OWN),
        ("IncompleteStreamError StreamContradictionError AnswerError AnswerValidationError", OWN),
        ("LengthFinishReasonError ContentFilterFinishReasonError MaxTurnsError", OWN),
    ),
    "bulk": (
        "Many requests",
        "The [guide](../../python/bulk.md) shows their use. `modelwire.bulk` is a class; its attributes are the"
        " other names here.",
        ("_bulk.job.bulk _bulk.result.Result _bulk.result.Status _bulk.budget.Estimate _bulk.budget.Pilot", ""),
        ("_bulk.budget.BudgetError _bulk.checks.CheckError", OWN),
        ("_bulk.batches.Rows _bulk.arrow.read_parquet _bulk.arrow.write_parquet _bulk.repair.repair", ""),
    ),
    "testing": (
        "Testing",
        "`modelwire.testing`; the [guide](../../python/testing.md) shows its use.",
        ("testing.Service testing.Request testing.Answer testing.text testing.document testing.events", ""),
        ("testing.error testing.raw testing.garbage testing.played", ""),
    ),
    "telemetry": (
        "Telemetry",
        "`modelwire.otel`; the [guide](../../python/telemetry.md) shows its use.",
        ("otel.ModelwireInstrumentor", ""),
    ),
}
ALIASES = {"Client", "AsyncClient", "__version__", "bulk"}


class Docstrings(griffe.Extension):
    """Docstrings as markdown: an indented program is Python, and "name: text" is an item of a list."""

    def on_instance(self, *, node, obj, agent, **kwargs):
        if obj.docstring:
            obj.docstring.value = markdown(obj.docstring.value)


def markdown(text: str) -> str:
    text = re.sub(r"^(\w+): (.*(?:\n +\S.*)*)$", r"- `\1`: \2", text, flags=re.MULTILINE)
    text = re.sub(r"^(?!- `)(.+)\n- `", r"\1\n\n- `", text, flags=re.MULTILINE)
    return re.sub(
        r"(\n\n)((?: {4}.*\n?|\n(?= {4}))+)",
        lambda code: f"{code[1]}```python\n" + re.sub(r"^ {4}", "", code[2], flags=re.MULTILINE).strip() + "\n```\n",
        text,
    )


def pages() -> dict[str, str]:
    """The markdown of each page, by its place in the site."""
    names = {name for _, _, *groups in PAGES.values() for group, _ in groups for name in group.split()}
    exported = {str(name) for name in griffe.load("modelwire", search_paths=[SOURCES]).exports}
    if missing := exported - names - ALIASES:
        raise LookupError(f"docs/site/python_reference.py: put on a page: {sorted(missing)}")
    found = {}
    for page, (title, first, *groups) in PAGES.items():
        text = f"# {title}\n\n{first}\n"
        for group, option in groups:
            for name in group.split():
                text += f"\n::: modelwire.{name}\n"
                text += f"    options:\n      {option}\n" if option else ""
        found[f"{FOLDER}/{page}.md"] = text
    return found


def spelled_out(text: str) -> str:
    """The same page with signatures and docstrings, for those who read markdown."""
    if ":::" not in text:
        return text
    package = griffe.load("modelwire", search_paths=[SOURCES], extensions=griffe.load_extensions(Docstrings))
    return re.sub(
        r"^::: modelwire\.(\S+)\n(?:    .*\n)*",
        lambda name: described(package[name[1]], "##"),
        text,
        flags=re.MULTILINE,
    )


def described(thing, level: str) -> str:
    thing = thing.final_target if thing.is_alias else thing
    overloads = getattr(thing, "overloads", None)
    forms = overloads if thing.is_function and overloads else [thing]
    text = f"{level} {thing.name}\n\n```python\n" + "\n".join(map(declaration, forms)) + "\n```\n\n"
    if thing.docstring:
        text += f"{thing.docstring.value.strip()}\n\n"
    if thing.is_class:
        for name, member in thing.members.items():
            if not name.startswith("_") and not member.is_alias:
                text += described(member, f"{level}#")
    return text


def declaration(thing) -> str:
    if thing.is_function:
        return thing.signature()
    if thing.is_class:
        bases = ", ".join(map(str, thing.bases))
        return f"class {thing.name}({bases})" if bases else f"class {thing.name}"
    return f"{thing.name}: {thing.annotation}" if thing.annotation else f"{thing.name} = {thing.value}"
