"""The argument parser that every verb shares: no abbreviations, no colour, errors in one style."""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from ..errors import InputError


class Usage(InputError):
    """Arguments that are not those of the command."""


class _Layout(argparse.RawDescriptionHelpFormatter):
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
        style = {"allow_abbrev": False, "formatter_class": _Layout}
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

    def _no_option(self, option: str) -> str:
        others = self._others(option)
        if others:
            several = f"{', '.join(others[:-1])} and {others[-1]} have" if len(others) > 1 else f"{others[0]} has"
            return f"no option {option} here; {several} it"
        known = list(self._option_string_actions)
        near = [name for name in known if len(option) > 2 and name.startswith(option)]
        near = near or difflib.get_close_matches(option, known, n=1)
        return f"no option {option}" + (f" (did you mean {' or '.join(near)}?)" if near else "")

    def error(self, message: str) -> NoReturn:
        """Refuse the arguments, in one line: the usage of a verb is nine, and would hide what is wrong."""
        raise Usage(f"{message}; see {self.prog} --help")
