"""What a signal says: one sentence for people, two or three for the model.

The advice names the tool and the count and proposes a next step. It never echoes arguments: a call repeated in the
context makes the model repeat it, and so does a bare prohibition (Kimi Code changed its reminders for that reason).
"""

from __future__ import annotations

from otel_loopwatch.detectors import Verdict
from otel_loopwatch.model import Kind, Level

_NEXT = {
    Kind.IDENTICAL: "The answer will not change by asking again: work with what it said, "
    "use another tool, or tell the user what is missing.",
    Kind.DRIFT: "Other words do not change the answer: take it as final, look in another source, "
    "or tell the user that this was not found.",
    Kind.PING_PONG: "The two steps undo or repeat each other: decide which result counts, "
    "then take a different step or say what blocks you.",
    Kind.CYCLE: "The round gives the same results each time: leave it, change the plan, or say what blocks you.",
    Kind.NO_PROGRESS: "Everything it returns is known already: sum up what you have, then take a step "
    "that can bring something new, or finish.",
    Kind.RETRY_STORM: "The cause has not changed, so the error will not either: read the error, "
    "fix what it names, or report it and stop.",
    Kind.DUPLICATE_WRITE: "It has been done already: do not do it again, confirm the earlier result instead.",
    Kind.BUDGET: "Finish now: give the best answer you have and say what is left to do.",
}


def reason(verdict: Verdict) -> str:
    """One sentence without argument values, at most some 200 characters."""
    return f"{_subject(verdict)} {verdict.why}."


def advice(verdict: Verdict) -> str:
    """Two or three sentences for the model."""
    stop = " If you cannot go on without it, stop and ask for help." if verdict.level is Level.CRITICAL else ""
    return f"{reason(verdict)} {_NEXT[verdict.kind]}{stop}"


def _subject(verdict: Verdict) -> str:
    names = [tool[:64] for tool in verdict.tools[:4]]
    more = len(verdict.tools) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "") if names else "The run"
