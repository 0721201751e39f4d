"""Requests as OTLP JSON lines in files."""

from __future__ import annotations

import errno
import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from otel_loopwatch.gateway.forward import Again, Refused, Taken
from otel_loopwatch.gateway.forward import files as module
from otel_loopwatch.gateway.forward.files import JsonLines
from otel_loopwatch.gateway.signal import Request, Signal


def spans(name: str) -> Request:
    """A request of one span."""
    request = ExportTraceServiceRequest()
    span = request.resource_spans.add().scope_spans.add().spans.add()
    span.name, span.trace_id, span.span_id = name, bytes(range(16)), bytes(range(8))
    return Request(Signal.TRACES, request.SerializeToString())


def names(folder: Path) -> list[str]:
    """Of the spans in the file, line by line."""
    lines = (folder / "traces.jsonl").read_text().splitlines()
    return [json.loads(line)["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["name"] for line in lines]


def test_each_request_is_a_line_in_the_file_of_its_signal(tmp_path: Path) -> None:
    """One object per line, ids in hex, for the owner alone; appended to what is there."""
    logs = ExportLogsServiceRequest()
    logs.resource_logs.add().scope_logs.add().log_records.add().body.string_value = "line\nbreak"
    for name in ("first", "second"):
        downstream = JsonLines(tmp_path / "out")
        assert downstream.send(spans(name)) == Taken()
        downstream.close()
    assert downstream.send(Request(Signal.LOGS, logs.SerializeToString())) == Taken()
    assert names(tmp_path / "out") == ["first", "second"]
    assert '"traceId":"000102030405060708090a0b0c0d0e0f"' in (tmp_path / "out" / "traces.jsonl").read_text()
    assert len((tmp_path / "out" / "logs.jsonl").read_text().splitlines()) == 1
    assert stat.S_IMODE((tmp_path / "out" / "logs.jsonl").stat().st_mode) == 0o600


def test_lines_of_several_threads_do_not_mix(tmp_path: Path) -> None:
    """However long they are."""
    downstream = JsonLines(tmp_path)
    wanted = [str(number) * 20_000 for number in range(10)]
    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(downstream.send, map(spans, wanted))) == {Taken()}
    assert sorted(names(tmp_path)) == sorted(wanted)


@pytest.mark.parametrize("torn", [b'{"resourceSpans', b"{" * 70_000])
def test_a_line_that_was_cut_off_is_removed(tmp_path: Path, torn: bytes) -> None:
    """The process died while it was written: its request comes again."""
    downstream = JsonLines(tmp_path)
    for name in ("first", "second"):
        with (tmp_path / "traces.jsonl").open("ab") as file:
            file.write(torn)
        assert downstream.send(spans(name)) == Taken()
    assert names(tmp_path) == ["first", "second"]


def test_a_full_disk_is_a_reason_to_try_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was half written is gone afterwards."""
    downstream = JsonLines(tmp_path)
    assert downstream.send(spans("first")) == Taken()
    real = os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda file, data: real(file, data[:10]))
        outcome = downstream.send(spans("second"))
    assert outcome == Again("OSError", message=str(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))))
    assert downstream.send(spans("second")) == Taken()
    assert names(tmp_path) == ["first", "second"]


def test_a_line_is_on_the_disk_before_it_counts_as_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For then the store forgets it."""

    def broken(*arguments: Any) -> None:
        raise OSError(errno.EIO, "on fire")

    monkeypatch.setattr(os, "fsync", broken)
    assert isinstance(JsonLines(tmp_path).send(spans("first")), Again)


def test_what_is_no_request_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be none the next time either; the same holds for what JSON cannot hold."""
    assert isinstance(JsonLines(tmp_path).send(Request(Signal.TRACES, b"\xff\xff")), Refused)

    def unwritable(message: object) -> bytes:
        raise ValueError("no JSON")

    monkeypatch.setattr(module.jsons, "line", unwritable)
    assert JsonLines(tmp_path).send(spans("first")) == Refused("ValueError", "no JSON")


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    """At set-up."""
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(ValueError, match=r"folder is '.*file'; it must be one that can be written: "):
        JsonLines(tmp_path / "file")
