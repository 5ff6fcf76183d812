"""Reading and merging large chains ends when the watch says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltachain import examples, load
from deltachain.chain import bisimilarity, quotient
from deltachain.errors import Stopped
from deltachain.formats import save
from deltachain.watch import Watch


def stopped() -> Watch:
    watch = Watch()
    watch.interrupt()
    return watch


def test_the_quotient_is_whole_or_not_at_all() -> None:
    chain = examples.dining_cryptographers(n=3)
    assert quotient(chain, watch=Watch()) == quotient(chain)
    for refine in (bisimilarity, quotient):
        with pytest.raises(Stopped, match="interrupted"):
            refine(chain, watch=stopped())


@pytest.mark.parametrize("suffix", ["json", "drn", "tra", "umb"])
def test_a_file_is_read_whole_or_not_at_all(suffix: str, tmp_path: Path) -> None:
    if suffix == "umb":
        pytest.importorskip("umbi", reason="needs the extra umb")
    chain = examples.dining_cryptographers(n=3)
    save(chain, tmp_path / f"m.{suffix}")
    assert load(tmp_path / f"m.{suffix}", watch=Watch()).rows == chain.rows
    with pytest.raises(Stopped, match="interrupted"):
        load(tmp_path / f"m.{suffix}", watch=stopped())
