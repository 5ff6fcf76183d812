"""What can be asked, run and read, by name; each is imported when it is first asked for.

`CORE` is what this package has of its own, a line each. A *satellite* is a package that the core never imports
by itself: its name stands in `SATELLITES`, its value ``PROVIDES`` says as plain data what it brings, and where it is
not installed nothing of it is there. So whoever adds a measure writes one slice and one line.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple


class Registered(NamedTuple):
    """A verb of the command line: one line about it, and the module that has its command or its measure."""

    summary: str
    home: str


@dataclass(frozen=True, kw_only=True)
class Provides:
    """What one package brings; modules by their whole names.

    Attributes:
        verbs: each with a module that has a ``Verb`` of its name in capitals.
        measures: each with a module that has a ``MEASURE``, from which its verb and its row of the report are made.
        formats: the names of formats, which are suffixes, each with a module that has a ``Format`` of this name in
            capitals.
        suffixes: other suffixes of these formats.
        names: modules, each with the public names, blanks between, that ``deltachain`` has of them.
    """

    verbs: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    measures: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    formats: Mapping[str, str] = field(default_factory=dict)
    suffixes: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)


def _slice(summary: str, name: str) -> Registered:
    return Registered(summary, f"deltachain.measures.{name}.command")


def _command(summary: str, name: str) -> Registered:
    return Registered(summary, f"deltachain.commands.{name}")


CORE = Provides(
    verbs={
        "delta": _slice("Bound, with a proof, the smallest δ at which the pairs are (ε, δ)-private.", "delta"),
        "check": _slice(
            "Decide whether the pairs are (ε, δ)-private: proved, refuted with a witness, or undecided.", "delta"
        ),
        "estimate": _slice("Estimate δ by sampling, with a stated confidence: evidence, not a proof.", "estimate"),
        "epsilon": _slice("Find the least ε at which (ε, δ)-privacy is proved.", "epsilon"),
        "profile": _slice("Compute the band δ(ε) over a range of ε.", "profile"),
        "guess": _slice("Find the best chance of guessing the secret from the outputs.", "guess"),
        "calibrate": _slice(
            "Find the best value of a parameter that is proved (ε, δ)-private, and the next, which is refuted.",
            "calibrate",
        ),
        "parametric": _slice(
            "Find δ as an exact function of one parameter: private for every value of it, or exactly where not.",
            "parametric",
        ),
        "sweep": _slice("Run a verb over parameters × ε × pairs, one row each.", "sweep"),
        "report": _command("Write everything about a model to one HTML file.", "report"),
        "distance": _slice(
            "Compute bd, ld or sd, the distances that bound δ from above, exactly or with a proof.", "distance"
        ),
        "verify": _slice(
            "Check a certificate against a model, exactly, with a checker that is independent of the solvers.", "verify"
        ),
        "trace": _slice("Compute exact probabilities of output sequences and events from each state.", "trace"),
        "run": _command("Draw runs of a program or a chain, exactly.", "run"),
        "info": _command("Show the size and shape of a model.", "info"),
        "convert": _command("Translate a model into another format, exactly.", "convert"),
        "counts": _command("Make a model, with a confidence, from an event log.", "counts"),
        "examples": _command("List the example models and their parameters.", "examples"),
    },
    formats={
        "json": "deltachain.formats.native",
        "drn": "deltachain.formats.drn",
        "tra": "deltachain.formats.explicit",
        "csv": "deltachain.formats.distributions",
        "lmc": "deltachain.formats.lmc",
        "dot": "deltachain.formats.format",
        "tex": "deltachain.formats.tex",
    },
)
"""In the order of the help."""

SATELLITES: tuple[str, ...] = ("deltachain_storm", "deltachain_smt", "deltachain_explore")
"""Modules with a ``PROVIDES``, in the order in which what they bring is listed."""


@cache
def _list_provided(satellites: tuple[str, ...]) -> tuple[Provides, ...]:
    there = [name for name in satellites if importlib.util.find_spec(name) is not None]
    return (CORE, *(Provides(**importlib.import_module(name).PROVIDES) for name in there))


def list_provided() -> Sequence[Provides]:
    """What the core brings, then each satellite that is installed."""
    return _list_provided(SATELLITES)


def verbs() -> dict[str, Registered]:
    """The verbs of the command line, in the order of its help."""
    tables = [table for part in list_provided() for table in (part.verbs, part.measures)]
    return {name: Registered(*entry) for table in tables for name, entry in table.items()}


def measures() -> dict[str, Registered]:
    """The measures that the trunk makes everything of."""
    return {name: Registered(*entry) for part in list_provided() for name, entry in part.measures.items()}


def formats() -> dict[str, str]:
    """The module of each format."""
    return {name: home for part in list_provided() for name, home in part.formats.items()}


def suffixes() -> dict[str, str]:
    """The formats of suffixes that are not their names."""
    return {suffix: name for part in list_provided() for suffix, name in part.suffixes.items()}


def names() -> dict[str, str]:
    """The public names that satellites bring, by their modules."""
    return {home: listed for part in list_provided() for home, listed in part.names.items()}
