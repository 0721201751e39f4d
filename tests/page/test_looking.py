"""The page in a browser: what it shows of a gateway's runs, as they go."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from drawing.chromium import Page
from page.gateways import Gateway, eventually, gateway, run_key
from page.looking import DETAILS, own, rows, sees, state, visit

from otel_loopwatch.scenarios import CYCLE, PAGING, RETRY_STORM, SUPPORT, Step

STUCK, FINE, ROUND, DENIED = map(run_key, range(4))
BEADS = "[...document.querySelectorAll('.bead[data-call]')]"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Gateway]:
    """A gateway without runs."""
    with gateway(tmp_path) as one:
        yield one


def play_all(served: Gateway) -> None:
    """A loop, good work that has ended, a round of three calls, and failures."""
    served.agents.play(STUCK, SUPPORT.steps)
    served.agents.play(FINE, PAGING.steps, agent="clerk", service="tickets", since_s=600)
    served.agents.end(FINE)
    served.agents.play(ROUND, CYCLE.steps, agent="analyst", service="reports", since_s=1200)
    served.agents.play(DENIED, RETRY_STORM.steps, agent="assistant", service="office", since_s=2400)


def test_without_runs_the_page_says_how_they_come(browser: Page, served: Gateway) -> None:
    """The variables of an OTLP exporter, with this gateway's address."""
    visit(browser, served)
    assert sees(browser, "No run yet", f"OTEL_EXPORTER_OTLP_ENDPOINT={served.address.rstrip('/')}", within="#none")
    assert own(browser, served.address)


def test_a_loop_shows_up_while_one_looks(browser: Page, served: Gateway) -> None:
    """The run as it begins, the warning, the critical signal; those who hear the page are told of it."""
    visit(browser, served)
    served.agents.play(STUCK, SUPPORT.steps[:2])
    assert sees(browser, "support", "live", "2 calls", within="#list")
    served.agents.play(STUCK, SUPPORT.steps[2:4])
    assert sees(browser, "▲ identical warning ×3 search_policy", "4 calls", within="#list")
    served.agents.play(STUCK, SUPPORT.steps[4:])
    assert sees(browser, "■ identical critical ×5 search_policy", "15 calls, 13 wasted", within="#list")
    assert eventually(lambda: browser.value("document.title") == "(1) Loopwatch")
    assert browser.value("document.getElementById('news').textContent") == "identical loop, warning, in support"
    assert own(browser, served.address)


def test_runs_come_by_their_activity_with_counts(browser: Page, served: Gateway) -> None:
    """The newest first; each state has its count."""
    play_all(served)
    visit(browser, served)
    assert [row.split()[0] for row in rows(browser)] == ["support", "clerk", "analyst", "assistant"]
    counts = "[...document.querySelectorAll('#states button')].map(each => each.innerText)"
    assert browser.value(counts) == ["all 4", "▲ looping 3", "✖ halted 0", "● live 0", "○ ended 1"]


def test_runs_at_work_keep_their_places(browser: Page, served: Gateway) -> None:
    """Two agents who call in turn do not trade places with every call."""
    served.agents.play(STUCK, SUPPORT.steps[:1], since_s=30)
    served.agents.play(FINE, PAGING.steps[:1], agent="clerk", since_s=29.5)
    visit(browser, served)
    for n in range(2, 4):
        served.agents.play(STUCK, SUPPORT.steps[n - 1 : n])
        assert sees(browser, f"{n} calls", within="#list")
        assert [row.split()[0] for row in rows(browser)] == ["clerk", "support"]


def test_a_run_is_shown_with_its_calls_and_loops(browser: Page, served: Gateway) -> None:
    """Beads by likeness, a bracket over the loop, reason and advice; and it goes on while one looks."""
    served.agents.play(STUCK, SUPPORT.steps[:8])
    visit(browser, served, f"#run={STUCK}")
    assert sees(browser, "Advice to the model.", within="#details")
    assert browser.value(f"{BEADS}.map(bead => bead.textContent).join('.')") == ".A" * 7
    label = "Call 4: search_policy, success. A, same call and result: 6 other calls. signal: identical warning"
    assert browser.value(f"{BEADS}[3].ariaLabel") == label
    assert browser.value("document.querySelector('.bracket').ariaLabel") == "identical loop, critical, calls 2 to 8"
    said = browser.value(DETAILS)
    for expected in ("search_policy gave the same result", "critical at ×5", "has not moved on since", "nothing new"):
        assert expected in said
    served.agents.play(STUCK, SUPPORT.steps[8:])
    assert eventually(lambda: browser.value(f"{BEADS}.length") == 15)
    assert browser.value("document.querySelector('.bracket').ariaLabel") == "identical loop, critical, calls 2 to 15"
    assert own(browser, served.address)


def test_looking_at_a_bead_shows_its_call(browser: Page, served: Gateway) -> None:
    """Tool, outcome, time and digests; those that are like it stand out."""
    served.agents.play(STUCK, SUPPORT.steps[:4])
    visit(browser, served, f"#run={STUCK}")
    assert sees(browser, "4 search_policy", within="#call")
    box = browser.value(f"(({{x, y}}) => [x + 11, y + 11])({BEADS}[0].getBoundingClientRect())")
    browser.command("Input.dispatchMouseEvent", type="mouseMoved", x=box[0], y=box[1])
    assert sees(browser, "1 read_order", "success", "something new", "700 ms", within="#call")
    digests = browser.value("[...document.querySelectorAll('#call code')].map(each => each.textContent)")
    first = served.run(STUCK)["timeline"][0]
    assert digests == [first["fingerprint"], first["result"]]
    browser.command("Input.dispatchMouseEvent", type="mouseMoved", x=5, y=5)
    assert sees(browser, "4 search_policy", within="#call")
    assert browser.value("document.querySelectorAll('.bead.alike').length") == 3


def test_colour_is_the_digest_and_never_alone(browser: Page, served: Gateway) -> None:
    """The same arguments have the same colour in two runs; calls that differ have letters of their own, too."""
    lookups = [Step(f"tool_{n}", {"page": n}, f"Page {n} of the book of towns") for n in range(7)]
    served.agents.play(STUCK, [step for step in lookups for _ in range(2)])
    served.agents.play(FINE, lookups[3:4] * 2)
    visit(browser, served, f"#run={STUCK}")
    assert eventually(lambda: browser.value(f"{BEADS}.length") == 14)
    seen = f"{BEADS}.map(bead => [bead.textContent, getComputedStyle(bead).backgroundColor])"
    marks = [tuple(mark) for mark in browser.value(seen)]
    assert [letter for letter, _ in marks] == list("AABBCCDDEEFFGG")
    assert len(set(marks)) == len({colour for _, colour in marks}) == 7
    visit(browser, served, f"#run={FINE}")
    assert eventually(lambda: browser.value(f"{BEADS}.length") == 2)
    digest = served.run(FINE)["timeline"][0]["fingerprint"]
    hue = int(digest[-6:], 16) % 7
    assert browser.value(f"{BEADS}.every(bead => bead.classList.contains('hue-{hue}'))")


def test_the_outline_of_a_bead_is_the_outcome(browser: Page, served: Gateway) -> None:
    """Square where the call failed, dashed where it found nothing."""
    steps = [
        Step("look", {"n": 1}, "[]"),
        Step("look", {"n": 2}, error="HTTP 403: no"),
        Step("look", {"n": 3}, "found"),
    ]
    served.agents.play(STUCK, [*steps, *steps])
    visit(browser, served, f"#run={STUCK}")
    assert eventually(lambda: browser.value(f"{BEADS}.length") == 6)
    shapes = f"{BEADS}.slice(0, 3).map(bead => ['weak', 'failed'].filter(each => bead.classList.contains(each)).join())"
    assert browser.value(shapes) == ["weak", "failed", ""]


FILTERS = [
    ("state", "[data-state=ended]", None, ["clerk"], "#state=ended"),
    ("text", "#q", "REPO", ["analyst"], "#q=REPO"),
    ("key", "#q", DENIED[:12], ["assistant"], f"#q={DENIED[:12]}"),
    ("tool", "#tool", "list_tickets", ["clerk"], "#tool=list_tickets"),
    ("agent", "#agent", "support", ["support"], "#agent=support"),
    ("none", "#q", "nobody", [], "#q=nobody"),
]


@pytest.mark.parametrize(
    ("control", "text", "agents", "view"), [row[1:] for row in FILTERS], ids=[row[0] for row in FILTERS]
)
def test_runs_are_filtered_and_the_url_keeps_it(
    browser: Page, served: Gateway, control: str, text: str | None, agents: list[str], view: str
) -> None:
    """By state, text, tool and agent; whoever opens the URL sees the same."""
    play_all(served)
    visit(browser, served)
    if text is None:
        browser.click(f"#states {control}")
    else:
        browser.value(
            f"(control => {{ control.value = {json.dumps(text)}; control.dispatchEvent(new Event('input')); }})"
            f"(document.querySelector({json.dumps(control)}))"
        )
    assert eventually(lambda: [row.split()[0] for row in rows(browser)] == agents)
    assert browser.value("location.hash") == view
    assert browser.value("document.getElementById('shown').textContent") == f"{len(agents)} of 4 runs"
    visit(browser, served, view)
    assert eventually(lambda: [row.split()[0] for row in rows(browser)] == agents)


def test_a_filter_goes_on_as_runs_come(browser: Page, served: Gateway) -> None:
    """Also that of a tool, which the gateway answers."""
    play_all(served)
    visit(browser, served, "#tool=list_tickets")
    assert eventually(lambda: len(rows(browser)) == 1)
    served.agents.play(run_key(9), PAGING.steps, agent="late", since_s=30)
    assert eventually(lambda: len(rows(browser)) == 2)


def test_back_goes_from_the_run_to_the_list(browser: Page, served: Gateway) -> None:
    """A run that is opened is a step of the browser's history."""
    play_all(served)
    visit(browser, served)
    browser.click(".run")
    assert sees(browser, "Advice to the model.", within="#details")
    browser.value("history.back()")
    assert eventually(lambda: browser.value("document.getElementById('details').hidden"))


def test_thousands_of_runs_are_listed_and_few_are_in_the_document(browser: Page, served: Gateway) -> None:
    """More than the gateway tells at once; the last can be reached."""
    for number in range(2500):
        served.agents.play(run_key(number), PAGING.steps[:1], agent=f"agent-{number}", since_s=100.0 + number)
    visit(browser, served)
    assert sees(browser, "2,500 runs", within="#shown")
    count = "document.querySelectorAll('#list *').length"
    assert browser.value(count) < 400
    browser.value("document.getElementById('list').scrollTop = 1e9")
    assert sees(browser, "agent-2499", within="#list")
    assert browser.value(count) < 400


def test_what_is_looked_at_stays_in_place(browser: Page, served: Gateway) -> None:
    """Whatever comes above it, once one has scrolled."""
    for number in range(60):
        served.agents.play(run_key(number), PAGING.steps[:1], agent=f"agent-{number}", since_s=100.0 + number)
    visit(browser, served)
    browser.value("document.getElementById('list').scrollTop = 1120")
    browser.frame()
    place = "[...document.querySelectorAll('.run')].find(row => row.innerText.includes('agent-25 '))"
    top = browser.value(f"{place}.getBoundingClientRect().top")
    served.agents.play(run_key(99), PAGING.steps[:1], agent="newest", since_s=1)
    assert sees(browser, "61 runs", within="#shown")
    assert browser.value(f"{place}.getBoundingClientRect().top") == top


def test_a_run_that_is_not_known_is_said_so_until_it_comes(browser: Page, served: Gateway) -> None:
    """Its link may be older, or younger, than what the gateway remembers."""
    visit(browser, served, f"#run={STUCK}")
    assert sees(browser, "Unknown run", "No call of it has come in yet.", within="#details")
    served.agents.play(STUCK, SUPPORT.steps[:2])
    assert sees(browser, "2 search_policy", within="#details")


def test_a_long_run_shows_its_last_calls(browser: Page, served: Gateway) -> None:
    """With their numbers in the run, and the loop that is still among them."""
    served.agents.play(STUCK, PAGING.steps * 42 + SUPPORT.steps[1:7], since_s=7200)
    visit(browser, served, f"#run={STUCK}")
    assert sees(browser, "The last 500 calls", "510 search_policy", within="#details")
    assert browser.value(f"{BEADS}.length") == 500
    label = "[...document.querySelectorAll('.bracket.closes')].at(-1).ariaLabel"
    assert browser.value(label) == "identical loop, critical, calls 495 to 500"


HOSTILE = "<script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"
BACKWARDS = "\u202egnp.exe\u202d"


def test_hostile_names_are_only_text(browser: Page, served: Gateway) -> None:
    """Of runs, agents, services and tools, also very long ones and such that would turn the direction of writing."""
    run = f"{STUCK}/{HOSTILE}/{BACKWARDS}/halt?#"
    steps = [Step(HOSTILE + BACKWARDS + "x" * 10_000, {"a": HOSTILE}, HOSTILE)] * 6
    served.agents.play(run, steps, agent=HOSTILE, service=BACKWARDS + "y" * 10_000)
    visit(browser, served)
    assert sees(browser, HOSTILE[:60], within="#list")
    browser.click(".run")
    assert sees(browser, "Advice to the model.", HOSTILE[:60], within="#details")
    assert browser.value("document.title") == "(1) Loopwatch"
    assert browser.value("document.querySelectorAll('script, img').length") == 1
    assert browser.value("document.documentElement.scrollWidth") == 1280
    names = "[...document.querySelectorAll('#details bdi, #list bdi')]"
    assert browser.value(f"{names}.every(name => getComputedStyle(name).unicodeBidi === 'isolate')")
    assert own(browser, served.address)


def test_the_policy_holds_in_the_browser(browser: Page, served: Gateway) -> None:
    """A script that got into the page would not run, and could not tell anybody."""
    visit(browser, served)
    markup = "document.body.innerHTML = '<img src=x onerror=\"document.title = 1\">'"
    browser.value(f"(() => {{ try {{ {markup} }} catch {{ document.title = 'refused' }} }})()")
    assert browser.value("document.title") == "refused"
    assert browser.value("fetch('http://127.0.0.2:9/').then(() => 'sent', () => 'kept')") == "kept"


@pytest.mark.parametrize("width", [320, 390, 760])
def test_small_screens_show_the_list_or_the_run(browser: Page, served: Gateway, width: int) -> None:
    """One at a time, nothing wider than the screen; closing the run leads back to its row."""
    play_all(served)
    browser.size(width, 844)
    visit(browser, served)
    fits = "document.documentElement.scrollWidth"
    assert browser.value(fits) == width
    browser.click(".run")
    assert sees(browser, "Advice to the model.", within="#details")
    assert browser.value("getComputedStyle(document.getElementById('runs')).display") == "none"
    assert browser.value(f"Math.max(...{BEADS}.map(bead => bead.getBoundingClientRect().right))") <= width
    assert browser.value(fits) == width
    browser.click(".close")
    assert browser.value("document.activeElement.className") == "run"


def test_what_moves_stands_still_for_those_who_want_that(browser: Page, served: Gateway) -> None:
    """``prefers-reduced-motion`` takes the one animation away."""
    visit(browser, served)
    moving = "getComputedStyle(document.getElementById('connection'), '::before').animationName"
    browser.value("document.getElementById('connection').dataset.state = 'connecting'")
    seen = []
    for wish in ("no-preference", "reduce"):
        browser.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": wish}])
        seen.append(browser.value(moving))
    assert seen == ["waiting", "none"]


def test_the_theme_follows_the_system_and_the_button(browser: Page, served: Gateway) -> None:
    """From the system's choice to light, to dark, and back."""
    browser.scheme("dark")
    visit(browser, served)
    seen = []
    for _ in range(4):
        seen.append(browser.value("getComputedStyle(document.body).backgroundColor"))
        browser.click("#theme")
    assert seen[0] == seen[2] == seen[3] != seen[1]


WORST_CONTRAST = """(() => {
    const canvas = Object.assign(document.createElement('canvas'), {width: 1, height: 1});
    const paint = canvas.getContext('2d', {willReadFrequently: true});
    const over = (colours) => {
        paint.clearRect(0, 0, 1, 1);
        for (const colour of colours) { paint.fillStyle = colour; paint.fillRect(0, 0, 1, 1); }
        return [...paint.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const light = (rgb) => rgb.map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
        .reduce((sum, v, at) => sum + v * [.2126, .7152, .0722][at], 0);
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode()) {
        const text = walker.currentNode.textContent.trim(), of = walker.currentNode.parentElement;
        if (!text || !of.checkVisibility() || of.closest('option, noscript, .unseen')) continue;
        const grounds = [];
        for (let each = of; each; each = each.parentElement) grounds.unshift(getComputedStyle(each).backgroundColor);
        const [one, other] = [over(grounds), over([...grounds, getComputedStyle(of).color])].map(light);
        found.push([(Math.max(one, other) + .05) / (Math.min(one, other) + .05), text.slice(0, 40)]);
    }
    return found.sort(([one], [other]) => one - other)[0];
})()"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_can_be_read(browser: Page, served: Gateway, scheme: str) -> None:
    """At least 4.5 to 1 against what is behind it (WCAG 2.2, 1.4.3), on beads of every colour as well."""
    lookups = [Step(f"tool_{n}", {"page": n}, f"Page {n} of the book of towns") for n in range(9)]
    play_all(served)
    served.agents.play(STUCK, [step for step in lookups for _ in range(2)])
    browser.scheme(scheme)
    for view in ("", f"#run={STUCK}", f"#run={ROUND}&state=looping", "#q=nobody"):
        visit(browser, served, view)
        assert sees(browser, "Advice to the model." if "run" in view else "run")
        browser.value("document.querySelector('.legend').open = true")
        ratio, text = browser.value(WORST_CONTRAST)
        assert ratio >= 4.5, text


def test_the_page_goes_on_after_the_gateway_was_away(browser: Page, tmp_path: Path) -> None:
    """It says so meanwhile, and then shows what the new process knows."""
    with gateway(tmp_path) as before:
        before.agents.play(STUCK, SUPPORT.steps[:3])
        visit(browser, before)
        assert sees(browser, "3 calls", within="#list")
    assert sees(browser, "The gateway does not answer; trying again", within="#connection")
    with gateway(tmp_path, port=before.port) as after:
        after.agents.play(FINE, PAGING.steps[:2], agent="clerk")
        assert eventually(lambda: state(browser) == "live")
        assert sees(browser, "clerk", "2 calls", within="#list")
        assert [row.split()[0] for row in rows(browser)] == ["clerk"]
        after.agents.play(FINE, PAGING.steps[2:3], agent="clerk")
        assert sees(browser, "3 calls", within="#list")


def test_a_long_run_is_followed_at_its_end(browser: Page, served: Gateway) -> None:
    """Calls scroll on their own, so that what is said of them stays in sight; whoever scrolled back is left there."""
    served.agents.play(STUCK, PAGING.steps * 40, since_s=7200)
    visit(browser, served, f"#run={STUCK}")
    assert sees(browser, "480 list_tickets", within="#call")
    left = "(box => Math.round(box.scrollHeight - box.clientHeight - box.scrollTop))"
    from_end = f"{left}(document.querySelector('.timeline'))"
    assert browser.value(from_end) == 0
    assert browser.value("document.getElementById('call').getBoundingClientRect().bottom") <= 800
    served.agents.play(STUCK, PAGING.steps)
    assert sees(browser, "492 list_tickets", within="#call")
    assert browser.value(from_end) == 0
    browser.value("document.querySelector('.timeline').scrollTop = 0")
    served.agents.play(STUCK, PAGING.steps[:1])
    assert sees(browser, "493 list_tickets", within="#call")
    assert browser.value("document.querySelector('.timeline').scrollTop") == 0
