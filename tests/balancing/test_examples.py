"""The configurations of `examples/fleet` say what the gateway and the worker expect."""

from argparse import ArgumentParser
from typing import Any

import pytest
import yaml
from balancing.test_balancing import NAMES
from scripts import ROOT

from otel_loopwatch.cli import gateway, worker
from otel_loopwatch.gateway.settings import GatewaySettings

FLEET = ROOT / "examples/fleet"


def documents(name: str) -> list[Any]:
    """What a YAML file holds."""
    return list(yaml.safe_load_all((FLEET / name).read_text(encoding="utf-8")))


def arguments(command: Any) -> ArgumentParser:
    """The flags of a command."""
    parser = ArgumentParser()
    command.add_arguments(parser)
    return parser


@pytest.mark.parametrize("name", ["collector.yaml", "kafka.yaml"])
def test_pipelines_name_components_that_are_there(name: str) -> None:
    """A Collector refuses to start otherwise."""
    [config] = documents(name)
    for pipeline in config["service"]["pipelines"].values():
        for kind in ("receivers", "processors", "exporters"):
            assert set(pipeline.get(kind, ())) <= set(config.get(kind, {}))


def test_traces_are_balanced_by_their_ids_over_the_gateways_of_the_test() -> None:
    """As the test of the ring plays it."""
    [config] = documents("collector.yaml")
    balancing = config["exporters"]["loadbalancing/traces"]
    assert balancing["routing_key"] == "traceID"
    assert tuple(balancing["resolver"]["static"]["hostnames"]) == NAMES


def test_the_topic_is_that_of_the_worker_and_keyed_by_trace() -> None:
    """Without the key no worker sees a run."""
    [config] = documents("kafka.yaml")
    assert config["exporters"]["kafka"]["partition_traces_by_id"] is True
    assert config["exporters"]["kafka"]["traces"]["topic"] == arguments(worker).get_default("topic")


def test_the_gateways_of_kubernetes_start_with_flags_that_exist() -> None:
    """And listen where the service and the probe look."""
    service, stateful = documents("gateways.yaml")
    [container] = stateful["spec"]["template"]["spec"]["containers"]
    command, *flags = container["args"]
    given = arguments(gateway).parse_args(flags)
    assert command == gateway.NAME
    assert given.folder in {mount["mountPath"] for mount in container["volumeMounts"]}
    assert {port["port"] for port in service["spec"]["ports"]} == {given.http_port, given.grpc_port}
    grace = stateful["spec"]["template"]["spec"]["terminationGracePeriodSeconds"]
    assert grace >= 2 * GatewaySettings().drain_s
