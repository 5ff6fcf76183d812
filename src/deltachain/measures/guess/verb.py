"""`guess`: how well an observer can name the secret, from beliefs about all of them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...asking import Inquiry, StateName, cancel_scope, load_chain, make_inspection
from ...cancel import Cancel, ProgressCallback
from ...certificate.claims import Claim
from ...certificate.inspection import accepted_by
from ...errors import Defect, InputError
from ...formats.gains import GainLike, PriorLike, read_gains, read_prior
from ...model import Chain
from ...parameters import MOST_SECRETS, Secrets, as_nodes, as_questions, as_whole
from ...results.scope import Scope
from .between import guess_between
from .find import Gains, GuessEvidence, StartStates, guess_by_plan, guess_secret
from .show import Guess

if TYPE_CHECKING:
    from ...beliefs.workspace import Workspace
    from ...certificate.inspection import Inspection
    from ...loading import AnyModel

CERTIFICATE = "certificate=True is without effect: every result has its .certificate; leave it out"
ASKED = "the checker has no rule for guessing where the observer asks"
ENDLESS = "beliefs did not end, and the checker has no rule for bounds on guessing"


def guess(
    model: AnyModel | Inquiry,
    states: Sequence[StateName] | None = None,
    *,
    prior: PriorLike | None = None,
    gain: GainLike | None = None,
    guesses: int = 1,
    channel: bool = False,
    fixed: int | None = None,
    certificate: bool = False,
    secrets: Secrets | None = None,
    max_nodes: int | None = None,
    check: bool = True,
    timeout: float | None = None,
    report: ProgressCallback | None = None,
    interruptible: bool = False,
    cancel: Cancel | None = None,
) -> Guess:
    """The best chance of guessing the secret from the outputs, or the best expected gain; exact where beliefs end.

    Args:
        model: a chain, or what `load` takes.
        states: the secrets: start states, by name or number (default: those of the relation that the model carries).
        prior: the probability of each beforehand, by name, or a CSV file of them (default: all equal).
        gain: what each action gains for each secret, by name, or a CSV file (default: 1 for the right name).
        guesses: how many secrets may be named; one of them must be right.
        channel: keep the reduced channel.
        fixed: where the observer chooses inputs, ask also for the best plan of so many questions that are decided in
            advance; it is then in ``plan``.
        certificate: without effect: every result has its certificate, if there is one.
        secrets: the inputs of a program.
        max_nodes: stop after so many beliefs, with bounds.
        check: the checker must accept the certificate before there is a result (up to a size).
        timeout: stop after so many seconds, with bounds.
        report: a function that is given progress as text.
        interruptible: let Ctrl-C end the search with what is known.
        cancel: a token of the caller's that stands for timeout, report and interruption.

    Raises:
        InputError: unknown or doubled states, a prior that does not sum to 1, gains that cannot be read.
        SolverError: the beliefs that plans (``fixed``) lead to are too many.

    >>> import deltachain as dc
    >>> found = guess(dc.examples.dining_cryptographers(n=3, p="49/100"))
    >>> found.upper, found.before, found.exact
    (Fraction(417, 1250), Fraction(1, 3), True)
    """
    budget = None if max_nodes is None else as_nodes(max_nodes)
    if certificate:
        warnings.warn(CERTIFICATE, DeprecationWarning, stacklevel=2)
    with cancel_scope(cancel, timeout, report, interruptible) as cancel:
        # A channel, and a plan, are those of the program's own chain.
        chain = load_chain(model, secrets, cancel, sandwiched=fixed is None and not channel)
        return guess_of(
            chain,
            secrets_of(chain, states),
            prior,
            gain,
            guesses,
            budget,
            cancel,
            channel=channel,
            fixed=fixed,
            inspection=make_inspection(chain, cancel, check),
        )


def guess_of(
    chain: Chain,
    numbers: Sequence[int],
    prior: PriorLike | None,
    gain: GainLike | None,
    guesses: int,
    max_nodes: int | None,
    cancel: Cancel,
    *,
    channel: bool = False,
    fixed: int | None = None,
    inspection: Inspection | None = None,
    work: Workspace | None = None,
) -> Guess:
    """`guess` about states by number; ``work`` of a question about the same chain may spare merging its states."""
    if chain.sandwiches is not None:

        def about(chain: Chain, checks: Inspection | None) -> Guess:
            return guess_of(chain, numbers, prior, gain, guesses, max_nodes, cancel, inspection=checks)

        return guess_between(chain, cancel, inspection, about)
    names = [chain.states[number] for number in numbers]
    count = as_whole(guesses, "guesses", 1, len(names))
    if gain is not None and count > 1:
        raise InputError(Defect("guesses", "a table of gains says what a guess is", "leave one of the two out"))
    weights = read_prior(prior, names)
    actions, table = ((), None) if gain is None else read_gains(gain, names)
    chain.need("exact", "guess", "beliefs about several secrets are exact numbers", "ask for δ of pairs")
    if fixed is not None and not chain.interactive:
        raise InputError("fixed: there is nothing to ask: this chain has no inputs")
    gains = Gains(weights, table, count)
    secrets = StartStates(chain, numbers, cancel, work)
    found = guess_secret(secrets, gains, max_nodes, cancel, columns=channel)
    plan = None
    if fixed is not None:
        plan = guess_by_plan(secrets, gains, as_questions(fixed), max_nodes, cancel)

    def tell(do: str | tuple[int, ...]) -> str:
        if isinstance(do, str):
            return f"ask {do}"
        return actions[do[0]] if actions else f"guess {', '.join(names[secret] for secret in do)}"

    how = {"guesses": count} if table is None else {"gains": [[*row] for row in table]}
    claim = Claim(
        measure="guess",
        subject=tuple(names),
        lower=found.lower,
        upper=found.upper,
        terms={"prior": [*weights]} | how,
    )
    missing = ASKED if chain.interactive else "" if found.ended else ENDLESS
    evidence = GuessEvidence(secrets, claim, missing, max_nodes, cancel)
    accepted = accepted_by(inspection, evidence)
    (proved,) = accepted.claims
    return Guess(
        secrets=tuple(names),
        prior=weights,
        lower=proved.lower,
        upper=proved.upper,
        before=gains.before,
        spread=found.spread,
        actions=actions,
        guesses=count,
        gains=table,
        strategy=tuple((word, tell(do)) for word, do in found.strategy),
        plan=plan,
        channel=found.channel,
        nodes=found.nodes,
        scope=Scope.of(chain),
        checked=accepted.checked,
        _proof=evidence,
    )


def secrets_of(chain: Chain, states: Sequence[StateName] | None, place: str = "states") -> list[int]:
    """The secrets by number, at least two, each once; by default those of the relation."""
    if isinstance(states, str):
        raise InputError(Defect(place, f"{states!r} is one state", "give a list of them"))
    if states is None:
        found = list(dict.fromkeys(state for pair in chain.relation for state in pair))
        if not found:
            raise InputError(
                Defect(place, "the model carries no relation", f"name states: {', '.join(chain.states[:8])}")
            )
    else:
        found = [chain.number(state) for state in states]
        twice = sorted({chain.states[state] for state in found if found.count(state) > 1})
        if twice:
            raise InputError(Defect(place, f"{name!r} is given twice", "name each secret once") for name in twice)
    if not 2 <= len(found) <= MOST_SECRETS:
        raise InputError(Defect(place, f"{len(found)} secrets", f"name from 2 to {MOST_SECRETS:,}"))
    return found
