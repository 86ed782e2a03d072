"""A program in which type checkers shall find nothing: what programs for openai-python annotate
with, and how they take answers apart. The twin of planted_mistakes.py. Is never run, and knows no
service."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable

from modelwire import (
    NOT_GIVEN,
    APIConnectionError,
    APIStatusError,
    AsyncOpenAI,
    AsyncStream,
    NotGiven,
    OpenAI,
    Stream,
    pydantic_function_tool,
)
from modelwire._types import Body, Headers, Query
from modelwire.pagination import SyncPage
from modelwire.resources.chat.completions import AsyncCompletions, Completions
from modelwire.resources.responses import Responses
from modelwire.types import ChatModel, CompletionUsage, Model, Reasoning, ReasoningEffort
from modelwire.types.chat import (
    ChatCompletion,
    ChatCompletionAssistantMessageParam,
    ChatCompletionChunk,
    ChatCompletionContentPartParam,
    ChatCompletionMessage,
    ChatCompletionMessageFunctionToolCall,
    ChatCompletionMessageParam,
    ChatCompletionMessageToolCallParam,
    ChatCompletionMessageToolCallUnion,
    ChatCompletionNamedToolChoiceParam,
    ChatCompletionToolChoiceOptionParam,
    ChatCompletionToolMessageParam,
    ChatCompletionToolParam,
    ChatCompletionUserMessageParam,
    ParsedChatCompletion,
)
from modelwire.types.chat.chat_completion import Choice
from modelwire.types.chat.chat_completion_chunk import Choice as ChunkChoice
from modelwire.types.chat.chat_completion_chunk import ChoiceDelta, ChoiceDeltaToolCall
from modelwire.types.chat.completion_create_params import CompletionCreateParamsNonStreaming
from modelwire.types.responses import (
    EasyInputMessageParam,
    FunctionToolParam,
    ParsedResponse,
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseInputItemParam,
    ResponseInputParam,
    ResponseOutputItem,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseReasoningItem,
    ResponseStreamEvent,
    ResponseTextDeltaEvent,
    ToolParam,
)
from modelwire.types.responses.response_input_item_param import FunctionCallOutput
from modelwire.types.responses.response_output_item import McpCall
from modelwire.types.shared import ResponseFormatJSONObject
from modelwire.types.shared_params import FunctionDefinition
from modelwire.types.shared_params import Reasoning as ReasoningParam

client = OpenAI()
WEATHER: ChatCompletionToolParam = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "The weather of a city.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
        "strict": True,
    },
}


def chat(model: str | ChatModel, temperature: float | None | NotGiven = NOT_GIVEN) -> str:
    messages: list[ChatCompletionMessageParam] = [
        {"role": "system", "content": "Be short."},
        {"role": "developer", "content": "Be kind."},
        {"role": "user", "name": "a", "content": "Hello."},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "What is this?"},
                {"type": "image_url", "image_url": {"url": "data:,", "detail": "low"}},
            ],
        },
    ]
    answer = client.chat.completions.create(
        model=model,
        messages=messages,
        temperature=temperature,
        max_tokens=5,
        n=1,
        stop=["a", "b"],
        logit_bias={"50256": -100},
        tools=[WEATHER, {"type": "function", "function": {"name": "f"}}],
        tool_choice={"type": "function", "function": {"name": "f"}},
        reasoning_effort="low",
        response_format={
            "type": "json_schema",
            "json_schema": {"name": "x", "schema": {"type": "object"}, "strict": True},
        },
        stream_options={"include_usage": True},
        metadata={"a": "b"},
        extra_body={"top_k": 5},
        extra_headers={"X-A": "b"},
        timeout=5,
    )
    message = answer.choices[0].message
    for call in message.tool_calls or []:
        if call.type == "function":
            arguments: dict[str, object] = json.loads(call.function.arguments)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": str(arguments)})
        else:
            print(call.custom.input)
    client.chat.completions.create(model="m", messages=[*messages, message])
    client.chat.completions.create(model="m", messages=[], response_format={"type": "json_object"})
    client.chat.completions.create(model="m", messages=[], tool_choice="required", seed=None)
    if answer.usage is not None:
        counted(answer.usage)
    if answer.choices[0].finish_reason == "length":
        print(answer.model_extra.get("timings"), message.model_extra["reasoning_content"])
    print(getattr(message, "reasoning", None), message["content"], "audio" in message)
    print(answer.choices[0].logprobs, answer._request_id, answer.model_dump()["choices"])
    return message.content or message.refusal or ""


def counted(usage: CompletionUsage) -> int:
    cached = usage.prompt_tokens_details.cached_tokens if usage.prompt_tokens_details else 0
    return usage.total_tokens - (cached or 0)


def assistant(message: ChatCompletionMessage) -> ChatCompletionAssistantMessageParam:
    calls: list[ChatCompletionMessageToolCallParam] = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.function.name, "arguments": call.function.arguments},
        }
        for call in functions(message.tool_calls or [])
    ]
    return {"role": "assistant", "content": message.content, "tool_calls": calls}


def functions(
    calls: Iterable[ChatCompletionMessageToolCallUnion],
) -> list[ChatCompletionMessageFunctionToolCall]:
    return [call for call in calls if call.type == "function"]


def made() -> list[ChatCompletionMessageParam]:
    part: ChatCompletionContentPartParam = {"type": "text", "text": "x"}
    user = ChatCompletionUserMessageParam(role="user", content=[part])
    tool = ChatCompletionToolMessageParam(role="tool", content="x", tool_call_id="1")
    choice: ChatCompletionToolChoiceOptionParam = "auto"
    named = ChatCompletionNamedToolChoiceParam(type="function", function={"name": "f"})
    function: FunctionDefinition = {"name": "f"}
    whole: CompletionCreateParamsNonStreaming = {"model": "m", "messages": [user, tool]}
    answer = client.chat.completions.create(**whole)
    print(choice, named, function, answer.choices)
    return [user, tool]


def chunks(stream: Stream[ChatCompletionChunk]) -> str:
    text, calls = "", dict[int, str]()
    for chunk in stream:
        for choice in chunk.choices:
            text += piece(choice) or ""
            for call in choice.delta.tool_calls or []:
                calls[call.index] = calls.get(call.index, "") + arguments(call)
    return text


def piece(choice: ChunkChoice) -> str | None:
    delta: ChoiceDelta = choice.delta
    return delta.content


def arguments(call: ChoiceDeltaToolCall) -> str:
    return (call.function.arguments if call.function else None) or ""


def response(effort: ReasoningEffort) -> str:
    reasoning: ReasoningParam = {"effort": effort, "summary": "auto"}
    tool: FunctionToolParam = {
        "type": "function",
        "name": "f",
        "parameters": {"type": "object"},
        "strict": True,
    }
    tools: list[ToolParam] = [tool, {"type": "web_search"}]
    asked: ResponseInputParam = [
        {"role": "user", "content": "x"},
        {"role": "user", "content": [{"type": "input_text", "text": "x"}]},
        EasyInputMessageParam(role="system", content="x"),
        FunctionCallOutput(type="function_call_output", call_id="c", output="x"),
    ]
    answer: Response = client.responses.create(
        model="m",
        input=asked,
        instructions="Be short.",
        reasoning=reasoning,
        tools=tools,
        tool_choice={"type": "function", "name": "f"},
        text={"format": {"type": "json_schema", "name": "x", "schema": {}}, "verbosity": "low"},
        include=["reasoning.encrypted_content"],
        max_output_tokens=5,
        truncation="auto",
    )
    again = client.responses.create(model="m", input=[*asked, *answer.output])
    client.responses.create(model="m", input="x", reasoning={"effort": "high"}, store=False)
    print(again.reasoning.effort if again.reasoning else None, shown(answer.reasoning))
    print(answer.usage.output_tokens_details.reasoning_tokens if answer.usage else 0)
    for item in answer.output:
        print(told(item))
    return answer.output_text


def shown(reasoning: Reasoning | None) -> str:
    return str(reasoning.summary) if reasoning is not None else ""


def told(item: ResponseOutputItem) -> str:
    if item.type == "message":
        texts = [part.text for part in item.content if part.type == "output_text"]
        for part in item.content:
            if isinstance(part, ResponseOutputText):
                texts += [one.url for one in part.annotations if one.type == "url_citation"]
            else:
                texts.append(part.refusal)
        return "".join(texts)
    if item.type == "reasoning":
        return "".join(summary.text for summary in item.summary)
    if item.type == "mcp_call":
        return item.output or item.name
    if item.type == "web_search_call":
        return item.action.query or "" if item.action.type == "search" else item.status
    if isinstance(item, ResponseFunctionToolCall):
        return item.arguments + item.call_id
    return item.type


def kinds(item: ResponseOutputItem) -> ResponseInputItemParam | None:
    if isinstance(item, (ResponseOutputMessage, ResponseReasoningItem)):
        return None
    if isinstance(item, McpCall):
        return {"type": "message", "role": "user", "content": item.arguments}
    return None


def events(stream: Stream[ResponseStreamEvent]) -> str:
    text = ""
    for event in stream:
        print(event.sequence_number)
        if event.type == "response.output_text.delta":
            text += event.delta
        elif event.type == "response.output_item.done":
            print(told(event.item), event.output_index)
        elif event.type == "response.function_call_arguments.done":
            print(event.arguments, event.item_id)
        elif event.type == "error":
            print(event.message, event.code)
        elif isinstance(event, ResponseCompletedEvent):
            print(event.response.output_text)
        elif event.type == "response.content_part.added" and event.part.type == "output_text":
            print(event.part.text)
        if isinstance(event, ResponseTextDeltaEvent):
            print(event.delta, event.content_index)
    return text


async def awaited(aclient: AsyncOpenAI) -> None:
    async for model in aclient.models.list():
        print(model.id)
    stream: AsyncStream[ChatCompletionChunk] = await aclient.chat.completions.create(
        model="m", messages=[{"role": "user", "content": "x"}], stream=True
    )
    async with stream:
        async for chunk in stream:
            print(chunk.choices[0].delta.content)
    raw = await aclient.responses.with_raw_response.create(model="m", input="x")
    print(raw.parse().output_text, raw.headers["x-request-id"], raw.status_code)
    async with aclient.chat.completions.with_streaming_response.create(
        model="m", messages=[], stream=True
    ) as opened:
        async for line in opened.iter_lines():
            print(line, opened.headers.get("content-type"))
    events = await aclient.responses.create(model="m", input="x", stream=True)
    async for event in events:
        if event.type == "response.output_text.delta":
            print(event.delta)


def raw() -> None:
    answer = client.chat.completions.with_raw_response.create(
        model="m", messages=[{"role": "user", "content": "x"}]
    )
    completion: ChatCompletion = answer.parse()
    choice: Choice = completion.choices[0]
    print(choice.message.content, answer.headers.get("x-request-id"))
    for chunk in client.chat.completions.with_raw_response.create(
        model="m", messages=[], stream=True
    ).parse():
        print(chunk.choices[0].delta.content)
    with client.responses.with_streaming_response.create(model="m", input="x") as opened:
        print(opened.parse().output_text)
    print(client.models.with_raw_response.list().parse().data[0].id)
    print(client.with_raw_response.chat.completions.create(model="m", messages=[]).parse().id)


@dataclasses.dataclass
class City:
    name: str


def parsed() -> list[str]:
    tool = pydantic_function_tool(City)
    answer = client.chat.completions.parse(
        model="m", messages=[], response_format=City, tools=[tool]
    )
    completion: ParsedChatCompletion[City] = answer
    cities = [completion.choices[0].message.parsed]
    response: ParsedResponse[City] = client.responses.parse(
        model="m", input="x", text_format=City, reasoning={"effort": "low"}
    )
    cities.append(response.output_parsed)
    raw = client.responses.with_raw_response.parse(model="m", input="x", text_format=City)
    cities.append(raw.parse().output_parsed)
    with client.responses.stream(model="m", input="x", text_format=City) as stream:
        for event in stream:
            if event.type == "response.output_text.delta":
                print(event.delta, event.snapshot)
            elif event.type == "response.output_text.done":
                cities.append(event.parsed)
            elif event.type == "response.completed":
                cities.append(event.response.output_parsed)
            elif event.type == "response.output_item.added":
                print(told(event.item))
    for item in response.output:
        if item.type == "message":
            cities += [part.parsed for part in item.content if part.type == "output_text"]
    return [city.name for city in cities if city is not None]


def errors() -> None:
    try:
        models: list[Model] = client.models.list().data
        print(models[0].owned_by)
    except APIStatusError as error:
        status: int = error.status_code
        print(status, error.response.headers.get("retry-after"), error.response.text, error.body)
    except APIConnectionError as error:
        print(error.request.url, error.__cause__)


def page(models: SyncPage[Model]) -> list[str]:
    return [model.id for model in models]


class Watched(Completions):
    """A program that watches calls."""


def resources(asynchronous: AsyncCompletions, responses: Responses) -> None:
    headers: Headers = {"X-A": "b"}
    query: Query = {"a": 1}
    body: Body = {"top_k": 5}
    print(asynchronous.create, responses.create, headers, query, body, ResponseFormatJSONObject)
