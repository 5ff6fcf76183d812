"""δ intervals: the golden values, each way to close an interval on a chain that needs it, and every limit."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import deltachain as dc
from deltachain import Chain, delta, errors, verify
from deltachain.beliefs import search as searching
from deltachain.beliefs.graph import finite, split
from deltachain.beliefs.graph import values as node_values
from deltachain.beliefs.signed.search import SignedProof
from deltachain.cancel import Cancel
from tests.asking import answered, question_at
from tests.reference.enumerate_events import tv_alpha_at_depth
from tests.unit.beliefs.cancelling import StoppingAfter
from tests.words import says

ALPHAS = [Fraction(1), Fraction("1.0002"), Fraction(6, 5), Fraction(2), Fraction(50)]

# Retry until success: both loop with probability 1/2, and tell the truth with different odds.
RETRY = Chain.from_dicts(
    {
        "s": {"s": "1/2", "y": "3/8", "n": "1/8"},
        "t": {"t": "1/2", "y": "1/8", "n": "3/8"},
        "y": {"y": 1},
        "n": {"n": 1},
    },
    {"s": "try", "t": "try", "y": "yes", "n": "no"},
)

# A hidden bit that is shown, by a noisy letter, again and again until a coin stops it: beliefs never come back.
SENSOR = Chain.from_dicts(
    {
        f"{bit}{letter}": {f"{bit}x": odds, f"{bit}y": Fraction(3, 4) - odds, "end": "1/4"}
        for bit, odds in (("s", Fraction(1, 2)), ("t", Fraction(1, 4)))
        for letter in "xy"
    }
    | {"end": {"end": 1}},
    {"sx": "x", "sy": "y", "tx": "x", "ty": "y", "end": "end"},
)


def waiting(decide: str) -> Chain:
    """Wait, then show a fair coin: tossed at the end (s), or perhaps already while waiting (u).

    No word tells s from u, but they are not bisimilar, and the beliefs from u never come back.
    """
    early = Fraction(decide)
    rest: dict[str, Any] = {"h": "1/4", "t": "1/4"}
    return Chain.from_dicts(
        {
            "s": {"s": "1/2"} | rest,
            "u": {"u": Fraction(1, 2) - 2 * early, "u0": early, "u1": early} | rest,
            "u0": {"u0": "1/2", "h": "1/2"},
            "u1": {"u1": "1/2", "t": "1/2"},
            "h": {"h": 1},
            "t": {"t": 1},
            "far": {"far": "1/3", "u": "2/3"},
        },
        {"s": "wait", "u": "wait", "u0": "wait", "u1": "wait", "h": "heads", "t": "tails", "far": "far"},
    )


# The paper's remark in small: s decides late, u early; no cycle but the ends.
EARLY_AND_LATE = Chain.from_dicts(
    {
        "s": {"m": 1},
        "u": {"m0": "1/2", "m1": "1/2"},
        "m": {"h": "1/2", "t": "1/2"},
        "m0": {"h": 1},
        "m1": {"t": 1},
        "h": {"h": 1},
        "t": {"t": 1},
    },
    {"s": "s", "u": "s", "m": "m", "m0": "m", "m1": "m", "h": "h", "t": "t"},
)


@pytest.mark.parametrize(
    ("payers", "expected"),
    [
        (2, Fraction(7501, 25_000_000)),
        (3, Fraction("0.00035002")),
        (4, Fraction("0.000499979992")),
        (20, None),
    ],
)
def test_dining_cryptographers(payers: int, expected: Fraction | None) -> None:
    chain = dc.examples.dining_cryptographers(n=payers, p="49/100")
    found = delta(chain, "s0", "s1", exp_epsilon="1.0002")
    assert found.exact
    verify(chain, found.certificate)
    if expected is not None:
        assert found.upper == expected
    else:
        assert Fraction("0.00130802733572") <= found.upper < Fraction("0.00130802733573")


def test_split_coin() -> None:
    chain = dc.examples.split_coin()
    found = delta(chain, exp_epsilon="6/5")
    assert (found.lower, found.upper) == (Fraction(1, 5), Fraction(1, 5))
    verify(chain, found.certificate)


def test_bisimilar_states_close_at_once() -> None:
    chain = Chain.from_dicts({"s": {"s": 1}, "t": {"s": "1/3", "t": "2/3"}}, {"s": "a", "t": "a"})
    found = delta(chain, "s", "t", exp_epsilon=1)
    assert (found.lower, found.upper, found.nodes) == (0, 0, 0)
    verify(chain, found.certificate)


def test_different_labels_are_one_whatever_alpha() -> None:
    found = delta(RETRY, "s", "y", exp_epsilon=10**9)
    assert (found.lower, found.upper) == (1, 1)
    assert found.witness is not None
    assert found.witness.words[0].word == ("try",)
    verify(RETRY, found.certificate)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_a_transient_loop_is_summed_exactly(alpha: Fraction) -> None:
    found = delta(RETRY, "s", "t", exp_epsilon=alpha)
    expected = max(Fraction(3, 4) - alpha * Fraction(1, 4), 0)
    assert (found.lower, found.upper) == (expected, expected)
    verify(RETRY, found.certificate)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_bottom_components_keep_their_share(alpha: Fraction) -> None:
    """Both toss coins for ever, s late and t early: their hidden states never meet, their odds never change again."""
    chain = Chain.from_dicts(
        {
            "s": {"late": "2/3", "quit": "1/3"},
            "t": {"early0": "1/6", "early1": "1/6", "quit": "2/3"},
            "late": {"hs": "1/2", "ts": "1/2"},
            "early0": {"ht": 1},
            "early1": {"tt": 1},
            "hs": {"late": 1},
            "ts": {"late": 1},
            "ht": {"early0": "1/2", "early1": "1/2"},
            "tt": {"early0": "1/2", "early1": "1/2"},
            "quit": {"quit": 1},
        },
        {"s": "go", "t": "go", "late": "toss", "early0": "toss", "early1": "toss", "quit": "quit"}
        | {"hs": "heads", "ht": "heads", "ts": "tails", "tt": "tails"},
    )
    found = delta(chain, "s", "t", exp_epsilon=alpha)
    expected = max(Fraction(2, 3) - alpha * Fraction(1, 3), 0)
    assert (found.lower, found.upper) == (expected, expected)
    assert says(found.results[0].method)
    assert len(found._proof.proofs[0].solved.settled) > 1  # type: ignore[union-attr]
    verify(chain, found.certificate)


@pytest.mark.sample(10)
@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("decide", ["1/6", "1/7", "1/100", "1/4"])
def test_trace_equivalent_states_have_delta_zero(alpha: Fraction, decide: str) -> None:
    chain = waiting(decide)
    found = delta(chain, "s", "u", exp_epsilon=alpha)
    assert (found.lower, found.upper) == (0, 0)
    assert found.witness is None
    verify(chain, found.certificate)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_trace_equivalent_states_without_cycles(alpha: Fraction) -> None:
    found = delta(EARLY_AND_LATE, "s", "u", exp_epsilon=alpha)
    assert (found.lower, found.upper) == (0, 0)
    verify(EARLY_AND_LATE, found.certificate)


def test_trace_equivalence_is_found_behind_a_visible_start() -> None:
    """Merging up to traces inside a graph: the starts differ by 1/8, what follows is one node although hidden."""
    rows = {state: dict(waiting("1/6").rows[i]) for i, state in enumerate(waiting("1/6").states)}
    names = waiting("1/6").states
    named: dict[str, dict[str, Any]] = {
        s: {names[j]: p for j, p in row.items()} for s, row in rows.items() if s != "far"
    }
    named |= {"p": {"s": "3/8", "h": "5/8"}, "q": {"u": "1/2", "h": "1/2"}}
    labels = dict(zip(names, waiting("1/6").labels, strict=True)) | {"p": "go", "q": "go"}
    chain = Chain.from_dicts(named, {s: labels[s] for s in named})
    found = delta(chain, "p", "q", exp_epsilon=1)
    assert (found.lower, found.upper) == (Fraction(1, 8), Fraction(1, 8))
    verify(chain, found.certificate)


def test_beliefs_that_never_come_back_are_closed_by_flows_into_the_distance() -> None:
    chain = dc.examples.sticky_sensor()
    found = delta(chain, exp_epsilon=4)
    assert (found.lower, found.upper) == (0, 0)
    assert says(found.results[0].method)
    verify(chain, found.certificate)


def test_distances_that_are_cut_off_are_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    import deltachain.distances.fixed_point as fixed_point

    def never(*_: object, **__: object) -> object:
        raise errors.Stopped("never")

    monkeypatch.setattr(fixed_point, "solve", never)
    found = delta(dc.examples.sticky_sensor(), exp_epsilon=4, gap="1e-3")
    assert found.results[0].method == "signed beliefs"
    assert 0 == found.lower <= found.upper < Fraction(1, 1000)
    verify(dc.examples.sticky_sensor(), found.certificate)


def test_more_nodes_never_widen_the_interval() -> None:
    previous = (Fraction(0), Fraction(1))
    for nodes in (2, 20, 200, 2000, 8000):
        found = delta(SENSOR, "sx", "tx", exp_epsilon="6/5", max_nodes=nodes)
        verify(SENSOR, found.certificate)
        assert previous[0] <= found.lower <= found.upper <= previous[1]
        previous = found.lower, found.upper
    assert previous[1] - previous[0] < Fraction(1, 1000)


def test_a_gap_is_reached_and_no_more() -> None:
    wide = delta(SENSOR, "sx", "tx", exp_epsilon="6/5", gap="1/10")
    narrow = delta(SENSOR, "sx", "tx", exp_epsilon="6/5", gap="1/1000")
    assert Fraction(1, 1000) >= narrow.upper - narrow.lower
    assert wide.nodes <= narrow.nodes


def test_components_too_entangled_to_solve_are_bounded_by_signed_beliefs(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = delta(RETRY, "s", "t", exp_epsilon=2)
    assert exact.exact
    monkeypatch.setattr(node_values, "LARGEST_COMPONENT", 0)
    monkeypatch.setattr(split, "MOST_STATES", 0)
    blurred = delta(RETRY, "s", "t", exp_epsilon=2)
    assert blurred.results[0].method == "signed beliefs"
    assert blurred.lower <= exact.lower <= exact.upper <= blurred.upper
    verify(RETRY, blurred.certificate)


@pytest.mark.parametrize("chain", [SENSOR, waiting("1/6"), RETRY], ids=["sensor", "waiting", "retry"])
def test_whenever_it_is_stopped_the_interval_is_certified(chain: Chain) -> None:
    alpha = Fraction(6, 5)
    brute = tv_alpha_at_depth(chain, 0, 1 if chain is not SENSOR else "tx", alpha, 6)
    pair = (0, 1) if chain is not SENSOR else (0, chain.number("tx"))
    interrupted = 0
    for calls in (0, 1, 2, 5, 20, 60, 64, 65, 66, 70, 100, 130, 200):
        question = question_at(alpha, chain, [pair], gap=Fraction(1, 10**30), max_nodes=150)
        answer = answered(question, StoppingAfter(calls))
        verify(chain, answer.certificate())
        assert brute <= answer.upper
        interrupted += answer.proofs[0].stopped == "interrupted"
    assert interrupted > 0


def test_a_timeout_of_nothing_still_answers() -> None:
    found = delta(SENSOR, "sx", "tx", exp_epsilon="6/5", timeout=1e-9)
    assert found.results[0].stopped == "time"
    assert 0 <= found.lower <= found.upper <= 1
    verify(SENSOR, found.certificate)


def hidden_modes(starts: int) -> tuple[Chain, list[tuple[int, int]]]:
    """Start states that choose one of three hidden modes by different odds, and all their pairs: no end of beliefs."""
    rows: dict[str, Any] = {}
    for q in range(starts):
        weights = {"ax": q + 1, "bx": 3, "cx": starts + 1}
        rows[f"q{q}"] = {name: Fraction(weight, sum(weights.values())) for name, weight in weights.items()}
    odds = {"a": ("1/2", "1/5"), "b": ("1/4", "1/3"), "c": ("1/7", "2/3")}
    for mode, after in zip("abc", "bca", strict=True):
        for letter in "xy":
            stay, show = map(Fraction, odds[mode])
            there = {f"{mode}x": stay * show, f"{mode}y": stay * (1 - show)}
            rows[mode + letter] = there | {f"{after}x": (1 - stay) * show, f"{after}y": (1 - stay) * (1 - show)}
    labels = {name: "start" if name[0] == "q" else name[1] for name in rows}
    return Chain.from_dicts(rows, labels), [(s, t) for s in range(starts) for t in range(s)]


def test_a_whole_domain_is_searched_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    chain, pairs = hidden_modes(5)
    question = question_at(Fraction(11, 10), chain, pairs, max_nodes=4_000)
    together = answered(question)
    monkeypatch.setattr(searching, "BATCH", 3)
    reported: list[tuple[Fraction, Fraction]] = []
    apart = answered(question, Cancel(bounds=lambda low, high: reported.append((low, high))))
    assert len({id(proof.forest) for proof in apart.proofs if isinstance(proof, SignedProof)}) >= 3
    for proof, other, (s, t) in zip(apart.proofs, together.proofs, pairs, strict=True):
        deep = tv_alpha_at_depth(chain, s, t, Fraction(11, 10), 7)
        assert deep <= proof.interval.upper
        assert proof.interval.lower <= other.interval.upper
        assert other.interval.lower <= proof.interval.upper
    assert len(verify(chain, apart.certificate())) == len(pairs)
    # A bound that is reported holds for the pairs that were not reached, too.
    assert reported
    assert all(low <= apart.upper and apart.lower <= high for low, high in reported)
    assert {high for _, high in reported[:2]} == {1}


def test_event_vectors_of_several_forests_are_in_one_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = dc.load("example:random,n=24,labels=3,degree=4,seed=0")
    alike = [s for s in range(len(chain)) if chain.labels[s] == chain.labels[0]]
    pairs = [(alike[0], t) for t in alike[1:7]]
    monkeypatch.setattr(searching, "BATCH", 2)
    monkeypatch.setattr(searching, "DISTANCE_PAIRS", 0)
    found = answered(question_at(Fraction(11, 10), chain, pairs, max_nodes=6_000))
    forests = [proof.forest for proof in found.proofs[::2] if isinstance(proof, SignedProof)]
    assert len({id(forest) for forest in forests}) == 3
    chosen = [max(int(known.chosen.max()) for known in forest.known.values()) for forest in forests]
    assert all(number > 1 for number in chosen)  # each uses vectors of its own
    document = found.certificate().document
    assert len(document["vectors"]) > max(chosen) - 1
    assert len(verify(chain, document)) == len(pairs)
    # What one forest proves by its vectors does not follow from those of another.
    changed = document | {"vectors": document["vectors"][::-1]}
    with pytest.raises(errors.CertificateRejected):
        verify(chain, changed)


@pytest.mark.parametrize("questions", [0, 5, 40, 90, 150])
def test_pairs_that_were_not_reached_are_in_the_answer(questions: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chain, pairs = hidden_modes(6)
    monkeypatch.setattr(searching, "BATCH", 4)
    question = question_at(Fraction(11, 10), chain, pairs)
    found = answered(question, StoppingAfter(questions))
    assert found.cut_off
    late = [proof for proof in found.proofs if proof.method == "not reached"]
    assert 0 < len(late) <= len(pairs) - 4
    assert {(proof.interval.lower, proof.interval.upper, proof.stopped) for proof in late} == {(0, 1, "interrupted")}
    assert found.searches == len(pairs) - len(late)
    assert found.upper == 1
    assert late[0].witness() is None
    assert len(verify(chain, found.certificate())) == len(pairs)


def test_pairs_like_many_that_did_not_end_are_left_to_other_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    chain, pairs = hidden_modes(6)
    ends = {"e0": {"u": "1/2", "v": "1/2"}, "e1": {"u": "1/4", "v": "3/4"}, "u": {"u": 1}, "v": {"v": 1}}
    rows = {chain.states[s]: {chain.states[t]: p for t, p in row} for s, row in enumerate(chain.rows)}
    labels = dict(zip(chain.states, chain.labels, strict=True)) | {"e0": "start", "e1": "start", "u": "u", "v": "v"}
    wider = Chain.from_dicts(rows | ends, labels)
    asked: list[object] = []
    ending = finite.explore_to_end

    def counted(work: Any, pair: Any, *rest: Any) -> Any:
        asked.append(pair)
        return ending(work, pair, *rest)

    monkeypatch.setattr(finite, "explore_to_end", counted)
    monkeypatch.setattr(finite, "MOST_ENDLESS", 3)
    last = (wider.number("e0"), wider.number("e1"))
    found = answered(question_at(Fraction(1), wider, [*pairs, last]))
    assert asked == [*pairs[:3], last]
    assert found.proofs[-1].interval.value == Fraction(1, 4)
    verify(wider, found.certificate())
