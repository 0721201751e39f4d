"""What is known to be judged wrongly. Each row is expected to fail; one that passes belongs in a detector's table."""

from __future__ import annotations

from typing import Any

import pytest
from engine.story import Part, call, story, times, watch

MANY = 20
CORE = "policy|for electronics|in the shop|details|of the company|as a document|rules|and its exceptions|explained"
DIGEST = "9ab3c4d5" * 7 + "abcdef"


def limit(sentence: str, reason: str, *parts: Part) -> Any:
    """A story that is judged wrongly, and why."""
    return pytest.param(parts, id=sentence, marks=pytest.mark.xfail(strict=True, reason=reason))


def searches(*wordings: str) -> list[Part]:
    """A search that finds nothing, in other words each time."""
    return [call("search", {"q": wording}, "No results found.") for wording in wordings]


TEMPLATE = "words that every wording has are taken for a template"

LOOPS_THAT_ARE_MISSED = [
    limit(
        "a search whose wordings all keep the same words and add others",
        TEMPLATE,
        searches(*(f"refund {tail}" for tail in CORE.split("|"))),
    ),
    limit(
        "a search in Japanese that changes its ending",
        TEMPLATE,
        searches(
            *(
                f"返品ポリシー{tail}"
                for tail in ("", "について", "の確認", "とは", "の詳細", "を知りたい", "一覧", "の条件")
            )
        ),
    ),
    limit(
        "a search in Japanese of few letters",
        "short texts without blanks are taken for names",
        searches(*"返品の条件 返品条件 保証の期間 返品期間 期間と条件 保証条件 条件の期間 保証と返品".split()),
    ),
]

GOOD_WORK_THAT_IS_SIGNALLED = [
    limit(
        "the SHA-256 of a growing file",
        "a digest is a number that goes nowhere, though it tells that the file is another one",
        [call("sha256sum", {"path": "app.log"}, f"{n:02x}{DIGEST}  app.log") for n in range(MANY)],
    ),
    limit(
        "a queue that hands out one ticket after the other",
        "an id is no news even where it is all that a result is about",
        [
            call("next_ticket", {"queue": "desk"}, f"You have been given ticket k{n + 11}x{n + 71}bf, go on with it")
            for n in range(MANY)
        ],
    ),
    limit(
        "lines of a log are numbered with a letter",
        "a number among letters goes nowhere",
        [call("tail_log", {"lines": 1}, f"Line {n}k of the log: pump is on") for n in range(MANY)],
    ),
    limit(
        "a job that says in German that it runs is slept for",
        "between waits, a short answer in words that are not known is no poll",
        times(8, call("job_status", {"job": 4}, "läuft"), call("sleep", {"seconds": 5}, "erledigt")),
    ),
]


@pytest.mark.parametrize("parts", LOOPS_THAT_ARE_MISSED)
def test_loops_are_seen(parts: tuple[Part, ...]) -> None:
    """Some signal for a question that is asked again and again, or a write that is made again."""
    assert watch(story(*parts)) != []


@pytest.mark.parametrize("parts", GOOD_WORK_THAT_IS_SIGNALLED)
def test_good_work_is_left_alone(parts: tuple[Part, ...]) -> None:
    """Nothing is said where something moves, or nothing was undone."""
    assert watch(story(*parts)) == []
