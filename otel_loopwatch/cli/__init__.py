"""The command `otel-loopwatch`: one file per command.

Exit codes: 0 done, 1 loops were found and ``--fail-on`` asked for that, 2 bad usage or input, 130 interrupted.
"""

from __future__ import annotations

import io
import os
import sys
from argparse import Action, ArgumentParser
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from otel_loopwatch.cli.bad_input import BadInput

__all__ = ["main"]

PROGRAM = "otel-loopwatch"
COMMANDS = (
    "demo",
    "replay",
    "calls",
    "doctor",
    "calibrate",
    "feedback",
    "blocked",
    "gateway",
    "hook",
    "pack",
    "runs",
    "worker",
)
"""Names of the commands, and of their modules: only the one that is asked for is imported."""
BAD_INPUT = 2
INTERRUPTED = 130
"""As a shell counts a program ended by Ctrl-C."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code. Bad input is one line on standard error, never a traceback."""
    argv = sys.argv[1:] if argv is None else argv
    args = parser(*(name for name in argv[:1] if name in COMMANDS)).parse_args(argv)
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


def parser(*commands: str) -> ArgumentParser:
    """The flags of some commands; of all of them where none is named."""
    made = _Parser(PROGRAM, description="Sees tool-call loops of AI agents in their OpenTelemetry spans.")
    made.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    added = made.add_subparsers(required=True, metavar="COMMAND")
    for name in commands or COMMANDS:
        command = import_module(f"{__name__}.{name}")
        one = added.add_parser(command.NAME, help=command.HELP, description=command.__doc__)
        one.bad_usage = made.bad_usage = getattr(command, "BAD_USAGE", BAD_INPUT)
        command.add_arguments(one)
        one.set_defaults(run=command.run)
    return made


class _Parser(ArgumentParser):
    """Ends with the command's own exit code where it is used wrongly."""

    bad_usage = BAD_INPUT

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        super().exit(self.bad_usage if status == BAD_INPUT else status, message)


class _Version(Action):
    """Looks the version up when it is asked for: to do so takes longer than everything else."""

    def __call__(self, parser: ArgumentParser, *_: object) -> None:
        from importlib import metadata

        print(f"{PROGRAM} {metadata.version(PROGRAM)}")
        parser.exit()
