"""What new users of 0.2 ran into: reprs, plots and messages that said too little, too much, or nothing."""

from __future__ import annotations

from fractions import Fraction

import pytest

import deltachain as dc
from tests.cli.command import run
from tests.words import says


def test_an_epsilon_bound_shows_epsilon() -> None:
    shown = repr(dc.epsilon(dc.examples.survey(), delta=0))
    assert "e^ε = 3" in shown
    assert says(shown, "rounded up")


def test_a_witness_is_short() -> None:
    found = dc.delta(dc.examples.build("random,n=52,seed=1"), 0, 1, epsilon="0.1", max_nodes=60)
    assert found.witness is not None
    assert len(repr(found.witness)) < 200
    assert "\n" not in repr(found.witness)


def test_a_plot_needs_no_target() -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    curve = dc.profile("example:survey", epsilons=[0, 1])
    for axes in (curve.plot(), curve.plot_tradeoff(), dc.sweep("example:survey", epsilons=[0, 1]).plot()):
        assert axes is not None
        assert axes.lines
    pyplot.close("all")


def test_results_make_a_data_frame() -> None:
    pandas = pytest.importorskip("pandas")
    found = dc.delta("example:dining-cryptographers,n=3", epsilon="0.1")
    frame = pandas.DataFrame(found.to_dict()["results"])
    assert list(frame["method"]) == [result.method for result in found.results]


def test_both_epsilon_and_its_exponential_are_shown() -> None:
    assert says(repr(dc.delta("example:coin", epsilon="0.1")), "e^ε ≈")
    assert says(repr(dc.delta("example:coin", exp_epsilon="1.0986")), "e^ε =")
    text = run("check", "example:coin", "--exp-epsilon", "1.0986", "--delta", "0.5").stdout
    assert says(text, "e^ε")


@pytest.mark.parametrize("text", ["ln 3", "ln3", " ln(3) "])
def test_an_epsilon_may_be_a_logarithm(text: str) -> None:
    assert dc.delta("example:survey", epsilon=text) == dc.delta("example:survey", exp_epsilon=3)
    assert run("delta", "example:survey", "--epsilon", text, "--brief").stdout == "δ(s0, s1) = 0, exact\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("delta", "example:coin", "--epsilon", "1", "--delta", "0.1"), "delta has no --delta option; check, epsilon,"),
        (("delta", "example:coin", "--epsilon", "1", "--jobs", "2"), "estimate and sweep do"),
        (("delta", "example:coin", "--epsilom", "1"), "did you mean --epsilon?"),
        (("sweep", "example:survey", "--set", "p=2:1:1", "--epsilons", "0"), "'2:1:1' is an empty range"),
        (("info", "example:coin", "--secret", "x=1"), "--secret: not used with this kind of model"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_messages_say_what_to_do(arguments: tuple[str, ...], said: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_missing_relation_is_no_fault_of_an_option_that_was_not_given() -> None:
    states = '{"a": {"label": "x", "to": {"a": 1}}, "b": {"label": "x", "to": {"b": 1}}}'
    done = run("delta", "-", "--epsilon", "1", input=f'{{"format": "deltachain.chain/1", "states": {states}}}')
    assert done.returncode == 2
    assert says(done.stderr, "carries no relation")


def test_blanks_in_the_names_of_states_may_be_left_out() -> None:
    rows = {"stream=(0, 0)": {"h": "2/5", "t": "3/5"}, "stream=(0, 1)": {"h": "3/5", "t": "2/5"}}
    chain = dc.Chain.from_dicts(
        rows | {"h": {"h": 1}, "t": {"t": 1}}, {**dict.fromkeys(rows, "start"), "h": "heads", "t": "tails"}
    )
    from deltachain.cli.question import states_named

    assert states_named(chain, ["stream=(0,1)", "stream=(0, 0)"], "--pair") == [1, 0]


def test_a_word_that_begins_elsewhere_is_said() -> None:
    done = run("trace", "example:coin", "--word", "heads")
    assert says(done.stderr, "start; none begins")


def test_a_search_that_was_given_no_gap_does_not_say_that_it_was() -> None:
    done = run("delta", "example:sticky-sensor", "--epsilon", "0.1", "--max-nodes", "100")
    assert "as asked" not in done.stdout
    assert "search  the search budget is spent; raise --max-nodes" in done.stdout


def test_questions_asked_adaptively_are_those_against_the_worst_pair() -> None:
    """(s, t) is told apart by one question; (u, v) by the question that fits a mode, which is seen first."""
    even, high, low = ({"yes": p, "no": 1 - p} for p in (Fraction(1, 2), Fraction(9, 10), Fraction(1, 10)))
    rows: dict[str, dict[str, dict[str, Fraction]]] = {
        "s": {"q1": {"yes": Fraction(3, 4), "no": Fraction(1, 4)}, "q2": even},
        "t": {"q1": {"yes": Fraction(1, 4), "no": Fraction(3, 4)}, "q2": even},
    }
    for name, telling in (("u", high), ("v", low)):
        modes = {f"{name}1": Fraction(1, 2), f"{name}2": Fraction(1, 2)}
        rows[name] = {"q1": modes, "q2": modes}
        rows |= {f"{name}1": {"q1": telling, "q2": even}, f"{name}2": {"q1": even, "q2": telling}}
    rows |= {"yes": {"q1": {"yes": Fraction(1)}}, "no": {"q1": {"no": Fraction(1)}}}
    labels = dict.fromkeys("stuv", "start") | {"u1": "one", "v1": "one", "u2": "two", "v2": "two"}
    labels |= {"yes": "yes", "no": "no"}
    chain = dc.Chain.from_dicts(rows, labels, relation=[("s", "t"), ("u", "v")])
    shown = dict(dc.delta(chain, epsilon=0, fixed=2).sections()[0].rows)  # type: ignore[union-attr]
    assert shown["2 decided in advance"] == "1/2 = 0.5, by asking q1"
    assert shown["2 asked adaptively"] == "4/5 = 0.8"
    assert shown["adaptivity buys"] == "3/10 = 0.3"
