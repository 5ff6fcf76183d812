"""Small systems whose observer asks: the worked example with a probe, a device that may wait, and random ones."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from deltachain import Chain

from .interactive import Signed, after, offers

ZERO, HALF, SURE = Fraction(0), Fraction(1, 2), Fraction(3, 4)


def probe_system() -> Chain:
    """A hidden mode, two moves: a probe shows the mode; q1 (q2) is right with 3/4 in mode 1 (2), else it tosses a coin.

    δ = 1/2, 3/8, 1/4 at α = 1, 3/2, 2; with questions decided in advance 1/4, 3/16, 1/8.
    """
    rows: dict[str, dict[str, dict[str, Fraction]]] = {}
    labels = {"yes": "second yes", "no": "second no", "mode1": "second mode 1", "mode2": "second mode 2"}
    for bit in "01":
        rows[f"s{bit}"] = {"start": {f"{bit}1": HALF, f"{bit}2": HALF}}
        labels[f"s{bit}"] = "off"
        for mode in "12":
            here = f"{bit}{mode}"
            answers = {q: SURE if q == mode else HALF for q in "12"}
            right = "yes" if bit == "1" else "no"
            wrong = "no" if bit == "1" else "yes"
            rows[here] = {"probe": {f"{here}.mode": Fraction(1)}}
            labels |= {here: "menu", f"{here}.mode": f"mode {mode}", f"{here}.yes": "yes", f"{here}.no": "no"}
            for q, sure in answers.items():
                rows[here][f"q{q}"] = {f"{here}.{right}": sure, f"{here}.{wrong}": 1 - sure}
            for shown in ("mode", "yes", "no"):
                rows[f"{here}.{shown}"] = {"probe": {f"mode{mode}": Fraction(1)}}
                for q, sure in answers.items():
                    rows[f"{here}.{shown}"][f"q{q}"] = {right: sure, wrong: 1 - sure}
    ends = {end: {end: Fraction(1)} for end in ("yes", "no", "mode1", "mode2")}
    return Chain.from_dicts({**rows, **ends}, labels, relation=[("s0", "s1")])


def waiting_device() -> Chain:
    """Looking at a coin is allowed at once or after any wait; waiting goes round in a loop of two labels."""
    rows: dict[str, dict[str, dict[str, object]] | dict[str, object]] = {"h": {"h": 1}, "t": {"t": 1}}
    labels = {"h": "heads", "t": "tails"}
    for name, heads in (("s", "1/2"), ("u", "1/4")):
        tails = {"1/2": "1/2", "1/4": "3/4"}[heads]
        rows[name] = {"look": {"h": heads, "t": tails}, "stay": {name: 1}, "wait": {f"{name}.later": 1}}
        rows[f"{name}.later"] = {f"{name}": 1}
        labels |= {name: "closed", f"{name}.later": "later"}
    return Chain.from_dicts(rows, labels, relation=[("s", "u")])  # type: ignore[arg-type]


def lively_system(random: Random, *, loops: bool = True) -> Chain:
    """States 0 and 1 of one label, rows that mostly differ; without ``loops`` every step leads to a later state."""
    size = random.randint(4, 7)
    letters = "abc"[: random.randint(2, 3)]
    labels = ["a", "a", *(random.choice(letters) for _ in range(size - 2))]
    counts = {letter: random.choice((None, 1, 2, 2, 3)) for letter in letters}
    if counts["a"] is None:
        counts["a"] = 2

    def row(state: int) -> dict[str, Fraction]:
        targets = range(size) if loops else range(state + 1, size)
        if not targets:
            return {str(state): Fraction(1)}
        weights: dict[str, int] = {}
        for _ in range(random.choice((1, 1, 2, 2, 3))):
            weights[str(random.choice(targets))] = random.choice((1, 1, 2, 3))
        total = sum(weights.values())
        return {target: Fraction(weight, total) for target, weight in weights.items()}

    def moves(state: int) -> dict[str, Fraction] | dict[str, dict[str, Fraction]]:
        asked = counts[labels[state]]
        return row(state) if asked is None else {f"i{k}": row(state) for k in range(asked)}

    rows = {str(state): moves(state) for state in range(size)}
    return Chain.from_dicts(rows, {str(state): label for state, label in enumerate(labels)}, relation=[("0", "1")])


def value_with_states_shown(chain: Chain, belief: Signed, steps: int) -> Fraction:
    """≥ V: what an observer gains who asks ``steps`` times, and is then shown the hidden state itself."""
    belief = {state: mass for state, mass in belief.items() if mass}
    if steps == 0 or not belief:
        return sum((mass for mass in belief.values() if mass > 0), ZERO)
    return max(
        sum((value_with_states_shown(chain, part, steps - 1) for part in after(chain, belief, number).values()), ZERO)
        for number in range(offers(chain, belief))
    )
