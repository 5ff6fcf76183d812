"""The law of a plain function by brute force: run it once for each sequence of numbers that its draws may give.

Independent of `deltachain`: a module of cases is executed again with the draws below in its place. Paths that are less
likely than 1e-13 are not followed; probabilities are floats. ``python -m tests.attacks.enumeration THEME`` prints name
and δ to the standard error.
"""

from __future__ import annotations

import contextlib
import enum
import importlib.util
import io
import math
import sys
import time
import types
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

CUT = 1e-13


class Unlikely(BaseException):
    """A path that is not followed."""


class Replay:
    """Answers draws from a script of positions; new draws take their first outcome."""

    def __init__(self) -> None:
        self.script: list[int] = []
        self.widths: list[int] = []
        self.place = 0
        self.mass = 1.0
        self.letters: list[object] = []

    def draw(self, outcomes: Sequence[tuple[Any, float]]) -> Any:
        if self.place == len(self.script):
            self.script.append(0)
            self.widths.append(len(outcomes))
        value, mass = outcomes[self.script[self.place]]
        self.place += 1
        self.mass *= mass
        if self.mass < CUT:
            raise Unlikely
        return value

    def advance(self) -> bool:
        while self.script and self.script[-1] + 1 == self.widths[-1]:
            self.script.pop()
            self.widths.pop()
        if not self.script:
            return False
        self.script[-1] += 1
        return True


REPLAY = Replay()
_LAPLACE: dict[float, list[tuple[int, float]]] = {}


def _number(value: Any) -> float:
    return float(Fraction(value)) if isinstance(value, str) else float(value)


def flip(p: Any) -> bool:
    p = _number(p)
    return REPLAY.draw([(value, mass) for value, mass in ((True, p), (False, 1 - p)) if mass > 0])


def uniform(low: int, high: int) -> int:
    return REPLAY.draw([(value, 1 / (high - low + 1)) for value in range(low, high + 1)])


def discrete_laplace(scale: Any, tail: Any = None) -> int:
    scale = _number(scale)
    if scale not in _LAPLACE:
        ratio = math.exp(-1 / scale)
        reach = math.ceil(-math.log(CUT) * scale) + 1
        first = (1 - ratio) / (1 + ratio)
        _LAPLACE[scale] = [(value, first * ratio ** abs(value)) for value in range(-reach, reach + 1)]
    return REPLAY.draw(_LAPLACE[scale])


def geometric(ratio: Any, low: int | None = None, high: int | None = None, tail: Any = None) -> int:
    ratio = _number(ratio)
    reach = math.ceil(math.log(CUT) / math.log(ratio)) + 1
    first = (1 - ratio) / (1 + ratio)
    masses: dict[int, float] = {}
    for value in range(-reach, reach + 1):
        kept = max(value if low is None else low, value) if low is not None else value
        kept = min(high, kept) if high is not None else kept
        masses[kept] = masses.get(kept, 0) + first * ratio ** abs(value)
    return REPLAY.draw(list(masses.items()))


def discrete_gaussian(sigma: Any, tail: Any = None) -> int:
    sigma = _number(sigma)
    reach = math.ceil(sigma * math.sqrt(-2 * math.log(CUT))) + 2
    weights = {value: math.exp(-(value**2) / (2 * sigma**2)) for value in range(-reach, reach + 1)}
    total = math.fsum(weights.values())
    return REPLAY.draw([(value, weight / total) for value, weight in weights.items()])


def choose(distribution: Any = (), weights: Any = ()) -> Any:
    table = distribution
    if not isinstance(table, Mapping):
        table = dict(zip(distribution, weights or [1] * len(distribution), strict=True))
    total = sum(_number(mass) for mass in table.values())
    return REPLAY.draw([(value, _number(mass) / total) for value, mass in table.items() if _number(mass)])


def randomised_response(value: Any, options: Sequence[Any], epsilon: Any) -> Any:
    weight = math.exp(_number(epsilon))
    total = weight + len(options) - 1
    return REPLAY.draw([(each, (weight if each == value else 1) / total) for each in options])


def each(items: Any, function: Any, *, skip_none: bool = False) -> Any:
    if not isinstance(items, Mapping):
        return [found for item in items if (found := function(item)) is not None or not skip_none]
    found = {key: function(key, value) for key, value in items.items()}
    return {key: value for key, value in found.items() if value is not None or not skip_none}


def announce(value: object) -> None:
    REPLAY.letters.append(shown(value))


def shown(value: Any) -> object:
    """What an observer sees of a value: its type and all that is in it."""
    kind = type(value).__qualname__
    if isinstance(value, BaseException):
        names = {name for cls in type(value).__mro__ for name in vars(cls) if not name.startswith("_")}
        inside = {name: getattr(value, name, None) for name in names}
        plain = {name: each for name, each in inside.items() if not callable(each)}
        return kind, shown(value.args), shown(vars(value)), shown(dict(sorted(plain.items())))
    if isinstance(value, enum.Enum):
        return kind, value.name
    if isinstance(value, Mapping):
        return kind, tuple((shown(name), shown(each)) for name, each in value.items())
    if isinstance(value, set | frozenset):
        return kind, tuple(sorted(map(repr, map(shown, value))))
    if isinstance(value, list | tuple):
        return kind, tuple(map(shown, value))
    if is_dataclass(value) and not isinstance(value, type):
        return kind, tuple(shown(getattr(value, each.name)) for each in fields(value))
    return kind, kind if type(value).__repr__ is object.__repr__ else repr(value)


def law_of(attack: Any, secret: Mapping[str, object]) -> dict[object, float]:
    """Word → probability."""
    global REPLAY  # noqa: PLW0603 - the draws, which the code calls, have no other way to it
    options = attack.options
    letter = options.get("letter")
    masses: dict[object, float] = {}
    script: list[int] = []
    widths: list[int] = []
    while True:
        REPLAY = Replay()
        REPLAY.script, REPLAY.widths = script, widths
        try:
            value = attack.function(**options.get("constants", {}), **secret)
            last: object = ("returns", shown(letter(value) if letter else value))
        except Exception as error:
            if options.get("errors") != "announce":
                raise
            last = ("raises", shown(error))
        except Unlikely:
            last = ("unlikely",)
        word = (*REPLAY.letters, last)
        masses[word] = masses.get(word, 0.0) + REPLAY.mass
        if not REPLAY.advance():
            return masses


def delta_of(attack: Any) -> float:
    """The worst direction of the worst pair of secrets."""
    laws = [law_of(attack, secret) for secret in attack.secrets]
    factor = math.exp(_number(attack.epsilon))
    return max(
        math.fsum(max(0.0, mass - factor * other.get(word, 0.0)) for word, mass in one.items())
        for one in laws
        for other in laws
        if one is not other
    )


def stand_in() -> types.ModuleType:
    """A module `deltachain` whose draws are those above."""
    module = types.ModuleType("deltachain")
    draws = (flip, uniform, discrete_laplace, geometric, discrete_gaussian, choose, randomised_response)
    for stand in (*draws, each, announce):
        setattr(module, stand.__name__, stand)
    module.__getattr__ = {}.get  # type: ignore[method-assign]
    return module


def main() -> None:
    (theme,) = sys.argv[1:]
    sys.modules["deltachain"] = stand_in()
    time.sleep = lambda _: None
    import tests.attacks.collection as collection

    path = Path(__file__).parent / "cases" / f"{theme}.py"
    specification = importlib.util.spec_from_file_location(f"tests.attacks.cases.{theme}", path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    specification.loader.exec_module(module)
    for attack in collection.REGISTERED.get(theme, []):
        if attack.truth is not None and attack.enumerable:
            with contextlib.redirect_stdout(io.StringIO()):
                found = delta_of(attack)
            print(attack.name, repr(found), repr(attack.truth), file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
