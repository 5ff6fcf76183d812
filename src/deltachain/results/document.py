"""The JSON document of a verb: one object with the keys that all verbs share, then the verb's own.

::

    schema    "deltachain.VERB/2"
    version   of deltachain
    model     {source, sha256, states, transitions, labels}
    exp_epsilon                                          when e^ε itself was given, or
    epsilon, exp_epsilon_below, exp_epsilon_above        when ε was: below ≤ e^ε ≤ above
    assumes   what the answer assumes beside what is proved, in sentences; [] but for code that was run
    …         the verb's own keys
    seconds   wall-clock time

Every exact number is ``{"exact": "p/q", "approx": float}``, see `numbers.json_number`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..version import __version__
from .numbers import json_number

if TYPE_CHECKING:
    from ..model import Loaded
    from ..numbers.fraction import ExpEpsilon


def document(
    schema: str,
    body: Mapping[str, object],
    *,
    seconds: float,
    model: Loaded | None = None,
    exp_epsilon: ExpEpsilon | None = None,
) -> dict[str, object]:
    """The whole document, in the order above; ``schema`` is ``"deltachain.VERB/2"``."""
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
    if exp_epsilon is not None:
        whole |= _exp_epsilon_keys(exp_epsilon)
    assumed = body.get("assumes", () if model is None else model.chain.assumes)
    body = {key: part for key, part in body.items() if key != "assumes"}
    whole["assumes"] = [*assumed] if isinstance(assumed, list | tuple) else []
    clash = whole.keys() & body.keys()
    if clash:
        raise ValueError(f"keys that all documents share, given again: {sorted(clash)}")
    return whole | dict(body) | {"seconds": round(seconds, 3)}


def _exp_epsilon_keys(asked: ExpEpsilon) -> dict[str, object]:
    if asked.epsilon is None:
        return {"exp_epsilon": json_number(asked.below)}
    return {
        "epsilon": json_number(asked.epsilon),
        "exp_epsilon_below": json_number(asked.below, "lower"),
        "exp_epsilon_above": json_number(asked.above, "upper"),
    }


def render_document(whole: Mapping[str, object]) -> str:
    """The document as text: indented, ASCII only, so that it survives any terminal or pipe."""
    return json.dumps(whole, indent=2, allow_nan=False)
