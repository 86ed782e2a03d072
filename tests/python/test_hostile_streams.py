"""What a service may make expensive: events that cost more, the more came before them. Each count
is chosen so that a cost that grows with its square would take minutes. And values of other types
than the API has."""

import json

import pytest

from modelwire.streaming import ChatCompletionStreamState, ResponseStreamState
from modelwire.types.chat import ChatCompletionChunk
from modelwire.types.responses import ResponseStreamEvent

FORMATS = {
    "response_format": dict[str, int],
    "input_tools": [{"type": "function", "function": {"name": "f"}, "strict": True}],
}


def chunk(*choices):
    return ChatCompletionChunk.model_validate_json(json.dumps({"choices": choices}))


def called(arguments, *indexes):
    calls = [{"index": index, "function": {"arguments": arguments}} for index in indexes]
    return chunk({"delta": {"tool_calls": calls}})


def event(kind, **fields):
    return ResponseStreamEvent.model_validate_json(
        json.dumps({"type": f"response.{kind}", **fields})
    )


def done(events):
    return [one for one in events if one.type.endswith("arguments.done")]


def test_a_chunk_of_many_choices():
    state = ChatCompletionStreamState()
    assert len(state.handle_chunk(chunk(*[{}] * 65_536))) == 1


def test_arguments_in_empty_pieces():
    state = ChatCompletionStreamState()
    empty = called("", *[0] * 1000)
    for _ in range(100):
        state.handle_chunk(empty)
    assert not done(state.handle_chunk(called("{}", 0)))
    assert [one.arguments for one in done(state.handle_chunk(called("1", 1)))] == ["{}"]


def test_finish_reasons_after_many_calls():
    """Each call is done once, in order, and again after a late piece."""
    state = ChatCompletionStreamState()
    assert not done(state.handle_chunk(called("{", *range(40_000))))
    finished = chunk({"finish_reason": "tool_calls"})
    assert [one.index for one in done(state.handle_chunk(finished))] == [*range(40_000)]
    for _ in range(10_000):
        assert not done(state.handle_chunk(finished))
    state.handle_chunk(called("}", 7, 3))
    late = done(state.handle_chunk(finished))
    assert [(one.index, one.arguments) for one in late] == [(3, "{}"), (7, "{}")]


def test_messages_in_the_place_of_pieces():
    state = ChatCompletionStreamState()
    message = chunk({"message": {"content": "x" * 2000}})
    for _ in range(20_000):
        state.handle_chunk(message)
    completion = state.get_final_completion()
    assert len(completion.choices[0].message.content) == 2000 * 20_000


def test_arguments_nested_too_deep_for_a_parser():
    state = ChatCompletionStreamState()
    state.handle_chunk(called("[" * 100_000, 0))
    assert not done(state.handle_chunk(called(1, "1")))


def test_many_parts_of_a_response():
    state = ResponseStreamState()
    place = {"output_index": 0, "item_id": "a"}
    part = {"type": "output_text", "text": "a"}
    for index in range(20_000):
        state.handle_event(event("content_part.added", content_index=index, part=part, **place))
    for index in range(20_000):
        delta = event("output_text.delta", content_index=index, delta="b", **place)
        assert state.handle_event(delta)[0].snapshot == "ab"


def test_many_items_of_a_response_that_fails():
    state = ResponseStreamState()
    for index in range(10_000):
        item = {"type": "message", "id": str(index), "content": [{"type": "output_text"}]}
        state.handle_event(event("output_item.added", output_index=index, item=item))
        place = {"output_index": index, "content_index": 0, "item_id": str(index)}
        state.handle_event(event("output_text.delta", delta=str(index), **place))
    failed = event("failed", response={"id": "r", "status": "failed"})
    state.handle_event(failed)
    items = state._last.output
    assert [item.content[0].text for item in items] == [str(index) for index in range(10_000)]


def test_a_value_in_many_levels():
    """It is read once, and not once for each of its levels."""
    value = "[" * 900 + "0," * (1 << 20) + "0" + "]" * 900
    answer = ChatCompletionChunk.model_validate_json(f'{{"choices": [], "x": {value}}}')
    for found in (answer.model_dump()["x"], answer.x):
        for _ in range(899):
            (found,) = found
        assert found == [0] * ((1 << 20) + 1)


@pytest.mark.parametrize("wrong", [[1], {"a": 1}, "x", None, 1.5])
@pytest.mark.parametrize("formats", [False, True])
def test_chunks_with_values_of_other_types(wrong, formats):
    """An id, an index or a name that is none counts as absent."""
    for path in ("index", "id", "name"):
        state = ChatCompletionStreamState(**(FORMATS if formats else {}))
        call = {"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}}
        (call["function"] if path == "name" else call)[path] = wrong
        found = state.handle_chunk(chunk({"delta": {"tool_calls": [call]}}))
        found += state.handle_chunk(chunk({"finish_reason": "tool_calls"}))
        assert [one.arguments for one in done(found)] == ["{}"]
        assert state.get_final_completion().choices[0].message.tool_calls


@pytest.mark.parametrize("wrong", [[1], {"a": 1}, "x", None, 1.5])
def test_events_with_values_of_other_types(wrong):
    """Such an index counts as absent, and what has none comes last. A text belongs to its part."""
    begun = {"type": "message", "id": "m", "content": [{"type": "output_text", "text": "a"}, 1]}
    later = {"type": "output_text", "text": "b"}
    state = ResponseStreamState()
    for one in (
        event("output_item.added", output_index=wrong, item={**begun, "id": "n"}),
        event("output_item.added", output_index=0, item=begun),
        event("content_part.added", output_index=0, content_index=wrong, part=later),
        event("output_text.delta", output_index=wrong, content_index=0, item_id=wrong, delta="c"),
        event("output_text.delta", output_index=0, content_index=wrong, item_id=wrong, delta="d"),
        event("output_item.done", output_index=wrong, item={"type": "reasoning", "id": "r"}),
        event("in_progress", response=wrong),
        event("incomplete", response={"status": "incomplete"}),
    ):
        [told] = state.handle_event(one)
    output = told.response.output
    assert [item.id for item in output] == ["m", "r"]
    [first, other, last] = output[0].content
    assert (first.text, other, last.text) == ("a", 1, "bd")
