"""What the tests of remote control share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from receiver import DEADLINE_S
from remote.following import Said


@pytest.fixture
def said() -> Iterator[Said]:
    """What is said elsewhere, without a network."""
    follower = Said()
    yield follower
    assert all(control.close(DEADLINE_S) for control in follower.controls)
