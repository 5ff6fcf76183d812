"""No function of the collection is proved private, or refuted, wrongly; honest ones are not refused."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.attacks.collection import ENOUGH, Attack, attacks, themes
from tests.attacks.driver import MARK, ROOT, Outcome, by_command, by_python, fault
from tests.attacks.limits import KNOWN

ALL = {attack.name: attack for attack in attacks()}

SIZES = {
    "arithmetic": 90,
    "budgets": 28,
    "detection": 43,
    "draws": 78,
    "ends": 90,
    "everyday": 33,
    "exceptions": 80,
    "letters": 127,
    "objects": 60,
    "ordinary": 56,
    "parts": 64,
    "places": 33,
    "probes": 167,
    "randomness": 68,
    "shows": 34,
    "state": 124,
    "unseen": 29,
}
"""Theme → how many functions. A function that disappears must be missed."""

QUICK = frozenset(
    {
        "arithmetic:floor_division",
        "draws:given_a_seeded_generator",
        "draws:shifted_uniform",
        "ends:endless",
        "ends:exit_0",
        "ends:exit_for_one",
        "ends:kill_parent",
        "ends:memory_announced",
        "exceptions:import_error_name",
        "exceptions:in_a_slot",
        "exceptions:the_same_object_as_an_argument",
        "letters:always_equal",
        "letters:getattribute",
        "letters:slot_beyond_fields",
        "ordinary:raises_what_it_knows",
        "ordinary:release",
        "ordinary:survey",
        "parts:a_shared_list",
        "parts:by_its_type_and_one_part",
        "parts:keys_of_one_input",
        "parts:no_call_for_one_input",
        "randomness:module_two_percent",
        "randomness:urandom_two_percent",
        "state:closure_counter",
        "state:first_call",
        "state:global_counter",
        "state:serve_100",
        "unseen:file_counts",
    }
)
"""Those that a usual run takes, through Python."""

QUICK_COMMANDS = frozenset({"ends:exit_0", "ordinary:survey", "state:serve_100"})

COMMANDS = [name for name, attack in ALL.items() if not set(attack.options) - {"timeout"} and (
    name in QUICK or attack.theme in {"ends", "everyday", "ordinary", "state"}
)]  # fmt: skip
"""Those that are asked through the command as well: what needs no more than it has options for."""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the runs are limited and cleaned up by means of Linux")


def cases(names: list[str], quick: frozenset[str]) -> list[object]:
    assert quick <= set(names)
    return [pytest.param(ALL[name], marks=marks_of(name, quick), id=name) for name in names]


def marks_of(name: str, quick: frozenset[str]) -> list[pytest.MarkDecorator]:
    """Slow, but for a few. Where it is known to be wrong, not strictly: some of these are right now and then."""
    known = [pytest.mark.xfail(reason=KNOWN[name], strict=False)] if name in KNOWN else []
    return known if name in quick else [pytest.mark.slow, *known]


def judge(attack: Attack, outcome: Outcome) -> None:
    wrong = fault(attack, outcome)
    assert wrong is None, f"{attack.name} ({attack.why or attack.kind}): {wrong}\n{outcome.said}"


@pytest.fixture(autouse=True)
def _needs_pandas(request: pytest.FixtureRequest) -> None:
    if "pandas" in request.node.name and importlib.util.find_spec("pandas") is None:
        pytest.skip("pandas is not installed")


def test_the_collection_is_complete() -> None:
    assert Counter(attack.theme for attack in ALL.values()) == SIZES
    assert set(SIZES) == set(themes())
    assert set(KNOWN) <= set(ALL)
    assert not [name for name in KNOWN if ALL[name].kind == "honest" or name in QUICK]
    assert sum(attack.kind == "honest" for attack in ALL.values()) >= 40
    assert sum(attack.kind != "honest" for attack in ALL.values()) >= 200


@pytest.mark.parametrize("attack", cases(list(ALL), QUICK))
def test_no_wrong_answer_through_python(attack: Attack, tmp_path: Path) -> None:
    judge(attack, by_python(attack, tmp_path))


@pytest.mark.parametrize("attack", cases(COMMANDS, QUICK_COMMANDS))
def test_no_wrong_answer_through_the_command(attack: Attack, tmp_path: Path) -> None:
    judge(attack, by_command(attack, tmp_path))


@pytest.mark.parametrize(
    "theme", [pytest.param(theme, marks=() if theme == "exceptions" else pytest.mark.slow) for theme in sorted(SIZES)]
)
def test_the_truth_is_that_of_an_enumeration(theme: str) -> None:
    """δ of each function with a law, by running it once for each sequence of real integers."""
    command = [sys.executable, "-m", "tests.attacks.enumeration", theme]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found = dict(line.split()[:2] for line in done.stderr.splitlines() if line.startswith(f"{theme}:"))
    known = {attack.name: attack.truth for attack in attacks(theme) if attack.truth is not None and attack.enumerable}
    assert set(found) == set(known)
    assert {name: float(found[name]) for name in found} == pytest.approx(known, abs=ENOUGH)


def test_a_wrong_answer_is_noticed() -> None:
    leaky, honest = ALL["probes:type_is_int"], ALL["ordinary:survey_violated"]
    assert leaky.truth is not None
    said = ("the code depends on nothing else",)
    assert fault(leaky, Outcome("refused", "")) is None
    assert fault(leaky, Outcome("violated", "", said, leaky.truth, leaky.truth)) is None
    assert fault(leaky, Outcome("private", "", said, 0, 0)) is not None
    assert fault(leaky, Outcome("violated", "", said, 0.5, 0.6)) is not None
    assert fault(leaky, Outcome("violated", "", (), leaky.truth, leaky.truth)) is not None, (
        "it must say what it assumes"
    )
    assert fault(leaky, Outcome("refused", "", left_behind=1)) is not None
    assert fault(leaky, Outcome("ended", "exit code 0")) is not None
    assert fault(honest, Outcome("refused", "")) is not None
    assert fault(honest, Outcome("undecided", "")) is not None
    assert fault(honest, Outcome("violated", "", said, 0.5, 0.5)) is None
    assert fault(ALL["unseen:file_counts"], Outcome("private", "")) is not None
    assert fault(ALL["unseen:file_counts"], Outcome("private", "", said)) is None


def test_what_a_run_leaves_behind_is_ended(tmp_path: Path) -> None:
    outcome = by_python(ALL["ends:leaves_a_daemon"], tmp_path)
    assert outcome.word != "hung"
    left = [path for path in Path("/proc").glob("[0-9]*/environ") if _reads(path, str(tmp_path).encode())]
    assert not left, MARK


def _reads(path: Path, text: bytes) -> bool:
    try:
        return text in path.read_bytes()
    except OSError:
        return False
