"""MODEL and what belongs to it: an example of the zoo, a program in a Python file, or a model file.

``example:NAME,key=value,…``, ``protocol.py:NAME`` with ``--secret`` and ``--constants``, ``-`` for native JSON on
standard input, or a file whose suffix names its format. An option that means nothing for the kind of MODEL is
refused, not ignored.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from ..cancel import Cancel
from ..errors import Defect, InputError, MissingFile
from ..formats import Loaded
from ..model import Chain
from ..render.table import listed

EXAMPLE = "example:"
PROGRAM = ".py"

FOR_FILES = ("format", "normalise", "normalise_any", "keep_labels", "observe", "observe_labels")
FOR_PROGRAMS = ("secret",)
FOR_BOTH = ("constants", "max_states")

MAX_PAIRS = 100_000
"""How many pairs two predicates may choose."""


def add_reading(group: argparse._ArgumentGroup) -> None:
    """The options of programs and of PRISM, JANI and UMB models."""
    group.add_argument(
        "--constants", metavar="N=3,p=49/100", help="values of the constants of a PRISM or JANI model or a program"
    )
    group.add_argument(
        "--secret", action="append", default=[], metavar="X=0", help="values that a program starts from; repeatable"
    )
    group.add_argument(
        "--max-states",
        metavar="N",
        help="how many states of a PRISM or JANI model, or configurations of a program, are explored",
    )
    group.add_argument("--observe", metavar="X,Y", help="the variables that are visible (PRISM, JANI, UMB)")
    group.add_argument("--observe-labels", metavar="A,B", help="the labels that are visible (PRISM, JANI, UMB)")


def add_choosing(parser: argparse.ArgumentParser) -> None:
    """``--from P --to Q``: pairs by predicates over the variables."""
    parser.add_argument(
        "--from", dest="from_states", metavar="P", help="compare the start states where P holds, such as 'payer=0' …"
    )
    parser.add_argument("--to", dest="to_states", metavar="Q", help="… with those where Q holds, such as 'payer=1'")


def read_model(args: argparse.Namespace, cancel: Cancel) -> Loaded:
    """The chain that MODEL names, with notes; InputError for options that do not belong to it."""
    source: str = args.model
    cancel.report(f"reading {source}")
    if source.startswith(EXAMPLE):
        _refuse(args, (*FOR_FILES, *FOR_PROGRAMS, *FOR_BOTH), source)
        from .. import examples

        return Loaded(examples.build(source.removeprefix(EXAMPLE)), source)
    file, colon, name = source.rpartition(":")
    if colon and file.endswith(PROGRAM):
        _refuse(args, FOR_FILES, source)
        chain = _program(args, file, name, cancel)
        return Loaded(chain, source, () if _announces(chain) else (f"no run of {name} announces anything",))
    if source.endswith(PROGRAM) and args.format is None:
        raise InputError(_unnamed_program(source))
    _refuse(args, FOR_PROGRAMS, source)
    return _file(args, source, cancel)


def reading_options(args: argparse.Namespace) -> list[str]:
    """The options that were given on how to read MODEL, as they are typed."""
    typed: list[str] = []
    for option in (*FOR_FILES, *FOR_BOTH, *FOR_PROGRAMS):
        value, flag = getattr(args, option), f"--{option.replace('_', '-')}"
        if value is True:
            typed.append(flag)
        elif value:
            typed += [word for text in ([value] if isinstance(value, str) else value) for word in (flag, text)]
    return typed


def _refuse(args: argparse.Namespace, options: tuple[str, ...], source: str) -> None:
    defects = [
        Defect(f"--{option.replace('_', '-')}", "it means nothing for this kind of model", f"drop it for {source}")
        for option in options
        if getattr(args, option)
    ]
    if defects:
        raise InputError(defects)


def _file(args: argparse.Namespace, source: str, cancel: Cancel) -> Loaded:
    from .. import formats

    if _names_an_example(source) and not Path(source).exists():
        fix = f"for the example of this name give {EXAMPLE}{source}"
        raise MissingFile(source, fix)
    read: Loaded = formats.load_with_notes(
        source,
        format=args.format,
        normalise="any" if args.normalise_any else args.normalise,
        keep_labels=args.keep_labels,
        constants=_constants(args.constants),
        observe=_names(args.observe, "--observe"),
        observe_labels=_names(args.observe_labels, "--observe-labels"),
        max_states=None if args.max_states is None else _positive(args.max_states),
        cancel=cancel,
    )
    return replace(read, source=source)


def _names_an_example(source: str) -> bool:
    name = source.partition(",")[0]
    if "." in name or "/" in name:  # a file, without loading the zoo to say so
        return False
    from .. import examples

    return name in examples.names()


def _constants(text: str | None) -> dict[str, str] | None:
    if text is None:
        return None
    from ..formats.prism import parse_constants

    return parse_constants(text)


def _names(text: str | None, option: str) -> list[str]:
    names = [] if text is None else [piece.strip() for piece in text.split(",")]
    if not all(names):
        raise InputError(Defect(option, f"{text!r} is not a list of names", "write x,y"))
    return names


def _program(args: argparse.Namespace, file: str, name: str, cancel: Cancel) -> Chain:
    from ..programs import load_program, parse_assignments
    from ..programs.program import MAX_STATES

    program = load_program(file, name)
    constants = {} if args.constants is None else parse_assignments(args.constants, "--constants")
    if not args.secret:
        parameters = [parameter.name for parameter in program.parameters] or ["…"]
        fix = f"give two or more, --secret {parameters[0]}=…; {name} takes {', '.join(parameters)}"
        raise InputError(Defect("--secret", f"{name} has no secrets to start from", fix))
    secrets = [parse_assignments(text, "--secret") for text in args.secret]
    budget = MAX_STATES if args.max_states is None else _positive(args.max_states)
    return program.chain(secrets, constants=constants, max_states=budget, cancel=cancel)


def _announces(chain: Chain) -> bool:
    """Whether a letter is ever seen beside those that every program has."""
    return any(label not in ("start", "end", "diverges") for label in chain.labels)


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 12 and int(text)):
        raise InputError(Defect("--max-states", f"{text!r} is not a positive integer", "write 1000000"))
    return int(text)


def _unnamed_program(source: str) -> Defect:
    from ..programs import program_names

    names = program_names(source)
    fix = f"give {source}:{names[0]}" if names else "decorate a function with @program"
    found = f"it defines {listed(names)}" if names else "it defines none"
    return Defect(str(Path(source)), f"a Python file needs the name of a program; {found}", fix)


def related(args: argparse.Namespace, chain: Chain) -> Chain:
    """The chain with the pairs of ``--from`` and ``--to`` for its relation, where they are given.

    They choose among the states that the model's own relation names (several initial states, secrets), and
    among all states where it has none.
    """
    first, second = getattr(args, "from_states", None), getattr(args, "to_states", None)
    if first is None and second is None:
        return chain
    if first is None or second is None:
        option, other = ("--to", "--from") if first is None else ("--from", "--to")
        raise InputError(Defect(option, f"it needs {other} as well", f"give {other} P"))
    if args.pair:
        raise InputError(Defect("--pair", "pairs are also given by --from and --to", "give them in one way"))
    from .predicates import states_where

    starts = sorted({state for pair in chain.relation for state in pair}) or range(len(chain))
    chosen = [
        (option, text, states_where(chain, text, within=starts, what=option))
        for option, text in (("--from", first), ("--to", second))
    ]
    where = f"its start states are {listed([chain.states[s] for s in starts], 8)}" if chain.relation else "correct it"
    defects = [
        Defect(f"{option} {text!r}", "no state satisfies it", where) for option, text, states in chosen if not states
    ]
    if defects:
        raise InputError(defects)
    pairs = [(s, t) for s in chosen[0][2] for t in chosen[1][2] if s != t]
    if not pairs:
        raise InputError(Defect("--from", "it chooses one state, the same as --to", "choose two different states"))
    if len(pairs) > MAX_PAIRS:
        what = f"{len(chosen[0][2])} times {len(chosen[1][2])} pairs are too many"
        raise InputError(Defect("--from", what, f"choose at most {MAX_PAIRS} pairs"))
    return chain.with_relation(pairs)
