"""What one gateway saves and the next one reads."""

from __future__ import annotations

import stat
from pathlib import Path

import msgspec
import pytest
from live_agent import SIGNAL

from otel_loopwatch.control.decisions import RunDecision
from otel_loopwatch.control.hook import Decision
from otel_loopwatch.gateway import state as module
from otel_loopwatch.gateway.reaction import KnownRun
from otel_loopwatch.gateway.state import State, StateFile
from otel_loopwatch.model import Action

DECISION = RunDecision(run="run", action=Action.HALT, version=7, reason="It loops.")
KNOWN = KnownRun("run", [(SIGNAL, Decision(Action.HALT, dry_run=True))], SIGNAL, 2)
STATE = State(traces=[b"one", b"two"], known=[KNOWN], decisions=[DECISION], judged={2**40: b"marks", 3: b""})


def saved(folder: Path, state: State = STATE) -> StateFile:
    """A file that was written."""
    file = StateFile(folder / "state")
    file.write(state)
    return file


def test_everything_comes_back(tmp_path: Path) -> None:
    """Whatever was there before, for the owner's eyes alone, and nothing else lies beside it."""
    saved(tmp_path, State(traces=[], known=[], decisions=[], judged={}))
    file = saved(tmp_path)
    assert file.read() == STATE
    (path,) = tmp_path.iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_was_read_is_gone(tmp_path: Path) -> None:
    """The state of the start before is none; where there is none nothing is said."""
    file = saved(tmp_path)
    file.remove()
    assert file.read() is None
    file.remove()


def test_names_that_are_no_unicode_are_left_out(tmp_path: Path) -> None:
    """The rest is saved."""
    odd = State(traces=[], known=[KnownRun("\ud800"), KNOWN], decisions=[], judged={})
    found = saved(tmp_path, odd).read()
    assert found is not None
    assert found.known == [KNOWN]


def written(data: bytes) -> bytes:
    """As the file has it."""
    return module.xxhash.xxh3_64_digest(data) + data


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "it is damaged"),
        (b"x" * 100, "it is damaged"),
        (written(b""), "truncated"),
        (written(msgspec.msgpack.encode({"version": "0.0.1"})), "it was written by version '0.0.1'"),
        (written(msgspec.msgpack.encode({"version": module.VERSION})), "missing required field"),
        (written(msgspec.msgpack.encode([1])), "Expected `object`"),
    ],
)
def test_what_is_something_else_is_ignored(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, data: bytes, why: str
) -> None:
    """In one line."""
    (tmp_path / "state").write_bytes(data)
    assert StateFile(tmp_path / "state").read() is None
    (line,) = caplog.messages
    assert why in line


@pytest.mark.parametrize("at", [0, 9, -1])
def test_a_changed_byte_is_seen(tmp_path: Path, caplog: pytest.LogCaptureFixture, at: int) -> None:
    """Wherever it is."""
    file, path = saved(tmp_path), tmp_path / "state"
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)
    assert file.read() is None
    assert "damaged" in caplog.text


def test_a_file_that_cannot_be_read_is_ignored(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """And one that cannot be written is whoever writes it to tell."""
    (tmp_path / "state").mkdir()
    file = StateFile(tmp_path / "state")
    assert file.read() is None
    assert "cannot be used" in caplog.text
    with pytest.raises(OSError, match="state"):
        file.write(STATE)
    file.remove()
