"""What OpenDP itself says and does, beside what docs/bugs.md says of it: `make bugs` installs it, apart from us."""

from __future__ import annotations

import json
import math
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import deltachain as dc
from tests.docs.pages import ROOT

pytestmark = pytest.mark.slow
RUNS = 200_000

THRESHOLD = f"""
import json
import opendp.prelude as dp
dp.enable_features("contrib")
space = dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()
release = dp.t.make_count_by(*space) >> dp.m.then_laplace_threshold(scale=1.0, threshold=5)
owners = [str(i) for i in range({RUNS})]
print(json.dumps({{"epsilon": release.map(1)[0], "delta": release.map(1)[1], "released": len(release(owners))}}))
"""

RESPONSE = f"""
import json
from opendp.mod import enable_features
enable_features("contrib")
from opendp.meas import make_randomized_response_bool
answer = make_randomized_response_bool(0.75)
print(json.dumps({{
    "holds": answer.check(1, 1.0986123), "less": answer.check(1, 1.0986),
    "true": sum(answer(True) for _ in range({RUNS})), "false": sum(answer(False) for _ in range({RUNS})),
}}))
"""


NOISY_MAX = f"""
import json
import opendp.prelude as dp
dp.enable_features("contrib")
space = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
found = {{}}
for name, measure in ("epsilon", dp.max_divergence()), ("rho", dp.zero_concentrated_divergence()):
    select = dp.m.make_noisy_max(*space, measure, scale=1.0)
    found[name] = [select.map(1), sum(select([1, -1]) for _ in range({RUNS}))]
print(json.dumps(found))
"""


def told(version: str, script: str) -> Any:
    """What the library of this version prints."""
    python = ROOT / "build" / f"opendp-{version}" / "bin" / "python"
    if not (python.parents[1] / "ready").exists():
        pytest.skip(f"OpenDP {version} is not installed: `make bugs`")
    done = subprocess.run([str(python), "-c", script], capture_output=True, text=True, check=True, cwd=python.parent)
    return json.loads(done.stdout)


def near(count: int, probability: Fraction) -> bool:
    """Whether so many of the runs are within six standard deviations of what is expected."""
    mean = RUNS * probability
    return abs(count - mean) <= 6 * math.sqrt(mean * (1 - probability))


def model(name: str) -> Path:
    return ROOT / "examples" / "bugs" / name


def test_the_threshold_of_0_16_0() -> None:
    found = told("0.16.0", THRESHOLD)
    secrets = [{"count": 0}, {"count": 1}]
    asked: dict[str, Any] = {"secrets": secrets, "epsilon": 1}
    stated = dc.delta(f"{model('opendp_2922.py')}:as_accounted", **asked)
    real = dc.delta(f"{model('opendp_2922.py')}:laplace_threshold", **asked)
    assert found["epsilon"] == pytest.approx(1, rel=1e-9)
    assert found["delta"] == pytest.approx(float(stated.upper), rel=1e-9)
    assert near(found["released"], real.upper)
    assert not near(found["released"], stated.upper)


def test_the_randomised_response_of_0_4_0() -> None:
    found = told("0.4.0", RESPONSE)
    assert (found["holds"], found["less"]) == (True, False), "ε = ln 3 is what it states"
    truths = [{"truth": True}, {"truth": False}]
    program = f"{model('opendp_480.py')}:randomized_response"
    chance = dc.trace(program, ["truth=True", "truth=False"], "start True", secrets=truths).chances
    assert near(found["true"], chance[0])
    assert near(found["false"], chance[1])


def test_what_noisy_max_of_0_16_0_draws() -> None:
    found = told("0.16.0", NOISY_MAX)
    pair = [{"scores": (0, 0)}, {"scores": (1, -1)}]
    seconds = []
    for name in ("permute_and_flip", "exponential_mechanism"):
        program = f"{model('opendp_2911.py')}:{name}"
        chances = dc.trace(program, ["scores=(0, 0)", "scores=(1, -1)"], "start 1", secrets=pair).chances
        seconds.append(Fraction(float(chances[1])))
    flipped, exponential = seconds
    assert [found["epsilon"][0], found["rho"][0]] == [2, 0.5], "ε = 2 and ρ = ε²/8 are what it states"
    assert near(found["epsilon"][1], flipped)
    assert near(found["rho"][1], exponential)
    assert not near(found["rho"][1], flipped)
