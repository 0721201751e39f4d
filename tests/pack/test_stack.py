"""The stack of the examples: valid for every program in it, closed to the network, and its agent works for real."""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import yaml
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from promtool import with_each
from receiver import DEADLINE_S, Receiver, Request, status
from scripts import ROOT, script

from otel_loopwatch.telemetry import names

STACK = ROOT / "examples/stack"
AGENT = str(STACK / "looping_agent.py")
COMPOSE = yaml.safe_load((STACK / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, Any] = COMPOSE["services"]
MOUNTS = [mount.split(":") for service in SERVICES.values() for mount in service.get("volumes", [])]
BOARDS = "/var/lib/grafana/dashboards"
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("OTEL_", "COV"))}


def configuration(name: str) -> Any:
    """One of the stack's files."""
    return yaml.safe_load((STACK / name).read_text(encoding="utf-8"))


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A program's end; it must be there, and has a minute."""
    return subprocess.run(
        arguments, capture_output=True, text=True, check=False, timeout=60, env={**CLEAN, **environment}
    )


@pytest.mark.skipif(importlib.util.find_spec("check_jsonschema") is None, reason="check-jsonschema is not installed")
def test_the_compose_file_follows_the_specification() -> None:
    """The published schema of Compose takes it."""
    schema = ("--builtin-schema", "vendor.compose-spec")
    done = run(sys.executable, "-m", "check_jsonschema", *schema, str(STACK / "compose.yaml"))
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("mount", MOUNTS, ids=lambda mount: str(mount[0]))
def test_every_mounted_file_is_there(mount: list[str]) -> None:
    """A missing one would become an empty directory; and no container may write to it."""
    source, _, mode = mount
    assert (STACK / source).is_file()
    assert mode == "ro"


def test_the_image_is_made_of_files_that_are_there() -> None:
    """Whatever is copied from the repository is in it, and is not ignored."""
    copied = re.findall(r"^COPY (.+) \S+$", (STACK / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
    sources = [source for line in copied for source in line.split()]
    kept = re.findall(r"^!(\S+)$", (STACK / "Dockerfile.dockerignore").read_text(encoding="utf-8"), re.MULTILINE)
    assert sources
    assert all((ROOT / source).exists() for source in sources)
    assert all(any(Path(source).match(pattern) for pattern in kept) for source in sources)


def test_every_image_is_pinned() -> None:
    """To a version, never to what happens to be the latest."""
    built = re.findall(r"^FROM (\S+)", (STACK / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
    images = [service["image"] for service in SERVICES.values() if "build" not in service] + built
    assert len(images) > 1
    assert [image for image in images if not re.fullmatch(r"[\w/-]+:v?\d+\.\d+\.\d+(-slim)?", image)] == []


def test_every_port_is_published_on_this_machine_alone() -> None:
    """Nobody logs in to any of it."""
    ports = [port for service in SERVICES.values() for port in service.get("ports", [])]
    assert ports
    assert [port for port in ports if not port.startswith("127.0.0.1:")] == []


def test_whoever_is_waited_for_can_be() -> None:
    """A condition of health needs a check of health."""
    awaited = [
        (name, what["condition"])
        for service in SERVICES.values()
        for name, what in service.get("depends_on", {}).items()
    ]
    healthy = {name for name, condition in awaited if condition == "service_healthy"}
    assert {name for name, _ in awaited} <= SERVICES.keys()
    assert healthy
    assert all("healthcheck" in SERVICES[name] for name in healthy)


@pytest.mark.parametrize(
    "file", ["collector.yaml", "prometheus.yaml", "alertmanager.yaml", "grafana/datasources.yaml", "compose.yaml"]
)
def test_the_programs_find_each_other(file: str) -> None:
    """Every host that a file names is a service of the stack."""
    hosts = set(re.findall(r"\b([a-z]+):\d{4}\b(?!:)", (STACK / file).read_text(encoding="utf-8")))
    assert hosts
    assert hosts <= {*SERVICES, "localhost"}


@with_each
def test_promtool_accepts_the_configuration_of_prometheus(promtool: str, tmp_path: Path) -> None:
    """With the rules where the container has them; the OTLP section is left to a promtool that knows it."""
    settings = configuration("prometheus.yaml")
    assert settings["otlp"] == {"translation_strategy": "UnderscoreEscapingWithSuffixes"}
    if "promtool, version 2" in run(promtool, "--version").stdout:
        del settings["otlp"]
    (rules,) = settings["rule_files"]
    (tmp_path / rules).parent.mkdir()
    shutil.copy(ROOT / "alerts/loopwatch.yaml", tmp_path / rules)
    (tmp_path / "prometheus.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    done = run(promtool, "check", "config", str(tmp_path / "prometheus.yaml"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 rule files found" in done.stdout


@pytest.mark.skipif(shutil.which("amtool") is None, reason="amtool is not installed (package prometheus-alertmanager)")
@pytest.mark.parametrize(("severity", "receiver"), [("critical", "page"), ("warning", "ticket")])
def test_amtool_routes_alerts_by_severity(severity: str, receiver: str) -> None:
    """The configuration is accepted, and each severity reaches its receiver."""
    file = str(STACK / "alertmanager.yaml")
    assert run("amtool", "check-config", file).returncode == 0
    done = run("amtool", "config", "routes", "test", f"--config.file={file}", f"severity={severity}")
    assert done.stdout.strip() == receiver


def test_a_page_silences_the_ticket_of_the_same_tool_alone() -> None:
    """Labels that both alerts lack count as equal, so the alert's name must be among those compared."""
    (rule,) = configuration("alertmanager.yaml")["inhibit_rules"]
    assert rule["equal"] == ["alertname", "job", "gen_ai_tool_name"]


def test_grafana_has_every_data_source_that_is_referred_to() -> None:
    """By the data sources themselves, and by the variables of the dashboards."""
    sources = configuration("grafana/datasources.yaml")["datasources"]
    referred = re.findall(r'"\w*Uid": "([^"]+)"', json.dumps(sources))
    assert referred
    assert set(referred) <= {source["uid"] for source in sources}
    wanted = {
        variable["query"]
        for board in boards()
        for variable in board["templating"]["list"]
        if variable["type"] == "datasource"
    }
    assert wanted
    assert wanted <= {source["type"] for source in sources}


def test_grafana_looks_for_dashboards_where_they_are_mounted() -> None:
    """Each under a uid of its own, or one would take another's place."""
    (provider,) = configuration("grafana/dashboards.yaml")["providers"]
    uids = [board["uid"] for board in boards()]
    assert provider["options"]["path"] == BOARDS
    assert uids
    assert len(set(uids)) == len(uids)


def boards() -> list[dict[str, Any]]:
    """The dashboards that are mounted."""
    files = [STACK / source for source, target, _ in MOUNTS if target.startswith(BOARDS)]
    return [json.loads(file.read_text(encoding="utf-8")) for file in files]


@pytest.fixture
def collector() -> Iterator[Receiver]:
    """Takes everything."""
    receiver = Receiver(status(200))
    yield receiver
    receiver.close()


def body(request: Request) -> bytes:
    """What was sent."""
    return gzip.decompress(request.body) if request.headers["Content-Encoding"] == "gzip" else request.body


def arrived(collector: Receiver, path: str) -> list[bytes]:
    """What has come in for a path."""
    requests = list(collector.requests.queue)
    return [body(request) for request in requests if request.line.split()[1] == path]


def test_the_agent_delivers_marked_spans_and_metrics(collector: Receiver) -> None:
    """Two good runs and a stuck one, told to an OTLP endpoint as the Collector would be."""
    endpoint = f"http://127.0.0.1:{collector.port}"
    done = run(sys.executable, AGENT, "--runs", "3", "--pause", "0", OTEL_EXPORTER_OTLP_ENDPOINT=endpoint)
    assert done.returncode == 0, done.stderr
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == ["poll", "paging", "identical"]
    spans = [span for sent in arrived(collector, "/v1/traces") for span in spans_of(sent)]
    marked = [span for span in spans if names.LOOP_DETECTED in {attribute.key for attribute in span.attributes}]
    assert {span.name for span in marked} == {"execute_tool search_policy", "invoke_agent support"}
    metrics = {metric.name: metric for sent in arrived(collector, "/v1/metrics") for metric in metrics_of(sent)}
    assert {names.TOOL_CALLS.name, names.LOOP_SIGNALS.name, names.LOOP_WASTED_CALLS.name} <= metrics.keys()
    assert sum(point.as_int for point in metrics[names.LOOP_WASTED_CALLS.name].sum.data_points) > 0


def spans_of(sent: bytes) -> Iterator[Any]:
    """Spans of a request, of the service they are expected from."""
    for resource in ExportTraceServiceRequest.FromString(sent).resource_spans:
        assert service_of(resource.resource) == "support-agent"
        for scope in resource.scope_spans:
            yield from scope.spans


def metrics_of(sent: bytes) -> Iterator[Any]:
    """Metrics of a request, of the service they are expected from."""
    for resource in ExportMetricsServiceRequest.FromString(sent).resource_metrics:
        assert service_of(resource.resource) == "support-agent"
        for scope in resource.scope_metrics:
            yield from scope.metrics


def service_of(resource: Any) -> str:
    """Name of the service."""
    return next(a.value.string_value for a in resource.attributes if a.key == "service.name")


def test_the_agent_goes_home_when_it_is_told_to(collector: Receiver) -> None:
    """Without a number of runs it works until the container is stopped, and what it knows is delivered."""
    environment = {**CLEAN, "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.port}"}
    with subprocess.Popen(
        [sys.executable, AGENT, "--pause", "3600"], stdout=subprocess.PIPE, text=True, env=environment
    ) as agent:
        assert agent.stdout
        assert agent.stdout.readline().startswith("poll: ")
        agent.send_signal(signal.SIGTERM)
        assert agent.wait(DEADLINE_S) == 0
    assert arrived(collector, "/v1/traces")
    assert arrived(collector, "/v1/metrics")


def test_the_agent_prints_where_there_is_no_collector() -> None:
    """Spans and metrics, for reading."""
    done = run(sys.executable, AGENT, "--runs", "1", "--pause", "0", "--console")
    assert done.returncode == 0, done.stderr
    assert '"name": "execute_tool job_status"' in done.stdout
    assert f'"name": "{names.TOOL_CALLS.name}"' in done.stdout


def test_a_payment_that_would_be_made_twice_is_stopped() -> None:
    """The stack shows halts, too: every kind of loop has its turn, and that one ends early."""
    agent = script("examples/stack/looping_agent.py")
    names_of_runs = [scenario.name for scenario, _ in zip(agent.shift(), range(3 * len(agent.STUCK)), strict=False)]
    assert {scenario.name for scenario in agent.STUCK} <= set(names_of_runs)
    runs = str(names_of_runs.index("duplicate_write") + 1)
    done = run(sys.executable, AGENT, "--runs", runs, "--pause", "0", "--console")
    assert "duplicate_write: halted: " in done.stdout


def test_the_pager_prints_a_line_for_each_alert(capsys: pytest.CaptureFixture[str]) -> None:
    """Who is told, whether it began or ended, what it is about, and its labels."""
    pager = script("examples/stack/pager.py")
    alert = {
        "status": "firing",
        "labels": {"alertname": "A", "job": "agent"},
        "annotations": {"summary": "An agent tool is looping fast."},
    }
    told = json.dumps({"receiver": "page", "alerts": [alert, {**alert, "status": "resolved"}]}).encode()
    with ThreadingHTTPServer(("127.0.0.1", 0), pager.Pager) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/"
        for data in (told, None):  # a notification, and a question about its health
            with urllib.request.urlopen(url, data, DEADLINE_S) as response:
                assert response.status == 200
        server.shutdown()
    told_of = "An agent tool is looping fast. alertname=A job=agent"
    assert capsys.readouterr().out.splitlines() == [f"page FIRING: {told_of}", f"page RESOLVED: {told_of}"]
