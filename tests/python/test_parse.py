"""Answers that are parsed, by both clients: whole, raw and streamed. test_schemas.py has the
schemas."""

import copy
import dataclasses
import gc
import json
import pickle
import resource
import time
import weakref
from functools import partial
from typing import Literal

import msgspec
import pydantic
import pytest
from typing_extensions import TypedDict

import models
import modelwire
from conftest import together
from modelwire import (
    AnswerValidationError,
    ContentFilterFinishReasonError,
    LengthFinishReasonError,
    pydantic_function_tool,
)
from modelwire.streaming import ChatCompletionStreamState
from modelwire.testing import document, events, text


class Event(pydantic.BaseModel):
    name: str
    day: int


class Query(pydantic.BaseModel):
    """What is looked for."""

    table: str
    limit: int = 5


@dataclasses.dataclass
class Step:
    text: str


class Book(TypedDict):
    title: str


class Point(msgspec.Struct):
    x: int


PARTY = {"name": "party", "day": 5}
PARTY_TEXT = json.dumps(PARTY)


def test_a_chat_is_parsed(caller):
    """What is asked is what openai-python asks; the answer has the model in it."""
    caller.service.queue(PARTY_TEXT)
    told = caller.chat(response_format=Event)
    message = told.choices[0].message
    assert message.parsed == Event(**PARTY) and type(message.parsed) is Event
    assert message.content == PARTY_TEXT
    (asked,) = caller.service.requests
    assert asked.body == {
        "model": "m",
        "messages": [{"role": "user", "content": "Go."}],
        "response_format": {
            "type": "json_schema",
            "json_schema": {
                "schema": {
                    "properties": {
                        "name": {"title": "Name", "type": "string"},
                        "day": {"title": "Day", "type": "integer"},
                    },
                    "required": ["name", "day"],
                    "title": "Event",
                    "type": "object",
                    "additionalProperties": False,
                },
                "name": "Event",
                "strict": True,
            },
        },
    }


def test_a_response_is_parsed(caller):
    """In its parts, and the first of them as output_parsed."""
    caller.service.queue(PARTY_TEXT)
    told = caller.response(text_format=Event, text={"verbosity": "low"})
    assert told.output_parsed == Event(**PARTY)
    part = told.output[-1].content[0]
    assert part.parsed == told.output_parsed and part.text == PARTY_TEXT
    (asked,) = caller.service.requests
    body = asked.body
    format_ = body["text"].pop("format")
    assert body == {"model": "m", "input": "Go.", "text": {"verbosity": "low"}}
    assert (format_["type"], format_["name"], format_["strict"]) == ("json_schema", "Event", True)
    assert format_["schema"]["title"] == "Event"


@pytest.mark.parametrize("name", models.MODELS)
def test_the_schema_of_every_model_is_sent(modelwire_service, name):
    """The schema that is sent is the one that test_schemas.py looks at."""
    from modelwire._schemas.formats import Format

    model = models.MODELS[name]
    client = modelwire.OpenAI(
        base_url=modelwire_service.base_url, api_key=modelwire_service.api_key
    )
    with client:
        for ask in (
            lambda: client.chat.completions.parse(
                model="m", messages=[{"role": "user", "content": "x"}], response_format=model
            ),
            lambda: client.responses.parse(model="m", input="x", text_format=model),
        ):
            modelwire_service.queue("{}")
            try:
                ask()
            except AnswerValidationError:
                pass  # "{}" is few of them
    chat, response = (one.body for one in modelwire_service.requests)
    schema = Format(model).schema
    assert json.dumps(chat["response_format"]["json_schema"]["schema"]) == json.dumps(schema)
    assert json.dumps(response["text"]["format"]["schema"]) == json.dumps(schema)


@pytest.mark.parametrize(
    ("kind", "said", "value"),
    [
        (Step, {"text": "a"}, Step("a")),
        (Book, {"title": "a"}, {"title": "a"}),
        (Point, {"x": 1}, Point(1)),
        (list[Event], {"value": [PARTY]}, [Event(**PARTY)]),
        (list[Step], [{"text": "a"}], [Step("a")]),
        (Event | Query, {"value": {"table": "t", "limit": 1}}, Query(table="t", limit=1)),
        (Step | None, {"value": None}, None),
        (Literal["yes", "no"], {"value": "no"}, "no"),
        (int, {"value": 0}, 0),
        (dict[str, int], {"a": 1}, {"a": 1}),
        (pydantic.TypeAdapter(list[Event]), {"value": [PARTY]}, [Event(**PARTY)]),
        (models.PydanticDataclass, {"name": "n", "inner": {"text": "t"}}, None),
    ],
    ids=str,
)
def test_types_that_openai_python_does_not_take(caller, kind, said, value):
    """Dataclasses, typed dicts, structs, lists, unions, adapters."""
    if kind is models.PydanticDataclass:
        value = kind("n", models.Inner(text="t"))
    caller.service.queue(json.dumps(said), json.dumps(said))
    assert caller.chat(response_format=kind).choices[0].message.parsed == value
    assert caller.response(text_format=kind).output_parsed == value
    for asked in caller.service.requests:
        sent = asked.body.get("response_format", {}).get("json_schema")
        assert (sent or asked.body["text"]["format"])["schema"]["type"] == "object"


def test_tools_are_parsed(caller):
    """The arguments of calls, by pydantic_function_tool or a strict schema."""
    tool = pydantic_function_tool(Query)
    assert tool["function"]["name"] == "Query"
    assert tool["function"]["description"] == "What is looked for."
    plain = {
        "type": "function",
        "function": {"name": "plain", "strict": True, "parameters": {"type": "object"}},
    }
    calls = [("Query", {"table": "t", "limit": 1}), ("plain", {"a": [1]})]
    caller.service.queue(text("", tool_calls=calls), text("", tool_calls=calls[:1]))
    told = caller.chat(tools=(one for one in [tool, plain]))
    first, second = told.choices[0].message.tool_calls
    assert first.function.parsed_arguments == Query(table="t", limit=1)
    assert second.function.parsed_arguments == {"a": [1]}
    assert told.choices[0].message.parsed is None
    assert caller.service.requests[0].body["tools"] == [tool, plain]
    told = caller.response(tools=[tool])
    (call,) = (item for item in told.output if item.type == "function_call")
    assert call.parsed_arguments == Query(table="t", limit=1)
    assert caller.service.requests[1].body["tools"] == [
        {"type": "function", **tool["function"]},
    ]


def test_tools_of_responses_in_their_own_form(caller):
    """With a description, deferred; one that is not strict is not read."""
    tool = modelwire.pydantic_responses_function_tool(Query, name="ask", defer_loading=True)
    assert (tool["name"], tool["defer_loading"], tool["type"]) == ("ask", True, "function")
    loose = {"type": "function", "name": "loose", "parameters": {}, "strict": False}
    calls = [("ask", {"table": "t"}), ("loose", "no JSON")]
    caller.service.queue(text("", tool_calls=calls))
    told = caller.response(tools=[tool, loose])
    found = [item for item in told.output if item.type == "function_call"]
    assert found[0].parsed_arguments == Query(table="t")
    assert found[1].parsed_arguments is None


def test_tools_of_a_namespace_that_can_be_read_once(caller):
    """They are sent and parsed; what the program gave stays its own."""
    tool = modelwire.pydantic_responses_function_tool(Query, name="ask")
    space = {"type": "namespace", "name": "n", "description": "d", "tools": iter([tool])}
    given = dict(space)
    call = {"type": "function_call", "id": "i", "call_id": "c", "name": "ask", "namespace": "n"}
    call |= {"arguments": '{"table": "t"}', "status": "completed"}
    answer = {"id": "r", "object": "response", "status": "completed", "output": [call]}
    caller.service.queue(document(answer))
    told = caller.response(tools=[given])
    assert told.output[0].parsed_arguments == Query(table="t") and given == space
    assert caller.service.requests[0].body["tools"] == [{**space, "tools": [tool]}]


def test_tools_must_be_strict(caller):
    """A ValueError before anything is sent."""
    loose = {"type": "function", "function": {"name": "f", "parameters": {}}}
    for tool, says in (
        (loose, "`f` is not strict"),
        ({"type": "custom", "custom": {"name": "c"}}, "type 'custom' cannot be parsed"),
    ):
        with pytest.raises(ValueError, match=says) as raised:
            caller.chat(tools=[tool])
        assert isinstance(raised.value, modelwire.RequestError)
    with pytest.raises(ValueError, match="next to its type"):
        caller.response(tools=[loose])
    assert caller.service.requests == []


def test_an_answer_that_is_something_else(caller):
    """An exception of ours and a ValueError, with all that came."""
    caller.service.queue(text('{"name": 5}', usage=(3, 4)), text("no JSON", usage=(3, 4)))
    with pytest.raises(ValueError) as raised:
        caller.chat(response_format=Event)
    error = raised.value
    assert isinstance(error, AnswerValidationError) and isinstance(error, modelwire.APIError)
    assert isinstance(error.__cause__, pydantic.ValidationError)
    assert (error.kind, error.metered) == ("validation", "entered")
    assert error.text == '{"name": 5}' and error.usage.total_tokens == 7
    assert error.completion.choices[0].message.content == error.text
    assert "day" in str(error) and "Event" in str(error)
    with pytest.raises(AnswerValidationError) as raised:
        caller.response(text_format=list[Step])
    assert raised.value.text == "no JSON" and raised.value.usage.total_tokens == 7
    for error, path in ((error, "chat/completions"), (raised.value, "responses")):  # noqa: B020
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is AnswerValidationError and str(again) == str(error)
        assert again.request.url == error.request.url == f"{caller.service.base_url}/{path}"
        assert again.completion == error.completion and again.usage == error.usage
        assert copy.copy(error).text == error.text


def test_a_bad_call_is_an_error_too(caller):
    """Arguments that are not what they were to be."""
    tool = pydantic_function_tool(Query)
    bad = text("", tool_calls=[("Query", '{"limit": 1')])
    caller.service.queue(bad, bad)
    for ask in (caller.chat, caller.response):
        with pytest.raises(AnswerValidationError, match="the arguments of Query") as raised:
            ask(tools=[tool])
        assert raised.value.text == '{"limit": 1'


def test_an_answer_that_was_cut(caller):
    """Never an error of JSON, and under the names, and in the words, that openai-python has."""
    for reason, kind, words in (
        ("length", LengthFinishReasonError, "length limit was reached|max_output_tokens"),
        ("content_filter", ContentFilterFinishReasonError, "rejected by the content filter"),
    ):
        cut = text('{"name": "par', finish_reason=reason, usage=(3, 4))
        caller.service.queue(cut, cut)
        for ask in (
            lambda: caller.chat(response_format=Event),
            lambda: caller.response(text_format=Event),
        ):
            with pytest.raises(kind, match=words) as raised:
                ask()
            error = pickle.loads(pickle.dumps(raised.value))
            assert type(error) is kind and error.usage.total_tokens == 7
            assert error.completion.usage == error.usage and error.metered == "entered"
            assert not isinstance(error, ValueError)


def test_truncated_answers_are_returned_unless_parsed(caller):
    """As ever."""
    cut = text("so far", finish_reason="length")
    caller.service.queue(cut, cut, cut)
    asked = {"model": "m", "messages": [{"role": "user", "content": "x"}]}
    told = caller(lambda client: client.chat.completions.create(**asked))
    assert told.choices[0].finish_reason == "length"
    assert caller.response().status == "incomplete"
    _, error, told = caller.chat_stream()
    assert error is None and told.choices[0].finish_reason == "length"


def completion(message, **fields):
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", **message}}
    return document({"id": "c", "object": "chat.completion", "choices": [choice], **fields})


def response(output, **fields):
    return document(
        {"id": "r", "object": "response", "status": "completed", "output": output, **fields}
    )


def message(said, **fields):
    parts = [{"type": "output_text", "text": said, "annotations": []}]
    return {"type": "message", "id": "m", "role": "assistant", "content": parts, **fields}


def test_a_refusal_does_not_raise(caller):
    """There is nothing to parse."""
    refusal = {"type": "refusal", "refusal": "No."}
    caller.service.queue(
        completion({"content": None, "refusal": "No."}),
        completion({"content": "sorry", "refusal": "No."}),
        completion({"content": None, "refusal": None}),
        response([{**message(""), "content": [refusal]}]),
        response([]),
    )
    for _ in range(3):
        found = caller.chat(response_format=Event).choices[0].message
        assert found.parsed is None and "parsed" in found.model_dump()
    for _ in range(2):
        assert caller.response(text_format=Event).output_parsed is None


def test_only_the_final_phase_is_parsed(caller):
    """Commentary is no JSON, wherever it stands."""
    caller.service.queue(
        response(
            [
                message("Let me think.", phase="commentary"),
                {"type": "reasoning", "id": "t", "summary": []},
                message(PARTY_TEXT, phase="final_answer"),
                message("That was it.", phase="a_phase_to_come"),
            ]
        ),
        response([message(PARTY_TEXT, phase=None)]),
        response(
            [message("Half", phase=None)], status="failed", error={"code": "x", "message": "y"}
        ),
    )
    told = caller.response(text_format=Event)
    assert told.output_parsed == Event(**PARTY)
    assert [item.content[0].parsed for item in told.output if item.type == "message"] == [
        None,
        Event(**PARTY),
        None,
    ]
    assert caller.response(text_format=Event).output_parsed == Event(**PARTY)
    failed = caller.response(text_format=Event)
    assert failed.output_parsed is None and failed.error.code == "x"


def test_text_next_to_tool_calls_is_not_parsed(caller):
    """Is not the answer yet, and need not be JSON."""
    calls = text("I look it up.", tool_calls=[("Query", {"table": "t"})])
    caller.service.queue(calls)
    told = caller.chat(response_format=Event, tools=[pydantic_function_tool(Query)])
    assert told.choices[0].message.parsed is None
    assert told.choices[0].message.tool_calls[0].function.parsed_arguments == Query(table="t")


def test_parse_as(caller):
    """How the answer is read, whatever was asked for."""
    caller.service.queue(PARTY_TEXT, "plain", PARTY_TEXT)
    told = caller.response(parse_as=Event, text={"format": {"type": "json_object"}}, stream=False)
    assert told.output_parsed == Event(**PARTY)
    assert caller.service.requests[0].body["text"] == {"format": {"type": "json_object"}}
    assert caller.response(text_format=Event, parse_as=None).output_text == "plain"
    assert caller.response(text_format=Query, parse_as=Event).output_parsed == Event(**PARTY)


def test_schemas_are_passed_on_as_they_are(caller):
    """A dict is what it was, and its answer is not parsed."""
    format_ = {"type": "json_schema", "json_schema": {"name": "x", "schema": {}}}
    caller.service.queue(PARTY_TEXT, PARTY_TEXT)
    told = caller.chat(response_format=format_)
    assert told.choices[0].message.parsed is None
    assert caller.service.requests[0].body["response_format"] == format_
    assert caller.chat().choices[0].message.parsed is None
    assert "response_format" not in caller.service.requests[1].body


def test_arguments_that_contradict_each_other(caller):
    """A TypeError that says so; nothing is sent."""
    with pytest.raises(TypeError, match="exclude each other"):
        caller.response(text_format=Event, text={"format": {"type": "text"}})
    with pytest.raises(TypeError, match="text_format takes a type"):
        caller.response(text_format={"type": "json_object"})
    for wrong in ("json", Event.model_construct(), [Event]):
        with pytest.raises(TypeError, match="response_format takes a type, a dict or None, not "):
            caller.chat(response_format=wrong)
    for kind in (Event, list[Event], Event | None, pydantic.TypeAdapter(Event)):
        with pytest.raises(TypeError, match=r"`BaseModel`.*chat\.completions\.parse"):
            caller(lambda client, kind=kind: client.chat.completions.create(
                model="m", messages=[], response_format=kind))  # fmt: skip
    with pytest.raises(TypeError, match=r"responses\.parse"):
        caller(lambda client: client.responses.create(model="m", input="x", text_format=Event))
    with pytest.raises(TypeError, match=r"responses\.stream parses"):
        caller.response(text_format=Event, stream=True)
    with pytest.raises(TypeError, match="no_such"):
        caller.chat(no_such=1)
    with pytest.raises(TypeError, match="arguments of a tool must have names"):
        pydantic_function_tool(list[int])
    assert caller.service.requests == []


def test_parse_under_beta(caller):
    """Where older programs look for it."""
    caller.service.queue(PARTY_TEXT)
    asked = {"model": "m", "messages": [{"role": "user", "content": "x"}]}
    told = caller(lambda client: client.beta.chat.completions.parse(**asked, response_format=Event))
    assert told.choices[0].message.parsed == Event(**PARTY)


def test_dumps_have_what_was_parsed(caller):
    """As dicts, like everything in them."""
    caller.service.queue(PARTY_TEXT, text("", tool_calls=[("Query", {"table": "t"})]))
    told = caller.chat(response_format=Event)
    assert told.model_dump()["choices"][0]["message"]["parsed"] == PARTY
    assert json.loads(told.to_json())["choices"][0]["message"]["parsed"] == PARTY
    told = caller.chat(tools=[pydantic_function_tool(Query)])
    (call,) = told.model_dump()["choices"][0]["message"]["tool_calls"]
    assert call["function"]["parsed_arguments"] == {"table": "t", "limit": 5}


def test_raw_answers_are_parsed_when_asked(caller):
    """`parse()` of a raw answer is the parsed one; its text is what came."""
    caller.service.queue(PARTY_TEXT, PARTY_TEXT, "no JSON")
    asked = {"model": "m", "messages": [{"role": "user", "content": "x"}]}
    raw = caller(lambda client: client.chat.completions.with_raw_response.parse(
        **asked, response_format=Event))  # fmt: skip
    assert raw.status_code == 200 and "parsed" not in raw.text
    assert raw.parse().choices[0].message.parsed == Event(**PARTY)
    assert raw.parse().choices[0].message.parsed is raw.parse().choices[0].message.parsed
    raw = caller(lambda client: client.responses.with_raw_response.parse(
        model="m", input="x", text_format=Event))  # fmt: skip
    assert raw.parse().output_parsed == Event(**PARTY)
    raw = caller(lambda client: client.with_raw_response.chat.completions.parse(
        **asked, response_format=Event))  # fmt: skip
    assert raw.headers["content-type"]
    with pytest.raises(AnswerValidationError):
        raw.parse()


def test_streaming_responses_are_parsed(caller):
    """with_streaming_response, too."""
    caller.service.queue(PARTY_TEXT)
    asked = {"model": "m", "messages": [{"role": "user", "content": "x"}]}
    told = caller.opened(
        lambda client: client.chat.completions.with_streaming_response.parse(
            **asked, response_format=Event
        ),
        lambda opened: opened.parse(),
    )
    assert told.choices[0].message.parsed == Event(**PARTY)


PIECES = ['{"name": "pa', 'rty", "d', 'ay": 5}']


def test_a_streamed_chat_is_parsed(caller):
    """Piece by piece as there is something, and whole at the end."""
    caller.service.queue(PIECES)
    told, error, final = caller.chat_stream(response_format=Event)
    assert error is None
    deltas = [event for event in told if event.type == "content.delta"]
    assert [event.parsed for event in deltas if event.delta] == [{}, {"name": "party"}, PARTY]
    (done,) = (event for event in told if event.type == "content.done")
    assert done.parsed == Event(**PARTY) and done.parsed is done.parsed
    assert final.choices[0].message.parsed == Event(**PARTY)
    chunks = [event for event in told if event.type == "chunk"]
    shown = [event.snapshot.choices[0].message.parsed for event in chunks if event.chunk.choices]
    assert PARTY in shown and {"name": "party"} in shown
    assert caller.service.requests[0].body["response_format"]["json_schema"]["name"] == "Event"


def test_streamed_calls_are_parsed(caller):
    """The arguments of tools, of a chat and of a response."""
    tool = pydantic_function_tool(Query)
    calls = text("", tool_calls=[("Query", {"table": "t", "limit": 2})])
    caller.service.queue(calls, calls)
    told, error, final = caller.chat_stream(tools=[tool])
    (done,) = (event for event in told if event.type.endswith("arguments.done"))
    deltas = [event for event in told if event.type.endswith("arguments.delta")]
    assert done.parsed_arguments == Query(table="t", limit=2) and error is None
    assert deltas[-1].parsed_arguments == {"table": "t", "limit": 2}
    call = final.choices[0].message.tool_calls[0]
    assert call.function.parsed_arguments == Query(table="t", limit=2)
    _, error, final = caller.response_stream(tools=[tool])
    (call,) = (item for item in final.output if item.type == "function_call")
    assert call.parsed_arguments == Query(table="t", limit=2) and error is None


def test_a_streamed_response_is_parsed(caller):
    """The whole text, the response of the last event, and the final one."""
    caller.service.queue(PIECES)
    told, error, final = caller.response_stream(text_format=Event)
    assert error is None and final.output_parsed == Event(**PARTY)
    (done,) = (event for event in told if event.type == "response.output_text.done")
    assert done.parsed == Event(**PARTY) and done.text == PARTY_TEXT
    assert told[-1].type == "response.completed"
    assert told[-1].response.output_parsed == Event(**PARTY)
    assert isinstance(told[-1], modelwire.types.responses.ResponseCompletedEvent)


def test_streamed_commentary_is_not_parsed(caller):
    """Nor is it an error."""
    said = [("Well.", "commentary"), (PARTY_TEXT, "final_answer")]
    items = [message(text_, phase=phase, id=phase) for text_, phase in said]
    parts = []
    for index, item in enumerate(items):
        at = {"output_index": index, "item_id": item["id"], "content_index": 0}
        parts += [
            {"type": "response.output_item.added", "output_index": index, "item": item},
            {"type": "response.output_text.done", **at, "text": item["content"][0]["text"]},
        ]
    whole = {"id": "r", "object": "response", "status": "completed", "output": items}
    begun = {**whole, "status": "in_progress", "output": []}
    caller.service.queue(
        events(
            [
                {"type": "response.created", "response": begun},
                *parts,
                {"type": "response.completed", "response": whole},
            ]
        )
    )
    told, error, final = caller.response_stream(text_format=Event)
    done = [event.parsed for event in told if event.type == "response.output_text.done"]
    assert error is None and done == [None, Event(**PARTY)]
    assert final.output_parsed == Event(**PARTY)


def test_a_stream_that_cannot_be_parsed(caller):
    """All its events come; it raises at its end, with the whole answer."""
    for said, reason, kind in (
        ('{"name": 5}', "stop", AnswerValidationError),
        ('{"name": "pa', "length", LengthFinishReasonError),
        ('{"name": "pa', "content_filter", ContentFilterFinishReasonError),
    ):
        answer = text(said, finish_reason=reason, usage=(3, 4))
        caller.service.queue(answer, answer)
        asked = {"stream_options": {"include_usage": True}}
        told, error, final = caller.chat_stream(response_format=Event, **asked)
        assert type(error) is kind and type(final) is kind
        assert "".join(event.delta for event in told if event.type == "content.delta") == said
        done = [event for event in told if event.type == "content.done"]
        assert len(done) == (reason == "stop")
        for event in done:
            with pytest.raises(AnswerValidationError):
                print(event.parsed)
        assert error.usage.total_tokens == 7
        told, error, final = caller.response_stream(text_format=Event)
        assert type(error) is kind and type(final) is kind and error.usage.total_tokens == 7
        assert told[-1].type in ("response.completed", "response.incomplete")


def test_a_streamed_refusal(caller):
    """Is told as one, and not parsed."""
    chunk = {"id": "c", "object": "chat.completion.chunk"}
    caller.service.queue(
        events(
            [
                {**chunk, "choices": [{"index": 0, "delta": {"refusal": "No."}}]},
                {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
            ]
        )
    )
    told, error, final = caller.chat_stream(response_format=Event)
    assert [event.type for event in told if event.type != "chunk"] == [
        "refusal.delta",
        "refusal.done",
    ]
    assert error is None and final.choices[0].message.parsed is None


def test_events_as_dicts(caller):
    """With all that an attribute of them says."""
    caller.service.queue(PIECES, PIECES, text("", tool_calls=[("Query", {"table": "t"})]))
    told, _, _ = caller.chat_stream(response_format=Event)
    dumps = [event.model_dump() for event in told]
    assert dumps[0]["chunk"]["object"] == "chat.completion.chunk"
    assert dumps[0]["snapshot"]["object"] == "chat.completion"
    (done,) = (dump for dump in dumps if dump["type"] == "content.done")
    assert done == {"type": "content.done", "content": PARTY_TEXT, "parsed": PARTY}
    last = [dump for dump in dumps if dump["type"] == "content.delta"][-1]
    texts = {"delta": PIECES[-1], "snapshot": PARTY_TEXT}
    assert last == {"type": "content.delta", **texts, "parsed": PARTY}
    told, _, _ = caller.response_stream(text_format=Event)
    dumps = [event.model_dump() for event in told]
    (done,) = (dump for dump in dumps if dump["type"] == "response.output_text.done")
    assert done["parsed"] == PARTY and done["text"] == PARTY_TEXT
    assert dumps[-1]["response"]["output"][0]["content"][0]["parsed"] == PARTY
    last = [dump for dump in dumps if dump["type"] == "response.output_text.delta"][-1]
    assert last["snapshot"] == PARTY_TEXT
    told, _, _ = caller.chat_stream(tools=[pydantic_function_tool(Query)])
    dumps = [event.model_dump() for event in told]
    (done,) = (dump for dump in dumps if dump["type"].endswith("arguments.done"))
    assert done["parsed_arguments"] == {"table": "t", "limit": 5} and done["name"] == "Query"


def test_a_stream_state_accepts_chunks_of_a_plain_stream(caller):
    """A state takes what parse takes."""
    caller.service.queue(PIECES)
    asked = {"model": "m", "messages": [{"role": "user", "content": "x"}]}
    with modelwire.OpenAI(**caller.settings) as client:
        chunks = list(client.chat.completions.create(**asked, stream=True))
    state = ChatCompletionStreamState(response_format=Event)
    told = [event for chunk in chunks for event in state.handle_chunk(chunk)]
    assert state.current_completion_snapshot.choices[0].message.parsed == Event(**PARTY)
    assert state.get_final_completion().choices[0].message.parsed == Event(**PARTY)
    assert [event.parsed for event in told if event.type == "content.done"] == [Event(**PARTY)]


@pytest.mark.thread_unsafe("the processor time of the process is measured")
def test_a_long_parsed_stream_takes_linear_time(modelwire_service):
    """32,000 pieces cost eight times what 4,000 cost, and not sixty-four times."""
    settings = {"base_url": modelwire_service.base_url, "api_key": modelwire_service.api_key}

    def taken(count):
        said = ['{"text": "', *["x"] * count, '"}']
        modelwire_service.queue(said)
        with modelwire.OpenAI(**settings) as client:
            asked = {"model": "m", "messages": [{"role": "user", "content": "x"}]}
            begin = time.process_time()
            with client.chat.completions.stream(**asked, response_format=Step) as stream:
                pieces = sum(event.type == "content.delta" for event in stream)
                found = stream.get_final_completion().choices[0].message.parsed
            took = time.process_time() - begin
        assert pieces >= count and len(found.text) == count
        return took

    taken(1000)
    short, long = min(taken(4000), taken(4000)), taken(32000)
    assert long < 20 * short


@pytest.mark.thread_unsafe("the processor time of the process is measured")
@pytest.mark.deep
def test_ten_thousand_models_leave_no_memory(modelwire_service):
    """Nothing that is kept grows by the classes that were asked for."""
    settings = {"base_url": modelwire_service.base_url, "api_key": modelwire_service.api_key}
    alive = weakref.WeakSet()
    sizes = []

    def make(number):
        model = pydantic.create_model(f"Model{number}", text=(str, ...))
        alive.add(model)
        from modelwire._schemas.parse import ChatReading

        given = {"response_format": model if number % 2 else list[model]}
        reading = ChatReading(given, all_strict=True)
        said = '{"text": "x"}' if number % 2 else '[{"text": "x"}]'
        answer = modelwire.types.chat.ChatCompletion(
            choices=[{"finish_reason": "stop", "message": {"content": said}}]
        )
        assert reading.read(answer).choices[0].message.parsed

    def work(first):
        for number in range(first, first + 250):
            make(number)

    with modelwire.OpenAI(**settings):
        for _ in range(5):
            together(*[partial(work, one * 250) for one in range(8)])
            gc.collect()
            sizes.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
            assert len(alive) < 64, "classes are kept"
    assert sizes[-1] - sizes[1] < 40_000, f"KiB at the most, after each part: {sizes}"


def test_names_of_parsed_answers():
    """For annotations and isinstance, where openai-python has them."""
    from modelwire.types import chat, responses

    told = chat.ChatCompletion(choices=[{"message": {"content": "x"}}])
    assert isinstance(told, chat.ParsedChatCompletion)
    assert isinstance(told.choices[0], chat.ParsedChoice)
    assert isinstance(told.choices[0].message, chat.ParsedChatCompletionMessage)
    assert not isinstance(told, responses.ParsedResponse)
    assert chat.ParsedChatCompletion[Event] is chat.ParsedChatCompletion
    made = responses.ParsedResponse(output=[])
    assert type(made) is responses.Response and made.output_parsed is None
    for name in ("ParsedFunction", "ParsedFunctionToolCall"):
        assert name in chat.__all__ and hasattr(chat, name)
    for name in ("Content", "ResponseFunctionToolCall", "ResponseOutputItem", "ResponseOutputText"):
        assert f"Parsed{name}" in responses.__all__


def test_programs_that_catch_what_openai_python_raises():
    """They are made and caught under its names."""
    error = LengthFinishReasonError(completion=modelwire.types.chat.ChatCompletion(model="m"))
    assert isinstance(error, modelwire.OpenAIError) and error.model == "m" and str(error)
    assert error.answer is error.completion
    assert ContentFilterFinishReasonError().completion is None


def test_parsed_answers_are_sent_back_as_they_came(caller):
    """What a text was read as is the program's own; no service knows it."""
    calls = text("", tool_calls=[("Query", {"table": "t"})])
    tool = pydantic_function_tool(Query)
    caller.service.queue('{"x": 1}', calls, '{"x": 1}', calls, "ok", "ok")
    chats = [caller.chat(response_format=Point), caller.chat(tools=[tool])]
    responses = [caller.response(text_format=Point), caller.response(tools=[tool])]
    assert chats[0].choices[0].message.parsed == Point(1) and responses[0].output_text == '{"x": 1}'
    messages = [told.choices[0].message for told in chats]
    answered = {"role": "tool", "tool_call_id": "c", "content": "done"}
    caller.chat(messages=[{"role": "user", "content": "x"}, *messages, answered])
    caller.response(input=[item for told in responses for item in told.output])
    for request in caller.service.requests[-2:]:
        assert "parsed" not in json.dumps(request.body)
    for told in (*chats, *responses):
        assert "parsed" not in told.to_json(indent=None)
        assert "parsed" in told.to_json() and "output_parsed" not in told.model_dump()
        assert json.loads(told.model_dump_json())


def test_what_was_parsed_is_not_pickled(caller):
    """The answer is, as it came; so a value never comes back as something else."""
    caller.service.queue(PARTY_TEXT)
    told = caller.chat(response_format=Event)
    again = pickle.loads(pickle.dumps(told))
    assert again.choices[0].message.parsed is None
    assert again.choices[0].message.content == PARTY_TEXT
