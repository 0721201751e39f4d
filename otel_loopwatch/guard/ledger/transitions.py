"""Which state follows which: the one table behind every backend."""

from __future__ import annotations

from dataclasses import replace

from otel_loopwatch.guard.ledger.base import Claim, ClaimOutcome, Operation, OperationState

MAX_NOTE = 1000
"""Characters of a note; the rest is cut off."""
MAX_RESULT = 1 << 24
"""Characters of a result that is stored; of a longer one only the success is, with a note."""

ANSWERS = {
    OperationState.CLAIMED: ClaimOutcome.BUSY,
    OperationState.DONE: ClaimOutcome.DONE,
    OperationState.RELEASED: ClaimOutcome.GRANTED,
    OperationState.IN_DOUBT: ClaimOutcome.IN_DOUBT,
}
"""What a claim is told by the state it finds."""

BY_OWNER = {
    OperationState.DONE: {OperationState.CLAIMED, OperationState.IN_DOUBT, OperationState.RELEASED},
    OperationState.RELEASED: {OperationState.CLAIMED},
    OperationState.IN_DOUBT: {OperationState.CLAIMED},
}
"""Into which state an owner may bring its operation, and from where.

That it happened is knowledge whenever it comes, and closes the key for good: it counts until somebody else has claimed
the operation anew. That it did not happen would open the key again: once the claim is lost, only a human says so.
"""

BY_HUMAN = (OperationState.DONE, OperationState.RELEASED)
"""Into which states a human may bring an operation in doubt."""

LEASE_PASSED = "Its lease passed before its end was known."
RUN_MOVED = "Its run went on in another process before its end was known."
LATE = "Its success became known late."


def answer(operation: Operation, claim: Claim) -> ClaimOutcome:
    """What a claim is told where the key was used before."""
    if (operation.tool, operation.arguments) != (claim.tool, claim.arguments):
        return ClaimOutcome.MISMATCH
    return ANSWERS[operation.state]


def grant(claim: Claim, before: Operation | None, now_ns: int) -> Operation:
    """The operation as its new owner holds it."""
    return Operation(
        key=claim.key,
        number=before.number + 1 if before else 1,
        tool=claim.tool,
        state=OperationState.CLAIMED,
        run=claim.run,
        owner=claim.owner,
        arguments=claim.arguments,
        claimed_ns=now_ns,
        lease_until_ns=now_ns + int(claim.lease_s * 1e9),
        by=claim.owner,
        authorisation=claim.authorisation,
        repeats=claim.repeats,
    )


def move(operation: Operation, state: OperationState, now_ns: int, by: str | None, note: str | None) -> Operation:
    """The operation in its next state."""
    return replace(
        operation,
        number=operation.number + 1,
        state=state,
        settled_ns=now_ns,
        by=by,
        note=note[:MAX_NOTE] if note else None,
    )


def complete(operation: Operation, now_ns: int, result: str | None) -> Operation:
    """The operation with its success."""
    note = None if operation.state is OperationState.CLAIMED else LATE
    if result is not None and len(result) > MAX_RESULT:
        note = f"Its result of {len(result)} characters was not stored; the limit is {MAX_RESULT}."
        result = None
    return replace(move(operation, OperationState.DONE, now_ns, operation.owner, note), result=result)


def doubted(operation: Operation, now_ns: int, claim: Claim | None) -> Operation | None:
    """The operation in doubt, where a look at it (for a claim or without one) shows that its owner is lost."""
    if operation.state is not OperationState.CLAIMED:
        return None
    if now_ns >= operation.lease_until_ns:
        return move(operation, OperationState.IN_DOUBT, now_ns, None, LEASE_PASSED)
    if claim is not None and claim.run == operation.run and claim.owner != operation.owner:
        return move(operation, OperationState.IN_DOUBT, now_ns, claim.owner, RUN_MOVED)
    return None
