"""Displayed formulas become MathML when the site is built; other listings stay as they are."""

from __future__ import annotations

import importlib.util
from types import ModuleType
from xml.etree import ElementTree

import pytest

from tests.docs.pages import ROOT


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
    ],
)
def test_a_formula_is_well_formed_and_keeps_its_text(formulas: ModuleType, line: str) -> None:
    root = ElementTree.fromstring(formulas.mathml(line))  # noqa: S314 - our own text
    assert root.get("alttext") == line
    shown = "".join(root.itertext()).replace("\u00a0", "").replace("∑", "Σ")
    assert shown == "".join(sign for sign in line if sign not in " _^{}")


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
