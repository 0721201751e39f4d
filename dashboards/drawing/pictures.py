"""The documentation's pictures: every dashboard, light and dark, over the scripted stretch of `live`.

usage: python -m drawing.pictures    writes docs/images/dashboard-NAME-THEME.png; takes some minutes
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from live import RULES, api
from live.hour import HOURS, Stretch, played
from live.processes import until
from live.servers import Target, backfilled, prometheus

from drawing.colours import THEMES
from drawing.drawn import drawn
from drawing.model import load
from drawing.picture import photographed
from drawing.spans import spans_of
from drawing.window import Window
from otel_loopwatch.pack.alert import Board

DASHBOARDS = Path(__file__).parents[1]
IMAGES = DASHBOARDS.parent / "docs" / "images"
CHOSEN: Mapping[Board, Mapping[str, str]] = {Board.TOOL: {"tool": "search_policy"}}
PAGED = 'ALERTS{alertname="LoopwatchToolLoopBudgetBurn", alertstate="firing", severity="critical"}'
PAGED_S = 240.0
"""Longest wait for an alert that pages, which has to hold for two minutes."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What the pictures are of."""

    prometheus: str
    stretch: Stretch

    def window(self) -> Window:
        """The hours up to now."""
        now = time.time()
        return Window(now - HOURS * 3600, now)


@contextmanager
def scene() -> Iterator[Scene]:
    """The stretch, in a Prometheus that goes on with it, from when the first alert pages."""
    with TemporaryDirectory(prefix="pictures-") as name, ExitStack() as stack:
        folder = Path(name)
        stretch = stack.enter_context(played(folder, time.time()))
        backfilled(folder / "data", stretch, RULES)
        targets = [Target(job, stack.enter_context(job.endpoint())) for job in stretch.jobs]
        url = stack.enter_context(prometheus(folder / "data", RULES, targets))
        until(lambda: _paged(url, stretch), "an alert pages", PAGED_S)
        yield Scene(url, stretch)


def _paged(url: str, stretch: Stretch) -> bool:
    stretch.go_on(time.time())
    return bool(api.instant(url, PAGED))


def main() -> int:
    """Draw all of them, and say what could not be drawn."""
    faults: list[str] = []
    logging.disable()  # what the agents of the stretch run into is no news here
    with scene() as now:
        spans = spans_of(now.stretch.traces)
        for board in Board:
            dashboard = load(DASHBOARDS / f"{board.value}.json")
            for theme in THEMES.values():
                page = drawn(dashboard, now.prometheus, spans, now.window(), CHOSEN.get(board, {}), theme)
                photographed(page.html, IMAGES / f"dashboard-{board.name.lower()}-{theme.name}.png")
                faults += page.faults
    print(*faults, sep="\n", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
