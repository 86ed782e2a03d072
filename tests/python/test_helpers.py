"""The helper streams: their events, snapshots and final answers."""

import copy
import json
import pickle
import time

import pytest

import modelwire
from callers import asked
from wire import END, HELLO, STALL, answer, events, finish, piece, sent, stream

TEXT = HELLO[0]["content"]


def delta(fields, index=0, finish_reason=None, **more):
    choice = {"index": index, "delta": fields, "finish_reason": finish_reason, **more}
    return json.dumps({"id": "c", "object": "chat.completion.chunk", "choices": [choice]})


def call(arguments, index=0, **fields):
    function = {"arguments": arguments, **({"name": fields["name"]} if "name" in fields else {})}
    fields = {name: value for name, value in fields.items() if name == "id"}
    indexed = {} if index is None else {"index": index}
    return {"tool_calls": [{**indexed, **fields, "type": "function", "function": function}]}


def told(client, **fields):
    """The events of a helper stream, and its final completion."""
    with client.chat.completions.stream(model="m", messages=HELLO, **fields) as chat:
        found = list(chat)
        return found, chat.get_final_completion()


def kinds(found):
    return [event.type for event in found if event.type != "chunk"]


def test_events_of_a_text(scripted):
    """The chunk first, then what it adds, then what it ends; text grows in snapshots."""
    client = scripted(events(delta({"role": "assistant"}), piece("a"), piece("b"), finish()))
    found, completion = told(client)
    assert [event.type for event in found] == [
        *("chunk", "chunk", "content.delta", "chunk", "content.delta", "chunk", "content.done"),
    ]
    deltas = [event for event in found if event.type == "content.delta"]
    assert [(event.delta, event.snapshot) for event in deltas] == [("a", "a"), ("b", "ab")]
    assert deltas[0].snapshot == "a" and deltas[0].parsed is None
    assert found[-1].content == "ab" and "ContentDoneEvent" in repr(found[-1])
    assert completion.choices[0].message.content == "ab" and completion.choices[0].finish_reason
    assert completion.object == "chat.completion"


def test_events_as_json(scripted):
    """As answers have it, with everything below: a chunk, its snapshot, what was parsed."""
    client = scripted(events(delta({"content": '{"a": 1}'}), finish()))
    found, _ = told(client, response_format=dict[str, int])
    for event in found:
        assert json.loads(event.model_dump_json()) == event.model_dump() == event.to_dict()
        assert event.to_json() == event.model_dump_json(indent=2)
        assert "\n" not in event.to_json(indent=None)
    assert json.loads(found[-1].to_json())["parsed"] == {"a": 1}


def unparsed(dump):
    """A dump without what was parsed."""
    if isinstance(dump, list):
        return [unparsed(one) for one in dump]
    if not isinstance(dump, dict):
        return dump
    parsed = ("parsed", "parsed_arguments")
    return {name: None if name in parsed else unparsed(one) for name, one in dump.items()}


def test_events_of_a_chat_can_be_copied_and_pickled(scripted):
    """With their snapshots; what was parsed is not pickled, as that of an answer is not."""
    spoken = [delta({"content": text, "reasoning_content": "r"}) for text in ('{"a"', ": 1}")]
    asked = [delta(call(text, id="t", name="f")) for text in ("{", "}")]
    client = scripted(events(*spoken, delta({"refusal": "no"}), *asked, finish()))
    found, _ = told(client, response_format=dict[str, int])
    for of in (copy.copy, copy.deepcopy):
        assert [of(event).to_dict() for event in found] == [event.to_dict() for event in found]
    for event, kept in zip(found, pickle.loads(pickle.dumps(found)), strict=True):
        assert type(kept) is type(event) and repr(kept) == repr(event)
        assert kept.to_dict() == unparsed(event.to_dict())
    assert len(kinds(found)) > 8, "events of all of these"


def test_events_of_a_response_can_be_copied_and_pickled(client):
    """The same, with the response at the end; their JSON has the snapshot, too."""
    with client.responses.stream(model="echo", input='{"a": 1}', text_format=dict) as stream:
        found = list(stream)
    for of in (copy.copy, copy.deepcopy, lambda event: pickle.loads(pickle.dumps(event))):
        for event in found:
            kept = of(event)
            assert kept.type == event.type and kept.to_dict() == event.to_dict()
            assert getattr(kept, "snapshot", 0) == getattr(event, "snapshot", 0)
    assert kept.response.output_text == '{"a": 1}' and kept.response.output_parsed is None
    assert copy.deepcopy(found[-1]).response.output_parsed == {"a": 1}
    grown = next(event for event in found if event.type == "response.output_text.delta")
    assert json.loads(grown.model_dump_json()) == grown.model_dump() and grown.snapshot


def test_snapshots_of_chunks(scripted):
    """What the chunks up to each add up to, whenever it is looked at."""
    client = scripted(events(piece("a"), piece("b"), piece("c"), finish()))
    with client.chat.completions.stream(model="m", messages=HELLO) as chat:
        found = []
        for event in chat:
            if event.type == "chunk":
                found.append(event)
                assert chat.current_completion_snapshot == event.snapshot
        completion = chat.get_final_completion()
    texts = [event.snapshot.choices[0].message.content for event in found]
    assert texts == ["a", "ab", "abc", "abc"]
    assert found[1].snapshot.choices[0].message.content == "ab"
    assert found[-1].snapshot == completion
    assert found[0].chunk.choices[0].delta.content == "a"


def test_events_of_tool_calls(scripted):
    """Arguments grow; a call is done when the next begins, or at the finish."""
    client = scripted(
        events(
            piece("x"),
            delta(call("", name="f", id="1")),
            delta(call('{"a"')),
            delta(call(":1}")),
            delta(call("{}", index=1, name="g", id="2")),
            finish("tool_calls"),
        )
    )
    found, completion = told(client)
    told_of = "tool_calls.function.arguments"
    assert kinds(found) == [
        *("content.delta", f"{told_of}.delta", "content.done", f"{told_of}.delta"),
        *(f"{told_of}.delta", f"{told_of}.delta", f"{told_of}.done", f"{told_of}.done"),
    ]
    pieces = [event for event in found if event.type == f"{told_of}.delta"]
    assert [event.arguments for event in pieces] == ["", '{"a"', '{"a":1}', "{}"]
    assert [(event.name, event.index) for event in pieces] == [*[("f", 0)] * 3, ("g", 1)]
    ends = [event for event in found if event.type == f"{told_of}.done"]
    assert [(end.name, end.index, end.arguments) for end in ends] == [
        ("f", 0, '{"a":1}'),
        ("g", 1, "{}"),
    ]
    names = [made.function.name for made in completion.choices[0].message.tool_calls]
    assert names == ["f", "g"]


def test_tool_calls_without_an_index(scripted):
    """Where openai-python breaks: an id begins a call, anything else goes on."""
    client = scripted(
        events(
            delta(call('{"a"', index=None, name="f", id="1")),
            delta(call(":1}", index=None)),
            delta(call("{}", index=None, name="g", id="2")),
            finish("tool_calls"),
        )
    )
    found, _ = told(client)
    ends = [event for event in found if event.type.endswith("done")]
    assert [(end.name, end.arguments) for end in ends] == [("f", '{"a":1}'), ("g", "{}")]


def test_a_whole_tool_call_in_its_last_chunk(scripted):
    """The chunk that finishes may begin a call."""
    last = delta(call("{}", name="f", id="1"), finish_reason="tool_calls")
    found, _ = told(scripted(events(last)))
    assert kinds(found)[-1] == "tool_calls.function.arguments.done"
    assert found[-1].arguments == "{}"


def test_events_of_refusals_and_probabilities(scripted):
    """Both grow, and are done at the finish."""
    token = {"token": "a", "logprob": -0.5, "bytes": [97], "top_logprobs": []}
    client = scripted(
        events(
            delta({"refusal": "no"}, logprobs={"content": None, "refusal": [token]}),
            delta({"content": "a"}, logprobs={"content": [token], "refusal": None}),
            finish(),
        )
    )
    found, _ = told(client)
    assert kinds(found) == [
        *("refusal.delta", "logprobs.refusal.delta", "content.delta", "logprobs.content.delta"),
        *("content.done", "refusal.done", "logprobs.content.done", "logprobs.refusal.done"),
    ]
    by_kind = {event.type: event for event in found}
    assert by_kind["refusal.done"].refusal == "no"
    assert by_kind["refusal.delta"].snapshot == "no"
    assert by_kind["logprobs.content.delta"].content[0].logprob == -0.5
    assert by_kind["logprobs.refusal.delta"].snapshot[0].token == "a"
    assert len(by_kind["logprobs.refusal.done"].refusal) == 1


def test_several_choices(client):
    """Each has its own texts, by its index."""
    found, completion = told(client, n=2, extra_body={"model": "echo"})
    ends = [event.content for event in found if event.type == "content.done"]
    assert ends == [TEXT, TEXT] and len(completion.choices) == 2


def test_odd_chunks(scripted):
    """Chunks without choices, of another object, and values that are none."""
    odd = ['{"choices":null}', '{"object":"ping"}', "7", "null", '{"choices":[7,{"index":0}]}']
    found, completion = told(scripted(events(*odd, piece("a"), finish())))
    assert kinds(found) == ["content.delta", "content.done"]
    assert completion.choices[0].message.content == "a"


def test_usage_of_a_helper_stream(client):
    """Kept wherever in the stream it came; stream_options are the caller's."""
    make = client.chat.completions.stream
    options = {"include_usage": True}
    with make(model="echo", messages=HELLO, stream_options=options) as chat:
        completion = chat.get_final_completion()
    assert completion.usage.total_tokens == 8 and chat.usage["total_tokens"] == 8
    assert chat.response.status_code == 200 and chat.request_id


def test_an_answer_cut_by_a_limit_is_returned(client):
    """openai-python raises where a limit was reached."""
    make = client.chat.completions.stream
    with make(model="echo", messages=HELLO, max_tokens=2) as chat:
        completion = chat.until_done().get_final_completion()
    assert completion.choices[0].finish_reason == "length"
    assert completion.choices[0].message.content == "Hello there,"
    with client.responses.stream(model="echo", input=TEXT, max_output_tokens=2) as stream:
        response = stream.get_final_response()
    assert (response.status, response.output_text) == ("incomplete", "Hello there,")


def test_a_failed_response_is_returned(scripted):
    failed = '{"type":"response.failed","response":{"status":"failed","error":{"code":"c"}}}'
    with scripted(events(failed, end="eof")).responses.stream(model="m", input="x") as stream:
        assert stream.get_final_response().error.code == "c"


@pytest.mark.parametrize("message", [{"content": None}, {}])
def test_a_message_without_content_has_an_empty_list(scripted, message):
    """Of parse, and of the completed event and the final response of a stream; create shows what
    was sent, as openai-python's does."""
    item = {"id": "i", "type": "message", "role": "assistant", **message}
    whole = {"id": "r", "object": "response", "status": "completed", "output": [item]}
    client = scripted(answer(whole))
    given = {"model": "m", "input": "x"}
    assert client.responses.create(**given).output[0].content is None
    assert client.responses.parse(**given).output[0].content == []
    assert client.responses.parse(**given, text_format=int).output[0].content == []
    added = json.dumps({"type": "response.output_item.added", "output_index": 0, "item": item})
    done = json.dumps({"type": "response.completed", "response": whole})
    client = scripted(events(added, done, end="eof"))
    for more in ({}, {"text_format": int}):
        with client.responses.stream(**given, **more) as helper:
            [first, last] = list(helper)
            assert first.item.content is None
            assert last.response.output[0].content == []
            assert [
                part for item in helper.get_final_response().output for part in item.content
            ] == []


def test_events_of_a_response(client):
    """As the service sends them; texts have snapshots."""
    with client.responses.stream(model="echo", input=TEXT) as stream:
        found = list(stream)
        response = stream.get_final_response()
    assert (found[0].type, found[-1].type) == ("response.created", "response.completed")
    deltas = [event for event in found if event.type == "response.output_text.delta"]
    assert "".join(event.delta for event in deltas) == TEXT
    assert [event.snapshot for event in deltas][-1] == TEXT
    assert deltas[0].snapshot == deltas[0].delta and deltas[0]["delta"] == deltas[0].delta
    assert response.output_text == TEXT and response.status == "completed"
    assert found[-1].response == response


def test_a_stream_that_was_cut_has_no_final_answer(scripted):
    """The error, with what was gathered; and so if it was closed."""
    client = scripted(*[events(piece("a"), end="cut")] * 2, stream(piece("a"), STALL))
    make = client.chat.completions.stream
    for wait in ("until_done", "get_final_completion"):
        with make(model="m", messages=HELLO) as chat:
            with pytest.raises(modelwire.APIConnectionError) as raised:
                getattr(chat, wait)()
            assert json.loads(raised.value.partial)["choices"][0]["message"]["content"] == "a"
    with make(model="m", messages=HELLO) as chat:
        next(iter(chat))
        chat.close()
        with pytest.raises(modelwire.OpenAIError, match="before its answer was complete") as raised:
            chat.get_final_completion()
        assert raised.value.metered in ("entered", "unknown"), "a chunk had arrived"


def test_leaving_the_block_closes_the_exchange(quiet, scripted):
    """Also by an exception; and the call is made when it is entered."""
    client = scripted(*[stream(piece("a"), STALL)] * 2)
    manager = client.chat.completions.stream(model="m", messages=HELLO)
    assert scripted.requests() == []
    with manager as chat:
        next(iter(chat))
        assert quiet.open_connections() == 1
    quiet.until_closed()
    with pytest.raises(ZeroDivisionError):
        with client.chat.completions.stream(model="m", messages=HELLO) as chat:
            next(iter(chat))
            raise ZeroDivisionError
    quiet.until_closed()


@pytest.mark.parametrize("name", ["stream", "gather", "stream_only", "nonsense"])
def test_unsupported_parameters_are_refused(scripted, name):
    """A TypeError; nothing is sent."""
    client = scripted(events(finish()))
    with pytest.raises(TypeError, match=name):
        client.chat.completions.stream(model="m", messages=HELLO, **{name: True})
    assert scripted.requests() == []


@pytest.mark.parametrize("name", ["response_id", "text_format", "starting_after"])
def test_parameters_of_missing_features_are_refused(scripted, name):
    """Refused clearly."""
    with pytest.raises(TypeError, match=name):
        scripted(events(finish())).responses.stream(model="m", input="x", **{name: "r"})


@pytest.mark.thread_unsafe("the processor time of the process is measured")
def test_a_helper_stream_is_linear(scripted):
    """Eight times the chunks take eight times the time, or not much more."""

    def seconds(count):
        many = stream({**sent(piece("word ")), "times": count}, finish(), *END)
        client = scripted(many)
        before = time.process_time()
        with client.chat.completions.stream(model="m", messages=HELLO) as chat:
            for event in chat:
                if event.type == "content.done":
                    assert len(event.content) == count * 5
            assert len(chat.get_final_completion().choices[0].message.content) == count * 5
        return time.process_time() - before

    seconds(500)
    small, large = seconds(4_000), seconds(32_000)
    assert large < small * 8 * 4


def test_a_stream_state_accepts_chunks_of_a_plain_stream(scripted):
    """Events and completion of chunks that a program has by itself."""
    from modelwire.streaming import ChatCompletionStreamState

    client = scripted(events(piece("a"), piece("b"), finish()))
    state = ChatCompletionStreamState()
    found = []
    for chunk in asked(client, stream=True):
        found += state.handle_chunk(chunk)
    assert kinds(found) == ["content.delta", "content.delta", "content.done"]
    assert state.get_final_completion().choices[0].message.content == "ab"


def test_a_stream_state_adds_chunks_whose_events_are_ignored(scripted):
    from modelwire.streaming import ChatCompletionStreamState

    client = scripted(events(piece("a"), piece("b"), finish()))
    state = ChatCompletionStreamState()
    for chunk in asked(client, stream=True):
        state.handle_chunk(chunk)
    assert state.current_completion_snapshot.choices[0].message.content == "ab"
    assert state.get_final_completion().choices[0].message.content == "ab"


def test_final_answers_have_parsed_fields():
    """Nothing is parsed here, and whoever looks finds None."""
    from modelwire.testing import Service
    from modelwire.testing import text as said

    with Service() as played:
        client = modelwire.OpenAI(base_url=played.base_url, api_key=played.api_key)
        played.queue(*[said("Hi.", tool_calls=[("f", {"a": 1})]) for _ in range(2)])
        with client.chat.completions.stream(model="m", messages=HELLO) as chat:
            message = chat.get_final_completion().choices[0].message
        assert message.parsed is None and message.tool_calls[0].function.parsed_arguments is None
        with client.responses.stream(model="m", input="x") as stream:
            response = stream.get_final_response()
        assert response.output_parsed is None
        assert response.output[0].content[0].parsed is None
        assert response.output[1].parsed_arguments is None
        message.parsed = {"a": 1}
        assert message.parsed == message.to_dict()["parsed"] == {"a": 1}


def places(value, at=""):
    """Where all fields are."""
    if isinstance(value, dict):
        return {at}.union(*(places(one, f"{at}.{name}") for name, one in value.items()))
    if isinstance(value, list):
        return {at}.union(*(places(one, at) for one in value))
    return {at}


def test_final_answers_are_dumped_like_openai_python():
    """With `parsed` and `parsed_arguments`, although nothing is parsed; a message that is sent back
    does not have them."""
    openai = pytest.importorskip("openai")
    from modelwire.testing import Service
    from modelwire.testing import text as said

    with Service() as played:
        found = []
        for package in (openai, modelwire):
            client = package.OpenAI(base_url=played.base_url, api_key=played.api_key)
            played.queue(*[said("Hi.", tool_calls=[("f", {"a": 1})]) for _ in range(2)])
            with client.chat.completions.stream(model="m", messages=HELLO) as chat:
                chat.until_done()
                snapshot = chat.current_completion_snapshot
                completion = chat.get_final_completion()
            with client.responses.stream(model="m", input="x") as stream:
                response = stream.get_final_response()
            dumps = [one.model_dump() for one in (snapshot, completion, response)]
            found.append([places(dump) for dump in dumps])
        for theirs, ours in zip(*found, strict=True):
            # openai-python keeps the place in the chunks, and has a field of tools that run on.
            lacking = {place.rpartition(".")[2] for place in theirs - ours}
            assert lacking <= {"index", "async_"}, theirs - ours
        played.queue(said("And?"))
        message = completion.choices[0].message
        result = {"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": "x"}
        client.chat.completions.create(model="m", messages=[*HELLO, message, result])
        assert b"parsed" not in played.last_request.content
