from __future__ import annotations

from fractions import Fraction

import pytest

from deltachain.errors import FormatError
from deltachain.formats.drn import chain_to_drn, loaded_from_drn
from deltachain.model import Chain
from deltachain.settings import Settings
from tests.words import says

# As Storm writes it: rewards in brackets, valuations as comments, quoted labels with blanks, trailing blanks.
EXPORTED = """// Exported by storm
// Original model type: DTMC
@type: DTMC
@value_type: rational
@parameters

@placeholders
$p : 1/3
@reward_models
coin_flips time\x20
@nr_states
3
@nr_choices
3
@model
state 0 [0, 1] init start
//[s=0]
\taction 0 [1, 0]
\t\t1 : $p
\t\t2 : 0.5
\t\t0 : 1/6
state 1 [0,0] "two words" deadlock
\taction __NOLABEL__

\t\t1 : 1
  state 2
  action b
  2:1e0
"""


def test_an_export_with_everything() -> None:
    loaded = loaded_from_drn(EXPORTED.split("\n"), "m.drn")
    third = Fraction(1, 3)
    assert loaded.chain == Chain.of_rows(
        ("0", "1", "2"),
        ("start", "two words", ""),
        (((0, third / 2), (1, third), (2, Fraction(1, 2))), ((1, Fraction(1)),), ((2, Fraction(1)),)),
    )
    assert loaded.notes == ("dropped the labels 'init' of 1 state, 'deadlock' of 1 state",)
    kept = loaded_from_drn(EXPORTED.split("\n"), "m.drn", Settings(keep_labels=True)).chain
    assert kept.labels == ("init,start", "deadlock,two words", "")


def test_the_optional_sections_are_optional() -> None:
    chain = loaded_from_drn(["@type: dtmc", "@nr_states", "1", "@model", "state 0 a a", "0 : 1"], "m.drn").chain
    assert chain.labels == ("a",)


def test_it_is_written_as_storm_writes_it() -> None:
    chain = Chain.from_rows([["1/3", "2/3"], [0, 1]], ["two words,x", "[y"])
    header = "@type: DTMC\n@parameters\n\n@reward_models\n\n@nr_states\n2\n@nr_choices\n2\n@model\n"
    states = 'state 0 "two words" x\n\taction 0\n\t\t0 : 1/3\n\t\t1 : 2/3\nstate 1 "[y"\n\taction 0\n\t\t1 : 1\n'
    assert "".join(chain_to_drn(chain)) == "// Written by deltachain\n" + header + states


PARTIAL = """@type: POMDP
@nr_states
4
@nr_choices
6
@model
state 0 {1} init
//[s=0]
	action first
		2 : 1/2
		3 : 1/2
	action second
		2 : 1/3
		3 : 2/3
state 1 {1} [0] init
	action first
		2 : 1
	action second
		3 : 1
state 2 { 0 } goal
	action __NOLABEL__
		2 : 1
state 3{2}
	action 0
		3 : 1
"""


def test_the_observations_of_a_pomdp_are_labels() -> None:
    found = loaded_from_drn(PARTIAL.splitlines(), "m.drn")
    assert found.chain.labels == ("observation=1", "observation=1", "observation=0", "observation=2")
    assert found.chain.inputs == {"observation=1": ("first", "second")}
    assert found.chain.moves[0][1] == ((2, Fraction(1, 3)), (3, Fraction(2, 3)))
    assert found.notes == ("an observer sees the model's observations; its labels (goal) are not visible",)


def test_a_pomdp_without_observations_is_refused_by_line() -> None:
    text = PARTIAL.replace("state 0 {1} init", "state 0 init").replace("state 3{2}", "state 3 {x}")
    with pytest.raises(FormatError) as caught:
        loaded_from_drn(text.splitlines(), "m.drn")
    assert says([str(defect) for defect in caught.value.defects][:2])
