"""``check`` and ``distance`` are modules and public verbs at once, whatever is imported first and however."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import deltachain as dc
from deltachain import analysis

WAYS = (
    "import deltachain as dc; dc.check",
    "import deltachain.check",
    "from deltachain.check import verify",
    "from deltachain import check, distance",
    "import deltachain.distance as d; d.solve",
    "from deltachain.distance.fixed_point import solve",
    "from deltachain import analysis",
    "import deltachain.cli.main as m; m.build_parser()",
)

USE = """
import deltachain as dc
import deltachain.check, deltachain.distance
from deltachain.check import verify
from deltachain.distance import Distance, solve
chain = dc.examples.coin()
assert dc.check(chain, exp_epsilon=1, delta="1/5").verdict == "private"
assert type(dc.distance(chain, exp_epsilon=1)) is Distance is dc.Distance
assert dc.check.verify is verify
assert dc.distance.solve is solve
assert dc.check is deltachain.check is __import__("sys").modules["deltachain.check"]
print("good")
"""


@pytest.mark.parametrize("first", WAYS)
@pytest.mark.parametrize("turned", [False, True])
def test_any_order_of_imports(first: str, turned: bool) -> None:
    others = [way for way in WAYS if way != first]
    code = "\n".join([first, *(reversed(others) if turned else others), USE])
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "good\n", "")


def test_the_verbs_have_the_signatures_of_the_functions() -> None:
    assert inspect.signature(dc.check) == inspect.signature(analysis.check)
    assert inspect.signature(dc.distance) == inspect.signature(analysis.distance)


def test_other_modules_are_not_callable() -> None:
    with pytest.raises(TypeError, match="not callable"):
        dc.examples()  # type: ignore[operator]


def test_the_checker_still_runs_alone(tmp_path: Path) -> None:
    model, proof = tmp_path / "coin.json", tmp_path / "proof.json"
    chain = dc.examples.coin()
    dc.save(chain, model)
    dc.delta(chain, exp_epsilon=1).certificate.save(proof)
    command = [sys.executable, "-W", "error", "-m", "deltachain.check", str(model), str(proof)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("proved: delta of (s0, s1) = 1/5 ")
