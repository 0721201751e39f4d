"""What nobody sends who means well: it is answered or cut off, counted, and the gateway goes on."""

from __future__ import annotations

import gzip
import socket
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest
from gateway.receiving import JSON, PROTOBUF, SPANS, SPANS_JSON, Kept, Receivers, packed, receivers, traces
from gateway.storing import DEADLINE_S, until
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_loopwatch.gateway.receive.encodings import Encoding
from otel_loopwatch.gateway.receive.intake import Intake
from otel_loopwatch.gateway.receive.limits import Limits
from otel_loopwatch.gateway.receive.packing import MAX_MEMBERS, unpacked
from otel_loopwatch.gateway.receive.refusals import Reason, Refused
from otel_loopwatch.gateway.signal import Signal

LIMIT = 100_000
STRICT = Limits(body_bytes=LIMIT, header_bytes=4096, headers=20)


@pytest.fixture(scope="module")
def gateway() -> Iterator[Receivers]:
    """Servers that take little."""
    with receivers(STRICT) as made:
        yield made


@pytest.fixture(scope="module")
def hasty() -> Iterator[Receivers]:
    """Servers that do not wait long."""
    with receivers(Limits(head_s=0.3, body_s=0.05)) as made:
        yield made


def rise(gateway: Receivers, reason: Reason, of: Callable[[], object]) -> int:
    """How much oftener something is refused for a reason, once it is at all."""
    before = gateway.intake.counts[reason.value]
    of()
    until(lambda: gateway.intake.counts[reason.value] > before)
    return gateway.intake.counts[reason.value] - before


def taken_or_refused(body: bytes, encoding: Encoding, content_encoding: str, signal: Signal) -> None:
    """The request of these bytes is kept as protobuf that can be read, or it is refused."""
    refused, kept = tried(body, encoding, content_encoding, signal)
    if refused is not None:
        assert refused.reason in (Reason.MALFORMED, Reason.TOO_LARGE)
        assert "\n" not in refused.message
        assert kept == []
    assert all(tried(again, Encoding.PROTOBUF, "", signal) == (None, [again]) for again in kept)


def tried(body: bytes, encoding: Encoding, content_encoding: str, signal: Signal) -> tuple[Refused | None, list[bytes]]:
    """Why the bytes were refused, if they were, and what was kept."""
    store = Kept()
    intake = Intake(store, limits=STRICT)  # type: ignore[arg-type]
    try:
        intake.taken(signal, body, encoding, content_encoding)
    except Refused as refused:
        return refused, [request.body for request in store.requests]
    return None, [request.body for request in store.requests]


def damaged(body: bytes) -> st.SearchStrategy[bytes]:
    """A body with some of its bytes replaced, taken out or doubled."""
    place = st.integers(0, len(body))
    return st.builds(lambda at, to, new: body[:at] + new + body[to:], place, place, st.binary(max_size=8))


ANYTHING = st.one_of(
    st.binary(max_size=300), damaged(SPANS), damaged(SPANS_JSON), damaged(traces("a", "b").SerializeToString())
)


@given(body=ANYTHING, encoding=st.sampled_from(Encoding), signal=st.sampled_from(Signal))
def test_bytes_of_any_kind_are_taken_or_refused(body: bytes, encoding: Encoding, signal: Signal) -> None:
    """Nothing else comes out of it, and what is kept is valid."""
    taken_or_refused(body, encoding, "", signal)


@given(body=st.one_of(ANYTHING, damaged(packed(SPANS)), damaged(packed(SPANS, SPANS))))
def test_gzip_of_any_kind_is_taken_or_refused(body: bytes) -> None:
    """Cut, damaged, of several members, or none."""
    taken_or_refused(body, Encoding.PROTOBUF, "gzip", Signal.TRACES)


@settings(max_examples=20)
@given(body=ANYTHING)
def test_whatever_is_sent_is_answered(gateway: Receivers, body: bytes) -> None:
    """By the real server, which then takes the next request."""
    assert gateway.post(body).status in (200, 400)
    assert gateway.post().status == 200


def test_gzip_of_too_many_members_is_refused() -> None:
    """Each of them would have what is left of the body copied."""
    with pytest.raises(Refused) as told:
        unpacked(gzip.compress(b"") * 50_000, "gzip", LIMIT)
    assert told.value.reason is Reason.MALFORMED
    assert unpacked(packed(*[b"a"] * MAX_MEMBERS), "gzip", LIMIT) == b"a" * MAX_MEMBERS


def bomb(size: int) -> bytes:
    """Zeros as gzip."""
    packing = zlib.compressobj(wbits=31)
    return b"".join(packing.compress(bytes(1 << 20)) for _ in range(size >> 20)) + packing.flush()


@pytest.mark.parametrize(
    "body", [bomb(256 << 20), gzip.compress(b"") * 9 + bomb(256 << 20)], ids=["one member", "after some empty ones"]
)
def test_a_bomb_never_grows_beyond_the_limit(body: bytes) -> None:
    """256 MiB of zeros are unpacked only as far as the limit goes."""
    tracemalloc.start()
    try:
        with pytest.raises(Refused) as told:
            unpacked(body, "gzip", LIMIT)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert told.value.reason is Reason.TOO_LARGE
    assert peak < 4 * (LIMIT + len(body))


def test_a_bomb_is_answered(gateway: Receivers) -> None:
    """Also where it is itself within the limit."""
    body = bomb(64 << 20)
    assert len(body) < LIMIT
    assert gateway.post(body, content_encoding="gzip").status == 413


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 90_000,
        b'{"resourceSpans":' * 5000,
        b'{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[{"value":' + b'{"arrayValue":{"values":[' * 3000,
        b'{"unknown":' + b"[" * 40_000 + b"]" * 40_000 + b"}",
        b'{"resourceSpans":[{"schemaUrl":"' + b"\\ud800" * 1000 + b'"}]}',
        b'{"resourceSpans":[{"scopeSpans":[{"spans":[{"startTimeUnixNano":' + b"9" * 5000 + b"}]}]}]}",
    ],
    ids=["lists", "objects", "values", "unknown", "surrogates", "a long number"],
)
def test_hostile_json_is_refused(gateway: Receivers, body: bytes) -> None:
    """Nesting, no Unicode, numbers beyond all measure."""
    assert gateway.post(body, content_type=JSON).status == 400


def test_hostile_protobuf_is_refused(gateway: Receivers) -> None:
    """Lengths that lead beyond the end, and values nested in values."""
    nested = b""
    for _ in range(300):
        nested = b"\x2a" + varint(len(nested) + 1 + len(varint(len(nested)))) + b"\x0a" + varint(len(nested)) + nested
    value = b"\x12" + varint(len(nested)) + nested
    attribute = b"\x0a" + varint(len(value)) + value
    resource = b"\x0a" + varint(len(attribute)) + attribute
    for body in (b"\x0a" + varint(len(resource)) + resource, b"\x0a\xff\xff\xff\xff\x07", b"\x0a" + b"\xff" * 20):
        assert gateway.post(body).status == 400


@pytest.mark.parametrize(
    ("body", "content_type"),
    [(b"\x0a\x00" * 1_000_000, PROTOBUF), (b'{"resourceSpans":[' + b"{}," * 1_000_000 + b"{}]}", JSON)],
    ids=["protobuf", "JSON"],
)
def test_many_empty_parts_are_refused_before_they_are_made(body: bytes, content_type: str) -> None:
    """They would take a hundred times the memory of their bytes."""
    intake = Intake(Kept())  # type: ignore[arg-type]
    tracemalloc.start()
    try:
        with pytest.raises(Refused, match="too many parts"):
            intake.taken(Signal.TRACES, body, Encoding(content_type))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < len(body)


def varint(number: int) -> bytes:
    """As protobuf writes lengths."""
    return bytes([number & 127 | 128]) + varint(number >> 7) if number > 127 else bytes([number])


@contextmanager
def connected(gateway: Receivers) -> Iterator[socket.socket]:
    """A connection that a test speaks over by itself."""
    with socket.create_connection(("127.0.0.1", gateway.http.port), timeout=DEADLINE_S) as made:
        yield made


def heard(connection: socket.socket) -> bytes:
    """All that comes until the gateway closes."""
    told = b""
    with suppress(ConnectionError):
        while more := connection.recv(1 << 16):
            told += more
    return told


@pytest.mark.parametrize(
    "flood",
    [
        b"GET / HTTP/1.1\r\n" + b"x: y\r\n" * 100_000,
        b"GET /" + b"y" * 1_000_000,
        b"\x16\x03\x01" + bytes(10_000),
        b"\r\n" * 9999,
    ],
    ids=["headers", "a long path", "TLS", "empty lines"],
)
def test_a_flood_in_place_of_a_request_ends_the_connection(gateway: Receivers, flood: bytes) -> None:
    """It is counted, and nothing of it is kept."""

    def pour() -> None:
        with connected(gateway) as connection:
            with suppress(ConnectionError):
                connection.sendall(flood)
            assert heard(connection)[:12] in (b"", b"HTTP/1.1 400")

    before = sum(gateway.counts().values())
    pour()
    until(lambda: sum(gateway.counts().values()) > before)
    assert gateway.post().status == 200


def test_headers_that_arrive_as_one_piece_have_the_limit_too(gateway: Receivers) -> None:
    """The server's own limit is for what is incomplete."""
    with connected(gateway) as connection:
        connection.sendall(b"POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nx: " + b"y" * 8000 + b"\r\n\r\n")
        assert connection.recv(12) in (b"HTTP/1.1 431", b"HTTP/1.1 400")


@pytest.mark.parametrize("begun", [b"", b"POST /v1/traces HTTP/1.1\r\nHost:"], ids=["nothing", "half a request"])
def test_a_client_that_does_not_go_on_is_cut_off(hasty: Receivers, begun: bytes) -> None:
    """After the time for a request's headers."""

    def wait() -> None:
        with connected(hasty) as connection:
            connection.sendall(begun)
            assert heard(connection) == b""

    assert rise(hasty, Reason.SLOW, wait) == 1


HEAD = f"POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: {PROTOBUF}\r\nContent-Length: ".encode()


def test_a_body_that_does_not_come_is_given_up(hasty: Receivers) -> None:
    """With an answer; the rest of the body has so much time again."""

    def wait() -> None:
        with connected(hasty) as connection:
            connection.sendall(HEAD + b"50\r\n\r\nx")
            assert connection.recv(12) == b"HTTP/1.1 408"
            connection.sendall(b"y")
            heard(connection)

    assert rise(hasty, Reason.SLOW, wait) > 0


def test_a_client_that_leaves_is_counted(gateway: Receivers) -> None:
    """Half of a body is none."""

    def leave() -> None:
        with connected(gateway) as connection:
            connection.sendall(HEAD + b"50\r\n\r\nx")

    assert rise(gateway, Reason.DISCONNECTED, leave) == 1


@pytest.mark.parametrize("length", [b"-1", b"x", b"1" * 30, b"5\r\nContent-Length: 6"])
def test_a_length_that_is_none_is_refused(gateway: Receivers, length: bytes) -> None:
    """Or one that is beyond all limits, before a byte of the body."""
    with connected(gateway) as connection:
        connection.sendall(HEAD + length + b"\r\n\r\n")
        assert connection.recv(12) in (b"HTTP/1.1 400", b"HTTP/1.1 413")


def test_connections_beyond_their_number_are_told_to_come_again() -> None:
    """They are counted; those that are there go on."""
    with receivers(Limits(connections=2)) as gateway, connected(gateway) as first:
        connections = gateway.http._server.server_state.connections
        until(lambda: len(connections) == 1)
        assert gateway.post().status == 503
        assert gateway.counts() == {"busy": 1}
        until(lambda: len(connections) == 1)
        first.sendall(HEAD + b"0\r\nConnection: close\r\n\r\n")
        assert heard(first).startswith(b"HTTP/1.1 200")


def test_a_huge_value_is_kept() -> None:
    """What is within the limit is let pass, whatever it is."""
    body = traces("a" * (15 << 20)).SerializeToString()
    with receivers() as gateway:
        assert gateway.post(body).status == 200
        assert gateway.bodies() == [body]


def test_requests_one_behind_the_other_are_all_answered(gateway: Receivers) -> None:
    """Sent without waiting for answers."""
    request = HEAD + str(len(SPANS)).encode() + b"\r\n\r\n" + SPANS
    last = request.replace(b"Host:", b"Connection: close\r\nHost:")
    with connected(gateway) as connection:
        connection.sendall(request * 2 + last)
        assert heard(connection).count(b"HTTP/1.1 200") == 3
