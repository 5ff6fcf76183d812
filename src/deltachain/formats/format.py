"""What a format is: how its files are read and written, what a reader hands back, and what all text formats share.

A file is UTF-8 text (a leading byte-order mark is skipped) of at most `files.MAX_BYTES`. Lines end in a line feed,
with or without a carriage return before it; no other character ends a line. Lines and columns count from 1,
columns in characters. A parser collects what is wrong in `Faults` and goes on while that makes sense, so that
one run reports a file's defects together. Probabilities are read exactly from a file's own digits, and written to read
back as the same number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from typing import Literal

from ..cancel import Cancel
from ..errors import Defect, FormatError, InputError, UncertainChain
from ..files import (
    MAX_BYTES,
    STANDARD,
    open_regular,
    read_standard_input,
    too_large,
    unreadable,
    write_atomically,
)
from ..model import Box, Chain, Loaded, Valuation
from ..model.build import AnyRawRow, RawBox, RawEntry, assemble
from ..model.display import dot_pieces
from ..model.listing import brief
from ..numbers.field import text_of
from ..numbers.fraction import MAX_DIGITS, format_fraction, parse_fraction, round_down
from ..settings import Settings

MEANINGS = {
    "normalise": "it divides rows by their sums",
    "constants": "it gives values to constants",
    "observe": "it chooses visible variables",
    "observe_labels": "it chooses visible labels",
    "max_states": "it bounds what is explored",
}
"""Setting → what it does."""


HeldNumbers = Literal["fractions", "intervals", "numbers"]


@dataclass(frozen=True, kw_only=True)
class Format:
    """One format: what it is, and how its files are read and written.

    A format whose files are one text has ``pieces``; one that has neither ``pieces`` nor ``write`` is only read.
    """

    title: str
    read: Callable[[Path, Settings], Loaded] | None = None
    """None for a format that is only written."""
    pieces: Callable[[Chain], Iterator[str]] | None = None
    """The whole content, where it is one text: that can go to standard output, too."""
    write: Callable[[Chain, Path], None] | None = None
    """All files of the chain, or none of them; None for one text, and for a format that is only read."""
    understands: tuple[str, ...] = ("normalise",)
    """The settings that are used, beside ``keep_labels``, which all accept."""
    holds: HeldNumbers = "fractions"
    """What numbers can be written: fractions alone, intervals around others, or every number as what it is."""
    holds_relation: Callable[[Chain], bool] = lambda _: False
    """Whether a file says which pairs of the chain's states must look alike."""
    holds_assumptions: bool = False
    """Whether a file says what answers about the chain assume."""

    @property
    def written(self) -> bool:
        """Whether chains can be written in the format."""
        return self.pieces is not None or self.write is not None

    def save(self, chain: Chain, path: Path) -> None:
        """Write the chain, all or nothing; only for a format that is `written`."""
        if self.pieces is not None:
            write_atomically(path, self.pieces(chain))
        elif self.write is not None:
            self.write(chain, path)

    def refuse_numbers(self, chain: Chain, name: str) -> None:
        """Raise UncertainChain with the first state whose probabilities the format has no numbers for."""
        if self.holds == "fractions":
            chain.need("fractions", f".{name}", "these files hold fractions", "write .json, which holds every number")

    def encloses(self, chain: Chain) -> int:
        """How many rows of one known number each, exact or enclosed, a file has only as intervals: as limits."""
        if self.holds != "intervals":
            return 0
        known = (row for rows in chain.given for row in rows if row.kind != "limits")
        return sum(row.fractions is None for row in known)

    def check(self, settings: Settings, name: str) -> None:
        """Raise InputError for every setting that is not of its kind, or given and not understood."""
        defects = [
            Defect(setting, f"{text!r} is one text", f"give a list of names: [{text!r}]")
            for setting, text in (("observe", settings.observe), ("observe_labels", settings.observe_labels))
            if isinstance(text, str)
        ]
        most = settings.max_states
        if most is not None and (isinstance(most, bool) or not isinstance(most, int) or most < 1):
            defects.append(Defect("max_states", f"{most!r} is not a number of states", "give a positive int"))
        if defects:
            raise InputError(defects)
        defects = [
            Defect(f"`{setting}`", f"not used with .{name} files: {does}", "leave it out")
            for setting, does in MEANINGS.items()
            if getattr(settings, setting) and setting not in self.understands
        ]
        if defects:
            raise InputError(defects)


def _box_defects(chain: Chain, what: Callable[[Box], str], fix: str) -> list[Defect]:
    """A defect for every state with a box of which there is something to say."""
    said = {
        state: text
        for state, rows in enumerate(chain.given)
        for row in rows
        if row.fractions is None and (text := what(row.box))
    }
    return [Defect(f"state {chain.states[state]!r}", text, fix) for state, text in said.items()]


def in_intervals(chain: Chain) -> bool:
    """Whether a format without formulas writes the probabilities of this chain as intervals."""
    return not chain.rational


def refuse_more_than_intervals(chain: Chain, format_name: str) -> None:
    """Raise UncertainChain for boxes that make no interval DTMC: with inputs, mass that leaves, a confidence."""
    native = "write .json, which holds it"
    defects = []
    boxed = in_intervals(chain)
    if boxed and chain.interactive:
        what = f"{format_name} would have to hold an interval MDP, which is neither written nor read"
        defects.append(Defect("chain", what, native))
    if boxed and chain.confidence is not None:
        what = f"{format_name} cannot say that limits hold at the confidence {format_fraction(chain.confidence)} only"
        defects.append(Defect("chain", what, native))
    defects += _box_defects(
        chain,
        lambda row: (
            f"{format_name} cannot say that up to {brief(row.rest)} may go to states outside the model"
            if row.rest
            else ""
        ),
        native,
    )
    if defects:
        raise UncertainChain(defects)


def raw_row(entries: Collection[tuple[str | int, RawEntry]]) -> AnyRawRow:
    """The row as `assemble` takes it: a box if some probability has two ends."""
    return RawBox(entries) if any(isinstance(number, tuple) for _, number in entries) else entries  # type: ignore[return-value]


def normalised_notes(states: Sequence[str], rows: Sequence[tuple[int, Fraction]]) -> tuple[str, ...]:
    """What to say of the rows (state, sum) that were divided by their sum.

    >>> normalised_notes(["a", "b"], [(1, Fraction(999, 1000))])
    ("normalised 1 row whose sum was not 1 (state 'b', sum 0.999)",)
    """
    if not rows:
        return ()
    state, total = rows[0]
    many = len(rows) > 1
    count = f"{len(rows)} rows whose sums were" if many else "1 row whose sum was"
    return (f"normalised {count} not 1 ({'first: ' if many else ''}state {states[state]!r}, sum {show_value(total)})",)


def assemble_loaded(
    source: str,
    settings: Settings,
    names: Sequence[str],
    labels: Sequence[str],
    rows: Iterable[AnyRawRow | Mapping[str, AnyRawRow]],
    *,
    place: Callable[[int], str],
    relation: Iterable[tuple[str, str]] = (),
    valuations: Sequence[Valuation] | None = None,
    pair_place: Callable[[int], str] | None = None,
    defects: Iterable[Defect] = (),
    notes: Sequence[str] = (),
    confidence: Fraction | None = None,
) -> Loaded:
    """What every reader ends with: the chain (`model.build.assemble`), rows normalised as asked, and notes on it."""
    changed: list[tuple[int, Fraction]] = []
    chain = assemble(
        names,
        labels,
        rows,
        relation=relation,
        valuations=valuations,
        normalise=settings.normalise,
        place=place,
        pair_place=pair_place,
        defects=defects,
        on_normalised=lambda state, total: changed.append((state, total)),
        confidence=confidence,
        cancel=settings.cancel,
    )
    enclosed = any(row.kind == "enclosed" for of_state in chain.given for row in of_state)
    said = ("probabilities are enclosed: powers of e are too long",) if enclosed else ()
    return Loaded(chain, source, (*normalised_notes(names, changed), *said, *notes))


# Texts.

MAX_FAULTS = 1000
"""A file with so many syntax errors is not in the format it claims; reading stops there."""

LINES_BETWEEN_CHECKS = 4096

SHORT_DECIMALS = 17
"""A number with at most so many decimals is written as a decimal; every other one as a fraction."""

_TOKEN = re.compile(r"[^ \t]+")


class Faults:
    """The syntax errors of one file, in the order found."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.found: list[Defect] = []

    def add(self, line: int, column: int, what: str, fix: str = "") -> None:
        """Note an error at ``line:column``; raises FormatError when there are `MAX_FAULTS`."""
        self.found.append(Defect(f"{self.source}:{line}:{column}", what, fix))
        if len(self.found) >= MAX_FAULTS:
            raise FormatError(self.found)

    def check(self) -> None:
        """Raise FormatError with everything found, if anything was."""
        if self.found:
            raise FormatError(self.found)


def tokens(line: str) -> list[tuple[int, str]]:
    """The words of a line with their columns.

    >>> tokens("0  12 1/2")
    [(1, '0'), (4, '12'), (7, '1/2')]
    """
    return [(match.start() + 1, match.group()) for match in _TOKEN.finditer(line)]


def read_text(path: str | Path) -> str:
    """The whole text of a file.

    Raises InputError when it is missing, unreadable, too large, or a directory, a pipe or a device; FormatError
    when it is not UTF-8.
    """
    with open_regular(path, MAX_BYTES) as file:
        try:
            data = file.read(MAX_BYTES + 1)
        except OSError as error:
            raise unreadable(path, error) from None
    if len(data) > MAX_BYTES:
        raise too_large(path, MAX_BYTES)
    return decode_text(data, path)


def decode_text(data: bytes, path: str | Path) -> str:
    """The text of UTF-8 bytes, without a byte-order mark; FormatError naming the place of what is none."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line, start = data.count(b"\n", 0, error.start) + 1, data.rfind(b"\n", 0, error.start) + 1
        raise _not_utf8(path, line, data[start : error.start], data[error.start]) from None
    return text.removeprefix("\ufeff")


def read_lines(path: str | Path, cancel: Cancel | None = None) -> Iterator[str]:
    """The lines of a file one at a time, without their ends; raises as `read_text` does, and Stopped.

    ``"-"`` is standard input.
    """
    size = 0
    standard = str(path) == STANDARD
    with BytesIO(read_standard_input(MAX_BYTES)) if standard else open_regular(path, MAX_BYTES) as file:
        path = "standard input" if standard else path
        number = 0
        while True:
            try:
                raw = file.readline(MAX_BYTES + 1 - size)
            except OSError as error:
                raise unreadable(path, error) from None
            if not raw:
                return
            number += 1
            if cancel is not None and number % LINES_BETWEEN_CHECKS == 0:
                cancel.check()
            size += len(raw)
            if size > MAX_BYTES:
                raise too_large(path, MAX_BYTES)
            try:
                line = raw.decode()
            except UnicodeDecodeError as error:
                raise _not_utf8(path, number, raw[: error.start], raw[error.start]) from None
            if number == 1:
                line = line.removeprefix("\ufeff")
            yield line.removesuffix("\n").removesuffix("\r")


def check_readable(path: str | Path) -> None:
    """Raise as `read_text` does for what is missing, unreadable, too large or no file."""
    open_regular(path, MAX_BYTES).close()


def _not_utf8(path: str | Path, line: int, before: bytes, byte: int) -> FormatError:
    """The error for a ``byte`` that is not UTF-8, after the bytes ``before`` on its line, which are."""
    column = len(before.decode()) + 1
    return FormatError(
        Defect(f"{path}:{line}:{column}", f"byte 0x{byte:02x} is not UTF-8 text", "save the file as UTF-8")
    )


class ProbabilityReader:
    """Reads probabilities from text; each distinct text once, because big models repeat few numbers."""

    def __init__(self) -> None:
        self._read: dict[str, Fraction] = {}

    def __call__(self, text: str) -> Fraction:
        """The exact value. ValueError with a short reason when it is not a number or negative."""
        value = self._read.get(text)
        if value is None:
            value = parse_fraction(text)
            if value.numerator < 0:
                raise ValueError(f"negative probability {show_value(value)}")
            self._read[text] = value
        return value


def exact_text(value: Fraction) -> str:
    """``value`` exactly: a decimal when that is short, else a fraction.

    >>> exact_text(Fraction(1, 8)), exact_text(Fraction(1, 3)), exact_text(Fraction(1))
    ('0.125', '1/3', '1')
    """
    rest, places = value.denominator, 0
    if rest == 1 or rest > 10**SHORT_DECIMALS:
        return format_fraction(value)
    while rest > 1 and places < SHORT_DECIMALS:
        # One more decimal place divides the denominator by what it shares with ten.
        rest //= 10 if rest % 10 == 0 else 5 if rest % 5 == 0 else 2 if rest % 2 == 0 else 1
        places += 1
    if rest > 1:
        return format_fraction(value)
    digits = str(abs(value.numerator) * 10**places // value.denominator).zfill(places + 1)
    return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"


def probability_texts(chain: Chain, write: Callable[[Fraction], str] = exact_text) -> dict[Fraction, str]:
    """The text of every probability of the chain; InputError for those too long to be read back."""
    texts: dict[Fraction, str] = {}
    defects = []
    for state, row in ((s, row) for s, rows in enumerate(chain.given) for row in rows):
        if row.box.rest:
            texts.setdefault(row.box.rest, write(row.box.rest))
        for target, *ends in row.box:
            for probability in ends:
                text = texts.get(probability)
                if text is None:
                    text = texts[probability] = write(probability)
                if len(text) > MAX_DIGITS:
                    size = f"{len(text)} characters; the limit is {MAX_DIGITS}"
                    what = f"its probability to {chain.states[target]!r} has {size}"
                    defects.append(Defect(f"state {chain.states[state]!r}", what, "round it on purpose"))
    if defects:
        raise InputError(defects)
    return texts


def show_value(value: Fraction) -> str:
    """``value`` for a message: exactly if short, else the first digits."""
    if max(value.numerator.bit_length(), value.denominator.bit_length()) <= 100:
        return exact_text(value)
    return (
        f"about {exact_text(round_down(value, 12))}" if value.numerator.bit_length() < 10_000 else "a very long number"
    )


def refuse_values(chain: Chain) -> None:
    """Raise InputError listing every variable whose value no file can hold."""
    defects = []
    for name, valuation in zip(chain.states, chain.valuations or ({},) * len(chain), strict=True):
        for variable, value in valuation.items():
            if not isinstance(value, bool | int | str):
                what = f"variable {variable!r} has a value of type {type(value).__name__}"
                defects.append(Defect(f"state {name!r}", what, "give an integer, a bool or a text"))
            elif (
                isinstance(value, int)
                and value.bit_length() > 3 * MAX_DIGITS
                and len(format_fraction(value)) > MAX_DIGITS
            ):
                what = f"variable {variable!r} has a value of more than {MAX_DIGITS} digits"
                defects.append(Defect(f"state {name!r}", what, "give it as text"))
    if defects:
        raise InputError(defects)


def refuse_names(chain: Chain, forbidden: Collection[str], format_name: str) -> None:
    """Raise InputError listing every state whose label, or input, has a ``forbidden`` character or is no UTF-8 text."""
    bad = {
        label: [f"its label {label!r}: {why}"] if (why := why_not(label, forbidden)) else [] for label in chain.alphabet
    }
    for label, names in chain.inputs.items():
        bad[label] += [f"its input {name!r}: {why}" for name in names if (why := why_not(name, forbidden))]
    defects = [
        Defect(f"state {state!r}", f"{format_name} cannot express {what}", "rename it")
        for state, label in zip(chain.states, chain.labels, strict=True)
        for what in bad[label]
    ]
    if defects:
        raise InputError(defects)


def why_not(label: str, forbidden: Collection[str] = ()) -> str:
    """Why a file cannot hold the name; empty if it can."""
    for character in label:
        if character in forbidden:
            return f"it contains {character!r}"
        if "\ud800" <= character <= "\udfff":
            return f"it contains the lone surrogate {character!r}"
    return ""


def chain_to_dot(chain: Chain) -> Iterator[str]:
    r"""The DOT text of a chain for Graphviz, in pieces. Pairs of the relation are joined by dashed lines.

    >>> print("".join(chain_to_dot(Chain.from_dicts({"s": {"s": 1}}, {"s": "a"}))), end="")
    digraph chain {
      0 [label="s\na"];
      0 -> 0 [label="1"];
    }
    """
    return dot_pieces(chain, lambda lo, hi: text_of(lo) if lo == hi else f"[{text_of(lo)}, {text_of(hi)}]", text_of)


DOT = Format(title="Graphviz DOT, written only", pieces=chain_to_dot, holds="numbers", holds_relation=lambda _: True)
