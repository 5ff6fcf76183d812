"""Silent states removed: against runs followed step by step, against a program, and in corner cases."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from deltachain import delta, examples, load
from deltachain.cancel import Cancel
from deltachain.errors import InputError, InteractiveChain, Stopped, UncertainChain
from deltachain.model import Chain
from deltachain.model.silent import SILENT, START, without_silent
from deltachain.model.words import word_probability
from deltachain.programs import load_program, program
from tests.reference.random_chains import random_chain
from tests.reference.silence import seen_first, seen_word_bounds
from tests.words import refuses, says

EXAMPLES = Path(__file__).parents[3] / "examples"


def shaken(seed: int, *, related: bool) -> Chain:
    """A random chain with many silent states, some of them for ever, and perhaps a pair of start states."""
    chooser = random.Random(seed)
    chain = random_chain(chooser, most_states=8)
    while len(chain) < 7:
        chain = random_chain(chooser, most_states=8)
    labels = [chooser.choice(("", "", "hush", label)) for label in chain.labels]
    rows = list(chain.rows)
    if seed % 3 == 0:  # two silent states that nobody leaves
        labels[5:7] = ["", "hush"]
        rows[5], rows[6] = ((6, Fraction(1)),), ((5, Fraction(1, 2)), (6, Fraction(1, 2)))
    pairs = ((0, 1), (1, 4)) if related else ()
    return Chain.of_rows(chain.states, tuple(labels), tuple(rows), pairs)


HIDDEN = ("", "hush")


@pytest.mark.parametrize("seed", range(40))
def test_the_next_visible_state_has_the_probability_that_runs_followed_step_by_step_give_it(seed: int) -> None:
    chain = shaken(seed, related=False)
    if all(label in HIDDEN for label in chain.labels):
        return
    hushed = [label for label in ("hush",) if label in chain.labels]
    quiet = chain.without_silent(hushed, unlabelled=True)
    ends = {state for state, label in enumerate(quiet.labels) if label == SILENT}
    for state, label in enumerate(chain.labels):
        if label in HIDDEN:
            assert chain.states[state] not in quiet.states
            continue
        found, rest = seen_first(chain, state, HIDDEN, 60, step_first=True)
        row = dict(quiet.rows[quiet.number(chain.states[state])])
        for target, low in found.items():
            exact = row[quiet.number(chain.states[target])]
            assert low <= exact <= low + rest
        assert sum(row.values()) == 1
        assert sum((p for target, p in row.items() if target in ends), Fraction(0)) <= rest


@pytest.mark.sample(7)
@pytest.mark.parametrize("seed", range(25))
def test_words_from_start_states_have_the_probabilities_of_the_visible_labels(seed: int) -> None:
    chain = shaken(seed, related=True)
    if all(label in HIDDEN for label in chain.labels):
        return
    hushed = [label for label in ("hush",) if label in chain.labels]
    quiet = chain.without_silent(hushed, unlabelled=True)
    starts = {0, 1, 4}
    opened = any(chain.labels[s] in HIDDEN for s in starts)
    assert {quiet.states[i] for pair in quiet.relation for i in pair} == {chain.states[s] for s in starts}
    letters = [label for label in chain.alphabet if label not in HIDDEN]
    for start in starts:
        number = quiet.number(chain.states[start])
        assert (quiet.labels[number] == START) == opened
        for word in (word for length in (1, 2, 3) for word in product(letters, repeat=length)):
            low, high = seen_word_bounds(chain, start, HIDDEN, word, 50)
            exact = word_probability(quiet, number, ((START,) if opened else ()) + word)
            assert low <= exact <= high


def test_what_is_visible_stays_as_it_is() -> None:
    chain = examples.dining_cryptographers(n=2)
    assert without_silent(chain, unlabelled=True).chain is chain
    assert without_silent(chain, unlabelled=True).notes == ("hid nothing: no state is silent",)


LOOP = Chain.from_dicts(
    {"s": {"s": "1/2", "a": "1/4", "dead": "1/4"}, "a": {"s": 1}, "dead": {"deader": 1}, "deader": {"dead": 1}},
    {"s": "", "a": "A", "dead": "", "deader": ""},
    relation=[("s", "a")],
)


def test_silence_for_ever_is_a_visible_end_and_start_states_show_themselves_once() -> None:
    found = without_silent(LOOP, unlabelled=True)
    quiet = found.chain
    assert quiet.states == ("s", "a", "a (seen)", SILENT)
    assert quiet.labels == (START, START, "A", SILENT)
    half = Fraction(1, 2)
    assert quiet.rows == (((2, half), (3, half)), ((2, Fraction(1)),), ((2, half), (3, half)), ((3, Fraction(1)),))
    assert quiet.pairs == (("s", "a"),)
    assert found.notes == (
        "hid 3 of 4 states: 3 without a label; 1 stay as start states, labelled (start)",
        "a run can stay silent for ever: it then ends in a state labelled (silent)",
    )


def test_start_states_can_be_named_and_names_stay_apart() -> None:
    clash = Chain.from_dicts(
        {"s": {"(silent)": "1/2", "a (seen)": "1/2"}, "(silent)": {"(silent)": 1}, "a (seen)": {"s": 1}},
        {"s": "x", "(silent)": "x", "a (seen)": "A"},
    )
    assert clash.without_silent(["x"]).states == ("a (seen)", "(silent) #2")
    assert clash.without_silent(["x"], starts=["s"]).states == ("s", "a (seen)", "(silent) #2")
    assert clash.without_silent(["x"], starts=["s", "a (seen)"]).states == (
        "s",
        "a (seen)",
        "a (seen) (seen)",
        "(silent) #2",
    )


@pytest.mark.parametrize(
    ("chain", "labels", "part"),
    [
        (LOOP, ["B"], "no state has the label 'B'"),
        (LOOP, ["A", ""], "every state is silent"),
        (Chain.from_dicts({"s": {"s": 1}, "t": {"s": 1}}, {"s": "", "t": SILENT}), [""], "is in use already"),
    ],
)
def test_refusals(chain: Chain, labels: list[str], part: str) -> None:
    with pytest.raises(InputError, match=part):
        chain.without_silent(labels)


def test_valuations_stay_with_their_states() -> None:
    chain = Chain.of_rows(LOOP.states, LOOP.labels, LOOP.rows, LOOP.relation, ({"x": 0}, {"x": 1}, {"x": 2}, {"x": 3}))
    assert chain.without_silent(unlabelled=True).valuations == ({"x": 0}, {"x": 1}, {"x": 1}, {})


def waiting(seed: int, *, related: bool) -> Chain:
    """A random chain with silent states, some of them for ever, in which two visible labels offer inputs."""
    chooser = random.Random(seed)
    size = 9
    labels = ["menu", "menu", *(chooser.choice(("", "hush", "menu", "ask", "seen")) for _ in range(size - 2))]
    if related:
        labels[0] = chooser.choice(("", "menu", "seen"))
    inputs = {label: names for label, names in (("menu", ("a", "b")), ("ask", ("c",))) if label in labels}

    def row() -> tuple[tuple[int, Fraction], ...]:
        targets = sorted(chooser.sample(range(size), chooser.choice((1, 2, 3))))
        shares = [chooser.randint(1, 3) for _ in targets]
        return tuple((target, Fraction(n, sum(shares))) for target, n in zip(targets, shares, strict=True))

    moves = tuple(tuple(row() for _ in inputs.get(label, (None,))) for label in labels)
    names = tuple(f"q{number}" for number in range(size))
    return Chain(names, tuple(labels), moves, ((0, 1),) if related else (), None, inputs)


@pytest.mark.parametrize("seed", range(60))
def test_with_inputs_each_row_leads_to_the_next_visible_state(seed: int) -> None:
    chain = waiting(seed, related=False)
    quiet = chain.without_silent(["hush"] if "hush" in chain.labels else [], unlabelled=True)
    assert quiet.inputs == chain.inputs
    ends = {state for state, label in enumerate(quiet.labels) if label == SILENT}
    for state, label in enumerate(chain.labels):
        for asked in chain.offered(state) if label not in HIDDEN else ():
            found, rest = seen_first(chain, state, HIDDEN, 60, step_first=True, asked=asked)
            row = dict(quiet.points_of(quiet.number(chain.states[state]), asked))
            for target, low in found.items():
                assert low <= row[quiet.number(chain.states[target])] <= low + rest
            assert sum(row.values()) == 1
            assert sum((p for target, p in row.items() if target in ends), Fraction(0)) <= rest


@pytest.mark.sample(15)
@pytest.mark.parametrize("seed", range(30))
def test_with_inputs_words_have_their_probabilities_whatever_is_given(seed: int) -> None:
    chain = waiting(seed, related=True)
    quiet = chain.without_silent(["hush"] if "hush" in chain.labels else [], unlabelled=True)
    opened = any(chain.labels[start] in HIDDEN for start in (0, 1))
    chooser = random.Random(seed)
    letters = [label for label in chain.alphabet if label not in HIDDEN]
    for start in (0, 1):
        number = quiet.number(chain.states[start])
        assert (quiet.labels[number] == START) == opened
        for letter_word in product(letters, repeat=3):
            given = [chooser.choice(chain.inputs[label]) if label in chain.inputs else None for label in letter_word]
            low, high = seen_word_bounds(chain, start, HIDDEN, letter_word, 50, given)
            word = [part for pair in zip(letter_word, given, strict=True) for part in pair if part is not None]
            exact = word_probability(quiet, number, ([START] if opened else []) + word)
            assert low <= exact <= high


@pytest.mark.parametrize("alpha", ["1", "3/2", "2"])
def test_steps_of_any_length_between_the_answers_of_a_device_change_nothing_once_hidden(alpha: str) -> None:
    device = examples.probe()
    late = len(device)
    ahead = tuple(tuple(tuple((target + late, p) for target, p in row) for row in rows) for rows in device.moves)
    third = Fraction(1, 3)
    hops = tuple((((target, 1 - third), (target + late, third)),) for target in range(late))
    names = (*device.states, *(f"on the way to {name}" for name in device.states))
    labels = (*device.labels, *["hop"] * late)
    slow = Chain(names, labels, ahead + hops, device.relation, None, device.inputs)
    quick = slow.without_silent(["hop"])
    assert (quick.states, quick.labels, quick.moves) == (device.states, device.labels, device.moves)
    found = delta(quick, exp_epsilon=alpha)
    assert found.lower == found.upper == {"1": Fraction(1, 2), "3/2": Fraction(3, 8), "2": Fraction(1, 4)}[alpha]


def test_a_label_at_which_the_observer_chooses_cannot_be_hidden_and_is_named() -> None:
    chain = waiting(1, related=False)
    assert set(chain.inputs) == {"menu", "ask"}
    with pytest.raises(InteractiveChain) as caught:
        chain.without_silent(["menu", "ask", "hush"])
    assert says([defect.what.split(",")[0] for defect in caught.value.defects])
    assert "chain.choosing({'menu': input})" in caught.value.defects[0].fix
    settled = chain.choosing({"menu": "a", "ask": "c"}).without_silent(["menu", "ask", "hush"])
    assert not settled.interactive


def test_a_label_with_inputs_is_not_taken_for_that_of_start_states() -> None:
    chain = Chain.from_dicts(
        {"s": {"m": 1}, "t": {"m": 1}, "m": {"a": {"m": 1}, "b": {"t": 1}}},
        {"s": "", "t": "x", "m": START},
        relation=[("s", "t")],
    )
    with refuses(InputError, "which start states"):
        chain.without_silent(unlabelled=True)


PROTOCOL = """
from deltachain import program, flip, announce, uniform

@program
def retry(secret, p="1/3"):
    while True:
        tries = 0
        while flip(p):
            tries = 1 - tries
        if flip("1/10"):
            return
        announce(secret + tries)
"""


def test_the_same_protocol_as_a_program(tmp_path: Path) -> None:
    (tmp_path / "p.py").write_text(PROTOCOL)
    program = load_program(tmp_path / "p.py", "retry").chain([{"secret": 0}, {"secret": 1}])
    rows: dict[str, dict[str, str | int]] = {"end": {"end": 1}}
    labels = {"end": "end"}
    for secret in (0, 1):
        for tries in (0, 1):
            here, said = f"draw{secret}{tries}", f"say{secret}{tries}"
            rows[here] = {f"draw{secret}{1 - tries}": "1/3", f"leave{secret}{tries}": "2/3"}
            rows[f"leave{secret}{tries}"] = {"end": "1/10", said: "9/10"}
            rows[said] = {f"draw{secret}0": 1}
            labels |= {here: "", f"leave{secret}{tries}": "", said: str(secret + tries)}
    explicit = Chain.from_dicts(rows, labels, relation=[("draw00", "draw10")]).without_silent(unlabelled=True)
    for alpha in ("1", "11/10", "2", "3"):
        ours, theirs = delta(explicit, exp_epsilon=alpha), delta(program, exp_epsilon=alpha)
        assert (ours.lower, ours.upper) == (theirs.lower, theirs.upper)
    for length in (1, 2, 3):
        for word in product("012", repeat=length):
            for start, name in enumerate(("draw00", "draw10")):
                expected = word_probability(program, start, ("start", *word))
                assert word_probability(explicit, explicit.number(name), (START, *word)) == expected


def test_textbook_crowds_gives_its_sender_away_only_to_those_with_a_clock() -> None:
    pytest.importorskip("stormpy", reason="needs the extra storm")
    timed = load(EXAMPLES / "crowds-hops.prism")
    for alpha in (1, 2, 100):
        found = delta(timed, exp_epsilon=alpha)
        assert (found.lower, found.upper) == (Fraction(1, 5), Fraction(1, 5))
    untimed = timed.without_silent(unlabelled=True)
    zoo = examples.crowds(members=5, corrupt=1, forward="4/5")
    for alpha in ("1", "2", "3", "13/4", "4"):
        found = delta(untimed, exp_epsilon=alpha)
        expected = max(Fraction(1, 5) - (Fraction(alpha) - 1) * Fraction(4, 45), Fraction(0))
        assert (found.lower, found.upper) == (expected, expected)
        assert delta(zoo, exp_epsilon=alpha).upper == expected
    assert delta(untimed, exp_epsilon="13/4").upper == 0 < delta(untimed, exp_epsilon="324/100").lower


def walks(size: int, block: int) -> Chain:
    """Visible states in a ring, with a silent random walk of ``block`` states between each and the next."""
    rows, labels = [], []
    count = size // (block + 1)
    for number in range(count):
        base = number * (block + 1)
        after = (base + block + 1) % (count * (block + 1))
        rows.append(((base + 1, Fraction(1)),))
        labels.append(f"v{number % 5}")
        for place in range(1, block + 1):
            up = base + place + 1 if place < block else after
            rows.append(tuple(sorted({base + place - 1: Fraction(1, 3), up: Fraction(2, 3)}.items())))
            labels.append("")
    return Chain.of_rows(tuple(map(str, range(len(rows)))), tuple(labels), tuple(rows))


def test_entangled_silence_and_a_stopped_watch_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    cancel = Cancel()
    cancel.interrupt()
    with pytest.raises(Stopped):
        without_silent(walks(100, 9), unlabelled=True, cancel=cancel)
    monkeypatch.setattr("deltachain.model.silent.MAX_WORK", 10)
    with refuses(InputError, "silent states are"):
        without_silent(walks(100, 9), unlabelled=True)


def test_long_walks_are_summed_exactly() -> None:
    # Gambler's ruin: up with 2/3, down with 1/3, from 1 of N = 10: (1 − 1/2) / (1 − 1/2^10).
    quiet = walks(100, 9).without_silent(unlabelled=True)
    assert quiet.probability("0", "10") == Fraction(1, 2) / (1 - Fraction(1, 1024))


@pytest.mark.parametrize("states", [100, 1_000, 10_000])
def test_local_silence_is_removed_in_linear_work(states: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deltachain.model.silent.MAX_WORK", 10 * states)
    assert len(walks(states, 9).without_silent(unlabelled=True)) == states // 10


def test_hidden_steps_of_functions_of_e_are_summed_exactly() -> None:
    text = "def main(x):\n    announce('h')\n    announce(flip(1 / (1 + exp(1))) == x)\n"
    chain = program(text).chain([{"x": True}, {"x": False}])
    found = without_silent(chain, ["h"]).chain
    plain = program("def main(x):\n    announce(flip(1 / (1 + exp(1))) == x)\n").chain([{"x": True}, {"x": False}])
    assert (
        delta(found, "x=True", "x=False", epsilon="1/2").value == delta(plain, "x=True", "x=False", epsilon="1/2").value
    )
    # A loop that nobody sees: it is left with probability p at each turn, and nothing is lost.
    waiting = (
        "def main(x):\n    while flip(exp(-1)):\n        announce('h')\n    announce(flip(1 / (1 + exp(1))) == x)\n"
    )
    looped = without_silent(program(waiting).chain([{"x": True}, {"x": False}]), ["h"]).chain
    assert (
        delta(looped, "x=True", "x=False", epsilon="1/2").value
        == delta(plain, "x=True", "x=False", epsilon="1/2").value
    )


def test_probabilities_that_are_only_enclosed_are_refused_with_what_helps() -> None:
    text = "def main(x):\n    announce('h')\n    announce(flip(1 / (1 + sqrt(2))))\n"
    chain = program(text).chain([{"x": 0}, {"x": 1}])
    with refuses(UncertainChain, "leave these letters"):
        without_silent(chain, ["h"])
