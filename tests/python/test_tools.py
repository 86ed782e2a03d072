"""run_tools: loops over Python functions, by both clients."""

import dataclasses
import enum
import functools
import json
import pickle
from typing import Annotated, Any, Literal

import msgspec
import pydantic
import pytest

import modelwire
from conftest import eventually
from modelwire import MaxTurnsError
from modelwire._schemas.signature import Function, documented
from modelwire._schemas.tools import written
from modelwire.testing import text
from wire import NO_PARTS


def add(a: int, b: int) -> int:
    """Adds two numbers.

    Args:
        a: the first,
            which may be negative
        b (int): the second

    Returns:
        their sum
    """
    return a + b


async def slowly(word: str) -> str:
    """Says a word again."""
    return word * 2


def chat_run(client, **given):
    given = {"model": "m", "messages": [{"role": "user", "content": "Go."}], **given}
    return client.chat.completions.run_tools(**given)


def response_run(client, **given):
    return client.responses.run_tools(**{"model": "m", "input": "Go.", **given})


def calls(*pairs, said=""):
    return text(said, tool_calls=pairs, usage=(3, 4))


ADD = calls(("add", {"a": 1, "b": 2}))


def test_a_chat_with_tools(caller):
    """The model calls, is told, and answers; every turn can be looked at."""
    caller.service.queue(ADD, text("It is 3.", usage=(5, 6)))
    turns, error, run = caller.turns(lambda client: chat_run(client, tools=[add], temperature=0))
    assert error is None and [turn.number for turn in turns] == [1, 2]
    (call,) = turns[0].calls
    assert (call.name, call.arguments, call.result, call.output) == (
        *("add", {"a": 1, "b": 2}, 3, "3"),
    )
    assert turns[1].calls == [] and run.final is turns[1].completion
    assert run.final.choices[0].message.content == "It is 3."
    assert run.usage == {"input_tokens": 8, "output_tokens": 10, "total_tokens": 18, **NO_PARTS}
    first, second = (request.body for request in caller.service.requests)
    assert first["tools"] == [
        {
            "type": "function",
            "function": {
                "name": "add",
                "description": "Adds two numbers.",
                "parameters": {
                    "type": "object",
                    "properties": {
                        "a": {
                            "type": "integer",
                            "description": "the first, which may be negative",
                        },
                        "b": {"type": "integer", "description": "the second"},
                    },
                    "required": ["a", "b"],
                    "additionalProperties": False,
                },
                "strict": True,
            },
        }
    ]
    assert second["tools"] == first["tools"] and second["temperature"] == 0
    asked, called, told = second["messages"]
    assert asked == first["messages"][0]
    assert called["tool_calls"][0]["function"]["name"] == "add" and "parsed" not in called
    assert told == {"role": "tool", "tool_call_id": call.id, "content": "3"}
    assert len(run.messages) == 4 and turns[0].messages[1] == told


def test_a_response_with_tools(caller):
    """The same in its own form, with its reasoning sent back."""
    caller.service.queue(ADD, "It is 3.")
    turns, error, run = caller.turns(lambda client: response_run(client, tools=[add]))
    assert error is None and len(turns) == 2 and run.final.output_text == "It is 3."
    first, second = (request.body for request in caller.service.requests)
    assert first["tools"][0]["name"] == "add" and first["tools"][0]["strict"] is True
    assert first["input"] == [{"role": "user", "content": "Go."}]
    *_, called, told = second["input"]
    assert called["type"] == "function_call"
    assert told == {
        "type": "function_call_output",
        "call_id": called["call_id"],
        "output": "3",
    }


def test_the_final_answer_alone(caller):
    """For programs that look at nothing else."""
    caller.service.queue(ADD, "It is 3.", ADD, "It is 3.")
    told = caller(lambda client: chat_run(client, tools=[add]).get_final_completion())
    assert told.choices[0].message.content == "It is 3."
    told = caller(lambda client: response_run(client, tools=[add]).get_final_response())
    assert told.output_text == "It is 3."


def test_turns_are_streamed(caller):
    """The events of each answer, and then its turn."""
    caller.service.queue(ADD, ["It ", "is 3."], ADD, ["It ", "is 3."], calls(("add", "{")), "No.")
    told, error, run = caller.turns(lambda client: chat_run(client, tools=[add]), events=True)
    assert error is None and run.final.choices[0].message.content == "It is 3."
    turns = [event for event in told if event.type == "turn"]
    assert [call.output for call in turns[0].calls] == ["3"] and told[-1] is turns[1]
    said = [event.delta for event in told if event.type == "content.delta"]
    assert [piece for piece in said if piece] == ["It ", "is 3."]
    assert all(request.body["stream"] for request in caller.service.requests)
    told, error, run = caller.turns(
        lambda client: response_run(client, tools=[add], stream_only=True), events=True
    )
    assert error is None and run.final.output_text == "It is 3."
    kinds = [event.type for event in told]
    assert kinds.count("response.completed") == kinds.count("turn") == 2
    _, error, run = caller.turns(lambda client: chat_run(client, tools=[add]), events=True)
    assert error is None, "arguments that are no JSON are told to the model, streamed as well"
    with pytest.raises(modelwire.OpenAIError, match="already started"):
        run.events()


def test_leaving_a_streamed_run_closes_its_stream(caller):
    """Its stream is closed when the loop is left."""
    caller.service.queue(text(["a", "b"]).stall(after=2))

    def left(client):
        for event in chat_run(client, tools=[add]).events():
            if event.type == "content.delta" and event.delta:
                break

        def is_closed():
            client.usage()  # the event loop of an asynchronous client takes a turn
            return caller.service.open_connections == 0

        eventually("the stream is closed", is_closed)

    caller(left)


def test_asynchronous_functions(caller):
    """Are awaited by the asynchronous client, and refused by the other."""
    caller.service.queue(calls(("slowly", {"word": "ha"}), ("add", {"a": 1, "b": 1})), "Done.")
    if not caller.is_async:
        with pytest.raises(TypeError, match="slowly is asynchronous"):
            caller(lambda client: chat_run(client, tools=[slowly]))
        return
    turns, error, _ = caller.turns(lambda client: chat_run(client, tools=[slowly, add]))
    assert error is None and [call.output for call in turns[0].calls] == ["haha", "2"]


def spelled(word):
    """What a function says that is no text of Unicode."""
    return "\ud800" if word == "surrogate" else word


def fails(word: str):
    raise KeyError(spelled(word))


def test_errors_of_tools_are_sent_to_the_model(caller):
    """A function that raises, arguments that do not fit, a tool that is not there."""
    wrong = calls(("fails", {"word": "x"}), ("add", {"a": "one"}), ("add", "{"), ("nothing", {}))
    caller.service.queue(wrong, "Sorry.")
    turns, error, _ = caller.turns(lambda client: chat_run(client, tools=[fails, add]))
    assert error is None
    found = turns[0].calls
    assert found[0].output == "Error: KeyError: 'x'" and isinstance(found[0].error, KeyError)
    assert "a\n  Input should be a valid integer" in found[1].output
    assert found[1].arguments is None and found[2].text == "{"
    assert found[2].output.startswith("Error: ValueError: the arguments do not fit")
    assert "unknown tool 'nothing'; the tools are: fails, add" in found[3].output
    told = [one["content"] for one in caller.service.requests[1].body["messages"][-4:]]
    assert told == [call.output for call in found]


def hostile(tool_calls):
    """An answer whose calls are whatever a bad model makes."""
    message = {"role": "assistant", "content": None, "tool_calls": tool_calls}
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


def one_call(name, arguments):
    function = {"name": name, "arguments": arguments}
    return [{"id": "x", "type": "function", "function": function}]


def same(word: str) -> str:
    return spelled(word)


def inside(word: str) -> dict:
    return {"word": spelled(word)}


def mute(word: str):
    def fail(_self):
        raise ZeroDivisionError

    raise type("MuteError", (Exception,), {"__str__": fail})


def test_repr_and_await_of_a_run_explain_its_use(caller):
    """Where they are shown, and where one is awaited."""

    def look(client):
        run = chat_run(client, tools=[add])
        assert "not started yet, 1 messages" in repr(run) and "run.until_done()" in repr(run)
        with pytest.raises(TypeError, match=r"for turn in run.*run\.until_done\(\)"):
            run.__await__()

    caller(look)


SURROGATE = '{"word": "surrogate"}'


@pytest.mark.parametrize(
    ("tool_calls", "told"),
    [
        (one_call("same", SURROGATE), "\ufffd"),
        (one_call("inside", SURROGATE), '{"word": "\ufffd"}'),
        (one_call("fails", SURROGATE), "Error: KeyError: '\\ud800'"),
        (one_call("same", '{"word": "\ud800"}'), None),
        (one_call("same", '{"word": "\\ud800"}'), None),
        (one_call("\ud800", "{}"), None),
        (one_call("mute", '{"word": "x"}'), "Error: MuteError"),
        (one_call("same", {"word": "x"}), "x"),
        (one_call("same", 5), None),
        (one_call("same", ["x"]), None),
        (one_call(["same"], "{}"), None),
        (one_call({"a": 1}, "{}"), None),
        (one_call(None, "{}"), None),
        ([{"id": "x", "type": "function", "function": "same"}], None),
        ([{"id": "x"}], None),
    ],
)
def test_invalid_calls_of_a_hostile_model_do_not_end_a_run(caller, tool_calls, told):
    """No call of a model ends a run."""
    caller.service.queue(hostile(tool_calls), "Sorry.")
    tools = [same, inside, fails, mute]
    turns, error, _ = caller.turns(lambda client: chat_run(client, tools=tools))
    assert error is None and len(turns) == 2, error
    last = caller.service.requests[1].body["messages"][-1]
    assert last["role"] == "tool"
    assert last["content"] == told if told else last["content"].startswith(("Error: ", "\ufffd"))


@pytest.mark.parametrize("tool_calls", [5, "same", {"a": 1}, [5, None, "same"], True])
def test_invalid_tool_calls_end_a_run(caller, tool_calls):
    """What is no list of objects calls nothing."""
    caller.service.queue(hostile(tool_calls))
    turns, error, run = caller.turns(lambda client: chat_run(client, tools=[same]))
    assert error is None and turns[0].calls == [] and run.final is turns[0].completion


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (("fails", {"word": "x"}), KeyError),
        (("fails", {}), ValueError),
        (("nothing", {}), LookupError),
    ],
    ids=["raises", "arguments", "unknown"],
)
def test_errors_are_raised_where_that_is_asked(caller, call, kind):
    """As they are."""
    caller.service.queue(calls(call))
    _, error, run = caller.turns(
        lambda client: response_run(client, tools=[fails], raise_errors=True)
    )
    assert isinstance(error, kind) and len(caller.service.requests) == 1
    assert len(run.messages) == 1, "a turn that failed was not said"


def test_a_model_that_never_ends(caller):
    """The error has all that was said, to go on from there."""
    caller.service.queue(ADD, ADD, "It is 3.")
    turns, error, run = caller.turns(lambda client: chat_run(client, tools=[add], max_turns=2))
    assert type(error) is MaxTurnsError and len(turns) == 2 and run.final is None
    assert error.completion == turns[1].completion and len(error.messages) == 5
    assert error.usage["total_tokens"] == 14 and "2 turns" in str(error)
    with pytest.raises(modelwire.OpenAIError, match="ended before the model answered"):
        caller(lambda _: run.get_final_completion())
    again = pickle.loads(pickle.dumps(error))
    assert again.messages == error.messages and again.completion == error.completion
    turns, error, run = caller.turns(
        lambda client: chat_run(client, tools=[add], messages=again.messages)
    )
    assert error is None and run.final.choices[0].message.content == "It is 3."


@pytest.mark.parametrize("events", [False, True])
def test_an_interrupted_run_does_not_look_finished(caller, events):
    """After an exception, such as that of Ctrl-C, the next turn is an error, never an end."""
    caller.service.queue(ADD, "It is 3.")
    interrupted = []

    def add(a: int, b: int) -> int:
        interrupted.append(True)
        raise KeyboardInterrupt

    def ask(client):
        run = chat_run(client, tools=[add])
        turns = iter(run.events()) if events else iter(run)
        with pytest.raises(KeyboardInterrupt):
            list(turns)
        for look in (lambda: next(turns), lambda: list(turns)):
            with pytest.raises(modelwire.OpenAIError, match="before the model answered") as raised:
                look()
            assert raised.value.metered == "entered", "the first turn had an answer"
        with pytest.raises(modelwire.OpenAIError, match="already started" if events else "ended"):
            run.get_final_completion()
        return run

    run = caller(ask)
    assert interrupted == [True] and len(run.messages) == 1 and run.final is None


def test_a_finished_run_stays_finished(caller):
    """Its turns end once, and no further call is made."""
    caller.service.queue(ADD, "It is 3.")

    def ask(client):
        turns = iter(chat_run(client, tools=[add]))
        return len(list(turns)), list(turns)

    assert caller(ask) == (2, []) and len(caller.service.requests) == 2


def test_the_final_answer_is_parsed(caller):
    """Where response_format or text_format says what it is to be."""

    class Sum(pydantic.BaseModel):
        value: int

    said = '{"value": 3}'
    caller.service.queue(calls(("add", {"a": 1, "b": 2}), said="I add."), said, ADD, said)
    _, error, run = caller.turns(lambda client: chat_run(client, tools=[add], response_format=Sum))
    assert error is None and run.final.choices[0].message.parsed == Sum(value=3)
    assert "parsed" not in json.dumps(caller.service.requests[1].body)
    _, error, run = caller.turns(lambda client: response_run(client, tools=[add], text_format=Sum))
    assert error is None and run.final.output_parsed == Sum(value=3)


def test_invalid_tools_are_refused(caller):
    """Said when run_tools is called, before anything is sent."""

    def many(*words: str):
        pass

    def positional(word, /):
        pass

    def unknown(word: "Nowhere"):  # noqa: F821
        pass

    for given, says in (
        ({"tools": [many]}, "takes \\*words"),
        ({"tools": [positional]}, "cannot be passed by name"),
        ({"tools": [unknown]}, "annotation of unknown"),
        ({"tools": ["add"]}, "a tool must be a function"),
        ({"tools": [{"type": "function", "function": {"name": "f"}}]}, "the function itself"),
        ({"tools": [add], "stream": True}, "run_tools has no stream"),
        (
            {"tools": [add], "idempotency_key": "k"},
            "each of its calls needs its own idempotency_key",
        ),
        ({"tools": [add], "no_such": 1}, "no_such"),
    ):
        with pytest.raises(TypeError, match=says):
            caller(lambda client, given=given: chat_run(client, **given))
    for given in ({"tools": [add, add]}, {"tools": [add], "max_turns": 0}):
        with pytest.raises(ValueError, match="two tools|max_turns"):
            caller(lambda client, given=given: chat_run(client, **given))
    assert caller.service.requests == []


def test_tools_that_the_service_runs(caller):
    """Are passed on as they are."""
    caller.service.queue("Found.")
    search = {"type": "web_search"}
    _, error, _ = caller.turns(lambda client: response_run(client, tools=[search, add]))
    assert error is None and caller.service.requests[0].body["tools"][0] == search


class Unit(enum.Enum):
    CELSIUS = "c"
    FAHRENHEIT = "f"


@dataclasses.dataclass
class Place:
    city: str
    country: str = "FR"


class Filter(pydantic.BaseModel):
    field: str


class Point(msgspec.Struct):
    x: int


def test_signatures_become_schemas():
    """Annotations of any kind are read as what they say; defaults need not be given."""

    def weather(
        place: Place,
        unit: Unit = Unit.CELSIUS,
        days: Annotated[int, "How many"] = 1,
        tags: list[str] = [],  # noqa: B006
        kind: Literal["short", "long"] | None = None,
        anything=None,
    ):
        """The weather."""

    function = Function(weather)
    assert not function.is_strict and function.parameters["required"] == ["place"]
    assert function.parameters["properties"]["days"]["description"] == "How many"
    found = function.read('{"place": {"city": "Paris"}, "unit": "f", "tags": ["a"]}')
    assert found == {
        "place": Place("Paris"),
        "unit": Unit.FAHRENHEIT,
        "days": 1,
        "tags": ["a"],
        "kind": None,
        "anything": None,
    }

    def look(filters: list[Filter], limit: int):
        pass

    function = Function(look)
    assert function.is_strict and "title" not in function.parameters
    assert function.read('{"filters": [{"field": "x"}], "limit": 1}') == {
        "filters": [Filter(field="x")],
        "limit": 1,
    }

    def at(point: Point):
        pass

    assert Function(at).read('{"point": {"x": 1}}') == {"point": Point(1)}

    def nothing():
        pass

    assert Function(nothing).read("") == {} and Function(nothing).is_strict

    def free(fields: dict[str, Any]):
        pass

    assert not Function(free).is_strict


def test_methods_objects_and_partials_can_be_tools():
    """Methods, objects and partial functions, too."""

    class Store:
        def find(self, key: str) -> str:
            """Finds it."""
            return key

        def __call__(self, number: int) -> int:
            """Counts."""
            return number

    store = Store()
    assert Function(store.find).read('{"key": "a"}') == {"key": "a"}
    assert (Function(store).name, Function(store).description) == ("Store", "Counts.")
    part = Function(functools.partial(add, 1))
    assert (part.name, part.read('{"b": 2}')) == ("add", {"b": 2})


@pytest.mark.parametrize(
    "docstring",
    [
        """Does it.

        At length.

        Args:
            one: The first
                thing.
            two (list[int], optional): The second.

        Raises:
            ValueError: never
        """,
        """Does it.

        At length.

        Parameters
        ----------
        one : str
            The first
            thing.
        two : list of int, optional
            The second.

        Returns
        -------
        int
            A number.
        """,
        """Does it.

        At length.

        :param one: The first
            thing.
        :param list two: The second.
        :returns: a number
        """,
    ],
    ids=["google", "numpy", "sphinx"],
)
def test_docstrings(docstring):
    """In the three forms that are usual."""

    def function(one, two):
        pass

    function.__doc__ = docstring
    assert documented(function) == (
        "Does it.\n\nAt length.",
        {"one": "The first thing.", "two": "The second."},
    )


def test_inherited_and_generated_docstrings_describe_no_tool():
    class Search:
        def __call__(self, q: str) -> str:
            return q

    class Base:
        """Says nothing of its subclasses."""

    class Weather(Base):
        def __init__(self, city: str) -> None: ...

    @dataclasses.dataclass
    class Spot:
        city: str

    class Look(pydantic.BaseModel):
        city: str

    for tool in (Search(), Weather, Spot, Look):
        assert Function(tool).description is None


def test_a_cached_function_can_be_a_tool():
    cached = functools.lru_cache(add)
    assert Function(cached).description == Function(add).description
    assert Function(cached).parameters == Function(add).parameters


def test_names_that_no_service_takes_are_refused():
    def größe() -> int: ...

    def long() -> None: ...

    long.__name__ = "a" * 65
    for tool in (lambda: 1, größe, long):
        with pytest.raises(ValueError, match="a tool is named '.*': its name must be 1 to 64"):
            Function(tool)
    long.__name__ = "a" * 64
    assert Function(long).name == "a" * 64


def test_docstrings_without_sections():
    """All of it is the description; none is none."""

    def function(one):
        """Says: one thing: another."""

    assert documented(function) == ("Says: one thing: another.", {})
    assert documented(lambda: None) == (None, {})


def test_results_as_text():
    """What the model is told: a text as it is, the rest as JSON."""
    assert written("a\n") == "a\n" and written(None) == "null" and written({"é": 1}) == '{"é": 1}'
    things = [Place("P"), Filter(field="x"), Point(1), Unit.CELSIUS, {1}]
    assert json.loads(written(things)) == [
        *({"city": "P", "country": "FR"}, {"field": "x"}, {"x": 1}, "c", [1]),
    ]


def test_bound_arguments_are_hidden_from_the_model():
    """Neither seen nor given by it."""

    def look_up(name: str, secret: str, deep: int = 1) -> str:
        return f"{name} {secret} {deep}"

    bound = functools.partial(functools.partial(look_up, secret="hidden"), deep=2)
    tool = Function(bound)
    assert list(tool.parameters["properties"]) == ["name"] and "hidden" not in str(tool.parameters)
    assert bound(**tool.read('{"name": "x", "secret": "other"}')) == "x hidden 2"
