"""Commands that may map little memory: they answer, or say that it is too little; exit code 1 is a verdict alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import COMMAND
from tests.words import says

resource = pytest.importorskip("resource", reason="limits of a process are POSIX's")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the limit on mapped memory is not kept")

MODEL = "example:random,n=30,labels=2,degree=3"
CHECK = ("check", "example:random,n=20,labels=2,degree=3", "--epsilon", "2", "--delta", "0.9")
VIOLATED = ("check", MODEL, "--epsilon", "0", "--delta", "0")
EPSILON = ("epsilon", "example:dining-cryptographers,n=3", "--delta", "0")
DELTA = ("delta", MODEL, "--epsilon", "0", "--max-nodes", "300")
COMMANDS = {"check": CHECK, "violated": VIOLATED, "epsilon": EPSILON, "delta": DELTA}
QUICK = {
    "check": (100, 130, 155, 170, 185, 250, 400),
    "violated": (155, 185, 250),
    "epsilon": (130, 170, 250),
    "delta": (100, 155, 400),
}


def run_within(megabytes: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command, which may map that much memory; as with ``ulimit -v``."""
    size = megabytes * 2**20
    return subprocess.run(
        [*COMMAND, *arguments],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size)),
    )


@pytest.mark.parametrize(
    ("name", "megabytes"),
    [
        pytest.param(name, megabytes, marks=() if megabytes in QUICK[name] else pytest.mark.slow)
        for name in COMMANDS
        for megabytes in range(100, 401, 5)
    ],
)
def test_what_memory_does_not_suffice_for_is_undecided(name: str, megabytes: int) -> None:
    done = run_within(megabytes, *COMMANDS[name])
    if done.returncode == 3 and not done.stdout:
        assert "deltachain: error: out of memory; nothing was decided" in done.stderr
        assert megabytes < 350, "that is enough for OpenBLAS with one thread"
    else:
        assert done.returncode == (1 if name == "violated" else 0), done.stderr
        assert (done.returncode == 1) == done.stdout.startswith("VIOLATED")


def test_a_plot_for_which_memory_does_not_suffice_is_not_a_missing_extra(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    profile = ("profile", "example:coin", "--epsilons", "0,1", "--plot", str(tmp_path / "band.svg"))
    done = run_within(185, *profile)
    assert (done.returncode, list(tmp_path.iterdir())) == (3, [])
    assert says(done.stderr.splitlines()[-1])


@pytest.mark.parametrize("megabytes", [100, 200, 230])
def test_a_sweep_whose_workers_have_no_memory_ends(megabytes: int) -> None:
    grid = ("--set", "p=3/5,7/10,4/5", "--epsilons", "0,1", "--jobs", "2")
    done = run_within(megabytes, "sweep", "example:survey", *grid)
    assert done.returncode == 3, done.stderr
    assert "memory" in done.stderr.splitlines()[-1]
