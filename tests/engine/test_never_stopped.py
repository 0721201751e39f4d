"""Good work that looks like a loop for long: it may be warned about, it is never stopped."""

from __future__ import annotations

import pytest
from engine.story import Part, call, story, times, watch

from otel_loopwatch.model import Level

MANY = 20
WAITED = call("wait", {"seconds": 30}, "Waited for half a minute as requested", gap=30)

GOOD_WORK: dict[str, list[Part]] = {
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


@pytest.mark.parametrize("parts", GOOD_WORK.values(), ids=GOOD_WORK)
def test_good_work_is_not_stopped(parts: list[Part]) -> None:
    """No critical signal for work that moves, waits or acts."""
    assert [seen for seen in watch(story(parts)) if seen[2] is Level.CRITICAL] == []
