"""What a program of integer inputs is, once all of its words are known: sums of products of stars.

A *star* is ``Σ_{K ∈ Z} Π_i φ_i(K − p_i)``: an integer K is hidden or was announced, and all else that has a part in it
was compared with it, or added to it. The *points* p_i are forms in inputs and announced integers; each *atom* φ_i is

    exact r   P(Z = k) = (1 − r)/(1 + r)·r^|k|      Z is two-sided geometric noise of ratio r
    above r   P(Z ≥ k)                              so that φ(K − p) = P(p + Z ≥ K)
    below r   P(Z ≤ k)
    from      1 if k ≥ 0, else 0
    upto      1 if k ≤ 0, else 0
    at        1 if k = 0, else 0

A word's probability is ``Σ_terms weight·Π stars``. The letters of announced integers are variables, ``#1``, ``#2``, …:
a word stands for one word for each of their values.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple

from ..numbers.fraction import format_fraction
from .affine import Form

AtomKind = Literal["exact", "above", "below", "from", "upto", "at"]
NoiseRatio = int | Fraction
"""An int a stands for Y^a, Y the one letter of the mechanism's numbers, 0 < Y < 1; a Fraction for itself."""
NOISY = ("exact", "above", "below")


class Atom(NamedTuple):
    """A factor of a star: its kind, the ratio of its noise if it has any, and its point."""

    kind: AtomKind
    ratio: NoiseRatio | None
    point: Form


Star = tuple[Atom, ...]


class WordTerm(NamedTuple):
    """weight·Π stars."""

    weight: Fraction
    stars: tuple[Star, ...]


@dataclass(frozen=True)
class WordSum:
    """The letters, as they are shown, and what they have as their probability."""

    letters: tuple[str, ...]
    terms: tuple[WordTerm, ...]


@dataclass(frozen=True)
class Mechanism:
    """All words of a program, at every integer input at once.

    Attributes:
        name: the program's name.
        inputs: the names of the integer inputs, such as ``q[0]``.
        outputs: the names of announced integers.
        words: every word with a probability that is not 0 everywhere.
        letter: what Y is: k for e^(−1/k), the name of a parameter, or None where ratios are fractions.
    """

    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    words: tuple[WordSum, ...]
    letter: int | str | None

    @property
    def finite(self) -> bool:
        """Whether there are finitely many words."""
        return not self.outputs


def atoms(word: WordSum) -> list[Atom]:
    """All atoms of the word."""
    return [atom for term in word.terms for star in term.stars for atom in star]


FORMAT = "deltachain.mechanism/1"


def document(mechanism: Mechanism) -> dict[str, object]:
    """The mechanism as plain data (docs/certificate.md, All integers)."""
    letter = mechanism.letter
    words = [
        {
            "word": list(word.letters),
            "terms": [
                [format_fraction(term.weight), [[_write(atom) for atom in star] for star in term.stars]]
                for term in word.terms
            ],
        }
        for word in mechanism.words
    ]
    return {
        "format": FORMAT,
        "name": mechanism.name,
        "inputs": list(mechanism.inputs),
        "outputs": list(mechanism.outputs),
        "letter": {} if letter is None else {"base" if isinstance(letter, int) else "parameter": letter},
        "words": words,
    }


def _write(atom: Atom) -> list[object]:
    ratio = None if atom.ratio is None else format_fraction(Fraction(atom.ratio))
    return [atom.kind, ratio, dict(atom.point.parts), atom.point.constant]
