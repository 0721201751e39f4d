"""The pytest plugin: the fixture ``loopwatch`` watches the agent under test and fails the test with the loop explained.

Every pytest run in an environment with this package imports this module, so it imports nothing but pytest: what the
fixture needs is imported when a test asks for it.
"""

from __future__ import annotations

import warnings
from collections.abc import Generator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from otel_loopwatch.testing import Watch

WATCH: pytest.StashKey[Watch] = pytest.StashKey()
MARKER = "loopwatch(**arguments): arguments of otel_loopwatch.testing.Watch for the fixture loopwatch of this test"


class NothingSeen(pytest.PytestWarning):
    """A test watches an agent and saw no tool call: is the agent instrumented, on the provider that is watched?"""


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", MARKER)


@pytest.fixture
def loopwatch(request: pytest.FixtureRequest) -> Generator[Watch]:
    """Watches the tool calls of the agent under test; a loop fails the test.

    ``loopwatch.expect(kind=...)`` says that one belongs to the test, ``loopwatch.record(path)`` writes the calls down,
    ``loopwatch.attach(provider)`` watches a provider that is not the global one.
    """
    from otel_loopwatch.testing import Watch

    marker = request.node.get_closest_marker("loopwatch")
    watch = request.node.stash[WATCH] = Watch(**(marker.kwargs if marker else {}))
    yield watch
    if WATCH in request.node.stash:  # no function of pytest's was called: a unittest.TestCase
        watch.check()
    watch.close()


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Check when the test's function has returned, so that a loop is a failure of the test and no error after it."""
    try:
        result = yield
    except BaseException:
        _explain(pyfuncitem, _taken(pyfuncitem))
        raise
    watch = _taken(pyfuncitem)
    if watch is not None:
        watch.check()
        if not watch.calls:
            warnings.warn(NothingSeen(NothingSeen.__doc__), stacklevel=1)
    return result


def _taken(item: pytest.Function) -> Watch | None:
    """The watch of a test, if it has one, which the fixture then need not check."""
    watch = item.stash.get(WATCH, None)
    if watch is not None:
        del item.stash[WATCH]
    return watch


def _explain(item: pytest.Function, watch: Watch | None) -> None:
    """A test that failed by itself may have failed because of a loop."""
    if watch is not None and watch.loops:
        item.add_report_section("call", "loopwatch", "\n\n".join(map(str, watch.loops)))
