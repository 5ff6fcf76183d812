"""The explorer's server: pages and what they ask for, behind a guard, on the loopback interface, until Ctrl-C.

The guard lets a request pass that names this server as its Host, comes from this server's own pages where it names an
Origin, and has the token of the address that was printed. So no other page in the same browser can ask anything, and
nobody else on the machine without the token. Headers on every response forbid framing, caching and sniffing; only the
explorer's own page may frame a report.

A connection that has not sent the headers of a request within `HEADER_SECONDS` is closed, and those that are still
silent do not count towards the limit on requests: half a request, sent any number of times, blocks nobody.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import socket
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import h11
import uvicorn
from markupsafe import Markup
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from deltachain.errors import Defect, InputError, SolverError
from deltachain.examples import catalogue
from deltachain.reports.page import asset, policy, script_data, templates
from deltachain.version import __version__

from .jobs import Jobs, ReportJob
from .report_request import LONGEST_TEXT, defect_message, read_request
from .starters import MODEL, PROGRAMS

FOLDER = Path(__file__).parent / "templates"

BODY_SECONDS = 10.0
"""How long the body of a request may take to arrive."""
HEADER_SECONDS = 3.0
"""How long its headers may take."""
LONGEST_TAB = 40
MOST_REQUESTS = 64
"""Requests that are answered at the same time."""

HEADERS = {
    "Connection": "close",  # one request per connection: the server's header timeout covers every one
    "Content-Security-Policy": "frame-ancestors 'none'",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""Of every response, unless it sets one itself."""
FRAMED_BY_US = {"Content-Security-Policy": "frame-ancestors 'self'", "X-Frame-Options": "SAMEORIGIN"}
"""Of a report, which the explorer's page shows in a frame."""


class RequestGuard:
    """The ASGI application behind checks of Host, Origin, token and load; adds `HEADERS` to every response."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str], token: str) -> None:
        self._app, self._hosts, self._token = app, hosts, token
        self._requests = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        app = self._refuse(scope) or self._app
        self._requests += 1
        try:
            await app(scope, receive, send_with_headers)
        finally:
            self._requests -= 1

    def _refuse(self, scope: Scope) -> Response | None:
        if self._requests >= MOST_REQUESTS:
            return PlainTextResponse(f"more than {MOST_REQUESTS} requests at the same time; try again later", 503)
        found: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        if len(found.get("host", [])) != 1 or found["host"][0] not in self._hosts:
            return PlainTextResponse("unexpected Host header", 403)
        if any(origin not in {f"http://{host}" for host in self._hosts} for origin in found.get("origin", [])):
            return PlainTextResponse("unexpected Origin header", 403)
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])
        if len(given) != 1 or not secrets.compare_digest(given[0].encode(), self._token.encode()):
            return PlainTextResponse("missing or wrong token; open the address that deltachain explore printed", 403)
        return None


def explorer(hosts: frozenset[str], token: str, begin: Mapping[str, str]) -> ASGIApp:
    """The whole application; ``begin`` holds the fields of the request that the page starts with."""
    jobs = Jobs()

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        await jobs.prepare()
        yield
        await jobs.close()

    async def front(_request: Request) -> Response:
        return HTMLResponse(_page(begin))

    async def run(request: Request) -> Response:
        try:
            asked = read_request(await asyncio.wait_for(_body(request), BODY_SECONDS))
            job = jobs.ask(asked, _tab(request))
        except _BodyTooLarge as error:
            return _reject(error.defects, 413)
        except InputError as error:
            return _reject(error.defects, 400)
        except SolverError as error:
            return _reject([Defect("", str(error))], 429)
        except (TimeoutError, ClientDisconnect):
            return PlainTextResponse("the request took too long to arrive", 408)
        return JSONResponse({"job": job.request.key})

    async def events(request: Request) -> Response:
        job = jobs.find(request.path_params["key"])
        if job is None:
            return _not_found()
        return StreamingResponse(_stream(job), media_type="text/event-stream")

    async def stop(request: Request) -> Response:
        job = jobs.find(request.path_params["key"])
        if job is None:
            return _not_found()
        await jobs.stop(job)
        return JSONResponse({})

    async def drop(request: Request) -> Response:
        job = jobs.find(request.path_params["key"])
        if job is None:
            return _not_found()
        await jobs.drop(job, _tab(request))
        return JSONResponse({})

    async def save(request: Request) -> Response:
        job, part = jobs.find(request.path_params["key"]), request.path_params["part"]
        if job is None or job.state != "done" or PARTS.get(part, ("",))[0] not in job.result:
            return _not_found()
        field, kind, name = PARTS[part]
        headers = dict(FRAMED_BY_US) if part == "report" else {}
        if part != "report" or "save" in request.query_params:
            headers["Content-Disposition"] = f'attachment; filename="{name}"'
        return Response(job.result[field], media_type=kind, headers=headers)

    routes = [
        Route("/", front),
        Route("/run", run, methods=["POST"]),
        Route("/events/{key}", events),
        Route("/stop/{key}", stop, methods=["POST"]),
        Route("/drop/{key}", drop, methods=["POST"]),
        Route("/{part}/{key}", save),
    ]
    return RequestGuard(Starlette(routes=routes, lifespan=lifespan), hosts, token)


PARTS = {
    "report": ("html", "text/html; charset=utf-8", "report.html"),
    "certificate": ("certificate", "application/json", "certificate.json"),
    "csv": ("csv", "text/csv; charset=utf-8", "profile.csv"),
    "model": ("model", "application/json", "model.json"),
}
"""Part of an address → the field of the result, its type, and the name it is saved by."""


STARTER = "survey"
"""The program that the page begins with."""


class _BodyTooLarge(InputError):
    """A request of more than `LONGEST_TEXT` bytes."""


async def _body(request: Request) -> bytes:
    content = b""
    async for chunk in request.stream():
        content += chunk
        if len(content) > LONGEST_TEXT:
            raise _BodyTooLarge(f"the request is too large: at most {LONGEST_TEXT:,} bytes")
    return content


async def _stream(job: ReportJob) -> AsyncIterator[str]:
    async for state, progress in job.changes():
        data: dict[str, Any] = {"state": state, "progress": progress}
        if state == "failed":
            data["errors"] = job.errors
        if state == "done":
            data |= {name: job.result.get(name) for name in ("headline", "found", "stopped", "text")}
        yield f"data: {json.dumps(data)}\n\n"


def _tab(request: Request) -> str:
    """What the page calls itself; tabs may ask the same, and one of them may lose interest in it."""
    return request.query_params.get("tab", "")[:LONGEST_TAB]


def _reject(defects: Iterable[Defect], code: int) -> Response:
    return JSONResponse({"error": [defect_message(defect) for defect in defects]}, code)


def _not_found() -> Response:
    return PlainTextResponse("not found", 404)


def _page(begin: Mapping[str, str]) -> str:
    style = asset("report.css") + asset("explore.css", FOLDER)
    script, editor = asset("explore.js", FOLDER), asset("editor.js", FOLDER)
    nonce = secrets.token_urlsafe(16)  # for the styles that the editor makes
    zoo = [{"name": e.name, "summary": e.summary, "parameters": list(e.parameters)} for e in catalogue()]
    rules = policy([style], [editor, script], connect_src="'self'", frame_src="'self'", img_src="data:")
    rules = rules.replace("style-src ", f"style-src 'nonce-{nonce}' ")
    programs = {name: asdict(starter) for name, starter in PROGRAMS.items()}
    data = {"zoo": zoo, "begin": dict(begin), "nonce": nonce, "starter": STARTER, "programs": programs, "model": MODEL}
    return (
        templates(FOLDER)
        .get_template("explore.html")
        .render(
            version=__version__,
            policy=rules,
            style=Markup(style),  # noqa: S704 - our own file
            script=Markup(script),  # noqa: S704 - our own file
            editor=Markup(editor),  # noqa: S704 - our own file
            data=Markup(script_data(data)),  # noqa: S704 - escaped there
        )
    )


# The server.


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
