"""Whoever finds that somebody else was faster looks again, and goes by what is there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest
from guard.ledger.telling import LEASE_S, Clock, claim

from otel_loopwatch.guard.ledger import ClaimOutcome, Ledger, Operation, OperationState
from otel_loopwatch.guard.ledger.sqlite import MEMORY, sqlite_journal

KEY = "refund-7"
CLAIMED, DONE, RELEASED, IN_DOUBT = OperationState


class Raced:
    """A journal in which somebody else gets in once, between what its user saw and what its user writes."""

    def __init__(self) -> None:
        self._journal = sqlite_journal(MEMORY, 1)
        self.meanwhile: Callable[[], object] | None = None

    def append(self, entry: Operation) -> bool:
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile:
            meanwhile()
        return self._journal.append(entry)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._journal, name)


@pytest.fixture
def journal() -> Iterator[Raced]:
    """Empty, and nobody gets in yet."""
    with closing(Raced()) as raced:
        yield raced


@pytest.fixture
def ledger(journal: Raced, clock: Clock) -> Ledger:
    """The ledger in it, for both sides."""
    return Ledger(journal, clock)


@pytest.mark.parametrize(
    ("settle", "outcome"),
    [
        (None, ClaimOutcome.BUSY),
        ("complete", ClaimOutcome.DONE),
        ("release", ClaimOutcome.GRANTED),
        ("doubt", ClaimOutcome.IN_DOUBT),
    ],
)
def test_a_claim_that_comes_second(journal: Raced, ledger: Ledger, settle: str | None, outcome: ClaimOutcome) -> None:
    """It is told what the first one has come to by then."""

    def other() -> None:
        assert ledger.claim(claim(owner="two", run="s")).outcome is ClaimOutcome.GRANTED
        if settle:
            getattr(ledger, settle)(KEY, "two")

    journal.meanwhile = other
    assert ledger.claim(claim()).outcome is outcome


@pytest.mark.parametrize(
    ("settle", "states"),
    [("complete", [CLAIMED, IN_DOUBT, DONE]), ("release", [CLAIMED, IN_DOUBT]), ("doubt", [CLAIMED, IN_DOUBT])],
)
def test_an_end_that_comes_after_a_doubt(
    journal: Raced, ledger: Ledger, clock: Clock, settle: str, states: list[OperationState]
) -> None:
    """Success counts, and so does what is so already; a release comes too late."""
    ledger.claim(claim())
    clock.advance(LEASE_S)
    journal.meanwhile = lambda: ledger.get(KEY)
    assert getattr(ledger, settle)(KEY, "one") == (settle != "release")
    assert [entry.state for entry in ledger.history(KEY)] == states


def test_a_doubt_that_comes_after_the_end(journal: Raced, ledger: Ledger, clock: Clock) -> None:
    """The owner completed it while another was about to give it up."""
    ledger.claim(claim())
    clock.advance(LEASE_S)
    journal.meanwhile = lambda: ledger.complete(KEY, "one", "12")
    answer = ledger.claim(claim(owner="two", run="s"))
    assert (answer.outcome, answer.operation.result) == (ClaimOutcome.DONE, "12")


def test_a_decision_that_comes_second(journal: Raced, ledger: Ledger) -> None:
    """The first one stands."""
    ledger.claim(claim())
    ledger.doubt(KEY, "one")
    journal.meanwhile = lambda: ledger.resolve(KEY, DONE, "Mia")
    assert not ledger.resolve(KEY, RELEASED, "Ben")
    assert [(entry.state, entry.by) for entry in ledger.history(KEY)][2:] == [(DONE, "Mia")]
