"""The certificate of δ intervals: claims on belief nodes where graphs end, recipes where they do not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..beliefs.answers import Answer
from ..beliefs.finite import Solved
from ..beliefs.splits import SplitSolved
from .nodes import node_claims
from .record import Certificate, document_of, exact_text, merge_of
from .splits import split_claims

if TYPE_CHECKING:
    from ..beliefs.forest import Direction, Forest
    from ..beliefs.vectors import EventVectors


def delta_certificate(answer: Answer) -> Certificate:
    """Proof of every pair's interval, about the chain as given."""
    parts: dict[str, Any] = {}
    if answer.part is not None and answer.quotient is not None:
        parts["merge"] = merge_of(answer.part, answer.quotient)
    nodes, numbers = node_claims([p.proof for p in answer.pairs if isinstance(p.proof, Solved)])
    parts |= nodes
    splits = {p.pair: p.proof for p in answer.pairs if isinstance(p.proof, SplitSolved)}
    entries, places = split_claims(splits)
    parts["splits"] = entries
    finite = (Solved, SplitSolved)
    grown = next((p.proof for p in answer.pairs if p.proof is not None and not isinstance(p.proof, finite)), None)
    if grown is not None:
        parts |= _recipes(grown)
    parts |= _distances(grown, [p.proof for p in answer.pairs if isinstance(p.proof, Solved)])
    claims = []
    for found in answer.pairs:
        claim: dict[str, Any] = {"claim": "delta", "pair": [answer.chain.states[i] for i in found.pair]}
        if isinstance(found.proof, Solved) and found.merged is not None:
            claim["node"] = numbers[id(found.proof), found.proof.graph.root(*found.merged)]
        if found.pair in places:
            claim["split"] = places[found.pair]
        claim |= {"lower": exact_text(found.interval.lower), "upper": exact_text(found.interval.upper)}
        claims.append(claim)
    return Certificate(document_of(answer.chain, answer.exp_epsilon, claims, **parts))


def _recipes(forest: Forest) -> dict[str, Any]:
    """The entries ``bits``, ``vectors`` and ``recipes`` of signed beliefs."""
    names, labels = forest.chain.states, forest.chain.alphabet
    trees = {pair: known for pair, known in forest.known.items() if not (known.best_below() and known.best_above())}
    used = _used(forest.vectors, (k for known in trees.values() for k in known.chosen.tolist()))
    number = {0: 0, 1: 1} | {k: i + 2 for i, k in enumerate(used)}
    recipes: list[list[Any]] = []
    for (s, t), known in forest.known.items():
        others = {id(other): other for other in (known.best_below(), known.best_above()) if other is not None}
        recipes += [[names[s], names[t], *other.recipe()] for other in others.values()]
        if (s, t) in trees:
            recipes.append([names[s], names[t], "tree", _tree_text(known, number)])
    vectors: list[list[Any]] = []
    for k in used:
        label = labels[forest.vectors.label[k]]
        entry: list[Any] = [label, {labels[b]: number[j] for b, j in forest.vectors.after[k].items()}]
        if label in forest.chain.inputs:
            entry.append(forest.chain.inputs[label][forest.vectors.choice[k]])
        vectors.append(entry)
    return {"bits": forest.bits, "vectors": vectors, "recipes": recipes}


def _distances(forest: Forest | None, solved: Sequence[Solved]) -> dict[str, Any]:
    """The D claims that flows of beliefs cite, and those of the directions that the distance bounds best."""
    cited: list[tuple[int, int]] = []
    distance = None
    if forest is not None and forest.distance is not None:
        distance = forest.distance
        cited += [pair for pair in forest.known if forest.ceiling(pair) == forest.bounds(pair)[1] < 1]
    for closing in (proof.closing for proof in solved if proof.closing is not None):
        distance = closing.distance
        cited += [(u, v) for flow in closing.flows.values() for u, v, _ in flow.arcs]
    if distance is None or not cited:
        return {}
    from .distances import flow_claims

    numbers = {number for s, t in cited if (number := distance.proof.space.pair_of_states(s, t)) is not None}
    return {"kind": distance.kind, "distances": flow_claims(distance, sorted(numbers))}


def _used(vectors: EventVectors, chosen: Iterable[int]) -> Sequence[int]:
    """The vectors that are chosen, and all that they are made of, in order."""
    found: set[int] = set()
    stack = [k for k in set(chosen) if k > 1]
    while stack:
        k = stack.pop()
        if k not in found:
            found.add(k)
            stack += [j for j in vectors.after[k].values() if j > 1]
    return sorted(found)


def _tree_text(known: Direction, number: Mapping[int, int]) -> str:
    """The nodes in the order of a walk that goes down first: ``x`` expanded, ``.`` a leaf, ``N,`` one with a vector."""
    begin, count = known.tree.begin.tolist(), known.tree.count.tolist()
    chosen = known.chosen.tolist()
    pieces, stack = [], [0]
    while stack:
        node = stack.pop()
        if begin[node]:
            pieces.append("x")
            stack.extend(range(begin[node] + count[node] - 1, begin[node] - 1, -1))
        else:
            vector = chosen[node] if node < len(chosen) else 0
            pieces.append(f"{number[vector]}," if vector else ".")
    return "".join(pieces)
