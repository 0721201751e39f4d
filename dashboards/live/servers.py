"""Prometheus, Alertmanager and VictoriaMetrics on loopback, each with a directory of its own that goes with it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

from live.hour import Stretch
from live.jobs import Job
from live.processes import free_address, program, running

VICTORIA_METRICS = "LOOPWATCH_VICTORIA_METRICS"
"""Environment variable with the path of VictoriaMetrics, where it is not in the PATH."""
SERVICE_NAME = ("service_name", "service.name")
"""Label of the service, with the names of Prometheus and with OpenTelemetry's own."""
EVERY = "1s"
"""How often is scraped, and rules are evaluated."""
RECORDED_S = 60
"""Seconds between two samples of a recorded series."""
MAX_TIME_S = 7 * 24 * 3600
"""Nothing older is kept."""


@dataclass(frozen=True, slots=True)
class Target:
    """What Prometheus scrapes."""

    job: Job
    address: str
    """Host and port of its page."""


@contextmanager
def prometheus(
    history: Path, rules: Path, targets: Iterable[Target] = (), alertmanager: str | None = None
) -> Iterator[str]:
    """The URL of a Prometheus that holds a copy of ``history``, and goes on from there every second.

    :raises NotInstalled: where it is not there.
    """
    binary = program(("prometheus",), "prometheus")
    with TemporaryDirectory(prefix="prometheus-") as name:
        home = Path(name)
        shutil.copytree(history, home / "data")
        configuration = {
            "global": {"scrape_interval": EVERY, "evaluation_interval": EVERY},
            "rule_files": [str(rules)],
            "scrape_configs": [_scraped(target) for target in targets],
            "alerting": {"alertmanagers": [] if alertmanager is None else [_static(alertmanager.split("//")[1])]},
        }
        (home / "prometheus.yaml").write_text(yaml.safe_dump(configuration), encoding="utf-8")
        with _prometheus_on(binary, home / "data", home / "prometheus.yaml") as url:
            yield url


def _scraped(target: Target) -> dict[str, object]:
    """As the samples of the stretch have it, so that its counters go on."""
    return {"job_name": target.job.name, **_static(target.address, instance=target.job.instance)}


def _static(address: str, **labels: str) -> dict[str, object]:
    return {"static_configs": [{"targets": [address], "labels": labels}]}


@contextmanager
def _prometheus_on(binary: str, data: Path, configuration: Path) -> Iterator[str]:
    address = free_address()
    arguments = [
        binary,
        f"--config.file={configuration}",
        f"--storage.tsdb.path={data}",
        f"--storage.tsdb.retention.time={MAX_TIME_S}s",
        f"--web.listen-address={address}",
        "--rules.alert.resend-delay=1s",  # what fires before Prometheus has found its Alertmanager is not sent
    ]
    with running(arguments, f"http://{address}/-/ready", configuration.with_suffix(".log")):
        yield f"http://{address}"


def backfilled(data: Path, stretch: Stretch, rules: Path) -> None:
    """Fill an empty directory with the samples of a stretch, and with what the recording rules make of them.

    :raises NotInstalled: where Prometheus or its tool is not there.
    """
    binary = program(("prometheus",), "prometheus")
    _promtool("tsdb", "create-blocks-from", "openmetrics", "--quiet", str(stretch.samples), str(data))
    with TemporaryDirectory(prefix="prometheus-") as name:
        configuration = Path(name) / "prometheus.yaml"
        configuration.write_text("{}", encoding="utf-8")
        with _prometheus_on(binary, data, configuration) as url:
            times = (f"--start={stretch.start_s:.0f}", f"--end={stretch.end_s:.0f}", f"--eval-interval={RECORDED_S}s")
            made = ("--quiet", f"--url={url}", f"--output-dir={data}", *times, str(rules))
            _promtool("tsdb", "create-blocks-from", "rules", *made)


def _promtool(*arguments: str) -> None:
    binary = program(("promtool",), "prometheus")
    done = subprocess.run([binary, *arguments], capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise RuntimeError(f"promtool {' '.join(arguments)}: {done.stdout}{done.stderr}")


@contextmanager
def alertmanager(webhook: str) -> Iterator[str]:
    """The URL of an Alertmanager that tells everything to a webhook, at once and one by one.

    :raises NotInstalled: where it is not there.
    """
    binary = program(("prometheus-alertmanager", "alertmanager"), "prometheus-alertmanager")
    address = free_address()
    with TemporaryDirectory(prefix="alertmanager-") as name:
        home = Path(name)
        configuration = {
            "route": {"receiver": "webhook", "group_by": ["..."], "group_wait": "0s"},
            "receivers": [{"name": "webhook", "webhook_configs": [{"url": webhook}]}],
        }
        (home / "alertmanager.yaml").write_text(yaml.safe_dump(configuration), encoding="utf-8")
        arguments = [
            binary,
            f"--config.file={home}/alertmanager.yaml",
            f"--storage.path={home}/data",
            f"--web.listen-address={address}",
            "--cluster.listen-address=",
        ]
        with running(arguments, f"http://{address}/-/ready", home / "alertmanager.log"):
            yield f"http://{address}"


@contextmanager
def victoria_metrics(*options: str) -> Iterator[str]:
    """The URL of a VictoriaMetrics; OTLP goes to ``/opentelemetry/v1/metrics``. The service's name becomes its job.

    :raises NotInstalled: where it is not there.
    """
    binary = program(("victoria-metrics", "victoria-metrics-prod"), "victoria-metrics", VICTORIA_METRICS)
    address = free_address()
    with TemporaryDirectory(prefix="victoria-metrics-") as name:
        home = Path(name)
        relabelling = [{"source_labels": [label], "regex": "(.+)", "target_label": "job"} for label in SERVICE_NAME]
        (home / "relabel.yaml").write_text(yaml.safe_dump(relabelling), encoding="utf-8")
        arguments = [
            binary,
            f"-storageDataPath={home}/data",
            f"-relabelConfig={home}/relabel.yaml",
            f"-httpListenAddr={address}",
            "-search.latencyOffset=0s",
            *options,
        ]
        with running(arguments, f"http://{address}/health", home / "victoria-metrics.log"):
            yield f"http://{address}"
