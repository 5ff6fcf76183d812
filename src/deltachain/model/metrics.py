"""Chains whose bd is another distance: with a discount, and with a metric on the labels.

*Discount.* Let a run end at every step with probability 1 − β, in one state with a label of its own. The rows of two
states then differ as before, β times, and their common end tells nothing: a step of the new chain is β times that of
the old one, for every α and every kind of distance.

*Label metric.* The distance with a metric m ≤ 1 on the labels has d(s, t) = max(m(ℓ(s), ℓ(t)), K(d)(μ_s, μ_t)) for all
pairs. Let the observer see no label but ask: go on, or compare with the label c, which shows one end with probability
m(ℓ(s), c) and else another one. At α = 1 the answer about c tells s and t apart by |m(ℓ(s), c) − m(ℓ(t), c)|, which is
at most m(ℓ(s), ℓ(t)) by the triangle inequality, and as much at c = ℓ(t). With inputs a pair has the largest step of
all, so that bd of this chain is that distance. (For α > 1 it is the one with the skewed differences of these numbers.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction

from ..errors import Defect, InputError
from ..numbers.fraction import Number, as_fraction, as_probability
from .build import from_dicts
from .chain import Chain

END = "(end)"
FORWARD, COMPARED = "go on", "compare with {}"
HIDDEN, NEAR, FAR = "(state)", "(near)", "(far)"
"""Names in the chains made here."""


def with_discount(chain: Chain, discount: Number) -> Chain:
    """The chain whose runs end with probability 1 − β at every step: its distances are the discounted ones.

    Args:
        chain: a chain of fractions.
        discount: β, above 0 and at most 1.

    >>> import deltachain as dc
    >>> coin = dc.examples.coin()
    >>> dc.distance(dc.with_discount(coin, "9/10"), "s0", "s1", exp_epsilon=1).value
    Fraction(9, 50)
    """
    beta = as_fraction(discount, "discount")
    if not 0 < beta <= 1:
        raise InputError(Defect("discount", f"{beta} is not above 0 and at most 1"))
    _refuse_names(chain, [END])
    end = len(chain)
    ending = {end: 1 - beta} if beta < 1 else {}
    rows = [[{j: beta * p for j, p in row} | ending for row in moves] for moves in chain.moves]
    rows.append([{end: Fraction(1)}])
    return _chain_of(chain, rows, [*chain.labels, END], [END], dict(chain.inputs))


def with_label_metric(chain: Chain, metric: Callable[[str, str], Number] | Mapping[tuple[str, str], Number]) -> Chain:
    """A chain with inputs whose bd at α = 1 is the bisimilarity distance of ``chain`` with a metric on its labels.

    Args:
        chain: a chain of fractions without inputs.
        metric: a number in [0, 1] for two labels: a function, or a mapping of pairs that has each at least once.

    Raises:
        InputError: it is not a metric (0 may stand for different labels), or the chain has inputs.

    >>> import deltachain as dc
    >>> chain = dc.Chain.from_dicts({"s": {"s": 1}, "t": {"t": 1}}, {"s": "warm", "t": "hot"})
    >>> dc.distance(dc.with_label_metric(chain, {("warm", "hot"): "1/4"}), "s", "t", exp_epsilon=1).value
    Fraction(1, 4)
    """
    chain.need("no inputs", "with_label_metric", "it adds inputs of its own", "settle them: chain.choosing(…)")
    table = _metric_of(chain, metric)
    _refuse_names(chain, [NEAR, FAR])
    near, far = len(chain), len(chain) + 1
    rows = []
    for state, row in enumerate(chain.rows):
        compared = []
        for label in chain.alphabet:
            m = table[chain.labels[state], label]
            compared.append({target: p for target, p in ((near, m), (far, 1 - m)) if p})
        rows.append([dict(row), *compared])
    names = (FORWARD, *(COMPARED.format(repr(label)) for label in chain.alphabet))
    order = sorted(range(len(names)), key=lambda k: names[k])
    ordered = [[each[k] for k in order] for each in rows]
    ends = [[{near: Fraction(1)}], [{far: Fraction(1)}]]
    inputs = {HIDDEN: tuple(names[k] for k in order)}
    return _chain_of(chain, ordered + ends, [*[HIDDEN] * len(chain), NEAR, FAR], [NEAR, FAR], inputs)


def _metric_of(
    chain: Chain, metric: Callable[[str, str], Number] | Mapping[tuple[str, str], Number]
) -> dict[tuple[str, str], Fraction]:
    """The metric on the chain's labels, refused where it is none."""

    def give(a: str, b: str) -> Number:
        if not isinstance(metric, Mapping):
            return metric(a, b)
        if (a, b) not in metric and (b, a) not in metric:
            raise InputError(Defect("metric", f"no number for the labels {a!r} and {b!r}", "name every pair"))
        return metric[a, b] if (a, b) in metric else metric[b, a]

    labels = chain.alphabet
    table = {(a, b): Fraction(0) if a == b else as_probability(give(a, b), "metric") for a in labels for b in labels}
    for a, b in table:
        if table[a, b] != table[b, a]:
            raise InputError(Defect("metric", f"it is not symmetric for {a!r} and {b!r}"))
        for c in labels:
            if table[a, b] > table[a, c] + table[c, b]:
                raise InputError(Defect("metric", f"{a!r} and {b!r} are further apart than by way of {c!r}"))
    return table


def _refuse_names(chain: Chain, names: list[str]) -> None:
    taken = [name for name in names if name in chain.index or name in chain.alphabet]
    if taken:
        raise InputError(Defect("chain", f"it has a state or a label named {taken[0]!r} already", "rename it"))


def _chain_of(
    chain: Chain,
    rows: list[list[dict[int, Fraction]]],
    labels: list[str],
    more: list[str],
    inputs: Mapping[str, tuple[str, ...]],
) -> Chain:
    """The chain of these rows, with the states and the relation of another one, and further states."""
    states = [*chain.states, *more]
    named = {}
    for state, label, moves in zip(states, labels, rows, strict=True):
        listed = [{states[j]: p for j, p in row.items()} for row in moves]
        asked = inputs.get(label)
        named[state] = listed[0] if asked is None else dict(zip(asked, listed, strict=True))
    found = from_dicts(named, dict(zip(states, labels, strict=True)))
    return replace(found, relation=chain.relation)
