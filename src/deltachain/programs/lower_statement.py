"""From a function's body to its control-flow graph.

A block is built from its last statement to its first, because an instruction names the point that follows
it. ``for x in items`` keeps the items that are still to come in a variable of its own, ``x in``, and
forgets those that are past; ``if``, ``while``, ``break``, ``continue`` and ``return`` are branches and
jumps.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from . import operations
from .expressions import Apply, Constant, Environment, Expression, Variable
from .graph import Announce, Assign, Branch, Graph, Jump, Return
from .lower_expression import MAX_NESTING, ExpressionLowering, Step, chained
from .problems import Problem, ProgramError
from .refusals import refusal
from .scope import Helper, Primitive, Scope, Unusable
from .source import Source
from .values import Table, Value


@dataclass(frozen=True, slots=True)
class _Loop:
    """Where ``continue`` and ``break`` lead."""

    head: int
    after: int


def lower_function(node: ast.FunctionDef, source: Source, scope: Scope) -> Graph:
    """The function's graph; ProgramError with every defect, in the order of the text."""
    lowering = _StatementLowering(source, scope, _local_names(node))
    arguments = node.args
    for extra, star in ((arguments.vararg, "*"), (arguments.kwarg, "**")):
        if extra is not None:
            lowering.refuse(extra, f"`{star}{extra.arg}` is not in the language", "name every parameter")
    for parameter in getattr(node, "type_params", []):  # from Python 3.12 on; they hide the file's names
        lowering.refuse(parameter, "type parameters are not in the language", "drop them")
    for decorator in node.decorator_list[:-1]:
        lowering.refuse(decorator, "a program has one decorator", "keep @program alone")
    graph = Graph((), 0, frozenset())
    try:
        end = lowering.builder.add(Return(None, source.place(node)))
        graph = lowering.builder.finish(lowering.block(node.body, end, None))
    except Problem as problem:
        placed = problem.at(source.place(node))
        lowering.foreign[placed.defect()] = None
    _check_defects(lowering)
    return graph


def evaluate_constant(node: ast.expr, source: Source, scope: Scope) -> Value:
    """The value of an expression without variables and draws; ProgramError if it has none."""
    lowering = ExpressionLowering(source, scope, frozenset())
    steps: list[Step] = []
    expression = lowering.lower(node, steps)
    if steps:
        lowering.refuse(node, "a random value or a call of a program", "a constant has neither")
    _check_defects(lowering)
    try:
        return expression.evaluate(Environment({}))
    except Problem as problem:
        raise ProgramError(problem.at(source.place(node)).defect()) from None


def _check_defects(lowering: ExpressionLowering) -> None:
    """Raise ProgramError if any defect was noted."""
    own = [defect for _, defect in sorted(lowering.defects.items(), key=lambda item: item[0])]
    found = dict.fromkeys([*own, *lowering.foreign])
    if found:
        raise ProgramError(found)


def _local_names(node: ast.FunctionDef) -> frozenset[str]:
    """Parameters and assigned names: as in Python, what is assigned anywhere in a function is local to it."""
    arguments = node.args
    names = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    for statement in node.body:
        names.update(n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    return frozenset(names)


class _StatementLowering(ExpressionLowering):
    """Adds statements to `ExpressionLowering`; each method returns the point where its statement starts."""

    _nesting = 0

    def block(self, statements: Sequence[ast.stmt], after: int, loop: _Loop | None) -> int:
        if self._nesting >= MAX_NESTING:
            self.refuse(
                statements[0],
                f"blocks nested more than {MAX_NESTING} deep",
                "move the inner ones to a helper",
            )
            return after
        self._nesting += 1
        for statement in reversed(statements):
            after = self._statement(statement, after, loop)
        self._nesting -= 1
        return after

    def _statement(self, node: ast.stmt, after: int, loop: _Loop | None) -> int:
        place = self.place(node)
        if isinstance(node, ast.If):
            return self._if(node, after, loop)
        if isinstance(node, ast.While):
            return self._while(node, after, loop)
        if isinstance(node, ast.For):
            return self._for(node, after, loop)
        if isinstance(node, ast.Break | ast.Continue) and loop is not None:
            return loop.after if isinstance(node, ast.Break) else loop.head
        if isinstance(node, ast.Pass):
            return after
        steps: list[Step] = []
        if isinstance(node, ast.Return):
            value = None if node.value is None else self.lower(node.value, steps)
            return chained(steps, self.builder.add(Return(value, place)))
        if isinstance(node, ast.Expr):
            return self._expression_statement(node, after)
        if isinstance(node, ast.Assign):
            return self._assign(node.targets, self.lower(node.value, steps), steps, after)
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            return self._assign([node.target], self.lower(node.value, steps), steps, after)
        if isinstance(node, ast.AugAssign):
            return self._augmented(node, after)
        self.refuse(node)
        return after

    # Assignments.

    def _assign(self, targets: Sequence[ast.expr], value: Expression, steps: list[Step], after: int) -> int:
        if len(targets) > 1:
            # One value for all targets: a draw on the right happens once.
            place = self.place(targets[0])
            shared = self.builder.fresh(f"value@{place.line}:{place.column}")
            for target in reversed(targets):
                after = self._store(target, Variable(shared, place), after)
            return chained(steps, self.builder.add(Assign(shared, value, after, place)))
        return chained(steps, self._store(targets[0], value, after))

    def _store(self, target: ast.expr, value: Expression, after: int) -> int:
        place = self.place(target)
        if isinstance(target, ast.Name):
            return self.builder.add(Assign(target.id, value, after, place))
        if isinstance(target, ast.Tuple | ast.List):
            whole = self.builder.fresh(f"parts@{place.line}:{place.column}")
            for number, part in reversed(list(enumerate(target.elts))):
                piece = Apply(operations.subscript, (Variable(whole, place), Constant(number)), place, quick=True)
                after = self._store(part, piece, after)
            checked = Apply(operations.unpacked, (value, Constant(len(target.elts))), place)
            return self.builder.add(Assign(whole, checked, after, place))
        if isinstance(target, ast.Subscript):
            what = "assigning to a part is not in the language: values do not change"
            self.refuse(target, what, "write d = d | {key: value}, or t = t[:i] + (value,) + t[i + 1:]")
        else:
            self.refuse(target)
        return after

    def _augmented(self, node: ast.AugAssign, after: int) -> int:
        steps: list[Step] = []
        right = self.lower(node.value, steps)
        function = operations.BINARY.get(type(node.op).__name__)
        place = self.place(node)
        if function is None:
            self.refuse(node, *refusal(node.op))
        elif isinstance(node.target, ast.Name):
            # Python changes a dict in place here, under all its names; we would not, so it is refused.
            function = _refusing_dicts(function) if isinstance(node.op, ast.BitOr) else function
            value = Apply(function, (Variable(node.target.id, self.place(node.target)), right), place)
            return chained(steps, self.builder.add(Assign(node.target.id, value, after, place)))
        else:
            self._store(node.target, right, after)
        return after

    def _expression_statement(self, node: ast.Expr, after: int) -> int:
        call = node.value
        if isinstance(call, ast.Constant) and isinstance(call.value, str):
            return after  # a docstring, or a comment written as text
        steps: list[Step] = []
        if isinstance(call, ast.Call) and self._names_function(call.func):
            meaning = self.meaning(call.func)
            if isinstance(meaning, Primitive) and meaning.name == "announce":
                given = self.bind(call, "announce", ("value",), {}, steps)
                if given is None:
                    return after
                return chained(steps, self.builder.add(Announce(given["value"], after, self.place(call))))
            asked = isinstance(meaning, Primitive) and meaning.name == "ask"  # waiting is an effect of its own
            if meaning is None or asked or isinstance(meaning, Helper | Unusable):
                self.lower(call, steps)
                return chained(steps, after)
        known = len(self.defects)
        self.lower(call, steps)
        if len(self.defects) == known:
            self.refuse(node, "the value of this line is not used", "assign it, announce it, or drop the line")
        return after

    def _names_function(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Attribute) or (isinstance(node, ast.Name) and node.id not in self.local)

    # Branches and loops.

    def _if(self, node: ast.If, after: int, loop: _Loop | None) -> int:
        # A chain of `elif`s is walked, not recursed into: it may be long.
        arms: list[tuple[ast.If, list[Step], Expression]] = []
        while True:
            steps: list[Step] = []
            arms.append((node, steps, self.lower(node.test, steps)))
            if len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If):
                break
            node = node.orelse[0]
        otherwise = self.block(node.orelse, after, loop) if node.orelse else after
        for arm, steps, test in reversed(arms):
            then = self.block(arm.body, after, loop)
            otherwise = chained(steps, self.builder.add(Branch(test, then, otherwise, self.place(arm))))
        return otherwise

    def _while(self, node: ast.While, after: int, loop: _Loop | None) -> int:
        place = self.place(node)
        head = self.builder.add(Jump(-1, place))
        steps: list[Step] = []
        test = self.lower(node.test, steps)
        body = self.block(node.body, head, _Loop(head, after))
        done = self.block(node.orelse, after, loop) if node.orelse else after
        self.builder.close_loop(head, chained(steps, self.builder.add(Branch(test, body, done, place))))
        return head

    def _for(self, node: ast.For, after: int, loop: _Loop | None) -> int:
        place = self.place(node)
        steps: list[Step] = []
        self.consume(node.iter)
        items = Apply(operations.iterated, (self.lower(node.iter, steps),), self.place(node.iter), quick=True)
        head = self.builder.add(Jump(-1, place))
        coming = self.builder.fresh(f"{ast.unparse(node.target)} in")
        left = Variable(coming, place)
        body = self.block(node.body, head, _Loop(head, after))
        body = self.builder.add(Assign(coming, Apply(operations.rest, (left,), place, quick=True), body, place))
        body = self._store(node.target, Apply(operations.first, (left,), place, quick=True), body)
        done = self.block(node.orelse, after, loop) if node.orelse else after
        more = Apply(operations.is_nonempty, (left,), place, quick=True)
        self.builder.close_loop(head, self.builder.add(Branch(more, body, done, place)))
        return chained(steps, self.builder.add(Assign(coming, items, head, place)))


def _refusing_dicts(function: operations.Operation) -> operations.Operation:
    def apply(left: Value, right: Value) -> Value:
        if isinstance(left, Table):
            raise Problem("`|=` would change a dict in place", "write d = d | {key: value}")
        return function(left, right)

    return apply
