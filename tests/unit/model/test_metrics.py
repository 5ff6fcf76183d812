"""Chains whose bd is the distance with a discount, or with a metric on the labels."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

import deltachain as dc
from deltachain import Chain
from deltachain.errors import InputError
from tests.reference.step_forms import directed_step

LABELS = "abc"


def acyclic_chain(random: Random) -> Chain:
    """States lead to later ones alone; the last one stays."""
    size = random.randint(3, 6)
    rows = []
    for state in range(size):
        targets = range(state + 1, size) if state + 1 < size else [state]
        thrown = [random.choice(list(targets)) for _ in range(4)]
        rows.append({t: Fraction(thrown.count(t), 4) for t in set(thrown)})
    return Chain.from_rows(rows, [random.choice(LABELS) for _ in range(size)])


def by_recursion(chain: Chain, metric: dict[tuple[str, str], Fraction]) -> list[list[Fraction]]:
    """d(s, t) = max(m, K(d)(μ_s, μ_t)) again and again from m: after as many rounds as states nothing changes."""
    size = range(len(chain))
    start = [[metric[chain.labels[s], chain.labels[t]] for t in size] for s in size]
    d = start
    for _ in size:
        steps = [[directed_step(d, dict(chain.rows[s]), dict(chain.rows[t]), 1) for t in size] for s in size]
        d = [[max(start[s][t], steps[s][t]) for t in size] for s in size]
    return d


@pytest.mark.seeds(10, 200)
def test_the_distance_with_a_metric_on_labels(seed: int) -> None:
    random = Random(f"label metric {seed}")
    chain = acyclic_chain(random)
    places = {label: Fraction(random.randint(0, 8), 8) for label in LABELS}
    metric = {(a, b): abs(places[a] - places[b]) for a in LABELS for b in LABELS}
    if seed % 2:  # no points on a line: every two labels are half or all of 1 apart, which any such numbers are
        metric = {
            (a, b): Fraction(0) if a == b else Fraction(random.randint(2, 4), 4)
            for a in LABELS
            for b in LABELS
            if a <= b
        }
        metric |= {(b, a): m for (a, b), m in metric.items()}
    found = dc.distance(dc.with_label_metric(chain, metric), pairs="all", exp_epsilon=1, exact=True)
    wanted = by_recursion(chain, metric)
    for s in range(len(chain)):
        for t in range(len(chain)):
            assert found[s, t] == wanted[s][t]


@pytest.mark.parametrize("seed", range(5))
def test_equality_of_labels_is_the_classic_distance(seed: int) -> None:
    chain = dc.examples.random(n=5, labels=2, seed=seed)
    plain = dc.distance(chain, pairs="all", exp_epsilon=1, exact=True)
    equal = dc.distance(
        dc.with_label_metric(chain, lambda a, b: (a != b and 1) or 0), pairs="all", exp_epsilon=1, exact=True
    )
    assert all(plain[s, t] == equal[s, t] for s in range(5) for t in range(5))


@pytest.mark.parametrize(
    ("metric", "said"),
    [
        ({("a", "b"): "1/2"}, "no number for the labels"),
        ({("a", "b"): 2, ("a", "c"): 1, ("b", "c"): 1}, r"outside \[0, 1\]"),
        ({("a", "b"): 1, ("a", "c"): "1/4", ("b", "c"): "1/4"}, "further apart than by way of"),
        (lambda a, b: int(a < b), "not symmetric"),
    ],
)
def test_what_is_no_metric(metric: object, said: str) -> None:
    chain = Chain.from_dicts({s: {s: 1} for s in "abc"}, {s: s for s in "abc"})
    with pytest.raises(InputError, match=said):
        dc.with_label_metric(chain, metric)  # type: ignore[arg-type]


def test_what_cannot_be_made() -> None:
    chain = dc.examples.coin()
    for wrong in ("0", "2"):
        with pytest.raises(InputError, match="discount"):
            dc.with_discount(chain, wrong)
    ended = dc.with_discount(chain, "1/2")
    assert ended.relation == chain.relation
    with pytest.raises(InputError, match="already"):
        dc.with_discount(ended, "1/2")
    with pytest.raises(InputError, match="inputs"):
        dc.with_label_metric(dc.examples.adaptive_survey(), lambda a, b: int(a != b))
    assert dc.with_discount(chain, 1).probability("s0", "(end)") == 0
