"""Certificates of today in the words of format 1, for tests of its frozen checker: nodes, flows, prices, recipes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from deltachain.certificate.claims import as_exact
from deltachain.certificate.record import OLDER
from deltachain.certificate.rejection import ours
from deltachain.certificate.verification import Seen
from deltachain.errors import CertificateRejected
from deltachain.model.components import components
from deltachain.numbers.exponential import as_exponential, coefficients, polynomials
from deltachain.numbers.field import Exact, ends, rational
from deltachain.numbers.fraction import format_fraction
from deltachain_checker.certificate import FORMAT
from deltachain_checker.claims import DISTANCES
from deltachain_checker.graph import difference
from deltachain_checker.model import Model, Vector, merged, unit
from deltachain_checker.numbers import AtExponential, Rationals

NOT_IN_FORMAT_1 = "this rule has no words in format 1"

OLDER_ROW_BITS = 30
"""Of format 1, where none are named; its theorems for rational rows are about these."""
BEYOND = ("views", "states", "unseen", "visits")


@ours()
def older_form(seen: Seen, data: Any) -> Any:
    """The same claims of a document in format 1; the document itself if that is its format already."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        return data
    for part in BEYOND:
        if part in data:
            raise CertificateRejected(part, NOT_IN_FORMAT_1)
    if "parameter" in data.get("field", {}):
        raise CertificateRejected("field", NOT_IN_FORMAT_1)
    try:
        return _Older(seen.model, data).document()
    except CertificateRejected:
        raise
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as problem:
        raise CertificateRejected("certificate", f"malformed: {problem!r}") from problem


@dataclass(frozen=True)
class _Older:
    """A certificate, its claims about distances, nodes and their values."""

    given: Model
    data: Mapping[str, Any]

    def document(self) -> dict[str, Any]:
        """All of it."""
        found: dict[str, Any] = {"format": OLDER, "model": self.data["model"]} | self.header()
        if "merge" in self.data:
            found["merge"] = self.data["merge"]
        if self.claims or "distances" in self.data:
            found |= {"kind": self.kind, "distances": [self.distance(n) for n in range(len(self.claims))]}
            found["prices"] = self.data.get("distances", {}).get("prices", [])
        if self.data.get("graph"):
            found |= {"nodes": [self.node(*entry) for entry in self.data["graph"]]}
            found |= {"upper": [*self.upper()], "lower": [*self.lower()]}
        if "recipes" in self.data:
            if not all(isinstance(self.field.read(number), Fraction) for number in self.sides.values()):
                raise CertificateRejected("recipes", f"at e^ε itself: {NOT_IN_FORMAT_1}")
            bits, row_bits = self.data["units"]
            found |= {"bits": bits} | ({} if row_bits == OLDER_ROW_BITS else {"row_bits": row_bits})
            found |= {part: self.data[part] for part in ("vectors", "recipes") if part in self.data}
        return found | {"claims": [self.claim(each) for claim in self.data["proves"] for each in self.every(claim)]}

    @cached_property
    def field(self) -> Rationals:
        """That of the numbers."""
        base = self.data.get("field", {}).get("base")
        return Rationals() if base is None else AtExponential(base)

    @cached_property
    def model(self) -> Model:
        """After merging."""
        return merged(self.given.over(self.field), self.data.get("merge", []))[0]

    @property
    def kind(self) -> str:
        """That of the distances; sd, where claims are about none: of it, complements may be cited too."""
        return str(self.data["distances"]["kind"]) if "distances" in self.data else "sd"

    @property
    def claims(self) -> Sequence[Any]:
        """The covers."""
        return self.data.get("claims", [])  # type: ignore[no-any-return]

    @cached_property
    def alpha(self) -> Any:
        """e^ε of upper bounds."""
        return self.field.read(self.sides["upper"])

    @property
    def sides(self) -> Mapping[str, Any]:
        """e^ε of upper and lower bounds."""
        given = self.data.get("alpha", "1")
        return given if isinstance(given, dict) else {"upper": given, "lower": given}

    def header(self) -> dict[str, Any]:
        """e^ε, and the base."""
        exact = {side: as_exact(self.field.read(value)) for side, value in self.sides.items()}
        around = {"upper": max(ends(exact["upper"])[0], Fraction(1)), "lower": ends(exact["lower"])[1]}
        found: dict[str, Any] = {"exp_epsilon": {side: format_fraction(value) for side, value in around.items()}}
        if isinstance(self.field, AtExponential):
            found["base"] = str(self.field.x)
            if exact["upper"] == exact["lower"]:
                found["alpha"] = older_number(self.sides["upper"])
        return found

    def every(self, claim: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """The claim; of all distances, that of each pair."""
        if "pairs" not in claim:
            yield claim
            return
        above = {(s, t): {"upper": v} for ((s, t), v, *_) in self.claims}
        below = {(s, t): {"lower": v} for s, t, v, *_ in self.data["distances"].get("prices", [])}
        for pair in {**above, **below}:
            yield {"claim": claim["claim"], "pair": [*pair], **above.get(pair, {}), **below.get(pair, {})}

    def claim(self, claim: Mapping[str, Any]) -> dict[str, Any]:
        """One of those that are proved."""
        what = claim["claim"]
        # In format 1 the recipes, and the distance, of a claim's two states count without being cited.
        covered = "covers" in claim and "recipes" not in claim
        if covered or what not in ("delta", *DISTANCES):
            raise CertificateRejected(str(what), NOT_IN_FORMAT_1)
        bounds = {side: older_number(claim[side]) for side in ("lower", "upper") if side in claim}
        node = {"node": str(claim["node"])} if "node" in claim else {}
        return {"claim": "delta" if what == "delta" else "distance", "pair": claim["pair"]} | node | bounds

    # Distances

    def pair(self, n: int) -> tuple[str, str]:
        """What a claim is about."""
        s, t = self.claims[n][0]
        if not (isinstance(s, str) and isinstance(t, str)):
            raise CertificateRejected(f"claim {n}", f"a pair of states: {NOT_IN_FORMAT_1}")
        return s, t

    def distance(self, n: int) -> list[Any]:
        """A claim as a distance, with a flow for each input."""
        (s, t), (_, value, rule, given) = self.pair(n), self.claims[n]
        if rule != "step":
            raise CertificateRejected(f"claim {n}", f"a step: {NOT_IN_FORMAT_1}")
        start = difference(unit(s), self.alpha, unit(t))
        flows = {
            asked: self.flow([*self.model.after(start, asked).values()], cover, complement=self.kind == "sd")
            for asked, cover in self.model.by_input(f"claim {n}", s, given).items()
        }
        return [s, t, older_number(value), *flows.get(None, [flows])]

    def flow(self, parts: Iterable[Vector], cover: Any, *, complement: bool = False) -> list[Any]:
        """Arcs, and what is left as η; complements are arcs of their own."""
        left = {i: x for part in parts for i, x in part.items()}
        arcs: tuple[list[Any], list[Any]] = [], []
        for n, amount in cover:
            (s, t), c = self.pair(n), self.field.read(amount)
            arcs[0 if self.field.nonneg(c) else 1].append([s, t, self.shown(c if self.field.nonneg(c) else -c)])
            for i, x in ((s, c), (t, -self.alpha * c)):
                left[i] = left.get(i, Fraction(0)) - x
        eta = [[i, self.shown(x)] for i, x in left.items() if self.field.positive(x)]
        if arcs[1] and not complement:
            raise CertificateRejected("cover", f"no complements: {NOT_IN_FORMAT_1}")
        return [arcs[0], eta, *([arcs[1]] if arcs[1] else [])]

    def shown(self, value: Any) -> Any:
        """A number that was computed here."""
        return in_powers(as_exact(value), self.data.get("field", {}).get("base", 1))

    # Nodes

    def node(self, places: Sequence[int], *_: Any) -> list[Any]:
        """Its beliefs."""
        x, y = ([[i, older_number(value)] for i, value in self.data["beliefs"][place]] for place in places)
        return [x, y]

    def upper(self) -> Iterable[list[Any]]:
        """Bounds from above."""
        for n, *values, covers in self.values:
            children = self.children(n)
            for way, value in enumerate(values):
                most = value[1] if isinstance(value, list) else value
                if most is None:
                    continue
                rule: list[Any] = ["same"] if covers is None else ["flow", *self.flow(self.gap(n, way), covers[way])]
                yield [n, way, older_number(most), *(rule if children is None else ["step", children])]

    def gap(self, n: int, way: int) -> list[Vector]:
        """X − αy at a node."""
        read = self.field.read
        beliefs = [self.model.vector(self.data["beliefs"][place], read) for place in self.data["graph"][n][0]]
        x, y = beliefs[::-1] if way else beliefs
        return [difference(x, self.alpha, y)]

    @property
    def values(self) -> Iterable[Sequence[Any]]:
        """Node, both values, covers or None."""
        return (entry if len(entry) == 4 else [*entry, None] for entry in self.data["values"])

    def children(self, n: int) -> Any:
        """By letter, and by input where there are any; None of a leaf."""
        entry = self.data["graph"][n]
        return entry[1] if len(entry) > 1 else None

    def lower(self) -> Iterable[list[Any]]:
        """Bounds from below: by their gaps where no more is learned, and by steps, whose ranks lead there."""
        for way in (0, 1):
            values = {n: both[way] for n, *both, _ in self.values}
            asked = {
                n: value[2] if isinstance(value, list) and len(value) == 3 else None for n, value in values.items()
            }
            following = {n: self.following(n, asked[n]) for n in values}
            ranks = _ranks(following)
            for n, value in values.items():
                least = value[0] if isinstance(value, list) else value
                if least is None:
                    continue
                if ranks[n] == 0:
                    yield [n, way, older_number(least), "gap"]
                    continue
                named = [] if asked[n] is None else [asked[n]]
                yield [n, way, older_number(least), "step", following[n], ranks[n], *named]

    def following(self, n: int, asked: str | None) -> dict[str, int]:
        """By letter, the nodes after it."""
        children = self.children(n)
        if children is None or asked is None:
            return dict(children or {}) if self.model.inputs(self.state(n)) == [None] else {}
        return dict(children[asked])

    def state(self, n: int) -> str:
        """One of the node."""
        return str(next(i for place in self.data["graph"][n][0] for i, _ in self.data["beliefs"][place]))


def _ranks(following: Mapping[int, Mapping[str, int]]) -> dict[int, int]:
    """Steps to the nearest node that leads nowhere, or is in a class that is never left; such nodes have rank 0."""
    place = {n: k for k, n in enumerate(following)}
    nodes = [*following]
    leads = [[place[m] for m in following[n].values() if m in place] for n in nodes]
    rank: dict[int, int] = {}
    for group in components(leads):
        if all(k in group for n in group for k in leads[n]):
            rank |= dict.fromkeys((nodes[k] for k in group), 0)
    before: dict[int, list[int]] = {}
    for k, after in enumerate(leads):
        for m in after:
            before.setdefault(m, []).append(k)
    layer = [place[n] for n in rank]
    while layer:
        found = []
        for m in layer:
            for k in before.get(m, ()):
                if nodes[k] not in rank:
                    rank[nodes[k]] = rank[nodes[m]] + 1
                    found.append(k)
        layer = found
    return rank


def older_number(value: Any) -> Any:
    """A number as format 1 has it: text p/q as it is, coefficients in lists.

    >>> older_number("1/2"), older_number("1/1 0 1"), older_number("0 1")
    ('1/2', [['1'], ['1', '0', '1']], [['0', '1'], ['1']])
    """
    if not isinstance(value, str) or " " not in value:
        return value
    top, _, bottom = value.partition("/")
    return [top.split(), (bottom or "1").split()]


def in_powers(number: Exact, k: int) -> str | list[list[str]]:
    """The number as a certificate of format 1 has it: p/q, or lists of the coefficients in e^(1/k)."""
    known = rational(number)
    if known is not None:
        return format_fraction(known)
    return [[format_fraction(c) for c in coefficients(part)] for part in polynomials(as_exponential(number), k)]
