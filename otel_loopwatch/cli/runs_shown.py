"""Runs as a terminal shows them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from otel_loopwatch.cli.terminal import Paint, columns, printable
from otel_loopwatch.control.decisions import RunDecision
from otel_loopwatch.gateway.shown import Brief, Call, Loop, RunState, Whole
from otel_loopwatch.model import Outcome

STYLE_OF = {RunState.HALTED: "red", RunState.LOOPING: "yellow", RunState.ENDED: "dim", RunState.LIVE: ""}
RUN_WIDTHS = (42, 16, 8, 6, 6, 9)
RUN_HEADINGS = ("run", "agent", "state", "calls", "wasted", "last", "loop")
LOOP_WIDTHS = (6, 9, 15, 26)
LOOP_HEADINGS = ("call", "level", "kind", "tools", "what")
CALL_WIDTHS = (6, 30, 12, 9, 5, 16)
CALL_HEADINGS = ("call", "tool", "outcome", "took", "new", "arguments", "result")
MAX_LINE = 200


def runs(briefs: Sequence[Brief], now_ns: int, paint: Paint) -> Iterator[str]:
    """A table of runs, a line each."""
    yield from _table(RUN_HEADINGS, (), RUN_WIDTHS, paint)
    for run in briefs:
        loop = f"{run.loop.kind.value} of {_tools(run.loop)}" if run.loop is not None else ""
        past = " (recovered)" if run.loop is not None and run.loop.recovered else ""
        row = (
            run.run, run.agent, run.state.value, str(run.calls), str(run.wasted_calls), ago(run.last_ns, now_ns),
            loop + past,
        )  # fmt: skip
        yield _painted(paint, STYLE_OF[run.state], next(iter(columns([row], RUN_WIDTHS))))


def whole(run: Whole, now_ns: int, paint: Paint, calls: int) -> Iterator[str]:
    """One run: what it is, its loops, what was decided, and its last calls."""
    yield f"run       {paint('bold', printable(run.run, MAX_LINE))}"
    yield f"agent     {printable(run.agent or '-', 40)}   service {printable(run.service or '-', 40)}"
    yield f"trace     {run.trace_id or '-'}"
    yield f"state     {_painted(paint, STYLE_OF[run.state], run.state.value)}, heard {ago(run.last_ns, now_ns)} ago"
    yield f"so far    {run.calls} calls ({run.wasted_calls} wasted), {run.turns} turns, {run.tokens} tokens"
    for decision in run.decisions:
        yield f"decided   {decided(decision, now_ns)}"
    if run.loops:
        yield ""
        yield from _table(LOOP_HEADINGS, map(_loop_row, run.loops), LOOP_WIDTHS, paint)
    if run.timeline and calls:
        yield ""
        yield from _table(CALL_HEADINGS, map(_call_row, run.timeline[-calls:]), CALL_WIDTHS, paint)


def decided(decision: RunDecision, now_ns: int) -> str:
    """A decision in a line."""
    when = f", {ago(str(decision.at_ns), now_ns)} ago" if decision.at_ns else ""
    why = f": {decision.reason}" if decision.reason else ""
    return printable(f"{decision.action.value} by {decision.by}{when}{why}", MAX_LINE)


def ago(at_ns: str, now_ns: int) -> str:
    """How long ago, in the largest unit that fits."""
    seconds = max(0, now_ns - int(at_ns)) // 10**9
    for unit, length in (("d", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds // length} {unit}"
    return f"{seconds} s"


def _loop_row(loop: Loop) -> tuple[str, ...]:
    what = f"{loop.reason} (recovered)" if loop.recovered else loop.reason
    return str(loop.call), loop.level.value, loop.kind.value, _tools(loop), what


def _call_row(call: Call) -> tuple[str, ...]:
    took = f"{max(0, int(call.end_ns) - int(call.start_ns)) / 1e9:.1f} s"
    new = "yes" if call.new else "no"
    outcome = "" if call.outcome is Outcome.UNKNOWN else call.outcome.value
    return str(call.n), call.tool, outcome, took, new, call.fingerprint or "", call.result or ""


def _tools(loop: Loop) -> str:
    return ", ".join(dict.fromkeys(loop.tools))


def _table(
    headings: Sequence[str], rows: Iterator[tuple[str, ...]] | tuple[()], widths: Sequence[int], paint: Paint
) -> Iterator[str]:
    yield paint("bold", next(iter(columns([headings], widths))))
    yield from columns(rows, widths)


def _painted(paint: Paint, style: str, text: str) -> str:
    return paint(style, text) if style else text
