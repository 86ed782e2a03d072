"""A span and the metrics of each call, from what an observer is told at its start and its end.
Knows the conventions' names by what they are (`_otel_names`), and no stream.

The span begins in the thread and the context of the caller, and ends on the thread that hands on
records; it is never the current span of anybody, so nothing has to be detached.
"""

from __future__ import annotations

import atexit
import logging
from time import time_ns
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from opentelemetry.context import _SUPPRESS_INSTRUMENTATION_KEY, get_current, get_value
from opentelemetry.propagate import inject
from opentelemetry.trace import SpanKind, Status, StatusCode, get_current_span, set_span_in_context

from modelwire import _otel_content as content
from modelwire import _otel_names as names
from modelwire._calls import END_MAX, flush
from modelwire._errors import _BY_KIND, _BY_STATUS, APIStatusError, OpenAIError
from modelwire._observe import Observer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opentelemetry.context import Context
    from opentelemetry.metrics import Meter
    from opentelemetry.trace import Span, Tracer

ADDRESSES_MAX = 256
"""Base URLs whose host and port are remembered."""
GAPS_MAX = 256
"""Times from chunk to chunk that are measured of a stream; of a longer one, evenly spread."""
KEY_MIN = 8
"""What is shorter is no key that anybody has to hide, as in the core: it may be meant."""
STOPS_MAX = 16
"""Stop sequences that are told."""

_SUPPRESSED = (_SUPPRESS_INSTRUMENTATION_KEY, "suppress_instrumentation")
_PORTS = {"http": 80, "https": 443}
_USAGE = (
    "input_tokens",
    "output_tokens",
    "cached_input_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
    "audio_input_tokens",
    "audio_output_tokens",
)
_LEFT = ("program", "dropped")

_log = logging.getLogger("modelwire.otel")
_addresses: dict[str, tuple[str, int] | None] = {}


class Metrics:
    """The instruments of a version of the conventions."""

    def __init__(self, meter: Meter, version: str) -> None:
        told = names.metrics(version)
        self.histograms = {
            what: meter.create_histogram(
                name,
                unit=unit,
                description=description,
                explicit_bucket_boundaries_advisory=(
                    names.SECONDS if unit == "s" else names.TOKENS
                ),
            )
            for what, name, unit, description in told.histograms
        }
        self.counters = {
            what: meter.create_counter(name, unit=unit, description=description)
            for what, name, unit, description in told.counters
        }


class Token:
    """A call under way: its span, and what is told again at its end."""

    __slots__ = ("attributes", "content", "context", "key", "operation", "span", "start")

    def __init__(self, operation: str, start: int, span: Span, attributes: dict[str, Any]) -> None:
        self.operation = operation
        self.start = start
        self.span = span
        self.context = set_span_in_context(span)
        self.attributes = attributes
        self.content: dict[str, Any] | None = None
        self.key = ""
        """To be looked for in what the service answers, which may echo it."""


class Calls(Observer):
    """The observer of all calls, as one `instrument` set it up."""

    def __init__(
        self,
        tracer: Tracer,
        metrics: Metrics | None,
        logger: Any,
        *,
        version: str,
        provider: str,
        inject_context: bool,
        content_on_spans: bool,
        content_max: int,
        chunk_times: bool,
    ) -> None:
        self._tracer = tracer
        self._metrics = metrics
        self._logger = logger
        self._names = names.attributes(version, provider)
        self._version = version
        self._provider = provider
        self._injects = inject_context
        self._content_on_spans = content_on_spans
        self._content_max = content_max
        self._chunk_times = chunk_times and metrics is not None
        self._is_due = False

    # The start, in the thread and the context of the caller.

    def started(self, call: Any) -> Token | None:
        """Begins a span, before anything is sent."""
        operation = names.OPERATIONS.get(call.operation)
        context = get_current()
        if operation is None or any(get_value(key, context) for key in _SUPPRESSED):
            return None
        fields = call.fields
        key = _key(call)
        model = _masked(_given(fields.get("model")), key)
        name = f"{operation} {model}" if model else operation
        if _is_told(name, context):
            return None
        told = self._names
        attributes: dict[str, Any] = {told.operation: operation, told.provider: self._provider}
        if model:
            attributes[told.model] = model
        address = _address(call.client)
        if address is not None:
            attributes[told.address], attributes[told.port] = address
        if not self._is_due:
            # Later than whatever the SDK has to do at the end, and so before it.
            self._is_due = True
            atexit.register(flush, END_MAX)
        start = time_ns()
        span = self._tracer.start_span(
            name, context, SpanKind.CLIENT, attributes=attributes, start_time=start
        )
        if self._injects:
            inject(call.headers, set_span_in_context(span, context))
        is_recording = span.is_recording()
        if not is_recording and self._metrics is None:
            return None
        token = Token(call.operation, start, span, attributes)
        token.key = key
        if call.stream:
            call.chunk_times = self._chunk_times
        if is_recording:
            _tried(self._tell_request, token, call, key)
        return token

    def _tell_request(self, token: Token, call: Any, key: str) -> None:
        token.span.set_attributes(self._request(call, key))
        if self._content_on_spans or self._logger is not None:
            token.content = content.asked(call.operation, call.fields, self._content_max, key)
            call.gather = True
            if self._content_on_spans:
                self._tell_content(token.span, token.content)

    def _request(self, call: Any, key: str) -> dict[str, Any]:
        """The attributes of a request, beside those that samplers are given."""
        told, fields = self._names, call.fields
        found: dict[str, Any] = {}
        if told.api:
            found[told.api] = names.APIS[call.operation]
        if call.stream:
            found[told.stream] = True
        for what, names_of, kind in _PARAMETERS:
            name = getattr(told, what)
            if name is None:
                continue
            for field in names_of:
                value = fields.get(field)
                if isinstance(value, kind) and not isinstance(value, bool):
                    found[name] = _masked(value, key)
                    break
        stops = fields.get("stop")
        stops = [stops] if isinstance(stops, str) else stops
        if isinstance(stops, (list, tuple)) and stops:
            found[told.stop] = [_masked(str(one), key) for one in stops[:STOPS_MAX]]
        choices = fields.get("n")
        if isinstance(choices, int) and choices != 1:
            found[told.choices] = choices
        if found.get(told.tier) == "auto":
            del found[told.tier]
        self._tell_format(found, fields)
        self._tell_nested(found, fields, key)
        return found

    def _tell_format(self, found: dict[str, Any], fields: Mapping[str, Any]) -> None:
        asked = fields.get("response_format")
        if asked is None:
            asked = _member(fields.get("text"), "format")
        kind = asked if isinstance(asked, str) else _member(asked, "type")
        if isinstance(kind, str) and self._names.format:
            if self._version != names.OLD and kind.startswith("json"):
                kind = "json"
            found[self._names.format] = kind

    def _tell_nested(self, found: dict[str, Any], fields: Mapping[str, Any], key: str) -> None:
        told = self._names
        effort = fields.get("reasoning_effort")
        effort = _member(fields.get("reasoning"), "effort") if effort is None else effort
        if isinstance(effort, str) and told.reasoning:
            found[told.reasoning] = _masked(effort, key)
        conversation = fields.get("conversation")
        if not isinstance(conversation, str):
            conversation = _member(conversation, "id")
        if isinstance(conversation, str):
            found[told.conversation] = _masked(conversation, key)

    def _tell_content(self, span: Span, told: Mapping[str, Any]) -> None:
        for what, value in told.items():
            span.set_attribute(getattr(self._names, what), content.dumped(value))

    # The end, on the thread that hands on records.

    def ended(self, token: Token, record: Any, response: Any) -> None:
        """Ends the span of a call, however it ended, and records its metrics."""
        if record is None:  # more calls ended than could be kept: nothing is known of this one
            token.span.end()
            return
        error = _error(record)
        answer: dict[str, Any] = {}
        if token.span.is_recording():
            _tried(self._tell_answer, token, record, response, error, answer)
        if self._metrics is not None:
            _tried(self._measure, self._metrics, token, record, response, error)
        if self._logger is not None and token.content is not None:
            _tried(self._log_details, token, answer)
        token.span.end(token.start + round(record.elapsed * 1e9))

    def _tell_answer(
        self, token: Token, record: Any, response: Any, error: str | None, found: dict[str, Any]
    ) -> None:
        told, span = self._names, token.span
        found.update(self._answer(record))
        if response is not None:
            self._tell_response(found, token, record, response)
        elif record.finish_reason is not None:
            found[told.reasons] = [content.reason(token.operation, record.finish_reason)]
        elif self._version != names.OLD and record.first_chunk is not None:
            found[told.reasons] = ["error"]  # as the conventions have it where none came
        if error is not None:
            found[told.error] = error
            said = (
                record.kind if record.status is None else f"{record.kind}, status {record.status}"
            )
            span.set_status(Status(StatusCode.ERROR, said))
        span.set_attributes({name: one for name, one in found.items() if name and one is not None})
        self._tell_attempts(token, record)
        if response is not None and token.content is not None:
            with_reasons = self._version == names.OLD
            token.content["output_messages"] = content.answered(
                token.operation, response, with_reasons, self._content_max, token.key
            )
            if self._content_on_spans:
                outputs = {"output_messages": token.content["output_messages"]}
                self._tell_content(span, outputs)

    def _answer(self, record: Any) -> dict[str, Any]:
        told, usage = self._names, record.usage
        found = {
            told.id: record.response_id,
            told.answered_by: record.response_model,
            told.status: record.status,
            told.request_id: record.request_id,
            told.metered: record.metered,
            told.kind: record.kind,
            told.cancelled_by: record.cancelled_by,
            told.bytes_out: record.bytes_out,
            told.bytes_in: record.bytes_in,
        }
        if record.streamed:
            found[told.first_chunk] = record.first_chunk
            found[told.chunks] = record.chunks
        if usage is not None:
            for what in _USAGE:
                found[getattr(told, what)] = _figure(usage, what)
        attempts = record.attempts
        if attempts:
            if record.attempts_count > 1:
                found[told.resent] = record.attempts_count - 1
            peer, _, port = (attempts[-1].address or "").rpartition(":")
            if peer:
                found[told.peer] = peer.strip("[]")
                found[told.peer_port] = int(port)
        return found

    def _tell_response(
        self, found: dict[str, Any], token: Token, record: Any, response: Any
    ) -> None:
        told = self._names
        reasons = content.reasons(token.operation, response)
        found[told.reasons] = [_masked(one, token.key) for one in reasons] or None
        found.update(self._of_service(response, token.key))

    def _of_service(self, response: Any, key: str) -> dict[str, Any]:
        """What only the answer itself has."""
        told = self._names
        found = {
            told.answered_tier: getattr(response, "service_tier", None),
            told.fingerprint: getattr(response, "system_fingerprint", None),
        }
        return {
            name: _masked(one, key) for name, one in found.items() if name and isinstance(one, str)
        }

    def _tell_attempts(self, token: Token, record: Any) -> None:
        """Events of all attempts and waits, where there is more to tell than one attempt over a
        connection that was there."""
        span, start, attempts = token.span, token.start, record.attempts
        for wait in record.waits:
            span.add_event(
                names.EVENTS.wait,
                {"reason": wait.reason, "seconds": wait.length},
                start + round(wait.start * 1e9),
            )
        is_plain = record.attempts_count == 1 and not record.waits
        if is_plain and all(attempt.reused for attempt in attempts):
            return
        for attempt in attempts:
            told = {
                name: getattr(attempt, name)
                for name in _OF_ATTEMPT
                if getattr(attempt, name) is not None
            }
            span.add_event(names.EVENTS.attempt, told, start + round(attempt.start * 1e9))

    def _measure(
        self, metrics: Metrics, token: Token, record: Any, response: Any, error: str | None
    ) -> None:
        told, context = self._names, token.context
        attributes = dict(token.attributes)
        if record.response_model is not None:
            attributes[told.answered_by] = record.response_model
        if response is not None:
            attributes.update(self._of_service(response, token.key))
        histograms = metrics.histograms
        failed = attributes if error is None else {**attributes, told.error: error}
        histograms["duration"].record(record.elapsed, failed, context)
        if record.streamed and record.first_chunk is not None:
            histograms["first_chunk"].record(record.first_chunk, attributes, context)
            times = record.chunk_times
            # Each costs more than all that a chunk costs otherwise.
            step = 1 + max(len(times) - 2, 0) // GAPS_MAX
            each = histograms["chunk"].record
            for index in range(1, len(times), step):
                each(times[index] - times[index - 1], attributes, context)
        self._count(metrics, record.usage, attributes, context)

    def _count(
        self, metrics: Metrics, usage: Any, attributes: dict[str, Any], context: Context
    ) -> None:
        told, histograms = self._names, metrics.histograms
        sums = [_figure(usage, what) for what in ("input_tokens", "output_tokens")]
        if "tokens" in histograms:
            for kind, figure in zip(("input", "output"), sums):
                if figure is not None:
                    typed = {**attributes, told.token_type: kind}
                    histograms["tokens"].record(figure, typed, context)
        for what, figure in zip(("call_input", "call_output"), sums):
            if what in histograms:
                histograms[what].record(figure or 0, attributes, context)
        for what, counter in metrics.counters.items():
            figure = _figure(usage, what)
            heard = _figure(usage, f"audio_{what}") or 0
            if figure is None and what not in ("input_tokens", "output_tokens"):
                continue
            if heard:
                counter.add(heard, {**attributes, told.modality: "audio"}, context)
            rest = max((figure or 0) - heard, 0)
            if rest or not heard:
                counter.add(rest, {**attributes, told.modality: "unknown"}, context)

    def _log_details(self, token: Token, answer: Mapping[str, Any]) -> None:
        """The content as an event of the log, where that was asked for."""
        from opentelemetry._logs import LogRecord

        told = {getattr(self._names, what): one for what, one in (token.content or {}).items()}
        attributes = {**token.attributes, **answer, **told}
        self._logger.emit(
            LogRecord(
                event_name=names.EVENTS.details,
                attributes={name: one for name, one in attributes.items() if one is not None},
                context=token.context,
            )
        )


# A row: what it is among the names, the fields of requests that have it, the type it must have.
_PARAMETERS: tuple[tuple[str, tuple[str, ...], Any], ...] = (
    ("temperature", ("temperature",), (int, float)),
    ("top_p", ("top_p",), (int, float)),
    ("top_k", ("top_k",), int),
    ("max_tokens", ("max_tokens", "max_completion_tokens", "max_output_tokens"), int),
    ("presence_penalty", ("presence_penalty",), (int, float)),
    ("frequency_penalty", ("frequency_penalty",), (int, float)),
    ("seed", ("seed",), int),
    ("tier", ("service_tier",), str),
    ("previous", ("previous_response_id",), str),
)

_OF_ATTEMPT = (
    "address",
    "reused",
    "dns",
    "connect",
    "tls",
    "head",
    "first_byte",
    "end",
    "status",
    "kind",
)


def _tried(tell: Any, *given: Any) -> None:
    """Tells one part of a call. What a program passes and a service answers can be anything: where
    a part cannot be told, the others are, and the span ends."""
    try:
        tell(*given)
    except Exception:
        _log.warning("a part of a call could not be told", exc_info=True)


def _given(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _key(call: Any) -> str:
    """The key of the call, which may be its own, to look for it in what is told."""
    key = call.key.value or ""
    return key if len(key) >= KEY_MIN else ""


def _masked(value: Any, key: str) -> Any:
    return content.masked(value, key) if isinstance(value, str) else value


def _member(value: Any, name: str) -> Any:
    get = getattr(value, "get", None)
    return get(name) if callable(get) else None


def _figure(usage: Any, what: str) -> int | None:
    figure = getattr(usage, what, None)
    return figure if isinstance(figure, int) else None


def _is_told(name: str, context: Context) -> bool:
    """Whether the caller's span is the one of this call: another instrumentation, of the same
    classes or of a framework above them, made it and records its metrics."""
    span = get_current_span(context)
    if not span.is_recording():
        return False
    kind = getattr(span, "kind", None)
    return kind is SpanKind.CLIENT and getattr(span, "name", None) == name


def _address(client: Any) -> tuple[str, int] | None:
    """The host and the port of a client's base URL."""
    try:
        url = client._open().base_url
    except OpenAIError:  # a closed one: its call will say so
        return None
    if url not in _addresses:
        if len(_addresses) >= ADDRESSES_MAX:
            _addresses.clear()
        parts = urlsplit(url)
        port = parts.port or _PORTS.get(parts.scheme)
        _addresses[url] = (parts.hostname, port) if parts.hostname and port else None
    return _addresses[url]


def _error(record: Any) -> str | None:
    """The error.type of a call; None of one that went well, and of a stream that the program left:
    it had what it wanted."""
    kind = record.kind
    if kind is None:
        return None
    if kind == "cancelled":
        is_open = record.streamed and record.status is not None
        return None if is_open and record.cancelled_by in _LEFT else "cancelled"
    chosen: type[OpenAIError] = _BY_KIND.get(kind, OpenAIError)
    if chosen is APIStatusError:
        chosen = _BY_STATUS.get(record.status, APIStatusError)
    return str(kind) if chosen is OpenAIError else chosen.__name__
