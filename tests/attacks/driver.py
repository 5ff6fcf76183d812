"""Run one attack in a process that may hang, exit, kill or eat memory, and leave nothing of it behind."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.attacks.collection import ENOUGH, Attack

ROOT = Path(__file__).parents[2]
GRACE = 30.0
"""Seconds beyond its limit after which a run is ended from here: the tool has failed to end it."""

LIMITED = 'ulimit -v 8388608; ulimit -f 409600; ulimit -c 0; "$@"; code=$?; exit $code'
"""8 GB of memory, files of 200 MB, no core. The shell stays: what kills its parent kills the shell."""

MARK = "NASTY_RUN"


@dataclass(frozen=True)
class Outcome:
    """What a run came to: an outcome in one word, what was said, and what was left behind."""

    word: str
    said: str
    assumes: tuple[str, ...] = ()
    lower: float | None = None
    upper: float | None = None
    exit_code: int | None = None
    left_behind: int = 0
    seconds: float = 0.0


def fault(attack: Attack, outcome: Outcome) -> str | None:
    """Why this outcome is not acceptable, or None."""
    if attack.truth is not None and outcome.lower is not None and outcome.upper is not None:
        holds = outcome.lower - ENOUGH <= attack.truth <= outcome.upper + ENOUGH
        if not holds:
            return f"[{outcome.lower}, {outcome.upper}] does not hold the true δ = {attack.truth}"
    if attack.kind == "assumed" and outcome.word in {"private", "violated"}:
        return None if outcome.assumes else f"{outcome.word}, and it assumes nothing"
    if outcome.word not in attack.acceptable:
        return f"{outcome.word}; acceptable: {', '.join(sorted(attack.acceptable))}"
    if outcome.word in {"private", "violated"} and not outcome.assumes:
        return f"{outcome.word} of code that was run, and it assumes nothing"
    if outcome.left_behind:
        return f"{outcome.left_behind} processes are left behind"
    return None


def by_python(attack: Attack, folder: Path) -> Outcome:
    """Through `from_code`, `check` and `delta`."""
    file = folder / "outcome.json"
    done = _run([sys.executable, "-m", "tests.attacks.one", attack.name, str(file)], folder, attack.limit + GRACE)
    if file.exists() and not done.timed_out:
        found = json.loads(file.read_text())
        return Outcome(
            found["outcome"],
            found["said"],
            tuple(found.get("assumes", ())),
            found.get("lower"),
            found.get("upper"),
            done.exit_code,
            done.left_behind,
            done.seconds,
        )
    return _without_answer(done)


def by_command(attack: Attack, folder: Path) -> Outcome:
    """Through ``deltachain check --execute``. The exit code and the answer must say the same."""
    file = Path(__file__).parent / "cases" / f"{attack.theme}.py"
    secrets = [
        argument
        for secret in attack.secrets
        for argument in ("--secret", ",".join(f"{name}={value!r}" for name, value in secret.items()))
    ]
    question = ["--epsilon", str(attack.epsilon), "--delta", str(attack.delta), "--timeout", str(attack.limit)]
    command = [sys.executable, "-m", "deltachain", "check", "--execute", f"{file}:{attack.function.__name__}"]
    done = _run([*command, *secrets, *question, "--json", "-q"], folder, attack.limit + GRACE)
    code = done.exit_code
    answer: dict[str, Any] = {}
    with contextlib.suppress(ValueError):
        answer = json.loads(done.stdout)
    verdict = answer.get("verdict")
    if (code, verdict) in {(0, "private"), (1, "violated"), (3, "undecided")}:
        assumes = tuple(answer.get("assumes", ()))
        return Outcome(str(verdict), done.stdout, assumes, None, None, code, done.left_behind, done.seconds)
    if code in {2, 3, 4} and verdict is None:
        word = "stopped" if code == 3 else "refused"
        return Outcome(word, done.stdout + done.stderr, (), None, None, code, done.left_behind, done.seconds)
    return _without_answer(done)


@dataclass(frozen=True)
class _Done:
    exit_code: int
    stdout: str
    stderr: str
    timed_out: bool
    left_behind: int
    seconds: float


def _without_answer(done: _Done) -> Outcome:
    """Died by a signal, ended from here, or ended without an answer: an exit code of 0 or 1 is then a lie."""
    said = f"exit code {done.exit_code}\n{done.stdout[-1000:]}\n{done.stderr[-3000:]}"
    word = "hung" if done.timed_out else "died" if done.exit_code < 0 or done.exit_code >= 128 else "ended"
    return Outcome(word, said, (), None, None, done.exit_code, done.left_behind, done.seconds)


def _run(command: Sequence[str], folder: Path, longest: float) -> _Done:
    mark = uuid.uuid4().hex
    environment = os.environ | {
        MARK: mark,
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep),
        "TMPDIR": str(folder),
    }
    environment.pop("PYTEST_CURRENT_TEST", None)
    began = time.monotonic()
    with (folder / "stdout").open("w+b") as out, (folder / "stderr").open("w+b") as err:
        process = subprocess.Popen(
            ["sh", "-c", LIMITED, "sh", *command],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            cwd=ROOT,
            env=environment,
            start_new_session=True,
        )
        timed_out = False
        try:
            process.wait(longest)
        except subprocess.TimeoutExpired:
            timed_out = True
        seconds = time.monotonic() - began
        left = 0 if timed_out else _left_behind(mark)
        for identity in _marked(mark):
            with contextlib.suppress(ProcessLookupError):
                os.kill(identity, signal.SIGKILL)
        process.wait()
    texts = [(folder / name).read_bytes()[:5_000_000].decode(errors="replace") for name in ("stdout", "stderr")]
    return _Done(process.returncode, *texts, timed_out, left, seconds)


def _left_behind(mark: str) -> int:
    """Processes of the run that are still there after three seconds."""
    for _ in range(30):
        if not any(True for _ in _marked(mark)):
            return 0
        time.sleep(0.1)
    return sum(1 for _ in _marked(mark))


def _marked(mark: str) -> Iterator[int]:
    """Processes that were started by this run, wherever they went: by their environment."""
    wanted = f"{MARK}={mark}".encode()
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            with contextlib.suppress(OSError):
                if wanted in (path / "environ").read_bytes().split(b"\0") and not _is_zombie(path):
                    yield int(path.name)


def _is_zombie(path: Path) -> bool:
    return (path / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
