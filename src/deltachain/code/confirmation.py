"""Recorded runs, each confirmed as the first call of a clean process; noise with whole numbers in its place.

What was recorded was seen in one process that made all calls. So runs are made again in processes that make none
before, the likeliest first. These are two regimes: what a call keeps is there in the one, and not in the other.

Noise that was not a number is a whole number here. A run that left one noise open is made with every outcome of it
within all but `BEYOND` of its law, in batches, every other one backwards; each batch begins as a first call, and more
first calls are made with outcomes that the law is likely to give, at the far ends, and around what the code compared
with. Of several open noises each is tried alone, with the others at their likeliest, and then all at once: their
likeliest outcomes in every combination, and others as their laws draw them.

A disagreement is refused, with one exception: if a clean process does with noise that is not a number what was
recorded, and something else with a number in its place, the code tells the two apart. Then that noise has to be a
number from the start, for all secrets, and everything is recorded again, in a clean process.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, product

from ..cancel import Cancel
from ..draws.source import Site
from ..errors import Defect, Stopped
from .points import edges, far_ends, likely_ones, list_outcomes, nearest_of
from .recording import error_of
from .runs import RunClaim, RunRow, read_claim, representative_rows
from .watching import NOT_A_FUNCTION, CodeRefused
from .wire import Json
from .workers import Workers

MOST_ROWS = 1_000
"""How many calls are made in one batch."""

BATCH_SECONDS = 0.5
"""About how long a batch may take: of slow code, fewer calls are one."""

FIRST_CALLS, FEWEST_CALLS, SHARED_CALLS = 10, 2, 20
"""How many first calls more are made of each run with outcomes that the law gives: at most, at least, and of all runs
together in between."""

MOST_JOINTLY, JOINTLY = 2_000, 50
"""How many times several noises are tried at once: of a run that is certain, and of one that is not likely."""

FIRST_SEED = 1_000_000
"""The seed of the parts of the first of these first calls."""

WITH_PARTS_TOGETHER = 20
"""How many calls with parts are made in one batch, at least."""

AT_LEAST = 20
"""How often each secret is run in all, where it has few runs."""

STATELESS = "use nothing that changes between calls: time, files, caches, other random numbers, global variables"


@dataclass(frozen=True)
class Effort:
    """How much is confirmed: until the first of these is used up."""

    processes: int = 5_000
    seconds: float = 10.0
    share: float = 0.25
    """Of the time that is left."""


@dataclass
class Confirmed:
    """What was confirmed, and how."""

    runs: int
    """How many there are."""
    confirmed: int = 0
    mass: float = 0.0
    """How likely the runs are that were confirmed, about, and not too much: of the secret where that is least."""
    whole: bool = False
    """Whether these are all runs, and none was cut off."""
    integers: int = 0
    """How many calls had a whole number in place of noise."""
    share: float = 1.0
    """How much of the law of each open noise was tried one by one, about: where that is least."""
    processes: int = 0
    several: bool = False
    """Whether some run left several noises open."""
    parts: int = 0
    """How many calls gave outcomes to the parts of `each`."""


@dataclass
class Planned:
    """A run that is to be confirmed."""

    secret: int
    claim: RunClaim
    written: Json
    rows: list[RunRow]
    """Every call that confirms it."""
    share: float
    left: int = 0
    """How many batches are still to agree."""

    def task(self, rows: Sequence[RunRow]) -> Json:
        """The calls of a batch."""
        return {"do": "confirm", "secret": self.secret, "run": self.written, "rows": rows}


@dataclass
class Confirmation:
    """The runs of all secrets, and what confirms them."""

    workers: Workers
    claims: Sequence[Sequence[RunClaim]]
    as_digits: frozenset[Site]
    seconds_per_call: float
    """Of the fastest call, about: of noise that is not a number."""
    effort: Effort
    agreed: list[list[RunClaim]] = field(default_factory=list)
    """Of each secret, the runs that were confirmed."""

    def confirm(self, found: Confirmed, cancel: Cancel) -> frozenset[Site]:
        """Confirm runs until the budget is used up; the lines whose noise has to be a number from the start, if any.

        Raises:
            CodeRefused: a clean process does something else.
        """
        ranked = [
            (-claim.likely, rank, secret)
            for secret, claims in enumerate(self.claims)
            for rank, claim in enumerate(claims)
        ]
        # The likeliest first; of equally likely ones, one of each secret in turn.
        claimed = ((secret, self.claims[secret][rank]) for _, rank, secret in sorted(ranked))
        plans = [Planned(secret, claim, claim.write(), [], 1.0) for secret, claim in claimed]
        masses = [0.0] * len(self.claims)
        self.agreed = [[] for _ in self.claims]
        limit = Cancel(self.effort.seconds, cancel.report, within=cancel.first(self.effort.share))
        whose: dict[int, Planned] = {}
        try:
            for task, answer in self.workers.answers(self._tasks(plans, whose), limit):
                plan, rows = whose.pop(id(task)), task["rows"]
                found.processes += 1
                if answer["agreed"] < len(rows):
                    return self._judge(plan, task, answer, cancel)
                if plan.claim.open_noises():
                    found.integers += len(rows)
                if plan.claim.blocks:
                    found.parts += len(rows)
                plan.left -= 1
                if plan.left == 0:
                    found.confirmed += 1
                    self.agreed[plan.secret].append(plan.claim)
                    masses[plan.secret] += plan.claim.likely
                    found.share = min(found.share, plan.share)
                    found.several |= len(plan.claim.open_noises()) > 1
        except Stopped:
            cancel.check()  # otherwise it is the budget that is used up
        found.mass = min(masses)
        return frozenset()

    def _tasks(self, plans: Sequence[Planned], whose: dict[int, Planned]) -> Iterator[Json]:
        """What is to be done, in order; whose task each one is."""
        made = 0

        def give(plan: Planned, rows: Sequence[RunRow]) -> Json:
            nonlocal made
            made += 1
            task = plan.task(rows)
            whose[id(task)] = plan
            return task

        most = max(1, min(MOST_ROWS, int(BATCH_SECONDS / max(self.seconds_per_call, 1e-9))))
        for number, plan in enumerate(plans):
            plan.rows, plan.share = rows_of(plan.claim, number, most)
            # A call that was recorded with parts took longer than one that is made again.
            size = max(most, WITH_PARTS_TOGETHER) if plan.claim.blocks else most
            batches = [plan.rows[start : start + size] for start in range(0, len(plan.rows), size)]
            plan.left = len(batches)
            for place, batch in enumerate(batches):
                if made >= self.effort.processes:
                    return
                yield give(plan, batch[::-1] if place % 2 else batch)
            plan.rows = plan.rows[:1]
        per_run = max(FEWEST_CALLS, min(FIRST_CALLS, SHARED_CALLS // max(1, len(plans))))
        alone = [0] * len(self.claims)
        for number, plan in enumerate(plans):
            for row in first_rows(plan.claim, per_run, number):
                if made >= self.effort.processes:
                    return
                alone[plan.secret] += 1
                yield give(plan, [row])
        for secret in range(len(self.claims)):
            own = [plan for plan in plans if plan.secret == secret]
            least = FEWEST_CALLS if any(plan.claim.blocks for plan in own) else AT_LEAST
            for number in range(len(own) + alone[secret], least):
                if made >= self.effort.processes:
                    return
                yield give(own[number % len(own)], own[number % len(own)].rows)

    def _judge(self, plan: Planned, task: Json, answer: Json, cancel: Cancel) -> frozenset[Site]:
        row: RunRow = task["rows"][answer["agreed"]]
        found = Difference(plan.secret, plan.claim, row, answer["what"], answer["place"], first=answer["agreed"] == 0)
        return sites_of(found, self.workers, self.as_digits, cancel)


@dataclass(frozen=True)
class Difference:
    """A call that did not do what its run did."""

    secret: int
    claim: RunClaim
    row: RunRow
    what: str
    place: str
    first: bool
    """Whether it was the first call of its process."""


def sites_of(found: Difference, workers: Workers, as_digits: frozenset[Site], cancel: Cancel) -> frozenset[Site]:
    """The lines whose noise the code tells from a number; CodeRefused if something else is the reason."""
    claim = found.claim
    if claim.blocks:
        # Its parts may not be as independent as they are said to be: all draws together decide.
        return claim.part_sites()
    sites = claim.open_sites() - as_digits
    if not found.first:
        confirm = {"do": "confirm", "secret": found.secret, "run": claim.write(), "rows": [found.row]}
        if workers.answer(confirm, cancel)["agreed"]:
            raise _refusal(found, "after other calls", "as the first call of a clean process it does not")
    if sites:
        follow = {"do": "follow", "secret": found.secret, "run": claim.write(), "as_digits": sorted(as_digits)}
        if workers.answer(follow, cancel)["same"]:
            return sites
    raise _refusal(found, "as the first call of a clean process" if workers.clean else "called again", "")


def _refusal(found: Difference, when: str, and_then: str) -> CodeRefused:
    numbers = ", ".join(str(found.row[n]) for n in found.claim.open_noises())
    given = f", with {numbers} for its noise" if numbers else ""
    drawn = "; ".join(f"{draw.text}: {_outcome(draw.kind, draw.outcome)}" for draw in found.claim.draws[:5])
    after = f" after the draws {drawn}" if drawn else ""
    what = f"{NOT_A_FUNCTION}: {when}{given}, {found.what}{f'; {and_then}' if and_then else ''}{after}"
    return CodeRefused(Defect(found.place, what, STATELESS))


def _outcome(kind: str, outcome: int) -> str:
    return "open" if kind == "noise" else f"{outcome}" if kind == "value" else f"outcome {outcome + 1}"


def settled_raise(answer: Json, workers: Workers, as_digits: frozenset[Site], cancel: Cancel) -> frozenset[Site]:
    """What the code has raised, again; the lines whose noise is the reason, if that is not a number yet."""
    if answer["run"] is not None:
        claim = read_claim(answer["run"])
        sites = claim.open_sites() - as_digits
        rows = representative_rows(claim, 3) if sites else []
        for row in rows:
            task = {"do": "confirm", "secret": answer["secret"], "run": answer["run"], "rows": [row]}
            found = workers.answer(task, cancel)
            if not found.get("raises"):
                return sites
    if workers.raised is not None:
        workers.raised.add_note(answer["raised"]["note"])
        raise workers.raised
    raise error_of(answer["raised"])


# Which calls confirm a run.


def rows_of(claim: RunClaim, number: int, affordable: int = MOST_JOINTLY) -> tuple[list[RunRow], float]:
    """Every call that confirms a run, and how much of the law of its open noises that covers.

    Args:
        claim: the run.
        number: of the run, for what is drawn.
        affordable: how many calls with several noises at once are quick enough.
    """
    nearest = tuple(nearest_of(spans) for _, spans in claim.noises)
    open_ = claim.open_noises()
    seeds = max((block.seeds() for block in claim.blocks), default=1)
    if not open_:
        return claim.seed([nearest] * seeds), 1.0
    rows: list[RunRow] = [nearest] * (seeds - 1)
    share = 1.0
    for noise in open_:
        outcomes, covered = list_outcomes(*claim.noises[noise])
        share = min(share, covered)
        rows += (_with(nearest, noise, outcome) for outcome in outcomes or [nearest[noise]])
    if len(open_) > 1:
        most = max(JOINTLY, int(min(MOST_JOINTLY, 2 * affordable) * claim.likely))
        rows += joint_rows(claim, most, nearest)
        rows += drawn_rows(claim, max(JOINTLY, most // 4), number)
    return claim.seed(rows), share


def joint_rows(claim: RunClaim, most: int, nearest: RunRow) -> Iterator[RunRow]:
    """The outcomes that are nearest to the likeliest ones of all open noises, in every combination."""
    open_ = claim.open_noises()
    each = max(2, int(most ** (1 / len(open_))))
    near: list[list[int]] = [[outcome] for outcome in nearest]
    for noise in open_:
        outcomes = list_outcomes(*claim.noises[noise])[0]
        near[noise] = sorted(outcomes, key=lambda z, middle=nearest[noise]: (abs(z - middle), z))[:each]  # type: ignore[misc]
    return islice(product(*near), most)


def first_rows(claim: RunClaim, most: int, number: int) -> Iterable[RunRow]:
    """Calls that are made alone: as the law gives outcomes, at the far ends, and where the code has compared."""
    open_ = claim.open_noises()
    if not open_:
        return claim.seed([tuple(nearest_of(spans) for _, spans in claim.noises)], FIRST_SEED) if claim.blocks else []
    nearest = tuple(nearest_of(spans) for _, spans in claim.noises)
    rows = dict.fromkeys(drawn_rows(claim, most, number + 1))
    for noise in open_:
        _, spans = claim.noises[noise]
        tried = (*far_ends(spans), *edges(spans)[:most])
        rows |= dict.fromkeys(_with(nearest, noise, outcome) for outcome in tried)
    return claim.seed(rows, FIRST_SEED)


def _with(row: RunRow, noise: int, outcome: int) -> RunRow:
    return (*row[:noise], outcome, *row[noise + 1 :])


def drawn_rows(claim: RunClaim, count: int, seed: int) -> Iterator[RunRow]:
    """Whole numbers for all noises, as their laws give them."""
    each = [likely_ones(key, spans, seed * 1_000 + n) for n, (key, spans) in enumerate(claim.noises)]
    for _ in range(count):
        yield tuple(next(one) for one in each)
