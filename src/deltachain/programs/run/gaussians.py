"""How concentrated the losses of a program are that announces known integers with discrete Gaussian noise added.

No finite chain with finite ratios tells at least as much as a Gaussian that is shifted, so that the divergences of a
chain whose tails are cut off have no bound. They have one by a theorem (docs/theory/gaussian.md): where c + Z and
c + Δ + Z are announced, Z discrete Gaussian of parameter σ, the Rényi divergence of every order a > 1 is at most
a·Δ²/(2σ²). What such announcements of a run cost adds up, whatever is announced in between that the secret does not
change, if each number's noise is drawn for it alone and its distance Δ does not depend on what was announced.

`Concentration` follows two runs with the same letters side by side. They must draw alike: a hidden draw must have the
same probabilities for both, and then its outcomes may be known, which tells more; noise must be announced whole, on the
same multiples, and not be read again; questions must have the same options, the worst of which counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from ...model.chain import Pair
from ...numbers.ball import scaled_ends
from ...numbers.real import Real, ball_of
from ..language.graph import Kind
from ..language.numbers import ENCLOSED, Moves
from ..language.unbounded import Normal, Unbounded
from ..noise.spread import Announced, ShownNoise
from .explore import Explorer

if TYPE_CHECKING:
    from .states import Explored

ZERO = Fraction(0)
SIGMA_BITS = 256
"""σ is rounded down to so many binary places, where it is no fraction."""


class NotConcentrated(Exception):
    """Why nothing is known of how concentrated losses are."""


class Concentration:
    """ρ of pairs of configurations: every Rényi divergence of order a > 1 is at most a·ρ, both ways."""

    def __init__(self, explorer: Explored, draws: Callable[[int], Moves | Announced]) -> None:
        """``draws`` tells where a drawing configuration leads."""
        self._explorer, self._draws = explorer, draws
        self._known: dict[Pair, Fraction] = {}

    def of(self, start: Pair) -> Fraction:
        """ρ of two configurations; NotConcentrated if the theorem does not apply."""
        stack: list[tuple[Pair, Fraction, list[Pair], Iterator[Pair]]] = []
        open_pairs: set[Pair] = set()

        def enter(pair: Pair) -> None:
            if pair in open_pairs:
                raise NotConcentrated("a run may go on without end")
            cost, after = self._step(pair)
            open_pairs.add(pair)
            stack.append((pair, cost, after, iter(after)))

        if start not in self._known:
            enter(start)
        while stack:
            pair, cost, after, rest = stack[-1]
            following = next((each for each in rest if each not in self._known), None)
            if following is not None:
                enter(following)
                continue
            self._known[pair] = cost + max((self._known[each] for each in after), default=ZERO)
            open_pairs.discard(pair)
            stack.pop()
        return self._known[start]

    def _step(self, pair: Pair) -> tuple[Fraction, list[Pair]]:
        """What the next letter of both costs, and the pairs that it may lead to."""
        one, other = pair
        if Explorer.CUT_OFF in pair:
            raise NotConcentrated("noise of another kind is cut off")
        if one == other:
            return ZERO, []
        if one < 0 or other < 0:
            raise NotConcentrated("what is drawn or announced depends on the secret")
        explorer = self._explorer
        kind = explorer.stands_before(one)
        if kind is not explorer.stands_before(other):
            raise NotConcentrated("what is drawn or announced depends on the secret")
        explorer.look_up(1, "following Gaussians")
        if kind is Kind.DRAW:
            return self._draw(self._draws(one), self._draws(other))
        if kind is Kind.ANNOUNCE:
            (letter, after), (another, beside) = explorer.letter(one), explorer.letter(other)
            if letter != another:
                raise NotConcentrated("a letter without noise depends on the secret")
            return ZERO, [(after, beside)]
        if kind is Kind.ASK:
            options, others = explorer.question(one), explorer.question(other)
            if options != others:
                raise NotConcentrated("what may be asked depends on the secret")
            return ZERO, [(explorer.answer(one, value), explorer.answer(other, value)) for _, value in options]
        return ZERO, []

    def _draw(self, one: Moves | Announced, other: Moves | Announced) -> tuple[Fraction, list[Pair]]:
        if isinstance(one, Announced) and isinstance(other, Announced):
            mine, theirs = (_whole(each) for each in (one, other))
            if _form(one.noise, mine) != _form(other.noise, theirs):
                raise NotConcentrated("the scale or the form of announced noise depends on the secret")
            distance = mine.stairs.shift - theirs.stairs.shift
            return distance * distance * _cost(one.noise), [(mine.after, theirs.after)]
        if isinstance(one, Moves) and isinstance(other, Moves):
            alike = (one.weights, one.total, one.base) == (other.weights, other.total, other.base)
            # Numbers that are enclosed alike need not be the same.
            if len(one.targets) == len(other.targets) == 1 or (alike and one.base != ENCLOSED):
                return ZERO, list(zip(one.targets, other.targets, strict=True))
        raise NotConcentrated("noise is compared, used twice, or otherwise hidden")


def _whole(drawn: Announced) -> ShownNoise:
    """The announcement of all outcomes of a Gaussian."""
    if not isinstance(drawn.noise, Normal):
        raise NotConcentrated("other noise than Gaussian is announced")
    if drawn.spans or drawn.lost or len(drawn.shown) != 1:
        raise NotConcentrated("some outcomes of the noise lead elsewhere")
    (shown,) = drawn.shown
    if shown.low is not None or shown.high is not None or shown.relative:
        raise NotConcentrated("some outcomes of the noise lead elsewhere")
    return shown


def _form(noise: Unbounded, shown: ShownNoise) -> tuple[object, int, int, int]:
    """What must be the same for both: σ, and which function of c ± noise is announced."""
    stairs = shown.stairs
    return noise.parameter, stairs.run, stairs.rise, stairs.base


def _cost(noise: Unbounded) -> Fraction:
    """1/(2σ²), or a little more."""
    sigma = noise.parameter
    if isinstance(sigma, Real):
        low, _ = scaled_ends(ball_of(sigma), SIGMA_BITS)
        least = Fraction(low, 1 << SIGMA_BITS)
        if least <= 0:
            raise NotConcentrated("σ is too close to 0")
        return 1 / (2 * least**2)
    return 1 / (2 * Fraction(sigma) ** 2)  # type: ignore[arg-type]  # every irrational is a Real
