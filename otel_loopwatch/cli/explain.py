"""`replay --explain RUN`: finds the run that is meant, and has it explained once everything was read."""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict

from otel_loopwatch.cli.bad_input import BadInput
from otel_loopwatch.cli.explained import Explained
from otel_loopwatch.cli.reading import Judged, Reading
from otel_loopwatch.cli.terminal import Paint
from otel_loopwatch.digests import Digests
from otel_loopwatch.model import Level
from otel_loopwatch.settings import Options

NAMED = 5
"""Runs named where it is not clear which one is meant."""


class Explanation:
    """Keeps the calls of the runs whose id starts as the one that is wanted."""

    def __init__(self, wanted: str, options: Options, *, as_json: bool, content: bool) -> None:
        self._wanted = wanted
        self._digests = Digests(options.digest_key)
        self._as_json = as_json
        self._content = content
        self._runs: defaultdict[tuple[str, str], list[Judged]] = defaultdict(list)
        self._others: dict[str, None] = {}

    def take(self, judged: Judged) -> None:
        """One step of the reading."""
        run = judged.call.run if judged.call else judged.signals[0].run
        if run.startswith(self._wanted):
            self._runs[judged.path, run].append(judged)
        elif len(self._others) < NAMED:
            self._others[run] = None

    def end(self, reading: Reading, levels: Counter[Level]) -> None:
        """Print, or :class:`BadInput` where it is not clear which run is meant."""
        if not reading.calls:
            raise BadInput(reading.nothing_read())
        for (path, run), steps in self._chosen().items():
            explained = Explained(path, run, steps, self._digests, content=self._content)
            if self._as_json:
                for record in explained.records():
                    print(json.dumps(record, ensure_ascii=False))
            else:
                print("\n".join(explained.lines(Paint.of(sys.stdout))))

    def _chosen(self) -> dict[tuple[str, str], list[Judged]]:
        """The run of that id, else the only one that starts so; in each file that has it."""
        exact = {key: steps for key, steps in self._runs.items() if key[1] == self._wanted}
        names = list(dict.fromkeys(run for _, run in self._runs))
        if not names:
            raise BadInput(f"no run starts with {self._wanted!r}; there are others, such as {', '.join(self._others)}")
        if not exact and len(names) > 1:
            raise BadInput(f"{len(names)} runs start with {self._wanted!r}: {', '.join(names[:NAMED])}")
        return exact or self._runs
