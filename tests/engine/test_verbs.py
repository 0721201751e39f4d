from __future__ import annotations

import pytest

from otel_loopwatch import verbs


@pytest.mark.parametrize(
    ("tool", "writes", "one_shot", "notes", "harmless"),
    [
        ("write_file", True, False, False, False),
        ("editFile", True, False, False, False),
        ("FileEditor", False, False, False, False),
        ("update_row", True, False, False, False),
        ("send_payment", True, True, False, False),
        ("SendEMail", True, True, False, False),
        ("HTTPPost", True, True, False, False),
        ("create_ticket", True, True, False, False),
        ("mcp__shop__order_lamp", True, True, False, False),
        ("order_lamp.tool", True, True, False, False),
        ("get_order", False, False, False, True),
        ("list_emails", False, False, False, True),
        ("email_status", False, False, False, True),
        ("transfer_to_billing", False, False, False, True),
        ("transfer_back_to_desk", False, False, False, True),
        ("transfer_money", True, True, False, False),
        ("handoff", False, False, False, True),
        ("update_todo_list", False, False, True, True),
        ("create_note", False, False, True, True),
        ("search", False, False, False, True),
        ("weather", False, False, False, False),
        ("sandbox", False, False, False, False),
        ("postpone", False, False, False, False),
        ("", False, False, False, False),
        ("日報を送る", False, False, False, False),
    ],
)
def test_a_name_is_a_hint(tool: str, writes: bool, one_shot: bool, notes: bool, harmless: bool) -> None:
    """Whole words in any spelling; questions, hand-offs and notes win over verbs."""
    assert verbs.writes(tool) is writes
    assert verbs.one_shot(tool) is one_shot
    assert verbs.notes(tool) is notes
    assert verbs.harmless(tool) is harmless


@pytest.mark.parametrize(
    ("tool", "plain"),
    [
        ("search", "search"),
        ("mcp__web__search", "search"),
        ("mcp__my_web_server__deep_search", "deep_search"),
        ("search.tool", "search"),
        ("mcp_search", "mcp_search"),
    ],
)
def test_a_tool_has_a_plain_name(tool: str, plain: str) -> None:
    """The server in front and the framework's ending behind are no part of it."""
    assert verbs.plain_name(tool) == plain
