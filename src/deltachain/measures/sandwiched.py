"""Answers about a mechanism between two labellings of one chain: from above by the fine one, from below by the coarse.

Each verb is asked of both chains, as it is asked of any; what it finds from above of the one, and from below of the
other, is one answer, with one certificate (`certificate.views`). While the two differ and the question is open, twice
as many numbers are told apart (`Chain.sandwiches`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

from ..beliefs.graph.finite import Part
from ..beliefs.graph.losses import find_parts
from ..beliefs.question import Budget, Question
from ..beliefs.search import search
from ..beliefs.workspace import Workspace
from ..cancel import Cancel
from ..certificate.claims import Claim, Evidence, written
from ..certificate.inspection import Inspection, accepted_by
from ..certificate.record import Certificate, Writer
from ..certificate.views import Views
from ..errors import Stopped
from ..model.sandwich import Sandwich
from ..numbers.exponential import exp_of
from ..numbers.fraction import ExpEpsilon
from .delta.show import Delta, PairDelta, Verdict
from .divergences.show import bound_between
from .profile.show import Profile, ProfilePoint

if TYPE_CHECKING:
    from ..beliefs.question import StopReason
    from ..model import Chain
    from ..numbers.field import Exact
    from .epsilon.show import EpsilonBound
    from .guess.show import Guess

Found = TypeVar("Found")
Both = TypeVar("Both")

NARROW = Fraction(1, 10**6)
"""A band is narrow enough where δ is known so closely, and divergences relative to themselves."""
MOST_STATES = 20_000
"""Numbers are told apart up to about so many states."""


@dataclass(frozen=True)
class Side:
    """A question about one of the two chains, and what is known of that chain already."""

    question: Question

    @cached_property
    def work(self) -> Workspace:
        """Where beliefs of it are kept from one answer to the next."""
        return Workspace.of(self.question)


@dataclass(frozen=True)
class Sides:
    """One of ever narrower sandwiches, and a question about each of its chains."""

    sandwich: Sandwich
    fine: Side
    coarse: Side

    @classmethod
    def of(cls, question: Question, sandwich: Sandwich) -> Sides:
        """The same question about both."""
        return cls(sandwich, *(Side(replace(question, chain=chain)) for chain in (sandwich.fine, sandwich.coarse)))

    def views(self, above: Evidence | None, below: Evidence | None) -> Views | None:
        """The evidence of both sides; None where one side has none."""
        return None if above is None or below is None else Views(self.sandwich, above, below)


Ask = Callable[[Side, "Inspection | None"], Found]
"""A verb, asked of one chain; with an inspection, what it says is checked."""


def narrow(
    chain: Chain,
    cancel: Cancel,
    inspection: Inspection | None,
    both: Callable[[Sandwich], Both],
    answer: Callable[[Both, Inspection | None], Found],
    settled: Callable[[Found], bool],
) -> Found:
    """The answer about the first of a chain's sandwiches that settles a question, or about the last of all.

    ``both`` is what an answer is made from: it keeps what need not be found twice.
    It ends also where the next one would have too many states, or time is up. Only this last answer is checked.
    """
    last: tuple[Sandwich, Both, Found] | None = None
    for sandwich in _in_time(chain):
        if last is not None and cancel.stopped():
            break
        sides = both(sandwich)
        last = sandwich, sides, answer(sides, None)
        if settled(last[2]) or cancel.stopped() or 2 * len(sandwich.fine) > MOST_STATES:
            break
    if last is None:
        raise ValueError("no sandwich")
    sandwich, sides, found = last
    if inspection is None or cancel.stopped():
        return found
    return answer(sides, inspection.about(sandwich.fine))


def _in_time(chain: Chain) -> Iterator[Sandwich]:
    """The chain's sandwiches, as long as there is time to make them; the first is there already."""
    made = iter(()) if chain.sandwiches is None else chain.sandwiches()
    while True:
        try:
            found = next(made, None)
        except Stopped:
            return
        if found is None:
            return
        yield found


# δ


def delta_between(question: Question, cancel: Cancel, inspection: Inspection | None, ask: Ask[Delta]) -> Delta:
    """`delta` or `check` of a mechanism, where ``ask`` is the same about one chain."""

    def answer(sides: Sides, checks: Inspection | None) -> Delta:
        return _between(ask(sides.fine, None), ask(sides.coarse, None), sides, checks)

    def settled(found: Delta) -> bool:
        if isinstance(found, Verdict):
            return found.verdict != "undecided"
        # Losses are composed as bounds, which need not meet.
        gap = question.gap if question.gap is not None or not question.together else NARROW
        return found.exact or (gap is not None and found.upper - found.lower <= gap)

    return narrow(question.chain, cancel, inspection, partial(Sides.of, question), answer, settled)


def _between(above: Delta, below: Delta, sides: Sides, inspection: Inspection | None) -> Delta:
    """One answer of two, made of the claims that the checker accepts."""
    evidence = sides.views(above._proof, below._proof)
    if evidence is None:
        raise ValueError("an answer without evidence")
    accepted = accepted_by(inspection, evidence)
    count = len(above.results)
    uppers, lowers = accepted.claims[:count], accepted.claims[count:]
    results = tuple(
        _pair(one, other, Fraction(low.lower), Fraction(high.upper))
        for one, other, high, low in zip(above.results, below.results, uppers, lowers, strict=True)
    )
    exact = all(result.exact for result in results)
    return replace(
        above,
        results=results,
        _proof=evidence,
        checked=accepted.checked,
        witness=below.witness,
        explanation=above.explanation if exact else None,
        acyclic=above.acyclic and below.acyclic,
    )


def _pair(above: PairDelta, below: PairDelta, lower: Fraction, upper: Fraction) -> PairDelta:
    """One pair: equal values are exact."""
    value = above.value if above.value is not None and above.value == below.value else None
    limits = (each.stopped for each in (above, below) if each.stopped != "finished")
    stopped: StopReason = next(limits, "finished" if value is not None or lower == upper else "letters")
    method = above.method if above.method == below.method else f"{above.method} above, {below.method} below"
    nodes = above.nodes + below.nodes
    return replace(
        above, lower=lower, upper=upper, value=value, method=method, stopped=stopped, nodes=nodes, within=None
    )


# The least ε


def epsilon_between(
    question: Question, cancel: Cancel, inspection: Inspection | None, ask: Ask[EpsilonBound], width: Fraction
) -> EpsilonBound:
    """`epsilon` of a mechanism, where ``ask`` is the same about one chain.

    For δ = 0 the largest ratio of the fine chain is that of the mechanism where a word attains it whose letters keep
    ratios; in all other cases bounds from below are those of the coarse chain. Each end is checked by itself: it is
    about an e^ε of its own, but where both are known from where runs end.
    """

    def answer(sides: Sides, checks: Inspection | None) -> EpsilonBound:
        sandwich, above = sides.sandwich, ask(sides.fine, checks)
        if above.pure and not above.impossible and above.repeat == 1 and not above.compose:
            if sandwich.keeps_ratios:
                return above
            word = find_word(sides.fine.work, sandwich.inner, cancel) if above.exact else None
            if word is not None and word.ratio == _least(above):
                return _attained(above, word, checks)
        below = ask(sides.coarse, None if checks is None else checks.about(sandwich.coarse))
        return _ends(above, below, sides)

    def settled(found: EpsilonBound) -> bool:
        proved = found.exp_epsilon_proved
        return found.exact or found.impossible or (proved is not None and proved <= found.refuted * (1 + width))

    return narrow(question.chain, cancel, inspection, partial(Sides.of, question), answer, settled)


def _least(found: EpsilonBound) -> Exact | None:
    """The least e^ε itself, where it is known."""
    if found.value is not None or found.least is None:
        return found.value if found.value is not None else found.exp_epsilon_proved
    return exp_of(found.least) if found.least else Fraction(1)


def _ends(above: EpsilonBound, below: EpsilonBound, sides: Sides) -> EpsilonBound:
    """The ε proved of the fine chain, the ε refuted of the coarse one."""
    exact = above.exact and below.exact and _least(above) == _least(below)
    views = sides.views(above._proof, below._proof)
    proof: Evidence | None = above._proof if views is None or views.missing else views
    refuted = {
        "refuted": below.refuted,
        "checked_refuted": below.checked_refuted,
        "least_delta": below.least_delta,
        "reason": below.reason,
    }
    found = replace(above, **refuted, exact=exact, _proof=proof)  # type: ignore[arg-type]  # fields of its own
    return found if exact else replace(found, least=None, value=None)


@dataclass(frozen=True, eq=False)
class RatioOf:
    """A word of the fine chain whose letters keep ratios, as evidence of the mechanism's largest ratio from below.

    Attributes:
        chain: the fine chain.
        first: the state that shows it more often.
        other: the other one.
        word: its letters, that of the state itself first.
        ratio: of the probabilities, exactly.
    """

    chain: Chain
    first: str
    other: str
    word: tuple[str, ...]
    ratio: Exact

    missing = ""

    @property
    def claims(self) -> Sequence[Claim]:
        """The ratio, from below."""
        return [Claim(measure="ratio", subject=(self.first, self.other), lower=self.ratio)]

    def certificate(self, most_bytes: int | None = None) -> Certificate:
        """The word."""
        base = self.chain.base
        entry = written(self.claims[0], base) | {"first": self.first, "words": list(self.word)}
        return Writer(most_bytes, base=base).certificate(self.chain.sha256, (), [entry])


def _attained(above: EpsilonBound, word: RatioOf, inspection: Inspection | None) -> EpsilonBound:
    """The least ε of the fine chain, which is that of the mechanism, since the word attains it."""
    said = accepted_by(inspection, word).checked
    return replace(above, checked_refuted=above.checked_refuted + said)


def find_word(work: Workspace, inner: Set[str], cancel: Cancel) -> RatioOf | None:
    """The word with the largest finite ratio of some pair, without ``inner`` letters; None if words do not end."""
    found: RatioOf | None = None
    names = work.chain.states
    for pair in work.alike:
        parts = find_parts(work, pair, Budget(), cancel)
        if parts is None or len(parts) > 1:
            return None
        (part,) = parts
        for word, (x, y) in _words(part, work.chain.labels[pair[0]], inner):
            if not x or not y:
                continue
            ratio = part.graph.field.exactly(part.graph.field.quotient(x, y))
            for (first, other), value in ((pair, ratio), (pair[::-1], 1 / ratio)):
                if found is None or value > found.ratio:
                    found = RatioOf(work.chain, names[first], names[other], word, value)
    return found


def _words(part: Part, letter: str, inner: Set[str]) -> Iterator[tuple[tuple[str, ...], tuple[Any, Any]]]:
    """A word to each closed node of a graph that comes without inner letters, and the masses there."""
    graph, seen = part.graph, {part.root}
    waiting: list[tuple[int, tuple[str, ...]]] = [(part.root, (letter,))]
    while waiting:
        node, word = waiting.pop()
        if graph.closed(node):
            yield word, (graph.nodes[node].mass_x, graph.nodes[node].mass_y)
            continue
        for edge in graph.edges[node] or ():
            if edge.child not in seen and edge.label not in inner:
                seen.add(edge.child)
                waiting.append((edge.child, (*word, edge.label)))


# δ(ε), divergences


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

    def settled(found: Profile) -> bool:
        wide = max((point.upper - point.lower for point in found.points), default=Fraction(0))
        measured = [each for group in found.divergences for each in group if each.upper is not None]
        gap = NARROW if question.gap is None else question.gap
        near = all((each.upper or 0) - (each.lower or 0) <= gap * (each.upper or 0) for each in measured)
        return near and wide <= gap

    found = narrow(question.chain, cancel, inspection, partial(Sides.of, question), answer, settled)
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


# Guesses


def guess_between(
    chain: Chain, cancel: Cancel, inspection: Inspection | None, ask: Callable[[Chain, Inspection | None], Guess]
) -> Guess:
    """`guess` of a mechanism, where ``ask`` is the same about one chain."""

    def answer(sandwich: Sandwich, checks: Inspection | None) -> Guess:
        above, below = ask(sandwich.fine, None), ask(sandwich.coarse, None)
        if above._proof is None or below._proof is None:
            raise ValueError("an answer without evidence")
        views = Views(sandwich, above._proof, below._proof)
        accepted = accepted_by(checks, views)
        high, low = accepted.claims
        return replace(
            above,
            lower=low.lower,
            upper=high.upper,
            spread=(below.spread[0], above.spread[1]),
            strategy=below.strategy,
            nodes=above.nodes + below.nodes,
            checked=accepted.checked,
            _proof=views,
        )

    def settled(found: Guess) -> bool:
        return bool(found.exact or found.upper - found.lower <= NARROW * found.upper)

    return narrow(chain, cancel, inspection, lambda sandwich: sandwich, answer, settled)
