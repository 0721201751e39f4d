"""Going on with a run that was stopped: not before what it lacked has changed, and without redoing what is done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from otel_loopwatch.control.report import StopReport, TerminalState
from otel_loopwatch.guard.guarded import GuardedRun


class NotResumable(ValueError):
    """The run must not go on as things are; the message says what has to change."""


def resume(
    report: StopReport | str | bytes, *, preconditions: Mapping[str, str] | None = None, **arguments: Any
) -> GuardedRun:
    """A new guarded run that goes on where ``report`` (or its JSON) says that the last one stopped.

    It has the key and the checkpoint of the last one. What the ledger holds as done is given from there, so only what
    is unfinished runs. ``preconditions`` are their present versions by name; the other arguments are those of
    :class:`GuardedRun`.

    :raises NotResumable: where the run was completed, where its unmet precondition has the version it had or none,
        and for a report that cannot be read.
    :raises LedgerUnavailable: where what is done cannot be read.
    """
    stopped = report if isinstance(report, StopReport) else _read(report)
    if stopped.state is TerminalState.COMPLETED:
        raise NotResumable(f"run {stopped.run} was completed; nothing is left to resume")
    _check_changed(stopped, preconditions or {})
    run = GuardedRun(stopped.run, checkpoint=stopped.checkpoint, preconditions=preconditions, **arguments)
    run.operations.recall()
    return run


def _read(report: str | bytes) -> StopReport:
    try:
        return msgspec.json.decode(report, type=StopReport)
    except msgspec.DecodeError as error:
        raise NotResumable(f"report is no stop report: {error}") from None


def _check_changed(stopped: StopReport, preconditions: Mapping[str, str]) -> None:
    name = stopped.unmet_precondition
    if name is None:
        return
    if name not in preconditions:
        raise NotResumable(
            f"preconditions has no {name!r}; its present version must be given: {stopped.resume_condition}"
        )
    if preconditions[name] == stopped.unmet_version:
        raise NotResumable(f"preconditions has {name!r} as it was when the run stopped; it must have changed")
