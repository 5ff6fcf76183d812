"""What the checker once let pass, or could not say: each with the smallest certificate that shows it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from deltachain import Chain, delta, distance, verify
from deltachain_checker_v1 import CertificateRejected
from deltachain_checker_v1 import verify as check
from deltachain_checker_v1.__main__ import main
from deltachain_checker_v1.read import parse, read_model
from tests.reference.full_lp import bd_by_full_lp, ld_by_full_lp
from tests.words import refuses, says

COIN = {
    "s": {"label": "start", "to": {"h": "1/2", "t": "1/2"}},
    "u": {"label": "start", "to": {"h": "1/4", "t": "3/4"}},
    "h": {"label": "heads", "to": {"h": 1}},
    "t": {"label": "tails", "to": {"t": 1}},
}
MODEL = read_model(parse(json.dumps({"format": "deltachain.chain/1", "states": COIN})))


def certificate(upper: int, lower: int, **parts: Any) -> Any:
    alphas = {"upper": upper, "lower": lower}
    header = {"format": "deltachain.certificate/1", "model": MODEL.sha256(), "exp_epsilon": alphas}
    return parse(json.dumps(header | parts))


def test_a_lower_bound_at_a_smaller_alpha_than_the_upper_one() -> None:
    """Accepted once, as "ld(s, u) = 0 at exp_epsilon 1 …", while ld is 1/4 there."""
    bent = certificate(
        3,
        1,
        kind="ld",
        distances=[["s", "u", 0, [], []]],
        prices=[["s", "u", "1/4", [["h", 1]], 0, [["h", 1]]]],
        claims=[{"claim": "distance", "pair": ["s", "u"], "lower": "1/4", "upper": 0}],
    )
    with refuses(CertificateRejected, "upper ≤ lower"):
        check(MODEL, bent)


def test_a_kind_that_writes_its_own_sentence() -> None:
    bent = certificate(1, 1, kind="bd(s, u) = 0, and bd", claims=[{"claim": "distance", "pair": ["s", "u"]}])
    with refuses(CertificateRejected, "kind: bd, ld"):
        check(MODEL, bent)


@pytest.mark.parametrize("claims", [[], {}, ""])
def test_no_claims_at_all(claims: Any) -> None:
    with pytest.raises(CertificateRejected, match="not empty"):
        check(MODEL, certificate(1, 1, claims=claims))


def test_a_basis_says_nothing_about_states_that_no_belief_reaches() -> None:
    """The search looks at the part that the pair reaches; a basis of it was rejected for the rest of the chain."""
    chain = Chain.from_dicts(
        {
            "s": {"s": "1/2", "h": "1/4", "t": "1/4"},
            "u": {"u": "1/6", "u0": "1/6", "u1": "1/6", "h": "1/4", "t": "1/4"},
            "u0": {"u0": "1/2", "h": "1/2"},
            "u1": {"u1": "1/2", "t": "1/2"},
            "h": {"h": 1},
            "t": {"t": 1},
            "far": {"far": "1/2", "u": "1/2"},
        },
        {"s": "wait", "u": "wait", "u0": "wait", "u1": "wait", "h": "heads", "t": "tails", "far": "far"},
    )
    found = delta(chain, "s", "u", exp_epsilon=1)
    assert "unseen" in found.certificate.document
    (claim,) = verify(chain, found.certificate)
    assert says(str(claim), "delta of (s")


# Neither distance falls with α on every chain: prices f with f_i ≤ d + α f_j are less constrained when α is larger.
RISING_LD = Chain.from_rows(
    [
        {1: Fraction(1)},
        {3: Fraction(1)},
        {0: Fraction(1, 3), 2: Fraction(1, 3), 3: Fraction(1, 3)},
        {0: Fraction(1, 3), 4: Fraction(2, 3)},
        {0: Fraction(1, 2), 2: Fraction(1, 2)},
    ],
    ["b", "a", "a", "a", "a"],
)
RISING_BD = Chain.from_rows(
    [
        {0: Fraction(1, 4), 2: Fraction(1, 2), 3: Fraction(1, 4)},
        {0: Fraction(1, 4), 1: Fraction(1, 4), 2: Fraction(1, 4), 3: Fraction(1, 4)},
        {2: Fraction(1, 2), 3: Fraction(1, 2)},
        {0: Fraction(1)},
        {1: Fraction(1, 3), 2: Fraction(1, 3), 4: Fraction(1, 3)},
    ],
    ["a", "a", "b", "a", "b"],
)


def test_distances_may_rise_with_alpha() -> None:
    """So an upper bound at one α and a lower bound at another are no statement about any one distance."""
    ld = {a: distance(RISING_LD, 2, 1, exp_epsilon=a, kind="ld", exact=True)[2, 1] for a in (2, 3)}
    assert ld == {2: Fraction(1, 3), 3: Fraction(109, 324)}
    bd = {a: distance(RISING_BD, 0, 3, exp_epsilon=a, kind="bd", exact=True)[0, 3] for a in (2, 3)}
    assert bd == {2: Fraction(5, 8), 3: Fraction(32, 51)}
    for a in (2, 3):
        assert ld_by_full_lp(RISING_LD, Fraction(a), 30)[2, 1] == pytest.approx(float(ld[a]))
        assert bd_by_full_lp(RISING_BD, Fraction(a), 30)[0, 3] == pytest.approx(float(bd[a]))


def test_a_distance_claim_at_two_alphas() -> None:
    claims = [{"claim": "distance", "pair": ["s", "u"], "upper": "1/4"}]
    flows = [["s", "u", "1/4", [], [["h", "1/4"]]], ["u", "s", "1/4", [], [["t", "1/4"]]]]
    check(MODEL, certificate(1, 1, kind="bd", distances=flows, claims=claims))
    with pytest.raises(CertificateRejected, match="one exp_epsilon"):
        check(MODEL, certificate(1, 2, kind="bd", distances=flows, claims=claims))


def test_a_merge_is_not_called_the_quotient() -> None:
    """Any bisimulation may be merged, and bd depends on it: the chain's 1/4 was once said "of the quotient" (1/5)."""
    states = {
        "s": {"label": "start", "to": {"h": "1/2", "t": "1/2"}},
        "u": {"label": "start", "to": {"h2": "1/4", "t2": "3/4"}},
        **{end: {"label": end[0], "to": {end: 1}} for end in ("h", "h2", "t", "t2")},
    }
    model = read_model(parse(json.dumps({"format": "deltachain.chain/1", "states": states})))
    said = []
    for merge in ([["s"]], [["h", "h2"]], [["h", "h2"], ["t", "t2"]]):
        bent = certificate(1, 1, kind="bd", merge=merge, claims=[{"claim": "distance", "pair": ["s", "u"], "upper": 1}])
        said += map(str, check(model, bent | {"model": model.sha256()}))
    assert {sentence.partition(" at ")[0] for sentence in said} == {"0 ≤ bd(s, u) of the merged chain ≤ 1"}


@pytest.mark.skipif(os.name != "posix", reason="POSIX named pipes")
def test_the_checker_on_its_own_reads_files_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert main([str(pipe), str(pipe)]) == 4
    assert says(capsys.readouterr().err, "folder, a pipe")


def test_the_checker_on_its_own_prints_to_any_stream(tmp_path: Path) -> None:
    """A stream without ≤ made it end in a traceback."""
    model, proof = tmp_path / "m.json", tmp_path / "c.json"
    model.write_text(json.dumps({"format": "deltachain.chain/1", "states": COIN}), "utf-8")
    claims = [{"claim": "distance", "pair": ["s", "u"], "upper": 1}]
    header = {"format": "deltachain.certificate/1", "model": MODEL.sha256(), "exp_epsilon": {"upper": 1, "lower": 1}}
    proof.write_text(json.dumps(header | {"kind": "bd", "claims": claims}), "utf-8")
    command = [sys.executable, "-m", "deltachain_checker_v1", str(model), str(proof)]
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252"}
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(rb"proved: 0 \u2264 bd(s, u) \u2264 1 at")
