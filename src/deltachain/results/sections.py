"""What a result shows: a headline and sections; one renderer for plain text, one for HTML.

A section is a list of fields, a table, a paragraph or a picture. Text that advises a setting names it in backticks, as
the errors do: the command line prints its option instead, HTML prints code.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from ..certificate.checked import TooLarge
from ..characters import escape_tex
from ..errors import DeltachainError, InputError, Stopped
from .text import escape_markup, fields, printable, table

if TYPE_CHECKING:
    from ..certificate.claims import Evidence
    from ..certificate.record import Certificate

SHOWN_ROWS = 40
"""Rows of a table that are shown; what follows it says how many more there are."""
CODE = re.compile(r"`([a-z_]+(?:\(\))?)`")

Proof = TypeVar("Proof")


@dataclass(frozen=True, slots=True)
class Fields:
    """Names with their values."""

    rows: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a header, with a line before them, and lines after."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    more: str = ""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Sentences; a line feed begins a new line."""

    text: str


@dataclass(frozen=True, slots=True)
class Picture:
    """Inline SVG, whose text is escaped already, and what it shows; plain text leaves it out."""

    svg: str
    caption: str


Section = Fields | Table | Paragraph | Picture


def assumption_section(sentences: Sequence[str]) -> Sequence[Section]:
    """What an answer assumes, as its last section; none where it assumes nothing."""
    lines = ["Assumed of the code that was run:", *(f"- {sentence}" for sentence in sentences)]
    return [Paragraph("\n".join(lines))] if sentences else []


def as_text(headline: str, sections: Iterable[Section], setting: Callable[[str], str] = "`{}`".format) -> str:
    """Plain text: the headline, then the sections, blank lines between; ``setting`` writes the names in backticks."""
    parts = [headline, *map(_text, sections)]
    return "\n\n".join(CODE.sub(lambda found: setting(found[1]), part) for part in parts if part)


def _text(section: Section) -> str:
    match section:
        case Fields(rows):
            return fields(rows)
        case Table(header, rows, title, more):
            return "\n".join(filter(None, [title, table(header, rows), more]))
        case Paragraph(text):
            return text
        case Picture():
            return ""


def as_html(headline: str, sections: Iterable[Section]) -> str:
    """Tables and paragraphs for a notebook; every name is escaped."""
    return f"<div><p><b>{_inline(headline)}</b></p>{''.join(map(_html, sections))}</div>"


def _html(section: Section) -> str:
    match section:
        case Fields(rows):
            lines = "".join(f"<tr><th>{_inline(name)}</th><td>{_inline(value)}</td></tr>" for name, value in rows)
            return f"<table><tbody>{lines}</tbody></table>"
        case Table(header, rows, title, more):
            caption = f"<caption>{_inline(title)}</caption>" if title else ""
            head = "".join(f"<th>{_inline(cell)}</th>" for cell in header)
            body = "".join("<tr>" + "".join(f"<td>{_inline(cell)}</td>" for cell in row) + "</tr>" for row in rows)
            after = _html(Paragraph(more)) if more else ""
            return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{after}"
        case Paragraph(text):
            return f"<p>{'<br/>'.join(map(_inline, text.splitlines()))}</p>"
        case Picture(svg, caption):
            return f"<figure>{svg}<figcaption>{_inline(caption)}</figcaption></figure>"


def _inline(text: str) -> str:
    return CODE.sub(r"<code>\1</code>", escape_markup(text))


def as_latex(headline: str, sections: Iterable[Section]) -> str:
    """The fields and tables as ``tabular``s, for LaTeX; paragraphs and pictures are left out."""
    parts = [f"% {printable(headline)}", *map(_latex, sections)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _latex(section: Section) -> str:
    match section:
        case Fields(rows):
            return _tabular([], rows)
        case Table(header, rows, _, _):
            return _tabular(header, rows)
        case _:
            return ""


def _tabular(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    width = len(header) or max(map(len, rows), default=0)
    lines = [" & ".join(map(escape_tex, row)) + r" \\" for row in rows]
    head = [" & ".join(map(escape_tex, header)) + r" \\ \hline"] if header else []
    return "\n".join([rf"\begin{{tabular}}{{{'l' * width}}}", *head, *lines, r"\end{tabular}"]) if rows else ""


class Rendered(ABC):
    """A value that shows itself. Subclasses are frozen dataclasses; they say what is shown, never how."""

    @property
    @abstractmethod
    def headline(self) -> str:
        """The one line that answers."""

    def sections(self) -> Sequence[Section]:
        """What follows the headline, most important first."""
        return ()

    @property
    def assumes(self) -> tuple[str, ...]:
        """What it assumes beside what is proved, in sentences; empty but for answers about code that was run."""
        return ()

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The result as plain data."""

    def document(self) -> dict[str, Any]:
        """The keys of its own of the verb's ``--json``."""
        return self.to_dict()

    @property
    def _asked(self) -> str:
        """The privacy parameter, for a `repr`; empty if the headline has it."""
        return ""

    def __repr__(self) -> str:
        asked = f", {self._asked}" if self._asked else ""
        return f"<{type(self).__name__}: {self.headline}{asked}>"

    def to_latex(self) -> str:
        """The tables of the result for LaTeX, each a ``tabular``, below the headline as a comment."""
        return as_latex(self.headline, self.sections())

    def _repr_html_(self) -> str:
        return as_html(self.headline, (*self.sections(), *assumption_section(self.assumes)))


class ProvedValue(Rendered):
    """A result with the evidence for it in a field ``_proof``, and cached properties made from it, named by ``PROVED``.

    Evidence as the engine holds it (belief graphs, policies) does not travel. Pickling a result therefore makes what it
    is good for (the certificate, the witness) and leaves the engine behind: a result never loses its proof.
    """

    PROVED: ClassVar[tuple[str, ...]] = ("_certificate",)
    NONE = "nothing was proved"
    """Why there is no certificate where there is no evidence either."""

    @property
    def certificate(self) -> Certificate:
        """The proof, see docs/certificate.md; InputError, which says why, where there is none."""
        if self._certificate is None:
            evidence: Evidence | None = getattr(self, "_proof", None)
            missing = "" if evidence is None else evidence.missing
            raise InputError(f"certificate: there is none: {missing or self.NONE}")
        return self._certificate

    @property
    def has_certificate(self) -> bool:
        """Whether `certificate` is one."""
        return self._certificate is not None

    @cached_property
    def _certificate(self) -> Certificate | None:
        evidence: Evidence | None = getattr(self, "_proof", None)
        try:
            return None if evidence is None or evidence.missing else evidence.certificate()
        except (Stopped, TooLarge):
            return None

    def __getstate__(self) -> dict[str, Any]:
        for name in self.PROVED:
            getattr(self, name)
        return self.__dict__ | {"_proof": None}

    def _find(self, proof: Proof | None) -> Proof:
        if proof is None:
            raise DeltachainError("this result was built without its proof")
        return proof
