"""Every detector over everything there is to be judged by, in as many processes as there are processors."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from . import hits, judging
from .detector import Detector
from .loading import Case, Recording
from .rivals import Rival
from .watching import watch

PATIENCE_S = 600.0
"""Processor time a detector has for the recorded runs; one that needs more is not run on them."""
TOO_SLOW = f"not run on recorded runs: needs more than {PATIENCE_S / 60:.0f} minutes"


@dataclass(frozen=True, slots=True)
class Material:
    """What detectors are judged by."""

    suites: Mapping[str, Sequence[Case]]
    recordings: Sequence[Recording]


def everyone(detectors: Sequence[Detector], material: Material) -> Iterator[tuple[str, dict[str, Any]]]:
    """The figures of each detector by its name, in their order."""
    names = [detector.name for detector in detectors]
    with ProcessPoolExecutor(os.cpu_count(), initializer=_share, initargs=(detectors, material)) as pool:
        yield from zip(names, pool.map(_shared_figures, range(len(detectors))), strict=True)


def figures(material: Material, detector: Detector) -> dict[str, Any]:
    """What one detector did, with the cases it got wrong."""
    judged = {suite: _judged(detector, cases) for suite, cases in material.suites.items()}
    found = _hits(detector, material.recordings)
    return {
        "version": detector.version,
        "suites": {suite: judging.summary(judgements) for suite, judgements in judged.items()},
        "wrong": {
            suite: {one.case: one.found for one in judgements if one.found} for suite, judgements in judged.items()
        },
        "corpora": {} if found is None else hits.by_source(found),
        "note": TOO_SLOW if found is None else "",
    }


def _judged(detector: Detector, cases: Sequence[Case]) -> list[judging.Judgement]:
    detector = taught(detector, [len(case.calls) for case in cases if not case.expect.loop])
    return [judging.judge(case, watch(detector, case.calls)) for case in cases]


def _hits(detector: Detector, recordings: Sequence[Recording]) -> list[hits.Hit] | None:
    """What it did to each run; ``None`` where that takes too long."""
    until = time.process_time() + PATIENCE_S
    found = []
    for _, runs in groupby(recordings, lambda recording: recording.source):
        known = list(runs)
        pupil = taught(detector, [len(run.calls) for run in known if run.outcome == "success"])
        for run in known:
            if time.process_time() > until:
                return None
            found.append(hits.hit(run, watch(pupil, run.calls, until_stopped=True)))
    return found


def taught(detector: Detector, good_runs: Sequence[int]) -> Detector:
    """A detector that learns from the lengths of good runs has learnt those it will be judged by, which favours it."""
    return (
        replace(detector, good_runs=tuple(good_runs)) if isinstance(detector, Rival) and detector.learns else detector
    )


_shared: list[Any] = []
"""In a process of the pool: the detectors and what they are judged by."""


def _share(detectors: Sequence[Detector], material: Material) -> None:
    _shared[:] = [detectors, material]


def _shared_figures(number: int) -> dict[str, Any]:
    detectors, material = _shared
    return figures(material, detectors[number])
