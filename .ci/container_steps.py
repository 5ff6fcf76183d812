"""Run the steps of the Dockerfile in a new, empty folder, without a container: ``python .ci/container_steps.py``.

The steps are read from the Dockerfile itself. COPY takes the files that git tracks, but for those that .dockerignore
names; RUN lines are run by ``sh``, one after the other; with ``--cmd`` the CMD is run too. What prepares the system
(apt-get, useradd, chown) is left to whoever prepared this one, and so is the Python of the image. An instruction, or a
form of one, that this script does not know is an error: a step must not be skipped because nobody thought of it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
SYSTEM = ("apt-get ", "useradd ", "chown ", "rm -rf /var/lib/apt/")
"""Beginnings of commands that prepare the image's system."""
NOT_OURS = ("VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME", "MAKEFLAGS", "MFLAGS", "MAKELEVEL", "PYTHON")
"""Variables of whoever calls us that a new container would not have."""


class UnknownStep(Exception):
    """Something in the Dockerfile that this script cannot carry out."""


@dataclass(frozen=True)
class Step:
    """An instruction with the line that it begins on."""

    line: int
    word: str
    rest: str

    def unknown(self, why: str) -> UnknownStep:
        """The error that names this step."""
        return UnknownStep(f"Dockerfile, line {self.line}: {self.word} {self.rest}: {why}")


def read_steps(text: str) -> list[Step]:
    """The instructions, with continued lines joined and comments left out."""
    steps, parts, began = [], list[str](), 0
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        began = began if parts else number
        parts.append(line.strip().removesuffix("\\").strip())
        if not line.rstrip().endswith("\\"):
            word, _, rest = " ".join(parts).partition(" ")
            steps.append(Step(began, word.upper(), rest.strip()))
            parts = []
    if parts:
        raise UnknownStep("Dockerfile: the last line ends in a backslash")
    return steps


def prepares_system(step: Step) -> bool:
    """Whether a RUN line only prepares the system; an error if it does so in part."""
    commands = [command.strip() for command in re.split(r"&&|;|\|\|", step.rest)]
    system = [command.startswith(SYSTEM) for command in commands]
    if any(system) and not all(system):
        raise step.unknown("prepares the system and does something else: write two RUN lines")
    return all(system)


def kept(paths: Iterable[str], ignored: str) -> list[str]:
    """The paths that .dockerignore does not name; the last pattern that matches decides."""
    rules = []
    for line in ignored.splitlines():
        if line.strip() and not line.startswith("#"):
            pattern = line.strip().removeprefix("!").strip("/")
            rules.append((_matcher(pattern), not line.startswith("!")))

    def is_ignored(path: str) -> bool:
        found = [ignores for pattern, ignores in rules if pattern.fullmatch(path)]
        return bool(found) and found[-1]

    return [path for path in paths if not is_ignored(path)]


def _matcher(pattern: str) -> re.Pattern[str]:
    """A pattern of .dockerignore: it matches a path, and everything below it."""
    if set("[]\\") & set(pattern):
        raise UnknownStep(f".dockerignore: {pattern}: brackets and backslashes are not known here")
    made = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    return re.compile("".join(made.get(part, re.escape(part)) for part in parts) + "(?:/.*)?")


def copy_project(source: Path, target: Path) -> int:
    """Copy what COPY . . would copy of a clean clone; how many files that is."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=source, check=True, capture_output=True, text=True).stdout
    ignore_file = source / ".dockerignore"
    paths = kept(listed.rstrip("\0").split("\0"), ignore_file.read_text("utf-8") if ignore_file.exists() else "")
    for path in paths:
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source / path, target / path, follow_symlinks=False)
    return len(paths)


def plan(steps: list[Step]) -> list[tuple[Step, list[str] | None]]:
    """Each step with the command to run, or None for what is done otherwise; an error for what is not known."""
    found: list[tuple[Step, list[str] | None]] = []
    for step in steps:
        command = None
        if step.word == "COPY":
            words = [word for word in shlex.split(step.rest) if not word.startswith("--chown=")]
            if words != [".", "."]:
                raise step.unknown("only `COPY . .` is known here")
        elif step.word == "RUN":
            if step.rest.startswith(("--", "[", "<<")):
                raise step.unknown("only a plain command is known here")
            command = None if prepares_system(step) else ["sh", "-c", step.rest]
        elif step.word == "CMD":
            command = json.loads(step.rest) if step.rest.startswith("[") else ["sh", "-c", step.rest]
        elif step.word not in ("FROM", "WORKDIR", "USER"):
            raise step.unknown("this instruction is not known here")
        found.append((step, command))
    for word in ("FROM", "WORKDIR", "COPY", "CMD"):
        if sum(step.word == word for step in steps) != 1:
            raise UnknownStep(f"Dockerfile: exactly one {word} is known here")
    return found


def run_steps(source: Path, target: Path, with_cmd: bool) -> None:
    """Carry out the Dockerfile of a folder in another, which is empty; CalledProcessError if a step fails."""
    environment = {name: value for name, value in os.environ.items() if name not in NOT_OURS}
    # All steps are understood before the first one is run.
    for step, command in plan(read_steps((source / "Dockerfile").read_text("utf-8"))):
        if step.word == "COPY":
            _say(step, f"{copy_project(source, target)} files")
        elif command is None:
            _say(step, "left to this system")
        elif step.word == "CMD" and not with_cmd:
            _say(step, "not run without --cmd")
        else:
            _say(step, "…")
            subprocess.run(command, cwd=target, env=environment, check=True)


def _say(step: Step, what: str) -> None:
    print(f"{step.word} {step.rest}: {what}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the steps of the Dockerfile in a new folder.")
    parser.add_argument("--cmd", action="store_true", help="run the CMD too")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="container-steps-") as folder:
        try:
            run_steps(ROOT, Path(folder), arguments.cmd)
        except (UnknownStep, subprocess.CalledProcessError) as error:
            print(f"container steps: {error}", file=sys.stderr)
            return 1
    print("container steps: done")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
