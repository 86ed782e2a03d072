"""A program that uses all of the public surface, for type checkers to read. Is never run, and
knows no service."""

from __future__ import annotations

import dataclasses
import datetime

import modelwire
from modelwire import NOT_GIVEN, Client, NotGiven, OpenAI, OpenAIError, Stream, Timeout
from modelwire.types.chat import ChatCompletionChunk
from modelwire.types.responses import ResponseCompletedEvent, ResponseTextDeltaEvent


def make() -> Client:
    timeout: Timeout = Timeout(connect=5, first_byte=60.0, idle=None, total=NOT_GIVEN)
    headers: dict[str, str] = {"X-Tenant": "7"}
    key: str | None = None
    client: Client = OpenAI(api_key=key, base_url="https://host/v1", timeout=timeout)
    OpenAI(timeout=5, max_retries=0, default_headers=headers)
    OpenAI(timeout=None)
    return client


def models(client: Client) -> list[str]:
    found = client.models.list()
    names: list[str] = [model.id for model in found]
    count: int = len(found.data)
    return names[:count]


def chat(client: Client, limit: int | NotGiven = NOT_GIVEN) -> str:
    completion = client.chat.completions.create(
        model="m", messages=[{"role": "user", "content": "x"}], max_tokens=limit
    )
    request_id: str | None = completion._request_id
    fields: dict[str, object] = completion.to_dict()
    text: str = completion.to_json(indent=2)
    answer: str = completion.choices[0].message.content or ""
    completion.choices[0].message.content = answer.strip()
    print(request_id, completion.model_dump() == fields, completion == fields, text)
    return answer


def chat_stream(client: Client) -> str:
    text = ""
    with client.chat.completions.create(model="m", messages=[], stream=True) as stream:
        chunks: Stream[ChatCompletionChunk] = stream
        for chunk in chunks:
            piece: str | None = chunk.choices[0].delta.content
            text += piece or ""
        usage: dict[str, int] | None = chunks.usage
        end: str | None = chunks.end
        status: int = chunks.status_code
        headers: list[tuple[str, str]] = chunks.headers
        request_id: str | None = chunks.request_id
        print(usage, end, status, headers, request_id, next(chunks))
        chunks.close()
    return text


def response(client: Client) -> str:
    plain = client.responses.create(model="m", input="x", max_output_tokens=40)
    text: str = plain.output_text
    for event in client.responses.create(
        model="m", input=[{"role": "user", "content": "x"}], stream=True
    ):
        kind: str | None = event.type
        if isinstance(event, ResponseTextDeltaEvent):
            text += event.delta
        elif isinstance(event, ResponseCompletedEvent):
            print(event.response.output_text)
        else:
            print(kind, isinstance(event, modelwire.BaseModel))
    return text


def whichever(client: Client, stream: bool) -> None:
    answer = client.chat.completions.create(model="m", messages=[], stream=stream)
    if isinstance(answer, Stream):
        answer.close()
    else:
        print(answer.choices)


def told(error: OpenAIError) -> datetime.datetime | None:
    words: list[str] = [error.kind, error.message, error.hint, error.path, error.metered]
    maybe: list[str | None] = [error.type, error.code, error.param, error.body, error.model]
    status: int | None = error.status_code
    after: float | None = error.retry_after
    attempts: int = error.attempts
    elapsed: float = error.elapsed
    print(words, maybe, status, after, attempts, elapsed, error.timeout, error.request_id)
    print(error.report())
    return error.request_time


@dataclasses.dataclass
class City:
    name: str


def parsed(client: Client) -> list[str]:
    completion = client.chat.completions.parse(model="m", messages=[], response_format=City)
    message = completion.choices[0].message
    city: City | None = message.parsed
    for call in message.tool_calls or []:
        print(call.function.parsed_arguments)
    response = client.responses.parse(model="m", input="x", text_format=list[City])
    cities: list[City] | None = response.output_parsed
    with client.chat.completions.stream(model="m", messages=[], response_format=City) as stream:
        for event in stream:
            if event.type == "content.done":
                city = event.parsed
            elif event.type == "content.delta":
                print(event.parsed, event.delta)
        city = stream.get_final_completion().choices[0].message.parsed
    anything = client.responses.parse(model="m", input="x").output_parsed
    print(anything, modelwire.pydantic_function_tool(City))
    return [one.name for one in [*(cities or []), *([city] if city else [])]]


def add(a: int, b: int) -> int:
    return a + b


def tools(client: Client) -> str:
    run = client.chat.completions.run_tools(
        model="m", messages=[], tools=[add], response_format=City, max_turns=3
    )
    for turn in run:
        print(turn.number, [(call.name, call.arguments, call.result) for call in turn.calls])
    city: City | None = run.get_final_completion().choices[0].message.parsed
    told = client.responses.run_tools(model="m", input="x", tools=[add]).get_final_response()
    return told.output_text + (city.name if city else "")


def main() -> None:
    with make() as client:
        base_url: str = client.base_url
        try:
            print(base_url, models(client), chat(client), chat_stream(client), response(client))
        except (modelwire.RateLimitError, modelwire.APITimeoutError) as error:
            print(told(error), isinstance(error, modelwire.APIError))
        except modelwire.RequestError as error:
            wrong: ValueError = error
            print(wrong)
        except modelwire.APIConnectionError as error:
            broken: ConnectionError = error
            print(broken)
        except modelwire.APIStatusError as error:
            print(error.status_code)
        sums: dict[str, dict[str, int]] = client.usage()
        client.close()
        closed: bool = client.is_closed()
    print(sums, closed, modelwire.__version__)
