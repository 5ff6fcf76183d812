"""`report`: everything about a model's privacy as one HTML page that reads nothing else."""

from __future__ import annotations

import contextlib
import datetime as calendar
import hashlib
import importlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import registry
from ..asking import Pairs, StateName, cancel_scope, load_inquiry, make_inspection, reject_renamed_arguments
from ..beliefs import reach
from ..beliefs.limits.inside import inside_of
from ..beliefs.question import Budget, Question, Terms
from ..beliefs.search import search
from ..beliefs.workspace import Workspace
from ..cancel import Cancel, ProgressCallback
from ..certificate.checked import NOT_ASKED
from ..distances.kinds import NAMES, kind_named
from ..distances.kinds.bd import BD
from ..errors import Defect, InputError, SolverError
from ..files import write_atomically
from ..loading import EXAMPLE, program_of, split_program
from ..measures.delta.show import Delta, Verdict
from ..measures.delta.verb import as_delta
from ..measures.distance.explain import explain
from ..measures.distance.verb import distance_of
from ..measures.epsilon.least import least_of
from ..measures.epsilon.verb import as_bound, epsilon_of
from ..measures.guess.verb import guess_of
from ..measures.profile.show import Profile, ProfilePoint
from ..measures.profile.verb import profile_of
from ..model import reachable
from ..numbers.fraction import Number
from ..parameters import Neighbours, Secrets, as_epsilon, as_prior, list_secrets
from ..results.accuracy import NOT_CERTIFIED, accuracy_body, accuracy_words
from ..results.numbers import decimal, interval
from ..results.scope import ONLY_THESE, Covered
from ..results.sections import Fields, Rendered, Section
from ..results.text import printable
from ..settings import Settings
from .markdown import render_markdown
from .page import rendered_page
from .view import Findings, FrontMatter, ModelText, view

if TYPE_CHECKING:
    from ..beliefs.limits.inside import Inside
    from ..beliefs.proof import Answer
    from ..certificate.inspection import Inspection
    from ..loading import AnyModel
    from ..measures.distance.explanation import Explanation
    from ..measures.distance.show import Distance
    from ..measures.epsilon.show import EpsilonBound
    from ..measures.guess.show import Guess
    from ..measures.measure import Measure
    from ..programs.run.events import Accuracy

COMMON_DELTAS = (Fraction(0), Fraction(1, 10**9), Fraction(1, 10**6), Fraction(1, 10**3), Fraction(1, 10**2))
MOST_GUESSED, GUESS_NODES = 12, 5_000
"""Secrets, and beliefs about all of them, up to which the best guess is told."""
BAND_NODES = 5_000
"""Belief pairs for each point of a curve that may not be exact, unless a budget is given."""
LARGE = 200
"""Above so many states up to bisimilarity, each point of the curve takes seconds: then"""
FEW_EPSILONS = (Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(2), Fraction(4))
"""are those that it is computed at, unless others are given."""
BAND_STOPS = 100
"""Where the slider stops on a band."""
EPSILON_WIDTH = Fraction(1, 10**6)
"""How closely the least e^ε for a δ is searched for, relatively: as `epsilon` does, so that both give one answer."""
MOST_STATES = 60
"""Distances are measured on chains up to this many states, from the start states on."""
WHY_PAIRS, WHY_NODES = 20, 2_000
"""Pairs that are followed to explain bd, and belief pairs for δ of each."""


@dataclass(frozen=True, repr=False)
class Report(Rendered):
    """A page, and the result that it is about. A value.

    Attributes:
        found: the `Delta`, or the `Verdict` where a δ was allowed.
        html: the page.
        profile: the curve of the page.
        accuracy: how likely the event that was asked for is at least.
    """

    found: Delta
    html: str
    profile: Profile
    accuracy: Accuracy | None = None

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return len(self.html.encode())

    @property
    def sha256(self) -> str:
        """The hash of the file: the same input gives the same one."""
        return hashlib.sha256(self.html.encode()).hexdigest()

    def save(self, path: str | Path) -> None:
        """Write the file, atomically.

        Args:
            path: where to.

        Raises:
            InputError: it cannot be written.
        """
        write_atomically(Path(path), [self.html])

    @property
    def headline(self) -> str:
        """That of the result that it is about."""
        return self.found.headline

    @property
    def _asked(self) -> str:
        return f"{self.found._asked}, a page of {self.size:,} bytes"

    @property
    def assumes(self) -> tuple[str, ...]:
        """What the result assumes, which the page says beside the verdict."""
        return self.found.assumes

    def sections(self) -> Sequence[Section]:
        """The size and the hash of the page."""
        likely = [] if self.accuracy is None else [("accuracy", f"{accuracy_words(self.accuracy)}, {NOT_CERTIFIED}")]
        return [Fields([*likely, ("bytes", f"{self.size:,}"), ("sha256", self.sha256)])]

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, with the size and the hash of the page."""
        likely = {} if self.accuracy is None else {"accuracy": accuracy_body(self.accuracy)}
        return self.found.to_dict() | likely | {"report": {"bytes": self.size, "sha256": self.sha256}}


@reject_renamed_arguments
def report(
    model: AnyModel,
    s: StateName | None = None,
    t: StateName | None = None,
    *,
    epsilon: Number | None = None,
    exp_epsilon: Number | None = None,
    delta: Number | None = None,
    pairs: Pairs | None = None,
    secrets: Secrets | None = None,
    neighbours: Neighbours | None = None,
    accuracy: str | None = None,
    epsilons: Iterable[Number] | None = None,
    prior: Number = "1/2",
    source: str = "a chain",
    command: str | None = None,
    verify: str | None = None,
    notes: Iterable[str] = (),
    title: str | None = None,
    author: str | None = None,
    about: str | None = None,
    date: str | None = None,
    gap: Number | None = None,
    max_nodes: int | None = None,
    check: bool = True,
    timeout: float | None = None,
    report: ProgressCallback | None = None,
    interruptible: bool = False,
    cancel: Cancel | None = None,
) -> Report:
    """The report on the pairs at ε; with ``delta``, the verdict on it. The same arguments give the same bytes.

    Args:
        model: a chain, or what `load` takes.
        s: a start state, by name or number.
        t: the start state that it is compared with.
        epsilon: the privacy parameter ε ≥ 0.
        exp_epsilon: e^ε ≥ 1 itself, in place of ε.
        delta: the δ that is allowed, for a verdict.
        pairs: pairs of states, in place of ``s`` and ``t``; without either, the relation that the model carries.
        secrets: the inputs of a program.
        neighbours: which two of them are compared, as in `load` (default: every two).
        accuracy: an event of a run of a program, such as ``"abs(output - count) <= 3"``: how likely it is at least,
            whatever the secret (`Program.accuracy`).
        epsilons: the values of ε of the curve (default: chosen to show it).
        prior: an observer's belief in the first state of the worst pair, beforehand.
        source: where the model is from; shown as it is.
        command: the command that makes the report; shown as it is.
        verify: the command that checks its certificate; shown as it is.
        notes: what was done to the model; shown as it is.
        title: of the page, in place of ``source``.
        author: who answers for it; shown as it is.
        about: what the model is, in Markdown without HTML and images, up to 100 kB.
        date: of the report, as YYYY-MM-DD; without one, the same input gives the same bytes on any day.
        gap: stop when the interval is at most this wide.
        max_nodes: stop after so many search nodes.
        check: let the checker accept certificates before there is a page (up to a size).
        timeout: stop after so many seconds.
        report: a function that is given progress as text.
        interruptible: let Ctrl-C end it with what is proved.
        cancel: a token of the caller's that stands for timeout, report and interruption.

    Raises:
        InputError: the question does not apply to this model.

    >>> import deltachain as dc
    >>> page = report(dc.examples.coin(), epsilon=1, delta="1/10")
    >>> page.found.verdict, page.size < 2_000_000
    ('private', True)
    """
    terms = Terms.read(epsilon=epsilon, exp_epsilon=exp_epsilon, gap=gap, allowed=delta, max_nodes=max_nodes)
    grid = None if epsilons is None else sorted({as_epsilon(e) for e in epsilons})
    if grid is not None and not grid:
        raise InputError("epsilons: give at least one")
    belief = as_prior(prior)
    front = front_matter(title=title, author=author, about=about, date=date)
    text = None if not isinstance(model, str | Path) else model_text(model)
    if accuracy is not None and secrets is not None and not isinstance(secrets, Sequence):
        secrets = list_secrets(secrets)
    with cancel_scope(cancel, timeout, report, interruptible) as cancel:
        likely = None
        if accuracy is not None:
            program, constants = program_of(model, {})
            likely = program.accuracy(accuracy, secrets, constants=constants, cancel=cancel.during("now the accuracy"))
        settings = Settings(secrets=secrets, neighbours=neighbours, cancel=cancel)
        inquiry = load_inquiry(model, settings, s, t, pairs)
        question = terms.about(inquiry.chain, inquiry.pairs)
        return report_of(
            question,
            grid,
            belief,
            source,
            cancel,
            command=command,
            verify=verify,
            notes=tuple(dict.fromkeys((*question.chain.notes, *notes))),
            front=front,
            text=text,
            inspection=make_inspection(inquiry.chain, cancel, check),
            inputs=inquiry.covers,
            accuracy=likely,
        )


def report_of(
    question: Question,
    grid: Sequence[Fraction] | None,
    prior: Fraction,
    source: str,
    cancel: Cancel,
    *,
    command: str | None = None,
    verify: str | None = None,
    notes: tuple[str, ...] = (),
    front: FrontMatter | None = None,
    text: ModelText | None = None,
    inspection: Inspection | None = None,
    inputs: Covered = ONLY_THESE,
    accuracy: Accuracy | None = None,
) -> Report:
    """`report` of a question that is read already; everything is found in one workspace."""
    work = Workspace.of(question)
    asked = _Asked(question.at.short, cancel.report)
    found = _find(question, work, cancel.report_to(asked.say, asked.narrow), asked, inspection)
    found = replace(found, inputs=inputs)
    asked.narrow(found.lower, found.upper)
    cancel = cancel.report_to(asked.say, _ignore)
    curve = _curve(question, work, grid, cancel.part("now the curve"), inspection)
    curve = replace(_sharpen(curve, found), inputs=inputs)
    distances = _distances(question, work, cancel.part("now the distances"), inspection)
    findings = Findings(
        chain=question.chain,
        work=work,
        source=source,
        found=found,
        curve=curve,
        points=cancel.make_ending().attempt(lambda: _points(curve, found)) or _known_points(curve),
        epsilons=_epsilons(question, work, curve, found, cancel, inspection),
        distances=distances,
        why=cancel.make_ending().attempt(lambda: _why(distances, found.worst.pair)),
        certificate=cancel.make_ending().attempt(lambda: "".join(found.certificate.chunks())),
        prior=prior,
        guess=_guess(question, work, cancel.part("now the best guess"), inspection),
        measured=tuple(_measure(question, work, cancel, inspection, inputs)),
        command=command,
        verify=verify,
        notes=notes,
        front=front or FrontMatter(),
        text=text,
        accuracy=accuracy,
    )
    page = cancel.make_ending().attempt(lambda: rendered_page("report.html", *view(findings)))
    # Where there was no time for all pictures, those that take what is known of losses stay out.
    page = rendered_page("report.html", *view(_in_brief(findings))) if page is None else page
    return Report(found, page, curve, accuracy)


def _in_brief(findings: Findings) -> Findings:
    """What is at hand of the findings, so that nothing is left to be computed."""
    curve = replace(findings.curve, distributions=None, pieces=None, interrupted=True)
    return replace(findings, curve=curve, points=_known_points(curve))


def _known_points(curve: Profile) -> tuple[tuple[Fraction, Fraction, Fraction], ...]:
    """The points of a curve, without those between them."""
    return tuple((point.epsilon, point.lower, point.upper) for point in curve.points)


LONGEST_LINE = 300
"""Characters of a title, and of an author."""
LARGEST_SHOWN = 100_000
"""Bytes of a model's file that is shown; larger ones are told by their hash."""


def front_matter(
    *, title: str | None = None, author: str | None = None, about: str | None = None, date: str | None = None
) -> FrontMatter:
    """What the author says about a report, read; InputError with every defect."""
    given = {"title": title, "author": author, "about": about, "date": date}
    defects = [
        Defect(name, f"{type(said).__name__} is not text", "give it in quotes")
        for name, said in given.items()
        if not isinstance(said, str | None)
    ]
    if defects:
        raise InputError(defects)
    for name, line in (("title", title), ("author", author)):
        if line is not None and (not line.strip() or len(line) > LONGEST_LINE):
            defects.append(Defect(name, f"expected one line of 1 to {LONGEST_LINE} characters"))
    if date is not None:
        try:
            known = calendar.date.fromisoformat(date).isoformat() == date
        except ValueError:
            known = False
        if not known:
            defects.append(Defect("date", f"{date[:40]!r} is not a day", "give it as YYYY-MM-DD"))
    html = None
    try:
        html = None if about is None else render_markdown(about)
    except InputError as error:
        defects += error.defects
    if defects:
        raise InputError(defects)
    return FrontMatter(title, author, date, html)


def model_text(source: str | Path) -> ModelText | None:
    """The file that a model is read from, to be shown and hashed; None where there is none to read."""
    file, _, _ = split_program(str(source))
    path = Path(file)
    if file == "-" or file.startswith(EXAMPLE) or not path.is_file():
        return None
    content = path.read_bytes()
    text = None
    if len(content) <= LARGEST_SHOWN:
        with contextlib.suppress(UnicodeDecodeError):
            text = content.decode()
    shown = None if text is None or "\0" in text else "\n".join(map(printable, text.expandtabs(4).splitlines()))
    return ModelText(path.name, hashlib.sha256(content).hexdigest(), shown)


class _Asked:
    """The δ that was asked for, as far as it is known by now: it stands before all that is reported."""

    def __init__(self, at: str, report: ProgressCallback) -> None:
        self._at, self._report = at, report
        self._lower, self._upper, self._known = Fraction(0), Fraction(1), ""

    def narrow(self, lower: Fraction, upper: Fraction) -> None:
        """Take bounds of the worst pair's δ at the ε that was asked for, and of nothing else."""
        self._lower, self._upper = max(self._lower, lower), min(self._upper, upper)
        if self._lower > 0 or self._upper < 1:
            self._known = f"{interval('δ', self._lower, self._upper)} at {self._at}; "

    def say(self, text: str) -> None:
        """Report what is being done, after the interval where something is known of it."""
        self._report(self._known + text)


def _ignore(_lower: Fraction, _upper: Fraction) -> None:
    """Bounds of δ at another ε, or of another chain: of no use to who waits for the one that was asked for."""


def _find(question: Question, work: Workspace, cancel: Cancel, asked: _Asked, inspection: Inspection | None) -> Delta:
    """δ as narrow as a finite search gets, also where a verdict is known sooner: the report shows the number."""
    answer = search(replace(question, allowed=None), work, cancel)
    if question.allowed is not None:
        answer = replace(answer, question=question)
        if not question.is_decided([p.interval for p in answer.proofs]) and not cancel.is_stopped():
            again = search(question, work, cancel)
            if question.is_decided([p.interval for p in again.proofs]) or _width(again) < _width(answer):
                answer = again
    chain = question.chain
    inside: Mapping[tuple[int, int], Inside] = {}
    if reach.takes("extreme chains", chain) and not question.is_decided([p.interval for p in answer.proofs]):
        inside = inside_of(question, cancel.report_to(asked.say, _ignore))
    return as_delta(answer, answer.accept(inspection), inside=inside)


def _width(answer: Answer) -> Fraction:
    return answer.upper - answer.lower


def _curve(
    question: Question,
    work: Workspace,
    grid: Sequence[Fraction] | None,
    cancel: Cancel,
    inspection: Inspection | None,
) -> Profile:
    """The curve δ(ε); where it may not be exact, with a budget for each point, and few points if the chain is large."""
    if work.alike and not work.acyclic:
        question = _with_budget(question)
        if grid is None and len(work.quotient.chain) > LARGE:
            grid = FEW_EPSILONS
    return profile_of(replace(question, allowed=None), work, grid, cancel, inspection=inspection)


def _guess(question: Question, work: Workspace, cancel: Cancel, inspection: Inspection | None) -> Guess | None:
    """How well one who watches guesses the secret, all equally likely; None where that is not known or too much."""
    secrets = list(dict.fromkeys(state for pair in question.pairs for state in pair))
    few = 2 <= len(secrets) <= MOST_GUESSED
    if not few or not reach.takes("guessing", question.chain) or cancel.is_stopped():
        return None
    nodes = question.budget.at_most(GUESS_NODES)
    return guess_of(question.chain, secrets, None, None, 1, nodes, cancel, inspection=inspection, work=work)


def _measure(
    question: Question, work: Workspace, cancel: Cancel, inspection: Inspection | None, inputs: Covered
) -> Iterator[str]:
    """A line for each measure that the trunk makes everything of, as far as there is time."""
    for name, entry in registry.measures().items():
        if cancel.is_stopped():
            return
        measure: Measure = importlib.import_module(entry.home).MEASURE
        try:
            yield measure.of(question, work, cancel.part(f"now {name}"), inspection, inputs).headline
        except (InputError, SolverError) as error:
            yield f"{measure.title}: not computed: {error}"


def _with_budget(question: Question) -> Question:
    """The question with a limit for each point, unless one was given."""
    return question if question.budget.max_nodes is not None else replace(question, budget=Budget(BAND_NODES))


def _sharpen(curve: Profile, found: Delta) -> Profile:
    """The curve, and what was found at the ε that was asked for; δ is convex, so that sharpens what is beside it."""
    at = found.exp_epsilon.epsilon
    if curve.exact or at is None:
        return curve
    points = {point.epsilon: point for point in curve.points}
    lower, upper = curve.band(at)
    whole = lower <= found.lower and found.upper <= upper
    checked = bool(found.checked.accepted) if whole else None
    points[at] = ProfilePoint(at, max(lower, found.lower), min(upper, found.upper), checked=checked)
    return replace(curve, points=tuple(points[e] for e in sorted(points)))


def _points(curve: Profile, found: Delta) -> tuple[tuple[Fraction, Fraction, Fraction], ...]:
    """Where the slider stops: the points of the curve and the one that was asked for; of a band, some between."""
    epsilons = {point.epsilon for point in curve.points}
    end = max(epsilons)
    if not curve.exact:
        epsilons |= {end * i / BAND_STOPS for i in range(BAND_STOPS + 1)}
    if found.exp_epsilon.epsilon is not None:
        epsilons.add(found.exp_epsilon.epsilon)
    known = [curve.delta(epsilon=e) for e in sorted(epsilons)]
    return tuple((point.epsilon, point.lower, point.upper) for point in known)


def _epsilons(
    question: Question,
    work: Workspace,
    curve: Profile,
    found: Delta,
    cancel: Cancel,
    inspection: Inspection | None,
) -> tuple[EpsilonBound, ...]:
    """The least ε for common δ and the one that is allowed, by rising δ, each by the search of `epsilon`."""
    rows: list[EpsilonBound] = []
    for delta in sorted({*COMMON_DELTAS, *([found.allowed] if isinstance(found, Verdict) else [])}, reverse=True):
        part = cancel.part(f"now the least ε for δ = {decimal(delta)}")
        asked = replace(question, allowed=delta)
        if curve.pieces is not None or (curve.distributions is not None and curve.checked_tradeoff.accepted):
            # The curve says it for every δ, and has been checked as a whole, or point by point.
            said = NOT_ASKED if curve.pieces is not None else curve.checked_tradeoff
            rows.append(as_bound(asked, work, least_of(curve.curves, delta), (said, said), None, found.inputs))
        elif rows and rows[-1].exp_epsilon_proved is None and not rows[-1].impossible:
            # What no ε was found for, none will be found for a smaller δ.
            rows.append(replace(rows[-1], delta=delta))
        else:
            rows.append(epsilon_of(asked, work, EPSILON_WIDTH, part, inspection=inspection, inputs=found.inputs))
    return tuple(rows[::-1])


def _why(distances: Mapping[str, Distance | str], pair: tuple[str, str]) -> Explanation | None:
    """Why bd of the worst pair is what it is, and where it is more than δ; None where it is not exact."""
    found = distances.get(BD.name)
    if found is None or isinstance(found, str) or found.side != "exact":
        return None
    return explain(found, *pair, depth=2, max_pairs=WHY_PAIRS, max_nodes=WHY_NODES)


def _distances(
    question: Question, work: Workspace, cancel: Cancel, inspection: Inspection | None
) -> dict[str, Distance | str]:
    """sd, ld and bd where the chain is small; a reason where they are not computed."""
    chain = question.chain
    if not reach.takes("distances", chain):
        return {}
    size = len(reachable(chain, [state for pair in question.pairs for state in pair]))
    if size > MOST_STATES:
        return dict.fromkeys(NAMES[::-1], f"not computed: {size:,} states; deltachain distance measures it")
    rows: dict[str, Distance | str] = {}
    for kind in NAMES[::-1]:
        try:
            cancel.check()
            pairs = list(question.pairs)
            merged = work.whole(cancel)
            rows[kind] = distance_of(chain, pairs, question.at, kind_named(kind), cancel, merged, inspection=inspection)
        except SolverError as error:
            rows[kind] = f"not computed: {error}"
    return rows
