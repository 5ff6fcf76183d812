"""What a program announced, where the letters of its chain are other words for it.

A program announces the integers o₁, o₂, …. A chain may show ``o₁`` and ``o₂ − o₁``, where the difference has a simpler
law: who sees the one word can compute the other. One letter may stand for a whole tail, "≥ 3". And an integer may be
shown later than it was announced: a `MARK` stands in its place, and the next letter with `NAMED` tells what it was. An
`Output` says what a letter stands for; letters without one are what was announced.

>>> outputs = {"[-1]+2": Output(((1, 1),), 2, 2), "≥ 3": Output((), 3, None)}
>>> translate_word(outputs, ("start", "1", "[-1]+2", "end")), translate_word(outputs, ("start", "≥ 3", "[-1]+2"))
(('start', '1', '3', 'end'), ('start', 'n≥3', 'n+2'))
>>> translate_word({"[?]=4": Output(NAMED, 4, 4)}, ("start", "[?]", "below", "[?]=4", "end"))
('start', '4', 'below', 'end')
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING, NamedTuple

from ..errors import Defect, InputError

if TYPE_CHECKING:
    from .chain import Chain

Multiples = tuple[tuple[int, int], ...]
"""A sum of multiples of earlier outputs: how many letters ago, in ascending order, and the factor, which is not 0."""


MARK = "[?]"
"""The letter in place of an integer that is shown later."""
NAMED: Multiples = ((0, 0),)
"""In place of multiples of earlier outputs: what the last mark stands for."""

LEFT_OUT = "(parts that all inputs have)"
"""The letter in place of parts of `dc.each` that change no δ and are left out (docs/theory/parts.md)."""


class Output(NamedTuple):
    """An announced integer: ``relative``, and one from low to high beside it; None for no end."""

    relative: Multiples
    low: int | None
    high: int | None
    law: str = ""
    """How likely each number of a tail is, given the letter; `SEVERAL` where that depends on the step."""


SEVERAL = "several"


AnnouncedOutputs = Mapping[str, Output]
"""Letter → what it stands for."""


def join_outputs(left: Chain, right: Chain) -> dict[str, Output]:
    """What the letters of two chains side by side stand for; InputError where one letter may be two things.

    A tail is one letter because who sees it can draw the number, whatever the state. Where the other chain has another
    law for the tail, or letters of their own for numbers in it, the letters tell less or more than the numbers would.
    """
    tails, numbers = [], []
    for chain in (left, right):
        own = {letter: output for letter, output in chain.outputs.items() if letter in chain.by_label}
        tails.append(own)
        numbers.append(bool(own) or any(_WHOLE.fullmatch(letter) for letter in chain.by_label))
    same = tails[0] == tails[1] and not any(each.relative or each.law == SEVERAL for each in tails[0].values())
    if not same and all(numbers):
        letter = min(tails[0] | tails[1], default="")
        what = f"the letter {letter!r} stands for numbers that the two may announce in different ways"
        fix = "let one program have both start states, so that all its letters mean the same"
        if tails[0] or tails[1]:
            raise InputError(Defect("chains", what, fix))
    return tails[0] | tails[1]


_WHOLE = re.compile(r"-?[0-9]{1,1000}")


def label_of(relative: Multiples, text: str) -> str:
    """The letter of a number, or of a tail, beside multiples of earlier outputs.

    >>> label_of((), "3"), label_of(((1, 1),), "-3"), label_of(((1, 2), (3, -1)), "≥ 3")
    ('3', '[-1]-3', '2[-1]-[-3]+(≥ 3)')
    >>> label_of(NAMED, "3"), label_of(NAMED, "≥ 3")
    ('[?]=3', '[?] ≥ 3')
    """
    if not relative:
        return text
    if relative == NAMED:
        return f"{MARK} {text}" if " " in text else f"{MARK}={text}"
    terms = [f"{'+' if factor > 0 else '-'}{_factor(factor)}[-{age}]" for age, factor in relative]
    number = f"+({text})" if " " in text else text if text.startswith("-") else f"+{text}"
    return "".join(terms).removeprefix("+") + number


def _factor(factor: int) -> str:
    return "" if abs(factor) == 1 else str(abs(factor))


class _Known(NamedTuple):
    """Multiples of unknowns, by number, and what is added to them."""

    unknowns: Mapping[int, int]
    shift: int

    def plus(self, other: _Known, factor: int) -> _Known:
        unknowns = dict(self.unknowns)
        for name, part in other.unknowns.items():
            unknowns[name] = unknowns.get(name, 0) + factor * part
        return _Known({name: part for name, part in unknowns.items() if part}, self.shift + factor * other.shift)


def translate_word(outputs: AnnouncedOutputs, word: Sequence[str], options: Sequence[int] = ()) -> tuple[str, ...]:
    """The word of the program's own outputs.

    An output in a tail is an unknown, which has a name, n or m or …, if a later letter is relative to it. A letter that
    names a mark goes where the mark is; a mark that none names stays.

    Args:
        outputs: of the chain.
        word: its letters, and the inputs that were given.
        options: the places in the word of what is no letter: inputs.
    """
    found: list[str] = []
    known: list[_Known | None] = []
    parts: list[tuple[int, str, _Known]] = []
    naming: set[int] = set()
    mark: int | None = None
    for place, letter in enumerate(word):
        found.append(letter)
        if place in options:
            continue
        known.append(None)
        stands = outputs.get(letter)
        if letter == MARK:
            mark = place
        if stands is not None and stands.relative == NAMED:
            if mark is not None:
                end = stands.low if stands.low is not None else stands.high
                tail = "" if stands.low == stands.high else "≤ " if stands.low is None else "≥ "
                found[mark] = f"{tail}{end}"
                naming.add(place)
            continue
        if stands is None:
            if _WHOLE.fullmatch(letter):
                known[-1] = _Known({}, int(letter))
            continue
        base = _Known({}, 0)
        for age, factor in stands.relative:
            earlier = known[-1 - age] if age < len(known) else None
            if earlier is None:
                break  # a word that no run shows
            base = base.plus(earlier, factor)
        else:
            end = stands.low if stands.low is not None else stands.high
            number = base._replace(shift=base.shift + (end or 0))
            if stands.low == stands.high:
                known[-1] = number
                parts.append((place, "", number))
            else:
                known[-1] = _Known({place: 1}, 0)
                parts.append((place, "≤" if stands.low is None else "≥", number))
    needed = {name for _, _, number in parts for name in number.unknowns}
    names = {place: _name(number) for number, place in enumerate(sorted(needed))}
    for place, sign, number in parts:
        text = _write(number, names)
        found[place] = text if not sign else f"{names[place]}{sign}{text}" if place in needed else f"{sign} {text}"
    return tuple(letter for place, letter in enumerate(found) if place not in naming)


def _name(number: int) -> str:
    return "nmkjihg"[number] if number < 7 else f"n{number}"


def _write(number: _Known, names: Mapping[int, str]) -> str:
    terms = [f"{'+' if f > 0 else '-'}{_factor(f)}{names[place]}" for place, f in sorted(number.unknowns.items())]
    if not terms:
        return str(number.shift)
    return "".join(terms).removeprefix("+") + (f"{number.shift:+d}" if number.shift else "")


def letters_of(chain: Chain, state: str | int, word: Sequence[str]) -> tuple[str, ...]:
    """The letters of the chain for a word of the program's own outputs, as it runs from a state.

    The other way round than `announced`: words that it writes are read, "n≥3 n+1" too. A number in a tail becomes the
    letter of the tail, which stands for others as well. What no run shows stays as it is: the chain shows it with
    probability 0. InputError where the word ends before a number of it is shown.
    """
    found = list(word[:1])
    known: list[_Known | None] = [None]
    names: dict[str, int] = {}
    here = {chain.number(state)}
    label, rest = (word[0] if word else ""), iter(word[1:])
    pending: str | None = None
    for letter in rest:
        named = None if pending is None else _find_name(chain, here, pending, letter, known, names)
        if named is not None:
            label, here = named
            found.append(label)
            known.append(None)
            pending = None
        seen: str | None = letter
        number_of_row = 0
        if label in chain.inputs:
            found.append(letter)
            if letter not in chain.inputs[label]:
                return (*found, *rest)
            number_of_row, seen = chain.inputs[label].index(letter), next(rest, None)
        if seen is None:
            break
        after = {target for each in here for target, *_ in chain.given[each][number_of_row]}
        # A letter that names what is pending is no output of its own, whatever number it names.
        letters = {chain.labels[target] for target in after}
        label, stands_for = _next_letter(chain, letters - _names_of(chain, letters), seen, known, names)
        found.append(label)
        if (tail := _read(seen, names)) is not None and tail.side and label != MARK:
            # From here on the number has the name that it was given, whatever it is.
            names[tail.name] = len(known)
            stands_for = _Known({len(known): 1}, 0)
        known.append(stands_for)
        here = {target for target in after if chain.labels[target] == label}
        pending = seen if label == MARK != seen else pending
    if pending is not None and here:
        last = _find_name(chain, here, pending, None, known, names)
        if last is None:
            # What begins so has the probability of a sum of words, those that go on until the number is shown.
            what = f"{pending} is shown later than it is announced, and not by the end of this word"
            raise InputError(Defect("event", what, "give words that go on until nothing is compared with it"))
        found.append(last[0])
    return tuple(found)


def _find_name(
    chain: Chain,
    here: Set[int],
    pending: str,
    coming: str | None,
    known: Sequence[_Known | None],
    names: Mapping[str, int],
) -> tuple[str, set[int]] | None:
    """The letter that names what is pending, and the states behind it; None if what is coming is another letter.

    ``coming`` is the next letter of a word, or None at its end.
    """
    after = {target for each in here for row in chain.given[each] for target, *_ in row}
    letters = {chain.labels[target] for target in after}
    naming = _names_of(chain, letters)
    if not naming:
        return None
    others = letters - naming
    # Where some runs end here and others go on, the next output tells: it is a letter itself, or a number of a tail.
    if others and (coming is None or _next_letter(chain, others, coming, known, names)[0] in others):
        return None
    label, _ = _next_letter(chain, naming, pending, (), {})
    return label, {target for target in after if chain.labels[target] == label}


def _names_of(chain: Chain, letters: Set[str]) -> set[str]:
    """Those of the letters that name what is pending."""
    return {letter for letter in letters if letter in chain.outputs and chain.outputs[letter].relative == NAMED}


def _next_letter(
    chain: Chain, letters: Set[str], output: str, known: Sequence[_Known | None], names: Mapping[str, int]
) -> tuple[str, _Known | None]:
    """Which of the letters stands for an output, and its number if it is one."""
    said = _read(output, names)
    if said is None:
        return output, None
    if MARK in letters and output not in letters:
        return MARK, None
    for letter in sorted(letters):
        stands = chain.outputs.get(letter)
        if stands is None:
            continue
        left: _Known | None = said.number
        for age, factor in () if stands.relative == NAMED else stands.relative:
            earlier = known[-age] if age <= len(known) else None
            left = None if left is None or earlier is None else left.plus(earlier, -factor)
        if left is None or left.unknowns:
            continue
        low, high, value = stands.low, stands.high, left.shift
        fits = (low is None or low <= value) and (high is None or value <= high)
        # A tail is the letter that begins where it does.
        if (fits and not said.side) or (low, high) == {"≥": (value, None), "≤": (None, value)}.get(said.side):
            return letter, said.number
    return output, said.number


class _Read(NamedTuple):
    """An output as `announced` writes it: a number, or "≥" or "≤" one; and the name of that, if it has one."""

    number: _Known
    side: str
    name: str


_SAID = re.compile(r"(?:([a-z][0-9]*)?(≥|≤) ?)?((?:[+-]?[0-9]*[a-z][0-9]*)*)([+-]?[0-9]{1,1000})?")
_TERM = re.compile(r"([+-]?)([0-9]*)([a-z][0-9]*)")


def _read(output: str, names: Mapping[str, int]) -> _Read | None:
    """An integer, or one beside others that have names; None for any other letter."""
    match = _SAID.fullmatch(output)
    if match is None or not (match[3] or match[4]) or (not match[3] and match[4].startswith("+")):
        return None
    unknowns: dict[int, int] = {}
    for sign, factor, name in _TERM.findall(match[3]):
        if name not in names:
            return None
        unknowns[names[name]] = unknowns.get(names[name], 0) + int(f"{sign}{factor or 1}")
    return _Read(_Known(unknowns, int(match[4] or 0)), match[2] or "", match[1] or "")
