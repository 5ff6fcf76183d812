"""Formulas as MathML, made before the site is built, from the way they are written: V_{h+1}(x, y) = Σ_a V_h(x, y).

A formula is displayed if it is an indented block, and stands in the text between dollars, $x_i ≤ 1$, which the pages of
a forge show as formulas too. ``_`` and ``^`` take a run of letters and digits, or a group in braces; words of several
letters are words; everything else stands for itself. The text stays with the picture (``alttext``), for readers and
tools that want it.
"""

from __future__ import annotations

import re
from html import escape

TOKEN = re.compile(r"\s{2,}|[_^]\{[^{}]*\}|[_^][A-Za-z0-9α-ωΑ-Ωℓ]+|[A-Za-z]+|[α-ωΑ-Ω][\u0300-\u036f]?|\d+|\s|.")
FORMULA = re.compile(r"Σ|\bmax\b|\bmin\b|[A-Za-z]_")
RELATION = re.compile(r"[=≤≥]")
INLINE = re.compile(r"(?<![\\$`])\$(?! )([^$`]+?)(?<! )\$(?!\$)")
"""A formula in the text: no spaces at its ends, and no code in it."""
CODE = re.compile(r"(`+).*?\1", re.DOTALL)
BRACKETS = "()[]{}⌊⌋⌈⌉"
BIG = {"Σ": "∑", "∏": "∏", "Π": "∏"}
RAISED = {"⁺": "+", "⁻": "−", "²": "2", "³": "3"}
MARKDOWN = {"*": "&#42;", "_": "&#95;", "[": "&#91;"}
"""What Markdown would read as its own, also in a formula."""
LONG = 30
"""Characters of a formula that a narrow screen holds in one line."""
NAMES = ("lv", "tv", "bd", "ld", "sd", "lo", "hi", "ln")


def mathml(line: str, *, block: bool = True) -> str:
    """One formula, on a line of its own or in the text.

    >>> mathml("x_i ≤ 1").partition("<mrow>")[2]
    '<msub><mi>x</mi><mrow><mi>i</mi></mrow></msub><mo>≤</mo><mn>1</mn></mrow></math>'
    """
    text = line.strip()
    display = ' display="block"' if block else ""
    head = f'<math xmlns="http://www.w3.org/1998/Math/MathML"{display} alttext="{escape(text)}">'
    return f"{head}<mrow>{_row(text, block=block)}</mrow></math>"


def _row(text: str, *, block: bool) -> str:
    """The signs of a formula, each with its indices and powers."""
    parts: list[str] = []
    base, below, above = "", "", ""  # the sign that is being read, and what hangs on it
    for piece in [*TOKEN.findall(text), ""]:
        if base and piece[:1] in ("_", "^") and len(piece) > 1:
            inner = _inside(piece[1:].removeprefix("{").removesuffix("}"))
            below, above = (below + inner, above) if piece[0] == "_" else (below, above + inner)
        elif base and piece in ("'", "′"):
            above += "<mo>′</mo>"
        elif base and piece in RAISED:
            above += _atom(RAISED[piece])
        else:
            parts.append(_with_scripts(base, below, above, limits=block))
            base, below, above = "", "", ""
            if piece.isspace():
                parts.append('<mspace width="1.2em"/>' if len(piece) > 1 else "")
            elif piece:
                if len(piece) == 2 and piece.isalpha() and piece not in NAMES:  # a product: Wx_i is W times x_i
                    parts.append(_atom(piece[0]))
                    piece = piece[1]
                base = _atom(piece)
    return "".join(parts)


def _with_scripts(base: str, below: str, above: str, *, limits: bool) -> str:
    """A sign with what stands below and above it; under a large sign that is displayed, where limits belong."""
    if not below and not above:
        return base
    large = limits and base in ("<mo>∑</mo>", "<mo>∏</mo>")
    if not above:
        tag = "munder" if large else "msub"
        return f"<{tag}>{base}<mrow>{below}</mrow></{tag}>"
    if not below:
        return f"<msup>{base}<mrow>{above}</mrow></msup>"
    tag = "munderover" if large else "msubsup"
    return f"<{tag}>{base}<mrow>{below}</mrow><mrow>{above}</mrow></{tag}>"


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
    if piece in BRACKETS:  # as they are: of (0, 1] a reader of MathML takes the end alone for a fence, and stretches it
        return f'<mo stretchy="false">{MARKDOWN.get(piece) or piece}</mo>'
    if piece in ("max", "min", "sup", "inf"):
        return f"<mo>{piece}</mo>"
    if piece[0].isalpha():
        return f"<mi>{piece}</mi>" if len(piece) == 1 or not piece.isalpha() else _word(piece)
    return f"<mo>{MARKDOWN.get(piece) or escape(piece)}</mo>"


def _word(piece: str) -> str:
    if piece in NAMES:
        return f"<mi>{piece}</mi>"
    return f"<mtext>&#160;{piece}&#160;</mtext>"


def with_formulas(text: str) -> str:
    """A Markdown page with its formulas as MathML; code and other indented blocks stay as they are.

    A displayed formula is an indented block, at the top level or in an admonition, that has a relation and a sign of
    mathematics.
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
        lines.append(line if fenced else with_inline(line))
    return "\n".join(lines[:-1])


def with_inline(line: str) -> str:
    """A line with the formulas between its dollars; code between backquotes stays as it is.

    >>> with_inline("`a$b$`: 5 $ and 6 $")
    '`a$b$`: 5 $ and 6 $'
    """
    parts, end = [], 0
    for code in CODE.finditer(line):
        parts += [INLINE.sub(_inline, line[end : code.start()]), code[0]]
        end = code.end()
    return "".join([*parts, INLINE.sub(_inline, line[end:])])


def _inline(found: re.Match[str]) -> str:
    """In a span: a line that begins with ``<math>`` would be a block of HTML to Markdown."""
    return f"<span>{'<wbr>'.join(mathml(part, block=False) for part in breakable(found[1]))}</span>"


def breakable(text: str) -> list[str]:
    """A formula in parts that may stand on lines of their own: each ends with a relation, or is short enough.

    >>> breakable("V(x, y) = Σ_a V(x_a, y_a) ≤ 1")
    ['V(x, y) = ', 'Σ_a V(x_a, y_a) ≤ ', '1']
    """
    parts: list[str] = []
    for part in _cut(text, "=≤≥<>→", 0):
        parts += [part] if len(part) <= LONG else _cut(part, "+−·", LONG // 2)
    return parts


def _cut(text: str, after: str, least: int) -> list[str]:
    """Cut after these signs, outside of brackets and braces where parts have the least length, and anywhere later."""
    parts, start, depth = [], 0, 0
    for place, sign in enumerate(text):
        depth += (sign in "({[⌊⌈") - (sign in ")}]⌋⌉")
        shallow = depth == 0 or (depth == 1 and place - start > LONG)
        spaced = text[place - 1 : place] == " " and text[place + 1 : place + 2] == " "
        if sign in after and spaced and shallow and place - start >= least:
            parts.append(text[start : place + 2])
            start = place + 2
    return [*parts, text[start:]]


def without_marks(text: str) -> str:
    """The page as words to search in: formulas without their dollars and braces."""
    return INLINE.sub(lambda found: re.sub(r"[_^]\{([^{}]*)\}", r"_\1", found[1]), text)


def _shown(block: list[str], indent: int) -> list[str]:
    """The lines of an indented block, as formulas if it is one."""
    text = "\n".join(block)
    if not (FORMULA.search(text) and RELATION.search(text)):
        return block
    return [" " * indent + span(block)]


def span(lines: list[str]) -> str:
    """Formulas below each other: a span, since no block of HTML may stand in an admonition."""
    return f'<span class="formula">{"".join(mathml(line) for line in lines)}</span>'
