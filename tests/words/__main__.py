"""``python -m tests.words [PYTEST ARGUMENTS]``: run tests and pin what they say; others keep theirs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.words import HEARD, HERE, TESTS, Pinned, read, render


def main(arguments: list[str]) -> int:
    """Run, then write the files; the exit code of pytest."""
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pytest", *arguments]
        done = subprocess.run(command, cwd=TESTS.parent, env={**os.environ, HEARD: folder}, check=False)
        heard: dict[str, Pinned] = {}
        for journal in sorted(Path(folder).iterdir()):
            for line in journal.read_text("utf-8").splitlines():
                path, function, words, found = json.loads(line)
                known = heard.setdefault(path, {}).setdefault(function, {}).setdefault(words, [])
                known += [each for each in found if each not in known]
    for path, functions in heard.items():
        target = HERE / Path(path).with_suffix(".txt")
        target.parent.mkdir(parents=True, exist_ok=True)
        sentences = {
            function: {words: sorted(found) for words, found in of.items()} for function, of in functions.items()
        }
        target.write_text(render(read(target) | sentences), "utf-8")
    return done.returncode


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
