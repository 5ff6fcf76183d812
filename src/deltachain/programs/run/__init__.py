"""What a program does: its configurations explored and folded into a chain, or one run of it."""
