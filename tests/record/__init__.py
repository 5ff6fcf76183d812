"""What deltachain answers to every verb, and whether a later tree still answers as well, with as good proofs."""
