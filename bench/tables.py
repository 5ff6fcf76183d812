"""The tables: what each part must reach, measured."""

from __future__ import annotations

import json

import deltachain as dc
from bench.measure import MODELS, Row, in_process, whole_command

DINERS = "example:dining-cryptographers,n=2,p=49/100"


def foundations(quick: bool) -> list[Row]:
    """Loading and minimising a big chain."""
    states = 20_000 if quick else 100_000
    seconds, peak, result = in_process("load_big", str(states))
    minimise = float(str(result["minimise"]))
    answer = f"{result['blocks']} blocks, a bisimulation" if result["right"] else "WRONG"
    size = f"{states:,} states, {3 * states:,} transitions"
    return [
        Row(
            f"load {size}, native format",
            seconds,
            peak,
            "sizes right",
            "≤ 5 s, ≤ 1.5 GB",
            seconds <= 5 and peak <= 1536,
        ),
        Row(f"minimise {size}", minimise, peak, answer, "≤ 10 s", minimise <= 10 and bool(result["right"])),
    ]


def distances(quick: bool) -> list[Row]:
    """The distance engine."""
    rows = []
    seconds, peak, result = in_process("one_step", "100", "2", "3", "6/5")
    base = float(str(result["baseline"]))
    rows.append(
        Row(
            "one Γ on all pairs, random n=100, 2 labels, degree 3, α=6/5", seconds, peak, _right(result),
            "≥ 1,000× faster", base / seconds >= 1000 and bool(result["right"]),
            "SciPy/HiGHS, one full LP a direction (40 pairs, scaled)", base,
        )
    )  # fmt: skip
    whole_command("distance", "example:random,n=100,labels=2,degree=3", "--all", "--exp-epsilon", "6/5", "--json")
    seconds, peak, output = whole_command(
        "distance", "example:random,n=100,labels=2,degree=3", "--all", "--exp-epsilon", "6/5", "--json"
    )
    count = len(json.loads(output)["results"])
    rows.append(
        Row(
            "the same chain, certified bd, all pairs, whole command",
            seconds,
            peak,
            f"{count} pairs",
            "≤ 4 s",
            seconds <= 4,
        )
    )
    if not quick:
        seconds, peak, result = in_process("all_pairs", "400", "3", "4", "11/10")
        rows.append(
            Row(
                "certified bd, all pairs, random n=400, 3 labels, degree 4, α=11/10", seconds, peak, _gap(result),
                "≤ 15 s, ≤ 1.5 GB", seconds <= 15 and peak <= 1536 and bool(result["right"]),
            )
        )  # fmt: skip
    if MODELS.is_dir():
        if not quick:
            seconds, peak, result = in_process("model_quotient", "brp32-2", "11/10", "upper")
            case = (
                f"brp32-2 ({result['states']} states), certified bd, all pairs of the quotient ({result['quotient']})"
            )
            rows.append(Row(case, seconds, peak, _gap(result), "≤ 60 s", seconds <= 60 and bool(result["right"])))
        for name in ("herman7", "leader5-3"):
            seconds, peak, result = in_process("model_quotient", name, "11/10", "exact")
            case = f"{name} ({result['states']} states), exact bd, all pairs of the quotient ({result['quotient']})"
            rows.append(Row(case, seconds, peak, _gap(result), "≤ 2 s", seconds <= 2 and bool(result["right"])))
    seconds, peak, output = whole_command("distance", DINERS, "--exact", "--exp-epsilon", "1.0002", "--json")
    value = json.loads(output)["results"][0]["value"]["exact"]
    rows.append(
        Row(
            "two diners, exact bd, whole command", seconds, peak, value, "≤ 0.7 s", seconds <= 0.7 and value == "1/2500"
        )
    )
    return rows


def deltas(quick: bool) -> list[Row]:
    """δ intervals, profiles, and the zoo."""
    rows = []
    seconds, peak, output = whole_command("delta", DINERS, "--exp-epsilon", "1.0002", "--json")
    found = json.loads(output)
    value = found["upper"]["exact"]
    right = found["results"][0]["exact"] and value == "7501/25000000"
    rows.append(Row("two diners, δ, whole command", seconds, peak, value, "exact, ≤ 0.7 s", seconds <= 0.7 and right))
    seconds, peak, result = in_process("enumerate_diners", "8" if quick else "12", "1.0002")
    base = float(str(result["baseline"]))
    rows.append(
        Row(
            f"{8 if quick else 12} diners, δ of (s0, s1)", seconds, peak, _right(result), "≥ 50× faster",
            base / seconds >= 50 and bool(result["right"]), "enumerating all words", base,
        )
    )  # fmt: skip
    for n, limit in ((20, 3), (50, 60)):
        seconds, peak, result = in_process("diners_delta", str(n), "1.0002")
        answer = f"δ = {result['delta']:.12g} exactly, {result['nodes']} belief pairs"
        rows.append(
            Row(
                f"{n} diners, δ of (s0, s1)",
                seconds,
                peak,
                answer,
                f"exact, ≤ {limit} s",
                seconds <= limit and bool(result["right"]),
            )
        )
    seconds, peak, result = in_process("diners_profile", "4", "100")
    rows.append(
        Row(
            "profile of 4 diners, 100 points",
            seconds,
            peak,
            _right(result),
            "≤ 10 s",
            seconds <= 10 and bool(result["right"]),
        )
    )
    for example in dc.examples.catalogue():
        seconds, peak, result = in_process("zoo", example.name, "11/10")
        if result["exact"]:
            answer = f"δ = {result['upper']:.9g} exactly"
        else:
            answer = f"{result['lower']:.9g} ≤ δ ≤ {result['upper']:.9g}"
        rows.append(
            Row(
                f"zoo: {example.name}, α=11/10", seconds, peak, answer + ", certificate accepted", "≤ 5 s", seconds <= 5
            )
        )
    if MODELS.is_dir() and not quick:
        for name, s, t in (("crowds03-10", "6000", "6100"), ("brp32-2", "100", "200")):
            seconds, peak, result = in_process("model_delta", name, s, t, "11/10", "60")
            width = float(str(result["upper"])) - float(str(result["lower"]))
            how = f"{result['nodes']} belief pairs; {result['method']}"
            answer = f"{result['lower']:.6g} ≤ δ ≤ {result['upper']:.6g} ({how})"
            rows.append(
                Row(
                    f"{name}, δ of ({s}, {t}), α=11/10",
                    seconds,
                    peak,
                    answer,
                    "gap ≤ 0.01 or the best in 60 s",
                    width <= 0.01,
                )
            )
    return rows


def growth(quick: bool) -> list[Row]:
    """Time and memory of all certified pairs against the number of states."""
    rows = []
    for n in (50, 100, 200) if quick else (50, 100, 200, 400, 800):
        seconds, peak, result = in_process("all_pairs", str(n), "2", "3", "6/5")
        rows.append(
            Row(f"random n={n}, 2 labels, degree 3, α=6/5, certified bd, all pairs", seconds, peak, _gap(result))
        )
    return rows


def _right(result: dict[str, object]) -> str:
    return "agrees" if result["right"] else "WRONG"


def _gap(result: dict[str, object]) -> str:
    accepted = ", certificate accepted" if "certificate" in result else ""
    return f"{result['pairs']} ordered pairs, at most {float(str(result['gap'])):.1e} above value iteration{accepted}"
