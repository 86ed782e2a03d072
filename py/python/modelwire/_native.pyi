"""The native part of modelwire: classes over the core's handles and views.

Written by py/stubs/write.py.
"""

import builtins
from collections.abc import AsyncIterator, Callable, Coroutine, Generator, Iterator, Sequence
from os import PathLike
from types import TracebackType
from typing import Any, ClassVar, Generic, Literal, TypeAlias, TypeVar, final

from typing_extensions import Self, disjoint_base

from modelwire._answers.http import Response as HttpResponse
from modelwire._answers.rate_limits import RateLimits
from modelwire._answers.record import CallRecord
from modelwire._answers.usage import Usage
from modelwire.types._parts import (
    ChatCompletionModeration, InputTokensDetailsCacheWriteTokensDetails, InputTransformation,
    Misalignment, PromptCacheDiagnostics, Reasoning, ResponseAccessPrograms,
    ResponseApplyPatchToolCallCaller, ResponseConversation, ResponseImage, ResponseInputItem,
    ResponseModeration, ResponseOutputTextAnnotation, ResponseOutputTextLogprob, ResponsePrompt,
    ResponsePromptCacheOptions, ResponseReasoningItemContent, ResponseReasoningItemSummary,
    ResponseTextConfig, ResponseToolChoice, Tool, ToolUsage
)
from modelwire.types._parts import ResponseOutputItem as _OutputItem

__version__: str

_FinishReason: TypeAlias = Literal["stop", "length", "tool_calls", "content_filter", "function_call"]
_ItemStatus: TypeAlias = Literal["in_progress", "completed", "incomplete"]
_ResponseStatus: TypeAlias = Literal[
    "completed", "failed", "in_progress", "cancelled", "queued", "incomplete"
]
_T = TypeVar("_T")

def shutdown(timeout: float) -> bool:
    """Ends every call and the I/O thread; called at interpreter exit."""

def set_io_threads(count: int) -> None:
    """Sets the number of threads that do the I/O of this process, 1 to 16; the default is 1, or the
    environment variable MODELWIRE_IO_THREADS.

    One thread carries some 100,000 chunks a second, more than Python reads. Call it before the first
    request: a different number while the threads are running is an OpenAIError."""

def run_command(arguments: list[str]) -> int:
    """Runs the command with these arguments, the first of which is its name, and returns the exit
    code of the process."""

def log_start(level: int) -> None:
    """Collects records of this level and above from now on."""

def log_stop() -> None:
    """Stops collecting: a waiting consumer receives the remaining records, and then None."""

def log_take(max: int, seconds: float) -> list[tuple[int, str, str, float]] | None:
    """The collected records; waits for the first one until the timeout."""

def _json(plain: Any, indent: int | None = None) -> str:
    """The JSON text of a value, in one line or indented."""

def _plain(value: Any) -> Any:
    """The same as Python dicts and lists."""

def use_openai_classes(class_of: Callable[[Any], type], attribute: Callable[[Any, str], Any]) -> None:
    """Makes objects report the class that the first function returns, from now on."""

def _rate_limits(headers: list[tuple[str, str]]) -> RateLimits | None:
    """The rate limits that these headers report."""

def _key_id(key: str) -> str:
    """The id of a key in usage sums, which does not reveal it."""

def _redacted(text: str, keys: Sequence[str]) -> str:
    """The text with these keys redacted as in a model's output."""

def _class_of(thing: Any) -> type: ...
def _restore(name: str, text: str, request_id: str | None) -> Any: ...

def bulk_end_all(seconds: float) -> None: ...
def prompt_parts(prompt: str) -> list[str]: ...
def bulk_repair(
    output: str, is_ordered: bool
) -> tuple[int, int, int, list[str], PathLike[str] | None, list[PathLike[str]]]: ...

@final
class NativeBudget:
    """The limits and the prices that a program set, checked."""

    def __new__(
        cls,
        max_cost: float | None,
        max_total_tokens: int | None,
        price_in: float | None,
        price_out: float | None,
        path: str | None,
        text: str | None,
    ) -> Self: ...

@final
class NativeBulk:
    """The implementation of `modelwire.bulk`; not for direct use."""

    def __new__(
        cls,
        client: NativeClient,
        limits: builtins.dict[str, Any],
        options: builtins.dict[str, Any],
        output: tuple[str, bool, bool, str | None] | None = None,
        budget: NativeBudget | None = None,
        copied: tuple[bool, builtins.list[str]] | None = None,
    ) -> Self: ...
    def put(
        self,
        number: int,
        custom_id: str | None,
        operation: str,
        fields: builtins.dict[str, Any],
        skips_unknown: bool,
    ) -> tuple[str, str | None]: ...
    def put_unsent(
        self, custom_id: str | None, message: str
    ) -> tuple[str, str | None]: ...
    def survey(self, sample: int, keeps_unknown: bool) -> None: ...
    def survey_row(
        self,
        number: int,
        custom_id: str | None,
        operation: str,
        fields: builtins.dict[str, Any],
    ) -> tuple[int | None, str | None]: ...
    def pilot(self) -> None: ...
    def projection(self) -> builtins.dict[str, Any] | None: ...
    def notices(self) -> list[str]: ...
    def unknown(self) -> list[str]: ...
    def flush(self) -> None: ...
    def end(self) -> None: ...
    def drain(self) -> None: ...
    def abort(self, seconds: float) -> bool: ...
    def take(self, max: int) -> list[tuple[int, Any, Any, int, float]]: ...
    def to_judge(self) -> list[tuple[int, Any, int, float]]: ...
    def judge(self, judged: list[tuple[int, str | None]]) -> None: ...
    def has_news(self) -> bool: ...
    def wait(self) -> None: ...
    def fd(self) -> int: ...
    def ending(self) -> tuple[str, Any] | None: ...
    def status(self) -> builtins.dict[str, Any]: ...

@final
class CallMark:
    """A call reported to an observer: its tag identifies its end."""

    def __new__(cls) -> Self: ...
    @property
    def tag(self) -> int: ...
    @property
    def is_started(self) -> bool: ...

@final
class EndedCall:
    """A call that has ended."""

    @property
    def client(self) -> int: ...
    @property
    def tag(self) -> int: ...
    @property
    def json(self) -> str: ...
    @property
    def dropped(self) -> int: ...
    @property
    def dropped_tags(self) -> list[int]: ...
    def answer(self, mark: CallMark) -> Any: ...

@final
class NativeCalls:
    """The ended calls of all clients that it follows, in the process that created it."""

    def __new__(cls) -> Self: ...
    def follow(self, client: NativeClient, number: int) -> None: ...
    def take(self, max: int, seconds: float | None = None) -> list[EndedCall] | None: ...
    def wakeup(self) -> None: ...
    def close(self) -> None: ...

class _AnyName:  # of stubs alone: where it runs, all objects have these
    def __getattr__(self, name: str, /) -> Any: ...
    def __setattr__(self, name: str, value: Any, /) -> None: ...

@disjoint_base
class _View:
    """The base of every object over an answer's JSON. Fields are attributes. In an object of a
    known class, unknown fields are read as items, or in `model_extra`."""

    __private_attributes__: ClassVar[builtins.dict[str, Any]]
    model_fields: ClassVar[builtins.dict[str, Any]]
    def __init_subclass__(cls, **_named: Any) -> None: ...
    def __delattr__(self, name: str, /) -> None: ...
    def __iter__(self) -> Iterator[tuple[str, Any]]: ...
    def __rich_repr__(self) -> list[tuple[str, Any]]: ...
    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None: ...
    def _repr_html_(self) -> str: ...
    def __getitem__(self, name: str, /) -> Any: ...
    def __contains__(self, name: object, /) -> bool: ...
    def __dir__(self) -> set[str]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: builtins.dict[int, Any], /) -> Self: ...
    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]: ...
    def to_dict(
        self,
        *,
        mode: str = "python",
        use_api_names: bool = True,
        exclude_unset: bool = True,
        exclude_defaults: bool = False,
        exclude_none: bool = False,
        warnings: bool = True,
    ) -> builtins.dict[str, Any]:
        """All fields that the service sent, including unknown ones, as dicts and lists."""
    def model_dump(
        self,
        *,
        mode: str = "python",
        include: Any = None,
        exclude: Any = None,
        by_alias: bool | None = None,
        exclude_unset: bool = False,
        exclude_defaults: bool = False,
        exclude_none: bool = False,
        **_others: Any,
    ) -> builtins.dict[str, Any]:
        """All fields as dicts and lists; known ones that were not sent are None."""
    def dict(self, **options: Any) -> builtins.dict[str, Any]:
        """The same as `model_dump`, under its older name."""
    def model_dump_json(self, *, indent: int | None = None, **options: Any) -> str:
        """The result of `model_dump` as JSON text."""
    def json(self, **options: Any) -> str:
        """The same as `model_dump_json`, under its older name."""
    def to_json(
        self,
        *,
        mode: str = "json",
        use_api_names: bool = True,
        exclude_unset: bool = True,
        exclude_defaults: bool = False,
        exclude_none: bool = False,
        indent: int | None = 2,
        warnings: bool = True,
    ) -> str:
        """The JSON text, indented; with indent=None as the service sent it."""
    @property
    def model_extra(self) -> builtins.dict[str, Any]:
        """The unknown fields that the service sent, as dicts and lists."""
    @property
    def model_fields_set(self) -> set[str]:
        """The names of the fields that the service sent."""
    def model_copy(
        self, *, update: builtins.dict[str, Any] | None = None, deep: bool = False
    ) -> Self:
        """A copy, with some fields replaced."""
    def copy(
        self, *, update: builtins.dict[str, Any] | None = None, deep: bool = False
    ) -> Self:
        """The same as `model_copy`, under its older name."""
    @classmethod
    def model_validate(cls, value: Any) -> Self:
        """An object of this class from a dict; nothing is validated."""
    @classmethod
    def model_validate_json(cls, text: str | bytes) -> Self:
        """An object of this class from JSON text; nothing is validated."""
    @classmethod
    def construct(cls, **fields: Any) -> Self:
        """An object of this class with these fields; nothing is validated."""
    @classmethod
    def model_construct(cls, _fields_set: Any = None, **fields: Any) -> Self:
        """The same as `construct`, under pydantic's newer name."""
    @classmethod
    def model_json_schema(cls, **_as_pydantic: Any) -> builtins.dict[str, Any]: ...
    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: Any) -> Any: ...

@disjoint_base
class Object(_AnyName, _View):
    """An object of an answer: the base of its classes at run time."""

    def __new__(cls, **fields: Any) -> Self: ...
    @property
    def _request_id(self) -> str | None: ...
    @property
    def _response(self) -> HttpResponse: ...
    @property
    def _usage(self) -> Usage | None: ...
    @property
    def _rate_limits(self) -> RateLimits | None: ...
    @property
    def _timing(self) -> CallRecord | None: ...
    def _items(self) -> list[Model]: ...

class _Answer(_View):  # of stubs alone: where it runs, it is `Object`
    """An answer, or an object within one, with known fields."""

    @property
    def _request_id(self) -> str | None: ...
    @property
    def _response(self) -> HttpResponse: ...
    @property
    def _usage(self) -> Usage | None: ...
    @property
    def _rate_limits(self) -> RateLimits | None: ...
    @property
    def _timing(self) -> CallRecord | None: ...
    def _items(self) -> list[Model]: ...


class Model(_Answer):
    """A model that the service offers."""

    def __new__(cls, **fields: Any) -> Self: ...
    id: str
    created: int
    object: Literal["model"]
    owned_by: str
    shutdown_date: str | None

class CompletionTokensDetails(_Answer):
    """What the tokens of a completion were."""

    def __new__(cls, **fields: Any) -> Self: ...
    accepted_prediction_tokens: int | None
    audio_tokens: int | None
    reasoning_tokens: int | None
    rejected_prediction_tokens: int | None
    text_tokens: int | None

class PromptTokensDetails(_Answer):
    """What the tokens of a prompt were."""

    def __new__(cls, **fields: Any) -> Self: ...
    audio_tokens: int | None
    cached_tokens: int | None
    cache_write_tokens: int | None
    image_tokens: int | None
    text_tokens: int | None

class CompletionUsage(_Answer):
    """The tokens that a chat completion used."""

    def __new__(cls, **fields: Any) -> Self: ...
    completion_tokens: int
    prompt_tokens: int
    total_tokens: int
    completion_tokens_details: CompletionTokensDetails | None
    prompt_tokens_details: PromptTokensDetails | None

class Embedding(_Answer):
    """A vector, as other services answer; for programs that import its name."""

    def __new__(cls, **fields: Any) -> Self: ...
    embedding: builtins.list[float]
    index: int
    object: Literal["embedding"]

class EmbeddingUsage(_Answer):
    """The tokens that an embedding used."""

    def __new__(cls, **fields: Any) -> Self: ...
    prompt_tokens: int
    total_tokens: int

class CreateEmbeddingResponse(_Answer):
    """An answer of embeddings, which the service does not have; for programs that import its name."""

    def __new__(cls, **fields: Any) -> Self: ...
    data: builtins.list[Embedding]
    model: str
    object: Literal["list"]
    usage: EmbeddingUsage

class TopLogprob(_Answer):
    """The probability of a token that might have stood there."""

    def __new__(cls, **fields: Any) -> Self: ...
    token: str
    bytes: builtins.list[int] | None
    logprob: float

class ChatCompletionTokenLogprob(_Answer):
    """The probability of a token."""

    def __new__(cls, **fields: Any) -> Self: ...
    token: str
    bytes: builtins.list[int] | None
    logprob: float
    top_logprobs: builtins.list[TopLogprob]

class ChoiceLogprobs(_Answer):
    """The probabilities of the tokens of a choice."""

    def __new__(cls, **fields: Any) -> Self: ...
    content: builtins.list[ChatCompletionTokenLogprob] | None
    refusal: builtins.list[ChatCompletionTokenLogprob] | None

class Function(_Answer):
    """The name of a function, and its arguments as JSON text."""

    def __new__(cls, **fields: Any) -> Self: ...
    arguments: str
    name: str
    parsed_arguments: Any

class Custom(_Answer):
    """The name of a custom tool, and its input."""

    def __new__(cls, **fields: Any) -> Self: ...
    input: str
    name: str

class ChatCompletionMessageToolCall(_Answer):
    """A function that the model calls."""

    def __new__(cls, **fields: Any) -> Self: ...
    id: str
    function: Function
    type: Literal["function"]

class ChatCompletionMessageCustomToolCall(_Answer):
    """A custom tool that the model calls."""

    def __new__(cls, **fields: Any) -> Self: ...
    id: str
    custom: Custom
    type: Literal["custom"]

class AnnotationURLCitation(_Answer):
    """The URL of an annotation, and where in the message it belongs."""

    def __new__(cls, **fields: Any) -> Self: ...
    end_index: int
    start_index: int
    title: str
    url: str

class Annotation(_Answer):
    """A place that the message refers to."""

    def __new__(cls, **fields: Any) -> Self: ...
    type: Literal["url_citation"]
    url_citation: AnnotationURLCitation

class ChatCompletionAudio(_Answer):
    """A spoken answer."""

    def __new__(cls, **fields: Any) -> Self: ...
    id: str
    data: str
    expires_at: int
    transcript: str

class ChatCompletionMessage(_Answer):
    """What the model said."""

    def __new__(cls, **fields: Any) -> Self: ...
    content: str | None
    refusal: str | None
    role: Literal["assistant"]
    annotations: builtins.list[Annotation] | None
    audio: ChatCompletionAudio | None
    function_call: Function | None
    tool_calls: builtins.list[ChatCompletionMessageToolCall | ChatCompletionMessageCustomToolCall] | None
    parsed: Any
    reasoning_text: str

class Choice(_Answer):
    """One of the choices of a chat completion."""

    def __new__(cls, **fields: Any) -> Self: ...
    finish_reason: _FinishReason
    index: int
    logprobs: ChoiceLogprobs | None
    message: ChatCompletionMessage

class ChatCompletion(_Answer):
    """A chat completion, answered whole."""

    def __new__(cls, **fields: Any) -> Self: ...
    id: str
    choices: builtins.list[Choice]
    created: int
    metadata: builtins.dict[str, str] | None
    moderation: ChatCompletionModeration | None
    model: str
    object: Literal["chat.completion"]
    service_tier: str | None
    system_fingerprint: str | None
    usage: CompletionUsage | None
    reasoning_text: str
    rate_limits: RateLimits | None
    timing: CallRecord | None

class ChoiceDeltaToolCallFunction(_Answer):
    """A piece of a function's name and arguments."""

    def __new__(cls, **fields: Any) -> Self: ...
    arguments: str | None
    name: str | None

class ChoiceDeltaToolCall(_Answer):
    """A piece of a tool call."""

    def __new__(cls, **fields: Any) -> Self: ...
    index: int
    id: str | None
    function: ChoiceDeltaToolCallFunction | None
    type: Literal["function"] | None

@final
class ChoiceDelta(_View):
    """What a chunk adds to a choice."""

    @property
    def _is_message(self) -> bool: ...
    def __new__(cls, **fields: Any) -> Self: ...
    audio: ChatCompletionAudio | None
    content: str | None
    function_call: ChoiceDeltaToolCallFunction | None
    refusal: str | None
    role: Literal["developer", "system", "user", "assistant", "tool"] | None
    tool_calls: builtins.list[ChoiceDeltaToolCall] | None
    reasoning_text: str

@final
class ChunkChoice(_View):
    """One choice of a chunk."""

    def __new__(cls, **fields: Any) -> Self: ...
    delta: ChoiceDelta
    finish_reason: _FinishReason | None
    index: int
    logprobs: ChoiceLogprobs | None

@final
class ChatCompletionChunk(_View):
    """One chunk of a chat completion stream."""

    @property
    def _event(self) -> str: ...
    def __new__(cls, **fields: Any) -> Self: ...
    id: str
    choices: builtins.list[ChunkChoice]
    created: int
    moderation: ChatCompletionModeration | None
    obfuscation: str | None
    model: str
    object: Literal["chat.completion.chunk"]
    service_tier: str | None
    system_fingerprint: str | None
    usage: CompletionUsage | None
    reasoning_text: str

class ResponseError(_Answer):
    """Why a response failed."""

    def __new__(cls, **fields: Any) -> Self: ...
    code: str
    message: str
    misalignment: Misalignment | None
    param: str | None
    type: str | None

class IncompleteDetails(_Answer):
    """Why a response is incomplete."""

    def __new__(cls, **fields: Any) -> Self: ...
    reason: str | None

class InputTokensDetails(_Answer):
    """What the tokens of the input were."""

    def __new__(cls, **fields: Any) -> Self: ...
    cached_tokens: int
    cache_write_tokens: int | None
    cache_write_tokens_details: InputTokensDetailsCacheWriteTokensDetails | None

class OutputTokensDetails(_Answer):
    """What the tokens of the output were."""

    def __new__(cls, **fields: Any) -> Self: ...
    reasoning_tokens: int

class ResponseUsage(_Answer):
    """The tokens that a response used."""

    def __new__(cls, **fields: Any) -> Self: ...
    input_tokens: int
    input_tokens_details: InputTokensDetails
    output_tokens: int
    output_tokens_details: OutputTokensDetails
    total_tokens: int

class ResponseOutputText(_Answer):
    """Text of a message."""

    def __new__(cls, **fields: Any) -> Self: ...
    annotations: builtins.list[ResponseOutputTextAnnotation]
    text: str
    type: Literal["output_text"]
    logprobs: builtins.list[ResponseOutputTextLogprob] | None
    parsed: Any

class ResponseOutputRefusal(_Answer):
    """A refusal of a message."""

    def __new__(cls, **fields: Any) -> Self: ...
    refusal: str
    type: Literal["refusal"]

class ResponseContentPart(_Answer):
    """A part of a message of any other type."""

    def __new__(cls, **fields: Any) -> Self: ...
    type: str
    text: str

class ResponseOutputMessage(_Answer):
    """A message of a response's output."""

    def __new__(cls, **fields: Any) -> Self: ...
    id: str
    content: builtins.list[ResponseOutputText | ResponseOutputRefusal]
    role: Literal["assistant"]
    status: _ItemStatus
    phase: Literal["commentary", "final_answer"] | None
    type: Literal["message"]

class ResponseFunctionToolCall(_Answer):
    """A function that the response calls."""

    def __new__(cls, **fields: Any) -> Self: ...
    arguments: str
    call_id: str
    name: str
    type: Literal["function_call"]
    id: str | None
    caller: ResponseApplyPatchToolCallCaller | None
    namespace: str | None
    status: _ItemStatus | None
    parsed_arguments: Any

class ResponseReasoningItem(_Answer):
    """What the model thought."""

    def __new__(cls, **fields: Any) -> Self: ...
    id: str
    summary: builtins.list[ResponseReasoningItemSummary]
    type: Literal["reasoning"]
    content: builtins.list[ResponseReasoningItemContent] | None
    encrypted_content: str | None
    status: _ItemStatus | None
    reasoning_text: str

class ResponseOutputItem(_Answer):
    """An item of a response's output of any other type. The classes of single types are special cases of it."""

    def __new__(cls, **fields: Any) -> Self: ...
    id: str | None
    type: Literal["file_search_call", "web_search_call", "code_interpreter_call", "mcp_call", "custom_tool_call"]
    status: str | None

class Response(_Answer):
    """A response."""

    def __new__(cls, **fields: Any) -> Self: ...
    id: str
    created_at: float
    error: ResponseError | None
    incomplete_details: IncompleteDetails | None
    instructions: str | list[ResponseInputItem] | None
    metadata: builtins.dict[str, str] | None
    model: str
    object: Literal["response"]
    output: builtins.list[_OutputItem]
    parallel_tool_calls: bool
    temperature: float | None
    tool_choice: ResponseToolChoice
    tools: builtins.list[Tool]
    top_p: float | None
    background: bool | None
    completed_at: float | None
    conversation: ResponseConversation | None
    max_output_tokens: int | None
    max_tool_calls: int | None
    previous_response_id: str | None
    prompt: ResponsePrompt | None
    prompt_cache_key: str | None
    prompt_cache_retention: str | None
    reasoning: Reasoning | None
    safety_identifier: str | None
    service_tier: str | None
    status: _ResponseStatus | None
    text: ResponseTextConfig | None
    top_logprobs: int | None
    truncation: str | None
    usage: ResponseUsage | None
    user: str | None
    access_programs: ResponseAccessPrograms | None
    image: ResponseImage | None
    input_transformations: builtins.list[InputTransformation] | None
    moderation: ResponseModeration | None
    prompt_cache_diagnostics: PromptCacheDiagnostics | None
    prompt_cache_options: ResponsePromptCacheOptions | None
    tool_usage: ToolUsage | None
    output_text: str
    reasoning_text: str
    rate_limits: RateLimits | None
    timing: CallRecord | None
    output_parsed: Any

@disjoint_base
class ResponseStreamEvent(_View):
    """One event of a response stream; which fields it has depends on `type`."""

    @property
    def _event(self) -> str: ...
    def __new__(cls, **fields: Any) -> Self: ...
    type: str
    sequence_number: int
    response: Response
    item: _OutputItem
    part: ResponseOutputText | ResponseOutputRefusal
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
    reasoning_text: str

@disjoint_base
class _StreamBase:
    """The properties of an answer that both kinds of stream have."""

    @classmethod
    def __class_getitem__(cls, _kind: Any) -> type[Self]: ...
    @property
    def status_code(self) -> int:
        """The HTTP status of the answer."""
    @property
    def request_id(self) -> str | None:
        """The service's identifier of the request."""
    @property
    def headers(self) -> list[tuple[str, str]]:
        """The headers of the answer, as (name, value) pairs in order."""
    @property
    def response(self) -> HttpResponse:
        """Status and headers of the answer as an object."""
    @property
    def rate_limits(self) -> RateLimits | None:
        """The rate limits that the service reported, available from the start; None if it reported
        none."""
    @property
    def usage(self) -> Usage | None:
        """The tokens that the service reported in the stream; None before its end."""
    @property
    def end(self) -> str | None:
        """How the stream was known to be complete; None before its end and after an error."""
    @property
    def _is_over(self) -> bool: ...
    @property
    def _took(self) -> tuple[int, float] | None: ...
    @property
    def timing(self) -> CallRecord | None:
        """The record of the call; None before its end."""
    @property
    def answer(self) -> Any:
        """The whole answer at the end of a stream that was made with gather=True."""

class Stream(_StreamBase, Generic[_T]):
    """The chunks of an answer as they arrive: an iterator and a context manager."""

    def __iter__(self) -> Portions[_T]: ...
    def __next__(self) -> _T: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None: ...
    def close(self) -> None:
        """Ends the stream and its call now. Harmless to repeat; any thread."""
    def batches(self, max: int = 256) -> Portions[list[_T]]:
        """The same chunks as lists: each has all chunks that are ready, at least one."""
    def text_deltas(self) -> Portions[str]:
        """Only the output text of each chunk, as str."""

@final
class Portions(Generic[_T]):
    """The chunks of a stream in another form: an iterator."""

    def __iter__(self) -> Iterator[_T]: ...
    def __next__(self) -> _T: ...

class AsyncStream(_StreamBase, Generic[_T]):
    """The chunks of an answer as they arrive: an asynchronous iterator and context manager."""

    def __aiter__(self) -> AsyncPortions[_T]: ...
    def __anext__(self) -> Coroutine[Any, Any, _T]: ...
    def __aenter__(self) -> Coroutine[Any, Any, Self]: ...
    def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> Coroutine[Any, Any, None]: ...
    def close(self) -> Coroutine[Any, Any, None]:
        """Ends the stream and its call now. Need not be awaited."""
    def aclose(self) -> Coroutine[Any, Any, None]:
        """The same as `close`."""
    def batches(self, max: int = 256) -> AsyncPortions[list[_T]]:
        """The same chunks as lists: each has all chunks that are ready, at least one."""
    def text_deltas(self) -> AsyncPortions[str]:
        """Only the output text of each chunk, as str."""

@final
class AsyncPortions(Generic[_T]):
    """The chunks of a stream in another form: an asynchronous iterator."""

    def __aiter__(self) -> Self: ...
    def __anext__(self) -> Coroutine[Any, Any, _T]: ...

@final
class Iteration(Generic[_T]):
    """The iterator of a `for` over a stream's items: an exception that leaves the loop closes
    it."""

    def __new__(cls, inner: Iterator[_T], stream: _StreamBase) -> Self: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> _T: ...

@final
class AsyncIteration(Generic[_T]):
    """The iterator of an `async for` over a stream's items: an exception that leaves the loop
    closes it."""

    def __new__(cls, inner: AsyncIterator[_T], stream: _StreamBase) -> Self: ...
    def __aiter__(self) -> Self: ...
    def __anext__(self) -> Coroutine[Any, Any, _T]: ...

@final
class Snapshots:
    """The chunks of one stream, and the completion that they form."""

    def __new__(cls, chunks: list[Any] | None = None) -> Self: ...
    def add(self, chunk: Any) -> int:
        """Keeps a chunk; returns the number of chunks."""
    def completion(self, count: int) -> ChatCompletion:
        """The completion formed by the first `count` chunks."""

class _Coroutine:
    def __await__(self) -> Generator[Any, Any, Any]: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __next__(self) -> Any: ...
    def close(self) -> None: ...

@final
class Done(_Coroutine):
    """An awaitable that already has its value."""

    def send(self, _value: Any) -> Any: ...
    def throw(self, error: Any, value: Any = None, _traceback: Any = None) -> Any: ...

@final
class Next(_Coroutine):
    """An awaitable: the next portion of a stream, or the answer of a call. It takes what is ready
    when it is awaited, and not earlier."""

    def send(self, value: Any) -> Any: ...
    def throw(self, error: Any, value: Any = None, traceback: Any = None) -> Any: ...

@final
class Hub:
    """A list of numbers that calls fill, and its descriptor."""

    def __new__(cls) -> Self: ...
    def fd(self) -> int: ...
    def take(self) -> list[int]: ...
    def drain(self) -> None:
        """Wakes the waiters of all queued numbers; for an event loop, when the descriptor is
        readable."""

@final
class Future:
    """The awaitable of an asyncio task: the part of a future that a task needs."""

    _asyncio_future_blocking: bool
    def get_loop(self) -> Any: ...
    def add_done_callback(self, callback: Any, *, context: Any = None) -> None: ...
    def remove_done_callback(self, callback: Any) -> int: ...
    def cancel(self, msg: Any = None) -> bool: ...
    def cancelled(self) -> bool: ...
    def done(self) -> bool: ...
    def result(self) -> None: ...
    def exception(self) -> None: ...

@final
class BeforeAttempt:
    """An attempt that is about to be sent, for the function `before_attempt` of a client."""

    @property
    def operation(self) -> str:
        """The operation: "models", "chat" or "responses"."""

    @property
    def url(self) -> str:
        """The URL, with its query."""

    @property
    def number(self) -> int:
        """The number of the attempt of its call, from 1."""

    @property
    def body(self) -> bytes:
        """The JSON text of the request; empty for a model list."""

    def set_header(self, name: str, value: str) -> None:
        """Sets a header of this attempt; it replaces one of the client or the call."""

@final
class NativeClient:
    """The implementation of `modelwire.Client`; not for direct use."""

    def __new__(
        cls,
        base_url: str | None,
        api_key: str | None,
        options: dict[str, Any],
        beside: NativeClient | None = None,
    ) -> Self: ...
    @property
    def base_url(self) -> str: ...
    def check(self, options: dict[str, Any]) -> None:
        """Whether a call may override this."""

    def usage(self, by_key: bool, take: bool) -> dict[str, Any]: ...
    def run(
        self,
        endpoint: str,
        fields: dict[str, Any] | None,
        stream: bool,
        options: dict[str, Any] | None,
    ) -> Any: ...
    def start(
        self,
        endpoint: str,
        fields: dict[str, Any] | None,
        stream: bool,
        options: dict[str, Any] | None,
    ) -> Next: ...

@final
class NativeAnswer:
    """The implementation of `modelwire.testing.Answer`; not for direct use."""

    @staticmethod
    def played() -> NativeAnswer: ...
    @staticmethod
    def text(
        pieces: list[str],
        reasoning: list[str],
        tool_calls: list[tuple[str, str]],
        finish_reason: str,
        usage: tuple[int, int] | None,
    ) -> NativeAnswer: ...
    @staticmethod
    def document(status: int, headers: list[tuple[str, str]], body: bytes) -> NativeAnswer: ...
    @staticmethod
    def events(events: list[tuple[str | None, str]]) -> NativeAnswer: ...
    @staticmethod
    def raw(data: bytes) -> NativeAnswer: ...
    @staticmethod
    def garbage() -> NativeAnswer: ...
    def stall(self, seconds: float | None, after: int | None) -> NativeAnswer: ...
    def slow(self, seconds: float) -> NativeAnswer: ...
    def cut(self, after: int | None, after_bytes: int | None, reset: bool) -> NativeAnswer: ...

@final
class NativeService:
    """The implementation of `modelwire.testing.Service`; not for direct use."""

    def __new__(
        cls,
        *,
        api_key: str,
        port: int,
        usage: str,
        word_pause: float,
        rate_limit_calls: int,
        rate_limit_window: float,
        replay: str | None,
        is_fast: bool,
    ) -> NativeService: ...
    @property
    def base_url(self) -> str: ...
    @property
    def waiting(self) -> int: ...
    @property
    def requests(self) -> list[tuple[str, str, list[tuple[str, str]], bytes, int, float]]: ...
    @property
    def metered(self) -> dict[str, dict[str, int]]: ...
    @property
    def open_connections(self) -> int: ...
    def queue(self, answers: list[NativeAnswer]) -> None: ...
    def answer_otherwise(self, answer: NativeAnswer | None) -> None: ...
    def reset(self) -> None: ...
    def close(self) -> None: ...
