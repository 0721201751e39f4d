"""`otel-loopwatch hook`: a coding agent's hook, which tells the gateway of its calls and forbids those of a halted run.

Reads one event on standard input. Whatever happens, the tool goes on and the exit code is 0, unless ``--fail closed``
asked for the opposite. Wrong settings are exit code 1, of which the tool only tells its user: 2 would forbid the call.
"""

from __future__ import annotations

import os
import shlex
import sys
import time
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from io import FileIO

from otel_loopwatch.hooks import answer
from otel_loopwatch.hooks.bounded import within
from otel_loopwatch.hooks.event import Event, Moment, read
from otel_loopwatch.hooks.gateway import Gateway
from otel_loopwatch.hooks.spans import request
from otel_loopwatch.hooks.tools import TOOLS, Tool
from otel_loopwatch.variables import GATEWAY_VARIABLE, TOKEN_FILE_VARIABLE

NAME = "hook"
HELP = "watch Claude Code or Codex through its hooks, and stop halted runs"
BAD_USAGE, FORBIDDEN = 1, 2

DEFAULT_GATEWAY = "http://127.0.0.1:4318"
DEFAULT_TIMEOUT_MS = 300
MAX_TIMEOUT_MS = 60_000
MAX_EVENT_BYTES = 1 << 23
_NAMES = tuple(tool.name for tool in TOOLS)


def add_arguments(parser: ArgumentParser) -> None:
    """Flags of this command."""
    add = parser.add_argument
    add("tool", choices=_NAMES, help="whose hook this is")
    add(
        "--settings",
        action="store_true",
        help="print what to merge into the tool's settings",
    )
    add("--gateway", metavar="URL", help=f"where the gateway is (default: ${GATEWAY_VARIABLE}, then {DEFAULT_GATEWAY})")
    add("--token-file", metavar="FILE", help=f"file with the gateway's token (default: ${TOKEN_FILE_VARIABLE})")
    add("--timeout-ms", type=_milliseconds, default=DEFAULT_TIMEOUT_MS, metavar="MS", help="longest wait (300)")
    add("--fail", choices=("open", "closed"), default="open", help="whether calls go on while the gateway is away")
    add("--end", action="store_true", help="a halt ends the session, without a last answer (Claude Code)")
    add("--verbose", action="store_true", help="say on standard error what went wrong")


def _milliseconds(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MAX_TIMEOUT_MS:
        raise ArgumentTypeError(f"{text!r} must be a whole number from 1 to {MAX_TIMEOUT_MS}")
    return int(text)


def run(args: Namespace) -> int:
    """Hear one event, and answer it."""
    tool = TOOLS[_NAMES.index(args.tool)]
    try:
        gateway = _gateway(args, tool)
    except (OSError, ValueError) as error:
        print(f"otel-loopwatch {NAME}: {error}", file=sys.stderr)
        return FORBIDDEN if args.fail == "closed" else BAD_USAGE
    said = tool.settings(_command(args)) if args.settings else _answered(args, tool, gateway)
    if said is not None:
        print(said)
    return 0


def _gateway(args: Namespace, tool: Tool) -> Gateway:
    if args.end and not tool.can_end:
        raise ValueError(f"--end: {tool.name} has no way for a hook to end its session")
    url = args.gateway or os.environ.get(GATEWAY_VARIABLE) or DEFAULT_GATEWAY
    path = args.token_file or os.environ.get(TOKEN_FILE_VARIABLE)
    return Gateway.at(url, _token(path) if path else "", args.timeout_ms / 1000)


def _token(path: str) -> str:
    """The first, where several are kept while one is replaced."""
    with open(path, encoding="ascii") as file:
        tokens = file.read().split()
    if not tokens:
        raise ValueError(f"token_file is {path!r}; it must hold a token")
    return tokens[0]


def _command(args: Namespace) -> str:
    given = ["otel-loopwatch", NAME, args.tool]
    for flag in ("gateway", "token_file"):
        given += [f"--{flag.replace('_', '-')}", value] if (value := getattr(args, flag)) else []
    given += ["--timeout-ms", str(args.timeout_ms)] if args.timeout_ms != DEFAULT_TIMEOUT_MS else []
    given += ["--fail", args.fail] if args.fail != "open" else []
    return shlex.join(given + [f"--{flag}" for flag in ("end", "verbose") if getattr(args, flag)])


def _answered(args: Namespace, tool: Tool, gateway: Gateway) -> str | None:
    until_s = time.monotonic() + gateway.timeout_s
    event: Event | None = None
    try:
        event = within(until_s, lambda: read(_input()))
        return within(until_s, lambda: _told(event, args, tool, gateway)) if event is not None else None
    except Exception as error:  # noqa: BLE001 - a hook that fails must not take the tool with it
        if args.verbose:
            print(f"otel-loopwatch {NAME}: {type(error).__name__}: {error}".replace("\n", " "), file=sys.stderr)
        asked = event is None or event.moment is Moment.BEFORE
        return answer.refusal(answer.unknown(error), end=args.end) if args.fail == "closed" and asked else None


def _told(event: Event, args: Namespace, tool: Tool, gateway: Gateway) -> str | None:
    if event.moment is not Moment.BEFORE:
        gateway.report(request(event, tool.name, time.time_ns()))
        return None
    halts = (gateway.halt(trace_id) for trace_id in event.traces)
    halt = next((found for found in halts if found is not None), None)
    return answer.refusal(answer.halted(halt), end=args.end) if halt is not None else None


def _input() -> bytearray:
    """Standard input, past its buffer: a reader that is left behind would hold that buffer's lock at exit."""
    pipe, data = FileIO(sys.stdin.fileno(), closefd=False), bytearray()
    while part := pipe.read(1 << 16):
        data += part
        if len(data) > MAX_EVENT_BYTES:
            raise ValueError(f"an event of more than {MAX_EVENT_BYTES} bytes")
    return data
