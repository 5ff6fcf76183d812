"""`estimate`: two-sided intervals from samples, with a stated confidence."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from ...asking import Inquiry, Pairs, StateName, cancel_scope, load_inquiry, reject_renamed_arguments
from ...beliefs.question import Budget, Terms
from ...beliefs.search import search
from ...beliefs.signed.forest import default_budget
from ...beliefs.workspace import Workspace
from ...cancel import Cancel, ProgressCallback
from ...executors import cores
from ...model import Chain
from ...numbers.fraction import Number
from ...parameters import DEFAULT_CONFIDENCE, Neighbours, Secrets, as_confidence, as_horizon, as_samples, as_seed
from ...results.scope import Scope
from ...settings import Settings
from .find import Sampling, narrow
from .show import Estimate, PairEstimate

if TYPE_CHECKING:
    from ...loading import AnyModel

ESTIMATE_NODES = 20_000
"""Beliefs that are expanded before words are drawn: twice as many narrow less than drawing for as long.

Fewer where beliefs are large: half of what a certified search would take memory for."""
FIRST_SHARE = 1 / 3
"""Of a timeout, for the certified interval of an estimate."""


def need_words(chain: Chain, inputs: str, inexact: str) -> None:
    """Refuse chains whose words cannot be drawn; what to do instead where there are inputs, or rows are not exact."""
    chain.need("no inputs", "estimate", "words can be drawn only where nobody chooses", inputs)
    chain.need("exact", "estimate", "words are drawn by exact probabilities", inexact)


@reject_renamed_arguments
def estimate(
    model: AnyModel | Inquiry,
    s: StateName | None = None,
    t: StateName | None = None,
    *,
    epsilon: Number | None = None,
    exp_epsilon: Number | None = None,
    pairs: Pairs | None = None,
    secrets: Secrets | None = None,
    neighbours: Neighbours | None = None,
    confidence: Number = DEFAULT_CONFIDENCE,
    samples: int | None = None,
    horizon: int | None = None,
    seed: int = 0,
    gap: Number | None = None,
    max_nodes: int | None = None,
    executor: Executor | None = None,
    timeout: float | None = None,
    report: ProgressCallback | None = None,
    interruptible: bool = False,
    cancel: Cancel | None = None,
) -> Estimate:
    """An interval for δ that is right with probability at least ``confidence``, narrower than what is proved.

    The certified interval comes first; then words are drawn from the beliefs that are still open. The bounds hold
    whenever that ends. The same ``seed`` and ``samples`` give the same answer on any ``executor``.

    Args:
        model: a chain, or what `load` takes.
        s: a start state, by name or number.
        t: the start state that it is compared with.
        epsilon: the privacy parameter ε ≥ 0.
        exp_epsilon: e^ε ≥ 1 itself, in place of ε.
        pairs: pairs of states, in place of ``s`` and ``t``; without either, the relation that the model carries.
        secrets: the inputs of a program: dicts, or a whole ``domain(q=…)``.
        neighbours: which two of them are compared, as in `load` (default: every two).
        confidence: the probability that every interval is right, at least.
        samples: output sequences to draw per direction of a pair (default: as many as some seconds allow).
        horizon: their length, at most (default: chosen on words that are thrown away).
        seed: what random words are drawn from.
        gap: stop when the interval is at most this wide.
        max_nodes: nodes of the certified search.
        executor: where words are drawn (default: threads on all cores).
        timeout: stop after so many seconds.
        report: a function that is given progress as text.
        interruptible: let Ctrl-C end it with the intervals reached.
        cancel: a token of the caller's that stands for timeout, report and interruption.

    Raises:
        InputError: the question does not apply to this model; where the observer chooses inputs, no words are drawn.

    >>> import deltachain as dc
    >>> estimate(dc.examples.survey(), exp_epsilon=2)  # small enough to be proved
    <Estimate: δ(s0, s1) = 1/4 = 0.25, proved, nothing was left to estimate, e^ε = 2 (ε ≈ 0.693147)>
    """
    terms = Terms.read(epsilon=epsilon, exp_epsilon=exp_epsilon, gap=gap, max_nodes=max_nodes)
    with cancel_scope(cancel, timeout, report, interruptible) as cancel:
        drawing = sampling_for(confidence, samples, horizon, seed, cancel)
        settings = Settings(secrets=secrets, neighbours=neighbours, cancel=cancel)
        inquiry = load_inquiry(model, settings, s, t, pairs)
        return estimate_of(terms, inquiry, drawing, executor, cancel)


def estimate_of(
    terms: Terms, inquiry: Inquiry, drawing: Sampling, executor: Executor | None, cancel: Cancel
) -> Estimate:
    """`estimate` of terms that are read already."""
    chain = inquiry.chain
    need_words(chain, "delta bounds the best strategy", "delta bounds δ, for every chain within limits")
    if terms.budget.max_nodes is None:
        terms = replace(terms, budget=Budget(min(ESTIMATE_NODES, default_budget(chain) // 2)))
    question = terms.about(chain, inquiry.pairs)
    answer = search(question, Workspace.of(question), cancel.first(FIRST_SHARE))
    with drawing_on(executor, drawing) as ready:
        found = narrow(answer, ready, question.gap)
    results = tuple(
        PairEstimate(
            p.names, n.lower, n.upper, p.interval.lower, p.interval.upper, n.samples, n.horizon, value=p.interval.value
        )
        for p, n in zip(answer.proofs, found, strict=True)
    )
    return Estimate(
        question.at, 1 - drawing.error, drawing.seed, results, cancel.is_stopped(), Scope.of(chain), inquiry.covers
    )


def sampling_for(confidence: Number, samples: int | None, horizon: int | None, seed: int, cancel: Cancel) -> Sampling:
    """What is asked of the samples, read."""
    return Sampling(
        1 - as_confidence(confidence),
        None if samples is None else as_samples(samples),
        None if horizon is None else as_horizon(horizon),
        as_seed(seed),
        cancel=cancel,
    )


@contextmanager
def drawing_on(executor: Executor | None, drawing: Sampling) -> Iterator[Sampling]:
    """The samples on the executor given, or on threads: the kernels release the interpreter lock."""
    if executor is not None:
        yield replace(drawing, executor=executor)
        return
    with ThreadPoolExecutor(cores()) as threads:
        yield replace(drawing, executor=threads)
