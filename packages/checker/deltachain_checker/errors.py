"""What the checker says of a certificate that does not prove what it claims."""

from __future__ import annotations


class CertificateRejected(ValueError):
    """A certificate that does not prove what it claims.

    ``claim`` names the claim, ``rule`` the rule that fails, ``left`` and ``right`` the two sides that do not fit.
    """

    def __init__(self, claim: str, rule: str, left: object = None, right: object = None) -> None:
        self.claim, self.rule, self.left, self.right = claim, rule, left, right
        sides = "" if left is None and right is None else f": {shortened(left)} against {shortened(right)}"
        # Not super(): the error of somebody who uses several checkers may be one of each.
        ValueError.__init__(self, f"{shortened(claim, 300)}: {shortened(rule, 300)}{sides}")


def shortened(side: object, most: int = 120) -> str:
    """One side of a comparison, or a part of a message, cut so that hostile or huge ones stay readable."""
    try:
        shown = str(side)
    except ValueError:  # an integer beyond the interpreter's limit on digits
        return "a number of thousands of digits"
    return shown if len(shown) <= most else f"{shown[: most - 3]}…"


def need(condition: object, claim: str, rule: str, left: object = None, right: object = None) -> None:
    """Reject unless the condition holds."""
    if not condition:
        raise CertificateRejected(claim, rule, left, right)
