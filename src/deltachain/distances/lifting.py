"""Sparse linear systems in exact rationals, by p-adic lifting [Dixon 1982].

The matrix is inverted once modulo a prime p. With that inverse, x ≡ A⁻¹b is known modulo p; what is left of the right
side is a multiple of p, and divided by it is the right side of the next digit. A digit costs one product with the
inverse, in machine words, and one with the sparse matrix, in integers that stay short. Once p^k is large enough the
digits determine the rationals: all entries have one denominator, which half an extended Euclidean algorithm finds from
a few of them.

How many digits suffice is not computed beforehand: after every so many, the candidate is put into the equations. What
is returned satisfies them exactly, whatever the primes. It ends, because by Cramer's rule denominators are bounded.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flint import fmpq, fmpq_mat, nmod_mat

from ..cancel import Cancel

PRIMES = (2**61 - 1, 2**61 - 31, 2**61 - 45)
"""Where the matrix is singular modulo all of them, a fourth would hardly help: then the rational solver decides."""
SMALL = 60
"""Up to so many equations the library's own solver is as fast."""
BLOCK = 400
"""Equations per block of the inverse: a product of two blocks takes some hundredths of a second."""
FIRST_DIGITS = 8
GROWTH = 1.25
"""Digits are added by this factor between two candidates, so that at most a quarter of them is too many."""

RationalRows = Sequence[Mapping[int, fmpq]]
"""For each equation, its coefficients by the number of the unknown; zeros are absent."""


class Singular(ArithmeticError):
    """The equations have no solution, or more than one."""


def solve_sparse(rows: RationalRows, right: Sequence[fmpq], cancel: Cancel | None = None) -> list[fmpq]:
    """The exact solution of a square system; raises `Singular` if there is not just one.

    >>> solve_sparse([{0: fmpq(1), 1: fmpq(-1, 2)}, {1: fmpq(3)}], [fmpq(1), fmpq(2)])
    [4/3, 2/3]
    """
    if len(rows) <= SMALL:
        return _solve_densely(rows, right)
    system = _Integers.of(rows, right)
    for prime in PRIMES:
        try:
            inverse = _Inverse(system, prime, cancel)
        except ZeroDivisionError:
            continue  # some minor is a multiple of this prime
        return _lift(system, prime, inverse, cancel)
    return _solve_densely(rows, right)


def _solve_densely(rows: RationalRows, right: Sequence[fmpq]) -> list[fmpq]:
    matrix = fmpq_mat(len(rows), len(rows))
    for r, row in enumerate(rows):
        for c, value in row.items():
            matrix[r, c] = value
    try:
        solution = matrix.solve(fmpq_mat(len(rows), 1, list(right)))
    except ZeroDivisionError:
        raise Singular(f"a singular system of {len(rows)} equations") from None
    return [solution[r, 0] for r in range(len(rows))]


@dataclass(frozen=True)
class _Integers:
    """The system with every equation multiplied by its denominators."""

    rows: list[list[tuple[int, int]]]
    right: list[int]

    @classmethod
    def of(cls, rows: RationalRows, right: Sequence[fmpq]) -> _Integers:
        whole, sides = [], []
        for row, side in zip(rows, right, strict=True):
            scale = math.lcm(int(side.q), *(int(value.q) for value in row.values()))
            whole.append([(c, int(value.p) * (scale // int(value.q))) for c, value in row.items()])
            sides.append(int(side.p) * (scale // int(side.q)))
        return cls(whole, sides)

    def solved_by(self, tops: Sequence[int], bottom: int) -> bool:
        """Whether x = tops/bottom satisfies every equation, exactly."""
        sums = (sum(value * tops[c] for c, value in row) for row in self.rows)
        return all(total == side * bottom for total, side in zip(sums, self.right, strict=True))


class _Inverse:
    """The inverse of a matrix modulo a prime, in square blocks: between two of their products it obeys the cancel.

    Gauss and Jordan's elimination with blocks on the diagonal as pivots. ZeroDivisionError where one is singular. Of
    I − W with a finite value no principal minor is zero, so that happens to unlucky primes and other matrices alone.
    """

    def __init__(self, system: _Integers, prime: int, cancel: Cancel | None) -> None:
        self.prime, self.size = prime, len(system.rows)
        self.starts = range(0, self.size, BLOCK)
        self.blocks = self._fill(system)
        for k in range(len(self.starts)):
            self._eliminate(k, cancel)

    def _width(self, block: int) -> int:
        return min(BLOCK, self.size - self.starts[block])

    def _fill(self, system: _Integers) -> list[list[nmod_mat]]:
        count = range(len(self.starts))
        blocks = [[nmod_mat(self._width(i), self._width(j), self.prime) for j in count] for i in count]
        for r, row in enumerate(system.rows):
            for c, value in row:
                blocks[r // BLOCK][c // BLOCK][r % BLOCK, c % BLOCK] = value % self.prime
        return blocks

    def _eliminate(self, k: int, cancel: Cancel | None) -> None:
        """One step of the elimination, in place: the columns of block k become those of the inverse."""
        blocks = self.blocks
        others = [i for i in range(len(self.starts)) if i != k]
        pivot = blocks[k][k].inv()
        for i in others:
            factor = blocks[i][k] * pivot
            for j in others:
                if cancel is not None:
                    cancel.check()
                blocks[i][j] = blocks[i][j] - factor * blocks[k][j]
            blocks[i][k] = -factor
        for j in others:
            blocks[k][j] = pivot * blocks[k][j]
        blocks[k][k] = pivot

    def times(self, vector: Sequence[int]) -> list[int]:
        """The product with a vector, modulo the prime."""
        parts = []
        for j, start in enumerate(self.starts):
            entries = [value % self.prime for value in vector[start : start + BLOCK]]
            parts.append(nmod_mat(self._width(j), 1, entries, self.prime))
        found: list[int] = []
        for row in self.blocks:
            total = row[0] * parts[0]
            for block, part in zip(row[1:], parts[1:], strict=True):
                total = total + block * part
            found += map(int, total.entries())
        return found


def _lift(system: _Integers, prime: int, inverse: _Inverse, cancel: Cancel | None) -> list[fmpq]:
    """Digit after digit, until the rationals that they determine satisfy the equations."""
    count = len(system.rows)
    left, known, power = list(system.right), [0] * count, 1
    digits, goal = 0, FIRST_DIGITS
    while True:
        places: list[list[int]] = []
        while digits < goal:
            digit = inverse.times(left)
            # The division is exact: the digit solves the equations modulo the prime.
            left = [
                (value - sum(a * digit[c] for c, a in row)) // prime
                for value, row in zip(left, system.rows, strict=True)
            ]
            places.append(digit)
            digits += 1
            if cancel is not None:
                cancel.check()
        # Horner's rule over the new digits, then once for what was known before: few products of long numbers.
        fresh = places.pop()
        while places:
            fresh = [low + prime * high for low, high in zip(places.pop(), fresh, strict=True)]
        known = [low + power * high for low, high in zip(known, fresh, strict=True)]
        power = prime**digits
        if cancel is not None:
            cancel.report(f"exact: {count} equations, {power.bit_length()} bits of their solution")
        found = _as_fractions(known, power)
        if found is not None and system.solved_by(*found):
            tops, bottom = found
            return [fmpq(top, bottom) for top in tops]
        goal = max(goal + 1, int(goal * GROWTH))


def _as_fractions(residues: Sequence[int], modulus: int) -> tuple[list[int], int] | None:
    """Short fractions with one denominator, equal to the residues modulo the modulus; None if some are not short."""
    # Two fractions with both parts at most √(modulus/2) and equal residues are equal: there is one candidate at most.
    most = math.isqrt(modulus // 2)
    tops: list[int] = []
    bottom = 1
    for residue in residues:
        scaled = residue * bottom % modulus
        if scaled > modulus // 2:
            scaled -= modulus
        if abs(scaled) > most:
            # Another denominator: half of Euclid's algorithm on (modulus, scaled).
            top, more = _short_fraction(scaled % modulus, modulus, most)
            bottom *= more
            if bottom > most:
                return None
            tops = [value * more for value in tops]
            scaled = top
        tops.append(scaled)
    return tops, bottom


def _short_fraction(residue: int, modulus: int, most: int) -> tuple[int, int]:
    """The (top, bottom) with top ≡ bottom·residue, |top| ≤ most, where Euclid's remainders first get so small."""
    before, now, past, here = modulus, residue, 0, 1
    while now > most:
        factor = before // now
        before, now = now, before - factor * now
        past, here = here, past - factor * here
    return (now, here) if here > 0 else (-now, -here)
