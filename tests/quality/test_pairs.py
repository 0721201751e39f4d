"""Whether a call repeats the one before it."""

from __future__ import annotations

import pytest
from quality import pairs
from quality.detector import Call
from quality.loading import Recording
from scoring import call


@pytest.mark.parametrize(
    ("one", "other", "equal", "identity"),
    [
        (call({"q": "x"}), call({"q": "x"}), True, True),
        (call({"q": "Where is it"}), call({"q": "where  is it"}), False, True),
        (call({"q": "x"}), call({"q": "z"}), False, False),
        (call({"q": "x"}), call({"q": "x"}, tool="read"), False, False),
        (call({"query": "x"}), call({"q": "x"}), False, True),
        (call({"file": "/repo/src/lamp.py"}), call({"file": "src/lamp.py"}), False, True),
        (call({"file": "src/lamp.py"}), call({"file": "src/pier.py"}), False, False),
        (call({"from": "x", "to": "y"}), call({"from": "y", "to": "x"}), False, False),
        (call(None), call(None), False, False),
    ],
)
def test_rules(one: Call, other: Call, equal: bool, identity: bool) -> None:
    """Plain equality, and equality as the engine has it."""
    assert (pairs.equal(one, other), pairs.identity(one, other)) == (equal, identity)


def test_precision_and_recall() -> None:
    """Of pairs that nobody labelled there is nothing to say."""
    same, new = call({"q": 1}), call({"q": 2})
    labelled = Recording(
        "made", "r", "failure", (same, same, new, new, same), pairs=("Repetition", "x", "x", "Repetition")
    )
    unlabelled = Recording("made", "s", "failure", (same, same))
    known = pairs.scores([labelled, unlabelled])["equal request"]
    assert known == {"pairs": 4, "repetitions": 2, "found": 2, "right": 1, "precision": 0.5, "recall": 0.5}


def test_without_labels_nothing_is_scored() -> None:
    """Neither precision nor recall can be told."""
    assert pairs.scores([])["equal request"]["precision"] is None
