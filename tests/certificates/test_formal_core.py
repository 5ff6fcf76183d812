"""The program extracted from formal/ judges certificates of format 2 as the checker in Python does."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from deltachain_checker import CertificateRejected

from .formal_core import along_cycles, case, certificate_about, changed, guess_case, merged_case, parametric
from .two_checkers import accepted, judged, needs_formal

COIN = {
    "format": "deltachain.chain/1",
    "states": {
        "s": {"label": "go", "to": {"h": "1/2", "g": 0.5}},
        "t": {"label": "go", "to": {"h": "25e-2", "g": "3/4"}},
        "h": {"label": "hea\u0064s", "to": {"h": 1}},
        "g": {"label": "tails", "to": {"g": 1}},
    },
}
COIN_PARTS = {
    "beliefs": [[["s", 1]], [["t", 1]], [["h", "1/2"]], [["h", "1/4"]], [["g", "1/2"]], [["g", "3/4"]]],
    "graph": [[[0, 1], {"heads": 1, "tails": 2}], [[2, 3]], [[4, 5]]],
    "values": [[0, "1/5", "3/20"], [1, "1/5", "0"], [2, 0, "3/20"]],
    "proves": [
        {"claim": "delta", "pair": ["s", "t"], "node": 0, "upper": "1/5", "lower": "1/5", "below": "3/10"},
        {"claim": "ratio", "pair": ["s", "t"], "first": "s", "words": ["go", "heads"], "lower": "2"},
    ],
}


@needs_formal
def test_what_it_proves_is_said(tmp_path: Path) -> None:
    document = certificate_about(COIN, "6/5", **COIN_PARTS)
    assert isinstance(accepted(COIN, document), list)
    assert judged(tmp_path, COIN, document) == (
        0,
        [
            "proved: delta(s, t) >= 1/5 at exp_epsilon 6/5",
            "proved: delta(s, t) <= 1/5 at exp_epsilon 6/5",
            "proved: delta(s, t) < 3/10 at exp_epsilon 6/5",
            "proved: ratio(s, t) >= 2",
        ],
    )


@needs_formal
@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("values", 0, 1), "1/6"),  # below what its letters lead to
        (("values", 1, 1), ["1/4", "1/5"]),  # a lower value above the gap of a leaf
        (("values", 1, 1), "0"),  # an upper value below the base case
        (("graph", 0, 1, "heads"), 2),  # not a multiple of the child
        (("proves", 0, "upper"), "19/100"),
        (("proves", 0, "lower"), "21/100"),
        (("proves", 0, "below"), "1/5"),  # strict
        (("proves", 1, "lower"), "201/100"),
        (("proves", 1, "words"), ["go", "tails"]),
        (("alpha",), "11/10"),
        (("alpha",), "9/10"),  # below 1
    ],
)
def test_forgeries_are_rejected_by_both(tmp_path: Path, path: tuple[Any, ...], value: Any) -> None:
    document = json.loads(json.dumps(certificate_about(COIN, "6/5", **COIN_PARTS)))
    inside = document
    for step in path[:-1]:
        inside = inside[step]
    inside[path[-1]] = value
    assert isinstance(accepted(COIN, document), CertificateRejected)
    assert judged(tmp_path, COIN, document) == (1, [])


@needs_formal
@pytest.mark.parametrize(
    "forged",
    [
        # V ≤ 0 because V ≤ 0: the base case is missing.
        [[["s", "t"], "0", "step", [[0, 1]]]],
        [["s", "t"], "0", "now", [[0, 1]]],
    ],
)
def test_circles_prove_nothing(tmp_path: Path, forged: Any) -> None:
    claims = forged if isinstance(forged[0][0], list) else [forged]
    proves = [{"claim": "delta", "pair": ["s", "t"], "covers": [[[0, 1]], []], "upper": "9/10"}]
    document = certificate_about(COIN, "6/5", claims=claims, proves=proves)
    assert isinstance(accepted(COIN, document), CertificateRejected)
    assert judged(tmp_path, COIN, document) == (1, [])


@needs_formal
@pytest.mark.parametrize(
    "model",
    [
        {**COIN["states"], "h": {"label": "heads", "to": {"h": "9/10"}}},  # type: ignore[dict-item]
        {**COIN["states"], "h": {"label": "heads", "to": {"h": "11/10", "g": "-1/10"}}},  # type: ignore[dict-item]
        {**COIN["states"], "h": {"label": "heads", "to": {"nowhere": 1}}},  # type: ignore[dict-item]
        {**COIN["states"], "h": {"label": "go", "on": {"ask": {"h": 1}}}},  # type: ignore[dict-item]
        {**COIN["states"], "h": {"label": "heads", "to": {"h": ["1/2", "1"], "g": ["0", "1/2"]}}},  # type: ignore[dict-item]
    ],
)
def test_what_is_no_chain_is_rejected_by_both(tmp_path: Path, model: Any) -> None:
    document = certificate_about(COIN, "6/5", **COIN_PARTS)
    given = {"format": "deltachain.chain/1", "states": model}
    assert isinstance(accepted(given, document), CertificateRejected)
    assert judged(tmp_path, given, document) == (1, [])


@needs_formal
@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '{"format": "deltachain.certificate/2"} x',
        '{"format": "deltachain.certificate/2", "format": "deltachain.certificate/2"}',
        '{"format": "deltachain.certificate/1"}',
        '{"format": "deltachain.certificate/2", "proves": [01]}',
        '{"format": "deltachain.certificate/2", "proves": ["\t"]}',
        '{"format": "deltachain.certificate/2", "proves": ["\\ud800"]}',
        "[" * 100_000,
    ],
)
def test_what_is_no_certificate_is_told_apart(tmp_path: Path, text: str) -> None:
    assert judged(tmp_path, COIN, text) == (2, [])


@needs_formal
@pytest.mark.parametrize("make", [case, merged_case, guess_case])
def test_certificates_and_changes_to_them_are_judged_alike(
    tmp_path: Path, make: Callable[[int], tuple[Any, Any]]
) -> None:
    ends: Counter[bool] = Counter()
    for seed in range(15):
        model, document = make(seed)
        ours = accepted(model, document)
        assert isinstance(ours, list), (seed, ours)
        code, _ = judged(tmp_path, model, document)
        assert code == 0, seed
        random = Random(seed)
        for n in range(8):
            other = changed(random, document)
            ours, (code, _) = accepted(model, other), judged(tmp_path, model, other)
            assert isinstance(ours, list) is (code == 0), (seed, n, ours)
            ends[code == 0] += 1
    assert ends[True] > 5
    assert ends[False] > 50


@needs_formal
@pytest.mark.parametrize("kind", ["pump", "fed", "limit", "vanishing"])
def test_growth_along_cycles_is_judged_alike(tmp_path: Path, kind: str) -> None:
    model, document = along_cycles(kind)
    assert isinstance(accepted(model, document), list)
    code, said = judged(tmp_path, model, document)
    assert (code, len(said)) == (0, 1)
    assert said[0].endswith(">= 2" if kind == "limit" else "is infinite")
    random = Random(kind)
    for n in range(25):
        other = changed(random, document)
        ours, (code, _) = accepted(model, other), judged(tmp_path, model, other)
        assert isinstance(ours, list) is (code == 0), (n, ours)


RESPONSE = {
    "format": "deltachain.chain/1",
    "states": {
        "s": {"label": "go", "to": {"h": "exp(1/2)/(1 + exp(1/2))", "g": "1/(1+exp(0.5))"}},
        "t": {"label": "go", "to": {"h": "1/(1 + exp(1/2))", "g": "1 - (1 + exp(1/2))^-1"}},
        "h": {"label": "h", "to": {"h": 1}},
        "g": {"label": "g", "to": {"g": 1}},
    },
}


def response_certificate(alpha: str, bound: str, ratio: str) -> dict[str, Any]:
    """About randomised response over e^(1/2): bounds on δ that meet, by one step, and the ratio."""
    return certificate_about(
        RESPONSE,
        alpha,
        field={"base": 2},
        beliefs=[[["s", "1"]], [["t", 1]], [["h", "0 1/1 1"]], [["h", "1/1 1"]], [["g", "1/1 1"]], [["g", "0 1/1 1"]]],
        graph=[[[0, 1], {"h": 1, "g": 2}], [[2, 3]], [[4, 5]]],
        values=[[0, bound, bound], [1, bound, "0"], [2, "0", bound]],
        proves=[
            {"claim": "delta", "pair": ["s", "t"], "node": 0, "upper": bound, "lower": bound},
            {"claim": "ratio", "pair": ["s", "t"], "first": "s", "words": ["go", "h"], "lower": ratio},
        ],
    )


@needs_formal
@pytest.mark.parametrize(
    ("alpha", "bound", "ratio", "holds"),
    [
        ("1", "-1 1/1 1", "0 1", True),  # (X − 1)/(X + 1) at e^ε = 1
        ("0 1", "0", "0 1", True),
        ("1", "-1 1/2 1", "0 1", False),  # less
        ("1", "-1 1/1 1", "1 1", False),
        ("9/10 1", "0", "0 1", False),
        ("1", "-1 1/0 0", "0 1", False),
        ("3297442541400/2000000000000", "0", "0 1", False),  # below e^(1/2), by 1e-13
    ],
)
def test_functions_of_e_are_judged_alike(tmp_path: Path, alpha: str, bound: str, ratio: str, holds: bool) -> None:
    document = response_certificate(alpha, bound, ratio)
    assert isinstance(accepted(RESPONSE, document), list) is holds
    code, said = judged(tmp_path, RESPONSE, document)
    assert (code, len(said)) == ((0, 3) if holds else (1, 0))


@needs_formal
@pytest.mark.parametrize(
    ("low", "high", "closed", "bound", "holds"),
    [
        ("1/2", "9/10", None, "-1 2", True),  # 2u − 1, at every u in between
        ("3/5", "4/5", [True, True], "-1 2", True),
        ("1/2", "9/10", None, "-2 3", False),
        ("1/2", "9/10", None, "0", False),
        ("1/10", "9/10", None, "-1 2", False),  # below 1/2 it is negative
        ("1/2", "9/10", None, "1 0/-3 4", False),  # a pole at 3/4
    ],
)
def test_every_value_of_a_parameter_is_judged_alike(
    tmp_path: Path, low: str, high: str, closed: Any, bound: str, holds: bool
) -> None:
    field = {"parameter": {"u": [low, high]}} | ({} if closed is None else {"closed": closed})
    model, document = parametric(field, bound)
    assert isinstance(accepted(model, document), list) is holds
    code, said = judged(tmp_path, model, document)
    assert (code, len(said)) == ((0, 3) if holds else (1, 0))
    random = Random(low + high + bound)
    for n in range(10 if holds else 0):
        other = changed(random, document)
        ours, (code, _) = accepted(model, other), judged(tmp_path, model, other)
        assert isinstance(ours, list) is (code == 0), (n, ours)


@needs_formal
@pytest.mark.parametrize(
    ("upper", "holds"), [("2 -4 4", True), ("199/100 -4 4", False), ("1 1 -1", True), ("1 1 -2", False)]
)
def test_a_bound_may_touch_what_it_bounds(tmp_path: Path, upper: str, holds: bool) -> None:
    """1 + (2u − 1)² is at least 1, and is 1 at 1/2; what is a little less is not."""
    model, document = parametric({"parameter": {"u": ["1/10", "9/10"]}}, "0")
    upper = upper.replace("199/100 -4 4", "199 -400 400/100")
    document = {key: value for key, value in document.items() if key not in ("values", "graph", "beliefs")}
    document["proves"] = [{"claim": "delta", "pair": ["s", "t"], "upper": upper}]
    assert isinstance(accepted(model, document), list) is holds
    assert judged(tmp_path, model, document)[0] == (0 if holds else 1)
