"""Integers that depend on inputs: whole multiples of inputs, of announced integers and of noise, plus a constant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import gcd

FormParts = tuple[tuple[str, int], ...]
"""Names with their coefficients, none of them 0, in order of the names."""


def _parts(found: Mapping[str, int]) -> FormParts:
    return tuple(sorted((name, c) for name, c in found.items() if c))


def _sum(left: FormParts, right: FormParts, factor: int = 1) -> FormParts:
    found = dict(left)
    for name, c in right:
        found[name] = found.get(name, 0) + factor * c
    return _parts(found)


@dataclass(frozen=True, slots=True)
class Form:
    """Σ c·variable + constant, where a variable is an input or an announced integer."""

    parts: FormParts = ()
    constant: int = 0

    def plus(self, other: Form, factor: int = 1) -> Form:
        """The sum, the other one times a factor."""
        return Form(_sum(self.parts, other.parts, factor), self.constant + factor * other.constant)

    def shift(self, by: int) -> Form:
        """The form plus a number."""
        return Form(self.parts, self.constant + by)

    def negative(self) -> Form:
        """The form times −1."""
        return Form(tuple((name, -c) for name, c in self.parts), -self.constant)

    def at(self, values: Mapping[str, int]) -> int:
        """Its value."""
        return sum(c * values[name] for name, c in self.parts) + self.constant


@dataclass(frozen=True)
class Affine:
    """A form plus whole multiples of noise, which has numbers: a value of a symbolic run."""

    noise: tuple[tuple[int, int], ...]
    """Numbers of noise with their coefficients, none of them 0, in order."""
    form: Form

    def plus(self, other: Affine | int, factor: int = 1) -> Affine:
        """The sum, the other one times a factor."""
        if isinstance(other, int):
            return Affine(self.noise, self.form.shift(factor * other))
        found = dict(self.noise)
        for number, c in other.noise:
            found[number] = found.get(number, 0) + factor * c
        noise = tuple(sorted((number, c) for number, c in found.items() if c))
        return Affine(noise, self.form.plus(other.form, factor))

    def times(self, factor: int) -> Affine | int:
        """The product with a number."""
        if factor == 0:
            return 0
        parts = tuple((name, c * factor) for name, c in self.form.parts)
        return Affine(tuple((n, c * factor) for n, c in self.noise), Form(parts, self.form.constant * factor))

    @cached_property
    def constant(self) -> int | None:
        """Its value, where it depends on nothing."""
        return None if self.noise or self.form.parts else self.form.constant

    @cached_property
    def step(self) -> int:
        """The greatest common divisor of all coefficients."""
        return gcd(*(c for _, c in self.noise), *(c for _, c in self.form.parts))


@dataclass(frozen=True)
class Floored:
    """``whole // divisor`` of an affine integer."""

    whole: Affine
    divisor: int


def solve(rows: list[list[int]], right: list[int]) -> list[int] | None:
    """An integer solution of ``rows · x = right``; None if there is none.

    Columns are combined by Euclid's algorithm until each row has one column of its own (Hermite's form).

    >>> solve([[1, -8]], [5]), solve([[2, 4]], [5])
    ([5, 0], None)
    """
    width = len(rows[0]) if rows else 0
    columns = [[row[j] for row in rows] for j in range(width)]
    back = [[int(i == j) for i in range(width)] for j in range(width)]
    done: list[tuple[int, int]] = []  # row, and the column that leads there
    free = list(range(width))
    for r in range(len(rows)):
        while True:
            candidates = [j for j in free if columns[j][r]]
            if len(candidates) <= 1:
                break
            lead = min(candidates, key=lambda j: (abs(columns[j][r]), j))
            for j in candidates:
                if j != lead:
                    factor = columns[j][r] // columns[lead][r]
                    columns[j] = [a - factor * b for a, b in zip(columns[j], columns[lead], strict=True)]
                    back[j] = [a - factor * b for a, b in zip(back[j], back[lead], strict=True)]
        if candidates:
            done.append((r, candidates[0]))
            free.remove(candidates[0])
    left, found = list(right), [0] * width
    for r, j in done:
        # Columns that lead to later rows are 0 here.
        factor, rest = divmod(left[r], columns[j][r])
        if rest:
            return None
        left = [a - factor * b for a, b in zip(left, columns[j], strict=True)]
        found = [a + factor * b for a, b in zip(found, back[j], strict=True)]
    return found if not any(left) else None
