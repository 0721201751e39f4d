"""The scoreboard as Markdown. It is made from the figures alone, as results.json holds them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .hits import ALL
from .ranking import Figures, ranked
from .report_ours import ours
from .report_runs import recorded
from .table import label, number, table

COLUMNS = (
    "detector",
    "in time",
    "late",
    "missed",
    "kind right",
    "stopped",
    "wasted at signal",
    "false alarms",
    "false stops",
)
ABOUT = """\
Made by `make quality`. Every detector is at its default settings, but for *strict*, which is `examples/strict.yaml`.
All are shown the same calls in the same order, packages through the adapters in `rivals/`. Those without a version are
plain rules; for them to fire is to stop. What loopbrake learns from, the lengths of good runs, are those of the very
runs it is then judged by.

- in time: first fired at or before the call at which a good detector has, as the case says. Late, missed: later, never.
- stopped: raised, blocked or halted by twice that call or by the loop's end. Only this package names kinds.
- wasted at signal: calls, up to and with the first signal, that asked what had been asked or brought from a tool what
  it had brought before; the median over the loops caught.
- false alarm: fired on good work, or before the loop could be told. False stop: stopped good work.
"""


def markdown(results: Mapping[str, Any]) -> str:
    """The whole page."""
    return "\n".join(_parts(results)) + "\n"


def _parts(results: Mapping[str, Any]) -> Iterator[str]:
    detectors: Mapping[str, Figures] = results["detectors"]
    yield "# How well loops are told from good work\n"
    yield ABOUT
    for suite, known in next(iter(detectors.values()))["suites"].items():
        yield f"## Cases: {suite} ({known['loops']} loops, {known['legitimate']} legitimate)\n"
        yield table(COLUMNS, _rows(detectors, suite)) + "\n"
    yield from recorded(detectors, results["pairs"])
    yield from ours(results)
    notes = [*_notes(detectors), *(f"- {name}: not installed, not run" for name in results["absent"])]
    if notes:
        yield "## Notes\n"
        yield "\n".join(notes) + "\n"


def _rows(detectors: Mapping[str, Figures], suite: str) -> Iterator[Sequence[str]]:
    """A row per detector."""
    for name, figures in ranked(detectors, suite):
        known = figures["suites"][suite]
        yield (
            label(name, figures),
            *(str(known[key]) for key in ("in_time", "late", "missed")),
            str(known["kind_right"]) if name == next(iter(detectors)) else "",
            str(known["stopped"]),
            number(known["wasted_before_signal"]),
            str(known["false_alarms"]),
            str(known["false_stops"]),
        )


def _notes(detectors: Mapping[str, Figures]) -> Iterator[str]:
    for name, figures in detectors.items():
        parts = (*figures["suites"].values(), figures["corpora"].get(ALL, {}))
        broken = sum(part.get("broken_calls", 0) for part in parts)
        if figures["note"]:
            yield f"- {name}: {figures['note']}"
        if broken:
            yield f"- {name}: raised an error of its own at {broken} calls"
