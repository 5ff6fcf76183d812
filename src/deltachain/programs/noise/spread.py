"""Draws from all integers: which outcomes need not be told apart.

What follows a draw is run once with the outcome unknown (`outcomes`), and what is kept of it are expressions of
the outcome z. Piece by piece (`pieces`) they say which outcomes lead to the same configuration: these are one *cell*,
whose probability is that of a span of z, exactly, however long. So ``x + z >= t`` makes two cells, and clamps,
remainders and absolute values make as many as they have values.

Three kinds of cell are left. *One*: all its outcomes lead to one configuration. *Shown*: the outcome is announced,
shifted by something known, multiplied, or rounded down to a multiple, and not read again. *Each*: outcomes lead to
different configurations, or nothing can be said; they are told apart one by one, and a cell without end is cut off at
the reach of the noise.

Whatever goes wrong for an outcome still goes wrong: an expression that may is opaque, and its cells are of the third
kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

from ..language.graph import Kind, bake
from ..language.numbers import MOST_TOLD_APART, Law
from ..language.source import Problem
from ..language.unbounded import Span, Unbounded, first_from
from .pieces import OPAQUE, Ends, FormPiece, Line, Periodic, Pieces, Same, Stairs, clip, pieces_of, truths

if TYPE_CHECKING:
    from ...model.outputs import Multiples
    from ..run.explore import Explorer
    from ..run.outcomes import Outcomes, Prepared


class Cell(NamedTuple):
    """Outcomes, and what is known of them; a shown one is announced as its stairs say."""

    span: Span
    how: Literal["one", "each", "shown"]
    stairs: Stairs | None = None


class ShownNoise(NamedTuple):
    """Outcomes without end that are announced as their stairs say, all of which lead to one configuration."""

    low: int | None
    high: int | None
    stairs: Stairs
    after: int
    relative: Multiples = ()
    """Beside which multiples of earlier outputs."""

    @property
    def steps(self) -> Ends:
        """The first and the last step, on which the least and the greatest number are announced."""
        first, last = (None if z is None else self.stairs.step(z) for z in (self.low, self.high))
        return (first, last) if self.stairs.sign > 0 else (last, first)

    def span(self, first: int | None, last: int | None) -> Span:
        """The outcomes on the steps from the first to the last."""
        sign, shift, run = self.stairs.sign, self.stairs.shift, self.stairs.run
        low = None if first is None else sign * (run * first - shift)
        high = None if last is None else sign * (run * last + run - 1 - shift)
        low, high = (low, high) if sign > 0 else (high, low)
        # The outcomes may begin and end amid a step.
        low = self.low if low is None else low if self.low is None else max(low, self.low)
        high = self.high if high is None else high if self.high is None else min(high, self.high)
        return Span(low, high)


class Announced(NamedTuple):
    """A draw some of whose outcomes are shown, and need no limit if nothing else tells them apart."""

    noise: Unbounded
    spans: list[Span]
    targets: list[int]
    """Where the other outcomes lead, span by span."""
    lost: list[Span]
    """What is cut off."""
    shown: list[ShownNoise]


class Spread:
    """The cells of one draw."""

    def __init__(self, explorer: Explorer, outcomes: Outcomes, variable: str) -> None:
        self._explorer, self._outcomes, self._variable = explorer, outcomes, variable

    def cells(self, root: Prepared) -> list[Cell]:
        """The cells, in no order; ``root`` is what all outcomes do first."""
        known: dict[str, Pieces] = {self._variable: [FormPiece(None, None, LINE)]}
        return list(self._follow(root, (None, None), known))

    def _follow(self, part: Prepared, ends: Ends, known: dict[str, Pieces]) -> Iterator[Cell]:
        known, ranges = dict(known), [ends]
        for name, expression in part.expressions:
            known[name] = pieces_of(expression, known)
            kept: list[Ends] = []
            for around in ranges:
                for low, high, form in clip(known[name], *around):
                    # It may go wrong for some of these: each is run, and says so itself.
                    if form is OPAQUE:
                        yield Cell(Span(low, high), "each")
                    elif kept and kept[-1][1] is not None and kept[-1][1] + 1 == low:
                        kept[-1] = kept[-1][0], high
                    else:
                        kept.append((low, high))
            ranges = kept
        for around in ranges:
            if part.left_to_runs:
                yield Cell(Span(*around), "each")
            elif part.tested is None:
                yield from self._stop(part, around, known)
            else:
                for low, high, form in clip(truths(pieces_of(part.tested, known)), *around):
                    if isinstance(form, Same):
                        yield from self._follow(self._outcomes.arm(part, bool(form.value)), (low, high), known)
                    else:
                        yield Cell(Span(low, high), "each")

    def _stop(self, part: Prepared, ends: Ends, known: dict[str, Pieces]) -> Iterator[Cell]:
        explorer = self._explorer
        i = explorer.graph.instructions[part.point]
        holes = [name for name in explorer.live[part.point] if explorer.slots[name] in part.unknown]
        # Of noise that is announced and not read again, the letter alone tells outcomes apart.
        read_later = i.kind is not Kind.ANNOUNCE or any(
            explorer.slots[name] in part.unknown for name in explorer.live[i.next]
        )
        if not holes:
            yield Cell(Span(*ends), "one")
        elif read_later:
            yield from self._told_apart(ends, [known[name] for name in holes])
        else:
            shown = bake(i.reads[0], part.environment, part.unknown, explorer.slots)
            for low, high, form in clip(pieces_of(shown, known), *ends):
                if isinstance(form, Line) and form.integral:
                    yield Cell(Span(low, high), "shown", Stairs.of_line(form))
                elif isinstance(form, Stairs):
                    yield Cell(Span(low, high), "shown", form)
                else:
                    yield from _of_form(FormPiece(low, high, form))

    def _told_apart(self, ends: Ends, holes: list[Pieces]) -> Iterator[Cell]:
        """Cells on which every variable that is read later has one value, or one for each remainder."""
        ranges = [ends]
        for pieces in holes:
            kept: list[Ends] = []
            for around in ranges:
                for low, high, form in clip(pieces, *around):
                    if isinstance(form, Same):
                        kept.append((low, high))
                    # Beside another variable the remainders would have to be refined by its pieces.
                    elif isinstance(form, Periodic) and len(holes) == 1:
                        yield from _of_form(FormPiece(low, high, form))
                    else:
                        yield Cell(Span(low, high), "each")
            ranges = kept
        for around in ranges:
            yield Cell(Span(*around), "one")

    def law(
        self, noise: Unbounded, cells: list[Cell], weighed: Callable[..., Law], run: RunOutcomes
    ) -> Law | Announced:
        """The law of representatives of the cells, where each cell has one; outcomes that are shown are left open.

        ``weighed`` puts values and spans together, ``run`` tells where an outcome leads; lost mass has the value None.
        """
        spans, values, lost, shown = list[Span](), list[int](), list[Span](), list[tuple[Span, Stairs]]()
        for cell in cells:
            if cell.how == "one":
                spans.append(cell.span)
                values.append(nearest(cell.span))
                continue
            # A shown cell with two ends is finite: each of its outcomes is a letter of its own, below.
            if cell.stairs is not None and (cell.span.low is None or cell.span.high is None):
                shown.append((cell.span, cell.stairs))
                continue
            if is_endless(cell.span):
                self._explorer.about_to_cut_off()
            each, beyond_reach = told_apart(noise, cell.span)
            lost += beyond_reach
            for z in each:
                spans.append(Span(z, z))
                values.append(z)
        if not shown:
            return weighed(noise, values, spans, lost)
        targets = run(values)
        found = []
        for (span, stairs), here in zip(shown, run([nearest(span) for span, _ in shown]), strict=True):
            _, after = self._explorer.letter(here)
            found.append(ShownNoise(span.low, span.high, stairs, after))
        return Announced(noise, spans, targets, lost, found)


RunOutcomes = Callable[[list[int]], list[int]]
LINE = Line(1, 0)
"""The outcome itself."""


def _of_form(piece: FormPiece) -> Iterator[Cell]:
    low, high, form = piece
    if isinstance(form, Same):
        yield Cell(Span(low, high), "one")
    elif isinstance(form, Periodic):
        step = len(form.values)
        for residue in range(step):
            found = Span(low, high, step, residue)
            if low is None or high is None or first_from(low, step, residue) <= high:
                yield Cell(found, "one")
    else:
        yield Cell(Span(low, high), "each")


def nearest(span: Span) -> int:
    """The outcome of a span that is closest to 0, or next to it."""
    low, high, step, residue = span
    start = 0
    if low is not None and low > 0:
        start = low
    elif high is not None and high < 0:
        start = high
    above = first_from(start, step, residue)
    return above if high is None or above <= high else above - step


def beyond(low: int | None, high: int | None, reach: int) -> list[Span]:
    """The outcomes between low and high that are further than ``reach`` from 0."""
    found = []
    if low is None or low < -reach:
        found.append(Span(low, -reach - 1 if high is None else min(high, -reach - 1)))
    if high is None or high > reach:
        found.append(Span(reach + 1 if low is None else max(low, reach + 1), high))
    return found


def is_endless(span: Span) -> bool:
    """Whether a span is too long for its outcomes to be told apart, or has no end."""
    return span.low is None or span.high is None or span.high - span.low >= MOST_TOLD_APART


def told_apart(noise: Unbounded, span: Span) -> tuple[range, list[Span]]:
    """The outcomes of a span one by one, and what is cut off of it: if it is too long, all beyond the noise's reach."""
    low, high, step, residue = span
    lost: list[Span] = []
    if low is None or high is None or is_endless(span):
        reach = reachable(noise)
        lost = [part._replace(step=step, residue=residue) for part in beyond(low, high, reach)]
        low, high = -reach if low is None else max(low, -reach), reach if high is None else min(high, reach)
    return range(first_from(low, step, residue), high + 1, step), lost


def reachable(noise: Unbounded) -> int:
    """The reach of a noise; Problem if that means too many outcomes."""
    reach = noise.reach
    if 2 * reach + 1 > MOST_TOLD_APART:
        what = f"{noise.name}: {2 * reach + 1} outcomes that are told apart, until no more than `tail` is left"
        raise Problem(what, f"the limit is {MOST_TOLD_APART}: allow a larger tail, or clamp the noisy value")
    return reach
