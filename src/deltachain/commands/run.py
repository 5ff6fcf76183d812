"""``run``: words of a program or of a chain, drawn exactly, one run per line.

A program is run along its graph (`programs.run.running`), with no tail of its noise cut off; a chain from state to
state along its rows (`draws.walks`). Words are those that ``trace`` takes, so that what was drawn can be asked about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from ..cancel import Cancel
from ..cli import question as q
from ..cli.command import JSON, Reply, Session, Shown, Verb
from ..cli.options import Asked, repeat_option, text, value
from ..draws.source import DrawSource, SystemEntropy, seeded
from ..draws.walks import Walker
from ..errors import Defect, InputError
from ..files import to_standard_output
from ..loading import split_program
from ..model import Chain, Loaded
from ..model.words import written_word
from ..parameters import as_seed, whole
from ..programs import load_program, parse_assignments
from ..results.text import list_first, printable

MOST_RUNS, MOST_LETTERS = 10**7, 10**7
"""Of one command; the latter in all its runs together."""

COUNT = value("--count", "N", whole("count", 0, MOST_RUNS), "how many runs (default: 1)").default("1")
FRESH = "draw from this seed, so that the same runs come again (default: from the system's entropy)"
SEED = value("--seed", "S", as_seed, FRESH)
CUT = "outputs of a run at most, its start included (default: 1000)"
STEPS = value("--steps", "N", whole("steps", 1, MOST_LETTERS), CUT).default("1000")
START = text("--start", "STATE", "the state that runs of a chain start from (default: the only one there is)")
SAID = "what the observer answers, in order, the last one from then on; repeatable"
ANSWER = repeat_option("--answer", "A", SAID)

FOR_CHAINS = (*(option for option in q.READ if option not in (q.SECRET, q.CONSTANTS)), START)
"""What a program is not read by, and does not run from."""

DrawnWords = Callable[[], Iterator[str]]
"""A new run."""


def _run(asked: Asked, session: Session) -> Reply:
    """The words."""
    seed, given = asked[SEED], asked[START]
    source: DrawSource = SystemEntropy() if seed is None else seeded(seed)
    with session.work() as cancel:
        model: Loaded | None = None
        start: str | None = None
        if split_program(asked[q.MODEL])[1]:
            new = _of_program(asked, source, cancel)
        else:
            model = q.load_model(asked, session, cancel, () if given is None else (given,))
            start = _start(given, model.chain)
            new = _of_chain(asked, model.chain, start, source)
        runs, cut = _draw(asked, new, cancel)
    body = {"source": asked[q.MODEL], "start": start, "runs": runs, "seed": seed, "cut": cut}
    notes = [f"{cut} of {len(runs)} runs were left after {asked[STEPS]} outputs; see --steps"] if cut else []
    if not asked[JSON]:
        # As they are: a letter may look like the name of a setting.
        with to_standard_output():
            print(*(printable(written_word(run)) for run in runs), sep="\n", end="\n" if runs else "", flush=True)
    return Reply(result=Shown("", body), model=model, notes=notes, silent=not asked[JSON])


def _draw(asked: Asked, new: DrawnWords, cancel: Cancel) -> tuple[list[tuple[str, ...]], int]:
    """The runs, and how many of them were left before their end."""
    runs: list[tuple[str, ...]] = []
    cut, letters = 0, 0
    for number in range(asked[COUNT]):
        cancel.check()
        cancel.report(f"run {number + 1:,} of {asked[COUNT]:,}")
        word = new()
        run = tuple(islice(word, asked[STEPS]))
        # A run of exactly so many letters is over, and not cut.
        cut += len(run) == asked[STEPS] and next(word, None) is not None
        letters += len(run)
        if letters > MOST_LETTERS:
            what = f"more than {MOST_LETTERS:,} letters in all"
            raise InputError(Defect("--count", what, "ask for fewer runs, or for shorter ones with --steps"))
        runs.append(run)
    return runs, cut


def _answers(asked: Asked) -> Callable[[tuple[str, ...], tuple[str, ...]], str]:
    """The observer of one run."""
    given: list[str] = asked[ANSWER]
    turn = iter(range(MOST_LETTERS))

    def answer(options: tuple[str, ...], word: tuple[str, ...]) -> str:
        if not given:
            what = f"the observer is asked {word[-1]!r}, and nobody answers"
            raise InputError(Defect("--answer", what, f"give --answer, one of {list_first(options)}"))
        said = given[min(next(turn), len(given) - 1)]
        if said not in options:
            what = f"{said!r} is not an answer to {word[-1]!r}"
            raise InputError(Defect("--answer", what, f"give one of {list_first(options)}"))
        return said

    return answer


def _of_program(asked: Asked, source: DrawSource, cancel: Cancel) -> DrawnWords:
    """Runs of a program with its one secret."""
    file, _, rest = split_program(asked[q.MODEL])
    name, _, written = rest.partition(",")
    defects = [Defect(option.name, "not used with a program", "drop it") for option in FOR_CHAINS if asked[option]]
    secrets = [parse_assignments(each, "--secret") for each in asked[q.SECRET]]
    if len(secrets) > 1:
        defects.append(Defect("--secret", "a run has one secret", "give it once"))
    if defects:
        raise InputError(defects)
    given = [parse_assignments(written, asked[q.MODEL]), parse_assignments(asked[q.CONSTANTS] or "", "--constants")]
    values: dict[str, object] = {}
    for part in (*given, *secrets):
        defects += [Defect("--secret", f"{each!r} is given twice", "give it once") for each in part if each in values]
        values.update(part)
    if defects:
        raise InputError(defects)
    runner, bound = load_program(file, name).runner(values, cancel)
    return lambda: runner.word(bound, source, _answers(asked))


def _of_chain(asked: Asked, chain: Chain, start: str, source: DrawSource) -> DrawnWords:
    """Runs of a chain."""
    walker = Walker(chain)
    return lambda: walker.word(start, source, _answers(asked))


def _start(given: str | None, chain: Chain) -> str:
    """The state that was asked for; without one, the only one that runs may start from."""
    if given is not None:
        (number,) = q.states_named(chain, (given,), START.name)
        return chain.states[number]
    related = dict.fromkeys(state for pair in chain.relation for state in pair)
    starts = tuple(related) or chain.by_label.get("start") or tuple(range(len(chain)))
    if len(starts) != 1:
        what = "there is more than one state that runs may start from"
        fix = f"give one of {list_first([chain.states[state] for state in starts])}"
        raise InputError(Defect(START.name, what, fix))
    return chain.states[starts[0]]


RUN = Verb(
    "run",
    """
deltachain run protocol.py:survey --secret truth=True --count 5
deltachain run protocol.py:survey --secret truth=True --count 5 --seed 1 --json
deltachain run example:dining-cryptographers --start s0 --count 3
deltachain run example:memoised-survey --start s1 --steps 12
""",
    (*q.MODEL_OPTIONS, COUNT, SEED, STEPS, START, ANSWER),
    _run,
)
