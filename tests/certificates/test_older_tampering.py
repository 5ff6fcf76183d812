"""Tampering with certificates of format 1, which the frozen checker reads: no number can be bent towards a falsehood.

Those of splits are kept files; the others are certificates of today in the words of format 1.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import deltachain as dc
from deltachain_checker_v1 import CertificateRejected
from deltachain_checker_v1.read import Model, number

from .fixtures import ROOT, document_of, model_named, proved
from .live import as_older
from .test_tampering import tight_certificates

Path = tuple[Any, ...]


@dataclass(frozen=True)
class Older:
    """A certificate of format 1 whose every bound is exact, and the true value of its claim at any α."""

    model: Model
    document: Any
    truth: Callable[[Fraction], Fraction]

    def __repr__(self) -> str:
        return f"<{self.document['claims'][0]['claim']}, {len(self.model.row)} states>"


SPLITS = {"three-ends": "split-three-ends", "waiting-room": "split-hidden-absorption"}
"""Kept certificates of format 1, by their models."""


def kept_split(model: str, name: str) -> Older:
    """A kept file, and what the engine says of its pair."""
    document, chain = document_of("accept", name), dc.load(ROOT / "models" / f"{model}.json")
    s, t = document["claims"][0]["pair"]
    return Older(model_named(model), document, lambda alpha: dc.delta(chain, s, t, exp_epsilon=alpha).lower)


@cache
def older_certificates() -> tuple[Older, ...]:
    """With a list of values in place of claims wherever that says the same, in every other one."""
    found = [kept_split(model, name) for model, name in SPLITS.items()]
    for n, each in enumerate(tight_certificates()):
        document = as_older(each.seen, each.document)
        found.append(Older(each.seen.older, folded(document) if n % 2 else document, each.truth))
    return tuple(found)


def folded(document: Any) -> Any:
    """The same certificate with an entry of ``values`` for each node whose four claims fit into one."""
    upper = {(n, way): more for n, way, *more in document.get("upper", [])}
    lower = {(n, way): more for n, way, *more in document.get("lower", [])}
    values = []
    for n in {n for n, _ in upper}:
        four = [side.get((n, way)) for way in (0, 1) for side in (upper, lower)]
        if None in four:
            continue
        (a, *above), (b, *below), (c, *other), (d, *its) = four  # type: ignore[misc]
        step = above[0] == "step" and below[:2] == above
        if a == b and c == d and above == other and below == its and (step or (above, below) == (["same"], ["gap"])):
            values.append([n, a, c, *(below if step else above)])
            for side in (upper, lower):
                del side[n, 0], side[n, 1]
    kept = {"upper": [[*place, *more] for place, more in upper.items()]}
    kept |= {"lower": [[*place, *more] for place, more in lower.items()], "values": values}
    plain = {key: value for key, value in document.items() if key not in kept}
    return plain | {key: value for key, value in kept.items() if value}


def numbers(value: Any, path: Path = ()) -> Iterator[Path]:
    """The places of all numbers: text or integers that the checker reads as such, but not names, rules or keys."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in ("format", "model", "kind", "merge", "claim", "pair"):
                yield from numbers(inner, (*path, key))
    elif isinstance(value, list):
        names = {"distances": 2, "prices": 2, "upper": 2, "lower": 2, "values": 1}
        skipped = names.get(path[0] if len(path) == 2 else "", 0)
        for i, inner in enumerate(value):
            if i >= skipped:
                yield from numbers(inner, (*path, i))
    elif isinstance(value, int) or (is_number(value) and not is_name(path)):
        yield path


def is_number(text: str) -> bool:
    try:
        number(text)
    except CertificateRejected:
        return False
    return True


def is_name(path: Path) -> bool:
    """Whether this is a state's name: the first field of a mass, the first two of an arc."""
    if path[0] in ("nodes", "basis"):
        return len(path) == 5 and path[4] == 0 if path[0] == "nodes" else path[1] == "vectors" and path[-1] == 0
    if path[0] in ("distances", "prices", "upper") and len(path) == 5:
        arcs = (path[0], path[2]) in {("distances", 3), ("upper", 4)}
        return path[4] == 0 or (arcs and path[4] == 1)
    return False


def at(document: Any, path: Path) -> Any:
    for key in path:
        document = document[key]
    return document


def changed(document: Any, path: Path, value: Fraction) -> Any:
    bent = copy.deepcopy(document)
    at(bent, path[:-1])[path[-1]] = f"{value.numerator}/{value.denominator}"
    return bent


def false_ways(path: Path) -> set[int]:
    """−1 where a smaller number is a false claim (upper sides), +1 where a larger one is; both where it is a value."""
    if path[0] == "claims":
        return {"upper": {-1}, "lower": {1}}.get(path[2], set())
    if path[0] == "splits":
        path = path[3:]  # the entries of a group are those of a certificate
    if len(path) == 3 and path[0] == "values" and path[2] in (1, 2):
        return {-1, 1}
    if len(path) == 3 and path[2] == 2:
        return {"distances": {-1}, "upper": {-1}, "prices": {1}, "lower": {1}}.get(path[0], set())
    return set()


def still_true(tight: Older, document: Any) -> bool:
    """Whether what a document claims of its (unchanged) pair is true."""
    claim, alphas = document["claims"][0], document["exp_epsilon"]
    lower, upper = number(str(claim.get("lower", 0))), number(str(claim.get("upper", 1)))
    low, high = number(str(alphas["lower"])), number(str(alphas["upper"]))
    return lower <= tight.truth(low) and tight.truth(high) <= upper


def test_the_certificates_are_tight_and_have_every_part() -> None:
    parts: set[str] = set()
    for tight in older_certificates():
        proved(tight.model, tight.document)
        claim = tight.document["claims"][0]
        alpha = number(tight.document["exp_epsilon"]["upper"])
        assert number(claim["lower"]) == number(claim["upper"]) == tight.truth(alpha)
        below = {(n, way): number(v) for n, way, v, *_ in tight.document.get("lower", [])}
        assert all(below[n, way] == number(v) for n, way, v, *_ in tight.document.get("upper", []))
        for group in tight.document.get("splits", {}).get("groups", []):
            pairs = zip(group.get("lower", []), group.get("upper", []), strict=True)
            assert all(below[:3] == above[:3] for below, above in pairs)
        for _, *values, _ in ([n, v, w, rule] for n, v, w, rule, *_ in tight.document.get("values", [])):
            assert not any(isinstance(value, dict) for value in values)  # one number for both sides
        parts |= tight.document.keys()
    assert len(older_certificates()) >= 48
    assert sum(tight.model.interactive for tight in older_certificates()) >= 8
    assert {"distances", "prices", "nodes", "values", "upper", "lower", "merge", "splits", "claims"} <= parts


@pytest.mark.parametrize("share", [Fraction(1, 10**30), Fraction(1, 1000), Fraction(1, 2)])
def test_no_bound_can_be_sharpened(share: Fraction) -> None:
    """Every bound of every tight certificate, one by one."""
    bounds, values = 0, 0
    for tight in older_certificates():
        for path in numbers(tight.document):
            for way in false_ways(path):
                value = number(str(at(tight.document, path)))
                bent = changed(tight.document, path, value + way * share)
                with pytest.raises(CertificateRejected):
                    proved(tight.model, bent)
                bounds += 1
                values += path[0] == "values"
    assert bounds > 400
    assert values > 100


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_no_change_of_any_number_proves_a_falsehood(data: st.DataObject) -> None:
    tight = data.draw(st.sampled_from(older_certificates()))
    path = data.draw(st.sampled_from(list(numbers(tight.document))))
    old = number(str(at(tight.document, path)))
    small = st.fractions(min_value=-2, max_value=2, max_denominator=60)
    close = st.sampled_from([Fraction(sign, 10**k) for sign in (-1, 1) for k in (3, 9, 40)])
    new = data.draw(
        st.one_of(small, small.map(lambda x: old + x), small.map(lambda x: old * x), close.map(old.__add__))
    )
    bent = changed(tight.document, path, new)
    try:
        proved(tight.model, bent)
    except CertificateRejected:
        event("rejected")
        return
    event(f"accepted: {path[0]}")
    assert all((new - old) * way <= 0 for way in false_ways(path))
    assert still_true(tight, bent)


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_no_swap_of_two_entries_proves_a_falsehood(data: st.DataObject) -> None:
    """Names, rules, children and whole entries too: two values of one list change places."""
    tight = data.draw(st.sampled_from(older_certificates()))
    bent = copy.deepcopy(tight.document)
    split = bent.get("splits", {})
    parts = [bent, split, *split.get("groups", [])]
    entries = [
        value for part in parts for key, value in part.items() if isinstance(value, list) and value and key != "claims"
    ]
    place = entries[data.draw(st.integers(0, len(entries) - 1))]
    while any(isinstance(inner, list) and len(inner) > 1 for inner in place) and data.draw(st.booleans()):
        place = data.draw(st.sampled_from([inner for inner in place if isinstance(inner, list) and len(inner) > 1]))
    i, j = (data.draw(st.integers(0, len(place) - 1)) for _ in range(2))
    place[i], place[j] = place[j], place[i]
    try:
        proved(tight.model, bent)
    except CertificateRejected:
        event("rejected")
        return
    event("accepted")
    assert still_true(tight, bent)


def written_out(document: Any) -> Any:
    """The same certificate with four claims in place of each entry of ``values``, as docs/certificate.md says."""
    upper, lower = [*document.get("upper", [])], [*document.get("lower", [])]
    for n, v, w, rule, *more in document.get("values", []):
        for way, value in enumerate((v, w)):
            ends = value if isinstance(value, dict) else {"upper": value, "lower": value}
            upper.append([n, way, ends["upper"], rule, *more[:1]])
            lower.append([n, way, ends["lower"], *(["gap"] if rule == "same" else [rule, *more])])
    return {key: value for key, value in document.items() if key != "values"} | {"upper": upper, "lower": lower}


def test_an_entry_of_values_proves_what_its_four_claims_prove() -> None:
    found = 0
    for tight in older_certificates():
        if "values" in tight.document:
            found += 1
            plain = written_out(tight.document)
            assert proved(tight.model, plain) == proved(tight.model, tight.document)
    assert found > 20


def test_flows_that_are_not_feasible_are_rejected() -> None:
    """Every amount of every flow, halved: rejected exactly if some state is left uncovered."""
    infeasible = 0
    for tight in older_certificates():
        alpha = number(tight.document["exp_epsilon"]["upper"])
        for k, (s, t, *_) in enumerate(tight.document.get("distances", [])):
            for field in (3, 4):
                for m, entry in enumerate(tight.document["distances"][k][field]):
                    path = ("distances", k, field, m, len(entry) - 1)
                    bent = changed(tight.document, path, number(str(entry[-1])) / 2)
                    if feasible(tight.model, s, t, bent["distances"][k], alpha):
                        proved(tight.model, bent)  # cheaper, and still a flow: nothing is wrong with it
                    else:
                        infeasible += 1
                        with pytest.raises(CertificateRejected, match="flow: what leaves"):
                            proved(tight.model, bent)
    assert infeasible > 60


def feasible(model: Model, s: str, t: str, entry: list[Any], alpha: Fraction) -> bool:
    """The definition, state by state: Σ_j ω_ij + η_i − α Σ_j ω_ji ≥ μ_s(i) − α μ_t(i)."""
    for i in model.row:
        leaves = sum((number(str(amount)) for u, _, amount in entry[3] if u == i), Fraction(0))
        arrives = sum((number(str(amount)) for _, v, amount in entry[3] if v == i), Fraction(0))
        eta = sum((number(str(amount)) for u, amount in entry[4] if u == i), Fraction(0))
        needed = model.row[s].get(i, Fraction(0)) - alpha * model.row[t].get(i, Fraction(0))
        if leaves + eta - alpha * arrives < needed:
            return False
    return True
