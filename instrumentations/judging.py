"""What was seen of a scenario against what must be seen."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scenarios import SCENARIOS, Scenario

Result = Mapping[str, Any]
"""One scenario's line, as watch.py writes it."""

MAY_LACK = "? "
SIGNAL = re.compile(r"(?P<what>.+) (?P<first>\d+)(?:-(?P<last>\d+))?")


def complaints(result: Result, expected: Mapping[str, Any]) -> list[str]:
    """What is wrong, one phrase each; nothing where all is as it must be.

    ``expected`` holds what differs for this row: ``signals``, ``calls`` and ``limit``; for packages with a way of their
    own also ``ran`` and ``raises``.
    """
    return list(_complaints(result, SCENARIOS[result["scenario"]], expected))


def _complaints(result: Result, scenario: Scenario, expected: Mapping[str, Any]) -> Iterator[str]:
    if bool(result["error"]) != expected.get("raises", scenario.raises):
        yield f"raised {result['error']}" if result["error"] else "raised nothing"
        return
    signals = [signal["signal"] for signal in result["signals"]]
    wanted = expected.get("signals", scenario.signals)
    if not same_signals(signals, wanted):
        yield f"signalled {_listed(signals)} instead of {_listed(wanted)}"
    ran = expected.get("ran", scenario.ran)
    if result["ran"] != ran:
        yield f"the tools ran {result['ran']} instead of {ran}: the script or the package is wrong"
    calls = expected.get("calls", dict(scenario.calls))
    if result["calls"] != calls:
        yield f"counted {result['calls']} instead of {calls}"
    limits, limit = result.get("limits", []), expected.get("limit", "")
    if not _same_limits(limits, limit):
        yield f"runs ended by {_listed(limits)} instead of {limit or 'nothing'}"
    if "replayed" not in result:
        yield from _of_spans(result, bool(signals))


def _of_spans(result: Result, signalled: bool) -> Iterator[str]:
    before, after = result["marked_before"], result["marked_after"]
    if before != after:
        yield f"exporters differ: {before} before, {after} after"
    if signalled != bool(before["loops"]):
        yield "no exported span carries the loop" if signalled else "a span carries a loop nobody signalled"
    if result["failures"]:
        yield f"failures inside: {result['failures']}"


def _same_limits(seen: Sequence[str], wanted: str) -> bool:
    if not seen:
        return not wanted or wanted.startswith(MAY_LACK)
    return list(seen) == [wanted.removeprefix(MAY_LACK)]


def same_signals(seen: Sequence[str], wanted: Sequence[str]) -> bool:
    """Equal line by line; a wanted call number may be a range, and a wanted line that starts with ``?`` may lack."""
    at = 0
    for line in wanted:
        if at < len(seen) and _same(seen[at], line.removeprefix(MAY_LACK)):
            at += 1
        elif not line.startswith(MAY_LACK):
            return False
    return at == len(seen)


def _same(seen: str, wanted: str) -> bool:
    ours, theirs = SIGNAL.fullmatch(seen), SIGNAL.fullmatch(wanted)
    if ours is None or theirs is None or ours["what"] != theirs["what"]:
        return False
    return int(theirs["first"]) <= int(ours["first"]) <= int(theirs["last"] or theirs["first"])


def _listed(signals: Sequence[str]) -> str:
    return ", ".join(signals) or "nothing"
