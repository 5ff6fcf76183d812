"""First-order formulas over the reals as data: polynomials, comparisons, ∧, ⇒, ∀.

Free variables are the existential ones: a formula φ stands for "∃ its free variables. φ". Coefficients are exact.
`smtlib` prints formulas, `integers` turns quantifier-free ones into bounded integer constraints.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

Monomial = tuple[str, ...]
"""A product of variables, sorted; the empty one is 1."""

Relation = Literal["<=", "<", "="]


@dataclass(frozen=True, slots=True)
class Polynomial:
    """Σ coefficient · monomial, each monomial once, no coefficient zero, in the order first met.

    >>> x, y = variable("x"), variable("y")
    >>> (2 * x * y + x - x).terms
    ((('x', 'y'), Fraction(2, 1)),)
    """

    terms: tuple[tuple[Monomial, Fraction], ...]

    def __add__(self, other: Polynomial | Fraction | int) -> Polynomial:
        return total((self, other))

    __radd__ = __add__

    def __neg__(self) -> Polynomial:
        return self * -1

    def __sub__(self, other: Polynomial | Fraction | int) -> Polynomial:
        return total((self, other * -1))

    def __rsub__(self, other: Fraction | int) -> Polynomial:
        return total((other, -self))

    def __mul__(self, other: Polynomial | Fraction | int) -> Polynomial:
        if not isinstance(other, Polynomial):
            return Polynomial(tuple((m, c * other) for m, c in self.terms) if other else ())
        products = ((tuple(sorted(m + n)), c * k) for m, c in self.terms for n, k in other.terms)
        return _collected(products)

    __rmul__ = __mul__


def as_polynomial(value: Polynomial | Fraction | int) -> Polynomial:
    """A polynomial as it is, a number as a constant."""
    return value if isinstance(value, Polynomial) else number(value)


def number(value: Fraction | int) -> Polynomial:
    """A constant."""
    return Polynomial((((), Fraction(value)),)) if value else Polynomial(())


def variable(name: str) -> Polynomial:
    """A variable."""
    return Polynomial((((name,), Fraction(1)),))


def total(parts: Iterable[Polynomial | Fraction | int]) -> Polynomial:
    """The sum of all parts, collected once."""
    return _collected(term for part in parts for term in as_polynomial(part).terms)


def _collected(terms: Iterable[tuple[Monomial, Fraction]]) -> Polynomial:
    sums: dict[Monomial, Fraction] = {}
    for monomial, coefficient in terms:
        before = sums.get(monomial)
        sums[monomial] = coefficient if before is None else before + coefficient
    return Polynomial(tuple((monomial, c) for monomial, c in sums.items() if c))


@dataclass(frozen=True, slots=True)
class Compare:
    """left relation right."""

    left: Polynomial
    relation: Relation
    right: Polynomial


@dataclass(frozen=True, slots=True)
class And:
    """All parts hold; true if there are none."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Implies:
    """If the premise holds, so does the conclusion."""

    premise: Formula
    conclusion: Formula


@dataclass(frozen=True, slots=True)
class ForAll:
    """The body holds for all real values of the variables."""

    variables: tuple[str, ...]
    body: Formula


Formula = Compare | And | Implies | ForAll


def at_most(left: Polynomial | Fraction | int, right: Polynomial | Fraction | int) -> Compare:
    """The comparison left ≤ right."""
    return Compare(as_polynomial(left), "<=", as_polynomial(right))


def below(left: Polynomial | Fraction | int, right: Polynomial | Fraction | int) -> Compare:
    """The comparison left < right."""
    return Compare(as_polynomial(left), "<", as_polynomial(right))


def equal(left: Polynomial | Fraction | int, right: Polynomial | Fraction | int) -> Compare:
    """The comparison left = right."""
    return Compare(as_polynomial(left), "=", as_polynomial(right))


def within(low: Fraction | int, middle: Polynomial, high: Fraction | int) -> And:
    """The comparisons low ≤ middle ≤ high."""
    return And((at_most(low, middle), at_most(middle, high)))


def _atoms(formula: Formula) -> Iterator[tuple[Compare, frozenset[str]]]:
    """Every comparison with the variables that are bound around it."""
    stack: list[tuple[Formula, frozenset[str]]] = [(formula, frozenset())]
    while stack:
        part, bound = stack.pop()
        if isinstance(part, Compare):
            yield part, bound
        elif isinstance(part, ForAll):
            stack.append((part.body, bound | set(part.variables)))
        elif isinstance(part, Implies):
            stack += [(part.conclusion, bound), (part.premise, bound)]
        else:
            stack += [(inner, bound) for inner in reversed(part.parts)]


def free_variables(formula: Formula) -> tuple[str, ...]:
    """The variables that no ∀ binds, in the order of their first occurrence."""
    found: dict[str, None] = {}
    for atom, bound in _atoms(formula):
        for side in (atom.left, atom.right):
            for monomial, _ in side.terms:
                found |= dict.fromkeys(name for name in monomial if name not in bound)
    return tuple(found)


def degree(formula: Formula) -> int:
    """The largest number of variables, free or bound, in one product; at most 1 means linear."""
    return max(
        (
            len(monomial)
            for atom, _ in _atoms(formula)
            for side in (atom.left, atom.right)
            for monomial, _ in side.terms
        ),
        default=0,
    )


def is_quantified(formula: Formula) -> bool:
    """Whether a ∀ occurs."""
    if isinstance(formula, ForAll):
        return True
    if isinstance(formula, Implies):
        return is_quantified(formula.premise) or is_quantified(formula.conclusion)
    return not isinstance(formula, Compare) and any(map(is_quantified, formula.parts))
