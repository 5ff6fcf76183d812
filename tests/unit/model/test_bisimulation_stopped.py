"""Reading and merging large chains ends when the cancel says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltachain import examples, load
from deltachain.cancel import Cancel
from deltachain.errors import Stopped
from deltachain.formats import save
from deltachain.model import bisimilarity, quotient


def stopped() -> Cancel:
    cancel = Cancel()
    cancel.interrupt()
    return cancel


def test_the_quotient_is_whole_or_not_at_all() -> None:
    chain = examples.dining_cryptographers(n=3)
    assert quotient(chain, cancel=Cancel()) == quotient(chain)
    for refine in (bisimilarity, quotient):
        with pytest.raises(Stopped, match="interrupted"):
            refine(chain, cancel=stopped())


@pytest.mark.parametrize("suffix", ["json", "drn", "tra", "umb"])
def test_a_file_is_read_whole_or_not_at_all(suffix: str, tmp_path: Path) -> None:
    if suffix == "umb":
        pytest.importorskip("umbi", reason="needs the extra umb")
    chain = examples.dining_cryptographers(n=3)
    save(chain, tmp_path / f"m.{suffix}")
    assert load(tmp_path / f"m.{suffix}", cancel=Cancel()).rows == chain.rows
    with pytest.raises(Stopped, match="interrupted"):
        load(tmp_path / f"m.{suffix}", cancel=stopped())
