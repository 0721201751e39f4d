"""What a terminal can do: colour, width, a progress line. Nowhere else is anything drawn."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TextIO

from otel_loopwatch.model import Level

CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
STYLES = {Level.WARNING: "yellow", Level.CRITICAL: "red"}


@dataclass(frozen=True, slots=True)
class Paint:
    """Colours text, or leaves it plain: files, pipes, ``NO_COLOR`` and dumb terminals get no codes."""

    colours: bool = False

    @classmethod
    def of(cls, stream: TextIO, env: Mapping[str, str] = os.environ) -> Paint:
        """What suits a stream."""
        return cls(stream.isatty() and not env.get("NO_COLOR") and env.get("TERM") != "dumb")

    def __call__(self, style: str, text: str) -> str:
        """The text in a style of ``CODES``."""
        return f"\x1b[{CODES[style]}m{text}\x1b[0m" if self.colours and text else text


def printable(value: str, width: int) -> str:
    """One line of at most ``width`` characters, without control codes: tool names come from models."""
    line = "".join(c if c.isprintable() else " " for c in value)
    return line if len(line) <= width else line[: width - 1] + "…"


def columns(rows: Iterable[Sequence[str]], widths: Sequence[int]) -> Iterable[str]:
    """Rows as aligned lines; the last column is left as long as it is."""
    for row in rows:
        cells = [printable(cell, width).ljust(width) for cell, width in zip(row, widths, strict=False)]
        yield "  ".join([*cells, *(printable(cell, 1000) for cell in row[len(widths) :])]).rstrip()


class Progress:
    """A line on a terminal that says how far a long read is; silent anywhere else, and for the first steps."""

    def __init__(self, total: int, stream: TextIO | None = None, every: int = 1 << 22) -> None:
        self._total, self._stream, self._every = total, stream or sys.stderr, every
        self._shown = False
        self._next = every
        self._live = self._stream.isatty() and total > every

    def at(self, done: int) -> None:
        """Draw, at most once per ``every`` bytes."""
        if self._live and done >= self._next:
            share = min(1.0, done / self._total)
            self._stream.write(f"\r{'█' * int(share * 30):<30} {share:4.0%}")
            self._stream.flush()
            self._shown, self._next = True, done + self._every

    def close(self) -> None:
        """Wipe the line."""
        if self._shown:
            self._stream.write("\r" + " " * 36 + "\r")
            self._stream.flush()
