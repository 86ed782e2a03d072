"""The package as a whole: its names, its documentation, its version."""

import importlib.metadata
import inspect
import types

import pytest

import modelwire
from modelwire import _client, _native, _parameters, _resources

PARTS = [
    one
    for name, one in vars(_resources).items()
    if isinstance(one, type) and not name.startswith("_")
]
NATIVE = [one for one in vars(_native).values() if isinstance(one, type)]
PUBLIC = [getattr(modelwire, name) for name in modelwire.__all__]
CLASSES = list(dict.fromkeys([one for one in PUBLIC if isinstance(one, type)] + PARTS + NATIVE))


def test_all_is_exactly_what_is_public():
    """No name is missing, none is too many."""
    names = {name for name in vars(modelwire) if not name.startswith("_")}
    names = {name for name in names if not isinstance(vars(modelwire)[name], types.ModuleType)}
    # The last two are imported when they are asked for; the deprecated name is not advertised.
    late = {"__version__", "bulk", "CallRecord"}
    assert set(modelwire.__all__) == names - {"TYPE_CHECKING", "pose_as_openai"} | late


def test_all_is_sorted():
    """Constants, then classes, then the rest, as isort sorts names."""

    def place(name):
        return (0 if name.isupper() else 1 if name[0].isupper() else 2), name

    assert modelwire.__all__ == sorted(modelwire.__all__, key=place)
    assert len(set(modelwire.__all__)) == len(modelwire.__all__)


def test_version():
    """One version everywhere."""
    assert modelwire.__version__ == importlib.metadata.version("modelwire")


def test_the_package_is_typed():
    """Type checkers are told so."""
    files = {str(file) for file in importlib.metadata.files("modelwire")}
    assert {"modelwire/py.typed", "modelwire/_native.pyi"} <= files


@pytest.mark.parametrize("one", CLASSES, ids=lambda one: one.__name__)
def test_everything_public_is_documented(one):
    """Each class, and each public method and property of it."""
    assert one.__doc__ and one.__doc__.strip()
    for name, member in vars(one).items():
        is_code = inspect.isroutine(member) or isinstance(member, property)
        is_code = is_code or type(member).__name__ == "getset_descriptor"
        if is_code and not name.startswith("_"):
            assert inspect.getdoc(member), f"{one.__name__}.{name}"


@pytest.mark.parametrize("one", [one for one in PUBLIC if isinstance(one, type)], ids=str)
def test_classes_say_where_they_are(one):
    """What a traceback or a pickle shows can be imported."""
    module = __import__(one.__module__, fromlist=["_"])
    assert getattr(module, one.__qualname__) is one


def test_the_module_is_documented():
    for module in (modelwire, _client, modelwire._errors, _native):
        assert module.__doc__ and module.__doc__.strip()


@pytest.mark.sync_alone("it compares both clients")
def test_signatures_can_be_looked_at(client):
    """help() shows the named parameters."""
    chat = inspect.signature(client.chat.completions.create).parameters
    assert list(chat) == list(inspect.signature(_parameters.chat).parameters)[1:]
    assert {parameter.kind for parameter in chat.values()} == {inspect.Parameter.KEYWORD_ONLY}
    assert {"messages", "model", "max_tokens", "stream", "extra_body", "timeout"} <= set(chat)
    settings = inspect.signature(modelwire.Client).parameters
    assert list(settings) == list(inspect.signature(modelwire.AsyncClient).parameters)
    assert {"api_key", "base_url", "timeout", "max_retries", "stream_only"} <= set(settings)


@pytest.mark.sync_alone("a class is patched, and no call is awaited")
def test_resources_can_be_patched(service, client, monkeypatch):
    """What watches calls replaces Completions.create, as it does in openai-python."""
    asked = []
    create = _resources.Completions.create

    def watched(self, **arguments):
        asked.append(arguments["model"])
        return create(self, **arguments)

    monkeypatch.setattr(_resources.Completions, "create", watched)
    client.chat.completions.create(model="echo", messages=[{"role": "user", "content": "x"}])
    assert asked == ["echo"]
