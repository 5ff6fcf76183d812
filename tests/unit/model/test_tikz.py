"""Pictures for LaTeX: chains, couplings, tables; every name is escaped."""

from __future__ import annotations

from pathlib import Path

import deltachain as dc
from deltachain.characters import escape_tex
from deltachain.model.tikz import draw_coupling
from deltachain.results.sections import as_latex
from tests.words import says


def test_a_chain_is_a_picture(tmp_path: Path) -> None:
    dc.save(dc.examples.coin(), tmp_path / "coin.tex")
    text = (tmp_path / "coin.tex").read_text()
    assert text.count(r"\node[draw]") == 4
    assert r"{s0\\\textit{start}}" in text
    assert says(text, "node[midway, fill=white, inner")
    assert says(text, "\\draw[dashed] (n0) edge")
    assert text.endswith("\\end{tikzpicture}\n")


def test_names_are_escaped() -> None:
    assert escape_tex("a_b^2\\{$}#&%~") == r"a\_b\textasciicircum{}2\textbackslash{}\{\$\}\#\&\%\textasciitilde{}"
    assert escape_tex("a\nb") == r"a\textbackslash{}nb"


def test_a_coupling_is_a_picture() -> None:
    text = "".join(draw_coupling([("a", "b", "1/2", False), ("a", "c", "1/4", True)], [("d", "1/8")]))
    assert text.count(r"\node") == 5
    assert "->, dotted" in text
    assert "{paid 1/8}" in text
    diners = dc.examples.dining_cryptographers(n=2, p="49/100")
    bd = dc.distance(diners, pairs="all", exp_epsilon="1.0002", exact=True)
    picture = dc.kantorovich(diners, bd, "s0", "s1").to_tikz()
    assert picture.startswith(r"\begin{tikzpicture}")
    assert "{paid 1/2500}" in picture


def test_results_have_tables_for_latex() -> None:
    found = dc.distance(dc.examples.coin(), pairs=[("s0", "s1"), ("s0", "heads")], exp_epsilon=1)
    text = found.to_latex()
    assert says(text, "the largest bd")
    assert says(text, "exact \\\\")
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 2
    assert as_latex("nothing", []) == "% nothing\n"
