"""What is recorded: models as text or by name, and what is asked of each.

The examples and seeded random chains at several ε; the same chains with limits, counts, enclosures and functions of e
in place of their fractions; programs with real noise, and those of examples/bugs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import deltachain as dc
from tests.fuzz.intervals import chain_of, random_case
from tests.paper.test_bugs import CASES as BUGS
from tests.reference.endless_chains import correlated, drawn_ahead
from tests.reference.random_chains import random_chain, random_system, with_twins

ALPHAS = ("1", "1001/1000", "11/10", "2", "3")
EPSILON = "1/2"
"""An irrational e^ε, so that the two sides of a bound are at different numbers."""
EPSILONS = ("0", "1/10", "1/2", "1", "2")
ZOO = (
    *("coin", "coin,p=1/3", "split-coin", "dining-cryptographers,n=2", "dining-cryptographers", "survey"),
    *("dining-cryptographers,n=6", "survey,rounds=3", "survey,rounds=20,p=51/100", "memoised-survey", "waiting-room"),
    *("memoised-survey,q=1/2", "geometric", "geometric-counter", "clamped-geometric", "partial-sum", "smart-sum"),
    *("histogram", "rappor", "rappor,reports=2", "noisy-max,clamp=8", "noisy-max,variant=2,clamp=8"),
    *("sparse-vector,clamp=8", "sparse-vector,variant=4,clamp=8", "sparse-vector,variant=6,n=3,clamp=8"),
    *("crowds", "crowds,paths=3", "pin-checker"),
    *("pin-checker,guesses=3", "sticky-sensor", "sticky-sensor,stay=3/4", "mix", "probe", "probe,moves=3", "lockout"),
    *("query-budget", "adaptive-survey", "random", "random,n=24,labels=3,degree=4", "random,n=12,inputs=2"),
)
ASKED_OF_ALL = ("coin", "survey", "dining-cryptographers,n=2", "split-coin", "memoised-survey", "probe", "pin-checker")
"""Examples of which every verb is asked."""
RANDOM_CHAINS, DERIVED = 120, 16
MAX_NODES = 300
"""Of random chains: enough for every stage of the search to run, and to end."""
NOISE: Mapping[str, str] = {
    **dict.fromkeys(("laplace", "laplace,scale=10", "laplace_twice", "clamped", "clamped,rounds=3"), "functions"),
    **dict.fromkeys(("response", "response,rounds=4", "exponential", "one_hot", "parity", "waiting"), "functions"),
    **dict.fromkeys(("gaussian", "gaussian,sigma=3", "gaussian_twice", "roots"), "enclosed"),
    **dict.fromkeys(("cut_off", "cut_off_short", "gaussian_cut_off", "sparse"), "cut off"),
    **dict.fromkeys(("asked", "asked_twice", "asked_about_roots"), "noise with inputs"),
}

Row = dict[str, str]
Questions = list[dict[str, Any]]


@dataclass(frozen=True)
class Model:
    """A model, and what is asked of it.

    Attributes:
        kind: what it stands for in the record.
        name: a name of its own.
        source: what `dc.load` takes; None where ``text`` is the model.
        text: a native model file.
        secrets: of a program.
        domain: of a program, in place of secrets: the values of its parameter.
        asked: verbs with their arguments.
    """

    kind: str
    name: str
    asked: Questions
    source: str | None = None
    text: str | None = None
    secrets: list[dict[str, object]] | None = None
    domain: str | None = None


def native(chain: dc.Chain) -> str:
    """The chain as a model file."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "model.json")
        dc.save(chain, path)
        return path.read_text("utf-8")


def _at(alpha: str | None) -> dict[str, str]:
    return {"epsilon": EPSILON} if alpha is None else {"exp_epsilon": alpha}


def _pairs(chain: dc.Chain, most: int = 6) -> list[tuple[str, str]]:
    """The relation that the chain carries, else its first pairs of states with equal labels and one with different."""
    names = chain.states
    if chain.relation:
        return [(names[s], names[t]) for s, t in chain.relation][:most]
    alike = [(s, t) for s in range(len(names)) for t in range(s + 1, len(names)) if chain.labels[s] == chain.labels[t]]
    apart = [(s, t) for s in range(len(names)) for t in range(s) if chain.labels[s] != chain.labels[t]]
    return [(names[s], names[t]) for s, t in [*alike[:2], *apart[:1]]]


def every_verb(pairs: Sequence[tuple[str, str]] | None, max_nodes: int | None = None) -> Questions:
    """Questions of every verb that bounds δ, beside `dc.delta` at one ε."""
    about: dict[str, Any] = {} if pairs is None else {"pairs": list(pairs)}
    searched = about | ({} if max_nodes is None else {"max_nodes": max_nodes})
    return [
        {"verb": "profile", "epsilons": list(EPSILONS), **searched},
        {"verb": "epsilon", "delta": "0", **searched},
        {"verb": "epsilon", "delta": "1/20", **searched},
        {"verb": "delta", "repeat": 2, **_at(None), **searched},
        {"verb": "delta", "compose": ["example:survey"], **_at("2"), **searched},
        {"verb": "profile", "repeat": 3, "epsilons": list(EPSILONS), **searched},
        *({"verb": "distance", "kind": kind, "exp_epsilon": "11/10", **about} for kind in ("bd", "ld", "sd")),
    ]


def corpus() -> Iterator[Model]:
    """Every model, in an order that never changes."""
    yield from zoo()
    yield from endless()
    yield from random_models()
    yield from programs()


def zoo() -> Iterator[Model]:
    """The examples."""
    for text in ZOO:
        pairs = _pairs(dc.load(f"example:{text}"))
        asked: Questions = [{"verb": "delta", "pairs": pairs, **_at(alpha)} for alpha in (*ALPHAS, None)]
        if text in ASKED_OF_ALL:
            asked += every_verb(pairs[:2])
        elif not text.startswith("random,n=24"):
            asked.append({"verb": "profile", "epsilons": list(EPSILONS), "pairs": pairs[:1], "max_nodes": 1000})
            asked.append({"verb": "epsilon", "delta": "1/20", "pairs": pairs[:1], "max_nodes": 1000})
        yield Model("zoo", text, asked, source=f"example:{text}")


def endless() -> Iterator[Model]:
    """Chains whose beliefs go on for ever."""
    for p in ("1/3", "1/5"):
        for name, chain in (
            ("correlated", correlated(Fraction(p))),
            ("drawn-ahead", drawn_ahead(Fraction(3, 4), Fraction(p))),
        ):
            asked: Questions = [{"verb": "delta", "pairs": _pairs(chain), "exp_epsilon": "11/10"}]
            yield Model("fractions", f"{name} {p}", asked, text=native(chain))


def random_models() -> Iterator[Model]:
    """Random chains, and the first of them with other numbers."""
    random = Random(2)
    for number in range(RANDOM_CHAINS):
        drawn = random_case(random, 8)
        for name, chain in (
            ("forward", chain_of(drawn)),
            ("cyclic", random_chain(random)),
            ("twins", with_twins(random, random_chain(random, most_states=5), 3)),
            ("system", random_system(random)),
        ):
            if not (pairs := _pairs(chain)):
                continue
            at = _at(random.choice([*ALPHAS, None]))
            asked: Questions = [{"verb": "delta", "pairs": pairs, "max_nodes": MAX_NODES, **at}]
            text = native(chain)
            kind = "inputs" if name == "system" else "fractions"
            yield Model(kind, f"{name} {number}", asked + every_verb(pairs[:1], 100) * (number < 5), text=text)
            if number < DERIVED:
                yield from derived(Random(number), f"{name} {number}", text, pairs)


def derived(random: Random, name: str, text: str, pairs: list[tuple[str, str]]) -> Iterator[Model]:
    """The model with limits, counts, enclosures and functions of e in place of its fractions."""
    inputs = " with inputs" if '"on"' in text else ""
    for kind, other in OTHER_ROWS.items():
        alphas = random.sample([*ALPHAS[1:], None], 2)
        asked: Questions = [{"verb": "delta", "pairs": pairs, "max_nodes": MAX_NODES, **_at(a)} for a in alphas]
        if name.endswith((" 0", " 1", " 2")):
            asked += every_verb(pairs[:1], 100)
        yield Model(kind + inputs, f"{name}, {kind}", asked, text=rewritten(text, random, kind, other))


def rewritten(text: str, random: Random, kind: str, other: Callable[[Random, Row], dict[str, Any]]) -> str:
    """The model with each row of several targets rewritten."""
    document = json.loads(text)
    for body in document["states"].values():
        if "on" in body:
            body["on"] = {asked: other(random, row) if len(row) > 1 else row for asked, row in body["on"].items()}
        elif len(body["to"]) > 1:
            body |= other(random, body.pop("to"))
    if kind == "counts" and '"counts"' in json.dumps(document):
        document["confidence"] = "0.99"
    return json.dumps(document, ensure_ascii=False)


def _limits(random: Random, row: Row) -> dict[str, Any]:
    """Limits around some entries, or around all with mass that may leave the model."""
    rest = random.choice(["0", "0", "1/200"])
    found: dict[str, Any] = {}
    for target, text in row.items():
        value, width = Fraction(text), random.choice([Fraction(1, 100), Fraction(1, 20)])
        found[target] = [str(max(value - width, Fraction(0))), str(min(value + width, Fraction(1)))]
    return {"to": found} | ({} if rest == "0" else {"rest": rest})


def _counts(random: Random, row: Row) -> dict[str, Any]:
    """Numbers near what a few thousand steps would show."""
    steps = random.choice([2_000, 40_000])
    counts = {target: int(steps * Fraction(text)) + random.randint(0, 20) for target, text in row.items()}
    return {"counts": counts} | random.choice([{"rest": 0}, {"rest": 0}, {}])


def _enclosures(random: Random, row: Row) -> dict[str, Any]:
    """Narrow limits around known numbers; of some rows a little is cut off."""
    width, cut_off = Fraction(1, 10**30), random.choice([Fraction(0), Fraction(0), Fraction(1, 10**12)])
    found = {}
    for number, (target, text) in enumerate(row.items()):
        value = Fraction(text) - (0 if number else cut_off)
        found[target] = [str(value - width), str(value + width)]
    return {"to": found, "enclosed": True} | ({"rest": str(cut_off)} if cut_off else {})


def _functions(random: Random, row: Row) -> dict[str, Any]:
    """Shares of weights that are powers of e^(1/2): few of them, so that equal rows are common."""
    weights = [random.choice(["1", "exp(1/2)", "exp(1/2)", "exp(1)", "2+exp(1)"]) for _ in row]
    return {"to": {target: f"({w})/({'+'.join(weights)})" for target, w in zip(row, weights, strict=True)}}


OTHER_ROWS: Mapping[str, Callable[[Random, Row], dict[str, Any]]] = {
    "limits": _limits,
    "counts": _counts,
    "enclosed": _enclosures,
    "functions": _functions,
}


def programs() -> Iterator[Model]:
    """Programs with real noise, and those of examples/bugs."""
    for number, (name, kind) in enumerate(NOISE.items()):
        asked: Questions = [{"verb": "delta", **_at(alpha)} for alpha in ("2", None)]
        asked.append({"verb": "delta", "epsilon": "1"})
        secrets: list[dict[str, object]] = [{"x": 0}, {"x": 1}]
        source = f"tests/record/programs.py:{name}"
        large = number and name.startswith(("gaussian,", "laplace,", "sparse"))
        yield Model(kind, name, asked + ([] if large else every_verb(None)), source=source, secrets=secrets)
    for bug in BUGS:
        at = {name: str(value) for name, value in bug.at.items() if name != "delta"}
        asked = [{"verb": "delta", **at}, {"verb": "profile", "epsilons": ["0", "1"]}]
        asked += [{"verb": "epsilon", "delta": delta} for delta in dict.fromkeys(("0", str(bug.at["delta"])))]
        if "topics" not in bug.program:
            asked.append({"verb": "delta", "repeat": 2, **at})
        source = f"examples/bugs/{bug.program}"
        yield Model("bugs", f"{bug.program} {bug.values[0]} {at}", asked, source=source, secrets=bug.secrets)
