"""The scripted stretch, and the Prometheus that holds it: played once for all tests that look at it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from live import RULES, api
from live.hour import Stretch, played
from live.processes import NotInstalled, until
from live.servers import backfilled, prometheus

HOURS = 2.0
"""Long enough for all that the agents do, and for the windows of the alerts that fire within minutes."""


@pytest.fixture(scope="session")
def stretch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stretch]:
    """The hours up to now, played."""
    with played(tmp_path_factory.mktemp("stretch"), time.time(), HOURS) as stretch:
        yield stretch


@pytest.fixture(scope="session")
def history(stretch: Stretch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a Prometheus that had scraped the stretch would have stored, recorded series included."""
    data = tmp_path_factory.mktemp("prometheus") / "data"
    try:
        backfilled(data, stretch, RULES)
    except NotInstalled as missing:
        pytest.skip(str(missing))
    return data


@pytest.fixture(scope="session")
def url(history: Path) -> Iterator[str]:
    """A Prometheus with that history, which evaluates the rules as they are."""
    with prometheus(history, RULES) as url:
        until(lambda: bool(api.instant(url, 'ALERTS{alertstate="firing"}')), "an alert fires")
        yield url
