"""A cancel for tests: it stops the work at a chosen question, whatever the clock says."""

from __future__ import annotations

from deltachain.cancel import Cancel


class StoppingAfter(Cancel):
    """Says stop after so many questions."""

    def __init__(self, calls: int) -> None:
        super().__init__()
        self.left = calls

    def stopped(self) -> bool:
        self.left -= 1
        if self.left < 0:
            self.interrupt()
        return super().stopped()
