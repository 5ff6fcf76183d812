"""What is refused beside a question for all integers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import Defect, InputError

if TYPE_CHECKING:
    from ...settings import Settings


def refuse_beside(settings: Settings, **given: object) -> None:
    """InputError with everything that is asked beside a question for all integers, and has no meaning there."""
    fix = "leave it out, or give a finite domain of secrets"
    defects = [
        Defect(settings.place(name), "not used where inputs are all integers", fix)
        for name, value in given.items()
        if value not in (None, 1, (), [], False)
    ]
    if defects:
        raise InputError(defects)
