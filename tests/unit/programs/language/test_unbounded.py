"""Real noise in programs: exact rows against rational stand-ins, unbounded noise against long sums, what is cut off."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from deltachain import delta, load, restrict, save
from deltachain.errors import InputError
from deltachain.model import BallRow, PointRow
from deltachain.numbers.ball import scaled_ends
from deltachain.numbers.precision import BALL_BITS
from deltachain.numbers.real import ends
from deltachain.programs import ProgramError, program
from deltachain.programs.language.numbers import Intervals
from deltachain.programs.run import states as states_module
from tests.amounts import part_of
from tests.reference.stand_ins import NARROW, check_stand_in, check_unbounded, irrational
from tests.unit.programs.language.test_lower_against_python import HELPERS, block
from tests.words import refuses

CASES = [
    """
def compared(x):
    announce(flip('1/3') == flip('1/2'))
""",
    """
def retry(x):
    while not flip('1/3'):
        if flip('1/4'):
            x = (x + 1) % 3
    announce(x)
""",
    """
def trapped(x):
    while x != 3:
        x = x if x == -1 else x + 1 if flip('2/3') else x - 1
    announce('out')
""",
    """
def counted(x):
    n = 0
    for _ in range(8):
        n = n + flip('1/4')
        if n % 2:
            announce(n)
    announce(n + x)
""",
    """
def clamped(x):
    announce(x + geometric('1/2', -3, 4))
    announce(geometric('1/2', -x, 2) > 0)
""",
    """
def unbounded(x):
    announce(x + geometric('1/2'))
    announce(abs(geometric('1/2')) >= x)
""",
    """
def remainder(x):
    announce((x + geometric('1/3')) % 7)
    announce(max(0, min(5, x - geometric('1/2'))))
""",
    """
def weighted(x):
    announce(choose((1, 2, 3), weights=('1/2', '1/3', '3/4')))
""",
    """
def perhaps(x):
    if flip('1/2'):
        while True:
            x = x ^ flip('1/3')
    announce('done')
""",
]


@pytest.mark.parametrize("text", CASES)
def test_rows_over_powers_of_e_are_those_of_a_rational_stand_in(text: str) -> None:
    chain = check_stand_in(text, [{"x": 0}, {"x": 1}])
    assert chain.kind == "exact"
    assert not chain.rational


@settings(max_examples=part_of(12), deadline=None)
@given(block(2), st.sampled_from([0, 1, True]))
def test_random_programs_over_powers_of_e(lines: list[str], x: object) -> None:
    body = "".join(f"    {line}\n" for line in ["a = b = 0", *lines])
    check_stand_in(f"{HELPERS}@program\ndef main(x):\n{body}", [{"x": x}])


@pytest.mark.slow
@settings(max_examples=part_of(300), deadline=None)
@given(block(2), st.sampled_from([0, 1, True]))
def test_many_random_programs_over_powers_of_e(lines: list[str], x: object) -> None:
    body = "".join(f"    {line}\n" for line in ["a = b = 0", *lines])
    check_stand_in(f"{HELPERS}@program\ndef main(x):\n{body}", [{"x": x}])


@pytest.mark.parametrize("text", CASES)
def test_enclosures_are_around_exact_rows(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    exact = program(irrational(text)).chain([{"x": 0}, {"x": 1}])
    monkeypatch.setattr(states_module, "numbers_for", lambda _: Intervals())
    enclosed = program(irrational(text)).chain([{"x": 0}, {"x": 1}])
    assert enclosed.labels == exact.labels
    for rows, others in zip(enclosed.given, exact.given, strict=True):
        for row, other in zip(rows, others, strict=True):
            for (j, low, high), (k, least, most) in zip(row.box, other.box, strict=True):
                assert j == k
                assert low <= most
                assert least <= high
                assert high - low <= NARROW


NOISY = [
    "announce({})",
    "announce(x + ({}))",
    "announce(({}) % 3)",
    "announce(max(-2, min(x + 2, {})))",
    "announce('up' if {} >= x else 'down')",
    "announce(-1 < ({}) <= 2)",
    "announce(abs({}) // 2 if x else 7)",
    "announce('odd' if ({}) % 2 else x)",
    "y = {}\n    if y > 2:\n        announce(y - x)\n    else:\n        announce('low')",
    "y = {}\n    announce(y > 0)\n    announce(y - x)",
    "announce(sum(1 for _ in range(3) if {} > x))",
    "n = 0\n    while {} > 0:\n        n = min(n + 1, 3)\n    announce(n)",
]


@pytest.mark.parametrize("line", NOISY)
def test_unbounded_noise_is_clamped_noise_far_out(line: str) -> None:
    text = f"def f(x):\n    {line.format('Z()')}\n"
    check_unbounded(text, [{"x": 0}, {"x": 2}], 2)


@settings(max_examples=part_of(10), deadline=None)
@given(st.lists(st.sampled_from(NOISY[:9]), min_size=2, max_size=2), st.sampled_from(["Z()", "x - Z()", "2 * Z() + 1"]))
def test_noise_drawn_twice(lines: list[str], drawn: str) -> None:
    body = "".join(f"    {line.format(drawn)}\n" for line in lines)
    check_unbounded(f"def f(x):\n{body}", [{"x": 0}, {"x": 1}], 3)


# Tails without loss.


def test_laplace_noise_that_is_announced_has_one_label_for_each_tail() -> None:
    text = "def f(count):\n    announce(count + discrete_laplace(10))\n"
    chain, notes = program(text).chain_with_notes([{"count": 0}, {"count": 3}])
    assert sorted(set(chain.labels)) == ["1", "2", "end", "start", "≤ 0", "≥ 3"]
    assert any("this is exact" in note for note in notes)
    row = chain.given[0][0]
    assert isinstance(row, PointRow)
    assert row.functions is not None
    by_label = {chain.labels[j]: top for j, top in row.functions.tops}
    # X = e^(1/10): P(Z ≤ 0) = X/(1 + X), P(Z = 1) = (X − 1)/(X(1 + X)), P(Z ≥ 3) = 1/X²(1 + X)
    assert row.functions.k == 10
    assert by_label == {"≤ 0": (0, 0, 0, 1), "1": (0, -1, 1), "2": (-1, 1), "≥ 3": (1,)}
    assert row.functions.bottom == (0, 0, 1, 1)


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        # A number that is announced otherwise stays apart.
        ("if flip('1/2'):\n        announce(9)\n    else:\n        announce(x + discrete_laplace(1))", {"≥ 10", "9"}),
        ("if flip('1/2'):\n        announce('≥ 1')\n    else:\n        announce(x + discrete_laplace(1))", {"≥ 2"}),
        ("z = discrete_laplace(1)\n    announce(x - z if z > 2 else 'none')", {"≤ -3", "none"}),
        ("announce(x + geometric('1/2'))", {"≤ 0", "≥ 1"}),
        ("announce(x + geometric(exp(-sqrt(2))))", {"≤ 0", "≥ 1"}),
        # Which noise comes next is known from how much was seen.
        ("announce(x + discrete_laplace(1))\n    announce(x + discrete_laplace(2))", {"≤ 0", "≥ 1"}),
        (
            "while True:\n        announce(x + discrete_laplace(1))\n        announce(3 * x - geometric('1/2'))",
            {"≤ 0", "1", "2", "≥ 3"},
        ),
    ],
)
def test_labels_of_tails(text: str, labels: set[str]) -> None:
    chain = program(f"def f(x):\n    {text}\n").chain([{"x": 0}, {"x": 1}])
    assert labels <= set(chain.labels)
    assert chain.whole


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "announce(x + discrete_laplace(1 + x))",
            "tails of different ratios (line 2); a smaller tail= leaves less out, ",
        ),
        (
            "if flip('1/2'):\n        announce(x + discrete_laplace(1))\n    announce(x + discrete_laplace(2))",
            "tails of different ratios (lines 3, 4); a smaller tail= leaves less out, one scale for all of it nothing",
        ),
        ("announce(x + discrete_gaussian(2))", "no geometric tails (line 2); a smaller tail= leaves less out, "),
        ("announce(100000 * x + discrete_laplace(1))", "shifted by more than 10000 (line 2); a smaller tail= leaves "),
    ],
)
def test_what_cannot_share_labels_is_cut_off(text: str, why: str) -> None:
    chain, notes = program(f"def f(x):\n    {text}\n").chain_with_notes([{"x": 0}, {"x": 1}])
    assert any(why in note for note in notes)
    rows = [row for rows in chain.given for row in rows if row.box.rest]
    assert rows
    assert all(row.box.rest <= Fraction(1, 10**30) for row in rows)
    assert not chain.whole


def test_a_value_that_is_read_again_is_cut_off() -> None:
    text = "def f(x):\n    z = x + discrete_laplace(1, tail='1e-9')\n    announce(z)\n    announce(z % 2)\n"
    chain, notes = program(text).chain_with_notes([{"x": 0}, {"x": 1}])
    said = (
        "noise is cut off, at most 4.1e-10 of a row: `%` is applied to noise that was announced (line 4); a smaller "
        "tail= leaves less out, noise that is only compared, or announced as x + noise, 2 * (x + noise) or "
        "(x + noise) // 8 and read again in sums alone, nothing"
    )
    assert said in notes
    assert "20" in chain.labels
    assert not any(label.startswith("≥") for label in chain.labels)


# Messages.


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("announce(flip(exp(1)))", "exp(1) is not between 0 and 1"),
        ("announce(exp(1))", "exp(1) would be shown"),
        ("announce(uniform(0, 3) > exp(1))", "have no order"),
        ("announce(exp(1) == 2)", "is compared with"),
        ("announce((exp(1), 0) == (1, 0))", "is compared with"),
        ("announce(exp(1) in (1, 2))", "is looked for in"),
        ("announce({exp(1): 2}[0])", "is a key of a dict"),
        ("announce(1 if sqrt(2) else 0)", "is used as a condition"),
        ("announce(log(0))", "only positive numbers have a logarithm"),
        ("announce(sqrt(-1))", "a negative number has no real root"),
        ("announce(exp('a'))", "Fraction('a')"),
        ("announce(exp((1, 2)))", "exp() needs numbers"),
        ("announce(exp(1) // 2)", "takes no irrational numbers"),
        ("announce(flip(1 / (exp(1) - exp(1))))", "division by zero"),
        ("announce(discrete_laplace(0))", "0 is not above 0"),
        ("announce(discrete_laplace(-sqrt(2)))", "is not above 0"),
        ("announce(discrete_laplace(1, tail=0))", "is not a fraction between 0 and 1"),
        ("announce(discrete_laplace(1, tail='1e-3x'))", "is not a number"),
        ("announce(discrete_gaussian('-1'))", "is not above 0"),
        ("announce(discrete_gaussian(10**6))", "terms"),
        ("announce(geometric(1))", "ratio 1 has no distribution"),
        ("announce(geometric('1/2', 3))", "one end is missing"),
        ("z = discrete_laplace(2000)\n    announce(z)\n    announce(z % 2)", "outcomes that are told apart"),
        ("announce(choose({1: exp(-1), 2: exp(-2)}))", "the probabilities sum to"),
        ("announce(choose({1: sqrt('1/2'), 2: 1 - sqrt('1/2')}))", "cannot be seen to sum to 1"),
        ("announce(choose((1, 2), weights=(1,)))", "are not weights of"),
        ("announce(choose((1, 2), weights={1: 1}))", "2 has no weight"),
        ("announce(choose(weights={1: -exp(1)}))", "is negative"),
        ("announce(choose(weights={1: 0}))", "all weights are 0"),
        ("announce(randomised_response(3, (1, 2), epsilon=1))", "is not one of the options"),
        ("announce(randomised_response(1, (1, 1), epsilon=1))", "listed twice"),
        ("announce(randomised_response(1, (1, 2), epsilon=-1))", "is negative"),
        ("announce(randomised_response(1, 2, epsilon=1))", "give a tuple or range"),
    ],
)
def test_messages(line: str, says: str) -> None:
    with pytest.raises(ProgramError) as caught:
        program(f"def f(x):\n    {line}\n").chain([{"x": 0}])
    (defect,) = caught.value.defects
    assert says in f"{defect.what} {defect.fix}"
    assert defect.where.startswith("<text>:2")


def test_numbers_that_are_too_long_for_polynomials_are_enclosed() -> None:
    text = "def f(x):\n    announce(randomised_response(x, (0, 1), epsilon='1.0986122886681098'))\n"
    chain, notes = program(text).chain_with_notes([{"x": 0}, {"x": 1}])
    row = chain.given[0][0]
    assert isinstance(row, BallRow)
    assert row.cut_off == 0
    assert any("enclosed" in note for note in notes)
    assert abs(row.entries[0][1] - Fraction(3, 4)) < Fraction(1, 10**15)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("announce(flip(sqrt('1/2')) == x)", "sqrt(1/2) has no exact form"),
        ("announce(flip(1 / (1 + exp(sqrt(2)))) == x)", "exp(sqrt(2))"),
        ("announce(x + geometric(log(2), -2, 2))", "log(2) has no exact form"),
        ("announce(x + discrete_gaussian(1) > 0)", "normalises a Gaussian"),
        ("announce(x + geometric(exp(-1), -6000, 3000) > 0)", "powers of e are too long"),
        ("announce(x + discrete_laplace(Fraction(1, 10000)) > 2)", "powers of e are too long"),
    ],
)
def test_why_probabilities_are_enclosed(line: str, why: str) -> None:
    chain, notes = program(f"def f(x):\n    {line}\n").chain_with_notes([{"x": 0}, {"x": 1}])
    assert any("probabilities are enclosed" in note and why in note for note in notes), notes
    rows = [row for rows in chain.given for row in rows if isinstance(row, BallRow)]
    assert rows
    for row in rows:
        assert row.cut_off == 0
        assert all(high - low <= NARROW for _, low, high in row)


def test_a_logarithm_as_epsilon_is_rational() -> None:
    text = "def f(x):\n    announce(randomised_response(x, (0, 1, 2), epsilon=log(4)))\n"
    chain = program(text).chain([{"x": 0}, {"x": 1}])
    assert chain.rational
    assert sorted(p for _, p in chain.rows[0]) == [Fraction(1, 6), Fraction(1, 6), Fraction(2, 3)]


def test_numbers_in_secrets_and_constants() -> None:
    from deltachain.programs import parse_assignments

    given = parse_assignments("p=exp(-1)")
    chain = program("def f(x, p):\n    announce(flip(p) == x)\n").chain([{"x": True}, {"x": False}], constants=given)
    assert chain.kind == "exact"
    assert not chain.rational


def test_letters_that_tell_the_ratio_of_a_tail_are_not_hidden(tmp_path: Path) -> None:
    """Without "x", noise of both ratios comes first: its labels for tails would say less than the values."""
    text = """
def f(s):
    if s:
        announce("x")
        announce(geometric("1/3"))
    else:
        announce(geometric("1/2"))
"""
    chain = program(text).chain([{"s": 0}, {"s": 1}])
    with refuses(InputError, "of several ratios"):
        chain.without_silent(["x"])
    with refuses(InputError, "of several ratios"):
        restrict(chain, ["s=1"]).without_silent(["x"])
    save(chain, tmp_path / "noise.json")
    with refuses(InputError, "of several ratios"):
        load(tmp_path / "noise.json").without_silent(["x"])
    alike = program(text.replace("1/3", "1/2")).chain([{"s": 0}, {"s": 1}]).without_silent(["x"])
    assert delta(alike, "s=0", "s=1", epsilon=0).upper == 0


def test_a_long_number_beside_noise_is_in_its_tail() -> None:
    """Noise may be 10^1200, too: with a label for its tail, δ was 1 "exactly"."""
    chain = program("def f(x): announce(10**1200 if x else discrete_laplace(1))").chain([{"x": 0}, {"x": 1}])
    found = delta(chain, "x=0", "x=1", epsilon=0)
    assert 1 - Fraction(1, 10**30) <= found.lower < 1


@pytest.mark.parametrize(
    "noise",
    [
        "discrete_laplace('1e-30')",
        "discrete_gaussian('1e-9')",
        "geometric(exp(-10**20))",
        "discrete_gaussian(exp(-99))",
    ],
)
def test_probabilities_far_below_all_digits_are_enclosed(noise: str) -> None:
    """Flint ended the process: such a number has no fraction that could be written out."""
    chain = program(f"def f(x): announce(x + {noise} > 0)").chain([{"x": 0}, {"x": 1}])
    found = delta(chain, "x=0", "x=1", epsilon=0)
    assert 1 - Fraction(1, 10**70) < found.lower < 1 == found.upper


@pytest.mark.parametrize("noise", ["discrete_gaussian(exp(10**20))", "discrete_laplace(exp(10**20))"])
def test_noise_that_reaches_too_far_is_refused(noise: str) -> None:
    with pytest.raises(ProgramError, match=r"too many terms|too far|cannot be told from 0"):
        program(f"def f(x): announce((x + {noise}, 1))").chain([{"x": 0}, {"x": 1}])


def test_balls_are_written_out_around_themselves() -> None:
    with ctx.workprec(BALL_BITS):
        tiny = (-(arb(10) ** 30)).exp()
        assert scaled_ends(tiny, 64) == (0, 1)
        assert scaled_ends(arb(tiny.mid(), arb(1) / 2), 4) == (0, 9)
        assert scaled_ends(arb(1) / 2, 4) == (8, 8)
        assert scaled_ends(1 - tiny, 64)[0] < 1 << 64 <= scaled_ends(1 - tiny, 64)[1]
        low, high = ends(arb(1) / 2 + arb(0, arb(1) / 4))
        assert low <= Fraction(1, 4) < Fraction(3, 4) <= high
        assert ends(tiny)[0] <= 0 < ends(tiny)[1] < Fraction(1, 2**500)


def test_states_behind_different_numbers_of_letters_are_not_compared() -> None:
    text = """
def f(s):
    if s:
        announce("x")
    announce("go")
    announce(geometric("1/3" if s else "1/2"))
"""
    chain = program(text).chain([{"s": 0}, {"s": 1}])
    one, other = (name for name in chain.states if name.startswith("go"))
    with pytest.raises(InputError, match="compare start states"):
        delta(chain, one, other, exp_epsilon="3/2")
    assert delta(chain, "s=0", "s=1", exp_epsilon="3/2").lower == 1
