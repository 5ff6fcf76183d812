"""The explorer's server: an address of its own on the loopback interface, until Ctrl-C.

A connection that has not sent the headers of a request within `HEADER_SECONDS` is closed, and those that are still
silent do not count towards the limit on requests: half a request, sent any number of times, blocks nobody.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
from collections.abc import Callable, Mapping

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from ..errors import Defect, InputError
from .app import HEADERS, explorer

HEADER_SECONDS = 3.0
"""How long the headers of a request may take to arrive."""


class _ImpatientProtocol(H11Protocol):
    """uvicorn's HTTP/1.1 with a header timeout, which it has no setting for; one request per connection."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as in uvicorn
        super().connection_made(transport)
        self.loop.call_later(HEADER_SECONDS, self._close_if_silent)

    def _close_if_silent(self) -> None:
        if self.conn.their_state is h11.IDLE:  # no request has begun
            self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP, with the headers of every response."""
        headers = [*HEADERS.items(), ("Content-Type", "text/plain; charset=utf-8")]
        for event in (h11.Response(status_code=400, headers=headers), h11.Data(data=msg.encode()), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()


def serve(host: str, port: int, begin: Mapping[str, str], ready: Callable[[str], None]) -> None:
    """Serve until interrupted; ``ready`` is called with the address once requests are accepted."""
    listener = _listener(host, port)
    with listener:
        number = listener.getsockname()[1]
        token = secrets.token_urlsafe(24)
        names = {host, *(["localhost", "127.0.0.1"] if host == "127.0.0.1" else [])}
        hosts = frozenset(f"[{name}]:{number}" if ":" in name else f"{name}:{number}" for name in names)
        config = uvicorn.Config(
            explorer(hosts, token, begin),
            http=_ImpatientProtocol,
            log_level="warning",
            access_log=False,
            timeout_graceful_shutdown=2,
            server_header=False,
            ws="none",
        )
        shown = f"[{host}]" if ":" in host else host
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(
                _serve(uvicorn.Server(config), listener, lambda: ready(f"http://{shown}:{number}/?token={token}"))
            )


async def _serve(server: uvicorn.Server, listener: socket.socket, ready: Callable[[], None]) -> None:
    running = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started and not running.done():
        await asyncio.sleep(0.02)
    if not running.done():
        ready()
    await running


def _listener(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        fix = "give another --port, or 0 for a free one"
        raise InputError(Defect(f"{host}:{port}", f"it cannot be used: {error.strerror or error}", fix)) from None
    return listener
