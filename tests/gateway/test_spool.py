"""The spool on a real disk: what is left after a restart, after damage, and while the disk fails."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest
from gateway.storing import TRACES, Clock, opened, request, segments, until

from otel_loopwatch.gateway.room import MIN_BYTES
from otel_loopwatch.gateway.signal import Request, Signal
from otel_loopwatch.gateway.spool import Spool
from otel_loopwatch.gateway.spool.records import HEAD_BYTES, MARK_BYTES, encode
from otel_loopwatch.gateway.store import StoreFull


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the spool is."""
    return tmp_path / "deep" / "spool"


def test_what_is_not_done_is_there_after_a_restart(folder: Path) -> None:
    """What is done is not; positions go on rising, also where nothing was left."""
    with opened(folder) as spool:
        first, second, third = (spool.append(request(number)) for number in range(3))
        spool.done(second)
    with opened(folder) as spool:
        assert spool.pending() == [first, third]
        assert spool.read(third) == request(2)
        spool.done(third)
        spool.done(first)
    with opened(folder) as spool:
        assert spool.pending() == []
        assert spool.append(TRACES) > third


def test_a_request_is_synced_before_it_is_acknowledged(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is as long as the record at the time of the sync, and its name was synced before that."""
    synced: list[tuple[bool, int]] = []
    real = os.fsync

    def fsync(file: int) -> None:
        found = os.fstat(file)
        synced.append((stat.S_ISDIR(found.st_mode), found.st_size))
        real(file)

    monkeypatch.setattr(os, "fsync", fsync)
    with opened(folder) as spool:
        spool.append(TRACES)
    (first_is_folder, _), *_, last = synced[:2]
    assert first_is_folder
    assert last == (False, HEAD_BYTES + len(TRACES.body))


def test_one_sync_serves_all_who_wait(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight threads that append while a sync goes on need one more, not eight."""
    appending = Barrier(9)
    syncs: list[int] = []

    def fsync(file: int) -> None:
        syncs.append(file)
        if len(syncs) == 1:
            appending.wait(10)
            until(lambda: spool.size == 9 * (HEAD_BYTES + len(TRACES.body)))

    def append() -> None:
        appending.wait(10)
        spool.append(TRACES)

    with opened(folder) as spool:
        monkeypatch.setattr(os, "fsync", fsync)
        threads = [Thread(target=append) for _ in range(8)]
        for thread in threads:
            thread.start()
        spool.append(TRACES)
        for thread in threads:
            thread.join(10)
        assert len(spool.pending()) == 9
        assert len(syncs) == 2


def test_files_are_for_their_owner_alone(folder: Path) -> None:
    """They hold what users sent."""
    before = os.umask(0)
    try:
        with opened(folder) as spool:
            spool.append(TRACES)
            spool.done(spool.append(TRACES))
            modes = {path.suffix: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
            assert modes == {"": 0o600, ".requests": 0o600, ".done": 0o600}
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    finally:
        os.umask(before)


def test_two_gateways_do_not_share_a_folder(folder: Path) -> None:
    """The second one is told so at set-up; after the first it may have it."""
    with opened(folder), pytest.raises(ValueError, match=r"folder is '.*spool'; .* one gateway only"):
        Spool(folder, MIN_BYTES)
    with opened(folder) as spool:
        assert spool.pending() == []


@pytest.mark.parametrize("trouble", ["a file", "no new files"])
def test_a_folder_that_cannot_be_used_is_refused(folder: Path, trouble: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """At set-up, with the reason; and it is let go."""
    if trouble == "a file":
        folder.parent.mkdir(parents=True)
        folder.write_bytes(b"")
    else:
        real = os.open
        monkeypatch.setattr(
            os, "open", lambda path, *rest: failing() if ".requests" in str(path) else real(path, *rest)
        )
    with pytest.raises(ValueError, match=r"folder is '.*spool'; it must be one that can be written: "):
        Spool(folder, MIN_BYTES)
    monkeypatch.undo()
    folder.unlink() if trouble == "a file" else None
    with opened(folder) as spool:
        assert spool.append(TRACES)


def test_a_segment_goes_when_all_of_it_is_done(folder: Path) -> None:
    """With its ticks; one request that stays holds back its own segment only."""
    with opened(folder) as spool:
        positions = [spool.append(request(number, 3_000)) for number in range(20)]
        assert len(segments(folder)) > 3
        for position in positions[1:]:
            spool.done(position)
        first, newest = segments(folder)
        assert spool.size == first.stat().st_size + newest.stat().st_size
        spool.done(positions[0])
        assert segments(folder) == [newest]
    with opened(folder) as spool:
        assert spool.size == 0
        assert not newest.exists()
        assert not list(folder.glob("*.done"))


def test_a_full_spool_begins_anew_where_its_last_segment_is_done(folder: Path) -> None:
    """One request larger than all segments fills it, and makes room."""
    large = request(1, MIN_BYTES - HEAD_BYTES)
    with opened(folder) as spool:
        for _ in range(3):
            position = spool.append(large)
            with pytest.raises(StoreFull):
                spool.append(Request(Signal.LOGS, b""))
            spool.done(position)


@pytest.mark.parametrize("place", [0, MARK_BYTES, MARK_BYTES + 3, MARK_BYTES + 4, HEAD_BYTES - 1, HEAD_BYTES + 50])
@pytest.mark.parametrize("number", [0, 1, 2])
def test_damage_costs_the_request_it_touches_and_no_other(folder: Path, number: int, place: int) -> None:
    """Wherever in the record: its mark, its length, its signal, its checksum, its body. It is counted."""
    with opened(folder) as spool:
        positions = [spool.append(request(each)) for each in range(3)]
    flip(segments(folder)[0], number * (HEAD_BYTES + 100) + place)
    with opened(folder) as spool:
        assert spool.pending() == [each for each in positions if each != positions[number]]
        cut_off = number == 2 and place == MARK_BYTES + 3  # it looks like one that is much longer than the file
        assert spool.damaged == (0 if cut_off else 1)


def test_damage_under_way_is_found_when_the_request_is_read(folder: Path) -> None:
    """It is counted, and not read again."""
    with opened(folder) as spool:
        first, second = spool.append(request(1)), spool.append(request(2))
        flip(segments(folder)[0], HEAD_BYTES)
        for _ in range(2):
            with pytest.raises(KeyError):
                spool.read(first)
        assert (spool.damaged, spool.pending()) == (1, [second])


@pytest.mark.parametrize("length", [1, MARK_BYTES, HEAD_BYTES - 1, HEAD_BYTES, HEAD_BYTES + 5])
def test_a_record_that_was_cut_off_is_no_damage(folder: Path, length: int) -> None:
    """It was never acknowledged."""
    with opened(folder) as spool:
        position = spool.append(request(1))
    segment = segments(folder)[0]
    mark = bytes.fromhex(segment.stem.partition("-")[2])
    with segment.open("ab") as file:
        file.write(encode(mark, TRACES)[:length])
    with opened(folder) as spool:
        assert (spool.pending(), spool.damaged) == ([position], 0)


def test_a_client_cannot_send_a_record(folder: Path) -> None:
    """A body that holds what would be one in another segment is a body, also where the record around it is damaged."""
    inside = encode(b"guessed!", TRACES)
    with opened(folder) as spool:
        position = spool.append(Request(Signal.LOGS, inside))
        assert spool.read(position).body == inside
    flip(segments(folder)[0], MARK_BYTES)
    with opened(folder) as spool:
        assert spool.pending() == []


def test_a_torn_tick_brings_its_request_back_and_no_later_one(folder: Path) -> None:
    """Ticks after it are read."""
    with opened(folder) as spool:
        positions = [spool.append(request(number)) for number in range(4)]
        spool.done(positions[0])
        spool.done(positions[1])
    ticks = next(folder.glob("*.done"))
    os.truncate(ticks, ticks.stat().st_size - 3)
    with opened(folder) as spool:
        assert spool.pending() == positions[1:]
        spool.done(positions[2])
    with opened(folder) as spool:
        assert spool.pending() == [positions[1], positions[3]]


@pytest.mark.parametrize("garbage", [bytes(64), b"\xff" * 64, b"\x15\0\0\0\x15\0\0\0"])
def test_damaged_ticks_tick_nothing_off(folder: Path, garbage: bytes) -> None:
    """Zeros after a power cut above all."""
    with opened(folder) as spool:
        positions = [spool.append(request(number)) for number in range(3)]
        spool.done(positions[0])
    with next(folder.glob("*.done")).open("ab") as file:
        file.write(garbage)
    with opened(folder) as spool:
        assert spool.pending() == positions[1:]


def test_files_of_others_are_left_alone(folder: Path) -> None:
    """Whatever else lies in the folder."""
    folder.mkdir(parents=True)
    other = folder / "1-of-mine.requests"
    other.write_bytes(b"notes")
    with opened(folder) as spool:
        assert spool.pending() == []
    assert other.read_bytes() == b"notes"


@pytest.mark.parametrize("call", ["write", "short write", "fsync"])
def test_while_the_disk_fails_clients_are_told_to_try_again(
    folder: Path, call: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Told in the log once; afterwards requests are kept again, and those that were refused are not sent."""
    with opened(folder) as spool:
        before = spool.append(request(1))
        break_disk(monkeypatch, call)
        for _ in range(3):
            with pytest.raises(StoreFull):
                spool.append(request(2))
        monkeypatch.undo()
        after = spool.append(request(3))
        assert spool.pending() == [before, after]
        assert [spool.read(each) for each in spool.pending()] == [request(1), request(3)]
        assert sum("No request can be kept" in each.message for each in caplog.records) == 1
        assert spool.size == sum(each.stat().st_size for each in segments(folder))
    with opened(folder) as spool:
        assert spool.pending() == [before, after]
        assert spool.damaged == 0


def test_a_failed_sync_fails_for_all_it_was_to_serve(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second sync of the same file would succeed without having written anything."""
    both = Barrier(2)
    answers: list[Any] = []

    def fsync(file: int) -> None:
        if not answers:
            answers.append("failed")
            both.wait(10)
            until(lambda: spool.size == 2 * (HEAD_BYTES + len(TRACES.body)))
            failing()

    def append() -> None:
        both.wait(10)
        with pytest.raises(StoreFull):
            spool.append(TRACES)
        answers.append("refused")

    with opened(folder) as spool:
        monkeypatch.setattr(os, "fsync", fsync)
        thread = Thread(target=append)
        thread.start()
        with pytest.raises(StoreFull):
            spool.append(TRACES)
        thread.join(10)
        assert answers == ["failed", "refused"]
        assert spool.pending() == []


def test_ticks_and_files_that_cannot_be_written_or_removed_harm_nobody(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worst is that a request comes twice."""
    with opened(folder) as spool:
        positions = [spool.append(request(number, 3_000)) for number in range(8)]
        with monkeypatch.context() as patch:
            patch.setattr(os, "open", failing)
            patch.setattr(Path, "unlink", failing)
            for position in positions:
                spool.done(position)
        assert spool.pending() == []
    with opened(folder) as spool:
        assert spool.pending() == positions


def test_a_request_that_cannot_be_read_now_is_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when the process has too many files open."""
    with opened(folder) as spool:
        position = spool.append(TRACES)
        with monkeypatch.context() as patch:
            patch.setattr(Path, "open", failing)
            with pytest.raises(OSError, match="on fire"):
                spool.read(position)
        assert spool.read(position) == TRACES


def test_what_the_disk_cannot_give_is_lost_and_nothing_else(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Found when it is read, or at the start, which it does not prevent."""
    bad_block = 65_536
    with opened(folder, 20 * bad_block) as spool:
        positions = [spool.append(request(number, 20_000)) for number in range(6)]
        touched = positions[3]
        monkeypatch.setattr(os, "pread", refusing(bad_block, bad_block + 10_000))
        with pytest.raises(KeyError):
            spool.read(touched)
        assert [spool.read(each) for each in positions[:3]] == [request(number, 20_000) for number in range(3)]
        assert spool.pending() == [each for each in positions if each != touched]
        assert spool.damaged == 1
    next(folder.glob("*.done")).unlink()
    with opened(folder, 20 * bad_block) as spool:
        assert spool.pending() == [each for each in positions if each != touched]
        assert spool.damaged == 1


def test_a_folder_that_cannot_be_read_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not taken for one that is damaged: nothing in it is given up."""
    with opened(folder) as spool:
        position = spool.append(TRACES)
    with monkeypatch.context() as patch:
        patch.setattr(os, "pread", failing)
        with pytest.raises(ValueError, match=r"it must be one that can be written: .*on fire"):
            Spool(folder, MIN_BYTES)
    with opened(folder) as spool:
        assert spool.pending() == [position]


def test_a_segment_that_is_gone_is_missed_by_nobody(folder: Path) -> None:
    """A read that meets its end says that the request is no more."""
    with opened(folder) as spool:
        position = spool.append(TRACES)
        segments(folder)[0].unlink()
        with pytest.raises(KeyError):
            spool.read(position)
        assert spool.pending() == []


def test_ticks_of_a_segment_that_is_gone_go_too(folder: Path) -> None:
    """The process died between the two."""
    with opened(folder) as spool:
        spool.done(spool.append(TRACES))
        segments(folder)[0].unlink()
    with opened(folder):
        assert not list(folder.glob("*.done"))


def test_nothing_is_ticked_off_after_the_end(folder: Path) -> None:
    """The folder may be somebody else's by then."""
    spool = Spool(folder, MIN_BYTES)
    position = spool.append(TRACES)
    spool.close()
    spool.done(position)
    with opened(folder) as later:
        assert later.pending() == [position]


def test_a_full_spool_says_when_to_come_back(folder: Path) -> None:
    """By its own clock: so long has nothing left it."""
    clock = Clock()
    with opened(folder, clock=clock) as spool:
        clock.now += 9.5
        with pytest.raises(StoreFull) as caught:
            spool.append(request(1, MIN_BYTES))
    assert caught.value.retry_after_s == 10


def flip(path: Path, offset: int) -> None:
    """Damage one byte."""
    data = bytearray(path.read_bytes())
    data[offset] ^= 0x55
    path.write_bytes(data)


def failing(*arguments: object, **named: object) -> Any:
    """As a disk that is broken."""
    raise OSError(errno.EMFILE, "on fire")


def refusing(first: int, end: int) -> Any:
    """A disk that cannot give some bytes of a file."""
    real = os.pread

    def pread(file: int, size: int, offset: int) -> bytes:
        if offset < end and first < offset + size:
            raise OSError(errno.EIO, "no such sector")
        return real(file, size, offset)

    return pread


def break_disk(monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    """One call of the system fails from now on."""
    if call == "short write":
        real = os.write
        monkeypatch.setattr(os, "write", lambda file, data: real(file, data[: len(data) // 2]))
    else:
        monkeypatch.setattr(os, call, failing)
