"""Where programs meet frameworks: classes registered by a variable, the warning where that was
missed, answers in FastAPI and pydantic."""

import asyncio
import json

import pytest

import modelwire
from modelwire.types import chat, responses

pydantic = pytest.importorskip("pydantic")

# A module of a framework, and openai-python as far as registering needs it.
STAND_IN = """
import os, types, warnings
warnings.simplefilter("always")
sys.modules["instructor"] = types.ModuleType("instructor")
def told(make):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        make()
    return [(one.category.__name__, os.path.basename(one.filename)) for one in found]
"""


def test_an_unregistered_framework_is_warned_of_once(program):
    """Where the program makes its client, with the line that is missing."""
    output = program(
        STAND_IN
        + """
with warnings.catch_warnings(record=True) as found:
    warnings.simplefilter("always")
    client = modelwire.OpenAI()
    modelwire.AsyncOpenAI()
    client.copy()
[one] = found
print(one.category is modelwire.FrameworkWarning, one.filename)
print(one.message)
""",
    )
    first, message = output.splitlines()
    assert first == "True <string>"
    for part in (
        "instructor",
        "modelwire.register_openai_classes()",
        "MODELWIRE_REGISTER_OPENAI_CLASSES=1",
    ):
        assert part in message


@pytest.mark.parametrize(
    ("before", "count"),
    [
        ("del sys.modules['instructor']", 0),
        ("os.environ['MODELWIRE_REGISTER_OPENAI_CLASSES'] = '0'", 0),
        ("warnings.filterwarnings('ignore', category=modelwire.FrameworkWarning)", 0),
        ("pass", 1),
    ],
)
def test_only_programs_with_such_a_framework_are_warned(program, before, count):
    """Nobody who has no such framework, or said that it is not needed."""
    source = f"""
{before}
with warnings.catch_warnings(record=True) as found:
    modelwire.OpenAI()
print(len(found))
"""
    assert program(STAND_IN + source) == f"{count}\n"


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("1", "True True"),
        ("0", "False False"),
        (
            "maybe",
            "MODELWIRE_REGISTER_OPENAI_CLASSES is 'maybe'. "
            "Hint: Set it to 1, or to 0 for no warning.",
        ),
    ],
)
def test_openai_classes_are_registered_by_a_variable(program, tmp_path, value, told):
    """For programs that cannot be edited; with the first client."""
    package = tmp_path / "openai"
    for folder in (package, package / "types", package / "types" / "chat"):
        folder.mkdir()
    (package / "__init__.py").write_text(
        "class OpenAI: pass\nclass AsyncOpenAI: pass\nclass OpenAIError(Exception): pass\n"
        "class APIError(OpenAIError): pass\nclass NotFoundError(APIError): pass\n"
    )
    (package / "types" / "__init__.py").write_text("class Model: pass\n")
    (package / "types" / "chat" / "__init__.py").write_text("class ChatCompletion: pass\n")
    (package / "types" / "chat" / "chat_completion_chunk.py").write_text("class Choice: pass\n")
    source = f"""
sys.path.insert(0, {str(tmp_path)!r})
os.environ["MODELWIRE_REGISTER_OPENAI_CLASSES"] = {value!r}
import openai.types
try:
    client = modelwire.OpenAI()
    print(isinstance(client, openai.OpenAI), end=" ")
    print(isinstance(client.models.list().data[0], openai.types.Model))
except modelwire.OpenAIError as error:
    print(error)
"""
    assert program(source) == f"{told}\n"


def test_registering_without_openai_names_the_missing_package(program):
    source = """
sys.modules["openai"] = None
try:
    modelwire.register_openai_classes()
except ImportError as error:
    print(error)
"""
    assert "pip install openai" in program(source)


def test_private_url_attributes_match_openai_python():
    """Programs read private names of openai-python's clients, too."""
    client = modelwire.OpenAI(base_url="http://127.0.0.1:9/v1?a=b", api_key="sk-test")
    assert (client._base_url.host, client._base_url.path) == ("127.0.0.1", "/v1")
    assert client._base_url._uri_reference == client.base_url
    client.organization, client.project = "o", "p"
    assert client.default_headers["OpenAI-Organization"] == client.organization == "o"
    assert client.default_headers["OpenAI-Project"] == client.project == "p"


class Tracer:
    """What tracing does to a client of openai-python: a method of its own at `request`, and a class
    of its own below that of streams."""

    def __init__(self, client):
        self.seen, self._request = [], client.request
        client.request = self.arequest if "Async" in type(client).__name__ else self.request

    def request(self, *arguments, **named):
        return self._request(*arguments, **self._looked_at(named))

    async def arequest(self, *arguments, **named):
        return await self._request(*arguments, **self._looked_at(named))

    def _looked_at(self, named):
        options, seen = named["options"], self.seen
        sent = options.json_data or {}
        seen.append((options.method, options.url, sent.get("model"), sent.get("stream")))
        if not named["stream"]:
            return named

        class Stream(named["stream_cls"]):
            def __stream__(self):
                for chunk in super().__stream__():
                    seen.append(type(chunk).__name__)
                    yield chunk

        class AsyncStream(named["stream_cls"]):
            async def __stream__(self):
                async for chunk in super().__stream__():
                    seen.append(type(chunk).__name__)
                    yield chunk

        is_async = hasattr(named["stream_cls"], "__aiter__")
        return {**named, "stream_cls": AsyncStream if is_async else Stream}


HELLO = [{"role": "user", "content": "One two."}]
CHAT = {"model": "echo", "messages": HELLO}


def test_tracing_that_replaces_the_method_of_requests(service):
    """It sees each call, of copies too, and each chunk; and no part of a call gets lost."""
    client = modelwire.OpenAI(base_url=service.base_url, api_key="sk-test")
    tracer = Tracer(client)
    assert client.chat.completions.create(**CHAT).choices[0].message.content == "One two."
    assert len(client.models.list()) > 1
    assert client.responses.create(model="echo", input="x", temperature=modelwire.omit).id
    assert tracer.seen == [
        ("post", "/chat/completions", "echo", None),
        ("get", "/models", None, None),
        ("post", "/responses", "echo", None),
    ]
    tracer.seen.clear()
    with client.chat.completions.create(**CHAT, stream=True) as stream:
        assert isinstance(stream, modelwire.Stream)
        texts = [chunk.choices[0].delta.content for chunk in stream if chunk.choices]
    assert "".join(filter(None, texts)) == "One two." and stream.response.status_code == 200
    assert tracer.seen[0] == ("post", "/chat/completions", "echo", True)
    assert set(tracer.seen[1:]) == {"ChatCompletionChunk"}
    with client.responses.stream(model="echo", input="One two.") as helper:
        assert helper.get_final_response().output_text == "One two."
    wrong = client.with_options(api_key="sk-wrong")
    with pytest.raises(modelwire.AuthenticationError):
        wrong.chat.completions.create(**CHAT)
    assert tracer.seen[-1] == ("post", "/chat/completions", "echo", None)
    with pytest.raises(modelwire.OpenAIError, match="no operation"):
        modelwire.OpenAI(base_url=service.base_url, api_key="sk-test").request(object, object())


class Once(list):
    """Is interrupted at its second entry."""

    def append(self, value):
        super().append(value)
        if len(self) == 2:
            raise KeyboardInterrupt


@pytest.mark.parametrize("is_left", [False, True], ids=["next", "loop"])
def test_an_interrupted_traced_stream_does_not_look_finished(service, is_left):
    """Its next chunk, also by a helper, is there or is an error, never an end."""

    def interrupted(stream):
        with pytest.raises(KeyboardInterrupt):
            for _ in stream if is_left else iter(lambda: next(stream), None):
                pass
        with pytest.raises(modelwire.OpenAIError, match="was interrupted while") as raised:
            list(iter(lambda: next(stream), None))
        assert raised.value.metered == "entered"

    async def interrupted_awaited(stream):
        with pytest.raises(KeyboardInterrupt):
            while not is_left:
                await anext(stream)
            async for _ in stream:
                pass
        with pytest.raises(modelwire.OpenAIError, match="was interrupted while"):
            await anext(stream)

    async def run():
        client = modelwire.AsyncOpenAI(base_url=service.base_url, api_key="sk-test")
        tracer = Tracer(client)
        tracer.seen = Once()
        await interrupted_awaited(await client.chat.completions.create(**CHAT, stream=True))
        tracer.seen = Once()
        async with client.chat.completions.stream(**CHAT) as helper:
            await interrupted_awaited(helper)

    client = modelwire.OpenAI(base_url=service.base_url, api_key="sk-test")
    tracer = Tracer(client)
    tracer.seen = Once()
    interrupted(client.chat.completions.create(**CHAT, stream=True))
    tracer.seen = Once()
    with client.chat.completions.stream(**CHAT) as helper:
        interrupted(helper)
    asyncio.run(run())


def test_tracing_of_an_asynchronous_client(service):
    """The same."""

    async def run():
        client = modelwire.AsyncOpenAI(base_url=service.base_url, api_key="sk-test")
        tracer = Tracer(client)
        answer = await client.chat.completions.create(**CHAT)
        assert answer.choices[0].message.content == "One two."
        stream = await client.chat.completions.create(**CHAT, stream=True)
        async with stream:
            texts = [chunk.choices[0].delta.content async for chunk in stream if chunk.choices]
        assert "".join(filter(None, texts)) == "One two."
        return tracer.seen

    seen = asyncio.run(run())
    assert seen[0] == ("post", "/chat/completions", "echo", None)
    assert seen[1] == ("post", "/chat/completions", "echo", True)
    assert set(seen[2:]) == {"ChatCompletionChunk"}


ANSWER = {
    "id": "c",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "x"}}
    ],
    "timings": {"a": 1},
}


def test_schemas_of_all_classes():
    """Of every class, of its fields, and as JSON; without pydantic's help."""
    for module in (modelwire.types, chat, responses):
        for name in module.__all__:
            kind = getattr(module, name)
            if hasattr(kind, "model_json_schema"):
                found = kind.model_json_schema(by_alias=True)
                assert found["type"] == "object", name
                assert set(kind.model_fields) - {"_event"} >= set(found.get("properties", ()))
    found = chat.ChatCompletion.model_json_schema()
    assert found["title"] == "ChatCompletion" and found["additionalProperties"] is True
    assert {"id", "choices", "model"} <= set(found["required"])
    named = found["$defs"]
    assert found["properties"]["choices"]["items"] == {"$ref": "#/$defs/Choice"}
    choice = named["Choice"]
    assert choice["title"] == "Choice" and choice["additionalProperties"] is True
    assert choice["properties"]["message"] == {"$ref": "#/$defs/ChatCompletionMessage"}
    message = named["ChatCompletionMessage"]["properties"]
    assert message["content"] == {"anyOf": [{"type": "string"}, {"type": "null"}]}
    assert "stop" in str(choice["properties"]["finish_reason"])
    assert "usage" not in found["required"]


def test_adapters_of_pydantic():
    """Both ways, with the schema of the fields; what is no object is a validation error."""
    adapter = pydantic.TypeAdapter(chat.ChatCompletion)
    found = adapter.validate_python(ANSWER)
    assert type(found) is chat.ChatCompletion and adapter.validate_python(found) is found
    assert adapter.validate_json(adapter.dump_json(found)) == found
    assert adapter.dump_python(found, exclude_unset=True) == ANSWER
    for mode in ("validation", "serialization"):
        assert adapter.json_schema(mode=mode) == chat.ChatCompletion.model_json_schema()
    with pytest.raises(pydantic.ValidationError, match="expected a dict"):
        adapter.validate_python([1])
    made = chat.ChatCompletion.model_construct(**ANSWER)
    assert made == chat.ChatCompletion.model_validate(ANSWER) == found


MESSAGE = {"role": "assistant", "content": "Hi."}
CHUNK = {
    "id": "c",
    "object": "chat.completion.chunk",
    "created": 1,
    "model": "m",
    "choices": [{"index": 0, "delta": {"content": "Hi."}, "finish_reason": None}],
}
RESPONSE = {
    "id": "r",
    "object": "response",
    "created_at": 1,
    "model": "m",
    "output": [],
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
}


@pytest.mark.parametrize(
    ("union", "given", "kind"),
    [
        (chat.ChatCompletion | responses.Response, RESPONSE, responses.Response),
        (chat.ChatCompletion | responses.Response, ANSWER, chat.ChatCompletion),
        (chat.ChatCompletion | chat.ChatCompletionChunk, CHUNK, chat.ChatCompletionChunk),
        (chat.ChatCompletionMessage | dict, MESSAGE, chat.ChatCompletionMessage),
        (chat.ChatCompletionMessage | dict, {"role": "user", "content": "Hi."}, dict),
        (
            responses.ResponseTextDeltaEvent | dict,
            {"type": "response.output_text.delta", "delta": "Hi."},
            responses.ResponseStreamEvent,
        ),
        (responses.ResponseTextDeltaEvent | dict, {"type": "response.completed"}, dict),
        (responses.ResponseOutputItem | dict, {"type": "new"}, responses.ResponseOutputItem),
        (responses.ResponseStreamEvent | dict, {"type": "new"}, responses.ResponseStreamEvent),
        (responses.ResponseStreamEvent | dict, {"kind": "new"}, dict),
    ],
)
def test_unions_in_pydantic(union, given, kind):
    """The class that has the fields and the literals is taken, as a view and from JSON."""
    adapter = pydantic.TypeAdapter(union)
    assert type(adapter.validate_python(given)) is kind
    assert type(adapter.validate_json(json.dumps(given))) is kind


@pytest.mark.parametrize(
    "given", [{"a": 1}, {**ANSWER, "object": "x"}, {**ANSWER, "choices": 5}, {**ANSWER, "id": None}]
)
def test_invalid_answers_fail_validation_in_pydantic(given):
    """A validation error inside pydantic; ours reads whatever came."""
    with pytest.raises(pydantic.ValidationError):
        pydantic.TypeAdapter(chat.ChatCompletion).validate_python(given)
    assert chat.ChatCompletion.model_validate(given).to_dict() == given


def test_options_of_pydantics_dumps():
    """They hold for the answers in a model, too."""

    class Record(pydantic.BaseModel):
        message: chat.ChatCompletionMessage

    record = Record(message=MESSAGE)
    assert record.model_dump() == {"message": record.message.model_dump()}
    assert record.model_dump()["message"]["refusal"] is None
    for option in ("exclude_none", "exclude_unset", "exclude_defaults"):
        assert record.model_dump(**{option: True}) == {"message": MESSAGE}, option
        assert json.loads(record.model_dump_json(**{option: True})) == {"message": MESSAGE}
    given = {"include": {"message": {"content"}}}
    assert record.model_dump(**given) == {"message": {"content": "Hi."}}
    assert "content" not in record.model_dump(exclude={"message": {"content"}})["message"]


def test_answers_in_fastapi():
    """As a body, in a body, as what is returned, and in its description."""
    fastapi = pytest.importorskip("fastapi")
    httpx = pytest.importorskip("httpx")

    class Record(pydantic.BaseModel):
        answer: chat.ChatCompletion
        more: list[chat.ChatCompletionMessage] = []

    app = fastapi.FastAPI()

    @app.post("/body")
    def body(answer: chat.ChatCompletion = fastapi.Body()):  # noqa: B008
        assert type(answer) is chat.ChatCompletion
        return {"id": answer.id}

    @app.post("/model", response_model=chat.ChatCompletion, response_model_exclude_unset=True)
    def model(record: Record):
        return record.answer

    @app.post("/record", response_model_exclude_unset=True)
    def record(record: Record) -> Record:
        return record

    @app.post("/plain")
    async def plain(answer: responses.Response = fastapi.Body()) -> responses.Response:  # noqa: B008
        return answer

    async def asked(method, path, body):
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://app") as client:
            return await client.request(method, path, json=body)

    def post(path, body):
        return asyncio.run(asked("POST", path, body))

    assert post("/body", ANSWER).json() == {"id": "c"}
    for wrong in ([1], {"a": 1}):
        assert post("/body", wrong).status_code == 422
    assert post("/model", {"answer": ANSWER}).json() == ANSWER
    message = ANSWER["choices"][0]["message"]
    sent = {"answer": ANSWER, "more": [message]}
    assert post("/record", sent).json() == sent
    whole = {**RESPONSE, "output": [{"type": "new", "x": 1}]}
    answered = post("/plain", whole).json()
    assert answered["output"][0]["x"] == 1 and answered["usage"] is None, "as model_dump() has it"
    described = asyncio.run(asked("GET", "/openapi.json", None)).json()
    answered = described["paths"]["/model"]["post"]["responses"]["200"]
    named = described["components"]["schemas"]
    reference = {"$ref": "#/components/schemas/ChatCompletion"}
    assert answered["content"]["application/json"]["schema"] == reference
    assert {"ChatCompletion", "Choice", "ChatCompletionMessage", "CompletionUsage"} <= set(named)
    schema = named["ChatCompletion"]
    assert schema["properties"]["choices"]["items"] == {"$ref": "#/components/schemas/Choice"}
    assert "choices" in schema["properties"] and "timings" not in schema["properties"]
