#!/usr/bin/env python3
"""Writes the stubs of the native module, of the operations and of the types of responses from the
tables below, and from those of the package, so that each type is said once. Knows no behaviour.

    python py/stubs/write.py           writes the .pyi files of python/modelwire
    python py/stubs/write.py --check   says which of them is stale
"""

import ast
import re
import sys
import textwrap
from pathlib import Path

HERE = Path(__file__).parent
PACKAGE = HERE.parent / "python" / "modelwire"

# The classes of answers: what each is, and its fields with their types.
ANSWERS = """
Model: A model that the service offers.
    id: str
    created: int
    object: Literal["model"]
    owned_by: str
    shutdown_date: str | None
CompletionTokensDetails: What the tokens of a completion were.
    accepted_prediction_tokens: int | None
    audio_tokens: int | None
    reasoning_tokens: int | None
    rejected_prediction_tokens: int | None
    text_tokens: int | None
PromptTokensDetails: What the tokens of a prompt were.
    audio_tokens: int | None
    cached_tokens: int | None
    cache_write_tokens: int | None
    image_tokens: int | None
    text_tokens: int | None
CompletionUsage: The tokens that a chat completion used.
    completion_tokens: int
    prompt_tokens: int
    total_tokens: int
    completion_tokens_details: CompletionTokensDetails | None
    prompt_tokens_details: PromptTokensDetails | None
TopLogprob: The probability of a token that might have stood there.
    token: str
    bytes: list[int] | None
    logprob: float
ChatCompletionTokenLogprob: The probability of a token.
    token: str
    bytes: list[int] | None
    logprob: float
    top_logprobs: list[TopLogprob]
ChoiceLogprobs: The probabilities of the tokens of a choice.
    content: list[ChatCompletionTokenLogprob] | None
    refusal: list[ChatCompletionTokenLogprob] | None
Function: The name of a function, and its arguments as JSON text.
    arguments: str
    name: str
    parsed_arguments: Any
Custom: The name of a custom tool, and its input.
    input: str
    name: str
ChatCompletionMessageToolCall: A function that the model calls.
    id: str
    function: Function
    type: Literal["function"]
ChatCompletionMessageCustomToolCall: A custom tool that the model calls.
    id: str
    custom: Custom
    type: Literal["custom"]
AnnotationURLCitation: The URL of an annotation, and where in the message it belongs.
    end_index: int
    start_index: int
    title: str
    url: str
Annotation: A place that the message refers to.
    type: Literal["url_citation"]
    url_citation: AnnotationURLCitation
ChatCompletionAudio: A spoken answer.
    id: str
    data: str
    expires_at: int
    transcript: str
ChatCompletionMessage: What the model said.
    content: str | None
    refusal: str | None
    role: Literal["assistant"]
    annotations: list[Annotation] | None
    audio: ChatCompletionAudio | None
    function_call: Function | None
    tool_calls: list[ChatCompletionMessageToolCall | ChatCompletionMessageCustomToolCall] | None
    parsed: Any
Choice: One of the choices of a chat completion.
    finish_reason: _FinishReason
    index: int
    logprobs: ChoiceLogprobs | None
    message: ChatCompletionMessage
ChatCompletion: A chat completion, answered whole.
    id: str
    choices: list[Choice]
    created: int
    metadata: dict[str, str] | None
    moderation: Any
    model: str
    object: Literal["chat.completion"]
    service_tier: str | None
    system_fingerprint: str | None
    usage: CompletionUsage | None
ChoiceDeltaToolCallFunction: A piece of a function's name and arguments.
    arguments: str | None
    name: str | None
ChoiceDeltaToolCall: A piece of a tool call.
    index: int
    id: str | None
    function: ChoiceDeltaToolCallFunction | None
    type: Literal["function"] | None
ChoiceDelta!: What a chunk adds to a choice.
    content: str | None
    audio: Any
    function_call: ChoiceDeltaToolCallFunction | None
    refusal: str | None
    role: Literal["developer", "system", "user", "assistant", "tool"] | None
    tool_calls: list[ChoiceDeltaToolCall] | None
ChunkChoice!: One choice of a chunk.
    delta: ChoiceDelta
    finish_reason: _FinishReason | None
    index: int
    logprobs: ChoiceLogprobs | None
ChatCompletionChunk!: One chunk of a chat completion stream.
    id: str
    choices: list[ChunkChoice]
    created: int
    moderation: Any
    obfuscation: str | None
    model: str
    object: Literal["chat.completion.chunk"]
    service_tier: str | None
    system_fingerprint: str | None
    usage: CompletionUsage | None
ResponseError: Why a response failed.
    code: str
    message: str
    misalignment: Any
    param: str | None
    type: str | None
IncompleteDetails: Why a response is incomplete.
    reason: str | None
InputTokensDetails: What the tokens of the input were.
    cached_tokens: int
    cache_write_tokens: int | None
    cache_write_tokens_details: Any
OutputTokensDetails: What the tokens of the output were.
    reasoning_tokens: int
ResponseUsage: The tokens that a response used.
    input_tokens: int
    input_tokens_details: InputTokensDetails
    output_tokens: int
    output_tokens_details: OutputTokensDetails
    total_tokens: int
ResponseOutputText: Text of a message.
    annotations: list[Any]
    text: str
    type: Literal["output_text"]
    logprobs: list[Any] | None
    parsed: Any
ResponseOutputRefusal: A refusal of a message.
    refusal: str
    type: Literal["refusal"]
ResponseContentPart: A part of a message of any other type.
    type: str
    text: str
ResponseOutputMessage: A message of a response's output.
    id: str
    content: list[ResponseOutputText | ResponseOutputRefusal]
    role: Literal["assistant"]
    status: _ItemStatus
    phase: str | None
    type: Literal["message"]
ResponseFunctionToolCall: A function that the response calls.
    arguments: str
    call_id: str
    name: str
    type: Literal["function_call"]
    id: str | None
    caller: Any
    namespace: str | None
    status: _ItemStatus | None
    parsed_arguments: Any
ResponseReasoningItem: What the model thought.
    id: str
    summary: list[ResponseContentPart]
    type: Literal["reasoning"]
    content: list[ResponseContentPart] | None
    encrypted_content: str | None
    status: _ItemStatus | None
ResponseOutputItem: An item of a response's output of any other type.
    id: str | None
    type: Literal["file_search_call", "web_search_call", "code_interpreter_call", "mcp_call", "custom_tool_call"]
    status: str | None
Response: A response.
    id: str
    created_at: float
    error: ResponseError | None
    incomplete_details: IncompleteDetails | None
    instructions: Any
    metadata: dict[str, str] | None
    model: str
    object: Literal["response"]
    output: list[_OutputItem]
    parallel_tool_calls: bool
    temperature: float | None
    tool_choice: Any
    tools: list[Any]
    top_p: float | None
    background: bool | None
    completed_at: float | None
    conversation: Any
    max_output_tokens: int | None
    max_tool_calls: int | None
    previous_response_id: str | None
    prompt: Any
    prompt_cache_key: str | None
    prompt_cache_retention: str | None
    reasoning: Any
    safety_identifier: str | None
    service_tier: str | None
    status: _ResponseStatus | None
    text: Any
    top_logprobs: int | None
    truncation: str | None
    usage: ResponseUsage | None
    user: str | None
    access_programs: Any
    image: Any
    input_transformations: Any
    moderation: Any
    prompt_cache_diagnostics: Any
    prompt_cache_options: Any
    tool_usage: Any
    output_text: str
    output_parsed: Any
ResponseStreamEvent!: One event of a response stream; which fields it has depends on `type`.
    type: str
    sequence_number: int
    response: Response
    item: _OutputItem
    part: Any
    delta: str
    text: str
    arguments: str
    refusal: str
    name: str
    annotation: Any
    logprobs: Any
    output_index: int
    content_index: int
    summary_index: int
    item_id: str
    code: str | None
    message: str
    param: str | None
"""

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
OWN = """
stream_only: bool | NotGiven = ...
gather: bool = False
"""


def lines(table):
    return [line for line in table.strip().splitlines() if line]


def classes():
    text = []
    for line in lines(ANSWERS):
        if not line.startswith(" "):
            name, doc = line.split(": ", 1)
            base = "_Hot" if name.endswith("!") else "Object"
            head = "@final\n" if base == "_Hot" else ""
            if name == "ResponseStreamEvent!":
                head = "@disjoint_base\n"
            text.append(f'\n{head}class {name.rstrip("!")}({base}):\n    """{doc}"""\n')
            if name in ("ChatCompletionChunk!", "ResponseStreamEvent!"):
                text.append("    @property\n    def _event(self) -> str: ...")
            text.append("    def __new__(cls, **fields: Any) -> Self: ...")
        else:
            name, kind = line.strip().split(": ", 1)
            if kind.startswith(("list[", "dict[")):
                kind = f"builtins.{kind}"
            text.append(f"    {name}: {kind}")
    return "\n".join(text) + "\n"


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


def native():
    return (HERE / "_native.pyi.in").read_text().replace("# CLASSES\n", classes())


def resources():
    text = (HERE / "_resources.pyi.in").read_text()
    whole = "Creates a chat completion: the answer, or with stream=True its chunks."
    response = "Creates a response: the answer, or with stream=True its events."
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
    for name, table in (("CHAT", CHAT), ("RESPONSE", RESPONSE)):
        written = [line for line in parameters(table, "") if not line.startswith("stream:")]
        written = "\n".join(written + [f"{line}," for line in lines(EXTRA)])
        text = text.replace(f"        # {name}_HELPER\n", textwrap.indent(written, " " * 8) + "\n")
    return text


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


STUBS = {
    "_native.pyi": native,
    "_resources.pyi": resources,
    "types/responses.pyi": responses,
}


def stale():
    """The stubs that are not what the tables say."""
    return [name for name, make in STUBS.items() if (PACKAGE / name).read_text() != make()]


def main():
    if "--check" in sys.argv:
        found = stale()
        sys.exit(f"stale: {found}; run python py/stubs/write.py" if found else 0)
    for name, make in STUBS.items():
        (PACKAGE / name).write_text(make())


if __name__ == "__main__":
    main()
