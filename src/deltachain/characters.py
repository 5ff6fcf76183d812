"""Text from elsewhere on a terminal, in a page or a picture: nothing in it is obeyed, hidden, or taken for markup."""

from __future__ import annotations

import unicodedata
from html import escape

HIDDEN = frozenset(["Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"])
"""Unicode categories of what a terminal obeys or hides: controls, directions, line ends, surrogates, unassigned."""


def printable(text: str) -> str:
    r"""The text on one line, with what a terminal would obey or hide spelled out.

    A name from a file must not move the cursor, turn the writing direction, or start a line that looks like ours.

    >>> print(printable("a\n\u202eb é"))
    a\n\u202eb é
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if unicodedata.category(c) not in HIDDEN else _spell(c) for c in text)


def escape_markup(text: str) -> str:
    r"""The text for a page or a picture: `printable`, and none of its characters is markup, inside quotes either.

    >>> print(escape_markup("\u202eb <i>"))
    \u202eb &lt;i&gt;
    """
    return escape(printable(text), quote=True)


def _spell(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


_TEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
}  # fmt: skip


def escape_tex(text: str) -> str:
    r"""The text as LaTeX sets it, with what is hidden spelled out.

    >>> escape_tex("50% of {s_0}")
    '50\\% of \\{s\\_0\\}'
    """
    return "".join(_TEX.get(character, character) for character in printable(text))
