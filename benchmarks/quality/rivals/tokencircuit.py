"""tokencircuit: the growing transcript, before each model call: the call in words and as a tool call, then its outcome.

``InterventionEngine()``: it compares the last 5 assistant turns by content, by tool and argument types, and by shingles
(0.92); the third like turn in a row nudges, the fifth rewrites the transcript (a warning still), the eighth stops the
run.
"""

from __future__ import annotations

from typing import Any

from tokencircuit import InterventionEngine
from tokencircuit.state_schema import tc_state_reducer
from tokencircuit.types import InterventionStage

from ..detector import Call, Fired, Session
from .feeding import arguments_of, canonical, described, outcome_of

_NAMES = {"thread_id": "run", "node_name": "agent"}


class _Session:
    def __init__(self) -> None:
        self._engine = InterventionEngine()
        self._messages: list[dict[str, Any]] = []
        self._state: dict[str, Any] = {}

    def observe(self, call: Call) -> Fired:
        self._messages += _turn(call, f"call_{len(self._messages)}")
        decision = self._engine.process(self._messages, self._state, **_NAMES)
        self._state = {"_tc_intervention": tc_state_reducer(self._state.get("_tc_intervention"), decision.state_patch)}
        if decision.stage is InterventionStage.HARD_STOP:
            return Fired.STOPPED
        return Fired.NOTHING if decision.stage is InterventionStage.PASS else Fired.WARNED


def start() -> Session:
    """An engine of its own."""
    return _Session()


def _turn(call: Call, call_id: str) -> list[dict[str, Any]]:
    function = {"name": call.tool, "arguments": canonical(arguments_of(call))}
    asked = {"id": call_id, "type": "function", "function": function}
    return [
        {"role": "assistant", "content": described(call), "tool_calls": [asked]},
        {"role": "tool", "tool_call_id": call_id, "name": call.tool, "content": outcome_of(call)},
    ]
