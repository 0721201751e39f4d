"""Small stories of agents at work: the shapes of loops, and the healthy work that looks like one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Step:
    """One call the agent makes, and what the tool answers."""

    tool: str
    arguments: dict[str, object]
    result: str = ""
    error: str | None = None
    """Text of the failure; the call then has no result."""
    after_s: float = 2.0
    """Seconds after the call before it."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """What an agent is asked, what it does, and what it says in the end."""

    name: str
    about: str
    """One line: the shape."""
    question: str
    steps: tuple[Step, ...]
    answer: str
    agent: str = "support"
    healthy: bool = False
    """Good work: nothing may be signalled."""
    polling: frozenset[str] = field(default_factory=frozenset)
    """Tools the application declares as meant to be asked again."""


def _repeat(times: int, make: Callable[[int], Iterable[Step]]) -> tuple[Step, ...]:
    return tuple(step for round_number in range(times) for step in make(round_number))


ORDER = Step("read_order", {"order": "A123"}, '{"order": "A123", "item": "kettle", "delivered": "2026-05-02"}')
NO_POLICY = "No policy covers kettles. Known topics: books, clothing, software."

SUPPORT = Scenario(
    name="identical",
    about="the same question with the same answer, again and again",
    question="Can order A123 be returned?",
    steps=(ORDER, *_repeat(14, lambda n: [Step("search_policy", {"topic": "returning a kettle"}, NO_POLICY)])),
    answer="I could not find a policy for this item.",
)

_WORDINGS = (
    "return policy for kettles",
    "kettle return policy",
    "policy for the return of kettles",
    "kettles: policy of return",
    "how to return a kettle, policy",
    "return policy kettle",
    "the kettle return policy",
    "policy: kettle return",
    "kettle policy for a return",
    "return a kettle policy",
    "policy of kettle return",
    "kettles return policy",
)

DRIFT = Scenario(
    name="drift",
    about="one question in ever new words",
    question="Can order A123 be returned?",
    steps=(
        ORDER,
        Step(
            "search_policy", {"query": "order delivered late"}, "Late orders: the shipping fee is refunded on request."
        ),
        *(Step("search_policy", {"query": words}, NO_POLICY) for words in _WORDINGS),
    ),
    answer="I could not find a policy for this item.",
)

PING_PONG = Scenario(
    name="ping_pong",
    about="two calls taking turns",
    question="Which of these two reports is current?",
    agent="analyst",
    steps=_repeat(
        8,
        lambda n: [
            Step("read_report", {"id": "q1"}, "Report q1: revenue 4.1 million. For the current figures see report q2."),
            Step("read_report", {"id": "q2"}, "Report q2: superseded. For the current figures see report q1."),
        ],
    ),
    answer="Both reports refer to each other.",
)

CYCLE = Scenario(
    name="cycle",
    about="three calls going round",
    question="Who approves this expense?",
    agent="analyst",
    steps=_repeat(
        7,
        lambda n: [
            Step("ask_directory", {"role": "approver"}, "The approver is named in the expense policy, section 4."),
            Step("read_policy", {"section": 4}, "Section 4: the approver is set by the cost centre of the request."),
            Step("read_cost_centre", {"id": 771}, "Cost centre 771: for the approver ask the directory."),
        ],
    ),
    answer="I could not find out who approves it.",
)

RETRY_STORM = Scenario(
    name="retry_storm",
    about="the same failure, tried again and again",
    question="Book the meeting room for ten o'clock.",
    agent="assistant",
    steps=_repeat(
        12,
        lambda n: [Step("reserve_room", {"room": "4.01", "hour": 10}, error="HTTP 403: this calendar is read-only")],
    ),
    answer="I may not book this room.",
)

DUPLICATE_WRITE = Scenario(
    name="duplicate_write",
    about="a side effect that succeeded is executed once more",
    question="Refund order A123.",
    steps=(
        ORDER,
        *_repeat(6, lambda n: [Step("send_refund", {"order": "A123", "amount": 39}, f"Refund R{700 + n} was sent.")]),
    ),
    answer="The refund was sent.",
)

_PLACES = {
    "parcel": ("track_parcel", "Parcel A123 left the depot in Linz on 3 May. No scan since."),
    "depot": ("read_depot", "Depot Linz: parcel A123 was handed to carrier Postal on 3 May."),
    "carrier": ("read_carrier", "Carrier Postal: parcel A123 was announced by depot Linz and not yet scanned."),
    "ticket": ("read_ticket", "Ticket 88: the customer asks where parcel A123 is."),
}
_WANDERING = (
    "parcel depot carrier parcel ticket depot parcel carrier depot ticket parcel carrier parcel depot parcel".split()
)

NO_PROGRESS = Scenario(
    name="no_progress",
    about="busy with this and that, all of it known already",
    question="Where is the customer's parcel?",
    steps=tuple(Step(_PLACES[place][0], {"reference": "A123"}, _PLACES[place][1]) for place in _WANDERING),
    answer="The parcel was last seen in Linz.",
)

POLL = Scenario(
    name="poll",
    about="healthy: waiting for a job, asked once a minute",
    question="Export last month's invoices.",
    agent="assistant",
    healthy=True,
    polling=frozenset({"job_status"}),
    steps=(
        Step("start_export", {"month": "2026-04"}, '{"job": 77}'),
        *_repeat(9, lambda n: [Step("job_status", {"job": 77}, '{"state": "running"}', after_s=60.0)]),
        Step("job_status", {"job": 77}, '{"state": "done", "file": "invoices-2026-04.csv"}', after_s=60.0),
    ),
    answer="The invoices are in invoices-2026-04.csv.",
)

PAGING = Scenario(
    name="paging",
    about="healthy: page after page of one list",
    question="How many open tickets mention a refund?",
    healthy=True,
    steps=_repeat(
        12,
        lambda n: [
            Step(
                "list_tickets",
                {"state": "open", "page": n + 1},
                f'{{"tickets": [{n * 3 + 1}, {n * 3 + 2}, {n * 3 + 3}]}}',
            )
        ],
    ),
    answer="Thirty-six open tickets, four of them about a refund.",
)

_FAILURES = ("test_dates", "test_totals", "test_rounding", "test_currency", "test_empty_cart", "test_vouchers")

EDIT_TEST = Scenario(
    name="edit_test",
    about="healthy: edit, test, and one failure less each time",
    question="Make the tests pass.",
    agent="coder",
    healthy=True,
    steps=_repeat(
        len(_FAILURES),
        lambda n: [
            Step(
                "edit_file",
                {"path": "shop/cart.py", "patch": f"@@ -{n * 9 + 4} +{n * 9 + 4} @@ fix {_FAILURES[n]}"},
                "ok",
            ),
            Step("run_tests", {}, "\n".join(f"FAILED {name}" for name in _FAILURES[n + 1 :]) or "6 passed"),
        ],
    ),
    answer="All six tests pass.",
)

SCENARIOS: dict[str, Scenario] = {
    scenario.name: scenario
    for scenario in (
        SUPPORT, DRIFT, PING_PONG, CYCLE, NO_PROGRESS, RETRY_STORM, DUPLICATE_WRITE, POLL, PAGING, EDIT_TEST,
    )
}  # fmt: skip
"""All of them by name."""
