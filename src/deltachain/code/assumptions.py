"""What an answer about code assumes, in sentences: what was seen of it, how often, and what nobody looked at."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..draws.source import Site
from .confirmation import Confirmed
from .points import BEYOND
from .wire import Json
from .workers import Workers

NOTHING_ELSE = (
    "that the function depends on nothing else (files, clock, environment, hash seed, other machines) is assumed, not"
    " proved"
)


@dataclass(frozen=True)
class Observed:
    """All runs of a function, and what confirmed them."""

    recording: Json
    confirmed: Confirmed
    workers: Workers
    integers: bool
    """Whether noise was a number from the start."""
    apart: Mapping[Site, str] = field(default_factory=dict)
    """The lines of `each` whose parts are told apart, and why."""


def headline_of(seen: Observed) -> str:
    """One clause for a headline."""
    if not seen.workers.clean:
        return "code: unconfirmed, run in this process"
    found = seen.confirmed
    return f"code: {found.confirmed:,} of {found.runs:,} runs confirmed"


def list_assumptions(seen: Observed) -> tuple[str, ...]:
    """Everything that is assumed, a sentence each."""
    found, workers = seen.confirmed, seen.workers
    integers = f", with {found.integers:,} real integers for noise" if found.integers else ""
    runs = f"each of {found.confirmed:,} runs (mass {shown_mass(found)} of each secret)"
    if not workers.clean:
        first = (
            f"the code was run in this process, where {runs} was made again{integers}: a process of its own has"
            f" confirmed nothing, and {NOTHING_ELSE}"
        )
    else:
        copy = "fresh copy of this process" if workers.how == "forks of this process" else "fresh interpreter"
        first = f"{runs} did the same as the first call of a {copy}{integers}; {NOTHING_ELSE}"
    sentences = [first]
    if found.confirmed < found.runs:
        left = found.runs - found.confirmed
        sentences.append(f"{left:,} of {found.runs:,} runs were not confirmed in time: what they do counts as unknown")
    if found.integers:
        alone = "of each noise alone" if found.several else "of the noise"
        tried = f"tried with {found.integers:,} integers, mass {_share(found.share)} {alone}"
        sentences.append(f"drawn numbers are looked at by arithmetic and comparison only ({tried})")
    if found.parts:
        sentences.append(
            "the function of dc.each depends, in each part, on nothing that another part changes, and what dc.each"
            f" gives is passed on and returned only (tried with {found.parts:,} outcomes of all parts together)"
        )
    seen_effects = (
        f"the code {effect}: in every call, and what comes of that is not looked at" for effect in workers.effects
    )
    return (*sentences, *seen_effects)


def notes_of(seen: Observed, origin: str, left_out: int) -> list[str]:
    """How the chain was made."""
    calls = seen.recording["calls"] + seen.confirmed.processes
    made = [f"made by running the code {calls:,} times, in {seen.workers.how}: {origin}"]
    made += [f"the parts of dc.each at {site} are told apart: {why}" for site, why in seen.apart.items()]
    if not left_out:
        return made
    return [*made, f"{left_out:,} runs are not followed (max_confirmed): what they do is unknown, and decides nothing"]


def shown_mass(found: Confirmed) -> str:
    """A probability, rounded down."""
    if found.whole:
        return "1"
    if found.mass >= 1 - 1e-6:
        return "above 0.999999"
    return f"{math.floor(found.mass * 1e6) / 1e6:g}"


def _share(share: float) -> str:
    if share >= 1 - float(BEYOND):
        return "1 - 1e-9"
    return f"{math.floor(share * 1e4) / 1e4:g}"
