"""The scores of all mutations as Markdown tables and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .judge import Score, verdict

AS_WRITTEN = "as written"
TITLES = {True: "Evidence stays in place", False: "Evidence is taken away"}
WORST_FIRST = ("false stop", "false alarm", "missed", "late", "another kind", "in time", "left alone")


@dataclass(frozen=True, slots=True)
class Row:
    """A mutation and what it did."""

    name: str
    keeps_evidence: bool
    score: Score


def markdown(rows: Sequence[Row]) -> str:
    """One table for the mutations that keep the evidence, one for the others."""
    tables = ((title, [row for row in rows if row.keeps_evidence is keeps]) for keeps, title in TITLES.items())
    return "\n\n".join("\n".join(_table(title, some)) for title, some in tables if some)


def _table(title: str, rows: Sequence[Row]) -> Iterator[str]:
    score = rows[0].score
    yield f"### {title}\n"
    yield f"| rewritten | loops in time (of {score.loops}) | false alarms (of {score.good}) | false stops |"
    yield "|---|---|---|---|"
    for row in rows:
        yield f"| {row.name} | {row.score.in_time} | {row.score.alarms} | {row.score.stops} |"


def changes(before: Score, after: Score) -> dict[str, list[str]]:
    """Ids of the cases that came out differently, by what came of them, the worst first."""
    found: dict[str, list[str]] = {word: [] for word in WORST_FIRST}
    for case, judgement in after.judgements.items():
        if (word := verdict(judgement)) != verdict(before.judgements[case]):
            found[word].append(case)
    return {word: cases for word, cases in found.items() if cases}


def told(name: str, found: Mapping[str, Sequence[str]]) -> str:
    """The changes of a mutation for people, one line per verdict."""
    lines = [f"  {word}: {', '.join(cases)}" for word, cases in found.items()]
    return "\n".join((f"\n{name}", *(lines or ["  nothing changed"])))


def as_json(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The scores, and under ``changed`` the ids of the cases that came out differently from the first row."""
    return [
        {
            "rewritten": row.name,
            "keeps_evidence": row.keeps_evidence,
            "loops": row.score.loops,
            "in_time": row.score.in_time,
            "good": row.score.good,
            "false_alarms": row.score.alarms,
            "false_stops": row.score.stops,
            "changed": changes(rows[0].score, row.score),
        }
        for row in rows
    ]
