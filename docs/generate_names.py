"""Writes the second half of ``otel_loopwatch/telemetry/names.py``: the constants that the published schema names.

usage: generate_names.py [--check]    writes, or says (exit code 1) that the module is out of step with the schema

The schema (``otel_loopwatch/schema``, semantic conventions as OpenTelemetry Weaver reads them) is the source: it is
what other languages and tools take the names from. Python gets a module, so that nothing is parsed at run time.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from otel_loopwatch.telemetry.names import InstrumentKind, On, ValueType

PACKAGE = Path(__file__).parents[1] / "otel_loopwatch"
SCHEMA = PACKAGE / "schema"
NAMES = PACKAGE / "telemetry" / "names.py"
MARK = "# From here on written by docs/generate_names.py from otel_loopwatch/schema.\n"
OWN = "loopwatch."

Definition = Mapping[str, Any]


def definitions(kind: str) -> list[Definition]:
    """All definitions of a kind (``attributes``, ``metrics``, ...) in the files of the schema."""
    files = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(SCHEMA.glob("*.yaml"))]
    return [definition for file in files for definition in file.get(kind, ())]


def constant(name: str) -> str:
    """The constant for a name: ``loopwatch.loop.kind`` is ``LOOP_KIND``, ``gen_ai.tool.name`` is ``TOOL_NAME``."""
    return name.removeprefix(OWN).removeprefix("gen_ai.").replace(".", "_").upper()


def value_type(attribute: Definition) -> ValueType:
    """Type on the wire; the members of an enum are strings."""
    return ValueType.STRING if isinstance(attribute["type"], dict) else ValueType(attribute["type"])


def carriers() -> dict[str, On]:
    """What carries each attribute, by the group that refers to it (``attributes.loopwatch.run``)."""
    return {
        attribute["ref"]: On[group["id"].rpartition(".")[2].upper()]
        for group in definitions("attribute_groups")
        for attribute in group["attributes"]
    }


def instrument(metric: Definition) -> InstrumentKind:
    """The instrument, which may be one that is read at collection."""
    observable = metric.get("annotations", {}).get("loopwatch", {}).get("observable", False)
    name = {"updowncounter": "UPDOWN"}.get(metric["instrument"], metric["instrument"].upper())
    return InstrumentKind[f"OBSERVABLE_{name}" if observable else name]


def borrowed() -> list[str]:
    """Names of other registries that our metrics carry, in the order of their first use."""
    used = [attribute["ref"] for metric in definitions("metrics") for attribute in metric.get("attributes", ())]
    return list(dict.fromkeys(name for name in used if not name.startswith(OWN)))


def lines() -> Iterator[str]:
    """The generated half, line by line."""
    for name in [*borrowed(), *(attribute["key"] for attribute in definitions("attributes"))]:
        yield f'{constant(name)} = "{name}"'
    for event in definitions("events"):
        yield f'{constant(event["name"])}_EVENT = "{event["name"]}"'
    yield from ("", "ATTRIBUTES = (")
    on = carriers()
    for one in definitions("attributes"):
        carrier = on.get(one["key"], On.METRIC)
        yield f"    Attribute({constant(one['key'])}, {value_type(one)!s}, {carrier!s}, {quoted(one['brief'])}),"
    yield from (")", '"""Own attributes, in the order of the schema, which tables in the documentation keep."""', "")
    for metric in definitions("metrics"):
        yield from _metric(metric)
    yield from _group("METRICS", of_gateway=False)
    yield from _group("GATEWAY_METRICS", of_gateway=True)


def _group(name: str, of_gateway: bool) -> Iterator[str]:
    """The tuple of the metrics that every process has, or of those that the gateway has besides."""
    yield f"{name} = ("
    for metric in definitions("metrics"):
        if metric["annotations"].get("loopwatch", {}).get("gateway", False) is of_gateway:
            yield f"    {constant(metric['name'])},"
    yield ")"


def _metric(metric: Definition) -> Iterator[str]:
    labels = [constant(attribute["ref"]) for attribute in metric.get("attributes", ())]
    buckets = [str(bound) for bound in metric.get("annotations", {}).get("loopwatch", {}).get("buckets", ())]
    yield f"{constant(metric['name'])} = Metric("
    yield f'    "{metric["name"]}",'
    yield f"    {instrument(metric)!s},"
    yield f"    {quoted(metric['unit'])},"
    yield f"    {quoted(metric['brief'])},"
    if labels:
        yield f"    attributes={python_tuple(labels)},"
    if buckets:
        yield f"    buckets={python_tuple(buckets)},"
    yield ")"


def quoted(text: str) -> str:
    """A string literal, which JSON and Python write alike."""
    return json.dumps(text, ensure_ascii=False)


def python_tuple(items: list[str]) -> str:
    """A tuple display."""
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"


def built() -> str:
    """The whole module: its first half as it stands, the second as the schema has it."""
    written_by_hand = NAMES.read_text(encoding="utf-8").partition(MARK)[0]
    return written_by_hand + MARK + "\n" + "\n".join(lines()) + "\n"


def main(arguments: list[str]) -> int:
    """Write the module, or compare it."""
    if NAMES.read_text(encoding="utf-8") == built():
        return 0
    if "--check" in arguments:
        print(f"{NAMES.name} is out of step with the schema: run make generate", file=sys.stderr)
        return 1
    NAMES.write_text(built(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
