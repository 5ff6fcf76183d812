"""Kept noise in closed form: the exact values of sparse vector, noisy max and others, at X = 1/2 and at e^(−1/8).

Each value was found by a second way, too: brute force over all values of the noise up to 10^-38.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import NamedTuple

import pytest

import deltachain as dc
from deltachain.programs import Program
from tests.reference import kept_programs as mechanisms


class Row(NamedTuple):
    name: str
    program: Program
    parameters: dict[str, object]
    pair: tuple[tuple[int, ...], tuple[int, ...]]
    powers: tuple[int, ...]
    """e, for α = X^−e."""
    at_half: str
    at_real: str


def bits(text: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """``001`` → (0, 0, 1) and (1, 1, 0)."""
    return tuple(map(int, text)), tuple(1 - int(bit) for bit in text)


SVT, MAX = mechanisms.svt, mechanisms.noisy_max
TABLE = (
    Row("SVT1 c=1", SVT, {}, bits("001"), (0, 2, 4), "6/35, 164/5425, 0",
        "0.0412359502215850625, 0.00508342446315042284, 0"),
    Row("SVT2 c=2", SVT, {"c": 2, "anew": True}, bits("001"), (0, 4, 8), "5044/18375, 0, 0",
        "0.0623481060527911035, 0, 0"),
    Row("SVT1 c=2", SVT, {"c": 2, "bar_power": 4}, bits("001"), (0, 4, 8), "1150640/4216527, 0, 0",
        "0.0747177895285387710, 0, 0"),
    Row("SVT4 c=1", SVT, {"bar_power": 1, "answer_power": 3}, bits("001"), (0, 2, 4),
        "14/81, 178525064/1420686135, 156772832/1420686135",
        "0.0461527808095181238, 0.0226223488877991956, 0.0123893326110420419"),
    Row("SVT5 c=1", mechanisms.without_answer_noise, {}, bits("001"), (0, 2, 4), "3/20, 3/20, 3/20",
        "0.0968462151569989237, 0.0968462151569989237, 0.0968462151569989237"),
    Row("SVT6 c=1", SVT, {"answer_power": 2, "stops": False}, bits("001"), (0, 2, 4),
        "6572/21875, 7824/74375, 17648/371875",
        "0.0968964146543920965, 0.0263217297747939757, 0.00452448081725895233"),
    Row("SVT6 n=2", SVT, {"answer_power": 2, "stops": False}, bits("01"), (0, 2, 4), "24/125, 16/175, 0",
        "0.0612150240534375499, 0.0228247803992596251, 0"),
    Row("SVT1 n=5", SVT, {}, bits("00001"), (0, 2, 4), "6/35, 1275676/55806975, 0",
        "0.0412359502215850625, 0.00570172741516748193, 0"),
    Row("no threshold noise", mechanisms.without_threshold_noise, {}, bits("00001"), (0, 2, 4), "1/6, 1/54, 1/486",
        "0.0550843506678920826, 0.0121055931338370407, 0.00266038145762189789"),
    Row("noisy max n=2", MAX, {}, bits("01"), (0, 1, 2), "1/3, 2/27, 0",
        "0.0624187467475125145, 0.00206964481066657249, 0"),
    Row("noisy max n=3", MAX, {}, bits("011"), (0, 1, 2), "23/63, 22/189, 0",
        "0.0637107089930824986, 0.0213846072573904133, 0"),
    Row("noisy max n=4", MAX, {}, bits("0111"), (0, 1, 2), "109/315, 1402/8505, 0",
        "0.0566047496617034612, 0.0250987266943420831, 0"),
    Row("noisy max, half the noise", MAX, {"power": 2}, bits("011"), (0, 2, 4), "117/175, 172/875, 0",
        "0.129401825322479584, 0.0434390672050613008, 0"),
    Row("threshold anew", mechanisms.windows, {"w": 2}, bits("0101"), (0, 2, 4), "5048/18375, 3968/118125, 0",
        "0.0636506803791273440, 0.00718791221181654329, 0"),
    Row("post", mechanisms.post, {}, bits("01"), (0, 2, 4), "37/210, 411/21700, 0",
        "0.0537273226354292406, 0.00777327873944316378, 0"),
)  # fmt: skip


def compiled(row: Row, *, real: bool) -> dc.Chain:
    """The chain of the row's pair; nothing may be cut off."""
    given = {**row.parameters, "real": real}
    chain, notes = row.program.chain_with_notes([{"answers": answers} for answers in row.pair], constants=given)
    assert not any("cut off" in note for note in notes), notes
    return chain


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_at_one_half_every_value_is_a_fraction(row: Row) -> None:
    chain = compiled(row, real=False)
    found = [dc.delta(chain, exp_epsilon=Fraction(2) ** power) for power in row.powers]
    assert all(each.exact for each in found)
    assert [each.upper for each in found] == [Fraction(value) for value in row.at_half.split(", ")]


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_at_a_power_of_e_every_digit_agrees(row: Row) -> None:
    chain = compiled(row, real=True)
    for power, digits in zip(row.powers, row.at_real.split(", "), strict=True):
        found = dc.delta(chain, epsilon=Fraction(power, 8))
        if digits == "0":
            assert found.upper == 0, power
            continue
        last = Fraction(1, 10 ** len(digits.partition(".")[2]))
        assert found.upper - found.lower < Fraction(1, 2**150)
        assert Fraction(digits) - last < found.lower <= found.upper < Fraction(digits) + last, power


def test_the_table_is_whole() -> None:
    assert len(TABLE) == 15


def test_ratios_that_are_no_powers_of_one_number() -> None:
    chain = mechanisms.of_ratios.chain([{"answers": answers} for answers in bits("001")])
    found = [dc.delta(chain, exp_epsilon=alpha).upper for alpha in (1, 2, Fraction(9, 2))]
    assert found == [Fraction(7, 60), Fraction(299, 10500), 0]


@pytest.mark.parametrize(
    ("w", "text", "digits"),
    [
        (3, "001", ("0.0623481060528", "0.00508342446315", "0")),
        (5, "00001", ("0.0743041552324", "0.00919257535638", "0")),
    ],
)
def test_a_threshold_that_is_drawn_anew_for_ever(w: int, text: str, digits: tuple[str, ...]) -> None:
    scales = {"w": w, "bar_scale": "4", "answer_scale": "8"}
    chain = mechanisms.restarted.chain([{"answers": answers} for answers in bits(text)], constants=scales)
    for epsilon, value in zip(("0", "1/4", "1/2"), digits, strict=True):
        found = dc.delta(chain, epsilon=epsilon)
        last = Fraction(1, 10 ** len(value.partition(".")[2])) if value != "0" else Fraction(0)
        assert Fraction(value) - last <= found.lower
        assert found.upper <= Fraction(value) + last


@pytest.mark.parametrize(
    ("program", "constants", "text", "least"),
    [
        (mechanisms.first_above, {}, "001", "0.296713664"),
        (mechanisms.first_above, {}, "00001", "0.419817075"),
        (MAX, {"power": 2, "real": True}, "01", "0.266489265"),
        (MAX, {"power": 2, "real": True}, "011", "0.355959934"),
    ],
)
def test_the_least_pure_epsilon(program: Program, constants: dict[str, object], text: str, least: str) -> None:
    chain = program.chain([{"answers": answers} for answers in bits(text)], constants=constants)
    assert dc.check(chain, epsilon=least, delta=0).verdict == "private"
    assert dc.check(chain, epsilon=Fraction(least) - Fraction(1, 10**9), delta=0).verdict == "violated"


ALL_PAIRS = (
    ("SVT1 c=1", SVT, {}, 1, (0, 0)),
    ("SVT1 c=2", SVT, {"c": 2, "bar_power": 4}, 2, (0, 0)),
    ("SVT2 c=2", SVT, {"c": 2, "anew": True}, 2, (0, 0)),
    ("SVT4", SVT, {"bar_power": 1, "answer_power": 3}, 1, (1, 9)),
    ("SVT5", mechanisms.without_answer_noise, {}, 1, (5, 27)),
    ("SVT6", SVT, {"answer_power": 2, "stops": False}, 1, (0, 3)),
)
"""Name, program, parameters, c, and how many pairs are violated at n = 2 and at n = 3."""


@pytest.mark.parametrize("n", [2, 3])
@pytest.mark.parametrize(
    ("name", "program", "parameters", "c", "violated"), ALL_PAIRS, ids=[row[0] for row in ALL_PAIRS]
)
def test_all_pairs_at_the_variants_own_epsilon(
    name: str, program: Program, parameters: dict[str, object], c: int, violated: tuple[int, int], n: int
) -> None:
    secrets = [{"answers": answers} for answers in product((0, 1), repeat=n)]
    chain = program.chain(secrets, constants={**parameters, "real": True})
    found = dc.check(chain, epsilon=Fraction(4 * c, 8), delta=0)
    verdicts = [found.verdict_of(pair) for pair in found.results]
    assert len(verdicts) == len(secrets) * (len(secrets) - 1) // 2, name
    assert verdicts.count("violated") == violated[n - 2]
    assert verdicts.count("private") == len(verdicts) - violated[n - 2]
    assert found.checked


def test_without_noise_on_the_threshold_enough_answers_are_too_many() -> None:
    for n, verdict in ((3, "private"), (5, "violated"), (8, "violated")):
        secrets = [{"answers": answers} for answers in bits("0" * (n - 1) + "1")]
        chain = mechanisms.without_threshold_noise.chain(secrets, constants={"real": True})
        assert dc.check(chain, epsilon="1/2", delta=0).verdict == verdict, n


@pytest.mark.slow
def test_a_k_anonymity_server() -> None:
    chain = mechanisms.server.chain([{"join": 0}, {"join": 1}], constants={"w": 8})
    assert len(chain.states) == 149
    assert dc.check(chain, epsilon="1.902415131", delta=0).verdict == "private"
    assert dc.check(chain, epsilon="1.902415130", delta=0).verdict == "violated"
