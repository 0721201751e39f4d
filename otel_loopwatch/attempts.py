"""From a call to the attempt it belongs to, and what that attempt brought."""

from __future__ import annotations

from otel_loopwatch import asked, verbs
from otel_loopwatch.fingerprint import Reading
from otel_loopwatch.model import ToolCall
from otel_loopwatch.outcomes import Grade
from otel_loopwatch.records import Attempt, Member, Seen
from otel_loopwatch.runs import Run
from otel_loopwatch.settings import ToolPolicy

_MASK = (1 << 64) - 1
_SILENT_FAILURE = 1
"""Stands for the text of a failure that was not captured: that it failed is known."""
_ACKNOWLEDGED = 2
"""Stands for every acknowledgement: its words, and the id of what was made, tell nothing."""
MAX_MEMBERS = 16
"""Distinct calls remembered per attempt."""


def record(run: Run, call: ToolCall, reading: Reading, policy: ToolPolicy, window: int) -> Attempt:
    """Add the call to the run: to its newest attempt if it is a sibling there, else as a new attempt."""
    member = _member(run, call, reading)
    attempt = _grow(run, member) if _sibling(run, call) else _begin(run, call, member, window)
    attempt.exact = reading.exact
    _judge(run, attempt, member, policy)
    return attempt


def _sibling(run: Run, call: ToolCall) -> bool:
    """A response with more distinct calls than are remembered per attempt is taken for several."""
    if call.batch is None or not run.attempts:
        return False
    return run.current.batch == call.batch and len(run.current.members) < MAX_MEMBERS


def _member(run: Run, call: ToolCall, reading: Reading) -> Member:
    identity = _ACKNOWLEDGED if reading.acknowledges else run.results.identity(reading, run.calls)
    if identity is None and call.failed:
        identity = _SILENT_FAILURE
    known = identity is not None
    request = asked.identity(run, reading)
    loose = False
    if request is not None and identity is not None and _may_differ_in_ids(reading):
        identity, loose = run.results.but_for_ids(identity, _key(reading.tool, request), reading.text)
    return Member(
        tool=call.tool,
        request=_key(reading.tool, request) if request is not None else None,
        call=_key(reading.tool, request, identity, call.failed) if known and request is not None else None,
        answer=_key(reading.tool, identity, reading.failed) if known else None,
        grade=reading.grade,
        failed=reading.failed,
        failure=identity if reading.failed else None,
        deed=reading.deed,
        loose=loose,
        name=reading.tool if _only_the_name(call) else None,
    )


def _may_differ_in_ids(reading: Reading) -> bool:
    """Where a number stands in front, what differs may be that; and some tools give nothing but ids."""
    return reading.number is None and not (reading.acknowledges or verbs.draws(reading.deed))


def _only_the_name(call: ToolCall) -> bool:
    """Whether neither arguments nor result were captured: cut content is something else."""
    return call.arguments is None and call.result is None and call.error is None and not call.truncated


def _key(*parts: int | None) -> int:
    return hash(parts) & _MASK


def _begin(run: Run, call: ToolCall, member: Member, window: int) -> Attempt:
    attempt = Attempt(
        number=run.attempt_count,
        members=[member],
        start_ns=call.start_ns,
        span_id=call.span_id,
        batch=call.batch,
    )
    attempt.settle()
    run.attempt_count += 1
    run.attempts.append(attempt)
    if len(run.attempts) > window:
        del run.attempts[0]
    run.call_keys.push(attempt.call)
    run.answer_keys.push(attempt.answer)
    run.request_keys.push(attempt.request)
    run.name_keys.push(attempt.name)
    _count(run, attempt)
    return attempt


def _grow(run: Run, member: Member) -> Attempt:
    attempt = run.current
    attempt.size += 1
    for other in attempt.members:
        if other.call == member.call and other.request == member.request and member.call is not None:
            other.times += 1
            attempt.members.remove(other)
            attempt.members.append(other)
            return attempt
    _uncount(run, attempt)
    attempt.members.append(member)
    attempt.settle()
    run.call_keys.replace(attempt.call)
    run.answer_keys.replace(attempt.answer)
    run.request_keys.replace(attempt.request)
    run.name_keys.replace(attempt.name)
    _count(run, attempt)
    return attempt


def _count(run: Run, attempt: Attempt) -> None:
    key = attempt.call
    attempt.stale = False
    if key is None:
        return
    seen = run.seen.pop(key, None)
    if seen is None:
        seen = Seen(count=1, epoch=run.epoch, first_span=attempt.span_id)
    elif seen.epoch != run.epoch:
        seen.count, seen.epoch = 1, run.epoch
    else:
        seen.count += 1
        attempt.stale = True
    run.seen[key] = seen
    if seen.count > run.repeat_max:
        run.repeat_max = seen.count
    _bound(run.seen)
    if attempt.failed:
        run.failures[key] = run.failures.pop(key, 0) + 1
        _bound(run.failures)


def _uncount(run: Run, attempt: Attempt) -> None:
    key = attempt.call
    if key is None:
        return
    seen = run.seen.get(key)
    if seen is not None:
        seen.count -= 1
        if seen.count == 0:
            del run.seen[key]
    if attempt.failed and key in run.failures:
        run.failures[key] -= 1


REMEMBERED = 64
"""Distinct attempts remembered per run beyond the window itself."""


def _bound(memory: dict[int, Seen] | dict[int, int]) -> None:
    if len(memory) > REMEMBERED:
        del memory[next(iter(memory))]


def _judge(run: Run, attempt: Attempt, member: Member, policy: ToolPolicy) -> None:
    """Say whether the attempt brought something new, and whether it changed the world."""
    if _changes(run, attempt, member, policy):
        attempt.changes = True
        run.epoch += 1
    known = attempt.call is None or attempt.stale or attempt.answer in run.answer_keys.ring[:-1]
    attempt.new = attempt.changes or not known
    run.progressed = attempt.new


def _changes(run: Run, attempt: Attempt, member: Member, policy: ToolPolicy) -> bool:
    """A successful write with arguments not seen before; one that only says "done" counts as a write by that."""
    if member.failed or member.request is None or policy.side_effect is False or policy.polling:
        return False
    acknowledged = member.grade is Grade.ACK and not verbs.harmless(member.deed)
    if not (policy.side_effect or verbs.writes(member.deed) or acknowledged):
        return False
    return not _asked_before(run, attempt, member.request)


def _asked_before(run: Run, attempt: Attempt, request: int) -> bool:
    """Whether an earlier attempt of the window holds that request; most are one call, whose request is their own."""
    for past in run.attempts:
        if past.request == request and past is not attempt:
            return True
        if len(past.members) > 1 and past is not attempt and any(other.request == request for other in past.members):
            return True
    return False
