"""Every cell of the table: each way × each kind of row × inputs has a case that shows it at work, or is left out.

What is left out is answered by other means, which are certified all the same, or refused with the state and the reason.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from types import ModuleType
from typing import get_args

import pytest

import deltachain as dc
from deltachain.beliefs import reach
from deltachain.beliefs.graph import lookahead
from deltachain.beliefs.proof import Answer
from deltachain.beliefs.search import METHODS, search
from deltachain.beliefs.workspace import Workspace
from deltachain.cancel import Cancel
from deltachain.certificate.record import Certificate, claims_of
from deltachain.measures.divergences import endless
from deltachain.measures.epsilon import least, matrix, none
from deltachain.reports.report import _distances as report_distances
from tests.asking import question_at
from tests.contract.cells import CELLS, CLOSE, COLUMNS, chain_of, instances
from tests.contract.test_methods import Attempt, into_sd, signed
from tests.reference.interactive import value
from tests.reference.systems import value_with_states_shown

ALPHA = Fraction(11, 10)
DEPTH = 4
"""Letters that the slow reference looks ahead."""
MAX_NODES = 400

ATTEMPTS: Mapping[reach.WayName, Attempt] = dict(METHODS) | {"sharp distance": into_sd, "signed beliefs": signed}
"""Ways that prove bounds."""
AT_HOME: Mapping[reach.WayName, tuple[str, str]] = {
    "different labels": ("labels", "different labels"),
    "bisimilar": ("twins", "bisimilar states"),
    "outcomes": ("ending", "words that all pairs show"),
    "finite graph": ("ending", "beliefs of the quotient"),
    "traced graph": ("late_or_early", "beliefs up to trace equivalence"),
    "split": ("remembered", "split by where it ends"),
    "long integers": ("ending", "signed beliefs in long integers"),
    "sharp distance": ("endless", "beliefs of the quotient into sd"),
    "signed beliefs": ("endless", "signed beliefs"),
}
"""The shape that each of them is for, and what it is called in a result."""


def exact_profile(chain: dc.Chain) -> bool:
    return dc.profile(chain, epsilons=["0", "1/2"], max_nodes=MAX_NODES, check=False).distributions is not None


def bounds_moments(chain: dc.Chain) -> bool:
    """Whether Rényi divergences have bounds where beliefs do not end, at few places."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(endless, "STEPS", 12)
        found = dc.profile(chain, epsilons=["0", "1/2"], orders=[2], max_nodes=MAX_NODES, check=False)
    return bool(found.endless)


def has_pieces(chain: dc.Chain) -> bool:
    return dc.profile(chain, epsilons=["0", "1/2"], max_nodes=MAX_NODES, check=False).pieces is not None


def plans_questions(chain: dc.Chain) -> bool:
    try:
        (plan,) = dc.delta(chain, exp_epsilon=ALPHA, fixed=1, max_nodes=MAX_NODES, check=False).plans
    except dc.errors.InputError:
        return False
    return plan.exact


def draws_words(chain: dc.Chain) -> bool:
    try:
        return dc.estimate(chain, exp_epsilon=ALPHA, samples=50, horizon=4, max_nodes=4).samples > 0
    except dc.errors.InputError:
        return False


def names_extremes(chain: dc.Chain) -> bool:
    found = dc.delta(chain, exp_epsilon=ALPHA, max_nodes=MAX_NODES, check=False)
    return found.results[0].within is not None


def knows_words(chain: dc.Chain) -> bool:
    """Whether the words of a witness have exact probabilities; None are listed where no strategy is."""
    witness = dc.delta(chain, exp_epsilon=ALPHA, max_nodes=MAX_NODES, check=False).witness
    return witness is not None and not witness.bounded


def uses_forms(chain: dc.Chain) -> bool:
    document = dc.delta(chain, exp_epsilon=ALPHA, max_nodes=MAX_NODES, check=False).certificate.document
    return any(entry[2].lstrip("-") in ("first", "corners") for entry in document.get("recipes", ()))


def called(module: ModuleType, name: str, ask: Callable[[], object]) -> bool:
    """Whether asking comes to a function."""
    real, seen = getattr(module, name), []

    def spied(*given: object) -> object:
        seen.append(given)
        return real(*given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, name, spied)
        ask()
    return bool(seen)


def without_a_matrix(chain: dc.Chain) -> dc.EpsilonBound:
    """The least pure ε, as if the chain were too large for a ratio matrix."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matrix, "ratio_matrix", lambda *_: None)
        patch.setattr(matrix, "is_affordable", lambda *_: False)
        return dc.epsilon(chain, delta=0, precision="1/10", max_nodes=50, check=False)


def tries_the_zero_set(chain: dc.Chain) -> bool:
    return called(least, "in_zero_set", partial(without_a_matrix, chain))


def looks_for_a_matrix(chain: dc.Chain) -> bool:
    asked = partial(dc.epsilon, chain, delta=0, precision="1/10", max_nodes=50, check=False)
    return called(matrix, "ratio_matrix", asked)


def looks_for_words(chain: dc.Chain) -> bool:
    asked = partial(dc.epsilon, chain, delta=0, precision="1/10", max_nodes=50, check=False)
    return called(none, "_by_support", asked)


def looks_for_cycles(chain: dc.Chain) -> bool:
    return called(none, "_label_deterministic", partial(without_a_matrix, chain))


def measures_distances(chain: dc.Chain) -> bool:
    """Whether a report has distances beside δ."""
    question = question_at(ALPHA, chain, chain.relation[:1], max_nodes=MAX_NODES)
    return bool(report_distances(question, Workspace.of(question), Cancel(), None))


def guesses(chain: dc.Chain) -> bool:
    try:
        return bool(dc.guess(chain, max_nodes=MAX_NODES).upper)
    except dc.errors.InputError:
        return False


def looks_ahead(chain: dc.Chain) -> bool:
    question = question_at(ALPHA, chain, chain.relation[:1], max_nodes=MAX_NODES)
    return called(lookahead, "look_ahead", partial(search, question, Workspace.of(question), Cancel()))


SHOWN: Mapping[reach.WayName, tuple[str, Callable[[dc.Chain], bool]]] = {
    "losses": ("ending", exact_profile),
    "moments": ("endless", bounds_moments),
    "words": ("endless", knows_words),
    "pieces": ("ending", has_pieces),
    "plans": ("ending", plans_questions),
    "drawn words": ("endless", draws_words),
    "zero set": ("endless", tries_the_zero_set),
    "distances": ("endless", measures_distances),
    "supports": ("endless", looks_for_words),
    "pumping": ("endless", looks_for_cycles),
    "ratio matrix": ("endless", looks_for_a_matrix),
    "guessing": ("ending", guesses),
    "extreme chains": ("ending", names_extremes),
    "forms": ("endless", uses_forms),
    "look-ahead": ("endless", looks_ahead),
}
"""Ways that bound nothing by themselves: a shape, and whether they were at work there."""


def test_every_line_of_the_table_is_covered() -> None:
    assert {*AT_HOME, *SHOWN} == set(reach.TABLE) == set(get_args(reach.WayName))
    assert AT_HOME.keys() == ATTEMPTS.keys()
    assert {way for way, _ in METHODS} <= AT_HOME.keys()


@pytest.mark.parametrize(("column", "inputs"), CELLS)
def test_a_cell_is_the_column_that_it_is_called(column: str, inputs: bool) -> None:
    chain = chain_of("ending", column, inputs)
    assert reach.column_of(chain) == ("enclosed" if column == "cut off" else column)
    assert chain.interactive == inputs
    assert set(COLUMNS) - {"cut off"} == set(get_args(reach.RowKind))


def holds_inside(answer: Answer, shape: str, column: str, inputs: bool) -> None:
    """The bounds hold for chains of fractions inside, as far as a few letters tell."""
    s, t = answer.question.pairs[0]
    if shape == "labels":
        assert (answer.lower, answer.upper) == (1, 1)
        return
    for chain in instances(shape, column, inputs):
        ways = ({s: Fraction(1), t: -ALPHA}, {t: Fraction(1), s: -ALPHA})
        assert max(value(chain, way, DEPTH) for way in ways) <= answer.upper + CLOSE
        assert answer.lower - CLOSE <= max(value_with_states_shown(chain, way, DEPTH) for way in ways)


@pytest.mark.parametrize(("column", "inputs"), CELLS)
@pytest.mark.parametrize("way", AT_HOME)
def test_a_way_settles_what_it_is_for_and_leaves_out_the_rest(way: reach.WayName, column: str, inputs: bool) -> None:
    shape, name = AT_HOME[way]
    chain = chain_of(shape, column, inputs)
    question = question_at(ALPHA, chain, chain.relation[:1], max_nodes=MAX_NODES)
    work = Workspace.of(question)
    if reach.takes(way, chain):
        proofs = ATTEMPTS[way](question, work, question.pairs, Cancel())
        answer = Answer(question, work, (proofs[question.pairs[0]],))
        assert answer.proofs[0].method.startswith(name)
    else:
        answer = search(question, work, Cancel())
        assert answer.proofs[0].method != name
    holds_inside(answer, shape, column, inputs)
    certificate = answer.certificate()
    dc.verify(chain, certificate)
    for side, better in (("upper", answer.upper - Fraction(1, 10**9)), ("lower", answer.lower + Fraction(1, 10**9))):
        if 0 <= better <= 1:
            document = copy.deepcopy(dict(certificate.document))
            claims_of(document)[0][side] = str(better)
            with pytest.raises(dc.errors.CertificateRejected):
                dc.verify(chain, Certificate(document))


@pytest.mark.parametrize(("column", "inputs"), CELLS)
@pytest.mark.parametrize("way", SHOWN)
def test_a_way_is_at_work_where_the_table_says_so_and_nowhere_else(
    way: reach.WayName, column: str, inputs: bool
) -> None:
    shape, at_work = SHOWN[way]
    chain = chain_of(shape, column, inputs)
    assert at_work(chain) == reach.takes(way, chain)


@pytest.mark.parametrize(("column", "inputs"), CELLS)
@pytest.mark.parametrize("kind", ["bd", "ld", "sd"])
def test_a_distance_is_certified_or_refused_by_name(kind: str, column: str, inputs: bool) -> None:
    chain = chain_of("endless", column, inputs)
    if chain.kind == "exact":
        found = dc.distance(chain, exp_epsilon=ALPHA, kind=kind)
        (close,) = instances("endless", column, inputs)
        assert found.side == "exact"
        apart = found.value - dc.distance(close, exp_epsilon=ALPHA, kind=kind).value
        assert -CLOSE <= apart <= CLOSE
        dc.verify(chain, found.certificate)
    else:
        with pytest.raises(dc.errors.UncertainChain, match="state 's'"):
            dc.distance(chain, exp_epsilon=ALPHA, kind=kind)


@pytest.mark.parametrize(("column", "inputs"), CELLS)
def test_several_runs_are_composed_or_refused_by_name(column: str, inputs: bool) -> None:
    chain = chain_of("ending", column, inputs)
    if reach.takes("losses", chain):
        assert dc.delta(chain, exp_epsilon=ALPHA, repeat=2).exact
    elif chain.kind != "limits" and not inputs:
        found = dc.delta(chain, exp_epsilon=ALPHA, repeat=2)
        for close in instances("ending", column, inputs):
            inside = dc.delta(close, exp_epsilon=ALPHA, repeat=2)
            assert found.lower <= inside.upper + CLOSE
            assert inside.lower <= found.upper + CLOSE
    else:
        with pytest.raises(dc.errors.InputError, match=r"repeat: .*(inputs|the probabilities of)"):
            dc.delta(chain, exp_epsilon=ALPHA, repeat=2)
