"""The scripted model on the wire."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from agent_server import AgentServer
from scenarios import ANSWER, ORDER, SEARCH

STEPS = ((ORDER,), (SEARCH, SEARCH))
PATHS = ("chat/completions", "responses", "messages")


@pytest.fixture
def server() -> Iterator[AgentServer]:
    """Listening, with one session."""
    running = AgentServer()
    running.open("s", STEPS)
    yield running
    running.close()


def ask(server: AgentServer, path: str, **body: Any) -> str:
    """What the model answers."""
    request = Request(f"{server.base}/s/v1/{path}", json.dumps(body).encode(), method="POST")
    with urlopen(request) as reply:
        return str(reply.read().decode())


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("stream", [False, True])
def test_the_script_is_followed_to_the_answer(server: AgentServer, path: str, stream: bool) -> None:
    """Step by step, then text, however it is asked."""
    first, second, last = (ask(server, path, stream=stream) for _ in range(3))
    assert ORDER.tool in first
    assert SEARCH.tool not in first
    assert SEARCH.tool in second
    assert ANSWER in last
    assert server.sessions["s"].requests == 3


def test_calls_have_ids_of_their_own(server: AgentServer) -> None:
    """Also equal calls of one response."""
    ask(server, "chat/completions")
    calls = json.loads(ask(server, "chat/completions"))["choices"][0]["message"]["tool_calls"]
    assert len({call["id"] for call in calls}) == 2
    assert {json.loads(call["function"]["arguments"])["query"] for call in calls} == {SEARCH.arguments["query"]}


@pytest.mark.parametrize("path", ["s/v1/elsewhere", "unknown/v1/responses"])
def test_what_it_does_not_know_is_not_found(server: AgentServer, path: str) -> None:
    """Another interface, or a session nobody opened."""
    with pytest.raises(HTTPError, match="404"):
        urlopen(Request(f"{server.base}/{path}", b"{}", method="POST"))
