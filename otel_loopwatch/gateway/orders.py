"""Halts and resumes as people order them: written down first, then done."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from threading import Lock
from typing import Protocol

from otel_loopwatch.control.decisions import BY_LOOPWATCH, RunDecision
from otel_loopwatch.gateway.audit import Record
from otel_loopwatch.gateway.board import Board
from otel_loopwatch.model import Action

MAX_BY = 128
"""Characters of a name."""
MAX_REASON = 1000
MAX_KEY = 512


class Audit(Protocol):
    """Where decisions are written down."""

    def write(self, decision: RunDecision, remote: str) -> None:
        """Write one down for good. Raises :class:`~otel_loopwatch.gateway.audit.Unaudited`."""

    def records(self) -> Iterable[Record]:
        """What was written down, by earlier processes too."""


class Orders:
    """What people decide about runs. A run that was halted stays so over a restart: the audit log tells.

    ``clock`` gives ns since the epoch.
    """

    def __init__(self, board: Board, audit: Audit, clock: Callable[[], int] = time.time_ns) -> None:
        self._board = board
        self._audit = audit
        self._clock = clock
        self._lock = Lock()
        board.restore(record.decision for record in audit.records())

    def halt(self, run: str, by: str, reason: str, remote: str = "") -> RunDecision:
        """The run, given by its key or its trace's id, is to end; also one of which nothing is known yet.

        :param by: who says so.
        :param remote: address of the client.
        :raises ValueError: naming what is missing or too long, in one line.
        :raises Unaudited: where it could not be written down; nothing has changed then.
        """
        if not reason.strip():
            raise ValueError("reason is empty; it must say why the run is to end")
        return self._order(Action.HALT, run, by, reason, remote)

    def resume(self, run: str, by: str, reason: str = "", remote: str = "") -> RunDecision:
        """The run may go on. Parameters and errors as of :meth:`halt`; a reason may be given."""
        return self._order(Action.CONTINUE, run, by, reason, remote)

    def _order(self, action: Action, run: str, by: str, reason: str, remote: str) -> RunDecision:
        _check(run, by, reason)
        key = self._board.key_of(run)
        with self._lock:  # one at a time: decisions take effect in the order in which they are written down
            decision = self._board.identified(
                RunDecision(
                    run=key, action=action, version=self._board.version + 1, at_ns=self._clock(), by=by, reason=reason
                )
            )
            self._audit.write(decision, remote)
            return self._board.decide(decision)


def _check(run: str, by: str, reason: str) -> None:
    for name, text, longest in (("run", run, MAX_KEY), ("by", by, MAX_BY), ("reason", reason, MAX_REASON)):
        if len(text) > longest:
            raise ValueError(f"{name} has {len(text)} characters; it must have at most {longest}")
    for name, text in (("run", run), ("by", by)):
        if not text.strip() or not text.isprintable():
            raise ValueError(f"{name} is {text[:40]!r}; it must be a name in one line")
    if by.strip().casefold() == BY_LOOPWATCH:
        raise ValueError(f"by is {by!r}; it must name a person, which that name does not")
