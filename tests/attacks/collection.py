"""What an attack is: a plain function, the question about it, the truth, and the outcomes that are acceptable.

The decorators hand the function back as it was. ``δ`` is that of the pair of secrets at the given ε, of the function as
it runs in production: it is worked out by hand or from the laws alone, and compared with an enumeration by
`tests.attacks.enumeration`.
"""

from __future__ import annotations

import importlib
import math
import pkgutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Function = Callable[..., object]

ANSWERS = frozenset({"private", "violated"})
NO_ANSWER = frozenset({"refused", "raised", "stopped", "undecided"})
"""No verdict: refused with a reason, an exception of the code's own, out of time, or undecided."""

ENOUGH = 1e-9
"""The truth is known to this accuracy."""


@dataclass(frozen=True)
class Attack:
    """One function and one question about it."""

    function: Function
    kind: str  # "law", "honest", "impure", "ends" or "assumed"
    truth: float | None  # δ at ε, if the function has a law
    why: str
    secrets: Sequence[Mapping[str, object]]
    epsilon: object
    delta: object
    options: Mapping[str, Any] = field(default_factory=dict)  # of `from_code`
    leaks: bool = False  # without a law, yet it does give the secret away
    may_die: bool = False  # it kills processes: a run that ends by a signal is no answer either
    enumerable: bool = True

    @property
    def name(self) -> str:
        return f"{self.theme}:{self.function.__name__}"

    @property
    def theme(self) -> str:
        return self.function.__module__.rpartition(".")[2]

    @property
    def limit(self) -> float:
        """Seconds that the tool is given."""
        return float(self.options.get("timeout", 60 if self.kind == "honest" else 20))

    @property
    def right(self) -> frozenset[str]:
        """The verdicts that are true."""
        if self.truth is not None:
            return frozenset({"private" if self.truth <= float(str(self.delta)) else "violated"})
        return frozenset({"violated"}) if self.leaks else frozenset()

    @property
    def acceptable(self) -> frozenset[str]:
        """Honest code gets its verdict; of any other, a verdict is right or there is none."""
        if self.kind == "honest":
            return self.right
        return NO_ANSWER | self.right | (frozenset({"died"}) if self.may_die else frozenset())


REGISTERED: dict[str, list[Attack]] = {}
"""Theme → attacks, in the order of the file. Filled while the modules of cases are imported."""

TWO = ({"secret": 0}, {"secret": 1})


OF_THE_QUESTION = {"secrets", "epsilon", "delta", "leaks", "may_die", "enumerable"}


def _register(kind: str, truth: float | None, why: str, **settings: Any) -> Callable[[Function], Function]:
    def register(function: Function) -> Function:
        chosen: dict[str, Any] = {"secrets": TWO, "epsilon": 0, "delta": 0}
        chosen |= {name: settings[name] for name in settings if name in OF_THE_QUESTION}
        options = {name: value for name, value in settings.items() if name not in OF_THE_QUESTION}
        attack = Attack(function, kind, truth, why, options=options, **chosen)
        known = REGISTERED.setdefault(attack.theme, [])
        known[:] = [each for each in known if each.name != attack.name] + [attack]
        return function

    return register


def law(truth: float, why: str = "", **settings: Any) -> Callable[[Function], Function]:
    """A function of its arguments and draws whose δ is known; refusing it is acceptable, a wrong verdict is not."""
    return _register("law", float(truth), why, **settings)


def honest(truth: float, why: str = "", **settings: Any) -> Callable[[Function], Function]:
    """Ordinary code that must get the right verdict."""
    return _register("honest", float(truth), why, **settings)


def impure(why: str = "", **settings: Any) -> Callable[[Function], Function]:
    """It is not a function of its arguments and draws. ``leaks``: it gives the secret away all the same."""
    return _register("impure", None, why, **({"enumerable": False} | settings))


def ends(why: str = "", **settings: Any) -> Callable[[Function], Function]:
    """It ends its process, never ends, or eats the machine."""
    return _register("ends", None, why, **({"enumerable": False} | settings))


def assumed(why: str, **settings: Any) -> Callable[[Function], Function]:
    """No run can show it: it must be refused, or the answer must say what it assumes."""
    return _register("assumed", None, why, **({"enumerable": False} | settings))


def laplace_mass(scale: float, low: float, high: float) -> float:
    """P(low ≤ Z ≤ high) for P(Z = z) ∝ e^(−|z|/scale), summed term by term."""
    ratio = math.exp(-1 / scale)
    first = (1 - ratio) / (1 + ratio)
    reach = int(60 * scale) + 60
    values = range(max(-reach, math.ceil(max(low, -reach))), min(reach, math.floor(min(high, reach))) + 1)
    return math.fsum(first * ratio ** abs(value) for value in values)


def laplace_delta(scale: float, shift: int, epsilon: float = 0.0) -> float:
    """δ between Z and Z + shift at ε: the hockey-stick divergence, summed term by term."""
    ratio = math.exp(-1 / scale)
    first = (1 - ratio) / (1 + ratio)
    reach = int(60 * scale) + 60 + abs(shift)
    return math.fsum(
        max(0.0, first * ratio ** abs(value) - math.exp(epsilon) * first * ratio ** abs(value - shift))
        for value in range(-reach, reach + 1)
    )


def themes() -> list[str]:
    from tests.attacks import cases

    return sorted(found.name for found in pkgutil.iter_modules(cases.__path__) if not found.name.startswith("_"))


def attacks(theme: str | None = None) -> Iterator[Attack]:
    """All attacks, or those of one theme."""
    for each in themes() if theme is None else [theme]:
        importlib.import_module(f"tests.attacks.cases.{each}")
        yield from REGISTERED[each]
