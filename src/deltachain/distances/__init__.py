"""Skewed bisimilarity distances bd, ld and sd [CMP18, Def. 12; CMP19]: exact, or certified from above.

Reading order: `forms` (one step as a linear program, by the definitions), `space` (pairs, and their options where the
observer chooses inputs), `closure` (stepping stones), `step_float` and `step_exact` (one step, fast), `zero_set`,
`policy`, `system` and `guide` (the float fixed point), `integers` and `certify`, `ranks` and `exact` (the proofs),
`fixed_point` (all of it), `table` (its rows).
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .fixed_point import Distance, solve
    from .forms import directed_step, flow_form, paper_dual_form, primal_form, skewed_kantorovich
    from .lp import LinearProgram, Optimum
    from .space import Kind

# Names are imported when first used: the exact forms must not cost the import of the solvers.
_HOME = {
    "Distance": "fixed_point",
    "Kind": "space",
    "LinearProgram": "lp",
    "Optimum": "lp",
    "directed_step": "forms",
    "flow_form": "forms",
    "paper_dual_form": "forms",
    "primal_form": "forms",
    "skewed_kantorovich": "forms",
    "solve": "fixed_point",
}

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


def __getattr__(name: str) -> object:
    if name in _HOME:
        return getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
