"""Certificates of format 2 about random chains, made by a small generator of its own, and changes to them.

Every number is a bound by construction: values of nodes are iterated from above and from below, so that each iterate
holds in circles. Nothing here is clever; what counts is that every rule of the core comes up.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

from deltachain_checker import ModelFile, parse
from deltachain_checker.certificate import field_of

Vector = dict[str, Fraction]
Rows = dict[str, dict[str, Vector]]
"""By state and input; "" where there is no choice."""


def text(x: Fraction) -> str:
    return str(x)


def entries(v: Vector) -> list[list[str]]:
    return [[state, text(x)] for state, x in sorted(v.items()) if x]


def mass(v: Vector) -> Fraction:
    return sum(v.values(), Fraction(0))


def weighed(v: Vector, c: Fraction) -> Vector:
    return {i: c * x for i, x in v.items()}


def less(x: Vector, c: Fraction, y: Vector) -> Vector:
    """The vector x − cy."""
    return {i: x.get(i, Fraction(0)) - c * y.get(i, Fraction(0)) for i in {**x, **y}}


class Maker:
    """A random chain, and parts of certificates about it."""

    def __init__(self, random: Random, *, inputs: bool = False, copies: bool = False) -> None:
        self.random = random
        letters = ["a", "b", "c"][: random.randint(2, 3)]
        states = [f"s{n}" for n in range(random.randint(3, 6))]
        self.label = {state: random.choice(letters) for state in states}
        self.label["s1"] = self.label["s0"] = "a"
        asks = {a: ["p", "q"] if inputs and a != "c" else [""] for a in letters}
        self.rows: Rows = {i: {k: self.row(states) for k in asks[self.label[i]]} for i in states}
        self.copied: dict[str, str] = {}
        if copies:
            for state in random.sample(states[2:], min(2, len(states) - 2)):
                self.copy(state)

    def row(self, states: list[str]) -> Vector:
        chosen = self.random.sample(states, self.random.randint(1, min(3, len(states))))
        shares = [self.random.randint(1, 4) for _ in chosen]
        return {i: Fraction(n, sum(shares)) for i, n in zip(chosen, shares, strict=True)}

    def copy(self, state: str) -> None:
        """A second state that behaves as this one does; what leads to one of them leads to both, by chance."""
        twin = f"{state}'"
        self.label[twin] = self.label[state]
        self.rows[twin] = {k: dict(row) for k, row in self.rows[state].items()}
        self.copied[twin] = state
        for by_input in self.rows.values():
            for row in by_input.values():
                if state in row and self.random.random() < 0.7:
                    share = row[state] * Fraction(self.random.randint(0, 3), 3)
                    row[twin], row[state] = row.get(twin, Fraction(0)) + share, row[state] - share
                    for gone in [i for i, p in row.items() if not p]:
                        del row[gone]

    def model(self) -> dict[str, Any]:
        """In the native format, some numbers as decimals."""
        states: dict[str, Any] = {}
        for i, by_input in self.rows.items():
            said = {k: {j: self.number(p) for j, p in row.items()} for k, row in by_input.items()}
            states[i] = {"label": self.label[i]} | ({"to": said[""]} if "" in said else {"on": said})
        return {"format": "deltachain.chain/1", "states": states}

    def number(self, p: Fraction) -> Any:
        if p == 1:
            return 1
        return str(float(p)) if p.denominator in (2, 4, 5) and self.random.random() < 0.5 else text(p)

    def after(self, v: Vector, asked: str) -> dict[str, Vector]:
        found: dict[str, Vector] = {}
        for i, x in v.items():
            for j, p in self.rows[i][asked].items():
                part = found.setdefault(self.label[j], {})
                part[j] = part.get(j, Fraction(0)) + x * p
        return {a: {i: x for i, x in part.items() if x} for a, part in found.items()}

    def inputs(self, v: Vector) -> list[str]:
        return [*self.rows[min(v)]]

    # Graphs

    def graph(self, s: str, t: str, alpha: Fraction, most_nodes: int, rounds: int) -> dict[str, Any]:
        """Beliefs, nodes and values in both directions, from the node of s and t on."""
        pairs: list[tuple[Vector, Vector]] = [({s: Fraction(1)}, {t: Fraction(1)})]
        place = {repr(pairs[0]): 0}
        steps: list[dict[str, dict[str, tuple[int, Fraction]]] | None] = []
        leaving: list[dict[str, list[tuple[Fraction, Fraction]]]] = []
        while len(steps) < len(pairs):
            n = len(steps)
            if n and (len(pairs) > most_nodes or self.random.random() < 0.15):
                steps.append(None)
                leaving.append({})
                continue
            x, y = pairs[n]
            by_input: dict[str, dict[str, tuple[int, Fraction]]] = {}
            out: dict[str, list[tuple[Fraction, Fraction]]] = {}
            for asked in self.inputs({**x, **y}):
                xs, ys = self.after(x, asked), self.after(y, asked)
                by_input[asked], out[asked] = {}, []
                for a in sorted({*xs, *ys}):
                    both = xs.get(a, {}), ys.get(a, {})
                    if self.random.random() < 0.1:
                        out[asked].append((mass(both[0]), mass(both[1])))
                        continue
                    total = mass(both[0]) + mass(both[1])
                    child = tuple(dict(sorted(weighed(v, 1 / total).items())) for v in both)
                    known = place.setdefault(repr(child), len(pairs))
                    if known == len(pairs):
                        pairs.append((child[0], child[1]))
                    by_input[asked][a] = known, total
            steps.append(by_input)
            leaving.append(out)
        values = [self.values(pairs, steps, leaving, alpha, way, rounds) for way in (0, 1)]
        vectors = [entries(v) for pair in pairs for v in pair]
        nodes: list[Any] = []
        for n, step in enumerate(steps):
            node: list[Any] = [[2 * n, 2 * n + 1]]
            if step is not None:
                said = {k: {a: child for a, (child, _) in letters.items()} for k, letters in step.items()}
                node.append(said.get("", said))
            nodes.append(node)
        return {
            "beliefs": vectors,
            "graph": nodes,
            "values": [[n, values[0][n], values[1][n]] for n in range(len(pairs))],
        }

    def values(self, pairs: Any, steps: Any, leaving: Any, alpha: Fraction, way: int, rounds: int) -> list[Any]:
        """Bounds from above and from below at each node, in one direction."""
        turned = [pair[::-1] if way else pair for pair in pairs]
        gaps = [max(mass(x) - alpha * mass(y), Fraction(0)) for x, y in turned]
        high = [sum((max(z, Fraction(0)) for z in less(x, alpha, y).values()), Fraction(0)) for x, y in turned]
        high = [h if steps[n] is None else mass(turned[n][0]) for n, h in enumerate(high)]
        low, asked = list(gaps), [""] * len(pairs)

        def led_to(n: int, k: str, bounds: list[Fraction], *, above: bool) -> Fraction:
            found = sum((c * bounds[m] for m, c in steps[n][k].values()), Fraction(0))
            for both in leaving[n][k]:
                x, y = both[::-1] if way else both
                found += x if above else max(x - alpha * y, Fraction(0))
            return found

        for _ in range(rounds):
            next_high, next_low = list(high), list(low)
            for n, step in enumerate(steps):
                if step is None:
                    continue
                next_high[n] = min(high[n], max(gaps[n], *(led_to(n, k, high, above=True) for k in step)))
                best = max(step, key=lambda k: led_to(n, k, low, above=False))
                if led_to(n, best, low, above=False) > low[n]:
                    next_low[n], asked[n] = led_to(n, best, low, above=False), best
            high, low = next_high, next_low
        return [[text(a), text(b), *([k] if k else [])] for a, b, k in zip(low, high, asked, strict=True)]

    # Claims

    def claims(self, alpha: Fraction, rounds: int) -> tuple[list[Any], dict[tuple[str, str], int]]:
        """A step claim for each pair of one label, by covers that match what is there; and some that cite others."""
        same = [(i, j) for i in self.label for j in self.label if self.label[i] == self.label[j]]
        pairs = [pair for pair in same if pair[0] != pair[1]]
        place = {pair: n for n, pair in enumerate(pairs)}
        value = dict.fromkeys(pairs, Fraction(1))
        base = max(Fraction(0), 1 - alpha)
        covers = {
            pair: {k: self.matched(self.after_pair(pair, alpha, k), alpha) for k in self.rows[pair[0]]}
            for pair in pairs
        }
        for _ in range(rounds):
            value = {
                pair: max(base, *(self.cost(z, cs, value, alpha) for z, cs in covers[pair].values())) for pair in pairs
            }
        found: list[Any] = []
        for s, t in pairs:
            said: dict[str, Any] = {}
            for k, (z, cs) in covers[s, t].items():
                cover: Any = [[place[p], text(c)] for p, c in cs]
                if self.random.random() < 0.3:
                    eta = {i: x for i, x in self.left(z, cs, alpha).items() if x > 0}
                    cover = {"of": cover, "eta": entries(eta)}
                said[k] = cover
            w: Any = [s, t] if self.random.random() < 0.5 else entries({s: Fraction(1), t: -alpha})
            found.append([w, text(value[s, t]), "step", said.get("", said)])
        for _ in range(2 if pairs else 0):
            # A multiple of one claim less another of the same label: the cost counts the complement.
            p = self.random.choice(pairs)
            q = self.random.choice([q for q in pairs if self.label[q[0]] == self.label[p[0]]])
            w = less({p[0]: Fraction(2), p[1]: -2 * alpha}, Fraction(1, 2), {q[0]: Fraction(1), q[1]: -alpha})
            w = {i: x for i, x in w.items() if x}
            if w:
                cost = 2 * value[p] + (value[q] - (1 - alpha)) / 2
                found.append([entries(w), text(cost), "now", [[place[p], "2"], [place[q], "-1/2"]]])
        return found, place

    def after_pair(self, pair: tuple[str, str], alpha: Fraction, asked: str) -> Vector:
        s, t = pair
        x, y = self.rows[s][asked], self.rows[t][asked]
        return less(x, alpha, y)

    def matched(self, z: Vector, alpha: Fraction) -> tuple[Vector, list[tuple[tuple[str, str], Fraction]]]:
        """Citations of pairs: from where z is above 0 to where it is below."""
        left, found = dict(z), []
        for i in z:
            for j in z:
                if self.label[i] == self.label[j] and left[i] > 0 > left[j] and self.random.random() < 0.9:
                    c = min(left[i], -left[j] / alpha)
                    found.append(((i, j), c))
                    left[i], left[j] = left[i] - c, left[j] + alpha * c
        return z, found

    def left(self, z: Vector, cites: list[Any], alpha: Fraction) -> Vector:
        left = dict(z)
        for (i, j), c in cites:
            left[i], left[j] = left[i] - c, left[j] + alpha * c
        return left

    def cost(self, z: Vector, cites: list[Any], value: dict[Any, Fraction], alpha: Fraction) -> Fraction:
        eta = sum((max(x, Fraction(0)) for x in self.left(z, cites, alpha).values()), Fraction(0))
        return sum((c * value[p] for p, c in cites), eta)


def certificate_about(model: dict[str, Any], alpha: str, field: Any = None, **parts: Any) -> dict[str, Any]:
    """A certificate about the model: its hash, and the parts."""
    known = ModelFile(parse(json.dumps(model))).over(field_of({} if field is None else field))
    data = {"format": "deltachain.certificate/2", "model": known.sha256(), "alpha": alpha, **parts}
    return data if field is None else data | {"field": field}


def case(seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """A model, and a certificate about it, that both checkers must accept."""
    random = Random(seed)
    maker = Maker(random, inputs=seed % 3 == 1, copies=seed % 3 == 2)
    alpha = Fraction(random.choice(["1", "6/5", "3/2", "2"]))
    model = maker.model()
    proves: list[Any] = []
    parts: dict[str, Any] = {}
    graph = maker.graph("s0", "s1", alpha, random.randint(1, 12), random.randint(0, 6))
    if maker.copied and seed % 2:
        parts["unseen"] = [entries({i: Fraction(1), j: Fraction(-1)}) for i, j in maker.copied.items()]
    parts |= graph
    (low, high, *_), (low2, high2, *_) = graph["values"][0][1:3]
    bounds = {"upper": str(max(Fraction(high), Fraction(high2))), "lower": str(max(Fraction(low), Fraction(low2)))}
    proves.append({"claim": "delta", "pair": ["s0", "s1"], "node": 0, **bounds})
    claims, place = maker.claims(alpha, random.randint(1, 6))
    if ("s0", "s1") in place:
        parts["claims"] = claims
        both = [[[place["s0", "s1"], 1]], [[place["s1", "s0"], 1]]]
        worth = max(Fraction(claims[place[p]][1]) for p in (("s0", "s1"), ("s1", "s0")))
        proves.append({"claim": "delta", "pair": ["s0", "s1"], "covers": both, "upper": str(worth)})
        if worth < 1:
            proves.append({"claim": "delta", "pair": ["s1", "s0"], "covers": both[::-1], "below": "1"})
    apart = [p for p in product(maker.label, repeat=2) if maker.label[p[0]] != maker.label[p[1]]]
    if apart:
        proves.append({"claim": "delta", "pair": [*apart[0]], "upper": "1", "lower": "1"})
    proves += list(words(maker, random))
    return model, certificate_about(model, text(alpha), **parts, proves=proves)


def words(maker: Maker, random: Random) -> Iterator[dict[str, Any]]:
    """The ratio of two states along a random word."""
    beliefs: list[Vector] = [{"s0": Fraction(1)}, {"s1": Fraction(1)}]
    word = ["a"]
    for _ in range(random.randint(1, 5)):
        if not beliefs[0]:
            return
        asked = random.choice(maker.inputs(beliefs[0]))
        parts = [maker.after(v, asked) if v else {} for v in beliefs]
        if not beliefs[1] and asked:
            return
        letter = random.choice(sorted(parts[0]))
        word += [asked, letter] if asked else [letter]
        beliefs = [part.get(letter, {}) for part in parts]
    x, y = map(mass, beliefs)
    lower: dict[str, Any] = {"lower": str(x / y)} if y else {"lower": "infinity", "delta": str(x)}
    yield {"claim": "ratio", "pair": ["s0", "s1"], "first": "s0", "words": word, **lower}


def merged_case(seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Copies merged into one, and a view whose observer does not tell two labels apart."""
    random = Random(seed)
    maker = Maker(random, copies=True)
    alpha = Fraction(random.choice(["1", "6/5", "2"]))
    model = maker.model()
    blocks: dict[str, list[str]] = {}
    for twin, state in maker.copied.items():
        blocks.setdefault(state, [state]).append(twin)
    quotient = copy.deepcopy(maker)
    quotient.random = random
    first = dict(maker.copied)
    quotient.label = {i: a for i, a in maker.label.items() if i not in first}
    quotient.rows = {}
    for i in quotient.label:
        quotient.rows[i] = {}
        for k, row in maker.rows[i].items():
            into: Vector = {}
            for j, p in row.items():
                into[first.get(j, j)] = into.get(first.get(j, j), Fraction(0)) + p
            quotient.rows[i][k] = into
    # An added state: half of s0 and half of s1, with the row that goes with it.
    mixed: Vector = {}
    for state in ("s0", "s1"):
        for j, p in quotient.rows[state][""].items():
            mixed[j] = mixed.get(j, Fraction(0)) + p / 2
    graph = quotient.graph("s0", "s1", alpha, 8, 4)
    claims, place = quotient.claims(alpha, 3)
    half = [["mixed", "1"], ["s0", "-1/2"], ["s1", "-1/2"]]
    claims.append([half, "0", "step", []])
    parts = {"merge": [*blocks.values()], "states": {"mixed": ["a", entries(mixed)]}, **graph, "claims": claims}
    (low, high, *_), (low2, high2, *_) = graph["values"][0][1:3]
    bounds = {"upper": str(max(Fraction(high), Fraction(high2))), "lower": str(max(Fraction(low), Fraction(low2)))}
    proves: list[Any] = [{"claim": "delta", "pair": ["s0", "s1"], "node": 0, **bounds}]
    n = len(claims) - 1  # it is cited up and down, which costs nothing
    covers = [[[place[pair], "1"], [n, "1/3"], [n, "-1/3"]] for pair in (("s0", "s1"), ("s1", "s0"))]
    worth = max(Fraction(claims[place[pair]][1]) for pair in (("s0", "s1"), ("s1", "s0")))
    proves.append({"claim": "delta", "pair": ["s0", "s1"], "covers": covers, "upper": str(worth)})
    proves += [{"claim": "delta", "pair": [t, s], "upper": "0"} for t, s in list(maker.copied.items())[:1]]
    coarse = copy.deepcopy(maker)
    coarse.random = random
    seen = {"c": "b"} if "c" in maker.label.values() else {"b": "a"} if "b" in maker.label.values() else {}
    if seen:
        coarse.label = {i: seen.get(a, a) for i, a in maker.label.items()}
        view = {"labels": seen, **coarse.graph("s0", "s1", alpha, 6, 3)}
        (low, high, *_), (low2, high2, *_) = view["values"][0][1:3]
        bounds = {"upper": str(max(Fraction(high), Fraction(high2))), "lower": str(max(Fraction(low), Fraction(low2)))}
        proves.append({"claim": "delta", "view": "dim", "pair": ["s0", "s1"], "node": 0, **bounds})
        return model, certificate_about(model, text(alpha), **parts, views={"dim": view}, proves=proves)
    return model, certificate_about(model, text(alpha), **parts, proves=proves)


def changed(random: Random, document: dict[str, Any]) -> dict[str, Any]:
    """The document with one entry changed: a number, a place, a name, or a list cut short."""
    found = copy.deepcopy(document)
    paths = [path for path in places(found) if path[:1] not in (("model",), ("format",))]
    path = random.choice(paths)
    inside: Any = found
    for step in path[:-1]:
        inside = inside[step]
    value = inside[path[-1]]
    inside[path[-1]] = another(random, value)
    if random.random() < 0.1 and isinstance(inside, list) and len(inside) > 1:
        del inside[path[-1]]
    return found


def another(random: Random, value: Any) -> Any:
    if isinstance(value, int):
        return value + random.choice([-1, 1, 2])
    if isinstance(value, str):
        try:
            number = Fraction(value)
        except ValueError:
            return random.choice(["s0", "s1", "s2", "a", "b", "step", "now", "p", "q"])
        return text(
            random.choice([number + 1, number / 2, number * 2, -number, number - Fraction(1, 100), Fraction(0)])
        )
    return value


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The ways to every number and text."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from places(each, (*path, key))
    elif isinstance(value, list):
        for n, each in enumerate(value):
            yield from places(each, (*path, n))
    elif value is not None:
        yield path


def guess_case(seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Runs that go round together, leave by letters of their own chances, and end at one state or go round for ever."""
    random = Random(seed)
    runs = random.randint(2, 4)
    stay = Fraction(random.randint(0, 3), 4)
    letters = ["x", "y", "z"][: random.randint(1, 3)]
    states: dict[str, Any] = {}
    leave: list[Vector] = []
    for r in range(runs):
        shares = [random.randint(0 if n else 1, 3) for n in range(len(letters) + 1)]
        chance = {a: (1 - stay) * Fraction(n, sum(shares)) for a, n in zip([*letters, "u"], shares, strict=True)}
        leave.append(chance)
        to = {f"go{r}": stay, **{a: chance[a] for a in letters}, f"u{r}": chance["u"]}
        states[f"go{r}"] = {"label": "go", "to": {j: text(p) for j, p in to.items() if p}}
        states[f"u{r}"] = {"label": "u", "to": {f"v{r}": 1}}
        states[f"v{r}"] = {"label": "v", "to": {f"u{r}": "1/2", f"v{r}": "1/2"}}
    states |= {a: {"label": a, "to": {a: 1}} for a in letters}
    model = {"format": "deltachain.chain/1", "states": states}
    beliefs: list[Any] = [[[f"go{r}", "1"]] for r in range(runs)]
    shown = [a for a in [*letters, "u"] if any(chance[a] for chance in leave)]
    graph: list[Any] = [[[*range(runs)], {a: n + 1 for n, a in enumerate(shown)} | ({"go": 0} if stay else {})]]
    for a in shown:
        graph.append([[len(beliefs) + r for r in range(runs)]])
        named = [f"u{r}" if a == "u" else a for r in range(runs)]
        beliefs += [[[j, text(2 * c[a])]] if c[a] else [] for j, c in zip(named, leave, strict=True)]
    rounds = 1 / (1 - stay)
    visits = [rounds] + [rounds / 2] * len(shown)
    if "u" in shown:  # a class: u, v, v, u, …, of the same shares
        place = len(graph) - 1
        graph[place] += [{"v": place + 1}, "class"]
        graph.append([[len(beliefs) + r for r in range(runs)], {"u": place, "v": place + 1}, "class"])
        beliefs += [[[f"v{r}", text(c["u"])]] if c["u"] else [] for r, c in enumerate(leave)]
        visits.append(Fraction(0))
    ends = [[rounds * c[a] for c in leave] for a in shown]
    parts = {"beliefs": beliefs, "graph": graph, "visits": [{"start": [0], "from": 0, "visits": [*map(text, visits)]}]}
    proves = []
    for _ in range(2):
        chosen = sorted(random.sample(range(runs), random.randint(2, runs)), key=lambda _: random.random())
        drawn = [random.randint(1, 4) for _ in chosen]
        prior = [Fraction(n, sum(drawn)) for n in drawn]
        claim: dict[str, Any] = {"claim": "guess", "secrets": [f"go{r}" for r in chosen], "prior": [*map(text, prior)]}
        weighted = [[p * end[r] for p, r in zip(prior, chosen, strict=True)] for end in ends]
        if random.random() < 0.5:
            count = random.randint(1, len(chosen))
            worth = sum((sum(sorted(each)[-count:], Fraction(0)) for each in weighted), Fraction(0))
            claim["guesses"] = count
        else:
            gains = [[Fraction(random.randint(-2, 4), 2) for _ in chosen] for _ in range(random.randint(1, 4))]
            worth = sum(
                (
                    max(sum((g * w for g, w in zip(row, each, strict=True)), Fraction(0)) for row in gains)
                    for each in weighted
                ),
                Fraction(0),
            )
            claim["gains"] = [[*map(text, row)] for row in gains]
        proves.append(claim | {"visits": 0, "lower": text(worth), "upper": text(worth)})
    return model, certificate_about(model, "1", extensions=["measures"], **parts, proves=proves)


def along_cycles(kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The ratio of two states along words a, aa, aaa, …: what it comes to, or that it grows without end."""
    rows: dict[str, dict[str, str]] = {"e": {"e": "1"}}
    claim: dict[str, Any] = {"claim": "ratio", "pair": ["s", "t"], "first": "s", "lower": "infinity"}
    words: dict[str, Any] = {"prefix": ["a"], "cycle": ["a"]}
    if kind == "pump":
        rows |= {"s": {"s": "2/3", "e": "1/3"}, "t": {"t": "1/3", "e": "2/3"}}
        words |= {"more": [["s", 1]], "less": [["t", "1"]], "growth": "2/3", "decay": "1/3", "times": 0}
    elif kind == "fed":  # the one feeds another that decays as fast: n times as much after n rounds
        rows |= {
            "s": {"r": "1"},
            "r": {"r": "1/2", "b": "1/2"},
            "b": {"b": "1/2", "e": "1/2"},
            "t": {"t": "1/2", "e": "1/2"},
        }
        words |= {"more": [["b", "1/2"]], "feeds": [["r", 1]], "less": [["t", 1]]}
        words |= {"growth": "1/2", "decay": "1/2", "times": 1}
    else:
        rows |= {"s": {"s": "1/2", "t": "1/2"}, "t": {"s": "1/4", "t": "1/4", "e": "1/2"}, "d": {"e": "1"}}
        words |= {"factor": "3/4", "rate": "1/10", "vector": [["s", "4/3"], ["t", "2/3"]], "one": ["-1/3"]}
        words |= {"rest": [[["s", 1], ["t", -1]]], "matrix": [["0"]], "sizes": ["1"]}
        claim["lower"] = "2"
        if kind == "vanishing":  # the other run ends after one letter
            claim |= {"pair": ["s", "d"], "lower": "infinity"}
            words |= {"one": ["-1/3", 1], "rest": [*words["rest"], [["d", 1]]], "sizes": [1, 1]}
            words["matrix"] = [["0", "0"], ["0", "0"]]
    states = {i: {"label": "e" if i == "e" else "a", "to": row} for i, row in rows.items()}
    model = {"format": "deltachain.chain/1", "states": states}
    return model, certificate_about(model, "1", proves=[claim | {"words": words}])


def parametric(field: Any, bound: str, alpha: str = "1") -> tuple[dict[str, Any], dict[str, Any]]:
    """Two biased coins, one the other turned round: of a bias u in a part of (1/10, 9/10)."""
    states = {
        "s": {"label": "go", "to": {"h": "u", "g": "1 - u"}},
        "t": {"label": "go", "to": {"h": "(1 - u^2)/(1 + u)", "g": "u*1"}},
        "h": {"label": "h", "to": {"h": 1}},
        "g": {"label": "g", "to": {"g": 1}},
    }
    model = {"format": "deltachain.chain/1", "parameter": {"u": ["0.1", "9/10"]}, "states": states}
    return model, certificate_about(
        model,
        alpha,
        field=field,
        beliefs=[[["s", "1"]], [["t", 1]], [["h", "0 1"]], [["h", "1 -1"]], [["g", "1 -1"]], [["g", "0 1"]]],
        graph=[[[0, 1], {"h": 1, "g": 2}], [[2, 3]], [[4, 5]]],
        values=[[0, bound, bound], [1, bound, [None, "0"]], [2, [None, "0"], bound]],
        proves=[
            {"claim": "delta", "pair": ["s", "t"], "node": 0, "upper": bound, "lower": bound},
            {"claim": "ratio", "pair": ["s", "t"], "first": "s", "words": ["go", "h"], "lower": "0 1/1 -1"},
        ],
    )
