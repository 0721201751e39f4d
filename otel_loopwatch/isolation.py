"""Errors of ours are kept from the application: the SDK does not catch what a processor raises."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from otel_loopwatch.telemetry import names
from otel_loopwatch.telemetry.metrics import Metrics

log = logging.getLogger(names.SCOPE)

P = ParamSpec("P")
T = TypeVar("T")


class Guarded:
    """Something whose hooks the application calls: they fail in silence, but for a count and a line in the log."""

    enabled: bool
    _metrics: Metrics

    def __init__(self) -> None:
        self._logged: set[tuple[str, str]] = set()

    def failed(self, hook: str, error: Exception) -> None:
        """Count, and log once per kind of error and hook."""
        kind = type(error).__qualname__
        self._metrics.failed(kind)
        self.warn_once(hook, kind, "Loopwatch failed with %s; further errors of this kind are only counted", error)

    def safely(self, what: Callable[[], T]) -> T | None:
        """Do something of ours, unless disabled; None where it failed."""
        return _safely(self, what)

    def warn_once(self, where: str, what: str, message: str, error: Exception | None = None) -> None:
        """Log ``message`` with ``what`` in it, at the first time it comes from ``where``."""
        if (where, what) not in self._logged:
            self._logged.add((where, what))
            log.warning(message, what, exc_info=error)


G = TypeVar("G", bound=Guarded)


def guarded(hook: Callable[Concatenate[G, P], T]) -> Callable[Concatenate[G, P], T | None]:
    """Have a method do nothing where its object is not enabled, and never raise an ``Exception``."""

    @wraps(hook)
    def safe(self: G, /, *args: P.args, **kwargs: P.kwargs) -> T | None:
        if not self.enabled:
            return None
        try:
            return hook(self, *args, **kwargs)
        except Exception as error:  # noqa: BLE001 - it must not reach the application
            self.failed(hook.__name__, error)
            return None

    return safe


@guarded
def _safely(self: Guarded, what: Callable[[], T]) -> T | None:
    return what()
