"""δ at every value of a parameter: against `delta` at single values, and the values that are known."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deltachain as dc
from deltachain.errors import InputError, SolverError

SVT = """
def svt(q, u=0, c=1, threshold=2, clamp=8):
    t = geometric(u ** (threshold * c), -clamp, clamp)
    hits = 0
    for a in q:
        if a + geometric(u, -clamp, clamp) >= t:
            announce("above")
            hits = hits + 1
            if hits == c:
                return
        else:
            announce("below")
"""
DINING = """
def dining(paying, n=3, p=0):
    first = flip(p)
    previous = first
    for i in range(n):
        this = first if i == n - 1 else flip(p)
        announce(previous == this if i == paying else previous != this)
        previous = this
"""
MEMOISED = """
def memoised(truth, reports=40, p=0, q=Fraction(3, 4)):
    kept = truth if flip(p) else not truth
    for i in range(reports):
        announce(kept if flip(q) else not kept)
"""
PAYING = [{"paying": 0}, {"paying": 1}]
TRUTHS = [{"truth": True}, {"truth": False}]


@pytest.mark.parametrize(("n", "border"), [(2, "0.981930"), (3, "0.976019"), (5, "0.952850")])
def test_the_clamped_sparse_vector_is_private_up_to_a_border(n: int, border: str) -> None:
    secrets = [{"q": (0,) * (n - 1) + (1,)}, {"q": (1,) * (n - 1) + (0,)}]
    found = dc.parametric(dc.program(SVT), parameter="u=0:1", exp_epsilon="u^-4", delta=0, secrets=secrets)
    assert found.holds == "partly"
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
    assert first.formula.text("p") == "(20001p^2 −20001p + 5000)/(5000)"
    assert not second.formula.top
    assert abs(first.end.low - Fraction("0.496464554")) < Fraction(1, 10**9)
    top = dc.parametric(dining, parameter="p=9/20:11/20", exp_epsilon="1.0002", secrets=PAYING, maximum=True).maximum
    assert top is not None
    assert top.lower == top.upper == Fraction("0.0099505")
    assert top.attained is False
    private = dc.parametric(dining, parameter="p=0.4965:0.5035", exp_epsilon="1.0002", delta=0, secrets=PAYING)
    assert private.holds == "everywhere"
    assert private.headline.startswith("PRIVATE for every p in (0.4965 (993/2000), 0.5035 (1007/2000)): δ ≤ 0")
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


UNBOUNDED = """
def svt(q, u=0, c=1, variant=1):
    v = u ** c if variant == 4 else u ** 2 if variant == 2 else u ** (2 * c)
    t = geometric(v)
    hits = 0
    for a in q:
        z = 0
        if variant != 5:
            z = geometric(u if variant <= 2 else u ** (3 * c) if variant == 4 else u ** (2 * c))
        if a + z >= t:
            announce("above")
            if variant == 2:
                t = geometric(v)
            if variant <= 4:
                hits = hits + 1
                if hits == c:
                    return
        else:
            announce("below")
"""


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


def test_larger_models() -> None:
    many = dc.parametric(
        dc.program(DINING), parameter="p=0:1/2", exp_epsilon="1.0002", delta=0, secrets=PAYING, constants={"n": 16}
    )
    assert many.holds == "partly"
    long = dc.parametric(dc.program(MEMOISED), parameter="p=1/2:1", exp_epsilon=3, delta=0, secrets=TRUTHS)
    assert long.violated is not None
    assert len(long.violated) == 1
    cube = [(a, b, c) for a in range(2) for b in range(2) for c in range(2)]
    whole = dc.parametric(
        dc.program(SVT), parameter="u=0:19/20", exp_epsilon="u^-4", delta=0, secrets=dc.domain(q=cube)
    )
    assert whole.holds == "everywhere"
    assert "for all 28 pairs of the 8 secrets given" in whole.headline
    assert "not certified" in str(whole.sections())


ENTRIES = ["x", "1-x", "x^2", "1-x^2", "x/2", "1-x/2", "1/3", "2/3", "x/(1+x)", "1/(1+x)", "(1-x)/2", "(1+x)/2"]
"""In twos, which sum to 1."""


@settings(max_examples=60, deadline=None)
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
        ({"parameter": "u=0:2", "exp_epsilon": 2}, "a draw needs"),
        ({"parameter": "u=0:11/10", "exp_epsilon": 2}, "a draw needs"),
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
    with pytest.raises(InputError, match="not a rational function of the parameter"):
        dc.parametric(mixed, parameter="p=0:1", exp_epsilon=2, secrets=[{"x": False}, {"x": True}])
    noisy = dc.program("def noisy(x, p):\n    z = geometric(p)\n    announce(x + z)\n    announce(z % 2 == 0)")
    with pytest.raises(InputError, match="noise is cut off"):
        dc.parametric(noisy, parameter="p=0:1", exp_epsilon=2, secrets=[{"x": 0}, {"x": 1}])
    # P(Z ≥ 1) = r/(1 + r) is a probability for every r, but there is no such noise from r = 2p = 1 on.
    ratio = dc.program("def ratio(x, p): announce(x + geometric(2 * p) >= 1)")
    with pytest.raises(InputError, match=r"a draw needs −2p \+ 1 to be positive"):
        dc.parametric(ratio, parameter="p=0:1", exp_epsilon=2, secrets=[{"x": 0}, {"x": 1}])
    assert dc.parametric(ratio, parameter="p=0:1/2", exp_epsilon=2, secrets=[{"x": 0}, {"x": 1}]).pieces
    endless = dc.program(
        "def endless(x, p):\n    while True:\n        x = not x if flip(p) else x\n"
        "        announce(flip(1/3) if x else flip(1/2))"
    )
    with pytest.raises(SolverError, match="do not end within the budget"):
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
    with pytest.raises(InputError, match="vanishes or is negative inside the interval"):
        dc.parametric(path, parameter="x=0:9/10", exp_epsilon=2)
    assert dc.parametric(path, parameter="x=0:1/2", exp_epsilon=2, maximum=True).maximum is not None
