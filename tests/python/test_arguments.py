"""What a caller passes: what is refused before anything is sent, and how the rest is written as
JSON."""

import collections
import enum
import inspect
import json
import types

import pytest

import modelwire
import programs
from callers import asked
from wire import ANSWER, HELLO, answer, chat

BIG = 2**100 + 1


@pytest.fixture
def refused(service, client):
    """Checks that a chat call with these arguments raises before a connection is made."""

    def check(error, match=None, **arguments):
        before = service.state()["connections"]
        with pytest.raises(error, match=match) as raised:
            client.chat.completions.create(**arguments)
        assert service.state()["connections"] == before and service.requests() == []
        return raised.value

    return check


@pytest.fixture
def written(scripted):
    """The body that is sent for a chat call with these further fields."""

    def send(**fields):
        asked(client, **fields)
        return scripted.requests()[-1]["body"]

    client = scripted(ANSWER)
    return send


@pytest.mark.parametrize("missing", ["model", "messages"])
def test_a_missing_argument(refused, missing):
    """Python's own TypeError, which names the method and what is missing."""
    arguments = {"model": "echo", "messages": HELLO}
    del arguments[missing]
    refused(TypeError, rf"^chat\.completions\.create\(\) missing .*'{missing}'$", **arguments)


@pytest.mark.parametrize("missing", ["model", "input"])
def test_a_missing_argument_of_a_response(service, client, missing):
    """openai-python lets both out; the service takes no request without them."""
    arguments = {"model": "echo", "input": "x"}
    del arguments[missing]
    with pytest.raises(modelwire.RequestError, match=f"the field {missing} is missing"):
        client.responses.create(**arguments)
    assert service.requests() == []


@pytest.mark.parametrize("way", ["input", "model"])
def test_a_field_may_come_with_extra_body(scripted, way):
    """It is there, wherever it was written."""
    client = scripted(ANSWER)
    fields = {"input": "x", "model": "m"}
    client.responses.create(extra_body={way: fields.pop(way)}, **fields)
    assert json.loads(scripted.requests()[0]["body"]) == {"input": "x", "model": "m"}


@pytest.mark.sync_alone("it looks for the name that stands in a traceback")
def test_a_mistyped_argument(client):
    """The TypeError names the method and the argument."""
    calls = {
        "chat.completions.create": client.chat.completions.create,
        "chat.completions.stream": client.chat.completions.stream,
        "responses.create": client.responses.create,
        "responses.stream": client.responses.stream,
        "models.list": client.models.list,
    }
    for name, call in calls.items():
        with pytest.raises(TypeError) as raised:
            call(modle="m")
        said = f"{name}() got an unexpected keyword argument 'modle'"
        # From Python 3.14 on it says what may be meant.
        assert str(raised.value).removesuffix(". Did you mean 'model'?") == said


def test_methods_have_inspectable_signatures(client):
    """For `help`, for editors, and for programs that look which parameters there are."""
    create = inspect.signature(client.chat.completions.create).parameters
    stream = inspect.signature(client.chat.completions.stream).parameters
    assert {"messages", "model", "temperature", "extra_body", "timeout"} < set(stream)
    assert set(create) - set(stream) == {"stream", "stream_only", "gather", "idempotency_key"}
    create = inspect.signature(client.responses.create).parameters
    stream = inspect.signature(client.responses.stream).parameters
    assert set(create) - set(stream) == {"stream", "stream_only", "gather", "idempotency_key"}
    assert set(stream) - set(create) == {"text_format"} and "input" in stream
    parse = inspect.signature(client.responses.parse).parameters
    assert set(parse) ^ set(create) == {"gather", "text_format", "parse_as", "verbosity"}


class Foreign:
    """What openai-python marks left-out arguments with, without openai-python."""

    def __init__(self, name):
        self.mark = type(name, (), {"__module__": "openai._types", "__bool__": lambda _: False})()


@pytest.mark.parametrize("name", ["NotGiven", "Omit"])
def test_marks_of_openai_python_are_understood(scripted, name):
    """Programs that are handed a client pass them, for every argument."""
    mark = Foreign(name).mark
    settings = {"timeout": mark, "max_retries": mark, "default_headers": {"X-A": mark}}
    client = scripted(ANSWER, ANSWER, answer({"data": []}), **settings)
    client.chat.completions.create(
        model="m",
        messages=[{"role": "user", "content": "x", "name": mark}],
        temperature=mark,
        stream=mark,
        timeout=mark,
        extra_headers={"User-Agent": mark},
        extra_query=mark,
        extra_body=mark,
    )
    client.with_options(timeout=mark, max_retries=mark).responses.create(
        model="m", input="x", extra_headers=mark, tools=mark
    )
    client.models.list(extra_body=mark, extra_query=mark)
    chat, response, _ = scripted.requests()
    sent = {"model": "m", "messages": [{"role": "user", "content": "x"}]}
    assert json.loads(chat["body"]) == sent
    assert json.loads(response["body"]) == {"model": "m", "input": "x"}
    client.responses.stream(model="m", input="x", text_format=mark, response_id=mark)


def test_omit_markers_of_other_packages_are_refused(refused):
    """Only openai-python's are known by their name."""
    other = type("NotGiven", (), {"__module__": "somebody"})()
    refused(TypeError, "NotGiven", model="m", messages=HELLO, temperature=other)


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"model": ""}, "model must be a non-empty string"),
        ({"model": None}, "model must be a non-empty string"),
        ({"model": 7}, "model must be a non-empty string"),
        ({"model": modelwire.NOT_GIVEN}, "model is missing"),
        ({"messages": ["hello"]}, r"messages\[0\] must be an object"),
        ({"messages": "hello"}, r"messages must be an array"),
        ({"messages": [*HELLO, None]}, r"messages\[1\] must be an object"),
        ({"messages": [{"content": "x"}]}, r"messages\[0\].role is missing"),
        ({"messages": [{"role": 1, "content": "x"}]}, r"messages\[0\].role must be a string"),
        ({"max_tokens": 1.5}, "max_tokens must be an integer"),
        ({"max_tokens": "40"}, "max_tokens must be an integer"),
        ({"max_tokens": True}, "max_tokens must be an integer"),
        ({"max_tokens": 0}, "max_tokens must be at least 1, not 0"),
        ({"max_tokens": -1}, "max_tokens must be at least 1, not -1"),
        ({"extra_body": {"max_output_tokens": 5}}, "max_output_tokens is 5, but"),
        ({"messages": [{"role": "user"}]}, r"messages\[0\].content is missing"),
        ({"messages": [{"role": "system", "content": None}]}, r"messages\[0\].content .*null"),
        ({"messages": [{"role": "developer"}]}, r"messages\[0\].content is missing"),
        (
            {"messages": [*HELLO, {"role": "tool", "tool_call_id": "c", "content": None}]},
            r"messages\[1\].content must be a string or an array of parts, not null",
        ),
        (
            {"messages": [*HELLO, {"role": "assistant", "content": {"text": "x"}}]},
            r"messages\[1\].content must be a string or an array of parts, not {\"text\":\"x\"}",
        ),
        ({"messages": [{"role": "novel", "content": 7}]}, r"messages\[0\].content must .* not 7"),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_invalid_requests_are_not_sent(refused, arguments, match, stream):
    """A RequestError, which is a ValueError."""
    arguments = {"model": "echo", "messages": HELLO, "stream": stream, **arguments}
    error = refused(modelwire.RequestError, match, **arguments)
    assert isinstance(error, ValueError)
    assert (error.kind, error.metered, error.attempts) == ("argument", "not_sent", 0)


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"input": None}, "input must be a string or an array of items, not null"),
        ({"input": 7}, "input must be a string or an array of items, not 7"),
        ({"input": True}, "input must be a string or an array of items, not true"),
        ({"input": HELLO[0]}, "input must be a string or an array of items, not {"),
        ({"max_output_tokens": 0}, "max_output_tokens must be at least 1, not 0"),
        ({"max_output_tokens": -1}, "max_output_tokens must be at least 1, not -1"),
        ({"max_output_tokens": 1.5}, "max_output_tokens must be an integer"),
        ({"extra_body": {"max_tokens": 5}}, "max_tokens is 5, but .* max_output_tokens"),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_invalid_responses_requests_are_not_sent(service, client, arguments, match, stream):
    """Likewise."""
    before = service.state()["connections"]
    with pytest.raises(modelwire.RequestError, match=match) as raised:
        client.responses.create(**{"model": "echo", "input": "x", "stream": stream, **arguments})
    assert service.state()["connections"] == before and service.requests() == []
    assert (raised.value.kind, raised.value.metered) == ("argument", "not_sent")


def test_a_token_limit_of_the_other_operation_names_the_right_one(service, client):
    """By the names of the parameters, and by the hint where it is in extra_body."""
    chat, responses = client.chat.completions, client.responses
    for call, fields, wrong, right in (
        (chat.create, {"messages": HELLO}, "max_output_tokens", "max_tokens"),
        (chat.stream, {"messages": HELLO}, "max_output_tokens", "max_tokens"),
        (responses.create, {"input": "x"}, "max_tokens", "max_output_tokens"),
        (responses.stream, {"input": "x"}, "max_tokens", "max_output_tokens"),
    ):
        with pytest.raises(TypeError, match=f"^{wrong} is a parameter of .* has {right}$"):
            call(model="echo", **fields, **{wrong: 5})
    for create, fields, wrong, right in (
        (chat.create, {"messages": HELLO}, "max_output_tokens", "max_tokens"),
        (responses.create, {"input": "x"}, "max_tokens", "max_output_tokens"),
    ):
        with pytest.raises(modelwire.RequestError) as raised:
            create(model="echo", **fields, extra_body={wrong: 5})
        assert f"Write {right} " in raised.value.hint
        create(model="echo", **fields, extra_body={wrong: None})
    assert len(service.requests()) == 2


def test_assistant_messages_without_content_may_be_sent_back(scripted):
    """An answer that called tools is appended as it came; the service judges."""
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    client = scripted(chat({"role": "assistant", "content": None, "tool_calls": [call]}))
    first = asked(client)
    result = {"role": "tool", "tool_call_id": "c", "content": ""}
    for said in (first.choices[0].message, {"role": "assistant"}, {"role": "novel"}):
        messages = [*HELLO, said, result]
        client.chat.completions.create(model="m", messages=messages, max_completion_tokens=-1)
    sent = [json.loads(one["body"])["messages"][1] for one in scripted.requests()[1:]]
    assert [one.get("content") for one in sent] == [None] * 3


@pytest.mark.parametrize("stream", ["false", 0.5, [True]])
def test_stream_is_a_boolean(refused, stream):
    """`stream` is checked; the text "false" must not stream."""
    refused((TypeError, ValueError), model="echo", messages=HELLO, stream=stream)


def contains_itself():
    found = []
    found.append(found)
    return found


def maps_to_itself():
    found = {}
    found["again"] = [found]
    return found


def nested(depth):
    found = []
    for _ in range(depth):
        found = [found]
    return found


@pytest.mark.parametrize(
    ("value", "error", "match"),
    [
        (float("nan"), ValueError, "not JSON compliant"),
        (float("inf"), ValueError, "not JSON compliant"),
        ({1, 2}, TypeError, "set"),
        (b"bytes", TypeError, "bytes"),
        (object(), TypeError, "object"),
        ({"deep": [{"x": {1}}]}, TypeError, "set"),
        ("\ud800", UnicodeEncodeError, "surrogate"),
        ({"\ud800": 1}, UnicodeEncodeError, "surrogate"),
        (contains_itself(), ValueError, "contains itself"),
        (maps_to_itself(), ValueError, "contains itself"),
        (nested(100_000), ValueError, "nested deeper"),
        ({(1,): "x"}, TypeError, "keys must be str, int, bool or None, not tuple"),
        ({1.5: "x"}, TypeError, "keys must be str, int, bool or None, not float"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, type) else value.__name__,
)
def test_values_that_are_not_json_are_not_sent(refused, value, error, match):
    """The errors that json.dumps raises, and no crash."""
    refused(error, match, model="echo", messages=HELLO, metadata=value)


@pytest.mark.parametrize(
    "value",
    [0, -1, 2**63, 2**64 + 1, BIG, -BIG, 10**4000, 0.1, 1e300, 5e-324, 1e16, 1e22, -0.0, 1.0, 1e-7],
    ids=lambda value: repr(value)[:12],
)
def test_numbers_are_sent_to_the_last_digit(written, value):
    """And a float stays one."""
    body = written(seed=value)
    assert repr(json.loads(body)["seed"]) == repr(value)


class Colour(enum.IntEnum):
    RED = 1


class Word(str, enum.Enum):
    HIGH = "high"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (Colour.RED, "1"),
        (Word.HIGH, '"high"'),
        ((1, "a"), '[1,"a"]'),
        ({"b": 1, "a": [{}]}, '{"b":1,"a":[{}]}'),
        ('"\\\n\r\t\x00\x1f\x7f', '"\\"\\\\\\n\\r\\t\\u0000\\u001f\x7f"'),
        ("é€😀\u2028", '"é€😀\u2028"'),
        (nested(200), "[" * 201 + "]" * 201),
    ],
    ids=lambda value: repr(value)[:12],
)
def test_values_are_written_as_compact_json(written, value, text):
    """None is null, texts are UTF-8, the order is the caller's."""
    body = written(metadata=value)
    assert body.endswith(f'"metadata":{text}}}'), body
    assert json.loads(body)["metadata"] == (list(value) if isinstance(value, tuple) else value)


@pytest.mark.parametrize(
    "value",
    [{50256: -100, -1: 0, BIG: 1}, {None: 1, True: 2, False: 3}, {Colour.RED: 1, Word.HIGH: 2}],
    ids=repr,
)
def test_keys_are_written_as_json_dumps_writes_them(written, value):
    body = written(logit_bias=value)
    assert body.endswith(f'"logit_bias":{json.dumps(value, separators=(",", ":"))}}}'), body


@pytest.mark.parametrize("value", [{"role": "user", "content": "x"}, b"x", 7, None])
def test_an_invalid_input_is_not_sent(scripted, value):
    """What is no list must not become one: a mapping its keys, bytes their numbers."""
    client = scripted(ANSWER)
    with pytest.raises((TypeError, ValueError)):
        client.responses.create(model="m", input=value)
    assert scripted.requests() == []


def test_not_given_is_left_out(written):
    """An omitted field is not sent, None is."""
    body = json.loads(written(temperature=modelwire.NOT_GIVEN, top_p=None))
    assert "temperature" not in body and body["top_p"] is None
    assert not modelwire.NOT_GIVEN and repr(modelwire.NOT_GIVEN) == "NOT_GIVEN"
    assert isinstance(modelwire.NOT_GIVEN, modelwire.NotGiven)


@pytest.mark.parametrize("stream", [False, None, modelwire.NOT_GIVEN])
def test_a_plain_call_sends_no_stream_field(written, stream):
    """False, None and left out are all the same."""
    assert "stream" not in json.loads(written(stream=stream))


def test_arguments_are_not_changed(client):
    """What a caller passes stays its own."""
    messages = [{"role": "user", "content": "hi"}]
    options = {"include_usage": True}
    list(
        client.chat.completions.create(
            model="echo", messages=messages, stream=True, stream_options=options
        )
    )
    assert messages == [{"role": "user", "content": "hi"}] and options == {"include_usage": True}


def test_arguments_have_names(client):
    """Keyword-only, as in openai-python."""
    with pytest.raises(TypeError):
        client.chat.completions.create("echo", HELLO)
    with pytest.raises(TypeError):
        modelwire.Client("sk-test")


@pytest.mark.parametrize(
    "name", ["model_dump", "__dataclass_fields__", "__struct_fields__", "keys"]
)
def test_exceptions_raised_by_values_propagate(scripted, name):
    """Nobody takes it for a value that has no such attribute."""

    def broken(self):
        raise OSError("the disk is gone")

    client = scripted(chat({"role": "assistant", "content": "x"}))
    value = type("Broken", (), {name: property(broken)})()
    with pytest.raises(OSError, match="the disk is gone"):
        asked(client, metadata=value)


def test_any_sequence_and_mapping_is_sent(scripted):
    """Histories with a bound, values of dicts, mappings that cannot be changed."""
    client = scripted(chat({"role": "assistant", "content": "x"}))
    message = {"role": "user", "content": "x"}
    for messages in (
        collections.deque([message], maxlen=20),
        {"a": message}.values(),
        collections.UserList([message]),
        [types.MappingProxyType(message)],
        (one for one in [collections.ChainMap(message)]),
    ):
        client.chat.completions.create(model="m", messages=messages)
        assert json.loads(scripted.requests()[-1]["body"])["messages"] == [message]
    for odd in ({"x"}, b"x"):
        with pytest.raises(TypeError, match="cannot be written as JSON"):
            asked(client, extra_body={"odd": odd})


SMALL_STACK = """
from modelwire.types.chat import ChatCompletion

def nested(depth):
    found = {}
    for _ in range(depth):
        found = {"a": [found]}
    return found

def outcome(of):
    try:
        of()
        return "done"
    except ValueError as error:
        assert "nested" in str(error) or "nesting" in str(error), error
        return "refused"

def work():
    client = modelwire.OpenAI()
    itself = []
    itself.append(itself)
    assert outcome(lambda: ask(client, metadata=itself)) == "refused"
    assert outcome(lambda: ask(client, metadata=nested(10))) == "done"
    for depth in (10, 100, 400, 500):
        deep = '{"a":[' * depth + "{}" + "]}" * depth
        text = '{"id":"x","choices":[],"deep":' + deep + "}"
        answer = ChatCompletion.model_validate_json(text)
        for use in ("model_dump", "model_dump_json", "to_json"):
            said = outcome(getattr(answer, use))
            assert depth > 10 or said == "done", use
        outcome(lambda: answer.deep)

threading.stack_size({kib} << 10)
thread = threading.Thread(target=work)
thread.start()
thread.join()
print("it lives")
"""


@pytest.mark.parametrize("kib", [256, 512, 1024])
def test_deep_values_are_refused_where_a_thread_has_little_stack(service, kib):
    """And the process goes on: a level needs some stack of the thread that follows it."""
    source = SMALL_STACK.replace("{kib}", str(kib))
    assert programs.run(source, service.base_url) == "it lives\n"
