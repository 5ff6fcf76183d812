"""`parametric`: δ as an exact function of one parameter; private for every value of it, or exactly where not."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..beliefs.graph.losses import find_outcomes
from ..beliefs.graph.parametric import DeltaCurve, pieces, supremum, violations
from ..beliefs.question import Budget, Terms, asked_pairs
from ..beliefs.workspace import Workspace
from ..cancel import Cancel, Report
from ..errors import Defect, InputError, SolverError
from ..loading import load_with_notes, split_program
from ..model import Chain, Loaded, PointRow
from ..numbers.bernstein import isolate, refined
from ..numbers.fraction import Number, as_probability
from ..numbers.parameter import OpenParameter, Ratio
from ..numbers.real import made
from ..results.parametric import Parametric
from .asking import Pairs, Secrets, State, inputs_of, inspected, watching
from .delta import delta_of

if TYPE_CHECKING:
    from ..programs import Program

MOST_CURVES = 12
"""Up to so many different curves the largest is given piece by piece."""


def parametric(
    model: Program | str | Path,
    s: State | None = None,
    t: State | None = None,
    *,
    parameter: str,
    exp_epsilon: str | Number,
    delta: Number | None = None,
    maximum: bool = False,
    at: str | None = None,
    pairs: Pairs | None = None,
    secrets: Secrets | None = None,
    neighbours: str | None = None,
    constants: Mapping[str, object] | None = None,
    max_nodes: int | None = None,
    timeout: float | None = None,
    report: Report | None = None,
    interruptible: bool = False,
    cancel: Cancel | None = None,
) -> Parametric:
    """δ at every value of one parameter: where it is at most what is allowed, its pieces, and its supremum.

    Args:
        model: a program with one constant left open, or a native file with formulas in it.
        s: a start state, by name or number.
        t: the start state that it is compared with.
        parameter: the constant and its open interval, ``"u=0:1"``.
        exp_epsilon: e^ε, a number or a formula in the parameter such as ``"u^-4"``, at least 1 on the interval.
        delta: the δ that is allowed: is it, for every value?
        maximum: find the supremum over the interval.
        at: also find δ at one value, such as ``"exp(-1/40)"``, as `delta` does.
        pairs: pairs of states, in place of ``s`` and ``t``.
        secrets: what a program starts from.
        neighbours: which of them are compared, as of `load`; without it, every two.
        constants: values of other constants.
        max_nodes: how many belief pairs may be met for a pair.
        timeout: stop after so many seconds: then there is no answer.
        report: a function that is given progress as text.
        interruptible: let Ctrl-C end the search.
        cancel: a token of the caller's that stands for timeout, report and interruption.

    Raises:
        InputError: control flow depends on the parameter, a probability vanishes inside the interval, e^ε is below 1
            somewhere, or what was asked cannot be asked of this model.
        SolverError: the beliefs do not end within the budget.

    >>> from deltachain import program
    >>> coin = program("def coin(truth, p): announce(truth if flip(p) else not truth)")
    >>> secrets = [{"truth": True}, {"truth": False}]
    >>> found = parametric(coin, parameter="p=1/2:1", exp_epsilon=3, delta=0, secrets=secrets)
    >>> found.headline
    'VIOLATED exactly for p in (0.75 (3/4), 1); δ ≤ 0 holds for every other p in (0.5 (1/2), 1)'
    """
    interval = OpenParameter.read(parameter)
    allowed = None if delta is None else as_probability(delta, "delta")
    alpha = interval.function(interval.formula(str(exp_epsilon)))
    _require_alpha(alpha, interval, str(exp_epsilon))
    known = {} if constants is None else dict(constants)
    if secrets is not None and not isinstance(secrets, list):
        secrets = list(secrets)
    with watching(cancel, timeout, report, interruptible) as cancel:
        settings = {"secrets": secrets, "neighbours": neighbours, "cancel": cancel}
        loaded = _at_point(model, interval, known, settings)
        chain = loaded.chain
        _require_positive(chain, interval)
        numbers = asked_pairs(chain, s, t, pairs)
        inputs = inputs_of(loaded, s is None and pairs is None, neighbours is not None, drawn=False)
        curves, outcomes = _curves(chain, numbers, interval, alpha, max_nodes, cancel)
        distinct = list({tuple(sorted(term.key for term in curve.terms)): curve for curve in curves}.values())
        few = len(distinct) <= MOST_CURVES
        found = pieces(distinct) if few and (maximum or allowed is None) else []
        if maximum and not few:
            raise SolverError(f"{len(distinct)} different curves: the largest of at most {MOST_CURVES} is found")
        names = (chain.states[numbers[0][0]], chain.states[numbers[0][1]])
        return Parametric(
            interval=interval,
            exp_epsilon=str(exp_epsilon),
            allowed=allowed,
            violated=None if allowed is None else tuple(violations(distinct, allowed)),
            pieces=tuple(found),
            maximum=supremum(found, interval) if maximum else None,
            covers=inputs.words(len(numbers), names),
            seen=(len(numbers), outcomes),
            at=None if at is None else (at, _delta_at(model, interval, at, str(exp_epsilon), known, settings, numbers)),
        )


def _require_alpha(alpha: Ratio, interval: OpenParameter, text: str) -> None:
    """InputError unless e^ε is finite and at least 1 on the interval."""
    one = Ratio.of(alpha.bottom, alpha.bottom, interval.middle)
    above = alpha.minus(one, interval.middle)
    if not (above.top == 0 or interval.positive(above)):
        what = f"it is not at least 1 for every {interval.name} of the interval"
        raise InputError(Defect(f"exp_epsilon {text!r}", what, "correct the formula, or the interval"))


def _at_point(
    model: Program | str | Path, interval: OpenParameter, constants: Mapping[str, object], settings: Mapping[str, Any]
) -> Loaded:
    """The model at a point that satisfies no equation; a program at two, to see that nothing else is an exponential."""
    if isinstance(model, str | Path) and not split_program(str(model))[1]:
        return _file_at(Path(model), interval)
    first, second = (_loaded_at(model, interval, k, constants, settings) for k in (1, 2))
    if not all(found.chain.kind == "exact" and found.chain.whole for found in (first, second)):
        what = "noise is cut off, or a probability is no rational function of the parameter"
        raise InputError(Defect(interval.name, what, "give noise bounds, such as geometric(u, -8, 8)"))
    one, other = first.chain, second.chain
    if (one.states, one.labels) != (other.states, other.labels):
        raise InputError(Defect(interval.name, "the states depend on the parameter", "open another constant"))
    for s, name in enumerate(one.states):
        for rows in zip(one.given[s], other.given[s], strict=True):
            functions = [_functions(row, interval, k) for k, row in enumerate(rows, 1)]
            if functions[0] != functions[1]:
                what = "a probability is not a rational function of the parameter"
                raise InputError(Defect(f"state {name!r}", what, "write it without exp, log and sqrt"))
    return first


def _functions(row: Any, interval: OpenParameter, k: int) -> list[tuple[int, Any]]:
    if not isinstance(row, PointRow):
        return []
    return [(target, interval.function(p, k).key) for target, p in row.entries]


def _loaded_at(
    model: Program | str | Path,
    interval: OpenParameter,
    k: int,
    constants: Mapping[str, object],
    settings: Mapping[str, Any],
) -> Loaded:
    value = made(interval.formula(interval.name, k))
    if interval.name in constants:
        raise InputError(Defect("constants", f"{interval.name!r} is the parameter", "leave it out"))
    from ..programs.primitives import noting_signs

    with noting_signs() as signs:
        loaded = load_with_notes(model, constants={**constants, interval.name: value}, **settings)
    _require_draws(signs, interval, k)
    return loaded


def _require_draws(signs: list[Any], interval: OpenParameter, k: int) -> None:
    """InputError unless every draw is defined on the whole interval: what it needs to be positive stays so."""
    known: set[Any] = set()
    for number in signs:
        if number is None:
            continue  # only enclosed: then the chain is not exact, and is refused for that
        found = interval.function(number, k)
        if found.key in known:
            continue
        known.add(found.key)
        if not interval.positive(found):
            what = f"a draw needs {found.text(interval.name)} to be positive, and it is not so on the whole interval"
            raise InputError(Defect(interval.name, what, "give a smaller interval"))


def _file_at(path: Path, interval: OpenParameter) -> Loaded:
    """A native file whose probabilities are formulas in the parameter, at the point."""
    from ..files import open_regular
    from ..formats.native import loaded_from_json

    with open_regular(path) as stream:
        text = stream.read().decode("utf-8")
    try:
        document = json.loads(text)
        declared = document.pop("parameter", None)
        states = document["states"]
        if declared is not None:
            ((name, (low, high)),) = declared.items()
            if (name, Fraction(low), Fraction(high)) != (interval.name, interval.low, interval.high):
                inside = Fraction(low) <= interval.low and interval.high <= Fraction(high)
                if name != interval.name or not inside:
                    what = f"the file has the parameter {name} in ({low}, {high})"
                    raise InputError(Defect("parameter", what, f"give {name}={low}:{high}, or a part of it"))
        for place, state in states.items():
            rows = [state["to"]] if "to" in state else [row.get("to", row) for row in state.get("on", {}).values()]
            for row in rows:
                for target, given in row.items():
                    if isinstance(given, str):
                        number = interval.formula(given)
                        _require_entry(interval.function(number), interval, place)
                        row[target] = str(number)
    except InputError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError(Defect(str(path), "not a native model file with formulas", "see docs/formats.md")) from None
    return loaded_from_json(json.dumps(document), str(path))


def _require_positive(chain: Chain, interval: OpenParameter) -> None:
    """InputError unless every probability is positive on the whole open interval."""
    known: set[Any] = set()
    for s, rows in enumerate(chain.given):
        for row in rows:
            for _, p in row.entries if isinstance(row, PointRow) else ():
                found = interval.function(p)
                if found.key in known:
                    continue
                known.add(found.key)
                _require_entry(found, interval, chain.states[s])


def _require_entry(found: Ratio, interval: OpenParameter, state: str) -> None:
    if interval.positive(found):
        return
    ends = interval.low, interval.high
    width = (interval.high - interval.low) / 10**9
    roots = [refined(p, root, width) for p in (found.top, found.bottom) if p for root in isolate(p, *ends)]
    near = f", near {interval.name} = {float(roots[0].low + roots[0].high) / 2:.6g}" if roots else ""
    what = f"the probability {found.text(interval.name)} vanishes or is negative inside the interval{near}"
    raise InputError(Defect(f"state {state!r}", what, "give a smaller interval"))


def _curves(
    chain: Chain,
    pairs: list[tuple[int, int]],
    interval: OpenParameter,
    alpha: Ratio,
    max_nodes: int | None,
    cancel: Cancel,
) -> tuple[list[DeltaCurve], int]:
    """Both directions of every pair, and how many outcomes there are."""
    chain.need("no inputs", "parametric", "the best strategy depends on the parameter", "ask about one value")
    work = Workspace(chain, pairs)
    work.prepare(cancel)
    curves: list[DeltaCurve] = []
    outcomes = 0
    leaders = work.leaders(work.pairs)
    for number, pair in enumerate(pair for pair in work.pairs if leaders[pair][0] == pair):
        cancel.check()
        cancel.report(f"outcomes of pair {number + 1}")
        arrived = find_outcomes(work, pair, Budget(max_nodes), cancel)
        if arrived is None:
            one, other = (chain.states[state] for state in pair)
            raise SolverError(f"the beliefs of ({one}, {other}) do not end within the budget: raise max_nodes")
        outcomes += len(arrived)
        masses = [(interval.function(x), interval.function(y)) for x, y in arrived]
        inside = interval.middle
        for way in (0, 1):
            terms = (m[way].minus(alpha.times(m[1 - way], inside), inside) for m in masses)
            curves.append(DeltaCurve(interval, tuple(term for term in terms if term.top)))
    return curves, outcomes


def _delta_at(
    model: Program | str | Path,
    interval: OpenParameter,
    at: str,
    exp_epsilon: str,
    constants: Mapping[str, object],
    settings: Mapping[str, Any],
    pairs: list[tuple[int, int]],
) -> Any:
    """δ at one value of the parameter, as `delta` finds it."""
    from ..numbers.exponential import read_exponential

    value = read_exponential(at)
    if not interval.low < value < interval.high:
        raise InputError(Defect("at", f"{at} is not inside the interval", "give a point of it"))
    if isinstance(model, str | Path) and not split_program(str(model))[1]:
        raise InputError(Defect("at", "it is for programs", "write the value into the file"))
    alpha = read_exponential(re.sub(rf"\b{re.escape(interval.name)}\b", f"({at})", exp_epsilon))
    known = alpha.rational
    exponent = alpha.power
    if known is None and exponent is None:
        raise InputError(Defect("at", f"e^ε = {alpha} is not a rational number, or e to one", "choose another point"))
    terms = Terms.read(exp_epsilon=known) if known is not None else Terms.read(epsilon=exponent)
    given: object = value.rational if value.rational is not None else made(value)
    loaded = load_with_notes(model, constants={**constants, interval.name: given}, **settings)
    cancel = settings["cancel"]
    return delta_of(terms, loaded.chain, pairs, cancel, inspection=inspected(loaded.chain, cancel, True))
