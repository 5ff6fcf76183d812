"""`guess`: how well a watcher can name the secret, from beliefs about all of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..beliefs import reach
from ..cancel import Cancel, Report
from ..errors import Defect, InputError
from ..formats.gains import GainLike, PriorLike, read_gains, read_prior
from ..loading import load
from ..model import Chain
from ..parameters import MOST_SECRETS, as_nodes, as_whole
from .asking import Secrets, State, watching

if TYPE_CHECKING:
    from ..programs import Program
    from ..results.guess import Guess


def guess(
    model: Chain | Program | str | Path,
    states: Sequence[State] | None = None,
    *,
    prior: PriorLike | None = None,
    gain: GainLike | None = None,
    guesses: int = 1,
    channel: bool = False,
    secrets: Secrets | None = None,
    max_nodes: int | None = None,
    timeout: float | None = None,
    report: Report | None = None,
    interruptible: bool = False,
    cancel: Cancel | None = None,
) -> Guess:
    """The best chance of naming the secret after watching, or the best expected gain; exact where beliefs end.

    Args:
        model: a chain, or what `load` takes.
        states: the secrets: start states, by name or number (default: those of the relation that the model carries).
        prior: the probability of each before watching, by name, or a CSV file of them (default: all equal).
        gain: what each action gains for each secret, by name, or a CSV file (default: 1 for the right name).
        guesses: how many secrets may be named; one of them must be right.
        channel: keep the reduced channel.
        secrets: what a program starts from.
        max_nodes: stop after so many beliefs, with bounds.
        timeout: stop after so many seconds, with bounds.
        report: a function that is given progress as text.
        interruptible: let Ctrl-C end the search with what is known.
        cancel: a token of the caller's that stands for timeout, report and interruption.

    Raises:
        InputError: unknown or doubled states, a prior that does not sum to 1, gains that cannot be read.

    >>> import deltachain as dc
    >>> found = guess(dc.examples.dining_cryptographers(n=3, p="49/100"))
    >>> found.upper, found.before, found.exact
    (Fraction(417, 1250), Fraction(1, 3), True)
    """
    budget = None if max_nodes is None else as_nodes(max_nodes)
    with watching(cancel, timeout, report, interruptible) as cancel:
        chain = load(model, secrets=secrets, cancel=cancel)
        return guess_of(chain, secrets_of(chain, states), prior, gain, guesses, budget, cancel, channel=channel)


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
) -> Guess:
    """`guess` about states by number."""
    from ..beliefs.graph.guessing import Gains, guess_secret
    from ..results.guess import Guess

    names = [chain.states[number] for number in numbers]
    count = as_whole(guesses, "guesses", 1, len(names))
    if gain is not None and count > 1:
        raise InputError(Defect("guesses", "a table of gains says what a guess is", "leave one of the two out"))
    weights = read_prior(prior, names)
    actions, table = ((), None) if gain is None else read_gains(gain, names)
    if not reach.takes("guessing", chain):
        chain.need("exact", "guess", "beliefs about several secrets are exact numbers", "ask for δ of pairs")
        chain.need("no inputs", "guess", "with inputs, rows must be fractions", "ask for δ of pairs")
        raise InputError(Defect("guess", "noise of this model is cut off", "ask for δ of pairs"))
    gains = Gains(weights, table, count)
    found = guess_secret(chain, numbers, gains, max_nodes, cancel, columns=channel)
    told = actions or tuple(f"guess {name}" for name in names)
    return Guess(
        secrets=tuple(names),
        prior=weights,
        lower=found.lower,
        upper=found.upper,
        before=gains.before,
        spread=found.spread,
        actions=actions,
        guesses=count,
        strategy=tuple((word, f"ask {do}" if isinstance(do, str) else told[do]) for word, do in found.strategy),
        channel=found.channel,
        nodes=found.nodes,
    )


def secrets_of(chain: Chain, states: Sequence[State] | None, place: str = "states") -> list[int]:
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
