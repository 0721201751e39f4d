"""The command `otel-loopwatch`: one file per command.

Exit codes: 0 done, 1 loops were found and ``--fail-on`` asked for that, 2 bad usage or input, 130 interrupted.
"""

from __future__ import annotations

import io
import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from importlib import metadata

from otel_loopwatch.cli import blocked, calibrate, calls, demo, doctor, feedback, pack, replay
from otel_loopwatch.cli.reading import BadInput

__all__ = ["main"]

PROGRAM = "otel-loopwatch"
COMMANDS = (demo, replay, calls, doctor, calibrate, feedback, blocked, pack)
BAD_INPUT = 2
INTERRUPTED = 130
"""As a shell counts a program ended by Ctrl-C."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code. Bad input is one line on standard error, never a traceback."""
    args = parser().parse_args(argv)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # What a terminal cannot show is escaped rather than fatal; in JSON the escapes are even right.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code: int = args.run(args)
        sys.stdout.flush()
    except BadInput as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:
        # The reader went away, as `head` does. What is still buffered must not raise again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED
    return code


def parser() -> ArgumentParser:
    """All commands and their flags."""
    made = ArgumentParser(PROGRAM, description="Sees tool-call loops of AI agents in their OpenTelemetry spans.")
    made.add_argument("--version", action="version", version=f"{PROGRAM} {metadata.version(PROGRAM)}")
    commands = made.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        one = commands.add_parser(command.NAME, help=command.HELP, description=command.__doc__)
        command.add_arguments(one)
        one.set_defaults(run=command.run)
    return made
