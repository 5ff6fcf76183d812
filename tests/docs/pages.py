"""A page of documentation as a script: its fenced blocks, run from top to bottom in a folder of its own.

| block | what happens |
|---|---|
| ```` ```console ```` | `$ command` lines are run; the lines that follow are what it prints, on both streams |
| ```` ```python ```` with `>>>` | a doctest session |
| ```` ```python ```` | run as it stands; it may print nothing |
| any language with `title="NAME"` | written to the file NAME, for later blocks |
| ```` ```json ```` | must be JSON (an ellipsis excuses it) |
| ```` ```sh ```` | not run: setting up a machine, and nothing else |
| anything else | not run: it must not look like a command |

`…` in expected output matches anything, over lines too. A command must succeed, unless it prints a verdict and returns
its code (VIOLATED, 1; UNDECIDED, 3), or the next command is `$ echo $?`.
Names and files of earlier blocks of a page are there in later ones. A page with `<!-- needs: stormpy -->` is skipped
where that package is missing; a block after `<!-- block needs: NAME==VERSION -->`, where that version is.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import json
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any
from unittest.mock import patch

from deltachain.cli.command import main
from tests.extras import skip_if_a_command_needs_more

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^( *)(`{3,})(.*?)$\n(.*?)^\1\2 *$\n?", re.MULTILINE | re.DOTALL)
TITLE = re.compile(r'title="([^"]+)"')
OF_A_PACKAGE = re.compile(r"<!-- block needs: ([^ =]+)==([^ ]+) -->\n$")
NEEDS = re.compile(r"<!-- needs: (\w+) -->")
MARK = "--- end of a command ---"
SETTING_UP = (
    *("git clone ", "cd ", "make", "pip install ", "python -m pip install ", "pipx install ", "uv ", "docker "),
    *("prism ", "storm "),
)
DOCTEST = doctest.ELLIPSIS
VERDICTS = {"VIOLATED": 1, "UNDECIDED": 3}
FOR_THE_SHELL = re.compile(r"[|<>&;$*`#~]")
PLAIN = {"NO_COLOR": "1", "COLUMNS": "80"}


@dataclass(frozen=True)
class Block:
    """A fenced block: the line that it opens on, its language, its file name if it has one, and its text."""

    line: int
    language: str
    title: str | None
    text: str
    needs: tuple[str, str] | None = None
    """A package and the version of it that the block is about."""

    @property
    def can_run(self) -> bool:
        """Whether the package that it needs, if any, is here."""
        if self.needs is None:
            return True
        name, wanted = self.needs
        try:
            return version(name) == wanted
        except PackageNotFoundError:
            return False


def pages() -> list[Path]:
    """The README and every page of the docs."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text("utf-8")
    found = []
    for match in FENCE.finditer(text):
        indent, _, info, body = match.groups()
        lines = [line.removeprefix(indent) for line in body.splitlines(keepends=True)]
        title = TITLE.search(info)
        language = info.split()[0] if info.split() else ""
        package = OF_A_PACKAGE.search(text[: match.start()])
        needed = (package[1], package[2]) if package else None
        line = text[: match.start()].count("\n") + 1
        found.append(Block(line, language, title and title[1], "".join(lines), needed))
    return found


def needs(page: Path) -> list[str]:
    """The packages beyond our own dependencies that a page needs: ``<!-- needs: stormpy -->``."""
    return NEEDS.findall(page.read_text("utf-8"))


class Player:
    """Runs the blocks of one page; everything happens in ``folder``, the current directory."""

    def __init__(self, page: Path, folder: Path) -> None:
        self.page, self.folder = page, folder
        self.names: dict[str, Any] = {"__name__": "page"}
        if not (folder / "examples").exists():  # as at the root of a clone
            (folder / "examples").symlink_to(ROOT / "examples", target_is_directory=True)

    def play(self, block: Block) -> None:
        """Run one block; AssertionError if it does not do what it says."""
        where = f"{self.page.relative_to(ROOT)}:{block.line}"
        if block.title is not None:
            (self.folder / block.title).write_text(block.text, "utf-8")
        elif not block.can_run:
            assert block.language in ("console", "python"), f"{where}: only what is run needs a package"
        elif block.language == "console":
            self._console(block, where)
        elif block.language == "python":
            self._python(block, where)
        elif block.language == "json":
            if "…" not in block.text:
                json.loads(block.text)
        else:
            self._refuse_commands(block, where)

    def _console(self, block: Block, where: str) -> None:
        steps = commands(block.text)
        assert steps, f"{where}: no command: lines that are run begin with '$ '"
        lines = [command for command, _ in steps]
        done = run_here(lines) if all(map(alone, lines)) else self._run_in_bash(lines, where)
        for number, (command, wanted) in enumerate(steps):
            got, code = done[number]
            asked = number + 1 < len(steps) and steps[number + 1][0] == "echo $?"
            skip_if_a_command_needs_more(code, got)
            usual = VERDICTS.get(re.split(r"[: ]", got, maxsplit=1)[0], 0)
            assert code == usual or asked, f"{where}: {command}\nexit code {code}, and no '$ echo $?' after it\n{got}"
            got = got.removesuffix("\n")
            assert matches(wanted, got), f"{where}: {command}\nwanted:\n{wanted}\nprinted:\n{got}"

    def _run_in_bash(self, lines: list[str], where: str) -> list[tuple[str, int]]:
        """What each command prints on both streams, and its exit code."""
        script = "".join(f"{line}\n__code=$?; echo; echo '{MARK}'$__code; (exit $__code)\n" for line in lines)
        here = Path(sys.executable).parent
        environment = {
            "PATH": f"{here}{os.pathsep}{os.environ['PATH']}",
            "PYTHONUTF8": "1",
            "LC_ALL": "C.UTF-8",
            "PYTEST_PLUGINS": "deltachain.pytest_plugin",  # also where a source tree is tested that is not installed
        }
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=self.folder,
            env=os.environ | PLAIN | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            encoding="utf-8",
            timeout=600,
            check=False,
        )
        printed = re.split(rf"^{re.escape(MARK)}(\d+)\n", done.stdout, flags=re.MULTILINE)
        assert len(printed) == 2 * len(lines) + 1, f"{where}: the commands did not all run\n{done.stdout}"
        return [(got.removesuffix("\n"), int(code)) for got, code in zip(printed[::2], printed[1::2], strict=False)]

    def _python(self, block: Block, where: str) -> None:
        if ">>>" in block.text:
            text = block.text.replace("…", "...")
            test = doctest.DocTestParser().get_doctest(text, self.names, where, str(self.page), block.line)
            report = io.StringIO()
            runner = doctest.DocTestRunner(optionflags=DOCTEST, verbose=False)
            runner.run(test, out=report.write, clear_globs=False)
            self.names.update(test.globs)
            assert runner.failures == 0, report.getvalue()
            return
        # In a file, because a program is read from its source.
        path = self.folder / f"block_{block.line}.py"
        path.write_text(block.text, "utf-8")
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(block.text, str(path), "exec"), self.names)  # noqa: S102 - our own documentation
        assert not printed.getvalue(), f"{where}: it prints; show that as a >>> session"

    def _refuse_commands(self, block: Block, where: str) -> None:
        lines = block.text.splitlines()
        if block.language == "sh":
            odd = [line for line in lines if line and not line.startswith((*SETTING_UP, "#"))]
            assert not odd, f"{where}: sh blocks are not run, so they only set up a machine; use console for {odd}"
        elif "--help" not in block.text:  # the generated reference quotes examples, and is compared as a whole
            odd = [line for line in lines if line.startswith(("$ ", ">>> ", "deltachain "))]
            assert not odd, f"{where}: commands that no test runs: {odd}"


def alone(line: str) -> bool:
    """Whether a command needs no shell: our own, with words alone, or a look at its exit code."""
    return line == "echo $?" or (line.startswith("deltachain ") and not FOR_THE_SHELL.search(line))


def run_here(lines: list[str]) -> list[tuple[str, int]]:
    """What each command prints on both streams, and its exit code; an interpreter of its own would take longer to start
    than most take to answer."""
    done: list[tuple[str, int]] = []
    for line in lines:
        if line == "echo $?":
            done.append((f"{done[-1][1]}\n", 0))
            continue
        printed = _Printed()
        # As in a process of its own: results wait in a buffer, and what is said on standard error does not.
        results = io.TextIOWrapper(io.BufferedWriter(printed), encoding="utf-8")
        said = io.TextIOWrapper(io.BufferedWriter(printed), encoding="utf-8", write_through=True, line_buffering=True)
        with patch.dict(os.environ, PLAIN), contextlib.redirect_stdout(results), contextlib.redirect_stderr(said):
            code = main(shlex.split(line.replace("\\\n", ""))[1:])
        results.flush()
        said.flush()
        done.append((printed.content.decode(), code))
    return done


class _Printed(io.RawIOBase):
    """Where both streams end."""

    def __init__(self) -> None:
        self.content = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        self.content += data
        return len(data)


def commands(text: str) -> list[tuple[str, str]]:
    """(command, expected output) of a console block; a command goes on in the next line after a backslash."""
    found: list[list[str]] = []
    for line in text.splitlines():
        if found and found[-1][0].endswith("\\"):
            found[-1][0] += "\n" + line.removeprefix("> ")
        elif line.startswith("$ "):
            found.append([line.removeprefix("$ "), ""])
        elif found:
            found[-1][1] += line + "\n"
    return [(command, wanted.rstrip("\n")) for command, wanted in found]


def matches(wanted: str, got: str) -> bool:
    """Whether the output is the wanted one; ``…`` stands for anything."""
    pattern = ".*?".join(re.escape(part) for part in wanted.rstrip().split("…"))
    return re.fullmatch(pattern, got.rstrip(), re.DOTALL) is not None
