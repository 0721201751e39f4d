"""Stop reports at real receivers, good and bad: what arrives, what is tried again, and what the agent notices."""

from __future__ import annotations

import json
import logging
import os
import shutil
import socket
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Queue
from threading import Event, Thread
from typing import Any

import pytest
from live_agent import SIGNAL, rig
from receiver import DEADLINE_S, OK, Answer, Receiver, status

from otel_loopwatch.control import webhook as module
from otel_loopwatch.control.address import address
from otel_loopwatch.control.delivery import Delivery, delivery_id
from otel_loopwatch.control.post import MAX_ANSWER_BYTES, Timeouts
from otel_loopwatch.control.report import StopReport, stop_report
from otel_loopwatch.control.signature import verify
from otel_loopwatch.control.webhook import (
    EXIT_S,
    FIRST_PAUSE_S,
    LONGEST_PAUSE_S,
    MAX_WAITING,
    TRIES,
    Webhook,
    webhook_for,
)
from otel_loopwatch.model import RunSummary
from otel_loopwatch.settings import WebhookTarget

NOW = 1_780_000_000.5
SECRET = "known to sender and receiver"
REPORT = stop_report(SIGNAL, RunSummary(run="run", calls=8, wasted_calls=7))
LAST_PAUSES = [FIRST_PAUSE_S * 2**n for n in range(TRIES - 1)]
QUICK = Timeouts(connect_s=DEADLINE_S, answer_s=0.2)

Receiving = Callable[..., Receiver]


@pytest.fixture
def receiving() -> Iterator[Receiving]:
    """Starts receivers, and ends them after the test."""
    started: list[Receiver] = []

    def start(*answers: Answer, **arguments: Any) -> Receiver:
        started.append(Receiver(*answers, **arguments))
        return started[-1]

    yield start
    for receiver in started:
        receiver.close()


class Sender:
    """A webhook that waits for nothing, and what it told of its pauses and deliveries."""

    def __init__(self, url: str, secret: str | None = None, **arguments: Any) -> None:
        self.pauses: list[float] = []
        self.results: Queue[Delivery] = Queue()
        arguments = {"wait": self._wait, "clock": lambda: NOW, "jitter": lambda: 1.0, **arguments}
        self.webhook = Webhook(url, secret, **arguments)

    def _wait(self, closing: Event, seconds: float) -> None:
        self.pauses.append(seconds)

    def send(self, report: StopReport = REPORT) -> None:
        """One report on its way."""
        self.webhook.send(report, self.results.put)

    def result(self) -> Delivery:
        """What became of the next one; waits for it."""
        return self.results.get(timeout=DEADLINE_S)


def refused_port() -> int:
    """A port nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


def until_over(connection: socket.socket, over: Event) -> None:
    """Say nothing."""
    over.wait(DEADLINE_S)


def endless(*pieces: bytes) -> Callable[[socket.socket, Event], None]:
    """Begin with the first pieces, and repeat the last until the client is gone."""

    def answer(connection: socket.socket, over: Event) -> None:
        connection.sendall(b"".join(pieces[:-1]))
        while not over.is_set():
            connection.sendall(pieces[-1])

    return answer


def dripping(connection: socket.socket, over: Event) -> None:
    """One header after the other, slowly, for ever."""
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while not over.wait(0.01):
        connection.sendall(b"X: y\r\n")


def test_the_report_arrives_signed_and_named(receiving: Receiving) -> None:
    """The body is the report's JSON; the receiver can check who sent it and when, and whether it has it already."""
    receiver = receiving()
    sender = Sender(receiver.url + "?team=a", SECRET)
    sender.send()
    request = receiver.request()
    assert sender.result() is Delivery.DELIVERED
    assert request.line == "POST /stops?team=a HTTP/1.1"
    assert request.body == REPORT.to_json().encode()
    assert request.headers["Content-Type"] == "application/json"
    assert request.headers["Loopwatch-Delivery"] == delivery_id(request.body)
    assert request.headers["Loopwatch-Signature"].startswith("t=1780000000,v1=")
    assert verify(SECRET, request.headers["Loopwatch-Signature"], request.body, NOW)
    assert sender.pauses == []


def test_without_a_secret_nothing_is_signed(receiving: Receiving) -> None:
    """No header that would look like a signature."""
    receiver = receiving()
    sender = Sender(receiver.url)
    sender.send()
    assert "Loopwatch-Signature" not in receiver.request().headers
    assert sender.result() is Delivery.DELIVERED


def test_each_try_is_signed_anew_and_named_alike(receiving: Receiving) -> None:
    """The signature's time is that of the try, so that a late one is still good; the delivery is the same."""
    times = iter((NOW, NOW, NOW + 1000, NOW + 1000))
    receiver = receiving(status(500), OK)
    sender = Sender(receiver.url, SECRET, clock=lambda: next(times))
    sender.send()
    first, second = receiver.request(), receiver.request()
    assert sender.result() is Delivery.DELIVERED
    assert verify(SECRET, first.headers["Loopwatch-Signature"], first.body, NOW)
    assert verify(SECRET, second.headers["Loopwatch-Signature"], second.body, NOW + 1000)
    assert first.headers["Loopwatch-Delivery"] == second.headers["Loopwatch-Delivery"]


@pytest.mark.parametrize(
    ("answers", "tries", "result"),
    [
        ([status(500), OK], 2, Delivery.DELIVERED),
        ([status(408), status(503), OK], 3, Delivery.DELIVERED),
        ([b"SSH-2.0-OpenSSH_9.6\r\n", OK], 2, Delivery.DELIVERED),
        ([b"", OK], 2, Delivery.DELIVERED),
        ([b"HTTP/1.1 200 OK\r\nContent-", OK], 1, Delivery.DELIVERED),
        ([b"HTTP/1.1 100 Continue\r\n\r\n" + OK], 1, Delivery.DELIVERED),
        ([endless(b"HTTP/1.1 200 OK\r\n\r\n", b"x" * MAX_ANSWER_BYTES)], 1, Delivery.DELIVERED),
        ([endless(b"HTTP/1.1 100 Continue\r\n\r\n"), OK], 2, Delivery.DELIVERED),
        ([endless(b"HTTP/1.1 200 OK\r\nX: ", b"x" * MAX_ANSWER_BYTES)], 1, Delivery.DELIVERED),
        ([status(500)], TRIES, Delivery.FAILED),
        ([status(400)], 1, Delivery.FAILED),
        ([status(404)], 1, Delivery.FAILED),
        ([status(410)], 1, Delivery.FAILED),
    ],
)
def test_what_may_pass_is_tried_again(
    receiving: Receiving, answers: list[Answer], tries: int, result: Delivery
) -> None:
    """Failures of the server and of the connection are; refusals are not, and of an answer the status is enough."""
    receiver = receiving(*answers)
    sender = Sender(receiver.url)
    sender.send()
    for _ in range(tries):
        assert receiver.request().body == REPORT.to_json().encode()
    assert sender.result() is result
    assert receiver.requests.empty()
    assert len(sender.pauses) == tries - 1


@pytest.mark.parametrize("answer", [until_over, dripping], ids=["silent", "dripping"])
def test_an_answer_that_takes_too_long_is_tried_again(receiving: Receiving, answer: Answer) -> None:
    """The time is that of the whole head, not of its next byte."""
    receiver = receiving(answer, OK)
    sender = Sender(receiver.url, timeouts=QUICK)
    sender.send()
    assert sender.result() is Delivery.DELIVERED
    assert receiver.request().body == receiver.request().body
    assert sender.pauses == [FIRST_PAUSE_S]


def test_a_receiver_that_is_down_is_tried_a_few_times(caplog: pytest.LogCaptureFixture) -> None:
    """With pauses that double, and then given up with a line in the log that shows no path and no secret."""
    sender = Sender(f"http://127.0.0.1:{refused_port()}/services/T0KEN", SECRET)
    with caplog.at_level(logging.WARNING):
        sender.send()
        assert sender.result() is Delivery.FAILED
    assert sender.pauses == LAST_PAUSES
    (message,) = [record.getMessage() for record in caplog.records]
    assert delivery_id(REPORT.to_json().encode()) in message
    assert message.endswith("was not delivered to 127.0.0.1: ConnectionRefusedError")


@pytest.mark.parametrize(("jitter", "share"), [(0.0, 0.5), (0.5, 0.75), (1.0, 1.0)])
def test_pauses_differ_between_senders(jitter: float, share: float) -> None:
    """Between half and all of the time: many agents that failed together do not come back together."""
    sender = Sender(f"http://127.0.0.1:{refused_port()}/", jitter=lambda: jitter)
    sender.send()
    assert sender.result() is Delivery.FAILED
    assert sender.pauses == [pause * share for pause in LAST_PAUSES]


@pytest.mark.parametrize(
    ("asked", "pause"),
    [
        ("7", 7.0),
        ("0", 0.0),
        ("9" * 400, LONGEST_PAUSE_S),
        ("Thu, 28 May 2026 20:27:10 GMT", 29.5),
        ("Thu, 28 May 2020 20:27:10 GMT", 0.0),
        ("soon", FIRST_PAUSE_S),
        ("-3", FIRST_PAUSE_S),
        ("Thu, 01 Jan 9998 00:00:00 GMT", LONGEST_PAUSE_S),
        ("Fri, 31 Dec 9999 23:59:59 -9999", FIRST_PAUSE_S),
    ],
)
def test_the_receiver_may_say_how_long_to_wait(receiving: Receiving, asked: str, pause: float) -> None:
    """In seconds or as a date, up to a limit; what cannot be read is not obeyed."""
    sender = Sender(receiving(status(429, f"Retry-After: {asked}"), OK).url)
    sender.send()
    assert sender.result() is Delivery.DELIVERED
    assert sender.pauses == [pause]


def test_no_redirect_is_followed(receiving: Receiving) -> None:
    """Reports go where the owner said, and nowhere else."""
    elsewhere = receiving()
    sender = Sender(receiving(status(307, f"Location: {elsewhere.url}")).url)
    sender.send()
    assert sender.result() is Delivery.FAILED
    assert elsewhere.requests.empty()


def test_no_proxy_of_the_environment_is_used(receiving: Receiving, monkeypatch: pytest.MonkeyPatch) -> None:
    """The receiver gets it, the proxy sees nothing."""
    receiver, proxy = receiving(), receiving()
    monkeypatch.setenv("http_proxy", proxy.url)
    monkeypatch.setenv("all_proxy", proxy.url)
    sender = Sender(receiver.url)
    sender.send()
    assert sender.result() is Delivery.DELIVERED
    assert proxy.requests.empty()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key and a certificate for 127.0.0.1, in one file."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    file = tmp_path_factory.mktemp("tls") / "receiver.pem"
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=receiver"
    names = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(file), "-out", f"{file}.crt"]
    subprocess.run([*command.split(), *names], check=True, capture_output=True)
    file.write_text(file.read_text() + Path(f"{file}.crt").read_text())
    return file


@pytest.mark.parametrize(("trusted", "result"), [(True, Delivery.DELIVERED), (False, Delivery.FAILED)])
def test_certificates_are_checked(
    receiving: Receiving, certificate: Path, monkeypatch: pytest.MonkeyPatch, trusted: bool, result: Delivery
) -> None:
    """A receiver whose certificate is not trusted gets nothing of the report."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    receiver = receiving(tls=context)
    if trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    sender = Sender(receiver.url.replace("http:", "https:"))
    sender.send()
    assert sender.result() is result
    assert receiver.requests.empty() is not trusted


def test_the_agent_does_not_wait_for_the_receiver(receiving: Receiving) -> None:
    """The agent's thread goes on while the receiver holds its answer back, which is proved by who lets it answer."""
    let_go = Event()

    def answer(connection: socket.socket, over: Event) -> None:
        if let_go.wait(DEADLINE_S):
            connection.sendall(OK)

    receiver = receiving(answer)
    bench = rig(control_hook="halt", webhook={"url": receiver.url})
    with bench.agent():
        for _ in range(9):
            bench.call()
    assert receiver.request().line.startswith("POST")
    assert bench.counts("loopwatch.webhook.deliveries") == {}
    let_go.set()
    bench.processor.shutdown()
    assert bench.counts("loopwatch.webhook.deliveries") == {("delivered",): 1}


def test_what_finds_the_queue_full_is_dropped_and_counted(receiving: Receiving) -> None:
    """One is in hand, as many wait as may; of what comes then nothing is kept, and closing drops what still waits."""
    receiver = receiving(until_over)
    sender = Sender(receiver.url)
    sender.send()
    receiver.request()
    for _ in range(MAX_WAITING):
        sender.send()
    assert sender.results.empty()
    sender.send()
    assert sender.result() is Delivery.DROPPED
    assert sender.webhook.close(0) is False
    assert [sender.result() for _ in range(MAX_WAITING)] == [Delivery.DROPPED] * MAX_WAITING
    sender.send()
    assert sender.result() is Delivery.DROPPED


def test_reports_go_out_in_order_by_one_thread_at_a_time(receiving: Receiving) -> None:
    """Sent from many threads; each arrives once, and nothing runs when nothing waits."""
    receiver = receiving()
    sender = Sender(receiver.url)
    reports = [stop_report(SIGNAL, RunSummary(run="run", calls=number)) for number in range(40)]
    threads = [Thread(target=sender.send, args=(report,)) for report in reports]
    for thread in threads:
        thread.start()
    assert [sender.result() for _ in reports] == [Delivery.DELIVERED] * 40
    arrived = sorted(json.loads(receiver.request().body)["completed_calls"] for _ in reports)
    assert arrived == list(range(40))
    assert sender.webhook.flush(DEADLINE_S)
    assert sender.webhook._worker is None


def test_closing_cuts_the_pauses_short() -> None:
    """What waits for its next try is tried once more, at once; the event that ends the wait is set."""
    pausing, seen = Event(), Queue[bool]()

    def wait(closing: Event, seconds: float) -> None:
        pausing.set()
        seen.put(closing.wait(DEADLINE_S))

    sender = Sender(f"http://127.0.0.1:{refused_port()}/", wait=wait)
    sender.send()
    assert pausing.wait(DEADLINE_S)
    assert sender.webhook.close(DEADLINE_S)
    assert sender.result() is Delivery.FAILED
    assert [seen.get(timeout=DEADLINE_S)] == [True]
    assert seen.empty()


def test_flushing_gives_up_in_time(receiving: Receiving) -> None:
    """It says that something still waits."""
    receiver = receiving(until_over)
    sender = Sender(receiver.url)
    assert sender.webhook.flush(0)
    sender.send()
    receiver.request()
    assert sender.webhook.flush(0) is False


def test_what_is_on_its_way_at_the_end_of_the_process_is_closed(
    receiving: Receiving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within a bound for all webhooks together, however long a receiver takes."""
    receiver = receiving(until_over)
    sender = Sender(receiver.url)
    monkeypatch.setattr(module, "_webhooks", {sender.webhook})
    monkeypatch.setattr(module, "EXIT_S", 0)
    sender.send()
    receiver.request()
    sender.send()
    module._at_exit()
    assert sender.result() is Delivery.DROPPED


def test_a_child_has_nothing_of_its_parent(receiving: Receiving, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hook that runs in it: nothing waits, no lock is held, and it can send."""
    receiver = receiving(until_over, OK)
    sender = Sender(receiver.url)
    monkeypatch.setattr(module, "_webhooks", {sender.webhook})
    sender.send()
    receiver.request()
    with sender.webhook._lock, module._shared_lock:
        module._after_fork_in_child()
    assert sender.webhook.flush(0)
    sender.send()
    assert sender.result() is Delivery.DELIVERED
    assert webhook_for(WebhookTarget(receiver.url)) is not None


def test_an_interpreter_that_starts_no_thread_drops_the_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python refuses new threads at its end; the agent notices nothing."""

    def refuse(self: Thread) -> None:
        raise RuntimeError("can't create new thread at interpreter shutdown")

    sender = Sender("http://127.0.0.1:1/")
    monkeypatch.setattr(Thread, "start", refuse)
    sender.send()
    assert sender.result() is Delivery.DROPPED
    assert sender.webhook.flush(0)


PROGRAM = """
import os, sys
sys.path.insert(0, sys.argv[1])
from live_agent import SIGNAL
from otel_loopwatch.control.report import stop_report
from otel_loopwatch.control.webhook import Webhook
from otel_loopwatch.model import RunSummary

webhook = Webhook(sys.argv[2])
webhook.send(stop_report(SIGNAL, RunSummary(run="run", calls=1)))
"""
FORK = """
for _ in range(3):
    webhook.send(stop_report(SIGNAL, RunSummary(run="run", calls=1)))
webhook._lock.acquire()
child = os.fork()
if child == 0:
    assert webhook._worker is None and not webhook._waiting
    webhook.send(stop_report(SIGNAL, RunSummary(run="run", calls=2)))
    os._exit(0 if webhook.flush(10) else 1)
webhook._lock.release()
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert webhook.flush(10)
"""


def run_program(text: str, receiver: Receiver) -> None:
    """A Python process of its own that sends to the receiver."""
    program = [sys.executable, "-c", text, str(Path(__file__).parents[1]), receiver.url]
    done = subprocess.run(program, check=False, timeout=60, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_program_that_ends_still_tells(receiving: Receiving) -> None:
    """A halted agent is often the end of its program: what is on its way is waited for, briefly."""
    receiver = receiving()
    run_program(PROGRAM, receiver)
    assert json.loads(receiver.request().body)["completed_calls"] == 1
    assert 0 < EXIT_S <= 10


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform cannot fork")
def test_a_forked_child_delivers_its_own_and_nothing_of_its_parent(receiving: Receiving) -> None:
    """Even if the lock was held: each report arrives once."""
    receiver = receiving()
    run_program(PROGRAM + FORK, receiver)
    arrived = sorted(json.loads(receiver.request().body)["completed_calls"] for _ in range(5))
    assert arrived == [1, 1, 1, 1, 2]
    assert receiver.requests.empty()


@pytest.mark.parametrize(
    "url",
    [
        "http://hooks.example/T0KEN",
        "http://127.0.0.1.example/T0KEN",
        "http://10.0.0.1/T0KEN",
        "ftp://127.0.0.1/T0KEN",
        "file:///T0KEN",
        "https:///T0KEN",
        "https://user:T0KEN@hooks.example/",
        "https://hooks.example:99999/T0KEN",
        "https://hooks.example/T0KEN\r\nX: y",
        "https://hooks.example/T0KEN T0KEN",
        "https://hööks.example/T0KEN",
        "T0KEN",
        "",
        None,
    ],
)
def test_reports_go_out_in_the_clear_to_this_machine_only(url: Any) -> None:
    """Anything but https or loopback is refused at set-up, by field, value and rule, and without the path's key."""
    with pytest.raises(ValueError, match=r"^url is ('.*'|None); it must be an https address") as caught:
        Webhook(url)
    assert "T0KEN" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "insecure", "parts"),
    [
        ("https://hooks.example", False, (True, "hooks.example", None, "/")),
        ("https://hooks.example?to=a", False, (True, "hooks.example", None, "/?to=a")),
        ("http://localhost:8080/stops", False, (False, "localhost", 8080, "/stops")),
        ("http://127.8.8.8/#top", False, (False, "127.8.8.8", None, "/")),
        ("http://[::1]:8080/", False, (False, "::1", 8080, "/")),
        ("http://hooks.example/", True, (False, "hooks.example", None, "/")),
    ],
)
def test_addresses_that_are_permitted(url: str, insecure: bool, parts: tuple[object, ...]) -> None:
    """https to anywhere, http to this machine, and http to others for those who say so."""
    known = address(url, insecure)
    assert known is not None
    assert (known.tls, known.host, known.port, known.target) == parts
    assert Webhook(url, insecure=insecure).flush(0)


def test_one_webhook_per_url_and_secret() -> None:
    """Gate and processor share it, and so its queue and its thread."""
    target = WebhookTarget("https://hooks.example/", SECRET)
    webhook = webhook_for(target)
    assert webhook is webhook_for(WebhookTarget("https://hooks.example/", SECRET))
    assert webhook is not webhook_for(WebhookTarget("https://hooks.example/", SECRET + "!"))
    assert webhook_for(None) is None
