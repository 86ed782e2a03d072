"""register_openai_classes, in separate processes with a stand-in for openai-python that has its
classes by name."""

import sys
import textwrap

import pytest

import programs

pytest.importorskip("pydantic")

pytestmark = pytest.mark.thread_unsafe("each test is a program of its own")

# Names of openai-python, by module: what programs ask `isinstance` for.
MODULES = {
    "openai.types": "Model",
    "openai.types.completion_usage": "CompletionUsage CompletionTokensDetails",
    "openai.types.chat": "ChatCompletion ChatCompletionChunk ChatCompletionMessage "
    "ChatCompletionMessageFunctionToolCall",
    "openai.types.chat.chat_completion": "Choice ChoiceLogprobs",
    "openai.types.chat.chat_completion_chunk": "Choice ChoiceDelta",
    "openai.types.responses": "Response ResponseOutputMessage ResponseFunctionToolCall "
    "ResponseFunctionWebSearch ResponseCreatedEvent ResponseTextDeltaEvent ResponseCompletedEvent",
    "openai.types.responses.response_usage": "ResponseUsage InputTokensDetails",
    "openai._legacy_response": "LegacyAPIResponse",
    "openai._response": "APIResponse",
}
ERRORS = """
class OpenAIError(Exception): pass
class APIError(OpenAIError):
    def __init__(self, message, request, *, body): raise AssertionError("not called")
class APIStatusError(APIError): pass
class RateLimitError(APIStatusError): pass
class NotFoundError(APIStatusError): pass
class APIConnectionError(APIError): pass
class APITimeoutError(APIConnectionError): pass
class APIResponseValidationError(APIError): pass
class LengthFinishReasonError(OpenAIError):
    def __init__(self, *, completion): raise AssertionError("not called")
class OpenAI:
    def embeddings(self): raise AssertionError("not called")
    def post(self): raise AssertionError("not called")
    chat = property(lambda self: 1 / 0)
class AsyncOpenAI: pass
class Stream: pass
class AsyncStream: pass
"""


def stand_in(place):
    """Makes the package in a folder."""
    head = "import pydantic\nclass BaseModel(pydantic.BaseModel, extra='allow'): pass\n"
    for module in ["openai", *MODULES]:
        folder = place.joinpath(*module.split("."))
        folder.mkdir(parents=True, exist_ok=True)
        classes = (f"class {name}(BaseModel): pass\n" for name in MODULES.get(module, "").split())
        own = head + ERRORS if module == "openai" else "from openai import BaseModel\n"
        folder.joinpath("__init__.py").write_text(own + "".join(classes))


@pytest.fixture
def run(tmp_path, service):
    """Runs a program beside the stand-in."""
    stand_in(tmp_path)
    preface = """
        import modelwire, openai, openai.types.chat as chat, openai.types.responses as responses
        from openai.types import completion_usage
        from openai.types.chat import chat_completion, chat_completion_chunk
        client = modelwire.OpenAI(max_retries=0)
        HELLO = [{"role": "user", "content": "hello there"}]
        def answered():
            return client.chat.completions.create(model="echo", messages=HELLO)
    """

    def check(program):
        path = tmp_path / "program.py"
        path.write_text(textwrap.dedent(preface) + textwrap.dedent(program))
        settings = programs.environment(service.base_url)
        settings["PYTHONPATH"] = f"{tmp_path}:{settings.get('PYTHONPATH', '')}"
        command = [sys.executable, "-W", "error", path]
        done = programs.finished(command, env=settings)
        assert done.stderr == "", done.stderr

    return check


def test_nothing_is_registered_by_default(run):
    """openai-python beside it changes nothing."""
    run("""
        answer = answered()
        assert answer.__class__ is type(answer) is modelwire.types.chat.ChatCompletion
        assert not isinstance(answer, chat.ChatCompletion) and not isinstance(client, openai.OpenAI)
        assert not hasattr(answer, "__pydantic_decorators__")
    """)


def test_the_former_name_is_deprecated(run):
    """pose_as_openai still works, and warns."""
    run("""
        import warnings
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            modelwire.pose_as_openai()
        assert [warning.category for warning in caught] == [DeprecationWarning]
        assert "register_openai_classes" in str(caught[0].message)
        assert caught[0].filename == __file__
        assert isinstance(answered(), chat.ChatCompletion)
    """)


def test_names_are_replaced_after_registering(run):
    """The other way round there is no class left to register with; the error says so."""
    run("""
        openai.OpenAIError = modelwire.OpenAIError
        try:
            modelwire.register_openai_classes()
        except modelwire.OpenAIError as error:
            assert "before" in error.hint
        else:
            raise AssertionError("it registered with itself")
        assert answered().__class__ is modelwire.types.chat.ChatCompletion
    """)


def test_answers_are_registered(run):
    """Every part is of openai's class of its name, and still of ours."""
    run("""
        import copy, pickle
        modelwire.register_openai_classes()
        answer = answered()
        for part, name in (
            (answer, chat.ChatCompletion),
            (answer.choices[0], chat_completion.Choice),
            (answer.choices[0].message, chat.ChatCompletionMessage),
            (answer.usage, completion_usage.CompletionUsage),
            (client.models.list().data[0], openai.types.Model),
        ):
            assert isinstance(part, name) and isinstance(part, openai.BaseModel), part
            assert isinstance(part, modelwire.BaseModel) and part.__class__ is name
            assert not isinstance(part, chat.ChatCompletionChunk)
            assert copy.deepcopy(part) == part == pickle.loads(pickle.dumps(part))
        made = modelwire.types.chat.ChatCompletionMessage(
            tool_calls=[{"type": "function", "function": {"name": "f"}}]
        )
        assert isinstance(made.tool_calls[0], chat.ChatCompletionMessageFunctionToolCall)
        assert isinstance(client, openai.OpenAI) and isinstance(client, modelwire.OpenAI)
        assert not isinstance(client, openai.AsyncOpenAI)
        other = modelwire.OpenAI().copy(max_retries=1)
        assert issubclass(type(other), openai.OpenAI) and type(other).__name__ == "OpenAI"
        for part in ("embeddings", "request"):
            try:
                getattr(other, part)(None, None)
            except modelwire.OpenAIError as error:
                assert "no operation" in str(error) and f"OpenAI.{part}" in str(error)
            else:
                raise AssertionError(part)
        try:
            other.post("/embeddings", cast_to=object)
        except modelwire.OpenAIError as error:
            assert "no operation POST /embeddings" in str(error)
        else:
            raise AssertionError("post")
        assert other.chat.completions.create(model="echo", messages=HELLO).id
    """)


def test_streams_are_registered(run):
    """Chunks by their class, events and items by their type."""
    run("""
        modelwire.register_openai_classes()
        stream = client.chat.completions.create(model="echo", messages=HELLO, stream=True)
        assert isinstance(stream, openai.Stream) and not isinstance(stream, openai.AsyncStream)
        for chunk in stream:
            assert isinstance(chunk, chat.ChatCompletionChunk)
            assert all(isinstance(one, chat_completion_chunk.Choice) for one in chunk.choices)
            assert isinstance(chunk.choices[0].delta, chat_completion_chunk.ChoiceDelta)
        found = list(client.responses.create(model="echo", input="hello", stream=True))
        assert isinstance(found[0], responses.ResponseCreatedEvent)
        assert isinstance(found[-1], responses.ResponseCompletedEvent)
        assert isinstance(found[-1].response, responses.Response)
        assert isinstance(found[-1].response.output[0], responses.ResponseOutputMessage)
        texts = [one.delta for one in found if isinstance(one, responses.ResponseTextDeltaEvent)]
        assert "".join(texts) == "hello"
        with client.responses.stream(model="echo", input="hello") as helper:
            texts = [one for one in helper if isinstance(one, responses.ResponseTextDeltaEvent)]
        assert texts[-1].snapshot == "hello"
        item = modelwire.types.responses.ResponseOutputItem(type="web_search_call")
        assert isinstance(item, responses.ResponseFunctionWebSearch)
        assert modelwire.types.responses.ResponseOutputItem(type="new").__class__ is type(item)
    """)


def test_raw_answers_are_registered(run):
    """Also those that an older openai-python does not have."""
    run("""
        from openai._legacy_response import LegacyAPIResponse
        from openai._response import APIResponse
        raw = client.chat.completions.with_raw_response
        assert not isinstance(raw.create(model="echo", messages=HELLO), LegacyAPIResponse)
        modelwire.register_openai_classes()
        found = raw.create(model="echo", messages=HELLO)
        assert isinstance(found, LegacyAPIResponse) and found.parse().id
        assert isinstance(found, modelwire._answers.raw.LegacyAPIResponse)
        streaming = client.chat.completions.with_streaming_response
        with streaming.create(model="echo", messages=HELLO) as found:
            assert isinstance(found, APIResponse) and found.parse().id
    """)


def test_registered_answers_fit_in_openais_models(run):
    """pydantic takes them for what they say, and writes them."""
    run("""
        import pydantic
        modelwire.register_openai_classes()
        class Record(pydantic.BaseModel):
            usage: completion_usage.CompletionUsage
        usage = answered().usage
        assert isinstance(usage, pydantic.BaseModel) and type(usage).__private_attributes__ == {}
        record = Record(usage=usage)
        assert record.usage is usage
        assert record.model_dump()["usage"] == usage.to_dict()
        usage.new = modelwire.types.Object(deep=[modelwire.types.Object(x=1)])
        assert record.model_dump()["usage"]["new"] == {"deep": [{"x": 1}]}
        assert Record.model_validate_json(record.model_dump_json()).usage.new
    """)


def test_errors_are_registered(run):
    """They are caught as openai's and as ours, and are pickled as ours alone."""
    run("""
        import pickle
        modelwire.register_openai_classes()
        def raised(kind, call, **fields):
            try:
                call(**fields)
            except kind as error:
                assert isinstance(error, getattr(modelwire, type(error).__name__)), type(error)
                same = pickle.loads(pickle.dumps(error))
                assert str(same) == str(error) and type(same).__mro__[1] is not kind
                return error
        create = client.chat.completions.create
        error = raised(openai.NotFoundError, create, model="nobody-has-it", messages=HELLO)
        assert error.status_code == 404 and error.response.status_code == 404 and error.request
        error = raised(openai.OpenAIError, create, model="", messages=HELLO)
        assert isinstance(error, ValueError)
        far = modelwire.OpenAI(base_url="http://127.0.0.1:1/v1")
        error = raised(openai.APIConnectionError, far.models.list)
        assert isinstance(error, ConnectionError) and "127.0.0.1" in str(error)
    """)


def test_answers_that_cannot_be_parsed(run):
    """Are errors of openai's classes, and can still be pickled."""
    run("""
        import dataclasses, pickle
        @dataclasses.dataclass
        class City:
            name: str
        modelwire.register_openai_classes()
        try:
            client.chat.completions.parse(model="echo", messages=HELLO, response_format=City)
        except openai.APIResponseValidationError as error:
            assert isinstance(error, modelwire.AnswerValidationError)
            assert isinstance(error, ValueError) and error.usage.total_tokens
            again = pickle.loads(pickle.dumps(error))
            assert again.text == error.text == HELLO[0]["content"]
        else:
            raise AssertionError("parsed")
        try:
            client.chat.completions.parse(
                model="echo", messages=HELLO, response_format=City, max_tokens=1
            )
        except openai.LengthFinishReasonError as error:
            assert isinstance(error, modelwire.LengthFinishReasonError)
            assert error.completion.choices[0].finish_reason == "length"
        else:
            raise AssertionError("parsed")
    """)
