"""The table of what is tried: ``rows/*.toml``, one file per framework, one ``[[row]]`` per instrumentation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomllib  # type: ignore[import-not-found] # newer than the Python that the package itself supports
from scenarios import LIMITED, SCENARIOS

EVERY = "*"
"""Stands for all scenarios that are not named."""
ROWS = Path(__file__).parent / "rows"


@dataclass(frozen=True, slots=True)
class Row:
    """A framework with an instrumentation, pinned, and where it may differ from what the scenarios say."""

    name: str
    """File and variant: ``langchain/genai``."""
    framework: str
    instrumentation: str
    variant: str
    """What the script is told."""
    packages: tuple[str, ...]
    """Requirements, pinned with ``==``."""
    npm: tuple[str, ...] = ()
    """Packages for Node, pinned with ``@``; the script finds them in the folder ``NODE_HOME``."""
    script: str = ""
    """Module in ``scripts``; empty where a row only says why it cannot be tried."""
    python: str = ""
    """Version for the environment; empty for that of the interpreter running this."""
    shows: tuple[str, ...] = ()
    """Distributions whose versions the table shows."""
    env: Mapping[str, str] = field(default_factory=dict)
    content: Mapping[str, str] = field(default_factory=dict)
    """Variables that turn content on; none where it is on by default."""
    off: Mapping[str, str] = field(default_factory=dict)
    """Variables that turn content off, where it is on by default."""
    light: bool = False
    """Part of the half that runs in CI."""
    limit: str = ""
    """Limit by which the scenario ``limited`` is seen to end; empty where spans do not tell."""
    limit_raises: bool = True
    """Whether the agent raises at its limit, rather than return what it has."""
    expect: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """By content mode (on, default, off) and scenario (or ``*``): ``signals``, ``calls``, ``ran``, ``raises`` or
    ``limit`` that differ, and ``why``."""
    note: str = ""
    cannot: str = ""
    """Why it is not tried at all."""

    def expected(self, mode: str, scenario: str) -> Mapping[str, Any]:
        """What differs for one scenario."""
        differs = self.expect.get(mode, {})
        found: Mapping[str, Any] = differs.get(scenario, differs.get(EVERY, {}))
        return {"limit": self.limit, "raises": self.limit_raises, **found} if scenario == LIMITED else found

    @property
    def modes(self) -> Mapping[str, Mapping[str, str]]:
        """Environment per content mode. Where content is on by default, on and default are one."""
        on = {"on": {**self.env, **self.content}} if self.content else {}
        off = {"off": {**self.env, **self.off}} if self.off else {}
        return {**on, "default": self.env, **off}


def read_rows(folder: Path = ROWS) -> list[Row]:
    """Every row of every file.

    :raises ValueError: naming the file, the row and what is wrong.
    """
    return [row for path in sorted(folder.glob("*.toml")) for row in _rows_of(path)]


def _rows_of(path: Path) -> Iterator[Row]:
    shared = tomllib.loads(path.read_text(encoding="utf-8"))
    for own in shared.pop("row", []):
        name = f"{path.stem}/{own.get('variant', '?')}"
        try:
            yield _row(name, shared, own)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{path.name}, {name}: {error}") from error


def _row(name: str, shared: dict[str, Any], own: dict[str, Any]) -> Row:
    """A row's own keys win, except that packages and variables add up."""
    values = {**shared, **own, "name": name}
    values["packages"] = (*shared.get("packages", ()), *own.get("packages", ()))
    values["env"] = {**shared.get("env", {}), **own.get("env", {})}
    values["npm"] = tuple(values.get("npm", ()))
    shows = values.get("shows", ())
    values["shows"] = (shows,) if isinstance(shows, str) else tuple(shows)
    row = Row(**values)
    if loose := [package for package in row.packages if "==" not in package and "@" not in package]:
        raise ValueError(f"packages must be pinned with ==: {', '.join(loose)}")
    if loose := [package for package in row.npm if "@" not in package[1:]]:
        raise ValueError(f"npm packages must be pinned with @: {', '.join(loose)}")
    if unknown := {scenario for mode in row.expect.values() for scenario in mode} - {*SCENARIOS, EVERY}:
        raise ValueError(f"expect names unknown scenarios: {', '.join(sorted(unknown))}")
    return row
