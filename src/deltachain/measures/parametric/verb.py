"""`parametric`: δ as an exact function of one parameter; private for every value of it, or exactly where not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...asking import Pairs, StateName, cancel_scope, inputs_of, make_inspection
from ...beliefs import reach
from ...beliefs.graph.losses import find_parts, outcomes_of, told_apart
from ...beliefs.question import Budget, Terms, asked_pairs
from ...beliefs.workspace import Workspace
from ...cancel import Cancel, ProgressCallback
from ...certificate.checked import Checked
from ...certificate.inspection import Inspection, accepted_by
from ...errors import Defect, FormatError, InputError, SolverError
from ...files import STANDARD, STANDARD_INPUT, read_standard_input
from ...formats.format import decode_text, read_text
from ...formats.native import loaded_from_json
from ...loading import EXAMPLE, load_with_notes, split_program
from ...model import Chain, Loaded
from ...numbers.bernstein import constant_sign, isolate, never_negative, refine
from ...numbers.exponential import read_exponential
from ...numbers.fraction import Number, as_probability, parse_fraction
from ...numbers.parameter import OpenParameter, Ratio
from ...numbers.real import make_number, noting_signs
from ...parameters import Neighbours, Secrets, accept_spellings, list_secrets
from ...programs import Program
from ...results.scope import Scope
from ...settings import Settings
from ..delta.verb import delta_of
from ..integers.verb import parametric_integers
from .find import DeltaCurve, pieces, supremum, violations
from .proof import (
    PairCurves,
    ParametricProof,
    PartClaim,
    piece_claims,
    private_claims,
    supremum_claims,
    violation_claims,
)
from .show import Parametric

if TYPE_CHECKING:
    from ...loading import AnyModel
    from ..integers.find import IntegerQuestion

MOST_CURVES = 12
"""Up to so many different curves the largest is given piece by piece."""


@accept_spellings
def parametric(
    model: Program | str | Path,
    s: StateName | None = None,
    t: StateName | None = None,
    *,
    parameter: str,
    exp_epsilon: str | Number,
    delta: Number | None = None,
    maximum: bool = False,
    curve: bool = False,
    at: str | None = None,
    pairs: Pairs | None = None,
    secrets: Secrets | None = None,
    neighbours: Neighbours | None = None,
    constants: Mapping[str, object] | None = None,
    max_nodes: int | None = None,
    timeout: float | None = None,
    report: ProgressCallback | None = None,
    interruptible: bool = False,
    cancel: Cancel | None = None,
    check: bool = True,
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
        curve: find the pieces of δ, to be drawn, also where ``delta`` is given.
        at: also find δ at one value, such as ``"exp(-1/40)"``, as `delta` does.
        pairs: pairs of states, in place of ``s`` and ``t``.
        secrets: the inputs of a program.
        neighbours: which two of them are compared, as in `load` (default: every two).
        constants: values of other constants.
        max_nodes: how many belief pairs may be met for a pair.
        timeout: stop after so many seconds: then there is no answer.
        report: a function that is given progress as text.
        interruptible: let Ctrl-C end the search.
        cancel: a token of the caller's that stands for timeout, report and interruption.
        check: let the checker decide about the certificate before the answer is given.

    Raises:
        InputError: control flow depends on the parameter, a probability vanishes inside the interval, e^ε is below 1
            somewhere, or what was asked cannot be asked of this model.
        SolverError: the beliefs do not end within the budget.

    >>> from deltachain import program
    >>> coin = program("def coin(truth, p): announce(truth if flip(p) else not truth)")
    >>> secrets = [{"truth": True}, {"truth": False}]
    >>> found = parametric(coin, parameter="p=1/2:1", exp_epsilon=3, delta=0, secrets=secrets)
    >>> found.headline.partition("; ")[0]
    'VIOLATED exactly for p in (0.75 (3/4), 1): certified, δ > 0 at e^ε = 3 for (truth=True, truth=False)'
    """
    interval = OpenParameter.read(parameter)
    allowed = None if delta is None else as_probability(delta, "delta")
    with (
        cancel_scope(cancel, timeout, report, interruptible) as cancel,
        cancel.during(f"finding δ as a function of {interval.name}").govern(),
    ):
        alpha = interval.function(interval.formula(str(exp_epsilon)))
        _require_alpha(alpha, interval, str(exp_epsilon))
        listed = None if secrets is None else list_secrets(secrets)  # it is read more than once
        settings = Settings(secrets=listed, neighbours=neighbours, constants=constants or {}, cancel=cancel)
        if s is None and pairs is None:

            def of_a_pair(subject: IntegerQuestion, pair: list[dict[str, Any]]) -> Parametric:
                return parametric(
                    subject.program,
                    parameter=parameter,
                    exp_epsilon=exp_epsilon,
                    delta=delta,
                    secrets=pair,
                    constants=subject.constants,
                    cancel=cancel,
                    check=check,
                )

            text = str(exp_epsilon)
            everything = parametric_integers(
                model, settings, interval, alpha, text, allowed, cancel, of_a_pair, check=check
            )
            if everything is not None:
                return everything
        loaded = loaded_open(model, interval, settings)
        chain = loaded.chain
        _require_positive(chain, interval)
        numbers = asked_pairs(chain, s, t, pairs)
        inputs = inputs_of(loaded, s is None and pairs is None, neighbours is not None, drawn=False)
        work = Workspace(chain, numbers)
        found = _curves(work, interval, alpha, max_nodes, cancel)
        curves = {tuple(sorted(term.key for term in c.terms)): c for each in found for c in each.curves}
        distinct = list(curves.values())
        few = len(distinct) <= MOST_CURVES
        if (maximum or curve) and not few:
            raise SolverError(f"{len(distinct)} different curves: the largest of at most {MOST_CURVES} is found")
        cut = pieces(distinct) if few and (maximum or curve or allowed is None) else []
        top = supremum(cut, interval) if maximum else None
        over = None if allowed is None else tuple(violations(distinct, allowed))
        claims: list[PartClaim] = []
        against: list[PartClaim] = []
        if over is not None and allowed is not None:
            against = list(violation_claims(found, over, allowed))
            claims += [*private_claims(found, over, allowed, interval), *against]
        claims += piece_claims(found, cut, interval)
        claims += supremum_claims(found, top, interval) if top is not None else ()
        proof = ParametricProof(chain, work, interval, alpha, tuple(claims))
        names = (chain.states[numbers[0][0]], chain.states[numbers[0][1]])
        return Parametric(
            interval=interval,
            exp_epsilon=str(exp_epsilon),
            allowed=allowed,
            violated=over,
            pieces=tuple(cut),
            maximum=top,
            covers=inputs.words(len(numbers), names),
            seen=(len(numbers), sum(each.outcomes for each in found)),
            at=None if at is None else (at, _delta_at(model, interval, at, str(exp_epsilon), settings, numbers)),
            against=tuple(dict.fromkeys(claim.of.names[0] for claim in against)),
            checked=_check(proof, cancel, check),
            scope=Scope.of(chain),
            _proof=proof,
        )


def _check(proof: ParametricProof, cancel: Cancel, check: bool) -> Checked:
    """What the checker says of the certificate."""
    inspection = replace(Inspection.of(proof.chain, cancel), interval=proof.interval)
    return accepted_by(inspection if check else None, proof).checked


def _require_alpha(alpha: Ratio, interval: OpenParameter, text: str) -> None:
    """InputError unless e^ε is finite and at least 1 on the interval."""
    ends = interval.low, interval.high
    if not (constant_sign(alpha.bottom, *ends) == 1 and never_negative(alpha.top - alpha.bottom, *ends)):
        what = f"it is not at least 1 for every {interval.name} of the interval"
        raise InputError(Defect(f"exp_epsilon {text!r}", what, "correct the formula, or the interval"))


def loaded_open(model: AnyModel, interval: OpenParameter, settings: Settings) -> Loaded:
    """The model at a point that satisfies no equation; a program at two, to see that nothing else is an exponential."""
    if not isinstance(model, Program | str | Path):
        what = f"a {'chain' if isinstance(model, Chain) else 'plain function'} has no open parameter {interval.name}"
        raise InputError(Defect("parameter", what, "give a program, or a native file with formulas"))
    if isinstance(model, str | Path) and str(model).startswith(EXAMPLE):
        raise InputError(Defect(str(model), f"an example has no open parameter {interval.name}", "give a program"))
    if isinstance(model, str | Path) and not split_program(str(model))[1]:
        return _file_at(model, interval)
    if settings.secrets is not None:
        settings = replace(settings, secrets=list_secrets(settings.secrets))  # it is read twice
    # At u made of e^-1 and of e^-1/2: a rational function of u is read back
    # the same from both, an exponential beside u not.
    first, second = (_loaded_at(model, interval, k, settings) for k in (1, 2))
    if not all(reach.takes("finite graph", found.chain) for found in (first, second)):
        cut = (note.partition(";")[0] for note in first.notes if note.startswith("noise is cut off"))
        what = next(cut, "a probability is not a rational function of the parameter")
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
    return [(target, interval.function(p, k).key) for target, p in row.exactly or ()]


def _loaded_at(model: Program | str | Path, interval: OpenParameter, k: int, settings: Settings) -> Loaded:
    value = make_number(interval.formula(interval.name, k))
    if interval.name in settings.constants:
        raise InputError(Defect("constants", f"{interval.name!r} is the parameter", "leave it out"))
    try:
        with noting_signs() as signs:
            loaded = load_with_notes(model, _with(settings, interval.name, value))
    except FormatError as error:
        raise FormatError(_about_parameter(defect, interval) for defect in error.defects) from None
    _require_draws(signs, interval, k)
    return loaded


def _with(settings: Settings, name: str, value: object) -> Settings:
    """The settings, with one more constant."""
    return replace(settings, constants={**settings.constants, name: value})


def _about_parameter(defect: Defect, interval: OpenParameter) -> Defect:
    """What went wrong at the point, in words about the parameter; a place in the program stays."""
    if "irrational number" in defect.what:
        what = f"control flow depends on the parameter {interval.name}, which is left open: {defect.what}"
        return Defect(defect.where, what, f"decide by something else, or give {interval.name} a value")
    if "exp(" in defect.what:
        return Defect(
            defect.where, f"{defect.what}; {interval.name} is {interval.formula(interval.name)} here", defect.fix
        )
    return defect


def _require_draws(signs: list[Any], interval: OpenParameter, k: int) -> None:
    """InputError unless draws and divisions are defined on the whole interval: what they need positive stays so."""
    known: set[Any] = set()
    for number in signs:
        if number is None:
            continue  # only enclosed: then the chain is not exact, and is refused for that
        found = interval.function(number, k)
        if found.key in known:
            continue
        known.add(found.key)
        if not interval.positive(found):
            needed = found.text(interval.name)
            what = f"a draw or a division needs {needed} to be above 0, and it is not so on the whole interval"
            raise InputError(Defect(interval.name, what, "give a smaller interval"))


def _file_at(path: str | Path, interval: OpenParameter) -> Loaded:
    """A native file whose probabilities are formulas in the parameter, at the point."""

    def at_point(document: Mapping[str, object]) -> Mapping[str, object]:
        found = dict(document)
        if "parameter" in found:
            _require_declared(found.pop("parameter"), interval)
        states = found.get("states")
        defects: list[Defect] = []
        if isinstance(states, dict):
            found["states"] = {name: _state_at(name, body, interval, defects) for name, body in states.items()}
        if defects:
            raise InputError(dict.fromkeys(defects))
        return found

    standard = str(path) == STANDARD
    source = STANDARD_INPUT if standard else str(path)
    text = decode_text(read_standard_input(), source) if standard else read_text(path)
    loaded = loaded_from_json(text, source, revised=at_point)
    why, fix = "probabilities are to be functions of the parameter", "ask for δ at one value: delta"
    loaded.chain.need("exact", "parametric", why, fix)
    return loaded


def _require_declared(declared: object, interval: OpenParameter) -> None:
    """InputError unless the interval is a part of the one that the file has."""
    try:
        ((name, (low, high)),) = declared.items()  # type: ignore[attr-defined]  # or it is refused
        inside = parse_fraction(low) <= interval.low and interval.high <= parse_fraction(high)
    except (TypeError, ValueError, AttributeError):
        raise InputError(
            Defect("parameter", "the file's cannot be read", 'write "parameter": {"u": ["0", "1"]}')
        ) from None
    if name != interval.name or not inside:
        what = f"the file has the parameter {name} in ({low}, {high})"
        raise InputError(Defect("parameter", what, f"give {name}={low}:{high}, or a part of it"))


def _state_at(name: str, body: object, interval: OpenParameter, defects: list[Defect]) -> object:
    """The state of a native file with each formula of its rows at the point; what is malformed stays as it is.

    What is wrong with formulas is added to the defects.
    """

    def at(row: object) -> object:
        return _row_at(name, row, interval, defects)

    if not isinstance(body, dict):
        return body
    found = dict(body)
    if "to" in body:
        found["to"] = at(body["to"])
    if isinstance(body.get("on"), dict):
        found["on"] = {
            asked: {**row, "to": at(row["to"])}
            if isinstance(row, dict) and isinstance(row.get("to"), dict)
            else at(row)
            for asked, row in body["on"].items()
        }
    return found


def _row_at(state: str, row: object, interval: OpenParameter, defects: list[Defect]) -> object:
    """A row with its formulas at the point; a JSON number, which is not text, is the number that it is."""
    if not isinstance(row, dict):
        return row
    found: dict[object, object] = dict(row)
    for target, given in row.items():
        if type(given) is not str:
            continue
        try:
            number = interval.formula(given)
            _require_entry(interval.function(number), interval, state)
            found[target] = str(number)
        except InputError as error:
            for defect in error.defects:
                # The place of a formula that cannot be read is its text.
                what = defect.what if defect.where.startswith("state ") else f"{defect.where}: {defect.what}"
                defects.append(Defect(f"state {state!r}", what, defect.fix))
    return found


def _require_positive(chain: Chain, interval: OpenParameter) -> None:
    """InputError unless every probability is positive on the whole open interval."""
    known: set[Any] = set()
    for s, rows in enumerate(chain.given):
        for row in rows:
            for _, p in row.exactly or ():
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
    roots = [refine(p, root, width) for p in (found.top, found.bottom) if p for root in isolate(p, *ends)]
    near = f", near {interval.name} = {float(roots[0].low + roots[0].high) / 2:.6g}" if roots else ""
    what = f"the probability {found.text(interval.name)} vanishes or is negative inside the interval{near}"
    raise InputError(Defect(f"state {state!r}", what, "give a smaller interval"))


def _curves(
    work: Workspace, interval: OpenParameter, alpha: Ratio, max_nodes: int | None, cancel: Cancel
) -> list[PairCurves]:
    """Both directions of every pair, once for all pairs whose states are merged with each other."""
    chain, inside = work.chain, interval.middle
    chain.need("no inputs", "parametric", "the best strategy depends on the parameter", "ask about one value")
    work.prepare(cancel)
    leaders = work.leaders(work.pairs)
    named: dict[tuple[int, int], list[tuple[str, str]]] = {}
    for pair, (leader, reverse) in leaders.items():
        s, t = (chain.states[state] for state in (pair[::-1] if reverse else pair))
        named.setdefault(leader, []).append((s, t))
    found: list[PairCurves] = []
    for number, (pair, names) in enumerate(named.items(), 1):
        cancel.check()
        cancel.report(f"outcomes of pair {number}")
        parts = find_parts(work, pair, Budget(max_nodes), cancel) if pair in work.alike else ()
        arrived = None if parts is None else outcomes_of(parts) if parts else told_apart()
        if arrived is None:
            cancel.check()
            one, other = names[0]
            raise SolverError(f"the beliefs of ({one}, {other}) do not end within the budget: raise max_nodes")
        masses = [(interval.function(x), interval.function(y)) for x, y in arrived]
        terms = [[m[way].minus(alpha.times(m[1 - way], inside), inside) for m in masses] for way in (0, 1)]
        forth, back = (DeltaCurve(interval, tuple(term for term in way if term.top)) for way in terms)
        found.append(PairCurves(tuple(names), interval, (forth, back), parts[0] if parts else None, len(arrived)))
    return found


def _delta_at(
    model: Program | str | Path,
    interval: OpenParameter,
    at: str,
    exp_epsilon: str,
    settings: Settings,
    pairs: list[tuple[int, int]],
) -> Any:
    """δ at one value of the parameter, as `delta` finds it."""
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
    given: object = value.rational if value.rational is not None else make_number(value)
    loaded = load_with_notes(model, _with(settings, interval.name, given))
    cancel = settings.cancel or Cancel()
    return delta_of(terms.about(loaded.chain, pairs), cancel, make_inspection(loaded.chain, cancel, True))
