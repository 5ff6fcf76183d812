"""The labelled Markov chain ⟨S, Σ, μ, ℓ⟩ [CMP18, Def. 1]: exact, frozen, valid by construction.

States are numbered 0 … n−1 in the order given, and named. Each has one label, the letter that an observer sees,
and a row μ_s of exact rational probabilities that sum to one. A chain may carry the relation R of
[CMP18, Def. 5], the pairs of start states that must look alike, and a valuation of variables for each state,
which only messages use.

At some labels the observer may choose an *input*: a state there has a row μ_{s,a} for each input a of its label. All
states of one label offer the same inputs, so what may be asked is no secret. A label without inputs is the usual case:
one row a state, and nothing to choose.

A row says what it is (`rows`): exact points, balls around numbers, or limits; `Chain.kind` is the least of them. What
was written for fractions asks for `Chain.moves` or `Chain.rows`, which refuse any other chain by name; what bounds rows
of every kind asks for `boxes`, and what moves rows about for `given`.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from operator import index
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from ..cancel import spend
from ..errors import Defect, InputError, InteractiveChain, ModelError, UncertainChain, UnknownState
from ..numbers.fraction import Number, format_fraction, in_brief
from .rows import AnyRow, Box, ChainKind, ExactPoints, LimitRow, PointRow, Row, as_row, once_per_row
from .validate import find_defects

if TYPE_CHECKING:
    import networkx
    import scipy.sparse

    from ..numbers.field import Exact
    from ..proportions import Totals
    from .build import Normalise, RawEntry
    from .counts import Targets
    from .outputs import Output
    from .sandwich import Sandwich

Pair = tuple[int, int]
"""Two states, or two secrets, by number."""

RowsByInput = tuple[Row, ...]
"""The rows of one state, one for each input of its label in order; one row where there is no choice."""

Needed = Literal["fractions", "exact", "no inputs"]
"""What may be needed of a chain; see `Chain.need`."""
ASK_INSTEAD = "ask for delta, check or epsilon"

Valuation = Mapping[str, object]
"""The values of a model's variables in one state."""


@dataclass(frozen=True, repr=False)
class Chain:
    """A labelled Markov chain with exact rational probabilities.

    Building one checks it and reports every defect at once (`ModelError`); a Chain that exists is valid.
    Rows are sparse; use `from_rows` or `from_dicts` to build a chain from friendlier input, `of_rows` where there are
    no inputs.

    >>> coin = Chain.from_dicts({"s": {"h": "1/2", "t": "1/2"}, "h": {"h": 1}, "t": {"t": 1}},
    ...                         labels={"s": "start", "h": "heads", "t": "tails"})
    >>> coin
    <Chain: 3 states, 4 transitions, 3 labels>
    >>> coin.probability("s", "h")
    Fraction(1, 2)
    """

    states: tuple[str, ...]
    labels: tuple[str, ...]
    given: tuple[tuple[AnyRow, ...], ...]
    """The rows of each state, one for each input of its label; boxes are tightened."""
    relation: tuple[tuple[int, int], ...] = ()
    """Pairs (i, j) with i ≤ j, sorted; the relation is their symmetric closure."""
    valuations: tuple[Valuation, ...] | None = None
    inputs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The inputs of each label that has any, sorted by name."""
    confidence: Fraction | None = None
    """With what probability all boxes found from counts hold at once; None where there are none."""
    step_by_step: bool = field(default=False, compare=False)
    """Whether some labels mean one thing only after equally many letters: tails of noise of several ratios."""
    notes: tuple[str, ...] = field(default=(), compare=False)
    """How it was made, in words, where that is not to be seen from it."""
    assumes: tuple[str, ...] = field(default=(), compare=False)
    """What every answer about it assumes beside its numbers, in sentences: of code that was run. Empty of a model."""
    confirmation: str = field(default="", compare=False)
    """What was confirmed of that, in one clause for a headline, such as "code: 214 of 214 runs confirmed"."""
    outputs: Mapping[str, Output] = field(default_factory=dict, compare=False)
    """What letters stand for that are not themselves what the program announces; see `words.program_outputs`."""
    concentration: Mapping[tuple[int, int], Fraction] = field(default_factory=dict, compare=False, repr=False)
    """Of pairs of states, ρ: every Rényi divergence of order a > 1 is at most a·ρ, both ways, by a theorem about what
    the chain stands for that no row of it shows (docs/theory/gaussian.md)."""
    sandwiches: Callable[[], Iterator[Sandwich]] | None = field(default=None, compare=False, repr=False)
    """Where its labels tell more than the mechanism that it stands for: ever narrower pairs of chains around that, of
    which this chain is the first. Bounds from below must then come from the coarse chain of a pair (`sandwich`); only
    who asks for both sides loads such a chain (`Settings.sandwiched`)."""

    def __post_init__(self) -> None:
        defects = find_defects(self.states, self.labels, self.given, self.relation, self.valuations, self.inputs)
        if defects:
            raise ModelError(defects)
        # Every row in its least form, so that equal rows compare equal, and bounds start from the tightest ends. Rows
        # of Fractions are in it already: a large model does not pay for this.
        least = once_per_row(lambda row: as_row(row).tighten())
        given = self.given
        if not all(type(row) is PointRow and type(row.numbers) is tuple for rows in given for row in rows):
            object.__setattr__(self, "given", tuple([tuple(map(least, rows)) for rows in given]))
        # A pair is private in both directions or not at all: its order says nothing.
        pairs = tuple(sorted({(min(pair), max(pair)) for pair in self.relation}))
        object.__setattr__(self, "relation", pairs)

    # Construction from other shapes lives in `build`; these are its front doors.

    @classmethod
    def of_rows(
        cls,
        states: tuple[str, ...],
        labels: tuple[str, ...],
        rows: Iterable[Row],
        relation: tuple[tuple[int, int], ...] = (),
        valuations: tuple[Valuation, ...] | None = None,
    ) -> Chain:
        """A chain without inputs: one row a state."""
        return cls(states, labels, tuple((PointRow(row),) for row in rows), relation, valuations)

    @classmethod
    def from_rows(
        cls,
        rows: Sequence[Sequence[Number] | Mapping[int, Number]],
        labels: Sequence[str],
        *,
        states: Sequence[str] | None = None,
        relation: Iterable[tuple[str, str]] = (),
        normalise: Normalise = False,
    ) -> Chain:
        """A chain from a matrix (or a list of sparse rows) and one label a state; see `build.from_rows`."""
        from .build import from_rows

        return from_rows(rows, labels, states=states, relation=relation, normalise=normalise)

    @classmethod
    def from_dicts(
        cls,
        rows: Mapping[str, Mapping[str, RawEntry] | Mapping[str, Mapping[str, RawEntry]]],
        labels: Mapping[str, str],
        *,
        relation: Iterable[tuple[str, str]] = (),
        valuations: Mapping[str, Valuation] | None = None,
        normalise: Normalise = False,
        rest: Mapping[str, Number] = MappingProxyType({}),
    ) -> Chain:
        """A chain from ``{state: {target: probability}}``, or rows by input, and labels; see `build.from_dicts`."""
        from .build import from_dicts

        return from_dicts(rows, labels, relation=relation, valuations=valuations, normalise=normalise, rest=rest)

    @classmethod
    def from_counts(
        cls,
        counts: Mapping[str, Mapping[str, Number] | Mapping[str, Mapping[str, Number]]],
        labels: Mapping[str, str],
        *,
        confidence: Number,
        totals: Totals = "random",
        targets: Targets | None = None,
        rows: Mapping[str, Mapping[str, RawEntry] | Mapping[str, Mapping[str, RawEntry]]] = MappingProxyType({}),
        rest: Mapping[str, Number] = MappingProxyType({}),
        relation: Iterable[tuple[str, str]] = (),
        valuations: Mapping[str, Valuation] | None = None,
    ) -> Chain:
        """A chain from ``{state: {target: steps counted}}``, or by input, at a confidence; see `counts.from_counts`."""
        from .counts import from_counts

        return from_counts(
            counts,
            labels,
            confidence=confidence,
            totals=totals,
            targets=targets,
            rows=rows,
            rest=rest,
            relation=relation,
            valuations=valuations,
        )

    @classmethod
    def from_distributions(
        cls,
        p: Sequence[Number] | Mapping[str, Number],
        q: Sequence[Number] | Mapping[str, Number],
        *,
        normalise: Normalise = False,
    ) -> Chain:
        """A chain from two lists of probabilities over the same outcomes; see `build.from_distributions`."""
        from .build import from_distributions

        return from_distributions(p, q, normalise=normalise)

    @classmethod
    def from_networkx(cls, graph: networkx.DiGraph, **attributes: Any) -> Chain:
        """A chain from a NetworkX digraph; see `build.from_networkx`."""
        from .build import from_networkx

        return from_networkx(graph, **attributes)

    # The same chain as others hold it; `convert` says what is kept.

    def to_networkx(self) -> networkx.DiGraph:
        """The chain as a NetworkX digraph; see `convert.to_networkx`."""
        from .convert import to_networkx

        return to_networkx(self)

    def to_scipy(self) -> tuple[scipy.sparse.csr_array, tuple[str, ...]]:
        """The transition matrix in floats, and the labels; see `convert.to_scipy`."""
        from .convert import to_scipy

        return to_scipy(self)

    # Looking things up.

    def __len__(self) -> int:
        return len(self.states)

    @cached_property
    def index(self) -> Mapping[str, int]:
        """State name → number."""
        return {name: i for i, name in enumerate(self.states)}

    def number(self, state: str | int) -> int:
        """The number of a state given by name or by number; `UnknownState` with near misses otherwise."""
        if not isinstance(state, str | bool) and hasattr(state, "__index__"):  # NumPy's integers too
            if 0 <= state < len(self.states):
                return index(state)
            most = len(self.states) - 1
            raise UnknownState(f"no state number {in_brief(Fraction(index(state)))}: the chain has states 0 to {most}")
        found = self.index.get(state) if isinstance(state, str) else None
        if found is None:
            near = difflib.get_close_matches(str(state), self.states[:10_000], n=3)
            listed = near or list(self.states[:8])
            hint = ("did you mean " if near else "states are ") + ", ".join(listed)
            more = "" if near or len(self.states) <= 8 else f", … ({len(self.states)} in all)"
            raise UnknownState(f"no state {str(state)!r}: {hint}{more}")
        return found

    def probability(self, source: str | int, target: str | int) -> Exact:
        """μ_source(target), of a chain without inputs: a Fraction, or a function of e where it is none."""
        self.need("no inputs", "probability", "it depends on what is given", "look at chain.given")
        wanted = self.number(target)
        return next((p for j, p in self.points[self.number(source)][0] if j == wanted), Fraction(0))

    @cached_property
    def alphabet(self) -> tuple[str, ...]:
        """The labels that occur, sorted."""
        return tuple(sorted(set(self.labels)))

    @cached_property
    def by_label(self) -> Mapping[str, tuple[int, ...]]:
        """Label → the states that carry it, in order."""
        groups: dict[str, list[int]] = {}
        for state, label in enumerate(self.labels):
            groups.setdefault(label, []).append(state)
        return {label: tuple(states) for label, states in groups.items()}

    @cached_property
    def transitions(self) -> int:
        """The number of positive transition probabilities."""
        return sum(len(row) for rows in self.given for row in rows)

    # What is known of its rows.

    @cached_property
    def kind(self) -> ChainKind:
        """Whether its probabilities are exact, one number each that is enclosed, or anything within limits."""
        found = {"exact"} if self.rational else {row.kind for row in self._distinct}
        return "limits" if "limits" in found else "enclosed" if "enclosed" in found else "exact"

    @cached_property
    def whole(self) -> bool:
        """Whether no row cuts anything off, or leaves anything to states outside."""
        return self.rational or not any(row.missing for row in self._distinct)

    @cached_property
    def rational(self) -> bool:
        """Whether every row is of Fractions alone."""
        return all(isinstance(row, PointRow) and row.fractions is not None for row in self._distinct)

    @cached_property
    def base(self) -> int | None:
        """The least k for which every row is exact in X = e^(1/k), where some are not fractions; else None."""
        if self.rational or not all(isinstance(row, PointRow) and not row.cut_off for row in self._distinct):
            return None
        return self.base_of_functions or 1

    @cached_property
    def base_of_functions(self) -> int | None:
        """The least k for which every row of functions of e is one of e^(1/k), whatever other rows are; or None."""
        powers = {row.functions.k for row in self._distinct if row.functions is not None}
        return math.lcm(*powers) if powers else None

    @cached_property
    def outside(self) -> Fraction:
        """The most that a row cuts off, such as the tails of noise."""
        return max((row.missing for row in self._distinct if row.kind != "limits"), default=Fraction(0))

    @cached_property
    def _distinct(self) -> tuple[AnyRow, ...]:
        """Every row object once: many states may share one."""
        return tuple({id(row): row for rows in self.given for row in rows}.values())

    def need(self, what: Needed, where: str, why: str, fix: str) -> None:
        """Refuse what is not for this chain: the one place where a chain is sent back for what its numbers are.

        Args:
            what: ``"fractions"``, ``"exact"`` (functions of e^(1/k) too; nothing cut off), or ``"no inputs"``.
            where: what was asked for.
            why: why it needs that.
            fix: what to do instead.
        """
        if what == "no inputs":
            if self.inputs:
                shown = [repr(label) for label in list(self.inputs)[:3]]
                more = ", …" if len(self.inputs) > len(shown) else ""
                labels = f"label{'' if len(self.inputs) == 1 else 's'} {', '.join(shown)}{more}"
                raise InteractiveChain(Defect(where, f"the observer chooses inputs at {labels}, and {why}", fix))
        elif not (self.rational or (what == "exact" and self.base is not None)):
            first = next(s for s, rows in enumerate(self.given) if not all(_fits(row, what) for row in rows))
            said = f"{why}, and the probabilities of state {self.states[first]!r} are {self._known_how}"
            raise UncertainChain(Defect(where, said, fix))

    @property
    def _known_how(self) -> str:
        """What its probabilities are, where they are not fractions, in words that follow "are"."""
        if self.kind == "limits":
            return "known within limits only"
        if self.base is not None:
            return "exact but irrational (functions of e)"
        return "enclosed numbers that are not fractions" if self.kind == "enclosed" else "what noise leaves, cut off"

    @cached_property
    def moves(self) -> tuple[RowsByInput, ...]:
        """The rows of each state as Fractions. Raises UncertainChain of any other chain."""
        if not self.rational:
            first = next(s for s, rows in enumerate(self.given) if not all(_fits(row, "fractions") for row in rows))
            self.need("fractions", f"state {self.states[first]!r}", "this is for fractions", ASK_INSTEAD)
        return tuple([tuple([row.numbers for row in rows]) for rows in self.given])  # type: ignore[union-attr,misc]  # all are points

    @cached_property
    def points(self) -> tuple[tuple[ExactPoints, ...], ...]:
        """The rows of each state as exact numbers. Raises UncertainChain where they are not exact, or not whole."""
        if self.rational:
            return self.moves
        self.need("exact", "chain", "this is for exact numbers", ASK_INSTEAD)
        return tuple(tuple(row.entries for row in rows if isinstance(row, PointRow)) for rows in self.given)

    @cached_property
    def boxes(self) -> tuple[tuple[Box, ...], ...]:
        """The rows of each state by their ends, those of Fractions with lo = hi."""
        return tuple(tuple(row.box for row in rows) for rows in self.given)

    # Inputs.

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The one row of each state. Raises InteractiveChain where the observer chooses among several.

        What was written for chains without inputs asks for this, and so refuses others instead of leaving inputs out.
        """
        self.need(
            "no inputs", "chain", "this is for chains without inputs", "settle them: chain.choosing({label: input})"
        )
        return tuple(row for (row,) in self.moves)

    @property
    def interactive(self) -> bool:
        """Whether there is anything for the observer to choose."""
        return bool(self.inputs)

    def offered(self, state: int) -> tuple[str | None, ...]:
        """The inputs of a state, in the order of its rows; None stands for going on where there is no choice."""
        return self.inputs.get(self.labels[state], (None,))

    def row(self, state: str | int, asked: str | None = None) -> dict[str, Exact]:
        """μ_state, by the names of the states that it leads to; under an input, where the observer has a choice.

        Where probabilities are known within limits only, it is refused; `given` has them.

        >>> coin = Chain.from_dicts({"s": {"h": "1/2", "t": "1/2"}, "h": {"h": 1}, "t": {"t": 1}},
        ...                         labels={"s": "start", "h": "heads", "t": "tails"})
        >>> coin.row("s")
        {'h': Fraction(1, 2), 't': Fraction(1, 2)}
        """
        return {self.states[target]: p for target, p in self.points_of(self.number(state), asked)}

    def points_of(self, state: int, asked: str | None) -> ExactPoints:
        """The row of a state under an input, None where there is no choice; InputError if it does not offer that."""
        names = self.offered(state)
        if asked not in names:
            listed = "no input" if names == (None,) else ", ".join(map(repr, names))
            what = f"state {self.states[state]!r} does not offer {'no input' if asked is None else repr(asked)}"
            raise InputError(f"{what}: at label {self.labels[state]!r} there is {listed}")
        return self.points[state][names.index(asked)]

    @cached_property
    def layers(self) -> int:
        """The largest number of inputs of a label, 1 if there are none."""
        return max(map(len, self.inputs.values()), default=1)

    def layer(self, number: int) -> tuple[Row, ...]:
        """One row a state: that of input ``number``, and of the last one where a label has fewer.

        A largest value over all inputs is one over all layers: no layer adds anything, and none leaves out any.
        """
        return tuple(rows[min(number, len(rows) - 1)] for rows in self.moves)

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The relation by name."""
        return tuple((self.states[i], self.states[j]) for i, j in self.relation)

    def with_relation(self, pairs: Iterable[tuple[str | int, str | int]]) -> Chain:
        """The same chain with another relation."""
        relation = tuple((self.number(s), self.number(t)) for s, t in pairs)
        return replace(self, relation=relation)

    def choosing(self, choices: Mapping[str, str]) -> Chain:
        """The chain whose observer always gives input ``choices[label]`` at these labels; see `parts.choosing`."""
        from .parts import choosing

        return choosing(self, choices)

    def without_silent(
        self, labels: Iterable[str] = (), *, unlabelled: bool = False, starts: Iterable[str | int] = ()
    ) -> Chain:
        """The chain without the steps that nobody sees, those into states of these labels; see `silent`."""
        from .silent import without_silent

        return without_silent(self, labels, unlabelled=unlabelled, starts=starts).chain

    @cached_property
    def sha256(self) -> str:
        """The content hash that certificates name.

        It covers names, labels and probabilities, not the order of states, the relation or valuations: the
        SHA-256 of one compact JSON line ``[name, label, [[target, "p/q"], …]]`` for each state, states and
        targets sorted by name, each line ended by a newline. Where a label has inputs, the row gives place to
        ``{input: row, …}``, inputs sorted by name. A box is ``[[target, "lo", "hi"], …, "rest"]``; one that encloses
        exact functions of e^(1/k) is ``[[target, ["c_0", …]], …, ["b_0", …], k]``, coefficients of the numerators and
        of the denominator, in lowest terms.

        >>> Chain.from_dicts({"s": {"s": 1}}, {"s": "a"}).sha256[:16]
        '112fe4349a66e44f'
        """
        digest = hashlib.sha256()
        encode = json.JSONEncoder(separators=(",", ":")).encode
        texts: dict[tuple[int, int], str] = {}

        def text(p: Fraction) -> str:
            key = p.as_integer_ratio()  # to hash a Fraction takes a power modulo a prime
            return texts.get(key) or texts.setdefault(key, format_fraction(p))

        states, names = self.states, [encode(name) for name in self.states]
        uses = Counter(id(row) for rows in self.given for row in rows)
        shared: dict[int, str] = {}  # of rows that several states have: long ones, often

        def write_row(row: AnyRow) -> str:
            found = shared.get(id(row))
            if found is None:
                spend(30 * len(row))
                points = row.fractions
                if points is None:
                    found = encode(hashed_row(row, self.states, text))
                else:
                    # The same text, with each name encoded once.
                    ordered = sorted([(states[j], names[j], p) for j, p in points])
                    entries = ",".join(['[%s,"%s"]' % (name, text(p)) for _, name, p in ordered])  # noqa: UP031
                    found = f"[{entries}]"
                if uses[id(row)] > 1:
                    shared[id(row)] = found
            spend(len(found) // 100)
            return found

        for state in sorted(range(len(self.states)), key=self.states.__getitem__):
            rows = [write_row(row) for row in self.given[state]]
            label = self.labels[state]
            said = rows[0]
            if label in self.inputs:
                named = zip(self.inputs[label], rows, strict=True)
                said = "{" + ",".join(f"{encode(name)}:{row}" for name, row in named) + "}"
            digest.update(f"[{names[state]},{encode(label)},{said}]\n".encode())
        return digest.hexdigest()

    def __hash__(self) -> int:
        return hash((len(self.states), self.sha256))

    # Showing it.

    def __repr__(self) -> str:
        pairs = f", {_count(len(self.relation), 'pair')}" if self.relation else ""
        asked = len({name for names in self.inputs.values() for name in names})
        inputs = f", {_count(asked, 'input')}" if asked else ""
        boxes = sum(isinstance(row, LimitRow) for rows in self.given for row in rows)
        within = f", {_count(boxes, 'row')} within limits" if boxes else ""
        return (
            f"<Chain: {_count(len(self.states), 'state')}, {_count(self.transitions, 'transition')}, "
            f"{_count(len(self.alphabet), 'label')}{within}{inputs}{pairs}>"
        )

    def __str__(self) -> str:
        return self.summary()

    def summary(self, limit: int = 12) -> str:
        """A few lines of text: sizes, then the first states with label and rows, about ``limit`` lines of them."""
        from .listing import state_lines

        lines = [repr(self)[1:-1]]
        shown = max(sum(total <= limit for total in accumulate(map(len, self.given))), 1)
        for state in range(shown):
            lines += state_lines(self, state)
        if len(self.states) > shown:
            lines.append(f"  … and {len(self.states) - shown} more states")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """For notebooks: a small graph where Graphviz is installed, a table otherwise."""
        from .display import chain_to_html

        return chain_to_html(self)


def _fits(row: AnyRow, what: Needed) -> bool:
    """Whether the row is of fractions, or exact."""
    if not isinstance(row, PointRow):
        return False
    return row.fractions is not None if what == "fractions" else row.comparable


def hashed_row(row: AnyRow, states: Sequence[str], text: Callable[[Fraction], str]) -> list[object]:
    """The row as it is hashed."""
    fractions = row.fractions if isinstance(row, PointRow) else None
    if fractions is not None:
        return [*sorted([states[j], text(p)] for j, p in fractions)]
    if isinstance(row, PointRow) and row.functions is not None:
        functions = row.functions
        numerators = sorted([states[j], [format_fraction(c) for c in top]] for j, top in functions.tops)
        return [*numerators, [format_fraction(c) for c in functions.bottom], functions.k]
    return [*sorted([states[j], text(lo), text(hi)] for j, lo, hi in row.box), text(row.box.rest)]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A chain, where it came from, and one line for each way in which it is not that content word for word."""

    chain: Chain
    source: str
    notes: tuple[str, ...] = ()
    secrets: int | None = None
    """How many secrets a program was given: those of its start states that its relation was chosen among."""
    own_domain: bool = False
    """Whether these are every secret that the program's annotations name, and none were given or drawn."""
    copies: int = 0
    """How many pairs of these secrets were left out, since they are translates of pairs of the relation."""
