"""Draws with many outcomes: what follows is run once for all of them.

From one configuration, the steps after a draw differ only where the outcome is looked at.
They are run once with the outcome *unknown*: an instruction that reads nothing unknown is executed; an assignment that
does is kept, with all that is known in its expression already evaluated; a test that does splits what follows into two
arms, each prepared when the first outcome gets there. An outcome then only runs the assignments and tests that were
kept. Whatever goes wrong for an outcome still goes wrong: kept assignments are executed even if nobody reads their
variable, and an arm that no outcome reaches is never prepared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..language.graph import (
    ABSENT,
    Constant,
    Environment,
    Evaluation,
    Expression,
    Instruction,
    Kind,
    bake,
    evaluation,
    variables,
)
from ..language.source import Place, Problem
from ..language.values import Value, truth

if TYPE_CHECKING:
    from .explore import Code, Explorer

MAX_TURNS = 1
"""How many heads of loops are passed while that is done; from the next on, each outcome runs by itself."""


@dataclass(slots=True)
class Prepared:
    """Steps that a number of outcomes take together, up to a test of what is unknown, or to where they stop."""

    environment: Environment
    unknown: frozenset[int]
    """The slots whose values depend on the outcome; no slot becomes known again."""
    point: int
    turns: int = 0
    """The heads of loops that were passed on the way here."""
    kept: list[tuple[int, Evaluation, Place]] = field(default_factory=list)
    expressions: list[tuple[str, Expression]] = field(default_factory=list)
    """The variables of what is kept, and what they become."""
    test: Evaluation | None = None
    tested: Expression | None = None
    arms: list[Prepared | None] = field(default_factory=lambda: [None, None])
    """What follows if the test is false, and if it is true."""
    left_to_runs: bool = False
    key: list[int | Code] = field(default_factory=list)
    """At a stop: the values of the live variables, but for those with ``holes``: place in the key, and slot."""
    holes: list[tuple[int, int]] = field(default_factory=list)
    number: int | None = None
    """The configuration of a stop without holes."""


class Outcomes:
    """The configurations that a draw leads to; the outcome is put into ``slot``."""

    def __init__(self, explorer: Explorer, slot: int) -> None:
        self._explorer, self._slot = explorer, slot

    def after(
        self, point: int, environment: Environment, values: Sequence[Value], root: Prepared | None = None
    ) -> list[int]:
        """Where each of the values leads, for a run that goes on at ``point``; ``root`` is what all do first."""
        explorer = self._explorer
        part, here = Prepared(environment, frozenset((self._slot,)), point), environment
        targets: list[int] = []
        steps, place = 0, explorer.graph.instructions[point].place
        try:
            root = root or self._prepare(part)
            for value in values:
                part, here = root, root.environment
                here[self._slot] = value
                while True:
                    steps += 1 + len(part.kept)
                    for slot, evaluate, place in part.kept:  # noqa: B007  (for what goes wrong)
                        here[slot] = evaluate(here)
                    if part.test is None:
                        break
                    place = explorer.graph.instructions[part.point].place
                    arm = truth(part.test(here))
                    following = part.arms[arm]
                    if following is None:
                        following = self.arm(part, arm)
                    # All outcomes share the environment of an arm; only what
                    # depends on the outcome differs between them.
                    for slot in part.unknown:
                        following.environment[slot] = here[slot]
                    part, here = following, following.environment
                targets.append(self._stop(part, here))
            explorer.charge(steps)
        except Problem as problem:
            raise explorer.error(problem, place, here) from None
        return targets

    def start(self, point: int, environment: Environment) -> Prepared:
        """What all outcomes do first, for a run that goes on at ``point``."""
        return self._prepare(Prepared(environment, frozenset((self._slot,)), point))

    def arm(self, part: Prepared, truth: bool) -> Prepared:
        """What follows where the part's test is true, or false."""
        following = part.arms[truth]
        if following is None:
            i = self._explorer.graph.instructions[part.point]
            start = i.next if truth or i.otherwise is None else i.otherwise
            following = self._prepare(Prepared(part.environment.copy(), part.unknown, start, part.turns))
            part.arms[truth] = following
        return following

    def beyond(self, part: Prepared, draw: Instruction, outcome: int | None = None) -> Prepared:
        """What follows a draw at which a part stops, with its outcome, or with one more that is unknown."""
        slot = self._explorer.slots[draw.writes[0]]
        unknown = part.unknown if outcome is not None else part.unknown | {slot}
        following = Prepared(part.environment.copy(), unknown, draw.next)
        following.kept, following.expressions = part.kept.copy(), part.expressions.copy()
        if outcome is not None:
            following.environment[slot] = outcome
            if slot in unknown:  # the variable held an unknown outcome before
                following.kept.append((slot, lambda _: outcome, draw.place))
                following.expressions.append((draw.writes[0], Constant(outcome)))
        return self._prepare(following)

    def _stop(self, part: Prepared, here: Environment) -> int:
        if part.number is not None:
            return part.number
        if part.left_to_runs:
            return self._explorer.run(part.point, here.copy())
        key = part.key.copy()
        for place, slot in part.holes:
            value = here[slot]
            key[place] = value if type(value) is int else self._explorer.code(value)
        return self._explorer.number(part.point, tuple(key))

    def _prepare(self, part: Prepared) -> Prepared:
        """Run from the part's point as far as all outcomes go together."""
        explorer = self._explorer
        while True:
            i = explorer.graph.instructions[part.point]
            stretch = explorer.stretches.get(part.point)
            # A stretch is one step only if nothing unknown comes into it, or is overwritten by it.
            together = stretch is not None and stretch.slots.isdisjoint(part.unknown)
            step = (explorer.steps if together else explorer.plain_steps)[part.point]
            looks = any(explorer.slots[name] in part.unknown for e in i.reads for name in variables(e))
            changes = any(explorer.slots[name] in part.unknown for name in i.writes)
            if part.point in explorer.idle:
                part.point = i.next
            elif not together and i.kind is Kind.ASSIGN and (looks or changes):
                self._keep(part, i)
                part.point = i.next
            elif i.kind is Kind.BRANCH and looks:
                part.tested = bake(i.reads[0], part.environment, part.unknown, explorer.slots)
                part.test = evaluation(part.tested, explorer.slots)
                return part
            elif i.kind is Kind.JUMP and part.turns < MAX_TURNS:
                part.turns += 1
                part.point = i.next
            elif step is None and i.kind is not Kind.JUMP:
                self._note_stop(part)
                return part
            elif step is None or looks or changes:  # another turn, or an instruction that is not prepared
                part.left_to_runs = True
                return part
            else:
                try:
                    part.point = step(part.environment)
                except Problem as problem:
                    raise explorer.error(problem, i.place, part.environment) from None

    def _keep(self, part: Prepared, i: Instruction) -> None:
        slots = self._explorer.slots
        value = bake(i.reads[0], part.environment, part.unknown, slots)
        slot = slots[i.writes[0]]
        part.kept.append((slot, self._explorer.evaluate(i, value), i.place))
        part.expressions.append((i.writes[0], value))
        part.unknown |= {slot}

    def _note_stop(self, part: Prepared) -> None:
        explorer = self._explorer
        slots = explorer.live_slots[part.point]
        part.holes = [(place, slot) for place, slot in enumerate(slots) if slot in part.unknown]
        values = [ABSENT if slot in part.unknown else part.environment[slot] for slot in slots]
        part.key = [
            value if isinstance(value, int) and type(value) is int else explorer.code(value) for value in values
        ]
        if not part.holes:
            part.number = explorer.number(part.point, tuple(part.key))
