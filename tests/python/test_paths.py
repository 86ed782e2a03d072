"""Where programs that were written for openai-python import things from: the names that
py/stubs/openai_paths.py listed."""

import importlib
import modulefinder
import pickle
import subprocess
import sys
import typing
from pathlib import Path
from unittest import mock

import pytest
import typing_extensions

import modelwire
from modelwire.types import _params, _parts, chat, responses, shared

pytestmark = pytest.mark.thread_unsafe("it reads sources, and calls nothing")

HERE = Path(__file__).parent
LIST = (HERE / "openai_paths.txt").read_text().splitlines()
MODULES = {
    path: names.split()
    for path, _, names in (line.partition(":") for line in LIST)
    if path and path[0] not in "#-"
}


@pytest.mark.parametrize("path", MODULES)
def test_every_name_is_where_programs_look_for_it(path):
    """Each module can be imported, and has every name."""
    module = importlib.import_module(f"modelwire.{path}")
    missing = [name for name in MODULES[path] if not hasattr(module, name)]
    assert not missing


# What programs import beside the types of the three operations.
IMPORTED = {
    "": "APIResponse AsyncAPIResponse DEFAULT_CONNECTION_LIMITS InvalidWebhookSignatureError "
    "NoneType ProxiesTypes RequestOptions Transport VERSION file_from_path",
    "._base_client": "DEFAULT_CONNECTION_LIMITS make_request_options",
    "._constants": "DEFAULT_CONNECTION_LIMITS",
    "._exceptions": "InvalidWebhookSignatureError",
    "._types": "NoneType ProxiesTypes RequestOptions Transport",
    "._utils": "file_from_path is_given",
    ".lib._parsing": "type_to_response_format_param",
    ".lib._parsing._completions": "type_to_response_format_param",
    ".lib._parsing._responses": "type_to_text_format_param",
    ".lib._pydantic": "to_strict_json_schema",
    ".types": "CreateEmbeddingResponse Embedding",
    ".types.create_embedding_response": "CreateEmbeddingResponse Usage",
    ".types.embedding": "Embedding",
}


@pytest.mark.parametrize("path", IMPORTED)
def test_names_that_programs_import(path):
    """They are in openai-python's module and in ours, and can be pickled where they are classes."""
    theirs = pytest.importorskip(f"openai{path}")
    ours = importlib.import_module(f"modelwire{path}")
    for name in IMPORTED[path].split():
        assert hasattr(theirs, name), name
        found = getattr(ours, name)
        if isinstance(found, type):
            assert pickle.loads(pickle.dumps(found)) is found


def test_what_these_names_do(tmp_path):
    """What they do in openai-python; embeddings can be made, for tests of programs."""
    path = tmp_path / "a.txt"
    path.write_bytes(b"x")
    assert modelwire.file_from_path(str(path)) == ("a.txt", b"x")
    assert modelwire.VERSION == modelwire.__version__
    assert modelwire.DEFAULT_CONNECTION_LIMITS == modelwire.Limits()
    assert issubclass(modelwire.InvalidWebhookSignatureError, ValueError)
    vector = {"embedding": [0.5], "index": 0, "object": "embedding"}
    made = modelwire.types.CreateEmbeddingResponse(
        data=[vector], model="m", object="list", usage={"prompt_tokens": 1, "total_tokens": 1}
    )
    assert type(made.data[0]) is modelwire.types.Embedding and made.data[0].embedding == [0.5]
    assert made.usage.total_tokens == 1


def test_functions_for_formats():
    """What parse sends for a type, as openai-python's; a dict is left alone."""
    pydantic = pytest.importorskip("pydantic")
    from modelwire.lib._parsing._completions import type_to_response_format_param
    from modelwire.lib._parsing._responses import type_to_text_format_param
    from modelwire.lib._pydantic import to_strict_json_schema

    theirs = pytest.importorskip("openai.lib._pydantic")
    of_chats = pytest.importorskip("openai.lib._parsing._completions")
    of_responses = pytest.importorskip("openai.lib._parsing._responses")

    class Part(pydantic.BaseModel):
        name: str
        size: int = 1

    class Whole(pydantic.BaseModel):
        parts: list[Part]

    assert to_strict_json_schema(Whole) == theirs.to_strict_json_schema(Whole)
    assert type_to_response_format_param(Whole) == of_chats.type_to_response_format_param(Whole)
    assert type_to_text_format_param(Whole) == of_responses.type_to_text_format_param(Whole)
    plain = {"type": "json_object"}
    assert type_to_response_format_param(plain) is plain


def test_make_request_options():
    """The options that openai-python's function makes."""
    theirs = pytest.importorskip("openai._base_client")
    from modelwire._base_client import make_request_options

    given = {
        "query": {"a": 1},
        "extra_query": {"b": 2},
        "extra_headers": {"X-A": "a"},
        "extra_body": {"c": 3},
    }
    for more in ({}, {"timeout": None}, {"timeout": 7}):
        found = make_request_options(**given, **more)
        assert found == theirs.make_request_options(**given, **more)
    assert make_request_options() == {}


# Fields that openai-python has since 3.57.
NEWER = frozenset({"background_options"})


@pytest.mark.parametrize("path", [path for path in MODULES if path.startswith("types.")])
def test_every_type_is_the_one_of_its_module(path):
    """A name that several modules have means in each what openai-python has there: a dict or a part
    with the same fields."""
    theirs = pytest.importorskip(f"openai.{path}")
    ours = importlib.import_module(f"modelwire.{path}")
    for name in MODULES[path]:
        their, our = getattr(theirs, name), getattr(ours, name)
        if typing_extensions.is_typeddict(their):
            assert keys(their) == keys(our) - (NEWER - keys(their)), name
        elif hasattr(our, "_has"):
            fields = {field.alias or key for key, field in their.model_fields.items()}
            # No class statement takes a field that is called like a keyword.
            assert fields - {"async"} == our._has, name
        elif isinstance(their, type):
            assert our.__name__.endswith(name) or name in RENAMED, name


def keys(one):
    return one.__required_keys__ | one.__optional_keys__


# Native classes that have another name in openai-python.
RENAMED = ("ChatCompletionMessageFunctionToolCall", "ChoiceDeltaFunctionCall", "FunctionCall")


def test_modules_without_a_file():
    """Each lists its names, is a package if modules are in it, and is found by the last finder,
    which finds nothing else."""
    import modelwire._exceptions as errors
    import modelwire.resources.beta.chat.completions as completions

    from modelwire.types.chat import chat_completion_audio_param as audio

    assert errors.RateLimitError is modelwire.RateLimitError
    assert set(errors.__all__) <= set(dir(errors))
    assert completions.__spec__.parent == "modelwire.resources.beta.chat"
    assert audio.__all__ == ["ChatCompletionAudioParam", "VoiceID", "Voice"]
    assert set(audio.__all__) <= set(dir(audio)) and audio.__spec__.origin is None
    for module in (errors, completions, audio):
        assert pickle.loads(pickle.dumps(getattr(module, module.__all__[0])))
        with pytest.raises(AttributeError, match="Nonsense"):
            module.Nonsense
    for path in ("_nonsense", "lib.nonsense", "types.chat.nonsense", "resources.chat.chat.chat"):
        with pytest.raises(ModuleNotFoundError, match=path):
            importlib.import_module(f"modelwire.{path}")
    code = (
        "import sys; before = list(sys.meta_path); import modelwire\n"
        "assert sys.meta_path[:-1] == before and 'modelwire._openai.paths' not in sys.modules\n"
        "assert sys.meta_path[-1].find_spec('modelwire_of_others') is None\n"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_the_module_list_is_loaded_and_explains_omissions():
    """The data is there, and says why it leaves out what it leaves out."""
    assert len(MODULES) > 280 and sum(map(len, MODULES.values())) > 1200
    left = [line for line in LIST if line.startswith("- ")]
    assert left and all(len(line.split(": ")) >= 3 for line in left)


def test_equal_names_are_different_classes_by_module():
    """The same name is another class in another module."""
    from modelwire.types.chat.chat_completion import Choice
    from modelwire.types.chat.chat_completion_chunk import Choice as ChunkChoice

    assert Choice is chat.Choice and ChunkChoice is chat.ChunkChoice and Choice is not ChunkChoice
    whole = chat.ChatCompletion(choices=[{"index": 0}])
    chunk = chat.ChatCompletionChunk(choices=[{"index": 0, "delta": {}}])
    assert isinstance(whole.choices[0], Choice) and isinstance(chunk.choices[0], ChunkChoice)


def test_a_module_is_imported_in_every_way():
    """By statement, by name, from its package."""
    code = (
        "import modelwire.types.chat.chat_completion_chunk as one\n"
        "from modelwire.types.chat import chat_completion_chunk as two\n"
        "import importlib, modelwire\n"
        "three = importlib.import_module('modelwire.types.chat.chat_completion_chunk')\n"
        "assert one is two is three is modelwire.types.chat.chat_completion_chunk\n"
        "from modelwire.types.responses import *\n"
        "assert ResponseTextDeltaEvent and ResponseInputParam\n"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_modules_are_imported_lazily():
    """The package alone brings no types, and their package no class."""
    code = (
        "import sys, modelwire\n"
        "assert 'typing' not in sys.modules and 'modelwire.types' not in sys.modules\n"
        "import modelwire.types.chat\n"
        "assert 'typing' not in sys.modules and 'modelwire.types._params' not in sys.modules\n"
        "modelwire.types.chat.ChatCompletion\n"
        "from modelwire.types.chat.chat_completion_chunk import Choice\n"
        "import modelwire._exceptions, modelwire.types.chat.chat_completion_audio\n"
        "assert 'typing' not in sys.modules\n"
        "modelwire.types.chat.ChatCompletionMessageParam\n"
        "assert 'modelwire.types._parts' not in sys.modules\n"
    )
    assert subprocess.run([sys.executable, "-S", "-c", code], env=_path()).returncode == 0


def _path():
    package = Path(modelwire.__file__).parents[1]
    return {"PYTHONPATH": str(package)}


def test_packages_list_their_names():
    """`dir` and `__all__` are the same, before anything is looked up."""
    for package in (chat, responses, shared, modelwire.types):
        assert set(package.__all__) <= set(dir(package))
        with pytest.raises(AttributeError, match="Nonsense"):
            package.Nonsense
    assert chat.ChatCompletionToolParam is chat.ChatCompletionFunctionToolParam


@pytest.mark.sync_alone("the classes of the other client have other paths")
def test_resources_are_the_ones_that_clients_use(client):
    """What is patched by its path is what is called."""
    with mock.patch("modelwire.resources.chat.completions.Completions.create") as create:
        client.chat.completions.create(model="m", messages=[])
    create.assert_called_once_with(model="m", messages=[])
    with mock.patch("modelwire.resources.responses.Responses.create", return_value="x"):
        assert client.responses.create(model="m", input="x") == "x"
    with mock.patch("modelwire.resources.models.Models.list", return_value=[]):
        assert client.models.list() == []
    with mock.patch("modelwire.types.chat.ChatCompletionUserMessageParam"):
        assert chat.ChatCompletionUserMessageParam is not _params.ChatCompletionUserMessageParam


def test_lists_of_models_are_pages(client):
    """For `isinstance` and in annotations."""
    from modelwire.pagination import AsyncPage, SyncPage

    assert isinstance(client.models.list(), SyncPage) and issubclass(AsyncPage, SyncPage)
    assert SyncPage[modelwire.types.Model] is SyncPage


def dicts():
    return [one for one in vars(_params).values() if typing_extensions.is_typeddict(one)]


def test_typed_dicts_make_dicts():
    """Typed dicts make dicts, and know which keys they need."""
    from modelwire.types.responses.response_input_item_param import FunctionCallOutput

    user = chat.ChatCompletionUserMessageParam(role="user", content="x")
    assert user == {"role": "user", "content": "x"} and type(user) is dict
    assert chat.ChatCompletionUserMessageParam.__required_keys__ == {"role", "content"}
    assert chat.ChatCompletionUserMessageParam.__optional_keys__ == {"name"}
    output = FunctionCallOutput(type="function_call_output", call_id="1", output="x")
    assert output["call_id"] == "1"
    assert "async" in responses.FunctionToolParam.__annotations__
    assert len(dicts()) > 240


def test_annotations_can_be_resolved():
    """`typing.get_type_hints` understands every dict and every part."""
    parts = [one for one in vars(_parts).values() if isinstance(one, type)]
    for one in [*dicts(), *parts]:
        if one.__module__ in (_params.__name__, _parts.__name__):
            assert set(typing.get_type_hints(one)) >= set(one.__dict__.get("__annotations__", ()))
    hints = typing.get_type_hints(chat.ChatCompletionToolMessageParam)
    assert hints["role"] == typing.Literal["tool"] and hints["tool_call_id"] is str
    assert chat.ChatCompletionUserMessageParam in typing.get_args(chat.ChatCompletionMessageParam)


def test_classes_are_pickled_by_their_names():
    """As an argument of a worker, for instance."""
    for one in (
        chat.ChatCompletionUserMessageParam,
        chat.ChatCompletion,
        responses.ResponseTextDeltaEvent,
        modelwire.types.Reasoning,
        modelwire.pagination.SyncPage,
    ):
        assert pickle.loads(pickle.dumps(one)) is one


def test_parts_by_their_fields():
    """What has no class of its own is told by its type, or by what it has."""
    answer = responses.Response(
        reasoning={"effort": "low"},
        text={"format": {"type": "text"}},
        tools=[{"type": "web_search"}, {"type": "function", "name": "f"}],
        output=[
            {
                "type": "message",
                "content": [
                    {
                        "type": "output_text",
                        "text": "x",
                        "annotations": [{"type": "url_citation", "url": "u"}],
                    }
                ],
            },
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "x"}]},
        ],
    )
    from modelwire.types.responses import response_output_text as text
    from modelwire.types.responses.response_reasoning_item import Content, Summary

    assert isinstance(answer.reasoning, modelwire.types.Reasoning)
    assert not isinstance(answer.reasoning, responses.ResponseTextConfig)
    assert isinstance(answer.text, responses.ResponseTextConfig)
    assert isinstance(answer.tools[0], responses.WebSearchTool)
    assert isinstance(answer.tools[1], responses.FunctionTool)
    assert not isinstance(answer.tools[1], responses.WebSearchTool)
    [citation] = answer.output[0].content[0].annotations
    assert isinstance(citation, text.AnnotationURLCitation)
    assert not isinstance(citation, text.AnnotationFilePath)
    [summary] = answer.output[1].summary
    assert isinstance(summary, Summary) and not isinstance(summary, Content)
    made = modelwire.types.Reasoning(effort="low")
    assert made.effort == "low" and isinstance(made, modelwire.types.Reasoning)
    assert not isinstance({}, modelwire.types.Reasoning) and not isinstance(None, Summary)


def test_freezing_tools_find_lazy_modules(tmp_path):
    """The names that are looked up late are imports all the same, for who reads the code."""
    program = tmp_path / "program.py"
    program.write_text("from modelwire.types.chat import ChatCompletionUserMessageParam\n")
    finder = modulefinder.ModuleFinder([str(Path(modelwire.__file__).parents[1])])
    finder.run_script(str(program))
    assert {"modelwire.types._params", "modelwire.types._lazy"} <= set(finder.modules)


def test_parts_of_the_package_are_attributes_of_it():
    """After `import modelwire` alone, so that programs can patch what is in them."""
    program = """
import sys
from unittest.mock import patch
import modelwire
assert "modelwire.resources" not in sys.modules and "modelwire.types" not in sys.modules
with patch.object(modelwire.resources.chat.completions.Completions, "create", return_value=1):
    client = modelwire.OpenAI(base_url="http://127.0.0.1:9/v1", api_key="sk-test")
    assert client.chat.completions.create() == 1
modelwire.resources.beta.chat.completions, modelwire.resources.responses.responses.Responses
modelwire.resources.models.Models, modelwire.lib.streaming.chat, modelwire.pagination.SyncPage
for name in "_base_client _client _constants _exceptions _models _streaming _types".split():
    assert getattr(modelwire, name).__name__ == "modelwire." + name
assert modelwire.version.VERSION == modelwire.__version__
import modelwire.types.chat
chat = modelwire.types.chat
assert chat.chat_completion.ChatCompletion is chat.ChatCompletion
modelwire.types.responses.response.Response, modelwire.types.completion_usage.CompletionUsage
for where, name in ((modelwire, "nothing"), (modelwire, "_nothing"), (chat, "nothing")):
    assert not hasattr(where, name)
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
