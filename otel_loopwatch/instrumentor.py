"""Loopwatch without code: what ``opentelemetry-instrument`` and declarative configuration find by its entry point.

Needs the extra ``auto``; nothing else of the package imports this module.
"""

from __future__ import annotations

import logging
from collections.abc import Collection
from typing import Any

from opentelemetry.instrumentation.instrumentor import BaseInstrumentor  # type: ignore[attr-defined]  # has no types

from otel_loopwatch.config import load
from otel_loopwatch.installation import install
from otel_loopwatch.processor import LoopwatchSpanProcessor
from otel_loopwatch.telemetry import names

log = logging.getLogger(names.SCOPE)


class LoopwatchInstrumentor(BaseInstrumentor):  # type: ignore[misc]
    """Has the global tracer provider watched. Options are those of the table of parameters, and ``config_path``.

    A wrong option, or a missing provider, is one line in the log: raised, it would keep the launcher from loading the
    instrumentations that come after this one.
    """

    _processor: LoopwatchSpanProcessor | None = None

    def instrumentation_dependencies(self) -> Collection[str]:
        """None: it works on the SDK."""
        return ()

    def instrument(self, **options: Any) -> Any:
        """Once: with a configuration file the launcher comes here a second time, without the options."""
        return None if self.is_instrumented_by_opentelemetry else super().instrument(**options)

    def _instrument(self, *, tracer_provider: object | None = None, **options: Any) -> None:
        try:
            arguments = {"options": load(**options)} if options else {}
            self._processor = install(tracer_provider, **arguments)
        except ValueError as error:
            log.error("Loopwatch is off: %s", error)

    def _uninstrument(self, **options: Any) -> None:
        """The SDK cannot take a processor out: it stays, and does nothing any more."""
        if self._processor is not None:
            self._processor.shutdown()
