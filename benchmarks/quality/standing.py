"""How this package alone stands, for whoever works on it: figures, and every case it gets wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from . import pairs
from .hits import LEVELS, outdoing
from .running import Material


def told(detectors: Mapping[str, Mapping[str, Any]], material: Material) -> str:
    """As lines of text. This package is the first detector, the others are what it is compared with."""
    ours = next(iter(detectors.values()))
    return "\n".join([*_suites(ours), *_corpora(ours), *_frontier(detectors), *_pairs(material)])


def _suites(figures: Mapping[str, Any]) -> Iterator[str]:
    for suite, known in figures["suites"].items():
        yield (
            f"{suite}: in time {known['in_time']}/{known['loops']} (kind right {known['kind_right']}), "
            f"late {known['late']}, missed {known['missed']}, stopped {known['stopped']}; "
            f"false alarms {known['false_alarms']} (legitimate {known['legitimate']}), "
            f"false stops {known['false_stops']}; wasted calls at the signal {known['wasted_before_signal']} (median)"
        )
        yield from (f"  {case}: {what}" for case, what in figures["wrong"][suite].items())


def _corpora(figures: Mapping[str, Any]) -> Iterator[str]:
    if not figures["corpora"]:
        yield "recorded runs: none at hand"
    for source, known in figures["corpora"].items():
        levels = (
            f"{level} {known[level]['success']['hit']}/{known[level]['success']['runs']} successes "
            f"{known[level]['failure']['hit']}/{known[level]['failure']['runs']} failures"
            for level in LEVELS
        )
        yield (
            f"{source}: {'; '.join(levels)}; calls saved on failures "
            f"{known['calls_saved']}/{known['calls_of_failures']}; calls before "
            + ", ".join(f"{level} {known['calls_before'][level]}" for level in LEVELS)
        )
        loops = known["marked_loops"]
        if loops["runs"]:
            yield f"  of {loops['runs']} runs marked as loops: warned {loops['warned']}, stopped {loops['stopped']}"


def _frontier(detectors: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Who hits no more successes than this package and no fewer failures."""
    ours = next(iter(detectors.values()))
    for source, level in product(ours["corpora"], LEVELS):
        better = [f"{name} {point}" for name, point in outdoing(detectors, source, level).items()]
        if better:
            yield f"{source}, {level}: outdone (successes, failures hit) by {', '.join(better)}"


def _pairs(material: Material) -> Iterator[str]:
    for name, known in pairs.scores(material.recordings).items():
        yield (
            f"repetition by {name}: precision {known['precision']}, recall {known['recall']} "
            f"({known['right']} right of {known['found']} found, of {known['repetitions']} in {known['pairs']} pairs)"
        )
