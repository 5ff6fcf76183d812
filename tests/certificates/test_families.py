"""Certificates about every value of a parameter: kept as files, tampered with, and compared with single values."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

import deltachain as dc
from deltachain_checker_v1 import CertificateRejected, Meter, Unfinished, parse, read_file, verify
from deltachain_checker_v1.families import ChainFamily, model_in
from deltachain_checker_v1.open_numbers import OpenFormula, holds, without_squares
from tests.words import refuses, says

from .live import as_older, written

ROOT = Path(__file__).parent / "families"
KEPT: dict[str, dict[str, dict[str, Any]]] = {
    kind: json.loads((ROOT / f"{kind}.json").read_text("utf-8")) for kind in ("accept", "reject", "malformed")
}
COUNTS = {"accept": 12, "reject": 47, "malformed": 19}


def model_named(name: str) -> ChainFamily:
    found = model_in(read_file(str(ROOT / "models" / f"{name}.json")))
    assert isinstance(found, ChainFamily)
    return found


def document_of(kind: str, name: str) -> Any:
    return json.loads((ROOT / kind / f"{name}.json").read_text("utf-8"))


def proved(model: ChainFamily, document: Any) -> list[str]:
    return [*map(str, verify(model, parse(json.dumps(document))))]


@pytest.mark.parametrize("kind", COUNTS)
def test_every_file_is_listed_and_none_is_missing(kind: str) -> None:
    assert {path.stem for path in (ROOT / kind).glob("*.json")} == KEPT[kind].keys()
    assert len(KEPT[kind]) == COUNTS[kind]


@pytest.mark.parametrize("name", KEPT["accept"])
def test_accepted_and_proves(name: str) -> None:
    entry = KEPT["accept"][name]
    assert proved(model_named(entry["model"]), document_of("accept", name)) == entry["proves"]


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in ("reject", "malformed") for name in KEPT[kind]])
def test_rejected_for_its_reason(kind: str, name: str) -> None:
    entry = KEPT[kind][name]
    with pytest.raises(CertificateRejected) as caught:
        proved(model_named(entry["model"]), document_of(kind, name))
    assert entry["says"] in str(caught.value)


def test_the_checker_alone_reads_a_model_with_a_parameter() -> None:
    paths = [str(ROOT / "models" / "coin.json"), str(ROOT / "accept" / "private.json")]
    found = subprocess.run([sys.executable, "-m", "deltachain_checker_v1", *paths], capture_output=True, check=True)
    assert says(found.stdout.decode())


def test_a_certificate_about_a_family_says_nothing_of_a_chain(tmp_path: Path) -> None:
    coin = {"format": "deltachain.chain/1", "states": {"s": {"label": "go", "to": {"s": 1}}}}
    path = tmp_path / "coin.json"
    path.write_text(json.dumps(coin))
    with refuses(CertificateRejected, "with a parameter"):
        verify(model_in(read_file(str(path))), parse(json.dumps(document_of("accept", "private"))))
    chain = dc.load("example:coin")
    older = as_older(chain, written(dc.delta(chain, exp_epsilon=1).certificate))
    with pytest.raises(CertificateRejected, match="model"):
        verify(model_named("coin"), parse(json.dumps(older)))


def test_the_meter_counts_the_same_steps_and_ends_the_check() -> None:
    model, data = model_named("twins"), parse(json.dumps(document_of("accept", "supremum")))
    first, again = Meter(), Meter()
    verify(model, data, first)
    verify(model_named("twins"), data, again)
    assert first.steps == again.steps > 0
    with pytest.raises(Unfinished):
        verify(model_named("twins"), data, Meter(first.steps - 1))


# Tampering


def value_of(written: Any, x: Fraction) -> Fraction:
    """A number of a certificate at a point."""
    if isinstance(written, str):
        return Fraction(written)
    top, bottom = (sum((int(c) * x**k for k, c in enumerate(part)), Fraction(0)) for part in written)
    return top / bottom


@cache
def delta_at(model: str, s: str, t: str, x: Fraction, alpha: Fraction) -> Fraction:
    """δ of two states of a model at a point: by `delta`, which knows nothing of parameters."""
    family = model_named(model)

    def row(state: str) -> dict[int, Fraction]:
        entries: Any = family.chain.given[state][None]
        shares = {j: sum(c * x**k for k, c in enumerate(p.top)) for j, p in entries.items()}
        below = {j: sum(c * x**k for k, c in enumerate(p.bottom)) for j, p in entries.items()}
        return {states.index(j): Fraction(shares[j]) / below[j] for j in entries}

    states = sorted(family.chain.label)
    chain = dc.Chain.from_rows(list(map(row, states)), [family.chain.label[name] for name in states], states=states)
    found = dc.delta(chain, s, t, exp_epsilon=alpha, check=False).value
    assert isinstance(found, Fraction)
    return found


HOLDS = {
    "upper": lambda delta, bound: delta <= bound,
    "below": lambda delta, bound: delta < bound,
    "lower": lambda delta, bound: delta >= bound,
    "above": lambda delta, bound: delta > bound,
}


def require_true(model: str, document: Any, random: Random) -> None:
    """Every claim of an accepted certificate holds at its ends and some points between."""
    low, high = map(Fraction, document["parameter"][1:])
    for claim in document["claims"]:
        start, stop = Fraction(claim.get("from", claim.get("after"))), Fraction(claim.get("to", claim.get("before")))
        points = {start, stop, (start + stop) / 2, start + (stop - start) * Fraction(random.randint(1, 30), 31)}
        points -= {Fraction(claim[key]) for key in ("after", "before") if key in claim} | {low, high}
        for x in points:
            delta = delta_at(model, *claim["pair"], x, value_of(document["alpha"], x))
            for side in HOLDS.keys() & claim.keys():
                assert HOLDS[side](delta, value_of(claim[side], x)), (claim, x)


def leaves(part: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of all numbers and texts."""
    if isinstance(part, dict):
        for key in part:
            yield from leaves(part[key], (*path, key))
    elif isinstance(part, list):
        for k, entry in enumerate(part):
            yield from leaves(entry, (*path, k))
    else:
        yield path


def changed(document: Any, path: tuple[Any, ...], random: Random) -> Any:
    """The document with another number or text in one place."""
    found = copy.deepcopy(document)
    part = found
    for key in path[:-1]:
        part = part[key]
    old = part[path[-1]]
    if isinstance(old, int):
        part[path[-1]] = old + random.choice([-1, 1, 2])
        return found
    try:
        number = Fraction(old)
    except ValueError:
        part[path[-1]] = random.choice(["s", "t", "h", "e", "x"])
        return found
    bent = [number + 1, number - 1, -number, number / 2, number * 2, number + Fraction(1, 10**6), Fraction(0)]
    part[path[-1]] = str(random.choice(bent))
    return found


@pytest.mark.parametrize("name", KEPT["accept"])
def test_whatever_is_changed_is_rejected_or_still_true(name: str) -> None:
    """Each field in turn: either the checker rejects it, or what it claims holds of the single chains."""
    model, document, random = KEPT["accept"][name]["model"], document_of("accept", name), Random(name)
    require_true(model, document, random)
    family, rejected, places = model_named(model), 0, [path for path in leaves(document) if path[0] != "format"]
    for path in places:
        other = changed(document, path, random)
        if other == document:
            continue
        try:
            proved(family, other)
        except CertificateRejected:
            rejected += 1
        else:
            require_true(model, other, random)
    assert rejected > len(places) // 3


@pytest.mark.parametrize("name", ["pieces", "loop", "supremum", "settled"])
def test_no_formula_of_a_piece_can_be_bent(name: str) -> None:
    """Pieces are exact, so that a smaller upper or a larger lower function is false everywhere on its part."""
    model, document = model_named(KEPT["accept"][name]["model"]), document_of("accept", name)
    bent = 0
    for claim in document["claims"]:
        for side, way in (("upper", -1), ("lower", 1)):
            if isinstance(claim.get(side), list):
                other = copy.deepcopy(document)
                top, bottom = claim[side]
                moved = [10**9 * int(c) for c in top]
                for i, c in enumerate(bottom):
                    moved += [0] * (i + 1 - len(moved))
                    moved[i] += way * int(c)
                other["claims"] = [claim | {side: [[str(c) for c in moved], [str(10**9 * int(c)) for c in bottom]]}]
                with pytest.raises(CertificateRejected, match=f"the {side} bound"):
                    proved(model, other)
                bent += 1
    assert bent


# Signs and formulas


def test_signs_are_those_of_the_values() -> None:
    random, settled = Random(7), 0
    for _ in range(500):
        p = [random.randint(-5, 5) for _ in range(random.randint(1, 6))]
        while p and not p[-1]:
            p.pop()
        low = Fraction(random.randint(-6, 6), random.randint(1, 4))
        high = low + Fraction(random.randint(1, 6), random.randint(1, 4))
        values = [
            sum(c * x**k for k, c in enumerate(p)) for x in (low + (high - low) * Fraction(i, 48) for i in range(49))
        ]
        weak = holds(without_squares(tuple(p)), low, high)
        closed, inner = (holds(tuple(p), low, high, True, (ends, ends)) for ends in (False, True))
        assert not weak or min(values) >= 0
        assert not closed or min(values) > 0
        assert not inner or min(values[1:-1]) > 0
        assert inner or not closed
        assert weak or min(values) < 0 or _dips_between(p, low, high)
        settled += weak or closed
    assert settled > 60


def _dips_between(p: list[int], low: Fraction, high: Fraction) -> bool:
    """Whether p is negative somewhere on a finer grid."""
    points = (low + (high - low) * Fraction(i, 960) for i in range(961))
    return any(sum(c * x**k for k, c in enumerate(p)) < 0 for x in points)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("(1+u)^2/(u^-1 - 2*u/3)", "(-3*u^3-6*u^2-3*u)/(2*u^2-3)"),
        ("-u^3", "-u^3"),
        ("1/u^4", "1/u^4"),
        ("2e-1 * u", "u/5"),
        ("u - u", "0"),
    ],
)
def test_formulas(written: str, said: str) -> None:
    assert OpenFormula(written, "u").read().text("u") == said  # type: ignore[union-attr]  # of OpenNumbers


@pytest.mark.parametrize("written", ["exp(1)*u", "u^u", "1/(u-u)", "2u", "v", "u^(1/2)", "(u", "u^-30000"])
def test_other_formulas_are_refused(written: str) -> None:
    with pytest.raises(CertificateRejected):
        OpenFormula(written, "u").read()


def test_a_degree_beyond_the_limit_is_refused() -> None:
    document = document_of("accept", "private")
    document["claims"][0]["upper"] = [["0"] * 20_002 + ["1"], ["1"]]
    with refuses(CertificateRejected, "degree of at"):
        proved(model_named("coin"), document)


def test_the_example_of_the_specification_is_a_certificate() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "certificate-1.md").read_text("utf-8")
    document = json.loads(page.partition("## A parameter")[2].partition("```json\n")[2].partition("```")[0])
    states = {
        "s": {"label": "go", "to": {"h": "u", "e": "1-u"}},
        "t": {"label": "go", "to": {"h": "1/2", "e": "1/2"}},
        "h": {"label": "heads", "to": {"h": "1"}},
        "e": {"label": "tails", "to": {"e": "1"}},
    }
    family = model_in({"format": "deltachain.chain/1", "parameter": {"u": ["0", "1"]}, "states": states})
    document["model"] = family.sha256()
    assert says([*map(str, verify(family, parse(json.dumps(document))))])
