"""What guessing is worth of a mechanism between two labellings of one chain (`sandwiched`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...cancel import Cancel
from ...certificate.inspection import Inspection, accepted_by
from ...certificate.views import Views
from ...model import Chain
from ...model.sandwich import Sandwich
from ..sandwiched import NARROW, narrow
from .show import Guess


def guess_between(
    chain: Chain, cancel: Cancel, inspection: Inspection | None, ask: Callable[[Chain, Inspection | None], Guess]
) -> Guess:
    """`guess` of a mechanism, where ``ask`` is the same about one chain."""

    def answer(sandwich: Sandwich, checks: Inspection | None) -> Guess:
        above, below = ask(sandwich.fine, None), ask(sandwich.coarse, None)
        if above._proof is None or below._proof is None:
            raise ValueError("an answer without evidence")
        views = Views(sandwich, above._proof, below._proof)
        accepted = accepted_by(checks, views)
        high, low = accepted.claims
        return replace(
            above,
            lower=low.lower,
            upper=high.upper,
            spread=(below.spread[0], above.spread[1]),
            strategy=below.strategy,
            nodes=above.nodes + below.nodes,
            checked=accepted.checked,
            _proof=views,
        )

    def is_settled(found: Guess) -> bool:
        return bool(found.exact or found.upper - found.lower <= NARROW * found.upper)

    return narrow(chain, cancel, inspection, lambda sandwich: sandwich, answer, is_settled)
