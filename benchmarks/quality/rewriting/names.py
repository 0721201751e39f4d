"""Other names for tools and arguments; what the user has set about them follows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from string import ascii_lowercase

from .case import Case, Entry
from .mutation import Mutation, Rewrite

Rename = Callable[[str, int], str]
"""A tool and the number of the call, from 0: the new name."""


def _renamed(case: Case, rename: Rename) -> Case:
    names = [rename(entry["tool"], number) if entry.get("tool") else None for number, entry in enumerate(case.calls)]
    pairs = zip(case.calls, names, strict=True)
    policies = {new: case.settings.policy(entry["tool"]) for entry, new in pairs if new is not None}
    settings = replace(case.settings, tools=tuple(policies.items())) if case.settings.tools else case.settings
    calls = tuple({**entry, "tool": new} for entry, new in zip(case.calls, names, strict=True))
    return replace(case, calls=calls, settings=settings)


def meaningless(case: Case, random: Random) -> Case:
    """Names of random letters, so that no verb helps."""
    names: dict[str, str] = {}

    def name(tool: str, _: int) -> str:
        return names.setdefault(tool, f"x{len(names)}{''.join(random.choices(ascii_lowercase, k=4))}")

    return _renamed(case, name)


def behind(server: Rename) -> Rewrite:
    """Names with an MCP server in front."""
    return lambda case, _: _renamed(case, lambda tool, number: server(tool, number) + tool)


def _every_other(_tool: str, number: int) -> str:
    return "mcp__harbour__" if number % 2 else ""


def prefixed_arguments(prefix: str) -> Rewrite:
    """Argument names that no list of names knows."""

    def rewrite(case: Case, _: Random) -> Case:
        policies = tuple(
            (
                pattern,
                replace(
                    policy,
                    volatile_keys=policy.volatile_keys | {prefix + key for key in policy.volatile_keys},
                    identity_keys=frozenset(prefix + key for key in policy.identity_keys),
                ),
            )
            for pattern, policy in case.settings.tools
        )
        calls = tuple(_prefixed(entry, prefix) for entry in case.calls)
        return replace(case, calls=calls, settings=replace(case.settings, tools=policies))

    return rewrite


def _prefixed(entry: Entry, prefix: str) -> Entry:
    arguments = entry.get("args")
    if not isinstance(arguments, dict):
        return entry
    return {**entry, "args": {prefix + key: value for key, value in arguments.items()}}


MUTATIONS = [
    Mutation("tool names: meaningless", meaningless),
    Mutation("tool names: behind an MCP server", behind(lambda _tool, _number: "mcp__harbour__")),
    Mutation("tool names: every other call behind an MCP server", behind(_every_other)),
    Mutation("argument names: prefixed", prefixed_arguments("arg_")),
]
