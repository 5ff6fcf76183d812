"""TikZ: a picture of a chain for LaTeX, written only; see `model.tikz`."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Chain
from ..model.tikz import chain_to_tikz
from ..numbers.field import text_of
from .format import Format


def chain_to_tex(chain: Chain) -> Iterator[str]:
    r"""The TikZ text of a chain, in pieces: states in columns, pairs of the relation joined by dashed lines.

    >>> print("".join(chain_to_tex(Chain.from_dicts({"s": {"s": 1}}, {"s": "a_1"}))), end="")
    \begin{tikzpicture}[every node/.style={rounded corners, align=center, font=\small}]
      \node[draw] (n0) at (0.0, 0.00) {s\\\textit{a\_1}};
      \draw[->, loop above] (n0) edge node[midway, fill=white, inner sep=1pt, font=\scriptsize] {1} (n0);
    \end{tikzpicture}
    """
    yield from chain_to_tikz(chain, lambda lo, hi: text_of(lo) if lo == hi else f"[{text_of(lo)}, {text_of(hi)}]")


TEX = Format(title="a TikZ picture, written only", pieces=chain_to_tex, holds="numbers", holds_relation=lambda _: True)
