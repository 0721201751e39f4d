"""Questions that need a process of their own: asked as modules of this package that print their answer as JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

K = TypeVar("K", bound=Hashable)


class Failed(Exception):
    """The process failed; the message is what it said."""


def ask(module: str, *arguments: object, python: str = sys.executable) -> Any:
    """What the module prints."""
    command = [python, "-m", f"cost.{module}", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise Failed(done.stderr)
    return json.loads(done.stdout)


def together(questions: Mapping[K, Callable[[], Any]]) -> dict[K, Any]:
    """The answers, asked as many at a time as there are cores: for what other work on the machine does not change."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(questions, pool.map(lambda ask: ask(), questions.values()), strict=True))
