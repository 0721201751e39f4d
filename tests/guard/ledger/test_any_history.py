"""Whatever is asked, in whatever order and by whom: nothing is granted twice unless it was released between."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from guard.ledger.telling import DIGEST, LEASE_S, OTHER_DIGEST, Clock, claim
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from otel_loopwatch.guard.ledger import ClaimOutcome, Ledger, Operation, OperationState

CLAIMED, DONE, RELEASED, IN_DOUBT = OperationState
FOLLOWS = {
    None: {CLAIMED},
    CLAIMED: {DONE, RELEASED, IN_DOUBT},
    IN_DOUBT: {DONE, RELEASED},
    RELEASED: {CLAIMED, DONE},
    DONE: set(),
}
"""Which states may follow a state."""

keys = st.sampled_from(["a", "b"])
owners = st.sampled_from(["one", "two", "three"])
runs = st.sampled_from(["r", "s"])
digests = st.sampled_from([DIGEST, DIGEST, DIGEST, OTHER_DIGEST])


class Agents(RuleBasedStateMachine):
    """Processes that share a ledger, each through one of its own, while time passes and humans decide."""

    def __init__(self, open_one: Callable[[], Ledger], clock: Clock, prefix: str) -> None:
        super().__init__()
        self.ledgers = {owner: open_one() for owner in ("one", "two", "three")}
        self.clock = clock
        self.prefix = prefix
        self.grants: dict[str, list[int]] = {}
        """Numbers of the entries with which an operation was granted."""

    @rule(key=keys, owner=owners, run=runs, arguments=digests)
    def claims(self, key: str, owner: str, run: str, arguments: str) -> None:
        """The answer is what the operation's state allows."""
        wanted = claim(self.prefix + key, owner=owner, run=run, arguments=arguments)
        answer = self.ledgers[owner].claim(wanted)
        found = answer.operation
        if answer.outcome is ClaimOutcome.GRANTED:
            self.grants.setdefault(key, []).append(found.number)
            assert (found.state, found.owner, found.run) == (CLAIMED, owner, run)
        elif answer.outcome is ClaimOutcome.MISMATCH:
            assert found.arguments != arguments
        else:
            assert answer.outcome.value == {CLAIMED: "busy"}.get(found.state, found.state.value)

    @rule(key=keys, owner=owners, how=st.sampled_from(["complete", "release", "doubt"]))
    def settles(self, key: str, owner: str, how: str) -> None:
        """Where it says so, the operation stands like that."""
        ledger = self.ledgers[owner]
        if getattr(ledger, how)(self.prefix + key, owner):
            found = ledger.history(self.prefix + key)[-1]
            assert found.owner == owner
            assert found.state is {"complete": DONE, "release": RELEASED, "doubt": IN_DOUBT}[how]

    @rule(key=keys, decision=st.sampled_from([DONE, RELEASED]))
    def is_resolved(self, key: str, decision: OperationState) -> None:
        """Only what is in doubt."""
        before = self.ledgers["one"].get(self.prefix + key)
        resolved = self.ledgers["one"].resolve(self.prefix + key, decision, "Mia")
        assert resolved == (before is not None and before.state is IN_DOUBT)

    @rule(leases=st.sampled_from([0.1, 0.5, 1.0]))
    def time_passes(self, leases: float) -> None:
        """Up to a lease."""
        self.clock.advance(leases * LEASE_S)

    @invariant()
    def nothing_is_granted_twice(self) -> None:
        """Between two grants the operation was released, and every state follows from the one before it."""
        for key, grants in self.grants.items():
            entries = self.ledgers["one"].history(self.prefix + key)
            assert [entry.number for entry in entries if entry.state is CLAIMED] == grants
            check(entries)


def check(entries: tuple[Operation, ...]) -> None:
    """Each entry is numbered, and follows from the one before; a grant only from a release, or from nothing."""
    assert [entry.number for entry in entries] == list(range(1, len(entries) + 1))
    for before, after in zip((None, *entries), entries, strict=False):
        assert after.state in FOLLOWS[before.state if before else None]


def test_nothing_is_granted_twice(opened: Callable[[], Ledger], clock: Clock, request: pytest.FixtureRequest) -> None:
    """Fewer examples where each step asks a server."""
    ledgers = [opened() for _ in range(3)]
    examples = iter(range(1_000_000))

    def agents() -> Agents:
        shared = iter(ledgers)
        return Agents(lambda: next(shared), clock, f"{next(examples)} ")

    in_file = "sqlite" in request.node.name
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        agents,
        settings=settings(
            max_examples=40 if in_file else 15,
            stateful_step_count=25,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
