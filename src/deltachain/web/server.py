"""The explorer's server: an address of its own on the loopback interface, until Ctrl-C."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
from collections.abc import Callable, Mapping

import uvicorn

from ..errors import Defect, InputError
from .app import explorer


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
            log_level="warning",
            access_log=False,
            limit_concurrency=64,
            timeout_keep_alive=5,
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
