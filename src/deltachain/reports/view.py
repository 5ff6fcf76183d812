"""What stands in each place of the report, as text and pictures: sentences, tables, and the data of its script."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from ..beliefs.graph.curves import Piece, implied_tradeoff, posteriors, right_guess
from ..distances.kinds import kind_named
from ..measures.delta.show import Delta, PairDelta, Verdict
from ..measures.delta.witness import (
    ARROW,
    account_for,
    alike,
    ratio_name,
    ratio_of,
    shown_words,
    strategy_rows,
    written_path,
)
from ..measures.epsilon.show import PLACES, EpsilonBound
from ..measures.guess.show import Guess
from ..measures.profile.chart import curve_chart
from ..measures.profile.show import FOLLOWED, Profile
from ..model import Chain
from ..numbers.fraction import ExpEpsilon, round_down, round_up
from ..results.accuracy import accuracy_words
from ..results.chart import Axis, Chart, edges
from ..results.numbers import (
    RoundingSide,
    asked_at,
    at_confidence,
    beside,
    bound,
    decimal,
    equation,
    exact_text,
    interval,
    outward,
    outward_probability,
)
from ..results.text import list_first, printable, shorten
from .drawing import MOST_LETTERS, Drawing, Path, Step, draw, moves_of, strategy_svg, walk
from .learning import Learning, learn

if TYPE_CHECKING:
    from ..beliefs.witness import Witness
    from ..beliefs.workspace import Workspace
    from ..measures.distance.explanation import Explanation
    from ..measures.distance.show import Distance
    from ..numbers.field import Exact
    from ..programs.run.events import Accuracy

MOST_ROWS = 40
MOST_STEPS = 50
"""Steps of a strategy that are drawn."""
DOWNLOAD = 256 * 1024
"""Certificates up to this size, in bytes, are inside the report."""
MOST_CORNERS = 12
"""Corners of a trade-off function that are listed."""
LONGEST_EXACT = 400
"""Characters of a fraction that is shown on demand."""
LONGEST_WORD = 200
"""Characters of a word in the table; longer ones are shortened so that they still differ."""
SHORT_EXACT = 12
"""Characters of a fraction that stands in a sentence."""


@dataclass(frozen=True)
class ModelText:
    """What the model was read from.

    Attributes:
        name: what the file is called.
        sha256: the hash of its bytes.
        text: its content, where that is text and not too long to be shown.
    """

    name: str
    sha256: str
    text: str | None


@dataclass(frozen=True)
class FrontMatter:
    """What an author says about a report; all of it may be missing.

    Attributes:
        title: in place of the model's name.
        author: who answers for it.
        date: when, as the author says: without it, the same input gives the same bytes on any day.
        about: what the model is, as HTML that is safe already.
    """

    title: str | None = None
    author: str | None = None
    date: str | None = None
    about: str | None = None


@dataclass(frozen=True)
class Findings:
    """What a report tells of, as values.

    Attributes:
        chain: the model.
        work: what was made of it once: its quotient, its beliefs.
        source: where it is from.
        found: the `Delta`, or the `Verdict` where a δ was allowed.
        curve: δ as a function of ε.
        points: (ε, lower, upper) by increasing ε, the one that was asked for among them.
        epsilons: the least ε for common δ.
        distances: kind → the distance, or why it was not computed.
        why: why bd of the worst pair is what it is, if it is exact.
        certificate: the text of the certificate's file; None if there was no time to write it.
        prior: an observer's belief in the first state of the worst pair, beforehand.
        guess: how well an observer guesses which of all states it is, if that is known.
        measured: a line each of the measures that the trunk makes everything of.
        command: the command that makes the report again.
        verify: the command that checks its certificate.
        notes: what was done to the model's content.
        front: what the author says about it.
        text: what the model was read from.
        accuracy: how likely an event of the run is at least, if that was asked for.
    """

    chain: Chain
    work: Workspace
    source: str
    found: Delta
    curve: Profile
    points: tuple[tuple[Fraction, Fraction, Fraction], ...]
    epsilons: tuple[EpsilonBound, ...]
    distances: Mapping[str, Distance | str]
    why: Explanation | None
    certificate: str | None
    prior: Fraction
    guess: Guess | None = None
    measured: tuple[str, ...] = ()
    command: str | None = None
    verify: str | None = None
    notes: tuple[str, ...] = ()
    front: FrontMatter = FrontMatter()
    text: ModelText | None = None
    accuracy: Accuracy | None = None

    @property
    def verdict(self) -> str | None:
        """The verdict; None where no δ was allowed."""
        return self.found.verdict if isinstance(self.found, Verdict) else None

    @property
    def allowed(self) -> Fraction | None:
        """The δ that is allowed, if one was given."""
        return self.found.allowed if isinstance(self.found, Verdict) else None


def view(findings: Findings) -> tuple[dict[str, Any], dict[str, Any]]:
    """(what the template shows, what the script reads)."""
    pieces = findings.curve.corners
    curve, points = _curve(findings, pieces)
    learning = _find_learning(findings)
    outputs, words = _distinguishing(findings, learning)
    front = findings.front
    page = {
        "title": printable(front.title or findings.source),
        "author": front.author and printable(front.author),
        "date": front.date and printable(front.date),
        "about": None if front.about is None else Markup(front.about),  # noqa: S704 - escaped by `markdown`
        "verdict": findings.verdict,
        "verdict_kind": (findings.verdict or "measured").split()[0],
        "verdict_mark": VERDICTS[findings.verdict] + printable(findings.found.scope.confirmed),
        "sentence": verdict_sentence(findings),
        "meaning": describe_meaning(findings),
        "assumes": [printable(sentence) for sentence in findings.found.assumes],
        "inputs": _inputs(findings),
        "asked": asked_at(findings.found.exp_epsilon),
        "delta": _interval_on_demand(*findings.found.bounds),
        "exact": findings.found.exact,
        "allowed": None if findings.allowed is None else on_demand(findings.allowed),
        "accuracy": None if findings.accuracy is None else printable(accuracy_words(findings.accuracy)),
        "pairs": [_pair_row(findings.found, row) for row in findings.found.results[:MOST_ROWS]],
        "more_pairs": max(0, len(findings.found.results) - MOST_ROWS),
        "epsilons": _epsilon_rows(findings.epsilons),
        "assumptions": assumptions(findings),
        "curve": curve,
        "tradeoff": _tradeoff(findings),
        "measured": [printable(line) for line in findings.measured],
        "posterior": _posterior(findings, learning),
        "outputs": outputs,
        "distances": _distances(findings),
        "why": _why(findings.why),
        "certificate": _certificate(findings),
        "model": _model(findings),
        "command": findings.command and printable(findings.command),
    }
    asked = findings.found.exp_epsilon.epsilon
    epsilons = [point[0] for point in findings.points]
    begin = epsilons.index(asked) if asked in epsilons else 0
    return page, {"points": points, "begin": begin, "words": words}


LONGEST_INPUT = 600
"""Characters of an input that is spelled out beside the verdict."""


def _plain(name: str) -> str:
    """A state's name on a page: on one line, in typographic quotes where it has blanks."""
    shown = printable(name)
    return f"“{shown}”" if " " in shown or not shown else shown


def _inputs(findings: Findings) -> list[str]:
    """The two inputs that are compared, or the worst two, with the variables in which their start states differ."""
    pair, valuations = findings.found.worst.pair, findings.chain.valuations
    if valuations is None:
        return [shorten(printable(name), LONGEST_INPUT) for name in pair]
    one, other = (valuations[findings.chain.number(name)] for name in pair)
    shown = []
    for name, mine, theirs in zip(pair, (one, other), (other, one), strict=True):
        differs = {key: value for key, value in mine.items() if theirs.get(key) != value}
        said = all(f"{key}=" in name for key in differs)
        text = name if said else f"{name}: {', '.join(f'{key}={value}' for key, value in differs.items())}"
        shown.append(shorten(printable(text), LONGEST_INPUT))
    return shown


def on_demand(value: Exact, digits: int = 6, side: RoundingSide = None) -> Markup:
    """The decimal, and the fraction where that says more: hidden until it is asked for. With a side it is a bound."""
    shown, exact = decimal(value, digits) if side is None else bound(value, side, digits), exact_text(value)
    if exact.isdigit() or exact == shown or len(exact) > LONGEST_EXACT:
        return escape(shown)
    return Markup('<span title="{1}">{0}</span><span class="fraction"> ({1})</span>').format(shown, exact)


def _interval_on_demand(lower: Exact, upper: Exact, name: str = "δ ") -> Markup:
    if lower != upper:
        return escape(interval("δ", lower, upper))
    sign = "" if not name or decimal(upper).startswith("≈") else "= "
    return escape(name + sign) + on_demand(upper)


def _short_interval(lower: Exact, upper: Exact) -> str:
    """As `interval`; a value whose fraction or formula is long, by its decimal alone."""
    long = lower == upper and len(exact_text(upper)) > SHORT_EXACT
    return equation("δ", upper) if long else interval("δ", lower, upper)


def _pair_row(found: Delta, row: PairDelta) -> dict[str, str | None]:
    verdict = found.verdict_of(row) if isinstance(found, Verdict) else None
    value = _interval_on_demand(*row.bounds, "")
    one, other = map(_plain, row.pair)
    return {"pair": f"{one} and {other}", "value": value, "method": row.method, "verdict": verdict}


def _epsilon_rows(rows: Sequence[EpsilonBound]) -> list[dict[str, str]]:
    """By rising δ, each row with what its neighbours prove: what is enough for one δ is enough for a larger one."""
    proved = list(accumulate((row.epsilon for row in rows), _smaller))
    refuted = list(accumulate((row.epsilon_refuted for row in reversed(rows)), max))[::-1]
    return [_epsilon_row(*known) for known in zip(rows, proved, refuted, strict=True)]


def _smaller(one: Fraction | None, other: Fraction | None) -> Fraction | None:
    """The smaller of two that may not be known."""
    return other if one is None else one if other is None else min(one, other)


def _epsilon_row(row: EpsilonBound, proved: Fraction | None, refuted: Fraction) -> dict[str, str]:
    """Rounded outward, to as many places as `epsilon` shows."""
    shown = {"delta": decimal(row.delta)}
    if row.least_delta is not None:
        least = outward(row.least_delta, "lower")
        return shown | {"proved": f"none: δ must be at least {least}", "refuted": "every ε"}
    nothing = "not proved: noise is cut off" if row.outside else "not proved for any ε tried"
    below = round_down(refuted, PLACES)
    return shown | {
        "proved": nothing if proved is None else outward(round_up(proved, PLACES), "upper", PLACES + 3),
        "refuted": outward(below, "lower", PLACES + 3) if below else "none",
    }


LOWEST = Fraction(1, 10**9)
"""A logarithmic axis goes down to this δ, at most."""


def _curve(findings: Findings, pieces: tuple[Piece, ...] | None) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The curve on both axes, and what the slider reads off."""
    profile, points = findings.curve, findings.points
    begin, end = points[0][0], max(points[-1][0], Fraction(1, 100))
    top = max(*(high for _, _, high in points), findings.allowed or Fraction(0), Fraction(1, 10**12))
    least = min(
        [high for _, _, high in points if high > 0] + ([findings.allowed] if findings.allowed else []), default=top
    )
    bottom = max(min(least, top / 100), LOWEST)
    bottom = Fraction(10) ** math.floor(math.log10(bottom))
    band = None if pieces is not None else edges(profile.band, begin, end)
    plain, linear = curve_chart(profile, begin, end, top, band=band)
    logarithmic, _ = curve_chart(profile, begin, end, top, bottom, band)
    if findings.allowed:
        for chart in (plain, logarithmic):
            chart.level(float(findings.allowed), "δ allowed")
    if pieces is None:
        caption = (
            "A certified band: δ(ε) lies between the two lines. Dots are where it was searched for. Between dots the "
            "band is implied by its neighbors, since δ is convex in e^ε, and may be wider than a search would make it: "
            "more values of ε narrow it. The upper line is at or above what is proved, the lower one at or below."
        )
    else:
        shape = "straight lines between its corners, since the axis is linear in e^ε" if linear else "piece by piece"
        caption = f"Exact: δ is piecewise linear in e^ε, drawn as {shape}."
    if profile.uncertain:
        caption += " It is about every chain within the limits of the model."
    if profile.inside:
        caption += (
            " Green is what the limits leave open: each dot is the δ of a single chain found inside, and more extreme "
            "ones may exist. Blue beyond the green is what the search leaves open."
        )
    first, last = points[0], points[-1]
    description = (
        f"δ is at most {outward(first[2], 'upper')} at ε = {decimal(first[0])} and at most {outward(last[2], 'upper')} "
        f"at ε = {decimal(last[0])}. {caption}"
    )
    shown = {
        "svg": Markup(plain.svg("curve", description)),  # noqa: S704 - escaped there
        "log": Markup(logarithmic.svg("curve-log", description)),  # noqa: S704 - escaped there
        "caption": caption,
    }
    return shown, [_stop(point, plain, logarithmic, linear, pieces, _tell(profile, point[0])) for point in points]


def _tell(profile: Profile, epsilon: Fraction) -> str:
    """What is said of single chains within limits, where some were found."""
    if not profile.inside:
        return ""
    least, largest = profile.extremes(epsilon)
    return f"; chains found inside reach from {outward(least, 'upper')} to {outward(largest, 'lower')}"


def _stop(
    point: tuple[Fraction, Fraction, Fraction],
    plain: Chart,
    logarithmic: Chart,
    linear: bool,
    pieces: tuple[Piece, ...] | None,
    told: str,
) -> dict[str, Any]:
    """What the slider shows at one ε, and where on both pictures; ``told`` is added to the reading."""
    epsilon, low, high = point
    at = ExpEpsilon.of(epsilon)
    piece = None if pieces is None else next(p for p in pieces if p.end is None or at.below < p.end)
    return {
        "epsilon": decimal(epsilon),
        "text": _describe_reading(low, high, pieces is not None) + told,
        "exact": _exact_reading(low, high, piece),
        "at": [
            [chart.x(place), chart.y(float(high), "upper"), chart.y(float(low), "lower")]
            for chart, place in (
                (plain, float(at.below) if linear else float(epsilon)),
                (logarithmic, float(epsilon)),
            )
        ],
    }


def _describe_reading(low: Fraction, high: Fraction, exact: bool) -> str:
    """The interval at one ε; where it is only the rounding of e^ε that keeps the sides apart, one decimal."""
    if exact and low != high:
        below, above = outward(low, "lower", 9), outward(high, "upper", 9)
        return f"{below} ≤ δ ≤ {above}" if below != above else f"δ ≈ {below}"
    return _short_interval(low, high)


def _exact_reading(low: Fraction, high: Fraction, piece: Piece | None) -> str:
    parts = []
    if piece is not None:
        slope = "" if piece.slope == 0 else f" − {_short(piece.slope)}·e^ε"
        parts.append(f"δ = {_short(piece.constant)}{slope} around here, exactly")
    parts.append(f"δ = {_short(low)}" if low == high else f"{_short(low)} ≤ δ ≤ {_short(high)}")
    return "; ".join(parts)


def _short(value: Exact) -> str:
    text = exact_text(value)
    return text if len(text) <= LONGEST_EXACT else f"{decimal(value, 12)} (a fraction of {len(text):,} characters)"


def _worst_losses(findings: Findings) -> Any:
    known = findings.curve.distributions
    return None if known is None else known[findings.found.results.index(findings.found.worst)]


def _tradeoff(findings: Findings) -> dict[str, Any]:
    chart = Chart(
        Axis.linear("false-positive rate", 0.0, 1.0),
        Axis.linear("false-negative rate", 0.0, 1.0),
        "Trade-off between an attacker's two kinds of error",
    )
    chart.line([(0.0, 1.0), (1.0, 0.0)], "blind")
    losses = _worst_losses(findings)
    s, t = (shorten(_plain(name), 40) for name in findings.found.worst.pair)
    exact: list[tuple[Exact, Exact]] = []
    if losses is not None and len(losses.outcomes) <= FOLLOWED:
        exact = list(losses.tests)
        corners = [(float(a), float(b)) for a, b in exact]
        chart.line(corners, "upper")
        chart.dots(corners[1:-1], "corner")
        caption = f"Exact: the best test of {t} against {s} for each rate of false alarms (f-DP)"
        caption += f"; {findings.curve.checked_tradeoff}."
    else:
        bounds = [(ExpEpsilon.of(e), high) for e, _, high in findings.points]
        implied = [_below(*corner) for corner in implied_tradeoff(bounds)]
        chart.line(implied, "upper", "lower")
        caption = "No attacker is below the line: it is what the upper bounds of δ(ε) imply (f-DP)."
    caption += " Dotted: guessing blindly."
    rows = [{"positive": on_demand(a), "negative": on_demand(b)} for a, b in exact[:MOST_CORNERS]]
    svg = Markup(chart.svg("tradeoff", caption))  # noqa: S704 - escaped there
    return {"svg": svg, "caption": caption, "rows": rows, "left": len(exact) - len(rows)}


def _below(rate: Exact, least: Exact) -> tuple[float, float]:
    """A corner of a lower bound that falls, moved down and to the left where it is no float."""
    return outward_probability(rate, "lower"), outward_probability(least, "lower")


def _posterior(findings: Findings, learning: Learning | None) -> dict[str, Any]:
    """What an observer with the prior believes after each kind of run, and how often the best guess is right."""
    prior, losses = findings.prior, _worst_losses(findings)
    s, t = (shorten(_plain(name), 40) for name in findings.found.worst.pair)
    # The picture begins with the state that the outputs are likelier from, which may be the second of the pair.
    turned = _told_apart(findings) != findings.found.worst.pair
    rows = []
    if losses is not None:
        found = sorted(posteriors(losses, prior), key=lambda p: abs(float(p.belief - prior)), reverse=True)
        rows = [
            {
                "ratio": _ratio_told(p.first, p.second, s, t),
                "example": _example_of(learning, *((p.second, p.first) if turned else (p.first, p.second))),
                "first": on_demand(p.first),
                "second": on_demand(p.second),
                "belief": on_demand(p.belief),
                "share": round(float(p.belief) * 100, 1),
            }
            for p in found[:12]
        ]
        guess = f"the best guess is right with probability {decimal(right_guess(losses, prior))}"
        left = max(0, len(found) - len(rows))
    else:
        # The best guess is right with Σ max(πx, (1−π)y) ≤ max(π, 1−π) + min(π, 1−π)·δ(0), δ(0) the variation distance.
        least = min(prior, 1 - prior)
        most = min(Fraction(1), 1 - least + least * findings.points[0][2])
        guess, left = f"the best guess is right with probability at most {outward(most, 'upper')}", 0
        if findings.points[0][0] != 0:
            guess = "how often the best guess is right is not bounded here (it needs δ at ε = 0)"
    shown = {"prior": decimal(prior), "blind": decimal(max(prior, 1 - prior)), "guess": guess}
    shown["named"] = "" if findings.guess is None else _guess_told(findings.guess)
    return shown | {"s": s, "t": t, "rows": rows, "left": left}


def _guess_told(guess: Guess) -> str:
    """The best guess of the secret, all of them equally likely, as a sentence."""
    return f"Of {len(guess.secrets)} equally likely secrets, {guess.headline}."


def _ratio_told(first: Exact, second: Exact, s: str, t: str) -> str:
    """Which runs a row gathers: all those of one likelihood ratio."""
    if not first or not second:
        return f"only {s if first else t} shows them"
    if first == second:
        return "as likely from either"
    more, less = (s, t) if first > second else (t, s)
    return f"{decimal(max(first / second, second / first), 5)} times as likely from {more} as from {less}"


def _example_of(learning: Learning | None, first: Exact, second: Exact) -> str:
    """A shortest run of a row, where the beliefs are few enough to be drawn; ``first`` is that of the picture."""
    word = None if learning is None else learning.examples.get(first / second if second else None)
    return "" if word is None else shorten(printable(written_path(word, (), ARROW)), 80)


def _told_apart(findings: Findings) -> tuple[str, str]:
    """The worst pair, first the state that the distinguishing outputs are likelier from."""
    witness = findings.found.witness
    return findings.found.worst.pair if witness is None else (witness.state, witness.other)


def _find_learning(findings: Findings) -> Learning | None:
    chain, names = findings.chain, _told_apart(findings)
    return learn(findings.work, (chain.number(names[0]), chain.number(names[1])), findings.found.exp_epsilon)


def _distinguishing(findings: Findings, learning: Learning | None) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    chain, witness, names = findings.chain, findings.found.witness, _told_apart(findings)
    starts = (chain.number(names[0]), chain.number(names[1]))
    # Words have one probability each where the rows are exact.
    words: tuple[Path, ...] = (
        () if witness is None or witness.bounded else tuple((w.word, w.inputs) for w in witness.words)
    )
    drawing = draw(findings.work, starts)
    page: dict[str, Any] = {
        "s": shorten(_plain(names[0]), 40),
        "t": shorten(_plain(names[1]), 40),
        "learning": None if learning is None else Markup(learning.svg),  # noqa: S704 - escaped there
        "svg": Markup(drawing.svg),  # noqa: S704 - escaped there
        "caption": drawing.caption,
        "states": drawing.rows,
        "left": drawing.left,
        "words": [],
        "ratio": "ratio" if witness is None else ratio_name(witness),
        "strategy": None,
        "sentence": _nothing_found(findings.verdict),
    }
    if witness is None:
        return page, []
    least, said = outward(witness.advantage, "lower"), " ".join(filter(None, [account_for(witness), alike(witness)]))
    page["sentence"] = (
        f"There is an event whose probability from {page['s']} exceeds e^ε times its probability from {page['t']} by "
        f"at least {least}. {said}"
    )
    if witness.strategy is not None:
        page["sentence"] = (
            f"There is a way to ask, and an event to look for, whose probability from {page['s']} exceeds e^ε times "
            f"its probability from {page['t']} by at least {least}."
        )
        page["strategy"] = _strategy(witness, page["s"])
    for shown, word in zip(shown_words(witness, LONGEST_WORD, ARROW), witness.words, strict=True):
        sides: tuple[RoundingSide, RoundingSide] = ("lower", "upper") if witness.bounded else (None, None)
        chances = on_demand(word.probability, side=sides[0]), on_demand(word.other, side=sides[1])
        page["words"].append((shown, *chances, ratio_of(word, witness.bounded)))
    return page, [_walk(findings, starts, path, drawing, learning) for path in words]


def _nothing_found(verdict: str | None) -> str:
    """What is said where no event was found, which is one for every chain within limits."""
    if verdict == "violated by some":
        return (
            "No event was found that distinguishes the inputs in every chain within the limits. In a chain that was "
            "found inside, some event does: check --counterexample writes that chain."
        )
    return "Nothing was found that distinguishes the two inputs at this ε."


def _strategy(witness: Witness, state: str) -> dict[str, Any]:
    """The strategy as a picture and as a table, the heaviest part of it, and what that brings."""
    if witness.strategy is None:
        return {}
    shown = witness.strategy.prune(witness.exp_epsilon, MOST_STEPS)
    brings = shown.gain(witness.exp_epsilon)
    left = witness.advantage - brings
    caption = f"What to ask after which answer; as drawn, it gains {outward(brings, 'lower')} over what ε allows"
    caption += "." if left <= 0 else f"; what follows brings another {outward(left, 'lower')}."
    rows = strategy_rows(shown, state, on_demand)
    svg = strategy_svg(shown, state, f"A tree of {len(rows)} steps, also in the table below. {caption}")
    return {"svg": Markup(svg), "caption": caption, "rows": rows}  # noqa: S704 - escaped there


def _walk(
    findings: Findings, starts: tuple[int, int], path: Path, drawing: Drawing, learning: Learning | None
) -> dict[str, Any]:
    steps = walk(findings.chain, starts, path, drawing.place)
    boxes = [None] * len(steps) if learning is None else learning.walk(moves_of(path, MOST_LETTERS))
    return {
        "name": shorten(printable(written_path(*path, ARROW)), 80),
        "cut": len(steps) < len(path[0]),
        "steps": [_step_data(step, box) for step, box in zip(steps, boxes, strict=True)],
    }


def _step_data(step: Step, box: int | None) -> dict[str, Any]:
    if not step.second:
        odds = "only the first can show this" if step.first else "neither shows this"
    elif not step.first:
        odds = "only the second can show this"
    else:
        odds = f"{decimal(step.first / step.second).removeprefix('≈ ')} : 1"
    return {
        "letter": shorten(printable(step.letter), 60),
        "first": decimal(step.first),
        "second": decimal(step.second),
        "odds": odds,
        "bars": [[node, round(float(s), 4), round(float(t), 4)] for node, s, t in step.beliefs],
        "box": box,
    }


def _distances(findings: Findings) -> dict[str, Any] | None:
    """δ and the distances that were computed; None where none was."""
    worst = "the smallest δ that holds" + (
        " for all pairs: the worst pair's" if len(findings.found.results) > 1 else ""
    )
    rows = [
        {
            "kind": kind,
            "value": on_demand(found.value, 6, None if found.side == "exact" else "upper"),
            "what": f"bounds δ: {kind_named(kind).about}; {found.checked}",
        }
        for kind, found in findings.distances.items()
        if not isinstance(found, str)
    ]
    if not rows:
        return None
    value = _interval_on_demand(*findings.found.bounds, "")
    return {"rows": [{"kind": "δ", "value": value, "what": worst}, *rows]}


def _why(found: Explanation | None) -> dict[str, Any] | None:
    """The flow of bd and what it loses, in text."""
    if found is None or not found.steps:
        return None
    lines = [printable(line) for line in found.summary_lines]
    test = [] if found.test is None else [printable(line) for line in found.test.lines(found.chain, exact_text)]
    return {"headline": printable(found.headline), "flow": lines, "test": test}


def _certificate(findings: Findings) -> dict[str, Any] | None:
    if findings.certificate is None:
        return None
    content = findings.certificate.encode()
    small = len(content) <= DOWNLOAD
    return {
        "sha256": hashlib.sha256(content).hexdigest(),
        "bytes": f"{len(content):,}",
        "href": f"data:application/json;base64,{base64.b64encode(content).decode()}" if small else None,
        "verify": findings.verify and printable(findings.verify),
    }


def _model(findings: Findings) -> Mapping[str, Any]:
    chain = findings.chain
    return {
        "source": printable(findings.source),
        "sha256": chain.sha256,
        "states": f"{len(chain):,}",
        "transitions": f"{chain.transitions:,}",
        "labels": f"{len(chain.alphabet):,}",
        "alphabet": list_first([shorten(printable(label), 40) for label in chain.alphabet], 20),
        "notes": [printable(text) for text in findings.notes],
        "file": findings.text,
    }


VERDICTS = {
    "private": "✓ Private",
    "violated": "✗ Not private",
    "violated by some": "✗ Not private within its limits",
    "undecided": "? Undecided",
    None: "Bounds on δ",
}


def _who(findings: Findings) -> str:
    if len(findings.found.results) > 1:
        return f"the two start states of any of the {len(findings.found.results)} pairs apart"
    s, t = (shorten(_plain(name), 60) for name in findings.found.worst.pair)
    return f"{s} from {t}"


def _prove(findings: Findings) -> str:
    """How, and of what, it is proved: nothing that rests on counts is called so without their confidence."""
    found = findings.found
    counted = "" if found.confidence is None else f" {at_confidence(found.confidence)}"
    limits = ", for every chain within the limits" if found.uncertain else ""
    return f"proved{counted}, {found.checked}{limits}"


def verdict_sentence(findings: Findings) -> str:
    """The verdict in a sentence that claims no more than was proved."""
    asked, allowed = asked_at(findings.found.exp_epsilon), findings.allowed
    proved = _prove(findings)
    shown = proved.capitalize()
    if allowed is None:
        found = _short_interval(*findings.found.bounds)
        return f"At {asked}, {found}: {proved}, with a certificate. No δ limit was given, so there is no verdict."
    limit = beside(allowed, "upper", allowed)
    if findings.verdict == "private":
        upper = beside(findings.found.upper, "upper", allowed)
        return (
            f"No observer, whatever they look for and however long they observe, can tell {_who(findings)} better than "
            f"{asked} and δ = {limit} allow. {shown}: δ ≤ {upper}."
        )
    if findings.verdict == "violated by some":
        return (
            f"Some chain within the limits of the model lets an observer tell the states of a pair apart better than "
            f"{asked} and δ = {limit} allow. Others may not: the limits leave it open."
        )
    if findings.verdict == "violated":
        lower = beside(findings.found.worst.lower, "lower", allowed)
        s, t = (shorten(_plain(name), 60) for name in findings.found.worst.pair)
        return (
            f"An observer can tell {s} from {t} better than {asked} and δ = {limit} allow. {shown}: δ ≥ {lower}; "
            "the output that reveals it is below."
        )
    found = _short_interval(*findings.found.bounds)
    return (
        f"Whether {asked} and δ = {limit} hold was not decided within the limits of the search. "
        f"Only {found} is {proved}. A longer search may decide it."
    )


def describe_meaning(findings: Findings) -> str:
    """What the numbers promise, or take away."""
    found = findings.found
    limits = "In every chain within the limits: " if found.uncertain else ""
    if found.confidence is not None:
        limits = f"A{at_confidence(found.confidence)[1:]}, in every chain within the limits: "
    if found.upper == 0:
        asked = "Whatever is asked, no" if findings.chain.interactive else "No"
        than = "is more than e^ε times as likely from the one start state as from the other"
        return f"{limits}{asked} event {than}. δ is 0."
    least = outward(found.upper, "upper")
    asked = "Take any way to ask, and any event" if findings.chain.interactive else "Take any event"
    if findings.verdict in ("violated", "violated by some"):
        limits = f"What holds at this ε is a larger δ. {limits}"
    return (
        f"{limits}{asked}: any set of runs, chosen in any way. Its probability from the one start state is at most e^ε "
        f"times its probability from the other, plus {least}."
    )


def _covers(findings: Findings) -> str:
    """Which inputs the report is about."""
    said = findings.found.covers
    return f"The answer is {said}." if "examined" in said else f"The answer is {said}; no other inputs were examined."


def assumptions(findings: Findings) -> list[tuple[str, str]]:
    """What is proved, what is estimated, what is assumed."""
    curve = "the curve is exact for every ε" if findings.curve.exact else "the curve is a certified band"
    checked = findings.found.checked
    accepted = "has accepted" if checked.accepted else f"accepts or rejects ({checked})"
    proved = (
        f"both ends of the interval for δ, by a certificate that a small separate checker {accepted}; the two "
        f"probabilities of every output sequence; {curve}; every distance (marked ≤ where it is an upper bound). "
        "Decimals of bounds are rounded outward."
    )
    if findings.accuracy is not None:
        proved += " The accuracy is found in exact arithmetic, and rounded down; it has no certificate."
    chooses = "chooses the inputs as it goes, and " if findings.chain.interactive else ""
    assumed = (
        f"that the model is the system: the observer {chooses}sees the labels in their order, one for each step, and "
        "so also how many steps there were; it may know the model and may observe for ever. What else the real system "
        "shows, such as the time that a step takes, is covered as far as labels stand for it. The probabilities are "
        f"those of the model. {_covers(findings)}"
    )
    estimated = "nothing: no number here comes from sampling. Figures are accurate to one pixel."
    if findings.found.uncertain:
        proved = "for every chain within the limits of the model: " + proved
    if findings.found.confidence is not None:  # counts may leave a single chain
        sure = decimal(findings.found.confidence)
        assumed += f" The limits are from counts: they hold the system with confidence {sure}."
    return [("Proved", proved), ("Estimated", estimated), ("Assumed", assumed)]
