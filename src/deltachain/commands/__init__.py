"""The commands that ask for no measure: look at a model, translate it, run it, report on it."""
