"""The board over HTTP, at a real server: what is answered, what is refused, and who is woken."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from time import monotonic
from typing import Any
from urllib.parse import quote

import pytest
from gateway.boards import RUN, Written, board_and_orders, call, ended, looping
from gateway.serving import Client, serving
from receiver import DEADLINE_S

from otel_loopwatch.gateway.api import Pace, routes
from otel_loopwatch.gateway.api.own_host import under_its_own_name
from otel_loopwatch.gateway.api.questions import MAX_BODY
from otel_loopwatch.gateway.board import AT_ONCE, Board
from otel_loopwatch.gateway.orders import MAX_KEY, Orders
from otel_loopwatch.gateway.receive.access import Access

ORDER = {"by": "Ana", "reason": "Enough."}
QUICK = Pace(still_here_s=0.05, between_s=0.001, slow_s=0.2, retry_s=0.25)
TOKEN = "known-to-those-who-may"
WRITER = f"{RUN}/writer#2"


class Gateway:
    """A board, who orders on it, and its API at a server."""

    def __init__(self, client: Client, board: Board, orders: Orders, audit: Written) -> None:
        self.client, self.board, self.orders, self.audit = client, board, orders, audit


@contextmanager
def started(access: Access | None = None, pace: Pace | None = None) -> Iterator[Gateway]:
    """A server with an empty board."""
    board, orders, audit = board_and_orders()
    with serving(board, [*routes(board, orders, pace)], access=access) as client:
        yield Gateway(client, board, orders, audit)


@pytest.fixture(scope="module")
def shared() -> Iterator[Gateway]:
    """For tests that change nothing: three runs, the first of which is halted."""
    with started() as gateway:
        gateway.board.take(call(RUN), "shop")
        gateway.board.take(looping("b", tool="fetch"))
        gateway.board.take(call(WRITER, agent="writer"))
        gateway.board.take(ended(WRITER))
        gateway.orders.halt(RUN, "Ana", "Enough.")
        yield gateway


@pytest.fixture
def gateway() -> Iterator[Gateway]:
    """One that is changed, and quick."""
    with started(pace=QUICK) as gateway:
        yield gateway


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", [RUN, WRITER, "b"]),
        ("?state=halted", [RUN]),
        ("?state=ended&agent=writer", [WRITER]),
        ("?state=&tool=&q=", [RUN, WRITER, "b"]),
        ("?tool=fetch", ["b"]),
        ("?q=SHO", [RUN]),
        ("?limit=1", [RUN]),
        ("?limit=0", []),
        ("?agent=nobody", []),
    ],
)
def test_runs_are_listed(shared: Gateway, query: str, found: list[str]) -> None:
    """The newest activity first, with the version that a listener goes on from."""
    status, answer = shared.client.get(f"/v1/runs{query}")
    assert (status, [run["run"] for run in answer["runs"]]) == (200, found)
    assert answer["version"] == shared.board.version


def test_a_run_is_shown_whole(shared: Gateway) -> None:
    """As the page needs it: every field, and numbers of 64 bits as text."""
    status, run = shared.client.get("/v1/runs/b")
    assert status == 200
    assert set(run) == {
        "run", "trace_id", "agent", "service", "calls", "turns", "tokens", "wasted_calls", "first_ns", "last_ns",
        "state", "loop", "decision", "version", "timeline", "loops", "decisions",
    }  # fmt: skip
    assert set(run["loop"]) == {
        "id", "run", "kind", "level", "tools", "count", "period", "wasted_calls", "reason", "advice", "call",
        "span_id", "first_span_id", "recovered", "at_ns",
    }  # fmt: skip
    assert set(run["timeline"][0]) == {
        "n", "tool", "agent", "fingerprint", "result", "outcome", "start_ns", "end_ns", "span_id", "new",
    }  # fmt: skip
    assert (run["state"], run["decision"], run["loop"]["kind"]) == ("looping", None, "identical")
    assert all(isinstance(run[name], str) for name in ("first_ns", "last_ns"))


@pytest.mark.parametrize(
    ("path", "status", "says"),
    [
        (f"/v1/runs/{quote(WRITER, safe='')}", 200, {"run": WRITER, "state": "ended", "agent": "writer"}),
        (f"/v1/runs/{RUN}", 200, {"run": RUN, "state": "halted"}),
        ("/v1/runs/x%2Fhalt", 404, {"run": "x/halt", "known": False}),
        ("/v1/runs/nobody", 404, {"decision": {"run": "nobody", "action": "continue", "version": 0}}),
        ("/v1/decisions/nobody", 200, {"run": "nobody", "action": "continue", "version": 0}),
        (f"/v1/decisions/{RUN}", 200, {"run": RUN, "action": "halt", "by": "Ana", "reason": "Enough."}),
        (f"/v1/decisions/{RUN}?since=0&wait=30", 200, {"action": "halt"}),
        ("/v1/runs?state=stuck", 400, {"error": "state is 'stuck'; it must be one of live, looping, halted, ended"}),
        ("/v1/runs?limit=1001", 400, {"error": "limit is '1001'; it must be a whole number from 0 to 1000"}),
        ("/v1/runs?limit=-1", 400, {"error": "limit is '-1'; it must be a whole number from 0 to 1000"}),
        ("/v1/runs?limit=%C2%B2", 400, {"error": "limit is '²'; it must be a whole number from 0 to 1000"}),
        ("/v1/runs/b?wait=soon", 400, {"error": "wait is 'soon'; it must be a number of seconds"}),
        ("/v1/decisions/b?wait=nan", 400, {"error": "wait is 'nan'; it must be a number of seconds"}),
        ("/v1/runs/b?wait=-1", 400, {"error": "wait is '-1'; it must be a number of seconds"}),
        ("/v1/events?events=run,sun", 400, {"error": "events is 'sun'; it must be one of run, decision, loop"}),
        (
            f"/v1/runs/{'x' * (MAX_KEY + 1)}",
            400,
            {"error": f"run has {MAX_KEY + 1} characters; it must have at most {MAX_KEY}"},
        ),
    ],
)
def test_questions_are_answered_or_refused(shared: Gateway, path: str, status: int, says: dict[str, Any]) -> None:
    """A run by its key in the path, slashes and all; what is wrong in one line of JSON."""
    given, answer = shared.client.get(path)
    assert given == status
    assert {name: answer[name] for name in says} == says


def test_a_last_event_of_no_number_is_refused(shared: Gateway) -> None:
    """It is none of ours."""
    status, answer = shared.client.get("/v1/events", Last_Event_ID="yesterday")
    assert (status, answer) == (400, {"error": "Last-Event-ID is 'yesterday'; it must be that of an event"})


def test_a_run_is_halted_and_resumed(gateway: Gateway) -> None:
    """Also one that nothing is known of; the audit has who, and from where, before it holds."""
    for run in (WRITER, "nobody"):
        path = f"/v1/runs/{quote(run, safe='')}"
        status, halted = gateway.client.post(f"{path}/halt", ORDER)
        assert (status, halted["action"], halted["by"], halted["run"]) == (200, "halt", "Ana", run)
        assert gateway.board.decision(run).halts
        status, resumed = gateway.client.post(
            f"{path}/resume", {"by": "Ben"}, Content_Type="Application/JSON; charset=utf-8"
        )
        assert (status, resumed["action"], resumed["version"] > halted["version"]) == (200, "continue", True)
    assert gateway.audit.lines == [("halt", "127.0.0.1"), ("continue", "127.0.0.1")] * 2


@pytest.mark.parametrize(
    ("body", "headers", "status", "says"),
    [
        (ORDER, {"Content_Type": "text/plain"}, 415, "Content-Type must be application/json"),
        (ORDER, {"Content_Type": ""}, 415, "Content-Type must be application/json"),
        (b"{", {}, 400, "the body cannot be read: Input data was truncated"),
        (b"\xff", {}, 400, "the body cannot be read: .*"),
        ({"reason": "Enough."}, {}, 400, "the body cannot be read: Object missing required field `by`"),
        ({**ORDER, "force": True}, {}, 400, "the body cannot be read: Object contains unknown field `force`"),
        ({**ORDER, "by": 7}, {}, 400, r"the body cannot be read: Expected `str`, got `int` - at `\$.by`"),
        ({**ORDER, "by": ""}, {}, 400, "by is ''; it must be a name in one line"),
        ({**ORDER, "by": "loopwatch"}, {}, 400, "by is 'loopwatch'; it must name a person, which that name does not"),
        ({"by": "Ana"}, {}, 400, "reason is empty; it must say why the run is to end"),
        ({**ORDER, "reason": "x" * MAX_BODY}, {}, 413, f"the body must have at most {MAX_BODY} bytes"),
    ],
)
def test_bad_orders_are_refused(shared: Gateway, body: object, headers: dict[str, str], status: int, says: str) -> None:
    """In one line of JSON; nothing is written, nothing changes."""
    lines = len(shared.audit.lines)
    given, answer = shared.client.post("/v1/runs/b/halt", body, **headers)
    assert given == status
    assert re.fullmatch(says, answer["error"])
    assert len(shared.audit.lines) == lines
    assert not shared.board.decision("b").halts


def test_what_cannot_be_audited_is_not_done(gateway: Gateway) -> None:
    """The disk is full: the order is refused, and may be given again."""
    gateway.audit.fails = True
    status, answer = gateway.client.post("/v1/runs/b/halt", ORDER)
    assert (status, answer["error"].partition(":")[0]) == (503, "nothing was changed")
    assert not gateway.board.decision("b").halts


def test_changing_needs_the_token_and_looking_does_not() -> None:
    """On loopback, that is: elsewhere everything does."""
    wrong = ({}, {"Authorization": f"Bearer {TOKEN[1:]}"}, {"Authorization": f"Basic {TOKEN}"})
    with started(Access(tokens=(TOKEN,))) as gateway:
        for shown, status in (*((each, 401) for each in wrong), ({"Authorization": f"bearer {TOKEN}"}, 200)):
            assert gateway.client.post("/v1/runs/b/halt", ORDER, **shown)[0] == status
            assert gateway.client.get("/v1/runs", **shown)[0] == 200
        assert len(gateway.audit.lines) == 1


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200), ("LOCALHOST:4318", 200), ("127.0.0.1:1", 200), ("[::1]:4318", 200),
        ("rebound.example.org", 421), ("127.0.0.1.example.org:4318", 421), ("[::1", 200), ("", 421),
    ],
)  # fmt: skip
def test_a_page_of_another_site_does_not_reach_loopback(shared: Gateway, host: str, status: int) -> None:
    """A name that was made to point at this machine is still that site's."""
    assert shared.client.get("/v1/runs", Host=host)[0] == status
    assert (shared.client.post("/v1/runs/b/resume", b"", Host=host)[0] == 400) == (status == 200)


@pytest.mark.parametrize("server", [None, ("192.0.2.1", 4318), ("gateway.sock", None)])
def test_elsewhere_any_name_will_do(server: object) -> None:
    """Machines have many, and a page cannot borrow what it does not know."""
    from starlette.requests import HTTPConnection

    scope = {"type": "http", "server": server, "headers": [(b"host", b"fleet.example.org")]}
    assert under_its_own_name(HTTPConnection(scope))


def waiting(gateway: Gateway) -> None:
    """Until somebody waits there."""
    until = monotonic() + DEADLINE_S
    while not len(gateway.board.waiters):
        assert monotonic() < until


CHANGES: dict[str, Callable[[Gateway], object]] = {
    "a call": lambda gateway: gateway.board.take(call(RUN, 2)),
    "a halt": lambda gateway: gateway.orders.halt(RUN, "Ana", "Enough."),
    "another run, then a call": lambda gateway: (gateway.board.take(call("b")), gateway.board.take(call(RUN, 2))),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_long_poll_is_answered_by_the_change(gateway: Gateway, change: str) -> None:
    """As soon as it happens, and not by what happens elsewhere."""
    gateway.board.take(call(RUN))
    version = gateway.board.version
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(gateway.client.get, f"/v1/runs/{RUN}?since={version}&wait=30")
        waiting(gateway)
        CHANGES[change](gateway)
        status, run = asked.result(DEADLINE_S)
    assert (status, run["version"] > version) == (200, True)


def test_an_agent_waits_for_the_decision_about_its_run(gateway: Gateway) -> None:
    """Also before anything is known of it, and not for its calls."""
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(gateway.client.get, "/v1/decisions/b?since=0&wait=30")
        waiting(gateway)
        gateway.board.take(call("b"))
        gateway.orders.halt("b", "Ana", "Enough.")
        assert asked.result(DEADLINE_S)[1]["action"] == "halt"


def test_a_wait_in_vain_ends_in_time(gateway: Gateway) -> None:
    """With what holds."""
    assert gateway.client.get("/v1/runs/b?wait=0.01")[0] == 404
    assert gateway.client.get("/v1/decisions/b?since=9&wait=0.01")[1]["version"] == 0
    assert len(gateway.board.waiters) == 0


def test_a_server_that_ends_sends_everybody_home(gateway: Gateway) -> None:
    """Whoever waits gets what holds, a stream ends, and the server does not wait for them."""
    with ThreadPoolExecutor(1) as pool, gateway.client.events() as events:
        asked = pool.submit(gateway.client.get, "/v1/runs/b?wait=30")
        waiting(gateway)
        gateway.board.waiters.close()
        assert asked.result(DEADLINE_S)[0] == 404
        assert events.response.read().startswith(b"retry: 250\n")
    status, answer = gateway.client.get("/v1/events")
    assert (status, answer) == (503, {"error": "the gateway is about to end"})


def test_events_are_told_as_they_happen(gateway: Gateway) -> None:
    """Runs, loops and decisions, each with the version as its id."""
    with gateway.client.events() as events:
        waiting(gateway)
        gateway.board.take(looping("b"))
        told = [events.next(), events.next()]
        gateway.orders.halt("b", "Ana", "Enough.")
        told += [events.next(), events.next()]
    assert [(name, data["run"]) for _, name, data in told] == [
        (name, "b") for name in ("loop", "run", "decision", "run")
    ]
    ids = [number for number, _, _ in told]
    assert ids == sorted(set(ids))
    assert told[3][2]["version"] == ids[3]


def test_a_listener_goes_on_where_it_was(gateway: Gateway) -> None:
    """By the id of the last event, as browsers send it, or by its own word; a new one hears nothing of the past."""
    gateway.board.take(call("a"))
    seen = gateway.board.version
    gateway.board.take(call("b"))
    gateway.orders.halt("b", "Ana", "Enough.")
    for query, headers in (("", {"Last_Event_ID": str(seen)}), (f"?since={seen}", {})):
        with gateway.client.events(query, **headers) as events:
            assert [events.next()[1], events.next()[1]] == ["decision", "run"]
    with gateway.client.events() as events:
        waiting(gateway)
        gateway.board.take(call("c"))
        assert events.next()[2]["run"] == "c"


def test_a_listener_may_choose(gateway: Gateway) -> None:
    """One run by its key or trace, some events."""
    gateway.board.take(call("chat-7"))
    with gateway.client.events(f"?run={RUN}&events=decision&since=0") as events:
        waiting(gateway)
        gateway.board.take(looping("chat-7"))
        gateway.orders.halt("other", "Ana", "Enough.")
        gateway.orders.halt("chat-7", "Ana", "Enough.")
        assert [events.next()[i] for i in (1,)] == ["decision"]


def test_a_silent_stream_says_that_it_is_there(gateway: Gateway) -> None:
    """By a comment, also while things happen that it is not told of."""
    with gateway.client.events("?events=loop") as events:
        waiting(gateway)
        for number in count(1):
            gateway.board.take(call("b", number))
            if events.response.readline().startswith(b":"):
                break
    assert number < DEADLINE_S / QUICK.still_here_s


def test_a_listener_that_takes_nothing_is_dropped(gateway: Gateway) -> None:
    """It holds no thread and no queue, and others hear everything meanwhile."""
    with socket.create_connection(("127.0.0.1", gateway.client.port), DEADLINE_S) as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.sendall(b"GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        waiting(gateway)
        until, runs = monotonic() + DEADLINE_S, count()
        while len(gateway.board.waiters):
            assert monotonic() < until
            for _ in range(AT_ONCE):
                gateway.board.take(call(f"run-{next(runs)}"))
    with gateway.client.events("?since=0&events=run") as events:
        assert json.dumps(events.next()[2])
