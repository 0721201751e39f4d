"""What the agents of the scripted stretch have to do, apart from the scenarios of the package."""

from __future__ import annotations

from random import Random

from otel_loopwatch.scenarios import Step

ITEMS = ("book", "shirt", "lamp", "chair")
READERS = ("read_file", "grep", "list_dir", "git_log", "git_blame", "find_symbol", "open_url")


def served(random: Random) -> tuple[Step, ...]:
    """A customer's question that has an answer."""
    order, item, days = f"B{random.randrange(10**6)}", random.choice(ITEMS), random.randrange(10, 60)
    return (
        Step("read_order", {"order": order}, f'{{"order": "{order}", "item": "{item}", "paid": {days}.50}}'),
        Step("search_policy", {"topic": f"returning a {item}"}, f"A {item} can be returned within {days} days."),
        Step("send_reply", {"order": order, "text": f"{days} days"}, f"Reply to {order} was sent."),
    )


def looked_up(random: Random) -> tuple[Step, ...]:
    """What helps out of a loop: pages with something new on each."""
    pages = random.sample(range(10**6), 3)
    return tuple(
        Step("read_manual", {"page": page}, f"Page {page}: kettle model {page * 7} descales.", after_s=4.0)
        for page in pages
    )


def read(random: Random) -> tuple[Step, ...]:
    """Code read, by tools under more names than a job tells apart; one finds nothing, one is told to come again.

    What the last one answers is not captured.
    """
    parts = random.sample(range(10**6), 5)
    found = tuple(
        Step(tool, {"path": f"shop/module_{part}.py"}, f"def part_{part}(): return {part}")
        for tool, part in zip(random.sample(READERS, 5), parts, strict=True)
    )
    nothing = Step("grep", {"pattern": f"part_{parts[0] + 1}"}, "[]")
    busy = Step("open_url", {"url": f"https://shop.example/{parts[0]}"}, error="HTTP 503: try again later")
    return (*found, nothing, busy, Step("git_status", {}))


def listed(pages: int) -> tuple[Step, ...]:
    """A list, page after page."""
    return tuple(
        Step("list_tickets", {"state": "open", "page": page}, f'{{"tickets": [{page * 3}, {page * 3 + 1}]}}')
        for page in range(1, pages + 1)
    )
