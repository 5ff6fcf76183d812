"""Chains that never end, in hidden recurrent classes: what an observer learns is learnt in the long run alone."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from deltachain import Chain

HALF = Fraction(1, 2)


def correlated(p: Fraction) -> Chain:
    """Two classes with equal frequencies of heads and tails: one repeats its letter with 3/4, the other with 1/2.

    s0 ends in the first with probability p, s1 with 1 − p. The averages of pairs of letters tell them apart.
    """
    rows: dict[str, dict[str, Fraction]] = {}
    for secret, first in ((0, p), (1, 1 - p)):
        rows[f"s{secret}"] = {"Ah": first / 2, "At": first / 2, "Bh": (1 - first) / 2, "Bt": (1 - first) / 2}
    for mode, stay in (("A", Fraction(3, 4)), ("B", HALF)):
        rows[f"{mode}h"] = {f"{mode}h": stay, f"{mode}t": 1 - stay}
        rows[f"{mode}t"] = {f"{mode}t": stay, f"{mode}h": 1 - stay}
    labels = {state: "start" if state[0] == "s" else state[1] for state in rows}
    return Chain.from_dicts(rows, labels, relation=[("s0", "s1")])


def drawn_ahead(p: Fraction, q: Fraction) -> Chain:
    """The memoised survey whose reports come with a coin: drawn one step ahead from s0, freshly from s1 (22 states).

    The coin tells nothing, but no distance between states sees that, and the two ways to draw it never meet.
    """
    rows: dict[str, dict[str, Fraction]] = {}
    labels: dict[str, str] = {}

    def reports(kept: int, weight: Fraction, way: str) -> dict[str, Fraction]:
        right = {"no": q if kept == 0 else 1 - q, "yes": q if kept == 1 else 1 - q}
        coins = {"h": HALF, "t": HALF} if way == "ahead" else {"-": Fraction(1)}
        return {f"{kept}.{way}.{c}.{r}": weight * right[r] * coins[c] for c in coins for r in right}

    for secret, way in ((0, "ahead"), (1, "fresh")):
        rows[f"s{secret}"] = reports(secret, p, way) | reports(1 - secret, 1 - p, way)
        labels[f"s{secret}"] = "start"
    for kept in (0, 1):
        for way in ("ahead", "fresh"):
            for state in reports(kept, HALF, way):
                coin, report = state.split(".")[2:]
                shown = {coin: Fraction(1)} if way == "ahead" else {"h": HALF, "t": HALF}
                rows[state] = {f"{kept}.{way}.{c}": weight for c, weight in shown.items()}
                labels[state] = report
            for coin in "ht":
                rows[f"{kept}.{way}.{coin}"] = reports(kept, Fraction(1), way)
                labels[f"{kept}.{way}.{coin}"] = coin
    return Chain.from_dicts(rows, labels, relation=[("s0", "s1")])


def random_endless(random: Random) -> Chain:
    """Some transient states, s and t among them, then one of up to three classes of independent letters, for ever.

    Classes may repeat each other. Transient states lead to later ones, or, at times, to themselves.
    """
    odds = [Fraction(random.randint(0, 4), 4) for _ in range(random.randint(2, 3))]
    after = [{f"{k}{letter}": p for letter, p in (("x", x), ("y", 1 - x)) if p} for k, x in enumerate(odds)]
    rows: dict[str, dict[str, Fraction]] = {state: after[int(state[0])] for part in after for state in part}
    labels = {state: state[1] for state in rows}
    names = ["s", "t", *(f"u{i}" for i in range(random.randint(0, 3)))]
    for place, name in enumerate(names):
        later = names[max(place, 1) + 1 :] + ([name] if random.random() < 0.3 else [])
        shares = [random.choice([*later, *range(len(odds))]) for _ in range(random.choice([2, 4]))]
        shares[0] = 0 if shares[0] == name else shares[0]
        row: dict[str, Fraction] = {}
        for share in shares:
            into = after[share] if isinstance(share, int) else {share: Fraction(1)}
            for state, p in into.items():
                row[state] = row.get(state, Fraction(0)) + p / len(shares)
        rows[name] = row
        labels[name] = "x" if name in "st" else random.choice("xy")
    return Chain.from_dicts(rows, labels)


def between(chain: Chain, s: str, t: str, alpha: Fraction, depth: int) -> tuple[Fraction, Fraction]:
    """Σ (w_u·1)^+ ≤ lv(s, t) ≤ Σ |w_u^+| over all words u of ``depth`` letters, w_u = x_u − αy_u."""
    level = {(): {chain.number(s): Fraction(1)} | {chain.number(t): -alpha}}
    for _ in range(depth - 1):
        after: dict[tuple[str, ...], dict[int, Fraction]] = {}
        for word, w in level.items():
            for i, mass in w.items():
                for j, p in chain.rows[i]:
                    part = after.setdefault((*word, chain.labels[j]), {})
                    part[j] = part.get(j, Fraction(0)) + mass * p
        level = after
    zero = Fraction(0)
    lower = sum((max(sum(w.values(), zero), zero) for w in level.values()), zero)
    upper = sum((mass for w in level.values() for mass in w.values() if mass > 0), zero)
    return lower, upper
