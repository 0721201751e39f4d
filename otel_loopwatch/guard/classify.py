"""Which kind a result is: as the tool declares it, by the exception it raised, or by what its text says."""

from __future__ import annotations

from dataclasses import dataclass

from otel_loopwatch.canonical import text_of
from otel_loopwatch.guard.kinds import Result, ResultKind
from otel_loopwatch.model import Outcome
from otel_loopwatch.outcomes import outcome_of

RAISED: tuple[tuple[tuple[type[BaseException], ...], ResultKind], ...] = (
    ((TimeoutError, ConnectionError), ResultKind.RETRYABLE),
    ((PermissionError, FileNotFoundError, LookupError), ResultKind.PRECONDITION),
)
"""Kinds by what was raised, the first that fits; anything else is fatal."""

SAID = {
    Outcome.RETRYABLE: ResultKind.RETRYABLE,
    Outcome.PRECONDITION: ResultKind.PRECONDITION,
    Outcome.FATAL: ResultKind.FATAL,
    Outcome.PENDING: ResultKind.PENDING,
}
"""Kinds by what a text says; anything else is a success."""

DENIED = PermissionError
"""Raised where a side effect is known not to have happened. After any other exception nobody knows."""


@dataclass(frozen=True, slots=True)
class Came:
    """What came of an executed call."""

    kind: ResultKind
    outcome: Outcome
    value: object = None
    precondition: str | None = None
    known: bool = True
    """A failure is known to have changed nothing."""
    error: BaseException | None = None


def raised(error: BaseException) -> Came:
    """What an exception says."""
    kind = next((kind for types, kind in RAISED if isinstance(error, types)), ResultKind.FATAL)
    return Came(kind, Outcome(kind.value), known=isinstance(error, DENIED), error=error)


def returned(value: object, side_effect: bool) -> Came:
    """What a returned value says. A side effect that was taken on ("queued") has happened, unless declared pending."""
    if isinstance(value, Result):
        return Came(value.kind, Outcome(value.kind.value), value.value, value.precondition)
    outcome, _ = outcome_of(None if value is None else text_of(value), failed=False)
    if side_effect and outcome is Outcome.PENDING:
        outcome = Outcome.SUCCESS
    return Came(SAID.get(outcome, ResultKind.SUCCESS), outcome, value, known=False)
