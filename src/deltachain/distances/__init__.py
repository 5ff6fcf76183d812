"""Skewed bisimilarity distances bd, ld and sd [CMP18, Def. 12; CMP19]: exact, or certified.

Reading order: `kind` and `kinds` (what a distance is), `scalars` (its numbers), `pair_space` (pairs, and their options
where the observer chooses inputs), `closure` (stepping stones), `step_exact` (one step, exactly), `policy_iteration`
(steps and their fixed point, in floats), `zero_set`, `upper_side`, `lower_side`, `improvement` (of strategies, up to
the exact distance) with `lifting` (its linear systems), `fixed_point` (all of it), `pair_table` (its rows).
`trace_basis` is for graphs of beliefs.

Modules are imported directly, each when it is needed: rows and types must not cost the import of the solvers.
"""
