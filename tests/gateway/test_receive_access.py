from __future__ import annotations

import shutil
import ssl
import subprocess
from pathlib import Path
from typing import Any

import grpc
import pytest
from gateway.receiving import SPANS, TOKEN, receivers
from gateway.storing import DEADLINE_S
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import TraceServiceStub

from otel_loopwatch.gateway.receive import tokens
from otel_loopwatch.gateway.receive.access import Access
from otel_loopwatch.gateway.receive.limits import Limits

OTHER = "another-of-many-letters"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Files of a certificate for 127.0.0.1 and localhost, and of its key."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    folder = tmp_path_factory.mktemp("tls")
    made = str(folder / "certificate.pem"), str(folder / "key.pem")
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=gateway"
    names = ["-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-out", made[0], "-keyout", made[1]]
    subprocess.run([*command.split(), *names], check=True, capture_output=True)
    return made


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.10", "::1", "localhost"])
def test_loopback_needs_nothing(host: str) -> None:
    """Everybody on this machine is admitted."""
    access = Access(host)
    assert access.is_loopback
    assert access.admits(None)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "gateway.example", ""])
def test_any_other_host_needs_a_certificate_and_tokens(host: str, certificate: tuple[str, str]) -> None:
    """Neither alone will do."""
    wrong: list[tuple[dict[str, Any], str]] = [
        ({}, "certificate"),
        ({"tokens": (TOKEN,)}, "certificate"),
        ({"certificate": certificate[0], "key": certificate[1]}, "tokens"),
    ]
    for given, missing in wrong:
        with pytest.raises(ValueError, match=rf"^host is {host!r}; it must be of this machine.* have (a )?{missing}$"):
            Access(host, **given)
    access = Access(host, (TOKEN,), *certificate)
    assert not access.admits(None)
    assert not access.admits(None, looking=True)
    assert access.admits(f"Bearer {TOKEN}")


@pytest.mark.parametrize(
    ("authorization", "admitted"),
    [
        (f"Bearer {TOKEN}", True),
        (f"bearer  {OTHER} ", True),
        (f"Basic {TOKEN}", False),
        (TOKEN, False),
        (f"Bearer {TOKEN[:-1]}", False),
        (f"Bearer {TOKEN}x", False),
        ("Bearer", False),
        ("Bearer \udcff", False),
        ("", False),
        (None, False),
    ],
    ids=ascii,
)
def test_any_of_the_tokens_is_good(authorization: str | None, admitted: bool) -> None:
    """While one takes the place of the other, both are; on loopback, looking needs none."""
    access = Access(tokens=(TOKEN, OTHER))
    assert access.admits(authorization) is admitted
    assert access.admits(authorization, looking=True)


@pytest.mark.parametrize(
    "token", ["", "short", "with spaces in between", "ünïcödé-ünïcödé-ünïcödé", "line\nbreak-line-break"]
)
def test_a_token_that_is_none_is_not_shown(token: str) -> None:
    """The error says the field and the rule."""
    with pytest.raises(ValueError, match=r"^tokens is \(not shown\); it must be tokens of 16 or more") as told:
        Access(tokens=(TOKEN, token))
    assert TOKEN not in str(told.value)
    assert TOKEN not in repr(Access(tokens=(TOKEN,)))


def test_certificate_and_key_come_together_and_fit(certificate: tuple[str, str], tmp_path: Path) -> None:
    """Otherwise the gateway does not start."""
    for given in ({"certificate": certificate[0]}, {"key": certificate[1]}):
        with pytest.raises(ValueError, match=r"^key is .*; it must be given where certificate is"):
            Access(**given)  # type: ignore[arg-type]
    broken = tmp_path / "broken.pem"
    broken.write_text("no PEM")
    for pair in ((str(broken), certificate[1]), (certificate[0], str(tmp_path / "absent")), certificate[::-1]):
        with pytest.raises(ValueError, match=r"^certificate is .*; it must be a PEM file that fits the key"):
            Access("127.0.0.1", (), *pair)


def test_tls_is_spoken_by_both_receivers(certificate: tuple[str, str]) -> None:
    """With the token, spans are taken."""
    with receivers(access=Access("localhost", (TOKEN,), *certificate)) as gateway:
        gateway.tls = ssl.create_default_context(cafile=certificate[0])
        assert gateway.post(authorization=f"Bearer {TOKEN}").status == 200
        assert gateway.post().status == 401
        trusted = grpc.ssl_channel_credentials(Path(certificate[0]).read_bytes())
        with grpc.secure_channel(f"localhost:{gateway.grpc.port}", trusted) as channel:
            export = TraceServiceStub(channel).Export
            metadata = [("authorization", f"Bearer {TOKEN}")]
            export(ExportTraceServiceRequest.FromString(SPANS), metadata=metadata, timeout=DEADLINE_S)
        assert gateway.bodies() == [SPANS, SPANS]


def test_a_refusal_asks_for_a_token() -> None:
    """By status 401 and ``WWW-Authenticate``; it is counted, and nothing is read."""
    with receivers(access=Access(tokens=(TOKEN,))) as gateway:
        answer = gateway.post(authorization=f"Bearer {OTHER}")
        assert (answer.status, answer.headers["www-authenticate"]) == (401, "Bearer")
        assert answer.error().code == 16
        assert gateway.counts() == {"unauthenticated": 1}
        assert gateway.ask("GET", "/v1/traces").status == 405
        assert gateway.ask("POST", "/healthz").status == 404


@pytest.mark.parametrize("host", ["localhost", "localhost:4318", "127.0.0.1:1", "[::1]:4318"])
def test_this_machine_has_several_names(host: str) -> None:
    """All of them are answered; those of other machines, which a browser may be led to use, are not."""
    with receivers() as gateway:
        assert gateway.post(host=host).status == 200
        assert gateway.post(host="evil.example").status == 421


def from_file(tmp_path: Path, text: str) -> tuple[str, ...]:
    """The tokens of a file with this text."""
    path = tmp_path / "tokens"
    path.write_text(text, encoding="utf-8")
    return tokens.from_file(str(path))


def test_tokens_are_read_from_a_file_or_a_variable(tmp_path: Path) -> None:
    """With white space between them."""
    text = f"{TOKEN}\n\n  {OTHER}\n"
    assert from_file(tmp_path, text) == (TOKEN, OTHER)
    assert tokens.from_environment("TOKENS", {"TOKENS": text}) == (TOKEN, OTHER)


@pytest.mark.parametrize("text", ["", "\n", "short", f"{TOKEN} short", "ünïcödé-ünïcödé-ünïcödé"])
def test_a_source_without_good_tokens_is_refused(tmp_path: Path, text: str) -> None:
    """The error names the source, and shows no token."""
    with pytest.raises(ValueError, match=r"^token_file is '.*tokens'; it must .*tokens of 16 or more") as told:
        from_file(tmp_path, text)
    with pytest.raises(ValueError, match=r"^token_env is 'TOKENS'; it must name tokens of 16 or more"):
        tokens.from_environment("TOKENS", {"TOKENS": text})
    assert TOKEN not in str(told.value)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """As is a variable that is not set."""
    with pytest.raises(ValueError, match=r"^token_file is .*; it must be a file that can be read"):
        tokens.from_file(str(tmp_path / "absent"))
    with pytest.raises(ValueError, match=r"^token_env is 'ABSENT'"):
        tokens.from_environment("ABSENT", {})


@pytest.mark.parametrize("value", [0, -1, True, "5", None])
@pytest.mark.parametrize("field", ["body_bytes", "head_s", "threads"])
def test_limits_are_numbers_above_zero(field: str, value: Any) -> None:
    """The error names the field, its value and the rule."""
    with pytest.raises(ValueError, match=rf"^{field} is {value!r}; it must be a number greater than 0$"):
        Limits(**{field: value})
