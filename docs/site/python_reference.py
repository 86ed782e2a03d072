"""The Python reference: which names are on which page, and docstrings as markdown.

mkdocstrings reads signatures and docstrings from the sources and stubs, and imports nothing.
"""

import re
from pathlib import Path
from textwrap import dedent

import griffe

SOURCES = Path(__file__).parents[2] / "py/python"
FOLDER = "reference/python"
# Of a page: title, first sentence, and groups: options of mkdocstrings, and names. A group of
# FIELDS is shown as declarations: classes with fields only, and what they inherit.
FIELDS = "fields"
OWN = "inherited_members: false"  # what they inherit is described once
PAGES = {
    "clients": (
        "Clients",
        "`Client` and `AsyncClient` are other names of these two classes. Each option of a client"
        " has a row in the [list of options](../../python/reference.md).",
        ("", "OpenAI AsyncOpenAI"),
        ("", "set_io_threads flush_calls register_openai_classes enable_logging disable_logging"),
    ),
    "operations": (
        "Operations",
        "Methods of `client.models`, `client.chat.completions` and `client.responses`."
        " `AsyncOpenAI` has the same ones, to await. The last two sections list the parameters of"
        " `create`.",
        ("", "_resources.Models _resources.Completions _resources.Responses"),
        (FIELDS, "_resources._ChatCreateParams _resources._ResponseCreateParams"),
    ),
    "settings": (
        "Timeouts, retries, limits",
        "The [reliability guide](../../python/reliability.md) shows their use.",
        ("members: [openai]", "Timeout Retry Limits"),
        ("", "DEFAULT_TIMEOUT DEFAULT_MAX_RETRIES NotGiven NOT_GIVEN not_given Omit omit"),
    ),
    "streams": (
        "Streams",
        "`create(stream=True)` returns the first two; `stream()` returns the helpers after them.",
        ("", "Stream AsyncStream"),
        ("", "streaming.ChatCompletionStream streaming.ResponseStream"),
        ("", "streaming.AsyncChatCompletionStream streaming.AsyncResponseStream"),
    ),
    "answers": (
        "Answers",
        "Every answer, and every object in one, has the methods of the first class here.",
        ("heading: Every object of an answer", "_native._View"),
        (
            FIELDS,
            "_native.ChatCompletion _native.Choice _native.ChatCompletionMessage"
            " _native.CompletionUsage _native.ChatCompletionChunk _native.ChunkChoice"
            " _native.ChoiceDelta _native.Response _native.ResponseOutputItem"
            " _native.ResponseUsage _native.ResponseStreamEvent _native.Model",
        ),
        (
            "",
            "_resources.ModelList CallRecord BeforeAttempt Usage UsageSum RateLimits RateLimit"
            " APIResponse AsyncAPIResponse",
        ),
    ),
    "errors": (
        "Errors",
        "All are subclasses of `OpenAIError`. The [page on errors](../../errors.md) says which"
        " failure raises which.",
        (
            f"{OWN}, show_bases: true",
            "OpenAIError RequestError APIError APIStatusError BadRequestError AuthenticationError"
            " PermissionDeniedError NotFoundError ConflictError UnprocessableEntityError"
            " RateLimitError InternalServerError APIConnectionError APITimeoutError"
            " APIResponseValidationError IncompleteStreamError StreamContradictionError"
            " AnswerError AnswerValidationError LengthFinishReasonError"
            " ContentFilterFinishReasonError MaxTurnsError",
        ),
    ),
    "bulk": (
        "Many requests",
        "The [guide](../../python/bulk.md) shows their use. `modelwire.bulk` is a class; its"
        " attributes are the other names here.",
        (
            "",
            "_bulk.job.bulk _bulk.result.Result _bulk.result.Status _bulk.budget.Estimate"
            " _bulk.budget.Pilot _bulk.batches.Rows _bulk.arrow.read_parquet"
            " _bulk.arrow.write_parquet _bulk.repair.repair",
        ),
        (OWN, "_bulk.budget.BudgetError _bulk.checks.CheckError"),
    ),
    "testing": (
        "Testing",
        "`modelwire.testing`; the [guide](../../python/testing.md) shows its use.",
        (
            "",
            "testing.Service testing.Request testing.Answer testing.text testing.document"
            " testing.events testing.error testing.raw testing.garbage testing.played",
        ),
    ),
    "telemetry": (
        "Telemetry",
        "`modelwire.otel`; the [guide](../../python/telemetry.md) shows its use.",
        ("", "otel.ModelwireInstrumentor"),
    ),
}
HEADINGS = {
    "_ChatCreateParams": "Parameters of chat.completions.create",
    "_ResponseCreateParams": "Parameters of responses.create",
}
ALIASES = {"Client", "AsyncClient", "__version__", "bulk"}


class Docstrings(griffe.Extension):
    """Docstrings as markdown: an indented program is Python, "name: text" an item of a list."""

    def on_instance(self, *, node, obj, agent, **kwargs):
        if obj.docstring:
            obj.docstring.value = markdown(obj.docstring.value)


def markdown(text: str) -> str:
    text = re.sub(r"^(\w+): (.*(?:\n +\S.*)*)$", r"- `\1`: \2", text, flags=re.MULTILINE)
    text = re.sub(r"^(?!- `|\s)(.+)\n- `", r"\1\n\n- `", text, flags=re.MULTILINE)
    indented = r"(\n\n)((?: {4}.*\n?|\n(?= {4}))+)"
    return re.sub(
        indented, lambda code: f"{code[1]}```python\n{dedent(code[2]).strip()}\n```\n", text
    )


def load():
    return griffe.load(
        "modelwire", search_paths=[SOURCES], extensions=griffe.load_extensions(Docstrings)
    )


def pages() -> dict[str, str]:
    """The markdown of each page, by its place in the site."""
    package = load()
    names = {
        name for _, _, *groups in PAGES.values() for _, group in groups for name in group.split()
    }
    if missing := {str(name) for name in package.exports} - names - ALIASES:
        raise LookupError(f"docs/site/python_reference.py: put on a page: {sorted(missing)}")
    found = {}
    for page, (title, first, *groups) in PAGES.items():
        text = f"# {title}\n\n{first}\n"
        for options, group in groups:
            for name in group.split():
                if options == FIELDS:
                    text += fields(package[name])
                else:
                    text += f"\n::: modelwire.{name}\n    options: {{{options}}}\n"
        found[f"{FOLDER}/{page}.md"] = text
    return found


def fields(one) -> str:
    """A class that has only fields, its own and inherited ones, as declarations."""
    text = f"\n## {HEADINGS.get(one.name, one.name)}\n\n"
    text += f"{one.docstring.value}\n\n" if one.docstring else ""
    lines = []
    for name, member in one.all_members.items():
        if not name.startswith("_") and member.is_attribute:
            said = f"  # {member.docstring.value}" if member.docstring else ""
            annotation = re.sub(r"^_Maybe\[(.*)\]$", r"\1 | None", str(member.annotation))
            annotation = re.sub(r"\bbuiltins\.|\b_(?=[A-Z])", "", annotation)
            lines.append(f"{name}: {annotation}{' '.join(said.splitlines())}")
    return f"{text}```python\n" + "\n".join(lines) + "\n```\n"


def spelled_out(text: str) -> str:
    """The same page with signatures and docstrings, for those who read markdown."""
    if ":::" not in text:
        return text
    package = load()

    def shown(directive):
        name, options = directive.groups()
        only = re.search(r"members: \[(.*?)\]", options)
        heading = re.search(r"heading: ([^,}]*)", options)
        return described(
            package[name],
            heading and heading[1],
            only and only[1].split(", "),
            OWN not in options,
        )

    return re.sub(r"^::: modelwire\.(\S+)\n    (.*)\n", shown, text, flags=re.MULTILINE)


def described(thing, heading=None, only=None, inherited=True, level="##") -> str:
    thing = thing.final_target if thing.is_alias else thing
    forms = thing.overloads if thing.is_function and thing.overloads else [thing]
    code = "\n".join(map(declaration, forms))
    text = f"{level} {heading or thing.name}\n\n```python\n{code}\n```\n\n"
    if thing.docstring:
        text += f"{thing.docstring.value.strip()}\n\n"
    if thing.is_class:
        for name, member in (thing.all_members if inherited else thing.members).items():
            if not name.startswith("_") and (only is None or name in only):
                text += described(member, level=f"{level}#")
    return text


def declaration(thing) -> str:
    if thing.is_function:
        return thing.signature()
    if thing.is_class:
        made = thing.all_members.get("__init__")
        if made and made.is_function:
            return made.signature(name=thing.name, return_type=False)
        return f"class {thing.name}"
    return (
        f"{thing.name}: {thing.annotation}" if thing.annotation else f"{thing.name} = {thing.value}"
    )
