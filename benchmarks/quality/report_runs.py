"""What the scoreboard says of recorded runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from .hits import ALL, LEVELS, OTHERS, SHORT, frontier, outdoing
from .loading import PUBLIC
from .ranking import Figures, ranked
from .table import label, number, share, table

HITS = (
    "successes warned",
    "failures warned",
    "successes stopped",
    "failures stopped",
    "calls saved",
    "calls before warning",
    "before stop",
)
COLUMNS = ("detector", *HITS, "to ours, warned", "to ours, stopped")
PAIR_COLUMNS = ("rule", "precision", "recall", "found", "right")
ABOUT = """\
Published runs of real agents that ended well or badly: RepairAgent, ReAct on HotpotQA, tau-bench, MINT. Not every
failure is a loop, so the failures hit are no recall; a success hit is good work interrupted. In brackets: the exact
binomial interval (Clopper-Pearson, 95 %). Warned is warned or worse. Calls saved: of the failures, those after the
first stop. A detector that is *dominated* hits at least as many successes as this package and no more failures; one
that *dominates* does the reverse.
"""
ABOUT_PAIRS = "{pairs} pairs of calls, one after the other, of which people called {repetitions} a repetition.\n"
ABOUT_LOOPS = "{runs} runs have two such pairs in a row: {warned} of them are warned of, {stopped} stopped.\n"


def recorded(detectors: Mapping[str, Figures], pairs: Mapping[str, Figures]) -> Iterator[str]:
    """The tables, group by group; then this package alone."""
    ours = next(iter(detectors.values()))
    yield "## Recorded runs\n"
    if not ours["corpora"]:
        yield "None were at hand.\n"
        return
    yield ABOUT
    for source in (OTHERS, SHORT, ALL):
        if source in ours["corpora"]:
            yield f"### {source} ({ours['corpora'][source]['runs']} runs)\n"
            yield table(COLUMNS, _rows(detectors, source)) + "\n"
            yield "\n".join(_frontier(detectors, source)) + "\n"
    yield "### This package, source by source\n"
    yield table(("source", *HITS), _sources(ours)) + "\n"
    yield "### Repetitions, pair by pair\n"
    yield ABOUT_PAIRS.format_map(next(iter(pairs.values())))
    yield table(PAIR_COLUMNS, _pairs(pairs)) + "\n"
    yield ABOUT_LOOPS.format_map(ours["corpora"][ALL]["marked_loops"])


def _rows(detectors: Mapping[str, Figures], source: str) -> Iterator[Sequence[str]]:
    """A row per detector that was run on recorded runs."""
    ours = next(iter(detectors.values()))["corpora"][source]
    for name, figures in ranked(detectors, PUBLIC):
        known = figures["corpora"].get(source)
        if known is not None:
            places = ["" if known is ours else frontier(ours, known, level) for level in LEVELS]
            yield label(name, figures), *_cells(known), *places


def _sources(ours: Figures) -> Iterator[Sequence[str]]:
    for source, known in sorted(ours["corpora"].items()):
        if source not in {OTHERS, ALL}:
            yield source, *_cells(known)


def _cells(known: Figures) -> Iterator[str]:
    for level in LEVELS:
        for outcome in ("success", "failure"):
            yield share(known[level][outcome])
    yield f"{known['calls_saved']}/{known['calls_of_failures']}"
    yield from (number(known["calls_before"][level]) for level in LEVELS)


def _frontier(detectors: Mapping[str, Figures], source: str) -> Iterator[str]:
    for level in LEVELS:
        better = ", ".join(outdoing(detectors, source, level)) or "nobody"
        yield f"- {level}: this package is dominated by {better}."


def _pairs(pairs: Mapping[str, Figures]) -> Iterator[Sequence[str]]:
    for name, known in pairs.items():
        shares = (number(known[share], "{:.3f}") for share in ("precision", "recall"))
        yield name, *shares, str(known["found"]), str(known["right"])
