"""OpenDP, issue 2944 (2026): category codes that depend on the order of the rows.

Polars numbers the categories of `cut` in the order in which they appear, so that one row in front may change the code
of every row behind it. This is ordinary code that calls Polars itself, run by `--execute`; `by_row` computes each code
from its own row.
"""

import polars as pl

import deltachain as dc


def coded(rows):
    codes = pl.Series(rows, dtype=pl.Float64).cut([1.0]).to_physical()
    return int(codes.clip(0, 1).sum()) + dc.discrete_laplace(1)


def by_row(rows):
    codes = (pl.Series(rows, dtype=pl.Float64) > 1.0).cast(pl.Int64)
    return int(codes.sum()) + dc.discrete_laplace(1)
