from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_loopwatch.canonical import text_of
from otel_loopwatch.fingerprint import read
from otel_loopwatch.labels import bare
from otel_loopwatch.model import Evidence, Outcome, ToolCall
from otel_loopwatch.outcomes import LOOKED_AT, Grade, misuse, outcome_of
from otel_loopwatch.settings import NO_POLICY, ToolPolicy

SUCCESS, EMPTY, PENDING = Outcome.SUCCESS, Outcome.EMPTY, Outcome.PENDING
RETRYABLE, PRECONDITION, FATAL = Outcome.RETRYABLE, Outcome.PRECONDITION, Outcome.FATAL

RESULTS: list[tuple[Any, Outcome, Grade]] = [
    # nothing was found
    ("", EMPTY, Grade.EMPTY),
    ("   \n", EMPTY, Grade.EMPTY),
    ([], EMPTY, Grade.EMPTY),
    ({}, EMPTY, Grade.EMPTY),
    ("null", EMPTY, Grade.EMPTY),
    ("0", EMPTY, Grade.EMPTY),
    ("No results found.", EMPTY, Grade.EMPTY),
    ("Nothing matched the filter", EMPTY, Grade.EMPTY),
    ("The basket is empty", EMPTY, Grade.EMPTY),
    ("0 documents match", EMPTY, Grade.EMPTY),
    ({"items": [], "total": 0}, EMPTY, Grade.EMPTY),
    ({"query": "tide", "page": 3, "hits": []}, EMPTY, Grade.EMPTY),
    ({"query": "tide table of the north pier", "results": []}, EMPTY, Grade.EMPTY),
    ({"documents": [], "requestId": "a1"}, EMPTY, Grade.EMPTY),
    ({"status": "not_found"}, EMPTY, Grade.EMPTY),
    ("Observation: No matches found", EMPTY, Grade.EMPTY),
    ("[2031-05-06 10:00:00] No rows found", EMPTY, Grade.EMPTY),
    # done, and no more is said
    ("ok", SUCCESS, Grade.ACK),
    ("Done.", SUCCESS, Grade.ACK),
    ("File has been written successfully", SUCCESS, Grade.ACK),
    ("3 rows affected", SUCCESS, Grade.ACK),
    ("(no output)", SUCCESS, Grade.ACK),
    ({"ok": True}, SUCCESS, Grade.ACK),
    ({"status": "success", "id": 71}, SUCCESS, Grade.ACK),
    ({"message": "updated", "updated_at": "2031-05-06"}, SUCCESS, Grade.ACK),
    ("Result: done", SUCCESS, Grade.ACK),
    # not there yet
    ("pending", PENDING, Grade.PENDING),
    ("The job is still running", PENDING, Grade.PENDING),
    ("not ready", PENDING, Grade.PENDING),
    ("not yet ready", PENDING, Grade.PENDING),
    ({"status": "in_progress", "job": "nightly"}, PENDING, Grade.PENDING),
    ("no new messages", PENDING, Grade.PENDING),
    ("CREATE_IN_PROGRESS", PENDING, Grade.PENDING),
    ("Stack lamps: CREATE_IN_PROGRESS", PENDING, Grade.PENDING),
    ({"StackStatus": "CREATE_IN_PROGRESS", "stack": "lamps"}, PENDING, Grade.PENDING),
    ({"status": "running", "lamps": 3}, PENDING, Grade.PENDING),
    ({"state": "queued", "id": 3}, PENDING, Grade.PENDING),
    ("status: building", PENDING, Grade.PENDING),
    ("NAME  STATUS\nlamp  Pending\npier  Running", PENDING, Grade.PENDING),
    ("phase: running\n" + "lamp " * LOOKED_AT, PENDING, Grade.PENDING),
    ({"log": "lamp " * LOOKED_AT, "status": "running"}, PENDING, Grade.PENDING),
    # says something, and that something is going on
    ("lamp-1   0/1   ContainerCreating   0   4s", SUCCESS, Grade.UNDERWAY),
    ("building is 3/9 done at the north pier", SUCCESS, Grade.UNDERWAY),
    ("3/9 lamps of the pier are on", SUCCESS, Grade.UNDERWAY),
    ("9/9 lamps of the pier are on", SUCCESS, Grade.INFORMATIVE),
    ("the job is in the queue at the harbour", SUCCESS, Grade.UNDERWAY),
    # a clock
    ("10:15:32", SUCCESS, Grade.CLOCK),
    ("The time is 2031-05-06 10:15:32", SUCCESS, Grade.CLOCK),
    # short
    ("42", SUCCESS, Grade.SHORT),
    ("blue", SUCCESS, Grade.SHORT),
    ("true colours", SUCCESS, Grade.SHORT),
    ("[1, 2]", SUCCESS, Grade.SHORT),
    ({"n": 4}, SUCCESS, Grade.SHORT),
    ({"status": "green"}, SUCCESS, Grade.SHORT),
    # a line of data
    ("lamp.c", SUCCESS, Grade.TERSE),
    ("src/lamp.py", SUCCESS, Grade.TERSE),
    ("a=b", SUCCESS, Grade.TERSE),
    ("blue\ngreen", SUCCESS, Grade.TERSE),
    ("ok  \tlamp/pier\t0.01s", SUCCESS, Grade.TERSE),
    ("blue green", SUCCESS, Grade.SHORT),
    ("x = 1", SUCCESS, Grade.SHORT),
    ("[1", SUCCESS, Grade.SHORT),
    # says something
    ("The lamp on the north pier is broken", SUCCESS, Grade.INFORMATIVE),
    ("Die Lampe am Nordpier brennt nicht mehr", SUCCESS, Grade.INFORMATIVE),
    ("北の桟橋のランプが壊れていて、火曜日まで直らないそうです", SUCCESS, Grade.INFORMATIVE),
    (["north pier", "south pier"], SUCCESS, Grade.INFORMATIVE),
    ({"lamp": "broken", "pier": "north", "since": "May"}, SUCCESS, Grade.INFORMATIVE),
    ("No results found. " * 40, SUCCESS, Grade.INFORMATIVE),
    # what compilers and test runners print
    ("FAILED tests/test_lamp.py::test_on - assert off\n1 failed, 3 passed in 0.12s", FATAL, Grade.ERROR),
    ("Tests: 1 failed, 4 passed, 5 total", FATAL, Grade.ERROR),
    ("error[E0308]: mismatched types\n --> src/lamp.rs:4:5", FATAL, Grade.ERROR),
    ("error: could not compile `lamp`", FATAL, Grade.ERROR),
    ("thread 'main' panicked at src/lamp.rs:3", FATAL, Grade.ERROR),
    ("src/lamp.ts(3,5): error TS2322: Type 'string' is not assignable", FATAL, Grade.ERROR),
    ("--- FAIL: TestLamp (0.00s)\n    lamp_test.go:9: off", FATAL, Grade.ERROR),
    ("FAIL\tlamp/pier\t0.01s", FATAL, Grade.ERROR),
    ("Failure in test unique_lamp_id (models/lamp.yml)", FATAL, Grade.ERROR),
    ("Done. PASS=3 WARN=0 ERROR=1 SKIP=0 TOTAL=4", FATAL, Grade.ERROR),
    ("npm ERR! code ELIFECYCLE", FATAL, Grade.ERROR),
    ("BUILD FAILED in 3s", FATAL, Grade.ERROR),
    ("Process exited with code 1", FATAL, Grade.ERROR),
    ("exit status 2", FATAL, Grade.ERROR),
    ("2 errors and 1 warning found", FATAL, Grade.ERROR),
    ("lamp " * LOOKED_AT + "1 failed, 3 passed", FATAL, Grade.ERROR),
    ("0 failed, 12 passed", SUCCESS, Grade.SHORT),
    ("==== 3 passed in 0.1s ====", SUCCESS, Grade.INFORMATIVE),
    ("Tests: 5 passed, 5 total\nFailures: 0", SUCCESS, Grade.INFORMATIVE),
    ("Compilation finished, 0 errors, 2 warnings", SUCCESS, Grade.INFORMATIVE),
    ("Done. PASS=4 WARN=0 ERROR=0 SKIP=0 TOTAL=4", SUCCESS, Grade.INFORMATIVE),
    ("Process exited with code 0", SUCCESS, Grade.INFORMATIVE),
    ("ERRORS: 0", SUCCESS, Grade.SHORT),
    ({"exit_code": 1, "stdout": "the lamp is off"}, FATAL, Grade.ERROR),
    ({"returncode": 2, "stderr": "no such lamp"}, FATAL, Grade.ERROR),
    ({"exit_code": 1, "stdout": ""}, EMPTY, Grade.EMPTY),
    ({"exit_code": 1}, EMPTY, Grade.EMPTY),
    ({"exit_code": 0, "stdout": "all lamps are lit"}, SUCCESS, Grade.INFORMATIVE),
    ({"code": 404, "lamp": "is not on the pier"}, SUCCESS, Grade.INFORMATIVE),
    # what guards put in place of a result
    ("Tool call blocked: repeated identical call", FATAL, Grade.ERROR),
    ("This command was not executed because you ran it before", FATAL, Grade.ERROR),
    ("The request was refused as a duplicate of an earlier one", FATAL, Grade.ERROR),
    ("call skipped by the guard", FATAL, Grade.ERROR),
    ("Blocked: same arguments already used", PRECONDITION, Grade.ERROR),
    # what stands beside an answer
    ({"columns": ["lamp"], "rows": []}, EMPTY, Grade.EMPTY),
    ({"ResponseMetadata": {"attempts": 1}}, EMPTY, Grade.EMPTY),
    ({"meta": {"attempts": 1}, "ok": True}, SUCCESS, Grade.ACK),
    ("INSERT 0 1", SUCCESS, Grade.ACK),
    ("Clicked the lamp", SUCCESS, Grade.ACK),
    # failures told in the result
    ("HTTP/1.1 404 Not Found", PRECONDITION, Grade.ERROR),
    ("503 Service Unavailable", RETRYABLE, Grade.RETRYABLE),
    ({"status": "failed", "message": "no such lamp"}, PRECONDITION, Grade.ERROR),
    ({"success": False, "message": "rate limit"}, RETRYABLE, Grade.RETRYABLE),
    ({"ok": False}, FATAL, Grade.ERROR),
    ("Error: disk is full", FATAL, Grade.ERROR),
    ("Error:\n  disk is full", FATAL, Grade.ERROR),
    ("Output: Error: disk is full", FATAL, Grade.ERROR),
    ("\nTraceback (most recent call last):\n  File ...", FATAL, Grade.ERROR),
    ("2031-05-06 10:00:00 Traceback (most recent call last):\n  File ...", FATAL, Grade.ERROR),
    ("Found in the harbour:\n  nothing at all", EMPTY, Grade.EMPTY),
    ("Error: no such table", PRECONDITION, Grade.ERROR),
    ("Exception: rate limit exceeded", RETRYABLE, Grade.RETRYABLE),
    ("Traceback (most recent call last):\n  File ...", FATAL, Grade.ERROR),
    ({"error": "permission denied"}, PRECONDITION, Grade.ERROR),
    ({"error": {"code": 503}}, RETRYABLE, Grade.RETRYABLE),
    ({"errors": ["boom"], "data": None}, FATAL, Grade.ERROR),
    ("Error: something is missing " + "x" * LOOKED_AT, PRECONDITION, Grade.ERROR),
    ("Error handling is explained in chapter four of the guide", SUCCESS, Grade.INFORMATIVE),
]


@pytest.mark.parametrize(("result", "outcome", "grade"), RESULTS, ids=[str(row[0])[:40] for row in RESULTS])
def test_a_result_tells_its_outcome(result: Any, outcome: Outcome, grade: Grade) -> None:
    """By emptiness, shape and length first, then by a few words; labels are taken off before."""
    assert outcome_of(bare(text_of(result)).text, failed=False) == (outcome, grade)


@pytest.mark.parametrize(
    ("error", "outcome", "grade"),
    [
        ("429 Too Many Requests", RETRYABLE, Grade.RETRYABLE),
        ("HTTP 503", RETRYABLE, Grade.RETRYABLE),
        ("Connection reset by peer", RETRYABLE, Grade.RETRYABLE),
        ("TimeoutError", RETRYABLE, Grade.RETRYABLE),
        ("deadline exceeded", RETRYABLE, Grade.RETRYABLE),
        ("HTTP 404", PRECONDITION, Grade.ERROR),
        ("Permission denied, try again later", PRECONDITION, Grade.ERROR),
        ("field email is required", PRECONDITION, Grade.ERROR),
        ("no such file", PRECONDITION, Grade.ERROR),
        ("ZeroDivisionError", FATAL, Grade.ERROR),
        ("port 5030 is odd", FATAL, Grade.ERROR),
        ("", FATAL, Grade.NOTHING),
        (None, FATAL, Grade.NOTHING),
    ],
)
def test_a_failure_tells_whether_it_may_pass(error: str | None, outcome: Outcome, grade: Grade) -> None:
    """Codes first, then what must change, then what may pass; the rest will not."""
    assert outcome_of(error, failed=True) == (outcome, grade)


@pytest.mark.parametrize(
    ("failure", "form"),
    [
        ("validation error", True),
        ("lamp must be a number", True),
        ("missing required argument: lamp", True),
        ("expected int but got str", True),
        ("unexpected keyword argument 'lamp'", True),
        ("invalid json", True),
        ("no such lamp", False),
        ("disk is full", False),
        ("x" * LOOKED_AT + "invalid json", False),
    ],
)
def test_a_complaint_about_the_form_of_a_call(failure: str, form: bool) -> None:
    """What the call was about makes no difference then."""
    assert misuse(failure) is form


def test_nothing_captured_is_unknown() -> None:
    """An absent result says nothing."""
    assert outcome_of(None, failed=False) == (Outcome.UNKNOWN, Grade.NOTHING)


@given(st.text(max_size=500), st.booleans())
def test_any_text_has_an_outcome(text: str, failed: bool) -> None:
    """Whatever is said, it is graded, and a failed call never counts as a success."""
    outcome, grade = outcome_of(text, failed)
    assert not failed or outcome in (RETRYABLE, PRECONDITION, FATAL)
    assert grade is not Grade.NOTHING or not text


@pytest.mark.parametrize(
    ("grade", "evidence"),
    [
        (Grade.NOTHING, Evidence.NONE),
        (Grade.CLOCK, Evidence.WEAK),
        (Grade.PENDING, Evidence.WEAK),
        (Grade.ACK, Evidence.WEAK),
        (Grade.EMPTY, Evidence.WEAK),
        (Grade.SHORT, Evidence.WEAK),
        (Grade.RETRYABLE, Evidence.STRONG),
        (Grade.INFORMATIVE, Evidence.STRONG),
        (Grade.ERROR, Evidence.STRONG),
    ],
)
def test_a_grade_is_evidence(grade: Grade, evidence: Evidence) -> None:
    """Three steps for people."""
    assert grade.evidence is evidence


TEXT = "The lamp on the north pier is broken"


@pytest.mark.parametrize(
    ("fields", "policy", "outcome", "grade", "failed"),
    [
        ({"outcome": Outcome.PENDING}, NO_POLICY, PENDING, Grade.PENDING, False),
        ({"outcome": Outcome.EMPTY}, NO_POLICY, EMPTY, Grade.EMPTY, False),
        ({"outcome": Outcome.FATAL}, NO_POLICY, FATAL, Grade.ERROR, False),
        ({"outcome": Outcome.PRECONDITION}, NO_POLICY, PRECONDITION, Grade.ERROR, False),
        ({"outcome": Outcome.RETRYABLE}, NO_POLICY, RETRYABLE, Grade.RETRYABLE, False),
        ({"outcome": Outcome.SUCCESS}, NO_POLICY, SUCCESS, Grade.INFORMATIVE, False),
        ({}, ToolPolicy(polling=True), SUCCESS, Grade.PENDING, False),
        ({"result": "Error: no such job"}, ToolPolicy(polling=True), PRECONDITION, Grade.ERROR, True),
        ({"truncated": True}, NO_POLICY, SUCCESS, Grade.NOTHING, False),
        ({"result": None, "failed": True, "error": "no such job"}, NO_POLICY, PRECONDITION, Grade.ERROR, True),
        ({"result": "no such job", "failed": True, "error": "boom"}, NO_POLICY, PRECONDITION, Grade.ERROR, True),
        ({"result": None, "error": "boom"}, NO_POLICY, Outcome.UNKNOWN, Grade.NOTHING, False),
    ],
)
def test_a_call_is_read(
    fields: dict[str, Any], policy: ToolPolicy, outcome: Outcome, grade: Grade, failed: bool
) -> None:
    """What is declared wins over what is read; an error text counts where the call failed and has no result."""
    found = read(ToolCall(run="r", tool="t", **{"result": TEXT, **fields}), policy, 65_536)
    assert (found.outcome, found.grade, found.failed) == (outcome, grade, failed)


def test_volatile_keys_of_a_result_do_not_count() -> None:
    """Named by the user, they are left out of the result, whether it is text or a value."""
    policy = ToolPolicy(volatile_keys=frozenset({"etag9"}))
    raws = {
        read(ToolCall(run="r", tool="t", result=result), policy, 65_536).raw
        for result in ({"lamp": "on", "etag9": "a"}, '{"lamp": "on", "etag9": "b"}', {"lamp": "on"})
    }
    assert len(raws) == 1


@pytest.mark.parametrize(
    "log",
    ["2 failed, 7 passed", "At noon\nTraceback (most recent call last):\n  the lamp is out", "x" * 500 + "\n3 errors"],
)
def test_the_log_of_a_failure_is_no_failure_of_who_reads_it(log: str) -> None:
    """A tool that runs something fails with it; one that reads what was written then does not."""
    assert outcome_of(log, failed=False)[1] is Grade.ERROR
    assert not outcome_of(log, failed=False, reads=True)[1].failure


def test_a_count_of_errors_is_a_figure() -> None:
    """What says how many errors there were did not fail itself."""
    assert not outcome_of('{"requests":120,"errors":2,"day":"Monday"}', failed=False)[1].failure
