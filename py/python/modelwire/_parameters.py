"""The named parameters of the operations, and their conversion: the fields of the request, whether
it streams, and the options of the call.

The types of the parameters are in `_resources.pyi`; both are generated from the same table.
"""

# mypy: disallow_untyped_defs = False

from __future__ import annotations

from modelwire._options import NOT_GIVEN, as_dict, is_given, refuse

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any


class Call:
    """The options of one call, apart from the fields of its request."""

    __slots__ = ("headers", "is_hooked", "is_requested", "options", "query", "timeout")

    def __init__(self, fields: dict[str, Any]) -> None:
        headers, query = fields.pop("extra_headers"), fields.pop("extra_query")
        self.headers = headers and as_dict("extra_headers", headers)
        self.query = query and as_dict("extra_query", query)
        self.timeout = fields.pop("timeout")
        # Those that are given, by the core's names.
        self.options = {}
        for name in OPTIONS:
            value = fields.pop(name, None)
            if value is not None and is_given(value):
                self.options[name] = value
        # Whether the client's hooks and its `request` were called for it.
        self.is_hooked = self.is_requested = False


def _taken_apart(fields: dict[str, Any]) -> tuple[dict[str, Any], bool, Call]:
    del fields["self"]
    call = Call(fields)
    more = fields.pop("extra_body", None)
    stream = fields.pop("stream", False)
    if more:
        fields.update(as_dict("extra_body", more))  # takes precedence, as in openai-python
    if stream is not None and not isinstance(stream, bool):
        if is_given(stream):
            raise TypeError(f"stream takes a bool, not {stream!r}")
        stream = False
    return fields, bool(stream), call


def _helper(fields: dict[str, Any]) -> tuple[dict[str, Any], bool, Call]:
    """Like `_taken_apart`, for the helper streams, which always stream and gather."""
    return _taken_apart({**fields, "stream": True, "gather": True})


def _listed(fields: dict[str, Any]) -> Call:
    """The options of models.list; a GET has no body, so extra_body is rejected."""
    body = fields.pop("extra_body")
    if body is not None and is_given(body):
        raise TypeError("models.list() sends no body: extra_body is not supported")
    return Call(fields)


# What follows is written by `make generate` from the tables of py/stubs/write.py.

OPTIONS = (
    "idempotency_key",
    "stream_only",
    "gather",
)


def chat(
    self,
    *,
    messages,
    model,
    audio=NOT_GIVEN,
    frequency_penalty=NOT_GIVEN,
    function_call=NOT_GIVEN,
    functions=NOT_GIVEN,
    logit_bias=NOT_GIVEN,
    logprobs=NOT_GIVEN,
    max_completion_tokens=NOT_GIVEN,
    max_tokens=NOT_GIVEN,
    metadata=NOT_GIVEN,
    modalities=NOT_GIVEN,
    moderation=NOT_GIVEN,
    n=NOT_GIVEN,
    parallel_tool_calls=NOT_GIVEN,
    prediction=NOT_GIVEN,
    presence_penalty=NOT_GIVEN,
    prompt_cache_key=NOT_GIVEN,
    prompt_cache_options=NOT_GIVEN,
    prompt_cache_retention=NOT_GIVEN,
    reasoning_effort=NOT_GIVEN,
    response_format=NOT_GIVEN,
    safety_identifier=NOT_GIVEN,
    seed=NOT_GIVEN,
    service_tier=NOT_GIVEN,
    stop=NOT_GIVEN,
    store=NOT_GIVEN,
    stream=NOT_GIVEN,
    stream_options=NOT_GIVEN,
    temperature=NOT_GIVEN,
    tool_choice=NOT_GIVEN,
    tools=NOT_GIVEN,
    top_logprobs=NOT_GIVEN,
    top_p=NOT_GIVEN,
    user=NOT_GIVEN,
    verbosity=NOT_GIVEN,
    web_search_options=NOT_GIVEN,
    extra_headers=None,
    extra_query=None,
    extra_body=None,
    timeout=NOT_GIVEN,
    idempotency_key=NOT_GIVEN,
    stream_only=NOT_GIVEN,
    gather=NOT_GIVEN,
):
    """The parameters of chat.completions.create."""
    return _taken_apart(locals())


def response(
    self,
    *,
    input=NOT_GIVEN,
    model=NOT_GIVEN,
    access_programs=NOT_GIVEN,
    background=NOT_GIVEN,
    background_options=NOT_GIVEN,
    context_management=NOT_GIVEN,
    conversation=NOT_GIVEN,
    image=NOT_GIVEN,
    include=NOT_GIVEN,
    instructions=NOT_GIVEN,
    max_output_tokens=NOT_GIVEN,
    max_tool_calls=NOT_GIVEN,
    metadata=NOT_GIVEN,
    moderation=NOT_GIVEN,
    parallel_tool_calls=NOT_GIVEN,
    previous_response_id=NOT_GIVEN,
    prompt=NOT_GIVEN,
    prompt_cache_key=NOT_GIVEN,
    prompt_cache_options=NOT_GIVEN,
    prompt_cache_retention=NOT_GIVEN,
    reasoning=NOT_GIVEN,
    safety_identifier=NOT_GIVEN,
    service_tier=NOT_GIVEN,
    store=NOT_GIVEN,
    stream=NOT_GIVEN,
    stream_options=NOT_GIVEN,
    temperature=NOT_GIVEN,
    text=NOT_GIVEN,
    tool_choice=NOT_GIVEN,
    tools=NOT_GIVEN,
    top_logprobs=NOT_GIVEN,
    top_p=NOT_GIVEN,
    truncation=NOT_GIVEN,
    user=NOT_GIVEN,
    extra_headers=None,
    extra_query=None,
    extra_body=None,
    timeout=NOT_GIVEN,
    idempotency_key=NOT_GIVEN,
    stream_only=NOT_GIVEN,
    gather=NOT_GIVEN,
):
    """The parameters of responses.create."""
    return _taken_apart(locals())


def chat_parse(
    self,
    *,
    messages,
    model,
    audio=NOT_GIVEN,
    frequency_penalty=NOT_GIVEN,
    function_call=NOT_GIVEN,
    functions=NOT_GIVEN,
    logit_bias=NOT_GIVEN,
    logprobs=NOT_GIVEN,
    max_completion_tokens=NOT_GIVEN,
    max_tokens=NOT_GIVEN,
    metadata=NOT_GIVEN,
    modalities=NOT_GIVEN,
    moderation=NOT_GIVEN,
    n=NOT_GIVEN,
    parallel_tool_calls=NOT_GIVEN,
    prediction=NOT_GIVEN,
    presence_penalty=NOT_GIVEN,
    prompt_cache_key=NOT_GIVEN,
    prompt_cache_options=NOT_GIVEN,
    prompt_cache_retention=NOT_GIVEN,
    reasoning_effort=NOT_GIVEN,
    response_format=NOT_GIVEN,
    safety_identifier=NOT_GIVEN,
    seed=NOT_GIVEN,
    service_tier=NOT_GIVEN,
    stop=NOT_GIVEN,
    store=NOT_GIVEN,
    stream_options=NOT_GIVEN,
    temperature=NOT_GIVEN,
    tool_choice=NOT_GIVEN,
    tools=NOT_GIVEN,
    top_logprobs=NOT_GIVEN,
    top_p=NOT_GIVEN,
    user=NOT_GIVEN,
    verbosity=NOT_GIVEN,
    web_search_options=NOT_GIVEN,
    extra_headers=None,
    extra_query=None,
    extra_body=None,
    timeout=NOT_GIVEN,
    idempotency_key=NOT_GIVEN,
    stream_only=NOT_GIVEN,
):
    """The parameters of chat.completions.parse."""
    return _taken_apart(locals())


def response_parse(
    self,
    *,
    input=NOT_GIVEN,
    model=NOT_GIVEN,
    access_programs=NOT_GIVEN,
    background=NOT_GIVEN,
    background_options=NOT_GIVEN,
    context_management=NOT_GIVEN,
    conversation=NOT_GIVEN,
    image=NOT_GIVEN,
    include=NOT_GIVEN,
    instructions=NOT_GIVEN,
    max_output_tokens=NOT_GIVEN,
    max_tool_calls=NOT_GIVEN,
    metadata=NOT_GIVEN,
    moderation=NOT_GIVEN,
    parallel_tool_calls=NOT_GIVEN,
    previous_response_id=NOT_GIVEN,
    prompt=NOT_GIVEN,
    prompt_cache_key=NOT_GIVEN,
    prompt_cache_options=NOT_GIVEN,
    prompt_cache_retention=NOT_GIVEN,
    reasoning=NOT_GIVEN,
    safety_identifier=NOT_GIVEN,
    service_tier=NOT_GIVEN,
    store=NOT_GIVEN,
    stream_options=NOT_GIVEN,
    temperature=NOT_GIVEN,
    text=NOT_GIVEN,
    tool_choice=NOT_GIVEN,
    tools=NOT_GIVEN,
    top_logprobs=NOT_GIVEN,
    top_p=NOT_GIVEN,
    truncation=NOT_GIVEN,
    user=NOT_GIVEN,
    text_format=NOT_GIVEN,
    parse_as=NOT_GIVEN,
    stream=NOT_GIVEN,
    verbosity=NOT_GIVEN,
    extra_headers=None,
    extra_query=None,
    extra_body=None,
    timeout=NOT_GIVEN,
    idempotency_key=NOT_GIVEN,
    stream_only=NOT_GIVEN,
):
    """The parameters of responses.parse."""
    return _taken_apart(locals())


def chat_stream(
    self,
    *,
    messages,
    model,
    audio=NOT_GIVEN,
    frequency_penalty=NOT_GIVEN,
    function_call=NOT_GIVEN,
    functions=NOT_GIVEN,
    logit_bias=NOT_GIVEN,
    logprobs=NOT_GIVEN,
    max_completion_tokens=NOT_GIVEN,
    max_tokens=NOT_GIVEN,
    metadata=NOT_GIVEN,
    modalities=NOT_GIVEN,
    moderation=NOT_GIVEN,
    n=NOT_GIVEN,
    parallel_tool_calls=NOT_GIVEN,
    prediction=NOT_GIVEN,
    presence_penalty=NOT_GIVEN,
    prompt_cache_key=NOT_GIVEN,
    prompt_cache_options=NOT_GIVEN,
    prompt_cache_retention=NOT_GIVEN,
    reasoning_effort=NOT_GIVEN,
    response_format=NOT_GIVEN,
    safety_identifier=NOT_GIVEN,
    seed=NOT_GIVEN,
    service_tier=NOT_GIVEN,
    stop=NOT_GIVEN,
    store=NOT_GIVEN,
    stream_options=NOT_GIVEN,
    temperature=NOT_GIVEN,
    tool_choice=NOT_GIVEN,
    tools=NOT_GIVEN,
    top_logprobs=NOT_GIVEN,
    top_p=NOT_GIVEN,
    user=NOT_GIVEN,
    verbosity=NOT_GIVEN,
    web_search_options=NOT_GIVEN,
    extra_headers=None,
    extra_query=None,
    extra_body=None,
    timeout=NOT_GIVEN,
):
    """The parameters of chat.completions.stream: those of create."""
    return _helper(locals())


def response_stream(
    self,
    *,
    input=NOT_GIVEN,
    model=NOT_GIVEN,
    access_programs=NOT_GIVEN,
    background=NOT_GIVEN,
    background_options=NOT_GIVEN,
    context_management=NOT_GIVEN,
    conversation=NOT_GIVEN,
    image=NOT_GIVEN,
    include=NOT_GIVEN,
    instructions=NOT_GIVEN,
    max_output_tokens=NOT_GIVEN,
    max_tool_calls=NOT_GIVEN,
    metadata=NOT_GIVEN,
    moderation=NOT_GIVEN,
    parallel_tool_calls=NOT_GIVEN,
    previous_response_id=NOT_GIVEN,
    prompt=NOT_GIVEN,
    prompt_cache_key=NOT_GIVEN,
    prompt_cache_options=NOT_GIVEN,
    prompt_cache_retention=NOT_GIVEN,
    reasoning=NOT_GIVEN,
    safety_identifier=NOT_GIVEN,
    service_tier=NOT_GIVEN,
    store=NOT_GIVEN,
    stream_options=NOT_GIVEN,
    temperature=NOT_GIVEN,
    text=NOT_GIVEN,
    tool_choice=NOT_GIVEN,
    tools=NOT_GIVEN,
    top_logprobs=NOT_GIVEN,
    top_p=NOT_GIVEN,
    truncation=NOT_GIVEN,
    user=NOT_GIVEN,
    text_format=NOT_GIVEN,
    extra_headers=None,
    extra_query=None,
    extra_body=None,
    timeout=NOT_GIVEN,
):
    """The parameters of responses.stream: those of create."""
    return _helper(locals())


def models(
    self,
    *,
    extra_headers=None,
    extra_query=None,
    extra_body=None,
    timeout=NOT_GIVEN,
):
    """The parameters of models.list."""
    return _listed(locals())


chat.__annotations__ = {
    "messages": "Iterable[ChatCompletionMessageParam | ChatCompletionMessage]",
    "model": "str",
    "audio": "ChatCompletionAudioParam | None",
    "frequency_penalty": "float | None",
    "function_call": "CompletionCreateParamsFunctionCall | None",
    "functions": "Iterable[CompletionCreateParamsFunction] | None",
    "logit_bias": "dict[str, int] | None",
    "logprobs": "bool | None",
    "max_completion_tokens": "int | None",
    "max_tokens": "int | None",
    "metadata": "Metadata | None",
    "modalities": 'Sequence[Literal["text", "audio"]] | None',
    "moderation": "CompletionCreateParamsModeration | None",
    "n": "int | None",
    "parallel_tool_calls": "bool | None",
    "prediction": "ChatCompletionPredictionContentParam | None",
    "presence_penalty": "float | None",
    "prompt_cache_key": "str | None",
    "prompt_cache_options": "CompletionCreateParamsPromptCacheOptions | None",
    "prompt_cache_retention": 'Literal["in_memory", "24h"] | None',
    "reasoning_effort": "ReasoningEffort | None",
    "response_format": "ResponseFormat | None",
    "safety_identifier": "str | None",
    "seed": "int | None",
    "service_tier": 'Literal["auto", "default", "flex", "scale", "priority", "fast"] | None',
    "stop": "str | Sequence[str] | None",
    "store": "bool | None",
    "stream": "bool | None",
    "stream_options": "ChatCompletionStreamOptionsParam | None",
    "temperature": "float | None",
    "tool_choice": "ChatCompletionToolChoiceOptionParam | None",
    "tools": "Iterable[ChatCompletionToolUnionParam] | None",
    "top_logprobs": "int | None",
    "top_p": "float | None",
    "user": "str | None",
    "verbosity": 'Literal["low", "medium", "high"] | None',
    "web_search_options": "WebSearchOptions | None",
    "extra_headers": "Mapping[str, str | Omit] | None",
    "extra_query": "Mapping[str, object] | None",
    "extra_body": "Mapping[str, object] | None",
    "timeout": "float | Timeout | httpx.Timeout | None",
    "idempotency_key": "str | None",
    "stream_only": "bool | None",
    "gather": "bool | None",
}
response.__annotations__ = {
    "input": "str | Iterable[ResponseInputItemParam | ResponseOutputItem] | None",
    "model": "str | None",
    "access_programs": "ResponseCreateParamsAccessPrograms | None",
    "background": "bool | None",
    "background_options": "ResponseCreateParamsBackgroundOptions | None",
    "context_management": "Iterable[ContextManagement] | None",
    "conversation": "ResponseCreateParamsConversation | None",
    "image": "ResponseCreateParamsImage | None",
    "include": "Sequence[ResponseIncludable] | None",
    "instructions": "str | None",
    "max_output_tokens": "int | None",
    "max_tool_calls": "int | None",
    "metadata": "Metadata | None",
    "moderation": "CompletionCreateParamsModeration | None",
    "parallel_tool_calls": "bool | None",
    "previous_response_id": "str | None",
    "prompt": "ResponsePromptParam | None",
    "prompt_cache_key": "str | None",
    "prompt_cache_options": "ResponseCreateParamsPromptCacheOptions | None",
    "prompt_cache_retention": 'Literal["in_memory", "24h"] | None',
    "reasoning": "ReasoningParam | None",
    "safety_identifier": "str | None",
    "service_tier": "ServiceTier | None",
    "store": "bool | None",
    "stream": "bool | None",
    "stream_options": "StreamOptions | None",
    "temperature": "float | None",
    "text": "ResponseTextConfigParam | None",
    "tool_choice": "ResponseCreateParamsToolChoice | None",
    "tools": "Iterable[ToolParam] | None",
    "top_logprobs": "int | None",
    "top_p": "float | None",
    "truncation": 'Literal["auto", "disabled"] | None',
    "user": "str | None",
    "text_format": "type | TypeAdapter | None",
    "parse_as": "type | TypeAdapter | None",
    "verbosity": 'Literal["low", "medium", "high"] | None',
    "extra_headers": "Mapping[str, str | Omit] | None",
    "extra_query": "Mapping[str, object] | None",
    "extra_body": "Mapping[str, object] | None",
    "timeout": "float | Timeout | httpx.Timeout | None",
    "idempotency_key": "str | None",
    "stream_only": "bool | None",
    "gather": "bool | None",
}
chat_parse.__annotations__ = chat_stream.__annotations__ = {
    **chat.__annotations__,
    "response_format": "type | TypeAdapter | ResponseFormat | None",
}
response_parse.__annotations__ = response_stream.__annotations__ = response.__annotations__


# Here ends what is written.


_LOOKED_UP = "the service has no operation to look it up"
_REFUSED = {
    "response_id": _LOOKED_UP,
    "starting_after": _LOOKED_UP,
}


def _no_type(given: dict[str, Any], name: str, method: str) -> None:
    """Rejects a class in place of a JSON schema: `create` parses nothing."""
    value = given.get(name)
    # A class, a list or union of them, or a pydantic adapter.
    if isinstance(value, type) or hasattr(value, "__args__") or hasattr(value, "validate_json"):
        raise TypeError(
            f"You tried to pass a `BaseModel` class, or another type, to `{method}.create()`; You "
            f"must use `{method}.parse()` instead, or a JSON schema: {name} is {value!r}"
        )


def to_create_a_chat(given: dict[str, Any]) -> dict[str, Any]:
    """The arguments of chat.completions.create."""
    _no_type(given, "response_format", "chat.completions")
    return of_a_chat(given)


def to_create_a_response(given: dict[str, Any]) -> dict[str, Any]:
    """The arguments of responses.create."""
    if "text_format" in given:
        raise TypeError("text_format is a parameter of responses.parse() and responses.stream()")
    return of_a_response(given)


def of_a_chat(given: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a chat; rejects the token limit of a response with a clear error."""
    if "max_output_tokens" in given:
        raise TypeError("max_output_tokens is a parameter of responses; a chat has max_tokens")
    return given


def of_a_response(given: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a response; rejects the token limit of a chat with a clear error."""
    if "max_tokens" in given:
        raise TypeError("max_tokens is a parameter of chats; a response has max_output_tokens")
    return given


def supported(given):
    """The arguments of responses.stream, without the additional ones of openai-python; these are
    rejected with a clear error, unless omitted."""
    refuse(given, _REFUSED)
    return of_a_response(given)


# The names in Python's errors about missing or excess arguments.
chat.__qualname__ = "chat.completions.create"
chat_parse.__qualname__ = "chat.completions.parse"
chat_stream.__qualname__ = "chat.completions.stream"
response.__qualname__ = "responses.create"
response_parse.__qualname__ = "responses.parse"
response_stream.__qualname__ = "responses.stream"
models.__qualname__ = "models.list"
