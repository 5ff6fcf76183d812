"""Code that is not what it seems when it is called again: refused, or proved as what it is."""

from __future__ import annotations

import _random
import importlib
import json
import os
import random
import secrets
import uuid
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from math import exp
from typing import Any

import pytest

import deltachain as dc
from deltachain import announce, discrete_gaussian, discrete_laplace, flip, uniform
from deltachain.cancel import Cancel
from deltachain.code import CodeRefused, from_code, replay
from deltachain.code.confirmation import Confirmed, Effort, first_rows, rows_of
from deltachain.code.runs import PrescribedDraw, RunClaim
from deltachain.code.server import can_fork
from deltachain.code.wire import law_text
from deltachain.draws.laws import TwoSidedNoise
from deltachain.numbers.real import exp as exactly_exp
from deltachain.programs.language.unbounded import Span
from tests.amounts import fewer_or_all
from tests.words import refuses, says

pytestmark = pytest.mark.skipif(not can_fork(), reason="no forks here")

PAIR = [{"c": 0}, {"c": 3}]


def delta_of(code: Callable[..., Any], secrets: Any = PAIR, **options: Any) -> dc.Chain | Fraction:
    """δ at ε = 0, a bound that is close from below."""
    return dc.delta(from_code(code, secrets, **options), epsilon=0).lower


def tail(scale: float, k: int) -> float:
    """P(Z ≥ k) of discrete Laplace noise, k > 0."""
    r = exp(-1 / scale)
    return r**k / (1 + r)


# State.

LEFT = 100


def serve(n: int) -> list[Any]:
    """Three answers, as long as the budget lasts."""
    global LEFT  # noqa: PLW0603 - that is what is tried
    answers: list[Any] = []
    for _ in range(3):
        if LEFT <= 0:
            answers.append("denied")
            continue
        LEFT -= 1
        answers.append(n + discrete_laplace(2))
    return answers


def test_a_budget_of_a_module_is_refused_by_its_name() -> None:
    with refuses(CodeRefused, "another value after"):
        from_code(serve, [{"n": 0}, {"n": 1000}])
    assert LEFT == 100  # it was spent elsewhere


def hidden_count(start: int = 0) -> int:
    """How often this was called, where nobody looks: an attribute that no name of the code leads to."""
    found: int = vars(os).get("counted by a test", start) + 1
    vars(os)["counted by a test"] = found
    return found


def test_what_the_first_call_alone_shows_is_refused_wherever_it_is_kept() -> None:
    shows = r"as the first call of a clean process, it shows 'returns #1 3', and showed 'returns #1 0'"
    with pytest.raises(CodeRefused, match=shows):
        from_code(lambda c: c if hidden_count() == 1 else 0, PAIR)


@pytest.mark.parametrize("budget", [1, 2, 5, 20, 60])
def test_a_budget_that_nobody_sees_is_refused_or_was_never_spent(budget: int) -> None:
    def code(n: int) -> Any:
        return n + discrete_laplace(2) if hidden_count() <= budget else "denied"

    # Budgets that recording does not use up are met by a batch, which makes more calls.
    with refuses(CodeRefused, "arguments and draws"):
        from_code(code, [{"n": 0}, {"n": 1000}])
    assert "counted by a test" not in vars(os)


# Noise that is not a number.


def in_the_middle(c: int) -> str:
    x = c + discrete_laplace(2)
    return "hit" if type(x) is int and 5 <= x < 9 else "no"


def rarely_in_the_middle(c: int) -> str:
    if uniform(0, 19) < 19:
        return "skipped"
    x = c + discrete_laplace(2)
    return "valid" if type(x) is int and 1 <= x <= 100 else "invalid"


def test_a_type_that_is_asked_for_between_two_numbers() -> None:
    hit = {c: tail(2, 5 - c) - tail(2, 9 - c) for c in (0, 3)}
    assert abs(float(delta_of(in_the_middle)) - (hit[3] - hit[0])) < 1e-9  # type: ignore[arg-type]


@pytest.mark.usefixtures("one_process")
def test_what_one_secret_reveals_counts_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "EFFORT", Effort(processes=10))
    chain = from_code(rarely_in_the_middle, PAIR)
    found = dc.delta(chain, epsilon=0)
    assert abs(float(found.upper) - 0.0241785) < 1e-7
    assert dc.check(chain, epsilon=0, delta="0.03").verdict == "private"
    assert dc.check(chain, epsilon=0, delta="0.024").verdict == "violated"


class Asks:
    """A class of somebody's own, which asks for the type of what it is compared with or added to."""

    def __eq__(self, other: object) -> bool:
        return type(other) is int and other == 3

    def __lt__(self, other: object) -> bool:
        return type(other) is int and other == 3

    def __radd__(self, other: object) -> str:
        return "three" if type(other) is int and other == 3 else "no"

    __hash__ = None  # type: ignore[assignment]


THREE = 3


def written(x: Any) -> str:
    try:
        return "hit" if json.dumps(x) == "3" else "no"
    except TypeError:
        return "never"


def as_decimal(x: Any) -> str:
    try:
        return "hit" if Decimal(x) == 3 else "no"
    except TypeError:
        return "never"


@pytest.mark.usefixtures("one_process")
@pytest.mark.parametrize(
    "look",
    [
        lambda x: x == 3 + 0j,
        lambda x: 3 + 0j == x,  # noqa: SIM300 - the order is the point
        lambda x: Asks() == x,
        lambda x: x == Asks(),
        lambda x: Asks() < x,
        lambda x: x + Asks(),
        lambda x: x is THREE,
        written,
        as_decimal,
    ],
)
def test_every_way_to_tell_noise_from_a_number_is_found(look: Callable[[Any], Any]) -> None:
    known = (tail(1, 1) - tail(1, 2)) - (tail(1, 3) - tail(1, 4))
    found = delta_of(lambda c: look(c + discrete_laplace(1)), [{"c": 0}, {"c": 2}])
    assert abs(float(found) - known) < 1e-9  # type: ignore[arg-type]


@pytest.mark.usefixtures("one_process")
def test_rigorous_noise_is_a_number_from_the_start() -> None:
    chain = from_code(lambda c: type(c + discrete_laplace("1/4")).__name__, PAIR, noise="integers")
    assert "returns 'int'" in chain.labels
    assert not any("integers" in sentence for sentence in chain.assumes)
    shown = from_code(lambda c: c + discrete_laplace("1/4"), [{"c": 0}, {"c": 1}], noise="integers", tail="1e-9")
    found = dc.delta(shown, epsilon=4)
    assert found.lower == 0
    assert 0 < found.upper < Fraction(1, 10**6)


# Randomness of the code's own.

OWN, OF_THE_SYSTEM = random.Random(5), random.SystemRandom()


def seeded_anew() -> _random.Random:
    generator = _random.Random(1)
    generator.seed()
    return generator


COINS: dict[str, Callable[[], bool]] = {
    "SystemRandom": lambda: OF_THE_SYSTEM.random() < 0.02,
    "a generator of the module": lambda: OWN.random() < 0.02,
    "a generator of the call": lambda: random.Random().random() < 0.02,
    "os.urandom": lambda: os.urandom(1)[0] < 5,
    "uuid4": lambda: uuid.uuid4().int % 50 == 0,
    "secrets": lambda: secrets.randbelow(50) == 0,
    "OpenSSL": lambda: importlib.import_module("ssl").RAND_bytes(1)[0] < 5,
    "OpenSSL in C": lambda: importlib.import_module("_ssl").RAND_bytes(1)[0] < 5,
    "a generator in C": lambda: _random.Random().random() < 0.02,
    "a generator in C that is seeded anew": lambda: seeded_anew().random() < 0.02,
    "getrandom": lambda: os.getrandom(1)[0] < 5,
    "/dev/urandom": lambda: open("/dev/urandom", "rb").read(1)[0] < 5,  # noqa: SIM115, PTH123
}


@fewer_or_all("tries", 1, 20)
@pytest.mark.parametrize("name", COINS)
def test_a_coin_of_the_code_is_refused_however_rarely_it_shows(name: str, tries: int) -> None:
    coin = COINS[name]
    for _ in range(tries):
        with pytest.raises(CodeRefused, match=r"takes random bytes of the system|is another value after the call"):
            from_code(lambda c: c if coin() else 0, PAIR)


# How much is confirmed, and what is said of it.


def test_what_is_confirmed_is_said_with_what_is_assumed() -> None:
    chain = from_code(lambda c: c + discrete_laplace(1), [{"c": 0}, {"c": 1}])
    assert chain.confirmation == "code: 2 of 2 runs confirmed"
    first, second = chain.assumes
    assert says(first, "each secret) did")
    assert says(first, "files, clock, environment")
    assert says(second, "arithmetic and comparison")
    assert says(second, "of the noise")
    (only,) = from_code(lambda c: flip("1/3") and c, PAIR).assumes
    assert says(only, "each secret) did")
    assert "integers" not in only


def test_a_small_budget_confirms_the_likeliest_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "EFFORT", Effort(processes=6))
    chain = from_code(lambda c: uniform(0, 9) if flip("1/10") else c, PAIR)
    assert chain.confirmation == "code: 6 of 22 runs confirmed"
    assert says(chain.assumes[0], "of each secret")
    assert says(chain.assumes[1], "were not confirmed")


@pytest.mark.parametrize("likely", ["9/10", "1/1000"])
def test_a_run_that_was_wrong_is_met_if_the_budget_reaches_it(likely: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def code(c: int) -> Any:
        return c if flip(likely) and hidden_count() == 1 else 0

    with pytest.raises(CodeRefused, match="not a function"):
        from_code(code, PAIR)
    monkeypatch.setattr(replay, "EFFORT", Effort(processes=2))
    if likely == "1/1000":
        assert says(from_code(code, PAIR).confirmation, "runs confirmed")
    else:
        with pytest.raises(CodeRefused, match="not a function"):
            from_code(code, PAIR)


def test_a_deadline_leaves_time_for_the_rest() -> None:
    cancel = Cancel(1_000)
    chain = from_code(lambda c: (c, [flip("1/2") for _ in range(4)]), PAIR, cancel=cancel)
    assert "runs confirmed" in chain.confirmation


# Which calls are made.


def claim_of(*spans: tuple[Span, ...], scale: int = 1) -> RunClaim:
    law = TwoSidedNoise("discrete_laplace", exactly_exp(Fraction(-1, scale)), Fraction(1, 10**30))  # type: ignore[arg-type]
    key = law_text(law)
    draws = tuple(PrescribedDraw(key, "f.py", 3, "noise", n, str(law)) for n in range(len(spans)))
    return RunClaim(draws, (), tuple((key, each) for each in spans), 1.0, ())


def test_all_of_the_range_of_one_noise_is_tried() -> None:
    rows, share = rows_of(claim_of((Span(None, None),)), 0)
    assert {row[0] for row in rows} == set(range(-21, 22))
    assert share == 1 - 1e-9
    rows, _ = rows_of(claim_of((Span(5, None),)), 0)
    assert {row[0] for row in rows} == set(range(5, 27))
    rows, _ = rows_of(claim_of((Span(None, -3, 2, 1), Span(4, 4))), 0)
    assert {row[0] for row in rows} == {*range(-23, -2, 2), 4}
    assert rows_of(claim_of((Span(7, 7),)), 0) == ([(7,)], 1.0)
    far, _ = rows_of(claim_of((Span(10**6, None),)), 0)
    assert min(far) == (10**6,)


def test_of_a_very_large_noise_the_part_that_is_tried_is_known() -> None:
    rows, share = rows_of(claim_of((Span(None, None),), scale=10**6), 0)
    assert len(rows) <= 100_001
    assert 0.04 < share < 0.05  # 1 − e^(−0.05)


def test_several_noises_are_tried_alone_and_together() -> None:
    rows, _ = rows_of(claim_of((Span(None, None),), (Span(3, None),)), 0)
    assert {(z, 3) for z in range(-21, 22)} <= set(rows)
    assert {(0, z) for z in range(3, 25)} <= set(rows)
    assert {(one, other) for one in range(-10, 11) for other in range(3, 20)} <= set(rows)
    few, _ = rows_of(claim_of((Span(None, None),), (Span(3, None),)), 0, affordable=10)
    assert len(few) < 200


@pytest.mark.usefixtures("one_process")
def test_two_noises_whose_types_are_asked_for_together() -> None:
    def code(c: int) -> bool:
        x, y = c + discrete_laplace(1), discrete_laplace(1)
        return type(x) is int and x == 3 and type(y) is int and y == 2

    hit = {c: (tail(1, 3 - c) - tail(1, 4 - c)) * (tail(1, 2) - tail(1, 3)) for c in (0, 2)}
    found = delta_of(code, [{"c": 0}, {"c": 2}], tail="1e-9")
    assert abs(float(found) - (hit[2] - hit[0])) < 1e-6  # type: ignore[arg-type]


def test_first_calls_are_made_far_out_and_where_the_code_has_compared() -> None:
    rows = {row[0] for row in first_rows(claim_of((Span(5, None), Span(None, -2))), 10, 0)}
    assert {5, 6, -2, -3, 1_000_003 + 5, -1_000_003 - 2} <= rows
    assert all(z >= 5 or z <= -2 for z in rows)


@pytest.mark.usefixtures("one_process")
def test_gaussian_noise_is_confirmed_too() -> None:
    chain = from_code(lambda c: c + discrete_gaussian(2) >= 1, PAIR)
    assert chain.confirmation == "code: 4 of 4 runs confirmed"
    assert Confirmed(3).confirmed == 0


@pytest.mark.usefixtures("one_process")
@pytest.mark.usefixtures("whole_budget")
def test_noise_with_irrational_parameters_crosses_the_pipe() -> None:
    def code(c: int) -> Any:
        announce(c + discrete_laplace(dc.log(3)))
        return flip(dc.exp("-1/2") / (1 + dc.sqrt(2))), discrete_gaussian(dc.sqrt(dc.log(2) + 1)) > c

    assert says(from_code(code, PAIR).confirmation, "runs confirmed")


# What is not confirmed.


def one_of_a_hundred(c: int) -> str:
    """Shows the secret on one run alone, where the noise is a number in the middle."""
    which, x = uniform(0, 99), c + discrete_laplace(20)
    return "in" if which == 57 and type(x) is int and 50 <= x < 100 else "out"


def coins_and_noise(c: int) -> Any:
    """Runs with noise that is announced, compared and looked at later, and some without."""
    if flip("1/3"):
        x = c + discrete_laplace(2)
        announce(x)
        if flip("1/4"):
            return "late" if x > 1 else "soon"
        return uniform(0, 3) if x < c else [x, flip("1/2")]
    return c % 2 if uniform(0, 7) == 3 else flip("1/5")


@pytest.fixture
def confirms(monkeypatch: pytest.MonkeyPatch, whole_budget: None) -> Callable[[int], None]:
    """Sets how many processes may confirm; what they do not is unknown."""
    return lambda processes: monkeypatch.setattr(replay, "EFFORT", Effort(processes=processes, seconds=60.0))


@pytest.fixture(scope="module")
def whole_of_coins_and_noise() -> dc.Bounds:
    """With all runs."""
    return dc.delta(from_code(coins_and_noise, PAIR), epsilon="1/2")


@pytest.mark.usefixtures("one_process")
@pytest.mark.parametrize("processes", [6, 11, *(pytest.param(more, marks=pytest.mark.slow) for more in (8, 16))])
def test_runs_that_are_not_confirmed_are_unknown(
    processes: int, whole_of_coins_and_noise: dc.Bounds, confirms: Callable[[int], None]
) -> None:
    whole = whole_of_coins_and_noise
    confirms(processes)
    chain = from_code(coins_and_noise, PAIR)
    assert "were not confirmed in time: what they do counts as unknown" in " ".join(chain.assumes)
    found = dc.delta(chain, epsilon="1/2")
    assert found.lower <= whole.lower <= whole.upper <= found.upper
    assert found.lower < found.upper
    assert dc.check(chain, epsilon="1/2", delta=whole.upper).verdict == "undecided"


@pytest.mark.usefixtures("one_process")
def test_no_verdict_rests_on_a_run_that_was_not_confirmed(confirms: Callable[[int], None]) -> None:
    confirms(40)
    chain = from_code(one_of_a_hundred, [{"c": 0}, {"c": 30}])
    assert dc.check(chain, epsilon=0, delta=0).verdict == "undecided"
    assert dc.delta(chain, epsilon=0).upper > Fraction(1, 2)  # of 200 runs 40 at most are known


@pytest.mark.usefixtures("one_process")
def test_code_of_which_no_run_is_confirmed_is_refused(confirms: Callable[[int], None]) -> None:
    confirms(1)
    with refuses(CodeRefused, "made again within"):
        from_code(one_of_a_hundred, [{"c": 0}, {"c": 30}])


def test_the_first_call_prints_once_however_often_code_is_recorded(
    confirms: Callable[[int], None], capfd: pytest.CaptureFixture[str]
) -> None:
    def prints(c: int) -> str:
        print("hello")
        return coins_and_noise(c)

    confirms(8)
    from_code(prints, PAIR)
    assert capfd.readouterr().out == "hello\n"
