"""The scoreboard as Markdown. It is made from the figures alone, as results.json holds them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .hits import ALL, LEVELS, OTHERS, SHORT, frontier, outdoing
from .loading import PUBLIC

Figures = Mapping[str, Any]
"""What is known of one detector, as `running.figures` gives it."""

CASE_COLUMNS = (
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
HIT_COLUMNS = (
    "detector",
    "successes warned",
    "failures warned",
    "successes stopped",
    "failures stopped",
    "calls saved",
    "calls before warning",
    "before stop",
    "to ours, warned",
    "to ours, stopped",
)
PAIR_COLUMNS = ("rule", "precision", "recall", "found", "right")
ABOUT = """\
Made by `make quality`. Every detector is at its default settings and is shown the same calls in the same order,
packages through the adapters in `rivals/`. Those without a version are plain rules; for them to fire is to stop.

- in time: first fired at or before the call at which a good detector has, as the case says. Late, missed: later, never.
- stopped: raised, blocked or halted by twice that call or by the loop's end. Only this package names kinds.
- wasted at signal: calls, up to and with the first signal, that asked what had been asked or brought from a tool what
  it had brought before; the median over the loops caught.
- false alarm: fired on good work, or before the loop could be told. False stop: stopped good work.
"""
ABOUT_HITS = """\
Published runs of real agents that ended well or badly: RepairAgent, ReAct on HotpotQA, tau-bench, MINT. Not every
failure is a loop, so the failures hit are no recall; a success hit is good work interrupted. In brackets: the exact
binomial interval (Clopper-Pearson, 95 %). Warned is warned or worse. Calls saved: of the failures, those after the
first stop. A detector that is *dominated* hits at least as many successes as this package and no more failures; one
that *dominates* does the reverse.
"""
ABOUT_PAIRS = "{pairs} pairs of calls, one after the other, of which people called {repetitions} a repetition.\n"


def markdown(results: Mapping[str, Any]) -> str:
    """The whole page."""
    return "\n".join(_parts(results)) + "\n"


def _parts(results: Mapping[str, Any]) -> Iterator[str]:
    detectors: Mapping[str, Figures] = results["detectors"]
    ours = next(iter(detectors.values()))
    yield "# How well loops are told from good work\n"
    yield ABOUT
    for suite, known in ours["suites"].items():
        yield f"## Cases: {suite} ({known['loops']} loops, {known['legitimate']} legitimate)\n"
        yield table(CASE_COLUMNS, case_rows(detectors, suite)) + "\n"
    yield from _recorded(detectors, ours, results["pairs"])
    yield "## What this package gets wrong\n"
    yield "\n".join(_wrong(results["wrong"])) + "\n"
    yield from _notes(results)


def _recorded(detectors: Mapping[str, Figures], ours: Figures, pairs: Mapping[str, Figures]) -> Iterator[str]:
    yield "## Recorded runs\n"
    if not ours["corpora"]:
        yield "None were at hand.\n"
        return
    yield ABOUT_HITS
    for source in (OTHERS, SHORT, ALL):
        if source in ours["corpora"]:
            yield f"### {source} ({ours['corpora'][source]['runs']} runs)\n"
            yield table(HIT_COLUMNS, hit_rows(detectors, source)) + "\n"
            yield "\n".join(_frontier(detectors, source)) + "\n"
    yield "### This package, source by source\n"
    yield table(("source", *HIT_COLUMNS[1:8]), _source_rows(ours)) + "\n"
    yield "### Repetitions, pair by pair\n"
    yield ABOUT_PAIRS.format_map(next(iter(pairs.values())))
    yield table(PAIR_COLUMNS, _pair_rows(pairs)) + "\n"


def case_rows(detectors: Mapping[str, Figures], suite: str) -> Iterator[Sequence[str]]:
    """A row per detector: this package, then the others, the most loops in time first."""
    for name, figures in ranked(detectors, suite):
        known = figures["suites"][suite]
        yield (
            label(name, figures),
            *(str(known[key]) for key in ("in_time", "late", "missed")),
            str(known["kind_right"]) if name == next(iter(detectors)) else "",
            str(known["stopped"]),
            _number(known["wasted_before_signal"]),
            str(known["false_alarms"]),
            str(known["false_stops"]),
        )


def ranked(detectors: Mapping[str, Figures], suite: str) -> list[tuple[str, Figures]]:
    """This package first, then the others by loops in time, and by false alarms where these are equal."""
    first, *others = detectors.items()

    def rank(item: tuple[str, Figures]) -> tuple[int, int]:
        known = item[1]["suites"][suite]
        return -known["in_time"], known["false_alarms"]

    return [first, *sorted(others, key=rank)]


def hit_rows(detectors: Mapping[str, Figures], source: str) -> Iterator[Sequence[str]]:
    """A row per detector that was run on recorded runs, as :func:`ranked`."""
    ours = next(iter(detectors.values()))["corpora"][source]
    for name, figures in ranked(detectors, PUBLIC):
        known = figures["corpora"].get(source)
        if known is not None:
            places = ["" if known is ours else frontier(ours, known, level) for level in LEVELS]
            yield label(name, figures), *_hit_cells(known), *places


def _frontier(detectors: Mapping[str, Figures], source: str) -> Iterator[str]:
    for level in LEVELS:
        better = ", ".join(outdoing(detectors, source, level)) or "nobody"
        yield f"- {level}: this package is dominated by {better}."


def _source_rows(ours: Figures) -> Iterator[Sequence[str]]:
    for source, known in sorted(ours["corpora"].items()):
        if source not in {OTHERS, ALL}:
            yield source, *_hit_cells(known)


def _hit_cells(known: Figures) -> Iterator[str]:
    for level in LEVELS:
        for outcome in ("success", "failure"):
            yield share(known[level][outcome])
    yield f"{known['calls_saved']}/{known['calls_of_failures']}"
    yield from (_number(known["calls_before"][level]) for level in LEVELS)


def _pair_rows(pairs: Mapping[str, Figures]) -> Iterator[Sequence[str]]:
    for name, known in pairs.items():
        yield (
            name,
            _number(known["precision"], "{:.3f}"),
            _number(known["recall"], "{:.3f}"),
            str(known["found"]),
            str(known["right"]),
        )


def _wrong(wrong: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    for suite, cases in wrong.items():
        yield from (f"- {suite}, {case}: {what}" for case, what in cases.items())
    if not any(wrong.values()):
        yield "No case."


def _notes(results: Mapping[str, Any]) -> Iterator[str]:
    notes = [f"- {name}: {figures['note']}" for name, figures in results["detectors"].items() if figures["note"]]
    notes += [f"- {name}: not installed, not run" for name in results["absent"]]
    for name, figures in results["detectors"].items():
        parts = (*figures["suites"].values(), figures["corpora"].get(ALL, {}))
        broken = sum(part.get("broken_calls", 0) for part in parts)
        if broken:
            notes.append(f"- {name}: raised an error of its own at {broken} calls")
    if notes:
        yield "## Notes\n"
        yield "\n".join(notes) + "\n"


def label(name: str, figures: Figures) -> str:
    """The detector with its version; a plain rule has none."""
    return f"{name} {figures['version']}".strip()


def share(known: Figures) -> str:
    """Runs hit, with the interval of their share in per cent."""
    if not known["runs"]:
        return ""
    low, high = (100 * bound for bound in known["interval"])
    return f"{known['hit']}/{known['runs']} ({low:.1f}-{high:.1f} %)"


def _number(value: float | None, form: str = "{:g}") -> str:
    return "" if value is None else form.format(value)


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
