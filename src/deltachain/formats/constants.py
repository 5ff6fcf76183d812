"""Values of a model file's constants, as the command line gives them."""

from __future__ import annotations

from ..errors import Defect, InputError


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
