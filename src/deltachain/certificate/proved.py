"""Which rules of certificates are theorems of Coq, and which are not yet: `verify --formal` refuses these by name.

Pages have this table between ``<!-- proved -->`` and ``<!-- end -->``, or within a line what is refused between
``<!-- refused -->`` and ``<!-- end -->``; docs/generate.py writes them there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ..errors import CertificateRejected

NOT_PROVED = "this rule is not in the proved checker; verify it without --formal"
OLDER_FORMAT = "this is format 1: verify it without --formal, or make a new certificate"
PLACE = re.compile(r"(<!-- proved -->\n).*?(<!-- end -->)", re.DOTALL)
IN_A_LINE = re.compile(r"(<!-- refused -->).*?(<!-- end -->)")


class Rule(NamedTuple):
    """A rule, and where its theorem is; ``uses`` are the extensions and claims of certificates that it is for.

    ``lemmas`` is where what a rule rests on is proved, though the rule itself is not.
    """

    name: str
    theorem: str | None
    uses: tuple[str, ...] = ()
    lemmas: str = ""


RULES = (
    Rule("claims by covers: step and now, circles, given η, complements, unseen vectors, inputs", "Cover.v"),
    Rule("values of graphs, from above and from below; leaves with covers, letters that leave, inputs", "Lower.v"),
    Rule("δ by covers and by values; bounds that are strict; one e^ε, or two", "Views.v", ("delta",)),
    Rule("the largest ratio: words, pumps, limits, covers at every e^ε", "Growth.v", ("ratio",)),
    Rule("merging, added states, views with coarser labels", "Views.v"),
    Rule("visits, with leaves and classes", "Visits.v"),
    Rule("guesses, by gains or by a number of guesses among at most 12 secrets", "Visits.v", ("guess",)),
    Rule("trade-offs: the corners of the best tests", "Tests.v", ("tradeoff",)),
    Rule("δ on a part of the interval of a parameter, by visits", "Tests.v", ("parts",)),
    Rule("bd, ld, sd, sd up to traces: covers; prices and ranks", "Distances.v", ("distances", "bd", "ld", "sd")),
    Rule("numbers of Q, of Q(e^(1/k)), and of Q(u) for every u of an interval", "Quotients.v"),
    Rule("Rényi and Kullback–Leibler divergences: roots and logarithms", None, ("renyi", "kl")),
    Rule("outcomes", None, ("outcomes",)),
    Rule("recipes: trees, levels and grids in integers", None, ("recipes",)),
    Rule("limits on rows", None, ("limits",)),
    Rule("splits: a law of large numbers", None, ("splits",)),
    Rule("all integers: recurrences of words", None, ("integers",), lemmas="Corners.v"),
)
"""In the order of the table."""


def list_unproved(certificate: Mapping[str, Any]) -> Iterator[str]:
    """The extensions and claims of a certificate of format 2 that no theorem is about, by name."""
    proved = {use for rule in RULES if rule.theorem for use in rule.uses} | {"measures"}
    used = [*certificate.get("extensions", []), *(claim["claim"] for claim in certificate["proves"])]
    yield from (name for name in dict.fromkeys(used) if name not in proved)


def refuse_unproved(certificate: Mapping[str, Any]) -> None:
    """CertificateRejected, by name, where something that the certificate uses has no theorem."""
    for name in list_unproved(certificate):
        raise CertificateRejected(name, NOT_PROVED)


def table() -> str:
    """For pages."""
    lines = ["| rule | theorem |", "|---|---|"]
    for rule in RULES:
        lemmas = f"; its lemmas are: `formal/{rule.lemmas}`" if rule.lemmas else ""
        told = f"`formal/{rule.theorem}`" if rule.theorem else f"not proved: refused by name{lemmas}"
        named = f" ({', '.join(f'`{use}`' for use in rule.uses)})" if rule.uses else ""
        lines.append(f"| {rule.name}{named} | {told} |")
    return "\n".join(lines) + "\n"


def describe_refused() -> str:
    """For a line: what is not proved."""
    return "; ".join(rule.name for rule in RULES if not rule.theorem)


def fill_page(page: str) -> str:
    """A page with the table of today."""
    page = PLACE.sub(lambda found: found[1] + table() + found[2], page)
    return IN_A_LINE.sub(lambda found: found[1] + describe_refused() + found[2], page)
