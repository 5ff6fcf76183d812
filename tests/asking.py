"""A search in one line, for tests of what lies beneath the public verbs."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from deltachain import Chain
from deltachain.beliefs.proof import Answer
from deltachain.beliefs.question import Budget, Question
from deltachain.beliefs.search import search
from deltachain.beliefs.workspace import Workspace
from deltachain.cancel import Cancel
from deltachain.model.chain import Pair
from deltachain.numbers.fraction import ExpEpsilon


def question_at(
    at: ExpEpsilon | Fraction | int,
    chain: Chain,
    pairs: Sequence[Pair],
    *,
    gap: Fraction | None = None,
    allowed: Fraction | None = None,
    max_nodes: int | None = None,
) -> Question:
    """The question about some pairs at one e^ε."""
    known = at if isinstance(at, ExpEpsilon) else ExpEpsilon.exactly(Fraction(at))
    return Question(at=known, chain=chain, pairs=tuple(pairs), gap=gap, allowed=allowed, budget=Budget(max_nodes))


def answered(question: Question, cancel: Cancel | None = None) -> Answer:
    """What the search finds, in a workspace of its own."""
    return search(question, Workspace.of(question), cancel or Cancel())
