"""δ at every value of a parameter: against `delta` at single values, and the values that are known."""

from __future__ import annotations

import json
import pickle
import tempfile
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deltachain as dc
from deltachain.cancel import Cancel
from deltachain.errors import CertificateRejected, InputError, SolverError, Stopped
from tests.amounts import part_of
from tests.certificates.two_checkers import is_built
from tests.reference.open_programs import DINING, MEMOISED, SVT, UNBOUNDED
from tests.words import refuses, says

PAYING = [{"paying": 0}, {"paying": 1}]
TRUTHS = [{"truth": True}, {"truth": False}]


@pytest.mark.parametrize(("n", "border"), [(2, "0.981930"), (3, "0.976019"), (5, "0.952850")])
def test_the_clamped_sparse_vector_is_private_up_to_a_border(n: int, border: str) -> None:
    secrets = [{"q": (0,) * (n - 1) + (1,)}, {"q": (1,) * (n - 1) + (0,)}]
    found = dc.parametric(dc.program(SVT), parameter="u=0:1", exp_epsilon="u^-4", delta=0, secrets=secrets)
    assert found.holds == "partly"
    assert found.checked.accepted
    assert found.violated is not None
    ((start, end),) = found.violated
    assert start.high - start.low <= Fraction(1, 10**12)
    assert abs(start.low - Fraction(border)) < Fraction(1, 10**6)
    assert end.low == end.high == 1
    svt = dc.program(SVT)
    for step, verdict in ((-1, "private"), (1, "violated")):
        u = (start.low + Fraction(step, 10**9)).limit_denominator(10**10)
        chain = svt.chain(secrets, constants={"u": u})
        assert dc.check(chain, exp_epsilon=u**-4, delta=0).verdict == verdict


def test_three_diners() -> None:
    dining = dc.program(DINING)
    found = dc.parametric(dining, parameter="p=0:1/2", exp_epsilon="1.0002", secrets=PAYING)
    first, second = found.pieces
    assert first.formula.text("p") == "(20001p^2 − 20001p + 5000)/5000"
    assert not second.formula.top
    assert abs(first.end.low - Fraction("0.496464554")) < Fraction(1, 10**9)
    top = dc.parametric(dining, parameter="p=9/20:11/20", exp_epsilon="1.0002", secrets=PAYING, maximum=True).maximum
    assert top is not None
    assert top.lower == top.upper == Fraction("0.0099505")
    assert top.attained is False
    private = dc.parametric(dining, parameter="p=0.4965:0.5035", exp_epsilon="1.0002", delta=0, secrets=PAYING)
    assert private.holds == "everywhere"
    assert says(private.headline, "PRIVATE for every")
    never = dc.parametric(dining, parameter="p=0.1:0.2", exp_epsilon="1.0002", delta=0, secrets=PAYING)
    assert never.holds == "nowhere"


def test_a_maximum_inside() -> None:
    secrets = [{"q": (0, 0, 1)}, {"q": (1, 1, 0)}]
    found = dc.parametric(
        dc.program(SVT), parameter="u=0:1", exp_epsilon="u^-4", secrets=secrets, maximum=True, at="exp(-1/40)"
    )
    assert found.maximum is not None
    assert found.maximum.attained
    assert abs(found.maximum.lower - Fraction("0.000967614")) < Fraction(1, 10**9)
    assert abs(found.maximum.where.low - Fraction("0.988929")) < Fraction(1, 10**6)
    assert found.at is not None
    assert found.at[1].upper == 0
    assert found.at[1].checked.accepted
    assert found.to_dict()["at"]["zero"] is True


@pytest.mark.parametrize(
    ("n", "c"),
    [(2, 1), (3, 1), (3, 2), pytest.param(5, 1, marks=pytest.mark.slow), pytest.param(5, 2, marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("variant", [1, 2])
def test_the_sparse_vector_with_unbounded_noise_is_private_for_every_epsilon(variant: int, n: int, c: int) -> None:
    found = dc.parametric(
        dc.program(UNBOUNDED),
        parameter="u=0:1",
        exp_epsilon=f"u^-{4 * c}",
        delta=0,
        constants={"c": c, "variant": variant},
        secrets=dc.domain(q=product(range(2), repeat=n)),
    )
    assert found.holds == "everywhere"
    assert found.checked.accepted


@pytest.mark.sample(5)
@pytest.mark.parametrize(
    ("variant", "n", "holds"),
    [(v, n, "everywhere" if (v, n) == (6, 2) else "nowhere") for v in (4, 5, 6) for n in (2, 3, 5)],
)
def test_broken_sparse_vectors_are_violated_for_every_epsilon(variant: int, n: int, holds: str) -> None:
    found = dc.parametric(
        dc.program(UNBOUNDED),
        parameter="u=0:1",
        exp_epsilon="u^-4",
        delta=0,
        constants={"variant": variant},
        secrets=[{"q": (0,) * (n - 1) + (1,)}, {"q": (1,) * (n - 1) + (0,)}],
    )
    assert found.holds == holds
    assert found.checked.accepted
    (claim,) = found.certificate.document["proves"]
    assert claim["above" if holds == "nowhere" else "upper"] == "0"


@pytest.mark.slow
def test_larger_models() -> None:
    many = dc.parametric(
        dc.program(DINING), parameter="p=0:1/2", exp_epsilon="1.0002", delta=0, secrets=PAYING, constants={"n": 16}
    )
    assert many.holds == "partly"
    assert many.checked.accepted
    long = dc.parametric(dc.program(MEMOISED), parameter="p=1/2:1", exp_epsilon=3, delta=0, secrets=TRUTHS)
    assert long.violated is not None
    assert len(long.violated) == 1
    assert long.checked.accepted
    cube = [(a, b, c) for a in range(2) for b in range(2) for c in range(2)]
    whole = dc.parametric(
        dc.program(SVT), parameter="u=0:19/20", exp_epsilon="u^-4", delta=0, secrets=dc.domain(q=cube)
    )
    assert whole.holds == "everywhere"
    assert "for all 28 pairs of the 8 secrets given" in whole.headline
    assert whole.checked.accepted


ENTRIES = ["x", "1-x", "x^2", "1-x^2", "x/2", "1-x/2", "1/3", "2/3", "x/(1+x)", "1/(1+x)", "(1-x)/2", "(1+x)/2"]
"""In twos, which sum to 1."""


@settings(max_examples=part_of(60), deadline=None)
@given(
    st.lists(st.integers(0, 5), min_size=4, max_size=4),
    st.lists(st.integers(0, 5), min_size=4, max_size=4),
    st.sampled_from(["1", "3/2", "1/x", "2 - x"]),
    st.sampled_from([Fraction(0), Fraction(1, 10)]),
    st.fractions(min_value=Fraction(1, 50), max_value=Fraction(49, 50), max_denominator=50),
)
def test_random_chains_agree_with_single_values(
    first: list[int], second: list[int], alpha: str, allowed: Fraction, x: Fraction
) -> None:
    """Two rounds over hidden states, in both of which the formula of every row is drawn."""
    folder = Path(tempfile.mkdtemp())

    def rows(of: Callable[[str], str]) -> dict[str, object]:
        def row(label: str, number: int, targets: tuple[str, str]) -> dict[str, object]:
            return {"label": label, "to": dict(zip(targets, map(of, ENTRIES[2 * number :][:2]), strict=True))}

        states: dict[str, object] = {"s": row("go", first[0], ("a0", "a1")), "t": row("go", second[0], ("b0", "b1"))}
        for i in (0, 1):
            states[f"a{i}"] = row("even" if first[3] == i else "odd", first[i + 1], ("h", "e"))
            states[f"b{i}"] = row("even" if second[3] == i else "odd", second[i + 1], ("h", "e"))
        ends: dict[str, object] = {"h": {"label": "heads", "to": {"h": 1}}, "e": {"label": "tails", "to": {"e": 1}}}
        return {"format": "deltachain.chain/1", "relation": [["s", "t"]], "states": states | ends}

    model = folder / "model.json"
    model.write_text(json.dumps(rows(str) | {"parameter": {"x": ["0", "1"]}}))
    found = dc.parametric(model, parameter="x=0:1", exp_epsilon=alpha, delta=allowed, maximum=True)
    assert found.checked.accepted

    def value(text: str) -> Fraction:
        return eval(text.replace("^", "**"), {"x": x, "Fraction": Fraction, "__builtins__": {}}) * Fraction(1)  # noqa: S307

    exact = {"1/3": Fraction(1, 3), "2/3": Fraction(2, 3), "3/2": Fraction(3, 2)}
    at = folder / "at.json"
    at.write_text(json.dumps(rows(lambda text: str(exact.get(text) or value(text)))))
    known = dc.delta(str(at), exp_epsilon=exact.get(alpha) or value(alpha)).value
    assert isinstance(known, Fraction)
    assert found.violated is not None
    assert found.maximum is not None
    assert known <= found.maximum.upper
    for piece in found.pieces:
        if piece.start.high < x < piece.end.low:
            assert piece.formula.at(x) == known
    for start, end in found.violated:
        if start.high < x < end.low:
            assert known > allowed
    if all(x < start.low or end.high < x for start, end in found.violated):
        assert known <= allowed


@pytest.mark.parametrize(
    ("settings_", "said"),
    [
        ({"parameter": "u=0:2", "exp_epsilon": 2}, "a draw or a division needs"),
        ({"parameter": "u=0:11/10", "exp_epsilon": 2}, "a draw or a division needs"),
        ({"parameter": "u=0:1", "exp_epsilon": "u^4"}, "it is not at least 1 for every u"),
        ({"parameter": "u=0:1", "exp_epsilon": "exp(1)"}, "exp stands beside a parameter"),
        ({"parameter": "u=1:0", "exp_epsilon": 2}, "is empty"),
        ({"parameter": "u", "exp_epsilon": 2}, "cannot be read"),
        (
            {"parameter": "clamp=0:1", "exp_epsilon": 2, "constants": {"u": Fraction(1, 2)}},
            "geometric's low end",
        ),
    ],
)
def test_refusals(settings_: dict[str, object], said: str) -> None:
    secrets = [{"q": (0, 1)}, {"q": (1, 0)}]
    with pytest.raises(InputError, match=said):
        dc.parametric(dc.program(SVT), secrets=secrets, delta=0, **settings_)  # type: ignore[arg-type]


def test_what_depends_on_the_parameter_otherwise_is_refused() -> None:
    flow = dc.program("def flow(x, p):\n    if p > Fraction(1, 2):\n        announce(x)\n    announce(flip(p))")
    with pytest.raises(InputError, match=r"<text>:2:"):
        dc.parametric(flow, parameter="p=0:1", exp_epsilon=2, secrets=[{"x": 0}, {"x": 1}])
    mixed = dc.program("def mixed(x, p): announce(flip(p * exp(-1)) if x else flip(p))")
    with refuses(InputError, "rational function of"):
        dc.parametric(mixed, parameter="p=0:1", exp_epsilon=2, secrets=[{"x": False}, {"x": True}])
    noisy = dc.program("def noisy(x, p):\n    z = geometric(p)\n    announce(x + z)\n    announce(z % 2 == 0)")
    with refuses(InputError, "noise is cut"):
        dc.parametric(noisy, parameter="p=0:1", exp_epsilon=2, secrets=[{"x": 0}, {"x": 1}])
    # P(Z ≥ 1) = r/(1 + r) is a probability for every r, but there is no such noise from r = 2p = 1 on.
    ratio = dc.program("def ratio(x, p): announce(x + geometric(2 * p) >= 1)")
    with refuses(InputError, "a division needs"):
        dc.parametric(ratio, parameter="p=0:1", exp_epsilon=2, secrets=[{"x": 0}, {"x": 1}])
    assert dc.parametric(ratio, parameter="p=0:1/2", exp_epsilon=2, secrets=[{"x": 0}, {"x": 1}]).pieces
    endless = dc.program(
        "def endless(x, p):\n    while True:\n        x = not x if flip(p) else x\n"
        "        announce(flip(1/3) if x else flip(1/2))"
    )
    with refuses(SolverError, "within the budget"):
        dc.parametric(endless, parameter="p=0:1", exp_epsilon=2, secrets=[{"x": False}, {"x": True}])


def test_formulas_that_vanish_inside_are_refused(tmp_path: Path) -> None:
    states = {
        "s": {"label": "go", "to": {"h": "2*x", "t": "1-2*x"}},
        "u": {"label": "go", "to": {"h": "1/2", "t": "1/2"}},
        "h": {"label": "heads", "to": {"h": 1}},
        "t": {"label": "tails", "to": {"t": 1}},
    }
    path = tmp_path / "model.json"
    path.write_text(json.dumps({"format": "deltachain.chain/1", "states": states, "relation": [["s", "u"]]}))
    with refuses(InputError, "negative inside the"):
        dc.parametric(path, parameter="x=0:9/10", exp_epsilon=2)
    assert dc.parametric(path, parameter="x=0:1/2", exp_epsilon=2, maximum=True).maximum is not None


@pytest.mark.parametrize(
    ("settings_", "certified"),
    [
        ({"delta": 0}, "VIOLATED exactly for p in (0.75 (3/4), 1): certified, δ > 0 at e^ε = 3"),
        ({"maximum": True}, "sup δ = 1, not attained: it is approached at p = 1"),
        ({}, "δ(p) in 2 pieces, p in (0.5 (1/2), 1), for the pair"),
    ],
)
def test_the_headline_says_whether_it_is_certified(settings_: dict[str, Any], certified: str) -> None:
    coin = dc.program("def coin(truth, p): announce(truth if flip(p) else not truth)")
    asked: dict[str, Any] = {"parameter": "p=1/2:1", "exp_epsilon": 3, "secrets": TRUTHS, **settings_}
    found = dc.parametric(coin, **asked)
    assert found.headline.startswith(certified)
    assert "certified" in found.headline
    assert "not certified" not in found.headline
    assert "(truth=True, truth=False)" in found.headline
    assert found.to_dict()["checked"] is True
    assert says(found.to_dict()["covers"], "inputs were examined")
    unchecked = dc.parametric(coin, **asked, check=False)
    assert says(unchecked.headline, "certified (as asked")
    assert unchecked.to_dict()["checked"] is False
    assert unchecked == found
    back = pickle.loads(pickle.dumps(found))  # noqa: S301 - our own
    assert back == found
    assert dc.verify(coin, back.certificate, secrets=TRUTHS) == dc.verify(coin, found.certificate, secrets=TRUTHS)


def test_a_certificate_is_about_its_program_and_its_whole_domain(tmp_path: Path) -> None:
    svt, cube = dc.program(UNBOUNDED), dc.domain(q=product(range(2), repeat=2))
    path = tmp_path / "proof.json"
    asked: dict[str, Any] = {"parameter": "u=0:1", "exp_epsilon": "u^-4", "delta": 0}
    dc.parametric(svt, secrets=cube, **asked).certificate.save(path)
    assert len(dc.verify(svt, path, secrets=cube)) == 6
    with pytest.raises(CertificateRejected, match="the certificate's model"):
        dc.verify(svt, path, secrets=cube, constants={"variant": 2})
    document = json.loads(path.read_text())
    document["proves"] = document["proves"][1:]
    assert len(dc.verify(svt, document, secrets=list(cube))) == 5
    with refuses(CertificateRejected, "domain is claimed"):
        dc.verify(svt, document, secrets=cube)
    with refuses(InputError, "no open parameter"):
        dc.verify(dc.examples.coin(), path)
    if is_built():
        assert len(dc.verify(svt, path, secrets=cube, formal=True)) == 6
    # A refutation of one pair refutes the domain.
    broken = dc.parametric(svt, secrets=cube, constants={"variant": 5}, **asked)
    assert broken.holds == "nowhere"
    assert dc.verify(svt, broken.certificate, secrets=cube, constants={"variant": 5})


@pytest.mark.parametrize(
    ("one_pair", "all_claimed"),
    [
        ([("from", "0", "before", "3/4", "1/2"), ("after", "3/4", "to", "1", "1/2")], False),
        ([("from", "0", "to", "3/4", "1/2"), ("after", "3/4", "to", "1", "1/2")], True),
        ([("from", "0", "before", "3/4", "1/2"), ("from", "3/4", "before", "1", "1/2")], True),
        ([("after", "0", "to", "3/4", "2/4"), ("from", "5/8", "before", "1", "1 0/2 0")], True),
        ([("from", "0", "to", "1", "1")], False),
        ([("from", "0", "to", "3/4", "1/2"), ("after", "3/4", "to", "1", "1")], False),
        ([("from", "0", "to", "1", "1/2"), ("from", "0", "to", "1", "1")], False),
        ([], False),
    ],
)
def test_all_pairs_are_claimed_by_the_same_bounds_at_the_same_values(
    one_pair: list[tuple[str, str, str, str, Any]], all_claimed: bool
) -> None:
    """One pair is claimed in parts; the two others are claimed to have δ ≤ 1/2 for every value of the parameter."""
    tossed = dc.program("def tossed(x, p): announce(flip(p / (x + 2)))")
    secrets = dc.domain(x=range(3))
    made = dc.parametric(tossed, parameter="p=0:1", exp_epsilon=1, delta="1/2", secrets=secrets)
    document = made.certificate.document
    whole = {tuple(claim["pair"]): {**claim, "from": "0", "to": "1"} for claim in document["proves"]}
    *others, last = whole.values()
    assert len(others) == 2
    bare = {key: last[key] for key in ("claim", "pair", "visits") if key in last}
    parts = [{**bare, first: low, second: high, "upper": bound} for first, low, second, high, bound in one_pair]
    document["proves"] = others + parts
    if all_claimed:
        assert len(dc.verify(tossed, document, secrets=secrets)) == len(document["proves"])
    else:
        with refuses(CertificateRejected, "the same bounds"):
            dc.verify(tossed, document, secrets=secrets)


def test_a_curve_is_drawn_and_never_below_delta(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    asked: dict[str, Any] = {"parameter": "p=0:1/2", "exp_epsilon": "1.0002", "secrets": PAYING, "delta": "1/10"}
    dining = dc.program(DINING)
    found = dc.parametric(dining, **asked, curve=True)
    axes = found.plot(Figure().subplots())
    assert axes is not None
    xs, ys = axes.lines[0].get_data()
    assert len(xs) > 100
    for x, y in zip(xs, ys, strict=True):
        u = Fraction(float(x))
        if any(piece.start.high <= u <= piece.end.low for piece in found.pieces):
            exact = max(
                (20001 * u**2 - 20001 * u + 5000) / 5000 if u < Fraction("0.4964645") else Fraction(0), Fraction(0)
            )
            assert exact <= Fraction(float(y)) + Fraction(1, 10**15)
    found.plot(tmp_path / "curve.svg")
    assert (tmp_path / "curve.svg").read_text().startswith("<?xml")
    with refuses(InputError, "were not asked"):
        dc.parametric(dining, **asked).plot(tmp_path / "other.svg")


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("p^-40000", r"'p\^-40000': a power that is not a whole number up to 20000"),
        ("foo(p)", r"'foo\(p\)': it cannot be read"),
        ("1/(p-p)", r"'1/\(p-p\)': division by 0"),
        ("1/(2*p-1)", "it is not at least 1 for every p of the interval"),
    ],
)
def test_formulas_that_are_refused_are_shown_as_they_were_written(formula: str, said: str) -> None:
    coin = dc.program("def coin(truth, p): announce(truth if flip(p) else not truth)")
    with pytest.raises(InputError, match=said):
        dc.parametric(coin, parameter="p=0:1", exp_epsilon=formula, secrets=TRUTHS)


def test_an_exp_epsilon_may_touch_one() -> None:
    coin = dc.program("def coin(truth, p): announce(truth if flip(p) else not truth)")
    found = dc.parametric(coin, parameter="p=0:1", exp_epsilon="1 + (3*p - 1)^2", delta=0, secrets=TRUTHS)
    assert found.checked.accepted
    assert found.violated is not None


def test_weights_over_a_negative_denominator() -> None:
    """1/(3 − e) has the denominator e − 3 in lowest terms: the total of such weights is a negative number."""
    biased = dc.program("def biased(x):\n    announce(choose((0, 1), weights=(1/(3 - exp(1)), 2/(3 - exp(1)))))")
    chain = biased.chain([{"x": 0}])
    assert {p for _, p in chain.rows[0]} == {Fraction(1, 3), Fraction(2, 3)}


@pytest.mark.parametrize("digits", [50, 130])
def test_breaks_that_are_next_to_each_other_or_to_an_end(tmp_path: Path, digits: int) -> None:
    tiny = f"1/{10**digits}"
    ends = {letter: {"label": letter, "to": {letter: 1}} for letter in "abcd"}
    halves = [f"(1/2+{tiny})/2", f"(1/2-{tiny})/2"]
    states = {
        "near 0": {"s": {"a": "u", "b": "1-u"}, "t": {"a": tiny, "b": f"1-{tiny}"}},
        "near 1/2": {
            "s": {"a": "u/2", "b": "(1-u)/2", "c": "u/2", "d": "(1-u)/2"},
            "t": dict(zip("abcd", [*halves, *halves[::-1]], strict=True)),
        },
    }
    violated = {}
    for name, rows in states.items():
        model = tmp_path / f"{name}.json".replace("/", "-")
        starts = {state: {"label": "x", "to": row} for state, row in rows.items()}
        document = {"format": "deltachain.chain/1", "parameter": {"u": [0, 1]}, "states": starts | ends}
        model.write_text(json.dumps(document))
        found = dc.parametric(model, "s", "t", parameter="u=0:1", exp_epsilon=1, delta=0, curve=True)
        assert found.checked.accepted
        violated[name] = found.violated
    assert violated["near 1/2"] == (((0, 0), (1, 1)),)
    (first, second) = violated["near 0"] or ()
    assert first[1] == second[0]
    assert 0 < first[1].low < Fraction(tiny) < first[1].high < 2 * Fraction(tiny)


def test_a_border_next_to_an_end_is_not_the_end() -> None:
    """It was said to be violated for every value."""
    found = dc.parametric(dc.program(MEMOISED), parameter="p=1/2:1", exp_epsilon=1, delta=0, secrets=TRUTHS)
    assert found.holds == "nowhere"
    assert found.violated is not None
    ((start, end),) = found.violated
    near = start._replace(high=start.high + Fraction(1, 10**40))
    assert replace(found, violated=((near, end),)).holds == "partly"


@pytest.mark.parametrize(
    "formula", ["(u - 1/2)/(u - 1/2)/2", "(u*u - 1/4)/(u - 1/2)/2", "(u - 1/2)**-2 * (u - 1/2)**2/2"]
)
def test_a_divisor_that_vanishes_inside_is_refused(formula: str) -> None:
    """The quotient is a polynomial, and at u = 1/2 the program divides by zero."""
    asked = dc.program(f"def answer(truth, u): announce(truth if flip({formula}) else not truth)")
    secrets = [{"truth": True}, {"truth": False}]
    with pytest.raises(InputError, match="a division needs"):
        dc.parametric(asked, parameter="u=0:1", exp_epsilon=2, secrets=secrets, delta=0)
    dc.parametric(asked, parameter="u=1/2:1", exp_epsilon=2, secrets=secrets, delta=0)


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


OPEN = """{"format": "deltachain.chain/1", "states": {
 "s": {"label": "a", "to": %s}, "t": {"label": "a", "to": {"u": 0.5, "v": 0.5}},
 "r": {"label": "a", "to": {"u": "x", "v": "1-x"}},
 "u": {"label": "b", "to": {"u": 1}}, "v": {"label": "c", "to": {"v": 1}}}}"""
ASKED: dict[str, Any] = {"parameter": "x=0:1/2", "exp_epsilon": 1, "delta": 0}


@pytest.mark.parametrize("digits", ["0.50000000000000000001", "0.5000000000000000000100"])
def test_a_json_number_of_a_file_is_the_number_that_it_is(digits: str, tmp_path: Path) -> None:
    path = written(tmp_path / "open.json", OPEN % f'{{"u": {digits}, "v": 0.49999999999999999999}}')
    found = dc.parametric(path, "s", "t", **ASKED)
    assert found.holds == "nowhere"
    assert dc.parametric(path, "s", "t", parameter="x=0:1/2", exp_epsilon=1, maximum=True).maximum.upper == Fraction(  # type: ignore[union-attr]
        1, 10**20
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (OPEN % '{"u": 1}, "to": {"v": 1}', "key 'to' of 's' is given twice"),
        (OPEN % '{"u": ["1/4", "1/2"], "v": ["1/2", "3/4"]}', "known within limits only"),
        (OPEN % '{"u": "1/2"}, "rest": "1/2"', "known within limits only"),
        ("[" * 100_000, "nested too deeply"),
        (OPEN % '{"u": "y"}', "'y'"),
        ('{"format": "deltachain.chain/1", "parameter": [], "states": {}}', "the file's cannot be read"),
        ('{"format": "deltachain.chain/1", "parameter": {"x": [0, 0.4]}, "states": {}}', r"parameter x in \(0, 0.4\)"),
        ('{"format": "deltachain.chain/1", "states": []}', '"states" is a list'),
    ],
)
def test_a_file_that_is_no_family_is_refused_for_what_is_wrong_with_it(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        dc.parametric(written(tmp_path / "open.json", text), "s", "t", **ASKED)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "open.json").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        dc.parametric(tmp_path / "open.json", "s", "t", **ASKED)


def test_the_interval_of_a_file_is_read_by_its_digits(tmp_path: Path) -> None:
    text = (OPEN % '{"u": 1}').replace('"states"', '"parameter": {"x": [0.1, 0.3]}, "states"', 1)
    path = written(tmp_path / "open.json", text)
    assert dc.parametric(path, "r", "t", parameter="x=0.1:0.3", exp_epsilon=1, delta=0).holds == "nowhere"
    with refuses(InputError, "its parameter has"):
        dc.delta(path, "r", "t", epsilon=0)


@pytest.mark.parametrize("stage", ["outcomes of pair", "finding δ as a function of p"])
def test_a_search_that_is_cut_off_says_so(stage: str) -> None:
    # Not that the beliefs do not end, or that a budget has to be raised.
    cancel = Cancel(report=lambda text: cancel.interrupt() if text.startswith(stage) else None)
    survey = dc.program("def survey(truth: bool, p): announce(truth if flip(p) else not truth)")
    with pytest.raises(Stopped, match="interrupted"):
        dc.parametric(survey, parameter="p=1/2:1", exp_epsilon=3, delta=0, cancel=cancel)


OPEN_FILE = {
    "format": "deltachain.chain/1",
    "parameter": {"u": ["0", "1"]},
    "states": {
        "s": {"label": "", "to": {"h": "u^2", "t": "1-u^2"}},
        "r": {"label": "", "to": {"h": "u/2", "t": "1-u/2"}},
        "h": {"label": "h", "to": {"h": 1}},
        "t": {"label": "t", "to": {"t": 1}},
    },
    "relation": [["s", "r"]],
}


def test_formulas_that_cannot_be_read_are_named_with_their_states_at_once(tmp_path: Path) -> None:
    path = tmp_path / "open.json"
    text = json.dumps(OPEN_FILE).replace('"u^2"', '"u^^2"').replace('"u/2"', '"u+"').replace('"1-u/2"', '"u-1"')
    path.write_text(text)
    with pytest.raises(InputError) as refused:
        dc.parametric(path, parameter="u=0:1", exp_epsilon=1)
    said = [str(defect) for defect in refused.value.defects]
    assert len(said) == 3
    assert says(said[0], "is misplaced")
    assert said[1].startswith("state 'r': 'u+': ")
    assert says(said[2], "negative inside the")


def test_what_holds_for_every_value_has_no_borders(tmp_path: Path) -> None:
    path = tmp_path / "open.json"
    path.write_text(
        json.dumps(OPEN_FILE | {"relation": [["s", "r"], ["s", "s2"]]}).replace(
            '"states": {', '"states": {"s2": {"label": "", "to": {"h": "1/2", "t": "1/2"}}, '
        )
    )
    asked = {"parameter": "u=0:1", "exp_epsilon": 1, "maximum": True}
    found = dc.parametric(path, delta="1/2", **asked)
    # The pieces meet at an irrational value; that δ ≤ 1/2, and what its supremum is, is proved there too.
    assert says(found.headline, "PRIVATE for every")
    assert says(found.certified)
    assert dc.parametric(path, **asked).headline.endswith("; certified")
    assert "certified except" in dc.parametric(path, delta="1/3", **asked).headline
