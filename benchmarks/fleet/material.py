"""Messages as the Collector's kafka exporter writes them: agents at work, some of them stuck, among web requests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

SPANS_PER_MESSAGE = 10
START_NS = 1_790_000_000 * 10**9
MS = 10**6
PAUSE_S = 30
"""Between two calls of a patient poll."""

Call = tuple[str, str, str, bool]
"""Tool, arguments, result, whether it failed."""


@dataclass(frozen=True, slots=True)
class Mix:
    """What a material is made of; shares of 1."""

    web: float = 0.5
    """Traces of web requests, without any agent."""
    stuck: float = 0.3
    """Agents that loop, of all agents."""
    long: float = 0.05
    """Agents that work twenty times as long."""
    active: int = 200
    """Traces whose messages are mixed at a time."""


@dataclass(slots=True)
class Material:
    """Messages, and what is in them. The same seed gives the same messages."""

    seed: int
    spans: int
    mix: Mix = Mix()
    told: int = 0
    """Spans so far."""
    tools: int = 0
    """Spans of tool calls among them."""

    def messages(self) -> Iterator[tuple[bytes, bytes]]:
        """Keys (trace ids in hex) and values; the spans of a trace as they end, traces mixed."""
        random = Random(self.seed)
        traces: list[Iterator[ExportTraceServiceRequest]] = []
        while self.told < self.spans or traces:
            while len(traces) < self.mix.active and self.told < self.spans:
                traces.append(self._trace(random))
            trace = random.choice(traces)
            request = next(trace, None)
            if request is None:
                traces.remove(trace)
            else:
                yield _key(request), request.SerializeToString()

    def _trace(self, random: Random) -> Iterator[ExportTraceServiceRequest]:
        builder = Trace(random, START_NS + self.told * MS)
        work = web(builder) if random.random() < self.mix.web else agents(builder, self.mix)
        return self._batches(work)

    def _batches(self, work: Iterator[Span]) -> Iterator[ExportTraceServiceRequest]:
        batch: list[Span] = []
        for span in work:
            batch.append(span)
            if len(batch) == SPANS_PER_MESSAGE:
                yield self._request(batch)
                batch = []
        if batch:
            yield self._request(batch)

    def _request(self, spans: list[Span]) -> ExportTraceServiceRequest:
        self.told += len(spans)
        self.tools += sum(span.name.startswith("execute_tool") for span in spans)
        request = ExportTraceServiceRequest()
        of_resource = request.resource_spans.add()
        of_resource.resource.attributes.add(key="service.name").value.string_value = "shop"
        of_scope = of_resource.scope_spans.add()
        of_scope.scope.name = "agents"
        of_scope.spans.extend(spans)
        return request


class Trace:
    """Makes the spans of one trace, one after the other."""

    def __init__(self, random: Random, now_ns: int) -> None:
        self.random = random
        self.now_ns = now_ns
        self._id = random.randbytes(16)

    def new_id(self) -> bytes:
        """Of a span."""
        return self.random.randbytes(8)

    def span(self, name: str, parent: bytes, *, since_ns: int = 0, span_id: bytes = b"", **attributes: str) -> Span:
        """A span that ends now; underscores of attributes' names stand for dots."""
        start, self.now_ns = since_ns or self.now_ns, self.now_ns + self.random.randint(5, 50) * MS
        span = Span(
            trace_id=self._id,
            span_id=span_id or self.new_id(),
            parent_span_id=parent,
            name=name,
            start_time_unix_nano=start,
            end_time_unix_nano=self.now_ns,
        )
        for key, value in attributes.items():
            span.attributes.add(key=key.replace("__", ".")).value.string_value = value
        return span


def web(trace: Trace) -> Iterator[Span]:
    """A request, its statements, and requests to others."""
    root, began = trace.new_id(), trace.now_ns
    for number in range(trace.random.randint(4, 12)):
        yield trace.span(
            "SELECT shop.orders", root, db__system="postgresql", db__statement=f"SELECT {number}", db__name="shop",
            server__address="10.0.0.7", net__transport="tcp", db__user="shop",
        )  # fmt: skip
    yield trace.span(
        "GET /orders", b"", since_ns=began, span_id=root, http__request__method="GET", url__path="/orders",
        http__route="/orders", server__address="shop", user_agent__original="curl/8", url__scheme="https",
    )  # fmt: skip


def agents(trace: Trace, mix: Mix) -> Iterator[Span]:
    """An agent, or one with two others to help it, who work at the same time."""
    if trace.random.random() < 0.8:
        yield from agent(trace, mix, "writer", b"")
        return
    root, began = trace.new_id(), trace.now_ns
    team = [agent(trace, mix, name, root) for name in ("reader", "checker")]
    while team:
        member = trace.random.choice(team)
        span = next(member, None)
        if span is None:
            team.remove(member)
        else:
            yield span
    yield trace.span("invoke_agent lead", b"", since_ns=began, span_id=root, **_of_agent("lead"))


def agent(trace: Trace, mix: Mix, name: str, parent: bytes) -> Iterator[Span]:
    """One agent: a model answers, a tool is called with a request beneath, over and over; its own span comes last."""
    root, began = trace.new_id(), trace.now_ns
    for tool, arguments, result, failed in script(trace.random, mix):
        yield trace.span("chat gpt-4o", root, gen_ai__operation__name="chat", gen_ai__request__model="gpt-4o")
        call, started = trace.new_id(), trace.now_ns
        if trace.random.random() < 0.5:
            yield trace.span(
                "POST", call, http__request__method="POST", url__full="https://tools/1", server__address="tools",
                http__response__status_code="200", network__protocol__version="2", server__port="443",
            )  # fmt: skip
        made = trace.span(
            f"execute_tool {tool}", root, since_ns=started, span_id=call, gen_ai__operation__name="execute_tool",
            gen_ai__tool__name=tool, gen_ai__tool__call__arguments=arguments, gen_ai__tool__call__result=result,
            gen_ai__agent__name=name,
        )  # fmt: skip
        if failed:
            made.status.code = Status.STATUS_CODE_ERROR
        yield made
        if tool == "job_status":
            trace.now_ns += PAUSE_S * 10**9
    yield trace.span(f"invoke_agent {name}", parent, since_ns=began, span_id=root, **_of_agent(name))


def script(random: Random, mix: Mix) -> Iterator[Call]:
    """What an agent calls: good work, and then perhaps a loop, and then good work again."""
    length = 20 if random.random() < mix.long else 1
    for _ in range(length):
        yield from good(random, random.randint(2, 8))
        if random.random() < mix.stuck:
            yield from random.choice(STUCK)(random, random.randint(3, 9))
        elif random.random() < 0.2:
            yield from poll(random, random.randint(2, 5))


def good(random: Random, number: int) -> Iterator[Call]:
    """Every call brings something new."""
    for _ in range(number):
        page = random.randint(1, 10**6)
        yield "read_page", f'{{"page": {page}}}', f"Page {page}: " + " ".join(random.choices(WORDS, k=30)), False


def poll(random: Random, number: int) -> Iterator[Call]:
    """A job that takes its time, asked for patiently."""
    job = random.randint(1, 10**6)
    for _ in range(number):
        yield "job_status", f'{{"job": {job}}}', '{"status": "running"}', False
    yield "job_status", f'{{"job": {job}}}', '{"status": "done"}', False


def same(random: Random, number: int) -> Iterator[Call]:
    """The same search over and over."""
    word = random.choice(WORDS)
    for _ in range(number):
        yield "search", f'{{"query": "{word}"}}', f"No page about {word} was found in the archive.", False


def retry(random: Random, number: int) -> Iterator[Call]:
    """The same failure, tried again."""
    order = random.randint(1, 10**6)
    for _ in range(number):
        yield "send_order", f'{{"order": {order}}}', "403 Forbidden: the key may not send orders", True


def ping_pong(random: Random, number: int) -> Iterator[Call]:
    """Two calls taking turns."""
    for _ in range(number):
        yield "open_file", '{"name": "a.txt"}', "The file a.txt refers to b.txt for all the details.", False
        yield "open_file", '{"name": "b.txt"}', "The file b.txt refers to a.txt for all the details.", False


STUCK: list[Callable[[Random, int], Iterator[Call]]] = [same, retry, ping_pong]
WORDS = (
    "amber basin candle daisy ember fable garden harbor island jasper kettle lantern meadow needle orchard pepper "
    "quartz ribbon saddle timber umbrella velvet window yellow zephyr anchor bridge copper dragon engine forest glacier"
).split()


def _of_agent(name: str) -> dict[str, str]:
    return {"gen_ai__operation__name": "invoke_agent", "gen_ai__agent__name": name}


def _key(request: ExportTraceServiceRequest) -> bytes:
    return request.resource_spans[0].scope_spans[0].spans[0].trace_id.hex().encode()
