"""agent-supra: an event per call with its own fingerprints of arguments and error, the revision and transient failures.

Its rules without its server, in the observation mode in which workspaces start, so that it only flags: 4 failures of a
tool with the same arguments, error and revision, or 4 reports of tests without fewer failing. A revision is a call that
edits; reports are read off lines such as ``FAILED test``, and a success after one has none failing.
"""

from __future__ import annotations

import re
from typing import Any

from agent_supra.detector import evaluate
from agent_supra.sdk import error_fingerprint, fingerprint

from ..detector import Call, Fired, Session
from .failures import is_transient
from .feeding import canonical, outcome_of
from .naming import Purpose, purpose_of

_FAILED_TEST = re.compile(r"^FAILED (\S+)", re.MULTILINE)


class _Session:
    def __init__(self) -> None:
        self._events: list[dict[str, Any]] = []
        self._flagged: set[str] = set()
        self._suite: set[str] = set()
        self._testers: set[str] = set()
        self._revision = 0

    def observe(self, call: Call) -> Fired:
        if call.error is None and purpose_of(call.tool) is Purpose.WRITE:
            self._revision += 1
        self._add("tool.finished", _finished(call))
        self._report_tests(call)
        new = {finding.dedup_key for finding in evaluate(self._events)} - self._flagged
        self._flagged |= new
        return Fired.WARNED if new else Fired.NOTHING

    def _report_tests(self, call: Call) -> None:
        failing = set(_FAILED_TEST.findall(outcome_of(call)))
        if failing:
            self._testers.add(call.tool)
            self._suite |= failing
        if call.tool in self._testers:
            self._add("tests.reported", {"suite": sorted(self._suite), "failing": sorted(failing)})

    def _add(self, kind: str, data: dict[str, Any]) -> None:
        seq = len(self._events) + 1
        known = {**data, "rev": str(self._revision)}
        self._events.append({"event_id": str(seq), "seq": seq, "type": kind, "data": known})


def start() -> Session:
    """A run of its own."""
    return _Session()


def _finished(call: Call) -> dict[str, Any]:
    finished: dict[str, Any] = {"tool": call.tool, "args_fp": fingerprint(canonical(call.arguments)), "ok": True}
    if call.error is None:
        return finished
    error_class = "transient" if is_transient(call.error) else "permanent"
    return {**finished, "ok": False, "error_fp": error_fingerprint(call.error), "error_class": error_class}
