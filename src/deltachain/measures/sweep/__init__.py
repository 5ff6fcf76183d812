"""A verb over parameters × ε × pairs, a row each."""
