"""The one parameter that must not be seen."""

from __future__ import annotations

import pytest

from otel_loopwatch.config import describe, load

SECRET = "a secret: [of many words"


def test_a_secret_is_taken_from_its_variable_as_it_stands() -> None:
    """No YAML: a password may look like anything."""
    assert load(env={"OTEL_LOOPWATCH_DIGEST_KEY": SECRET}).digest_key == SECRET


def test_a_secret_is_not_shown() -> None:
    """Neither in the description of the set-up nor in that of the object."""
    options = load(env={}, digest_key=SECRET)
    assert "digest_key=set" in describe(options)
    assert "digest_key=none" in describe(load(env={}))
    assert SECRET not in describe(options) + repr(options)


@pytest.mark.parametrize("value", ["hunter2", 1234567890123456789, "a" * 15, " " * 20])
def test_a_wrong_secret_is_refused_without_being_shown(value: object) -> None:
    """The error names the rule alone."""
    with pytest.raises(ValueError, match="digest_key is not shown here; it must be text of 16 or more") as caught:
        load(env={}, digest_key=value)
    assert str(value).strip() == "" or str(value) not in str(caught.value)
