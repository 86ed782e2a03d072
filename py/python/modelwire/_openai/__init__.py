"""Compatibility with openai-python."""

REGISTER = "MODELWIRE_REGISTER_OPENAI_CLASSES"
"""The variable that asks for `register_openai_classes` where a program cannot be edited."""

FRAMEWORKS = frozenset(
    (
        "agents.models.openai_chatcompletions",
        "instructor",
        "langchain_openai",
        "litellm",
        "pydantic_ai.models.openai",
        "semantic_kernel.connectors.ai.open_ai",
    )
)
"""Modules of frameworks that are handed a client and ask for openai-python's classes."""
