"""Sentences that users read, pinned in files: tests name a sentence by a word or two of it, and assert values.

``says(text, "it exists")`` holds where some line of the text has these words, and each such line is, whole, in the
file of the test: ``tests/words/cli/test_domains.txt`` for ``tests/cli/test_domains.py``, under the name of the test's
function. ``refuses(InputError, "it exists")`` asks the same of the text of an error. `make words` runs the tests again
and writes these files anew: whoever changes a sentence runs it, and a reviewer reads the diff.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent.parent
HERE = Path(__file__).resolve().parent
HEARD = "DELTACHAIN_WORDS"
"""The variable of a folder where what is said is written down, in place of being compared."""

AROUND = 110
"""Of a long line, so many characters on either side of the words are pinned."""

Pinned = dict[str, dict[str, list[str]]]
"""Function → words that name sentences → the sentences, sorted."""


def says(text: str | Iterable[object], words: str = "") -> bool:
    """Whether some line of the text has the words, and each that has them is pinned for this test.

    Without words every line is meant. What is not a text is an iterable of lines.
    """
    lines = text.splitlines() if isinstance(text, str) else [str(line) for line in text]
    found = sorted({excerpt for line in lines if words in line for excerpt in [_lasting(line, words)] if excerpt})
    if not found:
        return False
    path, function = _asking()
    if folder := os.environ.get(HEARD):
        with (Path(folder) / f"{os.getpid()}.jsonl").open("a", encoding="utf-8") as journal:
            journal.write(json.dumps([path, function, words, found]) + "\n")
        return True
    pinned = read(HERE / Path(path).with_suffix(".txt")).get(function, {}).get(words, [])
    unknown = [line for line in found if line not in pinned]
    assert not unknown, f"no such sentences are pinned for {path}::{function} ({words!r}); `make words` pins them"
    return True


@contextmanager
def refuses(
    kind: type[BaseException] | tuple[type[BaseException], ...], words: str = ""
) -> Iterator[pytest.ExceptionInfo[BaseException]]:
    """``pytest.raises``, where the text of the error `says` the words."""
    with pytest.raises(kind) as refusal:
        yield refusal
    text = str(refusal.value)
    assert says(text, words), f"{words!r} is not in: {text}"


def _asking() -> tuple[str, str]:
    """The file of the test that runs, below ``tests``, and its function."""
    node = os.environ["PYTEST_CURRENT_TEST"].rpartition(" (")[0]
    path, _, function = node.partition("::")
    return path.removeprefix("tests/"), function.partition("[")[0]


def _lasting(line: str, words: str) -> str:
    """The line without what differs from run to run: folders, lines of tests, seconds, addresses, rules."""
    line = " ".join(line.split())
    line = re.sub(r"(?:/[\w.+-]+)*/pytest-of-[\w-]+/pytest-\d+(?:/popen-gw\d+)?/[\w.-]+", "TMP", line)
    line = line.replace(str(TESTS.parent), "ROOT")
    line = re.sub(r"(?<![\w.])/tmp/[^\s:,;)'\"]+", "TMP", line)
    line = re.sub(r"(\w+\.py):\d+(?::\d+)?", r"\1:…", line)
    line = re.sub(r"\b\d+(?:\.\d+)? ?(s|seconds|MB|ms)\b", r"… \1", line)
    line = re.sub(r"0x[0-9a-f]{6,}", "0x…", line)
    line = re.sub(r"={4,}", "===", line)
    if len(line) > 2 * AROUND + len(words):
        at = max(line.find(words), 0)
        line = line[max(0, at - AROUND) : at + len(words) + AROUND]
    return line.strip()


@cache
def read(path: Path) -> Pinned:
    """The sentences of a file: ``[function]``, ``words:``, and each sentence indented."""
    pinned: Pinned = {}
    of_function: dict[str, list[str]] = {}
    of_words: list[str] = []
    for line in path.read_text("utf-8").splitlines() if path.exists() else []:
        if line.startswith("["):
            of_function = pinned.setdefault(line[1:-1], {})
        elif line.startswith("    "):
            of_words.append(line[4:])
        elif line:
            of_words = of_function.setdefault(line.removesuffix(":"), [])
    return pinned


def render(pinned: Pinned) -> str:
    """The text of a file, in the order of the alphabet."""
    return "\n".join(
        line
        for function, sentences in sorted(pinned.items())
        for line in (
            f"[{function}]",
            *(
                line
                for words in sorted(sentences)
                for line in (f"{words}:", *("    " + said for said in sentences[words]))
            ),
            "",
        )
    )
