"""Runs: all of them in a line each, one of them whole."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from otel_loopwatch.gateway.api import questions, waiting
from otel_loopwatch.gateway.api.answers import answer
from otel_loopwatch.gateway.board import Board, Wanted
from otel_loopwatch.gateway.shown import RunState
from otel_loopwatch.gateway.waiters import Change, Topic

LARGEST_VERSION = 2**63 - 1
USUAL_RUNS, MOST_RUNS = 200, 1000
"""In one answer, where ``limit`` says nothing, and whatever it says."""


class RunsApi:
    """Endpoints that show runs."""

    def __init__(self, board: Board) -> None:
        self._board = board

    async def list(self, request: Request) -> Response:
        """``GET /v1/runs``."""
        version = self._board.version
        return answer({"version": version, "runs": self._board.runs(_wanted(request))})

    async def show(self, request: Request) -> Response:
        """``GET /v1/runs/{run}``."""
        board, run = self._board, questions.run_of(request)
        since = questions.number(request, "since", 0, LARGEST_VERSION)
        key = board.key_of(run)
        wait_s = questions.seconds(request, "wait", waiting.LONGEST_S)
        await waiting.passed(board.waiters, Topic(Change.RUN, key), lambda: board.version_of(key), since, wait_s)
        known = board.run(key)
        if known is None:
            return answer({"run": run, "known": False, "decision": board.decision(key)}, 404)
        return answer(known)


def _wanted(request: Request) -> Wanted:
    asked = request.query_params
    return Wanted(
        state=questions.one_of(RunState, "state", asked["state"]) if asked.get("state") else None,
        tool=asked.get("tool") or None,
        agent=asked.get("agent") or None,
        text=asked.get("q") or None,
        limit=questions.number(request, "limit", USUAL_RUNS, MOST_RUNS),
    )
