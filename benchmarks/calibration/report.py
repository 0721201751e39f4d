"""The results as Markdown: figures only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .scores import LENGTH, SHIPPED, TWO_LINES

HEAD = """# A line learnt from good runs: does it keep its promise, and what does it save?

Made by `make calibration`. At most 5 % of good runs may be stopped. All figures are per cent; those in brackets are
intervals: of 95 % of 200 bootstrap samples of the runs, unless it says otherwise.
"""
MADE_UP = """## Runs made up

Mean share of new good runs that are stopped over 1,000 draws, with the 95 % interval of the mean."""
SPLITS = """Calibrated on one half of the good runs, tried on the other half and on the failing ones; means over 1,000
splits, tie-breaks drawn 50 times. A stop is worth the failing run's calls after it."""
WATCHED = "Too few good runs for a line: runs are only watched, and none is stopped."
TASKS = "Tasks that were never seen: calibrated on two thirds of the tasks, tried on the others."
AGENTS = "Good runs stopped, over agents with 40 or more of them:"


def markdown(results: dict[str, Any]) -> str:
    """The whole report."""
    parts = [HEAD, MADE_UP, *_simulation(results["simulation"])]
    for name, found in results["recordings"].items():
        parts += _recording(name, found)
    parts += [f"Not there when this was made: {', '.join(results['absent'])}."] if results["absent"] else []
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _simulation(found: dict[str, Any]) -> Iterator[str]:
    yield _table(
        ("past runs", "alpha", "stopped"),
        (
            (str(row["runs"]), row["alpha"], _with(row["stopped"][0], row["stopped"][1:]))
            for row in found["exchangeable"]
        ),
    )
    yield "Twenty past tasks with five runs each, and new runs of new tasks:"
    rows = ((way, _with(share[0], share[1:])) for way, share in found["repeated tasks"].items())
    yield _table(("calibrated on", "stopped"), rows)


def _recording(name: str, found: dict[str, Any]) -> Iterator[str]:
    yield f"## {name}: {found['good']} good runs, {found['failing']} failing ones"
    if not found["scores"][SHIPPED]["saved"]:
        yield WATCHED
        return
    yield SPLITS
    yield _table(
        ("score", "good runs stopped", "in 90 % of splits", "failing runs' calls saved", "more than calls alone"),
        [*(_score(score, row) for score, row in found["scores"].items()), _two_lines(found)],
    )
    yield _verdict(found["scores"][SHIPPED])
    if len(found["tasks"]) > 1:
        yield f"{TASKS} {found['tasks']['tasks']} tasks have good runs."
        ways = (
            (way, _percent(row["stopped"]), _percent(row["saved"])) for way, row in list(found["tasks"].items())[1:]
        )
        yield _table(("calibrated on", "good runs stopped", "failing runs' calls saved"), ways)
    if found["agents"]:
        yield AGENTS
        spreads = ((way, *map(_percent, spread)) for way, spread in found["agents"].items())
        yield _table(("", "on average", "of the agent with most"), spreads)


def _score(score: str, row: dict[str, Any]) -> tuple[str, ...]:
    more = _with(row["more than calls alone"], row["more, 95 % of samples"], signed=True)
    return (
        f"**{score}** (what is used)" if score == SHIPPED else score,
        _with(row["stopped"], row["stopped, 95 % of samples"]),
        " to ".join(map(_percent, row["stopped, 90 % of splits"])),
        _with(row["saved"], row["saved, 95 % of samples"]),
        "" if score == LENGTH else more,
    )


def _two_lines(found: dict[str, Any]) -> tuple[str, ...]:
    row = found["two lines"]
    more = row["saved"] - found["scores"][LENGTH]["saved"]
    return TWO_LINES, _percent(row["stopped"]), "", _percent(row["saved"]), _percent(more, signed=True)


def _verdict(row: dict[str, Any]) -> str:
    """What the figures allow to say."""
    low, high = row["more, 95 % of samples"]
    if low > 0:
        return f"Looking at what calls bring saves {_between(low, high)} points more than counting them."
    return f"Looking at what calls bring adds nothing provable here: {_between(low, high, signed=True)} points."


def _with(mean: float, bounds: Sequence[float], signed: bool = False) -> str:
    return f"{_percent(mean, signed)} [{_between(bounds[0], bounds[1], signed)}]"


def _between(low: float, high: float, signed: bool = False) -> str:
    return f"{_percent(low, signed)} to {_percent(high, signed)}"


def _percent(share: float, signed: bool = False) -> str:
    return f"{100 * share:+.1f}" if signed else f"{100 * share:.1f}"


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
