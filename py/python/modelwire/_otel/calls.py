"""A span and metrics for each call.

A span starts in the thread and the context of the caller and ends on the thread that notifies
observers. It is never made the current span, so nothing has to be detached.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import logging
from dataclasses import dataclass, field
from time import time_ns
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from opentelemetry.context import _SUPPRESS_INSTRUMENTATION_KEY, get_current, get_value
from opentelemetry.propagate import inject
from opentelemetry.trace import SpanKind, StatusCode, get_current_span, set_span_in_context

from modelwire._calls import END_MAX, flush
from modelwire._errors import _BY_KIND, _BY_STATUS, APIStatusError, OpenAIError
from modelwire._observe import Observer
from modelwire._otel import content

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from opentelemetry.context import Context
    from opentelemetry.metrics import Meter
    from opentelemetry.trace import Span, Tracer

SCHEMA = "https://opentelemetry.io/schemas/1.41.0"
"""The conventions that all names here are of: the last release that has those for generative AI.
They moved to open-telemetry/semantic-conventions-genai, which has no release yet."""

GAPS_MAX = 256
"""Times from chunk to chunk that are measured of a stream; of a longer one, evenly spread."""
STOPS_MAX = 16
"""Stop sequences on a span."""

# Histogram bounds in seconds and tokens, from the conventions.
_SECONDS = [0.01 * 2**power for power in range(14)]
_TOKENS = [4**power for power in range(14)]
_HISTOGRAMS = {
    "gen_ai.client.operation.duration": ("s", "GenAI operation duration."),
    "gen_ai.client.operation.time_to_first_chunk": ("s", "Time to the first chunk of a stream."),
    "gen_ai.client.operation.time_per_output_chunk": ("s", "Time from chunk to chunk of a stream."),
    "gen_ai.client.token.usage": ("{token}", "Number of input and output tokens used."),
}
_API_TYPES = {"chat": "chat_completions", "responses": "responses"}
# Numeric request fields, with their attributes below gen_ai.request.
_NUMBERS = {
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "max_tokens": "max_tokens",
    "max_completion_tokens": "max_tokens",
    "max_output_tokens": "max_tokens",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
    "seed": "seed",
    "n": "choice.count",
}
_USAGE = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "cached_input_tokens": "cache_read.input_tokens",
    "cache_write_tokens": "cache_creation.input_tokens",
    "reasoning_tokens": "reasoning.output_tokens",
}
_ATTEMPT = "address reused dns connect tls head first_byte end status kind".split()
_SUPPRESSED = (_SUPPRESS_INSTRUMENTATION_KEY, "suppress_instrumentation")
_PORTS = {"http": 80, "https": 443}

_log = logging.getLogger("modelwire.otel")


@dataclass(slots=True)
class _Started:
    """A call in flight."""

    operation: str
    keys: Sequence[str]
    start: int
    span: Span
    attributes: dict[str, Any]
    """The attributes of the start, which metrics have as well."""
    content: dict[str, Any] = field(default_factory=dict)


class CallTracer(Observer):
    """The observer of all calls, with the settings of `instrument`."""

    def __init__(
        self,
        tracer: Tracer,
        meter: Meter | None,
        logger: Any,
        *,
        provider: str,
        inject_context: bool,
        content_on_spans: bool,
        content_max: int,
        chunk_times: bool,
    ) -> None:
        self._tracer = tracer
        self._logger = logger
        self._histograms = (
            None
            if meter is None
            else {
                name: meter.create_histogram(
                    name,
                    unit=unit,
                    description=description,
                    explicit_bucket_boundaries_advisory=_SECONDS if unit == "s" else _TOKENS,
                )
                for name, (unit, description) in _HISTOGRAMS.items()
            }
        )
        self._provider = provider
        self._injects = inject_context
        self._content_on_spans = content_on_spans
        self._content_max = content_max
        self._chunk_times = chunk_times and meter is not None
        self._flushes_at_exit = False

    def started(self, call: Any) -> _Started | None:
        """Starts the span, before anything is sent."""
        context = get_current()
        if call.operation not in _API_TYPES or any(get_value(one, context) for one in _SUPPRESSED):
            return None
        keys = [one for one in (call.key.value, *call.other_keys) if one]
        model = call.fields.get("model")
        attributes: dict[str, Any] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": self._provider,
            "gen_ai.request.model": model if isinstance(model, str) and model else None,
        }
        with contextlib.suppress(OpenAIError):  # of a closed client: the call reports it
            host, port = _address(call.client._open().base_url)
            attributes |= {"server.address": host, "server.port": port}
        attributes = self._clean(attributes, keys)
        name = " ".join(["chat", *filter(None, [attributes.get("gen_ai.request.model")])])
        if _has_span(name, context):
            return None
        if not self._flushes_at_exit:
            # Registered after the SDK's own exit function, and therefore called before it.
            self._flushes_at_exit = True
            atexit.register(flush, END_MAX)
        start = time_ns()
        span = self._tracer.start_span(
            name, context, SpanKind.CLIENT, attributes=attributes, start_time=start
        )
        if self._injects:
            inject(call.headers, set_span_in_context(span, context))
        if not span.is_recording() and self._histograms is None:
            return None
        started = _Started(call.operation, keys, start, span, attributes)
        if call.stream and self._chunk_times:
            call.chunk_times = True
        if span.is_recording():
            try:
                self._describe_request(started, call)
            except Exception:  # invalid arguments of the program: the call reports them
                _log.warning("setting a request attribute failed", exc_info=True)
        return started

    def _describe_request(self, started: _Started, call: Any) -> None:
        found = _request_attributes(call.operation, call.fields, call.stream)
        started.span.set_attributes(self._clean(found, started.keys))
        if self._content_on_spans or self._logger is not None:
            call.gather = True
            self._capture(started, content.of_request, call.fields)

    def _capture(self, started: _Started, convert: Any, given: Any) -> None:
        found = convert(started.operation, given, self._content_max, started.keys)
        started.content |= found
        if self._content_on_spans:
            for name, value in found.items():
                text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
                started.span.set_attribute(name, text)

    def ended(self, token: _Started, record: Any, response: Any) -> None:
        """Records the metrics and ends the span, on the thread of observers."""
        if record is None:  # the record was dropped because the queue was full
            token.span.end()
            return
        try:
            self._describe_end(token, record, response)
        except Exception:
            _log.warning("setting an answer attribute failed", exc_info=True)
        finally:
            token.span.end(token.start + round(record.elapsed * 1e9))

    def _describe_end(self, token: _Started, record: Any, response: Any) -> None:
        span, error = token.span, _error_type(record)
        found = self._clean(
            _answer_attributes(token.operation, record, response, error), token.keys
        )
        if self._histograms is not None:
            self._measure(self._histograms, token, record, found)
        if not span.is_recording():
            return
        span.set_attributes(found)
        if error is not None:
            status = "" if record.status is None else f", status {record.status}"
            span.set_status(StatusCode.ERROR, f"{record.kind}{status}")
        _add_events(span, token.start, record)
        if response is not None and (self._content_on_spans or self._logger is not None):
            self._capture(token, content.of_answer, response)
        if self._logger is not None:
            from opentelemetry._logs import LogRecord

            self._logger.emit(
                LogRecord(
                    event_name="gen_ai.client.inference.operation.details",
                    attributes={**token.attributes, **found, **token.content},
                    context=set_span_in_context(span),
                )
            )

    def _measure(
        self, histograms: Mapping[str, Any], token: _Started, record: Any, found: dict[str, Any]
    ) -> None:
        attributes, context = dict(token.attributes), set_span_in_context(token.span)
        for name in found.keys() & _OF_METRICS:
            attributes[name] = found[name]

        def measure(name: str, value: float, **more: Any) -> None:
            histograms[f"gen_ai.client.{name}"].record(value, {**attributes, **more}, context)

        failed = {"error.type": found["error.type"]} if "error.type" in found else {}
        measure("operation.duration", record.elapsed, **failed)
        if record.streamed and record.first_chunk is not None:
            measure("operation.time_to_first_chunk", record.first_chunk)
        times = record.chunk_times
        # Each measurement costs more than everything else per chunk.
        for index in range(1, len(times), 1 + max(len(times) - 2, 0) // GAPS_MAX):
            measure("operation.time_per_output_chunk", times[index] - times[index - 1])
        for kind in ("input", "output"):
            tokens = getattr(record.usage, f"{kind}_tokens", None)
            if tokens is not None:
                measure("token.usage", tokens, **{"gen_ai.token.type": kind})

    def _clean(self, attributes: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
        """The attributes whose types are allowed, without the key."""
        found: dict[str, Any] = {}
        for name, value in attributes.items():
            if name.startswith("openai.") and self._provider != "openai":
                continue
            if isinstance(value, str):
                found[name] = content.redacted(value, keys)
            elif isinstance(value, (int, float)):
                found[name] = value
            elif isinstance(value, list) and value:
                found[name] = [content.redacted(str(one), keys) for one in value]
        return found


_OF_METRICS = {
    "gen_ai.response.model",
    "openai.response.service_tier",
    "openai.response.system_fingerprint",
}


def _request_attributes(
    operation: str, fields: Mapping[str, Any], is_stream: bool
) -> dict[str, Any]:
    """The attributes of a request in addition to those of the start."""
    found: dict[str, Any] = {"openai.api.type": _API_TYPES[operation]}
    if is_stream:
        found["gen_ai.request.stream"] = True
    for name, attribute in _NUMBERS.items():
        value = fields.get(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            found[f"gen_ai.request.{attribute}"] = value
    if found.get("gen_ai.request.choice.count") == 1:
        del found["gen_ai.request.choice.count"]
    stops = fields.get("stop")
    stops = [stops] if isinstance(stops, str) else stops
    if isinstance(stops, (list, tuple)):
        found["gen_ai.request.stop_sequences"] = list(stops[:STOPS_MAX])
    kind = fields.get("response_format") or _member(fields.get("text"), "format")
    kind = kind if isinstance(kind, str) else _member(kind, "type")
    if isinstance(kind, str):
        found["gen_ai.output.type"] = "json" if kind.startswith("json") else kind
    if fields.get("service_tier") != "auto":
        found["openai.request.service_tier"] = fields.get("service_tier")
    conversation = fields.get("conversation")
    found["gen_ai.conversation.id"] = _member(conversation, "id") or conversation
    return found


def _answer_attributes(
    operation: str, record: Any, response: Any, error: str | None
) -> dict[str, Any]:
    found = {
        "gen_ai.response.id": record.response_id,
        "gen_ai.response.model": record.response_model,
        "error.type": error,
        "http.response.status_code": record.status,
        "modelwire.error.kind": record.kind,
    }
    for name in ("request_id", "metered", "cancelled_by", "bytes_out", "bytes_in"):
        found[f"modelwire.{name}"] = getattr(record, name)
    if record.streamed:
        found["gen_ai.response.time_to_first_chunk"] = record.first_chunk
        found["modelwire.chunks"] = record.chunks
    if response is not None:
        found["gen_ai.response.finish_reasons"] = content.finish_reasons(operation, response)
        for name in ("service_tier", "system_fingerprint"):
            found[f"openai.response.{name}"] = getattr(response, name, None)
    elif record.finish_reason is not None:
        reason = content.finish_reason(operation, record.finish_reason)
        found["gen_ai.response.finish_reasons"] = [reason]
    for name, attribute in _USAGE.items():
        found[f"gen_ai.usage.{attribute}"] = getattr(record.usage, name, None)
    if record.attempts_count > 1:
        found["http.request.resend_count"] = record.attempts_count - 1
    if record.attempts:
        peer, _, port = (record.attempts[-1].address or "").rpartition(":")
        if peer:
            found["network.peer.address"] = peer.strip("[]")
            found["network.peer.port"] = int(port)
    return found


def _add_events(span: Span, start: int, record: Any) -> None:
    """Events of attempts and waits, unless there was one attempt over an open connection."""
    for wait in record.waits:
        attributes = {"reason": wait.reason, "seconds": wait.length}
        span.add_event("modelwire.wait", attributes, start + round(wait.start * 1e9))
    attempts = record.attempts
    if record.attempts_count == 1 and not record.waits and all(one.reused for one in attempts):
        return
    for one in attempts:
        attributes = {name: getattr(one, name) for name in _ATTEMPT}
        attributes = {name: value for name, value in attributes.items() if value is not None}
        span.add_event("modelwire.attempt", attributes, start + round(one.start * 1e9))


def _error_type(record: Any) -> str | None:
    """The error.type of a call: the class of its exception. None after success, and for a stream
    that the program abandoned, which is not an error."""
    kind = record.kind
    if kind == "cancelled":
        is_open = record.streamed and record.status is not None
        return None if is_open and record.cancelled_by in ("program", "dropped") else "cancelled"
    chosen: type[OpenAIError] | None = _BY_KIND.get(kind)
    if chosen is APIStatusError:
        chosen = _BY_STATUS.get(record.status, APIStatusError)
    return kind if chosen in (None, OpenAIError) else chosen.__name__


def _member(value: Any, name: str) -> Any:
    get = getattr(value, "get", None)
    return get(name) if callable(get) else None


def _has_span(name: str, context: Context) -> bool:
    """Whether the caller's span already represents this call: another instrumentation, of the same
    classes or of a framework above them, started it, and records the metrics as well."""
    span: Any = get_current_span(context)
    is_client = getattr(span, "kind", None) is SpanKind.CLIENT
    return is_client and span.is_recording() and getattr(span, "name", None) == name


def _address(url: str) -> tuple[str | None, int | None]:
    parts = urlsplit(url)
    return parts.hostname, parts.port or _PORTS.get(parts.scheme)
