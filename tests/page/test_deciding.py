"""The page in a browser: halting and resuming, tokens, and doing everything by the keyboard."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from drawing.chromium import Page
from page.gateways import Gateway, eventually, gateway, run_key
from page.looking import DETAILS, fill, focused, own, rows, sees, state, visit

from otel_loopwatch.scenarios import PAGING, SUPPORT

RUN, OTHER = run_key(0), run_key(1)
TOKEN = "a-token-for-the-tests"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Gateway]:
    """A gateway with a stuck agent and a working one."""
    with gateway(tmp_path) as one:
        play(one)
        yield one


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Gateway]:
    """The same, but that only those may change something who have the token."""
    with gateway(tmp_path, token=TOKEN) as one:
        play(one)
        yield one


def play(served: Gateway) -> None:
    """Two runs, the stuck one first in the list."""
    served.agents.play(RUN, SUPPORT.steps)
    served.agents.play(OTHER, PAGING.steps, agent="clerk", since_s=900)


def decide(browser: Page, by: str, reason: str) -> None:
    """Press the button of the run that is shown, and fill in the dialog."""
    assert sees(browser, "Began", within="#details")
    browser.click("#act")
    fill(browser, "#decide [name=by]", by)
    fill(browser, "#decide [name=reason]", reason)
    browser.click("#decide .main")


def decision_of(served: Gateway, run: str = RUN) -> tuple[str, str, str]:
    """What holds for a run, as the API says it: action, who and why."""
    held = served.run(run)["decision"] or {"action": "none"}
    return held["action"], held.get("by", ""), held.get("reason", "")


def test_halting_and_resuming_take_effect(browser: Page, served: Gateway) -> None:
    """The gateway says so, the list and the run show it, with who and why."""
    visit(browser, served, f"#run={RUN}")
    decide(browser, "Ana", "it asks the same again")
    assert sees(browser, "✖ Halted by Ana: it asks the same again", within="#details")
    assert decision_of(served) == ("halt", "Ana", "it asks the same again")
    assert sees(browser, "✖ halted by Ana", within="#list")
    assert browser.value("document.querySelector('#act').innerText") == "Resume"
    decide(browser, "Bo", "the policy is there now")
    assert sees(browser, "continue by Bo: the policy is there now", within="#decisions")
    assert decision_of(served) == ("continue", "Bo", "the policy is there now")
    assert sees(browser, "halt by Ana: it asks the same again", within="#decisions")
    assert not browser.value("document.getElementById('decide').open")
    assert own(browser, served.address)


def test_what_others_decide_is_seen(browser: Page, served: Gateway) -> None:
    """At once, in the list and in the run."""
    visit(browser, served, f"#run={RUN}")
    assert sees(browser, "Began", within="#details")
    body = json.dumps({"by": "<b>Cy</b>", "reason": "<i>enough</i>"}).encode()
    urlopen(Request(f"{served.address}v1/runs/{RUN}/halt", body, {"Content-Type": "application/json"})).close()
    assert sees(browser, "✖ Halted by <b>Cy</b>: <i>enough</i>", within="#details")
    assert sees(browser, "halted by <b>Cy</b>", within="#list")


def test_a_run_that_is_not_known_yet_can_be_halted(browser: Page, served: Gateway) -> None:
    """It is remembered until it comes."""
    unknown = run_key(7)
    visit(browser, served, f"#run={unknown}")
    assert sees(browser, "Unknown run", within="#details")
    browser.click("#act")
    fill(browser, "#decide [name=by]", "Ana")
    fill(browser, "#decide [name=reason]", "it must not begin")
    browser.click("#decide .main")
    assert sees(browser, "Halted by Ana: it must not begin", within="#details")
    served.agents.play(unknown, PAGING.steps[:1])
    assert decision_of(served, unknown)[0] == "halt"


@pytest.mark.parametrize(("by", "reason"), [("", "why"), ("Ana", "")])
def test_nobody_halts_without_a_name_and_a_reason(browser: Page, served: Gateway, by: str, reason: str) -> None:
    """The dialog stays, and nothing is sent."""
    visit(browser, served, f"#run={RUN}")
    decide(browser, by, reason)
    assert browser.value("document.getElementById('decide').open")
    assert not [address for address in browser.requests if address.endswith("/halt")]


def test_what_the_gateway_does_not_take_is_said(browser: Page, served: Gateway) -> None:
    """In its own words; what was written is not lost."""
    visit(browser, served, f"#run={RUN}")
    decide(browser, "loopwatch", "why")
    assert sees(browser, "The gateway did not take it: by is 'loopwatch'", within="#decide .trouble")
    assert browser.value("document.querySelector('#decide [name=reason]').value") == "why"
    assert decision_of(served)[0] == "none"


def test_cancel_and_escape_change_nothing(browser: Page, served: Gateway) -> None:
    """And the run stays open behind the dialog."""
    visit(browser, served, f"#run={RUN}")
    assert sees(browser, "Began", within="#details")
    browser.click("#act")
    browser.click("#decide [value=cancel]")
    browser.click("#act")
    browser.key("Escape")
    assert not browser.value("document.getElementById('decide').open || document.getElementById('details').hidden")
    assert decision_of(served)[0] == "none"


def test_a_token_is_asked_for_when_it_is_needed(browser: Page, guarded: Gateway) -> None:
    """A wrong one is asked for again; the right one is kept in the tab and nowhere else."""
    visit(browser, guarded, f"#run={RUN}")
    assert browser.value("document.getElementById('access').hidden")
    decide(browser, "Ana", "why")
    assert sees(browser, "The gateway wants a token for this.", within="#decide .trouble")
    assert browser.value("document.activeElement.name") == "token"
    browser.type("not-the-token")
    browser.click("#decide .main")
    assert sees(browser, "The gateway does not accept this token.", within="#decide .trouble")
    assert decision_of(guarded)[0] == "none"
    fill(browser, "#decide [name=token]", TOKEN)
    browser.click("#decide .main")
    assert sees(browser, "Halted by Ana: why", within="#details")
    assert browser.value("Object.values(sessionStorage).includes(" + json.dumps(TOKEN) + ")")
    assert browser.value("[localStorage.length, document.cookie]") == [0, ""]
    assert TOKEN not in "".join(browser.requests)
    decide(browser, "Ana", "once more")
    assert sees(browser, "continue by Ana: once more", within="#decisions")


def test_a_gateway_that_shows_nothing_without_a_token(browser: Page, tmp_path: Path) -> None:
    """It is asked for at once; with it runs are read, followed and halted. It can be forgotten again."""
    with gateway(tmp_path, token=TOKEN, closed=True) as closed:
        play(closed)
        browser.visit(closed.address)
        assert sees(browser, "The gateway wants a token", within="#connection")
        assert browser.value("document.getElementById('token').open")
        browser.type("not-the-token")
        browser.key("Enter")
        assert eventually(lambda: browser.value("document.getElementById('token').open"))
        fill(browser, "#token [name=token]", TOKEN)
        browser.key("Enter")
        assert eventually(lambda: state(browser) == "live")
        assert len(rows(browser)) == 2
        closed.agents.play(run_key(5), PAGING.steps[:2], agent="late", since_s=5)
        assert sees(browser, "late", within="#list")
        browser.click("#access")
        fill(browser, "#token [name=token]", "")
        browser.click("#token .main")
        assert browser.value("sessionStorage.getItem('loopwatch.token')") is None


def test_the_keyboard_is_enough(browser: Page, served: Gateway) -> None:
    """From the skip link through the list into a run, along its calls, into the dialog, and back."""
    visit(browser, served)
    browser.key("Tab")
    assert focused(browser) == "skip"
    browser.key("Enter")
    assert browser.value("document.activeElement.dataset.run") == RUN
    browser.key("ArrowDown")
    assert browser.value("document.activeElement.dataset.run") == OTHER
    browser.key("Home", "Enter")
    assert sees(browser, "15 search_policy", within="#call")
    tab_to(browser, "bead")
    browser.key("Home", "ArrowRight")
    assert sees(browser, "2 search_policy", within="#call")
    browser.key("n")
    assert sees(browser, "15 search_policy", within="#call")
    browser.value("document.getElementById('list').children[1].focus()")
    tab_to(browser, "act")
    browser.key("Enter")
    assert browser.value("document.activeElement.name") == "by"
    browser.type("Ana")
    browser.key("Tab")
    browser.type("by keyboard")
    browser.key("Enter")
    assert sees(browser, "Halted by Ana: by keyboard", within="#details")
    assert focused(browser) == "act"
    browser.key("Escape")
    assert browser.value("document.activeElement.dataset.run") == RUN
    assert browser.value("document.getElementById('details').hidden")
    browser.key("/")
    assert focused(browser) == "q"


def tab_to(browser: Page, name: str) -> None:
    """Press Tab until it has the keyboard; what has it on the way can be seen to."""
    for _ in range(12):
        if name in focused(browser).split():
            return
        browser.key("Tab")
        assert browser.value("getComputedStyle(document.activeElement).outlineStyle") != "none", focused(browser)
    raise AssertionError(f"{name} is not reached: {focused(browser)}")


def test_the_keyboard_stays_where_it_is_while_runs_go_on(browser: Page, served: Gateway) -> None:
    """On a row that moves, and on a bead that is drawn anew."""
    served.agents.play(run_key(2), PAGING.steps[:2], agent="quiet", since_s=500)
    visit(browser, served)
    browser.value("document.getElementById('skip').click()")
    browser.key("ArrowDown", "ArrowDown")
    served.agents.play(OTHER, [replace(PAGING.steps[11], after_s=870)], agent="clerk")
    for n in range(3):
        served.agents.play(run_key(20 + n), PAGING.steps[:2], agent=f"new-{n}", since_s=3.0 - n)
    assert eventually(lambda: len(rows(browser)) == 6)
    assert [row.split()[0] for row in rows(browser)][3:] == ["support", "clerk", "quiet"]
    assert browser.value("document.activeElement.dataset.run") == OTHER
    browser.key("Enter")
    assert sees(browser, "13 list_tickets", within="#call")
    tab_to(browser, "bead")
    browser.key("ArrowLeft")
    served.agents.play(OTHER, SUPPORT.steps[:1], agent="clerk")
    assert eventually(lambda: browser.value("document.querySelectorAll('.bead[data-call]').length") == 14)
    assert browser.value("document.activeElement.dataset.call") == "11"
    assert "12 list_tickets" in browser.value(DETAILS)


def test_lines_of_beads_are_gone_through_up_and_down(browser: Page, served: Gateway) -> None:
    """To the call that lies nearest; past the ends nothing moves."""
    served.agents.play(OTHER, PAGING.steps * 4, agent="clerk")
    visit(browser, served, f"#run={OTHER}")
    assert sees(browser, "60 list_tickets", within="#call")
    browser.value("document.querySelector('.timeline [tabindex=\"0\"]').focus()")
    place = "(box => [box.left, box.top])(document.activeElement.getBoundingClientRect())"
    left, top = browser.value(place)
    browser.key("ArrowUp")
    assert abs(browser.value(place)[0] - left) < 20
    assert browser.value(place)[1] < top
    browser.key("ArrowDown", "ArrowDown", "End", "ArrowRight", "n", "p")
    assert browser.value(place) == [left, top]
