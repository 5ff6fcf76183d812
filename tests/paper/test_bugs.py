"""The programs of examples/bugs: verdicts, and δ beside formulas that were worked out by hand, in decimals."""

from __future__ import annotations

import decimal
import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

import deltachain as dc
from deltachain.testing import assert_private, assert_violated
from tests.docs.pages import ROOT, blocks

FOLDER = ROOT / "examples" / "bugs"
PAGE = ROOT / "docs" / "bugs.md"
CONTEXT = decimal.getcontext()  # 28 digits


def exp(value: str) -> Decimal:
    return CONTEXT.exp(Decimal(value))


R = exp("-1")
"""The ratio of discrete Laplace noise of scale 1."""
ROOT_R = exp("-0.5")


def tail(ratio: Decimal, least: int) -> Decimal:
    """P(Z ≥ least), for least ≥ 1."""
    return ratio**least / (1 + ratio)


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
ZERO = Decimal(0)

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
]


@pytest.mark.parametrize("case", CASES, ids=[f"{case.program} {case.values[0]}" for case in CASES])
def test_verdict_and_value(case: Case) -> None:
    model = f"{FOLDER / case.program}"
    claim = assert_private if case.verdict == "private" else assert_violated
    claim(model, secrets=case.secrets, **case.at)
    if case.delta is None:
        return
    at = {name: value for name, value in case.at.items() if name != "delta"}
    found = dc.delta(model, secrets=case.secrets, **at)
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
    assert len(shown) == len(re.findall(r"^@program$", source, re.MULTILINE))
    for case in CASES:
        assert f"examples/bugs/{case.program}" in text


def test_what_the_page_and_the_readme_count() -> None:
    text = PAGE.read_text("utf-8")
    sections = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert len(sections) == 10
    assert sum("cleared" in section for section in sections) == 2
    readme = (ROOT / "README.md").read_text("utf-8")
    assert "[Bugs it finds](docs/bugs.md) has ten such cases from eight projects, two of which" in readme
    projects = {re.split(r",| cardinality|: ", section)[0] for section in sections}
    assert len(projects) == 8


def test_the_numbers_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert "released 1.34 % of the time" in readme
    assert round(100 * tail(R, 4), 2) == Decimal("1.34")
    assert "claims δ = 0.004926" in readme
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
        ("claims δ = 0.0049258 for", tail(R, 5)),
        ("= 0.01338980…;", tail(R, 4)),
        ("each, 1.2402… together", 2 * CONTEXT.ln((1 + exp("1")) / 2)),
    ):
        assert shown in text
        digits = re.search(r"[\d.]{4,}", shown)
        assert digits is not None
        assert str(value).startswith(digits[0])


def test_the_table_of_the_page_says_what_its_commands_print() -> None:
    text = PAGE.read_text("utf-8")
    sections = {part.partition("\n")[0]: part for part in text.split("\n## ")[1:]}
    rows = re.findall(r"^\| \[[^]]+\]\(#([\w-]+)\) \| (.+) \|$", text, re.MULTILINE)
    assert len(rows) == len(sections) == 10
    for (anchor, cells), (title, section) in zip(rows, sections.items(), strict=True):
        assert re.sub(r"[^\w]+", "-", title.lower()).strip("-") == anchor
        commands = "".join(re.findall(r"```console\n(.*?)```", section, re.DOTALL))
        printed = {Fraction(number) for number in re.findall(r"(?<![\w.])\d+(?:\.\d+|/\d+)?(?![\w/])", commands)}
        printed |= {Fraction(str(round(float(number), 2))) for number in printed}  # ε = 8.80
        for number in re.findall(r"\d+(?:\.\d+|/\d+)?", cells):
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
    assert dc.epsilon(zeroed, delta=0).proved == 2
