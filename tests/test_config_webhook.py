"""The receiver of stop reports, as it is configured: checked like everything, and never shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from otel_loopwatch.config import describe, load
from otel_loopwatch.settings import Options, WebhookTarget

URL = "https://hooks.example/services/T0KEN"
SECRET = "known to both sides"
WHOLE = WebhookTarget(URL, SECRET)


def test_argument_variable_and_file_say_the_same(tmp_path: Path) -> None:
    """A mapping in each of them, or the ready-made value."""
    file = tmp_path / "loopwatch.yaml"
    file.write_text(f"webhook:\n  url: {URL}\n  secret: {SECRET}\n", encoding="utf-8")
    variable = {"OTEL_LOOPWATCH_WEBHOOK": f"{{url: '{URL}', secret: {SECRET}}}"}
    assert load(env={}, webhook={"url": URL, "secret": SECRET}).webhook == WHOLE
    assert load(env={}, webhook=WHOLE).webhook == WHOLE
    assert load(env=variable).webhook == WHOLE
    assert load(str(file), {}).webhook == WHOLE
    assert load(env={}, webhook={"url": "http://hooks.example/", "insecure": True}).webhook is not None


def test_neither_secret_nor_url_is_shown() -> None:
    """The paths of many receivers are keys themselves."""
    options = load(env={}, webhook=WHOLE)
    assert "webhook={url: set, secret: set}" in describe(options)
    assert "webhook=none" in describe(Options())
    for hidden in (SECRET, "T0KEN"):
        assert hidden not in describe(options) + repr(options)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            {"url": "http://hooks.example/T0KEN"},
            "webhook.url is 'http://hooks.example/...'; it must be an https address",
        ),
        ({"url": 7}, "webhook.url is 7; it must be an https address"),
        ({"url": URL, "secret": "T0KEN"}, "webhook.secret is not shown here; it must be text of 16 or more characters"),
        ({"url": URL, "insecure": "no"}, "webhook.insecure is 'no'; it must be true or false"),
        ({"url": URL, "secrte": SECRET}, "webhook.secrte is not known (did you mean secret?); valid here: url, secret"),
        (
            {"secret": SECRET},
            "webhook is not shown here; it must be a mapping of url, secret and insecure, of which url",
        ),
        (URL, "webhook is not shown here; it must be a mapping of url"),
        ([URL, SECRET], "webhook is not shown here; it must be a mapping of url"),
        ({1: SECRET, "url": URL}, "webhook is not shown here; it must be a mapping of url"),
    ],
)
def test_a_wrong_receiver_is_refused_without_being_shown(value: Any, message: str) -> None:
    """Field, value and rule, but for what would give it away."""
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is compared below
        load(env={}, webhook=value)
    assert str(caught.value).startswith(message)
    assert SECRET not in str(caught.value)
    assert "T0KEN" not in str(caught.value)


def test_an_error_names_the_line_it_stands_on(tmp_path: Path) -> None:
    """As for every parameter."""
    file = tmp_path / "loopwatch.yaml"
    file.write_text("window: 20\nwebhook:\n  insecure: false\n  url: ftp://hooks.example/\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"line 4: webhook\.url is 'ftp://hooks\.example/\.\.\.'; it must be"):
        load(str(file), {})
