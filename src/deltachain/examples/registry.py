"""The list of examples, and reading ``NAME,key=value,…``, as the command line writes them.

An example's parameters and defaults are those of its function; a parameter whose default is an int takes a
whole number, any other one an exact number such as ``49/100``.
"""

from __future__ import annotations

import difflib
import importlib
import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ..errors import Defect, InputError
from ..model import Chain

# (name, home, function, summary); a home is imported when first used, so that `import` is quick.
_FAMILIES = (
    ("coin", "biased_coin", "coin", "one toss of one of two biased coins: which coin was it?"),
    ("split-coin", "duplicated_ends", "split_coin", "one toss, ends of its own for each coin: bd is above δ"),
    ("dining-cryptographers", "diners", "dining_cryptographers", "n diners with biased coins: who paid?"),
    (
        "survey",
        "randomised_response",
        "survey",
        "randomised response, once or often: what is the true answer?",
    ),
    (
        "memoised-survey",
        "memoised_response",
        "memoised_survey",
        "a permanent noisy answer, reported with noise for ever",
    ),
    (
        "waiting-room",
        "hidden_decision",
        "waiting_room",
        "a decision at a hidden moment, shown with noise for ever",
    ),
    ("geometric", "geometric_mechanism", "geometric", "a count published with truncated geometric noise"),
    (
        "geometric-counter",
        "running_count",
        "geometric_counter",
        "a running count, published with noise at every step",
    ),
    ("clamped-geometric", "cut_noise", "clamped_geometric", "a count published with noise that is cut off"),
    ("partial-sum", "running_sums", "partial_sum", "the noisy sum of bits: what was the first one?"),
    ("smart-sum", "running_sums", "smart_sum", "noisy sums after every bit, by blocks: what was the first one?"),
    ("histogram", "histograms", "histogram", "noisy counts of bins: where is one person?"),
    ("rappor", "bloom_reports", "rappor", "RAPPOR, one-time or again and again: which value was reported?"),
    ("noisy-max", "noisy_maximum", "noisy_max", "the largest of noisy answers, right and wrong: what are they?"),
    ("sparse-vector", "above_threshold", "sparse_vector", "SVT 1 to 6, right and wrong: which answers are above?"),
    ("crowds", "crowds_routing", "crowds", "requests passed around a crowd with corrupt members: who sent?"),
    ("pin-checker", "pin_feedback", "pin_checker", "guesses at a PIN, answered with noise: which PIN is it?"),
    ("sticky-sensor", "sensor", "sticky_sensor", "noisy readings of a mode that changes slowly, for ever"),
    ("mix", "mix_cascade", "mix", "mixes that sometimes forget to shuffle: which message was it?"),
    ("probe", "hidden_mode", "probe", "a device in a hidden mode: probe it first, or ask at once?"),
    ("lockout", "pin_lock", "lockout", "a lock with attempts, back-off and noise: which PIN is it?"),
    ("query-budget", "counting_queries", "query_budget", "noisy counts of chosen groups: what is in the database?"),
    ("adaptive-survey", "interviews", "adaptive_survey", "direct or indirect questions: what is the true answer?"),
    ("random", "random_chains", "random_chain", "a random chain from a seed"),
)

HOMES = {function: home for _, home, function, _ in _FAMILIES}
"""Function → the module of this package that it lives in."""


@dataclass(frozen=True, slots=True)
class Example:
    """One family of the zoo: its name, its parameters with their defaults as text, and how to build it."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    summary: str
    build: Callable[..., Chain]


def catalogue() -> tuple[Example, ...]:
    """All examples, simplest first.

    >>> [example.name for example in catalogue()][:3]
    ['coin', 'split-coin', 'dining-cryptographers']
    """
    found = []
    for name, _, function, summary in _FAMILIES:
        family = load(function)
        parameters = tuple((key, str(default)) for key, default in _defaults(family).items())
        found.append(Example(name, parameters, summary, family))
    return tuple(found)


def load(function: str) -> Callable[..., Chain]:
    """An example's function, by its Python name."""
    home = importlib.import_module(f".{HOMES[function]}", __package__)
    found: Callable[..., Chain] = getattr(home, function)
    return found


def build(spec: str) -> Chain:
    """The chain that ``"NAME"`` or ``"NAME,key=value,…"`` describes; InputError with every defect otherwise.

    >>> build("dining-cryptographers,n=2,p=49/100")
    <Chain: 19 states, 25 transitions, 4 labels, 1 pair>
    """
    name, *settings = (piece.strip() for piece in spec.split(","))
    functions = {known: function for known, _, function, _ in _FAMILIES}
    if name not in functions:
        what = f"no example {name!r}" if name else "no example is named"
        raise InputError(Defect("", what, _known(name.replace("_", "-"), functions, "examples")))
    family = load(functions[name])
    return family(**_arguments(name, settings, _defaults(family)))


def _arguments(name: str, settings: list[str], defaults: dict[str, int | str]) -> dict[str, int | str]:
    """The keyword arguments that the settings give; every defect at once."""
    arguments: dict[str, int | str] = {}
    defects = []
    where = f"example {name}"
    for setting in settings:
        key, equals, text = (part.strip() for part in setting.partition("="))
        if not equals:
            defects.append(Defect(where, f"{setting!r} is not a setting", "write key=value, separated by commas"))
        elif key not in defaults:
            defects.append(Defect(where, f"no parameter {key!r}", _known(key, defaults, "parameters")))
        elif key in arguments:
            defects.append(Defect(where, f"{key} is given twice", "keep one of the two"))
        elif not isinstance(defaults[key], int):
            arguments[key] = text
        elif _is_whole(text):
            arguments[key] = int(text)
        else:
            arguments[key] = 0  # so that giving it again is found too; the defect below is raised anyway
            defects.append(Defect(where, f"{key}={text} is not a whole number", f"such as {key}={defaults[key]}"))
    if defects:
        raise InputError(defects)
    return arguments


def _is_whole(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) <= 100


def _defaults(function: Callable[..., Chain]) -> dict[str, int | str]:
    return {key: parameter.default for key, parameter in inspect.signature(function).parameters.items()}


def _known(wrong: str, names: Iterable[str], what: str) -> str:
    """A near miss, if there is one, and all the names there are."""
    listed = list(names)
    near = difflib.get_close_matches(wrong, listed, n=1)
    return (f"did you mean {near[0]}? " if near else "") + f"{what} are {', '.join(listed)}"
