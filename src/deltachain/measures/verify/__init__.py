"""A certificate, checked against its model."""
