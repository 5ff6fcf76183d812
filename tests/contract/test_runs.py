"""What runs is what is proved: for every program of examples/ and of the zoo, and every chain of the zoo, 2,000 seeded
runs (300 in a usual run of the tests) show each word as often as `trace` says.

The bound is fixed: a letter that has the probability p after a word is seen N·p times after N such words, up to
5·√(N·p·(1 − p)) + 5. Seeds are fixed too, so that a test passes always or never. Words are compared letter by letter,
up to LONGEST; where the observer is asked, another seed answers.
"""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import islice
from pathlib import Path

import pytest

import deltachain as dc
from deltachain.draws import seeded
from deltachain.draws.walks import Walker
from deltachain.errors import InputError
from deltachain.examples import catalogue
from deltachain.model.words import word_bounds, word_probability
from tests.amounts import fewer_or_all
from tests.contract.test_read_back import SECRETS, programs
from tests.unit.programs.test_programs_zoo import CASES as ZOO_PROGRAMS
from tests.unit.programs.test_programs_zoo_that_asks import CASES as ZOO_THAT_ASKS
from tests.words import refuses

RUNS = 2_000
FEWER_OR_ALL = fewer_or_all("number", 300, RUNS)
LONGEST = 4
"""Letters of the words that are compared, the start among them."""

Word = tuple[str, ...]


def drawn(words: Callable[[], Iterator[str]], letter: Callable[[str], str] = str, number: int = RUNS) -> list[Word]:
    """The first letters of many runs; at a question, the answer counts as one, too."""
    return [tuple(map(letter, islice(words(), 2 * LONGEST))) for _ in range(number)]


def compare(chain: dc.Chain, start: str, runs: list[Word]) -> None:
    """What was seen after each prefix, input included where the observer gave one, was seen as often as it should."""
    after: dict[Word, Counter[str]] = {}
    for word in runs:
        for cut in label_places(chain, word)[1:LONGEST]:
            after.setdefault(word[:cut], Counter())[word[cut]] += 1
    assert after
    for before, letters in after.items():
        size, seen = letters.total(), 0.0
        before_low, before_high = bounds(chain, start, before)
        assert before_high > 0, before
        for letter, count in letters.items():
            low, high = bounds(chain, start, (*before, letter))
            least, most = float(low / before_high), min(1.0, float(high / before_low) if before_low else 1.0)
            slack = 5 * math.sqrt(size * most * (1 - least)) + 5
            assert size * least - slack <= count <= size * most + slack, (before, letter, count, size, least, most)
            seen += most
        # What never came after so many prefixes is not likely: no letter of probability 1/2 was missed, for one.
        assert size < 20 or seen > 0.5, (before, size, seen)


def label_places(chain: dc.Chain, word: Word) -> list[int]:
    """Where in a word the labels are; the others are inputs."""
    places, at = [], 0
    while at < len(word):
        places.append(at)
        at += 2 if word[at] in chain.inputs else 1
    return places


def bounds(chain: dc.Chain, start: str, word: Word) -> tuple[Fraction, Fraction]:
    """The probability of a word, or what is known of it."""
    if not chain.rational:
        return word_bounds(chain, start, word)
    p = word_probability(chain, start, word)
    return p, p


_TAIL = re.compile(r"([≤≥]) ?(-?\d+)")


def tails_of(chain: dc.Chain) -> Callable[[str], str]:
    """A letter as the chain shows it: numbers of a tail by the tail's one label."""
    found = [(label, match[1], int(match[2])) for label in set(chain.labels) if (match := _TAIL.fullmatch(label))]

    def letter(text: str) -> str:
        if re.fullmatch(r"-?\d+", text):
            for label, side, end in found:
                if int(text) <= end if side == "≤" else int(text) >= end:
                    return label
        return text

    return letter


def check(
    program: dc.Program, secret: Mapping[str, object], constants: Mapping[str, object], seed: int, number: int
) -> None:
    chain = program.chain([secret], constants=constants)
    runner, values = program.runner({**constants, **secret})
    source, observer = seeded(seed), seeded(seed + 1)

    def answer(options: Word, _: Word) -> str:
        return options[observer.bits(16) % len(options)] if chain.interactive else ""

    runs = drawn(lambda: runner.word(values, source, answer), tails_of(chain), number)
    compare(chain, chain.states[0], runs)


@FEWER_OR_ALL
@pytest.mark.parametrize(
    ("path", "name", "secret", "constants"), programs(), ids=lambda part: getattr(part, "stem", part)
)
def test_a_program_of_the_examples(path: Path, name: str, secret: str, constants: dict[str, int], number: int) -> None:
    for seed, value in enumerate(SECRETS[secret]):
        check(dc.load_program(path, name), {secret: ast.literal_eval(value)}, constants, seed, number)


@FEWER_OR_ALL
@pytest.mark.parametrize(
    ("program", "secret", "constants"),
    [(program, secrets[-1], constants) for program, _, secrets, constants in ZOO_PROGRAMS]
    + [(program, {name: values[-1]}, {}) for program, name, values, _, _ in ZOO_THAT_ASKS],
    ids=lambda part: getattr(part, "name", ""),
)
def test_a_program_of_the_zoo(
    program: dc.Program, secret: Mapping[str, object], constants: Mapping[str, object], number: int
) -> None:
    check(program, secret, constants, 10, number)


@FEWER_OR_ALL
@pytest.mark.parametrize("name", [example.name for example in catalogue()])
def test_a_chain_of_the_zoo(name: str, number: int) -> None:
    chain = dc.examples.build(name)
    walker, source, observer = Walker(chain), seeded(20), seeded(21)
    start = chain.pairs[0][0] if chain.pairs else chain.states[0]

    def answer(inputs: Word, _: Word) -> str:
        return inputs[observer.bits(16) % len(inputs)]

    compare(chain, start, drawn(lambda: walker.word(start, source, answer), number=number))


def test_a_wrong_law_is_noticed() -> None:
    """The comparison can fail: the runs of one secret are not those of the other, nor those of another coin."""
    survey = dc.program("def survey(truth, p='3/4'): announce(truth if flip(p) else not truth)")
    chain = survey.chain([{"truth": True}, {"truth": False}])
    for values in ({"truth": False}, {"truth": True, "p": "5/6"}):
        runner, bound = survey.runner(values)
        source = seeded(1)
        runs = drawn(lambda runner=runner, bound=bound, source=source: runner.word(bound, source))
        with pytest.raises(AssertionError):
            compare(chain, chain.states[0], runs)


def test_a_chain_whose_rows_are_limits_is_not_run() -> None:
    chain = dc.Chain.from_dicts(
        {"s": {"h": ("2/5", "1/2"), "t": ("1/2", "3/5")}, "h": {"h": 1}, "t": {"t": 1}},
        {"s": "start", "h": "heads", "t": "tails"},
    )
    with refuses(InputError, "its probabilities are"):
        list(Walker(chain).word("s", seeded(1)))


def test_a_chain_of_powers_of_e_is_run() -> None:
    chain = dc.program("def noisy(x): announce(x + discrete_laplace(1) >= 2)").chain([{"x": 1}])
    source, walker = seeded(5), Walker(chain)
    compare(chain, chain.states[0], drawn(lambda: walker.word(chain.states[0], source)))
