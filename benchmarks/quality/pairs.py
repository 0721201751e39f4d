"""Whether a call repeats the one before it: people's word for each pair of calls against ours."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from otel_loopwatch import asked
from otel_loopwatch.fingerprint import read
from otel_loopwatch.runs import Run
from otel_loopwatch.settings import Settings

from .detector import Call
from .loading import Recording
from .ours import tool_call
from .plain import request

REPETITION = "Repetition"
"""People's word for a call that does once more what the one before it did."""

Same = Callable[[Call, Call], bool]


def equal(call: Call, before: Call) -> bool:
    """Same tool, same arguments."""
    return request(call) == request(before)


def identity(call: Call, before: Call) -> bool:
    """Equal as the engine compares requests: tool and arguments, folded, parameters misnamed and paths cut short."""
    run, settings = Run(key=""), Settings()
    readings = [
        read(tool_call(one), settings.policy(one.tool, one.agent), settings.max_value_bytes) for one in (before, call)
    ]
    first, second = ((reading.tool, asked.identity(run, reading)) for reading in readings)
    return None not in first and first == second


RULES: dict[str, Same] = {"equal request": equal, "identity of the request (otel-loopwatch)": identity}


def scores(recordings: Iterable[Recording]) -> dict[str, dict[str, Any]]:
    """Precision and recall of each rule on the labelled pairs; empty where there are none."""
    pairs = [
        (call, before, label == REPETITION)
        for recording in recordings
        if recording.pairs
        for before, call, label in zip(recording.calls, recording.calls[1:], recording.pairs, strict=False)
    ]
    return {name: _score([(same(call, before), said) for call, before, said in pairs]) for name, same in RULES.items()}


def _score(found: list[tuple[bool, bool]]) -> dict[str, Any]:
    both = found.count((True, True))
    said_by_rule, said_by_people = both + found.count((True, False)), both + found.count((False, True))
    return {
        "pairs": len(found),
        "repetitions": said_by_people,
        "found": said_by_rule,
        "right": both,
        "precision": round(both / said_by_rule, 4) if said_by_rule else None,
        "recall": round(both / said_by_people, 4) if said_by_people else None,
    }
