"""A whole chat answer of 4 KiB and the reading of it, field by field: the same code for every
client that has attributes.
"""

import json
from collections.abc import Callable
from typing import Any

from measure import Seen, Task

_TOKENS = {"prompt_tokens": 120, "completion_tokens": 640, "total_tokens": 760}
_CALLS = [
    {
        "id": f"call_{number}",
        "type": "function",
        "function": {"name": "get_weather", "arguments": json.dumps({"city": "Paris" * 4})},
    }
    for number in range(4)
]
_ANSWER = {
    "id": "chatcmpl-0123456789",
    "object": "chat.completion",
    "created": 1_760_000_000,
    "model": "bench",
    "system_fingerprint": "fp_1",
    "choices": [
        {
            "index": 0,
            "finish_reason": "tool_calls",
            "logprobs": None,
            "message": {"role": "assistant", "content": "", "refusal": None, "tool_calls": _CALLS},
        }
    ],
    "usage": {
        **_TOKENS,
        "prompt_tokens_details": {"cached_tokens": 64, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 12, "audio_tokens": 0},
    },
}
_room = 4096 - len(json.dumps(_ANSWER))
_ANSWER["choices"][0]["message"]["content"] = ("Hello there, dear reader. \n" * 200)[: _room - 100]  # type: ignore[index]
TEXT = json.dumps(_ANSWER)


def every_field(answer: Any) -> int:
    """Reads all that a known answer has; how much text was in it."""
    seen = len(answer.id) + len(answer.object) + len(answer.model) + len(answer.system_fingerprint)
    seen += answer.created & 1
    for choice in answer.choices:
        seen += choice.index + len(choice.finish_reason) + (choice.logprobs is not None)
        message = choice.message
        seen += len(message.role) + len(message.content) + len(message.refusal or "")
        for call in message.tool_calls:
            seen += len(call.id) + len(call.type)
            seen += len(call.function.name) + len(call.function.arguments)
    usage = answer.usage
    seen += usage.prompt_tokens + usage.completion_tokens + usage.total_tokens
    details = usage.prompt_tokens_details
    seen += details.cached_tokens + details.audio_tokens
    details = usage.completion_tokens_details
    return seen + details.reasoning_tokens + details.audio_tokens


def reading_works(
    parse: Callable[[str], Any], dump: Callable[[Any], Any]
) -> dict[str, Callable[[Task], Seen]]:
    """From the text of an answer to its fields, and to a dict."""

    def fields(task: Task) -> Seen:
        sums = {every_field(parse(TEXT)) for _ in range(task.operations)}
        assert len(sums) == 1 and sums.pop() > 3500
        return Seen(events=task.operations)

    def dumped(task: Task) -> Seen:
        for _ in range(task.operations):
            found = dump(parse(TEXT))
            assert found["choices"][0]["message"]["tool_calls"][3]["id"] == "call_3"
        return Seen(events=task.operations)

    return {"fields": fields, "dump": dumped}
