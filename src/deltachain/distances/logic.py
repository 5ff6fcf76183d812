"""Tests that attain a distance's step: formulas of a quantitative logic, and how they are found.

The step of a pair (s, t) is the largest Σ f_i (x_i − α y_i) over admissible f [CMP18, Def. 10]. Read f as a *test*: one
more letter is read, and in the state i the run is accepted with probability f_i. A *formula* says f without naming
states, where it can:

    φ ::= c | after φ | on letters φ_a, φ_b, … | max φ, ψ, … | min φ, ψ, … | a·φ + c cut to [0, 1] | in states c_i, …

Its value at a state i is a number in [0, 1]; ``after φ`` is Σ_k μ_i(k) φ(k).

Where f differs on states i, j of one letter, a test of the pair (i, j) tells them apart. If φ is one, with the values
u at i and w at j, then ψ_ij = min(f_i, a·φ + c) with a = (f_i − f_j)/(u − w) and c = f_i − a·u has the value f_i at i,
f_j at j, and at most f_i elsewhere; so max_i min_j ψ_ij, j over the states with f_j < f_i, is f on the states at hand.
Where (i, j) has distance 0, or the depth is used up, states are named: no observer can run such a test, and there the
distance may exceed δ. A test without named states, minima and maxima is an event of letters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..model import Chain
from ..numbers.field import Exact

ZERO, ONE = Fraction(0), Fraction(1)

MOST_PARTS = 400
"""Parts of a formula; beyond, states are named."""

NumberText = Callable[[Exact], str]


@dataclass(frozen=True)
class QuantitativeFormula:
    """A formula, with its value at each state; see the kinds below."""

    def at(self, chain: Chain, state: int) -> Exact:
        """The value at a state."""
        raise NotImplementedError

    def lines(self, chain: Chain, number: NumberText) -> list[str]:
        """The formula in words, one part per line."""
        raise NotImplementedError

    @property
    def of_letters(self) -> bool:
        """Whether it looks at letters alone, so that an observer can run it: an event."""
        return all(part.of_letters for part in self.parts)

    @property
    def parts(self) -> Sequence[QuantitativeFormula]:
        """What it is made of."""
        return ()

    @property
    def size(self) -> int:
        """The number of its parts, itself included."""
        return 1 + sum(part.size for part in self.parts)


@dataclass(frozen=True)
class AcceptWith(QuantitativeFormula):
    """Accept with a fixed probability."""

    value: Exact

    def at(self, chain: Chain, state: int) -> Exact:
        """The same everywhere."""
        del chain, state
        return self.value

    def lines(self, chain: Chain, number: NumberText) -> list[str]:
        """Never, always, or with which probability."""
        del chain
        return ["reject" if self.value == 0 else "accept" if self.value == 1 else f"accept with {number(self.value)}"]


@dataclass(frozen=True)
class After(QuantitativeFormula):
    """Read one more letter, then go on."""

    body: QuantitativeFormula
    input: str | None = None

    def at(self, chain: Chain, state: int) -> Exact:
        """The mean over the successors."""
        found: Exact = ZERO
        for target, p in chain.points_of(state, self.input):
            found = found + p * self.body.at(chain, target)
        return found

    def lines(self, chain: Chain, number: NumberText) -> list[str]:
        """With the input that is given first."""
        asked = "" if self.input is None else f"give the input {self.input!r}, and "
        return [f"{asked}read the next letter:", *_indent(self.body.lines(chain, number))]

    @property
    def parts(self) -> Sequence[QuantitativeFormula]:
        """What follows."""
        return (self.body,)


@dataclass(frozen=True)
class OnLetters(QuantitativeFormula):
    """Go on as the letter says; reject any other."""

    cases: Mapping[str, QuantitativeFormula]

    def at(self, chain: Chain, state: int) -> Exact:
        """That of the state's letter."""
        case = self.cases.get(chain.labels[state])
        return ZERO if case is None else case.at(chain, state)

    def lines(self, chain: Chain, number: NumberText) -> list[str]:
        """A line, or more, for each letter."""
        found = []
        for label, case in self.cases.items():
            first, *more = case.lines(chain, number)
            found += [f"{label!r}: {first}", *_indent(more)]
        return found

    @property
    def parts(self) -> Sequence[QuantitativeFormula]:
        """One for each letter."""
        return tuple(self.cases.values())

    def __hash__(self) -> int:
        return hash(tuple(self.cases.items()))


@dataclass(frozen=True)
class Extreme(QuantitativeFormula):
    """The largest of some formulas, or the least."""

    largest: bool
    of: tuple[QuantitativeFormula, ...]

    def at(self, chain: Chain, state: int) -> Exact:
        """The largest or least value at the state."""
        values = [part.at(chain, state) for part in self.of]
        return max(values) if self.largest else min(values)

    def lines(self, chain: Chain, number: NumberText) -> list[str]:
        """The parts, below what is taken of them."""
        found = [f"the {'most' if self.largest else 'least'} that one of these says:"]
        for part in self.of:
            first, *more = part.lines(chain, number)
            found += [f"- {first}", *_indent(more)]
        return found

    @property
    def of_letters(self) -> bool:
        """No: it looks into the states, since letters alone do not tell which of them is larger."""
        return False

    @property
    def parts(self) -> Sequence[QuantitativeFormula]:
        """The formulas."""
        return self.of


@dataclass(frozen=True)
class Rescaled(QuantitativeFormula):
    """a·φ + c, cut to [0, most]."""

    factor: Exact
    constant: Exact
    most: Exact
    body: QuantitativeFormula

    def at(self, chain: Chain, state: int) -> Exact:
        """Between 0 and ``most``."""
        return max(ZERO, min(self.most, self.factor * self.body.at(chain, state) + self.constant))

    def lines(self, chain: Chain, number: NumberText) -> list[str]:
        """With its constants, then the formula."""
        size = -self.constant if self.constant < 0 else self.constant
        shift = f" {'−' if self.constant < 0 else '+'} {number(size)}" if self.constant else ""
        scale = f"{number(self.factor)} · T{shift}, from 0 to {number(self.most)}, where T is to"
        return [scale, *_indent(self.body.lines(chain, number))]

    @property
    def of_letters(self) -> bool:
        """No: a number that is cut off is not the probability of an event."""
        return False

    @property
    def parts(self) -> Sequence[QuantitativeFormula]:
        """The formula."""
        return (self.body,)


@dataclass(frozen=True)
class InStates(QuantitativeFormula):
    """Accept by the hidden state."""

    values: Mapping[int, Exact]

    def at(self, chain: Chain, state: int) -> Exact:
        """As it says; 0 for states that it does not name."""
        del chain
        return self.values.get(state, ZERO)

    def lines(self, chain: Chain, number: NumberText) -> list[str]:
        """The states by name."""
        return [
            "by the hidden state: "
            + ", ".join(f"{chain.states[state]} with {number(value)}" for state, value in self.values.items())
        ]

    @property
    def of_letters(self) -> bool:
        """No."""
        return False

    def __hash__(self) -> int:
        return hash(tuple(self.values.items()))


def _indent(lines: Sequence[str]) -> list[str]:
    return [f"  {line}" for line in lines]


@dataclass(frozen=True)
class BestTest:
    """What is known of one pair's step: whom it tells from whom, and an optimal f on the states that count."""

    pair: tuple[int, int]
    input: str | None
    f: Mapping[int, Exact]


def best_formula(
    chain: Chain, pair: tuple[int, int], best: Callable[[tuple[int, int]], BestTest | None], depth: int
) -> QuantitativeFormula:
    """A formula whose value at s less α times that at t is the step of the pair, for ``best`` of each pair.

    ``best`` says the optimal f of a pair, either way round; None where the distance is 0.
    """
    left = [MOST_PARTS]

    def formula(test: BestTest, depth: int) -> QuantitativeFormula:
        by_letter: dict[str, dict[int, Exact]] = {}
        for state, value in test.f.items():
            by_letter.setdefault(chain.labels[state], {})[state] = value
        cases = {label: on_states(values, depth) for label, values in sorted(by_letter.items())}
        return After(OnLetters(cases), test.input)

    def on_states(values: dict[int, Exact], depth: int) -> QuantitativeFormula:
        left[0] -= 1
        least = min(values.values())
        if all(value == least for value in values.values()):
            return AcceptWith(least)
        if depth <= 1:
            return InStates(values)
        parts: list[QuantitativeFormula] = [AcceptWith(least)] if least else []
        for i, high in values.items():
            lower = [separate(i, j, high, low, depth - 1) for j, low in values.items() if low < high]
            known = [part for part in lower if part is not None]
            if len(known) < len(lower):
                return InStates(values)
            if known:
                parts.append(known[0] if len(known) == 1 else Extreme(largest=False, of=tuple(dict.fromkeys(known))))
        parts = list(dict.fromkeys(parts))
        return parts[0] if len(parts) == 1 else Extreme(largest=True, of=tuple(parts))

    def separate(i: int, j: int, high: Exact, low: Exact, depth: int) -> QuantitativeFormula | None:
        """A formula of the value ``high`` at i, ``low`` at j, and at most ``high`` elsewhere."""
        test = best((i, j)) if left[0] > 0 else None
        if test is None:
            return None
        body = formula(test, depth)
        u, w = body.at(chain, i), body.at(chain, j)
        factor = (high - low) / (u - w)
        return Rescaled(factor, high - factor * u, high, body)

    test = best(pair)
    return AcceptWith(ZERO) if test is None else formula(test, depth)
