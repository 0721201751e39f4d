"""The stories of the tests as cases: what an engine took in, written down again."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Protocol

from otel_loopwatch.model import Kind, Level, ToolCall
from otel_loopwatch.settings import Settings
from otel_loopwatch.sources.cases import NS_PER_MS

from ..loading import Expectation
from .case import Case, Entry

TESTS = Path(__file__).resolve().parents[3] / "tests"
DECLARED = ("outcome", "tokens", "state", "progress_version", "truncated")
"""What no case file can say of a call."""


class Story(Protocol):
    """A row of a detector's test: calls, and the first signal if there is to be one."""

    @property
    def sentence(self) -> str: ...  # noqa: D102 - said above
    @property
    def calls(self) -> Sequence[ToolCall]: ...  # noqa: D102
    @property
    def first(self) -> tuple[int, Kind, Level] | None: ...  # noqa: D102
    @property
    def settings(self) -> Settings: ...  # noqa: D102


def load() -> list[Case]:
    """All stories of the detectors' tests. Needs the repository's ``tests`` and pytest; else ``ImportError``."""
    sys.path.insert(0, str(TESTS))
    try:
        return list(cases(import_module("engine.tables").ROWS))
    finally:
        sys.path.remove(str(TESTS))


def cases(stories: Iterable[Story]) -> Iterator[Case]:
    """Each story as a case that is called by its sentence; a loop is to be signalled before its end.

    A story of several groups would be several cases, and is left out.
    """
    names: Counter[str] = Counter()
    for story in stories:
        if len({call.group for call in story.calls}) > 1:
            continue
        names[story.sentence] += 1
        repeated = names[story.sentence] > 1
        name = f"{story.sentence} ({names[story.sentence]})" if repeated else story.sentence
        kinds = frozenset({story.first[1].value} if story.first else ())
        expect = Expectation(story.first is not None, by_step=len(story.calls), kinds=kinds)
        start_ns = story.calls[0].start_ns
        yield Case(name, tuple(_entry(call, start_ns) for call in story.calls), expect, story.settings)


def _entry(call: ToolCall, start_ns: int) -> Entry:
    return {
        "tool": call.tool,
        "args": call.arguments,
        "result": call.result,
        "error": (call.error or True) if call.failed else None,
        "agent": call.agent,
        "batch": call.batch,
        "turn": call.user_turn,
        "at_ms": (call.start_ns - start_ns) // NS_PER_MS,
        "declared": {name: getattr(call, name) for name in DECLARED},
    }
