"""`distance`: bd or ld of the chain as given. `verify`: a certificate checked."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ..chain import Chain
from ..errors import InputError
from ..rational import ExpEpsilon, Number
from ..watch import Report
from .parameters import State, pair_numbers

if TYPE_CHECKING:
    from ..certificate.record import Certificate
    from ..distances.fixed_point import Distance
    from ..distances.space import Kind

__all__ = ["distance", "verify"]


def distance(
    chain: Chain,
    *,
    epsilon: Number | None = None,
    exp_epsilon: Number | None = None,
    kind: Kind = "bd",
    pairs: Iterable[tuple[State, State]] | None = None,
    exact: bool | None = None,
    report: Report | None = None,
) -> Distance:
    """The distance bd or ld of the chain as given; ``pairs`` defaults to every same-label pair.

    For ``epsilon`` the distance is computed at a rational α_below ≤ e^ε (relative error 2^-60). That makes it an upper
    bound of δ at e^ε; of the distance at e^ε it need not be one, for bd and ld do not always fall as α grows.
    At ``exp_epsilon`` it is what `Distance.side` says.

    >>> import deltachain as dc
    >>> chain = dc.examples.dining_cryptographers(n=2, p="49/100")
    >>> d = distance(chain, exp_epsilon="1.0002")
    >>> d["s0", "s1"], d.side
    (Fraction(1, 2500), 'exact')
    """
    from ..distances.fixed_point import solve

    if kind not in ("bd", "ld"):
        raise InputError(f"kind: {kind!r} is neither 'bd' nor 'ld'")
    at = ExpEpsilon.read(epsilon, exp_epsilon)
    numbered = None if pairs is None else pair_numbers(chain, pairs)
    return solve(chain, at.below, kind=kind, pairs=numbered, exact=exact, report=report)


def verify(chain: Chain, certificate: Certificate | str | Path) -> list[str]:
    """Have the trusted checker check a certificate, or the file of one: what it proves, or CertificateRejected."""
    from ..checker import verify
    from ..checker.read import Model, parse, read_file

    names = chain.states
    rows = {names[s]: {names[j]: p for j, p in row} for s, row in enumerate(chain.rows)}
    model = Model(dict(zip(names, chain.labels, strict=True)), rows)
    if isinstance(certificate, str | Path):
        return verify(model, read_file(str(certificate)))
    return verify(model, parse("".join(certificate.chunks())))
