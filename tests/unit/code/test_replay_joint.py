"""Programs as plain Python: the chain of the code and the compiled one have the same words with the same probabilities.

Both chains are put into one. If δ between the starts of a secret is 0 at ε = 0, no event tells them apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import deltachain as dc
from deltachain.code import CodeRefused, from_code
from deltachain.errors import InputError
from deltachain.programs import program_names
from tests.amounts import fewer_or_all
from tests.unit.code.plain import plain_functions, without_result

pytestmark = pytest.mark.usefixtures("one_process")

ROOT = Path(__file__).parents[3]
ZOO = "tests/unit/programs/test_programs_zoo.py"
MECHANISMS, BUGS = "examples/mechanisms", "examples/bugs"


def of(name: str, *values: object) -> list[dict[str, object]]:
    return [{name: value} for value in values]


Case = tuple[str, str, Sequence[Mapping[str, object]], Mapping[str, Any]]

BITS, ANSWERS = of("bits", (0, 1), (1, 0)), of("answers", (0, 1), (1, 0))

CASES: list[Case] = [
    ("examples/dining.py", "dining", of("paying", 0, 1), {}),
    ("examples/onion.py", "onion", of("visitor", 0, 1), {"rounds": 1}),
    ("examples/voting.py", "vote", of("mine", 0, 1), {}),
    (f"{MECHANISMS}/counting_stream.py", "stream", of("events", (0, 0), (1, 0)), {}),
    (f"{MECHANISMS}/geometric_mechanism.py", "truncated", of("count", 0, 1), {}),
    (f"{MECHANISMS}/geometric_mechanism.py", "clamped", of("count", 0, 1), {}),
    (f"{MECHANISMS}/histogram.py", "histogram", of("counts", (1, 0), (0, 1)), {}),
    *((f"{MECHANISMS}/noisy_max.py", name, ANSWERS, {}) for name in ("index", "value", "half_noise")),
    (f"{MECHANISMS}/randomised_response.py", "respond", of("truth", False, True), {"rounds": 2}),
    *((f"{MECHANISMS}/rappor.py", name, BITS, {}) for name in ("one_time", "rappor", "longitudinal")),
    *((f"{MECHANISMS}/sparse_vector.py", f"svt{n}", ANSWERS, {"clamp": 3}) for n in range(1, 7)),
    (f"{MECHANISMS}/sums.py", "partial_sum", of("bits", (0, 0, 0), (1, 0, 0)), {}),
    (f"{MECHANISMS}/sums.py", "smart_sum", of("bits", (0, 0, 0), (1, 0, 0)), {"clamp": 2}),
    (f"{BUGS}/google_dp_101.py", "thresholded", of("count", 1, 2), {}),
    *((f"{BUGS}/libprio_1072.py", name, of("total", 3, 4), {}) for name in ("wrapped", "bounded")),
    *((f"{BUGS}/nvflare_343.py", name, of("weight", 2, 3), {}) for name in ("svt_privacy", "zeroed")),
    *((f"{BUGS}/opendp_2922.py", name, of("count", 0, 1), {}) for name in ("laplace_threshold", "as_accounted")),
    *((f"{BUGS}/opendp_2933.py", name, of("secret", False, True), {}) for name in ("one_sample", "fresh_samples")),
    *((f"{BUGS}/opendp_480.py", name, of("truth", False, True), {}) for name in ("randomized_response", "fixed")),
    *(
        (f"{BUGS}/smartnoise_core_319.py", name, of("count", low, low + 1), {})
        for name, low in (("result_not_clamped", 3), ("count_not_clamped", 6), ("fixed", 3))
    ),
    *((f"{BUGS}/topics_75.py", name, of("topic", 0, 1), {"topics": 20}) for name in ("not_filtered", "filtered")),
    *(
        (f"{BUGS}/w3c_attribution_75.py", name, of("newer", False, True), {})
        for name in ("attributed_epoch_pays", "every_matching_epoch_pays")
    ),
    *((f"{BUGS}/wfa_97.py", name, of("count", 1, 2), {}) for name in ("rounded_laplace", "geometric_noise")),
    *((f"{BUGS}/wfa_4333.py", name, of("count", 0, 1), {}) for name in ("bound_8", "as_merged")),
    (f"{BUGS}/ipa_972.py", "sharded", of("order", (1, 2, 3), (3, 2, 1)), {}),
    (f"{BUGS}/ipa_972.py", "one_row_not_shuffled", of("row", 0, 2), {}),
    (f"{BUGS}/mbi_65.py", "select", of("scores", (1, 0), (0, 1)), {}),
    *(
        (f"{BUGS}/opendp_2911.py", name, of("scores", (0, 0), (1, -1)), {})
        for name in ("permute_and_flip", "exponential_mechanism")
    ),
    (f"{BUGS}/opendp_2930.py", "any_length", of("bits", (1,), (1, 0)), {}),
    (f"{BUGS}/opendp_2930.py", "fixed_length", of("bits", (1, 0), (0, 1)), {}),
    *((f"{BUGS}/pure_ldp_11.py", name, of("item", 0, 1), {}) for name in ("optimised_unary", "cleared_first")),
    (f"{BUGS}/turtledove_k_anonymity.py", "server", of("join", 0, 1), {"w": 2, "late": 1, "reach": 1}),
    *(
        (f"{BUGS}/w3c_attribution_398.py", name, of("newer", False, True), {})
        for name in ("impressions_decide", "window_decides")
    ),
    *((f"{BUGS}/opendp_2945.py", name, of("total", 30, -30), {}) for name in ("grouped_sum", "both_ways")),
    (f"{BUGS}/leakpro_438.py", "best_of_forty", of("secret", False, True), {"tries": 3}),
    (f"{BUGS}/libprio_1341.py", "noisy_sum", of("measurement", (1, 0), (0, 3)), {}),
    (f"{BUGS}/jax_privacy_121.py", "batch", of("binomial", False, True), {"n": 3}),
    (f"{BUGS}/tor_23414.py", "bin_first", of("services", 8, 9), {}),
    (ZOO, "dining", of("payer", 0, 1), {}),
    (ZOO, "survey", of("truth", False, True), {"rounds": 2}),
    (ZOO, "geometric_counter", of("count", 0, 1), {}),
    (ZOO, "pin_checker", of("pin", 0, 1), {}),
]

ENDLESS: list[Case] = [
    ("examples/crowds.py", "crowds", of("sender", 0, 1), {}),
    (ZOO, "crowds", of("sender", 0, 1), {}),
    (f"{MECHANISMS}/rappor.py", "for_ever", of("bit", 0, 1), {}),
    (ZOO, "memoised_survey", of("truth", False, True), {}),
    (ZOO, "published", of("count", 0, 1), {}),
    (ZOO, "sticky_sensor", of("mode", False, True), {}),
    (ZOO, "waiting_room", of("favoured", False, True), {}),
    (f"{BUGS}/turtledove_k_anonymity.py", "server", of("join", 0, 1), {}),
    (f"{BUGS}/leakpro_438.py", "stopped_at_random", of("secret", False, True), {}),
]
"""Programs whose runs or hidden loops have no bound, or of too many runs: compiled they are solved."""

HELPERS = {
    (f"{MECHANISMS}/noisy_max.py", "noisy"),
    (f"{MECHANISMS}/rappor.py", "permanent"),
    (f"{MECHANISMS}/sparse_vector.py", "noise"),
    (f"{MECHANISMS}/sparse_vector.py", "shown"),
    (ZOO, "first_seen"),
}
"""Programs that others call, and that announce nothing."""


APART = {(f"{BUGS}/tor_23414.py", "noise_first")}
"""Its code and its program name the tails of rounded noise alike, each for itself: two such chains are not joined."""


def chains(case: Case, **options: Any) -> tuple[dc.Chain, dc.Chain]:
    file, name, secrets, constants = case
    compiled = dc.load_program(ROOT / file, name).chain(secrets, constants=constants)
    function = without_result(plain_functions(ROOT / file)[name])
    return compiled, from_code(function, secrets, constants=constants, **options)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{Path(case[0]).stem}:{case[1]}")
def test_code_that_runs_and_its_compiled_program_cannot_be_told_apart(case: Case) -> None:
    compiled, code = chains(case)
    both = dc.disjoint_union(compiled, code)
    for number in range(len(case[2])):
        found = dc.delta(both, f"left.{compiled.states[number]}", f"right.{code.states[number]}", epsilon=0)
        # What the code tells apart is cut off at 1e-30; what is cut off is all that is not known.
        assert found.lower == 0
        assert found.upper == 0 or (found.upper < Fraction(1, 10**25) and not code.whole)


def test_code_that_does_something_else_is_told_apart() -> None:
    compiled, _ = chains((ZOO, "survey", of("truth", False, True), {}))
    _, other = chains((ZOO, "survey", of("truth", False, True), {"p": "2/3"}))
    both = dc.disjoint_union(compiled, other)
    assert dc.delta(both, "left.truth=True", "right.truth=True", epsilon=0).lower == Fraction(1, 12)


@pytest.mark.slow
def test_a_program_of_many_runs() -> None:
    compiled, code = chains(("examples/onion.py", "onion", of("visitor", 0, 1), {}))
    both = dc.disjoint_union(compiled, code)
    found = dc.delta(both, f"left.{compiled.states[0]}", f"right.{code.states[0]}", epsilon=0)
    assert (found.lower, found.upper) == (0, 0)


@pytest.mark.sample(3)
@fewer_or_all("most", 100, 300)
@pytest.mark.parametrize("case", ENDLESS, ids=lambda case: f"{Path(case[0]).stem}:{case[1]}")
def test_programs_without_end_need_too_many_runs_and_say_so(case: Case, most: int) -> None:
    with pytest.raises(
        CodeRefused, match=rf"more than {most} runs|draws more than|announces more than|no run was followed"
    ):
        chains(case, max_runs=most)


@pytest.mark.slow
def test_a_hidden_loop_is_close_to_its_solution() -> None:
    """The hops of a crowd, cut off where paths are unlikely: what is unknown is small."""
    compiled, code = chains(("examples/crowds.py", "crowds", of("sender", 0, 1), {"honest": 1}), tail="1e-6")
    both = dc.disjoint_union(compiled, code)
    found = dc.delta(both, f"left.{compiled.states[0]}", f"right.{code.states[0]}", epsilon=0)
    assert found.lower == 0
    assert found.upper < Fraction(1, 100)


def test_programs_whose_letters_mean_something_else_are_not_joined() -> None:
    compiled, code = chains((f"{BUGS}/tor_23414.py", "noise_first", of("services", 8, 9), {}))
    with pytest.raises(InputError, match="stands for numbers"):
        dc.disjoint_union(compiled, code)


@pytest.mark.slow
def test_programs_that_are_not_joined_have_the_delta_of_their_code() -> None:
    compiled, code = chains((f"{BUGS}/tor_23414.py", "noise_first", of("services", 8, 9), {}))
    for epsilon in ("0", "0.03"):
        exact, found = (dc.delta(chain, epsilon=epsilon) for chain in (compiled, code))
        assert found.lower <= exact.upper
        assert exact.lower <= found.upper < exact.upper + Fraction(1, 10**12)


def test_every_program_is_tried() -> None:
    files = [*sorted((ROOT / "examples").rglob("*.py")), ROOT / ZOO]
    files = [path for path in files if path.parent.name != "suites"]  # compared with what others say of them
    there = {(str(path.relative_to(ROOT)), name) for path in files for name in program_names(path)}
    assert there - {(case[0], case[1]) for case in (*CASES, *ENDLESS)} == HELPERS | APART
