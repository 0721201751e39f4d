"""Recorded runs with outcomes, as the engine saw them: per call, what it has counted so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from otel_loopwatch.engine import Engine
from otel_loopwatch.model import Observation, ToolCall
from otel_loopwatch.sources import read
from otel_loopwatch.sources.cases import case_id, is_case
from otel_loopwatch.tracker import RunEnded


class Step(NamedTuple):
    """A run after one of its calls."""

    calls: int
    effort: int
    in_vain: int
    """Calls that failed or brought nothing new."""
    again: int
    """Calls made before, with the same arguments and the same result."""
    signals: int


START = Step(0, 0, 0, 0, 0)


class Course(NamedTuple):
    """A run from its first call to its last."""

    run: str
    agent: str
    task: str
    good: bool
    steps: tuple[Step, ...]


class Recording(NamedTuple):
    """A file of recorded runs, and what the ids of its runs are made of."""

    name: str
    task: Callable[[str], str]
    agent: Callable[[str], str] = lambda run: ""


RECORDINGS = (
    Recording("hotpot_react", task=lambda run: run.rpartition("/")[2]),
    Recording("tau_airline_gpt4o", task=lambda run: run.rpartition("/")[2].partition("-")[0]),
    Recording("mint_alfworld", task=lambda run: run.rpartition("/")[2], agent=lambda run: run.rpartition("/")[0]),
    Recording("repairagent", task=lambda run: run),
)


def courses(recording: Recording, folder: Path) -> list[Course]:
    """Runs that succeeded or failed and made at least one call; none if the file is not there."""
    path = folder / f"{recording.name}.jsonl.gz"
    if not path.exists():
        return []
    outcomes = {case_id(one, line): one.get("outcome") for line, one in read(path).records if is_case(one)}
    return [
        Course(run, recording.agent(run), recording.task(run), outcomes[run] == "success", steps)
        for run, steps in _observed(path)
        if outcomes[run] in ("success", "failure")
    ]


def _observed(path: Path) -> Iterator[tuple[str, tuple[Step, ...]]]:
    engine, steps, made = Engine(), [START], set[tuple[object, ...]]()
    for event in read(path):
        if isinstance(event, ToolCall):
            steps.append(_after(steps[-1], event, engine.observe(event), made))
        elif isinstance(event, RunEnded):
            yield event.run, tuple(steps[1:])
            engine.end(event.run)
            del steps[1:]
            made.clear()


def _after(before: Step, call: ToolCall, seen: Observation, made: set[tuple[object, ...]]) -> Step:
    what = (call.tool, seen.arguments_fingerprint, seen.result_fingerprint)
    again = None not in what and what in made
    made.add(what)
    in_vain = seen.effort - before.effort > 1
    return Step(
        before.calls + 1,
        seen.effort,
        before.in_vain + in_vain,
        before.again + again,
        before.signals + len(seen.signals),
    )
