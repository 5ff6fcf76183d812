"""Random programs with real noise, against rational stand-ins: exact rows at X = 2, unbounded noise clamped far out."""

from __future__ import annotations

from random import Random
from typing import Any

from deltachain import delta, verify
from tests.fuzz.driver import FuzzClass
from tests.reference.stand_ins import check_stand_in, check_unbounded

Case = dict[str, Any]


class _Writer:
    """Writes one program, line by line; Z() stands for unbounded noise, fractions in quotes for functions of e."""

    def __init__(self, random: Random, unbounded: bool) -> None:
        self.random, self.unbounded = random, unbounded

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def noise(self) -> str:
        if self.unbounded:
            return "Z()"
        ratio = self.pick("'1/2'", "'1/3'", "'2/3'")
        low = self.random.randint(-4, 0)
        clamped = f"geometric({ratio}, {low}, {low + self.random.randint(0, 5)})"
        return self.pick(clamped, clamped, f"flip({ratio})", f"choose((0, 2, 5), weights=(1, {ratio}, '3/4'))")

    def number(self, depth: int = 2) -> str:
        if depth == 0:
            return self.pick("x", "a", str(self.random.randint(-3, 3)), self.noise())
        one, other = self.number(depth - 1), self.number(depth - 1)
        return self.pick(
            one,
            f"({one} + {other})",
            f"({one} - {other})",
            f"({one}) % {self.random.randint(2, 5)}",
            f"max({self.random.randint(-3, 0)}, min({self.random.randint(1, 4)}, {one}))",
            f"abs({one})",
            f"({one} if {self.test(depth - 1)} else {other})",
            f"-({one})",
        )

    def test(self, depth: int = 1) -> str:
        one, other = self.number(depth), self.number(0)
        return self.pick(
            f"{one} > {other}",
            f"{one} >= {other}",
            f"{one} == {other}",
            f"not {one} < {other}",
            f"-2 <= {one} < 3",
            f"({one} > 0 or {other} != 1)",
        )

    def line(self) -> str:
        small = f"max(-4, min(4, {self.number()}))"
        ratio = self.pick("'1/2'", "'1/4'", "'3/4'")
        return self.pick(
            f"announce({self.number(1)})",
            f"announce('up' if {self.test()} else 'down')",
            f"a = {small}",
            f"a = a + ({self.test()})",
            f"if {self.test()}:\n        announce({small})\n    else:\n        a = {small}",
            f"for _ in range(2):\n        a = max(-3, min(3, a + {self.noise()}))",
            f"while {self.test()}:\n        a = min(a + 1, 3)\n        if a > 2:\n            break",
            f"while flip({ratio}):\n        a = max(-3, min(3, 1 - a))",
        )


def noisy_case(random: Random) -> Case:
    """A program of a few lines."""
    unbounded = random.random() < 0.5
    writer = _Writer(random, unbounded)
    lines = [writer.line() for _ in range(random.randint(1, 2 if unbounded else 4))]
    body = "".join(f"    {line}\n" for line in ["a = 0", *lines, f"announce({writer.pick('a', 'a > 0')})"])
    return {"text": f"def f(x):\n{body}", "unbounded": unbounded}


def check_noisy(case: Case) -> str:
    """Raises where the compiler and the stand-in disagree."""
    secrets: list[dict[str, object]] = [{"x": 0}, {"x": 2}]
    if case["text"].count("Z()") > 3:
        return "too much noise"
    if case["unbounded"]:
        check_unbounded(case["text"], secrets, 3)
        return "agreed, unbounded"
    chain = check_stand_in(case["text"], secrets)
    # A compiler that is right is half of it: the answer's proof must stand, too.
    found = delta(chain, 0, 1, epsilon="1/2", max_nodes=2_000)
    verify(chain, found.certificate)
    return "agreed, exact"


CASES = [FuzzClass("real noise", noisy_case, check_noisy)]
