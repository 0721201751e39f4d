"""What every agent is made to do, and what must be seen of it: one table for the scripts, the server and the judge."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, NamedTuple

from otel_loopwatch.model import Kind
from otel_loopwatch.settings import THRESHOLDS


class Call(NamedTuple):
    """One tool call that the scripted model asks for."""

    tool: str
    arguments: dict[str, Any]


Step = tuple[Call, ...]
"""The calls of one model response."""

ENOUGH = 50
"""Rounds that no scenario needs."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """Responses of the scripted model, and what Loopwatch must make of the calls.

    After the last step the model answers with text. ``signals`` are lines of ``kind level tool call``, in order, where
    ``call`` is the 1-based number of the call within its run, or a range ``7-8`` where calls run beside each other.
    """

    steps: tuple[Step, ...]
    signals: tuple[str, ...] = ()
    inner: tuple[Step, ...] = ()
    """Responses of the sub-agent's model."""
    stream: bool = False
    raises: bool = False
    """The tool's error leaves the agent, or that of the framework's limit does."""
    rounds: int = ENOUGH
    """Responses with calls after which the framework's own limit ends the run."""

    @property
    def calls(self) -> dict[str, int]:
        """Calls per tool."""
        steps = (*self.steps[: self.rounds], *self.inner)
        return dict(Counter(call.tool for step in steps for call in step))

    @property
    def ran(self) -> dict[str, int]:
        """How often each of our own tools runs: the one that asks the sub-agent is the script's."""
        return {tool: count for tool, count in self.calls.items() if tool != ASK.tool}

    @property
    def model_calls(self) -> int:
        """Requests to the model: one per step, and one for each final answer."""
        answers = (not self.raises) + bool(self.inner)
        return len(self.steps) + len(self.inner) + answers


ORDER = Call("get_order", {"order_id": "A-1001"})
OTHER_ORDER = Call("get_order", {"order_id": "B-2002"})
SEARCH = Call("search_docs", {"query": "refund of a kettle", "limit": 5})
OTHER_SEARCH = Call("search_docs", {"query": "delivery to an island", "limit": 3})
TRACK = Call("track_parcel", {"parcel_id": "P-77"})
FLAKY = Call("read_region", {"region": "mars"})
ASK = Call("ask_researcher", {"question": "Can a kettle be returned?"})

LOOP = ((ORDER,), *[(SEARCH,)] * 8)
BEFORE = 1
"""Calls before the first search."""
LIMITS = THRESHOLDS[Kind.IDENTICAL]
LOOP_SIGNALS = (
    f"identical warning search_docs {BEFORE + LIMITS.warning}",
    f"identical critical search_docs {BEFORE + LIMITS.critical}",
)

SCENARIOS = {
    "looping": Scenario(LOOP, LOOP_SIGNALS),
    "healthy": Scenario(((ORDER,), (SEARCH,), (OTHER_SEARCH,), *[(TRACK,)] * 4, (OTHER_ORDER,))),
    "parallel": Scenario(
        ((ORDER,), (SEARCH, SEARCH, OTHER_ORDER), *[(SEARCH, SEARCH)] * 3), ("identical warning search_docs 9-10",)
    ),
    "sub_agent": Scenario(((ASK,),), ("identical warning search_docs 3",), inner=((SEARCH,),) * 4),
    "error": Scenario(((ORDER,), *[(FLAKY,)] * 4), ("retry_storm warning read_region 4",)),
    "uncaught": Scenario(((ORDER,), (FLAKY,)), raises=True),
    "stream": Scenario(LOOP, LOOP_SIGNALS, stream=True),
    "limited": Scenario(((ORDER,), (SEARCH,), (OTHER_SEARCH,), (OTHER_ORDER,), *[(TRACK,)] * 4), raises=True, rounds=4),
}
LIMITED = "limited"
"""For frameworks with a limit of their own."""
ROOTLESS = "rootless"
"""For clients only: no span of the application's around their calls, so that each is a trace of its own."""
SCENARIOS[ROOTLESS] = SCENARIOS["looping"]
AGENT_SCENARIOS = tuple(name for name in SCENARIOS if name != ROOTLESS)
CLIENT_SCENARIOS = tuple(name for name in SCENARIOS if name not in ("sub_agent", LIMITED))
ANSWER = "Kettles cannot be returned once used."
