"""The page that `replay --html` writes, as a file: what is in it, and what is not."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import CASES, FIRST, HOSTILE, LAST, looping, written

from otel_loopwatch.cli import main
from otel_loopwatch.cli.report.page import embedded, page


class _Elements(HTMLParser):
    """Every element with its attributes, and the text of each script."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        if self.elements and self.elements[-1][0] == "script":
            self.scripts[-1] += data


def parsed(html: str) -> _Elements:
    """The page as HTML sees it."""
    elements = _Elements()
    elements.feed(html)
    return elements


def shown(html: str) -> dict[str, Any]:
    """The data of a page."""
    data: dict[str, Any] = json.loads(parsed(html).scripts[0])
    return data


def test_the_page_names_nothing_outside_itself(tmp_path: Path) -> None:
    """No element points anywhere, and the policy allows nothing but the page's own style and script."""
    found = parsed(written(tmp_path).read_text(encoding="utf-8"))
    links = [value for _, attributes in found.elements for name, value in attributes.items() if name in ("src", "href")]
    assert links == ["data:,"]
    policy = next(attributes["content"] or "" for _, attributes in found.elements if "http-equiv" in attributes)
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert len(found.scripts) == 2


def test_runs_calls_and_loops_are_in_the_page(tmp_path: Path) -> None:
    """A loop reaches from its first call to its last wasted one, at the level it came to."""
    stuck, warned, fine = shown(written(tmp_path).read_text(encoding="utf-8"))["runs"]
    assert [(len(run["calls"]), len(run["loops"])) for run in (stuck, warned, fine)] == [
        (LAST + 2, 1),
        (FIRST + 2, 1),
        (6, 0),
    ]
    (loop,) = stuck["loops"]
    assert (loop["kind"], loop["level"], loop["first"], loop["last"]) == ("identical", "critical", 2, LAST + 2)
    assert [(signal["level"], signal["call"]) for signal in loop["signals"]] == [
        ("warning", FIRST + 1),
        ("critical", LAST + 1),
    ]
    assert [(loop["level"], loop["recovered"]) for loop in warned["loops"]] == [("warning", None)]


def test_equal_calls_have_equal_keys(tmp_path: Path) -> None:
    """Numbers within the run, by which beads are coloured; the fingerprints are those that spans carry."""
    data = shown(written(tmp_path).read_text(encoding="utf-8"))
    calls = [dict(zip(data["columns"], row, strict=False)) for row in data["runs"][0]["calls"]]
    assert len({row["call"] for row in calls}) == 2
    assert {len(row["arguments_fingerprint"]) for row in calls} == {16}


@pytest.mark.parametrize(("flags", "there"), [((), False), (("--content",), True)])
def test_values_are_in_the_page_only_if_asked_for(tmp_path: Path, flags: tuple[str, ...], there: bool) -> None:
    """Arguments and results alike."""
    html = written(tmp_path, CASES, *flags).read_text(encoding="utf-8")
    assert ("Known topics" in html) is there
    assert ("A123" in html) is there


def test_content_needs_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On its own it would do nothing."""
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps({"id": "a", "calls": looping("t", 1)}), encoding="utf-8")
    assert main(["replay", str(path), "--content"]) == 2
    assert "--content" in capsys.readouterr().err


def test_a_page_that_cannot_be_written_is_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line, exit code 2."""
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps({"id": "a", "calls": looping("t", 1)}), encoding="utf-8")
    assert main(["replay", str(path), "--html", str(tmp_path / "none" / "report.html")]) == 2
    assert "No such file" in capsys.readouterr().err


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(st.characters())
    | st.sampled_from([HOSTILE, "\u2028", "\ud800"]),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(JSON)
def test_no_value_leaves_its_script_element(value: object) -> None:
    """Whatever is embedded comes out again, and HTML sees one script of data and one of ours."""
    html = page({"value": value})
    html.encode()
    assert not re.search("[<>&\u2028\u2029]", embedded({"value": value}))
    found = parsed(html)
    assert len(found.scripts) == 2
    assert json.loads(found.scripts[0]) == {"value": value}
