"""`calibrate`: the best value of one parameter at which (ε, δ) is proved, and its neighbour at which it is refuted.

Values are those of a grid. Where one end is private and the other is not, bisection keeps one value that is proved and
one that is not, until they are neighbours: about log₂ of the number of values are examined. The pair that is found is
proved and refuted whatever lies between the others; that no better value exists rests on privacy being monotone in the
parameter, unless all values are examined, or δ is known as a function of it (`parametric`): then the values at which
it is too large are known, and only the two beside their border are examined.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

from ...asking import cancel_scope, load_inquiry, make_inspection
from ...beliefs.question import StopReason, Terms
from ...cancel import Cancel, ProgressCallback
from ...errors import Defect, InputError, SolverError, Stopped
from ...loading import EXAMPLE, is_code, is_program, program_of
from ...model import Chain
from ...numbers.fraction import Number, as_fraction, format_fraction, in_brief
from ...parameters import Neighbours, Secrets, accept_spellings, list_secrets
from ...programs.language.source import suggestion
from ...programs.secrets.domains import Domain
from ...results.scope import Scope
from ...settings import Settings
from ..delta.show import Verdict
from ..delta.verb import delta_of
from ..parametric.verb import parametric
from .show import Calibration, Goal, TriedValue

if TYPE_CHECKING:
    from ...code.replay import Isolate
    from ...programs import Program
    from ...programs.run.events import Accuracy
    from ..parametric.show import Parametric

MOST_VALUES, MOST_EXAMINED = 10**12, 10_000
"""How many values a grid may have, and how many of them may be examined one by one."""
MOST_BELIEFS = 20_000
"""How many belief pairs are met, for each pair, to find δ as a function of the parameter."""


class ValueGrid(Sequence[Fraction]):
    """The values from ``low`` to ``high`` in equal steps, not written out."""

    def __init__(self, low: Fraction, high: Fraction, step: Fraction) -> None:
        self.low, self.step, self._count = low, step, int((high - low) / step) + 1

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Fraction: ...
    @overload
    def __getitem__(self, index: slice) -> list[Fraction]: ...
    def __getitem__(self, index: int | slice) -> Fraction | list[Fraction]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(self._count))]
        return self.low + range(self._count)[index] * self.step


def read_parameter(
    given: str | Mapping[str, Iterable[Number]], step: Number | None = None, place: str = "parameter"
) -> tuple[str, Sequence[Fraction]]:
    """Name and values of ``"scale=1:100"``, ``"scale=1,2,5"`` or ``{"scale": […]}``, in increasing order."""
    fix = "write scale=1:100, or scale=1,2,5"
    if isinstance(given, Mapping):
        if len(given) != 1:
            raise InputError(Defect(place, f"{len(given)} parameters", "give one"))
        ((name, listed),) = given.items()
    else:
        name, equals, text = (part.strip() for part in given.partition("="))
        if not equals or not name.isidentifier() or not text:
            raise InputError(Defect(place, f"{given!r} cannot be read", fix))
        if ":" in text:
            return name, _grid(text, step, place)
        listed = text.split(",")
    if step is not None:
        raise InputError(Defect(place, "a list of values has no step", "give A:B, or leave the step out"))
    values = sorted({as_fraction(value.strip() if isinstance(value, str) else value, place) for value in listed})
    if len(values) < 2:
        raise InputError(Defect(place, f"{len(values)} values: there is nothing to choose", fix))
    return name, values


def _grid(text: str, step: Number | None, place: str) -> ValueGrid:
    low, _, rest = text.partition(":")
    high, again, own = rest.partition(":")
    if again and step is not None:
        raise InputError(Defect(place, "the step is given twice", "give it once"))
    width = as_fraction(own if again else 1 if step is None else step, place)
    ends = as_fraction(low.strip(), place), as_fraction(high.strip(), place)
    if width <= 0:
        raise InputError(Defect(place, f"the step {format_fraction(width)} is not positive", "give a step above 0"))
    if ends[1] < ends[0]:
        raise InputError(Defect(place, f"{text!r} ends below its start", f"write {high.strip()}:{low.strip()}"))
    if ends[1] - ends[0] < width:
        raise InputError(Defect(place, f"{text!r} has fewer than two values", "give a smaller step, or more room"))
    count = (ends[1] - ends[0]) / width + 1
    if count > MOST_VALUES:
        raise InputError(Defect(place, f"{in_brief(Fraction(int(count)))} values", f"at most {MOST_VALUES:,}"))
    return ValueGrid(*ends, width)


@accept_spellings
def calibrate(
    model: Program | Callable[..., object] | str | Path,
    *,
    parameter: str | Mapping[str, Iterable[Number]],
    delta: Number,
    epsilon: Number | None = None,
    exp_epsilon: Number | None = None,
    step: Number | None = None,
    goal: Goal | None = None,
    every: bool = False,
    accuracy: str | None = None,
    secrets: Secrets | None = None,
    neighbours: Neighbours | None = None,
    constants: Mapping[str, object] | None = None,
    isolate: Isolate | None = None,
    noise: Literal["open", "integers"] | None = None,
    gap: Number | None = None,
    max_nodes: int | None = None,
    check: bool = True,
    timeout: float | None = None,
    report: ProgressCallback | None = None,
    interruptible: bool = False,
    cancel: Cancel | None = None,
) -> Calibration:
    """The best value of a parameter at which every pair is proved to be (ε, δ)-private, and the next, which is refuted.

    Args:
        model: a program, a function that is run at each value, or what `load` takes if it has constants; an example by
            name.
        parameter: the constant and its values: ``"scale=1:100"``, ``"scale=1,2,5"``, or ``{"scale": range(1, 101)}``.
        delta: the δ that is allowed, from 0 to 1.
        epsilon: the privacy parameter ε ≥ 0.
        exp_epsilon: e^ε ≥ 1 itself, in place of ε.
        step: the step of ``A:B`` (default: 1).
        goal: ``"smallest"`` or ``"largest"``: which value is the best (default: seen from which end is private).
        every: examine every value; otherwise privacy is assumed to be monotone in the parameter, unless δ is known as a
            function of it (`parametric`).
        accuracy: an event of a run of a program, such as ``"abs(output - count) <= 3"``: how likely it is at least,
            whatever the secret, is found at each value that is examined (`Program.accuracy`).
        secrets: the inputs of a program: dicts, or a whole ``domain(q=…)``.
        neighbours: which two of them are compared, as in `load` (default: every two).
        constants: values of other constants.
        isolate: where a function is run, as in `from_code`.
        noise: what it is given for noise, as in `from_code`.
        gap: stop also when an interval is at most this wide.
        max_nodes: stop after so many search nodes, for each value.
        check: the checker must accept certificates before there is a result (up to a size).
        timeout: stop after so many seconds.
        report: a function that is given progress as text.
        interruptible: let Ctrl-C end the search with what was found.
        cancel: a token of the caller's that stands for timeout, report and interruption.

    Raises:
        InputError: the question does not apply to this model; all defects at once.

    >>> found = calibrate("example:survey", parameter="p=51/100:99/100:1/100", exp_epsilon=3, delta="1/20")
    >>> found.best, found.refuted
    (Fraction(19, 25), Fraction(77, 100))
    """
    terms = Terms.read(epsilon=epsilon, exp_epsilon=exp_epsilon, gap=gap, allowed=delta, max_nodes=max_nodes)
    name, values = read_parameter(parameter, step)
    if isinstance(model, Chain):
        raise InputError(Defect("model", "a chain has no parameters", "give the program that it was made from"))
    known = {} if constants is None else dict(constants)
    running = {key: given for key, given in (("isolate", isolate), ("noise", noise)) if given is not None}
    if running and not is_code(model):
        raise InputError(Defect(name, "it is about code that is run", "drop it") for name in running)
    if name in known:
        raise InputError(Defect("constants", f"{name!r} is the parameter", "leave it out"))
    if secrets is not None and not isinstance(secrets, Sequence):
        secrets = list_secrets(secrets)
    _require_parameter(model, name, secrets)
    with cancel_scope(cancel, timeout, report, interruptible) as cancel:

        def examine(value: Fraction) -> Examined:
            source, constants = _at(model, name, value, known)
            # What is wrong with an event is found before the search begins.
            likely = None
            if accuracy is not None:
                program, given = program_of(source, constants)
                part = cancel.during(f"accuracy at {name} = {format_fraction(value)}")
                likely = program.accuracy(accuracy, secrets, constants=given, cancel=part)
            settings = Settings(
                secrets=secrets, neighbours=neighbours, constants=constants, running=running, cancel=cancel
            )
            inquiry = load_inquiry(source, settings)
            inspection = make_inspection(inquiry.chain, cancel, check)
            question = terms.about(inquiry.chain, inquiry.pairs)
            found = delta_of(question, cancel, inspection, inquiry.covers)
            if not isinstance(found, Verdict):
                raise InputError("delta: the δ that is allowed is missing")
            return Examined(found, likely)

        def border(goal: Goal) -> KnownBorder | None:
            settings = {"secrets": secrets, "neighbours": neighbours, "constants": known}
            return _border(model, name, values, goal, terms, settings | {"cancel": cancel, "check": check})

        return calibration_of(terms, name, values, goal, every, examine, cancel, border)


def _require_parameter(model: Program | Callable[..., object] | str | Path, name: str, secrets: Secrets | None) -> None:
    """InputError where the model is a program that has no such parameter, or where it has a value already."""
    if not is_program(model):
        return
    program, given = program_of(model, {})
    if name in given:
        raise InputError(Defect("parameter", f"{model} gives {name!r} a value", "leave the value out"))
    known = secrets.columns if isinstance(secrets, Domain) else next(iter(secrets or ()), ())
    if name in known:
        raise InputError(Defect("parameter", f"{name!r} is part of the secrets", "give another parameter"))
    names = [parameter.name for parameter in program.parameters]
    if name not in names:
        fix = suggestion(name, names, "the parameters are")
        raise InputError(Defect("parameter", f"{program.name} has no parameter {name!r}", fix))


class Examined(NamedTuple):
    """What was found at one value."""

    verdict: Verdict
    accuracy: Accuracy | None = None


class KnownBorder(NamedTuple):
    """Every better value than ``at``, up to the end of the grid, is violated."""

    at: Fraction
    proof: Parametric | None = None
    """Where that is known from."""


def _border(
    model: Any,
    name: str,
    values: Sequence[Fraction],
    goal: Goal,
    terms: Terms,
    settings: Mapping[str, Any],
) -> KnownBorder | None:
    """From where on every better value is violated, up to the end of the grid; None where that is not found.

    It is asked at a rational number that is no less than e^ε: δ falls in e^ε, so what is violated there is violated.
    """
    limit, alpha = terms.allowed, format_fraction(terms.at.above)
    interval = f"{name}={format_fraction(values[0])}:{format_fraction(values[-1])}"
    try:
        found = parametric(
            model, parameter=interval, exp_epsilon=alpha, delta=limit, max_nodes=MOST_BELIEFS, **settings
        )
    except (InputError, SolverError):
        return None  # not every program is one of rational functions of the parameter: nothing is known then
    if not found.violated:
        return None
    start, end = found.violated[0] if goal == "smallest" else found.violated[-1]
    if goal == "smallest":
        return KnownBorder(end.low, found) if start.high <= values[0] else None
    return KnownBorder(start.high, found) if end.low >= values[-1] else None


def _at(
    model: Program | Callable[..., object] | str | Path, name: str, value: Fraction, constants: Mapping[str, object]
) -> tuple[Program | Callable[..., object] | str | Path, Mapping[str, object]]:
    """The model with the parameter at a value, and its constants."""
    if isinstance(model, str) and model.startswith(EXAMPLE):
        return f"{model},{name}={format_fraction(value)}", constants
    given: object = int(value) if value.denominator == 1 else value
    return model, {**constants, name: given}


def calibration_of(
    terms: Terms,
    name: str,
    values: Sequence[Fraction],
    goal: Goal | None,
    every: bool,
    examine: Callable[[Fraction], Examined],
    cancel: Cancel,
    border: Callable[[Goal], KnownBorder | None] = lambda _: None,
) -> Calibration:
    """`calibrate` of values in increasing order.

    Args:
        terms: what is asked at each of them.
        name: the parameter.
        values: the grid.
        goal: which value is the best.
        every: examine them all.
        examine: what is found at one value.
        cancel: where progress goes.
        border: from where on every better value is violated, up to the end of the grid, if that is known.
    """
    found: dict[int, Examined] = {}

    def private(place: int) -> bool:
        if place not in found:
            cancel.report(f"{name} = {format_fraction(values[place])}, {len(found) + 1} values examined")
            found[place] = examine(values[place])
        return found[place].verdict.verdict == "private"

    last = len(values) - 1
    if every and len(values) > MOST_EXAMINED:
        raise InputError(Defect("parameter", f"{len(values):,} values are too many to examine", "give fewer"))
    stopped: StopReason = "finished"
    try:
        proved = [place for place in (range(last + 1) if every else (0, last)) if private(place)]
        goal = goal or _seen_from_ends(proved, last)
        best, beyond, sure, everywhere = _search(values, proved, goal, every, private, border)
        if any(examined.verdict.interrupted for examined in found.values()):
            stopped = cancel.reason or "interrupted"
    except Stopped:
        if not found:
            raise  # there is nothing to tell
        stopped = cancel.reason or "interrupted"
        goal = goal or (_seen_from_ends([place for place in found if private(place)], last) if last in found else None)
        best, beyond, sure, everywhere = _cut_off(found, goal)
    refuted = beyond is not None and found[beyond].verdict.verdict == "violated"
    # δ as a function of the parameter says nothing of the grid's own end: that it is not proved is not enough there.
    end = found.get(0 if goal == "smallest" else last)
    if not (refuted and end is not None and end.verdict.verdict == "violated"):
        sure = everywhere = None
    first = next(iter(found.values())).verdict
    proof = None if best is None else found[best].verdict
    refutation = found[beyond].verdict if beyond is not None and refuted else None
    deciding = [verdict for verdict in (proof, refutation) if verdict is not None]
    return Calibration(
        parameter=name,
        exp_epsilon=terms.at,
        delta=Fraction(0) if terms.allowed is None else terms.allowed,
        goal=goal,
        best=None if best is None else values[best],
        refuted=values[beyond] if beyond is not None and refuted else None,
        tried=tuple(
            TriedValue(values[place], verdict.verdict, *verdict.bounds, accuracy)
            for place, (verdict, accuracy) in sorted(found.items())
        ),
        monotone_assumed=not every and best not in (None, 0 if goal == "smallest" else last) and sure is None,
        beyond=sure,
        beyond_proof=everywhere,
        stopped=stopped,
        covers=first.covers,
        covered=first.covered,
        proof=proof,
        refutation=refutation,
        scope=Scope.resting_on(v.scope for v in deciding or [examined.verdict for examined in found.values()]),
    )


class _Found(NamedTuple):
    """The places of the best value that is proved, and of its neighbour that is not; None where there is none."""

    best: int | None
    beyond: int | None
    violated: tuple[Fraction, Fraction] | None = None
    """Between these, whose better end is that of the grid, every value is known to be violated."""
    everywhere: Parametric | None = None
    """Where that is known from."""


def _seen_from_ends(proved: Sequence[int], last: int) -> Goal | None:
    """One end is private and the other is not: the best value is the last private one on the way to the other."""
    return None if (0 in proved) == (last in proved) else "largest" if 0 in proved else "smallest"


def _cut_off(found: Mapping[int, Examined], goal: Goal | None) -> _Found:
    """The best of the values that were examined before the search was cut off, and its neighbour if that is one."""
    proved = [place for place, (verdict, _) in found.items() if verdict.verdict == "private"]
    if goal is None or not proved:
        return _Found(None, None)
    best = min(proved) if goal == "smallest" else max(proved)
    beyond = best - 1 if goal == "smallest" else best + 1
    return _Found(best, beyond if beyond in found else None)


def _search(
    values: Sequence[Fraction],
    proved: Sequence[int],
    goal: Goal | None,
    every: bool,
    private: Callable[[int], bool],
    border: Callable[[Goal], KnownBorder | None],
) -> _Found:
    if not proved or goal is None:
        return _Found(None, None)
    last = len(values) - 1
    step = -1 if goal == "smallest" else 1
    end = 0 if goal == "smallest" else last
    if every or end in proved:
        best = min(proved) if goal == "smallest" else max(proved)
        return _Found(best, None if best == end else best + step)
    # ``inside`` is private and ``outside`` is not, until they are neighbours.
    inside, outside = last - end, end
    known = border(goal)
    if known is not None:
        # Every value beyond the border is violated: the best one is at it, if it is private there.
        place = bisect_left(values, known.at) if goal == "smallest" else bisect_right(values, known.at) - 1
        if private(place):
            inside, outside = place, place + step
            private(outside)
        else:
            outside = place
        violated = (values[0], known.at) if goal == "smallest" else (known.at, values[-1])
        if abs(outside - inside) == 1 or private(outside - step):
            return _Found(outside - step, outside, violated, known.proof)
    while abs(outside - inside) > 1:
        middle = (inside + outside) // 2
        if private(middle):
            inside = middle
        else:
            outside = middle
    return _Found(inside, outside)
