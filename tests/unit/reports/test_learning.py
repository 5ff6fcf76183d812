"""What the observer learns, drawn: boxes are beliefs, and a walk through a word follows them."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import deltachain as dc
from deltachain.beliefs.workspace import Workspace
from deltachain.numbers.exponential import exp_of
from deltachain.numbers.fraction import ExpEpsilon
from deltachain.reports.learning import MOST_BOXES, Learning, learn
from tests.words import says


def of(chain: dc.Chain, s: str | int, t: str | int, alpha: Fraction = Fraction(1)) -> Learning | None:
    pair = chain.number(s), chain.number(t)
    return learn(Workspace(chain, [pair]), pair, ExpEpsilon.exactly(alpha))


def test_the_boxes_of_the_coin() -> None:
    chain = dc.examples.coin()
    found = of(chain, "s0", "s1", Fraction(5, 4))
    assert found is not None
    assert found.boxes == 3
    assert found.examples == {Fraction(2, 3): ("start", "heads"), Fraction(3, 2): ("start", "tails")}
    assert found.walk([(None, "heads"), (None, "heads")]) == [0, 1, 1], "an end is not left"
    assert found.svg.count("tells-s") == found.svg.count("tells-t") == 1
    assert says(found.svg, "times as likely")
    assert says(found.svg, "heads")


def test_what_cannot_be_drawn_is_none() -> None:
    sensor = dc.examples.sticky_sensor()
    assert of(sensor, 0, 1) is None, "its beliefs do not end"
    coin = dc.examples.coin()
    assert of(coin, "s0", "heads") is None, "the first labels differ"
    many = {f"e{i}": {f"e{i}": 1} for i in range(MOST_BOXES + 1)}
    rows = {s: dict.fromkeys(many, f"1/{len(many)}") for s in ("s", "t")} | many
    rows["t"] = dict(zip(many, [f"{2 * i + 1}/{len(many) ** 2}" for i in range(len(many))], strict=True))
    chain = dc.Chain.from_dicts(rows, {name: name if name[0] == "e" else "s" for name in rows})
    assert of(chain, "s", "t") is None


def test_what_is_asked_has_a_box_of_its_own(tmp_path: Path) -> None:
    ends = {name: {"label": name, "to": {name: 1}} for name in ("yes", "no")}
    starts = {
        name: {"label": "menu", "on": {"ask": {"yes": p, "no": q}, "wait": {"no": 1}}}
        for name, p, q in (("s", "3/4", "1/4"), ("t", "1/4", "3/4"))
    }
    (tmp_path / "m.json").write_text(json.dumps({"format": "deltachain.chain/1", "states": starts | ends}), "utf-8")
    found = of(dc.load(tmp_path / "m.json"), 0, 1, Fraction(2))
    assert found is not None
    assert found.svg.count('class="box question"') == 2
    assert found.boxes == 2 + len({0} | set(found.after.values()))
    yes, no, waited = (found.after[0, *move] for move in (("ask", "yes"), ("ask", "no"), ("wait", "no")))
    assert len({0, yes, no, waited}) == 4, "no after waiting says nothing"
    assert found.walk([("ask", "no"), (None, "no")]) == [0, no, no]


def test_functions_of_e_are_drawn_as_formulas(tmp_path: Path) -> None:
    ends = {name: {"label": name, "to": {name: 1}} for name in ("yes", "no")}
    more, less = "exp(1/2)/(1+exp(1/2))", "1/(1+exp(1/2))"
    starts = {
        name: {"label": "menu", "to": {"yes": p, "no": q}} for name, p, q in (("s", more, less), ("t", less, more))
    }
    (tmp_path / "m.json").write_text(json.dumps({"format": "deltachain.chain/1", "states": starts | ends}), "utf-8")
    chain, ratio = dc.load(tmp_path / "m.json"), exp_of(Fraction(1, 2))
    found = of(chain, "s", "t")
    assert found is not None
    assert found.examples == {ratio: ("menu", "yes"), 1 / ratio: ("menu", "no")}
    assert says(found.svg, "from s and")
    assert says(found.svg, "times as likely")
    assert "tells-s" in found.svg
    tie = learn(Workspace(chain, [(0, 1)]), (0, 1), ExpEpsilon.read(epsilon="1/2"))
    assert tie is not None
    assert "tells-s" not in tie.svg, "at its own ε nothing is told"
