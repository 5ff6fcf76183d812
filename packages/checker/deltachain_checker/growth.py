"""Growth: what the likelihood ratio of two states comes to along words (docs/theory/proof-system.md).

The largest ratio is the least e^ε at which δ is 0. From below it is shown by a word; by words u, uv, uvv, … along which
the ratio comes to a *limit*; or by a *pump*: such words along which it grows without end, or stays as large. P is the
matrix of the cycle v, on the states that x and y, the beliefs after u, come to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .document import keys
from .errors import need
from .meter import spend
from .model import Model, Vector, mass
from .numbers import ONE, ZERO

STEP, LONG = 40, 10_000
"""Steps of the meter for an entry of a row where a belief takes a step; numbers of n bits take n²/LONG more."""
LIMIT = ("prefix", "cycle", "vector", "factor", "one", "rest", "matrix", "sizes", "rate")
PUMP = ("prefix", "cycle", "more", "less", "growth", "decay", "times", "feeds")


@dataclass(frozen=True)
class Words:
    """Words of a chain: letters, with an input before each letter where the label before has inputs."""

    model: Model
    name: str

    def step(self, belief: Vector, asked: str | None, letter: str) -> Vector:
        """The belief after a letter."""
        for i, x in belief.items():
            bits = x.denominator.bit_length() if isinstance(x, Fraction) else 0
            spend(STEP * len(self.model.rows[i][asked]) + bits * bits // LONG)
        return self.model.after(belief, asked).get(letter, {})

    def follow(self, state: str, word: Any) -> Vector:
        """What a state leads to with a word, the label of the state first."""
        known = isinstance(word, list) and word and all(isinstance(each, str) for each in word)
        need(known, self.name, "a word: a list of letters, not empty")
        belief: Vector = {state: ONE} if word[0] == self.model.label[state] else {}
        letters = iter(word[1:])
        for letter in letters:
            asked, here = None, letter
            inputs = self.model.inputs(min(belief)) if belief else [None]
            if inputs != [None]:
                asked, here = letter, next(letters, None)
                need(asked in inputs, self.name, "a word with an input of the label", asked)
                need(here is not None, self.name, "a word that ends with a label", asked)
            belief = self.step(belief, asked, here)
        return belief

    def along(self, x: Vector, y: Vector, cycle: Any) -> dict[str, Vector]:
        """The rows of P at all states that x and y come to with v, vv, …"""
        known = isinstance(cycle, list) and cycle and all(isinstance(each, str) for each in cycle)
        need(known, self.name, "a cycle: a list of letters, not empty")
        found: dict[str, Vector] = {}
        waiting = [*x, *y]
        while waiting:
            state = waiting.pop()
            if state not in found:
                belief: Vector = {state: ONE}
                for letter in cycle:
                    asked = belief and self.model.inputs(min(belief)) != [None]
                    need(not asked, self.name, "no inputs along a cycle")
                    belief = self.step(belief, None, letter)
                found[state] = belief
                waiting.extend(belief)
        return found

    def ratio(self, x: Vector, y: Vector) -> Any:
        """|x|/|y|; None if y is empty."""
        need(x, self.name, "a word that the first state shows")
        return mass(x) / mass(y) if y else None

    def limit(self, x: Vector, y: Vector, data: Any) -> Any:
        """What |xPⁿ|/|yPⁿ| comes to; None if it grows without end.

        Pr = λr; 1 = r + Σ a_k z_k; Pz_k = Σ_l C_kl z_l; and |C|g ≤ μg for some g > 0 and μ < λ. So Pⁿ(1 − r) is at most
        a constant times μⁿ, and |xPⁿ|/λⁿ comes to x·r.
        """
        name, field, read = self.name, self.model.field, self.model.field.read
        rows = self.along(x, y, data["cycle"])
        r, rest = (self.model.vector(data["vector"], read), [self.model.vector(z, read) for z in data["rest"]])
        factor, rate, weights = read(data["factor"]), read(data["rate"]), [read(a) for a in data["one"]]
        matrix, sizes = [[read(c) for c in line] for line in data["matrix"]], [read(g) for g in data["sizes"]]
        need(field.nonneg(rate) and field.positive(factor - rate), name, "limit: λ > μ ≥ 0", factor, rate)
        need(
            {len(line) for line in [weights, matrix, sizes, *matrix]} == {len(rest)}, name, "limit: one size of tables"
        )
        for i, row in rows.items():
            spend(STEP * (1 + len(row)) * (1 + len(rest)) + STEP * len(rest) ** 2)
            image = times(row, r)
            need(image == factor * r.get(i, ZERO), name, f"limit: Pr = λr at {i}", image, factor * r.get(i, ZERO))
            one = r.get(i, ZERO) + sum((a * z.get(i, ZERO) for a, z in zip(weights, rest, strict=True)), ZERO)
            need(one == 1, name, f"limit: 1 = r + Σ a z at {i}", one, 1)
            for line, z in zip(matrix, rest, strict=True):
                image = times(row, z)
                other = sum((c * w.get(i, ZERO) for c, w in zip(line, rest, strict=True)), ZERO)
                need(image == other, name, f"limit: Pz = Cz at {i}", image, other)
        for line, size in zip(matrix, sizes, strict=True):
            need(field.positive(size), name, "limit: g > 0", size)
            signs = all(field.nonneg(c) or field.nonneg(-c) for c in line)
            need(signs, name, "limit: entries of C of one sign")
            most = sum(((c if field.nonneg(c) else -c) * g for c, g in zip(line, sizes, strict=True)), ZERO)
            need(field.nonneg(rate * size - most), name, "limit: |C|g ≤ μg", most, rate * size)
        of_x, of_y = times(x, r), times(y, r)  # limits of masses over λⁿ: so they are not negative
        need(field.positive(of_x), name, "limit: x·r > 0", of_x)
        need(not of_y or field.positive(of_y), name, "limit: y·r of one sign", of_y)
        return of_x / of_y if of_y else None

    def pump(self, x: Vector, y: Vector, data: Any) -> None:
        """That |xPⁿ|/|yPⁿ| grows without end.

        A multiple of b is at most xPᵐ, and bP ≥ λb; y ≤ c, and cP ≤ μc; λ > μ ≥ 0. Or λ ≥ μ > 0, and there is a ≥ 0, a
        multiple of which is at most xPᵐ, with aP ≥ λa + b: then aPⁿ ≥ nλⁿ⁻¹b.
        """
        name, field, read = self.name, self.model.field, self.model.field.read
        rows = self.along(x, y, data["cycle"])
        b, c = (self.model.vector(data[key], read) for key in ("more", "less"))
        a = self.model.vector(data["feeds"], read) if "feeds" in data else None
        growth, decay, m = read(data["growth"]), read(data["decay"]), data["times"]
        positive = all(field.positive(value) for each in (b, c, a or {}) for value in each.values())
        need(b and positive, name, "pump: some mass that grows, and no negative number")
        need(type(m) is int and 0 <= m <= len(rows) ** 2, name, "pump: a number of rounds, not too large", m)
        more = field.nonneg(decay) and field.positive(growth - decay)
        as_much = a is not None and field.positive(decay) and field.nonneg(growth - decay)
        need(more or as_much, name, "pump: growth", growth, decay)
        need({*b, *c, *(a or {})} <= rows.keys(), name, "pump: states that the words come to")
        reached = {*x}
        for _ in range(m):
            spend(STEP * len(rows))
            reached = {k for i in reached for k in rows[i]}
        need({*(b if a is None else a)} <= reached, name, "pump: states that are reached after so many rounds")
        for belief, extra in ((b, {}), *([(a, b)] if a is not None else [])):
            later = passed(rows, belief)
            for k in {**belief, **extra}:
                goal = growth * belief.get(k, ZERO) + extra.get(k, ZERO)
                need(field.nonneg(later.get(k, ZERO) - goal), name, f"pump: growth at {k}", later.get(k, ZERO), goal)
        for k, share in y.items():
            need(field.nonneg(c.get(k, ZERO) - share), name, f"pump: c ≥ y at {k}", c.get(k, ZERO), share)
        for k, share in passed(rows, c).items():
            goal = decay * c.get(k, ZERO)
            need(field.nonneg(goal - share), name, f"pump: decay at {k}", share, goal)


def times(row: Vector, column: Vector) -> Any:
    """Σ row·column."""
    return sum((p * column[k] for k, p in row.items() if k in column), ZERO)


def passed(rows: Mapping[str, Vector], belief: Vector) -> dict[str, Any]:
    """The belief times P."""
    found: dict[str, Any] = {}
    for i, share in belief.items():
        spend(STEP * len(rows[i]))
        for k, p in rows[i].items():
            found[k] = found.get(k, ZERO) + share * p
    return found


def least_ratio(model: Model, name: str, states: tuple[str, str], proof: Any) -> Any:
    """A ratio of the two states that words reach or come to; None if it grows without end, or has nothing below it."""
    words = Words(model, name)
    if isinstance(proof, list):
        return words.ratio(*(words.follow(state, proof) for state in states))
    kind, known = ("pump", PUMP) if "more" in proof else ("limit", LIMIT)
    keys(proof, name, *known)
    x, y = (words.follow(state, proof["prefix"]) for state in states)
    need(x, name, "a word that the first state shows")
    if kind == "limit":
        return words.limit(x, y, proof)
    words.pump(x, y, proof)
    return None
