"""The scores of all mutations as a Markdown table and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .judge import Score, Verdict

AS_WRITTEN = "as written"
TITLES = {True: "Evidence stays in place", False: "Evidence is taken away"}


def markdown(rows: list[tuple[str, bool, Score]]) -> str:
    """One table for the mutations that keep the evidence, one for the others. Rows: name, whether it keeps, score."""
    parts = []
    for keeps, title in TITLES.items():
        lines = [_row(name, score) for name, kept, score in rows if kept is keeps]
        if lines:
            parts.append("\n".join((f"### {title}", "", *_heading(rows[0][2]), *lines)))
    return "\n\n".join(parts)


def _heading(score: Score) -> tuple[str, str]:
    titles = f"| rewritten | loops in time (of {score.loops}) | false alarms (of {score.good}) | false stops |"
    return titles, "|---|---|---|---|"


def _row(name: str, score: Score) -> str:
    return f"| {name} | {score.in_time} | {score.alarms} | {score.stops} |"


def changes(before: Score, after: Score) -> dict[str, list[str]]:
    """Ids of the cases that came out differently, by what came of them."""
    found: dict[str, list[str]] = {}
    for case, verdict in after.verdicts.items():
        if verdict is not before.verdicts[case]:
            found.setdefault(verdict.value, []).append(case)
    return found


def described_changes(found: Mapping[str, list[str]]) -> str:
    """The same for people, one line per verdict."""
    return "\n".join(f"  {verdict}: {', '.join(found[verdict])}" for verdict in map(str, _ORDER) if verdict in found)


_ORDER = [verdict.value for verdict in Verdict]


def as_json(rows: list[tuple[str, bool, Score]]) -> list[dict[str, Any]]:
    """The scores, and under ``changed`` the ids of the cases that came out differently."""
    return [
        {
            "rewritten": name,
            "keeps_evidence": keeps,
            "loops": score.loops,
            "in_time": score.in_time,
            "good": score.good,
            "false_alarms": score.alarms,
            "false_stops": score.stops,
            "changed": changes(rows[0][2], score),
        }
        for name, keeps, score in rows
    ]
