"""Noisy readings of a mode that changes slowly, for ever.

Protocol: a room is empty or in use, and its mode stays the same from one step to the next with probability
``stay``. In each step a sensor shows ``high`` with probability ``accuracy`` in a room in use and with 1 −
accuracy in an empty one, else ``low``.
Secret: the mode at the start: empty in s0, in use in s1.
Labels: ``start``; then ``high`` or ``low`` for ever. The chain is cyclic.

Known exactly: write t = stay ≥ 1/2 and r = accuracy/(1 − accuracy) ≥ 1, and let R_k be the largest ratio,
either way, of the probabilities of a word of k readings. The first reading gives R_1 = r. After it, with x,
y the probabilities of the rest from the two modes, the ratio is r or 1/r times (t x + (1−t) y)/((1−t) x + t
y), which grows with x/y for t ≥ 1/2; so R_{k+1} = r (t R_k + 1 − t)/(t + (1 − t) R_k), taken by the words
high … high and low … low. R_k climbs to the positive root R of (1 − t) R² + t (1 − r) R − r (1 − t) = 0, and
never reaches it if r > 1 and t < 1. Hence δ = 0 at α = R, and δ > 0 at every smaller α: ln R is exactly the
pure ε. At t = 9/10 and accuracy = 9/16: r = 9/7 and R = 3.
"""

from __future__ import annotations

from fractions import Fraction

from ...model import Chain
from ...numbers.fraction import Number
from ..mechanism import probability


def sticky_sensor(stay: Number = "9/10", accuracy: Number = "9/16") -> Chain:
    """Endless readings, right with probability ``accuracy``, of a mode kept with probability ``stay``.

    >>> sticky_sensor()
    <Chain: 6 states, 20 transitions, 3 labels, 1 pair>
    """
    keeps, right = probability(stay, "stay"), probability(accuracy, "accuracy")
    readings = ("low", "high")
    rows: dict[str, dict[str, Fraction]] = {}
    labels: dict[str, str] = {}
    # readings[mode] is the right reading of a mode.
    shown = [{f"{mode}.{readings[mode]}": right, f"{mode}.{readings[1 - mode]}": 1 - right} for mode in (0, 1)]
    for mode in (0, 1):
        rows[f"s{mode}"] = shown[mode]
        labels[f"s{mode}"] = "start"
        kept = {state: keeps * p for state, p in shown[mode].items()}
        changed = {state: (1 - keeps) * p for state, p in shown[1 - mode].items()}
        for reading in readings:
            rows[f"{mode}.{reading}"] = kept | changed
            labels[f"{mode}.{reading}"] = reading
    return Chain.from_dicts(rows, labels, relation=[("s0", "s1")])
