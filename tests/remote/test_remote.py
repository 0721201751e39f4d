"""RemoteControl at a real gateway, and at what may stand in its place: dead, deaf, slow, talking nonsense."""

from __future__ import annotations

import logging
import os
import shutil
import socket
import ssl
import struct
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any

import pytest
from gateway.boards import board_and_orders
from gateway.serving import Client, serving
from receiver import DEADLINE_S, Answer, Receiver, status
from remote.following import Said, at_once, gated, remote, until

from otel_loopwatch.control import remote as module
from otel_loopwatch.control.http_follower import HttpFollower, Patience
from otel_loopwatch.control.remote import FIRST_PAUSE_S, LONGEST_PAUSE_S, RemoteControl
from otel_loopwatch.control.report import TerminalState
from otel_loopwatch.gateway.api import Pace, routes
from otel_loopwatch.gateway.board import Board
from otel_loopwatch.gateway.orders import Orders
from otel_loopwatch.gateway.receive.access import Access
from otel_loopwatch.guard import GuardedRun
from otel_loopwatch.model import Action

QUICK = Patience(connect_s=DEADLINE_S, silence_s=0.2)
TOKEN = "known-to-those-who-may"
STREAM = b"HTTP/1.1 200 So\r\nContent-Type: text/event-stream\r\n\r\n"
EVENT = b'id: 7\nevent: decision\ndata: {"run":"run","action":"halt","version":7,"by":"Ana"}\n\n'


@contextmanager
def fleet(port: int = 0, board: Board | None = None, orders: Orders | None = None) -> Iterator[tuple[Client, Orders]]:
    """A gateway that is seen by whoever shows the token."""
    if board is None or orders is None:
        board, orders, _ = board_and_orders()
    with serving(board, [*routes(board, orders, Pace(still_here_s=0.02))], port, Access(tokens=(TOKEN,))) as client:
        yield client, orders


@contextmanager
def controlling(source: Any, **arguments: Any) -> Iterator[RemoteControl]:
    """A control that waits for nothing, closed in the end."""
    control = RemoteControl(source, **{"wait": at_once, **arguments})
    try:
        yield control
    finally:
        assert control.close(DEADLINE_S)


@contextmanager
def instead(*answers: Answer) -> Iterator[Receiver]:
    """Something else where the gateway should be."""
    receiver = Receiver(*answers)
    try:
        yield receiver
    finally:
        receiver.close()


def test_a_run_is_halted_at_the_gateway_and_resumed() -> None:
    """Its next call after the decision arrived is not made, and after the resume calls are."""
    with fleet() as (client, orders), controlling(client.url, token=TOKEN) as control:
        run = gated(control)
        assert not run.before("search").refused
        orders.halt("run", "Ana", "Enough.")
        until(lambda: run.before("search").halted)
        assert "Ana halted the run: Enough." in run.farewell
        orders.resume("run", "Ana")
        until(lambda: not run.before("search").refused)


def test_what_was_decided_before_it_came_is_known() -> None:
    """Also of more runs than are told at once."""
    with fleet() as (client, orders):
        for number in range(600):
            orders.halt(f"run-{number}", "Ana", "Enough.")
        orders.halt("run", "Ana", "Enough.")
        with controlling(client.url, token=TOKEN) as control:
            until(lambda: gated(control).halted)
            assert len(control._held) == 601


def test_a_guarded_run_is_halted_at_the_gateway() -> None:
    """Over HTTP, from the person's order to the tool that does not run."""
    with fleet() as (client, _), controlling(client.url, token=TOKEN) as control:
        with GuardedRun("task", gate=gated(control)._gate) as run:
            assert run.attempt(lambda: "one").ok
            answer = client.post(
                "/v1/runs/task/halt", {"by": "Ana", "reason": "Enough."}, Authorization=f"Bearer {TOKEN}"
            )
            assert answer[0] == 200
            until(lambda: control.decided(run._gated._identity()) is not None)
            made = run.attempt(lambda: "two")
            run.stop(at=made)
        assert not made.ok
        assert run.exit_code == TerminalState.NEEDS_HUMAN.exit_code


def test_a_gateway_that_comes_back_is_followed_again(caplog: pytest.LogCaptureFixture) -> None:
    """What was decided meanwhile is heard; the outage is told once, and its end."""
    caplog.set_level(logging.INFO, "otel_loopwatch")
    board, orders, _ = board_and_orders()
    with fleet(0, board, orders) as (client, _):
        control = RemoteControl(client.url, token=TOKEN, wait=at_once)
        run = gated(control)
        orders.halt("another", "Ana", "Enough.")
        until(lambda: len(control._held))
    until(lambda: "not heard any more" in caplog.text)
    assert not run.before("search").refused
    orders.halt("run", "Ana", "Enough.")
    board.waiters.closed = False
    with fleet(client.port, board, orders):
        until(lambda: run.before("search").halted)
        assert control.close(DEADLINE_S)
    assert caplog.text.count("not heard any more") == caplog.text.count("heard again") == 1


def refused(_: Receiver) -> str:
    """Nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return f"http://127.0.0.1:{listening.getsockname()[1]}"


def silence(connection: socket.socket, over: Event) -> None:
    """Never an answer."""
    over.wait(DEADLINE_S)


def reset(connection: socket.socket, over: Event) -> None:
    """A connection that is cut, not closed."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def then(*pieces: bytes) -> Callable[[socket.socket, Event], None]:
    """Something, and then nothing."""

    def answer(connection: socket.socket, over: Event) -> None:
        connection.sendall(b"".join(pieces))
        over.wait(DEADLINE_S)

    return answer


def dripping(connection: socket.socket, over: Event) -> None:
    """A head that never ends, and is no contact."""
    connection.sendall(b"HTTP/1.1 200 So\r\n")
    while not over.wait(0.01):
        connection.sendall(b"X: y\r\n")


def endless(connection: socket.socket, over: Event) -> None:
    """A line that never ends."""
    connection.sendall(STREAM + b"data: ")
    while not over.is_set():
        connection.sendall(b"x" * 65_536)


TROUBLES: dict[str, Answer] = {
    "silent": silence,
    "reset": reset,
    "closed": b"",
    "refusing": status(401),
    "moved": status(307, "Location: http://127.0.0.1:1/"),
    "another service": b"HTTP/1.1 200 So\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\nEVEN",
    "no HTTP": b"SSH-2.0-OpenSSH_9.2\r\n",
    "dripping": dripping,
}


@pytest.mark.parametrize("fail", ["open", "closed"])
@pytest.mark.parametrize("trouble", [*TROUBLES, "nobody"])
def test_a_dead_gateway_delays_no_call(trouble: str, fail: str) -> None:
    """Calls pass in microseconds, or are refused in microseconds where it fails closed and the grace is over."""
    now = [0.0]
    with instead(TROUBLES.get(trouble, b"")) as receiver:
        url = receiver.url if trouble != "nobody" else refused(receiver)
        tried = Event()
        with controlling(
            HttpFollower(url, patience=QUICK), fail=fail, clock=lambda: now[0], wait=lambda *_: tried.set()
        ) as control:
            run = gated(control)
            assert not run.before("search").refused
            if trouble != "dripping":
                assert tried.wait(DEADLINE_S), "it tries again"
            now[0] = 61
            began = monotonic()
            passed = [run.before("search").refused for _ in range(100)]
            assert monotonic() - began < DEADLINE_S / 10
            assert passed == [fail == "closed"] * 100


ANSWERS: dict[str, Answer] = {
    "a comment before it": then(STREAM, b": hello\n\n", EVENT),
    "lines of another system": then(STREAM, EVENT.replace(b"\n", b"\r\n")),
    "other events": then(STREAM, b"data:\n\nevent: decision\ndata: {}\n\nevent: run\ndata: {}\n\n", EVENT),
    "no text": then(STREAM, b"\xff: \xff\nevent: decision\ndata: \xff\n\n", EVENT),
    "an end": STREAM + EVENT,
}


@pytest.mark.parametrize("answer", ANSWERS)
def test_what_a_gateway_says_is_understood(answer: str) -> None:
    """Comments and other events are passed over, and so is what cannot be read."""
    with instead(ANSWERS[answer]) as receiver, controlling(HttpFollower(receiver.url, patience=QUICK)) as control:
        run = gated(control)
        until(lambda: run.halted)
        request = receiver.request()
        assert request.line == "GET /stops/v1/events?events=decision HTTP/1.1"
        assert request.headers["Last-Event-ID"] == "0"
        until(lambda: receiver.request().headers["Last-Event-ID"] == "7")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of this machine, signed by itself, with its key."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not there to make a certificate")
    file = tmp_path_factory.mktemp("tls") / "gateway.pem"
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=gateway"
    names = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(file), "-out", f"{file}.crt"]
    subprocess.run([*command.split(), *names], check=True, capture_output=True)
    file.write_text(file.read_text() + Path(f"{file}.crt").read_text())
    return file


@pytest.mark.parametrize("trusted", [True, False])
def test_certificates_are_checked(certificate: Path, trusted: bool) -> None:
    """By the platform's authorities, or those of a context; nothing is said to anybody else."""
    served = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    served.load_cert_chain(certificate)
    trusting = ssl.create_default_context(cafile=str(certificate)) if trusted else None
    receiver = Receiver(then(STREAM, EVENT), tls=served)
    tried = Event()
    try:
        url = receiver.url.replace("http:", "https:")
        with controlling(url, token=TOKEN, context=trusting, wait=lambda *_: tried.set()) as control:
            until(lambda: gated(control).halted or tried.is_set())
            assert gated(control).halted is trusted
            assert receiver.requests.empty() is not trusted
    finally:
        receiver.close()


def test_a_line_without_an_end_is_no_contact_for_long() -> None:
    """The connection is given up, and memory is not used up."""
    with instead(endless) as receiver, controlling(HttpFollower(receiver.url, patience=QUICK)) as control:
        for _ in range(3):
            receiver.request()
        assert len(control._held) == 0


def test_pauses_grow_until_somebody_is_heard() -> None:
    """Between half and all of a time that doubles, and begins anew after contact."""
    pauses: list[float] = []

    def paused(closing: Event, seconds: float) -> None:
        pauses.append(seconds)

    class Deaf(Said):
        def follow(self, listener: Any) -> None:
            if len(pauses) == 8:
                super().follow(listener)
            raise OSError("away")

    deaf = Deaf()
    control = RemoteControl(deaf, wait=paused, jitter=lambda: 1.0)
    until(lambda: deaf.follows)
    assert pauses == [min(FIRST_PAUSE_S * 2**number, LONGEST_PAUSE_S) for number in range(8)]
    deaf.say(OSError("away again"))
    until(lambda: len(pauses) > 8)
    assert pauses[8] == FIRST_PAUSE_S
    assert control.close(DEADLINE_S)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"source": "http://fleet.example.org/key"}, r"url is 'http://fleet.example.org/\.\.\.'; it must be an https"),
        ({"source": "https://fleet.example.org/?key=7"}, "and have no query"),
        ({"source": "gateway"}, "url is .*; it must be an https address"),
        ({"token": "a\nb"}, r"token is \(not shown\); it must be printable ASCII"),
        ({"token": ""}, r"token is \(not shown\)"),
        ({"fail": "loudly"}, "fail is 'loudly'; it must be one of open, closed"),
        ({"grace_s": 0}, "grace_s is 0; it must be more than 0"),
        ({"grace_s": float("nan")}, "grace_s is nan; it must be more than 0"),
        ({"inner": "stop"}, "control_hook is 'stop'; it must be one of"),
        ({"source": Said(), "token": TOKEN}, "it must be a URL where token, insecure or context is given"),
    ],
)  # fmt: skip
def test_what_will_not_do_is_refused_at_set_up(arguments: dict[str, Any], says: str) -> None:
    """Naming the argument and the rule, and no secret."""
    with pytest.raises(ValueError, match=says):
        RemoteControl(**{"source": "http://127.0.0.1:1", **arguments})


def test_it_goes_on_in_a_forked_child() -> None:
    """With a thread and a connection of its own, and with what the parent knew."""
    with fleet() as (client, orders), controlling(client.url, token=TOKEN) as control:
        orders.halt("known", "Ana", "Enough.")
        until(lambda: len(control._held))
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.close(reading)
            run = gated(control)
            known = control._held.of(run._identity()) is None and len(control._held) == 1
            run.before("search")
            os.write(writing, b"k" if known else b"?")
            until(lambda: run.before("search").halted)
            os.write(writing, b"h")
            os._exit(0)
        os.close(writing)
        assert os.read(reading, 1) == b"k"
        orders.halt("run", "Ana", "Enough.")
        assert os.read(reading, 1) == b"h"
        os.waitpid(child, 0)
        os.close(reading)
        until(lambda: gated(control).halted)


def test_a_fork_leaves_nothing_locked(said: Said) -> None:
    """What another thread held when the process was forked, nobody would ever release."""
    control = remote(said)
    said.decide(Action.HALT, 1)
    with control._held._lock, control._lock:
        module._after_fork_in_child()
        assert gated(control).halted
    assert control._thread is not None
    said.stop()  # of the two that listen now


def test_an_interpreter_that_starts_no_thread_halts_nobody(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    """At its end, when threads are refused; it tries again at the next call."""

    class Refused(module.Thread):
        def start(self) -> None:
            raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(module, "Thread", Refused)
        control = remote(said)
        assert not gated(control).before("search").refused
    assert said.follows == 0
    assert control.decided(gated(control)._identity()) is None
    said.decide(Action.HALT, 1)
    assert gated(control).halted
    assert control.close(DEADLINE_S)
    assert gated(control).halted, "what was decided holds after the end"
