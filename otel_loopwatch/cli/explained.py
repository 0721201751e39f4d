"""One run explained: its calls as the rules compare them, then what every rule saw and why it signalled or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import fill
from typing import Any

from otel_loopwatch.cli.contents import contents
from otel_loopwatch.cli.reading import Judged, hexadecimal
from otel_loopwatch.cli.rulings import rulings
from otel_loopwatch.cli.terminal import STYLES, Paint, columns, printable
from otel_loopwatch.cli.witness import Told
from otel_loopwatch.digests import Digests
from otel_loopwatch.model import LoopSignal, ToolCall

HEADINGS = ("call", "tool", "request", "result", "answer", "evidence", "outcome", "brought", "after")
WIDTHS = (4, 24, 7, 6, 6, 20, 12, 8)
LEGEND = (
    "Equal letters in a column are equal to the rules: what was asked (request), that and what came back (result),",
    "what came back whatever was asked (answer). A dash is unknown and equals nothing.",
)
MAX_CONTENT = 400
"""Characters of an argument or a result that are shown."""
WIDTH = 120
RULE_WIDTH = 28


class Letters:
    """A, B, .. Z, AA, ..: equal keys have equal letters, an unknown key has none."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}

    def of(self, key: int | None) -> str | None:
        """The letters of a key."""
        return None if key is None else _letters(self._numbers.setdefault(key, len(self._numbers)))


def _letters(number: int) -> str:
    last = chr(ord("A") + number % 26)
    return last if number < 26 else _letters(number // 26 - 1) + last


class Explained:
    """The steps of one run, for people and for programs."""

    def __init__(self, path: str, run: str, steps: Sequence[Judged], digests: Digests, *, content: bool) -> None:
        self._title = f"run {run} of {path}"
        self._run, self._steps, self._digests, self._content = run, steps, digests, content
        self._keys = Letters(), Letters(), Letters()

    def records(self) -> Iterator[dict[str, Any]]:
        """One JSON object per call, with every rule that looked at it."""
        for judged in self._steps:
            if judged.call is not None:
                yield self._described(judged, judged.call) | self._for_programs(judged, judged.call)

    def _described(self, judged: Judged, call: ToolCall) -> dict[str, Any]:
        seen, sight = judged.observation, judged.sight
        keys = (sight.request, sight.call, sight.answer) if sight else (None, None, None)
        request, result, answer = (letters.of(key) for letters, key in zip(self._keys, keys, strict=True))
        return {
            "run": self._run,
            "call": judged.position,
            "tool": call.tool,
            "request": request,
            "result": result,
            "answer": answer,
            "grade": sight.grade.name.lower() if sight else None,
            "evidence": sight.grade.evidence.value if sight else None,
            "outcome": seen.outcome.value if seen else None,
            "brought": sight.brought if sight else None,
            "after_s": None if sight is None or sight.gap_ns is None else sight.gap_ns / 1e9,
        }

    def _for_programs(self, judged: Judged, call: ToolCall) -> dict[str, Any]:
        seen = judged.observation
        prints = (seen.arguments_fingerprint, seen.result_fingerprint) if seen else (None, None)
        arguments, result = (None if number is None else self._digests.fingerprint(number) for number in prints)
        record = {
            "span_id": hexadecimal(call.span_id or None),
            "attempt": judged.sight.attempt if judged.sight else None,
            "arguments_fingerprint": arguments,
            "result_fingerprint": result,
            "signals": [_signal(signal) for signal in judged.signals],
            "rules": [rule for told in (judged.sight.told if judged.sight else ()) for rule in _asked(told)],
        }
        if self._content:
            record["asked"], record["got"] = contents(call, MAX_CONTENT, None)
        return record

    def lines(self, paint: Paint) -> Iterator[str]:
        """The calls as a table, then the rules."""
        yield paint("bold", printable(self._title, WIDTH))
        yield ""
        yield paint("bold", next(iter(columns([HEADINGS], WIDTHS))))
        for judged in self._steps:
            yield from self._step(judged, paint)
        yield ""
        yield from LEGEND
        yield ""
        yield from _what_rules_saw(self._steps, paint)

    def _step(self, judged: Judged, paint: Paint) -> Iterator[str]:
        if judged.call is not None:
            yield next(iter(columns([_row(self._described(judged, judged.call))], WIDTHS)))
            if self._content:
                for name, text in zip(("asked", "got"), contents(judged.call, MAX_CONTENT, None), strict=True):
                    yield paint("dim", f"      {name:<6}{'-' if text is None else printable(text, WIDTH)}")
        for signal in judged.recovered:
            yield paint("green", f"      RECOVERED from {signal.kind.value}: the run moved on.")
        for signal in judged.signals:
            told = f"      {signal.level.value.upper()} {signal.kind.value}: {printable(signal.reason, WIDTH)}"
            yield paint(STYLES[signal.level], told)


def _row(call: dict[str, Any]) -> list[str]:
    evidence = f"{call['grade']} ({call['evidence']})" if call["grade"] else None
    after = None if call["after_s"] is None else f"{call['after_s']:g} s"
    cells = (str(call["call"]), call["tool"], call["request"], call["result"], call["answer"])
    return [cell or "-" for cell in (*cells, evidence, call["outcome"], call["brought"], after)]


def _what_rules_saw(steps: Sequence[Judged], paint: Paint) -> Iterator[str]:
    found = list(rulings(steps))
    yield paint("bold", "What the rules saw")
    for ruling in found:
        if ruling.said:
            said = f"  {ruling.rule:<{RULE_WIDTH}}{ruling.said}"
            yield paint(STYLES[ruling.level], said) if ruling.level else said
            yield paint("dim", f"  {'':<{RULE_WIDTH}}{ruling.looks_for}")
    silent = ", ".join(ruling.rule for ruling in found if not ruling.said)
    yield fill(f"  Nothing to count: {silent}", WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def _signal(signal: LoopSignal) -> dict[str, Any]:
    return {
        "kind": signal.kind.value,
        "level": signal.level.value,
        "count": signal.count,
        "wasted_calls": signal.wasted_calls,
        "reason": signal.reason,
        "advice": signal.advice,
    }


def _asked(told: Told) -> Iterator[dict[str, Any]]:
    for asked in told.asked:
        yield {
            "rule": told.rule,
            "kind": asked.kind.value,
            "count": asked.count,
            "warning": asked.warning,
            "critical": asked.critical,
            "level": told.verdict.level.value if told.verdict else None,
        }
