"""No ε at all: words of one state alone against all words, cycles against the words that they pump, certificates."""

from __future__ import annotations

import json
import random
from fractions import Fraction

import pytest

import deltachain as dc
from deltachain.beliefs.workspace import Workspace
from deltachain.cancel import Cancel
from deltachain.errors import CertificateRejected
from deltachain.measures.epsilon import none
from deltachain.measures.epsilon.none import NoEpsilon, by_pumping, by_support
from deltachain.measures.epsilon.pump import find_pump
from deltachain.model import Chain
from deltachain.model.words import word_probability
from tests.reference.enumerate_events import word_probabilities


def chain_of(draw: random.Random, n: int, labels: int, degree: int, deterministic: bool = False) -> Chain:
    """A random chain whose first two states share a label; deterministic: a letter leads to one state."""
    names = ["a", "a", *(draw.choice("abc"[:labels]) for _ in range(n - 2))]
    rows = []
    for _ in range(n):
        targets = draw.sample(range(n), draw.randint(1, degree))
        if deterministic:
            targets = list({names[j]: j for j in targets}.values())
        weights = {j: draw.randint(1, 3) for j in targets}
        rows.append([Fraction(weights.get(j, 0), sum(weights.values())) for j in range(n)])
    return Chain.from_rows(rows, names)


def no_epsilon(chain: Chain, pairs: list[tuple[int, int]]) -> NoEpsilon | None:
    work = Workspace(chain, pairs)
    return by_support(work, Cancel()) or by_pumping(work, Cancel())


def alone(chain: Chain, depth: int) -> bool:
    """Whether some word of at most so many letters is one state's alone, among the first two."""
    one, other = (word_probabilities(chain, state, depth) for state in (0, 1))
    return one.keys() != other.keys()


def ratios(chain: Chain, prefix: tuple[str, ...], cycle: tuple[str, ...], times: int, direction: int) -> list[Fraction]:
    found = []
    for k in range(times):
        chances = [word_probability(chain, state, prefix + cycle * k) for state in (0, 1)]
        x, y = chances if direction == 0 else chances[::-1]
        found.append(Fraction(x) / Fraction(y))  # type: ignore[arg-type]
    return found


def test_words_of_one_state_alone_are_found_where_there_are_any() -> None:
    draw = random.Random(3)
    seen = 0
    for _ in range(120):
        chain = chain_of(draw, draw.randint(3, 5), 2, 2)
        found = no_epsilon(chain, [(0, 1)])
        if found is not None and found.word:
            seen += 1
            chances = [word_probability(chain, state, found.word) for state in (0, 1)]
            assert chances[found.direction] == found.probability > 0
            assert chances[1 - found.direction] == 0
        else:
            assert not alone(chain, 7)
    assert 20 < seen < 115, "both kinds are met"


@pytest.mark.parametrize("deterministic", [True, False])
def test_the_ratio_grows_along_what_is_pumped(deterministic: bool) -> None:
    draw = random.Random(5)
    seen = finite = 0
    for _ in range(150):
        chain = chain_of(draw, draw.randint(3, 5), 2, 3, deterministic)
        found = no_epsilon(chain, [(0, 1)])
        if found is not None and found.cycle:
            seen += 1
            assert found.pump is not None
            growth, decay = found.pump.growth, found.pump.decay
            assert growth > decay > 0
            grown = ratios(chain, found.prefix, found.cycle, 40, found.direction)
            # C·(λ/μ)^n: what is between two far places has grown by about that much, and more later.
            assert grown[39] > grown[20] > 0
            assert grown[39] / grown[20] >= (growth / decay) ** 19 / 100
        elif found is None:
            finite += 1
            if deterministic:  # then beliefs end, and the least ε is exact
                bound = dc.epsilon(chain, 0, 1, delta=0, max_nodes=300, check=False)
                assert bound.exact
                assert bound.exp_epsilon_proved is not None
    assert seen >= 3
    assert finite > 5


def geometric_lengths() -> Chain:
    """s stops each step with 1/2, t with 2/3: the ratio of long runs grows for ever."""
    rows = {
        "s": {"a": "1/2", "e": "1/2"},
        "a": {"a": "1/2", "e": "1/2"},
        "t": {"b": "1/3", "e": "2/3"},
        "b": {"b": "1/3", "e": "2/3"},
        "e": {"e": 1},
    }
    return Chain.from_dicts(rows, labels={"s": "start", "t": "start", "a": "on", "b": "on", "e": "end"})


def test_geometric_lengths_are_pumped_exactly() -> None:
    bound = dc.epsilon(geometric_lengths(), "s", "t", delta=0)
    assert bound.impossible
    assert bound.least_delta is None, "δ falls to 0 as ε grows, and is never 0"
    assert bound.reason is not None
    assert (bound.reason.cycle, bound.reason.growth, bound.reason.decay) == (("on",), Fraction(1, 2), Fraction(1, 3))
    assert bound.checked.accepted
    assert "grows without end" in bound.headline
    assert bound.to_dict()["none"] is True
    assert bound.to_dict()["reason"]["cycle"] == ["on"]


def test_a_cycle_that_gains_nothing_proves_nothing() -> None:
    chain = geometric_lengths()
    s, t = chain.number("s"), chain.number("t")
    assert find_pump(chain, s, t, (), ("on",)) is not None
    assert find_pump(chain, t, s, (), ("on",)) is None
    assert find_pump(chain, s, s, (), ("on",)) is None
    assert find_pump(chain, s, t, (), ("start",)) is None, "no such word"


def test_the_certificate_of_a_word_is_accepted_and_no_more() -> None:
    for chain in (geometric_lengths(), dc.examples.random(n=6, labels=2, degree=3, seed=1)):
        pair = ("s", "t") if "t" in chain.index else ("s0", "s1")
        bound = dc.epsilon(chain, *pair, delta=0, certificate=True)
        assert bound.impossible
        assert bound.certificate is not None
        (said,) = dc.verify(chain, bound.certificate)
        assert "is infinite" in str(said)
        document = json.loads(json.dumps(dict(bound.certificate.document)))
        (claim,) = document["proves"]
        # The other state shows it less often, or never.
        claim["first"] = pair[0] if claim["first"] == pair[1] else pair[1]
        with pytest.raises(CertificateRejected):
            dc.verify(chain, document)


def test_inputs_are_part_of_the_word() -> None:
    chain = dc.examples.lockout()
    found = no_epsilon(chain, list(chain.relation))
    if found is not None and found.word:
        pair = found.pair if found.direction == 0 else found.pair[::-1]
        assert word_probability(chain, pair[0], found.word) == found.probability
        assert word_probability(chain, pair[1], found.word) == 0
    bound = dc.epsilon(chain, delta=0)
    assert bound.impossible == (found is not None)


def test_only_words_that_lead_back_are_multiplied(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the counter's words only that of its end leads back, once for all pairs and directions."""
    multiplied: list[object] = []
    rates = none._rates
    monkeypatch.setattr(none, "_rates", lambda matrix: multiplied.append(matrix) or rates(matrix))
    chain = dc.examples.build("geometric-counter,steps=3")
    assert no_epsilon(chain, list(chain.relation)) is None
    assert len(multiplied) <= none.LONGEST_CYCLE
