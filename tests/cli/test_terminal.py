"""What is drawn on which kind of stream."""

from __future__ import annotations

import io

import pytest

from otel_loopwatch.cli.terminal import Paint, Progress, columns, printable


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "env", "colours"),
    [
        (Terminal(), {"TERM": "xterm"}, True),
        (Terminal(), {"NO_COLOR": "1"}, False),
        (Terminal(), {"NO_COLOR": ""}, True),
        (Terminal(), {"TERM": "dumb"}, False),
        (io.StringIO(), {}, False),
    ],
)
def test_colours_are_for_terminals_that_want_them(stream: io.StringIO, env: dict[str, str], colours: bool) -> None:
    """Pipes, dumb terminals and NO_COLOR get plain text."""
    painted = Paint.of(stream, env)("red", "text")
    assert painted == ("\x1b[31mtext\x1b[0m" if colours else "text")


@pytest.mark.parametrize(
    ("value", "width", "shown"),
    [("short", 9, "short"), ("a long name", 7, "a long…"), ("a\x1b[2J\nb", 9, "a [2J b"), ("", 3, "")],
)
def test_a_value_stays_on_its_line(value: str, width: int, shown: str) -> None:
    """Names come from models: they are cut, and their control codes do nothing."""
    assert printable(value, width) == shown


def test_columns_are_aligned_and_the_last_is_free() -> None:
    """Every cell but the last is cut or filled to its width."""
    rows = [("a", "bb", "the rest of it"), ("longer", "b", "")]
    assert list(columns(rows, (4, 2))) == ["a     bb  the rest of it", "lon…  b"]


def test_progress_is_drawn_on_a_terminal_and_wiped() -> None:
    """At most once per step, and nothing of it stays."""
    stream = Terminal()
    progress = Progress(100, stream, every=10)
    for done in (5, 50, 55, 100):
        progress.at(done)
    assert stream.getvalue().count("%") == 2
    assert " 50%" in stream.getvalue()
    progress.close()
    assert stream.getvalue().endswith("\r" + " " * 36 + "\r")


@pytest.mark.parametrize(("stream", "total"), [(io.StringIO(), 100), (Terminal(), 5)], ids=["no terminal", "short"])
def test_progress_is_silent_elsewhere(stream: io.StringIO, total: int) -> None:
    """Files and short reads see no bar."""
    progress = Progress(total, stream, every=10)
    progress.at(100)
    progress.close()
    assert stream.getvalue() == ""
