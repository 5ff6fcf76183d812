"""What release 0.2 answered, over the zoo and a corpus of random chains, and whether we still answer the same."""
