"""Decisions: what holds for a run, for agents to ask; and the orders of people."""

from __future__ import annotations

from functools import partial

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from otel_loopwatch.control.decisions import RunDecision
from otel_loopwatch.gateway.api import questions, waiting
from otel_loopwatch.gateway.api.answers import Refused, answer
from otel_loopwatch.gateway.api.runs import LARGEST_VERSION
from otel_loopwatch.gateway.audit import Unaudited
from otel_loopwatch.gateway.board import Board
from otel_loopwatch.gateway.orders import Orders
from otel_loopwatch.gateway.waiters import Change, Topic


class Order(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a person says."""

    by: str
    reason: str = ""


class DecisionsApi:
    """Endpoints of decisions."""

    def __init__(self, board: Board, orders: Orders) -> None:
        self._board = board
        self._orders = orders

    async def show(self, request: Request) -> Response:
        """``GET /v1/decisions/{run}``."""
        board, key = self._board, self._board.key_of(questions.run_of(request))
        since = questions.number(request, "since", 0, LARGEST_VERSION)
        wait_s = questions.seconds(request, "wait", waiting.LONGEST_S)
        version = lambda: board.decision(key).version  # noqa: E731
        await waiting.passed(board.waiters, Topic(Change.DECISION, key), version, since, wait_s)
        return answer(board.decision(key))

    async def halt(self, request: Request) -> Response:
        """``POST /v1/runs/{run}/halt``."""
        return answer(await self._ordered(request, halt=True))

    async def resume(self, request: Request) -> Response:
        """``POST /v1/runs/{run}/resume``."""
        return answer(await self._ordered(request, halt=False))

    async def _ordered(self, request: Request, halt: bool) -> RunDecision:
        run, order = questions.run_of(request), await questions.body(request, Order)
        remote = request.client.host if request.client is not None else ""
        do = self._orders.halt if halt else self._orders.resume
        try:  # in a thread: it waits for the disk
            return await run_in_threadpool(partial(do, run, order.by, order.reason, remote))
        except ValueError as error:
            raise Refused(400, str(error)) from None
        except Unaudited as error:
            raise Refused(503, f"nothing was changed: {error}") from None
