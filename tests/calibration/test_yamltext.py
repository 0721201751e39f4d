"""A calibration within a configuration file: written, read back, put in place of an older one."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_loopwatch.calibration import Calibration, GoodRuns
from otel_loopwatch.calibration.yamltext import block, spliced
from otel_loopwatch.config import describe, load
from otel_loopwatch.config.yamlfile import parse

CALIBRATION = Calibration(
    Fraction(1, 20), {"planner": GoodRuns(20, (14.203131, 17.0), ("run-7",)), "coder": GoodRuns(3)}
)
AGENTS = st.dictionaries(
    st.text(min_size=1, max_size=8),
    st.builds(
        lambda scores, mistaken: (scores, tuple(mistaken)),
        st.lists(st.integers(0, 10**9).map(lambda n: n / 10**6), max_size=30),
        st.lists(st.text(min_size=1, max_size=8), max_size=3, unique=True),
    ),
    max_size=4,
)


@settings(deadline=None)
@given(AGENTS, st.fractions(Fraction(1, 100), Fraction(99, 100), max_denominator=1000))
def test_what_is_written_is_read_back(agents: dict[str, tuple[list[float], tuple[str, ...]]], alpha: Fraction) -> None:
    """Scores to the last digit, alpha exactly, and names of agents and runs whatever characters they hold."""
    made = {agent: GoodRuns.of(scores, alpha) for agent, (scores, _) in agents.items()}
    calibration = Calibration(alpha, made)
    for agent, (_, mistaken) in agents.items():
        for run in mistaken:
            calibration = calibration.stopped_by_mistake(run, agent)
    value, _ = parse(block(calibration), "text")
    assert load(env={}, **value).settings.calibration == calibration  # type: ignore[arg-type]


BEFORE = "# ours\nwindow: 20  # small\n"
AFTER = "# tools follow\ntools:\n  get_status: {polling: true}\n"
OLD = "calibration:\n  alpha: 0.1\n  agents:\n    a:\n      runs: 30\n      top: [1.5,\n        2.5, 3.5, 4.5]\n"
OLD_BY_HAND = "calibration:\n  alpha: 0.1\n  agents:\n    a:\n      runs: 30\n      top:\n      - 1.5\n      - 2.5\n"
MADE = block(CALIBRATION)

SPLICES = [
    ("into an empty file", "", MADE),
    ("into a file of comments", "# nothing yet\n", "# nothing yet\n" + MADE),
    ("after everything else", BEFORE, BEFORE + MADE),
    ("after a last line without an end", "window: 20", "window: 20\n" + MADE),
    ("in place of an older one", BEFORE + OLD + AFTER, BEFORE + MADE + AFTER),
    ("in place of one laid out by hand", OLD_BY_HAND + "\n" + AFTER, MADE + "\n" + AFTER),
    ("in place of one on a line of its own", "calibration: {alpha: 0.1, agents: {}}\n" + AFTER, MADE + AFTER),
    ("in place of its own kind", MADE + "\n" + AFTER, MADE + "\n" + AFTER),
    ("in place of an empty one at the end", BEFORE + "calibration:\n", BEFORE + MADE),
]


@pytest.mark.parametrize(("text", "expected"), [row[1:] for row in SPLICES], ids=[row[0] for row in SPLICES])
def test_only_the_calibration_is_replaced(text: str, expected: str) -> None:
    """Comments, order and layout of everything else stay."""
    assert spliced(text, MADE) == expected
    assert parse(expected, "text")[0]["calibration"]["alpha"] == 0.05  # type: ignore[index]


@pytest.mark.parametrize("text", ["[1, 2]", "{window: 20}", "words"])
def test_a_file_without_lines_of_its_own_is_left_alone(text: str) -> None:
    """There is no place to put the calibration."""
    with pytest.raises(ValueError, match="lines of their own"):
        spliced(text, MADE)


BROKEN = [
    ("alpha: 0.05", "calibration is {'alpha': 0.05}; it must be a mapping of alpha and agents", 1),
    ("alpha: 1\n  agents: {}", "alpha is 1; it must be a share above 0 and below 1, such as 0.05 or 1/20", 2),
    ("alpha: 1/0\n  agents: {}", "alpha is '1/0'; it must be a share above 0", 2),
    ("alpha: often\n  agents: {}", "alpha is 'often'; it must be a share above 0", 2),
    ("alpha: 0.05\n  agents: {a: {top: [1]}}", "agents.a is {'top': [1]}; it must be a mapping of runs, top", 3),
    ("alpha: 0.05\n  agents: {a: {runs: -1}}", "runs is -1; it must be a whole number, 0 or more", 3),
    (
        "alpha: 0.05\n  agents:\n    a:\n      runs: 20\n      top: [2, 1]",
        "top is [2, 1]; it must be a list of scores",
        6,
    ),
    ("alpha: 0.05\n  agents: {a: {runs: 1, top: [.inf]}}", "top is [inf]; it must be a list of scores", 3),
    ("alpha: 0.05\n  agents: {a: {runs: 1, top: [1, 2]}}", "it must be at most 1 scores, one per run", 3),
    ("alpha: 0.05\n  agents: {a: {runs: 20}}", "top is []; it must be the scores from the line on: alpha was", 3),
    ("alpha: 0.05\n  agents: {a: {runs: 1, mistaken: [x, x]}}", "it must be a list of different run keys", 3),
    ("alpha: 0.05\n  agents: {a: {run: 1}}", "calibration.agents.a.run is not known (did you mean runs?)", 3),
]


@pytest.mark.parametrize(("text", "said", "line"), BROKEN, ids=[row[1] for row in BROKEN])
def test_what_is_wrong_is_named_with_its_line(text: str, said: str, line: int, tmp_path: Path) -> None:
    """As of any other parameter."""
    path = tmp_path / "loopwatch.yaml"
    path.write_text(f"calibration:\n  {text}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=f"line {line}: ") as error:
        load(str(path), {})
    assert said in str(error.value)


def test_set_up_shows_the_lines_and_not_the_scores() -> None:
    """A line that is infinite is shown as that."""
    shown = describe(
        load(env={}, calibration=Calibration(Fraction(1, 20), {"a": GoodRuns(3), "b": GoodRuns(19, (7.5,))}))
    )
    assert "calibration={alpha: 1/20, a: inf, b: 7.5}" in shown
