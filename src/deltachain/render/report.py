"""The report: everything about a model's privacy in one HTML file that reads nothing else.

The page is made from templates, with every name escaped, under a Content-Security-Policy that admits one style and
one script, by their hashes, and no network. Numbers reach the page as text, bounds rounded outward from exact
fractions; the script moves texts and pictures, and computes no bound. No time, no path and no random number is in it:
the same findings give the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..model import Chain
from ..rational import ExpEpsilon
from ..version import __version__

if TYPE_CHECKING:
    from jinja2 import Environment

    from ..beliefs.losses import PrivacyLosses
    from ..beliefs.witness import Witness

FOLDER = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True)
class BoundRow:
    """The certified interval of one pair; the verdict on it where a δ was allowed."""

    pair: tuple[str, str]
    lower: Fraction
    upper: Fraction
    method: str
    verdict: str | None


@dataclass(frozen=True, slots=True)
class EpsilonRow:
    """For δ: (ε, δ)-private from ``proved`` on (None: not proved for any ε), and for no ε below ``refuted``."""

    delta: Fraction
    proved: Fraction | None
    refuted: Fraction


@dataclass(frozen=True, slots=True)
class DistanceRow:
    """The largest distance over the pairs, both directions; None with the reason where it was not computed."""

    kind: str
    value: Fraction | None
    exact: bool
    reason: str = ""


@dataclass(frozen=True)
class Findings:
    """What a report tells of, as values."""

    chain: Chain
    source: str
    exp_epsilon: ExpEpsilon
    bounds: tuple[BoundRow, ...]
    verdict: str | None
    allowed: Fraction | None
    worst: BoundRow
    witness: Witness | None
    points: tuple[tuple[Fraction, Fraction, Fraction], ...]
    """(ε, lower, upper) by increasing ε."""
    distributions: tuple[PrivacyLosses, ...] | None
    """The exact privacy-loss distribution of each pair, in the order of ``bounds``, or None."""
    epsilons: tuple[EpsilonRow, ...]
    distances: tuple[DistanceRow, ...]
    certificate: str
    """The text of the certificate's file."""
    prior: Fraction
    """A watcher's belief in the first state of the worst pair, before watching."""
    command: str | None = None
    verify: str | None = None
    """The commands that made the report and that check its certificate."""
    notes: tuple[str, ...] = field(default=())

    @property
    def lower(self) -> Fraction:
        """The worst pair's lower bound."""
        return max(row.lower for row in self.bounds)

    @property
    def upper(self) -> Fraction:
        """The worst pair's upper bound."""
        return max(row.upper for row in self.bounds)


@lru_cache(maxsize=1)
def templates() -> Environment:
    """The environment of all pages: everything is escaped unless it was made here."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def asset(name: str) -> str:
    """A style or script of ours, as text."""
    return (FOLDER / name).read_text("utf-8")


def policy(styles: Sequence[str], scripts: Sequence[str], **more: str) -> str:
    """The Content-Security-Policy that admits these inline texts, by hash, and what ``more`` says; nothing else."""
    rules = {"default-src": "'none'", "base-uri": "'none'", "form-action": "'none'"}
    rules |= {"style-src": _hashes(styles), "script-src": _hashes(scripts)}
    rules |= {name.replace("_", "-"): value for name, value in more.items()}
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def _hashes(texts: Sequence[str]) -> str:
    digests = (hashlib.sha256(text.encode()).digest() for text in texts)
    return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)


def script_data(data: Mapping[str, Any]) -> str:
    """JSON that may stand in a script element: nothing in it ends the element, whatever the names are."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), sort_keys=True)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def rendered_report(findings: Findings) -> str:
    """The whole page."""
    from markupsafe import Markup

    from .report_view import view

    page, data = view(findings)
    style, script = asset("report.css"), asset("report.js")
    return (
        templates()
        .get_template("report.html")
        .render(
            page,
            version=__version__,
            policy=policy([style], [script]),
            style=Markup(style),  # noqa: S704 - our own file
            script=Markup(script),  # noqa: S704 - our own file
            data=Markup(script_data(data)),  # noqa: S704 - escaped there
        )
    )
