"""The zoo: small protocols as chains, one file a family, each with a value that is known exactly.

Each function takes keyword parameters, has defaults for all of them, and returns a `Chain` that carries the
pairs of start states which must look alike. `catalogue` lists them; `build` reads ``NAME,key=value,…``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .registry import HOMES, Example, build, catalogue, load

if TYPE_CHECKING:
    from .above_threshold import sparse_vector
    from .biased_coin import coin
    from .bloom_reports import rappor
    from .counting_queries import query_budget
    from .crowds_routing import crowds
    from .cut_noise import clamped_geometric
    from .diners import dining_cryptographers
    from .duplicated_ends import split_coin
    from .geometric_mechanism import geometric
    from .hidden_decision import waiting_room
    from .hidden_mode import probe
    from .histograms import histogram
    from .interviews import adaptive_survey
    from .memoised_response import memoised_survey
    from .mix_cascade import mix
    from .noisy_maximum import noisy_max
    from .pin_feedback import pin_checker
    from .pin_lock import lockout
    from .random_chains import random_chain
    from .randomised_response import survey
    from .running_count import geometric_counter
    from .running_sums import partial_sum, smart_sum
    from .sensor import sticky_sensor

__all__ = [
    "Example",
    "adaptive_survey",
    "build",
    "catalogue",
    "clamped_geometric",
    "coin",
    "crowds",
    "dining_cryptographers",
    "geometric",
    "geometric_counter",
    "histogram",
    "lockout",
    "memoised_survey",
    "mix",
    "noisy_max",
    "partial_sum",
    "pin_checker",
    "probe",
    "query_budget",
    "random_chain",
    "rappor",
    "smart_sum",
    "sparse_vector",
    "split_coin",
    "sticky_sensor",
    "survey",
    "waiting_room",
]


def __getattr__(name: str) -> object:
    if name in HOMES:
        return load(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
