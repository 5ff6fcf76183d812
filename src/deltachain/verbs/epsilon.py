"""`epsilon`: the least ε for a δ, with a proof at each end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ..beliefs.epsilon.none import NoEpsilon, word_answer
from ..beliefs.proof import Answer
from ..beliefs.question import Budget, Terms
from ..beliefs.workspace import Workspace
from ..cancel import Cancel, Report
from ..certificate.checked import COMPOSED, NOT_ASKED, Checked
from ..errors import InputError
from ..model import Chain, Loaded
from ..numbers.fraction import ExpEpsilon, Number, as_probability
from ..parameters import (
    as_runs,
    as_width,
)
from .asking import Pairs, Secrets, State, asked, inspected, named_models, names_of, runs_of, watching

if TYPE_CHECKING:
    from ..beliefs.epsilon.bands import Known
    from ..beliefs.epsilon.least import Judge, LeastAlpha
    from ..certificate.inspection import Inspection
    from ..certificate.record import Certificate
    from ..programs import Program
    from ..results.epsilon_bound import EpsilonBound, Reason

NOTHING = Checked(None, "nothing was proved")
IMPLIED = Checked(False, "implied by bounds at other ε, or by a zero set")
JUST_BELOW = Fraction(1, 10**9)
"""The ε refuted is the largest below which privacy is refuted: its proof is about an e^ε this much smaller."""


def epsilon(
    model: Chain | Program | str | Path,
    s: State | None = None,
    t: State | None = None,
    *,
    delta: Number,
    pairs: Pairs | None = None,
    secrets: Secrets | None = None,
    precision: Number = "1e-6",
    certificate: bool = False,
    max_nodes: int | None = None,
    repeat: int = 1,
    compose: Sequence[Chain | Program | str | Path | Loaded] = (),
    check: bool = True,
    timeout: float | None = None,
    report: Report | None = None,
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
        secrets: what a program starts from.
        precision: where a search over ε stops, relative in e^ε.
        certificate: let the result carry the proof that δ is allowed at the ε proved (or, if none is, that it is not at
            the ε refuted).
        max_nodes: stop after so many belief pairs for each ε that is tried.
        repeat: ask about so many independent runs, composed from the exact losses of one.
        compose: models that run beside it, independently, each with its own relation; the worst choice of a pair of
            each, in either order, counts.
        check: let the checker accept certificates before there is a result (up to a size).
        timeout: stop after so many seconds.
        report: a function that is given progress as text.
        interruptible: let Ctrl-C end the search with what is proved.
        cancel: a token of the caller's that stands for timeout, report and interruption.

    Raises:
        InputError: what was asked cannot be asked of this model.

    >>> import deltachain as dc
    >>> bound = epsilon(dc.examples.survey(), delta=0)
    >>> bound.proved, bound.exact
    (Fraction(3, 1), True)
    """
    terms = Terms.read(exp_epsilon=1, allowed=delta, max_nodes=max_nodes)  # each e^ε is asked in its turn
    allowed, width, budget = as_probability(delta, "delta"), as_width(precision, "precision"), terms.budget
    times = as_runs(repeat)
    if certificate and (times > 1 or compose):
        raise InputError("certificate: it is about one run of the chain; ask for it without repeat and compose")
    with watching(cancel, timeout, report, interruptible) as cancel:
        chain, numbers = asked(model, secrets, s, t, pairs, cancel)
        models = named_models(compose, cancel)
        work = Workspace(chain, numbers)
        return epsilon_of(
            work,
            allowed,
            width,
            budget,
            cancel,
            certificate=certificate,
            repeat=times,
            compose=models,
            inspection=inspected(chain, cancel, check),
        )


def epsilon_of(
    work: Workspace,
    allowed: Fraction,
    width: Fraction,
    budget: Budget,
    cancel: Cancel,
    *,
    certificate: bool = False,
    repeat: int = 1,
    compose: Sequence[Loaded] = (),
    known: Known | None = None,
    inspection: Inspection | None = None,
) -> EpsilonBound:
    """`epsilon` of the pairs of a workspace; what is ``known`` of δ(ε) guides the search, and grows."""
    from ..beliefs.epsilon.bands import Known
    from ..beliefs.epsilon.least import Judge, least_alpha
    from ..beliefs.graph.composed import least_composed_alpha
    from ..results.epsilon_bound import EpsilonBound
    from ..results.scope import Scope

    proof: Certificate | None = None
    if repeat > 1 or compose:
        found = least_composed_alpha(runs_of(work, repeat, compose), allowed, width, budget, cancel)
        proved, refuted = COMPOSED, COMPOSED
    else:
        # A certificate proves what is so at one e^ε.
        known = Known(alone=certificate) if known is None else known
        found = least_alpha(work, allowed, width, budget, cancel, known)
        ends = _EpsilonEnds(found, Judge(work, allowed, budget, cancel))
        proved, refuted = (NOT_ASKED, NOT_ASKED) if inspection is None else ends.checked(inspection)
        if certificate:
            answer = ends.refuting if found.proved is None else ends.proving
            proof = None if answer is None else answer.certificate()
    return EpsilonBound(
        pairs=names_of(work),
        delta=allowed,
        proved=found.proved,
        refuted=found.refuted,
        exact=found.exact,
        least_delta=found.least_delta,
        certificate=proof,
        least=found.epsilon,
        value=found.alpha,
        reached=found.reached,
        outside=work.chain.outside,
        scope=Scope.of(work.chain, repeat, compose),
        checked_proved=proved,
        checked_refuted=refuted,
        reason=None if found.none is None else _reason(work.chain, found.none),
    )


def _reason(chain: Chain, none: NoEpsilon) -> Reason:
    """Why no ε is enough, by names."""
    from ..results.epsilon_bound import Reason

    first, second = (chain.states[state] for state in (none.pair if none.direction == 0 else none.pair[::-1]))
    return Reason(first, second, none.word, none.probability, none.prefix, none.cycle, none.growth, none.decay)


@dataclass(frozen=True)
class _EpsilonEnds:
    """Searches at the two ends of an interval for ε, whose certificates prove these ends, or the contrary."""

    found: LeastAlpha
    judge: Judge

    @cached_property
    def _at_proved(self) -> Answer | None:
        """The search at the ε proved; None if none was."""
        if self.found.proved is None:
            return None
        itself = None if self.found.epsilon is None else ExpEpsilon.read(epsilon=self.found.epsilon)
        return self.judge.answer(self.found.proved if itself is None else itself)

    @cached_property
    def proving(self) -> Answer | None:
        """An answer with δ at most what is allowed, at the ε proved; None if a search there proves less."""
        answer = self._at_proved
        return answer if answer is not None and answer.upper <= self.judge.delta else None

    @cached_property
    def _at_refuted(self) -> tuple[Answer, ...]:
        """Searches at the ε refuted, and just below it, up to the first that proves a larger δ than allowed."""
        # Where no ε is enough, or a search was made at this very e^ε, the end itself is refuted.
        if (shown := self._by_word) is not None:
            return (shown,)
        found = [self.judge.answer(self.found.refuted)]
        if not self._refutes(found[0]):
            found.append(self.judge.answer(max(self.found.refuted * (1 - JUST_BELOW), Fraction(1))))
        return tuple(found)

    @property
    def _by_word(self) -> Answer | None:
        """The word that shows that no ε is enough, at the ε refuted; None where a search is needed to show as much."""
        if self.found.none is None:
            return None
        answer = word_answer(self.judge.question(self.found.refuted), self.judge.work, self.found.none)
        return answer if answer is not None and self._refutes(answer) else None

    @cached_property
    def refuting(self) -> Answer | None:
        """An answer with δ above what is allowed, at the ε refuted or just below it; None if a search proves less."""
        return next(filter(self._refutes, self._at_refuted), None)

    def _refutes(self, answer: Answer) -> bool:
        """Whether it proves a larger δ than allowed; where no ε is enough, the least that there is."""
        return answer.lower > self.judge.delta and answer.lower >= (self.found.least_delta or 0)

    def checked(self, inspection: Inspection) -> tuple[Checked, Checked]:
        """Of the ε proved, and of the ε refuted; an end that says nothing needs no check.

        Raises:
            RejectedAnswer: the checker rejects what is found at an end, or what is found proves the contrary.
        """
        return self._proved(inspection), self._refuted(inspection)

    def _proved(self, inspection: Inspection) -> Checked:
        if self.found.proved is None:
            return NOTHING
        if inspection.cancel.stopped():
            return inspection.cut_off()
        if self._at_proved is not None and self._at_proved.lower > self.judge.delta:
            raise inspection.contradiction(self._at_proved.certificate, "more than δ is needed at the ε proved")
        return IMPLIED if self.proving is None else self.proving.checked(inspection)

    def _refuted(self, inspection: Inspection) -> Checked:
        if self.found.refuted <= 1:
            return NOTHING
        if inspection.cancel.stopped():
            return inspection.cut_off()
        for number, answer in enumerate(self._at_refuted):
            # At the end itself δ may be just what is allowed; nowhere below.
            if (number and answer.upper <= self.judge.delta) or answer.upper < (self.found.least_delta or 0):
                raise inspection.contradiction(answer.certificate, "a smaller δ is enough where ε is refuted")
        return IMPLIED if self.refuting is None else self.refuting.checked(inspection)
