"""What the scoreboard says of this package alone: its mistakes, what rewriting does to it, what its rules are worth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .table import table

REWRITTEN_COLUMNS = ("rewritten", "loops in time", "false alarms", "false stops")
RULE_COLUMNS = ("rule", "solves alone", "false alarms alone", "lost without it", "false alarms less")
TITLES = {True: "Evidence stays in place", False: "Evidence is taken away"}
ABOUT_REWRITTEN = """\
Every case told in another way, the verdict unchanged: `python -m benchmarks.quality.rewriting -v` names the cases.
{loops} loops and {good} legitimate cases.
"""
ABOUT_RULES = """\
The engine with one rule alone, and with one rule left out: `python -m benchmarks.quality.ablation -v` names the cases.
"""


def ours(results: Mapping[str, Any]) -> Iterator[str]:
    """The parts of the page."""
    yield "## What this package gets wrong\n"
    yield "\n".join(_wrong(results["wrong"])) + "\n"
    rewritten = results["rewritten"]
    yield "## Cases rewritten\n"
    yield ABOUT_REWRITTEN.format_map(rewritten[0])
    for keeps, title in TITLES.items():
        rows = [row for row in rewritten if row["keeps_evidence"] is keeps]
        if rows:
            yield f"### {title}\n"
            yield table(REWRITTEN_COLUMNS, _rewritten(rows)) + "\n"
    yield "## What each rule is worth\n"
    yield ABOUT_RULES
    yield table(RULE_COLUMNS, _rules(results["rules"])) + "\n"


def _wrong(wrong: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    for suite, cases in wrong.items():
        yield from (f"- {suite}, {case}: {what}" for case, what in cases.items())
    if not any(wrong.values()):
        yield "No case."


def _rewritten(rows: Sequence[Mapping[str, Any]]) -> Iterator[Sequence[str]]:
    for row in rows:
        yield row["rewritten"], *(str(row[key]) for key in ("in_time", "false_alarms", "false_stops"))


def _rules(rules: Sequence[Mapping[str, Any]]) -> Iterator[Sequence[str]]:
    for rule in rules:
        lists = ("solves_alone", "false_alarms_alone", "lost_without", "false_alarms_less")
        yield rule["rule"], *(str(len(rule[key])) for key in lists)
