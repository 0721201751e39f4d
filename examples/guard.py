"""A guarded agent without a framework: every call is decided about before it runs. Offline, with a scripted agent.

It pays once, although it tries three times; asks what has no answer, is told and refused; lacks a permission, gets it
and goes on; and says at last what it still lacks.
"""

import sys
import time

from otel_loopwatch.guard import Limits, Stopped, resume, run, tool
from otel_loopwatch.guard.blocked import for_anthropic
from otel_loopwatch.guard.ledger import open_ledger

charged: list[int] = []
searched: list[str] = []


@tool
def search_policy(query: str) -> str:
    """A read: it may run again, until that is a loop."""
    searched.append(query)
    return "No policy covers kettles. Known topics: books, clothing, software."


@tool(side_effect=True, key=lambda arguments: f"refund-{arguments['order']}")
def refund(order: int, cents: int) -> dict[str, int]:
    """A side effect: once per key, in whichever process, as long as the ledger is there."""
    charged.append(cents)
    return {"receipt": len(charged)}


@tool(precondition="mail role")
def send_mail(to: str) -> str:
    """A call that needs a permission."""
    raise PermissionError("the role 'reader' may not send mail")


ledger = open_ledger(":memory:")  # in production a path, postgresql://... or redis://...
now = time.time_ns()


def clock() -> int:
    """Two seconds pass between any two looks: the example does not have to wait."""
    global now  # noqa: PLW0603 - a script's clock
    now += 2_000_000_000
    return now


guarded = run(
    "order-4711", agent="support", limits=Limits(tool_calls=40), ledger=ledger, clock=clock,
    required_evidence=["receipt"], preconditions={"mail role": "reader"},
)  # fmt: skip
try:
    with guarded as r:
        for _ in range(3):
            receipt = r.call(refund, {"order": 4711, "cents": 1900})
        print(f"charged {len(charged)} time, receipt {receipt}")
        r.checkpoint("refunded")
        for _ in range(6):
            made = r.attempt(search_policy, {"query": "kettles"})
        print(f"searched {len(searched)} times of 6; to the model: {made.text}")
        r.call(send_mail, {"to": "ada@example.com"})
except Stopped as stopped:
    print(f"stopped: {stopped.attempt.after.value}, exit code {guarded.exit_code}")
    print(stopped.report.to_json())

if guarded.report is None:
    sys.exit("the run has no report")
try:
    resume(guarded.report, preconditions={"mail role": "reader"}, ledger=ledger)
except ValueError as refused:
    print(f"not resumed: {refused}")
with resume(guarded.report, preconditions={"mail role": "writer"}, ledger=ledger, clock=clock) as r:
    r.call(refund, {"order": 4711, "cents": 1900})
    print(f"resumed, and charged {len(charged)} time in all")
    print(f"a way out for the model: {for_anthropic()['name']}")
    r.report_blocked(tried="mail as writer", needed="the address of the customer")
print(f"handed over, exit code {r.exit_code}")
