"""Answers as Python objects: attributes, numbers, texts, equality. Knows nothing of HTTP."""

import copy
import json

import pytest

import modelwire
from wire import HELLO, answer, chat, events, finish, piece

BIG = 2**100 + 1
PI = 3.141592653589793


def asked(client):
    return client.chat.completions.create(model="m", messages=HELLO)


@pytest.fixture
def of(scripted):
    """The object that a body of JSON text is answered as."""
    return lambda body: asked(scripted(answer(body)))


def test_unknown_fields_are_attributes(of):
    """R-F3: at any depth, in lists too, and under names that Python does not like."""
    found = of('{"new":{"deep":[{"x":1},{"x":2}]},"class":"c","with space":2,"ключ":3}')
    assert [item.x for item in found.new.deep] == [1, 2]
    assert getattr(found, "class") == "c" and getattr(found, "with space") == 2
    assert found.ключ == 3


def test_missing_fields(of):
    """R-F3: a known one is None, an unknown one an AttributeError that names it."""
    found = of({})
    assert found.id is None and found.choices is None and found.usage is None
    with pytest.raises(AttributeError, match='ChatCompletion has no field "nonsense"'):
        found.nonsense
    assert getattr(found, "nonsense", 7) == 7 and not hasattr(found, "nonsense")


@pytest.mark.parametrize("odd", ["7", '"x"', "[]", "{}", "null", "true", "[[1]]"])
def test_fields_of_another_type_pass_through(of, odd):
    """R-F3: a differently typed field never fails a call."""
    found = of(f'{{"choices":{odd},"usage":{odd},"id":{odd}}}')
    assert found.to_dict()["usage"] == json.loads(odd)
    plain = found.id.to_dict() if odd == "{}" else found.id
    assert plain == json.loads(odd)


@pytest.mark.parametrize(
    "number",
    [0, -1, 2**53 + 1, 2**63 - 1, -(2**63), 2**63, 2**64, BIG, -BIG, 0.1, PI, 1e300, 5e-324, -0.0],
)
def test_numbers_to_the_last_digit(of, number):
    """R-F3: whole numbers of any size, fractions as Python reads them."""
    found = of(json.dumps({"n": number}))
    assert repr(found.n) == repr(number) == repr(found.to_dict()["n"])
    assert found.to_json() == json.dumps({"n": number})


@pytest.mark.parametrize("text", ["1E5", "1e+5", "100000.0", "1e400", "-1e400", "1e-400"])
def test_numbers_in_other_writings(of, text):
    """R-F3: as Python's json reads them."""
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
    """R-F3: escapes are read; a lone surrogate reads as U+FFFD, everywhere alike."""
    found = of(f'{{"new":{text},"choices":[{{"message":{{"content":{text}}}}}]}}')
    assert found.new == found.to_dict()["new"] == value
    assert found.choices[0].message.content == value
    chunk = f'{{"choices":[{{"delta":{{"content":{text}}},"finish_reason":"stop"}}]}}'
    [streamed] = scripted(events(chunk)).chat.completions.create(
        model="m", messages=HELLO, stream=True
    )
    assert streamed.choices[0].delta.content == value


def test_of_duplicate_keys_the_last_wins(of):
    """R-F3: as Python's json reads them."""
    found = of('{"id":"a","id":"b","new":1,"new":2}')
    assert (found.id, found.new, found.to_dict()) == ("b", 2, {"id": "b", "new": 2})


def test_plain_values(of):
    """R-F3: to_dict and model_dump give all fields, unknown ones included, in their order."""
    body = {"z": 1, "id": "c", "new": {"b": [1, {"c": None}], "a": True}, "choices": []}
    found = of(body)
    assert found.to_dict() == found.model_dump() == body
    assert list(found.to_dict()) == list(body)
    assert type(found.new.to_dict()) is dict


def test_json_text(of):
    """R-F3: as the service sent it, or indented as Python's json would."""
    text = '{"a" : 1.50,\n "b":"\\u00e9"}'
    found = of(text)
    assert found.to_json() == text
    assert found.to_json(indent=2) == json.dumps(json.loads(text), indent=2, ensure_ascii=False)


def test_equality(of):
    """R-F3: by value; never equal to something else."""
    one, same, other = of({"id": 1, "n": 2}), of('{ "n":2, "id":1.0 }'), of({"id": 2})
    assert one == same and one == of({"id": 1, "n": 2})
    assert one != other and one != {"id": 1, "n": 2} and one is not None and one != 1
    with pytest.raises(TypeError):
        hash(one)


def test_equality_of_chunks(scripted):
    """R-F3: chunks, choices and deltas are compared alike."""
    make = scripted(events(piece("a"), piece("a"), piece("b"), finish()))
    first, second, third, _ = make.chat.completions.create(model="m", messages=HELLO, stream=True)
    assert first == second and first != third
    assert first.choices == second.choices and first.choices[0] != third.choices[0]
    assert first.choices[0].delta == second.choices[0].delta


def test_repr(of, scripted):
    """R-F3: names what it is and shows it, but not all of a large one."""
    assert repr(of({"id": "c"})) == 'ChatCompletion({"id": "c"})'
    found = asked(scripted(chat({"role": "assistant", "content": "hi"})))
    assert repr(found.choices[0].message).startswith("ChatCompletionMessage({")
    large = repr(of({"id": "x" * 10_000}))
    assert len(large) < 1000 and large.endswith("...)")
    models = scripted(answer({"data": [{"id": "a"}]})).models.list()
    assert repr(models) == 'ModelList([Model({"id": "a"})])'


def test_objects_are_read_only(of):
    """R-F3: an answer is what the service sent."""
    found = of({"id": "c"})
    with pytest.raises(AttributeError):
        found.id = "d"


def test_an_answer_outlives_its_client(scripted):
    """R-F3: a part keeps what it needs."""
    client = scripted(chat({"role": "assistant", "content": "hi"}))
    message = asked(client).choices[0].message
    client.close()
    del client
    assert message.content == "hi"


def test_answers_go_back_into_messages(scripted):
    """R-OP5, R-F2: as the text that they came as."""
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    message = {"role": "assistant", "content": None, "tool_calls": [call], "new": BIG}
    client = scripted(chat(message))
    answered = asked(client).choices[0].message
    client.chat.completions.create(model="m", messages=[*HELLO, answered])
    [_, request] = scripted.requests()
    assert json.loads(request["body"])["messages"] == [*HELLO, message]
    assert json.dumps(message) in request["body"]


def test_any_part_of_an_answer_can_be_sent(scripted):
    """R-F2: objects, chunks, choices and deltas, wherever they stand."""
    make = scripted(events(piece("a"), finish()), answer({}))
    chunk, _ = make.chat.completions.create(model="m", messages=HELLO, stream=True)
    parts = {"chunk": chunk, "choice": chunk.choices[0], "delta": [chunk.choices[0].delta]}
    make.chat.completions.create(model="m", messages=HELLO, metadata=parts)
    sent = json.loads(scripted.requests()[-1]["body"])["metadata"]
    choice = chunk.to_dict()["choices"][0]
    assert sent == {"chunk": chunk.to_dict(), "choice": choice, "delta": [choice["delta"]]}


@pytest.mark.parametrize("depth", [100, 500, 1500, 100_000])
def test_deep_nesting_does_not_crash(scripted, depth):
    """R-F3: it is read, or refused with an error that names the bound."""
    client = scripted(answer('{"new":' + "[" * depth + "]" * depth + "}"))
    try:
        found = asked(client)
    except modelwire.APIResponseValidationError as error:
        assert depth > 1000 and "JSON_DEPTH_MAX" in error.message
    else:
        assert found.to_dict() == json.loads(found.to_json()) and depth < 1000


def test_model_lists_can_be_looked_into(scripted):
    """R-OP2, R-F3: what is no field of the list is an AttributeError, also for Python itself."""
    models = scripted(answer({"data": [{"id": "a"}], "new": 1})).models.list()
    assert (models.new, models.data[0].id, [model.id for model in models[:1]]) == (1, "a", ["a"])
    with pytest.raises(AttributeError):
        models.nonsense
    assert [model.id for model in copy.copy(models)] == ["a"]


def test_names_of_the_types(of):
    """R-F3: a type says which package it is of."""
    assert type(of({})).__module__ == "modelwire"
    assert modelwire.Stream.__module__ == "modelwire"
