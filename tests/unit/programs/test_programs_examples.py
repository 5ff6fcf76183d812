"""The programs in examples/: each says the same as its entry in the zoo, or as its PRISM model."""

from __future__ import annotations

import re
import shlex
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

import deltachain as dc
from deltachain.programs import parse_assignments

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "examples" / "mechanisms"
ALPHAS = ("1", "3/2", "4")

TWINS = [
    ("randomised_response:respond", [{"truth": False}, {"truth": True}], {"rounds": 2}, "survey,rounds=2"),
    ("rappor:rappor", [{"bits": (0, 1)}, {"bits": (1, 0)}], {}, "rappor"),
    ("rappor:one_time", [{"bits": (0, 1)}, {"bits": (1, 0)}], {}, "rappor,f=19/20,p=0,q=1"),
    ("rappor:longitudinal", [{"bits": (0, 1)}, {"bits": (1, 0)}], {}, "rappor,reports=2"),
    ("geometric_mechanism:clamped", [{"count": 0}, {"count": 1}], {"clamp": 2}, "clamped-geometric"),
    ("sums:partial_sum", [{"bits": (0, 0, 0)}, {"bits": (1, 0, 0)}], {}, "partial-sum"),
    ("sums:smart_sum", [{"bits": (0, 0, 0)}, {"bits": (1, 0, 0)}], {"clamp": 2}, "smart-sum"),
    ("histogram:histogram", [{"counts": (1, 0)}, {"counts": (0, 1)}], {"m": 2}, "histogram"),
    ("noisy_max:index", [{"answers": (0, 1)}, {"answers": (1, 0)}], {"clamp": 3}, "noisy-max,clamp=3"),
    ("noisy_max:index", [{"answers": (0, 1)}, {"answers": (1, 0)}], {}, "noisy-max"),
    ("noisy_max:value", [{"answers": (0, 1)}, {"answers": (1, 0)}], {"clamp": 3}, "noisy-max,clamp=3,variant=2"),
    ("noisy_max:value", [{"answers": (0, 1)}, {"answers": (1, 0)}], {}, "noisy-max,variant=2"),
    ("noisy_max:half_noise", [{"answers": (0, 1)}, {"answers": (1, 0)}], {"clamp": 3}, "noisy-max,clamp=3,variant=3"),
    ("noisy_max:half_noise", [{"answers": (0, 1)}, {"answers": (1, 0)}], {}, "noisy-max,variant=3"),
    *(
        (
            f"sparse_vector:svt{variant}",
            [{"answers": (0, 0, 1)}, {"answers": (1, 1, 0)}],
            {"clamp": clamp, "c": c},
            f"sparse-vector,variant={variant},n=3,clamp={clamp},c={c}",
        )
        for variant in range(1, 7)
        for c in (1, 2)
        for clamp in (0, 3)
    ),
]


@pytest.mark.sample(19)
@pytest.mark.parametrize(("name", "secrets", "constants", "spec"), TWINS, ids=lambda part: str(part)[:40])
def test_a_program_and_its_entry_in_the_zoo_agree(
    name: str, secrets: list[dict[str, object]], constants: dict[str, object], spec: str
) -> None:
    file, function = name.split(":")
    chain = dc.load_program(FOLDER / f"{file}.py", function).chain(secrets, constants=constants)
    twin = dc.examples.build(spec)
    assert len({chain.labels[chain.number(state)] for state in chain.states}) == len(set(twin.labels))
    for alpha in ALPHAS:
        found, known = (dc.delta(c, *c.pairs[0], exp_epsilon=alpha) for c in (chain, twin))
        assert found.exact
        assert found.lower == known.lower == known.upper


def test_every_file_is_tried_and_says_what_it_must() -> None:
    files = {path.stem for path in FOLDER.glob("*.py")}
    assert files == {name.split(":")[0] for name, *_ in TWINS} | {"counting_stream"}
    for path in FOLDER.glob("*.py"):
        text = path.read_text("utf-8").split('"""')[1]
        assert all(part in text for part in ("Protocol:", "Secret:", "Labels:", "Known")), path
        assert re.search(r"replace|What changes", text), path


def told(path: Path) -> list[list[str]]:
    """The commands of a file's docstring."""
    text = path.read_text("utf-8").split('"""')[1].replace("\\\n", " ")
    return [shlex.split(line)[1:] for line in text.splitlines() if line.startswith("deltachain ")]


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_the_command_of_a_file_can_be_read(path: Path) -> None:
    from deltachain.cli.command import build_parser

    commands = told(path)
    assert commands
    for command in commands:
        arguments = build_parser().parse_args(command)
        file, _, function = command[1].partition(":")
        assert ROOT / file == path
        secrets = [parse_assignments(secret) for secret in arguments.secret]
        assert dc.load_program(path, function).chain(secrets, constants={}).pairs


def test_a_stream_pays_for_every_step() -> None:
    program = dc.load_program(FOLDER / "counting_stream.py", "stream")
    for steps in (1, 2, 3):
        secrets = [{"events": (first, *[0] * (steps - 1))} for first in (0, 1)]
        assert dc.epsilon(program.chain(secrets), delta=0).exp_epsilon_proved == 2**steps


def test_endless_reports_tell_the_permanent_bit_and_no_more() -> None:
    chain = dc.load_program(FOLDER / "rappor.py", "for_ever").chain([{"bit": 0}, {"bit": 1}])
    assert dc.check(chain, exp_epsilon="5/3", delta=0).verdict == "private"
    found = dc.delta(chain, exp_epsilon="3/2")  # the permanent bit is true with probability 5/8
    assert found.lower == found.upper == Fraction(5, 8) - Fraction(3, 2) * Fraction(3, 8)


@pytest.mark.sample(3)
@pytest.mark.parametrize(("variant", "private"), [(1, True), (2, True), (3, False), (4, False), (5, False), (6, False)])
def test_sparse_vectors_on_all_pairs_of_three_answers(variant: int, private: bool) -> None:
    program = dc.load_program(FOLDER / "sparse_vector.py", f"svt{variant}")
    chain = program.chain([{"answers": vector} for vector in product((0, 1), repeat=3)], constants={"clamp": 4})
    assert len(chain.pairs) == 28
    assert bool(dc.check(chain, exp_epsilon=16, delta=0)) is private


@pytest.mark.parametrize(
    ("model", "options", "program", "secrets", "exp_epsilon"),
    [
        ("crowds-hops", {"unlabelled": True}, "crowds:crowds", [{"sender": 0}, {"sender": 1}], Fraction(13, 4)),
        ("onion", {"labels": ["hop"]}, "onion:onion", [{"visitor": 0}, {"visitor": 1}], Fraction(16)),
        ("voting", {"labels": ["casting"]}, "voting:vote", [{"mine": 0}, {"mine": 1}], Fraction(2)),
    ],
)
def test_a_prism_model_without_its_silent_steps_is_the_program(
    model: str,
    options: dict[str, object],
    program: str,
    secrets: list[dict[str, object]],
    exp_epsilon: Fraction,
) -> None:
    pytest.importorskip("stormpy")
    file, function = program.split(":")
    written = dc.load_program(ROOT / "examples" / f"{file}.py", function).chain(secrets)
    ticking = dc.load(ROOT / "examples" / f"{model}.prism")
    silent = ticking.without_silent(options.get("labels", ()), unlabelled=bool(options.get("unlabelled")))
    assert (
        dc.epsilon(written, delta=0).exp_epsilon_proved
        == dc.epsilon(silent, *silent.pairs[0], delta=0).exp_epsilon_proved
        == exp_epsilon
    )
    for alpha in ALPHAS:
        found, known = (dc.delta(c, *c.pairs[0], exp_epsilon=alpha) for c in (silent, written))
        assert found.lower == known.lower == found.upper


@pytest.mark.slow
@pytest.mark.parametrize("c", [1, 2])
@pytest.mark.parametrize("variant", [1, 2])
def test_right_sparse_vectors_on_all_pairs_of_five_answers(variant: int, c: int) -> None:
    program = dc.load_program(FOLDER / "sparse_vector.py", f"svt{variant}")
    chain = program.chain([{"answers": vector} for vector in product((0, 1), repeat=5)], constants={"c": c})
    assert len(chain.pairs) == 496
    assert dc.check(chain, exp_epsilon=2 ** (4 * c), delta=0).verdict == "private"
