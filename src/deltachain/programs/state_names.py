"""Names for the states of a program's chain: short enough to be typed.

A state is named after its letter: ``heads``. Where several states show that letter, the line at which the program goes
on is added, ``heads@12`` (``heads@end`` where it is over), and where that is not enough, a number: ``heads@12#3``. What
the variables are is in the chain's valuations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import count
from typing import NamedTuple

NAME_LENGTH = 40
"""How much of a letter is kept in a name, in characters."""


class Moment(NamedTuple):
    """What a state's name is made from: the letter, and where the program goes on (``12``, ``end``; empty: nowhere)."""

    letter: str
    where: str


def state_names(moments: Sequence[Moment], taken: Iterable[str]) -> list[str]:
    """One name per moment, all different, and different from those ``taken``."""
    short = [Moment(m.letter if len(m.letter) <= NAME_LENGTH else f"{m.letter[: NAME_LENGTH - 1]}…", m.where)
             for m in moments]  # fmt: skip
    letters, places = Counter(moment.letter for moment in short), Counter(short)
    used, numbers = set(taken), dict[str, "count[int]"]()
    names: list[str] = []
    for moment in short:
        name = moment.letter if letters[moment.letter] == 1 or not moment.where else f"{moment.letter}@{moment.where}"
        unique = name
        while unique in used or (unique == name and places[moment] > 1):
            unique = f"{name}#{next(numbers.setdefault(name, count(1)))}"
        used.add(unique)
        names.append(unique)
    return names
