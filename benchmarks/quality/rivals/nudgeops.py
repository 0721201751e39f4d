"""nudgeops: a step per call with its own hashes of arguments and of the outcome (as the state), and success or failure.

``UniversalGuard()``: a decaying score that repeats (3 in a row), different calls with one outcome and tool names that
alternate without new outcomes add to; 2 nudges, 3 stops. Its check by embeddings needs a model, and an agent's name
would make every run of one agent an alternation, so neither is given.
"""

from __future__ import annotations

from nudgeops.core.state import create_step_record
from nudgeops.embedding.utils import compute_hash
from nudgeops.integrations.universal_guard import UniversalGuard

from ..detector import Call, Fired, Session
from .feeding import arguments_of, outcome_of

_FIRED = {"OBSERVE": Fired.NOTHING, "NUDGE": Fired.WARNED, "STOP": Fired.STOPPED}


class _Session:
    def __init__(self) -> None:
        self._guard = UniversalGuard()

    def observe(self, call: Call) -> Fired:
        arguments, outcome = arguments_of(call), outcome_of(call)
        step = create_step_record(
            call.tool,
            compute_hash(arguments),
            state_snapshot_hash=compute_hash(outcome),
            outcome_type="error" if call.error is not None else "success" if outcome else "empty",
            raw_tool_args=arguments,
            timestamp=call.end_ns / 1e9,
        )
        return _FIRED[self._guard.on_step(step).action]


def start() -> Session:
    """A guard of its own."""
    return _Session()
