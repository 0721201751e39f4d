"""Laminar SDK (``@observe``)."""

from __future__ import annotations

from collections.abc import Mapping

from otel_loopwatch.dialects.base import Role
from otel_loopwatch.dialects.named_by_span import NamedBySpan

TYPE = "lmnr.span.type"


class Laminar(NamedBySpan):
    """``lmnr.span.*``."""

    name = "laminar"
    kind_key = TYPE
    roles: Mapping[str, Role] = {"TOOL": Role.TOOL, "LLM": Role.MODEL, "EXECUTOR": Role.AGENT}
    argument_keys = ("lmnr.span.input",)
    result_keys = ("lmnr.span.output",)
    conversation_keys = ("lmnr.association.properties.session_id", "session.id")
    user_keys = ("lmnr.association.properties.user_id", "user.id")
