"""``explore``: a local page with live reports."""

from __future__ import annotations

import html
import os
import tempfile
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from deltachain.cli import question as q
from deltachain.cli.command import QUIET, VERBOSE, Reply, Session, Shown, Verb
from deltachain.cli.options import Asked, positional, repeat_option, switch, text, value
from deltachain.errors import BackendMissing, Defect, InputError
from deltachain.files import open_regular, to_standard_output
from deltachain.loading import EXAMPLE, split_program
from deltachain.parameters import whole

LARGEST_PORT = 65_535
LOOPBACK = "127.0.0.1"
EVERYWHERE = ("", "0.0.0.0", "::")  # noqa: S104 - refused
LARGEST = 500_000

BEGIN = "what to start with: example:NAME,key=value,…, a native .json file, or protocol.py:NAME"
PAGE_MODEL = positional("MODEL", BEGIN, optional=True)
PAGE_SECRET = repeat_option("--secret", "X=0", "a secret: values that the program starts from; repeat for each secret")
LISTEN = "the port to listen on (default: 0, a free one)"
PORT = value("--port", "P", whole("port", 0, LARGEST_PORT), LISTEN).default("0")
HOST = text("--host", "ADDRESS", "the address to listen on (default: this machine alone)").default(LOOPBACK)
NO_BROWSER = switch("--no-browser", explained="print the address, but do not open a browser")


def _explore(asked: Asked, session: Session) -> Reply:
    """Serve until Ctrl-C."""
    host, begin = asked[HOST], _begin(asked[PAGE_MODEL] or "example:survey", asked[PAGE_SECRET])
    try:
        from .server import serve
    except ImportError as error:
        raise BackendMissing(error.name or "starlette", "web") from None
    if host != LOOPBACK:
        session.note(f"listening on {host}: anyone with the address and its token can compute on this machine")

    def ready(address: str) -> None:
        with to_standard_output():
            print(address, flush=True)
        session.note("press Ctrl-C to stop")
        if not asked[NO_BROWSER]:
            webbrowser.open(until_the_end.enter_context(leading_page(address)).as_uri())

    with ExitStack() as until_the_end:
        serve(host, asked[PORT], begin, ready)
    return Reply(result=Shown("", {}), silent=True)


@contextmanager
def leading_page(address: str) -> Iterator[Path]:
    """A page that leads a browser to the address, in a file for this user alone, removed at the end.

    What a browser opens is an argument of its process, which every user of the machine can read, and the address has
    the token.
    """
    target = html.escape(address)
    with tempfile.TemporaryDirectory(prefix="deltachain-") as folder:  # for this user alone, too
        page = Path(folder) / "explore.html"
        with os.fdopen(os.open(page, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write('<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">')
            file.write(f'<meta http-equiv="refresh" content="0; url={target}"><title>deltachain</title>')
            file.write(f'<p><a href="{target}">deltachain explore</a></p>')
        yield page


def _check_host(asked: Asked) -> Iterator[Defect]:
    if asked[HOST] in EVERYWHERE:
        fix = "name the one that others reach this machine by: requests that name another are refused"
        yield Defect("--host", f"{asked[HOST]} stands for every address", fix)


EXPLORE = Verb(
    "explore",
    """
deltachain explore
deltachain explore example:dining-cryptographers,n=4 --port 8765 --no-browser
deltachain explore model.json
deltachain explore protocol.py:NAME --secret x=0 --secret x=1
""",
    (PAGE_MODEL, PAGE_SECRET, q.EXECUTE, PORT, HOST, NO_BROWSER),
    _explore,
    (_check_host, q.refuse_execute),
    (QUIET, VERBOSE),
)


def _begin(model: str, secrets: Sequence[str]) -> dict[str, str]:
    """The fields that the page begins with."""
    file, colon, name = ("", "", "") if model.startswith(EXAMPLE) else split_program(model)
    if colon or model.endswith(".py"):
        name, _, constants = name.partition(",")
        given = {"name": name, "constants": constants} if colon else {}
        return {"kind": "program", "text": _read(file), **given, "secrets": "\n".join(secrets)}
    if secrets:
        raise InputError(Defect("--secret", "only a program starts from secrets", "leave it out"))
    if model.startswith(EXAMPLE):
        return {"kind": "example", "text": model.removeprefix(EXAMPLE)}
    if not model.endswith(".json"):
        fix = "translate it first: deltachain convert MODEL model.json"
        raise InputError(Defect(model, "the explorer starts with an example, a .json file or a program", fix))
    return {"kind": "model", "text": _read(model)}


def _read(path: str) -> str:
    with open_regular(Path(path), LARGEST) as file:
        return file.read().decode("utf-8", "replace")
