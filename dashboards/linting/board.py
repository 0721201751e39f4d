"""A dashboard in Grafana's JSON, as the rules look at it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]

WITHOUT_QUERIES = frozenset({"alertlist", "dashlist", "row", "text"})


@dataclass(frozen=True, slots=True)
class Board:
    """A dashboard; panels and targets stay the JSON that they are."""

    json: Json

    @property
    def title(self) -> str:
        """Title of the dashboard, empty where there is none."""
        return str(self.json.get("title", ""))

    @property
    def variables(self) -> list[Json]:
        """Variables, in the order in which Grafana shows them."""
        return list(self.json.get("templating", {}).get("list", []))

    def variable(self, name: str) -> Json | None:
        """The variable of a name."""
        return next((variable for variable in self.variables if variable["name"] == name), None)

    @property
    def sources(self) -> list[Json]:
        """Variables that choose a data source."""
        return [variable for variable in self.variables if variable["type"] == "datasource"]

    @property
    def panels(self) -> Iterator[Json]:
        """Panels of every type, with those of a closed row behind the row."""
        for panel in self.json.get("panels", []):
            yield panel
            yield from panel.get("panels", [])

    @property
    def querying(self) -> list[Json]:
        """Panels that show the answer to a query."""
        return [panel for panel in self.panels if panel["type"] not in WITHOUT_QUERIES]

    def plugin(self, asked: Json) -> str:
        """Plugin behind the data source of a target, a variable or a panel, such as ``prometheus``."""
        chosen = self.variable(variable_name(source_uid(asked)))
        if chosen and chosen["type"] == "datasource":
            return str(chosen["query"])
        source = asked.get("datasource")
        return str(source.get("type", "")) if isinstance(source, dict) else ""


def source_uid(asked: Json) -> str:
    """What a target, a variable or a panel names as its data source: an object with a uid, or in old files a text."""
    source = asked.get("datasource") or ""
    return str(source.get("uid", "")) if isinstance(source, dict) else str(source)


def variable_name(reference: str) -> str:
    """``datasource`` of ``$datasource``, ``${datasource}`` and ``${datasource:raw}``."""
    return reference.removeprefix("$").strip("{}").partition(":")[0]
