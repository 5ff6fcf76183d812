"""Random programs that announce noise and compare it later; their words by enumerating the noise.

As `announced_noise`, whose enumeration runs them. All draws have one ratio, so that a run may leave some of them out.
"""

from __future__ import annotations

from random import Random

_NOISE = "geometric('1/8', tail='1e-6')"
_SHIFTS = ("0", "x", "x", "-x", "1", "(x if c else 0)")


def random_deferring(rng: Random) -> str:
    """The text of a program of one parameter x with two or three draws, which announces one and compares it later."""
    lines = ["c = flip('1/3')" if rng.random() < 0.35 else "c = 0", f"a = {rng.choice(_SHIFTS)} + {_NOISE}"]
    if rng.random() < 0.15:
        lines.append(f"a = {rng.choice(('max(a, -1)', 'min(a, 1)', 'abs(a)'))}")
    # What may stand before it for one input, and after it for the other.
    aside = rng.choice((None, None, None, "x", "not x", "c", "True"))
    if aside:
        lines += [f"if {aside}:", "    announce('m')"]
    shown = rng.choice(("a", "a", "a", "a", "x - a", "2 * a", "a + 1", "(a if c else 1)", "(a if x else 0)"))
    lines.append(f"announce({shown})" if rng.random() < 0.92 else "if c:\n        announce(a)")
    if aside and rng.random() < 0.7:
        lines += [f"if not ({aside}):", "    announce('m')"]
    if rng.random() < 0.25:
        # More announcements, each compared with known numbers.
        lines += _known(rng, "a")
        lines += [f"b = {rng.choice(_SHIFTS)} + {_NOISE}", "announce(b)", *_known(rng, "b")]
    for _ in range(rng.choice((1, 1, 2))):
        lines += _round(rng)
    if rng.random() < 0.4:
        last = ("c", "a >= 1", "'done'", f"x + {_NOISE}", "a", "max(a, 0)", "'odd' if x else 'done'")
        lines.append(f"announce({rng.choice(last)})")
    return "def f(x):\n" + "".join(f"    {line}\n" for line in lines)


def _round(rng: Random) -> list[str]:
    lines = []
    if rng.random() < 0.7:
        lines.append(f"z = {rng.choice(_SHIFTS)} + {_NOISE}")
        compared = rng.choice(("z >= a", "z > a + 1", "a > z", "a == z", "z + x >= a", "z >= 2 * a", "a + z >= 1"))
    else:
        compared = rng.choice(("a >= 1", "a < x", "a == 0", "a > 0 and c", "a >= 1 or x"))
    kind = rng.random()
    if kind < 0.4:
        return [*lines, f"announce('p' if {compared} else 'q')"]
    if kind < 0.6:
        return [*lines, f"if {compared}:", "    announce('stop')", "    return", "announce('on')"]
    if kind < 0.7:
        return [*lines, f"if {compared}:", "    return"]
    if kind < 0.85:
        return [*lines, f"c = {compared}"]
    if kind < 0.93:
        return [*lines, f"if {rng.choice(('c', 'x'))}:", f"    announce('p' if {compared} else 'q')"]
    return [*lines, f"if {compared}:", "    announce('p')", "    announce('r')"]


def _known(rng: Random, name: str) -> list[str]:
    compared = f"{name} {rng.choice(('>=', '<', '=='))} {rng.choice(('1', '0', 'x', '2', '-1'))}"
    kind = rng.random()
    if kind < 0.3:
        return [f"announce({rng.choice((f'max(-1, min(1, {name}))', f'abs({name}) >= 1', f'{name} // 2 >= 0'))})"]
    if kind < 0.6:
        return [f"if {compared}:", "    announce('far')", "    return"]
    if kind < 0.8:
        return [f"c = {compared}"]
    return [f"announce('near' if {compared} else 'far')"]
