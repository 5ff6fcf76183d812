"""LMC, the text format of the bisimilarity distance solver bdsolver: labelled Markov chains, read only.

::

    // a comment
    States
    1 start
    2 heads
    Edges
    1 -> 1 1/2
    1 -> 2 0.5
    2 -> 2 1/1

A state has a number, which is its name, and a word, its label. Numbers are fractions or decimals; rows of rounded
decimals need `normalise`, as in every format. A pair of states with two edges, and edges of states that there are not,
are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

from ..model import Loaded
from ..settings import Settings
from .format import Faults, Format, ProbabilityReader, assemble_loaded, read_lines

STATES, EDGES = "States", "Edges"

_STATE = re.compile(r"[ \t]*([0-9]{1,18})[ \t]+([^ \t]+)[ \t]*")
_EDGE = re.compile(r"[ \t]*([0-9]{1,18})[ \t]*->[ \t]*([0-9]{1,18})[ \t]+([^ \t]+)[ \t]*")


def load_lmc(path: Path, settings: Settings) -> Loaded:
    """The chain of an LMC file; FormatError with every line that cannot be read, ModelError for wrong sums."""
    return loaded_from_lmc(read_lines(path, settings.cancel), str(path), settings)


def loaded_from_lmc(lines: Iterable[str], source: str, settings: Settings = Settings()) -> Loaded:  # noqa: B008 - frozen
    r"""The chain of an LMC text; ``source`` names it in messages.

    >>> text = "States\n1 a\n2 b\nEdges\n1 -> 2 1/1\n2 -> 2 1/1"
    >>> loaded_from_lmc(text.splitlines(), "two.lmc").chain.labels
    ('a', 'b')
    """
    faults, part = Faults(source), ""
    place: dict[str, tuple[int, str]] = {}
    rows: dict[str, dict[str, Fraction]] = {}
    number = ProbabilityReader()
    for line, text in enumerate(lines, 1):
        content = text.split("//", 1)[0].rstrip()
        if not content.strip():
            continue
        if content.strip() in (STATES, EDGES):
            expected = STATES if not part else EDGES
            if content.strip() != expected or part == EDGES:
                faults.add(line, 1, f"{content.strip()!r} does not belong here", "write States once, then Edges once")
            part = content.strip()
        elif part == STATES:
            state = _STATE.fullmatch(content)
            if state is None:
                faults.add(line, 1, "this is not a state", "write its number and its label, '1 start'")
            elif state[1] in place:
                faults.add(line, 1, f"state {state[1]} is there already", "name it once")
            else:
                place[state[1]] = line, state[2]
                rows[state[1]] = {}
        elif part == EDGES:
            edge = _EDGE.fullmatch(content)
            if edge is None:
                faults.add(line, 1, "this is not an edge", "write '1 -> 2 1/2'")
                continue
            unknown = [name for name in (edge[1], edge[2]) if name not in place]
            if unknown:
                faults.add(line, edge.start(1) + 1, f"there is no state {unknown[0]}", "list it under States")
            elif edge[2] in rows[edge[1]]:
                faults.add(line, 1, f"the edge {edge[1]} -> {edge[2]} is there already", "write it once")
            else:
                try:
                    rows[edge[1]][edge[2]] = number(edge[3])
                except ValueError as reason:
                    faults.add(line, edge.start(3) + 1, str(reason), "write 1/2 or 0.5")
        else:
            faults.add(line, 1, "the file does not begin with States", "write States, then the states, then Edges")
    if part != EDGES and not faults.found:
        faults.add(1, 1, "there is no line Edges", "write States, then the states, then Edges")
    faults.check()
    names = list(place)
    return assemble_loaded(
        source,
        settings,
        names,
        [place[name][1] for name in names],
        [list(rows[name].items()) for name in names],
        place=lambda state: f"{source}:{place[names[state]][0]}: state {names[state]!r}",
    )


LMC = Format(title="the text format of bdsolver, read only", read=load_lmc)
