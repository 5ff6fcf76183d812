"""Whatever a person reads is on the right side: every result, table, CSV, label and page, against its Fractions.

README: decimals on screen are rounded outward. A lower bound is shown by a number that is not above it, an upper bound
by one that is not below it; "=" is said of what is equal, and "≈" of what is nearest.
"""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest

import deltachain as dc
from deltachain.numbers.fraction import parse_fraction
from deltachain.results.sections import Table, as_text

NUMBER = r"(\d[\d.]*(?:e[+-]?\d+)?)"
NAME = r"δ(?:\([^()]*\))?"
BETWEEN = re.compile(rf"{NUMBER} ≤ {NAME} ≤ {NUMBER}")
AT_MOST = re.compile(rf"(?<!≤ ){NAME} ≤ {NUMBER}")
AT_LEAST = re.compile(rf"{NAME} ≥ {NUMBER}")
EQUAL = re.compile(rf"{NAME} = {NUMBER}(?![\d/.])")
FRACTION = re.compile(rf"{NAME} = (\d+/\d+) ([=≈]) {NUMBER}")
ABOUT = re.compile(rf"{NAME} ≈ {NUMBER}")


def number(text: str) -> Fraction:
    return parse_fraction(text)


def nearest(shown: str, value: Fraction) -> bool:
    """Whether no decimal of as many digits is nearer."""
    digits = re.sub(r"e.*", "", shown)
    places = len(digits.partition(".")[2]) - (int(shown.partition("e")[2]) if "e" in shown else 0)
    return abs(number(shown) - value) * 2 <= Fraction(1, 10) ** places


def survey() -> dc.Chain:
    return dc.examples.survey(p="5/7")


def shuffled() -> dc.Chain:
    """The sum of three bits, the first one a secret told truthfully with 3/4: δ at ε = 1/2 is 0.19002357…"""
    from math import comb

    def sums(bit: int) -> list[Fraction]:
        told = [Fraction(3, 4) if k == bit else Fraction(1, 4) for k in (0, 1)]
        others = [comb(2, k) * Fraction(3, 4) ** k * Fraction(1, 4) ** (2 - k) for k in range(3)]
        return [sum((told[b] * others[k - b] for b in (0, 1) if 0 <= k - b <= 2), Fraction(0)) for k in range(4)]

    rows: dict[str, dict[str, Any]] = {f"s{bit}": {str(k): p for k, p in enumerate(sums(bit))} for bit in (0, 1)}
    rows |= {str(k): {str(k): 1} for k in range(4)}
    labels = {name: "start" if name.startswith("s") else f"sum {name}" for name in rows}
    return dc.Chain.from_dicts(rows, labels, relation=[("s0", "s1")])


def large() -> dc.Chain:
    return dc.examples.build("random,n=52,seed=1")


DELTAS: dict[str, Callable[[], Any]] = {
    "delta": lambda: dc.delta(survey(), epsilon="1/3"),
    "delta of the shuffle": lambda: dc.delta(shuffled(), epsilon="1/2"),
    "delta, exact": lambda: dc.delta(survey(), exp_epsilon="8/7"),
    "delta, an interval": lambda: dc.delta(large(), 0, 1, epsilon="1/3", max_nodes=60),
    "check, private": lambda: dc.check(survey(), epsilon="1/3", delta="0.5"),
    "check, just violated": lambda: dc.check(survey(), epsilon="1/3", delta="0.3155"),
    "check, undecided": lambda: dc.check(large(), 0, 1, exp_epsilon="6/5", delta="1/3", max_nodes=60),
    "estimate": lambda: dc.estimate(large(), 0, 1, epsilon="1/3", max_nodes=60, samples=300, horizon=20),
    "report": lambda: dc.report(survey(), epsilon="1/3", epsilons=["1/7", "4/7"], delta="1/3"),
}


def visible(page: str) -> str:
    """What a page shows, and what its script shows from its data."""
    style = re.sub(r"<style>.*?</style>", " ", page, flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]*>", " ", style))


def shown_by(result: Any) -> Iterator[str]:
    yield repr(result)
    yield visible(result._repr_html_())
    yield as_text(result.headline, result.sections())


def check_claims(text: str, lower: Fraction, upper: Fraction) -> int:
    """Every sentence about δ in the text is true of lower ≤ δ ≤ upper as they are proved; how many there are."""
    count = 0
    for low, high in BETWEEN.findall(text):
        assert number(low) <= lower <= upper <= number(high), (low, high)
        count += 1
    for high in AT_MOST.findall(text):
        assert number(high) >= upper, high
        count += 1
    for low in AT_LEAST.findall(text):
        assert number(low) <= lower, low
        count += 1
    for fraction, sign, decimal in FRACTION.findall(text):
        assert lower == upper == number(fraction)
        assert number(decimal) == upper if sign == "=" else nearest(decimal, upper)
        count += 1
    for exact in EQUAL.findall(text):
        assert lower == upper == number(exact)
        count += 1
    for about in ABOUT.findall(text):
        assert nearest(about, lower)
        count += 1
    return count


@pytest.mark.parametrize("name", DELTAS)
def test_sentences_about_delta_are_true(name: str) -> None:
    result = DELTAS[name]()
    found = getattr(result, "found", result)
    lower, upper = found.lower, found.upper
    if name == "estimate":  # it says both: what is sampled lies within what is proved
        assert found.proved_lower <= lower <= upper <= found.proved_upper
        lower, upper = max(lower, found.proved_lower), min(upper, found.proved_upper)
    assert sum(check_claims(text, lower, upper) for text in shown_by(result)) >= 3


def test_a_width_is_not_below_the_interval() -> None:
    found = dc.delta(large(), 0, 1, epsilon="1/3", max_nodes=60)
    text = as_text(found.headline, found.sections())
    assert number(re.findall(rf"width +{NUMBER}", text)[0]) >= found.upper - found.lower


@pytest.mark.parametrize("chain", [survey, dc.examples.sticky_sensor])
def test_an_epsilon_is_at_least_the_one_proved(chain: Callable[[], dc.Chain]) -> None:
    bound = dc.epsilon(chain(), delta="1/7", precision="1/100", max_nodes=200)
    assert bound.epsilon is not None
    for text in shown_by(bound):
        shown = re.findall(rf"(?<!\^)ε [=≥] {NUMBER}", text)
        assert shown
        assert all(number(e) >= bound.epsilon for e in shown)
        assert all(number(e) <= bound.epsilon_refuted for e in re.findall(rf"(?<!\^)ε < {NUMBER}", text))
        assert all(number(e) <= bound.refuted for e in re.findall(rf"e\^ε < {NUMBER}", text))
        for e in re.findall(rf"e\^ε = {NUMBER}(?![\d/.])", text):
            assert number(e) >= (bound.exp_epsilon_proved or 0)
        for fraction in re.findall(r"e\^ε = (\d+/\d+)", text):
            assert number(fraction) == bound.exp_epsilon_proved


@pytest.mark.parametrize("chain", [survey, large])
def test_a_profile_is_rounded_outward_everywhere(chain: Callable[[], dc.Chain]) -> None:
    curve = dc.profile(chain(), 0, 1, epsilons=["1/7", "4/7", 1], max_nodes=60)
    (points,) = (section for section in curve.sections() if isinstance(section, Table))
    table = as_text("", [points]).splitlines()[2:]
    for line, point in zip(table, curve.points, strict=True):
        low, high = (number(cell) for cell in line.split()[-2:])
        assert low <= point.lower <= point.upper <= high
    rows = list(csv.DictReader(io.StringIO(curve.csv())))
    for row in rows:
        assert number(row["lower"]) <= number(row["lower_exact"]) <= number(row["upper_exact"]) <= number(row["upper"])
    listed = [row for row in rows if not row["epsilon_exact"].startswith("ln ")]  # the others are corners
    for row, point in zip(listed, curve.points, strict=True):
        assert number(row["lower"]) <= point.lower == number(row["lower_exact"])
        assert number(row["upper"]) >= point.upper == number(row["upper_exact"])
    columns = curve.to_dict()
    for low, high, point in zip(columns["lower"], columns["upper"], curve.points, strict=True):
        assert Fraction(low) <= point.lower
        assert Fraction(high) >= point.upper
    caption = re.findall(rf"δ ≤ {NUMBER} for every ε", visible(curve._repr_html_()))
    assert caption
    assert all(number(high) >= max(point.upper for point in curve.points) for high in caption)


def test_the_labels_of_plots_claim_nothing_false() -> None:
    figure = pytest.importorskip("matplotlib.figure").Figure()
    axes = figure.subplots()
    curve = dc.profile(large(), 0, 1, epsilons=["1/7", "4/7"], max_nodes=60)
    assert curve.plot(axes) is axes
    upper, lower = (line.get_ydata() for line in axes.lines[:2])
    assert Fraction(float(upper[0])) >= curve.points[0].upper
    assert Fraction(float(lower[-1])) <= curve.points[-1].lower
    texts = [
        text.get_text() for text in (*axes.get_legend().get_texts(), axes.title, axes.xaxis.label, axes.yaxis.label)
    ]
    assert not re.search(r"\d\.\d", " ".join(texts)), "a number in a label must pass through the one door"


@pytest.mark.parametrize("kind", ["bd", "ld", "sd"])
@pytest.mark.parametrize("at", [{"epsilon": "1/3"}, {"exp_epsilon": "8/7"}])
def test_a_distance_says_equal_of_what_is_exact_alone(kind: Any, at: dict[str, str]) -> None:
    chain = dc.examples.build("random,n=12,seed=3,labels=2")
    claims = 0
    for exact in (False, None):
        found = dc.distance(chain, 0, 4, kind=kind, exact=exact, **at)  # type: ignore[arg-type]
        for text in shown_by(found):
            for name, sign, shown in re.findall(
                rf"((?:bd|ld|sd|δ)\([^()]*\)) ([=≤≈]) (?:\d+/\d+ ≈ )?{NUMBER}(?!/)", text
            ):
                claims += 1
                s, t = name[name.index("(") + 1 : -1].split(", ")
                value = found.value if name.startswith("δ") else found[s, t]
                if sign == "≤":
                    assert number(shown) >= value, text
                else:
                    assert found.side == "exact", text
                    assert nearest(shown, value), text
            if found.side == "exact" and "exact" in text and "epsilon" in at:
                assert str(found.exp_epsilon.below) in text, "exact at which rational"
    assert claims >= 4


@pytest.mark.parametrize(
    ("verb", "options"),
    [("delta", {}), ("distance", {"kind": "ld"}), ("epsilon", {"delta": "1/7"}), ("estimate", {"samples": 100})],
)
def test_a_sweep_is_rounded_outward(verb: str, options: dict[str, Any]) -> None:
    at = {} if verb == "epsilon" else {"epsilons": ["1/3", "1/2"]}
    found = dc.sweep(dc.examples.survey, parameters={"p": ["5/7", "6/7"]}, verb=verb, **at, **options)
    text = as_text(found.headline, found.sections())
    rows = text.splitlines()[4:]
    for line, row in zip(rows, found, strict=True):
        assert row.result is not None
        if verb == "epsilon":
            assert line.endswith("checked")
            proved, refuted = (number(cell) for cell in line.split()[-3:-1])
            assert proved >= number(row.result["epsilon"]["exact"])
            assert refuted <= number(row.result["epsilon_refuted"]["exact"])
        elif verb == "distance":
            largest = number(row.result["largest"]["exact"])
            assert f"({largest})" in line
        else:
            assert check_claims(line, *(number(row.result[side]["exact"]) for side in ("lower", "upper")))
    for column, values in found.to_dict().items():
        if column.endswith("_exact"):
            for value, exact in zip(found.to_dict()[column.removesuffix("_exact")], values, strict=True):
                side = column.removesuffix("_exact")
                if side in ("lower", "epsilon_refuted", "certified_lower"):
                    assert Fraction(value) <= number(exact)
                if side in ("upper", "found_epsilon", "certified_upper"):
                    assert Fraction(value) >= number(exact)
    assert visible(found._repr_html_()).count("5/7") >= 1


def test_a_page_reads_its_bounds_outward() -> None:
    page = dc.report(survey(), epsilon="1/3", epsilons=["1/7", "4/7"], delta="1/3")
    readings = re.findall(
        rf'"epsilon":"(?:\\u2248 )?{NUMBER}"[^}}]*?"text":"{NUMBER} \\u2264 \\u03b4 \\u2264 {NUMBER}"', page.html
    )
    assert len(readings) >= 3
    for epsilon, low, high in readings:
        at = min((point.epsilon for point in page.profile.points), key=lambda e: abs(e - number(epsilon)))
        known = page.profile.delta(epsilon=min([at, Fraction(1, 3)], key=lambda e: abs(e - number(epsilon))))
        assert number(low) <= known.lower
        assert number(high) >= known.upper


def test_a_trace_says_equal_of_what_is_equal() -> None:
    chain = survey()
    found = dc.trace(chain, [0, 1], [chain.labels[0], chain.labels[chain.rows[0][0][0]]])
    claims = [claim for text in shown_by(found) for claim in re.findall(rf"≈ {NUMBER} \((\d+/\d+)\)", text)]
    assert claims
    for decimal, fraction in claims:
        assert nearest(decimal, number(fraction))
        assert number(fraction) in found.chances
