"""From a call to what detectors compare: 64-bit digests and grades, never the texts.

All of it depends on the call alone, so it is done before any lock is taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import msgspec
from xxhash import xxh3_64_intdigest as digest

from otel_loopwatch import masking, notes
from otel_loopwatch.canonical import decode, exact, folded, text_of
from otel_loopwatch.digests import is_digest
from otel_loopwatch.labels import Bare, bare
from otel_loopwatch.model import Outcome, ToolCall
from otel_loopwatch.outcomes import Grade, outcome_of
from otel_loopwatch.settings import ToolPolicy
from otel_loopwatch.verbs import deed, harmless, plain_name, presses, waits

ECHO_WITHIN = 200
"""Shorter answers say little beside what they repeat."""
ECHOED = 8
ARGUMENTS_LIMIT = 16_384
"""Larger arguments are digested as they are: canonical form costs 4.5 us per kB, a digest 0.1."""


class Reading(msgspec.Struct, frozen=True):
    """A call as the detectors see it."""

    tool: int
    """Digest of the tool's plain name."""
    deed: str
    """The tool's name and the verb in its arguments."""
    exact: int | None
    """Digest of the canonical arguments; ``None`` where they are unknown."""
    folded: int | None
    """Digest of the folded arguments."""
    arguments: Any
    """Decoded arguments, for the words and ranges in them; not kept."""
    raw: int | None
    """Digest of the whole result or failure text; ``None`` where it is unknown."""
    steady: int
    """Digest of the result without temporary paths and random ids."""
    number: int | None
    """A number that stood in front of the result: of the call, perhaps."""
    gate: int
    """Equal for all results that could be equal when masked."""
    text: str
    """Result text to be masked if the need arises; empty where it is too large."""
    outcome: Outcome
    grade: Grade
    acknowledges: bool
    """The result says that it is done, and nothing else."""
    failed: bool
    refused: bool
    """Loopwatch refused the call: it never ran."""


def read(call: ToolCall, policy: ToolPolicy, limit: int) -> Reading:
    """Digest a call. ``limit`` is the number of bytes up to which values are looked into."""
    arguments, exact_digest, folded_digest = _arguments(call.arguments, policy)
    said = _result_text(call, policy)
    text = None if said is None else notes.without(said)
    raw, front = (None, None) if text is None else (digest(text.encode("utf-8", "surrogatepass")), _front(text, limit))
    bare_text = None if front is None else _without_echo(_nameless(front.text, call), arguments)
    name = deed(call.tool, arguments)
    outcome, grade = outcome_of(bare_text, call.failed, reads=harmless(name))
    steady, gate, kept = _result(bare_text, limit)
    if call.truncated:
        exact_digest = folded_digest = raw = None
        grade = Grade.NOTHING
    outcome = call.outcome or outcome
    return Reading(
        tool=name_digest(call.tool),
        deed=name,
        exact=exact_digest,
        folded=folded_digest,
        arguments=arguments,
        raw=raw,
        steady=steady,
        number=front.number if front is not None else None,
        gate=gate,
        text=kept,
        outcome=outcome,
        grade=_declared(call, grade, policy, name),
        acknowledges=grade is Grade.ACK,
        failed=call.failed or grade.failure,
        refused=said is not None and notes.is_refusal(said),
    )


@lru_cache(maxsize=1024)
def name_digest(tool: str) -> int:
    """Digest of a tool's plain name."""
    return digest(plain_name(tool).encode("utf-8", "surrogatepass"))


def _declared(call: ToolCall, grade: Grade, policy: ToolPolicy, name: str) -> Grade:
    """The grade, less where the user or the tool's name says that an equal result means little."""
    if policy.polling and not grade.failure:
        return min(grade, Grade.PENDING)
    if not grade.failure and (waits(name) or presses(name)):
        return min(grade, Grade.ACK)
    return _GRADES.get(call.outcome, grade) if call.outcome is not None else grade


_GRADES = {
    Outcome.EMPTY: Grade.EMPTY,
    Outcome.PENDING: Grade.PENDING,
    Outcome.RETRYABLE: Grade.RETRYABLE,
    Outcome.PRECONDITION: Grade.ERROR,
    Outcome.FATAL: Grade.ERROR,
}


def _arguments(value: object, policy: ToolPolicy) -> tuple[Any, int | None, int | None]:
    if value is None:
        return None, None, None
    if isinstance(value, (str, bytes)):
        if len(value) > ARGUMENTS_LIMIT:
            whole = digest(value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass"))
            return None, whole, whole
        value = decode(value)
    value = _unpacked(value)
    canonical_value, canonical = exact(value, policy.volatile_keys, policy.identity_keys)
    if len(canonical) > ARGUMENTS_LIMIT:
        whole = digest(canonical)
        return None, whole, whole
    return canonical_value, digest(canonical), digest(folded(canonical_value, canonical))


def _unpacked(value: Any) -> Any:
    """The arguments that some frameworks pack, as JSON text, into a single one."""
    if isinstance(value, Mapping) and len(value) == 1:
        only = next(iter(value.values()))
        if isinstance(only, str) and only[:1] == "{" and len(only) <= ARGUMENTS_LIMIT:
            inner = decode(only)
            return inner if isinstance(inner, Mapping) else value
    return value


def _result_text(call: ToolCall, policy: ToolPolicy) -> str | None:
    value = call.result if call.result is not None else call.error if call.failed else None
    if value is None:
        return None
    if policy.volatile_keys:
        value = decode(value) if isinstance(value, (str, bytes)) else value
        value, _ = exact(value, policy.volatile_keys)
    return text_of(value)


def _nameless(text: str, call: ToolCall) -> str:
    """A failure that names the tool is the same failure for another tool."""
    return text.replace(call.tool, "~") if call.failed and call.tool in text else text


def _without_echo(text: str, arguments: Any) -> str:
    """A long answer that repeats the question is the same answer to another question."""
    if len(text) < ECHO_WITHIN or not isinstance(arguments, Mapping):
        return text
    for value in arguments.values():
        if isinstance(value, str) and len(value) >= ECHOED and " " in value and value in text:
            text = text.replace(value, "~")
    return text


def _front(text: str, limit: int) -> Bare:
    return bare(text) if len(text) <= limit else Bare(text)


def _result(text: str | None, limit: int) -> tuple[int, int, str]:
    """Digest without temporary paths, gate, and the text to be masked."""
    if text is None:
        return 0, 0, ""
    data = text.encode("utf-8", "surrogatepass")
    if len(data) > limit or is_digest(text):
        whole = digest(data)
        return whole, whole, ""
    steady = masking.steady(text)
    if steady is not text:
        data = steady.encode("utf-8", "surrogatepass")
    return digest(data), masking.gate(data), steady
