"""Lines of results that were seen before: what other arguments bring back may be what is known already.

Windows into a file, tails of a log and sweeps of a table overlap in their lines, whatever language the bounds are
written in.
"""

from __future__ import annotations

from itertools import islice

from xxhash import xxh3_64_intdigest as digest

from otel_loopwatch.fingerprint import Reading
from otel_loopwatch.outcomes import Grade
from otel_loopwatch.runs import Run

FEWEST = 3
"""A result of fewer lines says too little."""
SHORTEST = 4
"""Shorter lines are the same everywhere."""
MOST = 200
"""Lines looked at per result."""
REMEMBERED = 1_024
"""Lines remembered per run; of more, the oldest are forgotten."""
FOOTER = 5
"""From so many lines on, one may be new, and from twice as many on two: a heading, a count at the end."""
COVERED = 0.8
"""Share of known lines below which a result is news."""


def observe(run: Run, reading: Reading) -> None:
    """Count results in a row in which no line is new; a change of the world makes everything unread."""
    if run.current.changes:
        run.lines.clear()
        run.rereads = 0
    if reading.failed or reading.grade < Grade.TERSE:
        return
    pieces = _pieces(reading.text)
    if len(pieces) >= FEWEST and not run.answers_anew and not _says_the_same(run):
        _take_in(run, _lines(pieces, reading.tool))


def _take_in(run: Run, lines: set[int]) -> None:
    if len(lines) < FEWEST:
        return
    new = len(lines.difference(run.lines))
    if new <= min(2, len(lines) // FOOTER):
        run.rereads += run.reread != run.current.number
        run.reread = run.current.number
    elif len(lines) - new < COVERED * len(lines):
        run.rereads = 0
    _remember(run, lines)


def _says_the_same(run: Run) -> bool:
    """One answer to different requests is a drift, or a tool that says the same to all; one call again is a repeat."""
    if run.current.stale:
        return run.request_keys.rounds(1) > 1
    return run.current.answer in run.answer_keys.ring[:-1]


def _lines(pieces: list[str], tool: int) -> set[int]:
    """Digests of lines, by half: enough to tell a thousand lines apart, and half of what a run takes when packed."""
    texts = [piece.strip(" \t\r[]{},") for piece in pieces]
    return {(digest(text.encode("utf-8", "surrogatepass")) ^ tool) & _HALF for text in texts if len(text) >= SHORTEST}


_HALF = (1 << 32) - 1


def _pieces(text: str) -> list[str]:
    """Lines of a text, items of a JSON list of objects or lists."""
    if "\n" not in text and text[:1] in "{[":
        text = text.replace("},", "\n").replace("],", "\n")
    return text.split("\n", MOST)[:MOST]


def _remember(run: Run, lines: set[int]) -> None:
    run.lines.update(dict.fromkeys(lines, 1))
    for line in list(islice(run.lines, max(0, len(run.lines) - REMEMBERED))):
        del run.lines[line]
