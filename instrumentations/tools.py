"""The tools of the agents: plain functions, as every framework takes them, that count how often they really ran."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

Tool = Callable[..., Any]


def new_tools(ran: Counter[str]) -> Mapping[str, Tool]:
    """Tools by name; each run of one is counted in ``ran``."""

    def get_order(order_id: str) -> str:
        """Read an order.

        Args:
            order_id: Number of the order.
        """
        ran["get_order"] += 1
        return f"Order {order_id} holds one kettle, paid by card and delivered by the north depot."

    def search_docs(query: str, limit: int = 5) -> str:
        """Search the documentation.

        Args:
            query: What to look for.
            limit: Most results to return.
        """
        ran["search_docs"] += 1
        return f"No policy matches '{query}'. Known policies: return of clothing, return of furniture, warranty."

    def track_parcel(parcel_id: str) -> str:
        """Say where a parcel is.

        Args:
            parcel_id: Number of the parcel.
        """
        ran["track_parcel"] += 1
        return f"Parcel {parcel_id} has passed {ran['track_parcel'] * 12} of 60 stations."

    def read_region(region: str) -> str:
        """Read the rules of a region.

        Args:
            region: Name of the region.
        """
        ran["read_region"] += 1
        raise LookupError(f"There is no region called {region}; regions are north and south.")

    return {tool.__name__: tool for tool in (get_order, search_docs, track_parcel, read_region)}


SCHEMAS: Mapping[str, Mapping[str, Any]] = {
    "get_order": {"order_id": {"type": "string"}},
    "search_docs": {"query": {"type": "string"}, "limit": {"type": "integer"}},
    "track_parcel": {"parcel_id": {"type": "string"}},
    "read_region": {"region": {"type": "string"}},
}
"""Properties of the tools' arguments, for clients that send schemas themselves."""


def schema(tool: str) -> dict[str, Any]:
    """JSON schema of a tool's arguments; the first one is required."""
    properties = SCHEMAS[tool]
    return {"type": "object", "properties": dict(properties), "required": list(properties)[:1]}
