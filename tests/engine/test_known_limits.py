"""What is known to be judged wrongly. Each row is expected to fail; one that passes belongs in a detector's table."""

from __future__ import annotations

import pytest
from engine.story import Part, call, story, times, watch

from otel_loopwatch.model import Level

MANY = 20
WAITED = call("wait", {"seconds": 30}, "Waited for half a minute as requested", gap=30)
CORE = "policy|for electronics|in the shop|details|of the company|as a document|rules|and its exceptions|explained"

GOOD_WORK_THAT_IS_STOPPED: dict[str, list[Part]] = {
    "a wait that says so between looks at a job that moves": [
        [WAITED, call("job_status", {"job": 4}, f"step {n} of {MANY} is done")] for n in range(MANY)
    ],
    "a wait that says so between looks at a job that runs": times(
        MANY, WAITED, call("job_status", {"job": 4}, "running", gap=1)
    ),
    "a poll whose answer is in no list of words": times(MANY, call("auftrag", {"nr": 4}, "läuft noch", gap=20)),
    "a button for the next page whose answer only repeats the click": times(
        MANY, call("click", {"selector": "#next"}, "Clicked the element #next on the page")
    ),
    "a tool that takes every text with the same words": [
        call("remember", {"fact": f"lamp {n % 4} of pier {n % 3}"}, "Fact accepted, now collect information")
        for n in range(MANY)
    ],
}

LOOPS_THAT_ARE_MISSED: dict[str, list[Part]] = {
    "a search whose wordings all keep the same words and add others": [
        call("search", {"q": f"refund {tail}"}, "No results found.") for tail in CORE.split("|")
    ],
    "a search in Japanese that changes its ending": [
        call("search", {"q": f"返品ポリシー{tail}"}, "No results found.")
        for tail in ("", "について", "の確認", "とは", "の詳細", "を知りたい", "一覧", "の条件")
    ],
}


@pytest.mark.xfail(strict=True, reason="the text of a wait, an echo or an unknown word counts as strong evidence")
@pytest.mark.parametrize("parts", GOOD_WORK_THAT_IS_STOPPED.values(), ids=GOOD_WORK_THAT_IS_STOPPED)
def test_good_work_is_not_stopped(parts: list[Part]) -> None:
    """No critical signal for work that moves, waits or acts."""
    assert [seen for seen in watch(story(parts)) if seen[2] is Level.CRITICAL] == []


@pytest.mark.xfail(strict=True, reason="words that every wording has are taken for a template")
@pytest.mark.parametrize("parts", LOOPS_THAT_ARE_MISSED.values(), ids=LOOPS_THAT_ARE_MISSED)
def test_loops_are_seen(parts: list[Part]) -> None:
    """Some signal for a question that is asked again and again."""
    assert watch(story(parts)) != []
