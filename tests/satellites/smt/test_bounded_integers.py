"""Ratios of bounded integers: bit-vectors for SMT solvers, clauses for SAT solvers, the same solutions."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import product

import pytest

from deltachain import Chain, examples
from deltachain.distances.fixed_point import solve
from deltachain.errors import InputError
from deltachain_smt.bounded_integers import (
    IntegerProgram,
    bit_blast,
    complete_bits,
    integer_program,
    read_model,
    solve_cnf,
    to_bitvectors,
    to_dimacs,
)
from deltachain_smt.decider import Decider
from deltachain_smt.formulas import Formula, Query, Term, at_most, compare, equal
from deltachain_smt.prefixed_point import prefixed_point_from_model
from deltachain_smt.solvers import run
from tests.reference.formulas import holds_at
from tests.words import refuses, says

pytest.importorskip("pysat")

COIN = examples.build("coin")
X, Y, Z = "d_0_1", "d_0_2", "eta_0_1_0"
x, y, z = (((1, name),) for name in (X, Y, Z))


def _decider(case: str, alpha: str, encoding: str) -> Decider:
    chain = examples.build(case)
    return Decider(chain, *chain.relation[0], exp_epsilon=alpha, formula="np", encoding=encoding)


def _number(numerator: int, denominator: int = 1) -> list[Term]:
    return [(Fraction(numerator, denominator),)]


def below(left: Iterable[Term], right: Iterable[Term]) -> Formula:
    return compare(left, "<", right)


def _program(*parts: Formula, bits: int = 2) -> IntegerProgram:
    question = Decider(COIN, 0, 1, exp_epsilon=1).question(1)
    return integer_program(Query(question, "np", "", tuple(("", part) for part in parts)), bits)


@pytest.mark.parametrize(
    "parts",
    [
        (equal([(3, X)], _number(2)),),
        (equal([(3, X)], _number(4)),),
        (equal([(1, X, X)], _number(2)),),
        (equal([(1, X, Y)], _number(2, 9)), below(x, y)),
        (below(x, y), below(y, x)),
        (equal(x, [*y, (1,)]), at_most(y, _number(1, 3)), below([], y)),
        (equal([*x, *z], _number(1)), equal([(2, Z)], x), below(_number(1, 2), x)),
        (equal([*x, (-1, Z)], _number(1, 2)), at_most([(1, Z, X)], _number(1, 2))),
        (equal([], _number(1)),),
    ],
)
def test_clauses_bit_vectors_and_enumeration_agree(parts: tuple[Formula, ...]) -> None:
    program = _program(*parts)
    formula = program.query.comparisons
    numbers = list(range(2**program.bits))
    found = False
    for chosen in product(numbers, repeat=len(program.variables)):
        values = dict(zip(program.variables, chosen, strict=True))
        if all(values[q] for q in program.denominator.values()):
            found = found or holds_at(formula, read_model(program, values))
    by_clauses = solve_cnf(bit_blast(program))
    by_vectors = run("z3", to_bitvectors(program))
    assert (by_clauses is not None) == found
    assert by_vectors.verdict == ("sat" if found else "unsat")
    if by_clauses is not None:
        assert holds_at(formula, read_model(program, by_clauses))
        vectors = {name: value for name, value in by_vectors.model.items() if isinstance(value, Fraction)}
        assert holds_at(formula, read_model(program, vectors))


@pytest.mark.slow
def test_paper_example_1_in_three_bits() -> None:
    """The faithful formula of [CMP18, Ex. 1] at θ = 0: fifths are enough, so three bits are."""
    decider = Decider(COIN, "s0", "s1", exp_epsilon="3/2", formula="np", encoding="faithful")
    query = decider.query(decider.question(0))
    program = integer_program(query, 3)
    numbers = solve_cnf(bit_blast(program))
    assert numbers is not None
    model = read_model(program, numbers)
    assert holds_at(query.comparisons, model)
    assert prefixed_point_from_model(query, model, decider.background).proves(query.question)


@pytest.mark.parametrize(("theta", "verdict"), [("1/4", "sat"), ("6/25", "unsat")])
def test_split_coin(theta: str, verdict: str) -> None:
    decider = _decider("split-coin", "6/5", "reduced")
    query = decider.query(decider.question(theta))
    program = integer_program(query, 7)
    answer = run("z3", to_bitvectors(program))
    numbers = solve_cnf(bit_blast(program))
    assert answer.verdict == verdict
    assert (numbers is not None) == (verdict == "sat")
    if numbers is not None:
        model = read_model(program, numbers)
        point = prefixed_point_from_model(query, model, decider.background, decider.reduction(query.question))
        assert point.proves(query.question)


def test_too_few_bits_find_nothing() -> None:
    """bd = 1/4 needs the numerators and denominators of its flows to fit."""
    decider = _decider("split-coin", "6/5", "reduced")
    query = decider.query(decider.question("1/4"))
    assert solve_cnf(bit_blast(integer_program(query, 1))) is None
    reduction = decider.reduction(query.question)
    assert reduction is not None
    assert complete_bits(reduction) > 1


@pytest.mark.parametrize("strict", [False, True])
def test_with_complete_bits_no_solution_means_no(strict: bool) -> None:
    """bd = 1/2 on a chain with a cycle: a solution at θ = 1/2, and none below, in as many bits as could be needed."""
    half = Fraction(1, 2)
    chain = Chain.from_rows([{1: half, 2: half}, {0: half, 1: half}, {0: half, 1: half}], "aab")
    assert solve(chain, Fraction(2), kind="bd", pairs=[(0, 1)], exact=True)[0, 1] == half
    decider = Decider(chain, 0, 1, exp_epsilon=2, formula="np", encoding="reduced")
    query = decider.query(decider.question(half, strict=strict))
    reduction = decider.reduction(query.question)
    assert reduction is not None
    assert reduction.problems
    bits = complete_bits(reduction)
    assert bits == 7
    program = integer_program(query, bits)
    assert run("z3", to_bitvectors(program)).verdict == ("unsat" if strict else "sat")
    assert says(to_dimacs(bit_blast(program)), "of natural numbers")


def test_dimacs() -> None:
    cnf = bit_blast(_program(equal([(3, X)], _number(2))))
    lines = to_dimacs(cnf).splitlines()
    heading = next(i for i, line in enumerate(lines) if line.startswith("p cnf"))
    assert says(lines[heading])
    assert all(line.startswith("c ") for line in lines[:heading])
    clauses = [tuple(map(int, line.split())) for line in lines[heading + 1 :]]
    assert [(*clause, 0) for clause in cnf.clauses] == clauses
    first, second = cnf.bits["q_d"]
    assert says(lines, "least bit first")
    assert {first, second} <= set(range(1, cnf.size + 1))


def test_bad_input() -> None:
    decider = Decider(COIN, "s0", "s1", exp_epsilon=1, formula="sigma2")
    query = decider.query(decider.question(1))
    with pytest.raises(InputError, match="only 'np'"):
        integer_program(query, 4)
    with refuses(InputError, "python-sat has no"):
        solve_cnf(bit_blast(_program(equal(x, _number(1)))), "nobody")
    for bits in (0, 100_000):
        with pytest.raises(InputError, match="from 1 to"):
            _program(equal(x, _number(1)), bits=bits)
