"""The best chance of naming the secret, before and after watching."""
