"""Label sets and label texts: a state in a model file has a set of names; a state of a chain has one label.

The label of a set is its names, sorted and joined with ``,``; the empty set's is the empty text. A text
that is a *list* (two or more non-empty names, strictly increasing, joined with ``,``) stands for those
names, and any other non-empty text for itself as a single name. A name that contains a comma is read only
where this is undone exactly: alone in its state, and not itself a list. So two states get the same label if
and only if they have the same set.

PRISM and Storm mark states with ``init`` (where runs start) and ``deadlock`` (a loop was added). These say
how the model was made, not what a watcher sees, and are dropped unless asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

DROPPED = frozenset({"init", "deadlock"})
"""The label names that say nothing a watcher sees."""


def joined(names: Iterable[str], *, keep: bool = True) -> str:
    """The label of a set of names, without `DROPPED` unless ``keep``; ValueError when none can stand for it.

    >>> joined(["stable", "init", "elected"], keep=False)
    'elected,stable'
    """
    kept = sorted({name for name in names if keep or name not in DROPPED})
    for name in kept:
        if not name:
            raise ValueError("an empty label name")
        if "," in name and (len(kept) > 1 or len(label_names(name)) > 1):
            raise ValueError(f"the label name {name!r} would read as several names because of its comma")
    return ",".join(kept)


def label_names(label: str) -> tuple[str, ...]:
    """The set of names that a label stands for, sorted.

    >>> label_names("a,b"), label_names("b,a"), label_names("")
    (('a', 'b'), ('b,a',), ())
    """
    if not label:
        return ()
    parts = label.split(",")
    is_list = all(parts) and all(a < b for a, b in pairwise(parts))
    return tuple(parts) if is_list else (label,)
