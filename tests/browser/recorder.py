"""A proxy that a browser sends everything through, and that keeps what was sent: addresses, headers and bodies.

What a page sends is read off the wire here, not asked of the browser, which may leave some of it out.
"""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit


@dataclass(frozen=True)
class Sent:
    """One request."""

    method: str
    address: str
    headers: str
    body: str

    def outside_of_body(self, text: str) -> bool:
        """Whether the text is in the address or in a header, as it is or with its signs escaped."""
        return any(text in part or text in unquote(part) for part in (self.address, self.headers))


@dataclass
class Recorder:
    """All requests, in the order in which they came; ``proxy`` is the setting of a browser's context."""

    port: int
    requests: list[Sent] = field(default_factory=list)

    @property
    def proxy(self) -> dict[str, str]:
        return {"server": f"http://127.0.0.1:{self.port}", "bypass": "<-loopback>"}  # also what is on this machine


@contextmanager
def recording() -> Iterator[Recorder]:
    """A proxy, until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            recorder.requests.append(Sent(self.command, self.path, str(self.headers), body.decode("utf-8", "replace")))
            place = urlsplit(self.path)
            if place.hostname != "127.0.0.1":
                self.send_error(403)
                return
            there = http.client.HTTPConnection(place.hostname, place.port or 80, timeout=60)
            there.request(self.command, f"{place.path}?{place.query}", body or None, dict(self.headers))
            answer = there.getresponse()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() != "transfer-encoding":
                    self.send_header(name, value)
            self.end_headers()
            try:
                while part := answer.read1(65536):
                    self.wfile.write(part)
                    self.wfile.flush()
            except (ConnectionError, TimeoutError):  # the page was closed before its answer was there
                pass
            finally:
                there.close()

        do_POST = do_CONNECT = do_GET  # noqa: N815 - names of http.server

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        recorder = Recorder(server.server_address[1])
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield recorder
        finally:
            server.shutdown()
