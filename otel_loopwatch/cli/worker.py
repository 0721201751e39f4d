"""`otel-loopwatch worker`: loops in the spans of a Kafka topic, found by as many workers as it has partitions."""

from __future__ import annotations

import signal
import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from otel_loopwatch.cli.bad_input import BadInput
from otel_loopwatch.cli.reading import options_of
from otel_loopwatch.cli.service import begin
from otel_loopwatch.settings import Control, Options

if TYPE_CHECKING:
    from otel_loopwatch.worker.service import Plan, Worker

NAME = "worker"
HELP = "judge the spans of a Kafka topic, as a member of a consumer group"
MISSING = "worker needs confluent-kafka: pip install 'otel-loopwatch[worker]'"
FAILED = 1
"""Exit code where the worker had to give up: whoever supervises it starts it again, and it goes on from there."""


def add_arguments(parser: ArgumentParser) -> None:
    """Flags of this command."""
    parser.add_argument("--brokers", required=True, metavar="HOST:PORT,..", help="where the cluster is first asked")
    parser.add_argument("--topic", default="otlp_spans", help="spans, one trace per partition (default: otlp_spans)")
    parser.add_argument("--group", default="loopwatch", help="the consumer group (default: loopwatch)")
    parser.add_argument(
        "--encoding", choices=("proto", "json"), default="proto", help="otlp_proto or otlp_json of the exporter"
    )
    parser.add_argument("--signals-topic", metavar="TOPIC", help="loops, as JSON (default: GROUP_signals)")
    parser.add_argument(
        "--decisions-topic",
        metavar="TOPIC",
        help="what is decided about runs, as JSON (default: GROUP_decisions)",
    )
    parser.add_argument(
        "--out-topic", metavar="TOPIC", help="every message again, with loopwatch's attributes on its spans"
    )
    parser.add_argument("--state-topic", metavar="TOPIC", help="snapshots of long traces (default: GROUP_state)")
    parser.add_argument(
        "--reach", type=int, metavar="MESSAGES", help="how many messages of a partition a restart may read again"
    )
    parser.add_argument("--kafka-config", metavar="FILE", help="properties of librdkafka, one key=value a line")
    parser.add_argument("--config", metavar="FILE", help="YAML configuration (default: $OTEL_LOOPWATCH_CONFIG)")


def run(args: Namespace) -> int:
    """Work until the process is asked to stop."""
    options = options_of(args.config)
    try:
        from confluent_kafka import KafkaException
    except ImportError:
        raise BadInput(MISSING) from None
    from otel_loopwatch.worker.outbox import Unstored

    begin()
    try:
        worker = _worker(args, options)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: worker.stop())
        worker.run()
    except ValueError as error:
        raise BadInput(str(error)) from None
    except (KafkaException, Unstored) as error:
        print(f"worker: {error}", file=sys.stderr)
        return FAILED
    print(", ".join(f"{count} {name}" for name, count in sorted(worker.counts.items())), file=sys.stderr)
    return 0


def _worker(args: Namespace, options: Options) -> Worker:
    from otel_loopwatch.worker.clients import Clients, read_properties
    from otel_loopwatch.worker.service import Worker

    properties = read_properties(args.kafka_config) if args.kafka_config else {}
    return Worker(Clients(args.brokers, properties), _plan(args, options), options)


def _plan(args: Namespace, options: Options) -> Plan:
    from otel_loopwatch.worker.messages import Encoding
    from otel_loopwatch.worker.service import REACH, Plan
    from otel_loopwatch.worker.topics import Topics

    decisions = args.decisions_topic or f"{args.group}_decisions"
    topics = Topics(
        spans=args.topic,
        signals=args.signals_topic or f"{args.group}_signals",
        state=args.state_topic or f"{args.group}_state",
        decisions=None if options.control is Control.OBSERVE else decisions,
        marked=args.out_topic,
    )
    reach = REACH if args.reach is None else args.reach
    return Plan(group=args.group, topics=topics, encoding=Encoding(args.encoding), reach=reach)
