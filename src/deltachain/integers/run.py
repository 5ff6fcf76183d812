"""A symbolic run: every path of a program whose inputs are arbitrary integers, with what each has decided.

A comparison of integers that depend on inputs or on noise decides nothing by itself. It splits the run in two, each of
which knows the outcome as a bound (`constraints`); a run that knows enough is not split. So every operation that is
made of comparisons, additions and multiplications by numbers is allowed: ``max``, ``min``, ``abs``, ``sum``, clamps.
Everything else that would look at such an integer is refused by name, with the finite domain as the way out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd
from typing import Any, NamedTuple

from ..cancel import Cancel
from ..draws.laws import TwoSidedNoise, Uniform, Weighted
from ..errors import Defect
from ..programs.language import values as language
from ..programs.language.graph import Apply, Constant, Decide, Expression, Graph, Instruction, Kind, Variable
from ..programs.language.source import Place, Problem, ProgramError
from ..programs.language.values import BINARY, BUILTINS, COMPARE, FOLDS, UNARY, show_letter, truth
from .affine import Affine, Floored, Form
from .constraints import ConstraintNode, NoiseBound, follows

MOST_PATHS = 20_000
"""The most paths of a symbolic run."""
MOST_STEPS = 20_000
"""The most steps of one path."""
DOMAIN = "give a finite domain of inputs: --secrets 'x=range(10)', or secrets=domain(x=range(10))"
"""The way out where something is not supported for all integers."""

Symbolic = Affine | Floored


class OpenComparison(Exception):
    """A comparison that the path does not decide."""

    def __init__(self, bound: NoiseBound, flipped: int | None) -> None:
        super().__init__()
        self.bound, self.flipped = bound, flipped


class PathChoice(NamedTuple):
    """What a path took where several ways were open: a bound that it knows now, or the number of a drawn value."""

    bound: NoiseBound | None
    drawn: int = 0


@dataclass(frozen=True)
class SymbolicPath:
    """Where a run is, and what it knows.

    Attributes:
        point: the instruction that comes next.
        values: the variables that have a value.
        noise: the ratio of each noise that was drawn, by its number.
        signs: by noise, −1 where it is followed as −Z, so that all that is compared is a difference.
        bounds: what is known of the noise, without what is equal to a form.
        equal: announced integers: V_left − V_right = form.
        choices: all splits so far, in order.
        letters: what was announced.
        outputs: the number of announced integers so far.
        weight: the probability of what was drawn among finitely many.
        steps: how many instructions have been followed.
    """

    point: int
    values: Mapping[str, Any]
    noise: tuple[Any, ...] = ()
    signs: tuple[int, ...] = ()
    bounds: tuple[NoiseBound, ...] = ()
    equal: tuple[NoiseBound, ...] = ()
    choices: tuple[PathChoice, ...] = ()
    letters: tuple[str, ...] = ()
    outputs: int = 0
    weight: Fraction = Fraction(1)
    steps: int = 0

    @property
    def known(self) -> tuple[NoiseBound, ...]:
        """All bounds."""
        return (*self.bounds, *self.equal, *(each.reverse for each in self.equal))


def is_symbolic(value: object) -> bool:
    """Whether it depends on inputs or noise."""
    return isinstance(value, Affine | Floored) or (isinstance(value, tuple) and any(map(is_symbolic, value)))


class Evaluator:
    """Expressions on one path: operations on numbers are the language's own, those on symbolic integers are here."""

    def __init__(self, path: SymbolicPath) -> None:
        self.path = path

    def value(self, expression: Expression) -> Any:
        """The value of the expression; `OpenComparison` where a comparison is open, Problem where it has none."""
        match expression:
            case Constant(value):
                return value
            case Variable(name):
                if name not in self.path.values:
                    raise expression.report_missing()
                return self.path.values[name]
            case Decide(how, parts):
                return self._decide(how, parts)
            case Apply(function, parts, place):
                arguments = [self.value(part) for part in parts]
                try:
                    return self._apply(function, arguments)
                except Problem as problem:
                    raise problem.at(place) from None
        raise TypeError(expression)

    def _decide(self, how: str, parts: Sequence[Expression]) -> Any:
        if how == "if":
            test, then, otherwise = parts
            return self.value(then if self.truth(self.value(test)) else otherwise)
        *tests, last = parts
        for part in tests:
            value = self.value(part)
            if self.truth(value) is (how == "or"):
                return value
        return self.value(last)

    def truth(self, value: Any) -> bool:
        """Whether a condition holds; an integer does where it is not 0."""
        if isinstance(value, Symbolic):
            return not self._is_compared("Eq", value, 0)
        return bool(value) if isinstance(value, tuple) else truth(value)

    def _apply(self, function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
        if not any(map(is_symbolic, arguments)):
            return function(*arguments)
        name = _NAMES.get(function)
        if name is None:
            named = {each.function: text for text, each in BUILTINS.items()}
            named |= {each: text for table in (BINARY, UNARY, COMPARE) for text, each in table.items()}
            known = named.get(function, "")
            what = f"{known}() is" if known in BUILTINS else f"the operation {known or 'here'} is"
            raise Problem(f"{what} applied to an integer that is any integer, or has noise on it", DOMAIN)
        return getattr(self, f"_{name}")(*arguments)

    # Arithmetic.

    def _add(self, left: Any, right: Any) -> Any:
        if isinstance(left, tuple) and isinstance(right, tuple):
            return (*left, *right)
        return _simplify(_affine(left).plus(_affine(right)))

    def _sub(self, left: Any, right: Any) -> Any:
        return _simplify(_affine(left).plus(_affine(right), -1))

    def _mult(self, left: Any, right: Any) -> Any:
        if isinstance(left, int):
            left, right = right, left
        if not isinstance(right, int):
            raise Problem("an integer that is any integer, or has noise on it, is multiplied by another one", DOMAIN)
        return _simplify(_affine(left).times(right))

    def _floordiv(self, left: Any, right: Any) -> Any:
        if not isinstance(right, int) or isinstance(right, bool) or right <= 0:
            raise Problem("// divides by a positive number, where the whole is any integer", DOMAIN)
        whole = _affine(left)
        return whole if right == 1 else Floored(whole, right)

    def _usub(self, value: Any) -> Any:
        return _simplify(_affine(value).times(-1))

    def _uadd(self, value: Any) -> Any:
        return value

    def _not(self, value: Any) -> bool:
        return not self.truth(value)

    def _int(self, value: Any) -> Any:
        return value

    def _abs(self, value: Any) -> Any:
        return value if self._is_compared("GtE", value, 0) else self._usub(value)

    # Comparisons.

    def _is_compared(self, how: str, left: Any, right: Any) -> bool:
        if how in ("Eq", "NotEq"):
            if isinstance(left, str | tuple) or isinstance(right, str | tuple):
                raise Problem("an integer that is any integer is compared with something that is not a number", DOMAIN)
            same = self._at_least(left, right) and self._at_least(right, left)
            return same is (how == "Eq")
        if how in ("Lt", "LtE"):
            return self._is_compared({"Lt": "Gt", "LtE": "GtE"}[how], right, left)
        return self._at_least(left, right) if how == "GtE" else not self._at_least(right, left)

    def _eq(self, left: Any, right: Any) -> bool:
        return self._is_compared("Eq", left, right)

    def _noteq(self, left: Any, right: Any) -> bool:
        return self._is_compared("NotEq", left, right)

    def _lt(self, left: Any, right: Any) -> bool:
        return self._is_compared("Lt", left, right)

    def _lte(self, left: Any, right: Any) -> bool:
        return self._is_compared("LtE", left, right)

    def _gt(self, left: Any, right: Any) -> bool:
        return self._is_compared("Gt", left, right)

    def _gte(self, left: Any, right: Any) -> bool:
        return self._is_compared("GtE", left, right)

    def _at_least(self, left: Any, right: Any) -> bool:
        """Left ≥ right: with quotients and fractions, too, as whole numbers are meant."""
        if isinstance(left, Floored) and isinstance(right, int | Fraction):
            return self._at_least(left.whole, left.divisor * _ceiling(right))
        if isinstance(right, Floored) and isinstance(left, int | Fraction):
            # left ≥ ⌊w/q⌋ if and only if w < q·(⌊left⌋ + 1)
            return self._at_least(right.divisor * (_floor(left) + 1) - 1, right.whole)
        # Of integers: left ≥ right if and only if left ≥ ⌈right⌉, and if and only if ⌊left⌋ ≥ right.
        left = _floor(left) if isinstance(left, Fraction) else left
        right = _ceiling(right) if isinstance(right, Fraction) else right
        return self.decide(_affine(left).plus(_affine(right), -1))

    def decide(self, difference: Affine) -> bool:
        """Whether it is ≥ 0; `OpenComparison` where the path leaves it open."""
        if difference.constant is not None:
            return difference.constant >= 0
        bound, flipped = _bound_of(self.path, difference)
        if flipped is None:
            if follows(bound, self.path.known):
                return True
            if follows(bound.negation, self.path.known):
                return False
        raise OpenComparison(bound, flipped)

    # Tuples.

    def _extreme(self, better: str, arguments: Sequence[Any]) -> Any:
        items = arguments[0] if len(arguments) == 1 else arguments
        if not items:
            raise Problem("max() or min() of nothing", "give it at least one value")
        best, *others = items
        for item in others:
            best = item if self._is_compared(better, item, best) else best
        return best

    def _max(self, *arguments: Any) -> Any:
        return self._extreme("Gt", arguments)

    def _min(self, *arguments: Any) -> Any:
        return self._extreme("Lt", arguments)

    def _sum(self, items: Any) -> Any:
        total: Any = 0
        for item in items:
            total = self._add(total, item) if is_symbolic(total) or is_symbolic(item) else BINARY["Add"](total, item)
        return total

    def _keepmax(self, kept: Any, item: Any) -> Any:
        return (self._extreme("Gt", ((*kept, item),)),)

    def _keepmin(self, kept: Any, item: Any) -> Any:
        return (self._extreme("Lt", ((*kept, item),)),)

    def _collect(self, kept: Any, item: Any) -> Any:
        return (*kept, item)

    def _tuple(self, *items: Any) -> Any:
        return tuple(items)

    def _same(self, value: Any) -> Any:
        return tuple(value)

    def _subscript(self, value: Any, key: Any) -> Any:
        if not isinstance(value, tuple) or isinstance(key, Symbolic):
            raise Problem("an index, or what it looks into, is any integer", DOMAIN)
        return language.subscript(value, key)

    def _slice(self, value: Any, *bounds: Any) -> Any:
        if not isinstance(value, tuple) or any(map(is_symbolic, bounds)):
            raise Problem("the bounds of a slice, or what is cut, are any integers", DOMAIN)
        return language.slice_of(value, *bounds)

    def _iterate(self, value: Any) -> Any:
        if not isinstance(value, tuple):
            raise Problem("`for` runs over what is any integer", DOMAIN)
        return value

    def _unpack(self, value: Any, size: Any) -> Any:
        if not isinstance(value, tuple) or len(value) != size:
            raise Problem(f"it is not a tuple of {size} parts", "give as many names as parts")
        return value

    def _len(self, value: Any) -> Any:
        if not isinstance(value, tuple):
            raise Problem("len() of what is any integer", DOMAIN)
        return len(value)

    def _enumerate(self, value: Any, start: Any = 0) -> Any:
        if not isinstance(value, tuple) or not isinstance(start, int):
            raise Problem("enumerate() of, or from, what is any integer", DOMAIN)
        return tuple(enumerate(value, start))

    def _zip(self, *sequences: Any) -> Any:
        if not all(isinstance(each, tuple | range) for each in sequences):
            raise Problem("zip() of what is any integer", DOMAIN)
        return tuple(zip(*sequences, strict=False))


_NAMES: dict[Any, str] = {
    **{BINARY[name]: name.lower() for name in ("Add", "Sub", "Mult")},
    **{UNARY[name]: name.lower() for name in ("USub", "UAdd", "Not")},
    **{COMPARE[name]: name.lower() for name in ("Eq", "NotEq", "Lt", "LtE", "Gt", "GtE")},
    **{BUILTINS[name].function: name for name in ("abs", "enumerate", "int", "len", "max", "min", "sum", "zip")},
    BINARY["FloorDiv"]: "floordiv",
    BUILTINS["tuple"].function: "same",
    FOLDS["max"].function: "keepmax",
    FOLDS["min"].function: "keepmin",
    FOLDS["tuple"].function: "collect",
    language.build_tuple: "tuple",
    language.subscript: "subscript",
    language.slice_of: "slice",
    language.iterate: "iterate",
    language.unpack: "unpack",
}
"""Operations of the language → what does them on symbolic integers."""


def _affine(value: Any) -> Affine:
    if isinstance(value, Affine):
        return value
    if isinstance(value, int):
        return Affine((), Form((), int(value)))
    if isinstance(value, Floored):
        raise Problem("a quotient of // is added to, or compared with, something that is not a number", DOMAIN)
    raise Problem("an integer that is any integer meets something that is not an integer", DOMAIN)


def _simplify(value: Any) -> Any:
    return value.constant if isinstance(value, Affine) and value.constant is not None else value


def _floor(value: int | Fraction) -> int:
    return value.numerator // value.denominator


def _ceiling(value: int | Fraction) -> int:
    return -(-value.numerator // value.denominator)


def _bound_of(path: SymbolicPath, difference: Affine) -> tuple[NoiseBound, int | None]:
    """The bound that says difference ≥ 0; and a noise that has to be followed with the other sign for it."""
    whole = difference
    noise = whole.noise
    if noise:
        factor = gcd(*(c for _, c in noise))
        if any(c % factor for _, c in whole.form.parts):
            raise Problem("noise is multiplied by a number that what it is added to is not multiplied by", DOMAIN)
        # g·x + c ≥ 0 if and only if x + ⌊c/g⌋ ≥ 0
        form = Form(tuple((n, c // factor) for n, c in whole.form.parts), whole.form.constant // factor)
        whole = Affine(tuple((n, c // factor) for n, c in noise), form)
    ends, flipped = _ends(path, whole)
    return NoiseBound(*ends, whole.form.negative()), flipped


def _ends(path: SymbolicPath, whole: Affine) -> tuple[tuple[ConstraintNode, ConstraintNode], int | None]:
    """The two ends of the difference that the noise of an integer is."""
    if len(whole.noise) > 2:
        raise Problem("more than two noises are added up, and compared or announced", DOMAIN)
    if any(abs(c) != 1 for _, c in whole.noise):
        raise Problem("two noises with different factors are added up", DOMAIN)
    signed = [(number, c * path.signs[number]) for number, c in whole.noise]
    if len(signed) == 2 and signed[0][1] == signed[1][1]:
        used = {node for bound in path.known for node in bound[:2]}
        flipped = next((number for number, _ in reversed(signed) if number not in used), None)
        if flipped is None:
            raise Problem("the sum of two noises is compared that were subtracted, or compared, before", DOMAIN)
        return (None, None), flipped
    left: ConstraintNode = next((number for number, c in signed if c > 0), None)
    right: ConstraintNode = next((number for number, c in signed if c < 0), None)
    return (left, right), None


class Executor:
    """All paths of a program from given values; ``read_ratio`` says which noise has an exact ratio."""

    def __init__(self, name: str, graph: Graph, cancel: Cancel, shown: frozenset[int] = frozenset()) -> None:
        self.name, self.graph, self.cancel, self.shown = name, graph, cancel, shown

    def paths(self, values: Mapping[str, Any]) -> list[SymbolicPath]:
        """Every path, to its end; ProgramError where something is not supported for all integers."""
        done: list[SymbolicPath] = []
        pending = [SymbolicPath(self.graph.entry, dict(values))]
        while pending:
            path = pending.pop()
            self.cancel.check()
            if len(done) + len(pending) > MOST_PATHS:
                what = f"more than {MOST_PATHS:,} ways through the program, told apart by noise and draws"
                raise ProgramError(Defect(self.name, what, DOMAIN))
            i = self.graph.instructions[path.point]
            if i.kind is Kind.RETURN:
                done.append(path)
                continue
            if path.steps > MOST_STEPS:
                raise ProgramError(Defect(str(i.place), f"more than {MOST_STEPS:,} steps of one run", DOMAIN))
            try:
                pending += self._next(replace(path, steps=path.steps + 1), i)
            except OpenComparison as split:
                pending += _split(path, split)
            except Problem as problem:
                raise ProgramError(problem.at(i.place).defect()) from None
        done.reverse()
        return done

    def _next(self, path: SymbolicPath, i: Instruction) -> Iterable[SymbolicPath]:
        """The path after one instruction; several after a draw among finitely many values."""
        evaluator = Evaluator(path)

        def move(**values: Any) -> SymbolicPath:
            return replace(path, point=i.next, values={**path.values, **values})

        match i.kind:
            case Kind.JUMP:
                return [move()]
            case Kind.FORGET:
                return [replace(path, point=i.next, values={k: v for k, v in path.values.items() if k not in i.writes})]
            case Kind.ASSIGN:
                return [move(**{i.writes[0]: evaluator.value(i.reads[0])})]
            case Kind.BRANCH:
                holds = evaluator.truth(evaluator.value(i.reads[0]))
                return [replace(path, point=i.next if holds else int(i.otherwise or 0))]
            case Kind.TURN:
                turns = evaluator.value(i.reads[0])
                if not turns:
                    return [replace(path, point=int(i.otherwise or 0))]
                return [move(**{i.writes[0]: turns[0], i.writes[1]: turns[1:]})]
            case Kind.DRAW:
                return self._draw(path, i, [evaluator.value(read) for read in i.reads])
            case Kind.ANNOUNCE:
                return [announce_letter(replace(path, point=i.next), evaluator.value(i.reads[0]), i.place, self.shown)]
        raise Problem("the observer is asked: strategies are not followed for all integers", DOMAIN)

    def _draw(self, path: SymbolicPath, i: Instruction, parameters: Sequence[Any]) -> list[SymbolicPath]:
        if any(map(is_symbolic, parameters)) or i.distribution is None:
            raise Problem("the law of a draw depends on an integer that is any integer", DOMAIN)
        law = i.distribution(*parameters)
        if isinstance(law, TwoSidedNoise) and law.low is None and law.high is None and law.ratio != 0:
            number = len(path.noise)
            value = Affine(((number, 1),), Form())
            values = {**path.values, i.writes[0]: value}
            noise, signs = (*path.noise, law.ratio), (*path.signs, 1)
            return [replace(path, point=i.next, values=values, noise=noise, signs=signs)]
        found: list[SymbolicPath] = []
        for number, (value, weight) in enumerate(_finitely_many(law)):
            values, choices = {**path.values, i.writes[0]: value}, (*path.choices, PathChoice(None, number))
            found.append(replace(path, point=i.next, values=values, choices=choices, weight=path.weight * weight))
        return found


def _finitely_many(law: Any) -> list[tuple[Any, Fraction]]:
    """The values of a finite law, with their probabilities; Problem for every other."""
    if isinstance(law, Uniform):
        count = law.high - law.low + 1
        return [(value, Fraction(1, count)) for value in range(law.low, law.high + 1)]
    if isinstance(law, Weighted) and all(isinstance(weight, int | Fraction) for weight in law.weights):
        total = sum(map(Fraction, law.weights), Fraction(0))  # type: ignore[arg-type]  # asked just now
        pairs = zip(law.values, law.weights, strict=True)
        return [(value, Fraction(weight) / total) for value, weight in pairs if weight]  # type: ignore[arg-type]
    name = getattr(law, "name", "this draw")
    what = f"{name} is neither two-sided geometric noise without ends nor a draw with rational probabilities"
    raise Problem(what, DOMAIN)


def _split(path: SymbolicPath, split: OpenComparison) -> list[SymbolicPath]:
    """The two paths that know the outcome; or the one that follows a noise with the other sign."""
    if split.flipped is not None:
        signs = tuple(-sign if n == split.flipped else sign for n, sign in enumerate(path.signs))
        return [replace(path, signs=signs)]
    return [
        replace(path, bounds=(*path.bounds, bound), choices=(*path.choices, PathChoice(bound)))
        for bound in (split.bound.negation, split.bound)
    ]


# Letters.


def announce_letter(path: SymbolicPath, value: Any, place: Place, shown: frozenset[int] = frozenset()) -> SymbolicPath:
    """The path after a letter: an integer that depends on noise or inputs is a letter for each of its values.

    In the places ``shown`` other runs announce such integers: there a number is one of them, ``#n``, with n its value.
    """
    try:
        if type(value) is int and len(path.letters) in shown:
            text, path = _output(path, Affine((), Form((), value)))
        else:
            text, path = _letter(path, value, nested=False)
    except Problem as problem:
        raise problem.at(place) from None
    return replace(path, letters=(*path.letters, text))


def _letter(path: SymbolicPath, value: Any, *, nested: bool) -> tuple[str, SymbolicPath]:
    if isinstance(value, tuple) and is_symbolic(value):
        texts = []
        for part in value:
            text, path = _letter(path, part, nested=True)
            texts.append(text)
        return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})", path
    if isinstance(value, Affine):
        return _output(path, value)
    if isinstance(value, Floored):
        return _quotient(path, value)
    text = language.show(value) if nested else show_letter(value)
    if "#" in text:
        raise Problem("an output has a # in it, which stands for an announced integer here", "announce another text")
    return text, path


def _output(path: SymbolicPath, value: Affine) -> tuple[str, SymbolicPath]:
    """``c·#n + b``: the n-th announced integer, where the value takes every integer that leaves b under c."""
    factor = gcd(*(c for _, c in value.noise)) if value.noise else value.step or 1
    if any(c % factor for _, c in value.form.parts):
        raise Problem("noise is multiplied by a number that what it is added to is not multiplied by", DOMAIN)
    rest = value.form.constant % factor
    name = f"#{path.outputs + 1}"
    form = Form(tuple((n, c // factor) for n, c in value.form.parts), value.form.constant // factor)
    whole = Affine(tuple((n, c // factor) for n, c in value.noise), form)
    ends, flipped = _ends(path, whole)
    if flipped is not None:
        signs = tuple(-sign if n == flipped else sign for n, sign in enumerate(path.signs))
        return _output(replace(path, signs=signs), value)
    # V_left − V_right + form = #n
    bound = NoiseBound(*ends, Form(((name, 1),), 0).plus(whole.form, -1))
    text = name if factor == 1 else f"{factor}·{name} + {rest}" if rest else f"{factor}·{name}"
    return text, replace(path, equal=(*path.equal, bound), outputs=path.outputs + 1)


def _quotient(path: SymbolicPath, value: Floored) -> tuple[str, SymbolicPath]:
    """#n, where divisor·#n ≤ whole ≤ divisor·#n + divisor − 1."""
    name = f"#{path.outputs + 1}"
    low = Affine((), Form(((name, value.divisor),), 0))
    signs = path.signs
    found = []
    for difference in (value.whole.plus(low, -1), low.plus(value.divisor - 1).plus(value.whole, -1)):
        bound, flipped = _bound_of(path, difference)
        if flipped is not None:
            signs = tuple(-sign if n == flipped else sign for n, sign in enumerate(path.signs))
            return _quotient(replace(path, signs=signs), value)
        found.append(bound)
    return name, replace(path, bounds=(*path.bounds, *found), outputs=path.outputs + 1)
