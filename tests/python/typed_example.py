"""A program that uses all of the public surface, for type checkers to read. Is never run, and
knows no service."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import AsyncIterator

import modelwire
from modelwire import NOT_GIVEN, Client, NotGiven, OpenAI, OpenAIError, Stream, Timeout
from modelwire.types import CreateEmbeddingResponse
from modelwire.types.chat import ChatCompletion, ChatCompletionChunk
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


def by_path(client: Client) -> str | None:
    options: modelwire.RequestOptions = {"headers": {"X-A": "a"}, "max_retries": 1}
    body = {"model": "m", "messages": []}
    whole: ChatCompletion = client.post(
        "/chat/completions", cast_to=ChatCompletion, body=body, options=options
    )
    plain: dict[str, object] = client.get("/models", cast_to=dict[str, object])
    stream: Stream[ChatCompletionChunk] = client.post(
        "/chat/completions",
        cast_to=ChatCompletion,
        body=body,
        stream=True,
        stream_cls=Stream[ChatCompletionChunk],
    )
    key: dict[str, str] = client.auth_headers
    print(plain, next(stream).id, key, client.user_agent, modelwire.VERSION)
    return whole.choices[0].message.content


async def by_path_awaited(client: modelwire.AsyncClient) -> str:
    found: str = await client.get("/models", cast_to=str)
    return found


def names(transport: modelwire.Transport, answer: CreateEmbeddingResponse) -> list[float]:
    try:
        name, content = modelwire.file_from_path("a")
        print(name + content.decode(), transport, modelwire.DEFAULT_CONNECTION_LIMITS)
    except modelwire.InvalidWebhookSignatureError as error:
        print(error)
    return answer.data[0].embedding


def chat(client: Client, limit: int | NotGiven = NOT_GIVEN) -> str:
    completion = client.chat.completions.create(
        model="m", messages=[{"role": "user", "content": "x"}], max_tokens=limit
    )
    request_id: str | None = completion._request_id
    fields: dict[str, object] = completion.to_dict()
    text: str = completion.to_json(indent=2)
    answer: str = completion.choices[0].message.content or completion.reasoning_text
    answer += completion.choices[0].message.reasoning_text
    completion.choices[0].message.content = answer.strip()
    print(completion.rate_limits and completion.rate_limits.tokens.limit)
    print(request_id, completion.model_dump() == fields, completion == fields, text)
    return answer


def chat_stream(client: Client) -> str:
    text = ""
    with client.chat.completions.create(model="m", messages=[], stream=True) as stream:
        chunks: Stream[ChatCompletionChunk] = stream
        for chunk in chunks:
            piece: str | None = chunk.choices[0].delta.content
            thought: str = chunk.choices[0].delta.reasoning_text + chunk.reasoning_text
            text += piece or thought
        usage: modelwire.Usage | None = chunks.usage
        cached: int = usage["cached_input_tokens"] + usage.input_tokens if usage else 0
        end: str | None = chunks.end
        status: int = chunks.status_code
        headers: list[tuple[str, str]] = chunks.headers
        limits: modelwire.RateLimits | None = chunks.rate_limits
        left: int | None = limits.requests.remaining if limits else None
        request_id: str | None = chunks.request_id
        print(usage, cached, left, end, status, headers, request_id, next(chunks))
        chunks.close()
    return text


def response(client: Client) -> str:
    plain = client.responses.create(model="m", input="x", max_output_tokens=40)
    text: str = plain.output_text
    for event in client.responses.create(
        model="m", input=[{"role": "user", "content": "x"}], stream=True
    ):
        kind: str | None = event.type
        text += event.reasoning_text or plain.reasoning_text
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
    if limits := error.rate_limits:
        reset: float | None = limits.tokens.reset
        others: list[modelwire.RateLimit] = [*limits.others.values()]
        print(reset, others, limits.retry_after)
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
            elif event.type == "reasoning.delta":
                print(event.delta, event.snapshot)
            elif event.type == "reasoning.done":
                thought: str = event.reasoning
                print(thought)
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


def bulk(client: Client) -> int:
    def show(status: modelwire.bulk.Status) -> None:
        print(status.done, status.rows_per_second)

    rows: list[tuple[str, str]] = [("a", "What is 2 + 2?"), ("b", "What is 3 + 3?")]
    run: modelwire.bulk[tuple[str, str]] = modelwire.bulk(
        rows, client=client, model="m", max_concurrency=4, output="out.jsonl", progress=show
    )
    for result in run:
        name: str = result.row[0]
        text: str | None = result.text
        error: OpenAIError | None = result.error
        print(name, text, error.kind if error else None, result.custom_id, result.attempts)
        line: dict[str, object] = result.to_dict()
        print(line)
    left: list[tuple[str, str]] = run.unfinished
    one = next(iter(modelwire.bulk(iter(["x"]), model="m")))
    print(one.row.upper(), left, run.unknown, run.status().in_flight)
    batches = modelwire.bulk.Rows(prompt="{text}", model="m", max_concurrency=8)
    print(batches({"text": ["What is 2 + 2?"]})["answer"])
    modelwire.bulk.write_parquet(
        modelwire.bulk(modelwire.bulk.read_parquet("in.parquet"), prompt="{text}"), "out.parquet"
    )
    budgeted: modelwire.bulk[str] = modelwire.bulk(
        ["x"], model="m", max_cost=1, prices={"m": {"in": 0.5, "out": 1}}, patience=60, timeout=30
    )
    pilot: modelwire.bulk.Pilot = budgeted.pilot(20)
    cost: modelwire.bulk.Estimate | None = pilot.cost
    try:
        print(pilot.rows, cost and cost.high, list(budgeted), budgeted.status().cost)
    except modelwire.bulk.BudgetError as error:
        print(error.kind)
    checked = modelwire.bulk(
        ["one"], check=["schema", lambda result: result.text != "two"], ask_again=2
    )
    failed = [one.error for one in checked if isinstance(one.error, modelwire.bulk.CheckError)]
    print([one.kind for one in failed], checked.status().asked_again)
    repaired: modelwire.bulk.Repaired = modelwire.bulk.repair("out.jsonl", ordered=True)
    print(repaired.results, repaired.unknown_file)
    return run.skipped


async def bulk_awaited() -> list[str]:
    async def rows() -> AsyncIterator[dict[str, int]]:
        yield {"n": 1}

    found: list[str] = []
    async with modelwire.bulk(rows(), client=modelwire.AsyncClient(), timeout=NOT_GIVEN) as run:
        async for result in run:
            found.append(f"{result.row['n']}: {result.raise_for_error()}")
    return found


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
        print(bulk(client))
        sums: dict[str, modelwire.UsageSum] = client.usage()
        taken: dict[str, dict[str, modelwire.UsageSum]] = client.take_usage(by="key")
        own: dict[str, modelwire.UsageSum] = taken[client.key_id or "other"]
        print([one["calls"] + one["reasoning_tokens"] for one in own.values()])
        client.close()
        closed: bool = client.is_closed()
    print(sums, closed, modelwire.__version__)
