"""The parameters of the client and of its operations beside those of the installed openai-python.
What differs is listed here, with its reason."""

import inspect
import json

import pytest

import modelwire
from modelwire import _client, _parameters
from modelwire._openai.unsupported import Unsupported
from wire import ANSWER

openai = pytest.importorskip("openai")

pytestmark = pytest.mark.thread_unsafe("it reads signatures")

OWN = "an option of modelwire alone"
NEWER = "newer than the openai that is installed here"
ABSENT = "the service has no such operation; calling it raises an error that says so"
REFUSED = "None is taken, a value is refused with its reason"

DIFFERENCES = {
    **dict.fromkeys(
        (
            *("client +retry", "client +limits", "client +proxy", "client +no_proxy"),
            *("client +ca", "client +client_certificate", "client +http2", "client +stream_only"),
            *("client +on_call", "client +chunk_times"),
            *("client +tcp_keepalive", "client +idempotency_header"),
            *("client +base_urls", "client +balance", "client +before_attempt"),
            *("chat.completions.create +idempotency_key", "responses.create +idempotency_key"),
            *("chat.completions.parse +idempotency_key", "responses.parse +idempotency_key"),
            *("copy +stream_only", "with_options +stream_only"),
            *("chat.completions.create +stream_only", "chat.completions.create +gather"),
            *("responses.create +stream_only", "responses.create +gather"),
            *("chat.completions.parse +stream_only", "responses.parse +stream_only"),
            *("chat.completions +run_tools", "responses +run_tools"),
        ),
        OWN,
    ),
    **dict.fromkeys(
        (
            *("responses.create +background_options", "responses.parse +background_options"),
            "responses.stream +background_options",
        ),
        NEWER,
    ),
    **dict.fromkeys(("responses.stream -response_id", "responses.stream -starting_after"), REFUSED),
    **dict.fromkeys(
        (
            *("models.retrieve is absent", "models.delete is absent"),
            *("chat.completions.list is absent", "chat.completions.retrieve is absent"),
            *("chat.completions.update is absent", "chat.completions.delete is absent"),
            *("responses.retrieve is absent", "responses.delete is absent"),
            *("responses.cancel is absent", "responses.compact is absent"),
            *("chat.completions.messages is absent", "responses.input_items is absent"),
            *("responses.input_tokens is absent", "responses.connect is absent"),
        ),
        ABSENT,
    ),
}

SETTINGS = {"base_url": "http://127.0.0.1:9/v1", "api_key": "sk-test"}
KINDS = ("OpenAI", "AsyncOpenAI")


def parameters(function):
    found = dict(inspect.signature(function).parameters)
    found.pop("self", None)
    return found


def compared(place, theirs, ours):
    """The differences of two functions: what ours lacks, has besides, and needs otherwise."""
    theirs, ours = parameters(theirs), parameters(ours)
    yield from (f"{place} -{name}" for name in theirs if name not in ours)
    yield from (f"{place} +{name}" for name in ours if name not in theirs)
    for name in theirs.keys() & ours.keys():
        for look in (lambda one: one.default is one.empty, lambda one: one.kind):
            if look(theirs[name]) != look(ours[name]):
                yield f"{place} {name} is needed, or given, otherwise"


def is_absent(part):
    """Whether it is there only to say that the service does not have it."""
    return isinstance(part, Unsupported) or (
        inspect.ismethod(part) and [*parameters(part)] == ["arguments", "named"]
    )


def differences(kind):
    theirs, ours = getattr(openai, kind), getattr(modelwire, kind)
    yield from compared("client", theirs.__init__, ours.__init__)
    for name in ("copy", "with_options"):
        yield from compared(name, getattr(theirs, name), getattr(ours, name))
    for path in ("models", "chat", "chat.completions", "responses"):
        their, our = theirs(**SETTINGS), ours(**SETTINGS)
        for part in path.split("."):
            their, our = getattr(their, part), getattr(our, part)
        names = {name for name in dir(their) if not name.startswith("_")}
        own = {name for name in dir(our) if not name.startswith("_")} - names
        yield from (f"{path} +{name}" for name in own)
        for name in names:
            if not hasattr(our, name):
                yield f"{path} -{name}"
            elif is_absent(getattr(our, name)):
                yield f"{path}.{name} is absent"
            elif inspect.ismethod(getattr(their, name)):
                place = f"{path}.{name}"
                yield from compared(place, getattr(their, name), getattr(our, name))


@pytest.mark.parametrize("kind", KINDS)
def test_signatures_differ_only_as_listed(kind):
    """A difference that is not in the list fails, and one of the list that is no more."""
    found = set(differences(kind))
    assert (found - DIFFERENCES.keys(), DIFFERENCES.keys() - found) == (set(), set())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", _client._REFUSED)
def test_arguments_of_openais_client_without_a_meaning_are_refused(kind, name):
    """By the constructor and by copies, with the reason; None and both libraries' marks are not."""
    make = getattr(modelwire, kind)
    why = _client._REFUSED[name]
    client = make(**SETTINGS)
    for value in (None, modelwire.NOT_GIVEN, modelwire.omit, openai.NOT_GIVEN, openai.omit):
        assert make(**SETTINGS, **{name: value}).api_key == "sk-test"
        assert client.copy(**{name: value}).api_key == "sk-test"
    for call in (lambda **given: make(**SETTINGS, **given), client.copy, client.with_options):
        with pytest.raises(TypeError) as raised:
            call(**{name: False if name == "_enforce_credentials" else "x"})
        assert str(raised.value) == f"{name} is not supported: {why}"


@pytest.mark.parametrize("kind", KINDS)
def test_other_private_arguments_of_openais_client(kind):
    client = getattr(modelwire, kind)(
        **SETTINGS, _enforce_credentials=True, _strict_response_validation=True
    )
    assert client.copy(_enforce_credentials=True, _extra_kwargs={}).api_key == "sk-test"
    with pytest.raises(TypeError, match="give each option to copy"):
        client.copy(_extra_kwargs={"timeout": 5})


@pytest.mark.parametrize("name", ["admin_api_key", "webhook_secret", "http_client"])
def test_the_modules_variables_are_taken_or_refused(monkeypatch, name):
    """None of openai's is ignored in silence."""
    for variable, value in {**SETTINGS, name: None}.items():
        monkeypatch.setattr(modelwire, variable, value, raising=False)
    assert modelwire.models
    monkeypatch.setattr(modelwire, name, "x")
    with pytest.raises(TypeError, match=name):
        _ = modelwire.models


@pytest.mark.parametrize("name", _parameters._REFUSED)
def test_a_stored_response_cannot_be_streamed(scripted, name):
    """None is taken, and a value is refused before anything is sent."""
    client = scripted(ANSWER)
    for value in (None, openai.omit, modelwire.omit):
        client.responses.stream(model="m", input="x", **{name: value})
    with pytest.raises(TypeError, match=f"{name} is not supported: the service has no operation"):
        client.responses.stream(model="m", input="x", **{name: 1})
    assert scripted.requests() == []


def test_verbosity_of_a_parsed_response(scripted):
    """Sent as openai-python sends it: beside the other fields."""
    scripted(ANSWER).responses.parse(model="m", input="x", verbosity="low")
    assert json.loads(scripted.requests()[0]["body"])["verbosity"] == "low"
