"""Griffe extension: doctest sessions in docstrings become fenced blocks, so that Markdown leaves them alone."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

SESSION = re.compile(r"^( *)>>> .*(?:\n(?! *\n).*)*", re.MULTILINE)


class FenceDoctests(Extension):
    """Fences every run of lines that begins with ``>>>`` and ends with a blank line."""

    def on_instance(self, *, obj: Object, **_: Any) -> None:
        """Rewrite one docstring."""
        if obj.docstring is not None and ">>>" in obj.docstring.value:
            obj.docstring.value = SESSION.sub(_fenced, obj.docstring.value)


def _fenced(session: re.Match[str]) -> str:
    indent = session[1]
    return f"{indent}```pycon\n{session[0]}\n{indent}```"
