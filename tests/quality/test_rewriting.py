from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from engine import story
from engine.tables import ROWS
from quality import loading
from quality.detector import Fired
from quality.loading import Expectation
from quality.ours import FIRED
from quality.rewriting import MUTATIONS, Mutation
from quality.rewriting.case import Case, read
from quality.rewriting.judge import Score, judged, score, verdict, watch
from quality.rewriting.report import changes
from quality.rewriting.stories import cases

from otel_loopwatch.dialects.envelopes import open_result
from otel_loopwatch.settings import MAX_VALUE_BYTES

BENCHMARKS = Path(loading.__file__).parents[1]
STORIES = list(cases(ROWS))
CASES = [*STORIES, *read(sorted(loading.OWN.glob("*.jsonl")))]
BY_NAME = {mutation.name: mutation for mutation in MUTATIONS}

KEPT = 0.9
"""Share of the loops signalled in time as written that must still be, where the evidence stays in place."""
FALSE_ALARMS = 0.05
"""Share of good work that may be flagged there."""
ONE_IN = 5
"""Each mutation is tried on a sample of its own of this size; ``python -m benchmarks.quality.rewriting`` tries all."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What some mutations take from some stories: the very thing that the story is about."""

    reason: str
    mutations: tuple[str, ...]
    """How their names begin."""
    stories: tuple[str, ...]
    """How their sentences begin."""

    def concerns(self, mutation: Mutation, case: Case) -> bool:
        """Whether the case tells nothing any more under the mutation."""
        return mutation.name.startswith(self.mutations) and case.id.startswith(self.stories)


PADDED = ("long results: all",)
TAKEN = (
    Taken(
        "that a result is a clock, a state, a word of success or nothing cannot be told from a page around it",
        PADDED,
        (
            "a clock is looked at",
            "the time of day is asked for a few times",
            "the time of day is asked for once a minute",
            "a job is asked for a few times",
            "a job is looked at and slept for a few times",
            "a job is polled between pages",
            "a poll is patient",
            "a poll waits longer",
            "a wait and a look take turns",
            "everything is saved a few times",
            "rewordings are acknowledged",
            "rewordings wait in a queue",
            "hand-overs are acknowledged a few times",
            "every page is empty",
            "every page has the same few words",
            "look-ups of addresses",
            "a few wordings before giving up",
            "a few spellings are tried",
            "several tools say in a word",
            "a few words of failure",
            "a line or two are read again",
        ),
    ),
    Taken(
        "what is no failure any more has been done, or read",
        ("errors: text, no word in front",),
        ("a payment fails and is made again", "reading again fails"),
    ),
    Taken(
        "a word of one language is all that tells of a job that it is not done",
        ("short answers:",),
        ("a job is asked for a few times without any pause", "a job is looked at and slept for a few times"),
    ),
    Taken(
        "fifty seconds between two calls are patience, and these are signalled in haste only",
        ("gaps x10",),
        (
            "a round that is too long",
            "a number goes up and down:",
            "a job is polled without a pause",
            "the time of day is asked for",
            "even a tool that is meant to be polled",
            "the application declares that the answer is pending",
            "lines in English",
            "lines in Japanese",
            "rows of a list are found again",
            "known lines have",
            "other words run into",
            "the same words in other places",
            "a form is not understood",
            "errors come back, but",
            "one of four errors",
            "6 tools run into",
            "3 tools run into",
            "tools run into",
            "the error names",
            "arguments were not captured, and the error is about",
        ),
    ),
    Taken(
        "the same steps are no repeat only because several agents make them",
        ("no agent ids",),
        ("parallel workers make", "two agents each read", "agents whose calls", "each agent has a budget"),
    ),
)

each_mutation = pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)


def sample(mutation: Mutation) -> list[Case]:
    """Some cases, the same in every run."""
    told = [case for case in CASES if not any(taken.concerns(mutation, case) for taken in TAKEN)]
    return [case for case in told if crc32(f"{mutation.name} {case.id}".encode()) % ONE_IN == 0]


@pytest.fixture(scope="module")
def as_written() -> Score:
    """The score of all cases as they are."""
    return score(CASES)


@each_mutation
def test_verdicts_survive_rewriting(mutation: Mutation, as_written: Score) -> None:
    """What does not matter may change: good work is never stopped, and loops are told from it as before."""
    cases = sample(mutation)
    found = score(mutation(case) for case in cases)
    assert not [case for case, judgement in found.judgements.items() if judgement.false_stop]
    if mutation.keeps_evidence:
        before = Score({case.id: as_written.judgements[case.id] for case in cases})
        changed = changes(before, found)
        assert found.in_time >= KEPT * before.in_time, changed
        assert found.alarms <= FALSE_ALARMS * found.good, changed


@pytest.mark.parametrize("taken", TAKEN, ids=lambda taken: taken.reason)
def test_what_is_taken_is_missed(taken: Taken) -> None:
    """Stories are left out of the test above only where their verdict is another one without what was taken."""
    for beginning in taken.stories:
        stories = [case for case in STORIES if case.id.startswith(beginning)]
        pairs = [(case, mutation) for case in stories for mutation in MUTATIONS if taken.concerns(mutation, case)]
        assert any(verdict(judged(case)) != verdict(judged(mutation(case))) for case, mutation in pairs), beginning


def test_there_are_enough_cases() -> None:
    """The shares above are worth something."""
    for mutation in MUTATIONS:
        loops = sum(case.expect.loop for case in sample(mutation))
        assert min(loops, len(sample(mutation)) - loops) >= 35, mutation.name
    assert len({case.id for case in CASES}) == len(CASES) >= 400
    assert len({mutation.name for mutation in MUTATIONS}) == len(MUTATIONS)


@each_mutation
def test_a_mutation_changes_cases_and_not_their_verdict(mutation: Mutation) -> None:
    """Each touches cases, the same way in every run, and calls right what was right."""
    pairs = [(case, mutation(case)) for case in sample(mutation)]
    assert sum(after != before for before, after in pairs) >= 5
    assert all(mutation(before) == after for before, after in pairs[:20])
    for before, after in pairs:
        moved = replace(before.expect, by_step=after.expect.by_step, not_before=after.expect.not_before)
        assert after.expect == moved


def test_a_story_is_the_same_as_a_case() -> None:
    """Written down as cases and read again, stories give the same first signals."""
    assert len(STORIES) >= len(ROWS) - 3
    for row in ROWS:
        seen = [(step, kind.value, FIRED[level]) for step, kind, level in story.watch(row.calls, row.settings)]
        for case in cases([row]):
            assert [(one.call, one.kind, one.fired) for one in watch(case).firings[:1]] == seen[:1], row.sentence


def told(result: object, **fields: Any) -> dict[str, Any]:
    """A call of a case."""
    return {"tool": "look_up", "args": {"word": "knot"}, "result": result, "error": None, "at_ms": 0, **fields}


def rewritten(name: str, *calls: dict[str, Any], expect: Expectation | None = None) -> Case:
    """A case under the mutation of a name."""
    return BY_NAME[name](Case("c", calls, expect or Expectation(False)))


@pytest.mark.parametrize("name", ["MCP", "MCP as text", "ToolMessage", "ToolMessage as text", "tool_result block"])
@pytest.mark.parametrize(
    ("call", "text", "failed"),
    [(told("a bend"), "a bend", False), (told({"of": [1]}), '{"of":[1]}', False), (told(None, error="no"), "no", True)],
)
def test_envelopes_hold_what_was_in_the_case(name: str, call: dict[str, Any], text: str, failed: bool) -> None:
    """What is taken out of an envelope again is what was put into it, and a failure is still one."""
    (entry,) = rewritten(f"envelope: {name}", call).calls
    opened = open_result(entry["result"], MAX_VALUE_BYTES)
    assert (opened.value, opened.failed, entry["error"]) == (text, failed, None)


@pytest.mark.parametrize(
    ("name", "call", "changed"),
    [
        ("counter in front: step", told("a bend"), {"result": "Step 1: a bend"}),
        ("counter in front: hash", told(None, error="none"), {"error": "#1\nnone"}),
        ("prose in front: name of the tool", told("a bend"), {"result": "Result of look_up:\n\na bend"}),
        ("short answers: German", told("ok"), {"result": "erledigt"}),
        ("short answers: Chinese", told({"state": "running"}), {"result": '{"state": "运行中"}'}),
        ("short answers: Japanese", told(None, error="429 Too Many Requests"), {"error": "429 リクエストが多すぎます"}),
        ("short answers: other English words", told("No results found."), {"result": "came up blank."}),
        ("short answers: other English words", told("still running"), {}),
        ("short answers: German", told("ok " * 40), {}),
        ("errors: text", told(None, error="none"), {"error": None, "result": "Error: none"}),
        ("errors: text", told("a bend"), {}),
        ("arguments: JSON text", told("a bend"), {"args": '{"word": "knot"}'}),
        ("argument names: prefixed", told("a bend"), {"args": {"arg_word": "knot"}}),
        ("long results: those that say something", told("a bend"), {}),
        ("an unknown counter behind each result", told("a bend"), {"result": "a bend [301]"}),
        ("no results", told(None, error="none"), {"error": True}),
        ("no results, no failures", told("a bend"), {"result": None}),
        ("gaps x10", told("a bend", at_ms=70), {"at_ms": 700}),
    ],
)
def test_what_mutations_write(name: str, call: dict[str, Any], changed: dict[str, Any]) -> None:
    """A call before and after."""
    assert rewritten(name, call).calls == ({**call, **changed},)


@pytest.mark.parametrize("name", [name for name in BY_NAME if name.startswith("noise")])
def test_noise_moves_the_verdict_with_its_call(name: str) -> None:
    """New calls stand between the others, not between siblings, and steps point at the calls they pointed at."""
    calls = [told(f"page {n}", at_ms=1000 * n, batch=n // 2, agent="a") for n in range(12)]
    case = rewritten(name, *calls, expect=Expectation(True, by_step=10, not_before=4))
    assert [entry for entry in case.calls if entry["tool"] == "look_up"] == calls
    assert (case.calls[case.expect.by_step - 1], case.calls[case.expect.not_before - 1]) == (calls[9], calls[3])
    assert len(case.calls) > len(calls)
    for batch in range(6):
        places = [place for place, entry in enumerate(case.calls) if entry.get("batch") == batch]
        assert places[1] == places[0] + 1
    assert [entry["at_ms"] for entry in case.calls] == sorted(entry["at_ms"] for entry in case.calls)


def test_the_runner_tells_what_changed(tmp_path: Path) -> None:
    """The command prints a table and the cases that came out differently, and writes both as JSON."""
    file, figures = tmp_path / "cases.jsonl", tmp_path / "figures.json"
    calls = [told("a bend in a rope, made to hold", at_ms=5000 * n) for n in range(12)]
    loop = {"loop": True, "by_step": 6, "not_before": 1, "kinds": ["identical"]}
    file.write_text(json.dumps({"id": "c", "expect": loop, "calls": calls}), encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "quality.rewriting",
        str(file),
        "--only",
        "no arguments",
        "-v",
        "--json",
        str(figures),
    ]
    ran = subprocess.run(command, cwd=BENCHMARKS, capture_output=True, text=True, check=True)
    assert "| as written | 1 | 0 | 0 |" in ran.stdout
    assert "\nno arguments\n  missed: c" in ran.stdout
    as_written, mutated = json.loads(figures.read_text(encoding="utf-8"))
    assert (as_written["in_time"], mutated["in_time"], mutated["changed"]) == (1, 0, {"missed": ["c"]})


def test_what_stops_good_work_is_a_false_stop() -> None:
    """A case of good work that repeats itself for ever is judged as stopped."""
    calls = tuple(told("a bend in a rope, made to hold", at_ms=5000 * n) for n in range(30))
    case = Case("c", calls, Expectation(False))
    assert watch(case).first(Fired.STOPPED) is not None
    assert score([case]).stops == 1
