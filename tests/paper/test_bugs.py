"""The programs of examples/bugs: verdicts, and δ beside formulas that were worked out by hand, in decimals."""

from __future__ import annotations

import decimal
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

import deltachain as dc
from deltachain.testing import assert_private, assert_violated
from tests.docs.pages import ROOT, blocks
from tests.words import says

FOLDER = ROOT / "examples" / "bugs"
PAGE = ROOT / "docs" / "bugs.md"
CONTEXT = decimal.getcontext()  # 28 digits


def exp(value: str) -> Decimal:
    return CONTEXT.exp(Decimal(value))


R = exp("-1")
"""The ratio of discrete Laplace noise of scale 1."""
ROOT_R = exp("-0.5")
ZERO = Decimal(0)


def tail(ratio: Decimal, least: int) -> Decimal:
    """P(Z ≥ least), for least ≥ 0."""
    return ratio**least / (1 + ratio)


def noisy_max(replacement: bool) -> tuple[tuple[Decimal, Decimal], tuple[Decimal, Decimal]]:
    """What is drawn of two candidates with scores (0, 0), and with (1, −1): the second is taken with e^-2 if proposed.

    Drawn with replacement it is proposed until one is taken; without, the other one is taken after it.
    """
    second = exp("-2") / (1 + exp("-2")) if replacement else exp("-2") / 2
    return (Decimal("0.5"), Decimal("0.5")), (1 - second, second)


def renyi(first: Iterable[Decimal], second: Iterable[Decimal], order: Decimal) -> Decimal:
    """The Rényi divergence of two distributions over the same outputs."""
    moments = (CONTEXT.power(p, order) * CONTEXT.power(q, 1 - order) for p, q in zip(first, second, strict=True))
    return CONTEXT.ln(sum(moments, ZERO)) / (order - 1)


def two_epochs() -> Decimal:
    """Three noisy numbers of scale 2, of which each leans towards its own side: the sum of the gains of eight cells."""
    leaning = {True: 1 / (1 + ROOT_R), False: ROOT_R / (1 + ROOT_R)}  # P(Z ≥ 0) against P(Z ≥ 1)
    total = Decimal(0)
    for cell in range(8):
        first = second = Decimal(1)
        for number in range(3):
            towards = bool(cell >> number & 1)
            first *= leaning[towards]
            second *= leaning[not towards]
        total += max(first - exp("1") * second, Decimal(0))
    return total


def selected(scores: tuple[int, int], sensitivity: int) -> tuple[Decimal, Decimal]:
    """The exponential mechanism at ε = 1: the probabilities of both candidates."""
    weights = [CONTEXT.exp(Decimal(score) / (2 * sensitivity)) for score in scores]
    return weights[0] / sum(weights), weights[1] / sum(weights)


def selection_loss(scores: tuple[Any, Any], sensitivity: int) -> Decimal:
    """δ at ε = 1 of the exponential mechanism for two vectors of scores."""
    one, other = (selected(vector, sensitivity) for vector in scores)
    return max(gain(one, other, exp("1")), gain(other, one, exp("1")))


def gain(first: Iterable[Decimal], second: Iterable[Decimal], alpha: Decimal) -> Decimal:
    """δ in one direction for two distributions over the same outputs."""
    return sum((max(p - alpha * q, ZERO) for p, q in zip(first, second, strict=True)), ZERO)


def unary(own: Decimal) -> Decimal:
    """δ of unary encoding at ε = 1, where the item's own bit is 1 with this probability: two bits decide."""
    other = R / (1 + R)
    bits = [(own, other), (1 - own, 1 - other)]  # the bit of item 0 is 1, or 0: from item 0, from item 1
    first = [a * b for (a, _), (_, b) in product(bits, bits)]
    second = [a * b for (_, a), (b, _) in product(bits, bits)]
    return gain(first, second, exp("1"))


def truncated(bound: Decimal) -> Decimal:
    """δ at ε = 1 of truncated Laplace noise of scale 1 for a count that moves by 1: the mass that only one side has.

    Where both are possible their ratio is at most e, and it is e on the far side of one of them: what is left is the
    density over the last unit, [bound − 1, bound], which the other side cannot reach.
    """
    return (CONTEXT.exp(1 - bound) - CONTEXT.exp(-bound)) / (2 * (1 - CONTEXT.exp(-bound)))


def best_of(tries: Callable[[int], Decimal]) -> Decimal:
    """δ at ε = 1/10 of whether one of n tries did well, with ε = 1/10 each: no try did, or some try did."""
    none, other = no_good(tries)
    both = (none, 1 - none), (other, 1 - other)
    return max(gain(both[0], both[1], exp("0.1")), gain(both[1], both[0], exp("0.1")))


def no_good(tries: Callable[[int], Decimal]) -> tuple[Decimal, Decimal]:
    """The probability that no try did well, where each does with the smaller probability, and with the larger."""
    bad = exp("0.1") / (1 + exp("0.1"))
    found = [sum((tries(n) * p**n for n in range(1, 3000)), ZERO) for p in (bad, 1 - bad)]
    return found[0], found[1]


def geometric(n: int) -> Decimal:
    """The probability of stopping after n tries, 1/40 each time."""
    return Decimal("0.025") * Decimal("0.975") ** (n - 1)


def shifted(by: int) -> Decimal:
    """The total variation distance of discrete Laplace noise of scale 80/3, or of it rounded up to multiples of 8.

    Before rounding from 8 to 9, and after it from 8 to 16: the best event is the noise below the middle. Multiples of 8
    above 8 show whether the noise is at least 1, or at least 0.
    """
    ratio = exp("-0.0375")
    if by == 1:
        return tail(ratio, 0) - tail(ratio, 1)
    return 1 - 2 * tail(ratio, by // 2 + 1) - (tail(ratio, by // 2) - tail(ratio, by // 2 + 1))


def k_anonymity(
    alpha: Decimal, w: int = 4, late: int = 2, counts: tuple[int, int, int] = (51, 52, 48), reach: int = 25
) -> Decimal:
    """δ of two runs of above-threshold: the outputs are after how many steps each of them said yes, if at all."""
    noise = {z: exp(str(Decimal(-3 * abs(z)) / 4)) for z in range(-reach, reach + 1)}
    total = sum(noise.values())
    below = {z: sum((noise[y] for y in noise if y < z), ZERO) / total for z in range(-reach, reach + 1)}

    def run(series: list[int]) -> list[Decimal]:
        found = [ZERO] * (w + 1)
        for z, weight in noise.items():
            left = weight / total
            for step, count in enumerate(series):
                least = 50 + z - count  # yes if the noise is at least that
                no = ZERO if least <= -reach else Decimal(1) if least > reach else below[least]
                found[step] += left * (1 - no)
                left *= no
            found[w] += left
        return found

    first, second, after = counts
    both = []
    for join in (0, 1):
        one = run([20] * (w - late) + [first + join] * late)
        two = run([second + join] * (w - late) + [after] * late)
        both.append([p * q for p, q in product(one, two)])
    return max(gain(both[0], both[1], alpha), gain(both[1], both[0], alpha))


@dataclass(frozen=True)
class Case:
    """A program with its two secrets, what is asked, the verdict, and δ where a formula is known."""

    program: str
    name: str
    values: tuple[object, object]
    at: dict[str, Any]
    verdict: str
    delta: Decimal | None = None

    @property
    def secrets(self) -> list[dict[str, object]]:
        return [{self.name: value} for value in self.values]


ONE: dict[str, Any] = {"epsilon": 1, "delta": 0}
CLAIM: dict[str, Any] = {"epsilon": 1, "delta": "0.004926"}
ASKED_2933: dict[str, Any] = {"epsilon": "1.2403", "delta": 0}
BOTH, COUNTS = (True, False), (0, 1)
YES, NO = 1 / (1 + R), R / (1 + R)
EVEN: tuple[object, object] = ((0, 0), (4, -4))
APART: tuple[object, object] = ((-40, 0), (-36, -4))
NO_NOISE: dict[str, Any] = {"epsilon": 0, "delta": 0}
TENTH: dict[str, Any] = {"epsilon": "0.1", "delta": 0}
THOUSANDTH: dict[str, Any] = {"epsilon": 1, "delta": "1/1000"}

CASES = [
    Case("opendp_2922.py:laplace_threshold", "count", COUNTS, CLAIM, "violated", tail(R, 4)),
    Case("opendp_2922.py:as_accounted", "count", COUNTS, CLAIM, "private", tail(R, 5)),
    Case(
        "opendp_480.py:randomized_response", "truth", BOTH, {"exp_epsilon": 3, "delta": 0}, "violated", Decimal("0.625")
    ),
    Case("opendp_480.py:fixed", "truth", BOTH, {"exp_epsilon": 3, "delta": 0}, "private", ZERO),
    Case(
        "opendp_2933.py:one_sample",
        "secret",
        BOTH,
        ASKED_2933,
        "violated",
        (YES**2 + NO**2) / 2 - exp("1.2403") * NO**2,
    ),
    Case("opendp_2933.py:fresh_samples", "secret", BOTH, ASKED_2933, "private", ZERO),
    Case("smartnoise_core_319.py:result_not_clamped", "count", (3, 4), ONE, "violated", tail(R, 4)),
    Case("smartnoise_core_319.py:count_not_clamped", "count", (6, 7), ONE, "violated", tail(R, 4)),
    *(
        Case("smartnoise_core_319.py:fixed", "count", (count, count + 1), ONE, "private", ZERO)
        for count in (-2, -1, 0, 3, 4, 6)
    ),
    Case(
        "google_dp_101.py:thresholded",
        "count",
        COUNTS,
        {"exp_epsilon": 4, "delta": "1/50"},
        "violated",
        Decimal(1) / 16,
    ),
    Case(
        "google_dp_101.py:thresholded,threshold=4",
        "count",
        COUNTS,
        {"exp_epsilon": 4, "delta": "1/50"},
        "private",
        Decimal(1) / 64,
    ),
    Case("w3c_attribution_75.py:attributed_epoch_pays", "newer", BOTH, ONE, "violated", two_epochs()),
    Case("w3c_attribution_75.py:every_matching_epoch_pays", "newer", BOTH, ONE, "private", ZERO),
    Case("topics_75.py:not_filtered", "topic", COUNTS, {"exp_epsilon": 6632, "delta": 0}, "violated", Decimal("0.95")),
    Case("topics_75.py:filtered", "topic", COUNTS, {"exp_epsilon": 6632, "delta": 0}, "private", ZERO),
    Case("topics_75.py:filtered", "topic", COUNTS, {"exp_epsilon": 6631, "delta": 0}, "violated"),
    Case("nvflare_343.py:svt_privacy", "weight", (2, 3), {"epsilon": 10, "delta": "0.16"}, "violated", Decimal(1) / 6),
    Case("nvflare_343.py:zeroed", "weight", (2, 3), ONE, "private", ZERO),
    Case("libprio_1072.py:wrapped", "total", (3, 4), ONE, "private", ZERO),
    Case("libprio_1072.py:bounded", "total", (3, 4), ONE, "private", ZERO),
    Case("wfa_97.py:rounded_laplace", "count", (1, 2), ONE, "private", ZERO),
    Case("wfa_97.py:rounded_laplace", "count", (1, 2), {"epsilon": "0.99", "delta": 0}, "violated"),
    Case("wfa_97.py:geometric_noise", "count", (1, 2), ONE, "private", ZERO),
    Case("pure_ldp_11.py:optimised_unary", "item", COUNTS, ONE, "violated", unary((1 + NO) / 2)),
    Case("pure_ldp_11.py:cleared_first", "item", COUNTS, ONE, "private", unary(Decimal("0.5"))),
    *(
        Case(f"mbi_65.py:select{how}", "scores", scores, ONE, verdict, selection_loss(scores, sensitivity))
        for scores in (EVEN, APART)
        for how, sensitivity, verdict in (("", 2, "violated"), (",sensitivity=4", 4, "private"))
    ),
    Case("opendp_2930.py:any_length", "bits", ((1,), (1, 0)), {"exp_epsilon": 9, "delta": 0}, "violated", Decimal(1)),
    Case("opendp_2930.py:fixed_length", "bits", ((1, 0), (0, 1)), {"exp_epsilon": 9, "delta": 0}, "private", ZERO),
    Case("opendp_2930.py:fixed_length", "bits", ((1, 0), (0, 1)), {"exp_epsilon": "8.9", "delta": 0}, "violated"),
    *(
        Case(f"opendp_2911.py:{name}", "scores", ((0, 0), (1, -1)), {"epsilon": at, "delta": 0}, verdict, loss)
        for name, at, verdict, loss in (
            ("permute_and_flip", 2, "private", ZERO),
            ("permute_and_flip", "1.999", "violated", Decimal("0.5") - exp("-0.001") / 2),
            ("exponential_mechanism", 2, "private", ZERO),
        )
    ),
    Case("w3c_attribution_398.py:impressions_decide", "newer", BOTH, ONE, "violated", two_epochs()),
    Case("w3c_attribution_398.py:window_decides", "newer", BOTH, ONE, "private", ZERO),
    Case("wfa_4333.py:bound_8", "count", COUNTS, THOUSANDTH, "private", truncated(Decimal(8))),
    Case("wfa_4333.py:as_merged", "count", COUNTS, THOUSANDTH, "private", Decimal("0.001")),
    Case("opendp_2945.py:grouped_sum", "total", (30, -30), ONE, "violated", 1 - ROOT_R),
    Case("opendp_2945.py:grouped_sum", "total", (30, -30), {"epsilon": 2, "delta": 0}, "private", ZERO),
    Case("opendp_2945.py:both_ways", "total", (30, -30), ONE, "private", ZERO),
    Case("leakpro_438.py:best_of_forty", "secret", BOTH, {"epsilon": 4, "delta": 0}, "private", ZERO),
    Case("leakpro_438.py:best_of_forty", "secret", BOTH, TENTH, "violated", best_of(lambda n: Decimal(n == 40))),
    Case(
        "leakpro_438.py:stopped_at_random",
        "secret",
        BOTH,
        TENTH,
        "violated",
        best_of(geometric),
    ),
    Case("libprio_1341.py:noisy_sum", "measurement", ((3, 0), (0, 3)), ONE, "private", ZERO),
    Case("libprio_1341.py:noisy_sum", "measurement", ((3, 0), (0, 3)), {"epsilon": "0.999", "delta": 0}, "violated"),
    Case("jax_privacy_121.py:batch", "binomial", BOTH, NO_NOISE, "private", ZERO),
    Case("tor_23414.py:bin_first", "services", (8, 9), {"epsilon": "0.3", "delta": 0}, "private", ZERO),
    Case("tor_23414.py:bin_first", "services", (8, 9), NO_NOISE, "violated", shifted(8)),
    Case("tor_23414.py:noise_first", "services", (8, 9), {"epsilon": "0.0375", "delta": 0}, "private", ZERO),
    Case("tor_23414.py:noise_first", "services", (8, 9), NO_NOISE, "violated", shifted(1)),
    Case("ipa_972.py:sharded", "order", ((1, 2, 3), (3, 2, 1)), NO_NOISE, "private", ZERO),
    Case("ipa_972.py:one_row_not_shuffled", "row", (0, 2), NO_NOISE, "violated", Decimal("0.75")),
    Case(
        "turtledove_k_anonymity.py:server",
        "join",
        COUNTS,
        {"epsilon": "1.98", "delta": "0.00001"},
        "violated",
        k_anonymity(exp("1.98")),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=[f"{case.program} {case.values[0]}" for case in CASES])
def test_verdict_and_value(case: Case) -> None:
    chain = dc.load(f"{FOLDER / case.program}", secrets=case.secrets)
    claim = assert_private if case.verdict == "private" else assert_violated
    claim(chain, **case.at)
    if case.delta is None:
        return
    at = {name: value for name, value in case.at.items() if name != "delta"}
    found = dc.delta(chain, **at)
    value, slack = Fraction(case.delta), Fraction(1, 10**24)
    assert found.lower - slack <= value <= found.upper + slack
    assert found.upper - found.lower < Fraction(1, 10**9)


def test_every_program_is_asked() -> None:
    asked = {case.program.partition(",")[0] for case in CASES}
    written = {
        f"{path.name}:{name}"
        for path in FOLDER.glob("*.py")
        for name in re.findall(r"@program\ndef (\w+)", path.read_text("utf-8"))
    }
    assert asked == written


def test_the_page_shows_the_programs_as_they_are_and_runs_each() -> None:
    text = PAGE.read_text("utf-8")
    shown = [part for block in blocks(PAGE) if block.language == "py" for part in block.text.rstrip().split("\n\n\n")]
    source = "".join(path.read_text("utf-8") for path in sorted(FOLDER.glob("*.py")))
    for program in shown:
        assert program in source
    assert len(shown) >= 15
    assert all(path.name in text for path in FOLDER.glob("*.py"))
    for case in CASES:
        assert f"examples/bugs/{case.program}" in text


def test_what_the_page_and_the_readme_count() -> None:
    text = PAGE.read_text("utf-8")
    sections = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert len(sections) == 24
    assert sum("cleared" in section for section in sections) == 7
    readme = (ROOT / "README.md").read_text("utf-8")
    assert says(readme, "finds](docs/bugs.md) has twenty-four")
    projects = {re.split(r",| cardinality| cross-media|: ", section)[0] for section in sections}
    assert len(projects) == 15


def test_the_numbers_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert says(readme, "of the time")
    assert round(100 * tail(R, 4), 2) == Decimal("1.34")
    assert says(readme, "claims δ =")
    assert round(tail(R, 5), 6) == Decimal("0.004926")
    (block,) = (block for block in blocks(ROOT / "README.md") if block.language == "py")
    assert block.text.rstrip() in (FOLDER / "opendp_2922.py").read_text("utf-8")


def test_thresholds_of_the_go_library() -> None:
    """k = 1 − ln(2δ)/ε for one partition, as in go/noise/laplace_noise.go: 3.32 for e^ε = 4 and δ = 1/50."""
    k = 1 - CONTEXT.ln(Decimal(2) / 50) / CONTEXT.ln(Decimal(4))
    assert round(k, 2) == Decimal("3.32")


def test_the_numbers_in_the_text_of_the_page() -> None:
    text = PAGE.read_text("utf-8")
    for shown, value in (
        ("= 0.0049258. ", tail(R, 5)),
        ("= 0.01338980…;", tail(R, 4)),
        ("each, 1.2402… together", 2 * CONTEXT.ln((1 + exp("1")) / 2)),
    ):
        assert shown in text
        digits = re.search(r"\d\.\d{3,}", shown)
        assert digits is not None
        assert str(value).startswith(digits[0])


def test_the_least_epsilons_of_the_page() -> None:
    """Those that `deltachain epsilon` knows exactly as functions of e, and shows rounded up."""
    shown = re.findall(r"exp.* and for no smaller one: ε = ([\d.]+), rounded up", PAGE.read_text("utf-8"))
    logs = [CONTEXT.ln(exp("1") + 2)]
    for scores in (EVEN, APART):
        one, other = (selected(vector, 2) for vector in scores)  # type: ignore[arg-type]
        logs.append(max(abs(CONTEXT.ln(p / q)) for p, q in zip(one, other, strict=True)))
    none, other = no_good(geometric)
    logs.append(CONTEXT.ln(none / other))
    for value, above in zip(logs, shown, strict=True):
        assert Decimal(above) - Decimal("1e-9") < value <= Decimal(above)
    # That of the k-anonymity server at δ = 1e-5 is in the text.
    assert "ε = 1.991658132" in PAGE.read_text("utf-8")
    assert k_anonymity(exp("1.991658132")) <= Decimal("1e-5") < k_anonymity(exp("1.991658131"))


def test_the_divergences_of_noisy_max() -> None:
    """Both mechanisms, the larger way: D_2, and the least ρ as the largest D_a/a, beside what is printed."""
    (section,) = (part for part in PAGE.read_text("utf-8").split("\n## ") if part.startswith("OpenDP, issue 2911"))
    shown = iter(re.findall(r"^(D_2|ρ of zCDP) .*\) +([\d.]+) +([\d.]+)", section, re.MULTILINE))
    orders = [1 + Decimal("1e-6"), *(1 + Decimal(step) / 50 for step in range(1, 500))]
    for replacement in (False, True):
        first, second = noisy_max(replacement)
        name, low, high = next(shown)
        assert name == "D_2"
        assert Decimal(low) <= renyi(first, second, Decimal(2)) <= Decimal(high)
        name, low, high = next(shown)
        assert name == "ρ of zCDP"
        found = max(renyi(first, second, order) / order for order in orders)
        assert found <= Decimal(high)
        assert Decimal(low) - found < Decimal("1e-4"), "the orders are close together"
        assert (renyi(first, second, Decimal(2)) <= 1) == replacement, "the claim ρ = 1/2, at order 2"
    assert next(shown, None) is None
    first, second = noisy_max(replacement=False)
    assert abs(renyi(first, second, Decimal(2)) - CONTEXT.ln(exp("4") / (2 * exp("2") - 1))) < Decimal("1e-24")


def test_bounds_of_truncated_noise() -> None:
    """What pull request 4333 says of both bounds, and that the one that was merged is exact."""
    merged = CONTEXT.ln(1 + 500 * (exp("1") - 1))
    assert round(truncated(Decimal(8)), 6) == Decimal("0.000288")
    assert round(merged, 4) == Decimal("6.7571")
    assert abs(truncated(merged) - Decimal("0.001")) < Decimal("1e-24")
    assert (
        1000 * dc.delta(f"{FOLDER / 'wfa_4333.py'}:as_merged", secrets=[{"count": 0}, {"count": 1}], epsilon=1).upper
        == 1
    )


def test_which_reach_of_the_noise_fits_the_note() -> None:
    """δ of the note's corollaries 3.1 and 4.4 is below 1e-5 if each noise reaches to 25, and not if both do."""
    for reach, fits in ((Decimal(25), True), (Decimal("12.5"), False)):
        each = (exp("0.75") - 1) / (2 * (CONTEXT.exp(reach * 3 / 4) - 1))
        assert (2 * 2 * each * (168 + 1) < Decimal("1e-5")) == fits


@pytest.mark.slow
def test_the_k_anonymity_server_in_other_histories() -> None:
    """What the page says of eight steps, and of windows as long as those of the server."""
    model, counts = f"{FOLDER / 'turtledove_k_anonymity.py'}:server", "first=50,second=50,after=45"
    secrets: list[dict[str, object]] = [{"join": 0}, {"join": 1}]
    eight = f"{model},w=8,late=4,{counts}"
    assert_private(eight, secrets=secrets, epsilon="2.1892", delta="1e-5")
    assert_violated(eight, secrets=secrets, epsilon="2.1891", delta="1e-5")
    assert k_anonymity(exp("2.1892"), 8, 4, (50, 50, 45)) <= Decimal("1e-5")
    full = dc.delta(f"{model},w=168,late=84,{counts}", secrets=secrets, epsilon=3)
    assert full.upper <= Fraction("0.0000034")
    assert Fraction(k_anonymity(exp("3"), 168, 84, (50, 50, 45))) <= full.upper


def test_the_table_of_the_page_says_what_its_commands_print() -> None:
    text = PAGE.read_text("utf-8")
    sections = {part.partition("\n")[0]: part for part in text.split("\n## ")[1:]}
    rows = re.findall(r"^\| \[[^]]+\]\(#([\w-]+)\) \| (.+) \|$", text, re.MULTILINE)
    assert len(rows) == len(sections) == 24
    for (anchor, cells), (title, section) in zip(rows, sections.items(), strict=True):
        assert re.sub(r"[^\w]+", "-", title.lower()).strip("-") == anchor
        commands = "".join(re.findall(r"```console\n(.*?)```", section, re.DOTALL))
        printed = {Fraction(number) for number in re.findall(r"(?<![\w.])\d+(?:\.\d+|/\d+)?(?![\w/])", commands)}
        printed |= {Fraction(str(round(float(number), 2))) for number in printed}  # ε = 8.80
        claim, verdicts = cells.replace("D_2", "D").split(" | ", 1)
        if "ρ" in claim:  # no option takes it: it is in the text
            assert claim.partition(",")[0] in section
            claim = ""
        for number in re.findall(r"\d+(?:\.\d+|/\d+)?", claim + verdicts):
            assert Fraction(number) in printed, (title, number)


def test_the_ratio_of_a_half_gives_the_same_verdicts() -> None:
    """NVFlare 343 with geometric noise of ratio 1/2: 1/6 at every ε, and e^ε = 2 where it is zeroed."""
    text = (FOLDER / "nvflare_343.py").read_text("utf-8")
    assert text.count("discrete_laplace(1)") == 2
    raw, zeroed = (
        dc.program("def " + part.replace("discrete_laplace(1)", 'geometric("1/2")')).chain(
            [{"weight": 2}, {"weight": 3}]
        )
        for part in text.split("@program\ndef ")[1:]
    )
    assert dc.delta(raw, exp_epsilon=10**6).upper == Fraction(1, 6)
    assert dc.epsilon(zeroed, delta=0).exp_epsilon_proved == 2
