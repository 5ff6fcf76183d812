"""Privacy as a unit test: `assert_private` and `assert_violated`, for any test runner.

Both ask what `check` asks and take what it takes. They pass if that verdict is proved, and fail otherwise: an
undecided question fails both, and so does one that only some chain within the limits of the model violates. What fails
shows the outputs that reveal the secret, the shortest first. A model whose rows come from counts is as good as
its confidence: the test has to spell it out.

With pytest, ``--deltachain-report DIR`` keeps the report and the certificate of what failed (`pytest_plugin`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from .asking import Pairs, StateName
from .errors import Defect, DeltachainError, InputError
from .files import make_folder, write_atomically
from .loading import load
from .measures.delta.show import Verdict, VerdictName
from .measures.delta.verb import check
from .measures.delta.witness import witness_sections
from .model import Chain
from .numbers.fraction import Number
from .parameters import Neighbours, Secrets, as_confidence, respell
from .programs import Program
from .reports.report import report
from .results.differences import show_differences
from .results.numbers import epsilon_fields, exactly
from .results.sections import Fields, Paragraph, Section, Table, as_text, assumption_section
from .results.text import shown_name

if TYPE_CHECKING:
    from .beliefs.witness import Witness
    from .loading import AnyModel
    from .model import Loaded

REPORT_SECONDS = 60.0
"""For the report of what failed, unless the assertion has a timeout of its own."""


@dataclass(frozen=True)
class Assertion:
    """What an assertion asks: of which model, and the settings of `check`."""

    model: AnyModel
    settings: dict[str, Any]
    secrets: Sequence[Mapping[str, object]] = ()
    """What the start states of code that was run stand for, in their order."""


class NotProved(AssertionError):
    """An assertion about privacy that failed.

    Attributes:
        verdict: what was found instead; its ``certificate`` is the proof, its ``witness`` the distinguishing output.
    """

    def __init__(self, message: str, verdict: Verdict, asked: Assertion) -> None:
        """The message for a person, the verdict, and what was asked."""
        super().__init__(message)
        self.verdict = verdict
        self._asked = asked

    def save_report(self, folder: str | Path, name: str) -> list[str]:
        """Write ``name`` with the endings .txt, .certificate.json and .html into the folder.

        Args:
            folder: where to; it is made.
            name: of the files, without an ending.

        Returns:
            A line for each file: its path, or why it was not written.

        Raises:
            InputError: the folder cannot be made, or a file not be written.
        """
        where = Path(folder)
        make_folder(where)
        message = where / f"{name}.txt"
        write_atomically(message, [f"{self}\n"])
        return [str(message), self._save_certificate(where / f"{name}.certificate.json"), self._save_page(where, name)]

    def _save_certificate(self, path: Path) -> str:
        try:
            self.verdict.certificate.save(path)
        except DeltachainError as reason:
            return f"no certificate: {reason}"
        return str(path)

    def _save_page(self, folder: Path, name: str) -> str:
        if self.verdict.repeat > 1 or self.verdict.compose:
            return "no report: it is about one run of one model"
        of_runs = ("repeat", "compose", "timeout")
        settings = {key: value for key, value in self._asked.settings.items() if key not in of_runs}
        limit = self._asked.settings.get("timeout")
        seconds = REPORT_SECONDS if limit is None else limit
        try:
            page = report(self._asked.model, **settings, source=_name(self._asked.model), timeout=seconds)
        except DeltachainError as reason:
            return f"no report: {reason}"
        path = folder / f"{name}.html"
        page.save(path)
        return str(path)


class CheckSettings(TypedDict, total=False):
    """What an assertion takes from `check`, with the meaning that it has there."""

    epsilon: Number | None
    exp_epsilon: Number | None
    pairs: Pairs | None
    secrets: Secrets | None
    neighbours: Neighbours | None
    sample: int | None
    seed: int
    gap: Number | None
    max_nodes: int | None
    repeat: int
    compose: Sequence[AnyModel | Loaded]
    check: bool
    timeout: float | None


def assert_private(
    model: AnyModel,
    s: StateName | None = None,
    t: StateName | None = None,
    *,
    delta: Number,
    confidence: Number | None = None,
    **settings: Unpack[CheckSettings],
) -> Verdict:
    """Pass if every pair is proved to be (ε, δ)-private; otherwise fail, with distinguishing outputs or what to raise.

    Args:
        model: a chain, or what `load` takes: a plain function with ``secrets`` is run (`from_code`).
        s: a start state, by name or number.
        t: the start state that it is compared with.
        delta: the δ that is allowed, from 0 to 1.
        confidence: that of the counts which the model's rows come from, spelled out; None where there are none.
        settings: ``epsilon`` or ``exp_epsilon``, ``pairs``, ``secrets``, ``neighbours``, ``sample``, ``seed``, ``gap``,
            ``max_nodes``, ``repeat``, ``compose``, ``check`` and ``timeout``, as in `check`. With ``sample`` it never
            passes: pairs that were drawn prove nothing about the others.

    Returns:
        The verdict, with its certificate.

    Raises:
        AssertionError: it is violated, violated by some chain within its limits, or undecided; or the confidence of its
            counts was not given as it is.
        InputError: the question does not apply to this model; all defects at once.

    >>> import deltachain as dc
    >>> assert_private(dc.examples.survey(), exp_epsilon=3, delta=0).verdict
    'private'
    """
    __tracebackhide__ = True
    return _expect("private", _make_assertion(model, {"s": s, "t": t, "delta": delta, **_keep(settings)}), confidence)


def assert_violated(
    model: AnyModel,
    s: StateName | None = None,
    t: StateName | None = None,
    *,
    delta: Number,
    confidence: Number | None = None,
    **settings: Unpack[CheckSettings],
) -> Verdict:
    """Pass if some pair is proved not to be (ε, δ)-private; for mechanisms that are known to be broken.

    Args:
        model: as of `assert_private`, and so are all others.
        s: a start state.
        t: the other one.
        delta: the δ that is allowed.
        confidence: that of the counts.
        settings: as in `check`.

    Returns:
        The verdict, with its certificate and the event that gives the secret away.

    Raises:
        AssertionError: it is private, undecided, or violated by some chain within its limits and not by all; or the
            confidence of its counts was not given as it is.
        InputError: the question does not apply to this model; all defects at once.

    >>> import deltachain as dc
    >>> found = assert_violated(dc.examples.survey(), exp_epsilon=2, delta="1/5")
    >>> [" ".join(word.word) for word in found.witness.words]
    ['start no']
    """
    __tracebackhide__ = True
    return _expect("violated", _make_assertion(model, {"s": s, "t": t, "delta": delta, **_keep(settings)}), confidence)


def _make_assertion(model: AnyModel, settings: dict[str, Any]) -> Assertion:
    """What is asked; a plain function is run once, for the verdict and for a report."""
    settings = respell(settings)
    if not callable(model) or isinstance(model, Program):
        return Assertion(model, settings)
    secrets, neighbours = settings.pop("secrets", None), settings.get("neighbours")
    if not isinstance(neighbours, str):  # a function looks at the secrets, and not at what the chain records of them
        settings.pop("neighbours", None)
    chain = load(model, secrets=secrets, neighbours=None if isinstance(neighbours, str) else neighbours)
    return Assertion(chain, settings, () if secrets is None else list(secrets))


def _keep(settings: CheckSettings) -> CheckSettings:
    """The settings, with pairs and secrets that can be read twice: by the assertion, and by the report if it fails."""
    kept: CheckSettings = {**settings}
    if (pairs := settings.get("pairs")) is not None:
        kept["pairs"] = list(pairs)
    secrets = settings.get("secrets")
    if secrets is not None and not isinstance(secrets, Sequence | Mapping):
        kept["secrets"] = list(secrets)
    return kept


def _expect(expected: VerdictName, asked: Assertion, confidence: Number | None) -> Verdict:
    __tracebackhide__ = True
    level = None if confidence is None else as_confidence(confidence)
    found = check(asked.model, **asked.settings)
    if found.confidence != level:
        raise NotProved(_confidence_text(found, level), found, asked)
    if found.verdict != expected:
        notes = asked.model.notes if isinstance(asked.model, Chain) else ()
        parts = (*_explain(found, notes), *_inputs(found, asked), *assumption_section(found.assumes))
        raise NotProved(as_text(found.headline, parts), found, asked)
    return found


def _confidence_text(found: Verdict, given: Fraction | None) -> str:
    if found.confidence is None:
        raise InputError(Defect("confidence", "the rows of this model do not come from counts", "leave it out"))
    level = exactly(found.confidence)
    said = "this test does not say so" if given is None else f"this test says {exactly(given)}"
    return (
        f"The rows of this model come from counts: what is proved about it holds with confidence {level}, and {said}."
        f' Give confidence="{found.confidence}".'
    )


def _explain(found: Verdict, notes: Sequence[str] = ()) -> Iterator[Section]:
    """What was asked, why the search ended, how the chain was made, and the distinguishing outputs, shortest first."""
    rows = [*epsilon_fields(found.exp_epsilon), ("δ allowed", exactly(found.allowed))]
    if found.verdict == "undecided":
        rows.append(("ended", found.ended))
        rows += [("note", note) for note in notes]
    yield Fields(rows)
    if found.verdict == "violated by some":
        yield Paragraph(
            "One chain within the limits of the model violates it, which need not be yours: it is `counterexample` of"
            " this exception's verdict. Narrower limits, such as those of more counts, decide."
        )
    if found.verdict != "violated":
        return
    if found.explanation is not None:
        yield Paragraph(found.explanation)
    elif found.witness is not None:
        yield from witness_sections(shortest_first(found.witness), exact=found.exact)


def _inputs(found: Verdict, asked: Assertion) -> Iterator[Section]:
    """Where the two inputs of the worst pair differ, whose names may be too short to tell."""
    if not (asked.secrets and isinstance(asked.model, Chain)):
        return
    one, other = (asked.model.number(state) for state in found.worst.pair)
    if max(one, other) < len(asked.secrets):
        rows = show_differences(asked.secrets[one], asked.secrets[other])
        yield Table(["input", *map(shown_name, found.worst.pair)], rows, title="Where the two inputs differ:")


def shortest_first(witness: Witness) -> Witness:
    """The same event, its shortest words first, and of those of one length the most telling."""
    words = sorted(witness.words, key=lambda word: (len(word.word), -word.gain(witness.exp_epsilon)))
    return replace(witness, words=tuple(words))


def _name(model: AnyModel) -> str:
    """What a report calls the model."""
    if isinstance(model, str | Path):
        return str(model)
    return shown_name(getattr(model, "name", "a chain"))
