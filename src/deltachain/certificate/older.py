"""Certificates of format 1, and the frozen checker that reads them, which is imported where one is met."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from types import ModuleType
from typing import Any, cast

import deltachain_checker_v1 as older
from deltachain_checker import Claim, Meter
from deltachain_checker.numbers import quotient
from deltachain_checker_v1 import sums
from deltachain_checker_v1.families import ChainFamily, family
from deltachain_checker_v1.functions import FunctionOfE, function
from deltachain_checker_v1.meter import metered
from deltachain_checker_v1.open_numbers import OpenNumber
from deltachain_checker_v1.read import LimitedRow, exact_row

from ..cancel import spend
from ..model import AnyRow, Chain
from ..numbers.parameter import OpenParameter
from .rejection import ours
from .verification import coefficients, compiled_loops, see_rows


def parse_older(written: str, meter: Meter | None = None) -> Any:
    """The document as the checker of format 1 reads it."""
    with metered(_count(meter)):
        return older.parse(written)


def verify_older(
    model: older.Model | ChainFamily, document: Any, meter: Meter | None = None, loops: ModuleType | None = None
) -> list[Claim]:
    """The claims of a document of format 1, as claims of today.

    Recipes are replayed by compiled ``loops``, if there are any, or by those of the plain source.
    """
    return [
        of_today(claim) for claim in older.verify(model, document, _count(meter), loops or compiled_loops() or sums)
    ]


def _count(meter: Meter | None) -> older.Meter | None:
    return cast("older.Meter | None", meter)  # it has the same methods, and both checks count on it


def of_today(claim: older.Claim) -> Claim:
    """A claim of the checker of format 1, its functions of e^(1/k) and of a parameter as numbers of today."""
    name = claim.terms.get("parameter", "")

    def number(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return type(value)(map(number, value)) if type(value) in (list, tuple) else value
        if isinstance(value, FunctionOfE):
            return quotient(value.k, value.top, value.bottom)
        return quotient(name, value.top, value.bottom) if isinstance(value, OpenNumber) else value

    given = {each.name: getattr(claim, each.name) for each in fields(claim)}
    given |= {side: number(given[side]) for side in ("lower", "upper", "value")}
    given |= {"at": tuple(map(number, claim.at)), "terms": {key: number(v) for key, v in claim.terms.items()}}
    return Claim(**given)


@ours()
def older_model_of(chain: Chain) -> older.Model:
    """The chain as the checker of format 1 sees it."""
    names = chain.states

    def see(name: str, row: AnyRow) -> Any:
        spend(len(row) * (10 if row.functions is None else 1000))
        if row.fractions is not None:
            return {names[t]: p for t, p in row.fractions}
        if row.functions is not None:
            exact = row.functions
            functions = {names[t]: function(exact.k, top, exact.bottom) for t, top in exact.tops}
            return exact_row(f"state {name}", cast("dict[str, Fraction]", functions))
        return LimitedRow({names[t]: (lo, hi) for t, lo, hi in row.box}, row.box.rest)

    return older.Model(dict(zip(names, chain.labels, strict=True)), see_rows(chain, see))


@ours()
def family_of(chain: Chain, interval: OpenParameter) -> ChainFamily:
    """The chain that was made at the point of an open parameter, for every value of it."""
    names, rows = chain.states, {}
    for name, (row,) in zip(names, chain.points, strict=True):
        rows[name] = {names[t]: OpenNumber.of(*coefficients(interval.function(p))) for t, p in row}
    return family(interval.name, interval.low, interval.high, dict(zip(names, chain.labels, strict=True)), rows)
