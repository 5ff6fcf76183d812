"""δ of a system whose observer asks, slowly and exactly: by the recursion, and by listing strategies and events.

A strategy says, after every history of labels, which input comes next; it is deterministic, since the input is
seen and drawing it gains nothing. For a strategy σ and h steps the best event is the set of the words with
ν^σ_s > α ν^σ_t, so

    lv_h(s, t) = max_σ Σ_{|w| = h} max(ν^σ_s(w) − α ν^σ_t(w), 0).

With the signed belief w = x − αy over the states of one label the same number is V_h(e_s − αe_t), where
V_0(w) = (w·1)^+ and V_{h+1}(w) = max_a Σ_b V_h(w P_a 1_b). Both grow with h and meet lv from the depth on at which
nothing is left to see. One input everywhere is a chain without inputs, and `enumerate_events` gives the same, one
letter later: there, the label of the start state is the first letter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain as joined
from itertools import combinations, product
from random import Random

from deltachain import Chain

Signed = Mapping[int, Fraction]
"""A signed belief: its entries that are not zero, by state."""

Strategy = Mapping[tuple[str, ...], int]
"""The number of the input after each history of labels, the first label included."""

ZERO = Fraction(0)


def after(chain: Chain, belief: Signed, number: int) -> dict[str, dict[int, Fraction]]:
    """The beliefs after input ``number``, by the label that is then seen: w P_a 1_b for every b."""
    found: dict[str, dict[int, Fraction]] = {}
    for state, mass in belief.items():
        for target, p in chain.moves[state][number]:
            part = found.setdefault(chain.labels[target], {})
            part[target] = part.get(target, ZERO) + mass * p
    return found


def offers(chain: Chain, belief: Signed) -> int:
    """How many inputs there are to choose from; the states of a belief have one label."""
    (number,) = {len(chain.moves[state]) for state in belief}
    return number


def value(chain: Chain, belief: Signed, steps: int, memo: dict[object, Fraction] | None = None) -> Fraction:
    """V_h of a signed belief at h = ``steps``; exact."""
    memo = {} if memo is None else memo
    belief = {state: mass for state, mass in belief.items() if mass}
    gap = max(sum(belief.values(), ZERO), ZERO)
    if steps == 0 or all(mass < 0 for mass in belief.values()) or all(mass > 0 for mass in belief.values()):
        return gap  # of one sign, it is all or nothing already
    scale = sum(map(abs, belief.values()))
    key = steps, frozenset((state, mass / scale) for state, mass in belief.items())
    if key not in memo:
        memo[key] = (
            max(
                sum((value(chain, part, steps - 1, memo) for part in after(chain, belief, number).values()), ZERO)
                for number in range(offers(chain, belief))
            )
            / scale
        )
    return memo[key] * scale


def start(chain: Chain, s: str | int, t: str | int, alpha: Fraction) -> dict[int, Fraction]:
    """e_s − αe_t, for two states of one label."""
    i, j = chain.number(s), chain.number(t)
    if chain.labels[i] != chain.labels[j] or i == j:
        raise ValueError(f"{s} and {t} are not two states of one label")
    return {i: Fraction(1), j: -alpha}


def lv_of_system(chain: Chain, s: str | int, t: str | int, alpha: Fraction, steps: int) -> Fraction:
    """lv_h(s, t) at h = ``steps``, by the recursion; exact, ≤ lv(s, t)."""
    return value(chain, start(chain, s, t, alpha), steps)


def delta_of_system(chain: Chain, s: str | int, t: str | int, alpha: Fraction, steps: int) -> Fraction:
    """The larger of the two directions of `lv_of_system`."""
    return max(lv_of_system(chain, s, t, alpha, steps), lv_of_system(chain, t, s, alpha, steps))


# Brute force: no recursion over beliefs, no rule about the best event.


def strategies(chain: Chain, s: str | int, t: str | int, steps: int) -> Iterator[Strategy]:
    """Every strategy of ``steps`` inputs, on the histories that it can meet from s or t."""
    first = {chain.labels[chain.number(state)] for state in (s, t)}

    def extended(plan: dict[tuple[str, ...], int], left: int) -> Iterator[Strategy]:
        if left == 0:
            yield plan
            return
        met = [word_probabilities(chain, state, plan, steps - left) for state in (s, t)]
        words = sorted(set().union(*met))
        counts = [len(chain.moves[chain.by_label[word[-1]][0]]) for word in words]
        for choice in product(*map(range, counts)):
            yield from extended({**plan, **dict(zip(words, choice, strict=True))}, left - 1)

    if len(first) != 1:
        raise ValueError("two states of one label are needed")
    return extended({}, steps)


def word_probabilities(
    chain: Chain, state: str | int, strategy: Strategy, steps: int
) -> dict[tuple[str, ...], Fraction]:
    """Every word of ``steps`` inputs under the strategy with its probability: all paths, added up by what they show."""
    here = chain.number(state)
    paths = {((chain.labels[here],), here): Fraction(1)}
    for _ in range(steps):
        longer: dict[tuple[tuple[str, ...], int], Fraction] = {}
        for (word, source), mass in paths.items():
            for target, p in chain.moves[source][strategy[word]]:
                key = (*word, chain.labels[target]), target
                longer[key] = longer.get(key, ZERO) + mass * p
        paths = longer
    found: dict[tuple[str, ...], Fraction] = {}
    for (word, _), mass in paths.items():
        found[word] = found.get(word, ZERO) + mass
    return found


def answered_words(
    chain: Chain, state: str | int, length: int, answers: Sequence[int] = (0,)
) -> dict[tuple[str, ...], Fraction]:
    """Words of ``length`` letters if inputs are given by number from ``answers``, over and over, counted round."""
    here = chain.number(state)
    paths = {((chain.labels[here],), here, 0): Fraction(1)}
    for _ in range(length - 1):
        longer: dict[tuple[tuple[str, ...], int, int], Fraction] = {}
        for (word, source, asked), mass in paths.items():
            waits = chain.labels[source] in chain.inputs
            number = answers[asked % len(answers)] % len(chain.moves[source]) if waits else 0
            for target, p in chain.moves[source][number]:
                key = (*word, chain.labels[target]), target, asked + waits
                longer[key] = longer.get(key, ZERO) + mass * p
        paths = longer
    found: dict[tuple[str, ...], Fraction] = {}
    for (word, _, _), mass in paths.items():
        found[word] = found.get(word, ZERO) + mass
    return found


def brute_force(chain: Chain, s: str | int, t: str | int, alpha: Fraction, steps: int, most_words: int = 8) -> Fraction:
    """max over strategies and events of ν_s(E) − αν_t(E), both listed; with many words, the best event at once."""
    best = ZERO
    for strategy in strategies(chain, s, t, steps):
        from_s, from_t = (word_probabilities(chain, state, strategy, steps) for state in (s, t))
        gains = [from_s.get(word, ZERO) - alpha * from_t.get(word, ZERO) for word in from_s.keys() | from_t.keys()]
        if len(gains) <= most_words:
            events = joined.from_iterable(combinations(gains, size) for size in range(len(gains) + 1))
            best = max(best, *(sum(event, ZERO) for event in events))
        else:
            best = max(best, sum((gain for gain in gains if gain > 0), ZERO))
    return best


# Plans decided in advance.


def value_of_plan(chain: Chain, belief: Signed, plan: Sequence[str | None]) -> Fraction:
    """What the inputs of ``plan``, decided in advance, are worth; None goes on where there is no choice.

    Raises ValueError where a label that may be met does not offer the input.
    """
    beliefs = [dict(belief)]
    for name in plan:
        fresh = []
        for part in beliefs:
            names = chain.offered(next(iter(part)))
            if name not in names:
                raise ValueError(f"{name!r} is not offered at label {chain.labels[next(iter(part))]!r}: {names}")
            fresh.extend(after(chain, part, names.index(name)).values())
        beliefs = fresh
    return sum((max(sum(part.values(), ZERO), ZERO) for part in beliefs), ZERO)


def plans(chain: Chain, s: str | int, t: str | int, steps: int) -> Iterator[tuple[str | None, ...]]:
    """Every plan of ``steps`` inputs; ValueError where labels that may be met at one step offer different inputs."""

    def extended(plan: tuple[str | None, ...], met: frozenset[int]) -> Iterator[tuple[str | None, ...]]:
        if len(plan) == steps:
            yield plan
            return
        offered = {chain.offered(state) for state in met}
        if len(offered) != 1:
            raise ValueError(f"after {plan}, labels offer different inputs: {sorted(offered, key=str)}")
        for number, name in enumerate(next(iter(offered))):
            reached = frozenset(target for state in met for target, _ in chain.moves[state][number])
            yield from extended((*plan, name), reached)

    return extended((), frozenset((chain.number(s), chain.number(t))))


def fixed_of_system(chain: Chain, s: str | int, t: str | int, alpha: Fraction, steps: int) -> Fraction:
    """The best plan of ``steps`` inputs decided in advance, in the direction s, t; exact, ≤ `lv_of_system`."""
    belief = start(chain, s, t, alpha)
    return max(value_of_plan(chain, belief, plan) for plan in plans(chain, s, t, steps))


# Small random systems.


def random_system(
    random: Random, *, most_states: int = 5, most_labels: int = 3, most_inputs: int = 3, parts: int = 4
) -> Chain:
    """A system with coarse probabilities whose states 0 and 1 have one label; some labels may have no inputs."""
    size = random.randint(2, most_states)
    letters = "abc"[: random.randint(1, most_labels)]
    labels = [letters[0], letters[0], *(random.choice(letters) for _ in range(size - 2))]
    counts = {letter: random.choice((None, *range(1, most_inputs + 1))) for letter in letters}

    def row() -> dict[str, Fraction]:
        shares = random.randint(1, parts)
        found: dict[str, Fraction] = {}
        for _ in range(shares):
            target = str(random.randrange(size))
            found[target] = found.get(target, ZERO) + Fraction(1, shares)
        return found

    def moves(label: str) -> dict[str, Fraction] | dict[str, dict[str, Fraction]]:
        count = counts[label]
        return row() if count is None else {f"i{number}": row() for number in range(count)}

    rows = {str(state): moves(label) for state, label in enumerate(labels)}
    return Chain.from_dicts(rows, {str(state): label for state, label in enumerate(labels)}, relation=[("0", "1")])
