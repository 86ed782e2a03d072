"""Streams of chats and responses: what arrives, when, and how they end."""

import gc
import os
import threading
import time

import pytest

import lockstep
import modelwire
from callers import asked
from conftest import KEY, SOON, eventually
from lockstep import Held
from wire import (
    END,
    HELLO,
    NO_PARTS,
    SILENCE,
    STALL,
    WORDS,
    events,
    finish,
    piece,
    stream,
    text,
)

TEXT = HELLO[0]["content"]
STALLED = stream(piece("a"), STALL)


def opened(client, **fields):
    return asked(client, stream=True, **fields)


def test_stream(service, client):
    """Every chunk in its order, then the end; one pass."""
    chat = asked(client, model="echo", stream=True)
    chunks = list(chat)
    assert [chunk.choices[0].delta.content for chunk in chunks] == ["", *WORDS, None]
    assert chunks[0].choices[0].delta.role == "assistant"
    assert [chunk.choices[0].finish_reason for chunk in chunks] == [None] * 5 + ["stop"]
    assert {chunk.object for chunk in chunks} == {"chat.completion.chunk"}
    assert list(chat) == []
    assert '"stream":true' in service.requests()[0]["body"]


def test_facts_of_a_stream(client):
    """Status, headers and request id at once; how it ended at its end."""
    chat = asked(client, model="echo", stream=True)
    assert chat.status_code == 200
    assert dict(chat.headers)["content-type"] == "text/event-stream"
    assert dict(chat.headers)["x-request-id"] == chat.request_id
    assert (chat.usage, chat.end) == (None, None)
    list(chat)
    assert chat.end == "done_mark"


def test_usage_of_a_stream(client):
    """Usage is read from a stream too, where the service sends it."""
    chat = client.chat.completions.create(model="echo", messages=HELLO, stream=True)
    assert [chunk for chunk in chat if chunk.usage] == [] and chat.usage is None
    asked = {"include_usage": True}
    chat = client.chat.completions.create(
        model="echo", messages=HELLO, stream=True, stream_options=asked
    )
    *_, last = chat
    assert last.usage.total_tokens == 8
    assert chat.usage == {"input_tokens": 4, "output_tokens": 4, "total_tokens": 8, **NO_PARTS}


def test_usage_chunk_of_a_stream(service, client):
    """stream_options passes through when asked for and is never added."""
    options = {"include_usage": True}
    *chunks, last = client.chat.completions.create(
        model="echo", messages=HELLO, stream=True, stream_options=options
    )
    assert last.choices == [] and last.usage.prompt_tokens == 4
    assert all(chunk.usage is None for chunk in chunks)
    list(client.chat.completions.create(model="echo", messages=HELLO, stream=True))
    with_options, without = (request["body"] for request in service.requests())
    assert "stream_options" in with_options and "stream_options" not in without


def test_tool_calls_of_a_stream(client):
    """The pieces of a tool call add up."""
    chat = client.chat.completions.create(model="echo-tools", messages=HELLO, stream=True)
    calls = [chunk.choices[0].delta.tool_calls for chunk in chat]
    pieces = [call[0].function.arguments for call in calls if call]
    assert "".join(pieces) == f'{{"text":"{TEXT}"}}'
    assert calls[0][0].function.name == "echo" and calls[0][0].index == 0


def test_unknown_fields_of_a_stream(client):
    """What nobody here knows is an attribute, too."""
    chat = client.chat.completions.create(model="echo-reasoning", messages=HELLO, stream=True)
    deltas = [chunk.choices[0].delta for chunk in chat]
    thoughts = [getattr(delta, "reasoning_content", "") for delta in deltas]
    assert "".join(thoughts) == "I shall repeat what was said."


def test_several_choices_of_a_stream(client):
    """Choices are told apart by their index; all must finish."""
    texts = {}
    chat = asked(client, model="echo", stream=True, n=2)
    for chunk in chat:
        for choice in chunk.choices:
            texts[choice.index] = texts.get(choice.index, "") + (choice.delta.content or "")
    assert texts == {0: TEXT, 1: TEXT}


def test_response_stream(client):
    """Named events in their order; the last carries the whole response."""
    response = client.responses.create(model="echo", input=TEXT, stream=True)
    found = list(response)
    kinds = [event.type for event in found]
    assert kinds[0] == "response.created" and kinds[-1] == "response.completed"
    deltas = [event.delta for event in found if event.type == "response.output_text.delta"]
    assert deltas == WORDS
    assert [event.sequence_number for event in found] == list(range(len(found)))
    assert found[-1].response.status == "completed"
    assert found[-1].response.output[0].content[0].text == TEXT
    assert found[-1].response.usage.total_tokens == 8
    assert (response.end, response.usage["total_tokens"]) == ("final_event", 8)


def test_output_text_of_a_streamed_response(client):
    """The response inside the last event is a response like any other."""
    *_, last = client.responses.create(model="echo", input=TEXT, stream=True)
    assert last.response.output_text == TEXT


def test_an_incomplete_response_is_an_answer(client):
    """Delivered, not raised."""
    stream = client.responses.create(model="echo", input=TEXT, stream=True, max_output_tokens=2)
    *_, last = stream
    assert (last.type, stream.end) == ("response.incomplete", "final_event")


def test_a_failed_response_is_an_answer(scripted):
    """response.failed is delivered, and carries its error."""
    failed = '{"type":"response.failed","response":{"error":{"code":"c","message":"m"}}}'
    client = scripted(events(failed, end="eof"))
    [event] = client.responses.create(model="m", input="x", stream=True)
    assert (event.response.error.code, event.response.error.message) == ("c", "m")


def test_a_chunk_arrives_when_it_was_sent(scripted):
    """The first is in hand although the last is never sent."""
    with opened(scripted(STALLED)) as chat:
        assert next(chat).choices[0].delta.content == "a"


def test_chunks_arrive_one_by_one(connect):
    """Each is in hand before the service sends the next one."""
    held = Held(piece("a"), piece("b"), finish(), *END)
    with (
        lockstep.serving(held) as url,
        connect(base_url=url, api_key=KEY, timeout=modelwire.Timeout(idle=SOON)) as client,
    ):
        chat, contents = opened(client), []
        for _ in range(3):
            held.go()
            contents.append(next(chat).choices[0].delta.content)
        assert contents == ["a", "b", None]
        held.go()  # the end mark is no chunk
        assert list(chat) == [] and chat.end == "done_mark"


def test_unknown_shapes_arrive(scripted):
    """Any JSON object is a chunk, empty data is none."""
    odd = ['{"new":1}', "", '{"choices":null}', '{"choices":[{}]}', '{"type":"new.kind"}']
    chunks = list(opened(scripted(events(*odd))))
    assert [chunk.to_json(indent=None) for chunk in chunks] == [data for data in odd if data]
    assert chunks[0].choices == chunks[1].choices == []
    assert chunks[2].choices[0].delta.content is None


@pytest.mark.parametrize("value", ["7", '"text"', "null", "[1,2]", "true"])
def test_any_json_value_is_delivered(scripted, value):
    """Also one that is no object."""
    chunk, _ = opened(scripted(events(value, piece("a"))))
    assert chunk.to_json(indent=None) == value and chunk.choices == [] and chunk.id is None


@pytest.mark.parametrize("size", [70_000, 1_000_000])
def test_a_large_chunk_arrives_whole(scripted, size):
    """Larger than a read, and larger than the queue."""
    assert text(opened(scripted(events(piece("x" * size), finish())))) == "x" * size


def ways_to_leave():
    def leave_with(chat):
        with chat:
            next(chat)

    def leave_with_error(chat):
        with pytest.raises(ZeroDivisionError), chat:
            raise ZeroDivisionError

    def break_out(chat):
        for _ in chat:
            break

    return {
        "with": leave_with,
        "with_error": leave_with_error,
        "close": lambda chat: chat.close(),
        "dropped": break_out,
    }


@pytest.mark.parametrize("way", ways_to_leave())
def test_an_abandoned_stream_closes_its_connection(quiet, scripted, way):
    """Leaving `with`, close() and dropping it end the exchange at once."""
    client = scripted(STALLED)
    chat = opened(client)
    assert quiet.open_connections() == 1
    ways_to_leave()[way](chat)
    del chat
    quiet.until_closed()
    assert not client.is_closed()


@pytest.mark.parametrize("waiting", ["unread", "read"])
def test_iterating_after_close_ends(scripted, waiting):
    """It was this program that ended it, so there is no error; close() is repeatable."""
    chat = opened(scripted(STALLED))
    if waiting == "read":
        next(chat)
    chat.close()
    chat.close()
    assert list(chat) == []
    with pytest.raises(StopIteration):
        next(chat)
    assert chat.end is None and chat.usage is None


@pytest.mark.sync_alone("threads; test_async_loops.py cancels tasks")
def test_close_while_another_thread_waits(scripted):
    """close() does not wait for the reader, and the reader does not wait on."""
    chat = opened(scripted(STALLED))
    next(chat)
    ended = []
    reader = threading.Thread(target=lambda: ended.append(next(chat, "end")))
    reader.start()
    chat.close()
    reader.join(SOON)
    assert ended == ["end"]


def test_streams_go_on_when_their_client_is_closed(client):
    """As Client.close says."""
    chat = asked(client, model="echo", stream=True)
    client.close()
    assert text(chat) == TEXT
    with pytest.raises(modelwire.OpenAIError, match="closed"):
        client.models.list()


def test_streams_one_after_another_use_one_connection(scripted):
    """[DONE] ends the stream, not the connection."""
    written = "".join(step["send"] for step in stream(piece("a"), finish(), *END)["steps"])
    client = scripted({"steps": [{"send": written}]})
    for _ in range(5):
        assert text(opened(client)) == "a"
    assert len({request["connection"] for request in scripted.requests()}) == 1


def test_bytes_after_the_end_mark_are_ignored_without_delay(scripted):
    """A body that never ends after [DONE] is over for the caller."""
    before = time.monotonic()
    chat = opened(scripted(stream(piece("a"), "[DONE]", piece("b"), STALL)))
    assert text(chat) == "a" and chat.end == "done_mark"
    # clock: bounds a hang
    assert time.monotonic() - before < SOON


def test_a_clean_end_after_all_finish_reasons_is_whole(scripted):
    """Some services send no end mark."""
    chat = opened(scripted(events(piece("a"), finish(), end="eof")))
    assert text(chat) == "a" and chat.end == "finish_reasons"


@pytest.mark.thread_unsafe("the descriptors and threads of the process are counted")
def test_abandoned_streams_leak_no_file_descriptor(quiet, scripted):
    """200 streams, each left after its first chunk."""
    client = scripted(STALLED)

    def abandon():
        for chunk in opened(client):
            assert chunk.choices[0].delta.content == "a"
            break

    # An event loop gets its descriptor when a call has to wait in it for the first time.
    for _ in range(100):
        abandon()
    gc.collect()
    quiet.until_closed()
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(200):
        abandon()
    gc.collect()
    quiet.until_closed()
    eventually("no fd is left", lambda: len(os.listdir("/proc/self/fd")) <= before)


def test_a_stream_is_opened_when_its_head_came(scripted):
    """Create returns with the head, before any chunk."""
    with opened(scripted(stream(STALL))) as chat:
        assert chat.status_code == 200


def test_a_stream_without_an_answer_times_out(quiet, scripted):
    """A call that waits for its head ends when its client's timeout does."""
    client = scripted(SILENCE, timeout=modelwire.Timeout(first_byte=0.2))
    with pytest.raises(modelwire.APITimeoutError):
        opened(client)
    quiet.until_closed()


@pytest.mark.sync_alone("it replaces __iter__, which is no __aiter__")
def test_a_stream_whose_iteration_is_wrapped(client):
    """Instrumentation puts a generator over the iterator of a stream."""
    stream = asked(client, model="echo", stream=True)
    iterator = iter(stream)
    assert iterator is not stream and iter(iterator) is iterator
    first, second = next(iterator), next(stream)
    rest = list(stream)
    assert text([first, second, *rest]) == text([first, second]) + text(rest) == HELLO[0]["content"]
    assert list(iterator) == []


@pytest.mark.parametrize("kind", [modelwire.Stream, modelwire.AsyncStream])
def test_streams_can_be_subclassed(kind):
    """As libraries do for operations of their own, when they are imported."""

    class Own(kind[str]):
        pass

    assert issubclass(Own, kind)
