"""What a model thought, in whole answers, chunks and events."""

import copy
import json
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

from callers import asked
from modelwire import testing
from modelwire.types.responses import ResponseReasoningTextDeltaEvent
from wire import HELLO, answer, chat, events, finish


def streamed(client):
    return asked(client, stream=True)


def thought(**fields):
    """The JSON text of a chat chunk whose delta has these fields."""
    choice = {"index": 0, "delta": fields, "finish_reason": None}
    return json.dumps({"id": "c", "object": "chat.completion.chunk", "choices": [choice]})


DETAILS = [{"type": "reasoning.text", "text": "Hm.", "signature": "s", "index": 0}]
OWN = [
    ("reasoning_content", "Hm."),
    ("reasoning", "Hm."),
    ("reasoning_text", "Hm."),
    ("reasoning_details", DETAILS),
]


@pytest.mark.parametrize(("name", "value"), OWN)
def test_a_service_s_own_field_stays_reachable(scripted, name, value):
    """Under the name that the service gave it, of a message and of a delta."""
    message = asked(scripted(chat({"content": "4", name: value}))).choices[0].message
    [first, _] = streamed(scripted(events(thought(**{name: value}), finish())))
    for found in (message, first.choices[0].delta):
        assert getattr(found, name) == value
        assert found.to_dict()[name] == found[name] == value


def test_the_settings_of_reasoning_stay_what_they_are(scripted):
    """A response says with `reasoning` how it was asked to think."""
    given = {"effort": "low", "summary": "auto"}
    client = scripted(answer({"id": "r", "output": [], "reasoning": given}))
    response = client.responses.create(model="m", input="Hi.")
    assert response.reasoning.effort == "low" and response.reasoning.to_dict() == given


@pytest.mark.parametrize(("name", "value"), OWN)
def test_one_name_for_reasoning_fields_of_all_services(scripted, name, value):
    """On messages, answers, deltas and chunks."""
    whole = asked(scripted(chat({"content": "4", name: value})))
    assert whole.reasoning_text == whole.choices[0].message.reasoning_text == "Hm."
    first, last = streamed(scripted(events(thought(**{name: value}), finish())))
    assert first.reasoning_text == first.choices[0].delta.reasoning_text == "Hm."
    assert last.reasoning_text == last.choices[0].delta.reasoning_text == ""


@pytest.mark.parametrize("odd", [7, None, {}, [], [[1]], "", {"effort": "low"}, [{"text": 7}]])
@pytest.mark.parametrize("name", [name for name, _ in OWN])
def test_invalid_reasoning_is_empty(scripted, name, odd):
    """What is no text passes through, and is no reasoning."""
    whole = asked(scripted(chat({"content": "4", name: odd})))
    [first, _] = streamed(scripted(events(thought(**{name: odd}), finish())))
    for found in (whole, whole.choices[0].message, first, first.choices[0].delta):
        assert found.reasoning_text == ""
    assert whole.choices[0].message[name] == first.choices[0].delta.to_dict()[name] == odd


def test_answers_without_reasoning(client):
    """Empty, and no field of any dump."""
    whole = asked_of_echo(client)
    response = client.responses.create(model="echo", input="x")
    chunks = asked(client, model="echo", stream=True)
    found = client.responses.create(model="echo", input="x", stream=True)
    for one in (whole, whole.choices[0].message, response, *chunks, *found):
        assert one.reasoning_text == ""
        assert "reasoning_text" not in one.model_dump()
        with pytest.raises(KeyError):
            one["reasoning_text"]


def asked_of_echo(client):
    return asked(client, model="echo")


def test_reasoning_of_a_changed_message(scripted):
    """That of what it is now; what a program assigns itself is that."""
    message = asked(scripted(chat({"content": "4", "reasoning": "Hm."}))).choices[0].message
    message.reasoning = "Well."
    assert message.reasoning_text == "Well."
    del message.reasoning
    assert message.reasoning_text == ""
    message.reasoning_text = "mine"
    assert message.reasoning_text == "mine"


def test_reasoning_of_changed_chunks(scripted):
    """The same."""
    [first, _] = streamed(scripted(events(thought(reasoning_content="Hm."), finish())))
    delta = first.choices[0].delta
    delta.reasoning_content = "Well."
    assert delta.reasoning_text == first.reasoning_text == "Well."
    first.choices.clear()
    assert (first.reasoning_text, delta.reasoning_text) == ("", "Well.")


def test_copies_and_pickles_keep_reasoning(scripted):
    """And answers that were made up."""
    whole = asked(scripted(chat({"content": "4", "reasoning_details": DETAILS})))
    [first, _] = streamed(scripted(events(thought(reasoning="Hm."), finish())))
    made = type(whole)(choices=[{"message": {"reasoning": "Hm."}}])
    for one in (whole, whole.choices[0].message, first, first.choices[0].delta, made):
        for other in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
            assert other.reasoning_text == "Hm." and other == one


ITEMS = [
    {"type": "reasoning", "id": "r1", "summary": [{"type": "summary_text", "text": "Sum. "}]},
    {"type": "reasoning", "id": "r2", "summary": [], "content": None, "encrypted_content": "x"},
    {
        "type": "reasoning",
        "id": "r3",
        "summary": [{"type": "summary_text", "text": "not twice"}],
        "content": [{"type": "reasoning_text", "text": "So it is 4."}],
    },
    {
        "type": "message",
        "id": "m",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "4", "annotations": []}],
    },
]


def test_reasoning_of_a_response(scripted):
    """Of its items, their summaries where the service keeps the rest to itself."""
    client = scripted(answer({"id": "r", "output": ITEMS, "reasoning": {"effort": "low"}}))
    response = client.responses.create(model="m", input="Hi.")
    assert response.reasoning_text == "Sum. So it is 4." and response.output_text == "4"
    assert [item.reasoning_text for item in response.output[:3]] == ["Sum. ", "", "So it is 4."]
    response.output[0].summary[0].text = "Other. "
    assert response.reasoning_text == "Other. So it is 4."


EVENTS = [
    {"type": "response.reasoning_summary_text.delta", "summary_index": 0, "delta": "Su"},
    {"type": "response.reasoning_summary_text.delta", "summary_index": 0, "delta": "m."},
    {"type": "response.reasoning_summary_text.delta", "summary_index": 1, "delta": "Two."},
    {"type": "response.reasoning_summary_text.done", "summary_index": 1, "text": "Two."},
    {"type": "response.reasoning_text.delta", "content_index": 0, "delta": "Hm"},
    {"type": "response.reasoning_text.delta", "content_index": 0, "delta": "."},
    {"type": "response.output_text.delta", "content_index": 0, "delta": "4"},
    {"type": "response.completed", "response": {"id": "r", "output": ITEMS}},
]


def test_reasoning_of_events(scripted):
    """What each adds, of the text and of summaries."""
    client = scripted(events(*map(json.dumps, EVENTS), end="eof"))
    found = list(client.responses.create(model="m", input="x", stream=True))
    assert [event.reasoning_text for event in found] == ["Su", "m.", "Two.", "", "Hm", ".", "", ""]
    assert found[-1].response.reasoning_text == "Sum. So it is 4."


def seen(found, *kinds):
    return [event for event in found if event.type in kinds]


def test_snapshots_of_reasoning_in_a_response(modelwire_service, caller):
    """Each of its texts by itself."""
    sent = [{"item_id": "r1", "output_index": 0, **one} for one in EVENTS]
    modelwire_service.queue(testing.events(sent))
    found, error, final = caller.response_stream()
    assert error is None and final.reasoning_text == "Sum. So it is 4."
    [*summaries] = seen(found, "response.reasoning_summary_text.delta")
    assert [event.snapshot for event in summaries] == ["Su", "Sum.", "Two."]
    [*texts] = seen(found, "response.reasoning_text.delta")
    assert [event.snapshot for event in texts] == ["Hm", "Hm."]
    assert isinstance(texts[0], ResponseReasoningTextDeltaEvent) and texts[0].delta == "Hm"
    assert texts[1].reasoning_text == "." and texts[1].model_dump()["snapshot"] == "Hm."


def test_events_of_reasoning(modelwire_service, caller):
    """Its pieces, then all of it where the model turns to something else."""
    modelwire_service.queue(testing.text(["4", " it is"], reasoning=["Hm", "."]))
    found, error, final = caller.chat_stream()
    first, *told = [event for event in found if event.type != "chunk"]
    assert (first.type, first.delta) == ("content.delta", "")  # beside the role
    assert [event.type for event in told] == [
        *("reasoning.delta", "reasoning.delta", "reasoning.done"),
        *("content.delta", "content.delta", "content.done"),
    ]
    assert [(one.delta, one.snapshot) for one in told[:2]] == [("Hm", "Hm"), (".", "Hm.")]
    assert told[2].reasoning == "Hm." and told[2].to_dict() == {
        "type": "reasoning.done",
        "reasoning": "Hm.",
    }
    assert error is None and final.reasoning_text == "Hm."
    assert found[-1].type == "content.done" and final.choices[0].message.content == "4 it is"


def piece(finish_reason=None, **fields):
    """A chat chunk whose delta has these fields."""
    choice = {"index": 0, "delta": fields, "finish_reason": finish_reason}
    return {"id": "c", "object": "chat.completion.chunk", "choices": [choice]}


CALL = {"index": 0, "id": "1", "function": {"name": "f", "arguments": "{}"}}


def test_a_model_that_thinks_again(modelwire_service, caller):
    """Between calls of tools, and to its end."""
    modelwire_service.queue(
        testing.events(
            [
                piece(reasoning="a"),
                piece(reasoning="", content=""),
                piece(reasoning="b"),
                piece(tool_calls=[CALL]),
                piece(reasoning="c", finish_reason="tool_calls"),
            ]
        )
    )
    found, error, final = caller.chat_stream()
    assert error is None and final.reasoning_text == "abc"
    told = seen(found, "reasoning.delta", "reasoning.done")
    assert [getattr(one, "reasoning", None) or one.delta for one in told] == [
        *("a", "b", "ab", "c", "abc"),
    ]


def add(a: int, b: int) -> int:
    return a + b


def sent_back(service):
    """What the model had said, as the second request has it."""
    [_, second] = service.requests
    return second.body["messages"] if "messages" in second.body else second.body["input"]


@pytest.mark.parametrize("is_streamed", [False, True])
@pytest.mark.parametrize(("name", "value"), OWN)
def test_reasoning_goes_back_with_the_calls_of_tools(
    modelwire_service, caller, name, value, is_streamed
):
    """As it was received, whole and streamed."""
    call = {"id": "1", "type": "function", "function": {"name": "add", "arguments": "{}"}}
    call["function"]["arguments"] = '{"a": 1, "b": 2}'
    said = {"role": "assistant", "content": None, name: value, "tool_calls": [call]}
    if is_streamed:
        calls = [{"index": 0, **call}]
        pieces = [piece(**{name: value}), piece(tool_calls=calls, finish_reason="tool_calls")]
        modelwire_service.queue(testing.events(pieces))
    else:
        modelwire_service.queue({"choices": [{"message": said, "finish_reason": "tool_calls"}]})
    modelwire_service.queue("It is 3.")

    def ask(client):
        given = {"model": "m", "messages": HELLO, "tools": [add]}
        return client.chat.completions.run_tools(**given)

    turns, error, run = caller.turns(ask, events=is_streamed)
    assert error is None and run.final.choices[0].message.content == "It is 3."
    said = sent_back(modelwire_service)[-2]
    assert said[name] == value and said["tool_calls"] == [call]
    assert "reasoning_text" not in said or name == "reasoning_text"


@pytest.mark.parametrize("is_streamed", [False, True])
def test_reasoning_of_a_response_goes_back(modelwire_service, caller, is_streamed):
    """Items of reasoning as they were received, what is encrypted with them."""
    call = {"type": "function_call", "call_id": "1", "name": "add", "arguments": '{"a":1,"b":2}'}
    output = [*ITEMS[:3], call]
    whole = {"id": "r", "object": "response", "status": "completed", "output": output}
    if is_streamed:
        modelwire_service.queue(testing.events([{"type": "response.completed", "response": whole}]))
    else:
        modelwire_service.queue(whole)
    modelwire_service.queue("It is 3.")

    def ask(client):
        return client.responses.run_tools(model="m", input="Go.", tools=[add])

    turns, error, run = caller.turns(ask, events=is_streamed)
    assert error is None and run.final.output_text == "It is 3."
    assert sent_back(modelwire_service)[1:-1] == output


def test_threads_see_the_same(scripted):
    """One chunk and one answer, looked at by many at once."""
    client = scripted(chat({"content": "4", "reasoning": "Hm."}), events(thought(reasoning="Hm.")))
    whole = asked(client)
    first = next(iter(streamed(client)))

    def look(_):
        return whole.reasoning_text, first.reasoning_text, first.choices[0].delta.reasoning_text

    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(look, range(400))) == {("Hm.", "Hm.", "Hm.")}
