"""SMT solvers behind one small interface: a script in, an `SolverAnswer` out.

A solver's ``sat`` comes with a model, which callers check; its ``unsat`` is its word. ``unknown`` is an answer of
its own, and never becomes one of the other two. A time limit is kept by running the solver in a process of its own
and ending that process: solvers' own limits are checked too rarely in the middle of algebra.
"""

from __future__ import annotations

import importlib.util
import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil
from typing import Any, Literal  # Any: for objects of z3 and cvc5, bindings without types

from deltachain.errors import BackendMissing, Defect, InputError, SolverError, exit_code, require_extra
from deltachain.numbers.fraction import format_fraction, parse_fraction, simplest_between

SolverVerdict = Literal["sat", "unsat", "unknown"]

ALGEBRAIC_DIGITS = 40


@dataclass(frozen=True, slots=True)
class Algebraic:
    """An irrational value of a model, between two rationals."""

    lower: Fraction
    upper: Fraction


SolverValue = Fraction | Algebraic


@dataclass(frozen=True)
class SolverAnswer:
    """What a solver said; ``model`` gives a value to each declared variable when it said sat."""

    verdict: SolverVerdict
    model: Mapping[str, SolverValue] = field(default_factory=dict)
    reason: str = ""
    seconds: float = 0.0


TOO_LONG = SolverAnswer("unknown", reason="it found a model, with numbers too long to be read")


def _run_z3(script: str) -> SolverAnswer:
    """Z3 by its Python package."""
    z3 = import_solver("z3", "z3-solver", "smt")
    solver = z3.Solver(ctx=z3.Context())
    try:
        solver.from_string(script)
    except z3.Z3Exception as error:
        raise SolverError(f"z3 does not accept the script: {error}") from None
    verdict = str(solver.check())
    if verdict == "unknown":
        return SolverAnswer("unknown", reason=solver.reason_unknown())
    if verdict == "unsat":
        return SolverAnswer("unsat")
    model = solver.model()
    constants = [declaration for declaration in model.decls() if declaration.arity() == 0]
    try:
        values = {constant.name(): _from_z3(z3, model[constant]) for constant in constants}
    except ValueError:
        return TOO_LONG
    return SolverAnswer("sat", _complete(script, values))


def _from_z3(z3: Any, value: Any) -> SolverValue:
    if z3.is_bv_value(value):
        return Fraction(value.as_long())
    if z3.is_algebraic_value(value):
        near = parse_fraction(str(value.approx(ALGEBRAIC_DIGITS).as_fraction()))
        error = Fraction(1, 10**ALGEBRAIC_DIGITS)
        return Algebraic(near - error, near + error)
    return parse_fraction(value.as_string())


def _run_cvc5(script: str) -> SolverAnswer:
    """cvc5 by its Python package."""
    cvc5 = import_solver("cvc5", "cvc5", "smt")
    terms = cvc5.TermManager()
    solver = cvc5.Solver(terms)
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "script")
    symbols = parser.getSymbolManager()
    said = ""
    try:
        while not (command := parser.nextCommand()).isNull():
            said = str(command.invoke(solver, symbols)).strip() or said
    except RuntimeError as error:
        raise SolverError(f"cvc5 does not accept the script: {error}") from None
    if said.startswith("(error"):
        raise SolverError(f"cvc5 does not accept the script: {said}")
    if said == "unsat":
        return SolverAnswer("unsat")
    if said != "sat":
        return SolverAnswer("unknown", reason=said)
    try:
        return SolverAnswer("sat", {str(t): _from_cvc5(terms, solver, t) for t in symbols.getDeclaredTerms()})
    except ValueError:
        return TOO_LONG


def _from_cvc5(terms: Any, solver: Any, variable: Any) -> SolverValue:
    value = solver.getValue(variable)
    if value.isBitVectorValue():
        return Fraction(int(value.getBitVectorValue(10)))
    if value.isRealAlgebraicNumber():
        return _refine(terms, solver, value)
    return Fraction(value.getRealValue())


def _refine(terms: Any, solver: Any, value: Any) -> SolverValue:
    """A root of cvc5's defining polynomial, which comes with a coarse interval; some of these roots are rational."""
    name = terms.mkVar(terms.getRealSort(), "x")
    polynomial = value.getRealAlgebraicNumberDefiningPolynomial(name)

    def at(point: Fraction) -> Fraction:
        number = terms.mkReal(point.numerator, point.denominator)
        return Fraction(solver.simplify(polynomial.substitute(name, number)).getRealValue())

    low = Fraction(value.getRealAlgebraicNumberLowerBound().getRealValue())
    high = Fraction(value.getRealAlgebraicNumberUpperBound().getRealValue())
    rising = at(low) < 0
    while high - low > Fraction(1, 10**ALGEBRAIC_DIGITS):
        middle = (low + high) / 2
        if (at(middle) < 0) == rising:
            low = middle
        else:
            high = middle
    # A rational root has the least denominator of all fractions so near it, unless its own is very long.
    if low > 0 and at(simple := simplest_between(low, high)) == 0:
        return simple
    return Algebraic(low, high)


SOLVERS: Mapping[str, Callable[[str], SolverAnswer]] = {"z3": _run_z3, "cvc5": _run_cvc5}
"""Each decides a script (declarations, assertions, one check-sat) in this process, without a time limit."""


def backend(name: str) -> Callable[[str], SolverAnswer]:
    """The solver of that name; InputError for another one."""
    if name not in SOLVERS:
        raise InputError(Defect("solver", f"no solver {name!r}", f"solvers are {', '.join(SOLVERS)}"))
    return SOLVERS[name]


def is_installed(name: str) -> bool:
    """Whether the package of a solver can be imported."""
    return importlib.util.find_spec(name) is not None


def import_solver(module: str, package: str, extra: str) -> Any:
    """The solver's module, which publishes no types; BackendMissing with the pip line if it is not there."""
    with require_extra(package, extra):
        return importlib.import_module(module)


def _complete(script: str, values: dict[str, SolverValue]) -> dict[str, SolverValue]:
    """Variables that a model leaves open may take any value: 0."""
    names = [line.split()[1] for line in script.splitlines() if line.startswith("(declare-fun ")]
    return {name: values.get(name, Fraction(0)) for name in names}


LONGEST_WAIT = 2_000_000.0
"""Seconds, about three weeks: operating systems do not wait much longer in one go."""


def time_limit(seconds: float | None) -> float | None:
    """A number of seconds that can be waited; None: no limit. InputError for anything else."""
    if seconds is None:
        return None
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0:
        raise InputError(Defect("timeout", f"{seconds!r} is not a time limit", "give seconds above 0, or None"))
    return min(float(seconds), LONGEST_WAIT)


def run(name: str, script: str, timeout: float | None = None) -> SolverAnswer:
    """The solver's answer, or ``unknown`` after ``timeout`` seconds.

    Raises BackendMissing if it is not installed, SolverError if it fails, InputError for limits that are none.
    """
    solver, timeout = backend(name), time_limit(timeout)
    started = time.perf_counter()
    if timeout is not None and not is_installed(name):
        raise _report_missing(name)
    answer = solver(script) if timeout is None else _limit(name, script, timeout)
    return replace(answer, seconds=time.perf_counter() - started)


def _report_missing(name: str) -> BackendMissing:
    return BackendMissing({"z3": "z3-solver"}.get(name, name), "smt")


SPARE = 5
"""Seconds after which a worker ends itself, counted from its limit, if nobody is left to end it."""


def _limit(name: str, script: str, timeout: float) -> SolverAnswer:
    """The answer of a process of its own, ended when the time is up."""
    # -P: the folder that the user stands in is not searched for modules.
    command = [sys.executable, "-P", "-m", "deltachain_smt.solvers", name, str(ceil(timeout) + SPARE)]
    try:
        done = subprocess.run(  # noqa: S603  # our own interpreter and module; the script goes to standard input
            command, input=script, capture_output=True, encoding="utf-8", timeout=timeout, check=False
        )
    except subprocess.TimeoutExpired:
        return SolverAnswer("unknown", reason=f"time limit of {timeout:g} s")
    if done.returncode < 0:
        return SolverAnswer("unknown", reason=f"its process was ended by signal {-done.returncode}; out of memory?")
    if done.returncode == exit_code(missing := _report_missing(name)):  # it is there, and cannot be imported
        raise missing
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        raise SolverError(f"{name} failed: {lines[-1] if lines else f'exit code {done.returncode}'}")
    return answer_from_json(done.stdout)


def answer_to_json(answer: SolverAnswer) -> str:
    """An answer as one line of JSON."""
    model = {
        key: format_fraction(value)
        if isinstance(value, Fraction)
        else [format_fraction(value.lower), format_fraction(value.upper)]
        for key, value in answer.model.items()
    }
    return json.dumps({"verdict": answer.verdict, "model": model, "reason": answer.reason})


def answer_from_json(text: str) -> SolverAnswer:
    """The answer that `answer_to_json` wrote."""
    said = json.loads(text)
    model: dict[str, SolverValue] = {
        key: parse_fraction(value) if isinstance(value, str) else Algebraic(*map(parse_fraction, value))
        for key, value in said["model"].items()
    }
    return SolverAnswer(said["verdict"], model, said["reason"])


def main() -> None:
    """``python -m deltachain_smt.solvers z3 65 < script``: the solver named first, for at most so many seconds."""
    name, seconds = sys.argv[1:]
    if hasattr(signal, "alarm"):  # whoever started this may be gone before the time is up
        signal.alarm(int(seconds))
    sys.stdin.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    try:
        print(answer_to_json(backend(name)(sys.stdin.read())))
    except BackendMissing as missing:
        sys.exit(exit_code(missing))


if __name__ == "__main__":
    main()
