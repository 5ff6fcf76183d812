"""The least ε for a δ, and bands over all ε, from searches at single ones."""
