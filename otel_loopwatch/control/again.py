"""Which calls would be the same again, for those that are to be refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from otel_loopwatch.fingerprint import read
from otel_loopwatch.model import Kind, LoopSignal, ToolCall
from otel_loopwatch.records import SAME_WORDS
from otel_loopwatch.settings import MAX_VALUE_BYTES, NO_POLICY, ToolPolicy
from otel_loopwatch.words import words_of


@dataclass(frozen=True, slots=True)
class Request:
    """What a call asks for: its tool, and the digest and the words of its arguments."""

    tool: int
    arguments: int | None
    """None where they are unknown: then it is the same as nothing."""
    words: frozenset[int]
    at_ns: int = 0
    """When it was made."""


def request_of(call: ToolCall, policy: ToolPolicy = NO_POLICY, limit: int = MAX_VALUE_BYTES) -> Request:
    """The request of a call, spelling and order of its arguments apart."""
    reading = read(call, policy, limit)
    words = words_of(reading.arguments)
    return Request(reading.tool, reading.folded, words.text | words.atoms, call.start_ns)


@dataclass(frozen=True, slots=True)
class Repeats:
    """The requests of a loop."""

    known: frozenset[tuple[int, int | None]]
    """Tool and arguments of those that came before."""
    every: frozenset[int] = frozenset()
    """Tools of which any call is one too many."""
    reworded: frozenset[int] = frozenset()
    """Tools of which any rewording is the same."""
    words: frozenset[int] = frozenset()
    """Words of the question that is being reworded."""

    def holds(self, request: Request) -> bool:
        """Whether a request is one of the loop's, once more."""
        if request.tool in self.every or (request.tool, request.arguments) in self.known:
            return True
        if request.tool not in self.reworded or not request.words:
            return False
        return len(request.words & self.words) >= SAME_WORDS * len(request.words)


def repeats_of(signal: LoopSignal, past: Sequence[Request]) -> Repeats:
    """The requests of a loop that was just signalled; ``past`` holds the latest ones, the newest last."""
    newest = past[-1:]
    if signal.kind in (Kind.IDENTICAL, Kind.DUPLICATE_WRITE):
        return Repeats(_keys(newest))
    tools = frozenset(request.tool for request in newest)
    if signal.kind is Kind.BUDGET:
        return Repeats(frozenset(), every=tools)
    of_loop = past[-signal.count * signal.period :]
    if signal.kind is not Kind.DRIFT:
        return Repeats(_keys(of_loop))
    words = frozenset[int]().union(*(request.words for request in of_loop if request.tool in tools))
    return Repeats(_keys(of_loop), reworded=tools, words=words)


def _keys(requests: Sequence[Request]) -> frozenset[tuple[int, int | None]]:
    return frozenset((each.tool, each.arguments) for each in requests if each.arguments is not None)
