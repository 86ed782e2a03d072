"""The names of OpenTelemetry's conventions for generative AI: one table, a column for each version
of them that is told. Knows no span and no call.

The conventions moved to a repository of their own (open-telemetry/semantic-conventions-genai) and
change still. Whoever follows a change edits this file alone; to keep an old name for those who ask
for it, adds a column.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

OLD = "1.30"
"""Told by default: what OpenTelemetry's own instrumentation of openai tells by default. What that
version has no name for is named as in 1.41, the last one of the old repository."""
LATEST = "latest"
"""The new repository as of September 2026, its pull request 521 included."""

SCHEMAS = {OLD: "https://opentelemetry.io/schemas/1.30.0", LATEST: None}
"""The schema that spans and metrics say they follow; the new repository has not published one."""

# A row: what it is here, its name in OLD, its name in LATEST if that is another one. None: that
# version is told nothing of the kind.
ATTRIBUTES: tuple[tuple[str | None, ...], ...] = (
    # at the start, for samplers
    ("operation", "gen_ai.operation.name"),
    ("provider", "gen_ai.system", "gen_ai.provider.name"),
    ("model", "gen_ai.request.model"),
    ("address", "server.address"),
    ("port", "server.port"),
    # of the request
    ("api", None, "openai.api.type"),
    ("stream", "gen_ai.request.stream"),
    ("temperature", "gen_ai.request.temperature"),
    ("top_p", "gen_ai.request.top_p"),
    ("top_k", "gen_ai.request.top_k"),
    ("max_tokens", "gen_ai.request.max_tokens"),
    ("presence_penalty", "gen_ai.request.presence_penalty"),
    ("frequency_penalty", "gen_ai.request.frequency_penalty"),
    ("seed", "gen_ai.request.seed"),
    ("stop", "gen_ai.request.stop_sequences"),
    ("choices", "gen_ai.request.choice.count"),
    ("format", "gen_ai.openai.request.response_format", "gen_ai.output.type"),
    ("tier", "gen_ai.openai.request.service_tier", "openai.request.service_tier"),
    ("conversation", "gen_ai.conversation.id"),
    ("reasoning", None, "gen_ai.request.reasoning.level"),
    ("previous", None, "gen_ai.request.previous_response.id"),
    # of the answer
    ("id", "gen_ai.response.id"),
    ("answered_by", "gen_ai.response.model"),
    ("reasons", "gen_ai.response.finish_reasons"),
    ("first_chunk", "gen_ai.response.time_to_first_chunk"),
    ("answered_tier", "gen_ai.openai.response.service_tier", "openai.response.service_tier"),
    (
        "fingerprint",
        "gen_ai.openai.response.system_fingerprint",
        "openai.response.system_fingerprint",
    ),
    ("input_tokens", "gen_ai.usage.input_tokens"),
    ("output_tokens", "gen_ai.usage.output_tokens"),
    ("cached_input_tokens", "gen_ai.usage.cache_read.input_tokens"),
    (
        "cache_write_tokens",
        "gen_ai.usage.cache_creation.input_tokens",
        "gen_ai.usage.cache_write.input_tokens",
    ),
    ("reasoning_tokens", "gen_ai.usage.reasoning.output_tokens"),
    ("audio_input_tokens", None, "gen_ai.usage.audio.input_tokens"),
    ("audio_output_tokens", None, "gen_ai.usage.audio.output_tokens"),
    # content, if asked
    ("input_messages", "gen_ai.input.messages"),
    ("output_messages", "gen_ai.output.messages"),
    ("instructions", "gen_ai.system_instructions"),
    ("tools", "gen_ai.tool.definitions"),
    # of HTTP and of failures, in all versions
    ("error", "error.type"),
    ("status", "http.response.status_code"),
    ("resent", "http.request.resend_count"),
    ("peer", "network.peer.address"),
    ("peer_port", "network.peer.port"),
    # of metrics alone
    ("token_type", "gen_ai.token.type", None),
    ("modality", None, "gen_ai.token.modality"),
    # our own, where there is no name
    ("kind", "modelwire.error.kind"),
    ("metered", "modelwire.metered"),
    ("cancelled_by", "modelwire.cancelled_by"),
    ("request_id", "modelwire.request_id"),
    ("chunks", "modelwire.chunks"),
    ("bytes_out", "modelwire.bytes_out"),
    ("bytes_in", "modelwire.bytes_in"),
)

EVENTS = SimpleNamespace(
    attempt="modelwire.attempt",
    wait="modelwire.wait",
    details="gen_ai.client.inference.operation.details",
)
"""What is told beside a span: events of it, and the log event with the content."""

SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
TOKENS = [4**power for power in range(14)]
"""The bounds that the conventions give for histograms of times and of tokens."""

# A row: what it is here, its name in OLD, its name in LATEST, its unit, what it is.
HISTOGRAMS: tuple[tuple[str, str | None, str | None, str, str], ...] = (
    (
        "duration",
        "gen_ai.client.operation.duration",
        "gen_ai.client.inference.duration",
        "s",
        "Duration of GenAI client operation",
    ),
    (
        "first_chunk",
        "gen_ai.client.operation.time_to_first_chunk",
        "gen_ai.client.inference.time_to_first_chunk",
        "s",
        "Time to the first chunk of a streamed answer",
    ),
    (
        "chunk",
        "gen_ai.client.operation.time_per_output_chunk",
        "gen_ai.client.inference.time_per_output_chunk",
        "s",
        "Time from a chunk of a streamed answer to the next",
    ),
    (
        "tokens",
        "gen_ai.client.token.usage",
        None,
        "{token}",
        "Number of input and output tokens used by GenAI clients",
    ),
    (
        "call_input",
        None,
        "gen_ai.client.inference.operation.input_tokens",
        "{token}",
        "Input tokens of a call",
    ),
    (
        "call_output",
        None,
        "gen_ai.client.inference.operation.output_tokens",
        "{token}",
        "Output tokens of a call",
    ),
)

# The same of counters; each counts the figure of the usage that has its name.
COUNTERS: tuple[tuple[str, str | None, str | None, str, str], ...] = (
    (
        "input_tokens",
        None,
        "gen_ai.client.inference.usage.input_tokens",
        "{token}",
        "Input tokens used, cached ones included",
    ),
    (
        "output_tokens",
        None,
        "gen_ai.client.inference.usage.output_tokens",
        "{token}",
        "Output tokens used, those of reasoning included",
    ),
    (
        "cached_input_tokens",
        None,
        "gen_ai.client.inference.usage.cache_read.input_tokens",
        "{token}",
        "Input tokens that came from the service's cache",
    ),
    (
        "cache_write_tokens",
        None,
        "gen_ai.client.inference.usage.cache_write.input_tokens",
        "{token}",
        "Input tokens that were written to the service's cache",
    ),
    (
        "reasoning_tokens",
        None,
        "gen_ai.client.inference.usage.reasoning.output_tokens",
        "{token}",
        "Output tokens that were reasoning",
    ),
)

OPERATIONS = {"chat": "chat", "responses": "chat"}
"""The conventions' operation for each of ours. They have none for a list of models: nothing is told
of one."""

APIS = {"chat": "chat_completions", "responses": "responses"}

OPENAI = "openai"
"""The provider that is told unless another is given: the form of what is told is its form."""


def asked_for(opted_in: str) -> str:
    """The version that OTEL_SEMCONV_STABILITY_OPT_IN asks for."""
    return LATEST if "gen_ai_latest_experimental" in map(str.strip, opted_in.split(",")) else OLD


def attributes(version: str, provider: str) -> Any:
    """The names of attributes in a version, by what they are here; None for what is not told."""
    column = _column(version)
    names = {str(row[0]): row[min(column, len(row) - 1)] for row in ATTRIBUTES}
    if provider != OPENAI:  # openai.* goes with that provider alone
        names = {what: None if name and "openai." in name else name for what, name in names.items()}
    return SimpleNamespace(**names)


def metrics(version: str) -> Any:
    """Histograms and counters of a version: what it is here, its name, unit and description."""
    column = _column(version)
    told = [
        [(row[0], row[column], row[3], row[4]) for row in table if row[column] is not None]
        for table in (HISTOGRAMS, COUNTERS)
    ]
    return SimpleNamespace(histograms=told[0], counters=told[1])


def _column(version: str) -> int:
    return 1 if version == OLD else 2
