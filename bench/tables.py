"""The tables: what each part must reach, measured, beside what one would use instead."""

from __future__ import annotations

from importlib.util import find_spec

import deltachain as dc
from bench.boxes import boxes
from bench.commands import commands
from bench.domains import domains
from bench.draws import draws
from bench.explorer import explorer
from bench.interactive import interactive
from bench.measure import Measured, Row, in_process, models, note, whole_command
from bench.mechanisms import mechanisms
from bench.noise import noise
from bench.parametric import parametric
from bench.programs import programs
from bench.sampling import sampling
from bench.scale_rows import scale
from bench.sweeps import sweeps
from bench.ties import ties

__all__ = [
    "FAMILIES",
    "TITLES",
    "accountants",
    "boxes",
    "commands",
    "deltas",
    "distances",
    "domains",
    "draws",
    "explorer",
    "foundations",
    "growth",
    "interactive",
    "mechanisms",
    "noise",
    "parametric",
    "programs",
    "sampling",
    "scale",
    "solvers",
    "sweeps",
    "ties",
]

TITLES = {
    "commands": "Commands",
    "foundations": "Chains: loading and minimising",
    "distances": "Distances",
    "deltas": "Intervals for δ",
    "scale": "δ at scale",
    "solvers": "Distances against solvers and libraries",
    "accountants": "δ against an accountant",
    "growth": "Growth",
    "mechanisms": "Mechanisms",
    "programs": "Compiling programs",
    "noise": "Real noise",
    "ties": "Exact ties",
    "parametric": "Every value of a parameter",
    "domains": "Whole domains, and the smallest noise",
    "draws": "Samplers",
    "boxes": "Rows known from counts",
    "interactive": "Systems that answer questions",
    "sampling": "Estimates by sampling",
    "sweeps": "Sweeps, and where they run",
    "explorer": "The explorer's answers",
}
"""Every table, and its title."""

DINERS = "dining-cryptographers,n=2,p=49/100"
RANDOM = "example:random,n=100,labels=2,degree=3"
FAMILIES = {
    "random": ((50, 100, 200, 400, 800, 1400, 2000), (50, 100, 150)),
    "retransmission": ((8, 16, 33, 50, 66), (8, 12, 16)),
    "diners": ((5, 10, 20, 30, 40, 50, 60), (5, 10, 20)),
}
"""The sizes of the growth table, in full and quick."""


def foundations(quick: bool) -> list[Row]:
    """Loading and minimising a big chain."""
    states = 20_000 if quick else 100_000
    load = in_process("load_big", states)
    found = load.result["minimise"]
    minimise = Measured(found["seconds"], found["peak_mb"], found)
    size = f"{states:,} states, {3 * states:,} transitions"
    kept = load.seconds <= 5 and load.peak_mb <= 1536
    blocks = f"{found['blocks']} blocks, a bisimulation"
    return [
        load.row(f"load {size}, native format", "sizes right", "≤ 5 s, ≤ 1.5 GB", kept),
        minimise.row(f"minimise {size}", blocks, "≤ 10 s", minimise.seconds <= 10),
    ]


def distances(quick: bool) -> list[Row]:
    """The distance engine."""
    step = in_process("one_step", 100, 2, 3, "6/5")
    thousand = step.result["baseline_seconds"] / step.seconds >= 1000
    case = "one Γ on all pairs, random n=100, 2 labels, degree 3, α=6/5"
    rows = [step.row(case, "agrees", "≥ 1,000× faster", thousand), _whole_random(step), _whole_diners_distance()]
    rows += [_exactly(n, seconds) for n, seconds in ((40, 2), (80, 30), (150, 120)) if n <= 40 or not quick]
    if not quick:
        for n, seconds, megabytes in ((400, 2, 500), (800, 6, 500), (2000, 60, 3000)):
            large = in_process("all_pairs", n, 3, 4, "11/10")
            case = f"certified bd, all pairs, random n={n}, 3 labels, degree 4, α=11/10"
            kept = _alone(large) <= seconds and large.peak_mb <= megabytes
            rows.append(large.row(case, _gap(large), f"≤ {seconds} s, ≤ {megabytes} MB", kept))
        near = in_process("one_pair_of_many", 20_000)
        case = "bd of one pair of 20,000 states, which reaches 200 of them"
        rows.append(near.row(case, f"{near.result['pairs']} ordered pairs", "≤ 2 s", _alone(near) <= 2))
    if models().is_dir():
        rows += [_model(name, "exact", 2, 500) for name in ("herman7", "leader5-3")]
        rows += [] if quick else [_model("brp32-2", "certified", 5, 500), _model("brp64-5", "certified", 300, 6000)]
    return rows


def _whole_random(step: Measured) -> Row:
    """The whole command, beside one sweep of full LPs."""
    found = whole_command("distance", RANDOM, "--all", "--exp-epsilon", "6/5")
    case = "the same chain, certified bd, all pairs, whole command"
    answer = f"{len(found.result['results'])} pairs, side {found.result['results'][0]['side']}"
    return found.beside(step).row(case, answer, "≤ 4 s", found.seconds <= 4)


def _whole_diners_distance() -> Row:
    found = whole_command("distance", f"example:{DINERS}", "--exact", "--exp-epsilon", "1.0002")
    value = found.result["results"][0]["value"]["exact"]
    beside = found.beside(in_process("value_iteration", DINERS, "1.0002"), value == "1/2500")
    return beside.row("two diners, exact bd, whole command", value, "≤ 0.4 s", found.seconds <= 0.4)


def _exactly(n: int, seconds: int) -> Row:
    found = in_process("all_pairs_exactly", n, "6/5")
    case = f"exact bd, all pairs, random n={n}, 3 labels, degree 3, α=6/5"
    answer = f"denominators of up to {found.result['bits']} bits, {_gap(found)}"
    return found.row(case, answer, f"≤ {seconds} s", _alone(found) <= seconds)


def _model(name: str, side: str, limit: int, megabytes: int) -> Row:
    found = in_process("model_quotient", name, "11/10", side)
    sizes = f"all pairs of the quotient ({found.result['states']})"
    case = f"{name} ({found.result['raw_states']} states), {side} bd, {sizes}"
    kept = _alone(found) <= limit and found.peak_mb <= megabytes
    return found.row(case, _gap(found), f"≤ {limit} s, ≤ {megabytes} MB", kept)


def _alone(found: Measured) -> float:
    """What the case takes at most on a machine that does nothing else: wall clock, or the processor time if less."""
    return min(found.seconds, float(found.result["cpu_seconds"]))


def deltas(quick: bool) -> list[Row]:
    """δ intervals, profiles, and the zoo."""
    rows = [_whole_diners_delta()]
    brute = in_process("diners_delta", 12, "1.0002", "alone")
    fifty = brute.result["baseline_seconds"] / brute.seconds >= 50
    rows.append(brute.row("12 diners, δ of (s0, s1)", "agrees", "≥ 50× faster", fifty))
    rows.append(in_process("diners_delta", 12, "1.0002").row("12 diners, δ of (s0, s1)", "agrees"))
    for n, limit in ((20, 3),) if quick else ((20, 3), (50, 60)):
        found = in_process("diners_delta", n, "1.0002")
        rows.append(found.row(f"{n} diners, δ of (s0, s1)", _diners(found), f"≤ {limit} s", found.seconds <= limit))
    curve = in_process("diners_profile", 4, 100)
    rows.append(curve.row("profile of 4 diners, 100 points", "agrees", "≤ 10 s", curve.seconds <= 10))
    for example in dc.examples.catalogue():
        found = in_process("zoo", example.name, "11/10")
        answer = _interval(found) + ", certificate accepted"
        found = found.with_command("delta", f"example:{example.name}", "--exp-epsilon", "11/10")
        case = f"zoo: {example.name}, α=11/10"
        rows.append(found.row(case, answer, "≤ 5 s", found.seconds <= 5))
    if models().is_dir() and not quick:
        for name, s, t in (("crowds03-10", 6000, 6100), ("brp32-2", 100, 200)):
            found = in_process("model_delta", name, s, t, "11/10", 60)
            how = f"{found.result['nodes']} belief pairs; {found.result['method']}; certificate accepted"
            narrow = found.result["upper"] - found.result["lower"] <= 0.01
            case = f"{name}, δ of ({s}, {t}), α=11/10"
            rows.append(found.row(case, f"{_interval(found)} ({how})", "gap ≤ 0.01 or the best in 60 s", narrow))
    return rows


def _whole_diners_delta() -> Row:
    found = whole_command("delta", f"example:{DINERS}", "--exp-epsilon", "1.0002")
    value = found.result["upper"]["exact"]
    right = found.result["results"][0]["exact"] and value == "7501/25000000"
    beside = found.beside(in_process("diners_delta", 2, "1.0002"), right)
    return beside.row("two diners, δ, whole command", value, "exact, ≤ 0.7 s", found.seconds <= 0.7)


def solvers(quick: bool) -> list[Row]:
    """Distances against solvers and libraries that one would use instead; 300 states are in `bench.commands`."""
    rows = []
    for n in (8,) if quick else (8, 12, 16):
        found = in_process("value_iteration", f"random,n={n}", "6/5")
        said = f"{found.result['side']} values, off by at most {found.result['error']:.1e}"
        found = found.with_command("distance", f"example:random,n={n}", "--all", "--exact", "--exp-epsilon", "6/5")
        rows.append(found.row(f"bd of all pairs, random n={n}, α=6/5, against value iteration", said))
    sizes = [(30, 2)] if quick else [(30, 2), (60, 20), (100, 20), (150, 20)]
    if quick and find_spec("ot") is None:
        note("POT is not installed: its row is left out")
        sizes = []
    for n, times in sizes:
        found = in_process("transport", n)
        how = "above the stopped one" if "stopped" in found.result["baseline"] else "apart"
        said = f"{found.result['pairs']} ordered pairs, at most {found.result['error']:.1e} {how}"
        fast = found.result["baseline_seconds"] / found.seconds >= times
        case = f"classic distance (α=1), all pairs, random n={n}, against transport"
        found = found.with_command("distance", f"example:random,n={n}", "--all", "--exp-epsilon", "1")
        rows.append(found.row(case, said, f"engine ≥ {times}× faster", fast))
    models = [("coin", "6/5"), ("random,n=4,degree=2", "6/5"), ("random,n=5,degree=2", "6/5"), ("split-coin", "6/5")]
    models.append((DINERS, "1.0002"))
    for model, alpha in models[: 2 if quick else None]:
        found = in_process("formula", model, alpha, 10)
        said = f"bd = {found.result['value']}, {found.result['states']} states"
        pair = dc.examples.build(model).pairs[0]
        found = found.with_command("distance", f"example:{model}", "--pair", *pair, "--exact", "--exp-epsilon", alpha)
        rows.append(found.row(f"exact bd of one pair, {model}, α={alpha}, against the formula", said))
    return rows


def accountants(quick: bool) -> list[Row]:
    """δ of finite output distributions against dp-accounting."""
    words = (6, 10) if quick else (6, 10, 14, 16)
    composed = (20,) if quick else (20, 100, 200)
    counts = (10,) if quick else (10, 50, 100)
    return [
        *(_accounted("accountant_on_words", k, "11/10", "survey", f"rounds={k},p=11/20") for k in words),
        *(_accounted("accountant_composed", k, "11/10", "survey", f"rounds={k},p=11/20") for k in composed),
        *(_accounted("accountant_on_rows", m, "3/2", "geometric", f"m={m},ratio=1/2") for m in counts),
    ]


def _accounted(case: str, size: int, alpha: str, example: str, parameters: str) -> Row:
    found = in_process(case, size, alpha)
    model = f"example:{example},{parameters}"
    found = found.with_command("delta", model, "--pair", "s0", "s1", "--exp-epsilon", alpha)
    sure = "exactly" if found.result["exact"] else "to nine digits, certified"
    said = f"δ = {found.result['delta']:.9g} {sure}; the accountant {found.result['above']:+.1e}"
    return found.row(f"{example}, {parameters}, δ at α={alpha}", said)


def growth(quick: bool) -> list[Row]:
    """Time and memory against the number of states, for three families."""
    rows = []
    for n in FAMILIES["random"][quick]:
        found = in_process("all_pairs", n, 2, 3, "6/5")
        rows.append(_grown(found, f"random n={n}, certified bd, all pairs, α=6/5", _gap(found)))
    for frames in FAMILIES["retransmission"][quick]:
        found = in_process("all_pairs_of_retransmission", frames, "11/10")
        case = f"retransmission of {frames} frames ({found.result['states']} states), certified bd, all pairs, α=11/10"
        rows.append(_grown(found, case, _gap(found)))
    for n in FAMILIES["diners"][quick]:
        found = in_process("diners_delta", n, "1.0002")
        case = f"diners n={n} ({found.result['states']} states), exact δ, α=1.0002"
        rows.append(_grown(found, case, _diners(found)))
    return rows


def _grown(found: Measured, case: str, answer: str) -> Row:
    return found.row(case, answer, states=found.result["states"], grown_mb=found.result["grown_mb"])


def _diners(found: Measured) -> str:
    return f"δ = {found.result['delta']:.12g} exactly, {found.result['nodes']} belief pairs"


def _interval(found: Measured) -> str:
    if found.result["exact"]:
        return f"δ = {found.result['upper']:.9g} exactly"
    lower, upper = found.result["lower"], found.result["upper"]
    return f"{lower:.9g} ≤ δ ≤ {upper:.9g}, gap {upper - lower:.1e}"


def _gap(found: Measured) -> str:
    said = f"{found.result['pairs']} ordered pairs, a fixed point to {found.result['moved']:.1e}"
    if found.result["rounds"] is not None:
        said += f", {found.result['rounds']} rounds, {found.result['levels']} levels of stones"
    said += f", {found.result['cpu_seconds']:.2g} s of processor"
    if found.result["gap"] is not None:
        said += f", at most {found.result['gap']:.1e} above value iteration"
    return said + (", certificate accepted" if found.result["certificate"] else "")
