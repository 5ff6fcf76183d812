"""δ of single chains inside boxes, slowly and exactly, with everything that nature may do (docs/theory/boxes.md).

A *world* is one choice of nature for a chain with boxes: rows inside them, and states outside the model for what the
rows send elsewhere, with labels of their own or of the model, whose rows may lead back. Rows are picked

    "once"      for all time: a chain P in the box,
    "by step"   anew at each step,
    "by word"   anew after each word that was seen (inputs included).

    chain = random_boxes(random)                         # states 0 and 1 have one label
    world = World(chain, random, "by word", ends=True)   # rows are drawn when they are first needed, then kept
    low, high = world.value(0, 1, alpha, letters=5)      # low ≤ V(e_0 − αe_1) ≤ high in this world

What is proved of the direction (0, 1) must satisfy lower ≤ high and low ≤ upper in every world. Where words end, low
and high are equal. `extreme` moves a world towards a large or a small value, one row after the other: random rows alone
miss the edges.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Literal

from deltachain import Chain
from deltachain.model import AnyRow, Box, LimitRow, PointRow

Nature = Literal["once", "by step", "by word"]
NATURES: tuple[Nature, ...] = ("once", "by step", "by word")

Word = tuple[tuple[int, str], ...]
"""What was seen after the start: for each step the number of the input that was given, and the label."""

Key = tuple[object, int, int]
"""When, from which state, under the input of which number."""

ZERO, ONE = Fraction(0), Fraction(1)
FRESH = "unheard of"
"""A label that no state of the model has."""


class World:
    """One choice of nature; ``ends`` draws rows at vertices of their boxes, else anywhere inside.

    States are numbered as in the chain; those outside come after them.
    """

    def __init__(
        self, chain: Chain, random: Random, nature: Nature = "once", *, ends: bool = False, outside: int = 2
    ) -> None:
        self.chain, self.random, self.nature, self.ends = chain, random, nature, ends
        shown = [random.choice([*chain.alphabet, FRESH]) for _ in range(outside)]
        self.labels = [*chain.labels, *shown]
        self.picked: dict[Key, dict[int, Fraction]] = {}

    def inputs(self, state: int) -> int:
        """How many inputs there are to choose from."""
        return len(self.chain.inputs.get(self.labels[state], (None,)))

    def row(self, word: Word, state: int, asked: int = 0) -> dict[int, Fraction]:
        """The row of a state after a word; drawn when it is first asked for."""
        when = {"once": (), "by step": len(word), "by word": word}[self.nature]
        key = when, state, asked
        if key not in self.picked:
            self.picked[key] = self.drawn(state, asked)
        return self.picked[key]

    def drawn(self, state: int, asked: int) -> dict[int, Fraction]:
        """A row that nature may pick: positive probabilities that sum to 1."""
        own, size = len(self.chain), len(self.labels)
        if state >= own:  # outside: it stays, or goes anywhere
            targets = [state] if self.random.random() < 0.3 else self.random.choices(range(size), k=2)
            return {target: Fraction(targets.count(target), len(targets)) for target in targets}
        row, left = inside(self.random, self.chain.given[state][asked].box, ends=self.ends)
        while left:
            part = left if self.ends or self.random.random() < 0.5 else left / 2
            target = self.random.randrange(own, size)
            row[target] = row.get(target, ZERO) + part
            left -= part
        return {target: p for target, p in row.items() if p}

    def after(self, word: Word, belief: dict[int, Fraction], asked: int) -> dict[str, dict[int, Fraction]]:
        """The signed beliefs after one step, by the label that is then seen."""
        found: dict[str, dict[int, Fraction]] = {}
        for state, mass in belief.items():
            for target, p in self.row(word, state, asked).items():
                part = found.setdefault(self.labels[target], {})
                part[target] = part.get(target, ZERO) + mass * p
        return found

    def of_belief(self, belief: dict[int, Fraction], letters: int, word: Word = ()) -> tuple[Fraction, Fraction]:
        """low ≤ V(belief) ≤ high: the best event about so many letters, and what one gains who is then shown all."""
        belief = {state: mass for state, mass in belief.items() if mass}
        gain = max(sum(belief.values(), ZERO), ZERO)
        most = sum((mass for mass in belief.values() if mass > 0), ZERO)
        if gain == most or not most or all(map(self.stays, belief)):
            return gain, gain  # of one sign, or nothing more is seen
        if letters == 0:
            return gain, most
        sums = []
        for asked in range(self.inputs(next(iter(belief)))):
            parts = self.after(word, belief, asked).items()
            known = [self.of_belief(part, letters - 1, (*word, (asked, label))) for label, part in parts]
            sums.append((sum((low for low, _ in known), ZERO), sum((high for _, high in known), ZERO)))
        return max(low for low, _ in sums), max(high for _, high in sums)

    def stays(self, state: int) -> bool:
        """Whether the model says that the state is never left."""
        own = len(self.chain)
        return state < own and all(row == ((state, ONE),) for row in self.chain.given[state])

    def value(self, s: int, t: int, alpha: Fraction, letters: int) -> tuple[Fraction, Fraction]:
        """Bounds on V(e_s − αe_t), the direction from s against t, of two states of one label."""
        return self.of_belief({s: ONE, t: -alpha}, letters)

    def delta(self, s: int, t: int, alpha: Fraction, letters: int) -> tuple[Fraction, Fraction]:
        """Bounds on δ(s, t)."""
        (low, high), (back, forth) = self.value(s, t, alpha, letters), self.value(t, s, alpha, letters)
        return max(low, back), max(high, forth)

    def as_chain(self) -> Chain:
        """The chain P itself, states outside included, named "outside 0", …; for nature "once"."""
        if self.nature != "once":
            raise ValueError("rows that change are not a chain")
        given = tuple(
            tuple(tuple(sorted(self.row((), state, asked).items())) for asked in range(self.inputs(state)))
            for state in range(len(self.labels))
        )
        names = [f"outside {k}" for k in range(len(self.labels) - len(self.chain))]
        return Chain((*self.chain.states, *names), tuple(self.labels), given, inputs=self.chain.inputs)


def inside(random: Random, box: Box, *, ends: bool) -> tuple[dict[int, Fraction], Fraction]:
    """A row inside the box, and what it leaves for states outside: at a vertex, or anywhere."""
    entries: list[tuple[int | None, Fraction, Fraction]] = [*box]
    entries.append((None, max(ZERO, 1 - sum((hi for _, _, hi in box), ZERO)), box.rest))
    row = {target: lo for target, lo, _ in entries}
    left = 1 - sum(row.values(), ZERO)
    order = random.sample(entries, len(entries))
    for share in (ONE, ONE) if ends else (Fraction(random.randint(0, 8), 8), ONE):
        for target, _, hi in order:  # a little everywhere, then as much as goes
            more = min(left, (hi - row[target]) * share)
            row[target] += more
            left -= more
    if left:
        raise ValueError("the box is empty")
    return {target: p for target, p in row.items() if target is not None}, row[None]


def vertices(box: Box) -> Iterator[tuple[dict[int, Fraction], Fraction]]:
    """Every row inside the box in which all entries but one, that of what goes elsewhere counted, are at an end."""
    sizes: list[tuple[int | None, Fraction, Fraction]] = [*box, (None, ZERO, box.rest)]
    seen = set()
    for free in range(len(sizes)):
        for number in range(2 ** (len(sizes) - 1)):
            bits = [number >> k & 1 for k in range(len(sizes) - 1)]
            bits.insert(free, 0)
            row = {target: hi if bit else lo for (target, lo, hi), bit in zip(sizes, bits, strict=True)}
            target, lo, hi = sizes[free]
            row[target] += 1 - sum(row.values(), ZERO)
            key = tuple(row.values())
            if lo <= row[target] <= hi and key not in seen:
                seen.add(key)
                yield {target: p for target, p in row.items() if target is not None and p}, row[None]


def extreme(
    world: World, s: int, t: int, alpha: Fraction, letters: int, *, largest: bool, tries: int = 3
) -> tuple[Fraction, Fraction]:
    """Change the world, row by row, for as long as one of ``tries`` other rows makes its value larger (smaller).

    Returns the value that is reached. Every row that can matter is tried at least once, also those of states outside.
    """
    best = world.value(s, t, alpha, letters)
    better = True
    while better:
        better = False
        for key in [*world.picked]:
            for _ in range(tries):
                old = world.picked[key]
                world.picked[key] = world.drawn(*key[1:])
                now = world.value(s, t, alpha, letters)
                if now[0] > best[0] if largest else now[1] < best[1]:
                    best, better = now, True
                else:
                    world.picked[key] = old
    return best


# Chains with boxes.

WIDTHS = [
    Fraction(0),
    Fraction(1, 10**40),
    Fraction(1, 10**12),
    Fraction(1, 100),
    Fraction(1, 10),
    Fraction(3, 10),
    ONE,
]
RESTS = [Fraction(1, 10**30), Fraction(1, 20), Fraction(1, 4), ONE]


def random_box(random: Random, targets: list[int]) -> LimitRow:
    """A box that is not empty: points, ties, ends at 0, long numbers, and mass that must leave occur."""
    top = random.choice([3, 12, 12, 10**9, 10**25])
    weights = [random.randint(1, top) for _ in targets]
    rest = random.choice(RESTS) if random.random() < 0.35 else ZERO
    whole = 1 - rest if rest and random.random() < 0.3 else ONE  # then some mass must leave
    width = random.choice(WIDTHS)
    entries = []
    for target, weight in zip(targets, weights, strict=True):
        p = whole * Fraction(weight, sum(weights))
        less, more = (width * Fraction(random.randint(0, 4), 4) for _ in range(2))
        entries.append((target, max(ZERO, p - less - random.choice([ZERO, rest])), min(ONE, p + more)))
    return LimitRow(tuple(entries), rest)


def random_boxes(
    random: Random, *, acyclic: bool | None = None, inputs: bool = False, most_states: int = 7, two_modes: bool = False
) -> Chain:
    """A chain whose rows are boxes, some of them points; states 0 and 1 have one label.

    ``acyclic`` chains end in states that are never left; None tosses a coin. ``inputs`` lets labels have some.
    ``two_modes`` has two states of each label, 2k and 2k + 1, as the rule "corners" needs.
    """
    size = random.randint(2, most_states // 2) * 2 if two_modes else random.randint(3, most_states)
    letters = "abc"[: random.randint(1, 3)]
    labels = [str(state // 2) if two_modes else random.choice(letters) for state in range(size)]
    labels[1] = labels[0]
    cycles = not (random.random() < 0.5 if acyclic is None else acyclic)
    counts = {label: random.choice([0, 0, 1, 2, 3]) if inputs else 0 for label in labels}

    def row(state: int) -> AnyRow:
        after = (state // 2 + 1) * 2 if two_modes else max(state + 1, 2)
        targets = [*range(0 if cycles else after, size)]
        if not targets or (state >= 2 and random.random() < 0.2):
            return PointRow(((state, ONE),))
        if cycles and random.random() < 0.15:  # it may stay, and may leave the model
            rest = random.choice(RESTS)
            return LimitRow(((state, 1 - rest, ONE),), rest)
        return random_box(random, sorted(random.sample(targets, min(random.randint(1, 4), len(targets)))))

    return Chain(
        tuple(map(str, range(size))),
        tuple(labels),
        tuple(tuple(row(state) for _ in range(max(counts[labels[state]], 1))) for state in range(size)),
        relation=((0, 1),),
        inputs={label: tuple(f"i{k}" for k in range(count)) for label, count in sorted(counts.items()) if count},
    )
