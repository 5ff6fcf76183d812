"""The least ε for a δ, bands over all ε from searches at single ones, and pure privacy."""
