"""What a call leaves behind: everything that a function's code can reach by name, compared before and after it runs.

A function that keeps something between calls is not a function of its arguments, and a generator of its own that a rare
coin asks would hardly be met by calling it again. So its state is looked at: its arguments, the globals of its module
and of other modules of its author, what its closures, defaults, attributes and caches hold, functions and classes
themselves, the attributes of objects, generators, context variables, and the state of the process that code changes by
a call, such as the environment. Libraries are not entered; objects of their types are, as far as they can be pickled.
Two looks without a call between them say what cannot be compared.

A look ends, whatever there is to see: a session may hold gigabytes, and an object may answer each question with an
object that was not there before. So what an object has is read past its own answers (`holdings`), and how much one look
takes in is limited, more closely for what the code does not name.
"""

from __future__ import annotations

import builtins
import copyreg
import functools
import hashlib
import importlib.util
import io
import os
import pickle
import sys
import sysconfig
import threading
import warnings
import weakref
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from contextvars import Context, ContextVar, copy_context
from pathlib import Path
from types import (
    AsyncGeneratorType,
    BuiltinFunctionType,
    CodeType,
    CoroutineType,
    FrameType,
    FunctionType,
    GeneratorType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any, NamedTuple

from .holdings import (
    Unlisted,
    class_has,
    find_name,
    list_attributes,
    list_code,
    list_contents,
    list_function,
    list_holdings,
    list_type,
    list_wrapped,
    says_what_it_holds,
)

CACHE_OF = "the cache of "
"""Before the name of a function that keeps its results."""

DECIMAL_DEFAULT = (28, "ROUND_HALF_EVEN")
"""The context of `decimal` where nobody has changed it, or loaded it."""

KEEP_TABLES = ("deltachain.draws.laws", "deltachain.draws.sampler")
"""Modules whose objects fill tables when they are asked, and answer as before."""

CHECKERS = ("deltachain_checker", "deltachain_checker_v1")


class Look(NamedTuple):
    """What code can reach: each name with a digest of what is there."""

    digests: Mapping[str, str]

    def list_changed(self, after: Look, unstable: Iterable[str] = ()) -> list[str]:
        """The names whose values are others, sorted. A name that is there only once is another value too."""
        left_out = set(unstable)
        names = self.digests.keys() | after.digests.keys()
        return sorted(n for n in names - left_out if self.digests.get(n) != after.digests.get(n))


class Remains:
    """What can be reached, as it was when this was made; `list_changed` says what is another now.

    Args:
        functions: they, and the state of the process.
        arguments: values by their names.
        home: the module of the functions, or of that which is given the arguments.
        alive: called now and then.
    """

    def __init__(
        self,
        functions: Iterable[Callable[..., object]] = (),
        arguments: Mapping[str, object] = MappingProxyType({}),
        home: str = "",
        alive: Callable[[], None] = lambda: None,
    ) -> None:
        self._asked = tuple(functions), arguments, home, alive
        self._before = look(*self._asked)
        self._unstable = set(self._before.list_changed(look(*self._asked)))

    def list_changed(self) -> list[str]:
        """The names of what is another value now."""
        return self._before.list_changed(look(*self._asked), self._unstable)


def look(
    functions: Iterable[Callable[..., object]] = (),
    arguments: Mapping[str, object] = MappingProxyType({}),
    home: str = "",
    alive: Callable[[], None] = lambda: None,
) -> Look:
    """What can be reached from functions, with the state of the process, and from arguments."""
    named = [(getattr(function, "__qualname__", type(function).__qualname__), function) for function in functions]
    home = home or next((str(getattr(function, "__module__", None) or "") for _, function in named), "")
    process = _of_process() if named else {}
    walk = _Walk(home, alive)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of objects that are not to be pickled in later versions of Python
        walk.walk([*named, *arguments.items()], [*copy_context()] if named else [])
    return Look(walk.digests | process)


def _of_process() -> dict[str, str]:
    """State of the process that a call may change, and any code may read."""
    found: dict[str, object] = {
        "os.environ": sorted(os.environ.items()),
        "builtins": sorted((name, id(value)) for name, value in vars(builtins).items()),
        "sys.getrecursionlimit()": sys.getrecursionlimit(),
    }
    with suppress(OSError):  # it may not be there any more
        found["os.getcwd()"] = os.getcwd()  # noqa: PTH109
    decimal = sys.modules.get("decimal")
    context = None if decimal is None else decimal.getcontext()
    unset = context is None or (context.prec, context.rounding) == DECIMAL_DEFAULT
    found["decimal.getcontext()"] = DECIMAL_DEFAULT if unset else (context.prec, context.rounding)  # type: ignore[union-attr]
    return {name: repr(value) for name, value in found.items()}


def _package(name: object) -> str:
    return str(name).partition(".")[0] if name else ""


@functools.cache
def library_paths() -> tuple[str, ...]:
    """Where the standard library is, and then where packages are installed."""
    paths = sysconfig.get_paths()
    return tuple(dict.fromkeys(paths[key] for key in ("stdlib", "platstdlib", "purelib", "platlib")))


@functools.cache
def our_paths() -> tuple[str, ...]:
    """Where this package is, and the checkers, which it loads."""
    checkers = [importlib.util.find_spec(name) for name in CHECKERS]
    files = [str(Path(__file__).resolve().parent), *(found.origin or "" for found in checkers if found is not None)]
    return tuple(f"{Path(file).parent}{os.sep}" for file in files if file)


class Reach(NamedTuple):
    """How much one look takes in."""

    longest: int
    """Bytes of each value."""
    objects: int
    """Objects of classes, functions and classes, of all values together: each takes some microseconds."""


NAMED = Reach(1 << 28, 1_000_000)
"""Of what the code names, and of what that leads to."""
UNNAMED = Reach(1 << 20, 10_000)
"""Of the other globals of its modules, which code may reach by a name that it makes."""

SIGNS: dict[str, Any] = {
    **dict.fromkeys(("__length_hint__", "digest", "getstate", "locked", "qsize", "tobytes"), MethodDescriptorType),
    **dict.fromkeys(("cell_contents", "iterindex", "index", "total_changes"), GetSetDescriptorType),
    "line_num": MemberDescriptorType,
}
"""Attributes in C, with their kinds, that tell the state of an object which cannot be pickled."""

SHOWN = ("itertools", "_thread")
"""Modules in C whose objects tell by their texts what they hold."""

_FRAMES: dict[type, tuple[str, str]] = {
    GeneratorType: ("gi_frame", "gi_yieldfrom"),
    CoroutineType: ("cr_frame", "cr_await"),
    AsyncGeneratorType: ("ag_frame", "ag_await"),
}
_PARTS_OF_THREADS = frozenset(vars(threading.Thread(name="none")))

KEPT_BY_CLASSES = ("_inverted_", "_value2member_map_", "__annotations_cache__", "__slotnames__")
"""Where classes keep what is the same whenever it is made: combinations of flags, annotations, names of slots."""

OBJECTS_PER_SIGN = 10_000
"""After so many objects, a look says that it goes on."""

KEPT_BY_INTERPRETER = frozenset(("__builtins__", "__cached__", "__loader__", "__spec__", "__warningregistry__"))
"""Names of a module under which nobody but the interpreter keeps something."""

_PLAIN = (int, float, bool, type(None))
_BY_IDENTITY = (FunctionType, BuiltinFunctionType, type, ModuleType)


class _Walk:
    """One look at everything that can be reached."""

    def __init__(self, home: str, alive: Callable[[], None]) -> None:
        self.digests: dict[str, str] = {}
        self.home = home
        """The module of the function."""
        self._alive = alive
        self._judged: dict[int, tuple[type, bool]] = {}
        self._todo: list[tuple[str, object]] = []
        self._named: Counter[str] = Counter()
        self._reach, self._left, self._least = NAMED, NAMED.objects, 0
        self._seen: dict[int, object] = {}
        self._modules: dict[int, Mapping[str, object]] = {}

    def walk(self, roots: Iterable[tuple[str, object]], variables: Iterable[ContextVar[Any]]) -> None:
        """Follow what is named; then what else there is in the modules that were met, and in variables."""
        self._todo += roots
        self._follow()
        self._reach, self._left = UNNAMED, UNNAMED.objects
        while self._modules:
            self._others(self._modules.pop(next(iter(self._modules))))
            self._follow()
        self._todo += [(variable.name, variable) for variable in variables]
        self._follow()

    def _follow(self) -> None:
        while self._todo:
            name, value = self._todo.pop()
            if type(value) in _PLAIN:
                self._data(name, value)
            elif id(value) not in self._seen and self._left > 0:
                self._seen[id(value)] = value
                self._left -= 1
                self._visit(name, value)

    def _note(self, name: str, digest: str) -> None:
        """Keep a digest; of two things of one name, both."""
        self._named[name] += 1
        number = self._named[name]
        self.digests[name if number == 1 else f"{name} #{number}"] = digest

    def _visit(self, name: str, value: Any) -> None:
        kind = type(value)
        if kind is FunctionType:
            self._function(value)
        elif kind is MethodType:
            self._todo += [(name, value.__self__), (name, value.__func__)]
        elif issubclass(kind, functools.partial | staticmethod | classmethod | property):
            found = list_wrapped(value)
            self._todo += [(name, one) for one in found if one is not None]
        elif issubclass(kind, type):
            self._class(value)
        elif kind is BuiltinFunctionType:
            if not issubclass(type(value.__self__), ModuleType | type | None):
                self._todo.append((name, value.__self__))
        elif issubclass(kind, ModuleType):
            pass
        elif class_has(kind, "cache_info"):
            with suppress(Exception):
                self._note(f"{CACHE_OF}{name}", str(value.cache_info()))
                self._todo.append((name, list_attributes(value)["__wrapped__"]))
        else:
            self._data(name, value)
            if kind.__module__ != "builtins":
                self._todo.append((kind.__qualname__, kind))

    def _function(self, function: FunctionType) -> None:
        name = function.__qualname__.replace("<locals>.", "")
        file = function.__code__.co_filename
        if not self._is_own(function.__globals__.get("__name__"), file):
            standard = (f"{library_paths()[0]}{os.sep}", "<frozen", *our_paths())
            self._wrapper(name, function, standard=file.startswith(standard))
            return
        for variable, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            try:
                self._todo.append((f"{name}.{variable}", cell.cell_contents))
            except ValueError:  # not filled yet
                self._note(f"{name}.{variable}", "empty")
        self._named_parts(name, vars(function))
        for part, value in list_function(function).items():
            self._data(f"{part} of {name}", value)
        self._code(function.__code__, function.__globals__)
        self._module(function.__globals__)

    def _wrapper(self, name: str, function: FunctionType, *, standard: bool) -> None:
        """A library's function that the author's code names: what it holds of its author's, and what it keeps.

        What the standard library keeps for itself is nobody's state: which type a generic function was called with.
        """
        held = [*vars(function).values()]
        for cell in function.__closure__ or ():
            with suppress(ValueError):
                held.append(cell.cell_contents)
        for value in held:
            inside = [*value.values()] if isinstance(value, dict | MappingProxyType) else [value]
            functions = [one for one in inside if isinstance(one, FunctionType | functools.partial)]
            self._todo += [(name, one) for one in functions]
            if not standard and not functions and not isinstance(value, _BY_IDENTITY):
                self._data(f"what {name} keeps", value)

    def _named_parts(self, name: str, parts: Mapping[str, object]) -> None:
        if parts:
            self._note(f"the attributes of {name}", ",".join(sorted(parts)))
        self._todo += [(f"{name}.{key}", value) for key, value in parts.items() if key != "__wrapped__"]
        if "__wrapped__" in parts:
            self._todo.append((name, parts["__wrapped__"]))

    def _code(self, code: CodeType, names: Mapping[str, object]) -> None:
        """What the names of the code mean: in its module, and as attributes of modules that it names."""
        codes, mentioned = [code], dict[str, None]()
        for each in codes:
            mentioned |= dict.fromkeys(each.co_names)
            codes += [part for part in each.co_consts if isinstance(part, CodeType)]
        for name in mentioned:
            value = names.get(name, sys.modules.get(name))
            if isinstance(value, ModuleType):
                self._attributes(value, mentioned)
            elif name in names:
                self._todo.append((self._label(names.get("__name__"), name), value))

    def _attributes(self, module: ModuleType, names: Iterable[str]) -> None:
        own = self._is_own(module.__name__, getattr(module, "__file__", None))
        for name in names:
            value = vars(module).get(name)
            if value is None:
                continue
            if isinstance(value, ModuleType):
                if own and id(value) not in self._seen:
                    self._seen[id(value)] = value
                    self._attributes(value, names)
            elif own or not callable(value):
                self._todo.append((self._label(module.__name__, name), value))
        if own:
            self._module(vars(module))

    def _module(self, names: Mapping[str, object]) -> None:
        """All data of a module, in the end: code may reach it by a name that it makes."""
        if id(names) not in self._seen:
            self._seen[id(names)] = names
            self._modules[id(names)] = names

    def _others(self, names: Mapping[str, object]) -> None:
        module = names.get("__name__")
        known = {key: value for key, value in names.items() if key not in KEPT_BY_INTERPRETER}
        self._note(f"the names of {module}", ",".join(sorted(known)))
        for key, value in known.items():
            label = self._label(module, key)
            if label not in self.digests and id(value) not in self._seen and not isinstance(value, _BY_IDENTITY):
                self._data(label, value)

    def _label(self, module: object, name: str) -> str:
        return name if module == self.home else f"{module}.{name}"

    def _class(self, kind: type) -> None:
        for base in kind.__mro__:
            if self._is_own_class(base):
                own, parts = list_type(base)
                self._data(f"the class {base.__qualname__}", own)
                kept = {key: value for key, value in parts.items() if key not in KEPT_BY_CLASSES}
                self._named_parts(base.__qualname__, kept)
                self._todo.append((type(base).__qualname__, type(base)))

    def _may_leave_out(self, kind: type) -> bool:
        """Whether what objects of a class are pickled as is up to its author."""
        if id(kind) not in self._judged:
            says = says_what_it_holds(kind) or kind in copyreg.dispatch_table
            self._judged[id(kind)] = kind, says and self._is_own_class(kind)
        return self._judged[id(kind)][1]

    def _is_own_class(self, kind: type) -> bool:
        """Whether a class is its author's: by its module, or by its code where no module has it under its name."""
        module = sys.modules.get(kind.__module__)
        if self._is_own(kind.__module__, "" if module is None else getattr(module, "__file__", None)):
            return True
        try:
            find_name(kind)
        except Unlisted:
            functions = [value for value in list_type(kind)[1].values() if type(value) is FunctionType]
            places = [(function.__globals__.get("__name__"), function.__code__.co_filename) for function in functions]
            return not places or any(self._is_own(*place) for place in places)
        return False

    def _is_own(self, module: str | None, file: str | None) -> bool:
        """Whether code is its author's, and not a library's."""
        if module == "__main__":
            return True
        if file is None or file.startswith(("<frozen", *our_paths())):
            return False
        if self.home and _package(module) == _package(self.home):
            return True
        return not file.startswith(tuple(f"{path}{os.sep}" for path in library_paths()))

    def meet(self, name: str, value: object) -> None:
        """An object of a class is a part of the data of that name: it counts, and is followed if it is given."""
        if self._left <= self._least:
            raise _TooLong
        self._left -= 1
        if not self._left % OBJECTS_PER_SIGN:
            self._alive()
        if value is not None:
            self._todo.append((name, value))

    def _data(self, name: str, value: object) -> None:
        if type(value) in _PLAIN:
            self._note(name, hex(value) if isinstance(value, int) else repr(value))
            return
        sink = _Sink(self._reach.longest)
        self._least = self._left // 2  # the rest is for values that are still to come
        try:
            _Digest(sink, functools.partial(self.meet, name), self._may_leave_out).dump(value)
        except (_TooLong, RecursionError, MemoryError):
            pass  # the first part of it is compared
        except Exception as error:  # an object whose own methods fail: nothing is known of it
            sink.write(type(error).__name__.encode())
        self._note(name, sink.hash.hexdigest())


class _TooLong(Exception):
    """More is not compared."""


class _Sink:
    """What is written to it, as a digest."""

    def __init__(self, longest: int) -> None:
        self.hash, self._left = hashlib.sha256(), longest

    def write(self, part: Any) -> int:
        """Take a part in."""
        self.hash.update(part)
        self._left -= len(part)
        if self._left < 0:
            raise _TooLong
        return len(part)


class _Digest(pickle.Pickler):
    """Writes an object so that an equal text says that nothing has changed; what cannot be pickled, by its identity."""

    def __init__(self, sink: _Sink, meet: Callable[[object], None], may_leave_out: Callable[[type], bool]) -> None:
        super().__init__(sink, protocol=5)
        self._meet, self._may_leave_out = meet, may_leave_out

    def reducer_override(self, value: Any) -> Any:
        """How an object is written that is not of a plain type."""
        if value is tuple:
            return NotImplemented
        kind = type(value)
        if issubclass(kind, (*_BY_IDENTITY, MethodType)) or class_has(kind, "cache_info"):
            self._meet(value)
            return _identity(value)
        self._meet(None)
        if issubclass(kind, threading.Thread):  # how far it is, is nobody's state
            return _identity(value, {key: part for key, part in vars(value).items() if key not in _PARTS_OF_THREADS})
        if kind in _FRAMES:
            return _identity(value, _place_in(value, *_FRAMES[kind]))
        if kind is ContextVar:
            return _identity(value, copy_context().get(value), _default_of(value))
        if kind is Context:
            return _identity(value, list(value.items()))
        if issubclass(kind, weakref.ref):
            return _identity(value, weakref.ref.__call__(value))
        if kind is MappingProxyType:
            return _identity(value, dict(value))
        if kind is CodeType:
            return tuple, (list_code(value),)
        if kind.__module__ in KEEP_TABLES:
            return _identity(value)
        if kind.__module__.startswith("pandas.") and kind.__name__ in ("DataFrame", "Series"):
            return _identity(value, _columns(value))
        if _package(kind.__module__) not in ("builtins", "numpy", "pandas"):
            self._meet(kind)
        try:
            reduce = copyreg.dispatch_table.get(kind)
            reduced: Any = value.__reduce_ex__(5) if reduce is None else reduce(value)
        except Exception:
            reduced = None
        if not isinstance(reduced, tuple):
            return _identity(value, _held_by(value))
        # What makes it is compared by identity: most of such functions cannot be found by their names.
        parts = reduced[1:3]
        if self._may_leave_out(kind):
            parts = (*parts, _list(value), list_contents(value))
        return (tuple, ((id(kind),),), parts, *reduced[3:])


def _identity(value: object, *parts: object) -> Any:
    """An object by its identity, and parts of it, which stand where they may lead back to it."""
    return tuple, ((type(value).__qualname__, id(value)),), parts


def _default_of(variable: ContextVar[Any]) -> object:
    """What a context variable gives where it was never set."""
    with suppress(LookupError):
        return Context().run(variable.get)
    return None


def _list(value: object) -> object:
    """The slots and attributes of an object, as far as they can be listed."""
    slots: dict[str, object] = {}
    try:
        slots, attributes = list_holdings(value)
    except Unlisted:
        try:
            attributes = list_attributes(value)
        except Unlisted:
            return None
    return slots, {key: part for key, part in attributes.items() if key not in KEPT_BY_CLASSES}


def _place_in(value: object, frame: str, awaited: str) -> object:
    """Where a generator or coroutine is, and what its variables are; None if it is over."""
    at: FrameType | None = getattr(value, frame)
    return None if at is None else (at.f_lasti, dict(at.f_locals), getattr(value, awaited))


def _held_by(value: object) -> object:
    """What can be seen of an object that cannot be pickled: its attributes, the place in a file, what it prints."""
    with suppress(Exception):
        if class_has(type(value), "tell"):
            return None if _is_printed_to(value) else value.tell()  # type: ignore[attr-defined]
    held: list[object] = [_signs_of(value)]
    with suppress(Exception):
        held.append(dict(vars(value)))
    if type(value).__module__ in SHOWN:
        held.append(repr(value))
    return held


def _is_printed_to(value: object) -> bool:
    """Whether it is standard output, which goes elsewhere after the first call."""
    return isinstance(value, io.TextIOWrapper | io.BufferedWriter | io.FileIO) and value.fileno() in (1, 2)


def _signs_of(value: object) -> list[object]:
    """What an object that is written in C says of its state: how much is left of an iterator, where a reader is."""
    found: list[object] = []
    for base in type(value).__mro__:
        for name in SIGNS.keys() & vars(base).keys():
            if isinstance(vars(base)[name], SIGNS[name]):
                with suppress(Exception):  # an empty cell, a view that is closed
                    sign = getattr(value, name)
                    found.append((name, sign() if SIGNS[name] is MethodDescriptorType else sign))
    return found


def _columns(value: Any) -> object:
    """A frame by its values: how it keeps them in blocks may change by a look."""
    if type(value).__name__ == "Series":
        return value.name, value.index, value.array
    return value.columns, value.index, [value.iloc[:, n].array for n in range(value.shape[1])]
