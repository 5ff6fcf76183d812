"""Random programs that announce multiples, quotients and roundings of noise, and their δ by enumerating the noise.

A program is run as plain Python for every outcome of its noise up to a cut. What is beyond the cut has a known mass, so
that δ lies in an interval: each word has at least the probability that was found, and what is missing belongs to words
nobody knows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from random import Random

RATIOS = {"1/3": 9, "1/4": 7, "1/8": 5}
"""The ratios of noise, and how far it is followed."""

_LAST = ("c", "flip('1/4') if c else 0", "c and x == 1")
_SUMS = ("x + z", "z - x", "x - z", "2 * x + z", "z", "z + c", "1 - z", "3 * x - z")


def random_program(rng: Random) -> str:
    """The text of a program of one parameter x, which announces noise at one or two places."""
    lines = ["c = flip('1/3')"] if rng.random() < 0.6 else ["c = 0"]
    for _ in range(rng.choice((1, 1, 2))):
        lines.append(f"z = geometric('{rng.choice(tuple(RATIOS))}', tail='1e-6')")
        lines += _announcement(rng)
    if rng.random() < 0.4:
        lines.append(f"announce({rng.choice(_LAST)})")
    return "def f(x):\n" + "".join(f"    {line}\n" for line in lines)


def _announcement(rng: Random) -> list[str]:
    one, other = _shown(rng), _shown(rng)
    kind = rng.random()
    if kind < 0.6:
        return [f"announce({one})"]
    if kind < 0.75:
        return [f"announce({one} if {rng.choice(('z > 0', 'z >= -1', 'z < 2'))} else {rng.choice((other, '7', 'c'))})"]
    if kind < 0.9:
        return [f"if {rng.choice(('c', 'x == 1'))}:", f"    announce({one})", "else:", f"    announce({other})"]
    return [f"if {rng.choice(('z > 1', 'c'))}:", f"    announce({rng.choice(('4', 'x'))})", f"announce({one})"]


def _shown(rng: Random) -> str:
    total, q, k = rng.choice(_SUMS), rng.choice((2, 3, 4, -2)), rng.choice((2, 3, -2))
    return rng.choice(
        (
            f"({total}) // {q}",
            f"{k} * ({total})",
            f"{q} * (({total}) // {q})",
            f"({total}) // {q} * {k} + {rng.choice((0, 1, 'x'))}",
            f"{rng.choice((1, 'x'))} - ({total}) // {q}",
            f"({total}) - ({total}) % {q}",
            f"(({total}) // {q} + x) // 2",
            f"max({rng.randint(-1, 1)}, {k} * (({total}) // {q}))",
            f"min(2, ({total}) // {q}) - x",
            f"({total}) // {q} >= {rng.randint(-1, 2)}",
            f"abs({total}) // {q}",
            f"({total})",
        )
    )


_READ = ("a", "a + b", "a - b", "b", "a + 2 * b", "2 * a + b", "b - 3 * a", "a + x", "x - a", "a // 2", "(a + b) // 2")
_READ += ("b + s", "s", "a if x else b", "a + b if c else b", "max(a, b)", "a >= 1", "'3'", "c", "5", "(a, b)", "a % 2")
_SHIFTS = (("x", "0"), ("0", "x"), ("x", "x"), ("x", "-x"), ("0", "1"), ("2 * x", "0"))


def random_rereading(rng: Random) -> str:
    """The text of a program of one parameter x that announces two or three noises and what is computed from them."""
    ratios = [rng.choice(("1/4", "1/8")) for _ in range(2)]
    shifts = zip(rng.choice(_SHIFTS), ratios, strict=True)
    one, other = (f"{shift} + geometric('{ratio}', tail='1e-6')" for shift, ratio in shifts)
    lines = ["c = flip('1/3')" if rng.random() < 0.2 else "c = 0", f"a = {one}", "s = a"]
    late = rng.random() < 0.8
    if not late:
        lines.append(f"b = {other}")
    lines.append(f"announce({rng.choice(('a', 'a', 'a', 'x - a', '2 * a', 'a // 2', 'a + 1 if x else a'))})")
    if late:
        lines.append(f"b = {other}")
    for _ in range(rng.randint(1, 3)):
        shown = rng.choice(_READ[:8] if rng.random() < 0.7 else _READ)
        kind = rng.random()
        if kind < 0.7:
            lines.append(f"announce({shown})")
        elif kind < 0.8:
            lines += [f"s += {rng.choice(('b', 'x', '1'))}", "announce(s)"]
        elif kind < 0.9:
            lines += [f"if {rng.choice(('c', 'x == 1'))}:", f"    announce({shown})"]
            lines += ["else:", f"    announce({rng.choice(_READ)})"]
        else:
            lines += [
                f"if {rng.choice(('c', 'x == 1'))}:",
                f"    announce({rng.choice(('4', chr(39) + 'y' + chr(39)))})",
            ]
    return "def f(x):\n" + "".join(f"    {line}\n" for line in lines)


Words = dict[tuple[str, ...], Fraction]
Found = tuple[Words, Fraction]
"""Words with their probabilities, and what is missing."""


def words(text: str, x: int, ratios: Sequence[str]) -> Found:
    """Each word's probability as far as the noise is followed, and what is missing; the draws have these ratios."""
    found: Words = {}
    laws = [_law(Fraction(ratio), RATIOS[ratio]) for ratio in ratios]
    letters: list[str] = []
    outcomes: list[int] = []
    coins: list[bool] = []
    chances: list[Fraction] = []

    def flip(p: object) -> bool:
        chances.append(Fraction(p) if coins[len(chances)] else 1 - Fraction(p))  # type: ignore[arg-type]
        return coins[len(chances) - 1]

    names: dict[str, object] = {
        "flip": flip,
        "geometric": lambda *_, **__: outcomes.pop(0),
        "announce": lambda value: letters.append(str(value)),
    }
    exec(text, names)  # noqa: S102  (the text is that of a random program)
    run: Callable[[int], None] = names["f"]  # type: ignore[assignment]
    flips = text.count("flip(")
    for drawn in product(*laws):
        weight = Fraction(1)
        for law, z in zip(laws, drawn, strict=True):
            weight *= law[z]
        for tossed in product((True, False), repeat=flips):
            outcomes[:], coins[:], letters[:], chances[:] = drawn, tossed, [], []
            run(x)
            # A coin that was not tossed is counted once.
            if all(tossed[len(chances) :]):
                word, chance = tuple(letters), weight
                for part in chances:
                    chance *= part
                found[word] = found.get(word, Fraction(0)) + chance
    return found, 1 - sum(found.values())


def delta_between(
    one: tuple[Words, Fraction], other: tuple[Words, Fraction], alpha: Fraction
) -> tuple[Fraction, Fraction]:
    """Numbers that δ = Σ max(0, P(w) − αQ(w)) lies between."""
    (p, p_missing), (q, q_missing) = one, other
    seen = sum((max(Fraction(0), mass - alpha * q.get(word, Fraction(0))) for word, mass in p.items()), Fraction(0))
    return seen - alpha * q_missing, seen + p_missing


def _law(ratio: Fraction, cut: int) -> dict[int, Fraction]:
    """Two-sided geometric noise, up to the cut."""
    return {z: (1 - ratio) / (1 + ratio) * ratio ** abs(z) for z in range(-cut, cut + 1)}
