"""Skewed bisimilarity distances bd, ld and sd [CMP18, Def. 12; CMP19]: exact, or certified from above.

Reading order: `space` (pairs, and their options where the observer chooses inputs), `closure` (stepping stones),
`step_float` and `step_exact` (one step), `zero_set`, `policy`, `system` and `guide` (the float fixed point), `integers`
and `certify`, `ranks` and `exact` (the proofs), `fixed_point` (all of it), `table` (its rows).

Modules are imported directly, each when it is needed: rows and types must not cost the import of the solvers.
"""
