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
from types import MappingProxyType
from typing import Literal, NamedTuple

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
from .primitives import DRAWS
from .protocol import Program
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


NO_NAMES: Mapping[str, str] = MappingProxyType({})


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
        end = lowering.add(Kind.RETURN, source.place(node))
        graph = lowering.builder.finish(lowering.block(node.body, end, None))
    except Problem as problem:
        lowering.foreign[problem.at(source.place(node)).defect()] = None
    except RecursionError:
        lowering.refuse(node, "nested too deeply", "split it into helpers")
    lowering.check()
    conditioned = graph.conditioned()
    if conditioned is not None:
        what = "an `assert` that depends on a draw or an answer would throw away the runs in which it fails"
        fix = "test with `if`; assert what secrets and constants are"
        raise ProgramError(Defect(str(conditioned.place), what, fix))
    return graph


def evaluate_constant(node: ast.expr, source: Source) -> Value:
    """The value of an expression of the language without variables and draws; ProgramError if it has none."""
    lowering = _Lowering(source, unbound, frozenset())
    before, expression = lowering.apart(node)
    if before:
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
        own = top.target if isinstance(top, ast.comprehension) else None  # the variables of a comprehension are its own
        stack.extend(part for part in ast.iter_child_nodes(top) if part is not own)
    return frozenset(names)


def _chained(steps: Sequence[Step], point: int) -> int:
    """Where the steps start that lead, one after the other, to ``point``."""
    for step in reversed(steps):
        point = step(point)
    return point


class _Loop(NamedTuple):
    """Where ``continue`` and ``break`` lead."""

    head: int
    after: int


Lowered = tuple[list[Step], Expression]
"""An expression, and the steps before it."""


class _Clause(NamedTuple):
    """``for target in items if tests``, in a comprehension."""

    generator: ast.comprehension
    names: Mapping[str, str]
    items: Lowered
    tests: list[Lowered]


class _Lowering:
    """Turns one function into instructions, and notes every defect on the way."""

    def __init__(self, source: Source, scope: Scope, local: frozenset[str]) -> None:
        self.source, self.scope, self.local = source, scope, local
        self.builder = GraphBuilder()
        self.defects: dict[tuple[Place, str], Defect] = {}
        self.foreign: dict[Defect, None] = {}
        """Defects of helpers, which are not placed here."""
        self._steps: list[Step] = []
        """What must happen before the expression that is being lowered."""
        self._renamed: Mapping[str, str] = {}
        """The variables of the comprehensions around: each has a name that nothing else has."""
        self._used_at_once: dict[int, Literal["list", "iterator"]] = {}
        self._depth = self._nesting = 0
        self._anchor: ast.AST | None = None

    # Defects, places, instructions.

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

    def add(self, kind: Kind, place: Place, after: int = -1, *reads: Expression, writes: str = "") -> int:
        """The point of a new instruction."""
        return self.builder.add(Instruction(kind, place, after, reads, (writes,) if writes else ()))

    # Expressions.

    def apart(self, node: ast.expr) -> Lowered:
        """The checked expression, with the steps that must be taken before it."""
        outer, self._steps = self._steps, []
        value = self.lower(node)
        before, self._steps = self._steps, outer
        return before, value

    def lower(self, node: ast.expr) -> Expression:
        """The checked expression; what must happen before it is added to the steps."""
        if self._depth >= MAX_NESTING:
            what = f"an expression nested more than {MAX_NESTING} deep"
            return self.refuse(node, what, "assign its parts to variables")
        self._depth += 1
        try:
            return self._lower(node)
        finally:
            self._depth -= 1

    def _lower(self, node: ast.expr) -> Expression:
        match node:
            case ast.Constant():
                try:
                    return Constant(number_or_text(node, self.source))
                except Problem as problem:
                    return self.refuse(node, problem.what, problem.fix)
            case ast.Name() if self._is_variable(node.id):
                return Variable(self._renamed.get(node.id, node.id), self.place(node))
            case ast.Name() | ast.Attribute():
                return self._free(node)
            case ast.BinOp():
                return self._apply(node, operations.BINARY.get(type(node.op).__name__), node.left, node.right)
            case ast.UnaryOp():
                return self._apply(node, operations.UNARY.get(type(node.op).__name__), node.operand)
            case ast.Compare():
                return self._compare(node)
            case ast.BoolOp():
                how: Literal["and", "or"] = "and" if isinstance(node.op, ast.And) else "or"
                return self._short_circuit(node, [self.apart(value) for value in node.values], how)
            case ast.IfExp():
                return self._conditional(node)
            case ast.Tuple():
                return self._apply(node, operations.build_tuple, *node.elts)
            case ast.List() if id(node) in self._used_at_once:
                return self._apply(node, operations.build_tuple, *node.elts)
            case ast.ListComp() if id(node) in self._used_at_once:
                return self._comprehension(node, "tuple")
            case ast.Dict():
                return self._dict(node)
            case ast.JoinedStr():
                outer, self._anchor = self._anchor, self._anchor or node
                text = self._apply(node, operations.build_text, *node.values)
                self._anchor = outer
                return text
            case ast.FormattedValue(conversion=-1, format_spec=None):
                return self.lower(node.value)
            case ast.FormattedValue():
                return self.refuse(node, "a format inside an f-string is not in the language", "write {value} alone")
            case ast.Subscript(slice=ast.Slice() as cut):
                value = self.lower(node.value)
                bounds = (Constant(None) if b is None else self.lower(b) for b in (cut.lower, cut.upper, cut.step))
                return Apply(operations.slice_of, (value, *bounds), self.place(node))
            case ast.Subscript():
                self._used_at_once[id(node.value)] = "list"
                parts = (self.lower(node.value), self.lower(node.slice))
                return Apply(operations.subscript, parts, self.place(node), quick=True)
            case ast.Call():
                return self._call(node)
        return self.refuse(node)

    def _apply(self, node: ast.expr, function: operations.Operation | None, *parts: ast.expr) -> Expression:
        lowered = tuple(map(self.lower, parts))
        if function is None:
            return self.refuse(node, *refusal(getattr(node, "op", node)))
        return Apply(function, lowered, self.place(node))

    def _is_variable(self, name: str) -> bool:
        return name in self.local or name in self._renamed

    def _free(self, node: ast.Name | ast.Attribute) -> Expression:
        meaning, shown = self._meaning(node), ast.unparse(node)
        match meaning:
            case None:
                return Constant(0)
            case Known():
                return Constant(meaning.value)
            case Unusable():
                return self.refuse(node, meaning.what, meaning.fix)
            case Namespace():
                return self.refuse(node, f"{shown} is a module, not a value", "use a name of it")
        return self.refuse(node, f"{shown} is a function, not a value", f"call it: {shown}(…)")

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

    def _dict(self, node: ast.Dict) -> Expression:
        parts: list[ast.expr] = []
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                return self.refuse(value, "`**` is not in the language", "join dicts with |")
            parts += (key, value)
        return self._apply(node, operations.build_table, *parts)

    def _compare(self, node: ast.Compare) -> Expression:
        parts: list[Lowered] = []
        left = self.lower(node.left)
        for operator, comparator in zip(node.ops, node.comparators, strict=True):
            if isinstance(operator, ast.In | ast.NotIn):
                self._used_at_once[id(comparator)] = "list"
            before, right = self.apart(comparator)
            function = operations.COMPARE.get(type(operator).__name__)
            if function is None:
                return self.refuse(node, *refusal(operator))
            parts.append((before, Apply(function, (left, right), self.place(node))))
            left = right
        return self._short_circuit(node, parts, "and")

    def _short_circuit(self, node: ast.expr, parts: list[Lowered], how: Literal["and", "or"]) -> Expression:
        """``and`` or ``or``; the steps of a part are taken only if the parts before it did not decide."""
        if not any(before for before, _ in parts[1:]):
            self._steps += parts[0][0]
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

        self._steps.append(step)
        return Variable(result, place)

    def _conditional(self, node: ast.IfExp) -> Expression:
        test = self.lower(node.test)
        (before_then, then), (before_else, otherwise) = self.apart(node.body), self.apart(node.orelse)
        if not before_then and not before_else:
            return Decide("if", (test, then, otherwise))
        place = self.place(node)
        result = self.fresh("if", place)

        def step(after: int) -> int:
            yes = _chained(before_then, self.builder.assign(result, then, after, place))
            no = _chained(before_else, self.builder.assign(result, otherwise, after, place))
            return self.builder.branch(test, yes, no, place)

        self._steps.append(step)
        return Variable(result, place)

    # Comprehensions.

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp, name: str) -> Expression:
        """``name(element for …)`` as a loop that keeps no more than it must; ``any`` and ``all`` end it early."""
        place, outer = self.place(node), self._renamed
        result = self.fresh(name, place)
        clauses = [self._clause(generator) for generator in node.generators]
        before, element = self.apart(node.elt)
        self._renamed = outer
        function, initial, outcome = operations.FOLDS[name]
        so_far = Variable(result, place)

        def accumulate(head: int, done: int) -> int:
            if function is None:  # any, all
                found = self.builder.assign(result, Constant(not initial), done, place)
                then, otherwise = (head, found) if initial else (found, head)
                return _chained(before, self.builder.branch(element, then, otherwise, place))
            value = Apply(function, (so_far, element), place)
            return _chained(before, self.builder.assign(result, value, head, place))

        def loops(number: int, after: int, done: int) -> int:
            """The loops from clause ``number`` on; ``after``: where the loop around goes on."""
            generator, names, (before_items, items), tests = clauses[number]
            here = self.place(generator.target)
            head = self.add(Kind.JUMP, here)
            body = loops(number + 1, head, done) if number + 1 < len(clauses) else accumulate(head, done)
            for before_test, test in reversed(tests):
                body = _chained(before_test, self.builder.branch(test, body, head, here))
            coming = self.fresh("in", here)
            self.builder.close_loop(head, self._turn(generator.target, coming, body, after, here, names))
            return _chained(before_items, self.builder.assign(coming, items, head, here))

        self._steps.append(lambda after: self.builder.assign(result, Constant(initial), loops(0, after, after), place))
        return so_far if outcome is None else Apply(outcome, (so_far,), place)

    def _clause(self, generator: ast.comprehension) -> _Clause:
        """One ``for … in … if …``; from its targets on, names mean its own variables."""
        if generator.is_async:
            self.refuse(generator.target, "`async` is not in the language", "write a plain `for`")
        items = self._iterated(generator.iter)
        stored = (n for n in ast.walk(generator.target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
        names = {n.id: self.fresh(n.id, self.place(n)) for n in stored}
        self._renamed = {**self._renamed, **names}
        return _Clause(generator, names, items, [self.apart(condition) for condition in generator.ifs])

    def _iterated(self, node: ast.expr) -> Lowered:
        self._used_at_once[id(node)] = "iterator"
        before, value = self.apart(node)
        return before, Apply(operations.iterated, (value,), self.place(node), quick=True)

    # Calls.

    def _call(self, node: ast.Call) -> Expression:
        if not isinstance(node.func, ast.Name | ast.Attribute):
            return self.refuse(node.func)
        name = ast.unparse(node.func)
        if self._is_variable(name):
            what = f"{name} is a variable here, and variables cannot be called"
            return self.refuse(node, what, "rename the variable")
        meaning = self._meaning(node.func)
        match meaning:
            case None:
                return Constant(0)
            case Unusable():
                return self.refuse(node.func, meaning.what, meaning.fix)
            case Builtin():
                return self._builtin(node, meaning.name)
            case Primitive(name="announce"):
                return self.refuse(node, "announce(…) has no value", "write it on a line of its own")
            case Primitive(name="ask"):
                return self._ask(node)
            case Primitive():
                return self._draw(node, meaning.name)
            case Helper():
                return self._helper(node, meaning.program)
        what = "a constant" if isinstance(meaning, Known) else "not a function of the language"
        return self.refuse(node, f"{name} is {what} and cannot be called", "call a program or a builtin")

    def _builtin(self, node: ast.Call, name: str) -> Expression:
        function, least, most = operations.BUILTINS[name]
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
            folded = self._comprehension(arguments[0], "tuple" if name == "sorted" else name)
            return Apply(function, (folded,), self.place(node)) if name == "sorted" else folded
        if name == "len" or (name in ITERATING and (len(arguments) == 1 or name in GIVES_ITERATOR)):
            self._used_at_once.update((id(argument), "list" if name == "len" else "iterator") for argument in node.args)
        if not least <= len(arguments) <= most:
            takes = f"{least}" if least == most else f"{least} to {most}" if most < 9 else f"at least {least}"
            return self.refuse(node, f"{name}() takes {takes} arguments, not {len(arguments)}", "correct the call")
        return self._apply(node, function, *arguments)

    def _draw(self, node: ast.Call, name: str) -> Expression:
        distribution, parameters = DRAWS[name]
        given = self._bind(node, name, parameters, {})
        if given is None:
            return Constant(0)
        place = self.place(node)
        result = self.fresh(name, place)
        reads = tuple(given[parameter] for parameter in parameters)

        def step(after: int) -> int:
            return self.builder.add(Instruction(Kind.DRAW, place, after, reads, (result,), distribution=distribution))

        self._steps.append(step)
        return Variable(result, place)

    def _ask(self, node: ast.Call) -> Expression:
        if node.keywords or not node.args:
            what = "takes no keywords" if node.keywords else "has no options"
            return self.refuse(node, f"ask() {what}", "give the options: ask('low', 'high')")
        stars = tuple(isinstance(argument, ast.Starred) for argument in node.args)
        inner = [argument.value if isinstance(argument, ast.Starred) else argument for argument in node.args]
        self._used_at_once.update((id(part), "iterator") for part, star in zip(inner, stars, strict=True) if star)
        place = self.place(node)
        options = Apply(operations.spread, (Constant(stars), *map(self.lower, inner)), place)
        result = self.fresh("ask", place)
        self._steps.append(lambda after: self.add(Kind.ASK, place, after, options, writes=result))
        return Variable(result, place)

    def _helper(self, node: ast.Call, program: Program) -> Expression:
        defaults = {p.name: p.default for p in program.parameters if p.default is not None}
        given = self._bind(node, program.name, [p.name for p in program.parameters], defaults)
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

        self._steps.append(step)
        return Variable(result, place, f"{program.name}()")

    def _bind(
        self, node: ast.Call, name: str, parameters: Sequence[str], defaults: Mapping[str, Value]
    ) -> dict[str, Expression] | None:
        """Parameter → argument of a call; None, and the defects noted, if they do not fit."""
        known = len(self.defects)
        if len(node.args) > len(parameters):
            self.refuse(node, f"{name}() takes {len(parameters)} arguments, not {len(node.args)}", "correct the call")
        given = {p: self.lower(argument) for p, argument in zip(parameters, node.args, strict=False)}
        takes = ", ".join(parameters) or "none"
        for keyword in node.keywords:
            value = self.lower(keyword.value)
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
            case ast.Return(value=None):
                return self.add(Kind.RETURN, self.place(node))
            case ast.Return(value=ast.expr() as given):
                before, value = self.apart(given)
                return _chained(before, self.add(Kind.RETURN, self.place(node), -1, value))
            case ast.Expr():
                return self._expression_statement(node, after)
            case ast.Assign():
                return self._assign(node.targets, self.apart(node.value), after)
            case ast.AnnAssign(value=ast.expr() as given):
                return self._assign([node.target], self.apart(given), after)
            case ast.AugAssign():
                return self._augmented(node, after)
            case ast.Assert():
                return self._assert(node, after)
        self.refuse(node)
        return after

    def _assign(self, targets: Sequence[ast.expr], given: Lowered, after: int) -> int:
        before, value = given
        if len(targets) == 1:
            return _chained(before, self._store(targets[0], value, after))
        # One value for all targets: a draw on the right happens once.
        place = self.place(targets[0])
        shared = self.fresh("value", place)
        for target in reversed(targets):
            after = self._store(target, Variable(shared, place), after)
        return _chained(before, self.builder.assign(shared, value, after, place))

    def _store(self, target: ast.expr, value: Expression, after: int, names: Mapping[str, str] = NO_NAMES) -> int:
        """``target = value``; ``names`` are the variables of a comprehension, under which its targets are stored."""
        place = self.place(target)
        match target:
            case ast.Name():
                return self.builder.assign(names.get(target.id, target.id), value, after, place)
            case ast.Tuple() | ast.List():
                whole = self.fresh("parts", place)
                for number, part in reversed(list(enumerate(target.elts))):
                    piece = Apply(operations.subscript, (Variable(whole, place), Constant(number)), place, quick=True)
                    after = self._store(part, piece, after, names)
                checked = Apply(operations.unpacked, (value, Constant(len(target.elts))), place)
                return self.builder.assign(whole, checked, after, place)
            case ast.Subscript():
                what = "assigning to a part is not in the language: values do not change"
                self.refuse(target, what, "write d = d | {key: value}, or t = t[:i] + (value,) + t[i + 1:]")
            case _:
                self.refuse(target)
        return after

    def _augmented(self, node: ast.AugAssign, after: int) -> int:
        before, right = self.apart(node.value)
        # Python changes a dict in place by |=, under all its names; we would not, so it is refused.
        in_place = isinstance(node.op, ast.BitOr)
        function = operations.join_not_in_place if in_place else operations.BINARY.get(type(node.op).__name__)
        if function is None:
            self.refuse(node, *refusal(node.op))
        elif isinstance(node.target, ast.Name):
            place = self.place(node)
            value = Apply(function, (Variable(node.target.id, self.place(node.target)), right), place)
            return _chained(before, self.builder.assign(node.target.id, value, after, place))
        else:
            self._store(node.target, right, after)
        return after

    def _assert(self, node: ast.Assert, after: int) -> int:
        place = self.place(node)
        says = node.msg.value if isinstance(node.msg, ast.Constant) and isinstance(node.msg.value, str) else ""
        if node.msg is not None and not says:
            self.refuse(node.msg, "the message of an `assert` is plain text", "write it out, or leave it away")
        before, test = self.apart(node.test)
        text = (Constant(ast.unparse(node.test)[:80]), Constant(says[:200]))
        checked = Apply(operations.asserted, (test, *text), place)
        return _chained(before, self.builder.assign(self.fresh("assert", place), checked, after, place))

    def _expression_statement(self, node: ast.Expr, after: int) -> int:
        call = node.value
        if isinstance(call, ast.Constant) and isinstance(call.value, str):
            return after  # a docstring, or a comment written as text
        known = len(self.defects)
        meaning: Meaning | None = Known(0)
        if isinstance(call, ast.Call) and (isinstance(call.func, ast.Attribute) or self._is_free(call.func)):
            meaning = self._meaning(call.func)
            if meaning == Primitive("announce"):
                return self._announce(call, after)
        before, _ = self.apart(call)
        # Waiting is an effect of its own, and a helper may have one.
        effect = meaning is None or meaning == Primitive("ask") or isinstance(meaning, Helper | Unusable)
        if not effect and len(self.defects) == known:
            self.refuse(node, "the value of this line is not used", "assign it, announce it, or drop the line")
        return _chained(before, after)

    def _is_free(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and not self._is_variable(node.id)

    def _announce(self, call: ast.Call, after: int) -> int:
        outer, self._steps = self._steps, []
        given = self._bind(call, "announce", ("value",), {})
        before, self._steps = self._steps, outer
        if given is None:
            return after
        return _chained(before, self.add(Kind.ANNOUNCE, self.place(call), after, given["value"]))

    def _if(self, node: ast.If, after: int, loop: _Loop | None) -> int:
        # A chain of `elif`s is walked, not recursed into: it may be long.
        arms: list[tuple[ast.If, Lowered]] = [(node, self.apart(node.test))]
        while len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
            node = node.orelse[0]
            arms.append((node, self.apart(node.test)))
        otherwise = self.block(node.orelse, after, loop) if node.orelse else after
        for arm, (before, test) in reversed(arms):
            then = self.block(arm.body, after, loop)
            otherwise = _chained(before, self.builder.branch(test, then, otherwise, self.place(arm)))
        return otherwise

    def _while(self, node: ast.While, after: int, loop: _Loop | None) -> int:
        place = self.place(node)
        head = self.add(Kind.JUMP, place)
        before, test = self.apart(node.test)
        body = self.block(node.body, head, _Loop(head, after))
        done = self.block(node.orelse, after, loop) if node.orelse else after
        self.builder.close_loop(head, _chained(before, self.builder.branch(test, body, done, place)))
        return head

    def _for(self, node: ast.For, after: int, loop: _Loop | None) -> int:
        place = self.place(node)
        before, items = self._iterated(node.iter)
        head = self.add(Kind.JUMP, place)
        coming = self.builder.fresh(f"{ast.unparse(node.target)} in")
        body = self.block(node.body, head, _Loop(head, after))
        done = self.block(node.orelse, after, loop) if node.orelse else after
        self.builder.close_loop(head, self._turn(node.target, coming, body, done, place))
        return _chained(before, self.builder.assign(coming, items, head, place))

    def _turn(
        self, target: ast.expr, coming: str, body: int, done: int, place: Place, names: Mapping[str, str] = NO_NAMES
    ) -> int:
        """The next item, if any is ``coming``, is stored before the body of a loop."""
        if isinstance(target, ast.Name):
            item = names.get(target.id, target.id)
        else:
            item = self.fresh("turn", place)
            body = self._store(target, Variable(item, place), body, names)
        items = (Variable(coming, place),)
        return self.builder.add(Instruction(Kind.TURN, place, body, items, (item, coming), otherwise=done))
