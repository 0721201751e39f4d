"""What is known to be judged wrongly. Each row is expected to fail; one that passes belongs in a detector's table."""

from __future__ import annotations

import pytest
from engine.story import Part, call, story, watch

MANY = 20
WAITED = call("wait", {"seconds": 30}, "Waited for half a minute as requested", gap=30)
CORE = "policy|for electronics|in the shop|details|of the company|as a document|rules|and its exceptions|explained"

LOOPS_THAT_ARE_MISSED: dict[str, list[Part]] = {
    "a search whose wordings all keep the same words and add others": [
        call("search", {"q": f"refund {tail}"}, "No results found.") for tail in CORE.split("|")
    ],
    "a search in Japanese that changes its ending": [
        call("search", {"q": f"返品ポリシー{tail}"}, "No results found.")
        for tail in ("", "について", "の確認", "とは", "の詳細", "を知りたい", "一覧", "の条件")
    ],
}


@pytest.mark.xfail(strict=True, reason="words that every wording has are taken for a template")
@pytest.mark.parametrize("parts", LOOPS_THAT_ARE_MISSED.values(), ids=LOOPS_THAT_ARE_MISSED)
def test_loops_are_seen(parts: list[Part]) -> None:
    """Some signal for a question that is asked again and again."""
    assert watch(story(parts)) != []
