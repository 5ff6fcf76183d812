"""The native model file, ``deltachain.chain/1``: one JSON object that carries everything a chain has.

::

    {"format": "deltachain.chain/1",
     "states": {"s0": {"label": "start", "to": {"h": "2/5", "t": "3/5"}, "valuation": {"round": 0}},
                "h": {"label": "heads", "to": {"h": 1}}, …},
     "relation": [["s0", "s1"]]}

A state that waits for an input of the observer has ``on`` in place of ``to``, a row for each input:
``{"label": "menu", "on": {"probe": {"a": "1/2", "b": "1/2"}, "ask": {"yes": 1}}}``; states of one label offer the same.

A probability known within limits is a list of its two ends, ``"h": ["2/5", "3/5"]``; ``rest`` beside ``to`` is how
much may go to states outside the model. ``"enclosed": true`` says that the limits are around known numbers. In place of
``to``, ``"counts": {"h": 4021, "t": 5979}`` says how often each target was seen (`model.counts`), with ``targets``
beside it where some were not declared, and ``confidence``, perhaps ``totals``, beside ``states``. Where there is a
``confidence`` and no row has ``counts``, boxes were found from counts, but for those with ``"given": true``. With
inputs, the same inside each: ``"on": {"probe": {"to": {…}, "rest": "1e-9"}}``.

States are in the order of the file. A probability is a JSON number or a text such as ``"2/5"`` or ``"0.4"``,
read exactly from its digits; which texts are numbers is said by `NUMBER`, in the same words as in the trusted
checker, so that what is read here can be checked there. ``relation`` (pairs of state names) and a state's
``valuation`` (integers, true/false or text by variable, for messages) may be left out. No other key is known, and
no key may be given twice. Valuations that are all empty are the same as none.
"""

from __future__ import annotations

import bisect
import contextlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import Defect, FormatError, InputError
from ..model import AnyRow, Chain, LimitRow, Loaded, Normalise
from ..model.build import AnyRawRow, Origin, RawBox, RawEntry
from ..model.counts import RawCounts, boxes_from_counts, read_confidence
from ..numbers.fraction import FORMULA, LONGEST_FORMULA, format_fraction, parse_fraction
from ..settings import Settings
from .format import Format, assemble_loaded, probability_texts, read_text, refuse_values

if TYPE_CHECKING:
    from ..model.counts import RawOrCounted

FORMAT = "deltachain.chain/1"
TOP_KEYS = ("format", "states", "relation", "confidence", "totals", "step_by_step", "assumes", "confirmation")
ROW_KEYS = ("to", "rest", "enclosed", "given", "counts", "targets")
STATE_KEYS = ("label", "on", "valuation", *ROW_KEYS)
_STATE_KEYS = frozenset(STATE_KEYS)
_PLAIN_KEYS = frozenset(("label", "to", "valuation"))
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]')
_SPACE = re.compile(r"[ \t\n\r]*")

NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,5})?(?:/[0-9]+)?")
"""A probability in a native file: no plus sign, no spaces, digits on both sides of a point."""


class _Digits(str):
    """A JSON number, as its digits: a number where one is expected, but no text where text is."""

    __slots__ = ()


def chain_from_json(text: str, source: str, *, normalise: Normalise = False) -> Chain:
    """The chain of a native model text; ``source`` names it in messages.

    Raises FormatError for text that is not JSON, ModelError with every defect for JSON that is not a chain.
    """
    return loaded_from_json(text, source, Settings(normalise=normalise)).chain


def loaded_from_json(
    text: str,
    source: str,
    settings: Settings = Settings(),  # noqa: B008 - frozen
    revised: Callable[[Mapping[str, object]], Mapping[str, object]] | None = None,
) -> Loaded:
    """As `chain_from_json`, with notes on the rows that were normalised.

    ``revised`` is given the document, of which numbers are their digits and nothing else is checked yet, and makes the
    one that is read.
    """
    places = JsonPlaces(text, source)
    document, defects = _decode(text, places)
    document = document if revised is None else revised(document)
    states = _state_objects(document, source, defects)
    names = list(states)
    parts = _Parts(lambda state: places.state(names[state]), defects, _box_origin(document, states))
    for name, body in states.items():
        parts.add(name, body)
    rows, confidence = _count(document, parts, source, defects)
    relation, entries = _relation(document, places, defects)
    stepwise = document.get("step_by_step", False)
    if not isinstance(stepwise, bool):
        defects.append(Defect(source, f'"step_by_step" is {_kind(stepwise)}', "write true, or drop it"))
    assumes, confirmation = _describe_assumptions(document, source, defects)
    loaded = assemble_loaded(
        source,
        settings,
        names,
        parts.labels,
        rows,
        place=parts.place,
        relation=relation,
        valuations=parts.valuations if any(parts.valuations) else None,
        pair_place=lambda number: places.pair(entries[number]),
        defects=defects,
        confidence=confidence,
    )
    if not (stepwise or assumes or confirmation):
        return loaded
    kept = replace(loaded.chain, step_by_step=stepwise is True, assumes=assumes, confirmation=confirmation)
    return replace(loaded, chain=kept)


def _describe_assumptions(
    document: Mapping[str, object], source: str, defects: list[Defect]
) -> tuple[tuple[str, ...], str]:
    """What answers about the chain assume, and the clause on what was confirmed of it."""
    assumes, confirmation = document.get("assumes", []), document.get("confirmation", "")
    if not (isinstance(assumes, list) and all(_is_text(one) for one in assumes)):
        defects.append(Defect(source, '"assumes" is not a list of texts', "write sentences, or drop it"))
        assumes = []
    if not _is_text(confirmation):
        defects.append(Defect(source, f'"confirmation" is {_kind(confirmation)}', "write a text, or drop it"))
        confirmation = ""
    return tuple(map(str, assumes)), str(confirmation)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and not isinstance(value, _Digits)


def _decode(text: str, places: JsonPlaces) -> tuple[Mapping[str, object], list[Defect]]:
    """The top object, and a defect for every repeated key."""
    repeats = False

    def as_dict(pairs: list[tuple[str, object]]) -> dict[str, object]:
        nonlocal repeats
        made = dict(pairs)
        repeats = repeats or len(made) != len(pairs)
        return made

    try:
        # The decoder's own NaN and Infinity stay floats: no place in the format takes one.
        document = json.loads(text, object_pairs_hook=as_dict, parse_float=_Digits, parse_int=_Digits)
    except json.JSONDecodeError as error:
        where = f"{places.source}:{error.lineno}:{error.colno}"
        what = f"not JSON: {error.msg[:1].lower()}{error.msg[1:]}"
        raise FormatError(Defect(where, what, "correct the text there or just before")) from None
    except RecursionError:
        what = "brackets are nested too deeply for a model"
        raise FormatError(Defect(places.source, what, "a model has objects five deep")) from None
    if not isinstance(document, dict):
        what = f"expected one JSON object, found {_kind(document)}"
        raise FormatError(Defect(f"{places.source}:1:1", what, f'start with {{"format": "{FORMAT}"'))
    return document, [_repeat(places, *found) for found in places.repeat()] if repeats else []


def _repeat(places: JsonPlaces, outer: tuple[str, ...], key: str, first: int, second: int) -> Defect:
    line = places.place(first).removeprefix(f"{places.source}:").split(":")[0]
    what = f"state {key!r}" if outer == ("states",) else f"key {key!r}{' of ' + repr(outer[-1]) if outer else ''}"
    return Defect(places.place(second), f"{what} is given twice, first in line {line}", "keep one")


def _state_objects(document: Mapping[str, object], source: str, defects: list[Defect]) -> Mapping[str, object]:
    if str(document.get("format")).startswith("deltachain.certificate/"):
        fix = "give the model it was made for; deltachain verify takes MODEL, then CERT"
        raise FormatError(Defect(source, "it is a certificate, not a model", fix))
    if "parameter" in document:
        fix = "ask about all of its values: deltachain parametric; or write one of them into the file"
        raise FormatError([*defects, Defect(source, "its parameter has no value", fix)])
    known = f"the keys are {', '.join(TOP_KEYS)}"
    defects += [Defect(source, f"unknown key {key!r}", known) for key in document if key not in TOP_KEYS]
    stated = document.get("format")
    if stated != FORMAT:
        found = "it is missing" if stated is None else f"found {_kind(stated)}"
        defects.append(Defect(source, f'expected "format": "{FORMAT}", {found}', "add or correct it"))
    states = document.get("states", {})
    if not isinstance(states, dict):
        what = f'"states" is {_kind(states)}, not an object'
        raise FormatError([*defects, Defect(source, what, 'write {"name": {"label": …, "to": {…}}, …}')])
    if not states:
        raise FormatError([*defects, Defect(source, "the chain has no states", 'add them under "states"')])
    return states


def _box_origin(document: Mapping[str, object], states: Mapping[str, object]) -> Origin:
    """Where boxes come from that do not say: counts, if there is a confidence and nothing else that it is about."""
    if "confidence" not in document:
        return "limits"
    bodies = [body for body in states.values() if isinstance(body, dict)]
    rows = [row for body in bodies for row in (body, *_objects(body.get("on")))]
    return "limits" if any(isinstance(row.get("counts"), dict) for row in rows) else "counts"


def _objects(found: object) -> list[dict[str, object]]:
    return [value for value in found.values() if isinstance(value, dict)] if isinstance(found, dict) else []


def _count(
    document: Mapping[str, object], parts: _Parts, source: str, defects: list[Defect]
) -> tuple[Sequence[AnyRawRow | Mapping[str, AnyRawRow]], Fraction | None]:
    """The rows with boxes in place of counts, and the confidence; None where nothing was counted."""
    totals = document.get("totals", "random")
    if totals not in ("random", "fixed") or isinstance(totals, _Digits):
        fix = '"fixed" if the number of steps of each row was fixed in advance, else "random"'
        defects.append(Defect(source, f'"totals" is {_kind(totals)}', fix))
    elif "totals" in document and not parts.counted:
        defects.append(Defect(source, '"totals" is given, and no row has counts', "drop it"))
    if not parts.counted and "confidence" not in document:
        return parts.rows, None  # type: ignore[return-value]  # no row is of counts
    value = document.get("confidence")
    if value is not None and (not isinstance(value, str) or NUMBER.fullmatch(value) is None):
        wrong = Defect(f"{source}: confidence", f"found {_kind(value)}", 'write "confidence": "0.99"')
        confidence, problems = Fraction(1, 2), [wrong]
    else:
        confidence, problems = read_confidence(value, f"{source}: confidence")
    rows, more = boxes_from_counts(parts.rows, confidence, "fixed" if totals == "fixed" else "random", parts.place)
    defects += [*problems, *more]
    return rows, confidence


class _Parts:
    """The columns of the chain, filled state by state; a malformed part leaves a stand-in and a defect."""

    def __init__(self, place: Callable[[int], str], defects: list[Defect], origin: Origin) -> None:
        self.place = place
        self.defects = defects
        self.origin: Origin = origin  # of boxes that do not say
        self.counted = False  # whether some row has counts
        self.labels: list[str] = []
        self.rows: list[RawOrCounted | Mapping[str, RawOrCounted]] = []
        self.valuations: list[Mapping[str, object]] = []
        self._numbers: set[object] = set()  # texts that are written as numbers are; big models repeat few

    def add(self, name: str, body: object) -> None:
        if not isinstance(body, dict):
            self._wrong(f"expected an object, found {_kind(body)}", 'write {"label": …, "to": {…}}')
            body = {"label": "", "to": {name: "1"}}
        if not body.keys() <= _STATE_KEYS:
            for key in body.keys() - _STATE_KEYS:
                self._wrong(f"unknown key {key!r}", f"the keys are {', '.join(STATE_KEYS)}")
        label = body.get("label")
        if type(label) is not str:
            self._wrong(_wrong_part("label", label, "a text"), 'write "label": "…"')
            label = ""
        valuation = body.get("valuation")
        self.valuations.append({} if valuation is None and "valuation" not in body else self._valuation(valuation))
        self.rows.append(self._rows_by_input(name, body) if "on" in body else self._row(name, body))
        self.labels.append(label)

    def _rows_by_input(
        self, name: str, body: Mapping[str, object]
    ) -> list[tuple[str | int, str]] | dict[str, RawOrCounted]:
        """The rows of a state that waits for an input."""
        on = body["on"]
        if "to" in body:
            self._wrong('it has "to" and "on"', 'keep "on" if the observer chooses an input here, else "to"')
        for key in ROW_KEYS[1:]:
            if key in body:
                self._wrong(f'it has "on", and "{key}" beside it', f'write "{key}" inside each input that has it')
        if type(on) is not dict:
            self._wrong(_wrong_part("on", on, "an object"), 'write "on": {"input": {"target": "1/2", …}, …}')
            return [(name, "1")]
        return {asked: self._row_of_input(name, asked, row) for asked, row in on.items()}

    def _row_of_input(self, name: str, asked: str, row: object) -> RawOrCounted:
        """The row of an input: targets and probabilities, or an object that has them under ``to`` or ``counts``."""
        if type(row) is not dict or not any(type(row.get(key)) is dict for key in ("to", "counts")):
            entries, boxed = self._entries(name, asked, row)
            return RawBox(entries, 0, self.origin) if boxed else entries  # type: ignore[return-value]
        for key in row.keys() - set(ROW_KEYS):
            self._wrong(f"unknown key {key!r} of input {asked!r}", f"the keys are {', '.join(ROW_KEYS)}")
        return self._row(name, row)

    def _row(self, name: str, body: Mapping[str, object]) -> RawOrCounted:
        """The row of an object with ``to``, or ``counts``, and what may stand beside it."""
        if "counts" in body:
            return self._counts(body)
        entries, boxed = self._entries(name, "to", body.get("to"))
        if body.keys() <= _PLAIN_KEYS:
            return RawBox(entries, 0, self.origin) if boxed else entries  # type: ignore[return-value]
        if "targets" in body:
            self._wrong('it has "targets" and no "counts"', 'write "counts": {"target": 12, …}, or drop it')
        origin = self._origin(body)
        rest = body.get("rest", 0)
        if isinstance(rest, str):
            self._check_number("rest", rest)
        return RawBox(entries, rest, origin) if boxed or "rest" in body else entries  # type: ignore[arg-type,return-value]

    def _origin(self, body: Mapping[str, object]) -> Origin:
        found: Origin = self.origin
        marks: tuple[tuple[str, Origin], ...] = (("given", "limits"), ("enclosed", "enclosure"))
        for key, origin in marks:
            mark = body.get(key, False)
            if type(mark) is not bool:
                self._wrong(f'its "{key}" is {_kind(mark)}, not true or false', f'write "{key}": true, or drop it')
            elif mark:
                found = origin
        if body.get("given") is True and body.get("enclosed") is True:
            self._wrong('it has "given" and "enclosed"', "keep one")
        return found

    def _counts(self, body: Mapping[str, object]) -> RawOrCounted:
        self.counted = True
        for key in ("to", "enclosed", "given"):
            if key in body:
                self._wrong(f'it has "{key}" and "counts"', "keep one")
        counts, targets = body["counts"], body.get("targets")
        if type(counts) is not dict:
            self._wrong(_wrong_part("counts", counts, "an object"), 'write "counts": {"target": 12, …}')
            return RawBox((), 1, "counts")
        for target, number in counts.items():
            if isinstance(number, str):
                self._check_number(target, number)
        if targets is not None and not (isinstance(targets, list) and all(type(name) is str for name in targets)):
            self._wrong(f'its "targets" are {_kind(targets)}', 'write "targets": ["target", …]')
            targets = None
        return RawCounts(counts, targets, body.get("rest", 1))  # type: ignore[arg-type]  # checked with the counts

    def _entries(self, name: str, key: str, row: object) -> tuple[list[tuple[str | int, RawEntry]], bool]:
        """The targets with their numbers, and whether some number has two ends."""
        if type(row) is not dict:
            self._wrong(_wrong_part(key, row, "an object"), f'write "{key}": {{"target": "1/2", …}}')
            row = {name: "1"}
        boxed = False
        for target, number in row.items():
            if isinstance(number, str):
                if number not in self._numbers:
                    self._check_number(target, number)
            elif type(number) is list:
                boxed = True
        if not boxed:
            return list(row.items()), False
        return [(target, self._ends(target, n) if type(n) is list else n) for target, n in row.items()], True

    def _ends(self, target: str, ends: list[object]) -> RawEntry:
        """The two ends of a box; what is not a number is found later."""
        if len(ends) != 2:
            self._wrong(f"a list of {len(ends)}, to {target!r}, where two ends are expected", 'write ["2/5", "3/5"]')
            return "0", "1"
        for end in ends:
            if isinstance(end, str) and end not in self._numbers:
                self._check_number(target, end)
        return ends[0], ends[1]  # type: ignore[return-value]

    def _check_number(self, target: str, text: str) -> None:
        """Note a text that other formats would read as a number; what is not a number at all is found later."""
        self._numbers.add(text)
        if NUMBER.fullmatch(text) is None:
            with contextlib.suppress(ValueError):
                value = parse_fraction(text)
                fix = f"write {json.dumps(format_fraction(value))}" if len(text) < 40 else "write digits alone"
                self._wrong(f"{text[:40]!r}, to {target!r}, is not how a number is written in this format", fix)

    def _valuation(self, found: object) -> Mapping[str, object]:
        if not isinstance(found, dict):
            self._wrong(_wrong_part("valuation", found, "an object"), 'write "valuation": {"x": 1, …}')
            return {}
        values: dict[str, object] = {}
        for variable, value in found.items():
            try:
                values[variable] = _value(value)
            except ValueError as reason:
                self._wrong(f"variable {variable!r}: {reason}", "give an integer, true, false or a text")
        return values

    def _wrong(self, what: str, fix: str) -> None:
        self.defects.append(Defect(self.place(len(self.labels)), what, fix))


def _value(value: object) -> object:
    """A variable's value; ValueError when it is not one."""
    if isinstance(value, _Digits):
        number = parse_fraction(value)
        if number.denominator != 1:
            raise ValueError("not an integer")
        return number.numerator
    if isinstance(value, bool | str):
        return value
    raise ValueError(f"found {_kind(value)}")


def _relation(
    document: Mapping[str, object], places: JsonPlaces, defects: list[Defect]
) -> tuple[list[tuple[str, str]], list[int]]:
    """The sound pairs, and the number of each among the entries; a defect for every other entry."""
    pairs = document.get("relation", [])
    fix = 'write "relation": [["s", "t"], …] with names of states'
    if not isinstance(pairs, list):
        defects.append(Defect(places.source, f'"relation" is {_kind(pairs)}, not a list', fix))
        return [], []
    sound, entries = [], []
    for i, pair in enumerate(pairs):
        if isinstance(pair, list) and len(pair) == 2 and all(type(name) is str for name in pair):
            sound.append((pair[0], pair[1]))
            entries.append(i)
        else:
            defects.append(Defect(places.pair(i), f"entry {i + 1} is not a pair of texts", fix))
    return sound, entries


def _wrong_part(key: str, found: object, expected: str) -> str:
    return f'it has no "{key}"' if found is None else f'its "{key}" is {_kind(found)}, not {expected}'


def _kind(value: object) -> str:
    if isinstance(value, _Digits | float):
        return f"the number {str(value)[:40]}"
    if isinstance(value, str):
        return f"the text {value[:40]!r}"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return "a list" if isinstance(value, list) else "an object"


def chain_to_json(chain: Chain) -> Iterator[str]:
    """The native text of a chain, in pieces; `chain_from_json` gives back an equal chain.

    Raises InputError, before the first piece, for valuations and numbers that the format does not hold.
    """
    texts = probability_texts(chain, format_fraction)
    valuations = _valuation_texts(chain)
    numbers = {p: text if p.denominator == 1 else f'"{text}"' for p, text in texts.items()}
    return _pieces(chain, numbers, _formulas(chain), valuations)


Formulas = Mapping[int, Sequence[tuple[int, str]]]
"""The targets and formulas of rows of functions, by the row's ``id``."""


def _pieces(
    chain: Chain, numbers: Mapping[Fraction, str], formulas: Formulas, valuations: list[str] | None
) -> Iterator[str]:
    names = [_quote(name) for name in chain.states]
    labels = {label: _quote(label) for label in chain.alphabet}
    confidence = "" if chain.confidence is None else f' "confidence": "{format_fraction(chain.confidence)}",\n'
    stepwise = ' "step_by_step": true,\n' if chain.step_by_step else ""
    assumes = f' "assumes": [{", ".join(map(_quote, chain.assumes))}],\n' if chain.assumes else ""
    confirmation = f' "confirmation": {_quote(chain.confirmation)},\n' if chain.confirmation else ""
    yield f'{{"format": "{FORMAT}",\n{confidence}{stepwise}{assumes}{confirmation} "states": {{'
    for state, rows in enumerate(chain.given):
        to = [_row_text(row, names, numbers, formulas, chain.confidence is not None) for row in rows]
        asked = chain.inputs.get(chain.labels[state])
        if asked is None:
            where = f'"to": {to[0][0]}{to[0][1]}'
        else:
            plain = (f'{{"to": {row}{beside}}}' if beside else row for row, beside in to)
            where = f'"on": {{{", ".join(f"{_quote(a)}: {row}" for a, row in zip(asked, plain, strict=True))}}}'
        valuation = valuations[state] if valuations else ""
        label = labels[chain.labels[state]]
        yield f'{"," if state else ""}\n  {names[state]}: {{"label": {label}, {where}{valuation}}}'
    yield "\n }"
    if chain.relation:
        pairs = ", ".join(f"[{names[i]}, {names[j]}]" for i, j in chain.relation)
        yield f',\n "relation": [{pairs}]'
    yield "}\n"


def _row_text(
    row: AnyRow, names: Sequence[str], numbers: Mapping[Fraction, str], formulas: Formulas, confident: bool
) -> tuple[str, str]:
    """The targets of a row, and what stands beside them: its rest, and where the box comes from if it must be said."""
    if row.fractions is not None:
        return "{" + ", ".join([f"{names[target]}: {numbers[p]}" for target, p in row.fractions]) + "}", ""
    if row.functions is not None:
        return "{" + ", ".join(f"{names[j]}: {json.dumps(text)}" for j, text in formulas[id(row)]) + "}", ""
    box = row.box
    entries = [
        f"{names[target]}: {numbers[lo] if lo == hi else f'[{numbers[lo]}, {numbers[hi]}]'}" for target, lo, hi in box
    ]
    beside = f', "rest": {numbers[box.rest]}' if box.rest else ""
    if not isinstance(row, LimitRow):
        beside += ', "enclosed": true'
    elif confident and not row.counted:
        beside += ', "given": true'
    return "{" + ", ".join(entries) + "}", beside


def _formulas(chain: Chain) -> Formulas:
    """The probabilities of rows of functions, as formulas in exp(…); InputError for those too long to be read again."""
    found: dict[int, list[tuple[int, str]]] = {}
    defects = []
    for state, rows in enumerate(chain.given):
        for row in rows:
            if row.functions is None or id(row) in found:
                continue
            found[id(row)] = texts = [(target, str(p)) for target, p in row]
            longest = max((len(text) for _, text in texts if FORMULA.search(text)), default=0)
            if longest > LONGEST_FORMULA:
                what = f"the formula of a probability has {longest:,} characters; at most {LONGEST_FORMULA:,} are read"
                defects.append(Defect(f"state {chain.states[state]!r}", what))
    if defects:
        raise InputError(defects)
    return found


def _quote(text: str) -> str:
    """A JSON string, readable where possible: a lone surrogate has no UTF-8 and is written as an escape."""
    escapes = not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text)
    return json.dumps(text, ensure_ascii=escapes)


def _valuation_texts(chain: Chain) -> list[str] | None:
    if chain.valuations is None:
        return None
    refuse_values(chain)
    texts = []
    for valuation in chain.valuations:
        items = [f"{_quote(variable)}: {_value_text(value)}" for variable, value in valuation.items()]
        texts.append(f', "valuation": {{{", ".join(items)}}}' if items else "")
    return texts


def _value_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return format_fraction(value) if isinstance(value, int) else _quote(str(value))


class JsonPlaces:
    """Lines and columns of the keys of a JSON text that the decoder has accepted: for messages only.

    The decoder does not say where it found a key; this walks the tokens once more, only when something is wrong.
    """

    def __init__(self, text: str, source: str) -> None:
        self.text = text
        self.source = source

    def walk(self) -> Iterator[tuple[tuple[str, ...], int, str, int]]:
        """Every key in order, as (keys of the objects around it, number of its object, key, offset)."""
        outer: list[tuple[str, int]] = []  # for each open bracket: the key it is the value of, and its number
        key, number, opened = "", -1, 0
        is_object: list[bool] = []
        expects_key = False
        for match in _TOKEN.finditer(self.text):
            lexeme = match.group()
            if lexeme in "{[":
                outer.append((key, number))
                number, opened = opened, opened + 1
                is_object.append(lexeme == "{")
                expects_key = is_object[-1]
            elif lexeme in "}]":
                key, number = outer.pop()
                is_object.pop()
                expects_key = False
            elif lexeme == ",":
                expects_key = is_object[-1]
            elif expects_key and lexeme != ":":
                key = json.loads(lexeme)
                expects_key = False
                yield tuple(k for k, _ in outer[1:]), number, key, match.start()

    @cached_property
    def _line_ends(self) -> list[int]:
        return [match.start() for match in re.finditer("\n", self.text)]

    def place(self, offset: int) -> str:
        """``source:line:column`` of a place in the text."""
        line = bisect.bisect_left(self._line_ends, offset)
        column = offset - (self._line_ends[line - 1] if line else -1)
        return f"{self.source}:{line + 1}:{column}"

    @cached_property
    def _state_offsets(self) -> dict[str, int]:
        return {key: offset for outer, _, key, offset in self.walk() if outer == ("states",)}

    def state(self, name: str) -> str:
        """The place of a state of a native model, by name."""
        offset = self._state_offsets.get(name)
        return f"{self.source if offset is None else self.place(offset)}: state {name!r}"

    @cached_property
    def _relation_offsets(self) -> list[int]:
        """Where each entry of the top-level list ``relation`` begins."""
        start = next((offset for outer, _, key, offset in self.walk() if not outer and key == "relation"), None)
        if start is None:
            return []
        found: list[int] = []
        depth = 0
        for match in islice(_TOKEN.finditer(self.text, start), 2, None):  # after the key and its colon
            lexeme = match.group()
            depth += (lexeme in "[{") - (lexeme in "]}")
            if depth <= 0:
                break
            if depth == 1 and lexeme in "[,":
                after = _SPACE.match(self.text, match.end())
                found.append(after.end() if after else match.end())
        return found

    def pair(self, entry: int) -> str:
        """The place of an entry of the relation of a native model, by number."""
        offsets = self._relation_offsets
        return f"{self.place(offsets[entry]) if entry < len(offsets) else self.source}: relation"

    def repeat(self) -> Iterator[tuple[tuple[str, ...], str, int, int]]:
        """Every key that its object has already: (keys around it, key, offset of the first, its offset)."""
        first: dict[tuple[int, str], int] = {}
        for outer, number, key, offset in self.walk():
            before = first.setdefault((number, key), offset)
            if before != offset:
                yield outer, key, before, offset


def _read(path: Path, settings: Settings) -> Loaded:
    return loaded_from_json(read_text(path), str(path), settings)


JSON = Format(
    title="native",
    read=_read,
    pieces=chain_to_json,
    holds="numbers",
    holds_relation=lambda _: True,
    holds_assumptions=True,
)
