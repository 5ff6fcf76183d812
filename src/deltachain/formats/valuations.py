"""Values of variables that a file can hold: integers, truth values and text."""

from __future__ import annotations

from ..errors import Defect, InputError
from ..model import Chain
from ..rational import MAX_DIGITS, format_fraction


def refuse_values(chain: Chain) -> None:
    """Raise InputError listing every variable whose value no file can hold."""
    defects = []
    for name, valuation in zip(chain.states, chain.valuations or ({},) * len(chain), strict=True):
        for variable, value in valuation.items():
            if not isinstance(value, bool | int | str):
                what = f"variable {variable!r} has a value of type {type(value).__name__}"
                defects.append(Defect(f"state {name!r}", what, "give an integer, a bool or a text"))
            elif (
                isinstance(value, int)
                and value.bit_length() > 3 * MAX_DIGITS
                and len(format_fraction(value)) > MAX_DIGITS
            ):
                what = f"variable {variable!r} has a value of more than {MAX_DIGITS} digits"
                defects.append(Defect(f"state {name!r}", what, "give it as text"))
    if defects:
        raise InputError(defects)
