"""Skewed bisimilarity distances bd, ld and sd [CMP18, Def. 12; CMP19]: exact, or certified from above.

Reading order: `forms` (one step as a linear program, by the definitions), `space` (pairs, and their options where the
observer chooses inputs), `closure` (stepping stones), `step_float` and `step_exact` (one step, fast), `zero_set`,
`policy`, `system` and `guide` (the float fixed point), `integers` and `certify`, `ranks` and `exact` (the proofs),
`fixed_point` (all of it), `table` (its rows).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy import lazy_names

if TYPE_CHECKING:
    from .fixed_point import Distance, solve
    from .forms import directed_step, flow_form, paper_dual_form, primal_form, skewed_kantorovich
    from .lp import LinearProgram, Optimum
    from .space import Kind

# Names are imported when first used: the exact forms must not cost the import of the solvers.
_NAMES = {
    "fixed_point": ["Distance", "solve"],
    "forms": ["directed_step", "flow_form", "paper_dual_form", "primal_form", "skewed_kantorovich"],
    "lp": ["LinearProgram", "Optimum"],
    "space": ["Kind"],
}
__getattr__, __dir__ = lazy_names(__name__, _NAMES)

__all__ = [
    "Distance",
    "Kind",
    "LinearProgram",
    "Optimum",
    "directed_step",
    "flow_form",
    "paper_dual_form",
    "primal_form",
    "skewed_kantorovich",
    "solve",
]
