"""Displayed formulas become MathML when the site is built; other listings stay as they are."""

from __future__ import annotations

import importlib.util
import re
from types import ModuleType
from xml.etree import ElementTree

import pytest

from tests.docs.pages import ROOT
from tests.words import says


@pytest.fixture(scope="module")
def formulas() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mathml", ROOT / "docs" / "mathml.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "line",
    [
        "V_h(e_s, e_t) = Σ_{|w|=h} max(|x_w| − α|y_w|, 0)  ≤  lv(s, t)",
        "C_{l+1}(i, j) = min_k d_ik + α C_l(k, j) < 1 & x^2",
        "x'_a = Wx + f̄_K − α^{l+1}",
    ],
)
def test_a_formula_is_well_formed_and_keeps_its_text(formulas: ModuleType, line: str) -> None:
    root = ElementTree.fromstring(formulas.mathml(line))  # noqa: S314 - our own text
    assert root.get("alttext") == line
    shown = "".join(root.itertext()).replace("\u00a0", "").replace("∑", "Σ").replace("′", "'")
    plain = "".join(sign for sign in line if sign not in " _^{}")
    assert sorted(shown) == sorted(plain), "an index may come before a prime"


def test_indices_and_powers_hang_on_one_sign(formulas: ModuleType) -> None:
    assert formulas.mathml("x'_a").count("<msubsup><mi>x</mi>") == 1
    assert formulas.mathml("m⁺ − α²").count("<msup>") == 2
    assert "<mi>W</mi><msub><mi>x</mi>" in formulas.mathml("Wx_i"), (
        "a product, and the index is that of its last factor"
    )
    assert "<msub><mi>lo</mi>" in formulas.mathml("lo_j")
    assert "<munder>" in formulas.mathml("Σ_i x_i")
    assert "<munder>" not in formulas.mathml("Σ_i x_i", block=False), "limits would stretch the line"


def test_formulas_in_the_text_stand_between_dollars(formulas: ModuleType) -> None:
    found = formulas.with_formulas("Let $x_i$, for `$code$` and 5 $, as in $α$.\n\n```console\n$ run $it$\n```")
    assert found.count("<math ") == 2
    assert "display" not in found
    assert says(found, "and")
    assert says(found, "console")
    assert "*" not in formulas.with_inline("where $k ≥ k*$ and $l ≥ k*$").replace('k*"', ""), "no emphasis"
    assert formulas.without_marks("$d_{ij} ≤ 1$ and $x$") == "d_ij ≤ 1 and x"


def test_no_formula_of_the_theory_is_left_as_it_was_typed(formulas: ModuleType) -> None:
    typed = re.compile(r"(?<![\w`])(?:[A-Za-zα-ωΑ-Ω]'?_[A-Za-z{]|[α-ω]\^|Σ)")
    pages = sorted((ROOT / "docs" / "theory").glob("*.md"))
    assert len(pages) > 15
    for page in pages:
        text = re.sub(
            r"^(```|~~~).*?^\1|`[^`\n]*`|^\|.*?$|^#.*?$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL
        )
        shown = re.sub(r"<math .*?</math>", "", formulas.with_formulas(text))
        assert typed.findall(shown) == [], f"{page.name}: write formulas of the text between dollars, $x_i ≤ 1$"


def test_only_formulas_are_turned_into_formulas(formulas: ModuleType) -> None:
    formula = "C_1 = d,    Σ_i x_i <= 1"
    for before, indent in (("Text:", 4), ("!!! note\n\n    Text:", 8)):
        page = f"{before}\n\n{' ' * indent}{formula}\n\nMore."
        found = formulas.with_formulas(page)
        assert found == page.replace(" " * indent + formula, " " * (indent - 4) + formulas.span([formula]))
    for other in (
        f"Text:\n    {formula}\n",
        "    0 → b 1/3, c 2/3\n",
        "    $ deltachain info model.json\n",
        f"```python\ndef f():\n\n    {formula}\n```\n",
        f"!!! note\n\n    {formula}\n",
    ):
        assert formulas.with_formulas(other) == other
