"""`otel-loopwatch gateway`: receives OTLP, finds the loops in it, and forwards everything with its marks."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from otel_loopwatch.cli.bad_input import BadInput
from otel_loopwatch.cli.reading import options_of
from otel_loopwatch.cli.service import begin
from otel_loopwatch.settings import Options
from otel_loopwatch.variables import HEADERS_VARIABLE, TOKENS_VARIABLE

if TYPE_CHECKING:
    from otel_loopwatch.gateway.service import Gateway
    from otel_loopwatch.gateway.settings import GatewaySettings

NAME = "gateway"
HELP = "receive OTLP, find the loops in it, mark and forward it"
MISSING = "gateway needs more packages: pip install 'otel-loopwatch[gateway]'"
LEFT = 3
"""Exit code where something could not be delivered in time; the spool keeps it for the next start."""
MIB = 1 << 20


def add_arguments(parser: ArgumentParser) -> None:
    """Flags of this command."""
    listening = parser.add_argument_group("where it listens")
    listening.add_argument("--host", default="127.0.0.1", help="name or address (default: 127.0.0.1)")
    listening.add_argument("--http-port", type=int, default=4318, metavar="N", help="OTLP/HTTP, API, page (4318)")
    listening.add_argument("--grpc-port", type=int, default=4317, metavar="N", help="OTLP/gRPC (4317)")
    listening.add_argument("--no-grpc", action="store_true", help="do not receive OTLP/gRPC")
    listening.add_argument("--certificate", metavar="FILE", help="TLS: certificate and its chain, PEM")
    listening.add_argument("--key", metavar="FILE", help="TLS: its private key, PEM")
    listening.add_argument(
        "--token-file", metavar="FILE", help=f"bearer tokens that clients may show (default: ${TOKENS_VARIABLE})"
    )
    forwarding = parser.add_argument_group("where it forwards to")
    forwarding.add_argument("--downstream", metavar="URL", help="OTLP endpoint; none: files in the folder below")
    forwarding.add_argument(
        "--transport", choices=("http", "grpc"), default="http", help="OTLP/HTTP or OTLP/gRPC (default: http)"
    )
    forwarding.add_argument("--ca-file", metavar="FILE", help="certificates that vouch for the downstream, PEM")
    forwarding.add_argument("--gzip", action="store_true", help="compress what is forwarded")
    keeping = parser.add_argument_group("what it keeps")
    keeping.add_argument(
        "--folder",
        default="otel-loopwatch-gateway",
        metavar="DIR",
        help="audit log, spool and output files (default: ./otel-loopwatch-gateway)",
    )
    keeping.add_argument("--spool-mb", type=int, default=1024, metavar="N", help="on disk; 0: in memory only (1024)")
    keeping.add_argument("--memory-mb", type=int, default=256, metavar="N", help="without a spool (256)")
    keeping.add_argument(
        "--window", type=float, default=1.0, metavar="S", help="seconds that spans of a trace wait for each other (1)"
    )
    keeping.add_argument(
        "--metrics-every",
        type=float,
        default=60.0,
        metavar="S",
        help="seconds between exports of its metrics to the downstream; 0: only at /metrics (60)",
    )
    keeping.add_argument(
        "--drain", type=float, default=20.0, metavar="S", help="seconds to deliver the rest when told to stop (20)"
    )
    parser.add_argument("--config", metavar="FILE", help="YAML configuration (default: $OTEL_LOOPWATCH_CONFIG)")
    parser.epilog = f"Headers for the downstream are taken from ${HEADERS_VARIABLE}: name=value, with commas between."


def run(args: Namespace) -> int:
    """Work until the process is asked to stop."""
    options = options_of(args.config)
    try:
        import opentelemetry.exporter.prometheus  # noqa: F401 - the extra is installed as a whole, or not
        import starlette  # noqa: F401
        import urllib3  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise BadInput(MISSING) from None

    begin()
    try:
        settings = _settings(args)
        return asyncio.run(_serve(settings, options))
    except (ValueError, OSError) as error:
        raise BadInput(str(error)) from None


async def _serve(settings: GatewaySettings, options: Options) -> int:
    from otel_loopwatch.gateway.service import Gateway

    gateway = Gateway(settings, options)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, gateway.stop)
    _say_where(gateway)
    return 0 if await gateway.serve() else LEFT


def _say_where(gateway: Gateway) -> None:
    access = gateway.settings.access
    scheme = "https" if access.has_tls else "http"
    host = f"[{access.host}]" if ":" in access.host else access.host
    print(f"OTLP/HTTP, API and page: {scheme}://{host}:{gateway.http_port}", file=sys.stderr)
    if gateway.grpc_port is not None:
        print(f"OTLP/gRPC: {scheme}://{host}:{gateway.grpc_port}", file=sys.stderr, flush=True)


def _settings(args: Namespace) -> GatewaySettings:
    from otel_loopwatch.gateway.forward.endpoint import Endpoint
    from otel_loopwatch.gateway.receive.access import Access
    from otel_loopwatch.gateway.settings import GatewaySettings, Transport

    downstream = None
    if args.downstream:
        ca_file = Path(args.ca_file) if args.ca_file else None
        downstream = Endpoint(url=args.downstream, headers=_headers(), ca_file=ca_file, gzip=args.gzip)
    return GatewaySettings(
        access=Access(args.host, _tokens(args.token_file), args.certificate, args.key),
        http_port=args.http_port,
        grpc_port=None if args.no_grpc else args.grpc_port,
        folder=Path(args.folder),
        downstream=downstream,
        transport=Transport(args.transport),
        spool_bytes=args.spool_mb * MIB,
        memory_bytes=args.memory_mb * MIB,
        window_s=args.window,
        metrics_s=args.metrics_every,
        drain_s=args.drain,
    )


def _tokens(path: str | None) -> tuple[str, ...]:
    from otel_loopwatch.gateway.receive.tokens import from_environment, from_file

    if path is not None:
        return from_file(path)
    return from_environment(TOKENS_VARIABLE) if os.environ.get(TOKENS_VARIABLE) else ()


def _headers() -> dict[str, str]:
    """As in ``OTEL_EXPORTER_OTLP_HEADERS``. Raises ``ValueError``, which shows none of them: they hold keys."""
    pairs = [pair.partition("=") for pair in os.environ.get(HEADERS_VARIABLE, "").split(",") if pair.strip()]
    if not all(name.strip() and sign for name, sign, _ in pairs):
        raise ValueError(f"{HEADERS_VARIABLE} is (not shown); it must be name=value, with commas between")
    return {unquote(name).strip(): unquote(value).strip() for name, _, value in pairs}
