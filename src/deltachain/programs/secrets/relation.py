"""Which start states are compared: by predicates over their variables, or by a rule about two of them.

Predicates and rules are expressions of the language of programs (docs/programs.md): exact numbers, comparisons,
``and``, ``or``, ``not``, tuples, comprehensions, ``abs``, ``len``, ``max``. A predicate names variables,
``payer == 0``; PRISM's way to write it, ``payer=0 & !done``, is read too. A rule names those of two states,
``abs(a.count - b.count) == 1``. A state without all the variables is not chosen. The text is parsed and computed by
the language; nothing of Python is run.

Rules are asked of the variables of start states, of a chain or of a program's secrets: with many of them the pairs are
chosen before the chain is made. Where they are too many to list, pairs can be drawn.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial, wraps
from random import Random
from typing import Any, NamedTuple

from ...cancel import Cancel
from ...errors import Defect, FormatError, InputError
from ...model import Chain
from ...numbers.fraction import as_fraction
from ...parameters import Given, Neighbours, respell
from ..language.compute import Computation
from ..language.graph import Apply, Decide, Expression
from ..language.lower import lower_expression
from ..language.source import Problem, parse
from ..language.values import COMPARE, Value, identity, kind, show
from .domains import Domain
from .valuations import NotHeld, read_value

MAX_PAIRS = 200_000
"""How many pairs may be chosen."""
MOST_COMPARED = 20_000_000
"""How many ordered pairs of states a rule may be asked of."""
BLOCKS_PER_LOOK = 5_000
"""How many blocks of secrets are compared between two looks at the deadline."""
DRAWN_BATCHES, DRAWN_BATCH = 200, 1000
"""How often pairs are drawn, and how many at a time, before a sample is taken as it is."""
NORM = re.compile(r"(linf|l1)\s+(\S+)")

Values = Mapping[str, Value]
PRISM = re.compile(r"""('[^']*'|"[^"]*")|(?<![=!<>])=(?!=)|!(?!=)|&&?|\|\|?|\btrue\b|\bfalse\b""")
PYTHON = {"=": "==", "!": " not ", "&": " and ", "|": " or ", "true": "True", "false": "False"}
FORMS = "write comparisons such as x == 0, joined by and, or, not and parentheses"


@dataclass(frozen=True)
class _Condition:
    """An expression that is true or false of some variables."""

    where: str
    names: tuple[str, ...]
    compute: Computation

    def holds(self, values: Sequence[Value], states: Callable[[], str]) -> bool:
        """Its value for these values of its names; InputError, naming the states, if that is not a truth value."""
        try:
            found = self.compute(*values)
            if not isinstance(found, bool):
                raise Problem(f"{found!r} is not a truth value", "compare it")
        except Problem as problem:
            raise InputError(Defect(f"{self.where}, in {states()}", problem.what, problem.fix)) from None
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
        graph = lower_expression(node, source, frozenset(names))
    except FormatError as error:
        raise FormatError(_place_defect(defect, where, known, prefixes, columns) for defect in error.defects) from None
    strict = (replace(i, reads=tuple(map(_strict, i.reads))) for i in graph.instructions)
    return _Condition(where, names, Computation(replace(graph, instructions=tuple(strict)), names))


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


def _place_defect(defect: Defect, where: str, known: Sequence[str], prefixes: Sequence[str], columns: bool) -> Defect:
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
        InputError: the text is not a predicate, the chain has no such variable, or values do not go together.

    >>> chain = Chain.from_dicts({"s": {"s": 1}, "t": {"t": 1}}, {"s": "", "t": ""}, valuations={"t": {"x": 3}})
    >>> states_where(chain, "x > 2 & !(x = 4)")
    (1,)
    """
    python = PRISM.sub(lambda found: found[1] or PYTHON[found[0][:1] if found[0][0] in "&|" else found[0]], text)
    condition = _condition(python, f"{what} {text!r}", _variables(chain), columns=python == text)
    chosen = []
    for state in range(len(chain)) if within is None else within:
        values = _pick(_values(chain, state), condition.names)
        if values is not None and condition.holds(values, partial(_name, "state", chain.states[state])):
            chosen.append(state)
    return tuple(chosen)


def _name(what: str, *names: str) -> str:
    return f"{what} {' and '.join(map(repr, names))}"


def _pick(values: Values, names: Sequence[str]) -> list[Value] | None:
    """The values of the names; None if one is missing."""
    return [values[name] for name in names] if values.keys() >= set(names) else None


def with_neighbours(chain: Chain, rule: Neighbours, *, what: str = "neighbours", cancel: Cancel | None = None) -> Chain:
    """The chain with every two of its start states that are neighbours, in one order at least, for its relation.

    They are chosen among the states that the relation of the chain names, and among all where it has none.

    Args:
        chain: a chain whose states have variables.
        rule: an expression about two states ``a`` and ``b``; ``"one-entry"`` (one variable, or one entry of one
            tuple or dict, differs), ``"add-remove"`` (b has one entry more in one tuple or dict), ``"linf K"`` and
            ``"l1 K"`` (numbers differ by at most K, each or in sum), or ``"all"``; or a function of the variables of
            two states, which are mappings.
        what: what a message calls the rule.
        cancel: a deadline, and where progress goes.

    Raises:
        InputError: no such rule, no neighbours, or too many.
    """
    starts = _starts(chain) or list(range(len(chain)))
    known = [_values(chain, state) for state in starts]
    names = [chain.states[state] for state in starts]
    pairs = neighbouring(known, names, rule, what=what, cancel=cancel)
    return chain.with_relation((starts[a], starts[b]) for a, b in pairs)


def take_rules(make: Callable[Given, Chain]) -> Callable[Given, Chain]:
    """What makes chains, so that its ``neighbours`` may be a rule as text: asked of what the chain records."""

    @wraps(make)
    def make_chain(*args: Given.args, **kwargs: Given.kwargs) -> Chain:
        given: dict[str, Any] = respell(kwargs)
        rule = given.get("neighbours")
        if not isinstance(rule, str):
            return make(*args, **given)
        chain = make(*args, **{**given, "neighbours": None})
        return with_neighbours(chain, rule, cancel=given.get("cancel"))

    return make_chain


def neighbouring(
    known: Sequence[Values],
    names: Sequence[str],
    rule: Neighbours,
    *,
    what: str = "neighbours",
    cancel: Cancel | None = None,
) -> list[tuple[int, int]]:
    """Every two that are neighbours by the rule, by number, in the order in which it holds.

    Args:
        known: the variables of each start state, or secret.
        names: their names.
        rule: as of `with_neighbours`.
        what: what a message calls the rule.
        cancel: a deadline, and where progress goes.

    Raises:
        InputError: no such rule, no neighbours, or too many.
    """
    where, count = _place(what, rule), len(known) * (len(known) - 1)
    norm = _norm_rule(rule.strip(), where) if isinstance(rule, str) else None
    if norm is not None:
        _require_held(known, names, where)
        return _near_pairs(known, norm, where, cancel)
    if count > MOST_COMPARED:
        fix = f"at most {MOST_COMPARED:,} can be tried: name pairs, give fewer secrets, or check --sample"
        raise InputError(Defect(where, f"{len(known):,} states are {count:,} ordered pairs", fix))
    pairs = _relate(_between(known, names, rule, where), len(known), where, cancel)
    if not pairs:
        raise _no_neighbours(where)
    return pairs


def _place(what: str, rule: object) -> str:
    """What a message calls a rule; InputError if it is none."""
    if isinstance(rule, str):
        return f"{what} {rule!r}"
    if not callable(rule):
        said = f"{type(rule).__name__} is neither a text nor a function of two secrets"
        raise InputError(Defect(what, said, "give a rule such as 'abs(a.x - b.x) <= 1', or lambda a, b: …"))
    return f"{what} {getattr(rule, '__name__', type(rule).__name__)}"


def _relate(holds: _Rule, count: int, where: str, cancel: Cancel | None) -> list[tuple[int, int]]:
    """Every two of so many that a rule holds of, in the order in which it does."""
    pairs: list[tuple[int, int]] = []
    for a in range(count):
        if cancel is not None:
            cancel.check()
            cancel.report(f"finding neighbours: {len(pairs):,} pairs, state {a + 1:,} of {count:,}")
        for b in range(a + 1, count):
            if holds(a, b):
                pairs.append((a, b))
            elif not holds.symmetric and holds(b, a):
                pairs.append((b, a))
        _refuse_many(pairs, where)
    return pairs


class DrawnPairs(NamedTuple):
    """Secrets that were drawn from a domain, and pairs of them that are neighbours, by number."""

    secrets: list[Values]
    pairs: list[tuple[int, int]]
    every: bool
    """Whether these are all the neighbouring pairs of the domain."""


def drawn_pairs(
    domain: Sequence[Values],
    rule: Neighbours,
    count: int,
    seed: int,
    places: tuple[str, str],
    cancel: Cancel | None = None,
) -> DrawnPairs:
    """Secrets drawn from a domain, and pairs of them that are neighbours by the rule, by number, in its order.

    Some of what is tried are two secrets drawn independently; others are one, and the same with some entries of
    another, or with numbers off by one, so that neighbours are found in large domains. Once as many were tried as the
    domain has pairs, they are listed instead, and the sample is drawn from the list. Nothing depends on how likely a
    pair is: what is said is about the pairs that were drawn.

    Args:
        domain: the secrets; it need not be listed.
        rule: as of `with_neighbours`.
        count: how many pairs to find.
        seed: the same seed draws the same pairs.
        places: what messages call the sample, and the rule.
        cancel: a deadline, and where progress goes.

    Raises:
        InputError: no such rule, or no neighbours were found.
    """
    random = Random(seed)  # noqa: S311 - which pairs are examined is no secret
    where = _place(places[1], rule)
    sample = _Sample(count)
    possible = len(domain) * (len(domain) - 1) // 2
    for batch in range(DRAWN_BATCHES):
        if possible <= batch * DRAWN_BATCH or possible <= DRAWN_BATCH:
            # Drawing at random would meet most pairs several times before the last one is met.
            return _drawn_from_all(domain, rule, sample, random, places, cancel)
        if cancel is not None:
            cancel.check()
            cancel.report(f"drawing pairs: {len(sample.pairs):,} of {count:,}")
        known = [secret for _ in range(DRAWN_BATCH) for secret in _two_drawn(domain, random)]
        holds = _between(known, [str(secret) for secret in known], rule, where)
        for a in range(0, len(known), 2):
            if known[a] == known[a + 1]:
                continue
            if holds(a, a + 1):
                sample.add(known[a], known[a + 1])
            elif holds(a + 1, a):
                sample.add(known[a + 1], known[a])
            if sample.full:
                return sample.draw(every=False)
    if not sample.pairs:
        raise _none_drawn(places[0], where)
    return sample.draw(every=False)


class _Sample:
    """Up to ``count`` different pairs, whose secrets are numbered in the order in which they are met."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.pairs: dict[tuple[int, int], None] = {}
        self._secrets: dict[object, tuple[int, Values]] = {}

    @property
    def full(self) -> bool:
        return len(self.pairs) >= self.count

    def add(self, first: Values, second: Values) -> None:
        """Add a pair, unless it is there, in either order."""
        one, other = map(self._number, (first, second))
        if (other, one) not in self.pairs:
            self.pairs[one, other] = None

    def _number(self, secret: Values) -> int:
        key = tuple((name, identity(value)) for name, value in secret.items())
        return self._secrets.setdefault(key, (len(self._secrets), secret))[0]

    def draw(self, *, every: bool) -> DrawnPairs:
        return DrawnPairs([secret for _, secret in self._secrets.values()], list(self.pairs), every)


def _drawn_from_all(
    domain: Sequence[Values],
    rule: Neighbours,
    sample: _Sample,
    random: Random,
    places: tuple[str, str],
    cancel: Cancel | None,
) -> DrawnPairs:
    """The sample, filled from the list of all neighbouring pairs of a domain that has few."""
    listed = list(domain)
    where = _place(places[1], rule)
    near = _relate(_between(listed, [str(secret) for secret in listed], rule, where), len(listed), where, cancel)
    if not near:
        raise _none_drawn(places[0], where)
    every = len(near) <= sample.count
    for a, b in near if every else random.sample(near, len(near)):
        if not sample.full:
            sample.add(listed[a], listed[b])
    return sample.draw(every=every)


def _none_drawn(place: str, where: str) -> InputError:
    return InputError(Defect(place, f"no two neighbours were found by {where}", "correct the rule, or name pairs"))


def _two_drawn(domain: Sequence[Values], random: Random) -> tuple[Values, Values]:
    """Two secrets of the domain: independent ones; one with some entries of another; or one with numbers off by one."""
    one, other = domain[random.randrange(len(domain))], domain[random.randrange(len(domain))]
    way = random.randrange(3) if isinstance(domain, Domain) else 0
    if way == 0:
        return one, other
    entries = [(name, i) for name, value in one.items() for i in range(len(value) if isinstance(value, tuple) else 1)]
    changed: dict[str, Value] = dict(one)
    near = {name: _near(value, random) for name, value in one.items()} if way == 1 else other
    for name, i in entries if way == 1 else random.sample(entries, random.randint(1, len(entries))):
        x, y = changed[name], near.get(name)
        if isinstance(x, tuple) and isinstance(y, tuple) and len(x) == len(y):
            changed[name] = (*x[:i], y[i], *x[i + 1 :])
        elif y is not None:
            changed[name] = y
    return one, changed if changed in domain else other


def _near(value: Value, random: Random) -> Value:
    """The value with each of its numbers as it is, one less, or one more."""
    if isinstance(value, tuple):
        return tuple(_near(part, random) for part in value)
    number = isinstance(value, int | Fraction) and not isinstance(value, bool)
    return value + random.randint(-1, 1) if number else value  # type: ignore[operator]


def ordered_neighbours(chain: Chain, rule: Neighbours, *, what: str = "neighbours") -> list[tuple[int, int]]:
    """The relation that `with_neighbours` gave the chain, each pair in the order in which the rule holds."""
    starts = _starts(chain)
    number = {state: place for place, state in enumerate(starts)}
    known = [_values(chain, state) for state in starts]
    holds = _between(known, [chain.states[state] for state in starts], rule, _place(what, rule))
    if holds.symmetric:
        return list(chain.relation)
    return [(a, b) if holds(number[a], number[b]) else (b, a) for a, b in chain.relation]


def _starts(chain: Chain) -> list[int]:
    return sorted({state for pair in chain.relation for state in pair})


class _Rule:
    """Whether a rule holds of two of the known, by number, in this order."""

    def __init__(self, holds: Callable[[int, int], bool], symmetric: bool) -> None:
        self._holds, self.symmetric = holds, symmetric

    def __call__(self, a: int, b: int) -> bool:
        return self._holds(a, b)


def _between(known: Sequence[Values], names: Sequence[str], rule: Neighbours, where: str) -> _Rule:
    """Compile the rule into a predicate on indices into ``known``."""
    if not isinstance(rule, str):
        function = rule
        return _Rule(lambda a, b: bool(function(known[a], known[b])), symmetric=False)
    related = _named_rule(rule.strip(), where)
    if related is not None:
        if rule.strip() != "all":  # which looks at nothing
            _require_held(known, names, where)
        return _Rule(lambda a, b: related(known[a], known[b]), related is not _is_added)
    variables = sorted({name for values in known for name in values})
    condition = _condition(rule, where, variables, ("a", "b"))
    # Values of each are picked once: the names of ``a`` come first, since they are sorted.
    own = {side: [name[2:] for name in condition.names if name[0] == side] for side in "ab"}
    _require_held(known, names, where, {name[2:] for name in condition.names})
    first, second = ([_pick(values, own[side]) for values in known] for side in "ab")

    def holds(a: int, b: int) -> bool:
        left, right = first[a], second[b]
        if left is None or right is None:
            return False
        return condition.holds([*left, *right], lambda: _name("states", names[a], names[b]))

    return _Rule(holds, symmetric=False)


def _require_held(
    known: Sequence[Values], names: Sequence[str], where: str, read: Collection[str] | None = None
) -> None:
    """InputError where the record of a state does not hold a value that the rule reads; by default it reads all."""
    for values, state in zip(known, names, strict=True):
        for name, value in values.items():
            if isinstance(value, NotHeld) and (read is None or name in read):
                what = f"a rule cannot compare {name}: {value}"
                fix = "name the pairs, or give a function of two secrets as neighbours"
                raise InputError(Defect(f"{where}, in {_name('state', state)}", what, fix))


def _named_rule(rule: str, where: str) -> Callable[[Values, Values], bool] | None:
    """The rule of a name, ``linf 1`` included; None for an expression."""
    norm = _norm_rule(rule, where)
    if norm is None:
        return RULES.get(rule)
    together, most = max if norm.largest else sum, norm.most

    def near(a: Values, b: Values) -> bool:
        differences = _differences(a, b)
        return differences is not None and together(differences) <= most

    return near


class _Norm(NamedTuple):
    """Numbers differ by at most ``most``, the largest difference or all of them in sum."""

    largest: bool
    most: Fraction


def _norm_rule(rule: str, where: str) -> _Norm | None:
    """The norm of ``linf 1`` and ``l1 1``; None for another rule."""
    found = NORM.fullmatch(rule)
    if found is None:
        return None
    norm, bound = found.groups()
    try:
        most = as_fraction(bound)
    except InputError as error:
        raise InputError(Defect(where, error.defects[0].what, f"write {norm} 1")) from None
    if most <= 0:
        raise InputError(Defect(where, f"no two secrets differ by at most {bound}", f"write {norm} 1"))
    return _Norm(norm == "linf", most)


def _near_pairs(known: Sequence[Values], norm: _Norm, where: str, cancel: Cancel | None) -> list[tuple[int, int]]:
    """Every two whose numbers are near, found entry by entry: most pairs are never compared.

    Those that agree in all but numbers are blocks; a block against another is split by their values of one entry, and
    the parts that are too far from each other there are dropped.
    """
    vectors: list[list[Any]] = []
    groups: dict[object, list[int]] = {}
    orders: dict[frozenset[object], list[object]] = {}
    for place, values in enumerate(known):
        vectors.append([])
        groups.setdefault(_outline(values, vectors[-1], orders), []).append(place)
    stack: list[tuple[list[int], list[int], int, Any]] = [(group, group, 0, norm.most) for group in groups.values()]
    pairs: list[tuple[int, int]] = []
    count = 0
    while stack:
        left, right, entry, room = stack.pop()
        if cancel is not None and (count := count + 1) % BLOCKS_PER_LOOK == 0:
            cancel.check()
            cancel.report(f"finding neighbours: {len(pairs):,} pairs")
        if entry == len(vectors[left[0]]):
            for a in left:
                pairs += [(a, b) for b in right if a < b]
                _refuse_many(pairs, where)
            continue
        ours, theirs = _by_entry(left, vectors, entry), _by_entry(right, vectors, entry)
        order = sorted(theirs)
        for value, part in ours.items():
            for other in order[bisect_left(order, value - room) : bisect_right(order, value + room)]:
                rest = room if norm.largest else room - abs(value - other)
                stack.append((part, theirs[other], entry + 1, rest))
    if not pairs:
        raise _no_neighbours(where)
    return sorted(pairs)


def _by_entry(block: Sequence[int], vectors: Sequence[Sequence[Any]], entry: int) -> dict[Any, list[int]]:
    found: dict[Any, list[int]] = {}
    for place in block:
        found.setdefault(vectors[place][entry], []).append(place)
    return found


def _outline(value: Any, numbers: list[int | Fraction], orders: dict[frozenset[object], list[object]]) -> object:
    """A value without its numbers, which are added to the list: values whose outlines differ are not near.

    ``orders`` has the keys of dicts, in the order in which the first with these keys has them.
    """
    if isinstance(value, int | Fraction):
        numbers.append(value)
        return None
    if isinstance(value, tuple):
        return tuple([_outline(part, numbers, orders) for part in value])
    if isinstance(value, Mapping):
        keys = frozenset(value)
        return keys, tuple([_outline(value[key], numbers, orders) for key in orders.setdefault(keys, list(value))])
    return "", identity(value)


def _refuse_many(pairs: Sequence[object], where: str) -> None:
    if len(pairs) > MAX_PAIRS:
        raise InputError(
            Defect(where, f"more than {MAX_PAIRS:,} pairs are too many", "choose fewer, or check --sample")
        )


def _no_neighbours(where: str) -> InputError:
    return InputError(Defect(where, "no two start states are neighbours", "correct the rule, or name pairs"))


def _variables(chain: Chain) -> list[str]:
    return sorted({name for valuation in chain.valuations or () for name in valuation})


def _values(chain: Chain, state: int) -> dict[str, Value]:
    """The variables of a state; what a model file holds as text, such as a tuple or a fraction, is that again."""
    recorded = chain.valuations[state] if chain.valuations else {}
    return {name: read_value(value) for name, value in recorded.items()}


def _differences(a: Values, b: Values) -> list[int | Fraction] | None:
    """By how much the numbers differ, entry by entry; None if anything else does."""
    if a.keys() != b.keys():
        return None
    found: list[int | Fraction] = [0]
    for name, x in a.items():
        y = b[name]
        if isinstance(x, int | Fraction) and isinstance(y, int | Fraction):
            found.append(abs(Fraction(x) - Fraction(y)))
        elif isinstance(x, tuple) and isinstance(y, tuple) and len(x) == len(y):
            inner = _differences(dict(enumerate(x)), dict(enumerate(y)))  # type: ignore[arg-type]  # any keys do
            if inner is None:
                return None
            found += inner
        elif isinstance(x, Mapping) and isinstance(y, Mapping):
            inner = _differences(x, y)  # type: ignore[arg-type]
            if inner is None:
                return None
            found += inner
        elif x != y:
            return None
    return found


def _one_difference(a: Values, b: Values) -> tuple[Value, Value] | None:
    """The values of the one variable that differs."""
    if a.keys() != b.keys():
        return None
    differing = [(a[name], b[name]) for name in a if identity(a[name]) != identity(b[name])]
    return differing[0] if len(differing) == 1 else None


def _one_entry(a: Values, b: Values) -> bool:
    found = _one_difference(a, b)
    if found is None:
        return False
    x, y = found
    if isinstance(x, tuple) and isinstance(y, tuple):
        return len(x) == len(y) and sum(identity(i) != identity(j) for i, j in zip(x, y, strict=True)) == 1
    if isinstance(x, Mapping) and isinstance(y, Mapping):
        return x.keys() == y.keys() and sum(identity(x[key]) != identity(y[key]) for key in x) == 1
    # 1 and 1/2, or "1" and "a": values of one variable need not be of one type to differ.
    return not isinstance(x, tuple | Mapping) and not isinstance(y, tuple | Mapping)


def _is_added(a: Values, b: Values) -> bool:
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
    "add-remove": _is_added,
    "all": lambda _a, _b: True,
}
