"""What may stand under ``webhook``. No error shows its secret, nor the path of its URL."""

from __future__ import annotations

from collections.abc import Mapping

from otel_loopwatch.config.rules import MIN_KEY, Hidden, Path, Rule, broken, flag, secret, table
from otel_loopwatch.control.address import WORDS, address, without_path
from otel_loopwatch.settings import WebhookTarget

MAPPING = "a mapping of url, secret and insecure, of which url must be given"

_PARTS = table({"url": Rule(WORDS, lambda path, value: value), "secret": secret(MIN_KEY), "insecure": flag()}, MAPPING)


def _target(path: Path, value: object) -> WebhookTarget:
    named = isinstance(value, Mapping) and all(isinstance(key, str) and key for key in value) and "url" in value
    if not (named or isinstance(value, WebhookTarget)):
        raise broken(path, Hidden(), MAPPING)
    made = WebhookTarget(**_PARTS.check(path, value))
    if address(made.url, made.insecure) is None:
        raise broken((*path, "url"), without_path(made.url), WORDS)
    return made


WEBHOOK = Rule(MAPPING, _target)
