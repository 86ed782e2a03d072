"""The three operations, with the names of openai-python.

Written by py/stubs/write.py.
"""

from collections.abc import (
    AsyncIterator,
    Callable,
    Coroutine,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from types import TracebackType
from typing import Any, Generic, Literal, NoReturn, Protocol, SupportsIndex, TypeAlias, TypeVar, overload

from typing_extensions import Required, Self, TypedDict, Unpack

from modelwire._client import AsyncClient, Client
from modelwire._options import NotGiven, Omit, Timeout
from modelwire._native import AsyncStream, Object, Stream
from modelwire._answers.rate_limits import RateLimits
from modelwire._answers.raw import APIResponse, AsyncAPIResponse, LegacyAPIResponse
from modelwire._answers.record import CallRecord
from modelwire._schemas.tools import AsyncRun, Run
from modelwire._types import SequenceNotStr
from modelwire.streaming import (
    AsyncChatCompletionStream,
    AsyncResponseStream,
    AsyncStreamManager,
    ChatCompletionStream,
    ResponseStream,
    StreamManager,
)
from modelwire.types._parsed import ParsedChatCompletion, ParsedResponse
from modelwire._native import (
    ChatCompletion, ChatCompletionChunk, ChatCompletionMessage, Model, Response
)
from modelwire.types._literals import Metadata, ReasoningEffort, ResponseIncludable, ServiceTier
from modelwire.types._params import (
    ChatCompletionAudioParam, ChatCompletionMessageParam, ChatCompletionPredictionContentParam,
    ChatCompletionStreamOptionsParam, ChatCompletionToolChoiceOptionParam,
    ChatCompletionToolUnionParam, CompletionCreateParamsFunction,
    CompletionCreateParamsFunctionCall, CompletionCreateParamsModeration,
    CompletionCreateParamsPromptCacheOptions, ContextManagement, ReasoningParam,
    ResponseCreateParamsAccessPrograms, ResponseCreateParamsBackgroundOptions,
    ResponseCreateParamsConversation, ResponseCreateParamsImage,
    ResponseCreateParamsPromptCacheOptions, ResponseCreateParamsToolChoice, ResponseFormat,
    ResponseInputItemParam, ResponsePromptParam, ResponseTextConfigParam, StreamOptions, ToolParam,
    WebSearchOptions
)
from modelwire.types._parts import ResponseOutputItem, ResponseStreamEvent

_T = TypeVar("_T")
_P = TypeVar("_P")
_P_co = TypeVar("_P_co", covariant=True)
_C = TypeVar("_C")

_Maybe: TypeAlias = _T | None | NotGiven | Omit
_Value: TypeAlias = Any
"""A JSON schema, a type, or an adapter of one."""

class _Adapter(Protocol[_P_co]):
    """A pydantic TypeAdapter."""

    def validate_python(self, object: Any, /) -> _P_co: ...

class _HttpxTimeout(Protocol):
    @property
    def connect(self) -> float | None: ...
    @property
    def read(self) -> float | None: ...

class _Pages(Generic[_T]):
    data: list[_T]
    def __init__(self, answer: Object) -> None: ...
    def __iter__(self) -> Iterator[_T]: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: SupportsIndex) -> _T: ...
    @overload
    def __getitem__(self, index: slice) -> list[_T]: ...
    object: str
    def __eq__(self, other: Any) -> bool: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @property
    def _request_id(self) -> str | None: ...
    @property
    def rate_limits(self) -> RateLimits | None:
        """The rate limits that the service reported; None if it reported none."""
    @property
    def timing(self) -> CallRecord | None:
        """The record of the call."""
    def has_next_page(self) -> bool:
        """False: the service lists its models on one page."""

class ModelList(_Pages[_T]):
    """The models of a service: iterable, and a list as `data`; always on one page."""

    def get_next_page(self) -> NoReturn:
        """There is no next page."""
    def iter_pages(self) -> Iterator[Self]:
        """Yields only this page."""

class AsyncModelList(ModelList[_T]):
    """The models of a service, from an asynchronous client: `for` and `async for` both work."""

    def __aiter__(self) -> AsyncIterator[_T]: ...
    async def get_next_page(self) -> NoReturn:  # type: ignore[override]
        """There is no next page."""
    def iter_pages(self) -> AsyncIterator[Self]:  # type: ignore[override]
        """Yields only this page."""

class AsyncPaginator:
    """What AsyncModels.list returns: awaited it is the list, iterated with `async for` its
    models."""

    def __init__(self, ask: Callable[[], Coroutine[Any, Any, AsyncModelList[Model]]]) -> None: ...
    def __await__(self) -> Generator[Any, None, AsyncModelList[Model]]: ...
    def __aiter__(self) -> AsyncIterator[Model]: ...

class _Resource(Generic[_C]):
    def __init__(self, client: _C) -> None: ...

class _Opening(Protocol[_T]):
    def __enter__(self) -> APIResponse[_T]: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None: ...

class _AsyncOpening(Protocol[_T]):
    async def __aenter__(self) -> AsyncAPIResponse[_T]: ...
    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None: ...


class _CallParams(TypedDict, total=False):
    extra_headers: Mapping[str, str | Omit] | None
    extra_query: Mapping[str, object] | None
    extra_body: Mapping[str, object] | None
    timeout: float | Timeout | _HttpxTimeout | None | NotGiven

class _ChatBaseParams(_CallParams, total=False):
    messages: Required[Iterable[ChatCompletionMessageParam | ChatCompletionMessage]]
    model: Required[str]
    audio: _Maybe[ChatCompletionAudioParam]
    frequency_penalty: _Maybe[float]
    function_call: _Maybe[CompletionCreateParamsFunctionCall]
    functions: _Maybe[Iterable[CompletionCreateParamsFunction]]
    logit_bias: _Maybe[dict[str, int]]
    logprobs: _Maybe[bool]
    max_completion_tokens: _Maybe[int]
    max_tokens: _Maybe[int]
    metadata: _Maybe[Metadata]
    modalities: _Maybe[Sequence[Literal["text", "audio"]]]
    moderation: _Maybe[CompletionCreateParamsModeration]
    n: _Maybe[int]
    parallel_tool_calls: _Maybe[bool]
    prediction: _Maybe[ChatCompletionPredictionContentParam]
    presence_penalty: _Maybe[float]
    prompt_cache_key: _Maybe[str]
    prompt_cache_options: _Maybe[CompletionCreateParamsPromptCacheOptions]
    prompt_cache_retention: _Maybe[Literal["in_memory", "24h"]]
    reasoning_effort: _Maybe[ReasoningEffort]
    safety_identifier: _Maybe[str]
    seed: _Maybe[int]
    service_tier: _Maybe[Literal["auto", "default", "flex", "scale", "priority", "fast"]]
    stop: _Maybe[str | SequenceNotStr[str]]
    store: _Maybe[bool]
    stream_options: _Maybe[ChatCompletionStreamOptionsParam]
    temperature: _Maybe[float]
    tool_choice: _Maybe[ChatCompletionToolChoiceOptionParam]
    top_logprobs: _Maybe[int]
    top_p: _Maybe[float]
    user: _Maybe[str]
    verbosity: _Maybe[Literal["low", "medium", "high"]]
    web_search_options: _Maybe[WebSearchOptions]

class _ChatStreamParams(_ChatBaseParams, total=False):
    tools: _Maybe[Iterable[ChatCompletionToolUnionParam]]

class _ChatParseParams(_ChatStreamParams, total=False):
    idempotency_key: _Maybe[str]
    stream_only: _Maybe[bool]

class _ChatCreateParams(_ChatStreamParams, total=False):
    idempotency_key: _Maybe[str]
    stream_only: _Maybe[bool]
    response_format: _Maybe[ResponseFormat]
    gather: _Maybe[bool]

class _ChatRunParams(_ChatBaseParams, total=False):
    idempotency_key: _Maybe[str]
    stream_only: _Maybe[bool]

class _ResponseBaseParams(_CallParams, total=False):
    input: _Maybe[str | Iterable[ResponseInputItemParam | ResponseOutputItem]]
    model: _Maybe[str]
    access_programs: _Maybe[ResponseCreateParamsAccessPrograms]
    background: _Maybe[bool]
    background_options: _Maybe[ResponseCreateParamsBackgroundOptions]
    context_management: _Maybe[Iterable[ContextManagement]]
    conversation: _Maybe[ResponseCreateParamsConversation]
    image: _Maybe[ResponseCreateParamsImage]
    include: _Maybe[Sequence[ResponseIncludable]]
    instructions: _Maybe[str]
    max_output_tokens: _Maybe[int]
    max_tool_calls: _Maybe[int]
    metadata: _Maybe[Metadata]
    moderation: _Maybe[CompletionCreateParamsModeration]
    parallel_tool_calls: _Maybe[bool]
    previous_response_id: _Maybe[str]
    prompt: _Maybe[ResponsePromptParam]
    prompt_cache_key: _Maybe[str]
    prompt_cache_options: _Maybe[ResponseCreateParamsPromptCacheOptions]
    prompt_cache_retention: _Maybe[Literal["in_memory", "24h"]]
    reasoning: _Maybe[ReasoningParam]
    safety_identifier: _Maybe[str]
    service_tier: _Maybe[ServiceTier]
    store: _Maybe[bool]
    stream_options: _Maybe[StreamOptions]
    temperature: _Maybe[float]
    text: _Maybe[ResponseTextConfigParam]
    tool_choice: _Maybe[ResponseCreateParamsToolChoice]
    top_logprobs: _Maybe[int]
    top_p: _Maybe[float]
    truncation: _Maybe[Literal["auto", "disabled"]]
    user: _Maybe[str]

class _ResponseStreamParams(_ResponseBaseParams, total=False):
    tools: _Maybe[Iterable[ToolParam]]

class _ResponseParseParams(_ResponseStreamParams, total=False):
    idempotency_key: _Maybe[str]
    stream_only: _Maybe[bool]
    parse_as: _Maybe[_Value]
    stream: Literal[False] | None | NotGiven | Omit
    verbosity: _Maybe[Literal["low", "medium", "high"]]

class _ResponseCreateParams(_ResponseStreamParams, total=False):
    idempotency_key: _Maybe[str]
    stream_only: _Maybe[bool]
    gather: _Maybe[bool]

class _ResponseRunParams(_ResponseBaseParams, total=False):
    idempotency_key: _Maybe[str]
    stream_only: _Maybe[bool]

class _CompletionsWithRawResponse:
    @overload
    def create(
        self, *, stream: Literal[False] | None | NotGiven | Omit = ..., **params: Unpack[_ChatCreateParams]
    ) -> LegacyAPIResponse[ChatCompletion]: ...
    @overload
    def create(self, *, stream: Literal[True], **params: Unpack[_ChatCreateParams]) -> LegacyAPIResponse[Stream[ChatCompletionChunk]]: ...
    @overload
    def create(self, *, stream: bool, **params: Unpack[_ChatCreateParams]) -> LegacyAPIResponse[ChatCompletion | Stream[ChatCompletionChunk]]: ...
    @overload
    def parse(self, *, response_format: type[_P], **params: Unpack[_ChatParseParams]) -> LegacyAPIResponse[ParsedChatCompletion[_P]]: ...
    @overload
    def parse(self, *, response_format: _Adapter[_P], **params: Unpack[_ChatParseParams]) -> LegacyAPIResponse[ParsedChatCompletion[_P]]: ...
    @overload
    def parse(self, *, response_format: _Maybe[_Value] = ..., **params: Unpack[_ChatParseParams]) -> LegacyAPIResponse[ParsedChatCompletion[Any]]: ...

class _ResponsesWithRawResponse:
    @overload
    def create(
        self, *, stream: Literal[False] | None | NotGiven | Omit = ..., **params: Unpack[_ResponseCreateParams]
    ) -> LegacyAPIResponse[Response]: ...
    @overload
    def create(self, *, stream: Literal[True], **params: Unpack[_ResponseCreateParams]) -> LegacyAPIResponse[Stream[ResponseStreamEvent]]: ...
    @overload
    def create(self, *, stream: bool, **params: Unpack[_ResponseCreateParams]) -> LegacyAPIResponse[Response | Stream[ResponseStreamEvent]]: ...
    @overload
    def parse(self, *, text_format: type[_P], **params: Unpack[_ResponseParseParams]) -> LegacyAPIResponse[ParsedResponse[_P]]: ...
    @overload
    def parse(self, *, text_format: _Adapter[_P], **params: Unpack[_ResponseParseParams]) -> LegacyAPIResponse[ParsedResponse[_P]]: ...
    @overload
    def parse(self, *, text_format: _Maybe[_Value] = ..., **params: Unpack[_ResponseParseParams]) -> LegacyAPIResponse[ParsedResponse[Any]]: ...

class _ModelsWithRawResponse:
    def list(self, **params: Unpack[_CallParams]) -> LegacyAPIResponse[ModelList[Model]]: ...

class _ChatWithRawResponse:
    completions: _CompletionsWithRawResponse

class _ClientWithRawResponse:
    models: _ModelsWithRawResponse
    chat: _ChatWithRawResponse
    responses: _ResponsesWithRawResponse

class _AsyncCompletionsWithRawResponse:
    @overload
    def create(
        self, *, stream: Literal[False] | None | NotGiven | Omit = ..., **params: Unpack[_ChatCreateParams]
    ) -> Coroutine[Any, Any, LegacyAPIResponse[ChatCompletion]]: ...
    @overload
    def create(self, *, stream: Literal[True], **params: Unpack[_ChatCreateParams]) -> Coroutine[Any, Any, LegacyAPIResponse[AsyncStream[ChatCompletionChunk]]]: ...
    @overload
    def create(self, *, stream: bool, **params: Unpack[_ChatCreateParams]) -> Coroutine[Any, Any, LegacyAPIResponse[ChatCompletion | AsyncStream[ChatCompletionChunk]]]: ...
    @overload
    def parse(self, *, response_format: type[_P], **params: Unpack[_ChatParseParams]) -> Coroutine[Any, Any, LegacyAPIResponse[ParsedChatCompletion[_P]]]: ...
    @overload
    def parse(self, *, response_format: _Adapter[_P], **params: Unpack[_ChatParseParams]) -> Coroutine[Any, Any, LegacyAPIResponse[ParsedChatCompletion[_P]]]: ...
    @overload
    def parse(self, *, response_format: _Maybe[_Value] = ..., **params: Unpack[_ChatParseParams]) -> Coroutine[Any, Any, LegacyAPIResponse[ParsedChatCompletion[Any]]]: ...

class _AsyncResponsesWithRawResponse:
    @overload
    def create(
        self, *, stream: Literal[False] | None | NotGiven | Omit = ..., **params: Unpack[_ResponseCreateParams]
    ) -> Coroutine[Any, Any, LegacyAPIResponse[Response]]: ...
    @overload
    def create(self, *, stream: Literal[True], **params: Unpack[_ResponseCreateParams]) -> Coroutine[Any, Any, LegacyAPIResponse[AsyncStream[ResponseStreamEvent]]]: ...
    @overload
    def create(self, *, stream: bool, **params: Unpack[_ResponseCreateParams]) -> Coroutine[Any, Any, LegacyAPIResponse[Response | AsyncStream[ResponseStreamEvent]]]: ...
    @overload
    def parse(self, *, text_format: type[_P], **params: Unpack[_ResponseParseParams]) -> Coroutine[Any, Any, LegacyAPIResponse[ParsedResponse[_P]]]: ...
    @overload
    def parse(self, *, text_format: _Adapter[_P], **params: Unpack[_ResponseParseParams]) -> Coroutine[Any, Any, LegacyAPIResponse[ParsedResponse[_P]]]: ...
    @overload
    def parse(self, *, text_format: _Maybe[_Value] = ..., **params: Unpack[_ResponseParseParams]) -> Coroutine[Any, Any, LegacyAPIResponse[ParsedResponse[Any]]]: ...

class _AsyncModelsWithRawResponse:
    def list(self, **params: Unpack[_CallParams]) -> Coroutine[Any, Any, LegacyAPIResponse[AsyncModelList[Model]]]: ...

class _AsyncChatWithRawResponse:
    completions: _AsyncCompletionsWithRawResponse

class _AsyncClientWithRawResponse:
    models: _AsyncModelsWithRawResponse
    chat: _AsyncChatWithRawResponse
    responses: _AsyncResponsesWithRawResponse

class _CompletionsWithStreamingResponse:
    @overload
    def create(
        self, *, stream: Literal[False] | None | NotGiven | Omit = ..., **params: Unpack[_ChatCreateParams]
    ) -> _Opening[ChatCompletion]: ...
    @overload
    def create(self, *, stream: Literal[True], **params: Unpack[_ChatCreateParams]) -> _Opening[Stream[ChatCompletionChunk]]: ...
    @overload
    def create(self, *, stream: bool, **params: Unpack[_ChatCreateParams]) -> _Opening[ChatCompletion | Stream[ChatCompletionChunk]]: ...
    @overload
    def parse(self, *, response_format: type[_P], **params: Unpack[_ChatParseParams]) -> _Opening[ParsedChatCompletion[_P]]: ...
    @overload
    def parse(self, *, response_format: _Adapter[_P], **params: Unpack[_ChatParseParams]) -> _Opening[ParsedChatCompletion[_P]]: ...
    @overload
    def parse(self, *, response_format: _Maybe[_Value] = ..., **params: Unpack[_ChatParseParams]) -> _Opening[ParsedChatCompletion[Any]]: ...

class _ResponsesWithStreamingResponse:
    @overload
    def create(
        self, *, stream: Literal[False] | None | NotGiven | Omit = ..., **params: Unpack[_ResponseCreateParams]
    ) -> _Opening[Response]: ...
    @overload
    def create(self, *, stream: Literal[True], **params: Unpack[_ResponseCreateParams]) -> _Opening[Stream[ResponseStreamEvent]]: ...
    @overload
    def create(self, *, stream: bool, **params: Unpack[_ResponseCreateParams]) -> _Opening[Response | Stream[ResponseStreamEvent]]: ...
    @overload
    def parse(self, *, text_format: type[_P], **params: Unpack[_ResponseParseParams]) -> _Opening[ParsedResponse[_P]]: ...
    @overload
    def parse(self, *, text_format: _Adapter[_P], **params: Unpack[_ResponseParseParams]) -> _Opening[ParsedResponse[_P]]: ...
    @overload
    def parse(self, *, text_format: _Maybe[_Value] = ..., **params: Unpack[_ResponseParseParams]) -> _Opening[ParsedResponse[Any]]: ...

class _ModelsWithStreamingResponse:
    def list(self, **params: Unpack[_CallParams]) -> _Opening[ModelList[Model]]: ...

class _ChatWithStreamingResponse:
    completions: _CompletionsWithStreamingResponse

class _ClientWithStreamingResponse:
    models: _ModelsWithStreamingResponse
    chat: _ChatWithStreamingResponse
    responses: _ResponsesWithStreamingResponse

class _AsyncCompletionsWithStreamingResponse:
    @overload
    def create(
        self, *, stream: Literal[False] | None | NotGiven | Omit = ..., **params: Unpack[_ChatCreateParams]
    ) -> _AsyncOpening[ChatCompletion]: ...
    @overload
    def create(self, *, stream: Literal[True], **params: Unpack[_ChatCreateParams]) -> _AsyncOpening[AsyncStream[ChatCompletionChunk]]: ...
    @overload
    def create(self, *, stream: bool, **params: Unpack[_ChatCreateParams]) -> _AsyncOpening[ChatCompletion | AsyncStream[ChatCompletionChunk]]: ...
    @overload
    def parse(self, *, response_format: type[_P], **params: Unpack[_ChatParseParams]) -> _AsyncOpening[ParsedChatCompletion[_P]]: ...
    @overload
    def parse(self, *, response_format: _Adapter[_P], **params: Unpack[_ChatParseParams]) -> _AsyncOpening[ParsedChatCompletion[_P]]: ...
    @overload
    def parse(self, *, response_format: _Maybe[_Value] = ..., **params: Unpack[_ChatParseParams]) -> _AsyncOpening[ParsedChatCompletion[Any]]: ...

class _AsyncResponsesWithStreamingResponse:
    @overload
    def create(
        self, *, stream: Literal[False] | None | NotGiven | Omit = ..., **params: Unpack[_ResponseCreateParams]
    ) -> _AsyncOpening[Response]: ...
    @overload
    def create(self, *, stream: Literal[True], **params: Unpack[_ResponseCreateParams]) -> _AsyncOpening[AsyncStream[ResponseStreamEvent]]: ...
    @overload
    def create(self, *, stream: bool, **params: Unpack[_ResponseCreateParams]) -> _AsyncOpening[Response | AsyncStream[ResponseStreamEvent]]: ...
    @overload
    def parse(self, *, text_format: type[_P], **params: Unpack[_ResponseParseParams]) -> _AsyncOpening[ParsedResponse[_P]]: ...
    @overload
    def parse(self, *, text_format: _Adapter[_P], **params: Unpack[_ResponseParseParams]) -> _AsyncOpening[ParsedResponse[_P]]: ...
    @overload
    def parse(self, *, text_format: _Maybe[_Value] = ..., **params: Unpack[_ResponseParseParams]) -> _AsyncOpening[ParsedResponse[Any]]: ...

class _AsyncModelsWithStreamingResponse:
    def list(self, **params: Unpack[_CallParams]) -> _AsyncOpening[AsyncModelList[Model]]: ...

class _AsyncChatWithStreamingResponse:
    completions: _AsyncCompletionsWithStreamingResponse

class _AsyncClientWithStreamingResponse:
    models: _AsyncModelsWithStreamingResponse
    chat: _AsyncChatWithStreamingResponse
    responses: _AsyncResponsesWithStreamingResponse

def end() -> None: ...

class Models(_Resource[Client]):
    """`client.models`"""

    @property
    def with_raw_response(self) -> _ModelsWithRawResponse:
        """The same methods, which return the answer with its status and headers."""
    @property
    def with_streaming_response(self) -> _ModelsWithStreamingResponse:
        """The same methods as context managers; the answer is read when it is asked for."""

    def list(
        self,
        *,
        extra_headers: Mapping[str, str | Omit] | None = None,
        extra_query: Mapping[str, object] | None = None,
        extra_body: Mapping[str, object] | None = None,
        timeout: float | Timeout | _HttpxTimeout | None | NotGiven = ...,
    ) -> ModelList[Model]:
        """The models that the service offers."""
    def retrieve(self, *arguments: Any, **named: Any) -> NoReturn: ...
    def delete(self, *arguments: Any, **named: Any) -> NoReturn: ...

class AsyncModels(_Resource[AsyncClient]):
    """`async_client.models`"""

    @property
    def with_raw_response(self) -> _AsyncModelsWithRawResponse:
        """The same methods, which return the answer with its status and headers."""
    @property
    def with_streaming_response(self) -> _AsyncModelsWithStreamingResponse:
        """The same methods as context managers; the answer is read when it is asked for."""

    def list(
        self,
        *,
        extra_headers: Mapping[str, str | Omit] | None = None,
        extra_query: Mapping[str, object] | None = None,
        extra_body: Mapping[str, object] | None = None,
        timeout: float | Timeout | _HttpxTimeout | None | NotGiven = ...,
    ) -> AsyncPaginator:
        """The models that the service offers: `await` it, or iterate it with `async for`."""
    def retrieve(self, *arguments: Any, **named: Any) -> NoReturn: ...
    def delete(self, *arguments: Any, **named: Any) -> NoReturn: ...

class Completions(_Resource[Client]):
    """`client.chat.completions`"""

    @property
    def with_raw_response(self) -> _CompletionsWithRawResponse:
        """The same methods, which return the answer with its status and headers."""
    @property
    def with_streaming_response(self) -> _CompletionsWithStreamingResponse:
        """The same methods as context managers; the answer is read when it is asked for."""

    @overload
    def create(
        self, *, stream: Literal[False] | None | NotGiven | Omit = ..., **params:
        Unpack[_ChatCreateParams]
    ) -> ChatCompletion: ...
    @overload
    def create(
        self, *, stream: Literal[True], **params: Unpack[_ChatCreateParams]
    ) -> Stream[ChatCompletionChunk]: ...
    @overload
    def create(
        self, *, stream: bool, **params: Unpack[_ChatCreateParams]
    ) -> ChatCompletion | Stream[ChatCompletionChunk]:
        """Creates a chat completion: the answer, or with stream=True its chunks.

        A higher max_tokens may consume more; longer messages generally cost more and take
        longer. stream changes only how the answer comes: it is not free.
        """
    @overload
    def parse(
        self, *, response_format: type[_P], **params: Unpack[_ChatParseParams]
    ) -> ParsedChatCompletion[_P]: ...
    @overload
    def parse(
        self, *, response_format: _Adapter[_P], **params: Unpack[_ChatParseParams]
    ) -> ParsedChatCompletion[_P]: ...
    @overload
    def parse(
        self, *, response_format: _Maybe[_Value] = ..., **params: Unpack[_ChatParseParams]
    ) -> ParsedChatCompletion[Any]:
        """Creates it and parses it: the answer, with values of the type that was asked for."""
    @overload
    def stream(
        self, *, response_format: type[_P], **params: Unpack[_ChatStreamParams]
    ) -> StreamManager[ChatCompletionStream[_P]]: ...
    @overload
    def stream(
        self, *, response_format: _Adapter[_P], **params: Unpack[_ChatStreamParams]
    ) -> StreamManager[ChatCompletionStream[_P]]: ...
    @overload
    def stream(
        self, *, response_format: _Maybe[_Value] = ..., **params: Unpack[_ChatStreamParams]
    ) -> StreamManager[ChatCompletionStream[Any]]:
        """Streams it as events, with snapshots and the whole answer, parsed, at the end."""
    @overload
    def run_tools(
        self, *, response_format: type[_P], tools: Iterable[Any], max_turns: int | None = None,
        raise_errors: bool = False, **params: Unpack[_ChatRunParams]
    ) -> Run[ParsedChatCompletion[_P]]: ...
    @overload
    def run_tools(
        self, *, response_format: _Adapter[_P], tools: Iterable[Any], max_turns: int | None =
        None, raise_errors: bool = False, **params: Unpack[_ChatRunParams]
    ) -> Run[ParsedChatCompletion[_P]]: ...
    @overload
    def run_tools(
        self, *, response_format: _Maybe[_Value] = ..., tools: Iterable[Any], max_turns: int |
        None = None, raise_errors: bool = False, **params: Unpack[_ChatRunParams]
    ) -> Run[ParsedChatCompletion[Any]]:
        """Runs tools until the model answers; iterate its turns, or ask for the final answer."""
    def list(self, *arguments: Any, **named: Any) -> NoReturn: ...
    def retrieve(self, *arguments: Any, **named: Any) -> NoReturn: ...
    def update(self, *arguments: Any, **named: Any) -> NoReturn: ...
    def delete(self, *arguments: Any, **named: Any) -> NoReturn: ...

class AsyncCompletions(_Resource[AsyncClient]):
    """`async_client.chat.completions`"""

    @property
    def with_raw_response(self) -> _AsyncCompletionsWithRawResponse:
        """The same methods, which return the answer with its status and headers."""
    @property
    def with_streaming_response(self) -> _AsyncCompletionsWithStreamingResponse:
        """The same methods as context managers; the answer is read when it is asked for."""

    @overload
    async def create(
        self, *, stream: Literal[False] | None | NotGiven | Omit = ..., **params:
        Unpack[_ChatCreateParams]
    ) -> ChatCompletion: ...
    @overload
    async def create(
        self, *, stream: Literal[True], **params: Unpack[_ChatCreateParams]
    ) -> AsyncStream[ChatCompletionChunk]: ...
    @overload
    async def create(
        self, *, stream: bool, **params: Unpack[_ChatCreateParams]
    ) -> ChatCompletion | AsyncStream[ChatCompletionChunk]:
        """Creates a chat completion: the answer, or with stream=True its chunks.

        A higher max_tokens may consume more; longer messages generally cost more and take
        longer. stream changes only how the answer comes: it is not free.
        """
    @overload
    async def parse(
        self, *, response_format: type[_P], **params: Unpack[_ChatParseParams]
    ) -> ParsedChatCompletion[_P]: ...
    @overload
    async def parse(
        self, *, response_format: _Adapter[_P], **params: Unpack[_ChatParseParams]
    ) -> ParsedChatCompletion[_P]: ...
    @overload
    async def parse(
        self, *, response_format: _Maybe[_Value] = ..., **params: Unpack[_ChatParseParams]
    ) -> ParsedChatCompletion[Any]:
        """Creates it and parses it: the answer, with values of the type that was asked for."""
    @overload
    def stream(
        self, *, response_format: type[_P], **params: Unpack[_ChatStreamParams]
    ) -> AsyncStreamManager[AsyncChatCompletionStream[_P]]: ...
    @overload
    def stream(
        self, *, response_format: _Adapter[_P], **params: Unpack[_ChatStreamParams]
    ) -> AsyncStreamManager[AsyncChatCompletionStream[_P]]: ...
    @overload
    def stream(
        self, *, response_format: _Maybe[_Value] = ..., **params: Unpack[_ChatStreamParams]
    ) -> AsyncStreamManager[AsyncChatCompletionStream[Any]]:
        """Streams it as events, with snapshots and the whole answer, parsed, at the end."""
    @overload
    def run_tools(
        self, *, response_format: type[_P], tools: Iterable[Any], max_turns: int | None = None,
        raise_errors: bool = False, **params: Unpack[_ChatRunParams]
    ) -> AsyncRun[ParsedChatCompletion[_P]]: ...
    @overload
    def run_tools(
        self, *, response_format: _Adapter[_P], tools: Iterable[Any], max_turns: int | None =
        None, raise_errors: bool = False, **params: Unpack[_ChatRunParams]
    ) -> AsyncRun[ParsedChatCompletion[_P]]: ...
    @overload
    def run_tools(
        self, *, response_format: _Maybe[_Value] = ..., tools: Iterable[Any], max_turns: int |
        None = None, raise_errors: bool = False, **params: Unpack[_ChatRunParams]
    ) -> AsyncRun[ParsedChatCompletion[Any]]:
        """Runs tools until the model answers; iterate its turns, or ask for the final answer."""
    def list(self, *arguments: Any, **named: Any) -> NoReturn: ...
    def retrieve(self, *arguments: Any, **named: Any) -> NoReturn: ...
    def update(self, *arguments: Any, **named: Any) -> NoReturn: ...
    def delete(self, *arguments: Any, **named: Any) -> NoReturn: ...

class Responses(_Resource[Client]):
    """`client.responses`"""

    @property
    def with_raw_response(self) -> _ResponsesWithRawResponse:
        """The same methods, which return the answer with its status and headers."""
    @property
    def with_streaming_response(self) -> _ResponsesWithStreamingResponse:
        """The same methods as context managers; the answer is read when it is asked for."""

    @overload
    def create(
        self, *, stream: Literal[False] | None | NotGiven | Omit = ..., **params:
        Unpack[_ResponseCreateParams]
    ) -> Response: ...
    @overload
    def create(
        self, *, stream: Literal[True], **params: Unpack[_ResponseCreateParams]
    ) -> Stream[ResponseStreamEvent]: ...
    @overload
    def create(
        self, *, stream: bool, **params: Unpack[_ResponseCreateParams]
    ) -> Response | Stream[ResponseStreamEvent]:
        """Creates a response: the answer, or with stream=True its events.

        A higher max_output_tokens may consume more; a longer input generally costs more and
        takes longer. stream changes only how the answer comes: it is not free.
        """
    @overload
    def parse(
        self, *, text_format: type[_P], **params: Unpack[_ResponseParseParams]
    ) -> ParsedResponse[_P]: ...
    @overload
    def parse(
        self, *, text_format: _Adapter[_P], **params: Unpack[_ResponseParseParams]
    ) -> ParsedResponse[_P]: ...
    @overload
    def parse(
        self, *, text_format: _Maybe[_Value] = ..., **params: Unpack[_ResponseParseParams]
    ) -> ParsedResponse[Any]:
        """Creates it and parses it: the answer, with values of the type that was asked for."""
    @overload
    def stream(
        self, *, text_format: type[_P], **params: Unpack[_ResponseStreamParams]
    ) -> StreamManager[ResponseStream[_P]]: ...
    @overload
    def stream(
        self, *, text_format: _Adapter[_P], **params: Unpack[_ResponseStreamParams]
    ) -> StreamManager[ResponseStream[_P]]: ...
    @overload
    def stream(
        self, *, text_format: _Maybe[_Value] = ..., **params: Unpack[_ResponseStreamParams]
    ) -> StreamManager[ResponseStream[Any]]:
        """Streams it as events, with snapshots and the whole answer, parsed, at the end."""
    @overload
    def run_tools(
        self, *, text_format: type[_P], tools: Iterable[Any], max_turns: int | None = None,
        raise_errors: bool = False, **params: Unpack[_ResponseRunParams]
    ) -> Run[ParsedResponse[_P]]: ...
    @overload
    def run_tools(
        self, *, text_format: _Adapter[_P], tools: Iterable[Any], max_turns: int | None = None,
        raise_errors: bool = False, **params: Unpack[_ResponseRunParams]
    ) -> Run[ParsedResponse[_P]]: ...
    @overload
    def run_tools(
        self, *, text_format: _Maybe[_Value] = ..., tools: Iterable[Any], max_turns: int | None
        = None, raise_errors: bool = False, **params: Unpack[_ResponseRunParams]
    ) -> Run[ParsedResponse[Any]]:
        """Runs tools until the model answers; iterate its turns, or ask for the final answer."""
    def retrieve(self, *arguments: Any, **named: Any) -> NoReturn: ...
    def delete(self, *arguments: Any, **named: Any) -> NoReturn: ...
    def cancel(self, *arguments: Any, **named: Any) -> NoReturn: ...
    def compact(self, *arguments: Any, **named: Any) -> NoReturn: ...

class AsyncResponses(_Resource[AsyncClient]):
    """`async_client.responses`"""

    @property
    def with_raw_response(self) -> _AsyncResponsesWithRawResponse:
        """The same methods, which return the answer with its status and headers."""
    @property
    def with_streaming_response(self) -> _AsyncResponsesWithStreamingResponse:
        """The same methods as context managers; the answer is read when it is asked for."""

    @overload
    async def create(
        self, *, stream: Literal[False] | None | NotGiven | Omit = ..., **params:
        Unpack[_ResponseCreateParams]
    ) -> Response: ...
    @overload
    async def create(
        self, *, stream: Literal[True], **params: Unpack[_ResponseCreateParams]
    ) -> AsyncStream[ResponseStreamEvent]: ...
    @overload
    async def create(
        self, *, stream: bool, **params: Unpack[_ResponseCreateParams]
    ) -> Response | AsyncStream[ResponseStreamEvent]:
        """Creates a response: the answer, or with stream=True its events.

        A higher max_output_tokens may consume more; a longer input generally costs more and
        takes longer. stream changes only how the answer comes: it is not free.
        """
    @overload
    async def parse(
        self, *, text_format: type[_P], **params: Unpack[_ResponseParseParams]
    ) -> ParsedResponse[_P]: ...
    @overload
    async def parse(
        self, *, text_format: _Adapter[_P], **params: Unpack[_ResponseParseParams]
    ) -> ParsedResponse[_P]: ...
    @overload
    async def parse(
        self, *, text_format: _Maybe[_Value] = ..., **params: Unpack[_ResponseParseParams]
    ) -> ParsedResponse[Any]:
        """Creates it and parses it: the answer, with values of the type that was asked for."""
    @overload
    def stream(
        self, *, text_format: type[_P], **params: Unpack[_ResponseStreamParams]
    ) -> AsyncStreamManager[AsyncResponseStream[_P]]: ...
    @overload
    def stream(
        self, *, text_format: _Adapter[_P], **params: Unpack[_ResponseStreamParams]
    ) -> AsyncStreamManager[AsyncResponseStream[_P]]: ...
    @overload
    def stream(
        self, *, text_format: _Maybe[_Value] = ..., **params: Unpack[_ResponseStreamParams]
    ) -> AsyncStreamManager[AsyncResponseStream[Any]]:
        """Streams it as events, with snapshots and the whole answer, parsed, at the end."""
    @overload
    def run_tools(
        self, *, text_format: type[_P], tools: Iterable[Any], max_turns: int | None = None,
        raise_errors: bool = False, **params: Unpack[_ResponseRunParams]
    ) -> AsyncRun[ParsedResponse[_P]]: ...
    @overload
    def run_tools(
        self, *, text_format: _Adapter[_P], tools: Iterable[Any], max_turns: int | None = None,
        raise_errors: bool = False, **params: Unpack[_ResponseRunParams]
    ) -> AsyncRun[ParsedResponse[_P]]: ...
    @overload
    def run_tools(
        self, *, text_format: _Maybe[_Value] = ..., tools: Iterable[Any], max_turns: int | None
        = None, raise_errors: bool = False, **params: Unpack[_ResponseRunParams]
    ) -> AsyncRun[ParsedResponse[Any]]:
        """Runs tools until the model answers; iterate its turns, or ask for the final answer."""
    def retrieve(self, *arguments: Any, **named: Any) -> NoReturn: ...
    def delete(self, *arguments: Any, **named: Any) -> NoReturn: ...
    def cancel(self, *arguments: Any, **named: Any) -> NoReturn: ...
    def compact(self, *arguments: Any, **named: Any) -> NoReturn: ...

class Chat(_Resource[Client]):
    """`client.chat`"""

    completions: Completions
    @property
    def with_raw_response(self) -> _ChatWithRawResponse:
        """The same methods, returning the answer with its status and headers."""
    @property
    def with_streaming_response(self) -> _ChatWithStreamingResponse:
        """The same methods as context managers; the answer is read on demand."""

class AsyncChat(_Resource[AsyncClient]):
    """`async_client.chat`"""

    completions: AsyncCompletions
    @property
    def with_raw_response(self) -> _AsyncChatWithRawResponse:
        """The same methods, returning the answer with its status and headers."""
    @property
    def with_streaming_response(self) -> _AsyncChatWithStreamingResponse:
        """The same methods as context managers; the answer is read on demand."""

class Beta:
    """`client.beta`: the same calls, where older programs look for them."""

    chat: Chat
    def __init__(self, chat: Chat) -> None: ...

class AsyncBeta:
    """`async_client.beta`: the same calls, where older programs look for them."""

    chat: AsyncChat
    def __init__(self, chat: AsyncChat) -> None: ...
