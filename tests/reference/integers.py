"""Programs of integer inputs, slowly: every run with noise in a window, one by one.

A program is text that Python itself runs here, with draws that are scripted: no code of ours reads it. Noise beyond the
window is left out, which makes every probability too small by at most what is outside.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

Word = tuple[Any, ...]


class OutOfScript(Exception):
    """A draw after the last one that is scripted."""

    def __init__(self, weights: Mapping[int, Fraction]) -> None:
        super().__init__()
        self.weights = weights


def probabilities(
    text: str, arguments: Mapping[str, Any], window: int, ratios: Callable[[Any], Fraction]
) -> dict[Word, Fraction]:
    """The probability of each word, runs with noise beyond the window left out."""
    found: dict[Word, Fraction] = {}
    pending: list[tuple[tuple[int, ...], Fraction]] = [((), Fraction(1))]
    source = compile(text, "<reference>", "exec")
    while pending:
        script, weight = pending.pop()
        letters: list[Any] = []
        left = list(script)

        def drawn(weights: Mapping[int, Fraction], left: list[int] = left) -> int:
            if not left:
                raise OutOfScript(weights)
            return left.pop(0)

        def geometric(ratio: Any) -> int:
            r = ratios(ratio)
            return drawn({z: (1 - r) / (1 + r) * r ** abs(z) for z in range(-window, window + 1)})

        def flip(p: Any) -> bool:
            chance = Fraction(p)
            return bool(drawn({1: chance, 0: 1 - chance}))

        names: dict[str, Any] = {"geometric": geometric, "flip": flip, "announce": letters.append}
        exec(source, names)  # noqa: S102 - a program that the test wrote
        function = next(value for name, value in names.items() if name == "program")
        try:
            function(**arguments)
        except OutOfScript as open_draw:
            pending += [((*script, value), weight * w) for value, w in open_draw.weights.items() if w]
            continue
        word = tuple(letters)
        found[word] = found.get(word, Fraction(0)) + weight
    return found


def random_program(rng: random.Random) -> tuple[str, int]:
    """A program of the class at random, with the length of its input ``q``: a bar, comparisons, announcements."""
    n = rng.choice((1, 1, 2, 2, 2))
    noise = ["geometric(u)", "geometric(u * u)"]
    lines = ["def program(q, u):"]
    kind = rng.choice(("bar", "bar", "max", "sums", "fixed"))
    if kind == "bar":
        lines.append(f"    bar = {rng.choice(noise)} + {rng.randint(-2, 2)}")
        stop, comparison = rng.random() < 0.5, rng.choice((">=", ">", "<", "<="))
        gap = rng.random() < 0.25
        lines.append("    for x in q:")
        lines.append(f"        z = x + {rng.choice(['0', *noise, *noise])} + {rng.randint(-1, 1)}")
        lines.append(f"        if z {comparison} bar:")
        lines.append("            announce(z - bar)" if gap else "            announce('yes')")
        lines.append("            return" if stop else "            continue")
        lines.append("        announce('no')")
    elif kind == "max":
        lines.append(f"    best = q[0] + {rng.choice(noise)}")
        lines.append("    index = 0")
        lines.append("    for i in range(1, len(q)):")
        lines.append(f"        z = q[i] + {rng.choice(noise)}")
        lines.append(f"        if z {rng.choice(('>', '>='))} best:")
        lines.append("            best = z")
        lines.append("            index = i")
        lines.append("    announce(index)")
        if rng.random() < 0.3:
            lines.append("    announce(best)")
    elif kind == "sums":
        lines.append("    total = 0")
        lines.append("    for x in q:")
        lines.append(f"        total = total + {rng.choice(('1', '2', '-1'))} * x")
        more = f" + {rng.choice(noise)}" if rng.random() < 0.4 else ""
        whole = f"total + {rng.choice(noise)}{more}"
        part = f" // {rng.choice((2, 3))}" if rng.random() < 0.4 else ""
        lines.append(f"    announce(({whole}){part})")
    else:
        lines.append("    for x in q:")
        lines.append(f"        z = x + {rng.choice(noise)}")
        lines.append(f"        if z >= {rng.randint(-2, 3)}:")
        lines.append(f"            announce({rng.choice(('z', repr('large')))})")
        lines.append("        else:")
        lines.append("            announce('small')")
        if rng.random() < 0.4:
            lines += ["    if flip('1/3'):", "        announce('lucky')"]
    return "\n".join(lines), n
