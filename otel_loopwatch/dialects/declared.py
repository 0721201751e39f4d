"""What an application may say about a call of its own: attributes it sets on the tool span."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from otel_loopwatch.model import Outcome
from otel_loopwatch.telemetry.names import CALL_OUTCOME

_OUTCOMES = {outcome.value: outcome for outcome in Outcome}


def outcome(attributes: Mapping[str, Any]) -> Outcome | None:
    """The outcome declared; a word that is no outcome declares nothing."""
    value = attributes.get(CALL_OUTCOME)
    return _OUTCOMES.get(value) if isinstance(value, str) else None
