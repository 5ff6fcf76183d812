"""The options that verbs share, and what they mean: a model, pairs of its states, an α, and how to speak."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from ..cancel import Cancel
from ..errors import Defect, InputError, ModelError
from ..formats import Loaded
from ..model import Chain
from ..model.validate import NORMALISE
from ..rational import ExpEpsilon
from ..render.table import listed
from .front_ends import add_choosing, add_reading, read_model, related
from .hiding import add_hiding, hidden
from .output import note

if TYPE_CHECKING:
    from collections.abc import Iterable


def add_model(parser: argparse.ArgumentParser) -> None:
    """MODEL, and how to read it."""
    parser.add_argument("model", metavar="MODEL", help="a model file, -, protocol.py:NAME, or example:NAME,key=value,…")
    group = parser.add_argument_group("reading the model")
    group.add_argument("--format", metavar="NAME", help="the file's format, where its suffix does not tell")
    group.add_argument(
        "--normalise", action="store_true", help="divide rows that sum to 1 within 1e-3 by their sum, exactly"
    )
    group.add_argument("--normalise-any", action="store_true", help="divide every row by its sum, whatever it is")
    group.add_argument(
        "--keep-labels",
        action="store_true",
        help="keep the labels init and deadlock of PRISM and Storm files",
    )
    add_reading(group)
    add_hiding(group)


def add_pairs(parser: argparse.ArgumentParser) -> None:
    """``--pair S T``, or ``--from P --to Q``."""
    text = "a pair of states to compare; repeatable (default: the relation that the model carries)"
    parser.add_argument("--pair", nargs=2, action="append", default=[], metavar=("S", "T"), help=text)
    add_choosing(parser)


def add_epsilon(parser: argparse.ArgumentParser) -> None:
    """``--epsilon E`` or ``--exp-epsilon A``."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--epsilon", metavar="E", help="the privacy parameter ε ≥ 0, exact: 0.1, 1/10, 1e-1")
    group.add_argument("--exp-epsilon", metavar="A", help="e^ε ≥ 1 itself, exact: 1.0002, 3/2")


def load_model(args: argparse.Namespace, cancel: Cancel, starts: Iterable[str] = ()) -> Loaded:
    """The chain that MODEL names, without its silent states; what there is to say goes to standard error.

    ``starts`` are start states beside those of the relation and of ``--pair``; they stay when they are silent.
    """
    try:
        loaded = read_model(args, cancel)
    except ModelError as error:
        raise ModelError([_with_option(defect) for defect in error.defects]) from None
    chain = related(args, loaded.chain)
    paired = states_named(chain, (name for pair in getattr(args, "pair", ()) for name in pair), "--pair")
    first = {*paired, *(chain.number(name) for name in starts if name in chain.index)}
    first.update(state for pair in loaded.chain.relation for state in pair)
    loaded = hidden(args, replace(loaded, chain=chain), first)
    for text in loaded.notes:
        note(args, text)
    return loaded


def _with_option(defect: Defect) -> Defect:
    """The defect of a row's sum, with the option that divides rows by it."""
    options = "--normalise, or --normalise-any if it is off by more than 1e-3"
    return Defect(defect.where, defect.what, defect.fix.replace(NORMALISE, options))


def states_named(chain: Chain, names: Iterable[str], option: str) -> list[int]:
    """The numbers of the states, each once, in the order given; InputError with every unknown name."""
    numbers: dict[int, None] = {}
    defects: list[Defect] = []
    for name in names:
        try:
            numbers[chain.number(name)] = None
        except InputError as error:
            defects += [Defect(option, str(defect)) for defect in error.defects]
    if defects:
        raise InputError(list(dict.fromkeys(defects)))
    return list(numbers)


def pairs_of(args: argparse.Namespace, chain: Chain) -> list[tuple[int, int]]:
    """The pairs to compare, each once: those of ``--pair``, else the relation that the model carries."""
    if not args.pair:
        if not chain.relation:
            if len(getattr(args, "secret", [])) == 1:
                what = "one secret alone has nothing to be compared with"
                raise InputError(Defect("--secret", what, "give a second one, or two states with --pair"))
            states = listed(chain.states, 20)
            raise InputError(Defect("--pair", "the model carries no relation", f"name two of its states: {states}"))
        return list(chain.relation)
    states_named(chain, (name for pair in args.pair for name in pair), "--pair")
    return list(dict.fromkeys((chain.number(s), chain.number(t)) for s, t in args.pair))


def exp_epsilon_of(args: argparse.Namespace) -> ExpEpsilon:
    """α from ``--exp-epsilon``, exactly, or rational bounds of e^ε from ``--epsilon``."""
    if args.exp_epsilon is None and args.epsilon is None:
        raise InputError(Defect("--epsilon", "no privacy parameter", "give --epsilon E, or e^E as --exp-epsilon A"))
    return ExpEpsilon.read(args.epsilon, args.exp_epsilon)
