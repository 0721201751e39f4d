"""Side effects of a run: claimed in the ledger before the call, settled after it."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from uuid import uuid4

import msgspec

from otel_loopwatch.canonical import decode, encode
from otel_loopwatch.control.report import CompletedOperation
from otel_loopwatch.guard.causes import Cause
from otel_loopwatch.guard.kinds import ResultKind
from otel_loopwatch.guard.ledger import Claim, ClaimOutcome, Ledger, LedgerUnavailable, OperationState
from otel_loopwatch.telemetry.names import SCOPE

log = logging.getLogger(SCOPE)


@dataclass(frozen=True, slots=True)
class Grant:
    """The answer to the wish to run an operation."""

    granted: bool
    cause: Cause = Cause.NONE
    why: str = ""
    done: bool = False
    """It happened before."""
    value: object = None
    """What it gave then, as JSON has it; None where that was not stored."""


REFUSALS = {
    ClaimOutcome.BUSY: (Cause.BUSY, "somebody is at it"),
    ClaimOutcome.IN_DOUBT: (Cause.OPERATION, "whether it happened is not known"),
    ClaimOutcome.MISMATCH: (Cause.OPERATION, "its key was used with another tool or other arguments"),
}


class Operations:
    """Those of one run, in one ledger. May be used from any thread."""

    def __init__(self, ledger: Ledger, run: str) -> None:
        self.ledger = ledger
        self._run = run
        self._token = uuid4().hex
        self._completed: dict[str, CompletedOperation] = {}

    @property
    def completed(self) -> tuple[CompletedOperation, ...]:
        """Those that happened, as far as this run saw."""
        return tuple(self._completed.values())

    @property
    def owner(self) -> str:
        """Another one in each process, also after a fork."""
        return f"{self._token}.{os.getpid()}"

    def recall(self) -> None:
        """Read what an earlier part of the run completed.

        :raises LedgerUnavailable: where that cannot be read.
        """
        for operation in self.ledger.operations(self._run, OperationState.DONE):
            self._complete(operation.key, operation.tool)

    def claim(
        self,
        key: str,
        tool: str,
        arguments: str,
        lease_s: float,
        authorisation: str | None = None,
        repeats: str | None = None,
    ) -> Grant:
        """Ask to run an operation. ``arguments`` is their digest.

        :raises ValueError: for what no :class:`Claim` can have.
        """
        wanted = Claim(
            key=key, tool=tool, run=self._run, owner=self.owner, arguments=arguments,
            lease_s=lease_s, authorisation=authorisation, repeats=repeats,
        )  # fmt: skip
        try:
            claimed = self.ledger.claim(wanted)
        except LedgerUnavailable as error:
            return Grant(False, Cause.OPERATION, f"{tool} was not executed: {error}.")
        if claimed.outcome is ClaimOutcome.GRANTED:
            return Grant(True)
        if claimed.outcome is ClaimOutcome.DONE:
            self._complete(key, tool)
            result = claimed.operation.result
            return Grant(False, done=True, value=None if result is None else decode(result))
        cause, why = REFUSALS[claimed.outcome]
        return Grant(False, cause, f"{tool} was not executed: of its operation {key}, {why}.")

    def settle(self, key: str, tool: str, kind: ResultKind, value: object, known: bool) -> None:
        """Record what became of a granted operation; ``known``: a failure is known to have changed nothing.

        A pending one stays claimed, until it is confirmed or its lease passes.
        """
        if kind is ResultKind.SUCCESS:
            self.complete(key, tool, value)
        elif kind is not ResultKind.PENDING and known:
            self._tell(lambda: self.ledger.release(key, self.owner, f"It did not happen: {kind.value}."))
        elif kind is not ResultKind.PENDING:
            self._tell(lambda: self.ledger.doubt(key, self.owner, f"It ended without a clear result: {kind.value}."))

    def complete(self, key: str, tool: str, value: object) -> None:
        """It happened."""
        self._complete(key, tool)
        self._tell(lambda: self.ledger.complete(key, self.owner, _json(value)))

    def release(self, key: str) -> None:
        """It was granted, and not executed after all."""
        self._tell(lambda: self.ledger.release(key, self.owner, "It was not executed."))

    def _complete(self, key: str, tool: str) -> None:
        self._completed[key] = CompletedOperation(key, tool)

    def _tell(self, step: Callable[[], bool]) -> None:
        """The tool has run: where the ledger cannot take it down, the operation is in doubt after its lease."""
        try:
            step()
        except LedgerUnavailable:
            log.warning("The ledger did not take down what became of an operation", exc_info=True)


def _json(value: object) -> str:
    try:
        return msgspec.json.encode(value).decode("utf-8")
    except (TypeError, ValueError, RecursionError):
        return encode(encode(value).decode("utf-8", "replace")).decode("utf-8")
