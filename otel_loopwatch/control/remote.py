"""Decisions made elsewhere hold here: a run that a person halts at the gateway ends in its own process."""

from __future__ import annotations

import logging
import os
import random
import time
from collections.abc import Callable
from enum import Enum
from ssl import SSLContext
from threading import Event, Lock, Thread
from weakref import WeakSet

from otel_loopwatch.control.decisions import RunDecision
from otel_loopwatch.control.follower import Follower
from otel_loopwatch.control.held import Held
from otel_loopwatch.control.hook import Around, ControlHook, resolve_hook
from otel_loopwatch.control.http_follower import HttpFollower
from otel_loopwatch.control.identity import RunIdentity
from otel_loopwatch.model import Action
from otel_loopwatch.telemetry import names

log = logging.getLogger(names.SCOPE)

FIRST_PAUSE_S = 0.5
"""Before contact is sought again; it doubles from try to try."""
LONGEST_PAUSE_S = 30.0
CLOSE_S = 5.0
"""For the thread, at the end."""


class Fail(str, Enum):
    """What holds while there is no contact."""

    OPEN = "open"
    """Calls go on; what was decided last holds."""
    CLOSED = "closed"
    """After a while calls are refused, with a message that says why, until there is contact again."""


class RemoteControl(Around):
    """A control hook that also hears what is decided about runs elsewhere; for gates and span processors.

    ``source`` is the URL of a gateway, or a :class:`~otel_loopwatch.control.follower.Follower` of another source. A
    thread listens there; a call looks into memory and never waits, whatever becomes of the source. About signals of
    this process ``inner`` is asked: a hook, or the name of a built-in one.

    ``fail`` says what holds after ``grace_s`` seconds without contact; only gates can refuse a call, a span processor
    lets it pass. ``token``, ``insecure`` and ``context`` are for a URL, as
    :class:`~otel_loopwatch.control.http_follower.HttpFollower` has them. ``clock`` gives seconds, ``wait`` waits for an
    event so many seconds at most, ``jitter`` is between 0 and 1.

    :raises ValueError: naming the argument, its value and the rule it breaks.
    """

    def __init__(
        self,
        source: str | Follower,
        *,
        inner: ControlHook | str = "observe",
        fail: Fail | str = Fail.OPEN,
        grace_s: float = 60.0,
        token: str | None = None,
        insecure: bool = False,
        context: SSLContext | None = None,
        clock: Callable[[], float] = time.monotonic,
        wait: Callable[[Event, float], object] = Event.wait,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        if not grace_s > 0:
            raise ValueError(f"grace_s is {grace_s}; it must be more than 0")
        if not isinstance(source, str) and (token, insecure, context) != (None, False, None):
            raise ValueError(f"source is {source!r:.60}; it must be a URL where token, insecure or context is given")
        self.hook = resolve_hook(inner)
        self._fail = _fail(fail)
        self._follower = HttpFollower(source, token, insecure, context) if isinstance(source, str) else source
        self._grace_s = grace_s
        self._clock = clock
        self._wait = wait
        self._jitter = jitter
        self._held = Held()
        self._closing = Event()
        self._heard_at = clock()
        self._start_afresh()
        _controls.add(self)
        self._start()

    def _start_afresh(self) -> None:
        """No thread, behind a fresh lock: at the start, and in a forked child, which has but the thread that forked."""
        self._lock = Lock()
        self._thread: Thread | None = None
        self._lost_contact = False

    def decided(self, run: RunIdentity) -> RunDecision | None:
        """What holds for a run, as far as it was heard; BLOCK where nothing was for too long and it fails closed."""
        if self._thread is None:
            self._start()
        decision = self._held.of(run)
        if (decision is None or not decision.halts) and self._fail is Fail.CLOSED and not self.in_contact:
            return self._refusal(run)
        return decision

    @property
    def in_contact(self) -> bool:
        """Whether the source was heard within ``grace_s``."""
        return self._clock() - self._heard_at <= self._grace_s

    def close(self, timeout_s: float = CLOSE_S) -> bool:
        """Listen no more; what was decided so far holds. False where the thread did not end in time."""
        self._closing.set()
        self._follower.stop()
        thread = self._thread
        if thread is not None:
            thread.join(timeout_s)
        return thread is None or not thread.is_alive()

    def _refusal(self, run: RunIdentity) -> RunDecision:
        silent = f"The control of this run has not been reachable for {self._clock() - self._heard_at:.0f} s."
        return RunDecision(
            run=run.keys[0],
            action=Action.BLOCK,
            version=0,
            reason=silent,
            advice=f"{silent} Until it is, no tool may be called. Wait, or end with what is known.",
        )

    # In the thread.

    def _start(self) -> None:
        with self._lock:
            if self._thread is not None or self._closing.is_set():
                return
            thread = Thread(target=self._listen, name="loopwatch-control", daemon=True)
            try:
                thread.start()
            except RuntimeError:  # the interpreter is about to end, and starts none any more
                return
            self._thread = thread

    def _listen(self) -> None:
        ears = _Ears(self._held.put, self._hear)
        pause = FIRST_PAUSE_S
        while not self._closing.is_set():
            before = self._heard_at
            try:
                self._follower.follow(ears)
                self._lost("the connection ended")
            except Exception as error:  # noqa: BLE001 - whatever the source does, the thread goes on
                self._lost(type(error).__name__)
            if self._heard_at != before:
                pause = FIRST_PAUSE_S
            self._wait(self._closing, pause * (1 + self._jitter()) / 2)
            pause = min(2 * pause, LONGEST_PAUSE_S)

    def _hear(self) -> None:
        self._heard_at = self._clock()
        if self._lost_contact:
            self._lost_contact = False
            log.info("Decisions about runs are heard again")

    def _lost(self, why: str) -> None:
        """Said once per outage."""
        if not self._lost_contact and not self._closing.is_set():
            self._lost_contact = True
            log.warning("Decisions about runs are not heard any more: %s", why)


class _Ears:
    """What a follower tells goes here."""

    def __init__(self, decided: Callable[[RunDecision], None], heard: Callable[[], None]) -> None:
        self.decided = decided
        self.heard = heard


def _fail(said: Fail | str) -> Fail:
    try:
        return Fail(said)
    except ValueError:
        words = ", ".join(member.value for member in Fail)
        raise ValueError(f"fail is {said!r}; it must be one of {words}") from None


_controls: WeakSet[RemoteControl] = WeakSet()


def _after_fork_in_child() -> None:
    for control in tuple(_controls):
        control._start_afresh()
        control._held.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
