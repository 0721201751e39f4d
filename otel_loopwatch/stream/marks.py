"""What is to be written onto spans that already left their process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from opentelemetry.trace import Status

from otel_loopwatch.telemetry.annotate import Value


@dataclass(frozen=True, slots=True)
class Mark:
    """An event to be added to a span."""

    name: str
    attributes: Mapping[str, Value]
    time_ns: int


@dataclass(slots=True)
class MarkedSpan:
    """Takes attributes, events and a status as an SDK span does, for whoever writes them onto the span's own bytes."""

    end_ns: int = 0
    """Time of the events that are added."""
    attributes: dict[str, Value] = field(default_factory=dict)
    events: list[Mark] = field(default_factory=list)
    error: str | None = None
    """Why the span's status is to be ERROR, unless it has one."""

    def set_attribute(self, key: str, value: Value) -> None:
        """Write one attribute."""
        self.attributes[key] = value

    def set_attributes(self, attributes: Mapping[str, Value]) -> None:
        """Write several."""
        self.attributes.update(attributes)

    def add_event(self, name: str, attributes: Mapping[str, Value]) -> None:
        """Add an event at the span's end."""
        self.events.append(Mark(name, attributes, self.end_ns))

    @property
    def status(self) -> Status:
        """That of a span without one: what it has is known to whoever writes."""
        return Status()

    def set_status(self, status: Status) -> None:
        """Have the status be an error."""
        self.error = status.description or ""
