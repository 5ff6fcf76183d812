"""Each malformed file is refused with file, line, column and what was expected; several errors together."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltachain import load
from deltachain.errors import FormatError, InputError, ModelError
from tests.words import refuses

DRN = (
    "@type: DTMC\n@parameters\n\n@nr_states\n2\n@model\n"
    "state 0 a\n\taction 0\n\t\t0 : 1/2\n\t\t1 : 1/2\nstate 1\n\t\t1 : 1\n"
)
MDP = (
    "@type: MDP\n@nr_states\n2\n@nr_choices\n3\n@model\n"
    "state 0 a\n\taction stay\n\t\t0 : 1\n\taction go\n\t\t0 : 1/2\n\t\t1 : 1/2\n"
    "state 1 b\n\taction 0\n\t\t1 : 1\n"
)
TRA = "2 3\n0 0 0.5\n0 1 0.5\n1 1 1\n"
LAB = '0="a" 1="b"\n0: 0\n1: 0 1\n'
STA = "(x,y)\n0:(1,true)\n1:(2,false)\n"
JSON = '{"format": "deltachain.chain/1",\n "states": {\n  "s": {"label": "a", "to": {"s": 1}}\n }\n}'


def test_the_sound_originals_load(tmp_path: Path) -> None:
    for name, text in (("m.drn", DRN), ("m.tra", TRA), ("m.lab", LAB), ("m.sta", STA), ("m.json", JSON)):
        (tmp_path / name).write_text(text)
    assert [len(load(tmp_path / name)) for name in ("m.drn", "m.tra", "m.json")] == [2, 2, 1]


DRN_CASES = [
    ("@type: DTMC", "@type: CTMC", "1:8", "type is CTMC; read are DTMC, MDP and POMDP"),
    ("@type: DTMC", "@type: Markov Automaton", "1:8", "type is Markov Automaton"),
    ("@type: DTMC", "@type:", "1:7", "type is missing"),
    ("@type: DTMC\n", "", "5:1", "expected @type: DTMC, MDP or POMDP before @model"),
    ("@type: DTMC", "@type: DTMC\n@type: DTMC", "2:1", "given twice, first in line 1"),
    ("@type: DTMC", "@type: DTMC\n@value_type: parametric", "2:14", "the value type is parametric"),
    ("@type: DTMC", "@type: MDP\n@value_type: double-interval", "2:1", "interval MDPs are not read"),
    ("@type: DTMC", "@type: DTMC\n@what", "2:1", "unknown section @what"),
    ("@type: DTMC", "@type: DTMC\nwhat", "2:1", "expected a section, found 'what'"),
    ("@parameters\n\n", "@parameters\np q\n\n", "3:1", "parameters (p q)"),
    ("@parameters\n\n", "@placeholders\nx : 1\n", "3:1", "expected '$name : number'"),
    ("@parameters\n\n", "@placeholders\n$x : 1\n$x : 1\n", "4:1", "$x is given twice"),
    ("@nr_states\n2\n", "", "4:1", "expected @nr_states"),
    ("@nr_states\n2\n", "@nr_states\ntwo\n", "5:1", "expected the number after @nr_states, found 'two'"),
    ("@nr_states\n2\n", "@nr_states\n3\n", "13:1", "@nr_states says 3, but 2 states follow"),
    ("@nr_states\n2\n", "@nr_states\n2\n@nr_choices\n3\n", "15:1", "@nr_choices says 3, but 2 states follow"),
    ("@model\n", "", "6:1", "expected a section, found 'state 0 a'"),
    ("state 0 a", "state 1 a", "7:7", "expected state 0, found state 1"),
    ("state 0 a", "state x a", "7:1", "expected 'state 0' and labels"),
    ("state 0 a", "", "8:2", "expected 'state 0', found an action"),
    ('state 0 a', 'state 0 "a', "7:9", "expected labels, bare or in double quotes"),
    ('state 0 a', 'state 0 "a,b"', "7:1", "'a,b' would read as several names"),
    ('state 0 a', 'state 0 a "b,a"', "7:1", "'b,a' would read as several names"),
    ("\taction 0\n", "\taction 0\n\taction 1\n", "9:2", "state 0 has a second action"),
    ("0 : 1/2", "0 = 1/2", "9:3", "expected 'state', 'action' or 'target : probability', found '0 = 1/2'"),
    ("0 : 1/2", "0 : half", "9:7", "not a number: 'half'"),
    ("0 : 1/2", "0 : [0.4; 0.5]", "9:7", "not a number: '[0.4; 0.5]'"),
    ("0 : 1/2", "0 : [0.4, half]", "9:7", "not a number: 'half'"),
    ("0 : 1/2", "0 : [-1, 1/2]", "9:7", "negative probability -1"),
    ("0 : 1/2", "0 : 1/0", "9:7", "zero denominator"),
    ("0 : 1/2", "0 : -1/2", "9:7", "negative probability -0.5"),
    ("0 : 1/2", "0 : $x", "9:7", "placeholder $x is not declared"),
    ("0 : 1/2", "0 :", "9:3", "expected 'state', 'action' or 'target : probability'"),
    ("0 : 1/2", "2 : 1/2", "9:3", "unknown target 2"),
    ("0 : 1/2", "1 : 1/2", "10:3", "target 1 is given twice"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "place", "part"), DRN_CASES)
def test_drn(old: str, new: str, place: str, part: str, tmp_path: Path) -> None:
    refused(tmp_path, {"m.drn": mended(DRN, old, new)}, "m.drn", f"m.drn:{place}", part)


MDP_CASES = [
    ("\taction go\n", "\taction stay\n", "10:2", "state 0 has two actions named 'stay'"),
    ("\taction go\n", "\taction 1\n", "10:2", "state 0 has several actions, and one without a name"),
    ("\taction go\n", "\taction __NOLABEL__\n", "10:2", "state 0 has several actions, and one without a name"),
    ("\taction go\n", "\taction\n", "10:2", "state 0 has several actions, and one without a name"),
    ("\taction go\n", "\taction go home\n", "10:2", "expected 'action' and one name"),
    ("\taction go\n", '\taction "go\n', "10:2", "expected 'action' and one name"),
    ("@nr_choices\n3", "@nr_choices\n2", "16:1", "@nr_choices says 2, but 3 choices follow"),
    ("state 1 b", "state 1 a", "13: state '1'", "it offers no input, but '0', of the same label, offers 'go', 'stay'"),
    ("state 1 b\n\taction 0", "state 1 a\n\taction go", "13: state '1'", "it offers 'go', but '0'"),
    ("1 : 1/2", "1 : 1/4", "7: state '0', input 'go'", "row sums to 3/4"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "place", "part"), MDP_CASES)
def test_drn_of_an_mdp(old: str, new: str, place: str, part: str, tmp_path: Path) -> None:
    refused(tmp_path, {"m.drn": mended(MDP, old, new)}, "m.drn", f"m.drn:{place}", part)


TRA_CASES = [
    ("2 3\n", "ctmc\n2 3\n", "1:1", "type ctmc"),
    ("2 3\n", "2 2 3\n", "1:5", "three counts, as an MDP has"),
    ("2 3\n", "two 3\n", "1:1", "expected the counts 'states transitions', found 'two 3'"),
    ("2 3\n", "2 4\n", "5:1", "says 4 transitions, but 3 follow"),
    ("2 3\n", "999999999999999999 3\n", "5:1", "999999999999999999 states, but only 3 transitions"),
    ("2 3\n0 0 0.5", "0 99999999999 0.5", "4:1", "100000000000 states, but only 3 transitions"),
    ("2 3\n", "1 3\n", "3:3", "unknown state 1"),
    ("0 0 0.5", "x 0 0.5", "2:1", "expected a state number, found 'x'"),
    ("0 0 0.5", "0 -1 0.5", "2:3", "expected a state number, found '-1'"),
    ("0 0 0.5", "0 0", "2:4", "expected 'from to probability', found 2 words"),
    ("0 0 0.5", "0 0 0.5 a b", "2:11", "found 5 words"),
    ("0 0 0.5", "0 0 half", "2:5", "not a number: 'half'"),
    ("0 0 0.5", "0 0 NaN", "2:5", "not a number: 'NaN'"),
    ("0 0 0.5", "0 0 -0.5", "2:5", "negative probability -0.5"),
    ("0 0 0.5", "0 1 0.5", "3:3", "from 0 to 1 is given twice"),
    ("0 0 0.5", "0 0 ٣", "2:5", "not a number"),
    ("0 0 0.5", "0 0 1e999999999", "2:5", "exponent"),
]


@pytest.mark.parametrize(("old", "new", "place", "part"), TRA_CASES)
def test_tra(old: str, new: str, place: str, part: str, tmp_path: Path) -> None:
    refused(tmp_path, {"m.tra": mended(TRA, old, new), "m.lab": LAB}, "m.tra", f"m.tra:{place}", part)


LAB_CASES = [
    (LAB, "", "1:1", None),
    ('0="a"', '0=a', "1:1", "expected '0=\"name\" 1=\"name\" …' or '#DECLARATION'"),
    ('1="b"', '1="b"c', "1:7", "found '1=\"b\"c'"),
    ('1="b"', '0="b"', "1:7", "label number 0 is declared twice"),
    ('1="b"', '1="a"', "1:7", "label name 'a' is declared twice"),
    ('1="b"', '1=""', "1:7", "an empty label name"),
    ('1="b"', '1="b,a"', None, "'b,a' would read as several names"),
    ("0: 0", "0 0", "2:1", "expected 'state: label numbers', found '0 0'"),
    ("0: 0", "0: 7", "2:4", "expected the number of a declared label, found '7'"),
    ("0: 0", "0: a", "2:4", "found 'a'"),
    ("0: 0", "2: 0", "2:1", "unknown state 2"),
    ("0: 0", "1: 0", "3:1", "state 1 is listed twice"),
    (LAB, "#DECLARATION\na b\n0 a\n", "4:1", "expected #END"),
    (LAB, "#DECLARATION\na a\n#END\n0 a\n", "2:3", "'a' is declared twice"),
    (LAB, "#DECLARATION\na\n#END\n0 c\n", "4:3", "'c' is not declared"),
    (LAB, "#DECLARATION\na\n#END\nx a\n", "4:1", "expected a state number and labels, found 'x a'"),
    (LAB, "#DECLARATION\na\n#END\n9 a\n", "4:1", "unknown state 9"),
    (LAB, "#DECLARATION\na\n#END\n0 a\n0 a\n", "5:1", "state 0 is listed twice"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "place", "part"), LAB_CASES)
def test_lab(old: str, new: str, place: str | None, part: str | None, tmp_path: Path) -> None:
    files = {"m.tra": TRA, "m.lab": mended(LAB, old, new)}
    if part is None:  # an empty label file declares nothing: every state has the empty set
        write(tmp_path, files)
        assert load(tmp_path / "m.tra").labels == ("", "")
        return
    refused(tmp_path, files, "m.tra", f"m.lab:{place}" if place else "m.lab: state '1'", part)


STA_CASES = [
    (STA, "", "1:1", "expected the variables '(x,y,…)'"),
    ("(x,y)", "x,y", "1:1", "expected the variables '(x,y,…)', found 'x,y'"),
    ("(x,y)", "(x,x)", "1:1", "variable 'x' is given twice"),
    ("0:(1,true)", "0 1", "2:1", "expected 'state:(value,…)', found '0 1'"),
    ("0:(1,true)", "0:(1)", "2:4", "expected 2 values, found 1"),
    ("0:(1,true)", '0:(1,"a)', "2:6", "expected values separated by commas"),
    ("0:(1,true)", '0:(1,"\\q")', "2:6", "expected values separated by commas"),
    ("0:(1,true)", "1:(1,true)", "3:1", "state 1 is listed twice"),
    ("0:(1,true)", "5:(1,true)", "2:1", "unknown state 5"),
    ("0:(1,true)\n", "", "3:1", "state 0 is missing"),
]


@pytest.mark.parametrize(("old", "new", "place", "part"), STA_CASES)
def test_sta(old: str, new: str, place: str, part: str, tmp_path: Path) -> None:
    refused(
        tmp_path,
        {"m.tra": TRA, "m.lab": LAB, "m.sta": mended(STA, old, new)},
        "m.tra",
        f"m.sta:{place}",
        part,
    )


JSON_CASES = [
    (JSON, "", "1:1", "not JSON: expecting value"),
    (JSON, "[]", "1:1", "expected one JSON object, found a list"),
    (JSON, JSON + " x", "5:3", "not JSON: extra data"),
    (': 1}', ': 1 1}', "3:37", "not JSON: expecting ',' delimiter"),
    (': 1}', ': 01}', "3:36", "not JSON: expecting ',' delimiter"),
    ('"a"', '"a\n"', "3:20", "not JSON: invalid control character"),
    ('"s": {"label"', '"s": {label"', "3:9", "not JSON"),
    (JSON, '{"a":' * 100_000, "", "nested too deeply"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "place", "part"), JSON_CASES)
def test_json_that_is_not_json(old: str, new: str, place: str, part: str, tmp_path: Path) -> None:
    refused(tmp_path, {"m.json": mended(JSON, old, new)}, "m.json", f"m.json:{place}".rstrip(":"), part)


STATE = "3:3: state 's'"
MODEL_CASES = [
    ('"states"', '"nodes"', "", "unknown key 'nodes'"),
    ('"states"', '"nodes"', "", "the chain has no states"),
    ('"deltachain.chain/1"', '"deltachain.model/2"', "", "found the text 'deltachain.model/2'"),
    ('"format": "deltachain.chain/1",\n', "\n", "", "it is missing"),
    ('"s": {"label": "a", "to": {"s": 1}}', "", "", "the chain has no states"),
    ('{"label": "a", "to": {"s": 1}}', "3", STATE, "expected an object, found the number 3"),
    ('"label": "a"', '"label": 1', STATE, 'its "label" is the number 1, not a text'),
    ('"label": "a", ', "", STATE, 'it has no "label"'),
    ('"to": {"s": 1}', '"to": [1]', STATE, 'its "to" is a list, not an object'),
    (', "to": {"s": 1}', "", STATE, 'it has no "to"'),
    ('"label": "a"', '"label": "a", "colour": 1', STATE, "unknown key 'colour'"),
    ('"label": "a"', '"label": "a", "valuation": 1', STATE, 'its "valuation" is the number 1'),
    ('"label": "a"', '"label": "a", "valuation": {"x": 0.5}', STATE, "variable 'x': not an integer"),
    ('"label": "a"', '"label": "a", "valuation": {"x": null}', STATE, "variable 'x': found null"),
    ('"label": "a"', '"label": "a", "valuation": {"x": NaN}', STATE, "variable 'x': found the number nan"),
    ('"s": 1}', '"s": NaN}', STATE, "not a number: 'nan'"),
    ('"s": 1}', '"s": -Infinity}', STATE, "not a number: '-inf'"),
    ('"s": 1}', '"s": true}', STATE, "True is not a number"),
    ('"s": 1}', '"s": null}', STATE, "not a number"),
    ('"s": 1}', '"s": "one"}', STATE, "not a number: 'one'"),
    ('"s": 1}', '"s": 0.999999}', STATE, "row sums to 999999/1000000"),
    ('"s": 1}', '"s": 2, "t": -1}', STATE, "unknown target 't'"),
    ('"s": 1}', '"s": -1}', STATE, "negative probability -1"),
    ('"s": 1}', "}", STATE, "it has no transitions"),
    ('"s": 1}', '"s": 1, "s": 1}', "3:38", "key 's' of 'to' is given twice, first in line 3"),
    (
        '"label": "a"',
        '"label": "a", "label": "b"',
        "3:23",
        "key 'label' of 's' is given twice, first in line 3",
    ),
    (
        " }\n}",
        ' ,"s": {"label": "b", "to": {"s": 1}}}\n}',
        "4:3",
        "state 's' is given twice, first in line 3",
    ),
    (" }\n}", ' },\n "relation": {}}', "", '"relation" is an object, not a list'),
    (" }\n}", ' },\n "relation": [["s"]]}', "5:15: relation", "entry 1 is not a pair of texts"),
    (" }\n}", ' },\n "relation": [["s", 1]]}', "5:15: relation", "entry 1 is not a pair of texts"),
    (" }\n}", ' },\n "relation": [["s", "t"]]}', "5:15: relation", "unknown state 't'"),
    (" }\n}", ' },\n "relation": [["s", "s"],\n  ["s","s"] ,\n\n 3]}', "8:2: relation", "entry 3 is not a pair"),
    (" }\n}", ' },\n "relation": [{"a": [1, 2]},\n  ["[", "s"]]}', "6:3: relation", "unknown state '['"),
]


@pytest.mark.parametrize(("old", "new", "place", "part"), MODEL_CASES)
def test_json_that_is_no_chain(old: str, new: str, place: str, part: str, tmp_path: Path) -> None:
    refused(tmp_path, {"m.json": mended(JSON, old, new)}, "m.json", f"m.json:{place}".rstrip(":"), part)


def mended(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1, (old, text.count(old))
    return text.replace(old, new)


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).write_text(text)


def refused(folder: Path, files: dict[str, str], model: str, place: str, part: str) -> None:
    write(folder, files)
    with pytest.raises((FormatError, ModelError)) as caught:
        load(folder / model)
    found = [
        (defect.where.removeprefix(f"{folder}/"), f"{defect.what} {defect.fix}") for defect in caught.value.defects
    ]
    assert any(where == place and part in text for where, text in found), found


def test_the_defects_of_three_files_come_together(tmp_path: Path) -> None:
    write(tmp_path, {"m.tra": mended(TRA, "0 0 0.5", "0 0 x"), "m.lab": mended(LAB, "0: 0", "0: 5")})
    with pytest.raises(FormatError) as caught:
        load(tmp_path / "m.tra")
    assert [Path(defect.where).name for defect in caught.value.defects] == ["m.tra:2:5", "m.lab:2:4"]


def test_all_defects_of_a_native_model_come_together(tmp_path: Path) -> None:
    text = """{"format": "deltachain.chain/1", "more": 1, "states": {
      "a": {"label": "x", "to": {"b": "1/2"}},
      "b": {"to": {"c": 1}},
      "a": {"label": "x", "to": {"b": "1/3"}}},
      "relation": [["a", "z"]]}"""
    (tmp_path / "m.json").write_text(text)
    with pytest.raises(ModelError) as caught:
        load(tmp_path / "m.json")
    parts = [
        "'a' is given twice",
        "unknown key 'more'",
        'no "label"',
        "unknown target 'c'",
        "unknown state 'z'",
        "sums to 1/3",
    ]
    assert len(caught.value.defects) == len(parts)
    for defect, part in zip(caught.value.defects, parts, strict=True):
        assert part in defect.what


def test_a_file_of_another_kind_stops_after_a_thousand_errors(tmp_path: Path) -> None:
    write(tmp_path, {"m.tra": "2 3\n" + "x y z\n" * 5000, "m.lab": LAB})
    with refuses(FormatError, "more"):
        load(tmp_path / "m.tra")


def test_labels_are_required(tmp_path: Path) -> None:
    (tmp_path / "m.tra").write_text(TRA)
    with refuses(InputError, "lab: there is"):
        load(tmp_path / "m.tra")
