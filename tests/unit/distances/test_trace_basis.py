"""Trace spaces: what the basis spans, and the dimension modulo a prime that decides whether to look for one."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from deltachain import Chain
from deltachain.distances.trace_basis import PRIME, least_rank, spanning_words, trace_basis
from deltachain.model.words import word_probability, words
from tests.reference.random_chains import random_chain


def test_the_basis_spans_one_and_is_closed() -> None:
    random = Random(1)
    smaller = 0
    for _ in range(100):
        chain = random_chain(random, most_states=8)
        basis = trace_basis(chain)
        columns = range(len(basis.columns))
        smaller += len(basis.columns) < len(chain)
        for s, row in enumerate(chain.rows):
            assert sum(basis.one[k] * basis.columns[k][s] for k in columns) == 1
            for a in chain.alphabet:
                for k in columns:
                    image = sum(p * basis.columns[k][j] for j, p in row if chain.labels[j] == a)
                    assert image == sum(basis.step[a][k][m] * basis.columns[m][s] for m in columns)
    assert smaller > 20


def test_equal_coordinates_are_equal_words_after_the_first_letter() -> None:
    random = Random(2)
    equal = 0
    for _ in range(200):
        chain = random_chain(random, most_states=6)
        basis = trace_basis(chain)
        for s in range(len(chain)):
            for t in range(s):
                same = basis.coordinates(((s, 1),)) == basis.coordinates(((t, 1),))
                heads = (chain.labels[s],), (chain.labels[t],)
                alike = all(
                    p == word_probability(chain, t, heads[1] + word[1:])
                    for depth in range(2, len(chain) + 2)
                    for word, p in words(chain, s, depth)
                )
                assert same == alike
                equal += same
    assert equal > 50


def test_the_dimension_modulo_a_prime() -> None:
    random = Random(3)
    for _ in range(200):
        chain = random_chain(random, most_states=8)
        assert least_rank(chain) == len(trace_basis(chain).columns)


def test_a_denominator_that_the_prime_divides_decides_nothing() -> None:
    odds = Fraction(1, PRIME)
    rows = {"s": {"s": odds, "t": 1 - odds}, "t": {"t": 1}}
    assert least_rank(Chain.from_dicts(rows, {"s": "a", "t": "b"})) == 1


def test_words_that_span_are_as_many_as_the_basis_and_have_their_probabilities() -> None:
    random = Random(3)
    for _ in range(60):
        chain = random_chain(random, most_states=6)
        found = spanning_words(chain, range(len(chain)), 50)
        assert len(found) == len(trace_basis(chain).columns)
        letters: list[tuple[str, ...]] = [()]
        for (letter, rest), _ in found[1:]:
            letters.append((letter, *letters[rest]))
        for word, (_, vector) in zip(letters, found, strict=True):
            for s, label in enumerate(chain.labels):
                assert Fraction(str(vector[s])) == word_probability(chain, s, (label, *word))


def test_words_stay_within_their_number_and_their_states() -> None:
    chain = Chain.from_rows([["1/2", "1/2", 0], ["1/3", "2/3", 0], [0, 0, 1]], ["a", "b", "a"])
    assert [word for word, _ in spanning_words(chain, [0, 1], 1)] == [("", 0)]
    assert [set(vector) for _, vector in spanning_words(chain, [0, 1], 9)] == [{0, 1}, {0, 1}]


def test_words_whose_denominators_the_prime_divides_are_left_out() -> None:
    chain = Chain.from_rows([[Fraction(1, PRIME), 1 - Fraction(1, PRIME)], [0, 1]], ["a", "b"])
    assert len(spanning_words(chain, [0, 1], 9)) == 1
