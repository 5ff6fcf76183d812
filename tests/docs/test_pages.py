"""Every command and snippet of the README and the docs does what the page says."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, Block, Player, blocks, commands, matches, needs, pages

PLAYED = [page for page in pages() if blocks(page)]


LONG = {"howto/adversary-who-asks", "howto/shuffles-sums-subsampling", "prism", "theory/smt"} | {
    "certificate",
    "examples",  # compared with what the program would write, by test_generated.py
    "howto/beyond-one-machine",
    "howto/from-your-event-log",
    "howto/how-much-noise",
    "howto/other-measures",
    "howto/privacy-in-your-tests",
    "howto/prove-the-code-that-runs",
    "howto/results-as-tables",
    "howto/undecided",
}
"""Pages that compute for a second or more."""


def is_long(page: Path) -> bool:
    return str(page.relative_to(ROOT)).removeprefix("docs/").removesuffix(".md") in LONG


RUN_CODE = [page for page in PLAYED if not is_long(page) and re.search("from_code|--execute", page.read_text("utf-8"))]
"""Quick ones that show ordinary code."""


def cases(pages: list[Path]) -> list[object]:
    """Pages as cases, slow where they are long."""
    return [
        pytest.param(page, id=str(page.relative_to(ROOT)), marks=pytest.mark.slow if is_long(page) else ())
        for page in pages
    ]


def play(page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in needs(page):
        pytest.importorskip(package)
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)  # as Python at a prompt: files of the page can be imported
    player = Player(page, folder)
    for block in blocks(page):
        player.play(block)


def test_pages_that_are_long_exist() -> None:
    assert all((ROOT / "docs" / f"{name}.md").exists() for name in LONG)


@pytest.mark.usefixtures("whole_budget")
@pytest.mark.parametrize("page", cases([page for page in PLAYED if page not in RUN_CODE]))
def test_the_page_does_what_it_says(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    play(page, tmp_path, monkeypatch)


@pytest.mark.usefixtures("whole_budget", "one_process")
@pytest.mark.parametrize("page", cases(RUN_CODE))
def test_the_page_that_runs_code_does_what_it_says(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    play(page, tmp_path, monkeypatch)


def test_there_is_something_to_play() -> None:
    found = [block for page in PLAYED for block in blocks(page)]
    count = Counter(block.language for block in found)
    assert count["console"] >= 30
    assert count["python"] >= 10
    assert sum(len(commands(block.text)) for block in found if block.language == "console") >= 40
    # A fence that the pattern above misses would be a block that no test runs.
    for page in PLAYED:
        fences = [line for line in page.read_text("utf-8").splitlines() if line.lstrip().startswith("```")]
        assert len(fences) == 2 * len(blocks(page)), page


def player(folder: Path) -> Player:
    return Player(ROOT / "docs" / "index.md", folder)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("console", "$ echo one\ntwo\n"),
        ("console", "$ echo one\n"),
        ("console", "$ true\nsomething\n"),
        ("console", "$ false\n"),
        ("console", "no command\n"),
        ("console", "$ exit 0\n$ echo never\nnever\n"),
        ("python", ">>> 1 + 1\n3\n"),
        ("python", "print('silent?')\n"),
        ("sh", "deltachain info example:coin\n"),
        ("text", "$ deltachain info example:coin\n"),
        ("", "deltachain info example:coin\n"),
    ],
)
def test_a_page_that_lies_is_caught(language: str, text: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        player(tmp_path).play(Block(1, language, None, text))


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("console", "$ echo one && echo two >&2\none\ntwo\n"),
        ("console", "$ echo one 'a …' two\none … two\n"),
        ("console", "$ printf 'no newline'\nno newline\n"),
        ("console", "$ false\n$ echo $?\n1\n"),
        ("console", "$ echo a \\\n    b\na b\n"),
        ("python", ">>> list(range(100))\n[0, 1, …, 99]\n"),
        ("json", '{"a": …}\n'),
        ("sh", "# a comment\nmake test\n"),
    ],
)
def test_a_page_that_tells_the_truth_passes(language: str, text: str, tmp_path: Path) -> None:
    player(tmp_path).play(Block(1, language, None, text))


def test_names_and_files_last_to_the_end_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    here = player(tmp_path)
    here.play(Block(1, "text", "note.txt", "hello\n"))
    here.play(Block(2, "console", None, "$ cat note.txt\nhello\n"))
    here.play(Block(3, "python", None, "from pathlib import Path\ntext = Path('note.txt').read_text()\n"))
    here.play(Block(4, "python", None, ">>> text\n'hello\\n'\n>>> more = 1\n"))
    here.play(Block(5, "python", None, ">>> more\n1\n"))


def test_an_ellipsis_matches_anything_and_nothing_else() -> None:
    assert matches("a … c", "a b\nb c")
    assert not matches("a … c", "a b")
    assert not matches("a.c", "abc")
