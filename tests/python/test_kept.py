"""What programs do to answers stays: to lists, to objects in them, to parts that nobody knows."""

import copy
import dataclasses
import gc
import json
import pickle
import time
import weakref

import pytest

from callers import asked, final_of
from conftest import together
from modelwire.types import Object
from modelwire.types.chat import ChatCompletion, ChatCompletionChunk, ChoiceDelta, ChunkChoice
from modelwire.types.responses import Response, ResponseStreamEvent
from wire import HELLO, chat, events, finish

CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
MESSAGE = {"role": "assistant", "content": None, "tool_calls": [CALL, {**CALL, "id": "d"}]}
BODY = {
    "id": "x",
    "choices": [{"index": 0, "message": MESSAGE}, {"index": 1, "message": MESSAGE}],
    "timings": {"prompt_n": 5, "parts": [{"ms": 1.5}], "none": None},
    "usage": {"prompt_tokens": 1, "cost_details": {"upstream": 2}},
}


def completion():
    return ChatCompletion.model_validate(BODY)


def test_changes_to_lists_are_kept():
    """At any depth; every way of looking shows it."""
    found = completion()
    found.choices.pop()
    found.choices[0].message.tool_calls.pop()
    found.choices[0].message.tool_calls[0].function.name = "g"
    call = {**CALL, "function": {"name": "g", "arguments": "{}"}}
    message = {**MESSAGE, "tool_calls": [call]}
    body = {**BODY, "choices": [{"index": 0, "message": message}]}
    assert found.to_dict() == found.model_dump(exclude_unset=True) == body
    assert json.loads(found.to_json(indent=None)) == json.loads(found.to_json()) == body
    assert found == ChatCompletion.model_validate(body) != completion()
    for copied in (copy.copy(found), copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert copied == found
        copied.choices[0].message.tool_calls.clear()
        assert copied != found and len(found.choices[0].message.tool_calls) == 1
    made = Response.model_validate({"output": []})
    made.output.append({"type": "message", "role": "user", "content": "x"})
    assert made.to_dict()["output"] == [{"type": "message", "role": "user", "content": "x"}]


def test_reading_fields_changes_nothing():
    """The text stays to the byte, whatever was looked at."""
    text = '{"id" : "\\u0061","choices":[{"index":0,"message":{"content":1.50e1}}],"new":{"n":1.0}}'
    found = ChatCompletion.model_validate_json(text)
    assert found.choices[0].message.content == 15.0 and found.new.n == 1.0
    assert found.choices is found.choices and found.choices[0] is found.choices[0]
    assert found.to_json(indent=None) == text
    found.choices.append(found.choices.pop())
    assert found.to_json(indent=None) == text
    chunk = ChatCompletionChunk.model_validate_json(
        '{"choices" : [{"index":0,"delta":{"content":"a"}}]}'
    )
    assert chunk.choices[0].delta.content == "a" and chunk["choices"] is chunk.choices
    assert chunk.to_json(indent=None) == '{"choices" : [{"index":0,"delta":{"content":"a"}}]}'


def test_changes_to_chunks_and_events_are_kept():
    """Those that a program hands on."""
    body = {"choices": [{"index": 0, "delta": {"content": "a"}}, {"index": 1, "delta": {}}]}
    chunk = ChatCompletionChunk.model_validate(body)
    chunk.choices.pop()
    chunk.choices[0].delta.content = "b"
    chunk.choices[0].delta.tool_calls = [CALL]
    delta = {"content": "b", "tool_calls": [CALL]}
    assert chunk.to_dict() == {"choices": [{"index": 0, "delta": delta}]}
    for copied in (copy.copy(chunk), copy.deepcopy(chunk), pickle.loads(pickle.dumps(chunk))):
        assert copied == chunk and copied.choices[0].delta.content == "b"
        copied.choices[0].delta.content = "c"
        assert chunk.choices[0].delta.content == "b"
    assert isinstance(chunk.choices[0], ChunkChoice)
    assert isinstance(chunk.choices[0].delta, ChoiceDelta)
    chunk.choices = []
    assert chunk.to_dict() == {"choices": []} and chunk["choices"] == []
    event = ResponseStreamEvent.model_validate(
        {"type": "x", "item": {"type": "message", "content": []}}
    )
    event.item.content.append({"type": "output_text", "text": "a"})
    assert event.to_dict()["item"]["content"][0]["text"] == "a"


@pytest.mark.parametrize("stream", [False, True])
def test_a_changed_message_is_sent_back_as_changed(scripted, stream):
    """A tool call that was taken out is not sent back."""
    if stream:
        delta = {"choices": [{"index": 0, "delta": MESSAGE}]}
        pieces = [json.dumps(delta)]
        client = scripted(events(*pieces, finish("tool_calls")))
        going = asked(client, stream=True, gather=True)
        assert list(going)
        message = going.answer.choices[0].message
    else:
        client = scripted(chat(MESSAGE))
        message = asked(client).choices[0].message
    taken = message.tool_calls.pop()
    client.chat.completions.create(model="m", messages=[*HELLO, message])
    sent = json.loads(scripted.requests()[-1]["body"])["messages"][-1]
    assert taken.id not in [call["id"] for call in sent["tool_calls"]]
    assert len(sent["tool_calls"]) == 1


# What the model thought, unknown fields, escapes, white space, a number to its last digit.
THOUGHT = (
    '"reasoning_content":"why\\n\\ud83d\\ude00","reasoning":"x","reasoning_details":[{"type":'
    '"reasoning.text","text":"t","signature":"s==","index":0},{"type":"new","data":1.50}]'
)
CALLED = (
    '"tool_calls":[{"id":"x","type":"function","function":{"name":"same","arguments":'
    '"{\\"word\\": \\"a\\"}"},"extra_content":{"google":{"thought_signature":"q"}},"custom":{}}]'
)
SAID = f'{{"role":"assistant","content":"\\u0061 \\/",{THOUGHT},{CALLED},"new":1.50e1}}'
ITEMS = [
    '{"id":"rs","type" : "reasoning","summary":[{"type":"summary_text","text":"s\\u00e9"}],'
    '"encrypted_content":"gAAA","content":null,"new":1.50}',
    '{"id":"m","type":"message","role":"assistant","content":[{"type":"output_text","text":"a\\/",'
    '"annotations":[],"logprobs":[]}],"new":{"a" : 1}}',
    '{"id":"f","type":"function_call","call_id":"k","name":"same","arguments":"{\\"word\\":\\"a\\"}"}',
]


def same(word: str) -> str:
    return word


def looked_at(said):
    """An answer's part, with everything in it looked at."""
    repr(said)
    said.to_dict(), said.model_dump(), copy.deepcopy(said)
    for name in dict(said):
        getattr(said, name)
    return said


def chunks_of_said(finish_reason):
    """A stream that adds up to the message."""
    call = json.loads("{" + CALLED + "}")["tool_calls"][0]
    halves = [{**call, "index": 0, "function": {"name": "same", "arguments": '{"word"'}}]
    rest = [{"index": 0, "function": {"arguments": ': "a"}'}}]
    first = '{"role":"assistant","content":"\\u0061","reasoning_content":"why","reasoning":"x"}'
    deltas = [first, '{"content":" \\/","reasoning_content":"\\n\\ud83d\\ude00"}']
    deltas += ["{" + THOUGHT.partition('"reasoning":"x",')[2] + "}"]
    deltas += [json.dumps({"tool_calls": halves}, separators=(",", ":"))]
    deltas += [json.dumps({"tool_calls": rest}, separators=(",", ":")), '{"new":1.50e1}']
    made = [f'{{"id":"c","choices":[{{"index":0,"delta":{delta}}}]}}' for delta in deltas]
    return [*made, finish(finish_reason)]


def last_said(scripted, name):
    """What stood in the last request behind what was asked, to the byte."""
    body = scripted.requests()[-1]["body"]
    return body[body.index(f'"{name}":[') :]


def say_again(resource, way, name, parts_of):
    """Asks, looks at all that the answer says, and sends it back behind what was asked."""
    given = {"model": "m", name: list(HELLO)}
    if way in ("tools", "tool_events"):
        run = resource.run_tools(**given, tools=[same])
        for turn in run if way == "tools" else run.events():
            if turn.type == "turn":
                answer = turn.completion if name == "messages" else turn.response
                [looked_at(one) for one in parts_of(answer)]
        return
    if way == "gather":
        going = resource.create(**given, stream=True, gather=True)
        assert list(going)
        answer = going.answer
    elif way == "helper":
        with resource.stream(**given) as helped:
            answer = final_of(helped)()
    else:
        answer = (resource.create if way == "whole" else resource.parse)(**given)
    given[name] += [looked_at(one) for one in parts_of(answer)]
    resource.create(**given)


@pytest.mark.parametrize("way", ["whole", "gather", "helper", "parse", "tools", "tool_events"])
def test_a_message_is_sent_back_unchanged(scripted, way):
    """Reasoning, tool calls and unknown fields, however the answer came."""
    whole = chat(None)
    said = f'{{"index":0,"message":{SAID},"finish_reason":"tool_calls"}}'
    whole["json"]["body"] = f'{{"id":"c","object":"chat.completion","choices":[{said}]}}'
    streams = events(*chunks_of_said("tool_calls"))
    last = chat({"role": "assistant", "content": "done"})
    if way == "tool_events":
        last = events('{"choices":[{"index":0,"delta":{"content":"done"}}]}', finish())
    client = scripted(streams if way in ("gather", "helper", "tool_events") else whole, last)
    say_again(client.chat.completions, way, "messages", lambda one: [one.choices[0].message])
    sent = last_said(scripted, "messages")
    assert SAID in sent, sent


@pytest.mark.parametrize("way", ["whole", "gather", "helper", "tools", "tool_events"])
def test_response_items_are_sent_back_unchanged(scripted, way):
    """Every item of its output, however the answer came."""
    body = f'{{"id":"r","status":"completed","output":[{",".join(ITEMS)}]}}'
    bare = '{"id":"r","status":"completed","output":[]}'
    done = [
        f'{{"type":"response.output_item.done","output_index":{at},"item":{item}}}'
        for at, item in enumerate(ITEMS)
    ]
    streams = events(*done, f'{{"type":"response.completed","response":{bare}}}')
    whole, last = chat(None), chat(None)
    whole["json"]["body"], last["json"]["body"] = body, bare
    if way == "tool_events":
        last = events(f'{{"type":"response.completed","response":{bare}}}')
    client = scripted(streams if way in ("gather", "helper", "tool_events") else whole, last)
    say_again(client.responses, way, "input", lambda one: one.output)
    assert ",".join(ITEMS) in last_said(scripted, "input")


def test_unknown_parts_are_dicts():
    """Of any depth, with their fields as attributes too; what is done to them stays."""
    found = completion()
    timings, cost = found.timings, found.usage.cost_details
    assert isinstance(timings, dict) and isinstance(timings, Object)
    assert timings == BODY["timings"] and cost.get("upstream") == 2 and cost.get("no") is None
    assert list(timings.items()) == list(BODY["timings"].items()) and {**cost} == {"upstream": 2}
    assert json.loads(json.dumps(timings)) == BODY["timings"]
    assert timings.parts[0].ms == timings["parts"][0]["ms"] == 1.5 and timings.none is None
    with pytest.raises(AttributeError, match="no field 'missing'"):
        _ = timings.missing
    assert timings.model_dump() == timings.to_dict() == BODY["timings"]
    assert type(timings.model_dump()) is dict and type(timings.model_dump()["parts"][0]) is dict
    assert json.loads(timings.to_json()) == BODY["timings"] and "prompt_n" in dir(timings)
    timings["prompt_n"], timings.more = 6, {"a": 1}
    del timings.none
    body = {"prompt_n": 6, "parts": [{"ms": 1.5}], "more": {"a": 1}}
    assert found.to_dict()["timings"] == body == found.timings
    assert type(found.to_dict()["timings"]) is dict
    assert found.model_extra == {"timings": body}
    for way in (copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))):
        assert way(timings) == timings and type(way(timings)) is Object


def test_fields_can_be_deleted():
    """They read as if they had not been sent."""
    found = completion()
    del found.choices, found.timings
    assert found.choices is None and "choices" not in found and "timings" not in found.to_dict()
    assert found.model_fields_set == {"id", "usage"} and not hasattr(found, "timings")
    assert found.to_dict() == {"id": "x", "usage": BODY["usage"]}
    with pytest.raises(AttributeError, match="nothing"):
        del found.nothing
    with pytest.raises(AttributeError, match="cannot be"):
        del found.__class__
    found.choices = []
    assert found.choices == [] and found.to_dict()["choices"] == []


def test_answers_are_iterated_as_pydantic_models_are():
    """Pairs of names and values, so that dict() works."""
    found = completion()
    pairs = dict(found)
    assert pairs["id"] == "x" and pairs["choices"] is found.choices and pairs["created"] is None
    assert [name for name, _ in found][:3] == ["id", "choices", "created"]
    chunk = ChatCompletionChunk.model_validate(
        {"choices": [{"index": 0, "delta": {"content": "a"}}]}
    )
    assert dict(chunk)["choices"][0].delta.content == "a"
    assert len(set(dir(found))) == len(dir(found)) and "timings" in dir(found)


def test_null_and_absent_are_equal():
    """No program can see which of them came."""
    assert completion() == ChatCompletion.model_validate(completion().model_dump())
    one, other = ({"id": "a", "usage": None}, {"id": "a"})
    assert ChatCompletion.model_validate(one) == ChatCompletion.model_validate(other)
    assert ChatCompletion.model_validate(one) != ChatCompletion.model_validate({"id": "b"})
    assert completion() != BODY


def test_copies_share_what_a_program_assigned():
    """model_copy(update=) as pydantic has it; deep copies share nothing."""
    found, kept = completion(), ["kept"]
    found._mine = kept
    assert found.model_copy()._mine is kept and found.model_copy() == found
    found.mine = kept
    assert found.model_copy().mine is kept and found.model_copy(deep=True).mine is not kept
    copied = found.model_copy(update={"id": "y", "choices": []})
    assert (copied.id, copied.choices, found.id) == ("y", [], "x") and len(found.choices) == 2


@pytest.mark.thread_unsafe("a thread collects no garbage while another does")
def test_circles_are_collected():
    """An answer that a program made part of itself; one that holds itself is not dumped."""

    class Mark:
        pass

    found, mark = completion(), Mark()
    found.choices[0].message.mark = mark
    found.choices[0].message.whole = found
    found.choices.append(found)
    with pytest.raises(ValueError, match="contains itself"):
        found.to_dict()
    assert "..." in repr(found)
    gone = weakref.ref(mark)
    del found, mark
    gc.collect()
    assert gone() is None


def held_by_itself(way):
    """An answer that stands somewhere in itself."""
    found = completion()
    if way == "an unknown list":
        found.timings["parts"].append(found)
    elif way == "an unknown dict":
        found.timings["self"] = found
    elif way == "a tuple":
        found.kept = (found,)
    elif way == "a list in a list":
        found.kept = [[found]]
    else:
        found.kept = Keeper(found)
    return found


@dataclasses.dataclass
class Keeper:
    """A dataclass of a program."""

    answer: object


@pytest.mark.parametrize(
    "way", ["an unknown list", "an unknown dict", "a tuple", "a list in a list", "a dataclass"]
)
def test_an_answer_that_contains_itself_is_an_error(scripted, way):
    """Of every way out, and never the end of the process."""
    client = scripted(chat(MESSAGE))
    for out in (
        lambda found: found.to_json(indent=None),
        lambda found: found.model_dump_json(),
        pickle.dumps,
        lambda found: client.chat.completions.create(model="m", messages=[found]),
    ):
        with pytest.raises(ValueError, match="contains itself"):
            out(held_by_itself(way))
    assert not scripted.requests()


def test_a_recursive_dump_raises():
    """A value of a program whose dump is that of the answer."""

    class Again:
        def model_dump(self, **_):
            return found.model_dump()

    found = completion()
    found.kept = [[[Again()]]]
    with pytest.raises((ValueError, RecursionError)):
        found.model_dump()
    assert completion().model_dump()


@pytest.mark.thread_unsafe("a thread collects no garbage while another does")
def test_long_chains_are_dropped():
    """Each answer keeps the one before it."""
    last = None
    for _ in range(50_000):
        found = ChatCompletion(id="x")
        found.previous, last = last, found
    del found, last
    ring = first = ChatCompletion(id="x")
    for _ in range(20_000):
        found = ChatCompletion(id="x")
        found.previous, ring = ring, found
    first.previous = ring
    del found, first, ring
    gc.collect()


@pytest.mark.thread_unsafe("the processor time of the process is measured")
def test_long_lists_cost_their_length():
    """A list of a service that was looked at; the time grows with it and not with its square."""

    def spent(count):
        found = ChatCompletion.model_validate({"parts": [{"n": n} for n in range(count)]})
        assert len(found.parts) == count
        begin = time.process_time()
        found.to_json(indent=None)
        return time.process_time() - begin

    assert spent(8000) < 40 * max(spent(1000), 0.001)


def test_dicts_that_change_while_they_are_dumped():
    """By what a program put into them: what stood there is dumped."""

    class Grows:
        def model_dump(self, **_):
            found.timings[f"more{len(found.timings)}"] = 1
            return "grown"

    found = completion()
    found.timings["grows"] = Grows()
    assert found.to_dict()["timings"]["grows"] == "grown"
    assert "grown" in found.to_json() and "more5" in found.timings


def test_deep_copies_keep_what_is_shared():
    """As copy.deepcopy does it."""
    found, shared = completion(), ["shared"]
    found.one, found.two, found.me = shared, shared, found
    copied = copy.deepcopy(found)
    assert copied.one is copied.two and copied.one == shared and copied.one is not shared
    assert copied.me is copied and copied.id == "x"


def test_subclasses_cannot_declare_fields():
    """They would hide what stands under their name; it is told at once."""
    with pytest.raises(TypeError, match="cannot declare fields"):
        type("Mine", (ChatCompletion,), {"__annotations__": {"cost": float}, "cost": 0.0})
    assert type("Mine", (ChatCompletion,), {"said": lambda self: self.id})(id="x").said() == "x"


@pytest.mark.thread_unsafe("a thread collects no garbage while another does")
def test_reading_fields_makes_no_reference_cycle():
    """What is dropped is gone without the garbage collector."""
    gc.collect()
    gc.disable()
    try:
        found = completion()
        mark = found.mark = type("Mark", (), {})()
        gone = weakref.ref(mark)
        assert found.choices[0].message.tool_calls[0].function and found.usage.cost_details
        assert dict(found) and repr(found) and found.timings.parts
        del found, mark
        assert gone() is None
    finally:
        gc.enable()


def test_threads_get_the_same_lists():
    """Whoever is first, all see what one does."""
    for _ in range(50):
        found, seen = completion(), []
        together(*[lambda found=found, seen=seen: seen.append(id(found.choices))] * 4)
        assert len(set(seen)) == 1


def test_deep_answers_are_dumped():
    """As deep as answers may be."""
    depth = 1000
    text = '{"id":"x","new":' + '{"a":[' * (depth // 2) + "1" + "]}" * (depth // 2) + "}"
    found = ChatCompletion.model_validate_json(text)
    assert found.model_dump_json(exclude_unset=True) == text
    assert found.to_json().count("\n") == 2 * depth + 3
    assert "".join(line.strip() for line in found.to_json().split("\n")).replace(": ", ":") == text
    assert type(found.new.model_dump()["a"][0]) is dict
    found.id = "y"
    assert found.to_json(indent=None) == text.replace('"x"', '"y"')


@pytest.mark.parametrize(
    "value",
    [{}, [], {"a": []}, [{}], {"a": {"b": [1, 'x,{[]}\\"', None]}}, [[1], [2, [3]]], 'a"b', 1.5],
    ids=repr,
)
def test_indented_text_is_that_of_json(value):
    """to_json has the form that programs know."""
    found = ChatCompletion.model_validate({"new": value})
    assert found.to_json() == json.dumps({"new": value}, indent=2)
    assert found.to_json(indent=7) == json.dumps({"new": value}, indent=7)


def test_repr_rich_and_html_displays():
    """A short line, all with print, lines in IPython, fields for rich, HTML in notebooks."""
    found = completion()
    assert repr(found).startswith("ChatCompletion(id='x', choices=[Choice(index=0, message=")
    assert len(repr(found)) < 500 < len(str(found)) and str(found).endswith("'none': None})")
    assert {name for name, _ in found.__rich_repr__()} == set(BODY)
    found.choices[0].message.content = "<b>said</b>"
    html = found._repr_html_()
    assert "&lt;b&gt;said" in html and "<b>" not in html and "<details>" in html

    class Printer:
        """As much of IPython's as is called."""

        def __init__(self):
            self.shown = ""

        def group(self, indent, opening, closing):
            import contextlib

            self.shown += opening
            stack = contextlib.ExitStack()
            stack.callback(lambda: self.text(closing))
            return stack

        def text(self, text):
            self.shown += text

        def breakable(self, space=" "):
            self.shown += "\n"

        def pretty(self, value):
            self.shown += type(value).__name__

    printer = Printer()
    found.usage._repr_pretty_(printer, False)
    assert printer.shown == "CompletionUsage(\nprompt_tokens=int,\ncost_details=Object)"
