"""A pager that prints: what Alertmanager's webhook delivers, a line per alert.

``python pager.py [HOST]`` listens at port 9099, on this machine alone unless HOST says otherwise.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PORT = 9099


class Pager(BaseHTTPRequestHandler):
    """Takes what is posted to it, and says that it is there."""

    def do_GET(self) -> None:
        """Somebody asks whether it is well."""
        self._done()

    def do_POST(self) -> None:
        """A notification: alerts of one group, with the receiver they were routed to."""
        told = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        for alert in told["alerts"]:
            labels = " ".join(f"{name}={value}" for name, value in sorted(alert["labels"].items()))
            print(told["receiver"], f"{alert['status'].upper()}:", alert["annotations"]["summary"], labels, flush=True)
        self._done()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - named by the base class
        """Requests are not logged: the alerts are what is to be read."""

    def _done(self) -> None:
        self.send_response(200)
        self.end_headers()


if __name__ == "__main__":
    ThreadingHTTPServer((sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1", PORT), Pager).serve_forever()
