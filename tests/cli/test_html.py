"""`replay --html`: one page that shows the runs, by itself, whatever the runs contain."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from chromium import EXECUTABLE, Page, chromium
from hypothesis import given
from hypothesis import strategies as st

from otel_loopwatch.cli import main
from otel_loopwatch.cli.report.page import embedded, page
from otel_loopwatch.model import Kind
from otel_loopwatch.settings import THRESHOLDS

FIRST, LAST = THRESHOLDS[Kind.IDENTICAL].warning, THRESHOLDS[Kind.IDENTICAL].critical
REFUSAL = "No policy covers kettles. Known topics: books, clothing, software."
HOSTILE = "</script><script>document.title='taken'</script><!--<script>"
in_browser = pytest.mark.skipif(EXECUTABLE is None, reason="no Chromium on the path (Debian: apt install chromium)")


def call(tool: str, result: object, **more: object) -> dict[str, object]:
    """A call of a case, asking about kettles."""
    return {"tool": tool, "args": {"topic": "kettles"}, "result": result, **more}


def looping(tool: str, times: int) -> list[dict[str, object]]:
    """One look at the order, then the same question again and again."""
    order = call("read_order", "Order A123: one kettle, delivered in May", args={"order": "A123"})
    return [each | {"at_ms": 2000 * n} for n, each in enumerate([order, *[call(tool, REFUSAL)] * times])]


def working(times: int) -> list[dict[str, object]]:
    """Pages that all differ."""
    return [
        call("read_page", f"Page {n}: chapter {n} of the book of towns", args={"page": n}, at_ms=60_000 * n)
        for n in range(times)
    ]


CASES = {"stuck": looping("search_policy", LAST + 1), "warned": looping("lookup", FIRST + 1), "fine": working(6)}


def written(tmp_path: Path, cases: dict[str, list[dict[str, object]]] = CASES, *flags: str) -> Path:
    """The page of some cases."""
    source, target = tmp_path / "cases.jsonl", tmp_path / "report.html"
    lines = (json.dumps({"id": name, "calls": calls}) for name, calls in cases.items())
    source.write_text("\n".join(lines), encoding="utf-8")
    assert main(["replay", str(source), "--html", str(target), *flags]) == 0
    return target


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


@pytest.fixture(scope="module")
def browser() -> Iterator[Page]:
    """One browser for all tests of this file."""
    with chromium() as page:
        page.size(1000, 700)
        yield page


def quiet(browser: Page, path: Path) -> bool:
    """Nothing was complained of, and nothing asked for but the page."""
    return (browser.complaints, browser.requests) == ([], [path.as_uri()])


def runs_shown(browser: Page) -> list[str]:
    """Names of the runs in their order."""
    names: list[str] = browser.value("[...document.querySelectorAll('.run h2')].map(each => each.textContent)")
    return names


@in_browser
def test_a_click_on_a_call_shows_its_details(browser: Page, tmp_path: Path) -> None:
    """Tool, outcome, fingerprints, reason and advice, without a request or a complaint."""
    path = written(tmp_path)
    browser.open(path)
    assert browser.value("document.getElementById('details').hidden")
    browser.click(f'.run [data-call="{FIRST}"]')
    details = browser.value("document.getElementById('details').innerText")
    for expected in (
        f"Call {FIRST + 1} of {LAST + 2}",
        "search_policy",
        "success",
        "identical warning",
        "times in a row",
        "Advice",
    ):
        assert expected in details
    assert quiet(browser, path)


@in_browser
def test_a_click_on_a_bracket_shows_the_loop(browser: Page, tmp_path: Path) -> None:
    """From where to where, and both of its signals."""
    browser.open(written(tmp_path))
    browser.click(".bracket")
    details = browser.value("document.getElementById('details').innerText")
    for expected in (
        "identical loop",
        "call 2",
        f"call {LAST + 2}",
        f"warning at call {FIRST + 1}",
        f"critical at call {LAST + 1}",
    ):
        assert expected in details


@in_browser
def test_equal_calls_look_equal_and_others_do_not(browser: Page, tmp_path: Path) -> None:
    """By colour and by letter; every bead has a name."""
    browser.open(written(tmp_path))
    row = "[...document.querySelector('.run').querySelectorAll('.bead')]"
    assert browser.value(f"{row}.map(bead => bead.textContent).join('')") == "A" * (LAST + 1)
    assert len(browser.value(f"[...new Set({row}.map(bead => getComputedStyle(bead).backgroundColor))]")) == 2
    label = f"Call 3 of {LAST + 2}: search_policy, success. A, same call and result: {LAST} other calls"
    assert browser.value(f"{row}[2].ariaLabel") == label


FILTERS = [
    ("the level", "level", "critical", ["stuck"]),
    ("no loop", "level", "none", ["fine"]),
    ("a tool", "tool", "lookup", ["warned"]),
    ("the order of the file", "order", "read", ["stuck", "warned", "fine"]),
    ("the longest first", "order", "longest", ["stuck", "fine", "warned"]),
    ("a name", "search", "FIN", ["fine"]),
]


@in_browser
@pytest.mark.parametrize(("control", "wanted", "runs"), [row[1:] for row in FILTERS], ids=[row[0] for row in FILTERS])
def test_runs_are_filtered_and_ordered(
    browser: Page, tmp_path: Path, control: str, wanted: str, runs: list[str]
) -> None:
    """By level, tool, order and name."""
    browser.open(written(tmp_path))
    browser.value(f"""(() => {{
        const control = document.getElementById({control!r});
        const option = [...control.options ?? []].find(each => each.value === {wanted!r} || each.text === {wanted!r});
        control.value = option ? option.value : {wanted!r};
        control.dispatchEvent(new Event(option ? "change" : "input"));
        return new Promise(done => setTimeout(done, 150));
    }})()""")
    assert runs_shown(browser) == runs


@in_browser
def test_runs_are_filtered_by_kind(browser: Page, tmp_path: Path) -> None:
    """A second click takes the filter away."""
    mixed = CASES | {"pages": [each for _ in range(6) for each in working(2)]}
    browser.open(written(tmp_path, mixed))
    button = "#kinds button:nth-child(2)"
    assert browser.value(f"document.querySelector({button!r}).innerText").startswith("ping_pong")
    browser.click(button)
    assert runs_shown(browser) == ["pages"]
    assert browser.value("document.getElementById('shown').textContent") == "1 of 4 runs"
    browser.click(button)
    assert len(runs_shown(browser)) == 4


@in_browser
def test_the_keyboard_is_enough(browser: Page, tmp_path: Path) -> None:
    """Tab into the list, arrows to a call, Enter for its details, n for the next loop, Escape, / for the search."""
    browser.open(written(tmp_path))
    browser.value("document.querySelector('.legend summary').focus()")
    browser.key("Tab", "ArrowRight", "ArrowRight", "ArrowRight", "Enter")
    details = "document.getElementById('details').innerText"
    assert browser.value(details).startswith(f"Call 4 of {LAST + 2}")
    browser.key("ArrowDown")
    assert browser.value(details).startswith(f"Call 4 of {FIRST + 2}\n×\n\nwarned")
    browser.key("p")
    assert browser.value(details).startswith("identical loop\n×\n\nstuck")
    browser.key("Escape")
    assert browser.value("document.getElementById('details').hidden")
    assert browser.value("document.activeElement.className") == "bead filled hue-0"
    browser.key("/")
    assert browser.value("document.activeElement.id") == "search"


@in_browser
def test_light_and_dark_follow_the_system_and_the_button(browser: Page, tmp_path: Path) -> None:
    """The button goes from the system's choice to light, to dark, and back."""
    browser.scheme("dark")
    browser.open(written(tmp_path))
    seen = []
    for _ in range(4):
        seen.append(browser.value("getComputedStyle(document.body).backgroundColor"))
        browser.click("#theme")
    assert seen[0] == seen[2] == seen[3] != seen[1]


@in_browser
def test_hostile_values_are_only_shown(browser: Page, tmp_path: Path) -> None:
    """As names of runs, tools and agents, and as content."""
    calls = [call(HOSTILE, HOSTILE, args={HOSTILE: HOSTILE}, agent=HOSTILE, at_ms=10**17 * n) for n in range(4)]
    path = written(tmp_path, {HOSTILE: calls}, "--content")
    browser.open(path)
    browser.click(".run .bead")
    assert browser.value("document.title") == "Loopwatch report"
    assert runs_shown(browser) == [HOSTILE]
    assert HOSTILE in browser.value("document.getElementById('details').innerText")
    assert quiet(browser, path)


@in_browser
def test_only_what_can_be_seen_is_in_the_document(browser: Page, tmp_path: Path) -> None:
    """A thousand runs and a very long one take no more elements than a few; the end can be scrolled to."""
    cases = {f"run-{number}": working(3) for number in range(1000)} | {"long": working(3000)}
    browser.open(written(tmp_path, cases))
    count = "document.querySelectorAll('#list *').length"
    assert browser.value(count) < 300
    browser.value("document.getElementById('list').scrollTop = 1e9")
    browser.frame()
    assert "long" in runs_shown(browser)
    assert browser.value(count) < 1500
    assert "Call 3000 of 3000" in browser.value("[...document.querySelectorAll('.bead')].at(-1).ariaLabel")


@in_browser
@pytest.mark.parametrize("width", [320, 390, 700])
def test_nothing_sticks_out_of_a_small_window(browser: Page, tmp_path: Path, width: int) -> None:
    """The page is as wide as the window, with details shown as well."""
    browser.size(width, 600)
    try:
        browser.open(written(tmp_path))
        browser.click(".run .bead")
        assert browser.value("document.documentElement.scrollWidth") == width
        beads = "[...document.querySelectorAll('.bead')].map(bead => bead.getBoundingClientRect().right)"
        assert max(browser.value(beads)) <= width
    finally:
        browser.size(1000, 700)


@in_browser
def test_a_file_without_calls_makes_an_empty_page(browser: Page, tmp_path: Path) -> None:
    """Zero runs, and no complaint."""
    path = written(tmp_path, {"nothing": []})
    browser.open(path)
    browser.key("ArrowRight", "n")
    assert browser.value("document.getElementById('shown').textContent") == "0 runs"
    assert quiet(browser, path)
