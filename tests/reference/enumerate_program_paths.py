"""A program's letters by running it: as real Python, with every path of its draws tried in turn.

The primitives are ordinary functions that follow a script of choices. A run whose script is too short takes
first outcomes and notes how many there were; advancing the last choice that has another outcome left is a
depth-first walk over the tree of draws. Probabilities are products along a path. Only for programs that end
on every path. Questions are answered by a list of numbers, over and over: number k takes the option in place k, the
texts of the options sorted, counted round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction


class TooManyPaths(Exception):
    """The tree of draws is larger than the caller wants to wait for."""


class ScriptedRun:
    """One run of the function along a script."""

    def __init__(self, script: Sequence[int], answers: Sequence[int] = (0,)) -> None:
        self.script = script
        self.answers = answers
        self.asked = 0
        self.taken: list[int] = []
        self.open: list[int] = []
        self.weight = Fraction(1)
        self.letters: list[str] = []

    def draw(self, outcomes: Mapping[object, Fraction]) -> object:
        possible = [(value, p) for value, p in outcomes.items() if p]
        at = len(self.taken)
        choice = self.script[at] if at < len(self.script) else 0
        self.taken.append(choice)
        self.open.append(len(possible))
        self.weight *= possible[choice][1]
        return possible[choice][0]

    def answer(self, options: Mapping[str, object]) -> object:
        """The next answer to a question with these options by their texts."""
        names = sorted(options)
        number = self.answers[self.asked % len(self.answers)] % len(names)
        self.asked += 1
        return options[names[number]]

    def next_script(self) -> list[int] | None:
        """The next script in depth-first order: the last choice that has another outcome left takes it."""
        script = list(self.taken)
        while script and script[-1] + 1 == self.open[len(script) - 1]:
            script.pop()
        if not script:
            return None
        script[-1] += 1
        return script

    def primitives(self) -> dict[str, Callable[..., object]]:
        def flip(p: str | int | Fraction) -> object:
            heads = Fraction(p)
            return self.draw({True: heads, False: 1 - heads})

        def uniform(low: int, high: int) -> object:
            return self.draw({k: Fraction(1, high - low + 1) for k in range(low, high + 1)})

        def choose(distribution: Mapping[object, str]) -> object:
            return self.draw({value: Fraction(p) for value, p in distribution.items()})

        def announce(value: object) -> None:
            self.letters.append(str(value))

        def ask(*options: object) -> object:
            named = {str(option): option for option in options}
            self.letters.append(prompt(named))
            return self.answer(named)

        return {
            "ask": ask,
            "flip": flip,
            "uniform": uniform,
            "choose": choose,
            "announce": announce,
            "program": lambda f: f,
        }


def prompt(names: Iterable[str]) -> str:
    """What a question shows: the texts of its options, sorted; in quotes unless they are plain."""
    plain = ("" if set(name) & set("|?'\"") or name.split() != [name] else name for name in sorted(names))
    return "|".join(name or repr(given) for name, given in zip(plain, sorted(names), strict=True)) + "?"


def letter_law(
    text: str, name: str, arguments: Mapping[str, object], limit: int = 2000, answers: Sequence[int] = (0,)
) -> dict[tuple[str, ...], Fraction]:
    """The law of the announced letters of function ``name`` in ``text``, over all paths."""
    code = compile(text, "<program>", "exec")
    law: dict[tuple[str, ...], Fraction] = {}
    script: list[int] | None = []
    for _ in range(limit):
        run = ScriptedRun(script, answers)
        namespace: dict[str, object] = {**run.primitives()}
        exec(code, namespace)  # noqa: S102  (the text is the test's own)
        function = namespace[name]
        assert callable(function)
        function(**arguments)
        letters = tuple(run.letters)
        law[letters] = law.get(letters, Fraction(0)) + run.weight
        script = run.next_script()
        if script is None:
            return law
    raise TooManyPaths
