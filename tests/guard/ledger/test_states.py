"""What every backend promises of an operation's states, one process at a time."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from guard.ledger.telling import DIGEST, LEASE_S, OTHER_DIGEST, START_NS, Clock, claim

from otel_loopwatch.guard.ledger import ClaimOutcome, Ledger, Operation, OperationState
from otel_loopwatch.guard.ledger.transitions import LATE, LEASE_PASSED, MAX_NOTE, MAX_RESULT, RUN_MOVED

KEY = "refund-7"
CLAIMED, DONE, RELEASED, IN_DOUBT = OperationState
OTHERS = [{"owner": "two", "run": "s"}, {"owner": "one"}, {"owner": "one", "run": "s"}]
"""Who may ask while a claim stands: another run, the claimant itself, the claimant in another run."""


def outcome(ledger: Ledger, **fields: Any) -> ClaimOutcome:
    """What a claim is told."""
    return ledger.claim(claim(**fields)).outcome


def state(ledger: Ledger, key: str = KEY) -> OperationState | None:
    """How an operation stands."""
    operation = ledger.get(key)
    return operation.state if operation else None


def test_a_first_claim_is_granted_and_on_record(ledger: Ledger) -> None:
    """All that was claimed can be read again, by whoever looks."""
    granted = ledger.claim(claim(authorisation="Mia, by the form"))
    assert granted.outcome is ClaimOutcome.GRANTED
    assert granted.operation == Operation(
        key=KEY,
        number=1,
        tool="refund",
        state=CLAIMED,
        run="r",
        owner="one",
        arguments=DIGEST,
        claimed_ns=START_NS,
        lease_until_ns=START_NS + int(LEASE_S * 1e9),
        by="one",
        authorisation="Mia, by the form",
    )
    assert ledger.get(KEY) == granted.operation


@pytest.mark.parametrize("other", OTHERS)
def test_a_claim_that_stands_keeps_others_away(ledger: Ledger, other: dict[str, str]) -> None:
    """Also its own claimant: a second thread of the process is one too many."""
    ledger.claim(claim())
    assert outcome(ledger, **other) is ClaimOutcome.BUSY
    assert state(ledger) is CLAIMED


@pytest.mark.parametrize("other", [*OTHERS, {"owner": "two"}])
def test_what_is_done_is_told_with_its_result(ledger: Ledger, clock: Clock, other: dict[str, str]) -> None:
    """Whoever asks, and however late."""
    ledger.claim(claim())
    assert ledger.complete(KEY, "one", '{"refunded":12}')
    clock.advance(10 * LEASE_S)
    answer = ledger.claim(claim(**other))
    assert (answer.outcome, answer.operation.result) == (ClaimOutcome.DONE, '{"refunded":12}')
    assert answer.operation.settled_ns == START_NS


def test_what_is_released_may_be_claimed_again(ledger: Ledger, clock: Clock) -> None:
    """By anybody, who is then its owner; the former one has no say any more."""
    ledger.claim(claim())
    assert ledger.release(KEY, "one", "refused before it was sent")
    clock.advance(1)
    again = ledger.claim(claim(owner="two", run="s"))
    assert again.outcome is ClaimOutcome.GRANTED
    assert (again.operation.owner, again.operation.run, again.operation.note) == ("two", "s", None)
    assert again.operation.claimed_ns == clock()
    assert not ledger.complete(KEY, "one")
    assert state(ledger) is CLAIMED


@pytest.mark.parametrize("settle", [None, "complete", "release", "doubt"])
@pytest.mark.parametrize("other", [{"arguments": OTHER_DIGEST}, {"tool": "charge"}])
def test_a_key_stands_for_one_tool_and_one_set_of_arguments(
    ledger: Ledger, other: dict[str, str], settle: str | None
) -> None:
    """In whatever state it is; the operation stays as it was."""
    ledger.claim(claim())
    if settle:
        getattr(ledger, settle)(KEY, "one")
    before = ledger.get(KEY)
    assert outcome(ledger, **other) is ClaimOutcome.MISMATCH
    assert ledger.get(KEY) == before


def test_a_lease_that_passed_leaves_doubt(ledger: Ledger, clock: Clock) -> None:
    """Up to its end others are told that somebody is at it, from then on nobody runs it."""
    ledger.claim(claim())
    clock.advance(LEASE_S - 1e-6)
    assert outcome(ledger, owner="two", run="s") is ClaimOutcome.BUSY
    clock.advance(1e-6)
    assert [outcome(ledger, owner=owner, run="s") for owner in ("two", "one")] == [ClaimOutcome.IN_DOUBT] * 2
    found = ledger.get(KEY)
    assert found is not None
    assert (found.state, found.note, found.by, found.settled_ns) == (IN_DOUBT, LEASE_PASSED, None, clock())


LOOKS: dict[str, Callable[[Ledger], object]] = {
    "get": lambda ledger: ledger.get(KEY),
    "all": lambda ledger: ledger.operations(),
    "claimed": lambda ledger: ledger.operations(state=CLAIMED),
    "of the run": lambda ledger: ledger.operations(run="r", state=IN_DOUBT),
}


@pytest.mark.parametrize("look", LOOKS)
def test_every_look_sees_that_a_lease_passed(ledger: Ledger, clock: Clock, look: str) -> None:
    """Not only that of a claimant; and it is on record once."""
    ledger.claim(claim())
    clock.advance(LEASE_S)
    first, second = LOOKS[look](ledger), LOOKS[look](ledger)
    assert first == second
    assert [each.state for each in ledger.history(KEY)] == [CLAIMED, IN_DOUBT]
    assert [each.key for each in ledger.operations(state=IN_DOUBT)] == [KEY]
    assert ledger.operations(state=CLAIMED) == ()


def test_a_run_that_went_on_elsewhere_leaves_doubt_at_once(ledger: Ledger) -> None:
    """The process that had claimed is gone, so nobody waits for its lease."""
    ledger.claim(claim())
    assert outcome(ledger, owner="two") is ClaimOutcome.IN_DOUBT
    found = ledger.get(KEY)
    assert found is not None
    assert (found.note, found.by, found.owner) == (RUN_MOVED, "two", "one")


@pytest.mark.parametrize("settle", ["complete", "release", "doubt"])
def test_a_claim_is_settled_by_its_owner_alone(ledger: Ledger, settle: str) -> None:
    """Neither by a stranger, nor where nothing was claimed."""
    assert not getattr(ledger, settle)(KEY, "one")
    ledger.claim(claim())
    assert not getattr(ledger, settle)(KEY, "two")
    assert state(ledger) is CLAIMED
    assert getattr(ledger, settle)(KEY, "one")


@pytest.mark.parametrize("settle", ["complete", "release", "doubt"])
def test_settling_twice_is_settling_once(ledger: Ledger, settle: str) -> None:
    """Who did not hear the answer asks again, and hears the same."""
    ledger.claim(claim())
    assert [getattr(ledger, settle)(KEY, "one") for _ in range(2)] == [True, True]
    assert len(ledger.history(KEY)) == 2


@pytest.mark.parametrize("settle", ["complete", "release", "doubt"])
def test_an_owner_may_settle_late_while_nobody_has_looked(ledger: Ledger, clock: Clock, settle: str) -> None:
    """What is known is better than a doubt."""
    ledger.claim(claim())
    clock.advance(2 * LEASE_S)
    assert getattr(ledger, settle)(KEY, "one")


@pytest.mark.parametrize("meanwhile", ["doubt", "release"])
def test_a_late_success_of_the_owner_is_knowledge(ledger: Ledger, meanwhile: str) -> None:
    """It closes the key for good, also where it was in doubt or open again."""
    ledger.claim(claim())
    getattr(ledger, meanwhile)(KEY, "one")
    assert ledger.complete(KEY, "one", "12")
    answer = ledger.claim(claim(owner="two", run="s"))
    assert (answer.outcome, answer.operation.result, answer.operation.note) == (ClaimOutcome.DONE, "12", LATE)


@pytest.mark.parametrize(("first", "then"), [("doubt", "release"), ("release", "doubt"), ("complete", "release")])
def test_only_success_counts_once_a_claim_is_settled(ledger: Ledger, first: str, then: str) -> None:
    """To open the key again is left to a human."""
    ledger.claim(claim())
    getattr(ledger, first)(KEY, "one")
    before = ledger.get(KEY)
    assert not getattr(ledger, then)(KEY, "one")
    assert ledger.get(KEY) == before


@pytest.mark.parametrize(("decision", "then"), [(DONE, ClaimOutcome.DONE), (RELEASED, ClaimOutcome.GRANTED)])
def test_a_human_resolves_a_doubt(ledger: Ledger, clock: Clock, decision: OperationState, then: ClaimOutcome) -> None:
    """Who decided, when and why is kept; a second decision comes too late."""
    ledger.claim(claim())
    assert not ledger.resolve(KEY, decision, "Mia")
    clock.advance(LEASE_S)
    assert ledger.resolve(KEY, decision, "Mia", "seen in the bank's log")
    assert not ledger.resolve(KEY, DONE, "Ben")
    found = ledger.get(KEY)
    assert found is not None
    assert (found.state, found.by, found.note) == (decision, "Mia", "seen in the bank's log")
    assert found.settled_ns == clock()
    assert outcome(ledger, owner="two", run="s") is then


def test_nothing_is_resolved_that_was_never_claimed(ledger: Ledger) -> None:
    """A wrong key is told, not recorded."""
    assert not ledger.resolve("unheard of", DONE, "Mia")
    assert ledger.get("unheard of") is None
    assert ledger.history("unheard of") == ()


def test_a_second_execution_is_deliberate_and_has_a_key_of_its_own(ledger: Ledger) -> None:
    """What it repeats and who allowed it are on record; the first one stays as it is."""
    ledger.claim(claim())
    ledger.complete(KEY, "one", "12")
    first = ledger.get(KEY)
    again = ledger.claim(claim("refund-7-again", repeats=KEY, authorisation="Mia, call of 3 May"))
    assert again.outcome is ClaimOutcome.GRANTED
    assert ledger.complete("refund-7-again", "one", "13")
    found = ledger.get("refund-7-again")
    assert found is not None
    assert (found.repeats, found.authorisation, found.result) == (KEY, "Mia, call of 3 May", "13")
    assert ledger.get(KEY) == first


def test_history_keeps_every_state(ledger: Ledger, clock: Clock) -> None:
    """In order, each with who brought it about, when, and why."""
    ledger.claim(claim())
    clock.advance(LEASE_S)
    ledger.get(KEY)
    ledger.resolve(KEY, RELEASED, "Mia", "not in the bank's log")
    ledger.claim(claim(owner="two"))
    clock.advance(1)
    ledger.complete(KEY, "two", "12")
    told = [(each.number, each.state, each.by, each.note) for each in ledger.history(KEY)]
    assert told == [
        (1, CLAIMED, "one", None),
        (2, IN_DOUBT, None, LEASE_PASSED),
        (3, RELEASED, "Mia", "not in the bank's log"),
        (4, CLAIMED, "two", None),
        (5, DONE, "two", None),
    ]
    lease_ns = int(LEASE_S * 1e9)
    assert [each.settled_ns or each.claimed_ns for each in ledger.history(KEY)] == [
        *(START_NS, START_NS + lease_ns, START_NS + lease_ns, START_NS + lease_ns, clock())
    ]


def test_operations_are_listed_by_run_and_state(ledger: Ledger, clock: Clock) -> None:
    """As they stand, in the order of their claims; a run that gave an operation away lists it no more."""
    for key, run in (("c", "r"), ("a", "s"), ("b", "r"), ("d", "r")):
        ledger.claim(claim(key, run=run))
        clock.advance(1)
    ledger.complete("a", "one")
    ledger.doubt("b", "one")
    ledger.release("d", "one")
    ledger.claim(claim("d", run="s"))

    def listed(**wanted: Any) -> list[str]:
        return [operation.key for operation in ledger.operations(**wanted)]

    assert listed() == ["c", "a", "b", "d"]
    assert listed(run="r") == ["c", "b"]
    assert listed(run="s") == ["a", "d"]
    assert listed(state=CLAIMED) == ["c", "d"]
    assert listed(state=DONE) == ["a"]
    assert listed(state=RELEASED) == []
    assert listed(run="r", state=IN_DOUBT) == ["b"]
    assert listed(run="nobody's") == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        json.dumps("x" * 3_000_000),
        '"\0"',
        '"\ud800"',
        '"' + "\U0001f9f6" * 1000 + '"',
        "{broken",
        "'; DROP TABLE loopwatch_ledger; --",
        "[" * 100_000,
    ],
)
def test_any_result_survives(ledger: Ledger, opened: Callable[[], Ledger], text: str) -> None:
    """Broken and huge ones too; what is stored is what was given."""
    ledger.claim(claim())
    assert ledger.complete(KEY, "one", text)
    assert opened().claim(claim()).operation.result == text


def test_a_result_without_measure_is_not_stored_and_its_success_is(ledger: Ledger) -> None:
    """The note says so."""
    ledger.claim(claim())
    assert ledger.complete(KEY, "one", "x" * (MAX_RESULT + 1))
    found = ledger.get(KEY)
    assert found is not None
    assert (found.state, found.result) == (DONE, None)
    assert found.note is not None
    assert "not stored" in found.note


def test_any_note_survives_and_is_bounded(ledger: Ledger) -> None:
    """It may be the text of an error, which may be anything."""
    ledger.claim(claim())
    assert ledger.doubt(KEY, "one", "\0\ud800" + "x" * 10 * MAX_NOTE)
    found = ledger.get(KEY)
    assert found is not None
    assert found.note == "\0\ud800" + "x" * (MAX_NOTE - 2)


@pytest.mark.parametrize("key", ["k" * 512, "ключ — 鍵 🧶", "a'b\"c\\d%s?{}:*", " ", "a\nb"])
def test_keys_of_any_text_are_told_apart(ledger: Ledger, key: str) -> None:
    """Up to the bound, in any script, with anything that a query language knows."""
    assert outcome(ledger, key=key) is ClaimOutcome.GRANTED
    assert outcome(ledger, key=key + "x" if len(key) < 512 else "j" + key[1:]) is ClaimOutcome.GRANTED
    assert outcome(ledger, key=key, run="s") is ClaimOutcome.BUSY


def test_an_impossible_decision_is_refused(ledger: Ledger) -> None:
    """A doubt is resolved to what happened or to what did not, and by somebody."""
    with pytest.raises(ValueError, match=r"'in_doubt'.*done or released"):
        ledger.resolve(KEY, IN_DOUBT, "Mia")
    with pytest.raises(ValueError, match="by is ''"):
        ledger.resolve(KEY, DONE, "")


def test_a_key_that_no_claim_can_have_is_refused(ledger: Ledger) -> None:
    """Wherever it is given."""
    asked: list[Callable[[str], object]] = [
        ledger.get,
        ledger.history,
        lambda key: ledger.complete(key, "one"),
        lambda key: ledger.resolve(key, DONE, "Mia"),
    ]
    for ask in asked:
        with pytest.raises(ValueError, match=r"key is 'a.x00'; it must hold neither NUL"):
            ask("a\0")
