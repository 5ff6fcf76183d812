"""Skewed bisimilarity distances bd and ld [CMP18, Def. 11; CONCUR 2019]: exact, or certified from above.

Reading order: `space` (the pairs), `closure` (stepping stones), `step_float` and `step_exact` (one step),
`zero_set`, `policy` and `guide` (the float fixed point), `certify` and `exact` (the proofs), `solve` (all of it).
"""

from .solve import Distance, solve
from .space import Kind

__all__ = ["Distance", "Kind", "solve"]
