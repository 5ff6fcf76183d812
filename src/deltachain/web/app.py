"""The explorer's pages and what they ask for, behind a guard.

The guard lets a request pass that names this server as its Host, comes from this server's own pages where it names an
Origin, and has the token of the address that was printed. So no other page in the same browser can ask anything, and
nobody else on the machine without the token. Every answer forbids to be framed, kept or sniffed elsewhere.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs

from markupsafe import Markup
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from ..errors import InputError, SolverError
from ..render.report import asset, policy, script_data, templates
from ..version import __version__
from .jobs import Job, Jobs
from .questions import LONGEST_TEXT, question_of

BODY_SECONDS = 10.0
"""How long a request may take to arrive."""

HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class Guard:
    """The ASGI application behind checks of Host, Origin and token."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str], token: str) -> None:
        self._app, self._hosts, self._token = app, hosts, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        reason = self._refused(scope)
        if reason is None:
            await self._app(scope, receive, send)
        else:
            await PlainTextResponse(reason, 403, HEADERS)(scope, receive, send)

    def _refused(self, scope: Scope) -> str | None:
        found: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        if len(found.get("host", [])) != 1 or found["host"][0] not in self._hosts:
            return "this server does not go by that name"
        if any(origin not in {f"http://{host}" for host in self._hosts} for origin in found.get("origin", [])):
            return "asked from another page"
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])
        if len(given) != 1 or not secrets.compare_digest(given[0].encode(), self._token.encode()):
            return "open the address that deltachain explore printed: it has a token"
        return None


def explorer(hosts: frozenset[str], token: str, begin: Mapping[str, str]) -> ASGIApp:
    """The whole application; ``begin`` is what the page starts with: the fields of a question."""
    jobs = Jobs()

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        yield
        await jobs.close()

    async def front(_request: Request) -> Response:
        return HTMLResponse(_page(begin), headers=HEADERS)

    async def run(request: Request) -> Response:
        try:
            job = jobs.ask(question_of(await asyncio.wait_for(_body(request), BODY_SECONDS)))
        except InputError as error:
            return _wrong(error, 413 if "too long" in str(error) else 400)
        except SolverError as error:
            return JSONResponse({"error": [{"where": "", "what": str(error), "fix": "", "line": None}]}, 429, HEADERS)
        except (TimeoutError, ClientDisconnect):
            return PlainTextResponse("the request did not arrive", 408, HEADERS)
        return JSONResponse({"job": job.question.key}, headers=HEADERS)

    async def events(request: Request) -> Response:
        job = jobs.find(request.path_params["key"])
        if job is None:
            return _nothing()
        return StreamingResponse(_stream(job), media_type="text/event-stream", headers=HEADERS)

    async def stop(request: Request) -> Response:
        job = jobs.find(request.path_params["key"])
        if job is None:
            return _nothing()
        await jobs.stop(job)
        return JSONResponse({}, headers=HEADERS)

    async def saved(request: Request) -> Response:
        job, part = jobs.find(request.path_params["key"]), request.path_params["part"]
        if job is None or job.state != "done" or PARTS.get(part, ("",))[0] not in job.result:
            return _nothing()
        field, kind, name = PARTS[part]
        headers = dict(HEADERS)
        if part != "report" or "save" in request.query_params:
            headers["Content-Disposition"] = f'attachment; filename="{name}"'
        return Response(job.result[field], media_type=kind, headers=headers)

    routes = [
        Route("/", front),
        Route("/run", run, methods=["POST"]),
        Route("/events/{key}", events),
        Route("/stop/{key}", stop, methods=["POST"]),
        Route("/{part}/{key}", saved),
    ]
    return Guard(Starlette(routes=routes, lifespan=lifespan), hosts, token)


PARTS = {
    "report": ("html", "text/html; charset=utf-8", "report.html"),
    "certificate": ("certificate", "application/json", "certificate.json"),
    "csv": ("csv", "text/csv; charset=utf-8", "profile.csv"),
}
"""Part of an address → the field of the result, its type, and the name it is saved by."""


async def _body(request: Request) -> bytes:
    content = b""
    async for chunk in request.stream():
        content += chunk
        if len(content) > LONGEST_TEXT:
            raise InputError(f"the request is too long: at most {LONGEST_TEXT:,} bytes")
    return content


async def _stream(job: Job) -> AsyncIterator[str]:
    async for state, told in job.news():
        data: dict[str, Any] = {"state": state, "told": told}
        if state == "failed":
            data["errors"] = job.errors
        if state == "done":
            data |= {name: job.result.get(name) for name in ("headline", "stopped", "text")}
        yield f"data: {json.dumps(data)}\n\n"


def _wrong(error: InputError, code: int) -> Response:
    told = [{"where": d.where, "what": d.what, "fix": d.fix, "line": None} for d in error.defects]
    return JSONResponse({"error": told}, code, HEADERS)


def _nothing() -> Response:
    return PlainTextResponse("there is nothing here", 404, HEADERS)


def _page(begin: Mapping[str, str]) -> str:
    from ..examples import catalogue

    style, script = asset("report.css") + asset("explore.css"), asset("explore.js")
    zoo = [{"name": e.name, "summary": e.summary, "parameters": list(e.parameters)} for e in catalogue()]
    rules = policy([style], [script], connect_src="'self'", frame_src="'self'")
    return (
        templates()
        .get_template("explore.html")
        .render(
            version=__version__,
            policy=rules,
            style=Markup(style),  # noqa: S704 - our own file
            script=Markup(script),  # noqa: S704 - our own file
            data=Markup(script_data({"zoo": zoo, "begin": dict(begin)})),  # noqa: S704 - escaped there
        )
    )
