"""Past runs out of files: how far each went, whether it was good, and which task it had."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from otel_loopwatch.calibration import UNNAMED, GoodRun
from otel_loopwatch.cli.bad_input import BadInput
from otel_loopwatch.cli.labels import labels_of, subject_of
from otel_loopwatch.cli.reading import Reading
from otel_loopwatch.settings import Options
from otel_loopwatch.sources import UnreadableFile


@dataclass(frozen=True, slots=True)
class Past:
    """A past run; it has the shape of a good one either way."""

    run: GoodRun
    good: bool
    called: frozenset[str]
    """Its key, and its trace or case."""


@dataclass(frozen=True, slots=True)
class Telling:
    """How the user tells good runs, and tasks."""

    listed: frozenset[str] = frozenset()
    """Good runs, traces or cases."""
    attribute: tuple[str, str] | None = None
    """Name and value of what marks a good run."""
    task: str | None = None
    """Name of what holds the task. Otherwise every trace or case is a task of its own."""

    @property
    def names(self) -> tuple[str, ...]:
        """What has to be known of a trace or case."""
        return tuple(name for name in (self.attribute and self.attribute[0], self.task) if name)

    def past(self, one: GoodRun, labels: Mapping[str, Sequence[str]]) -> Past:
        """A run whose task is its trace or case so far, by what it is called and what its labels say."""
        called = frozenset((one.run, one.task))
        good = bool(called & self.listed)
        if self.attribute is not None:
            name, value = self.attribute
            good = value in labels.get(name, ())
        task = labels.get(self.task, (one.task,))[0] if self.task else one.task
        return Past(one._replace(task=task), good, called)


def past_runs(paths: Sequence[str], options: Options, telling: Telling) -> Iterator[Past]:
    """The runs of files that made calls. Raises :class:`BadInput` at a file that cannot be used."""
    for path in paths:
        try:
            labels = labels_of(path, telling.names)
        except UnreadableFile as error:
            raise BadInput(str(error)) from None
        for one, subject in _runs_of(path, options):
            yield telling.past(one, labels.get(subject, {}))


def _runs_of(path: str, options: Options) -> list[tuple[GoodRun, str]]:
    """Each run of a file when it had gone furthest, and what its labels are found under."""
    furthest: dict[str, tuple[GoodRun, str]] = {}
    for judged in Reading(options).judged([path]):
        call, seen = judged.call, judged.observation
        if call is None or seen is None:
            continue
        before = furthest[call.run][0] if call.run in furthest else GoodRun(call.run, UNNAMED, "", 0)
        now = GoodRun(call.run, call.agent or before.agent, call.group or call.run, max(seen.effort, before.effort))
        furthest[call.run] = now, subject_of(call)
    return list(furthest.values())
