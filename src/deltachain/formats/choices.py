"""The choices of a foreign model's state as inputs of the observer: told apart by their names, and by nothing else.

A tool for MDPs gives a state one or more choices, each with a row and perhaps an action name. The observer says what to
do by naming it, so the names of a state with several choices must be there and differ. A single choice without a name
is nothing to choose; a single one with a name is an input that is always given, and seen. That all states which look
alike offer the same inputs is checked where the chain is made (`chain.build.assemble`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from ..errors import Defect
from ..model.build import RawRow

Choice = tuple[Sequence[str], RawRow]
"""The action names of one choice (none, or one; more are refused) and its row."""


def rows_by_input(
    choices: Sequence[Choice], where: str, how_to_name: str, defects: list[Defect]
) -> RawRow | Mapping[str, RawRow]:
    """The row of a state that offers no choice, or its rows by input; adds to ``defects`` what keeps it from being one.

    >>> rows_by_input([((), [(0, 1)])], "state 's'", "", [])
    [(0, 1)]
    >>> rows_by_input([(("a",), [(0, 1)]), (("b",), [(1, 1)])], "state 's'", "", [])
    {'a': [(0, 1)], 'b': [(1, 1)]}
    """
    if len(choices) == 1 and not choices[0][0]:
        return choices[0][1]
    unnamed = sum(not names for names, _ in choices)
    if unnamed:
        what = f"it has {len(choices)} actions, {unnamed} of them without a name"
        defects.append(Defect(where, what, f"the observer chooses by name: {how_to_name}"))
    defects += [
        Defect(where, f"its action has several names, {', '.join(map(repr, sorted(names)[:4]))}", "keep one of them")
        for names, _ in choices
        if len(names) > 1
    ]
    counts = Counter(names[0] for names, _ in choices if len(names) == 1)
    for name, count in counts.items():
        if count > 1:
            fix = "rename all but one: the observer could not choose between them"
            defects.append(Defect(where, f"{count} of its actions are named {name!r}", fix))
    return {min(names): row for names, row in choices if names}
