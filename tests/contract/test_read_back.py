"""Every file that is written is read again: models of examples/ and the zoo, by each format's reader and the checker.

What a format cannot hold it refuses before it writes; a file that nobody can read must not come into being.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import deltachain as dc
from deltachain.errors import InputError
from deltachain.examples import catalogue
from deltachain.formats import save
from deltachain_checker_v1.read import read_file, read_model
from tests.words import refuses

ROOT = Path(__file__).parents[2]
FORMATS = ("json", "drn", "tra")
BIT, TWO, THREE = ("0", "1"), ("(0,0)", "(0,1)"), ("(0,0,0)", "(0,0,1)")
SECRETS = {
    "answers": TWO, "bits": TWO, "bit": BIT, "count": ("1", "2"), "counts": TWO, "events": THREE, "item": BIT,
    "join": ("True", "False"), "mine": BIT, "newer": ("False", "True"), "order": ("(1,2,3)", "(3,2,1)"), "paying": BIT,
    "row": ("0", "2"), "scores": TWO, "secret": ("False", "True"), "sender": BIT, "topic": ("1", "2"),
    "total": ("3", "4"), "truth": BIT, "visitor": BIT, "weight": ("2", "3"), "binomial": ("False", "True"),
    "measurement": TWO, "services": BIT,
}  # fmt: skip
"""Two values of the first parameter of each program, by its name."""
SMALLER = {"clamp": 2, "reach": 4, "topics": 9}
"""Constants that keep the models small."""


def programs() -> list[tuple[Path, str, str, dict[str, int]]]:
    """Every program in examples/: file, name, secret, and constants; but not suites, as large as their authors' are."""
    found = []
    for path in sorted((ROOT / "examples").rglob("*.py")):
        if path.parent.name == "suites":
            continue
        for node in ast.parse(path.read_text("utf-8")).body:
            decorators = [ast.unparse(each) for each in getattr(node, "decorator_list", ())]
            if isinstance(node, ast.FunctionDef) and "program" in decorators:
                secret, *others = [each.arg for each in node.args.args]
                if len(others) == len(node.args.defaults):  # others are functions that programs call
                    found.append((path, node.name, secret, {k: v for k, v in SMALLER.items() if k in others}))
    return found


def read_back(chain: dc.Chain, folder: Path) -> int:
    """Write the chain in every format that takes it, and read each file; how many did."""
    written = 0
    for suffix in FORMATS:
        path = folder / f"model.{suffix}"
        try:
            save(chain, path)
        except InputError:
            assert suffix != "json", "the native format holds every chain"
            assert not path.exists()
            continue
        again = dc.load(path)
        written += 1
        assert (again.labels, len(again.given)) == (chain.labels, len(chain.given))
        if suffix == "json":
            assert (again.sha256, again.pairs) == (chain.sha256, chain.pairs)
            assert read_model(read_file(str(path))).sha256() == chain.sha256
    return written


@pytest.mark.parametrize(
    ("path", "name", "secret", "constants"), programs(), ids=lambda part: getattr(part, "stem", part)
)
def test_a_program_of_the_examples(
    path: Path, name: str, secret: str, constants: dict[str, int], tmp_path: Path
) -> None:
    secrets = [{secret: ast.literal_eval(value)} for value in SECRETS[secret]]
    assert read_back(dc.load_program(path, name).chain(secrets, constants=constants), tmp_path)


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.prism")), ids=lambda path: path.stem)
def test_a_prism_model_of_the_examples(path: Path, tmp_path: Path) -> None:
    pytest.importorskip("stormpy")
    constants = {"corrupt": 1, "forward": "3/4", "runs": 1} if path.stem == "crowds" else {}
    assert read_back(dc.load(path, constants=constants), tmp_path) == len(FORMATS)


def test_every_entry_of_the_zoo(tmp_path: Path) -> None:
    for example in catalogue():
        folder = tmp_path / example.name
        folder.mkdir()
        assert read_back(dc.examples.build(example.name), folder), example.name


def test_programs_are_found() -> None:
    assert len(programs()) > 40
    assert {path.parent.name for path, *_ in programs()} == {"bugs", "examples", "mechanisms"}


@pytest.mark.parametrize(
    ("text", "other"),
    [("(1/2)^2", "3/4"), ("1/2 - 1/4", "1/2+0.25"), ("2*0.125", "3/4"), ("-1/4+1/2", "(3)/(4)"), ("(1)/(4)", "3/4")],
)
def test_a_formula_needs_no_exp(text: str, other: str, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text(
        '{"format": "deltachain.chain/1", "states": {'
        f'"s": {{"label": "a", "to": {{"s": "{text}", "t": "{other}"}}}}, "t": {{"label": "b", "to": {{"t": 1}}}}}}}}',
        "utf-8",
    )
    chain = dc.load(path)
    assert (
        chain.sha256 == dc.Chain.from_dicts({"s": {"s": "1/4", "t": "3/4"}, "t": {"t": 1}}, {"s": "a", "t": "b"}).sha256
    )
    assert read_model(read_file(str(path))).sha256() == chain.sha256


def test_a_formula_that_nobody_would_read_is_not_written(tmp_path: Path) -> None:
    row = {"s": "((1+exp(-1))/2)^1500", "t": "1-((1+exp(-1))/2)^1500"}
    chain = dc.Chain.from_dicts({"s": row, "t": {"t": 1}}, {"s": "a", "t": "b"})
    with refuses(InputError, "a probability has"):
        save(chain, tmp_path / "model.json")
    assert list(tmp_path.iterdir()) == []


def test_long_coefficients_are_written_and_read(tmp_path: Path) -> None:
    tiny = f"1/1{'0' * 6000}"
    row = {"s": f"exp(-1)*{tiny}", "t": f"1-exp(-1)*{tiny}"}
    chain = dc.Chain.from_dicts({"s": row, "t": {"t": 1}}, {"s": "a", "t": "b"})
    assert read_back(chain, tmp_path)
