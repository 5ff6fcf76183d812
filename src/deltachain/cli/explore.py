"""``deltachain explore``: the report as a local page, live (extra ``web``)."""

from __future__ import annotations

import argparse
import webbrowser
from pathlib import Path

from ..errors import BackendMissing, Defect, InputError
from .exits import Exit
from .output import note
from .parser import Subparsers, verb_parser

USAGE = """
deltachain explore
deltachain explore example:dining-cryptographers,n=4 --port 8765 --no-browser
deltachain explore model.json
"""

LOOPBACK = "127.0.0.1"
EVERYWHERE = ("", "0.0.0.0", "::")  # noqa: S104 - refused
LARGEST = 500_000


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb."""
    parser = verb_parser(subparsers, "explore", "Open a local page with the zoo, an editor, and live reports.", USAGE)
    text = "what to begin with: example:NAME,key=value,…, a native .json file, or protocol.py:NAME"
    parser.add_argument("model", metavar="MODEL", nargs="?", default="example:survey", help=text)
    parser.add_argument("--port", default="0", metavar="P", help="the port to listen on (default: 0, a free one)")
    parser.add_argument(
        "--host", default=LOOPBACK, metavar="ADDRESS", help="the address to listen on (default: this machine alone)"
    )
    parser.add_argument("--no-browser", action="store_true", help="print the address, and open nothing")
    loudness = parser.add_argument_group("output").add_mutually_exclusive_group()
    loudness.add_argument("-q", "--quiet", action="store_true", help="no notes")
    loudness.add_argument("-v", "--verbose", action="store_true", help="every defect, and tracebacks")
    parser.set_defaults(execute=execute, delivered=False, progress=None)


def execute(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    port, begin = _port(args.port), _begin(args.model)
    if args.host in EVERYWHERE:
        fix = "name the one that others reach this machine by: requests that name another are refused"
        raise InputError(Defect("--host", f"{args.host} stands for every address", fix))
    try:
        from ..web.server import serve
    except ImportError as error:
        raise BackendMissing(error.name or "starlette", "web") from None
    if args.host != LOOPBACK:
        note(args, f"listening on {args.host}: whoever has the address with its token can compute on this machine")

    def ready(address: str) -> None:
        print(address, flush=True)
        note(args, "Ctrl-C ends it")
        if not args.no_browser:
            webbrowser.open(address)

    serve(args.host, port, begin, ready)
    return Exit.DONE


def _port(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 5 and int(text) < 65_536):
        raise InputError(Defect("--port", f"{text!r} is not a port", "give 0 to 65535"))
    return int(text)


def _begin(model: str) -> dict[str, str]:
    """The fields that the page begins with."""
    if model.startswith("example:"):
        return {"kind": "example", "text": model.removeprefix("example:")}
    file, colon, name = model.rpartition(":")
    if colon and file.endswith(".py"):
        return {"kind": "program", "text": _read(file), "name": name}
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
