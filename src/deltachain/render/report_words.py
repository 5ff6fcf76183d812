"""The report's plain words: the verdict, what it means, and what is proved, estimated and assumed."""

from __future__ import annotations

from .intervals import beside, interval, outward
from .report import Findings
from .results import asked_at, shown_name
from .table import shortened

VERDICTS = {"private": "✓ Private", "violated": "✗ Not private", "undecided": "? Undecided", None: "δ measured"}


def _who(findings: Findings) -> str:
    if len(findings.bounds) > 1:
        return f"the two start states of any of the {len(findings.bounds)} pairs apart"
    s, t = (shortened(shown_name(name), 60) for name in findings.worst.pair)
    return f"{s} from {t}"


def verdict_sentence(findings: Findings) -> str:
    """The verdict in a sentence that claims no more than was proved."""
    asked, allowed = asked_at(findings.exp_epsilon), findings.allowed
    if allowed is None:
        found = interval("δ", findings.lower, findings.upper)
        return f"At {asked}, {found}: proved, with a certificate. No δ was given that would be allowed."
    limit = beside(allowed, "upper", allowed)
    if findings.verdict == "private":
        upper = beside(findings.upper, "upper", allowed)
        return (
            f"No observer, whatever they look for and however long they observe, can tell {_who(findings)} better than "
            f"{asked} and δ = {limit} allow. Proved: δ ≤ {upper}."
        )
    if findings.verdict == "violated":
        lower = beside(findings.worst.lower, "lower", allowed)
        s, t = (shortened(shown_name(name), 60) for name in findings.worst.pair)
        return (
            f"An observer can tell {s} from {t} better than {asked} and δ = {limit} allow. Proved: δ ≥ {lower}; "
            "the event that gives it away is below."
        )
    found = interval("δ", findings.lower, findings.upper)
    return (
        f"Whether {asked} and δ = {limit} hold was not decided within the limits of the search. "
        f"Proved is only {found}. A longer search may decide it."
    )


def meaning(findings: Findings) -> str:
    """What the numbers promise, or take away."""
    if findings.upper == 0:
        asked = "Whatever is asked, no" if findings.chain.interactive else "No"
        return f"{asked} event is more than e^ε times as likely from the one start state as from the other. δ is 0."
    least = outward(findings.upper, "upper")
    asked = "Take any way to ask, and any event" if findings.chain.interactive else "Take any event"
    return (
        f"{asked}: any set of runs, chosen in any way. Its probability from the one start state is at most e^ε "
        f"times its probability from the other, plus {least}."
    )


def assumptions(findings: Findings) -> list[tuple[str, str]]:
    """What is proved, what is estimated, what is assumed."""
    curve = "the curve is exact for every ε" if findings.distributions is not None else "the curve is a certified band"
    proved = (
        "both ends of the interval for δ, by a certificate that a small separate checker accepts or rejects; every "
        f"word's two probabilities; {curve}; every distance (marked ≤ where it is an upper bound). Decimals of bounds "
        "are rounded outward."
    )
    chooses = ", chooses the inputs as it goes" if findings.chain.interactive else ""
    assumed = (
        f"that the model is the system: the observer{chooses}, sees the sequence of labels and nothing else (timing "
        "and other side channels only as far as labels show them), may know the model and may observe for ever; and "
        "that the probabilities are those of the file."
    )
    estimated = "nothing: no number here comes from sampling. Pictures are exact to a pixel."
    return [("Proved", proved), ("Estimated", estimated), ("Assumed", assumed)]
