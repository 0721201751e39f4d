"""Operations run once, whatever becomes of the processes, threads and servers around them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Barrier, Event, Thread

import pytest
from guard.ledger.servers import Backend
from guard.ledger.telling import LEASE_S, Clock, claim

from otel_loopwatch.guard.ledger import ClaimOutcome, Ledger, LedgerUnavailable, OperationState, open_ledger

GRANTED, DONE, BUSY, IN_DOUBT, _ = ClaimOutcome
TESTS = Path(__file__).parents[2]
ROUNDS = [[f"{number}-{key}" for key in range(40)] for number in range(4)]
PATIENCE_S = 30.0


class Worker:
    """A process of ``worker.py``."""

    def __init__(self, backend: Backend, owner: str, effects: Path, run: str | None = None, dies: str = "") -> None:
        path = os.pathsep.join(filter(None, (str(TESTS), os.environ.get("PYTHONPATH"))))
        told = (str(TESTS / "guard/ledger/worker.py"), backend.url, owner, run or owner, str(effects), dies)
        self._process = subprocess.Popen(
            [sys.executable, *told],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
        )
        assert self._process.stdin
        assert self._process.stdout
        self._keys, self._outcomes = self._process.stdin, self._process.stdout

    def tell(self, keys: list[str]) -> None:
        """Give it work."""
        self._keys.write("".join(f"{key}\n" for key in keys))
        self._keys.flush()

    def hear(self) -> str:
        """One line of what it says; empty once it is dead."""
        return self._outcomes.readline().strip()

    def end(self) -> int:
        """Give it no more work; its exit code."""
        self._keys.close()
        code = self._process.wait(PATIENCE_S)
        self._outcomes.close()
        return code


@contextmanager
def workers(backend: Backend, effects: Path) -> Iterator[list[Worker]]:
    """Two processes in runs of their own, both ready."""
    both = [Worker(backend, owner, effects) for owner in ("one", "two")]
    try:
        assert [worker.hear() for worker in both] == ["ready", "ready"]
        yield both
    finally:
        codes = [worker.end() for worker in both]
    assert codes == [0, 0]


def test_two_processes_run_each_operation_once(backend: Backend, tmp_path: Path) -> None:
    """Side by side over the same keys, in several rounds, and once more over all of them."""
    effects = tmp_path / "effects"
    everything = [key for keys in ROUNDS for key in keys]
    with workers(backend, effects) as both:
        for keys in [*ROUNDS, everything]:
            for worker in both:
                worker.tell(keys)
            told = [Counter(worker.hear() for _ in keys) for worker in both]
            granted = sum(counter[GRANTED.value] for counter in told)
            assert granted == (0 if keys is everything else len(keys))
            assert sum(map(Counter.total, told)) == 2 * len(keys)
            assert {*told[0], *told[1]} <= {GRANTED.value, DONE.value, BUSY.value}
    assert sorted(effects.read_text(encoding="utf-8").split()) == sorted(everything)


def killed(backend: Backend, tmp_path: Path, dies: str) -> list[str]:
    """Have a process of the run ``r`` killed within its only operation; the side effects it had."""
    effects = tmp_path / "effects"
    effects.touch()
    worker = Worker(backend, "one", effects, "r", dies)
    worker.tell(["refund-7"])
    assert [worker.hear(), worker.hear()] == ["ready", ""]
    assert worker.end() == -signal.SIGKILL
    return effects.read_text(encoding="utf-8").split()


@pytest.mark.parametrize(("dies", "effects"), [("claimed", []), ("ran", ["refund-7"])])
def test_a_process_killed_within_an_operation_leaves_doubt(
    backend: Backend, opened: Callable[[], Ledger], clock: Clock, tmp_path: Path, dies: str, effects: list[str]
) -> None:
    """Whether its tool ran nobody can tell: it stays claimed until its lease has passed, and never runs again."""
    assert killed(backend, tmp_path, dies) == effects
    clock.now_ns = time.time_ns()
    ledger = opened()
    assert [operation.state for operation in ledger.operations()] == [OperationState.CLAIMED]
    assert ledger.claim(claim(owner="two", run="s")).outcome is BUSY
    clock.advance(LEASE_S)
    assert [ledger.claim(claim(owner=owner, run="s")).outcome for owner in ("two", "three")] == [IN_DOUBT, IN_DOUBT]


def test_a_run_that_restarts_does_not_wait_for_the_lease(
    backend: Backend, opened: Callable[[], Ledger], clock: Clock, tmp_path: Path
) -> None:
    """Its new process has another owner token, and so knows that the old one is gone."""
    killed(backend, tmp_path, "ran")
    clock.now_ns = time.time_ns()
    ledger = opened()
    assert [ledger.claim(claim(owner=owner)).outcome for owner in ("two", "two", "three")] == [IN_DOUBT] * 3
    assert ledger.resolve("refund-7", OperationState.DONE, "Mia", "it is in the bank's log")
    assert ledger.claim(claim(owner="two")).outcome is DONE


def test_a_success_whose_answer_was_lost_is_known(
    backend: Backend, opened: Callable[[], Ledger], tmp_path: Path
) -> None:
    """The process died after it completed and before anybody heard: the next one gets the stored result."""
    assert killed(backend, tmp_path, "completed") == ["refund-7"]
    answer = opened().claim(claim(owner="two"))
    assert (answer.outcome, answer.operation.result) == (DONE, '"refund-7 by one"')


def test_a_crash_of_the_server_forgets_nothing(backend: Backend, opened: Callable[[], Ledger]) -> None:
    """All is there for who opens it anew; and who had it open goes on."""
    before = opened()
    for key in ("a", "b", "c"):
        assert before.claim(claim(key)).outcome is GRANTED
    before.complete("a", "one", "12")
    before.doubt("b", "one")
    known = before.operations()
    backend.restart()
    assert opened().operations() == known
    assert before.claim(claim("a", run="s")).operation.result == "12"
    backend.restart()
    assert before.claim(claim("d")).outcome is GRANTED
    backend.restart()
    assert before.complete("d", "one")


def test_threads_run_each_operation_once(opened: Callable[[], Ledger]) -> None:
    """Some share a ledger, some have one of their own."""
    shared = opened()
    ledgers = [shared, shared, shared, opened(), opened(), opened()]
    start = Barrier(len(ledgers))

    def work(number: int) -> list[ClaimOutcome]:
        start.wait(PATIENCE_S)
        return [
            ledgers[number].claim(claim(f"k{key}", owner=f"{number}", run=f"{number}")).outcome for key in range(40)
        ]

    with ThreadPoolExecutor(len(ledgers)) as pool:
        told = list(pool.map(work, range(len(ledgers))))
    assert [Counter(outcomes) for outcomes in zip(*told, strict=True)] == [{GRANTED: 1, BUSY: len(ledgers) - 1}] * 40


def test_many_may_open_an_empty_backend_at_once(backend: Backend) -> None:
    """File, table and indexes are made once, and nobody fails over it."""
    start = Barrier(8)

    def work(number: int) -> ClaimOutcome:
        start.wait(PATIENCE_S)
        ledger = open_ledger(backend.url)
        try:
            return ledger.claim(claim(run=str(number))).outcome
        finally:
            ledger.close()

    with ThreadPoolExecutor(8) as pool:
        assert Counter(pool.map(work, range(8))) == {GRANTED: 1, BUSY: 7}


def forked(work: Callable[[], bool]) -> int:
    """Do something in a forked child; its exit code, 0 where the answer was True."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of Python 3.12 and later, where there are threads
        child = os.fork()
    if child == 0:
        code = 2
        try:
            code = 0 if work() else 1
        finally:
            os._exit(code)
    deadline = time.monotonic() + PATIENCE_S
    while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0):
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
        time.sleep(0.001)
    return os.waitstatus_to_exitcode(ended[1])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_uses_the_ledger_as_well(ledger: Ledger) -> None:
    """With a connection of its own: what parent and child do afterwards disturbs neither."""
    ledger.claim(claim("parent's"))

    def work() -> bool:
        told = [ledger.claim(claim(key, owner="child", run="s")).outcome for key in ("parent's", "child's")]
        return told == [BUSY, GRANTED] and ledger.complete("child's", "child", "12")

    assert forked(work) == 0
    assert ledger.claim(claim("child's")).operation.result == "12"
    assert ledger.complete("parent's", "one")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_fork_in_the_middle_of_a_claim_is_none(ledger: Ledger) -> None:
    """A thread claims on while its process forks: no child hangs, nothing is claimed twice or lost."""
    over = Event()
    claimed: list[ClaimOutcome] = []

    def go_on() -> None:
        while not over.wait(0.0005):
            claimed.append(ledger.claim(claim(f"parent's {len(claimed)}")).outcome)

    thread = Thread(target=go_on)
    thread.start()
    try:
        codes = [
            forked(lambda n=n: ledger.claim(claim(f"child's {n}", owner="child", run="s")).outcome is GRANTED)
            for n in range(10)
        ]
    finally:
        over.set()
        thread.join(PATIENCE_S)
    assert codes == [0] * 10
    assert set(claimed) == {GRANTED}
    assert len(ledger.operations()) == len(claimed) + 10


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_ledger_in_memory_does_not_cross_a_fork(clock: Clock) -> None:
    """The child's would be a copy, in which everything runs once more."""
    ledger = open_ledger(":memory:", clock)
    ledger.claim(claim())

    def work() -> bool:
        with pytest.raises(LedgerUnavailable, match="in memory stays in the process"):
            ledger.claim(claim("child's"))
        return True

    assert forked(work) == 0
    assert ledger.complete("refund-7", "one")
    ledger.close()
