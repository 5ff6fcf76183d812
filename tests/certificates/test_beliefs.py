"""Beliefs that come in many nodes: read once, checked once, and never taken for others that look like them."""

from __future__ import annotations

import json
import tracemalloc
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest

import deltachain as dc
import deltachain_checker_v1 as older
from deltachain import delta, examples
from deltachain.certificate.older import older_model_of
from deltachain.certificate.verification import Seen
from deltachain_checker import CertificateRejected as Rejected
from deltachain_checker import document
from deltachain_checker.certificate import Certificate
from deltachain_checker_v1 import CertificateRejected, Model, parse, verify
from deltachain_checker_v1.beliefs import EMPTY, BeliefSteps, WholeBelief, proportional
from deltachain_checker_v1.read import Digits, read_model
from deltachain_checker_v1.rules import opened
from tests.reference import open_programs
from tests.words import refuses

from .fixtures import document_of, model_named, proved
from .live import accepted, as_older, changed, judged, written

MOST_BYTES = 18
"""That a check may hold, per character of the certificate. It needs 12; with beliefs as fractions, for each node anew,
and claims as lists, it took 32."""
MOST_BYTES_TODAY = 40
"""The same of format 2, which says more in fewer characters."""


@pytest.fixture(scope="module")
def diners() -> tuple[Model, str]:
    """Of format 1."""
    chain = examples.dining_cryptographers(n=8)
    document = written(delta(chain, exp_epsilon="1.0002").certificate)
    return older_model_of(chain), json.dumps(as_older(chain, document))


def written_out(data: dict[str, Any]) -> dict[str, Any]:
    """The certificate with each belief in its nodes, and none in a list, as earlier releases wrote it."""
    listed = data["beliefs"]
    nodes = [[listed[part] if isinstance(part, int) else part for part in node] for node in data["nodes"]]
    return {key: value for key, value in data.items() if key != "beliefs"} | {"nodes": nodes}


def test_a_check_takes_little_more_memory_than_the_file(diners: tuple[Model, str]) -> None:
    model, text = diners
    verify(model, parse(text))  # what is found out about the model once is not of the certificate
    tracemalloc.start()
    try:
        verify(model, parse(text))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < MOST_BYTES * len(text)


def test_equal_beliefs_are_kept_once(diners: tuple[Model, str]) -> None:
    model, text = diners
    written = [json.dumps(belief) for node in json.loads(text)["nodes"] for belief in node]
    checker, _ = opened(model, parse(text))
    kept = {id(belief) for node in checker.nodes.values() for belief in node}
    assert len(kept) == len({*written}) < len(written) / 3


def test_a_check_does_not_depend_on_what_is_shared(diners: tuple[Model, str]) -> None:
    model, text = diners

    def apart(value: Any) -> Any:
        """The same document, without any list that is in two places."""
        if isinstance(value, dict):
            return {key: apart(part) for key, part in value.items()}
        return [apart(part) for part in value] if isinstance(value, list) else value

    assert verify(model, apart(parse(text))) == verify(model, parse(text))


# The checker of today


@pytest.fixture(scope="module")
def seen_diners() -> tuple[Seen, str]:
    chain = examples.dining_cryptographers(n=8)
    return Seen(chain), "".join(delta(chain, exp_epsilon="1.0002").certificate.chunks())


def test_a_check_of_format_2_takes_little_more_memory_than_the_file(seen_diners: tuple[Seen, str]) -> None:
    seen, text = seen_diners
    seen.verify(document.parse(text))  # what is found out about the model once is not of the certificate
    tracemalloc.start()
    try:
        seen.verify(document.parse(text))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < MOST_BYTES_TODAY * len(text)


def test_beliefs_are_kept_once_however_many_nodes_have_them(seen_diners: tuple[Seen, str]) -> None:
    seen, text = seen_diners
    view = Certificate.of(seen.model, document.parse(text)).views[None]
    kept = {id(belief) for node in view.graph.nodes for belief in node.beliefs}
    places = sum(len(node.beliefs) for node in view.graph.nodes)
    assert len(kept) == len(view.graph.beliefs) < places / 3


def test_a_check_of_format_2_does_not_depend_on_what_is_shared(seen_diners: tuple[Seen, str]) -> None:
    seen, text = seen_diners
    assert seen.verify(json.loads(text)) == seen.verify(document.parse(text))


# Reading


READ = [
    *("{}", " {\t} ", "[]", "[1, [2]]", '"a"', "1", "null", '{"a": []}', '{"a":[1,2]}', '{"a": [ ]\n}'),
    *('{"a": {"b": [1]}}', '{"a":["\\u0041", "A"]}'),
]
NOT_READ = [
    *("", "{,}", '{"a"}', '{"a":}', '{"a":1,}', '{"a":[1,]}', '{"a":[,1]}', '{"a":[1 2]}', '{"a":[1}', '{"a":[1]'),
    *('{"a":1}}', '{"a":1 "b":2}', '{"a":[]]}', "{1:2}", '{"a":1}x', '{"a":[1]}{}', "{null:1}", '{["a"]:1}', '{"a" 1}'),
    *("[1,]", "{}[]", '{"a":[\u00a01]}', '{"a"\u2003:1}', '\ufeff{"a":1}', '{"a":[1]}\x00', '{"a":["\n"]}'),
]


@pytest.mark.parametrize("reader", [older, document], ids=["format 1", "format 2"])
@pytest.mark.parametrize("text", READ + NOT_READ)
def test_what_is_read_is_what_json_reads(text: str, reader: Any) -> None:
    def as_json(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: as_json(part) for key, part in value.items()}
        if isinstance(value, list):
            return [as_json(part) for part in value]
        return int(value) if isinstance(value, Digits | document.Digits) else value

    if text in READ:
        assert as_json(reader.parse(text)) == json.loads(text)
        return
    with pytest.raises(json.JSONDecodeError):
        json.loads(text)
    with pytest.raises(ValueError, match=r"^file: not JSON"):
        reader.parse(text)


@pytest.mark.parametrize("reader", [older, document], ids=["format 1", "format 2"])
def test_a_text_that_is_cut_or_changed_anywhere_is_read_as_json_reads_it(reader: Any) -> None:
    text = json.dumps(document_of("accept", "coin-delta"))
    random = Random(7)
    for _ in range(2_000):
        place = random.randrange(len(text))
        changed = text[:place] + random.choice(["", "", *'[]{},:"1 ']) + text[place + random.randrange(2) :]
        try:
            json.loads(changed, object_pairs_hook=lambda pairs: pairs)
            fits = True
        except json.JSONDecodeError:
            fits = False
        try:
            reader.parse(changed)
            read = True
        except (CertificateRejected, Rejected) as reason:
            read = reason.rule == "each key once"
        assert read == fits, changed


def test_numbers_and_texts_that_look_alike_stay_what_they_are() -> None:
    found = parse('{"a": [["1", "x"], [1, "x"], ["1", [["s", "1"]]], [1, [["s", 1]]], ["1", [["s", "1"]]]], "1": 1}')
    first, second, third, fourth, fifth = found["a"]
    assert [type(entry[0]) for entry in found["a"]] == [str, Digits, str, Digits, str]
    assert (type(third[1][0][1]), type(fourth[1][0][1])) == (str, Digits)
    assert third[1] is fifth[1] is not fourth[1]
    assert (first, second) == (["1", "x"], ["1", "x"])
    state = {"label": 1, "to": {"1": 1}}
    with refuses(CertificateRejected, "label that is"):
        read_model(parse(json.dumps({"format": "deltachain.chain/1", "1": ["1"], "states": {"1": state}})))


@pytest.mark.parametrize(
    "wrong", ["s1", {"s": 1, "1": 1}, [["s", 1], "s1"], ["s1"], [["s", 1, 1]], [["s", 1], ["s", 1]], None, 0]
)
def test_what_unpacks_like_a_belief_is_refused_though_its_like_was_read(wrong: Any) -> None:
    document = document_of("accept", "coin-delta")
    document["nodes"] = [*document["nodes"], [[["s", 1]], [["s", "1"]]], [[["s", 1]], wrong]]
    with pytest.raises(CertificateRejected):
        proved(model_named("coin"), document)


# R4, one belief at a time


def step_certificate(nodes: list[Any], children: dict[str, Any]) -> dict[str, Any]:
    """What claims V ≤ 9 of node 0 by one step."""
    header = document_of("accept", "coin-delta")
    kept = {key: header[key] for key in ("format", "model", "exp_epsilon")}
    entries = [[0, 0, 9, "step", children], *([n, 0, 2, "mass"] for n in range(1, len(nodes)))]
    return kept | {"nodes": nodes, "upper": entries, "claims": [{"claim": "delta", "pair": ["s", "u"]}]}


H, T, S, U = ([[state, 1]] for state in "htsu")


@pytest.mark.parametrize(
    ("node", "child", "fits"),
    [
        ([S, U], [[["h", 2]], H], True),
        ([S, U], [[["h", "1/3"]], [["h", "1/6"]]], True),
        ([S, S], [H, H], True),
        # Each is a multiple, but not by one factor.
        ([S, U], [H, H], False),
        ([S, U], [H, [["h", 2]]], False),
        # Nothing is a multiple of nothing, and of nothing else by a factor that is not 0.
        ([S, T], [H, []], True),
        ([T, S], [[], H], True),
        ([S, U], [H, []], False),
        ([S, U], [[], H], False),
        ([S, T], [H, H], False),
        ([S, T], [[], H], False),
        ([S, []], [H, []], True),
        ([S, []], [H, H], False),
        ([S, U], [[["h", 2], ["t", 1]], H], False),
        ([S, U], [T, T], False),
    ],
)
def test_both_beliefs_are_multiples_by_one_factor(node: Any, child: Any, fits: bool) -> None:
    certificate = step_certificate([node, child], {"heads": 1})
    if fits:
        assert len(proved(model_named("coin"), certificate)) == 1
        return
    with refuses(CertificateRejected, "heads, a multiple"):
        proved(model_named("coin"), certificate)


def test_a_basis_is_checked_where_a_multiple_is_asked_for_and_only_there() -> None:
    wrong = {"vectors": [], "one": [], "step": {"heads": [], "tails": [], "start": []}}
    assert proved(model_named("coin"), step_certificate([[S, U]], {}) | {"basis": wrong})
    with pytest.raises(CertificateRejected, match="the all-one vector"):  # at a state that varies from run to run
        proved(model_named("coin"), step_certificate([[S, U], [[["h", 2]], H]], {"heads": 1}) | {"basis": wrong})


@pytest.mark.parametrize("child", ["1.0", "01", "+1", 2, -1, True, None, [1], {"n": 1}, "one", ""])
def test_children_that_are_no_nodes(child: Any) -> None:
    certificate = step_certificate([[S, U], [[["h", 2]], H]], {"heads": child})
    if child is None:  # as if it were not listed
        assert proved(model_named("coin"), certificate)
        return
    with pytest.raises(CertificateRejected):
        proved(model_named("coin"), certificate)


def test_what_is_known_of_steps_is_forgotten_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deltachain_checker_v1.beliefs.MOST_KNOWN", 2)
    steps = BeliefSteps(model_named("coin"))
    beliefs = [WholeBelief.of({"s": Fraction(n), "u": Fraction(1, n)}) for n in range(1, 7)]
    goal = WholeBelief.of({"h": Fraction(1)})
    for belief in beliefs * 2:
        n = belief.exact()["s"]
        after = steps.after(belief, None)
        assert after["heads"].exact() == {"h": n / 2 + 1 / (4 * n)}
        assert steps.multiple((after["heads"], EMPTY), (goal, EMPTY), None) == after["heads"].mass
        assert len(steps._after) <= 2
        assert len(steps._ratios) <= 2
    assert proportional(beliefs[0], WholeBelief.of({"s": Fraction(1, 3), "u": Fraction(1, 3)}), None)
    assert not proportional(beliefs[0], beliefs[1], None)


def test_a_belief_of_many_pairs_is_written_once() -> None:
    program = dc.program(open_programs.SVT)
    secrets = [{"q": q} for q in product(range(2), repeat=3)]
    constants = {"u": Fraction(1, 2), "clamp": 2}
    chain = program.chain(secrets, constants=constants)
    found = dc.check(chain, exp_epsilon=16, delta=0)
    every, seen = written(found.certificate), Seen(chain)
    listed = [json.dumps(belief) for belief in every["beliefs"]]
    assert len(set(listed)) == len(listed) > 3
    cited = [part for places, *_ in every["graph"] for part in places]
    assert set(cited) == set(range(len(listed)))
    assert len(cited) > 3 * len(listed)
    assert len(judged(seen, every)) == len(found.results) == 28
    # Another belief of the list is another node.
    place = next(n for n, (places, *_) in enumerate(every["graph"]) if places[0] != places[1])
    for other in range(len(listed)):
        if other != every["graph"][place][0][0]:
            assert not accepted(seen, changed(every, ("graph", place, 0, 0), other))


def test_listed_beliefs_are_read_as_what_they_are() -> None:
    document = document_of("accept", "listed-beliefs")
    plain = written_out(document)
    model = model_named("coin")
    assert proved(model, document) == proved(model, plain)
