"""Makes answers, streams, clients and errors report openai's classes, for programs that check them
with `isinstance`. Imported on request."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from modelwire import _errors, _options
from modelwire._answers import raw
from modelwire._native import use_openai_classes
from modelwire._openai import methods as _methods
from modelwire.types._parts import EVENTS, ITEMS

# The modules of openai-python's answer classes; of two classes with the same name, the first
# counts.
_MODULES = (
    "chat.chat_completion",
    "chat.chat_completion_message",
    "chat.chat_completion_token_logprob",
    "chat.chat_completion_message_function_tool_call",
    "chat.chat_completion_message_custom_tool_call",
    "chat.chat_completion_chunk",
    "chat",
    "completion_usage",
    "responses.response",
    "responses.response_usage",
    "responses.response_output_item",
    "responses",
)
# Our classes with other names.
_NAMES = {
    "ChatCompletionMessageToolCall": "ChatCompletionMessageFunctionToolCall",
    "Object": "",
    "ResponseContentPart": "",
}
_BY_TYPE = {
    "ResponseStreamEvent": {kind: name for name, kind in EVENTS.items()},
    "ResponseOutputItem": {kind: name for name, kind in ITEMS.items()},
}


class _Finder:
    """Finds the openai class of an object."""

    def __init__(self, openai: Any) -> None:
        modules = filter(None, (_module(f"types.{name}") for name in _MODULES))
        self._places = [openai, *modules, import_module("openai.types")]
        self._known: dict[str, type | None] = {}
        self._known["ChunkChoice"] = _module("types.chat.chat_completion_chunk").Choice

    def class_of(self, thing: Any) -> type:
        """openai's class with this name or type; the object's own class if openai has none."""
        kind = type(thing)
        name: str = kind.__name__
        if name in _BY_TYPE:
            name = _BY_TYPE[name].get(thing.type, "")
        if name not in self._known:
            self._known[name] = self._found(_NAMES.get(name, name))
        return self._known[name] or kind

    def attribute(self, thing: Any, name: str) -> Any:
        """An attribute that pydantic stores in its own objects: it looks for these before it checks
        the class of an object, and when it serializes one."""
        if name == "__pydantic_fields_set__":
            return thing.model_fields_set
        if name == "__pydantic_private__":
            return None
        theirs: Any = self.class_of(thing)
        if name == "__pydantic_extra__":
            if theirs is type(thing):
                return None
            sent, known = thing.to_dict(), theirs.model_fields
            return {name: sent[name] for name in sent if name not in known}
        if name == "__pydantic_serializer__" and theirs is type(thing):
            from pydantic_core import SchemaSerializer

            from modelwire._answers.pydantic import schema

            return SchemaSerializer(schema(theirs))
        return getattr(theirs, name)

    def _found(self, name: str) -> type | None:
        found = (getattr(place, name, None) for place in self._places if name)
        return next((one for one in found if isinstance(one, type)), None)


def _module(name: str) -> Any:
    try:
        return import_module(f"openai.{name}")
    except ImportError:
        return None  # another version of openai-python


def start(clients: tuple[type, ...]) -> dict[type, type]:
    """Enables it for the rest of the process; returns the classes that clients then report."""
    try:
        openai: Any = import_module("openai")
    except ImportError as cause:
        raise ImportError(
            "register_openai_classes needs openai-python: pip install openai"
        ) from cause
    if issubclass(openai.OpenAIError, _errors.OpenAIError):
        raise _errors.OpenAIError(
            "openai-python's names are modelwire's already: there is no class to register with",
            kind="config",
            hint="Call register_openai_classes() before you replace names; if you replace all of "
            "them, it is not needed.",
        )
    for ours in {*_errors._BY_KIND.values(), *_errors._BY_STATUS.values(), *_errors._OF_PARSING}:
        _errors._openai_classes_of.setdefault(ours, _with_base(ours, openai))
    _options.register(openai)
    for ours in (raw.LegacyAPIResponse, raw.APIResponse, raw.AsyncAPIResponse):
        places = (_module("_legacy_response"), _module("_response"))
        theirs = filter(None, (getattr(place, ours.__name__, None) for place in places))
        raw.openai_classes[ours] = next(theirs, ours)
    finder = _Finder(openai)
    use_openai_classes(finder.class_of, finder.attribute)
    return {ours: _client_class(ours, getattr(openai, ours.__name__)) for ours in clients}


class _Part:
    """An attribute that openai-python's base class has, and that is found on demand here."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, owner: object, kind: type) -> object:
        return self if owner is None else _methods.of(owner, self._name)


def _client_class(ours: type, theirs: type) -> type:
    """A class of clients for programs that check `issubclass`; none of openai's methods work in
    it."""
    lacking = {name for name in dir(theirs) if not name.startswith("_")} - set(dir(ours))
    members = {name: _Part(name) for name in lacking - {"models", "chat", "responses"}}
    about = {"__module__": ours.__module__, "__doc__": ours.__doc__}
    return type(ours.__name__, (ours, theirs), {**members, **about})


def _with_base(ours: type, openai: Any) -> type:
    """A class of errors that is also caught as openai's class with its name, or with the name of
    its nearest base class that openai has."""
    above = (getattr(openai, one.__name__, None) for one in ours.__mro__)
    theirs = next(filter(None, above))
    members = {"_own_class": ours, "__module__": ours.__module__, "__doc__": ours.__doc__}
    return type(ours.__name__, (ours, theirs), members)
