"""Chains whose rows are functions of e^(1/k), and their δ to some hundred digits by enumerating words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal, localcontext
from fractions import Fraction
from random import Random

from flint import fmpz_poly

from deltachain import Chain
from deltachain.model import AnyRow, PointRow
from deltachain.model.rows import Quotients
from deltachain.numbers.exponential import Exponential, as_exponential, coefficients, common_base, exp_of, polynomials
from tests.reference.systems import lively_system

DIGITS = 500
Rows = list[dict[int, Exponential]]


def exact_row(row: Mapping[int, Exponential]) -> AnyRow:
    """The row as a chain holds it: over one denominator."""
    if all(p.rational is not None for p in row.values()):
        return PointRow(tuple((j, Fraction(row[j].rational or 0)) for j in sorted(row)))
    k = common_base(row.values())
    parts = {j: polynomials(p, k) for j, p in row.items()}
    bottom = fmpz_poly([1])
    for _, own in parts.values():
        bottom = bottom * (own // bottom.gcd(own))
    tops = tuple((j, coefficients(parts[j][0] * (bottom // parts[j][1]))) for j in sorted(row))
    return PointRow(Quotients(k, tops, coefficients(bottom)))


def chain_of(rows: Rows, labels: list[str]) -> Chain:
    """The chain; states 0 and 1 are its pair."""
    given = tuple((exact_row(row),) for row in rows)
    return Chain(tuple(map(str, range(len(rows)))), tuple(labels), given, ((0, 1),))


def random_weight(random: Random, base: int) -> Exponential:
    """A positive number: c·e^q mostly; sums, and differences such as 4 − e, whose leading coefficient is negative."""
    power = exp_of(Fraction(random.randint(-2, 2), base))
    if random.random() < 0.6:
        return power * random.randint(1, 2)
    if random.random() < 0.3:
        return power + random.randint(1, 3)
    larger = int(float(power)) + random.randint(1, 2)
    difference = larger - power if random.random() < 0.7 else power**2 * larger - power
    if difference.sign <= 0:
        return power
    return difference if random.random() < 0.7 else power / difference


def random_functions(random: Random, *, cyclic: bool = False) -> tuple[Rows, list[str]]:
    """Rows of weights over their sum; ties are frequent. Cyclic ones may stay where they are, or go back."""
    size = random.randint(4, 8)
    labels = ["start", "start", *(random.choice("ab") for _ in range(size - 2))]
    base = random.choice([1, 2, 10])
    rows: Rows = []
    for state in range(size):
        targets = [*range(2 if cyclic and state > 1 else max(state + 1, 2), size)]
        if not targets or (state > 1 and random.random() < 0.2):
            rows.append({state: as_exponential(1)})
            continue
        chosen = random.sample(targets, min(len(targets), random.randint(1, 3)))
        weights = {j: random_weight(random, base) for j in chosen}
        total = sum(weights.values(), as_exponential(0))
        rows.append({j: weight / total for j, weight in weights.items()})
    return rows, labels


def function_system(random: Random, *, loops: bool = True) -> tuple[Chain, int]:
    """A system whose observer asks, as `lively_system` makes them, with rows of functions of e^(1/k); and k."""
    base = random.choice([1, 2, 3])
    like = lively_system(random, loops=loops)

    def row(targets: Iterable[int]) -> AnyRow:
        weights = {j: random_weight(random, base) for j in targets}
        total = sum(weights.values(), as_exponential(0))
        return exact_row({j: weight / total for j, weight in weights.items()})

    given = tuple(tuple(row(j for j, _ in one) for one in rows) for rows in like.moves)
    return Chain(like.states, like.labels, given, like.relation, inputs=like.inputs), base


def decimals(number: Exponential) -> Decimal:
    """The number to DIGITS digits, by Python's own exponential."""
    with localcontext(prec=DIGITS + 30):
        x = (Decimal(1) / number.k).exp()
        top, bottom = (
            sum((Decimal(int(c)) * x**i for i, c in enumerate(part.coeffs())), Decimal(0))
            for part in (number.top, number.bottom)
        )
        return top / bottom


def gain(rows: Rows, labels: list[str], pair: tuple[int, int], alpha: Exponential, letters: int) -> Decimal:
    """Σ over words of so many letters of (ν_s − αν_t)^+: δ of the direction, where words end by then."""
    with localcontext(prec=DIGITS + 30):
        numbers = [{j: decimals(p) for j, p in row.items()} for row in rows]
        factor = decimals(alpha)
        total = Decimal(0)
        stack = [({pair[0]: Decimal(1)}, {pair[1]: Decimal(1)}, letters)]
        while stack:
            x, y, left = stack.pop()
            if left == 0:
                total += max(sum(x.values(), Decimal(0)) - factor * sum(y.values(), Decimal(0)), Decimal(0))
                continue
            split: dict[str, list[dict[int, Decimal]]] = {}
            for side, belief in enumerate((x, y)):
                for i, mass in belief.items():
                    for j, p in numbers[i].items():
                        part = split.setdefault(labels[j], [{}, {}])[side]
                        part[j] = part.get(j, Decimal(0)) + mass * p
            stack += [(a, b, left - 1) for a, b in split.values()]
        return total
