"""What the checker accepted, as values; `describe` says one of them in a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from .document import shown
from .numbers import text

DISTANCES = ("bd", "ld", "sd")
SIGNS = {"upper": "≤", "below": "<", "lower": "≥", "above": ">"}
"""How the bounds of a claim about every value of a parameter are said; ``below`` and ``above`` are strict."""
NAMES = {"kl": "KL", "tradeoff": "the trade-off", "ratio": "the largest ratio"}


@dataclass(frozen=True)
class Claim:
    """lower ≤ the measure of the subject ≤ upper; a number is a Fraction, or a `numbers.Quotient`.

    Attributes:
        measure: ``delta``, ``bd``, ``ld``, ``sd``, ``ratio``, ``renyi``, ``kl``, ``tradeoff`` or ``guess``.
        subject: the two states, or the secrets, by name.
        lower: the bound from below; None if there is none.
        upper: the bound from above; None if there is none.
        value: the number itself, where what was accepted leaves one.
        at: e^ε itself; or a rational that upper bounds are about, and one that lower bounds are about; or nothing.
        infinite: it has no upper bound: this is proved, and there are no other bounds.
        terms: what else the measure needs to be told (an order, a prior), and what is said beside the bounds.
        extensions: what had to be believed beside the core of the checker, by name.
    """

    measure: str
    subject: tuple[str, ...]
    lower: Any = None
    upper: Any = None
    value: Any = None
    at: tuple[Any, ...] = ()
    infinite: bool = False
    terms: Mapping[str, Any] = field(default_factory=dict, hash=False)
    extensions: tuple[str, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        return describe(self)

    def __repr__(self) -> str:
        return f"<Claim: {describe(self)}>"


def name_of(claim: Claim) -> str:
    """The number that the claim bounds."""
    subject, terms = ", ".join(claim.subject), claim.terms
    seen = f" of the chain seen through {terms['view']}" if "view" in terms else ""
    if claim.measure in DISTANCES:
        merged, traces = terms.get("merged"), terms.get("traces")
        return (
            f"{claim.measure}({subject}){' of the merged chain' * bool(merged)}{' up to traces' * bool(traces)}{seen}"
        )
    if claim.measure == "guess":
        how = "by its gains" if "gains" in terms else f"in {terms['guesses']}" if "guesses" in terms else ""
        return f"the best guess {how} of {subject}{seen}"
    if claim.measure in ("renyi", "kl", "tradeoff"):
        s, t = claim.subject
        what = f"D_{text(terms['order'])}" if claim.measure == "renyi" else NAMES[claim.measure]
        return f"{what} of {s} against {t}{seen}"
    return f"{NAMES.get(claim.measure, claim.measure)} of ({subject}){seen}"


def describe(claim: Claim) -> str:
    """What the claim says, with every digit, on one line."""
    name, terms = name_of(claim), claim.terms
    if "part" in terms:
        said = _everywhere(name, claim)
    elif claim.measure == "tradeoff":
        said = f"{name} has exactly the {len(terms['corners'])} corners of the claim"
    elif claim.infinite:
        said = f"{name} is infinite{beside(claim)}"
    else:
        said = _between(name, claim) + beside(claim)
        if len(claim.at) == 1:
            said += f" at exp_epsilon {said_of(claim.at[0])}"
        elif claim.at:
            upper, lower = map(said_of, claim.at)
            said += f" at exp_epsilon {lower} (lower side) and {upper} (upper side)"
    return shown(said)


def beside(claim: Claim) -> str:
    """What is said beside the bounds."""
    terms = claim.terms
    if claim.measure != "ratio":
        prior = f", prior {', '.join(map(text, terms['prior']))}" if "prior" in terms else ""
        return prior + (f", moment {said_of(terms['moment'])}" if "moment" in terms else "")
    if not claim.infinite:
        return ", the least exp_epsilon for δ of 0"
    at_least = f"≥ {text(terms['delta'])}" if "delta" in terms else "> 0"
    return f", δ {at_least} at every exp_epsilon"


def _between(name: str, claim: Claim) -> str:
    if claim.upper is None:
        return f"{name} ≥ {said_of(claim.lower)}"
    if claim.lower == claim.upper:
        return f"{name} = {said_of(claim.upper)}"
    return f"{said_of(claim.lower)} ≤ {name} ≤ {said_of(claim.upper)}"


def _everywhere(name: str, claim: Claim) -> str:
    """A claim about every value of a parameter in a part of its interval."""
    parameter, (low, high, (after, before)) = claim.terms["parameter"], claim.terms["part"]
    left, right = "(" if after else "[", ")" if before else "]"
    bounds = {"upper": claim.upper, "lower": claim.lower} | dict(claim.terms)
    said = "".join(f" {sign} {said_of(bounds[side])}" for side, sign in SIGNS.items() if bounds.get(side) is not None)
    said = f" is infinite{beside(claim)}" if claim.infinite else said
    where = f"for every {parameter} in {left}{text(low)}, {text(high)}{right}"
    at = f", at exp_epsilon {said_of(claim.at[0])}" if claim.at else ""
    return f"{name}{said} {where}{at}"


def said_of(value: Any) -> str:
    """A number for people: a fraction, or a formula of exp or the parameter."""
    return text(value) if isinstance(value, Fraction) else str(value)
