"""One file for each example, named for it; its function bears the same name."""
