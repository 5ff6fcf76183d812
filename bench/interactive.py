"""Systems whose observer asks, at size: our intervals beside a best-first float script of the same recursion.

`random_system` gives each state a row for each input; the same numbers give the same system on every machine. The
float script keeps V(w) between (w·1)^+ and |w^+| at its leaves, adds up over labels, takes the largest over inputs, and
expands the widest leaf under the input with the largest upper value: what one would write, with SciPy's products.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from math import comb
from random import Random
from typing import Any

import deltachain as dc
from bench.measure import Row, Stopwatch, in_process
from bench.scale import bounded, warm_up
from deltachain import Chain
from deltachain.model import PointRow

QUARTER = Fraction(1, 4)

__all__ = ["asking", "float_recursion", "interactive", "query_budgets", "random_system", "scripted_recursion"]


def random_system(n: int = 2000, inputs: int = 4, labels: int = 3, seed: int = 0) -> Chain:
    """Someone walks on a ring of n/labels places; each input reads another noisy sensor of the place.

    A state is a place and the last reading. The walk stays with 1/2 and moves either way with 1/4; what sensor k reads
    at a place is drawn, place by place, as a composition of 12 into ``labels`` parts, over 12. The secret is the place:
    one of two neighbours.
    """
    draw = Random(seed)
    places = n // labels

    def reading() -> list[Fraction]:
        cuts: list[int] = []
        while len(cuts) < labels - 1:
            cut = 1 + int(draw.random() * 11)
            if cut not in cuts:
                cuts.append(cut)
        return [Fraction(b - a, 12) for a, b in pairwise([0, *sorted(cuts), 12])]

    sensors = [[reading() for _ in range(inputs)] for _ in range(places)]
    moves = []
    for place in range(places):
        rows = []
        for k in range(inputs):
            steps = ((place, Fraction(1, 2)), ((place - 1) % places, QUARTER), ((place + 1) % places, QUARTER))
            found = {at * labels + b: p * q for at, p in steps for b, q in enumerate(sensors[at][k])}
            rows.append(PointRow(tuple(sorted(found.items()))))
        moves += [tuple(rows)] * labels
    names, shown = tuple(f"sensor{k}" for k in range(inputs)), [f"a{b}" for b in range(labels)]
    states = tuple(f"{at}.{b}" for at in range(places) for b in range(labels))
    return Chain(states, tuple(shown * places), tuple(moves), ((0, labels),), None, dict.fromkeys(shown, names))


@dataclass(slots=True)
class _Node:
    """A belief of the float script: its bounds, and its children by input once it is expanded."""

    label: int
    belief: Any
    low: float
    high: float
    parent: _Node | None = None
    ways: list[list[_Node]] = field(default_factory=list)
    widest: float = 0.0


def _leaf(label: int, belief: Any, parent: _Node | None) -> _Node:
    low, high = max(float(belief.sum()), 0.0), float(belief[belief > 0].sum())
    return _Node(label, belief, low, high, parent, widest=high - low)


def _best(node: _Node) -> list[_Node]:
    return max(node.ways, key=lambda way: sum(child.high for child in way))


def float_recursion(chain: Chain, pair: tuple[int, int], alpha: float, seconds: float) -> tuple[float, float, int]:
    """Both directions in turn: the interval after so much processor time, proved by nothing, and the expansions."""
    import numpy as np
    import scipy.sparse as sp

    names = chain.alphabet
    of = np.array([names.index(label) for label in chain.labels])
    states = [np.flatnonzero(of == k) for k in range(len(names))]
    place = {int(s): p for group in states for p, s in enumerate(group)}
    steps: list[list[list[Any]]] = []
    for group in states:
        rows: list[list[Any]] = []
        for number in range(len(chain.moves[int(group[0])])):
            found = sp.lil_array((len(group), len(chain)))
            for p, s in enumerate(group):
                for j, share in chain.moves[int(s)][number]:
                    found[p, j] = float(share)
            whole = found.tocsc()
            rows.append([whole[:, columns].T.tocsr() for columns in states])
        steps.append(rows)
    roots = []
    for first, second in (pair, pair[::-1]):
        belief = np.zeros(len(states[of[first]]))
        belief[place[first]] += 1.0
        belief[place[second]] -= alpha
        roots.append(_leaf(int(of[first]), belief, None))
    started, count = time.process_time(), 0
    while time.process_time() - started < seconds:
        node = roots[count % 2]
        count += 1
        while node.ways:
            node = max(_best(node), key=lambda child: child.widest)
        for way in steps[node.label]:
            node.ways.append([_leaf(b, matrix @ node.belief, node) for b, matrix in enumerate(way)])
        node.belief = None
        at: _Node | None = node
        while at is not None:
            at.low = max(sum(child.low for child in way) for way in at.ways)
            chosen = _best(at)
            at.high = sum(child.high for child in chosen)
            at.widest = max(child.widest for child in chosen)
            at = at.parent
    return max(root.low for root in roots), max(root.high for root in roots), count


def asking(n: str, inputs: str, alpha: str, timeout: str) -> dict[str, Any]:
    """The certified width at the timeout, and that of the float script in the time that ours took."""
    warm_up()
    small = random_system(12, 2, 2, 1)
    bounded(small, small.relation[0], Fraction(11, 10), max_nodes=2000)
    chain = random_system(int(n), int(inputs))
    found, ours = bounded(chain, chain.relation[0], Fraction(alpha), timeout=float(timeout))
    lower, upper, expanded = float_recursion(chain, chain.relation[0], float(Fraction(alpha)), ours.seconds)
    low, high = float(found.interval.lower), float(found.interval.upper)
    return ours.found | {
        "right": bool(low <= high and lower <= high + 1e-9 and low <= upper + 1e-9),
        "lower": low,
        "upper": high,
        "width": high - low,
        "nodes": found.nodes,
        "float_width": upper - lower,
        "baseline": f"float script, width {upper - lower:.4f} in that time ({expanded:,} expansions)",
    }


def scripted_recursion(n: str, inputs: str, alpha: str, seconds: str) -> dict[str, Any]:
    """The width that the float script has after so many seconds."""
    chain = random_system(int(n), int(inputs))
    lower, upper, expanded = float_recursion(chain, chain.relation[0], float(Fraction(alpha)), float(seconds))
    said = f"float script, width {upper - lower:.3g} in that time ({expanded:,} expansions)"
    return {"seconds": float(seconds), "peak_mb": 0.0, "right": bool(lower <= upper + 1e-9), "baseline": said}


def query_budgets(people: str, questions: str, alpha: str) -> dict[str, Any]:
    """δ of all pairs of databases, exactly, checked, beside what is known of neighbours by hand."""
    chain = dc.examples.query_budget(people=int(people), questions=int(questions), differ=int(people))
    with Stopwatch() as ours:
        found = dc.delta(chain, exp_epsilon=alpha, check=False)
    told, lied, count = Fraction(2, 3), Fraction(1, 3), int(questions)
    gains = (told**j * lied ** (count - j) - Fraction(alpha) * lied**j * told ** (count - j) for j in range(count + 1))
    terms = (comb(count, j) * max(gain, Fraction(0)) for j, gain in enumerate(gains))
    neighbours = next(result for result in found.results if set(result.pair) == {"s0", "s1"})
    right = found.exact and neighbours.lower == sum(terms)
    return ours.found | {"right": bool(right), "pairs": len(found.results), "delta": float(found.lower)}


def interactive(quick: bool) -> list[Row]:
    """Systems whose observer asks."""
    rows = []
    for n, inputs, seconds in [(300, 3, 5)] if quick else [(2000, 4, 60)]:
        for alpha in ("11/10", "2"):
            found = in_process("asking", n, inputs, alpha, seconds)
            said = f"width {found.result['width']:.4f}, {found.result['nodes']:,} beliefs"
            limit = "not wider than the float script"
            within = found.result["width"] <= found.result["float_width"]
            what = f"walk on a ring, {n:,} states, {inputs} inputs, 3 labels, α={alpha}, {seconds} s"
            rows.append(found.row(what, said, limit, within))
    people, questions = (2, 4) if quick else (3, 10)
    found = in_process("query_budgets", people, questions, "3/2")
    case = f"query-budget, {questions} questions, {found.result['pairs']} pairs of {2**people} databases, α=3/2"
    rows.append(found.row(case, f"δ = {found.result['delta']:.9g} exactly", "60 s", found.seconds <= 60))
    return rows
