"""Guessing against its definition, δ, and the values that are known; priors and gains that are refused."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import deltachain as dc
from deltachain.cancel import Cancel
from deltachain.errors import InputError
from deltachain.measures.guess.find import Gains, StartStates, guess_secret
from deltachain.model import Chain
from tests.amounts import fewer_or_all
from tests.reference.guessing import best_plan_value, value_at_depth


def chain_of(draw: random.Random, cyclic: bool) -> Chain:
    """Three secrets, not all of one label; the last state is absorbing."""
    n = draw.randint(6, 8)
    labels = [*draw.choice(["aaa", "aab"]), *(draw.choice("ab") for _ in range(n - 4)), "z"]
    rows = []
    for i in range(n - 1):
        first = 3 if cyclic else max(3, i + 1)
        weights = {j: draw.randint(1, 4) for j in draw.sample(range(first, n), min(n - first, draw.randint(1, 3)))}
        rows.append([Fraction(weights.get(j, 0), sum(weights.values())) for j in range(n)])
    return Chain.from_rows([*rows, [Fraction(int(j == n - 1)) for j in range(n)]], labels)


def prior_of(draw: random.Random, count: int = 3) -> tuple[Fraction, ...]:
    """Some of them equal."""
    weights = [draw.choice([1, 1, 2, 3]) for _ in range(count)]
    return tuple(Fraction(w, sum(weights)) for w in weights)


def gains_of(draw: random.Random) -> Gains:
    """Guesses, several of them, or a table."""
    prior = prior_of(draw)
    if draw.random() < 0.5:
        return Gains(prior, None, draw.choice([1, 1, 2]))
    if draw.random() < 0.3:  # secrets may be exchanged in this one
        return Gains(prior, ((Fraction(2), Fraction(0), Fraction(1)), (Fraction(0), Fraction(2), Fraction(1))))
    return Gains(prior, tuple(tuple(Fraction(draw.randint(0, 3)) for _ in range(3)) for _ in range(4)))


def worth(gains: Gains, masses: Any) -> Fraction:
    weighted = [p * z for p, z in zip(gains.prior, masses, strict=True)]
    if gains.table is None:
        return sum(sorted(weighted)[-gains.guesses :], Fraction(0))
    return max(sum((g * w for g, w in zip(row, weighted, strict=True)), Fraction(0)) for row in gains.table)


def test_chains_that_end_have_the_value_of_all_their_words() -> None:
    draw = random.Random(1)
    for _ in range(200):
        chain, gains = chain_of(draw, cyclic=False), gains_of(draw)
        found = guess_secret(StartStates(chain, [0, 1, 2], Cancel()), gains, None, Cancel())
        assert found.ended
        truth = value_at_depth(chain, [0, 1, 2], lambda z, gains=gains: worth(gains, z), len(chain))
        assert found.lower == found.upper == truth
        assert found.spread[0] == value_at_depth(chain, [0, 1, 2], max, len(chain))
        assert gains.before <= found.upper
        columns = guess_secret(StartStates(chain, [0, 1, 2], Cancel()), gains, None, Cancel(), columns=True)
        assert (columns.lower, columns.spread) == (found.lower, found.spread), "the order of secrets does not matter"
        assert columns.channel is not None
        assert all(sum(chances) == 1 for chances in zip(*columns.channel, strict=True))
        assert sum(worth(gains, column) for column in columns.channel) == truth


def test_bounds_hold_where_beliefs_are_not_followed_to_their_end() -> None:
    draw = random.Random(2)
    narrow = 0
    for _ in range(100):
        chain, gains = chain_of(draw, cyclic=True), gains_of(draw)
        below = value_at_depth(chain, [0, 1, 2], lambda z, gains=gains: worth(gains, z), 7)
        before = None
        for nodes in (2, 10, 200):
            found = guess_secret(StartStates(chain, [0, 1, 2], Cancel()), gains, nodes, Cancel())
            assert found.lower <= found.upper
            assert found.upper >= below
            if before is not None:
                assert before.lower <= found.upper
                assert found.lower <= before.upper
            if found.ended:
                assert found.lower == found.upper
            before = found
        assert before is not None
        narrow += float(before.upper - before.lower) < 0.05
    assert narrow > 50


def test_two_secrets_are_delta() -> None:
    draw = random.Random(3)
    for _ in range(150):
        chain = chain_of(draw, cyclic=False)
        alpha = Fraction(draw.randint(2, 9), 2)
        if chain.labels[0] != chain.labels[1]:
            continue
        ways = []
        for s, t in ((0, 1), (1, 0)):
            gains = Gains((1 / (1 + alpha), alpha / (1 + alpha)))
            ways.append(
                (1 + alpha) * guess_secret(StartStates(chain, [s, t], Cancel()), gains, None, Cancel()).upper - alpha
            )
        assert max(ways) == dc.delta(chain, 0, 1, exp_epsilon=alpha, check=False).upper


@pytest.mark.parametrize("name", ["lockout", "probe", "adaptive-survey", "query-budget"])
def test_two_secrets_are_delta_where_the_observer_asks(name: str) -> None:
    chain = dc.examples.build(name)
    s, t = chain.relation[0]
    for alpha in (Fraction(1), Fraction(3, 2), Fraction(2)):
        gains = Gains((1 / (1 + alpha), alpha / (1 + alpha)))
        ways = [
            guess_secret(StartStates(chain, way, Cancel()), gains, None, Cancel()).upper for way in ((s, t), (t, s))
        ]
        truth = dc.delta(chain, chain.states[s], chain.states[t], exp_epsilon=alpha, check=False)
        assert (1 + alpha) * max(ways) - alpha == truth.upper == truth.lower


def test_random_chains_with_inputs_have_the_value_of_the_best_strategy() -> None:
    draw = random.Random(4)
    for seed in range(25):
        chain = dc.examples.random(n=4, labels=2, degree=2, denominators=4, seed=seed, inputs=2)
        gains = Gains(prior_of(draw, 2))
        found = guess_secret(StartStates(chain, [0, 1], Cancel()), gains, 300, Cancel())
        for depth in (0, 2, 4):
            assert value_at_depth(chain, [0, 1], lambda z, gains=gains: worth(gains, z), depth) <= found.upper


def test_a_strategy_names_as_many_secrets_as_may_be_guessed() -> None:
    one, two = (dc.guess(dc.examples.lockout(), guesses=count).strategy for count in (1, 2))
    assert {told for _, told in one if not told.startswith("ask")} == {"guess s0", "guess s1"}
    assert {told for _, told in two if not told.startswith("ask")} == {"guess s0, s1", "guess s1, s0"}


def test_known_values() -> None:
    diners = {3: "417/1250", 4: "2503/10000"}
    for n, value in diners.items():
        assert dc.guess(dc.examples.dining_cryptographers(n=n, p="49/100")).upper == Fraction(value)
    ten = dc.guess(dc.examples.dining_cryptographers(n=10, p="49/100"))
    assert ten.exact
    assert float(ten.upper) == pytest.approx(0.10041748449, abs=1e-11)
    assert dc.guess(dc.examples.dining_cryptographers(n=3, p="49/100"), guesses=2).upper == Fraction(1667, 2500)
    for paths, value in {1: "2/5", 2: "19/40", 4: "5659/10000"}.items():
        assert dc.guess(dc.examples.crowds(members=5, corrupt=1, paths=paths)).upper == Fraction(value)


@fewer_or_all("n, most", (9, 0.7), (10, 0.6))
def test_interchangeable_secrets_share_nodes(n: int, most: float) -> None:
    chain = dc.examples.dining_cryptographers(n=n, p="49/100")
    same = dc.guess(chain)
    weights = {f"s{i}": Fraction(i + 1, n * (n + 1) // 2) for i in range(n)}
    other = dc.guess(chain, prior=weights)
    assert same.nodes < most * other.nodes
    assert same.upper == dc.guess(chain, channel=True).upper


def pin_lock(pins: int, turns: int, accuracy: Fraction) -> Chain:
    """A lock that answers ``turns`` chosen tries, rightly with some probability."""
    states: dict[str, Any] = {}
    rows: dict[str, Any] = {}
    labels = {"yes": "last-yes", "no": "last-no"}
    for secret in range(pins):
        for turn in range(turns):
            for seen in ["start"] if turn == 0 else ["yes", "no"]:
                name = f"s{secret}" if turn == 0 else f"s{secret}.{turn}.{seen}"
                after = [f"s{secret}.{turn + 1}.{r}" if turn + 1 < turns else r for r in ("yes", "no")]
                labels[name] = seen
                rows[name] = {
                    f"try{g}": dict(zip(after, (a := accuracy if g == secret else 1 - accuracy, 1 - a), strict=True))
                    for g in range(pins)
                }
    states |= {name: {"label": labels[name], "on": _texts(row)} for name, row in rows.items()}
    states |= {name: {"label": labels[name], "to": {name: "1"}} for name in ("yes", "no")}
    return native(states)


def _texts(row: dict[str, dict[str, Fraction]]) -> dict[str, dict[str, str]]:
    return {asked: {target: str(p) for target, p in each.items()} for asked, each in row.items()}


def native(states: dict[str, Any]) -> Chain:
    import json
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lock.json"
        path.write_text(json.dumps({"format": "deltachain.chain/1", "states": states}))
        return dc.load(path)


def test_a_pin_lock_that_is_asked_adaptively() -> None:
    for turns, value in {1: "3/8", 2: "15/32", 3: "9/16", 4: "153/256", 5: "675/1024"}.items():
        found = dc.guess(pin_lock(4, turns, Fraction(3, 4)), [f"s{i}" for i in range(4)])
        assert found.exact
        assert found.upper == Fraction(value)
        assert found.strategy[0][1].startswith("ask try")
        assert found.before == Fraction(1, 4)


def test_a_pin_lock_that_is_asked_as_decided_in_advance() -> None:
    for turns, value in {1: "3/8", 2: "15/32", 3: "69/128", 4: "297/512"}.items():
        chain = pin_lock(4, turns, Fraction(3, 4))
        plan = dc.guess(chain, [f"s{i}" for i in range(4)], fixed=turns).plan
        assert plan is not None
        assert plan.exact
        assert plan.upper == Fraction(value)
        assert len(plan.inputs) == turns
        assert plan.adaptive_lower == plan.adaptive_upper >= plan.upper


def test_plans_are_the_best_of_all_sequences() -> None:
    draw = random.Random(6)
    for _ in range(20):
        pins, turns, accuracy = draw.randint(2, 3), draw.randint(1, 4), Fraction(draw.randint(1, 7), 8)
        chain = pin_lock(pins, turns, accuracy)
        weights = [draw.randint(1, 5) for _ in range(pins)]
        prior = [Fraction(weight, sum(weights)) for weight in weights]
        count = draw.randint(1, pins - 1)

        def worth(masses: Sequence[Fraction], prior: Any = prior, count: int = count) -> Fraction:
            return sum(sorted([p * z for p, z in zip(prior, masses, strict=True)])[-count:], Fraction(0))

        names = [f"s{i}" for i in range(pins)]
        plan = dc.guess(chain, names, prior=dict(zip(names, prior, strict=True)), guesses=count, fixed=turns).plan
        assert plan is not None
        secrets = [chain.number(name) for name in names]
        assert plan.lower == plan.upper == best_plan_value(chain, secrets, worth, turns)


def test_plans_are_refused_where_there_is_nothing_to_ask() -> None:
    with pytest.raises(InputError, match="nothing to ask"):
        dc.guess(dc.examples.survey(), fixed=2)


def test_equal_secrets_keep_the_largest_prior() -> None:
    chain = dc.from_distributions({"x": "1/2", "y": "1/2"}, {"x": "1/2", "y": "1/2"})
    names = [chain.states[state] for state in chain.relation[0]]
    found = dc.guess(chain, names, prior=dict(zip(names, ["1/3", "2/3"], strict=True)))
    assert found.upper == found.before == Fraction(2, 3)
    assert found.leakage == (1, 1)
    assert found.capacity == (0, 0)


def test_a_gain_of_nothing_has_no_leakage() -> None:
    chain = dc.examples.survey()
    found = dc.guess(chain, gain={"pass": {"s0": 0, "s1": 0}})
    assert found.upper == 0
    assert found.to_dict()["leakage"] is None


CHAIN = dc.examples.crowds()


@pytest.mark.parametrize(
    ("text", "complaints"),
    [
        ("s0,1/2\ns1,1/4\ns2,1/8\ns3,1/16\n", ["sum to 15/16"]),
        ("s0,1/2\ns1,-1/4\nsx,1/4\ns0,1/4\n", [":2", "negative", ":3", "'sx'", ":4", "twice"]),
        ("s0,1/2\ns1\n", [":2", "1 cells"]),
        ("s0,half\n", [":1", "not a number"]),
        ("s0,1\n", ["no probability for s1"]),
        ("", ["no probability"]),
    ],
)
def test_priors_are_refused_with_their_lines(text: str, complaints: list[str], tmp_path: Path) -> None:
    path = tmp_path / "prior.csv"
    path.write_text(text)
    with pytest.raises(InputError) as refused:
        dc.guess(CHAIN, prior=path)
    for complaint in complaints:
        assert complaint in str(refused.value)


@pytest.mark.parametrize(
    ("text", "complaints"),
    [
        ("guess,s0,s1,s2,s3\na,1,0,0,-1\n", [":2", "negative"]),
        ("guess,s0,s1,s2,sx\na,1,0,0,1\n", ["'sx'"]),
        ("guess,s0,s1,s2,s3,s3\na,1,0,0,1,1\n", [":1", "twice"]),
        ("guess,s0,s1,s2,s3\na,1,0,0,1\na,1,0,0,1\n", [":3", "twice"]),
        ("guess,s0,s1,s2,s3\na,1\n", [":2", "2 cells"]),
        ("guess,s0,s1,s2\na,1,0,0\n", ["no gain for s3"]),
        ("guess,s0,s1,s2,s3\n", ["no guess"]),
    ],
)
def test_gains_are_refused_with_their_lines(text: str, complaints: list[str], tmp_path: Path) -> None:
    path = tmp_path / "gain.csv"
    path.write_text(text)
    with pytest.raises(InputError) as refused:
        dc.guess(CHAIN, gain=path)
    for complaint in complaints:
        assert complaint in str(refused.value)


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"states": ["s0"]}, "1 secrets"),
        ({"states": ["s0", "s0"]}, "twice"),
        ({"states": ["s0", "nobody"]}, "nobody"),
        ({"states": "s0"}, "one state"),
        ({"guesses": 9}, "guesses"),
        ({"guesses": 2, "gain": {"a": dict.fromkeys(["s0", "s1", "s2", "s3"], 1)}}, "table of gains"),
        ({"prior": "nowhere.csv"}, "cannot read"),
    ],
)
def test_what_cannot_be_asked_is_refused(settings: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        dc.guess(CHAIN, **settings)
