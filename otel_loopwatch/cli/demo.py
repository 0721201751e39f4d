"""`otel-loopwatch demo`: an agent that gets stuck, on a real tracer, offline. Shows what Loopwatch makes of it."""

from __future__ import annotations

import logging
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager

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

    with _silent(logging.getLogger(names.SCOPE)):
        Story(SCENARIOS[args.scenario], halting=not args.no_halt, paint=Paint.of(sys.stdout)).show()
    return 0


@contextmanager
def _silent(logger: logging.Logger) -> Iterator[None]:
    """The story tells every signal itself; the log would tell it once more."""
    logger.disabled = True
    try:
        yield
    finally:
        logger.disabled = False
