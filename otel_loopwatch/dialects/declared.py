"""What an application may say about a call of its own: attributes it sets on the tool span."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from otel_loopwatch.dialects.values import integer, text
from otel_loopwatch.model import Outcome
from otel_loopwatch.telemetry.names import CALL_OUTCOME, PROGRESS_VERSION, STATE_FINGERPRINT

_OUTCOMES = {outcome.value: outcome for outcome in Outcome}
_KEYS = frozenset({CALL_OUTCOME, PROGRESS_VERSION, STATE_FINGERPRINT})


class Declared(NamedTuple):
    """What was declared of a call; None is nothing."""

    outcome: Outcome | None = None
    """A word that is no outcome declares nothing."""
    progress_version: int | None = None
    state: str | None = None


NOTHING = Declared()


def declared(attributes: Mapping[str, Any]) -> Declared:
    """What an application said of a call: mostly nothing, which one look tells."""
    if _KEYS.isdisjoint(attributes):
        return NOTHING
    outcome = attributes.get(CALL_OUTCOME)
    return Declared(
        _OUTCOMES.get(outcome) if isinstance(outcome, str) else None,
        integer(attributes, PROGRESS_VERSION),
        text(attributes, STATE_FINGERPRINT),
    )
