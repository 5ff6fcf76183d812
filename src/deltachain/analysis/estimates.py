"""`estimate`: a two-sided interval for δ by sampling, with a stated confidence, beside what is proved.

It is evidence, not proof: an `Estimate` has no certificate, gives no verdict, and says so wherever it is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from ..cancel import Cancel, Report
from ..errors import InputError
from ..executors import cores
from ..model import Chain
from ..model.inputs import refuse_inputs
from ..rational import ExpEpsilon, Number, as_fraction, format_fraction
from ..render.html import html_table
from ..render.intervals import interval
from ..render.numbers import decimal, json_number
from ..render.results import asked_at, named, pair_interval, value_of
from ..render.table import shortened
from .parameters import State, asked_pairs, watching

if TYPE_CHECKING:
    from ..sampling.estimates import Sampling

DEFAULT_CONFIDENCE = "0.999"
LARGEST_CONFIDENCE = 1 - Fraction(1, 10**30)
NODES = 20_000
"""Beliefs that are expanded before words are drawn: twice as many narrow less than drawing for as long.

Fewer where beliefs are large: half of what a certified search would take memory for."""
FIRST_SHARE = 1 / 3
"""Of a timeout, for the certified interval."""
NOT_DRAWN = "words can be drawn only where nobody chooses"
LONGEST_HORIZON = 1_000_000
LARGEST_SEED = 2**63 - 1


@dataclass(frozen=True, slots=True)
class PairEstimate:
    """lower ≤ δ ≤ upper with the confidence of its `Estimate`; proved_lower ≤ δ ≤ proved_upper for certain."""

    pair: tuple[str, str]
    lower: Fraction
    upper: Fraction
    proved_lower: Fraction
    proved_upper: Fraction
    samples: int
    """The number of words that were drawn, in both directions; 0 where δ is proved exactly, or nothing was drawn."""
    horizon: int
    """The length of the longest word."""

    @property
    def exact(self) -> bool:
        """Whether δ is proved exactly: then it is no estimate."""
        return self.proved_lower == self.proved_upper


@dataclass(frozen=True, repr=False)
class Estimate:
    """Intervals for δ, pair by pair, all right with probability at least ``confidence``. Not proved. A value."""

    exp_epsilon: ExpEpsilon
    confidence: Fraction
    seed: int
    results: tuple[PairEstimate, ...]
    interrupted: bool = False
    """Whether time ran out, or Ctrl-C was pressed, before all words were drawn."""

    @property
    def lower(self) -> Fraction:
        """A lower bound for the worst pair's δ, with the confidence stated."""
        return max(result.lower for result in self.results)

    @property
    def upper(self) -> Fraction:
        """An upper bound for every pair's δ, with the confidence stated."""
        return max(result.upper for result in self.results)

    @property
    def proved_lower(self) -> Fraction:
        """A certified lower bound for the worst pair's δ."""
        return max(result.proved_lower for result in self.results)

    @property
    def proved_upper(self) -> Fraction:
        """A certified upper bound for every pair's δ."""
        return max(result.proved_upper for result in self.results)

    @property
    def samples(self) -> int:
        """The number of words drawn."""
        return sum(result.samples for result in self.results)

    @property
    def proved(self) -> bool:
        """Always False: what is proved is between `proved_lower` and `proved_upper`."""
        return False

    def __repr__(self) -> str:
        return f"<Estimate: {self._sentence()}, {asked_at(self.exp_epsilon)}>"

    @property
    def known(self) -> bool:
        """Whether δ is proved exactly for every pair, so that nothing was left to estimate."""
        return all(result.exact for result in self.results)

    def _sentence(self) -> str:
        if len(self.results) == 1:
            text = pair_interval("δ", self.results[0].pair, self.lower, self.upper)
        else:
            text = f"{interval('δ', self.lower, self.upper)} over {len(self.results)} pairs"
        if self.known:
            return f"{text}, proved: nothing was left to estimate"
        proved = interval("δ", self.proved_lower, self.proved_upper)
        return f"{text} with confidence {decimal(self.confidence)}, not proved; proved: {proved}"

    def _repr_html_(self) -> str:
        rows = [
            (named(r.pair), value_of(r.lower, r.upper), value_of(r.proved_lower, r.proved_upper), f"{r.samples:,}")
            for r in self.results
        ]
        header = ("pair", f"with confidence {decimal(self.confidence)}", "proved", "words")
        return html_table(f"{self._sentence()}, {asked_at(self.exp_epsilon)}", header, rows)

    def to_dict(self) -> dict[str, object]:
        """The result as plain data, the keys of its own of ``deltachain estimate --json``; exact numbers as text."""
        return {
            "proved": False,
            "confidence": json_number(self.confidence),
            "seed": self.seed,
            "lower": json_number(self.lower, "lower"),
            "upper": json_number(self.upper, "upper"),
            "certified": _certified(self.proved_lower, self.proved_upper),
            "results": [
                {
                    "pair": list(r.pair),
                    "lower": json_number(r.lower, "lower"),
                    "upper": json_number(r.upper, "upper"),
                    "certified": _certified(r.proved_lower, r.proved_upper),
                    "samples": r.samples,
                    "horizon": r.horizon,
                }
                for r in self.results
            ],
        }


def _certified(lower: Fraction, upper: Fraction) -> dict[str, object]:
    return {"lower": json_number(lower, "lower"), "upper": json_number(upper, "upper")}


def estimate(
    chain: Chain,
    s: State | None = None,
    t: State | None = None,
    *,
    pairs: Iterable[tuple[State, State]] | None = None,
    epsilon: Number | None = None,
    exp_epsilon: Number | None = None,
    confidence: Number = DEFAULT_CONFIDENCE,
    samples: int | None = None,
    horizon: int | None = None,
    seed: int = 0,
    gap: Number | None = None,
    max_nodes: int | None = None,
    executor: Executor | None = None,
    timeout: float | None = None,
    report: Report | None = None,
    interruptible: bool = False,
    cancel: Cancel | None = None,
) -> Estimate:
    """An interval for δ that is right with probability at least ``confidence``, narrower than what is proved.

    The certified interval comes first, within ``max_nodes`` beliefs; then words are drawn from the beliefs that are
    still open, ``samples`` for each direction of a pair (default: as many as some seconds allow), each up to
    ``horizon`` letters (default: chosen on words that are thrown away), until the interval is at most ``gap`` wide or
    ``timeout`` seconds have passed. The bounds hold whenever that is. The same ``seed`` and ``samples`` give the same
    answer on any ``executor`` (default: threads on all cores).

    >>> import deltachain as dc
    >>> estimate(dc.examples.survey(), exp_epsilon=2)  # small enough to be proved
    <Estimate: δ(s0, s1) = 1/4 = 0.25, proved: nothing was left to estimate, e^ε = 2>
    """
    from ..beliefs.forest import default_budget
    from ..beliefs.question import Terms
    from ..beliefs.search import search
    from ..beliefs.workspace import Workspace
    from ..sampling.pairs import narrow

    refuse_inputs(chain, "estimate", NOT_DRAWN, "delta bounds the best strategy")
    nodes = min(NODES, default_budget(chain) // 2) if max_nodes is None else max_nodes
    terms = Terms.read(epsilon=epsilon, exp_epsilon=exp_epsilon, gap=gap, max_nodes=nodes)
    with watching(cancel, timeout, report, interruptible) as cancel:
        asked = sampling_for(confidence, samples, horizon, seed, cancel)
        question = terms.about(chain, asked_pairs(chain, s, t, pairs))
        answer = search(question, Workspace.of(question), cancel.first(FIRST_SHARE))
        with drawing_on(executor, asked) as drawing:
            found = narrow(answer, drawing, question.gap)
        results = tuple(
            PairEstimate(p.names, n.lower, n.upper, p.interval.lower, p.interval.upper, n.samples, n.horizon)
            for p, n in zip(answer.proofs, found, strict=True)
        )
        return Estimate(question.at, 1 - asked.error, asked.seed, results, cancel.stopped())


def sampling_for(
    confidence: Number, samples: int | None, horizon: int | None, seed: int, cancel: Cancel | None = None
) -> Sampling:
    """What is asked of the samples, checked."""
    from ..sampling.estimates import MOST_WORDS, Sampling

    level = as_fraction(confidence, "confidence")
    if not 0 < level <= LARGEST_CONFIDENCE:
        near = "above 1 − 10^-30" if 0 < level < 1 else "not above 0 and below 1"
        raise InputError(f"confidence: {shortened(format_fraction(level), 40)} is {near}")
    return Sampling(
        1 - level,
        None if samples is None else _whole(samples, "samples", 1, MOST_WORDS),
        None if horizon is None else _whole(horizon, "horizon", 1, LONGEST_HORIZON),
        _whole(seed, "seed", 0, LARGEST_SEED),
        cancel=cancel or Cancel(),
    )


def _whole(value: Number, name: str, least: int, most: int) -> int:
    number = as_fraction(value, name)
    if number.denominator != 1 or not least <= number <= most:
        raise InputError(f"{name}: {value} is not a whole number from {least} to {most:,}")
    return int(number)


@contextmanager
def drawing_on(executor: Executor | None, asked: Sampling) -> Iterator[Sampling]:
    """The samples on the executor given, or on threads: the kernels release the interpreter lock."""
    if executor is not None:
        yield replace(asked, executor=executor)
        return
    with ThreadPoolExecutor(cores()) as threads:
        yield replace(asked, executor=threads)
