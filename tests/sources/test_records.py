from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from otel_loopwatch.sources import Broken, Records

ONE, OTHER = {"a": 1}, {"b": [2, "Ä"]}

LAYOUTS: list[tuple[str, str, list[tuple[int, Any]]]] = [
    ("lines", f"{json.dumps(ONE)}\n{json.dumps(OTHER)}\n", [(1, ONE), (2, OTHER)]),
    ("a list", json.dumps([ONE, OTHER]), [(1, ONE), (2, OTHER)]),
    ("an indented list", json.dumps([ONE, OTHER], indent=2), [(1, ONE), (2, OTHER)]),
    ("a list, one object per line", f"[\n{json.dumps(ONE)},\n{json.dumps(OTHER)}\n]\n", [(1, ONE), (2, OTHER)]),
    ("a list of one object on its line", f"[\n{json.dumps(ONE)}\n]\n", [(1, ONE)]),
    ("lists, one per line", f"{json.dumps([ONE])}\n{json.dumps([OTHER, ONE])}\n", [(1, ONE), (2, OTHER), (2, ONE)]),
    ("an indented object", json.dumps(OTHER, indent=2), [(0, OTHER)]),
    ("indented objects", json.dumps(OTHER, indent=2) + "\n" + json.dumps(ONE, indent=2), [(1, OTHER), (7, ONE)]),
]


@pytest.mark.parametrize(("layout", "expected"), [row[1:] for row in LAYOUTS], ids=[row[0] for row in LAYOUTS])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "byte order mark"])
def test_objects_are_found_in_any_layout(
    tmp_path: Path, layout: str, expected: list[tuple[int, Any]], mark: bytes
) -> None:
    """With the line they stand on, or their place in the list."""
    path = tmp_path / "file"
    path.write_bytes(mark + layout.encode())
    records = Records(path)
    assert list(records) == expected
    assert (records.count, records.broken_count) == (len(expected), 0)


@pytest.mark.parametrize(
    ("content", "read", "broken"),
    [
        (b'[{"a": 1}, 5, "x", {"a": 2}]', 2, [Broken(2, "not a JSON object"), Broken(3, "not a JSON object")]),
        (b'{"a": 1}\n{"a": \n5\n{"a": 2}\n', 2, [Broken(2, "not a JSON object"), Broken(3, "not a JSON object")]),
        (b'{\n"a": 1\n}\n{\n"a": \n', 1, [Broken(4, "not a JSON object")]),
        (b'[{"a": 1},', 0, [Broken(1, "not a JSON object")]),
        (b'{\n"a": 1' + b"0" * 5000 + b"\n}", 0, [Broken(1, "not a JSON object")]),
    ],
    ids=["within a list", "lines", "a second document that is cut", "a cut list", "a number too long"],
)
def test_what_is_no_object_is_counted(tmp_path: Path, content: bytes, read: int, broken: list[Broken]) -> None:
    """The rest is read; where it was is told."""
    path = tmp_path / "file"
    path.write_bytes(content)
    records = Records(path)
    assert len(list(records)) == read
    assert records.broken == broken
