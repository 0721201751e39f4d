"""YAML as people want to review it: keys in their own order, expressions as blocks."""

from __future__ import annotations

from typing import Any

import yaml

WIDTH = 1000
"""Templates are not broken in two."""


class _Dumper(yaml.SafeDumper):
    """A dumper of our own, so that nobody else's is changed."""

    def ignore_aliases(self, data: Any) -> bool:
        """Whatever occurs twice is written twice."""
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def dumped(content: Any, *comments: str) -> str:
    """A document, below comments that say what it is."""
    head = "".join(f"# {line}\n" for line in (*comments, "Made by otel-loopwatch pack; do not edit."))
    return head + yaml.dump(content, Dumper=_Dumper, sort_keys=False, width=WIDTH, allow_unicode=True)
