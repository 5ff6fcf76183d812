"""Signed beliefs in machine integers: intervals that shrink, for what no finite graph settles."""
