"""A gateway that is stopped and started again goes on where it was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gateway.agents import AGENT_SPAN, RUN, agent, tool, traces
from gateway.downstreams import HttpServer
from gateway.storing import until
from gateway.whole import Running, marks_on, nowhere, running, spans_of
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from otel_loopwatch.config import load
from otel_loopwatch.control.decisions import RunDecision
from otel_loopwatch.gateway.board import Board
from otel_loopwatch.gateway.state import StateFile
from otel_loopwatch.model import Action

HALTING = load(control="halt", env={})


@pytest.fixture
def downstream() -> Iterator[HttpServer]:
    """Takes everything."""
    made = HttpServer()
    yield made
    made.close()


def sent(gateway: Running, *spans: Span) -> None:
    """Each span in a request of its own, acknowledged."""
    for span in spans:
        assert gateway.post(traces(span)) == 200


def received(downstream: HttpServer) -> Counter[tuple[int, str]]:
    """The loops that arrived on calls since this was asked last: span and level."""
    bodies = [downstream.script.received.get().body for _ in range(downstream.script.received.qsize())]
    found = ((span_id, marks_on(span, "loopwatch.loop.level")) for span_id, span in spans_of(*bodies).items())
    return Counter((span_id, level) for span_id, marks in found for level in marks.values())


def test_a_loop_goes_on_over_a_restart(tmp_path: Path, downstream: HttpServer) -> None:
    """The warning was told before it, the critical signal comes after it, at its call; the agent shows both."""
    with running(tmp_path, downstream.url) as gateway:
        sent(gateway, *map(tool, range(3)))
    assert gateway.delivered
    assert received(downstream) == {(102, "warning"): 1}
    with running(tmp_path, downstream.url) as gateway:
        sent(gateway, *map(tool, range(3, 6)), agent(6))
    assert received(downstream) == {(104, "critical"): 1, (AGENT_SPAN, "critical"): 1}


def test_what_holds_goes_on_over_a_restart(tmp_path: Path, downstream: HttpServer) -> None:
    """A halt of Loopwatch's, and what people decided: in the order in which it was."""
    with running(tmp_path, downstream.url, HALTING) as gateway:
        sent(gateway, *map(tool, range(5)))
        until(lambda: gateway.gateway.board.decision(RUN).halts)
        for run, orders in (("ended", "halt"), ("lifted", "halt resume")):
            for order in orders.split():
                assert gateway.client.post(f"/v1/runs/{run}/{order}", {"by": "ada", "reason": "so it is"})[0] == 200
        before = gateway.gateway.board.decision(RUN)
    with running(tmp_path, downstream.url, HALTING) as gateway:
        assert gateway.client.get(f"/v1/decisions/{RUN}")[1]["version"] == before.version
        actions = [gateway.client.get(f"/v1/decisions/{run}")[1]["action"] for run in (RUN, "ended", "lifted")]
        sent(gateway, agent(5))
    assert actions == ["halt", "halt", "continue"]
    bodies = [downstream.script.received.get().body for _ in range(downstream.script.received.qsize())]
    assert marks_on(spans_of(*bodies)[AGENT_SPAN], "loopwatch.run.stop_reason") == {
        "loopwatch.run.stop_reason": "identical"
    }


def test_a_person_has_the_last_word_over_a_restart(tmp_path: Path, downstream: HttpServer) -> None:
    """A halt of Loopwatch's that was lifted is not back."""
    with running(tmp_path, downstream.url, HALTING) as gateway:
        sent(gateway, *map(tool, range(5)))
        until(lambda: gateway.gateway.board.decision(RUN).halts)
        assert gateway.client.post(f"/v1/runs/{RUN}/resume", {"by": "ada"})[0] == 200
    with running(tmp_path, downstream.url, HALTING) as gateway:
        assert gateway.client.get(f"/v1/decisions/{RUN}")[1]["by"] == "ada"
        sent(gateway, *map(tool, range(5, 9)))
        until(lambda: gateway.gateway.board.decision(RUN).halts)
    assert gateway.delivered


def test_what_was_judged_and_not_delivered_is_delivered_as_it_was_judged(
    tmp_path: Path, downstream: HttpServer
) -> None:
    """Its calls are not counted again: four are no loop of eight."""
    with running(tmp_path, nowhere(), drain_s=1) as gateway:
        sent(gateway, *map(tool, range(4)))
        until(lambda: gateway.gateway._forwarder.lag.waiting == 4)
    assert gateway.delivered is False
    with running(tmp_path, downstream.url) as gateway:
        until(lambda: gateway.gateway._forwarder.counts.sent == 4)
        assert received(downstream) == {(102, "warning"): 1}
        sent(gateway, tool(4))
    assert received(downstream) == {(104, "critical"): 1}


def test_what_there_was_no_time_to_judge_is_judged_by_the_next(tmp_path: Path, downstream: HttpServer) -> None:
    """Each call once: of three runs one was judged before the end and two after it."""
    runs = (1, 2, 3)
    with running(tmp_path, downstream.url, drain_s=0, window_s=60) as gateway:
        sent(gateway, *(tool(number, trace=run, base=100 * run) for run in runs for number in range(4)))
        until(lambda: gateway.gateway._judging.held == 12)
    assert gateway.delivered is False
    with running(tmp_path, downstream.url) as gateway:
        sent(gateway, *(tool(4, trace=run, base=100 * run) for run in runs))
    assert gateway.delivered
    assert received(downstream) == Counter(
        {(100 * run + 2, "warning"): 1 for run in runs} | {(100 * run + 4, "critical"): 1 for run in runs}
    )


@pytest.mark.parametrize("damage", [b"", b"nonsense", None])
def test_state_that_is_damaged_is_ignored(
    tmp_path: Path, downstream: HttpServer, damage: bytes | None, caplog: pytest.LogCaptureFixture
) -> None:
    """It is told in the log; the gateway works, and live runs begin anew."""
    with running(tmp_path, downstream.url) as gateway:
        sent(gateway, *map(tool, range(3)))
    if damage is None:
        file = StateFile(tmp_path / "state")
        state = file.read()
        assert state is not None
        state.traces = [b"no trace", *state.traces]
        file.write(state)
    else:
        (tmp_path / "state").write_bytes(damage)
    received(downstream)
    with running(tmp_path, downstream.url) as gateway:
        sent(gateway, *map(tool, range(3, 6)))
    assert "begin" in caplog.text
    assert received(downstream) == ({(104, "critical"): 1} if damage is None else {(105, "warning"): 1})


def test_state_is_that_of_the_last_end_alone(tmp_path: Path, downstream: HttpServer) -> None:
    """A gateway that runs has none on the disk: it would be of the past when it is killed."""
    with running(tmp_path, downstream.url) as gateway:
        sent(gateway, tool(0))
    assert (tmp_path / "state").exists()
    with running(tmp_path, downstream.url):
        assert not (tmp_path / "state").exists()


def test_a_state_that_cannot_be_written_is_no_reason_to_stay(
    tmp_path: Path, downstream: HttpServer, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything is delivered; the log says what is lost."""

    def full(self: StateFile, state: Any) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(StateFile, "write", full)
    with running(tmp_path, downstream.url) as gateway:
        sent(gateway, tool(0))
    assert gateway.delivered
    assert "could not be saved" in caplog.text


def test_decisions_of_the_board_are_those_of_loopwatch() -> None:
    """Of people the audit log knows."""
    board = Board()
    for run, by in (("a", "loopwatch"), ("b", "ada"), ("c", "loopwatch")):
        board.decide(RunDecision(run=run, action=Action.NUDGE, version=0, by=by))
    assert [decision.run for decision in board.decisions()] == ["a", "c"]
