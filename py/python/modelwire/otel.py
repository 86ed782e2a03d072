"""OpenTelemetry for calls: a span and metrics for each, by its conventions for generative AI.

    from modelwire.otel import ModelwireInstrumentor

    ModelwireInstrumentor().instrument()

A program started with `opentelemetry-instrument` needs neither line. Requires opentelemetry-api
(`pip install modelwire[otel]`), and an SDK that exports.
"""

from __future__ import annotations

import logging
import os
import threading
from typing import TYPE_CHECKING, Any

try:
    from opentelemetry.metrics import NoOpMeterProvider, get_meter
    from opentelemetry.trace import get_tracer
except ModuleNotFoundError as _missing:
    raise ModuleNotFoundError(
        "modelwire.otel needs opentelemetry-api: pip install 'modelwire[otel]'", name=_missing.name
    ) from _missing

from modelwire import _observe
from modelwire._native import __version__
from modelwire._otel.calls import SCHEMA, CallTracer
from modelwire._otel.content import CONTENT_MAX

if TYPE_CHECKING:
    from collections.abc import Collection

    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import TracerProvider

CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"

# Values of the variable: whether content goes on spans, and whether in log events.
_CAPTURES = {
    "": (False, False),
    "false": (False, False),
    "no_content": (False, False),
    "true": (True, False),
    "span_only": (True, False),
    "event_only": (False, True),
    "span_and_event": (True, True),
}

_log = logging.getLogger("modelwire.otel")


class ModelwireInstrumentor:
    """Switches spans and metrics on and off, for all clients of the process, present and future.
    Each call of the class returns the same object; any thread may use it."""

    _instance: ModelwireInstrumentor | None = None
    _lock = threading.Lock()
    _calls: CallTracer | None = None

    def __new__(cls) -> ModelwireInstrumentor:
        with cls._lock:
            if cls._instance is None:
                cls._instance = super().__new__(cls)
            return cls._instance

    def instrumentation_dependencies(self) -> Collection[str]:
        """None: this package instruments itself."""
        return ()

    @property
    def is_instrumented_by_opentelemetry(self) -> bool:
        """Whether calls are instrumented."""
        return self._calls is not None

    def instrument(
        self,
        *,
        tracer_provider: TracerProvider | None = None,
        meter_provider: MeterProvider | None = None,
        logger_provider: Any = None,
        inject_context: bool = False,
        capture_content: bool | None = None,
        content_max: int = CONTENT_MAX,
        chunk_times: bool = True,
        provider_name: str = "openai",
        **others: Any,
    ) -> None:
        """Instruments the calls that start from now on. Omitted providers default to the global
        ones.

        inject_context sends the span's context (`traceparent`, and baggage if any) to the service.
        capture_content records requests and answers on the spans, with at most content_max
        characters per attribute; None uses OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT.
        chunk_times measures the time between chunks. provider_name is the service's provider, in
        the terms of the conventions.
        """
        unknown = sorted(others.keys() - {"skip_dep_check", "raise_exception_on_conflict"})
        if unknown:
            _log.warning("instrument does not take %s", ", ".join(unknown))
        with self._lock:
            if self._calls is not None:
                _log.warning("already instrumented: call uninstrument first to change settings")
                return
            on_spans, in_events = _captures(capture_content)
            metered = not isinstance(meter_provider, NoOpMeterProvider)
            self._calls = CallTracer(
                get_tracer("modelwire", __version__, tracer_provider, SCHEMA),
                get_meter("modelwire", __version__, meter_provider, SCHEMA) if metered else None,
                _logger(logger_provider) if in_events else None,
                provider=provider_name,
                inject_context=inject_context,
                content_on_spans=on_spans,
                content_max=content_max,
                chunk_times=chunk_times,
            )
            _observe.observers.append(self._calls)

    def uninstrument(self, **others: Any) -> None:
        """Stops instrumenting new calls. The spans of calls in flight end with them."""
        with self._lock:
            calls, self._calls = self._calls, None
            if calls is None:
                _log.warning("not instrumented: nothing to uninstrument")
                return
            _observe.observers.remove(calls)


def _captures(given: bool | None) -> tuple[bool, bool]:
    if given is not None:
        return bool(given), False
    value = os.environ.get(CAPTURE, "").strip().lower()
    if value not in _CAPTURES:
        _log.warning("%s=%s is not one of %s", CAPTURE, value, ", ".join(filter(None, _CAPTURES)))
    return _CAPTURES.get(value, (False, False))


def _logger(provider: Any) -> Any:
    from opentelemetry._logs import get_logger

    return get_logger("modelwire", __version__, provider, SCHEMA)
