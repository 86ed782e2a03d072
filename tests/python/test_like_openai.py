"""The helpers beside openai-python's own: called alike, against the same service, they give the
same content. What differs on purpose is in py/openai-python.md and in no case here."""

import asyncio
import importlib
import json

import pydantic
import pytest

import modelwire
from modelwire.testing import Service, document, events

openai = pytest.importorskip("openai")

pytestmark = pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")

HELLO = [{"role": "user", "content": "Go."}]
BEGIN = {"role": "assistant", "content": ""}


class City(pydantic.BaseModel):
    name: str


ROME = '{"name": "Rome"}'


@pytest.fixture
def service():
    with Service() as service:
        yield service


def clients(service):
    """Both libraries' clients; ours of both kinds."""
    settings = {"base_url": service.base_url, "api_key": service.api_key, "max_retries": 0}
    with openai.OpenAI(**settings) as client:
        yield openai, client
    yield modelwire, modelwire.OpenAI(**settings)
    yield modelwire, modelwire.AsyncOpenAI(**settings)


def alike(service, answer, call):
    """Each client's result for this answer; `call` takes the package and its client."""
    found = []
    for package, client in clients(service):
        service.queue(answer)
        result = call(package, client)
        found.append(asyncio.run(result) if asyncio.iscoroutine(result) else result)
    theirs, *ours = found
    assert ours == [theirs] * 2
    return theirs


def content(value):
    """What is in an answer: without what is None, and the place of a call in its list."""
    if isinstance(value, list):
        return [content(one) for one in value]
    if hasattr(value, "model_dump"):
        value = value.model_dump(mode="json")
    if isinstance(value, dict):
        kept = {name: content(one) for name, one in value.items() if one is not None}
        if {"function", "index"} <= kept.keys():
            del kept["index"]
        return kept
    return value


def of_event(event, names):
    """An event's type and its fields with these names."""
    given = {name: getattr(event, name, None) for name in names}
    return event.type, {name: content(one) for name, one in given.items() if one not in (None, "")}


async def awaited(manager, look):
    async with manager as stream:
        seen = [look(event, stream) async for event in stream]
        final = getattr(stream, "get_final_completion", None) or stream.get_final_response
        return seen, await final()


def streamed(manager, look):
    """What `look` sees of each event of a helper stream, and the final answer."""
    if hasattr(manager, "__aenter__"):
        return asyncio.run(awaited(manager, look))
    with manager as stream:
        seen = [look(event, stream) for event in stream]
        final = getattr(stream, "get_final_completion", None) or stream.get_final_response
        return seen, final()


def chunk(delta, finish_reason=None, index=0, logprobs=None):
    choice = {"index": index, "delta": delta, "finish_reason": finish_reason, "logprobs": logprobs}
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return {**head, "choices": [choice]}


def calls(*pieces):
    return {"tool_calls": list(pieces)}


def piece(arguments=None, index=0, name=None):
    """A piece of a call; the first has its name."""
    function = {} if arguments is None else {"arguments": arguments}
    if name is None:
        return {"index": index, "function": function}
    head = {"index": index, "id": f"call{index}", "type": "function"}
    return {**head, "function": {"name": name, **function}}


def token(text):
    return {"token": text, "logprob": -1.0, "bytes": [97], "top_logprobs": []}


USAGE = {**chunk({}), "choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2,
                                               "total_tokens": 3}}  # fmt: skip
STOP = chunk({}, "stop")
CALLED = chunk({}, "tool_calls")
CHATS = {
    "text": [chunk(BEGIN), chunk({"content": "a"}), chunk({"content": "b"}), STOP, USAGE],
    "null": [chunk({"role": "assistant", "content": None}), STOP],
    "refusal": [chunk(BEGIN), chunk({"refusal": "n"}), chunk({"refusal": "o"}), STOP],
    "at_once": [chunk({**BEGIN, "content": "a"}, "stop")],
    "calls": [
        chunk({**BEGIN, "content": "x"}),
        chunk(calls(piece("", name="City"))),
        chunk(calls(piece('{"name": '))),
        chunk(calls(piece('"Rome"}'))),
        chunk(calls(piece(ROME, 1, "City"))),
        CALLED,
    ],
    "name_before_arguments": [
        chunk({**BEGIN, **calls(piece(name="City"))}),
        chunk(calls(piece(ROME))),
        CALLED,
    ],
    "no_calls": [chunk({**BEGIN, **calls()}), chunk({"content": "a"}), STOP],
    "function_call": [
        chunk({"role": "assistant", "function_call": {"name": "f", "arguments": ""}}),
        chunk({"function_call": {"arguments": "{}"}}),
        chunk({}, "function_call"),
    ],
    "probabilities": [
        chunk({**BEGIN, "content": "a"}, logprobs={"content": [token("a")], "refusal": None}),
        chunk({"content": "b"}, logprobs={"content": [token("b")], "refusal": None}),
        STOP,
    ],
    "choices": [
        chunk({**BEGIN, "content": "a"}),
        chunk({**BEGIN, "content": "b"}, index=1),
        STOP,
        chunk({}, "stop", index=1),
    ],
    "json": [chunk(BEGIN), chunk({"content": ROME[:8]}), chunk({"content": ROME[8:]}), STOP],
}
OF_A_CHAT = (
    *("delta", "content", "refusal", "name", "index", "arguments", "arguments_delta"),
    *("parsed", "parsed_arguments"),
)


def asked_of_a_chat(package, name):
    if name == "json":
        return {"response_format": City}
    tools = [package.pydantic_function_tool(City)]
    return {"tools": tools} if name in ("calls", "name_before_arguments") else {}


@pytest.mark.parametrize("name", CHATS)
def test_a_streamed_chat(service, name):
    """Its events, the snapshot at each of them, and the final answer."""

    def look(event, stream):
        snapshot = stream.current_completion_snapshot
        of_text = event.type in ("content.delta", "refusal.delta")
        texts = event.snapshot if of_text else None
        return of_event(event, OF_A_CHAT), texts, content(snapshot)

    def call(package, client):
        asked = asked_of_a_chat(package, name)
        make = client.chat.completions.stream
        seen, final = streamed(make(model="m", messages=HELLO, **asked), look)
        values = [(repr(one.message.parsed), one.message.tool_calls == []) for one in final.choices]
        return seen, content(final), values

    alike(service, events(CHATS[name], done=True), call)


@pytest.mark.parametrize("name", CHATS)
def test_a_stream_state_whose_events_are_ignored(service, name):
    """The usual loop: each chunk is handled at once, whoever looks at its events."""

    def call(package, client):
        asked = asked_of_a_chat(package, name)
        states = importlib.import_module(f"{package.__name__}.lib.streaming.chat")
        state = states.ChatCompletionStreamState(
            response_format=asked.get("response_format", package.omit),
            input_tools=asked.get("tools", package.omit),
        )
        snapshots = []

        def handle(chunk):
            state.handle_chunk(chunk)
            snapshots.append(content(state.current_completion_snapshot))

        async def handle_all(chunks):
            async for chunk in await chunks:
                handle(chunk)

        chunks = client.chat.completions.create(model="m", messages=HELLO, stream=True)
        if asyncio.iscoroutine(chunks):
            asyncio.run(handle_all(chunks))
        else:
            for one in chunks:
                handle(one)
        final = state.get_final_completion()
        return snapshots, content(final), repr(final.choices[0].message.parsed)

    alike(service, events(CHATS[name], done=True), call)


def test_a_stream_state_without_chunks():
    """Nothing was handled: an error, and no empty answer. openai-python fails an assertion."""
    state = modelwire.lib.streaming.chat.ChatCompletionStreamState()
    for look in (state.get_final_completion, lambda: state.current_completion_snapshot):
        with pytest.raises(modelwire.OpenAIError, match="no chunk was handled yet"):
            look()
    theirs = importlib.import_module("openai.lib.streaming.chat").ChatCompletionStreamState()
    with pytest.raises(AssertionError):
        theirs.get_final_completion()


def test_a_call_of_a_custom_tool_is_no_function(service):
    """Where openai-python fails: its call is in the answer, and no event speaks of arguments."""
    custom = {"index": 0, "id": "1", "type": "custom", "custom": {"name": "c", "input": "x"}}
    service.queue(events([chunk({**BEGIN, **calls(custom)}), CALLED], done=True))
    client = modelwire.OpenAI(base_url=service.base_url, api_key=service.api_key)
    with client.chat.completions.stream(model="m", messages=HELLO) as stream:
        assert [event.type for event in stream] == ["chunk", "content.delta", "chunk"]
        call = stream.get_final_completion().choices[0].message.tool_calls[0]
    assert (call.type, call.custom.input) == ("custom", "x")


FUNCTION = {"id": "1", "type": "function", "function": {"name": "City", "arguments": ROME}}
MESSAGES = {
    "text": {"content": "a"},
    "null": {"content": None},
    "no_content": {},
    "empty": {"content": ""},
    "refusal": {"content": None, "refusal": "no"},
    "no_calls": {"content": "a", "tool_calls": []},
    "null_calls": {"content": "a", "tool_calls": None},
    "calls": {"content": None, "tool_calls": [FUNCTION]},
    "json": {"content": ROME},
}


@pytest.mark.parametrize("name", MESSAGES)
@pytest.mark.parametrize("is_raw", [False, True], ids=["plain", "raw"])
def test_a_parsed_chat(service, name, is_raw):
    choice = {"index": 0, "finish_reason": "stop"}
    choice["message"] = {"role": "assistant", **MESSAGES[name]}
    head = {"id": "c", "object": "chat.completion", "created": 1, "model": "m"}

    def call(package, client):
        asked = asked_of_a_chat(package, name)
        completions = client.chat.completions
        if is_raw:
            completions = completions.with_raw_response
        answer = completed(completions.parse(model="m", messages=HELLO, **asked))
        answer = answer.parse() if is_raw else answer
        message = answer.choices[0].message
        return (
            content(answer),
            repr(message.parsed),
            repr(message.content),
            message.tool_calls == [],
        )

    alike(service, document({**head, "choices": [choice]}), call)


def completed(result):
    async def wait():
        return await result

    return asyncio.run(wait()) if hasattr(result, "__await__") else result


def message(**fields):
    return {"id": "m1", "type": "message", "role": "assistant", "status": "completed", **fields}


def said(text):
    return {"type": "output_text", "text": text, "annotations": []}


CALL = {"id": "f1", "type": "function_call", "call_id": "1", "name": "City", "arguments": ROME}
OUTPUTS = {
    "text": [message(content=[said("ab")])],
    "json": [message(content=[said(ROME), said(ROME)])],
    "null_content": [message(content=None)],
    "no_content": [message()],
    "empty_content": [message(content=[])],
    "null_output": None,
    "empty_output": [],
    "refusal": [message(content=[{"type": "refusal", "refusal": "no"}])],
    "calls": [message(content=[said("ab")]), {**CALL, "status": "completed"}],
    "reasoning": [{"id": "r1", "type": "reasoning", "summary": []}, message(content=[said("ab")])],
    "phases": [
        {**message(content=[said("ab")]), "phase": "commentary"},
        {**message(content=[said(ROME)]), "id": "m2", "phase": "final_answer"},
    ],
}


def whole(output, **fields):
    head = {"id": "r", "object": "response", "created_at": 1.0, "model": "m", "tools": []}
    more = {"status": "completed", "parallel_tool_calls": True, "tool_choice": "auto"}
    return {**head, **more, "output": output, **fields}


def asked_of_a_response(package, name):
    if name in ("json", "phases"):
        return {"text_format": City}
    tools = importlib.import_module(f"{package.__name__}.lib")
    return {"tools": [tools.pydantic_responses_function_tool(City)]} if name == "calls" else {}


def values(response):
    """What was parsed of a response, and that its lists are there."""
    found = []
    for item in response.output:
        if item.type == "message":
            found += [getattr(part, "parsed", None) for part in item.content]
        elif item.type == "function_call":
            found.append(item.parsed_arguments)
    return content(response), repr(found), repr(response.output_parsed), response.output_text


@pytest.mark.parametrize("name", OUTPUTS)
@pytest.mark.parametrize("is_raw", [False, True], ids=["plain", "raw"])
def test_a_parsed_response(service, name, is_raw):
    def call(package, client):
        asked = asked_of_a_response(package, name)
        responses = client.responses.with_raw_response if is_raw else client.responses
        answer = completed(responses.parse(model="m", input="x", **asked))
        return values(answer.parse() if is_raw else answer)

    alike(service, document(whole(OUTPUTS[name])), call)


def steps(output, end="completed", last=..., early=0):
    """The events of a response with this output; `last` is the output in its last event. `early`
    characters of each text come with the event that adds its item or part."""
    begun = whole([], status="in_progress")
    yield {"type": "response.created", "response": {**begun, "output": None}}
    yield {"type": "response.in_progress", "response": begun}
    for at, item in enumerate(output or []):
        opened = {**item, "status": "in_progress"}
        opened |= {"content": []} if item.get("content") else {}
        opened |= {"arguments": item["arguments"][:early]} if "arguments" in item else {}
        yield {"type": "response.output_item.added", "item": opened, "output_index": at}
        place = {"item_id": item["id"], "output_index": at}
        for index, part in enumerate(item.get("content") or []):
            place["content_index"] = index
            text = part.get("text", "")
            empty = {**part, "text": text[:early]} if "text" in part else part
            yield {"type": "response.content_part.added", "part": empty, **place}
            for delta in (text[early : early + 1], text[early + 1 :]):
                if delta:
                    step = {"type": "response.output_text.delta", "delta": delta, **place}
                    yield {**step, "logprobs": []}
            if end == "completed" and "text" in part:
                step = {"type": "response.output_text.done", "text": part["text"], **place}
                yield {**step, "logprobs": []}
        if "arguments" in item:
            step = {"type": "response.function_call_arguments.delta", **place}
            yield {**step, "delta": item["arguments"][early:]}
        if end == "completed":
            yield {"type": "response.output_item.done", "item": item, "output_index": at}
    output = output if last is ... else last
    yield {"type": f"response.{end}", "response": whole(output, status=end)}


def numbered(steps, start=0):
    return events([{**one, "sequence_number": at} for at, one in enumerate(steps, start)])


def sent(*given, **fields):
    return numbered(steps(*given, **fields))


OF_A_RESPONSE = (
    "sequence_number",
    "delta",
    "snapshot",
    "text",
    "parsed",
    "response",
    "item",
    "part",
)


def events_alone(manager):
    """The events of a helper stream, whose final answer is not asked for."""

    async def all_of(manager):
        async with manager as stream:
            return [one async for one in stream]

    if hasattr(manager, "__aenter__"):
        found = asyncio.run(all_of(manager))
    else:
        with manager as stream:
            found = list(stream)
    return [of_event(event, OF_A_RESPONSE) for event in found]


@pytest.mark.parametrize("name", OUTPUTS)
@pytest.mark.parametrize("last", [..., None], ids=["whole", "null_at_the_end"])
def test_a_streamed_response(service, name, last):
    """Its events with their snapshots, and the final answer: one that was sent without output has
    the items that were sent before."""

    def call(package, client):
        asked = asked_of_a_response(package, name)
        manager = client.responses.stream(model="m", input="x", **asked)
        seen, final = streamed(manager, lambda event, _: of_event(event, OF_A_RESPONSE))
        return seen, values(final)

    alike(service, sent(OUTPUTS[name], last=last), call)


def added(item, at=7):
    return {"type": "response.output_item.added", "output_index": at, "item": item}


def done(item, at=7):
    return {"type": "response.output_item.done", "output_index": at, "item": item}


def of_all(kind, output, **fields):
    return {"type": f"response.{kind}", "response": whole(output, **fields)}


OF_NO_ITEM = {
    "type": "response.output_text.delta",
    "output_index": 7,
    "content_index": 0,
    "item_id": "m",
    "delta": "a",
    "logprobs": [],
}
ANOTHER = {**CALL, "call_id": "another"}
RENAMED = {**CALL, "id": "renamed"}
NAMELESS = {name: value for name, value in CALL.items() if name != "id"}
IN_LATER_EVENTS = {
    "null_item": [added(None), added(CALL), added(None), done(CALL), of_all("completed", [CALL])],
    "gained_id": [added(NAMELESS), done(CALL), of_all("completed", [CALL])],
    "replaced": [
        done(NAMELESS),
        of_all("in_progress", [{**CALL, "arguments": "{}"}]),
        of_all("completed", None),
    ],
    "moved": [done(CALL), done(ANOTHER), done(CALL, 9), of_all("completed", None)],
    "another_response": [of_all("completed", [], id="another")],
    "null_then_text": [added(None), OF_NO_ITEM],
    "one_index": [added(CALL), added(ANOTHER)],
    "done_another": [added(CALL), done(ANOTHER)],
    "done_renamed": [added(CALL), done(RENAMED)],
    "two_indexes": [done(CALL), done(CALL, 9)],
    "twice_in_one": [of_all("in_progress", [CALL, CALL])],
    "renamed": [done(CALL), of_all("queued", [RENAMED])],
    "renamed_at_the_end": [done(CALL), of_all("completed", [RENAMED])],
    "unfinished": [added(CALL), of_all("completed", [])],
    "begun_in_created": [of_all("completed", None)],
}


@pytest.mark.parametrize("name", IN_LATER_EVENTS)
def test_a_streamed_response_that_says_it_again(service, name):
    """What later events say of an item is followed, or it is a RuntimeError where they contradict
    those before them."""
    begun = [CALL] if name == "begun_in_created" else []
    steps = [of_all("created", begun, status="in_progress"), *IN_LATER_EVENTS[name]]

    def call(package, client):
        seen = []

        def look(event, _):
            seen.append(event.type)

        try:
            _, final = streamed(client.responses.stream(model="m", input="x"), look)
        except RuntimeError as error:
            assert package is openai or isinstance(error, modelwire.StreamContradictionError)
            assert package is openai or error.metered == "entered"
            return seen, None
        return seen, values(final)

    seen, final = alike(service, numbered(steps), call)
    assert (final is None) == (name not in ("null_item", "gained_id", "replaced", "moved"))


def test_a_contradiction_is_told_to_whoever_goes_on(service):
    """Later events and the final answer would be read on top of what is wrong."""
    steps = [of_all("created", [], status="in_progress"), added(CALL), added(ANOTHER)]
    steps += [done(CALL), of_all("completed", [CALL])]

    async def call(stream):
        made = await stream.__aenter__() if hasattr(stream, "__aenter__") else stream.__enter__()
        ways = [made.until_done, getattr(made, "__anext__", None) or made.__next__]
        told = []
        for way in [*ways, made.get_final_response, made.until_done]:
            with pytest.raises(modelwire.StreamContradictionError) as error:
                result = way()
                if asyncio.iscoroutine(result):
                    await result
            told.append(str(error.value))
        return told

    for package, client in clients(service):
        if package is modelwire:
            service.queue(numbered(steps))
            [first, *later] = asyncio.run(call(client.responses.stream(model="m", input="x")))
            assert "output index 7" in first and later == [first] * 3


@pytest.mark.parametrize("end", ["failed", "incomplete", "completed"])
@pytest.mark.parametrize("where", ["created", "added"])
def test_an_item_that_begins_with_content(service, where, end):
    """Its pieces are added to what was there."""
    begun = message(content=[said("ab")])
    in_created = where == "created"
    steps = [of_all("created", [begun] if in_created else [], status="in_progress")]
    steps += [] if in_created else [added(begun, 0)]
    steps.append({**OF_NO_ITEM, "output_index": 0, "item_id": begun["id"]})
    if end == "completed":
        steps.append(done(message(content=[said("aba")]), 0))
    steps.append(of_all(end, None, status=end))

    def call(package, client):
        return events_alone(client.responses.stream(model="m", input="x"))

    alike(service, numbered(steps), call)


@pytest.mark.parametrize("end", ["completed", "failed"])
@pytest.mark.parametrize("odd", [None, "text", 7, {}, {"type": "message", "id": {"a": []}}])
def test_odd_items_break_nothing(service, odd, end):
    """What a service sends in the place of an item is passed on."""
    steps = [of_all("created", [odd], status="in_progress"), of_all("queued", [odd])]
    steps += [added(odd), done(odd), of_all(end, [odd] if end == "completed" else None)]
    service.queue(numbered(steps))
    with modelwire.OpenAI(base_url=service.base_url, api_key="sk-test") as client:
        seen = events_alone(client.responses.stream(model="m", input="x"))
    assert seen[-1][0] == f"response.{end}"


def test_a_response_that_is_continued_is_not_judged(service):
    """Its first events went to somebody else."""
    steps = [OF_NO_ITEM, of_all("completed", [message(content=[said("a")])], id="r")]
    service.queue(numbered(steps, 40))
    with modelwire.OpenAI(base_url=service.base_url, api_key="sk-test") as client:
        _, final = streamed(client.responses.stream(model="m", input="x"), lambda *_: None)
    assert final.output_text == "a"


def test_items_without_an_index_are_not_judged(service):
    """Some services leave it out; openai-python's helper fails for them."""
    both = [message(content=[said("a")]), {**CALL, "status": "completed"}]
    steps = [of_all("created", [], status="in_progress")]
    for one in both:
        steps += [added(one), {**OF_NO_ITEM, "item_id": one["id"]}, done(one)]
    steps.append(of_all("completed", both))
    for one in steps:
        one.pop("output_index", None)
    service.queue(events(steps))
    with modelwire.OpenAI(base_url=service.base_url, api_key="sk-test") as client:
        _, final = streamed(client.responses.stream(model="m", input="x"), lambda *_: None)
    assert [one.type for one in final.output] == ["message", "function_call"]


@pytest.mark.parametrize("end", ["failed", "incomplete"])
@pytest.mark.parametrize("early", [0, 1])
@pytest.mark.parametrize("name", ["text", "calls", "refusal", "empty_output"])
def test_the_last_event_of_a_response_that_was_cut(service, name, end, early):
    """It has the items so far if it was sent without output."""

    def call(package, client):
        return events_alone(client.responses.stream(model="m", input="x"))

    alike(service, sent(OUTPUTS[name], end, None, early), call)


def test_a_response_stream_state(service):
    """The events of a plain stream, with what they add up to."""

    def call(package, client):
        states = importlib.import_module(f"{package.__name__}.lib.streaming.responses")
        state = states.ResponseStreamState(input_tools=package.omit, text_format=City)
        found = client.responses.create(model="m", input="x", stream=True)

        async def all_of(stream):
            return [one async for one in await stream]

        found = asyncio.run(all_of(found)) if asyncio.iscoroutine(found) else list(found)
        handled = [one for event in found for one in state.handle_event(event)]
        seen = [of_event(one, OF_A_RESPONSE) for one in handled]
        return seen, repr(handled[-1].response.output_parsed)

    assert alike(service, sent(OUTPUTS["json"]), call)[1] == repr(City(name="Rome"))


def test_the_tools_and_formats_of_lib():
    """What requests are made from is equal, to the key."""
    for make in (
        lambda lib: lib.pydantic_function_tool(City),
        lambda lib: lib.pydantic_function_tool(City, name="n", description="d"),
        lambda lib: lib.pydantic_responses_function_tool(City),
        lambda lib: lib.pydantic_responses_function_tool(City, defer_loading=True),
        lambda lib: lib.type_to_response_format_param(City),
        lambda lib: lib.type_to_response_format_param({"type": "text"}),
    ):
        theirs, ours = (make(importlib.import_module(f"{name}.lib")) for name in LIBRARIES)
        assert json.dumps(ours, sort_keys=True) == json.dumps(theirs, sort_keys=True)


LIBRARIES = ("openai", "modelwire")
