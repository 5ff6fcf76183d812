"""Answers about all integer inputs of a program: check, epsilon, parametric and verify hand such programs here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...lazy import lazily

if TYPE_CHECKING:
    from .command import reply_to_check as reply_to_check
    from .command import reply_to_delta as reply_to_delta
    from .command import reply_to_epsilon as reply_to_epsilon
    from .command import reply_to_verify as reply_to_verify
    from .find import is_about_all_integers as is_about_all_integers
    from .verb import check_integers as check_integers
    from .verb import delta_integers as delta_integers
    from .verb import epsilon_integers as epsilon_integers
    from .verb import refuse_beside as refuse_beside
    from .verb import verify_integers as verify_integers

# Few programs are asked about at all integers.
_HOMES = {
    "command": "reply_to_check reply_to_delta reply_to_epsilon reply_to_verify",
    "find": "is_about_all_integers",
    "verb": "check_integers delta_integers epsilon_integers refuse_beside verify_integers",
}
__getattr__, __all__ = lazily(__name__, _HOMES)
