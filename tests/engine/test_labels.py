from __future__ import annotations

import pytest

from otel_loopwatch.labels import MAX_LAYERS, Bare, bare

TEXT = "the lamp is on"

LABELS = {
    "ISO time": "2031-05-06T07:08:09Z {}",
    "ISO time in brackets": "[2031-05-06 07:08:09,123] {}",
    "time with slashes": "2031/05/06 07:08:09 | {}",
    "time with a zone": "2031-05-06 07:08:09.12 +02:00 - {}",
    "logger": "2031-05-06 07:08:09 INFO {}",
    "logger with a mark": "2031-05-06 07:08:09,001 WARNING: {}",
    "syslog": "May  6 07:08:09 pier lampd[71]: {}",
    "syslog without a host": "May 6 07:08:09 {}",
    "web server": "[06/May/2031:07:08:09 +0200] {}",
    "clock": "07:08:09 {}",
    "clock in brackets": "(07:08:09.123) {}",
    "epoch": "1767225600 {}",
    "epoch with a fraction": "1767225600.123: {}",
    "epoch in ms": "1767225600123 {}",
    "observation": "Observation: {}",
    "arrow": "Result => {}",
    "tool output": "tool output: {}",
    "standard output": "stdout = {}",
    "wall time": "Exit code: 0\nWall time: 0.12 seconds\nOutput:\n{}",
    "wall time alone": "Wall time: 3 seconds\n{}",
    "prose": "Here is what came back:\n{}",
    "prose with a blank line": "The tool returned the following output:\n\n{}",
    "tags": "<result>{}</result>",
    "tags with attributes": "<tool_output name='look'>\n{}\n</tool_output>",
    "tags in tags": "<function_results><stdout>{}</stdout></function_results>",
    "fence": "```\n{}\n```",
    "fence with a language": "```text\n{}\n```",
    "colours": "\x1b[1;32m{}\x1b[0m",
    "id": "abcd1234efgh5678 {}",
    "id with a prefix": "call_9f8e7d6c5b4aXYZ12 {}",
    "id in brackets": "[abcd1234efgh5678] {}",
    "id with an arrow": "abcd1234efgh5678 -> {}",
    "tokens behind": "{}\nTokens: 31",
    "cost behind": "{}\nTotal cost: 3",
    "duration behind": "{}\nDuration: 3s",
    "duration in brackets behind": "{} (took 3 ms)",
    "request id behind": "{}\n[request id: 88]",
    "time in a tag": "<result>07:08:09 {}</result>",
}


@pytest.mark.parametrize("label", LABELS.values(), ids=LABELS)
def test_labels_come_off(label: str) -> None:
    """What frameworks and loggers write around a result is none of it."""
    assert bare(label.format(TEXT)) == Bare(TEXT)


NUMBERED = {
    "brackets": ("[3] {}", "{}"),
    "round brackets": ("(3) {}", "{}"),
    "angles": ("<3> {}", "{}"),
    "hash": ("#3: {}", "{}"),
    "point": ("3. {}", "{}"),
    "bar": ("003 | {}", "{}"),
    "tabulator": ("3\t{}", "{}"),
    "line": ("3\n{}", "{}"),
    "of a total": ("3/50) {}", "{}"),
    "word": ("Step 3: {}", "Step {}"),
    "word in another language": ("Schritt 3: {}", "Schritt {}"),
    "word and total": ("Call 3 of 9: {}", "Call {}"),
    "behind a time": ("07:08:09 [3] {}", "{}"),
    "an enumeration": ("3. {}\n4. no more", "{}\n4. no more"),
}


@pytest.mark.parametrize(("label", "left"), NUMBERED.values(), ids=NUMBERED)
def test_a_number_in_front_is_handed_on(label: str, left: str) -> None:
    """Whether it counts calls shows later; a word before it stays."""
    assert bare(label.format(TEXT)) == Bare(left.format(TEXT), 3)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "07:08:09",
        "2031-05-06T07:08:09Z",
        "1767225600",
        "3",
        "3.",
        "[3]",
        "3 errors found",
        "0 failed",
        "12/80 files",
        "12/80",
        "3 of 9 files",
        "503: the lamp is out",
        "404 no lamp",
        "3.14 is pi",
        "3:15 is noon",
        "10.0.0.1 is up",
        "9 lamps: on",
        "lamp.c:12: error",
        "1,2,3\n4,5,6",
        "9f8e7d6c5b4a1122 Light the lamp",
        "0123456789abcdef0123456789abcdef Light the lamp",
        "0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a Light the lamp",
        "- a\n- b",
        "[1, 2, 3]",
        '[{"a": 1}]',
        '{"a": 1}',
        "2031-05-06 was a day",
        "Error in the pier:\nthe lamp is out",
        "Failed to look:\n\nthe lamp is out",
        "INFO: the lamp is on",
        "<result></result>",
        "<results>a</result>",
        "<b>a</b>",
        "```\n```",
        "```\na\n``` and more",
        "took 3 ms",
        "Tokens: 31",
        "the lamp took 3 ms",
    ],
)
def test_what_is_no_label_stays(text: str) -> None:
    """A result that is only a time or a number, counts, digests, enumerations, JSON, failures."""
    assert bare(text) == Bare(text)


def test_labels_have_an_end() -> None:
    """Only so many layers are looked under."""
    times = "07:08:09 " * (MAX_LAYERS + 1)
    assert bare(times + TEXT) == Bare("07:08:09 " + TEXT)


def test_only_one_number_comes_off() -> None:
    """What follows a number in front is data."""
    assert bare("[3] 7: " + TEXT) == Bare("7: " + TEXT, 3)
