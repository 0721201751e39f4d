from __future__ import annotations

import pytest
from engine.story import Line, Part, Row, call, check, fails, fine, loop, name, stops, story, times, warns

from otel_loopwatch.detectors.flip_flop import MAX_TOOLS, REMEMBERED, RETURNS
from otel_loopwatch.engine import Engine
from otel_loopwatch.model import Kind

PING_PONG = Kind.PING_PONG
FIRST, LAST = warns(PING_PONG, RETURNS), stops(PING_PONG, RETURNS)
"""Edits in a row that were made before."""
MANY = 16
PLANETS = (
    "Merkur Venus Erde Mars Jupiter Saturn Uranus Neptun Ceres Pluto Haumea Makemake Eris Sedna Orcus Quaoar".split()
)


def reads(number: int) -> Line:
    """A look that tells something new each time."""
    return call("read_log", {"from": PLANETS[number]}, f"Von {PLANETS[number]} wird gutes Wetter gemeldet")


def edits(tool: str, key: str, *values: object, number: int = MANY, with_looks: bool = True) -> list[Part]:
    """One thing is given one value after the other, round and round, each time with a look at something new."""
    lines = [call(tool, {"name": key, "value": values[n % len(values)]}, "ok") for n in range(number)]
    return [[line, reads(n)] if with_looks else line for n, line in enumerate(lines)]


LOOPS = [
    *(
        loop(
            f"{tool} is told one thing and its opposite",
            edits(tool, key, *values),
            at=(2 * (len(values) + FIRST) - 1, PING_PONG),
            critical=2 * (len(values) + LAST) - 1,
        )
        for tool, key, values in (
            ("set_option", "pump", ("on", "off")),
            ("update_field", "Straße", ("Am Hafen 4", "Am Hafen 4a")),
            ("mcp__wiki__edit_page", "目次", ("一章から三章", "一章から四章")),
            ("change_limit", "speed", (40, 50, 60)),
        )
    ),
    loop(
        "a line of code is patched and patched back while tests say something else each time",
        [
            [
                call(
                    "str_replace_editor",
                    {
                        "command": "str_replace",
                        "path": "a.py",
                        "old_str": f"x = {n % 2}",
                        "new_str": f"x = {1 - n % 2}",
                    },
                    "The file a.py has been edited",
                ),
                call("run_tests", {"only": PLANETS[n]}, f"{PLANETS[n]}: still not as it should be"),
            ]
            for n in range(MANY)
        ],
        at=(2 * (2 + FIRST) - 1, PING_PONG),
        critical=2 * (2 + LAST) - 1,
    ),
]

FINE = [
    fine("an option is tried out with ever new values", edits("set_option", "speed", *range(MANY))),
    fine(
        "an option is set, set otherwise, and set back", edits("set_option", "pump", "on", "off", number=2 + FIRST - 1)
    ),
    fine(
        "one value is written to one page after the other",
        [[call("edit_page", {"name": p, "value": "Entwurf"}, "ok"), reads(n)] for n, p in enumerate(PLANETS)],
    ),
    fine(
        "two settings are in turn given the values they have",
        [[call("set_option", {"name": "ab"[n % 2], "value": f"v{n % 2}"}, "ok"), reads(n)] for n in range(MANY)],
    ),
    fine(
        "two pages are each given the text they have",
        [
            [call("edit_page", {"name": f"p{n % 2}", "text": f"text {n % 2}", "rev": n}, "ok"), reads(n)]
            for n in range(MANY)
        ],
    ),
    fine(
        "each edit comes back refused",
        [
            [
                fails("set_option", {"name": "pump", "value": n % 2}, f"{PLANETS[n]} has the floor, and says no"),
                reads(n),
            ]
            for n in range(MANY)
        ],
    ),
    fine(
        "a lamp is switched on and off whenever the user says so",
        [call("set_lamp", {"room": "hall", "on": n % 2 == 0}, "ok", user_turn=n) for n in range(MANY)],
    ),
    fine(
        "a valve is opened and closed once a minute",
        [
            [
                call("set_valve", {"name": "v4", "open": n % 2 == 0}, "ok", gap=60),
                call("read_tank", {"day": PLANETS[n]}, f"Am Tag von {PLANETS[n]} steht es anders", gap=60),
            ]
            for n in range(MANY)
        ],
    ),
    fine(
        "what is set has no name", [[call("set_mode", {"to": "ab"[n % 2]}, "ok"), reads(n)] for n in range(FIRST + 1)]
    ),
]

ROWS = [*LOOPS, *FINE]


@pytest.mark.parametrize("row", ROWS, ids=name)
def test_flip_flop(row: Row) -> None:
    """Edits that only restore what was there before are signalled, whatever is looked at in between."""
    check(row)


ALONE = [
    loop(
        "edits without a look between them",
        edits("set_option", "pump", "on", "off", with_looks=False),
        at=(2 + FIRST, PING_PONG),
        critical=2 + LAST,
    ),
    fine("one edit is made again and again", times(MANY, call("set_option", {"name": "pump", "value": "on"}, "ok"))),
    fine("what was set is asked for", edits("get_option", "pump", "on", "off")),
]


@pytest.mark.parametrize("row", ALONE, ids=name)
def test_flip_flop_alone(row: Row) -> None:
    """What the rule makes of stories that others tell sooner."""
    check(row, "flip_flop.back_and_forth")


def test_edits_remembered_are_bounded() -> None:
    """Of many tools the last ones are remembered, and of many edits, too."""
    engine = Engine()
    for item in story([edits(f"set_{planet}", "k", *range(2 * REMEMBERED)) for planet in PLANETS]):
        engine.observe(item)
    run = next(iter(engine._runs))
    assert [len(edits.past) for edits in run.edits.values()] == [REMEMBERED] * MAX_TOOLS
