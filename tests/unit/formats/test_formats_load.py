from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from deltachain import load
from deltachain.errors import InputError
from deltachain.formats import save
from deltachain.model import Chain

CHAIN = Chain.from_rows([["1/3", "2/3"], [0, 1]], ["a", "b"])


def test_the_suffix_decides_in_any_case_and_a_name_overrules_it(tmp_path: Path) -> None:
    save(CHAIN, tmp_path / "m.JSON")
    assert load(tmp_path / "m.JSON") == CHAIN
    save(CHAIN, tmp_path / "m.txt", format="drn")
    assert load(str(tmp_path / "m.txt"), format=".DRN") == CHAIN


@pytest.mark.parametrize(("name", "named", "part"), [
    ("m.txt", None, "unknown suffix '.txt'"), ("m", None, "no suffix"),
    ("m.json", "xml", "unknown format 'xml'"),
])  # fmt: skip
def test_unknown_formats_list_the_known(name: str, named: str | None, part: str, tmp_path: Path) -> None:
    (tmp_path / name).touch()
    for attempt in (
        lambda: load(tmp_path / name, format=named),
        lambda: save(CHAIN, tmp_path / name, format=named),
    ):
        with pytest.raises(InputError, match=part) as caught:
            attempt()
        assert ".json (native), .drn" in caught.value.defects[0].fix


def test_dot_is_written_not_read(tmp_path: Path) -> None:
    weird = Chain.of_rows(
        ("s\n", '"t"'),
        ("a\\", ""),
        (((0, Fraction(1, 3)), (1, Fraction(2, 3))), ((1, Fraction(1)),)),
        ((0, 1),),
    )
    save(weird, tmp_path / "m.dot")
    assert (tmp_path / "m.dot").read_text() == (
        "digraph chain {\n"
        '  0 [label="s\\\\n\\na\\\\"];\n'  # a line end in a name is spelled out
        '  1 [label="\\"t\\"\\n"];\n'
        '  0 -> 0 [label="1/3"];\n'
        '  0 -> 1 [label="2/3"];\n'
        '  1 -> 1 [label="1"];\n'
        "  0 -> 1 [dir=none, style=dashed, constraint=false];\n"
        "}\n"
    )
    with pytest.raises(InputError, match="written, not read"):
        load(tmp_path / "m.dot")
