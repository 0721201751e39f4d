"""`otel-loopwatch demo`: an agent that gets stuck, on a real tracer, offline. Shows what Loopwatch makes of it."""

from __future__ import annotations

import logging
import sys
from argparse import ArgumentParser, Namespace

from otel_loopwatch.cli.terminal import Paint
from otel_loopwatch.scenarios import SCENARIOS, SUPPORT
from otel_loopwatch.telemetry import names

NAME = "demo"
HELP = "watch a scripted agent get stuck, and be warned and halted (offline)"


def add_arguments(parser: ArgumentParser) -> None:
    """Flags of this command."""
    parser.add_argument("--scenario", choices=SCENARIOS, default=SUPPORT.name, help="what the agent does")
    parser.add_argument(
        "--no-halt", action="store_true", help="only warn: let the agent go on to the end of its script"
    )


def run(args: Namespace) -> int:
    """Play the scenario and print it as it happens."""
    from otel_loopwatch.cli.story import Story

    # The story tells every signal itself; the log would tell it once more.
    logging.getLogger(names.SCOPE).setLevel(logging.CRITICAL)
    Story(SCENARIOS[args.scenario], halting=not args.no_halt, paint=Paint.of(sys.stdout)).show()
    return 0
