"""Rules about queries to Loki. No parser of LogQL is at hand, and no dashboard of ours reads logs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from linting.board import Board, Json
from linting.rule import target_rule

_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"|`[^`]*`')
_RANGE = re.compile(r"\[([^\]]*)\]")


@target_rule("target-logql-rule", "loki")
def logql(_board: Board, target: Json) -> Iterator[str]:
    """A query is LogQL; as it cannot be parsed here, a query to Loki is refused."""
    yield f"{target.get('expr', '')!r} cannot be checked: there is no parser for LogQL here"


@target_rule("target-logql-auto-rule", "loki")
def logql_auto(_board: Board, target: Json) -> Iterator[str]:
    """A range in LogQL is ``$__auto``."""
    for written in _RANGE.findall(_QUOTED.sub("", target.get("expr", ""))):
        if written != "$__auto":
            yield f"range {written} is not $__auto"
