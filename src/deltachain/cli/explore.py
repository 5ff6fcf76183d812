"""``deltachain explore``: the report as a local page, live (extra ``web``)."""

from __future__ import annotations

import webbrowser
from collections.abc import Iterator
from pathlib import Path

from ..errors import BackendMissing, Defect, InputError
from ..loading import split_program
from ..parameters import as_whole
from .options import Asked, defaulted, positional, switch
from .session import QUIET, VERBOSE, Reply, Session, Shown, Verb

LARGEST_PORT = 65_535
LOOPBACK = "127.0.0.1"
EVERYWHERE = ("", "0.0.0.0", "::")  # noqa: S104 - refused
LARGEST = 500_000


PAGE_MODEL = positional(
    "MODEL", "what to begin with: example:NAME,key=value,…, a native .json file, or protocol.py:NAME", optional=True
)
PORT = defaulted(
    "--port",
    "P",
    lambda given, place: as_whole(given, place, 0, LARGEST_PORT),
    "the port to listen on (default: 0, a free one)",
    "0",
)
HOST = defaulted(
    "--host", "ADDRESS", lambda given, _: str(given), "the address to listen on (default: this machine alone)", LOOPBACK
)
NO_BROWSER = switch("--no-browser", help="print the address, and open nothing")


def _explore(asked: Asked, session: Session) -> Reply:
    """Serve until Ctrl-C."""
    host, begin = asked[HOST], _begin(asked[PAGE_MODEL] or "example:survey")
    try:
        from ..web.server import serve
    except ImportError as error:
        raise BackendMissing(error.name or "starlette", "web") from None
    if host != LOOPBACK:
        session.note(f"listening on {host}: whoever has the address with its token can compute on this machine")

    def ready(address: str) -> None:
        print(address, flush=True)
        session.note("Ctrl-C ends it")
        if not asked[NO_BROWSER]:
            webbrowser.open(address)

    serve(host, asked[PORT], begin, ready)
    return Reply(result=Shown("", lambda: (), dict), silent=True)


def _check(asked: Asked) -> Iterator[Defect]:
    if asked[HOST] in EVERYWHERE:
        fix = "name the one that others reach this machine by: requests that name another are refused"
        yield Defect("--host", f"{asked[HOST]} stands for every address", fix)


EXPLORE = Verb(
    "explore",
    "Open a local page with the zoo, an editor, and live reports.",
    """
deltachain explore
deltachain explore example:dining-cryptographers,n=4 --port 8765 --no-browser
deltachain explore model.json
""",
    (PAGE_MODEL, PORT, HOST, NO_BROWSER),
    _explore,
    _check,
    (QUIET, VERBOSE),
)


def _begin(model: str) -> dict[str, str]:
    """The fields that the page begins with."""
    if model.startswith("example:"):
        return {"kind": "example", "text": model.removeprefix("example:")}
    file, colon, name = split_program(model)
    if colon:
        name, _, constants = name.partition(",")
        return {"kind": "program", "text": _read(file), "name": name, "constants": constants}
    if model.endswith(".py"):
        return {"kind": "program", "text": _read(model)}
    if not model.endswith(".json"):
        fix = "translate it first: deltachain convert MODEL model.json"
        raise InputError(Defect(model, "the explorer begins with an example, a .json file or a program", fix))
    return {"kind": "model", "text": _read(model)}


def _read(path: str) -> str:
    from ..files import open_regular

    with open_regular(Path(path), LARGEST) as file:
        return file.read().decode("utf-8", "replace")
