"""Chains to and from stormpy: exact both ways, other kinds refused by name, Storm's log kept off."""

from __future__ import annotations

import sys
from fractions import Fraction
from random import Random
from types import ModuleType
from typing import Any

import pytest

from deltachain import examples
from deltachain.errors import BackendMissing, InputError, ModelError
from deltachain.model import Chain
from deltachain_storm.stormpy_models import from_stormpy, load_stormpy, to_stormpy
from tests.reference.interactive import random_system
from tests.reference.random_chains import random_chain
from tests.words import refuses

COUNTER = """dtmc
module m
  x : [0..2];
  [] x<2 -> 1/3:(x'=x+1) + 2/3:(x'=x);
  [] x=2 -> true;
endmodule
init x<2 endinit
label "top" = x=2;
"""


@pytest.fixture
def stormpy() -> Any:
    return pytest.importorskip("stormpy", reason="needs the extra storm")


def program(stormpy: Any, tmp_path: Any, text: str = COUNTER) -> Any:
    path = tmp_path / "m.prism"
    path.write_text(text)
    return stormpy.parse_prism_program(str(path))


def test_a_chain_comes_back_with_labels_and_exact_rows(stormpy: Any) -> None:
    generator = Random(5)
    for _ in range(20):
        chain = random_chain(generator)
        again = from_stormpy(to_stormpy(chain))
        assert again.rows == chain.rows
        assert again.labels == chain.labels


def test_inputs_are_choice_labels_and_come_back(stormpy: Any) -> None:
    generator = Random(7)
    interactive = 0
    for _ in range(30):
        chain = random_system(generator)
        model = to_stormpy(chain)
        assert model.model_type.name == ("MDP" if chain.interactive else "DTMC")
        again = from_stormpy(model)
        assert (again.moves, again.labels, again.inputs) == (chain.moves, chain.labels, chain.inputs)
        interactive += chain.interactive
    assert 10 < interactive < 30


def test_an_mdp_without_choice_labels_is_refused(stormpy: Any, tmp_path: Any) -> None:
    text = COUNTER.replace("dtmc", "mdp").replace("[] x=2", "[up] x<2 -> (x'=2);\n  [] x=2")
    model = stormpy.build_model[stormpy.Rational](program(stormpy, tmp_path, text))
    with refuses(ModelError, "of them without"):
        from_stormpy(model)


def test_the_relation_becomes_initial_states_and_comes_back(stormpy: Any) -> None:
    chain = examples.dining_cryptographers(n=3)
    model = to_stormpy(chain)
    assert sorted(model.initial_states) == [0, 1, 2]
    assert model.is_exact
    assert from_stormpy(model).relation == chain.relation
    lonely = to_stormpy(Chain.from_rows([[0, 1], [0, 1]], ["a,b", "b"]))
    assert list(lonely.initial_states) == [0]
    assert lonely.labeling.get_labels_of_state(0) == {"a", "b", "init"}


def test_valuations_name_states_and_can_be_observed(stormpy: Any, tmp_path: Any) -> None:
    options = stormpy.BuilderOptions(build_full=True)
    model = stormpy.build_model[stormpy.Rational](program(stormpy, tmp_path), options=options)
    chain = from_stormpy(model)
    assert chain.labels == ("", "", "top")
    assert chain.pairs == (("x=0", "x=1"),)
    assert chain.valuations == ({"x": 0}, {"x": 1}, {"x": 2})
    assert from_stormpy(model, observe=["x"]).labels == ("x=0", "x=1", "x=2")
    assert from_stormpy(model, observe_labels=["init"]).labels == ("init", "init", "")
    assert from_stormpy(model, keep_labels=True).labels == ("init", "init", "top")


def test_floats_are_shortest_decimals_and_must_sum_to_one(stormpy: Any, tmp_path: Any) -> None:
    half = program(stormpy, tmp_path, COUNTER.replace("1/3", "0.3").replace("2/3", "0.7"))
    assert from_stormpy(stormpy.build_model(half)).probability("0", "0") == Fraction(7, 10)
    with pytest.raises(ModelError, match="row sums to"):
        from_stormpy(stormpy.build_model(program(stormpy, tmp_path)))


def test_other_models_are_refused_by_name(stormpy: Any, tmp_path: Any) -> None:
    timed = program(stormpy, tmp_path, COUNTER.replace("dtmc", "ctmc").replace("[]", "<>"))
    with pytest.raises(InputError, match="of type CTMC"):
        from_stormpy(stormpy.build_model[stormpy.Rational](timed))
    with pytest.raises(InputError, match="symbolic model"):
        from_stormpy(stormpy.build_symbolic_model(program(stormpy, tmp_path)))
    parametric = program(
        stormpy,
        tmp_path,
        COUNTER.replace("1/3", "p").replace("2/3", "1-p").replace("module", "const double p;\nmodule", 1),
    )
    with refuses(InputError, "probabilities are of"):
        from_stormpy(stormpy.build_model[stormpy.RationalFunction](parametric))
    with refuses(InputError, "model of stormpy"):
        from_stormpy(3)


def test_overlapping_guards_are_refused_with_every_state(stormpy: Any, tmp_path: Any) -> None:
    overlapping = program(stormpy, tmp_path, COUNTER.replace("[] x=2", "[] x>=1"))
    options = stormpy.BuilderOptions(build_full=True).set_add_overlapping_guards_label()
    model = stormpy.build_model[stormpy.Rational](overlapping, options=options)
    with refuses(InputError, "several commands are") as caught:
        from_stormpy(model)
    assert [defect.where for defect in caught.value.defects] == ["stormpy model: state 'x=1'"]


def test_a_sound_model_without_overlap_passes_with_the_label_declared(stormpy: Any, tmp_path: Any) -> None:
    options = stormpy.BuilderOptions(build_full=True).set_add_overlapping_guards_label()
    model = stormpy.build_model[stormpy.Rational](program(stormpy, tmp_path), options=options)
    assert model.labeling.contains_label("overlap_guards")
    assert from_stormpy(model, keep_labels=True).alphabet == ("init", "top")


def test_the_log_level_is_restored(stormpy: Any) -> None:
    before = stormpy.developer.get_log_level()
    to_stormpy(Chain.from_rows([[1]], ["a"]))
    assert stormpy.developer.get_log_level() == before


def test_without_stormpy_the_pip_line_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "stormpy", None)
    with refuses(BackendMissing, "pip install 'deltachain"):
        to_stormpy(Chain.from_rows([[1]], ["a"]))


def test_an_old_stormpy_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "stormpy", ModuleType("stormpy"))
    with refuses(BackendMissing, "is not installed"):
        load_stormpy()
