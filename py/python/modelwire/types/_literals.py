"""The literals that fields take, as types.

Written by py/stubs/from_openai.py.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

ChatCompletionModality: TypeAlias = Literal["text", "audio"]
ChatCompletionRole: TypeAlias = Literal["developer", "system", "user", "assistant", "tool",
    "function"]
ImageDetail: TypeAlias = Literal["low", "high", "auto", "original"]
ResponseIncludable: TypeAlias = Literal["file_search_call.results", "web_search_call.results",
    "web_search_call.action.sources", "message.input_image.image_url",
    "computer_call_output.output.image_url", "code_interpreter_call.outputs",
    "reasoning.encrypted_content", "message.output_text.logprobs"]
ResponseStatus: TypeAlias = Literal["completed", "failed", "in_progress", "cancelled", "queued",
    "incomplete"]
ServiceTier: TypeAlias = (Literal["auto", "default", "flex", "scale", "priority", "fast",
    "ultrafast"] | None)
ToolChoiceOptions: TypeAlias = Literal["none", "auto", "required"]
ChatModel: TypeAlias = str
AllModels: TypeAlias = str | ChatModel
FunctionParameters: TypeAlias = dict[str, object]
Metadata: TypeAlias = dict[str, str]
ReasoningEffort: TypeAlias = (Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] |
    None)
ResponsesModel: TypeAlias = str | ChatModel
