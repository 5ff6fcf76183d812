"""What one would use or write instead: the baselines, in floats unless said otherwise, none of them a proof."""

from __future__ import annotations

import math
import random
import time
import warnings
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deltachain import Chain
from deltachain.model.words import word_probability, words
from tests.reference.full_lp import directed_step, ld_step, skewed_difference, step_constraints

Matrix = NDArray[np.float64]


def sweep_by_full_lp(chain: Chain, alpha: Fraction, d: Matrix, most: int, budget: float) -> tuple[float, int, Matrix]:
    """One application of Γ to all pairs by SciPy/HiGHS, one linear program over all states for each direction.

    Measured on at most ``most`` pairs, for about ``budget`` seconds, and scaled: (seconds of a sweep, pairs measured,
    an array of s, t, Γ(d)(s, t)).
    """
    pairs = [(s, t) for block in chain.by_label.values() for s in block for t in block if s < t]
    started = time.perf_counter()
    constraints, sides = step_constraints(alpha, d)
    setting_up = time.perf_counter() - started
    found: list[tuple[float, float, float]] = []
    started = time.perf_counter()
    for s, t in random.Random(2).sample(pairs, min(most, len(pairs))):
        both = [directed_step(skewed_difference(chain, alpha, a, b), constraints, sides) for a, b in ((s, t), (t, s))]
        found.append((s, t, max(both)))
        if time.perf_counter() - started > budget:
            break
    each = (time.perf_counter() - started) / len(found)
    return setting_up + each * len(pairs), len(found), np.array(found)


def value_iteration_by_full_lp(chain: Chain, alpha: Fraction, change: float) -> tuple[Matrix, int]:
    """bd from below, swept until no entry moves by more than ``change``: (values, sweeps)."""
    d, sweeps = np.zeros((len(chain), len(chain))), 0
    while True:
        one_way = ld_step(chain, alpha, d)
        after, sweeps = np.maximum(one_way, one_way.T), sweeps + 1
        if np.abs(after - d).max() <= change:
            return after, sweeps
        d = after


def policy_iteration_by_transport(
    chain: Chain, bisimilar: Sequence[int], budget: float = math.inf
) -> tuple[Matrix, int, bool]:
    """The bisimilarity distance (α = 1) by simple policy iteration [Tang, van Breugel 2016], POT's network simplex.

    A policy is a coupling of the two rows for each pair of states that have equal labels and are not bisimilar.
    Evaluate it, improve every pair's coupling by optimal transport, until none improves or ``budget`` seconds of the
    processor are gone: (values, rounds, whether it came to its end).
    """
    ends = time.process_time() + budget
    pairs = [(s, t) for block in chain.by_label.values() for s in block for t in block if s < t]
    pairs = [(s, t) for s, t in pairs if bisimilar[s] != bisimilar[t]]
    labels = np.array(chain.labels)
    known = (labels[:, None] != labels).astype(float)  # all that is decided: 1 if labels differ, 0 if bisimilar
    targets = [np.array([j for j, _ in row]) for row in chain.rows]
    shares = [np.array([float(p) for _, p in row]) for row in chain.rows]
    d, rounds, improved = known.copy(), 0, True
    couplings = [_transport(shares[s], shares[t], known[np.ix_(targets[s], targets[t])]) for s, t in pairs]
    while improved:
        rounds, improved = rounds + 1, False
        values = _evaluate(pairs, couplings, targets, known)
        for (s, t), value in zip(pairs, values.tolist(), strict=True):
            d[s, t] = d[t, s] = value
        for k, (s, t) in enumerate(pairs):
            costs = d[np.ix_(targets[s], targets[t])]
            better = _transport(shares[s], shares[t], costs)
            if (better * costs).sum() < values[k] - 1e-12:
                couplings[k], improved = better, True
            if time.process_time() > ends:
                return d, rounds, False
    return d, rounds, True


def _evaluate(
    pairs: list[tuple[int, int]], couplings: list[Matrix], targets: list[NDArray[np.int64]], known: Matrix
) -> Matrix:
    """The value of a policy: one sparse linear system. It is not singular, for no closed class is bisimilar."""
    from scipy.sparse import coo_array, eye_array
    from scipy.sparse.linalg import spsolve

    number = np.full(known.shape, -1)
    for k, (s, t) in enumerate(pairs):
        number[s, t] = number[t, s] = k
    constants = np.zeros(len(pairs))
    at, to, masses = [], [], []
    for k, ((s, t), coupling) in enumerate(zip(pairs, couplings, strict=True)):
        a, b = coupling.nonzero()
        i, j = targets[s][a], targets[t][b]
        mass, open_pairs = coupling[a, b], number[i, j] >= 0
        constants[k] = mass @ known[i, j]
        at.append(np.full(open_pairs.sum(), k))
        to.append(number[i, j][open_pairs])
        masses.append(mass[open_pairs])
    places = np.concatenate(at), np.concatenate(to)
    policy = coo_array((np.concatenate(masses), places), shape=(len(pairs), len(pairs)))
    values: Matrix = spsolve((eye_array(len(pairs)) - policy).tocsc(), constants)
    return values


def _transport(first: Matrix, second: Matrix, costs: Matrix) -> Matrix:
    import ot

    plan: Matrix = ot.emd(first, second, np.ascontiguousarray(costs), check_marginals=False)
    return plan


def enumerate_until(
    chain: Chain, pair: tuple[int, int], alpha: Fraction, target: Fraction, budget: float
) -> tuple[Fraction, int, bool]:
    """Exact lower bounds of δ from all words of length 1, 2, …: (the best, its length, whether it came to ``target``).

    Gives up after ``budget`` seconds. It cannot know that it has arrived: the target is told to it.
    """
    ends = time.perf_counter() + budget
    beliefs = [({pair[0]: Fraction(1)}, {pair[1]: Fraction(1)})]
    best, length = Fraction(0), 1
    while True:
        masses = [(sum(x.values(), Fraction(0)), sum(y.values(), Fraction(0))) for x, y in beliefs]
        forth = sum((max(x - alpha * y, Fraction(0)) for x, y in masses), Fraction(0))
        back = sum((max(y - alpha * x, Fraction(0)) for x, y in masses), Fraction(0))
        best = max(best, forth, back)
        if best >= target:
            return best, length, True
        after: list[tuple[dict[int, Fraction], dict[int, Fraction]]] = []
        for x, y in beliefs:
            if time.perf_counter() > ends:
                return best, length, False
            steps = _by_label(chain, x), _by_label(chain, y)
            after += [(steps[0].get(label, {}), steps[1].get(label, {})) for label in steps[0] | steps[1]]
        beliefs, length = after, length + 1


def _by_label(chain: Chain, belief: dict[int, Fraction]) -> dict[str, dict[int, Fraction]]:
    after: dict[str, dict[int, Fraction]] = {}
    for state, mass in belief.items():
        for target, p in chain.rows[state]:
            part = after.setdefault(chain.labels[target], {})
            part[target] = part.get(target, Fraction(0)) + mass * p
    return after


def every_word_alone(chain: Chain, alpha: Fraction, diners: int) -> Fraction:
    """δ of the first two payers from the probability of every sequence of announcements, each computed by itself."""
    forth = back = Fraction(0)
    for announced in product("01", repeat=diners):
        word = ("start", *announced, "end")
        x, y = (Fraction(str(word_probability(chain, state, word))) for state in ("s0", "s1"))
        forth += max(x - alpha * y, Fraction(0))
        back += max(y - alpha * x, Fraction(0))
    return max(forth, back)


def words_of(chain: Chain, state: int, length: int) -> list[Fraction]:
    """The probabilities of all words of one length from a state, in an order that all states share."""
    found = dict(words(chain, state, length))
    return [Fraction(str(found[word])) for word in sorted(found)]


def accountant() -> Any:
    """dp-accounting's privacy loss distributions, imported without its deprecation warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from dp_accounting.pld import privacy_loss_distribution
    return privacy_loss_distribution


def accountant_delta(first: Sequence[Fraction], second: Sequence[Fraction], alpha: Fraction) -> float:
    """dp-accounting's pessimistic δ for two distributions over the same outcomes."""
    masses = [{i: math.log(p) for i, p in enumerate(side) if p} for side in (first, second)]
    found = accountant().from_two_probability_mass_functions(*masses, symmetric=False)
    return float(found.get_delta_for_epsilon(math.log(alpha)))
