"""Which start states are compared: by predicates over their variables, or by a rule about two of them.

Predicates and rules are expressions of the language of programs (docs/programs.md): exact numbers, comparisons,
``and``, ``or``, ``not``, tuples, ``abs``, ``len``, ``max``. A predicate names variables, ``payer == 0``; PRISM's way to
write it, ``payer=0 & !done``, is read too. A rule names those of two states, ``abs(a.count - b.count) == 1``. A state
without all the variables is not chosen. The text is parsed and evaluated as an expression; nothing is run.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations

from .errors import Defect, FormatError, InputError
from .model import Chain
from .programs.graph import Apply, Decide, Expression, evaluation
from .programs.lower import lower_expression
from .programs.protocol import parse_value
from .programs.source import Problem, parse
from .programs.values import COMPARE, Value, kind, show

MAX_PAIRS = 100_000
"""How many pairs may be chosen."""
MOST_COMPARED = 2_000_000
"""How often a rule may be asked."""

Values = Mapping[str, Value]
PRISM = re.compile(r"""('[^']*'|"[^"]*")|(?<![=!<>])=(?!=)|!(?!=)|&&?|\|\|?|\btrue\b|\bfalse\b""")
PYTHON = {"=": "==", "!": " not ", "&": " and ", "|": " or ", "true": "True", "false": "False"}
FORMS = "write comparisons such as x == 0, joined by and, or, not and parentheses"


@dataclass(frozen=True)
class _Condition:
    """An expression that is true or false of some variables."""

    where: str
    names: tuple[str, ...]
    evaluate: Callable[[list[object]], Value]

    def holds(self, values: Values, states: str) -> bool:
        """Its value; InputError, naming the states, if it has none or is not a truth value."""
        try:
            found = self.evaluate([0, *(values[name] for name in self.names)])
            if not isinstance(found, bool):
                raise Problem(f"{found!r} is not a truth value", "compare it")
        except Problem as problem:
            raise InputError(Defect(f"{self.where}, in {states}", problem.what, problem.fix)) from None
        return found


def _condition(
    text: str, where: str, known: Sequence[str], prefixes: Sequence[str] = (), *, columns: bool = True
) -> _Condition:
    """The condition of a text over the variables ``known``, or, with prefixes, over ``a.x`` for each of them."""
    try:
        source = parse(text.strip(), "")
        match source.module.body:
            case [ast.Expr(expression)]:
                node: ast.expr = _Dotted(prefixes).visit(expression)
            case _:
                raise FormatError(Defect("", "this is not one expression", FORMS))
        given = {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
        of_states = {name for name in given if "." in name} if prefixes else given
        unknown = sorted({name.rpartition(".")[2] for name in of_states} - set(known)) if prefixes else []
        names = tuple(sorted(name for name in of_states if name.rpartition(".")[2] in known))
        if unknown:
            raise FormatError(_no_variable("", name, known) for name in unknown)
        expression_of = lower_expression(node, source, frozenset(names))
    except FormatError as error:
        raise FormatError(_placed(defect, where, known, prefixes, columns) for defect in error.defects) from None
    slots = {name: number for number, name in enumerate(names, 1)}
    return _Condition(where, names, evaluation(_strict(expression_of), slots))


def _same_kind(operation: Callable[..., Value]) -> Callable[[Value, Value], Value]:
    """An equality that is asked of values of one kind alone: others are a slip, not unequal."""

    def apply(left: Value, right: Value) -> Value:
        kinds = [
            "a number" if isinstance(value, int | Fraction) and not isinstance(value, bool) else kind(value)
            for value in (left, right)
        ]
        if kinds[0] != kinds[1]:
            what = f"{kinds[0]}, {show(left)}, is compared with {kinds[1]}, {show(right)}"
            raise Problem(what, "compare values of one type")
        return operation(left, right)

    return apply


EQUALITIES = {COMPARE[name]: _same_kind(COMPARE[name]) for name in ("Eq", "NotEq")}


def _strict(expression: Expression) -> Expression:
    """The expression with every equality asked of values of one kind."""
    if not isinstance(expression, Apply | Decide):
        return expression
    parts = tuple(map(_strict, expression.parts))
    if isinstance(expression, Decide):
        return replace(expression, parts=parts)
    return replace(expression, parts=parts, function=EQUALITIES.get(expression.function, expression.function))


class _Dotted(ast.NodeTransformer):
    """``a.count`` as one name."""

    def __init__(self, prefixes: Sequence[str]) -> None:
        self._prefixes = prefixes

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """A variable of one of the two states."""
        if isinstance(node.value, ast.Name) and node.value.id in self._prefixes:
            return ast.copy_location(ast.Name(f"{node.value.id}.{node.attr}", ast.Load()), node)
        return self.generic_visit(node)  # type: ignore[return-value]  # an expression stays one


def _no_variable(where: str, name: str, known: Sequence[str]) -> Defect:
    there = f"its variables are {', '.join(known)}" if known else "it has no variables: name states, --pair S T"
    return Defect(where, f"the model has no variable {name!r}", there)


UNKNOWN = re.compile(r"unknown name '(.*)'|(.*) is not in the language")


def _placed(defect: Defect, where: str, known: Sequence[str], prefixes: Sequence[str], columns: bool) -> Defect:
    """The defect of an expression, with its column; a name that nothing binds is a variable that is not there."""
    column = defect.where.rpartition(":")[2]
    place = f"{where}, column {column}" if columns and column.isdecimal() else where
    found = UNKNOWN.fullmatch(defect.what)
    if found is None or not (found[1] or found[2] or "").isidentifier():
        return Defect(place, defect.what, defect.fix or FORMS)
    name = found[1] or found[2]
    if prefixes and name not in known:
        both = " and ".join(f"{prefix}.x" for prefix in prefixes)
        return Defect(place, f"unknown name {name!r}", f"the variables of the two states are {both}")
    if prefixes:
        return Defect(place, f"of which state is {name!r}?", f"write {prefixes[0]}.{name} or {prefixes[1]}.{name}")
    return _no_variable(place, name, known)


def states_where(
    chain: Chain, text: str, *, within: Iterable[int] | None = None, what: str = "predicate"
) -> tuple[int, ...]:
    """The states whose variables satisfy the predicate, in order.

    Args:
        chain: a chain whose states have variables.
        text: the predicate.
        within: the states to choose from (default: all).
        what: what a message calls the predicate.

    Raises:
        InputError: the text is no predicate, the chain has no such variable, or values do not go together.

    >>> chain = Chain.from_dicts({"s": {"s": 1}, "t": {"t": 1}}, {"s": "", "t": ""}, valuations={"t": {"x": 3}})
    >>> states_where(chain, "x > 2 & !(x = 4)")
    (1,)
    """
    python = PRISM.sub(lambda found: found[1] or PYTHON[found[0][:1] if found[0][0] in "&|" else found[0]], text)
    condition = _condition(python, f"{what} {text!r}", _variables(chain), columns=python == text)
    chosen = []
    for state in range(len(chain)) if within is None else within:
        values = _values(chain, state)
        named = f"state {chain.states[state]!r}"
        if values.keys() >= set(condition.names) and condition.holds(values, named):
            chosen.append(state)
    return tuple(chosen)


def with_neighbours(chain: Chain, rule: str, *, what: str = "neighbours") -> Chain:
    """The chain with every two of its start states that are neighbours, in one order at least, for its relation.

    They are chosen among the states that the relation of the chain names, and among all where it has none.

    Args:
        chain: a chain whose states have variables.
        rule: an expression about two states ``a`` and ``b``; or ``"one-entry"`` (one variable, or one entry of one
            tuple or dict, differs), ``"add-remove"`` (b has one entry more in one tuple or dict), or ``"all"``.
        what: what a message calls the rule.

    Raises:
        InputError: no such rule, no neighbours, or too many.
    """
    starts = _starts(chain) or list(range(len(chain)))
    where = f"{what} {rule!r}"
    count = len(starts) * (len(starts) - 1)
    if count > MOST_COMPARED:
        fix = f"at most {MOST_COMPARED:,} can be tried: name pairs, or give fewer secrets"
        raise InputError(Defect(where, f"{len(starts):,} states are {count:,} ordered pairs", fix))
    holds = _between(chain, starts, rule, where)
    pairs = [(a, b) for a, b in combinations(starts, 2) if holds(a, b) or holds(b, a)]
    if not pairs:
        raise InputError(Defect(where, "no two start states are neighbours", "correct the rule, or name pairs"))
    if len(pairs) > MAX_PAIRS:
        raise InputError(Defect(where, f"{len(pairs):,} pairs are too many", f"choose at most {MAX_PAIRS:,}"))
    return chain.with_relation(pairs)


def ordered_neighbours(chain: Chain, rule: str, *, what: str = "neighbours") -> list[tuple[int, int]]:
    """The relation that `with_neighbours` gave the chain, each pair in the order in which the rule holds."""
    holds = _between(chain, _starts(chain), rule, f"{what} {rule!r}")
    return [(a, b) if holds(a, b) else (b, a) for a, b in chain.relation]


def _starts(chain: Chain) -> list[int]:
    return sorted({state for pair in chain.relation for state in pair})


def _between(chain: Chain, starts: Sequence[int], rule: str, where: str) -> Callable[[int, int], bool]:
    """Whether the rule holds of two states, in this order."""
    known = {state: _values(chain, state) for state in starts}
    if rule.strip() in RULES:
        related = RULES[rule.strip()]
        return lambda a, b: related(known[a], known[b])
    condition = _condition(rule, where, _variables(chain), ("a", "b"))
    first, second = (
        {state: {f"{side}.{name}": value for name, value in values.items()} for state, values in known.items()}
        for side in ("a", "b")
    )

    def holds(a: int, b: int) -> bool:
        values = first[a] | second[b]
        named = f"states {chain.states[a]!r} and {chain.states[b]!r}"
        return values.keys() >= set(condition.names) and condition.holds(values, named)

    return holds


def _variables(chain: Chain) -> list[str]:
    return sorted({name for valuation in chain.valuations or () for name in valuation})


def _values(chain: Chain, state: int) -> dict[str, Value]:
    """The variables of a state; what a model file holds as text, such as a tuple or a fraction, is that again."""
    recorded = chain.valuations[state] if chain.valuations else {}
    return {name: _value(value) for name, value in recorded.items()}


def _value(recorded: object) -> Value:
    if not isinstance(recorded, str):
        return recorded  # type: ignore[return-value]  # ints and bools are values as they are
    if not re.match(r"[-({\d]|range\(", recorded):
        return recorded
    try:
        return parse_value(recorded)
    except InputError:
        return recorded


def _one_difference(a: Values, b: Values) -> tuple[Value, Value] | None:
    """The values of the one variable that differs."""
    if a.keys() != b.keys():
        return None
    differing = [(a[name], b[name]) for name in a if a[name] != b[name]]
    return differing[0] if len(differing) == 1 else None


def _one_entry(a: Values, b: Values) -> bool:
    found = _one_difference(a, b)
    if found is None:
        return False
    x, y = found
    if isinstance(x, tuple) and isinstance(y, tuple):
        return len(x) == len(y) and sum(i != j for i, j in zip(x, y, strict=True)) == 1
    if isinstance(x, Mapping) and isinstance(y, Mapping):
        return x.keys() == y.keys() and sum(x[key] != y[key] for key in x) == 1
    return type(x) is type(y) and not isinstance(x, tuple | Mapping)


def _added(a: Values, b: Values) -> bool:
    found = _one_difference(a, b)
    if found is None:
        return False
    x, y = found
    if isinstance(x, tuple) and isinstance(y, tuple):
        return len(y) == len(x) + 1 and any(y[:i] + y[i + 1 :] == x for i in range(len(y)))
    if isinstance(x, Mapping) and isinstance(y, Mapping):
        return len(y) == len(x) + 1 and all(key in y and y[key] == x[key] for key in x)
    return False


RULES: Mapping[str, Callable[[Values, Values], bool]] = {
    "one-entry": _one_entry,
    "add-remove": _added,
    "all": lambda _a, _b: True,
}
