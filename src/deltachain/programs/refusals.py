"""What is not in the language, and what to write instead."""

from __future__ import annotations

import ast

_REFUSED: dict[str, tuple[str, str]] = {
    "AnnAssign": ("a declaration without a value", "assign the value here, or drop the line"),
    "AsyncFor": ("`async` is not in the language", "write a plain `for`"),
    "AsyncFunctionDef": ("`async` is not in the language", "write a plain `def`"),
    "AsyncWith": ("`async` is not in the language", "drop it"),
    "Attribute": (
        "attribute access is not in the language",
        "use plain names, or a module's: dc.flip(…) after import deltachain as dc",
    ),
    "Await": ("`await` is not in the language", "drop it"),
    "Break": ("`break` outside a loop", "drop it, or return"),
    "ClassDef": ("`class` is not in the language", "use tuples or dicts as values"),
    "Continue": ("`continue` outside a loop", "drop it"),
    "Delete": ("`del` is not in the language", "drop it: variables that are not read again cost nothing"),
    "DictComp": (
        "a dict comprehension is not in the language",
        "build the dict in a `for` loop: d = d | {key: value}",
    ),
    "FunctionDef": (
        "a function inside a program is not in the language",
        "move it out and decorate it with @program",
    ),
    "GeneratorExp": ("a generator is not a value of programs", "give it to sum, tuple, any, all, max or min at once"),
    "Global": ("`global` is not in the language", "pass the value as a parameter, and return the new one"),
    "Import": ("`import` is not in the language", "import outside the program"),
    "ImportFrom": ("`import` is not in the language", "import outside the program"),
    "Lambda": ("`lambda` is not in the language", "write a helper function, decorated with @program"),
    "List": ("a list is not a value of programs", "write a tuple: (a, b)"),
    "ListComp": ("a list is not a value of programs", "write tuple(… for …)"),
    "Match": ("`match` is not in the language", "write `if` … `elif` …"),
    "NamedExpr": ("`:=` is not in the language", "assign on a line of its own"),
    "Nonlocal": (
        "`nonlocal` is not in the language",
        "pass the value as a parameter, and return the new one",
    ),
    "Raise": ("`raise` is not in the language", "announce what happened, or return"),
    "Set": ("a set is not a value of programs", "write a tuple: (a, b)"),
    "SetComp": ("a set is not a value of programs", "write tuple(… for …)"),
    "Starred": ("`*` is not in the language here", "write the parts out"),
    "Try": ("`try` is not in the language", "test with `if` before the operation"),
    "TryStar": ("`try` is not in the language", "test with `if` before the operation"),
    "With": ("`with` is not in the language", "drop it"),
    "Yield": ("`yield` is not in the language", "use announce(…) for what is seen"),
    "YieldFrom": ("`yield` is not in the language", "use announce(…) for what is seen"),
    # Operators.
    "Invert": ("`~` is not in the language", "write `not`"),
    "Is": ("`is` is not in the language", "write =="),
    "IsNot": ("`is not` is not in the language", "write !="),
    "LShift": ("`<<` is not in the language", "multiply by a power of 2"),
    "MatMult": ("`@` is not in the language", "write the products out"),
    "RShift": ("`>>` is not in the language", "divide with // by a power of 2"),
}

_NO_FILES = ("a program cannot reach outside itself", "pass what it needs as a parameter")
RANDOM = (
    "random numbers from elsewhere are not in the language",
    "draw with flip, uniform, choose or geometric",
)

REFUSED_NAMES: dict[str, tuple[str, str]] = {
    **dict.fromkeys(("__import__", "breakpoint", "compile", "eval", "exec", "getattr", "globals", "input"), _NO_FILES),
    **dict.fromkeys(("locals", "open", "setattr", "vars"), _NO_FILES),
    "dict": ("dict() is not in the language", "write {key: value}"),
    "float": (
        "floats are not values of programs: all numbers are exact",
        "write Fraction(…), or the number itself",
    ),
    "list": ("a list is not a value of programs", "write tuple(…)"),
    "print": ("print() is not in the language", "announce(…) is what a watcher sees"),
    "random": RANDOM,
    "reversed": ("reversed() is not in the language", "write t[::-1]"),
    "round": ("round() is not in the language", "write int(…) or x // 1"),
    "set": ("a set is not a value of programs", "write tuple(…)"),
}
"""Names that a reader may try, and what to write instead."""


def is_random(module: str) -> bool:
    """Whether a module, or ``module.name``, draws random numbers that a program cannot know."""
    return not {"random", "secrets"}.isdisjoint(module.split("."))


def refusal(node: ast.AST) -> tuple[str, str]:
    """What to say of a piece of syntax that is not in the language."""
    name = type(node).__name__
    return _REFUSED.get(name, (f"{name} is not in the language", "use assignments, if, while, for and the primitives"))
