from __future__ import annotations

import pytest
from engine.story import Line, Row, call, check, fine, loop, name, stops, times, warns

from otel_loopwatch.detectors.grading import ROUNDS
from otel_loopwatch.detectors.hand_off import NOTHING_DONE
from otel_loopwatch.model import Kind
from otel_loopwatch.outcomes import Grade

PING_PONG, CYCLE = Kind.PING_PONG, Kind.CYCLE
MANY = 14
AGENTS = "desk workshop stock truck".split()
BRIEF = "Please say which colour the lamp shall have"
BACK = "That is for the desk to decide and not for me"


def own(agents: int) -> tuple[int, Kind]:
    """Where the first agent's own run shows the repeat: in the round in which the group's cycle is completed."""
    return (warns(Kind.IDENTICAL) - 1) * agents + 1, Kind.IDENTICAL


def own_stop(agents: int) -> int:
    """Where that repeat is too much."""
    return (stops(Kind.IDENTICAL) - 1) * agents + 1


def hand(agent: str, to: str, answer: object = "handed over") -> Line:
    """One agent hands over to another."""
    return call(f"transfer_to_{to}", {"topic": "lamp"}, answer, agent=agent)


ACKS = [hand("desk", "workshop"), hand("workshop", "desk")]

LOOPS = [
    loop(
        "desk and workshop hand the same question to and fro",
        times(MANY, hand("desk", "workshop", BRIEF), hand("workshop", "desk", BACK)),
        at=own(2),
        critical=own_stop(2),
    ),
    loop(
        "hand-offs are only acknowledged",
        times(MANY, hand("desk", "workshop"), hand("workshop", "desk")),
        at=(2 * warns(PING_PONG, NOTHING_DONE), PING_PONG),
        critical=2 * stops(PING_PONG, NOTHING_DONE),
    ),
    *(
        loop(
            f"one hands over, and the other says in {language} that it is not for him",
            times(MANY, hand("desk", "workshop"), hand("workshop", "desk", answer)),
            at=(2 * warns(PING_PONG, ROUNDS[Grade.SHORT]), PING_PONG),
            critical=2 * stops(PING_PONG, ROUNDS[Grade.SHORT]),
        )
        for language, answer in (("English", "not mine"), ("Dutch", "niet voor mij"), ("Korean", "제 일이 아닙니다"))
    ),
    loop(
        "four agents pass the work on and each takes it over",
        times(MANY, [hand(AGENTS[n - 1], agent) for n, agent in enumerate(AGENTS)]),
        at=(4 * warns(CYCLE, NOTHING_DONE), CYCLE),
        critical=4 * stops(CYCLE, NOTHING_DONE),
    ),
    loop(
        "three agents hand round in a circle",
        times(MANY, hand("desk", "workshop", BRIEF), hand("workshop", "stock", BACK), hand("stock", "desk", BRIEF)),
        at=own(3),
        critical=own_stop(3),
    ),
    loop(
        "a worker looks something up before it hands back",
        times(
            MANY,
            hand("lead", "clerk", BRIEF),
            call("read_rules", {"nr": 4}, "Rule four: ask the lead before you act", agent="clerk"),
            hand("clerk", "lead", BACK),
        ),
        at=own(3),
        critical=own_stop(3),
    ),
    loop(
        "critic and writer pass one sentence",
        times(
            MANY,
            call("review", {"text": "Dear Sir"}, "Make it warmer and much shorter, please", agent="critic"),
            call("rewrite", {"text": "Dear Sir"}, "Dear Sir, as warm as it can be", agent="writer"),
        ),
        at=own(2),
        critical=own_stop(2),
    ),
    loop(
        "two agents read the same two files in turn",
        times(
            MANY,
            call("read_file", {"path": "a"}, "The alpha file has one line", agent="one"),
            call("read_file", {"path": "a"}, "The alpha file has one line", agent="two"),
        ),
        at=own(2),
        critical=own_stop(2),
    ),
]

FINE = [
    fine(
        "a lead hands out one task after the other",
        [
            [
                call("transfer_to_clerk", {"task": f"letter {n}k"}, f"Letter {n}k is on the desk", agent="lead"),
                call("transfer_to_lead", {"done": f"letter {n}k"}, f"Letter {n}k has been read", agent="clerk"),
            ]
            for n in range(MANY)
        ],
    ),
    fine("hand-overs are acknowledged a few times", times(warns(PING_PONG, NOTHING_DONE) - 1, ACKS)),
    fine(
        "three agents hand the work round once",
        times(2, [hand(AGENTS[n - 1], agent) for n, agent in enumerate(AGENTS)]),
    ),
    fine("a question goes to and fro twice", times(2, hand("desk", "workshop", BRIEF), hand("workshop", "desk", BACK))),
    fine(
        "critic and writer get closer with every draft",
        [
            [
                call("review", {"text": f"draft {n}k"}, f"Only {MANY - n} faults are left", agent="critic"),
                call("rewrite", {"text": f"draft {n}k"}, f"Draft {n + 1}k, with one fault less", agent="writer"),
            ]
            for n in range(MANY)
        ],
    ),
    fine(
        "parallel workers make the same first steps",
        [
            [
                call("read_file", {"path": "plan.md"}, "First the roof and then the walls", agent=f"worker{n}"),
                call("list_files", {"dir": "."}, "plan.md, roof.md, walls.md, door.md", agent=f"worker{n}"),
            ]
            for n in range(8)
        ],
    ),
    fine(
        "agents whose calls were not captured take turns",
        times(MANY, call("step", agent="one"), call("step", agent="two")),
    ),
    fine(
        "agents of other groups are strangers to each other",
        [
            [
                call("transfer_to_desk", {"t": "lamp"}, BACK, agent=f"shop{n}", group=f"g{n}"),
                call("transfer_to_shop", {"t": "lamp"}, BRIEF, agent=f"desk{n}", group=f"g{n}"),
            ]
            for n in range(MANY)
        ],
    ),
]

ROWS = [*LOOPS, *FINE]


@pytest.mark.parametrize("row", ROWS, ids=name)
def test_hand_off(row: Row) -> None:
    """A cycle in which several agents take part is seen although each agent's own run looks harmless."""
    check(row)


ASKED = [hand("desk", "workshop", BRIEF), hand("workshop", "desk", BACK)]

ALONE = [
    loop(
        "a question goes to and fro",
        times(MANY, ASKED),
        at=(2 * warns(PING_PONG), PING_PONG),
        critical=2 * stops(PING_PONG),
    ),
    loop(
        "a question goes round three agents",
        times(MANY, hand("desk", "workshop", BRIEF), hand("workshop", "stock", BACK), hand("stock", "desk", BRIEF)),
        at=(3 * warns(CYCLE), CYCLE),
        critical=3 * stops(CYCLE),
    ),
    fine("one agent goes round by itself", times(MANY, hand("desk", "stock", BRIEF), hand("desk", "workshop", BACK))),
    fine(
        "calls of no trace are nobody's",
        [call("transfer_to_desk", {"topic": "lamp"}, BACK, agent=agent, group=None) for agent in AGENTS[:2] * MANY],
    ),
]


@pytest.mark.parametrize("row", [*ALONE, *FINE], ids=name)
def test_hand_off_alone(row: Row) -> None:
    """What the rule makes of stories whose agents repeat themselves, too: it sees the whole round."""
    check(row, "hand_off.between_agents")
