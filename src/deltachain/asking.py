"""What every verb reads first: the model, its pairs, the token of the call; and how answers are checked."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from . import programs
from .beliefs.question import StateName as StateName
from .beliefs.question import asked_pairs
from .beliefs.workspace import Workspace
from .cancel import Cancel, ProgressCallback
from .cancel import interruptible as until_interrupted
from .errors import Defect, InputError
from .loading import load_with_notes
from .model import Chain, Loaded
from .parameters import Secrets, as_seconds, respell
from .results.scope import ONLY_THESE, Covered
from .settings import Settings

if TYPE_CHECKING:
    from .certificate.inspection import Inspection
    from .loading import AnyModel

Pairs = Iterable[tuple[StateName, StateName]]


@dataclass(frozen=True)
class Inquiry:
    """What is asked about, once it is read; every verb takes it in place of a model.

    Attributes:
        model: the model, with what there is to say about it.
        pairs: the pairs that are compared, by number; none where it is asked about each state or every pair.
        covers: which inputs an answer covers.
    """

    model: Loaded
    pairs: tuple[tuple[int, int], ...]
    covers: Covered = ONLY_THESE

    @property
    def chain(self) -> Chain:
        """The chain of the model."""
        return self.model.chain


def load_inquiry(
    model: AnyModel | Inquiry,
    settings: Settings,
    s: StateName | None = None,
    t: StateName | None = None,
    pairs: Pairs | str | None = None,
) -> Inquiry:
    """The chain, the pairs that are asked about, by number, and how they were chosen."""
    if isinstance(model, Inquiry):
        return model
    neighbours, sample = settings.neighbours, settings.sample
    if neighbours is not None and (s is not None or pairs is not None):
        raise InputError(Defect("neighbours", "pairs are named as well", "give them in one way"))
    if sample is not None and (s is not None or pairs is not None):
        raise InputError(Defect("sample", "pairs are named as well", "draw them, or name them"))
    loaded = load_with_notes(model, settings)
    numbers = asked_pairs(loaded.chain, s, t, pairs)
    if isinstance(neighbours, str):  # a function may look at more than the chain records
        numbers = programs.ordered_neighbours(loaded.chain, neighbours)
    chosen = s is None and pairs is None
    covers = inputs_of(loaded, chosen, neighbours is not None, sample is not None)
    return Inquiry(loaded, tuple(numbers), covers)


def load_chain(
    model: AnyModel | Inquiry, secrets: Secrets | None, cancel: Cancel, *, sandwiched: bool = False
) -> Chain:
    """The chain, where it is asked about each state or every pair; ``sandwiched`` as in `Settings`."""
    if isinstance(model, Inquiry):
        return model.chain
    return load_with_notes(model, Settings(secrets=secrets, sandwiched=sandwiched, cancel=cancel)).chain


def inputs_of(loaded: Loaded, chosen: bool, by_rule: bool, drawn: bool) -> Covered:
    """What an answer covers; ``chosen`` says that the pairs are those of the model, not named one by one."""
    several = chosen and loaded.secrets is not None and (loaded.secrets > 2 or drawn)
    return Covered(loaded.secrets, by_rule, drawn, loaded.copies if chosen else 0) if several else Covered()


@contextmanager
def cancel_scope(
    cancel: Cancel | None, timeout: float | None, report: ProgressCallback | None, interruptible: bool
) -> Iterator[Cancel]:
    """The token of one call: the caller's own, or a new one, which Ctrl-C sets if ``interruptible``."""
    if cancel is not None:
        if timeout is not None or report is not None or interruptible:
            raise InputError("cancel: it brings its own timeout, report and interruption; give it alone")
        yield cancel
        return
    cancel = Cancel(None if timeout is None else as_seconds(timeout), report)
    with until_interrupted(cancel) if interruptible else nullcontext():
        yield cancel


def make_inspection(chain: Chain, cancel: Cancel, check: bool) -> Inspection | None:
    """What checks the answers of one call, if they are to be checked."""
    if not check:
        return None
    from .certificate.inspection import Inspection

    return Inspection.of(chain, cancel)


def load_composed(models: Sequence[AnyModel | Loaded], cancel: Cancel) -> list[Loaded]:
    """The models that run beside another one, with their names."""
    if isinstance(models, str | Path):
        raise InputError(Defect("compose", f"{str(models)!r} is one model", "give a list of them"))
    return [model if isinstance(model, Loaded) else load_with_notes(model, Settings(cancel=cancel)) for model in models]


def names_of(work: Workspace) -> tuple[tuple[str, str], ...]:
    """The pairs of a workspace, by name."""
    return tuple((work.chain.states[a], work.chain.states[b]) for a, b in work.pairs)


# Names.

Given = ParamSpec("Given")
Found = TypeVar("Found")

CALLED = {"alpha": "exp_epsilon", "merge": "quotient"}
"""What readers of the papers, and those who know the command line, try first → what it is called."""


def reject_renamed_arguments(verb: Callable[Given, Found]) -> Callable[Given, Found]:
    """The verb; an argument that has another name here is an InputError that says so."""
    known = inspect.signature(verb).parameters

    @wraps(verb)
    def call(*args: Given.args, **kwargs: Given.kwargs) -> Found:
        kwargs = respell(kwargs)  # type: ignore[assignment]  # the same arguments
        other = [name for name in kwargs if CALLED.get(name) in known and name not in known]
        if other:
            raise InputError([Defect(name, f"called {CALLED[name]} here", f"give {CALLED[name]}=…") for name in other])
        return verb(*args, **kwargs)

    return call
