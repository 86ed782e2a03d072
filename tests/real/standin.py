"""Ways to make a program that imports openai meet modelwire instead, from outside of both. Knows
no foreign program.

    names      openai's names for clients, errors and sentinels are modelwire's
    resources  openai's resource classes are modelwire's: for instrumentation that patches them
    posed      answers say that they are of openai's classes, as unittest.mock does with `spec`

All of it is to be called before the program is imported.
"""

import importlib
import typing

import modelwire
from modelwire import _native, _resources
from modelwire.types import chat, responses


def names():
    """Puts modelwire's names where openai's are."""
    import openai
    import openai._types

    for name in modelwire.__all__:
        for module in (openai, openai._types):
            if hasattr(module, name):
                setattr(module, name, getattr(modelwire, name))
    openai.BaseModel = modelwire.types.Object


def resources():
    """Puts modelwire's resource classes where openai's are."""
    for module, name in (("chat.completions", "Completions"), ("responses", "Responses")):
        for kind in (name, f"Async{name}"):
            for path in (module, f"{module}.{module.rpartition('.')[2]}"):
                found = importlib.import_module(f"openai.resources.{path}")
                setattr(found, kind, getattr(_resources, kind))


def posed():
    """Lets `isinstance(answer, openai.types...)` be true: ABCMeta asks for `__class__`."""
    import openai

    by_class, by_type = _openai_classes()
    unions = (responses.ResponseStreamEvent, responses.ResponseOutputItem)
    unions += (responses.ResponseContentPart, _native.Object)

    def armed(original):
        def get(self, name):
            if name == "__class__":
                kind = type(self)
                if kind in unions:
                    return by_type.get(self.to_dict().get("type"), kind)
                return by_class.get(kind, kind)
            if name == "__pydantic_decorators__":
                return openai.BaseModel.__pydantic_decorators__
            return original(self, name)

        return get

    found = [getattr(_native, name) for name in dir(_native)]
    answers = [kind for kind in found if isinstance(kind, type) and hasattr(kind, "to_dict")]
    getters = {kind: armed(kind.__getattribute__) for kind in answers}
    for kind, get in getters.items():
        kind.__getattribute__ = get


def _openai_classes():
    """openai's class for each of ours, and for each `type` of an event or an item."""
    from openai import BaseModel, types
    from openai.types import chat as openai_chat
    from openai.types import completion_usage
    from openai.types import responses as openai_responses
    from openai.types.chat import chat_completion, chat_completion_chunk
    from openai.types.responses import response_output_item, response_output_message, response_usage

    places = (
        (chat, (openai_chat, chat_completion, chat_completion_chunk)),
        (modelwire.types, (types, completion_usage)),
        (responses, (openai_responses, response_usage)),
    )
    by_class = {}
    for ours, theirs in places:
        for name in ours.__all__:
            for module in theirs:
                if isinstance(getattr(ours, name), type) and hasattr(module, name):
                    by_class.setdefault(getattr(ours, name), getattr(module, name))
    by_class[chat.ChunkChoice] = chat_completion_chunk.Choice
    by_class[chat.ChatCompletionMessageToolCall] = openai_chat.ChatCompletionMessageFunctionToolCall

    by_type = {}

    def note(kind):
        if isinstance(kind, type) and issubclass(kind, BaseModel) and "type" in kind.model_fields:
            for word in typing.get_args(kind.model_fields["type"].annotation):
                by_type.setdefault(word, kind)

    for name in dir(openai_responses):
        if name.startswith("Response") and name.endswith("Event"):
            if not name.startswith("Responses"):  # those of the WebSocket
                note(getattr(openai_responses, name))
    for union in (response_output_item.ResponseOutputItem, response_output_message.Content):
        for kind in typing.get_args(typing.get_args(union)[0]) or typing.get_args(union):
            note(kind)
    return by_class, by_type
