"""YAML read so that an error can name the line it stands on."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Any

import yaml

from otel_loopwatch.config.rules import Path, dotted

MAX_DEPTH = 12
"""Deeper than any configuration, and what stops a file whose alias contains itself."""

Lines = dict[Path, int]
"""Line (from 1) at which the key of each path stands."""


def read_file(path: str) -> tuple[object, Lines]:
    """The value of a YAML file and where its parts stand. Raises ValueError where it cannot be read."""
    try:
        source = FilePath(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        raise ValueError(f"{path} cannot be read: {reason}") from None
    return parse(source, path)


def parse(source: str, origin: str) -> tuple[object, Lines]:
    """The value of YAML text and where its parts stand. Raises ValueError naming ``origin`` and the line."""
    lines: Lines = {}
    try:
        loader = yaml.SafeLoader(source)
        node = loader.get_single_node()
        return (None if node is None else _value(loader, node, (), lines)), lines
    except yaml.reader.ReaderError as error:
        line = source.count("\n", 0, error.position) + 1
        raise ValueError(f"{origin}, line {line}: {error.reason}") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise ValueError(f"{origin}, line {line}: {error.problem or error.context}") from None


def _value(loader: yaml.SafeLoader, node: yaml.Node, path: Path, lines: Lines) -> Any:
    if len(path) > MAX_DEPTH:
        raise yaml.MarkedYAMLError(problem="nested too deeply", problem_mark=node.start_mark)
    if isinstance(node, yaml.MappingNode):
        return _mapping(loader, node, path, lines)
    if isinstance(node, yaml.SequenceNode):
        return [_value(loader, item, (*path, str(index)), lines) for index, item in enumerate(node.value)]
    return _scalar(loader, node)


def _scalar(loader: yaml.SafeLoader, node: yaml.Node) -> Any:
    try:
        return loader.construct_object(node)
    except ValueError as error:  # such as a date that does not exist
        raise yaml.MarkedYAMLError(problem=str(error), problem_mark=node.start_mark) from None


def _mapping(loader: yaml.SafeLoader, node: yaml.MappingNode, path: Path, lines: Lines) -> dict[object, object]:
    made: dict[object, object] = {}
    for key_node, value_node in node.value:
        key = _scalar(loader, key_node) if isinstance(key_node, yaml.ScalarNode) else None
        here = (*path, str(key))
        if key in made:
            raise yaml.MarkedYAMLError(problem=f"{dotted(here)} stands here twice", problem_mark=key_node.start_mark)
        lines[here] = key_node.start_mark.line + 1
        made[key] = _value(loader, value_node, here, lines)
    return made
