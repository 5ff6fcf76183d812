"""Text as a condition: ``--secret mine=no`` once made a program look private, because "no" is true."""

from __future__ import annotations

import pytest

from deltachain.programs import ProgramError, announce, flip, program
from tests.words import refuses


@program
def statement(mine: object) -> None:
    if mine:
        announce(flip("3/4"))
    else:
        announce(flip("1/4"))


@program
def expression(mine: object) -> None:
    announce(1 if not mine else 0)


@program
def conjunction(mine: object) -> None:
    announce(mine and flip("1/2"))


@pytest.mark.parametrize("protocol", [statement, expression, conjunction])
def test_text_is_refused_as_a_condition(protocol: object) -> None:
    with refuses(ProgramError, "as a condition"):
        protocol.chain(secrets=[{"mine": "yes"}, {"mine": "no"}])  # type: ignore[attr-defined]
    assert len(protocol.chain(secrets=[{"mine": True}, {"mine": False}])) > 2  # type: ignore[attr-defined]
