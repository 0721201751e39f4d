"""Where tokens are read from: a file or an environment variable, never the command line, which everybody can list."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from otel_loopwatch.config.rules import MIN_KEY

RULE = f"tokens of {MIN_KEY} or more printable ASCII characters, with white space between them"


def from_file(path: str) -> tuple[str, ...]:
    """The tokens in a file: several while an old one is replaced. Raises ``ValueError``, which shows none of them."""
    try:
        text = Path(path).read_text(encoding="ascii")
    except (OSError, ValueError):
        raise ValueError(f"token_file is {path!r}; it must be a file that can be read, with {RULE}") from None
    return _tokens("token_file", path, text)


def from_environment(name: str, environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """The tokens in an environment variable. Raises ``ValueError``, which shows none of them."""
    return _tokens("token_env", name, environment.get(name, ""))


def is_token(text: str) -> bool:
    """Whether a text may be a token."""
    return len(text) >= MIN_KEY and text.isascii() and text.isprintable() and " " not in text


def _tokens(field: str, where: str, text: str) -> tuple[str, ...]:
    found = tuple(text.split())
    if not found or not all(map(is_token, found)):
        raise ValueError(f"{field} is {where!r}; it must name {RULE}")
    return found
