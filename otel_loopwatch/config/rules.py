"""What a value may be. A rule turns a plain value into what the settings hold, or says what was wrong and where."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from typing import Any

Path = tuple[str, ...]
"""Where a value stands: the parameter's name, then the keys within it."""
MIN_KEY = 16
"""Characters of a secret: shorter ones can be tried out."""


class Invalid(ValueError):
    """A value broke its rule; ``path`` says where it stood."""

    def __init__(self, path: Path, message: str) -> None:
        super().__init__(message)
        self.path = path


@dataclass(frozen=True, slots=True)
class Rule:
    """``words`` end the sentence "it must be ..."; ``check`` gives the value to store or raises :class:`Invalid`."""

    words: str
    check: Callable[[Path, object], Any]


def broken(path: Path, value: object, words: str) -> Invalid:
    """The error of a value that broke a rule: names the field, the value and the rule."""
    return Invalid(path, f"{dotted(path) or 'the configuration'} is {_shown(value)}; it must be {words}")


def unknown(path: Path, valid: Iterable[str]) -> Invalid:
    """The error of a key nobody reads: names the valid ones, and the one that was probably meant."""
    close = difflib.get_close_matches(path[-1], list(valid), 1)
    hint = f" (did you mean {close[0]}?)" if close else ""
    return Invalid(path, f"{dotted(path)} is not known{hint}; valid here: {', '.join(valid)}")


def dotted(path: Path) -> str:
    """``("tools", "get_*", "polling")`` as ``tools."get_*".polling``."""
    return ".".join(part if part.isidentifier() else f'"{part}"' for part in path)


def whole(least: int, most: int | None = None) -> Rule:
    """An integer within bounds; ``true`` is no integer."""
    words = f"a whole number, {least} or more" if most is None else f"a whole number from {least} to {most}"
    top = math.inf if most is None else most
    return simple(words, lambda v: isinstance(v, int) and not isinstance(v, bool) and least <= v <= top)


def positive() -> Rule:
    """A finite number above 0, as float."""
    return simple(
        "a number greater than 0",
        lambda v: isinstance(v, (int, float)) and not isinstance(v, bool) and 0 < v < 1e300,
        float,
    )


def flag() -> Rule:
    """A yes or no."""
    return simple("true or false", lambda v: isinstance(v, bool))


def text() -> Rule:
    """Text that says something."""
    return simple("text that is not blank", lambda v: isinstance(v, str) and bool(v.strip()))


def secret(least: int) -> Rule:
    """Text of at least so many characters, which no error shows."""
    words = f"text of {least} or more characters"

    def check(path: Path, value: object) -> object:
        if not isinstance(value, str) or len(value.strip()) < least:
            raise broken(path, Hidden(), words)
        return value

    return Rule(words, check)


class Hidden:
    """Stands in for a value that must not be shown."""

    def __repr__(self) -> str:
        return "not shown here"


def one_of(kinds: type[Enum]) -> Rule:
    """A member of an enum of strings, or its value."""
    words = [str(member.value) for member in kinds]
    return simple("one of " + ", ".join(words), lambda v: isinstance(v, str) and v in words, kinds)


def names() -> Rule:
    """A list of names, as a set."""
    return simple(
        "a list of names",
        lambda v: isinstance(v, (list, tuple, set, frozenset)) and all(isinstance(n, str) and n for n in v),
        frozenset,
    )


def simple(words: str, holds: Callable[[Any], bool], store: Callable[[Any], object] = lambda v: v) -> Rule:
    """A rule about a value that has no parts."""

    def check(path: Path, value: object) -> object:
        if not holds(value):
            raise broken(path, value, words)
        return store(value)

    return Rule(words, check)


def table(entries: Mapping[str, Rule], words: str, build: Callable[..., object] = dict) -> Rule:
    """A mapping in which only these keys may appear, given to ``build``; those left out stay out."""

    def check(path: Path, value: object) -> object:
        given = _as_mapping(path, value, words)
        for key in given:
            if key not in entries:
                raise unknown((*path, key), entries)
        return build(**{key: entries[key].check((*path, key), item) for key, item in given.items()})

    return Rule(words, check)


def globs(entry: Rule, words: str) -> Rule:
    """A mapping from glob patterns, stored as pairs in the order given: the first that matches wins."""

    def check(path: Path, value: object) -> tuple[tuple[str, Any], ...]:
        given = _as_mapping(path, value, words)
        return tuple((pattern, entry.check((*path, pattern), item)) for pattern, item in given.items())

    return Rule(words, check)


def named(entry: Rule, words: str) -> Rule:
    """A mapping from names of the user's own."""
    pairs = globs(entry, words)
    return Rule(words, lambda path, value: dict(pairs.check(path, value)))


def _as_mapping(path: Path, value: object, words: str) -> dict[str, object]:
    """A mapping with text keys; the settings' own dataclasses and pairs count as one, of what they set."""
    if is_dataclass(value) and not isinstance(value, type):
        value = {f.name: v for f in fields(value) if (v := getattr(value, f.name)) is not None}
    elif isinstance(value, tuple) and all(isinstance(pair, tuple) and len(pair) == 2 for pair in value):
        value = dict(value)
    if not isinstance(value, Mapping) or not all(isinstance(key, str) and key for key in value):
        raise broken(path, value, words)
    return {str(key.value) if isinstance(key, Enum) else key: item for key, item in value.items()}


def _shown(value: object) -> str:
    """A value as an error shows it: on one line, and not a long one."""
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."
