"""`Distance`: bd, ld or sd of pairs of states of the chain as given, or of its quotient.

bd is symmetric. ld and sd are directed: δ(s, t) asks about both directions, and is bounded by the larger of ld(s, t)
and ld(t, s) alone. A result therefore has both, and their maximum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from ...certificate.checked import NOT_ASKED, Checked
from ...distances.kinds import kind_named
from ...distances.pair_table import (
    PairDistance,
    PairTable,
    TableSide,
    largest_lower_of,
    largest_of,
    top_below_one,
    top_of,
)
from ...errors import InputError, UnknownState
from ...numbers.fraction import ExpEpsilon, format_fraction
from ...results.numbers import (
    asked_at,
    bound,
    epsilon_fields,
    interval,
    json_number,
    outward,
    outward_float,
    round_to_side,
    value_of,
)
from ...results.scope import ALONE, Scope, Scoped
from ...results.sections import SHOWN_ROWS, Fields, Paragraph, ProvedValue, Section, Table
from ...results.text import LONGEST_NAME, name_pair, shown_name
from .pairs_file import save_pairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ...certificate.distances import DistanceEvidence
    from ...numbers.field import Exact

LISTED = 10_000
"""Up to so many pairs are listed one by one in tables and in JSON; of more, the `SHOWN` largest."""
SHOWN = 40


@dataclass(frozen=True, repr=False)
class Distance(Scoped, ProvedValue):
    """bd, ld or sd of pairs of states: ``d["s", "t"]`` is a Fraction. A value; its proof is `certificate`.

    Where the model's probabilities are functions of e, an exact distance is one, too.

    Measured at ``measured_at``: e^ε itself, or a rational just below it. That makes it an upper bound of δ at e^ε;
    where it is not e^ε itself it need not be one of the distance there, for distances do not always fall as α grows.

    Attributes:
        kind: the name of the distance: ``"bd"``, ``"ld"`` or ``"sd"``.
        exp_epsilon: the e^ε that was asked for.
        side: what the values are: ``"exact"``, or ``"upper"``, certified upper bounds. Where the exact value was asked
            for and is too large, `lower` and the rows of ``results`` have a lower side too: a bound of the distance at
            ``measured_at``, not of δ.
        sharp: whether the values are exact, or as close to it as floats can tell; else they may be far above.
        results: every pair, in the order asked; of millions, made as they are looked at.
        quotient: whether it was measured on the bisimulation quotient.
        measured: the number of states of the chain, or of the quotient, that it was measured on.
        measured_at: the number that it was measured at.
        certified: whether the checker has rules for this kind of distance. It has them for bd, ld and sd, over
            fractions and over functions of e.
        states: the chain's states: pairs may be given by number too.
        labels: their labels.
        scope: at which confidence, where rows come from counts that leave a single chain.
        checked: what the checker said of the certificate before there was a result.
        every: whether it was asked of every pair of states of one label.
    """

    kind: str
    exp_epsilon: ExpEpsilon
    side: TableSide
    sharp: bool
    results: Sequence[PairDistance]
    quotient: bool
    measured: int
    measured_at: Exact
    certified: bool
    states: tuple[str, ...] = field(compare=False)
    labels: tuple[str, ...] = field(compare=False)
    _proof: DistanceEvidence | None = field(compare=False)
    scope: Scope = field(default=ALONE, kw_only=True)
    checked: Checked = field(default=NOT_ASKED, kw_only=True, compare=False)
    every: bool = field(default=False, kw_only=True, compare=False)

    @property
    def directed(self) -> bool:
        """Whether the two directions of a pair have distances of their own."""
        return kind_named(self.kind).directed

    @property
    def value(self) -> Exact:
        """The largest distance over all pairs and both directions: a bound on δ for every pair asked for."""
        return largest_of(self.results)

    @property
    def lower(self) -> Exact | None:
        """The other side of `value`: the largest distance is at least this. None if it is not known; no bound on δ."""
        return largest_lower_of(self.results)

    @cached_property
    def _values(self) -> dict[tuple[str, str], Exact]:
        there = {result.pair: result.value for result in self.results}
        back = {(t, s): result.reverse for result in self.results for s, t in [result.pair]}
        return back | there

    def __getitem__(self, pair: tuple[str | int, str | int]) -> Exact:
        s, t = (self._name(state) for state in pair)
        found = self._look_up(s, t)
        if found is None:
            raise InputError(f"pair ({s!r}, {t!r}) was not asked for: name it, or ask for pairs='all'")
        return found

    def _look_up(self, s: str, t: str) -> Exact | None:
        """The value of a pair: a row's, 0 for a state and itself, 1 for different labels; None if there is none."""
        found: Exact | None
        if isinstance(self.results, PairTable):
            number = self.results.number
            found = self.results.find(number[s], number[t]) if s in number and t in number else None
        else:
            found = self._values.get((s, t))
        if found is None and s == t:
            return Fraction(0)
        return Fraction(1) if found is None and self._label(s) != self._label(t) else found

    def _name(self, state: str | int) -> str:
        """The name of a state, by name or number."""
        if isinstance(state, str) and state in self._numbers:
            return state
        if isinstance(state, int) and 0 <= state < len(self.states):
            return self.states[state]
        raise UnknownState(f"no state {state!r}: the chain has {', '.join(self.states[:5])}, …")

    @overload
    def matrix(self) -> list[list[Exact]]: ...
    @overload
    def matrix(self, *, floats: Literal[True]) -> NDArray[np.float64]: ...
    def matrix(self, *, floats: bool = False) -> list[list[Exact]] | NDArray[np.float64]:
        """The distances of all states, in the order of ``states``: 0 on the diagonal, 1 between different labels.

        Args:
            floats: a NumPy array, each entry rounded up, in place of Fractions.

        Raises:
            InputError: some pair was not asked for; ``pairs="all"`` asks for every one.
        """
        if not floats:
            return [[self[s, t] for t in self.states] for s in self.states]
        rows = [[outward_float(self[s, t], "upper") for t in self.states] for s in self.states]
        return np.array(rows, np.float64)

    def __len__(self) -> int:
        return len(self.results)

    @property
    def _asked(self) -> str:
        return asked_at(self.exp_epsilon)

    @property
    def _where(self) -> str:
        """At which rational an exact value is exact, where it is not e^ε itself."""
        if self.measured_at != self.exp_epsilon.below or self.exp_epsilon.below == self.exp_epsilon.above:
            return ""
        return f" at {format_fraction(self.exp_epsilon.below)}, just below e^ε"

    @property
    def headline(self) -> str:
        """The distance of the one pair, or the largest; of a directed one, what it proves of δ."""
        return self._spoken + self.scope.aside

    @property
    def _spoken(self) -> str:
        if not self.results:
            return f"{self.kind}: no two states have one label"
        if len(self.results) > 1:
            if self.every and (said := self._said_of_all) is not None:
                return said
            name = f"the largest {self.kind} of {len(self.results):,} pairs"
            lower = self.value if self.side == "exact" else self.lower
            return self._value(name, lower, self.value) + self._sure(self.side, two_sided=lower is not None)
        (result,) = self.results
        if not self.directed:
            name = f"{self.kind}{name_pair(result.pair, LONGEST_NAME)}"
            sure = self._sure(result.side, result, two_sided=result.lower is not None)
            return self._value(name, result.lower, result.value) + sure
        sure = self._sure(result.side, result).removeprefix(", ")
        name = f"δ{name_pair(result.pair, LONGEST_NAME)}"
        largest = outward(round_to_side(result.largest, "upper"), "upper")
        return f"{name} ≤ {largest} (the distance {self.kind}, {sure})"

    @property
    def _said_of_all(self) -> str | None:
        """Of every pair: the largest value below 1, and how many are at 1; None where none is."""
        rows, ones = self._below_one
        if not ones:
            return None
        count = f"{len(self.results):,} pairs"
        at_one = "distance 1" if self.side == "exact" else "no bound below 1"
        if not rows:
            return f"{self.kind}: all {count} have {at_one}{self._sure(self.side)}"
        row = rows[0]
        lowers = [low for low in (row.lower, row.reverse_lower) if low is not None]
        lower = row.largest if row.side == "exact" else max(lowers, default=None)
        told = self._value(f"the largest {self.kind} below 1 of {count}", lower, row.largest)
        return f"{told}{self._sure(row.side, two_sided=lower is not None)}; {ones:,} have {at_one}"

    @cached_property
    def _below_one(self) -> tuple[list[PairDistance], int]:
        """The rows with the largest values below 1, largest first, and how many rows are at 1."""
        return top_below_one(self.results, SHOWN_ROWS)

    def _sure(self, side: str, result: PairDistance | None = None, *, two_sided: bool = False) -> str:
        everywhere = result is not None and (self._apart(result) or result.pair[0] == result.pair[1])
        where = "" if everywhere or not (two_sided or side == "exact") else self._where
        proved = "certified" if self.certified else "proved"
        return f", {'exact' if side == 'exact' else proved}{where}{self.scope.trust}"

    def _value(self, name: str, lower: Exact | None, upper: Exact) -> str:
        return (
            f"{name} {bound(round_to_side(upper, 'upper'), 'upper')}" if lower is None else interval(name, lower, upper)
        )

    def sections(self) -> Sequence[Section]:
        """At which e^ε and on what it was measured, both directions, and every pair."""
        rows = epsilon_fields(self.exp_epsilon)
        if self._where:
            what = "it bounds δ at ε, not the distance at e^ε itself"
            rows.append(("measured at", f"{format_fraction(self.exp_epsilon.below)}, just below e^ε: {what}"))
        if self.quotient:
            count = f"{self.measured} of {len(self.states)} states"
            rows.append(("measured on", f"the bisimulation quotient, {count}"))
        if self.results:
            rows.append(("proof", str(self.checked)))
        if len(self.results) != 1:
            return [Fields(rows), self._table(), *self._more()] if self.results else [Fields(rows)]
        (result,) = self.results
        s, t = result.pair
        if self.directed:
            there, back = (result.value, result.lower), (result.reverse, result.reverse_lower)
            for ends, (value, lower) in (((s, t), there), ((t, s), back)):
                rows.append((f"{self.kind}{name_pair(ends)}", _cell(value, result.side, lower, self.kind)))
            rows.append(("larger", f"{_cell(result.largest, result.side)}: the larger of the two directions bounds δ"))
        if not self._apart(result):
            return [Fields(rows), *self._more()]
        shown = [f"{shown_name(state)} shows {self._label(state)!r}" for state in (s, t)]
        return [Fields(rows), Paragraph(f"{shown[0]} and {shown[1]}: states of different labels have distance 1.")]

    def _more(self) -> list[Section]:
        """What can be done where values are upper ones, and nobody asked for more."""
        said: list[Section] = []
        if self.side == "upper" and self.lower is None:
            proved = "Certified" if self.certified else "Proved"
            what = f"{proved} from above. `exact` finds the exact value, or a lower side beside this one."
            said.append(Paragraph(what))
        return said

    def _table(self) -> Table:
        """The pairs that were asked for; of every pair, or of many, those below 1, by value, and how many are at 1."""
        shown, ones = self.results, 0
        if self.every or len(self.results) > SHOWN_ROWS:
            shown, ones = self._below_one
            shown, ones = (shown, ones) if shown else (top_of(self.results, SHOWN_ROWS), 0)
        directed = self.directed
        rows = []
        for r in shown:
            values = [(r.value, r.lower)]
            if directed:
                values += [(r.reverse, r.reverse_lower), (r.largest, None)]
            side: str = "exact (different labels)" if self._apart(r) else r.side
            if side == "upper" and r.lower is not None:
                side = "both sides"
            rows.append((name_pair(r.pair), *(_cell(value, r.side, lower, self.kind) for value, lower in values), side))
        header = ("pair", self.kind, *(("reverse", "larger: bounds δ") if directed else ()), "side")
        more = ""
        if len(shown) < len(self.results):
            where = "`to_dict()` or `save()`" if len(self.results) <= LISTED else "`save()`"
            which = "largest" if ones == 0 else "largest below 1"
            more = f"… the {len(shown)} {which} of {len(self.results):,} pairs; {where} lists all"
            have = "have distance 1" if self.side == "exact" else "have no bound below 1"
            more = more if ones == 0 else f"{more}; {ones:,} {have}"
        return Table(header, rows, more=more)

    def _label(self, state: str) -> str:
        return self.labels[self._numbers[state]]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {state: number for number, state in enumerate(self.states)}

    def _apart(self, result: PairDistance) -> bool:
        return self._label(result.pair[0]) != self._label(result.pair[1])

    def save(self, path: str | Path) -> None:
        """Write every pair to a file, all or nothing.

        Args:
            path: a name that ends with ``.jsonl`` (a line of JSON for each pair) or ``.npz`` (NumPy arrays).

        Raises:
            InputError: another suffix, or a file that cannot be written.
        """
        save_pairs(path, self)

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, the keys of its own of ``deltachain distance --json``; exact numbers as text.

        Of more than 10,000 pairs it has the 40 largest below 1 alone; ``pairs`` says how many there are.
        """
        return {
            "kind": self.kind,
            "quotient": self.quotient,
            "states_measured": self.measured,
            "measured_at": json_number(self.measured_at),
            "certified": self.certified,
            "checked": self.checked.accepted,
            "results": [self.entry(result) for result in self.listed],
            "pairs": len(self.results),
            "largest": self.summary,
            **self.scope.keys(),
        }

    @property
    def listed(self) -> Sequence[PairDistance]:
        """The pairs that are shown one by one: all, or, of very many, the largest below 1."""
        if len(self.results) <= LISTED:
            return self.results
        return top_below_one(self.results, SHOWN)[0] or top_of(self.results, SHOWN)

    @property
    def summary(self) -> dict[str, str | float | None]:
        """The largest distance over all pairs, as the JSON shows it."""
        return json_number(self.value, "upper" if self.side == "upper" else None)

    def entry(self, result: PairDistance) -> dict[str, Any]:
        """One of ``results`` as plain data."""
        return distance_entry(self.kind, result)


def distance_entry(kind: str, result: PairDistance) -> dict[str, Any]:
    """A pair and its distance of a kind, both directions where these differ, as plain data."""
    side: Any = "upper" if result.side == "upper" else None
    entry: dict[str, Any] = {"pair": list(result.pair), "value": json_number(result.value, side)}
    entry["lower"] = _json_lower(result.lower)
    if kind_named(kind).directed:
        entry |= {"reverse": json_number(result.reverse, side), "largest": json_number(result.largest, side)}
        entry["reverse_lower"] = _json_lower(result.reverse_lower)
    return entry | {"side": result.side}


def _json_lower(lower: Exact | None) -> dict[str, str | float | None] | None:
    """The lower side in a document: the value itself where it is exact, null where nobody asked for it."""
    return None if lower is None else json_number(lower, "lower")


def _cell(value: Exact, side: str, lower: Exact | None = None, name: str = "") -> str:
    if side == "exact":
        return value_of(value, value)
    return bound(round_to_side(value, "upper"), "upper") if lower is None else interval(name, lower, value)
