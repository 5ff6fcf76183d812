"""δ and its verdict: the intervals of pairs at one ε, with the event that gives a secret away."""
