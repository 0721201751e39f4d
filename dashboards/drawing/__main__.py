"""Draws a dashboard.

usage: python -m drawing DASHBOARD.json --prometheus URL --out FILE.png|FILE.html [--spans FILE]
       [--from EPOCH --to EPOCH] [--theme light|dark] [--var NAME=VALUE[,VALUE]]...

A picture needs Chromium. Exit code 1 where a panel could not be drawn; which and why is said.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from drawing.colours import THEMES
from drawing.drawn import drawn
from drawing.model import Dashboard, load
from drawing.page import Drawn
from drawing.spans import spans_of
from drawing.window import Window, window_of


def main(arguments: list[str]) -> int:
    """Draw, write, and say what failed."""
    wish = _parser().parse_args(arguments)
    page = _drawn(wish, load(wish.dashboard))
    if wish.out.suffix == ".html":
        wish.out.write_text(page.html, encoding="utf-8")
    else:
        from drawing.picture import photographed

        photographed(page.html, wish.out)
    for fault in page.faults:
        print(fault, file=sys.stderr)
    return 1 if page.faults else 0


def _drawn(wish: argparse.Namespace, dashboard: Dashboard) -> Drawn:
    spans = spans_of(wish.spans) if wish.spans else []
    wishes = dict(each.split("=", 1) for each in wish.var)
    return drawn(dashboard, wish.prometheus, spans, _window(wish, dashboard), wishes, THEMES[wish.theme])


def _window(wish: argparse.Namespace, dashboard: Dashboard) -> Window:
    if wish.start is not None and wish.end is not None:
        return Window(wish.start, wish.end)
    return window_of(dashboard.start, dashboard.end, time.time() if wish.end is None else wish.end)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m drawing", description="Draws a Grafana dashboard without Grafana.")
    parser.add_argument("dashboard", type=Path)
    parser.add_argument("--prometheus", required=True, metavar="URL")
    parser.add_argument("--spans", type=Path, help="OTLP/JSON lines, for panels of Tempo")
    parser.add_argument("--from", dest="start", type=float, metavar="EPOCH")
    parser.add_argument("--to", dest="end", type=float, metavar="EPOCH")
    parser.add_argument("--theme", choices=sorted(THEMES), default="light")
    parser.add_argument("--var", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
