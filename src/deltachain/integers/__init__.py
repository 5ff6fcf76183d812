"""Questions about all integer inputs at once (docs/theory/all-integers.md).

A program whose parameters are integers, with no list of values, is run symbolically (`run`): each word it may show has
a probability that is a sum of products of *stars*, sums over one integer (`mechanism`). Between two inputs that are far
apart such a probability satisfies a linear recurrence in their gap with known roots (`stars`), so that finitely many
*corners* decide about every gap (`regions`). On these rest the searches for a proof, for a violating pair, for the
least ε and for the supremum of δ (`search`).
"""
