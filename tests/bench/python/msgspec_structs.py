"""msgspec with structs written for the very fields that are read: as little as a typed answer can
cost in Python."""

from answers import reading_works
from measure import measure
from msgspec import Struct, to_builtins
from msgspec.json import Decoder


class Function(Struct):
    name: str
    arguments: str


class Call(Struct):
    id: str
    type: str
    function: Function


class Message(Struct):
    role: str
    content: str | None = None
    refusal: str | None = None
    tool_calls: list[Call] | None = None


class Choice(Struct):
    index: int
    message: Message
    finish_reason: str | None = None
    logprobs: dict[str, object] | None = None


class PromptDetails(Struct):
    cached_tokens: int = 0
    audio_tokens: int = 0


class CompletionDetails(Struct):
    reasoning_tokens: int = 0
    audio_tokens: int = 0


class Usage(Struct):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    prompt_tokens_details: PromptDetails | None = None
    completion_tokens_details: CompletionDetails | None = None


class Answer(Struct):
    id: str
    object: str
    created: int
    model: str
    choices: list[Choice]
    system_fingerprint: str | None = None
    usage: Usage | None = None


measure(reading_works(Decoder(Answer).decode, to_builtins))
