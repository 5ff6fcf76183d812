"""Options of the command line: each with its one reader; all that is wrong with them is said at once.

argparse splits the command line and prints the help; it reads nothing. `read` reads every option of a verb by its
reader, and the checks of the verb that are about several. A verb asks by the option itself, ``asked[GAP]``, and gets
its value, typed.
"""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar, cast

from ..errors import Defect, InputError
from ..numbers.fraction import as_fraction, epsilon_of, format_fraction, in_brief
from ..parameters import as_order
from ..results.numbers import decimal

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

MOST_VALUES = 100_000
"""Of a list or a range."""


@dataclass(frozen=True, eq=False)
class Option(Generic[T_co]):
    """One option, or a positional argument: how it is written, what it means, and its reader.

    Attributes:
        flags: ``("--gap",)``, a short one first and other spellings last; a positional has its name, in capitals.
        help: what the help says.
        read: from what was given (text, a list of texts, a truth value; None if nothing was) and the option's name,
            to its value.
        group: the heading in the help.
        exclusive: options of one such word exclude each other.
        settings: more for argparse: metavar, nargs, action, default, choices.
    """

    flags: tuple[str, ...]
    help: str
    read: Callable[[Any, str], T_co]
    group: str = ""
    exclusive: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What a user calls it: its first flag in full."""
        return next((flag for flag in self.flags if flag.startswith("--")), self.flags[0])

    @property
    def dest(self) -> str:
        """Where argparse puts it."""
        return self.name.lstrip("-").replace("-", "_").lower()

    def default(self: Option[T | None], text: str) -> Option[T]:
        """The option with a text that stands for one that is not given."""
        return replace(
            cast("Option[T]", self), read=lambda given, place: self._of(text if given is None else given, place)
        )

    def abbreviate(self, flag: str) -> Option[T_co]:
        """The option, which may also be written in short."""
        return replace(self, flags=(flag, *self.flags))

    def require(self: Option[T | None], what: str, fix: str) -> Option[T]:
        """The option as one that must be given; what is said if it is not, and the fix."""

        def read(given: Any, place: str) -> T:
            if given is None:
                raise InputError(Defect(place, what, fix))
            return self._of(given, place)

        return replace(cast("Option[T]", self), read=read)

    def _of(self: Option[T | None], given: Any, place: str) -> T:
        return cast("T", self.read(given, place))


def value(
    flag: str, metavar: str, read: Callable[[Any, str], T], explained: str, group: str = "", exclusive: str = ""
) -> Option[T | None]:
    """An option with a value; None if it is not given."""

    def reader(given: Any, place: str) -> T | None:
        return None if given is None else read(given, place)

    return Option((flag,), explained, reader, group, exclusive, {"metavar": metavar})


def text(flag: str, metavar: str, explained: str, group: str = "", exclusive: str = "") -> Option[str | None]:
    """An option with a text."""
    return value(flag, metavar, lambda given, _: str(given), explained, group, exclusive)


def choice(flag: str, choices: Sequence[str], explained: str, group: str = "") -> Option[str | None]:
    """An option with one of some words."""
    return replace(text(flag, "", explained, group), settings={"choices": choices})


def switch(*flags: str, explained: str, group: str = "", exclusive: str = "") -> Option[bool]:
    """An option without a value."""
    return Option(flags, explained, lambda given, _: bool(given), group, exclusive, {"action": "store_true"})


def repeat_option(flag: str, metavar: str | tuple[str, ...], explained: str, group: str = "") -> Option[list[Any]]:
    """An option with one text, or as many as there are metavars, which may be given several times."""
    count = {} if isinstance(metavar, str) else {"nargs": len(metavar)}
    settings = {"action": "append", "metavar": metavar} | count
    return Option((flag,), explained, lambda given, _: list(given or []), group, "", settings)


def several(flag: str, metavar: str, explained: str, group: str = "") -> Option[list[str]]:
    """An option with one text or more, which may be given several times."""
    settings = {"nargs": "+", "action": "extend", "metavar": metavar}
    return replace(repeat_option(flag, metavar, explained, group), settings=settings)


def positional(name: str, explained: str, *, optional: bool = False) -> Option[Any]:
    """An argument without a flag."""
    return Option((name,), explained, lambda given, _: given, settings={"nargs": "?"} if optional else {})


class Asked(dict[Option[Any], Any]):
    """What a command asks: the value of every option of its verb, read; ``raw`` as it was typed, by `Option.dest`."""

    def __init__(self, values: Mapping[Option[Any], Any], raw: Mapping[str, Any]) -> None:
        super().__init__(values)
        self.raw = dict(raw)

    if TYPE_CHECKING:

        def __getitem__(self, option: Option[T]) -> T: ...

    def is_given(self, option: Option[Any]) -> bool:
        """Whether it was typed, be it right or wrong."""
        return self.raw.get(option.dest) not in (None, False)

    def list_typed(self, options: Iterable[Option[Any]]) -> list[str]:
        """Those of the options that were given, as they are typed."""
        words: list[str] = []
        for option in options:
            given = self.raw.get(option.dest)
            if given is True:
                words.append(option.name)
            elif isinstance(given, str):
                words += [option.name, given]
            else:
                for each in given or []:
                    words += [option.name, *([each] if isinstance(each, str) else each)]
        return words


Check = Callable[[Asked], Iterator[Defect]]
"""What can be wrong with several options together."""


def read(options: Iterable[Option[Any]], raw: Mapping[str, Any], checks: Iterable[Check] = ()) -> Asked:
    """Every option by its reader; InputError with all defects, those of the checks among them."""
    values: dict[Option[Any], Any] = {}
    defects: list[Defect] = []
    for option in options:
        try:
            values[option] = option.read(raw.get(option.dest), option.name)
        except InputError as error:
            values[option] = None
            defects += error.defects
    asked = Asked(values, raw)
    for check in checks:
        defects += check(asked)
    if defects:
        raise InputError(list(dict.fromkeys(defects)))
    return asked


def add_to(parser: argparse.ArgumentParser, options: Iterable[Option[Any]]) -> None:
    """Add the options to a parser, under their headings."""
    places: dict[str, Any] = {"": parser}
    exclusive: dict[str, Any] = {}
    for option in options:
        if option.group not in places:
            places[option.group] = parser.add_argument_group(option.group)
        place = places[option.group]
        if option.exclusive:
            if option.exclusive not in exclusive:
                exclusive[option.exclusive] = place.add_mutually_exclusive_group()
            place = exclusive[option.exclusive]
        if option.name.startswith("-"):
            place.add_argument(*option.flags, dest=option.dest, help=option.help, **option.settings)
        else:
            place.add_argument(option.dest, help=option.help, metavar=option.name, **option.settings)


def values_of(text: str, place: str) -> list[str]:
    """The values of a list ``1,2,3``, as they are typed; those of a range ``A:B:STEP``, ends included, each exactly."""
    if ":" in text:
        return [_show(number) for number in _range(text, place)]
    values = [part.strip() for part in text.split(",")]
    if not all(values):
        raise InputError(Defect(place, f"{text!r} is not a list of values", "write 1,2,3 or A:B:STEP"))
    return values


def epsilons_of(text: str, place: str) -> list[Fraction]:
    """Values of ε, each of them one that e^ε can be bounded for."""
    numbers = _range(text, place) if ":" in text else [as_fraction(part, place) for part in values_of(text, place)]
    return [epsilon_of(number) for number in numbers]


def orders_of(text: str, place: str) -> list[Fraction]:
    """Rényi orders, each above 1; none if there is no text. Raises InputError with all that are not."""
    orders: list[Fraction] = []
    defects: list[Defect] = []
    for part in values_of(text, place) if text else ():
        try:
            orders.append(as_order(part, place))
        except InputError as error:
            defects += error.defects
    if defects:
        raise InputError(defects)
    return orders


def _range(text: str, place: str) -> list[Fraction]:
    parts = text.split(":")
    if len(parts) != 3:
        raise InputError(Defect(place, f"{text!r} is not A:B:STEP", "write for example 0:2:0.1"))
    low, high, step = (as_fraction(part, place) for part in parts)
    if high < low or step <= 0:
        raise InputError(Defect(place, f"{text!r} is an empty range", "A ≤ B and STEP > 0"))
    count = int((high - low) / step) + 1
    if count > MOST_VALUES:
        many = f"{count:,}" if count < 10**15 else in_brief(Fraction(count))
        raise InputError(Defect(place, f"{many} values", f"at most {MOST_VALUES:,}"))
    return [low + i * step for i in range(count)]


def _show(number: Fraction) -> str:
    text = decimal(number)
    return format_fraction(number) if text.startswith("≈") or "e" in text else text


class Usage(InputError):
    """Arguments that are not those of the command."""


class _HelpLayout(argparse.RawDescriptionHelpFormatter):
    """Help as it was written; with room for the longest verb, whose indent argparse does not count."""

    def add_argument(self, action: argparse.Action) -> None:
        """Make room for one entry."""
        super().add_argument(action)
        if isinstance(action, argparse._SubParsersAction):
            self._action_max_length += self._indent_increment


class Parser(argparse.ArgumentParser):
    """An `ArgumentParser` whose complaints are InputErrors that say where the help is."""

    def __init__(self, others: Callable[[str], Sequence[str]] = lambda _: (), **settings: Any) -> None:
        """``others`` says which verbs have an option."""
        self._others = others
        # Abbreviated options would change their meaning when an option is added.
        style = {"allow_abbrev": False, "formatter_class": _HelpLayout}
        super().__init__(**(settings | style))
        self.color = False  # Python 3.14 colours help by default
        # -1e-3 and -1/3 are numbers too, and are refused as such, not as options that nobody has.
        self._negative_number_matcher = re.compile(r"-[0-9.]")

    def parse_known_args(self, *given: Any, **more: Any) -> Any:
        """Refuse what is not known: in the verb's own parser, which knows the options that it may be a slip for."""
        found, unknown = super().parse_known_args(*given, **more)
        if unknown:
            # The value of an unknown option is left over as well; to name it would only distract.
            options = [argument.partition("=")[0] for argument in unknown if argument.startswith("-")]
            self.error("; ".join(map(self._no_option, options)) or f"too many arguments: {' '.join(unknown)}")
        return found, unknown

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """Read ``--option=--`` as the value ``--``, which Python 3.11 drops like the one before positionals."""
        if action.option_strings and "--" in arg_strings:
            for each in arg_strings:
                self._check_value(action, each)
            return arg_strings[0] if action.nargs is None else arg_strings
        return super()._get_values(action, arg_strings)

    def _no_option(self, option: str) -> str:
        others = self._others(option)
        if others:
            several = f"{', '.join(others[:-1])} and {others[-1]} do" if len(others) > 1 else f"{others[0]} does"
            return f"{self.prog.rpartition(' ')[2]} has no {option} option; {several}"
        known = list(self._option_string_actions)
        near = [name for name in known if len(option) > 2 and name.startswith(option)]
        near = near or difflib.get_close_matches(option, known, n=1)
        return f"no option {option}" + (f" (did you mean {' or '.join(near)}?)" if near else "")

    def error(self, message: str) -> NoReturn:
        """Refuse the arguments, in one line: the usage of a verb is nine, and would hide what is wrong."""
        raise Usage(f"{message}; see {self.prog} --help")
