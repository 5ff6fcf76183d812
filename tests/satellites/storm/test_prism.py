"""PRISM and JANI through Storm: exact, checked, quiet; every trap and every refusal."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from deltachain import load
from deltachain.cancel import Cancel
from deltachain.errors import BackendMissing, FormatError, InputError, ModelError, Stopped
from deltachain.formats import load_with_notes, save
from deltachain.formats.constants import parse_constants
from deltachain.settings import Settings
from deltachain_storm import prism
from deltachain_storm.prism import without_values
from tests.unit.beliefs.cancelling import StoppingAfter
from tests.words import refuses, says

ROOT = Path(__file__).parents[3]

COIN = """// a coin
dtmc
const double p;
const int top = 2;
module coin
  x : [0..top] init 0;
  b : bool init false;
  [] x=0 -> p : (x'=1) + 1-p : (x'=2)&(b'=true);
  [] x>0 -> true;
endmodule
label "heads" = x=1;
label "tails" = x=2;
"""


def write(folder: Path, text: str, name: str = "m.prism") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def defects(path: Path, **settings: Any) -> list[str]:
    """What is wrong with the model, as lines."""
    with pytest.raises(InputError) as caught:
        load(path, **settings)
    return [str(defect).replace(str(path), path.name) for defect in caught.value.defects]


@pytest.fixture
def stormpy() -> Any:
    return pytest.importorskip("stormpy", reason="needs the extra storm")


pytestmark = pytest.mark.usefixtures("stormpy")


@pytest.mark.parametrize("suffix", ["prism", "pm", "nm", "sm", "PM"])
def test_every_suffix_is_read(suffix: str, tmp_path: Path) -> None:
    chain = load(write(tmp_path, COIN, f"m.{suffix}"), constants={"p": "49/100"})
    assert chain.states == ("b=false,x=0", "b=false,x=1", "b=true,x=2")
    assert chain.labels == ("", "heads", "tails")
    assert chain.rows[0] == ((1, Fraction(49, 100)), (2, Fraction(51, 100)))
    assert chain.valuations == ({"b": False, "x": 0}, {"b": False, "x": 1}, {"b": True, "x": 2})
    assert chain.relation == ()


@pytest.mark.parametrize("value", ["1/3", "0.333333333333333333333333333333", "1e-40", 1, 0.1, Fraction(2, 7)])
def test_constants_and_decimals_stay_exact(value: Any, tmp_path: Path) -> None:
    exact = Fraction("1/10") if value == 0.1 else Fraction(value)
    chain = load(write(tmp_path, COIN), constants={"p": value})
    assert chain.probability(0, 1) == exact
    text = COIN.replace("const double p;", "").replace("1-p", "1-0.1000000000000000000000001")
    chain = load(write(tmp_path, text.replace("p :", "0.1000000000000000000000001 :")))
    assert chain.probability(0, 1) == Fraction("0.1000000000000000000000001")


def test_what_is_visible_can_be_chosen(tmp_path: Path) -> None:
    path = write(tmp_path, COIN)
    constants = {"p": "1/2"}
    assert load(path, constants=constants, observe=["b"]).labels == ("b=false", "b=false", "b=true")
    assert load(path, constants=constants, observe_labels=["heads"]).labels == ("", "heads", "")
    assert load(path, constants=constants, keep_labels=True).labels == ("init", "heads", "tails")
    assert says(defects(path, constants=constants, observe=["y"]))
    assert says(defects(path, constants=constants, observe_labels=["head"]))
    assert "one text" in defects(path, constants=constants, observe="b")[0]


def test_a_model_without_labels_lists_its_variables(tmp_path: Path) -> None:
    found = defects(write(tmp_path, COIN.split("label")[0]), constants={"p": "1/2"})
    assert says(found)


def test_several_initial_states_are_related_by_all_pairs(tmp_path: Path) -> None:
    text = COIN.replace(" init 0", "").replace(" init false", "") + "init x=0 | x=1 & !b endinit\n"
    chain = load(write(tmp_path, text), constants={"p": "1/2"})
    assert len(chain.relation) == 3
    assert {name for pair in chain.pairs for name in pair} == {"b=false,x=0", "b=false,x=1", "b=true,x=0"}


def test_deadlocks_are_noted(tmp_path: Path) -> None:
    text = COIN.replace("  [] x>0 -> true;\n", "")
    loaded = load_with_notes(write(tmp_path, text), Settings(constants={"p": "1/2"}))
    assert loaded.chain.rows[1] == ((1, Fraction(1)),)
    assert loaded.notes == (
        f"{tmp_path / 'm.prism'}: 2 deadlock states, where no command is enabled: a run stays there for ever",
    )
    assert load_with_notes(write(tmp_path, COIN), Settings(constants={"p": "1/2"})).notes == ()


def test_a_model_that_always_looks_the_same_is_noted(tmp_path: Path) -> None:
    loaded = load_with_notes(write(tmp_path, COIN), Settings(constants={"p": "1/2"}, observe_labels=["deadlock"]))
    assert says(loaded.notes[0], "observer sees nothing")


def test_overlapping_guards_are_refused(tmp_path: Path) -> None:
    found = defects(write(tmp_path, COIN.replace("[] x>0", "[] x>=0")), constants={"p": "1/2"})
    what = "several commands are enabled, and a dtmc does not say which is taken"
    assert [text.split(" (")[0] for text in found] == [f"m.prism: state 'b=false,x=0': {what}"]
    assert "`uniform_choice`" in found[0]


def test_modules_that_do_not_wait_for_each_other_overlap(tmp_path: Path) -> None:
    text = COIN + "module other\n  y : [0..1] init 0;\n  [] y=0 -> (y'=1);\nendmodule\n"
    assert len(defects(write(tmp_path, text), constants={"p": "1/2"})) == 3


RACE = """dtmc
module left
  x : [0..3] init 0;
  [] x=0 -> 1/4 : (x'=1) + 3/4 : (x'=2);
  [both] x=0 -> (x'=3);
  [both] x=0 -> (x'=2);
endmodule
module right
  y : [0..3] init 0;
  [] x=0 & y=0 -> (y'=1);
  [both] x=0 & y=0 -> (y'=2);
  [both] x=0 & y=0 -> (y'=3);
endmodule
label "seen" = x=3;
"""


def test_each_enabled_command_is_equally_likely_if_asked_for(tmp_path: Path) -> None:
    """Two commands alone, and two times two together: six choices, as PRISM counts them."""
    loaded = load_with_notes(write(tmp_path, RACE), Settings(uniform_choice=True))
    chain, sixth = loaded.chain, Fraction(1, 6)
    start = chain.index["x=0,y=0"]
    found = {chain.states[target]: value for target, value in chain.rows[start]}
    expected = {"x=1,y=0": sixth / 4, "x=2,y=0": sixth * 3 / 4, "x=0,y=1": sixth}
    expected |= {f"x={x},y={y}": sixth for x in (2, 3) for y in (2, 3)}
    assert found == expected
    assert sum(says(note, "several enabled commands") for note in loaded.notes) == 1


def test_a_model_without_overlap_is_the_same_with_uniform_choice(tmp_path: Path) -> None:
    path = write(tmp_path, COIN)
    asked = load_with_notes(path, Settings(constants={"p": "1/3"}, uniform_choice=True))
    assert asked == load_with_notes(path, Settings(constants={"p": "1/3"}))


def test_overlapping_intervals_are_refused_whatever_is_asked_for(tmp_path: Path) -> None:
    text = RACE.replace("1/4 : (x'=1) + 3/4", "[1/4,1/3] : (x'=1) + [2/3,3/4]")
    assert all(says(defect, "the guards exclusive") for defect in defects(write(tmp_path, text), uniform_choice=True))


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("(x'=1)", "(x'=x+7)", "out-of-bounds value (7) for the variable 'x'"),
        ("1-p :", "1/3 :", "sum to one for command"),
        ("p :", "3/2 :", "evaluates to value 3/2 >1"),
        ("p :", "-1/2 :", "evaluates to negative value"),
        ("p :", "pow(2, 0.5) :", "Exponent of power operator must be an integer"),
    ],
)
def test_exploration_checks_are_on(old: str, new: str, part: str, tmp_path: Path) -> None:
    path = write(tmp_path, COIN.replace(old, new, 1))
    with pytest.raises(ModelError) as caught:
        load(path, constants={"p": "1/2"})
    assert part in str(caught.value)
    assert caught.value.defects[0].where == str(path)


def test_row_sums_are_checked_again_by_ourselves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = prism.explore

    def cut(*given: Any, **more: Any) -> Any:
        found = honest(*given, **more)
        return replace(found, choices=[[(names, list(row)[:1]) for names, row in rows] for rows in found.choices])

    monkeypatch.setattr(prism, "explore", cut)
    with refuses(ModelError, "row sums to"):
        load(write(tmp_path, COIN), constants={"p": "1/2"})


@pytest.mark.parametrize("kind", ["ctmc", "ctmdp", "ma", "pta", "smg", "popta", "stochastic"])
def test_other_kinds_are_refused_by_name(kind: str, tmp_path: Path) -> None:
    found = defects(write(tmp_path, COIN.replace("dtmc", kind)), constants={"p": "1/2"})
    assert says(found)


GUESSING = """mdp
module lock
  secret : bool;
  s : [0..2];
  [first] s=0 -> 1/2 : (s'=1) + 1/2 : (s'=2);
  [second] s=0 -> (secret ? 1/3 : 2/3) : (s'=1) + (secret ? 2/3 : 1/3) : (s'=2);
  [] s>0 -> true;
endmodule
init s=0 endinit
label "open" = s=1;
label "shut" = s=2;
label "ready" = s=0;
"""


def test_the_actions_of_an_mdp_are_inputs(tmp_path: Path) -> None:
    chain = load(write(tmp_path, GUESSING))
    assert chain.inputs == {"ready": ("first", "second")}
    assert chain.pairs == (("secret=false", "secret=true"),)
    state = chain.number("secret=true")
    rows = dict(zip(chain.offered(state), chain.moves[state], strict=True))
    assert {chain.labels[t]: p for t, p in rows["second"]} == {"open": Fraction(1, 3), "shut": Fraction(2, 3)}
    assert {chain.labels[t]: p for t, p in rows["first"]} == {"open": Fraction(1, 2), "shut": Fraction(1, 2)}
    assert chain.offered(chain.by_label["open"][0]) == (None,)


def test_an_mdp_without_choices_is_a_chain(tmp_path: Path) -> None:
    chain = load(write(tmp_path, COIN.replace("dtmc", "mdp")), constants={"p": "1/2"})
    assert chain == load(write(tmp_path, COIN), constants={"p": "1/2"})


PARTIAL = GUESSING.replace("mdp\n", "pomdp\nobservables s endobservables\n", 1)


def test_the_observables_of_a_pomdp_are_what_is_seen(tmp_path: Path) -> None:
    loaded = load_with_notes(write(tmp_path, PARTIAL))
    assert loaded.chain == load(write(tmp_path, GUESSING), observe=["s"])
    assert loaded.chain.inputs == {"s=0": ("first", "second")}
    assert says(loaded.notes[0], "the model's observations")
    assert load(write(tmp_path, PARTIAL), observe_labels=["ready"]).alphabet == ("", "ready")
    assert load(write(tmp_path, PARTIAL), observe=["s", "secret"]).alphabet[0] == "s=0,secret=false"


def test_states_look_alike_iff_their_observables_agree(tmp_path: Path) -> None:
    observables = 'observable "low" = s<2;\nobservable "start" = s=0;'
    chain = load(write(tmp_path, PARTIAL.replace("observables s endobservables", observables)))
    seen: dict[str, set[tuple[bool, bool]]] = {}
    for label, valuation in zip(chain.labels, chain.valuations or (), strict=True):
        seen.setdefault(label, set()).add((valuation["s"] in (0, 1), valuation["s"] == 0))
    assert sorted(map(sorted, seen.values())) == [[(False, False)], [(True, False)], [(True, True)]]


def test_states_of_one_observation_offer_the_same_inputs(tmp_path: Path) -> None:
    path = write(tmp_path, PARTIAL.replace("[second] s=0", "[second] s=0 & secret"))
    assert defects(path) == [f"m.prism: state 'secret=true': {OFFERS_MORE} ({VISIBLE})"]


LEAK = """dtmc
// secret nothing : bool;
module bank
  secret
    pin : [0..2];  // secret
  colour : [0..1];
  observable shown : [0..2];
  [] shown=0 -> (pin=colour ? 1/3 : 2/3) : (shown'=1) + (pin=colour ? 2/3 : 1/3) : (shown'=2);
  [] shown>0 -> true;
endmodule
init shown=0 endinit
"""


def test_the_keywords_of_prism_leak(tmp_path: Path) -> None:
    loaded = load_with_notes(write(tmp_path, LEAK))
    chain = loaded.chain
    assert chain.alphabet == ("shown=0", "shown=1", "shown=2")
    valuations = chain.valuations or ()
    assert len(chain.relation) == 6
    for s, t in chain.relation:
        assert valuations[s]["colour"] == valuations[t]["colour"]
        assert valuations[s]["pin"] != valuations[t]["pin"]
    assert says(loaded.notes[-1], "initial states that")
    plain = LEAK.replace("  secret\n", "").replace("observable ", "")
    assert chain.moves == load(write(tmp_path, plain), observe=["shown"]).moves
    assert load(write(tmp_path, LEAK), observe=["colour", "shown"]).alphabet[0] == "colour=0,shown=0"


def test_no_pair_of_a_large_group_of_secrets_is_left_out_silently(tmp_path: Path) -> None:
    """Where one colour has 201 pins and another three, the pairs of the three alone are not all pairs."""
    wide = LEAK.replace("[0..2];  // secret", "[0..200];").replace("init shown=0", "init shown=0 & (colour=0 | pin<3)")
    loaded = load_with_notes(write(tmp_path, wide))
    assert loaded.chain.relation == ()
    assert says(loaded.notes[-1], "initial states that")


def test_lines_and_columns_stay_where_they_are(tmp_path: Path) -> None:
    assert defects(write(tmp_path, LEAK.replace("-> true", "-> -> true")))[0].startswith("m.prism:9:")


NAMES = "the observer chooses by name: write [name] in front of each command; with stormpy, build choice labels"
TWICE = "rename all but one: the observer could not choose between them"
VISIBLE = "what can be asked must follow from the label"
UNASKED = f"it offers no input, but 'secret=false', of the same label, offers 'first', 'second' ({VISIBLE})"
OFFERS_MORE = "it offers 'first', 'second', but 'secret=false', of the same label, offers 'first'"


@pytest.mark.parametrize(
    ("old", "new", "states", "what"),
    [
        (
            "[second]",
            "[]",
            ["secret=false", "secret=true"],
            f"it has 2 actions, 1 of them without a name ({NAMES})",
        ),
        (
            "[second]",
            "[first]",
            ["secret=false", "secret=true"],
            f"2 of its actions are named 'first' ({TWICE})",
        ),
        ("[second] s=0", "[second] s=0 & secret", ["secret=true"], f"{OFFERS_MORE} ({VISIBLE})"),
        ('label "shut" = s=2', 'label "shut" = false', ["s=2,secret=false", "s=2,secret=true"], UNASKED),
    ],
)  # fmt: skip
def test_actions_that_cannot_be_inputs_are_refused_with_their_states(
    old: str, new: str, states: list[str], what: str, tmp_path: Path
) -> None:
    text = GUESSING.replace(old, new).replace('label "ready" = s=0;\n', "")
    assert defects(write(tmp_path, text)) == [f"m.prism: state '{state}': {what}" for state in states]


def test_the_actions_of_a_jani_mdp_are_inputs(stormpy: Any, tmp_path: Path) -> None:
    program = stormpy.parse_prism_program(str(write(tmp_path, GUESSING)))
    path = write(tmp_path, str(program.to_jani([])[0]), "m.jani")
    chain = load(path, observe=["s"])
    assert chain.inputs == {"s=0": ("first", "second")}


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("dtmc\n", "", "m.prism:2:1"),
        ("x=0 ->", "x=0 >>", "m.prism:8:"),
        ("endmodule", "", "m.prism:1"),
        ("[] x=0 -> p", "[] y=0 -> p", "m.prism:8:"),
    ],
)
def test_what_does_not_parse_is_refused_with_line_and_column(old: str, new: str, place: str, tmp_path: Path) -> None:
    path = write(tmp_path, COIN.replace(old, new, 1))
    with pytest.raises(FormatError) as caught:
        load(path, constants={"p": "1/2"})
    assert str(caught.value.defects[0]).replace(str(path), "m.prism").startswith(place)
    assert "\n" not in str(caught.value)


def test_an_error_that_names_only_a_line_has_its_line(tmp_path: Path) -> None:
    assert defects(write(tmp_path, COIN + "init x=0 endinit\n"), constants={"p": "1/2"})[0].startswith("m.prism:7: ")


@pytest.mark.parametrize(
    ("constants", "expected"),
    [
        ({}, ["m.prism: the constant 'p' has no value (give one, `constants` p=…)"]),
        (
            {"q": 1, "top": 3},
            [
                "m.prism: the constant 'p' has no value (give one, `constants` p=…)",
                "m.prism: there is no constant 'q' (its constants are p, top)",
            ],
        ),
        ({"p": "half"}, ["m.prism: the constant 'p': "]),
        ({"p": "2"}, ["m.prism: "]),
    ],
)
def test_constants_that_do_not_fit_are_all_refused(
    constants: dict[str, Any], expected: list[str], tmp_path: Path
) -> None:
    found = defects(write(tmp_path, COIN), constants=constants)
    assert len(found) == len(expected)
    assert all(line.startswith(start) for line, start in zip(found, expected, strict=True))


def test_constants_have_types(tmp_path: Path) -> None:
    text = COIN.replace("const int top = 2;", "const int top; const bool c;").replace("init false", "init c")
    path = write(tmp_path, text)
    good = {"p": "1/2", "top": "2"}
    assert load(path, constants=good | {"c": "true"}).valuations == load(path, constants=good | {"c": True}).valuations
    assert says(defects(path, constants=good | {"top": "5/2", "c": False})[0], "not an integer")
    assert "64 bits" in defects(path, constants=good | {"top": 2**63, "c": False})[0]
    assert says(defects(path, constants=good | {"c": "1"})[0], "true or false")


def test_a_constant_that_has_a_value_can_be_given_another(tmp_path: Path) -> None:
    text = COIN.replace("x=0 ->", "x=0 & top>2 ->").replace("[] x>0", "[] x>0 | top<=2")
    path = write(tmp_path, text)
    assert len(load(path, constants={"p": "1/2"})) == 1
    assert len(load(path, constants={"p": "1/2", "top": 3})) == 3


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("const int T = 4;", False),
        ("const T=4 ;", False),
        ("const double\n T =\n 4 // four; or five\n + 1;", False),
        ("// const int T = 4;", True),
        ('label "const int T = 4;" = true;', True),
        ("const int TT = 4; const int S = T = 4 ? 1 : 2;", True),
        ("const int T;", True),
        ("constint T = 4;", True),
    ],
)
def test_values_of_constants_are_blanked_out_in_place(text: str, same: bool) -> None:
    blank = without_values(text, ["T"])
    assert (blank == text) == same
    assert [len(line) for line in blank.split("\n")] == [len(line) for line in text.split("\n")]
    assert same or "".join(blank.split()) in ("constintT;", "constT;", "constdoubleT;")


# What kills Storm, or would take for ever.


def test_a_crash_of_storm_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, COIN.replace("p : (x'=1) + 1-p", "1/0 : (x'=1) + 1"))
    assert says(defects(path, constants={"p": "1/2"}))
    deep = "(" * 20_000 + "1" + ")" * 20_000
    path = write(tmp_path, COIN.replace("p : (x'=1) + 1-p", f"{deep} : (x'=1) + 0"))
    (only,) = defects(path, constants={"p": "1/2"})
    assert says(only)


HUGE = """dtmc
module m
  x : [0..1000000000] init 0;
  [] x<1000000000 -> 1/2:(x'=x+1) + 1/2:(x'=x);
  [] x=1000000000 -> true;
endmodule
label "end" = x=1000000000;
"""


def test_a_model_of_a_billion_states_stops_at_max_states(tmp_path: Path) -> None:
    path = write(tmp_path, HUGE)
    assert says(defects(path, max_states=10_000))
    path = write(tmp_path, HUGE.replace("1000000000", "9"))
    assert len(load(path, max_states=10)) == 10
    assert defects(path, max_states=9)


def test_max_states_is_a_positive_integer_and_for_symbolic_models_alone(tmp_path: Path) -> None:
    path = write(tmp_path, COIN)
    for wrong in (0, -1, True, "10"):
        with refuses(InputError, "number of states"):
            load(path, max_states=wrong)  # type: ignore[arg-type]
    with refuses(InputError, "max_states`: not used"):
        load(tmp_path / "m.json", max_states=10)


def test_reading_stops_when_the_watch_says_so(tmp_path: Path) -> None:
    path = write(tmp_path, HUGE)
    cancel = StoppingAfter(3)
    with pytest.raises(Stopped, match="interrupted"):
        load(path, max_states=10**9, cancel=cancel)
    assert cancel.calls < 0
    with pytest.raises(Stopped, match="time limit reached"):
        load(path, max_states=10**9, cancel=Cancel(timeout=1e-9))


@pytest.mark.slow
def test_too_little_memory_is_an_error_that_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prism, "MEMORY", 700 * 2**20)
    (only,) = defects(write(tmp_path, HUGE), max_states=10**9)
    assert only.startswith("m.prism: Storm ")


def test_storm_is_not_loaded_into_our_process(tmp_path: Path) -> None:
    path = write(tmp_path, COIN)
    code = (
        "import sys, deltachain;"
        f"deltachain.load({str(path)!r}, constants={{'p': '1/2'}});"
        "print(any(name.partition('.')[0] == 'stormpy' for name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_constants_as_text() -> None:
    assert parse_constants("N=3, p=49/100,b = true") == {"N": "3", "p": "49/100", "b": "true"}
    with pytest.raises(InputError) as caught:
        parse_constants("N,=3,p=,N=1,N=2")
    assert [d.what for d in caught.value.defects] == [
        "'N' is not name=value", "'=3' is not name=value", "'p=' is not name=value", "'N' is given twice"
    ]  # fmt: skip


def test_storm_writes_nothing_to_the_output(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    load(write(tmp_path, COIN.replace("  [] x>0 -> true;\n", "")), constants={"p": "1/2"})
    defects(write(tmp_path, COIN.replace("dtmc", "")), constants={"p": "1/2"})
    defects(write(tmp_path, COIN.replace("(x'=1)", "(x'=9)")), constants={"p": "1/2"})
    defects(write(tmp_path, "{", "m.jani"))
    assert capfd.readouterr() == ("", "")


def test_missing_files_directories_and_other_encodings_are_refused(tmp_path: Path) -> None:
    assert "no such file" in defects(tmp_path / "none.prism")[0]
    (tmp_path / "d.prism").mkdir()
    assert "directory" in defects(tmp_path / "d.prism")[0]
    (tmp_path / "latin.prism").write_bytes(b"dtmc // \xe9\n")
    assert defects(tmp_path / "latin.prism")[0].startswith("latin.prism:1:9: byte 0xe9")


def test_settings_that_mean_nothing_are_refused(tmp_path: Path) -> None:
    assert defects(write(tmp_path, COIN), normalise=True)[0].startswith("`normalise`")
    native = write(tmp_path, "{}", "m.json")
    found = defects(native, constants={"p": 1}, observe=["x"], observe_labels=["a"])
    assert [line.split(":")[0] for line in found] == ["`constants`", "`observe`", "`observe_labels`"]


def test_models_are_read_not_written(tmp_path: Path) -> None:
    chain = load(write(tmp_path, COIN), constants={"p": "1/2"})
    for name in ("o.prism", "o.jani"):
        with refuses(InputError, "read, not"):
            save(chain, tmp_path / name)


def test_without_stormpy_the_pip_line_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, COIN)
    monkeypatch.setitem(sys.modules, "stormpy", None)
    with pytest.raises(BackendMissing, match=r"pip install 'deltachain\[storm\]'"):
        load(path)


# JANI.


def jani(stormpy: Any, folder: Path, text: str = COIN) -> Path:
    """The PRISM text as a JANI file, translated by Storm."""
    path = folder / "m.jani"
    program = stormpy.parse_prism_program(str(write(folder, text)))
    stormpy.io.export_jani_to_file(str(path), program.to_jani([])[0])
    return path


def test_jani_says_the_same_as_prism(stormpy: Any, tmp_path: Path) -> None:
    prism = load(write(tmp_path, COIN), constants={"p": "49/100"})
    chain = load(jani(stormpy, tmp_path), constants={"p": "49/100"})
    assert sorted(chain.labels) == sorted(prism.labels)
    assert chain.rows[0] == prism.rows[0]
    assert chain.valuations is not None
    assert chain.valuations[0] == {"x": 0, "b": False, "heads": False, "tails": False}
    assert load(jani(stormpy, tmp_path), constants={"p": "1/2"}, observe=["b"]).alphabet == ("b=false", "b=true")


def test_jani_numbers_are_exact(stormpy: Any, tmp_path: Path) -> None:
    path = jani(stormpy, tmp_path)
    document = json.loads(path.read_text())
    document["constants"] = [dict(c, value="DIGITS") if c["name"] == "p" else c for c in document["constants"]]
    path.write_text(json.dumps(document).replace('"DIGITS"', "0.1000000000000000000000000001"))
    assert load(path).probability(0, 1) == Fraction("0.1000000000000000000000000001")


@pytest.mark.parametrize("kind", ["ctmc", "pta", "lts", "ma"])
def test_other_kinds_of_jani_are_refused_by_name(kind: str, stormpy: Any, tmp_path: Path) -> None:
    path = jani(stormpy, tmp_path)
    document = json.loads(path.read_text()) | {"type": kind}
    path.write_text(json.dumps(document))
    found = defects(path, constants={"p": "1/2"})
    assert says(found)


def test_a_value_in_a_jani_file_is_not_overridden(stormpy: Any, tmp_path: Path) -> None:
    path = jani(stormpy, tmp_path)
    with refuses(InputError, "the constant 'top"):
        load(path, constants={"p": "1/2", "top": 3})


def test_overlapping_guards_of_jani_are_refused(stormpy: Any, tmp_path: Path) -> None:
    path = jani(stormpy, tmp_path, COIN.replace("[] x>0", "[] x>=0"))
    assert says(defects(path, constants={"p": "1/2"})[0], "several commands are")
    assert len(load(path, constants={"p": "1/2"}, uniform_choice=True).pairs) <= 1


@pytest.mark.parametrize(
    ("text", "place"),
    [("{", "m.jani:1:"), ('{"a": 1,\n x}', "m.jani:2:"), ("{}", "m.jani:"), ("", "m.jani:"), ("[1]", "m.jani:")],
)
def test_garbage_is_refused(text: str, place: str, tmp_path: Path) -> None:
    assert defects(write(tmp_path, text, "m.jani"))[0].startswith(place)


# The models in examples/.


def test_the_two_diners(tmp_path: Path) -> None:
    chain = load(ROOT / "examples" / "dining.prism")
    assert chain.pairs == (("payer=0", "payer=1"),)
    assert chain.alphabet == ("end", "one", "start", "zero")
    assert len(chain) == 20


def test_crowds_has_the_known_probabilities() -> None:
    """Against the derivation in `examples.crowds`, with n = 6, c = 1: u = fc / (n (n − fh))."""
    chain = load(ROOT / "examples" / "crowds.prism", constants={"corrupt": 1, "forward": "3/4", "runs": 1})
    assert len(chain) == 65
    assert chain.pairs[0] == ("sender=0", "sender=1")
    seen = absorbed(chain.states.index("sender=0"), chain)
    other = Fraction(3, 4) / (6 * (6 - Fraction(3, 4) * 5))
    assert seen["from1"] == other
    assert seen["from0"] == other + Fraction(1, 6)
    assert sum(seen.values()) == 1


def absorbed(start: int, chain: Any) -> dict[str, Fraction]:
    """The first non-empty label of a run, with probabilities: the loop among the five holders is summed by symmetry."""
    reports = {label: Fraction(0) for label in chain.alphabet if label not in ("", "end")}
    holders = [t for t, _ in chain.rows[start] if not chain.labels[t]]
    for target, p in chain.rows[start]:
        if chain.labels[target]:
            reports[chain.labels[target]] += p
    # From a uniform holder the request is at a uniform holder again with probability `stay`.
    share = sum((p for t, p in chain.rows[start] if t in holders), Fraction(0)) / len(holders)
    stay = sum((p for t, p in chain.rows[holders[0]] if t in holders), Fraction(0))
    for holder in holders:
        for target, p in chain.rows[holder]:
            if chain.labels[target]:
                reports[chain.labels[target]] += share * p / (1 - stay)
    return reports


@pytest.mark.slow
def test_crowds_of_a_hundred_thousand_states_is_loaded() -> None:
    chain = load(ROOT / "examples" / "crowds.prism", constants={"corrupt": 1, "forward": "3/4", "runs": 1700})
    assert len(chain) == 102_005


@pytest.mark.parametrize("block", [1, 2, 7, 64, 1 << 20])
def test_the_matrix_is_read_in_blocks_of_any_size(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    states = [[(0, "1/2"), (7, "1/2")], [(11, "1")], [], [(n, "1/10") for n in range(10)]]
    text = "// Exported by storm\n@type: DTMC\n@nr_states\n4\n@model\n"
    for number, row in enumerate(states):
        text += f"state {number} init\n//[x={number}\t& y=0]\n\taction 0\n"
        text += "".join(f"\t\t{target} : {value}\n" for target, value in row)
    monkeypatch.setattr(prism, "BLOCK", block)
    found = [list(zip(targets, numbers, strict=True)) for targets, numbers in prism.rows_of_drn(io.StringIO(text))]
    assert found == states


def test_a_matrix_that_is_not_what_the_head_announces_is_an_error(tmp_path: Path) -> None:
    matrix = tmp_path / "matrix.drn"
    whole = "@model\nstate 0\n\taction 0\n\t\t1 : 1\nstate 1\n\taction 0\n\t\t1 : 1\n"
    head = {
        "states": 2,
        "transitions": 2,
        "labels": ["a"],
        "members": [[1]],
        "variables": [],
        "columns": [],
        "uniform": 0,
    }
    for text in (whole, whole[:-9], whole.replace("state 1", "state 2"), ""):
        matrix.write_text(text)
        found = prism._read_blocks({**head, "initial": [0]}, matrix, "m.prism", None)
        assert (found is not None) == (text == whole)


def test_rows_of_few_kinds_and_of_many_are_what_they_are(tmp_path: Path) -> None:
    path = tmp_path / "m.prism"
    path.write_text(
        "dtmc\nmodule m\n  x : [0..40] init 0;\n"
        "  [] x<40 -> 1/(x+2) : (x'=x+1) + (x+1)/(x+2) : (x'=0);\n  [] x=40 -> 1 : (x'=40);\nendmodule\n"
        'label "end" = x=40;\n'
    )
    chain = load(path)
    for x in range(40):
        assert chain.probability(f"x={x}", f"x={x + 1}") == Fraction(1, x + 2)
        assert chain.probability(f"x={x}", "x=0") == (Fraction(x + 1, x + 2) if x else Fraction(1, 2))
    assert chain.probability("x=40", "x=40") == 1
