"""A protocol written as a Python function, and the labelled Markov chain that it means.

A program comes from a function that is decorated, or from a file or text that is parsed and never run; values that the
command line gives are read here, too, by the language's own expressions.

A state of the chain is a letter with the configuration after it; a transition goes to the next announcement, to the end
of the run, or to divergence. Each secret has a start state of its own, all with the label ``start``. A question is a
state too: its label is the prompt, which shows the options, and its inputs are the options; what was announced before
it has been seen by then. The end and divergence are absorbing states with labels of their own, ``end`` and
``diverges``: an observer sees that a run is over, or that nothing will come any more.
"""

from __future__ import annotations

import ast
import inspect
import io
import pickle
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import partial
from itertools import combinations, islice
from pathlib import Path
from textwrap import dedent
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ..cancel import Cancel
from ..draws.source import DrawSource, in_force
from ..errors import Defect, InputError
from ..model import Chain
from ..model.sandwich import Sandwich
from ..parameters import AS_SECRETS, NamedSecrets, Neighbours, Secret, Secrets, accept_spellings, list_secrets
from .language.graph import Graph
from .language.lower import lower_function
from .language.names import (
    DECORATOR,
    FileNames,
    Helper,
    KnownConstant,
    Meaning,
    NameScope,
    Unusable,
    literal,
    live_names,
    live_value,
    unbound,
)
from .language.source import Problem, ProgramError, Source, find_definition, parse, read_source, suggestion
from .language.values import (
    KINDS,
    OPERATIONS,
    FrozenTable,
    Value,
    as_value,
    identity,
    kind,
    operation_at,
    show,
    show_letter,
)
from .noise.noisy import NotFollowed
from .noise.phases import Phases
from .run.events import Accuracy, with_event
from .run.explore import END, Explorer, NoiseWithoutEnd
from .run.kept import KeptNoise, Plan, follow_kept
from .run.running import Runner, whole_word
from .run.states import States
from .secrets.domains import Domain
from .secrets.relation import neighbouring
from .secrets.translates import MANY_PAIRS, representatives
from .secrets.valuations import record_values

if TYPE_CHECKING:
    from ..draws.walks import Observer

MAX_STATES = 100_000
"""How many states a chain may have unless the caller says otherwise."""

FIRST_APART, MOST_APART = 8, 256
"""How many numbers are told apart in the second of ever narrower sandwiches, and in the last."""

MOST_PAIRS = 1_000_000
"""How many pairs of secrets a chain may relate where no rule says which."""

TEXT = "<text>"
"""What stands for a file name where a program is given as text."""

Relate = Callable[[Sequence[Mapping[str, Value]], Sequence[str]], Sequence[tuple[int, int]]]
"""From the values of all parameters under each secret, and the names of the secrets, to the pairs that are related."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a program; ``default`` is None when it must be given."""

    name: str
    default: Value | None = None
    declared: str = ""
    """The type that its annotation names, if that is a type of values: a secret or constant of another is refused."""
    choices: tuple[Value, ...] = ()
    """All its values, where the annotation lists them, ``bool`` or ``Literal["a", "b"]``: a domain by itself."""
    entries: int | None = None
    """Where the annotation is ``int``, 0; where it is ``tuple[int, int]``, and the like, how many ints; else None."""


@dataclass(frozen=True, slots=True)
class Bindings:
    """The values that a program is explored with."""

    names: tuple[str, ...]
    """One name a secret, as in ``paying=0``."""
    environments: tuple[dict[str, Value], ...]
    """One environment a secret: the values of all parameters."""
    fixed: dict[str, Value]
    """The parameters that no secret names: the same value in every environment."""


DECLARED: dict[str, tuple[type, ...]] = {
    "bool": (bool,),
    "dict": (FrozenTable,),
    "Fraction": (int, Fraction),
    "int": (int,),
    "range": (range,),
    "str": (str,),
    "tuple": (tuple,),
}
"""Name of an annotation → the types of the values that it admits."""


class _Packer(pickle.Pickler):
    """Packs a graph, and the operations in it by their place in their table: many are closures, which have no name."""

    def reducer_override(self, found: object) -> Any:
        """A function of the tables, or as ever."""
        place = OPERATIONS.get(found) if isinstance(found, FunctionType) else None
        return NotImplemented if place is None else (operation_at, place)


def _unpack(packed: bytes) -> Program:
    return Program(*pickle.loads(packed))  # noqa: S301 - as trusted as the pickle that it is in


@dataclass(frozen=True, eq=False, repr=False)
class Program:
    """A checked program; `chain` gives its Markov chain, and `run` one run. It is never run as Python."""

    name: str
    parameters: tuple[Parameter, ...]
    source: str
    """The text of the function."""
    file: str
    line: int
    graph: Graph

    def __repr__(self) -> str:
        """The program as it is declared: ``<program dining(paying, n=3)>``."""
        declared = (p.name if p.default is None else f"{p.name}={show(p.default)}" for p in self.parameters)
        return f"<program {self.name}({', '.join(declared)})>"

    def __reduce__(self) -> tuple[Callable[[bytes], Program], tuple[bytes]]:
        packed = io.BytesIO()
        _Packer(packed, pickle.HIGHEST_PROTOCOL).dump([getattr(self, each.name) for each in fields(self)])
        return _unpack, (packed.getvalue(),)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:  # noqa: ARG002
        """Programs are not called: this explains what to do instead."""
        first = self.parameters[0].name if self.parameters else ""
        example = f"{self.name}.chain(secrets=[dict({first}=…), dict({first}=…)])"
        run = f"{self.name}.run({first}=…)" if first else f"{self.name}.run()"
        what = f"{self.name} is a program: it is compiled, not called; use {example} or {run}, or call it in a program"
        raise ProgramError(what)

    @accept_spellings
    def chain(
        self,
        secrets: Secrets | None = None,
        *,
        constants: Mapping[str, object] | None = None,
        neighbours: Neighbours | None = None,
        max_states: int = MAX_STATES,
        cancel: Cancel | None = None,
    ) -> Chain:
        """The program's chain: one start state per secret, in the order given.

        Rows are exact; where probabilities are irrational they are enclosed, with what they are exactly if that is
        known (docs/programs.md, Numbers).

        Args:
            secrets: The values of some parameters, a mapping for each secret, in a list or by a name of its own,
                ``{"with Ann": {…}, "without": {…}}``; parameters whose annotation names all their values, ``bool`` or
                ``Literal["a", "b"]``, need none.
            constants: The values of other parameters, the same for all secrets; defaults give the rest.
            neighbours: Which secrets are compared: a rule as in `load`, such as ``"linf 1"``, or a function of two
                secrets, asked in both orders; without it, all are.
            max_states: How many states the chain may have. What is explored between announcements, the transitions
                and the steps are bounded in proportion (docs/programs.md, Limits).
            cancel: Where progress goes, and what may end the work.

        Raises:
            ProgramError: Values do not fit the parameters (all defects at once); something goes wrong in a reachable
                configuration (division by zero, a probability above 1, …); a budget runs out.
            Stopped: It was cancelled.
        """
        given = {"constants": constants, "neighbours": neighbours, "max_states": max_states, "cancel": cancel}
        return self.chain_with_notes(secrets, **given)[0]  # type: ignore[arg-type]

    def chain_with_notes(
        self,
        secrets: Secrets | None = None,
        *,
        constants: Mapping[str, object] | None = None,
        neighbours: Neighbours | None = None,
        relate: Relate | None = None,
        max_states: int = MAX_STATES,
        cancel: Cancel | None = None,
    ) -> tuple[Chain, tuple[str, ...]]:
        """As `chain`, with what was done with irrational numbers and unbounded noise, in words.

        ``relate`` chooses the pairs of all secrets at once, in place of ``neighbours``.
        """
        bindings, pairs = self._bindings(secrets, constants or {}, neighbours, relate, max_states, cancel)
        states = _states(self._bound(bindings.fixed), max_states, cancel or Cancel(), bindings.environments)
        return _chain_of(states, bindings, pairs), tuple(states.notes)

    def _bindings(
        self,
        secrets: Secrets | None,
        constants: Mapping[str, object],
        neighbours: Neighbours | None,
        relate: Relate | None,
        max_states: int,
        cancel: Cancel | None,
    ) -> tuple[Bindings, tuple[tuple[int, int], ...]]:
        """The values of all parameters under each secret, and the pairs of secrets that are compared."""
        if isinstance(max_states, bool) or not isinstance(max_states, int) or max_states < 1:
            raise InputError(f"max_states is {max_states!r}: give a positive int")
        secrets = self.secrets(secrets, constants)
        if isinstance(neighbours, str):
            relate, neighbours = partial(neighbouring, rule=neighbours, cancel=cancel), None
        _refuse_many(secrets, max_states, every_two=neighbours is None and relate is None)
        bindings = bind_secrets(self.name, self.parameters, secrets, constants)
        # Before the work: no pairs, or too many, are soon found out.
        pairs = relate_secrets(secrets, neighbours) if relate is None else relate(bindings.environments, bindings.names)
        return bindings, tuple(pairs)

    def without_translates(
        self,
        secrets: Sequence[Secret],
        *,
        relate: Relate,
        constants: Mapping[str, object] | None = None,
        max_states: int = MAX_STATES,
    ) -> tuple[Sequence[Secret], Relate, int]:
        """The secrets of pairs that no other of many is a translate of, what relates them, and how many were left out.

        Raises ProgramError: as of `chain`.
        """
        _refuse_many(secrets, max_states)
        bindings = bind_secrets(self.name, self.parameters, secrets, constants or {})
        pairs = tuple(relate(bindings.environments, bindings.names))
        chosen = pairs
        if len(pairs) > MANY_PAIRS:
            chosen = tuple(representatives(self._bound(bindings.fixed), bindings.environments, pairs))
        if len(chosen) < len(pairs):
            kept = sorted({number for pair in chosen for number in pair})
            place = {number: n for n, number in enumerate(kept)}
            secrets, chosen = [secrets[number] for number in kept], tuple((place[a], place[b]) for a, b in chosen)
        return secrets, lambda _values, _names: chosen, len(pairs) - len(chosen)

    def sandwich(
        self,
        secrets: Secrets | None = None,
        *,
        constants: Mapping[str, object] | None = None,
        neighbours: Neighbours | None = None,
        relate: Relate | None = None,
        apart: int = 0,
        cut_off: bool = False,
        max_states: int = MAX_STATES,
        cancel: Cancel | None = None,
    ) -> Sandwich:
        """Two chains of the same states and rows that the mechanism lies between, with nothing cut off.

        Where tails of announced noise have several ratios, a tail is several letters. Those of the fine chain tell an
        observer at least as much as what is announced, so that its δ, and every other divergence, is at least that of
        the mechanism; those of the coarse chain tell at most as much (`programs.noise.phases`). Where each tail has one
        ratio the two are one chain, that of `chain`.

        Args:
            secrets: As of `chain`.
            constants: As of `chain`.
            neighbours: As of `chain`.
            relate: As of `chain_with_notes`.
            apart: How many numbers more, on either side, are letters of their own. The more, the closer the two.
            cut_off: Whether noise that is not followed exactly is cut off: both are then the chain of `chain`.
            max_states: As of `chain`.
            cancel: As of `chain`.

        Raises:
            ProgramError: As of `chain`; or the program's noise is not followed exactly, and why, unless ``cut_off``.
            Stopped: It was cancelled.
        """
        bindings, pairs = self._bindings(secrets, constants or {}, neighbours, relate, max_states, cancel)
        graph, environments = self._bound(bindings.fixed), bindings.environments
        watched = cancel or Cancel()
        states = _without_kept_noise(graph, max_states, watched, environments)
        if states is None or states.cut_off:
            try:
                states = _with_phases(graph, max_states, watched, environments, apart)
            except NotFollowed as reason:
                if not cut_off:
                    what = f"its noise is not followed exactly: {reason}"
                    raise ProgramError(Defect(self.name, what, KEPT_WHOLE)) from None
                states = states or _kept_or_cut_off(graph, max_states, watched, environments)
        return _sandwich_of(states, bindings, pairs)

    def sandwiches(
        self,
        secrets: Secrets | None = None,
        first: Sandwich | None = None,
        *,
        constants: Mapping[str, object] | None = None,
        neighbours: Neighbours | None = None,
        relate: Relate | None = None,
        max_states: int = MAX_STATES,
        cancel: Cancel | None = None,
    ) -> Iterator[Sandwich]:
        """Ever narrower ones, with twice as many numbers told apart each time: up to `MOST_APART`, or one exact one.

        With ``first``, that is the first of them; the options are those of `sandwich`. Where telling more numbers apart
        leads too far, the one before was the last.
        """
        about = {"constants": constants, "neighbours": neighbours, "relate": relate, "max_states": max_states}
        found = self.sandwich(secrets, **about, cancel=cancel) if first is None else first  # type: ignore[arg-type]
        yield found
        if found.exact:
            return
        bindings, pairs = self._bindings(secrets, constants or {}, neighbours, relate, max_states, cancel)
        graph, watched, apart = self._bound(bindings.fixed), cancel or Cancel(), FIRST_APART
        while apart <= MOST_APART:
            try:
                states = _with_phases(graph, max_states, watched, bindings.environments, apart)
            except (NotFollowed, ProgramError):
                return
            yield _sandwich_of(states, bindings, pairs)
            apart *= 2

    def fine_and_coarse(self, secrets: Secrets | None = None, **options: Any) -> tuple[Chain, Chain, tuple[str, ...]]:
        """The two chains of `sandwich`, whose ``options`` are taken, and how they were made, in words."""
        found = self.sandwich(secrets, **options)
        return found.fine, found.coarse, found.notes

    def accuracy(
        self,
        event: str,
        secrets: Secrets | None = None,
        *,
        constants: Mapping[str, object] | None = None,
        max_states: int = MAX_STATES,
        cancel: Cancel | None = None,
    ) -> Accuracy:
        """How likely an event of a run is at least, whatever the secret.

        Args:
            event: A condition in the language of programs about ``output``, the last value that a run announces, or
                ``outputs``, a tuple of all of them, and the parameters as they were given:
                ``"abs(output - count) <= 3"``. It does not hold in a run that announces nothing or never ends.
            secrets: As of `chain`.
            constants: As of `chain`.
            max_states: As of `chain`.
            cancel: Where progress goes, and what may end the work.

        Raises:
            ProgramError: The event is not a condition about what is announced; the observer is asked; as of `chain`.
            Stopped: It was cancelled.

        >>> noisy = program("def noisy(count): announce(count + geometric('1/2'))")
        >>> found = noisy.accuracy("abs(output - count) <= 3", [{"count": 0}, {"count": 1}])
        >>> found.lower == found.upper == 1 - Fraction(2, 3) * Fraction(1, 2) ** 3
        True
        """
        graph = with_event(self.graph, event, [parameter.name for parameter in self.parameters])
        secrets = self.secrets(secrets, constants or {})
        _refuse_many(secrets, max_states)
        bindings = bind_secrets(self.name, self.parameters, secrets, constants or {})
        bound = _fix(graph, bindings.fixed)
        states = _states(bound, max_states, cancel or Cancel(), bindings.environments)
        rows = states.rows()  # which notes where runs diverge, so that there is a label for it
        return Accuracy.of(event, bindings.names, states.labels, rows)

    def constant_values(self, constants: Mapping[str, object]) -> dict[str, Value]:
        """The values of parameters that are given as constants, or have defaults; ProgramError if one does not fit."""
        defects: list[Defect] = []
        values = _read("constants", constants, self.parameters, defects)
        if defects:
            raise ProgramError(defects)
        return {p.name: p.default for p in self.parameters if p.default is not None} | values

    def _bound(self, fixed: Mapping[str, Value]) -> Graph:
        """The graph for fixed values of some parameters, as it runs by itself."""
        return _fix(self.graph, fixed)

    def run(
        self,
        secret: Secret | None = None,
        /,
        *,
        source: DrawSource | None = None,
        answer: Observer | None = None,
        steps: int | None = None,
        cancel: Cancel | None = None,
        **parameters: object,
    ) -> tuple[str, ...] | Iterator[str]:
        """The letters of one run, drawn exactly: what is announced, then ``diverges`` if nothing comes any more.

        What runs is the graph that `chain` explores, and not the text of the function as Python would run it. Where
        the observer is asked, the prompt and the answer are among the letters. A program that has no end, as ``while
        True`` without a way out, gives a generator of its letters, unless ``steps`` is given.

        Args:
            secret: The values of parameters, where their names are not keywords: ``run({"source": 1})``.
            source: What draws; by default what is in force, which is the system's entropy unless `using` says
                otherwise. ``seeded(1)`` makes the same run each time.
            answer: The observer: ``answer(options, word)`` names one of the options, having seen the word so far.
            steps: How many letters are wanted at most; the run is left when there are so many.
            cancel: Where progress goes, and what may end the work.
            parameters: The values of the parameters; defaults give the rest.

        Raises:
            ProgramError: Values do not fit the parameters; something goes wrong on the way; nobody answers.
            Stopped: It was cancelled.

        >>> from deltachain.draws import seeded
        >>> survey = program("def survey(truth): announce(truth if flip('3/4') else not truth)")
        >>> survey.run(truth=True, source=seeded(1))
        ('True',)
        """
        if steps is not None and (isinstance(steps, bool) or not isinstance(steps, int) or steps < 0):
            raise InputError(f"steps is {steps!r}: give how many letters are wanted, an int")
        runner, values = self.runner({**(secret or {}), **parameters}, cancel)
        word = runner.word(values, in_force() if source is None else source, answer)
        if steps is None and not runner.ends:
            return islice(word, 1, None)
        letters = whole_word(self.name, word, steps)
        return letters[:-1] if letters[-1:] == (END,) else letters

    def runner(self, secret: Secret, cancel: Cancel | None = None) -> tuple[Runner, Mapping[str, Value]]:
        """What runs the program with these values, again and again, and the values as it takes them."""
        if not isinstance(secret, Mapping):
            raise ProgramError(Defect("secret", f"{type(secret).__name__} is not a mapping", "give a dict"))
        bindings = bind_secrets(self.name, self.parameters, [secret], {})
        (values,) = bindings.environments
        return Runner(self._bound(bindings.fixed), _numeric([values]), cancel), values

    def secrets(self, given: Secrets | None, constants: Mapping[str, object]) -> Sequence[Secret]:
        """The secrets given; of a domain, or of none, with every value of the parameters that name all of theirs.

        A parameter that has a default, or a value among the constants, is none of these.
        """
        if given is not None and not isinstance(given, Domain):
            return list_secrets(given)
        known = constants if given is None else {**constants, **given.columns}
        more = {p.name: p.choices for p in self.parameters if p.choices and p.default is None and p.name not in known}
        if given is None:
            return Domain(more) if more else []
        return given.times(more)


# From a function or a text.


def program(function: Callable[..., object] | str) -> Program:
    """Compile a protocol that is written as a Python function; used as a decorator, or called with the text of one.

    The function is read from its source file and never run. Everything that is not in the language (see
    docs/programs.md) is reported at once, each with file, line, column and the fix: `ProgramError`. When given
    as text, the last function is the program; it needs no decorator. Those that it calls stand above it with theirs.

    >>> program("def coin(bias): announce(flip(bias))")
    <program coin(bias)>
    """
    if isinstance(function, str):
        return _program_of_text(function)
    if not isinstance(function, FunctionType):
        kind = type(function).__name__
        raise ProgramError(f"@program needs a plain function or the text of one, not {kind}: decorate a `def`")
    source, node = find_definition(function)
    return _compile(node, source, live_names(function, _ours, source), lambda: _live_parameters(function, node, source))


def _ours(thing: object) -> Meaning | None:
    """What a Python object means that is a program, or makes one."""
    return Helper(thing) if isinstance(thing, Program) else DECORATOR if thing is program else None


def program_names(path: str | Path) -> tuple[str, ...]:
    """The programs that a file defines at its top level, in order."""
    return _names_of(read_source(path)).programs


def load_program(path: str | Path, name: str) -> Program:
    """The program ``name`` of a Python file, which is parsed and not run.

    Raises ProgramError: the file cannot be read or parsed, has no such program, or the program (or a helper
    of it) is not in the language; every defect with file, line and column.
    """
    return _names_of(read_source(path)).program(name)


def _program_of_text(text: str) -> Program:
    source = parse(dedent(text), TEXT)
    names = _names_of(source)
    functions = [node for node in source.module.body if isinstance(node, ast.FunctionDef)]
    if not functions:
        raise ProgramError(Defect(TEXT, "it defines no function", "write def protocol(secret): …"))
    return _write(functions[-1], source, names)


def _names_of(source: Source) -> FileNames:
    names = FileNames(source, lambda node: _write(node, source, names))
    return names


def _write(node: ast.FunctionDef, source: Source, names: FileNames) -> Program:
    return _compile(node, source, names.scope_at(node), lambda: _written_parameters(node, source, names))


def _compile(
    node: ast.FunctionDef, source: Source, scope: NameScope, find_parameters: Callable[[], tuple[Parameter, ...]]
) -> Program:
    """The program of a definition; ProgramError with the defects of its parameters and of its body."""
    try:
        parameters = find_parameters()
    except ProgramError as first:
        try:
            lower_function(node, source, scope)
        except ProgramError as second:
            raise ProgramError([*first.defects, *second.defects]) from None
        raise
    graph = lower_function(node, source, scope)
    return Program(node.name, parameters, source.text(node), source.file, node.lineno, graph)


def _declared_type(annotation: ast.expr | None) -> str:
    """The type of values that an annotation names, or nothing."""
    return annotation.id if isinstance(annotation, ast.Name) and annotation.id in DECLARED else ""


def _choices(annotation: ast.expr | None, source: Source) -> tuple[Value, ...]:
    """All values that an annotation allows, if it is ``bool`` or ``Literal[…]``; Problem if one is not a value."""
    match annotation:
        case ast.Name("bool"):
            return (False, True)
        case ast.Subscript(ast.Name("Literal") | ast.Attribute(ast.Name("typing"), "Literal"), inner):
            items = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            found = [literal(item, source, unbound) for item in items]
            return tuple({identity(value): value for value in found}.values())
    return ()


def _entries_of(annotation: ast.expr | None) -> int | None:
    """How many integers an annotation names: 0 for ``int`` itself, n for ``tuple[int, …]`` written out, else None."""
    match annotation:
        case ast.Name("int"):
            return 0
        case ast.Subscript(ast.Name("tuple"), ast.Tuple(items)) if all(_is_int(item) for item in items):
            return len(items) or None
        case ast.Subscript(ast.Name("tuple"), ast.Name("int")):
            return 1
    return None


def _is_int(annotation: ast.expr) -> bool:
    return isinstance(annotation, ast.Name) and annotation.id == "int"


def _live_parameters(function: FunctionType, node: ast.FunctionDef, source: Source) -> tuple[Parameter, ...]:
    """The parameters of a Python function, defaults as they are; ProgramError names those that are not values."""
    defaults = {name: p.default for name, p in inspect.signature(function).parameters.items()}

    def value(name: str, default: ast.expr) -> Value:
        try:
            return live_value(defaults[name], source)
        except Problem as problem:
            raise Problem(f"the default of {name!r}: {problem.what}", problem.fix, source.place(default)) from None

    return _parameters(node, source, value)


def _written_parameters(node: ast.FunctionDef, source: Source, names: FileNames) -> tuple[Parameter, ...]:
    """The parameters of a function of a file; a default is a literal, or a name that stands for one."""
    scope = names.scope_at(node)

    def value(_: str, default: ast.expr) -> Value:
        meaning = scope(default.id) if isinstance(default, ast.Name) else None
        if isinstance(meaning, Unusable):
            raise Problem(meaning.what, meaning.fix, source.place(default))
        return meaning.value if isinstance(meaning, KnownConstant) else literal(default, source, scope)

    return _parameters(node, source, value)


def _parameters(
    node: ast.FunctionDef, source: Source, value: Callable[[str, ast.expr], Value]
) -> tuple[Parameter, ...]:
    found: list[Parameter] = []
    defects: list[Defect] = []
    for name, annotation, default in _arguments(node):
        try:
            known = None if default is None else value(name, default)
            choices, entries = _choices(annotation, source), _entries_of(annotation)
            found.append(Parameter(name, known, _declared_type(annotation), choices, entries))
        except Problem as problem:
            defects.append(problem.defect())
        except ProgramError as error:
            defects += error.defects
    if defects:
        raise ProgramError(defects)
    return tuple(found)


def _arguments(node: ast.FunctionDef) -> list[tuple[str, ast.expr | None, ast.expr | None]]:
    """Parameter names with their annotations and defaults, which Python pairs from the right."""
    positional = [*node.args.posonlyargs, *node.args.args]
    without: list[ast.expr | None] = [None] * (len(positional) - len(node.args.defaults))
    defaults = [*without, *node.args.defaults, *node.args.kw_defaults]
    arguments = [*positional, *node.args.kwonlyargs]
    return [(a.arg, a.annotation, default) for a, default in zip(arguments, defaults, strict=True)]


# Values for the parameters, and their chain.


def _fix(graph: Graph, fixed: Mapping[str, Value]) -> Graph:
    known = {name: value for name, value in fixed.items() if name not in graph.assigned}
    return graph.with_constants(known).without_results()


KEPT_WHOLE = (
    "a smaller tail= leaves less out, noise that is only compared, or announced as x + noise, 2 * (x + noise) or "
    "(x + noise) // 8 and read again in sums alone, nothing"
)
"""What to do where the law of kept noise is not followed."""


def _chain_of(states: States, bindings: Bindings, pairs: tuple[tuple[int, int], ...]) -> Chain:
    """The chain of all states, with one start state for each secret."""
    moves = states.rows()
    starts = len(bindings.names)
    names = (*bindings.names, *states.names(bindings.names, starts))
    valuations = (*bindings.environments, *map(states.values, range(starts, len(states.states))))
    parts = (names, states.labels, moves, pairs, tuple(map(record_values, valuations)), states.inputs)
    known = states.concentration(pairs)
    return Chain(*parts, step_by_step=states.step_by_step, outputs=states.outputs, concentration=known)


def _sandwich_of(states: States, bindings: Bindings, pairs: tuple[tuple[int, int], ...]) -> Sandwich:
    """Both chains of all states."""
    fine = _chain_of(states, bindings, pairs)
    return Sandwich(fine, dict(states.coarse), frozenset(states.inner), tuple(states.notes))


def _with_phases(
    graph: Graph, max_states: int, cancel: Cancel, environments: Sequence[Mapping[str, Value]], apart: int
) -> States:
    """The states of the program with several letters for a tail where it needs them; NotFollowed if that is not all."""
    numeric = _numeric(environments)

    def keep(k: int, plan: Plan) -> States:
        explorer = KeptNoise(graph, max_states, cancel, numeric, base=k, plan=plan)
        return States(explorer, _entries(explorer, environments), phases=Phases(k, apart))

    return follow_kept(keep)


def _states(graph: Graph, max_states: int, cancel: Cancel, environments: Sequence[Mapping[str, Value]]) -> States:
    """The states of the program: with kept noise followed exactly where that can be done, else with noise cut off."""
    found = _without_kept_noise(graph, max_states, cancel, environments)
    return _kept_or_cut_off(graph, max_states, cancel, environments) if found is None else found


def _kept_or_cut_off(
    graph: Graph, max_states: int, cancel: Cancel, environments: Sequence[Mapping[str, Value]]
) -> States:
    """The states of a program that keeps noise."""
    numeric = _numeric(environments)

    def explore(explorer: Explorer, cut_because: str = "") -> States:
        return States(explorer, _entries(explorer, environments), cut_because)

    def keep(k: int, plan: Plan) -> States:
        return explore(KeptNoise(graph, max_states, cancel, numeric, base=k, plan=plan))

    try:
        return follow_kept(keep)
    except NotFollowed as reason:
        return explore(Explorer(graph, max_states, cancel, numeric), f"{reason}; {KEPT_WHOLE}")


def _without_kept_noise(
    graph: Graph, max_states: int, cancel: Cancel, environments: Sequence[Mapping[str, Value]]
) -> States | None:
    """The states of a program none of whose noise is kept, nor cut off but in what is announced; None of another."""
    try:
        explorer = Explorer(graph, max_states, cancel, _numeric(environments), cuts_off=False)
        return States(explorer, _entries(explorer, environments))
    except NoiseWithoutEnd:
        return None


def _entries(explorer: Explorer, environments: Sequence[Mapping[str, Value]]) -> list[int]:
    """Where a run first stops with each secret; ProgramError with all those that go wrong, or that are refused."""
    entries: list[int] = []
    defects: list[Defect] = []
    for values in environments:
        try:
            entries.append(explorer.enter(values))
        except ProgramError as error:
            defects += error.defects
    if defects:
        raise ProgramError(defects)
    return entries


def _numeric(environments: Sequence[Mapping[str, Value]]) -> frozenset[str]:
    """The parameters that are numbers, whatever the secret."""
    return frozenset(
        name for name in environments[0] if all(isinstance(given[name], int | Fraction) for given in environments)
    )


def _refuse_many(secrets: Sequence[Secret], max_states: int, *, every_two: bool = False) -> None:
    """ProgramError where secrets, or pairs of them, are too many to list: before anything is made of them."""
    count = len(secrets)
    if count > max_states:
        what = f"{count:,} secrets are {count:,} start states, and the limit is {max_states:,}"
        raise ProgramError(Defect("secrets", what, "give fewer, draw pairs with check --sample, or raise `max_states`"))
    pairs = count * (count - 1) // 2
    if every_two and pairs > MOST_PAIRS:
        what = f"{count:,} secrets are {pairs:,} pairs, and the limit is {MOST_PAIRS:,}"
        raise ProgramError(Defect("secrets", what, "say which are neighbours, or draw pairs with check --sample"))


def bind_secrets(
    program: str,
    parameters: Sequence[Parameter],
    secrets: Sequence[Mapping[str, object]],
    constants: Mapping[str, object],
) -> Bindings:
    """Values for every parameter under every secret; ProgramError with everything that does not fit."""
    defects: list[Defect] = []
    if not isinstance(constants, Mapping):
        raise ProgramError(
            Defect("constants", f"{type(constants).__name__} is not a mapping", "give a dict {name: value}")
        )
    listed = not isinstance(secrets, Mapping | str) and all(isinstance(secret, Mapping) for secret in secrets)
    if not listed or not secrets:
        what = "there are none" if listed else "not a list of dicts"
        raise ProgramError(Defect("secrets", what, AS_SECRETS))
    known = _read("constants", constants, parameters, defects)
    read = [_read(f"secret {n}", secret, parameters, defects) for n, secret in enumerate(secrets, start=1)]
    secret_names = {name for values in read for name in values}
    defects += [
        Defect("constants", f"{name!r} is also given by a secret", "give it in one place")
        for name in sorted(secret_names & known.keys())
    ]
    defaults = {p.name: p.default for p in parameters if p.default is not None}
    for n, values in enumerate(read, start=1):
        given = values | known | defaults
        defects += [
            Defect(f"secret {n}", f"{program} needs {p.name!r}", "give it here, as a constant, or a default")
            for p in parameters
            if p.name not in given
        ]
    defects = defects or _repeat(read)
    if defects:
        raise ProgramError(defects)
    fixed = {name: value for name, value in (defaults | known).items() if name not in secret_names}
    environments = tuple(defaults | known | values for values in read)
    names = secrets.names if isinstance(secrets, NamedSecrets) else _names(read)
    return Bindings(names, environments, fixed)


def _repeat(read: Sequence[Mapping[str, Value]]) -> list[Defect]:
    first: dict[object, int] = {}
    defects: list[Defect] = []
    for n, values in enumerate(read, start=1):
        key = frozenset((name, identity(value)) for name, value in values.items())
        if first.setdefault(key, n) != n:
            what = f"it is the same as secret {first[key]}"
            defects.append(Defect(f"secret {n}", what, "give each secret once"))
    return defects


def _read(
    where: str, given: Mapping[str, object], parameters: Sequence[Parameter], defects: list[Defect]
) -> dict[str, Value]:
    names = [p.name for p in parameters]
    declared = {p.name: p.declared for p in parameters if p.declared}
    allowed = {p.name: {identity(v): v for v in p.choices} for p in parameters if p.choices}
    values: dict[str, Value] = {}
    for name, thing in given.items():
        if name not in names:
            fix = suggestion(str(name), names, "the parameters are")
            defects.append(Defect(where, f"there is no parameter {name!r}", fix))
            continue
        try:
            values[name] = as_value(thing)
        except Problem as problem:
            defects.append(Defect(where, f"{name}: {problem.what}", problem.fix))
            continue
        if name in declared and not isinstance(values[name], DECLARED[declared[name]]):
            shown = show(values[name])
            what = f"{name}: {shown} is {kind(values[name])}, and {name!r} is declared as {declared[name]}"
            defects.append(Defect(where, what, f"give {KINDS[DECLARED[declared[name]][-1]]}"))
        elif name in allowed and identity(values[name]) not in allowed[name]:
            what = f"{name}: {show(values[name])} is not one of the values that its annotation lists"
            defects.append(Defect(where, what, f"give one of {', '.join(map(show, allowed[name].values()))}"))
    return values


def _names(read: Sequence[Mapping[str, Value]]) -> tuple[str, ...]:
    """``paying=0`` or ``a=1, b=2``; made unique where texts of different values agree."""
    names: list[str] = []
    used: Counter[str] = Counter()
    for values in read:
        name = ", ".join(f"{k}={show_letter(v)}" for k, v in values.items()) or "start"
        used[name] += 1
        names.append(name if used[name] == 1 else f"{name} #{used[name]}")
    return tuple(names)


def relate_secrets(secrets: Sequence[Secret], neighbours: Neighbours | None) -> list[tuple[int, int]]:
    """The pairs of secrets that are compared, by number: those that a function holds of; without one, every two."""
    pairs = list(combinations(range(len(secrets)), 2))
    if neighbours is None:
        return pairs
    if not callable(neighbours):
        what = f"{type(neighbours).__name__} is neither a rule as text nor a function of two secrets"
        raise InputError(Defect("neighbours", what, "give lambda a, b: …"))
    return [(i, j) for i, j in pairs if neighbours(secrets[i], secrets[j]) or neighbours(secrets[j], secrets[i])]
