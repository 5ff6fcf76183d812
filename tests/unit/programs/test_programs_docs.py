"""The programs of docs/programs.md are programs, and the limits it states are the limits."""

from __future__ import annotations

import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import deltachain
from deltachain.model.words import word_probability
from deltachain.programs import load_program, program_names
from deltachain.programs.language import graph, primitives, values
from deltachain.programs.language.values import BUILTINS
from deltachain.programs.protocol import MAX_STATES
from deltachain.programs.run import explore, states

PAGE = (Path(deltachain.__file__).parents[2] / "docs" / "programs.md").read_text(encoding="utf-8")


def test_the_programs_of_the_page_work(tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    files = []
    for number, block in enumerate(blocks):
        files.append(tmp_path / f"block{number}.py")
        files[-1].write_text(block)
    assert [program_names(file) for file in files] == [("dining",), ("first_seen", "crowds")]
    dining = load_program(files[0], "dining").chain([{"paying": 0}, {"paying": 1}])
    assert dining.pairs == (("paying=0", "paying=1"),)
    crowds = load_program(files[1], "crowds").chain([{"sender": 0}])
    assert word_probability(crowds, 0, ["start", "from-0"]) == Fraction(11, 40)


def test_the_limits_of_the_page_are_the_limits() -> None:
    table = PAGE[PAGE.index("## Limits") : PAGE.index("## From a file")]
    stated = [int(n.replace(",", "")) for n in re.findall(r"\b\d[\d,]*\b", table.replace("·", " "))]
    assert stated == [
        MAX_STATES, explore.HIDDEN_PER_STATE, states.TRANSITIONS_PER_STATE, explore.FREE_STEPS,
        explore.STEPS_PER_STATE, values.MAX_BITS,
        values.MAX_ITEMS, values.MAX_DEPTH, values.MAX_ITEMS, values.MAX_RANGE, primitives.MAX_OUTCOMES,
        states.MOST_TOLD_APART,
        graph.MAX_POINTS, states.MAX_SOLVE,
    ]  # fmt: skip


def test_the_builtins_of_the_page_are_the_builtins() -> None:
    match = re.search(r"\*\*Builtins:\*\* `([^`]*)`", PAGE)
    assert match is not None
    assert match[1].split() == list(BUILTINS)


def test_a_program_as_text_can_be_typed_at_the_prompt() -> None:
    page = Path(deltachain.__file__).parents[2] / "docs" / "howto" / "composing-with-others.md"
    text = page.read_text(encoding="utf-8")
    block = next(b for b in re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL) if "program(" in b)
    lines = block.splitlines()
    typed = "".join(f"{line[4:]}\n" for line in lines if line.startswith((">>> ", "... ")))
    shown = [line for line in lines if line and not line.startswith((">>> ", "... "))]
    done = subprocess.run([sys.executable, "-i", "-q"], input=typed, capture_output=True, text=True, check=True)
    assert [line for line in done.stdout.splitlines() if line] == shown
