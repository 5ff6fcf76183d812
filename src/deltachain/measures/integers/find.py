"""From a program without a domain to its mechanism, its neighbours and e^ε as numbers of a ring; and what is found.

What a search finds is handed to the checker as any other certificate: it reads the mechanism and the claim alone, and
decides every region again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

import deltachain_checker
from deltachain_checker.certificate import FORMAT
from deltachain_checker.integers import MOST_POWER, NAME, sha256

from ...cancel import Cancel
from ...certificate.checked import ACCEPTED, TOO_LARGE, Checked
from ...certificate.record import Certificate
from ...certificate.verification import MOST_STEPS
from ...errors import Defect, InputError, RejectedAnswer, SolverError
from ...integers.build import mechanism_of
from ...integers.mechanism import Atom, Mechanism, WordSum, WordTerm, atoms, document
from ...integers.rings import AtPowerOfE, Fractions, NumberRing, OverInterval
from ...integers.search import Alpha, Found, Spot, inputs_at, private
from ...loading import load_with_notes, program_of, split_program
from ...model import Chain
from ...numbers.flint import to_flint
from ...numbers.fraction import ExpEpsilon, format_fraction
from ...numbers.parameter import OpenParameter, Ratio
from ...numbers.real import make_number
from ...programs import Program
from ...settings import Settings

if TYPE_CHECKING:
    from ...beliefs.question import Terms
    from ...certificate.claims import Claim
    from ...loading import AnyModel

NORM = re.compile(r"(linf|l1)\s+([0-9]+)")
MOST_SHIFTS = 20_000
"""How many differences of neighbours are looked at."""
SecretPair = tuple[dict[str, Any], dict[str, Any]]
"""Two secrets."""
RULES = "give linf K (each input differs by at most K) or l1 K (all together do; l1 1: one input, by 1)"


@dataclass(frozen=True)
class IntegerQuestion:
    """A program, at every integer input, and which of them are neighbours.

    Attributes:
        program: the program.
        mechanism: its words.
        constants: the values of its other parameters.
        norm: ``linf`` or ``l1``.
        most: how far neighbours are apart in it, at most.
        parameter: the constant that is left open, if one is.
    """

    program: Program
    mechanism: Mechanism
    constants: Mapping[str, Any]
    norm: str
    most: int
    parameter: OpenParameter | None = None

    @property
    def rule(self) -> str:
        """The neighbours, as they were asked for."""
        return f"{self.norm} {self.most}"

    @property
    def everything(self) -> str:
        """For people: all inputs, and their neighbours."""
        names = self.mechanism.inputs
        shown = ", ".join(names) if len(names) <= 4 else f"{', '.join(names[:2])}, …, {names[-1]}"
        return f"for all integers {shown} and all neighbours ({self.rule})"

    @property
    def pair(self) -> tuple[str, str]:
        """The one pair that stands for all."""
        names = self.mechanism.inputs
        shown = ", ".join(names) if len(names) <= 4 else f"{names[0]}, …, {names[-1]}"
        return f"any integers {shown}", f"any neighbours ({self.rule})"

    @cached_property
    def shifts(self) -> list[dict[str, int]]:
        """What is added to the inputs to come to a neighbour."""
        names, span = self.mechanism.inputs, range(-self.most, self.most + 1)
        if len(span) ** len(names) > MOST_SHIFTS:
            what = f"{len(names)} inputs have too many neighbours: at most {MOST_SHIFTS:,} differences are looked at"
            raise InputError(Defect("neighbours", what, "give a smaller distance, or a finite domain"))
        every = product(span, repeat=len(names))
        near = (s for s in every if any(s) and (self.norm == "linf" or sum(map(abs, s)) <= self.most))
        return [dict(zip(names, s, strict=True)) for s in near]

    def ring(self) -> NumberRing:
        """The numbers of the words."""
        letter = self.mechanism.letter
        if isinstance(letter, int):
            return AtPowerOfE(letter)
        if self.parameter is not None and letter is not None:
            return OverInterval(self.parameter.low, self.parameter.high)
        return Fractions()

    def finer(self, factor: int) -> IntegerQuestion:
        """The same with Y^(1/factor) in place of Y."""

        def atom(a: Atom) -> Atom:
            return a if a.ratio is None else a._replace(ratio=a.ratio * factor)

        letter = self.mechanism.letter
        if factor == 1 or not isinstance(letter, int):
            return self
        words = [
            WordSum(w.letters, tuple(WordTerm(t.weight, tuple(tuple(map(atom, s)) for s in t.stars)) for t in w.terms))
            for w in self.mechanism.words
        ]
        return replace(self, mechanism=replace(self.mechanism, words=tuple(words), letter=letter * factor))

    def pair_at(self, place: Spot) -> SecretPair | None:
        """The two secrets that a place stands for."""
        found = inputs_at(self.mechanism, place)
        if found is None:
            return None
        first = found[0]
        second = {name: first[name] + place.case.shift.get(name, 0) for name in first}
        return self._secret(first), self._secret(second)

    def is_real(self, place: Spot) -> bool:
        """Whether inputs stand behind a place."""
        return self.pair_at(place) is not None

    def chain_of(self, pair: SecretPair | None, cancel: Cancel) -> Chain:
        """The chain of two secrets."""
        settings = Settings(secrets=list(pair or ()), constants=self.constants, sandwiched=True, cancel=cancel)
        return load_with_notes(self.program, settings).chain

    @staticmethod
    def show_secret(secret: Mapping[str, Any]) -> str:
        """A secret for people."""
        return ", ".join(f"{name}={value}" for name, value in secret.items())

    def _secret(self, values: Mapping[str, int]) -> dict[str, Any]:
        secret: dict[str, Any] = {}
        for parameter in self.program.parameters:
            if parameter.name in values:
                secret[parameter.name] = values[parameter.name]
            elif f"{parameter.name}[0]" in values:
                length = parameter.entries or 0
                secret[parameter.name] = tuple(values[f"{parameter.name}[{place}]"] for place in range(length))
        return secret


def is_about_all_integers(model: AnyModel, settings: Settings) -> bool:
    """Whether a program is asked about without secrets, and the parameters that need values are all integers."""
    found = _program(model, settings)
    if found is None or settings.secrets is not None or settings.sample is not None:
        return False
    program, constants = found
    open_ones = [p for p in program.parameters if p.default is None and p.name not in constants]
    return bool(open_ones) and all(p.entries is not None for p in open_ones)


def _program(model: AnyModel, settings: Settings) -> tuple[Program, dict[str, Any]] | None:
    if isinstance(model, Program):
        return model, dict(settings.constants)
    if isinstance(model, str) or hasattr(model, "__fspath__"):
        text = str(model)
        return program_of(text, settings.constants, settings.place) if split_program(text)[1] else None
    return None


def subject_of(
    model: AnyModel, settings: Settings, cancel: Cancel, parameter: OpenParameter | None = None
) -> IntegerQuestion | None:
    """The program that is asked about at all integers; None where it is not, and is to be read as ever.

    Raises:
        ProgramError: something in it is not supported for all integers.
        InputError: no neighbours, or others than those that are supported.
    """
    extra = {} if parameter is None else {parameter.name: make_number(parameter.formula(parameter.name))}
    if parameter is not None and parameter.name in settings.constants:
        return None  # refused where it is read as ever
    known = replace(settings, constants={**settings.constants, **extra})
    if not is_about_all_integers(model, known):
        return None
    found = _program(model, known)
    assert found is not None  # noqa: S101 - asked just now
    program, given = found
    norm, most = _neighbours(settings.neighbours, settings.place("neighbours"))
    values = program.constant_values(given)
    entries = {p.name: p.entries for p in program.parameters if p.name not in values and p.entries is not None}
    with cancel.during("running the program for all integers").govern():
        mechanism = mechanism_of(program, entries, values, cancel, parameter)
    given = {name: value for name, value in given.items() if name not in extra}
    return IntegerQuestion(program, mechanism, given, norm, most, parameter)


def _neighbours(rule: object, where: str) -> tuple[str, int]:
    if rule is None:
        raise InputError(Defect(where, "any two of all integers would be compared", RULES))
    found = NORM.fullmatch(rule) if isinstance(rule, str) else None
    if rule == "one-entry":
        what = "one-entry lets an input differ by any amount, which no noise of a fixed scale hides"
        raise InputError(Defect(where, what, "give l1 K: one entry that differs by at most K, or several by K in all"))
    if found is None or int(found[2]) < 1:
        raise InputError(Defect(where, "this rule is not supported for all integers", RULES))
    return found[1], int(found[2])


# e^ε.


def at_epsilon(subject: IntegerQuestion, at: ExpEpsilon) -> tuple[IntegerQuestion, Alpha, str]:
    """The subject over a ring that has e^ε; and e^ε, as numbers, and as a certificate has it.

    Where the ring does not have it, it is a rational number below: what is private there is private at e^ε.
    """
    letter = subject.mechanism.letter
    if at.epsilon is not None and isinstance(letter, int) and at.epsilon >= 0:
        power = at.epsilon * letter
        subject = subject.finer(power.denominator)
        exponent = power.numerator
        ring = subject.ring()
        text = "1" if exponent == 0 else " ".join(["0"] * exponent + ["1"])
        return subject, Alpha(ring.number(1), ring.power(1, exponent)), text
    ring, below = subject.ring(), at.below
    alpha = _rational(ring, below)
    return subject, alpha, format_fraction(below)


def at_rational(subject: IntegerQuestion, terms: Terms) -> Alpha:
    """A rational number that is at least e^ε: what is violated there is violated at e^ε."""
    return _rational(subject.ring(), terms.at.above)


def _rational(ring: NumberRing, value: Fraction) -> Alpha:
    if isinstance(ring, Fractions):
        return Alpha(to_flint(value), to_flint(1))
    return Alpha(ring.number(value.numerator), ring.number(value.denominator))


def at_formula(alpha: Ratio) -> tuple[Alpha, str]:
    """e^ε as a function of the open parameter: as numbers, and as a certificate has it."""

    def coefficients(p: Any) -> str:
        return " ".join(str(int(c)) for c in p.coeffs())

    text = f"{coefficients(alpha.top)}/{coefficients(alpha.bottom)}"
    constant = alpha.top.degree() <= 0 and alpha.bottom.degree() <= 0
    if constant:
        value = Fraction(int(alpha.top[0]), int(alpha.bottom[0]))
        text = format_fraction(value)
    return Alpha(alpha.top, alpha.bottom), text


# The certificate.


@dataclass(frozen=True)
class IntegersProof:
    """A claim for all integers, and the mechanism that it is about; evidence as any other (`claims.Evidence`)."""

    subject: IntegerQuestion
    claim: str
    """``delta`` or ``ratio``."""
    bound: str
    alpha: str

    @property
    def claims(self) -> Sequence[Claim]:
        """None that is about states: what is claimed is in the certificate alone."""
        return ()

    @property
    def missing(self) -> str:
        """There is one."""
        return ""

    def certificate(self, most_bytes: int | None = None) -> Certificate:  # noqa: ARG002 - it is short
        """The claim: the checker needs no more.

        Raises:
            SolverError: the mechanism has numbers that no certificate may have.
        """
        _require_small(self.subject.mechanism)
        letter, parameter = self.subject.mechanism.letter, self.subject.parameter
        field: dict[str, Any] = {}
        if isinstance(letter, int):
            field = {"base": letter}
        elif parameter is not None and letter is not None:
            field = {"parameter": {parameter.name: [format_fraction(parameter.low), format_fraction(parameter.high)]}}
        neighbours = [self.subject.norm, self.subject.most]
        written: dict[str, Any] = {
            "format": FORMAT,
            "model": sha256(document(self.subject.mechanism)),
            **({"field": field} if field else {}),
            **({"alpha": self.alpha} if self.claim == "delta" else {}),
            "extensions": [NAME],
            "proves": [{"claim": self.claim, "neighbours": neighbours, "upper": self.bound}],
        }
        return Certificate(written)

    def check(self, cancel: Cancel) -> Checked:
        """What the checker says; RejectedAnswer if it rejects what was proved."""
        cancel.report("checking the certificate")
        late = cancel.make_ending()
        meter = deltachain_checker.Meter(MOST_STEPS, late.is_stopped)
        model = document_of(self.subject)
        certificate = deltachain_checker.parse("".join(self.certificate().chunks()))
        try:
            deltachain_checker.verify(deltachain_checker.ModelFile(model), certificate, meter)
        except deltachain_checker.Unfinished as unfinished:
            if unfinished.reason == "steps":
                return TOO_LARGE
            return Checked(False, "there was no time left: save the certificate, then run verify")
        except deltachain_checker.CertificateRejected as rejection:
            why = f"the checker rejected the proof of this answer, so that no bound is printed ({rejection})"
            raise RejectedAnswer(f"internal error: {why}. Please report it", None) from rejection
        return ACCEPTED


def _require_small(mechanism: Mechanism) -> None:
    """SolverError where the checker would not read the mechanism (docs/certificate.md, All integers)."""
    every = [atom for word in mechanism.words for atom in atoms(word)]
    integers = max((abs(n) for a in every for n in (a.point.constant, *dict(a.point.parts).values())), default=0)
    exponents = max((a.ratio for a in every if isinstance(a.ratio, int)), default=0)
    for number, what in (
        (integers, "is added to inputs, or compared with them"),
        (exponents, "is the power of one ratio that another one, or e^ε, is"),
    ):
        if number > MOST_POWER:
            refused = f"undecided: {number:,} {what}, and certificates for all integers have numbers up to"
            raise SolverError(f"{refused} {MOST_POWER:,}; give a finite domain of secrets")


def document_of(subject: IntegerQuestion) -> Any:
    """The mechanism as the checker reads it from a file."""
    return deltachain_checker.parse(json.dumps(document(subject.mechanism)))


def decide(subject: IntegerQuestion, alpha: Alpha, cancel: Cancel) -> Found:
    """Whether δ is 0 at e^ε for all integers; a violating place is one of real inputs."""
    with cancel.govern():
        return private(
            subject.mechanism,
            subject.ring(),
            alpha,
            subject.shifts,
            cancel,
            lambda place: subject.pair_at(place) is not None,
        )
