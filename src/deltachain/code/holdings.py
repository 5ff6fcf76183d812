"""What an object holds, a function and a class too, listed past everything that its class may answer in its place.

Attribute access is code: properties, ``__getattribute__`` and metaclasses say what they like. What an object *holds* is
in its ``__dict__``, in the slots of the classes of its MRO, and, of the built-in exceptions, in attributes of C. All
are read with the descriptors of the interpreter itself. The sizes of instances say whether that is all: where a class
makes them longer than its slots, ``__dict__`` and list of weak references do (an extension type, or a slot whose
descriptor was taken away), the object is not listed but refused.
"""

from __future__ import annotations

import builtins
import functools
import struct
import sys
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from types import (
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    WrapperDescriptorType,
)
from typing import Any, NamedTuple

BUILT_IN_EXCEPTIONS = frozenset(
    kind for kind in vars(builtins).values() if isinstance(kind, type) and issubclass(kind, BaseException)
)
"""Those whose state in C is what their descriptors show."""

_NOT_LISTED = frozenset(("args", "__dict__", "__traceback__", "__weakref__"))
"""Of an exception: its arguments stand by themselves; frames, and the weak references to it, are not what it says."""

_WORD = struct.calcsize("P")
_MADE_BY_CLASS_STATEMENT = 1 << 9
"""The flag of types that live on the heap, as all those do that Python code makes."""

# The interpreter's own view of a type, whatever its metaclass says.
_namespace: Any = type.__dict__["__dict__"].__get__
_mro: Any = type.__dict__["__mro__"].__get__
_base: Any = type.__dict__["__base__"].__get__
_size: Any = type.__dict__["__basicsize__"].__get__
_flags: Any = type.__dict__["__flags__"].__get__
_place_of_dict: Any = type.__dict__["__dictoffset__"].__get__
_place_of_weakrefs: Any = type.__dict__["__weakrefoffset__"].__get__
_module_of: Any = type.__dict__["__module__"].__get__
_qualified: Any = type.__dict__["__qualname__"].__get__


class Unlisted(TypeError):
    """An object that may hold more than can be listed; its text says why."""


class Holdings(NamedTuple):
    """What an object holds."""

    slots: dict[str, object]
    """By name: slots that are set, and attributes of C but for those that are None."""
    attributes: dict[object, object]
    """Its ``__dict__``."""


def list_holdings(value: object) -> Holdings:
    """Everything that an instance of a Python class, or a built-in exception, holds; Unlisted if it may be more."""
    slots: dict[str, object] = {}
    for base in _mro(type(value)):
        own = _namespace(base)
        if base in BUILT_IN_EXCEPTIONS:
            slots |= _list_attributes_in_c(own, value)
        elif base is not object:
            slots |= _list_slots(base, own, value, known=slots)
    return Holdings(slots, list_attributes(value))


def list_attributes(value: object) -> dict[object, object]:
    """The ``__dict__`` of an object, empty if it has none; Unlisted if it cannot be read, or is not a plain dict."""
    if not _place_of_dict(type(value)):
        return {}
    for base in _mro(type(value)):
        entry = _namespace(base).get("__dict__")
        if type(entry) is GetSetDescriptorType:
            found = entry.__get__(value)
            if type(found) is dict:
                return found
    raise Unlisted(f"the __dict__ of a {type(value).__qualname__} cannot be read")


def _list_attributes_in_c(own: Any, value: object) -> dict[str, object]:
    """What a built-in class of exceptions keeps in C, by name."""
    found: dict[str, object] = {}
    for name, entry in own.items():
        if type(entry) not in (GetSetDescriptorType, MemberDescriptorType) or name in _NOT_LISTED:
            continue
        try:
            held = entry.__get__(value)
        except AttributeError:  # it is not set
            continue
        # What is not set reads as None, and there is no third way for what is a flag.
        if held is not None and not (name == "__suppress_context__" and held is False):
            found[name] = held
    return found


def _list_slots(base: type, own: Any, value: object, known: dict[str, object]) -> dict[str, object]:
    """The slots of one class that are set; Unlisted if its instances hold more, or hide what they hold."""
    name = _qualified(base)
    if not _flags(base) & _MADE_BY_CLASS_STATEMENT:
        raise Unlisted(f"what {name} holds in C cannot be listed")
    if "__getattribute__" in own:
        raise Unlisted(f"{name} has a __getattribute__ of its own")
    named = [slot for slot, entry in own.items() if type(entry) is MemberDescriptorType and entry.__name__ == slot]
    named = [slot for slot in named if own[slot].__objclass__ is base]
    start, end = _size(_base(base)), _size(base)
    places = [_place_of_dict(base), _place_of_weakrefs(base)]
    if end - start != _WORD * (len(named) + sum(start <= place < end for place in places)):
        raise Unlisted(f"instances of {name} hold more than its slots")
    found: dict[str, object] = {}
    for slot in named:
        try:
            held = own[slot].__get__(value)
        except AttributeError:  # it is not set
            continue
        # Two classes may have a slot of one name each.
        found[slot if slot not in known else f"{_module_of(base)}.{name}.{slot}"] = held
    return found


def find_name(kind: type) -> str:
    """The full name of a type; Unlisted if another type, or none, is found under it."""
    module, name = _module_of(kind), _qualified(kind)
    if type(module) is str and type(name) is str:
        found: Any = sys.modules.get(module)
        for part in name.split("."):
            inside = _namespace(found) if isinstance(found, type) else getattr(found, "__dict__", {})
            found = inside.get(part)
        if found is kind:
            return name if module == "builtins" else f"{module}.{name}"
    what = f"the class {str(name)!r} is not found under its name in its module, so that two such classes look the same"
    raise Unlisted(f"{what} (define it at the top level)")


def class_has(kind: type, name: str) -> bool:
    """Whether a class, or one that it is derived from, has an attribute of that name."""
    return any(name in _namespace(base) for base in _mro(kind))


_SAYING = frozenset(
    f"__{name}__"
    for name in ("reduce", "reduce_ex", "getstate", "getnewargs", "getnewargs_ex", "getattribute", "slots")
) | {"__iter__", "items"}


def says_what_it_holds(kind: type) -> bool:
    """Whether a class has a say in what its objects are pickled as: otherwise that is all that they hold."""
    bases = [base for base in _mro(kind) if base is not object]
    return any(
        not _SAYING.isdisjoint(own) or type(own.get("__dict__", _DICT)) is not GetSetDescriptorType
        for own in map(_namespace, bases)
    )


_DICT = type.__dict__["__dict__"]

_OF_FUNCTIONS = {
    "__code__": "the code",
    "__defaults__": "the defaults",
    "__kwdefaults__": "the defaults by keyword",
    "__annotations__": "the annotations",
    "__doc__": "the docstring",
    "__name__": "the name",
    "__module__": "the module",
    "__type_params__": "the parameters of types",
}

_OF_CODE = tuple(
    name
    for name, entry in vars(CodeType).items()
    if name.startswith("co_") and type(entry) in (GetSetDescriptorType, MemberDescriptorType) and name != "co_lnotab"
)
"""The attributes of code: all but one, which is deprecated and made from another."""

_OF_TYPES = ("__name__", "__qualname__", "__bases__")
"""What a class keeps in C."""

_DESCRIPTORS_IN_C = (GetSetDescriptorType, MemberDescriptorType, MethodDescriptorType, WrapperDescriptorType)


def list_contents(value: object) -> list[object] | None:
    """What a container holds, however its class iterates; None if it is none of the built-in kinds."""
    for kind, contents in _CONTENTS.items():
        if issubclass(type(value), kind):
            return [*contents(value)]
    return None


_CONTENTS: dict[type, Callable[[Any], Iterable[object]]] = {
    dict: dict.items,
    **{kind: kind.__iter__ for kind in (list, tuple, set, frozenset, bytearray, deque)},
}


_OF_WRAPPERS: dict[type, tuple[str, ...]] = {
    functools.partial: ("func", "args", "keywords"),
    staticmethod: ("__func__",),
    classmethod: ("__func__",),
    property: ("fget", "fset", "fdel", "__doc__"),
}


def list_wrapped(value: object) -> list[object]:
    """What a partial, a static or class method, or a property stands for, and its attributes."""
    for kind, names in _OF_WRAPPERS.items():
        if issubclass(type(value), kind):
            parts: list[object] = [kind.__dict__[name].__get__(value) for name in names]
            return [*parts, list_attributes(value)]
    return []


def list_function(function: FunctionType) -> dict[str, object]:
    """What a function holds beside its closure and its attributes: by words, what is set."""
    found: dict[str, object] = {}
    for name, words in _OF_FUNCTIONS.items():
        with suppress(Exception):  # where annotations are evaluated when they are asked for, that may fail
            if (held := getattr(function, name)) is not None:
                found[words] = held
    return found


def list_code(code: CodeType) -> list[object]:
    """Everything that code is."""
    return [getattr(code, name) for name in _OF_CODE]


def list_type(kind: type) -> tuple[list[object], Mapping[str, object]]:
    """What a class keeps in C, and its attributes but for descriptors that are written in C."""
    parts = {name: value for name, value in _namespace(kind).items() if type(value) not in _DESCRIPTORS_IN_C}
    return [type.__dict__[name].__get__(kind) for name in _OF_TYPES], parts
