"""Interval DTMCs in the formats that have them, and what each says of limits that it cannot hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from deltachain import Chain, load, save
from deltachain.errors import FormatError, InputError, ModelError, UncertainChain
from deltachain.formats import FORMATS, format_of, rows_enclosed
from deltachain.model import PointRow
from deltachain_storm.stormpy_models import from_stormpy, to_stormpy
from deltachain_storm.stormvogel_models import from_stormvogel
from tests.satellites.storm.test_stormvogel_models import Kind, lock
from tests.words import refuses, says

F = Fraction
ENDS = {"h": {"h": 1}, "t": {"t": 1}}
LABELS = {"s": "go", "u": "go", "h": "heads", "t": "tails"}
WIDE = {"h": ("1/10", "1/5"), "t": ("4/5", "9/10")}
PRISM = """{kind}
module m
  s : [0..2] init 0;
  [{name}] s=0 -> [1/10,1/5] : (s'=1) + [4/5,9/10] : (s'=2);
  [{name}] s>0 -> 1 : (s'=s);
endmodule
label "heads" = s=1;
label "tails" = s=2;
"""


@pytest.fixture
def stormpy() -> Any:
    return pytest.importorskip("stormpy", reason="needs the extra storm")


def two() -> Chain:
    """One coin within limits, one exact, in the order in which numbers are names."""
    rows = {"s": WIDE, "u": {"h": "1/3", "t": "2/3"}} | ENDS
    return Chain.from_dicts(rows, LABELS)


def same_rows(found: Chain, wanted: Chain) -> bool:
    return found.labels == wanted.labels and found.given == wanted.given


@pytest.mark.parametrize("suffix", ["drn", "umb", "json"])
def test_intervals_come_back(suffix: str, tmp_path: Path) -> None:
    if suffix == "umb":
        pytest.importorskip("umbi", reason="needs the extra umb")
    save(two(), tmp_path / f"m.{suffix}")
    assert same_rows(load(tmp_path / f"m.{suffix}"), two())


def test_every_format_says_whether_it_holds_limits() -> None:
    assert {name for name in FORMATS if format_of(name).holds != "fractions"} == {"json", "drn", "umb", "dot", "tex"}


def test_a_format_without_intervals_refuses_by_name(tmp_path: Path) -> None:
    with refuses(UncertainChain, "probabilities of state"):
        save(two(), tmp_path / "m.tra")
    assert not list(tmp_path.iterdir())


BEYOND: dict[str, tuple[Callable[[], Chain], str]] = {
    "rest": (
        lambda: Chain.from_dicts({"s": {"h": "1/2", "t": ("1/3", "1/2")}} | ENDS, LABELS_OF_ONE, rest={"s": "1/6"}),
        "state 's': .* cannot say that up to 1/6 may go to states outside the model",
    ),
    "confidence": (
        lambda: Chain.from_counts({"s": {"h": 3, "t": 4}}, LABELS_OF_ONE, rows=ENDS, rest={"s": 0}, confidence="0.99"),
        "cannot say that limits hold at the confidence 99/100 only",
    ),
    "inputs": (
        lambda: Chain.from_dicts({"s": {"look": WIDE}} | ENDS, LABELS_OF_ONE),
        "an interval MDP, which is neither written nor read",
    ),
}
LABELS_OF_ONE = {"s": "go", "h": "heads", "t": "tails"}


@pytest.mark.parametrize("what", BEYOND)
@pytest.mark.parametrize("suffix", ["drn", "umb"])
def test_what_is_no_interval_chain_is_refused(suffix: str, what: str, tmp_path: Path) -> None:
    if suffix == "umb":
        pytest.importorskip("umbi", reason="needs the extra umb")
    build, message = BEYOND[what]
    with pytest.raises(UncertainChain, match=message):
        save(build(), tmp_path / f"m.{suffix}")


@pytest.mark.parametrize("what", BEYOND)
def test_what_is_no_interval_chain_is_no_model_of_storm(what: str, stormpy: Any) -> None:
    build, message = BEYOND[what]
    with pytest.raises(UncertainChain, match=message):
        to_stormpy(build())


def test_drn_of_storm(tmp_path: Path) -> None:
    text = (
        "@type: DTMC\n{values}@parameters\n\n@nr_states\n2\n@model\nstate 0 a\n\taction 0\n\t\t0 : {p}\n\t\t1 : {p}\n"
    )
    text += "state 1\n\t\t1 : [1, 1]\n"
    path = tmp_path / "m.drn"
    for values in ("@value_type: double-interval\n", "@value_type: rational-interval\n", ""):
        path.write_text(text.format(values=values, p="[0.4,0.6]"))
        chain = load(path)
        assert chain.boxes[0][0].entries == ((0, F(2, 5), F(3, 5)), (1, F(2, 5), F(3, 5)))
        assert chain.given[1] == (PointRow(((1, F(1)),)),)
        assert chain.kind == "limits"
    path.write_text(text.format(values="@value_type: rational\n", p="[0.4, 0.6]"))
    with refuses(FormatError, "interval, where @value_type"):
        load(path)
    path.write_text(text.format(values="", p="[0.1, 0.2]"))
    with refuses(ModelError, "inside: the upper"):
        load(path)
    path.write_text(text.format(values="", p="[0.4, 0.6]").replace("DTMC", "MDP"))
    with refuses(FormatError, "interval MDPs are"):
        load(path)


def test_storm_reads_the_drn_that_is_written(tmp_path: Path, stormpy: Any) -> None:
    save(Chain.from_dicts({"s": WIDE} | ENDS, LABELS_OF_ONE | {"s": "init"}), tmp_path / "m.drn")
    model = stormpy.build_model_from_drn[stormpy.RationalInterval](str(tmp_path / "m.drn"))
    assert same_rows(from_stormpy(model, keep_labels=True), load(tmp_path / "m.drn", keep_labels=True))


def test_umb_of_storm(tmp_path: Path, stormpy: Any) -> None:
    pytest.importorskip("umbi", reason="needs the extra umb")
    (tmp_path / "m.prism").write_text(PRISM.format(kind="dtmc", name=""))
    program = stormpy.parse_prism_program(str(tmp_path / "m.prism"))
    stormpy.io.export_to_umb(stormpy.build_model[stormpy.Interval](program), str(tmp_path / "m.umb"))
    assert load(tmp_path / "m.umb").given[0] == load(tmp_path / "m.prism").given[0]


def test_prism(tmp_path: Path, stormpy: Any) -> None:
    path = tmp_path / "m.prism"
    path.write_text(PRISM.format(kind="dtmc", name=""))
    chain = load(path)
    assert chain.labels == ("", "heads", "tails")
    assert chain.given[0] == Chain.from_dicts({"s": WIDE} | ENDS, LABELS_OF_ONE).given[0]
    assert chain.given[1] == (PointRow(((1, F(1)),)),)
    with refuses(ModelError, "has more than"):
        load(path, max_states=2)
    path.write_text(PRISM.format(kind="dtmc", name="").replace("9/10]", "41/50]").replace("1/5]", "1/9]"))
    with refuses(ModelError, "inside: the upper"):
        load(path)
    path.write_text(PRISM.format(kind="mdp", name="go"))
    with refuses(InputError, "discrete-time Markov chains"):
        load(path)


def test_models_of_stormpy(stormpy: Any, tmp_path: Path) -> None:
    model = to_stormpy(two())
    assert model.supports_uncertainty
    assert same_rows(from_stormpy(model), two())
    (tmp_path / "m.prism").write_text(PRISM.format(kind="mdp", name="go"))
    program = stormpy.parse_prism_program(str(tmp_path / "m.prism"))
    with refuses(InputError, "an interval MDP"):
        from_stormpy(stormpy.build_model[stormpy.RationalInterval](program))


@dataclass
class Interval:
    """As stormvogel has it."""

    lower: object
    upper: object


def test_models_of_stormvogel() -> None:
    chances = (Interval(F(1, 4), 0.5), Interval(F(1, 2), F(3, 4)))
    chain = from_stormvogel(lock(Kind.DTMC, chances))
    assert chain.boxes[0][0].entries == ((2, F(1, 4), F(1, 2)), (3, F(1, 2), F(3, 4)))
    with refuses(InputError, "an interval MDP"):
        from_stormvogel(lock(Kind.MDP, chances))


def test_a_drawing_shows_limits_and_what_may_leave(tmp_path: Path) -> None:
    chain = Chain.from_dicts({"s": {"h": "1/2", "t": ("1/3", "1/2")}} | ENDS, LABELS_OF_ONE, rest={"s": "1/6"})
    save(chain, tmp_path / "m.dot")
    text = (tmp_path / "m.dot").read_text()
    assert says(text, 'label="[1/3')
    assert says(text, "style=dashed")
    assert says(text, 'label="1')


FUNCTIONS = """{"format": "deltachain.chain/1", "states": {
  "s": {"label": "go", "to": {"h": "1/(1+exp(1/2))", "t": "exp(1/2)/(1+exp(1/2))"}},
  "h": {"label": "heads", "to": {"h": 1}}, "t": {"label": "tails", "to": {"t": 1}}}}"""


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_exact_functions_are_written_exactly_enclosed_and_told_or_refused(name: str, tmp_path: Path) -> None:
    source = tmp_path / "functions.json"
    source.write_text(FUNCTIONS, "utf-8")
    chain, chosen, path = load(source), format_of(name), tmp_path / f"model.{name}"
    if not chosen.written:
        return
    if name == "umb":
        pytest.importorskip("umbi", reason="needs the extra umb")
    assert rows_enclosed(chain, path) == (1 if chosen.holds == "intervals" else 0)
    if chosen.holds == "fractions":
        with refuses(UncertainChain, "exact but irrational"):
            save(chain, path)
        return
    save(chain, path)
    if chosen.holds == "numbers":
        assert "exp(1/2)/(1+exp(1/2))" in path.read_text("utf-8")
    if chosen.read is not None:
        again = load(path)
        assert again.kind == ("exact" if chosen.holds == "numbers" else "limits")
        low, high = again.given[0][0].box.entries[0][1:]
        assert low <= chain.given[0][0].box.entries[0][1] <= chain.given[0][0].box.entries[0][2] <= high
        assert high - low < F(1, 10**60)
