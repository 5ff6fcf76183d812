"""HTML pages from templates: every name escaped, under a Content-Security-Policy.

The policy of the report admits one style and one script, by their hashes, and no network. Numbers reach the page as
text, bounds rounded outward from exact fractions; the script moves texts and pictures, and computes no bound. No time,
no path and no random number is in it: the same findings give the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..version import __version__

if TYPE_CHECKING:
    from jinja2 import Environment

FOLDER = Path(__file__).parent / "templates"


@lru_cache(maxsize=2)
def templates(folder: Path = FOLDER) -> Environment:
    """The environment of all pages of a folder: everything is escaped unless it was made here."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def asset(name: str, folder: Path = FOLDER) -> str:
    """A style or script of ours, as text."""
    return (folder / name).read_text("utf-8")


def policy(styles: Sequence[str], scripts: Sequence[str], **more: str) -> str:
    """The Content-Security-Policy that admits these inline texts, by hash, and what ``more`` says; nothing else."""
    rules = {"default-src": "'none'", "base-uri": "'none'", "form-action": "'none'"}
    rules |= {"style-src": _hashes(styles), "script-src": _hashes(scripts)}
    rules |= {name.replace("_", "-"): value for name, value in more.items()}
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def _hashes(texts: Sequence[str]) -> str:
    digests = (hashlib.sha256(text.encode()).digest() for text in texts)
    return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)


def script_data(data: Mapping[str, Any]) -> str:
    """JSON that may stand in a script element: nothing in it ends the element, whatever the names are."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), sort_keys=True)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def rendered_page(template: str, page: Mapping[str, Any], data: Mapping[str, Any]) -> str:
    """The report's page; ``data`` is what its script reads."""
    from markupsafe import Markup

    style, script = asset("report.css"), asset("report.js")
    return (
        templates()
        .get_template(template)
        .render(
            page,
            version=__version__,
            policy=policy([style], [script]),
            style=Markup(style),  # noqa: S704 - our own file
            script=Markup(script),  # noqa: S704 - our own file
            data=Markup(script_data(data)),  # noqa: S704 - escaped there
        )
    )
