"""From Python's syntax to the control-flow graph of a program.

Every draw, question and call of a helper is taken out of the expression that it stands in: ``announce(flip(p) ==
flip(p))`` becomes: draw a temporary, draw another, announce their comparison. Draws are independent of all else and
helpers cannot change the caller's variables, so taking them out keeps the program's meaning as long as they still
happen under the same condition; under ``and``, ``or``, chained comparisons and ``… if … else …`` the condition becomes
a branch, and a comprehension becomes a loop.

``for x in items`` keeps the items that are still to come in a variable of its own, ``x in``, and forgets those that are
past.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

from ...errors import Defect
from . import values
from .compute import Computation
from .graph import (
    Apply,
    Constant,
    Decide,
    Expression,
    Graph,
    GraphBuilder,
    Instruction,
    Kind,
    LooseEnds,
    Variable,
)
from .names import (
    Function,
    Helper,
    KnownConstant,
    Meaning,
    NameScope,
    Namespace,
    Unusable,
    meaning_of,
    number_or_text,
    unbound,
)
from .primitives import DRAWS
from .source import Place, Problem, ProgramError, Source, refusal
from .values import BINARY, BUILTINS, COMPARE, FOLDS, UNARY, Value

if TYPE_CHECKING:
    from ..protocol import Program

MAX_NESTING = 60
"""How deep expressions, and blocks, may be nested."""

ITERATING = frozenset(("all", "any", "enumerate", "max", "min", "sorted", "sum", "tuple", "zip"))
"""The builtins to which only the items of their arguments matter, so that lists and iterators are fine there."""

GIVES_LIST, GIVES_ITERATOR = frozenset(("sorted",)), frozenset(("enumerate", "zip"))
"""The builtins whose result, in Python, is a list or an iterator: no value of programs, unless it is used at once."""

NO_NAMES: Mapping[str, str] = MappingProxyType({})


def lower_function(node: ast.FunctionDef, source: Source, scope: NameScope) -> Graph:
    """The function's graph; ProgramError with every defect, in the order of the text."""
    lowering = _Lowering(source, scope, _local_names(node))
    for extra, star in ((node.args.vararg, "*"), (node.args.kwarg, "**")):
        if extra is not None:
            lowering.refuse(extra, f"`{star}{extra.arg}` is not in the language", "name every parameter")
    for parameter in getattr(node, "type_params", []):  # from Python 3.12 on; they hide the file's names
        lowering.refuse(parameter, "type parameters are not in the language", "drop them")
    for decorator in node.decorator_list[:-1]:
        lowering.refuse(decorator, "a program has one decorator", "keep @program alone")
    try:
        lowering.block(node.body)
        lowering.add(Kind.RETURN, source.place(node))
    except Problem as problem:
        lowering.foreign[problem.at(source.place(node)).defect()] = None
    except RecursionError:
        lowering.refuse(node, "nested too deeply", "split it into helpers")
    lowering.check()
    graph = lowering.builder.finish()
    conditioned = graph.find_condition()
    if conditioned is not None:
        what = "an `assert` that depends on a draw or an answer would throw away the runs in which it fails"
        fix = "test with `if`; assert what secrets and constants are"
        raise ProgramError(Defect(str(conditioned.place), what, fix))
    return graph


def lower_expression(node: ast.expr, source: Source, names: frozenset[str] = frozenset()) -> Graph:
    """An expression of the language over some variables, without draws and questions, as a graph that returns it.

    ProgramError otherwise.
    """
    lowering = _Lowering(source, unbound, names)
    return lowering.lower_computation(node, lowering.lower(node))


def lower_items(node: ast.expr, source: Source) -> Graph:
    """The items of a list, a comprehension, or a value that ``for`` runs over, as a graph that announces each.

    They are not made into one value, which would be bounded: a domain of secrets may be long.
    """
    item: ast.expr = ast.copy_location(ast.Name("item", ast.Load()), node)
    match node:
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            body = [_make_announcement(part) for part in parts]
        case ast.ListComp(elt=item, generators=generators) | ast.GeneratorExp(elt=item, generators=generators):
            body = [_make_announcement(item)]
            for generator in reversed(generators):
                for test in reversed(generator.ifs):
                    body = [ast.copy_location(ast.If(test, body, []), test)]
                loop = ast.AsyncFor if generator.is_async else ast.For
                body = [ast.copy_location(loop(generator.target, generator.iter, body, []), generator.target)]
        case _:
            target = ast.copy_location(ast.Name("item", ast.Store()), node)
            body = [ast.copy_location(ast.For(target, node, [_make_announcement(item)], []), node)]
    names = {n.id for top in body for n in ast.walk(top) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    lowering = _Lowering(source, unbound, frozenset(names))
    lowering.block(body)
    return lowering.lower_computation(node)


def _make_announcement(node: ast.expr) -> ast.stmt:
    """A line that announces an expression."""
    announce = ast.copy_location(ast.Name("announce", ast.Load()), node)
    return ast.copy_location(ast.Expr(ast.copy_location(ast.Call(announce, [node], []), node)), node)


def evaluate_constant(node: ast.expr, source: Source) -> Value:
    """The value of an expression of the language without variables and draws; ProgramError if it has none."""
    try:
        return Computation(lower_expression(node, source))()
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


class _Loop(NamedTuple):
    """Where ``continue`` leads, and what ``break`` leaves open."""

    head: int
    left: LooseEnds


class _Lowering:
    """Turns one function into instructions, and notes every defect on the way."""

    def __init__(self, source: Source, scope: NameScope, local: frozenset[str]) -> None:
        self.source, self.scope, self.local = source, scope, local
        self.builder = GraphBuilder()
        self.defects: dict[tuple[Place, str], Defect] = {}
        self.foreign: dict[Defect, None] = {}
        """Defects of helpers, which are not placed here."""
        self._renamed: Mapping[str, str] = {}
        """The variables of the comprehensions around: each has a name that nothing else has."""
        self._used_at_once: dict[int, Literal["list", "iterator"]] = {}
        self._loops: list[_Loop] = []
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

    def add(self, kind: Kind, place: Place, *reads: Expression, writes: tuple[str, ...] = ()) -> int:
        """The point of a new instruction."""
        return self.builder.add(Instruction(kind, place, reads=reads, writes=writes))

    def lower_computation(self, node: ast.expr, *returned: Expression) -> Graph:
        """The finished graph of what only computes; ProgramError with every defect."""
        if any(i.kind in (Kind.DRAW, Kind.ASK) for i in self.builder.instructions):
            self.refuse(node, "a random value, or a question to the observer", "an expression here has neither")
        self.add(Kind.RETURN, self.place(node), *returned)
        self.check()
        return self.builder.finish()

    # Expressions.

    def lower(self, node: ast.expr) -> Expression:
        """The checked expression; what must happen before it is added to the instructions."""
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
                    return Constant(number_or_text(node, self.source, self._anchor))
                except Problem as problem:
                    return self.refuse(node, problem.what, problem.fix)
            case ast.Name() if self._is_variable(node.id):
                return Variable(self._renamed.get(node.id, node.id), self.place(node))
            case ast.Name() | ast.Attribute():
                return self._free(node)
            case ast.BinOp():
                return self._apply(node, BINARY.get(type(node.op).__name__), node.left, node.right)
            case ast.UnaryOp():
                return self._apply(node, UNARY.get(type(node.op).__name__), node.operand)
            case ast.Compare():
                return self._compare(node)
            case ast.BoolOp():
                how: Literal["and", "or"] = "and" if isinstance(node.op, ast.And) else "or"
                return self._short_circuit(node, how, [partial(self.lower, value) for value in node.values])
            case ast.IfExp():
                return self._conditional(node)
            case ast.Tuple():
                return self._apply(node, values.build_tuple, *node.elts)
            case ast.List() if id(node) in self._used_at_once:
                return self._apply(node, values.build_tuple, *node.elts)
            case ast.ListComp() if id(node) in self._used_at_once:
                return self._comprehension(node, "tuple")
            case ast.Dict():
                return self._dict(node)
            case ast.JoinedStr():
                outer, self._anchor = self._anchor, self._anchor or node
                text = self._apply(node, values.build_text, *node.values)
                self._anchor = outer
                return text
            case ast.FormattedValue(conversion=-1, format_spec=None):
                return self.lower(node.value)
            case ast.FormattedValue():
                return self.refuse(node, "a format inside an f-string is not in the language", "write {value} alone")
            case ast.Subscript(slice=ast.Slice() as cut):
                value = self.lower(node.value)
                bounds = (Constant(None) if b is None else self.lower(b) for b in (cut.lower, cut.upper, cut.step))
                return Apply(values.slice_of, (value, *bounds), self.place(node))
            case ast.Subscript():
                self._used_at_once[id(node.value)] = "list"
                parts = (self.lower(node.value), self.lower(node.slice))
                return Apply(values.subscript, parts, self.place(node), quick=True)
            case ast.Call():
                return self._call(node)
        return self.refuse(node)

    def _apply(self, node: ast.expr, function: values.Operation | None, *parts: ast.expr) -> Expression:
        lowered = tuple(map(self.lower, parts))
        if function is None:
            return self.refuse(node, *refusal(getattr(node, "op", node)))
        return Apply(function, lowered, self.place(node))

    def _is_variable(self, name: str) -> bool:
        return name in self.local or name in self._renamed

    def _free(self, node: ast.Name | ast.Attribute) -> Expression:
        meaning, shown = self._find_meaning(node), ast.unparse(node)
        match meaning:
            case None:
                return Constant(0)
            case KnownConstant():
                return Constant(meaning.value)
            case Unusable():
                return self.refuse(node, meaning.what, meaning.fix)
            case Namespace():
                return self.refuse(node, f"{shown} is a module, not a value", "use a name of it")
        return self.refuse(node, f"{shown} is a function, not a value", f"call it: {shown}(…)")

    def _find_meaning(self, node: ast.expr) -> Meaning | None:
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
        return self._apply(node, values.build_table, *parts)

    def _compare(self, node: ast.Compare) -> Expression:
        left = self.lower(node.left)

        def compare(operator: ast.cmpop, comparator: ast.expr) -> Expression:
            nonlocal left
            if isinstance(operator, ast.In | ast.NotIn):
                self._used_at_once[id(comparator)] = "list"
            # A middle operand is lowered once and stands in both comparisons: what it draws is drawn once.
            function, before, left = COMPARE.get(type(operator).__name__), left, self.lower(comparator)
            if function is None:
                return self.refuse(node, *refusal(operator))
            return Apply(function, (before, left), self.place(node))

        pairs = zip(node.ops, node.comparators, strict=True)
        return self._short_circuit(node, "and", [partial(compare, *pair) for pair in pairs])

    def _short_circuit(
        self, node: ast.expr, how: Literal["and", "or"], parts: Sequence[Callable[[], Expression]]
    ) -> Expression:
        """``and`` or ``or``; what a part draws or asks happens only if the parts before it did not decide."""
        place, found = self.place(node), [parts[0]()]
        if len(parts) == 1:
            return found[0]
        # Built as branches first: only lowering the parts tells whether one
        # of them draws. If none does, it is taken back.
        builder, pure, decided = self.builder, True, LooseEnds()
        size, ends, result = len(builder.instructions), builder.ends, self.fresh(how, place)
        for part in parts[1:]:
            builder.assign(result, found[-1], place)
            then, otherwise = builder.branch(Variable(result, place), place)
            builder.ends, left = (then, otherwise) if how == "and" else (otherwise, then)
            decided += left
            before = len(builder.instructions)
            found.append(part())
            pure = pure and len(builder.instructions) == before
        if pure:
            builder.take_back(size, ends)
            return Decide(how, tuple(found))
        builder.assign(result, found[-1], place)
        builder.ends += decided
        return Variable(result, place)

    def _conditional(self, node: ast.IfExp) -> Expression:
        test, place, builder = self.lower(node.test), self.place(node), self.builder
        size, ends, result = len(builder.instructions), builder.ends, self.fresh("if", place)
        then, otherwise = builder.branch(test, place)
        arms, done = list[Expression](), LooseEnds()
        for part, entered in ((node.body, then), (node.orelse, otherwise)):
            builder.ends = entered
            arms.append(self.lower(part))
            builder.assign(result, arms[-1], place)
            done += builder.ends
        if len(builder.instructions) == size + 3:  # the branch and two assignments alone
            builder.take_back(size, ends)
            return Decide("if", (test, *arms))
        builder.ends = done
        return Variable(result, place)

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp, name: str) -> Expression:
        """``name(element for …)`` as a loop that keeps no more than it must; ``any`` and ``all`` end it early."""
        place, outer, builder = self.place(node), self._renamed, self.builder
        result = self.fresh(name, place)
        function, initial, outcome = FOLDS[name]
        so_far, decided, start = Variable(result, place), LooseEnds(), len(builder.instructions)
        builder.assign(result, Constant(initial), place)

        def accumulate() -> None:
            element = self.lower(node.elt)
            if function is not None:
                builder.assign(result, Apply(function, (so_far, element), place), place)
                return
            then, otherwise = builder.branch(element, place)  # any, all
            builder.ends, going_on = (otherwise, then) if initial else (then, otherwise)
            builder.assign(result, Constant(not initial), place)
            decided.extend(builder.ends)
            builder.ends = going_on

        def turns(number: int) -> None:
            """The loops from ``for`` number ``number`` on."""
            if number == len(node.generators):
                accumulate()
                return
            generator = node.generators[number]
            if generator.is_async:
                self.refuse(generator.target, "`async` is not in the language", "write a plain `for`")
            here, items = self.place(generator.target), self._iterate(generator.iter)
            stored = (n for n in ast.walk(generator.target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
            names = {n.id: self.fresh(n.id, self.place(n)) for n in stored}
            self._renamed = {**self._renamed, **names}

            def body(head: int) -> None:
                for condition in generator.ifs:
                    then, builder.ends = builder.branch(self.lower(condition), here)
                    builder.lead_to(head)
                    builder.ends = then
                turns(number + 1)

            self._turns(generator.target, self.fresh("in", here), items, here, body, names)

        turns(0)
        builder.ends += decided
        builder.end_stretch(start, place)
        self._renamed = outer
        return so_far if outcome is None else Apply(outcome, (so_far,), place)

    def _iterate(self, node: ast.expr) -> Expression:
        self._used_at_once[id(node)] = "iterator"
        return Apply(values.iterate, (self.lower(node),), self.place(node), quick=True)

    # Calls.

    def _call(self, node: ast.Call) -> Expression:
        if not isinstance(node.func, ast.Name | ast.Attribute):
            return self.refuse(node.func)
        name = ast.unparse(node.func)
        if self._is_variable(name):
            what = f"{name} is a variable here, and variables cannot be called"
            return self.refuse(node, what, "rename the variable")
        meaning = self._find_meaning(node.func)
        match meaning:
            case None:
                return Constant(0)
            case Unusable():
                return self.refuse(node.func, meaning.what, meaning.fix)
            case Helper():
                return self._helper(node, meaning.program)
            case Function("announce"):
                return self.refuse(node, "announce(…) has no value", "write it on a line of its own")
            case Function("ask"):
                return self._ask(node)
            case Function(own) if own in DRAWS:
                return self._draw(node, own)
            case Function(own) if own in BUILTINS:
                return self._builtin(node, own)
        what = "a constant" if isinstance(meaning, KnownConstant) else "not a function of the language"
        return self.refuse(node, f"{name} is {what} and cannot be called", "call a program or a builtin")

    def _builtin(self, node: ast.Call, name: str) -> Expression:
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
                function = values.zipped_strictly if keyword.value.value else function
            else:
                return self.refuse(node, f"{name}() takes no keywords here", "give plain arguments")
        if len(arguments) == 1 and isinstance(arguments[0], ast.GeneratorExp) and name in (*FOLDS, "sorted"):
            folded = self._comprehension(arguments[0], "tuple" if name == "sorted" else name)
            return Apply(function, (folded,), self.place(node)) if name == "sorted" else folded
        if name == "len" or (name in ITERATING and (len(arguments) == 1 or name in GIVES_ITERATOR)):
            self._used_at_once.update((id(argument), "list" if name == "len" else "iterator") for argument in node.args)
        if not least <= len(arguments) <= most:
            takes = f"{least}" if least == most else f"{least} to {most}" if most < 9 else f"at least {least}"
            return self.refuse(node, f"{name}() takes {takes} arguments, not {len(arguments)}", "correct the call")
        return self._apply(node, function, *arguments)

    def _draw(self, node: ast.Call, name: str) -> Expression:
        distribution, parameters, defaults = DRAWS[name]
        given = self._bind(node, name, parameters, defaults)
        if given is None:
            return Constant(0)
        place = self.place(node)
        result, reads = self.fresh(name, place), tuple(given[parameter] for parameter in parameters)
        self.builder.add(Instruction(Kind.DRAW, place, reads=reads, writes=(result,), distribution=distribution))
        return Variable(result, place)

    def _ask(self, node: ast.Call) -> Expression:
        if node.keywords or not node.args:
            what = "takes no keywords" if node.keywords else "has no options"
            return self.refuse(node, f"ask() {what}", "give the options: ask('low', 'high')")
        stars = tuple(isinstance(argument, ast.Starred) for argument in node.args)
        inner = [argument.value if isinstance(argument, ast.Starred) else argument for argument in node.args]
        self._used_at_once.update((id(part), "iterator") for part, star in zip(inner, stars, strict=True) if star)
        place = self.place(node)
        options = Apply(values.spread, (Constant(stars), *map(self.lower, inner)), place)
        result = self.fresh("ask", place)
        self.add(Kind.ASK, place, options, writes=(result,))
        return Variable(result, place)

    def _helper(self, node: ast.Call, program: Program) -> Expression:
        defaults = {p.name: p.default for p in program.parameters if p.default is not None}
        given = self._bind(node, program.name, [p.name for p in program.parameters], defaults)
        if given is None:
            return Constant(0)
        place, graph = self.place(node), program.graph
        prefix = self.fresh(program.name, place) + "."
        result = prefix + "return"
        # A call inside a loop has the same variables at each turn, and must not see what they held at the last.
        self.add(Kind.FORGET, place, writes=(*sorted(prefix + name for name in graph.assigned), result))
        for name, value in reversed(given.items()):
            self.builder.assign(prefix + name, value, place)
        self.builder.add_helper(graph, prefix, result)
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

    # Statements.

    def block(self, statements: Sequence[ast.stmt]) -> None:
        """Add the statements, one after the other."""
        if statements and self._nesting >= MAX_NESTING:
            what = f"blocks nested more than {MAX_NESTING} deep"
            self.refuse(statements[0], what, "move the inner ones to a helper")
            return
        self._nesting += 1
        for statement in statements:
            self._statement(statement)
        self._nesting -= 1

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.If():
                self._if(node)
            case ast.While():
                self._while(node)
            case ast.For():
                self._for(node)
            case ast.Break() if self._loops:
                self._loops[-1].left.extend(self.builder.ends)
                self.builder.ends = []
            case ast.Continue() if self._loops:
                self.builder.lead_to(self._loops[-1].head)
            case ast.Pass():
                pass
            case ast.Return():
                self.add(Kind.RETURN, self.place(node), *(() if node.value is None else (self.lower(node.value),)))
            case ast.Expr():
                self._expression_statement(node)
            case ast.Assign():
                self._assign(node.targets, self.lower(node.value))
            case ast.AnnAssign(value=ast.expr() as given):
                self._assign([node.target], self.lower(given))
            case ast.AugAssign():
                self._augment(node)
            case ast.Assert():
                self._assert(node)
            case _:
                self.refuse(node)

    def _assign(self, targets: Sequence[ast.expr], value: Expression) -> None:
        if len(targets) > 1:
            # One value for all targets: a draw on the right happens once.
            place = self.place(targets[0])
            shared = self.fresh("value", place)
            self.builder.assign(shared, value, place)
            value = Variable(shared, place)
        for target in targets:
            self._store(target, value)

    def _store(self, target: ast.expr, value: Expression, names: Mapping[str, str] = NO_NAMES) -> None:
        """``target = value``; ``names`` are the variables of a comprehension, under which its targets are stored."""
        place = self.place(target)
        match target:
            case ast.Name():
                self.builder.assign(names.get(target.id, target.id), value, place)
            case ast.Tuple() | ast.List():
                whole = self.fresh("parts", place)
                self.builder.assign(whole, Apply(values.unpack, (value, Constant(len(target.elts))), place), place)
                for number, part in enumerate(target.elts):
                    piece = Apply(values.subscript, (Variable(whole, place), Constant(number)), place, quick=True)
                    self._store(part, piece, names)
            case ast.Subscript():
                what = "assigning to a part is not in the language: values do not change"
                self.refuse(target, what, "write d = d | {key: value}, or t = t[:i] + (value,) + t[i + 1:]")
            case _:
                self.refuse(target)

    def _augment(self, node: ast.AugAssign) -> None:
        right = self.lower(node.value)
        # Python changes a dict in place by |=, under all its names; we would not, so it is refused.
        in_place = isinstance(node.op, ast.BitOr)
        function = values.join_not_in_place if in_place else BINARY.get(type(node.op).__name__)
        if function is None:
            self.refuse(node, *refusal(node.op))
        elif isinstance(node.target, ast.Name):
            left = Variable(node.target.id, self.place(node.target))
            self.builder.assign(node.target.id, Apply(function, (left, right), self.place(node)), self.place(node))
        else:
            self._store(node.target, right)

    def _assert(self, node: ast.Assert) -> None:
        place = self.place(node)
        says = node.msg.value if isinstance(node.msg, ast.Constant) and isinstance(node.msg.value, str) else ""
        if node.msg is not None and not says:
            self.refuse(node.msg, "the message of an `assert` is plain text", "write it out, or leave it away")
        text = (Constant(ast.unparse(node.test)[:80]), Constant(says[:200]))
        checked = Apply(values.check_assertion, (self.lower(node.test), *text), place)
        self.builder.assign(self.fresh("assert", place), checked, place)

    def _expression_statement(self, node: ast.Expr) -> None:
        call = node.value
        if isinstance(call, ast.Constant) and isinstance(call.value, str):
            return  # a docstring, or a comment written as text
        known = len(self.defects)
        meaning: Meaning | None = KnownConstant(0)
        function = call.func if isinstance(call, ast.Call) else None
        if isinstance(function, ast.Attribute) or (
            isinstance(function, ast.Name) and not self._is_variable(function.id)
        ):
            meaning = self._find_meaning(function)
        if isinstance(call, ast.Call) and meaning == Function("announce"):
            given = self._bind(call, "announce", ("value",), {})
            if given is not None:
                self.add(Kind.ANNOUNCE, self.place(call), given["value"])
            return
        self.lower(call)
        # Waiting is an effect of its own, and a helper may have one.
        effect = meaning is None or meaning == Function("ask") or isinstance(meaning, Helper | Unusable)
        if not effect and len(self.defects) == known:
            self.refuse(node, "the value of this line is not used", "assign it, announce it, or drop the line")

    def _if(self, node: ast.If) -> None:
        # A chain of `elif`s is walked, not recursed into: it may be long.
        done = LooseEnds()
        while True:
            self.builder.ends, otherwise = self.builder.branch(self.lower(node.test), self.place(node))
            self.block(node.body)
            done += self.builder.ends
            self.builder.ends = otherwise
            if len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If):
                break
            node = node.orelse[0]
        self.block(node.orelse)
        self.builder.ends += done

    def _while(self, node: ast.While) -> None:
        place = self.place(node)
        head = self.add(Kind.JUMP, place)
        self.builder.ends, over = self.builder.branch(self.lower(node.test), place)
        left = self._body(node.body, head)
        self.builder.ends = over
        self.block(node.orelse)
        self.builder.ends += left

    def _for(self, node: ast.For) -> None:
        items, coming = self._iterate(node.iter), self.builder.fresh(f"{ast.unparse(node.target)} in")
        left = LooseEnds()
        self._turns(node.target, coming, items, self.place(node), lambda head: left.extend(self._body(node.body, head)))
        self.block(node.orelse)
        self.builder.ends += left

    def _body(self, statements: Sequence[ast.stmt], head: int) -> LooseEnds:
        """Add what a loop repeats; the ends where ``break`` left it."""
        self._loops.append(_Loop(head, LooseEnds()))
        self.block(statements)
        self.builder.lead_to(head)
        return self._loops.pop().left

    def _turns(
        self,
        target: ast.expr,
        coming: str,
        items: Expression,
        place: Place,
        body: Callable[[int], None],
        names: Mapping[str, str] = NO_NAMES,
    ) -> None:
        """A loop over ``items``: as long as any is ``coming``, the next is stored, and the body follows."""
        self.builder.assign(coming, items, place)
        head = self.add(Kind.JUMP, place)
        item = names.get(target.id, target.id) if isinstance(target, ast.Name) else self.fresh("turn", place)
        turn = self.add(Kind.TURN, place, Variable(coming, place), writes=(item, coming))
        if not isinstance(target, ast.Name):
            self._store(target, Variable(item, place), names)
        body(head)
        self.builder.lead_to(head)
        self.builder.ends = [(turn, "otherwise")]
