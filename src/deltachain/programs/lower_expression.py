"""From Python's expressions to checked ones, with every draw and helper call taken out in front.

``announce(flip(p) == flip(p))`` becomes: draw a temporary, draw another, announce their comparison. Draws
are independent of all else and helpers cannot change the caller's variables, so taking them out keeps the
program's meaning as long as they still happen under the same condition; under ``and``, ``or``, chained
comparisons and ``… if … else …`` the condition becomes a branch.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from ..errors import Defect
from ..rational import parse_fraction
from . import operations
from .expressions import Apply, Both, Conditional, Constant, Either, Expression, Variable
from .graph import Ask, Assign, Branch, Draw, Forget, GraphBuilder
from .primitives import DRAWS
from .problems import Place, Problem, ProgramError
from .refusals import refusal
from .scope import Builtin, Helper, Known, Meaning, Namespace, Primitive, Scope, Unusable, meaning_of
from .source import Source
from .values import Value, bounded, whole

Step = Callable[[int], int]
"""Adds instructions that lead to a given point, and says where they start."""

MAX_NESTING = 60
"""How deep expressions, and blocks, may be nested."""

CONSUMERS = frozenset(("all", "any", "len", "max", "min", "sorted", "sum", "tuple"))
"""The builtins to which a list and a tuple of the same parts are the same."""


def chained(steps: Sequence[Step], point: int) -> int:
    """Where the steps start that lead, one after the other, to ``point``."""
    for step in reversed(steps):
        point = step(point)
    return point


class ExpressionLowering:
    """Turns the expressions of one function into checked ones, and notes every defect on the way."""

    def __init__(self, source: Source, scope: Scope, local: frozenset[str]) -> None:
        self.source, self.scope, self.local = source, scope, local
        self.builder = GraphBuilder()
        self.defects: dict[tuple[Place, str], Defect] = {}
        self.foreign: dict[Defect, None] = {}
        self._depth = 0
        self._consumed: set[int] = set()
        self._anchor: ast.AST | None = None

    def place(self, node: ast.AST) -> Place:
        """Where a node stands; inside an f-string, where that starts."""
        return self.source.place(self._anchor or node)

    def refuse(self, node: ast.AST, what: str = "", fix: str = "") -> Expression:
        """Note a defect, and go on with a stand-in."""
        if not what:
            what, fix = refusal(node)
        place = self.place(node)
        self.defects.setdefault((place, what), Defect(str(place), what, fix))
        return Constant(0)

    def lower(self, node: ast.expr, steps: list[Step]) -> Expression:
        """The checked expression; what must happen before it is appended to ``steps``."""
        method = getattr(self, f"_lower_{type(node).__name__}", None)
        if method is None:
            return self.refuse(node)
        if self._depth >= MAX_NESTING:
            return self.refuse(
                node, f"an expression nested more than {MAX_NESTING} deep", "assign its parts to variables"
            )
        self._depth += 1
        try:
            result: Expression = method(node, steps)
        finally:
            self._depth -= 1
        return result

    def lower_all(self, nodes: Sequence[ast.expr], steps: list[Step]) -> tuple[Expression, ...]:
        """Several expressions, in order."""
        return tuple(self.lower(node, steps) for node in nodes)

    # Constants and names.

    def _lower_Constant(self, node: ast.Constant, steps: list[Step]) -> Expression:  # noqa: ARG002, N802
        value = node.value
        try:
            if isinstance(value, float):
                return Constant(bounded(whole(self._decimal(node, value))))
            if isinstance(value, bool | int | str):
                return Constant(bounded(value))
        except Problem as problem:
            return self.refuse(node, problem.what, problem.fix)
        names = {type(None): "None", bytes: "a bytes literal", complex: "a complex number"}
        what = f"{names.get(type(value), '...')} is not a value of programs"
        return self.refuse(node, what, "use ints, bools, fractions, text, tuples or dicts")

    def _decimal(self, node: ast.Constant, value: float) -> Fraction:
        """A decimal literal from its own digits, never through a float."""
        text = self.source.literal(node)
        try:
            if float(text) == value:
                return parse_fraction(text)
        except ValueError:
            pass  # not the literal's own text (in an f-string, before Python 3.12), or beyond the limits
        try:
            return parse_fraction(repr(value))
        except ValueError:
            raise Problem(f"the number {text} is beyond the limits", "write a smaller exponent") from None

    def _lower_Name(self, node: ast.Name, steps: list[Step]) -> Expression:  # noqa: ARG002, N802
        if node.id in self.local:
            return Variable(node.id, self.place(node))
        return self._free(node)

    def _free(self, node: ast.Name | ast.Attribute) -> Expression:
        meaning = self.meaning(node)
        if isinstance(meaning, Known):
            return Constant(meaning.value)
        if isinstance(meaning, Unusable):
            return self.refuse(node, meaning.what, meaning.fix)
        if meaning is None:
            return Constant(0)
        if isinstance(meaning, Namespace):
            return self.refuse(node, f"{ast.unparse(node)} is a module, not a value", "use a name of it")
        shown = ast.unparse(node)
        return self.refuse(node, f"{shown} is a function, not a value", f"call it: {shown}(…)")

    def _lower_Attribute(self, node: ast.Attribute, steps: list[Step]) -> Expression:  # noqa: ARG002, N802
        return self._free(node)

    def meaning(self, node: ast.expr) -> Meaning | None:
        """What a free name, or ``module.name``, stands for; None, and its defects noted, if nothing can be said."""
        root = node
        while isinstance(root, ast.Attribute):
            root = root.value
        found: Meaning | None = None
        if isinstance(root, ast.Name) and root.id not in self.local:
            try:
                found = meaning_of(node, self.scope.meaning)
            except ProgramError as error:  # a helper of the same file, with defects of its own
                self.foreign.update(dict.fromkeys(error.defects))
                return None
        if found is None:
            self.refuse(node)
        return found

    # Operators.

    def _lower_BinOp(self, node: ast.BinOp, steps: list[Step]) -> Expression:  # noqa: N802
        return self._operation(node, node.op, operations.BINARY, (node.left, node.right), steps)

    def _lower_UnaryOp(self, node: ast.UnaryOp, steps: list[Step]) -> Expression:  # noqa: N802
        return self._operation(node, node.op, operations.UNARY, (node.operand,), steps)

    def _operation(
        self,
        node: ast.expr,
        operator: ast.AST,
        table: dict[str, Callable[..., Value]],
        operands: Sequence[ast.expr],
        steps: list[Step],
    ) -> Expression:
        function = table.get(type(operator).__name__)
        parts = self.lower_all(operands, steps)
        if function is None:
            return self.refuse(node, *refusal(operator))
        return Apply(function, parts, self.place(node))

    def _lower_Compare(self, node: ast.Compare, steps: list[Step]) -> Expression:  # noqa: N802
        parts: list[tuple[list[Step], Expression]] = []
        left = self.lower(node.left, steps)
        for operator, comparator in zip(node.ops, node.comparators, strict=True):
            before: list[Step] = []
            right = self.lower(comparator, before)
            function = operations.COMPARE.get(type(operator).__name__)
            if function is None:
                self.refuse(node, *refusal(operator))
            else:
                parts.append((before, Apply(function, (left, right), self.place(node))))
            left = right
        return self._short_circuit(node, parts, steps, conjunction=True)

    def _lower_BoolOp(self, node: ast.BoolOp, steps: list[Step]) -> Expression:  # noqa: N802
        parts: list[tuple[list[Step], Expression]] = []
        for value in node.values:
            before: list[Step] = []
            parts.append((before, self.lower(value, before)))
        return self._short_circuit(node, parts, steps, conjunction=isinstance(node.op, ast.And))

    def _short_circuit(
        self,
        node: ast.expr,
        parts: list[tuple[list[Step], Expression]],
        steps: list[Step],
        *,
        conjunction: bool,
    ) -> Expression:
        """``and`` or ``or``; the steps of a part are taken only if the parts before it did not decide."""
        if not any(before for before, _ in parts[1:]):
            steps.extend(parts[0][0] if parts else ())
            values = tuple(value for _, value in parts)
            if len(values) == 1:
                return values[0]
            return Both(values) if conjunction else Either(values)
        place = self.place(node)
        result = self.builder.fresh(f"{'and' if conjunction else 'or'}@{place.line}:{place.column}")

        def step(after: int) -> int:
            entry = after
            for number, (before, value) in reversed(list(enumerate(parts))):
                if number < len(parts) - 1:
                    then, otherwise = (entry, after) if conjunction else (after, entry)
                    entry = self.builder.add(Branch(Variable(result, place), then, otherwise, place))
                entry = chained(before, self.builder.add(Assign(result, value, entry, place)))
            return entry

        steps.append(step)
        return Variable(result, place)

    def _lower_IfExp(self, node: ast.IfExp, steps: list[Step]) -> Expression:  # noqa: N802
        test = self.lower(node.test, steps)
        before_then: list[Step] = []
        before_else: list[Step] = []
        then, otherwise = self.lower(node.body, before_then), self.lower(node.orelse, before_else)
        if not before_then and not before_else:
            return Conditional((test, then, otherwise))
        place = self.place(node)
        result = self.builder.fresh(f"if@{place.line}:{place.column}")

        def step(after: int) -> int:
            yes = chained(before_then, self.builder.add(Assign(result, then, after, place)))
            no = chained(before_else, self.builder.add(Assign(result, otherwise, after, place)))
            return self.builder.add(Branch(test, yes, no, place))

        steps.append(step)
        return Variable(result, place)

    # Tuples, dicts, text, subscripts.

    def _lower_Tuple(self, node: ast.Tuple, steps: list[Step]) -> Expression:  # noqa: N802
        return Apply(operations.build_tuple, self.lower_all(node.elts, steps), self.place(node))

    def _lower_Dict(self, node: ast.Dict, steps: list[Step]) -> Expression:  # noqa: N802
        flat: list[Expression] = []
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                return self.refuse(value, "`**` is not in the language", "join dicts with |")
            flat += (self.lower(key, steps), self.lower(value, steps))
        return Apply(operations.build_table, tuple(flat), self.place(node))

    def _lower_JoinedStr(self, node: ast.JoinedStr, steps: list[Step]) -> Expression:  # noqa: N802
        outer, self._anchor = self._anchor, self._anchor or node
        try:
            parts = self.lower_all(node.values, steps)
        finally:
            self._anchor = outer
        return Apply(operations.build_text, parts, self.place(node))

    def _lower_FormattedValue(self, node: ast.FormattedValue, steps: list[Step]) -> Expression:  # noqa: N802
        if node.conversion != -1 or node.format_spec is not None:
            return self.refuse(node, "a format inside an f-string is not in the language", "write {value} alone")
        return self.lower(node.value, steps)

    def _lower_Subscript(self, node: ast.Subscript, steps: list[Step]) -> Expression:  # noqa: N802
        if not isinstance(node.slice, ast.Slice):
            self.consume(node.value)
        value = self.lower(node.value, steps)
        if isinstance(node.slice, ast.Slice):
            bounds = (node.slice.lower, node.slice.upper, node.slice.step)
            parts = (Constant(None) if bound is None else self.lower(bound, steps) for bound in bounds)
            return Apply(operations.slice_of, (value, *parts), self.place(node))
        return Apply(operations.subscript, (value, self.lower(node.slice, steps)), self.place(node), quick=True)

    # Calls.

    def _lower_Call(self, node: ast.Call, steps: list[Step]) -> Expression:  # noqa: N802
        if not isinstance(node.func, ast.Name | ast.Attribute):
            return self.refuse(node.func)
        name = ast.unparse(node.func)
        if name in self.local:
            return self.refuse(
                node, f"{name} is a variable here, and variables cannot be called", "rename the variable"
            )
        meaning = self.meaning(node.func)
        if isinstance(meaning, Unusable):
            return self.refuse(node.func, meaning.what, meaning.fix)
        if isinstance(meaning, Builtin):
            return self._builtin(node, meaning.name, steps)
        if isinstance(meaning, Primitive) and meaning.name == "announce":
            return self.refuse(node, "announce(…) has no value", "write it on a line of its own")
        if isinstance(meaning, Primitive):
            return self._ask(node, steps) if meaning.name == "ask" else self._draw(node, meaning.name, steps)
        if isinstance(meaning, Helper):
            return self._helper(node, meaning, steps)
        if meaning is None:
            return Constant(0)
        what = "a constant" if isinstance(meaning, Known) else "not a function of the language"
        return self.refuse(node, f"{name} is {what} and cannot be called", "call a program or a builtin")

    def _builtin(self, node: ast.Call, name: str, steps: list[Step]) -> Expression:
        function, least, most = operations.BUILTINS[name]
        if node.keywords:
            return self.refuse(node, f"{name}() takes no keywords here", "give plain arguments")
        if name == "sorted" and id(node) not in self._consumed:
            return self.refuse(node, "sorted(…) is a list, and a list is not a value of programs", "tuple(sorted(…))")
        if name in CONSUMERS and len(node.args) == 1:
            self.consume(node.args[0])
        arguments = self.lower_all(node.args, steps)
        if not least <= len(arguments) <= most:
            takes = f"{least}" if least == most else f"{least} to {most}" if most < 9 else f"at least {least}"
            return self.refuse(node, f"{name}() takes {takes} arguments, not {len(arguments)}", "correct the call")
        return Apply(function, arguments, self.place(node))

    def consume(self, node: ast.expr) -> None:
        """Note that only the parts of an expression are used, so that it does not matter if Python makes it a list."""
        self._consumed.add(id(node))

    def _draw(self, node: ast.Call, name: str, steps: list[Step]) -> Expression:
        distribution, parameters = DRAWS[name]
        given = self.bind(node, name, parameters, {}, steps)
        if given is None:
            return Constant(0)
        place = self.place(node)
        result = self.builder.fresh(f"{name}@{place.line}:{place.column}")
        arguments = tuple(given[parameter] for parameter in parameters)
        steps.append(lambda after: self.builder.add(Draw(result, distribution, arguments, after, place)))
        return Variable(result, place)

    def _ask(self, node: ast.Call, steps: list[Step]) -> Expression:
        if node.keywords or not node.args:
            what = "takes no keywords" if node.keywords else "has no options"
            return self.refuse(node, f"ask() {what}", "give the options: ask('low', 'high')")
        inner = [argument.value if isinstance(argument, ast.Starred) else argument for argument in node.args]
        stars = tuple(isinstance(argument, ast.Starred) for argument in node.args)
        place = self.place(node)
        options = Apply(operations.spread, (Constant(stars), *self.lower_all(inner, steps)), place)
        result = self.builder.fresh(f"ask@{place.line}:{place.column}")
        steps.append(lambda after: self.builder.add(Ask(result, options, after, place)))
        return Variable(result, place)

    def _helper(self, node: ast.Call, meaning: Helper, steps: list[Step]) -> Expression:
        program = meaning.program
        defaults = {p.name: p.default for p in program.parameters if p.default is not None}
        given = self.bind(node, program.name, [p.name for p in program.parameters], defaults, steps)
        if given is None:
            return Constant(0)
        place, graph = self.place(node), program.graph
        prefix = self.builder.fresh(f"{program.name}@{place.line}:{place.column}") + "."
        result = prefix + "return"
        fresh = (*sorted(prefix + name for name in graph.assigned), result)

        def step(after: int) -> int:
            entry = self.builder.add_helper(graph, prefix, result, after)
            for name, value in given.items():
                entry = self.builder.add(Assign(prefix + name, value, entry, place))
            return self.builder.add(Forget(fresh, entry, place))

        steps.append(step)
        return Variable(result, place, f"{program.name}()")

    def bind(
        self,
        node: ast.Call,
        name: str,
        parameters: Sequence[str],
        defaults: Mapping[str, Value],
        steps: list[Step],
    ) -> dict[str, Expression] | None:
        """Parameter → argument of a call; None, and the defects noted, if they do not fit."""
        known = len(self.defects)
        given: dict[str, Expression] = {}
        if len(node.args) > len(parameters):
            what = f"{name}() takes {len(parameters)} arguments, not {len(node.args)}"
            self.refuse(node, what, "correct the call")
        for parameter, argument in zip(parameters, node.args, strict=False):
            given[parameter] = self.lower(argument, steps)
        takes = ", ".join(parameters) or "none"
        for keyword in node.keywords:
            value = self.lower(keyword.value, steps)
            if keyword.arg is None:
                self.refuse(keyword.value, "`**` is not in the language", "write the arguments out")
            elif keyword.arg not in parameters:
                self.refuse(keyword, f"{name}() has no parameter {keyword.arg!r}", f"it takes {takes}")
            elif keyword.arg in given:
                self.refuse(keyword, f"{name}() gets {keyword.arg!r} twice", "give it once")
            else:
                given[keyword.arg] = value
        given = {parameter: Constant(value) for parameter, value in defaults.items()} | given
        missing = [parameter for parameter in parameters if parameter not in given]
        if missing and len(self.defects) == known:
            self.refuse(node, f"{name}() lacks {', '.join(missing)}", f"write {name}({takes})")
        return given if len(self.defects) == known else None
