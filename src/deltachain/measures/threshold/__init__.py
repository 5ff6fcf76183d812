"""Whether bd is at most a threshold, by the formulas of the paper and SMT solvers."""
