"""What can be told of a span when it starts, cheaply. Many instrumentations set nothing before the end."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from opentelemetry.sdk.trace import ReadableSpan

from otel_loopwatch.dialects import Role, role
from otel_loopwatch.dialects.registry import NAMED, TELLING, dialect_of
from otel_loopwatch.live import LiveSpan, held
from otel_loopwatch.model import ModelTurn, ToolCall

PLUMBING = frozenset(
    "aio_pika aiohttp_client aiohttp_server aiokafka aiopg asgi asyncclick asyncio asyncpg cassandra celery click "
    "confluent_kafka dbapi django elasticsearch falcon fastapi flask grpc httpx jinja2 kafka logging mysql mysqlclient "
    "pika psycopg psycopg2 pymemcache pymongo pymssql pymysql pyramid redis remoulade requests sqlalchemy sqlite3 "
    "starlette system_metrics threading tornado tortoiseorm urllib urllib3 wsgi".split()
)
"""Packages of opentelemetry-python-contrib (``opentelemetry.instrumentation.NAME``) whose spans are no agent's work."""

TOOL_NAME = "execute_tool "
"""Beginning of the name of a tool span, for instrumentations that set its attributes only later."""
MAX_LEARNT = 1024
NEVER_RAISE_INTO = frozenset(
    {"strands.telemetry.tracer", "autogen-core", "openinference.instrumentation.autogen_agentchat"}
)
"""Scopes of frameworks that do not end a run when the start of a tool span raises what is no ``Exception``.

Strands 1.62 asks its model again, hundreds of times; AutoGen 0.7.5 hangs for ever. Their runs stop by a hook of the
framework's own, or where the application asks (``current_run().raise_if_halted()``).
"""


ORDINARY = frozenset(
    {
        "db.system",
        "db.system.name",
        "http.method",
        "http.request.method",
        "http.url",
        "http.target",
        "messaging.system",
        "url.full",
        "url.path",
    }
)
"""Attributes with which the spans of requests, statements and messages start (stable and older conventions)."""


def may_matter(span: ReadableSpan) -> bool:
    """Whether a span may be one of an agent's work: it is neither known plumbing nor starts like an ordinary one.

    Asked for every span: looks at the SDK's own fields, since a property costs as much as a set operation.
    """
    try:
        attributes, name = span._attributes._dict, span._name  # type: ignore[union-attr]
    except AttributeError:
        attributes, name = held(span), span.name
    if (
        not ORDINARY.isdisjoint(attributes)
        and TELLING.isdisjoint(attributes)
        and (not name.startswith(NAMED) or dialect_of(attributes, name) is None)
    ):
        return False
    scope = span.instrumentation_scope
    return scope is None or not _is_plumbing(scope.name)


@lru_cache(maxsize=1024)
def _is_plumbing(scope: str) -> bool:
    package, _, name = scope.rpartition(".")
    return package == "opentelemetry.instrumentation" and name in PLUMBING


class ToolNames:
    """Tells tool spans at their start: by their dialect, by name, or because a span of this name was one before."""

    def __init__(self) -> None:
        self._learnt: set[tuple[str, str]] = set()

    def learn(self, span: LiveSpan, events: Sequence[object]) -> None:
        """A span ended, and these events were read from it; model spans tell of calls, too, but are none."""
        if len(self._learnt) >= MAX_LEARNT or any(isinstance(event, ModelTurn) for event in events):
            return
        if any(isinstance(event, ToolCall) and event.span_id == span.span_id for event in events):
            self._learnt.add((span.scope, span.name))

    def is_tool(self, span: LiveSpan) -> bool:
        """Whether the span that starts is a tool's, as far as can be told."""
        if span.name.startswith(TOOL_NAME) or (span.scope, span.name) in self._learnt:
            return True
        return role(span) is Role.TOOL
