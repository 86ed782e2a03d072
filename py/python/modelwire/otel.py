"""OpenTelemetry for calls: a span and metrics of each, by its conventions for generative AI.

    from modelwire.otel import ModelwireInstrumentor

    ModelwireInstrumentor().instrument()

or nothing at all where the program is started by `opentelemetry-instrument`. Needs
opentelemetry-api (`pip install modelwire[otel]`), and an SDK to go anywhere. Imported when it is
asked for; knows the settings, and no call.
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
from modelwire import _otel_names as names
from modelwire._native import __version__
from modelwire._otel_calls import Calls, Metrics
from modelwire._otel_content import CONTENT_MAX

if TYPE_CHECKING:
    from collections.abc import Collection

    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import TracerProvider

OPT_IN = "OTEL_SEMCONV_STABILITY_OPT_IN"
CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"

_SCOPE = "modelwire"
# What the variable says: whether content goes to spans, and whether to events of the log.
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
    """Switches spans and metrics on and off, for all clients of the process: those that are there
    and those to come. There is one: whoever calls the class gets it."""

    _instance: ModelwireInstrumentor | None = None
    _lock = threading.Lock()
    _calls: Calls | None = None

    def __new__(cls) -> ModelwireInstrumentor:
        with cls._lock:
            if cls._instance is None:
                cls._instance = super().__new__(cls)
            return cls._instance

    def instrumentation_dependencies(self) -> Collection[str]:
        """None: what is instrumented is this package."""
        return ()

    @property
    def is_instrumented_by_opentelemetry(self) -> bool:
        """Whether calls are told."""
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
        provider_name: str = names.OPENAI,
        conventions: str | None = None,
        **others: Any,
    ) -> None:
        """Tells every call from now on. What is left out is OpenTelemetry's: the global providers,
        and its variables.

        inject_context sends the span's context (`traceparent`, and baggage if there is some) to
        the service. capture_content puts what was asked and answered on the spans, each attribute
        at most content_max characters; None is what the variable
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT says. chunk_times measures the time from
        chunk to chunk. provider_name is who the service is, where it is another one's.
        conventions is "1.30" or "latest"; None is what OTEL_SEMCONV_STABILITY_OPT_IN says.
        """
        unknown = sorted(others.keys() - {"skip_dep_check", "raise_exception_on_conflict"})
        if unknown:
            _log.warning("instrument takes no %s", ", ".join(unknown))
        with self._lock:
            if self._calls is not None:
                _log.warning("calls are told already: uninstrument first, to change how")
                return
            version = conventions or names.asked_for(os.environ.get(OPT_IN, ""))
            on_spans, on_events = _captures(capture_content)
            if version not in names.SCHEMAS:
                known = ", ".join(names.SCHEMAS)
                raise ValueError(f"there are no conventions {version!r}: {known}")
            schema = names.SCHEMAS[version]
            tracer = get_tracer(_SCOPE, __version__, tracer_provider, schema)
            metrics = None
            if not isinstance(meter_provider, NoOpMeterProvider):
                metrics = Metrics(get_meter(_SCOPE, __version__, meter_provider, schema), version)
            self._calls = Calls(
                tracer,
                metrics,
                _logger(logger_provider, schema) if on_events else None,
                version=version,
                provider=provider_name,
                inject_context=inject_context,
                content_on_spans=on_spans,
                content_max=content_max,
                chunk_times=chunk_times,
            )
            _observe.observers.append(self._calls)

    def uninstrument(self, **others: Any) -> None:
        """Tells no further call. What is under way is told when it ends."""
        with self._lock:
            calls, self._calls = self._calls, None
            if calls is None:
                _log.warning("calls are not told: there is nothing to uninstrument")
                return
            _observe.observers.remove(calls)


def _captures(given: bool | None) -> tuple[bool, bool]:
    if given is not None:
        return bool(given), False
    said = os.environ.get(CAPTURE, "").strip().lower()
    if said not in _CAPTURES:
        _log.warning("%s=%s is none of %s", CAPTURE, said, ", ".join(filter(None, _CAPTURES)))
    return _CAPTURES.get(said, (False, False))


def _logger(provider: Any, schema: str | None) -> Any:
    from opentelemetry._logs import get_logger

    return get_logger(_SCOPE, __version__, provider, schema)
