from __future__ import annotations

from collections.abc import Sequence

import pytest
from engine.story import Line, Part, Row, call, check, fails, fine, loop, name, spaced, stops, times, warns

from otel_loopwatch.detectors.grading import REPEATS, ROUNDS, more
from otel_loopwatch.detectors.in_between import NOISE
from otel_loopwatch.detectors.no_progress import AGAIN
from otel_loopwatch.model import Kind
from otel_loopwatch.outcomes import Grade
from otel_loopwatch.periods import LONGEST

IDENTICAL, PING_PONG, CYCLE = Kind.IDENTICAL, Kind.PING_PONG, Kind.CYCLE
TREES = (
    "oak ash elm yew fir box bay fig sloe pear plum lime alder beech birch cedar hazel holly larch maple rowan spruce "
    "walnut willow aspen cherry quince medlar olive almond".split()
)
MENU = call("read_menu", {"day": "today"}, "Soup of the day, and fish with potatoes")
KARTE = call("lies_karte", {"tag": "heute"}, "Tagessuppe, danach Fisch mit Kartoffeln")
MENUS = [MENU, call("read_wines", {"day": "today"}, "White wine from the lake, red wine from the hill")]
DISHES = [*MENUS, call("read_sweets", {"day": "today"}, "Plum cake, or cheese from the valley")]


def news(number: int) -> Line:
    """Something else, and new."""
    return call("visit", {"tree": TREES[number]}, f"The {TREES[number]} stands where the path turns")


def with_noise(parts: Sequence[Part], every: int, number: int) -> list[Part]:
    """The same parts round and round, with news after every so many of them."""
    lines = [parts[n % len(parts)] for n in range(number)]
    return [[line, news(n // every)] if n % every == every - 1 else line for n, line in enumerate(lines)]


def nth(count: int, every: int) -> int:
    """Number of the call that is the ``count``-th in `with_noise`."""
    return count + (count - 1) // every


ONCE_MORE, AROUND = warns(IDENTICAL, NOISE), warns(PING_PONG, NOISE)
MANY = 30

LOOPS = [
    *(
        loop(
            f"{language}: one page with news after every other look",
            with_noise([page], 2, MANY),
            at=(nth(ONCE_MORE, 2), IDENTICAL),
            critical=nth(stops(Kind.NO_PROGRESS, AGAIN[Grade.INFORMATIVE]), 2),
        )
        for language, page in (("English", MENU), ("German", KARTE))
    ),
    loop(
        "two pages take turns, with news after every other round",
        with_noise(MENUS, 4, MANY),
        at=(nth(2 * AROUND, 4), PING_PONG),
        critical=nth(2 * stops(Kind.NO_PROGRESS, AGAIN[Grade.INFORMATIVE]) - 1, 4),
    ),
    loop(
        "an empty list is read, with news after every other look",
        with_noise([call("list_guests", {"day": "today"}, [])], 2, MANY),
        at=(nth(warns(IDENTICAL, more(REPEATS[Grade.EMPTY], NOISE)), 2), IDENTICAL),
    ),
]

FINE = [
    fine("a page is looked at twice between news", with_noise([MENU], 2, ONCE_MORE - 1)),
    fine("two pages take turns twice, with news between", with_noise(MENUS, 2, 2 * AROUND - 2)),
    fine(
        "news are the greater part",
        [[MENU, news(3 * n), news(3 * n + 1), news(3 * n + 2)] for n in range(ONCE_MORE)],
    ),
    fine(
        "a key is pressed again and again, with looks between",
        with_noise([call("press_key", {"key": "down"}, "ok")], 2, 6),
    ),
    fine(
        "a page is read again after every edit",
        [[call("edit_file", {"path": "menu.md", "text": tree}, "ok"), MENU] for tree in TREES],
    ),
    fine(
        "a page is looked at once a minute, and now and then another one",
        spaced([60.0], with_noise([MENU], 2, ONCE_MORE)),
    ),
]

ROWS = [*LOOPS, *FINE]


@pytest.mark.parametrize("row", ROWS, ids=name)
def test_in_between(row: Row) -> None:
    """What goes round is signalled although something new comes between; work with a fixed point is not."""
    check(row)


ALONE = [
    loop(
        "three pages go round, with news after every round",
        with_noise(DISHES, 3, MANY),
        at=(nth(3 * warns(CYCLE, more(ROUNDS[Grade.INFORMATIVE], NOISE)), 3), CYCLE),
    ),
    fine("nothing comes between", times(MANY, MENU)),
    fine("failures are those of other rules", with_noise([fails("open", {"door": 4}, "It is nailed up")], 2, MANY)),
    fine(
        "a round that is too long",
        with_noise([call("visit", {"n": n}, f"House {n} has a door") for n in range(LONGEST + 1)], 9, MANY),
    ),
    fine("rounds are changed all the time", [[MENUS[n % 2], DISHES[2 - n % 3], news(n)] for n in range(MANY)][:6]),
    fine("every look is patient", spaced([60.0], with_noise([MENU], 2, MANY))),
]


@pytest.mark.parametrize("row", ALONE, ids=name)
def test_in_between_alone(row: Row) -> None:
    """What the rule makes of stories that others tell sooner; it never stops anybody."""
    check(row, "in_between.going_on")
