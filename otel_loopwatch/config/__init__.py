"""Where settings come from: an argument, then the environment, then the YAML file, then the default."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from otel_loopwatch.calibration import Calibration
from otel_loopwatch.config.parameters import CONFIG_VARIABLE, ENVIRONMENT_PREFIX, PARAMETERS, Parameter
from otel_loopwatch.config.rules import Invalid, Path, table
from otel_loopwatch.settings import Options, Settings
from otel_loopwatch.variables import OF_COMMANDS

__all__ = ["PARAMETERS", "Parameter", "describe", "load"]

logger = logging.getLogger(__name__)

EVERYTHING = table({parameter.name: parameter.rule for parameter in PARAMETERS}, "a mapping of parameters")


def load(config_path: str | None = None, env: Mapping[str, str] = os.environ, **arguments: Any) -> Options:
    """The options that hold here. An argument of ``None`` is not set.

    ``config_path`` wins over the variable ``OTEL_LOOPWATCH_CONFIG``. Raises ValueError naming the parameter, its
    value and its rule, and the variable or the file and line it came from.
    """
    chosen = _from_file(config_path or env.get(CONFIG_VARIABLE))
    chosen |= _from_environment(env)
    chosen |= _checked({name: value for name, value in arguments.items() if value is not None}, lambda path: "")
    judging = {p.name: chosen.pop(p.name) for p in PARAMETERS if p.judges and p.name in chosen}
    if env.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        chosen["disabled"] = True
    return Options(settings=Settings(**judging), **chosen)


def describe(options: Options) -> str:
    """The whole set-up on one line, in the order of the table."""
    return " ".join(f"{p.name}={_described(options, p)}" for p in PARAMETERS)


def shown(value: object) -> str:
    """A setting as people write it."""
    match value:
        case bool() | None:
            return str(value).lower()
        case float():
            return f"{value:g}"
        case str() | int():
            return f"{getattr(value, 'value', value)}"
        case frozenset():
            return "[" + ", ".join(sorted(value)) + "]"
        case dict():
            return _braced(value.items())
        case tuple():
            return _braced(value)
        case Calibration():
            return _braced({"alpha": str(value.alpha), **value.lines()}.items())
        case _:
            parts = ((part, getattr(value, part.name)) for part in fields(value))  # type: ignore[arg-type]
            given = ((part, item) for part, item in parts if item not in (None, False, {}, frozenset()))
            return _braced((part.name, item if part.repr else "set") for part, item in given)


def _braced(pairs: Any) -> str:
    return "{" + ", ".join(f"{shown(key)}: {shown(item)}" for key, item in pairs) + "}"


def _described(options: Options, parameter: Parameter) -> str:
    value = _value(options, parameter)
    return "set" if parameter.secret and value is not None else shown(value)


def _value(options: Options, parameter: Parameter) -> object:
    return getattr(options.settings if parameter.judges else options, parameter.name)


def _from_file(path: str | None) -> dict[str, Any]:
    if not path:
        return {}
    from otel_loopwatch.config.yamlfile import read_file

    value, lines = read_file(path)

    def where(at: Path) -> str:
        known = next((lines[at[:size]] for size in range(len(at), 0, -1) if at[:size] in lines), 1)
        return f"{path}, line {known}: "

    return {} if value is None else _checked(value, where)


def _from_environment(env: Mapping[str, str]) -> dict[str, Any]:
    _warn_of_unknown(env)
    given = {p.name: _parsed(p, env[p.variable]) for p in PARAMETERS if env.get(p.variable, "").strip()}
    return _checked(given, lambda path: f"{ENVIRONMENT_PREFIX}{path[0].upper()}: ")


def _parsed(parameter: Parameter, text: str) -> object:
    """A variable holds what would stand in the YAML file, so mappings are written ``{calls: 50}``."""
    if parameter.secret:
        return text
    from otel_loopwatch.config.yamlfile import parse

    return parse(text.strip(), parameter.variable)[0]


def _warn_of_unknown(env: Mapping[str, str]) -> None:
    """Say so, no more: service discovery puts variables of other meaning under our prefix (``..._SERVICE_HOST``)."""
    known = {CONFIG_VARIABLE, *(p.variable for p in PARAMETERS), *OF_COMMANDS}
    for name in sorted(env):
        if name.startswith(ENVIRONMENT_PREFIX) and name not in known:
            logger.warning("%s is not a variable of Loopwatch; it is ignored", name)


def _checked(given: object, where: Callable[[Path], str]) -> dict[str, Any]:
    try:
        return dict(EVERYTHING.check((), given))
    except Invalid as error:
        raise ValueError(f"{where(error.path)}{error}") from None
