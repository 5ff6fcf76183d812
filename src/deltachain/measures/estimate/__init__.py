"""Two-sided estimates of δ by sampling words, with a stated confidence (docs/theory/sampling.md)."""
