"""A tool as the guard calls it: its name, whether it changes the world, and in what time it ends."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from contextvars import copy_context
from dataclasses import dataclass
from math import inf
from queue import Empty, Queue
from threading import Thread
from typing import Any, overload

TIMEOUT = "timeout"
"""Parameter through which a tool is told how many seconds it has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A function and what is known of it; made by :func:`tool`."""

    function: Callable[..., object]
    name: str
    side_effect: bool = False
    key: Callable[[Mapping[str, Any]], str] | None = None
    precondition: str | None = None
    timeout_s: float | None = None
    lease_s: float = 300.0

    def __post_init__(self) -> None:
        if inspect.iscoroutinefunction(self.function):
            raise ValueError(f"tool is {self.name}; it must not be a coroutine function: calls are synchronous")
        if self.key is not None and not self.side_effect:
            raise ValueError(f"key is given for {self.name}; only a tool with side_effect=True has one")
        for field in ("timeout_s", "lease_s"):
            value = getattr(self, field)
            if value is not None and not 0 < value < inf:
                raise ValueError(f"{field} is {value!r}; it must be a number of seconds above 0")

    def __call__(self, *args: Any, **kwargs: Any) -> object:
        """The function itself, unguarded."""
        return self.function(*args, **kwargs)

    def operation_key(self, arguments: Mapping[str, Any], given: str | None) -> str | None:
        """What stands for the operation; None for a tool without side effects.

        :raises ValueError: where a tool with a side effect has no key, and for a key that another tool was given.
        """
        if not self.side_effect:
            if given is not None:
                raise ValueError(f"operation_key is {given!r}; only a tool with side_effect=True has one")
            return None
        key = given if given is not None or self.key is None else self.key(arguments)
        if not key:
            raise ValueError(f"operation_key is {key!r}; {self.name} has a side effect and must have one")
        return key

    def run(self, arguments: Mapping[str, Any], remaining_s: float | None) -> object:
        """Call the function, within the time it has.

        It is told the seconds where it takes a ``timeout``; else it runs in a thread that is abandoned when they are
        over: it may go on unseen, and its end is not waited for.

        :raises TimeoutError: when it was abandoned.
        """
        limits = [limit for limit in (self.timeout_s, remaining_s) if limit is not None]
        if not limits:
            return self.function(**arguments)
        if TIMEOUT in _parameters(self.function):
            return self.function(**{**arguments, TIMEOUT: min(limits)})
        return _within(min(limits), lambda: self.function(**arguments), self.name)


@overload
def tool(function: Callable[..., object], /) -> Tool: ...
@overload
def tool(
    *,
    name: str | None = None,
    side_effect: bool = False,
    key: Callable[[Mapping[str, Any]], str] | None = None,
    precondition: str | None = None,
    timeout_s: float | None = None,
    lease_s: float = 300.0,
) -> Callable[[Callable[..., object]], Tool]: ...


def tool(function: Callable[..., object] | None = None, /, *, name: str | None = None, **known: Any) -> Any:
    """Say what the guard has to know of a function; works with and without parentheses.

    :param side_effect: it changes the world: it runs once per operation key.
    :param key: gives the operation key from the arguments, where the caller gives none.
    :param precondition: name of what has to change after a failure for want of something.
    :param timeout_s: how long it may take, in seconds, whatever the run has left.
    :param lease_s: how long a claimed operation may take, in seconds, before it is in doubt.
    :raises ValueError: naming the argument, its value and the rule it breaks.
    """

    def made(function: Callable[..., object]) -> Tool:
        return Tool(function=function, name=name or _name(function), **known)

    return made if function is None else made(function)


def as_tool(given: Tool | Callable[..., object]) -> Tool:
    """The tool, or one made of a plain function."""
    return given if isinstance(given, Tool) else tool(given)


def _name(function: Callable[..., object]) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def _parameters(function: Callable[..., object]) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):  # built in: it has none to be read
        return {}


def _within(seconds: float, call: Callable[[], object], name: str) -> object:
    """What ``call`` gives or raises, if it does so in time."""
    ended: Queue[tuple[object, BaseException | None]] = Queue()

    def work() -> None:
        try:
            ended.put((call(), None))
        except BaseException as error:  # noqa: BLE001 - it is raised where the call was made
            ended.put((None, error))

    context = copy_context()
    Thread(target=lambda: context.run(work), name=f"loopwatch {name}", daemon=True).start()
    try:
        value, error = ended.get(timeout=max(seconds, 0))
    except Empty:
        raise TimeoutError(f"{name} did not end within {seconds:.3g} s and was abandoned") from None
    if error is not None:
        raise error
    return value
