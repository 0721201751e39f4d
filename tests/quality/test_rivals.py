from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from quality import loading
from quality.detector import Call, Fired, Session
from quality.rivals import RIVALS, NotInstalled, Rival

NOTHING, WARNED, STOPPED = Fired.NOTHING, Fired.WARNED, Fired.STOPPED
SCENARIOS = loading.SHARED / "cases" / "scenarios.jsonl"
GAP_MS = 60_000
SHORT_RUNS = (3,) * 19
"""As many good runs as a stop line at 5 % needs."""

# When each first does what about one call and result, again and again; then its right verdicts on the 26 scenarios.
TABLE = [
    ("loopbrake", 4, STOPPED, 13),
    ("runbound", 3, WARNED, 16),
    ("trajectory-fuse", 3, STOPPED, 15),
    ("agentguard47", 3, STOPPED, 13),
    ("agentguard47, fuzzy", 5, STOPPED, 14),
    ("unwedge", 4, WARNED, 16),
    ("aura-guard", 3, STOPPED, 17),
    ("aura-guard, told of acts", 3, STOPPED, 18),
    ("nudgeops", 3, WARNED, 18),
    ("agentbelt-loop", 3, STOPPED, 16),
    ("able-harness-kit", 3, STOPPED, 16),
    ("langchain-tool-recover", 2, WARNED, 18),
    ("agent-patrol", 4, WARNED, 14),
    ("snagtrace", 3, WARNED, 13),
    ("agent-watchdog", 3, STOPPED, 12),
    ("savi-loop-guard", 6, STOPPED, 16),
    ("tokencircuit", 4, WARNED, 13),
    ("agent-vitals", 3, WARNED, 17),
    ("agent-loop-detector", 3, WARNED, 13),
    ("agent-supra", None, NOTHING, 12),
]
"""agent-supra looks at failures only."""
BY_NAME = {rival.name: rival for rival in RIVALS}


def _installed(name: str, *, good_runs: tuple[int, ...] = SHORT_RUNS) -> Rival:
    rival = BY_NAME[name]
    if not rival.installed:
        pytest.skip(f"{rival.package} is not installed")
    return replace(rival, good_runs=good_runs)


def _read(path: str, result: str, position: int, **changed: object) -> Call:
    at_ms = position * GAP_MS
    call = Call(
        "case", "case", "read_file", {"path": path}, result, at_ms=at_ms, end_ns=(at_ms + 1) * loading.NS_PER_MS
    )
    return replace(call, **changed)


def _repeated(session: Session) -> tuple[int | None, Fired]:
    """The call at which the session first fires at one that is made again and again, and how."""
    for position in range(12):
        fired = session.observe(_read("a.py", "import b", position))
        if fired:
            return position + 1, fired
    return None, NOTHING


@pytest.mark.parametrize(("name", "step", "level"), [row[:3] for row in TABLE])
def test_a_plain_repeat_is_seen_when_the_rule_of_the_rival_says(name: str, step: int | None, level: Fired) -> None:
    """Each adapter feeds its package so that the documented default threshold decides."""
    assert _repeated(_installed(name).start()) == (step, level)


@pytest.mark.parametrize("name", [row[0] for row in TABLE])
def test_sessions_share_nothing(name: str) -> None:
    """A session that has fired leaves the next one as quick, or as slow, as the first."""
    rival = _installed(name)
    assert _repeated(rival.start()) == _repeated(rival.start())


@pytest.mark.parametrize("name", [row[0] for row in TABLE])
def test_a_healthy_batch_is_left_alone(name: str) -> None:
    """Three different files read at once are nothing to any of them."""
    session = _installed(name).start()
    batch = [("a.py", "import b"), ("lib/c.py", "def parse(text): ..."), ("README.md", "How to install it")]
    calls = [_read(path, result, 0, batch=1) for path, result in batch]
    assert [session.observe(call) for call in calls] == [NOTHING] * len(batch)


@pytest.mark.parametrize("name", [row[0] for row in TABLE])
def test_agents_have_guards_of_their_own(name: str) -> None:
    """The same look at the same file by four agents is no repeat."""
    session = _installed(name).start()
    calls = [_read("a.py", "import b", at, run=f"case/{agent}", agent=agent) for at, agent in enumerate("ABCD")]
    assert [session.observe(call) for call in calls] == [NOTHING] * len(calls)


@pytest.mark.parametrize("name", [row[0] for row in TABLE])
@pytest.mark.parametrize(
    "odd",
    [
        {"arguments": None, "result": None},
        {"arguments": "SELECT 1", "result": [1, {"rows": []}]},
        {"arguments": [1, None], "result": 0},
        {"arguments": {"": "日本語"}, "result": None, "error": ""},
        {"arguments": {"n": 1e400}, "result": None, "error": "x" * 100_000},
    ],
)
def test_odd_calls_are_survived(name: str, odd: dict[str, object]) -> None:
    """No shape of arguments, result or error that a case may have breaks an adapter."""
    session = _installed(name).start()
    assert [session.observe(replace(_read("a.py", "", at), **odd)) in Fired for at in range(3)] == [True] * 3


@pytest.mark.parametrize(("name", "right"), [(row[0], row[3]) for row in TABLE])
def test_verdicts_on_the_scenarios_stand(name: str, right: int) -> None:
    """An adapter that comes to feed its package less shows as another count of right verdicts."""
    if not SCENARIOS.exists():
        pytest.skip("the scenarios do not belong to the repository")
    cases = list(loading.read_cases(SCENARIOS, "scenarios"))
    good = tuple(len(case.calls) for case in cases if not case.expect.loop)
    rival = _installed(name, good_runs=good * 2)
    assert sum(_fires(rival, case) == case.expect.loop for case in cases) == right


def test_loopbrake_only_watches_without_enough_good_runs() -> None:
    """Eighteen good runs give no stop line at 5 %."""
    assert _repeated(_installed("loopbrake", good_runs=(3,) * 18).start()) == (None, NOTHING)


def test_every_rival_is_pinned_and_in_the_table() -> None:
    """The registry, the requirements and the table name the same packages."""
    requirements = Path(loading.HERE / "rivals" / "requirements.txt").read_text(encoding="utf-8").splitlines()
    pinned = {line.partition("==")[0] for line in requirements if not line.startswith("#")}
    assert {rival.package for rival in RIVALS} == pinned
    assert list(BY_NAME) == [row[0] for row in TABLE]


def test_a_rival_that_is_not_installed_says_how_to_get_it() -> None:
    """Asking for its version or a session names the package and the requirements."""
    absent = Rival("absent", "no-such-package-of-ours", "no_such_adapter:start")
    assert not absent.installed
    for ask in (lambda: absent.version, absent.start):
        with pytest.raises(
            NotInstalled, match=r"no-such-package-of-ours is not installed; pip install -r .*requirements\.txt"
        ):
            ask()


def _fires(rival: Rival, case: loading.Case) -> bool:
    session = rival.start()
    return any(session.observe(call) for call in case.calls)
