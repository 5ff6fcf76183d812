"""Random programs that keep noise: draws, comparisons, hidden flags and letters in any order."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from deltachain import Chain

RATIOS = ("1/3", "1/4", "2/5")
TAIL = "1e-7"


def random_program(rng: Random) -> str:
    """The text of a program of one parameter x, which announces at most four letters."""
    lines = ["c = False", "d = flip('1/3')", f"k = {_noise(rng)}"]
    letters = 0
    for _ in range(rng.randint(3, 7)):
        kind = rng.choice(("compare", "flag", "change", "branch", "announce", "anew", "max", "noise"))
        if kind == "change":
            lines.append(f"k = {rng.choice(CHANGES)}")
        elif kind == "anew":
            lines.append(f"k = {_noise(rng)}")
        elif kind == "max":
            which = rng.choice(("max", "min"))
            lines += [f"z = {_noise(rng)}", f"k = {which}(k, z + {rng.randint(-1, 1)})"]
        elif kind == "flag":
            lines += [f"z = {_noise(rng)}", f"c = {_condition(rng)}"]
        elif kind == "branch":
            lines += [f"z = {_noise(rng)}", f"if {_condition(rng)}:", f"    k = {rng.choice((*CHANGES, 'z'))}"]
            lines += ["else:", f"    c = {rng.choice(('not c', 'd', 'k >= 0', 'z >= k'))}"]
        elif letters < 4:
            letters += 1
            if kind != "announce":
                lines.append(f"z = {_noise(rng)}")
                # At most one announcement of many values: all words are looked at.
                shows = kind == "noise" and not any(shown in line for line in lines for shown in SHOWN)
                lines.append(f"announce({rng.choice(SHOWN) if shows else _condition(rng)})")
            else:
                lines.append(f"announce({rng.choice(('c', 'k >= x', 'c and k >= 1', 'abs(k) <= 1', 'd or k == x'))})")
    lines.append("announce('high' if k >= 1 else 'low')")
    return "def f(x):\n" + "".join(f"    {line}\n" for line in lines)


SHOWN = ("0 + z", "1 - z", "max(-2, min(2, z))", "max(-1, min(1, k))", "z if z >= 0 else 'below'", "z % 2")
CHANGES = ("k + 1", "1 - k", "max(k, -1)", "min(k, 2)", "max(-2, min(1, k))", "abs(k)", "k - x", "k if c else -k")


def _noise(rng: Random) -> str:
    return f"{rng.choice(('x', '-x', '1', '0'))} + geometric('{rng.choice(RATIOS)}', tail='{TAIL}')"


def _condition(rng: Random) -> str:
    simple = [
        f"z >= k + {rng.randint(-1, 1)}",
        f"k > z - {rng.randint(-1, 1)}",
        "z == k",
        "z != 0",
        "abs(z - k) <= 1",
        f"z + k >= {rng.randint(-1, 1)}",
        "2 * z < 2 * k + 1",
        "z >= 0 and z <= 3 - k",
        "c or z > k",
        "not c and z <= k",
        f"k >= {rng.randint(-1, 1)} or z >= 1",
        "(z if d else k) >= x",
    ]
    return rng.choice(simple)


def words(chain: Chain, start: int, most: int = 8) -> Iterator[tuple[str, ...]]:
    """All words from a state, up to the end of the run."""
    stack = [((chain.labels[start],), start)]
    seen = set()
    while stack:
        word, state = stack.pop()
        if (word, state) in seen:
            continue
        seen.add((word, state))
        if word[-1] == "end" or len(word) > most:
            yield word
            continue
        stack.extend(((*word, chain.labels[target]), target) for target, *_ in chain.given[state][0])
