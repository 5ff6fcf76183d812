"""sd by the definition: full linear programs with complement constraints over all states; and a chain made for it."""

from __future__ import annotations

from fractions import Fraction

from deltachain.model import Chain
from tests.reference.step_forms import sharp_step

Matrix = list[list[Fraction]]


def sharp_operator(chain: Chain, alpha: Fraction, d: Matrix) -> Matrix:
    """One application of the directed operator of sd to d: 1 across labels, 0 on the diagonal, most of all inputs."""
    size = len(chain)
    after = [[Fraction(int(i != j)) for j in range(size)] for i in range(size)]
    for s in range(size):
        for t in range(size):
            if s != t and chain.labels[s] == chain.labels[t]:
                both = zip(chain.moves[s], chain.moves[t], strict=True)
                after[s][t] = max(sharp_step(d, dict(x), dict(y), alpha) for x, y in both)
    return after


def coin_ahead(p: Fraction = Fraction(3, 4), q: Fraction = Fraction(3, 4)) -> Chain:
    """A memoised survey whose reports each come with a coin, drawn one step ahead from s0 and freshly from s1.

    The remembered bit is the secret with probability p, a report tells it with probability q. 22 states.
    """
    rows: dict[str, dict[str, Fraction]] = {}
    labels: dict[str, str] = {}
    half = Fraction(1, 2)

    def reports(bit: int, ahead: bool, share: Fraction) -> dict[str, Fraction]:
        coins = "ht" if ahead else "-"
        says = {"no": q if bit == 0 else 1 - q, "yes": 1 - q if bit == 0 else q}
        return {f"r{bit}{coin}{word}": share * chance / len(coins) for coin in coins for word, chance in says.items()}

    for bit in (0, 1):
        for ahead in (True, False):
            side = "A" if ahead else "F"
            for coin in "ht" if ahead else "-":
                for word in ("yes", "no"):
                    name = f"r{bit}{coin}{word}"
                    labels[name] = word
                    rows[name] = (
                        {f"c{bit}{side}{coin}": Fraction(1)}
                        if ahead
                        else dict.fromkeys((f"c{bit}{side}h", f"c{bit}{side}t"), half)
                    )
            for coin in "ht":
                labels[f"c{bit}{side}{coin}"] = coin
                rows[f"c{bit}{side}{coin}"] = reports(bit, ahead, Fraction(1))
    for secret, ahead in ((0, True), (1, False)):
        labels[f"s{secret}"] = "start"
        rows[f"s{secret}"] = reports(secret, ahead, p) | reports(1 - secret, ahead, 1 - p)
    order = ["s0", "s1", *(name for name in rows if not name.startswith("s"))]
    return Chain.from_dicts({name: rows[name] for name in order}, labels=labels)
