"""What the examples are built from: parameters within limits, a chain from the moves of a mechanism, geometric noise.

Every family states the ranges of its parameters by `whole` and `probability`, so that no call, from Python or from a
command line, hangs or fills the memory.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

from .. import programs
from ..errors import Defect, InputError
from ..model import Chain
from ..numbers.fraction import Number, as_probability

MAX_DIGITS = 40
"""The most digits in the numerator and in the denominator of a probability: some families take its powers."""

MAX_TRANSITIONS = 1_000_000
"""The most transitions of a chain that an example builds."""

Hidden = TypeVar("Hidden", bound=Hashable)
MechanismMoves = Iterable[tuple[Fraction, str, Hidden | None]]
"""Probability, letter, and the hidden state after it; None where the run ends."""


def whole(value: int, what: str, low: int, high: int) -> int:
    """``value``, if it is an int from ``low`` to ``high``; InputError naming ``what`` otherwise."""
    allowed = f"give a whole number from {low} to {high}"
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(Defect(what, f"{value!r} is not a whole number", allowed))
    if not low <= value <= high:
        raise InputError(Defect(what, f"{_short(value)} is outside {low} to {high}", allowed))
    return value


def probability(value: Number, what: str) -> Fraction:
    """``value`` exactly, if it lies in [0, 1] and is not too long; InputError naming ``what`` otherwise."""
    number = as_probability(value, what)
    if number.denominator > 10**MAX_DIGITS:
        raise InputError(Defect(what, "the denominator is too long", f"give a fraction of at most {MAX_DIGITS} digits"))
    return number


def limit_transitions(count: int, fix: str) -> None:
    """InputError, with how to correct it, if a chain would have more than `MAX_TRANSITIONS` transitions."""
    if count > MAX_TRANSITIONS:
        what = f"the chain would have {count} transitions; the limit is {MAX_TRANSITIONS}"
        raise InputError(Defect("size", what, fix))


def _short(value: int) -> str:
    return str(value) if value.bit_length() < 200 else f"a number of {value.bit_length()} bits"


def unroll(starts: Mapping[str, Hidden], moves: Callable[[Hidden], MechanismMoves[Hidden]]) -> Chain:
    """The chain of the states reached from ``starts``, all pairs of which must look alike.

    Each move shows one letter and leads to a hidden state, or ends the run. Every state of the chain is a letter with
    the hidden state after it; runs that end go to ``end`` for ever. Two moves that show the same letter and lead to the
    same hidden state are one transition.

    >>> unroll({"s0": 0, "s1": 1}, lambda secret: [(Fraction(1), "same", None)])
    <Chain: 4 states, 4 transitions, 3 labels, 1 pair>
    """
    labels = dict.fromkeys(starts, "start") | {"end": "end"}
    rows: dict[str, dict[str, Fraction]] = {}
    names: dict[tuple[str, Hidden | None], str] = {}
    waiting: deque[tuple[str, Hidden | None]] = deque(starts.items())
    size = 0
    while waiting:
        name, hidden = waiting.popleft()
        row: dict[str, Fraction] = {}
        for chance, letter, after in () if hidden is None else moves(hidden):
            if not chance:
                continue
            key = (letter, after)
            if key not in names:
                names[key] = letter if after is None else f"{letter}.{len(names)}"
                labels[names[key]] = letter
                waiting.append((names[key], after))
            row[names[key]] = row.get(names[key], Fraction(0)) + chance
        rows[name] = row or {"end": Fraction(1)}
        size += len(rows[name])
        limit_transitions(size, "lower the sizes")
    rows["end"] = {"end": Fraction(1)}
    return Chain.from_dicts(rows, labels, relation=[(s, t) for s in starts for t in starts if s < t])


def unroll_choices(
    starts: Mapping[str, Hidden], inputs: Iterable[str], moves: Callable[[Hidden, str], MechanismMoves[Hidden]]
) -> Chain:
    """As `unroll`, where an observer chooses one of the same inputs after every letter, until runs end.

    >>> unroll_choices({"s0": 0, "s1": 1}, ["ask", "wait"], lambda secret, asked: [(Fraction(1), "same", None)])
    <Chain: 4 states, 7 transitions, 3 labels, 2 inputs, 1 pair>
    """
    asked = tuple(inputs)
    labels = dict.fromkeys(starts, "start") | {"end": "end"}
    rows: dict[str, dict[str, dict[str, Fraction]] | dict[str, Fraction]] = {}
    names: dict[tuple[str, Hidden | None], str] = {}
    waiting: deque[tuple[str, Hidden | None]] = deque(starts.items())
    size = 0
    while waiting:
        name, hidden = waiting.popleft()
        made: dict[str, dict[str, Fraction]] = {}
        for chosen in asked:
            row: dict[str, Fraction] = {}
            for chance, letter, after in () if hidden is None else moves(hidden, chosen):
                if not chance:
                    continue
                key = (letter, after)
                if key not in names:
                    names[key] = letter if after is None else f"{letter}.{len(names)}"
                    labels[names[key]] = letter
                    waiting.append((names[key], after))
                row[names[key]] = row.get(names[key], Fraction(0)) + chance
            made[chosen] = row or {"end": Fraction(1)}
            size += len(made[chosen])
        rows[name] = made
        limit_transitions(size, "lower the sizes")
    rows["end"] = {"end": Fraction(1)}
    return Chain.from_dicts(rows, labels, relation=[(s, t) for s in starts for t in starts if s < t])


def noisy_bit(bit: int, ratio: Fraction) -> tuple[tuple[Fraction, str], ...]:
    """A bit with the truncated geometric mechanism of this ratio: randomised response, and the letters it shows.

    >>> noisy_bit(1, Fraction(1, 2))
    ((Fraction(1, 3), '0'), (Fraction(2, 3), '1'))
    """
    zero, one = truncated_geometric(bit, 1, ratio)
    return (zero, "0"), (one, "1")


def compile_program(text: str, secrets: Iterable[Mapping[str, object]], constants: Mapping[str, object]) -> Chain:
    r"""The chain of a program, named as `unroll` names states: ``s0``, ``s1``, …, and after them letters, with numbers.

    >>> compile_program("def main(x):\n    announce('same')", [{"x": 0}, {"x": 1}], {}).states
    ('s0', 's1', 'same', 'end')
    """
    chain = programs.program(text).chain(list(secrets), constants=constants)
    labels, often = chain.labels, Counter(chain.labels)
    starts = often[labels[0]]
    names = [label if often[label] == 1 else f"{label}.{n}" for n, label in enumerate(labels)]
    return replace(chain, states=(*(f"s{n}" for n in range(starts)), *names[starts:]))


def clamped_noise(a: Fraction, low: int, high: int) -> tuple[tuple[int, Fraction], ...]:
    """Two-sided geometric noise of ratio a, its tails moved to ``low`` < 0 and ``high`` > 0.

    >>> clamped_noise(Fraction(1, 2), -1, 1)
    ((-1, Fraction(1, 3)), (0, Fraction(1, 3)), (1, Fraction(1, 3)))
    """
    inner = [(z, (1 - a) / (1 + a) * a ** abs(z)) for z in range(low + 1, high)]
    return ((low, a**-low / (1 + a)), *inner, (high, a**high / (1 + a)))


def truncated_geometric(centre: int, m: int, a: Fraction) -> tuple[Fraction, ...]:
    """The probabilities of the outputs 0 … m for a count ``centre`` ≥ 0, which may be above m.

    >>> truncated_geometric(1, 2, Fraction(1, 2))
    (Fraction(1, 3), Fraction(1, 3), Fraction(1, 3))
    """
    lowest = a**centre / (1 + a)
    between = [(1 - a) / (1 + a) * a ** abs(z - centre) for z in range(1, m)]
    return (lowest, *between, 1 - lowest - sum(between))
