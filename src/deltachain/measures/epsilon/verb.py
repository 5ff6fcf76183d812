"""`epsilon`: the least ε for a δ, with a proof at each end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from ...asking import Inquiry, Pairs, StateName, cancel_scope, load_composed, load_inquiry, make_inspection, names_of
from ...beliefs.graph.endings import Endings
from ...beliefs.graph.losses import find_all_losses
from ...beliefs.proof import Answer
from ...beliefs.question import Question, Terms
from ...beliefs.workspace import Workspace
from ...cancel import Cancel, ProgressCallback
from ...certificate.checked import COMPOSED, NOT_ASKED, Checked
from ...certificate.record import Certificate
from ...errors import InputError
from ...model import Chain, Loaded
from ...model.words import program_outputs
from ...numbers.fraction import ExpEpsilon, Number
from ...parameters import Neighbours, Secrets, accept_spellings, as_width
from ...results.scope import ONLY_THESE, Covered, Scope
from ...settings import Settings
from .. import integers
from ..composed import least_composed_alpha, runs_of
from .bands import Known
from .between import epsilon_between
from .least import Judge, least_alpha, least_of
from .none import NoEpsilon
from .pure import RatioProof
from .show import EpsilonBound, Reason

if TYPE_CHECKING:
    from ...certificate.claims import Claim, Evidence
    from ...certificate.inspection import Inspection
    from ...loading import AnyModel
    from ..sandwiched import Side
    from .least import LeastAlpha

NOTHING = Checked(None, "nothing was proved")
IMPLIED = Checked(False, "implied by bounds at other ε, or by a zero set")
JUST_BELOW = Fraction(1, 10**9)
"""The ε refuted is the largest below which privacy is refuted: its proof is about an e^ε this much smaller."""


@accept_spellings
def epsilon(
    model: AnyModel | Inquiry,
    s: StateName | None = None,
    t: StateName | None = None,
    *,
    delta: Number,
    pairs: Pairs | None = None,
    secrets: Secrets | None = None,
    neighbours: Neighbours | None = None,
    precision: Number = "1e-6",
    certificate: bool = False,
    max_nodes: int | None = None,
    repeat: int = 1,
    compose: Sequence[AnyModel | Loaded] = (),
    check: bool = True,
    timeout: float | None = None,
    report: ProgressCallback | None = None,
    interruptible: bool = False,
    cancel: Cancel | None = None,
) -> EpsilonBound:
    """The least ε proved at δ, and the largest refuted.

    Args:
        model: a chain, or what `load` takes.
        s: a start state, by name or number.
        t: the start state that it is compared with.
        delta: the δ that is allowed; 0 asks for pure ε-privacy.
        pairs: pairs of states, in place of ``s`` and ``t``; without either, the relation that the model carries.
        secrets: the inputs of a program: dicts, or a whole ``domain(q=…)``.
        neighbours: which two of them are compared, as in `load` (default: every two).
        precision: where a search over ε stops, relative in e^ε.
        certificate: prove the ε by what a certificate can cite, so that the result has one: that δ is allowed at the ε
            proved (or, if none is, that it is not at the ε refuted), often of both, or that no ε is enough.
        max_nodes: stop after so many search nodes for each ε that is tried.
        repeat: how many independent runs to compose, from the exact losses of one.
        compose: models that run beside it, independently, each with its own relation; the worst choice of a pair of
            each, in either order, counts.
        check: the checker must accept certificates before there is a result (up to a size).
        timeout: stop after so many seconds.
        report: a function that is given progress as text.
        interruptible: let Ctrl-C end the search with what is proved.
        cancel: a token of the caller's that stands for timeout, report and interruption.

    Raises:
        InputError: the question does not apply to this model.

    >>> import deltachain as dc
    >>> bound = epsilon(dc.examples.survey(), delta=0)
    >>> bound.exp_epsilon_proved, bound.exact
    (Fraction(3, 1), True)
    """
    # Each e^ε is asked in its turn.
    terms = Terms.read(exp_epsilon=1, allowed=delta, max_nodes=max_nodes, repeat=repeat)
    width = as_width(precision, "precision")
    if certificate and (terms.runs > 1 or compose):
        raise InputError("certificate: it is about one run of the chain; ask for it without repeat and compose")
    with cancel_scope(cancel, timeout, report, interruptible) as cancel:
        settings = Settings(secrets=secrets, neighbours=neighbours, sandwiched=True, cancel=cancel)
        if s is None and pairs is None and not isinstance(model, Inquiry):
            everything = epsilon_all(model, settings, terms, width, cancel, check=check, compose=compose)
            if everything is not None:
                return everything
        inquiry = load_inquiry(model, settings, s, t, pairs)
        question = terms.about(inquiry.chain, inquiry.pairs, load_composed(compose, cancel))
        checks = make_inspection(inquiry.chain, cancel, check)
        work = Workspace.of(question)
        return epsilon_of(
            question, work, width, cancel, certificate=certificate, inspection=checks, inputs=inquiry.covers
        )


def epsilon_all(
    model: AnyModel,
    settings: Settings,
    terms: Terms,
    width: Fraction,
    cancel: Cancel,
    *,
    check: bool = True,
    compose: Sequence[AnyModel | Loaded] = (),
) -> EpsilonBound | None:
    """`epsilon` of a program at all integers; None where it is not asked about at all of them."""
    if not integers.is_about_all_integers(model, settings):
        return None
    integers.refuse_beside(settings, repeat=terms.runs, compose=compose)

    def of_a_pair(chain: Chain) -> EpsilonBound:
        question = terms.about(chain, [(0, 1)])
        inspection = make_inspection(chain, cancel, check)
        return epsilon_of(question, Workspace.of(question), width, cancel, inspection=inspection)

    return integers.epsilon_integers(model, settings, terms, cancel, of_a_pair, check=check)


def epsilon_of(
    question: Question,
    work: Workspace,
    width: Fraction,
    cancel: Cancel,
    *,
    certificate: bool = False,
    known: Known | None = None,
    inspection: Inspection | None = None,
    inputs: Covered = ONLY_THESE,
) -> EpsilonBound:
    """`epsilon` for the δ that the question allows; what is ``known`` of δ(ε) guides the search, and grows."""
    if question.chain.sandwiches is not None:

        def about(side: Side, checks: Inspection | None) -> EpsilonBound:
            return epsilon_of(
                side.question, side.work, width, cancel, certificate=certificate, inspection=checks, inputs=inputs
            )

        return epsilon_between(question, cancel, inspection, about, width)
    allowed, budget = question.allowed or Fraction(0), question.budget
    if question.together:
        found = least_composed_alpha(runs_of(question, work), allowed, width, budget, cancel)
        none = Checked(None, COMPOSED)
        return as_bound(question, work, found, (none, none), None, inputs)
    # A certificate proves what is so at one e^ε.
    known = Known(alone=certificate) if known is None else known
    found = least_alpha(work, allowed, width, budget, cancel, known)
    if found.by_losses:
        losses = cancel.make_ending().attempt(lambda: find_all_losses(work, budget, cancel))
        evidence = Endings(work, losses or (), budget, cancel)
        if losses is not None and evidence.few:
            accepted, proved = evidence.accept(inspection)
            if inspection is None or accepted.checked.accepted:
                least = least_of([each.curve for each in proved], allowed)
                return as_bound(question, work, least, (accepted.checked, accepted.checked), evidence, inputs)
    ends = _EpsilonEnds(found, Judge(work, allowed, budget, cancel))
    checked = (NOT_ASKED, NOT_ASKED) if inspection is None else ends.check(inspection)
    return as_bound(question, work, found, checked, ends, inputs)


def as_bound(
    question: Question,
    work: Workspace,
    found: LeastAlpha,
    checked: tuple[Checked, Checked],
    evidence: Evidence | None,
    inputs: Covered = ONLY_THESE,
) -> EpsilonBound:
    """The least ε for the δ that the question allows as a value, with what the checker said of its two ends."""
    proved = NOTHING if found.by_losses and found.proved is None else checked[0]
    refuted = NOTHING if found.by_losses and found.refuted <= 1 else checked[1]
    return EpsilonBound(
        pairs=names_of(work),
        delta=question.allowed or Fraction(0),
        exp_epsilon_proved=found.proved,
        refuted=found.refuted,
        exact=found.exact,
        least_delta=found.least_delta,
        least=found.epsilon,
        proved_epsilon=found.proved_epsilon,
        value=found.alpha,
        reached=found.reached,
        outside=work.chain.outside,
        scope=Scope.of(work.chain, question.runs, question.beside),
        checked_proved=proved,
        checked_refuted=refuted,
        reason=None if found.none is None else _reason(work.chain, found.none),
        inputs=inputs,
        _proof=evidence,
    )


def _reason(chain: Chain, none: NoEpsilon) -> Reason:
    """Why no ε is enough, by names."""
    first, second = (chain.states[state] for state in (none.pair if none.direction == 0 else none.pair[::-1]))
    pumped = (none.pump.growth, none.pump.decay) if none.pump is not None else ()
    word, prefix = (program_outputs(chain, letters) for letters in (none.word, none.prefix))
    return Reason(first, second, word, none.probability, prefix, none.cycle, *pumped)


@dataclass(frozen=True)
class _EpsilonEnds:
    """The proofs of the two ends of an interval for ε: about ratios, or searches at these ends, which may contradict.

    For δ = 0, a matrix of ratios and words prove what is so of every ε; otherwise there is a search at one.
    """

    found: LeastAlpha
    judge: Judge

    @cached_property
    def _ratios(self) -> RatioProof:
        """What is proved by ratios, and so of more than one ε."""
        found = self.found
        return RatioProof(self.judge.work, found.matrix, found.lower or found.none, found.refuted)

    @cached_property
    def _at_proved(self) -> Answer | None:
        """The search at the ε proved; None if none was, or a matrix proves it."""
        found = self.found
        if found.proved is None or found.matrix is not None:
            return None
        known = found.proved_epsilon
        return self.judge.answer(found.proved if known is None else ExpEpsilon.of(known))

    @cached_property
    def _at_refuted(self) -> tuple[Answer, ...]:
        """Searches at the ε refuted, and just below it, up to the first that proves a larger δ than allowed."""
        # Where no ε is enough, or a search was made at this very e^ε, the end itself is refuted.
        found = [self.judge.answer(self.found.refuted)]
        if not self._refutes(found[0]):
            found.append(self.judge.answer(max(self.found.refuted * (1 - JUST_BELOW), Fraction(1))))
        return tuple(found)

    def _proves(self, answer: Answer) -> bool:
        return answer.upper <= self.judge.delta

    def _refutes(self, answer: Answer) -> bool:
        """Whether it proves a larger δ than allowed; where no ε is enough, the least that there is."""
        return answer.lower > self.judge.delta and answer.lower >= (self.found.least_delta or 0)

    @property
    def _word_is_enough(self) -> bool:
        """Whether a word, a limit, or what has no ratio refutes all that is refuted: the least δ at every ε, too."""
        none = self.found.none
        shown = self.found.lower is not None or none is not None
        return shown and (none is None or (self.found.least_delta or 0) <= none.probability)

    @cached_property
    def _evidence(self) -> Sequence[Evidence]:
        """Of the ε proved, or, if none is, of the ε refuted; where it is about ratios, of both.

        Where no ε is enough, and δ must be larger than a word says, a search at one ε stands beside the word.
        """
        found = self.found
        if found.matrix is not None or (found.proved is None and self._word_is_enough):
            return [self._ratios]
        if found.proved is None:
            searched = [answer for answer in self._at_refuted if self._refutes(answer)]
        else:
            searched = [answer for answer in (self._at_proved,) if answer is not None and self._proves(answer)]
        return [*searched, *([self._ratios] if found.none is not None else ())]

    @property
    def claims(self) -> Sequence[Claim]:
        """What its evidence claims."""
        return [claim for each in self._evidence for claim in each.claims]

    @property
    def missing(self) -> str:
        """Why there is no certificate."""
        return "" if self._evidence else "the search at this ε was cut off or too short to prove it"

    def certificate(self, most_bytes: int | None = None) -> Certificate:
        """The proof of an end; of both where it is about ratios."""
        first, *others = self._evidence
        made = first.certificate(most_bytes)
        return self._ratios.beside(made) if others else made

    def check(self, inspection: Inspection) -> tuple[Checked, Checked]:
        """Of the ε proved, and of the ε refuted; an end that says nothing needs no check.

        Raises:
            RejectedAnswer: the checker rejects what is found at an end, or what is found proves the contrary.
        """
        found = self.found
        shown = found.matrix is not None or self._word_is_enough or found.none is not None
        ratios = inspection.accept(self._ratios).checked if shown else IMPLIED
        proved = ratios if found.matrix is not None else self._prove(inspection)
        if self._word_is_enough:
            return proved, ratios
        refuted = self._refute(inspection)
        return proved, refuted if found.none is None else refuted + ratios

    def _prove(self, inspection: Inspection) -> Checked:
        if self.found.proved is None:
            return NOTHING
        if inspection.cancel.is_stopped():
            return inspection.cut_off()
        answer = self._at_proved
        if answer is not None and answer.lower > self.judge.delta:
            raise inspection.contradiction(answer, "more than δ is needed at the ε proved")
        return answer.accept(inspection).checked if answer is not None and self._proves(answer) else IMPLIED

    def _refute(self, inspection: Inspection) -> Checked:
        if self.found.refuted <= 1:
            return NOTHING
        if inspection.cancel.is_stopped():
            return inspection.cut_off()
        for number, answer in enumerate(self._at_refuted):
            # At the end itself δ may be just what is allowed; nowhere below.
            if (number and self._proves(answer)) or answer.upper < (self.found.least_delta or 0):
                raise inspection.contradiction(answer, "a smaller δ is enough where ε is refuted")
        last = self._at_refuted[-1]
        return last.accept(inspection).checked if self._refutes(last) else IMPLIED
