"""What the public verbs answer, as plain data: the bounds, how they were found, the witness, and what the checker said.

Everything here is public: a tree that answers the same questions by other modules is asked in the same way.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import deltachain as dc

SHOWN_WORDS = 3
NO_CERTIFICATE = "several runs: there is no certificate"
NO_CLAIM = "no ε was proved or refuted: there is nothing to certify"
NO_RULES = "the checker's rules for distances are about fractions"

Answer = dict[str, Any]


def answered(chain: dc.Chain, question: Mapping[str, Any]) -> Answer:
    """What this tree says; a refusal is an answer, too."""
    asked = {name: value for name, value in question.items() if name != "verb"}
    if "pairs" in asked:
        asked["pairs"] = [(s, t) for s, t in asked["pairs"]]
    try:
        return VERBS[question["verb"]](chain, asked)
    except dc.errors.InputError as reason:
        return {"refused": str(reason)}


def _delta(chain: dc.Chain, asked: dict[str, Any]) -> Answer:
    found = dc.delta(chain, check=False, **asked)
    together = "repeat" in asked or "compose" in asked
    document = found.to_dict()
    answer: Answer = {
        "pairs": [
            [text_of(r.lower), text_of(r.upper), e["exact"], r.method, r.nodes]
            for r, e in zip(found.results, document["results"], strict=True)
        ],
        "certificate": NO_CERTIFICATE if together else accepted(chain, found.certificate),
    }
    witness = None if together else document["witness"]
    if witness is not None:
        words = [" ".join(map(str, entry["word"])) for entry in witness["words"][:SHOWN_WORDS]]
        answer["witness"] = [witness["state"], witness["other"], f"{witness['advantage']['approx']:.9g}", words]
    return answer


def _profile(chain: dc.Chain, asked: dict[str, Any]) -> Answer:
    found = dc.profile(chain, **asked)
    points = [[text_of(p.lower), text_of(p.upper), p.checked] for p in found.points]
    return {"exact": found.exact, "points": points}


def _epsilon(chain: dc.Chain, asked: dict[str, Any]) -> Answer:
    found = dc.epsilon(chain, check=False, certificate=True, **asked)
    certificate = certificate_of(found)
    answer: Answer = {
        "refuted": text_of(found.refuted),
        "proved": None if found.exp_epsilon_proved is None else text_of(found.proved),
        "exact": found.exact,
        "certificate": NO_CLAIM if certificate is None else accepted(chain, certificate),
    }
    if found.least_delta is not None:
        answer["least_delta"] = text_of(found.least_delta)
    return answer


def _distance(chain: dc.Chain, asked: dict[str, Any]) -> Answer:
    found = dc.distance(chain, **asked)
    return {
        "pairs": [[text_of(r.value), r.side] for r in found.results],
        "certificate": accepted(chain, found.certificate) if found.certified else NO_RULES,
    }


VERBS = {"delta": _delta, "profile": _profile, "epsilon": _epsilon, "distance": _distance}


def certificate_of(found: Any) -> Any:
    """The certificate of a result; None where there is none, whether the result has None or says so by an error."""
    try:
        return found.certificate
    except dc.errors.InputError:
        return None


def accepted(chain: dc.Chain, certificate: Any) -> str:
    """The start of the certificate's SHA-256; raises CertificateRejected."""
    dc.verify(chain, certificate)
    return hashlib.sha256("".join(certificate.chunks()).encode()).hexdigest()[:16]


def text_of(number: Any) -> str:
    """A number as text that `ends` reads: a fraction, or a formula of e."""
    return str(number)


def ends(text: str) -> tuple[Fraction, Fraction]:
    """Fractions around a number; twice the same for a fraction.

    >>> ends("1/3")
    (Fraction(1, 3), Fraction(1, 3))
    >>> low, high = ends("(1)/(exp(3)+exp(4))")
    >>> low < Fraction("0.013389804932698452") < high or f"{float(low):.12f}"
    '0.013389804933'
    """
    if "exp" not in text:
        return Fraction(text), Fraction(text)
    from flint import arb, ctx

    # A formula that was printed here: integers, signs and exp( ), which Python reads as they are meant.
    formula = re.sub(r"\d+", r"number(\g<0>)", text.replace("^", "**"))
    with ctx.workprec(1024):
        ball = eval(formula, {"__builtins__": {}, "number": arb, "exp": lambda x: x.exp()})  # noqa: S307
        low, high = (_fraction(end) for end in (ball.lower(), ball.upper()))
    return low, high


def _fraction(exact: Any) -> Fraction:
    mantissa, exponent = exact.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
