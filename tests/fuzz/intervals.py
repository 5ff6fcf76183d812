"""δ intervals, distances and mutated certificates of small random chains, against listing words and full LPs."""

from __future__ import annotations

import contextlib
import copy
import json
import tempfile
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

from deltachain import delta, distance, verify
from deltachain.certificate.record import claims_of
from deltachain.errors import DeltachainError
from deltachain.model import Chain
from tests.fuzz.driver import FuzzClass
from tests.reference.enumerate_events import tv_alpha_at_depth
from tests.reference.full_lp import bd_by_full_lp, ld_by_full_lp

ALPHAS = ["1", "1001/1000", "3/2", "2", "7/3", "10"]
TOLERANCE = 1e-6
"""Of the float references."""

Case = dict[str, Any]


def random_case(random: Random, most_states: int = 6) -> Case:
    """A chain with a few cycles, so that short words decide nearly everything, and an α."""
    size = random.randint(2, most_states)
    rows = []
    for state in range(size):
        # Mostly forwards; the last state stays where it is.
        targets = range(size) if random.random() < 0.2 else range(min(state + 1, size - 1), size)
        weights = {random.choice(targets): random.choice([1, 1, 2, 3, 7]) for _ in range(random.randint(1, 3))}
        total = sum(weights.values())
        rows.append({target: str(Fraction(weight, total)) for target, weight in weights.items()})
    letters = "abc"[: random.randint(1, 3)]
    labels = [random.choice(letters) for _ in range(size)]
    labels[1] = labels[0]
    return {"rows": rows, "labels": labels, "alpha": random.choice(ALPHAS)}


def chain_of(case: Case) -> Chain:
    """The chain of a case."""
    return Chain.from_rows(case["rows"], case["labels"])


def delta_upper_by_states(chain: Chain, s: int, t: int, alpha: Fraction, depth: int) -> Fraction:
    """≥ δ: what an observer gains who sees ``depth`` letters, and then the hidden state itself."""
    return max(_one_way(chain, s, t, alpha, depth), _one_way(chain, t, s, alpha, depth))


def _one_way(chain: Chain, s: int, t: int, alpha: Fraction, depth: int) -> Fraction:
    if chain.labels[s] != chain.labels[t]:
        return Fraction(1)
    beliefs: list[tuple[dict[int, Fraction], dict[int, Fraction]]] = [({s: Fraction(1)}, {t: Fraction(1)})]
    for _ in range(depth):
        after: list[tuple[dict[int, Fraction], dict[int, Fraction]]] = []
        for x, y in beliefs:
            split: dict[str, tuple[dict[int, Fraction], dict[int, Fraction]]] = {}
            for side, belief in enumerate((x, y)):
                for state, mass in belief.items():
                    for target, p in chain.rows[state]:
                        part = split.setdefault(chain.labels[target], ({}, {}))[side]
                        part[target] = part.get(target, Fraction(0)) + mass * p
            after += split.values()
        beliefs = after
    zero = Fraction(0)
    return sum((max(p - alpha * y.get(i, zero), zero) for x, y in beliefs for i, p in x.items()), zero)


DEPTH = 7


def check_interval(case: Case) -> str:
    """lower ≤ what the hidden states would show; what words of a length show ≤ upper; the checker agrees."""
    chain, alpha = chain_of(case), Fraction(case["alpha"])
    result = delta(chain, 0, 1, exp_epsilon=alpha, max_nodes=300)
    assert result.lower <= result.upper
    _compare(chain, 0, 1, alpha, result.lower, result.upper)
    assert verify(chain, result.certificate)
    return "exact" if result.lower == result.upper else "interval"


def _compare(chain: Chain, s: int, t: int, alpha: Fraction, lower: Fraction | None, upper: Fraction | None) -> None:
    if upper is not None:
        shown = tv_alpha_at_depth(chain, s, t, alpha, DEPTH) if chain.labels[s] == chain.labels[t] else 1
        assert shown <= upper, f"words of {DEPTH} letters show {shown}, above the upper bound {upper}"
    if lower is not None:
        most = delta_upper_by_states(chain, s, t, alpha, DEPTH)
        assert lower <= most, f"the lower bound {lower} is above {most}, which even the hidden states do not show"


def check_distance(case: Case) -> str:
    """bd and ld of every pair against value iteration with full linear programs."""
    chain, alpha = chain_of(case), Fraction(case["alpha"])
    for kind, reference in (("bd", bd_by_full_lp), ("ld", ld_by_full_lp)):
        found = distance(chain, pairs="all", exp_epsilon=alpha, kind=kind)  # type: ignore[arg-type]  # both are kinds
        climbed = reference(chain, alpha, 40)
        settled = abs(climbed - reference(chain, alpha, 39)).max() < 1e-13
        for s in range(len(chain)):
            for t in range(len(chain)):
                if s == t or chain.labels[s] != chain.labels[t]:
                    continue
                value = float(found[chain.states[s], chain.states[t]])
                assert value >= climbed[s, t] - TOLERANCE, (kind, s, t, value, climbed[s, t])
                if found.side == "exact" and settled:
                    assert value <= climbed[s, t] + TOLERANCE, (kind, s, t, value, climbed[s, t])
    return "agreed"


def mutated_case(random: Random) -> Case:
    """A chain, and a few random changes of its certificate: paths into the JSON with what to do there."""
    case = random_case(random, 5)
    case["mutations"] = [
        (random.randrange(10**6), random.randrange(10**6)) for _ in range(random.choice([1, 1, 1, 2, 3]))
    ]
    case["distances"] = random.random() < 0.3
    return case


def check_mutant(case: Case) -> str:
    """A mutated certificate is rejected, or what it now claims is still true."""
    chain, alpha = chain_of(case), Fraction(case["alpha"])
    if case["distances"]:
        certificate = distance(chain, 0, 1, exp_epsilon=alpha).certificate
    else:
        certificate = delta(chain, 0, 1, exp_epsilon=alpha, max_nodes=60).certificate
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "certificate.json"
        certificate.save(str(path))
        document = json.loads(path.read_text())
        for where, how in case["mutations"]:
            mutate(document, where, how)
        path.write_text(json.dumps(document))
        try:
            verify(chain, path)
        except DeltachainError:
            return "rejected"
    for claim in claims_of(document):
        _check_claim(chain, claim, alphas_of(document))
    return "accepted and true"


def alphas_of(document: Any) -> dict[str, str]:
    """The e^ε of upper and of lower bounds."""
    if "exp_epsilon" in document:
        return dict(document["exp_epsilon"])
    given = document.get("alpha", "1")
    return dict(given) if isinstance(given, dict) else {"upper": given, "lower": given}


def _check_claim(chain: Chain, claim: dict[str, Any], alphas: dict[str, str]) -> None:
    s, t = (chain.states.index(str(name)) for name in claim["pair"])  # the checker reads numbers as their text
    for side in ("lower", "upper"):
        if side not in claim:
            continue
        alpha, value = Fraction(alphas[side]), Fraction(claim[side])
        if claim["claim"] == "delta":
            _compare(chain, s, t, alpha, value if side == "lower" else None, value if side == "upper" else None)
        elif side == "upper":
            least = ld_by_full_lp(chain, alpha, 30)[s, t]
            assert float(value) >= least - TOLERANCE, (claim, least)


def mutate(document: Any, where: int, how: int) -> None:
    """Change one leaf, or drop, double or swap a part, as the two numbers say."""
    spots: list[tuple[Any, Any]] = []
    stack: list[Any] = [document]
    while stack:
        top = stack.pop()
        keys = top.keys() if isinstance(top, dict) else range(len(top)) if isinstance(top, list) else ()
        for key in keys:
            spots.append((top, key))
            stack.append(top[key])
    holder, key = spots[where % len(spots)]
    value = holder[key]
    other_holder, other_key = spots[how % len(spots)]
    choice = how % 7
    if choice == 0:
        del holder[key]
    elif choice == 1:
        holder[key] = copy.deepcopy(other_holder[other_key])
    elif choice == 2 and isinstance(holder, list):
        holder.append(copy.deepcopy(value))
    elif isinstance(value, bool | int):
        holder[key] = int(value) + (1 if how % 2 else -1)
    elif isinstance(value, str):
        with contextlib.suppress(ValueError, ZeroDivisionError):
            number = Fraction(value)
            changed = [
                number * 2,
                number / 2,
                number - Fraction(1, 10**6),
                1 - number,
                -number,
                number + 1,
                Fraction(0),
            ]
            holder[key] = str(changed[(how // 7) % len(changed)])
    else:
        holder[key] = [value] if how % 2 else str(value)


CASES = [
    FuzzClass("intervals", random_case, check_interval),
    FuzzClass("distances", lambda random: random_case(random, 5), check_distance),
    FuzzClass("certificates mutated", mutated_case, check_mutant),
]
