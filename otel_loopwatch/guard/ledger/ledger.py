"""The ledger: an operation is claimed before it runs and settled afterwards, so that it never runs twice."""

from __future__ import annotations

import time
from collections.abc import Callable

from otel_loopwatch.guard.ledger import transitions
from otel_loopwatch.guard.ledger.base import (
    Claim,
    Claimed,
    ClaimOutcome,
    Operation,
    OperationState,
    check_text,
)
from otel_loopwatch.guard.ledger.journal import Journal


class Ledger:
    """Operations by their keys, shared by all processes that use one journal; may be used from any thread.

    Every change is one more entry in the journal, with the number after the one that was seen; where somebody else
    was faster, it looks again. ``clock`` gives ns since the epoch: the clocks of different machines have to agree to
    well below a lease. Every method raises :class:`LedgerUnavailable` where the journal does not answer, and
    ``ValueError`` for a key that no :class:`Claim` can have.
    """

    def __init__(self, journal: Journal, clock: Callable[[], int] = time.time_ns) -> None:
        self._journal = journal
        self._clock = clock

    def claim(self, wanted: Claim) -> Claimed:
        """Ask to run an operation. Only where the outcome is GRANTED may the tool run.

        A claimed operation becomes in doubt first where its lease has passed, or where another owner of the same run
        asks for it. Where this raises, the claim may stand all the same, and becomes in doubt with its lease.
        """
        while True:
            seen = self._look(wanted.key, wanted)
            if seen is not None and (outcome := transitions.answer(seen, wanted)) is not ClaimOutcome.GRANTED:
                return Claimed(outcome, seen)
            mine = transitions.grant(wanted, seen, self._clock())
            if self._journal.append(mine):
                return Claimed(ClaimOutcome.GRANTED, mine)

    def complete(self, key: str, owner: str, result: str | None = None) -> bool:
        """Record the success of one's own operation, with its result as JSON text where that is to be stored.

        True where it stands as done afterwards. So it does also where the lease had passed, where it was in doubt
        already, or was released meanwhile: a late success is knowledge. False where somebody else has claimed it.
        May be asked again after :class:`LedgerUnavailable`.
        """
        return self._settle(
            key, owner, OperationState.DONE, lambda seen: transitions.complete(seen, self._clock(), result)
        )

    def release(self, key: str, owner: str, note: str | None = None) -> bool:
        """Record that one's own operation is known not to have happened. False where the claim is lost."""
        return self._move(key, owner, OperationState.RELEASED, note)

    def doubt(self, key: str, owner: str, note: str | None = None) -> bool:
        """Record that nobody knows whether one's own operation happened. False where the claim is lost."""
        return self._move(key, owner, OperationState.IN_DOUBT, note)

    def resolve(self, key: str, state: OperationState, by: str, note: str | None = None) -> bool:
        """Record a human's decision about an operation in doubt: DONE or RELEASED, who decided, and why.

        False where it is not in doubt (any more).
        """
        if state not in transitions.BY_HUMAN:
            allowed = " or ".join(each.value for each in transitions.BY_HUMAN)
            raise ValueError(f"state is {state!r}; an operation in doubt can be resolved to {allowed}")
        check_text("by", by)
        while (seen := self._look(key)) is not None and seen.state is OperationState.IN_DOUBT:
            if self._journal.append(transitions.move(seen, state, self._clock(), by, note)):
                return True
        return False

    def get(self, key: str) -> Operation | None:
        """The operation as it stands; None where the key was never claimed."""
        return self._look(key)

    def history(self, key: str) -> tuple[Operation, ...]:
        """The operation as it stood after each change, the oldest first."""
        check_text("key", key)
        return self._journal.entries(key)

    def operations(self, run: str | None = None, state: OperationState | None = None) -> tuple[Operation, ...]:
        """All operations as they stand, of a run and in a state where given, in the order of their latest claims."""
        if state in (None, OperationState.CLAIMED, OperationState.IN_DOUBT):
            for claimed in self._journal.latest(run, OperationState.CLAIMED):
                self._look(claimed.key)
        found = self._journal.latest(run, state)
        return tuple(sorted(found, key=lambda operation: (operation.claimed_ns, operation.key)))

    def close(self) -> None:
        """Free the connections; nothing may be asked afterwards."""
        self._journal.close()

    def _look(self, key: str, claim: Claim | None = None) -> Operation | None:
        """The operation as it stands, once what its owner has lost is in doubt."""
        check_text("key", key)
        while True:
            seen = self._journal.last(key)
            in_doubt = transitions.doubted(seen, self._clock(), claim) if seen else None
            if in_doubt is None:
                return seen
            self._journal.append(in_doubt)

    def _move(self, key: str, owner: str, state: OperationState, note: str | None) -> bool:
        return self._settle(
            key, owner, state, lambda seen: transitions.move(seen, state, self._clock(), seen.owner, note)
        )

    def _settle(self, key: str, owner: str, state: OperationState, step: Callable[[Operation], Operation]) -> bool:
        """Whether the owner's operation stands in a state, after a step into it where that is allowed."""
        check_text("key", key)
        while (seen := self._journal.last(key)) is not None and seen.owner == owner:
            if seen.state is state:
                return True
            if seen.state not in transitions.BY_OWNER[state]:
                return False
            if self._journal.append(step(seen)):
                return True
        return False
