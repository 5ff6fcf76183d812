"""From Python's syntax to the control-flow graph of a program.

Every draw, question and call of a helper is taken out of the expression that it stands in: ``announce(flip(p) ==
flip(p))`` becomes: draw a temporary, draw another, announce their comparison. Draws are independent of all else and
helpers cannot change the caller's variables, so taking them out keeps the program's meaning as long as they still
happen under the same condition; under ``and``, ``or``, chained comparisons and ``… if … else …`` the condition becomes
a branch, and a comprehension becomes a loop.

A block is built from its last statement to its first, because an instruction names the point that follows it. ``for x
in items`` keeps the items that are still to come in a variable of its own, ``x in``, and forgets those that are past.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ..errors import Defect
from . import operations
from .expressions import Apply, Constant, Decide, Expression, Variable, constant_value
from .graph import Graph, GraphBuilder, Instruction, Kind
from .names import (
    Builtin,
    Helper,
    Known,
    Meaning,
    Namespace,
    Primitive,
    Scope,
    Unusable,
    meaning_of,
    number_or_text,
    unbound,
)
from .operations import BUILTINS
from .primitives import DRAWS
from .refusals import refusal
from .source import Place, Problem, ProgramError, Source
from .values import Value

Step = Callable[[int], int]
"""Adds instructions that lead to a given point, and says where they start."""

MAX_NESTING = 60
"""How deep expressions, and blocks, may be nested."""

ITERATING = frozenset(("all", "any", "enumerate", "max", "min", "sorted", "sum", "tuple", "zip"))
"""The builtins to which only the items of their arguments matter, so that lists and iterators are fine there."""

GIVES_LIST, GIVES_ITERATOR = frozenset(("sorted",)), frozenset(("enumerate", "zip"))
"""The builtins whose result, in Python, is a list or an iterator: no value of programs, unless it is used at once."""


def lower_function(node: ast.FunctionDef, source: Source, scope: Scope) -> Graph:
    """The function's graph; ProgramError with every defect, in the order of the text."""
    lowering = _Lowering(source, scope, _local_names(node))
    for extra, star in ((node.args.vararg, "*"), (node.args.kwarg, "**")):
        if extra is not None:
            lowering.refuse(extra, f"`{star}{extra.arg}` is not in the language", "name every parameter")
    for parameter in getattr(node, "type_params", []):  # from Python 3.12 on; they hide the file's names
        lowering.refuse(parameter, "type parameters are not in the language", "drop them")
    for decorator in node.decorator_list[:-1]:
        lowering.refuse(decorator, "a program has one decorator", "keep @program alone")
    graph = Graph((), 0, frozenset())
    try:
        end = lowering.builder.add(Instruction(Kind.RETURN, source.place(node)))
        graph = lowering.builder.finish(lowering.block(node.body, end, None))
    except Problem as problem:
        lowering.foreign[problem.at(source.place(node)).defect()] = None
    except RecursionError:
        lowering.refuse(node, "nested too deeply", "split it into helpers")
    lowering.check()
    conditioned = graph.conditioned()
    if conditioned is not None:
        what = "an `assert` that depends on a draw or an answer would throw away the runs in which it fails"
        raise ProgramError(
            Defect(str(conditioned.place), what, "test with `if`; assert what secrets and constants are")
        )
    return graph


def evaluate_constant(node: ast.expr, source: Source) -> Value:
    """The value of an expression of the language without variables and draws; ProgramError if it has none."""
    lowering = _Lowering(source, unbound, frozenset())
    steps: list[Step] = []
    expression = lowering.lower(node, steps)
    if steps:
        lowering.refuse(node, "a random value, a call of a program or a loop", "a constant has none of them")
    lowering.check()
    try:
        return constant_value(expression)
    except Problem as problem:
        raise ProgramError(problem.at(source.place(node)).defect()) from None


def _local_names(node: ast.FunctionDef) -> frozenset[str]:
    """Parameters and assigned names: as in Python, what is assigned anywhere in a function is local to it."""
    names = {a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
    stack: list[ast.AST] = [*node.body]
    while stack:
        top = stack.pop()
        if isinstance(top, ast.Name) and isinstance(top.ctx, ast.Store):
            names.add(top.id)
        # The variables of a comprehension are its own.
        stack.extend(part for part in ast.iter_child_nodes(top)
                     if not (isinstance(top, ast.comprehension) and part is top.target))  # fmt: skip
    return frozenset(names)


def _chained(steps: Sequence[Step], point: int) -> int:
    """Where the steps start that lead, one after the other, to ``point``."""
    for step in reversed(steps):
        point = step(point)
    return point


@dataclass(frozen=True, slots=True)
class _Loop:
    """Where ``continue`` and ``break`` lead."""

    head: int
    after: int


@dataclass(frozen=True, slots=True)
class _Clause:
    """``for target in items if tests``, in a comprehension: lowered, each part with the steps before it."""

    target: ast.expr
    names: Mapping[str, str]
    items: Expression
    before: list[Step]
    tests: list[tuple[list[Step], Expression, Place]]
    coming: str
    place: Place


class _Lowering:
    """Turns one function into instructions, and notes every defect on the way."""

    def __init__(self, source: Source, scope: Scope, local: frozenset[str]) -> None:
        self.source, self.scope, self.local = source, scope, local
        self.builder = GraphBuilder()
        self.defects: dict[tuple[Place, str], Defect] = {}
        self.foreign: dict[Defect, None] = {}
        """Defects of helpers, which are not placed here."""
        self._renamed: Mapping[str, str] = {}
        """The variables of the comprehensions around: each has a name that nothing else has."""
        self._depth = self._nesting = 0
        self._used_at_once: dict[int, Literal["list", "iterator"]] = {}
        self._anchor: ast.AST | None = None

    # Defects and places.

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

    def check(self) -> None:
        """Raise ProgramError if any defect was noted."""
        own = [defect for _, defect in sorted(self.defects.items(), key=lambda item: item[0])]
        found = dict.fromkeys([*own, *self.foreign])
        if found:
            raise ProgramError(found)

    def fresh(self, base: str, place: Place) -> str:
        """A variable of the compiler's own."""
        return self.builder.fresh(f"{base}@{place.line}:{place.column}")

    # Expressions: constants and names.

    def lower(self, node: ast.expr, steps: list[Step]) -> Expression:
        """The checked expression; what must happen before it is appended to ``steps``."""
        method = getattr(self, f"_lower_{type(node).__name__}", None)
        if method is None:
            return self.refuse(node)
        if self._depth >= MAX_NESTING:
            what = f"an expression nested more than {MAX_NESTING} deep"
            return self.refuse(node, what, "assign its parts to variables")
        self._depth += 1
        try:
            result: Expression = method(node, steps)
        finally:
            self._depth -= 1
        return result

    def _lower_all(self, nodes: Sequence[ast.expr], steps: list[Step]) -> tuple[Expression, ...]:
        return tuple(self.lower(node, steps) for node in nodes)

    def _apply(
        self, node: ast.expr, function: operations.Operation, parts: Sequence[ast.expr], steps: list[Step]
    ) -> Expression:
        return Apply(function, self._lower_all(parts, steps), self.place(node))

    def _lower_Constant(self, node: ast.Constant, steps: list[Step]) -> Expression:  # noqa: ARG002, N802
        try:
            return Constant(number_or_text(node, self.source))
        except Problem as problem:
            return self.refuse(node, problem.what, problem.fix)

    def _lower_Name(self, node: ast.Name, steps: list[Step]) -> Expression:  # noqa: N802
        if self._is_variable(node.id):
            return Variable(self._renamed.get(node.id, node.id), self.place(node))
        return self._lower_Attribute(node, steps)

    def _lower_Attribute(self, node: ast.Name | ast.Attribute, steps: list[Step]) -> Expression:  # noqa: ARG002, N802
        meaning = self._meaning(node)
        shown = ast.unparse(node)
        if isinstance(meaning, Known):
            return Constant(meaning.value)
        if isinstance(meaning, Unusable):
            return self.refuse(node, meaning.what, meaning.fix)
        if isinstance(meaning, Namespace):
            return self.refuse(node, f"{shown} is a module, not a value", "use a name of it")
        if meaning is None:
            return Constant(0)
        return self.refuse(node, f"{shown} is a function, not a value", f"call it: {shown}(…)")

    def _is_variable(self, name: str) -> bool:
        return name in self.local or name in self._renamed

    def _meaning(self, node: ast.expr) -> Meaning | None:
        """What a free name, or ``module.name``, stands for; None, and its defects noted, if nothing can be said."""
        root = node
        while isinstance(root, ast.Attribute):
            root = root.value
        found: Meaning | None = None
        if isinstance(root, ast.Name) and not self._is_variable(root.id):
            try:
                found = meaning_of(node, self.scope)
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
        table: Mapping[str, operations.Operation],
        operands: Sequence[ast.expr],
        steps: list[Step],
    ) -> Expression:
        function = table.get(type(operator).__name__)
        parts = self._lower_all(operands, steps)
        return self.refuse(node, *refusal(operator)) if function is None else Apply(function, parts, self.place(node))

    def _lower_Compare(self, node: ast.Compare, steps: list[Step]) -> Expression:  # noqa: N802
        parts: list[tuple[list[Step], Expression]] = []
        left = self.lower(node.left, steps)
        for operator, comparator in zip(node.ops, node.comparators, strict=True):
            before: list[Step] = []
            if isinstance(operator, ast.In | ast.NotIn):
                self._use_at_once(comparator, "list")
            right = self.lower(comparator, before)
            function = operations.COMPARE.get(type(operator).__name__)
            if function is None:
                self.refuse(node, *refusal(operator))
            else:
                parts.append((before, Apply(function, (left, right), self.place(node))))
            left = right
        return self._short_circuit(node, parts, steps, "and")

    def _lower_BoolOp(self, node: ast.BoolOp, steps: list[Step]) -> Expression:  # noqa: N802
        parts: list[tuple[list[Step], Expression]] = []
        for value in node.values:
            before: list[Step] = []
            parts.append((before, self.lower(value, before)))
        return self._short_circuit(node, parts, steps, "and" if isinstance(node.op, ast.And) else "or")

    def _short_circuit(
        self, node: ast.expr, parts: list[tuple[list[Step], Expression]], steps: list[Step], how: Literal["and", "or"]
    ) -> Expression:
        """``and`` or ``or``; the steps of a part are taken only if the parts before it did not decide."""
        if not any(before for before, _ in parts[1:]):
            steps.extend(parts[0][0] if parts else ())
            values = tuple(value for _, value in parts)
            return values[0] if len(values) == 1 else Decide(how, values)
        place = self.place(node)
        result = self.fresh(how, place)

        def step(after: int) -> int:
            entry = after
            for number, (before, value) in reversed(list(enumerate(parts))):
                if number < len(parts) - 1:
                    then, otherwise = (entry, after) if how == "and" else (after, entry)
                    entry = self.builder.branch(Variable(result, place), then, otherwise, place)
                entry = _chained(before, self.builder.assign(result, value, entry, place))
            return entry

        steps.append(step)
        return Variable(result, place)

    def _lower_IfExp(self, node: ast.IfExp, steps: list[Step]) -> Expression:  # noqa: N802
        test = self.lower(node.test, steps)
        before_then: list[Step] = []
        before_else: list[Step] = []
        then, otherwise = self.lower(node.body, before_then), self.lower(node.orelse, before_else)
        if not before_then and not before_else:
            return Decide("if", (test, then, otherwise))
        place = self.place(node)
        result = self.fresh("if", place)

        def step(after: int) -> int:
            yes = _chained(before_then, self.builder.assign(result, then, after, place))
            no = _chained(before_else, self.builder.assign(result, otherwise, after, place))
            return self.builder.branch(test, yes, no, place)

        steps.append(step)
        return Variable(result, place)

    # Tuples, dicts, text, subscripts.

    def _lower_Tuple(self, node: ast.Tuple, steps: list[Step]) -> Expression:  # noqa: N802
        return self._apply(node, operations.build_tuple, node.elts, steps)

    def _lower_List(self, node: ast.List, steps: list[Step]) -> Expression:  # noqa: N802
        if id(node) not in self._used_at_once:
            return self.refuse(node)
        return self._apply(node, operations.build_tuple, node.elts, steps)

    def _lower_Dict(self, node: ast.Dict, steps: list[Step]) -> Expression:  # noqa: N802
        flat: list[ast.expr] = []
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                return self.refuse(value, "`**` is not in the language", "join dicts with |")
            flat += (key, value)
        return self._apply(node, operations.build_table, flat, steps)

    def _lower_JoinedStr(self, node: ast.JoinedStr, steps: list[Step]) -> Expression:  # noqa: N802
        outer, self._anchor = self._anchor, self._anchor or node
        try:
            return self._apply(node, operations.build_text, node.values, steps)
        finally:
            self._anchor = outer

    def _lower_FormattedValue(self, node: ast.FormattedValue, steps: list[Step]) -> Expression:  # noqa: N802
        if node.conversion != -1 or node.format_spec is not None:
            return self.refuse(node, "a format inside an f-string is not in the language", "write {value} alone")
        return self.lower(node.value, steps)

    def _lower_Subscript(self, node: ast.Subscript, steps: list[Step]) -> Expression:  # noqa: N802
        if isinstance(node.slice, ast.Slice):
            value = self.lower(node.value, steps)
            bounds = (node.slice.lower, node.slice.upper, node.slice.step)
            parts = (Constant(None) if bound is None else self.lower(bound, steps) for bound in bounds)
            return Apply(operations.slice_of, (value, *parts), self.place(node))
        self._use_at_once(node.value, "list")
        whole_and_key = self._lower_all((node.value, node.slice), steps)
        return Apply(operations.subscript, whole_and_key, self.place(node), quick=True)

    def _use_at_once(self, node: ast.expr, kind: Literal["list", "iterator"]) -> None:
        """Note that only the items of an expression are used, so that Python may make it a list (or an iterator)."""
        self._used_at_once[id(node)] = kind

    # Comprehensions.

    def _lower_ListComp(self, node: ast.ListComp, steps: list[Step]) -> Expression:  # noqa: N802
        if id(node) not in self._used_at_once:
            return self.refuse(node)
        return self._comprehension(node, "tuple", steps)

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp, name: str, steps: list[Step]) -> Expression:
        """``name(element for …)`` as a loop that keeps no more than it must; ``any`` and ``all`` end it early."""
        place, outer = self.place(node), self._renamed
        result = self.fresh(name, place)
        clauses = [self._clause(generator) for generator in node.generators]
        before: list[Step] = []
        element = self.lower(node.elt, before)
        self._renamed = outer
        so_far = Variable(result, place)
        function, initial, outcome = operations.FOLDS[name]

        def accumulate(head: int, done: int) -> int:
            value = element if function is None else Apply(function, (so_far, element), place)
            if name in ("any", "all"):
                found = self.builder.assign(result, Constant(name == "any"), done, place)
                then, otherwise = (found, head) if name == "any" else (head, found)
                return _chained(before, self.builder.branch(value, then, otherwise, place))
            return _chained(before, self.builder.assign(result, value, head, place))

        def loops(number: int, after: int, done: int) -> int:
            """The loops from clause ``number`` on; ``after``: where the loop around goes on."""
            clause = clauses[number]
            head = self.builder.add(Instruction(Kind.JUMP, clause.place))
            inner = number + 1 < len(clauses)
            body = loops(number + 1, head, done) if inner else accumulate(head, done)
            for test_steps, test, test_place in reversed(clause.tests):
                body = _chained(test_steps, self.builder.branch(test, body, head, test_place))
            self.builder.close_loop(
                head, self._turn(clause.target, clause.coming, body, after, clause.place, clause.names)
            )
            return _chained(clause.before, self.builder.assign(clause.coming, clause.items, head, clause.place))

        steps.append(lambda after: self.builder.assign(result, Constant(initial), loops(0, after, after), place))
        return so_far if outcome is None else Apply(outcome, (so_far,), place)

    def _clause(self, generator: ast.comprehension) -> _Clause:
        """One ``for … in … if …``; from its targets on, names mean its own variables."""
        place = self.place(generator.target)
        if generator.is_async:
            self.refuse(generator.target, "`async` is not in the language", "write a plain `for`")
        before: list[Step] = []
        items = self._iterated(generator.iter, before)
        targets = {n.id for n in ast.walk(generator.target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        names = {name: self.fresh(name, place) for name in sorted(targets)}
        self._renamed = {**self._renamed, **names}
        tests: list[tuple[list[Step], Expression, Place]] = []
        for condition in generator.ifs:
            steps: list[Step] = []
            tests.append((steps, self.lower(condition, steps), self.place(condition)))
        coming = self.fresh("in", place)
        return _Clause(generator.target, names, items, before, tests, coming, place)

    def _iterated(self, node: ast.expr, steps: list[Step]) -> Expression:
        self._use_at_once(node, "iterator")
        return Apply(operations.iterated, (self.lower(node, steps),), self.place(node), quick=True)

    # Calls.

    def _lower_Call(self, node: ast.Call, steps: list[Step]) -> Expression:  # noqa: N802
        if not isinstance(node.func, ast.Name | ast.Attribute):
            return self.refuse(node.func)
        name = ast.unparse(node.func)
        if self._is_variable(name):
            return self.refuse(
                node, f"{name} is a variable here, and variables cannot be called", "rename the variable"
            )
        meaning = self._meaning(node.func)
        match meaning:
            case None:
                return Constant(0)
            case Unusable():
                return self.refuse(node.func, meaning.what, meaning.fix)
            case Builtin():
                return self._builtin(node, meaning.name, steps)
            case Primitive(name="announce"):
                return self.refuse(node, "announce(…) has no value", "write it on a line of its own")
            case Primitive(name="ask"):
                return self._ask(node, steps)
            case Primitive():
                return self._draw(node, meaning.name, steps)
            case Helper():
                return self._helper(node, meaning, steps)
        what = "a constant" if isinstance(meaning, Known) else "not a function of the language"
        return self.refuse(node, f"{name} is {what} and cannot be called", "call a program or a builtin")

    def _builtin(self, node: ast.Call, name: str, steps: list[Step]) -> Expression:
        function, least, most = BUILTINS[name]
        used = self._used_at_once.get(id(node))
        if (name in GIVES_LIST and used is None) or (name in GIVES_ITERATOR and used != "iterator"):
            kind = "a list" if name in GIVES_LIST else "an iterator"
            what = f"{name}(…) is {kind}, and {kind} is not a value of programs"
            return self.refuse(node, what, f"write tuple({name}(…)), or use it at once: for x in {name}(…)")
        arguments = list(node.args)
        for keyword in node.keywords:
            if name == "enumerate" and keyword.arg == "start" and len(arguments) == 1:
                arguments.append(keyword.value)
            elif name == "zip" and keyword.arg == "strict" and isinstance(keyword.value, ast.Constant):
                function = operations.zipped_strictly if keyword.value.value else function
            else:
                return self.refuse(node, f"{name}() takes no keywords here", "give plain arguments")
        if len(arguments) == 1 and isinstance(arguments[0], ast.GeneratorExp) and name in (*operations.FOLDS, "sorted"):
            folded = self._comprehension(arguments[0], "tuple" if name == "sorted" else name, steps)
            return Apply(function, (folded,), self.place(node)) if name == "sorted" else folded
        if name in ITERATING and (len(arguments) == 1 or name in GIVES_ITERATOR):
            for argument in node.args:
                self._use_at_once(argument, "iterator")
        elif name == "len" and arguments:
            self._use_at_once(arguments[0], "list")
        parts = self._lower_all(arguments, steps)
        if not least <= len(parts) <= most:
            takes = f"{least}" if least == most else f"{least} to {most}" if most < 9 else f"at least {least}"
            return self.refuse(node, f"{name}() takes {takes} arguments, not {len(parts)}", "correct the call")
        return Apply(function, parts, self.place(node))

    def _draw(self, node: ast.Call, name: str, steps: list[Step]) -> Expression:
        distribution, parameters = DRAWS[name]
        given = self._bind(node, name, parameters, {}, steps)
        if given is None:
            return Constant(0)
        place = self.place(node)
        result = self.fresh(name, place)
        reads = tuple(given[parameter] for parameter in parameters)

        def step(after: int) -> int:
            return self.builder.add(Instruction(Kind.DRAW, place, after, reads, (result,), distribution=distribution))

        steps.append(step)
        return Variable(result, place)

    def _ask(self, node: ast.Call, steps: list[Step]) -> Expression:
        if node.keywords or not node.args:
            what = "takes no keywords" if node.keywords else "has no options"
            return self.refuse(node, f"ask() {what}", "give the options: ask('low', 'high')")
        inner = [argument.value if isinstance(argument, ast.Starred) else argument for argument in node.args]
        stars = tuple(isinstance(argument, ast.Starred) for argument in node.args)
        for part, star in zip(inner, stars, strict=True):
            if star:
                self._use_at_once(part, "iterator")
        place = self.place(node)
        options = Apply(operations.spread, (Constant(stars), *self._lower_all(inner, steps)), place)
        result = self.fresh("ask", place)
        steps.append(lambda after: self.builder.add(Instruction(Kind.ASK, place, after, (options,), (result,))))
        return Variable(result, place)

    def _helper(self, node: ast.Call, meaning: Helper, steps: list[Step]) -> Expression:
        program = meaning.program
        defaults = {p.name: p.default for p in program.parameters if p.default is not None}
        given = self._bind(node, program.name, [p.name for p in program.parameters], defaults, steps)
        if given is None:
            return Constant(0)
        place, graph = self.place(node), program.graph
        prefix = self.fresh(program.name, place) + "."
        result = prefix + "return"
        forgotten = (*sorted(prefix + name for name in graph.assigned), result)

        def step(after: int) -> int:
            entry = self.builder.add_helper(graph, prefix, result, after)
            for name, value in given.items():
                entry = self.builder.assign(prefix + name, value, entry, place)
            return self.builder.add(Instruction(Kind.FORGET, place, entry, writes=forgotten))

        steps.append(step)
        return Variable(result, place, f"{program.name}()")

    def _bind(
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

    # Statements: each method returns the point where its statement starts.

    def block(self, statements: Sequence[ast.stmt], after: int, loop: _Loop | None) -> int:
        """Where the statements start that lead to ``after``."""
        if self._nesting >= MAX_NESTING:
            what = f"blocks nested more than {MAX_NESTING} deep"
            self.refuse(statements[0], what, "move the inner ones to a helper")
            return after
        self._nesting += 1
        for statement in reversed(statements):
            after = self._statement(statement, after, loop)
        self._nesting -= 1
        return after

    def _statement(self, node: ast.stmt, after: int, loop: _Loop | None) -> int:
        steps: list[Step] = []
        match node:
            case ast.If():
                return self._if(node, after, loop)
            case ast.While():
                return self._while(node, after, loop)
            case ast.For():
                return self._for(node, after, loop)
            case ast.Break() if loop is not None:
                return loop.after
            case ast.Continue() if loop is not None:
                return loop.head
            case ast.Pass():
                return after
            case ast.Return():
                reads = () if node.value is None else (self.lower(node.value, steps),)
                return _chained(steps, self.builder.add(Instruction(Kind.RETURN, self.place(node), reads=reads)))
            case ast.Expr():
                return self._expression_statement(node, after)
            case ast.Assign():
                return self._assign(node.targets, self.lower(node.value, steps), steps, after)
            case ast.AnnAssign(value=ast.expr() as given):
                return self._assign([node.target], self.lower(given, steps), steps, after)
            case ast.AugAssign():
                return self._augmented(node, after)
            case ast.Assert():
                return self._assert(node, after)
        self.refuse(node)
        return after

    def _assign(self, targets: Sequence[ast.expr], value: Expression, steps: list[Step], after: int) -> int:
        if len(targets) > 1:
            # One value for all targets: a draw on the right happens once.
            place = self.place(targets[0])
            shared = self.fresh("value", place)
            for target in reversed(targets):
                after = self._store(target, Variable(shared, place), after)
            return _chained(steps, self.builder.assign(shared, value, after, place))
        return _chained(steps, self._store(targets[0], value, after))

    def _store(self, target: ast.expr, value: Expression, after: int, names: Mapping[str, str] | None = None) -> int:
        """``target = value``; ``names`` are the variables of a comprehension, under which its targets are stored."""
        place = self.place(target)
        if isinstance(target, ast.Name):
            return self.builder.assign((names or {}).get(target.id, target.id), value, after, place)
        if isinstance(target, ast.Tuple | ast.List):
            whole = self.fresh("parts", place)
            for number, part in reversed(list(enumerate(target.elts))):
                piece = Apply(operations.subscript, (Variable(whole, place), Constant(number)), place, quick=True)
                after = self._store(part, piece, after, names)
            checked = Apply(operations.unpacked, (value, Constant(len(target.elts))), place)
            return self.builder.assign(whole, checked, after, place)
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
            function = operations.join_not_in_place if isinstance(node.op, ast.BitOr) else function
            value = Apply(function, (Variable(node.target.id, self.place(node.target)), right), place)
            return _chained(steps, self.builder.assign(node.target.id, value, after, place))
        else:
            self._store(node.target, right, after)
        return after

    def _assert(self, node: ast.Assert, after: int) -> int:
        steps: list[Step] = []
        place = self.place(node)
        says = node.msg.value if isinstance(node.msg, ast.Constant) and isinstance(node.msg.value, str) else ""
        if node.msg is not None and not says:
            self.refuse(node.msg, "the message of an `assert` is plain text", "write it out, or leave it away")
        text = Constant(ast.unparse(node.test)[:80]), Constant(says[:200])
        checked = Apply(operations.asserted, (self.lower(node.test, steps), *text), place)
        return _chained(steps, self.builder.assign(self.fresh("assert", place), checked, after, place))

    def _expression_statement(self, node: ast.Expr, after: int) -> int:
        call = node.value
        if isinstance(call, ast.Constant) and isinstance(call.value, str):
            return after  # a docstring, or a comment written as text
        steps: list[Step] = []
        if isinstance(call, ast.Call) and self._names_function(call.func):
            meaning = self._meaning(call.func)
            if isinstance(meaning, Primitive) and meaning.name == "announce":
                given = self._bind(call, "announce", ("value",), {}, steps)
                if given is None:
                    return after
                shown = Instruction(Kind.ANNOUNCE, self.place(call), after, (given["value"],))
                return _chained(steps, self.builder.add(shown))
            asked = isinstance(meaning, Primitive) and meaning.name == "ask"  # waiting is an effect of its own
            if meaning is None or asked or isinstance(meaning, Helper | Unusable):
                self.lower(call, steps)
                return _chained(steps, after)
        known = len(self.defects)
        self.lower(call, steps)
        if len(self.defects) == known:
            self.refuse(node, "the value of this line is not used", "assign it, announce it, or drop the line")
        return after

    def _names_function(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Attribute) or (isinstance(node, ast.Name) and not self._is_variable(node.id))

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
            otherwise = _chained(steps, self.builder.branch(test, then, otherwise, self.place(arm)))
        return otherwise

    def _while(self, node: ast.While, after: int, loop: _Loop | None) -> int:
        place = self.place(node)
        head = self.builder.add(Instruction(Kind.JUMP, place))
        steps: list[Step] = []
        test = self.lower(node.test, steps)
        body = self.block(node.body, head, _Loop(head, after))
        done = self.block(node.orelse, after, loop) if node.orelse else after
        self.builder.close_loop(head, _chained(steps, self.builder.branch(test, body, done, place)))
        return head

    def _for(self, node: ast.For, after: int, loop: _Loop | None) -> int:
        place = self.place(node)
        steps: list[Step] = []
        items = self._iterated(node.iter, steps)
        head = self.builder.add(Instruction(Kind.JUMP, place))
        coming = self.builder.fresh(f"{ast.unparse(node.target)} in")
        body = self.block(node.body, head, _Loop(head, after))
        done = self.block(node.orelse, after, loop) if node.orelse else after
        self.builder.close_loop(head, self._turn(node.target, coming, body, done, place))
        return _chained(steps, self.builder.assign(coming, items, head, place))

    def _turn(
        self, target: ast.expr, coming: str, body: int, done: int, place: Place, names: Mapping[str, str] | None = None
    ) -> int:
        """The next item, if any is ``coming``, is stored before the body of a loop."""
        if isinstance(target, ast.Name):
            item = (names or {}).get(target.id, target.id)
        else:
            item = self.fresh("turn", place)
            body = self._store(target, Variable(item, place), body, names)
        items = (Variable(coming, place),)
        return self.builder.add(Instruction(Kind.TURN, place, body, items, (item, coming), otherwise=done))
