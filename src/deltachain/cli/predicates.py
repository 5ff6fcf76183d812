"""Predicates over valuations: choosing states by the values of a model's variables.

::

    either     = both {("or" | "|") both}
    both       = negation {("and" | "&") negation}
    negation   = ("not" | "!") negation | "(" either ")" | operand [relation operand]
    relation   = "=" | "==" | "!=" | "<" | "<=" | ">" | ">="
    operand    = variable | integer | "true" | "false" | 'text' | "text"

An operand alone must be a truth value. Numbers are compared with numbers, truth values with truth values and
text with text; order is for numbers alone. Anything else is an error, not false. A state that does not have
every variable of the predicate is not chosen. Texts are read by the parser below; nothing is evaluated as code.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..errors import Defect, FormatError, InputError
from ..model import Chain, Valuation

MAX_DEPTH = 50
"""How deep brackets and negations may be nested."""

SPACES = re.compile(r"\s*")
TOKEN = re.compile(r"""(?P<word>[^\W\d]\w*)|(?P<number>-?\d+)|(?P<text>'[^']*'|"[^"]*")|(?P<sign>[=!<>]=|[=<>!&|()])""")
RELATIONS: Mapping[str, Callable[[object, object], bool]] = {
    "=": operator.eq,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,  # type: ignore[dict-item]  # `_compared` lets only numbers through
    "<=": operator.le,  # type: ignore[dict-item]
    ">": operator.gt,  # type: ignore[dict-item]
    ">=": operator.ge,  # type: ignore[dict-item]
}
RESERVED = {"and", "or", "not", "true", "false"}

Evaluate = Callable[[Valuation], object]


class _Mismatch(Exception):
    """Two values that cannot be compared, or one that is no truth value."""


@dataclass(frozen=True)
class Predicate:
    """A predicate that was read: its text, the variables in it, and its value in a state."""

    text: str
    variables: frozenset[str]
    evaluate: Evaluate


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    column: int


def parse_predicate(text: str, what: str = "predicate") -> Predicate:
    """The predicate of a text; FormatError with the column otherwise. ``what`` names it in messages.

    >>> sorted(parse_predicate("payer = 0 & !(step > 1 | done)").variables)
    ['done', 'payer', 'step']
    """
    parser = _Parser(text, what)
    evaluate = parser.either(0)
    parser.end()
    return Predicate(text, frozenset(parser.variables), evaluate)


def states_where(
    chain: Chain, text: str, *, within: Iterable[int] | None = None, what: str = "predicate"
) -> tuple[int, ...]:
    """The states whose valuations satisfy the predicate, in order; of ``within`` if that is given.

    Raises InputError: the text is no predicate, the chain has no valuations or no such variable, or values are
    compared that cannot be.
    """
    predicate = parse_predicate(text, what)
    known = sorted({name for valuation in chain.valuations or () for name in valuation})
    unknown = sorted(predicate.variables - set(known))
    if unknown:
        there = f"its variables are {', '.join(known)}" if known else "it has no variables: name states, --pair S T"
        raise InputError(Defect(f"{what} {text!r}", f"the model has no variable {name!r}", there) for name in unknown)
    valuations = chain.valuations or ({},) * len(chain)
    chosen = []
    for state in range(len(chain)) if within is None else within:
        if not predicate.variables <= valuations[state].keys():
            continue
        try:
            if _truth(predicate.evaluate(valuations[state])):
                chosen.append(state)
        except _Mismatch as problem:
            where = f"{what} {text!r}, in state {chain.states[state]!r}"
            raise InputError(Defect(where, str(problem), "compare values of one type")) from None
    return tuple(chosen)


class _Parser:
    """Recursive descent over the tokens of one text."""

    def __init__(self, text: str, what: str) -> None:
        self._text, self._what = text, what
        self._tokens = list(self._split())
        self._next = 0
        self.variables: set[str] = set()

    def _split(self) -> Iterable[_Token]:
        position = SPACES.match(self._text).end()  # type: ignore[union-attr]  # it matches everywhere
        while position < len(self._text):
            match = TOKEN.match(self._text, position)
            if match is None or match.lastgroup is None:
                raise self._error(position + 1, f"{self._text[position]!r} is not part of the language")
            yield _Token(match.lastgroup, match.group(), position + 1)
            position = SPACES.match(self._text, match.end()).end()  # type: ignore[union-attr]

    def _error(self, column: int, problem: str) -> FormatError:
        fix = "write comparisons such as x=0 joined by and, or, not and parentheses"
        return FormatError(Defect(f"{self._what} {self._text!r}, column {column}", problem, fix))

    def _expected(self, what: str) -> FormatError:
        if self._next < len(self._tokens):
            token = self._tokens[self._next]
            return self._error(token.column, f"expected {what}, found {token.text!r}")
        return self._error(len(self._text) + 1, f"expected {what}, found the end")

    def _take(self, *texts: str) -> str | None:
        """The next token if it is one of these signs or words."""
        if self._next < len(self._tokens):
            token = self._tokens[self._next]
            if token.kind != "text" and token.text in texts:
                self._next += 1
                return token.text
        return None

    def end(self) -> None:
        if self._next < len(self._tokens):
            raise self._expected("the end, 'and' or 'or'")

    def either(self, depth: int) -> Evaluate:
        parts = [self._both(depth)]
        while self._take("or", "|"):
            parts.append(self._both(depth))
        return parts[0] if len(parts) == 1 else lambda values: any(_truths(parts, values))

    def _both(self, depth: int) -> Evaluate:
        parts = [self._negation(depth)]
        while self._take("and", "&"):
            parts.append(self._negation(depth))
        return parts[0] if len(parts) == 1 else lambda values: all(_truths(parts, values))

    def _negation(self, depth: int) -> Evaluate:
        if depth > MAX_DEPTH:
            raise self._error(self._tokens[self._next - 1].column, f"nested more than {MAX_DEPTH} deep")
        if self._take("not", "!"):
            inner = self._negation(depth + 1)
            return lambda values: not _truth(inner(values))
        if self._take("("):
            inside = self.either(depth + 1)
            if not self._take(")"):
                raise self._expected("')'")
            return inside
        left = self._operand()
        relation = self._take(*RELATIONS)
        if relation is None:
            return left
        right = self._operand()
        return lambda values: _compared(relation, left(values), right(values))

    def _operand(self) -> Evaluate:
        token = self._tokens[self._next] if self._next < len(self._tokens) else None
        if token is None or token.kind == "sign" or token.text in RESERVED - {"true", "false"}:
            raise self._expected("a variable, a number, true, false or a text")
        self._next += 1
        if token.kind == "word" and token.text not in RESERVED:
            name = token.text
            self.variables.add(name)
            return lambda values: values[name]
        constant: object
        if token.kind == "text":
            constant = token.text[1:-1]
        elif token.kind == "number":
            if len(token.text) > 1000:
                raise self._error(token.column, "a number of more than 1000 digits")
            constant = int(token.text)
        else:
            constant = token.text == "true"
        return lambda _values: constant


def _truth(value: object) -> bool:
    if not isinstance(value, bool):
        raise _Mismatch(f"{value!r} is not a truth value")
    return value


def _truths(parts: Sequence[Evaluate], values: Valuation) -> list[bool]:
    """All of them, so that a comparison that makes no sense is never hidden by an earlier part."""
    return [_truth(part(values)) for part in parts]


def _compared(relation: str, left: object, right: object) -> bool:
    if _kind(left) != _kind(right):
        raise _Mismatch(f"{_kind(left)} {left!r} is compared with {_kind(right)} {right!r}")
    if relation not in ("=", "==", "!=") and _kind(left) != "number":
        raise _Mismatch(f"{_kind(left)} {left!r} has no order")
    return RELATIONS[relation](left, right)


def _kind(value: object) -> str:
    return "truth value" if isinstance(value, bool) else "text" if isinstance(value, str) else "number"
