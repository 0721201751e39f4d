"""Arguments, results and failures in other shapes."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

from .case import Case, Entry
from .mutation import Mutation, Rewrite, answered, each, said

NOTICE = "This tool is offered by the harbour office; see the notice at the pier for its terms of use. "
LONG = 12
"""Notices in a row: more than a thousand characters."""
INFORMATIVE = 24
"""Characters from which a result says something by itself."""


def _of_object(write: Callable[[dict[str, Any], int], Any]) -> Callable[[Entry, int], Entry]:
    """Arguments that are an object, written differently."""

    def change(entry: Entry, number: int) -> Entry:
        arguments = entry.get("args")
        return {**entry, "args": write(arguments, number)} if isinstance(arguments, dict) else entry

    return change


def _json_text(arguments: dict[str, Any], number: int) -> str:
    """Every other time with the keys the other way round and more white space."""
    if number % 2:
        return json.dumps(dict(reversed(arguments.items())), indent=1)
    return json.dumps(arguments, ensure_ascii=False)


def _input_text(arguments: dict[str, Any], _: int) -> dict[str, str]:
    return {"input": json.dumps(arguments, ensure_ascii=False)}


def _pairs(arguments: dict[str, Any], _: int) -> str:
    return ", ".join(f"{key}={value!r}" for key, value in arguments.items())


def errors_as(write: Callable[[str], Any]) -> Rewrite:
    """Failures told by a result, and not by a flag. Limits set for failures would not hold, so such cases stay."""

    def change(entry: Entry, _: int) -> Entry:
        error = entry.get("error")
        return {**entry, "error": None, "result": write(error)} if isinstance(error, str) else entry

    def rewrite(case: Case, random: Random) -> Case:
        return case if case.settings.tools else each(change)(case, random)

    return rewrite


def _tail(entry: Entry, _: int) -> Entry:
    return answered(entry, lambda text: f"{text}\n{NOTICE * LONG}" if len(text) >= INFORMATIVE else text)


def _tail_of_all(entry: Entry, _: int) -> Entry:
    return said(entry, lambda text: f"{text}\n{NOTICE * LONG}")


def _head_of_all(entry: Entry, _: int) -> Entry:
    return said(entry, lambda text: f"{NOTICE * LONG}\n\n{text}")


def _short_tail_of_all(entry: Entry, _: int) -> Entry:
    return said(entry, lambda text: f"{text}\n{NOTICE}")


def _counter(entry: Entry, number: int) -> Entry:
    return said(entry, lambda text: f"{text} [{number * 17 + 301}]")


def _windows(entry: Entry, _: int) -> Entry:
    return said(entry, lambda text: text.replace("\n", "\r\n") + "\r\n")


def _coloured(entry: Entry, _: int) -> Entry:
    return said(entry, lambda text: f"\x1b[32m{text}\x1b[0m")


MUTATIONS = [
    Mutation("arguments: JSON text", each(_of_object(_json_text))),
    Mutation("arguments: JSON text in one argument", each(_of_object(_input_text))),
    Mutation("arguments: pairs in one text", each(_of_object(_pairs))),
    Mutation("errors: text", errors_as(lambda error: f"Error: {error}")),
    Mutation("errors: text, no word in front", errors_as(lambda error: error)),
    Mutation("errors: as Python prints them", errors_as(lambda error: f"ToolException({error!r})")),
    Mutation("errors: JSON object", errors_as(lambda error: {"error": error})),
    Mutation("errors: status and message", errors_as(lambda error: {"status": "error", "message": error})),
    Mutation("long results: those that say something", each(_tail)),
    # An acknowledgement, a state or nothing at all is told by its being short.
    Mutation("long results: all, after", each(_tail_of_all), keeps_evidence=False),
    Mutation("long results: all, before", each(_head_of_all), keeps_evidence=False),
    Mutation("long results: all, one sentence after", each(_short_tail_of_all)),
    Mutation("results: Windows line ends", each(_windows)),
    Mutation("results: coloured", each(_coloured)),
    Mutation("an unknown counter behind each result", each(_counter), keeps_evidence=False),
]
