"""Formulas as MathML, made when the site is built, from the way they are written: V_{h+1}(x, y) = Σ_a V_h(x, y).

``_`` and ``^`` take a run of letters and digits, or a group in braces; words of several letters are words; everything
else stands for itself. The text stays with the picture (``alttext``), for readers and tools that want it.
"""

from __future__ import annotations

import re
from html import escape, unescape

__all__ = ["mathml", "with_formulas"]

TOKEN = re.compile(r"\s{2,}|[_^]\{[^{}]*\}|[_^][A-Za-z0-9α-ωΑ-Ω]+|[A-Za-z]+|[α-ωΑ-Ω]|\d+|\s|.")
BLOCK = re.compile(r'<div class="(?:language-text )?highlight"><pre><span></span><code>([^<]*)</code></pre></div>')
FORMULA = re.compile(r"Σ|\bmax\b|\bmin\b|[A-Za-z]_")
RELATION = re.compile(r"[=≤≥]")
BIG = {"Σ": "∑", "∏": "∏"}


def mathml(line: str) -> str:
    """One formula.

    >>> mathml("x_i ≤ 1").partition("<mrow>")[2]
    '<msub><mi>x</mi><mrow><mi>i</mi></mrow></msub><mo>≤</mo><mn>1</mn></mrow></math>'
    """
    text = line.strip()
    head = f'<math xmlns="http://www.w3.org/1998/Math/MathML" display="block" alttext="{escape(text)}">'
    return f"{head}<mrow>{_row(text)}</mrow></math>"


def _row(text: str) -> str:
    parts: list[str] = []
    for piece in TOKEN.findall(text):
        if piece[0] in "_^" and len(piece) > 1 and parts:
            inner = f"<mrow>{_inside(piece[1:].removeprefix('{').removesuffix('}'))}</mrow>"
            under = parts[-1] == "<mo>∑</mo>"
            tag = "munder" if under else "msub" if piece[0] == "_" else "msup"
            parts[-1] = f"<{tag}>{parts[-1]}{inner}</{tag}>"
        elif piece.isspace():
            parts.append('<mspace width="1.2em"/>' if len(piece) > 1 else "")
        else:
            parts.append(_atom(piece))
        if not parts[-1]:
            parts.pop()
    return "".join(parts)


def _inside(text: str) -> str:
    """A subscript: letters side by side are indices of their own."""
    return "".join(_atom(piece) for piece in re.findall(r"\d+|\S", text))


def _atom(piece: str) -> str:
    if piece in BIG:
        return f"<mo>{BIG[piece]}</mo>"
    if piece.isdigit():
        return f"<mn>{piece}</mn>"
    if piece == "|":  # as a letter: there is no space around the bars of |x|
        return '<mi mathvariant="normal">|</mi>'
    if piece in ("max", "min", "sup", "inf"):
        return f"<mo>{piece}</mo>"
    if piece.isalpha():
        return f"<mi>{piece}</mi>" if len(piece) == 1 else _word(piece)
    return f"<mo>{escape(piece)}</mo>"


def _word(piece: str) -> str:
    return f"<mtext>&#160;{piece}&#160;</mtext>" if piece not in ("lv", "tv", "bd", "ld", "sd") else f"<mi>{piece}</mi>"


def with_formulas(html: str) -> str:
    """The page with its displayed formulas as MathML; listings of other things stay as they are."""
    return BLOCK.sub(_formula, html)


def _formula(found: re.Match[str]) -> str:
    text = unescape(found[1])
    if not (FORMULA.search(text) and RELATION.search(text)):
        return found[0]
    lines = [line for line in text.splitlines() if line.strip()]
    return '<div class="formula">' + "".join(mathml(line) for line in lines) + "</div>"
