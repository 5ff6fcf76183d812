"""The command line: arguments in, exit codes out. One module a verb; everything that computes lives above."""
