"""What to ask after which answers: the strategy behind a lower bound of δ, where the observer chooses inputs.

A strategy is a tree. At each step something is seen (a label), and the observer asks an input, or stops and guesses:
"it was the first state" if x > αy, where x and y are the probabilities of having come here from the two states under
the strategy. Cut off anywhere, it is a strategy still, with the exact advantage Σ max(x − αy, 0) over its leaves. So
what is listed here is a complete attack by itself; the heaviest part comes first, and what it lacks of the lower bound
is said.

The strategy is read from what proves the bound: from the graph of beliefs, where it surely arrives somewhere (an input
is preferred only if it is strictly better, `choices`), or from the tree of signed beliefs and the event vectors at its
leaves.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from ...model import Chain
from ...model.words import Belief, advance, initial_belief, total
from ...numbers.field import Exact, length

LONGEST_NUMBER = 20_000
"""Bits of a probability; what lies beyond is left out of the list."""
STEPS = 300
"""Steps that are listed, about."""
DEEPEST = 150
"""Answers in a row that are listed: trees are shown, and written, level by level."""


@dataclass(frozen=True, slots=True)
class StrategyStep:
    """After some answers: what is seen, how likely that is from either state, and what to do."""

    label: str
    probability: Exact
    other: Exact
    asked: str | None
    """The input to ask; None where there is no choice, or nothing more to do."""
    guess: bool | None
    """At an end: whether to say that it was the first state; None where the strategy goes on."""
    after: tuple[StrategyStep, ...] = ()

    def ends(self) -> Iterator[tuple[tuple[str, ...], tuple[str | None, ...], StrategyStep]]:
        """The leaves, each with the labels seen on the way and the inputs asked between them."""
        stack: list[tuple[tuple[str, ...], tuple[str | None, ...], StrategyStep]] = [((self.label,), (), self)]
        while stack:
            word, inputs, step = stack.pop()
            if step.guess is not None:
                yield word, inputs, step
            stack.extend(((*word, s.label), (*inputs, step.asked), s) for s in reversed(step.after))

    def gain(self, alpha: Exact) -> Exact:
        """Σ x − αy over the ends at which to guess: what the strategy is worth from here on."""
        ends = (step for _, _, step in self.ends() if step.guess)
        return total(step.probability - alpha * step.other for step in ends)

    def prune(self, alpha: Exact, most: int) -> StrategyStep:
        """The heaviest part, of at most about ``most`` steps: a strategy too, cut off where the rest is worth least."""
        kept: set[int] = set()
        heap: list[tuple[Exact, int, StrategyStep]] = [(Fraction(-1), 0, self)]
        count = 1
        while heap and count < most:
            _, _, step = heapq.heappop(heap)
            kept.add(id(step))
            for child in step.after:
                count += 1
                if child.after:
                    sure = max(child.probability - alpha * child.other, Fraction(0))
                    # The least first: where going on gains most over stopping.
                    heapq.heappush(heap, (sure - child.gain(alpha), count, child))
        return self._cut(kept, alpha)

    def _cut(self, kept: set[int], alpha: Exact) -> StrategyStep:
        if not self.after or id(self) not in kept:
            guess = self.probability > alpha * self.other
            return StrategyStep(self.label, self.probability, self.other, None, guess)
        after = tuple(child._cut(kept, alpha) for child in self.after)
        return StrategyStep(self.label, self.probability, self.other, self.asked, None, after)


class Guide(Protocol):
    """What proves a lower bound, as something that can be asked for advice at any position."""

    def advice(self, position: int) -> str | bool | None:
        """The input to ask (None: no choice), or False to stop."""

    def follow(self, position: int, label: str) -> int | None:
        """The position after the advice was followed and the label seen; None if nothing is known of it."""

    def promise(self, position: int, x: Belief, y: Belief) -> float:
        """About how much can be gained from here on, beliefs being x and y."""


@dataclass(slots=True)
class _Open:
    """A step that is being listed."""

    label: str
    x: Belief
    y: Belief
    depth: int = 0
    asked: str | None = None
    after: list[_Open] | None = None


def listed_strategy(
    chain: Chain, pair: tuple[int, int], alpha: Exact, guide: Guide, start: int, most: int = STEPS
) -> StrategyStep:
    """The heaviest part of the strategy: at most about ``most`` steps, whatever they are worth; exact."""
    s, t = pair
    root = _Open(chain.labels[s], initial_belief(s), initial_belief(t))
    heap: list[tuple[float, int, int, _Open]] = [(-1.0, 0, start, root)]
    count = 1
    while heap and count < most:
        _, _, here, step = heapq.heappop(heap)
        asked = guide.advice(here)
        # False is to stop; None would be a step without a choice.
        if isinstance(asked, bool):
            continue
        after = [advance(chain, belief, asked) for belief in (step.x, step.y)]
        step.asked, step.after = asked, []
        for label in sorted({*after[0], *after[1]}):
            position = guide.follow(here, label)
            child = _Open(label, after[0].get(label, {}), after[1].get(label, {}), step.depth + 1)
            step.after.append(child)
            count += 1
            if position is not None and child.depth < DEEPEST and _length(child) <= LONGEST_NUMBER:
                # What it brings to go on rather than to stop and guess.
                gain = guide.promise(position, child.x, child.y) - float(_gap(child, alpha))
                if gain > 0:
                    heapq.heappush(heap, (-gain, count, position, child))
    return _close(root, alpha)


def _close(root: _Open, alpha: Exact) -> StrategyStep:
    """The steps as values, children first."""
    made: dict[int, StrategyStep] = {}
    stack = [(root, False)]
    while stack:
        step, ready = stack.pop()
        if step.after and not ready:
            stack.append((step, True))
            stack.extend((child, False) for child in step.after)
            continue
        x, y = (total(belief.values()) for belief in (step.x, step.y))
        after = tuple(made.pop(id(child)) for child in step.after or ())
        made[id(step)] = StrategyStep(step.label, x, y, step.asked, None if after else x > alpha * y, after)
    return made[id(root)]


def total_mass(*beliefs: Belief) -> Exact:
    """The mass of the beliefs together."""
    return total(mass for belief in beliefs for mass in belief.values())


def _gap(step: _Open, alpha: Exact) -> Exact:
    return max(total_mass(step.x) - alpha * total_mass(step.y), Fraction(0))


def _length(step: _Open) -> int:
    return max((length(mass) for belief in (step.x, step.y) for mass in belief.values()), default=0)
