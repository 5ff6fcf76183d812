"""`AppliedStep`: Γ_α(d), one application of a distance's operator to a given d [CMP18, Def. 11].

Where Γ_α(d) ⊑ d, both bound the distance from above, since it is the least pre-fixed point; where they are equal, d is
a fixed point, though not always the least one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...distances.kinds import kind_named
from ...distances.pair_table import PairDistance, largest_of, top_of
from ...results.numbers import exact_text, json_number, value_of
from ...results.sections import SHOWN_ROWS, Fields, Rendered, Section, Table
from ...results.text import LONGEST_NAME, name_pair
from .pairs_file import save_pairs
from .show import LISTED, SHOWN, distance_entry

if TYPE_CHECKING:
    from ...distances.pair_function import PairFunction
    from ...numbers.field import Exact


@dataclass(frozen=True, repr=False)
class AppliedStep(Rendered):
    """One application of the operator of a kind of distance to a function d of pairs; exact.

    Attributes:
        kind: the name of the distance whose operator it is.
        source: where d came from.
        measured_at: α.
        before: d.
        after: Γ_α(d).
        shown: the pairs that are shown, by name; None: all of one label.
    """

    kind: str
    source: str
    measured_at: Exact
    before: PairFunction
    after: PairFunction
    shown: Sequence[tuple[str, str]] | None = None

    @property
    def directed(self) -> bool:
        """Whether the two directions of a pair have values of their own."""
        return kind_named(self.kind).directed

    @property
    def operator(self) -> str:
        """Its letter: Γ of the symmetric distances, Λ of the directed ones."""
        return "Λ" if self.directed else "Γ"

    @property
    def prefixed(self) -> bool:
        """Whether Γ_α(d) ⊑ d, so that both bound the distance from above."""
        return self.after.side == "upper"

    @cached_property
    def results(self) -> tuple[PairDistance, ...]:
        """The value of every pair that is shown, and of it turned round."""
        pairs = self.shown
        if pairs is None:
            numbers = {name: i for i, name in enumerate(self.after.states)}
            pairs = [pair for pair, _ in self.after.items() if numbers[pair[0]] < numbers[pair[1]]]
        return tuple(PairDistance((s, t), self.after[s, t], self.after[t, s], "exact") for s, t in pairs)

    @property
    def headline(self) -> str:
        """The value of the one pair, or how Γ_α(d) compares with d."""
        if len(self.results) == 1:
            (row,) = self.results
            return f"{self.operator}(d){name_pair(row.pair, LONGEST_NAME)} = {value_of(row.value, row.value)}, exact"
        return f"{self.operator}(d) of {len(self.results):,} pairs, exact; {self._compared}"

    @property
    def _compared(self) -> str:
        if self.after == self.before:
            return f"it is d: a fixed point, which bounds {self.kind} from above"
        if self.prefixed:
            return f"at most d everywhere, so that both bound {self.kind} from above"
        rising = sum(value > self.before[pair] for pair, value in self.after.items())
        return f"above d at {rising:,} ordered pairs, so that d need not be a bound"

    def sections(self) -> Sequence[Section]:
        """At which α, how it compares with d, and every pair before and after."""
        fields = [("e^ε", exact_text(self.measured_at)), ("d", self.source), ("compared", self._compared)]
        rows = []
        for row in self.results[:SHOWN_ROWS]:
            for pair, value in [(row.pair, row.value), *([(row.pair[::-1], row.reverse)] if self.directed else [])]:
                before = self.before[pair]
                rows.append((name_pair(pair), value_of(before, before), value_of(value, value)))
        more = "" if len(self.results) <= SHOWN_ROWS else f"… {len(self.results):,} pairs; `to_dict()` lists them"
        return [Fields(fields), Table(("pair", "d", f"{self.operator}(d)"), rows, more=more)]

    def save(self, path: str | Path) -> None:
        """Write every pair to a file, as `Distance.save` does; ``--step`` reads what it writes as ``.jsonl``."""
        save_pairs(path, self)

    def to_dict(self) -> dict[str, Any]:
        """As plain data, with the keys of a `Distance`; ``step`` says that these are values of one application."""
        listed = self.results if len(self.results) <= LISTED else top_of(self.results, SHOWN)
        return {
            "kind": self.kind,
            "quotient": False,
            "states_measured": len(self.after.states),
            "measured_at": json_number(self.measured_at),
            "certified": False,
            "checked": None,
            "results": [distance_entry(self.kind, row) for row in listed],
            "pairs": len(self.results),
            "largest": json_number(largest_of(self.results)),
            "step": {"of": self.source, "prefixed": self.prefixed, "fixed": self.after == self.before},
        }
