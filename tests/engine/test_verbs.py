from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
        ("web.search", "search"),
        ("web/v1/search", "search"),
        ("web:search", "search"),
        ("functions.search", "search"),
        ("mcp__web__search.tool", "search"),
        ("search.", "search."),
        ("", ""),
        ("mcp_search", "mcp_search"),
    ],
)
def test_a_tool_has_a_plain_name(tool: str, plain: str) -> None:
    """The server in front and the framework's ending behind are no part of it."""
    assert verbs.plain_name(tool) == plain


@pytest.mark.parametrize(
    ("tool", "space"),
    [
        ("search", ""),
        ("mcp__web__search", "web"),
        ("Web.search", "web"),
        ("web/v1/search", "web/v1"),
        ("functions.search", ""),
        ("search.tool", ""),
    ],
)
def test_a_tool_may_have_a_server(tool: str, space: str) -> None:
    """What every tool of a framework has in front is none."""
    assert verbs.space_of(tool) == space


@pytest.mark.parametrize(
    ("tool", "arguments", "deed"),
    [
        ("execute_sql", {"query": "INSERT INTO lamps"}, "execute_sql insert"),
        ("execute_sql", {"sql": " select 1"}, "execute_sql query"),
        ("execute_sql", {"statement": "with x as (select 1) table x"}, "execute_sql query"),
        ("execute_sql", {"query": "lamps of the pier"}, "execute_sql"),
        ("message", {"action": "send"}, "message send"),
        ("mcp__desk__message", {"op": "send"}, "message send"),
        ("request", {"method": "POST"}, "request POST"),
        ("shell", {"command": "sleep 5"}, "shell sleep"),
        ("shell", {"cmd": "Start-Sleep -s 5;"}, "shell sleep"),
        ("shell", {"command": "sleep 5; ls"}, "shell"),
        ("shell", {"command": "ls -l"}, "shell"),
        ("message", {"action": 3}, "message"),
        ("message", {"action": "a" * 50}, "message"),
        ("message", ["send"], "message"),
        ("message", None, "message"),
    ],
)
def test_a_deed_is_a_tool_and_a_verb(tool: str, arguments: Any, deed: str) -> None:
    """The verb may stand in the arguments: an action, an SQL statement, a pause."""
    assert verbs.deed(tool, arguments) == deed


@pytest.mark.parametrize(
    ("says", "yes", "no"),
    [
        (
            verbs.edits,
            ["replace_text", "set_lamp", "files write", "renameFile"],
            ["send_letter", "get_patch", "settle"],
        ),
        (verbs.presses, ["press_key", "keypress", "browser scroll", "volumeUp"], ["keyboard", "express", "click"]),
        (verbs.waits, ["wait", "shell sleep", "pauseRun"], ["await", "asleep", "poll"]),
        (verbs.hands_over, ["transfer_to_desk", "transferBack", "handoff", "hand_over"], ["transfer_money", "handle"]),
        (verbs.draws, ["next_ticket", "queue pop", "randomNumber", "new_uuid"], ["newest", "list_tickets"]),
        (verbs.stateful, ["submit_form", "git push", "deploy"], ["send_letter", "pushpin"]),
    ],
)
def test_words_of_a_deed(says: Callable[[str], bool], yes: list[str], no: list[str]) -> None:
    """Whole words in any spelling."""
    assert [deed for deed in (*yes, *no) if says(deed)] == yes
