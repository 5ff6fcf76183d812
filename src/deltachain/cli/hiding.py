"""``--hide LABELS`` and ``--hide-unlabelled``: states that nobody sees are removed before anything is asked."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import replace

from ..errors import Defect, InputError
from ..formats import Loaded
from ..model import Chain


def add_hiding(group: argparse._ArgumentGroup) -> None:
    """The two options."""
    group.add_argument(
        "--hide",
        action="append",
        default=[],
        metavar="A,B",
        help="remove the states with these labels, exactly: a run passes through them unseen; repeatable",
    )
    group.add_argument("--hide-unlabelled", action="store_true", help="likewise the states whose label is empty")


def hidden(args: argparse.Namespace, model: Loaded, starts: Iterable[int]) -> Loaded:
    """The model without the states that are to be hidden; its notes say what was."""
    if not args.hide and not args.hide_unlabelled:
        return model
    from ..model.silent import without_silent

    labels = [label for text in args.hide for label in _labels(text, model.chain)]
    try:
        silenced = without_silent(model.chain, labels, unlabelled=args.hide_unlabelled, starts=starts)
    except InputError as error:
        option = "--hide" if args.hide else "--hide-unlabelled"
        raise InputError(Defect(option, defect.what, defect.fix) for defect in error.defects) from None
    return replace(model, chain=silenced.chain, notes=(*model.notes, *silenced.notes))


def _labels(text: str, chain: Chain) -> list[str]:
    """The labels that a text names: itself, if some state has it, else the parts between its commas."""
    return [text] if text in chain.by_label else [part.strip() for part in text.split(",")]


def hiding_options(args: argparse.Namespace) -> list[str]:
    """The options that were given, as they are typed."""
    return [word for text in args.hide for word in ("--hide", text)] + ["--hide-unlabelled"] * args.hide_unlabelled
