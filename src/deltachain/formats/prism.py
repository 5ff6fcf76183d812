"""PRISM and JANI models, explored by Storm in exact rationals; needs the extra ``storm``.

The model must be a dtmc, or an mdp, whose action names are the inputs that the observer chooses from. Storm, in a
process of its own (`storm_child`), explores every reachable state with its checks on (values within bounds,
probabilities between 0 and 1 that sum to one for each command); what it only labels or logs is refused or noted here,
see `stormpy_models`. Every row's sum is checked again, exactly, when the chain is made. Integers are 64 bits wide in
Storm's arithmetic on constants, which is said in docs/prism.md.

A constant of a PRISM model that has a value in the file may be given another: its definition is blanked out, lines
and columns kept, before Storm sees the text.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from ..errors import Defect, InputError
from .notes import Loaded
from .reading import read_text
from .settings import Settings
from .storm_child import explore
from .stormpy_models import ONLY, chain_of

OTHER_KINDS = ("ctmc", "ctmdp", "ma", "pomdp", "popta", "pta", "smg", "stochastic", "tsg")
"""The words that begin a PRISM model of another kind."""

FIRST_WORD = re.compile(r"(?:\s|//[^\n]*(?:\n|$))*([A-Za-z_]\w*)")
DEFINED = re.compile(
    r"""(?P<skipped>//[^\n]*|"[^"\n]*")"""
    r"""|(?P<head>\bconst\s+(?:(?:int|double|bool|rate|prob)\s+)?(?P<name>[A-Za-z_]\w*)\s*)"""
    r"""(?P<value>=(?:[^;/"]|/(?!/)|//[^\n]*)*)(?=;)"""
)
"""A constant's definition; comments and texts in quotes are stepped over."""


def load_symbolic(path: Path, settings: Settings, *, jani: bool) -> Loaded:
    """The chain of a PRISM file, or of a JANI file.

    Raises FormatError for text that Storm cannot parse, InputError for another kind of model, constants that
    do not fit, unknown names and whatever Storm does not survive, ModelError for what goes wrong when it is
    explored; BackendMissing without stormpy, Stopped when it is cancelled.
    """
    text = read_text(path)
    source = str(path)
    if not jani:
        _refuse_other_kinds(text, source)
        text = without_values(text, settings.constants)
    found = explore(
        text,
        source,
        jani=jani,
        constants=settings.constants,
        max_states=settings.max_states,
        cancel=settings.cancel,
    )
    chain, notes = chain_of(found, settings.observation, settings.cancel)
    return Loaded(chain, source, tuple(f"{source}: {note}" for note in notes))


def without_values(text: str, names: Collection[str]) -> str:
    """The PRISM text with the values of these constants blanked out, so that they can be given others.

    >>> without_values("const int T = 4; // const int T = 5;", {"T"})
    'const int T    ; // const int T = 5;'
    """

    def blanked(match: re.Match[str]) -> str:
        if match["skipped"] is not None or match["name"] not in names:
            return match[0]
        return match["head"] + re.sub(r"[^\n]", " ", match["value"])

    return DEFINED.sub(blanked, text) if names else text


def _refuse_other_kinds(text: str, source: str) -> None:
    found = FIRST_WORD.match(text)
    if found and found.group(1) in OTHER_KINDS:
        line = text.count("\n", 0, found.start(1)) + 1
        raise InputError(_other_kind(f"{source}:{line}", found.group(1)))


def _other_kind(where: str, kind: str) -> Defect:
    return Defect(where, f"the model is of type {kind}", ONLY)


def parse_constants(text: str, what: str = "`constants`") -> dict[str, str]:
    """The texts of ``N=3,p=49/100``, by name; InputError naming every piece that is not name=value.

    >>> parse_constants("N=3, p=49/100")
    {'N': '3', 'p': '49/100'}
    """
    found: dict[str, str] = {}
    defects = []
    for piece in text.split(","):
        name, sign, value = (part.strip() for part in piece.partition("="))
        if not (name and sign and value):
            defects.append(Defect(what, f"{piece.strip()!r} is not name=value", "write N=3,p=49/100"))
        elif name in found:
            defects.append(Defect(what, f"{name!r} is given twice", "give it once"))
        else:
            found[name] = value
    if defects:
        raise InputError(defects)
    return found
