"""A whole file's letters by running it: executed as a module, once a path, with deltachain's names played by scripts.

As `enumerate_program_paths`, but the file itself imports what it uses, and its top level really runs, so that whatever
it does to its names has happened when the function is called. Or, ``live``, each function that is decorated has the
values that its names have at that moment. A float means its shortest decimal, as in deltachain.
"""

from __future__ import annotations

import builtins
import copy
import types
import warnings
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from tests.reference.enumerate_program_paths import ScriptedRun, TooManyPaths, prompt

__all__ = ["PRIMITIVES", "file_letter_law"]

PRIMITIVES = ("announce", "ask", "choose", "flip", "program", "uniform")


def file_letter_law(
    text: str,
    name: str,
    arguments: Mapping[str, object],
    limit: int = 400,
    answers: Sequence[int] = (0,),
    *,
    live: bool = False,
) -> dict[tuple[str, ...], Fraction]:
    """The law of the letters that the function ``name`` announces; what Python raises, if it raises on some path."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python's remarks on odd text
        code = compile(text, "<file>", "exec", dont_inherit=True)
    law: dict[tuple[str, ...], Fraction] = {}
    script: list[int] | None = []
    for _ in range(limit):
        if script is None:
            return law
        run = ScriptedRun(script, answers)
        letters: list[str] = []
        namespace: dict[str, Any] = {
            "__name__": "protocol",
            "__builtins__": _builtins(_stand_in(run, letters, live=live)),
        }
        exec(code, namespace)  # noqa: S102  (the text is the fuzzer's own)
        namespace[name](**arguments)
        law[tuple(letters)] = law.get(tuple(letters), Fraction(0)) + run.weight
        script = run.next_script()
    if script is None:
        return law
    raise TooManyPaths


def _at_this_moment(function: types.FunctionType) -> types.FunctionType:
    """The function with the values that the names of its module have now."""
    now = {key: copy.deepcopy(v) if isinstance(v, dict | tuple) and key != "__builtins__" else v
           for key, v in function.__globals__.items()}  # fmt: skip
    found = types.FunctionType(function.__code__, now, function.__name__, function.__defaults__, function.__closure__)
    found.__kwdefaults__ = function.__kwdefaults__
    return found


def _stand_in(run: ScriptedRun, letters: list[str], *, live: bool) -> types.ModuleType:
    """A module that plays deltachain."""

    def number(p: Any) -> Fraction:
        return Fraction(repr(p)) if isinstance(p, float) else Fraction(p)

    def flip(p: Any) -> object:
        return run.draw({True: number(p), False: 1 - number(p)})

    def uniform(low: int, high: int) -> object:
        return run.draw({k: Fraction(1, high - low + 1) for k in range(low, high + 1)})

    def choose(distribution: Mapping[object, Any]) -> object:
        return run.draw({value: number(p) for value, p in distribution.items()})

    def announce(value: object) -> None:
        letters.append(value if isinstance(value, str) else _shown(value))

    def ask(*options: object) -> object:
        named = {option if isinstance(option, str) else _shown(option): option for option in options}
        letters.append(prompt(named))
        return run.answer(named)

    module = types.ModuleType("deltachain")
    played: dict[str, Callable[..., Any]] = {
        "announce": announce, "ask": ask, "choose": choose, "flip": flip,
        "program": _at_this_moment if live else lambda f: f, "uniform": uniform,
    }  # fmt: skip
    module.__dict__.update(played)
    module.__dict__["__all__"] = list(PRIMITIVES)
    module.__dict__["programs"] = module
    return module


def _shown(value: Any) -> str:
    """The letter of a value: Python's text, but fractions (and so floats) as p/q."""
    if isinstance(value, float):
        return str(Fraction(repr(value)))
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_shown, value)) + (",)" if len(value) == 1 else ")")
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_shown(k)}: {_shown(v)}" for k, v in value.items()) + "}"
    return repr(value)


def _builtins(deltachain: types.ModuleType) -> dict[str, Any]:
    def imported(name: str, *rest: Any) -> Any:
        return deltachain if name.partition(".")[0] == "deltachain" else builtins.__import__(name, *rest)

    return {**vars(builtins), "__import__": imported}
