"""The figures as Markdown, made from what results.json holds alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from quality.table import table

from .exchanges import WORKLOADS

COLUMNS = ("what", "measured", "target", "verdict", "figures behind it")
ABOUT = """\
Made by `make bench`: CPU time on one core, each figure the median over turns that the subjects take in one run. Ratios
can be compared between machines; microseconds cannot. Calls have {arguments} characters of arguments and {result} of
result. *Distinct*: every call and result in new words and a new shape. *Repeated*: the same call, a new result each
time. *Looping*: the same call, the same result. *Volatile ids*: the same call, results that differ in a time and a
request id. A *bare span* is started and ended with six attributes, the arguments among them, under a processor that
does nothing. A *tool span* has the result set before its end, where content is present.
"""
OTHERS = """\
Microseconds of CPU per observed call, the median over the calls of some runs of 100; the same calls for all, in turn.
Marked are those that look at results; the others compare arguments or count.
"""
INSTRUCTIONS = "Instructions per call, by {counter}; the difference of a run with more calls and one with fewer."


def markdown(results: Mapping[str, Any]) -> str:
    """The whole page."""
    return "\n".join(_parts(results)) + "\n"


def _parts(results: Mapping[str, Any]) -> Iterator[str]:
    yield "# What watching costs\n"
    yield ABOUT.format(**results["sizes"])
    yield "Measured with " + ", ".join(f"{name} {value}" for name, value in results["environment"].items()) + ".\n"
    for part in dict.fromkeys(row["part"] for row in results["rows"]):
        yield f"## {part[0].upper()}{part[1:]}\n"
        yield table(COLUMNS, (cells(row) for row in results["rows"] if row["part"] == part)) + "\n"
    if results["others"]:
        yield from _others(results["others"])
    if results["instructions"]:
        yield "## Instructions\n"
        yield INSTRUCTIONS.format(counter=results["instructions"]["counter"]) + "\n"
        counts = results["instructions"]["counts"].items()
        yield table(("work", "instructions"), ((name, f"{value:,.0f}") for name, value in counts)) + "\n"
    if results["missing"]:
        yield "## Not measured\n"
        yield "\n".join(f"- {what}" for what in results["missing"]) + "\n"


def cells(row: Mapping[str, Any]) -> Sequence[str]:
    """One row of figures."""
    return tuple(row[column] for column in ("what", "said", "target", "verdict", "detail"))


def _others(known: Mapping[str, Any]) -> Iterator[str]:
    yield "## Every package\n"
    yield OTHERS
    looks = set(known["looks_at_results"])
    rows = [
        (f"{name} {known['versions'].get(name, '')}".strip(), "yes" if name in looks else "", *map(_us, costs.values()))
        for name, costs in sorted(known["costs"].items(), key=lambda item: float(item[1]["distinct"]))
    ]
    yield table(("package", "looks at results", *WORKLOADS), rows) + "\n"


def _us(microseconds: float) -> str:
    return f"{microseconds:,.1f}"
