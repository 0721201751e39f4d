"""Hooks and a whole gateway: what is reported is judged, and what was decided is heard."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the gateway needs starlette")
pytest.importorskip("uvicorn", reason="the gateway needs uvicorn")

from gateway.whole import running
from hooked import TOOLS, recorded
from receiver import DEADLINE_S

from otel_loopwatch.config import load
from otel_loopwatch.hooks.event import Event, read
from otel_loopwatch.hooks.gateway import Gateway, Halt
from otel_loopwatch.hooks.spans import request

TEXT = "Refunds are made within 30 days of the purchase, to the card that was charged."
EQUAL_CALLS = 8
NS_PER_S = 1_000_000_000


@pytest.fixture
def gateway(tmp_path: Path) -> Iterator[Gateway]:
    """One that halts at the first critical signal, as hooks see it."""
    with running(tmp_path, options=load(env={}, control="halt")) as whole:
        yield Gateway.at(whole.url, "", DEADLINE_S)


def heard(tool: str, event: str, number: int = 0) -> Event:
    """A recorded event, as that of one call of several."""
    told = read(json.dumps(recorded(tool, event, tool_use_id=f"{event}{number}", tool_response=TEXT)).encode())
    assert told is not None
    return told


def halt(gateway: Gateway, trace_id: str) -> Halt | None:
    """The halt, once it is known."""
    until = time.monotonic() + DEADLINE_S
    while (found := gateway.halt(trace_id)) is None and time.monotonic() < until:
        time.sleep(0.01)
    return found


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("whose", ["", "subagent_"])
def test_a_looping_agent_is_halted_by_the_gateway_itself(gateway: Gateway, tool: str, whose: str) -> None:
    """A looping sub-agent alone: its session goes on."""
    assert gateway.halt(heard(tool, f"{whose}pre_tool_use").trace_id) is None
    now_ns = time.time_ns()
    for number in range(EQUAL_CALLS):  # one after the other: calls that overlap are one response's
        ended_ns = now_ns - (EQUAL_CALLS - number) * NS_PER_S
        gateway.report(request(heard(tool, f"{whose}post_tool_use", number), tool, ended_ns))
    asked = heard(tool, f"{whose}pre_tool_use")
    found = halt(gateway, asked.trace_id)
    assert found is not None
    assert "Bash gave the same result" in found.advice
    session = heard(tool, "pre_tool_use")
    assert (gateway.halt(session.trace_id) is not None) == (whose == "")
