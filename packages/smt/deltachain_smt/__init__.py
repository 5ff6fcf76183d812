"""The paper's own route to bd [CMP18, Section 6]: threshold formulas for SMT solvers, bisection, exact search.

Reading order: `formulas` (what is asked, formulas as text, the paper's), `reduced` (smaller ones), `solvers`,
`prefixed_point` (from models to proofs), `decider` (all of it, and from thresholds to the value), `bounded_integers`
(ratios of integers, bit-vectors, SAT).
"""

PROVIDES = {
    "verbs": {
        "threshold": (
            "Ask an SMT solver whether bd ≤ θ, by the paper's formulas (exit code 0: yes, 1: no, 3: unknown).",
            "deltachain_smt.command",
        )
    },
    "names": {
        "deltachain_smt.exact": "ExactThreshold exact_threshold",
        "deltachain_smt.show": "Threshold",
        "deltachain_smt.verb": "threshold",
    },
}
"""What `deltachain.registry` offers of it."""
