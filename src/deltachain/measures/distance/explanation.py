"""`Explanation`: why a distance is what it is: who is matched with whom, what is paid, and where more than δ is paid.

- The optimal flow of a pair, in the direction that attains the distance, matches states of its two rows; what it pays
  at once and the distances of the matched pairs add up to the value, and so on along those pairs.
- The optimal f, the other solution of the same linear program, is a test that attains the value.
- *Lost* at a pair is what its flow would cost if the matched pairs had their δ, less its own δ: no event gains that.
  With how much arrives at each pair, these losses add up to the distance less δ (docs/theory/explain.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...characters import escape_tex
from ...distances.kinds import kind_named
from ...errors import Defect, InputError
from ...files import write_atomically
from ...model.display import escape_dot
from ...model.tikz import TikzBox, draw_coupling, picture
from ...model.words import total
from ...results.numbers import asked_at, epsilon_fields, exact_text, interval, json_number, outward, shorten, value_of
from ...results.sections import Fields, Paragraph, Rendered, Section, Table
from ...results.text import LONGEST_NAME, name_pair, shown_name

if TYPE_CHECKING:
    from ...distances.logic import QuantitativeFormula
    from ...distances.unfolding import Branch, Contribution, FlowStep
    from ...model import Chain
    from ...numbers.field import Exact
    from ...numbers.fraction import ExpEpsilon
    from .show import Distance

MOST_LINES = 120
"""Lines of the tree that are shown."""
MOST_ROWS = 30
FREE = 8
"""Arcs at no cost that are named one by one."""
PICTURES = (".dot", ".tex")


@dataclass(frozen=True, slots=True)
class FlowLoss:
    """What the flow of a pair loses: it pays more than any event gains.

    Attributes:
        pair: the two states.
        reached: how much of the flows arrives there in all.
        pays: what its flow costs where the matched pairs have their δ: an interval, as all that follow are.
        gains: its δ.
        share: what it adds to the distance less δ: (pays − gains) · reached.
    """

    pair: tuple[str, str]
    reached: Exact
    pays: tuple[Exact, Exact]
    gains: tuple[Exact, Exact]
    share: tuple[Exact, Exact]


@dataclass(frozen=True, repr=False)
class Explanation(Rendered):
    """Why the distance of a pair is what it is; a value.

    Attributes:
        kind: the name of the distance.
        exp_epsilon: the e^ε that was asked for.
        measured_at: the number that the distance was measured at.
        pair: the two states.
        value: their distance, exact.
        chain: the chain that it was measured on.
        steps: the optimal flows of the pairs that were followed, the pair itself first; empty where labels tell all, or
            where the distance is 0.
        reached: how much arrives at each of them in all.
        contributions: what adds up to the value, exactly.
        circling: the pairs whose flow comes back to themselves.
        tree: the flows unfolded; its leaves add up to the value, exactly.
        test: a formula that attains the value as a gain; None where there is nothing to test.
        delta: δ of the pair, as an interval; of a directed distance, that of its direction alone, sup_E ν_s(E) −
            α ν_t(E). None where it was not asked for.
        losses: where the distance exceeds δ; what is added by pairs that were not followed is not among them.
    """

    kind: str
    exp_epsilon: ExpEpsilon
    measured_at: Exact
    pair: tuple[str, str]
    value: Exact
    chain: Chain = field(compare=False)
    steps: tuple[FlowStep, ...] = ()
    reached: tuple[Exact, ...] = ()
    contributions: tuple[Contribution, ...] = ()
    circling: tuple[tuple[int, int], ...] = ()
    tree: Branch | None = None
    test: QuantitativeFormula | None = None
    delta: tuple[Exact, Exact] | None = None
    losses: tuple[FlowLoss, ...] = ()

    @property
    def direction(self) -> tuple[str, str]:
        """Which state is told from which: the direction that attains the distance."""
        return self._name(self.steps[0].pair) if self.steps else self.pair

    @property
    def total(self) -> Exact:
        """The sum of the contributions: the value."""
        return total(part.amount for part in self.contributions)

    @property
    def gap(self) -> tuple[Exact, Exact] | None:
        """The distance less δ, as an interval; a difference of the two where δ is exact."""
        return None if self.delta is None else (self.value - self.delta[1], self.value - self.delta[0])

    def _name(self, pair: tuple[int, ...]) -> tuple[str, str]:
        return self.chain.states[pair[0]], self.chain.states[pair[1]]

    def _names(self, at: tuple[int, ...]) -> str:
        """A state, or a pair, by name."""
        return shown_name(self.chain.states[at[0]]) if len(at) == 1 else name_pair(self._name(at))

    @property
    def headline(self) -> str:
        """The value, and which direction attains it."""
        what = interval(f"{self.kind}{name_pair(self.pair, LONGEST_NAME)}", self.value, self.value)
        if not self.steps:
            return f"{what}: {self._at_once}"
        first, second = map(shown_name, self.direction)
        return f"{what}, by telling {first} from {second}"

    @property
    def _at_once(self) -> str:
        labels = [self.chain.labels[self.chain.number(state)] for state in self.pair]
        if labels[0] != labels[1]:
            return f"the states show different outputs, {labels[0]!r} and {labels[1]!r}"
        return "every event has at most α times the probability from the one that it has from the other"

    def sections(self) -> Sequence[Section]:
        """The tree, what adds up, the test, and where more than δ is paid."""
        rows = epsilon_fields(self.exp_epsilon)
        if not self.steps:
            return [Fields(rows)]
        paid = total(payment.amount for payment in self.steps[0].paid)
        matched = total(arc.share for arc in self.steps[0].matched)
        rows.append(("paid at once", value_of(paid, paid)))
        rows.append(("by matching", value_of(matched, matched)))
        if self.circling:
            rows.append(("circles", ", ".join(name_pair(self._name(pair)) for pair in self.circling[:8])))
        found: list[Section] = [Fields(rows), Paragraph("\n".join(["The flow:", *self._tree_lines()])), self._add()]
        if self.test is not None:
            kind = "an event of letters" if self.test.of_letters else "no event, where it looks at hidden states"
            head = f"A test that gains {value_of(self.value, self.value)} ({kind}):"
            lines = self.test.lines(self.chain, shorten)
            found.append(Paragraph("\n".join([head, *(f"  {line}" for line in lines)])))
        return found + self._lose()

    def _tree_lines(self) -> list[str]:
        if self.tree is None:
            return []
        lines: list[str] = []
        self._add_lines(self.tree, "", lines)
        more = len(lines) - MOST_LINES
        return lines if more <= 0 else [*lines[:MOST_LINES], f"… {more:,} lines more"]

    def _add_lines(self, branch: Branch, indent: str, lines: list[str]) -> None:
        amount, reached, value = map(shorten, (branch.amount, branch.reached, branch.value))
        if branch.step is None:
            why = "circles back" if branch.circles else "not followed further"
            lines.append(f"{indent}{amount} at {name_pair(self._name(branch.pair))}, {why}")
            return
        asked = "" if branch.step.input is None else f", under the input {branch.step.input!r}"
        times = f" = {reached} · {value}" if branch.reached != 1 and "≈" not in amount + reached + value else ""
        lines.append(f"{indent}{amount}{times} at {name_pair(self._name(branch.pair))}{asked}:")
        for payment in branch.step.paid:
            where = self._names(payment.at)
            what = f"pays at once for {where}" if len(payment.at) == 1 else f"pays for turning {where} round"
            lines.append(f"{indent}  {shorten(branch.reached * payment.amount)} {what}")
        free = [arc for arc in branch.step.matched if not arc.value]
        lines += [f"{indent}  matches {shorten(arc.amount)} of {self._arc(arc.pair)} at no cost" for arc in free[:FREE]]
        if len(free) > FREE:
            lines.append(f"{indent}  … {len(free) - FREE} more at no cost")
        for arc in branch.step.matched:
            if arc.value:
                how = "turned round, " if arc.complement else ""
                share = f"{shorten(arc.amount)} of {self._arc(arc.pair)}, {how}at {shorten(arc.value)} each"
                lines.append(f"{indent}  matches {share}")
        for below in branch.below:
            self._add_lines(below, indent + "    ", lines)

    def _arc(self, pair: tuple[int, int]) -> str:
        first, second = map(shown_name, self._name(pair))
        return f"{first} with {second}"

    def _add(self) -> Table:
        rows = []
        for part in self.contributions[:MOST_ROWS]:
            if part.paid is not None:
                what = f"paid at once for {self._names(part.paid)}"
            else:
                what = f"the distance of {name_pair(self._name(part.left or (0, 0)))}, not followed"
            rows.append((name_pair(self._name(part.pair)), shorten(part.reached), what, shorten(part.amount)))
        left = len(self.contributions) - len(rows)
        more = f"in sum {value_of(self.total, self.total)}" + (f"; {left:,} more" if left else "")
        return Table(("pair", "reached", "what", "adds"), rows, title="What adds up:", more=more)

    def _lose(self) -> list[Section]:
        if self.delta is None or self.gap is None:
            return []
        low, high = self.gap
        first, second = map(shown_name, self.pair)
        delta = interval(f"δ({first} from {second})" if kind_named(self.kind).directed else "δ", *self.delta)
        if high == 0:
            return [Paragraph(f"{delta}: the distance is δ, and nothing is lost.")]
        head = f"{delta}; {interval(f'{self.kind} − δ', low, high)}, lost where a flow pays more than any event gains:"
        rows = [
            (name_pair(loss.pair), shorten(loss.reached), _ends(loss.pays), _ends(loss.gains), _ends(loss.share))
            for loss in self.losses[:MOST_ROWS]
            if loss.share[0] or loss.share[1]
        ]
        return [Table(("pair", "reached", "its flow pays", "its δ", "lost"), rows, title=head)]

    def to_dict(self) -> dict[str, Any]:
        """The explanation as plain data, the keys of its own of ``deltachain distance --explain --json``."""
        states = self.chain.states
        return {
            "kind": self.kind,
            "measured_at": json_number(self.measured_at),
            "pair": list(self.pair),
            "value": json_number(self.value),
            "direction": list(self.direction),
            "flows": [
                {
                    "pair": [states[state] for state in step.pair],
                    "input": step.input,
                    "reached": json_number(reached),
                    "value": json_number(step.value),
                    "circles": step.pair in self.circling,
                    "paid": [{"at": [states[i] for i in p.at], "amount": json_number(p.amount)} for p in step.paid],
                    "matched": [
                        {
                            "pair": [states[state] for state in arc.pair],
                            "amount": json_number(arc.amount),
                            "distance": json_number(arc.value),
                            "complement": arc.complement,
                        }
                        for arc in step.matched
                    ],
                }
                for step, reached in zip(self.steps, self.reached, strict=True)
            ],
            "contributions": [
                {
                    "pair": [states[state] for state in part.pair],
                    "paid": None if part.paid is None else [states[state] for state in part.paid],
                    "left": None if part.left is None else [states[state] for state in part.left],
                    "amount": json_number(part.amount),
                }
                for part in self.contributions
            ],
            "total": json_number(self.total),
            "test": None if self.test is None else self.test.lines(self.chain, exact_text),
            "test_is_an_event": None if self.test is None else self.test.of_letters,
            "delta": None if self.delta is None else _json_ends(self.delta),
            "gap": None if self.gap is None else _json_ends(self.gap),
            "losses": [
                {
                    "pair": list(loss.pair),
                    "reached": json_number(loss.reached),
                    "pays": _json_ends(loss.pays),
                    "gains": _json_ends(loss.gains),
                    "share": _json_ends(loss.share),
                }
                for loss in self.losses
            ],
        }

    @property
    def summary_lines(self) -> list[str]:
        """The flow and what is lost, in a few lines of text."""
        return [*self._tree_lines(), *(section.title for section in self._lose() if isinstance(section, Table))]

    # Pictures.

    def save(self, path: str | Path) -> None:
        """Write the flows as a picture: ``.dot`` for Graphviz, ``.tex`` for TikZ; InputError for another suffix."""
        suffix = Path(path).suffix
        if suffix not in PICTURES:
            raise InputError(Defect(str(path), "no such picture", f"use {', '.join(PICTURES)}"))
        write_atomically(path, self.to_dot() if suffix == ".dot" else self.to_tikz())

    def to_dot(self) -> Iterator[str]:
        """The pairs that were followed and what flows between them, as text for Graphviz."""
        yield "digraph explanation {\n  node [shape=box];\n"
        number = self._numbers()
        for pair, n in number.items():
            first, second = self._name(pair)
            yield f'  {n} [label="{escape_dot(first)} | {escape_dot(second)}\\n{shorten(self._value(pair))}"];\n'
        for step in self.steps:
            source = number[self._key(step.pair)]
            for arc in step.matched:
                style = ", style=dotted" if not arc.value else ", style=dashed" if arc.complement else ""
                yield f'  {source} -> {number[self._key(arc.pair)]} [label="{shorten(arc.amount)}"{style}];\n'
            for at, payment in enumerate(step.paid):
                where = escape_dot(self._names(payment.at))
                yield f'  p{source}_{at} [shape=plaintext, label="paid: {shorten(payment.amount)}\\n{where}"];\n'
                yield f"  {source} -> p{source}_{at} [style=bold];\n"
        yield "}\n"

    def to_tikz(self) -> Iterator[str]:
        """The coupling of the pair itself as a TikZ picture: the first state's row on the left, the second's right."""
        if not self.steps:
            yield from picture([TikzBox(escape_tex(self.headline), 0, 0)], [])
            return
        step, names = self.steps[0], self.chain.states
        matched = [
            (
                names[arc.pair[0]],
                names[arc.pair[1]],
                shorten(arc.amount) + (f" at {shorten(arc.value)}" if arc.value else ""),
                not arc.value,
            )
            for arc in step.matched
        ]
        yield from draw_coupling(matched, [(names[payment.at[0]], shorten(payment.amount)) for payment in step.paid])

    def _key(self, pair: tuple[int, int]) -> tuple[int, int]:
        """The pair as it stands for itself turned round, where both have one value."""
        return pair if kind_named(self.kind).directed else (min(pair), max(pair))

    def _numbers(self) -> dict[tuple[int, int], int]:
        found: dict[tuple[int, int], int] = {}
        for step in self.steps:
            for pair in (step.pair, *(arc.pair for arc in step.matched)):
                found.setdefault(self._key(pair), len(found))
        return found

    def _value(self, pair: tuple[int, int]) -> Exact:
        for step in self.steps:
            if self._key(step.pair) == pair:
                return step.value
        return next(arc.value for step in self.steps for arc in step.matched if self._key(arc.pair) == pair)

    @property
    def _asked(self) -> str:
        return asked_at(self.exp_epsilon)


def _ends(ends: tuple[Exact, Exact]) -> str:
    low, high = ends
    return value_of(low, high) if low == high else f"{outward(low, 'lower')} … {outward(high, 'upper')}"


def _json_ends(ends: tuple[Exact, Exact]) -> dict[str, Any]:
    return {"lower": json_number(ends[0], "lower"), "upper": json_number(ends[1], "upper")}


@dataclass(frozen=True, repr=False)
class ExplainedDistance(Rendered):
    """A distance of one pair with its explanation, as the command line shows both."""

    distance: Distance
    explanation: Explanation

    @property
    def headline(self) -> str:
        """That of the explanation, which has the value."""
        return self.explanation.headline

    def sections(self) -> Sequence[Section]:
        """Those of the explanation, after what the checker said."""
        said = Fields([("proof", str(self.distance.checked))])
        return [*self.explanation.sections()[:1], said, *self.explanation.sections()[1:]]

    def to_dict(self) -> dict[str, Any]:
        """The distance as plain data, with the explanation under a key of its own."""
        return self.distance.to_dict() | {"explanation": self.explanation.to_dict()}
