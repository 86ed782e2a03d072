"""Answers as Python objects: attributes, numbers, texts, equality."""

import copy
import gc
import json
import pickle
import weakref

import pytest

import modelwire
from callers import asked
from wire import ANSWER, HELLO, answer, chat, events, finish, piece

BIG = 2**100 + 1
PI = 3.141592653589793


@pytest.fixture
def of(scripted):
    """The object that a body is answered as; a choice is put before it where it has none."""

    def ask(body):
        text = (body if isinstance(body, str) else json.dumps(body)).strip()
        if '"choices"' not in text:
            text = '{"choices":[{}]' + ("," if text != "{}" else "") + text[1:]
        return asked(scripted(answer(text)))

    return ask


def test_weak_references(scripted):
    """To whole answers and to parts of them, to lists of models, streams and chunks."""
    client = scripted(answer({"choices": [{"message": {"content": "a"}}]}), events(piece("a")))
    found = asked(client)
    made = pickle.loads(pickle.dumps(found))
    streamed = client.chat.completions.create(model="m", messages=HELLO, stream=True)
    streamed = getattr(streamed, "_inner", streamed)
    chunk = modelwire.types.chat.ChatCompletionChunk.model_validate_json(piece("a"))
    models = modelwire.pagination.SyncPage(made)
    for thing in (found, found.choices[0].message, made, streamed, chunk, chunk.choices[0], models):
        assert weakref.ref(thing)() is thing
    seen = []
    weakref.finalize(made, seen.append, "made")
    kept = weakref.WeakValueDictionary(made=made)
    del made, models, thing
    gc.collect()
    assert seen == ["made"] and not kept


def test_unknown_fields_are_attributes(of):
    """At any depth, in lists too, and under names that Python does not like."""
    found = of('{"new":{"deep":[{"x":1},{"x":2}]},"class":"c","with space":2,"ключ":3}')
    assert [item.x for item in found.new.deep] == [1, 2]
    assert getattr(found, "class") == "c" and getattr(found, "with space") == 2
    assert found.ключ == 3


def test_missing_fields(of):
    """A known one is None, an unknown one an AttributeError that names it."""
    found = of("{}")
    assert found.id is None and found.object is None and found.usage is None
    with pytest.raises(AttributeError, match='ChatCompletion has no field "nonsense"'):
        found.nonsense
    assert getattr(found, "nonsense", 7) == 7 and not hasattr(found, "nonsense")


@pytest.mark.parametrize("odd", ["7", '"x"', "[]", "{}", "null", "true", "[[1]]"])
def test_fields_of_another_type_pass_through(of, odd):
    """A differently typed field never fails a call."""
    found = of(f'{{"object":{odd},"usage":{odd},"id":{odd}}}')
    assert found.to_dict()["usage"] == json.loads(odd)
    plain = found.id.to_dict() if odd == "{}" else found.id
    assert plain == json.loads(odd)


@pytest.mark.parametrize(
    "number",
    [0, -1, 2**53 + 1, 2**63 - 1, -(2**63), 2**63, 2**64, BIG, -BIG, 0.1, PI, 1e300, 5e-324, -0.0],
)
def test_numbers_to_the_last_digit(of, number):
    """Whole numbers of any size, fractions as Python reads them."""
    body = {"choices": [{}], "n": number}
    found = of(body)
    assert repr(found.n) == repr(number) == repr(found.to_dict()["n"])
    assert found.to_json(indent=None) == json.dumps(body)


@pytest.mark.parametrize("text", ["1E5", "1e+5", "100000.0", "1e400", "-1e400", "1e-400"])
def test_numbers_in_other_writings(of, text):
    """As Python's json reads them."""
    assert repr(of(f'{{"n":{text}}}').n) == repr(json.loads(text))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'"\n\t\"\\\/\b\f\r"', '\n\t"\\/\b\f\r'),
        (r'"\u00e9\u20ac"', "é€"),
        (r'"\ud83d\ude00"', "😀"),
        ('"é€😀"', "é€😀"),
        (r'"\u0000"', "\0"),
        (r'"a\ud83dz"', "a\ufffdz"),
        (r'"\ude00\ud83d"', "\ufffd\ufffd"),
    ],
)
def test_texts(of, scripted, text, value):
    """Escapes are read; a lone surrogate reads as U+FFFD, everywhere alike."""
    found = of(f'{{"new":{text},"choices":[{{"message":{{"content":{text}}}}}]}}')
    assert found.new == found.to_dict()["new"] == value
    assert found.choices[0].message.content == value
    chunk = f'{{"choices":[{{"delta":{{"content":{text}}},"finish_reason":"stop"}}]}}'
    [streamed] = scripted(events(chunk)).chat.completions.create(
        model="m", messages=HELLO, stream=True
    )
    assert streamed.choices[0].delta.content == value


def test_of_duplicate_keys_the_last_wins(of):
    """As Python's json reads them."""
    found = of('{"id":"a","id":"b","new":1,"new":2}')
    assert (found.id, found.new) == ("b", 2)
    assert found.to_dict() == {"choices": [{}], "id": "b", "new": 2}


def test_plain_values(of):
    """to_dict and model_dump give all fields, unknown ones included, in their order."""
    body = {"z": 1, "id": "c", "new": {"b": [1, {"c": None}], "a": True}, "choices": [{}]}
    found = of(body)
    assert found.to_dict() == found.model_dump(exclude_unset=True) == body
    assert list(found.to_dict()) == list(body)
    assert type(found.new.to_dict()) is dict


KNOWN = {"id", "choices", "created", "model", "object", "service_tier", "system_fingerprint"}
KNOWN |= {"metadata", "moderation"}


def test_dumps(of):
    """As pydantic's, for programs that know answers as pydantic models."""
    body = {"id": "c", "choices": [{"index": 0, "logprobs": None}], "usage": None, "new": 1}
    found = of(body)
    dump = found.model_dump()
    assert set(dump) == KNOWN | {"usage", "new"} and dump["created"] is None
    choice = {"index": 0, "logprobs": None, "finish_reason": None, "message": None}
    assert dump["choices"] == [choice] and found.dict() == dump
    assert found.json(exclude_unset=True) == found.model_dump_json(exclude_unset=True)
    assert found.copy() == found and found.copy(update={"id": "d"}).id == "d"
    assert found.model_dump(mode="json", exclude_unset=True, by_alias=True) == body
    plain = {"id": "c", "choices": [{"index": 0}], "new": 1}
    assert found.model_dump(exclude_none=True) == found.to_dict(exclude_none=True) == plain
    assert found.model_dump(exclude_defaults=True) == plain
    assert found.to_dict(exclude_unset=False) == dump
    assert found.model_dump(include={"id", "created"}) == {"id": "c", "created": None}
    assert "choices" not in found.model_dump(exclude={"choices": True})
    assert json.loads(found.model_dump_json()) == dump
    assert found.model_dump(round_trip=True, serialize_as_any=True, warnings=False)
    for dump in (found.model_dump, found.model_dump_json, found.dict):
        with pytest.raises(TypeError, match='takes no "exclude_nonee"'):
            dump(exclude_nonee=True)
    assert found.model_dump_json(exclude_none=True) == json.dumps(plain, separators=(",", ":"))
    assert "\n" in found.model_dump_json(indent=2)
    assert json.loads(found.to_json(exclude_none=True)) == plain


PARTS = {
    "a": [{"b": {"c": 1, "d": 2}}, {"b": {"c": 3}}],
    "d": [0, {"e": 1, "f": 2}, {"e": 3}],
    "g": {"h": 1, "i": {"j": 2, "k": 3}},
}


@pytest.mark.parametrize("way", ["include", "exclude"])
@pytest.mark.parametrize(
    "parts",
    [
        {"a"},
        ["a", "g"],
        {"a": True, "nonsense": True},
        {"a": {"__all__": {"b": {"c"}}}},
        {"d": ...},
        {"g": {"i"}},
        {"g": {"i": {"j"}}},
        {"g": {"i": {"j": True}, "h": True}},
        {"d": {0}},
        {"d": {-1: True}},
        {"d": {1: {"e"}}},
        {"d": {"__all__": {"e"}}},
        {"d": {"__all__": {"e"}, 1: {"f"}}},
        {"d": {"__all__": True}},
        {},
    ],
    ids=repr,
)
def test_parts_of_a_dump(of, way, parts):
    """What pydantic keeps of the same fields."""
    pydantic = pytest.importorskip("pydantic")

    class Peer(pydantic.BaseModel):
        a: object
        d: list[object]
        g: object

    given = set(parts) if isinstance(parts, list) else parts
    expected = Peer(**PARTS).model_dump(**{way: given})
    found = of(PARTS)
    dump = found.model_dump(exclude_unset=True, **{way: given})
    text = found.model_dump_json(exclude_unset=True, **{way: given})
    assert json.loads(text) == dump
    assert {name: part for name, part in dump.items() if name != "choices"} == expected


def test_a_part_of_each_choice_is_left_out(client):
    """What frameworks leave out of an answer, and no more than that."""
    answered = asked(client, model="echo")
    dump = answered.model_dump(exclude={"choices": {"__all__": {"message": {"refusal"}}}})
    whole = answered.model_dump()
    del whole["choices"][0]["message"]["refusal"]
    assert dump == whole and dump["choices"][0]["message"]["content"]
    kept = answered.model_dump(include={"choices": {0: {"message": {"content"}}}, "id": True})
    content = answered.choices[0].message.content
    assert kept == {"id": answered.id, "choices": [{"message": {"content": content}}]}


def test_a_tool_call_dumps_as_what_it_is(scripted):
    """A function has no `custom`, not even a null one."""
    function = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    custom = {"id": "2", "type": "custom", "custom": {"name": "g", "input": "x"}}
    client = scripted(chat({"role": "assistant", "tool_calls": [function, custom]}))
    message = asked(client).choices[0].message
    assert [call.model_dump() for call in message.tool_calls] == [function, custom]
    assert message.model_dump()["tool_calls"] == [function, custom]
    piece = {"index": 0, "id": "1", "type": "function", "function": {"name": "f"}}
    delta = {"choices": [{"index": 0, "delta": {"tool_calls": [piece]}, "finish_reason": "stop"}]}
    [chunk] = scripted(events(json.dumps(delta))).chat.completions.create(
        model="m", messages=HELLO, stream=True
    )
    dump = chunk.choices[0].delta.tool_calls[0].model_dump()
    assert dump == {**piece, "function": {"name": "f", "arguments": None}}


def test_fields_set_and_extra_fields_are_known(of):
    """The names of both."""
    found = of({"id": "c", "new": {"deep": [1]}, "usage": None})
    assert found.model_fields_set == {"id", "new", "usage", "choices"}
    assert found.model_extra == {"new": {"deep": [1]}}
    assert isinstance(found.model_extra["new"], dict)
    assert {"id", "choices", "new", "model_dump"} <= set(dir(found))


def test_fields_are_items_too(of):
    """For programs that have unknown objects as dicts, as openai-python gives them."""
    found = of({"new": {"deep": [{"x": 1}]}})
    assert found.new["deep"][0]["x"] == 1 and "deep" in found.new and "id" not in found
    with pytest.raises(KeyError, match="nonsense"):
        found.new["nonsense"]


def again():
    return {
        "pickle": lambda one: pickle.loads(pickle.dumps(one)),
        "copy": copy.copy,
        "deepcopy": copy.deepcopy,
        "model_copy": lambda one: one.model_copy(),
        "model_validate": lambda one: type(one).model_validate(one.to_dict()),
        "model_validate_json": lambda one: type(one).model_validate_json(one.to_json(indent=None)),
        "construct": lambda one: type(one).construct(**one.to_dict()),
    }


@pytest.mark.parametrize("way", again())
def test_objects_made_again(client, scripted, way):
    """Answers, chunks and every part of them; the same class, equal, the same text."""
    answered = client.chat.completions.create(model="echo-tools", messages=HELLO)
    response = client.responses.create(model="echo", input="hello")
    chunk, *_ = asked(client, model="echo", stream=True)
    *_, event = client.responses.create(model="echo", input="hello", stream=True)
    ones = [answered, answered.usage, answered.choices[0].message.tool_calls[0], response]
    ones += [chunk, chunk.choices[0], chunk.choices[0].delta, event, event.response.output[0]]
    for one in ones:
        same = again()[way](one)
        assert type(same) is type(one) and same == one
        assert same.to_dict() == one.to_dict() and repr(same)
    same = again()[way](answered)
    if way in ("pickle", "copy", "deepcopy", "model_copy"):
        assert same._request_id == answered._request_id
    assert same.choices[0].message.tool_calls[0].function.name == "echo"
    models = client.models.list()
    assert pickle.loads(pickle.dumps(models)) == models


def test_a_copy_with_other_fields(of):
    """The first stays what it is."""
    found = of({"id": "c", "choices": [{"message": {"content": "a"}}]})
    other = found.model_copy(update={"id": "d"})
    assert (found.id, other.id, other.choices[0].message.content) == ("c", "d", "a")
    message = found.choices[0].message.model_copy(update={"content": "b"})
    assert message.content == "b" and type(message) is type(found.choices[0].message)


def test_answers_made_up_for_tests():
    """Programs make answers for their own tests."""
    from modelwire.types.chat import ChatCompletion, ChatCompletionMessage, Choice

    message = ChatCompletionMessage(role="assistant", content="hi")
    choice = Choice(index=0, finish_reason="stop", message=message)
    made = ChatCompletion(id="c", model="m", choices=[choice])
    assert made.choices[0].message.content == "hi" and made.usage is None
    assert made == ChatCompletion.model_validate(made.to_dict())
    with pytest.raises(TypeError, match="dict"):
        ChatCompletion.model_validate("text")
    with pytest.raises(ValueError, match="not JSON"):
        ChatCompletion.model_validate_json("{")


def test_items_are_of_the_class_that_their_type_names(client, scripted):
    """An unknown one is of a general class, and never of a wrong one."""
    from modelwire.types import responses

    output = [
        {"type": "message", "content": [{"type": "output_text", "text": "a"}, {"type": "new"}]},
        {"type": "function_call", "name": "f"},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "b"}]},
        {"type": "from_tomorrow", "payload": {"x": 1}},
    ]
    answered = scripted(answer({"output": output, "metadata": {"a": "b"}}))
    response = answered.responses.create(model="m", input="x")
    assert [type(item) for item in response.output] == [
        responses.ResponseOutputMessage,
        responses.ResponseFunctionToolCall,
        responses.ResponseReasoningItem,
        responses.ResponseOutputItem,
    ]
    text, other = response.output[0].content
    assert type(text) is responses.ResponseOutputText and other.type == "new"
    assert response.output[3].payload.x == 1
    assert response.metadata == {"a": "b"} and type(response.metadata) is dict


def test_answers_in_pydantic_models(of):
    """Where a program has them in models of its own."""
    pydantic = pytest.importorskip("pydantic")
    from modelwire.types.chat import ChatCompletion

    class Record(pydantic.BaseModel):
        answer: ChatCompletion

    message = {"role": "assistant", "content": "a"}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    about = {"created": 1, "model": "m", "object": "chat.completion"}
    found = of({"id": "c", "choices": [choice], **about})
    record = Record(answer=found)
    assert record.answer is found and record.model_dump() == {"answer": found.model_dump()}
    assert record.model_dump(exclude_unset=True) == {"answer": found.to_dict()}
    assert Record.model_validate_json(record.model_dump_json()).answer == found
    described = Record.model_json_schema()
    assert described["properties"]["answer"] == {"$ref": "#/$defs/ChatCompletion"}
    assert described["$defs"]["ChatCompletion"]["type"] == "object"


def test_json_text(of):
    """Indented by default, as openai-python has it; or as the service sent it."""
    text = '{"a" : 1.50,\n "b":"\\u00e9","c":[],"d":{},"choices":[{}]}'
    found = of(text)
    assert found.to_json(indent=None) == text
    indented = json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    assert found.to_json() == found.to_json(indent=2) == indented
    assert found.to_json(indent=4) == json.dumps(json.loads(text), indent=4, ensure_ascii=False)


def test_equality(of):
    """By value; never equal to something else."""
    one, same, other = of({"id": 1, "n": 2}), of('{ "n":2, "id":1.0 }'), of({"id": 2})
    assert one == same and one == of({"id": 1, "n": 2})
    assert one != other and one != {"id": 1, "n": 2} and one is not None and one != 1
    with pytest.raises(TypeError):
        hash(one)


def test_equality_of_chunks(scripted):
    """Chunks, choices and deltas are compared alike."""
    make = scripted(events(piece("a"), piece("a"), piece("b"), finish()))
    first, second, third, _ = asked(make, stream=True)
    assert first == second and first != third
    assert first.choices == second.choices and first.choices[0] != third.choices[0]
    assert first.choices[0].delta == second.choices[0].delta


def test_repr(of, scripted):
    """Names what it is and shows it, but not all of a large one."""
    small = {"id": "c", "choices": [{}]}
    assert repr(of(small)) == str(of(small)) == "ChatCompletion(id='c', choices=[Choice()])"
    found = asked(scripted(chat({"role": "assistant", "content": "hi"})))
    assert repr(found.choices[0].message).startswith("ChatCompletionMessage(content=")
    large = repr(of({"id": "x" * 10_000}))
    assert len(large) < 1000 and large.endswith("...)")
    assert "x" * 10_000 in str(of({"id": "x" * 10_000}))
    models = scripted(answer({"data": [{"id": "a"}]})).models.list()
    assert repr(models) == "ModelList([Model(id='a')])"


def test_fields_can_be_assigned(of):
    """As those of openai-python: known and unknown ones, and parts at any depth; seen by all that
    looks at the answer."""
    body = {"id": "c", "choices": [{"index": 0, "message": {"content": "a"}}], "new": {"x": 1}}
    found, before = of(body), of(body)
    message = found.choices[0].message
    message.content += "b"
    found.new.x, found.extra, found.usage = 2, {"y": BIG}, None
    found.id = "d"
    assert message.content == found.choices[0].message.content == "ab"
    choice = {"index": 0, "message": {"content": "ab"}}
    body = {"id": "d", "choices": [choice], "new": {"x": 2}, "extra": {"y": BIG}, "usage": None}
    assert found.to_dict() == found.model_dump(exclude_unset=True) == body
    assert json.loads(found.to_json(indent=None)) == json.loads(found.to_json()) == body
    assert json.loads(found.model_dump_json(exclude_unset=True)) == body
    assert found.model_dump()["created"] is None and found.model_dump()["id"] == "d"
    assert "usage" not in found.to_dict(exclude_none=True)
    assert found.model_fields_set == set(body)
    assert found.model_extra == {"new": {"x": 2}, "extra": {"y": BIG}}
    assert (
        found["extra"] == found.extra == {"y": BIG} and "extra" in found and "extra" in dir(found)
    )
    assert found != before and before.choices[0].message.content == "a"
    assert found == of(body) and "'ab'" in repr(found)
    for way in again().values():
        copied = way(found)
        assert copied.to_dict() == body and type(copied) is type(found)
        copied.id = "e"
        assert found.id == "d" and copied.id == "e"


def test_objects_can_be_assigned(of):
    """Whole objects, lists of them, and what programs keep for themselves."""
    found, other = of({"id": "c", "choices": [{}]}), of({"choices": [{"index": 0}]})
    found.choices = [*other.choices, {"index": 1}]
    found.choices[0].index = 7
    kept = found._kept = object()
    assert found.choices is found.choices and found._kept is kept
    assert found.to_dict() == {"id": "c", "choices": [{"index": 7}, {"index": 1}]}
    assert other.to_dict() == {"choices": [{"index": 7}]}
    found._request_id = "r"
    assert found._request_id == "r" and "_request_id" not in found.to_dict()
    with pytest.raises(AttributeError, match="cannot be assigned"):
        found.__class__ = dict


def test_an_answer_that_was_changed_is_sent_as_it_is_now(scripted):
    """What a program makes of a message goes back into the conversation."""
    client = scripted(chat({"role": "assistant", "content": "a"}))
    message = asked(client).choices[0].message
    message.content = "b"
    client.chat.completions.create(model="m", messages=[*HELLO, message])
    sent = json.loads(scripted.requests()[-1]["body"])["messages"]
    assert sent == [*HELLO, {"role": "assistant", "content": "b"}]


def test_arguments_of_tool_calls_are_put_together(scripted):
    """As OpenAI's guide for streamed tool calls does it, on the first piece itself."""

    def delta(call):
        choice = {"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": None}
        return json.dumps({"id": "c", "choices": [choice]})

    first = {"index": 0, "id": "1", "type": "function", "function": {"name": "f", "arguments": ""}}
    pieces = [delta({"index": 0, "function": {"arguments": piece}}) for piece in ('{"a"', ":1}")]
    client = scripted(events(delta(first), *pieces, finish("tool_calls")))
    calls = {}
    for chunk in asked(client, stream=True):
        for call in chunk.choices[0].delta.tool_calls or []:
            if call.index not in calls:
                calls[call.index] = call
            else:
                calls[call.index].function.arguments += call.function.arguments
    assert calls[0].function.arguments == '{"a":1}'
    assert calls[0].to_dict()["function"] == {"name": "f", "arguments": '{"a":1}'}


def test_parts_of_chunks_can_be_assigned(scripted):
    """Each field of the classes that streams are made of."""
    chunk, end = scripted(events(piece("a"), finish())).chat.completions.create(
        model="m", messages=HELLO, stream=True
    )
    choice, delta = chunk.choices[0], chunk.choices[0].delta
    delta.content, delta.role, choice.finish_reason, choice.index = "b", "user", "stop", 3
    assert [one.delta.content for one in chunk.choices] == ["b"] and delta.role == "user"
    assert (choice.finish_reason, choice.index) == ("stop", 3)
    sent = {"index": 3, "delta": {"content": "b", "role": "user"}, "finish_reason": "stop"}
    assert chunk.choices[0].to_dict() == chunk.to_dict()["choices"][0] == sent
    chunk.usage, chunk.model = {"total_tokens": 1}, "n"
    assert (chunk.usage, chunk.model) == ({"total_tokens": 1}, "n")
    choice.delta = end.choices[0].delta
    assert chunk.choices[0].delta.content is None and chunk.to_dict()["choices"][0]["delta"] == {}
    chunk.choices = []
    assert chunk.choices == [] == chunk.to_dict()["choices"]
    assert end.choices[0].finish_reason == "stop" and end.usage is None


def test_parts_of_events_can_be_assigned(client):
    """Their type, too."""
    event, *_, last = client.responses.create(model="echo", input="hello", stream=True)
    event.type, event.delta = "other", "x"
    assert (event.type, event.delta, event.to_dict()["type"]) == ("other", "x", "other")
    last.response.output[0].content[0].text = "bye"
    assert last.response.output_text == "bye" and last.to_dict()["response"]["output"]


def test_vars_of_an_answer(of):
    """All fields, known and unknown, as attributes have them."""
    found = of({"id": "c", "choices": [{"index": 0}], "new": 1})
    assert set(vars(found)) == KNOWN | {"usage", "new"}
    assert vars(found)["choices"] == found.choices and vars(found)["created"] is None
    found.id = "d"
    assert found.__dict__["id"] == "d"
    assert set(type(found).model_fields) == KNOWN | {"usage"} == set(found.model_fields)
    assert "delta" in type(found.choices[0]).model_fields or "message" in found.choices[0].__dict__


def test_an_answer_outlives_its_client(scripted):
    """A part keeps what it needs."""
    client = scripted(chat({"role": "assistant", "content": "hi"}))
    message = asked(client).choices[0].message
    client.close()
    del client
    assert message.content == "hi"


def test_answers_go_back_into_messages(scripted):
    """As the text that they came as."""
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    message = {"role": "assistant", "content": None, "tool_calls": [call], "new": BIG}
    client = scripted(chat(message))
    answered = asked(client).choices[0].message
    client.chat.completions.create(model="m", messages=[*HELLO, answered])
    [_, request] = scripted.requests()
    assert json.loads(request["body"])["messages"] == [*HELLO, message]
    assert json.dumps(message) in request["body"]


def test_any_part_of_an_answer_can_be_sent(scripted):
    """Objects, chunks, choices and deltas, wherever they stand."""
    make = scripted(events(piece("a"), finish()), ANSWER)
    chunk, _ = asked(make, stream=True)
    parts = {"chunk": chunk, "choice": chunk.choices[0], "delta": [chunk.choices[0].delta]}
    asked(make, metadata=parts)
    sent = json.loads(scripted.requests()[-1]["body"])["metadata"]
    choice = chunk.to_dict()["choices"][0]
    assert sent == {"chunk": chunk.to_dict(), "choice": choice, "delta": [choice["delta"]]}


@pytest.mark.parametrize("depth", [100, 500, 1500, 100_000])
def test_deep_nesting_does_not_crash(scripted, depth):
    """It is read, or refused with an error that names the bound."""
    client = scripted(answer('{"choices":[{}],"new":' + "[" * depth + "]" * depth + "}"))
    try:
        found = asked(client)
    except modelwire.APIResponseValidationError as error:
        assert depth > 1000 and "JSON_DEPTH_MAX" in error.message
    else:
        assert found.to_dict() == json.loads(found.to_json(indent=None)) and depth < 1000


def test_model_lists_have_fields_items_and_copies(scripted):
    """What is no field of the list is an AttributeError, also for Python itself."""
    models = scripted(answer({"data": [{"id": "a"}], "new": 1})).models.list()
    assert (models.new, models.data[0].id, [model.id for model in models[:1]]) == (1, "a", ["a"])
    with pytest.raises(AttributeError):
        models.nonsense
    assert [model.id for model in copy.copy(models)] == ["a"]


def test_names_of_the_types(of):
    """A type says which package it is of."""
    from modelwire.types.chat import ChatCompletion

    assert type(of({})) is ChatCompletion and ChatCompletion.__module__ == "modelwire.types.chat"
    assert modelwire.Stream.__module__ == "modelwire"
