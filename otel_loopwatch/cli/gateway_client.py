"""A gateway's API, asked by a command."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any

import msgspec

from otel_loopwatch.cli.bad_input import BadInput
from otel_loopwatch.cli.hook import DEFAULT_GATEWAY
from otel_loopwatch.control.address import WORDS, Address, address, without_path
from otel_loopwatch.gateway.receive.tokens import from_environment, from_file
from otel_loopwatch.variables import GATEWAY_VARIABLE, TOKEN_FILE_VARIABLE

TIMEOUT_S = 10.0
MAX_ANSWER_BYTES = 1 << 25
OK, UNKNOWN = 200, 404


def add_arguments(parser: ArgumentParser) -> None:
    """The flags that say where the gateway is, and who asks."""
    add = parser.add_argument
    add("--gateway", metavar="URL", help=f"where it is (default: ${GATEWAY_VARIABLE}, then {DEFAULT_GATEWAY})")
    add("--token-file", metavar="FILE", help=f"file with the gateway's token (default: ${TOKEN_FILE_VARIABLE})")
    add("--token-env", metavar="NAME", help="environment variable with the gateway's token")
    add("--insecure", action="store_true", help="ask over plain http, also on other machines")


@dataclass(frozen=True, slots=True)
class GatewayClient:
    """One gateway."""

    address: Address
    token: str | None = None

    @classmethod
    def of(cls, args: Namespace) -> GatewayClient:
        """The gateway that the flags mean. Raises :class:`BadInput`."""
        url = args.gateway or os.environ.get(GATEWAY_VARIABLE) or DEFAULT_GATEWAY
        known = address(url, args.insecure)
        if known is None or "?" in known.target:
            raise BadInput(f"gateway is {without_path(url)!r}; it must be {WORDS}, and have no query")
        try:
            return cls(known, _token(args))
        except ValueError as error:
            raise BadInput(str(error)) from None

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        """Status and data of an answer: of OK, or that something is unknown. Raises :class:`BadInput` for others."""
        connection = self._connection()
        try:
            connection.request(method, self.address.target.rstrip("/") + path, _encoded(body), self._headers(body))
            response = connection.getresponse()
            return response.status, _data(response)
        except (OSError, HTTPException) as error:
            raise BadInput(f"no gateway answers at {self.address.host}: {str(error) or type(error).__name__}") from None
        finally:
            connection.close()

    def _connection(self) -> HTTPConnection:
        kind = HTTPSConnection if self.address.tls else HTTPConnection
        return kind(self.address.host, self.address.port, timeout=TIMEOUT_S)

    def _headers(self, body: object) -> dict[str, str]:
        headers = {"Accept": "application/json", "User-Agent": "otel-loopwatch"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        return headers


def _token(args: Namespace) -> str | None:
    """The first, where several are kept while one is replaced."""
    if args.token_env:
        return from_environment(args.token_env)[0]
    path = args.token_file or os.environ.get(TOKEN_FILE_VARIABLE)
    return from_file(path)[0] if path else None


def _encoded(body: object) -> bytes | None:
    return None if body is None else msgspec.json.encode(body)


def _data(response: HTTPResponse) -> Any:
    try:
        data = msgspec.json.decode(response.read(MAX_ANSWER_BYTES))
    except (msgspec.DecodeError, UnicodeDecodeError):
        data = None
    if response.status not in (OK, UNKNOWN) or not isinstance(data, dict):
        said = data.get("error") or data.get("message") if isinstance(data, dict) else None
        raise BadInput(f"the gateway answered with status {response.status}: {said or 'no answer of a gateway'}")
    return data
