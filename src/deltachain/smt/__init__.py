"""The paper's own route to bd [CMP18, Section 6]: threshold formulas for SMT solvers, bisection, exact search.

Reading order: `constraints` (what is asked, and formulas as text), `faithful` and `reduced` (the formulas), `solvers`,
`prefixed_point` (from models to proofs), `decider` (all of it), `bisection` (from thresholds to the value),
`bounded_integers` (ratios of integers, bit-vectors, SAT).
"""
