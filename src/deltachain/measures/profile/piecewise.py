"""δ(α) for every α ≥ 1, exactly, where it can be evaluated exactly: its corners, one after the other.

Where belief graphs end, δ(α) is the largest of finitely many linear functions of α, also where the observer chooses
inputs and one loss distribution does not have every δ: convex, falling, piecewise linear. Three values on a line prove
that the function is linear between them, so a line beside a point is found by asking ever closer to it. The lines at
both ends of an interval meet at a point; if the value there is on them, it is a corner and the interval is done, and
otherwise it is halved there. From α on the function is constant if its values at α and 2α are equal.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from ...beliefs.graph.curves import Piece
from ...numbers.field import Exact

MOST_CORNERS = 1000
MOST_VALUES = 6000
"""How often the function is evaluated, at most."""
CLOSEST = 40
"""How often an interval beside a point is divided by 8 before the search for a line there is given up."""
FARTHEST = Fraction(2**64)

CurveLine = tuple[Exact, Exact]
"""(constant, slope): δ = constant − slope·α."""


class _NotFound(Exception):
    """The function could not be followed to its end."""


class _Curve:
    """The function, each value asked for once."""

    def __init__(self, value: Callable[[Exact], Exact | None], most: int) -> None:
        self._value, self._most = value, most
        self._known: dict[Exact, Exact] = {}

    def __call__(self, alpha: Exact) -> Exact:
        if alpha not in self._known:
            found = self._value(alpha) if len(self._known) < self._most else None
            if found is None:
                raise _NotFound
            self._known[alpha] = found
        return self._known[alpha]

    def line_beside(self, at: Exact, end: Exact) -> CurveLine:
        """The line of the piece that begins at ``at`` and leads towards ``end``."""
        step = (end - at) / 16
        for _ in range(CLOSEST):
            near, far = at + step / 2, at + step
            slope = (self(at) - self(far)) / step
            line = self(at) + slope * at, slope
            # Three places of a convex function on one line: it is linear between them, so this is the piece at ``at``.
            if on_line(line, near) == self(near):
                return line
            step = step / 8
        raise _NotFound


def on_line(line: CurveLine, alpha: Exact) -> Exact:
    """The height of a line."""
    return line[0] - line[1] * alpha


def exact_pieces(value: Callable[[Exact], Exact | None], most: int = MOST_VALUES) -> tuple[Piece, ...] | None:
    """All pieces of the convex, falling, piecewise linear ``value`` from α = 1 on, by increasing α.

    None where a value is None, or the function has more than `MOST_CORNERS` corners, or takes more than ``most``
    values.

    >>> [(p.begin, p.end) for p in exact_pieces(lambda a: max(Fraction(3, 4) - a / 4, Fraction(0)))]
    [(Fraction(1, 1), Fraction(3, 1)), (Fraction(3, 1), None)]
    """
    curve = _Curve(value, most)
    try:
        end = Fraction(2)
        # A convex function that falls, and has one value at two places, is constant from the first of them on.
        while curve(end) != curve(2 * end):
            end *= 2
            if end > FARTHEST:
                return None
        return _follow(curve, end)
    except _NotFound:
        return None


def _follow(curve: _Curve, end: Exact) -> tuple[Piece, ...]:
    """The pieces up to ``end``, from where on the function is constant."""
    last: CurveLine = curve(end), Fraction(0)
    one = Fraction(1)
    waiting: list[tuple[Exact, Exact, CurveLine, CurveLine]] = [(one, end, curve.line_beside(one, end), last)]
    found: list[tuple[Exact, CurveLine]] = []
    while waiting:
        begin, until, left, right = waiting.pop()
        if left == right:
            found.append((begin, left))
            continue
        # A convex function is above the lines of its pieces: they cross between the two ends, or at one of them.
        corner = (left[0] - right[0]) / (left[1] - right[1])
        if curve(corner) == on_line(left, corner):
            found += [(begin, left)] if begin < corner else []
            found += [(corner, right)] if corner < until or until == end else []
        else:
            before, after = curve.line_beside(corner, begin), curve.line_beside(corner, until)
            waiting += [(corner, until, after, right), (begin, corner, left, before)]
        if len(found) > 2 * MOST_CORNERS:
            raise _NotFound
    return _join([*found, (end, last)])


def _join(found: list[tuple[Exact, CurveLine]]) -> tuple[Piece, ...]:
    """Pieces from where they begin; neighbours of one line are one piece."""
    kept: list[tuple[Exact, CurveLine]] = []
    for begin, line in sorted(found, key=lambda piece: piece[0]):
        if not kept or kept[-1][1] != line:
            kept.append((begin, line))
    if len(kept) > MOST_CORNERS:
        raise _NotFound
    ends = [begin for begin, _ in kept[1:]]
    return tuple(Piece(begin, until, *line) for (begin, line), until in zip(kept, [*ends, None], strict=True))
