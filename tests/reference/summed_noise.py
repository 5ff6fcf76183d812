"""Random programs that add noise up, round, compare and announce it; their words by enumerating the noise.

As `announced_noise`, whose enumeration runs them. All draws stand at the top level, so that each run makes all of them.
"""

from __future__ import annotations

from random import Random

_RATIOS = ("1/4", "1/8")


def random_sums(rng: Random) -> str:
    """The text of a program of one parameter x with two or three draws, which announces sums of them."""
    lines = ["c = flip('1/3')" if rng.random() < 0.4 else "c = 0"]
    count = rng.choice((2, 2, 2, 3))
    known: list[str] = []
    for number in range(count):
        # Three draws are enumerated in 4,913 runs at most.
        ratio = rng.choice(_RATIOS) if count == 2 else "1/8"
        name = f"z{number}"
        shift = rng.choice(("0", "x", "x", "-x", "1", "c", "(x if c else 0)"))
        lines.append(f"{name} = {shift} + geometric('{ratio}', tail='1e-6')")
        if known and rng.random() < 0.6:
            lines.append(f"{rng.choice(known)} {rng.choice(('+=', '-='))} {name}")
        known.append(name)
        if rng.random() < 0.3:
            lines.append(f"c = {_condition(rng, known)}")
        if rng.random() < 0.3:
            lines.append(f"announce({_condition(rng, known)})")
        if rng.random() < 0.15:
            lines.append(f"announce({rng.choice(known)})")
    for _ in range(rng.randint(1, 2)):
        lines += _shown(rng, known)
    return "def f(x):\n" + "".join(f"    {line}\n" for line in lines)


def _sum(rng: Random, known: list[str]) -> str:
    parts = rng.sample(known, rng.randint(1, len(known)))
    text = parts[0] + "".join(f" {rng.choice('+-')} {part}" for part in parts[1:])
    kind = rng.random()
    if kind < 0.6:
        return text
    if kind < 0.7:
        return f"{rng.choice((2, -1, 3))} * ({text}) + {rng.choice((0, 1, 'x'))}"
    if kind < 0.85:
        return rng.choice(("({}) // 2", "({} + x) // 3", "1 - ({}) // 3", "2 * (({}) // 2)", "({}) // -2")).format(text)
    return f"1 - ({text})"


def _condition(rng: Random, known: list[str]) -> str:
    if len(known) > 1 and rng.random() < 0.5:
        one, other = rng.sample(known, 2)
        return f"{one} {rng.choice(('>=', '<', '=='))} {other} + {rng.randint(-1, 1)}"
    return f"{_sum(rng, known)} {rng.choice(('>=', '<'))} {rng.randint(-1, 2)}"


def _shown(rng: Random, known: list[str]) -> list[str]:
    shown = _sum(rng, known)
    kind = rng.random()
    if kind < 0.45:
        return [f"announce({shown})"]
    if kind < 0.6:
        return [f"if {_condition(rng, known)}:", f"    announce({shown})", "else:", f"    announce({_sum(rng, known)})"]
    if kind < 0.75:
        return [f"if {rng.choice(('c', _condition(rng, known)))}:", f"    announce({shown})"]
    if kind < 0.85:
        return [f"announce(max({shown}, {rng.randint(-1, 1)}))"]
    return [f"announce({_condition(rng, known)})", f"announce({rng.choice((shown, 'c'))})"]
