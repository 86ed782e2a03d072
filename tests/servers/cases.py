"""The cases that each server is asked, as data. The first word or two of a prompt choose what the
servers' models answer."""

import dataclasses

MODEL = "tiny-model"
WRONG_KEY = "sk-wrong"
AT_ONCE = 16
WEATHER = {
    "name": "get_weather",
    "description": "The weather of a city",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
}
TOOLS = {"tools": [{"type": "function", "function": WEATHER}]}
FLAT_TOOLS = {"tools": [{"type": "function", **WEATHER}]}
USAGE = {"stream_options": {"include_usage": True}}
CITY = {"name": "get_weather", "arguments": '{"city": "Paris"}'}
TOOL_RESULT = [
    {"role": "user", "content": "Weather in Paris?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "call_w1", "type": "function", "function": CITY}],
    },
    {"role": "tool", "tool_call_id": "call_w1", "content": "sunny"},
]


@dataclasses.dataclass
class Case:
    """One call, or several at once."""

    name: str
    operation: str  # models, chat, responses
    bodies: list
    stream: bool = False
    key: str = None
    leave: int = None  # the stream is left after so many chunks
    kills: bool = False  # a worker of the server may die of it
    # A gateway may lose what came before the end of its upstream, or see the end before its own head.
    loses: bool = False


def chat(prompt="Say hello.", **fields):
    messages = [{"role": "user", "content": prompt}]
    return {"model": MODEL, "messages": messages, **fields}


def response(prompt="Say hello.", **fields):
    return {"model": MODEL, "input": prompt, **fields}


def both(name, body, **more):
    """The same whole and streamed."""
    operation = "responses" if "input" in body else "chat"
    word = "responses_" if operation == "responses" else ""
    return [
        Case(f"{word}{name}", operation, [body], **more),
        Case(f"{word}stream_{name}", operation, [body], stream=True, **more),
    ]


def several(body):
    """As many requests at once, with different answers."""
    prompts = ("Say hello.", "unicode please", "long please", "limit me")
    return [body(prompts[number % len(prompts)]) for number in range(AT_ONCE)]


UNKNOWN = {"model": "no-such-model"}
PARTS = [{"role": "user", "content": [{"type": "text", "text": "Say hello."}]}]
SYSTEM = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Say hello."}]
INPUT_PARTS = [{"role": "user", "content": [{"type": "input_text", "text": "Say hello."}]}]
CASES = [
    Case("models", "models", [None]),
    Case("models_wrong_key", "models", [None], key=WRONG_KEY),
    *both("hello", chat()),
    *both("wrong_key", chat(), key=WRONG_KEY),
    *both("unknown_model", {**chat(), **UNKNOWN}),
    *both("n2", chat(n=2)),
    *both("stop", chat(stop=[" tiny"])),
    *both("max_tokens_1", chat(max_tokens=1)),
    *both("max_completion_tokens_1", chat(max_completion_tokens=1)),
    *both("unicode", chat("unicode please")),
    *both("long_unicode", chat("long please")),
    *both("nul", chat("nul a\0b")),
    *both("empty", chat("empty please")),
    *both("reasoning", chat("think first")),
    *both("tools", chat("Weather in Paris?", **TOOLS)),
    *both("tools_and_text", chat("tool first", **TOOLS)),
    *both("logprobs", chat(logprobs=True, top_logprobs=2)),
    *both("temperature_99", chat(temperature=99)),
    *both("rate_limit", chat("limit me")),
    *both("server_error", chat("server error")),
    *both("overloaded", chat("overloaded")),
    *both("malformed", chat("malformed")),
    *both("finish_length", chat("finish length")),
    *both("filtered", chat("filtered")),
    Case("stream_usage", "chat", [chat(**USAGE)], stream=True),
    Case("tool_result", "chat", [{**chat(**TOOLS), "messages": TOOL_RESULT}]),
    Case("content_parts", "chat", [{**chat(), "messages": PARTS}]),
    Case("system_message", "chat", [{**chat(), "messages": SYSTEM}]),
    Case("wrong_role", "chat", [{**chat(), "messages": [{"role": "wizard", "content": "hi"}]}]),
    Case("no_messages", "chat", [{**chat(), "messages": []}]),
    Case("temperature_text", "chat", [chat(temperature="hot")]),
    Case("n_0", "chat", [chat(n=0)]),
    Case("unknown_field", "chat", [chat(no_such_field=1)]),
    Case("json_object", "chat", [chat(response_format={"type": "json_object"})]),
    *both("hello", response()),
    *both("wrong_key", response(), key=WRONG_KEY),
    *both("unknown_model", {**response(), **UNKNOWN}),
    *both("reasoning", response("think first")),
    *both("tools", response("Weather in Paris?", **FLAT_TOOLS)),
    *both("server_error", response("server error")),
    Case("responses_parts", "responses", [response(INPUT_PARTS)]),
    Case("responses_max_output_tokens_1", "responses", [response(max_output_tokens=1)]),
    Case("stream_left", "chat", [chat("loop")], stream=True, leave=3),
    Case("responses_stream_left", "responses", [response("loop")], stream=True, leave=3),
    Case("at_once", "chat", several(chat)),
    Case("stream_at_once", "chat", several(chat), stream=True),
    Case("responses_stream_at_once", "responses", several(response), stream=True),
    *both("cut", chat("truncate"), loses=True),
    Case("responses_stream_cut", "responses", [response("truncate")], stream=True, loses=True),
    *both("closed_unanswered", chat("disconnect")),
    *both("worker_dies", chat("die"), kills=True),
]
