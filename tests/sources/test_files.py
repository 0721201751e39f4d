from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from otel_loopwatch.model import ToolCall
from otel_loopwatch.sources import Broken, CallsFile, SpansFile, UnreadableFile, read
from otel_loopwatch.tracker.events import RunEnded

Write = Callable[[bytes], Path]
DOCUMENT = {"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "a"}, {"name": "b"}]}]}]}
CASE = {"id": "k", "calls": [{"tool": "weather", "args": {}}]}


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a file whose name tells nothing."""

    def written(content: bytes) -> Path:
        path = tmp_path / "file"
        path.write_bytes(content)
        return path

    return written


def line(value: Any) -> bytes:
    """One JSON line."""
    return json.dumps(value).encode() + b"\n"


@pytest.mark.parametrize(
    "content",
    [
        line(DOCUMENT),
        json.dumps(DOCUMENT, indent=2).encode(),
        b"\xef\xbb\xbf" + line(DOCUMENT),
        b"\r\n\n" + line(DOCUMENT).strip() + b"\r\n",
        line({}) + line(DOCUMENT),
    ],
    ids=["one line", "indented", "byte order mark", "empty lines", "a foreign first line"],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_spans_are_recognised_by_content(write: Write, content: bytes, pack: Callable[[bytes], bytes]) -> None:
    """Layout and packing do not matter, nor does the name."""
    file = read(write(pack(content)))
    assert isinstance(file, SpansFile)
    assert [span.name for span in file] == ["a", "b"]


def test_spans_win_over_log_records(write: Write) -> None:
    """A collector may write all signals into one file; what is not a span is counted."""
    file = read(write(line({"resourceLogs": []}) + line({"resourceMetrics": []}) + line(DOCUMENT)))
    assert isinstance(file, SpansFile)
    assert [span.name for span in file] == ["a", "b"]
    assert dict(file.records.passed) == {"log records": 1, "metrics": 1}
    assert file.records.broken_count == 0


@pytest.mark.parametrize("content", [line(CASE) * 2, json.dumps(CASE, indent=1).encode()], ids=["lines", "document"])
def test_cases_are_recognised_by_content(write: Write, content: bytes) -> None:
    """One case or one per line."""
    file = read(write(content))
    assert isinstance(file, CallsFile)
    assert {told.run for told in file if isinstance(told, ToolCall)} == {"k"}


def test_broken_lines_are_counted_and_skipped(write: Write) -> None:
    """The rest of the file is read; what was skipped is told with its line."""
    content = line(DOCUMENT) + b'{"resourceSpans": [\n[1]\n' + line({"spans": 1}) + line(DOCUMENT) + b"\xff\xfe\n"
    file = read(write(content))
    assert isinstance(file, SpansFile)
    assert len(list(file)) == 4
    assert file.records.broken_count == 4
    assert file.records.broken == [
        Broken(2, "not a JSON object"),
        Broken(3, "not a JSON object"),
        Broken(4, "not a trace document"),
        Broken(6, "not a JSON object"),
    ]


def test_broken_cases_and_calls_are_counted(write: Write) -> None:
    """A case survives the loss of a call."""
    file = read(write(line({"id": "k", "calls": [{"tool": "a"}, 5]}) + line({"no": "calls"})))
    assert isinstance(file, CallsFile)
    assert [(type(told), told.run) for told in file] == [(ToolCall, "k"), (RunEnded, "k")]
    assert file.records.broken == [Broken(1, "not a call"), Broken(2, "not a case")]


def test_a_file_is_read_anew_each_time(write: Write) -> None:
    """Counts are those of the last reading, and the whole file was read."""
    file = read(write(line(DOCUMENT) + b"{\n"))
    assert isinstance(file, SpansFile)
    assert len(list(file)) == len(list(file)) == 2
    assert file.records.broken_count == 1
    assert file.records.position == file.records.size > 0


def test_a_cut_gzip_file_gives_what_it_holds(write: Write) -> None:
    """The lines before the cut are read, the cut is counted."""
    lines = b"".join(line({**CASE, "id": str(number)}) for number in range(5000))
    file = read(write(gzip.compress(lines)[:-200]))
    assert isinstance(file, CallsFile)
    assert 0 < len(list(file)) < 2 * 5000
    assert file.records.broken_count == 1
    assert "broken gzip data" in file.records.broken[0].reason


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "the file is empty"),
        (b"\n \n", "the file is empty"),
        (b"hello", "holds neither spans nor calls; expected one of: OTLP/JSON traces, "),
        (b"[1, 2]", "holds neither spans nor calls"),
        (b"[" * 100_000, "holds neither spans nor calls"),
        (b"\x00\x01\x02", "holds neither spans nor calls"),
        (line({"data": []}), "holds neither spans nor calls"),
        (line({"resourceMetrics": []}), "holds metrics, not spans"),
        (b"\x1f\x8bnothing", "broken gzip data"),
    ],
)
def test_another_file_is_refused_in_one_line(write: Write, content: bytes, reason: str) -> None:
    """The message names the file and what was expected."""
    path = write(content)
    with pytest.raises(UnreadableFile) as refused:
        read(path)
    assert reason in str(refused.value)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(("name", "reason"), [("absent", "No such file"), (".", "Is a directory")])
def test_what_cannot_be_opened_is_refused(tmp_path: Path, name: str, reason: str) -> None:
    """A missing file and a directory are told like any other."""
    with pytest.raises(UnreadableFile, match=reason):
        read(tmp_path / name)
