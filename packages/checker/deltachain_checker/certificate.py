"""The certificate: read, checked by the rules, and what it proves (docs/certificate.md).

It is about one model, over one field. A *view* is what is proved of the chain as an observer sees it: of the chain
itself, or of one whose observer sees less, where a view names coarser labels. A claim of ``proves`` is about a view.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .claims import Claim, name_of
from .covers import Bound, Covers, Unseen
from .document import keys, lists, refusing_what_is_malformed
from .errors import CertificateRejected, need
from .graph import Graph, Values, Visits
from .growth import Words, least_ratio
from .meter import Meter, metered
from .model import Model, ModelFile, extended, merged, relabelled, unit
from .numbers import ONE, ZERO, AtExponential, OnInterval, Rationals, rational

if TYPE_CHECKING:
    from types import ModuleType

    from .distances import Distances
    from .outcomes import Outcomes
    from .recipes import Recipes
    from .splits import Split

FORMAT = "deltachain.certificate/2"
MECHANISM = "deltachain.mechanism/1"
"""The format of models that are mechanisms of integers (extension "integers")."""
HEADER = ("format", "model", "field", "alpha", "extensions", "views", "proves")
PARTS = (
    *("labels", "merge", "states", "unseen", "claims", "beliefs", "graph", "values", "visits", "distances"),
    *("units", "vectors", "recipes", "split", "outcomes"),
)
"""What a view may have; what the certificate has of these itself is the view of the chain's own labels."""
EXTENSIONS = {
    "distances": ("bd", "ld", "sd"),
    "limits": (),
    "measures": ("renyi", "kl", "tradeoff", "guess"),
    "outcomes": (),
    "parts": (),
    "recipes": (),
    "splits": (),
}
"""Rules beside the core, by name, and the claims that they are for: a certificate names those that it uses."""
WITHIN_LIMITS = ("labels", "merge", "units", "vectors", "recipes")
"""The parts that a model may have whose rows are known within limits alone; claims are then about δ."""
BOUNDS = ("lower", "upper", "below", "above")
"""Of a claim; ``below`` and ``above`` are strict."""


@dataclass(frozen=True)
class View:
    """What a certificate has about the chain, as it is or with coarser labels; a part is checked once, when cited."""

    model: Model
    """The chain after merging, with added states."""
    first: Mapping[str, str]
    """By state of the chain, the first of its block."""
    data: Mapping[str, Any]
    alpha: tuple[Any, Any]
    """e^ε for upper and for lower bounds."""
    loops: ModuleType | None
    """Compiled inner loops of recipes, if there are any."""

    @classmethod
    def of(cls, model: Model, data: Mapping[str, Any], alpha: tuple[Any, Any], loops: ModuleType | None) -> View:
        """The view, once blocks are bisimilar, and rows of added states are rows."""
        others = [] if not model.limited else [part for part in PARTS if part in data and part not in WITHIN_LIMITS]
        need(not others, "model", "exact rows: within limits there are recipes alone", others)
        seen = relabelled(model, data["labels"]) if "labels" in data else model
        quotient, first = merged(seen, data.get("merge", []))
        return cls(extended(quotient, data.get("states", {}), first), first, data, alpha, loops)

    def part(self, name: str) -> Sequence[Any]:
        """A list of the certificate."""
        found = self.data.get(name, [])
        need(isinstance(found, list), name, "malformed: a list")
        return found  # type: ignore[no-any-return]

    @cached_property
    def unseen(self) -> Unseen:
        """Vectors that no event sees, checked."""
        read = self.model.field.read
        found = Unseen(self.model, [self.model.vector(entries, read) for entries in self.part("unseen")])
        found.check()
        return found

    @cached_property
    def graph(self) -> Graph:
        """Nodes, whose steps are checked where they are used."""
        return Graph(self.model, self.part("beliefs"), self.part("graph"), self.unseen)

    @cached_property
    def covers(self) -> Covers:
        """Claims, not yet checked."""
        return Covers(self.model, self.part("claims"), self.alpha[0], self.unseen, self.bound_at)

    def bound_at(self, cited: Any) -> Bound:
        """What the graph says of [node, direction]."""
        return self.values.bound(cited)

    @cached_property
    def values(self) -> Values:
        """Values of nodes, not yet checked."""
        return Values(self.graph, self.part("values"), self.covers, self.alpha[1])

    @cached_property
    def visits(self) -> list[Visits]:
        """Visits, each checked when a claim cites it."""
        for each in self.part("visits"):
            keys(each, "visits", "start", "from", "nodes", "visits")
        return [Visits(self.graph, f"visits {n}", each) for n, each in enumerate(self.part("visits"))]

    @cached_property
    def distances(self) -> Distances:
        """Distances, checked when a claim cites them."""
        from .distances import Distances  # few certificates have any

        return Distances(self.covers, self.data["distances"], self.alpha[0])

    @cached_property
    def recipes(self) -> Recipes:
        """Recipes, each replayed when a claim cites it."""
        from .recipes import Recipes  # few certificates have any

        return Recipes(self.model, self.part, self.alpha, self.loops)

    @cached_property
    def outcomes(self) -> list[Outcomes]:
        """Words that the runs of many states show, checked when a claim cites them."""
        from .outcomes import Outcomes  # few certificates have any

        return [Outcomes(self.model, each, self.first) for each in self.part("outcomes")]

    @cached_property
    def split(self) -> Split:
        """Groups of states that letters tell apart, checked when a claim cites it."""
        from .splits import Split  # few certificates have any

        return Split(self.model, self.data["split"], self.unseen)

    def check(self) -> None:
        """Every claim and value by its rule; together, for they rest on each other."""
        self.covers.check()
        self.values.check()

    def blocks(self, name: str, pair: Any) -> tuple[str, str]:
        """The two states of a claim, after merging."""
        ((s, t),) = lists([pair], 2)
        need({s, t} <= self.first.keys(), name, "known states", [s, t])
        return self.first[s], self.first[t]

    def delta(self, name: str, claim: Any) -> tuple[Any, list[Any]]:
        """A bound on δ from below, and all that are at most one from above."""
        s, t = self.blocks(name, claim["pair"])
        if self.model.label[s] != self.model.label[t]:
            return ONE, [ONE]  # the first letter tells
        if s == t:
            return ZERO, [ZERO]
        ways = (s, t), (t, s)
        low, high = ZERO, [ONE, ONE]
        if "covers" in claim:
            need(len(claim["covers"]) == 2, name, "two covers, one for each direction")
            high = [self.cost(name, *way, self.alpha[0], claim["covers"][k]) for k, way in enumerate(ways)]
        if "node" in claim:
            node = self.graph.node(name, claim["node"])
            pair = [belief.exact() for belief in node.beliefs]
            need(pair == [unit(s), unit(t)], name, "the node of its two states", claim["node"])
            found = [self.values.known.get((claim["node"], way)) for way in (0, 1)]
            need(all(found), name, "values of the node of its two states", claim["node"])
            if "covers" not in claim:
                high = [ONE if value.most is None else value.most for value in found if value]
            low = self.largest([value.least for value in found if value and value.least is not None])
        if "split" in claim:
            below, above = self.split.bounds(name, (s, t), self.values, claim["split"])
            low, high = self.largest([low, *below]), self.smallest(high, above)
        if "recipes" in claim:
            replayed = [self.recipes.bounds(name, *way, claim["recipes"]) for way in ways]
            low = self.largest([low, *(least for least, _ in replayed)])
            high = self.smallest(high, [most for _, most in replayed])
        return low, high

    def largest(self, bounds: Sequence[Any]) -> Any:
        """The largest of bounds from below, or 0; over Q(u) one of those that are at least the others, or the first."""
        best = ZERO
        for bound in bounds:
            best = bound if self.model.field.nonneg(bound - best) else best
        return best

    def smallest(self, one: Sequence[Any], other: Sequence[Any]) -> list[Any]:
        """In each direction the smaller of two bounds from above; over Q(u) the first, where that is not told."""
        pairs = zip(one, other, strict=True)
        return [second if self.model.field.nonneg(first - second) else first for first, second in pairs]

    def cost(self, name: str, s: str, t: str, alpha: Any, cover: Any) -> Any:
        """What a cover of e_s − α·e_t costs."""
        w = self.model.field.over_integer({s: ONE, t: -alpha})
        return self.covers.cost(name, [(ONE, w)], cover, len(self.covers.claims))

    def distance(self, name: str, claim: Any) -> tuple[Any, list[Any]]:
        """Bounds on a distance."""
        s, t = self.blocks(name, claim["pair"])
        need(self.alpha[0] == self.alpha[1], name, "one e^ε: only δ is sure to fall with it")
        kind = self.distances.kind
        need(claim["claim"] == kind, name, f"a claim about {kind}", claim["claim"])
        if self.model.label[s] != self.model.label[t]:
            return ONE, [ONE]
        above, below = self.distances.above, self.distances.below
        return below.get((s, t), (ZERO, 0))[0], [ZERO if s == t else above.get((s, t), ONE)]

    def ratio(self, name: str, claim: Any) -> tuple[Any, list[Any]]:
        """Bounds on the largest likelihood ratio; None where it is infinite."""
        s, t = self.blocks(name, claim["pair"])
        high: list[Any] = []
        if "upper" in claim:
            bound = self.model.field.read(claim["upper"])
            alike = self.model.label[s] == self.model.label[t] and self.model.field.nonneg(bound - 1)
            need(alike, name, "two states of one label, and a bound of at least 1", bound)
            need(s == t or len(claim["covers"]) == 2, name, "two covers, one for each direction")
            for k, way in enumerate(((s, t), (t, s)) if s != t else ()):
                cost = self.cost(name, *way, bound, claim["covers"][k])
                need(self.model.field.nonneg(-cost), name, "a cover that costs nothing", cost)
            high = [bound]
        if "first" not in claim:
            return ONE, high
        need(claim["first"] in claim["pair"], name, "first: one of the two states", claim["first"])
        states = (s, t) if claim["first"] == claim["pair"][0] else (t, s)
        return least_ratio(self.model, name, states, claim["words"]), high


OF_A_PART = ("visits", "from", "after", "to", "before")
"""What a claim about δ has for a part of the interval of a parameter."""
OF_KEYS = {"outcomes": "outcomes", "split": "splits", "recipes": "recipes"}
"""The extensions that claims use by these keys."""
CLAIMS = {
    "delta": ("pair", "node", "covers", "recipes", "split", *OF_A_PART, *BOUNDS),
    "ratio": ("pair", "covers", "first", "words", "delta", "lower", "upper"),
    **dict.fromkeys(EXTENSIONS["distances"], ("pair", *BOUNDS)),
}
"""What each claim may have beside ``claim`` and ``view``."""


@dataclass(frozen=True)
class Certificate:
    """A certificate about a model: its views, and the claims that follow."""

    model: Model
    data: Mapping[str, Any]
    alpha: tuple[Any, Any]
    loops: ModuleType | None = None

    @classmethod
    def of(cls, given: Model | ModelFile, data: Any, loops: ModuleType | None = None) -> Certificate:
        """The certificate, once it is one about this model; nothing else in it is checked yet."""
        need(isinstance(data, dict) and data.get("format") == FORMAT, "file", f"an object of format {FORMAT}")
        keys(data, "file", *HEADER, *PARTS)
        field = field_of(data.get("field", {}))
        model = given.over(field)
        need(data.get("model") == (ours := model.sha256()), "model", "the certificate's model", data.get("model"), ours)
        alpha = data.get("alpha", "1")
        sides = keys(alpha, "alpha", "upper", "lower") if isinstance(alpha, dict) else {"upper": alpha, "lower": alpha}
        upper, lower = (field.read(sides[side]) for side in ("upper", "lower"))
        # Named after the side that they serve: δ falls in e^ε, so that the smaller one is for upper bounds.
        need(field.nonneg(upper - 1) and field.nonneg(lower - upper), "alpha", "1 ≤ upper ≤ lower", upper, lower)
        used = data.get("extensions", [])
        known = isinstance(used, list) and all(isinstance(name, str) for name in used) and {*used} <= EXTENSIONS.keys()
        need(known, "extensions", "known extensions", used)
        need("limits" in used or not model.limited, "model", "the extension limits, which is not named")
        return cls(model, data, (upper, lower), loops)

    @cached_property
    def views(self) -> dict[str | None, View]:
        """By name; None for that of the chain's own labels."""
        given = self.data.get("views", {})
        found: dict[str | None, View] = {None: View.of(self.model, self.data, self.alpha, self.loops)}
        for name, parts in given.items():
            found[name] = View.of(self.model, keys(parts, f"view {name}", *PARTS), self.alpha, self.loops)
        return found

    @property
    def extensions(self) -> tuple[str, ...]:
        """Rules beside the core that it names."""
        return tuple(self.data.get("extensions", ()))

    def proved(self) -> list[Claim]:
        """The claims, all of them proved."""
        listed = self.data.get("proves", [])
        need(isinstance(listed, list) and listed, "proves", "a list, not empty")
        need("labels" not in self.data, "labels", "coarser labels in a view of their own")
        for view in self.views.values():
            view.check()
        return [said for claim in listed for said in self.concluded(claim)]

    def concluded(self, claim: Any) -> list[Claim]:
        """One claim, if it follows from what was checked; of all distances, one for each pair."""
        what, named = claim["claim"], claim.get("view")
        need(named in self.views, what, "a known view", named)
        need(what == "delta" or not self.model.limited, what, "δ alone, where rows are known within limits")
        # What has to be believed beside the core is said by who cites it.
        cited = [name for name, claims in EXTENSIONS.items() if what in claims]
        for name in cited + [name for key, name in OF_KEYS.items() if key in claim]:
            need(name in self.extensions, what, f"the extension {name}, which is not named")
        view = self.views[named]
        if what in EXTENSIONS["measures"]:
            return [self.measured(view, claim, {} if named is None else {"view": named})]
        need(what in CLAIMS, "proves", "a known claim", what)
        distance, terms = what in EXTENSIONS["distances"], self.terms_of(what, named)
        if distance and "pairs" in claim:
            keys(claim, what, "claim", "view", "pairs")
            need(claim["pairs"] == "all", what, "a pair, or all pairs", claim["pairs"])
            return self.all_distances(what, view, terms)
        if what == "delta" and "pairs" in claim:
            return self.deltas(what, view, claim, terms)
        keys(claim, what, "claim", "view", *CLAIMS[what])
        said = self.stated(claim, terms)
        if claim.keys() & {*OF_A_PART}:
            return [self.of_a_part(view, claim, said)]
        name = name_of(said)
        low, high = (view.distance if distance else getattr(view, what))(name, claim)
        return [self.bounded(view, claim, said, low, high)]

    def measured(self, view: View, claim: Any, terms: Mapping[str, Any]) -> Claim:
        """A claim about a divergence, a trade-off or a guess."""
        from . import measures  # few certificates have any

        stated = measures.stated(claim, self.model.field)
        said = replace(stated, terms={**stated.terms, **terms}, extensions=self.extensions)
        outcomes = [tuple(h * mass for mass in masses) for h, masses in self.endings(view, claim, said)]
        return measures.conclude(said, outcomes, self.model.field)

    def of_a_part(self, view: View, claim: Any, said: Claim) -> Claim:
        """A claim about δ at every value of a parameter in a part of its interval."""
        from . import parts  # few certificates have any

        name, others = name_of(said), claim.keys() & {"node", "covers", "recipes", "split"}
        need("parts" in self.extensions, said.measure, "the extension parts, which is not named")
        need(self.alpha[0] == self.alpha[1], name, "one e^ε")
        need(not others, name, "visits alone, for a part of an interval")
        endings = self.ends_at_once(view, name, claim["pair"]) or self.endings(view, claim, said)
        return parts.conclude(said, claim, endings, self.model.field, self.alpha[0])

    def bounded(self, view: View, claim: Any, said: Claim, low: Any, high: Sequence[Any]) -> Claim:
        """The claim, if its bounds follow from one from below, and from those from above."""
        name, field = name_of(said), self.model.field
        if low is None or said.infinite:
            need(said.infinite and low is None and not high, name, "an infinite ratio", low)
            self.check_at_every_epsilon(name, claim, view)
            return said
        need("delta" not in claim, name, "an infinite ratio, where δ is claimed for every ε")
        for side, bounds, way in (("upper", high, 1), ("below", high, 1), ("lower", [low], -1), ("above", [low], -1)):
            stated = said.terms.get(side) if side in ("below", "above") else getattr(said, side)
            for bound in bounds if stated is not None else ():
                room = way * (stated - bound)
                fits = field.nonneg(room) if side in ("upper", "lower") else field.positive(room)
                need(fits, name, f"the {side} bound", bound, stated)
        meet = high and all(field.nonneg(low - bound) for bound in high)
        return replace(said, value=low if meet else None)

    def all_distances(self, name: str, view: View, terms: Mapping[str, Any]) -> list[Claim]:
        """The bounds of every pair that distances have some of; of bd each pair once, in the order of the model."""
        need(self.alpha[0] == self.alpha[1] and view.distances.kind == name, name, "claims about this one, at one e^ε")
        above, below, field = view.distances.above, view.distances.below, self.model.field
        at, used, found = self.alpha[:1], self.extensions, []
        place = {state: n for n, state in enumerate(view.model.label)}
        for pair in {**above, **below}:
            need({*pair} <= view.first.keys(), name, "known states", [*pair])  # none that is added
            if name != "bd" or place[pair[0]] < place[pair[1]]:
                low, high = below[pair][0] if pair in below else ZERO, above.get(pair, ONE)
                value = low if field.nonneg(low - high) else None
                found.append(Claim(name, pair, low, high, value, at, terms=terms, extensions=used))
        return found

    def deltas(self, name: str, view: View, claim: Any, terms: Mapping[str, Any]) -> list[Claim]:
        """δ of many pairs that have the same bounds, from the words that they show."""
        keys(claim, name, "claim", "view", "pairs", "outcomes", "lower", "upper")
        cited, field, used = claim["outcomes"], self.model.field, self.extensions
        need(type(cited) is int and 0 <= cited < len(view.outcomes), name, "known outcomes", cited)
        outcomes, found = view.outcomes[cited], []
        low, high = (field.read(claim.get(side, bound)) for side, bound in (("lower", 0), ("upper", 1)))
        at = self.alpha[:1] if self.alpha[0] == self.alpha[1] else self.alpha
        for s, t in lists(claim["pairs"], 2):
            pair = outcomes.pair(name, s, t)
            (least, most), (other_least, other_most) = (outcomes.bounds(*way, self.alpha) for way in ((s, t), (t, s)))
            least = view.largest([least, other_least])
            if not (field.nonneg(high - most) and field.nonneg(high - other_most) and field.nonneg(least - low)):
                raise CertificateRejected(f"delta of {pair}", "both bounds", (least, most, other_most), (low, high))
            exact = field.nonneg(least - most) and field.nonneg(least - other_most)
            found.append(Claim("delta", pair, low, high, least if exact else None, at, terms=terms, extensions=used))
        return found

    def stated(self, claim: Any, terms: Mapping[str, Any]) -> Claim:
        """A claim as it is written, its numbers read; nothing of it is shown yet."""
        ((s, t),) = lists([claim["pair"]], 2)
        field, what, used = self.model.field, claim["claim"], self.extensions
        bounds = {side: field.read(claim[side]) for side in BOUNDS if side in claim and claim[side] != "infinity"}
        terms = {**terms, **{side: bounds.pop(side) for side in ("below", "above") if side in bounds}}
        low, high = bounds.get("lower"), bounds.get("upper")
        if what == "ratio":
            terms |= {"delta": field.read(claim["delta"])} if "delta" in claim else {}
            infinite = claim.get("lower") == "infinity"
            low = None if infinite else low or ONE
            return Claim(what, (s, t), low, high, infinite=infinite, terms=terms, extensions=used)
        need("infinity" not in claim.values(), what, "bounds that are numbers")
        at = self.alpha[:1] if self.alpha[0] == self.alpha[1] else self.alpha
        if not isinstance(field, OnInterval):
            low, high = ZERO if low is None else low, ONE if high is None else high
        return Claim(what, (s, t), low, high, at=at, terms=terms, extensions=used)

    def terms_of(self, what: str, named: str | None) -> dict[str, Any]:
        """What is said beside the bounds of a claim about a view."""
        field, found = self.model.field, dict[str, Any]()
        if isinstance(field, OnInterval):
            part = field.low, field.high, tuple(not closed for closed in field.closed)
            found |= {"part": part, "parameter": field.x}
        if what in EXTENSIONS["distances"]:
            view = self.views[named]
            found |= {"merged": bool(view.data.get("merge")), "traces": view.distances.traces}
        return found if named is None else {**found, "view": named}

    def check_at_every_epsilon(self, name: str, claim: Any, view: View) -> None:
        """That δ is at least what is claimed whatever ε is: the mass of a word of one state alone."""
        if "delta" in claim:
            words = claim["words"]
            need(isinstance(words, list), name, "a word, where δ is claimed for every ε")
            state = view.first[claim["first"]]
            mass = sum(Words(view.model, name).follow(state, words).values(), ZERO)
            read = self.model.field.read(claim["delta"])
            need(
                self.model.field.nonneg(mass - read),
                name,
                "δ at every ε: that of a word of one state alone",
                read,
                mass,
            )

    def ends_at_once(self, view: View, name: str, pair: Any) -> list[tuple[Any, tuple[Any, ...]]]:
        """Where runs end at once: of states of different labels, and of one state; else nothing."""
        s, t = view.blocks(name, pair)
        if s == t:
            return [(ONE, (ONE, ONE))]
        return [] if view.model.label[s] == view.model.label[t] else [(ONE, (ONE, ZERO)), (ONE, (ZERO, ONE))]

    def endings(self, view: View, claim: Any, said: Claim) -> list[tuple[Any, tuple[Any, ...]]]:
        """Where the runs of a claim's states end, by the visits that it cites."""
        name = name_of(said)
        need({*said.subject} <= view.first.keys(), name, "known states", [*said.subject])
        states = [view.first[state] for state in said.subject]
        if "split" in claim:
            need("visits" not in claim, name, "visits, or a split")
            return view.split.endings(name, states, view.visits, claim["split"])
        cited = claim["visits"]
        need(type(cited) is int and 0 <= cited < len(view.visits), name, "known visits", cited)
        visits: Visits = view.visits[cited]
        return visits.of(name, states)


def field_of(given: Any) -> Rationals:
    """``{}``, ``{"base": k}``, or ``{"parameter": {name: [low, high]}}``, perhaps with the ends that are ``closed``."""
    keys(given, "field", "base", "parameter", "closed")
    if "parameter" not in given:
        need("closed" not in given, "field", "ends that are closed of an interval")
        if "base" not in given:
            return Rationals()
        need(type(given["base"]) is int and given["base"] > 0, "field", "a base, k of e^(1/k)", given["base"])
        return AtExponential(given["base"])
    need("base" not in given, "field", "a base or a parameter")
    ((name, interval),) = given["parameter"].items()
    closed = given.get("closed", [False, False])
    need(len(closed) == 2 and all(isinstance(end, bool) for end in closed), "field", "two ends, closed or not")
    low, high = map(rational, interval)
    need(low < high, "field", "an interval that is not empty", low, high)
    return OnInterval(name, low, high, (closed[0], closed[1]))


def verify(
    model: Model | ModelFile, data: Any, meter: Meter | None = None, loops: ModuleType | None = None
) -> list[Claim]:
    """The claims of the certificate, all of them proved about the model; CertificateRejected if one is not.

    With a meter, `Unfinished` if the check takes more steps than it allows, or is stopped. Recipes are replayed by
    compiled ``loops`` where they are given, or by the plain source.
    """
    with metered(meter), refusing_what_is_malformed():
        if isinstance(model, ModelFile) and isinstance(model.data, dict) and model.data.get("format") == MECHANISM:
            from . import integers  # few models are mechanisms

            need(isinstance(data, dict), "file", f"an object of format {FORMAT}, about a mechanism")
            return integers.concluded(model.data, data, field_of(data.get("field", {})), FORMAT)
        return Certificate.of(model, data, loops).proved()
