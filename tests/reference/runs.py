"""The words of code that draws, the slow and obvious way: every outcome, noise as plain ints up to some distance."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from deltachain.code.letters import spell_announced, spell_error, spell_returned
from deltachain.draws.laws import DrawnLaw, TwoSidedNoise, Uniform, Weighted
from deltachain.draws.source import DrawSource, using

Words = dict[tuple[str, ...], Fraction]


class Following(DrawSource):
    """Follows one list of outcomes, and then always the first one."""

    def __init__(self, path: list[int], reach: int) -> None:
        self.path, self.reach = path, reach
        self.sizes: list[int] = []
        self.chance = Fraction(1)
        self.letters: list[str] = []

    def draw(self, law: DrawnLaw) -> Any:
        outcomes = list(self.outcomes(law))
        at = len(self.sizes)
        value, chance = outcomes[self.path[at] if at < len(self.path) else 0]
        self.sizes.append(len(outcomes))
        self.chance *= chance
        return value

    def outcomes(self, law: DrawnLaw) -> list[tuple[Any, Fraction]]:
        """Every outcome with its probability; of noise with a rational ratio, those up to the reach."""
        if isinstance(law, Weighted):
            total = sum(law.weights)  # type: ignore[arg-type]
            return [(v, Fraction(w) / total) for v, w in zip(law.values, law.weights, strict=True)]  # type: ignore[arg-type]
        if isinstance(law, Uniform):
            count = law.high - law.low + 1
            return [(law.low + n, Fraction(1, count)) for n in range(count)]
        assert isinstance(law, TwoSidedNoise)
        assert law.low is None
        r = Fraction(law.ratio)  # type: ignore[arg-type]
        # Clamping Z to ±reach would move mass: it is left out, and the caller allows for what is missing.
        return [(z, (1 - r) / (1 + r) * r ** abs(z)) for z in range(-self.reach, self.reach + 1)]

    def announce(self, value: object) -> None:
        self.add(spell_announced(value))

    def add(self, spelling: Any) -> None:
        self.letters += [spelling.text] if spelling.text else []
        self.letters += spelling.numbers


def words_of(function: Callable[..., Any], reach: int, **arguments: Any) -> Words:
    """The words with their probabilities; of code that draws noise, a lower bound of each."""
    found: Words = {}
    path: list[int] = []
    while True:
        source = Following(path, reach)
        with using(source):
            try:
                source.add(spell_returned(function(**arguments)))
            except ArithmeticError as error:
                source.add(spell_error(error))
        word = tuple(source.letters)
        found[word] = found.get(word, Fraction(0)) + source.chance
        path = [*path, *[0] * (len(source.sizes) - len(path))]
        while path and path[-1] + 1 == source.sizes[len(path) - 1]:
            path.pop()
        if not path:
            return found
        path[-1] += 1
