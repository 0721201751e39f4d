"""The board over HTTP, in JSON.

=============================  ==================================================================================
``GET /v1/runs``               ``{"version", "runs": [Brief]}``, the newest activity first; ``state``, ``tool``,
                               ``agent``, ``q`` (part of a name) and ``limit`` choose
``GET /v1/runs/{run}``         ``Whole``; ``since`` and ``wait`` hold the answer back until the run's version is above
``GET /v1/decisions/{run}``    the decision that holds, ``since`` and ``wait`` as above: what agents poll
``GET /v1/events``             server-sent events ``run``, ``decision``, ``loop``, their ids the versions; ``run``,
                               ``events`` (names, with commas between) and ``since`` choose
``POST /v1/runs/{run}/halt``   ``{"by", "reason"}``: the run is to end
``POST /v1/runs/{run}/resume`` ``{"by", "reason"}``: it may go on
=============================  ==================================================================================

A run is meant by its key or by its trace's id, URL-encoded. Errors are ``{"error": "..."}``, but for a run of which
nothing is known: that is ``{"run", "known": false, "decision"}`` with status 404. The shapes are in
``otel_loopwatch.gateway.shown`` and ``otel_loopwatch.control.decisions``. Who may come in is asked before any route, by
``otel_loopwatch.gateway.receive.guard``. No page of another site may order: its browser sends no ``application/json``
unasked, and no answer of ours permits it.
"""

from __future__ import annotations

from starlette.routing import Route

from otel_loopwatch.gateway.api.answers import Endpoint, answering
from otel_loopwatch.gateway.api.decisions import DecisionsApi
from otel_loopwatch.gateway.api.events import EventsApi, Pace
from otel_loopwatch.gateway.api.runs import RunsApi
from otel_loopwatch.gateway.board import Board
from otel_loopwatch.gateway.orders import Orders

__all__ = ["Pace", "routes"]


def routes(board: Board, orders: Orders, pace: Pace | None = None) -> list[Route]:
    """The routes, to be put into an application behind a guard."""
    runs, decisions, events = RunsApi(board), DecisionsApi(board, orders), EventsApi(board, pace or Pace())

    def route(method: str, path: str, endpoint: Endpoint) -> Route:
        return Route(path, answering(endpoint), methods=[method])

    return [
        route("POST", "/v1/runs/{run:path}/halt", decisions.halt),
        route("POST", "/v1/runs/{run:path}/resume", decisions.resume),
        route("GET", "/v1/runs", runs.list),
        route("GET", "/v1/runs/{run:path}", runs.show),
        route("GET", "/v1/decisions/{run:path}", decisions.show),
        route("GET", "/v1/events", events.listen),
    ]
