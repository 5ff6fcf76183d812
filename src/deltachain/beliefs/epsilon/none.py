"""No ε at all: proofs that δ = 0 is out of reach, whatever ε (docs/theory/divergences.md, pure ε).

δ is 0 at e^ε = α if and only if ν_s(w) ≤ α·ν_t(w) for every word w, both ways. So no ε is enough if

- *(support)* some word has ν_s(w) > 0 = ν_t(w). Which states a word can lead to is all that matters, and there are
  finitely many sets of them: a breadth-first search finds the shortest such word, or proves that there is none;
- *(pumping)* the ratio grows without end along u, uv, uvv, …: there are x̃ ≥ 0, not 0, and ỹ, and λ > μ > 0 with

      x̃ ≤ c·x_u P_v^m,   x̃ P_v ≥ λ x̃,   ỹ ≥ y_u,   ỹ P_v ≤ μ ỹ,

  where c > 0 and m are any numbers: then ν_s(u v^n)/ν_t(u v^n) ≥ C·(λ/μ)^n. Where one letter leads to one state, a
  cycle in the graph of pairs of states whose product of ratios is above 1 is such a v (Bellman, Ford); elsewhere short
  words v are tried in floats. What is found is then proved in fractions.

Neither is about one ε. At any one ε a word of these has a gap, which a certificate shows (`WordProof`, rule L2).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

from ...cancel import Cancel
from ...certificate.record import Writer
from ...model import Chain
from ...model.words import Word
from ...numbers.field import Exact, ends
from .. import reach
from ..graph.belief_graph import AnyGraph
from ..proof import Answer, Proof
from ..question import Interval, Pair, Question
from ..witness import Event, WitnessWord
from ..workspace import Workspace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_SETS = 20_000
"""Pairs of sets of states that are looked at for a word that one state alone can show."""
MOST_PUMPED_STATES = 200
MOST_PREFIXES, MOST_CYCLES, LONGEST_CYCLE = 60, 400, 6
"""Words u and v that are tried in floats, and the letters of v at most."""
ITERATIONS = 200
"""Powers of P_v that a belief is followed through."""
LONGEST_WORD = 4_000
"""Letters of the word that shows a gap at one ε."""
Masses = dict[int, Fraction]


@dataclass(frozen=True, slots=True)
class NoEpsilon:
    """Why no ε is enough for δ = 0.

    Attributes:
        pair: by number, as it was asked; the word is the first's, or the ratio grows for it, if ``direction`` is 0.
        direction: 1 if it is the second's.
        word: what one state can show and the other cannot; empty if the ratio grows along a cycle.
        probability: of the word, from the state that can show it.
        prefix: the u of u, uv, uvv, …
        cycle: the v.
        growth: λ: what the one state shows is multiplied by at least this with each v, but for a constant.
        decay: μ: what the other shows, by at most this.
    """

    pair: Pair
    direction: int
    word: Word = ()
    probability: Exact = Fraction(0)
    prefix: Word = ()
    cycle: Word = ()
    growth: Fraction = Fraction(0)
    decay: Fraction = Fraction(0)

    def long_word(self, alpha: Fraction) -> Word:
        """A word whose ratio is above α, if the constant before (λ/μ)^n is not very small."""
        if self.word:
            return self.word
        times, ratio = 1, self.growth / self.decay
        power = ratio
        while power <= alpha**2 and times * len(self.cycle) < LONGEST_WORD:
            times, power = 2 * times, power * power
        return self.prefix + self.cycle * times


def no_epsilon(work: Workspace, cancel: Cancel) -> NoEpsilon | None:
    """A proof that no ε is enough for δ = 0 for some pair, if one is found."""
    chain = work.chain
    if not reach.takes("supports", chain):
        return None
    for pair in work.pairs:
        if pair not in work.alike:
            return NoEpsilon(pair, 0, (chain.labels[pair[0]],), Fraction(1))
    work.prepare(cancel)
    ways = [(pair, direction) for pair in work.alike for direction in (0, 1)]
    for find in (_by_support, _by_pumping):
        for pair, direction in ways:
            if cancel.stopped():
                return None
            found = find(work, pair, direction)
            if found is not None:
                return found
    return None


def _start(work: Workspace, pair: Pair, direction: int) -> Pair:
    s, t = work.merged(pair)
    return (s, t) if direction == 0 else (t, s)


# Words that one state alone can show.


def _by_support(work: Workspace, pair: Pair, direction: int) -> NoEpsilon | None:
    chain = work.quotient.chain
    s, t = _start(work, pair, direction)
    first = frozenset([s]), frozenset([t])
    before: dict[tuple[frozenset[int], frozenset[int]], tuple[Word, object]] = {first: ((chain.labels[s],), None)}
    waiting = [first]
    for here in waiting:
        for letters, mine, others in _following(chain, *here):
            if not others:
                word = _spelled(before, here) + letters
                return NoEpsilon(pair, direction, word, _probability(work, word, s))
            if (mine, others) not in before and len(before) < MOST_SETS:
                before[mine, others] = letters, here
                waiting.append((mine, others))
    return None


def _following(
    chain: Chain, mine: frozenset[int], others: frozenset[int]
) -> Iterator[tuple[Word, frozenset[int], frozenset[int]]]:
    """The letters of one step (with the input, if one is asked for), and where each of two sets of states may go."""
    for choice, asked in enumerate(chain.offered(next(iter(mine)))):
        reached: dict[str, tuple[set[int], set[int]]] = {}
        for k, states in enumerate((mine, others)):
            for state in states:
                for target, *_ in chain.given[state][choice]:
                    reached.setdefault(chain.labels[target], (set(), set()))[k].add(target)
        for label, (first, second) in sorted(reached.items()):
            if first:
                yield (label,) if asked is None else (asked, label), frozenset(first), frozenset(second)


def _spelled(before: dict[tuple[frozenset[int], frozenset[int]], tuple[Word, object]], here: object) -> Word:
    word: Word = ()
    while here is not None:
        letters, here = before[here]  # type: ignore[index]  # keys lead to keys
        word = letters + word
    return word


def _probability(work: Workspace, word: Word, state: int) -> Exact:
    from ...model.words import word_probability

    return word_probability(work.quotient.chain, state, word)


# Cycles that pump the ratio.


def _by_pumping(work: Workspace, pair: Pair, direction: int) -> NoEpsilon | None:
    chain = work.quotient.chain
    if not reach.takes("pumping", work.chain) or len(chain) > MOST_PUMPED_STATES:
        return None
    s, t = _start(work, pair, direction)
    tried = _one_by_one(chain, s, t) if _label_deterministic(chain) else _in_floats(chain, s, t)
    for u, v in tried:
        proved = pumped(chain, s, t, u, v)
        if proved is not None:
            word = (chain.labels[s], *u)
            return NoEpsilon(pair, direction, prefix=word, cycle=v, growth=proved[0], decay=proved[1])
    return None


def _label_deterministic(chain: Chain) -> bool:
    """Whether a letter leads from a state to one state only."""
    return all(len({chain.labels[j] for j, _ in row}) == len(row) for row in chain.rows)


def _one_by_one(chain: Chain, s: int, t: int) -> Iterator[tuple[Word, Word]]:
    """(u, v) where v is a cycle of pairs with a product of ratios above 1: all of them, if there is one.

    Best products of words of 0, 1, 2, … letters from (s, t) on; after as many rounds as there are pairs, a pair that
    still improves was reached around a cycle that gains.
    """
    moves = [{chain.labels[j]: (j, p) for j, p in row} for row in chain.rows]
    best: dict[Pair, Fraction] = {(s, t): Fraction(1)}
    came: dict[Pair, tuple[Pair, str]] = {}
    changed = [(s, t)]
    while changed:
        improved: dict[Pair, None] = {}
        for here in changed:
            for label, (i, p) in moves[here[0]].items():
                if label not in moves[here[1]]:
                    continue  # only where the search for a word of one state alone was given up
                j, q = moves[here[1]][label]
                ratio = best[here] * p / q
                if (i, j) not in best or ratio > best[i, j]:
                    best[i, j], came[i, j] = ratio, (here, label)
                    improved[i, j] = None
                    cycle = _cycle_at(came, (i, j))
                    if cycle is not None:
                        yield _path(chain, s, t, (i, j)), cycle
                        return
        changed = list(improved)


def _cycle_at(came: dict[Pair, tuple[Pair, str]], pair: Pair) -> Word | None:
    """The letters of a cycle of predecessors through the pair: it gains, or a predecessor would not have improved."""
    letters: list[str] = []
    here = pair
    while here in came and len(letters) <= len(came):
        here, label = came[here]
        letters.append(label)
        if here == pair:
            return tuple(reversed(letters))
    return None


def _path(chain: Chain, s: int, t: int, goal: Pair) -> Word:
    """The letters of a shortest way from (s, t) to a pair."""
    moves = [{chain.labels[j]: j for j, _ in row} for row in chain.rows]
    known: dict[Pair, Word] = {(s, t): ()}
    waiting = [(s, t)]
    for here in waiting:
        for label, i in moves[here[0]].items():
            if label not in moves[here[1]]:
                continue
            after = i, moves[here[1]][label]
            if after not in known:
                known[after] = (*known[here], label)
                waiting.append(after)
    return known[goal]


def _in_floats(chain: Chain, s: int, t: int) -> Iterator[tuple[Word, Word]]:
    """(u, v) for short words, where what s shows grows faster with each v than what t shows, as floats see it."""
    import numpy as np

    size = len(chain)
    step = {label: np.zeros((size, size)) for label in chain.alphabet}
    for i, row in enumerate(chain.rows):
        for j, p in row:
            step[chain.labels[j]][i, j] = float(p)
    prefixes: dict[tuple[frozenset[int], frozenset[int]], Word] = {}
    waiting: list[tuple[Word, frozenset[int], frozenset[int]]] = [((), frozenset([s]), frozenset([t]))]
    for u, mine, others in waiting:
        if (mine, others) not in prefixes and len(prefixes) < MOST_PREFIXES:
            prefixes[mine, others] = u
            waiting += [(u + letters, *after) for letters, *after in _following(chain, mine, others)]  # type: ignore[misc]
    tried = 0
    for length in range(1, LONGEST_CYCLE + 1):
        for v in product(sorted(step), repeat=length):
            tried += 1
            if tried > MOST_CYCLES:
                return
            matrix = step[v[0]]
            for letter in v[1:]:
                matrix = matrix @ step[letter]
            if not matrix.any():
                continue
            radius: dict[frozenset[int], float] = {}
            for (mine, others), u in prefixes.items():
                fast, slow = (_radius(matrix, states, radius) for states in (mine, others))
                if fast > slow * (1 + 1e-6):
                    yield u, v


def _radius(matrix: NDArray[np.float64], states: frozenset[int], known: dict[frozenset[int], float]) -> float:
    """About how fast the mass of a belief on these states grows with each multiplication."""
    import numpy as np

    if states not in known:
        reached, waiting = set(states), list(states)
        for i in waiting:
            new = {int(j) for j in np.flatnonzero(matrix[i])} - reached
            reached |= new
            waiting += new
        inside = sorted(reached)
        known[states] = float(max(abs(np.linalg.eigvals(matrix[np.ix_(inside, inside)]))))
    return known[states]


def pumped(chain: Chain, s: int, t: int, u: Word, v: Word) -> tuple[Fraction, Fraction] | None:
    """(λ, μ), λ > μ > 0, that prove that the ratio of s to t grows without end along u v^n; None if it is not proved.

    Floats choose λ, μ and x̃; each inequality is checked in fractions.
    """
    x, y = (_after({state: Fraction(1)}, chain, u) for state in (s, t))
    if not (x and y):
        return None
    rows, others = _powers(chain, x, v), _powers(chain, y, v)
    if len(rows) == len(others) == 1:  # one state each, to which v leads back: x̃ = x_u and ỹ = y_u
        growth, decay = (sum(moves[i].values(), Fraction(0)) for moves in (rows, others) for i in moves)
        return (growth, decay) if growth > decay > 0 else None
    fast, guess = _grown(rows, x)
    slow, _ = _grown(others, y)
    if not fast > slow > 0:
        return None
    growth, decay = (Fraction(fast * share + slow * (1 - share)).limit_denominator(10**4) for share in (0.9, 0.1))
    grows = bool(guess) and all(_through(guess, rows).get(i, 0) >= growth * mass for i, mass in guess.items())
    proved = growth > decay > 0 and grows and _reaches(x, rows, guess) and _bounded(y, others, decay)
    return (growth, decay) if proved else None


def _after(belief: Masses, chain: Chain, word: Word) -> Masses:
    for letter in word:
        found: Masses = {}
        for i, mass in belief.items():
            for j, p in chain.rows[i]:
                if chain.labels[j] == letter:
                    found[j] = found.get(j, Fraction(0)) + mass * p
        belief = found
    return belief


def _powers(chain: Chain, belief: Masses, v: Word) -> dict[int, Masses]:
    """The rows of P_v that the belief can come to."""
    rows: dict[int, Masses] = {}
    waiting = list(belief)
    for i in waiting:
        if i not in rows:
            rows[i] = _after({i: Fraction(1)}, chain, v)
            waiting += rows[i]
    return rows


def _through(belief: Masses, rows: dict[int, Masses]) -> Masses:
    found: Masses = {}
    for i, mass in belief.items():
        for j, p in rows[i].items():
            found[j] = found.get(j, Fraction(0)) + mass * p
    return found


def _grown(rows: dict[int, Masses], belief: Masses) -> tuple[float, Masses]:
    """About the factor by which the belief grows with each v in the end, and its shape then, rounded."""
    import numpy as np

    place = {i: k for k, i in enumerate(rows)}
    matrix = np.zeros((len(rows), len(rows)))
    for i, row in rows.items():
        for j, p in row.items():
            matrix[place[i], place[j]] = float(p)
    shape = np.zeros(len(rows))
    for i, mass in belief.items():
        shape[place[i]] = float(mass)
    factor, total = 0.0, np.zeros(len(rows))
    for count in range(ITERATIONS):
        shape = shape @ matrix
        factor = float(shape.sum())
        if factor == 0:
            return 0.0, {}
        shape = shape / factor
        if count >= ITERATIONS // 2:  # an average: the powers may go round in circles
            total += shape
    total = total / total.sum()
    found = {i: Fraction(total[k]).limit_denominator(10**9) for i, k in place.items() if total[k] > 1e-9}
    fastest = float(max(abs(np.linalg.eigvals(matrix)), default=0.0))
    return min(factor, fastest) if factor else 0.0, found


def _reaches(belief: Masses, rows: dict[int, Masses], goal: Masses) -> bool:
    """Whether some power of v brings the belief to all states of the goal."""
    reached = set(belief)
    for _ in range(len(rows) + 2):
        if set(goal) <= reached:
            return True
        reached = {j for i in reached for j in rows[i]}
    return False


def _bounded(belief: Masses, rows: dict[int, Masses], decay: Fraction) -> bool:
    """Whether ỹ = belief·(I − P_v/μ)^-1 is ≥ 0: then ỹ = belief + ỹ P_v/μ is at least the belief, and ỹ P_v ≤ μ ỹ."""
    from flint import fmpq, fmpq_mat

    place = {i: k for k, i in enumerate(rows)}
    size = len(rows)
    matrix = fmpq_mat(size, size)
    for i, k in place.items():
        matrix[k, k] = fmpq(1)
        for j, p in rows[i].items():
            share = p / decay
            matrix[place[j], k] = matrix[place[j], k] - fmpq(share.numerator, share.denominator)
    right = fmpq_mat(size, 1)
    for i, mass in belief.items():
        right[place[i], 0] = fmpq(mass.numerator, mass.denominator)
    try:
        solved = matrix.solve(right)
    except ZeroDivisionError:
        return False
    return all(solved[k, 0] >= 0 for k in range(size))


# A gap at one ε, by a word.


@dataclass(frozen=True, eq=False, kw_only=True)
class WordProof(Proof):
    """δ is at least the gap of one word, at one ε (rule L2): its beliefs are the nodes of a path."""

    graph: AnyGraph
    path: tuple[tuple[int, str | None, str], ...]
    """(node, input, label that leads on), the last one with an empty label."""
    values: tuple[Exact, ...]
    """What each node is worth at least."""
    word: WitnessWord

    def claim(self, writer: Writer) -> dict[str, object]:
        """Cites the first node of the path."""
        graph, field = self.graph, self.graph.field
        for part, value in field.header(self.question.at).items():
            writer.put(part, value)
        names = graph.chain.states
        nodes = [graph.nodes[node] for node, *_ in self.path]
        first = writer.add(
            "nodes",
            ([[[names[i], field.mass_text(mass)] for i, mass in part] for part in (node.x, node.y)] for node in nodes),
        )
        way, last = self.interval.direction, len(self.path) - 1
        for k, (_, asked, label) in enumerate(self.path):
            claim: list[object] = [first + k, way, field.text(field.value(self.values[k]))]
            if k == last:
                claim.append("gap")
            else:
                claim += ["step", {label: first + k + 1}, last - k, *([] if asked is None else [asked])]
            writer.add("lower", [claim])
        return {"node": first}

    def event(self, limit: int) -> Event:  # noqa: ARG002  # it is one
        """The word."""
        return Event([self.word])


class NothingProved(Proof):
    """0 ≤ δ ≤ 1: a pair that was not looked at."""

    def claim(self, writer: Writer) -> dict[str, object]:  # noqa: ARG002  # there is nothing to prove
        """Cites nothing."""
        return {}

    def event(self, limit: int) -> Event:  # noqa: ARG002  # there is none
        """None."""
        return Event()


def word_answer(question: Question, work: Workspace, reason: NoEpsilon) -> Answer | None:
    """The gap of the word that the reason has for this ε, certified; None if it has no gap, or is too long to say."""
    proof = _word_proof(question, work, reason)
    if proof is None:
        return None
    nothing = Interval(Fraction(0), Fraction(1), 0)
    proofs = [
        proof
        if pair == reason.pair
        else NothingProved(question=question, pair=pair, interval=nothing, method="not looked at", stopped="gap")
        for pair in question.pairs
    ]
    return Answer(question, work, tuple(proofs))


def _word_proof(question: Question, work: Workspace, reason: NoEpsilon) -> Proof | None:
    if reason.pair not in work.alike:
        from .. import different_labels

        return different_labels.attempt(question, work, [reason.pair], Cancel()).get(reason.pair)
    graph, field = work.graph, work.graph.field
    _, alpha = field.alphas(question.at)
    letters = reason.long_word(question.at.above)
    path: list[tuple[int, str | None, str]] = []
    weights: list[Any] = []  # values of the graph's field
    node, rest = graph.root(*work.merged(reason.pair)), list(letters[1:])
    while True:
        # A belief that comes again, up to scale, has gained nothing: the way around is left out.
        again = next((k for k, step in enumerate(path) if step[0] == node), None)
        if again is not None:
            del path[again:], weights[again:]
        if not rest or graph.closed(node):
            break
        asked = None if graph.chain.offered(_some_state(graph, node)) == (None,) else rest.pop(0)
        label = rest.pop(0)
        edge = next(e for e in graph.expand(node) if e.label == label and e.asked == asked)
        path.append((node, asked, label))
        weights.append(edge.weight)
        node = edge.child
    x, y = (field.quotient(mass, field.one) for mass in graph.nodes[node].masses(reason.direction))
    gap = x - alpha * y
    if not gap > field.zero:
        return None
    values, scale = [gap], field.quotient(field.one, field.one)
    for weight in reversed(weights):
        values.append(weight * values[-1])
        scale = scale * weight
    values.reverse()
    word = (graph.chain.labels[work.merged(reason.pair)[0]], *(label for *_, label in path))
    inputs = tuple(asked for _, asked, _ in path) if graph.chain.interactive else ()
    path.append((node, None, ""))
    return WordProof(
        question=question,
        pair=reason.pair,
        interval=Interval(ends(field.exactly(values[0]))[0], Fraction(1), reason.direction),
        method="one word",
        stopped="gap",
        nodes=len(path),
        graph=graph,
        path=tuple(path),
        values=tuple(field.exactly(value) for value in values),
        word=WitnessWord(word, field.exactly(scale * x), field.exactly(scale * y), inputs),
    )


def _some_state(graph: AnyGraph, node: int) -> int:
    found = graph.nodes[node]
    return int((found.x or found.y)[0][0])
