"""The questions that are recorded: every example at several ε, and seeded random chains of the fuzzers' kinds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from deltachain import Chain, examples
from tests.fuzz.intervals import chain_of, random_case
from tests.reference.endless_chains import correlated, drawn_ahead
from tests.reference.random_chains import random_chain, random_system, with_twins

ALPHAS = ("1", "1001/1000", "11/10", "2", "3")
ZOO = (
    *("coin", "coin,p=1/3", "split-coin", "dining-cryptographers,n=2", "dining-cryptographers", "survey"),
    *("dining-cryptographers,n=6", "survey,rounds=3", "survey,rounds=20,p=51/100", "memoised-survey", "waiting-room"),
    *("memoised-survey,q=1/2", "geometric", "geometric-counter", "clamped-geometric", "partial-sum", "smart-sum"),
    *("histogram", "rappor", "rappor,reports=2", "noisy-max", "noisy-max,variant=2", "sparse-vector"),
    *("sparse-vector,variant=4", "sparse-vector,variant=6,n=3", "crowds", "crowds,paths=3", "pin-checker"),
    *("pin-checker,guesses=3", "sticky-sensor", "sticky-sensor,stay=3/4", "mix", "probe", "probe,moves=3", "lockout"),
    *("query-budget", "adaptive-survey", "random", "random,n=24,labels=3,degree=4", "random,n=12,inputs=2"),
)
EPSILON = "1/2"
"""An irrational e^ε, so that the two sides of a bound are at different numbers."""
RANDOM_CHAINS = 120
MAX_NODES = 300
"""Of the random chains: enough for every stage of the search to run, and to end."""


@dataclass(frozen=True)
class Case:
    """One question: a chain, its pairs, and ε or e^ε; ``exp_epsilon`` is None where ε is `EPSILON`."""

    name: str
    chain: Chain
    pairs: tuple[tuple[str, str], ...]
    exp_epsilon: str | None
    max_nodes: int | None


def _pairs(chain: Chain, most: int = 6) -> tuple[tuple[str, str], ...]:
    """The relation that the chain carries, else its first pairs of states with equal labels and one with different."""
    names = chain.states
    if chain.relation:
        return tuple((names[s], names[t]) for s, t in chain.relation)[:most]
    alike = [(s, t) for states in chain.by_label.values() for s in states for t in states if s < t]
    apart = [(s, t) for s in range(len(names)) for t in range(s) if chain.labels[s] != chain.labels[t]]
    return tuple((names[s], names[t]) for s, t in [*alike[:2], *apart[:1]])


def corpus() -> Iterator[Case]:
    """Every case, in an order that never changes."""
    for text in ZOO:
        chain = examples.build(text)
        for alpha in (*ALPHAS, None):
            yield Case(f"{text} at {alpha or f'ε = {EPSILON}'}", chain, _pairs(chain), alpha, None)
    for p in ("1/3", "1/5"):
        for name, chain in (
            ("correlated", correlated(Fraction(p))),
            ("drawn-ahead", drawn_ahead(Fraction(3, 4), Fraction(p))),
        ):
            yield Case(f"{name} {p} at 11/10", chain, _pairs(chain), "11/10", None)
    random = Random(2)
    for number in range(RANDOM_CHAINS):
        drawn = random_case(random, 8)
        for name, chain in (
            ("forward", chain_of(drawn)),
            ("cyclic", random_chain(random)),
            ("twins", with_twins(random, random_chain(random, most_states=5), 3)),
            ("system", random_system(random)),
        ):
            if pairs := _pairs(chain):
                alpha = random.choice([*ALPHAS, None])
                yield Case(f"{name} {number} at {alpha or f'ε = {EPSILON}'}", chain, pairs, alpha, MAX_NODES)
