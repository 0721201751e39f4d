"""The span tree of one trace, as far as runs and calls need it: links upwards, and the few spans that matter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from otel_loopwatch.dialects import Role
from otel_loopwatch.spans import Span, SpanData
from otel_loopwatch.tracker.naming import plain_tool
from otel_loopwatch.tracker.siblings import Siblings

if TYPE_CHECKING:
    from otel_loopwatch.tracker.merge import Heard
    from otel_loopwatch.tracker.runs import Run

MAX_DEPTH = 64
"""Ancestors looked at, at most: deeper trees fall back to what is known by then."""
MAX_OPEN = 4096
MAX_ENDED = 1024
MAX_REQUESTED = 64
MAX_ROUNDS = 256


class Node:
    """A span others look up to: a tool, a model, an agent, or one that has not said yet what it is."""

    __slots__ = (
        "span_id", "parent", "name", "role", "span", "is_open", "models", "joined", "run", "held", "called",
        "group_key", "awaited",
    )  # fmt: skip

    def __init__(self, span: Span, parent: int, role: Role | None) -> None:
        self.span_id = span.span_id
        self.parent = parent
        self.name = span.name
        self.role = role
        """``None`` while the span carries no attributes: it is opaque."""
        self.span: Span | None = span
        """The live span while it is open: what it says of itself may come late."""
        self.is_open = True
        self.models = 0
        """Model spans that ended beneath it, with no agent or tool known between."""
        self.joined = False
        """Others had been at work in its trace before this span began, or were beside it."""
        self.run: Run | None = None
        self.held: Heard | None = None
        """The same call as told by a span beneath, waiting for this one to end."""
        self.called: Heard | None = None
        """A call beneath that was passed on while nothing showed that this span is the same call."""
        self.group_key: str | None = None
        self.awaited = False
        """Others hang from it, and its own span has not been told yet."""


class Trace:
    """State of one trace; everything in it is bounded."""

    __slots__ = (
        "trace_id", "open", "ended", "roots", "remote", "agents", "opaque", "rounds", "round_of", "requested", "names",
        "alive", "run", "bare_taken", "has_agents", "has_tools", "models", "shadow", "lingers", "last_ns",
    )  # fmt: skip

    def __init__(self, trace_id: int) -> None:
        self.trace_id = trace_id
        self.open: dict[int, int | Node] = {}
        """Open spans: an ordinary one is only its parent's id."""
        self.ended: dict[int, int | Node] | None = None
        self.roots: dict[int, None] = {}
        """Open spans whose parent is not known."""
        self.remote = False
        """A span's parent is elsewhere."""
        self.agents = Siblings()
        self.opaque = Siblings()
        """Spans that began without attributes."""
        self.rounds: set[tuple[int, str]] | None = None
        """Parent and name of opaque spans that held one response: an agent answers at least twice, a round once."""
        self.round_of = 0
        """Span around the last step in which a model answered: what is awaited next is its next step."""
        self.requested: set[str] | None = None
        """Tools the models of this trace asked for."""
        self.names: dict[str, int] | None = None
        self.alive: dict[str, Run] | None = None
        """Runs of this trace that have not ended, by key."""
        self.run: Run | None = None
        """The run of calls that no agent encloses."""
        self.bare_taken = False
        self.has_agents = False
        self.has_tools = False
        self.models = False
        self.shadow = False
        """Another instrumentation tells the same story in another trace."""
        self.lingers = False
        """Outlives its root span: more is expected."""
        self.last_ns = 0

    def absorb(self, parents: dict[int, int]) -> None:
        """Go on from the open spans that were seen before anything mattered."""
        self.open.update(parents)
        for span_id, parent in parents.items():
            if parent not in parents:
                self.roots[span_id] = None
                self.remote = self.remote or parent != 0

    def link(self, span_id: int) -> int | Node | None:
        """What is known of a span: its parent's id, its node, or nothing."""
        found = self.open.get(span_id)
        if found is None and self.ended is not None:
            found = self.ended.get(span_id)
        return found

    def knows(self, span_id: int) -> bool:
        """Whether the span has been seen."""
        return self.link(span_id) is not None

    def nodes_above(self, parent_id: int) -> Iterator[Node]:
        """Ancestors that matter, nearest first, at most ``MAX_DEPTH`` links up."""
        opened, ended = self.open, self.ended
        for _ in range(MAX_DEPTH):
            found = opened.get(parent_id)
            if found is None:
                found = ended.get(parent_id) if ended is not None else None
                if found is None:
                    return
            if isinstance(found, int):
                parent_id = found
            else:
                yield found
                parent_id = found.parent

    def root_above(self, span_id: int) -> int:
        """Outermost known ancestor of a span, itself included."""
        for _ in range(MAX_DEPTH):
            found = self.link(span_id)
            parent = found.parent if isinstance(found, Node) else found
            if parent is None or not self.knows(parent):
                return span_id
            span_id = parent
        return span_id

    def begin(self, span: Span, role: Role, group_key: str | None = None) -> bool:
        """Take in a span that starts (or whose start was missed); whether another had to be dropped for it."""
        parent = self._adopter(span.parent_id, role) or span.parent_id
        if not self.knows(parent):
            self.roots[span.span_id] = None
            self.remote = self.remote or parent != 0
        if role is Role.OTHER and span.attributes and group_key is None:
            self.open[span.span_id] = parent
        else:
            self.open[span.span_id] = self._node(span, parent, role, group_key)
        if role is Role.AGENT:
            self.has_agents = True
            if parent not in (0, span.span_id):
                self.agents.add(parent, span.span_id)
        if len(self.open) <= MAX_OPEN:
            return False
        self._drop_one_open()
        return True

    def await_parent(self, span_id: int, start_ns: int) -> None:
        """The parent of a span is told only when it ends, as everything is that comes from other processes.

        It is taken for the next step of the agent whose step was told last, until something shows that it is not.
        """
        if span_id == 0 or self.knows(span_id):
            return
        known = self.round_of if self.knows(self.round_of) else 0
        self.begin(SpanData(self.trace_id, span_id, known, start_ns=start_ns), Role.OTHER)
        found = self.open.get(span_id)
        if isinstance(found, Node):
            found.awaited = True

    def await_parents(self, start_ns: int) -> None:
        """The same for all outermost spans of now."""
        for span_id in tuple(self.roots):
            parent = self.open[span_id]
            if isinstance(parent, int) and parent:
                self.await_parent(parent, start_ns)
                del self.roots[span_id]
        self.remote = False

    def awaits(self, span_id: int) -> Node | None:
        """The node of a span that was awaited so far."""
        found = self.open.get(span_id)
        return found if isinstance(found, Node) and found.awaited else None

    def arrive(self, node: Node, span: Span, role: Role, group_key: str | None) -> None:
        """An awaited span is told: it takes its place, and what hangs from it belongs to what it turns out to be."""
        self.opaque.remove(node.parent, node.span_id)
        node.awaited, node.span, node.name, node.group_key = False, span, span.name, group_key
        node.role = role if span.attributes or role is not Role.OTHER else None
        node.parent = self._adopter(span.parent_id, role) or span.parent_id
        if self.knows(node.parent):
            self.roots.pop(node.span_id, None)
        else:
            self.remote = self.remote or node.parent != 0
        self._uproot(node)
        if role is Role.AGENT:
            self.has_agents = True
            self.agents.add(node.parent, node.span_id)
        if role not in (Role.AGENT, Role.TOOL):
            if node.models:
                self.note_round(node.span_id)
            self._pass_up(node)

    def _uproot(self, node: Node) -> None:
        """What is awaited above a span that others hung from is no step: it is not beneath what it was put beneath."""
        for above in self.nodes_above(node.parent):
            if above.awaited:
                self.opaque.remove(above.parent, above.span_id)
                self.opaque.add(0, above.span_id)
                above.parent = 0
                self.roots[above.span_id] = None
                return

    def note_round(self, step_id: int) -> None:
        """A model has answered in a step: the next step is beneath the same span."""
        step = self.link(step_id)
        if isinstance(step, int):
            self.round_of = step
        elif step is not None and not step.awaited and step.role in (Role.OTHER, None):
            self.round_of = step.parent

    def _pass_up(self, node: Node) -> None:
        """What was taken to be beneath an agent is beneath one of its steps."""
        for above in self.nodes_above(node.parent):
            above.models += node.models
            if above.role in (Role.AGENT, Role.TOOL):
                return

    def _node(self, span: Span, parent: int, role: Role, group_key: str | None) -> Node:
        node = Node(span, parent, role)
        node.group_key = group_key
        node.joined = self.models
        if role is Role.OTHER and not span.attributes:
            node.role = Role.TOOL if self.is_requested(span.name) else None
            node.joined = self.opaque.add(parent, span.span_id) or self.models
        return node

    def _adopter(self, parent: int, role: Role) -> int | None:
        """The open agent that works beside this span rather than above it.

        OpenLLMetry puts the agents and the tools of an openai-agents run side by side under the workflow.
        """
        beside = self.agents.last(parent) if role in (Role.TOOL, Role.MODEL) else None
        if beside is None:
            return None
        above = self.link(parent)
        if above is None or (isinstance(above, Node) and above.role in (Role.AGENT, Role.TOOL)):
            return None
        return beside

    def _drop_one_open(self) -> None:
        oldest = iter(self.open)
        next(oldest)  # the root, most likely: everything hangs from it
        self.drop(next(oldest))

    def finish(self, span: Span, role: Role) -> Node | None:
        """Take in that an open span ended; its node, if it is one that matters."""
        self.roots.pop(span.span_id, None)
        found = self.open.pop(span.span_id)
        if not isinstance(found, Node):
            if role is Role.OTHER:
                self._remember(span.span_id, found)
                return None
            found = Node(span, found, role)
        self._leave(found)
        self.has_agents = self.has_agents or role is Role.AGENT
        found.role, found.name, found.span, found.is_open = role, span.name, None, False
        dull = role is Role.OTHER and found.run is None and found.group_key is None
        self._remember(span.span_id, found.parent if dull else found)
        return found

    def drop(self, span_id: int) -> None:
        """Forget an open span that will never end."""
        self.roots.pop(span_id, None)
        found = self.open.pop(span_id, None)
        if isinstance(found, Node):
            self._leave(found)

    def _leave(self, node: Node) -> None:
        """The span is no longer open beside its siblings."""
        self.agents.remove(node.parent, node.span_id)
        was_opaque = self.opaque.remove(node.parent, node.span_id)
        if not was_opaque or node.models != 1 or node.run is not None:
            return
        if self.rounds is None:
            self.rounds = set()
        if len(self.rounds) < MAX_ROUNDS:
            self.rounds.add((node.parent, node.name))

    def is_round(self, node: Node) -> bool:
        """Whether an opaque span has the name of one before it that was a round of an agent."""
        if node.awaited:
            return self.round_of != 0 and node.models <= 1
        return self.rounds is not None and (node.parent, node.name) in self.rounds

    def _remember(self, span_id: int, found: int | Node) -> None:
        if self.ended is None:
            self.ended = {}
        self.ended[span_id] = found
        if len(self.ended) > MAX_ENDED:
            del self.ended[next(iter(self.ended))]

    def holders(self) -> list[Node]:
        """Open spans for which a call beneath is held."""
        return [found for found in self.open.values() if isinstance(found, Node) and found.held is not None]

    def request(self, tools: Iterator[str]) -> None:
        """Remember what a model asked for: an opaque span of that name is that tool."""
        if self.requested is None:
            self.requested = set()
        for tool in tools:
            if len(self.requested) < MAX_REQUESTED:
                self.requested.add(plain_tool(tool))

    def is_requested(self, span_name: str) -> bool:
        """Whether a span of this name is a tool some model of this trace asked for."""
        return self.requested is not None and plain_tool(span_name) in self.requested
