from __future__ import annotations

from typing import Any

import pytest
from engine.story import Row, call, check, fails, fine, loop, name, stops, story, times, together, warns

from otel_loopwatch.detectors.duplicate_write import MAX_WRITES
from otel_loopwatch.engine import Engine
from otel_loopwatch.model import Kind, Outcome
from otel_loopwatch.settings import Settings, Threshold, ToolPolicy

DUPLICATE = Kind.DUPLICATE_WRITE
FIRST, LAST = warns(DUPLICATE), stops(DUPLICATE)
MANY = 8
OWN = Threshold(3, 4)
PAID = "Payment is on its way to the bank"


def told(tool: str, **policy: Any) -> Settings:
    """Settings with a policy for one tool."""
    return Settings(tools=((tool, ToolPolicy(**policy)),))


LOOPS = [
    *(
        loop(
            f"{tool} succeeds again",
            times(MANY, call(tool, arguments, result)),
            at=(FIRST, DUPLICATE),
            critical=LAST,
        )
        for tool, arguments, result in (
            ("send_payment", {"to": "acme", "cents": 900}, PAID),
            ("send_email", {"to": "ann", "text": "hello"}, "sent"),
            ("createTicket", {"title": "printer"}, {"id": "T-71", "ok": True}),
            ("mcp__shop__order_lamp", {"sku": "lamp"}, "Order taken, lamp leaves tomorrow"),
            ("post_message", {"room": "harbour", "text": "hi"}, "ok"),
        )
    ),
    *(
        loop(
            f"{tool} is told to {deed}",
            times(MANY, call(tool, arguments, result)),
            at=(FIRST, DUPLICATE),
            critical=LAST,
        )
        for tool, deed, arguments, result in (
            ("execute_sql", "insert", {"sql": "insert into bills values (7, 900)"}, "INSERT 0 1"),
            ("run_query", "insert", {"sql": "insert into bills values (7, 900)"}, "INSERT 0 1"),
            ("db", "insert, in capitals", {"statement": "  INSERT INTO bills VALUES (7)"}, {"rowcount": 1}),
            ("message", "send", {"action": "send", "to": "ann", "text": "Grüße vom Hafen"}, {"ok": True}),
            ("calendar", "book", {"operation": "book", "day": "Montag"}, "Der Montag ist jetzt vergeben"),
            (
                "http_request",
                "post",
                {"method": "POST", "url": "/bills", "body": {"cents": 900}},
                {"status": "created"},
            ),
            ("stripe.api", "create a charge", {"op": "create_charge", "cents": 900}, "charge taken"),
            ("決済", "pay", {"command": "pay", "円": 900}, "支払いが完了しました"),
        )
    ),
    loop(
        "a page is published again as it stands",
        call("edit_page", {"name": "menu", "text": "soup"}, "ok"),
        times(MANY, call("publish_page", {"name": "menu"}, "The page can be read by everybody now")),
        at=(1 + FIRST, DUPLICATE),
        critical=1 + LAST,
    ),
    loop(
        "ids of what was made differ",
        [call("create_invoice", {"cents": 900}, f"Invoice number {n}k has been made out") for n in range(MANY)],
        at=(FIRST, DUPLICATE),
        critical=LAST,
    ),
    loop(
        "a refund is made again with other work in between",
        [
            [call("refund", {"order": 7}, PAID), call("open_page", {"n": f"{n}k"}, f"Page {n}k tells of knots")]
            for n in range(MANY)
        ],
        at=(2 * FIRST - 1, DUPLICATE),
        critical=2 * LAST - 1,
    ),
    loop(
        "one response sends the same letter twice",
        together(1, times(2, call("send_letter", {"to": "ann"}, "sent"))),
        at=(FIRST, DUPLICATE),
    ),
    loop(
        "keys stand in other order",
        times(
            MANY // 2,
            call("send_payment", '{"to": "acme", "cents": 900}', PAID),
            call("send_payment", '{"cents": 900, "to": "acme"}', PAID),
        ),
        at=(FIRST, DUPLICATE),
        critical=LAST,
    ),
    loop(
        "a tool is told to have a side effect",
        times(MANY, call("fire", {"rocket": 3}, "Rocket three has left the ramp")),
        at=(FIRST, DUPLICATE),
        critical=LAST,
        settings=told("fire", side_effect=True),
    ),
    loop(
        "what came back was not captured",
        times(MANY, call("send_payment", {"to": "acme", "cents": 900})),
        at=(FIRST, DUPLICATE),
    ),
    loop(
        "a tool has limits of its own",
        times(MANY, call("send_payment", {"to": "acme", "cents": 900}, PAID)),
        at=(OWN.warning, DUPLICATE),
        critical=OWN.critical,
        settings=told("send_*", thresholds={DUPLICATE: OWN}),
    ),
]

FINE = [
    fine("payments to many", [call("send_payment", {"to": f"p{n}", "cents": 900}, PAID) for n in range(MANY)]),
    fine(
        "a payment fails and is made again",
        fails("pay", {"to": "acme"}, "bank is closed"),
        call("pay", {"to": "acme"}, PAID),
    ),
    fine(
        "a payment is refused in words and made again",
        call("pay", {"to": "acme"}, "Error: insufficient funds"),
        call("pay", {"to": "acme"}, PAID),
    ),
    fine(
        "a payment is declared pending and made again",
        call("pay", {"to": "acme"}, PAID, outcome=Outcome.PENDING),
        call("pay", {"to": "acme"}, PAID),
    ),
    fine("a file is written twice", times(2, call("write_file", {"path": "a", "text": "x"}, "ok"))),
    *(
        fine(f"{tool} is told to {deed} twice", times(2, call(tool, arguments, result)))
        for tool, deed, arguments, result in (
            ("execute_sql", "select", {"sql": "select cents from bills"}, "900, 1200 and 40 cents"),
            ("execute_sql", "explain an insert", {"sql": "explain insert into bills values (7)"}, "one row, no index"),
            ("execute_sql", "set", {"sql": "update bills set cents = 900"}, "UPDATE 1"),
            ("message", "list", {"action": "list", "room": "harbour"}, "Ann says hello to Bob"),
            ("message", "wait", {"action": "wait", "to": "ann"}, "Nobody has written since"),
            ("http_request", "get", {"method": "GET", "url": "/bills"}, "Bill seven is over 900 cents"),
            ("http_request", "put", {"method": "PUT", "url": "/bills/7", "body": {"cents": 900}}, {"ok": True}),
            ("http_request", "do what no verb is", {"method": "POST it!", "url": "/bills"}, "Bill seven, 900 cents"),
            ("http_request", "do number four", {"method": 4, "url": "/bills"}, "Bill seven is over 900 cents"),
        )
    ),
    fine(
        "a page is published after every edit",
        [
            [
                call("edit_page", {"name": "menu", "text": f"{n} soups and {n} cakes"}, "ok"),
                call("publish_page", {"name": "menu"}, "The page can be read by everybody now"),
            ]
            for n in range(2)
        ],
    ),
    fine(
        "one letter to each of many",
        [call("message", {"action": "send", "to": f"p{n}", "text": "Grüße"}, "sent") for n in range(MANY)],
    ),
    fine(
        "an insert fails and is made again",
        call("execute_sql", {"sql": "insert into bills values (7)"}, "Error: table bills is locked"),
        call("execute_sql", {"sql": "insert into bills values (7)"}, "INSERT 0 1"),
    ),
    fine("mail is asked for twice", times(2, call("get_email", {"id": 4}, "Dear Ann, the lamp is here"))),
    fine(
        "work goes to billing twice", times(2, call("transfer_to_billing", {"topic": "lamp"}, "Billing takes over now"))
    ),
    fine("a note is made twice", times(2, call("create_note", {"text": "buy lamp"}, "Note has been kept for later"))),
    fine("a payment without arguments", times(2, call("pay", {}, PAID))),
    fine("payments whose arguments are unknown", times(2, call("pay", None, PAID))),
    fine(
        "a tool is told to have no side effect",
        times(2, call("post_query", {"q": "lamp"}, "Lamps are sold on the second floor")),
        settings=told("post_query", side_effect=False),
    ),
    fine("amounts differ in case only", call("pay", {"to": "ACME"}, PAID), call("pay", {"to": "acme"}, PAID)),
    fine(
        "the user asks for one more in the next turn",
        [call("order_lamp", {"sku": "lamp"}, "Order taken, lamp leaves tomorrow", user_turn=n) for n in range(MANY)],
    ),
    fine(
        "the application declares progress between",
        [call("order_lamp", {"sku": "lamp"}, "Order taken", progress_version=n) for n in range(MANY)],
    ),
    fine("arguments were cut", times(2, call("send_email", {"text": "Dear"}, "sent", truncated=True))),
]

ROWS = [*LOOPS, *FINE]


@pytest.mark.parametrize("row", ROWS, ids=name)
def test_duplicate_write(row: Row) -> None:
    """What succeeded and must not happen twice is signalled the second time; what may be repeated is not."""
    check(row)


def test_the_loop_begins_with_the_first_write() -> None:
    """The signal points at the write that was enough."""
    engine = Engine()
    page = call("open_page", {"n": 1}, "Page one tells of knots")
    calls = story(page, call("refund", {"order": 7}, PAID), page, call("refund", {"order": 7}, PAID))
    signals = [signal for item in calls for signal in engine.observe(item).signals]
    assert [(signal.kind, signal.first_span_id, signal.span_id) for signal in signals] == [(DUPLICATE, 2, 4)]


def test_writes_remembered_are_bounded() -> None:
    """The oldest write is forgotten when there are too many."""
    engine = Engine()
    for item in story([call("pay", {"to": n}, PAID) for n in range(2 * MAX_WRITES)]):
        engine.observe(item)
    assert len(next(iter(engine._runs)).writes) == MAX_WRITES
