"""The best value of a parameter that is proved private, and its neighbour, which is refuted."""
