"""The explorer: the report as a local page, live (extra ``web``). Programs are compiled, never run."""
