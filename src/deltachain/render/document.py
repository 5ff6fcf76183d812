"""The JSON document of a verb: one object with the keys that all verbs share, then the verb's own.

::

    schema    "deltachain.VERB/1"
    version   of deltachain
    model     {source, sha256, states, transitions, labels}
    exp_epsilon                                          when α itself was given, or
    epsilon, exp_epsilon_below, exp_epsilon_above        when ε was: α_below ≤ e^ε ≤ α_above
    …         the verb's own keys
    seconds   wall-clock time

Every exact number is ``{"exact": "p/q", "approx": float}``, see `numbers.json_number`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from ..chain import Chain
from ..version import __version__
from .numbers import json_number

__all__ = ["Alphas", "LoadedModel", "document", "rendered"]


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A chain, where it came from, and what the reader has to say about it."""

    chain: Chain
    source: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Alphas:
    """The α = e^ε that was asked for: below ≤ e^ε ≤ above, equal when α itself was given.

    δ falls as α grows: upper bounds are computed at ``below``, lower bounds at ``above``.
    """

    below: Fraction
    above: Fraction
    epsilon: Fraction | None = None


def document(
    schema: str,
    body: Mapping[str, object],
    *,
    seconds: float,
    model: LoadedModel | None = None,
    alphas: Alphas | None = None,
) -> dict[str, object]:
    """The whole document, in the order above; ``schema`` is ``"deltachain.VERB/1"``."""
    whole: dict[str, object] = {"schema": schema, "version": __version__}
    if model is not None:
        chain = model.chain
        whole["model"] = {
            "source": model.source,
            "sha256": chain.sha256,
            "states": len(chain),
            "transitions": chain.transitions,
            "labels": len(chain.alphabet),
        }
    if alphas is not None:
        whole |= _alpha_keys(alphas)
    clash = whole.keys() & body.keys()
    if clash:
        raise ValueError(f"keys that all documents share, given again: {sorted(clash)}")
    return whole | dict(body) | {"seconds": round(seconds, 3)}


def _alpha_keys(alphas: Alphas) -> dict[str, object]:
    if alphas.epsilon is None:
        return {"exp_epsilon": json_number(alphas.below)}
    return {
        "epsilon": json_number(alphas.epsilon),
        "exp_epsilon_below": json_number(alphas.below, "lower"),
        "exp_epsilon_above": json_number(alphas.above, "upper"),
    }


def rendered(whole: Mapping[str, object]) -> str:
    """The document as text: indented, ASCII only, so that it survives any terminal or pipe."""
    return json.dumps(whole, indent=2, allow_nan=False)
