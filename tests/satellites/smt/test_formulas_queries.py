"""The formulas of [CMP18]: their size, their printing, and that the engine's exact distance satisfies them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from deltachain import Chain, examples
from deltachain.distances.fixed_point import solve
from deltachain.errors import InputError
from deltachain_smt.decider import Decider
from deltachain_smt.formulas import faithful_np, to_smtlib
from tests.reference.formulas import ask, holds_at
from tests.words import says

COIN = examples.build("coin")


def test_the_faithful_np_formula_has_every_variable_of_the_paper() -> None:
    query = faithful_np(ask(COIN, "s0", "s1", 0, exp_epsilon="3/2"))
    states, same_label_pairs = 4, 6  # (s0|s1)², (heads, heads), (tails, tails)
    flow = states * states + 3 * states
    assert len(query.variables) == states * states + 2 * same_label_pairs * flow
    assert query.logic == "QF_NRA"


@pytest.mark.parametrize(
    ("formula", "encoding", "logic"),
    [
        ("np", "faithful", "QF_NRA"),
        ("sigma2", "faithful", "LRA"),
        ("least", "faithful", "LRA"),
        ("np", "reduced", "QF_NRA"),
        ("sigma2", "reduced", "LRA"),
        ("np", "bounded", "QF_NRA"),
        ("sigma2", "bounded", "LRA"),
    ],
)
def test_logics_and_determinism(formula: str, encoding: str, logic: str) -> None:
    chain = examples.build("random,n=5,seed=0")
    scripts = []
    for _ in range(2):
        decider = Decider(chain, 0, 1, exp_epsilon="6/5", formula=formula, encoding=encoding)
        scripts.append(decider.script("1/6", strict=True))
    assert scripts[0] == scripts[1]
    assert f"(set-logic {logic})" in scripts[0]
    assert scripts[0].isascii()
    head = scripts[0].splitlines()[:9]
    assert head[0] == "; bd(s0, s1) < 1/6 at e^epsilon = 6/5"
    assert says(head, "states, 15 transitions")
    assert says(head, "exp_epsilon (alpha")
    assert says(head, "strict")
    assert f"; formula: {formula}, {encoding}" in head


def test_names_of_states_stay_in_the_comments() -> None:
    rows = {"s\n(assert false)": {"t": 1}, "ü": {"t": 1}, "t": {"t": 1}}
    chain = Chain.from_dicts(rows, {"s\n(assert false)": "a", "ü": "a", "t": "b"})
    script = to_smtlib(faithful_np(ask(chain, 0, 1, 0, exp_epsilon=1)))
    assert script.isascii()
    assert not any(line.startswith("(assert false)") for line in script.splitlines())


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("encoding", ["reduced", "bounded"])
def test_the_exact_distance_satisfies_the_reduced_formula(seed: int, encoding: str) -> None:
    """With bd for d and optimal flows; and with d(s, t) a little lower it does not."""
    chain, alpha = examples.build(f"random,n=6,seed={seed}"), Fraction(6, 5)
    exact = solve(chain, alpha, kind="bd", pairs=[(0, 1)], exact=True)
    decider = Decider(chain, 0, 1, exp_epsilon=alpha, formula="np", encoding=encoding)
    question = decider.question(exact[0, 1])
    query, reduction = decider.query(question), decider.reduction(question)
    assert reduction is not None
    values = {f"d_{i}_{j}": exact[i, j] for i, j in reduction.problems}
    space, flows = exact.proof.space, exact.proof.flows  # type: ignore[union-attr]
    for pair in flows:
        u, v = (int(ends[pair]) for ends in space.ends)
        group = f"{space.states[u]}_{space.states[v]}"
        for i, j, amount in flows[pair].arcs:
            values[f"omega_{group}_{space.states[i]}_{space.states[j]}"] = Fraction(int(amount.p), int(amount.q))
        for i, amount in flows[pair].eta:
            values[f"eta_{group}_{space.states[i]}"] = Fraction(int(amount.p), int(amount.q))
    point = {name: values.get(name, Fraction(0)) for name in query.variables}
    assert holds_at(query.comparisons, point)
    if reduction.problems and exact[0, 1] > 0:
        lower = point | {"d_0_1": point["d_0_1"] - Fraction(1, 10**6)}
        assert not holds_at(query.comparisons, lower)


@pytest.mark.parametrize(("theta", "alpha", "defects"), [(2, 1, 1), ("-1/2", 1, 1), (0, "1/2", 1), (2, 0, 2)])
def test_bad_questions(theta: object, alpha: object, defects: int) -> None:
    with pytest.raises(InputError) as caught:
        ask(COIN, "s0", "s1", theta, exp_epsilon=alpha)  # type: ignore[arg-type]
    assert len(caught.value.defects) == defects


def test_unsupported_combinations_are_named() -> None:
    with pytest.raises(InputError, match="encoding 'faithful'"):
        Decider(COIN, "s0", "s1", exp_epsilon=1, formula="least", encoding="reduced")
    with pytest.raises(InputError) as caught:
        Decider(COIN, "s0", "s1", exp_epsilon=1, solver="yices", formula="pspace", encoding="clever")
    assert [defect.where for defect in caught.value.defects] == ["solver", "formula", "encoding"]


@pytest.mark.parametrize("formula", ["np", "sigma2", "least"])
def test_faithful_formulas_of_large_chains_are_refused(formula: str) -> None:
    decider = Decider(examples.build("random,n=60"), 0, 1, exp_epsilon=1, formula=formula, encoding="faithful")
    with pytest.raises(InputError, match="reduced or bounded"):
        decider.script(0)
