"""δ(ε), and divergences, of a mechanism between two labellings of one chain (`sandwiched`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial

from ...beliefs.question import Question
from ...beliefs.search import search
from ...cancel import Cancel
from ...certificate.claims import Evidence
from ...certificate.inspection import Inspection
from ...certificate.views import Views
from ...numbers.fraction import ExpEpsilon
from ..divergences.show import bound_between
from ..sandwiched import NARROW, Side, Sides, narrow
from .show import Profile, ProfilePoint


def profile_between(
    question: Question,
    cancel: Cancel,
    inspection: Inspection | None,
    ask: Callable[[Side, Inspection | None, Sequence[Fraction] | None], Profile],
    grid: Sequence[Fraction] | None,
    keep: Callable[[ExpEpsilon, Evidence], None] | None,
) -> Profile:
    """`profile` of a mechanism, where ``ask`` is the same about one chain; ``keep`` saves the proof of each point."""
    last: Sides | None = None

    def answer(sides: Sides, checks: Inspection | None) -> Profile:
        nonlocal last
        last, above = sides, ask(sides.fine, checks, grid)
        about = None if checks is None else checks.about(sides.sandwich.coarse)
        return _curves(above, ask(sides.coarse, about, [point.epsilon for point in above.points]), sides)

    def is_settled(found: Profile) -> bool:
        wide = max((point.upper - point.lower for point in found.points), default=Fraction(0))
        measured = [each for group in found.divergences for each in group if each.upper is not None]
        gap = NARROW if question.gap is None else question.gap
        near = all((each.upper or 0) - (each.lower or 0) <= gap * (each.upper or 0) for each in measured)
        return near and wide <= gap

    found = narrow(question.chain, cancel, inspection, partial(Sides.of, question), answer, is_settled)
    if keep is not None and last is not None:
        for point in found.points:
            at = ExpEpsilon.of(point.epsilon)
            above, below = (
                search(replace(side.question, at=at), side.work, cancel) for side in (last.fine, last.coarse)
            )
            views = Views(last.sandwich, above, below)
            if not views.missing:
                keep(at, views)
    return found


def _curves(above: Profile, below: Profile, sides: Sides) -> Profile:
    """The band between two curves."""
    points = tuple(
        ProfilePoint(
            high.epsilon, low.lower, high.upper, high.reached and low.reached, _both(high.checked, low.checked)
        )
        for high, low in zip(above.points, below.points, strict=True)
    )
    views = sides.views(above._proof, below._proof)
    if above.distributions is not None and above.distributions == below.distributions:
        return replace(above, _proof=above._proof)
    divergences = tuple(
        tuple(bound_between(high, low) for high, low in zip(*groups, strict=True))
        for groups in zip(above.divergences, below.divergences, strict=True)
    )
    return replace(
        above,
        points=points,
        distributions=None,
        pieces=None,
        together=(),
        endless=(),
        interrupted=above.interrupted or below.interrupted,
        divergences=divergences,
        checked_tradeoff=above.checked_tradeoff,
        between=(above, below),
        _proof=views,
    )


def _both(one: bool | None, other: bool | None) -> bool | None:
    """What the checker said of a point of two curves: None if it follows from other points of one of them."""
    return None if one is None or other is None else one and other
