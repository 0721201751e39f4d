"""A headless Chromium, driven through a pipe by the DevTools protocol: no driver and no port."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from live.processes import program

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
EXECUTABLE = next(filter(None, map(shutil.which, NAMES)), None)
FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars"),
    *("--disable-quic", "--remote-debugging-pipe", "--force-color-profile=srgb"),
)
PATIENCE_S = 60.0


class Broken(Exception):
    """The browser or the page did not do what was asked for."""


class Page:
    """One page of the browser, and what it said and asked for since it was opened."""

    def __init__(self, send: int, receive: int) -> None:
        self._send, self._receive = send, receive
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        self.complaints: list[str] = []
        """Errors, warnings and uncaught exceptions."""
        self.requests: list[str] = []
        """Addresses of what was asked for."""

    def command(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One command of the protocol and its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._send, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise Broken(f"{method}: {answer['error']}")
                result: dict[str, Any] = answer["result"]
                return result
            self._note(answer.get("method", ""), answer.get("params", {}))

    def _next(self) -> dict[str, Any]:
        deadline = time.monotonic() + PATIENCE_S
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._receive], [], [], max(0.0, deadline - time.monotonic()))
            data = os.read(self._receive, 1 << 20) if ready else b""
            if not data:
                raise Broken("Chromium does not answer")
            self._buffer += data
        text, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        return message

    def _note(self, method: str, said: dict[str, Any]) -> None:
        if method == "Runtime.exceptionThrown":
            self.complaints.append(said["exceptionDetails"].get("exception", {}).get("description", "exception"))
        elif method == "Runtime.consoleAPICalled" and said["type"] in ("error", "warning", "assert"):
            self.complaints.append(str(said["args"]))
        elif method == "Log.entryAdded" and said["entry"]["level"] in ("error", "warning"):
            self.complaints.append(said["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(said["request"]["url"])

    def attach(self) -> None:
        """Talk to the browser's first page from now on."""
        targets = self.command("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        self._session = self.command("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.command(f"{domain}.enable")

    def size(self, width: int, height: int) -> None:
        """Set the size of the window's content."""
        self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )

    def scheme(self, scheme: str) -> None:
        """Prefer ``light`` or ``dark``."""
        self.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, path: Path) -> None:
        """Open a file; returns when it was drawn."""
        self.visit(path.as_uri())

    def visit(self, address: str) -> None:
        """Open an address; returns when it was drawn."""
        self.complaints.clear()
        self.requests.clear()
        self.command("Page.navigate", url=address)
        deadline = time.monotonic() + PATIENCE_S
        while not self.value(f"location.href === {json.dumps(address)} && document.readyState === 'complete'"):
            if time.monotonic() > deadline:
                raise Broken("the page does not load")
        self.frame()

    def value(self, expression: str) -> Any:
        """What an expression evaluates to (a promise: what it resolves to)."""
        answer = self.command("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise Broken(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def frame(self) -> None:
        """Wait until what was changed has been drawn."""
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")

    def click(self, selector: str) -> None:
        """Click in the middle of the first such element."""
        x, y = self.value(
            f"(() => {{ const b = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
            " return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.command("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        self.frame()

    def key(self, *names: str) -> None:
        """Press keys, one after the other."""
        for name in names:
            text = {"text": name} if len(name) == 1 else {"text": "\r"} if name == "Enter" else {}
            code = {"Tab": 9, "Enter": 13, "Escape": 27}.get(name, 0)
            for kind in ("keyDown", "keyUp"):
                extra = text if kind == "keyDown" else {}
                self.command("Input.dispatchKeyEvent", type=kind, key=name, windowsVirtualKeyCode=code, **extra)
        self.frame()

    def type(self, text: str) -> None:
        """Type into what has the keyboard."""
        self.command("Input.insertText", text=text)

    def picture(self, path: Path) -> None:
        """Save what is seen as a PNG."""
        path.write_bytes(base64.b64decode(self.command("Page.captureScreenshot", format="png")["data"]))


@contextmanager
def chromium() -> Iterator[Page]:
    """A browser with an empty profile, gone afterwards.

    :raises NotInstalled: where there is none.
    """
    executable = program(NAMES, "chromium")
    to_browser, from_browser = os.pipe(), os.pipe()
    profile = tempfile.mkdtemp(prefix="chromium-")
    devnull = os.open(os.devnull, os.O_RDWR)
    process = os.posix_spawn(
        executable,
        [executable, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
        os.environ,
        file_actions=[
            (os.POSIX_SPAWN_DUP2, devnull, 1),
            (os.POSIX_SPAWN_DUP2, devnull, 2),
            (os.POSIX_SPAWN_DUP2, to_browser[0], 3),
            (os.POSIX_SPAWN_DUP2, from_browser[1], 4),
        ],
    )
    os.close(to_browser[0])
    os.close(from_browser[1])
    try:
        page = Page(to_browser[1], from_browser[0])
        page.attach()
        yield page
    finally:
        os.kill(process, signal.SIGTERM)
        os.waitpid(process, 0)
        for descriptor in (to_browser[1], from_browser[0], devnull):
            os.close(descriptor)
        shutil.rmtree(profile, ignore_errors=True)
