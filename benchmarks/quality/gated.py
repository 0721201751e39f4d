"""What the gate does to good work and to loops: refusals, halts and calls saved, by default and looking ahead.

usage: python -m benchmarks.quality.gated

Calls of a case are recorded: a call after a refusal comes all the same, as from a model that does not listen. A call
of good work that is refused is the worst there is; a refused call of a loop is one saved.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from otel_loopwatch.control.gate import Gate, GatedRun
from otel_loopwatch.control.policy import ResponsePolicy

from .detector import Call
from .loading import Case, suites

POLICIES = {"tiered": ResponsePolicy(), "tiered, not ahead": ResponsePolicy(ahead=False)}


@dataclass(frozen=True, slots=True)
class Passed:
    """What became of the calls of one case."""

    case: Case
    nudged: int
    refused: int


def passed(case: Case, policy: ResponsePolicy) -> Passed:
    """Play a case through a gate of its own."""
    now = [0]
    gate = Gate(policy, clock=lambda: now[0])
    batches: dict[str, int | None] = {}
    nudged = refused = 0
    for call in case.calls:
        run = gate.run(call.run, call.agent)
        if call.batch is None or batches.get(call.run) != call.batch:
            run.before_model()
        batches[call.run] = call.batch
        told, let = _pass(run, call, now)
        nudged += told
        refused += not let
    return Passed(case, nudged, refused)


def _pass(run: GatedRun, call: Call, now: list[int]) -> tuple[bool, bool]:
    """Whether the model was told something with the answer, and whether the call was let through."""
    now[0] = call.at_ms * 1_000_000
    passing = run.before(call.tool, call.arguments)
    if passing.refused:
        return False, False
    now[0] = call.end_ns
    note = run.after(passing, call.result, call.error)
    return note is not None, True


def table() -> Iterator[str]:
    """Lines of a Markdown table."""
    yield "| policy | good work: cases nudged, refused a call | loops: cases nudged, refused a call, calls saved |"
    yield "| --- | --- | --- |"
    cases = [case for suite in suites().values() for case in suite]
    for name, policy in POLICIES.items():
        played = [passed(case, policy) for case in cases]
        good = [each for each in played if not each.case.expect.loop]
        loops = [each for each in played if each.case.expect.loop]
        saved = sum(each.refused for each in loops)
        yield f"| {name} | {_row(good)} | {_row(loops)}, {saved} |"


def _row(played: list[Passed]) -> str:
    return f"{_cases(played, 'nudged')}, {_cases(played, 'refused')} of {len(played)}"


def _cases(played: list[Passed], what: str) -> int:
    return sum(getattr(each, what) > 0 for each in played)


if __name__ == "__main__":
    print("\n".join(table()))
