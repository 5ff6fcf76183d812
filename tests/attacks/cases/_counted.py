"""A library that counts its calls: what functions that live elsewhere keep."""

import threading

CALLS = 0


class Ledger:
    spent = 0

    def __init__(self, budget):
        self.budget = budget
        self.lock = threading.Lock()

    def spend(self):
        self.budget -= 1
        return self.budget >= 0


LEDGER = Ledger(100)
_POOL = {"left": 20}


def spend():
    global CALLS
    CALLS += 1
    return CALLS


def spend_from_pool():
    _POOL["left"] -= 1
    return _POOL["left"]
