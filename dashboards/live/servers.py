"""Prometheus, Alertmanager and VictoriaMetrics on loopback, each with a directory of its own that goes with it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

from live.processes import free_address, program, running

VICTORIA_METRICS = "LOOPWATCH_VICTORIA_METRICS"
"""Environment variable with the path of VictoriaMetrics, where it is not in the PATH."""
MAX_TIME_S = 7 * 24 * 3600
"""Nothing older is kept."""


@dataclass(frozen=True, slots=True)
class Target:
    """What Prometheus scrapes."""

    job: str
    address: str
    """Host and port."""
    labels: Mapping[str, str] = field(default_factory=dict)


@contextmanager
def prometheus(
    history: Path | None = None,
    rules: Path | None = None,
    targets: Iterable[Target] = (),
    alertmanager: str | None = None,
    interval_s: int = 1,
) -> Iterator[str]:
    """The URL of a Prometheus. It holds a copy of ``history``, and scrapes and evaluates every ``interval_s`` seconds.

    :raises NotInstalled: where it is not there.
    """
    binary = program(("prometheus",), "prometheus")
    with TemporaryDirectory(prefix="prometheus-") as name:
        home = Path(name)
        if history is not None:
            shutil.copytree(history, home / "data")
        configuration = _configuration(rules, targets, alertmanager, interval_s)
        (home / "prometheus.yaml").write_text(yaml.safe_dump(configuration), encoding="utf-8")
        with _prometheus_on(binary, home / "data", home / "prometheus.yaml") as url:
            yield url


def _configuration(
    rules: Path | None, targets: Iterable[Target], alertmanager: str | None, interval_s: int
) -> dict[str, object]:
    scraped = [
        {"job_name": t.job, "static_configs": [{"targets": [t.address], "labels": dict(t.labels)}]} for t in targets
    ]
    managers = [] if alertmanager is None else [{"static_configs": [{"targets": [alertmanager.split("//")[1]]}]}]
    return {
        "global": {"scrape_interval": f"{interval_s}s", "evaluation_interval": f"{interval_s}s"},
        "rule_files": [] if rules is None else [str(rules)],
        "scrape_configs": scraped,
        "alerting": {"alertmanagers": managers},
    }


@contextmanager
def _prometheus_on(binary: str, data: Path, configuration: Path) -> Iterator[str]:
    address = free_address()
    arguments = [
        binary,
        f"--config.file={configuration}",
        f"--storage.tsdb.path={data}",
        f"--storage.tsdb.retention.time={MAX_TIME_S}s",
        f"--web.listen-address={address}",
    ]
    with running(arguments, f"http://{address}/-/ready", configuration.with_suffix(".log")):
        yield f"http://{address}"


def backfilled(data: Path, openmetrics: Path, rules: Path, start_s: float, end_s: float, step_s: float) -> None:
    """Fill an empty directory with the samples of a file, and with what the recording rules make of them.

    :raises NotInstalled: where Prometheus or its tool is not there.
    """
    binary = program(("prometheus",), "prometheus")
    _promtool("tsdb", "create-blocks-from", "openmetrics", "--quiet", str(openmetrics), str(data))
    with TemporaryDirectory(prefix="prometheus-") as name:
        configuration = Path(name) / "prometheus.yaml"
        configuration.write_text("{}", encoding="utf-8")
        with _prometheus_on(binary, data, configuration) as url:
            times = (f"--start={start_s:.0f}", f"--end={end_s:.0f}", f"--eval-interval={step_s:.0f}s")
            _promtool("tsdb", "create-blocks-from", "rules", f"--url={url}", f"--output-dir={data}", *times, str(rules))


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
    """The URL of a VictoriaMetrics that shows at once what it is given; OTLP goes to ``/opentelemetry/v1/metrics``.

    :raises NotInstalled: where it is not there.
    """
    binary = program(("victoria-metrics", "victoria-metrics-prod"), "victoria-metrics", VICTORIA_METRICS)
    address = free_address()
    with TemporaryDirectory(prefix="victoria-metrics-") as name:
        home = Path(name)
        arguments = [
            binary,
            f"-storageDataPath={home}/data",
            f"-httpListenAddr={address}",
            "-search.latencyOffset=0s",
            *options,
        ]
        with running(arguments, f"http://{address}/health", home / "victoria-metrics.log"):
            yield f"http://{address}"
