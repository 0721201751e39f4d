"""The page that `replay --html` writes, in a browser: what it shows, and how it is used."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from drawing.chromium import EXECUTABLE, Page, chromium
from pages import CASES, FIRST, HOSTILE, LAST, call, working, written

pytestmark = pytest.mark.skipif(EXECUTABLE is None, reason="no Chromium on the path (Debian: apt install chromium)")


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


def test_light_and_dark_follow_the_system_and_the_button(browser: Page, tmp_path: Path) -> None:
    """The button goes from the system's choice to light, to dark, and back."""
    browser.scheme("dark")
    browser.open(written(tmp_path))
    seen = []
    for _ in range(4):
        seen.append(browser.value("getComputedStyle(document.body).backgroundColor"))
        browser.click("#theme")
    assert seen[0] == seen[2] == seen[3] != seen[1]


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


def test_a_file_without_calls_makes_an_empty_page(browser: Page, tmp_path: Path) -> None:
    """Zero runs, and no complaint."""
    path = written(tmp_path, {"nothing": []})
    browser.open(path)
    browser.key("ArrowRight", "n")
    assert browser.value("document.getElementById('shown').textContent") == "0 runs"
    assert quiet(browser, path)
