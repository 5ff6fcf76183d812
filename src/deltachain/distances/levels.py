"""How the variables of a step's basis are written: an arc (u, v) at a level ≥ 1, or one of two codes below 1."""

from __future__ import annotations

__all__ = ["ETA", "SLACK"]

ETA = 0
"""Level code of a basic η_u in a recorded basis."""
SLACK = -1
"""Level code of a basic slack_u in a recorded basis."""
