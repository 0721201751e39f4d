"""`otel-loopwatch runs`: the runs that a gateway watches; halts one of them, or lets it go on.

A halt is for the agents that follow the gateway's decisions; it is written into the gateway's audit log.
"""

from __future__ import annotations

import getpass
import json
import sys
import time
from argparse import ArgumentParser, Namespace
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

import msgspec

from otel_loopwatch.cli import gateway_client, runs_shown
from otel_loopwatch.cli.bad_input import BadInput
from otel_loopwatch.cli.gateway_client import UNKNOWN, GatewayClient
from otel_loopwatch.cli.terminal import Paint, printable
from otel_loopwatch.control.decisions import RunDecision
from otel_loopwatch.gateway.orders import MAX_KEY
from otel_loopwatch.gateway.shown import Brief, RunState, Whole

NAME = "runs"
HELP = "list the runs that a gateway watches, halt or resume one"

T = TypeVar("T")


def add_arguments(parser: ArgumentParser) -> None:
    """Flags of this command."""
    whats = parser.add_subparsers(required=True, metavar="WHAT", dest="what")
    listing = _part(whats.add_parser("list", help="a line for each run, the newest activity first"))
    listing.add_argument("--state", choices=[state.value for state in RunState], help="those that stand so")
    listing.add_argument("--tool", metavar="NAME", help="those that called a tool")
    listing.add_argument("--agent", metavar="NAME", help="those of an agent")
    listing.add_argument("--search", metavar="TEXT", help="those with a text in their key, agent, service or tools")
    listing.add_argument("--limit", type=int, default=50, metavar="N", help="runs shown at most (50)")
    showing = _part(whats.add_parser("show", help="all of one run"), run=True)
    showing.add_argument("--calls", type=int, default=20, metavar="N", help="last calls shown (20)")
    halting = _part(whats.add_parser("halt", help="have a run end"), run=True)
    halting.add_argument("--reason", required=True, metavar="TEXT", help="why, in a sentence; its agent is told, too")
    resuming = _part(whats.add_parser("resume", help="let a halted run go on"), run=True)
    resuming.add_argument("--reason", default="", metavar="TEXT", help="why, in a sentence")
    for each in (halting, resuming):
        each.add_argument("--by", metavar="NAME", help="who decides (default: your login name)")


def _part(parser: ArgumentParser, run: bool = False) -> ArgumentParser:
    if run:
        parser.add_argument("key", metavar="RUN", help="key of the run, or id of its trace")
    parser.add_argument("--json", action="store_true", help="the gateway's answer as it is, JSON")
    gateway_client.add_arguments(parser)
    return parser


def run(args: Namespace) -> int:
    """Ask the gateway, and show what it says."""
    gateway = GatewayClient.of(args)
    do = {"list": _list, "show": _show, "halt": _order, "resume": _order}[args.what]
    do(args, gateway)
    return 0


def _list(args: Namespace, gateway: GatewayClient) -> None:
    asked = {"state": args.state, "tool": args.tool, "agent": args.agent, "q": args.search, "limit": args.limit}
    query = urlencode({name: value for name, value in asked.items() if value is not None})
    _, answer = gateway.ask("GET", f"/v1/runs?{query}")
    if args.json:
        print(json.dumps(answer, ensure_ascii=False))
        return
    briefs = _read(answer.get("runs"), list[Brief])
    lines = runs_shown.runs(briefs, time.time_ns(), Paint.of(sys.stdout)) if briefs else ["no runs"]
    print("\n".join(lines))


def _show(args: Namespace, gateway: GatewayClient) -> None:
    status, answer = gateway.ask("GET", _path(args.key))
    if args.json:
        print(json.dumps(answer, ensure_ascii=False))
    elif status == UNKNOWN:
        decision = _read(answer.get("decision"), RunDecision)
        known = f"; {runs_shown.decided(decision, time.time_ns())}" if decision.version else ""
        print(f"the gateway knows no calls of {printable(args.key, MAX_KEY)}{known}")
    else:
        print("\n".join(runs_shown.whole(_read(answer, Whole), time.time_ns(), Paint.of(sys.stdout), args.calls)))


def _order(args: Namespace, gateway: GatewayClient) -> None:
    order = {"by": args.by or _login(), "reason": args.reason}
    _, answer = gateway.ask("POST", f"{_path(args.key)}/{args.what}", order)
    if args.json:
        print(json.dumps(answer, ensure_ascii=False))
    else:
        decision = _read(answer, RunDecision)
        print(f"{printable(decision.run, MAX_KEY)}: {runs_shown.decided(decision, time.time_ns())}")


def _path(run: str) -> str:
    return f"/v1/runs/{quote(run, safe='')}"


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        raise BadInput("your login name is not known; say with --by who decides") from None


def _read(data: Any, kind: type[T]) -> T:
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        raise BadInput(f"the gateway's answer is not understood: {error}") from None
