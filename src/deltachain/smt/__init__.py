"""The paper's own route to bd [CMP18, Section 6]: threshold formulas for SMT solvers, bisection, exact search.

Reading order: `question` (what is asked), `formula` (formulas as data), `faithful` and `reduced` with `reduction` and
`bounds` (the formulas), `smtlib` (printing), `solvers`, `prefixed` (from models to proofs), `threshold` (all of it),
`search` (bisection, continued fractions), `integers`, `bitblast` (bounded integers, SAT).
"""

