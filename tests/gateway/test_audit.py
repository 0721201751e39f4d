"""The audit log: on disk before anything happens, and read again after whatever happened to the process."""

from __future__ import annotations

import errno
import json
import logging
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from gateway.boards import NOW, RUN

from otel_loopwatch.control.decisions import RunDecision
from otel_loopwatch.gateway.audit import AuditLog, Unaudited
from otel_loopwatch.gateway.board import Board
from otel_loopwatch.gateway.orders import MAX_BY, MAX_KEY, MAX_REASON, Orders
from otel_loopwatch.model import Action

DECISION = RunDecision(run=RUN, action=Action.HALT, version=7, at_ns=NOW, by="Ana", reason="Enough.")


def ordering(path: Path) -> tuple[Board, Orders]:
    """A board as it is after a start of the gateway."""
    board = Board(clock=lambda: NOW)
    return board, Orders(board, AuditLog(path), clock=lambda: NOW)


def test_a_halted_run_stays_halted_over_a_restart(tmp_path: Path) -> None:
    """And a resumed one resumed."""
    board, orders = ordering(tmp_path / "audit.jsonl")
    orders.halt("a", "Ana", "Stop.")
    orders.halt("b", "Ana", "Stop.")
    resumed = orders.resume("b", "Ben", "Repaired.")
    again, _ = ordering(tmp_path / "audit.jsonl")
    assert (again.decision("a").halts, again.decision("b").halts) == (True, False)
    assert again.decision("b") == resumed == board.decision("b")


def test_a_record_says_who_did_what_when_and_from_where(tmp_path: Path) -> None:
    """One JSON object per line, for its owner alone; a file that was there is closed to others, too."""
    path = tmp_path / "audit.jsonl"
    path.touch(0o644)
    AuditLog(path).write(DECISION, "192.0.2.7")
    record = json.loads(path.read_text())
    assert record == {
        "time": "2026-05-28T20:26:40.000+00:00",
        "remote": "192.0.2.7",
        "decision": {
            "run": RUN, "action": "halt", "version": 7, "at_ns": NOW, "by": "Ana", "reason": "Enough.",
        },
    }  # fmt: skip
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("torn", [b'{"time":"2026', b"\xff\xfe", b"null\n", b"\n"], ids=str)
def test_a_torn_line_costs_no_other(tmp_path: Path, torn: bytes, caplog: pytest.LogCaptureFixture) -> None:
    """It is said which one it is, and the next record begins a line of its own."""
    path = tmp_path / "audit.jsonl"
    first = AuditLog(path)
    first.write(DECISION, "")
    first.close()
    with path.open("ab") as file:
        file.write(torn)
    second = AuditLog(path)
    second.write(DECISION, "later")
    with caplog.at_level(logging.WARNING):
        assert [record.remote for record in second.records()] == ["", "later"]
    assert "Line 2 of the audit log" in caplog.text


def full(*_: object) -> int:
    """A disk without room."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def half(write: Callable[[int, bytes], int]) -> Callable[[int, bytes], int]:
    """A disk with room for a part."""
    return lambda file, data: write(file, data[: len(data) // 2])


FAILURES = {"write": full, "fsync": full, "half": half(os.write)}


@pytest.mark.parametrize("failing", FAILURES)
def test_what_cannot_be_written_does_not_take_effect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    """Nor is it read as if it had, after a restart."""
    path = tmp_path / "audit.jsonl"
    board, orders = ordering(path)
    with monkeypatch.context() as patch:
        patch.setattr(os, failing.replace("half", "write"), FAILURES[failing])
        with pytest.raises(Unaudited, match="No space left on device"):
            orders.halt(RUN, "Ana", "Stop.")
    assert not board.decision(RUN).halts
    assert path.read_bytes() == b""
    orders.halt(RUN, "Ana", "Stop.")
    assert ordering(path)[0].decision(RUN).halts


def test_a_record_that_cannot_be_taken_back_is_torn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is said so, and the order is refused all the same."""
    log = AuditLog(tmp_path / "audit.jsonl")
    monkeypatch.setattr(os, "write", half(os.write))
    monkeypatch.setattr(os, "ftruncate", full)
    with pytest.raises(Unaudited):
        log.write(DECISION, "")
    assert "stays in the audit log" in caplog.text


def test_a_path_that_will_not_do_is_refused_at_set_up(tmp_path: Path) -> None:
    """A folder, a link, a pipe, nowhere."""
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "link", tmp_path / "pipe", tmp_path / "no" / "file"):
        with pytest.raises(ValueError, match=r"audit is .*; it must be a file of ours to write"):
            AuditLog(path)
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(
    ("order", "says"),
    [
        ({"reason": " "}, "reason is empty"),
        ({"by": ""}, "by is ''"),
        ({"by": "a\nb"}, "by is 'a\\\\nb'"),
        ({"by": "Loopwatch"}, "by is 'Loopwatch'; it must name a person"),
        ({"by": "x" * (MAX_BY + 1)}, f"by has {MAX_BY + 1} characters"),
        ({"reason": "x" * (MAX_REASON + 1)}, f"reason has {MAX_REASON + 1} characters"),
        ({"run": "x" * (MAX_KEY + 1)}, f"run has {MAX_KEY + 1} characters"),
        ({"run": ""}, "run is ''"),
    ],
    ids=str,
)
def test_an_order_that_says_too_little_or_too_much_is_refused(tmp_path: Path, order: dict[str, str], says: str) -> None:
    """In one line that names the field; nothing is written."""
    _, orders = ordering(tmp_path / "audit.jsonl")
    with pytest.raises(ValueError, match=says):
        orders.halt(**{"run": RUN, "by": "Ana", "reason": "Stop.", **order})
    assert (tmp_path / "audit.jsonl").read_bytes() == b""
