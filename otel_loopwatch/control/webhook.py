"""Stop reports delivered to a URL, by a thread of their own: the agent never waits for the receiver."""

from __future__ import annotations

import atexit
import logging
import os
import random
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING
from weakref import WeakSet, WeakValueDictionary

from otel_loopwatch.control import signature
from otel_loopwatch.control.address import WORDS, address, without_path
from otel_loopwatch.control.delivery import Delivery, delivery_id
from otel_loopwatch.control.report import StopReport
from otel_loopwatch.settings import WebhookTarget

if TYPE_CHECKING:
    from otel_loopwatch.control.post import Answer, Timeouts

log = logging.getLogger("otel_loopwatch")

DELIVERY_HEADER = "Loopwatch-Delivery"
MAX_WAITING = 256
"""Reports that wait. Past it the newest is dropped: of a storm of halts the first ones tell the cause, and nothing that
was taken is given up for what came later."""
TRIES = 6
"""Per report."""
FIRST_PAUSE_S = 1.0
"""Before the second try; it doubles from try to try."""
LONGEST_PAUSE_S = 60.0
"""Between two tries, whatever the receiver asks for."""
EXIT_S = 5.0
"""For what still waits when the process ends."""
TOO_EARLY = frozenset({408, 429})
"""Refusals of a client that hold for now only; as do all failures of the server."""


@dataclass(frozen=True, slots=True)
class _Parcel:
    """A report on its way."""

    body: bytes
    count: Callable[[Delivery], None]


class Webhook:
    """POSTs stop reports as JSON to one URL, tried again where that may help; any thread may send.

    With a ``secret`` requests are signed (``otel_loopwatch.control.signature``). ``Loopwatch-Delivery`` names the
    report, so that a receiver knows what it has already. ``insecure`` permits plain http to other machines. ``clock``
    gives seconds since the epoch, ``wait`` waits for an event so many seconds at most, ``jitter`` is between 0 and 1.

    :raises ValueError: naming the field, its value and the rule it breaks.
    """

    def __init__(
        self,
        url: str,
        secret: str | None = None,
        insecure: bool = False,
        *,
        timeouts: Timeouts | None = None,
        clock: Callable[[], float] = time.time,
        wait: Callable[[Event, float], object] = Event.wait,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        known = address(url, insecure)
        if known is None:
            raise ValueError(f"url is {without_path(url)!r}; it must be {WORDS}")
        # Not at the head: only who has a webhook loads HTTP and TLS. Nor in the thread: a fork while it imports would
        # leave the child half a module.
        from otel_loopwatch.control.post import Timeouts, post

        self._post = partial(post, known, timeouts or Timeouts())
        self._host = known.host
        self._secret = secret
        self._clock = clock
        self._wait = wait
        self._jitter = jitter
        self._start_afresh()
        _webhooks.add(self)

    def _start_afresh(self) -> None:
        """Nothing waits, behind a fresh lock: at the start, and in a forked child, for the parent delivers its own."""
        self._lock = Lock()
        self._waiting: deque[_Parcel] = deque()
        self._worker: Thread | None = None
        self._closing = Event()

    def send(self, report: StopReport, count: Callable[[Delivery], None] = lambda result: None) -> None:
        """Have a report delivered. Returns at once; ``count`` is told later, from another thread, what became of it."""
        parcel = _Parcel(report.to_json().encode(), count)
        if not self._take(parcel):
            count(Delivery.DROPPED)

    def flush(self, timeout_s: float) -> bool:
        """Wait until nothing waits, for at most so long; False where something still does."""
        worker = self._worker
        if worker is not None:
            worker.join(timeout_s)
        return self._worker is None

    def close(self, timeout_s: float) -> bool:
        """Take no more, try each report that waits once more, within the time; what is left then is dropped."""
        self._closing.set()
        done = self.flush(timeout_s)
        with self._lock:
            left = list(self._waiting)
            self._waiting.clear()
        for parcel in left:
            parcel.count(Delivery.DROPPED)
        return done

    def _take(self, parcel: _Parcel) -> bool:
        with self._lock:
            if self._closing.is_set() or len(self._waiting) >= MAX_WAITING:
                return False
            self._waiting.append(parcel)
            return self._worker is not None or self._start()

    def _start(self) -> bool:
        """A thread that lives while something waits; False where the interpreter starts none any more."""
        worker = Thread(target=self._work, name="loopwatch-webhook", daemon=True)
        try:
            worker.start()
        except RuntimeError:
            self._waiting.clear()
            return False
        self._worker = worker
        return True

    def _work(self) -> None:
        while (parcel := self._next()) is not None:
            parcel.count(self._deliver(parcel.body))

    def _next(self) -> _Parcel | None:
        with self._lock:
            if not self._waiting:
                self._worker = None
                return None
            return self._waiting.popleft()

    def _deliver(self, body: bytes) -> Delivery:
        attempt = 1
        while not _taken(answer := self._try(body)):
            if attempt == TRIES or self._closing.is_set() or not _passes(answer):
                why = type(answer).__name__ if isinstance(answer, Exception) else f"status {answer.status}"
                log.warning("Stop report %s was not delivered to %s: %s", delivery_id(body), self._host, why)
                return Delivery.FAILED
            self._wait(self._closing, self._pause(attempt, answer))
            attempt += 1
        return Delivery.DELIVERED

    def _try(self, body: bytes) -> Answer | Exception:
        try:
            return self._post(body, self._headers(body))
        except Exception as error:  # noqa: BLE001 - whatever a receiver answers with, the thread goes on
            return error

    def _headers(self, body: bytes) -> dict[str, str]:
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "otel-loopwatch",
            "Connection": "close",
            DELIVERY_HEADER: delivery_id(body),
        }
        if self._secret is not None:
            headers[signature.HEADER] = signature.sign(self._secret, body, int(self._clock()))
        return headers

    def _pause(self, attempt: int, answer: Answer | Exception) -> float:
        """Seconds to the next try: as asked for, or between half and all of a time that doubles."""
        asked = None if isinstance(answer, Exception) else answer.retry_after_s(self._clock())
        if asked is not None:
            return min(asked, LONGEST_PAUSE_S)
        longest = min(FIRST_PAUSE_S * 2.0 ** (attempt - 1), LONGEST_PAUSE_S)
        return longest * (1 + self._jitter()) / 2


def webhook_for(target: WebhookTarget | None) -> Webhook | None:
    """The webhook of a URL and secret, shared by all who send there; None for None."""
    if target is None:
        return None
    with _shared_lock:
        webhook = _shared.get((target.url, target.secret))
        if webhook is None:
            webhook = _shared[target.url, target.secret] = Webhook(target.url, target.secret, target.insecure)
        return webhook


def _taken(answer: Answer | Exception) -> bool:
    return not isinstance(answer, Exception) and 200 <= answer.status < 300


def _passes(answer: Answer | Exception) -> bool:
    """Whether the failure may pass."""
    return isinstance(answer, Exception) or answer.status in TOO_EARLY or answer.status >= 500


_webhooks: WeakSet[Webhook] = WeakSet()
_shared: WeakValueDictionary[tuple[str, str | None], Webhook] = WeakValueDictionary()
_shared_lock = Lock()


def _after_fork_in_child() -> None:
    global _shared_lock  # noqa: PLW0603 - the parent's may be held for ever
    _shared_lock = Lock()
    for webhook in tuple(_webhooks):
        webhook._start_afresh()


@atexit.register
def _at_exit() -> None:
    """A program that ends because its agent was halted still tells so."""
    until = time.monotonic() + EXIT_S
    for webhook in tuple(_webhooks):
        webhook.close(max(0.0, until - time.monotonic()))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
