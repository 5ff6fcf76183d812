"""`profile`: δ as a function of ε, as a certified band.

Where the belief graphs are finite, the band is one exact curve for every ε (`beliefs.losses`), and the privacy-loss
distribution behind it can be handed to an accountant. Otherwise points are bounded coarse first, on shared belief
graphs, and each is sharpened by its neighbours: δ falls as ε grows, and is convex in e^ε (`beliefs.bands`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..cancel import Cancel, Report
from ..errors import BackendMissing, InputError, Stopped
from ..files import make_folder
from ..model import Chain
from ..model.inputs import refuse_inputs
from ..rational import (
    ExpEpsilon,
    Number,
    as_fraction,
    as_probability,
    format_fraction,
    log_above,
    log_below,
    round_up,
)
from ..render.csv import csv_text
from ..render.html import html_band
from ..render.numbers import decimal, outward_float
from ..render.results import pairs_text
from .bands import EstimatedBand, estimated_band
from .estimates import DEFAULT_CONFIDENCE, NOT_DRAWN, sampling_for
from .parameters import Budget, State, asked_pairs, watching

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..beliefs.composed import ComposedLosses
    from ..beliefs.losses import Loss, PrivacyLosses
    from ..beliefs.proof import Answer

MOST_STEPS = 50
"""Steps of the grid that is chosen without one."""
NODES_BESIDE_ESTIMATE = 2_000
"""Beliefs expanded for each point of a band that samples will narrow, unless told."""
MOST_RUNS = 10**9
FARTHEST = Fraction(5)
"""Without a grid, ε runs from 0 to the largest finite loss, or to this."""


@dataclass(frozen=True, slots=True)
class ProfilePoint:
    """lower ≤ δ(ε) ≤ upper, certified."""

    epsilon: Fraction
    lower: Fraction
    upper: Fraction
    reached: bool = True
    """Whether the search came to this point, or what its neighbours prove is as narrow as asked without one."""


@dataclass(frozen=True, repr=False)
class Profile:
    """δ(ε) of the worst of ``pairs``, by increasing ε; exact for every ε where ``distributions`` are known. A value."""

    pairs: tuple[tuple[str, str], ...]
    points: tuple[ProfilePoint, ...]
    distributions: tuple[PrivacyLosses, ...] | None
    """The exact privacy-loss distribution of each pair, or None if a belief graph is not finite."""
    repeat: int = 1
    """Of how many independent runs; of more than one the band alone is known."""
    interrupted: bool = False
    """Whether time ran out, or Ctrl-C was pressed, before every point was bounded as well as it could be."""
    estimate: EstimatedBand | None = None
    """A narrower band by sampling, with a stated confidence, if it was asked for. Not proved."""

    def __repr__(self) -> str:
        return f"<Profile: {self._sentence()}>"

    def _sentence(self) -> str:
        kind = "exact for every ε" if self.distributions is not None else "a certified band"
        if self.repeat > 1:
            kind = f"{self.repeat:,} independent runs, {kind}"
        ends = f"{len(self.points)} points"
        if self.points:
            ends += f", ε from {decimal(self.points[0].epsilon)} to {decimal(self.points[-1].epsilon)}"
        if self.estimate is not None:
            kind += f" and one with confidence {decimal(self.estimate.confidence)}, not proved"
        return f"δ(ε) of {pairs_text(self.pairs)}, {kind}, {ends}" + (", interrupted" if self.interrupted else "")

    def _repr_html_(self) -> str:
        return html_band(self._sentence(), self._floats())

    def _floats(self) -> list[tuple[float, float, float]]:
        return [(float(p.epsilon), float(p.lower), float(p.upper)) for p in self.points]

    def to_dict(self) -> dict[str, list[object]]:
        """The points as columns, for a DataFrame: floats rounded outward, and the exact numbers as text."""
        columns: dict[str, list[object]] = {
            "epsilon": [float(p.epsilon) for p in self.points],
            "lower": [outward_float(p.lower, "lower") for p in self.points],
            "upper": [outward_float(p.upper, "upper") for p in self.points],
            "epsilon_exact": [format_fraction(p.epsilon) for p in self.points],
            "lower_exact": [format_fraction(p.lower) for p in self.points],
            "upper_exact": [format_fraction(p.upper) for p in self.points],
            "reached": [p.reached for p in self.points],
        }
        return columns if self.estimate is None else columns | self.estimate.columns()

    @property
    def losses(self) -> tuple[Loss, ...]:
        """The exact privacy-loss distribution of a single pair: outcomes with both probabilities, by rising loss."""
        return self._single().outcomes

    def _single(self) -> PrivacyLosses:
        if self.repeat > 1:
            raise InputError("repeat: the loss distribution is that of one run; ask for the profile without it")
        if self.distributions is None:
            reason = (
                "the belief graph is not finite, or the observer chooses inputs, and what is best to ask depends on ε"
            )
            raise InputError(f"{reason}: there is a band for δ(ε), but no exact loss distribution")
        if len(self.distributions) != 1:
            raise InputError(f"{len(self.distributions)} pairs: ask for the profile of one to have its losses")
        return self.distributions[0]

    def delta(self, *, epsilon: Number) -> ProfilePoint:
        """The certified interval for δ at any ε; between points of a band, from the neighbours on the sound side."""
        at = as_fraction(epsilon, "epsilon")
        exp_epsilon = ExpEpsilon.read(epsilon=at)
        if self.distributions is not None:
            lower = max(losses.delta(exp_epsilon.above) for losses in self.distributions)
            return ProfilePoint(at, lower, max(losses.delta(exp_epsilon.below) for losses in self.distributions))
        upper = min((p.upper for p in self.points if p.epsilon <= at), default=Fraction(1))
        lower = max((p.lower for p in self.points if p.epsilon >= at), default=Fraction(0))
        return ProfilePoint(at, lower, upper)

    def epsilon(self, *, delta: Number) -> tuple[Fraction | None, Fraction]:
        """(ε proved, ε refuted): (ε, δ)-private from the first on (None: never), and for no ε below the second."""
        allowed = as_probability(delta, "delta")
        if self.distributions is not None:
            needed = [losses.exp_epsilon(allowed) for losses in self.distributions]
            known = [alpha for alpha in needed if alpha is not None]
            least = max(known, default=Fraction(1))
            return (log_above(least) if len(known) == len(needed) else None), log_below(least)
        proved = min((p.epsilon for p in self.points if p.upper <= allowed), default=None)
        return proved, max((p.epsilon for p in self.points if p.lower > allowed), default=Fraction(0))

    def csv(self) -> str:
        """The points as CSV: the columns of `to_dict`."""
        columns = self.to_dict()
        return csv_text(list(columns), list(zip(*columns.values(), strict=True)))

    def losses_csv(self) -> str:
        """The loss distribution as CSV: probabilities from the first and the second state, and the loss."""
        rows = []
        for o in self.losses:
            loss = math.inf if not o.second else -math.inf if not o.first else _log_ratio(o.first, o.second)
            rows.append((format_fraction(o.first), format_fraction(o.second), loss))
        return csv_text(["first", "second", "loss"], rows)

    def plot(self, target: str | Path | Axes) -> None:
        """Draw the band δ(ε) to an SVG, PNG or PDF file, or onto matplotlib ``Axes`` (extra ``plot``)."""
        from ..render.plots import draw_band

        estimate = None
        if self.estimate is not None:
            label = f"with confidence {decimal(self.estimate.confidence)}, not proved"
            estimate = label, [(float(low), float(high)) for low, high in self.estimate.bounds]
        title, reached = f"δ(ε), {pairs_text(self.pairs)}", [p.reached for p in self.points]
        draw_band(target, self._floats(), title, reached, estimate)

    def plot_tradeoff(self, target: str | Path | Axes) -> None:
        """Draw the trade-off curve: the least false-negative rate of any attacker for each false-positive rate."""
        from ..render.curves import implied_tradeoff
        from ..render.plots import draw_tradeoff

        bounds = [(ExpEpsilon.read(epsilon=p.epsilon), p.upper) for p in self.points]
        corners = [(float(rate), float(least)) for rate, least in implied_tradeoff(bounds, 200)]
        draw_tradeoff(target, corners, pairs_text(self.pairs))

    def to_dp_accounting(self) -> Any:
        """The loss distribution as a `dp_accounting.pld.PrivacyLossDistribution`, to be composed over repeated runs.

        It rounds to floats, pessimistically: what it answers is an accountant's bound, not one of our certified ones.
        """
        try:
            from dp_accounting.pld import privacy_loss_distribution
        except ImportError:
            raise BackendMissing("dp-accounting", "accounting") from None
        numbered = list(enumerate(self.losses))
        first = {i: math.log(o.first) for i, o in numbered if o.first}
        second = {i: math.log(o.second) for i, o in numbered if o.second}
        return privacy_loss_distribution.from_two_probability_mass_functions(first, second, symmetric=False)


def _log_ratio(x: Fraction, y: Fraction) -> float:
    ratio = x / y
    return math.log(ratio.numerator) - math.log(ratio.denominator)


def profile(
    chain: Chain,
    s: State | None = None,
    t: State | None = None,
    *,
    epsilons: Iterable[Number] | None = None,
    pairs: Iterable[tuple[State, State]] | None = None,
    repeat: int = 1,
    certificates: str | Path | None = None,
    gap: Number | None = None,
    max_nodes: int | None = None,
    timeout: float | None = None,
    report: Report | None = None,
    interruptible: bool = False,
    cancel: Cancel | None = None,
    estimate: bool = False,
    confidence: Number = DEFAULT_CONFIDENCE,
    samples: int | None = None,
    horizon: int | None = None,
    seed: int = 0,
    executor: Executor | None = None,
) -> Profile:
    """The band δ(ε) on a grid (default: chosen to show the curve's shape), exact for all ε where possible.

    With ``estimate``, a narrower band by sampling comes beside it, all of it right with probability at least
    ``confidence``, every ε from the same ``samples`` words; see `deltachain.estimate`.
    ``repeat`` asks about that many independent runs, composed from the exact losses of one. ``certificates`` is a
    folder for the proof of each point, in a file of its own; no point then leans on its neighbours.

    >>> import deltachain as dc
    >>> curve = profile(dc.examples.survey(), "s0", "s1", epsilons=["0", "1/2", "2"])
    >>> [(o.first, o.second) for o in curve.losses]
    [(Fraction(1, 4), Fraction(3, 4)), (Fraction(3, 4), Fraction(1, 4))]
    >>> curve.delta(epsilon=0).upper
    Fraction(1, 2)
    """
    grid = None if epsilons is None else sorted({as_fraction(e, "epsilon") for e in epsilons})
    if grid is not None and (not grid or grid[0] < 0):
        raise InputError("epsilons: give at least one, none below 0")
    runs = _runs(repeat, certificates, estimate)
    if runs > 1:
        what = "what is best to ask depends on ε, so that there are no losses to compose"
        refuse_inputs(chain, "repeat", what, "ask about one run, or let a program run the protocol again")
    if estimate:
        refuse_inputs(chain, "estimate", NOT_DRAWN, "leave it out: the band itself is certified")
    with watching(cancel, timeout, report, interruptible) as cancel:
        from ..beliefs.losses import find_all_losses
        from ..beliefs.question import Terms
        from ..beliefs.workspace import Workspace

        terms = Terms.read(exp_epsilon=1, gap=gap, max_nodes=max_nodes)  # each point of the grid is asked in its turn
        question = terms.about(chain, asked_pairs(chain, s, t, pairs))
        work = Workspace.of(question)
        distributions = find_all_losses(work, question.budget, cancel)
        names = tuple((chain.states[a], chain.states[b]) for a, b in work.pairs)
        if runs > 1:
            return _repeated(names, _composed(distributions, runs, cancel), grid, runs)
        grid = grid or _default_grid(distributions)
        if distributions is not None and certificates is None:
            exact = Profile(names, (), distributions)
            found = tuple(exact.delta(epsilon=e) for e in grid)
            asked = sampling_for(confidence, samples, horizon, seed, cancel)
            known = EstimatedBand(1 - asked.error, asked.seed, 0, 0, tuple((p.lower, p.upper) for p in found))
            return Profile(names, found, distributions, estimate=known if estimate else None)
        from ..beliefs.bands import bound_band

        asked = sampling_for(confidence, samples, horizon, seed, cancel)
        if estimate and max_nodes is None:
            question = replace(question, budget=Budget(NODES_BESIDE_ESTIMATE))
        keep = None if certificates is None else _certificates_in(Path(certificates))
        proved = bound_band(question, work, [ExpEpsilon.read(epsilon=e) for e in grid], cancel, keep)
        points = [ProfilePoint(e, p.lower, p.upper, p.reached) for e, p in zip(grid, proved.points, strict=True)]
        band = None
        if estimate:
            band = estimated_band(work, grid, [(p.lower, p.upper) for p in points], asked, executor)
        cut_off = proved.cut_off or (estimate and cancel.stopped())
        return Profile(names, tuple(points), distributions, interrupted=cut_off, estimate=band)


def _runs(repeat: Number, certificates: str | Path | None, estimate: bool) -> int:
    runs = as_fraction(repeat, "repeat")
    if runs.denominator != 1 or not 1 <= runs <= MOST_RUNS:
        raise InputError(f"repeat: {format_fraction(runs)} is not one of 1, 2, …, {MOST_RUNS:,}")
    if runs > 1 and certificates is not None:
        raise InputError("certificates: they are about one run of the chain; ask for them without repeat")
    if runs > 1 and estimate:
        raise InputError("estimate: words are drawn of one run of the chain; ask for it without repeat")
    return int(runs)


def _composed(distributions: Sequence[PrivacyLosses] | None, runs: int, cancel: Cancel) -> list[ComposedLosses] | None:
    """The runs of each pair together; None if it was cancelled."""
    from ..beliefs.composed import compose_losses

    if distributions is None:
        raise InputError(
            "repeat: the beliefs of one run do not end within the budget, so its exact losses, which are composed, "
            "are not known"
        )
    try:
        return [compose_losses([(losses, runs)], cancel) for losses in distributions]
    except Stopped:
        return None


def _repeated(
    names: tuple[tuple[str, str], ...],
    composed: Sequence[ComposedLosses] | None,
    grid: list[Fraction] | None,
    runs: int,
) -> Profile:
    """The band of many runs; every point is 0 ≤ δ ≤ 1 if they were not composed."""
    if composed is None:
        nothing = (ProfilePoint(e, Fraction(0), Fraction(1), False) for e in grid or [Fraction(0)])
        return Profile(names, tuple(nothing), None, runs, interrupted=True)
    farthest = round_up(Fraction(max(losses.farthest for losses in composed)), 4)
    points = []
    for e in grid or _grid_to(farthest or Fraction(1)):
        bounds = [losses.delta(ExpEpsilon.read(epsilon=e)) for losses in composed]
        points.append(ProfilePoint(e, max(lower for lower, _ in bounds), max(upper for _, upper in bounds)))
    return Profile(names, tuple(points), None, runs)


def _certificates_in(folder: Path) -> Callable[[ExpEpsilon, Answer], None]:
    """Writes the certificate of a point into the folder, named by its ε."""
    make_folder(folder)

    def save(at: ExpEpsilon, answer: Answer) -> None:
        name = format_fraction(at.epsilon or 0).replace("/", "_")
        answer.certificate().save(folder / f"epsilon-{name}.json")

    return save


def _default_grid(distributions: Sequence[PrivacyLosses] | None) -> list[Fraction]:
    """Round numbers from 0 to just past the largest finite loss, at most `MOST_STEPS` apart."""
    end = FARTHEST
    if distributions is not None:
        ratios = [
            max(o.first / o.second, o.second / o.first)
            for losses in distributions
            for o in losses.outcomes
            if o.first and o.second
        ]
        largest = log_above(max(ratios), 4) if ratios else Fraction(0)
        end = largest * Fraction(21, 20) or Fraction(1)
    return _grid_to(end)


def _grid_to(end: Fraction) -> list[Fraction]:
    """Round numbers from 0 to just past ``end``, which is above 0."""
    step = _round_step(end / MOST_STEPS)
    return [step * i for i in range(math.ceil(end / step) + 1)]


def _round_step(least: Fraction) -> Fraction:
    """The smallest of … 0.1, 0.2, 0.5, 1, 2, 5, … that is not below ``least``, which is above 0."""
    power = Fraction(1)
    while power > least:
        power /= 10
    while 10 * power <= least:
        power *= 10
    return next(power * digit for digit in (1, 2, 5, 10) if power * digit >= least)
