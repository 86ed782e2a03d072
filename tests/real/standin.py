"""Ways to make a program that imports openai meet modelwire instead, from outside of both.

    names      openai's names for clients and errors are modelwire's
    resources  openai's resource classes are modelwire's: for instrumentation that patches them

A program that only asks `isinstance` needs none of it, but `modelwire.register_openai_classes()`.

All of it is to be called before the program is imported.
"""

import importlib

import modelwire
from modelwire import _resources


def names():
    """Puts modelwire's names where openai's are: those of docs/python/frameworks.md."""
    import openai

    kinds = (modelwire.OpenAI, modelwire.AsyncOpenAI, modelwire.OpenAIError)
    for name in modelwire.__all__:
        ours = getattr(modelwire, name)
        if isinstance(ours, type) and issubclass(ours, kinds) and hasattr(openai, name):
            setattr(openai, name, ours)


def resources():
    """Puts modelwire's resource classes where openai's are."""
    for module, name in (("chat.completions", "Completions"), ("responses", "Responses")):
        for kind in (name, f"Async{name}"):
            for path in (module, f"{module}.{module.rpartition('.')[2]}"):
                found = importlib.import_module(f"openai.resources.{path}")
                setattr(found, kind, getattr(_resources, kind))
