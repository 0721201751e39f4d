"""What a claim must say, and which URLs name a ledger."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import pytest
from guard.ledger.telling import claim

from otel_loopwatch.guard.ledger import ClaimOutcome, open_ledger
from otel_loopwatch.guard.ledger.base import MAX_TEXT


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"key": ""}, "key is '', of 0 characters; it must have 1 to 512"),
        ({"key": "k" * (MAX_TEXT + 1)}, "key is 'kkk.*, of 513 characters; it must have 1 to 512"),
        ({"run": "a\0b"}, "run is 'a.x00b'; it must hold neither NUL nor lone surrogates"),
        ({"tool": "\ud800"}, "tool is '.ud800'; it must hold neither"),
        ({"owner": ""}, "owner is ''"),
        ({"authorisation": ""}, "authorisation is ''"),
        ({"arguments": '{"amount":12}'}, "arguments is '{\"amount\":12}'; it must be a digest"),
        ({"arguments": "0f" * 7}, "arguments is .* 16 to 128 hex digits"),
        ({"lease_s": 0}, "lease_s is 0; it must be a number of seconds above 0"),
        ({"lease_s": float("inf")}, "lease_s is inf"),
        ({"lease_s": float("nan")}, "lease_s is nan"),
        ({"repeats": "refund-6"}, "authorisation is None; it must say who allowed to repeat 'refund-6'"),
        ({"repeats": "refund-7", "authorisation": "Mia"}, "repeats is 'refund-7'; .* a key of its own"),
    ],
)
def test_a_claim_that_means_nothing_is_refused(fields: dict[str, Any], told: str) -> None:
    """Naming the field, the value and the rule."""
    with pytest.raises(ValueError, match=told):
        claim(**fields)


def test_a_digest_may_name_its_algorithm() -> None:
    """Both forms are digests, and differ."""
    assert claim(arguments="0f" * 16).arguments == "0f" * 16
    assert claim(arguments="blake2b:" + "0f" * 16).arguments == "blake2b:" + "0f" * 16


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("", "ledger is ''; it must be a path"),
        ("mysql://root:secret@host/db", "ledger is mysql://...; it must be a path, .* or rediss://..."),
        ("sqlite://ledger.db", "'sqlite://ledger.db'; .* three slashes"),
        ("sqlite:///", "'sqlite:///'; .* three slashes"),
        (
            "postgresql://root:secret@host/db?colour=red",
            r"libpq does not understand it \(invalid URI query parameter\)",
        ),
        ("postgresql://root:secret%@host/db", r"libpq does not understand it \(invalid percent-encoded token\)"),
        ("redis://:secret/more@host/0", "redis-py does not understand it"),
    ],
)
def test_a_url_that_names_no_ledger_is_refused(url: str, told: str) -> None:
    """Without telling its password."""
    with pytest.raises(ValueError, match=told) as refused:
        open_ledger(url)
    assert "secret" not in str(refused.value)


def test_a_timeout_must_be_a_time() -> None:
    """Zero would never wait, and infinity for ever."""
    with pytest.raises(ValueError, match="timeout_s is 0; it must be a number of seconds above 0"):
        open_ledger(":memory:", timeout_s=0)


@pytest.mark.parametrize("form", ["{}", "sqlite:///{}"])
def test_a_file_is_named_by_its_path(tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bare or as a URL, absolute or relative."""
    monkeypatch.chdir(tmp_path)
    for name in (str(tmp_path / "ledger.db"), "ledger.db"):
        ledger = open_ledger(form.format(name))
        expected = ClaimOutcome.GRANTED if name != "ledger.db" else ClaimOutcome.BUSY
        assert ledger.claim(claim()).outcome is expected
        ledger.close()
    assert open_and_close(tmp_path / "ledger.db") == 1


def open_and_close(path: Path) -> int:
    """How many operations a file holds."""
    ledger = open_ledger(path)
    try:
        return len(ledger.operations())
    finally:
        ledger.close()


@pytest.mark.parametrize(
    ("url", "driver", "extra"), [("postgresql://host/db", "psycopg", "postgres"), ("redis://host", "redis", "redis")]
)
def test_a_missing_driver_is_told(url: str, driver: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the extra that brings it."""
    found = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == f"otel_loopwatch.guard.ledger.{extra}":
            raise ModuleNotFoundError(f"No module named {driver!r}")
        return found(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ValueError, match=rf"needs a driver \(No module named '{driver}'\).*otel-loopwatch\[{extra}\]"):
        open_ledger(url)
