"""What the observer learns, drawn: boxes are beliefs, and a walk through a word follows them."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import deltachain as dc
from deltachain.reports.learning import MOST_BOXES, learn

ONE = Fraction(1)


def of(chain: dc.Chain, s: str, t: str) -> object:
    return learn(chain, (chain.number(s), chain.number(t)), ONE)


def test_the_boxes_of_the_coin() -> None:
    chain = dc.examples.coin()
    found = learn(chain, (chain.number("s0"), chain.number("s1")), Fraction(5, 4))
    assert found is not None
    assert found.boxes == 3
    assert found.examples == {Fraction(2, 3): ("start", "heads"), Fraction(3, 2): ("start", "tails")}
    assert found.walk([(None, "heads"), (None, "heads")]) == [0, 1, 1], "an end is not left"
    assert found.svg.count("tells-s") == found.svg.count("tells-t") == 1
    assert "3/2 times as likely from s0 as from s1" in found.svg
    assert "heads, 2/5 from s0 and 3/5 from s1" in found.svg


def test_what_cannot_be_drawn_is_none() -> None:
    sensor = dc.examples.sticky_sensor()
    assert learn(sensor, (0, 1), ONE) is None, "its beliefs do not end"
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
    found = learn(dc.load(tmp_path / "m.json"), (0, 1), Fraction(2))
    assert found is not None
    assert found.svg.count('class="box question"') == 2
    assert found.boxes == 2 + len({0} | set(found.after.values()))
    yes, no, waited = (found.after[0, *move] for move in (("ask", "yes"), ("ask", "no"), ("wait", "no")))
    assert len({0, yes, no, waited}) == 4, "no after waiting says nothing"
    assert found.walk([("ask", "no"), (None, "no")]) == [0, no, no]
