"""Formulas as MathML, made before the site is built, from the way they are written: V_{h+1}(x, y) = Σ_a V_h(x, y).

``_`` and ``^`` take a run of letters and digits, or a group in braces; words of several letters are words; everything
else stands for itself. The text stays with the picture (``alttext``), for readers and tools that want it.
"""

from __future__ import annotations

import re
from html import escape

TOKEN = re.compile(r"\s{2,}|[_^]\{[^{}]*\}|[_^][A-Za-z0-9α-ωΑ-Ω]+|[A-Za-z]+|[α-ωΑ-Ω]|\d+|\s|.")
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


def with_formulas(text: str) -> str:
    """A Markdown page with its displayed formulas as MathML; other indented blocks stay as they are.

    A formula is an indented block, at the top level or in an admonition, that has a relation and a sign of mathematics.
    """
    lines: list[str] = []
    block: list[str] = []
    inside = 0  # the indentation of the text around: 4 in an admonition
    fenced = False
    for line in [*text.split("\n"), ""]:
        indent = len(line) - len(line.lstrip())
        fenced ^= line.lstrip().startswith("```")
        if line.strip() and not fenced and indent >= inside + 4 and (block or not lines or not lines[-1].strip()):
            block.append(line)
            continue
        lines += _shown(block, inside)
        block = []
        if line.strip() and indent == 0:
            inside = 4 if line.startswith("!!! ") else 0
        lines.append(line)
    return "\n".join(lines[:-1])


def _shown(block: list[str], indent: int) -> list[str]:
    """The lines of an indented block, as formulas if it is one."""
    text = "\n".join(block)
    if not (FORMULA.search(text) and RELATION.search(text)):
        return block
    return [" " * indent + span(block)]


def span(lines: list[str]) -> str:
    """Formulas below each other: a span, since no block of HTML may stand in an admonition."""
    return f'<span class="formula">{"".join(mathml(line) for line in lines)}</span>'
