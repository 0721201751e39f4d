"""The control hook: asked about every signal, it says what to do."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from time import perf_counter
from typing import Protocol, runtime_checkable

from otel_loopwatch.control.decisions import RunDecision
from otel_loopwatch.control.identity import RunIdentity
from otel_loopwatch.control.policy import ResponsePolicy
from otel_loopwatch.model import Action, Level, LoopSignal, RunSummary
from otel_loopwatch.settings import Control

log = logging.getLogger("otel_loopwatch")


class ControlHook(Protocol):
    """Gets a signal and the run it is about; returns an action, or None for :attr:`Action.CONTINUE`.

    Called in the thread that ends the tool span, with no lock held: a slow hook delays that run and no other.
    """

    def __call__(self, signal: LoopSignal, run: RunSummary, /) -> Action | None:
        """Decide about one signal."""


def observe(signal: LoopSignal, run: RunSummary) -> Action:
    """Do nothing: signals are only told."""
    return Action.CONTINUE


def halt(signal: LoopSignal, run: RunSummary) -> Action:
    """Halt the run at a critical signal, nudge the model at a warning."""
    return Action.HALT if signal.level is Level.CRITICAL else Action.NUDGE


class Around:
    """A hook that asks another, and does more than that."""

    __slots__ = ()
    hook: ControlHook
    """The one that is asked."""

    def __call__(self, signal: LoopSignal, run: RunSummary) -> Action | None:
        """What the other hook says."""
        return self.hook(signal, run)


@runtime_checkable
class Elsewhere(Protocol):
    """A hook that knows what is decided about runs elsewhere, and not at a signal."""

    def decided(self, run: RunIdentity) -> RunDecision | None:
        """What holds for a run: CONTINUE, HALT, or BLOCK for the call that asks; None where nothing was decided.

        Asked before every call and model turn: it must cost no more than a look into memory.
        """


@dataclass(frozen=True, slots=True)
class DryRun(Around):
    """Asks another hook and has its action recorded, on spans and in the log, but not enforced."""

    hook: ControlHook


dry_run = DryRun(halt)
"""Records what :func:`halt` would have done."""

BUILT_IN: dict[str, ControlHook] = {
    Control.OBSERVE.value: observe,
    Control.DRY_RUN.value: dry_run,
    Control.HALT.value: halt,
    Control.TIERED.value: ResponsePolicy(),
}


@dataclass(frozen=True, slots=True)
class Decision:
    """What the hook made of a signal."""

    action: Action
    dry_run: bool = False
    """The action is recorded, not enforced."""
    seconds: float = 0.0
    error: str | None = None
    """Type of the failure, where the hook failed; the action is then CONTINUE."""


def resolve_hook(hook: ControlHook | str) -> ControlHook:
    """The hook meant by a constructor argument.

    :raises ValueError: for an unknown name, for what cannot be called, and for coroutine functions: a span's ``end()``
        cannot await them, and to run them later would decide too late.
    """
    if isinstance(hook, str):
        if hook not in BUILT_IN:
            raise ValueError(f"control_hook is {hook!r}; it must be one of {', '.join(BUILT_IN)}, or a callable")
        return BUILT_IN[hook]
    if not callable(hook):
        raise ValueError(f"control_hook is {hook!r:.60}; it must be one of {', '.join(BUILT_IN)}, or a callable")
    if any(map(inspect.iscoroutinefunction, _callables(hook))):
        raise ValueError(f"control_hook is {hook!r:.60}; it must not be a coroutine function: nothing can await it")
    return hook


def layers(hook: ControlHook) -> Iterator[ControlHook]:
    """A hook and those it asks, from the outside in."""
    yield hook
    if isinstance(hook, Around):
        yield from layers(hook.hook)


def innermost(hook: ControlHook) -> ControlHook:
    """The hook that decides in the end."""
    *_, last = layers(hook)
    return last


def is_dry(hook: ControlHook) -> bool:
    """Whether what a hook says about signals is recorded and not enforced."""
    return any(isinstance(layer, DryRun) for layer in layers(hook))


class Several:
    """Hooks around each other that each know of another place, as of several gateways."""

    def __init__(self, places: Sequence[Elsewhere]) -> None:
        self._places = places

    def decided(self, run: RunIdentity) -> RunDecision | None:
        """What was decided last, wherever; a call is refused where one of them refuses it."""
        held = [decision for place in self._places if (decision := place.decided(run)) is not None]
        last = max(held, key=lambda decision: decision.version, default=None)
        refused = next((decision for decision in held if decision.action is Action.BLOCK), None)
        return refused if refused is not None and last is not None and not last.halts else last


def elsewhere(hook: ControlHook) -> Elsewhere | None:
    """Who is to be asked what was decided elsewhere; nobody within a dry run, which carries nothing out."""
    carried_out = takewhile(lambda layer: not isinstance(layer, DryRun), layers(hook))
    places = [layer for layer in carried_out if isinstance(layer, Elsewhere)]
    return Several(places) if len(places) > 1 else next(iter(places), None)


def decide(hook: ControlHook, signal: LoopSignal, run: RunSummary) -> Decision:
    """Ask the hook. Whatever it raises or returns, the answer is a decision."""
    started = perf_counter()
    action, error = _ask(hook, signal, run)
    return Decision(action, is_dry(hook), perf_counter() - started, error)


def _ask(hook: ControlHook, signal: LoopSignal, run: RunSummary) -> tuple[Action, str | None]:
    try:
        answer: object = hook(signal, run)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        log.warning("The control hook failed on a %s signal", signal.kind.value, exc_info=True)
        return Action.CONTINUE, type(error).__qualname__
    if answer is None or isinstance(answer, Action):
        return answer or Action.CONTINUE, None
    if inspect.iscoroutine(answer):
        answer.close()
    log.warning("The control hook returned %s, which is no action", type(answer).__qualname__)
    return Action.CONTINUE, TypeError.__qualname__


def _callables(hook: Callable[..., object]) -> tuple[object, ...]:
    """Where a coroutine function may hide: in the hook, in its ``__call__``, in the hook that it asks."""
    inner = _callables(hook.hook) if isinstance(hook, Around) else ()
    return (hook, type(hook).__call__, *inner)
