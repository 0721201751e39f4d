"""`runs`: what a gateway watches, as a person sees it in a terminal and decides about it."""

from __future__ import annotations

import getpass
import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from gateway.boards import RUN, SECOND, Written, board_and_orders, call, ended, looping
from gateway.serving import Client, serving
from live_agent import SIGNAL
from receiver import Receiver, status

from otel_loopwatch.cli import main
from otel_loopwatch.cli.runs_shown import ago
from otel_loopwatch.gateway.api import routes
from otel_loopwatch.gateway.board import Board
from otel_loopwatch.gateway.receive.access import Access
from otel_loopwatch.variables import GATEWAY_VARIABLE, TOKEN_FILE_VARIABLE

TOKEN = "known-to-those-who-may"
WRITER = f"{RUN}/writer#2"
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def gateway(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Board, Written, Client]]:
    """Three runs, and a token for those who decide."""
    board, orders, audit = board_and_orders()
    board.take(call(RUN), "shop")
    board.take(call(WRITER, agent="writer", tool="draft\x1b[31m"))
    board.take(looping("b", agent="critic"))
    board.take(call("b", 9, recovered=(SIGNAL,), agent="critic"))
    board.take(ended(WRITER))
    with serving(board, [*routes(board, orders)], access=Access(tokens=(TOKEN,))) as client:
        monkeypatch.setenv(GATEWAY_VARIABLE, client.url)
        monkeypatch.setenv("TOKENS", TOKEN)
        yield board, audit, client


@pytest.mark.usefixtures("gateway")
def test_runs_are_listed(capsys: Captured) -> None:
    """A line each, the newest activity first; what a model made up does not colour the terminal."""
    assert main(["runs", "list"]) == 0
    heading, *lines = capsys.readouterr().out.splitlines()
    assert heading.split() == ["run", "agent", "state", "calls", "wasted", "last", "loop"]
    assert [line.split()[:3] for line in lines] == [
        [WRITER, "writer", "ended"], ["b", "critic", "live"], [RUN, "support", "live"],
    ]  # fmt: skip
    assert lines[1].endswith("identical of search_docs (recovered)")


@pytest.mark.parametrize(
    ("flags", "found"),
    [
        (["--state", "ended"], [WRITER]),
        (["--agent", "critic"], ["b"]),
        (["--tool", "search"], ["b", RUN]),
        (["--search", "SHOP"], [RUN]),
        (["--limit", "1"], [WRITER]),
    ],
)
@pytest.mark.usefixtures("gateway")
def test_runs_are_chosen(flags: list[str], found: list[str], capsys: Captured) -> None:
    """By the flags; in JSON as the gateway answers."""
    assert main(["runs", "list", "--json", *flags]) == 0
    assert [run["run"] for run in json.loads(capsys.readouterr().out)["runs"]] == found


@pytest.mark.usefixtures("gateway")
def test_no_runs_is_an_answer(capsys: Captured) -> None:
    """In words."""
    assert main(["runs", "list", "--agent", "nobody"]) == 0
    assert capsys.readouterr().out == "no runs\n"


def test_a_run_is_shown_halted_and_resumed(gateway: tuple[Board, Written, Client], capsys: Captured) -> None:
    """By the login name, unless another is said; the board has it, and so has the audit."""
    board, audit, _ = gateway
    halt = ["runs", "halt", WRITER, "--reason", "It drafts in circles.", "--token-env", "TOKENS"]
    assert main(halt) == 0
    assert capsys.readouterr().out.startswith(f"{WRITER}: halt by {getpass.getuser()}, ")
    assert board.decision(WRITER).halts
    assert main(["runs", "show", WRITER]) == 0
    shown = capsys.readouterr().out
    for part in (
        f"run       {WRITER}",
        "agent     writer",
        "state     halted",
        "It drafts in circles.",
        f"{0xABC:016x}",
    ):
        assert part in shown
    assert "\x1b" not in shown
    assert main(["runs", "resume", WRITER, "--by", "Ben", "--token-env", "TOKENS", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["by"] == "Ben"
    assert not board.decision(WRITER).halts
    assert audit.lines == [("halt", "127.0.0.1"), ("continue", "127.0.0.1")]


@pytest.mark.usefixtures("gateway")
def test_a_run_is_shown_with_its_loops(capsys: Captured) -> None:
    """And without its calls, where they are not asked for; as JSON, where that is."""
    assert main(["runs", "show", "b", "--calls", "0"]) == 0
    shown = capsys.readouterr().out
    assert "search_docs was called 8 times. (recovered)" in shown
    assert "arguments" not in shown
    assert main(["runs", "show", "b", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["timeline"]) == 2


def test_a_run_nobody_knows_is_shown_with_what_was_decided(
    gateway: tuple[Board, Written, Client], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    """It may be halted before its first call; the token may come from a file."""
    (tmp_path / "tokens").write_text(f"{TOKEN}\nan-older-one-of-some-length\n")
    monkeypatch.setenv(TOKEN_FILE_VARIABLE, str(tmp_path / "tokens"))
    assert main(["runs", "show", "later"]) == 0
    assert capsys.readouterr().out == "the gateway knows no calls of later\n"
    assert main(["runs", "halt", "later", "--reason", "No.", "--by", "Ana"]) == 0
    assert main(["runs", "show", "later"]) == 0
    assert "the gateway knows no calls of later; halt by Ana" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["halt", "b", "--reason", "No."], "the gateway answered with status 401: a bearer token is needed"),
        (["list", "--limit", "-1"], "the gateway answered with status 400: limit is '-1'; it must be a whole number"),
        (["halt", "b", "--reason", "", "--token-env", "TOKENS"], "status 400: reason is empty"),
        (["list", "--token-env", "NONE"], "token_env is 'NONE'; it must name tokens of"),
        (["list", "--token-file", "/none"], "token_file is '/none'; it must be a file that can be read"),
        (["list", "--gateway", "http://fleet.example.org"], "gateway is 'http://fleet.example.org/...'; it must be"),
        (["list", "--gateway", "http://127.0.0.1:4318/?a"], "and have no query"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("gateway")
def test_what_goes_wrong_is_one_line(arguments: list[str], says: str, capsys: Captured) -> None:
    """On standard error, with exit code 2."""
    assert main(["runs", *arguments]) == 2
    error = capsys.readouterr().err
    assert error.startswith("otel-loopwatch: ")
    assert says in error
    assert error.count("\n") == 1


def test_a_name_must_be_known(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    """A decision without anybody is none."""

    def nobody() -> str:
        raise KeyError("uid 4711")

    monkeypatch.setattr(getpass, "getuser", nobody)
    assert main(["runs", "halt", "b", "--reason", "No."]) == 2
    assert "say with --by who decides" in capsys.readouterr().err


ANSWERS = {
    b"HTTP/1.1 200 So\r\nContent-Length: 2\r\n\r\n[]": "status 200: no answer of a gateway",
    b'HTTP/1.1 200 So\r\nContent-Length: 9\r\n\r\n{"runs":7': "status 200: no answer of a gateway",
    b'HTTP/1.1 200 So\r\nContent-Length: 10\r\n\r\n{"runs":7}': "the gateway's answer is not understood",
    b'HTTP/1.1 500 So\r\nContent-Length: 11\r\n\r\n{"message":1': "status 500: no answer of a gateway",
    status(503): "status 503: no answer of a gateway",
    b"": "no gateway answers at 127.0.0.1: ",
    b"SSH-2.0\r\n": "no gateway answers at 127.0.0.1: SSH-2.0",
}


@pytest.mark.parametrize("answer", ANSWERS, ids=range(len(ANSWERS)))
def test_something_else_is_no_gateway(answer: bytes, capsys: Captured) -> None:
    """Said in one line."""
    receiver = Receiver(answer)
    try:
        assert main(["runs", "list", "--gateway", f"http://127.0.0.1:{receiver.port}"]) == 2
    finally:
        receiver.close()
    assert ANSWERS[answer] in capsys.readouterr().err


def test_nobody_there_is_said(capsys: Captured) -> None:
    """With the reason of the system."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    assert main(["runs", "list", "--gateway", f"http://127.0.0.1:{port}"]) == 2
    assert "no gateway answers at 127.0.0.1: [Errno 111] Connection refused" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("seconds", "said"), [(-5, "0 s"), (59, "59 s"), (60, "1 min"), (7199, "1 h"), (172_800, "2 d")]
)
def test_times_are_said_in_the_largest_unit(seconds: int, said: str) -> None:
    """Clocks of machines differ: what seems to come is now."""
    now = time.time_ns()
    assert ago(str(now - seconds * SECOND), now) == said
