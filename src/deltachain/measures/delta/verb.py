"""`delta` and `check`: certified intervals for δ, and their verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ...asking import (
    Inquiry,
    Pairs,
    StateName,
    cancel_scope,
    load_composed,
    load_inquiry,
    make_inspection,
    reject_renamed_arguments,
)
from ...beliefs import reach
from ...beliefs.proof import Answer
from ...beliefs.question import Question, Terms
from ...beliefs.search import search
from ...beliefs.workspace import Workspace
from ...cancel import Cancel, ProgressCallback
from ...certificate.claims import Accepted
from ...errors import InputError
from ...model import Chain, Loaded
from ...numbers.fraction import Number
from ...parameters import Neighbours, Secrets, as_drawn_pairs, as_seed
from ...results.scope import ONLY_THESE, Covered, Scope
from ...results.text import shown_name
from ...settings import Settings
from .. import integers
from .show import Delta, PairDelta, Verdict, Within

if TYPE_CHECKING:
    from ...beliefs.graph.plans import FixedPlan
    from ...beliefs.limits.inside import Inside
    from ...certificate.inspection import Inspection
    from ...loading import AnyModel
    from ..sandwiched import Side


@reject_renamed_arguments
def delta(
    model: AnyModel | Inquiry,
    s: StateName | None = None,
    t: StateName | None = None,
    *,
    epsilon: Number | None = None,
    exp_epsilon: Number | None = None,
    pairs: Pairs | None = None,
    secrets: Secrets | None = None,
    neighbours: Neighbours | None = None,
    gap: Number | None = None,
    max_nodes: int | None = None,
    fixed: int | None = None,
    repeat: int = 1,
    compose: Sequence[AnyModel | Loaded] = (),
    check: bool = True,
    timeout: float | None = None,
    report: ProgressCallback | None = None,
    interruptible: bool = False,
    cancel: Cancel | None = None,
) -> Delta:
    """A certified interval for the least δ of the pairs at ε: the hockey-stick divergence at e^ε of their output laws.

    Args:
        model: a chain, or what `load` takes.
        s: a start state, by name or number.
        t: the start state that it is compared with.
        epsilon: the privacy parameter ε ≥ 0.
        exp_epsilon: e^ε ≥ 1 itself, in place of ε.
        pairs: pairs of states, in place of ``s`` and ``t``; without either, the relation that the model carries.
        secrets: the inputs of a program: dicts, or a whole ``domain(q=…)``.
        neighbours: which two of them are compared, as in `load` (default: every two).
        gap: stop when the interval is at most this wide (default: as narrow as a finite search gets, 1e-6 on chains
            with cycles).
        max_nodes: stop after so many search nodes.
        fixed: where the observer chooses inputs, ask also for the best plan of so many questions that are decided in
            advance; it is then in ``plans``.
        repeat: how many independent runs to compose, from the exact losses of one.
        compose: models that run beside it, independently, each with its own relation; the worst choice of a pair of
            each, in either order, counts.
        check: the checker must accept the certificate before there is a result (up to a size); `verify` does it later.
        timeout: stop after so many seconds. The interval is certified whenever the search stops.
        report: a function that is given progress as text.
        interruptible: let Ctrl-C end the search with the interval reached, instead of raising KeyboardInterrupt.
        cancel: a token of the caller's that stands for timeout, report and interruption.

    Raises:
        InputError: the question does not apply to this model; all defects at once.
        RejectedAnswer: the checker rejected the certificate: a mistake of ours, please report it.
        SolverError: the beliefs that plans (``fixed``) lead to are too many.

    >>> import deltachain as dc
    >>> chain = dc.examples.dining_cryptographers(n=2, p="49/100")
    >>> delta(chain, "s0", "s1", exp_epsilon="1.0002")
    <Delta: δ(s0, s1) = 7501/25000000 = 0.00030004, exact, e^ε = 1.0002 (ε ≈ 0.00019998)>
    """
    ask: dict[str, Any] = {"epsilon": epsilon, "exp_epsilon": exp_epsilon, "gap": gap, "max_nodes": max_nodes}
    terms = Terms.read(**ask, repeat=repeat, fixed=fixed)
    with cancel_scope(cancel, timeout, report, interruptible) as cancel:
        settings = Settings(secrets=secrets, neighbours=neighbours, sandwiched=fixed is None, cancel=cancel)
        if s is None and pairs is None and not isinstance(model, Inquiry):
            everything = delta_all(model, settings, terms, cancel, compose=compose)
            if everything is not None:
                return everything
        inquiry = load_inquiry(model, settings, s, t, pairs)
        question = terms.about(inquiry.chain, inquiry.pairs, load_composed(compose, cancel))
        return delta_of(question, cancel, make_inspection(inquiry.chain, cancel, check), inquiry.covers)


@reject_renamed_arguments
def check(
    model: AnyModel | Inquiry,
    s: StateName | None = None,
    t: StateName | None = None,
    *,
    delta: Number,
    epsilon: Number | None = None,
    exp_epsilon: Number | None = None,
    pairs: Pairs | None = None,
    secrets: Secrets | None = None,
    neighbours: Neighbours | None = None,
    gap: Number | None = None,
    max_nodes: int | None = None,
    sample: int | None = None,
    seed: int = 0,
    repeat: int = 1,
    compose: Sequence[AnyModel | Loaded] = (),
    check: bool = True,
    timeout: float | None = None,
    report: ProgressCallback | None = None,
    interruptible: bool = False,
    cancel: Cancel | None = None,
) -> Verdict:
    """Is every pair (ε, δ)-private? Three-valued, and certified; stops as soon as the verdict is known.

    Args:
        model: a chain, or what `load` takes.
        s: a start state, by name or number.
        t: the start state that it is compared with.
        delta: the δ that is allowed, from 0 to 1.
        epsilon: the privacy parameter ε ≥ 0.
        exp_epsilon: e^ε ≥ 1 itself, in place of ε.
        pairs: pairs of states, in place of ``s`` and ``t``; without either, the relation that the model carries.
        secrets: the inputs of a program: dicts, or a whole ``domain(q=…)``.
        neighbours: which two of them are compared, as in `load` (default: every two).
        gap: stop also when the interval is at most this wide.
        max_nodes: stop after so many search nodes.
        sample: draw so many pairs from the secrets, where these are too many to list: a violation is one, but without
            one the verdict is "undecided".
        seed: the same seed draws the same pairs.
        repeat: how many independent runs to compose, from the exact losses of one.
        compose: models that run beside it, independently, each with its own relation; the worst choice of a pair of
            each, in either order, counts.
        check: the checker must accept certificates before there is a result (up to a size).
        timeout: stop after so many seconds.
        report: a function that is given progress as text.
        interruptible: let Ctrl-C end the search with the verdict reached.
        cancel: a token of the caller's that stands for timeout, report and interruption.

    Raises:
        InputError: the question does not apply to this model; all defects at once.

    >>> import deltachain as dc
    >>> chain = dc.examples.dining_cryptographers(n=2, p="49/100")
    >>> check(chain, exp_epsilon="1.0002", delta="3e-4").verdict
    'violated'
    """
    ask: dict[str, Any] = {"epsilon": epsilon, "exp_epsilon": exp_epsilon, "gap": gap, "max_nodes": max_nodes}
    terms = Terms.read(**ask, allowed=delta, repeat=repeat)
    with cancel_scope(cancel, timeout, report, interruptible) as cancel:
        drawn = None if sample is None else (as_drawn_pairs(sample), as_seed(seed))
        settings = Settings(secrets=secrets, neighbours=neighbours, sample=drawn, sandwiched=True, cancel=cancel)
        if s is None and pairs is None and not isinstance(model, Inquiry):
            everything = check_all(model, settings, terms, cancel, check=check, compose=compose)
            if everything is not None:
                return everything
        inquiry = load_inquiry(model, settings, s, t, pairs)
        question = terms.about(inquiry.chain, inquiry.pairs, load_composed(compose, cancel))
        found = delta_of(question, cancel, make_inspection(inquiry.chain, cancel, check), inquiry.covers)
    if not isinstance(found, Verdict):
        raise InputError("delta: the δ that is allowed is missing")
    return found


def delta_all(
    model: AnyModel, settings: Settings, terms: Terms, cancel: Cancel, compose: Sequence[AnyModel | Loaded] = ()
) -> Delta | None:
    """`delta` of a program at all integers; None where it is not asked about at all of them."""
    if not integers.is_about_all_integers(model, settings):
        return None
    integers.refuse_beside(settings, repeat=terms.runs, compose=compose, fixed=terms.fixed)
    return integers.delta_integers(model, settings, terms, cancel)


def check_all(
    model: AnyModel,
    settings: Settings,
    terms: Terms,
    cancel: Cancel,
    *,
    check: bool = True,
    compose: Sequence[AnyModel | Loaded] = (),
) -> Verdict | None:
    """`check` of a program at all integers; None where it is not asked about at all of them."""
    if not integers.is_about_all_integers(model, settings):
        return None
    integers.refuse_beside(settings, repeat=terms.runs, compose=compose)

    def of_a_pair(chain: Chain) -> Verdict:
        found = delta_of(terms.about(chain, [(0, 1)]), cancel, make_inspection(chain, cancel, check))
        if not isinstance(found, Verdict):
            raise InputError("delta: the δ that is allowed is missing")
        return found

    return integers.check_integers(model, settings, terms, cancel, of_a_pair, check=check)


def delta_of(
    question: Question,
    cancel: Cancel,
    inspection: Inspection | None = None,
    inputs: Covered = ONLY_THESE,
    work: Workspace | None = None,
) -> Delta:
    """`delta` or, where the question allows a δ, `check`, of what is read already; checked by the inspection."""
    if question.chain.sandwiches is not None:
        from .between import delta_between

        def about(side: Side, checks: Inspection | None) -> Delta:
            return delta_of(side.question, cancel, checks, inputs, side.work)

        return delta_between(question, cancel, inspection, about)
    work = Workspace.of(question) if work is None else work
    if question.together:
        from ..composed import composed_answer, runs_of

        answer = composed_answer(question, runs_of(question, work), cancel)
        return as_delta(answer, answer.accept(None), inputs=inputs)
    plans = () if question.fixed is None else _plans(question, work, question.fixed, cancel)
    answer = search(question, work, cancel)
    inside: Mapping[tuple[int, int], Inside] = {}
    if reach.takes("extreme chains", question.chain) and not question.is_decided([p.interval for p in answer.proofs]):
        from ...beliefs.limits.inside import inside_of

        inside = inside_of(question, cancel)
    return as_delta(answer, answer.accept(inspection), plans, inside=inside, inputs=inputs)


def as_delta(
    answer: Answer,
    accepted: Accepted,
    plans: tuple[FixedPlan, ...] = (),
    inside: Mapping[tuple[int, int], Inside] = MappingProxyType({}),
    inputs: Covered = ONLY_THESE,
) -> Delta:
    """The claims about a search's pairs as a value: a `Verdict` where its question allows a δ."""

    def within(pair: tuple[int, int]) -> Within | None:
        found = inside.get(pair)
        return None if found is None else Within(found.centre.lower, found.centre.upper, found.lower, found.upper)

    results: tuple[PairDelta, ...] = tuple(
        PairDelta(
            p.names,
            claim.lower,
            claim.upper,
            p.method,
            p.stopped,
            p.nodes,
            within(p.pair),
            value=claim.value,
        )
        for p, claim in zip(answer.proofs, accepted.claims, strict=True)
    )
    asked = answer.question
    at, allowed = asked.at, asked.allowed
    more: dict[str, Any] = {"scope": Scope.of(asked.chain, asked.runs, asked.beside), "checked": accepted.checked}
    more |= {"inputs": inputs, "searches": answer.searches, "witness": answer.worst.witness()}
    more |= {"explanation": answer.worst.explain(shown_name), "outside": asked.chain.outside}
    more["acyclic"] = not answer.work.alike or answer.work.acyclic
    more["extremes"] = tuple(inside[p.pair].largest for p in answer.proofs) if inside else ()
    if allowed is None:
        return Delta(at, results, answer, plans=plans, **more)
    return Verdict(at, results, answer, allowed, **more)


def _plans(question: Question, work: Workspace, fixed: int, cancel: Cancel) -> tuple[FixedPlan, ...]:
    if not question.chain.interactive:
        raise InputError("fixed: there is nothing to ask: this chain has no inputs")
    question.chain.need("exact", "fixed", "plans are compared exactly", "delta bounds the best strategy")
    from ...beliefs.graph.plans import best_plans

    return best_plans(question, work, fixed, cancel)
