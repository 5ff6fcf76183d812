"""What the runs of ordinary code have in common: a graph of choices and letters that `programs.run.states` folds.

A node is the end of a run, a letter with what follows, a choice with what follows each outcome, or noise that is
announced as it is. Nodes are made bottom up, when all runs through them are over, and equal ones are one node: in one
table for all secrets, so that equal behaviour is one state from the start and no probability is multiplied while code
runs. 16 coins that are announced are 65,536 runs and 49 nodes.

The laws of choices are those that programs explore: of draws (`programs.language.primitives.law_to_explore`), and of
noise Z that code has looked at, the probability of each part of what was known of Z, given what was known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from ..cancel import Cancel
from ..draws.laws import DrawnLaw, Uniform, Weighted
from ..draws.source import Site
from ..errors import Defect, InternalError
from ..model.outputs import LEFT_OUT, Output
from ..numbers.precision import WEIGHT_BITS
from ..programs.language.graph import Instruction, Kind
from ..programs.language.numbers import ENCLOSED, Intervals, Law, Moves, Weight, WeightInterval, law_of, moves_of
from ..programs.language.primitives import law_to_explore
from ..programs.language.source import Place, ProgramError
from ..programs.language.unbounded import Span, Unbounded
from ..programs.language.values import Value
from ..programs.noise.pieces import Line, Stairs
from ..programs.noise.spread import Announced, ShownNoise, told_apart
from ..programs.run.explore import Explorer
from .letters import RETURNS
from .noisy import EVERYTHING, Spans, tighten_span
from .wire import Json, read_law, read_spans, read_whole, write_law, write_spans, write_whole

CUT_OFF = Explorer.CUT_OFF
"""In place of a node: runs that are not followed, or not confirmed."""

LOOK_UP = 5_000
"""How many steps are taken between two looks at the deadline."""

NOWHERE = Site("", 0)


class RunEnds(NamedTuple):
    """The end of a run."""


class ShowsLetter(NamedTuple):
    """A letter, and what follows."""

    letter: str
    after: int


class ShowsNoise(NamedTuple):
    """Noise that is announced as sign·Z + shift, all of whose outcomes are followed by the same."""

    law: Hashable
    spans: Spans
    sign: int
    shift: int
    after: int


class Chooses(NamedTuple):
    """A choice: the number of its law, and what follows each outcome."""

    law: int
    children: tuple[int, ...]


class PartEnds(NamedTuple):
    """The end of a part of a run: what follows is that of the whole."""

    of: str = "part"
    """Tells it from `RunEnds`: named tuples are equal if their entries are."""


class ShowsParts(NamedTuple):
    """Parts that are shown one after the other, each of which begins at a node, and what follows them."""

    roots: tuple[int, ...]
    skips: bool
    """Whether a part may show nothing, and nobody sees that there is one."""
    after: int


RunNode = RunEnds | ShowsLetter | ShowsNoise | Chooses | PartEnds | ShowsParts


class SpansApart(NamedTuple):
    """What was known of noise, as the parts that code tells apart, and what is cut off."""

    law: Hashable
    parts: tuple[Spans, ...]
    lost: Spans


class Recorded:
    """The nodes and laws of all runs; what `States` asks of configurations is what these nodes do next."""

    notes: tuple[str, ...] = ()
    outputs: Mapping[str, Output] = MappingProxyType({})

    def __init__(self, max_states: int, cancel: Cancel) -> None:
        self.max_states, self.cancel = max_states, cancel
        self.enclosed: dict[str, None] = {}
        self._nodes: list[RunNode] = []
        self._numbers: dict[RunNode, int] = {}
        self._sites: list[Site] = []
        self._places: dict[Site, int] = {}
        self._points: list[int] = []
        self._laws: list[Law | SpansApart] = []
        self._drawn: list[DrawnLaw | None] = []
        """The draws whose laws these are; None of parts of noise."""
        self._law_numbers: dict[Hashable, int] = {}
        self._likely: dict[int, list[float]] = {}
        self._outcomes: dict[Hashable, tuple[Sequence[int], int]] = {}
        self._noises: dict[Hashable, Unbounded] = {}
        self._enclose = False
        self.cuts_off = False
        """Whether some runs are not followed, as far as `prepare` has seen."""
        self._until_check = 0
        self.end = self.node(RunEnds(), NOWHERE)
        self.part_end = self.node(PartEnds(), NOWHERE)
        self.alike = 0
        """How many parts are left out, since they are the same for all secrets (`with_parts`)."""

    # Making nodes.

    def node(self, node: RunNode, site: Site) -> int:
        """The number of a node, which stands for the line of code that a run is at."""
        number = self._numbers.get(node)
        if number is None:
            number = self._numbers[node] = len(self._nodes)
            self._nodes.append(node)
            place = self._places.setdefault(site, len(self._places))
            if place == len(self._sites):
                self._sites.append(site)
            self._points.append(place)
        return number

    def choice(self, law: int, children: Sequence[int], site: Site) -> int:
        """What a choice leads to: where all outcomes do the same, that is no choice."""
        first = children[0]
        found = self._laws[law]
        if all(child == first for child in children) and not (isinstance(found, SpansApart) and found.lost):
            return first
        return self.node(Chooses(law, tuple(children)), site)

    def show(self, letter: str, after: int, site: Site) -> int:
        """A letter before what follows; what is cut off later is not followed at all."""
        return after if after == CUT_OFF else self.node(ShowsLetter(letter, after), site)

    def shown_noise(self, node: ShowsNoise, site: Site) -> int:
        """Noise before what follows."""
        return CUT_OFF if node.after == CUT_OFF else self.node(node, site)

    def shown_parts(self, node: ShowsParts, site: Site) -> int:
        """Parts before what follows."""
        return CUT_OFF if node.after == CUT_OFF else self.node(node, site)

    # Parts.

    def with_parts(self, roots: Sequence[int]) -> list[int]:
        """The same roots, with the nodes of each part in its place, one part after the other.

        Parts that may show nothing, and that all secrets have in common, are left out where that changes no δ
        (docs/theory/parts.md): a thousand keys that are rarely released would be rows of a thousand numbers.
        """
        reached = [self._nodes[number] for number in self._reach(roots)]
        shown = [node for node in reached if isinstance(node, ShowsParts)]
        common = self._common(shown) if self._shown_alone(reached) else ()
        self.alike = len(common)
        used = _used_slots([_slots(node.roots, common) for node in shown if node.skips])
        known: dict[tuple[int, int], int] = {}

        def insert(node: ShowsParts, after: int, site: Site) -> int:
            found = after
            slots = _slots(node.roots, common) if node.skips else [list(node.roots)]
            kept = [slot for n, slot in enumerate(slots) if not node.skips or n in used]
            # What stands between parts that are left out is not seen as one.
            mark = bool(common) and node.skips
            for n, slot in enumerate(reversed(kept)):
                found = self.show(LEFT_OUT, found, site) if n and mark else found
                for root in reversed(slot):
                    found = self._rebuilt(root, found, known, None)
            if mark:
                found = self.show(LEFT_OUT, found, site)
            return found

        return [root if root == CUT_OFF else self._rebuilt(root, self.end, known, insert) for root in roots]

    def _rebuilt(
        self,
        root: int,
        after: int,
        known: dict[tuple[int, int], int],
        insert: Callable[[ShowsParts, int, Site], int] | None,
    ) -> int:
        """The graph from a node on, with another node in place of its ends, and parts inserted."""
        stack = [root]
        while stack:
            number = stack[-1]
            if (number, after) in known:
                stack.pop()
                continue
            node = self._nodes[number]
            missing = [child for child in _follow(node) if child != CUT_OFF and (child, after) not in known]
            if missing:
                stack += missing
                continue
            stack.pop()
            known[number, after] = self._again(number, node, after, known, insert)
        return known[root, after]

    def _again(
        self,
        number: int,
        node: RunNode,
        after: int,
        known: dict[tuple[int, int], int],
        insert: Callable[[ShowsParts, int, Site], int] | None,
    ) -> int:
        """One node again, all that follows it being known."""
        site = self._sites[self._points[number]]

        def new(child: int) -> int:
            return CUT_OFF if child == CUT_OFF else known[child, after]

        match node:
            case PartEnds() | RunEnds():
                return after
            case ShowsLetter(letter, child):
                return self.show(letter, new(child), site)
            case ShowsNoise():
                return self.shown_noise(node._replace(after=new(node.after)), site)
            case ShowsParts():
                if insert is None:
                    raise InternalError("parts inside of a part")
                return insert(node, new(node.after), site)
            case Chooses(law, children):
                return self.choice(law, [new(child) for child in children], site)

    def _reach(self, roots: Sequence[int]) -> list[int]:
        """All nodes that the roots lead to, parts aside."""
        seen, stack = set(roots) - {CUT_OFF}, [root for root in roots if root != CUT_OFF]
        while stack:
            new = {child for child in _follow(self._nodes[stack.pop()]) if child != CUT_OFF} - seen
            seen |= new
            stack.extend(new)
        return sorted(seen)

    def _shown_alone(self, reached: Sequence[RunNode]) -> bool:
        """Whether whatever returns something returns parts that may show nothing, all by themselves.

        Then it is seen where parts begin: nowhere else, and always, behind the letter of what is returned.
        """
        returns = [node for node in reached if isinstance(node, ShowsLetter) and node.letter.startswith(RETURNS)]
        found = [self._nodes[node.after] if node.after != CUT_OFF else None for node in returns]
        ends = [node.after != CUT_OFF and self._nodes[node.after] for node in found if isinstance(node, ShowsParts)]
        closed = all(isinstance(end, ShowsLetter) and end.after == self.end for end in ends)
        alone = all(isinstance(node, ShowsParts) and node.skips for node in found) and closed
        # No others: before what is returned, or inside of it.
        return alone and {id(node) for node in found} == {
            id(n) for n in reached if isinstance(n, ShowsParts) and n.skips
        }

    def _common(self, shown: Sequence[ShowsParts]) -> tuple[int, ...]:
        """The parts that may be left out: all calls have them, in one order, and it is seen of any part which it is."""
        calls = [node.roots for node in shown if node.skips]
        if not calls:
            return ()
        common = set(calls[0]).intersection(*calls[1:])
        orders = {tuple(root for root in roots if root in common) for roots in calls}
        order = next(iter(orders))
        if len(orders) > 1 or len(order) != len(common):
            return ()
        # Which letters a part may begin with, by the place among the common ones that it stands at or between.
        first: dict[str, int] = {}
        for roots in calls:
            for n, slot in enumerate(_slots(roots, order)):
                places = [(root, 2 * n) for root in slot] + ([(order[n], 2 * n + 1)] if n < len(order) else [])
                for root, place in places:
                    letters = self._first_letters(root)
                    if letters is None or any(first.setdefault(letter, place) != place for letter in letters):
                        return ()
        return order

    def _first_letters(self, root: int) -> set[str] | None:
        """The letters that a part may begin with; None if it may begin with noise, or something is not followed."""
        found: set[str] = set()
        seen, stack = {root}, [root]
        while stack:
            node = self._nodes[stack.pop()]
            match node:
                case ShowsLetter(letter, _):
                    found.add(letter)
                case Chooses(_, children):
                    if CUT_OFF in children:
                        return None
                    new = set(children) - seen
                    seen |= new
                    stack.extend(new)
                case PartEnds():
                    pass
                case _:
                    return None
        return found

    # Laws.

    def law_of_draw(self, law: DrawnLaw) -> int:
        """The number of a finite law; Problem if it has too many outcomes."""
        key = law.key
        number = self._law_numbers.get(key)
        if number is None:
            found = law_to_explore(law)
            if isinstance(found, Unbounded):
                raise InternalError(f"{law} is not finite")
            number = self._add(key, found._replace(values=()), law)
        return number

    def law_of_parts(self, parts: SpansApart) -> int:
        """The number of the law of parts of what was known."""
        number = self._law_numbers.get(parts)
        return self._add(parts, parts) if number is None else number

    def outcomes_of(self, key: Hashable, noise: Unbounded) -> tuple[Sequence[int], int]:
        """The outcomes of noise that is told apart when it is drawn, and the number of their law."""
        found = self._outcomes.get(key)
        if found is None:
            each, beyond = told_apart(noise, EVERYTHING[0])
            lost = tuple(part for span in beyond if (part := tighten_span(span)) is not None)
            number = self.law_of_parts(SpansApart(key, tuple((Span(z, z),) for z in each), lost))
            found = self._outcomes[key] = each, number
        return found

    def _add(self, key: Hashable, law: Law | SpansApart, drawn: DrawnLaw | None = None) -> int:
        self._law_numbers[key] = len(self._laws)
        self._laws.append(law)
        self._drawn.append(drawn)
        return len(self._laws) - 1

    def noise(self, law: DrawnLaw) -> Unbounded | None:
        """Noise on all integers; None if the law is finite."""
        if isinstance(law, Weighted | Uniform):
            return None
        found = self._noises.get(law.key)
        if found is None:
            made = law_to_explore(law)
            if not isinstance(made, Unbounded):
                return None
            found = self._noises[law.key] = made
        return found

    def likely(self, law: int) -> list[float]:
        """How likely each outcome is, about: this only decides what is followed."""
        found = self._likely.get(law)
        if found is None:
            weighed = self._weigh(law, cut=True)
            places = tuple(range(len(weighed.weights)))
            _, weights, total, _ = Intervals().adapt(Moves(places, weighed.weights, weighed.total, weighed.base))
            found = [(w / total if type(w) is int else w.high / (total << WEIGHT_BITS)) for w in weights]
            law_given = self._laws[law]
            if isinstance(law_given, SpansApart) and law_given.lost:
                found.pop()
            self._likely[law] = found
        return found

    def _weigh(self, law: int, *, cut: bool) -> Law:
        found = self._laws[law]
        if isinstance(found, Law):
            return found
        return condition_on(self._noises[found.law], [*found.parts, *([found.lost] if found.lost else [])], cut=cut)

    # From one process to another.

    def write(self) -> Json:
        """All nodes and laws, as JSON."""
        keys = list(self._noises)
        places = {key: number for number, key in enumerate(keys)}
        laws = [_written_law(law, drawn, places) for law, drawn in zip(self._laws, self._drawn, strict=True)]
        nodes = [_write(node, places) for node in self._nodes]
        noises = [write_law(key) for key in keys]  # type: ignore[arg-type]  # noise is its own key
        return {"noises": noises, "laws": laws, "sites": self._sites, "points": self._points, "nodes": nodes}

    def read(self, document: Json) -> None:
        """Take the nodes and laws that another process has written."""
        keys = []
        for law in map(read_law, document["noises"]):
            self.noise(law)
            keys.append(law.key)
        for law in document["laws"]:
            if "law" in law:
                self.law_of_draw(read_law(law["law"]))
            else:
                parts = tuple(map(read_spans, law["parts"]))
                self.law_of_parts(SpansApart(keys[law["of"]], parts, read_spans(law["lost"])))
        sites = [Site(*site) for site in document["sites"]]
        for node, point in zip(document["nodes"], document["points"], strict=True):
            self.node(_read(node, keys), sites[point])

    # What `States` asks.

    def prepare(self, roots: Sequence[int]) -> None:
        """Look at what the roots lead to: where something is cut off, exact powers of e would be computed in vain."""
        seen, stack = set(roots), list(roots)
        while stack:
            number = stack.pop()
            if number == CUT_OFF:
                self._enclose = self.cuts_off = True
                continue
            node = self._nodes[number]
            following: Sequence[int] = ()
            if isinstance(node, Chooses):
                law = self._laws[node.law]
                self.cuts_off |= isinstance(law, SpansApart) and bool(law.lost)
                self._enclose |= bool(law.lost) if isinstance(law, SpansApart) else law.base == ENCLOSED
                following = node.children
            else:
                following = _follow(node)
            new = set(following) - seen
            seen |= new
            stack.extend(new)

    @property
    def points(self) -> Sequence[int]:
        """The line of code that each node stands for, by number."""
        return self._points

    def values(self, _: int) -> Mapping[str, Value]:
        """Nothing: the variables of code that runs are not seen."""
        return {}

    def instruction(self, configuration: int) -> Instruction:
        """What the node does, and the line of code."""
        site = self._sites[self._points[configuration]]
        return Instruction(self.stands_before(configuration), Place(site.line, 0, site.file))

    def stands_before(self, configuration: int) -> Kind:
        """What kind of thing the node does."""
        node = self._nodes[configuration]
        return (
            Kind.RETURN if isinstance(node, RunEnds) else Kind.ANNOUNCE if isinstance(node, ShowsLetter) else Kind.DRAW
        )

    def letter(self, configuration: int) -> tuple[str, int]:
        """The letter of a node that shows one, and what follows."""
        node = self._nodes[configuration]
        if not isinstance(node, ShowsLetter):
            raise InternalError("a node without a letter is asked for one")
        return node.letter, node.after

    def question(self, _: int) -> tuple[tuple[str, Value], ...]:
        """Nobody asks: code that runs has no observer who answers."""
        raise InternalError("recorded code does not ask")

    def answer(self, _: int, __: Value) -> int:
        """Nobody asks."""
        raise InternalError("recorded code does not ask")

    def draws(self, configuration: int) -> Moves | Announced:
        """Where a choice leads; of noise that is announced, the tails that are left to settle."""
        node = self._nodes[configuration]
        if isinstance(node, Chooses):
            law = self._weigh(node.law, cut=self._enclose)
            lost = len(law.weights) > len(node.children)
            return self._moves([*node.children, CUT_OFF] if lost else node.children, law)
        if not isinstance(node, ShowsNoise):
            raise InternalError("a node without a choice is asked for one")
        noise, site = self._noises[node.law], self._sites[self._points[configuration]]
        spans, targets, tails = list[Span](), list[int](), list[ShownNoise]()
        for span in node.spans:
            if span.low is None or span.high is None:
                stairs = Stairs.of_line(Line(node.sign, node.shift))
                tails.append(ShownNoise(span.low, span.high, stairs, node.after))
                continue
            for z in range(span.low, span.high + 1):
                spans.append(Span(z, z))
                targets.append(self.node(ShowsLetter(str(node.sign * z + node.shift), node.after), site))
        if tails:
            return Announced(noise, spans, targets, [], tails)
        return self.spread_over(noise, spans, targets, ())

    def spread_over(
        self, noise: Unbounded, spans: Sequence[Span], targets: Sequence[int], lost: Sequence[Span]
    ) -> Moves:
        """The moves to targets, span by span, given that the outcome is in one of them or lost."""
        law = condition_on(noise, [*((span,) for span in spans), *([tuple(lost)] if lost else [])], cut=self._enclose)
        return self._moves([*targets, CUT_OFF] if lost else targets, law)

    def _moves(self, targets: Sequence[int], law: Law) -> Moves:
        if law.why and law.base == ENCLOSED:
            self.enclosed[law.why] = None
        return moves_of(targets, law)

    def add_beside(self, configuration: int) -> int:
        """The number of one more node at the same line, which is not found again."""
        self._nodes.append(self._nodes[configuration])
        self._points.append(self._points[configuration])
        return len(self._nodes) - 1

    def look_up(self, steps: int, doing: str = "") -> None:  # noqa: ARG002 - it is the same for all steps here
        """Look at the deadline once in so many steps."""
        self._until_check -= steps
        if self._until_check < 0:
            self._until_check = LOOK_UP
            self.cancel.check()
            self.cancel.report(f"making the chain, {len(self._nodes):,} nodes")

    def advise_limit(self, taken: int) -> str:
        """What to raise, and what it would cost."""
        return f"raise `max_states` to {4 * self.max_states} (up to {4 * taken / 1e6:,.1f} MB)"

    def too_many(self, what: str, here: Sequence[int], fix: str) -> ProgramError:
        """Say at which line most of them stand."""
        ((point, count),) = Counter(self._points[c] for c in here).most_common(1)
        place = str(self._sites[point])
        return ProgramError(Defect(place, f"{what}; {count:,} of them stand here", f"show less, or {fix}"))


def _follow(node: RunNode) -> Sequence[int]:
    """What a node leads to."""
    if isinstance(node, Chooses):
        return node.children
    return (node.after,) if isinstance(node, ShowsLetter | ShowsNoise | ShowsParts) else ()


def _slots(roots: Sequence[int], common: Sequence[int]) -> list[list[int]]:
    """What stands before, between and after the common ones, which occur in this order."""
    found: list[list[int]] = [[]]
    for root in roots:
        if len(found) <= len(common) and root == common[len(found) - 1]:
            found.append([])
        else:
            found[-1].append(root)
    return found


def _used_slots(calls: Sequence[Sequence[Sequence[int]]]) -> set[int]:
    """The slots that some call has parts in."""
    return {n for slots in calls for n, slot in enumerate(slots) if slot}


def _written_law(law: Law | SpansApart, drawn: DrawnLaw | None, places: Mapping[Hashable, int]) -> Json:
    if isinstance(law, SpansApart):
        parts = list(map(write_spans, law.parts))
        return {"of": places[law.law], "parts": parts, "lost": write_spans(law.lost)}
    if drawn is None:
        raise InternalError("a law that nobody has drawn from")
    return {"law": write_law(drawn)}


def _write(node: RunNode, places: Mapping[Hashable, int]) -> Json:
    match node:
        case ShowsLetter(letter, after):
            return ["letter", letter, after]
        case ShowsNoise(law, spans, sign, shift, after):
            return ["noise", places[law], write_spans(spans), sign, write_whole(shift), after]
        case Chooses(number, children):
            return ["choice", number, children]
        case ShowsParts(roots, skips, after):
            return ["parts", roots, skips, after]
        case PartEnds():
            return ["part end"]
        case _:
            return ["end"]


def _read(written: Json, keys: Sequence[Hashable]) -> RunNode:
    match written:
        case ["letter", letter, after]:
            return ShowsLetter(letter, after)
        case ["noise", law, spans, sign, shift, after]:
            return ShowsNoise(keys[law], read_spans(spans), sign, read_whole(shift), after)
        case ["choice", number, children]:
            return Chooses(number, tuple(children))
        case ["parts", roots, skips, after]:
            return ShowsParts(tuple(roots), skips, after)
        case ["part end"]:
            return PartEnds()
        case _:
            return RunEnds()


def condition_on(noise: Unbounded, parts: Sequence[Spans], *, cut: bool) -> Law:
    """The law of parts of the outcomes, given that the outcome is in one of them."""
    flat = [span for spans in parts for span in spans]
    weighed, _, base = noise.weigh(flat, cut=cut)
    weights, taken = list[Weight](), 0
    for spans in parts:
        first, *others = weighed[taken : taken + len(spans)]
        weights.append(sum(others, first))
        taken += len(spans)
    if base != ENCLOSED:
        return law_of((), weights, sum(weights[1:], weights[0]), base, noise.why)
    low, high = sum(w.low for w in weights), sum(w.high for w in weights)
    return Law((), tuple(_share(w, low, high) for w in weights), 1, ENCLOSED, noise.why or "powers of e are too long")


def _share(weight: WeightInterval, low: int, high: int) -> WeightInterval:
    """What a part is of the whole, whose ends are the sums of those of its parts: p/(p + others), outwards."""
    most, least = weight.high + (low - weight.low), weight.low + (high - weight.high)
    bottom = (weight.low << WEIGHT_BITS) // least if least else 0
    top = -(-(weight.high << WEIGHT_BITS) // most) if most else 1 << WEIGHT_BITS
    return WeightInterval(bottom, min(top, 1 << WEIGHT_BITS))
