"""Calls written down as a case file: for ``otel-loopwatch replay``, and for the tools of a test to answer from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from os import PathLike
from pathlib import Path
from typing import Any

from otel_loopwatch.canonical import decode, text_of
from otel_loopwatch.cli.bad_input import BadInput
from otel_loopwatch.cli.reading import Reading
from otel_loopwatch.engine import Engine
from otel_loopwatch.model import Kind, ToolCall
from otel_loopwatch.settings import Options, Settings
from otel_loopwatch.sources import cases
from otel_loopwatch.testing.findings import Findings, LoopFound
from otel_loopwatch.testing.pseudonyms import Pseudonyms


class Content(str, Enum):
    """What becomes of arguments and results in a recording."""

    KEEP = "keep"
    """They are written as they were: tools of a test can answer from them."""
    DIGEST = "digest"
    """Each word is replaced by a made-up one: what was equal stays equal, and nothing can be read."""


@dataclass(frozen=True, slots=True)
class Recording:
    """A case file to be written: a case per trace, named after the file."""

    path: str | PathLike[str]
    content: Content

    def write(self, findings: Findings, settings: Settings) -> None:
        """Write the calls, unless their replay would not show the loops that were seen.

        :raises LoopFound: where digests hide or make up a loop; they must then be kept, or the run is not recorded.
        """
        pseudonyms = Pseudonyms() if self.content is Content.DIGEST else None
        records = list(_cases(Path(self.path).stem, findings.calls, pseudonyms))
        seen, replayed = _story(findings), _replayed(records, settings)
        if self.content is Content.DIGEST and seen != replayed:
            raise LoopFound(f"digests tell another story ({replayed} instead of {seen}): record with content='keep'")
        lines = (json.dumps(record, ensure_ascii=False, default=str) + "\n" for record in records)
        Path(self.path).write_text("".join(lines), encoding="utf-8", errors="backslashreplace")


def recorded_calls(path: str | PathLike[str]) -> list[ToolCall]:
    """The tool calls of any file that ``otel-loopwatch replay`` reads: a trace, a session, a recording.

    :raises ValueError: where the file cannot be read.
    """
    try:
        return [judged.call for judged in Reading(Options()).judged([str(path)]) if judged.call is not None]
    except BadInput as error:
        raise ValueError(str(error)) from None


def recorded_results(path: str | PathLike[str]) -> dict[tuple[str, str], list[str]]:
    """What the tools answered in such a file, in order, by tool and arguments (JSON, keys sorted).

    Answers that were not captured are empty; those of a recording with pseudonyms are of no use.

    :raises ValueError: where the file cannot be read.
    """
    answers: dict[tuple[str, str], list[str]] = {}
    for call in recorded_calls(path):
        key = (call.tool, json.dumps(_decoded(call.arguments), sort_keys=True))
        said = call.result if call.result is not None else call.error
        answers.setdefault(key, []).append("" if said is None else text_of(said))
    return answers


def _decoded(arguments: object) -> Any:
    return decode(arguments) if isinstance(arguments, (str, bytes)) else arguments


def _cases(name: str, calls: Iterable[ToolCall], pseudonyms: Pseudonyms | None) -> Iterator[dict[str, Any]]:
    groups: dict[str, list[ToolCall]] = {}
    for call in calls:
        groups.setdefault(call.group or call.run, []).append(call)
    for number, members in enumerate(groups.values(), 1):
        agents = _agents(members)
        first_ns = min(call.start_ns for call in members)
        entries = [_entry(call, agents[call.run], first_ns, pseudonyms) for call in members]
        yield {"id": name if len(groups) == 1 else f"{name}-{number}", "calls": entries}


def _agents(calls: Iterable[ToolCall]) -> dict[str, str]:
    """A name for each run, told apart where several runs are of one agent: in a case, the agent makes the run."""
    named: dict[str, str] = {}
    for call in calls:
        if call.run not in named:
            name = call.agent or "agent"
            taken = sum(1 for other in named.values() if other == name or other.startswith(f"{name}-"))
            named[call.run] = f"{name}-{taken + 1}" if taken else name
    return named


def _entry(call: ToolCall, agent: str, first_ns: int, pseudonyms: Pseudonyms | None) -> dict[str, Any]:
    arguments = _decoded(call.arguments)
    result, error = call.result, (call.error or True) if call.failed else None
    if pseudonyms is not None:
        arguments, result, error = pseudonyms.arguments(arguments), pseudonyms.result(call), pseudonyms.error(call)
    entry = {
        "tool": call.tool,
        "args": arguments,
        "result": result,
        "error": error,
        "agent": agent,
        "batch": call.batch,
        "turn": call.user_turn,
        "at_ms": (call.start_ns - first_ns) // cases.NS_PER_MS,
    }
    return {key: value for key, value in entry.items() if value is not None}


Story = list[tuple[str, str, int]]
"""Kind, level and number of the call, of each signal."""


def _story(findings: Findings) -> Story:
    """What was signalled; budgets apart, for a case has no model turns."""
    signals = findings.signals
    return sorted((s.kind.value, s.level.value, at) for s, at in signals if s.kind is not Kind.BUDGET)


def _replayed(records: Iterable[dict[str, Any]], settings: Settings) -> Story:
    found, engine = Findings(), Engine(settings)
    for record in records:
        for call in cases.calls(record, record["id"]):
            if call is not None:
                found.called(call)
                for signal in engine.observe(call).signals:
                    found.signalled(signal)
    return _story(found)
