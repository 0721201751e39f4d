"""Times, counters and prose in front of what tools return, as loggers and frameworks write them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from random import Random

from .case import Case, Entry
from .mutation import Mutation, Rewrite, said

START = datetime(2031, 5, 6, 9, 58, 41, 250_000, tzinfo=timezone.utc)

Label = Callable[[Entry, int, Random], str]
"""What stands in front of the result of a call; each agent's calls are numbered from 1."""


def in_front(label: Label) -> Rewrite:
    """A rewriting that puts a label in front of every result and failure text."""

    def rewrite(case: Case, random: Random) -> Case:
        calls: Counter[str | None] = Counter()
        labels = []
        for entry in case.calls:
            calls[entry.get("agent")] += 1
            labels.append(label(entry, calls[entry.get("agent")], random))
        return replace(case, calls=tuple(map(_labelled, case.calls, labels)))

    return rewrite


def _labelled(entry: Entry, label: str) -> Entry:
    return said(entry, lambda text: label + text)


def _time(form: str) -> Label:
    """The moment of the call, as `datetime.strftime` writes it."""

    def label(entry: Entry, _: int, random: Random) -> str:
        moment = START + timedelta(milliseconds=entry["at_ms"] + random.randrange(1000))
        return moment.strftime(form)

    return label


def _epoch(entry: Entry, _: int, random: Random) -> str:
    return f"{START.timestamp() + entry['at_ms'] / 1000:.3f} "


def _same(form: str) -> Label:
    """The same words each time; ``{tool}`` is the name of the tool."""
    return lambda entry, _number, _random: form.format(tool=entry.get("tool"))


def _counted(form: str) -> Label:
    """The number of the call among those of its agent."""
    return lambda _entry, number, _random: form.format(n=number)


def _call_id(_entry: Entry, _number: int, random: Random) -> str:
    return f"Tool call call_{''.join(random.choices('abcdefghjkmnpqrstvwxyzABCDEFGH0123456789', k=24))} finished:\n"


def _wall_time(_entry: Entry, _number: int, random: Random) -> str:
    return f"Exit code: 0\nWall time: {random.randrange(10, 990) / 1000:.4f} seconds\nOutput:\n"


LABELS: dict[str, Label] = {
    "time in front: ISO in brackets": _time("[%Y-%m-%d %H:%M:%S] "),
    "time in front: ISO with Z": _time("%Y-%m-%dT%H:%M:%S.%fZ "),
    "time in front: clock": _time("[%H:%M:%S] "),
    "time in front: syslog": _time("%b %d %H:%M:%S worker-2 agent: "),
    "time in front: logger": _time("%Y/%m/%d %H:%M:%S INFO "),
    "time in front: web server": _time("[%d/%b/%Y:%H:%M:%S +0000] "),
    "time in front: epoch": _epoch,
    "counter in front: brackets": _counted("[{n}] "),
    "counter in front: step": _counted("Step {n}: "),
    "counter in front: of a limit": _counted("({n}/50) "),
    "counter in front: hash": _counted("#{n}\n"),
    "counter in front: turn": _counted("Turn {n} | "),
    "counter in front: prompt": _counted("Out[{n}]: "),
    "counter in front: line": _counted("{n:6d}\t"),
    "prose in front: observation": _same("Observation: "),
    "prose in front: sentence": _same("Here is the result of the tool call:\n"),
    "prose in front: name of the tool": _same("Result of {tool}:\n\n"),
    "prose in front: long sentence": _same(
        "The tool was run in the user's workspace and returned the output below, which may be cut.\n\n"
    ),
    "prose in front: same line": _same("Tool output => "),
    "prose in front: id of the call": _call_id,
    "prose in front: wall time": _wall_time,
}
MUTATIONS = [Mutation(name, in_front(label)) for name, label in LABELS.items()]
