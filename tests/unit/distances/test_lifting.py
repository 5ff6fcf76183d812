"""Exact linear systems by p-adic lifting, against the library's own solver."""

from __future__ import annotations

from random import Random

import pytest
from flint import fmpq

from deltachain.cancel import Cancel
from deltachain.distances import lifting
from deltachain.distances.lifting import Singular, solve_sparse
from deltachain.errors import Stopped

System = tuple[list[dict[int, fmpq]], list[fmpq]]


def system(seed: int, size: int, parts: int) -> System:
    """I − W with a few weights in each row, which need not be a contraction."""
    random = Random(seed)
    rows: list[dict[int, fmpq]] = []
    for i in range(size):
        row = {i: fmpq(1)}
        for _ in range(random.randint(0, 5)):
            j = random.randrange(size)
            row[j] = row.get(j, fmpq(0)) - fmpq(random.randint(1, parts), parts)
        rows.append({j: value for j, value in row.items() if value})
    return rows, [fmpq(random.randint(0, parts), random.randint(1, parts)) for _ in range(size)]


@pytest.mark.sample(15)
@pytest.mark.parametrize("seed", range(40))
def test_it_is_what_elimination_finds(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(seed)
    rows, right = system(seed, random.randint(1, 70), random.choice([2, 7, 10, 1000, 10**12]))
    monkeypatch.setattr(lifting, "SMALL", 0)
    monkeypatch.setattr(lifting, "BLOCK", random.choice([1, 7, 32, 400]))
    try:
        wanted = lifting._solve_densely(rows, right)
    except Singular:
        with pytest.raises(Singular, match="singular system of"):
            solve_sparse(rows, right)
        return
    assert solve_sparse(rows, right) == wanted


def test_a_prime_that_divides_the_determinant_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifting, "SMALL", 0)
    first, second, third = lifting.PRIMES
    for factor in (first, first * second, first * second * third):
        rows = [{0: fmpq(factor), 1: fmpq(1)}, {1: fmpq(2)}]
        assert solve_sparse(rows, [fmpq(1), fmpq(1)]) == [fmpq(1, 2 * factor), fmpq(1, 2)]


def test_the_inverse_obeys_the_cancel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the first digit, which is when the first report comes."""
    monkeypatch.setattr(lifting, "BLOCK", 16)
    rows, right = system(1, 80, 10)
    cancel = Cancel(report=lambda _: pytest.fail("too late"))
    cancel.interrupt()
    with pytest.raises(Stopped, match="interrupted"):
        lifting._Inverse(lifting._Integers.of(rows, right), lifting.PRIMES[0], cancel)


def test_it_obeys_the_cancel_between_digits() -> None:
    rows, right = system(1, 80, 10**12)
    cancel = Cancel(report=lambda _: cancel.interrupt())
    with pytest.raises(Stopped, match="interrupted"):
        solve_sparse(rows, right, cancel)
