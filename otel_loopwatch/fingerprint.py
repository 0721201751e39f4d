"""From a call to what detectors compare: 64-bit digests and grades, never the texts.

All of it depends on the call alone, so it is done before any lock is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

import msgspec
from xxhash import xxh3_64_intdigest as digest

from otel_loopwatch import masking, notes
from otel_loopwatch.canonical import decode, exact, folded, text_of
from otel_loopwatch.digests import is_digest
from otel_loopwatch.labels import bare
from otel_loopwatch.model import Outcome, ToolCall
from otel_loopwatch.outcomes import Grade, outcome_of
from otel_loopwatch.settings import ToolPolicy
from otel_loopwatch.verbs import deed, harmless, plain_name, presses, waits

ECHO_WITHIN = 200
"""Shorter answers say little beside what they repeat."""
ECHOED = 8
ECHOES = 32
"""Arguments that are looked for in an answer."""
ARGUMENTS_LIMIT = 16_384
"""Larger arguments are digested as they are: canonical form costs 4.5 us per kB, a digest 0.1."""


Arguments = tuple[Any, int | None, int | None]
"""Decoded arguments, and the digests of their exact and folded form."""
Rest = ParamSpec("Rest")
Found = TypeVar("Found")


class Reading(msgspec.Struct, frozen=True, gc=False):
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


class Said(NamedTuple):
    """A result or failure text by itself."""

    raw: int
    text: str
    """Without what stands around it."""
    number: int | None = None
    refused: bool = False


class Meaning(NamedTuple):
    """What a text says, and by what it is compared."""

    outcome: Outcome
    grade: Grade
    steady: int = 0
    gate: int = 0
    kept: str = ""


def read(call: ToolCall, policy: ToolPolicy, limit: int) -> Reading:
    """Digest a call. ``limit`` is the number of bytes up to which values are looked into."""
    arguments, exact_digest, folded_digest = _arguments(call.arguments, policy)
    name = deed(call.tool, arguments)
    text = _result_text(call, policy, limit)
    if text is None:
        said, meaning = _UNSAID, Meaning(*outcome_of(None, call.failed))
    else:
        said = _said(text, limit)
        meaning = _meaning_of(said, call, arguments, harmless(name), limit)
    grade = meaning.grade
    if call.truncated:
        exact_digest = folded_digest = None
        grade = Grade.NOTHING
    return Reading(
        tool=name_digest(call.tool),
        deed=name,
        exact=exact_digest,
        folded=folded_digest,
        arguments=arguments,
        raw=None if text is None or call.truncated else said.raw,
        steady=meaning.steady,
        number=said.number,
        gate=meaning.gate,
        text=meaning.kept,
        outcome=call.outcome or meaning.outcome,
        grade=_declared(call, grade, policy, name),
        acknowledges=grade is Grade.ACK,
        failed=call.failed or grade.failure,
        refused=said.refused,
    )


_UNSAID = Said(0, "")

KNOWN = 256
"""Values remembered, of each sort: agents repeat themselves, the more so in loops."""
KNOWN_CHARACTERS = 2_048
"""Longer texts are not kept for that."""


def _remembered(function: Callable[Concatenate[str, Rest], Found]) -> Callable[Concatenate[str, Rest], Found]:
    """``function`` of a text, worked out once for a short one that comes again: 0.3 us instead of 5 to 15."""
    known = lru_cache(maxsize=KNOWN)(function)

    def found(text: str, /, *rest: Rest.args, **named: Rest.kwargs) -> Found:
        if len(text) > KNOWN_CHARACTERS:
            return function(text, *rest, **named)
        return known(text, *rest, **named)  # type: ignore[arg-type] # all that is passed beside a text is hashable

    return found


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


def _arguments(value: object, policy: ToolPolicy) -> Arguments:
    if value is None:
        return None, None, None
    if type(value) is str:
        return _text_arguments(value, policy.volatile_keys, policy.identity_keys)
    if isinstance(value, (str, bytes)):
        if len(value) > ARGUMENTS_LIMIT:
            return _whole(value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass"))
        value = decode(value)
    return _value_arguments(value, policy.volatile_keys, policy.identity_keys)


@_remembered
def _text_arguments(text: str, volatile: frozenset[str], identity: frozenset[str]) -> Arguments:
    if len(text) > ARGUMENTS_LIMIT:
        return _whole(text.encode("utf-8", "surrogatepass"))
    return _value_arguments(decode(text), volatile, identity)


def _value_arguments(value: Any, volatile: frozenset[str], identity: frozenset[str]) -> Arguments:
    value, canonical = exact(_unpacked(value), volatile, identity, limit=ARGUMENTS_LIMIT)
    if len(canonical) > ARGUMENTS_LIMIT:
        return _whole(canonical)
    return value, digest(canonical), digest(folded(value, canonical))


def _whole(data: bytes) -> Arguments:
    found = digest(data)
    return None, found, found


def _unpacked(value: Any) -> Any:
    """The arguments that some frameworks pack, as JSON text, into a single one."""
    if (type(value) is dict or isinstance(value, Mapping)) and len(value) == 1:
        only = next(iter(value.values()))
        if isinstance(only, str) and only[:1] == "{" and len(only) <= ARGUMENTS_LIMIT:
            inner = decode(only)
            return inner if isinstance(inner, Mapping) else value
    return value


def _result_text(call: ToolCall, policy: ToolPolicy, limit: int) -> str | None:
    value = call.result if call.result is not None else call.error if call.failed else None
    if value is None:
        return None
    if policy.volatile_keys and not (isinstance(value, (str, bytes)) and len(value) > limit):
        value = decode(value) if isinstance(value, (str, bytes)) else value
        value, _ = exact(value, policy.volatile_keys, limit=limit)
    return text_of(value)


@_remembered
def _said(text: str, limit: int) -> Said:
    refused = False
    if notes.noted(text):
        refused, text = notes.is_refusal(text), notes.without(text)
    raw = digest(text.encode("utf-8", "surrogatepass"))
    return Said(raw, text, None, refused) if len(text) > limit else Said(raw, *bare(text), refused)


def _meaning_of(said: Said, call: ToolCall, arguments: Any, reads: bool, limit: int) -> Meaning:
    """Meaning of a text but for the names and words of the call itself; one beyond ``limit`` stands as it is."""
    if len(said.text) > limit:
        outcome, grade = outcome_of(said.text, call.failed, reads)
        return Meaning(outcome, grade, said.raw, said.raw)
    return _meaning(_without_echo(_nameless(said.text, call), arguments), call.failed, reads, limit)


def _nameless(text: str, call: ToolCall) -> str:
    """A failure that names the tool is the same failure for another tool."""
    return text.replace(call.tool, "~") if call.failed and call.tool in text else text


def _without_echo(text: str, arguments: Any) -> str:
    """A long answer that repeats the question is the same answer to another question."""
    if len(text) < ECHO_WITHIN or not isinstance(arguments, dict):
        return text
    for value in islice(arguments.values(), ECHOES):
        if isinstance(value, str) and len(value) >= ECHOED and " " in value and value in text:
            text = text.replace(value, "~")
    return text


@_remembered
def _meaning(text: str, failed: bool, reads: bool, limit: int) -> Meaning:
    outcome, grade = outcome_of(text, failed, reads)
    return Meaning(outcome, grade, *_result(text, limit))


def _result(text: str, limit: int) -> tuple[int, int, str]:
    """Digest without temporary paths, gate, and the text to be masked."""
    data = text.encode("utf-8", "surrogatepass")
    if len(data) > limit or is_digest(text):
        whole = digest(data)
        return whole, whole, ""
    steady = masking.steady(text)
    if steady is not text:
        data = steady.encode("utf-8", "surrogatepass")
    return digest(data), masking.gate(data), steady
