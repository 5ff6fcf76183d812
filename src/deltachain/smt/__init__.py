"""The paper's own route to bd [CMP18, Section 6]: threshold formulas for SMT solvers, bisection, exact search.

Reading order: `formulas` (what is asked, formulas as text, the paper's), `reduced` (smaller ones), `solvers`,
`prefixed_point` (from models to proofs), `decider` (all of it, and from thresholds to the value), `bounded_integers`
(ratios of integers, bit-vectors, SAT).
"""
